// GROUP BY, aggregates, grouping sets.

#include <algorithm>

#include "hathi/config/planner_settings.h"
#include "paths.h"
#include "upper_nodes.h"

namespace hathi::planner {

using nodes::ExprKind;

namespace {

// Numbers the aggregates: equal ones share a state.
void collect_aggregates(Expr* e, List<nodes::Aggregate*>& out, Arena& arena) {
  if (e == nullptr) return;
  if (e->kind == ExprKind::aggregate) {
    auto* a = nodes::as<nodes::Aggregate>(e);
    for (nodes::Aggregate* known : out) {
      int saved = a->number;
      a->number = known->number;
      if (nodes::equal(known, a) && !contains_volatile(a)) return;
      a->number = saved;
    }
    a->number = static_cast<int>(out.size());
    out.push_back(arena, a);
    return;
  }
  nodes::for_each_child(e, [&](Expr* c) { collect_aggregates(c, out, arena); return false; });
}

}  // namespace

Plan* QueryPlanner::plan_grouping(Plan* input) {
  bool groups = !q_->group_by.empty() || !q_->grouping_sets.empty();
  if ((!groups && !q_->has_aggregates && q_->having == nullptr) || grouped_by_partitions_) return input;

  // What the aggregate reads: the grouping expressions, then the variables of everything above.
  List<TargetEntry*> below;
  for (const nodes::SortClause* c : q_->group_by) {
    const TargetEntry* t = find_target(q_->targets, c->ref);
    add_target(below, t->expr, s_.arena, c->ref);
  }
  auto add_leaves = [&](Expr* e) {
    auto below_has = [&](Expr* x) { return std::any_of(below.begin(), below.end(), [&](TargetEntry* t) { return nodes::equal(t->expr, x); }); };
    auto walk = [&](auto&& self, Expr* x) -> void {
      if (x == nullptr || below_has(x)) return;
      if (x->kind == ExprKind::variable) {
        add_target(below, x, s_.arena);
        return;
      }
      nodes::for_each_child(x, [&](Expr* c) { self(self, c); return false; });
    };
    walk(walk, e);
  };
  for (TargetEntry* t : q_->targets) add_leaves(t->expr);
  add_leaves(q_->having);
  Plan* source = project(input, below);

  auto* agg = make_plan<Aggregate>(s_.arena, PlanKind::aggregate);
  for (TargetEntry* t : q_->targets) collect_aggregates(t->expr, agg->aggregates, s_.arena);
  collect_aggregates(q_->having, agg->aggregates, s_.arena);
  bool sortable = true;
  std::vector<Expr*> group_expressions;
  for (const nodes::SortClause* c : q_->group_by) {
    int position = position_of_ref(below, c->ref);
    agg->columns.push_back(s_.arena, static_cast<AttrNumber>(position));
    agg->equal_operators.push_back(s_.arena, c->equal_operator);
    Expr* e = below[static_cast<std::size_t>(position - 1)]->expr;
    agg->collations.push_back(s_.arena, nodes::collation_of(e));
    sortable = sortable && is_valid(c->order_operator);
    group_expressions.push_back(e);
  }
  double group_count = joins_->group_count(group_expressions, source->rows);
  if (!q_->grouping_sets.empty()) {
    current_keys_.clear();
    return plan_grouping_sets(agg, source, below);
  }
  if (q_->group_by.empty()) {
    agg->strategy = Aggregate::Strategy::plain;
    group_count = 1;
    wrap(agg, source, s_.arena, false);
    current_keys_.clear();
  } else if (hash_groups_) {
    agg->strategy = Aggregate::Strategy::hashed;
    wrap(agg, source, s_.arena, false);
    current_keys_.clear();
  } else {
    if (!sortable)
      throw SqlError(sqlstate::feature_not_supported, "could not implement GROUP BY")
          .detail("Some of the datatypes only support hashing, while others only support sorting.");
    agg->strategy = Aggregate::Strategy::sorted;
    Plan* sorted = ensure_order(source, q_->group_by, below, 0);
    current_keys_ = joins_->keys_of(q_->group_by, below);
    wrap(agg, sorted, s_.arena, false);
  }
  agg->group_count = group_count;
  agg->rows = group_count;
  double per_row = config::values::cpu_operator_cost * static_cast<double>(agg->columns.size() + agg->aggregates.size());
  for (const nodes::Aggregate* a : agg->aggregates) for (const TargetEntry* t : a->args) per_row += expression_cost(t->expr).per_row;
  double read = agg->left->total_cost + agg->left->rows * per_row;
  agg->total_cost = read + group_count * config::values::cpu_tuple_cost;
  agg->startup_cost = agg->strategy == Aggregate::Strategy::sorted ? agg->left->startup_cost : read;
  set_grouped_targets(agg);
  return agg;
}

// The aggregate makes the query's own targets unless windows or set-returning functions come between.
void QueryPlanner::set_grouped_targets(Plan* agg) {
  for (const Qual& q : split(q_->having)) {
    agg->filter.push_back(s_.arena, q.expr);
    agg->rows = clamp_rows(agg->rows * selectivity(q.expr, nullptr));
    agg->total_cost += static_cast<Aggregate*>(agg)->group_count * expression_cost(q.expr).per_row;
  }
  if (!q_->has_windows && !q_->has_target_srfs) {
    agg->targets = q_->targets;
  } else {
    // Grouping expressions and aggregates one by one: what is above refers to them.
    List<TargetEntry*> targets;
    for (const nodes::SortClause* c : q_->group_by) add_target(targets, find_target(q_->targets, c->ref)->expr, s_.arena, c->ref);
    auto add = [&](auto&& self, Expr* e) -> void {
      if (e == nullptr) return;
      for (TargetEntry* t : targets) if (nodes::equal(t->expr, e)) return;
      if (e->kind == ExprKind::aggregate || e->kind == ExprKind::variable || e->kind == ExprKind::grouping) {
        add_target(targets, e, s_.arena);
        return;
      }
      nodes::for_each_child(e, [&](Expr* c) { self(self, c); return false; });
    };
    for (TargetEntry* t : q_->targets) add(add, t->expr);
    agg->targets = targets;
  }
  agg->width = target_width(agg->targets);
}

namespace {

// Expands ROLLUP, CUBE and nested sets to plain lists of refs.
std::vector<std::vector<int>> expand_set(const nodes::GroupingSet& g) {
  using Kind = nodes::GroupingSet::Kind;
  std::vector<std::vector<int>> out;
  switch (g.kind) {
    case Kind::empty: return {{}};
    case Kind::simple: return {{g.refs.begin(), g.refs.end()}};
    case Kind::rollup: {
      for (std::size_t n = g.content.size() + 1; n-- > 0;) {
        std::vector<int> refs;
        for (std::size_t i = 0; i < n; ++i) refs.insert(refs.end(), g.content[i]->refs.begin(), g.content[i]->refs.end());
        out.push_back(refs);
      }
      return out;
    }
    case Kind::cube: {
      std::size_t n = g.content.size();
      if (n > 12) throw SqlError(sqlstate::program_limit_exceeded, "CUBE is limited to 12 elements");
      for (std::size_t mask = std::size_t{1} << n; mask-- > 0;) {
        std::vector<int> refs;
        for (std::size_t i = 0; i < n; ++i) {
          if ((mask >> (n - 1 - i)) & 1) refs.insert(refs.end(), g.content[i]->refs.begin(), g.content[i]->refs.end());
        }
        out.push_back(refs);
      }
      return out;
    }
    case Kind::sets:
      for (const nodes::GroupingSet* inner : g.content) {
        for (auto& refs : expand_set(*inner)) out.push_back(refs);
      }
      return out;
  }
  return out;
}

}  // namespace

Plan* QueryPlanner::plan_grouping_sets(Aggregate* agg, Plan* source, const List<TargetEntry*>& below) {
  std::vector<std::vector<int>> sets{{}};
  for (const nodes::GroupingSet* g : q_->grouping_sets) {
    std::vector<std::vector<int>> combined;
    for (const auto& a : sets) {
      for (const auto& b : expand_set(*g)) {
        std::vector<int> both = a;
        for (int ref : b) if (std::find(both.begin(), both.end(), ref) == both.end()) both.push_back(ref);
        combined.push_back(both);
        if (combined.size() > 4096) throw SqlError(sqlstate::statement_too_complex, "too many grouping sets present (maximum 4096)");
      }
    }
    sets = std::move(combined);
  }
  if (q_->group_distinct) {
    std::vector<std::vector<int>> unique;
    for (auto s : sets) {
      std::sort(s.begin(), s.end());
      if (std::find(unique.begin(), unique.end(), s) == unique.end()) unique.push_back(s);
    }
    sets = unique;
  }
  // Every set hashes its own columns.
  agg->strategy = Aggregate::Strategy::mixed;
  for (const auto& refs : sets) {
    List<int> columns;
    for (int ref : refs) {
      int position = position_of_ref(below, ref);
      for (std::size_t i = 0; i < agg->columns.size(); ++i) if (agg->columns[i] == position) columns.push_back(s_.arena, static_cast<int>(i));
    }
    agg->grouping_sets.push_back(s_.arena, columns);
  }
  wrap(agg, source, s_.arena, false);
  agg->group_count = agg->rows = std::max(1.0, source->rows * 0.1 * static_cast<double>(sets.size()));
  agg->total_cost = source->total_cost + source->rows * 0.01 * static_cast<double>(sets.size());
  set_grouped_targets(agg);
  return agg;
}

}  // namespace hathi::planner
