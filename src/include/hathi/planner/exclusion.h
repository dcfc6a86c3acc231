#pragma once
// Constraint exclusion of single partitions, while a plan runs: planning does not look at them one by one.

#include "hathi/planner/plan.h"

namespace hathi::catalog {
struct Relation;
}

namespace hathi::planner {

// Is there an IS NULL in the scan's conditions? Then NOT NULLs count too.
bool asks_for_null(const PartitionedScan& scan);
// Could the partition's own constraints say more than those it has from the table? Cheap: asked of each partition that is opened.
bool has_own_constraints(const catalog::Relation& table, const catalog::Relation& partition, bool count_not_null);
// Do the partition's CHECK and NOT NULL constraints say that no row of it fulfils the scan's conditions? Not when constraint_exclusion is off.
bool is_excluded_partition(const PartitionedScan& scan, const PlannedStatement& statement, const catalog::Relation& partition);

}  // namespace hathi::planner
