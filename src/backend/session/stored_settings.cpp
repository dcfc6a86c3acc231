// Settings kept for roles and databases (pg_db_role_setting).

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/types/array.h"
#include "start_up.h"

namespace hathi::session {

namespace {

void add(const catalog::CatalogTable& table, Oid database, Oid role, config::Source source, Arena& arena, std::vector<StoredSetting>& out) {
  namespace column = catalog::pg_db_role_setting;
  auto row = table.find({{column::setdatabase, Datum::of(database)}, {column::setrole, Datum::of(role)}}, arena);
  if (!row || row->is_null(column::setconfig)) return;
  types::ArrayElements items = types::array_elements(types::ArrayView(row->get(column::setconfig), arena), {-1, false, 'i'}, arena);
  for (int i = 0; i < items.count; ++i) {
    if (items.nulls[i]) continue;
    std::string_view item = varlena::text(items.values[i], arena);
    std::size_t equals = item.find('=');
    if (equals != std::string_view::npos) out.push_back({source, std::string(item.substr(0, equals)), std::string(item.substr(equals + 1))});
  }
}

}  // namespace

std::vector<StoredSetting> stored_settings(Oid database, Oid role) {
  if (catalog::is_empty(catalog_oid::pg_db_role_setting)) return {};
  std::vector<StoredSetting> out;
  Arena arena(1024);
  catalog::CatalogTable table(catalog_oid::pg_db_role_setting, locking::LockMode::access_share);
  add(table, kInvalidOid, kInvalidOid, config::Source::global, arena, out);
  add(table, database, kInvalidOid, config::Source::database, arena, out);
  add(table, kInvalidOid, role, config::Source::user, arena, out);
  add(table, database, role, config::Source::database_user, arena, out);
  return out;
}

}  // namespace hathi::session
