#pragma once
// Plans: what the planner makes and the executor reads. Immutable; everything a run changes is in the executor's states.
// No pointers into private memory outside the plan's own arena, code named by OID: a plan may be kept, cached, shared.
//
// Variables in plan expressions: in scans rte = the scanned range-table number and column = table column (or for kIndexVar the
// index column); above scans rte is kOuterVar (left input), kInnerVar (right input) and column the position in that input's
// targets. Scan nodes over subqueries, functions, values, CTEs use rte and the position in their output.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hathi/heap/heap.h"
#include "hathi/locking/lock_table.h"
#include "hathi/nodes/query.h"

namespace hathi::planner {

using nodes::Expr;
using nodes::TargetEntry;

enum class PlanKind : std::uint8_t {
  result, project_set, modify_table, append, merge_append, partitioned_scan, recursive_union, bitmap_and, bitmap_or, seq_scan, sample_scan, index_scan,
  index_only_scan, bitmap_index_scan, bitmap_heap_scan, tid_scan, subquery_scan, function_scan, values_scan, cte_scan, work_table_scan, nest_loop,
  merge_join, hash_join, hash, materialize, memoize, sort, incremental_sort, group, aggregate, window_aggregate, unique, set_op, lock_rows, limit
};

struct Plan {
  PlanKind kind;
  int id = 0;                       // number in the statement, from 0: index of the executor's state
  double startup_cost = 0, total_cost = 0, rows = 0;
  int width = 0;
  List<TargetEntry*> targets;       // output columns
  List<Expr*> filter;               // implicit AND over the input row
  Plan* left = nullptr;             // outer input
  Plan* right = nullptr;            // inner input
  List<int> init_plans;             // numbers in PlannedStatement::subplans, run on demand before this node's first row
  // Exec parameters that, when changed, force a rescan of this subtree (sorted).
  List<int> parameters;
};

struct Scan : Plan { int rte = 0; };

struct Result : Plan { Expr* constant_filter = nullptr; /* One-Time Filter, parameters only */ };
struct ProjectSet : Plan {};        // set-returning functions at the top level of its targets
struct SeqScan : Scan {};
struct SampleScan : Scan { nodes::TableSample* sample = nullptr; };

// A condition of an index scan: index column, operator strategy, argument (parameters and outer values only).
struct IndexCondition {
  AttrNumber column = 0;            // position in the index, from 1
  int strategy = 0;                 // btree strategy; 0 = IS NULL, 6 = IS NOT NULL
  Oid op = kInvalidOid, function = kInvalidOid;       // index column op argument
  Oid comparison = kInvalidOid;     // order function of the operator family for (index type, argument type)
  Oid collation = kInvalidOid;
  bool is_array = false;            // argument is an array: column = ANY(argument)
  Expr* argument = nullptr;
  Expr* original = nullptr;         // as EXPLAIN prints it (index column as Variable of the table)
};
struct IndexScan : Scan {           // kinds index_scan and index_only_scan
  Oid index = kInvalidOid;
  List<IndexCondition*> conditions;
  List<Expr*> recheck;              // original conditions, re-checked after EvalPlanQual
  bool backward = false;
  bool known_unique = false;        // at most one row: stop after it
  // index_only_scan: targets and filter use Variable(kIndexVar, index column).
};
struct BitmapIndexScan : Scan { Oid index = kInvalidOid; List<IndexCondition*> conditions; };
struct BitmapAnd : Plan { List<Plan*> inputs; };
struct BitmapOr : Plan { List<Plan*> inputs; };
struct BitmapHeapScan : Scan { List<Expr*> recheck; };           // left = the bitmap
struct TidScan : Scan { List<Expr*> tids; /* ctid = expr, ctid = ANY(array), CURRENT OF: OR-ed */ List<Expr*> range; /* ctid < … (TID range) */ };
struct SubqueryScan : Scan { Plan* subplan = nullptr; };
struct FunctionScan : Scan { List<nodes::FunctionRte*> functions; bool ordinality = false; };
struct ValuesScan : Scan { List<List<Expr*>> rows_of_values; };
struct CteScan : Scan { int plan = 0; /* number in subplans */ int cte_param = 0; };
struct WorkTableScan : Scan { int work_param = 0; };
struct RecursiveUnion : Plan { int work_param = 0; bool distinct = false; List<AttrNumber> columns; List<Oid> equal_operators, collations; };

struct SortKeys { List<AttrNumber> columns; List<Oid> operators, collations; List<bool> nulls_first; };

// All partitions of one partitioned table behind one template (DESIGN section 8). `left` is the template: a scan of the table by its
// partitioned indexes that is bound to one partition after the other. Which partitions are read is decided at run time by pruning.
struct PartitionedScan : Scan {
  int number = 0;                   // among the statement's partitioned scans, from 0
  List<Expr*> conditions;           // all restrictions on the table (also in filter, which only re-checks evaluate): for pruning and for
                                    // the paths of partitions that differ
  // Order of the output (positions in targets). Partitions are merged, or read one after the other where the bounds have that order.
  SortKeys order;
  bool ordered = false;
  bool concatenated = false, descending = false;
  bool prunes = true;               // enable_partition_pruning when it was planned
  bool for_modify = false;          // yields tableoid and ctid in junk targets
  locking::LockMode lock = locking::LockMode::access_share;   // of partitions
};

struct Append : Plan { List<Plan*> inputs; };
struct MergeAppend : Plan { List<Plan*> inputs; List<AttrNumber> columns; List<Oid> operators, collations; List<bool> nulls_first; };

struct Join : Plan { nodes::JoinType type = nodes::JoinType::inner; List<Expr*> conditions; /* of ON, besides the method's own */ bool inner_unique = false; };
struct NestLoopParam { int slot = 0; Expr* value = nullptr; /* over the outer row (kOuterVar) */ };
struct NestLoop : Join { List<NestLoopParam*> params; };
struct MergeClause {
  Expr* outer = nullptr;
  Expr* inner = nullptr;
  Oid comparison = kInvalidOid;
  Oid collation = kInvalidOid;
  bool descending = false, nulls_first = false;
};
struct MergeJoin : Join { List<MergeClause*> clauses; List<Expr*> originals; bool skip_mark_restore = false; };
struct HashJoin : Join {
  List<Expr*> clauses; /* OpExpr: outer op inner */
  List<Expr*> outer_keys, inner_keys;
  List<Oid> equal_functions, outer_hash, inner_hash, collations;
};
struct Hash : Plan { List<Expr*> keys; };

struct Sort : Plan { SortKeys keys; };
struct IncrementalSort : Sort { int presorted = 0; };
struct Materialize : Plan {};
struct Memoize : Plan { List<Expr*> keys; List<Oid> hash_operators, collations; bool singlerow = false; bool binary_mode = false; };
struct Unique : Plan { List<AttrNumber> columns; List<Oid> equal_operators, collations; };
struct Group : Plan { List<AttrNumber> columns; List<Oid> equal_operators, collations; };
struct Aggregate : Plan {
  enum class Strategy : std::uint8_t { plain, sorted, hashed, mixed };
  Strategy strategy = Strategy::plain;
  List<AttrNumber> columns;         // grouping columns of the input
  List<Oid> equal_operators, collations;
  List<nodes::Aggregate*> aggregates;   // by number; args over the input row (kOuterVar)
  double group_count = 0;
  List<List<int>> grouping_sets;    // indexes into columns; empty = one set of all columns
  List<Aggregate*> chain;           // further sorted/hashed phases of grouping sets
};
struct WindowAggregate : Plan {
  nodes::WindowClause* window = nullptr;
  List<AttrNumber> partition_columns, order_columns;
  List<Oid> partition_operators, order_operators, partition_collations, order_collations;
  List<nodes::WindowFunction*> functions;
};
struct SetOp : Plan {
  enum class Command : std::uint8_t { intersect, intersect_all, except, except_all };
  Command command = Command::intersect;
  bool hashed = false;
  List<AttrNumber> columns; List<Oid> equal_operators, collations;
  AttrNumber flag_column = 0;       // 0 = from the left, 1 = from the right
  double group_count = 0;
};
struct Limit : Plan {
  Expr* offset = nullptr;
  Expr* count = nullptr;
  bool with_ties = false;
  List<AttrNumber> tie_columns;
  List<Oid> tie_operators, tie_collations;
};

struct RowMarkPlan { int rte = 0; heap::RowLockMode mode = heap::RowLockMode::update; heap::WaitPolicy policy = heap::WaitPolicy::block;
  bool lock = true;                                                /* false: only re-fetched for EvalPlanQual */
  AttrNumber ctid_column = 0, tableoid_column = 0, row_column = 0; /* junk columns of the input */
};
struct LockRows : Plan { List<RowMarkPlan*> marks; int epq_param = 0; };

struct ModifyTable : Plan {
  nodes::CommandKind operation = nodes::CommandKind::insert;
  int rte = 0;                      // the named target; partitions are found by routing or by the tableoid junk column
  bool target_is_partitioned = false;
  AttrNumber ctid_column = 0, tableoid_column = 0;     // junk columns of the input
  List<AttrNumber> update_columns;  // UPDATE: target column of each non-junk input column
  List<TargetEntry*> returning;     // over the new/old row (rte, column) and, for USING/FROM, kOuterVar columns of the input
  nodes::OnConflict* on_conflict = nullptr;            // expressions over rte (existing) and excluded_rte (proposed)
  List<Oid> arbiter_indexes;
  List<nodes::WithCheck*> with_checks;
  List<RowMarkPlan*> marks;
};

// A range-table entry as execution needs it.
struct RangeEntry {
  nodes::RteKind kind = nodes::RteKind::relation;
  Oid relation = kInvalidOid;
  char relation_kind = '\0';
  locking::LockMode lock = locking::LockMode::none;
  std::string_view name;            // alias or table name, for EXPLAIN
  bool has_alias = false;
  nodes::RangeTableEntry* source = nullptr;   // columns for EXPLAIN; privileges
};

struct PlannedStatement {
  nodes::CommandKind command = nodes::CommandKind::select;
  bool has_returning = false, has_modifying_cte = false, can_set_tag = true, is_transient = false, depends_on_role = false;
  Plan* plan = nullptr;
  std::span<RangeEntry> range_table;             // [rte - 1]; subqueries' entries appended (flat)
  std::span<Plan* const> subplans;               // [number - 1]
  std::span<const nodes::SubPlan* const> subplan_links;
  int plan_count = 0;                            // ids are below it
  int exec_param_count = 0;
  std::span<const Oid> exec_param_types;
  std::span<const int> result_rtes;
  std::span<const PartitionedScan* const> partitioned_scans;   // [number]
  // What it was planned from: checked by the plan cache under locks.
  struct Dependency { Oid relation; std::uint64_t version; };
  std::span<const Dependency> dependencies;
  std::span<const std::uint64_t> catalog_versions;   // of functions, types … used: pairs (slot, value)
  const nodes::Query* utility = nullptr;
};

struct ParameterValue { NullableDatum value; Oid type = kInvalidOid; };
// External parameters: constants to the planner when a custom plan is made; values to the executor.
struct BoundParameters { std::span<const ParameterValue> values; bool plan_as_constants = false; };

// cursor_options: bits.
inline constexpr int kCursorScroll = 1, kCursorFastStart = 2, kCursorGenericPlan = 4, kCursorCustomPlan = 8, kCursorBinary = 16, kCursorHold = 32,
                     kCursorNoScroll = 64;
// Plans the query (which it may change) into the arena. Relations are locked already (by the analyzer or the plan cache).
PlannedStatement* plan(nodes::Query* query, const BoundParameters& parameters, int cursor_options, Arena& arena);

// The access path of one partition: the template with the partition's own indexes, or a plan of its own where it differs from the
// table (other columns, other indexes). Column numbers are the partition's. The partition is locked. Cached by the caller per
// (partition, version).
Plan* plan_partition(const PartitionedScan& scan, const PlannedStatement& statement, Oid partition, Arena& arena);

}  // namespace hathi::planner
