// Compiled conditions against the bounds of the moment.
//
// A condition is answered by a set of bound positions - remainders, list values, gaps between range boundaries - as sorted intervals, with
// two flags: the partition of NULLs, the default partition. Sets are intersected and united as the conditions are; members are looked
// up at the end. (Intersecting members instead would keep a list partition that each of two conditions excludes half of.)

#include "hathi/partition/prune.h"

#include <algorithm>

#include "hathi/base/stack.h"
#include "hathi/partition/route.h"
#include "hathi/types/array.h"
#include "hathi/types/hash.h"

namespace hathi::partition {

namespace {

struct Interval { int low = 0, high = 0; };   // [low, high)

struct BoundSet {
  List<Interval> positions;
  bool nulls = false, has_default = false;
};

// Without boundaries everything is one gap, the default's.
std::span<const std::int32_t> gaps_of(const PartitionDescriptor& d) {
  static constexpr std::int32_t kOneGap[] = {-1};
  return d.gap_members.empty() ? std::span<const std::int32_t>(kOneGap) : d.gap_members;
}

class Pruner {
 public:
  Pruner(const PartitionDescriptor& d, const PruneSteps& steps, const ValueOfArgument& value_of, Arena& scratch)
      : d_(d), steps_(steps), value_of_(value_of), scratch_(scratch) {
    switch (d.key->strategy) {
      case Strategy::hash: count_ = static_cast<int>(d.by_remainder.size()); break;
      case Strategy::list: count_ = static_cast<int>(d.values.size()); break;
      case Strategy::range: count_ = static_cast<int>(gaps_of(d).size()); break;
    }
  }

  BoundSet group(const PruneGroup& g) {
    check_stack_depth();
    BoundSet out = all();
    if (g.never) return {};
    switch (steps_.strategy) {
      case Strategy::hash: hash_clauses(g, out); break;
      case Strategy::list: for (const PruneClause& c : g.clauses) list_clause(c, out); break;
      case Strategy::range: range_clauses(g, out); break;
    }
    for (std::span<const PruneGroup> alternatives : g.alternatives) {
      BoundSet any;
      for (const PruneGroup& one : alternatives) any = united(any, group(one));
      out = intersected(out, any);
    }
    return out;
  }

  BoundSet all() {
    BoundSet s = positions(0, count_);
    s.nulls = s.has_default = true;
    return s;
  }

 private:
  BoundSet positions(int low, int high) {
    BoundSet s;
    if (low < high) s.positions.push_back(scratch_, {low, high});
    return s;
  }

  BoundSet intersected(const BoundSet& a, const BoundSet& b) {
    BoundSet out;
    out.nulls = a.nulls && b.nulls;
    out.has_default = a.has_default && b.has_default;
    for (std::size_t i = 0, j = 0; i < a.positions.size() && j < b.positions.size();) {
      Interval x = a.positions[i], y = b.positions[j];
      Interval both{std::max(x.low, y.low), std::min(x.high, y.high)};
      if (both.low < both.high) out.positions.push_back(scratch_, both);
      if (x.high < y.high) ++i;
      else ++j;
    }
    return out;
  }

  BoundSet united(const BoundSet& a, const BoundSet& b) {
    BoundSet out;
    out.nulls = a.nulls || b.nulls;
    out.has_default = a.has_default || b.has_default;
    std::size_t i = 0, j = 0;
    while (i < a.positions.size() || j < b.positions.size()) {
      bool first = j >= b.positions.size() || (i < a.positions.size() && a.positions[i].low <= b.positions[j].low);
      Interval next = first ? a.positions[i++] : b.positions[j++];
      if (!out.positions.empty() && next.low <= out.positions.back().high) out.positions.back().high = std::max(out.positions.back().high, next.high);
      else out.positions.push_back(scratch_, next);
    }
    return out;
  }

  // False: not known yet.
  bool value(const PruneClause& c, NullableDatum& v) {
    if (c.argument >= 0) return value_of_(c.argument, v);
    v = c.constant;
    return true;
  }

