#pragma once
// Constraint checks that wait: for the end of the statement, or (deferred) for the end of the transaction.
//
// Invariant: an event is taken off its queue before it runs, and the events it causes are appended to the same queue, so cascades end
// when the queue is empty. A statement's queue lives in its StatementState and dies with it when the statement fails; deferred events
// live in this process until the transaction ends, and those of a subtransaction that is rolled back are dropped by the hook.

#include <cstdint>
#include <deque>
#include <memory>

#include "hathi/catalog/relation.h"

namespace hathi::executor {

enum class ConstraintEventKind : std::uint8_t { unique, referencing_row, referenced_deleted, referenced_updated, referenced_moved };

struct ConstraintEvent {
  ConstraintEventKind kind = ConstraintEventKind::unique;
  int level = 1;                      // nesting level of the (sub)transaction that queued it
  Oid constraint = kInvalidOid;       // pg_constraint; of a unique index without one: the index
  Oid table = kInvalidOid;            // whose row changed
  Oid index = kInvalidOid;
  TupleId old_tid, new_tid;
  // Moved to another partition: `table` is the one that the statement named, the versions are in these.
  Oid old_table = kInvalidOid, new_table = kInvalidOid;
  bool concerns(Oid relation) const { return table == relation || old_table == relation || new_table == relation; }
};

class ConstraintEvents {
 public:
  void add_unique(const catalog::Relation& table, const catalog::IndexDescriptor& index, TupleId tid);
  // Queues the foreign-key checks a change of one row asks for. old_values/new_values: all columns; null for insert / delete.
  void row_inserted(const catalog::Relation& table, const Datum* values, const bool* nulls, TupleId tid);
  void row_updated(const catalog::Relation& table, const Datum* old_values, const bool* old_nulls, const Datum* values, const bool* nulls, TupleId old_tid,
                   TupleId tid);
  void row_deleted(const catalog::Relation& table, const Datum* old_values, const bool* old_nulls, TupleId old_tid);
  // A row of `named` moved from one partition to another: an update for those who refer to `named`, a deletion for those who refer to the
  // partition only. The new row's own foreign keys are not looked at.
  void row_moved(const catalog::Relation& named, const catalog::Relation& from, const Datum* old_values, const bool* old_nulls, TupleId old_tid,
                 const catalog::Relation& to, TupleId tid);
  // Runs what is immediate; passes the rest on to the transaction's queue.
  void run_immediate();
  void push(const ConstraintEvent& event) { queue_.push_back(event); }
  bool empty() const { return queue_.empty(); }

 private:
  std::deque<ConstraintEvent> queue_;
};

// Has the table foreign keys on either side (so that changes must be told to a ConstraintEvents)?
inline bool has_foreign_keys(const catalog::Relation& table) { return !table.foreign_keys.empty() || !table.referenced_by.empty(); }

// Runs one event now; further events go to `queue`. (foreign_keys.cpp)
void run_constraint_event(const ConstraintEvent& event, ConstraintEvents& queue);

// Looks keys of many referencing rows up without locking what they refer to (validation under a strong lock).
class ForeignKeyLookup {
 public:
  ForeignKeyLookup(const catalog::ForeignKey& fk, const catalog::Relation& referencing);
  ~ForeignKeyLookup();
  // Throws 23503 when the row's key has no referenced row.
  void require(const HeapTuple& row, const transaction::Snapshot& snapshot);
 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hathi::executor
