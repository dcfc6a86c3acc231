// From partitions and their bounds to a descriptor's arrays.

#include "internal.h"

#include <algorithm>

namespace hathi::partition {

namespace {

bool before(const PartitionKey& key, const Placed& a, const Placed& b) {
  if (a.bound->is_default != b.bound->is_default) return b.bound->is_default;
  switch (key.strategy) {
    case Strategy::hash: return a.bound->modulus != b.bound->modulus ? a.bound->modulus < b.bound->modulus : a.bound->remainder < b.bound->remainder;
    case Strategy::range: return a.bound->is_default ? false : compare_bounds(key, a.bound->lower, b.bound->lower) < 0;
    case Strategy::list: return false;
  }
  return false;
}

void set_members(const std::vector<Placed>& sorted, DescriptorArrays& out) {
  PartitionDescriptor& d = out.descriptor;
  out.members.clear();
  out.bounds.clear();
  d.default_member = -1;
  d.all_leaves = true;
  for (const Placed& p : sorted) {
    if (p.bound->is_default) d.default_member = static_cast<int>(out.members.size());
    d.all_leaves = d.all_leaves && p.member.is_leaf;
    out.members.push_back(p.member);
    out.bounds.push_back(p.bound);
  }
}

void fill_hash(DescriptorArrays& out) {
  int greatest = out.bounds.empty() ? 0 : out.bounds.back()->modulus;
  out.by_remainder.assign(static_cast<std::size_t>(greatest), -1);
  for (std::size_t i = 0; i < out.bounds.size(); ++i) {
    for (int r = out.bounds[i]->remainder; r < greatest; r += out.bounds[i]->modulus)
      out.by_remainder[static_cast<std::size_t>(r)] = static_cast<std::int32_t>(i);
  }
}

void fill_range(DescriptorArrays& out) {
  const PartitionKey& key = *out.descriptor.key;
  out.boundaries.clear();
  out.gap_members.clear();
  const Bound* last = nullptr;
  for (std::size_t i = 0; i < out.bounds.size(); ++i) {
    const Bound* b = out.bounds[i];
    if (b->is_default) continue;
    if (last == nullptr || compare_bounds(key, last->upper, b->lower) != 0) {
      out.boundaries.insert(out.boundaries.end(), b->lower.begin(), b->lower.end());
      out.gap_members.push_back(-1);
    }
    out.boundaries.insert(out.boundaries.end(), b->upper.begin(), b->upper.end());
    out.gap_members.push_back(static_cast<std::int32_t>(i));
    last = b;
  }
  if (last != nullptr) out.gap_members.push_back(-1);
}

// A value and the partition (index into some list) it belongs to.
struct ListValue { Datum value; std::int32_t owner; };

void add_values(const Bound& bound, std::int32_t owner, std::vector<ListValue>& out) {
  for (const NullableDatum& v : bound.values) if (!v.is_null) out.push_back({v.value, owner});
}

// Members are numbered as their lowest values come; then who has only NULL, then the default.
void fill_list(const std::vector<Placed>& all, const std::vector<ListValue>& sorted, DescriptorArrays& out) {
  std::vector<std::int32_t> number(all.size(), -1);
  std::vector<Placed> order;
  order.reserve(all.size());
  auto take = [&](std::size_t i) {
    if (number[i] >= 0) return;
    number[i] = static_cast<std::int32_t>(order.size());
    order.push_back(all[i]);
  };
  for (const ListValue& v : sorted) take(static_cast<std::size_t>(v.owner));
  for (std::size_t i = 0; i < all.size(); ++i) if (!all[i].bound->is_default) take(i);
  for (std::size_t i = 0; i < all.size(); ++i) take(i);
  set_members(order, out);
  out.values.clear();
  out.value_members.clear();
  for (const ListValue& v : sorted) {
    out.values.push_back(v.value);
    out.value_members.push_back(number[static_cast<std::size_t>(v.owner)]);
  }
  out.descriptor.null_member = -1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const NullableDatum& v : order[i].bound->values) if (v.is_null) out.descriptor.null_member = static_cast<int>(i);
  }
}

void publish_spans(DescriptorArrays& out) {
  PartitionDescriptor& d = out.descriptor;
  d.members = out.members;
  d.bounds = out.bounds;
  d.by_remainder = out.by_remainder;
  d.values = out.values;
  d.value_members = out.value_members;
  d.boundaries = out.boundaries;
  d.gap_members = out.gap_members;
}

