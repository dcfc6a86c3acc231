#pragma once
// Statements that define, change and drop objects.

#include "hathi/parser/ast_statement.h"

namespace hathi::parser {

struct CreateSequenceStatement;

// ---- naming any object ----

// Parameters of functions and procedures.
enum class ParameterMode : std::uint8_t { unspecified, in, out, in_out, variadic, table };
struct FunctionParameter : NodeOf<NodeKind::function_parameter> {
  Name name;
  TypeName* type = nullptr;
  ParameterMode mode = ParameterMode::unspecified;
  Expr* default_value = nullptr;
};

// An existing object in DROP, COMMENT, ALTER … RENAME/OWNER/SET SCHEMA/DEPENDS, ALTER EXTENSION, SECURITY LABEL, GRANT. Which fields count:
//   most kinds                     name
//   type, domain                   type (and name, the same words, when they are a plain name)
//   function, procedure, routine   name; parameters when has_args
//   aggregate                      name, parameters; star for (*); direct_args >= 0: ORDER BY splits the parameters there
//   operator                       name, operand_types (two; null = NONE)
//   operator class, family         name, access_method
//   cast                           type, target_type
//   transform                      type, language
//   column                         name with the column last
//   trigger, rule, policy, constraint_on_table   name = its relation (for a constraint too), subname
//   constraint_on_domain           type, subname
//   user mapping                   role, name = server
//   large object                   number (text)
struct ObjectRef : NodeOf<NodeKind::object_ref> {
  ObjectType type_of_object = ObjectType::table;
  QualifiedName name;
  Name subname;
  Name access_method;  // or the transform's language
  TypeName* type = nullptr;
  TypeName* target_type = nullptr;
  bool has_args = false;
  bool star = false;
  int direct_args = -1;
  List<FunctionParameter*> parameters;
  List<TypeName*> operand_types;
  RoleSpec* role = nullptr;
  std::string_view number;
};

struct DropStatement : NodeOf<NodeKind::drop_statement> {
  ObjectType type_of_object = ObjectType::table;
  List<ObjectRef*> objects;
  bool missing_ok = false;
  bool concurrently = false;
  DropBehavior behavior = DropBehavior::restrict;
};
// ALTER … RENAME TO. For columns, constraints and attributes relation is the table (or composite type) and subname the old name.
struct RenameStatement : NodeOf<NodeKind::rename_statement> {
  ObjectType type_of_object = ObjectType::table;    // what is renamed
  ObjectType type_of_relation = ObjectType::table;  // the word after ALTER when something of a relation is renamed
  RangeVar* relation = nullptr;                     // tables, views, indexes, sequences, …, and owners of what is renamed
  ObjectRef* object = nullptr;                      // all other kinds
  Name subname;
  Name new_name;
  bool missing_ok = false;
  DropBehavior behavior = DropBehavior::restrict;  // ALTER TYPE … RENAME ATTRIBUTE … CASCADE
};
// ALTER … OWNER TO (tables and their like: AlterTableStatement).
struct AlterOwnerStatement : NodeOf<NodeKind::alter_owner_statement> {
  ObjectRef* object = nullptr;
  RoleSpec* new_owner = nullptr;
};
// ALTER … SET SCHEMA
struct AlterSchemaStatement : NodeOf<NodeKind::alter_schema_statement> {
  ObjectType type_of_object = ObjectType::table;
  RangeVar* relation = nullptr;  // tables and their like
  ObjectRef* object = nullptr;   // all other kinds
  Name new_schema;
  bool missing_ok = false;
};
// ALTER … [NO] DEPENDS ON EXTENSION
struct AlterDependsStatement : NodeOf<NodeKind::alter_depends_statement> {
  ObjectType type_of_object = ObjectType::table;
  RangeVar* relation = nullptr;
  ObjectRef* object = nullptr;
  Name extension;
  bool remove = false;
};
struct CommentStatement : NodeOf<NodeKind::comment_statement> {
  ObjectRef* object = nullptr;
  std::string_view text;
  bool is_null = false;
};
struct SecurityLabelStatement : NodeOf<NodeKind::security_label_statement> {
  Name provider;  // empty: none given
  ObjectRef* object = nullptr;
  std::string_view label;
  bool is_null = false;
};

// ---- tables ----

enum class ConstraintKind : std::uint8_t {
  null,
  not_null,
  default_value,
  identity,
  generated,
  check,
  primary_key,
  unique,
  exclusion,
  foreign_key,
};
enum class ForeignKeyMatch : std::uint8_t { simple, full, partial };
enum class ForeignKeyAction : std::uint8_t { no_action, restrict, cascade, set_null, set_default };
struct ExclusionElement {
  IndexElement* element = nullptr;
  Name op;
  QualifiedName op_qualifier;
};
struct Constraint : NodeOf<NodeKind::constraint> {
  ConstraintKind type = ConstraintKind::check;
  Name name;  // empty: choose one
  bool deferrable = false;
  bool deferrable_given = false;  // [NOT] DEFERRABLE was written
  bool initially_deferred = false;
  bool not_valid = false;
  bool no_inherit = false;
  Expr* expr = nullptr;           // default, generated, check
  bool generated_always = false;  // identity and generated
  OptionList sequence_options;    // identity
  // keys: primary_key, unique, exclusion
  bool nulls_not_distinct = false;
  List<Name> columns;  // also the referencing columns of a table's foreign key
  List<Name> including;
  List<ExclusionElement> exclusions;
  Name access_method;
  OptionList options;  // WITH (…)
  Name index;          // USING INDEX name
  Name tablespace;     // USING INDEX TABLESPACE name
  Expr* where = nullptr;
  // foreign keys
  RangeVar* referenced = nullptr;
  List<Name> referenced_columns;
  ForeignKeyMatch match = ForeignKeyMatch::simple;
  ForeignKeyAction on_update = ForeignKeyAction::no_action;
  ForeignKeyAction on_delete = ForeignKeyAction::no_action;
  List<Name> on_delete_columns;  // SET NULL (a, b)
};

struct ColumnDef : NodeOf<NodeKind::column_def> {
  Name name;
  TypeName* type = nullptr;  // null in typed tables and partitions
  Name compression;
  QualifiedName collation;
  int collation_location = -1;
  List<Constraint*> constraints;
  OptionList fdw_options;
};

// Bits of TableLikeClause::options.
inline constexpr unsigned kLikeComments = 1, kLikeCompression = 2, kLikeConstraints = 4, kLikeDefaults = 8, kLikeGenerated = 16,
                          kLikeIdentity = 32, kLikeIndexes = 64, kLikeStatistics = 128, kLikeStorage = 256, kLikeAll = 0x7FFFFFFF;
struct TableLikeClause : NodeOf<NodeKind::table_like_clause> {
  RangeVar* relation = nullptr;
  unsigned options = 0;
};

struct PartitionElement : NodeOf<NodeKind::partition_element> {
  Name column;  // or
  Expr* expr = nullptr;
  QualifiedName collation;
  QualifiedName operator_class;
};
// Any word is accepted as strategy; whoever executes the statement rejects unrecognized ones, quoting strategy_name.
enum class PartitionStrategy : std::uint8_t { list, range, hash, unrecognized };
struct PartitionSpec : NodeOf<NodeKind::partition_spec> {
  PartitionStrategy strategy = PartitionStrategy::list;
  Name strategy_name;
  List<PartitionElement*> elements;
};
// FOR VALUES … and DEFAULT. MINVALUE and MAXVALUE arrive as ColumnRefs minvalue, maxvalue.
enum class PartitionBoundKind : std::uint8_t { default_partition, list, range, hash };
struct PartitionBound : NodeOf<NodeKind::partition_bound> {
  PartitionBoundKind type = PartitionBoundKind::default_partition;
  int modulus = -1, remainder = -1;
  List<Expr*> values;        // IN
  List<Expr*> lower, upper;  // FROM, TO
};

struct CreateTableStatement : NodeOf<NodeKind::create_table_statement> {
  RangeVar* relation = nullptr;
  List<Node*> elements;  // ColumnDef, Constraint, TableLikeClause in order
  List<RangeVar*> inherits;
  TypeName* of_type = nullptr;
  RangeVar* partition_of = nullptr;
  PartitionBound* bound = nullptr;
  PartitionSpec* partition_by = nullptr;
  OptionList options;
  OnCommit on_commit = OnCommit::none;
  Name tablespace;
  Name access_method;
  bool if_not_exists = false;
  Name server;  // CREATE FOREIGN TABLE
  OptionList server_options;
};

// CREATE TABLE AS, CREATE MATERIALIZED VIEW; query may be an ExecuteStatement (tables only).
struct CreateTableAsStatement : NodeOf<NodeKind::create_table_as_statement> {
  IntoClause* into = nullptr;
  StatementNode* query = nullptr;
  bool materialized_view = false;
  bool if_not_exists = false;
};

enum class AlterTableAction : std::uint8_t {
  add_column,      // column, missing_ok = IF NOT EXISTS
  column_default,  // name, expr; null drops it
  drop_not_null,
  set_not_null,     // name
  drop_expression,  // name, missing_ok
  set_statistics,   // name or number (> 0), expr: integer constant
  set_column_options,
  reset_column_options,  // name, options
  set_storage,           // name, text
  set_compression,       // name, text
  add_identity,          // name, constraint
  set_identity,          // name, options ("generated" with text a/d, sequence options, "restart")
  drop_identity,         // name, missing_ok
  drop_column,           // name, behavior, missing_ok
  column_type,           // name, column (type, collation), expr = USING
  column_fdw_options,    // name, options
  add_constraint,        // constraint
  alter_constraint,      // constraint: name, deferrable, initially_deferred
  validate_constraint,   // name
  drop_constraint,       // name, behavior, missing_ok
  set_without_oids,
  cluster_on /* name */,
  set_without_cluster,
  set_logged,
  set_unlogged,
  enable_trigger,
  enable_always_trigger,
  enable_replica_trigger,
  disable_trigger,  // name
  enable_trigger_all,
  disable_trigger_all,
  enable_trigger_user,
  disable_trigger_user,
  enable_rule,
  enable_always_rule,
  enable_replica_rule,
  disable_rule,  // name
  add_inherit,
  drop_inherit,  // relation
  add_of /* type */,
  drop_of,
  change_owner,  // role
  set_access_method,
  set_tablespace,  // name
  set_options,
  reset_options,
  replace_options,   // options
  replica_identity,  // text: "full", "default", "nothing", "index" (name)
  enable_row_security,
  disable_row_security,
  force_row_security,
  no_force_row_security,
  fdw_options,       // options
  attach_partition,  // relation, bound (null for indexes)
  detach_partition,  // relation, concurrently
  detach_finalize,   // relation
  // ALTER TYPE of composite types
  add_attribute,
  drop_attribute,
  attribute_type,  // as the column ones
};
struct AlterTableCommand : NodeOf<NodeKind::alter_table_command> {
  AlterTableAction action = AlterTableAction::add_column;
  Name name;
  int number = 0;
  std::string_view text;
  ColumnDef* column = nullptr;
  Constraint* constraint = nullptr;
  Expr* expr = nullptr;
  OptionList options;
  RangeVar* relation = nullptr;
  PartitionBound* bound = nullptr;
  TypeName* type = nullptr;
  RoleSpec* role = nullptr;
  DropBehavior behavior = DropBehavior::restrict;
  bool missing_ok = false;
  bool concurrently = false;
};
// ALTER TABLE, INDEX, SEQUENCE, VIEW, MATERIALIZED VIEW, FOREIGN TABLE, TYPE (attributes). "… ALL IN TABLESPACE a SET TABLESPACE b" sets
// all_in_tablespace.
struct AlterTableStatement : NodeOf<NodeKind::alter_table_statement> {
  ObjectType type_of_object = ObjectType::table;
  RangeVar* relation = nullptr;
  List<AlterTableCommand*> commands;
  bool missing_ok = false;
  Name all_in_tablespace;
  List<RoleSpec*> owned_by;
  Name new_tablespace;
  bool nowait = false;
};

// ---- indexes, sequences, views, schemas ----

struct CreateIndexStatement : NodeOf<NodeKind::create_index_statement> {
  Name name;  // empty: choose one
  RangeVar* relation = nullptr;
  Name access_method;  // empty: btree
  List<IndexElement*> elements;
  List<IndexElement*> including;
  OptionList options;
  Name tablespace;
  Expr* where = nullptr;
  bool unique = false;
  bool nulls_not_distinct = false;
  bool concurrently = false;
  bool if_not_exists = false;
};
// Sequence options: as (TypeName), cache, cycle (boolean), increment, maxvalue, minvalue (null = NO), owned_by (NameList), sequence_name
// (NameList), start, restart, logged, unlogged; numbers are Constants.
struct CreateSequenceStatement : NodeOf<NodeKind::create_sequence_statement> {
  RangeVar* relation = nullptr;
  OptionList options;
  bool if_not_exists = false;
};
struct AlterSequenceStatement : NodeOf<NodeKind::alter_sequence_statement> {
  RangeVar* relation = nullptr;
  OptionList options;
  bool missing_ok = false;
};
enum class CheckOption : std::uint8_t { none, local, cascaded };
// CREATE RECURSIVE VIEW arrives as WITH RECURSIVE name AS (query) SELECT columns FROM name.
struct CreateViewStatement : NodeOf<NodeKind::create_view_statement> {
  RangeVar* view = nullptr;
  List<Name> columns;
  SelectStatement* query = nullptr;
  bool replace = false;
  OptionList options;
  CheckOption check = CheckOption::none;
};
struct RefreshStatement : NodeOf<NodeKind::refresh_statement> {
  RangeVar* relation = nullptr;
  bool concurrently = false;
  bool with_data = true;
};
struct CreateSchemaStatement : NodeOf<NodeKind::create_schema_statement> {
  Name name;  // empty: the role's
  RoleSpec* owner = nullptr;
  List<StatementNode*> elements;
  bool if_not_exists = false;
};

// ---- databases, tablespaces, roles, privileges ----

struct CreateDatabaseStatement : NodeOf<NodeKind::create_database_statement> {
  Name name;
  OptionList options;
};
// ALTER DATABASE name options | SET TABLESPACE (option "tablespace") | REFRESH COLLATION VERSION
struct AlterDatabaseStatement : NodeOf<NodeKind::alter_database_statement> {
  Name name;
  OptionList options;
  bool refresh_collation_version = false;
};
struct DropDatabaseStatement : NodeOf<NodeKind::drop_database_statement> {
  Name name;
  bool missing_ok = false;
  OptionList options;
};
struct CreateTablespaceStatement : NodeOf<NodeKind::create_tablespace_statement> {
  Name name;
  RoleSpec* owner = nullptr;
  std::string_view location_path;
  OptionList options;
};
struct AlterTablespaceStatement : NodeOf<NodeKind::alter_tablespace_statement> {
  Name name;
  OptionList options;
  bool reset = false;
};
struct DropTablespaceStatement : NodeOf<NodeKind::drop_tablespace_statement> {
  Name name;
  bool missing_ok = false;
};

// Role options: password (string or null), superuser, createdb, createrole, inherit, canlogin, isreplication, bypassrls (booleans),
// connectionlimit, validUntil, sysid, rolemembers, adminmembers, addroleto (NodeLists of RoleSpec).
enum class RoleStatementKind : std::uint8_t { role, user, group };
struct CreateRoleStatement : NodeOf<NodeKind::create_role_statement> {
  RoleStatementKind type = RoleStatementKind::role;
  Name name;
  OptionList options;
};
struct AlterRoleStatement : NodeOf<NodeKind::alter_role_statement> {
  RoleSpec* role = nullptr;
  OptionList options;
  int group_action = 0;  // ALTER GROUP: 1 ADD USER, -1 DROP USER; members in the option rolemembers
};
struct DropRoleStatement : NodeOf<NodeKind::drop_role_statement> {
  List<RoleSpec*> roles;
  bool missing_ok = false;
};
// ALTER ROLE/DATABASE … SET/RESET: role (null with all_roles or for a database), database (empty: none).
struct SettingOfStatement : NodeOf<NodeKind::setting_of_statement> {
  bool of_database = false;  // ALTER DATABASE
  bool all_roles = false;
  RoleSpec* role = nullptr;
  Name database;
  VariableSetStatement* setting = nullptr;
};

struct Privilege {
  Name name;
  List<Name> columns;
  int location = -1;
};  // empty name with columns: ALL (columns)
enum class GrantTarget : std::uint8_t { object, all_in_schema, defaults };
struct GrantStatement : NodeOf<NodeKind::grant_statement> {
  bool is_grant = true;
  GrantTarget target = GrantTarget::object;
  ObjectType type_of_object = ObjectType::table;
  List<Node*> objects;         // RangeVars (tables, sequences), ObjectRefs (all others)
  List<Privilege> privileges;  // empty: ALL
  List<RoleSpec*> grantees;
  bool grant_option = false;  // WITH GRANT OPTION; REVOKE: GRANT OPTION FOR
  RoleSpec* grantor = nullptr;
  DropBehavior behavior = DropBehavior::restrict;
};
struct GrantRoleStatement : NodeOf<NodeKind::grant_role_statement> {
  bool is_grant = true;
  List<Privilege> granted_roles;
  List<RoleSpec*> grantees;
  bool admin_option = false;
  RoleSpec* grantor = nullptr;
  DropBehavior behavior = DropBehavior::restrict;
};
struct AlterDefaultPrivilegesStatement : NodeOf<NodeKind::alter_default_privileges_statement> {
  List<Name> schemas;
  List<RoleSpec*> roles;
  GrantStatement* action = nullptr;
};
struct DropOwnedStatement : NodeOf<NodeKind::drop_owned_statement> {
  List<RoleSpec*> roles;
  DropBehavior behavior = DropBehavior::restrict;
};
struct ReassignOwnedStatement : NodeOf<NodeKind::reassign_owned_statement> {
  List<RoleSpec*> roles;
  RoleSpec* new_role = nullptr;
};

// ---- functions, operators, types ----

// options: as (NodeList of one or two string Constants), language, transform (NodeList of TypeNames), window, volatility (string), strict,
// security, leakproof (booleans), cost, rows, support (NameList), set (VariableSetStatement), parallel.
struct CreateFunctionStatement : NodeOf<NodeKind::create_function_statement> {
  bool is_procedure = false;
  bool replace = false;
  QualifiedName name;
  List<FunctionParameter*> parameters;  // RETURNS TABLE columns follow with mode table
  TypeName* return_type = nullptr;
  bool returns_table = false;
  OptionList options;
  Node* body = nullptr;  // ReturnStatement, or a NodeList of statements for BEGIN ATOMIC
};
struct ReturnStatement : NodeOf<NodeKind::return_statement> {
  Expr* value = nullptr;
};
struct AlterFunctionStatement : NodeOf<NodeKind::alter_function_statement> {
  ObjectRef* function = nullptr;
  OptionList options;
};

// CREATE AGGREGATE, OPERATOR, TYPE (base and shell), TEXT SEARCH …, COLLATION.
struct DefineStatement : NodeOf<NodeKind::define_statement> {
  ObjectType type_of_object = ObjectType::type;
  QualifiedName name;
  OptionList definition;
  bool has_definition = false;     // false: a shell type
  bool old_style = false;          // aggregate with basetype among the options
  ObjectRef* signature = nullptr;  // of an aggregate
  QualifiedName from_collation;    // CREATE COLLATION x FROM y
  bool if_not_exists = false;
  bool replace = false;
};
struct CreateCompositeTypeStatement : NodeOf<NodeKind::create_composite_type_statement> {
  RangeVar* type = nullptr;
  List<ColumnDef*> columns;
};
struct CreateEnumStatement : NodeOf<NodeKind::create_enum_statement> {
  QualifiedName name;
  List<std::string_view> labels;
};
struct AlterEnumStatement : NodeOf<NodeKind::alter_enum_statement> {
  QualifiedName name;
  bool rename = false;
  std::string_view old_value;  // of a rename
  std::string_view new_value;
  std::string_view neighbor;  // BEFORE / AFTER
  bool has_neighbor = false;
  bool before = false;
  bool if_not_exists = false;
};
struct CreateRangeStatement : NodeOf<NodeKind::create_range_statement> {
  QualifiedName name;
  OptionList options;
};
struct CreateDomainStatement : NodeOf<NodeKind::create_domain_statement> {
  QualifiedName name;
  TypeName* type = nullptr;
  QualifiedName collation;
  int collation_location = -1;
  List<Constraint*> constraints;
};
enum class AlterDomainAction : std::uint8_t {
  set_default,
  drop_default,
  set_not_null,
  drop_not_null,
  add_constraint,
  drop_constraint,
  validate_constraint
};
struct AlterDomainStatement : NodeOf<NodeKind::alter_domain_statement> {
  AlterDomainAction action = AlterDomainAction::set_default;
  QualifiedName name;
  Name constraint_name;
  Expr* default_value = nullptr;
  Constraint* constraint = nullptr;
  DropBehavior behavior = DropBehavior::restrict;
  bool missing_ok = false;
};
enum class CastContext : std::uint8_t { explicit_, assignment, implicit };
struct CreateCastStatement : NodeOf<NodeKind::create_cast_statement> {
  TypeName* source = nullptr;
  TypeName* target = nullptr;
  ObjectRef* function = nullptr;
  bool in_out = false;
  CastContext context = CastContext::explicit_;
};
struct CreateTransformStatement : NodeOf<NodeKind::create_transform_statement> {
  bool replace = false;
  TypeName* type = nullptr;
  Name language;
  ObjectRef* from_sql = nullptr;
  ObjectRef* to_sql = nullptr;
};
struct CreateOperatorClassStatement : NodeOf<NodeKind::create_operator_class_statement> {
  QualifiedName name;
  TypeName* type = nullptr;
  Name access_method;
  QualifiedName family;
  bool is_default = false;
  List<Node*> items;  // OperatorClassItem
};
enum class OperatorClassItemKind : std::uint8_t { operator_, function, storage };
struct OperatorClassItem : NodeOf<NodeKind::operator_class_item> {
  OperatorClassItemKind type = OperatorClassItemKind::operator_;
  ObjectRef* object = nullptr;
  int number = 0;
  QualifiedName order_family;
  List<TypeName*> class_args;
  TypeName* stored_type = nullptr;
};
struct CreateOperatorFamilyStatement : NodeOf<NodeKind::create_operator_family_statement> {
  QualifiedName name;
  Name access_method;
};
struct AlterOperatorFamilyStatement : NodeOf<NodeKind::alter_operator_family_statement> {
  QualifiedName name;
  Name access_method;
  bool drop = false;
  List<OperatorClassItem*> items;
};

// ---- triggers, rules, policies ----

inline constexpr int kTriggerInsert = 1, kTriggerDelete = 2, kTriggerUpdate = 4, kTriggerTruncate = 8;
enum class TriggerTiming : std::uint8_t { before, after, instead };
struct TriggerTransition {
  Name name;
  bool is_new = false;
  bool is_table = false;
};
struct CreateTriggerStatement : NodeOf<NodeKind::create_trigger_statement> {
  Name name;
  bool replace = false;
  bool is_constraint = false;
  RangeVar* relation = nullptr;
  TriggerTiming timing = TriggerTiming::before;
  int events = 0;  // kTrigger… bits
  List<Name> update_columns;
  bool for_each_row = false;
  Expr* when = nullptr;
  QualifiedName function;
  List<std::string_view> args;
  List<TriggerTransition> transitions;
  bool deferrable = false;
  bool initially_deferred = false;
  RangeVar* referenced = nullptr;
};
enum class RuleEvent : std::uint8_t { select, update, delete_, insert };
struct CreateRuleStatement : NodeOf<NodeKind::create_rule_statement> {
  Name name;
  bool replace = false;
  RangeVar* relation = nullptr;
  RuleEvent event = RuleEvent::select;
  Expr* where = nullptr;
  bool instead = false;
  List<StatementNode*> actions;  // empty: NOTHING
};
struct CreatePolicyStatement : NodeOf<NodeKind::create_policy_statement> {
  Name name;
  RangeVar* table = nullptr;
  Name command;  // "all", "select", …
  bool permissive = true;
  List<RoleSpec*> roles;
  Expr* using_expr = nullptr;
  Expr* check = nullptr;
};
struct AlterPolicyStatement : NodeOf<NodeKind::alter_policy_statement> {
  Name name;
  RangeVar* table = nullptr;
  List<RoleSpec*> roles;
  Expr* using_expr = nullptr;
  Expr* check = nullptr;
};
struct CreateEventTriggerStatement : NodeOf<NodeKind::create_event_trigger_statement> {
  Name name;
  Name event;
  OptionList when;  // value: NodeList of string Constants
  QualifiedName function;
};
// state: O enable, D disable, R replica, A always (pg_event_trigger.evtenabled).
struct AlterEventTriggerStatement : NodeOf<NodeKind::alter_event_trigger_statement> {
  Name name;
  char state = 'O';
};

// ---- extensions, replication, statistics, foreign data ----

struct CreateExtensionStatement : NodeOf<NodeKind::create_extension_statement> {
  Name name;
  bool if_not_exists = false;
  OptionList options;
};
// UPDATE: options; ADD/DROP member: object.
struct AlterExtensionStatement : NodeOf<NodeKind::alter_extension_statement> {
  Name name;
  OptionList options;
  int member_action = 0;
  ObjectRef* object = nullptr;
};

enum class PublicationObjectKind : std::uint8_t { table, tables_in_schema, tables_in_current_schema };
struct PublicationObject : NodeOf<NodeKind::publication_object> {
  PublicationObjectKind type = PublicationObjectKind::table;
  RangeVar* relation = nullptr;
  List<Name> columns;
  Expr* where = nullptr;
  Name schema;
};
struct CreatePublicationStatement : NodeOf<NodeKind::create_publication_statement> {
  Name name;
  OptionList options;
  List<PublicationObject*> objects;
  bool for_all_tables = false;
};
enum class PublicationAction : std::uint8_t { set_options, add, set, drop };
struct AlterPublicationStatement : NodeOf<NodeKind::alter_publication_statement> {
  Name name;
  PublicationAction action = PublicationAction::set_options;
  OptionList options;
  List<PublicationObject*> objects;
};
struct CreateSubscriptionStatement : NodeOf<NodeKind::create_subscription_statement> {
  Name name;
  std::string_view connection;
  List<Name> publications;
  OptionList options;
};
enum class SubscriptionAction : std::uint8_t {
  options,
  connection,
  refresh,
  set_publication,
  add_publication,
  drop_publication,
  enabled,
  skip
};
struct AlterSubscriptionStatement : NodeOf<NodeKind::alter_subscription_statement> {
  Name name;
  SubscriptionAction action = SubscriptionAction::options;
  std::string_view connection;
  List<Name> publications;
  OptionList options;  // enabled: one boolean option
};
struct DropSubscriptionStatement : NodeOf<NodeKind::drop_subscription_statement> {
  Name name;
  bool missing_ok = false;
  DropBehavior behavior = DropBehavior::restrict;
};

struct CreateStatisticsStatement : NodeOf<NodeKind::create_statistics_statement> {
  QualifiedName name;
  List<Name> kinds;
  List<IndexElement*> expressions;
  List<FromItem*> relations;
  bool if_not_exists = false;
};
struct AlterStatisticsStatement : NodeOf<NodeKind::alter_statistics_statement> {
  QualifiedName name;
  int target = -1;
  bool missing_ok = false;
};

// CREATE and ALTER FOREIGN DATA WRAPPER / SERVER / USER MAPPING. Wrapper options handler and validator are in functions: NameList or null.
struct CreateForeignObjectStatement : NodeOf<NodeKind::create_foreign_object_statement> {
  ObjectType type_of_object = ObjectType::foreign_server;
  bool alter = false;
  Name name;                 // of a user mapping: the server
  RoleSpec* role = nullptr;  // user mapping
  OptionList functions;      // wrapper: handler, validator
  std::string_view server_type, version;
  bool has_version = false;
  Name wrapper;
  OptionList options;
  bool if_not_exists = false;
};
enum class ImportList : std::uint8_t { all, limit_to, except };
struct ImportForeignSchemaStatement : NodeOf<NodeKind::import_foreign_schema_statement> {
  Name server, remote_schema, local_schema;
  ImportList list = ImportList::all;
  List<RangeVar*> tables;
  OptionList options;
};
struct CreateAccessMethodStatement : NodeOf<NodeKind::create_access_method_statement> {
  Name name;
  bool is_table = false;
  QualifiedName handler;
};
struct CreateConversionStatement : NodeOf<NodeKind::create_conversion_statement> {
  QualifiedName name;
  std::string_view from_encoding, to_encoding;
  QualifiedName function;
  bool is_default = false;
};
struct CreateLanguageStatement : NodeOf<NodeKind::create_language_statement> {
  Name name;
  bool replace = false;
  bool trusted = false;
  QualifiedName handler, inline_handler, validator;  // empty: as an extension
};
// ALTER TEXT SEARCH CONFIGURATION … MAPPING, ALTER TEXT SEARCH DICTIONARY … (options)
enum class TextSearchAction : std::uint8_t {
  dictionary_options,
  add_mapping,
  alter_mapping,
  replace_dictionary,
  replace_dictionary_for_token,
  drop_mapping
};
struct AlterTextSearchStatement : NodeOf<NodeKind::alter_text_search_statement> {
  TextSearchAction action = TextSearchAction::dictionary_options;
  QualifiedName name;
  List<Name> token_types;
  List<Node*> dictionaries;  // NameLists
  OptionList options;
  bool missing_ok = false;
};
// What has no node of its own: ALTER OPERATOR … SET (…), ALTER TYPE … SET (…), ALTER COLLATION … REFRESH VERSION (option
// "refresh_version").
struct AlterObjectStatement : NodeOf<NodeKind::alter_object_statement> {
  ObjectRef* object = nullptr;
  OptionList options;
};

}  // namespace hathi::parser
