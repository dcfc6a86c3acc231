// The access path of one partition, made from the table's template.

#include "hathi/error/sql_error.h"
#include "query_planner.h"

namespace hathi::planner {

Plan* plan_partition(const PartitionedScan&, const PlannedStatement&, Oid, Arena&) { throw_not_supported("reading partitioned tables"); }

}  // namespace hathi::planner
