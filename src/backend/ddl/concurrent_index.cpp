#include "concurrent_index.h"

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/concurrent_deletion.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/relation_locks.h"
#include "hathi/error/sql_error.h"
#include "hathi/executor/executor.h"
#include "hathi/transaction/snapshot.h"
#include "hathi/transaction/transaction.h"
#include "index_store.h"

namespace hathi::ddl {

using locking::LockMode;

SessionLocks::~SessionLocks() {
  for (Oid relation : relations_) catalog::release_relation_lock(transaction::session_owner(), relation, LockMode::share_update_exclusive);
}

void SessionLocks::add(Oid relation) {
  catalog::acquire_relation_lock(transaction::session_owner(), relation, LockMode::share_update_exclusive);
  relations_.push_back(relation);
}

void store_index_state(Oid index, IndexState state) {
  namespace x = catalog::pg_index;
  Arena arena(1024);
  Oid table_oid;
  {
    catalog::CatalogTable table(catalog_oid::pg_index, LockMode::row_exclusive);
    auto row = table.find({{x::indexrelid, Datum::of(index)}}, arena);
    if (!row) throw SqlError(sqlstate::internal_error, "cache lookup failed for index {}", raw(index));
    row->set(x::indislive, Datum::of(state.live));
    row->set(x::indisready, Datum::of(state.ready));
    row->set(x::indisvalid, Datum::of(state.valid));
    if (!state.live) {
      row->set(x::indisclustered, Datum::of(false));
      row->set(x::indisreplident, Datum::of(false));
    }
    table_oid = row->get(x::indrelid).as_oid();
    table.update(*row);
  }
  catalog::note_change(catalog_oid::pg_class, index);
  catalog::note_change(catalog_oid::pg_class, table_oid);
}

void next_transaction() {
  transaction::commit();
  transaction::start();
}

void build_unready_index(Oid table, Oid index) {
  {
    transaction::SnapshotRef snapshot = transaction::latest_snapshot();
    std::uint64_t table_rows = 0, index_rows = 0;
    executor::build_index(table, index, snapshot.get(), table_rows, index_rows);
    store_relation_size(table, static_cast<double>(table_rows));
    store_relation_size(index, static_cast<double>(index_rows));
  }
  store_index_state(index, {.ready = true});
  next_transaction();
}

void complete_ready_index(Oid table, Oid index) {
  Xid limit{0};
  {
    transaction::SnapshotRef snapshot = transaction::latest_snapshot();
    executor::validate_index(table, index, *snapshot);
    limit = snapshot->xmin;
  }
  next_transaction();
  transaction::wait_for_older_snapshots(limit);
}

void retire_indexes(const std::vector<Oid>& indexes, const std::vector<Oid>& tables) {
  for (Oid table : tables) catalog::wait_for_relation_lockers(table, LockMode::access_exclusive);
  for (Oid index : indexes) store_index_state(index, {.live = false});
  next_transaction();
  for (Oid table : tables) catalog::wait_for_relation_lockers(table, LockMode::access_exclusive);
  std::vector<catalog::ObjectAddress> gone;
  for (Oid index : indexes) gone.push_back({catalog_oid::pg_class, index, 0});
  catalog::delete_unused(gone);
  next_transaction();
}

void drop_index_concurrently(Oid index) {
  const catalog::ObjectAddress address[] = {{catalog_oid::pg_class, index, 0}};
  catalog::check_deletion(address);
  SessionLocks locks;
  Oid table;
  bool ready;
  {
    catalog::RelationRef r = catalog::open_relation(index, LockMode::none);
    table = r->index->table;
    ready = r->index->ready;
  }
  store_index_state(index, {.ready = ready, .valid = false});
  locks.add(table);
  locks.add(index);
  next_transaction();
  retire_indexes({index}, {table});
}

}  // namespace hathi::ddl
