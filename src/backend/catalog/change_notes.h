#pragma once
// Which version slots a changed catalog row stands for.

#include "hathi/catalog/catalog_table.h"

namespace hathi::catalog {

// Notes in versions:: everything that caches may hold of this row. Call it with the old and with the new version of a row.
void note_row_change(Oid catalog, const CatalogRow& row);
// The slots that pairs of OIDs stand for.
std::uint32_t cast_slot(Oid source, Oid target);

}  // namespace hathi::catalog
