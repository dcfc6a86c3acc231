#include "replacement.h"

#include "table_scan.h"

namespace hathi::executor {

using planner::PlanKind;

namespace {

struct ReplacedScanState : NodeState {
  ReplacementRow* replacement = nullptr;
  Program* recheck = nullptr;
  // Index-only scans read index columns.
  const catalog::IndexDescriptor* index = nullptr;
  Row index_row;
};

const planner::Scan* as_scan(const planner::Plan* plan) {
  switch (plan->kind) {
    case PlanKind::seq_scan: case PlanKind::sample_scan: case PlanKind::index_scan: case PlanKind::index_only_scan: case PlanKind::bitmap_heap_scan:
    case PlanKind::tid_scan: case PlanKind::subquery_scan: case PlanKind::function_scan: case PlanKind::values_scan: case PlanKind::cte_scan:
    case PlanKind::work_table_scan: case PlanKind::partitioned_scan:
      return static_cast<const planner::Scan*>(plan);
    default: return nullptr;
  }
}

Row* index_columns(ReplacedScanState& s, Row& row) {
  for (std::size_t i = 0; i < s.index->columns.size(); ++i) {
    AttrNumber column = s.index->columns[i];
    if (column <= 0) throw SqlError(sqlstate::internal_error, "index-only scan of an expression cannot be re-checked");
    row.need(column);
    s.index_row.values[i] = row.values[column - 1];
    s.index_row.nulls[i] = row.nulls[column - 1];
  }
  s.index_row.set_virtual();
  return &s.index_row;
}

Row* run_replaced(NodeState& node) {
  auto& s = self<ReplacedScanState>(node);
  ReplacementRow& r = *s.replacement;
  if (r.done || !r.present) return nullptr;
  r.done = true;
  s.row_arena.reset();
  Row* row = s.index != nullptr ? index_columns(s, r.row) : &r.row;
  s.eval.scan = row;
  if (!passes(s.recheck) || !passes(s.filter)) return nullptr;
  return output_row(s, row);
}

void init_replaced(NodeState& node) {
  auto& s = self<ReplacedScanState>(node);
  auto& plan = *as_scan(s.plan);
  Arena& arena = s.statement->arena;
  s.replacement = &s.statement->replacements[plan.rte - 1];
  CompileOptions options;
  options.scan_descriptor = s.replacement->row.descriptor;
  int identity = plan.rte;
  if (plan.kind == PlanKind::index_only_scan) {
    auto& scan = static_cast<const planner::IndexScan&>(plan);
    s.index = &find_index(s.statement->relation(plan.rte), scan.index);
    const TupleDescriptor* d = s.index->btree.descriptor;
    make_row(s.index_row, d->count(), d, arena);
    options.scan_descriptor = d;
    identity = nodes::kIndexVar;
    s.recheck = compile_filter(scan.recheck, s.eval, arena, options);
  } else if (plan.kind == PlanKind::index_scan) {
    s.recheck = compile_filter(static_cast<const planner::IndexScan&>(plan).recheck, s.eval, arena, options);
  } else if (plan.kind == PlanKind::bitmap_heap_scan) {
    s.recheck = compile_filter(static_cast<const planner::BitmapHeapScan&>(plan).recheck, s.eval, arena, options);
  }
  prepare_filter(s, options);
  prepare_projection(s, identity, options);
}

void rescan_replaced(NodeState& node) { self<ReplacedScanState>(node).replacement->done = false; }
void close_replaced(NodeState&) {}

}  // namespace

bool is_replaced_scan(const StatementState& statement, const planner::Plan* plan) {
  const planner::Scan* scan = as_scan(plan);
  return scan != nullptr && scan->rte > 0 && statement.replacements[scan->rte - 1].active;
}

NodeState* make_replaced_scan(StatementState& st, const planner::Plan* p) {
  return make_state<ReplacedScanState>(st, p, init_replaced, run_replaced, rescan_replaced, close_replaced);
}

}  // namespace hathi::executor
