#pragma once
// ModifyTable's run state; its operations stand in modify_insert.cpp, modify_update.cpp, modify_conflict.cpp.

#include <vector>

#include "column_map.h"
#include "constraint_events.h"
#include "node.h"
#include "partitions.h"
#include "recheck.h"
#include "target_table.h"

namespace hathi::executor {

// One table that rows go to: the named one, or a partition of it.
struct ModifyTarget {
  Arena memory{1024};        // what the table and the rows are made of
  std::unique_ptr<TargetTable> table;
  std::span<const std::int16_t> from_parent, to_parent;    // empty: columns stand alike
  Row new_row;               // in the table's own layout
  Row old_row;               // the version changed
  Row parent_row;            // in the named table's layout, for RETURNING and the like
  buffer::PinnedBuffer pin;  // of old_row
  std::uint64_t run = 0;     // the statement's run in which it was locked
  std::uint64_t last_used = 0;
};

struct ModifyState : NodeState {
  const planner::ModifyTable* modify = nullptr;
  const catalog::Relation* named = nullptr;
  ModifyTarget* named_target = nullptr;
  std::vector<std::unique_ptr<ModifyTarget>> targets;   // a few; the one used longest ago goes first
  ModifyTarget* last_target = nullptr;
  std::unique_ptr<PartitionRouter> router;
  std::uint64_t clock = 0;
  bool done = false;
  bool has_returning = false;
  Row* input = nullptr;
  std::unique_ptr<Recheck> recheck;
  Row routed;                            // INSERT into a partitioned table: the row in the named table's layout
  std::span<const AttrNumber> input_columns;   // INSERT, UPDATE: 0-based input position of each assigned value
  // WITH CHECK OPTION and ON CONFLICT.
  struct Check { const nodes::WithCheck* check; Program* condition; };
  std::span<Check> checks;
  Program* conflict_where = nullptr;
  Program* conflict_set = nullptr;
  Row conflict_values;                   // one a SET entry
  std::span<AttrNumber> conflict_columns;
  heap::RowLockMode conflict_lock = heap::RowLockMode::no_key_update;
  std::uint64_t conflicting_rows = 0, inserted_rows = 0, input_rows = 0;
  Arena row_memory{1024};                // of the row being changed

  ConstraintEvents& events();
};

// At most kMostTargets - 1 calls later the result may be gone.
inline constexpr std::size_t kMostTargets = 64;
ModifyTarget& target_of(ModifyState& s, Oid table);
// The leaf that takes a row (layout of the named table). 23514.
ModifyTarget& route_to_target(ModifyState& s, Row& row);
// In the layout of the named table; shares values with `row`.
Row* as_parent_row(ModifyState& s, ModifyTarget& t, Row& row);
// Evaluates RETURNING for the row (layout of the target); the input row stays in the context.
Row* returning_row(ModifyState& s, ModifyTarget& t, Row& row);
void check_options(ModifyState& s, ModifyTarget& t, Row& row);
void tell_inserted(ModifyState& s, ModifyTarget& t, Row& row, TupleId tid);
void tell_updated(ModifyState& s, ModifyTarget& old_target, Row& old_row, ModifyTarget& t, Row& row, TupleId old_tid, TupleId tid);
void tell_deleted(ModifyState& s, ModifyTarget& t, Row& row, TupleId tid);

// Each handles one input row; returns the row to put out (RETURNING) or nullptr.
Row* insert_row(ModifyState& s, Row& input);
Row* update_row(ModifyState& s, Row& input);
Row* delete_row(ModifyState& s, Row& input);
// A complete new row (layout of the target, in new_row) for the row version at tid. False when the row is gone or changed so that
// nothing is to be done; recheck_input: the new input row after an EvalPlanQual that says to try again.
enum class UpdateResult : std::uint8_t { done, skipped, again };
UpdateResult apply_update(ModifyState& s, ModifyTarget& t, TupleId& tid, Row*& retry_input, ModifyTarget*& final_target, TupleId& new_tid);
// The target's own indexes for the arbiters named in the plan.
std::vector<Oid> arbiters_of(ModifyState& s, ModifyTarget& t);
// ON CONFLICT: what to do about the conflicting row.
enum class ConflictResult : std::uint8_t { insert, done, retry };
ConflictResult resolve_conflict(ModifyState& s, ModifyTarget& t, TupleId conflict, Row*& out);
// The row's newest version is locked and the plan evaluated again for it. nullptr: nothing to do any more.
Row* recheck_row(ModifyState& s, ModifyTarget& t, TupleId& tid, heap::RowLockMode mode);
void read_old_row(ModifyState& s, ModifyTarget& t, TupleId tid);
[[noreturn]] void throw_serialization_failure(const char* what);
[[noreturn]] void throw_moved(const char* what);
[[noreturn]] void throw_modified_by_trigger(const char* what);

}  // namespace hathi::executor
