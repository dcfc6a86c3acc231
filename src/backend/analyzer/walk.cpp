// Questions about finished expressions: which levels they refer to, what they contain.

#include "state.h"

namespace hathi::analyzer {
namespace {

struct DeepContext {
  DeepVisitor visit;
  void* context;
  int depth;
};

bool deep_step(Expr* e, void* context) {
  auto* deep = static_cast<DeepContext*>(context);
  return walk_deep(e, deep->depth, deep->visit, deep->context);
}

// walk_deep with a callable f(Expr*, int depth) -> bool.
template <class N, class F>
bool walk(N* node, int depth, F&& f) {
  return walk_deep(node, depth, [](Expr* e, int d, void* context) { return static_cast<bool>((*static_cast<std::remove_reference_t<F>*>(context))(e, d)); },
                   &f);
}

int referenced_level(const Expr* e) {
  switch (e->kind) {
    case ExprKind::variable: return as<Variable>(e)->levels_up;
    case ExprKind::aggregate: return as<Aggregate>(e)->levels_up;
    case ExprKind::grouping: return as<Grouping>(e)->levels_up;
    default: return -1;
  }
}

}  // namespace

bool walk_deep(Query* q, int depth, DeepVisitor f, void* context) {
  check_stack_depth();
  DeepContext deep{f, context, depth};
  if (walk_query_expressions(q, deep_step, &deep)) return true;
  for (RangeTableEntry* rte : q->range_table)
    if (rte->subquery != nullptr && walk_deep(rte->subquery, depth + 1, f, context)) return true;
  for (CommonTableExpr* cte : q->ctes)
    if (cte->query != nullptr && walk_deep(cte->query, depth + 1, f, context)) return true;
  return false;
}

bool walk_deep(Expr* e, int depth, DeepVisitor f, void* context) {
  if (e == nullptr) return false;
  if (f(e, depth, context)) return true;
  if (is<SubLink>(e) && as<SubLink>(e)->query != nullptr && walk_deep(as<SubLink>(e)->query, depth + 1, f, context)) return true;
  DeepContext deep{f, context, depth};
  return walk_children(e, deep_step, &deep);
}

int contain_aggregates_of_level(const Expr* e, int level) {
  int found = 0;
  walk(const_cast<Expr*>(e), 0, [&](Expr* x, int depth) {
    if ((is<Aggregate>(x) || is<Grouping>(x)) && referenced_level(x) == level + depth) found = x->location + 1;
    return found != 0;
  });
  return found;
}

namespace {
template <class F>
bool contains(const Expr* e, F&& f) {
  if (e == nullptr) return false;
  if (f(e)) return true;
  return for_each_child(const_cast<Expr*>(e), [&](Expr* child) { return contains(child, f); });
}
}  // namespace

bool contains_window_functions(const Expr* e, int* location) {
  return contains(e, [&](const Expr* x) {
    if (!is<WindowFunction>(x)) return false;
    if (location != nullptr) *location = x->location;
    return true;
  });
}

bool contains_aggregates(const Expr* e) {
  return walk(const_cast<Expr*>(e), 0, [](Expr* x, int depth) { return (is<Aggregate>(x) || is<Grouping>(x)) && referenced_level(x) == depth; });
}

bool contains_set_function(const Expr* e, int* location) {
  return contains(e, [&](const Expr* x) {
    bool set = (is<FunctionExpr>(x) && as<FunctionExpr>(x)->returns_set) || (is<OpExpr>(x) && as<OpExpr>(x)->returns_set);
    if (set && location != nullptr) *location = location_of(x);
    return set;
  });
}

bool contains_variables_of_level(const Expr* e, int level, int* location) {
  return walk(const_cast<Expr*>(e), 0, [&](Expr* x, int depth) {
    bool hit = (is<Variable>(x) && as<Variable>(x)->levels_up == level + depth) || (is<CurrentOf>(x) && level + depth == 0);
    if (hit && location != nullptr) *location = x->location;
    return hit;
  });
}

bool contains_variables(const Expr* e) { return contains_variables_of_level(e, 0); }

namespace {

template <class N>
void increment(N* node, int delta, int min_level) {
  if (delta == 0 || node == nullptr) return;
  walk(node, 0, [&](Expr* x, int depth) {
    int* place = is<Variable>(x)    ? &as<Variable>(x)->levels_up
                 : is<Aggregate>(x) ? &as<Aggregate>(x)->levels_up
                 : is<Grouping>(x)  ? &as<Grouping>(x)->levels_up
                                    : nullptr;
    if (place != nullptr && *place >= min_level + depth) *place += delta;
    return false;
  });
}

// Range-table entries that refer to WITH queries further out.
void increment_cte_levels(Query* q, int delta, int min_level) {
  for (RangeTableEntry* rte : q->range_table) {
    if (rte->kind == RteKind::cte && rte->cte_levels_up >= min_level) rte->cte_levels_up += delta;
    if (rte->subquery != nullptr) increment_cte_levels(rte->subquery, delta, min_level + 1);
  }
  for (CommonTableExpr* cte : q->ctes) if (cte->query != nullptr) increment_cte_levels(cte->query, delta, min_level + 1);
}

}  // namespace

void increment_levels(Expr* e, int delta, int min_level) {
  increment(e, delta, min_level);
  if (delta == 0 || e == nullptr) return;
  walk(e, 0, [&](Expr* x, int depth) {
    if (is<SubLink>(x) && as<SubLink>(x)->query != nullptr) {
      Query* q = as<SubLink>(x)->query;
      for (RangeTableEntry* rte : q->range_table)
        if (rte->kind == RteKind::cte && rte->cte_levels_up >= min_level + depth + 1) rte->cte_levels_up += delta;
    }
    return false;
  });
}
void increment_levels(Query* q, int delta, int min_level) {
  increment(q, delta, min_level);
  if (delta != 0) increment_cte_levels(q, delta, min_level);
}

char volatility_of(const Expr* e) {
  char worst = 'i';
  walk(const_cast<Expr*>(e), 0, [&](Expr* x, int) {
    auto note = [&](Oid function) {
      if (!is_valid(function)) return;
      char v = catalog::function_info(function).volatility;
      if (v == 'v' || (v == 's' && worst == 'i')) worst = v;
    };
    switch (x->kind) {
      case ExprKind::function: note(as<FunctionExpr>(x)->function); break;
      case ExprKind::op: case ExprKind::distinct_op: case ExprKind::nullif_op: note(as<OpExpr>(x)->function); break;
      case ExprKind::array_op: note(as<ArrayOp>(x)->function); break;
      case ExprKind::aggregate: note(as<Aggregate>(x)->function); break;
      case ExprKind::window_function: note(as<WindowFunction>(x)->function); break;
      case ExprKind::coerce_io: {
        note(type_info(type_of(as<CoerceIo>(x)->arg)).output);
        note(type_info(as<CoerceIo>(x)->type).input);
        break;
      }
      case ExprKind::row_compare:
        for (Oid op : as<RowCompare>(x)->operators) note(catalog::operator_info(op).function);
        break;
      case ExprKind::sql_value: if (worst == 'i') worst = 's'; break;
      case ExprKind::next_value: worst = 'v'; break;
      default: break;
    }
    return worst == 'v';
  });
  return worst;
}

}  // namespace hathi::analyzer
