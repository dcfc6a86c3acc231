// Expressions of definitions: defaults, checks, index keys, partition bounds, arguments of EXECUTE and CALL.

#include "state.h"

namespace hathi::analyzer {
namespace {

// A parse state whose only relation is the scope's.
class Scope {
 public:
  Scope(std::string_view text, Arena& arena, const ExpressionScope* scope, ParameterTypes* parameters)
      : root_{arena, text, parameters}, state_(root_, nullptr) {
    if (scope != nullptr) add(*scope);
  }
  ParseState& state() { return state_; }
  Root& root() { return root_; }

 private:
  void add(const ExpressionScope& scope) {
    Arena& arena = state_.arena;
    auto* rte = arena.make<RangeTableEntry>();
    rte->kind = RteKind::relation;
    rte->name = arena.copy(scope.name);
    rte->relation = scope.relation;
    rte->relation_kind = scope.relation_kind;
    // A stand-in for the descriptor: columns and row type are all that is asked of it.
    auto* relation = new (arena.allocate(sizeof(catalog::Relation), alignof(catalog::Relation))) catalog::Relation();
    relation->oid = scope.relation;
    relation->name = rte->name;
    relation->kind = scope.relation_kind;
    relation->descriptor = scope.columns;
    relation->row_type = scope.columns->row_type == type_oid::record ? kInvalidOid : scope.columns->row_type;
    for (const Attribute& column : scope.columns->attributes)
      rte->column_names.push_back(arena, column.dropped ? std::string_view() : arena.copy(column.name));
    NamespaceItem* item = add_item(state_, rte, relation);
    add_to_namespace(state_, item, false, true, true);
  }
  Root root_;
  ParseState state_;
};

[[noreturn]] void throw_default_mismatch(std::string_view column, Oid type, Oid from) {
  throw SqlError(sqlstate::datatype_mismatch, "column \"{}\" is of type {} but default expression is of type {}", column, catalog::format_type(type),
                 catalog::format_type(from))
      .hint("You will need to rewrite or cast the expression.");
}

void check_generated(ParseState& ps, Expr* e, const ExpressionScope& scope) {
  struct Context { const ExpressionScope* scope; } context{&scope};
  (void)ps;
  walk_deep(e, 0, [](Expr* x, int, void* p) {
    if (!is<Variable>(x)) return false;
    const auto* v = as<Variable>(x);
    const TupleDescriptor& row = *static_cast<Context*>(p)->scope->columns;
    if (v->column > 0 && row[v->column - 1].generated != '\0')
      throw SqlError(sqlstate::invalid_object_definition, "cannot use generated column \"{}\" in column generation expression", row[v->column - 1].name)
          .detail("A generated column cannot reference another generated column.")
          .at(v->location);
    if (v->column == 0)
      throw SqlError(sqlstate::invalid_object_definition, "cannot use whole-row variable in column generation expression")
          .detail("This would cause the generated column to depend on its own value.")
          .at(v->location);
    return false;
  }, &context);
  if (volatility_of(e) != 'i') throw SqlError(sqlstate::invalid_object_definition, "generation expression is not immutable");
}

}  // namespace

ExpressionScope scope_of(const catalog::Relation& relation) { return {relation.name, relation.oid, relation.kind, relation.descriptor}; }

Expr* analyze_expression(const ast::Expr* node, std::string_view text, Arena& arena, const ExpressionScope* scope, Clause clause,
                         ParameterTypes* parameters) {
  Scope s(text, arena, scope, parameters);
  Expr* e = transform(s.state(), node, clause);
  if (type_of(e) == type_oid::unknown)
    e = coerce_type(s.root(), e, type_oid::unknown, type_oid::text, -1, CoercionContext::implicit, CallForm::implicit_cast, -1);
  assign_collations(e);
  return e;
}

Expr* analyze_condition(const ast::Expr* node, std::string_view text, Arena& arena, const ExpressionScope* scope, Clause clause, std::string_view where) {
  Scope s(text, arena, scope, nullptr);
  Expr* e = transform_where(s.state(), node, clause, where);
  assign_collations(e);
  return e;
}

Expr* analyze_default(const ast::Expr* node, std::string_view text, Arena& arena, const ExpressionScope* scope, std::string_view column, Oid type,
                      std::int32_t typmod, char generated) {
  Scope s(text, arena, scope, nullptr);
  Expr* e = transform(s.state(), node, generated != '\0' ? Clause::generated_column : Clause::column_default);
  if (generated != '\0') check_generated(s.state(), e, *scope);
  if (is_valid(type)) {
    Oid from = type_of(e);
    Expr* done = coerce_to_target(s.root(), e, from, type, typmod, CoercionContext::assignment, CallForm::implicit_cast, -1);
    if (done == nullptr) throw_default_mismatch(column, type, from);
    e = done;
  }
  assign_collations(e);
  return e;
}

Expr* analyze_value(const ast::Expr* node, std::string_view text, Arena& arena, Clause clause, std::string_view name, Oid type, std::int32_t typmod) {
  Scope s(text, arena, nullptr, nullptr);
  Expr* e = transform(s.state(), node, clause);
  if (clause == Clause::function_default) {
    e = coerce_to_specific(s.state(), e, type, "DEFAULT");
  } else {
    Oid from = type_of(e);
    Expr* done = coerce_to_target(s.root(), e, from, type, typmod, CoercionContext::assignment, CallForm::implicit_cast, -1);
    if (done == nullptr) throw_default_mismatch(name, type, from);
    e = done;
  }
  assign_collations(e);
  return e;
}

Expr* analyze_domain_check(const ast::Expr* node, std::string_view text, Arena& arena, Oid base_type, std::int32_t base_typmod, Oid collation) {
  Scope s(text, arena, nullptr, nullptr);
  auto* value = make<DomainValue>(arena);
  value->type = base_type;
  value->typmod = base_typmod;
  value->collation = collation;
  s.state().domain_value = value;
  Expr* e = transform_where(s.state(), node, Clause::domain_check, "CHECK");
  assign_collations(e);
  return e;
}

Expr* analyze_partition_value(const ast::Expr* node, std::string_view text, Arena& arena, std::string_view column, Oid type, std::int32_t typmod,
                                  Oid collation) {
  Scope s(text, arena, nullptr, nullptr);
  Expr* e = transform(s.state(), node, Clause::partition_bound);
  assign_collations(e);
  // An explicit COLLATE must be the key's own.
  if (is<Collate>(e) && as<Collate>(e)->collation != collation) {
    const catalog::CollationInfo* own = catalog::find_collation(as<Collate>(e)->collation);
    const catalog::CollationInfo* key = catalog::find_collation(collation);
    throw SqlError(sqlstate::datatype_mismatch, "collation of partition bound value for column \"{}\" does not match partition key collation \"{}\"", column,
                   key == nullptr ? (own == nullptr ? std::string_view() : own->name) : key->name)
        .at(location_of(e));
  }
  Expr* done = coerce_to_target(s.root(), e, type_of(e), type, typmod, CoercionContext::assignment, CallForm::implicit_cast, -1);
  if (done == nullptr)
    throw SqlError(sqlstate::datatype_mismatch, "specified value cannot be cast to type {} for column \"{}\"", catalog::format_type(type), column)
        .at(location_of(node));
  assign_collations(done);
  if (is<Constant>(done)) {
    as<Constant>(done)->collation = collation;
    return as<Constant>(done);
  }
  Constant* constant = evaluate_constant(done, arena);
  if (constant == nullptr) return done;
  constant->type = type;
  constant->typmod = typmod;
  constant->collation = collation;
  return constant;
}

List<Expr*> analyze_execute_arguments(const List<ast::Expr*>& args, std::string_view text, Arena& arena, std::span<const Oid> types,
                                      std::string_view statement_name) {
  if (args.size() != types.size())
    throw SqlError(sqlstate::syntax_error, "wrong number of parameters for prepared statement \"{}\"", statement_name)
        .detail(fmt::format("Expected {} parameters but got {}.", types.size(), args.size()));
  Scope s(text, arena, nullptr, nullptr);
  List<Expr*> result;
  for (std::uint32_t i = 0; i < args.size(); ++i) {
    Expr* e = transform(s.state(), args[i], Clause::execute_parameter);
    Oid from = type_of(e);
    Expr* done = coerce_to_target(s.root(), e, from, types[i], -1, CoercionContext::assignment, CallForm::implicit_cast, -1);
    if (done == nullptr)
      throw SqlError(sqlstate::datatype_mismatch, "parameter ${} of type {} cannot be coerced to the expected type {}", i + 1, catalog::format_type(from),
                     catalog::format_type(types[i]))
          .hint("You will need to rewrite or cast the expression.")
          .at(location_of(e));
    assign_collations(done);
    result.push_back(arena, done);
  }
  return result;
}

Expr* analyze_call(const ast::FunctionCall* call, std::string_view text, Arena& arena, ParameterTypes* parameters) {
  Scope s(text, arena, nullptr, parameters);
  ParseState& ps = s.state();
  Restore<Clause> in(ps.clause, Clause::call_argument);
  List<Expr*> args;
  std::vector<std::string_view> names;
  for (const ast::Node* arg : call->args) {
    if (const auto* named = ast::node_try<ast::NamedArg>(arg)) {
      args.push_back(arena, transform_inner(ps, named->value));
      names.push_back(named->name);
    } else {
      args.push_back(arena, transform_inner(ps, arg));
      if (!names.empty())
        throw SqlError(sqlstate::syntax_error, "positional argument cannot follow named argument").at(location_of(args.back()));
    }
  }
  Expr* e = parse_function(ps, call->name, args, std::move(names), ps.last_srf, call, true, call->location);
  assign_collations(e);
  return e;
}

}  // namespace hathi::analyzer
