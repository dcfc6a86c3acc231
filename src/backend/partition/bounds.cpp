// Comparing bounds with each other and with keys.

#include "internal.h"

namespace hathi::partition {

namespace {

// Detoasted values of comparisons; empty between calls.
Arena& scratch() {
  static Arena* arena = new Arena(1024);  // lives as long as the process
  return *arena;
}

int compare_datums(const KeyColumn& column, const RangeDatum& a, const RangeDatum& b) {
  if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
  return a.kind == RangeDatum::Kind::value ? compare_values(column, a.value, b.value) : 0;
}

Overlap overlap_of_hash(const PartitionDescriptor& d, const Bound& bound) {
  Overlap found;
  auto greatest = static_cast<int>(d.by_remainder.size());
  if (greatest == 0) return found;
  // A greater modulus than any: the rows of its remainder were those of a smaller one.
  if (bound.modulus >= greatest) {
    found.member = d.by_remainder[static_cast<std::size_t>(bound.remainder % greatest)];
    return found;
  }
  for (int r = bound.remainder; r < greatest && found.member < 0; r += bound.modulus) found.member = d.by_remainder[static_cast<std::size_t>(r)];
  return found;
}

Overlap overlap_of_list(const PartitionDescriptor& d, const Bound& bound) {
  const KeyColumn& column = d.key->columns[0];
  for (std::size_t i = 0; i < bound.values.size(); ++i) {
    const NullableDatum& v = bound.values[i];
    if (v.is_null) {
      if (d.null_member >= 0) return {d.null_member, false, static_cast<int>(i)};
      continue;
    }
    std::size_t low = 0, high = d.values.size();
    while (low < high) {
      std::size_t middle = (low + high) / 2;
      if (compare_values(column, d.values[middle], v.value) < 0) low = middle + 1;
      else high = middle;
    }
    if (low < d.values.size() && compare_values(column, d.values[low], v.value) == 0) return {d.value_members[low], false, static_cast<int>(i)};
  }
  return {};
}

Overlap overlap_of_range(const PartitionDescriptor& d, const Bound& bound) {
  if (d.gap_members.empty()) return {};
  int differs = 0;
  int gap = boundaries_up_to(d, bound.lower, &differs);
  if (int member = d.gap_members[static_cast<std::size_t>(gap)]; member >= 0) return {member, false, differs};
  if (gap >= d.boundary_count()) return {};
  std::size_t n = d.key->columns.size();
  std::span<const RangeDatum> next = d.boundaries.subspan(static_cast<std::size_t>(gap) * n, n);
  if (compare_bounds(*d.key, bound.upper, next, &differs) <= 0) return {};
  return {d.gap_members[static_cast<std::size_t>(gap) + 1], true, differs};
}

}  // namespace

int compare_values(const KeyColumn& column, Datum a, Datum b) {
  int r = compare(column.comparison, a, b, scratch());
  scratch().reset();
  return r;
}

int compare_bounds(const PartitionKey& key, std::span<const RangeDatum> a, std::span<const RangeDatum> b, int* column) {
  for (std::size_t i = 0; i < key.columns.size(); ++i) {
    int r = compare_datums(key.columns[i], a[i], b[i]);
    bool unbounded = a[i].kind != RangeDatum::Kind::value || b[i].kind != RangeDatum::Kind::value;
    if (r == 0 && !unbounded) continue;
    if (column != nullptr) *column = static_cast<int>(i);
    return r;   // nothing counts after MINVALUE and MAXVALUE
  }
  if (column != nullptr) *column = static_cast<int>(key.columns.size()) - 1;
  return 0;
}

int compare_with_key(const PartitionKey& key, const RangeDatum* boundary, const Datum* values) {
  for (std::size_t i = 0; i < key.columns.size(); ++i) {
    if (boundary[i].kind != RangeDatum::Kind::value) return static_cast<int>(boundary[i].kind);
    if (int r = compare_values(key.columns[i], boundary[i].value, values[i]); r != 0) return r;
  }
  return 0;
}

namespace {

// The column that decided the last comparison of PostgreSQL's search for a lower bound: its message points there.
int last_compared(const PartitionDescriptor& d, std::span<const RangeDatum> lower) {
  std::size_t n = d.key->columns.size();
  int low = -1, high = d.boundary_count() - 1, column = 0;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    int r = compare_bounds(*d.key, d.boundaries.subspan(static_cast<std::size_t>(middle) * n, n), lower, &column);
    bool is_lower_bound = d.gap_members[static_cast<std::size_t>(middle)] < 0;
    if (r == 0 && is_lower_bound) return 0;
    if (r <= 0) low = middle;
    else high = middle - 1;
  }
  return column;
}

}  // namespace

