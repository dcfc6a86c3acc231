// VACUUM and ANALYZE.

#include <algorithm>
#include <map>

#include "hathi/analyzer/analyze.h"
#include "hathi/btree/btree.h"
#include "hathi/buffer/buffer_pool.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/parser/parser.h"
#include "hathi/planner/analyze_table.h"
#include "hathi/statistics/shared.h"
#include "hathi/transaction/process_array.h"
#include "hathi/transaction/transaction.h"
#include "inheritance.h"
#include "object_names.h"
#include "relation_store.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;

struct Options {
  bool vacuum = false, analyze = false, full = false, freeze = false, verbose = false, skip_locked = false, truncate = true, index_cleanup = true,
       disable_page_skipping = false, process_toast = true;
};

bool boolean(const parser::Option& o) {
  std::string v = parser::option_text(o);
  if (v.empty() || v == "true" || v == "on" || v == "1") return true;
  if (v == "false" || v == "off" || v == "0") return false;
  throw SqlError(sqlstate::syntax_error, "{} requires a Boolean value", o.name);
}

Options read_options(const parser::VacuumStatement& s) {
  Options out;
  out.vacuum = s.is_vacuum;
  out.analyze = !s.is_vacuum;
  for (const parser::Option* o : s.options) {
    if (o->name == "verbose") out.verbose = boolean(*o);
    else if (o->name == "skip_locked") out.skip_locked = boolean(*o);
    else if (!s.is_vacuum) throw SqlError(sqlstate::syntax_error, "unrecognized ANALYZE option \"{}\"", o->name).at(o->location);
    else if (o->name == "analyze") out.analyze = boolean(*o);
    else if (o->name == "freeze") out.freeze = boolean(*o);
    else if (o->name == "full") out.full = boolean(*o);
    else if (o->name == "disable_page_skipping") out.disable_page_skipping = boolean(*o);
    else if (o->name == "truncate") out.truncate = boolean(*o);
    else if (o->name == "process_toast") out.process_toast = boolean(*o);
    else if (o->name == "index_cleanup") out.index_cleanup = parser::option_text(*o) == "auto" || boolean(*o);
    else if (o->name == "parallel") continue;
    else throw SqlError(sqlstate::syntax_error, "unrecognized VACUUM option \"{}\"", o->name).at(o->location);
  }
  return out;
}

class BTreeCleaner : public heap::IndexCleaner {
 public:
  explicit BTreeCleaner(const catalog::IndexDescriptor& index) : index_(index) {}
  void remove_entries(const std::function<bool(TupleId)>& is_dead) override { result_ = btree::vacuum(index_.btree, is_dead); }
  void finish() override {}
  const catalog::IndexDescriptor& index() const { return index_; }
  const btree::VacuumResult& result() const { return result_; }

 private:
  const catalog::IndexDescriptor& index_;
  btree::VacuumResult result_;
};

// Counters of pg_class change in place: they are hints, and a VACUUM must not leave a dead row for every table.
void store_statistics(Oid relation, double rows, std::uint32_t pages, std::uint32_t all_visible) {
  namespace c = catalog::pg_class;
  Arena arena(2048);
  catalog::CatalogTable table(catalog_oid::pg_class, locking::LockMode::row_exclusive);
  auto row = table.find({{c::oid, Datum::of(relation)}}, arena);
  if (!row) return;
  row->set(c::reltuples, Datum::of(static_cast<float>(rows)));
  row->set(c::relpages, Datum::of(static_cast<std::int32_t>(pages)));
  row->set(c::relallvisible, Datum::of(static_cast<std::int32_t>(all_visible)));
  table.update(*row);
  catalog::note_change(catalog_oid::pg_class, relation);
}

bool may_maintain(const catalog::Relation& r, std::string_view verb) {
  Oid role = catalog::current_role();
  if (catalog::is_owner(catalog_oid::pg_class, r.oid, role) ||
      (catalog::is_owner(catalog_oid::pg_database, catalog::current_database(), role) && !r.is_shared))
    return true;
  report_warning(sqlstate::warning, "skipping \"{}\" --- only {} can {} it", r.name,
                 r.is_shared ? "superuser" : (r.schema == kPgCatalogNamespace ? "superuser or database owner" : "table or database owner"), verb);
  return false;
}

