#pragma once
// What the parts of REINDEX share.

#include "hathi/catalog/relation.h"

namespace hathi::ddl {

struct Reindexing { bool verbose = false, concurrently = false; };

// REINDEX CONCURRENTLY of an index or of all indexes of a table, in transactions of its own. WARNINGs for indexes that are left out;
// false when there is none to rebuild. A relation that has gone counts as done. 0A000 for system catalogs.
bool reindex_concurrently(Oid relation, const Reindexing& options);
// The new index, which is ready, gets the old one's name and all that refers to it, and is valid; the old one gets the name `parting_name`.
void swap_indexes(Oid old_index, Oid new_index, const std::string& parting_name);
// pg_attribute.attstattarget, column by column.
void copy_statistics_targets(Oid from, Oid to);

}  // namespace hathi::ddl
