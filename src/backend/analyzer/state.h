#pragma once
// What analysis keeps while it works: one Root a statement, one ParseState a query level, one NamespaceItem an entry of FROM.

#include <string>
#include <string_view>
#include <vector>

#include "hathi/analyzer/analyze.h"
#include "hathi/base/builtin_oids.h"
#include "hathi/base/stack.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/relation.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/query.h"
#include "hathi/nodes/visit.h"
#include "hathi/parser/ast.h"
#include "hathi/parser/ast_ddl.h"
#include "hathi/parser/ast_expression.h"
#include "hathi/parser/ast_statement.h"

namespace hathi::analyzer {

namespace ast = hathi::parser;
using namespace hathi::nodes;   // NOLINT: the vocabulary of this folder
using catalog::FunctionInfo;
using catalog::OperatorInfo;
using catalog::TypeInfo;
using catalog::type_info;

struct ParseState;

// One statement's analysis.
struct Root {
  Arena& arena;
  std::string_view text;
  ParameterTypes* parameters = nullptr;
  std::vector<catalog::RelationRef> relations;   // keeps the descriptors that namespace items point to
  std::vector<Parameter*> unknown_parameters;    // nodes made while their type was not known yet
  std::vector<const FunctionInfo*> function_scratch;
  std::vector<const OperatorInfo*> operator_scratch;
  std::vector<std::pair<const ast::Node*, Query*>> sub_queries;   // scalar subqueries: their column's name may name the output
  ParseState* state = nullptr;                   // the innermost level being analysed
};

// How a column of a FROM entry is referred to: usually itself; of a join, mostly the column of the table below.
struct NamespaceColumn {
  std::string_view name;         // "" = dropped
  Oid type = kInvalidOid;
  std::int32_t typmod = -1;
  Oid collation = kInvalidOid;
  int rte = 0;
  AttrNumber column = 0;
  int source_rte = 0;            // as it is to be printed: a join's alias hides what is below
  AttrNumber source_column = 0;
};

struct NamespaceItem {
  std::string_view name;         // by which it is referred to
  RangeTableEntry* rte = nullptr;
  int index = 0;                 // range-table number
  NamespaceColumn* columns = nullptr;
  int count = 0;
  const catalog::Relation* relation = nullptr;   // of relation entries
  bool relation_visible = true, columns_visible = true, lateral_only = false, lateral_ok = true;
};

struct ParseState {
  ParseState(Root& r, ParseState* p) : root(r), arena(r.arena), parent(p), outer_state_(r.state) { r.state = this; }
  ~ParseState() { root.state = outer_state_; }
  ParseState(const ParseState&) = delete;
  ParseState& operator=(const ParseState&) = delete;
  Root& root;
  Arena& arena;
  ParseState* parent;
  List<RangeTableEntry*> range_table;
  List<NamespaceItem*> items;            // [rte - 1], null for entries without columns of their own
  List<JoinNode*> join_list;
  List<NamespaceItem*> name_space;       // what names are looked up in
  bool lateral_active = false;
  List<CommonTableExpr*> ctes;
  List<const ast::CommonTableExpr*> future_ctes;
  CommonTableExpr* parent_cte = nullptr;
  NamespaceItem* target = nullptr;       // INSERT, UPDATE, DELETE
  bool is_insert = false;
  List<const ast::WindowDef*> windows;
  Clause clause = Clause::none;
  List<const ast::LockingClause*> locking;
  bool locked_from_parent = false;
  bool resolve_unknowns = true;
  bool has_aggregates = false, has_windows = false, has_target_srfs = false, has_sub_links = false, has_modifying_cte = false;
  Expr* last_srf = nullptr;
  List<TargetEntry*> multi_assign;       // junk entries with the sources of UPDATE … SET (a, b) = …
  int next_target = 1;
  // Expressions outside queries.
  Expr* domain_value = nullptr;          // what VALUE stands for

