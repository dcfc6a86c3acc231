#pragma once
// Which version slots a changed catalog row stands for.

#include "hathi/catalog/catalog_table.h"

namespace hathi::catalog {

// Notes in versions:: everything that caches may hold of this row. Call it with the old and with the new version of a row.
void note_row_change(Oid catalog, const CatalogRow& row);
// The name under which facts about a whole catalog are remembered (versions::recall_name()): "it is empty", "only built-in rows".
inline constexpr std::string_view kWholeCatalog = "*";
// The slots that pairs of OIDs stand for.
std::uint32_t cast_slot(Oid source, Oid target);

}  // namespace hathi::catalog
