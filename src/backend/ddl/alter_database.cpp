// ALTER DATABASE: options, RENAME, OWNER TO. (SET and RESET: stored_settings.cpp.)

#include "alter_database.h"

#include "hathi/catalog/acl.h"
#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/parser/parser.h"
#include "database_access.h"
#include "database_options.h"
#include "option_values.h"
#include "roles.h"
#include "row_values.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

namespace d = catalog::pg_database;
using locking::LockMode;

template <class Change>
void update_row(Oid database, Change change) {
  Arena arena(2048);
  catalog::CatalogTable table(catalog_oid::pg_database, LockMode::row_exclusive);
  auto row = table.find({{d::oid, Datum::of(database)}}, arena);
  if (!row) throw SqlError(sqlstate::internal_error, "cache lookup failed for database {}", raw(database));
  change(*row, arena);
  table.update(*row);
}

void require_create_db(std::string_view doing) {
  const catalog::RoleInfo* role = catalog::find_role(catalog::current_role());
  if (!role->superuser && !role->create_db) throw SqlError(sqlstate::insufficient_privilege, "permission denied to {} database", doing);
}

void move_to_tablespace(std::string_view name, const parser::Option& option) {
  Oid database = require_database(name, LockMode::access_exclusive);
  require_database_owner(database, name);
  if (database == catalog::current_database()) throw SqlError(sqlstate::object_in_use, "cannot change the tablespace of the currently open database");
  std::string tablespace = parser::option_text(option);
  if (tablespace == "pg_default") return;
  if (tablespace == "pg_global") throw SqlError(sqlstate::invalid_parameter_value, "pg_global cannot be used as default tablespace");
  throw SqlError(sqlstate::undefined_object, "tablespace \"{}\" does not exist", tablespace);
}

void refresh_collation_version(std::string_view name) {
  Oid database = require_database(name, LockMode::share_update_exclusive);
  require_database_owner(database, name);
  catalog::DatabaseInfo info = *catalog::find_database(database);
  std::string now = actual_collation_version(info.locale_provider, info.collate);
  update_row(database, [&](catalog::CatalogRow& row, Arena& arena) {
    std::string old = row.is_null(d::datcollversion) ? std::string() : std::string(varlena::text(row.get(d::datcollversion), arena));
    if (old.empty() != now.empty()) throw SqlError(sqlstate::internal_error, "invalid collation version change");
    if (old == now) report_notice(sqlstate::successful_completion, "version has not changed");
    else report_notice(sqlstate::successful_completion, "changing version from {} to {}", old, now);
    if (old != now) row.set(d::datcollversion, text_value(arena, now));
  });
}

struct Changes {
  const parser::Option *is_template = nullptr, *allow_connections = nullptr, *connection_limit = nullptr, *tablespace = nullptr;
};

Changes read_changes(const parser::OptionList& options) {
  Changes c;
  for (const parser::Option* o : options) {
    if (o->name == "is_template") take_option(c.is_template, *o);
    else if (o->name == "allow_connections") take_option(c.allow_connections, *o);
    else if (o->name == "connection_limit") take_option(c.connection_limit, *o);
    else if (o->name == "tablespace") take_option(c.tablespace, *o);
    else throw SqlError(sqlstate::syntax_error, "option \"{}\" not recognized", o->name).at(o->location);
  }
  if (c.tablespace != nullptr && options.size() != 1) {
    throw SqlError(sqlstate::feature_not_supported, "option \"{}\" cannot be specified with other options", c.tablespace->name).at(c.tablespace->location);
  }
  return c;
}

}  // namespace

void alter_database(const parser::AlterDatabaseStatement& s) {
  if (s.refresh_collation_version) return refresh_collation_version(s.name);
  Changes c = read_changes(s.options);
  if (c.tablespace != nullptr) return move_to_tablespace(s.name, *c.tablespace);
  auto has = [](const parser::Option* o) { return o != nullptr && o->value != nullptr; };
  bool is_template = has(c.is_template) && option_boolean(*c.is_template);
  bool allow = !has(c.allow_connections) || option_boolean(*c.allow_connections);
  int limit = has(c.connection_limit) ? connection_limit(*c.connection_limit) : -1;
  Oid database = require_database(s.name, LockMode::share_update_exclusive);
  require_database_owner(database, s.name);
  if (!allow && database == catalog::current_database()) {
    throw SqlError(sqlstate::invalid_parameter_value, "cannot disallow connections for current database");
  }
  update_row(database, [&](catalog::CatalogRow& row, Arena&) {
    if (c.is_template != nullptr) row.set(d::datistemplate, Datum::of(is_template));
    if (c.allow_connections != nullptr) row.set(d::datallowconn, Datum::of(allow));
    if (c.connection_limit != nullptr) row.set(d::datconnlimit, Datum::of(static_cast<std::int32_t>(limit)));
  });
}

void rename_database(std::string_view old_name, std::string_view new_name) {
  Oid database = require_database(old_name, LockMode::access_exclusive);
  require_database_owner(database, old_name);
  require_create_db("rename");
  if (catalog::find_database(new_name)) throw SqlError(sqlstate::duplicate_database, "database \"{}\" already exists", new_name);
  if (database == catalog::current_database()) throw SqlError(sqlstate::feature_not_supported, "current database cannot be renamed");
  require_no_other_sessions(database, fmt::format("database \"{}\" is being accessed by other users", old_name));
  update_row(database, [&](catalog::CatalogRow& row, Arena& arena) { row.set(d::datname, name_value(arena, new_name)); });
}

void change_database_owner(std::string_view name, Oid new_owner) {
  Oid database = require_database(name, LockMode::share_update_exclusive);
  catalog::DatabaseInfo info = *catalog::find_database(database);
  if (info.owner == new_owner) return;
  require_database_owner(database, name);
  require_may_become(new_owner);
  require_create_db("change owner of");
  update_row(database, [&](catalog::CatalogRow& row, Arena& arena) {
    row.set(d::datdba, Datum::of(new_owner));
    if (row.is_null(d::datacl)) return;
    std::vector<catalog::AclItem> items = catalog::read_acl(row.get(d::datacl), arena);
    catalog::acl_change_owner(items, info.owner, new_owner);
    row.set(d::datacl, catalog::make_acl(items, arena));
  });
  catalog::change_owner_dependency({catalog_oid::pg_database, database, 0}, new_owner);
}

}  // namespace hathi::ddl
