#pragma once
// Subqueries in expressions (correlated ones run for each row, hashed ones once) and init plans.

#include "node.h"

namespace hathi::executor {

struct SubPlanHash;

struct SubPlanState {
  StatementState* statement = nullptr;
  const nodes::SubPlan* link = nullptr;
  EvalContext* context = nullptr;        // of the expression it stands in; null for init plans
  Program* test = nullptr;               // compares test_params with the left side
  std::span<Program*> args;
  TypeLayout layout;                     // of a scalar or array element
  Arena* arena = nullptr;                // init plans: where the values live
  std::uint64_t evaluated_at = 0;        // clock of the last run, 0 = never
  SubPlanHash* hash = nullptr;
};

// The value of the subquery for the rows in the context. By-reference results are in context.function.arena.
NullableDatum run_sub_plan(SubPlanState& s, EvalContext& context);
SubPlanState* make_init_plan(StatementState& statement, const nodes::SubPlan& link);
// Sets the init plan's parameters unless they are up to date.
void run_init_plan(SubPlanState& s);
// Would the init plan give other values than it had at `since`?
bool init_plan_is_stale(SubPlanState& s, std::uint64_t since);
void destroy_sub_plan(SubPlanState* s);

}  // namespace hathi::executor
