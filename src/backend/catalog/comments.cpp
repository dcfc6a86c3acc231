// Comments on objects.

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "src/backend/catalog/definitions.h"

namespace hathi::catalog {

void set_comment(const ObjectAddress& object, std::string_view text) {
  const CatalogDefinition* definition = catalog_definition(object.class_id);
  bool shared = definition != nullptr && definition->shared;
  Oid catalog = shared ? catalog_oid::pg_shdescription : catalog_oid::pg_description;
  CatalogTable table(catalog, locking::LockMode::row_exclusive);
  Arena arena(1024);
  static_assert(pg_shdescription::objoid == pg_description::objoid && pg_shdescription::classoid == pg_description::classoid);
  std::vector<CatalogKey> keys{{pg_description::objoid, Datum::of(object.object)}, {pg_description::classoid, Datum::of(object.class_id)}};
  if (!shared) keys.push_back({pg_description::objsubid, Datum::of(object.sub)});
  std::optional<CatalogRow> old;
  table.scan(keys, arena, [&](CatalogRow& row) {
    old = row;
    return false;
  });
  AttrNumber column = shared ? pg_shdescription::description : pg_description::description;
  if (text.empty()) {
    if (old) table.remove(old->tid);
    return;
  }
  CatalogRow row = old ? *old : table.new_row();
  for (const CatalogKey& key : keys) row.set(key.column, key.value);
  row.set(column, varlena::make(arena, text));
  if (old) table.update(row);
  else table.insert(row);
}

}  // namespace hathi::catalog
