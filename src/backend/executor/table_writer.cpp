// Bulk writing: COPY FROM, CREATE TABLE AS, rewrites. Rows are collected and put on pages many at a time.

#include <map>

#include "column_map.h"
#include "constraint_events.h"
#include "hathi/executor/executor.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/transaction/transaction.h"
#include "partitions.h"
#include "target_table.h"

namespace hathi::executor {

namespace {

constexpr std::size_t kMostRows = 1000;
constexpr std::size_t kMostBytes = 65536;
// Partitions whose rows are collected at the same time.
constexpr std::size_t kMostBatches = 64;

// The rows waiting for one table.
struct Batch {
  Arena memory{1024};
  std::unique_ptr<TargetTable> table;
  std::span<const std::int16_t> from_parent;
  Row row;
  Arena arena{8192};
  std::vector<HeapTuple> tuples;
  std::vector<TupleId> tids;
  std::size_t bytes = 0;
};

}  // namespace

struct TableWriter::State {
  Options options;
  Arena arena{4096};
  catalog::RelationRef named;
  Row input;
  std::map<Oid, std::unique_ptr<Batch>> batches;
  std::unique_ptr<PartitionRouter> router;
  Batch* last = nullptr;             // that took a row last
  Oid last_table = kInvalidOid;
  Batch* only = nullptr;             // not partitioned
  buffer::Ring* ring = nullptr;
  ConstraintEvents events;
  bool deferrable_unique = false;
  std::uint64_t written = 0;
  std::size_t bytes = 0;

  Batch& batch_for(Oid table);
  void put(Batch& b);
  void flush_batch(Batch& b);
};

Batch& TableWriter::State::batch_for(Oid table) {
  if (last != nullptr && last_table == table) return *last;
  if (batches.size() >= kMostBatches && !batches.contains(table)) {
    for (auto& [oid, batch] : batches) flush_batch(*batch);
    batches.clear();
  }
  std::unique_ptr<Batch>& b = batches[table];
  last_table = table;
  last = b.get();
  if (b != nullptr) return *b;
  b = std::make_unique<Batch>();
  last = b.get();
  catalog::RelationRef ref = catalog::open_relation(table, table == named->oid ? locking::LockMode::none : locking::LockMode::row_exclusive);
  b->table = std::make_unique<TargetTable>(std::move(ref), nullptr, b->memory);
  b->table->make_new_row(b->row);
  if (table != named->oid) b->from_parent = map_columns(*named->descriptor, b->table->descriptor(), b->memory);
  return *b;
}

TableWriter::TableWriter(Oid table, const Options& options) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.options = options;
  s.named = catalog::open_relation(table, locking::LockMode::none);
  make_row(s.input, s.named->descriptor->count(), s.named->descriptor, s.arena);
  s.ring = buffer::make_ring(buffer::RingKind::bulk_write);
  if (s.named->kind != catalog::relation_kind::partitioned_table) s.only = &s.batch_for(table);
  else s.router = std::make_unique<PartitionRouter>(*s.named);
}

TableWriter::~TableWriter() {
  if (state_ != nullptr && state_->ring != nullptr) buffer::free_ring(state_->ring);
}

void TableWriter::write(const Datum* values, const bool* nulls) {
  State& s = *state_;
  check_interrupts();
  Batch* b = s.only;
  if (b == nullptr) b = &s.batch_for(s.router->route(values, nulls));
  if (b->from_parent.empty()) {
    auto n = static_cast<std::size_t>(b->row.count);
    std::memcpy(static_cast<void*>(b->row.values), values, n * sizeof(Datum));
    std::memcpy(b->row.nulls, nulls, n * sizeof(bool));
    b->row.set_virtual();
  } else {
    std::memcpy(static_cast<void*>(s.input.values), values, static_cast<std::size_t>(s.input.count) * sizeof(Datum));
    std::memcpy(s.input.nulls, nulls, static_cast<std::size_t>(s.input.count) * sizeof(bool));
    s.input.set_virtual();
    map_row(b->from_parent, s.input, b->row);
  }
  s.put(*b);
}

void TableWriter::State::put(Batch& b) {
  if (!options.skip_constraints) {
    b.table->compute_generated(b.row);
    b.table->check_row(b.row);
    if (&b == only) b.table->check_partition(b.row);
  }
  b.tuples.push_back(b.table->form(b.row, b.arena));
  b.table->end_row();
  b.bytes += b.tuples.back().size;
  bytes += b.tuples.back().size;
  ++written;
  if (b.tuples.size() >= kMostRows || b.bytes >= kMostBytes) flush_batch(b);
  // Many partitions with a few rows each must not add up.
  if (bytes >= 16 * kMostBytes) {
    for (auto& [oid, batch] : batches) flush_batch(*batch);
  }
}

void TableWriter::State::flush_batch(Batch& b) {
  if (b.tuples.empty()) return;
  TargetTable& table = *b.table;
  const catalog::Relation& relation = table.relation();
  b.tids.resize(b.tuples.size());
  heap::InsertOptions insert_options;
  insert_options.frozen = options.frozen;
  insert_options.ring = ring;
  heap::insert_many(table.heap(), b.tuples, b.tids, insert_options);
  bool wants_events = options.check_foreign_keys && !relation.foreign_keys.empty();
  if (!options.skip_constraints && (!relation.indexes.empty() || wants_events)) {
    for (std::size_t i = 0; i < b.tuples.size(); ++i) {
      b.row.set_heap(b.tuples[i]);
      b.row.tuple.tid = b.tids[i];
      if (!relation.indexes.empty()) table.insert_index_entries(b.row, b.tids[i], &events);
      if (wants_events) {
        b.row.need_all();
        events.row_inserted(relation, b.row.values, b.row.nulls, b.tids[i]);
      }
      table.end_row();
    }
  }
  bytes -= b.bytes;
  b.bytes = 0;
  b.tuples.clear();
  b.arena.reset();
}

void TableWriter::flush() {
  for (auto& [oid, batch] : state_->batches) state_->flush_batch(*batch);
  state_->events.run_immediate();
}

std::uint64_t TableWriter::written() const { return state_->written; }

}  // namespace hathi::executor
