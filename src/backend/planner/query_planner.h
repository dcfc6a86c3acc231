#pragma once
// Plans one query level. The steps stand in plan() in their order; each is in a file of its own.

#include <map>
#include <memory>

#include "context.h"

namespace hathi::planner {

struct TableSize { double rows = 0, pages = 0; };
class JoinPlanner;
struct JoinRelation;
struct Path;
struct PathKey;
using PathKeys = std::vector<const PathKey*>;

class QueryPlanner {
 public:
  QueryPlanner(StatementContext& statement, Query* query, QueryPlanner* parent);
  ~QueryPlanner();
  QueryPlanner(const QueryPlanner&) = delete;
  QueryPlanner& operator=(const QueryPlanner&) = delete;

  // The finished plan of this level, references resolved.
  Plan* plan();
  // Outer values the plan needs: exec slots with the parent's (level-0) expression for each. Filled while planning.
  struct OuterParam { int slot; nodes::Variable* variable; Expr* other; };
  const std::vector<OuterParam>& params_from_parent() const { return params_from_parent_; }
  int rte_offset() const { return offset_; }

 private:
  friend class SetOperationPlanner;
  friend class JoinPlanner;
  friend class TablePaths;
  // expressions.cpp
  void prepare_query();
  void prepare_expressions();
  Expr* prepare(Expr* e);                                   // outer variables to parameters, sublinks to subplans
  Expr* prepare_node(Expr* e);
  Expr* fold(Expr* e);
  Expr* plan_sub_link(nodes::SubLink* link);
  Expr* outer_parameter(nodes::Variable* variable);
  Expr* outer_aggregate(nodes::Aggregate* a);
  void lower_levels(Expr* e, int by);
  Expr* expand_join_variable(nodes::Variable* v);
  Expr* expand_join_variables(Expr* e);
  Expr* whole_join_row(nodes::Variable* v, const nodes::RangeTableEntry& entry);
  int slot_for_ancestor(QueryPlanner& ancestor, QueryPlanner& child, Expr* e, Oid type);
  void collect_used_columns();
  void note_used(Expr* e);
  void note_outer_uses(nodes::Query* below, int depth);
  void note_outer_uses(Expr* e, int depth);
  int multi_assign_slot(int link, int column, Oid type);
  std::vector<Qual> split(Expr* condition) const;
  RelationSet relations_of(const Expr* e) const;

  // ctes.cpp
  void plan_ctes();
  void plan_recursive_cte(const nodes::CommonTableExpr& cte, CteInfo& info);
  CteInfo* find_cte(std::string_view name, int levels_up);

  // join_tree.cpp
  RelPlan plan_from(nodes::FromExpr* from);
  Plan* make_join_targets(Plan* join, Plan* left, Plan* right);
  bool reduce_outer_joins(nodes::JoinNode* node, const std::vector<Qual>& above);
  double distinct_of(Expr* e, double rows);
  void bind_lateral(const RelPlan& inner, NestLoop& nest, const RelationSet& outer);

  // upper_paths.cpp
  double wanted_fraction() const;
  void note_wanted_orders();
  const Path* choose_path(JoinRelation& top);
  struct Above;
  void cost_groups(Above& a, bool hashed);
  void cost_distinct(Above& a, bool hashed);
  void cost_order(Above& a, const PathKeys& keys, double limit, bool in_parts = true);
  double final_cost(const Above& a) const;
  Plan* ensure_order(Plan* input, const List<nodes::SortClause*>& clauses, const List<TargetEntry*>& targets, double limit, bool in_parts = true);
  void reorder_group_by();
  void drop_dependent_groups();
  void push_having_down();

  // key_lookup.cpp
  bool plan_key_lookup(nodes::FromExpr* from, RelPlan& out);

  // min_max.cpp
  Plan* plan_min_max();
  Query* extreme_query(const nodes::Aggregate* a, Oid order, int rte, bool nulls_first);

  // table_paths.cpp
  bool is_unique_output(int rte, AttrNumber column) const;

