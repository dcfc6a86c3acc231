#pragma once
// From the syntax tree to a Query: names, types, functions and operators resolved by PostgreSQL's rules, views expanded.
// Relations are locked as they are opened (access_share, row_share for FOR UPDATE/SHARE, row_exclusive for targets) and stay
// locked until the transaction ends. Errors carry byte offsets into `text` (SqlError::at). The result lives in the arena and
// refers to nothing outside it, utility statements excepted.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hathi/catalog/relation.h"
#include "hathi/nodes/query.h"
#include "hathi/parser/ast.h"
#include "hathi/parser/ast_ddl.h"

namespace hathi::analyzer {

// Types of $1, $2, … With infer, types not known (0 or unknown) are deduced from their first use and $n beyond the list extend it;
// what cannot be deduced is 42P18. Without it, $n beyond the list is 42P02.
struct ParameterTypes {
  std::vector<Oid> types;
  bool infer = false;
  // Bodies of SQL functions: parameters by name, alone or as function_name.name, where no column has that name.
  std::span<const std::string_view> names;
  std::string_view function_name;
};

// Analyses and rewrites one statement. Utility statements give CommandKind::utility with the node; queries inside them (EXPLAIN,
// DECLARE, CREATE TABLE AS, CREATE VIEW, COPY (…), PREPARE) are analysed by analyze_node() when the statement runs.
nodes::Query* analyze(const parser::Statement& statement, std::string_view text, Arena& arena, ParameterTypes& parameters);

// The same for a statement inside another one. rewrite: expand views, fill in defaults; without it the query is as CREATE VIEW and
// SQL function bodies store it: call rewrite() before planning.
nodes::Query* analyze_node(const parser::StatementNode* node, std::string_view text, Arena& arena, ParameterTypes& parameters, bool rewrite = true);

// Expands views and completes INSERT and UPDATE, in place; locks the relations that a stored query names. Errors: 55000 for views that
// cannot be changed, 428C9 for identity and generated columns, 42P17 for views that contain themselves.
void rewrite(nodes::Query* query, Arena& arena);
// Locks all relations of a stored query in the modes of its range table and brings their column names up to date.
void lock_query_relations(nodes::Query* query, Arena& arena);

// Where an expression stands: decides what is allowed in it and how messages name the place.
enum class Clause : std::uint8_t {
  none, other, join_on, join_using, from_subselect, from_function, where, having, filter, window_partition, window_order, window_frame_range,
  window_frame_rows, window_frame_groups, select_target, insert_target, update_source, update_target, merge_when, group_by, order_by, distinct_on,
  limit, offset, returning, values, values_single, check_constraint, domain_check, column_default, function_default, index_expression,
  index_predicate, statistics_expression, alter_column_transform, execute_parameter, trigger_when, policy, partition_bound, partition_expression,
  call_argument, copy_where, generated_column, cycle_mark
};

// The columns an expression outside a query may refer to: one table as range-table entry 1. row_type 0: no whole-row references.
struct ExpressionScope {
  std::string_view name;
  Oid relation = kInvalidOid;
  char relation_kind = 'r';
  const TupleDescriptor* columns = nullptr;
};
ExpressionScope scope_of(const catalog::Relation& relation);

// An expression of a definition (index key, CHECK, partition key, trigger WHEN, USING of ALTER COLUMN TYPE …), collations assigned,
// no columns allowed when scope is null. Subqueries, aggregates, … are refused as the clause demands. parameters may be null: no $n.
nodes::Expr* analyze_expression(const parser::Expr* node, std::string_view text, Arena& arena, const ExpressionScope* scope, Clause clause,
                                ParameterTypes* parameters = nullptr);
// The same, coerced to boolean: where = "CHECK", "WHERE", … in 42804 "argument of %s must be type boolean".
nodes::Expr* analyze_condition(const parser::Expr* node, std::string_view text, Arena& arena, const ExpressionScope* scope, Clause clause,
                               std::string_view where);
// DEFAULT (generated '\0') or GENERATED … STORED ('s') of a column, coerced to its type. scope is needed for generated columns only.
// Errors: 42804 column "a" is of type integer but default expression is of type text; 42P17 generation expression is not immutable.
nodes::Expr* analyze_default(const parser::Expr* node, std::string_view text, Arena& arena, const ExpressionScope* scope, std::string_view column,
                             Oid type, std::int32_t typmod, char generated);
// DEFAULT of a domain or a function parameter: coerced to the type by assignment. Error text as for columns with "column" = name.
nodes::Expr* analyze_value(const parser::Expr* node, std::string_view text, Arena& arena, Clause clause, std::string_view name, Oid type,
                           std::int32_t typmod);
// CHECK of a domain: VALUE is the domain's value of its base type.
nodes::Expr* analyze_domain_check(const parser::Expr* node, std::string_view text, Arena& arena, Oid base_type, std::int32_t base_typmod, Oid collation);
// A value of a partition bound as an expression of the key's type without variables, a constant where the analyzer can evaluate it:
// FOR VALUES IN/FROM/TO. column: the key's name for messages.
nodes::Expr* analyze_partition_value(const parser::Expr* node, std::string_view text, Arena& arena, std::string_view column, Oid type,
                                     std::int32_t typmod, Oid collation);
// Arguments of EXECUTE, coerced to the statement's parameter types. Errors: 42804 parameter $1 of type x cannot be coerced to the expected type y.
List<nodes::Expr*> analyze_execute_arguments(const List<parser::Expr*>& args, std::string_view text, Arena& arena, std::span<const Oid> types,
                                             std::string_view statement_name);
// CALL: the procedure call as a FunctionExpr, defaults filled in; or the values of a SET/utility constant list.
nodes::Expr* analyze_call(const parser::FunctionCall* call, std::string_view text, Arena& arena, ParameterTypes* parameters);

// --- types, coercions and names for ddl/ ---------------------------------------------------------------------------------------
struct ResolvedType { Oid type = kInvalidOid; std::int32_t typmod = -1; };
// Errors: 42704 type "x" does not exist; typmod errors (22023, 42601); with allow_shell a type that is only a shell is accepted.
ResolvedType resolve_type(const parser::TypeName* name, std::string_view text, Arena& arena, bool allow_shell = false);
// {0, -1} when there is no such type.
ResolvedType find_type(const parser::TypeName* name, std::string_view text, Arena& arena);
// As messages show it: "public.t[]", "integer".
std::string type_name_text(const parser::TypeName* name);
// The collation named, else the type's. Errors: 42704 collation "x" for encoding "UTF8" does not exist, 42804 collations are not supported by type x.
Oid resolve_column_collation(const parser::QualifiedName& collation, int location, Oid type);
Oid resolve_collation(const parser::QualifiedName& name, int location = -1);

enum class CoercionContext : std::uint8_t { implicit, assignment, explicit_ };
// Could a value of the one type be had from the other in this context?
bool can_coerce(Oid from, Oid to, CoercionContext context);
// The coerced expression, or null when there is no such coercion. Collations are not assigned anew: call assign_collations() after it.
nodes::Expr* coerce_to_type(nodes::Expr* e, Oid type, std::int32_t typmod, CoercionContext context, nodes::CallForm form, int location, Arena& arena);
void assign_collations(nodes::Expr* e);
// The binary-compatible direction only: may an index or constraint of one type serve the other?
bool is_binary_coercible(Oid from, Oid to);

// A relation by name, locked and opened. Errors: 42P01, 0A000 for other databases. missing_ok: empty instead of 42P01.
catalog::RelationRef open_by_name(const parser::RangeVar* name, locking::LockMode mode, bool missing_ok = false);
Oid find_by_name(const parser::RangeVar* name, bool missing_ok = false);

// Functions, aggregates, procedures by name and argument types as DROP, COMMENT, ALTER … name them. Errors: 42883, 42725, 42809 with
// PostgreSQL's texts. kind: f function, a aggregate, p procedure, r any routine. missing_ok: 0.
Oid find_function_by_signature(const parser::ObjectRef* object, char kind, std::string_view text, Arena& arena, bool missing_ok);
// An operator by name and operand types (0 = none). Error 42883 "operator does not exist: …".
Oid find_operator_by_types(const parser::QualifiedName& name, Oid left, Oid right, bool missing_ok = false, int location = -1);
// An operator class of an index key: the named one checked for the type, or the type's default. Errors 42704, 42804.
Oid resolve_operator_class(const parser::QualifiedName& name, Oid type, std::string_view method_name, Oid method);
// name(arg, …) with types as messages show it.
std::string signature_text(std::string_view name, std::span<const Oid> types);

// The names and types a query returns: CREATE TABLE AS, CREATE VIEW. Untyped literals have become text.
struct OutputColumn { std::string_view name; Oid type; std::int32_t typmod; Oid collation; };
std::vector<OutputColumn> output_columns(const nodes::Query* query);
// What an expression is immutable in: the most volatile function in it, 'i', 's' or 'v'.
char volatility_of(const nodes::Expr* e);
bool contains_variables(const nodes::Expr* e);
// Is the view such that INSERT, UPDATE, DELETE pass through to its table? Empty, or the DETAIL that says why not (also for
// WITH CHECK OPTION in CREATE VIEW).
std::string why_not_updatable(const nodes::Query* view_query, bool check_columns);

}  // namespace hathi::analyzer
