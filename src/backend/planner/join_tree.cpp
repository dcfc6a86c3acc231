// The join tree: inner joins in any order, outer joins where they stand.

#include <algorithm>
#include <cmath>

#include "hathi/base/stack.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/planner_settings.h"
#include "query_planner.h"

namespace hathi::planner {

namespace {

using nodes::JoinNodeKind;
using nodes::JoinType;

RelationSet relations_below(const nodes::JoinNode* node) {
  RelationSet out;
  switch (node->kind) {
    case JoinNodeKind::reference: out.add(static_cast<const nodes::RangeReference*>(node)->rte); break;
    case JoinNodeKind::from:
      for (const nodes::JoinNode* item : static_cast<const nodes::FromExpr*>(node)->items) out.add(relations_below(item));
      break;
    case JoinNodeKind::join:
      out.add(relations_below(static_cast<const nodes::JoinExpr*>(node)->left));
      out.add(relations_below(static_cast<const nodes::JoinExpr*>(node)->right));
      break;
  }
  return out;
}

// An equality between the two sides, with its operands' sides known.
struct EquiClause {
  nodes::OpExpr* op = nullptr;
  Expr* outer = nullptr;
  Expr* inner = nullptr;
};

}  // namespace

// A strict condition above turns an outer join whose nullable side it rejects into a plainer one.
bool QueryPlanner::reduce_outer_joins(nodes::JoinNode* node, const std::vector<Qual>& above) {
  if (node->kind == JoinNodeKind::from) {
    auto* from = static_cast<nodes::FromExpr*>(node);
    std::vector<Qual> quals = above;
    for (Qual& q : split(from->where)) quals.push_back(q);
    for (nodes::JoinNode* item : from->items) reduce_outer_joins(item, quals);
    return false;
  }
  if (node->kind != JoinNodeKind::join) return false;
  auto* join = static_cast<nodes::JoinExpr*>(node);
  auto rejects_nulls_of = [&](const RelationSet& side) {
    return std::any_of(above.begin(), above.end(), [&](const Qual& q) { return is_strict_for(q.expr, side); });
  };
  RelationSet left = relations_below(join->left), right = relations_below(join->right);
  if (join->type == JoinType::full) {
    bool left_needed = rejects_nulls_of(left), right_needed = rejects_nulls_of(right);
    if (left_needed && right_needed) join->type = JoinType::inner;
    else if (left_needed) join->type = JoinType::left;
    else if (right_needed) join->type = JoinType::right;
  }
  if (join->type == JoinType::left && rejects_nulls_of(right)) join->type = JoinType::inner;
  if (join->type == JoinType::right && rejects_nulls_of(left)) join->type = JoinType::inner;
  std::vector<Qual> own = split(join->condition), left_quals, right_quals;
  if (join->type == JoinType::inner) {
    left_quals = right_quals = above;
    for (Qual& q : own) { left_quals.push_back(q); right_quals.push_back(q); }
  } else if (join->type == JoinType::left || join->type == JoinType::anti || join->type == JoinType::semi) {
    left_quals = above;
    right_quals = own;
  } else if (join->type == JoinType::right) {
    right_quals = above;
    left_quals = own;
  }
  reduce_outer_joins(join->left, left_quals);
  reduce_outer_joins(join->right, right_quals);
  return false;
}

RelPlan QueryPlanner::plan_from(nodes::FromExpr* from) {
  reduce_outer_joins(from, {});
  std::vector<Qual> quals;
  RelPlan rel = plan_join_node(from, quals);
  // What is left mentions nothing: a one-time filter.
  std::vector<Expr*> once;
  for (Qual& q : quals) {
    if (q.placed) continue;
    if (!q.relations.empty() || contains_volatile(q.expr)) {
      if (rel.plan->kind == PlanKind::result || !rel.relations.contains(q.relations)) rel.plan->filter.push_back(s_.arena, q.expr);
      else rel.plan->filter.push_back(s_.arena, q.expr);
    } else {
      once.push_back(q.expr);
    }
  }
  if (once.empty()) return rel;
  auto* result = make_plan<Result>(s_.arena, PlanKind::result);
  bool never = std::any_of(once.begin(), once.end(), [](const Expr* e) {
    return e->kind == nodes::ExprKind::constant && (nodes::as<nodes::Constant>(e)->is_null || !nodes::as<nodes::Constant>(e)->value.as_bool());
  });
  if (never) {   // nothing below is needed
    result->constant_filter = make_bool(s_.arena, false);
    result->targets = copy_targets(rel.plan->targets, s_.arena);
    result->rows = 1;
    result->width = rel.plan->width;
    rel.plan = result;
    return rel;
  }
  result->constant_filter = make_and(s_.arena, once);
  if (rel.plan->kind == PlanKind::result && rel.plan->left == nullptr && rel.plan->filter.empty() && rel.relations.empty()) {
    result->rows = 1;
    result->total_cost = 0.01;
  } else {
    result->left = rel.plan;
    result->targets = copy_targets(rel.plan->targets, s_.arena);
    result->rows = rel.plan->rows;
    result->startup_cost = rel.plan->startup_cost;
    result->total_cost = rel.plan->total_cost;
    result->width = rel.plan->width;
  }
  rel.plan = result;
  return rel;
}

// Inner joins and FROM lists fall into one list of items whose conditions are shared.
void QueryPlanner::flatten_inner(nodes::JoinNode* node, std::vector<nodes::JoinNode*>& items, std::vector<Qual>& quals) {
  if (node->kind == JoinNodeKind::from) {
    auto* from = static_cast<nodes::FromExpr*>(node);
    for (nodes::JoinNode* item : from->items) flatten_inner(item, items, quals);
    for (Qual& q : split(from->where)) quals.push_back(q);
    return;
  }
  if (node->kind == JoinNodeKind::join && static_cast<nodes::JoinExpr*>(node)->type == JoinType::inner) {
    auto* join = static_cast<nodes::JoinExpr*>(node);
    flatten_inner(join->left, items, quals);
    flatten_inner(join->right, items, quals);
    for (Qual& q : split(join->condition)) quals.push_back(q);
    return;
  }
  items.push_back(node);
}

RelPlan QueryPlanner::plan_join_node(nodes::JoinNode* node, std::vector<Qual>& quals) {
  check_stack_depth();
  if (node->kind == JoinNodeKind::reference) return plan_relation(static_cast<nodes::RangeReference*>(node)->rte, quals);
  if (node->kind == JoinNodeKind::join && static_cast<nodes::JoinExpr*>(node)->type != JoinType::inner) {
    return plan_outer_join(static_cast<nodes::JoinExpr*>(node), quals);
  }
  std::vector<nodes::JoinNode*> items;
  flatten_inner(node, items, quals);
  if (items.empty()) {
    RelPlan rel;
    auto* result = make_plan<Result>(s_.arena, PlanKind::result);
    result->rows = 1;
    result->total_cost = 0.01;
    rel.plan = result;
    return rel;
  }
  std::vector<RelPlan> planned;
  for (nodes::JoinNode* item : items) planned.push_back(plan_join_node(item, quals));
  return join_items(std::move(planned), quals);
}

namespace {

// Conditions of an outer join that touch only one side.
std::vector<Expr*> take_for(std::vector<Qual>& quals, const RelationSet& relations, bool allow_empty) {
  std::vector<Expr*> out;
  for (Qual& q : quals) {
    if (q.placed || !relations.contains(q.relations) || (q.relations.empty() && !allow_empty)) continue;
    q.placed = true;
    out.push_back(q.expr);
  }
  return out;
}

}  // namespace

RelPlan QueryPlanner::plan_outer_join(nodes::JoinExpr* join, std::vector<Qual>& above) {
  if (join->type == JoinType::right) {
    std::swap(join->left, join->right);
    join->type = JoinType::left;
  }
  RelationSet left_set = relations_below(join->left), right_set = relations_below(join->right);
  std::vector<Qual> own = split(join->condition);
  // Conditions from above may go down to the side that keeps all its rows; ON conditions to the nullable side.
  std::vector<Qual> left_quals, right_quals;
  bool keeps_left = join->type == JoinType::left || join->type == JoinType::semi || join->type == JoinType::anti;
  if (keeps_left) {
    for (Qual& q : above) {
      if (!q.placed && !q.relations.empty() && left_set.contains(q.relations) && !contains_volatile(q.expr)) {
        left_quals.push_back({q.expr, q.relations});
        q.placed = true;
      }
    }
    for (Qual& q : own) {
      if (!q.relations.empty() && right_set.contains(q.relations) && !contains_volatile(q.expr)) {
        right_quals.push_back({q.expr, q.relations});
        q.placed = true;
      }
    }
  }
  RelPlan left = plan_join_node(join->left, left_quals);
  RelPlan right = plan_join_node(join->right, right_quals);
  for (Qual& q : left_quals) if (!q.placed) left.plan->filter.push_back(s_.arena, q.expr);
  for (Qual& q : right_quals) if (!q.placed) right.plan->filter.push_back(s_.arena, q.expr);
  std::vector<Expr*> conditions, filters;
  for (Qual& q : own) if (!q.placed) conditions.push_back(q.expr);
  RelationSet both = left_set;
  both.add(right_set);
  if (join->type != JoinType::semi && join->type != JoinType::anti) filters = take_for(above, both, false);
  return join_pair(std::move(left), std::move(right), join->type, conditions, filters);
}

// Greedy: begin with the smallest item, then always join what makes the smallest result, connected items first.
RelPlan QueryPlanner::join_items(std::vector<RelPlan> items, std::vector<Qual>& quals) {
  auto connected = [&](const RelPlan& a, const RelPlan& b) {
    RelationSet both = a.relations;
    both.add(b.relations);
    return std::any_of(quals.begin(), quals.end(), [&](const Qual& q) {
      return !q.placed && both.contains(q.relations) && q.relations.overlaps(a.relations) && q.relations.overlaps(b.relations);
    });
  };
  auto available = [&](const RelPlan& item, const RelationSet& have) { return have.contains(item.needs); };
  std::size_t first = 0;
  bool found = false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].needs.empty()) continue;
    if (!found || items[i].plan->rows < items[first].plan->rows) first = i;
    found = true;
  }
  RelPlan joined = std::move(items[first]);
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(first));
  add_filters(joined, quals);
  while (!items.empty()) {
    std::size_t best = items.size();
    bool best_connected = false;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!available(items[i], joined.relations)) continue;
      bool c = connected(joined, items[i]);
      if (best == items.size() || (c && !best_connected) || (c == best_connected && items[i].plan->rows < items[best].plan->rows)) {
        best = i;
        best_connected = c;
      }
    }
    if (best == items.size()) throw SqlError(sqlstate::internal_error, "could not order lateral references");
    RelPlan next = std::move(items[best]);
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(best));
    RelationSet both = joined.relations;
    both.add(next.relations);
    std::vector<Expr*> conditions = take_for(quals, both, false);
    joined = join_pair(std::move(joined), std::move(next), JoinType::inner, conditions, {});
  }
  return joined;
}

