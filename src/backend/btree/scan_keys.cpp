#include "scan_keys.h"

#include <algorithm>

namespace hathi::btree {

namespace {

Strategy reversed(Strategy s) {
  switch (s) {
    case Strategy::less: return Strategy::greater;
    case Strategy::less_equal: return Strategy::greater_equal;
    case Strategy::greater: return Strategy::less;
    case Strategy::greater_equal: return Strategy::less_equal;
    default: return s;
  }
}

// How two elements of an array compare, given how the index's column compares with one.
ComparisonFunction element_comparison(const BTreeIndex& index, const ScanKey& key, const KeyColumn& column) {
  ComparisonFunction c = key.comparison;
  switch (key.comparison.kind) {
    case CompareKind::int42: case CompareKind::int82: c.kind = CompareKind::int2; return c;
    case CompareKind::int24: case CompareKind::int84: c.kind = CompareKind::int4; return c;
    case CompareKind::int28: case CompareKind::int48: c.kind = CompareKind::int8; return c;
    case CompareKind::call: break;
    default: return c;
  }
  if (key.comparison.site.oid == column.comparison.site.oid) return c;
  if (key.element_comparison != nullptr) return *key.element_comparison;
  throw SqlError(sqlstate::internal_error, "no comparison of array elements for index \"{}\"", index.name);
}

void sort_elements(const BTreeIndex& index, const ScanKey& key, Condition& c) {
  const KeyColumn& column = index.keys[static_cast<std::size_t>(c.column)];
  ComparisonFunction comparison = element_comparison(index, key, column);
  int sign = column.descending ? -1 : 1;
  auto order = [&](Datum a, Datum b) { return sign * compare(comparison, a, b, comparison_arena()); };
  c.elements.assign(key.any_of.begin(), key.any_of.end());
  std::sort(c.elements.begin(), c.elements.end(), [&](Datum a, Datum b) { return order(a, b) < 0; });
  c.elements.erase(std::unique(c.elements.begin(), c.elements.end(), [&](Datum a, Datum b) { return order(a, b) == 0; }), c.elements.end());
  reset_comparison_arena();
  if (c.strategy == Strategy::equal) return;
  // col < ANY (array) is col < its greatest element, and so on.
  bool wants_last = c.strategy == Strategy::less || c.strategy == Strategy::less_equal;
  c.argument = wants_last ? c.elements.back() : c.elements.front();
  c.elements.clear();
}

bool is_upper_bound(Strategy s) { return s == Strategy::less || s == Strategy::less_equal; }
bool is_lower_bound(Strategy s) { return s == Strategy::greater || s == Strategy::greater_equal; }

// Which conditions end a scan: those on columns before which all columns are pinned to one value.
void mark_stopping(const BTreeIndex& index, ScanConditions& c) {
  int column = 0;
  bool pinned = true;
  for (std::size_t i = 0; i < c.conditions.size() && pinned;) {
    if (c.conditions[i].column != column) return;
    bool equal_here = false;
    std::size_t end = i;
    for (; end < c.conditions.size() && c.conditions[end].column == column; ++end) {
      Condition& k = c.conditions[end];
      bool nulls_first = index.keys[static_cast<std::size_t>(column)].nulls_first;
      if (k.is_null_test) {
        if (k.null_wanted) {
          k.stops_forward = k.stops_backward = true;
          equal_here = true;
        } else {
          k.stops_forward = !nulls_first;   // IS NOT NULL: the nulls come last
          k.stops_backward = nulls_first;
        }
      } else if (k.strategy == Strategy::equal) {
        k.stops_forward = k.stops_backward = true;
        equal_here = true;
      } else {
        k.stops_forward = is_upper_bound(k.strategy);
        k.stops_backward = is_lower_bound(k.strategy);
      }
    }
    pinned = equal_here;
    i = end;
    ++column;
  }
}

Datum argument_of(const Condition& c) { return c.elements.empty() ? c.argument : c.elements[c.current]; }

}  // namespace

void prepare_conditions(const BTreeIndex& index, std::span<const ScanKey> keys, ScanConditions& c) {
  c.conditions.resize(keys.size());
  c.arrays.clear();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const ScanKey& key = keys[i];
    HATHI_ASSERT(key.column >= 1 && key.column <= static_cast<int>(index.keys.size()));
    Condition& k = c.conditions[i];
    k.column = key.column - 1;
    k.strategy = index.keys[static_cast<std::size_t>(k.column)].descending ? reversed(key.strategy) : key.strategy;
    k.argument = key.argument;
    k.is_null_test = key.is_null_test;
    k.null_wanted = key.null_wanted;
    k.comparison = key.comparison;
    k.stops_forward = k.stops_backward = false;
    k.elements.clear();
    k.current = 0;
    if (!key.any_of.empty()) sort_elements(index, key, k);
  }
  auto by_column = [](const Condition& a, const Condition& b) { return a.column < b.column; };
  if (!std::is_sorted(c.conditions.begin(), c.conditions.end(), by_column))
    std::stable_sort(c.conditions.begin(), c.conditions.end(), by_column);
  for (std::size_t i = 0; i < c.conditions.size(); ++i) {
    if (!c.conditions[i].elements.empty()) c.arrays.push_back(i);
  }
  mark_stopping(index, c);
}

