#pragma once
// Rows in flight between plan nodes, and rows packed for sorts, hashes and stores.
//
// A packed row:
//   offset size field
//        0    4 size         bytes of all
//        4    2 attributes
//        6    2 data_start   8, or 8 + bitmap rounded up to 8 when some attribute is NULL
//        8    … null bitmap (bit set = not null), then data as in a heap row

#include <cstdint>

#include "hathi/datum/tuple.h"
#include "hathi/nodes/expression.h"

namespace hathi::executor {

struct PackedRow {
  std::uint32_t size;
  std::uint16_t attributes;
  std::uint16_t data_start;
  const std::byte* data() const { return reinterpret_cast<const std::byte*>(this) + data_start; }
  const std::byte* bitmap() const { return data_start == sizeof(PackedRow) ? nullptr : reinterpret_cast<const std::byte*>(this + 1); }
};
static_assert(sizeof(PackedRow) == 8);

// One row: attribute arrays of which the first `valid` entries are filled; the rest is read on demand from a heap row in place on
// its page, or from a packed row. A virtual row has valid == count and no source. Whoever produced the row keeps its source (pin,
// arena) until it is asked for the next one.
struct Row {
  Datum* values = nullptr;
  bool* nulls = nullptr;
  int valid = 0;
  int count = 0;
  const TupleDescriptor* descriptor = nullptr;   // may be null for rows that only plan expressions see
  const std::byte* data = nullptr;
  const std::byte* bitmap = nullptr;
  int stored = 0;
  std::uint32_t offset = 0;
  HeapTuple tuple;                                // header null unless the row stands for a heap row (system columns)

  // Makes the first n attributes readable.
  void need(int n) { if (valid < n) deform(n); }
  void need_all() { need(count); }
  void deform(int n);
  // The row now is this heap row / packed row; nothing is read yet.
  void set_heap(const HeapTuple& t) {
    tuple = t;
    const HeapTupleHeader* h = t.header;
    data = reinterpret_cast<const std::byte*>(h) + h->hoff;
    bitmap = null_bitmap(h);
    stored = h->attribute_count();
    offset = 0;
    valid = 0;
  }
  void set_packed(const PackedRow* p) {
    data = p->data();
    bitmap = p->bitmap();
    stored = p->attributes;
    offset = 0;
    valid = 0;
  }
  void set_virtual() { valid = count; }
  void set_all_null() {
    for (int i = 0; i < count; ++i) { values[i] = Datum(); nulls[i] = true; }
    valid = count;
    tuple = HeapTuple();
  }
};

// A row of n attributes with arrays in the arena.
void make_row(Row& row, int n, const TupleDescriptor* descriptor, Arena& arena);
// Copies by-reference values (and all attributes) of `from` into the arena; `to` becomes a virtual row.
void copy_row(Row& to, Row& from, const TupleDescriptor& layout, Arena& arena);

std::size_t packed_size(const TupleDescriptor& descriptor, const Datum* values, const bool* nulls);
// descriptor may have fewer attributes than the arrays.
PackedRow* pack_row(const TupleDescriptor& descriptor, const Datum* values, const bool* nulls, Arena& arena, std::size_t prefix = 0);
void pack_row_at(const TupleDescriptor& descriptor, const Datum* values, const bool* nulls, std::size_t size, std::byte* at);

// The columns of a target list, junk ones included.
TupleDescriptor* describe_targets(const List<nodes::TargetEntry*>& targets, Arena& arena, bool with_junk = true);
TupleDescriptor* describe_types(std::span<const Oid> types, std::span<const std::int32_t> typmods, std::span<const Oid> collations, Arena& arena);
TypeLayout layout_of(Oid type);

}  // namespace hathi::executor
