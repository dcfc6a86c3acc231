#include <algorithm>
#include <numeric>

#include "fixture.h"

namespace hathi::heap {
namespace {

TEST_F(HeapTest, InsertScanForwardAndBackward) {
  fake::begin();
  std::vector<int> expected;
  for (int i = 0; i < 1000; ++i) {
    insert_row(i, std::string(40, 'p'));
    expected.push_back(i);
  }
  fake::commit();
  EXPECT_GT(buffer::block_count(table.file, Fork::main).value(), 4u);
  fake::begin();
  fake::View view;
  EXPECT_EQ(scan_ids(*view), expected);
  Scan scan(table, *view);
  HeapTuple t;
  EXPECT_FALSE(scan.next(t, true));   // before the first row
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(scan.next(t));
  EXPECT_EQ(id_of(t), 499);
  ASSERT_TRUE(scan.next(t, true));
  EXPECT_EQ(id_of(t), 498);
  ASSERT_TRUE(scan.next(t));
  EXPECT_EQ(id_of(t), 499);
  int last = 499;
  while (scan.next(t)) EXPECT_EQ(id_of(t), ++last);
  EXPECT_EQ(last, 999);
  EXPECT_FALSE(scan.next(t));
  for (int i = 999; i >= 0; --i) {
    ASSERT_TRUE(scan.next(t, true));
    ASSERT_EQ(id_of(t), i);
  }
  EXPECT_FALSE(scan.next(t, true));
  ASSERT_TRUE(scan.next(t));
  EXPECT_EQ(id_of(t), 0);
}

TEST_F(HeapTest, InsertManyWritesOneRecordAPage) {
  fake::begin();
  std::vector<HeapTuple> rows;
  for (int i = 0; i < 1000; ++i) rows.push_back(row(i));
  std::vector<TupleId> tids(rows.size());
  insert_many(table, rows, tids);
  EXPECT_EQ(fake::log().size(), buffer::block_count(table.file, Fork::main).value());
  fake::commit();
  fake::begin();
  fake::View view;
  std::vector<int> ids = scan_ids(*view);
  EXPECT_EQ(ids.size(), 1000u);
  buffer::PinnedBuffer pin;
  HeapTuple t;
  for (int i : {0, 500, 999}) {
    ASSERT_TRUE(fetch_version(table, tids[static_cast<std::size_t>(i)], *view, pin, t));
    EXPECT_EQ(id_of(t), i);
  }
}

TEST_F(HeapTest, FillFactorLeavesRoom) {
  table.fill_factor = 50;
  fake::begin();
  for (int i = 0; i < 300; ++i) insert_row(i);
  EXPECT_GE(page(0).hole(), kPageSize / 2);
  EXPECT_LT(page(0).hole(), kPageSize / 2 + 100);
}

TEST_F(HeapTest, DenseAsPostgres) {
  // 226 rows of (int4, 'x', int4) fit one page of PostgreSQL's: 24 + 12 bytes, aligned 40, with line pointers of 4: (8192 - 24) / 44 = 185.
  fake::begin();
  for (int i = 0; i < 400; ++i) insert_row(i);
  EXPECT_GE(page(0).line_count(), 185);
}

TEST_F(HeapTest, RowTooBig) {
  TupleDescriptor* d = make_descriptor(arena, 1);
  d->attributes[0].layout = {-1, false, 'i'};
  d->attributes[0].storage = 'p';
  finish_descriptor(*d);
  table.descriptor = d;
  table.key_columns = table.indexed_columns = {};
  fake::begin();
  Datum v = varlena::make(arena, std::string(9000, 'y'));
  bool is_null = false;
  try {
    insert(table, form_tuple(*d, &v, &is_null, arena));
    FAIL();
  } catch (const SqlError& e) {
    EXPECT_EQ(e.code(), sqlstate::program_limit_exceeded);
    EXPECT_TRUE(std::string(e.what()).starts_with("row is too big: size "));
  }
}

TEST_F(HeapTest, BitmapBlocks) {
  fake::begin();
  TupleId a = insert_row(1), b = insert_row(2);
  insert_row(3);
  fake::commit();
  fake::begin();
  bool index_entries = true;
  must_update(b, 2, 5, &index_entries);
  EXPECT_FALSE(index_entries);
  fake::commit();
  fake::begin();
  fake::View view;
  Scan scan(table, *view);
  HeapTuple t;
  OffsetNumber offsets[] = {a.offset, b.offset};
  ASSERT_TRUE(scan.open_block(BlockNumber{0}, offsets));
  ASSERT_TRUE(scan.next_in_block(t));
  EXPECT_EQ(id_of(t), 1);
  ASSERT_TRUE(scan.next_in_block(t));
  EXPECT_EQ(id_of(t), 2);
  EXPECT_EQ(number_of(t), 5);   // the chain was followed
  EXPECT_FALSE(scan.next_in_block(t));
  ASSERT_TRUE(scan.open_block(BlockNumber{0}, {}));
  int n = 0;
  while (scan.next_in_block(t)) ++n;
  EXPECT_EQ(n, 3);
  EXPECT_FALSE(scan.open_block(BlockNumber{99}, {}));
}

}  // namespace
}  // namespace hathi::heap