void QueryPlanner::add_filters(RelPlan& rel, std::vector<Qual>& quals) {
  for (Expr* e : take_for(quals, rel.relations, false)) rel.plan->filter.push_back(s_.arena, e);
}

// A join's columns: those of both sides (of the left one only for semi and anti joins).
Plan* QueryPlanner::make_join_targets(Plan* join, Plan* left, Plan* right) {
  int number = 1;
  for (const TargetEntry* t : left->targets) join->targets.push_back(s_.arena, make_target(s_.arena, t->expr, number++));
  if (right != nullptr) {
    for (const TargetEntry* t : right->targets) join->targets.push_back(s_.arena, make_target(s_.arena, t->expr, number++));
  }
  join->width = width_of(join->targets);
  return join;
}

namespace {

// Splits equalities between the sides from the other conditions.
std::vector<EquiClause> equi_clauses(const std::vector<Expr*>& conditions, const RelationSet& outer, const RelationSet& inner,
                                     const std::function<RelationSet(const Expr*)>& relations_of, std::vector<Expr*>& rest) {
  std::vector<EquiClause> out;
  for (Expr* e : conditions) {
    auto* op = e->kind == nodes::ExprKind::op ? nodes::as<nodes::OpExpr>(e) : nullptr;
    const catalog::OperatorInfo* info = op != nullptr && op->args.size() == 2 ? catalog::find_operator(op->op) : nullptr;
    if (info == nullptr || (!info->can_hash && !info->can_merge) || contains_volatile(e) || contains_sub_plan(e)) {
      rest.push_back(e);
      continue;
    }
    RelationSet a = relations_of(op->args[0]), b = relations_of(op->args[1]);
    if (a.empty() || b.empty()) {
      rest.push_back(e);
    } else if (outer.contains(a) && inner.contains(b)) {
      out.push_back({op, op->args[0], op->args[1]});
    } else if (outer.contains(b) && inner.contains(a)) {
      out.push_back({op, op->args[1], op->args[0]});
    } else {
      rest.push_back(e);
    }
  }
  return out;
}

Oid hash_function_of(Oid op, bool left_side) {
  for (const catalog::FamilyMember& m : catalog::operator_families(op)) {
    if (m.method == kHashAccessMethod) return catalog::family_function(m.family, left_side ? m.left : m.right, left_side ? m.left : m.right, 1);
  }
  return kInvalidOid;
}

}  // namespace

