#include <algorithm>
#include <random>

#include "fixture.h"

namespace hathi::btree {
namespace {

TEST_F(IndexTest, EmptyIndex) {
  make({{'i'}});
  EXPECT_TRUE(rows().empty());
  EXPECT_TRUE(rows({}, true).empty());
  EXPECT_EQ(shape(index).height, 0);
  EXPECT_EQ(blocks(), 1u);
}

TEST_F(IndexTest, AscendingInsertsFillPages) {
  make({{'i'}}, true);
  for (std::uint32_t i = 0; i < 20000; ++i) put({Datum::of(static_cast<std::int32_t>(i))}, tid(i));
  EXPECT_EQ(check_tree(), 20000u);
  // 366 entries a page as in PostgreSQL: 55 leaves, the root, the metapage.
  EXPECT_LE(blocks(), 58u);
  EXPECT_EQ(shape(index).height, 2);
  std::vector<std::uint32_t> expected(20000);
  for (std::uint32_t i = 0; i < 20000; ++i) expected[i] = i;
  EXPECT_EQ(rows(), expected);
  std::reverse(expected.begin(), expected.end());
  EXPECT_EQ(rows({}, true), expected);
}

TEST_F(IndexTest, RandomOrderAndPoints) {
  make({{'i'}}, true);
  std::vector<std::uint32_t> values(30000);
  for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i;
  std::shuffle(values.begin(), values.end(), std::mt19937(1));
  for (std::uint32_t v : values) put({Datum::of(static_cast<std::int32_t>(v))}, tid(v));
  EXPECT_EQ(check_tree(), values.size());
  for (std::uint32_t v : {0u, 1u, 777u, 15000u, 29999u}) {
    ScanKey k = condition(1, Strategy::equal, Datum::of(static_cast<std::int32_t>(v)));
    EXPECT_EQ(rows({&k, 1}), std::vector<std::uint32_t>{v});
  }
  ScanKey k = condition(1, Strategy::equal, Datum::of(30000));
  EXPECT_TRUE(rows({&k, 1}).empty());
}

TEST_F(IndexTest, DescendingInserts) {
  make({{'l'}});
  for (std::uint32_t i = 20000; i-- > 0;) put({Datum::of(static_cast<std::int64_t>(i))}, tid(i));
  EXPECT_EQ(check_tree(), 20000u);
}

TEST_F(IndexTest, DuplicatesAreOrderedByRowAndShareEntries) {
  make({{'i'}});
  std::vector<std::uint32_t> values(20000);
  for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i;
  std::shuffle(values.begin(), values.end(), std::mt19937(2));
  for (std::uint32_t v : values) put({Datum::of(static_cast<std::int32_t>(v % 3))}, tid(v));
  EXPECT_EQ(check_tree(), values.size());
  std::uint32_t with_lists = blocks();
  std::vector<std::uint32_t> expected;
  for (std::uint32_t v = 1; v < 20000; v += 3) expected.push_back(v);
  ScanKey k = condition(1, Strategy::equal, Datum::of(1));
  EXPECT_EQ(rows({&k, 1}), expected);
  std::reverse(expected.begin(), expected.end());
  EXPECT_EQ(rows({&k, 1}, true), expected);

  make({{'i'}});
  index.deduplicate = false;
  for (std::uint32_t v : values) put({Datum::of(static_cast<std::int32_t>(v % 3))}, tid(v));
  EXPECT_EQ(check_tree(), values.size());
  EXPECT_LT(with_lists * 2, blocks());
}

TEST_F(IndexTest, LongKeysAndTooLongOnes) {
  make({{'t'}});
  std::mt19937 random(3);
  std::multimap<std::string, std::uint32_t> truth;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    std::string s;
    std::size_t n = random() % 2600;
    for (std::size_t k = 0; k < n; ++k) s += static_cast<char>(' ' + random() % 90);
    if (i % 5 == 0) s = s.substr(0, s.size() % 3);
    put({varlena::make(arena, s)}, tid(i));
    truth.emplace(s, i);
  }
  EXPECT_EQ(check_tree(), 3000u);
  std::vector<std::uint32_t> expected;
  for (auto& [s, i] : truth) expected.push_back(i);
  EXPECT_EQ(rows(), expected);
  std::string noise;
  for (int i = 0; i < 3000; ++i) noise += static_cast<char>(1 + random() % 255);
  try {
    put({varlena::make(arena, noise)}, tid(5000));
    FAIL();
  } catch (const SqlError& e) {
    EXPECT_EQ(e.code(), sqlstate::program_limit_exceeded);
    EXPECT_STREQ(e.what(), "index row size 3016 exceeds btree version 4 maximum 2704 for index \"i\"");
    EXPECT_EQ(e.report().detail, "Index row references tuple (25,1) in relation \"t\".");
  }
  // What compresses well fits.
  put({varlena::make(arena, std::string(20000, 'q'))}, tid(5001));
}

TEST_F(IndexTest, UniqueViolations) {
  make({{'i'}}, true);
  std::set<TupleId> dead;
  probe = [&](TupleId t) { return UniqueProbe{!dead.contains(t), kInvalidXid, t, dead.contains(t)}; };
  put({Datum::of(5)}, tid(1), UniqueCheck::immediate);
  put({Datum::of(6)}, tid(2), UniqueCheck::immediate);
  EXPECT_THROW(put({Datum::of(5)}, tid(3), UniqueCheck::immediate), SqlError);
  EXPECT_EQ(conflict, tid(1));
  EXPECT_EQ(check_tree(), 2u);
  // Deferred: goes in, says so.
  EXPECT_FALSE(put({Datum::of(5)}, tid(4), UniqueCheck::deferred));
  EXPECT_EQ(check_tree(), 3u);
  EXPECT_THROW(put({Datum::of(5)}, tid(4), UniqueCheck::existing), SqlError);
  dead.insert(tid(1));
  EXPECT_TRUE(put({Datum::of(5)}, tid(4), UniqueCheck::existing));
  dead.insert(tid(4));
  EXPECT_TRUE(put({Datum::of(5)}, tid(5), UniqueCheck::immediate));
}

TEST_F(IndexTest, UniqueWaitsForOthers) {
  make({{'i'}}, true);
  Xid other = fake::begin();
  put({Datum::of(5)}, tid(1), UniqueCheck::immediate);
  fake::begin();
  bool aborted = false;
  probe = [&](TupleId t) { return aborted ? UniqueProbe{false, kInvalidXid, {}, true} : UniqueProbe{true, other, t, false}; };
  fake::on_wait([&](Xid xid) {
    EXPECT_EQ(xid, other);
    fake::become(other);
    fake::abort();
    aborted = true;
  });
  EXPECT_TRUE(put({Datum::of(5)}, tid(2), UniqueCheck::immediate));
  EXPECT_TRUE(aborted);
}

TEST_F(IndexTest, NullsInUniqueIndexes) {
  make({{'i'}}, true);
  probe = [](TupleId t) { return UniqueProbe{true, kInvalidXid, t, false}; };
  EXPECT_TRUE(put_null(tid(1), UniqueCheck::immediate));
  EXPECT_TRUE(put_null(tid(2), UniqueCheck::immediate));
  index.nulls_not_distinct = true;
  EXPECT_THROW(put_null(tid(3), UniqueCheck::immediate), SqlError);
}

TEST_F(IndexTest, DeadEntriesMakeRoom) {
  make({{'i'}}, true);
  // One key updated over and over: each check marks the older versions dead, and the page never splits.
  probe = [](TupleId t) { return UniqueProbe{false, kInvalidXid, t, true}; };
  for (std::uint32_t i = 0; i < 5000; ++i) put({Datum::of(7)}, tid(i), UniqueCheck::immediate);
  EXPECT_EQ(blocks(), 2u);
}

TEST_F(IndexTest, SuffixTruncation) {
  make({{'i'}, {'t'}});
  // The second column is long, the first tells entries apart: pivots hold the first only.
  for (std::uint32_t i = 0; i < 3000; ++i)
    put({Datum::of(static_cast<std::int32_t>(i)), varlena::make(arena, std::string(500, 'x') + std::to_string(i % 7))}, tid(i));
  EXPECT_EQ(check_tree(), 3000u);
  EXPECT_EQ(shape(index).height, 2);
}

TEST_F(IndexTest, IncludedColumns) {
  make({{'i'}, {'t', false, false, false}});
  for (std::uint32_t i = 0; i < 5000; ++i) put({Datum::of(static_cast<std::int32_t>(i / 2)), varlena::make(arena, "v" + std::to_string(i))}, tid(i));
  EXPECT_EQ(check_tree(), 5000u);
  Scan scan(index, true);
  ScanKey k = condition(1, Strategy::equal, Datum::of(1234));
  scan.start({&k, 1});
  TupleId t;
  ASSERT_TRUE(scan.next(t));
  EXPECT_EQ(scan.values()[0].as_int32(), 1234);
  EXPECT_EQ(varlena::text(scan.values()[1], arena), "v2468");
  ASSERT_TRUE(scan.next(t));
  EXPECT_EQ(varlena::text(scan.values()[1], arena), "v2469");
  EXPECT_FALSE(scan.next(t));
}

// An extension that fails in the middle of a split leaves it incomplete: entries stay findable, and later insertions complete it.
TEST_F(IndexTest, IncompleteSplitsAreFinished) {
  std::mt19937 random(17);
  for (int every : {2, 3, 5}) {
    make({{'i'}, {'t'}});
    std::set<std::pair<std::int32_t, std::uint32_t>> truth, uncertain;
    std::uint32_t next_row = 0;
    fake::fail_extensions(every);
    for (int i = 0; i < 8000; ++i) {
      auto v = static_cast<std::int32_t>(random() % 100000);
      std::uint32_t row = next_row++;
      try {
        put({Datum::of(v), varlena::make(arena, std::string(100 + static_cast<std::size_t>(v % 300), 'k'))}, tid(row));
        truth.emplace(v, row);
      } catch (const SqlError& e) {
        ASSERT_EQ(e.code(), sqlstate::disk_full);
        uncertain.emplace(v, row);   // may be in or not, as after any failed statement
      }
      ASSERT_EQ(fake::pin_count(), 0);
    }
    EXPECT_GT(uncertain.size(), 20u);
    fake::fail_extensions(0);
    auto expect_found = [&] {
      std::set<std::uint32_t> found;
      for (std::uint32_t r : rows()) ASSERT_TRUE(found.insert(r).second);
      for (auto& [v, row] : truth) ASSERT_TRUE(found.contains(row)) << row;
      std::vector<std::uint32_t> forward = rows(), backward = rows({}, true);
      std::reverse(backward.begin(), backward.end());
      ASSERT_EQ(forward, backward);
    };
    expect_found();
    for (int i = 0; i < 20000; ++i) {
      auto v = static_cast<std::int32_t>(random() % 100000);
      put({Datum::of(v), varlena::make(arena, std::string(100, 'k'))}, tid(next_row));
      truth.emplace(v, next_row++);
    }
    expect_found();
    check_tree();
  }
}

// Everything at once, against a map.
TEST_F(IndexTest, RandomAgainstMap) {
  std::mt19937 random(11);
  for (int round = 0; round < 6; ++round) {
    make({{'i', round % 2 == 1, round % 3 == 0}});
    if (round >= 4) index.persistence = storage::Persistence::unlogged;
    std::set<std::pair<std::int32_t, std::uint32_t>> truth;
    std::uint32_t next_row = 0;
    int range = round < 3 ? 50 : 100000;
    for (int i = 0; i < 20000; ++i) {
      auto v = static_cast<std::int32_t>(random() % static_cast<unsigned>(range));
      put({Datum::of(v)}, tid(next_row));
      truth.emplace(index.keys[0].descending ? -v : v, next_row++);
      if (i % 5000 == 4999) {
        std::set<std::uint32_t> gone;
        for (auto it = truth.begin(); it != truth.end();) {
          if (random() % 2 == 0 || (it->first > range / 4 && it->first < range / 2)) {
            gone.insert(it->second);
            it = truth.erase(it);
          } else {
            ++it;
          }
        }
        VacuumResult r = vacuum(index, [&](TupleId t) { return gone.contains(number(t)); });
        EXPECT_EQ(r.removed, gone.size());
        EXPECT_EQ(check_tree(), truth.size());
      }
    }
    std::vector<std::uint32_t> expected;
    for (auto& [v, row] : truth) expected.push_back(row);
    EXPECT_EQ(rows(), expected);
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(rows({}, true), expected);
  }
}

}  // namespace
}  // namespace hathi::btree
