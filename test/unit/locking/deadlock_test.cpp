#include "lock_fixture.h"

namespace hathi::locking {
namespace {

class DeadlockTest : public LockFixture {
 protected:
  // Children that each take first[i], meet, and then want second[i]; returns how many were told of a deadlock.
  int ring(const std::vector<std::pair<LockTag, LockMode>>& first, const std::vector<std::pair<LockTag, LockMode>>& second) {
    int count = static_cast<int>(first.size());
    std::vector<pid_t> children;
    for (std::size_t i = 0; i < first.size(); ++i) {
      children.push_back(backend([&, i] {
        ResourceOwner owner(nullptr);
        acquire(owner, first[i].first, first[i].second);
        scratch->step++;
        await(scratch->step, count);
        usleep(static_cast<unsigned>(i) * 5000);
        std::string detail;
        std::string code = code_of([&] { acquire(owner, second[i].first, second[i].second); }, &detail);
        owner.release_all();
        if (code.empty()) return 0;
        std::string me = "Process " + std::to_string(getpid()) + " waits for ";
        return code == "40P01" && detail.starts_with(me) ? 1 : 2;
      }));
    }
    int victims = 0;
    for (pid_t child : children) {
      int status = test::wait_child(child);
      EXPECT_LE(status, 1);
      victims += status;
    }
    return victims;
  }
};

TEST_F(DeadlockTest, TwoProcesses) {
  EXPECT_EQ(
      ring({{table(1), LockMode::exclusive}, {table(2), LockMode::exclusive}}, {{table(2), LockMode::share}, {table(1), LockMode::share}}),
      1);
  expect_empty();
}

TEST_F(DeadlockTest, FiveInARingAndFastPathHolders) {
  std::vector<std::pair<LockTag, LockMode>> first, second;
  for (std::uint32_t i = 0; i < 5; ++i) {
    first.emplace_back(table(10 + i), LockMode::access_share);
    second.emplace_back(table(10 + (i + 1) % 5), LockMode::access_exclusive);
  }
  EXPECT_EQ(ring(first, second), 1);
  expect_empty();
}

TEST_F(DeadlockTest, UpgradersOfOneLock) {
  EXPECT_EQ(
      ring({{table(1), LockMode::share}, {table(1), LockMode::share}}, {{table(1), LockMode::exclusive}, {table(1), LockMode::exclusive}}),
      1);
  expect_empty();
}

TEST_F(DeadlockTest, TransactionsAndText) {
  pid_t other = backend([] {
    ResourceOwner owner(nullptr);
    acquire(owner, LockTag::transaction_tag(Xid{(1ull << 32) + 700}), LockMode::exclusive);
    scratch->step++;
    await(scratch->step, 2);
    wait_for_transaction(owner, Xid{800});
    owner.release_all();
    return 0;
  });
  EXPECT_EQ(run([&] {
              config::values::deadlock_timeout = 50;
              ResourceOwner owner(nullptr);
              acquire(owner, LockTag::transaction_tag(Xid{800}), LockMode::exclusive);
              scratch->step++;
              await(scratch->step, 2);
              usleep(20000);
              std::string detail;
              std::string code = code_of([&] { wait_for_transaction(owner, Xid{(1ull << 32) + 700}); }, &detail);
              owner.release_all();
              std::string wanted = fmt::format(
                  "Process {} waits for ShareLock on transaction 700; blocked by process {}.\nProcess {} waits for ShareLock on "
                  "transaction 800; blocked by "
                  "process {}.",
                  getpid(), other, other, getpid());
              if (code == "40P01") return detail == wanted ? 0 : 1;
              return 2;
            }),
            0);
  EXPECT_EQ(test::wait_child(other), 0);
  expect_empty();
}

// A soft deadlock: A holds t1 (share) and wants t2; B holds t2 and wants t1 share, but stands behind C who wants t1 exclusive.
// Letting B pass C resolves it: nobody fails.
TEST_F(DeadlockTest, SoftDeadlocksAreRearranged) {
  pid_t a = backend([] {
    ResourceOwner owner(nullptr);
    acquire(owner, table(1), LockMode::share);
    scratch->step = 1;
    await(scratch->step, 4);
    usleep(20000);
    acquire(owner, table(2), LockMode::exclusive);
    owner.release_all();
    return 0;
  });
  await(scratch->step, 1);
  pid_t b = backend([] {
    ResourceOwner owner(nullptr);
    acquire(owner, table(2), LockMode::exclusive);
    scratch->step = 2;
    await(scratch->step, 3);
    usleep(20000);  // C waits for t1 now
    scratch->step = 4;
    acquire(owner, table(1), LockMode::share);
    owner.release_all();
    return 0;
  });
  await(scratch->step, 2);
  pid_t c = backend([] {
    ResourceOwner owner(nullptr);
    scratch->step = 3;
    acquire(owner, table(1), LockMode::exclusive);
    owner.release_all();
    return 0;
  });
  EXPECT_EQ(test::wait_child(a), 0);
  EXPECT_EQ(test::wait_child(b), 0);
  EXPECT_EQ(test::wait_child(c), 0);
  expect_empty();
}

TEST_F(DeadlockTest, RandomLoadEnds) {
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    children.push_back(backend([i] {
      config::values::deadlock_timeout = 5;
      std::srand(static_cast<unsigned>(i));
      ResourceOwner owner(nullptr);
      for (int round = 0; round < 150; ++round) {
        try {
          for (int k = 0; k < 3; ++k) {
            acquire(owner, table(1 + static_cast<std::uint32_t>(std::rand() % 4)), static_cast<LockMode>(1 + std::rand() % 8));
            if (std::rand() % 4 == 0) usleep(100);
          }
        } catch (const SqlError& error) {
          if (error.code() != sqlstate::t_r_deadlock_detected) return 1;
          scratch->counters[0]++;
        }
        owner.release_all();
      }
      return 0;
    }));
  }
  for (pid_t child : children) EXPECT_EQ(test::wait_child(child), 0);
  std::cerr << scratch->counters[0] << " deadlocks" << std::endl;
  expect_empty();
}

}  // namespace
}  // namespace hathi::locking
