// Pruning against the definition: a partition may be left out only when no key in it fulfils the conditions; for one condition on one key column
// nothing more may be kept than partitions (or the default) that some key value leads to.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "hathi/partition/prune.h"
#include "hathi/partition/route.h"
#include "hathi/types/register.h"

namespace hathi::partition {
namespace {

constexpr Oid kCompareInt4{351}, kHashInt4Extended{425};
constexpr int kLowest = -3, kHighest = 40;

struct Fixture {
  Arena arena;
  std::vector<KeyColumn> columns;
  PartitionKey key;
  PartitionDescriptor descriptor;

  explicit Fixture(Strategy strategy, std::size_t column_count = 1) {
    static bool registered = (types::register_all(), true);
    (void)registered;
    for (std::size_t i = 0; i < column_count; ++i) {
      KeyColumn c;
      c.column = static_cast<AttrNumber>(i + 1);
      c.type = Oid{23};
      c.layout = {4, true, 'i'};
      c.support = strategy == Strategy::hash ? kHashInt4Extended : kCompareInt4;
      if (strategy == Strategy::hash) c.hash = resolve_hash(c.support, kInvalidOid);
      else c.comparison = prepare_comparison(c.support, kInvalidOid);
      columns.push_back(c);
    }
    key = {strategy, columns};
    descriptor.key = &key;
  }
  template <class T>
  std::span<const T> keep(const std::vector<T>& v) {
    T* p = arena.make_array<T>(v.size());
    std::copy(v.begin(), v.end(), p);
    return {p, v.size()};
  }
  void set_members(int n) {
    std::vector<Member> m(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) m[static_cast<std::size_t>(i)].oid = Oid{static_cast<std::uint32_t>(i + 1)};
    descriptor.members = keep(m);
  }
};

std::unique_ptr<Fixture> make_list(std::mt19937& random, bool with_default) {
  auto f = std::make_unique<Fixture>(Strategy::list);
  std::vector<Datum> values;
  std::vector<std::int32_t> owners;
  int members = 6;
  for (int v = 0; v < 30; ++v) {
    if (random() % 4 == 0) continue;
    values.push_back(Datum::of(v));
    owners.push_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(members)));
  }
  f->descriptor.values = f->keep(values);
  f->descriptor.value_members = f->keep(owners);
  f->descriptor.null_member = random() % 2 == 0 ? 2 : -1;
  if (with_default) f->descriptor.default_member = members++;
  f->set_members(members);
  return f;
}

std::unique_ptr<Fixture> make_range(std::mt19937& random, bool with_default, std::size_t column_count) {
  auto f = std::make_unique<Fixture>(Strategy::range, column_count);
  std::set<std::vector<int>> cuts;
  while (cuts.size() < 6) {
    std::vector<int> cut;
    for (std::size_t i = 0; i < column_count; ++i) cut.push_back(static_cast<int>(random() % (column_count == 1 ? 35u : 6u)));
    cuts.insert(cut);
  }
  std::vector<RangeDatum> boundaries;
  for (const auto& cut : cuts) for (int v : cut) boundaries.push_back({RangeDatum::Kind::value, Datum::of(v)});
  std::vector<std::int32_t> gaps;
  std::int32_t members = 0;
  for (std::size_t i = 0; i <= cuts.size(); ++i) {
    bool covered = i != 0 && i != cuts.size() && random() % 4 != 0;
    gaps.push_back(covered ? members++ : -1);
  }
  f->descriptor.boundaries = f->keep(boundaries);
  f->descriptor.gap_members = f->keep(gaps);
  if (with_default) f->descriptor.default_member = members++;
  f->set_members(members);
  return f;
}

std::unique_ptr<Fixture> make_hash(std::size_t column_count) {
  auto f = std::make_unique<Fixture>(Strategy::hash, column_count);
  f->descriptor.by_remainder = f->keep(std::vector<std::int32_t>{0, 1, -1, 2, 3, 1, 4, 2});
  f->set_members(5);
  return f;
}

struct Condition { PruneClause clause; std::vector<int> array; };

