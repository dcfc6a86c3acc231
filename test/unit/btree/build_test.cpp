#include <algorithm>
#include <random>

#include "fixture.h"
#include "hathi/config/settings.h"

namespace hathi::btree {
namespace {

class BuildTest : public IndexTest {
 protected:
  void build(const std::vector<std::int32_t>& values, std::function<bool(std::uint32_t)> live = [](std::uint32_t) { return true; }) {
    Builder builder(index, [this](const Datum* v, const bool*) {
      duplicate = v[0].as_int32();
      throw SqlError(sqlstate::unique_violation, "duplicate");
    });
    for (std::uint32_t i = 0; i < values.size(); ++i) {
      Datum v = Datum::of(values[i]);
      bool is_null = values[i] == kNull;
      builder.add(&v, &is_null, tid(i), live(i));
    }
    EXPECT_EQ(builder.row_count(), values.size());
    builder.finish();
  }
  void expect_sorted(const std::vector<std::int32_t>& values) {
    std::vector<std::uint32_t> expected(values.size());
    for (std::uint32_t i = 0; i < values.size(); ++i) expected[i] = i;
    bool nulls_first = index.keys[0].nulls_first, descending = index.keys[0].descending;
    auto rank = [&](std::uint32_t i) {
      if (values[i] == kNull) return nulls_first ? std::int64_t{-1} << 40 : std::int64_t{1} << 40;
      return descending ? -std::int64_t{values[i]} : std::int64_t{values[i]};
    };
    std::sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) { return rank(a) != rank(b) ? rank(a) < rank(b) : a < b; });
    EXPECT_EQ(rows(), expected);
  }
  static constexpr std::int32_t kNull = -12345678;
  std::int32_t duplicate = 0;
};

TEST_F(BuildTest, AsManyPagesAsPostgres) {
  // pgbench -i -s 1: pgbench_accounts_pkey has 276 pages in PostgreSQL 15.
  make({{'i'}}, true);
  std::vector<std::int32_t> values;
  for (std::int32_t i = 1; i <= 100000; ++i) values.push_back(i);
  build(values);
  EXPECT_EQ(check_tree(), values.size());
  EXPECT_LE(blocks(), 278u);
  expect_sorted(values);
}

TEST_F(BuildTest, EmptyAndTiny) {
  make({{'i'}});
  build({});
  EXPECT_TRUE(rows().empty());
  put({Datum::of(1)}, tid(7));
  EXPECT_EQ(rows(), std::vector<std::uint32_t>{7});
  make({{'i'}});
  build({3});
  EXPECT_EQ(shape(index).height, 1);
  EXPECT_EQ(rows(), std::vector<std::uint32_t>{0});
}

TEST_F(BuildTest, ShuffledWithSpills) {
  int memory = config::values::maintenance_work_mem;
  config::values::maintenance_work_mem = 1024;
  std::mt19937 random(1);
  for (int variant = 0; variant < 4; ++variant) {
    make({{'i', variant % 2 == 1, variant / 2 == 1}});
    std::vector<std::int32_t> values;
    for (int i = 0; i < 120000; ++i) values.push_back(random() % 10 == 0 ? kNull : static_cast<std::int32_t>(random() % 50000) - 25000);
    build(values);
    EXPECT_EQ(check_tree(), values.size());
    expect_sorted(values);
    // It goes on living.
    for (std::uint32_t i = 0; i < 5000; ++i) put({Datum::of(static_cast<std::int32_t>(random() % 50000))}, tid(200000 + i));
    EXPECT_EQ(check_tree(), values.size() + 5000);
  }
  config::values::maintenance_work_mem = memory;
}

TEST_F(BuildTest, DuplicatesShareEntries) {
  make({{'i'}});
  std::vector<std::int32_t> values;
  for (int i = 0; i < 100000; ++i) values.push_back(i % 10);
  build(values);
  EXPECT_EQ(check_tree(), values.size());
  // PostgreSQL 15: create index on (x % 10) over 100000 rows has 87 pages.
  EXPECT_LE(blocks(), 90u);
  expect_sorted(values);
  std::set<std::uint32_t> gone;
  for (std::uint32_t i = 0; i < 100000; i += 3) gone.insert(i);
  VacuumResult r = vacuum(index, [&](TupleId t) { return gone.contains(number(t)); });
  EXPECT_EQ(r.removed, gone.size());
  EXPECT_EQ(check_tree(), values.size() - gone.size());
}

TEST_F(BuildTest, UniqueViolation) {
  make({{'i'}}, true);
  EXPECT_THROW(build({5, 3, 9, 3}), SqlError);
  EXPECT_EQ(duplicate, 3);
  make({{'i'}}, true);
  build({5, 3, 9, 3}, [](std::uint32_t i) { return i != 1; });   // one of them is dead
  EXPECT_EQ(check_tree(), 4u);
  make({{'i'}}, true);
  build({kNull, 1, kNull});
  make({{'i'}}, true);
  index.nulls_not_distinct = true;
  EXPECT_THROW(build({kNull, 1, kNull}), SqlError);
}

TEST_F(BuildTest, TextsOfAllLengths) {
  make({{'t'}});
  std::mt19937 random(4);
  std::vector<std::pair<std::string, std::uint32_t>> truth;
  Builder builder(index, [](const Datum*, const bool*) {});
  for (std::uint32_t i = 0; i < 5000; ++i) {
    std::string s;
    std::size_t n = random() % 4 == 0 ? random() % 2600 : random() % 10;
    for (std::size_t k = 0; k < n; ++k) s += static_cast<char>('!' + random() % 90);
    Datum v = varlena::make(arena, s);
    bool is_null = false;
    builder.add(&v, &is_null, tid(i), true);
    truth.emplace_back(s, i);
  }
  builder.finish();
  EXPECT_EQ(check_tree(), truth.size());
  std::sort(truth.begin(), truth.end());
  std::vector<std::uint32_t> expected;
  for (auto& [s, i] : truth) expected.push_back(i);
  EXPECT_EQ(rows(), expected);
}

}  // namespace
}  // namespace hathi::btree