 private:
  ParseState* outer_state_;
};

// Changes a member for a scope.
template <class T>
class Restore {
 public:
  Restore(T& place, T value) : place_(place), old_(place) { place = value; }
  ~Restore() { place_ = old_; }
  Restore(const Restore&) = delete;
  Restore& operator=(const Restore&) = delete;

 private:
  T& place_;
  T old_;
};

// --- locations (location.cpp): the leftmost byte an error about the node points to ---
int location_of(const ast::Node* node);
int location_of(const Expr* e);
int location_of(const List<Expr*>& list);
// Gives an SqlError without position this one and rethrows: call in a catch block.
[[noreturn]] void rethrow_at(SqlError& error, int location);

// --- names of places (clause.cpp) ---
std::string_view clause_name(Clause clause);               // "WHERE", "GROUP BY", …
void check_aggregate_allowed(Clause clause, bool grouping, int location);
void check_window_allowed(Clause clause, int location);
void check_srf_allowed(ParseState& ps, Expr* last_srf, int location);
void check_sub_link_allowed(Clause clause, int location);
void check_column_reference_allowed(Clause clause, int location);

// --- expressions (expression.cpp and others) ---
Expr* transform(ParseState& ps, const ast::Node* node, Clause clause);
Expr* transform_inner(ParseState& ps, const ast::Node* node);   // in the current clause
List<Expr*> transform_list(ParseState& ps, const List<ast::Expr*>& list, Clause clause, bool allow_default);
Expr* transform_where(ParseState& ps, const ast::Node* node, Clause clause, std::string_view name);
Expr* transform_column_ref(ParseState& ps, const ast::ColumnRef* ref);
Expr* transform_indirection(ParseState& ps, const ast::Indirection* node);
Expr* transform_sub_link(ParseState& ps, const ast::SubqueryExpr* node);
Expr* transform_case(ParseState& ps, const ast::CaseExpr* node);
Expr* transform_array(ParseState& ps, const ast::ArrayExpr* node, Oid array_type, Oid element_type, std::int32_t typmod);
Expr* transform_function_call(ParseState& ps, const ast::FunctionCall* call);
Expr* transform_grouping(ParseState& ps, const ast::GroupingFunc* node);
Expr* transform_constant(ParseState& ps, const ast::Constant* constant);
Expr* transform_row_operator(ParseState& ps, std::string_view op, const ast::QualifiedName& qualifier, const List<Expr*>& left, const List<Expr*>& right,
                             int location);
Expr* transform_whole_row(ParseState& ps, NamespaceItem* item, int levels_up, int location);
Expr* make_constant(Arena& arena, Oid type, std::int32_t typmod, Oid collation, TypeLayout layout, Datum value, bool is_null, int location = -1);
// The value of an expression without variables whose functions are built in; null when it is not so simple.
Constant* evaluate_constant(const Expr* e, Arena& arena);
Expr* make_null(Arena& arena, Oid type, std::int32_t typmod, Oid collation);
Expr* make_bool(Arena& arena, bool value, int location = -1);
Expr* make_boolean(Arena& arena, BooleanExpr::Op op, const List<Expr*>& args, int location = -1);
Expr* transform_subscripts(ParseState& ps, Expr* container, const ast::IndirectionStep* steps, int count, int location);
// Of a container (array) type: the type to work on (domains resolved) and the element type. Error 42804 cannot subscript type x.
void resolve_container(ParseState& ps, Oid& type, std::int32_t& typmod, Oid& element, int location);
void transform_subscript_bounds(ParseState& ps, Subscript* node, const ast::IndirectionStep* steps, int count);

// --- names (name_lookup.cpp, range_table.cpp) ---
NamespaceItem* find_item_for_name(ParseState& ps, std::string_view schema, std::string_view name, int location, int* levels_up);
Expr* make_column_variable(ParseState& ps, NamespaceItem* item, int column_index, int levels_up, int location);
// The column of that name, system columns included; null if there is none.
Expr* find_column(ParseState& ps, NamespaceItem* item, std::string_view name, int levels_up, int location);
Expr* find_unqualified_column(ParseState& ps, std::string_view name, bool local_only, int location);
void mark_selected(ParseState& ps, int rte, AttrNumber column, int levels_up);
[[noreturn]] void throw_missing_column(ParseState& ps, std::string_view relation, std::string_view name, int location);
[[noreturn]] void throw_missing_entry(ParseState& ps, std::string_view schema, std::string_view name, int location);
AttrNumber system_column_number(std::string_view name);   // 0 = none
struct SystemColumn { std::string_view name; Oid type; };
const SystemColumn* system_column(AttrNumber number);
NamespaceItem* item_of(ParseState& ps, int rte, int levels_up);
// Columns of an entry for *, qualified by item; marks them selected.
void expand_item(ParseState& ps, NamespaceItem* item, int levels_up, int location, bool mark, List<Expr*>& out, List<std::string_view>* names);

NamespaceItem* add_relation_entry(ParseState& ps, catalog::RelationRef relation, const ast::Alias& alias, bool inherit, locking::LockMode lock, int location,
                                  bool in_from = true, std::string_view implicit_alias = {});
NamespaceItem* add_subquery_entry(ParseState& ps, Query* query, const ast::Alias& alias, bool lateral, bool in_from, int location);
NamespaceItem* add_values_entry(ParseState& ps, const List<List<Expr*>>& values, const List<Oid>& types, const List<std::int32_t>& typmods,
                                const List<Oid>& collations, const ast::Alias& alias, bool lateral, bool in_from);
NamespaceItem* add_cte_entry(ParseState& ps, CommonTableExpr* cte, int levels_up, const ast::RangeVar* name);
NamespaceItem* add_function_entry(ParseState& ps, const ast::RangeFunction* node, const List<FunctionRte*>& functions,
                                  const List<std::string_view>& function_names, bool lateral);
NamespaceItem* add_item(ParseState& ps, RangeTableEntry* rte, const catalog::Relation* relation);
void add_to_namespace(ParseState& ps, NamespaceItem* item, bool to_join_list, bool relation_visible, bool columns_visible);
void check_namespace_conflicts(ParseState& ps, const List<NamespaceItem*>& left, const List<NamespaceItem*>& right);
void apply_alias(ParseState& ps, RangeTableEntry* rte, const ast::Alias& alias, std::string_view kind);
CommonTableExpr* find_cte(ParseState& ps, std::string_view name, int* levels_up);
bool is_future_cte(ParseState& ps, std::string_view name);
bool is_locked_name(ParseState& ps, std::string_view name);
catalog::RelationRef open_for_query(ParseState& ps, const ast::RangeVar* name, locking::LockMode mode);

// --- FROM (from_clause.cpp) ---
void transform_from(ParseState& ps, const List<ast::FromItem*>& from);
void set_target_table(ParseState& ps, const ast::RangeVar* relation, bool inherit, bool also_source, std::uint32_t required);

// --- targets (targets.cpp) ---
List<TargetEntry*> transform_targets(ParseState& ps, const List<ast::Target*>& targets, Clause clause);
TargetEntry* transform_target(ParseState& ps, const ast::Node* node, Expr* done, Clause clause, std::string_view name, bool junk);
void resolve_unknown_targets(ParseState& ps, List<TargetEntry*>& targets);
void mark_target_origins(ParseState& ps, List<TargetEntry*>& targets);
std::string_view figure_name(const ast::Node* node, Root* root = nullptr);   // "?column?" when there is nothing better
TargetEntry* make_target(Arena& arena, Expr* e, AttrNumber number, std::string_view name, bool junk);
// A value for a column (or part of one) of the target table, coerced by assignment. columns of ps.target.
Expr* assign_to_column(ParseState& ps, Expr* value, Clause clause, std::string_view column, AttrNumber number, const List<ast::IndirectionStep>& steps,
                       int location);
struct InsertColumn { AttrNumber number; const ast::Target* target; };
List<InsertColumn> insert_columns(ParseState& ps, const List<ast::Target*>& columns);
AttrNumber target_column_number(ParseState& ps, std::string_view name);   // 0 = none
const TupleDescriptor* row_descriptor_of(ParseState& ps, Expr* e);        // of a composite-valued expression; null when not known
const TupleDescriptor* row_descriptor_of_type(Root& root, Oid type);      // named composite types and domains over them

// --- clauses (clauses.cpp, grouping.cpp, windows.cpp) ---
List<SortClause*> transform_order_by(ParseState& ps, const List<ast::SortBy*>& list, List<TargetEntry*>& targets, Clause clause, bool sql99);
List<SortClause*> transform_distinct(ParseState& ps, List<TargetEntry*>& targets, const List<SortClause*>& order_by, bool is_aggregate);
List<SortClause*> transform_distinct_on(ParseState& ps, const List<ast::Expr*>& on, List<TargetEntry*>& targets, const List<SortClause*>& order_by);
void transform_group_by(ParseState& ps, Query* query, const ast::SelectStatement* select);
Expr* transform_limit(ParseState& ps, const ast::Node* node, Clause clause, std::string_view name, bool with_ties);
void transform_windows(ParseState& ps, Query* query, const List<const ast::WindowDef*>& windows);
List<SortClause*> add_to_sort_list(ParseState& ps, TargetEntry* target, List<SortClause*> list, List<TargetEntry*>& targets, const ast::SortBy* sort);
SortClause* group_clause_for(ParseState& ps, TargetEntry* target, List<TargetEntry*>& targets, bool must_sort, int location);
int assign_sort_ref(TargetEntry* target, const List<TargetEntry*>& targets);
TargetEntry* target_by_ref(int ref, const List<TargetEntry*>& targets);
bool target_in_sort_list(const TargetEntry* target, Oid sort_operator, const List<SortClause*>& list);
TargetEntry* find_target_sql99(ParseState& ps, const ast::Node* node, List<TargetEntry*>& targets, Clause clause);
void check_aggregates(ParseState& ps, Query* query);
TargetEntry* find_group_target(ParseState& ps, const ast::Node* node, List<TargetEntry*>& targets, Clause clause, bool sql99);
List<SortClause*> transform_partition_by(ParseState& ps, const List<ast::Expr*>& list, List<TargetEntry*>& targets, const List<SortClause*>& order_by);
void check_variable_free(ParseState& ps, Expr* e, std::string_view construct);   // 42P10

// --- functions, aggregates (functions.cpp, aggregates.cpp) ---
enum class FunctionMatch : std::uint8_t { not_found, multiple, normal, procedure, aggregate, window, coercion };
struct FunctionChoice {
  FunctionMatch match = FunctionMatch::not_found;
  const FunctionInfo* function = nullptr;
  Oid result = kInvalidOid;              // declared; for coercions the target type
  std::vector<Oid> declared;             // argument types in call order, variadic ones expanded, defaults included
  int variadic_count = 0;                // arguments that go into the VARIADIC array
  Oid variadic_type = kInvalidOid;
  List<Expr*> defaults;                  // appended to the arguments
  std::vector<int> argument_order;       // named notation: position in the call of each parameter, -1 = default
};
FunctionChoice choose_function(Root& root, const ast::QualifiedName& name, const List<Expr*>* args, std::span<const Oid> types,
                               std::span<const std::string_view> arg_names, bool expand_variadic, bool expand_defaults, bool include_out = false);
// A call, or with call == nullptr a column reference name applied to a composite value (null when it is none).
Expr* parse_function(ParseState& ps, const ast::QualifiedName& name, List<Expr*> args, std::vector<std::string_view> arg_names, Expr* last_srf,
                     const ast::FunctionCall* call, bool procedure, int location);
Expr* parse_projection(ParseState& ps, std::string_view column, Expr* row, int location);
std::string function_signature(const ast::QualifiedName& name, std::span<const Oid> types, std::span<const std::string_view> arg_names);
std::string name_text(const ast::QualifiedName& name);
void split_name(const ast::QualifiedName& name, std::string_view& schema, std::string_view& object);
Oid lookup_schema(std::string_view name, bool missing_ok = false);   // with USAGE; 3F000
// Reduces candidates by PostgreSQL's heuristics; types[i] = argument types of candidate i. -1: none or ambiguous.
int select_candidate(std::span<const Oid> input, std::span<const std::span<const Oid>> candidates);
void transform_aggregate(ParseState& ps, Aggregate* aggregate, List<Expr*> args, const List<ast::SortBy*>& order_by, bool distinct);
void transform_window_function(ParseState& ps, WindowFunction* function, const ast::WindowDef* window);
int contain_aggregates_of_level(const Expr* e, int level);    // location + 1 of one, 0 = none
bool contains_window_functions(const Expr* e, int* location);
bool contains_aggregates(const Expr* e);
bool contains_set_function(const Expr* e, int* location = nullptr);
bool contains_variables_of_level(const Expr* e, int level, int* location = nullptr);
// Calls f(e, depth) for e and everything below it, subqueries included: depth counts the queries entered. f returns true to stop.
using DeepVisitor = bool (*)(Expr* e, int depth, void* context);
bool walk_deep(Expr* e, int depth, DeepVisitor f, void* context);
bool walk_deep(Query* q, int depth, DeepVisitor f, void* context);
// Adds delta to the levels of everything that refers to a query at least min_level out.
void increment_levels(Expr* e, int delta, int min_level = 0);
void increment_levels(Query* q, int delta, int min_level = 0);

// --- operators (operators.cpp) ---
const OperatorInfo* choose_operator(Root& root, std::string_view name, const ast::QualifiedName& qualifier, Oid left, Oid right, bool missing_ok,
                                    int location);
Expr* make_op(ParseState& ps, std::string_view name, const ast::QualifiedName& qualifier, Expr* left, Expr* right, Expr* last_srf, int location);
Expr* make_array_op(ParseState& ps, std::string_view name, const ast::QualifiedName& qualifier, bool use_or, Expr* left, Expr* right, int location);
struct SortOperators { Oid less, equal, greater; bool hashable; };
SortOperators sort_operators(Oid type, bool need_less, bool need_equal, bool need_greater);   // 42883 could not identify …
const OperatorInfo* compatible_operator(Root& root, std::string_view name, Oid left, Oid right, int location);

// --- coercions (coerce.cpp, polymorphic.cpp) ---
enum class Pathway : std::uint8_t { none, function, relabel, array, io };
Pathway find_pathway(Oid target, Oid source, CoercionContext context, Oid* function);
bool can_coerce_list(std::span<const Oid> input, std::span<const Oid> target, CoercionContext context);
Expr* coerce_type(Root& root, Expr* e, Oid input, Oid target, std::int32_t typmod, CoercionContext context, CallForm form, int location);
Expr* coerce_to_target(Root& root, Expr* e, Oid input, Oid target, std::int32_t typmod, CoercionContext context, CallForm form, int location);
Expr* coerce_to_domain(Root& root, Expr* e, Oid base, std::int32_t base_typmod, Oid domain, CoercionContext context, CallForm form, int location,
                       bool hide_input);
Expr* coerce_typmod(Root& root, Expr* e, Oid target, std::int32_t typmod, CoercionContext context, CallForm form, int location, bool hide_input);
Expr* coerce_to_boolean(ParseState& ps, Expr* e, std::string_view construct);
Expr* coerce_to_specific(ParseState& ps, Expr* e, Oid type, std::string_view construct);
Expr* coerce_to_common(ParseState& ps, Expr* e, Oid type, std::string_view context);
// construct empty: kInvalidOid instead of 42804. which: the expression that decided.
Oid select_common_type(const List<Expr*>& list, std::string_view construct, Expr** which = nullptr);
Oid select_common_type_of(std::span<const Oid> types);
bool verify_common_type(Oid type, const List<Expr*>& list);
std::int32_t select_common_typmod(const List<Expr*>& list, Oid type);
bool is_polymorphic(Oid type);
bool check_generic_types(std::span<const Oid> actual, std::span<const Oid> declared);
// Makes the declared types concrete; returns the concrete result type. Errors 42804.
Oid enforce_generic_types(std::span<const Oid> actual, std::span<Oid> declared, Oid result, bool allow_poly);
void coerce_arguments(Root& root, List<Expr*>& args, std::span<const Oid> actual, std::span<const Oid> declared);
Oid row_relation_of(Oid type);            // the composite's pg_class entry; domains resolved; 0 = not composite
inline bool is_complex(Oid type) { return is_valid(row_relation_of(type)); }
inline bool is_row_type(Oid type) { return type == type_oid::record || is_complex(type); }
Expr* relabel_to(Arena& arena, Expr* e, Oid type, std::int32_t typmod, CallForm form, int location);
// The type below a domain; then typmod becomes the domain's, else it stays.
inline Oid base_and_typmod(Oid type, std::int32_t* typmod) {
  if (type_info(type).kind != 'd') return type;
  *typmod = -1;
  return catalog::base_type(type, typmod);
}
inline char category_of(Oid type) { const TypeInfo* info = catalog::find_type(type); return info == nullptr ? 'U' : info->category; }
Oid element_type_of(Oid type);            // 0 unless a true array (domains over arrays excluded)
Oid base_element_type_of(Oid type);       // looks through domains
Oid array_type_of(Oid element);           // 0 = none
Oid input_literal_type(Oid type);

// --- collations (collation.cpp) ---
void assign_collations(ParseState& ps, Expr* e);
void assign_list_collations(ParseState& ps, const List<Expr*>& list);
void assign_query_collations(ParseState& ps, Query* query);
Oid common_collation(ParseState& ps, const List<Expr*>& list, bool none_ok);
Oid type_collation(Oid type);

// --- types (type_name.cpp) ---
ResolvedType resolve_type_name(Root& root, const ast::TypeName* name, bool missing_ok, bool allow_shell = false);

// --- parameters (parameters.cpp) ---
Expr* transform_parameter(ParseState& ps, const ast::ParamRef* ref);
// An unknown $n takes the type; null when it is not one whose type may be deduced.
Expr* coerce_parameter(Root& root, Parameter* parameter, Oid type, std::int32_t typmod, int location);
void check_parameters(Root& root);

// --- queries (select.cpp, set_operations.cpp, cte.cpp, insert.cpp, update.cpp, locking_clause.cpp) ---
Query* transform_statement(ParseState& ps, const ast::Node* node);
Query* transform_sub_statement(ParseState& ps, const ast::Node* node, CommonTableExpr* parent_cte, bool locked_from_parent, bool resolve_unknowns);
Query* transform_select(ParseState& ps, const ast::SelectStatement* select);
Query* transform_values(ParseState& ps, const ast::SelectStatement* select);
Query* transform_set_operation(ParseState& ps, const ast::SelectStatement* select);
Query* transform_insert(ParseState& ps, const ast::InsertStatement* insert);
Query* transform_update(ParseState& ps, const ast::UpdateStatement* update);
Query* transform_delete(ParseState& ps, const ast::DeleteStatement* remove);
List<TargetEntry*> transform_update_targets(ParseState& ps, const List<ast::SetClause*>& set);
List<TargetEntry*> transform_returning(ParseState& ps, const List<ast::Target*>& returning);
void transform_with(ParseState& ps, Query* query, const ast::WithClause* with);
void analyze_cte_columns(ParseState& ps, CommonTableExpr* cte, const List<TargetEntry*>& targets);
void transform_locking(ParseState& ps, Query* query, const ast::LockingClause* clause, bool pushed_down);
void check_select_locking(const Query* query, ast::LockStrength strength);
std::string_view locking_name(ast::LockStrength strength);
void finish_query(ParseState& ps, Query* query, Expr* where);

}  // namespace hathi::analyzer
