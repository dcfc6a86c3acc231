#pragma once
// What scans of tables share.

#include "hathi/catalog/relation.h"
#include "node.h"

namespace hathi::executor {

struct TableScanState : NodeState {
  const catalog::Relation* relation = nullptr;
  Row row;                             // of the table, in place on its page
  CompileOptions compile_options() const {
    CompileOptions options;
    // (Programs outlive the partition they were first run for. Where columns differ no whole row is left in a plan.)
    options.scan_descriptor = partition == nullptr ? relation->descriptor : statement->relation(static_cast<const planner::Scan*>(plan)->rte).descriptor;
    return options;
  }
};

// Opens the relation of the scan's range-table entry, makes the row, compiles filter and projection.
inline void prepare_table_scan(TableScanState& s) {
  auto& plan = plan_of<planner::Scan>(s);
  s.relation = s.partition != nullptr ? s.partition : &s.statement->relation(plan.rte);
  if (!s.relation->is_populated) {
    throw SqlError(sqlstate::object_not_in_prerequisite_state, "materialized view \"{}\" has not been populated", s.relation->name)
        .hint("Use the REFRESH MATERIALIZED VIEW command.");
  }
  make_row(s.row, s.relation->descriptor->count(), s.relation->descriptor, s.statement->arena);
  s.row.tuple.table = s.relation->oid;
  prepare_filter(s, s.compile_options());
  prepare_projection(s, plan.rte, s.compile_options(), s.relation->descriptor);
}

// The scan reads `partition` from now on.
inline void rebind_table(TableScanState& s) {
  s.relation = s.partition;
  s.row.descriptor = s.relation->descriptor;
  s.row.tuple = HeapTuple();
  s.row.tuple.table = s.relation->oid;
}

inline void set_scan_row(TableScanState& s, HeapTuple& tuple) {
  tuple.table = s.relation->oid;
  s.row.set_heap(tuple);
  s.eval.scan = &s.row;
}

// The table's own index that is the given one or attached to it, at whatever depth; nullptr when there is none.
const catalog::IndexDescriptor* attached_index(const catalog::Relation& table, Oid index);
// The same; XX000 when it is not there.
const catalog::IndexDescriptor& find_index(const catalog::Relation& table, Oid index);

// The conditions of an index scan, evaluated at each (re)start.
class IndexConditions {
 public:
  void prepare(const List<planner::IndexCondition*>& conditions, NodeState& node);
  // Fills keys(); false when some condition can never be met (NULL argument).
  bool evaluate();
  std::span<const btree::ScanKey> keys() const { return {keys_, count_}; }
 private:
  struct Condition {
    Program* argument = nullptr;
    TypeLayout element;
    bool is_array = false;
  };
  NodeState* node_ = nullptr;
  Condition* conditions_ = nullptr;
  btree::ScanKey* keys_ = nullptr;
  std::size_t count_ = 0;
  Arena arena_{512};                   // argument values of the running scan
};

}  // namespace hathi::executor
