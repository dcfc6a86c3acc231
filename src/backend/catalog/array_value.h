#pragma once
// One-dimensional arrays as the catalogs hold them (text[], oid[], int2[], "char"[], aclitem[], int2vector, oidvector). The byte layout
// is that of types/array.h.

#include <span>
#include <string_view>
#include <vector>

#include "hathi/base/builtin_oids.h"
#include "hathi/datum/datum.h"

namespace hathi::catalog {

Datum make_array(Oid element, TypeLayout layout, std::span<const Datum> values, Arena& arena, int lower_bound = 1);
Datum make_text_array(std::span<const std::string_view> values, Arena& arena);
Datum make_oid_array(std::span<const Oid> values, Arena& arena);
Datum make_int2_array(std::span<const AttrNumber> values, Arena& arena);
Datum make_char_array(std::span<const char> values, Arena& arena);
Datum make_oidvector(std::span<const Oid> values, Arena& arena);
Datum make_int2vector(std::span<const AttrNumber> values, Arena& arena);

// The elements of an array (nulls as is_null); by-reference ones point into the array (detoasted into the arena when need be).
std::vector<NullableDatum> array_values(Datum array, TypeLayout layout, Arena& arena);
// Copies of fixed-width elements without nulls.
std::span<const Oid> oid_array_values(Datum array, Arena& arena);
std::span<const AttrNumber> int2_array_values(Datum array, Arena& arena);
std::span<const char> char_array_values(Datum array, Arena& arena);
// Copies of the texts; null elements are empty.
std::span<const std::string_view> text_array_values(Datum array, Arena& arena);

}  // namespace hathi::catalog
