#pragma once

#include <functional>

#include "node.h"

namespace hathi::executor {

// The position of the row the scan returned last; false before the first and when it is not a table's row.
bool current_scan_row(NodeState& scan, TupleId& tid, Oid& table);
// EXPLAIN: the plans of the partitions a PartitionedScan read (or, not run, would read).
void visit_partitions(NodeState& node, const std::function<void(const planner::Plan*, const NodeTimes*)>& visit, int& pruned);
// EXPLAIN without running: states of all partitioned scans.
void make_all_nodes(StatementState& state, const planner::PlannedStatement& statement);

}  // namespace hathi::executor
