// INSERT … ON CONFLICT.

#include "hathi/transaction/transaction.h"
#include "modify.h"
#include "table_scan.h"

namespace hathi::executor {

using heap::ChangeResult;

std::vector<Oid> arbiters_of(ModifyState& s, ModifyTarget& t) {
  std::vector<Oid> out;
  if (&t == s.named_target) {
    for (Oid oid : s.modify->arbiter_indexes) out.push_back(oid);
    return out;
  }
  for (Oid oid : s.modify->arbiter_indexes) {
    if (const catalog::IndexDescriptor* index = attached_index(t.table->relation(), oid)) out.push_back(index->oid);
  }
  return out;
}

namespace {

bool fixed_snapshot() { return transaction::isolation() >= transaction::Isolation::repeatable_read; }

// Under REPEATABLE READ a conflict with a row that the snapshot does not see is a serialization failure.
void check_visible(ModifyState& s, ModifyTarget& t, TupleId tid) {
  if (!fixed_snapshot()) return;
  buffer::PinnedBuffer pin;
  HeapTuple tuple;
  if (heap::fetch_version(t.table->heap(), tid, *s.statement->snapshot, pin, tuple)) return;
  if (heap::fetch_version(t.table->heap(), tid, transaction::any_snapshot(), pin, tuple) && transaction::is_current(tuple.xmin)) return;
  throw_serialization_failure("update");
}

ConflictResult lock_conflicting(ModifyState& s, ModifyTarget& t, TupleId conflict, HeapTuple& tuple) {
  heap::ChangeFailure failure;
  ChangeResult r = heap::lock_row(t.table->heap(), conflict, s.statement->command, s.conflict_lock, heap::WaitPolicy::block, false, t.pin, tuple, failure);
  switch (r) {
    case ChangeResult::ok: return ConflictResult::done;
    case ChangeResult::invisible: case ChangeResult::self_modified:
      // Inserted or updated by this very command.
      throw SqlError(sqlstate::cardinality_violation, "ON CONFLICT DO UPDATE command cannot affect row a second time")
          .hint("Ensure that no rows proposed for insertion within the same command have duplicate constrained values.");
    case ChangeResult::updated:
      if (fixed_snapshot()) throw_serialization_failure("update");
      if (failure.moved_partition) throw_moved("locked");
      return ConflictResult::retry;
    case ChangeResult::deleted:
      if (failure.moved_partition) throw_moved("locked");
      if (fixed_snapshot()) throw_serialization_failure("delete");
      return ConflictResult::retry;
    default: throw SqlError(sqlstate::internal_error, "unexpected outcome of locking a conflicting row");
  }
}

}  // namespace

ConflictResult resolve_conflict(ModifyState& s, ModifyTarget& t, TupleId conflict, Row*& out) {
  out = nullptr;
  const nodes::OnConflict& clause = *s.modify->on_conflict;
  if (!clause.do_update) {
    ++s.conflicting_rows;
    check_visible(s, t, conflict);
    return ConflictResult::done;
  }
  HeapTuple tuple;
  if (lock_conflicting(s, t, conflict, tuple) == ConflictResult::retry) return ConflictResult::retry;
  tuple.table = t.table->relation().oid;
  conflict = tuple.tid;
  check_visible(s, t, conflict);
  ++s.conflicting_rows;
  t.old_row.set_heap(tuple);
  t.old_row.need_all();
  // The proposed row, in the named table's layout, stays in `routed`.
  s.eval.scan = as_parent_row(s, t, t.old_row);
  s.eval.inner = &s.routed;
  if (t.from_parent.empty()) {   // generated columns were computed in new_row
    for (int i = 0; i < s.routed.count; ++i) {
      s.routed.values[i] = t.new_row.values[i];
      s.routed.nulls[i] = t.new_row.nulls[i];
    }
  }
  if (!passes(s.conflict_where)) return ConflictResult::done;
  project(*s.conflict_set);
  Row& existing = *as_parent_row(s, t, t.old_row);
  Row whole;
  make_row(whole, existing.count, s.named->descriptor, s.row_memory);
  for (int i = 0; i < existing.count; ++i) {
    whole.values[i] = existing.values[i];
    whole.nulls[i] = existing.nulls[i];
  }
  for (std::size_t i = 0; i < s.conflict_columns.size(); ++i) {
    whole.values[s.conflict_columns[i] - 1] = s.conflict_values.values[i];
    whole.nulls[s.conflict_columns[i] - 1] = s.conflict_values.nulls[i];
  }
  whole.set_virtual();
  if (t.from_parent.empty()) {
    std::memcpy(static_cast<void*>(t.new_row.values), whole.values, static_cast<std::size_t>(whole.count) * sizeof(Datum));
    std::memcpy(t.new_row.nulls, whole.nulls, static_cast<std::size_t>(whole.count) * sizeof(bool));
    t.new_row.set_virtual();
  } else {
    map_row(t.from_parent, whole, t.new_row);
  }
  Row* retry = nullptr;
  ModifyTarget* final_target = nullptr;
  TupleId new_tid;
  if (apply_update(s, t, conflict, retry, final_target, new_tid) != UpdateResult::done) return ConflictResult::done;
  ++s.inserted_rows;
  tell_updated(s, t, t.old_row, *final_target, final_target->new_row, tuple.tid, new_tid);
  if (s.has_returning) out = returning_row(s, *final_target, final_target->new_row);
  return ConflictResult::done;
}

}  // namespace hathi::executor
