#include "hathi/datum/bounded.h"
#include "hathi/datum/tuple.h"

#include <algorithm>

#include "hathi/error/sql_error.h"

namespace hathi {

namespace {

constexpr std::size_t align_to(std::size_t offset, std::size_t align) { return (offset + align - 1) & ~(align - 1); }

template <class T>
T load(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;
}

// The value of a fixed-width or other column that starts at p.
Datum fetch(const ColumnLayout& c, const std::byte* p) {
  switch (c.kind) {
    case ColumnLayout::Kind::int1: return Datum::of(load<char>(p));
    case ColumnLayout::Kind::int2: return Datum::of(load<std::int16_t>(p));
    case ColumnLayout::Kind::int4: return Datum::of(load<std::int32_t>(p));
    case ColumnLayout::Kind::int8: return Datum::of(load<std::int64_t>(p));
    default: return Datum::of(p);
  }
}

[[noreturn, gnu::cold]] void throw_damaged() { throw SqlError(sqlstate::data_corrupted, "damaged row version"); }

// Advances over one value that is not null; returns where it starts. A damaged length may lead anywhere, so values of variable length are
// held to the row's size at once; those of fixed length go too far by a page or two at most, and are checked by the caller at the end.
std::size_t walk(const ColumnLayout& c, const std::byte* data, std::size_t size, std::size_t& offset) {
  std::size_t start = offset;
  switch (c.kind) {
    case ColumnLayout::Kind::varlena: {
      // A zero byte is padding (or the header of an aligned value): short and external headers are never zero.
      if (data[start] == std::byte{0}) start = align_to(start, c.align);
      std::size_t total = varlena::total_size(data + start);
      offset = start + total;
      bool has_long_header = (static_cast<unsigned>(data[start]) & 1u) == 0;
      if (offset > size || (has_long_header && total < 4)) [[unlikely]] throw_damaged();
      return start;
    }
    case ColumnLayout::Kind::cstring:
      start = align_to(start, c.align);
      if (start >= size) throw_damaged();
      offset = start + strnlen(reinterpret_cast<const char*>(data + start), size - start) + 1;
      if (offset > size) throw_damaged();
      return start;
    default:
      start = align_to(start, c.align);
      offset = start + static_cast<std::size_t>(c.length);
      return start;
  }
}

[[noreturn]] void throw_too_many_columns(int count) {
  throw SqlError(sqlstate::too_many_columns, "number of columns ({}) exceeds limit ({})", count, kMaxTupleAttributes);
}

bool any_null(const bool* nulls, int n) {
  return std::any_of(nulls, nulls + n, [](bool is_null) { return is_null; });
}

std::size_t header_size(int count, bool has_null) {
  std::size_t size = kHeapTupleHeaderSize;
  if (has_null) size += (static_cast<std::size_t>(count) + 7) / 8;
  return align8(size);
}

// Writes the padding up to the aligned offset.
std::size_t pad(std::byte* data, std::size_t offset, std::size_t align) {
  std::size_t start = align_to(offset, align);
  if (start != offset) std::memset(data + offset, 0, start - offset);
  return start;
}

std::size_t put_varlena(const ColumnLayout& c, const std::byte* value, std::byte* data, std::size_t offset, std::uint16_t& mask) {
  mask |= infomask::has_varwidth;
  if (varlena::is_external(value)) {
    mask |= infomask::has_external;
    std::memcpy(data + offset, value, varlena::kExternalSize);
    return offset + varlena::kExternalSize;
  }
  std::size_t total = varlena::total_size(value);
  if (varlena::is_short(value)) {
    std::memcpy(data + offset, value, total);
    return offset + total;
  }
  if (c.packable && varlena::is_plain(value) && varlena::fits_short(total)) {
    data[offset] = varlena::short_header(total - 3);
    std::memcpy(data + offset + 1, value + 4, total - 4);
    return offset + total - 3;
  }
  offset = pad(data, offset, c.align);
  std::memcpy(data + offset, value, total);
  return offset + total;
}

// Bytes of a row version behind its header.
std::size_t data_size(const HeapTuple& tuple) {
  if (tuple.size < tuple.header->hoff) [[unlikely]] throw_damaged_row(tuple);
  return tuple.size - tuple.header->hoff;
}

}  // namespace

std::size_t compute_data_size(const TupleDescriptor& descriptor, const Datum* values, const bool* nulls) {
  std::size_t size = 0;
  int n = descriptor.count();
  for (int i = 0; i < n; ++i) {
    if (nulls[i]) continue;
    const ColumnLayout& c = descriptor.layouts[i];
    if (c.kind == ColumnLayout::Kind::varlena) {
      const std::byte* value = values[i].as_pointer();
      std::size_t total = varlena::total_size(value);
      if (varlena::is_external(value) || varlena::is_short(value)) {
        size += total;
      } else if (c.packable && varlena::is_plain(value) && varlena::fits_short(total)) {
        size += total - 3;
      } else {
        size = align_to(size, c.align) + total;
      }
    } else if (c.kind == ColumnLayout::Kind::cstring) {
      size = align_to(size, c.align) + std::strlen(values[i].as_pointer<char>()) + 1;
    } else {
      size = align_to(size, c.align) + static_cast<std::size_t>(c.length);
    }
  }
  return size;
}

void fill_data(const TupleDescriptor& descriptor, const Datum* values, const bool* nulls, std::byte* data, std::byte* bitmap,
               std::uint16_t& mask) {
  int n = descriptor.count();
  std::size_t offset = 0;
  if (bitmap != nullptr) std::memset(bitmap, 0, (static_cast<std::size_t>(n) + 7) / 8);
  for (int i = 0; i < n; ++i) {
    if (nulls[i]) {
      HATHI_ASSERT(bitmap != nullptr);
      mask |= infomask::has_null;
      continue;
    }
    if (bitmap != nullptr) bitmap[i >> 3] |= static_cast<std::byte>(1u << (i & 7));
    const ColumnLayout& c = descriptor.layouts[i];
    switch (c.kind) {
      case ColumnLayout::Kind::varlena:
        offset = put_varlena(c, values[i].as_pointer(), data, offset, mask);
        break;
      case ColumnLayout::Kind::cstring: {
        mask |= infomask::has_varwidth;
        offset = pad(data, offset, c.align);
        std::size_t size = std::strlen(values[i].as_pointer<char>()) + 1;
        std::memcpy(data + offset, values[i].as_pointer(), size);
        offset += size;
        break;
      }
      case ColumnLayout::Kind::fixed:
        offset = pad(data, offset, c.align);
        std::memcpy(data + offset, values[i].as_pointer(), static_cast<std::size_t>(c.length));
        offset += static_cast<std::size_t>(c.length);
        break;
      default: {
        offset = pad(data, offset, c.align);
        std::uint64_t bits = values[i].bits();
        std::memcpy(data + offset, &bits, static_cast<std::size_t>(c.length));  // little-endian: the low bytes
        offset += static_cast<std::size_t>(c.length);
        break;
      }
    }
  }
}

HeapTuple form_tuple(const TupleDescriptor& descriptor, const Datum* values, const bool* nulls, Arena& arena) {
  int n = descriptor.count();
  if (n > kMaxTupleAttributes) throw_too_many_columns(n);
  bool has_null = any_null(nulls, n);
  std::size_t hoff = header_size(n, has_null);
  std::size_t size = hoff + compute_data_size(descriptor, values, nulls);
  auto* p = static_cast<std::byte*>(arena.allocate(size, 8));
  std::memset(p, 0, hoff);
  auto* header = reinterpret_cast<HeapTupleHeader*>(p);
  std::uint16_t mask = 0;
  fill_data(descriptor, values, nulls, p + hoff, has_null ? p + kHeapTupleHeaderSize : nullptr, mask);
  header->infomask = mask;
  header->infomask2 = static_cast<std::uint16_t>(n);
  header->hoff = static_cast<std::uint8_t>(hoff);
  header->set_ctid(TupleId{});
  HeapTuple tuple;
  tuple.header = header;
  tuple.size = static_cast<std::uint32_t>(size);
  return tuple;
}

void throw_damaged_row(const HeapTuple& tuple) {
  throw SqlError(sqlstate::data_corrupted, "damaged row version at ({},{}) of the table with OID {}", tuple.tid.block.value(),
                 tuple.tid.offset.value(), raw(tuple.table));
}

void deform_bounded(const TupleDescriptor& descriptor, const std::byte* data, std::size_t size, const std::byte* bitmap, int stored, int n, int& first,
                    std::uint32_t& offset, Datum* values, bool* nulls) {
  const ColumnLayout* layouts = descriptor.layouts;
  int limit = std::min(stored, n);
  int i = first;
  std::size_t at = offset;
  if (bitmap == nullptr) {
    for (; i < limit; ++i) {
      nulls[i] = false;
      values[i] = fetch(layouts[i], data + walk(layouts[i], data, size, at));
    }
  } else {
    for (; i < limit; ++i) {
      nulls[i] = bitmap_says_null(bitmap, i);
      values[i] = nulls[i] ? Datum() : fetch(layouts[i], data + walk(layouts[i], data, size, at));
    }
  }
  if (at > size) [[unlikely]] throw_damaged();
  offset = static_cast<std::uint32_t>(at);
  for (; i < n; ++i) {
    NullableDatum missing = missing_attribute(descriptor, i);
    values[i] = missing.value;
    nulls[i] = missing.is_null;
  }
  first = std::max(first, n);
}

void deform_from(const TupleDescriptor& descriptor, const std::byte* data, const std::byte* bitmap, int stored, int n, int& first,
                 std::uint32_t& offset, Datum* values, bool* nulls) {
  deform_bounded(descriptor, data, SIZE_MAX, bitmap, stored, n, first, offset, values, nulls);
}

void deform_tuple(const HeapTuple& tuple, const TupleDescriptor& descriptor, int n, Datum* values, bool* nulls) {
  const HeapTupleHeader* header = tuple.header;
  const auto* data = reinterpret_cast<const std::byte*>(header) + header->hoff;
  int first = 0;
  std::uint32_t offset = 0;
  std::size_t size = data_size(tuple);
  try {
    deform_bounded(descriptor, data, size, null_bitmap(header), header->attribute_count(), n, first, offset, values, nulls);
  } catch (const SqlError&) {
    throw_damaged_row(tuple);
  }
}

Datum get_attribute(const HeapTuple& tuple, const TupleDescriptor& descriptor, AttrNumber number, bool& is_null) {
  HATHI_ASSERT(number >= 1 && number <= descriptor.count());
  const HeapTupleHeader* header = tuple.header;
  int index = number - 1;
  if (index >= header->attribute_count()) {
    NullableDatum missing = missing_attribute(descriptor, index);
    is_null = missing.is_null;
    return missing.value;
  }
  const auto* data = reinterpret_cast<const std::byte*>(header) + header->hoff;
  const std::byte* bitmap = null_bitmap(header);
  const ColumnLayout& c = descriptor.layouts[index];
  std::size_t size = data_size(tuple);
  is_null = false;
  if (bitmap == nullptr) {
    if (c.cached_offset >= 0 && c.length > 0) {
      if (static_cast<std::size_t>(c.cached_offset) + static_cast<std::size_t>(c.length) > size) [[unlikely]] throw_damaged_row(tuple);
      return fetch(c, data + c.cached_offset);
    }
  } else if (bitmap_says_null(bitmap, index)) {
    is_null = true;
    return Datum();
  }
  try {
    std::size_t offset = 0;
    for (int i = 0; i < index; ++i) {
      if (bitmap == nullptr || !bitmap_says_null(bitmap, i)) walk(descriptor.layouts[i], data, size, offset);
    }
    const std::byte* value = data + walk(c, data, size, offset);
    if (offset > size) throw_damaged();
    return fetch(c, value);
  } catch (const SqlError&) {
    throw_damaged_row(tuple);
  }
}

}  // namespace hathi
