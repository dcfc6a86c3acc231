// The order of oidvector, which pg_proc's name index needs.

#include "hathi/datum/function.h"
#include "src/backend/catalog/array_value.h"
#include "src/backend/catalog/functions.h"

namespace hathi::catalog {

namespace {

// Shorter ones first, then by elements.
Datum compare_oidvectors(FunctionCall& call) {
  std::span<const Oid> a = oid_array_values(call.arg(0), call.arena()), b = oid_array_values(call.arg(1), call.arena());
  if (a.size() != b.size()) return Datum::of(static_cast<std::int32_t>(a.size() < b.size() ? -1 : 1));
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return Datum::of(static_cast<std::int32_t>(raw(a[i]) < raw(b[i]) ? -1 : 1));
  }
  return Datum::of(std::int32_t{0});
}

constexpr BuiltinFunction kFunctions[] = {{Oid{404}, compare_oidvectors}};

}  // namespace

std::span<const BuiltinFunction> vector_functions() { return kFunctions; }

}  // namespace hathi::catalog
