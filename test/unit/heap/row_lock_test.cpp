#include "fixture.h"

namespace hathi::heap {
namespace {

class RowLockTest : public HeapTest {
 protected:
  RowLockTest() {
    fake::begin();
    tid = insert_row(1);
    fake::commit();
  }
  ChangeResult lock(TupleId at, RowLockMode mode, WaitPolicy policy = WaitPolicy::block, bool follow = true) {
    buffer::PinnedBuffer pin;
    HeapTuple t;
    return lock_row(table, at, transaction::current_command(false), mode, policy, follow, pin, t, failure);
  }
  TupleId tid;
  ChangeFailure failure;
};

// PostgreSQL's table of conflicting row locks.
TEST_F(RowLockTest, ConflictTable) {
  const RowLockMode modes[] = {RowLockMode::key_share, RowLockMode::share, RowLockMode::no_key_update, RowLockMode::update};
  const bool conflict[4][4] = {{false, false, false, true}, {false, false, true, true}, {false, true, true, true}, {true, true, true, true}};
  for (int held = 0; held < 4; ++held) {
    for (int wanted = 0; wanted < 4; ++wanted) {
      Xid a = fake::begin();
      ASSERT_EQ(lock(tid, modes[held]), ChangeResult::ok);
      fake::begin();
      EXPECT_EQ(lock(tid, modes[wanted], WaitPolicy::skip), conflict[held][wanted] ? ChangeResult::would_block : ChangeResult::ok)
          << held << " " << wanted;
      if (conflict[held][wanted]) {
        try {
          lock(tid, modes[wanted], WaitPolicy::error);
          FAIL();
        } catch (const SqlError& e) {
          EXPECT_EQ(e.code(), sqlstate::lock_not_available);
          EXPECT_STREQ(e.what(), "could not obtain lock on row in relation \"t\"");
        }
      }
      fake::commit();
      fake::become(a);
      fake::commit();
    }
  }
}

TEST_F(RowLockTest, ManyLockersAndAnUpdaterWaitsForAll) {
  std::vector<Xid> lockers;
  for (int i = 0; i < 4; ++i) {
    lockers.push_back(fake::begin());
    ASSERT_EQ(lock(tid, RowLockMode::share), ChangeResult::ok);
  }
  fake::begin();
  std::vector<Xid> waited;
  fake::on_wait([&](Xid xid) { waited.push_back(xid); fake::become(xid); fake::commit(); });
  must_update(tid, 1, 9);
  EXPECT_EQ(waited, lockers);
}

TEST_F(RowLockTest, KeyShareSurvivesANoKeyUpdate) {
  Xid a = fake::begin();
  ASSERT_EQ(lock(tid, RowLockMode::key_share), ChangeResult::ok);
  fake::begin();
  TupleId next = must_update(tid, 1, 5);   // no wait: keys unchanged
  fake::commit();
  // The lock is on the new version too: changing the key must wait for a.
  fake::begin();
  UpdateOutcome outcome;
  EXPECT_EQ(update(table, next, row(2), transaction::current_command(false), false, failure, outcome), ChangeResult::being_modified);
  fake::on_wait([&](Xid xid) { EXPECT_EQ(xid, a); fake::become(a); fake::commit(); });
  EXPECT_EQ(update_row(next, row(2), outcome, failure), ChangeResult::ok);
}

TEST_F(RowLockTest, KeyShareOnAnUpdatedRowLocksItsSuccessor) {
  Xid updater = fake::begin();
  TupleId next = must_update(tid, 1, 5);
  Xid a = fake::begin();
  ASSERT_EQ(lock(tid, RowLockMode::key_share), ChangeResult::ok);   // does not wait for the updater
  fake::become(updater);
  fake::commit();
  fake::begin();
  EXPECT_EQ(lock(next, RowLockMode::update, WaitPolicy::skip), ChangeResult::would_block);
  fake::become(a);
  fake::commit();
  fake::begin();
  EXPECT_EQ(lock(next, RowLockMode::update, WaitPolicy::skip), ChangeResult::ok);
}

TEST_F(RowLockTest, OwnLocksGetStronger) {
  fake::begin();
  ASSERT_EQ(lock(tid, RowLockMode::key_share), ChangeResult::ok);
  ASSERT_EQ(lock(tid, RowLockMode::update), ChangeResult::ok);
  std::size_t records = fake::log().size();
  ASSERT_EQ(lock(tid, RowLockMode::share), ChangeResult::ok);   // already held
  EXPECT_EQ(fake::log().size(), records);
  Xid me = transaction::current_xid();
  fake::begin();
  EXPECT_EQ(lock(tid, RowLockMode::key_share, WaitPolicy::skip), ChangeResult::would_block);
  fake::become(me);
  must_update(tid, 1, 3);
}

TEST_F(RowLockTest, WithoutFollowingTheUpdateIsReported) {
  Xid updater = fake::begin();
  TupleId next = must_update(tid, 1, 5);
  fake::commit();
  fake::begin();
  EXPECT_EQ(lock(tid, RowLockMode::update, WaitPolicy::block, false), ChangeResult::updated);
  EXPECT_EQ(failure.next, next);
  EXPECT_EQ(failure.xmax, updater);
  EXPECT_EQ(lock(tid, RowLockMode::update), ChangeResult::ok);
  EXPECT_TRUE(failure.traversed);
}

TEST_F(RowLockTest, LockOfAnAbortedTransactionIsNone) {
  fake::begin();
  ASSERT_EQ(lock(tid, RowLockMode::update), ChangeResult::ok);
  fake::abort();
  fake::begin();
  EXPECT_EQ(lock(tid, RowLockMode::update, WaitPolicy::error), ChangeResult::ok);
}

}  // namespace
}  // namespace hathi::heap
