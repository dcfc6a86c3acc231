// Descriptors against a slow reference: bounds one by one.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/startup.h"
#include "hathi/error/sql_error.h"
#include "hathi/types/register.h"
#include "src/backend/partition/internal.h"

namespace hathi::partition {
namespace {

constexpr Oid kCompareInt4{351}, kHashInt4{425};

void initialize_once() {
  static bool done = false;
  if (done) return;
  done = true;
  types::register_all();
  catalog::register_catalog_functions();
  register_functions();
  catalog::load_builtin_objects();
}

PartitionKey make_key(Strategy strategy, std::size_t columns, Arena& arena) {
  initialize_once();
  auto* c = arena.make_array<KeyColumn>(columns);
  for (std::size_t i = 0; i < columns; ++i) {
    c[i].column = static_cast<AttrNumber>(i + 1);
    c[i].type = type_oid::int4;
    c[i].layout = {4, true, 'i'};
    c[i].comparison = prepare_comparison(kCompareInt4, kInvalidOid);
    c[i].hash.function = find_builtin_function(kHashInt4)->function;
    c[i].hash.oid = kHashInt4;
    c[i].hash.argument_count = 2;
    c[i].hash.strict = true;
  }
  return {strategy, {c, columns}};
}

Datum integer(int v) { return Datum::of(std::int32_t{v}); }

Bound* range_bound(int low, int high, Arena& arena) {
  auto* b = arena.make<Bound>();
  b->strategy = Strategy::range;
  auto* ends = arena.make_array<RangeDatum>(2);
  ends[0].value = integer(low);
  ends[1].value = integer(high);
  b->lower = {ends, 1};
  b->upper = {ends + 1, 1};
  return b;
}
Bound* list_bound(const std::vector<int>& values, bool with_null, Arena& arena) {
  auto* b = arena.make<Bound>();
  b->strategy = Strategy::list;
  auto* v = arena.make_array<NullableDatum>(values.size() + 1);
  for (std::size_t i = 0; i < values.size(); ++i) v[i] = {integer(values[i]), false};
  b->values = {v, values.size() + (with_null ? 1u : 0u)};
  return b;
}

// What makes two descriptors the same.
void expect_same(const PartitionDescriptor& a, const PartitionDescriptor& b) {
  ASSERT_EQ(a.members.size(), b.members.size());
  for (std::size_t i = 0; i < a.members.size(); ++i) EXPECT_EQ(a.members[i].oid, b.members[i].oid) << i;
  EXPECT_EQ(a.default_member, b.default_member);
  EXPECT_EQ(a.null_member, b.null_member);
  EXPECT_TRUE(std::equal(a.gap_members.begin(), a.gap_members.end(), b.gap_members.begin(), b.gap_members.end()));
  EXPECT_TRUE(std::equal(a.by_remainder.begin(), a.by_remainder.end(), b.by_remainder.begin(), b.by_remainder.end()));
  EXPECT_TRUE(std::equal(a.value_members.begin(), a.value_members.end(), b.value_members.begin(), b.value_members.end()));
  EXPECT_TRUE(std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end()));
  ASSERT_EQ(a.boundaries.size(), b.boundaries.size());
  for (std::size_t i = 0; i < a.boundaries.size(); ++i) EXPECT_EQ(a.boundaries[i].value, b.boundaries[i].value);
}

// Adds and removes partitions at random; after each step the derived descriptor is the one made from scratch.
template <class MakeBound>
void derive_at_random(const PartitionKey& key, MakeBound make_bound) {
  std::mt19937 random(7);
  DescriptorArrays a, b, fresh;
  a.descriptor.key = b.descriptor.key = fresh.descriptor.key = &key;
  DescriptorArrays *now = &a, *next = &b;
  std::vector<Placed> all;
  arrange({}, *now);
  for (std::uint32_t step = 1; step < 300; ++step) {
    std::vector<Oid> removed;
    std::vector<Placed> added;
    for (int i = 0; i < 2; ++i) {
      const Bound* bound = make_bound(random);
      if (bound == nullptr || find_overlap(now->descriptor, *bound).member >= 0) continue;
      if (!added.empty() && added[0].bound->is_default == bound->is_default) continue;   // they might collide with each other
      added.push_back({{Oid{step * 10 + static_cast<std::uint32_t>(i)}, true, false}, bound});
    }
    if (!all.empty() && random() % 3 == 0) removed.push_back(all[random() % all.size()].member.oid);
    derive(now->descriptor, removed, added, *next);
    std::erase_if(all, [&](const Placed& p) { return std::binary_search(removed.begin(), removed.end(), p.member.oid); });
    all.insert(all.end(), added.begin(), added.end());
    arrange(all, fresh);
    expect_same(next->descriptor, fresh.descriptor);
    std::swap(now, next);
  }
  EXPECT_GT(all.size(), 10u);
}

TEST(Descriptor, DerivedRangesAreThoseMadeFromScratch) {
  Arena arena;
  PartitionKey key = make_key(Strategy::range, 1, arena);
  derive_at_random(key, [&](std::mt19937& random) -> const Bound* {
    int low = static_cast<int>(random() % 1000);
    return range_bound(low, low + 1 + static_cast<int>(random() % 10), arena);
  });
}

TEST(Descriptor, DerivedListsAreThoseMadeFromScratch) {
  Arena arena;
  PartitionKey key = make_key(Strategy::list, 1, arena);
  derive_at_random(key, [&](std::mt19937& random) -> const Bound* {
    if (random() % 50 == 0) {
      auto* b = arena.make<Bound>();
      b->strategy = Strategy::list;
      b->is_default = true;
      return b;
    }
    std::vector<int> values;
    for (unsigned i = 0; i < 1 + random() % 3; ++i) values.push_back(static_cast<int>(random() % 2000));
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return list_bound(values, random() % 20 == 0, arena);
  });
}

TEST(Descriptor, RowsGoWhereOneBoundAfterAnotherSendsThem) {
  Arena arena;
  PartitionKey key = make_key(Strategy::range, 1, arena);
  std::vector<Placed> all;
  for (std::uint32_t i = 0; i < 50; ++i) {
    int low = static_cast<int>(i) * 7;
    all.push_back({{Oid{i + 1}, true, false}, range_bound(low, low + (i % 3 == 0 ? 7 : 4), arena)});
  }
  std::shuffle(all.begin(), all.end(), std::mt19937(3));
  DescriptorArrays d;
  d.descriptor.key = &key;
  arrange(all, d);
  for (int v = -5; v < 400; ++v) {
    Oid expected = kInvalidOid;
    for (const Placed& p : all) if (p.bound->lower[0].value.as_int32() <= v && v < p.bound->upper[0].value.as_int32()) expected = p.member.oid;
    Datum value = integer(v);
    bool null = false;
    int member = member_for_key(d.descriptor, &value, &null);
    EXPECT_EQ(member < 0 ? kInvalidOid : d.descriptor.members[static_cast<std::size_t>(member)].oid, expected) << v;
    Overlap overlap = find_overlap(d.descriptor, *range_bound(v, v + 2, arena));
    bool any = std::any_of(all.begin(), all.end(), [&](const Placed& p) {
      return p.bound->lower[0].value.as_int32() < v + 2 && v < p.bound->upper[0].value.as_int32();
    });
    EXPECT_EQ(overlap.member >= 0, any) << v;
  }
}

TEST(Descriptor, HashPartitionsOfMixedModuliCoverTheirRemainders) {
  Arena arena;
  PartitionKey key = make_key(Strategy::hash, 2, arena);
  auto bound = [&](int modulus, int remainder) {
    auto* b = arena.make<Bound>();
    b->modulus = modulus;
    b->remainder = remainder;
    return b;
  };
  DescriptorArrays d;
  d.descriptor.key = &key;
  arrange({{{Oid{1}, true, false}, bound(8, 5)}, {{Oid{2}, true, false}, bound(2, 0)}, {{Oid{3}, true, false}, bound(4, 3)}}, d);
  std::vector<std::int32_t> places(d.descriptor.by_remainder.begin(), d.descriptor.by_remainder.end());
  EXPECT_EQ(places, (std::vector<std::int32_t>{0, -1, 0, 1, 0, 2, 0, 1}));
  EXPECT_EQ(find_overlap(d.descriptor, *bound(8, 1)).member, -1);
  EXPECT_EQ(find_overlap(d.descriptor, *bound(16, 13)).member, 2);
  EXPECT_EQ(find_overlap(d.descriptor, *bound(4, 1)).member, 2);
}

TEST(Descriptor, APartitionThatIsBeingDetachedIsLeftOutForOthers) {
  Arena arena;
  PartitionKey key = make_key(Strategy::range, 1, arena);
  DescriptorArrays d;
  d.descriptor.key = &key;
  arrange({{{Oid{1}, true, false}, range_bound(0, 5, arena)}, {{Oid{2}, true, true}, range_bound(5, 9, arena)}}, d);
  ASSERT_NE(d.descriptor.without_pending, nullptr);
  EXPECT_EQ(d.descriptor.members.size(), 2u);
  Datum value = integer(6);
  bool null = false;
  EXPECT_EQ(member_for_key(d.descriptor, &value, &null), 1);
  EXPECT_EQ(member_for_key(*d.descriptor.without_pending, &value, &null), -1);
  Arena copy_arena;
  PartitionDescriptor* copied = copy_descriptor(d.descriptor, copy_arena);
  EXPECT_EQ(member_for_key(*copied->without_pending, &value, &null), -1);
}

TEST(Descriptor, CopiesFitTheSizeThatIsForetold) {
  Arena arena;
  PartitionKey key = make_key(Strategy::list, 1, arena);
  for (std::size_t n : {0u, 1u, 10u, 1000u}) {
    std::vector<Placed> all;
    for (std::uint32_t i = 0; i < n; ++i) {
      int v = static_cast<int>(i);
      all.push_back({{Oid{i + 1}, true, false}, list_bound({v, -v - 1}, i == 5, arena)});
    }
    DescriptorArrays d;
    d.descriptor.key = &key;
    arrange(all, d);
    std::vector<std::byte> memory(shared_size(d.descriptor));
    Arena fixed(memory.data(), memory.size());
    PartitionDescriptor* copied = nullptr;
    ASSERT_NO_THROW(copied = copy_descriptor(d.descriptor, fixed)) << n;
    expect_same(*copied, d.descriptor);
  }
}

TEST(BoundText, ReadsWhatItWrote) {
  Arena arena;
  PartitionKey range = make_key(Strategy::range, 1, arena), list = make_key(Strategy::list, 1, arena);
  Bound back = bound_from_text(bound_to_text(*range_bound(-3, 12, arena), range), range, arena);
  EXPECT_EQ(bound_to_sql(back, range), "FOR VALUES FROM ('-3') TO (12)");
  back = bound_from_text(bound_to_text(*list_bound({1, -2}, true, arena), list), list, arena);
  EXPECT_EQ(bound_to_sql(back, list), "FOR VALUES IN (1, '-2', NULL)");
}

TEST(BoundText, DamagedTextIsRefused) {
  Arena arena;
  PartitionKey range = make_key(Strategy::range, 1, arena);
  std::string text = bound_to_text(*range_bound(-3, 12, arena), range);
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_THROW(bound_from_text(std::string_view(text).substr(0, length), range, arena), SqlError) << length;
  }
  for (std::string_view bad : {"{PARTITIONBOUND }", "{PARTITIONBOUND r 0 0 0 vvv []}", "{PARTITIONBOUND h 0 4 1 . []}", "{PARTITIONBOUND r x 0 0 vv []}"}) {
    EXPECT_THROW(bound_from_text(bad, range, arena), SqlError) << bad;
  }
}

}  // namespace
}  // namespace hathi::partition
