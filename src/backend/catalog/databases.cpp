// Databases by name and OID.

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/user_objects.h"
#include "src/backend/catalog/object_cache.h"
#include "src/backend/catalog/user_readers.h"

namespace hathi::catalog {

namespace {

struct Row {
  Oid oid, owner, tablespace;
  std::string_view name, collate, ctype, icu_locale;
  int encoding, connection_limit;
  bool is_template, allow_connections;
  char locale_provider;
};

bool load_row(std::uint64_t key, Arena& arena, Row& info) {
  using namespace pg_database;
  Arena scratch(1024);
  auto row = CatalogTable(catalog_oid::pg_database, locking::LockMode::access_share).find({{pg_database::oid, Datum(key)}}, scratch);
  if (!row) return false;
  auto text = [&](AttrNumber column) {
    return row->is_null(column) ? std::string_view() : arena.copy(varlena::text(row->get(column), scratch));
  };
  info.oid = row->get(pg_database::oid).as_oid();
  info.owner = row->get(datdba).as_oid();
  info.tablespace = row->get(dattablespace).as_oid();
  info.name = arena.copy(name_text(row->get(datname)));
  info.collate = text(datcollate);
  info.ctype = text(datctype);
  info.icu_locale = text(daticulocale);
  info.encoding = row->get(encoding).as_int32();
  info.connection_limit = row->get(datconnlimit).as_int32();
  info.is_template = row->get(datistemplate).as_bool();
  info.allow_connections = row->get(datallowconn).as_bool();
  info.locale_provider = row->get(datlocprovider).as_char();
  return true;
}
ObjectCache<Row> rows(load_row, shared_store::Kind::database, true);

}  // namespace

void end_database_caches() { rows.end_of_transaction(); }

std::optional<DatabaseInfo> find_database(Oid oid) {
  const Row* row = rows.find(raw(oid), versions::slot_of(catalog_oid::pg_database, oid));
  if (row == nullptr) return std::nullopt;
  DatabaseInfo info;
  info.oid = row->oid;
  info.owner = row->owner;
  info.tablespace = row->tablespace;
  info.name = row->name;
  info.collate = row->collate;
  info.ctype = row->ctype;
  info.icu_locale = row->icu_locale;
  info.encoding = row->encoding;
  info.connection_limit = row->connection_limit;
  info.is_template = row->is_template;
  info.allow_connections = row->allow_connections;
  info.locale_provider = row->locale_provider;
  return info;
}

std::optional<DatabaseInfo> find_database(std::string_view name) {
  if (user_objects().named == nullptr) return std::nullopt;
  std::span<const NamedObject> found = user_objects().named(catalog_oid::pg_database, name);
  return found.empty() ? std::nullopt : find_database(found.front().oid);
}

}  // namespace hathi::catalog