  // scans.cpp
  nodes::Variable* make_variable(int rte, AttrNumber column);
  RelPlan plan_relation(int rte, std::vector<Qual>& quals);
  // index_match.cpp
  IndexScan* try_index(int rte, const catalog::IndexDescriptor& index, const std::vector<Expr*>& conditions);
  IndexCondition* match_condition(Expr* e, int rte, const catalog::IndexDescriptor& index, int position, const List<Expr*>& expressions);
  List<Expr*> index_expressions(const catalog::IndexDescriptor& index, int rte);
  bool predicate_holds(const catalog::IndexDescriptor& index, int rte, const std::vector<Expr*>& conditions);
  Expr* fold_stored(Expr* e);
  Expr* stored_for(Expr* e, int rte);                       // an index's expression, which names its table as 1
  void make_index_only(IndexScan* scan, int rte, const catalog::IndexDescriptor& index);
  // table_scans.cpp; need_index: only by an index, nullptr when none fits.
  Plan* plan_table(int rte, const std::vector<Expr*>& conditions, bool need_index);
  BitmapHeapScan* bitmap_scan(const IndexScan& scan, int rte, const catalog::IndexDescriptor& index);
  Plan* plan_tid_scan(int rte, const std::vector<Expr*>& conditions);
  Plan* plan_table_path(int rte, const std::vector<Expr*>& conditions, bool need_index);
  // sample_scans.cpp
  void bind_sample(int rte, RelPlan& out);
  Plan* plan_sample_scan(int rte, const std::vector<Expr*>& conditions);
  // push_down.cpp
  void push_into_subquery(Query* sub, int rte, std::vector<Expr*>& conditions);
  static bool is_union_member(const Query& member);
  // exclusion.cpp
  std::vector<Expr*> constraints_of(int rte, bool not_null, bool of_partition);
  bool is_excluded(int rte, std::span<Expr* const> conditions, bool is_member);
  friend bool is_excluded_partition(const PartitionedScan& scan, const PlannedStatement& statement, const catalog::Relation& partition);
  // partition_paths.cpp
  Plan* plan_partitioned(int rte, const std::vector<Expr*>& conditions, bool need_index);
  Plan* wrap_template(int rte, const std::vector<Expr*>& conditions, Plan* path);
  Plan* order_partitions(PartitionedScan* input);
  Plan* plan_partition_path(const PartitionedScan& scan, const std::vector<Expr*>& conditions, const List<TargetEntry*>& targets);
  bool bounds_give_order(int rte, const List<TargetEntry*>& targets, bool& descending);
  friend Plan* plan_partition(const PartitionedScan& scan, const PlannedStatement& statement, Oid partition, Arena& arena);
  void set_scan_targets(Plan* plan, int rte);
  int target_width(const List<TargetEntry*>& targets) const;
  void fill_range_entry(int rte);
  Plan* plan_subquery_rte(int rte, std::vector<Expr*>& conditions, RelPlan& out);
  Plan* plan_function_rte(int rte, RelPlan& out);
  Plan* plan_values_rte(int rte, RelPlan& out);
  Plan* plan_cte_rte(int rte);
  void note_lateral(int rte, int slot, Expr* value, RelPlan& out);
  Expr* bind_outer_items(Expr* e, int rte, RelPlan& out);

  // grouping.cpp
  Plan* plan_grouping(Plan* input);
  Plan* plan_grouping_sets(Aggregate* agg, Plan* source, const List<TargetEntry*>& below);
  void set_grouped_targets(Plan* agg);
  // windows.cpp, target_srfs.cpp
  Plan* plan_windows(Plan* input);
  Plan* plan_target_srfs(Plan* input);
  bool contains_srf_at(Expr* e, int level);
  // order_limit.cpp
  Plan* plan_distinct(Plan* input);
  Plan* plan_distinct_and_order(Plan* input);
  Plan* plan_order(Plan* input);
  Plan* plan_limit(Plan* input);
  Plan* order_by_index(Plan* input);
  int index_direction(const catalog::IndexDescriptor& index, int rte, const List<TargetEntry*>& targets);
  double limit_rows() const;
  Plan* plan_row_marks(Plan* input);
  // projection.cpp
  Plan* make_sort(Plan* input, const List<nodes::SortClause*>& clauses, const List<TargetEntry*>& targets);
  Plan* project(Plan* input, const List<TargetEntry*>& targets);
  bool project_members(Append& append, const List<TargetEntry*>& targets);

  // set_operations.cpp
  Plan* plan_set_operations();
  Plan* plan_set_node(nodes::SetOperation* node);
  Plan* plan_set_leaf(nodes::SetOperation* node, bool of_union_all = false);
  Plan* convert_columns(Plan* input, const nodes::SetOperation& node);
  nodes::Variable* outer_column(const TargetEntry& t);
  Plan* sort_all_columns(Plan* input, const nodes::SetOperation& node);
  Plan* make_distinct(Plan* input, const nodes::SetOperation& node);
  List<TargetEntry*> set_operation_targets(const nodes::SetOperation& node, const Plan* input);

  // modify.cpp
  void prepare_modify_targets();
  Plan* plan_modify(Plan* input);
  void complete_insert_targets();
  void complete_update_targets();
  AttrNumber add_junk(Expr* e, std::string_view name);
  void add_returning_columns(Expr* e);
  void add_row_mark_columns();

