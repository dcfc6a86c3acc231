#pragma once

#include "hathi/planner/plan.h"

namespace hathi::executor {

// May the roles of the range table do what the statement does? 42501 "permission denied for table t" otherwise.
void check_privileges(const planner::PlannedStatement& statement);
// 25006 when the transaction is read-only and the statement writes (or locks rows of) tables that are not temporary.
void check_read_only(const planner::PlannedStatement& statement);

}  // namespace hathi::executor
