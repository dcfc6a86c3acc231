#pragma once
// Catalog values from C++ values.

#include <cstdint>
#include <span>
#include <string_view>

#include "hathi/base/builtin_oids.h"
#include "hathi/datum/datum.h"
#include "hathi/types/array.h"

namespace hathi::ddl {

inline Datum name_value(Arena& arena, std::string_view text) { return make_name(arena, text); }
inline Datum text_value(Arena& arena, std::string_view text) { return varlena::make(arena, text); }
// int2vector and oidvector begin at 0 and are never null.
Datum int2_vector(Arena& arena, std::span<const AttrNumber> values);
Datum oid_vector(Arena& arena, std::span<const Oid> values);
Datum int2_array(Arena& arena, std::span<const AttrNumber> values);
Datum oid_array(Arena& arena, std::span<const Oid> values);
Datum text_array(Arena& arena, std::span<const std::string_view> values);

}  // namespace hathi::ddl
