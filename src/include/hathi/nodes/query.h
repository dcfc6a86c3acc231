#pragma once
// A Query: an analysed statement, names and types resolved. What the planner plans, what views store.

#include "hathi/nodes/expression.h"

namespace hathi::parser { struct Node; }

namespace hathi::nodes {

enum class CommandKind : std::uint8_t { select, insert, update, remove, merge, utility };
enum class JoinType : std::uint8_t { inner, left, right, full, semi, anti };
enum class RteKind : std::uint8_t { relation, subquery, join, function, values, cte, result };

// One function of ROWS FROM.
struct FunctionRte {
  Expr* call = nullptr;
  int column_count = 0;
  bool has_definition = false;        // column definition list given (record-returning)
  bool returns_composite = false;
  List<std::string_view> names;
  List<Oid> types;
  List<std::int32_t> typmods;
  List<Oid> collations;
  template <class V> void fields(V& v) { v(call, column_count, has_definition, returns_composite, names, types, typmods, collations); }
};

// Privileges as PostgreSQL's acl bits.
inline constexpr std::uint32_t kAclInsert = 1, kAclSelect = 2, kAclUpdate = 4, kAclDelete = 8, kAclTruncate = 16, kAclReferences = 32, kAclTrigger = 64,
                               kAclExecute = 128, kAclUsage = 256, kAclCreate = 512, kAclCreateTemp = 1024, kAclConnect = 2048, kAclSet = 4096,
                               kAclAlterSystem = 8192;

struct TableSample {
  std::string_view method;
  List<Expr*> args;
  Expr* repeatable = nullptr;
  template <class V> void fields(V& v) { v(method, args, repeatable); }
};

struct RangeTableEntry {
  RteKind kind = RteKind::relation;
  std::string_view name;                  // by which columns refer to it (alias or table name)
  bool has_alias = false;
  List<std::string_view> column_names;    // visible names; "" = dropped column
  List<std::string_view> alias_columns;   // as written in the alias
  // relation (and the view a subquery was made from)
  Oid relation = kInvalidOid;
  char relation_kind = '\0';
  std::uint8_t lock_mode = 0;             // locking::LockMode
  bool inherit = false;
  TableSample* sample = nullptr;
  // subquery
  Query* subquery = nullptr;
  bool security_barrier = false;
  // join: for each output column the expression it stands for
  JoinType join_type = JoinType::inner;
  int merged_columns = 0;                 // the first so many come from USING / NATURAL
  List<Expr*> join_columns;
  List<int> left_columns, right_columns;  // column of the left/right input for each output column, 0 = none
  std::string_view using_alias;
  // function
  List<FunctionRte*> functions;
  bool ordinality = false;
  // values
  List<List<Expr*>> values;
  // cte
  std::string_view cte_name;
  int cte_levels_up = 0;
  bool self_reference = false;
  // column types of subquery, values, cte, function
  List<Oid> types;
  List<std::int32_t> typmods;
  List<Oid> collations;
  bool lateral = false;
  bool in_from = true;
  // privileges to check at execution
  std::uint32_t required = 0;
  Oid check_as = kInvalidOid;             // role, 0 = current
  List<AttrNumber> selected, inserted, updated;   // columns; 0 in selected = whole row
  template <class V> void fields(V& v) {
    v(kind, name, has_alias, column_names, alias_columns, relation, relation_kind, lock_mode, inherit, sample, subquery, security_barrier, join_type,
      merged_columns, join_columns, left_columns, right_columns, using_alias, functions, ordinality, values, cte_name, cte_levels_up, self_reference,
      types, typmods, collations, lateral, in_from, required, check_as, selected, inserted, updated);
  }
};

// The join tree: leaves are range-table numbers.
enum class JoinNodeKind : std::uint8_t { reference, join, from };
struct JoinNode {
  JoinNodeKind kind;
};
struct RangeReference : JoinNode {
  static constexpr JoinNodeKind kKind = JoinNodeKind::reference;
  int rte = 0;
  template <class V> void fields(V& v) { v(rte); }
};
struct JoinExpr : JoinNode {
  static constexpr JoinNodeKind kKind = JoinNodeKind::join;
  JoinType type = JoinType::inner;
  JoinNode* left = nullptr;
  JoinNode* right = nullptr;
  Expr* condition = nullptr;
  int rte = 0;                            // its range-table entry
  bool natural = false;
  List<std::string_view> using_columns;
  template <class V> void fields(V& v) { v(type, left, right, condition, rte, natural, using_columns); }
};
struct FromExpr : JoinNode {
  static constexpr JoinNodeKind kKind = JoinNodeKind::from;
  List<JoinNode*> items;
  Expr* where = nullptr;
  template <class V> void fields(V& v) { v(items, where); }
};

// UNION / INTERSECT / EXCEPT: a tree; leaves are range-table numbers of subqueries.
struct SetOperation {
  enum class Op : std::uint8_t { leaf, union_op, intersect_op, except_op };
  Op op = Op::leaf;
  bool all = false;
  int rte = 0;
  SetOperation* left = nullptr;
  SetOperation* right = nullptr;
  List<Oid> types;
  List<std::int32_t> typmods;
  List<Oid> collations;
  List<SortClause*> group;                // one a column, unless all
  template <class V> void fields(V& v) { v(op, all, rte, left, right, types, typmods, collations, group); }
};

struct GroupingSet {
  enum class Kind : std::uint8_t { empty, simple, rollup, cube, sets };
  Kind kind = Kind::empty;
  List<int> refs;
  List<GroupingSet*> content;
  template <class V> void fields(V& v) { v(kind, refs, content); }
};

struct WindowClause {
  std::string_view name, refname;
  List<SortClause*> partition_by, order_by;
  int frame_options = 0;                  // kFrame… bits
  Expr* start_offset = nullptr;
  Expr* end_offset = nullptr;
  Oid start_in_range = kInvalidOid, end_in_range = kInvalidOid, in_range_collation = kInvalidOid;
  bool in_range_ascending = true, in_range_nulls_first = false;
  int ref = 0;
  bool copied_order = false;
  template <class V> void fields(V& v) {
    v(name, refname, partition_by, order_by, frame_options, start_offset, end_offset, start_in_range, end_in_range, in_range_collation,
      in_range_ascending, in_range_nulls_first, ref, copied_order);
  }
};
inline constexpr int kFrameNonDefault = 1, kFrameRange = 2, kFrameRows = 4, kFrameGroups = 8, kFrameBetween = 16, kFrameStartUnboundedPreceding = 32,
                     kFrameEndUnboundedFollowing = 256, kFrameStartCurrentRow = 512, kFrameEndCurrentRow = 1024, kFrameStartOffsetPreceding = 2048,
                     kFrameEndOffsetPreceding = 4096, kFrameStartOffsetFollowing = 8192, kFrameEndOffsetFollowing = 16384, kFrameExcludeCurrentRow = 32768,
                     kFrameExcludeGroup = 65536, kFrameExcludeTies = 131072;

struct CommonTableExpr {
  std::string_view name;
  int materialized = 0;                   // 0 default, 1 MATERIALIZED, 2 NOT MATERIALIZED
  Query* query = nullptr;
  bool recursive = false;                 // refers to itself
  int reference_count = 0;
  List<std::string_view> column_names, alias_columns;
  List<Oid> types;
  List<std::int32_t> typmods;
  List<Oid> collations;
  template <class V> void fields(V& v) { v(name, materialized, query, recursive, reference_count, column_names, alias_columns, types, typmods, collations); }
};

struct RowMark {
  int rte = 0;
  std::uint8_t strength = 0;              // heap::RowLockMode
  std::uint8_t wait_policy = 0;           // heap::WaitPolicy
  bool pushed_down = false;
  template <class V> void fields(V& v) { v(rte, strength, wait_policy, pushed_down); }
};

struct OnConflict {
  bool do_update = false;
  List<Expr*> arbiter_elements;
  List<Oid> arbiter_classes, arbiter_collations;
  Expr* arbiter_where = nullptr;
  Oid constraint = kInvalidOid;
  List<TargetEntry*> set;
  Expr* where = nullptr;
  int excluded_rte = 0;
  template <class V>
  void fields(V& v) {
    v(do_update, arbiter_elements, arbiter_classes, arbiter_collations, arbiter_where, constraint, set, where, excluded_rte);
  }
};

struct WithCheck {
  bool cascaded = false;
  std::string_view relation;
  Expr* condition = nullptr;
  template <class V> void fields(V& v) { v(cascaded, relation, condition); }
};

struct Query {
  CommandKind command = CommandKind::select;
  const parser::Node* utility = nullptr;      // command == utility: the statement itself (not serialised)
  int result_rte = 0;                         // INSERT/UPDATE/DELETE: the target
  bool has_aggregates = false, has_windows = false, has_target_srfs = false, has_sub_links = false, has_distinct_on = false, has_recursive = false,
       has_modifying_cte = false, has_row_marks = false, can_set_tag = true;
  List<CommonTableExpr*> ctes;
  List<RangeTableEntry*> range_table;         // [rte - 1]
  FromExpr* from = nullptr;
  List<TargetEntry*> targets;
  char overriding = '\0';                     // u user value, s system value
  OnConflict* on_conflict = nullptr;
  List<TargetEntry*> returning;
  List<SortClause*> group_by;
  bool group_distinct = false;
  List<GroupingSet*> grouping_sets;
  Expr* having = nullptr;
  List<WindowClause*> windows;
  List<SortClause*> distinct;
  List<SortClause*> order_by;
  Expr* limit = nullptr;
  Expr* offset = nullptr;
  bool limit_with_ties = false;
  List<RowMark*> row_marks;
  SetOperation* set_operations = nullptr;
  List<WithCheck*> with_checks;
  int statement_location = -1, statement_length = 0;
  template <class V> void fields(V& v) {
    v(command, result_rte, has_aggregates, has_windows, has_target_srfs, has_sub_links, has_distinct_on, has_recursive, has_modifying_cte, has_row_marks,
      can_set_tag, ctes, range_table, from, targets, overriding, on_conflict, returning, group_by, group_distinct, grouping_sets, having, windows,
      distinct, order_by, limit, offset, limit_with_ties, row_marks, set_operations, with_checks);
  }
};

}  // namespace hathi::nodes