  // The array's elements that are not NULL. has_null: there are others.
  std::span<const Datum> elements(const PruneClause& c, Datum array, bool& has_null) {
    types::ArrayElements e = types::array_elements(types::ArrayView(array, scratch_), c.element, scratch_);
    std::size_t n = 0;
    has_null = false;
    for (int i = 0; i < e.count; ++i) {
      if (e.nulls[i]) has_null = true;
      else e.values[n++] = e.values[i];
    }
    return {e.values, n};
  }

  // --- hash -----------------------------------------------------------------------------------------------------------------------
  BoundSet at_hash(std::uint64_t hash) {
    if (count_ == 0) return {};
    int at = static_cast<int>(hash % static_cast<std::uint64_t>(count_));
    return positions(at, at + 1);
  }

  void hash_clauses(const PruneGroup& g, BoundSet& out) {
    const PruneClause* chosen[kMaxKeyColumns] = {};
    NullableDatum values[kMaxKeyColumns];
    for (const PruneClause& c : g.clauses) {
      auto key = static_cast<std::size_t>(c.key);
      if (c.kind == PruneClause::Kind::is_null) {
        if (chosen[key] != nullptr && !values[key].is_null) { out = {}; return; }
        chosen[key] = &c;
        values[key] = {};
        continue;
      }
      NullableDatum v;
      if (c.kind == PruneClause::Kind::is_not_null || !value(c, v)) continue;
      if (v.is_null) { out = {}; return; }
      if (c.kind == PruneClause::Kind::any_of) {
        any_of_hashes(c, v.value, out);
        continue;
      }
      if (c.kind != PruneClause::Kind::compare) continue;
      if (chosen[key] != nullptr && values[key].is_null) { out = {}; return; }
      chosen[key] = &c;
      values[key] = v;
    }
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(steps_.columns); ++i) {
      if (chosen[i] == nullptr) return;
      if (!values[i].is_null) hash = types::hash_combine64(hash, hash_of_column(chosen[i]->hash, values[i].value, scratch_));
    }
    out = intersected(out, at_hash(hash));
  }

  void any_of_hashes(const PruneClause& c, Datum array, BoundSet& out) {
    bool has_null;
    std::span<const Datum> list = elements(c, array, has_null);
    if (list.empty()) { out = {}; return; }
    if (steps_.columns != 1) return;
    std::vector<int> found;
    found.reserve(list.size());
    for (Datum v : list) {
      if (count_ > 0) found.push_back(static_cast<int>(types::hash_combine64(0, hash_of_column(c.hash, v, scratch_)) % static_cast<std::uint64_t>(count_)));
    }
    out = intersected(out, singles(found));
  }

  BoundSet singles(std::vector<int>& found) {
    std::sort(found.begin(), found.end());
    BoundSet s;
    for (int at : found) {
      if (!s.positions.empty() && at < s.positions.back().high) continue;
      if (!s.positions.empty() && at == s.positions.back().high) ++s.positions.back().high;
      else s.positions.push_back(scratch_, {at, at + 1});
    }
    return s;
  }

  // --- list -----------------------------------------------------------------------------------------------------------------------
  // How many values are below (or_equal: or at) v.
  int values_below(const PruneClause& c, Datum v, bool or_equal) {
    std::size_t low = 0, high = d_.values.size();
    while (low < high) {
      std::size_t middle = (low + high) / 2;
      int r = compare(c.comparison, d_.values[middle], v, scratch_);
      if (r < 0 || (r == 0 && or_equal)) low = middle + 1;
      else high = middle;
    }
    return static_cast<int>(low);
  }

  BoundSet list_compare(const PruneClause& c, int strategy, Datum v) {
    BoundSet s;
    switch (strategy) {
      case 1: s = positions(0, values_below(c, v, false)); break;
      case 2: s = positions(0, values_below(c, v, true)); break;
      case 3: {
        int at = find_list_value(d_, c.comparison, v, scratch_);
        if (at >= 0) return positions(at, at + 1);
        break;
      }
      case 4: s = positions(values_below(c, v, false), count_); break;
      case 5: s = positions(values_below(c, v, true), count_); break;
      default: return all();
    }
    s.has_default = true;   // values that are in no list
    return s;
  }

  void exclude(const PruneClause& c, Datum v, BoundSet& out) {
    BoundSet s;
    int at = find_list_value(d_, c.comparison, v, scratch_);
    if (at < 0) {
      s = positions(0, count_);
    } else {
      s = united(positions(0, at), positions(at + 1, count_));
    }
    s.has_default = true;
    out = intersected(out, s);
  }

