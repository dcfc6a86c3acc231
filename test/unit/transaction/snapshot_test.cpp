#include <gtest/gtest.h>

#include <chrono>

#include "../test_cluster.h"
#include "hathi/config/session_settings.h"
#include "hathi/transaction/snapshot.h"
#include "hathi/transaction/transaction.h"
#include "hathi/transaction/xid_status.h"

namespace hathi::transaction {
namespace {

using test::Cluster;

struct Board {
  std::atomic<int> step;
  std::atomic<std::uint64_t> xid[16];
  std::atomic<std::uint64_t> sub;
  std::atomic<int> stop;
  // For the invariant test: transfers move amounts between two xid-stamped cells.
  std::atomic<std::uint64_t> values[64];
};
Board* board = nullptr;
Cluster::Extra with_board() {
  return {{"board", [] { return sizeof(Board); }, [](void* p) { board = static_cast<Board*>(p); }}};
}
void wait_for_step(int n) {
  while (board->step.load() < n) ::usleep(200);
}

TEST(Snapshots, RunningTransactionsAreInvisibleUntilTheyEnd) {
  Cluster cluster(256, with_board());
  ASSERT_EQ(cluster.create([] {
    auto pids = test::start_processes(1, [](int) {
      start();
      board->xid[0] = current_xid().value();
      define_savepoint("a");
      board->sub = current_xid().value();
      board->step = 1;
      wait_for_step(2);
      commit();
      board->step = 3;
      return 0;
    });
    shmem::acquire_slot(shmem::ProcessKind::backend);
    wait_for_step(1);
    Xid theirs{board->xid[0].load()}, sub{board->sub.load()};
    EXPECT_TRUE(is_running(theirs));
    EXPECT_TRUE(is_running(sub));
    EXPECT_EQ(top_level_of(sub), theirs);
    start();
    // A later xid completes, so that theirs lies inside the snapshot's range.
    Xid mine = current_xid();
    commit();
    start();
    SnapshotRef before = statement_snapshot();
    EXPECT_TRUE(in_snapshot(theirs, *before));
    EXPECT_TRUE(in_snapshot(sub, *before));
    EXPECT_FALSE(in_snapshot(mine, *before));
    EXPECT_EQ(before->xmin, theirs);
    EXPECT_TRUE(before->may_have_subtransactions);
    EXPECT_EQ(oldest_visible_xid(Oid{0}), theirs);
    board->step = 2;
    wait_for_step(3);
    EXPECT_TRUE(did_commit(theirs));
    EXPECT_TRUE(did_commit(sub));
    // The old snapshot goes on hiding it, and keeps the horizon back.
    EXPECT_TRUE(in_snapshot(theirs, *before));
    EXPECT_TRUE(in_snapshot(sub, *before));
    EXPECT_EQ(oldest_visible_xid(Oid{0}), theirs);
    SnapshotRef after = statement_snapshot();
    EXPECT_FALSE(in_snapshot(theirs, *after));
    EXPECT_FALSE(in_snapshot(sub, *after));
    before = SnapshotRef();
    EXPECT_GT(oldest_visible_xid(Oid{0}), theirs);
    after = SnapshotRef();
    commit();
    shmem::release_slot();
    test::join_processes(pids);
  }), 0);
}

TEST(Snapshots, AreReusedWhileNothingEnds) {
  Cluster cluster(256, with_board());
  ASSERT_EQ(cluster.create([] {
    start();
    const Snapshot* first;
    {
      SnapshotRef a = statement_snapshot();
      first = a.get();
      SnapshotRef b = statement_snapshot();
      EXPECT_EQ(a.get(), b.get());
      current_command(true);
      advance_command();
      SnapshotRef c = statement_snapshot();
      EXPECT_NE(c.get(), a.get());
      EXPECT_EQ(c->command, CommandId{1});
      EXPECT_EQ(a->command, CommandId{0});
      EXPECT_EQ(with_current_command(a)->command, CommandId{1});
    }
    EXPECT_EQ(statement_snapshot().get(), first);
    EXPECT_EQ(slot_transaction(shmem::my_slot().number).xmin, kInvalidXid);
    commit();
  }), 0);
}

TEST(Snapshots, RepeatableReadKeepsItsView) {
  Cluster cluster(256, with_board());
  ASSERT_EQ(cluster.create([] {
    auto pids = test::start_processes(1, [](int) {
      start();
      board->xid[0] = current_xid().value();
      board->step = 1;
      wait_for_step(2);
      commit();
      board->step = 3;
      return 0;
    });
    shmem::acquire_slot(shmem::ProcessKind::backend);
    wait_for_step(1);
    Xid theirs{board->xid[0].load()};
    start();
    set_isolation(Isolation::repeatable_read);
    statement_snapshot();
    board->step = 2;
    wait_for_step(3);
    {
      SnapshotRef s = statement_snapshot();
      EXPECT_TRUE(in_snapshot(theirs, *s));
      EXPECT_FALSE(in_snapshot(theirs, *latest_snapshot()));
    }
    commit();
    start();
    EXPECT_EQ(isolation(), Isolation::read_committed);
    EXPECT_FALSE(in_snapshot(theirs, *statement_snapshot()));
    commit();
    shmem::release_slot();
    test::join_processes(pids);
  }), 0);
}

// Two cells change in each transaction; the old and the new pair stay readable by xid. Whoever takes a snapshot must see both cells
// changed by the same transactions: for each xid visible or not, never one without the other - and a visible xid must have committed.
TEST(Snapshots, NeverShowHalfATransactionUnderLoad) {
  Cluster cluster(256, with_board());
  ASSERT_EQ(cluster.create([] {
    constexpr int kWriters = 5, kReaders = 3;
    test::run_processes(kWriters + kReaders, [](int n) {
      if (n < kWriters) {
        for (int i = 0; i < 3000; ++i) {
          start();
          Xid xid = current_xid();
          board->values[n].store(xid.value());
          commit();
        }
        ++board->stop;
        return 0;
      }
      std::uint64_t last_xmin = 0;
      while (board->stop < kWriters) {
        std::uint64_t seen[kWriters];
        for (int w = 0; w < kWriters; ++w) seen[w] = board->values[w].load();
        start();
        SnapshotRef s = statement_snapshot();
        if (s->xmin.value() < last_xmin) return 1;
        last_xmin = s->xmin.value();
        for (int w = 0; w < kWriters; ++w) {
          if (seen[w] == 0) continue;
          Xid xid{seen[w]};
          // Visible means committed.
          if (!in_snapshot(xid, *s) && !did_commit(xid)) return 2;
        }
        // What the snapshot still needs stays above the horizon.
        if (oldest_visible_xid(Oid{0}) > s->xmin) return 3;
        s = SnapshotRef();
        commit();
      }
      return 0;
    });
  }), 0);
}

TEST(Snapshots, CostOfAReadOnlyTransaction) {
  Cluster cluster(256, with_board());
  ASSERT_EQ(cluster.create([] {
    constexpr int kRounds = 100000;
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kRounds; ++i) {
      set_statement_timestamp(i + 1);
      start();
      statement_snapshot();
      commit();
    }
    double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / kRounds;
    std::cout << "start, snapshot, commit: " << ns << " ns\n";
    start();
    begin = std::chrono::steady_clock::now();
    bool any = false;
    Xid old{3};
    for (int i = 0; i < kRounds; ++i) any |= did_commit(Xid{3 + static_cast<std::uint64_t>(i % 1000)});
    ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / kRounds;
    std::cout << "did_commit, scattered: " << ns << " ns\n";
    EXPECT_FALSE(any);
    commit();
  }), 0);
}

}  // namespace
}  // namespace hathi::transaction