void reset_arrays(ScanConditions& c, bool backward) {
  for (std::size_t i : c.arrays) c.conditions[i].current = backward ? c.conditions[i].elements.size() - 1 : 0;
}

bool advance_arrays(ScanConditions& c, bool backward) {
  for (std::size_t n = c.arrays.size(); n-- > 0;) {
    Condition& k = c.conditions[c.arrays[n]];
    if (backward ? k.current > 0 : k.current + 1 < k.elements.size()) {
      k.current = backward ? k.current - 1 : k.current + 1;
      return true;
    }
    k.current = backward ? k.elements.size() - 1 : 0;
  }
  return false;
}

bool make_start_key(const BTreeIndex& index, const ScanConditions& c, bool backward, SearchKey& key) {
  key.index = &index;
  key.count = 0;
  key.has_tid = false;
  key.next = backward;   // backward from behind the last equal entry
  std::size_t i = 0;
  for (int column = 0; column < static_cast<int>(index.keys.size()); ++column) {
    const Condition* bound = nullptr;
    bool not_null = false;
    for (; i < c.conditions.size() && c.conditions[i].column == column; ++i) {
      const Condition& k = c.conditions[i];
      bool equal = k.is_null_test ? k.null_wanted : k.strategy == Strategy::equal;
      bool usable = equal || (!k.is_null_test && (backward ? is_upper_bound(k.strategy) : is_lower_bound(k.strategy)));
      if (usable && (bound == nullptr || equal)) bound = &k;
      // Any strict condition excludes nulls, so a scan need not begin among them.
      if (!(k.is_null_test && k.null_wanted)) not_null = true;
    }
    auto at = static_cast<std::size_t>(key.count);
    if (bound == nullptr) {
      bool nulls_first = index.keys[static_cast<std::size_t>(column)].nulls_first;
      if (!not_null || nulls_first == backward) break;
      // Behind the nulls (forward) or before them (backward).
      key.nulls[at] = true;
      key.values[at] = Datum();
      key.comparisons[at] = &index.keys[at].comparison;
      ++key.count;
      key.next = !backward;
      break;
    }
    key.nulls[at] = bound->is_null_test;
    key.values[at] = bound->is_null_test ? Datum() : argument_of(*bound);
    key.comparisons[at] = bound->is_null_test ? &index.keys[at].comparison : &bound->comparison;
    ++key.count;
    bool equal = bound->is_null_test || bound->strategy == Strategy::equal;
    if (equal) continue;
    if (bound->strategy == Strategy::greater) {
      key.next = true;
      break;
    }
    if (bound->strategy == Strategy::less) {
      key.next = false;
      break;
    }
  }
  prepare_fast_path(key);
  return key.count > 0;
}

namespace {

// Does a value that is not null meet the condition?
bool meets(const Condition& c, Datum value, bool descending) {
  int order = compare(c.comparison, value, argument_of(c), comparison_arena());
  if (descending) order = -order;
  switch (c.strategy) {
    case Strategy::less: return order < 0;
    case Strategy::less_equal: return order <= 0;
    case Strategy::equal: return order == 0;
    case Strategy::greater_equal: return order >= 0;
    case Strategy::greater: return order > 0;
    case Strategy::none: return true;
  }
  return false;
}

}  // namespace

Verdict check_entry(const BTreeIndex& index, const ScanConditions& c, const std::byte* entry, bool backward) {
  for (const Condition& k : c.conditions) {
    bool is_null = false;
    Datum value = read_column(index, entry, k.column, is_null);
    const KeyColumn& column = index.keys[static_cast<std::size_t>(k.column)];
    bool stops = backward ? k.stops_backward : k.stops_forward;
    if (k.is_null_test) {
      if (is_null == k.null_wanted) continue;
      return stops ? Verdict::stop : Verdict::skip;
    }
    if (is_null) {
      // Among the nulls: they come last in the direction of nulls_first == backward; any bound that pins the column ends it there.
      bool at_end = column.nulls_first == backward;
      return at_end && (k.stops_forward || k.stops_backward) ? Verdict::stop : Verdict::skip;
    }
    if (!meets(k, value, column.descending)) return stops ? Verdict::stop : Verdict::skip;
  }
  return Verdict::matches;
}

}  // namespace hathi::btree
