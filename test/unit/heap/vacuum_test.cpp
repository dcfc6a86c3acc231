#include <set>

#include "fixture.h"
#include "hathi/heap/free_space.h"
#include "hathi/heap/visibility_map.h"

namespace hathi::heap {
namespace {

// An index that is a set of row positions.
struct SetIndex : IndexCleaner {
  std::set<TupleId> entries;
  int passes = 0;
  void remove_entries(const std::function<bool(TupleId)>& is_dead) override {
    ++passes;
    std::erase_if(entries, is_dead);
  }
  void finish() override {}
};

TEST_F(HeapTest, VacuumRemovesMarksAndCuts) {
  SetIndex index;
  IndexCleaner* indexes[] = {&index};
  fake::begin();
  std::vector<TupleId> tids;
  for (int i = 0; i < 5000; ++i) {
    tids.push_back(insert_row(i));
    index.entries.insert(tids.back());
  }
  fake::commit();
  std::uint32_t blocks = buffer::block_count(table.file, Fork::main).value();
  fake::begin();
  for (std::size_t i = 1000; i < tids.size(); ++i) {
    if (i % 2 == 0 || i >= 3000) { ASSERT_EQ(remove_row(tids[i]), ChangeResult::ok); }
  }
  fake::commit();
  fake::begin();
  VacuumStatistics s = vacuum(table, indexes, {});
  EXPECT_EQ(s.rows_removed, 3000u);
  EXPECT_EQ(s.rows_live, 2000u);
  EXPECT_EQ(s.line_pointers_removed, 3000u);
  EXPECT_EQ(index.entries.size(), 2000u);
  EXPECT_GT(s.pages_removed, 0u);
  EXPECT_LT(buffer::block_count(table.file, Fork::main).value(), blocks);
  EXPECT_EQ(s.oldest_kept <= transaction::next_xid(), true);
  buffer::PinnedBuffer map;
  for (std::uint32_t b = 0; b < buffer::block_count(table.file, Fork::main).value(); ++b) {
    EXPECT_EQ(visibility_bits(table.file, BlockNumber{b}, map) & kVisible, kVisible) << b;
    EXPECT_NE(page(b).header().flags & kPageAllVisible, 0);
  }
  EXPECT_EQ(visibility_bits(table.file, BlockNumber{blocks - 1}, map), 0);
  map.release();
  // Room is found again in the middle.
  TupleId again = insert_row(7777);
  EXPECT_LT(again.block.value(), buffer::block_count(table.file, Fork::main).value());
  EXPECT_EQ(visibility_bits(table.file, again.block, map), 0);
  EXPECT_EQ(page(again.block.value()).header().flags & kPageAllVisible, 0);
  map.release();
  // An update of an all-visible page clears its bit, a lock keeps "visible".
  buffer::PinnedBuffer pin;
  HeapTuple t;
  ChangeFailure failure;
  ASSERT_EQ(lock_row(table, tids[0], transaction::current_command(false), RowLockMode::update, WaitPolicy::block, true, pin, t, failure),
            ChangeResult::ok);
  pin.release();
  EXPECT_EQ(visibility_bits(table.file, BlockNumber{0}, map), kVisible);
  map.release();
  ASSERT_EQ(remove_row(tids[0]), ChangeResult::ok);
  EXPECT_EQ(visibility_bits(table.file, BlockNumber{0}, map), 0);
}

TEST_F(HeapTest, VacuumFreeze) {
  fake::begin();
  for (int i = 0; i < 500; ++i) insert_row(i);
  fake::commit();
  fake::begin();
  VacuumOptions options;
  options.freeze = true;
  VacuumStatistics s = vacuum(table, {}, options);
  EXPECT_EQ(s.pages_all_visible, buffer::block_count(table.file, Fork::main).value());
  EXPECT_EQ(s.oldest_kept, transaction::current_xid());   // nothing old is left
  buffer::PinnedBuffer map;
  EXPECT_EQ(visibility_bits(table.file, BlockNumber{0}, map), kVisible | kFrozen);
  map.release();
  fake::View view;
  EXPECT_EQ(scan_ids(*view).size(), 500u);
  // Frozen pages are skipped next time (in long runs), and the answer stays.
  s = vacuum(table, {}, options);
  EXPECT_EQ(count_visible(table.file, buffer::block_count(table.file, Fork::main)).frozen, buffer::block_count(table.file, Fork::main).value());
}

TEST_F(HeapTest, VacuumKeepsWhatIsNeeded) {
  fake::begin();
  TupleId a = insert_row(1);
  insert_row(2);
  fake::commit();
  fake::begin();
  fake::View old_view;
  fake::begin();
  ASSERT_EQ(remove_row(a), ChangeResult::ok);
  fake::commit();
  fake::begin();
  VacuumStatistics s = vacuum(table, {}, {});
  EXPECT_EQ(s.rows_removed, 0u);
  EXPECT_EQ(s.rows_dead_kept, 1u);
  EXPECT_EQ(scan_ids(*old_view), (std::vector<int>{1, 2}));
  buffer::PinnedBuffer map;
  EXPECT_EQ(visibility_bits(table.file, BlockNumber{0}, map), 0);
}

TEST_F(HeapTest, VacuumGivesWay) {
  fake::begin();
  std::vector<TupleId> tids;
  for (int i = 0; i < 20000; ++i) tids.push_back(insert_row(i));
  fake::commit();
  fake::begin();
  for (TupleId t : tids) ASSERT_EQ(remove_row(t), ChangeResult::ok);
  fake::commit();
  std::uint32_t blocks = buffer::block_count(table.file, Fork::main).value();
  fake::begin();
  fake::set_waiters(true);
  VacuumStatistics s = vacuum(table, {}, {});
  EXPECT_LT(s.pages_removed, blocks / 2);   // only what was done before the first look
  fake::set_waiters(false);
  s = vacuum(table, {}, {});
  EXPECT_EQ(buffer::block_count(table.file, Fork::main).value(), 0u);
}

TEST_F(HeapTest, FewDeadRowsAreLeftForLater) {
  SetIndex index;
  IndexCleaner* indexes[] = {&index};
  fake::begin();
  std::vector<TupleId> tids;
  for (int i = 0; i < 30000; ++i) tids.push_back(insert_row(i));
  index.entries.insert(tids.begin(), tids.end());
  fake::commit();
  fake::begin();
  ASSERT_EQ(remove_row(tids[77]), ChangeResult::ok);
  fake::commit();
  fake::begin();
  vacuum(table, indexes, {});
  EXPECT_EQ(index.passes, 0);
  VacuumOptions options;
  options.force_index_cleanup = true;
  options.disable_page_skipping = true;
  vacuum(table, indexes, options);
  EXPECT_EQ(index.passes, 1);
  EXPECT_EQ(index.entries.size(), 29999u);
}

TEST_F(HeapTest, FrozenInsertsAreVisibleAtOnce) {
  fake::begin();
  std::vector<HeapTuple> rows;
  for (int i = 0; i < 1000; ++i) rows.push_back(row(i));
  std::vector<TupleId> tids(rows.size());
  InsertOptions options;
  options.frozen = true;
  insert_many(table, rows, tids, options);
  fake::commit();
  buffer::PinnedBuffer map;
  for (std::uint32_t b = 0; b < buffer::block_count(table.file, Fork::main).value(); ++b) {
    EXPECT_EQ(visibility_bits(table.file, BlockNumber{b}, map), kVisible | kFrozen);
  }
  map.release();
  fake::begin();
  fake::View view;
  EXPECT_EQ(scan_ids(*view).size(), 1000u);
}

TEST_F(HeapTest, IndexBuildSeesRootsOfChains) {
  fake::begin();
  TupleId a = insert_row(1, "x", 1), b = insert_row(2, "x", 2), c = insert_row(3, "x", 3);
  fake::commit();
  fake::begin();
  must_update(a, 1, 11);
  ASSERT_EQ(remove_row(b), ChangeResult::ok);
  fake::commit();
  fake::begin();
  must_update(c, 3, 33);
  bool broken = false;
  std::map<int, TupleId> roots;
  scan_for_index_build(table, nullptr, [&](const HeapTuple& t, TupleId root, bool live) { if (live) roots[number_of(t)] = root; }, &broken);
  EXPECT_EQ(roots, (std::map<int, TupleId>{{11, a}, {33, c}}));
  EXPECT_TRUE(broken);   // the own update's old version would need another entry
}

// A failed HOT update's line is given to another chain: what it points at is no longer its own.
TEST_F(HeapTest, IndexBuildDoesNotFollowFailedUpdates) {
  fake::begin();
  TupleId a = insert_row(1, "x", 1), b = insert_row(2, "x", 2);
  fake::commit();
  fake::begin();
  TupleId failed = must_update(a, 1, 11);
  fake::abort();
  fake::begin();
  vacuum(table, {}, {});   // frees the line and notes that the update failed
  fake::commit();
  fake::begin();
  TupleId reused = must_update(b, 2, 22);
  ASSERT_EQ(reused, failed);
  fake::commit();
  fake::begin();
  std::map<int, TupleId> roots;
  scan_for_index_build(table, nullptr, [&](const HeapTuple& t, TupleId root, bool) { roots[number_of(t)] = root; }, nullptr);
  EXPECT_EQ(roots.at(1), a);
  EXPECT_EQ(roots.at(22), b);
}

TEST(FreeSpace, FindsAndCorrects) {
  fake::reset();
  RelationFile file{Oid{1663}, Oid{5}, Oid{30000}};
  EXPECT_EQ(find_free_space(file, 100, BlockNumber{0}, BlockNumber{100}), kInvalidBlock);
  record_free_space(file, BlockNumber{20000}, 500);
  record_free_space(file, BlockNumber{3}, 200);
  EXPECT_EQ(recorded_free_space(file, BlockNumber{20000}), 480u);
  EXPECT_EQ(find_free_space(file, 300, BlockNumber{0}, BlockNumber{30000}), BlockNumber{20000});
  EXPECT_EQ(find_free_space(file, 150, BlockNumber{0}, BlockNumber{30000}), BlockNumber{3});
  EXPECT_EQ(find_free_space(file, 150, BlockNumber{10}, BlockNumber{30000}), BlockNumber{3});   // wraps round within the map's page first
  EXPECT_EQ(find_free_space(file, 600, BlockNumber{0}, BlockNumber{30000}), kInvalidBlock);
  // Beyond the end of a cut table.
  EXPECT_EQ(find_free_space(file, 300, BlockNumber{0}, BlockNumber{10000}), kInvalidBlock);
  EXPECT_EQ(recorded_free_space(file, BlockNumber{20000}), 0u);
  record_free_space(file, BlockNumber{100}, BlockNumber{9000}, kPageSize);
  EXPECT_EQ(find_free_space(file, 8100, BlockNumber{8500}, BlockNumber{30000}), BlockNumber{8500});
  truncate_free_space(file, BlockNumber{50});
  EXPECT_EQ(find_free_space(file, 8100, BlockNumber{0}, BlockNumber{30000}), kInvalidBlock);
  EXPECT_EQ(find_free_space(file, 150, BlockNumber{7}, BlockNumber{30000}), BlockNumber{3});
}

TEST(FreeSpace, RandomAgainstTruth) {
  fake::reset();
  RelationFile file{Oid{1663}, Oid{5}, Oid{30001}};
  std::vector<std::size_t> truth(20000, 0);
  std::uint32_t x = 1;
  auto random = [&] { return (x = x * 1664525 + 1013904223) >> 8; };
  for (int i = 0; i < 3000; ++i) {
    std::uint32_t b = random() % 20000;
    truth[b] = random() % 8000;
    record_free_space(file, BlockNumber{b}, truth[b]);
    std::size_t need = 1 + random() % 8000;
    BlockNumber found = find_free_space(file, need, BlockNumber{random() % 20000}, BlockNumber{20000});
    std::size_t most = 0;
    for (std::size_t t : truth) most = std::max(most, t / 32 * 32);
    if (found == kInvalidBlock) {
      ASSERT_LT(most, (need + 31) / 32 * 32);
    } else {
      ASSERT_GE(truth[found.value()], need);
    }
  }
}

}  // namespace
}  // namespace hathi::heap
