// Cost formulas against figures that PostgreSQL 15's EXPLAIN shows, and sets of relations.

#include <gtest/gtest.h>

#include <cmath>

#include "../../../src/backend/planner/paths.h"
#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/lookup.h"
#include "hathi/types/register.h"

namespace hathi::planner {
namespace {

TEST(RelationSet, HoldsSmallAndLargeNumbers) {
  RelationSet a = RelationSet::of(3), b = RelationSet::of(200);
  EXPECT_FALSE(a.overlaps(b));
  RelationSet both = joined(a, b);
  EXPECT_TRUE(both.contains(a));
  EXPECT_TRUE(both.contains(b));
  EXPECT_FALSE(a.contains(both));
  EXPECT_EQ(both.count(), 2);
  EXPECT_EQ(both.first(), 3);
  both.remove(a);
  EXPECT_TRUE(both == b);
  EXPECT_EQ(both.first(), 200);
  EXPECT_TRUE(both.common(a).empty());
}

TEST(Costs, SortGrowsWithRowsAndShrinksWithALimit) {
  double startup, run, top_startup, top_run;
  sort_cost(10000, 8, 0, startup, run);
  EXPECT_NEAR(startup, 0.005 * 10000 * 13.2877, 0.01);   // 2 operators a comparison, n log2 n comparisons
  EXPECT_DOUBLE_EQ(run, 25);
  sort_cost(10000, 8, 10, top_startup, top_run);
  EXPECT_NEAR(top_startup, 0.005 * 10000 * 4.3219, 0.01);   // a heap of 20
  EXPECT_DOUBLE_EQ(top_run, run);
  double spilled;
  sort_cost(1000000, 100, 0, spilled, run);
  EXPECT_GT(spilled, 0.005 * 1000000 * 19.9);   // more than the comparisons: runs are written and read
}

TEST(Costs, PagesOfRandomFetches) {
  EXPECT_DOUBLE_EQ(pages_fetched(1, 100, 10, 100), 1);
  EXPECT_DOUBLE_EQ(pages_fetched(100000, 100, 10, 100), 100);   // never more than there are
  double some = pages_fetched(100, 100, 10, 100);
  EXPECT_GT(some, 50);
  EXPECT_LT(some, 100);
}

TEST(Costs, HashTablesSpillInPowersOfTwo) {
  HashShape small = hash_shape(100, 8), large = hash_shape(10000000, 100);
  EXPECT_DOUBLE_EQ(small.buckets, 1024);
  EXPECT_DOUBLE_EQ(small.batches, 1);
  EXPECT_GE(large.batches, 64);
}

TEST(Costs, KeysArePrefixesByIdentity) {
  PathKey a{}, b{}, c{};
  PathKeys abc{&a, &b, &c}, ab{&a, &b}, ba{&b, &a};
  EXPECT_TRUE(JoinPlanner::begins_with(abc, ab));
  EXPECT_FALSE(JoinPlanner::begins_with(ab, abc));
  EXPECT_FALSE(JoinPlanner::begins_with(abc, ba));
  EXPECT_EQ(JoinPlanner::common_prefix(abc, {&a, &c}), 1u);
}

TEST(PathCosts, HalvingsAreTheLogarithmRoundedUp) {
  auto by_logarithm = [](double n) { return std::ceil(std::log(n) / std::log(2.0)); };
  for (int i = 1; i < 45; ++i) {
    double power = std::ldexp(1.0, i);
    for (double n : {power, power + 1, power * 1.5, power * 2 - 1}) EXPECT_EQ(halvings(n), by_logarithm(n)) << n;
  }
}

}  // namespace
}  // namespace hathi::planner
