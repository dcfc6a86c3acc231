#pragma once

#include "hathi/base/ids.h"

namespace hathi::catalog {

// base/<oid> with its PG_VERSION.
void make_database_directory(Oid database);
// All files of a database nobody works in and whose buffers are on disk.
void copy_database_directory(Oid from, Oid to);

}  // namespace hathi::catalog
