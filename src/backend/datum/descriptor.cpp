#include "hathi/datum/tuple.h"
#include "hathi/error/sql_error.h"

namespace hathi {

namespace {

std::uint8_t alignment_of(char align) {
  switch (align) {
    case 'c': return 1;
    case 's': return 2;
    case 'd': return 8;
    default: return 4;
  }
}

ColumnLayout::Kind kind_of(const TypeLayout& layout) {
  if (layout.length == -1) return ColumnLayout::Kind::varlena;
  if (layout.length == -2) return ColumnLayout::Kind::cstring;
  if (layout.by_value) {
    switch (layout.length) {
      case 1: return ColumnLayout::Kind::int1;
      case 2: return ColumnLayout::Kind::int2;
      case 4: return ColumnLayout::Kind::int4;
      case 8: return ColumnLayout::Kind::int8;
      default: throw SqlError(sqlstate::internal_error, "unsupported byval length: {}", layout.length);
    }
  }
  return ColumnLayout::Kind::fixed;
}

}  // namespace

TupleDescriptor* make_descriptor(Arena& arena, int n) {
  auto* descriptor = arena.make<TupleDescriptor>();
  auto count = static_cast<std::size_t>(n);
  descriptor->attributes = {arena.make_array<Attribute>(count), count};
  descriptor->layouts = arena.make_array<ColumnLayout>(count);
  return descriptor;
}

void finish_descriptor(TupleDescriptor& descriptor) {
  std::int32_t offset = 0;  // -1 once a column of varying width was passed
  descriptor.has_missing = false;
  for (std::size_t i = 0; i < descriptor.attributes.size(); ++i) {
    Attribute& a = descriptor.attributes[i];
    ColumnLayout& c = descriptor.layouts[i];
    c.length = a.layout.length;
    c.align = alignment_of(a.layout.align);
    c.kind = kind_of(a.layout);
    c.packable = a.layout.length == -1 && a.storage != 'p';
    descriptor.has_missing = descriptor.has_missing || a.has_missing;
    c.cached_offset = -1;
    if (offset >= 0) {
      std::int32_t start = (offset + c.align - 1) & ~(c.align - 1);
      if (c.length > 0) {
        c.cached_offset = start;
        offset = start + c.length;
      } else {
        // A short header would not be aligned, so the place is known only when both readings agree.
        if (c.kind == ColumnLayout::Kind::cstring || start == offset) c.cached_offset = start;
        offset = -1;
      }
    }
    a.cached_offset = c.cached_offset;
  }
}

TupleDescriptor* copy_descriptor(const TupleDescriptor& from, Arena& arena) {
  TupleDescriptor* copy = make_descriptor(arena, from.count());
  for (int i = 0; i < from.count(); ++i) {
    Attribute& a = copy->attributes[static_cast<std::size_t>(i)];
    a = from[i];
    a.name = arena.copy(from[i].name);
    if (a.has_missing && !a.missing_value.is_null) a.missing_value.value = copy_datum(a.missing_value.value, a.layout, arena);
  }
  copy->row_type = from.row_type;
  copy->record_typmod = from.record_typmod;
  finish_descriptor(*copy);
  return copy;
}

bool same_row_shape(const TupleDescriptor& a, const TupleDescriptor& b) {
  if (a.count() != b.count()) return false;
  for (int i = 0; i < a.count(); ++i) {
    if (a[i].dropped != b[i].dropped) return false;
    if (a[i].dropped) {
      if (a[i].layout.length != b[i].layout.length || a[i].layout.align != b[i].layout.align) return false;
      continue;
    }
    if (a[i].type != b[i].type || a[i].typmod != b[i].typmod) return false;
  }
  return true;
}

}  // namespace hathi
