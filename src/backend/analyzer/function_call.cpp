// Function calls: scalar functions, aggregates, window functions, casts in function notation, columns in function notation.

#include "state.h"

namespace hathi::analyzer {
namespace {

constexpr std::size_t kMaxFunctionArguments = 100;

// One call being put together.
struct Call {
  ParseState& ps;
  const ast::QualifiedName& name;
  const ast::FunctionCall* node;      // null: column notation
  int location;
  List<Expr*> args;
  std::vector<Oid> types;
  std::vector<std::string_view> arg_names;
  Expr* filter = nullptr;
  Expr* last_srf = nullptr;
  FunctionChoice choice;
  bool variadic = false;

  bool has_order() const { return node != nullptr && !node->order_by.empty(); }
  bool within_group() const { return node != nullptr && node->within_group; }
  bool distinct() const { return node != nullptr && node->distinct; }
  bool star() const { return node != nullptr && node->star; }
  const ast::WindowDef* over() const { return node == nullptr ? nullptr : node->over; }
  std::string text() const { return name_text(name); }
  SqlError wrong(SqlState code, std::string message) const { return SqlError(code, "{}", message).at(location); }
};

void check_plain_call(const Call& call) {
  auto refuse = [&](std::string_view what, bool star = false) {
    throw call.wrong(sqlstate::wrong_object_type,
                     star ? fmt::format("{}(*) specified, but {} is not an aggregate function", call.text(), call.text())
                          : fmt::format("{} specified, but {} is not an aggregate function", what, call.text()));
  };
  if (call.star()) refuse("", true);
  if (call.distinct()) refuse("DISTINCT");
  if (call.within_group()) refuse("WITHIN GROUP");
  if (call.has_order()) refuse("ORDER BY");
  if (call.filter != nullptr) refuse("FILTER");
  if (call.over() != nullptr)
    throw call.wrong(sqlstate::wrong_object_type, fmt::format("OVER specified, but {} is not a window function nor an aggregate function", call.text()));
}

[[noreturn]] void throw_no_function(const Call& call, std::string hint) {
  throw SqlError(sqlstate::undefined_function, "function {} does not exist", function_signature(call.name, call.types, call.arg_names))
      .hint(std::move(hint))
      .at(call.location);
}

// Hypothetical-set aggregates: each direct argument is compared with its ordering column, so both get one type.
void unify_hypothetical_args(Call& call, std::size_t aggregated) {
  std::size_t direct = call.args.size() - aggregated;
  std::size_t first_hypothetical = direct - aggregated;
  for (std::size_t i = 0; i < aggregated; ++i) {
    std::size_t h = first_hypothetical + i, a = direct + i;
    if (call.choice.declared[h] != call.choice.declared[a])
      throw SqlError(sqlstate::internal_error, "hypothetical-set aggregate has inconsistent declared argument types");
    if (call.choice.declared[h] != type_oid::any) continue;
    List<Expr*> pair;
    pair.push_back(call.ps.arena, call.args[h]);
    pair.push_back(call.ps.arena, call.args[a]);
    Oid common = select_common_type(pair, "WITHIN GROUP");
    std::int32_t typmod = select_common_typmod(pair, common);
    call.args[h] = coerce_to_target(call.ps.root, call.args[h], call.types[h], common, typmod, CoercionContext::implicit, CallForm::implicit_cast, -1);
    call.types[h] = common;
    call.args[a] = coerce_to_target(call.ps.root, call.args[a], call.types[a], common, typmod, CoercionContext::implicit, CallForm::implicit_cast, -1);
    call.types[a] = common;
  }
}

std::string plural_arguments(int n, std::string_view word) { return fmt::format("{} {} argument{}", n, word, n == 1 ? "" : "s"); }

void check_ordered_set(Call& call, const catalog::AggregateInfo& info) {
  std::string text = call.text();
  if (!call.within_group())
    throw call.wrong(sqlstate::wrong_object_type, fmt::format("WITHIN GROUP is required for ordered-set aggregate {}", text));
  if (call.over() != nullptr)
    throw call.wrong(sqlstate::feature_not_supported, fmt::format("OVER is not supported for ordered-set aggregate {}", text));
  int aggregated = static_cast<int>(call.node->order_by.size());
  int direct = static_cast<int>(call.args.size()) - aggregated;
  if (!is_valid(call.choice.variadic_type)) {
    if (direct != info.direct_args)
      throw_no_function(call, fmt::format("There is an ordered-set aggregate {}, but it requires {}, not {}.", text,
                                          plural_arguments(info.direct_args, "direct"), direct));
  } else {
    // The variadic argument may spread over direct and aggregated ones.
    int parameters = static_cast<int>(call.choice.function->arguments.size());
    if (info.kind == 'h') {
      if (call.choice.variadic_count <= 1 || call.choice.variadic_count != 2 * aggregated) {
        int hypothetical = call.choice.variadic_count - aggregated;
        throw_no_function(call, fmt::format("To use the hypothetical-set aggregate {}, the number of hypothetical direct arguments (here {}) must match "
                                            "the number of ordering columns (here {}).",
                                            text, hypothetical, aggregated));
      }
    } else if (call.choice.variadic_count <= 1 && direct < info.direct_args) {
      throw_no_function(call, fmt::format("There is an ordered-set aggregate {}, but it requires at least {}.", text,
                                          plural_arguments(info.direct_args, "direct")));
    }
    (void)parameters;
  }
  if (info.kind == 'h') unify_hypothetical_args(call, static_cast<std::size_t>(aggregated));
}

void check_kind(Call& call, bool procedure) {
  std::string text = call.text();
  FunctionMatch match = call.choice.match;
  if (match == FunctionMatch::normal || match == FunctionMatch::procedure || match == FunctionMatch::coercion) check_plain_call(call);
  if (procedure && (match == FunctionMatch::normal || match == FunctionMatch::aggregate || match == FunctionMatch::window || match == FunctionMatch::coercion))
    throw call.wrong(sqlstate::wrong_object_type, fmt::format("{} is not a procedure", function_signature(call.name, call.types, call.arg_names)))
        .hint("To call a function, use SELECT.");
  if (!procedure && match == FunctionMatch::procedure)
    throw call.wrong(sqlstate::wrong_object_type, fmt::format("{} is a procedure", function_signature(call.name, call.types, call.arg_names)))
        .hint("To call a procedure, use CALL.");
  if (match == FunctionMatch::aggregate) {
    const catalog::AggregateInfo* info = catalog::find_aggregate(call.choice.function->oid);
    if (info == nullptr) throw SqlError(sqlstate::internal_error, "cache lookup failed for aggregate {}", raw(call.choice.function->oid));
    if (info->kind != 'n') check_ordered_set(call, *info);
    else if (call.within_group())
      throw call.wrong(sqlstate::wrong_object_type, fmt::format("{} is not an ordered-set aggregate, so it cannot have WITHIN GROUP", text));
  } else if (match == FunctionMatch::window) {
    if (call.over() == nullptr) throw call.wrong(sqlstate::wrong_object_type, fmt::format("window function {} requires an OVER clause", text));
    if (call.within_group()) throw call.wrong(sqlstate::wrong_object_type, fmt::format("window function {} cannot have WITHIN GROUP", text));
  }
}

// The last arguments of a variadic call go into one array.
void collect_variadic(Call& call) {
  std::uint32_t count = static_cast<std::uint32_t>(call.choice.variadic_count);
  std::uint32_t fixed = call.args.size() - count;
  auto* array = make<ArrayExpr>(call.ps.arena);
  for (std::uint32_t i = fixed; i < call.args.size(); ++i) array->elements.push_back(call.ps.arena, call.args[i]);
  array->element_type = type_of(array->elements[0]);
  array->type = array_type_of(array->element_type);
  if (!is_valid(array->type))
    throw SqlError(sqlstate::undefined_object, "could not find array type for data type {}", catalog::format_type(array->element_type))
        .at(location_of(array->elements));
  array->location = location_of(array->elements);
  call.args.truncate(fixed);
  call.args.push_back(call.ps.arena, array);
  call.types.resize(fixed);
  call.types.push_back(array->type);
  call.variadic = true;
}

Expr* make_function(Call& call, Oid result) {
  auto* node = make<FunctionExpr>(call.ps.arena, call.location);
  node->function = call.choice.function->oid;
  node->type = result;
  node->returns_set = call.choice.function->returns_set;
  node->variadic = call.variadic;
  node->form = call.node != nullptr && call.node->sql_syntax ? CallForm::sql_syntax : CallForm::call;
  node->args = call.args;
  if (node->returns_set) call.ps.last_srf = node;
  return node;
}

Expr* make_aggregate(Call& call, Oid result) {
  if (call.args.empty() && !call.star() && !call.within_group())
    throw call.wrong(sqlstate::wrong_object_type, fmt::format("{}(*) must be used to call a parameterless aggregate function", call.text()));
  if (call.choice.function->returns_set) throw call.wrong(sqlstate::invalid_function_definition, "aggregates cannot return sets");
  if (!call.arg_names.empty()) throw call.wrong(sqlstate::feature_not_supported, "aggregates cannot use named arguments");
  const catalog::AggregateInfo* info = catalog::find_aggregate(call.choice.function->oid);
  auto* node = make<Aggregate>(call.ps.arena, call.location);
  node->function = call.choice.function->oid;
  node->type = result;
  node->filter = call.filter;
  node->star = call.star();
  node->variadic = call.variadic;
  node->aggregate_kind = info->kind;
  node->transition_type = info->transition_type;
  for (const Expr* arg : call.args) node->argument_types.push_back(call.ps.arena, type_of(arg));
  if (is_polymorphic(info->transition_type)) {
    std::vector<Oid> declared(call.choice.function->arguments.begin(), call.choice.function->arguments.end());
    std::vector<Oid> actual(node->argument_types.begin(), node->argument_types.end());
    declared.resize(std::min(declared.size(), actual.size()));
    actual.resize(declared.size());
    node->transition_type = enforce_generic_types(actual, declared, info->transition_type, false);
  }
  transform_aggregate(call.ps, node, call.args, call.node->order_by, call.distinct());
  return node;
}

Expr* make_window_function(Call& call, Oid result) {
  bool is_aggregate = call.choice.match == FunctionMatch::aggregate;
  if (call.distinct()) throw call.wrong(sqlstate::feature_not_supported, "DISTINCT is not implemented for window functions");
  if (is_aggregate && call.args.empty() && !call.star())
    throw call.wrong(sqlstate::wrong_object_type, fmt::format("{}(*) must be used to call a parameterless aggregate function", call.text()));
  if (call.has_order()) throw call.wrong(sqlstate::feature_not_supported, "aggregate ORDER BY is not implemented for window functions");
  if (!is_aggregate && call.filter != nullptr)
    throw call.wrong(sqlstate::feature_not_supported, "FILTER is not implemented for non-aggregate window functions");
  if (call.ps.last_srf != call.last_srf)
    throw SqlError(sqlstate::feature_not_supported, "window function calls cannot contain set-returning function calls")
        .hint("You might be able to move the set-returning function into a LATERAL FROM item.")
        .at(location_of(call.ps.last_srf));
  if (call.choice.function->returns_set) throw call.wrong(sqlstate::invalid_function_definition, "window functions cannot return sets");
  auto* node = make<WindowFunction>(call.ps.arena, call.location);
  node->function = call.choice.function->oid;
  node->type = result;
  node->args = call.args;
  node->filter = call.filter;
  node->star = call.star();
  node->is_aggregate = is_aggregate;
  transform_window_function(call.ps, node, call.over());
  return node;
}

// Named arguments move to their parameters' places, defaults fill the rest.
void place_arguments(Call& call) {
  FunctionChoice& choice = call.choice;
  if (choice.argument_order.empty()) {
    for (Expr* value : choice.defaults) {
      call.args.push_back(call.ps.arena, value);
      call.types.push_back(type_of(value));
    }
    return;
  }
  List<Expr*> args;
  std::vector<Oid> types;
  std::uint32_t next_default = 0;
  for (int from : choice.argument_order) {
    Expr* value = from >= 0 ? call.args[static_cast<std::size_t>(from)] : choice.defaults[next_default++];
    args.push_back(call.ps.arena, value);
    types.push_back(type_of(value));
  }
  call.args = args;
  call.types = std::move(types);
}

void check_argument_names(Call& call, const List<ast::Expr*>& nodes) {
  for (std::size_t i = 0; i < call.arg_names.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (call.arg_names[i] == call.arg_names[j])
        throw SqlError(sqlstate::syntax_error, "argument name \"{}\" used more than once", call.arg_names[i])
            .at(nodes[nodes.size() - call.arg_names.size() + i]->location);
}

[[noreturn]] void throw_not_found(Call& call, bool procedure) {
  std::string signature = function_signature(call.name, call.types, call.arg_names);
  if (call.choice.match == FunctionMatch::multiple) {
    if (procedure)
      throw call.wrong(sqlstate::ambiguous_function, fmt::format("procedure {} is not unique", signature))
          .hint("Could not choose a best candidate procedure. You might need to add explicit type casts.");
    throw call.wrong(sqlstate::ambiguous_function, fmt::format("function {} is not unique", signature))
        .hint("Could not choose a best candidate function. You might need to add explicit type casts.");
  }
  if (call.has_order() && !call.within_group())
    throw_no_function(call, "No aggregate function matches the given name and argument types. Perhaps you misplaced ORDER BY; ORDER BY must appear after "
                            "all regular arguments of the aggregate.");
  if (procedure)
    throw call.wrong(sqlstate::undefined_function, fmt::format("procedure {} does not exist", signature))
        .hint("No procedure matches the given name and argument types. You might need to add explicit type casts.");
  throw_no_function(call, "No function matches the given name and argument types. You might need to add explicit type casts.");
}

}  // namespace

Expr* parse_function(ParseState& ps, const ast::QualifiedName& name, List<Expr*> args, std::vector<std::string_view> arg_names, Expr* last_srf,
                     const ast::FunctionCall* node, bool procedure, int location) {
  Call call{ps, name, node, location, args, {}, std::move(arg_names), nullptr, last_srf, {}, node != nullptr && node->variadic};
  if (node != nullptr && node->filter != nullptr) call.filter = transform_where(ps, node->filter, Clause::filter, "FILTER");
  if (args.size() > kMaxFunctionArguments)
    throw call.wrong(sqlstate::too_many_arguments, fmt::format("cannot pass more than {} arguments to a function", kMaxFunctionArguments));
  for (const Expr* arg : args) call.types.push_back(type_of(arg));
  if (node != nullptr) check_argument_names(call, node->args);

  bool maybe_column = args.size() == 1 && !procedure && call.arg_names.empty() && name.size() == 1 && is_row_type(call.types[0]) &&
                      (node == nullptr || (node->order_by.empty() && node->filter == nullptr && !node->star && !node->distinct &&
                                           node->over == nullptr && !node->variadic));
  if (maybe_column && node == nullptr) {
    if (Expr* column = parse_projection(ps, name[0], args[0], location)) return column;
  }
  try {
    call.choice = choose_function(ps.root, name, &call.args, call.types, call.arg_names, !call.variadic, true, procedure);
  } catch (SqlError& error) {
    rethrow_at(error, location);
  }
  FunctionMatch match = call.choice.match;
  if (match == FunctionMatch::not_found || match == FunctionMatch::multiple) {
    if (node == nullptr && match == FunctionMatch::not_found) return nullptr;
    if (maybe_column && node != nullptr && match == FunctionMatch::not_found) {
      if (Expr* column = parse_projection(ps, name[0], args[0], location)) return column;
    }
    throw_not_found(call, procedure);
  }
  if (node == nullptr && match != FunctionMatch::normal && match != FunctionMatch::coercion) return nullptr;
  check_kind(call, procedure);
  if (match == FunctionMatch::coercion)
    return coerce_type(ps.root, args[0], call.types[0], call.choice.result, -1, CoercionContext::explicit_, CallForm::call, location);

  place_arguments(call);
  Oid result = enforce_generic_types(call.types, call.choice.declared, call.choice.result, false);
  coerce_arguments(ps.root, call.args, call.types, call.choice.declared);
  if (call.choice.variadic_count > 0 && call.choice.variadic_type != type_oid::any) collect_variadic(call);
  if (!call.args.empty() && call.choice.variadic_type == type_oid::any && call.variadic) {
    if (!is_valid(base_element_type_of(call.types.back())))
      throw SqlError(sqlstate::datatype_mismatch, "VARIADIC argument must be an array").at(location_of(call.args.back()));
  }
  if (call.choice.function->returns_set) check_srf_allowed(ps, last_srf, location);
  if (match == FunctionMatch::normal || match == FunctionMatch::procedure) return make_function(call, result);
  if (match == FunctionMatch::aggregate && call.over() == nullptr) return make_aggregate(call, result);
  return make_window_function(call, result);
}

Expr* transform_function_call(ParseState& ps, const ast::FunctionCall* call) {
  Expr* last_srf = ps.last_srf;
  List<Expr*> args;
  std::vector<std::string_view> names;
  args.reserve(ps.arena, call->args.size());
  for (const ast::Node* arg : call->args) {
    if (const auto* named = ast::node_try<ast::NamedArg>(arg)) {
      args.push_back(ps.arena, transform_inner(ps, named->value));
      names.push_back(named->name);
    } else {
      args.push_back(ps.arena, transform_inner(ps, arg));
      if (!names.empty())
        throw SqlError(sqlstate::syntax_error, "positional argument cannot follow named argument").at(location_of(args.back()));
    }
  }
  if (call->within_group) {
    for (const ast::SortBy* sort : call->order_by) args.push_back(ps.arena, transform(ps, sort->expr, Clause::order_by));
  }
  return parse_function(ps, call->name, args, std::move(names), last_srf, call, false, call->location);
}

Expr* parse_projection(ParseState& ps, std::string_view column, Expr* row, int location) {
  if (is<Variable>(row) && as<Variable>(row)->column == 0) {
    const auto* whole = as<Variable>(row);
    NamespaceItem* item = item_of(ps, whole->rte, whole->levels_up);
    if (item != nullptr) return find_column(ps, item, column, whole->levels_up, location);
  }
  const TupleDescriptor* descriptor = row_descriptor_of(ps, row);
  if (descriptor == nullptr) return nullptr;
  for (int i = 0; i < descriptor->count(); ++i) {
    const Attribute& attribute = (*descriptor)[i];
    if (attribute.dropped || attribute.name != column) continue;
    auto* select = make<FieldSelect>(ps.arena);
    select->arg = row;
    select->field = static_cast<AttrNumber>(i + 1);
    select->type = attribute.type;
    select->typmod = attribute.typmod;
    select->collation = attribute.collation;
    return select;
  }
  return nullptr;
}

}  // namespace hathi::analyzer
