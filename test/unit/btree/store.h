#pragma once
// A table of accounts with its indexes over the real storage layers, as sessions use them.

#include "../test_cluster.h"
#include "hathi/btree/btree.h"
#include "hathi/error/sql_error.h"
#include "hathi/heap/heap.h"
#include "hathi/transaction/transaction.h"

namespace hathi::test {

// (id int4, balance int4, filler text): unique index on id; with_second also one on balance, so that no update is HOT.
struct Store {
  explicit Store(bool with_second_index) : with_second(with_second_index) {
    TupleDescriptor* d = make_descriptor(arena, 3);
    d->attributes[0].layout = d->attributes[1].layout = {4, true, 'i'};
    d->attributes[2].layout = {-1, false, 'i'};
    d->attributes[2].storage = 'x';
    finish_descriptor(*d);
    table.oid = Oid{20000};
    table.file = {storage::kDefaultTablespace, Oid{5}, Oid{20000}};
    table.name = "accounts";
    table.descriptor = d;
    table.key_columns = {columns, 1};
    table.indexed_columns = {columns, with_second ? 2u : 1u};
    setup(by_id, 20001, "accounts_pkey", true);
    setup(by_balance, 20002, "accounts_balance", false);
  }
  void setup(btree::BTreeIndex& index, std::uint32_t oid, const char* name, bool unique) {
    TupleDescriptor* d = make_descriptor(arena, 1);
    d->attributes[0].layout = {4, true, 'i'};
    finish_descriptor(*d);
    index.oid = Oid{oid};
    index.file = {storage::kDefaultTablespace, Oid{5}, Oid{oid}};
    index.name = name;
    index.table_name = "accounts";
    index.unique = unique;
    index.descriptor = d;
    key.comparison = prepare_comparison(Oid{351}, kInvalidOid);
    index.keys = {&key, 1};
  }
  void set_persistence(storage::Persistence p) { table.persistence = by_id.persistence = by_balance.persistence = p; }

  // What a statement takes first; vacuum's cutting of the end excludes all of them.
  void lock(locking::LockMode mode) const {
    locking::acquire(transaction::owner(), locking::LockTag::relation_tag(table.file.database, table.oid), mode);
  }

  void create() {
    std::filesystem::create_directories("base/5");
    transaction::start();
    storage::create_storage(table.file, table.persistence);
    storage::create_storage(by_id.file, table.persistence);
    btree::create_empty(by_id);
    if (with_second) {
      storage::create_storage(by_balance.file, table.persistence);
      btree::create_empty(by_balance);
    }
    transaction::commit();
  }

  HeapTuple row(Arena& memory, std::int32_t id, std::int32_t balance) const {
    Datum values[3] = {Datum::of(id), Datum::of(balance), varlena::make(memory, std::string(static_cast<std::size_t>(40 + id % 60), 'f'))};
    bool nulls[3] = {};
    return form_tuple(*table.descriptor, values, nulls, memory);
  }
  std::int32_t column(const HeapTuple& t, AttrNumber n) const {
    bool is_null = false;
    return get_attribute(t, *table.descriptor, n, is_null).as_int32();
  }
  void index_row(std::int32_t id, std::int32_t balance, TupleId tid) const {
    bool is_null = false;
    auto probe = [this](TupleId t) { return btree::probe_heap(table, t); };
    auto conflict = [](TupleId) { throw SqlError(sqlstate::unique_violation, "duplicate key value violates unique constraint \"accounts_pkey\""); };
    Datum v = Datum::of(id);
    btree::insert(by_id, &v, &is_null, tid, btree::UniqueCheck::immediate, probe, conflict);
    if (!with_second) return;
    v = Datum::of(balance);
    btree::insert(by_balance, &v, &is_null, tid, btree::UniqueCheck::none, probe, conflict);
  }
  void insert(std::int32_t id, std::int32_t balance) const {
    lock(locking::LockMode::row_exclusive);
    Arena memory;
    index_row(id, balance, heap::insert(table, row(memory, id, balance)));
  }
  // The row that the snapshot sees.
  bool find(std::int32_t id, const transaction::Snapshot& s, buffer::PinnedBuffer& pin, HeapTuple& out) const {
    btree::Scan scan(by_id, false);
    btree::ScanKey k;
    k.column = 1;
    k.argument = Datum::of(id);
    k.comparison = key.comparison;
    scan.start({&k, 1});
    TupleId tid;
    while (scan.next(tid)) {
      bool all_dead = false;
      if (heap::fetch_by_index(table, tid, s, pin, out, &all_dead)) return true;
      if (all_dead) scan.kill_current();
    }
    return false;
  }
  // READ COMMITTED: false when the row is gone.
  bool add(std::int32_t id, std::int32_t amount) const {
    Arena memory;
    lock(locking::LockMode::row_exclusive);
    transaction::SnapshotRef s = transaction::statement_snapshot();
    CommandId command = transaction::current_command(false);
    buffer::PinnedBuffer pin;
    HeapTuple t;
    if (!find(id, *s, pin, t)) return false;
    for (;;) {
      std::int32_t balance = column(t, 2) + amount;
      TupleId tid = t.tid;
      pin.release();
      heap::ChangeFailure failure;
      heap::UpdateOutcome outcome;
      heap::ChangeResult r = heap::update(table, tid, row(memory, id, balance), command, true, failure, outcome);
      if (r == heap::ChangeResult::ok) {
        if (outcome.needs_index_entries) index_row(id, balance, outcome.tid);
        return true;
      }
      if (r != heap::ChangeResult::updated) return false;
      r = heap::lock_row(table, failure.next, command, outcome.lock_mode, heap::WaitPolicy::block, true, pin, t, failure);
      if (r != heap::ChangeResult::ok) return false;
    }
  }
  bool remove(std::int32_t id) const {
    lock(locking::LockMode::row_exclusive);
    transaction::SnapshotRef s = transaction::statement_snapshot();
    buffer::PinnedBuffer pin;
    HeapTuple t;
    if (!find(id, *s, pin, t)) return false;
    TupleId tid = t.tid;
    pin.release();
    heap::ChangeFailure failure;
    return heap::remove(table, tid, transaction::current_command(false), true, failure) == heap::ChangeResult::ok;
  }