RelPlan QueryPlanner::join_pair(RelPlan outer, RelPlan inner, JoinType type, std::vector<Expr*> conditions, std::vector<Expr*> filters) {
  RelPlan out;
  out.relations = outer.relations;
  out.relations.add(inner.relations);
  bool one_sided = type == JoinType::semi || type == JoinType::anti;
  std::vector<Expr*> rest;
  auto relations = [this](const Expr* e) { return relations_of(e); };
  std::vector<EquiClause> equal = equi_clauses(conditions, outer.relations, inner.relations, relations, rest);

  // 1. An index of the inner table looked up for each outer row.
  Join* join = nullptr;
  bool lateral = inner.needs.overlaps(outer.relations);
  auto* nest = make_plan<NestLoop>(s_.arena, PlanKind::nest_loop);
  if (lateral) {
    bind_lateral(inner, *nest);
  }
  std::vector<Expr*> nest_conditions = conditions;
  Plan* looked_up = nullptr;
  if (!lateral && type != JoinType::full && config::values::enable_nestloop) looked_up = parameterized_index_scan(inner, outer.relations, nest_conditions, nest);
  double hash_cost = outer.plan->total_cost + inner.plan->total_cost + (outer.plan->rows + inner.plan->rows) * 0.02;
  bool can_hash = !equal.empty() && !lateral && config::values::enable_hashjoin &&
                  std::all_of(equal.begin(), equal.end(), [](const EquiClause& c) { return is_valid(hash_function_of(c.op->op, true)); });
  double lookup_cost = looked_up == nullptr ? 0 : outer.plan->total_cost + outer.plan->rows * looked_up->total_cost;
  std::vector<std::pair<Expr*, Expr*>> pairs;
  for (const EquiClause& c : equal) pairs.emplace_back(c.outer, c.inner);
  double rest_selectivity = 1;
  for (Expr* e : rest) rest_selectivity *= selectivity(e, nullptr);
  double rows = join_rows(outer.plan->rows, inner.plan->rows, type, pairs, rest_selectivity);

  if (looked_up != nullptr && (!can_hash || lookup_cost < hash_cost)) {
    join = nest;
    nest->left = outer.plan;
    nest->right = looked_up;
    nest->total_cost = lookup_cost + outer.plan->rows * 0.01;
    for (Expr* e : nest_conditions) nest->conditions.push_back(s_.arena, e);
  } else if (can_hash) {
    auto* hash_join = make_plan<HashJoin>(s_.arena, PlanKind::hash_join);
    join = hash_join;
    // The smaller side goes into the table.
    if (type == JoinType::inner && outer.needs.empty() && inner.needs.empty() &&
        inner.plan->rows * (inner.plan->width + 24) > outer.plan->rows * (outer.plan->width + 24)) {
      std::swap(outer, inner);
      for (EquiClause& c : equal) std::swap(c.outer, c.inner);
    }
    auto* hash = make_plan<Hash>(s_.arena, PlanKind::hash);
    hash->left = inner.plan;
    hash->targets = copy_targets(inner.plan->targets, s_.arena);
    hash->rows = inner.plan->rows;
    hash->width = inner.plan->width;
    hash->startup_cost = hash->total_cost = inner.plan->total_cost;
    for (const EquiClause& c : equal) {
      nodes::OpExpr* op = c.op;
      if (c.outer != op->args[0]) {
        // The clause reads outer = inner.
        const catalog::OperatorInfo& info = catalog::operator_info(op->op);
        auto* turned = s_.arena.make<nodes::OpExpr>(*op);
        turned->op = info.commutator;
        turned->function = catalog::operator_info(info.commutator).function;
        turned->args.clear();
        turned->args.push_back(s_.arena, c.outer);
        turned->args.push_back(s_.arena, c.inner);
        op = turned;
      }
      hash_join->clauses.push_back(s_.arena, op);
      hash_join->outer_keys.push_back(s_.arena, c.outer);
      hash_join->inner_keys.push_back(s_.arena, c.inner);
      hash_join->equal_functions.push_back(s_.arena, op->function);
      hash_join->outer_hash.push_back(s_.arena, hash_function_of(op->op, true));
      hash_join->inner_hash.push_back(s_.arena, hash_function_of(op->op, false));
      hash_join->collations.push_back(s_.arena, op->input_collation);
      hash->keys.push_back(s_.arena, c.inner);
    }
    hash_join->left = outer.plan;
    hash_join->right = hash;
    hash_join->startup_cost = inner.plan->total_cost;
    hash_join->total_cost = hash_cost + rows * 0.01;
    for (Expr* e : rest) hash_join->conditions.push_back(s_.arena, e);
  } else if (type == JoinType::full) {
    throw SqlError(sqlstate::feature_not_supported, "FULL JOIN is only supported with merge-joinable or hash-joinable join conditions");
  } else {
    join = nest;
    nest->left = outer.plan;
    nest->right = inner.plan;
    bool cheap_rescan = inner.plan->kind == PlanKind::result || inner.plan->kind == PlanKind::materialize || inner.plan->kind == PlanKind::values_scan ||
                        inner.plan->kind == PlanKind::function_scan || inner.plan->kind == PlanKind::cte_scan;
    if (!lateral && !cheap_rescan && outer.plan->rows > 1 && config::values::enable_material) {
      auto* m = make_plan<Materialize>(s_.arena, PlanKind::materialize);
      m->left = inner.plan;
      m->targets = copy_targets(inner.plan->targets, s_.arena);
      m->rows = inner.plan->rows;
      m->width = inner.plan->width;
      m->startup_cost = inner.plan->startup_cost;
      m->total_cost = inner.plan->total_cost + inner.plan->rows * 0.005;
      nest->right = m;
    }
    nest->total_cost = outer.plan->total_cost + inner.plan->total_cost + outer.plan->rows * inner.plan->rows * 0.0025 + rows * 0.01;
    for (Expr* e : conditions) nest->conditions.push_back(s_.arena, e);
  }
  join->type = type;
  join->rows = rows;
  make_join_targets(join, join->left, one_sided ? nullptr : (join->kind == PlanKind::hash_join ? join->right->left : join->right));
  for (Expr* e : filters) join->filter.push_back(s_.arena, e);
  out.plan = join;
  out.needs = outer.needs;
  return out;
}

