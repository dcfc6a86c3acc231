#pragma once
// Deletion in steps, for DROP INDEX CONCURRENTLY and its like.

#include <span>

#include "hathi/catalog/catalog_table.h"

namespace hathi::catalog {

// The errors (2BP01) that perform_deletion() without CASCADE would raise; the objects are locked ShareUpdateExclusive. Nothing goes.
void check_deletion(std::span<const ObjectAddress> objects);
// Deletes indexes that nobody uses any more: they are locked ShareUpdateExclusive, which keeps only other DDL off.
void delete_unused(std::span<const ObjectAddress> objects);

}  // namespace hathi::catalog
