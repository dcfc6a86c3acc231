#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

#include "lock_fixture.h"

namespace hathi::locking {
namespace {

class LockTableTest : public LockFixture {};

TEST_F(LockTableTest, ConflictTable) {
  EXPECT_FALSE(conflicts(LockMode::access_share, LockMode::exclusive));
  EXPECT_TRUE(conflicts(LockMode::access_share, LockMode::access_exclusive));
  EXPECT_FALSE(conflicts(LockMode::row_exclusive, LockMode::share_update_exclusive));
  EXPECT_TRUE(conflicts(LockMode::row_exclusive, LockMode::share));
  EXPECT_FALSE(conflicts(LockMode::share, LockMode::share));
  EXPECT_TRUE(conflicts(LockMode::share_update_exclusive, LockMode::share_update_exclusive));
  EXPECT_FALSE(conflicts(LockTagKind::subtree, LockMode::share, LockMode::access_exclusive));
  EXPECT_TRUE(conflicts(LockTagKind::subtree, LockMode::row_exclusive, LockMode::share));
  EXPECT_EQ(describe(table(16384)), "relation 16384 of database 5");
  EXPECT_EQ(describe(LockTag::tuple_tag(Oid{5}, Oid{7}, {BlockNumber{3}, OffsetNumber{4}})), "tuple (3,4) of relation 7 of database 5");
  EXPECT_EQ(describe(LockTag::advisory_tag(Oid{5}, 1u, 2u)), "advisory lock [5,1,2,2]");
}

// A weak lock is in the fast path until a strong one is wanted; then it moves, conflicts, and is given back from the shared table.
TEST_F(LockTableTest, StrongLocksSeeFastPaths) {
  pid_t reader = backend([] {
    ResourceOwner owner(nullptr);
    if (acquire(owner, table(1), LockMode::access_share) != LockResult::granted) return 1;
    auto rows = lock_status();
    if (rows.size() != 1 || !rows[0].fast_path || rows[0].pid != getpid()) return 2;
    scratch->step = 1;
    await(scratch->step, 2);
    rows = lock_status();
    if (rows.size() != 1 || rows[0].fast_path) return 3;  // moved by the other's attempt
    owner.release_all();
    scratch->step = 3;
    await(scratch->step, 4);
    if (acquire(owner, table(1), LockMode::access_share, true) != LockResult::not_available) return 4;
    if (acquire(owner, table(2), LockMode::access_share, true) != LockResult::granted) return 5;
    scratch->step = 5;
    if (acquire(owner, table(1), LockMode::access_share) != LockResult::granted) return 6;
    owner.release_all();
    return 0;
  });
  await(scratch->step, 1);
  EXPECT_EQ(run([] {
              ResourceOwner owner(nullptr);
              if (acquire(owner, table(1), LockMode::access_exclusive, true) != LockResult::not_available) return 1;
              scratch->step = 2;
              await(scratch->step, 3);
              if (acquire(owner, table(1), LockMode::access_exclusive, true) != LockResult::granted) return 2;
              scratch->step = 4;
              await(scratch->step, 5);
              usleep(20000);
              owner.release_all();
              return 0;
            }),
            0);
  EXPECT_EQ(test::wait_child(reader), 0);
  expect_empty();
}

TEST_F(LockTableTest, WeakAndStrongNeverOverlap) {
  std::vector<pid_t> children;
  for (int c = 0; c < 8; ++c) {
    children.push_back(backend([c] {
      ResourceOwner owner(nullptr);
      std::minstd_rand random(static_cast<unsigned>(c) + 1);
      for (int i = 0; i < 3000; ++i) {
        int relation = static_cast<int>(random() % 3);
        bool strong = random() % 6 == 0;
        LockMode mode = strong ? LockMode::access_exclusive : random() % 2 == 0 ? LockMode::access_share : LockMode::row_exclusive;
        LockTag tag = relation == 2 ? LockTag::subtree_tag(Oid{5}, Oid{100}) : table(100 + static_cast<std::uint32_t>(relation));
        acquire(owner, tag, mode);
        auto& weak = scratch->counters[relation * 2];
        auto& exclusive = scratch->counters[relation * 2 + 1];
        (strong ? exclusive : weak)++;
        bool bad = strong ? weak != 0 || (relation != 2 && exclusive != 1) : exclusive != 0;
        if (random() % 64 == 0) usleep(50);
        (strong ? exclusive : weak)--;
        if (random() % 2 == 0)
          release(owner, tag, mode);
        else
          owner.release_all();
        if (bad) return 1;
      }
      return 0;
    }));
  }
  for (pid_t child : children) EXPECT_EQ(test::wait_child(child), 0);
  expect_empty();
}

TEST_F(LockTableTest, CountsNestAndOwnersHandOver) {
  EXPECT_EQ(run([] {
              ResourceOwner session(nullptr), transaction(nullptr), sub(&transaction);
              acquire(transaction, table(1), LockMode::row_exclusive);
              if (acquire(transaction, table(1), LockMode::row_exclusive) != LockResult::already_held) return 1;
              acquire(sub, table(1), LockMode::row_exclusive);
              acquire(sub, table(2), LockMode::share);
              acquire(session, table(2), LockMode::share);
              if (transaction.held_count() != 1 || sub.held_count() != 2) return 2;
              sub.move_to_parent();
              if (!sub.holds_nothing() || transaction.held_count() != 2) return 3;
              for (int i = 0; i < 3; ++i) {
                if (!release(transaction, table(1), LockMode::row_exclusive)) return 4;
              }
              if (release(transaction, table(1), LockMode::row_exclusive)) return 5;
              if (holds(table(1), LockMode::row_exclusive)) return 6;
              transaction.release_all();
              if (!holds(table(2), LockMode::share) || !holds_at_least(table(2), LockMode::access_share)) return 7;
              if (holds_at_least(table(2), LockMode::exclusive)) return 8;
              session.release_all();
              return lock_status().empty() ? 0 : 9;
            }),
            0);
}

TEST_F(LockTableTest, NeverRunsOutAndShrinksAgain) {
  EXPECT_EQ(run([] {
              constexpr std::uint32_t kMany = 1000000;
              ResourceOwner owner(nullptr);
              std::size_t before = mallinfo2().uordblks;
              for (std::uint32_t i = 1; i <= kMany; ++i)
                acquire(owner, table(i), i % 8 != 0 ? LockMode::access_share : LockMode::access_exclusive);
              if (owner.held_count() != kMany) return 1;
              owner.release_all();
              if (mallinfo2().uordblks > before + 100000) return 3;
              // A short transaction afterwards is as fast as before: nothing walks what the tables once grew to.
              auto start = std::chrono::steady_clock::now();
              for (int i = 0; i < 10000; ++i) {
                acquire(owner, table(1), LockMode::access_share);
                owner.release_all();
              }
              std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
              return seconds.count() < 0.1 ? 0 : 2;
            }),
            0);
  expect_empty();
}

TEST_F(LockTableTest, TwentyOneRelationLocksAreFast) {
  EXPECT_EQ(run([] {
              ResourceOwner owner(nullptr);
              for (std::uint32_t i = 0; i < 21; ++i) acquire(owner, table(16384 + i * 3), LockMode::access_share);
              auto rows = lock_status();
              owner.release_all();
              return rows.size() == 21 && std::all_of(rows.begin(), rows.end(), [](const LockStatus& r) { return r.fast_path; }) ? 0 : 1;
            }),
            0);
}

TEST_F(LockTableTest, TimeOutCancelAndNoWait) {
  pid_t holder = backend([] {
    ResourceOwner owner(nullptr);
    acquire(owner, table(1), LockMode::exclusive);
    scratch->step = 1;
    await(scratch->step, 2);
    owner.release_all();
    return 0;
  });
  await(scratch->step, 1);
  EXPECT_EQ(run([] {
              ResourceOwner owner(nullptr);
              if (acquire(owner, table(1), LockMode::share, true) != LockResult::not_available) return 1;
              config::values::lock_timeout = 50;
              if (code_of([&] { acquire(owner, table(1), LockMode::share); }) != "55P03") return 2;
              config::values::lock_timeout = 0;
              arm_timer(Timer::statement, 30);
              if (code_of([&] { acquire(owner, table(1), LockMode::share); }) != "57014") return 3;
              if (!owner.holds_nothing() || lock_status().size() != 1) return 4;
              return 0;
            }),
            0);
  scratch->step = 2;
  EXPECT_EQ(test::wait_child(holder), 0);
  expect_empty();
}

// A weak request does not overtake a strong one that waits; but a holder of the lock that asks again does.
TEST_F(LockTableTest, QueueOrder) {
  pid_t holder = backend([] {
    ResourceOwner owner(nullptr);
    acquire(owner, table(1), LockMode::access_share);
    scratch->step = 1;
    await(scratch->counters[0], 1);
    usleep(30000);  // the strong one waits now
    if (acquire(owner, table(1), LockMode::row_share, true) != LockResult::granted) return 1;
    scratch->step = 2;
    await(scratch->counters[1], 1);
    usleep(30000);
    if (scratch->counters[3] != 0) return 2;
    owner.release_all();
    return 0;
  });
  await(scratch->step, 1);
  pid_t strong = backend([] {
    ResourceOwner owner(nullptr);
    scratch->counters[0] = 1;
    acquire(owner, table(1), LockMode::access_exclusive);
    if (scratch->counters[3] != 0) return 1;
    usleep(20000);
    scratch->counters[2] = 1;
    owner.release_all();
    return 0;
  });
  await(scratch->step, 2);
  pid_t weak = backend([] {
    ResourceOwner owner(nullptr);
    scratch->counters[1] = 1;
    acquire(owner, table(1), LockMode::access_share);
    scratch->counters[3] = 1;
    bool in_order = scratch->counters[2] == 1;
    owner.release_all();
    return in_order ? 0 : 1;
  });
  EXPECT_EQ(test::wait_child(holder), 0);
  EXPECT_EQ(test::wait_child(strong), 0);
  EXPECT_EQ(test::wait_child(weak), 0);
  expect_empty();
}

TEST_F(LockTableTest, VirtualTransactionsAndLockers) {
  pid_t other = backend([] {
    ResourceOwner owner(nullptr);
    begin_virtual_transaction(++shmem::my_slot().local_transaction_number);
    acquire(owner, table(1), LockMode::row_exclusive);
    scratch->step = 1;
    await(scratch->step, 2);
    usleep(30000);
    scratch->counters[0] = 1;
    owner.release_all();
    end_virtual_transaction();
    return 0;
  });
  await(scratch->step, 1);
  EXPECT_EQ(run([] {
              auto rows = lock_status();
              if (rows.size() != 2) return 1;
              scratch->step = 2;
              wait_for_lockers(table(1), LockMode::access_share);
              if (scratch->counters[0] != 0) return 2;  // no conflict: no wait
              wait_for_lockers(table(1), LockMode::share);
              return scratch->counters[0] == 1 ? 0 : 3;
            }),
            0);
  EXPECT_EQ(test::wait_child(other), 0);
  expect_empty();
}

TEST_F(LockTableTest, BlockingPids) {
  pid_t holder = backend([] {
    ResourceOwner owner(nullptr);
    acquire(owner, table(1), LockMode::row_exclusive);
    scratch->step = 1;
    await(scratch->step, 3);
    owner.release_all();
    return 0;
  });
  await(scratch->step, 1);
  pid_t waiter = backend([] {
    ResourceOwner owner(nullptr);
    scratch->step = 2;
    acquire(owner, table(1), LockMode::share);
    owner.release_all();
    return 0;
  });
  await(scratch->step, 2);
  usleep(20000);
  EXPECT_EQ(run([&] {
              auto pids = blocking_pids(waiter);
              if (pids != std::vector<std::int32_t>{holder}) return 1;
              if (!has_waiters(table(1), LockMode::row_exclusive) || has_waiters(table(1), LockMode::access_share)) return 2;
              for (const LockStatus& row : lock_status()) {
                if (!row.granted && (row.pid != waiter || row.wait_start_us == 0)) return 3;
              }
              return 0;
            }),
            0);
  scratch->step = 3;
  EXPECT_EQ(test::wait_child(holder), 0);
  EXPECT_EQ(test::wait_child(waiter), 0);
}

TEST_F(LockTableTest, ExtensionSlotsExclude) {
  std::vector<pid_t> children;
  for (int c = 0; c < 6; ++c) {
    children.push_back(backend([c] {
      RelationFile file{Oid{1663}, Oid{5}, Oid{static_cast<std::uint32_t>(16384 + c % 2)}};
      auto& inside = scratch->counters[c % 2];
      for (int i = 0; i < 3000; ++i) {
        ExtensionLock lock(file);
        if (++inside != 1) return 1;
        if (i % 100 == 0) usleep(20);
        --inside;
      }
      return 0;
    }));
  }
  for (pid_t child : children) EXPECT_EQ(test::wait_child(child), 0);
}

// With one slot all relations collide; the holder is listed, who waits shows it as a wait event.
TEST_F(LockTableTest, OneExtensionSlotIsEnough) {
  shmem::detach();
  int slots = std::exchange(config::values::relation_extension_lock_slots, 1);
  shmem::create(kTestSubsystems, "off");
  std::vector<pid_t> children;
  for (int c = 0; c < 4; ++c) {
    children.push_back(backend([c] {
      RelationFile file{Oid{1663}, Oid{5}, Oid{static_cast<std::uint32_t>(16384 + c)}};
      for (int i = 0; i < 500; ++i) {
        ExtensionLock lock(file);
        if (++scratch->counters[0] != 1) return 1;
        bool listed = false;
        for (const LockStatus& row : lock_status()) listed = listed || (row.tag.kind == LockTagKind::extend && row.pid == getpid() && row.granted);
        if (!listed) return 2;
        if (i % 100 == 0) usleep(2000);   // so that others come meanwhile
        if (lock.waiters() > 0) scratch->counters[1]++;
        for (int s = 0; s < shmem::slot_count(); ++s) {
          const shmem::WaitEvent* event = shmem::slot(s).wait_event.load();
          if (event != nullptr && std::string_view(event->name) == "extend") scratch->counters[2]++;
        }
        --scratch->counters[0];
      }
      return 0;
    }));
  }
  for (pid_t child : children) EXPECT_EQ(test::wait_child(child), 0);
  EXPECT_GT(scratch->counters[1], 0);
  EXPECT_GT(scratch->counters[2], 0);
  config::values::relation_extension_lock_slots = slots;
}

TEST_F(LockTableTest, UncontendedWeakLocksAreCheap) {
  EXPECT_EQ(run([] {
              ResourceOwner owner(nullptr);
              constexpr int kRounds = 200000;
              auto start = std::chrono::steady_clock::now();
              for (int i = 0; i < kRounds; ++i) {
                acquire(owner, table(16384), LockMode::access_share);
                acquire(owner, table(16390), LockMode::access_share);
                owner.release_all();
              }
              std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
              double each = time.count() / kRounds / 2;
              std::cerr << "acquire + release: " << each << " ns" << std::endl;
              return each < 2000 ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace hathi::locking