void vacuum_one(Oid oid, const Options& o, bool is_toast) {
  catalog::RelationRef r = catalog::try_open_relation(oid, locking::LockMode::share_update_exclusive);
  if (!r || (!is_toast && !may_maintain(*r, "vacuum"))) return;
  if (r->kind != kind::table && r->kind != kind::toast && r->kind != kind::materialized_view) {
    if (r->kind != kind::partitioned_table)
      report_warning(sqlstate::warning, "skipping \"{}\" --- cannot vacuum non-tables or special system tables", r->name);
    return;
  }
  if (r->persistence == 't' && !storage::is_temporary(r->file)) return;
  std::vector<BTreeCleaner> cleaners;
  for (const catalog::IndexDescriptor* i : r->indexes) if (i->ready) cleaners.emplace_back(*i);
  std::vector<heap::IndexCleaner*> pointers;
  for (BTreeCleaner& c : cleaners) pointers.push_back(&c);
  heap::VacuumOptions options;
  options.freeze = o.freeze;
  options.truncate = o.truncate;
  options.index_cleanup = o.index_cleanup;
  options.disable_page_skipping = o.disable_page_skipping;
  heap::VacuumStatistics stats = heap::vacuum(r->heap, pointers, options);
  statistics::report_vacuum(oid, r->file.database, static_cast<std::int64_t>(stats.rows_estimated), static_cast<std::int64_t>(stats.rows_dead_kept));
  auto pages = buffer::block_count(r->file, Fork::main).value();
  store_statistics(oid, stats.rows_estimated, pages, static_cast<std::uint32_t>(stats.pages_all_visible));
  for (BTreeCleaner& c : cleaners) {
    auto index_pages = buffer::block_count(c.index().btree.file, Fork::main).value();
    store_statistics(c.index().oid, c.result().pages > 0 ? static_cast<double>(c.result().entries) : stats.rows_estimated, index_pages, 0);
  }
  if (o.verbose) {
    ErrorReport report_line;
    report_line.severity = Severity::info;
    report_line.code = sqlstate::successful_completion;
    report_line.message = fmt::format("finished vacuuming \"{}.{}.{}\": {} rows removed, {} remain", catalog::current_database_name(), r->schema_name, r->name,
                                      stats.rows_removed, stats.rows_live);
    report(std::move(report_line));
  }
}

void analyze_one(Oid oid, std::span<const std::string_view> columns) {
  catalog::RelationRef r = catalog::try_open_relation(oid, locking::LockMode::share_update_exclusive);
  if (!r || !may_maintain(*r, "analyze")) return;
  bool is_tree = r->kind == kind::partitioned_table;
  if (r->kind != kind::table && r->kind != kind::materialized_view && !is_tree) {
    report_warning(sqlstate::warning, "skipping \"{}\" --- cannot analyze non-tables or special system tables", r->name);
    return;
  }
  if (oid == catalog_oid::pg_statistic) return;   // statistics of the statistics would never settle
  std::vector<AttrNumber> numbers;
  for (std::string_view name : columns) {
    AttrNumber number = find_column(*r, name);
    if (number == 0) throw SqlError(sqlstate::undefined_column, "column \"{}\" of relation \"{}\" does not exist", name, r->name);
    if (std::find(numbers.begin(), numbers.end(), number) != numbers.end())
      throw SqlError(sqlstate::duplicate_column, "column \"{}\" of relation \"{}\" appears more than once", name, r->name);
    numbers.push_back(number);
  }
  planner::TableSample sample = planner::analyze_columns(*r, numbers);
  statistics::report_analyze(oid, r->file.database, static_cast<std::int64_t>(sample.rows), -1, columns.empty());
  if (is_tree) return store_statistics(oid, sample.rows, static_cast<std::uint32_t>(-1), 0);   // pages are its partitions'
  store_statistics(oid, sample.rows, sample.pages, r->all_visible_pages);
  for (const catalog::IndexDescriptor* i : r->indexes) store_statistics(i->oid, sample.rows, buffer::block_count(i->btree.file, Fork::main).value(), 0);
}

std::vector<Oid> all_tables() {
  namespace c = catalog::pg_class;
  std::vector<Oid> out;
  Arena arena;
  catalog::CatalogTable table(catalog_oid::pg_class, locking::LockMode::access_share);
  table.scan({}, arena, [&](catalog::CatalogRow& row) {
    char k = row.get(c::relkind).as_char();
    if (k == kind::table || k == kind::materialized_view || k == kind::partitioned_table) out.push_back(row.get(c::oid).as_oid());
    return true;
  });
  return out;
}

}  // namespace

void vacuum(const UtilityCall& call, const parser::VacuumStatement& s, std::string&) {
  Options o = read_options(s);
  if (o.full) throw_not_supported("VACUUM FULL");
  std::vector<Oid> tables;
  std::map<Oid, std::span<const std::string_view>> columns;
  for (const parser::VacuumTarget* t : s.targets) {
    if (!t->columns.empty() && !o.analyze) throw SqlError(sqlstate::feature_not_supported, "ANALYZE option must be specified when a column list is provided");
    Oid oid = analyzer::find_by_name(t->relation);
    tables.push_back(oid);
    columns[oid] = t->columns;
    for (Oid child : all_descendants(oid, locking::LockMode::none)) tables.push_back(child);
  }
  if (s.targets.empty()) tables = all_tables();
  for (Oid oid : tables) {
    if (o.vacuum) {
      // Each table in a transaction of its own, so that no lock is held longer than needed.
      transaction::commit();
      transaction::start();
      Oid toast = kInvalidOid;
      if (auto r = catalog::try_open_relation(oid, locking::LockMode::none)) toast = r->heap.toast_table;
      vacuum_one(oid, o, false);
      if (is_valid(toast) && o.process_toast) {
        transaction::commit();
        transaction::start();
        vacuum_one(toast, o, true);
      }
    }
    if (o.analyze) {
      if (o.vacuum) {
        transaction::commit();
        transaction::start();
      }
      analyze_one(oid, columns[oid]);
      transaction::advance_command();
    }
  }
  (void)call;
}

}  // namespace hathi::ddl
