// Every combination of what may have happened to a row version, under every kind of snapshot.
#include "fixture.h"

namespace hathi::heap {
namespace {

enum class Deed { none, committed_before, committed_after, running, aborted, own_earlier, own_now };
const char* name(Deed d) {
  const char* names[] = {"none", "committed_before", "committed_after", "running", "aborted", "own_earlier", "own_now"};
  return names[static_cast<int>(d)];
}

// Is the deed's effect seen by an MVCC snapshot?
bool counts_for_mvcc(Deed d) { return d == Deed::committed_before || d == Deed::own_earlier; }
// By "now": own and committed.
bool counts_now(Deed d) { return d == Deed::committed_before || d == Deed::committed_after || d == Deed::own_earlier || d == Deed::own_now; }

TEST_F(HeapTest, VisibilityMatrix) {
  const Deed deeds[] = {Deed::none, Deed::committed_before, Deed::committed_after, Deed::running, Deed::aborted, Deed::own_earlier, Deed::own_now};
  int id = 0;
  for (Deed inserted : deeds) {
    if (inserted == Deed::none) continue;
    for (Deed deleted : deeds) {
      SCOPED_TRACE(std::string(name(inserted)) + " / " + name(deleted));
      // Who can delete what he sees?
      bool own_delete = deleted == Deed::own_earlier || deleted == Deed::own_now;
      bool possible = deleted == Deed::none || inserted == Deed::committed_before || inserted == Deed::own_earlier ||
                      (inserted == Deed::committed_after && !own_delete && deleted != Deed::committed_before);
      if (inserted == Deed::own_earlier && !own_delete && deleted != Deed::none) possible = false;
      if (inserted == Deed::own_earlier && deleted == Deed::own_earlier) { /* two earlier commands */ }
      if (!possible) continue;
      Xid me = fake::begin();
      transaction::advance_command();
      auto do_as = [&](Deed deed, bool in_view, auto action) {
        bool before_view = deed == Deed::committed_before || deed == Deed::own_earlier || deed == Deed::running || deed == Deed::aborted;
        if (deed == Deed::none || before_view != in_view) return;
        if (deed == Deed::own_earlier || deed == Deed::own_now) {
          fake::become(me);
          action();
          if (deed == Deed::own_earlier) transaction::advance_command();
          return;
        }
        fake::begin();
        transaction::advance_command();
        action();
        if (deed == Deed::committed_before || deed == Deed::committed_after) fake::commit();
        if (deed == Deed::aborted) fake::abort();
        fake::become(me);
      };
      TupleId tid;
      auto insert_it = [&] { tid = insert_row(++id); };
      auto delete_it = [&] { ASSERT_EQ(remove_row(tid), ChangeResult::ok); };
      do_as(inserted, true, insert_it);
      if (tid.is_valid()) do_as(deleted, true, delete_it);
      fake::become(me);
      fake::View view;
      do_as(inserted, false, insert_it);
      if (deleted == Deed::running || deleted == Deed::aborted) {
        if (inserted == Deed::committed_after) do_as(deleted, true, delete_it);
      } else {
        do_as(deleted, false, delete_it);
      }
      fake::become(me);
      // Twice: the second look finds hint bits.
      for (int look = 0; look < 2; ++look) {
        buffer::PinnedBuffer pin;
        HeapTuple t;
        bool mvcc = counts_for_mvcc(inserted) && !counts_for_mvcc(deleted);
        EXPECT_EQ(fetch_version(table, tid, *view, pin, t), mvcc);
        bool now = counts_now(inserted) && !counts_now(deleted);
        EXPECT_EQ(fetch_version(table, tid, transaction::self_snapshot(), pin, t), now);
        EXPECT_TRUE(fetch_version(table, tid, transaction::any_snapshot(), pin, t));
        transaction::Snapshot dirty = transaction::dirty_snapshot();
        bool dirty_visible = (counts_now(inserted) && !counts_now(deleted)) || inserted == Deed::running;
        EXPECT_EQ(fetch_version(table, tid, dirty, pin, t), dirty_visible);
        EXPECT_EQ(dirty.dirty_xmin != kInvalidXid, inserted == Deed::running);
        EXPECT_EQ(dirty.dirty_xmax != kInvalidXid, counts_now(inserted) && deleted == Deed::running);
      }
      fake::become(me);
      fake::commit();
    }
  }
}

TEST_F(HeapTest, ComboCommandsTellBothCommands) {
  fake::begin();
  TupleId tid = insert_row(1);
  transaction::advance_command();
  fake::View between;                       // a cursor opened here
  transaction::advance_command();
  EXPECT_EQ(remove_row(tid), ChangeResult::ok);
  transaction::advance_command();
  fake::View after;
  buffer::PinnedBuffer pin;
  HeapTuple t;
  EXPECT_TRUE(fetch_version(table, tid, *between, pin, t));
  EXPECT_FALSE(fetch_version(table, tid, *after, pin, t));
  ChangeFailure failure;
  // Gone since an earlier command: nobody should have shown it to this one.
  EXPECT_THROW(remove(table, tid, transaction::current_command(false), true, failure), SqlError);
  fake::commit();
}

TEST_F(HeapTest, XidsBeyond32Bits) {
  fake::begin();
  TupleId old = insert_row(1);
  fake::commit();
  // An old page meets a transaction five billion later.
  fake::set_next_xid(5'000'000'000ull);
  Xid young = fake::begin();
  UpdateOutcome outcome;
  ChangeFailure failure;
  ASSERT_EQ(update_row(old, row(1, "x", 7), outcome, failure), ChangeResult::ok);
  EXPECT_EQ(outcome.tid.block, old.block);
  fake::commit();
  fake::begin();
  fake::View view;
  buffer::PinnedBuffer pin;
  HeapTuple t;
  ASSERT_TRUE(fetch_by_index(table, old, *view, pin, t));
  EXPECT_EQ(number_of(t), 7);
  EXPECT_EQ(t.xmin, young);
  fake::commit();
  fake::set_next_xid(50'000'000'000ull);
  Xid locker = fake::begin();
  ASSERT_EQ(lock_row(table, outcome.tid, transaction::current_command(false), RowLockMode::update, WaitPolicy::block, true, pin, t, failure),
            ChangeResult::ok);
  EXPECT_EQ(t.xmax, locker);
  EXPECT_EQ(t.xmin, kFrozenXid);
}

}  // namespace
}  // namespace hathi::heap
