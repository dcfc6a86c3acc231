// Layout of arrays: building, walking, subscripts.

#include <algorithm>
#include <vector>

#include "hathi/error/sql_error.h"
#include "hathi/types/whole_array.h"

namespace hathi::types {

namespace {

constexpr std::size_t kMaxBytes = 0x3FFFFFFF;

std::size_t align_to(std::size_t n, char align) {
  std::size_t a = align == 'd' ? 8 : align == 'i' ? 4 : align == 's' ? 2 : 1;
  return (n + a - 1) & ~(a - 1);
}

[[noreturn]] void throw_too_large() {
  throw SqlError(sqlstate::program_limit_exceeded, "array size exceeds the maximum allowed ({})", kMaxArrayElements);
}

Datum fetch(const std::byte* p, TypeLayout layout) {
  if (!layout.by_value) return Datum::of(static_cast<const void*>(p));
  switch (layout.length) {
    case 1: return Datum::of(static_cast<char>(*p));
    case 2: {
      std::int16_t v;
      std::memcpy(&v, p, 2);
      return Datum::of(v);
    }
    case 4: {
      std::int32_t v;
      std::memcpy(&v, p, 4);
      return Datum::of(v);
    }
    default: {
      std::int64_t v;
      std::memcpy(&v, p, 8);
      return Datum::of(v);
    }
  }
}

std::size_t stored_size(const std::byte* p, TypeLayout layout) {
  if (layout.length > 0) return static_cast<std::size_t>(layout.length);
  if (layout.length == -1) return varlena::total_size(p);
  return std::strlen(reinterpret_cast<const char*>(p)) + 1;
}

void store(std::byte* p, Datum value, TypeLayout layout, std::size_t size) {
  if (layout.by_value) {
    std::uint64_t bits = value.bits();
    std::memcpy(p, &bits, size);  // little-endian: the low bytes come first
  } else {
    std::memcpy(p, value.as_pointer(), size);
  }
}

void put_int(std::byte* base, std::size_t offset, std::int32_t v) { std::memcpy(base + offset, &v, 4); }

// Position of an element in storage order, or -1.
int element_index(ArrayView array, std::span<const int> subscripts) {
  if (array.dimensions() == 0 || static_cast<int>(subscripts.size()) != array.dimensions()) return -1;
  int index = 0;
  for (int i = 0; i < array.dimensions(); ++i) {
    int s = subscripts[static_cast<std::size_t>(i)];
    if (s < array.lower(i) || s > array.upper(i)) return -1;
    index = index * array.length(i) + (s - array.lower(i));
  }
  return index;
}

void copy_shape(ArrayView array, int* lengths, int* lowers) {
  for (int i = 0; i < array.dimensions(); ++i) {
    lengths[i] = array.length(i);
    lowers[i] = array.lower(i);
  }
}

[[noreturn]] void throw_subscript(const char* message) { throw SqlError(sqlstate::array_subscript_error, "{}", message); }

void check_count(const int* lengths, const int* lowers, int dimensions) {
  std::int64_t n = 1;
  for (int i = 0; i < dimensions; ++i) {
    n *= lengths[i];
    if (n > kMaxArrayElements) throw_too_large();
    int upper;
    if (__builtin_add_overflow(lowers[i], lengths[i], &upper)) {
      throw SqlError(sqlstate::program_limit_exceeded, "array lower bound is too large: {}", lowers[i]);
    }
  }
}

[[noreturn]] void throw_damaged() { throw SqlError(sqlstate::data_corrupted, "array value is damaged"); }

// Bytes of the element at p, which must end at `end` at the latest.
std::size_t size_within(const std::byte* p, TypeLayout layout, const std::byte* end) {
  if (p >= end) throw_damaged();
  auto room = static_cast<std::size_t>(end - p);
  std::size_t size = 0;
  if (layout.length > 0) size = static_cast<std::size_t>(layout.length);
  else if (layout.length == -1) size = varlena::is_short(p) || room >= 4 ? varlena::total_size(p) : room + 1;
  else size = strnlen(reinterpret_cast<const char*>(p), room) + 1;
  if (size == 0 || size > room) throw_damaged();
  return size;
}

}  // namespace

ArrayView whole_array(Datum value, Arena& arena) {
  ArrayView array(value, arena);
  std::size_t total = array.total_size();
  if (total < 16 || array.dimensions() < 0 || array.dimensions() > kMaxDimensions) throw_damaged();
  std::size_t header = 16 + 8 * static_cast<std::size_t>(array.dimensions());
  if (header > total) throw_damaged();
  std::int64_t elements = 1;
  for (int i = 0; i < array.dimensions(); ++i) {
    elements *= array.length(i);
    if (array.length(i) < 0 || elements > kMaxArrayElements) throw_damaged();
  }
  std::size_t bitmap = array.has_nulls() ? (static_cast<std::size_t>(elements) + 7) / 8 : 0;
  std::ptrdiff_t start = array.data() - array.base();
  // An empty array ends with its header; the elements of others begin behind all else.
  bool inside = header + bitmap <= total && start >= static_cast<std::ptrdiff_t>(header + bitmap) && start <= static_cast<std::ptrdiff_t>(total);
  if (array.dimensions() != 0 && !inside) throw_damaged();
  return array;
}

bool ArrayCursor::next(NullableDatum& element) {
  if (index_ >= count_) return false;
  if (array_.is_null(index_++)) {
    element = {};
    return true;
  }
  const std::byte* end = array_.base() + array_.total_size();
  if (cursor_ >= end) throw_damaged();
  // A short varlena is not aligned; a zero byte before an aligned one is padding.
  if (layout_.length == -1 && *cursor_ != std::byte{0}) {
  } else {
    auto offset = static_cast<std::size_t>(cursor_ - array_.base());
    cursor_ = array_.base() + align_to(offset, layout_.align);
  }
  std::size_t size = size_within(cursor_, layout_, end);
  element = {fetch(cursor_, layout_), false};
  cursor_ += size;
  return true;
}

Datum make_array(Arena& arena, Oid element_type, TypeLayout layout, const Datum* values, const bool* nulls, int dimensions,
                 const int* lengths, const int* lowers) {
  if (dimensions == 0) return make_empty_array(arena, element_type);
  check_count(lengths, lowers, dimensions);
  std::size_t count = 1;
  for (int i = 0; i < dimensions; ++i) count *= static_cast<std::size_t>(lengths[i]);
  if (count == 0) return make_empty_array(arena, element_type);
  bool has_nulls = nulls != nullptr && std::find(nulls, nulls + count, true) != nulls + count;
  std::size_t header = 16 + 8 * static_cast<std::size_t>(dimensions);
  std::size_t bitmap_size = has_nulls ? (count + 7) / 8 : 0;
  std::size_t data_offset = (header + bitmap_size + 7) & ~std::size_t{7};
  // Elements inside arrays always have the four-byte header and full alignment.
  const Datum* ready = values;
  if (layout.length == -1) {
    auto* copies = static_cast<Datum*>(arena.allocate(count * sizeof(Datum), 8));
    for (std::size_t i = 0; i < count; ++i) {
      bool is_null = has_nulls && nulls[i];
      copies[i] = is_null ? Datum() : Datum::of(static_cast<const void*>(varlena::aligned(values[i], arena)));
    }
    ready = copies;
  }
  std::size_t size = data_offset;
  for (std::size_t i = 0; i < count; ++i) {
    if (has_nulls && nulls[i]) continue;
    std::size_t n = layout.by_value ? static_cast<std::size_t>(layout.length) : stored_size(ready[i].as_pointer(), layout);
    size = align_to(size, layout.align) + n;
    if (size > kMaxBytes) {
      throw SqlError(sqlstate::program_limit_exceeded, "array size exceeds the maximum allowed ({})", kMaxBytes);
    }
  }
  size = align_to(size, layout.align);
  std::byte* base = varlena::allocate(arena, size - 4);
  std::memset(base + 4, 0, size - 4);
  put_int(base, 4, dimensions);
  put_int(base, 8, has_nulls ? static_cast<std::int32_t>(data_offset) : 0);
  put_int(base, 12, static_cast<std::int32_t>(raw(element_type)));
  for (int i = 0; i < dimensions; ++i) {
    put_int(base, 16 + 4 * static_cast<std::size_t>(i), lengths[i]);
    put_int(base, 16 + 4 * static_cast<std::size_t>(dimensions + i), lowers[i]);
  }
  std::size_t at = data_offset;
  for (std::size_t i = 0; i < count; ++i) {
    if (has_nulls && nulls[i]) continue;
    if (has_nulls) base[header + i / 8] |= static_cast<std::byte>(1u << (i % 8));
    std::size_t n = layout.by_value ? static_cast<std::size_t>(layout.length) : stored_size(ready[i].as_pointer(), layout);
    at = align_to(at, layout.align);
    store(base + at, ready[i], layout, n);
    at += n;
  }
  return Datum::of(static_cast<const void*>(base));
}

Datum make_array(Arena& arena, Oid element_type, TypeLayout layout, std::span<const Datum> values, const bool* nulls) {
  int length = static_cast<int>(values.size());
  int lower = 1;
  return make_array(arena, element_type, layout, values.data(), nulls, length == 0 ? 0 : 1, &length, &lower);
}

Datum make_empty_array(Arena& arena, Oid element_type) {
  std::byte* base = varlena::allocate(arena, 12);
  put_int(base, 4, 0);
  put_int(base, 8, 0);
  put_int(base, 12, static_cast<std::int32_t>(raw(element_type)));
  return Datum::of(static_cast<const void*>(base));
}

ArrayElements array_elements(ArrayView array, TypeLayout layout, Arena& arena) {
  auto n = static_cast<std::size_t>(array.count());
  ArrayElements elements{arena.make_array<Datum>(n), arena.make_array<bool>(n), static_cast<int>(n)};
  ArrayCursor cursor(array, layout);
  NullableDatum element;
  for (std::size_t i = 0; cursor.next(element); ++i) {
    elements.values[i] = element.value;
    elements.nulls[i] = element.is_null;
  }
  return elements;
}

NullableDatum array_get_element(ArrayView array, TypeLayout layout, std::span<const int> subscripts) {
  int index = element_index(array, subscripts);
  if (index < 0 || array.is_null(index)) return {};
  if (layout.length > 0 && !array.has_nulls()) {  // elements of one width are found without a walk
    std::size_t width = align_to(static_cast<std::size_t>(layout.length), layout.align);
    const std::byte* element = array.data() + static_cast<std::size_t>(index) * width;
    if (element + layout.length > array.base() + array.total_size()) throw_damaged();
    return {fetch(element, layout), false};
  }
  ArrayCursor cursor(array, layout);
  NullableDatum element;
  for (int i = 0; i <= index; ++i) cursor.next(element);
  return element;
}

Datum array_get_slice(ArrayView array, TypeLayout layout, std::span<const ArraySlice> slices, Arena& arena) {
  int n = array.dimensions();
  if (n == 0 || static_cast<int>(slices.size()) > n) return make_empty_array(arena, array.element_type());
  int first[kMaxDimensions], lengths[kMaxDimensions], lowers[kMaxDimensions];
  for (int i = 0; i < n; ++i) {
    ArraySlice s = i < static_cast<int>(slices.size()) ? slices[static_cast<std::size_t>(i)] : ArraySlice{};
    int low = s.has_lower ? std::max(s.lower, array.lower(i)) : array.lower(i);
    int high = s.has_upper ? std::min(s.upper, array.upper(i)) : array.upper(i);
    if (low > high) return make_empty_array(arena, array.element_type());
    first[i] = low - array.lower(i);
    lengths[i] = high - low + 1;
    lowers[i] = 1;
  }
  ArrayElements all = array_elements(array, layout, arena);
  std::size_t count = 1;
  for (int i = 0; i < n; ++i) count *= static_cast<std::size_t>(lengths[i]);
  auto* values = arena.make_array<Datum>(count);
  auto* nulls = arena.make_array<bool>(count);
  int position[kMaxDimensions] = {};
  for (std::size_t k = 0; k < count; ++k) {
    std::size_t index = 0;
    for (int i = 0; i < n; ++i) index = index * static_cast<std::size_t>(array.length(i)) + static_cast<std::size_t>(first[i] + position[i]);
    values[k] = all.values[index];
    nulls[k] = all.nulls[index];
    for (int i = n - 1; i >= 0 && ++position[i] == lengths[i]; --i) position[i] = 0;
  }
  return make_array(arena, array.element_type(), layout, values, nulls, n, lengths, lowers);
}

namespace {

// A one-dimensional array that covers [lower, upper] with the old elements in place and NULL elsewhere.
struct Extended {
  Datum* values;
  bool* nulls;
  int lower, length;
};
Extended extend(ArrayView array, TypeLayout layout, int low, int high, Arena& arena) {
  bool empty = array.dimensions() == 0;
  int lower = empty ? low : std::min(low, array.lower(0));
  int upper = empty ? high : std::max(high, array.upper(0));
  std::int64_t length = static_cast<std::int64_t>(upper) - lower + 1;
  if (length > kMaxArrayElements) throw_too_large();
  Extended e{arena.make_array<Datum>(static_cast<std::size_t>(length)), arena.make_array<bool>(static_cast<std::size_t>(length)), lower,
             static_cast<int>(length)};
  std::fill_n(e.nulls, length, true);
  if (!empty) {
    ArrayElements old = array_elements(array, layout, arena);
    std::copy_n(old.values, old.count, e.values + (array.lower(0) - lower));
    std::copy_n(old.nulls, old.count, e.nulls + (array.lower(0) - lower));
  }
  return e;
}

}  // namespace

Datum array_set_element(ArrayView array, TypeLayout layout, std::span<const int> subscripts, NullableDatum value, Arena& arena) {
  if (subscripts.empty() || subscripts.size() > kMaxDimensions) throw_subscript("wrong number of array subscripts");
  int lengths[kMaxDimensions], lowers[kMaxDimensions];
  if (array.dimensions() == 0) {
    for (std::size_t i = 0; i < subscripts.size(); ++i) {
      lengths[i] = 1;
      lowers[i] = subscripts[i];
    }
    return make_array(arena, array.element_type(), layout, &value.value, &value.is_null, static_cast<int>(subscripts.size()), lengths, lowers);
  }
  if (static_cast<int>(subscripts.size()) != array.dimensions()) throw_subscript("wrong number of array subscripts");
  if (array.dimensions() == 1) {
    Extended e = extend(array, layout, subscripts[0], subscripts[0], arena);
    e.values[subscripts[0] - e.lower] = value.value;
    e.nulls[subscripts[0] - e.lower] = value.is_null;
    return make_array(arena, array.element_type(), layout, e.values, e.nulls, 1, &e.length, &e.lower);
  }
  int index = element_index(array, subscripts);
  if (index < 0) throw_subscript("array subscript out of range");
  ArrayElements all = array_elements(array, layout, arena);
  all.values[index] = value.value;
  all.nulls[index] = value.is_null;
  copy_shape(array, lengths, lowers);
  return make_array(arena, array.element_type(), layout, all.values, all.nulls, array.dimensions(), lengths, lowers);
}

Datum array_set_slice(ArrayView array, TypeLayout layout, std::span<const ArraySlice> slices, ArrayView source, Arena& arena) {
  if (slices.empty() || slices.size() > kMaxDimensions) throw_subscript("wrong number of array subscripts");
  int n = array.dimensions();
  ArrayElements from = array_elements(source, layout, arena);
  int low[kMaxDimensions], length[kMaxDimensions], lowers[kMaxDimensions], lengths[kMaxDimensions];
  if (n != 0 && static_cast<int>(slices.size()) > n) throw_subscript("wrong number of array subscripts");
  int count = n == 0 ? static_cast<int>(slices.size()) : n;
  std::int64_t wanted = 1;
  for (int i = 0; i < count; ++i) {
    ArraySlice s = i < static_cast<int>(slices.size()) ? slices[static_cast<std::size_t>(i)] : ArraySlice{};
    if (n == 0 && (!s.has_lower || !s.has_upper)) {
      throw SqlError(sqlstate::array_subscript_error, "array slice subscript must provide both boundaries")
          .detail("When assigning to a slice of an empty array value, slice boundaries must be fully specified.");
    }
    low[i] = s.has_lower ? s.lower : array.lower(i);
    int high = s.has_upper ? s.upper : array.upper(i);
    std::int64_t extent = static_cast<std::int64_t>(high) - low[i] + 1;
    if (extent < 1) throw_subscript("upper bound cannot be less than lower bound");
    if (n > 1 && (low[i] < array.lower(i) || high > array.upper(i))) throw_subscript("array subscript out of range");
    if (extent > kMaxArrayElements || (wanted *= extent) > kMaxArrayElements) throw_too_large();
    length[i] = static_cast<int>(extent);
  }
  if (n == 0) check_count(length, low, count);
  if (from.count < wanted) throw_subscript("source array too small");
  if (n == 0) {
    if (from.count == 0) return make_empty_array(arena, array.element_type());
    return make_array(arena, array.element_type(), layout, from.values, from.nulls, count, length, low);
  }
  if (n == 1) {
    Extended e = extend(array, layout, low[0], low[0] + length[0] - 1, arena);
    std::copy_n(from.values, wanted, e.values + (low[0] - e.lower));
    std::copy_n(from.nulls, wanted, e.nulls + (low[0] - e.lower));
    return make_array(arena, array.element_type(), layout, e.values, e.nulls, 1, &e.length, &e.lower);
  }
  ArrayElements all = array_elements(array, layout, arena);
  int position[kMaxDimensions] = {};
  for (std::int64_t k = 0; k < wanted; ++k) {
    int index = 0;
    for (int i = 0; i < n; ++i) index = index * array.length(i) + (low[i] - array.lower(i) + position[i]);
    all.values[index] = from.values[k];
    all.nulls[index] = from.nulls[k];
    for (int i = n - 1; i >= 0 && ++position[i] == length[i]; --i) position[i] = 0;
  }
  copy_shape(array, lengths, lowers);
  return make_array(arena, array.element_type(), layout, all.values, all.nulls, n, lengths, lowers);
}

}  // namespace hathi::types
