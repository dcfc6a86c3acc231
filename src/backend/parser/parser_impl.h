#pragma once
// The recursive-descent parser. One method a grammar rule; a method is entered with the current token at its first token and leaves
// with the current token behind its last one. The error token is always the first one that cannot continue, as an LALR parser finds it,
// so no method consumes a token it cannot use, and none backtracks.

#include <exception>
#include <optional>

#include "hathi/base/stack.h"
#include "hathi/parser/ast_ddl.h"
#include "hathi/parser/parser.h"
#include "lexer.h"

namespace hathi::parser {

// Binding strength of operators, weakest first.
namespace precedence {
inline constexpr int lowest = 0, or_ = 1, and_ = 2, not_ = 3, is = 4, comparison = 5, between = 6, escape = 7, op = 9, additive = 10,
                     multiplicative = 11, power = 12, at = 13, collate = 14, unary_minus = 15, type_cast = 18;
}

// a: any expression. b: without AND, OR, NOT, IS NULL, LIKE, IN, BETWEEN, COLLATE, AT TIME ZONE (where those words follow the expression).
enum class ExprMode : std::uint8_t { a, b };

class Parser {
 public:
  Parser(std::string_view text, Arena& arena, const ParseOptions& options) : arena_(arena), lexer_(text, arena, options) { lex(current_); }

  List<Statement> parse_statements();
  TypeName* parse_whole_type();
  Expr* parse_whole_expression();

 private:
  // ---- tokens (parser_core.cpp) ----
  Tok tok() const { return current_.kind; }
  int loc() const { return current_.start; }
  bool at(Tok t) const { return current_.kind == t; }
  bool at(char c) const { return current_.kind == token_of(c); }
  bool at_flag(std::uint8_t flag) const { return has_flag(current_.kind, flag); }
  template <class... T>
  bool at_any(T... t) const {
    return ((current_.kind == t) || ...);
  }
  void advance() {
    if (ahead_count_ == 0) {
      lexer_.next(current_);
    } else {
      advance_buffered();
    }
  }
  void advance_buffered();
  void lex(Token& token) { lexer_.next(token); }
  bool accept(Tok t) {
    if (current_.kind != t) return false;
    advance();
    return true;
  }
  bool accept(char c) { return accept(token_of(c)); }
  void expect(Tok t) {
    if (current_.kind != t) syntax_error();
    advance();
  }
  void expect(char c) { expect(token_of(c)); }
  // Consumes several tokens that must follow in this order.
  template <class... T>
  void expect_all(T... t) {
    (expect(t), ...);
  }
  // The n-th token behind the current one (1 = the next).
  const Token& peek(int n = 1);
  Tok peek_kind(int n = 1) { return peek(n).kind; }
  bool next_is(Tok t) { return peek_kind() == t; }
  bool next_is(char c) { return peek_kind() == token_of(c); }
  [[noreturn, gnu::noinline]] void syntax_error() const;
  // "message at or near "current token"".
  [[noreturn]] void fail_near(std::string_view message) const;
  [[noreturn]] void fail_near(std::string_view message, const Token& token) const;

  // Around each level of nesting. Fewer than PostgreSQL's own parser takes, whatever the stack: an error leaves the parser unusable, so
  // only returns leave().
  void enter() {
    check_stack_depth();
    if (++nesting_ >= kMaxNesting) nested_too_deeply();
  }
  void leave() { --nesting_; }
  [[noreturn, gnu::noinline]] void nested_too_deeply() const;

  // Before an error about what stands before the current token, where an LALR parser would have had to see that token first.
  void need_token() const {
    if (at(Tok::lexical_error)) syntax_error();
  }
  // A WITH that means nothing.
  bool optional_with() { return accept(Tok::kw_with) || accept(Tok::with_la); }

  template <class T>
  T* make(int location) {
    return make_node<T>(arena_, location);
  }
  template <class T>
  T* make() {
    return make_node<T>(arena_, loc());
  }
  template <class T>
  void push(List<T>& list, const T& value) {
    list.push_back(arena_, value);
  }
  // item {, item}
  template <class T, class F>
  List<T> comma_list(F item) {
    List<T> list;
    do push(list, item());
    while (accept(','));
    return list;
  }

