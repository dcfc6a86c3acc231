// DISTINCT, ORDER BY, row locks, LIMIT.

#include <algorithm>

#include "hathi/catalog/lookup.h"
#include "hathi/config/planner_settings.h"
#include "paths.h"
#include "upper_nodes.h"

namespace hathi::planner {

using nodes::ExprKind;

Plan* QueryPlanner::plan_distinct_and_order(Plan* input) {
  Plan* current = input;
  bool srf_in_order = false;
  for (const auto* list : {&q_->order_by, &q_->distinct}) {
    for (const nodes::SortClause* c : *list) srf_in_order = srf_in_order || contains_srf(find_target(q_->targets, c->ref)->expr);
  }
  bool is_final = grouped_by_partitions_ || (current->kind == PlanKind::aggregate && !q_->has_windows && !q_->has_target_srfs);
  if (q_->has_target_srfs && !srf_in_order && q_->distinct.empty() && !q_->order_by.empty()) {
    // Sort the rows before they multiply.
    List<TargetEntry*> below;
    for (const nodes::SortClause* c : q_->order_by) add_target(below, find_target(q_->targets, c->ref)->expr, s_.arena, c->ref);
    for (TargetEntry* t : q_->targets) visit_leaves(t->expr, [&](Expr* e) { add_target(below, e, s_.arena); }, true, true);
    current = project(current, below);
    current = ensure_order(current, q_->order_by, current->targets, 0);
    return plan_target_srfs(current);
  }
  if (q_->has_target_srfs) current = plan_target_srfs(current);
  else if (!is_final) current = project(current, q_->targets);
  if (!q_->distinct.empty()) return plan_distinct(current);
  return plan_order(current);
}

Plan* QueryPlanner::plan_order(Plan* input) {
  if (q_->order_by.empty()) return input;
  if (input->kind == PlanKind::partitioned_scan) {
    if (Plan* ordered = order_partitions(static_cast<PartitionedScan*>(input))) return ordered;
  }
  return ensure_order(input, q_->order_by, input->targets, limit_rows());
}

// A scan of one table by an index that already has the order wanted.
Plan* QueryPlanner::order_by_index(Plan* input) {
  bool scan = input->kind == PlanKind::seq_scan || input->kind == PlanKind::index_scan || input->kind == PlanKind::index_only_scan ||
              input->kind == PlanKind::bitmap_heap_scan;
  if (!scan || !config::values::enable_indexscan) return nullptr;
  int rte = static_cast<Scan*>(input)->rte;
  const catalog::Relation& r = *relations_[static_cast<std::size_t>(rte - 1)];
  double limit = limit_rows();
  for (const catalog::IndexDescriptor* index : r.indexes) {
    if (!may_scan(*index) || !index->predicate.empty()) continue;
    int direction = index_direction(*index, rte, input->targets);
    if (direction == 0) continue;
    IndexScan* made = try_index(rte, *index, base_conditions_[rte]);
    if (made == nullptr) {
      made = make_plan<IndexScan>(s_.arena, PlanKind::index_scan);
      made->rte = rte;
      made->index = index->oid;
      cost_index_scan(*made, r, *index, 1.0, 1);
      for (Expr* e : base_conditions_[rte]) {
        made->filter.push_back(s_.arena, e);
        made->rows = std::max(1.0, made->rows * selectivity(e, &r));
      }
    }
    made->backward = direction < 0;
    Sort sorted{};
    cost_sort(sorted, *input);
    double fraction = limit > 0 && made->rows > 0 ? std::min(1.0, limit / made->rows) : 1.0;
    double by_index = made->startup_cost + (made->total_cost - made->startup_cost) * fraction;
    if (by_index >= sorted.total_cost && config::values::enable_sort) continue;
    make_index_only(made, rte, *index);
    made->targets = input->targets;
    made->width = input->width;
    return made;
  }
  return nullptr;
}

// 1 when the index's order is the one wanted, -1 when it is its reverse, 0 otherwise.
int QueryPlanner::index_direction(const catalog::IndexDescriptor& index, int rte, const List<TargetEntry*>& targets) {
  if (static_cast<int>(q_->order_by.size()) > index.key_count) return 0;
  int direction = 0;
  for (std::size_t i = 0; i < q_->order_by.size(); ++i) {
    const nodes::SortClause* c = q_->order_by[i];
    const Expr* e = find_target(targets, c->ref)->expr;
    if (e->kind != ExprKind::variable || nodes::as<nodes::Variable>(e)->rte != rte || nodes::as<nodes::Variable>(e)->column != index.columns[i] ||
        index.columns[i] == 0) {
      return 0;
    }
    if (is_valid(index.collations[i]) && nodes::collation_of(e) != index.collations[i]) return 0;
    int strategy = 0;
    for (const catalog::FamilyMember& m : catalog::operator_families(c->order_operator)) {
      if (m.family == index.operator_families[i] && m.method == kBTreeAccessMethod) strategy = m.strategy;
    }
    if (strategy != 1 && strategy != 5) return 0;
    bool descending = strategy == 5;
    bool index_descending = (index.options[i] & 1) != 0, index_nulls_first = (index.options[i] & 2) != 0;
    int d = descending == index_descending ? 1 : -1;
    if (c->nulls_first != (d > 0 ? index_nulls_first : !index_nulls_first)) return 0;
    if (direction != 0 && d != direction) return 0;
    direction = d;
  }
  return direction;
}

double QueryPlanner::limit_rows() const {
  auto constant = [](const Expr* e) -> double {
    if (e == nullptr || e->kind != ExprKind::constant || nodes::as<nodes::Constant>(e)->is_null) return 0;
    return static_cast<double>(nodes::as<nodes::Constant>(e)->value.as_int64());
  };
  if (q_->limit == nullptr) return 0;
  double n = constant(q_->limit);
  return n > 0 ? n + constant(q_->offset) : 0;
}

Plan* QueryPlanner::plan_distinct(Plan* input) {
  std::vector<Expr*> expressions;
  for (const nodes::SortClause* c : q_->distinct) expressions.push_back(find_target(q_->targets, c->ref)->expr);
  double rows = joins_->group_count(expressions, input->rows);
  if (hash_distinct_) {
    auto* agg = make_plan<Aggregate>(s_.arena, PlanKind::aggregate);
    agg->strategy = Aggregate::Strategy::hashed;
    wrap(agg, input, s_.arena);
    for (const nodes::SortClause* c : q_->distinct) {
      int position = position_of_ref(input->targets, c->ref);
      agg->columns.push_back(s_.arena, static_cast<AttrNumber>(position));
      agg->equal_operators.push_back(s_.arena, c->equal_operator);
      agg->collations.push_back(s_.arena, nodes::collation_of(input->targets[static_cast<std::size_t>(position - 1)]->expr));
    }
    agg->rows = agg->group_count = rows;
    agg->startup_cost = input->total_cost + input->rows * config::values::cpu_operator_cost * static_cast<double>(q_->distinct.size());
    agg->total_cost = agg->startup_cost + rows * config::values::cpu_tuple_cost;
    current_keys_.clear();
    return q_->order_by.empty() ? static_cast<Plan*>(agg) : ensure_order(agg, q_->order_by, agg->targets, limit_rows());
  }
  // Sorted by ORDER BY where that begins with the DISTINCT columns (DISTINCT ON demands it), else by them.
  const auto& order = q_->order_by.size() >= q_->distinct.size() || q_->has_distinct_on ? (q_->order_by.empty() ? q_->distinct : q_->order_by) : q_->distinct;
  List<nodes::SortClause*> keys;
  keys.append(s_.arena, order);
  for (nodes::SortClause* c : q_->distinct) {
    if (std::none_of(keys.begin(), keys.end(), [&](const nodes::SortClause* k) { return k->ref == c->ref; })) keys.push_back(s_.arena, c);
  }
  Plan* sorted = ensure_order(input, keys, input->targets, 0, false);
  auto* unique = make_plan<Unique>(s_.arena, PlanKind::unique);
  wrap(unique, sorted, s_.arena);
  for (const nodes::SortClause* c : q_->distinct) {
    int position = position_of_ref(sorted->targets, c->ref);
    unique->columns.push_back(s_.arena, static_cast<AttrNumber>(position));
    unique->equal_operators.push_back(s_.arena, c->equal_operator);
    unique->collations.push_back(s_.arena, nodes::collation_of(sorted->targets[static_cast<std::size_t>(position - 1)]->expr));
  }
  unique->rows = rows;
  unique->total_cost += config::values::cpu_operator_cost * static_cast<double>(q_->distinct.size()) * sorted->rows;
  return q_->order_by.empty() ? static_cast<Plan*>(unique) : ensure_order(unique, q_->order_by, unique->targets, limit_rows());
}

Plan* QueryPlanner::plan_limit(Plan* input) {
  if (q_->limit == nullptr && q_->offset == nullptr) return input;
  auto* limit = make_plan<Limit>(s_.arena, PlanKind::limit);
  wrap(limit, input, s_.arena);
  limit->count = q_->limit;
  limit->offset = q_->offset;
  limit->with_ties = q_->limit_with_ties;
  if (limit->with_ties) {
    for (const nodes::SortClause* c : q_->order_by) {
      int position = position_of_ref(input->targets, c->ref);
      limit->tie_columns.push_back(s_.arena, static_cast<AttrNumber>(position));
      limit->tie_operators.push_back(s_.arena, c->equal_operator);
      limit->tie_collations.push_back(s_.arena, nodes::collation_of(input->targets[static_cast<std::size_t>(position - 1)]->expr));
    }
  }
  double wanted = limit_rows();
  if (wanted > 0 && wanted < input->rows) {
    limit->total_cost = input->startup_cost + (input->total_cost - input->startup_cost) * wanted / input->rows;
    limit->rows = wanted;
  }
  return limit;
}

// FOR UPDATE / SHARE: junk columns bring each row's place up to the locking node.
Plan* QueryPlanner::plan_row_marks(Plan* input) {
  if (marks_.empty() || q_->command != nodes::CommandKind::select) return input;
  auto* lock = make_plan<LockRows>(s_.arena, PlanKind::lock_rows);
  wrap(lock, input, s_.arena);
  for (RowMarkPlan* m : marks_) lock->marks.push_back(s_.arena, m);
  lock->epq_param = s_.new_exec_param(kInvalidOid);
  return lock;
}

}  // namespace hathi::planner
