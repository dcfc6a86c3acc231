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

// A set of range-table numbers of one query level.
class RelationSet {
 public:
  RelationSet() = default;
  static RelationSet of(int rte) { RelationSet s; s.add(rte); return s; }
  void add(int rte) {
    auto word = static_cast<std::size_t>(rte) / 64;
    if (words_.size() <= word) words_.resize(word + 1);
    words_[word] |= std::uint64_t{1} << (rte % 64);
  }
  void add(const RelationSet& other) {
    if (words_.size() < other.words_.size()) words_.resize(other.words_.size());
    for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
  }
  bool has(int rte) const {
    auto word = static_cast<std::size_t>(rte) / 64;
    return word < words_.size() && ((words_[word] >> (rte % 64)) & 1) != 0;
  }
  bool empty() const {
    for (std::uint64_t w : words_) if (w != 0) return false;
    return true;
  }
  bool contains(const RelationSet& other) const {
    for (std::size_t i = 0; i < other.words_.size(); ++i) {
      if ((other.words_[i] & ~(i < words_.size() ? words_[i] : 0)) != 0) return false;
    }
    return true;
  }
  bool overlaps(const RelationSet& other) const {
    for (std::size_t i = 0; i < other.words_.size() && i < words_.size(); ++i) if ((words_[i] & other.words_[i]) != 0) return true;
    return false;
  }
  int count() const { int n = 0; for (std::uint64_t w : words_) n += __builtin_popcountll(w); return n; }

 private:
  std::vector<std::uint64_t> words_;
};

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
