// Copies of descriptors, for the memory that processes share.

#include <algorithm>

#include "hathi/base/builtin_oids.h"
#include "hathi/nodes/visit.h"
#include "internal.h"

namespace hathi::partition {

namespace {

template <class T>
std::span<const T> copy(std::span<const T> from, Arena& arena) {
  T* to = arena.make_array<T>(from.size());
  std::copy(from.begin(), from.end(), to);
  return {to, from.size()};
}

PartitionKey* copy_key(const PartitionKey& from, Arena& arena) {
  auto* key = arena.make<PartitionKey>(from);
  KeyColumn* columns = arena.make_array<KeyColumn>(from.columns.size());
  for (std::size_t i = 0; i < from.columns.size(); ++i) {
    columns[i] = from.columns[i];
    if (columns[i].expr != nullptr) columns[i].expr = nodes::copy(columns[i].expr, arena);
  }
  key->columns = {columns, from.columns.size()};
  return key;
}

std::size_t value_size(Datum value, TypeLayout layout) { return layout.by_value ? 0 : datum_size(value, layout) + 16; }

}  // namespace

PartitionDescriptor* copy_descriptor(const PartitionDescriptor& from, Arena& arena) {
  auto* d = arena.make<PartitionDescriptor>(from);   // first of all: where the memory begins
  PartitionKey* key = copy_key(*from.key, arena);
  d->key = key;
  d->members = copy(from.members, arena);
  d->by_remainder = copy(from.by_remainder, arena);
  d->value_members = copy(from.value_members, arena);
  d->gap_members = copy(from.gap_members, arena);
  const Bound** bounds = arena.make_array<const Bound*>(from.bounds.size());
  for (std::size_t i = 0; i < from.bounds.size(); ++i) bounds[i] = copy_bound(*from.bounds[i], *key, arena);
  d->bounds = {bounds, from.bounds.size()};
  Datum* values = arena.make_array<Datum>(from.values.size());
  for (std::size_t i = 0; i < from.values.size(); ++i) values[i] = copy_datum(from.values[i], key->columns[0].layout, arena);
  d->values = {values, from.values.size()};
  RangeDatum* boundaries = arena.make_array<RangeDatum>(from.boundaries.size());
  std::size_t n = key->columns.size();
  for (std::size_t i = 0; i < from.boundaries.size(); ++i) {
    boundaries[i] = from.boundaries[i];
    if (boundaries[i].kind == RangeDatum::Kind::value) boundaries[i].value = copy_datum(boundaries[i].value, key->columns[i % n].layout, arena);
  }
  d->boundaries = {boundaries, from.boundaries.size()};
  if (from.without_pending != nullptr) d->without_pending = copy_descriptor(*from.without_pending, arena);
  return d;
}

std::size_t shared_size(const PartitionDescriptor& d) {
  constexpr std::size_t kExpression = 4096;
  std::size_t size = sizeof(PartitionDescriptor) + sizeof(PartitionKey) + 4096;
  for (const KeyColumn& c : d.key->columns) {
    if (raw(c.support) >= raw(kFirstNormalOid)) return 0;
    size += sizeof(KeyColumn) + (c.expr != nullptr ? kExpression : 0);
  }
  size += d.members.size() * (sizeof(Member) + sizeof(Bound*) + sizeof(Bound) + 32) +
          4 * (d.by_remainder.size() + d.value_members.size() + d.gap_members.size());
  size += d.values.size() * sizeof(Datum) + d.boundaries.size() * sizeof(RangeDatum);
  TypeLayout first = d.key->columns[0].layout;
  for (Datum value : d.values) size += value_size(value, first);
  std::size_t n = d.key->columns.size();
  auto add_end = [&](std::span<const RangeDatum> end) {
    size += end.size() * sizeof(RangeDatum) + 16;
    for (std::size_t i = 0; i < end.size(); ++i) if (end[i].kind == RangeDatum::Kind::value) size += value_size(end[i].value, d.key->columns[i % n].layout);
  };
  add_end(d.boundaries);
  for (const Bound* b : d.bounds) {
    size += b->values.size() * sizeof(NullableDatum) + 16;
    for (const NullableDatum& v : b->values) if (!v.is_null) size += value_size(v.value, first);
    add_end(b->lower);
    add_end(b->upper);
  }
  if (d.without_pending != nullptr) size += shared_size(*d.without_pending);
  return size;
}

}  // namespace hathi::partition
