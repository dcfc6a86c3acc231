// Set-returning functions in the target list.

#include <algorithm>

#include "upper_nodes.h"

namespace hathi::planner {

using nodes::ExprKind;

namespace {

bool is_srf(const Expr* e) {
  return (e->kind == ExprKind::function && nodes::as<nodes::FunctionExpr>(e)->returns_set) ||
         (e->kind == ExprKind::op && nodes::as<nodes::OpExpr>(e)->returns_set);
}

}  // namespace

// One ProjectSet a nesting level of set-returning functions; the last projection makes the targets.
Plan* QueryPlanner::plan_target_srfs(Plan* input) {
  List<TargetEntry*> wanted = q_->targets;
  // Depth of set-returning calls below an expression.
  auto depth = [&](auto&& self, Expr* e) -> int {
    if (e == nullptr) return 0;
    int below = 0;
    nodes::for_each_child(e, [&](Expr* c) { below = std::max(below, self(self, c)); return false; });
    return below + (is_srf(e) ? 1 : 0);
  };
  int levels = 0;
  for (TargetEntry* t : wanted) levels = std::max(levels, depth(depth, t->expr));
  Plan* current = input;
  for (int level = 1; level <= levels; ++level) {
    List<TargetEntry*> targets;
    bool last = level == levels;
    bool all_top = last && std::all_of(wanted.begin(), wanted.end(), [&](TargetEntry* t) {
                     return is_srf(t->expr) ? depth(depth, t->expr) == level : !contains_srf_at(t->expr, level);
                   });
    if (all_top) {
      targets = wanted;
    } else {
      auto collect = [&](auto&& self, Expr* e) -> void {
        if (e == nullptr) return;
        if (is_srf(e) && depth(depth, e) <= level) {
          add_target(targets, e, s_.arena);
          return;
        }
        if (e->kind == ExprKind::variable || e->kind == ExprKind::aggregate || e->kind == ExprKind::window_function || e->kind == ExprKind::grouping) {
          add_target(targets, e, s_.arena);
          return;
        }
        nodes::for_each_child(e, [&](Expr* c) { self(self, c); return false; });
      };
      for (TargetEntry* t : wanted) collect(collect, t->expr);
    }
    auto* set = make_plan<ProjectSet>(s_.arena, PlanKind::project_set);
    wrap(set, current, s_.arena, false);
    set->targets = targets;
    set->width = width_of(targets);
    set->rows = current->rows * 1000;
    set->total_cost += set->rows * 0.0025;
    current = set;
    if (last && !all_top) {
      auto* result = make_plan<Result>(s_.arena, PlanKind::result);
      wrap(result, current, s_.arena, false);
      result->targets = wanted;
      result->width = width_of(wanted);
      current = result;
    }
  }
  return current;
}

// Is there a set-returning call of exactly that depth inside (not at the top)?
bool QueryPlanner::contains_srf_at(Expr* e, int) { return contains_srf(e); }

}  // namespace hathi::planner
