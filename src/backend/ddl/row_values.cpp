#include "row_values.h"

#include <vector>

namespace hathi::ddl {

namespace {

constexpr TypeLayout kInt2Layout{2, true, 's'};
constexpr TypeLayout kOidLayout{4, true, 'i'};
constexpr TypeLayout kTextLayout{-1, false, 'i'};

template <class T>
std::vector<Datum> datums(std::span<const T> values) {
  std::vector<Datum> out;
  out.reserve(values.size());
  for (T v : values) out.push_back(Datum::of(v));
  return out;
}

Datum vector_of(Arena& arena, Oid element, TypeLayout layout, const std::vector<Datum>& values) {
  int length = static_cast<int>(values.size()), lower = 0;
  return types::make_array(arena, element, layout, values.data(), nullptr, 1, &length, &lower);
}

}  // namespace

Datum int2_vector(Arena& arena, std::span<const AttrNumber> values) { return vector_of(arena, type_oid::int2, kInt2Layout, datums(values)); }
Datum oid_vector(Arena& arena, std::span<const Oid> values) { return vector_of(arena, type_oid::oid, kOidLayout, datums(values)); }
Datum int2_array(Arena& arena, std::span<const AttrNumber> values) { return types::make_array(arena, type_oid::int2, kInt2Layout, datums(values)); }
Datum oid_array(Arena& arena, std::span<const Oid> values) { return types::make_array(arena, type_oid::oid, kOidLayout, datums(values)); }

Datum text_array(Arena& arena, std::span<const std::string_view> values) {
  std::vector<Datum> items;
  for (std::string_view v : values) items.push_back(text_value(arena, v));
  return types::make_array(arena, type_oid::text, kTextLayout, items);
}

}  // namespace hathi::ddl
