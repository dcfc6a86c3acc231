// Comparison, containment and hashing of arrays; oidvector.

#include <algorithm>

#include "hathi/base/builtin_oids.h"
#include "hathi/types/array.h"
#include "hathi/types/whole_array.h"
#include "adapter.h"
#include "tables.h"
#include "type_compare.h"

namespace hathi::types {

namespace {

void require_same_elements(ArrayView a, ArrayView b) {
  if (a.element_type() != b.element_type()) throw SqlError(sqlstate::datatype_mismatch, "cannot compare arrays of different element types");
}

// Element by element, NULL above everything; then by length, dimensions, bounds.
int compare_arrays(FunctionCall& call) {
  Arena& arena = call.arena();
  ArrayView a = whole_array(call.arg(0), arena);
  ArrayView b = whole_array(call.arg(1), arena);
  require_same_elements(a, b);
  TypeOrder order(a.element_type(), call.collation());
  TypeLayout layout = catalog::type_info(a.element_type()).layout;
  ArrayCursor x(a, layout);
  ArrayCursor y(b, layout);
  NullableDatum u, v;
  while (x.next(u) && y.next(v)) {
    if (u.is_null && v.is_null) continue;
    if (u.is_null) return 1;
    if (v.is_null) return -1;
    if (int r = order(u.value, v.value, arena); r != 0) return r < 0 ? -1 : 1;
  }
  if (a.count() != b.count()) return a.count() < b.count() ? -1 : 1;
  if (a.dimensions() != b.dimensions()) return a.dimensions() < b.dimensions() ? -1 : 1;
  for (int i = 0; i < a.dimensions(); ++i) {
    if (a.length(i) != b.length(i)) return a.length(i) < b.length(i) ? -1 : 1;
  }
  for (int i = 0; i < a.dimensions(); ++i) {
    if (a.lower(i) != b.lower(i)) return a.lower(i) < b.lower(i) ? -1 : 1;
  }
  return 0;
}
bool arrays_equal(FunctionCall& call) {
  Arena& arena = call.arena();
  ArrayView a = whole_array(call.arg(0), arena);
  ArrayView b = whole_array(call.arg(1), arena);
  require_same_elements(a, b);
  if (a.dimensions() != b.dimensions()) return false;
  for (int i = 0; i < a.dimensions(); ++i) {
    if (a.length(i) != b.length(i) || a.lower(i) != b.lower(i)) return false;
  }
  TypeEquality equal(a.element_type(), call.collation());
  TypeLayout layout = catalog::type_info(a.element_type()).layout;
  ArrayCursor x(a, layout);
  ArrayCursor y(b, layout);
  NullableDatum u, v;
  while (x.next(u) && y.next(v)) {
    if (u.is_null != v.is_null) return false;
    if (!u.is_null && !equal(u.value, v.value, arena)) return false;
  }
  return true;
}
Datum array_eq(FunctionCall& call) { return Datum::of(arrays_equal(call)); }
Datum array_ne(FunctionCall& call) { return Datum::of(!arrays_equal(call)); }
Datum array_lt(FunctionCall& call) { return Datum::of(compare_arrays(call) < 0); }
Datum array_le(FunctionCall& call) { return Datum::of(compare_arrays(call) <= 0); }
Datum array_gt(FunctionCall& call) { return Datum::of(compare_arrays(call) > 0); }
Datum array_ge(FunctionCall& call) { return Datum::of(compare_arrays(call) >= 0); }
Datum btarraycmp(FunctionCall& call) { return Datum::of(std::int32_t{compare_arrays(call)}); }
Datum array_larger(FunctionCall& call) { return compare_arrays(call) > 0 ? call.arg(0) : call.arg(1); }
Datum array_smaller(FunctionCall& call) { return compare_arrays(call) < 0 ? call.arg(0) : call.arg(1); }

// --- @> <@ && : sets of elements; NULL equals nothing ------------------------------------------------------------------------------
bool contains(FunctionCall& call, int outer, int inner, bool all) {
  Arena& arena = call.arena();
  ArrayView a = whole_array(call.arg(outer), arena);
  ArrayView b = whole_array(call.arg(inner), arena);
  require_same_elements(a, b);
  TypeEquality equal(a.element_type(), call.collation());
  TypeLayout layout = catalog::type_info(a.element_type()).layout;
  ArrayElements elements = array_elements(a, layout, arena);
  ArrayCursor cursor(b, layout);
  NullableDatum v;
  while (cursor.next(v)) {
    bool found = false;
    for (int i = 0; !v.is_null && !found && i < elements.count; ++i) {
      found = !elements.nulls[i] && equal(elements.values[i], v.value, arena);
    }
    if (found != all) return found;
  }
  return all;
}
Datum arraycontains(FunctionCall& call) { return Datum::of(contains(call, 0, 1, true)); }
Datum arraycontained(FunctionCall& call) { return Datum::of(contains(call, 1, 0, true)); }
Datum arrayoverlap(FunctionCall& call) { return Datum::of(contains(call, 0, 1, false)); }

// --- hashing: 31 * h + hash(element), NULL counts 0 ---------------------------------------------------------------------------------
Datum hash_array(FunctionCall& call) {
  ArrayView array = whole_array(call.arg(0), call.arena());
  TypeHash hash(array.element_type(), call.collation(), false);
  ArrayCursor cursor(array, catalog::type_info(array.element_type()).layout);
  NullableDatum v;
  std::uint32_t result = 1;
  while (cursor.next(v)) result = result * 31 + (v.is_null ? 0 : hash(v.value, call.arena()));
  return Datum::of(static_cast<std::int32_t>(result));
}
Datum hash_array_extended(FunctionCall& call) {
  ArrayView array = whole_array(call.arg(0), call.arena());
  TypeHash hash(array.element_type(), call.collation(), true);
  ArrayCursor cursor(array, catalog::type_info(array.element_type()).layout);
  NullableDatum v;
  std::uint64_t result = 1;
  while (cursor.next(v)) result = result * 31 + (v.is_null ? 0 : hash(v.value, call.arg(1).as_uint64(), call.arena()));
  return Datum::of(static_cast<std::int64_t>(result));
}

// --- oidvector: by length, then by elements ------------------------------------------------------------------------------------------
int compare_vectors(FunctionCall& call) {
  ArrayView a = whole_array(call.arg(0), call.arena());
  ArrayView b = whole_array(call.arg(1), call.arena());
  if (a.count() != b.count()) return a.count() - b.count();
  constexpr TypeLayout kOid{4, true, 'i'};
  ArrayCursor x(a, kOid);
  ArrayCursor y(b, kOid);
  NullableDatum u, v;
  while (x.next(u) && y.next(v)) {
    if (u.value.as_uint32() != v.value.as_uint32()) return u.value.as_uint32() > v.value.as_uint32() ? 1 : -1;
  }
  return 0;
}
Datum oidvectoreq(FunctionCall& call) { return Datum::of(compare_vectors(call) == 0); }
Datum oidvectorne(FunctionCall& call) { return Datum::of(compare_vectors(call) != 0); }
Datum oidvectorlt(FunctionCall& call) { return Datum::of(compare_vectors(call) < 0); }
Datum oidvectorle(FunctionCall& call) { return Datum::of(compare_vectors(call) <= 0); }
Datum oidvectorgt(FunctionCall& call) { return Datum::of(compare_vectors(call) > 0); }
Datum oidvectorge(FunctionCall& call) { return Datum::of(compare_vectors(call) >= 0); }
Datum btoidvectorcmp(FunctionCall& call) { return Datum::of(std::int32_t{compare_vectors(call)}); }

constexpr BuiltinFunction kTable[] = {
    {Oid{744}, fn<array_eq>},
    {Oid{390}, fn<array_ne>},
    {Oid{391}, fn<array_lt>},
    {Oid{393}, fn<array_le>},
    {Oid{392}, fn<array_gt>},
    {Oid{396}, fn<array_ge>},
    {Oid{382}, fn<btarraycmp>},
    {Oid{515}, fn<array_larger>},
    {Oid{516}, fn<array_smaller>},
    {Oid{2748}, fn<arraycontains>},
    {Oid{2749}, fn<arraycontained>},
    {Oid{2747}, fn<arrayoverlap>},
    {Oid{626}, fn<hash_array>},
    {Oid{782}, fn<hash_array_extended>},
    {Oid{679}, fn<oidvectoreq>},
    {Oid{619}, fn<oidvectorne>},
    {Oid{677}, fn<oidvectorlt>},
    {Oid{678}, fn<oidvectorle>},
    {Oid{681}, fn<oidvectorgt>},
    {Oid{680}, fn<oidvectorge>},
    {Oid{404}, fn<btoidvectorcmp>},
};

}  // namespace

std::span<const BuiltinFunction> array_compare_functions() { return kTable; }

}  // namespace hathi::types
