// The commonest statement by far: one row of one table by its whole key. The index scan is taken without looking further when the table is
// so large that nothing else can be cheaper.

#include <algorithm>
#include <cmath>

#include "hathi/btree/btree.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/planner_settings.h"
#include "paths.h"

namespace hathi::planner {

namespace values = config::values;

namespace {

// Below so many pages reading the whole table may be cheaper.
constexpr double kLargeTable = 30;

// The costs of fetching one row by index, as PostgreSQL's formulas have them.
void cost_key_lookup(IndexScan& scan, const catalog::Relation& table, const catalog::IndexDescriptor& index, TableSize size) {
  btree::Shape shape = btree::shape(index.btree);
  double descent = halvings(size.rows) * values::cpu_operator_cost + std::max(1, shape.height) * 50.0 * values::cpu_operator_cost;
  bool visible = scan.kind == PlanKind::index_only_scan && table.page_count > 0 && table.all_visible_pages >= size.pages;
  double per_row = values::cpu_tuple_cost, startup = descent;
  for (Expr* e : scan.filter) {
    ExpressionCost c = expression_cost(e);
    startup += c.startup;
    per_row += c.per_row;
  }
  scan.startup_cost = startup;
  scan.total_cost = startup + values::random_page_cost + values::cpu_index_tuple_cost + values::cpu_operator_cost * scan.conditions.size() +
                    (visible ? 0 : values::random_page_cost) + per_row;
  scan.rows = 1;
}

}  // namespace

// False: not a statement of that kind.
bool QueryPlanner::plan_key_lookup(nodes::FromExpr* from, RelPlan& out) {
  bool plain = from->items.size() == 1 && from->items[0]->kind == nodes::JoinNodeKind::reference && from->where != nullptr && values::enable_indexscan &&
               values::constraint_exclusion != 1 &&
               !q_->has_aggregates && q_->group_by.empty() && q_->grouping_sets.empty() && q_->having == nullptr && !q_->has_windows && q_->distinct.empty() &&
               q_->order_by.empty() && !q_->has_target_srfs;
  if (!plain) return false;
  int rte = static_cast<nodes::RangeReference*>(from->items[0])->rte;
  const nodes::RangeTableEntry& entry = *q_->range_table[static_cast<std::size_t>(rte - 1)];
  if (entry.kind != nodes::RteKind::relation || entry.sample != nullptr) return false;
  const catalog::Relation& table = *relations_[static_cast<std::size_t>(rte - 1)];
  if (table.kind == catalog::relation_kind::partitioned_table || table.indexes.empty()) return false;
  std::vector<Expr*> conditions;
  for (const Qual& q : split(from->where)) {
    if (q.relations.empty() || contains_sub_plan(q.expr)) return false;
    conditions.push_back(q.expr);
  }
  TableSize size = table_size(table);
  if (size.pages < kLargeTable || size.rows < 2) return false;
  for (const catalog::IndexDescriptor* index : table.indexes) {
    if (!index->unique || !index->immediate || !index->predicate.empty() || static_cast<std::size_t>(index->key_count) > conditions.size()) continue;
    IndexScan* scan = try_index(rte, *index, conditions);
    if (scan == nullptr || !scan->known_unique) continue;
    if (plan_tid_scan(rte, conditions) != nullptr) return false;
    base_conditions_[rte] = conditions;
    make_index_only(scan, rte, *index);
    cost_key_lookup(*scan, table, *index, size);
    set_scan_targets(scan, rte);
    scan->width = target_width(scan->targets);
    out.plan = scan;
    out.relations.add(rte);
    return true;
  }
  return false;
}

}  // namespace hathi::planner
