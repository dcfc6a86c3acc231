#pragma once
// Row versions as they stand on a page and in memory, and the descriptor that tells how to read them.
//
// A heap row version:
//   offset size field
//        0    4 xmin      32-bit offset from the page's xid_base (2 = frozen and 1 = bootstrap are themselves, 0 = none)
//        4    4 xmax      likewise, or a MultiXactId
//        8    4 command   cmin, cmax or a combo id (transaction/)
//       12    6 ctid      newer version or itself: block (4), offset (2)
//       18    2 infomask2 bits 0-10 number of attributes, then flags
//       20    2 infomask  flags
//       22    1 hoff      start of the data, 8-aligned
//       23    … null bitmap (bit set = not null), one bit an attribute, present with kHasNull
// Index rows: 6-byte TupleId, 2-byte info, then bitmap and data (see btree/).

#include <cstddef>
#include <cstdint>
#include <span>

#include "hathi/base/ids.h"
#include "hathi/datum/datum.h"

namespace hathi {

// One column of a row type. Plain data; text members point into the descriptor's own memory.
struct Attribute {
  std::string_view name;
  Oid type = kInvalidOid;
  std::int32_t typmod = -1;
  Oid collation = kInvalidOid;
  TypeLayout layout;
  char storage = 'p';          // p plain, e external, m main, x extended
  char compression = '\0';     // \0 default, p pglz, l lz4
  bool not_null = false;
  bool has_default = false;
  bool has_missing = false;    // rows stored before ADD COLUMN … DEFAULT lack it: missing_value applies
  bool dropped = false;
  char identity = '\0';        // a always, d by default
  char generated = '\0';       // s stored
  std::int16_t dimensions = 0;
  bool is_local = true;
  std::int32_t inherit_count = 0;
  // Position in a row without nulls when all before it are of fixed width; -1 = must be walked.
  std::int32_t cached_offset = -1;
  NullableDatum missing_value;
};

// What reading a column needs, dense so that a row is read with few cache lines. Computed by finish_descriptor().
struct ColumnLayout {
  enum class Kind : std::uint8_t { int1, int2, int4, int8, fixed, varlena, cstring };
  std::int16_t length;         // bytes; -1 = varlena, -2 = NUL-terminated
  std::uint8_t align;          // 1, 2, 4, 8
  Kind kind;                   // int1 … int8: passed by value
  bool packable;               // a varlena that may take a short header
  std::int32_t cached_offset;  // as Attribute's
};

// Immutable once built. Always made by make_descriptor() and finish_descriptor() (or copy_descriptor()).
struct TupleDescriptor {
  std::span<Attribute> attributes;    // [AttrNumber - 1]
  ColumnLayout* layouts = nullptr;    // one an attribute
  Oid row_type = kInvalidOid;         // pg_type of the composite; record (2249) for anonymous ones
  std::int32_t record_typmod = -1;    // number of a registered anonymous record type
  bool has_missing = false;
  int count() const { return static_cast<int>(attributes.size()); }
  const Attribute& operator[](int index) const { return attributes[static_cast<std::size_t>(index)]; }
};
// A descriptor for n attributes to be filled in; call finish_descriptor() afterwards (computes cached offsets).
TupleDescriptor* make_descriptor(Arena& arena, int n);
void finish_descriptor(TupleDescriptor& descriptor);
TupleDescriptor* copy_descriptor(const TupleDescriptor& from, Arena& arena);
bool same_row_shape(const TupleDescriptor& a, const TupleDescriptor& b);  // types and typmods equal

struct HeapTupleHeader {
  std::uint32_t xmin;
  std::uint32_t xmax;
  std::uint32_t command;
  std::uint16_t ctid_block_low, ctid_block_high, ctid_offset;
  std::uint16_t infomask2;
  std::uint16_t infomask;
  std::uint8_t hoff;
  TupleId ctid() const {
    return {BlockNumber{ctid_block_low | (static_cast<std::uint32_t>(ctid_block_high) << 16)}, OffsetNumber{ctid_offset}};
  }
  void set_ctid(TupleId tid) {
    ctid_block_low = static_cast<std::uint16_t>(tid.block.value());
    ctid_block_high = static_cast<std::uint16_t>(tid.block.value() >> 16);
    ctid_offset = tid.offset.value();
  }
  int attribute_count() const { return infomask2 & 0x7FF; }
};
inline constexpr std::size_t kHeapTupleHeaderSize = 23;
static_assert(offsetof(HeapTupleHeader, infomask) == 20 && offsetof(HeapTupleHeader, hoff) == 22);

namespace infomask {
inline constexpr std::uint16_t has_null = 0x0001, has_varwidth = 0x0002, has_external = 0x0004, combo_command = 0x0020,
                               xmax_key_share = 0x0010, xmax_exclusive = 0x0040, xmax_lock_only = 0x0080, xmin_committed = 0x0100,
                               xmin_invalid = 0x0200, xmin_frozen = 0x0300, xmax_committed = 0x0400, xmax_invalid = 0x0800,
                               xmax_multi = 0x1000, updated = 0x2000;
// infomask2
inline constexpr std::uint16_t keys_updated = 0x2000, hot_updated = 0x4000, heap_only = 0x8000;
}  // namespace infomask

// A row version with its place; `data` points at the HeapTupleHeader (in a pinned page or in an arena). xmin and xmax are the
// full xids, copied out under the content lock (xmax: kInvalidXid when it is a multixact; then `multi` is set).
struct HeapTuple {
  const HeapTupleHeader* header = nullptr;
  std::uint32_t size = 0;
  TupleId tid;
  Oid table = kInvalidOid;
  Xid xmin{0}, xmax{0};
  MultiXactId multi{0};
};

inline constexpr int kMaxTupleAttributes = 1664;  // columns of a row in flight; tables have at most 1600
inline constexpr std::size_t align8(std::size_t n) { return (n + 7) & ~std::size_t{7}; }
// The null bitmap of a row, nullptr when it has none.
inline const std::byte* null_bitmap(const HeapTupleHeader* header) {
  return (header->infomask & infomask::has_null) != 0 ? reinterpret_cast<const std::byte*>(header) + kHeapTupleHeaderSize : nullptr;
}
inline bool bitmap_says_null(const std::byte* bitmap, int index) {
  return ((static_cast<unsigned>(bitmap[index >> 3]) >> (index & 7)) & 1u) == 0;
}

// Builds a row version in the arena: header (xids zero), bitmap, aligned data; short headers for short varlenas.
HeapTuple form_tuple(const TupleDescriptor& descriptor, const Datum* values, const bool* nulls, Arena& arena);
// Reads the attributes [0, n) of a row; values of by-reference attributes point into it. Attributes beyond the stored ones take
// the missing value or NULL.
void deform_tuple(const HeapTuple& tuple, const TupleDescriptor& descriptor, int n, Datum* values, bool* nulls);
// One attribute (1-based, user columns only); walks from the start unless its offset is cached.
Datum get_attribute(const HeapTuple& tuple, const TupleDescriptor& descriptor, AttrNumber number, bool& is_null);
// The generic data part, shared with index rows: bytes needed, filling, reading from `data` with an optional bitmap.
std::size_t compute_data_size(const TupleDescriptor& descriptor, const Datum* values, const bool* nulls);
void fill_data(const TupleDescriptor& descriptor, const Datum* values, const bool* nulls, std::byte* data, std::byte* bitmap,
               std::uint16_t& mask);
// The value that a row stored without attribute `index` has for it (missing value or NULL).
inline NullableDatum missing_attribute(const TupleDescriptor& descriptor, int index) {
  if (!descriptor.has_missing || !descriptor[index].has_missing) return {};
  return descriptor[index].missing_value;
}
// A row continuing at attribute `first` at byte offset `offset` (both updated): incremental deforming.
void deform_from(const TupleDescriptor& descriptor, const std::byte* data, const std::byte* bitmap, int stored, int n, int& first,
                 std::uint32_t& offset, Datum* values, bool* nulls);

// A composite value (type record or a named row type): varlena header, row type, typmod, then bitmap and data as in a heap row.
//   0 4 varlena header | 4 4 typmod | 8 4 row type | 12 6 unused | 18 2 infomask2 | 20 2 infomask | 22 1 hoff | 23 … as above
Datum make_record(const TupleDescriptor& descriptor, const Datum* values, const bool* nulls, Arena& arena);
HeapTuple open_record(Datum record, Arena& arena);  // header usable with deform_tuple
Oid record_type(Datum record);
std::int32_t record_typmod(Datum record);

}  // namespace hathi
