#include <gtest/gtest.h>

#include <fstream>

#include "../test_cluster.h"
#include "hathi/config/session_settings.h"
#include "hathi/transaction/combo.h"
#include "hathi/transaction/oid_counter.h"
#include "hathi/transaction/snapshot.h"
#include "hathi/transaction/transaction.h"
#include "hathi/transaction/xid_status.h"

namespace hathi::transaction {
namespace {

using test::Cluster;

// Something in the log that a crash must not take away.
void leave_a_record() { wal::insert(wal::ResourceManager::generic, 1, {}, current_xid()); }

Xid committed_transaction() {
  start();
  Xid xid = current_xid();
  leave_a_record();
  commit();
  return xid;
}

TEST(Life, XidsAreAssignedOnDemand) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    start();
    EXPECT_EQ(block_state(), BlockState::implicit);
    EXPECT_EQ(current_xid_if_any(), kInvalidXid);
    commit();
    EXPECT_EQ(next_xid(), kFirstNormalXid);
    start();
    Xid xid = current_xid();
    EXPECT_EQ(xid, kFirstNormalXid);
    EXPECT_EQ(current_xid(), xid);
    EXPECT_TRUE(is_current(xid));
    EXPECT_TRUE(is_running(xid));
    EXPECT_FALSE(did_commit(xid));
    EXPECT_FALSE(did_abort(xid));
    commit();
    EXPECT_FALSE(is_running(xid));
    EXPECT_TRUE(did_commit(xid));
    start();
    Xid second = current_xid();
    abort();
    EXPECT_FALSE(did_commit(second));
    EXPECT_TRUE(did_abort(second));
    EXPECT_EQ(block_state(), BlockState::none);
    EXPECT_TRUE(did_commit(kFrozenXid));
    EXPECT_FALSE(did_commit(kInvalidXid));
  }), 0);
}

TEST(Life, AnErrorInABlockLeavesAFailedBlock) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    start();
    begin_block();
    Xid xid = current_xid();
    locking::LockTag tag = locking::LockTag::relation_tag(Oid{5}, Oid{16400});
    locking::acquire(owner(), tag, locking::LockMode::access_share);
    mark_failed();
    EXPECT_EQ(block_state(), BlockState::failed);
    EXPECT_FALSE(locking::holds(tag, locking::LockMode::access_share));
    EXPECT_TRUE(did_abort(xid));
    abort();
    EXPECT_EQ(block_state(), BlockState::none);
  }), 0);
}

TEST(Life, ChecksOfBlockAndMode) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    auto text = [](auto f) {
      try { f(); } catch (const SqlError& e) { return std::string(e.code().view()) + " " + e.report().message; }
      return std::string("none");
    };
    start();
    require_no_block("VACUUM");
    EXPECT_EQ(text([] { require_block("SAVEPOINT"); }), "25P01 SAVEPOINT can only be used in transaction blocks");
    begin_block();
    EXPECT_EQ(text([] { require_no_block("VACUUM"); }), "25001 VACUUM cannot run inside a transaction block");
    set_read_only(true);
    EXPECT_EQ(text([] { require_writable("INSERT"); }), "25006 cannot execute INSERT in a read-only transaction");
    statement_snapshot();
    EXPECT_EQ(text([] { set_isolation(Isolation::repeatable_read); }), "25001 SET TRANSACTION ISOLATION LEVEL must be called before any query");
    EXPECT_EQ(text([] { set_read_only(false); }), "25001 transaction read-write mode must be set before any query");
    EXPECT_EQ(text([] { release_savepoint("x"); }), "3B001 savepoint \"x\" does not exist");
    abort();
    start();
    EXPECT_FALSE(is_read_only());
    abort();
  }), 0);
}

TEST(Life, CommandsCountOnlyWhenUsed) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    start();
    EXPECT_EQ(current_command(false), CommandId{0});
    advance_command();
    EXPECT_EQ(current_command(true), CommandId{0});
    advance_command();
    EXPECT_EQ(current_command(false), CommandId{1});
    CommandId combo = combo_command(CommandId{0}, CommandId{7});
    EXPECT_EQ(combo_command(CommandId{0}, CommandId{7}), combo);
    EXPECT_NE(combo_command(CommandId{1}, CommandId{7}), combo);
    EXPECT_EQ(real_cmin(combo), CommandId{0});
    EXPECT_EQ(real_cmax(combo), CommandId{7});
    commit();
  }), 0);
}

