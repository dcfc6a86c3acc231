#pragma once
// What server processes call to bring the catalog to life.

#include <cstddef>

#include "hathi/base/ids.h"

namespace hathi::catalog {

// Registers the SQL functions of catalog/ (register_functions). Before initialize().
void register_catalog_functions();
// The tables of built-in objects, the catalogs' descriptors, readers of users' objects, hooks of transaction/ and heap/. In every
// server process image, once, before the first fork, after all functions are registered (types::register_all() and others).
void initialize();

// Shared memory: version counters and shared descriptors. (shmem::Subsystem entry "catalog versions".)
std::size_t shared_size();
void shared_init(void* memory);

// At the start of a session, in its first transaction: relations that a dead session left in pg_temp_<slot> go away when
// temporary_schema() is first asked for. At its end, outside a transaction's abort: drops this session's temporary objects (also
// DISCARD TEMP). Needs a running transaction.
void drop_temporary_objects();

}  // namespace hathi::catalog