  StatementContext& s_;
  Query* q_;
  QueryPlanner* parent_;
  int offset_ = 0;
  std::vector<OuterParam> params_from_parent_;
  std::vector<std::vector<AttrNumber>> used_;      // by rte: columns needed above the scan
  std::map<std::string_view, CteInfo> ctes_;
  std::vector<int> init_plans_;                    // of this level, attached to its top node
  std::vector<catalog::RelationRef> relations_;    // by rte - 1
  std::vector<RowMarkPlan*> marks_;
  std::vector<AttrNumber> update_columns_;
  AttrNumber ctid_column_ = 0, tableoid_column_ = 0;
  std::map<int, std::vector<Expr*>> base_conditions_;   // of tables, by rte
  struct LateralParam { int rte; int slot; Expr* value; };
  std::vector<LateralParam> lateral_params_;       // values that lateral items read, by the item's rte
  std::map<int, int> multi_assign_slots_;   // link << 16 | column: exec slot
  std::unique_ptr<JoinPlanner> joins_;
  std::vector<const PathKey*> current_keys_;       // the order of the plan made so far
  std::vector<Expr*> group_expressions_;
  bool hash_groups_ = false, hash_distinct_ = false, plain_aggregates_ = false;
  bool is_union_member_ = false;                   // a table in a UNION ALL
  bool grouped_by_partitions_ = false;             // what FROM gives is grouped already
  std::vector<List<Expr*>> join_columns_;          // by rte - 1: what the columns of joins stand for
};

// Variable::source_rte of an Append's column that EXPLAIN names as its first input does.
inline constexpr int kFromInput = -1;

// Replaces variables by references to inputs (references.cpp); offset: the level's first flat range-table number minus 1.
void set_references(Plan* plan, int offset, StatementContext& s, const Query* query);
// Takes out subquery scans that only hand on their rows (references.cpp); after all references are set.
void remove_trivial_scans(Plan*& plan, Arena& arena);
// Numbers plan nodes and works out which exec parameters force rescans (references.cpp).
void finish_plan(PlannedStatement& statement, StatementContext& s);
// Numbers the nodes of a plan that is made at run time, in a numbering of its own.
void number_plan(Plan* plan, int& next_id);

// --- nodes (nodes.cpp) ---------------------------------------------------------------------------------------------------------
template <class T>
T* make_plan(Arena& arena, PlanKind kind) {
  T* p = new (arena.allocate(sizeof(T), alignof(T))) T();
  p->kind = kind;
  return p;
}
TargetEntry* make_target(Arena& arena, Expr* e, int number, std::string_view name = {}, bool junk = false);
// A plan without rows, and whether a plan is one (exclusion.cpp).
Plan* make_nothing(Arena& arena);
bool is_nothing(const Plan* plan);
Expr* make_and(Arena& arena, const std::vector<Expr*>& quals);
nodes::Constant* make_bool(Arena& arena, bool value);
nodes::Constant* make_null(Arena& arena, Oid type, std::int32_t typmod, Oid collation);
const TargetEntry* find_target(const List<TargetEntry*>& targets, int sort_group_ref);
int width_of(const List<TargetEntry*>& targets);
// A plan that returns its input's rows with the same columns.
List<TargetEntry*> copy_targets(const List<TargetEntry*>& from, Arena& arena);
bool contains_srf(Expr* e);
bool contains_volatile(Expr* e);
bool contains_sub_plan(Expr* e);
bool is_strict_for(Expr* e, const RelationSet& relations);

// --- estimates (cost.cpp) --------------------------------------------------------------------------------------------------------
// relation: whose columns the condition names, or nullptr; rte: its number, where the condition may name columns of others (unknown values).
double selectivity(Expr* condition, const catalog::Relation* relation, int rte = 0);
double selectivity_of_all(std::span<Expr* const> conditions, const catalog::Relation* relation, int rte = 0);
bool is_unique_column(const catalog::Relation& relation, AttrNumber column);
double distinct_values(Expr* e, const catalog::Relation* relation, double rows);
// Is it a valid btree that leads to all versions the query's snapshot may see?
bool may_scan(const catalog::IndexDescriptor& index);
TableSize table_size(const catalog::Relation& relation);
// What one scan reads: of a partitioned table, a partition of average size.
TableSize scanned_size(const catalog::Relation& relation);
// What TABLESAMPLE reads of it (sample_scans.cpp).
TableSize sampled_size(const nodes::TableSample& sample, TableSize size);
void cost_seq_scan(Plan& plan, TableSize size, double quals);
void cost_index_scan(IndexScan& plan, const catalog::Relation& table, const catalog::IndexDescriptor& index, double selected, double loops);
void cost_bitmap_scan(BitmapHeapScan& heap, BitmapIndexScan& bitmap, const catalog::Relation& table, const catalog::IndexDescriptor& index, double selected);
void cost_sort(Plan& plan, const Plan& input);

}  // namespace hathi::planner
