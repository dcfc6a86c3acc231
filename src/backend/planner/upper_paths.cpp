// Which path of the joins is best with what stands above them: groups, windows, DISTINCT, ORDER BY, LIMIT each need or lose an order.

#include <algorithm>

#include "hathi/catalog/lookup.h"
#include "hathi/config/planner_settings.h"
#include "hathi/config/settings.h"
#include "paths.h"

namespace hathi::planner {

namespace values = config::values;

// The cost of a path and the steps put on it so far.
struct QueryPlanner::Above {
  double startup = 0, total = 0, rows = 0;
  int width = 0;
  PathKeys keys;
};

namespace {

void count_aggregates(Expr* e, double& count) {
  if (e == nullptr) return;
  if (e->kind == nodes::ExprKind::aggregate) {
    count += 1;
    for (const TargetEntry* t : nodes::as<nodes::Aggregate>(e)->args) count += expression_cost(t->expr).per_row / values::cpu_operator_cost;
    return;
  }
  nodes::for_each_child(e, [&](Expr* c) { count_aggregates(c, count); return false; });
}

bool needs_sorted_input(Expr* e) {
  if (e == nullptr) return false;
  if (e->kind == nodes::ExprKind::aggregate) {
    const auto* a = nodes::as<nodes::Aggregate>(e);
    return !a->order_by.empty() || !a->distinct.empty() || a->aggregate_kind != 'n';
  }
  return nodes::for_each_child(e, [](Expr* c) { return needs_sorted_input(c); });
}

}  // namespace

// How many of the rows will be wanted: 0 all, below 1 a part, otherwise a number.
double QueryPlanner::wanted_fraction() const {
  double limit = limit_rows();
  if (limit > 0) return s_.tuple_fraction >= 1 ? std::min(limit, s_.tuple_fraction) : limit;
  if (q_->limit != nullptr && q_->limit->kind != nodes::ExprKind::constant) return 0.1;
  return s_.tuple_fraction;
}

// GROUP BY in the order of ORDER BY where both name the same: one sort serves both.
void QueryPlanner::reorder_group_by() {
  if (q_->group_by.empty() || q_->order_by.empty() || !q_->grouping_sets.empty()) return;
  List<nodes::SortClause*> out;
  for (nodes::SortClause* o : q_->order_by) {
    nodes::SortClause* same = nullptr;
    for (nodes::SortClause* g : q_->group_by) if (g->ref == o->ref && g->equal_operator == o->equal_operator) same = g;
    if (same == nullptr) break;
    same->order_operator = o->order_operator;
    same->nulls_first = o->nulls_first;
    out.push_back(s_.arena, same);
  }
  if (out.empty()) return;
  for (nodes::SortClause* g : q_->group_by) if (std::find(out.begin(), out.end(), g) == out.end()) out.push_back(s_.arena, g);
  q_->group_by = out;
}

// Columns that the table's primary key, grouped by too, determines need no grouping.
void QueryPlanner::drop_dependent_groups() {
  if (q_->group_by.size() < 2 || !q_->grouping_sets.empty()) return;
  auto column_of = [&](const nodes::SortClause* c) -> const nodes::Variable* {
    const Expr* e = find_target(q_->targets, c->ref)->expr;
    return e->kind == nodes::ExprKind::variable && nodes::as<nodes::Variable>(e)->levels_up == 0 ? nodes::as<nodes::Variable>(e) : nullptr;
  };
  List<nodes::SortClause*> kept;
  for (nodes::SortClause* c : q_->group_by) {
    const nodes::Variable* v = column_of(c);
    const catalog::Relation* table = v != nullptr && v->column > 0 ? relations_[static_cast<std::size_t>(v->rte - 1)].get() : nullptr;
    bool determined = false;
    for (const catalog::IndexDescriptor* i : table != nullptr ? table->indexes : std::span<const catalog::IndexDescriptor* const>{}) {
      if (!i->primary || i->deferrable || static_cast<std::size_t>(i->key_count) >= q_->group_by.size()) continue;
      bool of_key = false, all = true;
      for (int k = 0; k < i->key_count; ++k) {
        AttrNumber column = i->columns[static_cast<std::size_t>(k)];
        of_key = of_key || column == v->column;
        all = all && std::any_of(q_->group_by.begin(), q_->group_by.end(), [&](const nodes::SortClause* o) {
          const nodes::Variable* other = column_of(o);
          return other != nullptr && other->rte == v->rte && other->column == column;
        });
      }
      determined = determined || (all && !of_key);
    }
    if (!determined) kept.push_back(s_.arena, c);
  }
  q_->group_by = kept;
}

// What HAVING says of groups without aggregates holds for their rows.
void QueryPlanner::push_having_down() {
  if (q_->having == nullptr || q_->group_by.empty() || !q_->grouping_sets.empty()) return;
  auto has_aggregate = [](auto&& self, Expr* e) -> bool {
    if (e == nullptr) return false;
    return e->kind == nodes::ExprKind::aggregate || nodes::for_each_child(e, [&](Expr* c) { return self(self, c); });
  };
  std::vector<Expr*> kept, moved;
  for (const Qual& q : split(q_->having)) {
    bool stays = has_aggregate(has_aggregate, q.expr) || contains_volatile(q.expr) || contains_sub_plan(q.expr);
    (stays ? kept : moved).push_back(q.expr);
  }
  if (moved.empty()) return;
  q_->having = make_and(s_.arena, kept);
  if (q_->from->where != nullptr) moved.insert(moved.begin(), q_->from->where);
  q_->from->where = make_and(s_.arena, moved);
}

void QueryPlanner::note_wanted_orders() {
  drop_dependent_groups();
  reorder_group_by();
  auto add = [&](const List<nodes::SortClause*>& clauses) {
    if (clauses.empty()) return false;
    PathKeys keys = joins_->keys_of(clauses, q_->targets);
    if (!keys.empty()) joins_->wanted_orders.push_back(keys);
    return true;
  };
  if (!q_->grouping_sets.empty()) return;
  if (add(q_->group_by) || q_->has_aggregates) return;
  for (const nodes::WindowClause* w : q_->windows) {
    List<nodes::SortClause*> order;
    order.append(s_.arena, w->partition_by);
    order.append(s_.arena, w->order_by);
    if (add(order)) return;
  }
  if (q_->set_operations != nullptr) return;
  if (q_->distinct.size() > q_->order_by.size()) add(q_->distinct);
  else add(q_->order_by);
}

void QueryPlanner::cost_order(Above& a, const PathKeys& keys, double limit, bool in_parts) {
  if (keys.empty() || JoinPlanner::begins_with(a.keys, keys)) return;
  double startup, run;
  sort_cost(a.rows, a.width, limit, startup, run);
  double full = a.total + startup + run + (values::enable_sort ? 0 : 1e10), full_startup = a.total + startup;
  if (!values::enable_sort) full_startup += 1e10;
  std::size_t n = JoinPlanner::common_prefix(a.keys, keys);
  if (n > 0 && in_parts && values::enable_incremental_sort) {
    Path input;
    input.startup = a.startup;
    input.total = a.total;
    input.rows = a.rows;
    std::vector<Expr*> presorted;
    for (std::size_t i = 0; i < n; ++i) presorted.push_back(keys[i]->of->members[0].expr);
    double part_startup, part_total;
    incremental_sort_cost(input, joins_->group_count(presorted, a.rows), a.width, limit, part_startup, part_total);
    double wanted = limit > 0 && a.rows > 0 ? std::min(1.0, limit / a.rows) : 1.0;
    if (part_startup + (part_total - part_startup) * wanted < full_startup + (full - full_startup) * wanted) {
      full = part_total;
      full_startup = part_startup;
    }
  }
  a.startup = full_startup;
  a.total = full;
  a.keys = keys;
}

void QueryPlanner::cost_groups(Above& a, bool hashed) {
  double aggregates = 0;
  for (const TargetEntry* t : q_->targets) count_aggregates(t->expr, aggregates);
  count_aggregates(q_->having, aggregates);
  double transitions = aggregates * values::cpu_operator_cost * a.rows, columns = static_cast<double>(q_->group_by.size());
  if (q_->group_by.empty()) {
    a.startup = a.total + transitions;
    a.total = a.startup + values::cpu_tuple_cost;
    a.rows = 1;
    a.keys.clear();
    return;
  }
  double groups = joins_->group_count(group_expressions_, a.rows);
  PathKeys keys = joins_->keys_of(q_->group_by, q_->targets);
  if (!hashed) cost_order(a, keys, 0);
  double compare = values::cpu_operator_cost * columns * a.rows, output = values::cpu_tuple_cost * groups;
  if (hashed) {
    a.startup = a.total + transitions + compare + (values::enable_hashagg ? 0 : 1e10);
    double bytes = groups * (a.width + 64.0 + 16 * aggregates), memory = values::work_mem * 1024.0 * values::hash_mem_multiplier;
    if (bytes > memory) {
      double pages = row_bytes(a.rows, a.width) / kPageSize;
      a.startup += pages * values::random_page_cost + 2 * a.rows * values::cpu_tuple_cost;
      output += pages * values::seq_page_cost;
    }
    a.total = a.startup + output;
    a.keys.clear();
  } else {
    a.total += transitions + compare + output;
    a.keys = keys;
  }
  a.rows = groups;
  for (const Qual& q : split(q_->having)) a.rows = clamp_rows(a.rows * selectivity(q.expr, nullptr));
}

void QueryPlanner::cost_distinct(Above& a, bool hashed) {
  std::vector<Expr*> expressions;
  for (const nodes::SortClause* c : q_->distinct) expressions.push_back(find_target(q_->targets, c->ref)->expr);
  double groups = joins_->group_count(expressions, a.rows), compare = values::cpu_operator_cost * static_cast<double>(expressions.size()) * a.rows;
  if (hashed) {
    a.startup = a.total + compare + (values::enable_hashagg ? 0 : 1e10);
    a.total = a.startup + values::cpu_tuple_cost * groups;
    a.keys.clear();
  } else {
    const auto& order = q_->has_distinct_on || q_->order_by.size() >= q_->distinct.size() ? q_->order_by : q_->distinct;
    cost_order(a, joins_->keys_of(order.empty() ? q_->distinct : order, q_->targets), 0, false);
    a.total += compare;
  }
  a.rows = groups;
}

double QueryPlanner::final_cost(const Above& a) const {
  double wanted = wanted_fraction();
  if (wanted <= 0 || a.rows <= 0) return a.total;
  double part = wanted < 1 ? wanted : std::min(1.0, wanted / a.rows);
  return a.startup + (a.total - a.startup) * part;
}

// Tries every path with every way of grouping and of DISTINCT; what was best is noted for the steps that make the nodes.
const Path* QueryPlanner::choose_path(JoinRelation& top) {
  bool groups = !q_->group_by.empty() && q_->grouping_sets.empty(), plain = q_->has_aggregates || q_->having != nullptr;
  bool can_hash_groups = groups, can_sort_groups = groups;
  for (const nodes::SortClause* c : q_->group_by) {
    can_hash_groups = can_hash_groups && c->hashable;
    can_sort_groups = can_sort_groups && is_valid(c->order_operator);
    group_expressions_.push_back(find_target(q_->targets, c->ref)->expr);
  }
  for (const TargetEntry* t : q_->targets) can_hash_groups = can_hash_groups && !needs_sorted_input(t->expr);
  can_hash_groups = can_hash_groups && !needs_sorted_input(q_->having);
  bool distinct = !q_->distinct.empty(), can_hash_distinct = distinct && !q_->has_distinct_on, can_sort_distinct = distinct;
  for (const nodes::SortClause* c : q_->distinct) {
    can_hash_distinct = can_hash_distinct && c->hashable;
    can_sort_distinct = can_sort_distinct && is_valid(c->order_operator);
  }
  const Path* best = nullptr;
  double best_cost = 0;
  if (top.paths.size() == 1 && !groups && !distinct) return top.paths[0];
  for (const Path* p : top.paths) {
    for (int choice = 0; choice < 4; ++choice) {
      bool hash_groups = (choice & 1) != 0, hash_distinct = (choice & 2) != 0;
      if ((hash_groups && !can_hash_groups) || (!hash_groups && groups && !can_sort_groups)) continue;
      if ((hash_distinct && !can_hash_distinct) || (!hash_distinct && distinct && !can_sort_distinct)) continue;
      Above a{p->startup, p->total, p->rows, top.width, p->keys};
      if (!q_->grouping_sets.empty()) {
        a.keys.clear();
      } else if (groups || plain) {
        cost_groups(a, hash_groups);
      }
      for (const nodes::WindowClause* w : q_->windows) {
        List<nodes::SortClause*> order;
        order.append(s_.arena, w->partition_by);
        order.append(s_.arena, w->order_by);
        cost_order(a, joins_->keys_of(order, q_->targets), 0);
      }
      if (distinct) cost_distinct(a, hash_distinct);
      if (!q_->order_by.empty()) cost_order(a, joins_->keys_of(q_->order_by, q_->targets), limit_rows());
      double cost = final_cost(a);
      if (best != nullptr && cost >= best_cost) continue;
      best = p;
      best_cost = cost;
      hash_groups_ = hash_groups;
      hash_distinct_ = hash_distinct;
    }
  }
  return best != nullptr ? best : top.cheapest;
}

// The input in the order wanted: as it is, sorted within runs, or sorted.
Plan* QueryPlanner::ensure_order(Plan* input, const List<nodes::SortClause*>& clauses, const List<TargetEntry*>& targets, double limit, bool in_parts) {
  if (joins_ == nullptr) return make_sort(input, clauses, targets);
  PathKeys keys = joins_->keys_of(clauses, targets);
  if (JoinPlanner::begins_with(current_keys_, keys)) return input;
  // Constants and repetitions need no sorting by.
  List<nodes::SortClause*> needed;
  PathKeys seen;
  for (nodes::SortClause* c : clauses) {
    const PathKey* k = joins_->key_for(find_target(targets, c->ref)->expr, c->order_operator, c->nulls_first);
    if (k == nullptr || std::any_of(seen.begin(), seen.end(), [&](const PathKey* x) { return x->of == k->of; })) continue;
    seen.push_back(k);
    needed.push_back(s_.arena, c);
  }
  auto* sort = static_cast<Sort*>(make_sort(input, needed, targets));
  std::size_t n = JoinPlanner::common_prefix(current_keys_, keys);
  double startup, run;
  sort_cost(input->rows, input->width, limit, startup, run);
  sort->startup_cost = input->total_cost + startup;
  sort->total_cost = sort->startup_cost + run;
  current_keys_ = keys;
  if (n == 0 || !in_parts || n >= sort->keys.columns.size() || sort->keys.columns.size() != keys.size() || !values::enable_incremental_sort) return sort;
  Path below;
  below.startup = input->startup_cost;
  below.total = input->total_cost;
  below.rows = input->rows;
  std::vector<Expr*> presorted;
  for (std::size_t i = 0; i < n; ++i) presorted.push_back(targets[static_cast<std::size_t>(sort->keys.columns[i] - 1)]->expr);
  double part_startup, part_total, wanted = limit > 0 && input->rows > 0 ? std::min(1.0, limit / input->rows) : 1.0;
  incremental_sort_cost(below, joins_->group_count(presorted, input->rows), input->width, limit, part_startup, part_total);
  if (part_startup + (part_total - part_startup) * wanted >= sort->startup_cost + (sort->total_cost - sort->startup_cost) * wanted &&
      values::enable_sort)
    return sort;
  auto* incremental = make_plan<IncrementalSort>(s_.arena, PlanKind::incremental_sort);
  static_cast<Sort&>(*incremental) = *sort;
  incremental->kind = PlanKind::incremental_sort;
  incremental->presorted = static_cast<int>(n);
  incremental->startup_cost = part_startup;
  incremental->total_cost = part_total;
  return incremental;
}

}  // namespace hathi::planner
