#pragma once
// Scans in EvalPlanQual runs: they return a given row.

#include "node.h"

namespace hathi::executor {

// Is the plan a scan of a range-table entry that the EvalPlanQual run replaces?
bool is_replaced_scan(const StatementState& statement, const planner::Plan* plan);
NodeState* make_replaced_scan(StatementState& statement, const planner::Plan* plan);

}  // namespace hathi::executor
