#pragma once
// Running a plan: states are built lazily, node by node; rows are pulled one at a time and handed to a receiver.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hathi/datum/function.h"
#include "hathi/datum/tuple.h"
#include "hathi/planner/plan.h"
#include "hathi/transaction/snapshot.h"

namespace hathi::catalog { struct FunctionInfo; }

namespace hathi::executor {

// Takes the rows of a statement: the client, a file (COPY), a table (CREATE TABLE AS), a store (cursors), nobody.
class RowReceiver {
 public:
  virtual ~RowReceiver() = default;
  virtual void start(const TupleDescriptor& row) {}
  // values/nulls: the non-junk columns; by-reference values are valid during the call only. False = wants no more.
  virtual bool receive(const Datum* values, const bool* nulls) = 0;
  virtual void finish() {}
};

enum class Direction : std::uint8_t { forward, backward, none };

// Instrumentation for EXPLAIN ANALYZE, one a plan node.
struct NodeTimes {
  std::uint64_t loops = 0, rows = 0, filtered = 0, join_filtered = 0;
  double startup_ms = 0, total_ms = 0;
  std::uint64_t buffers_hit = 0, buffers_read = 0, buffers_dirtied = 0, buffers_written = 0, temp_read = 0, temp_written = 0;
  // Node-specific lines ("Sort Method: quicksort  Memory: 25kB", "Heap Fetches: 0", …).
  std::string extra;
};

struct ExecutionOptions {
  bool instrument = false, instrument_timing = true;
  bool explain_only = false;
  bool rewindable = false;      // a SCROLL cursor: backward fetches may come
};

// EXPLAIN: what a partitioned scan reads.
struct PartitionsShown {
  struct Partition { Oid table; const planner::Plan* plan; };
  std::vector<Oid> planned;            // that constants leave, in the order of their bounds
  std::vector<Partition> partitions;   // of these, what values known when the statement started leave, in the order they are read
  bool merged = false;                 // partitions are merged by the scan's order
};

// One run of one planned statement. Created inside a transaction; all memory is in arenas of its own.
class Execution {
 public:
  Execution(const planner::PlannedStatement& statement, const planner::BoundParameters& parameters, const ExecutionOptions& options = {});
  ~Execution();
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  // First: prunes partitions with what is known before execution and locks those that will be read. Then the caller takes the
  // snapshot, so that every partition read under it was locked before (the order of DESIGN section 8).
  void lock_partitions();
  // Checks privileges and read-only rules, prepares the root.
  void start(transaction::SnapshotRef snapshot);
  // The output columns (junk removed).
  const TupleDescriptor& row() const;
  // Runs until `count` rows were sent (0 = all) or the end; returns the number of rows sent (for INSERT/UPDATE/DELETE without
  // RETURNING: 0, see processed()).
  std::uint64_t run(RowReceiver& receiver, Direction direction, std::uint64_t count);
  bool at_end() const;
  // Rows inserted, updated, deleted or selected, for the command tag.
  std::uint64_t processed() const;
  // Completes data-modifying CTEs and immediate constraint checks (foreign keys). Once, after the last run(). Gives back everything
  // that is tied to the transaction: pins, files, the snapshot. Not called after an error.
  void finish();
  // For a run kept with its plan: park() drops pins, snapshot, parameters and rows but keeps compiled programs and states; reset() gives
  // it the parameters of its next run, lock_partitions() and start() follow as in a new one. O(nodes of the plan that ran). The caller
  // has checked and locked the relations it was planned from. finish() parks too. After an error throw the object away.
  void park();
  void reset(const planner::BoundParameters& parameters);
  // Starts over (cursor rewinding).
  void rewind();
  const transaction::SnapshotRef& snapshot() const;
  // EXPLAIN ANALYZE: nullptr when the node never ran.
  const NodeTimes* times(const planner::Plan& plan) const;
  // EXPLAIN: the partitions of a scan. Only for runs that are instrumented or only explained.
  PartitionsShown partitions(const planner::PartitionedScan& scan) const;
  // CURRENT OF: the row this cursor stands on in the table, if it is a simple scan of it.
  bool current_row(Oid table, TupleId& tid, Oid& actual_table) const;
  // Does the run, which is not complete, keep the table or index open, so that this session must not change it?
  bool holds(Oid relation) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Functions that are not built in: a language's resolver gives the code to call and may set site.user_data (memory: arena, as long as
// the call site). Registered once before the first fork.
using LanguageResolver = FunctionPointer (*)(const catalog::FunctionInfo& function, FunctionSite& site, Arena& arena);
void register_language(Oid language, LanguageResolver resolver);

// WHERE CURRENT OF: the row the cursor stands on in that table (session/ looks the cursor up and asks Execution::current_row).
// False: it stands on a row of another partition. Throws 34000, 24000 and the like.
using CursorLookup = bool (*)(const nodes::CurrentOf& cursor, std::span<const planner::ParameterValue> parameters, Oid table, TupleId& tid);
void set_cursor_lookup(CursorLookup lookup);

// Evaluates an expression without a row (defaults, EXECUTE arguments, COPY WHERE is elsewhere, partition bounds, DO).
NullableDatum evaluate(const nodes::Expr* e, const planner::BoundParameters& parameters, Arena& arena);
// Constant folding for the planner: an immutable call with constant arguments. Errors propagate.
nodes::Expr* evaluate_to_constant(const nodes::Expr* e, Arena& arena);

// A prepared expression over rows of one table (CHECK constraints, defaults, index expressions and predicates, partition keys, COPY
// WHERE, generated columns, ALTER TYPE USING): Variables of rte 1 are the row's columns.
class RowExpression {
 public:
  RowExpression(const nodes::Expr* e, const TupleDescriptor& row, Arena& arena);
  NullableDatum evaluate(const Datum* values, const bool* nulls, Oid table, TupleId tid, Arena& result_arena);
 private:
  struct State* state_;
};

// Writing rows into a table outside a plan: COPY FROM, CREATE TABLE AS, ALTER TABLE rewrites. Applies defaults? No: complete rows in.
// Checks NOT NULL, CHECK, partition bounds; routes to partitions; makes index entries; queues foreign-key checks.
class TableWriter {
 public:
  struct Options { bool frozen = false; bool skip_constraints = false; bool check_foreign_keys = true; };
  TableWriter(Oid table, const Options& options);
  ~TableWriter();
  void write(const Datum* values, const bool* nulls);   // batches
  void flush();                                          // before reading back, and at the end
  std::uint64_t written() const;
 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Builds an index's contents from its table (CREATE INDEX, REINDEX). Locks held by the caller. broken_chains: see
// heap::scan_for_index_build (pg_index.indcheckxmin must be set).
void build_index(Oid table, Oid index, const transaction::Snapshot* snapshot, std::uint64_t& table_rows, std::uint64_t& index_rows,
                 bool* broken_chains = nullptr);
// CREATE INDEX CONCURRENTLY's second pass: adds entries for rows the snapshot sees that the index lacks.
void validate_index(Oid table, Oid index, const transaction::Snapshot& snapshot);
// Checks all rows against a new CHECK / NOT NULL / foreign key / partition bound; throws the violation. Without a constraint name a
// check of the form "column IS NOT NULL" stands for NOT NULL, any other for a partition's bounds.
void validate_check(Oid table, const nodes::Expr* check, std::string_view constraint_name);
void validate_foreign_key(Oid foreign_key_constraint);
// Once before the first fork: deferred constraints are checked at commit, forgotten at abort.
void install_constraint_hooks();
// SET CONSTRAINTS. names empty = ALL.
void set_constraints(std::span<const Oid> constraints, bool all, bool deferred);
// Do changes of the table's rows wait for deferred checks?
bool has_pending_checks(Oid table);

}  // namespace hathi::executor