  // ---- names, types, options (parse_name.cpp, parse_type.cpp) ----
  Name take_text() {
    Name n = current_.text;
    advance();
    return n;
  }
  Name col_id() { return at_flag(kMayBeColumn) ? take_text() : (syntax_error(), Name()); }
  Name col_label() { return at_flag(kMayBeLabel) ? take_text() : (syntax_error(), Name()); }
  Name function_id() { return at_flag(kMayBeFunction) ? take_text() : (syntax_error(), Name()); }
  Name non_reserved_word() { return at_flag(kMayBeWord) ? take_text() : (syntax_error(), Name()); }
  Name non_reserved_word_or_string() { return at(Tok::string) ? take_text() : non_reserved_word(); }
  std::string_view string_constant() { return at(Tok::string) ? take_text() : (syntax_error(), Name()); }
  std::int32_t integer_constant();
  std::int32_t signed_integer();
  List<Name> name_list() {
    return comma_list<Name>([&] { return col_id(); });
  }
  List<Name> parenthesized_names();
  List<Name> optional_column_list() { return at('(') ? parenthesized_names() : List<Name>(); }
  QualifiedName any_name();
  void append_attributes(QualifiedName& name);
  QualifiedName function_name();
  List<QualifiedName> any_name_list() {
    return comma_list<QualifiedName>([&] { return any_name(); });
  }
  RangeVar* qualified_name();
  List<RangeVar*> qualified_name_list() {
    return comma_list<RangeVar*>([&] { return qualified_name(); });
  }
  RangeVar* range_var_of(const QualifiedName& names, int location);
  RangeVar* relation_expr();
  RangeVar* range_var_of_any_name() {
    int l = loc();
    return range_var_of(any_name(), l);
  }
  void check_names_only(const List<IndirectionStep>& steps);
  List<IndirectionStep> indirection(bool allow_subscripts_only_names);
  IndirectionStep indirection_step();
  void throw_improper_name(const QualifiedName& names, int location);
  QualifiedName collation_clause_name() { return any_name(); }
  RoleSpec* role_spec();
  List<RoleSpec*> role_list() {
    return comma_list<RoleSpec*>([&] { return role_spec(); });
  }
  Name role_id();
  void check_role_id(const RoleSpec* role);
  Name setting_name();
  std::string_view joined(const QualifiedName& names);

  TypeName* type_name();
  TypeName* simple_type_name();
  TypeName* function_type();
  void array_bounds(TypeName* type);
  TypeName* system_type(std::string_view name, int location);
  TypeName* builtin_type();  // null when the current token begins none
  bool begins_builtin_type();
  TypeName* generic_type();
  TypeName* numeric_type();
  TypeName* bit_type();
  TypeName* character_type();
  TypeName* datetime_type();
  TypeName* interval_type();
  void interval_fields(TypeName* type);
  void push_integer_typmod(TypeName* type, int value, int location);
  List<Expr*> type_modifiers();
  bool time_zone_suffix();
  List<TypeName*> type_list() {
    return comma_list<TypeName*>([&] { return type_name(); });
  }

  Node* definition_value();
  OptionList definition(bool values_required = false);  // ( name [= value], … )
  OptionList optional_with_definition();                // [WITH definition]
  OptionList rel_options();                             // ( [ns.]name [= value], … )
  OptionList optional_rel_options();                    // [WITH reloptions]
  Option* rel_option();
  Option* definition_element(bool value_required);
  OptionList generic_options();  // OPTIONS ( name 'value', … )
  OptionList optional_generic_options() { return at(Tok::kw_options) ? generic_options() : OptionList(); }
  OptionList alter_generic_options();
  OptionList utility_options();  // ( name [value], … ) of EXPLAIN, VACUUM, …
  Option* make_option(Name name, Node* value, int location);
  Constant* make_integer(std::int32_t value, int location);
  Constant* make_boolean(bool value, int location);
  Constant* make_string(std::string_view value, int location);
  Constant* make_null(int location);
  Constant* numeric_only();
  Node* boolean_or_string_or_number();
  DropBehavior drop_behavior();
  // [IF EXISTS], [IF NOT EXISTS]. Where a name may follow, IF may be that name; where none may, pass false.
  bool if_exists(bool name_may_follow = true);
  bool if_not_exists(bool name_may_follow = true);
  bool as_true_false_on_off(bool& value);

