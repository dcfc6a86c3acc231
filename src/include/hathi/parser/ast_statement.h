#pragma once
// Queries, DML and utility statements of the raw syntax tree.

#include "hathi/parser/ast_expression.h"

namespace hathi::parser {

struct WithClause;
struct IntoClause;

// ---- FROM items ----

struct Alias {
  Name name;  // empty: none
  List<Name> columns;
  explicit operator bool() const { return !name.empty(); }
};

enum class Persistence : std::uint8_t { permanent, temporary, unlogged };

// A relation's name, in FROM or anywhere else.
struct RangeVar : NodeOf<NodeKind::range_var> {
  Name catalog, schema, name;
  bool inherit = true;                               // false: ONLY
  Persistence persistence = Persistence::permanent;  // where a relation is created
  Alias alias;
};

struct ColumnDef;

struct RangeSubquery : NodeOf<NodeKind::range_subquery> {
  bool lateral = false;
  SelectStatement* query = nullptr;
  Alias alias;
};

// f(…) or ROWS FROM (f(…) AS (columns), …)
struct RangeFunctionItem {
  Expr* call = nullptr;      // a FunctionCall, or what looks like one (ValueFunction, CoalesceExpr, TypeCast …)
  List<ColumnDef*> columns;  // ROWS FROM only: AS (name type, …)
};
struct RangeFunction : NodeOf<NodeKind::range_function> {
  bool lateral = false;
  bool ordinality = false;
  bool rows_from = false;
  List<RangeFunctionItem> functions;
  Alias alias;
  List<ColumnDef*> columns;  // AS [alias] (name type, …)
};

// XMLTABLE
struct XmlTableColumn {
  Name name;
  TypeName* type = nullptr;
  bool for_ordinality = false;
  bool not_null = false;
  Expr* path = nullptr;
  Expr* default_value = nullptr;
  int location = -1;
};
struct RangeXmlTable : NodeOf<NodeKind::range_xml_table> {
  bool lateral = false;
  Expr* document = nullptr;
  Expr* row = nullptr;
  List<Target*> namespaces;  // an empty name is DEFAULT
  List<XmlTableColumn> columns;
  Alias alias;
};

struct TableSample : NodeOf<NodeKind::table_sample> {
  FromItem* relation = nullptr;
  QualifiedName method;
  List<Expr*> args;
  Expr* repeatable = nullptr;
};

enum class JoinType : std::uint8_t { inner, left, full, right };
struct JoinExpr : NodeOf<NodeKind::join_expr> {
  JoinType type = JoinType::inner;
  bool natural = false;
  bool cross = false;  // CROSS JOIN; type is inner
  FromItem* left = nullptr;
  FromItem* right = nullptr;
  List<Name> using_columns;
  Alias using_alias;  // USING (…) AS alias
  Expr* condition = nullptr;
  Alias alias;  // (a JOIN b …) AS alias
};

// ---- queries ----

enum class SetOperation : std::uint8_t { none, union_, intersect, except };
enum class LockStrength : std::uint8_t { key_share, share, no_key_update, update };
enum class LockWait : std::uint8_t { block, skip_locked, nowait };

struct LockingClause : NodeOf<NodeKind::locking_clause> {
  LockStrength strength = LockStrength::update;
  LockWait wait = LockWait::block;
  List<RangeVar*> relations;  // OF …; empty = all
};

// SELECT, VALUES, TABLE and set operations. With operation != none only left, right, all and the outer clauses (with, order_by, limit,
// locking) count.
struct SelectStatement : NodeOf<NodeKind::select_statement> {
  WithClause* with = nullptr;
  SetOperation operation = SetOperation::none;
  bool all = false;  // UNION ALL …
  SelectStatement* left = nullptr;
  SelectStatement* right = nullptr;

  bool distinct = false;
  List<Expr*> distinct_on;  // with distinct: DISTINCT ON (…)
  List<Target*> targets;
  IntoClause* into = nullptr;
  List<FromItem*> from;
  Expr* where = nullptr;
  List<Expr*> group_by;  // expressions and GroupingSets
  bool group_distinct = false;
  Expr* having = nullptr;
  List<WindowDef*> windows;
  List<List<Expr*>> values;  // VALUES (…), (…): then targets and from are empty

