#pragma once
// Array values. The bytes are PostgreSQL's:
//   offset size field
//        0    4 varlena header
//        4    4 number of dimensions, 0..6 (0 = empty)
//        8    4 offset of the data when there is a null bitmap, else 0
//       12    4 element type
//       16  4*n lengths of the dimensions
//        …  4*n lower bounds
//        …    … null bitmap, one bit an element (set = not null), when offset != 0
//        …    … elements, from an 8-aligned offset, each aligned as its type asks
// int2vector and oidvector are one-dimensional arrays without nulls whose lower bound is 0.

#include <cstdint>
#include <span>

#include "hathi/datum/datum.h"

namespace hathi::types {

inline constexpr int kMaxDimensions = 6;
// No array may have more elements.
inline constexpr std::int64_t kMaxArrayElements = 134217727;

// Read access to an array in memory (plain varlena, 4-aligned: see varlena::aligned).
class ArrayView {
 public:
  ArrayView() = default;
  explicit ArrayView(const std::byte* base) : base_(base) {}
  ArrayView(Datum value, Arena& arena) : base_(varlena::aligned(value, arena)) {}

  const std::byte* base() const { return base_; }
  std::uint32_t total_size() const { return varlena::word(base_) >> 2; }
  int dimensions() const { return int_at(4); }
  bool has_nulls() const { return int_at(8) != 0; }
  Oid element_type() const { return Oid{static_cast<std::uint32_t>(int_at(12))}; }
  int length(int dimension) const { return int_at(16 + 4 * dimension); }
  int lower(int dimension) const { return int_at(16 + 4 * (dimensions() + dimension)); }
  int upper(int dimension) const { return lower(dimension) + length(dimension) - 1; }
  // Number of elements.
  int count() const {
    int n = dimensions() == 0 ? 0 : 1;
    for (int i = 0; i < dimensions(); ++i) n *= length(i);
    return n;
  }
  const std::byte* bitmap() const { return has_nulls() ? base_ + 16 + 8 * dimensions() : nullptr; }
  const std::byte* data() const { return base_ + (has_nulls() ? int_at(8) : (16 + 8 * dimensions() + 7) / 8 * 8); }
  bool is_null(int index) const {
    const std::byte* b = bitmap();
    return b != nullptr && ((static_cast<unsigned>(b[index >> 3]) >> (index & 7)) & 1u) == 0;
  }

 private:
  std::int32_t int_at(int offset) const {
    std::int32_t v;
    std::memcpy(&v, base_ + offset, 4);
    return v;
  }
  const std::byte* base_ = nullptr;
};

// Walks the elements in storage order.
class ArrayCursor {
 public:
  ArrayCursor(ArrayView array, TypeLayout layout) : array_(array), layout_(layout), cursor_(array.data()), count_(array.count()) {}
  bool next(NullableDatum& element);

 private:
  ArrayView array_;
  TypeLayout layout_;
  const std::byte* cursor_;
  int index_ = 0;
  int count_;
};

// A new array with these dimensions; values has the product of the lengths. nulls may be null. Elements that are compressed or
// external varlenas are detoasted. 54000 when it would be too large.
Datum make_array(Arena& arena, Oid element_type, TypeLayout layout, const Datum* values, const bool* nulls, int dimensions,
                 const int* lengths, const int* lowers);
// One dimension from 1.
Datum make_array(Arena& arena, Oid element_type, TypeLayout layout, std::span<const Datum> values, const bool* nulls = nullptr);
Datum make_empty_array(Arena& arena, Oid element_type);
// All elements into arena arrays.
struct ArrayElements {
  Datum* values;
  bool* nulls;
  int count;
};
ArrayElements array_elements(ArrayView array, TypeLayout layout, Arena& arena);

// --- subscripts: for the executor ---------------------------------------------------------------------------------------
// The element at these subscripts; NULL when they are out of bounds or not as many as there are dimensions.
NullableDatum array_get_element(ArrayView array, TypeLayout layout, std::span<const int> subscripts);
// a[l1:u1][l2:u2]…; bounds not given are the array's own. Outside = empty array; the result's lower bounds are 1. Fewer slices than
// dimensions: the rest is taken whole.
struct ArraySlice {
  int lower = 0, upper = 0;
  bool has_lower = false, has_upper = false;
};
Datum array_get_slice(ArrayView array, TypeLayout layout, std::span<const ArraySlice> slices, Arena& arena);
// A copy with one element replaced; one-dimensional arrays grow (the gap is NULL). 2202E for bad subscripts.
Datum array_set_element(ArrayView array, TypeLayout layout, std::span<const int> subscripts, NullableDatum value, Arena& arena);
// A copy with a slice replaced by the elements of source. 2202E.
Datum array_set_slice(ArrayView array, TypeLayout layout, std::span<const ArraySlice> slices, ArrayView source, Arena& arena);

}  // namespace hathi::types
