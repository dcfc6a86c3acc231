// What the tests do not need of other folders.

#include "hathi/error/sql_error.h"
#include "hathi/planner/plan.h"

namespace hathi::planner {

__attribute__((weak)) Plan* plan_partition(const PartitionedScan&, const PlannedStatement&, Oid, Arena&) { throw_not_supported("partitions"); }

}  // namespace hathi::planner
