// Databases by name and OID.

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"

namespace hathi::catalog {

namespace {

DatabaseInfo info_from(const CatalogRow& row, Arena& arena) {
  using namespace pg_database;
  auto text = [&](AttrNumber column) { return row.is_null(column) ? std::string() : std::string(varlena::text(row.get(column), arena)); };
  DatabaseInfo info;
  info.oid = row.get(pg_database::oid).as_oid();
  info.owner = row.get(datdba).as_oid();
  info.tablespace = row.get(dattablespace).as_oid();
  info.name = name_text(row.get(datname));
  info.collate = text(datcollate);
  info.ctype = text(datctype);
  info.icu_locale = text(daticulocale);
  info.encoding = row.get(encoding).as_int32();
  info.connection_limit = row.get(datconnlimit).as_int32();
  info.is_template = row.get(datistemplate).as_bool();
  info.allow_connections = row.get(datallowconn).as_bool();
  info.locale_provider = row.get(datlocprovider).as_char();
  return info;
}

std::optional<DatabaseInfo> find(CatalogKey key, Arena& arena) {
  auto row = CatalogTable(catalog_oid::pg_database, locking::LockMode::access_share).find({key}, arena);
  if (!row) return std::nullopt;
  return info_from(*row, arena);
}

}  // namespace

std::optional<DatabaseInfo> find_database(std::string_view name) {
  if (name.size() >= kNameLength) return std::nullopt;
  Arena arena(1024);
  return find({pg_database::datname, make_name(arena, name)}, arena);
}

std::optional<DatabaseInfo> find_database(Oid oid) {
  Arena arena(1024);
  return find({pg_database::oid, Datum::of(oid)}, arena);
}

}  // namespace hathi::catalog
