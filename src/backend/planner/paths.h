#pragma once
// Planning the joins of one query level: the conditions sorted out, the relations to be joined, and for each set of relations the paths that
// were found worth keeping. Paths are cheap sketches; only the chosen one becomes plan nodes (build_plan.cpp).

#include <memory>
#include <span>
#include <unordered_map>

#include "query_planner.h"

namespace hathi::planner {

// Objects that keep their addresses; nothing is allocated before the first.
template <class T>
class Store {
 public:
  template <class... Args>
  T& emplace_back(Args&&... args) { return *items_.emplace_back(std::make_unique<T>(std::forward<Args>(args)...)); }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  T& operator[](std::size_t i) { return *items_[i]; }
  const T& operator[](std::size_t i) const { return *items_[i]; }

 private:
  std::vector<std::unique_ptr<T>> items_;
};

struct Clause;

// Expressions that are equal to each other in every row (above the joins that make them so).
struct EquivalenceMember { Expr* expr = nullptr; RelationSet relations; Oid type = kInvalidOid; /* the operators' input type */ bool constant = false; };
struct EquivalenceClass {
  Oid family = kInvalidOid, collation = kInvalidOid;   // btree family of the equality
  std::vector<EquivalenceMember> members;
  std::vector<Clause*> sources;            // conditions it was made of
  std::vector<Clause*> derived;            // conditions made from it
  RelationSet relations;
  bool has_constant = false, below_outer_join = false, is_volatile = false;
  bool broken = false;                     // some pair has no operator: only the conditions as written count
  EquivalenceClass* merged_into = nullptr;
  bool redundant_as_key() const { return has_constant && !below_outer_join; }
};

// One column of a sort order. There is one object for each: pointers compare.
struct PathKey { EquivalenceClass* of; Oid family; bool descending, nulls_first; };

// A condition with what joins ask of it.
struct Clause {
  Expr* expr = nullptr;
  RelationSet relations;                   // must all be there before it can be evaluated
  RelationSet mentioned;                   // whose columns it names
  RelationSet nonnullable;                 // ON of an outer join: the side that keeps its rows; the condition cannot be moved there
  bool is_filter = true;                   // false: ON of an outer join
  bool delayed = false;                    // waits for an outer join
  // left op right, each side of other relations; op can hash or merge
  nodes::OpExpr* op = nullptr;
  RelationSet left, right;
  bool can_join = false;
  bool can_hash = false;
  Oid merge_family = kInvalidOid;          // btree family when it can merge
  EquivalenceClass* left_class = nullptr;
  EquivalenceClass* right_class = nullptr;
  EquivalenceClass* parent = nullptr;      // the class it stands for
  double cost = -1;                        // of one evaluation, once computed
  double inner_selectivity = -1;           // once computed
};

// An outer, semi or anti join: what must be on its sides before it can be done.
struct SpecialJoin {
  nodes::JoinType type = nodes::JoinType::left;
  RelationSet min_left, min_right;         // least sides
  RelationSet left, right;                 // as written
  bool left_strict = false;                // the condition rejects NULLs of the left side
  bool delays_upper = false;
  // Semi joins whose condition is equalities can take the right side made unique.
  bool can_unique = false;
  std::vector<Expr*> unique_expressions;
  std::vector<Oid> unique_operators;       // equality of the right side's types
};

struct JoinRelation;
struct PartitionPieces;

enum class PathKind : std::uint8_t { plan, sort, incremental_sort, materialize, memoize, unique, nest_loop, merge_join, hash_join };

struct Path {
  PathKind kind = PathKind::plan;
  JoinRelation* relation = nullptr;
  double startup = 0, total = 0, rows = 0;
  PathKeys keys;                           // its order
  RelationSet needs;                       // relations whose values come from outside
  Plan* plan = nullptr;                    // kind plan; columns of `needs` stand unbound in it
  bool is_parameterized = false;           // conditions with columns of others, not a lateral item
  std::vector<Clause*> bound;              // join conditions it checks itself
  const Path* left = nullptr;
  const Path* right = nullptr;
  nodes::JoinType type = nodes::JoinType::inner;
  std::vector<Clause*> join_clauses;       // merge and hash conditions
  std::vector<Clause*> conditions;         // others of the join
  std::vector<Clause*> filters;            // of outer joins: checked on what comes out
  List<NestLoopParam*> params;             // kind plan, already bound: outer values by exec slot
  PathKeys merge_keys;                     // of merge joins: one a join clause
  int presorted = 0;                       // incremental_sort
  bool inner_unique = false;
  std::vector<Expr*> memo_keys;
  std::vector<Oid> memo_operators;
  double memo_rescan_startup = 0, memo_rescan_total = 0;
};

// A base relation, or the join of several.
struct JoinRelation {
  RelationSet relations;
  RelationSet visible;                     // whose columns come out: not the right sides of semi and anti joins
  RelationSet needs;                       // lateral references that are not satisfied inside
  int rte = 0;                             // base relation; 0: a join or a nested list
  bool is_table = false;                   // a base relation that is an ordinary table
  bool is_dummy = false;                   // has no rows: constraints or constants say so
  double tuples = 0, pages = 0;            // before conditions
  double rows = 0;
  int width = 0;
  std::vector<Clause*> restrictions;       // of this base relation alone
  std::vector<Clause*> joins;              // with others
  std::vector<Path*> paths;
  std::vector<Path*> parameterized;        // paths with conditions that other relations' values go into
  Path* cheapest = nullptr;                // by total cost, without needs from joins
  Path* cheapest_startup = nullptr;
  Path* unique = nullptr;
  const SpecialJoin* unique_for = nullptr;
  const std::vector<Expr*>* only = nullptr;   // made unique: the expressions that come out
  const PartitionPieces* pieces = nullptr;    // what it is made of, if it could be made partition by partition
};

// What an outer row can expect of a join that stops at the first match.
struct MatchFactors { double outer_match = 1, matches = 1; };

class JoinPlanner {
 public:
  JoinPlanner(QueryPlanner& planner, StatementContext& statement);

