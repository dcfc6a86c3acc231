#include "src/backend/catalog/array_value.h"

#include <algorithm>
#include <cstring>

#include "hathi/error/sql_error.h"

namespace hathi::catalog {

namespace {

constexpr TypeLayout kOidLayout{4, true, 'i'}, kInt2Layout{2, true, 's'}, kCharLayout{1, true, 'c'}, kTextLayout{-1, false, 'i'};

std::size_t alignment(char align) { return align == 'c' ? 1 : align == 's' ? 2 : align == 'd' ? 8 : 4; }
std::size_t align_up(std::size_t n, std::size_t to) { return (n + to - 1) & ~(to - 1); }

std::int32_t read_int(const std::byte* p) {
  std::int32_t v;
  std::memcpy(&v, p, 4);
  return v;
}
void write_int(std::byte* p, std::int32_t v) { std::memcpy(p, &v, 4); }

// Element count of an array of at most one dimension; its data and bitmap (null = no nulls).
struct Elements { int count; const std::byte* data; const std::byte* bitmap; };
Elements open_array(Datum array, Arena& arena) {
  const std::byte* p = varlena::aligned(array, arena);
  int dimensions = read_int(p + 4), offset = read_int(p + 8);
  if (dimensions == 0) return {0, nullptr, nullptr};
  if (dimensions != 1) throw SqlError(sqlstate::internal_error, "catalog array is not one-dimensional");
  return {read_int(p + 16), p + (offset != 0 ? offset : 24), offset != 0 ? p + 24 : nullptr};
}

template <class T>
std::span<const T> fixed_values(Datum array, Arena& arena) {
  Elements e = open_array(array, arena);
  auto n = static_cast<std::size_t>(e.count);
  T* copy = arena.make_array<T>(n);
  if (n != 0) std::memcpy(static_cast<void*>(copy), e.data, n * sizeof(T));
  return {copy, n};
}

template <class T>
std::vector<Datum> to_datums(std::span<const T> values) {
  std::vector<Datum> out;
  out.reserve(values.size());
  for (const T& v : values) out.push_back(Datum::of(v));
  return out;
}

}  // namespace

Datum make_array(Oid element, TypeLayout layout, std::span<const Datum> values, Arena& arena, int lower_bound) {
  bool empty = values.empty() && lower_bound == 1;
  std::size_t size = empty ? 16 : 24;
  for (Datum v : values) size = align_up(size, alignment(layout.align)) + datum_size(v, layout);
  std::byte* p = varlena::allocate(arena, size - 4);
  std::memset(p + 4, 0, size - 4);
  write_int(p + 4, empty ? 0 : 1);
  write_int(p + 12, static_cast<std::int32_t>(raw(element)));
  if (empty) return Datum::of(p);
  write_int(p + 16, static_cast<std::int32_t>(values.size()));
  write_int(p + 20, lower_bound);
  std::size_t at = 24;
  for (Datum v : values) {
    at = align_up(at, alignment(layout.align));
    std::size_t length = datum_size(v, layout);
    if (layout.by_value) {
      std::uint64_t bits = v.bits();
      std::memcpy(p + at, &bits, std::min(length, sizeof(bits)));
    } else {
      std::memcpy(p + at, v.as_pointer(), length);
    }
    at += length;
  }
  return Datum::of(p);
}

Datum make_text_array(std::span<const std::string_view> values, Arena& arena) {
  std::vector<Datum> texts;
  texts.reserve(values.size());
  for (std::string_view v : values) texts.push_back(varlena::make(arena, v));
  return make_array(type_oid::text, kTextLayout, texts, arena);
}

Datum make_oid_array(std::span<const Oid> values, Arena& arena) { return make_array(type_oid::oid, kOidLayout, to_datums(values), arena); }
Datum make_int2_array(std::span<const AttrNumber> values, Arena& arena) {
  return make_array(type_oid::int2, kInt2Layout, to_datums(values), arena);
}
Datum make_char_array(std::span<const char> values, Arena& arena) { return make_array(type_oid::char_, kCharLayout, to_datums(values), arena); }
Datum make_oidvector(std::span<const Oid> values, Arena& arena) { return make_array(type_oid::oid, kOidLayout, to_datums(values), arena, 0); }
Datum make_int2vector(std::span<const AttrNumber> values, Arena& arena) {
  return make_array(type_oid::int2, kInt2Layout, to_datums(values), arena, 0);
}

std::vector<NullableDatum> array_values(Datum array, TypeLayout layout, Arena& arena) {
  Elements e = open_array(array, arena);
  std::vector<NullableDatum> values(static_cast<std::size_t>(e.count));
  const std::byte* p = e.data;
  for (int i = 0; i < e.count; ++i) {
    if (e.bitmap != nullptr && ((static_cast<unsigned>(e.bitmap[i >> 3]) >> (i & 7)) & 1u) == 0) continue;
    std::size_t align = alignment(layout.align);
    // A short varlena stands unaligned.
    if (!(layout.length == -1 && varlena::is_short(p))) p = e.data + align_up(static_cast<std::size_t>(p - e.data), align);
    NullableDatum& value = values[static_cast<std::size_t>(i)];
    value.is_null = false;
    if (layout.by_value) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, p, std::min<std::size_t>(static_cast<std::size_t>(layout.length), sizeof(bits)));
      if (layout.length == 4) value.value = Datum::of(static_cast<std::int32_t>(bits));
      else if (layout.length == 2) value.value = Datum::of(static_cast<std::int16_t>(bits));
      else value.value = Datum(bits);
      p += layout.length;
    } else {
      value.value = Datum::of(p);
      p += datum_size(value.value, layout);
    }
  }
  return values;
}

std::span<const Oid> oid_array_values(Datum array, Arena& arena) { return fixed_values<Oid>(array, arena); }
std::span<const AttrNumber> int2_array_values(Datum array, Arena& arena) { return fixed_values<AttrNumber>(array, arena); }
std::span<const char> char_array_values(Datum array, Arena& arena) { return fixed_values<char>(array, arena); }

std::span<const std::string_view> text_array_values(Datum array, Arena& arena) {
  std::vector<NullableDatum> values = array_values(array, kTextLayout, arena);
  auto* texts = arena.make_array<std::string_view>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].is_null) texts[i] = arena.copy(varlena::text(values[i].value, arena));
  }
  return {texts, values.size()};
}

}  // namespace hathi::catalog
