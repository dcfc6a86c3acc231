#pragma once
// `x IN (subquery)` by a hash table of the subquery's rows.

#include "group_table.h"
#include "subplan.h"

namespace hathi::executor {

SubPlanHash* make_sub_plan_hash(SubPlanState& s, Arena& arena, const CompileOptions& options);
NullableDatum probe_sub_plan_hash(SubPlanState& s, EvalContext& context);

}  // namespace hathi::executor