  // ---- expressions (parse_expression.cpp, parse_primary.cpp, parse_function.cpp, parse_special.cpp) ----
  Expr* expression() { return expression(precedence::lowest, ExprMode::a, false); }
  Expr* b_expression() { return expression(precedence::lowest, ExprMode::b, false); }
  Expr* expression(int min_precedence, ExprMode mode, bool label_may_follow);
  Expr* continue_expression(Expr* left, int min_precedence, ExprMode mode, bool label_may_follow);
  Expr* prefix(ExprMode mode);
  Expr* negate(Expr* arg, int location);
  Expr* binary(Expr* left, int prec, ExprMode mode, int& nonassoc);
  Expr* binary_is(Expr* left, ExprMode mode, int& nonassoc);
  Expr* binary_like(Expr* left, bool negated, int location, int& nonassoc);
  Expr* binary_between(Expr* left, bool negated, int location);
  Expr* binary_in(Expr* left, bool negated, int location);
  Expr* binary_bool(Expr* left, BoolOp op, int prec, ExprMode mode);
  Expr* quantified(Expr* left, Name op, const QualifiedName& qualifier, int location);
  Expr* normalized_test(Expr* left, bool negated, int location);
  // Kept out of line: they would widen the stack frames of the recursion through expressions.
  [[gnu::noinline]] Expr* overlaps(RowExpr* left);
  [[noreturn, gnu::noinline]] void reject_unique_predicate();
  bool is_label_here();
  bool ends_target_label(Tok t) const;
  void operator_name(Name& op, QualifiedName& qualifier);  // OPERATOR(…) or a plain operator
  void any_operator(Name& op, QualifiedName& qualifier);   // [schema.]op
  bool at_any_operator_token() const;
  List<Expr*> expression_list() {
    return comma_list<Expr*>([&] { return expression(); });
  }

  Expr* primary();  // c_expr
  Expr* primary_keyword();
  Expr* primary_name();
  Expr* parenthesized_primary(bool& plain_row);
  SelectStatement* select_or_expression_in_parens(Expr*& first, int& parens_location);
  Expr* finish_parens(Expr* first, int location, bool& plain_row);
  Expr* with_indirection(Expr* arg);
  Expr* subquery(SelectStatement* query, SubqueryKind kind, int location);
  Expr* case_expression();
  Expr* array_constructor();
  ArrayExpr* array_elements(int location);
  Expr* row_constructor();
  bool row_constructor_follows() { return at(Tok::kw_row) && next_is('('); }
  Expr* column_reference(Name first, int location);
  Expr* constant_token();
  Expr* typed_literal(TypeName* type, int location);
  Expr* interval_literal(int location);
  Expr* value_function(ValueFunctionKind kind, bool with_precision);
  bool value_function_kind(ValueFunctionKind& kind, bool& with_precision);

  Expr* function_expression(const QualifiedName& name, int location);  // with FILTER, OVER; may turn out a typed literal
  FunctionCall* function_application(const QualifiedName& name, int location);
  void function_arguments(FunctionCall* call);
  Expr* function_argument();
  List<Expr*> function_argument_list() {
    return comma_list<Expr*>([&] { return function_argument(); });
  }
  Expr* literal_of_call(FunctionCall* call, int location);
  void within_group(FunctionCall* call);
  void filter_and_over(FunctionCall* call);
  Expr* function_without_window();  // func_expr_windowless
  bool begins_function_without_window();
  WindowDef* window_specification();
  void frame_clause(WindowDef* window);
  struct Bound {
    FrameBound kind;
    Expr* offset;
    int location;
  };
  Bound frame_bound();
  void check_frame(const Bound& start, const Bound& end);

  // Special calls: null when the current token begins none.
  Expr* special_function();
  FunctionCall* system_call(std::string_view name, int location);
  Expr* extract_function();
  Expr* overlay_function();
  Expr* position_function();
  Expr* substring_function();
  Expr* treat_function();
  Expr* trim_function();
  Expr* normalize_function();
  Expr* cast_function();
  Expr* collation_for();
  Expr* coalesce_like(Tok word);
  Expr* plain_special_call(std::string_view name, int location);
  Expr* xml_function();
  Expr* xml_element(int location);
  Expr* xml_root(int location);
  Expr* xml_exists(int location);
  Expr* xml_passing_argument();
  Expr* xml_serialize(int location);
  Target* xml_attribute();
  List<Target*> xml_attribute_list() {
    return comma_list<Target*>([&] { return xml_attribute(); });
  }
  bool document_or_content();

