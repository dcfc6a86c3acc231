// After a crash: files of relations that no row of pg_class knows go away.
//
// The log tells recovery of most of them (transaction/relation_storage.cpp), but a file's name may reach the disk before the record of its
// creation, which a loss of power then takes away. The only judge that is always right is the catalog itself.

#include <unordered_set>

#include "hathi/buffer/buffer_pool.h"
#include "hathi/catalog/columns.h"
#include "hathi/error/report.h"
#include "hathi/heap/heap.h"
#include "hathi/storage/directory.h"
#include "hathi/storage/file.h"
#include "hathi/transaction/snapshot.h"
#include "hathi/transaction/transaction.h"
#include "hathi/wal/recovery_hooks.h"
#include "src/backend/catalog/orphan_files.h"
#include "src/backend/catalog/relation_cache.h"

namespace hathi::catalog {

namespace {

// The storage numbers that the database's pg_class names in committed rows.
std::unordered_set<std::uint32_t> known_files(Oid database) {
  heap::HeapTable table = cached_relation(catalog_oid::pg_class)->heap;
  table.file.database = database;
  std::unordered_set<std::uint32_t> known;
  transaction::SnapshotRef snapshot = transaction::latest_snapshot();
  heap::Scan scan(table, *snapshot);
  HeapTuple row;
  while (scan.next(row)) {
    bool is_null = false;
    Datum file = get_attribute(row, *table.descriptor, pg_class::relfilenode, is_null);
    if (!is_null) known.insert(raw(file.as_oid()));
  }
  return known;
}

void remove_unknown_files_of(const storage::DatabaseDirectory& d) {
  RelationFile pg_class_file = cached_relation(catalog_oid::pg_class)->heap.file;
  pg_class_file.database = d.database;
  if (!storage::fork_exists(pg_class_file, Fork::main)) return;   // a copy that was never finished: not ours to judge
  std::unordered_set<std::uint32_t> candidates;
  for (const std::string& name : storage::list_directory(d.path)) {
    auto parsed = storage::parse_relation_name(name);
    if (parsed && parsed->temp_owner < 0 && parsed->relation >= kFirstNormalOid) candidates.insert(raw(parsed->relation));
  }
  if (candidates.empty()) return;
  std::unordered_set<std::uint32_t> known = known_files(d.database);
  for (std::uint32_t number : candidates) {
    if (known.contains(number)) continue;
    log_message("removing file \"{}/{}\", which belongs to no relation", d.path, number);
    storage::unlink_relation({d.tablespace, d.database, Oid{number}}, true);
  }
}

void remove_unknown_files() {
  transaction::start();
  for (const storage::DatabaseDirectory& d : storage::database_directories()) {
    if (d.tablespace != storage::kDefaultTablespace) continue;
    try {
      remove_unknown_files_of(d);
    } catch (const SqlError& e) {
      // A damaged catalog is no reason not to start: its files stay as they are.
      log_message("could not look for files without relations in \"{}\": {}", d.path, e.report().message);
      buffer::release_all_at_abort();
    }
  }
  transaction::abort();
}

}  // namespace

void register_orphan_removal() { wal::register_after_recovery(remove_unknown_files); }

}  // namespace hathi::catalog
