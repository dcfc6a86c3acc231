// The join tree: outer joins are made plainer where conditions allow; then the best path for the joins and what stands above.

#include <algorithm>
#include <cmath>

#include "hathi/base/stack.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/planner_settings.h"
#include "paths.h"
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

std::string_view locking_words(std::uint8_t strength) {
  switch (static_cast<heap::RowLockMode>(strength)) {
    case heap::RowLockMode::key_share: return "FOR KEY SHARE";
    case heap::RowLockMode::share: return "FOR SHARE";
    case heap::RowLockMode::no_key_update: return "FOR NO KEY UPDATE";
    case heap::RowLockMode::update: break;
  }
  return "FOR UPDATE";
}

// Where a side's row may be missing there is nothing to lock that says so. What stays an outer join is known only now.
void check_row_marks(const nodes::Query& q, JoinType type, const RelationSet& left, const RelationSet& right) {
  for (const nodes::RowMark* m : q.row_marks) {
    bool left_nullable = type == JoinType::full || type == JoinType::right;
    bool right_nullable = type == JoinType::full || type == JoinType::left;
    if ((left_nullable && left.has(m->rte)) || (right_nullable && right.has(m->rte))) {
      throw SqlError(sqlstate::feature_not_supported, "{} cannot be applied to the nullable side of an outer join", locking_words(m->strength));
    }
  }
}

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
  check_row_marks(*q_, join->type, left, right);
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
  RelPlan by_key;
  if (plan_key_lookup(from, by_key)) return by_key;
  reduce_outer_joins(from, {});
  joins_ = std::make_unique<JoinPlanner>(*this, s_);
  joins_->tuple_fraction = wanted_fraction();
  joins_->read_conditions(from);
  note_wanted_orders();
  RelPlan rel;
  if (JoinRelation* top = joins_->find_paths()) {
    const Path* best = choose_path(*top);
    if (Plan* grouped = joins_->group_by_partitions(*top)) {
      rel.plan = grouped;
      grouped_by_partitions_ = true;
    } else {
      rel = joins_->build(best);
      current_keys_ = best->keys;
    }
  } else {
    auto* result = make_plan<Result>(s_.arena, PlanKind::result);
    result->rows = 1;
    result->total_cost = 0.01;
    rel.plan = result;
  }
  // What mentions no relation is asked once.
  std::vector<Expr*> once;
  for (Expr* e : joins_->constant_conditions) {
    if (contains_volatile(e)) rel.plan->filter.push_back(s_.arena, e);
    else once.push_back(e);
  }
  if (once.empty()) return rel;
  auto* result = make_plan<Result>(s_.arena, PlanKind::result);
  bool never = std::any_of(once.begin(), once.end(), [](const Expr* e) {
    return e->kind == nodes::ExprKind::constant && (nodes::as<nodes::Constant>(e)->is_null || !nodes::as<nodes::Constant>(e)->value.as_bool());
  });
  if (never) {   // nothing below is needed
    result->constant_filter = make_bool(s_.arena, false);
    result->targets = copy_targets(rel.plan->targets, s_.arena);
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

// A join's columns: those of both sides (of the left one only for semi and anti joins).
Plan* QueryPlanner::make_join_targets(Plan* join, Plan* left, Plan* right) {
  int number = 1;
  for (const TargetEntry* t : left->targets) join->targets.push_back(s_.arena, make_target(s_.arena, t->expr, number++));
  if (right != nullptr) {
    for (const TargetEntry* t : right->targets) join->targets.push_back(s_.arena, make_target(s_.arena, t->expr, number++));
  }
  return join;
}

double QueryPlanner::distinct_of(Expr* e, double rows) { return joins_->group_count({e}, rows); }

// A lateral item reads its outer values from exec slots that the nested loop sets for each outer row.
void QueryPlanner::bind_lateral(const RelPlan& inner, NestLoop& nest, const RelationSet& outer) {
  for (const LateralParam& p : lateral_params_) {
    if (!inner.relations.has(p.rte) || !outer.contains(relations_of(p.value))) continue;
    auto* param = s_.arena.make<NestLoopParam>();
    param->slot = p.slot;
    param->value = p.value;
    nest.params.push_back(s_.arena, param);
  }
}

}  // namespace hathi::planner
