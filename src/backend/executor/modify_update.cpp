// UPDATE and DELETE.

#include "hathi/transaction/transaction.h"
#include "modify.h"
#include "row_values.h"

namespace hathi::executor {

using heap::ChangeResult;

void throw_serialization_failure(const char* what) {
  throw SqlError(sqlstate::t_r_serialization_failure, "could not serialize access due to concurrent {}", what);
}
void throw_moved(const char* what) {
  throw SqlError(sqlstate::t_r_serialization_failure, "tuple to be {} was already moved to another partition due to concurrent update", what);
}
void throw_modified_by_trigger(const char* what) {
  throw SqlError(sqlstate::triggered_data_change_violation, "tuple to be {} was already modified by an operation triggered by the current command", what)
      .hint("Consider using an AFTER trigger instead of a BEFORE trigger to propagate changes to other rows.");
}

namespace {

bool fixed_snapshot() { return transaction::isolation() >= transaction::Isolation::repeatable_read; }

// Which row the input means; false for the NULL side of an outer join.
bool find_row(ModifyState& s, Row& input, ModifyTarget*& t, TupleId& tid) {
  AttrNumber c = s.modify->ctid_column;
  input.need(std::max(c, s.modify->tableoid_column));
  if (input.nulls[c - 1]) return false;
  tid = read_tid(input.values[c - 1]);
  Oid table = s.named->oid;
  if (s.modify->tableoid_column != 0 && !input.nulls[s.modify->tableoid_column - 1]) table = input.values[s.modify->tableoid_column - 1].as_oid();
  t = &target_of(s, table);
  return true;
}

}  // namespace

void read_old_row(ModifyState& s, ModifyTarget& t, TupleId tid) {
  HeapTuple tuple;
  if (!heap::fetch_version(t.table->heap(), tid, transaction::any_snapshot(), t.pin, tuple)) {
    throw SqlError(sqlstate::internal_error, "failed to fetch tuple being updated");
  }
  tuple.table = t.table->relation().oid;
  t.old_row.set_heap(tuple);
}

Row* recheck_row(ModifyState& s, ModifyTarget& t, TupleId& tid, heap::RowLockMode mode) {
  buffer::PinnedBuffer pin;
  HeapTuple tuple;
  heap::ChangeFailure failure;
  ChangeResult r = heap::lock_row(t.table->heap(), tid, s.statement->command, mode, heap::WaitPolicy::block, true, pin, tuple, failure);
  const char* what = s.modify->operation == nodes::CommandKind::remove ? "deleted" : "updated";
  switch (r) {
    case ChangeResult::ok: break;
    case ChangeResult::deleted:
      if (failure.moved_partition) throw_moved("locked");
      return nullptr;
    case ChangeResult::self_modified:
      if (failure.cmax != s.statement->command) throw_modified_by_trigger(what);
      return nullptr;
    case ChangeResult::updated:
      if (failure.moved_partition) throw_moved("locked");
      [[fallthrough]];
    default: throw SqlError(sqlstate::internal_error, "unexpected outcome of locking an updated row");
  }
  tuple.table = t.table->relation().oid;
  tid = tuple.tid;
  if (s.recheck == nullptr) s.recheck = std::make_unique<Recheck>(*s.statement, s.plan->left, s.modify->marks, s.modify->rte);
  Row* old_input = s.input;
  s.recheck->begin();
  if (t.to_parent.empty() && &t == s.named_target) {
    s.recheck->set_row(s.modify->rte, tuple, t.table->descriptor());
  } else {
    t.old_row.set_heap(tuple);
    s.recheck->set_values(s.modify->rte, *as_parent_row(s, t, t.old_row), *s.named->descriptor);
  }
  s.recheck->set_marked_rows(*old_input);
  return s.recheck->run();
}

namespace {

// The new version: the old one with the assigned columns replaced.
void build_new_row(ModifyState& s, ModifyTarget& t, Row& input) {
  input.need(static_cast<int>(s.plan->left->targets.size()));
  t.old_row.need_all();
  Row& base = *as_parent_row(s, t, t.old_row);
  // Assigned columns are named in the layout of the named table.
  Row& whole = t.from_parent.empty() ? t.new_row : s.routed;
  for (int i = 0; i < base.count; ++i) {
    whole.values[i] = base.values[i];
    whole.nulls[i] = base.nulls[i];
  }
  for (std::size_t i = 0; i < s.modify->update_columns.size(); ++i) {
    int c = s.modify->update_columns[i] - 1;
    whole.values[c] = input.values[s.input_columns[i]];
    whole.nulls[c] = input.nulls[s.input_columns[i]];
  }
  whole.set_virtual();
  if (&whole != &t.new_row) map_row(t.from_parent, whole, t.new_row);
  t.new_row.tuple = HeapTuple();
}

ChangeResult remove_for_move(ModifyState& s, ModifyTarget& t, TupleId tid, heap::ChangeFailure& failure) {
  return heap::remove(t.table->heap(), tid, s.statement->command, true, failure, true);
}

// The row no longer fits its partition: it is deleted there and inserted where it belongs.
ChangeResult move_row(ModifyState& s, ModifyTarget& t, TupleId tid, heap::ChangeFailure& failure, ModifyTarget*& final_target, TupleId& new_tid) {
  if (!s.modify->target_is_partitioned || &t == s.named_target) t.table->check_partition(t.new_row);   // throws
  if (s.modify->on_conflict != nullptr && s.modify->on_conflict->do_update) {
    throw SqlError(sqlstate::feature_not_supported, "invalid ON UPDATE specification")
        .detail("The result tuple would appear in a different partition than the original tuple.");
  }
  Row& parent = *as_parent_row(s, t, t.new_row);
  ModifyTarget& to = route_to_target(s, parent);
  ChangeResult r = remove_for_move(s, t, tid, failure);
  if (r != ChangeResult::ok) return r;
  if (to.from_parent.empty()) {
    for (int i = 0; i < parent.count; ++i) {
      to.new_row.values[i] = parent.values[i];
      to.new_row.nulls[i] = parent.nulls[i];
    }
    to.new_row.set_virtual();
  } else {
    map_row(to.from_parent, parent, to.new_row);
  }
  to.new_row.tuple = HeapTuple();
  to.table->compute_generated(to.new_row);
  to.table->check_row(to.new_row);
  HeapTuple tuple = to.table->form(to.new_row, s.row_memory);
  new_tid = heap::insert(to.table->heap(), tuple);
  to.table->insert_index_entries(to.new_row, new_tid, &s.events());
  to.new_row.tuple = tuple;
  to.new_row.tuple.tid = new_tid;
  to.new_row.tuple.table = to.table->relation().oid;
  final_target = &to;
  return ChangeResult::ok;
}

bool must_move(ModifyTarget& t) {
  const catalog::Relation& relation = t.table->relation();
  if (!relation.is_partition) return false;
  return !t.table->fits_partition(t.new_row);
}

ChangeResult change_in_place(ModifyState& s, ModifyTarget& t, TupleId tid, heap::ChangeFailure& failure, heap::UpdateOutcome& outcome) {
  TargetTable& table = *t.table;
  table.check_row(t.new_row);
  HeapTuple tuple = table.form(t.new_row, s.row_memory);
  ChangeResult r = heap::update(table.heap(), tid, tuple, s.statement->command, true, failure, outcome);
  if (r != ChangeResult::ok) return r;
  if (outcome.needs_index_entries) table.insert_index_entries(t.new_row, outcome.tid, &s.events());
  t.new_row.tuple = tuple;
  t.new_row.tuple.tid = outcome.tid;
  t.new_row.tuple.table = table.relation().oid;
  return r;
}

}  // namespace

UpdateResult apply_update(ModifyState& s, ModifyTarget& t, TupleId& tid, Row*& retry_input, ModifyTarget*& final_target, TupleId& new_tid) {
  t.table->compute_generated(t.new_row);
  heap::ChangeFailure failure;
  heap::UpdateOutcome outcome;
  final_target = &t;
  ChangeResult r;
  if (must_move(t)) {
    r = move_row(s, t, tid, failure, final_target, new_tid);
  } else {
    check_options(s, t, t.new_row);
    r = change_in_place(s, t, tid, failure, outcome);
    new_tid = outcome.tid;
  }
  switch (r) {
    case ChangeResult::ok: return UpdateResult::done;
    case ChangeResult::self_modified:
      if (failure.cmax != s.statement->command) throw_modified_by_trigger("updated");
      return UpdateResult::skipped;   // this statement changed it already (joins to several rows)
    case ChangeResult::updated:
      if (fixed_snapshot()) throw_serialization_failure("update");
      if (failure.moved_partition) throw_moved("locked");
      tid = failure.next.is_valid() ? failure.next : tid;
      retry_input = recheck_row(s, t, tid, outcome.lock_mode);
      return retry_input == nullptr ? UpdateResult::skipped : UpdateResult::again;
    case ChangeResult::deleted:
      if (fixed_snapshot()) throw_serialization_failure("delete");
      if (failure.moved_partition) throw_moved("locked");
      return UpdateResult::skipped;
    default: throw SqlError(sqlstate::internal_error, "unexpected outcome of an update");
  }
}

Row* update_row(ModifyState& s, Row& first_input) {
  ModifyTarget* t = nullptr;
  TupleId tid;
  Row* input = &first_input;
  if (!find_row(s, *input, t, tid)) return nullptr;
  for (;;) {
    read_old_row(s, *t, tid);
    build_new_row(s, *t, *input);
    Row* retry = nullptr;
    ModifyTarget* final_target = nullptr;
    TupleId new_tid;
    TupleId old_tid = tid;
    UpdateResult r = apply_update(s, *t, tid, retry, final_target, new_tid);
    if (r == UpdateResult::skipped) return nullptr;
    if (r == UpdateResult::again) {
      input = s.input = retry;
      continue;
    }
    if (final_target != t) check_options(s, *final_target, final_target->new_row);
    ++s.inserted_rows;
    tell_updated(s, *t, t->old_row, *final_target, final_target->new_row, old_tid, new_tid);
    Row* out = s.has_returning ? returning_row(s, *final_target, final_target->new_row) : nullptr;
    if (out == nullptr) {
      t->table->end_row();
      t->pin.release();
    }
    return out;
  }
}

Row* delete_row(ModifyState& s, Row& first_input) {
  ModifyTarget* t = nullptr;
  TupleId tid;
  if (!find_row(s, first_input, t, tid)) return nullptr;
  for (;;) {
    check_interrupts();
    heap::ChangeFailure failure;
    ChangeResult r = heap::remove(t->table->heap(), tid, s.statement->command, true, failure);
    if (r == ChangeResult::ok) break;
    if (r == ChangeResult::self_modified) {
      if (failure.cmax != s.statement->command) throw_modified_by_trigger("deleted");
      return nullptr;
    }
    if (r == ChangeResult::deleted) {
      if (fixed_snapshot()) throw_serialization_failure("delete");
      if (failure.moved_partition) throw_moved("locked");
      return nullptr;
    }
    if (r != ChangeResult::updated) throw SqlError(sqlstate::internal_error, "unexpected outcome of a delete");
    if (fixed_snapshot()) throw_serialization_failure("update");
    if (failure.moved_partition) throw_moved("locked");
    if (failure.next.is_valid()) tid = failure.next;
    Row* retry = recheck_row(s, *t, tid, heap::RowLockMode::update);
    if (retry == nullptr) return nullptr;
    s.input = retry;
  }
  ++s.inserted_rows;
  bool referenced = !t->table->relation().referenced_by.empty();
  if (!s.has_returning && !referenced) return nullptr;
  read_old_row(s, *t, tid);
  t->old_row.need_all();
  tell_deleted(s, *t, t->old_row, tid);
  return s.has_returning ? returning_row(s, *t, t->old_row) : nullptr;
}

}  // namespace hathi::executor
