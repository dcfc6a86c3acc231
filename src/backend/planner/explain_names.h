#pragma once
// Expressions of plans as text: a reference to an input's column is printed as what that column was made from.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "hathi/catalog/relation.h"
#include "hathi/planner/plan.h"

namespace hathi::planner {

// A node with the way down to it.
struct PlanFrame {
  const Plan* plan = nullptr;
  const PlanFrame* above = nullptr;
  const nodes::SubPlan* link = nullptr;    // the node is the top of this expression's plan
  enum class Part : std::uint8_t { whole, append, merge_append };
  Part part = Part::whole;                 // of a partitioned scan: only the node above the partitions
};

class ExplainNames {
 public:
  // Names the range-table entries the plan reads; the same name twice gets a number.
  explicit ExplainNames(const PlannedStatement& statement);

  std::string expression(const Expr* e, const PlanFrame& frame, bool prefix, bool show_implicit = false) const;
  // While it lives, the entry is that partition of its table.
  class Partition {
   public:
    Partition(ExplainNames& names, int rte, Oid table, std::string alias);
    ~Partition();
    Partition(const Partition&) = delete;
    Partition& operator=(const Partition&) = delete;
   private:
    friend class ExplainNames;
    ExplainNames& names_;
    Partition* before_;
    int rte_;
    std::string alias_;
    catalog::RelationRef table_;
  };
  // A name not given to another entry: that one itself or with a number.
  std::string new_name(const std::string& wanted);
  // The relation the entry stands for at the moment.
  Oid entry_relation(int rte) const;
  // The alias EXPLAIN shows; empty when the plan does not read the entry.
  const std::string& entry_name(int rte) const;
  bool many_entries() const { return statement_.range_table.size() > 1 || has_partitions_; }
  void note_partitions() { has_partitions_ = true; }

 private:
  struct Context { const ExplainNames* names; const PlanFrame* frame; bool prefix; };
  static bool name(const Expr* e, std::string& out, void* context);
  void variable(const nodes::Variable* v, const Context& c, std::string& out) const;
  void column(int rte, AttrNumber column, const Context& c, std::string& out) const;
  void parameter(const nodes::Parameter* p, const Context& c, std::string& out) const;
  void note(const Plan* plan, std::vector<bool>& used) const;

  const PlannedStatement& statement_;
  std::vector<std::string> names_;
  std::set<std::string> taken_;
  std::map<std::string, int> numbers_;
  Partition* partition_ = nullptr;
  bool has_partitions_ = false;         // partitions count as entries
};

// The nodes below, in EXPLAIN's order; a subquery scan's plan is one of them.
std::vector<const Plan*> plan_children(const Plan* plan);

}  // namespace hathi::planner
