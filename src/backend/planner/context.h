#pragma once
// What the planning of one statement, and of one query level in it, knows.

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "hathi/catalog/relation.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/visit.h"
#include "hathi/planner/plan.h"

namespace hathi::planner {

using nodes::Expr;
using nodes::Query;
using nodes::TargetEntry;

// A set of range-table numbers of one query level. The first 64 cost no memory of their own.
class RelationSet {
 public:
  RelationSet() = default;
  static RelationSet of(int rte) { RelationSet s; s.add(rte); return s; }
  void add(int rte) {
    if (rte < 64) {
      first_ |= std::uint64_t{1} << rte;
      return;
    }
    auto word = static_cast<std::size_t>(rte) / 64 - 1;
    if (more_.size() <= word) more_.resize(word + 1);
    more_[word] |= std::uint64_t{1} << (rte % 64);
  }
  void add(const RelationSet& other) {
    first_ |= other.first_;
    if (more_.size() < other.more_.size()) more_.resize(other.more_.size());
    for (std::size_t i = 0; i < other.more_.size(); ++i) more_[i] |= other.more_[i];
  }
  void remove(const RelationSet& other) {
    first_ &= ~other.first_;
    for (std::size_t i = 0; i < other.more_.size() && i < more_.size(); ++i) more_[i] &= ~other.more_[i];
  }
  RelationSet common(const RelationSet& other) const {
    RelationSet out, rest = *this;
    out = *this;
    rest.remove(other);
    out.remove(rest);
    return out;
  }
  bool has(int rte) const {
    if (rte < 64) return ((first_ >> rte) & 1) != 0;
    auto word = static_cast<std::size_t>(rte) / 64 - 1;
    return word < more_.size() && ((more_[word] >> (rte % 64)) & 1) != 0;
  }
  bool empty() const {
    if (first_ != 0) return false;
    for (std::uint64_t w : more_) if (w != 0) return false;
    return true;
  }
  bool contains(const RelationSet& other) const {
    if ((other.first_ & ~first_) != 0) return false;
    for (std::size_t i = 0; i < other.more_.size(); ++i) {
      if ((other.more_[i] & ~(i < more_.size() ? more_[i] : 0)) != 0) return false;
    }
    return true;
  }
  bool overlaps(const RelationSet& other) const {
    if ((first_ & other.first_) != 0) return true;
    for (std::size_t i = 0; i < other.more_.size() && i < more_.size(); ++i) if ((more_[i] & other.more_[i]) != 0) return true;
    return false;
  }
  bool operator==(const RelationSet& other) const { return contains(other) && other.contains(*this); }
  int count() const {
    int n = __builtin_popcountll(first_);
    for (std::uint64_t w : more_) n += __builtin_popcountll(w);
    return n;
  }
  // The smallest member; -1 when empty.
  int first() const {
    if (first_ != 0) return __builtin_ctzll(first_);
    for (std::size_t i = 0; i < more_.size(); ++i) if (more_[i] != 0) return static_cast<int>(64 * (i + 1)) + __builtin_ctzll(more_[i]);
    return -1;
  }

 private:
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> more_;
};

inline RelationSet joined(const RelationSet& a, const RelationSet& b) {
  RelationSet out = a;
  out.add(b);
  return out;
}

// Shared by all query levels of a statement.
struct StatementContext {
  Arena& arena;
  const BoundParameters& parameters;
  int cursor_options = 0;
  std::vector<RangeEntry> ranges;
  std::vector<Plan*> subplans;
  std::vector<const nodes::SubPlan*> subplan_links;
  std::vector<Oid> exec_types;
  std::vector<int> result_rtes;
  bool has_modifying_cte = false;
  double tuple_fraction = 0;            // of the rows wanted: 0 = all
  bool reads_partitions = false;        // names single partitions, which are locked: good for this transaction only
  int new_exec_param(Oid type) {
    exec_types.push_back(type);
    return static_cast<int>(exec_types.size()) - 1;
  }
};

// A condition of WHERE or ON, split at its ANDs.
struct Qual {
  Expr* expr = nullptr;
  RelationSet relations;                // of this level
  bool placed = false;
};

// A relation or join being planned: its plan so far with its outputs as plain variables.
struct RelPlan {
  Plan* plan = nullptr;
  RelationSet relations;
  RelationSet needs;                    // lateral: relations whose values must come from outside by parameters
};

// A common table expression of some level, as its references see it.
struct CteInfo {
  const nodes::CommonTableExpr* cte = nullptr;
  int plan = 0;                         // number in subplans once planned
  int param = -1;                       // signals completion order
  int work_param = -1;                  // recursive: work table
  double rows = 0;
};

}  // namespace hathi::planner