std::string log;
TEST(Life, HooksRunInOrder) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    register_hook([](Event e) { log += e == Event::pre_commit ? "p" : e == Event::commit ? "c" : "a"; });
    static Xid xid;
    set_descriptor_hooks(
        [](std::span<const std::uint32_t> slots) {
          EXPECT_EQ(slots.size(), 2u);
          EXPECT_TRUE(is_running(xid));
          log += "m";
        },
        [](std::span<const std::uint32_t>) { log += "v"; });
    start();
    xid = current_xid();
    note_changed_descriptor(9);
    note_changed_descriptor(4);
    note_changed_descriptor(9);
    commit();
    EXPECT_EQ(log, "pmvc");
    log.clear();
    start();
    note_changed_descriptor(1);
    abort();
    EXPECT_EQ(log, "a");
  }), 0);
}

TEST(Life, CommitsSurviveACrashAndOthersDoNot) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    for (int i = 0; i < 100; ++i) committed_transaction();
    start();
    current_xid();
    define_savepoint("a");
    Xid sub = current_xid();
    EXPECT_EQ(top_level_of(sub), top_xid_if_any());
    release_savepoint("a");
    commit();
    // 103 and 104 are committed; 105 runs at the crash; 106 is aborted.
    start();
    std::ofstream("running") << current_xid().value();
    wal::flush(wal::insert_position());
  }), 0);
  ASSERT_EQ(cluster.live([] {
    std::uint64_t running;
    std::ifstream("running") >> running;
    for (std::uint64_t x = 3; x < running; ++x) EXPECT_TRUE(did_commit(Xid{x})) << x;
    EXPECT_TRUE(did_abort(Xid{running}));
    EXPECT_FALSE(is_running(Xid{running}));
    // It wrote nothing to the log, so its number may be used again.
    EXPECT_EQ(next_xid(), Xid{running});
    EXPECT_TRUE(did_commit(committed_transaction()));
  }), 0);
  ASSERT_EQ(cluster.live([] {
    EXPECT_EQ(next_xid(), Xid{106});
    EXPECT_TRUE(did_commit(Xid{105}));
    EXPECT_EQ(oldest_visible_xid(Oid{0}), Xid{106});
  }), 0);
}

TEST(Life, AsynchronousCommitsAreHintedOnlyOnceFlushed) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    config::values::synchronous_commit = 0;
    Xid xid = committed_transaction();
    EXPECT_TRUE(did_commit(xid));
    EXPECT_FALSE(commit_is_durable(xid));
    wal::flush(wal::insert_position());
    EXPECT_TRUE(commit_is_durable(xid));
  }), 0);
}

TEST(Life, OnlyWhatACrashCouldTakeAwayIsFlushed) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    wal::flush(wal::insert_position());
    Lsn before = wal::flushed_position();
    start();
    Xid xid = current_xid();   // as a change of an unlogged table does
    commit();
    EXPECT_TRUE(did_commit(xid));
    EXPECT_TRUE(commit_is_durable(xid));
    EXPECT_EQ(wal::flushed_position(), before);
    start();
    current_xid();
    define_savepoint("a");
    leave_a_record();
    release_savepoint("a");
    commit();
    EXPECT_EQ(wal::flushed_position(), wal::insert_position());
  }), 0);
}

TEST(Life, OidsNeverRepeatAcrossCrashes) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    EXPECT_EQ(next_oid(), kFirstNormalOid);
    EXPECT_EQ(raw(next_oid()), 16385u);
    wal::flush(wal::insert_position());
    for (int i = 0; i < 100; ++i) next_oid();
  }), 0);
  ASSERT_EQ(cluster.live([] {
    EXPECT_GT(raw(next_oid()), 16385u + 100);
    Oid last = next_oid();
    std::ofstream("oid") << raw(last);
    wal::perform_checkpoint({.immediate = true, .shutdown = true});
  }), 0);
  ASSERT_EQ(cluster.live([] {
    std::uint32_t last;
    std::ifstream("oid") >> last;
    EXPECT_EQ(raw(next_oid()), last + 1);
  }), 0);
}

TEST(Life, ManyWritersLeaveTheArrayEmpty) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    test::run_processes(8, [](int) {
      for (int i = 0; i < 500; ++i) {
        start();
        Xid xid = current_xid();
        if (!is_running(xid)) return 1;
        if (i % 5 == 0) abort();
        else commit();
        if (is_running(xid) || did_commit(xid) == (i % 5 == 0)) return 2;
      }
      return 0;
    });
    EXPECT_EQ(active_xid_count(), 0);
    EXPECT_EQ(next_xid(), Xid{3 + 8 * 500});
    EXPECT_EQ(oldest_running_xid(), next_xid());
  }), 0);
}

TEST(Life, VolumeOfACommitIsSmall) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    start();
    current_xid();
    Lsn before = wal::insert_position();
    commit();
    EXPECT_LE(wal::insert_position() - before, 24u);
  }), 0);
}

}  // namespace
}  // namespace hathi::transaction