  // Sorts out conditions; those that mention no relation are left in `constant_conditions`. Orders can be named afterwards.
  void read_conditions(nodes::FromExpr* from);
  // Finds paths for the whole FROM; nullptr when it is empty.
  JoinRelation* find_paths();
  std::vector<Expr*> constant_conditions;
  // Nodes for the path.
  RelPlan build(const Path* path);

  // --- orders (equivalence.cpp) ---
  // The key of an expression; nullptr when the order of it is that of a constant.
  const PathKey* key_for(Expr* e, Oid order_operator, bool nulls_first);
  const PathKey* key_in_family(Expr* e, Oid family, Oid collation, Oid type, bool descending, bool nulls_first);
  PathKeys keys_of(const List<nodes::SortClause*>& clauses, const List<TargetEntry*>& targets);
  static bool begins_with(const PathKeys& keys, const PathKeys& wanted);
  static std::size_t common_prefix(const PathKeys& keys, const PathKeys& wanted);
  // Orders the level above could use: paths that have them are kept.
  std::vector<PathKeys> wanted_orders;
  // A sketch of the path, sorted. limit: rows wanted of it, 0 = all.
  Path* sorted(const Path* path, const PathKeys& keys, double limit);

  // Distinct combinations among so many rows.
  double group_count(const std::vector<Expr*>& expressions, double input_rows);

  // The query's groups made in each partition, where each lies in one and that is asked for; nullptr otherwise (partitionwise.cpp).
  Plan* group_by_partitions(const JoinRelation& top);

  double tuple_fraction = 0;               // 0: all rows; below 1 a fraction, above a number
  double total_pages() const { return total_pages_; }

 private:
  friend class TablePaths;
  // join_info.cpp
  struct Item { std::vector<Item> list; int rte = 0; };          // a relation or a list to be joined as a problem of its own
  std::vector<Item> sort_out(nodes::JoinNode* node, bool below_outer, RelationSet& scope, RelationSet& inner_joined);
  std::vector<Item> sort_out_from(nodes::FromExpr* from, bool below_outer, RelationSet& scope, RelationSet& inner_joined);
  std::vector<Item> sort_out_join(nodes::JoinExpr* join, bool below_outer, RelationSet& scope, RelationSet& inner_joined);
  SpecialJoin* make_special_join(nodes::JoinType type, const RelationSet& left, const RelationSet& right, const RelationSet& inner_joined,
                                 const std::vector<Qual>& quals);
  void note_unique(SpecialJoin& join, const std::vector<Qual>& quals);
  void distribute(const Qual& qual, bool below_outer, const RelationSet& scope, const SpecialJoin* join, const RelationSet& join_scope,
                  const RelationSet& nonnullable);
  bool delay_for_outer_joins(RelationSet& relations);
  Clause* make_clause(Expr* e, const RelationSet& relations);
  void attach(Clause* clause);
  JoinRelation* base(int rte);

