#pragma once
// What the catalogs look like: tables, columns, indexes, TOAST tables, from data/catalogs.dat and data/indexes.dat. Loaded before
// the first fork.

#include <span>
#include <string_view>

#include "hathi/base/ids.h"

namespace hathi::catalog {

struct CatalogColumn { std::string_view name; Oid type; bool not_null; char storage; Oid collation; int dimensions; };
struct CatalogIndex {
  Oid oid; std::string_view name; Oid table; bool unique, primary;
  std::span<const AttrNumber> columns;
  std::span<const Oid> classes, collations;
  Oid constraint; char constraint_type;     // 0 when it implements none
};
struct CatalogDefinition {
  Oid oid; std::string_view name; Oid row_type; bool shared, public_read; Oid toast, toast_index;
  std::span<const CatalogColumn> columns;
  std::span<const CatalogIndex> indexes;    // by rising OID
};

std::span<const CatalogDefinition> catalog_definitions();
const CatalogDefinition* catalog_definition(Oid oid);
// The catalog or catalog index of that name in pg_catalog; 0 = none.
Oid catalog_relation(std::string_view name);
// The name of a catalog, its index, TOAST table or TOAST index; empty = none of these.
std::string_view catalog_relation_name(Oid oid);
bool is_catalog_relation(Oid oid);
// Is the catalog (or index, TOAST table of one) shared by all databases?
bool is_shared_catalog(Oid oid);

}  // namespace hathi::catalog
