#pragma once
// Call sites of functions: built-in ones, and those of registered languages.

#include "hathi/catalog/lookup.h"
#include "hathi/datum/function.h"
#include "hathi/executor/executor.h"

namespace hathi::executor {

// What to call for the function; may set site.user_data. Throws 0A000 when its language is not registered.
FunctionPointer resolve_function(const catalog::FunctionInfo& info, FunctionSite& site, Arena& arena);
// Throws 42501 "permission denied for function f".
void check_execute_privilege(const catalog::FunctionInfo& info);
inline void check_execute_privilege_on(Oid function) { check_execute_privilege(catalog::function_info(function)); }

}  // namespace hathi::executor