  // ---- queries (parse_select.cpp, parse_from.cpp, parse_dml.cpp) ----
  bool begins_select();                      // SELECT, WITH, TABLE, VALUES (: not a parenthesis
  SelectStatement* select_statement();       // with or without parentheses around
  SelectStatement* select_without_parens();  // may begin with a parenthesis that belongs to a longer query
  SelectStatement* select_in_parens();
  SelectStatement* select_operand();
  SelectStatement* set_operations(SelectStatement* left, int min_precedence);
  SelectStatement* select_tail(SelectStatement* query, WithClause* with, int with_location);
  SelectStatement* simple_select();
  SelectStatement* values_clause();
  bool continues_select() const;
  void distinct_clause(SelectStatement* query);
  bool target_list_is_empty() const;
  List<Target*> target_list() {
    return comma_list<Target*>([&] { return target(); });
  }
  Target* target();
  IntoClause* into_clause();
  RangeVar* temporary_name();
  void group_clause(SelectStatement* query);
  Expr* group_item();
  void window_clause(SelectStatement* query);
  List<SortBy*> sort_list() {
    return comma_list<SortBy*>([&] { return sort_by(); });
  }
  SortBy* sort_by();
  struct Limits {
    Expr* limit = nullptr;
    Expr* offset = nullptr;
    bool with_ties = false;
    bool any = false;
    int limit_location = -1;
    int offset_location = -1;
  };
  bool at_limit() const { return at_any(Tok::kw_limit, Tok::kw_offset, Tok::kw_fetch); }
  Limits limit_clauses();
  void limit_clause(Limits& limits);
  void offset_clause(Limits& limits);
  Expr* fetch_value();
  List<LockingClause*> locking_clauses(bool& for_read_only);
  LockingClause* locking_clause();
  WithClause* with_clause();
  WithClause* optional_with_clause() { return at_any(Tok::kw_with, Tok::with_la) ? with_clause() : nullptr; }
  CommonTableExpr* common_table_expr();
  void cte_search(CommonTableExpr* cte);
  void cte_cycle(CommonTableExpr* cte);
  Node* cycle_value();

  List<FromItem*> from_list() {
    return comma_list<FromItem*>([&] { return table_ref(); });
  }
  FromItem* table_ref();
  FromItem* table_primary();
  FromItem* continue_joins(FromItem* left);
  bool at_join() const {
    return at_any(Tok::kw_join, Tok::kw_cross, Tok::kw_inner, Tok::kw_left, Tok::kw_right, Tok::kw_full, Tok::kw_natural);
  }
  JoinType join_type();
  void join_qualification(JoinExpr* join);
  FromItem* parenthesized_table();
  SelectStatement* select_or_join_in_parens(FromItem*& join);
  FromItem* range_subquery(SelectStatement* query, bool lateral, int location);
  FromItem* relation_or_function();
  FromItem* relation_tail(RangeVar* relation);
  FromItem* function_table(Expr* call, bool lateral, int location);
  FromItem* rows_from(bool lateral);
  void function_alias(RangeFunction* table);
  FromItem* lateral_item();
  Expr* function_call_in_from();
  FromItem* xml_table(bool lateral);
  XmlTableColumn xml_table_column();
  void xml_column_options(XmlTableColumn& column);
  Alias alias_clause();
  Alias optional_alias();
  FromItem* table_sample(FromItem* relation);
  ColumnDef* table_function_column();
  List<ColumnDef*> table_function_columns() {
    return comma_list<ColumnDef*>([&] { return table_function_column(); });
  }

  InsertStatement* insert_statement(WithClause* with);
  SelectStatement* insert_source(InsertStatement* insert);
  Overriding overriding_clause();
  Target* insert_column();
  List<Target*> insert_column_list() {
    return comma_list<Target*>([&] { return insert_column(); });
  }
  OnConflictClause* on_conflict();
  UpdateStatement* update_statement(WithClause* with);
  List<SetClause*> set_clause_list() {
    return comma_list<SetClause*>([&] { return set_clause(); });
  }
  SetClause* set_clause();
  Target* set_target();
  DeleteStatement* delete_statement(WithClause* with);
  MergeStatement* merge_statement(WithClause* with);
  MergeWhen* merge_when();
  Expr* where_clause() { return accept(Tok::kw_where) ? expression() : nullptr; }
  Expr* where_or_current_of();
  List<Target*> returning_clause() { return accept(Tok::kw_returning) ? target_list() : List<Target*>(); }
  RangeVar* relation_with_alias();
  StatementNode* preparable_statement();
  bool begins_preparable() const;
  StatementNode* statement_with(bool merge_allowed);

