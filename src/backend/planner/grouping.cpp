// Above the joins: grouping and aggregates, window functions, set-returning functions, DISTINCT, ORDER BY, row locks, LIMIT.

#include <algorithm>

#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/planner_settings.h"
#include "paths.h"
#include "query_planner.h"

namespace hathi::planner {

namespace {

using nodes::ExprKind;

// Adds an expression to a target list unless an equal one is there; returns its position from 1.
int add_target(List<TargetEntry*>& targets, Expr* e, Arena& arena, int ref = 0) {
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

// The variables (and what else comes from below) an expression reads. Aggregates: their arguments; stop: kinds taken whole.
template <class F>
void visit_leaves(Expr* e, F&& leaf, bool stop_at_aggregates, bool stop_at_windows) {
  if (e == nullptr) return;
  if (e->kind == ExprKind::variable || (stop_at_aggregates && (e->kind == ExprKind::aggregate || e->kind == ExprKind::grouping)) ||
      (stop_at_windows && e->kind == ExprKind::window_function)) {
    leaf(e);
    return;
  }
  nodes::for_each_child(e, [&](Expr* c) { visit_leaves(c, leaf, stop_at_aggregates, stop_at_windows); return false; });
}

int position_of_ref(const List<TargetEntry*>& targets, int ref) {
  for (const TargetEntry* t : targets) if (t->sort_group_ref == ref) return t->number;
  throw SqlError(sqlstate::internal_error, "sort or group expression was not found");
}

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

void wrap(Plan* node, Plan* input, Arena& arena, bool same_targets = true) {
  node->left = input;
  if (same_targets) node->targets = copy_targets(input->targets, arena);
  node->rows = input->rows;
  node->width = input->width;
  node->startup_cost = input->startup_cost;
  node->total_cost = input->total_cost;
}

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

// The input with other output columns: in its own projection where it has one and it still makes plain columns.
Plan* QueryPlanner::project(Plan* input, const List<TargetEntry*>& targets) {
  Plan* out = input;
  bool plain = std::all_of(input->targets.begin(), input->targets.end(), [](const TargetEntry* t) { return t->expr->kind == ExprKind::variable; });
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

// --- grouping ----------------------------------------------------------------------------------------------------------------------
Plan* QueryPlanner::plan_grouping(Plan* input) {
  bool groups = !q_->group_by.empty() || !q_->grouping_sets.empty();
  if (!groups && !q_->has_aggregates && q_->having == nullptr) return input;

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

// --- windows -----------------------------------------------------------------------------------------------------------------------
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

// --- set-returning functions in the target list ----------------------------------------------------------------------------------
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

// --- DISTINCT and ORDER BY ---------------------------------------------------------------------------------------------------------
Plan* QueryPlanner::plan_distinct_and_order(Plan* input) {
  Plan* current = input;
  bool srf_in_order = false;
  for (const auto* list : {&q_->order_by, &q_->distinct}) {
    for (const nodes::SortClause* c : *list) srf_in_order = srf_in_order || contains_srf(find_target(q_->targets, c->ref)->expr);
  }
  bool is_final = current->kind == PlanKind::aggregate && !q_->has_windows && !q_->has_target_srfs;
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
    if (index->access_method != kBTreeAccessMethod || !index->valid || !index->predicate.empty()) continue;
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
