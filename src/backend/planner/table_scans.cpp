// Plans of one table without a search among paths: partitions, and the templates of partitioned tables.

#include <algorithm>
#include <cmath>

#include "hathi/catalog/lookup.h"
#include "hathi/config/planner_settings.h"
#include "query_planner.h"

namespace hathi::planner {

using nodes::ExprKind;

// The same by way of a bitmap: rows in the table's order, each page once.
BitmapHeapScan* QueryPlanner::bitmap_scan(const IndexScan& scan, int rte, const catalog::IndexDescriptor& index) {
  const catalog::Relation& r = *relations_[static_cast<std::size_t>(rte - 1)];
  auto* bitmap = make_plan<BitmapIndexScan>(s_.arena, PlanKind::bitmap_index_scan);
  bitmap->rte = rte;
  bitmap->index = index.oid;
  for (const IndexCondition* c : scan.conditions) bitmap->conditions.push_back(s_.arena, s_.arena.make<IndexCondition>(*c));
  auto* heap = make_plan<BitmapHeapScan>(s_.arena, PlanKind::bitmap_heap_scan);
  heap->rte = rte;
  heap->left = bitmap;
  for (Expr* e : scan.recheck) heap->recheck.push_back(s_.arena, e);
  for (Expr* e : scan.filter) heap->filter.push_back(s_.arena, e);
  std::vector<Expr*> used(scan.recheck.begin(), scan.recheck.end());
  cost_bitmap_scan(*heap, *bitmap, r, index, selectivity_of_all(used, &r));
  heap->rows = scan.rows;
  return heap;
}
Plan* QueryPlanner::plan_table(int rte, const std::vector<Expr*>& conditions, bool need_index) {
  const catalog::Relation& r = *relations_[static_cast<std::size_t>(rte - 1)];
  const nodes::RangeTableEntry& entry = *q_->range_table[static_cast<std::size_t>(rte - 1)];
  bool is_tree = r.kind == catalog::relation_kind::partitioned_table && entry.inherit;
  Plan* best = is_tree ? plan_partitioned(rte, conditions, need_index) : plan_table_path(rte, conditions, need_index);
  if (best != nullptr) set_scan_targets(best, rte);
  return best;
}

// The cheapest way to read one table; for a partitioned one, to read a partition of average size.
Plan* QueryPlanner::plan_table_path(int rte, const std::vector<Expr*>& conditions, bool need_index) {
  const catalog::Relation& r = *relations_[static_cast<std::size_t>(rte - 1)];
  Plan* best = nullptr;
  if (q_->range_table[static_cast<std::size_t>(rte - 1)]->sample != nullptr) return need_index ? nullptr : plan_sample_scan(rte, conditions);
  if (Plan* by_tid = plan_tid_scan(rte, conditions)) {
    best = by_tid;
  } else if (config::values::enable_indexscan) {
    for (const catalog::IndexDescriptor* index : r.indexes) {
      IndexScan* scan = try_index(rte, *index, conditions);
      if (scan == nullptr) continue;
      if (best == nullptr || scan->total_cost < best->total_cost) {
        make_index_only(scan, rte, *index);
        best = scan;
      }
      if (scan->known_unique || scan->kind == PlanKind::index_only_scan || !config::values::enable_bitmapscan) continue;
      BitmapHeapScan* bitmap = bitmap_scan(*scan, rte, *index);
      if (bitmap->total_cost < best->total_cost) best = bitmap;
    }
  }
  if (need_index && (best == nullptr || best->kind == PlanKind::tid_scan)) return nullptr;
  auto* seq = make_plan<SeqScan>(s_.arena, PlanKind::seq_scan);
  seq->rte = rte;
  cost_seq_scan(*seq, scanned_size(r), static_cast<double>(conditions.size()));
  if (!config::values::enable_seqscan) seq->total_cost += 1e10;
  if (best == nullptr || (!need_index && seq->total_cost < best->total_cost && best->kind != PlanKind::tid_scan)) {
    for (Expr* e : conditions) seq->filter.push_back(s_.arena, e);
    seq->rows = std::max(1.0, std::rint(seq->rows * selectivity_of_all(conditions, &r)));
    best = seq;
  }
  return best;
}

Plan* QueryPlanner::plan_tid_scan(int rte, const std::vector<Expr*>& conditions) {
  constexpr Oid kTidEqual{387};
  auto* scan = make_plan<TidScan>(s_.arena, PlanKind::tid_scan);
  scan->rte = rte;
  auto is_ctid = [&](const Expr* e) {
    return e->kind == ExprKind::variable && nodes::as<nodes::Variable>(e)->rte == rte && nodes::as<nodes::Variable>(e)->column == -1;
  };
  for (Expr* e : conditions) {
    bool usable = false;
    if (scan->tids.empty() && e->kind == ExprKind::current_of) usable = true;
    if (scan->tids.empty() && e->kind == ExprKind::op && nodes::as<nodes::OpExpr>(e)->op == kTidEqual) {
      auto* op = nodes::as<nodes::OpExpr>(e);
      usable = (is_ctid(op->args[0]) && !relations_of(op->args[1]).has(rte)) || (is_ctid(op->args[1]) && !relations_of(op->args[0]).has(rte));
    }
    if (scan->tids.empty() && e->kind == ExprKind::array_op) {
      auto* a = nodes::as<nodes::ArrayOp>(e);
      usable = a->op == kTidEqual && a->use_or && is_ctid(a->scalar) && !relations_of(a->array).has(rte);
    }
    (usable ? scan->tids : scan->filter).push_back(s_.arena, e);
  }
  if (scan->tids.empty()) return nullptr;
  scan->rows = 1;
  scan->total_cost = 4;
  return scan;
}

}  // namespace hathi::planner