  // ---- statements (parse_statement.cpp) ----
  StatementNode* statement();
  StatementNode* routine_body_statement();

  // ---- utility statements (parse_utility.cpp, parse_setting.cpp, parse_cursor.cpp, parse_maintenance.cpp) ----
  StatementNode* transaction_statement();
  StatementNode* begin_statement();
  StatementNode* commit_statement(TransactionKind kind, TransactionKind prepared);
  StatementNode* rollback_statement();
  bool transaction_chain();
  void optional_transaction_word();
  OptionList transaction_modes(bool required);
  bool at_transaction_mode() const { return at_any(Tok::kw_isolation, Tok::kw_read, Tok::kw_deferrable, Tok::kw_not); }
  Option* transaction_mode();
  std::string_view isolation_level();
  StatementNode* set_statement();
  VariableSetStatement* set_rest();
  VariableSetStatement* set_rest_more();
  VariableSetStatement* make_set(Name name, int location);
  void set_values(VariableSetStatement* set);
  Expr* setting_value();
  void set_time_zone(VariableSetStatement* set);
  VariableSetStatement* reset_rest();
  VariableSetStatement* function_set_or_reset();
  StatementNode* show_statement();
  StatementNode* set_constraints();
  StatementNode* prepare_statement();
  StatementNode* execute_statement();
  StatementNode* deallocate_statement();
  StatementNode* declare_statement();
  StatementNode* fetch_statement(bool move);
  StatementNode* close_statement();
  StatementNode* explain_statement();
  StatementNode* explainable_statement();
  StatementNode* copy_statement();
  void copy_direction(CopyStatement* copy);
  void copy_file(CopyStatement* copy);
  void copy_options(CopyStatement* copy);
  Option* old_copy_option();
  Option* new_copy_option();
  StatementNode* vacuum_statement();
  StatementNode* analyze_statement();
  List<VacuumTarget*> vacuum_targets();
  StatementNode* cluster_statement();
  StatementNode* reindex_statement();
  StatementNode* lock_statement();
  StatementNode* truncate_statement();
  StatementNode* notify_statement();
  StatementNode* discard_statement();
  StatementNode* do_statement();
  StatementNode* call_statement();

  // ---- tables (parse_create_table.cpp, parse_constraint.cpp, parse_partition.cpp, parse_alter_table.cpp) ----
  bool persistence(Persistence& result);  // [LOCAL|GLOBAL] TEMP[ORARY] | UNLOGGED; false when none is there
  StatementNode* create_table(Persistence persistence, bool query_allowed = true);
  StatementNode* create_foreign_table();
  void table_elements(CreateTableStatement* table, bool typed);
  Node* table_element();
  Node* typed_table_element();
  TableLikeClause* table_like();
  ColumnDef* column_definition();
  void column_constraints(ColumnDef* column, bool domain_or_column);
  Constraint* column_constraint(ColumnDef* column);
  bool begins_column_constraint();
  void collation_of_column(QualifiedName& collation, int& location);
  struct Deferral {
    bool deferrable = false, not_deferrable = false, deferred = false, immediate = false, not_valid = false, no_inherit = false;
  };
  Deferral constraint_attributes();
  void apply_attributes(Constraint* constraint, const Deferral& d, const char* kind, bool deferrable, bool not_valid, bool no_inherit);
  void check_attributes(const Deferral& d, const char* kind, bool& deferrable, bool& deferred, bool* not_valid, bool* no_inherit);
  Constraint* table_constraint();
  Constraint* table_constraint_body(Name name, int location);
  bool begins_table_constraint() {
    return at_any(Tok::kw_constraint, Tok::kw_check, Tok::kw_unique, Tok::kw_primary, Tok::kw_exclude, Tok::kw_foreign);
  }
  void key_constraint(Constraint* constraint);
  void exclusion_constraint(Constraint* constraint);
  void foreign_key(Constraint* constraint);
  void foreign_key_actions(Constraint* constraint);
  ForeignKeyAction foreign_key_action(List<Name>* columns);
  ForeignKeyMatch foreign_key_match();
  void index_parameters(Constraint* constraint);
  List<Name> including_names();
  bool nulls_distinct_clause();
  void table_tail(CreateTableStatement* table);
  OptionList table_with();
  OnCommit on_commit();
  Name optional_tablespace() { return accept(Tok::kw_tablespace) ? col_id() : Name(); }
  Name optional_access_method() { return accept(Tok::kw_using) ? col_id() : Name(); }
  bool with_data();
  PartitionSpec* partition_spec();
  PartitionElement* partition_element();
  PartitionBound* partition_bound();
  void hash_partition_bound(PartitionBound* bound);
  StatementNode* create_table_as(RangeVar* relation, const List<Name>& columns, int location, bool exists);
  void create_as_tail(IntoClause* into);
  StatementNode* create_materialized_view(Persistence persistence, int location);
  StatementNode* create_view(bool replace, Persistence persistence, bool recursive, int location);
  OptionList sequence_options(bool required);
  Option* sequence_option();
  StatementNode* create_sequence(Persistence persistence, int location);
  StatementNode* create_index(bool unique, int location);
  IndexElement* index_element();
  List<IndexElement*> index_elements() {
    return comma_list<IndexElement*>([&] { return index_element(); });
  }
  StatementNode* create_schema(int location);
  StatementNode* schema_element();
  StatementNode* refresh_statement();
  StatementNode* create_statistics(int location);

