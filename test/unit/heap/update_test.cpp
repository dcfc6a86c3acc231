#include "fixture.h"
#include "hathi/error/sql_error.h"

namespace hathi::heap {
namespace {

TEST_F(HeapTest, HotChainAndPruning) {
  fake::begin();
  TupleId root = insert_row(1, "x", 0);
  fake::commit();
  TupleId at = root;
  for (int i = 1; i <= 5; ++i) {
    fake::begin();
    bool index_entries = true;
    at = must_update(at, 1, i, &index_entries);
    EXPECT_FALSE(index_entries);
    EXPECT_EQ(at.block, root.block);
    fake::commit();
  }
  EXPECT_EQ(page(0).line_count(), 6);
  fake::begin();
  {
    fake::View view;
    buffer::PinnedBuffer pin;
    HeapTuple t;
    ASSERT_TRUE(fetch_by_index(table, root, *view, pin, t));
    EXPECT_EQ(number_of(t), 5);
    EXPECT_EQ(scan_ids(*view), std::vector<int>{1});
  }
  // The page says it is full: the next reader prunes it.
  page(0).header().flags |= kPageFull;
  buffer::PinnedBuffer pin = buffer::read({table.file, Fork::main, BlockNumber{0}});
  prune_if_useful(table, pin);
  EXPECT_EQ(page(0).line(OffsetNumber{1}).state(), LinePointer::State::redirect);
  for (std::uint16_t i = 2; i <= 5; ++i) EXPECT_EQ(page(0).line(OffsetNumber{i}).state(), LinePointer::State::unused) << i;
  EXPECT_EQ(page(0).line(OffsetNumber{6}).state(), LinePointer::State::normal);
  EXPECT_EQ(page(0).header().prune_hint, 0u);
  {
    fake::View view;
    HeapTuple t;
    ASSERT_TRUE(fetch_by_index(table, root, *view, pin, t));
    EXPECT_EQ(number_of(t), 5);
  }
  pin.release();
  // Free lines are used again, and the chain goes on.
  TupleId next = must_update(at, 1, 6);
  EXPECT_EQ(next.offset.value(), 2);
  fake::commit();
  fake::begin();
  fake::View view;
  HeapTuple t;
  ASSERT_TRUE(fetch_by_index(table, root, *view, pin, t));
  EXPECT_EQ(number_of(t), 6);
}

TEST_F(HeapTest, PruningLeavesWhatSnapshotsSee) {
  fake::begin();
  TupleId root = insert_row(1, "x", 0);
  fake::commit();
  fake::begin();
  auto old_view = std::make_unique<fake::View>();
  Xid reader = transaction::current_xid();
  TupleId at = root;
  for (int i = 1; i <= 3; ++i) {
    fake::begin();
    at = must_update(at, 1, i);
    fake::commit();
  }
  auto prune = [&] {
    page(0).header().flags |= kPageFull;
    buffer::PinnedBuffer pin = buffer::read({table.file, Fork::main, BlockNumber{0}});
    prune_if_useful(table, pin);
  };
  prune();
  buffer::PinnedBuffer pin;
  HeapTuple t;
  ASSERT_TRUE(fetch_by_index(table, root, **old_view, pin, t));
  EXPECT_EQ(number_of(t), 0);
  pin.release();
  old_view.reset();
  fake::become(reader);
  fake::commit();
  fake::begin();
  prune();
  fake::View view;
  ASSERT_TRUE(fetch_by_index(table, root, *view, pin, t));
  EXPECT_EQ(number_of(t), 3);
  EXPECT_EQ(page(0).line(OffsetNumber{1}).state(), LinePointer::State::redirect);
}

TEST_F(HeapTest, AbortedHotUpdateIsPrunedAway) {
  fake::begin();
  TupleId root = insert_row(1, "x", 0);
  fake::commit();
  fake::begin();
  must_update(root, 1, 1);
  fake::abort();
  fake::begin();
  must_update(root, 1, 2);
  fake::commit();
  fake::begin();
  page(0).header().flags |= kPageFull;
  buffer::PinnedBuffer pin = buffer::read({table.file, Fork::main, BlockNumber{0}});
  prune_if_useful(table, pin);
  EXPECT_EQ(page(0).line(OffsetNumber{1}).state(), LinePointer::State::redirect);
  EXPECT_EQ(page(0).line(OffsetNumber{2}).state(), LinePointer::State::unused);
  fake::View view;
  HeapTuple t;
  ASSERT_TRUE(fetch_by_index(table, root, *view, pin, t));
  EXPECT_EQ(number_of(t), 2);
}

TEST_F(HeapTest, IndexedColumnChangedNeedsEntriesAndKeyLock) {
  fake::begin();
  TupleId a = insert_row(1);
  fake::commit();
  fake::begin();
  UpdateOutcome outcome;
  ChangeFailure failure;
  ASSERT_EQ(update_row(a, row(2), outcome, failure), ChangeResult::ok);
  EXPECT_TRUE(outcome.needs_index_entries);
  EXPECT_EQ(outcome.lock_mode, RowLockMode::update);
  fake::commit();
  fake::begin();
  ASSERT_EQ(update_row(outcome.tid, row(2, "other"), outcome, failure), ChangeResult::ok);
  EXPECT_FALSE(outcome.needs_index_entries);
  EXPECT_EQ(outcome.lock_mode, RowLockMode::no_key_update);
}

TEST_F(HeapTest, FullPageSendsTheNewVersionElsewhere) {
  fake::begin();
  TupleId first = insert_row(0, std::string(100, 'a'));
  while (buffer::block_count(table.file, Fork::main).value() < 2) insert_row(1, std::string(100, 'a'));
  fake::commit();
  fake::begin();
  UpdateOutcome outcome;
  ChangeFailure failure;
  ASSERT_EQ(update_row(first, row(0, std::string(100, 'b')), outcome, failure), ChangeResult::ok);
  EXPECT_NE(outcome.tid.block, first.block);
  EXPECT_TRUE(outcome.needs_index_entries);
  EXPECT_NE(page(0).header().flags & kPageFull, 0);
  fake::commit();
  // Pruned on the next read: the old version became a dead line for the index to find.
  fake::begin();
  fake::View view;
  buffer::PinnedBuffer pin;
  HeapTuple t;
  bool all_dead = false;
  EXPECT_FALSE(fetch_by_index(table, first, *view, pin, t, &all_dead));
  EXPECT_TRUE(all_dead);
  EXPECT_EQ(page(0).line(first.offset).state(), LinePointer::State::dead);
}

TEST_F(HeapTest, AllDeadIsSaidOnlyWhenNobodySees) {
  fake::begin();
  TupleId tid = insert_row(1);
  fake::commit();
  fake::begin();
  auto old_view = std::make_unique<fake::View>();
  Xid reader = transaction::current_xid();
  fake::begin();
  EXPECT_EQ(remove_row(tid), ChangeResult::ok);
  fake::commit();
  fake::begin();
  buffer::PinnedBuffer pin;
  HeapTuple t;
  bool all_dead = true;
  {
    fake::View view;
    EXPECT_FALSE(fetch_by_index(table, tid, *view, pin, t, &all_dead));
    EXPECT_FALSE(all_dead);
  }
  old_view.reset();
  fake::become(reader);
  fake::commit();
  fake::begin();
  fake::View view;
  EXPECT_FALSE(fetch_by_index(table, tid, *view, pin, t, &all_dead));
  EXPECT_TRUE(all_dead);
}

TEST_F(HeapTest, ConcurrentUpdateIsReported) {
  fake::begin();
  TupleId tid = insert_row(1);
  fake::commit();
  Xid a = fake::begin();
  UpdateOutcome first;
  ChangeFailure failure;
  ASSERT_EQ(update_row(tid, row(1, "x", 1), first, failure), ChangeResult::ok);
  Xid b = fake::begin();
  UpdateOutcome second;
  EXPECT_EQ(update(table, tid, row(1, "x", 2), transaction::current_command(false), false, failure, second), ChangeResult::being_modified);
  // b waits; a commits.
  fake::on_wait([&](Xid xid) { EXPECT_EQ(xid, a); fake::become(a); fake::commit(); });
  EXPECT_EQ(update_row(tid, row(1, "x", 2), second, failure), ChangeResult::updated);
  EXPECT_EQ(failure.next, first.tid);
  EXPECT_EQ(failure.xmax, a);
  // READ COMMITTED goes on with the newer version.
  buffer::PinnedBuffer pin;
  HeapTuple t;
  ASSERT_EQ(lock_row(table, tid, transaction::current_command(false), RowLockMode::update, WaitPolicy::block, true, pin, t, failure),
            ChangeResult::ok);
  EXPECT_TRUE(failure.traversed);
  EXPECT_EQ(t.tid, first.tid);
  EXPECT_EQ(number_of(t), 1);
  pin.release();
  ASSERT_EQ(update_row(first.tid, row(1, "x", 3), second, failure), ChangeResult::ok);
  fake::become(b);
  fake::commit();
  // A third one finds the row deleted.
  fake::begin();
  EXPECT_EQ(remove_row(second.tid), ChangeResult::ok);
  Xid deleter = transaction::current_xid();
  fake::begin();
  fake::on_wait([&](Xid) { fake::become(deleter); fake::commit(); });
  EXPECT_EQ(update_row(second.tid, row(1), first, failure), ChangeResult::deleted);
}

TEST_F(HeapTest, AbortedUpdaterLetsTheWaiterThrough) {
  fake::begin();
  TupleId tid = insert_row(1);
  fake::commit();
  Xid a = fake::begin();
  must_update(tid, 1, 1);
  fake::begin();
  fake::on_wait([&](Xid) { fake::become(a); fake::abort(); });
  TupleId next = must_update(tid, 1, 2);
  EXPECT_TRUE(next.is_valid());
}

// The other one commits just after it was seen running: its update must not be overwritten.
TEST_F(HeapTest, UpdaterCommitsBetweenTwoLooks) {
  fake::begin();
  TupleId tid = insert_row(1);
  fake::commit();
  Xid a = fake::begin();
  TupleId next = must_update(tid, 1, 1);
  fake::begin();
  fake::after_running([&](Xid xid) {
    if (xid != a) return;
    fake::become(a);
    fake::commit();
  });
  UpdateOutcome outcome;
  ChangeFailure failure;
  EXPECT_EQ(update_row(tid, row(1, "x", 2), outcome, failure), ChangeResult::updated);
  EXPECT_EQ(failure.next, next);
}

TEST_F(HeapTest, SelfModified) {
  fake::begin();
  TupleId tid = insert_row(1);
  transaction::advance_command();
  CommandId command = transaction::current_command(false);
  must_update(tid, 1, 1);
  UpdateOutcome outcome;
  ChangeFailure failure;
  // The same command meets the row again (a join that matches it twice).
  EXPECT_EQ(update(table, tid, row(1, "x", 2), command, true, failure, outcome), ChangeResult::self_modified);
  EXPECT_EQ(failure.cmax, command);
}

TEST_F(HeapTest, MovedToAnotherPartition) {
  fake::begin();
  TupleId tid = insert_row(1);
  fake::commit();
  fake::begin();
  ChangeFailure failure;
  ASSERT_EQ(remove(table, tid, transaction::current_command(false), true, failure, true), ChangeResult::ok);
  fake::commit();
  fake::begin();
  UpdateOutcome outcome;
  EXPECT_EQ(update_row(tid, row(1), outcome, failure), ChangeResult::updated);
  EXPECT_TRUE(failure.moved_partition);
}

TEST_F(HeapTest, SpeculativeInsertionTakenBack) {
  fake::begin();
  TupleId tid = insert_row(1);
  abort_speculative(table, tid);
  transaction::advance_command();
  fake::View view;
  EXPECT_TRUE(scan_ids(*view).empty());
  fake::commit();
}

TEST_F(HeapTest, UpdateInPlace) {
  fake::begin();
  TupleId tid = insert_row(1, "x", 5);
  fake::commit();
  fake::begin();
  update_in_place(table, tid, row(1, "x", 6));
  EXPECT_THROW(update_in_place(table, tid, row(1, std::string(80, 'x'), 6)), SqlError);
  fake::abort();
  fake::begin();
  fake::View view;
  buffer::PinnedBuffer pin;
  HeapTuple t;
  ASSERT_TRUE(fetch_version(table, tid, *view, pin, t));
  EXPECT_EQ(number_of(t), 6);
}

}  // namespace
}  // namespace hathi::heap