  // equivalence.cpp
  bool add_equivalence(Clause* clause, bool below_outer);
  EquivalenceClass* class_of(Expr* e, Oid type, Oid family, Oid collation, bool create);
  bool matches(const EquivalenceClass& c, Expr* e, Oid family, Oid collation) const;
  void join_outer_constants();
  void finish_classes();
  Clause* derive(EquivalenceClass& c, const EquivalenceMember& left, const EquivalenceMember& right);
  void derived_joins(const JoinRelation& outer, const JoinRelation& inner, std::vector<Clause*>& out);
  const PathKey* intern(EquivalenceClass* c, Oid family, bool descending, bool nulls_first);
  void set_classes(Clause& clause);
  bool connected_by_class(const JoinRelation& a, const JoinRelation& b) const;
  static EquivalenceClass* root(EquivalenceClass* c) { while (c->merged_into != nullptr) c = c->merged_into; return c; }

  // table_paths.cpp
  void size_base(JoinRelation* relation);
  void plan_base(JoinRelation* relation);
  void add_partition_lookups(JoinRelation* relation);
  PathKeys useful(const PathKeys& keys, const JoinRelation& relation);

  // join_search.cpp
  JoinRelation* search(const std::vector<Item>& items);
  JoinRelation* dynamic_search(std::vector<JoinRelation*> items);
  JoinRelation* greedy_search(std::vector<JoinRelation*> items);
  bool has_join_condition(const JoinRelation& a, const JoinRelation& b) const;
  bool has_order_restriction(const JoinRelation& a, const JoinRelation& b) const;
  struct Legality { const SpecialJoin* join = nullptr; bool reversed = false, unique = false; };
  bool is_legal(JoinRelation& a, JoinRelation& b, const RelationSet& both, Legality& out);
  JoinRelation* try_join(JoinRelation* a, JoinRelation* b);
  JoinRelation* relation_for(const RelationSet& both, JoinRelation* a, JoinRelation* b, const SpecialJoin* special, const std::vector<Clause*>& clauses);
  std::vector<Clause*> clauses_between(const JoinRelation& a, const JoinRelation& b, const RelationSet& both);

  // join_paths.cpp
  void add_join_paths(JoinRelation* relation, JoinRelation* outer, JoinRelation* inner, nodes::JoinType type, const SpecialJoin* special,
                      const std::vector<Clause*>& clauses);
  struct JoinCase;
  void add_nest_loops(JoinCase& c);
  void try_nest_loop(JoinCase& c, const Path* outer, const Path* inner);
  Path* memoized(JoinCase& c, const Path* inner, const Path* outer);
  void add_merge_joins(JoinCase& c);
  void try_merge(JoinCase& c, const Path* outer, const Path* inner, const std::vector<Clause*>& clauses, const PathKeys& merge_keys, PathKeys sort_outer,
                 PathKeys sort_inner);
  void add_hash_joins(JoinCase& c);
  void try_hash(JoinCase& c, const Path* outer, const Path* inner, const std::vector<Clause*>& clauses);
  bool inner_is_unique(const JoinRelation& inner, const RelationSet& outer, nodes::JoinType type, const std::vector<Clause*>& clauses);
  bool has_unique_index(const JoinRelation& relation, const std::vector<Expr*>& compared) const;
  MatchFactors match_factors(JoinCase& c);
  Path* unique_path(JoinRelation& relation, const SpecialJoin& join);

  // partitionwise.cpp
  class PieceQueries;
  void note_pieces(JoinRelation& relation);
  const PartitionPieces* joined_pieces(const JoinRelation& a, const JoinRelation& b, nodes::JoinType type, const std::vector<Clause*>& clauses);
  void add_partitionwise_join(JoinRelation& relation, const JoinRelation& a, const JoinRelation& b, nodes::JoinType type,
                              const std::vector<Clause*>& clauses);
  static void finish_append(Append& append);

  // exclusion.cpp
  void make_dummy(JoinRelation& relation);
  void set_dummy_targets(const JoinRelation& relation, Plan& plan);
  static bool is_dummy_join(const JoinRelation& left, const JoinRelation& right, nodes::JoinType type);