// A partition between the two phases of DETACH CONCURRENTLY is there for some and not for others.
void finish(DescriptorArrays& out) {
  publish_spans(out);
  PartitionDescriptor& d = out.descriptor;
  d.without_pending = nullptr;
  if (std::none_of(out.members.begin(), out.members.end(), [](const Member& m) { return m.detach_pending; })) return;
  std::vector<Placed> others;
  for (std::size_t i = 0; i < out.members.size(); ++i) if (!out.members[i].detach_pending) others.push_back({out.members[i], out.bounds[i]});
  if (out.without_pending == nullptr) out.without_pending = std::make_unique<DescriptorArrays>();
  out.without_pending->descriptor.parent = d.parent;
  out.without_pending->descriptor.key = d.key;
  arrange(std::move(others), *out.without_pending);
  d.without_pending = &out.without_pending->descriptor;
}

void fill_sorted(const std::vector<Placed>& sorted, DescriptorArrays& out) {
  set_members(sorted, out);
  if (out.descriptor.key->strategy == Strategy::hash) fill_hash(out);
  else fill_range(out);
}

}  // namespace

void arrange(std::vector<Placed> partitions, DescriptorArrays& out) {
  const PartitionKey& key = *out.descriptor.key;
  if (key.strategy == Strategy::list) {
    std::vector<ListValue> values;
    for (std::size_t i = 0; i < partitions.size(); ++i) add_values(*partitions[i].bound, static_cast<std::int32_t>(i), values);
    std::sort(values.begin(), values.end(), [&](const ListValue& a, const ListValue& b) { return compare_values(key.columns[0], a.value, b.value) < 0; });
    fill_list(partitions, values, out);
  } else {
    std::sort(partitions.begin(), partitions.end(), [&](const Placed& a, const Placed& b) { return before(key, a, b); });
    fill_sorted(partitions, out);
  }
  finish(out);
}

void derive(const PartitionDescriptor& from, std::span<const Oid> removed, std::vector<Placed> added, DescriptorArrays& out) {
  const PartitionKey& key = *out.descriptor.key;
  std::vector<Placed> kept;
  kept.reserve(from.members.size() + added.size());
  std::vector<std::int32_t> place(from.members.size(), -1);
  for (std::size_t i = 0; i < from.members.size(); ++i) {
    if (std::binary_search(removed.begin(), removed.end(), from.members[i].oid)) continue;
    place[i] = static_cast<std::int32_t>(kept.size());
    kept.push_back({from.members[i], from.bounds[i]});
  }
  auto middle = static_cast<std::ptrdiff_t>(kept.size());
  if (key.strategy == Strategy::list) {
    auto less = [&](const ListValue& a, const ListValue& b) { return compare_values(key.columns[0], a.value, b.value) < 0; };
    std::vector<ListValue> old_values, new_values, values;
    for (std::size_t i = 0; i < from.values.size(); ++i) {
      std::int32_t owner = place[static_cast<std::size_t>(from.value_members[i])];
      if (owner >= 0) old_values.push_back({from.values[i], owner});
    }
    for (const Placed& p : added) {
      add_values(*p.bound, static_cast<std::int32_t>(kept.size()), new_values);
      kept.push_back(p);
    }
    std::sort(new_values.begin(), new_values.end(), less);
    values.reserve(old_values.size() + new_values.size());
    std::merge(old_values.begin(), old_values.end(), new_values.begin(), new_values.end(), std::back_inserter(values), less);
    fill_list(kept, values, out);
  } else {
    auto less = [&](const Placed& a, const Placed& b) { return before(key, a, b); };
    std::sort(added.begin(), added.end(), less);
    kept.insert(kept.end(), added.begin(), added.end());
    // (A merge in place of few new ones is a binary search and a move each.)
    for (auto next = kept.begin() + middle; next != kept.end(); ++next) std::rotate(std::upper_bound(kept.begin(), next, *next, less), next, next + 1);
    fill_sorted(kept, out);
  }
  finish(out);
}

void set_version(DescriptorArrays& arrays, std::uint64_t version) {
  arrays.descriptor.version = version;
  if (arrays.without_pending != nullptr) arrays.without_pending->descriptor.version = version;
}

}  // namespace hathi::partition
