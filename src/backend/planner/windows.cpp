// Window functions: one node a window, sorted by its partitions and order.

#include <algorithm>

#include "hathi/config/planner_settings.h"
#include "paths.h"
#include "upper_nodes.h"

namespace hathi::planner {

using nodes::ExprKind;

namespace {

void collect_windows(Expr* e, int ref, List<nodes::WindowFunction*>& out, Arena& arena) {
  if (e == nullptr) return;
  if (e->kind == ExprKind::window_function) {
    auto* w = nodes::as<nodes::WindowFunction>(e);
    if (w->window_ref != ref) return;
    for (nodes::WindowFunction* known : out) if (nodes::equal(known, w)) return;
    out.push_back(arena, w);
    return;
  }
  nodes::for_each_child(e, [&](Expr* c) { collect_windows(c, ref, out, arena); return false; });
}

}  // namespace

Plan* QueryPlanner::plan_windows(Plan* input) {
  if (!q_->has_windows) return input;
  Plan* current = input;
  bool grouped = input->kind == PlanKind::aggregate;
  // The input makes what windows sort by, and the leaves of all targets.
  List<TargetEntry*> base;
  if (grouped) {
    base = copy_targets(current->targets, s_.arena);
  } else {
    for (TargetEntry* t : q_->targets) visit_leaves(t->expr, [&](Expr* e) { add_target(base, e, s_.arena); }, true, false);
  }
  bool extended = false;
  for (const nodes::WindowClause* w : q_->windows) {
    for (const auto* list : {&w->partition_by, &w->order_by}) {
      for (const nodes::SortClause* c : *list) {
        std::size_t before = base.size();
        add_target(base, find_target(q_->targets, c->ref)->expr, s_.arena, c->ref);
        extended = extended || base.size() != before;
      }
    }
  }
  if (!grouped || extended) current = project(current, base);
  else current->targets = base;   // the same expressions, now with the references of the windows' orders
  for (nodes::WindowClause* w : q_->windows) {
    auto* node = make_plan<WindowAggregate>(s_.arena, PlanKind::window_aggregate);
    for (TargetEntry* t : q_->targets) collect_windows(t->expr, w->ref, node->functions, s_.arena);
    if (node->functions.empty()) continue;
    List<nodes::SortClause*> order;
    order.append(s_.arena, w->partition_by);
    order.append(s_.arena, w->order_by);
    if (!order.empty()) current = ensure_order(current, order, current->targets, 0);
    wrap(node, current, s_.arena);
    node->window = w;
    auto fill = [&](const List<nodes::SortClause*>& clauses, List<AttrNumber>& columns, List<Oid>& operators, List<Oid>& collations) {
      for (const nodes::SortClause* c : clauses) {
        int position = position_of_ref(current->targets, c->ref);
        columns.push_back(s_.arena, static_cast<AttrNumber>(position));
        operators.push_back(s_.arena, c->equal_operator);
        collations.push_back(s_.arena, nodes::collation_of(current->targets[static_cast<std::size_t>(position - 1)]->expr));
      }
    };
    fill(w->partition_by, node->partition_columns, node->partition_operators, node->partition_collations);
    fill(w->order_by, node->order_columns, node->order_operators, node->order_collations);
    for (nodes::WindowFunction* f : node->functions) {
      node->targets.push_back(s_.arena, make_target(s_.arena, f, static_cast<int>(node->targets.size()) + 1));
    }
    double per_row = config::values::cpu_tuple_cost + config::values::cpu_operator_cost * static_cast<double>(order.size() + node->functions.size());
    for (nodes::WindowFunction* f : node->functions) for (Expr* a : f->args) per_row += expression_cost(a).per_row;
    node->total_cost += node->rows * per_row;
    current = node;
  }
  return current;
}

}  // namespace hathi::planner
