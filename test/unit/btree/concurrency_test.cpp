// Heap and indexes over the real storage layers, many processes at once.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <random>

#include "store.h"

namespace hathi {
namespace {

using test::Cluster;
using test::Store;

constexpr int kAccounts = 200, kStart = 1000;

struct Board {
  std::atomic<int> stop;
  std::atomic<int> transfers, reads, vacuums, deadlocks;
};
Board* board = nullptr;
Cluster::Extra with_board() {
  return {{"board", [] { return sizeof(Board); }, [](void* p) { board = static_cast<Board*>(p); }}};
}

void fill(const Store& store) {
  transaction::start();
  for (int i = 0; i < kAccounts; ++i) store.insert(i, kStart);
  transaction::commit();
}

void transfer(const Store& store, std::mt19937& random) {
  try {
    transaction::start();
    auto from = static_cast<std::int32_t>(random() % kAccounts), to = static_cast<std::int32_t>(random() % kAccounts);
    auto amount = static_cast<std::int32_t>(random() % 50);
    EXPECT_TRUE(store.add(from, -amount));
    transaction::advance_command();
    EXPECT_TRUE(store.add(to, amount));
    if (random() % 10 == 0) {
      transaction::abort();
    } else {
      transaction::commit();
    }
    ++board->transfers;
  } catch (const SqlError& e) {
    transaction::abort();
    if (e.code() != sqlstate::t_r_deadlock_detected) throw;
    ++board->deadlocks;
  }
}

void read_all(const Store& store) {
  transaction::start();
  store.lock(locking::LockMode::access_share);
  {
    transaction::SnapshotRef s = transaction::statement_snapshot();
    Store::Totals expected{std::int64_t{kAccounts} * kStart, kAccounts};
    EXPECT_EQ(store.by_scan(*s), expected);
    EXPECT_EQ(store.by_index(*s, store.by_id, false), expected);
    EXPECT_EQ(store.by_index(*s, store.by_id, true), expected);
    if (store.with_second) { EXPECT_EQ(store.by_index(*s, store.by_balance, false), expected); }
  }
  transaction::commit();
  ++board->reads;
}

int run(auto f) {
  try {
    f();
  } catch (const SqlError& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    board->stop = 1000;   // nobody shall wait for us
    return 2;
  }
  return testing::Test::HasFailure() ? 1 : 0;
}

void transfers_and_readers(bool with_second, storage::Persistence persistence) {
  config::values::deadlock_timeout = 20;
  Cluster cluster(512, with_board());
  Store store(with_second);
  store.set_persistence(persistence);
  ASSERT_EQ(cluster.create([&] {
    store.create();
    fill(store);
    auto pids = test::start_processes(6, [&](int n) {
      return run([&] {
        std::mt19937 random(static_cast<unsigned>(n));
        if (n < 4) {
          // Until the others have had their share too.
          for (int i = 0; board->stop < 100 && (i < 400 || board->reads < 3 || board->vacuums < 3); ++i) transfer(store, random);
          if (board->stop < 100 && ++board->stop == 4) board->stop = 100;
        } else if (n == 4) {
          while (board->stop < 100 && !testing::Test::HasFailure()) read_all(store);
        } else {
          while (board->stop < 100 && !testing::Test::HasFailure()) {
            store.vacuum(board->vacuums % 3 == 0);
            ++board->vacuums;
          }
        }
      });
    });
    test::join_processes(pids);
    store.check(std::int64_t{kAccounts} * kStart, kAccounts);
  }), 0);
}

TEST(Concurrency, TransfersWithHotUpdates) { transfers_and_readers(false, storage::Persistence::permanent); }
TEST(Concurrency, TransfersWithIndexedBalance) { transfers_and_readers(true, storage::Persistence::permanent); }
TEST(Concurrency, TransfersUnlogged) { transfers_and_readers(true, storage::Persistence::unlogged); }

// Everybody inserts the same keys: each must be there once.
TEST(Concurrency, UniqueInserts) {
  Cluster cluster(1024, with_board());
  Store store(true);
  constexpr int kKeys = 1500;
  ASSERT_EQ(cluster.create([&] {
    store.create();
    auto pids = test::start_processes(4, [&](int n) {
      return run([&] {
        std::mt19937 random(static_cast<unsigned>(n));
        std::vector<int> order(kKeys);
        for (int i = 0; i < kKeys; ++i) order[static_cast<std::size_t>(i)] = i;
        // Nearly the same order for all, so that they meet.
        for (std::size_t i = 0; i + 8 < order.size(); i += 4)
          std::shuffle(order.begin() + static_cast<std::ptrdiff_t>(i), order.begin() + static_cast<std::ptrdiff_t>(i) + 8, random);
        for (int key : order) {
          try {
            transaction::start();
            store.insert(key, 1);
            if (random() % 5 == 0) transaction::abort(); else transaction::commit();
          } catch (const SqlError& e) {
            transaction::abort();
            if (e.code() != sqlstate::unique_violation) throw;
          }
        }
        // What all of them gave up.
        for (int key : order) {
          try {
            transaction::start();
            store.insert(key, 1);
            transaction::commit();
          } catch (const SqlError& e) {
            transaction::abort();
            if (e.code() != sqlstate::unique_violation) throw;
          }
        }
      });
    });
    test::join_processes(pids);
    store.check(kKeys, kKeys);
  }), 0);
}

// Many splits at the right end and in the middle, with readers.
TEST(Concurrency, SplitsEverywhere) {
  Cluster cluster(2048, with_board());
  Store store(true);
  constexpr int kEach = 6000;
  ASSERT_EQ(cluster.create([&] {
    store.create();
    auto pids = test::start_processes(5, [&](int n) {
      return run([&] {
        if (n == 4) {
          while (board->stop < 4 && !testing::Test::HasFailure()) {
            transaction::start();
            store.lock(locking::LockMode::access_share);
            {
              transaction::SnapshotRef s = transaction::statement_snapshot();
              Store::Totals a = store.by_scan(*s);
              EXPECT_EQ(store.by_index(*s, store.by_id, true), a);
              EXPECT_EQ(store.by_index(*s, store.by_balance, false), a);
              EXPECT_EQ(store.by_index(*s, store.by_balance, true), a);
            }
            transaction::commit();
          }
          return;
        }
        std::mt19937 random(static_cast<unsigned>(n));
        transaction::start();
        for (int i = 0; i < kEach; ++i) {
          store.insert(n % 2 == 0 ? i * 4 + n : (kEach - i) * 4 + n, static_cast<std::int32_t>(random() % 1000));
          if (i % 100 == 99) {
            transaction::commit();
            transaction::start();
          }
        }
        transaction::commit();
        ++board->stop;
      });
    });
    test::join_processes(pids);
    transaction::start();
    {
      transaction::SnapshotRef s = transaction::statement_snapshot();
      Store::Totals t = store.by_scan(*s);
      EXPECT_EQ(t.rows, 4 * kEach);
      EXPECT_EQ(store.by_index(*s, store.by_id, false), t);
      EXPECT_EQ(store.by_index(*s, store.by_balance, false), t);
    }
    transaction::commit();
  }), 0);
}

// Killed at random moments: after recovery the money is all there and indexes agree with the table.
TEST(Concurrency, SurvivesKills) {
  config::values::deadlock_timeout = 20;
  Cluster cluster(128, with_board());
  Store store(true);
  ASSERT_EQ(cluster.create([&] { store.create(); fill(store); }), 0);
  for (unsigned life = 1; life <= 6; ++life) {
    ASSERT_EQ(cluster.live([&] {
      store.check(std::int64_t{kAccounts} * kStart, kAccounts);
      shmem::release_slot();
      std::vector<pid_t> pids;
      auto spawn = [&](auto f) {
        pids.push_back(test::fork_child([&] {
          ::prctl(PR_SET_PDEATHSIG, SIGKILL);
          f();
          return 0;
        }));
      };
      spawn([] { shmem::acquire_slot(shmem::ProcessKind::checkpointer); wal::checkpointer_main(); });
      for (unsigned w = 0; w < 3; ++w) {
        spawn([&, w] {
          shmem::acquire_slot(shmem::ProcessKind::backend);
          std::mt19937 random(life * 10 + w);
          run([&] { for (;;) transfer(store, random); });
        });
      }
      spawn([&] {
        shmem::acquire_slot(shmem::ProcessKind::backend);
        run([&] {
          for (;;) {
            store.vacuum(true);
            wal::request_checkpoint({.immediate = true, .wait = false});
            ::usleep(30000);
          }
        });
      });
      ::usleep(300000 + life * 50000);
      for (pid_t pid : pids) ::kill(pid, SIGKILL);
      for (pid_t pid : pids) ::waitpid(pid, nullptr, 0);
      shmem::acquire_slot(shmem::ProcessKind::startup);
    }), 0);
  }
  ASSERT_EQ(cluster.live([&] { store.check(std::int64_t{kAccounts} * kStart, kAccounts); }), 0);
}

}  // namespace
}  // namespace hathi