PruneClause random_clause(std::mt19937& random, const Fixture& f, bool hash) {
  PruneClause c;
  c.key = static_cast<std::int16_t>(random() % f.columns.size());
  const KeyColumn& k = f.columns[static_cast<std::size_t>(c.key)];
  c.comparison = k.comparison;
  c.hash = k.hash;
  unsigned dice = random() % 12;
  c.kind = dice == 0   ? PruneClause::Kind::is_null
           : dice == 1 ? PruneClause::Kind::is_not_null
           : dice == 2 && f.key.strategy == Strategy::list ? PruneClause::Kind::not_equal
                                                           : PruneClause::Kind::compare;
  c.strategy = static_cast<std::int16_t>(hash ? 3 : 1 + random() % 5);
  c.constant = {Datum::of(static_cast<int>(random() % (f.columns.size() == 1 ? 36u : 7u)) - 1), false};
  return c;
}

bool holds(const PruneClause& c, const std::vector<std::optional<int>>& key) {
  std::optional<int> v = key[static_cast<std::size_t>(c.key)];
  if (c.kind == PruneClause::Kind::is_null) return !v;
  if (c.kind == PruneClause::Kind::is_not_null) return v.has_value();
  if (!v) return false;
  int w = c.constant.value.as_int32();
  if (c.kind == PruneClause::Kind::not_equal) return *v != w;
  switch (c.strategy) {
    case 1: return *v < w;
    case 2: return *v <= w;
    case 3: return *v == w;
    case 4: return *v >= w;
    default: return *v > w;
  }
}

// Every key of the space that is tested.
std::vector<std::vector<std::optional<int>>> all_keys(std::size_t columns) {
  std::vector<std::vector<std::optional<int>>> out;
  if (columns == 1) {
    out.push_back({std::nullopt});
    for (int v = kLowest; v <= kHighest; ++v) out.push_back({v});
    return out;
  }
  for (int a = -2; a <= 8; ++a) {
    for (int b = -2; b <= 8; ++b) {
      out.push_back({a == -2 ? std::nullopt : std::optional<int>(a), b == -2 ? std::nullopt : std::optional<int>(b)});
    }
  }
  return out;
}

void check(Fixture& f, std::mt19937& random) {
  bool hash = f.key.strategy == Strategy::hash;
  std::vector<PruneClause> clauses(1 + random() % 3);
  for (PruneClause& c : clauses) c = random_clause(random, f, hash);
  // Sometimes two of them as alternatives.
  std::vector<PruneClause> either(random() % 3 == 0 ? 2 : 0);
  for (PruneClause& c : either) c = random_clause(random, f, hash);
  std::vector<PruneGroup> groups;
  for (const PruneClause& c : either) groups.push_back({{&c, 1}, {}, false});
  std::span<const PruneGroup> alternatives(groups);
  PruneGroup root{clauses, {}, false};
  if (!groups.empty()) root.alternatives = {&alternatives, 1};
  PruneSteps steps{f.key.strategy, static_cast<int>(f.columns.size()), &root, {}};
  Arena scratch;
  std::vector<int> members;
  prune(f.descriptor, steps, [](int, NullableDatum&) { return false; }, scratch, members);
  ASSERT_TRUE(std::is_sorted(members.begin(), members.end()));
  KeyFunctions functions = resolve_key(f.key, scratch);
  std::set<int> wanted;
  for (const auto& key : all_keys(f.columns.size())) {
    bool all = std::all_of(clauses.begin(), clauses.end(), [&](const PruneClause& c) { return holds(c, key); });
    all = all && (either.empty() || std::any_of(either.begin(), either.end(), [&](const PruneClause& c) { return holds(c, key); }));
    if (!all) continue;
    Datum values[2];
    bool nulls[2];
    for (std::size_t i = 0; i < key.size(); ++i) {
      nulls[i] = !key[i];
      values[i] = key[i] ? Datum::of(*key[i]) : Datum();
    }
    int member = find_member(f.descriptor, functions, values, nulls, scratch);
    if (member >= 0) wanted.insert(member);
  }
  for (int m : wanted) ASSERT_TRUE(std::binary_search(members.begin(), members.end(), m)) << "partition " << m << " was pruned";
  // (Pruning does not know that integers are discrete: [5, 6) is kept for a > 5.)
  bool exact = f.columns.size() == 1 && clauses.size() == 1 && either.empty() && f.key.strategy == Strategy::range &&
               std::none_of(clauses.begin(), clauses.end(), [](const PruneClause& c) { return c.kind == PruneClause::Kind::compare && c.strategy == 5; });
  if (!exact) return;
  for (int m : members) ASSERT_TRUE(wanted.contains(m) || m == f.descriptor.default_member) << "partition " << m << " was kept";
}