double QueryPlanner::distinct_of(Expr* e, double rows) {
  const Expr* inside = e;
  while (inside->kind == nodes::ExprKind::relabel) inside = nodes::as<nodes::Relabel>(inside)->arg;
  const catalog::Relation* relation = nullptr;
  if (inside->kind == nodes::ExprKind::variable) {
    const auto* v = nodes::as<nodes::Variable>(inside);
    if (v->rte > 0 && v->levels_up == 0 && static_cast<std::size_t>(v->rte) <= relations_.size()) relation = relations_[static_cast<std::size_t>(v->rte - 1)].get();
  }
  return distinct_values(e, relation, rows);
}

// Each value of the side with more of them is met by an equal share of the other's rows.
double QueryPlanner::join_rows(double outer_rows, double inner_rows, JoinType type, const std::vector<std::pair<Expr*, Expr*>>& equal, double rest) {
  double rows = outer_rows * inner_rows * rest, matched = rest < 1 ? std::max(rest, 0.5) : 1;
  for (const auto& [outer, inner] : equal) {
    double a = distinct_of(outer, outer_rows), b = distinct_of(inner, inner_rows);
    rows /= std::max({1.0, a, b});
    matched *= std::min(1.0, b / a);
  }
  switch (type) {
    case JoinType::semi: return std::max(1.0, std::rint(outer_rows * (equal.empty() ? 0.5 : matched)));
    case JoinType::anti: return std::max(1.0, std::rint(outer_rows * (equal.empty() ? 0.5 : 1 - matched)));
    case JoinType::left: return std::max({1.0, std::rint(rows), outer_rows});
    case JoinType::full: return std::max({1.0, std::rint(rows), outer_rows, inner_rows});
    default: return std::max(1.0, std::rint(rows));
  }
}

// A lateral item reads its outer values from exec slots that the nested loop sets for each outer row.
void QueryPlanner::bind_lateral(RelPlan& inner, NestLoop& nest) {
  for (const LateralParam& p : lateral_params_) {
    bool for_inner = inner.relations.has(p.rte);
    if (!for_inner) continue;
    auto* param = s_.arena.make<NestLoopParam>();
    param->slot = p.slot;
    param->value = p.value;
    nest.params.push_back(s_.arena, param);
  }
}

}  // namespace hathi::planner
