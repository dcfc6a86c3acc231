// REINDEX CONCURRENTLY: a copy of each index is built beside it (name_ccnew), takes its place, and the old one (name_ccold) leaves when
// nobody can use it any more. An error in between leaves a copy, or an old index, that is not valid and can be dropped.

#include <chrono>
#include <vector>

#include "concurrent_index.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/relation_locks.h"
#include "hathi/error/report.h"
#include "hathi/transaction/transaction.h"
#include "index_store.h"
#include "partition_indexes.h"
#include "reindex.h"
#include "relation_store.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
using catalog::RelationRef;
using locking::LockMode;

struct Replacement {
  Oid table = kInvalidOid, old_index = kInvalidOid, new_index = kInvalidOid;
  std::string shown;   // "schema.name"
};

std::string shown_name(const catalog::Relation& r) { return fmt::format("{}.{}", r.schema_name, r.name); }

[[noreturn]] void refuse_catalogs() { throw SqlError(sqlstate::feature_not_supported, "cannot reindex system catalogs concurrently"); }

class ConcurrentReindex {
 public:
  ConcurrentReindex(Oid relation, const Reindexing& options) : relation_(relation), options_(options) {}

  // Locks the tables and finds what is to be rebuilt. False: nothing.
  bool collect() {
    RelationRef r = catalog::try_open_relation(relation_, LockMode::none);
    if (!r) return true;
    if (raw(r->oid) < raw(kFirstNormalOid)) refuse_catalogs();
    shown_ = shown_name(*r);
    if (r->index != nullptr) {
      Oid table = r->index->table;
      RelationRef t = catalog::try_open_relation(table, LockMode::share_update_exclusive);
      if (!t) return true;
      if (t->kind == kind::toast && !r->index->valid) {
        throw SqlError(sqlstate::feature_not_supported, "cannot reindex invalid index on TOAST table");
      }
      tables_.push_back(table);
      if (t->kind == kind::toast) add_main_table(table);
      replacements_.push_back({table, relation_, kInvalidOid, shown_});
      return true;
    }
    add_table(relation_);
    RelationRef again = catalog::try_open_relation(relation_, LockMode::none);
    if (again && is_valid(again->heap.toast_table)) add_table(again->heap.toast_table);
    return !replacements_.empty();
  }

  void run() {
    if (replacements_.empty()) return;
    for (Oid table : tables_) locks_.add(table);
    for (Replacement& r : replacements_) create_copy(r);
    next_transaction();
    wait_for_writers();
    for (const Replacement& r : replacements_) build_unready_index(r.table, r.new_index);
    wait_for_writers();
    for (const Replacement& r : replacements_) complete_ready_index(r.table, r.new_index);
    swap();
    std::vector<Oid> old;
    for (const Replacement& r : replacements_) old.push_back(r.old_index);
    retire_indexes(old, tables_);
    if (options_.verbose) report_done();
  }

 private:
  void add_table(Oid oid) {
    RelationRef r = catalog::try_open_relation(oid, LockMode::share_update_exclusive);
    if (!r) return;
    tables_.push_back(oid);
    for (const catalog::IndexDescriptor* index : r->indexes) {
      std::string shown = fmt::format("{}.{}", r->schema_name, index->name);
      if (!index->valid) {
        report_warning(sqlstate::feature_not_supported, "cannot reindex invalid index \"{}\" concurrently, skipping", shown);
        continue;
      }
      replacements_.push_back({oid, index->oid, kInvalidOid, shown});
    }
  }

  // Who reads or writes the main table reads and writes its TOAST table without a lock that lasts.
  void add_main_table(Oid toast) {
    namespace c = catalog::pg_class;
    Arena arena(2048);
    auto row = catalog::CatalogTable(catalog_oid::pg_class, LockMode::access_share).find({{c::reltoastrelid, Datum::of(toast)}}, arena);
    if (row) tables_.push_back(row->get(c::oid).as_oid());
  }

  void wait_for_writers() const {
    for (Oid table : tables_) catalog::wait_for_relation_lockers(table, LockMode::share);
  }

  void create_copy(Replacement& r) {
    Arena arena(4096);
    RelationRef index = catalog::open_relation(r.old_index, LockMode::share_update_exclusive);
    RelationRef table = catalog::open_relation(r.table, LockMode::none);
    NewIndex n = same_definition(*index, *table, *table, arena);
    n.name = choose_relation_name(index->name, {}, "ccnew", table->schema);
    n.concurrently = true;
    r.new_index = create_index(n);
    copy_statistics_targets(r.old_index, r.new_index);
    locks_.add(r.old_index);
    locks_.add(r.new_index);
  }

  void swap() {
    for (const Replacement& r : replacements_) {
      std::string parting_name;
      {
        RelationRef old = catalog::open_relation(r.old_index, LockMode::none);
        parting_name = choose_relation_name(old->name, {}, "ccold", old->schema);
      }
      swap_indexes(r.old_index, r.new_index, parting_name);
    }
    next_transaction();
  }

  void report_done() const {
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    auto inform = [](std::string message, std::string detail) {
      ErrorReport r;
      r.severity = Severity::info;
      r.code = sqlstate::successful_completion;
      r.message = std::move(message);
      r.detail = std::move(detail);
      report(std::move(r));
    };
    std::string elapsed = fmt::format("elapsed: {:.2f} s.", seconds);
    bool is_index = replacements_.size() == 1 && replacements_[0].shown == shown_;
    if (is_index) return inform(fmt::format("index \"{}\" was reindexed", shown_), elapsed);
    for (const Replacement& r : replacements_) inform(fmt::format("index \"{}\" was reindexed", r.shown), {});
    inform(fmt::format("table \"{}\" was reindexed", shown_), elapsed);
  }

  Oid relation_;
  Reindexing options_;
  std::string shown_;
  std::vector<Oid> tables_;             // whose holders may use one of the indexes
  std::vector<Replacement> replacements_;
  SessionLocks locks_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace

bool reindex_concurrently(Oid relation, const Reindexing& options) {
  ConcurrentReindex work(relation, options);
  if (!work.collect()) return false;
  work.run();
  return true;
}

}  // namespace hathi::ddl