  void list_clause(const PruneClause& c, BoundSet& out) {
    if (c.kind == PruneClause::Kind::is_null) {
      BoundSet s;
      s.nulls = d_.null_member >= 0;
      s.has_default = !s.nulls;
      out = intersected(out, s);
      return;
    }
    if (c.kind == PruneClause::Kind::is_not_null) {
      out.nulls = false;
      return;
    }
    NullableDatum v;
    if (!value(c, v)) return;
    if (v.is_null) { out = {}; return; }
    switch (c.kind) {
      case PruneClause::Kind::compare: out = intersected(out, list_compare(c, c.strategy, v.value)); break;
      case PruneClause::Kind::not_equal:
        out.nulls = false;
        exclude(c, v.value, out);
        break;
      case PruneClause::Kind::any_of: {
        bool has_null;
        BoundSet any;
        for (Datum e : elements(c, v.value, has_null)) any = united(any, list_compare(c, c.strategy, e));
        out = intersected(out, any);
        break;
      }
      default: {
        bool has_null;
        std::span<const Datum> list = elements(c, v.value, has_null);
        if (has_null) { out = {}; return; }
        if (!list.empty()) out.nulls = false;
        for (Datum e : list) exclude(c, e, out);
      }
    }
  }

  // --- range ----------------------------------------------------------------------------------------------------------------------
  // The first columns of a key that conditions fix, with whether the last is excluded itself.
  struct Prefix {
    const ComparisonFunction* comparisons[kMaxKeyColumns];
    Datum values[kMaxKeyColumns];
    std::size_t count = 0;
    bool strict = false;
    void add(const PruneClause& c, Datum v) { comparisons[count] = &c.comparison; values[count++] = v; }
  };

