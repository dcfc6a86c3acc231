#pragma once
// Small tools of the steps above the joins.

#include "query_planner.h"

namespace hathi::planner {

// Adds an expression to a target list unless an equal one is there; returns its position from 1.
int add_target(List<TargetEntry*>& targets, Expr* e, Arena& arena, int ref = 0);
// The position of the target that a sort or group clause names.
int position_of_ref(const List<TargetEntry*>& targets, int ref);
// Puts a node above its input, with the input's rows, width and costs. same_targets: its columns too.
void wrap(Plan* node, Plan* input, Arena& arena, bool same_targets = true);

// The variables (and what else comes from below) an expression reads. Aggregates: their arguments; stop: kinds taken whole.
template <class F>
void visit_leaves(Expr* e, F&& leaf, bool stop_at_aggregates, bool stop_at_windows) {
  using nodes::ExprKind;
  if (e == nullptr) return;
  if (e->kind == ExprKind::variable || (stop_at_aggregates && (e->kind == ExprKind::aggregate || e->kind == ExprKind::grouping)) ||
      (stop_at_windows && e->kind == ExprKind::window_function)) {
    leaf(e);
    return;
  }
  nodes::for_each_child(e, [&](Expr* c) { visit_leaves(c, leaf, stop_at_aggregates, stop_at_windows); return false; });
}

}  // namespace hathi::planner
