#include <gtest/gtest.h>

#include "../test_cluster.h"
#include "hathi/transaction/snapshot.h"
#include "hathi/transaction/transaction.h"
#include "hathi/transaction/xid_status.h"

namespace hathi::transaction {
namespace {

using test::Cluster;

TEST(Savepoint, RolledBackWorkIsAbortedTheRestCommits) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    start();
    begin_block();
    Xid top = current_xid();
    define_savepoint("a");
    EXPECT_EQ(nesting_level(), 2);
    Xid a = current_xid();
    define_savepoint("b");
    Xid b = current_xid();
    release_savepoint("b");
    EXPECT_EQ(nesting_level(), 2);
    EXPECT_TRUE(is_current(b));
    rollback_to_savepoint("a");
    EXPECT_EQ(nesting_level(), 2);
    EXPECT_FALSE(is_current(a));
    EXPECT_FALSE(is_current(b));
    EXPECT_TRUE(did_abort(a));
    EXPECT_TRUE(did_abort(b));
    Xid again = current_xid();
    EXPECT_GT(again, b);
    EXPECT_TRUE(is_running(again));
    EXPECT_FALSE(is_running(a));
    define_savepoint("c");
    Xid c = current_xid();
    commit();
    for (Xid x : {top, again, c}) EXPECT_TRUE(did_commit(x)) << x.value();
    for (Xid x : {a, b}) EXPECT_FALSE(did_commit(x)) << x.value();
  }), 0);
}

TEST(Savepoint, AnErrorUndoesTheInnermostOnly) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    start();
    begin_block();
    locking::LockTag outer = locking::LockTag::relation_tag(Oid{5}, Oid{16400});
    locking::LockTag inner = locking::LockTag::relation_tag(Oid{5}, Oid{16401});
    locking::acquire(owner(), outer, locking::LockMode::row_exclusive);
    Xid top = current_xid();
    define_savepoint("a");
    locking::acquire(owner(), inner, locking::LockMode::row_exclusive);
    mark_failed();
    EXPECT_EQ(block_state(), BlockState::failed);
    EXPECT_TRUE(locking::holds(outer, locking::LockMode::row_exclusive));
    EXPECT_FALSE(locking::holds(inner, locking::LockMode::row_exclusive));
    rollback_to_savepoint("a");
    EXPECT_EQ(block_state(), BlockState::in_block);
    locking::acquire(owner(), inner, locking::LockMode::row_exclusive);
    release_savepoint("a");
    EXPECT_TRUE(locking::holds(inner, locking::LockMode::row_exclusive));
    commit();
    EXPECT_FALSE(locking::holds(inner, locking::LockMode::row_exclusive));
    EXPECT_TRUE(did_commit(top));
  }), 0);
}

TEST(Savepoint, SameNameFindsTheInnermost) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    start();
    begin_block();
    define_savepoint("a");
    Xid first = current_xid();
    define_savepoint("a");
    Xid second = current_xid();
    rollback_to_savepoint("a");
    EXPECT_TRUE(is_current(first));
    EXPECT_FALSE(is_current(second));
    release_savepoint("a");
    EXPECT_EQ(nesting_level(), 2);
    abort();
    EXPECT_TRUE(did_abort(first));
  }), 0);
}

std::string sub_log;
TEST(Savepoint, HooksAndUnnamedOnes) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    register_subtransaction_hook([](Event e, int level) { sub_log += (e == Event::commit ? "c" : "a") + std::to_string(level); });
    start();
    start_subtransaction();
    start_subtransaction();
    abort_subtransaction();
    commit_subtransaction();
    commit();
    EXPECT_EQ(sub_log, "a3c2");
  }), 0);
}

TEST(Savepoint, ThousandsStayFast) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    start();
    begin_block();
    Xid top = current_xid();
    std::vector<Xid> subs;
    for (int i = 0; i < 5000; ++i) {
      define_savepoint("s");
      subs.push_back(current_xid());
      release_savepoint("s");
    }
    for (Xid x : subs) {
      ASSERT_TRUE(is_current(x));
      ASSERT_EQ(top_level_of(x), top);
    }
    commit();
    for (Xid x : subs) ASSERT_TRUE(did_commit(x));
    wal::flush(wal::insert_position());
  }), 0);
  ASSERT_EQ(cluster.live([] {
    for (std::uint64_t x = 3; x < 5004; ++x) ASSERT_TRUE(did_commit(Xid{x}));
    EXPECT_EQ(next_xid(), Xid{5004});
  }), 0);
}

}  // namespace
}  // namespace hathi::transaction
