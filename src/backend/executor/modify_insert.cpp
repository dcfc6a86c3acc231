// INSERT.

#include "modify.h"

namespace hathi::executor {

namespace {

// The input's values in the layout of the named table: INSERT's input has one column for each of the table's, in order.
Row& input_as_table_row(ModifyState& s, Row& input) {
  input.need(static_cast<int>(s.plan->left->targets.size()));
  std::size_t n = s.input_columns.size();
  for (std::size_t i = 0; i < n && static_cast<int>(i) < s.routed.count; ++i) {
    s.routed.values[i] = input.values[s.input_columns[i]];
    s.routed.nulls[i] = input.nulls[s.input_columns[i]];
  }
  for (int i = static_cast<int>(n); i < s.routed.count; ++i) {
    s.routed.values[i] = Datum();
    s.routed.nulls[i] = true;
  }
  s.routed.tuple = HeapTuple();
  s.routed.set_virtual();
  return s.routed;
}

ModifyTarget& choose_target(ModifyState& s, Row& row) {
  if (!s.modify->target_is_partitioned) return target_of(s, s.named->oid);
  // Generated columns may not be part of the partition key, so the row can be routed before they are computed.
  return route_to_target(s, row);
}

void load_new_row(ModifyTarget& t, Row& row) {
  if (t.from_parent.empty()) {
    std::memcpy(static_cast<void*>(t.new_row.values), row.values, static_cast<std::size_t>(row.count) * sizeof(Datum));
    std::memcpy(t.new_row.nulls, row.nulls, static_cast<std::size_t>(row.count) * sizeof(bool));
    t.new_row.set_virtual();
  } else {
    map_row(t.from_parent, row, t.new_row);
  }
  t.new_row.tuple = HeapTuple();
}

void set_place(ModifyTarget& t, const HeapTuple& tuple, TupleId tid) {
  t.new_row.tuple = tuple;
  t.new_row.tuple.tid = tid;
  t.new_row.tuple.table = t.table->relation().oid;
}

}  // namespace

Row* insert_row(ModifyState& s, Row& input) {
  Row& row = input_as_table_row(s, input);
  ModifyTarget& t = choose_target(s, row);
  TargetTable& table = *t.table;
  load_new_row(t, row);
  table.compute_generated(t.new_row);
  table.check_row(t.new_row);
  if (&t == s.named_target) table.check_partition(t.new_row);
  check_options(s, t, t.new_row);
  const nodes::OnConflict* conflict_clause = s.modify->on_conflict;
  bool any_arbiter = conflict_clause != nullptr && s.modify->arbiter_indexes.empty();
  std::vector<Oid> arbiters;
  if (conflict_clause != nullptr) arbiters = arbiters_of(s, t);
  for (;;) {
    TupleId conflict;
    if (conflict_clause != nullptr && table.find_conflict(t.new_row, arbiters, any_arbiter, conflict)) {
      Row* out = nullptr;
      ConflictResult r = resolve_conflict(s, t, conflict, out);
      if (r == ConflictResult::retry) continue;
      table.end_row();
      return out;
    }
    HeapTuple tuple = table.form(t.new_row, s.row_memory);
    TupleId tid = heap::insert(table.heap(), tuple);
    ConstraintEvents* events = nullptr;
    bool clean = true;
    if (!table.relation().indexes.empty()) {
      for (const TargetIndex& index : table.indexes()) {
        if (index.index->unique && !index.index->immediate) events = &s.events();
      }
      clean = table.insert_index_entries(t.new_row, tid, events, arbiters, any_arbiter);
    }
    if (!clean) {   // someone was faster: our row goes again, and we look at theirs
      heap::abort_speculative(table.heap(), tid);
      continue;
    }
    ++s.inserted_rows;
    tell_inserted(s, t, t.new_row, tid);
    Row* out = nullptr;
    if (s.has_returning) {
      set_place(t, tuple, tid);
      out = returning_row(s, t, t.new_row);
    }
    if (out == nullptr) table.end_row();
    return out;
  }
}

}  // namespace hathi::executor
