#pragma once
// Expressions of plans as text: a reference to an input's column is printed as what that column was made from.

#include <string>
#include <vector>

#include "hathi/planner/plan.h"

namespace hathi::planner {

// A node with the way down to it.
struct PlanFrame {
  const Plan* plan = nullptr;
  const PlanFrame* above = nullptr;
  const nodes::SubPlan* link = nullptr;    // the node is the top of this expression's plan
};

class ExplainNames {
 public:
  // Names the range-table entries the plan reads; the same name twice gets a number.
  explicit ExplainNames(const PlannedStatement& statement);

  std::string expression(const Expr* e, const PlanFrame& frame, bool prefix, bool show_implicit = false) const;
  // The alias EXPLAIN shows; empty when the plan does not read the entry.
  const std::string& entry_name(int rte) const;
  bool many_entries() const { return statement_.range_table.size() > 1; }

 private:
  struct Context { const ExplainNames* names; const PlanFrame* frame; bool prefix; };
  static bool name(const Expr* e, std::string& out, void* context);
  void variable(const nodes::Variable* v, const Context& c, std::string& out) const;
  void column(int rte, AttrNumber column, const Context& c, std::string& out) const;
  void parameter(const nodes::Parameter* p, const Context& c, std::string& out) const;
  void note(const Plan* plan, std::vector<bool>& used) const;

  const PlannedStatement& statement_;
  std::vector<std::string> names_;
};

// The nodes below, in EXPLAIN's order; a subquery scan's plan is one of them.
std::vector<const Plan*> plan_children(const Plan* plan);

}  // namespace hathi::planner