int boundaries_up_to(const PartitionDescriptor& d, std::span<const RangeDatum> bound, int* differs) {
  std::size_t n = d.key->columns.size();
  int low = 0, high = d.boundary_count();
  while (low < high) {
    int middle = (low + high) / 2;
    if (compare_bounds(*d.key, d.boundaries.subspan(static_cast<std::size_t>(middle) * n, n), bound) <= 0) low = middle + 1;
    else high = middle;
  }
  if (differs != nullptr) *differs = last_compared(d, bound);
  return low;
}

Overlap find_overlap(const PartitionDescriptor& d, const Bound& bound) {
  if (bound.is_default) return {d.default_member, false, 0};
  switch (bound.strategy) {
    case Strategy::hash: return overlap_of_hash(d, bound);
    case Strategy::list: return overlap_of_list(d, bound);
    case Strategy::range: return overlap_of_range(d, bound);
  }
  return {};
}

int member_for_key(const PartitionDescriptor& d, const Datum* values, const bool* nulls) {
  switch (d.key->strategy) {
    case Strategy::hash: {
      if (d.by_remainder.empty()) return -1;
      std::uint64_t hash = hash_of_key(*d.key, values, nulls, scratch());
      scratch().reset();
      return d.by_remainder[static_cast<std::size_t>(hash % d.by_remainder.size())];
    }
    case Strategy::list: {
      if (nulls[0]) return d.null_member >= 0 ? d.null_member : d.default_member;
      std::size_t low = 0, high = d.values.size();
      while (low < high) {
        std::size_t middle = (low + high) / 2;
        int r = compare_values(d.key->columns[0], d.values[middle], values[0]);
        if (r == 0) return d.value_members[middle];
        if (r < 0) low = middle + 1;
        else high = middle;
      }
      return d.default_member;
    }
    case Strategy::range: {
      std::size_t n = d.key->columns.size();
      for (std::size_t i = 0; i < n; ++i) if (nulls[i]) return d.default_member;
      int low = 0, high = d.boundary_count();
      while (low < high) {
        int middle = (low + high) / 2;
        if (compare_with_key(*d.key, d.boundaries.data() + static_cast<std::size_t>(middle) * n, values) <= 0) low = middle + 1;
        else high = middle;
      }
      int member = d.gap_members.empty() ? -1 : d.gap_members[static_cast<std::size_t>(low)];
      return member >= 0 ? member : d.default_member;
    }
  }
  return -1;
}

Bound* copy_bound(const Bound& bound, const PartitionKey& key, Arena& arena) {
  auto* copy = arena.make<Bound>(bound);
  auto* values = arena.make_array<NullableDatum>(bound.values.size());
  for (std::size_t i = 0; i < bound.values.size(); ++i) {
    values[i] = bound.values[i];
    if (!values[i].is_null) values[i].value = copy_datum(values[i].value, key.columns[0].layout, arena);
  }
  copy->values = {values, bound.values.size()};
  auto ends = [&](std::span<const RangeDatum> from) -> std::span<const RangeDatum> {
    auto* to = arena.make_array<RangeDatum>(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      to[i] = from[i];
      if (to[i].kind == RangeDatum::Kind::value) to[i].value = copy_datum(to[i].value, key.columns[i].layout, arena);
    }
    return {to, from.size()};
  };
  copy->lower = ends(bound.lower);
  copy->upper = ends(bound.upper);
  return copy;
}

}  // namespace hathi::partition