  List<SortBy*> order_by;
  Expr* limit = nullptr;  // LIMIT ALL is a NULL constant
  Expr* offset = nullptr;
  bool with_ties = false;  // FETCH FIRST n ROWS WITH TIES
  List<LockingClause*> locking;
};

enum class OnCommit : std::uint8_t { none, preserve_rows, delete_rows, drop };
// SELECT INTO, CREATE TABLE AS, CREATE MATERIALIZED VIEW: the table to make.
struct IntoClause : NodeOf<NodeKind::into_clause> {
  RangeVar* relation = nullptr;
  List<Name> columns;
  Name access_method;
  OptionList options;
  OnCommit on_commit = OnCommit::none;
  Name tablespace;
  bool with_data = true;
};

struct CteSearch {
  bool breadth_first = false;
  List<Name> columns;
  Name sequence_column;
  int location = -1;
};
struct CteCycle {
  List<Name> columns;
  Name mark_column;
  Expr* mark_value = nullptr;
  Expr* mark_default = nullptr;
  Name path_column;
  int location = -1;
};
enum class Materialize : std::uint8_t { unspecified, always, never };
struct CommonTableExpr : NodeOf<NodeKind::common_table_expr> {
  Name name;
  List<Name> columns;
  Materialize materialize = Materialize::unspecified;
  StatementNode* query = nullptr;  // select, insert, update or delete
  CteSearch* search = nullptr;
  CteCycle* cycle = nullptr;
};
struct WithClause : NodeOf<NodeKind::with_clause> {
  bool recursive = false;
  List<CommonTableExpr*> ctes;
};

enum class Overriding : std::uint8_t { none, user_value, system_value };

// target = value, or (a, b) = (row or subquery): several targets share one value.
struct SetClause : NodeOf<NodeKind::set_clause> {
  List<Target*> targets;
  bool multiple = false;  // the parenthesised form
  Expr* value = nullptr;  // an expression, DefaultExpr; with multiple a RowExpr, or any expression that yields a row
};

struct OnConflictClause : NodeOf<NodeKind::on_conflict_clause> {
  bool do_update = false;
  bool has_target = false;  // (…) was given; index_elements, index_where
  int target_location = -1;     // of its parenthesis
  List<IndexElement*> index_elements;
  Expr* index_where = nullptr;
  Name constraint;  // ON CONSTRAINT name
  List<SetClause*> set;
  Expr* where = nullptr;
};

struct InsertStatement : NodeOf<NodeKind::insert_statement> {
  WithClause* with = nullptr;
  RangeVar* relation = nullptr;
  List<Target*> columns;
  Overriding overriding = Overriding::none;
  SelectStatement* source = nullptr;  // null: DEFAULT VALUES
  OnConflictClause* on_conflict = nullptr;
  List<Target*> returning;
};

struct UpdateStatement : NodeOf<NodeKind::update_statement> {
  WithClause* with = nullptr;
  RangeVar* relation = nullptr;
  List<SetClause*> set;
  List<FromItem*> from;
  Expr* where = nullptr;  // may be a CurrentOfExpr
  List<Target*> returning;
};

struct DeleteStatement : NodeOf<NodeKind::delete_statement> {
  WithClause* with = nullptr;
  RangeVar* relation = nullptr;
  List<FromItem*> using_items;
  Expr* where = nullptr;
  List<Target*> returning;
};

enum class MergeAction : std::uint8_t { nothing, insert, update, delete_ };
struct MergeWhen : NodeOf<NodeKind::merge_when> {
  bool matched = false;
  Expr* condition = nullptr;
  MergeAction action = MergeAction::nothing;
  List<SetClause*> set;   // update
  List<Target*> columns;  // insert
  List<Expr*> values;     // insert; empty = DEFAULT VALUES
  Overriding overriding = Overriding::none;
};
struct MergeStatement : NodeOf<NodeKind::merge_statement> {
  WithClause* with = nullptr;
  RangeVar* relation = nullptr;
  FromItem* source = nullptr;
  Expr* condition = nullptr;
  List<MergeWhen*> whens;
};

// ---- transactions and settings ----

enum class TransactionKind : std::uint8_t {
  begin,
  start,
  commit,
  rollback,
  savepoint,
  release,
  rollback_to,
  prepare,
  commit_prepared,
  rollback_prepared,
};
// A mode list in BEGIN, SET TRANSACTION, SET SESSION CHARACTERISTICS: Options named transaction_isolation (string constant such as "read
// committed"), transaction_read_only and transaction_deferrable (integer constants 0 and 1).
struct TransactionStatement : NodeOf<NodeKind::transaction_statement> {
  TransactionKind type = TransactionKind::begin;
  OptionList modes;
  Name savepoint;
  std::string_view gid;  // two-phase forms
  bool chain = false;
};

enum class VariableSetKind : std::uint8_t {
  value,                // SET name = args
  default_value,        // SET name TO DEFAULT
  current,              // SET name FROM CURRENT
  transaction,          // SET TRANSACTION modes
  session_transaction,  // SET SESSION CHARACTERISTICS AS TRANSACTION modes
  snapshot,             // SET TRANSACTION SNAPSHOT 'id'
  reset,
  reset_all,
};
struct VariableSetStatement : NodeOf<NodeKind::variable_set_statement> {
  VariableSetKind type = VariableSetKind::value;
  Name name;  // SET TIME ZONE = "timezone", SET NAMES = "client_encoding", SESSION AUTHORIZATION = "session_authorization", ROLE = "role",
              // XML OPTION = "xmloption"
  List<Expr*> args;  // Constants (words are strings); SET TIME ZONE INTERVAL … gives a TypeCast
  OptionList modes;
  bool is_local = false;
};
struct VariableShowStatement : NodeOf<NodeKind::variable_show_statement> {
  Name name;
};  // "all" for ALL
struct ConstraintsSetStatement : NodeOf<NodeKind::constraints_set_statement> {
  List<RangeVar*> constraints;  // empty: ALL
  bool deferred = false;
};
struct AlterSystemStatement : NodeOf<NodeKind::alter_system_statement> {
  VariableSetStatement* setting = nullptr;
};

// ---- prepared statements and cursors ----

struct PrepareStatement : NodeOf<NodeKind::prepare_statement> {
  Name name;
  List<TypeName*> types;
  StatementNode* query = nullptr;
};
struct ExecuteStatement : NodeOf<NodeKind::execute_statement> {
  Name name;
  List<Expr*> args;
};
struct DeallocateStatement : NodeOf<NodeKind::deallocate_statement> {
  Name name;
};  // empty: ALL

// Bits of DeclareCursorStatement::options.
inline constexpr int kCursorBinary = 1, kCursorScroll = 2, kCursorNoScroll = 4, kCursorInsensitive = 8, kCursorAsensitive = 16,
                     kCursorHold = 32;
struct DeclareCursorStatement : NodeOf<NodeKind::declare_cursor_statement> {
  Name name;
  int options = 0;
  SelectStatement* query = nullptr;
};
enum class FetchDirection : std::uint8_t { forward, backward, absolute, relative };
inline constexpr std::int64_t kFetchAll = INT64_MAX;
struct FetchStatement : NodeOf<NodeKind::fetch_statement> {
  FetchDirection direction = FetchDirection::forward;
  std::int64_t count = 1;  // kFetchAll = ALL
  Name cursor;
  bool move = false;
};
struct CloseStatement : NodeOf<NodeKind::close_statement> {
  Name name;
};  // empty: ALL

// ---- utilities ----

struct ExplainStatement : NodeOf<NodeKind::explain_statement> {
  OptionList options;  // the old syntax gives "analyze" and "verbose"
  StatementNode* query = nullptr;
};

// COPY. The old option syntax arrives as the same options: format, freeze, delimiter, null, header, quote, escape, encoding,
// force_quote (NodeList of names, or Constant "*" as star NameList), force_not_null, force_null.
struct CopyStatement : NodeOf<NodeKind::copy_statement> {
  RangeVar* relation = nullptr;
  StatementNode* query = nullptr;  // COPY (query) TO
  List<Name> columns;
  bool is_from = false;
  bool is_program = false;
  std::string_view filename;  // empty: STDIN / STDOUT
  OptionList options;
  Expr* where = nullptr;
};

struct VacuumTarget : NodeOf<NodeKind::vacuum_target> {
  RangeVar* relation = nullptr;
  List<Name> columns;
};
struct VacuumStatement : NodeOf<NodeKind::vacuum_statement> {
  bool is_vacuum = true;  // false: ANALYZE
  OptionList options;     // the old syntax gives "full", "freeze", "verbose", "analyze"
  List<VacuumTarget*> targets;
};
struct ClusterStatement : NodeOf<NodeKind::cluster_statement> {
  RangeVar* relation = nullptr;  // null: all
  Name index;
  OptionList options;
};
enum class ReindexKind : std::uint8_t { index, table, schema, system, database };
struct ReindexStatement : NodeOf<NodeKind::reindex_statement> {
  ReindexKind type = ReindexKind::table;
  RangeVar* relation = nullptr;  // of index and table
  Name name;                     // of schema, system and database
  OptionList options;            // "concurrently", "verbose", "tablespace"
};
struct CheckpointStatement : NodeOf<NodeKind::checkpoint_statement> {};
// mode: 1 AccessShare, 2 RowShare, 3 RowExclusive, 4 ShareUpdateExclusive, 5 Share, 6 ShareRowExclusive, 7 Exclusive, 8 AccessExclusive.
struct LockStatement : NodeOf<NodeKind::lock_statement> {
  List<RangeVar*> relations;
  int mode = 8;
  bool nowait = false;
};
struct TruncateStatement : NodeOf<NodeKind::truncate_statement> {
  List<RangeVar*> relations;
  bool restart_identity = false;
  DropBehavior behavior = DropBehavior::restrict;
};
struct ListenStatement : NodeOf<NodeKind::listen_statement> {
  Name channel;
};
struct UnlistenStatement : NodeOf<NodeKind::unlisten_statement> {
  Name channel;
};  // empty: *
struct NotifyStatement : NodeOf<NodeKind::notify_statement> {
  Name channel;
  std::string_view payload;
};
enum class DiscardKind : std::uint8_t { all, plans, sequences, temp };
struct DiscardStatement : NodeOf<NodeKind::discard_statement> {
  DiscardKind target = DiscardKind::all;
};
struct DoStatement : NodeOf<NodeKind::do_statement> {
  OptionList options;
};  // "as" (string), "language"
struct CallStatement : NodeOf<NodeKind::call_statement> {
  FunctionCall* call = nullptr;
};
struct LoadStatement : NodeOf<NodeKind::load_statement> {
  std::string_view filename;
};

}  // namespace hathi::parser
