#pragma once
// The process's temporary schemas as the search path sees them.

#include <vector>

#include "hathi/base/ids.h"

namespace hathi::catalog {

// This session's pg_temp_N and pg_toast_temp_N (0 = none yet, or gone by rollback).
void set_temporary_schemas(Oid schema, Oid toast_schema);
Oid temporary_toast_schema_if_any();
// The first schema named in search_path that exists, 0 = none.
Oid creation_schema_if_any();
// The schemas that search_path names, without the implicit ones.
const std::vector<Oid>& explicit_search_path();
// Does search_path begin with pg_temp?
bool temporary_schema_is_first();

}  // namespace hathi::catalog
