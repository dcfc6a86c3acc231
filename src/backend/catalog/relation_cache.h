#pragma once
// The per-process store of relation descriptors.

#include "hathi/catalog/relation.h"
#include "hathi/catalog/versions.h"
#include "hathi/memory/arena.h"

namespace hathi::catalog {

// A descriptor version. Private ones live while they are in the cache or referred to. Permanent ones are not counted: those of the
// catalogs, made before the first fork, and those in shared memory (shared_store.h), which live to the end of the transaction at least.
struct CachedRelation : Relation {
  explicit CachedRelation(std::size_t first_block) : memory(first_block) {}
  versions::Stamp stamp;
  std::uint32_t references = 0;
  bool permanent = false;
  bool detach_pending = false;          // pg_inherits.inhdetachpending of a partition
  bool retired = false;                 // no longer in the cache: goes with the last reference
  std::uint64_t last_transaction = 0;   // when it was opened last
  CachedRelation* newer = nullptr;      // least-recently-used list
  CachedRelation* older = nullptr;
  Arena memory;
};

std::uint64_t version_number(const versions::Stamp& stamp);

// Fills r from the catalog tables, everything in arena; false when there is no such relation. relation_build.cpp
bool load_relation(Oid oid, CachedRelation& r, Arena& arena);
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
