#pragma once
// The per-process store of relation descriptors.

#include "hathi/catalog/relation.h"
#include "hathi/catalog/versions.h"
#include "hathi/memory/arena.h"

namespace hathi::catalog {

// A descriptor version. Private to the process. It lives while it is in the cache or referred to; those of the catalogs live for ever
// (permanent) and were made before the first fork.
struct CachedRelation : Relation {
  explicit CachedRelation(std::size_t first_block) : memory(first_block) {}
  versions::Stamp stamp;
  std::uint32_t references = 0;
  bool permanent = false;
  bool retired = false;                 // no longer in the cache: goes with the last reference
  std::uint64_t last_transaction = 0;   // when it was opened last
  CachedRelation* newer = nullptr;      // least-recently-used list
  CachedRelation* older = nullptr;
  Arena memory;
};

std::uint64_t version_number(const versions::Stamp& stamp);

// From the catalog tables, under a fresh catalog snapshot; nullptr when there is no such relation. relation_build.cpp
CachedRelation* load_relation(Oid oid);
// The descriptor of the newest version without locking anything; empty when there is none.
RelationRef cached_relation(Oid oid);

// The catalogs' own descriptors. catalog_descriptors.cpp
void build_catalog_descriptors();
CachedRelation* catalog_descriptor(Oid oid);                  // bound to the current database
// Fills an index descriptor's operator families and comparison functions from operator_classes, collations and options.
void finish_index(IndexDescriptor& index, Arena& arena);
// heap.key_columns and heap.indexed_columns from the indexes.
void fill_indexed_columns(Relation& relation, Arena& arena);

// At the end of every transaction: lets go of what was not used for long when there is too much.
void trim_relation_cache();
std::size_t relation_cache_size();

}  // namespace hathi::catalog
