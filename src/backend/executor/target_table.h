#pragma once
// A table that rows are written to: constraints, generated columns, index entries. Used by ModifyTable, TableWriter, foreign-key
// actions.

#include <memory>
#include <string>

#include "hathi/catalog/relation.h"
#include "program.h"

namespace hathi::executor {

class ConstraintEvents;
class PartitionBounds;

struct TargetIndex {
  const catalog::IndexDescriptor* index = nullptr;
  std::span<Program*> expressions;     // for columns that are 0 in index->columns
  Program* predicate = nullptr;
  Datum* values = nullptr;             // of the row at hand
  bool* nulls = nullptr;
};

class TargetTable {
 public:
  // The relation is locked. statement may be null (no parameters in its expressions). External memory: arena.
  TargetTable(catalog::RelationRef relation, StatementState* statement, Arena& arena);
  ~TargetTable();
  TargetTable(const TargetTable&) = delete;
  TargetTable& operator=(const TargetTable&) = delete;

  const catalog::Relation& relation() const { return *relation_; }
  const TupleDescriptor& descriptor() const { return *relation_->descriptor; }
  const heap::HeapTable& heap() const { return relation_->heap; }

  // A row of the table; values may be overwritten.
  void make_new_row(Row& row) { make_row(row, descriptor().count(), &descriptor(), arena_); }
  // Stored generated columns, computed from the others. changed: only those that depend on columns in it; null = all.
  void compute_generated(Row& row);
  // NOT NULL and CHECK: throws 23502 / 23514.
  void check_row(Row& row);
  // Bounds of the partition (written to directly): 23514.
  void check_partition(Row& row);
  // Does the row satisfy the bounds of all levels above? True for tables that are no partition.
  bool fits_partition(Row& row);
  HeapTuple form(Row& row, Arena& arena) const;
  // Adds index entries for the row at tid. 23505 on duplicates; deferrable unique constraints are queued in events.
  // arbiters (ON CONFLICT): for those unique indexes a conflict makes the result false instead.
  bool insert_index_entries(Row& row, TupleId tid, ConstraintEvents* events, std::span<const Oid> arbiters = {}, bool any_arbiter = false);
  // Looks for a row with the same key in the arbiter indexes (none given and any: all unique ones), waiting for transactions in
  // progress. True: conflict is its position.
  bool find_conflict(Row& row, std::span<const Oid> arbiters, bool any_arbiter, TupleId& conflict);
  // Re-checks a deferrable unique constraint for the row at tid, if it is still alive: 23505.
  void recheck_unique(Oid index, TupleId tid);
  std::span<TargetIndex> indexes() { prepare_indexes(); return indexes_; }
  // For an index that is being built and need not be ready.
  TargetIndex prepare_index(const catalog::IndexDescriptor& index);
  // Adds the entry of one index; 23505 when the key is there.
  void insert_one(TargetIndex& index, Row& row, TupleId tid);
  // Key values of the row for an index; false when the predicate excludes the row.
  bool index_values(TargetIndex& index, Row& row);

  // "(1, foo, null)" as in DETAIL "Failing row contains …"; empty when the role may not see it.
  std::string describe_row(Row& row);
  EvalContext& context() { return eval_; }
  Arena& row_arena() { return row_arena_; }
  // Memory of the row at hand is given back.
  void end_row() { row_arena_.reset(); }
  bool has_generated() const { return has_generated_; }

 private:
  struct Check { const catalog::CheckConstraint* constraint; Program* program; };
  struct Generated { AttrNumber column; Program* program; };
  void prepare_constraints();
  void prepare_indexes();
  [[noreturn]] void throw_not_null(Row& row, int column);
  [[noreturn]] void throw_duplicate(const TargetIndex& index);
  bool scan_for_conflict(TargetIndex& index, TupleId ignore, TupleId& conflict);

  catalog::RelationRef relation_;
  StatementState* statement_;
  Arena& arena_;
  Arena row_arena_{1024};
  EvalContext eval_;
  bool constraints_ready_ = false, indexes_ready_ = false;
  bool has_generated_ = false;
  std::span<Check> checks_;
  std::span<Generated> generated_;
  std::span<AttrNumber> not_null_;
  std::span<TargetIndex> indexes_;
  std::unique_ptr<PartitionBounds> bounds_;   // made when first asked for
};

// The text of a value as its type's output function gives it.
std::string value_text(Datum value, Oid type, Arena& arena);

}  // namespace hathi::executor
