#pragma once
// The raw syntax tree: what the text says, before any name is looked up. The parser allocates it in an arena; nodes are trivially
// destructible structs without virtual functions, told apart by Node::kind. Strings and lists live in the same arena.
// The tree is split by concept: this file (base, names, types), ast_expression.h, ast_statement.h (queries, DML, utility statements),
// ast_ddl.h.

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "hathi/error/sql_error.h"
#include "hathi/memory/arena.h"

namespace hathi::parser {

enum class NodeKind : std::uint8_t {
  // shared parts (ast.h)
  name_list,
  node_list,
  type_name,
  option,
  role_spec,
  // expressions (ast_expression.h)
  column_ref,
  indirection,
  param_ref,
  constant,
  type_cast,
  collate_clause,
  operator_expr,
  array_comparison,
  bool_expr,
  like_expr,
  in_list_expr,
  between_expr,
  null_test,
  boolean_test,
  distinct_test,
  nullif_expr,
  row_expr,
  array_expr,
  case_expr,
  case_when,
  coalesce_expr,
  min_max_expr,
  function_call,
  named_arg,
  value_function,
  xml_expr,
  xml_serialize,
  subquery_expr,
  grouping_func,
  grouping_set,
  default_expr,
  current_of_expr,
  sort_by,
  window_def,
  target,
  index_element,
  // table expressions (ast_statement.h)
  range_var,
  range_subquery,
  range_function,
  range_xml_table,
  table_sample,
  join_expr,
  column_def,
  // queries
  select_statement,
  insert_statement,
  update_statement,
  delete_statement,
  merge_statement,
  with_clause,
  common_table_expr,
  locking_clause,
  into_clause,
  on_conflict_clause,
  set_clause,
  merge_when,
  // utility statements
  transaction_statement,
  variable_set_statement,
  variable_show_statement,
  constraints_set_statement,
  alter_system_statement,
  prepare_statement,
  execute_statement,
  deallocate_statement,
  declare_cursor_statement,
  fetch_statement,
  close_statement,
  explain_statement,
  copy_statement,
  vacuum_statement,
  vacuum_target,
  cluster_statement,
  reindex_statement,
  checkpoint_statement,
  lock_statement,
  truncate_statement,
  listen_statement,
  unlisten_statement,
  notify_statement,
  discard_statement,
  do_statement,
  call_statement,
  load_statement,
  // definitions (ast_ddl.h)
  constraint,
  table_like_clause,
  partition_spec,
  partition_element,
  partition_bound,
  create_table_statement,
  create_table_as_statement,
  alter_table_statement,
  alter_table_command,
  create_index_statement,
  create_sequence_statement,
  alter_sequence_statement,
  create_view_statement,
  refresh_statement,
  create_schema_statement,
  create_database_statement,
  alter_database_statement,
  drop_database_statement,
  create_tablespace_statement,
  alter_tablespace_statement,
  drop_tablespace_statement,
  create_role_statement,
  alter_role_statement,
  setting_of_statement,
  drop_role_statement,
  grant_statement,
  grant_role_statement,
  alter_default_privileges_statement,
  function_parameter,
  create_function_statement,
  return_statement,
  alter_function_statement,
  define_statement,
  create_composite_type_statement,
  create_enum_statement,
  alter_enum_statement,
  create_range_statement,
  create_domain_statement,
  alter_domain_statement,
  create_cast_statement,
  create_transform_statement,
  create_trigger_statement,
  create_rule_statement,
  create_policy_statement,
  alter_policy_statement,
  create_event_trigger_statement,
  alter_event_trigger_statement,
  create_operator_class_statement,
  operator_class_item,
  create_operator_family_statement,
  alter_operator_family_statement,
  create_extension_statement,
  alter_extension_statement,
  create_publication_statement,
  alter_publication_statement,
  publication_object,
  create_subscription_statement,
  alter_subscription_statement,
  drop_subscription_statement,
  create_statistics_statement,
  alter_statistics_statement,
  create_foreign_object_statement,
  import_foreign_schema_statement,
  create_access_method_statement,
  create_conversion_statement,
  create_language_statement,
  alter_text_search_statement,
  alter_object_statement,
  object_ref,
  drop_statement,
  rename_statement,
  alter_owner_statement,
  alter_schema_statement,
  alter_depends_statement,
  comment_statement,
  security_label_statement,
  drop_owned_statement,
  reassign_owned_statement,
};

// The head of every node. location is a byte offset into the text given to parse(), -1 when there is none.
struct Node {
  NodeKind kind;
  int location = -1;
};

// Base of the node type whose kind is K; sets kind when constructed.
template <NodeKind K>
struct NodeOf : Node {
  static constexpr NodeKind kKind = K;
  constexpr NodeOf() : Node{K, -1} {}
};

// An expression is a node of one of the kinds in ast_expression.h; a FROM item one of the table expressions; a statement one of the
// *_statement kinds. The aliases say which are meant.
using Expr = Node;
using FromItem = Node;
using StatementNode = Node;
using Name = std::string_view;     // an identifier, already folded and truncated
using QualifiedName = List<Name>;  // outermost qualifier first, the object's own name last

template <class T>
bool is(const Node* node) {
  return node != nullptr && node->kind == T::kKind;
}
// The node as a T; asserts that it is one. Null stays null.
template <class T>
T* node_cast(Node* node) {
  HATHI_ASSERT(node == nullptr || node->kind == T::kKind);
  return static_cast<T*>(node);
}
template <class T>
const T* node_cast(const Node* node) {
  HATHI_ASSERT(node == nullptr || node->kind == T::kKind);
  return static_cast<const T*>(node);
}
// The node as a T, or nullptr when it is something else (or null).
template <class T>
T* node_try(Node* node) {
  return is<T>(node) ? static_cast<T*>(node) : nullptr;
}
template <class T>
const T* node_try(const Node* node) {
  return is<T>(node) ? static_cast<const T*>(node) : nullptr;
}

// A new T in the arena that starts at a location.
template <class T>
T* make_node(Arena& arena, int location) {
  static_assert(std::is_trivially_destructible_v<T>);
  T* node = arena.make<T>();
  node->location = location;
  return node;
}

// A statement of a query string: its tree and the bytes it covers, without the semicolon. length 0 = to the end of the text.
struct Statement {
  StatementNode* node = nullptr;
  int start = 0;
  int length = 0;
};

// Lists where a single node is wanted (option values, DISTINCT ON in a cast …).
struct NameList : NodeOf<NodeKind::name_list> {
  QualifiedName names;
};
struct NodeList : NodeOf<NodeKind::node_list> {
  List<Node*> items;
};

// A type as written. Built-in SQL spellings arrive resolved: "integer" = pg_catalog.int4, "char(3)" = pg_catalog.bpchar(3),
// "interval day to second(2)" = pg_catalog.interval with typmods (mask, precision) as the catalog function intervaltypmodin takes them.
struct TypeName : NodeOf<NodeKind::type_name> {
  QualifiedName names;
  List<Expr*> typmods;     // constants, column references (enum-like words) or other expressions
  List<int> array_bounds;  // one a dimension, -1 = no size given
  bool set_of = false;
  bool percent_type = false;  // names%TYPE: a column's type
};

// name = value in the many option lists. value is null ("just the name"), a Constant, a TypeName (a bare word or a type), a NameList
// (a keyword or an operator), a NodeList, an expression or a RoleSpec. option_text() in parser.h gives it as text.
enum class OptionAction : std::uint8_t { unspecified, set, add, drop };
struct Option : NodeOf<NodeKind::option> {
  Name name_space;  // "toast" in toast.autovacuum_enabled
  Name name;
  Node* value = nullptr;
  OptionAction action = OptionAction::unspecified;
};
using OptionList = List<Option*>;

// A role as written.
enum class RoleKind : std::uint8_t { name, current_role, current_user, session_user, public_role };
struct RoleSpec : NodeOf<NodeKind::role_spec> {
  RoleKind role_kind = RoleKind::name;
  Name name;
};

enum class DropBehavior : std::uint8_t { restrict, cascade };

// Kinds of object in COMMENT, GRANT, DROP, ALTER … statements.
enum class ObjectType : std::uint8_t {
  access_method,
  aggregate,
  attribute,
  cast,
  collation,
  column,
  constraint_on_domain,
  constraint_on_table,
  conversion,
  database,
  default_acl,
  domain,
  event_trigger,
  extension,
  foreign_data_wrapper,
  foreign_server,
  foreign_table,
  function,
  index,
  language,
  large_object,
  materialized_view,
  operator_,
  operator_class,
  operator_family,
  parameter,
  policy,
  procedure,
  publication,
  role,
  routine,
  rule,
  schema,
  sequence,
  statistics,
  subscription,
  table,
  tablespace,
  transform,
  trigger,
  text_search_configuration,
  text_search_dictionary,
  text_search_parser,
  text_search_template,
  type,
  user_mapping,
  view,
};

}  // namespace hathi::parser
