// Aggregates and window functions in calls: at which query level they are evaluated, and whether they may stand there.

#include <climits>

#include "state.h"

namespace hathi::analyzer {
namespace {

// The innermost level that an aggregate's arguments refer to is the level it belongs to.
struct ArgumentLevels {
  int variable = INT_MAX, aggregate = INT_MAX;
};

void read_levels(Expr* e, ArgumentLevels& levels) {
  walk_deep(e, 0, [](Expr* x, int depth, void* context) {
    auto* found = static_cast<ArgumentLevels*>(context);
    auto lower = [&](int& place, int level) { if (level - depth >= 0 && level - depth < place) place = level - depth; };
    if (is<Variable>(x)) lower(found->variable, as<Variable>(x)->levels_up);
    else if (is<Aggregate>(x)) lower(found->aggregate, as<Aggregate>(x)->levels_up);
    else if (is<Grouping>(x)) lower(found->aggregate, as<Grouping>(x)->levels_up);
    if (depth == 0) {
      if ((is<FunctionExpr>(x) && as<FunctionExpr>(x)->returns_set) || (is<OpExpr>(x) && as<OpExpr>(x)->returns_set))
        throw SqlError(sqlstate::feature_not_supported, "aggregate function calls cannot contain set-returning function calls")
            .hint("You might be able to move the set-returning function into a LATERAL FROM item.")
            .at(location_of(x));
      if (is<WindowFunction>(x))
        throw SqlError(sqlstate::grouping_error, "aggregate function calls cannot contain window function calls").at(x->location);
    }
    return false;
  }, &levels);
}

[[noreturn]] void throw_nested(const List<Expr*>& where, int level) {
  int location = -1;
  for (const Expr* e : where) {
    int found = contain_aggregates_of_level(e, level);
    if (found > 0) { location = found - 1; break; }
  }
  throw SqlError(sqlstate::grouping_error, "aggregate function calls cannot be nested").at(location);
}

int aggregate_level(const List<Expr*>& direct, const List<Expr*>& args) {
  ArgumentLevels levels;
  for (Expr* e : args) read_levels(e, levels);
  int level = std::min(levels.variable, levels.aggregate);
  if (level == INT_MAX) level = 0;
  if (levels.aggregate == level) throw_nested(args, level);
  if (!direct.empty()) {
    ArgumentLevels below;
    for (Expr* e : direct) read_levels(e, below);
    if (below.variable < level) {
      int location = -1;
      for (const Expr* e : direct)
        if (contains_variables_of_level(e, below.variable, &location)) break;
      throw SqlError(sqlstate::grouping_error, "outer-level aggregate cannot contain a lower-level variable in its direct arguments").at(location);
    }
    if (below.aggregate <= level) throw_nested(direct, below.aggregate);
  }
  return level;
}

ParseState& state_at(ParseState& ps, int level) {
  ParseState* state = &ps;
  for (; level > 0 && state->parent != nullptr; --level) state = state->parent;
  return *state;
}

bool same_syntax(const ast::Node* a, const ast::Node* b);

template <class T>
bool same_list(const List<T*>& a, const List<T*>& b) {
  if (a.size() != b.size()) return false;
  for (std::uint32_t i = 0; i < a.size(); ++i) if (!same_syntax(a[i], b[i])) return false;
  return true;
}
bool same_names(const ast::QualifiedName& a, const ast::QualifiedName& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

// Are two pieces of syntax alike? Unusual nodes count as different: windows are then merely not shared.
bool same_syntax(const ast::Node* a, const ast::Node* b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || a->kind != b->kind) return false;
  check_stack_depth();
  switch (a->kind) {
    case ast::NodeKind::column_ref: {
      const auto *x = ast::node_cast<ast::ColumnRef>(a), *y = ast::node_cast<ast::ColumnRef>(b);
      return x->star == y->star && same_names(x->names, y->names);
    }
    case ast::NodeKind::constant: {
      const auto *x = ast::node_cast<ast::Constant>(a), *y = ast::node_cast<ast::Constant>(b);
      return x->type == y->type && x->integer == y->integer && x->text == y->text;
    }
    case ast::NodeKind::param_ref: return ast::node_cast<ast::ParamRef>(a)->number == ast::node_cast<ast::ParamRef>(b)->number;
    case ast::NodeKind::operator_expr: {
      const auto *x = ast::node_cast<ast::OperatorExpr>(a), *y = ast::node_cast<ast::OperatorExpr>(b);
      return x->op == y->op && same_names(x->qualifier, y->qualifier) && same_syntax(x->left, y->left) && same_syntax(x->right, y->right);
    }
    case ast::NodeKind::function_call: {
      const auto *x = ast::node_cast<ast::FunctionCall>(a), *y = ast::node_cast<ast::FunctionCall>(b);
      return same_names(x->name, y->name) && same_list(x->args, y->args) && same_list(x->order_by, y->order_by) && x->star == y->star &&
             x->distinct == y->distinct && x->variadic == y->variadic && x->filter == nullptr && y->filter == nullptr && x->over == nullptr &&
             y->over == nullptr;
    }
    case ast::NodeKind::sort_by: {
      const auto *x = ast::node_cast<ast::SortBy>(a), *y = ast::node_cast<ast::SortBy>(b);
      return x->direction == y->direction && x->nulls == y->nulls && x->op == y->op && same_names(x->op_qualifier, y->op_qualifier) &&
             same_syntax(x->expr, y->expr);
    }
    case ast::NodeKind::type_cast: {
      const auto *x = ast::node_cast<ast::TypeCast>(a), *y = ast::node_cast<ast::TypeCast>(b);
      return same_syntax(x->arg, y->arg) && same_names(x->type->names, y->type->names) && same_list(x->type->typmods, y->type->typmods) &&
             x->type->array_bounds.size() == y->type->array_bounds.size();
    }
    default: return false;
  }
}

bool same_window(const ast::WindowDef* a, const ast::WindowDef* b) {
  return a->reference == b->reference && same_list(a->partition_by, b->partition_by) && same_list(a->order_by, b->order_by) &&
         a->has_frame == b->has_frame && a->between == b->between && a->mode == b->mode && a->start == b->start && a->end == b->end &&
         a->exclusion == b->exclusion && same_syntax(a->start_offset, b->start_offset) && same_syntax(a->end_offset, b->end_offset);
}

}  // namespace

void transform_aggregate(ParseState& ps, Aggregate* aggregate, List<Expr*> args, const List<ast::SortBy*>& order_by, bool distinct) {
  Arena& arena = ps.arena;
  List<TargetEntry*> targets;
  if (aggregate->aggregate_kind != 'n') {
    std::uint32_t direct = args.size() - order_by.size();
    AttrNumber number = 1;
    for (std::uint32_t i = 0; i < args.size(); ++i) {
      if (i < direct) { aggregate->direct_args.push_back(arena, args[i]); continue; }
      targets.push_back(arena, make_target(arena, args[i], number++, {}, false));
      aggregate->order_by = add_to_sort_list(ps, targets.back(), aggregate->order_by, targets, order_by[i - direct]);
    }
  } else {
    AttrNumber number = 1;
    for (Expr* arg : args) targets.push_back(arena, make_target(arena, arg, number++, {}, false));
    Restore<int> keep(ps.next_target, number);
    aggregate->order_by = transform_order_by(ps, order_by, targets, Clause::order_by, true);
    if (distinct) {
      aggregate->distinct = transform_distinct(ps, targets, aggregate->order_by, true);
      for (const SortClause* clause : aggregate->distinct) {
        if (is_valid(clause->order_operator)) continue;
        const Expr* e = target_by_ref(clause->ref, targets)->expr;
        throw SqlError(sqlstate::undefined_function, "could not identify an ordering operator for type {}", catalog::format_type(type_of(e)))
            .detail("Aggregates with DISTINCT must be able to sort their inputs.")
            .at(location_of(e));
      }
    }
  }
  aggregate->args = targets;
  List<Expr*> inputs;
  for (TargetEntry* t : targets) inputs.push_back(arena, t->expr);
  if (aggregate->filter != nullptr) inputs.push_back(arena, aggregate->filter);
  int level = aggregate_level(aggregate->direct_args, inputs);
  aggregate->levels_up = level;
  ParseState& owner = state_at(ps, level);
  owner.has_aggregates = true;
  check_aggregate_allowed(owner.clause, false, aggregate->location);
}

Expr* transform_grouping(ParseState& ps, const ast::GroupingFunc* node) {
  if (node->args.size() > 31) throw SqlError(sqlstate::too_many_arguments, "GROUPING must have fewer than 32 arguments").at(node->location);
  auto* result = make<Grouping>(ps.arena, node->location);
  for (const ast::Node* arg : node->args) result->args.push_back(ps.arena, transform_inner(ps, arg));
  result->levels_up = aggregate_level({}, result->args);
  ParseState& owner = state_at(ps, result->levels_up);
  owner.has_aggregates = true;
  check_aggregate_allowed(owner.clause, true, node->location);
  return result;
}

void transform_window_function(ParseState& ps, WindowFunction* function, const ast::WindowDef* window) {
  int nested = -1;
  if (ps.has_windows) {
    for (const Expr* arg : function->args)
      if (contains_window_functions(arg, &nested)) throw SqlError(sqlstate::windowing_error, "window function calls cannot be nested").at(nested);
  }
  check_window_allowed(ps.clause, function->location);
  std::uint32_t number = 0;
  if (window->over_name) {
    for (std::uint32_t i = 0; i < ps.windows.size() && number == 0; ++i)
      if (!ps.windows[i]->name.empty() && ps.windows[i]->name == window->name) number = i + 1;
    if (number == 0) throw SqlError(sqlstate::undefined_object, "window \"{}\" does not exist", window->name).at(window->location);
  } else {
    for (std::uint32_t i = 0; i < ps.windows.size() && number == 0; ++i)
      if (same_window(ps.windows[i], window)) number = i + 1;
    if (number == 0) {
      ps.windows.push_back(ps.arena, window);
      number = ps.windows.size();
    }
  }
  function->window_ref = static_cast<int>(number);
  ps.has_windows = true;
}

}  // namespace hathi::analyzer
