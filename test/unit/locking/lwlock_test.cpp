#include "lock_fixture.h"

namespace hathi::locking {
namespace {

class LwLockTest : public LockFixture {};

TEST_F(LwLockTest, ExclusiveExcludes) {
  std::vector<pid_t> children;
  for (int c = 0; c < 6; ++c) {
    children.push_back(backend([] {
      for (int i = 0; i < 20000; ++i) {
        LwLockGuard guard(scratch->lwlock, LwMode::exclusive);
        long before = scratch->plain;
        if (i % 1000 == 0) usleep(10);
        scratch->plain = before + 1;
      }
      return 0;
    }));
  }
  for (pid_t child : children) EXPECT_EQ(test::wait_child(child), 0);
  EXPECT_EQ(scratch->plain, 120000);
}

TEST_F(LwLockTest, MixedModesNeverOverlap) {
  // counters[0] = sharers inside, counters[1] = exclusive inside.
  std::vector<pid_t> children;
  for (int c = 0; c < 8; ++c) {
    children.push_back(backend([c] {
      for (int i = 0; i < 10000; ++i) {
        bool exclusive = (i + c) % 4 == 0;
        LwLockGuard guard(scratch->lwlock, exclusive ? LwMode::exclusive : LwMode::shared);
        scratch->counters[exclusive ? 1 : 0]++;
        if (exclusive && (scratch->counters[0] != 0 || scratch->counters[1] != 1)) return 1;
        if (!exclusive && scratch->counters[1] != 0) return 2;
        if (i % 500 == 0) usleep(20);
        scratch->counters[exclusive ? 1 : 0]--;
      }
      return 0;
    }));
  }
  for (pid_t child : children) EXPECT_EQ(test::wait_child(child), 0);
}

TEST_F(LwLockTest, NobodyStarves) {
  // Two greedy processes and one that wants the lock once: it must get it.
  std::vector<pid_t> greedy;
  for (int c = 0; c < 2; ++c) {
    greedy.push_back(backend([] {
      while (scratch->step == 0) {
        LwLockGuard guard(scratch->lwlock, LwMode::shared);
        usleep(100);
      }
      return 0;
    }));
  }
  usleep(5000);
  EXPECT_EQ(run([] {
              for (int i = 0; i < 5; ++i) LwLockGuard guard(scratch->lwlock, LwMode::shared);
              return 0;
            }),
            0);
  scratch->step = 1;
  for (pid_t child : greedy) EXPECT_EQ(test::wait_child(child), 0);
}

TEST_F(LwLockTest, LockOrWaitLetsOneDoTheWork) {
  std::vector<pid_t> children;
  for (int c = 0; c < 6; ++c) {
    children.push_back(backend([] {
      for (int i = 0; i < 2000; ++i) {
        int wanted = scratch->counters[0] + 1;
        while (scratch->counters[0] < wanted) {
          if (!scratch->lwlock.lock_or_wait()) continue;
          if (scratch->counters[0] < wanted) scratch->counters[0]++;
          scratch->lwlock.unlock();
        }
      }
      return 0;
    }));
  }
  for (pid_t child : children) EXPECT_EQ(test::wait_child(child), 0);
  EXPECT_GE(scratch->counters[0], 2000);
  EXPECT_LE(scratch->counters[0], 12000);
}

TEST_F(LwLockTest, KnowsWhatIsHeldAndHoldsInterrupts) {
  EXPECT_EQ(run([] {
              LwLockGuard guard(scratch->other, LwMode::shared);
              if (!scratch->other.held_by_me() || scratch->other.held_exclusive_by_me() || scratch->lwlock.held_by_me()) return 1;
              kill(getpid(), SIGINT);
              check_interrupts();
              if (!scratch->lwlock.try_lock(LwMode::exclusive)) return 2;
              if (release_all_lwlocks() != 2) return 3;
              if (scratch->other.held_by_me()) return 4;
              std::string code = code_of([] { check_interrupts(); });
              new (&guard) LwLockGuard(scratch->other, LwMode::shared);  // so that its end finds the lock held
              return code == "57014" ? 0 : 5;
            }),
            0);
}

#ifdef HATHI_ASSERTIONS
TEST_F(LwLockTest, RanksAreAsserted) {
  EXPECT_EQ(run([] {
              LwLockGuard first(scratch->lwlock, LwMode::shared);  // process_array
              LwLockGuard second(scratch->other, LwMode::shared);  // commit_log comes before
              return 0;
            }),
            1000 + SIGABRT);
}
#endif

TEST_F(LwLockTest, SpinLockExcludes) {
  std::vector<pid_t> children;
  for (int c = 0; c < 4; ++c) {
    children.push_back(backend([] {
      for (int i = 0; i < 20000; ++i) {
        SpinGuard guard(scratch->spin);
        scratch->plain = scratch->plain + 1;
      }
      return 0;
    }));
  }
  for (pid_t child : children) EXPECT_EQ(test::wait_child(child), 0);
  EXPECT_EQ(scratch->plain, 80000);
}

}  // namespace
}  // namespace hathi::locking