  struct Totals { std::int64_t sum = 0; std::int64_t rows = 0; bool operator==(const Totals&) const = default; };
  Totals by_scan(const transaction::Snapshot& s) const {
    Totals t;
    heap::Scan scan(table, s);
    HeapTuple row;
    while (scan.next(row)) {
      t.sum += column(row, 2);
      ++t.rows;
    }
    return t;
  }
  Totals by_index(const transaction::Snapshot& s, const btree::BTreeIndex& index, bool backward) const {
    Totals t;
    btree::Scan scan(index, false);
    scan.start({});
    TupleId tid;
    buffer::PinnedBuffer pin;
    HeapTuple row;
    while (scan.next(tid, backward)) {
      if (!heap::fetch_by_index(table, tid, s, pin, row)) continue;
      t.sum += column(row, 2);
      ++t.rows;
    }
    return t;
  }

  struct Cleaner : heap::IndexCleaner {
    explicit Cleaner(const btree::BTreeIndex& i) : index(i) {}
    void remove_entries(const std::function<bool(TupleId)>& is_dead) override { btree::vacuum(index, is_dead); }
    void finish() override {}
    const btree::BTreeIndex& index;
  };
  heap::VacuumStatistics vacuum(bool freeze = false) const {
    Cleaner a(by_id), b(by_balance);
    heap::IndexCleaner* both[] = {&a, &b};
    transaction::start();
    transaction::set_vacuum_flag(true);
    lock(locking::LockMode::share_update_exclusive);
    heap::VacuumOptions options;
    options.freeze = freeze;
    options.force_index_cleanup = true;
    heap::VacuumStatistics s = heap::vacuum(table, {both, with_second ? 2u : 1u}, options);
    transaction::commit();
    return s;
  }
  // Scan and indexes must tell the same.
  void check(std::int64_t sum, std::int64_t rows) const {
    transaction::start();
    lock(locking::LockMode::access_share);
    {
      transaction::SnapshotRef s = transaction::statement_snapshot();
      Totals expected{sum, rows};
      EXPECT_EQ(by_scan(*s), expected) << by_scan(*s).sum << " " << by_scan(*s).rows;
      EXPECT_EQ(by_index(*s, by_id, false), expected);
      EXPECT_EQ(by_index(*s, by_id, true), expected);
      if (with_second) { EXPECT_EQ(by_index(*s, by_balance, false), expected); }
    }
    transaction::commit();
  }

  bool with_second;
  Arena arena;
  heap::HeapTable table;
  btree::BTreeIndex by_id, by_balance;
  btree::KeyColumn key;
  static constexpr AttrNumber columns[2] = {1, 2};
};

}  // namespace hathi::test
