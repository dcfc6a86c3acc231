// LockRows: SELECT … FOR UPDATE / SHARE.

#include "lock_rows.h"

#include "hathi/transaction/transaction.h"
#include "recheck.h"
#include "row_values.h"

namespace hathi::executor {

using heap::ChangeResult;

namespace {

struct LockRowsState : NodeState {
  std::unique_ptr<Recheck> recheck;
  buffer::PinnedBuffer pin;
  std::span<LockedRow> locked;   // of the current row, by mark
};

[[noreturn]] void throw_concurrent(const heap::ChangeFailure& failure) {
  if (failure.moved_partition && transaction::isolation() < transaction::Isolation::repeatable_read) {
    throw SqlError(sqlstate::t_r_serialization_failure, "tuple to be locked was already moved to another partition due to concurrent update");
  }
  throw SqlError(sqlstate::t_r_serialization_failure, "could not serialize access due to concurrent update");
}

enum class LockOutcome : std::uint8_t { locked, newer_version, skip_row };

LockOutcome lock_one(LockRowsState& s, const planner::RowMarkPlan& mark, const catalog::Relation& relation, TupleId tid, HeapTuple& tuple) {
  bool fixed_snapshot = transaction::isolation() >= transaction::Isolation::repeatable_read;
  heap::ChangeFailure failure;
  ChangeResult r = heap::lock_row(relation.heap, tid, s.statement->command, mark.mode, mark.policy, !fixed_snapshot, s.pin, tuple, failure);
  switch (r) {
    case ChangeResult::ok: return failure.traversed ? LockOutcome::newer_version : LockOutcome::locked;
    case ChangeResult::would_block: return LockOutcome::skip_row;
    case ChangeResult::self_modified: return LockOutcome::skip_row;   // deleted or replaced by a function of this very statement
    case ChangeResult::updated:
      throw_concurrent(failure);
    case ChangeResult::deleted:
      if (failure.moved_partition || fixed_snapshot) throw_concurrent(failure);
      return LockOutcome::skip_row;
    case ChangeResult::invisible: throw SqlError(sqlstate::internal_error, "attempted to lock invisible tuple");
    case ChangeResult::being_modified: break;
  }
  throw SqlError(sqlstate::internal_error, "unexpected outcome of a row lock");
}

// Locks the marked rows of the joined row. newer: some version is newer than what the row was made from.
bool lock_all(LockRowsState& s, Row& row, bool& newer) {
  auto& plan = plan_of<planner::LockRows>(s);
  newer = false;
  LockedRow* position = s.locked.data();
  for (const planner::RowMarkPlan* mark : plan.marks) {
    LockedRow& locked = *position++;
    locked = {};
    if (!mark->lock) continue;
    row.need(std::max(mark->ctid_column, mark->tableoid_column));
    if (row.nulls[mark->ctid_column - 1]) continue;   // the NULL side of an outer join
    const catalog::Relation* relation = &s.statement->relation(mark->rte);
    catalog::RelationRef partition;
    if (mark->tableoid_column != 0 && !row.nulls[mark->tableoid_column - 1]) {
      Oid table = row.values[mark->tableoid_column - 1].as_oid();
      if (table != relation->oid) {
        partition = catalog::open_relation(table, locking::LockMode::row_share);
        relation = partition.get();
      }
    }
    HeapTuple tuple;
    LockOutcome outcome = lock_one(s, *mark, *relation, read_tid(row.values[mark->ctid_column - 1]), tuple);
    if (outcome == LockOutcome::skip_row) return false;
    locked = {relation->oid, tuple.tid};
    if (outcome == LockOutcome::newer_version) {
      if (!newer) {
        if (s.recheck == nullptr) s.recheck = std::make_unique<Recheck>(*s.statement, plan.left, plan.marks, 0);
        s.recheck->begin();
      }
      newer = true;
      tuple.table = relation->oid;
      if (partition) s.recheck->set_partition_row(mark->rte, tuple, *partition);
      else s.recheck->set_row(mark->rte, tuple, *relation->descriptor);
    }
    s.pin.release();
  }
  return true;
}

Row* run_lock_rows(NodeState& node) {
  auto& s = self<LockRowsState>(node);
  for (;;) {
    check_interrupts();
    Row* row = fetch(*s.left);
    if (row == nullptr) return nullptr;
    bool newer;
    if (!lock_all(s, *row, newer)) continue;
    if (!newer) return row;
    s.recheck->set_marked_rows(*row);
    row = s.recheck->run();
    if (row != nullptr) return row;
  }
}

void init_lock_rows(NodeState& node) {
  auto& s = self<LockRowsState>(node);
  std::size_t marks = plan_of<planner::LockRows>(s).marks.size();
  s.locked = {s.statement->arena.make_array<LockedRow>(marks), marks};
  node.left = make_child(node, node.plan->left);
}
void rescan_lock_rows(NodeState& node) { rescan(*node.left); }
void close_lock_rows(NodeState& node) {
  auto& s = self<LockRowsState>(node);
  s.pin.release();
  s.recheck.reset();
}

}  // namespace

const LockedRow* find_locked_row(const NodeState& node, Oid table) {
  for (const LockedRow& row : static_cast<const LockRowsState&>(node).locked) if (row.table == table) return &row;
  return nullptr;
}

NodeState* make_lock_rows(StatementState& st, const planner::Plan* p) {
  return make_state<LockRowsState>(st, p, init_lock_rows, run_lock_rows, rescan_lock_rows, close_lock_rows);
}

}  // namespace hathi::executor
