// CREATE DATABASE: a row, and a copy of the template's files. Both follow the transaction.

#include "hathi/catalog/acl.h"
#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/parser/parser.h"
#include "hathi/storage/file.h"
#include "hathi/transaction/database_files.h"
#include "hathi/transaction/transaction.h"
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

struct NewDatabase {
  std::string_view name;
  Oid oid, owner;
  DatabaseLocale locale;
  bool is_template = false, allow_connections = true;
  int limit = -1;
};

Oid role_named(const std::string& name) {
  const catalog::RoleInfo* role = catalog::find_role_by_name(name);
  if (role == nullptr) throw SqlError(sqlstate::undefined_object, "role \"{}\" does not exist", name);
  return role->oid;
}

void require_may_create(Oid owner) {
  Oid role = catalog::current_role();
  const catalog::RoleInfo* info = catalog::find_role(role);
  if (!info->superuser && !info->create_db) throw SqlError(sqlstate::insufficient_privilege, "permission denied to create database");
  require_may_become(owner);
}

// Both strategies come to the same here: contents go through the log.
void check_strategy(const DatabaseOptions& options) {
  auto strategy = given(options.strategy);
  if (!strategy || *strategy == "wal_log" || *strategy == "file_copy") return;
  throw SqlError(sqlstate::invalid_parameter_value, "invalid create database strategy \"{}\"", *strategy)
      .hint("Valid strategies are \"wal_log\" and \"file_copy\".");
}

Oid wanted_oid(const DatabaseOptions& options) {
  auto text = given(options.oid);
  if (!text) return kInvalidOid;
  unsigned long long value = std::strtoull(text->c_str(), nullptr, 10);
  if (value < raw(kFirstNormalOid)) {
    throw SqlError(sqlstate::invalid_parameter_value, "OIDs less than {} are reserved for system objects", raw(kFirstNormalOid));
  }
  if (value > 0xFFFFFFFFull) throw SqlError(sqlstate::numeric_value_out_of_range, "value \"{}\" is out of range for type oid", *text);
  return Oid{static_cast<std::uint32_t>(value)};
}

Oid choose_oid(Oid wanted) {
  if (!is_valid(wanted)) return catalog::new_oid(catalog_oid::pg_database);
  if (auto other = catalog::find_database(wanted)) {
    throw SqlError(sqlstate::invalid_parameter_value, "database OID {} is already in use by database \"{}\"", raw(wanted), other->name);
  }
  return wanted;
}

void check_tablespace(const DatabaseOptions& options) {
  auto name = given(options.tablespace);
  if (!name || *name == "pg_default") return;
  if (*name == "pg_global") throw SqlError(sqlstate::invalid_parameter_value, "pg_global cannot be used as default tablespace");
  throw SqlError(sqlstate::undefined_object, "tablespace \"{}\" does not exist", *name);
}

void insert_row(const NewDatabase& n, Oid source) {
  Arena arena(2048);
  catalog::CatalogTable table(catalog_oid::pg_database, LockMode::row_exclusive);
  // Horizons are the template's: the same rows were copied.
  auto from = table.find({{d::oid, Datum::of(source)}}, arena);
  catalog::CatalogRow row = table.new_row();
  row.set(d::oid, Datum::of(n.oid));
  row.set(d::datname, name_value(arena, n.name));
  row.set(d::datdba, Datum::of(n.owner));
  row.set(d::encoding, Datum::of(static_cast<std::int32_t>(n.locale.encoding)));
  row.set(d::datlocprovider, Datum::of(n.locale.provider));
  row.set(d::datistemplate, Datum::of(n.is_template));
  row.set(d::datallowconn, Datum::of(n.allow_connections));
  row.set(d::datconnlimit, Datum::of(static_cast<std::int32_t>(n.limit)));
  row.set(d::datfrozenxid, from->get(d::datfrozenxid));
  row.set(d::datminmxid, from->get(d::datminmxid));
  row.set(d::dattablespace, Datum::of(storage::kDefaultTablespace));
  row.set(d::datcollate, text_value(arena, n.locale.collate));
  row.set(d::datctype, text_value(arena, n.locale.ctype));
  if (!n.locale.icu_locale.empty()) row.set(d::daticulocale, text_value(arena, n.locale.icu_locale));
  if (!n.locale.collation_version.empty()) row.set(d::datcollversion, text_value(arena, n.locale.collation_version));
  table.insert(row);
}

}  // namespace

void create_database(const parser::CreateDatabaseStatement& s, std::string_view text) {
  DatabaseOptions options = read_database_options(s.options, text);
  NewDatabase n;
  n.name = s.name;
  Oid oid = wanted_oid(options);
  if (options.is_template != nullptr && options.is_template->value != nullptr) n.is_template = option_boolean(*options.is_template);
  if (options.allow_connections != nullptr && options.allow_connections->value != nullptr) n.allow_connections = option_boolean(*options.allow_connections);
  if (options.connection_limit != nullptr && options.connection_limit->value != nullptr) n.limit = connection_limit(*options.connection_limit);
  if (given(options.encoding)) encoding_option(*options.encoding);
  auto owner = given(options.owner);
  n.owner = owner ? role_named(*owner) : catalog::current_role();
  require_may_create(n.owner);
  std::string source_name = given(options.source).value_or("template1");
  Oid source = lock_database(source_name, LockMode::share);
  if (!is_valid(source)) throw SqlError(sqlstate::undefined_database, "template database \"{}\" does not exist", source_name);
  catalog::DatabaseInfo from = *catalog::find_database(source);
  if (!from.is_template && !catalog::is_owner(catalog_oid::pg_database, source, catalog::current_role())) {
    throw SqlError(sqlstate::insufficient_privilege, "permission denied to copy database \"{}\"", source_name);
  }
  check_strategy(options);
  n.locale = locale_of_copy(options, from);
  check_tablespace(options);
  if (catalog::find_database(n.name)) throw SqlError(sqlstate::duplicate_database, "database \"{}\" already exists", n.name);
  require_no_other_sessions(source, fmt::format("source database \"{}\" is being accessed by other users", source_name));
  n.oid = choose_oid(oid);
  insert_row(n, source);
  catalog::record_owner({catalog_oid::pg_database, n.oid, 0}, n.owner);
  catalog::copy_shared_dependencies_of_database(source, n.oid);
  transaction::advance_command();
  transaction::create_database_files(from.tablespace, source, storage::kDefaultTablespace, n.oid);
}

}  // namespace hathi::ddl
