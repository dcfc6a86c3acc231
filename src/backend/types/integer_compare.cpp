// Comparison of int2, int4, int8 and each pair of them; hashing; index support.

#include <algorithm>

#include "hathi/types/hash.h"
#include "adapter.h"
#include "tables.h"

namespace hathi::types {

namespace {

// The usual arithmetic conversions compare the pair in the wider type.
template <class A, class B> bool equal(A a, B b) { return a == b; }
template <class A, class B> bool not_equal(A a, B b) { return a != b; }
template <class A, class B> bool less(A a, B b) { return a < b; }
template <class A, class B> bool greater(A a, B b) { return a > b; }
template <class A, class B> bool less_equal(A a, B b) { return a <= b; }
template <class A, class B> bool greater_equal(A a, B b) { return a >= b; }
template <class A, class B> std::int32_t order(A a, B b) { return (a > b) - (a < b); }

std::int32_t hashint2(std::int16_t v) { return static_cast<std::int32_t>(hash_uint32(static_cast<std::uint32_t>(v))); }
std::int32_t hashint4(std::int32_t v) { return static_cast<std::int32_t>(hash_uint32(static_cast<std::uint32_t>(v))); }
// Folded so that an int8 hashes as the int4 or int2 of the same value.
std::uint32_t fold(std::int64_t v) {
  auto low = static_cast<std::uint32_t>(v);
  auto high = static_cast<std::uint32_t>(static_cast<std::uint64_t>(v) >> 32);
  return low ^ (v >= 0 ? high : ~high);
}
std::int32_t hashint8(std::int64_t v) { return static_cast<std::int32_t>(hash_uint32(fold(v))); }
std::int64_t extended(std::uint32_t v, std::int64_t seed) {
  return static_cast<std::int64_t>(hash_uint32_extended(v, static_cast<std::uint64_t>(seed)));
}
std::int64_t hashint2extended(std::int16_t v, std::int64_t seed) { return extended(static_cast<std::uint32_t>(v), seed); }
std::int64_t hashint4extended(std::int32_t v, std::int64_t seed) { return extended(static_cast<std::uint32_t>(v), seed); }
std::int64_t hashint8extended(std::int64_t v, std::int64_t seed) { return extended(fold(v), seed); }
std::int32_t hashchar(char v) { return hashint4(static_cast<signed char>(v)); }
std::int64_t hashcharextended(char v, std::int64_t seed) { return hashint4extended(static_cast<signed char>(v), seed); }
std::int32_t hashoid(Oid v) { return static_cast<std::int32_t>(hash_uint32(raw(v))); }
std::int64_t hashoidextended(Oid v, std::int64_t seed) { return extended(raw(v), seed); }

std::int32_t btint2cmp(std::int16_t a, std::int16_t b) { return a - b; }

// RANGE frames: is value (args 0) within offset (2) of base (1), on the side that sub (3) and less (4) say? An overflowing bound
// is beyond every value.
template <class Value, class Offset>
bool in_range(Value value, Value base, Offset offset, bool sub, bool less) {
  if (offset < 0) {
    throw SqlError(sqlstate::invalid_preceding_or_following_size, "invalid preceding or following size in window function");
  }
  std::int64_t bound;
  std::int64_t wide_offset = offset;
  if (__builtin_add_overflow(static_cast<std::int64_t>(base), sub ? -wide_offset : wide_offset, &bound)) return sub ? !less : less;
  return less ? value <= bound : value >= bound;
}

constexpr BuiltinFunction kTable[] = {
    {Oid{63}, fn<equal<std::int16_t, std::int16_t>>},
    {Oid{145}, fn<not_equal<std::int16_t, std::int16_t>>},
    {Oid{64}, fn<less<std::int16_t, std::int16_t>>},
    {Oid{146}, fn<greater<std::int16_t, std::int16_t>>},
    {Oid{148}, fn<less_equal<std::int16_t, std::int16_t>>},
    {Oid{151}, fn<greater_equal<std::int16_t, std::int16_t>>},
    {Oid{350}, fn<btint2cmp>},
    {Oid{158}, fn<equal<std::int16_t, std::int32_t>>},
    {Oid{164}, fn<not_equal<std::int16_t, std::int32_t>>},
    {Oid{160}, fn<less<std::int16_t, std::int32_t>>},
    {Oid{162}, fn<greater<std::int16_t, std::int32_t>>},
    {Oid{166}, fn<less_equal<std::int16_t, std::int32_t>>},
    {Oid{168}, fn<greater_equal<std::int16_t, std::int32_t>>},
    {Oid{2190}, fn<order<std::int16_t, std::int32_t>>},
    {Oid{1850}, fn<equal<std::int16_t, std::int64_t>>},
    {Oid{1851}, fn<not_equal<std::int16_t, std::int64_t>>},
    {Oid{1852}, fn<less<std::int16_t, std::int64_t>>},
    {Oid{1853}, fn<greater<std::int16_t, std::int64_t>>},
    {Oid{1854}, fn<less_equal<std::int16_t, std::int64_t>>},
    {Oid{1855}, fn<greater_equal<std::int16_t, std::int64_t>>},
    {Oid{2192}, fn<order<std::int16_t, std::int64_t>>},
    {Oid{159}, fn<equal<std::int32_t, std::int16_t>>},
    {Oid{165}, fn<not_equal<std::int32_t, std::int16_t>>},
    {Oid{161}, fn<less<std::int32_t, std::int16_t>>},
    {Oid{163}, fn<greater<std::int32_t, std::int16_t>>},
    {Oid{167}, fn<less_equal<std::int32_t, std::int16_t>>},
    {Oid{169}, fn<greater_equal<std::int32_t, std::int16_t>>},
    {Oid{2191}, fn<order<std::int32_t, std::int16_t>>},
    {Oid{65}, fn<equal<std::int32_t, std::int32_t>>},
    {Oid{144}, fn<not_equal<std::int32_t, std::int32_t>>},
    {Oid{66}, fn<less<std::int32_t, std::int32_t>>},
    {Oid{147}, fn<greater<std::int32_t, std::int32_t>>},
    {Oid{149}, fn<less_equal<std::int32_t, std::int32_t>>},
    {Oid{150}, fn<greater_equal<std::int32_t, std::int32_t>>},
    {Oid{351}, fn<order<std::int32_t, std::int32_t>>},
    {Oid{852}, fn<equal<std::int32_t, std::int64_t>>},
    {Oid{853}, fn<not_equal<std::int32_t, std::int64_t>>},
    {Oid{854}, fn<less<std::int32_t, std::int64_t>>},
    {Oid{855}, fn<greater<std::int32_t, std::int64_t>>},
    {Oid{856}, fn<less_equal<std::int32_t, std::int64_t>>},
    {Oid{857}, fn<greater_equal<std::int32_t, std::int64_t>>},
    {Oid{2188}, fn<order<std::int32_t, std::int64_t>>},
    {Oid{1856}, fn<equal<std::int64_t, std::int16_t>>},
    {Oid{1857}, fn<not_equal<std::int64_t, std::int16_t>>},
    {Oid{1858}, fn<less<std::int64_t, std::int16_t>>},
    {Oid{1859}, fn<greater<std::int64_t, std::int16_t>>},
    {Oid{1860}, fn<less_equal<std::int64_t, std::int16_t>>},
    {Oid{1861}, fn<greater_equal<std::int64_t, std::int16_t>>},
    {Oid{2193}, fn<order<std::int64_t, std::int16_t>>},
    {Oid{474}, fn<equal<std::int64_t, std::int32_t>>},
    {Oid{475}, fn<not_equal<std::int64_t, std::int32_t>>},
    {Oid{476}, fn<less<std::int64_t, std::int32_t>>},
    {Oid{477}, fn<greater<std::int64_t, std::int32_t>>},
    {Oid{478}, fn<less_equal<std::int64_t, std::int32_t>>},
    {Oid{479}, fn<greater_equal<std::int64_t, std::int32_t>>},
    {Oid{2189}, fn<order<std::int64_t, std::int32_t>>},
    {Oid{467}, fn<equal<std::int64_t, std::int64_t>>},
    {Oid{468}, fn<not_equal<std::int64_t, std::int64_t>>},
    {Oid{469}, fn<less<std::int64_t, std::int64_t>>},
    {Oid{470}, fn<greater<std::int64_t, std::int64_t>>},
    {Oid{471}, fn<less_equal<std::int64_t, std::int64_t>>},
    {Oid{472}, fn<greater_equal<std::int64_t, std::int64_t>>},
    {Oid{842}, fn<order<std::int64_t, std::int64_t>>},
    {Oid{449}, fn<hashint2>},
    {Oid{441}, fn<hashint2extended>},
    {Oid{450}, fn<hashint4>},
    {Oid{425}, fn<hashint4extended>},
    {Oid{949}, fn<hashint8>},
    {Oid{442}, fn<hashint8extended>},
    {Oid{454}, fn<hashchar>},
    {Oid{446}, fn<hashcharextended>},
    {Oid{453}, fn<hashoid>},
    {Oid{445}, fn<hashoidextended>},
    {Oid{4132}, fn<in_range<std::int16_t, std::int16_t>>},
    {Oid{4131}, fn<in_range<std::int16_t, std::int32_t>>},
    {Oid{4130}, fn<in_range<std::int16_t, std::int64_t>>},
    {Oid{4129}, fn<in_range<std::int32_t, std::int16_t>>},
    {Oid{4128}, fn<in_range<std::int32_t, std::int32_t>>},
    {Oid{4127}, fn<in_range<std::int32_t, std::int64_t>>},
    {Oid{4126}, fn<in_range<std::int64_t, std::int64_t>>},
};

}  // namespace

std::span<const BuiltinFunction> integer_comparison_functions() { return kTable; }

}  // namespace hathi::types