TEST(Prune, ListsAgainstTheDefinition) {
  std::mt19937 random(1);
  for (int i = 0; i < 4000; ++i) check(*make_list(random, i % 2 == 0), random);
}

TEST(Prune, RangesAgainstTheDefinition) {
  std::mt19937 random(2);
  for (int i = 0; i < 4000; ++i) check(*make_range(random, i % 2 == 0, 1), random);
}

TEST(Prune, RangesOfTwoColumnsAgainstTheDefinition) {
  std::mt19937 random(3);
  for (int i = 0; i < 4000; ++i) check(*make_range(random, i % 2 == 0, 2), random);
}

TEST(Prune, HashesAgainstTheDefinition) {
  std::mt19937 random(4);
  for (int i = 0; i < 4000; ++i) check(*make_hash(1 + static_cast<std::size_t>(i % 2)), random);
}

TEST(Prune, TwoExclusionsTakeAwayAListOfTwoValues) {
  Fixture f(Strategy::list);
  f.descriptor.values = f.keep(std::vector<Datum>{Datum::of(1), Datum::of(2), Datum::of(3)});
  f.descriptor.value_members = f.keep(std::vector<std::int32_t>{0, 0, 1});
  f.set_members(2);
  std::vector<PruneClause> clauses(2);
  for (std::size_t i = 0; i < 2; ++i) {
    clauses[i].kind = PruneClause::Kind::not_equal;
    clauses[i].comparison = f.columns[0].comparison;
    clauses[i].constant = {Datum::of(static_cast<int>(i + 1)), false};
  }
  PruneGroup root{clauses, {}, false};
  PruneSteps steps{Strategy::list, 1, &root, {}};
  Arena scratch;
  std::vector<int> members;
  prune(f.descriptor, steps, [](int, NullableDatum&) { return false; }, scratch, members);
  EXPECT_EQ(members, std::vector<int>{1});
}

TEST(Prune, ADefaultPartitionAloneTakesEveryKey) {
  Fixture f(Strategy::range, 2);
  f.descriptor.default_member = 0;
  f.set_members(1);
  std::vector<PruneClause> clauses(2);
  for (std::size_t i = 0; i < 2; ++i) {
    clauses[i].key = static_cast<std::int16_t>(i);
    clauses[i].comparison = f.columns[i].comparison;
    clauses[i].constant = {Datum::of(3), false};
  }
  PruneGroup root{clauses, {}, false};
  PruneSteps steps{Strategy::range, 2, &root, {}};
  Arena scratch;
  std::vector<int> members;
  prune(f.descriptor, steps, [](int, NullableDatum&) { return false; }, scratch, members);
  EXPECT_EQ(members, std::vector<int>{0});
}

TEST(Prune, UnknownValuesDoNotPrune) {
  auto f = make_hash(1);
  PruneClause c;
  c.hash = f->columns[0].hash;
  c.argument = 0;
  PruneGroup root{{&c, 1}, {}, false};
  PruneSteps steps{Strategy::hash, 1, &root, {}};
  Arena scratch;
  std::vector<int> members;
  prune(f->descriptor, steps, [](int, NullableDatum&) { return false; }, scratch, members);
  EXPECT_EQ(members.size(), 5u);
  prune(f->descriptor, steps, [](int, NullableDatum& v) { v = {Datum::of(5), false}; return true; }, scratch, members);
  EXPECT_LE(members.size(), 1u);
  prune(f->descriptor, steps, [](int, NullableDatum& v) { v = {}; return true; }, scratch, members);
  EXPECT_TRUE(members.empty()) << "= NULL is true for no row";
}

}  // namespace
}  // namespace hathi::partition