  // How many boundaries are below or at: of those equal in the prefix, the ones that `counts` says.
  template <class F>
  int boundaries_below(const Prefix& p, F&& counts) {
    int low = 0, high = d_.boundary_count();
    while (low < high) {
      int middle = (low + high) / 2;
      int r = compare_boundary(d_, middle, {p.comparisons, p.count}, p.values, scratch_);
      if (r < 0 || (r == 0 && counts(middle))) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  RangeDatum::Kind kind_behind(const Prefix& p, int boundary) const {
    return d_.boundaries[static_cast<std::size_t>(boundary) * static_cast<std::size_t>(steps_.columns) + p.count].kind;
  }

  bool is_whole(const Prefix& p) const { return p.count == static_cast<std::size_t>(steps_.columns); }

  // The first gap with keys at or above the prefix.
  int first_gap(const Prefix& p) {
    return boundaries_below(p, [&](int b) { return p.strict || is_whole(p) || kind_behind(p, b) == RangeDatum::Kind::minimum; });
  }
  // The last gap with keys at or below the prefix.
  int last_gap(const Prefix& p) {
    return boundaries_below(p, [&](int b) { return !p.strict && (is_whole(p) || kind_behind(p, b) != RangeDatum::Kind::maximum); });
  }

  BoundSet range_compare(const PruneClause& c, Datum v) {
    Prefix p;
    p.add(c, v);
    p.strict = c.strategy == 1 || c.strategy == 5;
    int low = c.strategy >= 3 ? first_gap(p) : 0;
    int high = c.strategy <= 3 ? last_gap(p) + 1 : count_;
    BoundSet s = positions(low, high);
    s.has_default = steps_.columns > 1;   // other key columns may be NULL
    return s;
  }

  void range_clauses(const PruneGroup& g, BoundSet& out) {
    const PruneClause *equal[kMaxKeyColumns] = {}, *above[kMaxKeyColumns] = {}, *below[kMaxKeyColumns] = {};
    Datum equal_to[kMaxKeyColumns], above_what[kMaxKeyColumns], below_what[kMaxKeyColumns];
    bool not_null[kMaxKeyColumns] = {}, any = false, null_wanted = false;
    for (const PruneClause& c : g.clauses) {
      auto key = static_cast<std::size_t>(c.key);
      any = true;
      if (c.kind == PruneClause::Kind::is_null) {
        null_wanted = true;
        continue;
      }
      if (c.kind == PruneClause::Kind::is_not_null) {
        not_null[key] = true;
        continue;
      }
      NullableDatum v;
      if (!value(c, v)) continue;
      if (v.is_null) { out = {}; return; }
      if (c.kind == PruneClause::Kind::any_of) {
        any_of_ranges(c, v.value, out);
        continue;
      }
      if (c.kind != PruneClause::Kind::compare) continue;
      not_null[key] = true;
      auto keep = [&](const PruneClause** clauses, Datum* values) {
        if (clauses[key] == nullptr) {
          clauses[key] = &c;
          values[key] = v.value;
        } else if (key == 0) {
          out = intersected(out, range_compare(c, v.value));
        }
      };
      if (c.strategy == 3) keep(equal, equal_to);
      else if (c.strategy < 3) keep(below, below_what);
      else keep(above, above_what);
    }
    if (!any) return;
    if (null_wanted) {
      BoundSet s;
      s.has_default = true;
      out = intersected(out, s);
    }
    if (equal[0] != nullptr) {   // = with other conditions on the same column
      if (above[0] != nullptr) out = intersected(out, range_compare(*above[0], above_what[0]));
      if (below[0] != nullptr) out = intersected(out, range_compare(*below[0], below_what[0]));
    }
    Prefix low = prefix(equal, equal_to, above, above_what), high = prefix(equal, equal_to, below, below_what);
    BoundSet s = positions(low.count == 0 ? 0 : first_gap(low), high.count == 0 ? count_ : last_gap(high) + 1);
    for (int i = 0; i < steps_.columns; ++i) s.has_default = s.has_default || !not_null[i];   // rows with NULLs are in the default partition
    out = intersected(out, s);
  }

  Prefix prefix(const PruneClause* const* equal, const Datum* equal_to, const PruneClause* const* other, const Datum* what) {
    Prefix p;
    for (std::size_t i = 0; i < static_cast<std::size_t>(steps_.columns); ++i) {
      if (equal[i] != nullptr) {
        p.add(*equal[i], equal_to[i]);
      } else if (other[i] != nullptr) {
        p.add(*other[i], what[i]);
        p.strict = other[i]->strategy == 1 || other[i]->strategy == 5;
        if (p.strict) break;
      } else {
        break;
      }
    }
    return p;
  }

  void any_of_ranges(const PruneClause& c, Datum array, BoundSet& out) {
    bool has_null;
    std::span<const Datum> list = elements(c, array, has_null);
    if (list.empty()) { out = {}; return; }
    if (c.key != 0) return;
    BoundSet any;
    for (Datum v : list) any = united(any, range_compare(c, v));
    out = intersected(out, any);
  }

  const PartitionDescriptor& d_;
  const PruneSteps& steps_;
  const ValueOfArgument& value_of_;
  Arena& scratch_;
  int count_ = 0;
};

void all_members(const PartitionDescriptor& d, std::vector<int>& members) {
  members.resize(d.members.size());
  for (std::size_t i = 0; i < members.size(); ++i) members[i] = static_cast<int>(i);
}

}  // namespace

void prune(const PartitionDescriptor& d, const PruneSteps& steps, const ValueOfArgument& value_of, Arena& scratch, std::vector<int>& members) {
  members.clear();
  if (steps.root == nullptr) return all_members(d, members);
  Pruner pruner(d, steps, value_of, scratch);
  BoundSet found = pruner.group(*steps.root);
  std::span<const std::int32_t> owners;
  switch (d.key->strategy) {
    case Strategy::hash: owners = d.by_remainder; break;
    case Strategy::list: owners = d.value_members; break;
    case Strategy::range: owners = gaps_of(d); break;
  }
  bool gap = false;   // some value looked for is in no partition but the default
  for (Interval i : found.positions) {
    for (int at = i.low; at < i.high; ++at) {
      int member = owners[static_cast<std::size_t>(at)];
      if (member < 0) gap = true;
      else members.push_back(member);
    }
  }
  if (found.nulls && d.null_member >= 0) members.push_back(d.null_member);
  if ((found.has_default || gap) && d.default_member >= 0) members.push_back(d.default_member);
  if (members.size() <= 1) return;
  if (!std::is_sorted(members.begin(), members.end())) std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
}

}  // namespace hathi::partition