  // paths (path_list.cpp)
  Path* make_path(PathKind kind, JoinRelation* relation);
  void add_path(JoinRelation& relation, Path* path);
  void set_cheapest(JoinRelation& relation);
  double clause_cost(Clause& c);
  double clauses_cost(const std::vector<Clause*>& clauses);

  // join_selectivity.cpp
  double clause_selectivity(Clause& c, nodes::JoinType type, const JoinRelation* outer, const JoinRelation* inner);
  double expression_selectivity(Expr* e, nodes::JoinType type, const JoinRelation* outer, const JoinRelation* inner);
  double clauses_selectivity(const std::vector<Clause*>& clauses, nodes::JoinType type, const JoinRelation* outer, const JoinRelation* inner);
  double equal_selectivity(nodes::OpExpr* op, nodes::JoinType type, const JoinRelation* outer, const JoinRelation* inner);
  double joined_rows(const JoinRelation& outer, const JoinRelation& inner, nodes::JoinType type, const std::vector<Clause*>& clauses, const RelationSet& both);
  struct Scanned { double outer_start = 0, outer_end = 1, inner_start = 0, inner_end = 1; };
  Scanned merge_scanned(const Clause& c, bool outer_is_left, bool descending);
  void bucket_statistics(Expr* key, double buckets, double& common_frequency, double& bucket_size);
  const catalog::Relation* table_of(const Expr* variable) const;
  JoinRelation* base_of(const Expr* e) const;
  double distinct_count(const Expr* e, bool& guessed) const;

  // build_plan.cpp
  Plan* build_node(const Path* path);
  Plan* build_nest_loop(const Path* path);
  Plan* build_merge_join(const Path* path);
  Plan* build_hash_join(const Path* path);
  Plan* build_sort(const Path* path);
  Plan* build_unique(const Path* path);
  void fill_join(Join* join, const Path* path);
  Expr* bind_outer(Expr* e, const RelationSet& own, List<NestLoopParam*>& params);
  void bind_plan(Plan* plan, const RelationSet& own, List<NestLoopParam*>& params);
  nodes::OpExpr* turned_to(const Clause& c, const RelationSet& outer);
  const EquivalenceMember* member_in(const EquivalenceClass& c, const List<TargetEntry*>& targets, const RelationSet& relations) const;
  int position_in(Plan*& plan, Expr* e);

  QueryPlanner& p_;
  StatementContext& s_;
  Store<Path> path_store_;
  Store<Clause> clause_store_;
  Store<EquivalenceClass> class_store_;
  Store<PathKey> key_store_;
  Store<JoinRelation> relation_store_;
  std::vector<SpecialJoin> special_joins_;           // complete before any is pointed to
  SpecialJoin special_scratch_;                      // the one being made: not yet among those that delay conditions
  std::vector<JoinRelation*> base_relations_;        // by rte; nullptr: not in FROM
  std::vector<Clause*> outer_equalities_;            // ON of left joins, for constants that pass through
  RelationSet all_;
  std::vector<Item> items_;
  std::vector<JoinRelation*> joins_;                 // join relations made so far
  double total_pages_ = 0;
  bool classes_ready_ = false, failed_full_join_ = false;
};

// --- costs of nodes (path_costs.cpp): PostgreSQL's formulas ------------------------------------------------------------------------------
struct ExpressionCost { double startup = 0, per_row = 0; };
ExpressionCost expression_cost(Expr* e);
double row_bytes(double rows, int width);
double clamp_rows(double rows);
// Sorting rows: what comes on top of the input's cost, before the first row and for all.
void sort_cost(double rows, int width, double limit, double& startup, double& run);
void incremental_sort_cost(const Path& input, double groups, int width, double limit, double& startup, double& total);
// The logarithm of rows (> 1, finite) to base 2, rounded up as PostgreSQL's arithmetic does it. Every look-up by key asks for it: without the
// mathematical library, whose tables a new session would have to fault in.
double halvings(double rows);
double pages_fetched(double rows, double pages, double index_pages, double all_pages);
struct HashShape { double buckets = 1024; double batches = 1; };
HashShape hash_shape(double rows, int width);
int column_width(const catalog::Relation& relation, AttrNumber column);
int type_width(Oid type, std::int32_t typmod);

}  // namespace hathi::planner
