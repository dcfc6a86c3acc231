#include <algorithm>
#include <functional>
#include <limits>
#include <random>

#include "fixture.h"

namespace hathi::btree {
namespace {

struct Row { std::int32_t a, b; bool a_null, b_null; std::uint32_t row; };

class ScanTest : public IndexTest {
 protected:
  // Order of two columns' values in the index.
  int order(int column, std::int32_t x, bool x_null, std::int32_t y, bool y_null) const {
    const KeyColumn& k = index.keys[static_cast<std::size_t>(column)];
    if (x_null || y_null) {
      if (x_null && y_null) return 0;
      return x_null == k.nulls_first ? -1 : 1;
    }
    int o = three_way(x, y);
    return k.descending ? -o : o;
  }
  void sort(std::vector<Row>& v) const {
    std::sort(v.begin(), v.end(), [&](const Row& x, const Row& y) {
      int o = order(0, x.a, x.a_null, y.a, y.a_null);
      if (o == 0) o = order(1, x.b, x.b_null, y.b, y.b_null);
      return o != 0 ? o < 0 : x.row < y.row;
    });
  }
  void put_row(const Row& r) {
    Datum values[2] = {Datum::of(r.a), Datum::of(r.b)};
    bool nulls[2] = {r.a_null, r.b_null};
    insert(index, values, nulls, tid(r.row), UniqueCheck::none, probe, [](TupleId) {});
  }
  static bool meets(const ScanKey& k, std::int32_t v, bool is_null) {
    if (k.is_null_test) return is_null == k.null_wanted;
    if (is_null) return false;
    if (!k.any_of.empty()) {
      return std::any_of(k.any_of.begin(), k.any_of.end(), [&](Datum d) {
        ScanKey one = k;
        one.any_of = {};
        one.argument = d;
        return meets(one, v, false);
      });
    }
    std::int32_t x = k.argument.as_int32();
    switch (k.strategy) {
      case Strategy::less: return v < x;
      case Strategy::less_equal: return v <= x;
      case Strategy::equal: return v == x;
      case Strategy::greater_equal: return v >= x;
      case Strategy::greater: return v > x;
      case Strategy::none: return true;
    }
    return false;
  }
};

TEST_F(ScanTest, RandomConditionsAgainstTruth) {
  std::mt19937 random(5);
  auto pick = [&](unsigned n) { return random() % n; };
  for (int shape_number = 0; shape_number < 16; ++shape_number) {
    make({{'i', (shape_number & 1) != 0, (shape_number & 2) != 0}, {'i', (shape_number & 4) != 0, (shape_number & 8) != 0}});
    std::vector<Row> truth;
    for (std::uint32_t i = 0; i < 3000; ++i) {
      Row r{static_cast<std::int32_t>(pick(20)), static_cast<std::int32_t>(pick(30)), pick(10) == 0, pick(10) == 0, i};
      truth.push_back(r);
      put_row(r);
    }
    ASSERT_EQ(check_tree(), truth.size());
    sort(truth);
    for (int q = 0; q < 150; ++q) {
      std::vector<ScanKey> conditions;
      Datum elements[4][6];
      std::size_t n = pick(4);
      for (std::size_t i = 0; i < n; ++i) {
        ScanKey k = condition(static_cast<int>(1 + pick(2)), static_cast<Strategy>(1 + pick(5)), Datum::of(static_cast<std::int32_t>(pick(32)) - 1));
        if (pick(6) == 0) {
          k.is_null_test = true;
          k.null_wanted = pick(2) == 0;
        } else if (pick(4) == 0) {
          std::size_t count = 1 + pick(6);
          for (std::size_t e = 0; e < count; ++e) elements[i][e] = Datum::of(static_cast<std::int32_t>(pick(32)) - 1);
          k.any_of = {elements[i], count};
          if (pick(3) != 0) k.strategy = Strategy::equal;
        } else if (pick(3) == 0) {
          k.strategy = Strategy::equal;
        }
        conditions.push_back(k);
      }
      std::vector<std::uint32_t> expected;
      for (const Row& r : truth) {
        bool ok = std::all_of(conditions.begin(), conditions.end(),
                              [&](const ScanKey& k) { return k.column == 1 ? meets(k, r.a, r.a_null) : meets(k, r.b, r.b_null); });
        if (ok) expected.push_back(r.row);
      }
      // Two arrays on one column are met by combinations that may repeat rows; the planner never makes them.
      int arrays[3] = {};
      for (const ScanKey& k : conditions) arrays[k.column] += !k.any_of.empty() && k.strategy == Strategy::equal ? 1 : 0;
      if (arrays[1] > 1 || arrays[2] > 1) continue;
      std::vector<std::uint32_t> forward = rows(conditions), backward = rows(conditions, true);
      // With arrays the order is that of the combinations when a range precedes them.
      bool ordered = arrays[1] + arrays[2] == 0;
      if (!ordered) {
        std::sort(forward.begin(), forward.end());
        std::sort(backward.begin(), backward.end());
        std::sort(expected.begin(), expected.end());
      } else {
        std::reverse(backward.begin(), backward.end());
      }
      ASSERT_EQ(forward, expected) << shape_number << " " << q;
      ASSERT_EQ(backward, expected) << shape_number << " " << q;
    }
  }
}

TEST_F(ScanTest, ArraysGiveIndexOrder) {
  make({{'i'}, {'i'}});
  for (std::uint32_t i = 0; i < 3000; ++i) put_row({static_cast<std::int32_t>(i / 10), static_cast<std::int32_t>(i % 10), false, false, i});
  Datum a[] = {Datum::of(200), Datum::of(3), Datum::of(50), Datum::of(3), Datum::of(100000)};
  Datum b[] = {Datum::of(9), Datum::of(0)};
  ScanKey k[2] = {condition(1, Strategy::equal, Datum()), condition(2, Strategy::equal, Datum())};
  k[0].any_of = a;
  k[1].any_of = b;
  std::vector<std::uint32_t> expected{30, 39, 500, 509, 2000, 2009};
  EXPECT_EQ(rows(k), expected);
  std::reverse(expected.begin(), expected.end());
  EXPECT_EQ(rows(k, true), expected);
}

TEST_F(ScanTest, CrossTypeConditions) {
  make({{'l'}});
  for (std::uint32_t i = 0; i < 2000; ++i) put({Datum::of(static_cast<std::int64_t>(i))}, tid(i));
  ScanKey k = condition(1, Strategy::equal, Datum::of(std::int32_t{77}));
  k.comparison = prepare_comparison(Oid{2189}, kInvalidOid);   // int8 with int4
  EXPECT_EQ(rows({&k, 1}), std::vector<std::uint32_t>{77});
  k.strategy = Strategy::greater;
  k.argument = Datum::of(std::int32_t{1997});
  EXPECT_EQ(rows({&k, 1}), (std::vector<std::uint32_t>{1998, 1999}));
}

TEST_F(ScanTest, FirstLineWhateverTheSpreadOfNumbers) {
  std::mt19937_64 random(11);
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min(), kMost = std::numeric_limits<std::int64_t>::max();
  using Make = std::function<std::int64_t(std::uint32_t)>;
  const std::vector<Make> spreads = {
      [](std::uint32_t i) { return std::int64_t{i} * 3; },                                                  // even
      [&](std::uint32_t) { return static_cast<std::int64_t>(random()); },                                   // over all numbers
      [](std::uint32_t i) { return std::int64_t{1} << (i % 62); },                                          // doubling, many alike
      [](std::uint32_t i) { return i % 3 == 0 ? kLeast : i % 3 == 1 ? kMost : std::int64_t{i}; },           // ends and a little between
      [](std::uint32_t i) { return i < 900 ? std::int64_t{i} : kMost - i; }};                               // a gap
  for (std::size_t number = 0; number < spreads.size() * 2; ++number) {
    bool descending = number % 2 == 1;
    make({{'l', descending}});
    std::vector<std::int64_t> values;
    for (std::uint32_t i = 0; i < 1500; ++i) {
      values.push_back(spreads[number / 2](i));
      put({Datum::of(values.back())}, tid(i));
    }
    put_null(tid(1500));
    ASSERT_EQ(check_tree(), 1501u);
    auto expect_found = [&](std::int64_t wanted) {
      for (Strategy strategy : {Strategy::less, Strategy::equal, Strategy::greater}) {
        auto meets = [&](std::int64_t v) { return strategy == Strategy::less ? v < wanted : strategy == Strategy::equal ? v == wanted : v > wanted; };
        ScanKey k = condition(1, strategy, Datum::of(wanted), 'l');
        ASSERT_EQ(rows({&k, 1}).size(), static_cast<std::size_t>(std::count_if(values.begin(), values.end(), meets))) << number << " " << wanted;
        ASSERT_EQ(rows({&k, 1}, true).size(), rows({&k, 1}).size()) << number << " " << wanted;
      }
    };
    for (std::size_t i = 0; i < values.size(); i += 37) {
      expect_found(values[i]);
      if (values[i] < kMost) expect_found(values[i] + 1);
      if (values[i] > kLeast) expect_found(values[i] - 1);
    }
    expect_found(kLeast);
    expect_found(kMost);
    expect_found(0);
  }
}

TEST_F(ScanTest, TurningRoundAndEnds) {
  make({{'i'}});
  for (std::uint32_t i = 0; i < 2000; ++i) put({Datum::of(static_cast<std::int32_t>(i))}, tid(i));
  Scan scan(index, false);
  scan.start({});
  TupleId t;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    ASSERT_TRUE(scan.next(t));
    ASSERT_EQ(number(t), i);
  }
  for (std::uint32_t i = 999; i-- > 0;) {
    ASSERT_TRUE(scan.next(t, true));
    ASSERT_EQ(number(t), i);
  }
  EXPECT_FALSE(scan.next(t, true));
  EXPECT_FALSE(scan.next(t, true));
  for (std::uint32_t i = 0; i < 2000; ++i) {
    ASSERT_TRUE(scan.next(t));
    ASSERT_EQ(number(t), i);
  }
  EXPECT_FALSE(scan.next(t));
  ASSERT_TRUE(scan.next(t, true));
  EXPECT_EQ(number(t), 1999u);
}

TEST_F(ScanTest, MarkAndRestore) {
  make({{'i'}});
  for (std::uint32_t i = 0; i < 3000; ++i) put({Datum::of(static_cast<std::int32_t>(i))}, tid(i));
  for (bool values : {false, true}) {
    Scan scan(index, values);
    scan.start({});
    TupleId t;
    for (int i = 0; i <= 100; ++i) ASSERT_TRUE(scan.next(t));
    scan.mark();
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(scan.next(t));
    scan.restore();          // same page
    ASSERT_TRUE(scan.next(t));
    EXPECT_EQ(number(t), 101u);
    scan.restore();
    for (int i = 0; i < 2000; ++i) ASSERT_TRUE(scan.next(t));
    EXPECT_EQ(number(t), 2100u);
    scan.restore();          // pages away
    ASSERT_TRUE(scan.next(t));
    EXPECT_EQ(number(t), 101u);
    if (values) { EXPECT_EQ(scan.values()[0].as_int32(), 101); }
    scan.restore();
    while (scan.next(t)) {}
    scan.restore();          // from the end
    ASSERT_TRUE(scan.next(t));
    EXPECT_EQ(number(t), 101u);
  }
}

TEST_F(ScanTest, KilledEntriesAreSkippedAndGo) {
  make({{'i'}});
  for (std::uint32_t i = 0; i < 300; ++i) put({Datum::of(static_cast<std::int32_t>(i))}, tid(i));
  {
    Scan scan(index, false);
    scan.start({});
    TupleId t;
    while (scan.next(t)) {
      if (number(t) % 2 == 0) scan.kill_current();
    }
  }
  std::vector<std::uint32_t> left = rows();
  ASSERT_EQ(left.size(), 150u);
  EXPECT_EQ(left[0], 1u);
  // A page that changed after it was read is left alone.
  {
    Scan scan(index, false);
    scan.start({});
    TupleId t;
    ASSERT_TRUE(scan.next(t));
    scan.kill_current();
    put({Datum::of(1000)}, tid(1000));
  }
  EXPECT_EQ(rows().size(), 151u);
  // Splits drop the dead.
  for (std::uint32_t i = 2000; i < 2400; ++i) put({Datum::of(5)}, tid(i));
  EXPECT_EQ(check_tree(), 551u);
}

TEST_F(ScanTest, EmptyConditionGivesNothing) {
  make({{'i'}});
  put({Datum::of(1)}, tid(1));
  Scan scan(index, false);
  scan.start({}, true);
  TupleId t;
  EXPECT_FALSE(scan.next(t));
  scan.start({});
  EXPECT_TRUE(scan.next(t));
}

// Pages split and deleted under a scan that holds no pin.
TEST_F(ScanTest, BackwardScanMeetsSplitsAndDeletions) {
  make({{'i'}});
  for (std::uint32_t i = 0; i < 5000; ++i) put({Datum::of(static_cast<std::int32_t>(i * 2))}, tid(i));
  fake::View view;   // keeps deleted pages from being used anew
  Scan scan(index, false);
  scan.start({});
  TupleId t;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(scan.next(t, true));
  std::uint32_t at = number(t);
  ASSERT_EQ(at, 4000u);
  // Fill the pages to the left, and empty some.
  for (std::uint32_t i = 0; i < 3000; ++i) put({Datum::of(static_cast<std::int32_t>(i * 2 + 1))}, tid(10000 + i));
  vacuum(index, [&](TupleId x) { std::uint32_t n = number(x); return (n >= 3000 && n < 3900) || (n >= 12000); });
  std::vector<std::uint32_t> found;
  while (scan.next(t, true)) {
    if (number(t) < 10000) found.push_back(number(t));
  }
  // Rows that were there all the time must all be met, each once, in order.
  std::vector<std::uint32_t> stable;
  for (std::uint32_t n : found) {
    if (n < 3000) stable.push_back(n);
  }
  ASSERT_EQ(stable.size(), 3000u);
  for (std::uint32_t i = 0; i < 3000; ++i) ASSERT_EQ(stable[i], 2999 - i);
}

}  // namespace
}  // namespace hathi::btree
