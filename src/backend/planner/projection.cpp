// Output columns and sorts of nodes above the joins.

#include <algorithm>

#include "paths.h"
#include "upper_nodes.h"

namespace hathi::planner {

using nodes::ExprKind;

int add_target(List<TargetEntry*>& targets, Expr* e, Arena& arena, int ref) {
  for (TargetEntry* t : targets) {
    if (!nodes::equal(t->expr, e) || (ref != 0 && t->sort_group_ref != 0 && t->sort_group_ref != ref)) continue;
    if (ref != 0) t->sort_group_ref = ref;
    return t->number;
  }
  TargetEntry* t = make_target(arena, e, static_cast<int>(targets.size()) + 1);
  t->sort_group_ref = ref;
  targets.push_back(arena, t);
  return t->number;
}

int position_of_ref(const List<TargetEntry*>& targets, int ref) {
  for (const TargetEntry* t : targets) if (t->sort_group_ref == ref) return t->number;
  throw SqlError(sqlstate::internal_error, "sort or group expression was not found");
}

void wrap(Plan* node, Plan* input, Arena& arena, bool same_targets) {
  node->left = input;
  if (same_targets) node->targets = copy_targets(input->targets, arena);
  node->rows = input->rows;
  node->width = input->width;
  node->startup_cost = input->startup_cost;
  node->total_cost = input->total_cost;
}

namespace {

bool can_project(const Plan* p) {
  switch (p->kind) {
    case PlanKind::sort:
    case PlanKind::incremental_sort:
    case PlanKind::materialize:
    case PlanKind::memoize:
    case PlanKind::unique:
    case PlanKind::set_op:
    case PlanKind::lock_rows:
    case PlanKind::limit:
    case PlanKind::hash:
    case PlanKind::append:
    case PlanKind::merge_append:
    case PlanKind::recursive_union:
    case PlanKind::modify_table:
    case PlanKind::project_set: return false;
    default: return true;
  }
}

}  // namespace

// The columns of joins made partition by partition, chosen and ordered anew: each join gives them so itself.
bool QueryPlanner::project_members(Append& append, const List<TargetEntry*>& targets) {
  std::vector<std::size_t> from;
  for (const TargetEntry* t : targets) {
    auto same = [&](const TargetEntry* own) { return nodes::equal(own->expr, t->expr); };
    const auto* found = std::find_if(append.targets.begin(), append.targets.end(), same);
    if (found == append.targets.end()) return false;
    from.push_back(static_cast<std::size_t>(found - append.targets.begin()));
  }
  for (const Plan* p : append.inputs) {
    if (p->kind != PlanKind::subquery_scan || !can_project(static_cast<const SubqueryScan*>(p)->subplan)) return false;
  }
  if (from.empty()) return true;   // (nobody looks at the columns)
  for (Plan* p : append.inputs) {
    Plan* below = static_cast<SubqueryScan*>(p)->subplan;
    List<TargetEntry*> chosen, handed_on;
    for (std::size_t i = 0; i < from.size(); ++i) {
      chosen.push_back(s_.arena, s_.arena.make<TargetEntry>(*below->targets[from[i]]));
      chosen.back()->number = static_cast<AttrNumber>(i + 1);
      auto* v = s_.arena.make<nodes::Variable>(*nodes::as<nodes::Variable>(p->targets[from[i]]->expr));
      v->column = static_cast<AttrNumber>(i + 1);
      handed_on.push_back(s_.arena, make_target(s_.arena, v, static_cast<int>(i) + 1));
    }
    below->targets = chosen;
    p->targets = handed_on;
  }
  append.targets = copy_targets(targets, s_.arena);
  return true;
}

namespace {

bool gives(const Plan& p, const Expr* e) {
  return std::any_of(p.targets.begin(), p.targets.end(), [&](const TargetEntry* t) { return nodes::equal(t->expr, e); });
}

// Does a join get the expression from one of its inputs?
bool is_handed_on(const Plan& join, const Expr* e) {
  if (join.kind != PlanKind::nest_loop && join.kind != PlanKind::hash_join && join.kind != PlanKind::merge_join) return false;
  return gives(*join.left, e) || gives(*join.right, e);
}

}  // namespace

// The input with other output columns: in its own projection where it has one and it still makes plain columns.
Plan* QueryPlanner::project(Plan* input, const List<TargetEntry*>& targets) {
  if (input->kind == PlanKind::append && project_members(*static_cast<Append*>(input), targets)) return input;
  Plan* out = input;
  bool plain = std::all_of(input->targets.begin(), input->targets.end(), [&](const TargetEntry* t) {
    return t->expr->kind == ExprKind::variable || is_handed_on(*input, t->expr);
  });
  bool upper = input->kind == PlanKind::aggregate || input->kind == PlanKind::window_aggregate || input->kind == PlanKind::group;
  if (input->kind == PlanKind::window_aggregate) {   // its own columns in another order
    upper = !std::all_of(targets.begin(), targets.end(), [&](const TargetEntry* t) {
      return std::any_of(input->targets.begin(), input->targets.end(), [&](const TargetEntry* own) { return nodes::equal(own->expr, t->expr); });
    });
    plain = !upper;
  }
  if (!can_project(input) || (!plain && input->left != nullptr) || upper) {
    auto* result = make_plan<Result>(s_.arena, PlanKind::result);
    wrap(result, input, s_.arena, false);
    out = result;
  }
  out->targets = targets;
  if (is_nothing(out)) return out;
  out->width = target_width(targets);
  for (const TargetEntry* t : targets) {
    ExpressionCost c = expression_cost(t->expr);
    out->startup_cost += c.startup;
    out->total_cost += c.startup + c.per_row * out->rows;
  }
  return out;
}

Plan* QueryPlanner::make_sort(Plan* input, const List<nodes::SortClause*>& clauses, const List<TargetEntry*>& targets) {
  auto* sort = make_plan<Sort>(s_.arena, PlanKind::sort);
  wrap(sort, input, s_.arena);
  for (const nodes::SortClause* c : clauses) {
    int position = position_of_ref(targets, c->ref);
    if (std::find(sort->keys.columns.begin(), sort->keys.columns.end(), position) != sort->keys.columns.end()) continue;
    sort->keys.columns.push_back(s_.arena, static_cast<AttrNumber>(position));
    sort->keys.operators.push_back(s_.arena, c->order_operator);
    sort->keys.collations.push_back(s_.arena, nodes::collation_of(targets[static_cast<std::size_t>(position - 1)]->expr));
    sort->keys.nulls_first.push_back(s_.arena, c->nulls_first);
  }
  cost_sort(*sort, *input);
  return sort;
}

}  // namespace hathi::planner
