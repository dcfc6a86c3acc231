#pragma once
// PartitionedScan: partitions are opened when they are first read. Those that fit the template are read by one state, bound to one
// after the other; those that differ have states of their own, of which a few are kept.

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "node.h"
#include "row_merge.h"
#include "scan_partitions.h"

namespace hathi::executor {

// A partition with a state of its own.
struct PartitionChild {
  Arena memory{1024};                 // plan, states, programs
  catalog::RelationRef relation;
  const planner::Plan* plan = nullptr;
  NodeState* node = nullptr;
  NodeState* states = nullptr;        // all that were made for it
  std::vector<void**> function_states;
  std::uint64_t last_used = 0;
};

struct PartitionedScanState : NodeState {
  ScanPartitions* partitions = nullptr;
  bool begun = false;                 // partitions are pruned for this scan
  bool merging = false;
  std::size_t current = 0;
  NodeState* active = nullptr;        // state that reads the current partition
  catalog::RelationRef bound;         // partition that `shared` is bound to
  NodeState* shared = nullptr;        // the template's
  std::vector<std::unique_ptr<PartitionChild>> children;
  std::uint64_t clock = 0;
  // Merging.
  RowMerge merge;
  // What exclusion said of partitions with constraints of their own.
  struct Exclusion { std::uint64_t version; bool excluded; };
  std::unordered_map<std::uint32_t, Exclusion> exclusions;
  bool has_conditions = false, asks_for_null = false;
  NodeState* last = nullptr;          // whose row was returned last
};

// Can the template read this partition: same columns, an attached valid index for each of the template's?
bool fits_template(const PartitionedScanState& s, const catalog::Relation& leaf);
// The partition's own state, made or found; the plan is the template where that fits.
PartitionChild& child_of(PartitionedScanState& s, Oid leaf);
// At most so many children stay when nothing is being read.
void drop_children(PartitionedScanState& s, std::size_t keep);

// The position of the row the scan returned last; false before the first and when it is not a table's row.
bool current_scan_row(NodeState& scan, TupleId& tid, Oid& table);

// EXPLAIN: the partitions of a scan, with the plans they were or would be read by.
PartitionsShown shown_partitions(StatementState& state, const planner::PartitionedScan& plan);

}  // namespace hathi::executor