  StatementNode* alter_table_like(ObjectType type, int location);
  StatementNode* alter_all_in_tablespace(ObjectType type, int location);
  AlterTableCommand* alter_table_command(ObjectType type);
  AlterTableCommand* alter_add(AlterTableCommand* command);
  AlterTableCommand* alter_drop(AlterTableCommand* command);
  AlterTableCommand* alter_alter(AlterTableCommand* command);
  void alter_column_set(AlterTableCommand* command);
  void alter_identity(AlterTableCommand* command);
  AlterTableCommand* alter_set(AlterTableCommand* command);
  AlterTableCommand* alter_enable_disable(AlterTableCommand* command, bool enable);
  void replica_identity(AlterTableCommand* command);
  bool partition_command(AlterTableCommand* command, bool index);

  // ---- other definitions ----
  StatementNode* create_statement();
  StatementNode* create_or_replace(int location);
  StatementNode* create_text_search(int location);
  StatementNode* create_foreign(int location);
  StatementNode* create_function(bool replace, int location);
  FunctionParameter* function_parameter(bool default_allowed);
  List<FunctionParameter*> function_parameters(bool default_allowed);  // ( … )
  bool parameter_mode(ParameterMode& mode);
  Option* function_option(bool create);
  Option* common_function_option();
  void routine_body(CreateFunctionStatement* function);
  StatementNode* create_aggregate(bool replace, int location);
  void aggregate_signature(ObjectRef* object);
  StatementNode* create_operator(int location);
  StatementNode* create_operator_class(int location);
  StatementNode* create_operator_family(int location);
  OperatorClassItem* operator_class_item(bool drop);
  StatementNode* create_type(int location);
  StatementNode* create_domain(int location);
  StatementNode* create_cast(int location);
  StatementNode* create_transform(bool replace, int location);
  StatementNode* create_trigger(bool replace, int location);
  void trigger_events(CreateTriggerStatement* trigger);
  void trigger_tail(CreateTriggerStatement* trigger);
  void trigger_arguments(CreateTriggerStatement* trigger);
  StatementNode* create_event_trigger(int location);
  StatementNode* create_rule(bool replace, int location);
  StatementNode* rule_action();
  StatementNode* create_policy(int location);
  StatementNode* alter_policy(int location);
  StatementNode* create_extension(int location);
  StatementNode* alter_extension(int location);
  StatementNode* create_publication(int location);
  List<PublicationObject*> publication_objects(std::optional<SqlError>& error);
  StatementNode* alter_publication(int location);
  StatementNode* create_subscription(int location);
  StatementNode* alter_subscription(int location);
  StatementNode* create_collation(int location);
  StatementNode* create_conversion(bool is_default, int location);
  StatementNode* create_language(bool replace, bool trusted, int location);
  StatementNode* create_access_method(int location);
  StatementNode* create_database(int location);
  Option* database_option();
  StatementNode* alter_database(int location);
  StatementNode* create_tablespace(int location);
  StatementNode* create_role(RoleStatementKind kind, int location);
  Option* role_option(bool create);
  bool role_word_option(Option* option);
  StatementNode* alter_role(int location);
  StatementNode* alter_group(int location);
  StatementNode* setting_of_role(RoleSpec* role, bool all, int location);
  StatementNode* create_user_mapping(bool alter, int location);
  RoleSpec* user_mapping_role();
  StatementNode* create_server(bool alter, int location);
  StatementNode* create_wrapper(bool alter, int location);
  OptionList wrapper_functions();
  StatementNode* import_foreign_schema();

