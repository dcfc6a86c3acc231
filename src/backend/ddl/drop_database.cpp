// DROP DATABASE: the row goes with the transaction, the files when it commits.

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/transaction/database_files.h"
#include "hathi/transaction/transaction.h"
#include "database_access.h"
#include "statements.h"
#include "stored_settings.h"

namespace hathi::ddl {

namespace {

namespace d = catalog::pg_database;

void remove_row(Oid database) {
  Arena arena(1024);
  catalog::CatalogTable table(catalog_oid::pg_database, locking::LockMode::row_exclusive);
  auto row = table.find({{d::oid, Datum::of(database)}}, arena);
  if (!row) throw SqlError(sqlstate::internal_error, "cache lookup failed for database {}", raw(database));
  table.remove(row->tid);
}

}  // namespace

void drop_database(const parser::DropDatabaseStatement& s) {
  bool force = false;
  for (const parser::Option* option : s.options) {
    if (option->name != "force") throw SqlError(sqlstate::syntax_error, "unrecognized DROP DATABASE option \"{}\"", option->name).at(option->location);
    force = true;
  }
  Oid database = lock_database(s.name, locking::LockMode::access_exclusive);
  if (!is_valid(database)) {
    if (!s.missing_ok) throw SqlError(sqlstate::undefined_database, "database \"{}\" does not exist", s.name);
    report_notice(sqlstate::successful_completion, "database \"{}\" does not exist, skipping", s.name);
    return;
  }
  require_database_owner(database, s.name);
  catalog::DatabaseInfo info = *catalog::find_database(database);
  if (info.is_template) throw SqlError(sqlstate::wrong_object_type, "cannot drop a template database");
  if (database == catalog::current_database()) throw SqlError(sqlstate::object_in_use, "cannot drop the currently open database");
  if (force) terminate_other_sessions(database);
  require_no_other_sessions(database, fmt::format("database \"{}\" is being accessed by other users", s.name));
  remove_row(database);
  catalog::set_comment({catalog_oid::pg_database, database, 0}, {});
  remove_settings_of(database, kInvalidOid);
  catalog::remove_shared_dependencies_of_database(database);
  transaction::drop_database_files_at_commit(info.tablespace, database);
}

}  // namespace hathi::ddl
