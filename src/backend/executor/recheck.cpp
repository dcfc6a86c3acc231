#include "recheck.h"

#include "column_map.h"
#include "hathi/datum/record_types.h"
#include "row_values.h"

namespace hathi::executor {

Recheck::Recheck(StatementState& statement, const planner::Plan* plan, const List<planner::RowMarkPlan*>& marks, int target_rte)
    : parent_(statement), plan_(plan), marks_(marks), target_rte_(target_rte) {}
Recheck::~Recheck() = default;

void Recheck::prepare() {
  if (state_ != nullptr) return;
  ExecutionOptions options;
  state_ = std::make_unique<StatementState>(parent_.statement, options);
  std::size_t n = parent_.statement.range_table.size();
  auto* rows = static_cast<ReplacementRow*>(state_->arena.allocate(sizeof(ReplacementRow) * std::max<std::size_t>(n, 1), alignof(ReplacementRow)));
  for (std::size_t i = 0; i < n; ++i) new (rows + i) ReplacementRow();
  replacements_ = {rows, n};
  state_->replacements = rows;
  state_->parent = &parent_;
  if (target_rte_ != 0) slot(target_rte_).active = true;
  for (const planner::RowMarkPlan* m : marks_) slot(m->rte).active = true;
  given_.assign(n, false);
}

void Recheck::begin() {
  prepare();
  state_->close_all();
  rows_.reset();
  given_.assign(given_.size(), false);
  for (ReplacementRow& r : replacements_) r.present = r.done = false;
  state_->external = parent_.external;
  state_->snapshot = parent_.snapshot;
  state_->command = parent_.command;
  for (int slot : plan_->parameters) state_->inherit_param(slot);
  state_->everything_changed = ++state_->clock;
}

void Recheck::set_row(int rte, const HeapTuple& tuple, const TupleDescriptor& descriptor) {
  ReplacementRow& r = slot(rte);
  if (r.row.values == nullptr || r.row.descriptor != &descriptor) make_row(r.row, descriptor.count(), &descriptor, state_->arena);
  HeapTuple copy = tuple;
  auto* bytes = static_cast<std::byte*>(rows_.allocate(tuple.size, 8));
  std::memcpy(bytes, tuple.header, tuple.size);
  copy.header = reinterpret_cast<const HeapTupleHeader*>(bytes);
  r.row.set_heap(copy);
  r.present = true;
  given_[static_cast<std::size_t>(rte - 1)] = true;
}

void Recheck::set_values(int rte, Row& row, const TupleDescriptor& descriptor) {
  ReplacementRow& r = slot(rte);
  if (r.row.values == nullptr || r.row.descriptor != &descriptor) make_row(r.row, descriptor.count(), &descriptor, state_->arena);
  copy_row(r.row, row, descriptor, rows_);
  r.row.tuple = HeapTuple();
  r.row.tuple.tid = row.tuple.tid;
  r.row.tuple.table = row.tuple.table;
  r.present = true;
  given_[static_cast<std::size_t>(rte - 1)] = true;
}

void Recheck::set_partition_row(int rte, const HeapTuple& tuple, const catalog::Relation& partition) {
  const TupleDescriptor& wanted = *parent_.relation(rte).descriptor;
  Row own;
  make_row(own, partition.descriptor->count(), partition.descriptor, rows_);
  own.set_heap(tuple);
  std::span<const std::int16_t> map = map_columns(*partition.descriptor, wanted, rows_);
  if (map.empty()) return set_values(rte, own, wanted);
  Row moved;
  make_row(moved, wanted.count(), &wanted, rows_);
  map_row(map, own, moved);
  set_values(rte, moved, wanted);
}

void Recheck::set_marked_rows(Row& input) {
  for (const planner::RowMarkPlan* m : marks_) {
    if (given_[static_cast<std::size_t>(m->rte - 1)]) continue;
    AttrNumber column = m->row_column != 0 ? m->row_column : m->ctid_column;
    if (column == 0) continue;
    input.need(std::max(column, m->tableoid_column));
    if (input.nulls[column - 1]) continue;   // the NULL side of an outer join
    ReplacementRow& r = slot(m->rte);
    if (m->row_column != 0) {
      HeapTuple record = open_record(input.values[column - 1], rows_);
      Datum plain = Datum::of(static_cast<const void*>(record.header));
      const TupleDescriptor* d = describe_row_type(record_type(plain), record_typmod(plain), rows_);
      make_row(r.row, d->count(), d, state_->arena);
      deform_tuple(record, *d, d->count(), r.row.values, r.row.nulls);
      r.row.set_virtual();
      r.present = true;
      continue;
    }
    const catalog::Relation* relation = &parent_.relation(m->rte);
    catalog::RelationRef partition;
    if (m->tableoid_column != 0 && !input.nulls[m->tableoid_column - 1] && input.values[m->tableoid_column - 1].as_oid() != relation->oid) {
      partition = catalog::open_relation(input.values[m->tableoid_column - 1].as_oid(), locking::LockMode::none);
      relation = partition.get();
    }
    buffer::PinnedBuffer pin;
    HeapTuple tuple;
    if (!heap::fetch_version(relation->heap, read_tid(input.values[column - 1]), transaction::any_snapshot(), pin, tuple)) {
      throw SqlError(sqlstate::internal_error, "failed to fetch tuple for EvalPlanQual recheck");
    }
    tuple.table = relation->oid;
    if (partition) set_partition_row(m->rte, tuple, *partition);
    else set_row(m->rte, tuple, *relation->descriptor);
  }
}

Row* Recheck::run() {
  if (root_ == nullptr) root_ = make_node(*state_, plan_);
  return fetch(*root_);
}

}  // namespace hathi::executor