  StatementNode* grant_statement(bool grant, bool roles_allowed = true);
  List<Privilege> privileges(bool& all);
  Privilege privilege();
  void grant_target(GrantStatement* grant);
  void grantees(GrantStatement* grant);
  StatementNode* finish_grant_role(const List<Privilege>& roles, bool grant, bool admin_for, int location);
  StatementNode* alter_default_privileges(int location);

  StatementNode* drop_statement();
  StatementNode* drop_objects(ObjectType type, int location);
  StatementNode* drop_routines(ObjectType type, int location);
  StatementNode* drop_on_relation(ObjectType type, int location);
  StatementNode* drop_owned(int location);
  StatementNode* drop_role(int location);
  StatementNode* drop_database(int location);
  StatementNode* drop_operator(int location);
  StatementNode* drop_foreign(int location);
  StatementNode* drop_user_mapping(int location);
  StatementNode* reassign_statement();

  StatementNode* alter_statement();
  StatementNode* alter_object_with_commands(ObjectRef* object, unsigned commands);
  StatementNode* alter_function(ObjectType type, int location);
  StatementNode* alter_type(int location);
  StatementNode* alter_domain(int location);
  StatementNode* alter_enum_add(ObjectRef* object, int location);
  StatementNode* alter_enum_rename(ObjectRef* object, int location);
  StatementNode* alter_attributes(ObjectRef* object, int location);
  StatementNode* alter_operator(int location);
  StatementNode* alter_sequence(int location);
  StatementNode* alter_text_search(int location);
  StatementNode* alter_text_search_configuration(int location);
  StatementNode* alter_view(int location);
  StatementNode* alter_rule_or_trigger(ObjectType type, int location);
  StatementNode* alter_event_trigger(int location);
  StatementNode* alter_tablespace(int location);
  StatementNode* alter_schema_or_language(ObjectType type, int location);
  StatementNode* alter_statistics(int location);
  StatementNode* alter_system();
  StatementNode* alter_large_object(int location);
  StatementNode* alter_constraint_name(RangeVar* relation, ObjectType type, int location);
  RenameStatement* rename_to(ObjectType type, ObjectRef* object, int location);

  StatementNode* comment_statement();
  StatementNode* security_label_statement();
  ObjectRef* described_object(bool comment);
  ObjectRef* member_object();
  bool any_name_object_type(ObjectType& type);  // consumes the words when they name one
  bool plain_name_object_type(ObjectType& type);
  bool routine_object_type(ObjectType& type);
  ObjectRef* make_object(ObjectType type, int location);
  ObjectRef* routine_with_args(ObjectType type);
  ObjectRef* aggregate_with_args();
  ObjectRef* operator_with_args();
  void operand_types(ObjectRef* object);
  ObjectRef* type_object(ObjectType type);
  void push_name(ObjectRef* object, Name name) { push(object->name, name); }
  Constant* numeric_constant();

  Arena& arena_;
  Lexer lexer_;
  Token current_;
  static constexpr int kMaxNesting = 9990;
  static constexpr int kMaxAhead = 4;
  Token ahead_[kMaxAhead];
  int ahead_count_ = 0;
  int nesting_ = 0;
  bool in_substring_ = false;         // SIMILAR may end an expression
  int argument_order_location_ = -1;  // of the last ORDER BY among arguments
};

// The text of an operator token that may stand alone as an operator (all_Op), "" for others.
std::string_view operator_text(const Token& token);

}  // namespace hathi::parser
