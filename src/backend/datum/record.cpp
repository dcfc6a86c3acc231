// Composite values: a row inside a datum.
#include <algorithm>

#include "hathi/datum/tuple.h"
#include "hathi/error/sql_error.h"

namespace hathi {

namespace {

// A record's first 12 bytes, in the place of a row version's xmin, xmax and command.
struct RecordHeader {
  std::uint32_t size_word;
  std::int32_t typmod;
  std::uint32_t type;
};
static_assert(sizeof(RecordHeader) == 12);

RecordHeader record_header(Datum record) {
  RecordHeader header;
  const std::byte* p = record.as_pointer();
  if (varlena::is_plain(p)) {
    std::memcpy(&header, p, sizeof(header));
    return header;
  }
  // In a stored row: with a short length word, compressed or elsewhere.
  Arena arena(512);
  std::string_view payload = varlena::payload(varlena::readable(record, arena));
  header.size_word = 0;
  std::memcpy(&header.typmod, payload.data(), 4);
  std::memcpy(&header.type, payload.data() + 4, 4);
  return header;
}

// A record may outlive the row its parts came from, so it contains no pointers into TOAST tables.
Datum* flatten_external(const TupleDescriptor& descriptor, const Datum* values, const bool* nulls, Arena& arena) {
  auto n = static_cast<std::size_t>(descriptor.count());
  Datum* flat = nullptr;
  for (std::size_t i = 0; i < n; ++i) {
    if (nulls[i] || descriptor.layouts[i].kind != ColumnLayout::Kind::varlena) continue;
    if (!varlena::is_external(values[i].as_pointer())) continue;
    if (flat == nullptr) {
      flat = arena.make_array<Datum>(n);
      std::copy(values, values + n, flat);
    }
    flat[i] = Datum::of(varlena::readable(values[i], arena));
  }
  return flat;
}

}  // namespace

Datum make_record(const TupleDescriptor& descriptor, const Datum* values, const bool* nulls, Arena& arena) {
  if (Datum* flat = flatten_external(descriptor, values, nulls, arena)) values = flat;
  HeapTuple tuple = form_tuple(descriptor, values, nulls, arena);
  auto* bytes = const_cast<std::byte*>(reinterpret_cast<const std::byte*>(tuple.header));
  RecordHeader header{varlena::plain_header(tuple.size), descriptor.record_typmod, raw(descriptor.row_type)};
  if (header.type == 0) header.type = 2249;
  std::memcpy(bytes, &header, sizeof(header));
  return Datum::of(bytes);
}

HeapTuple open_record(Datum record, Arena& arena) {
  const std::byte* p = varlena::readable(record, arena);
  // The header's fields are read in place: they must be aligned and follow a four-byte length.
  if (!varlena::is_plain(p) || (reinterpret_cast<std::uintptr_t>(p) & 7) != 0) p = varlena::make(arena, varlena::payload(p)).as_pointer();
  HeapTuple tuple;
  tuple.header = reinterpret_cast<const HeapTupleHeader*>(p);
  tuple.size = varlena::total_size(p);
  return tuple;
}

Oid record_type(Datum record) { return Oid{record_header(record).type}; }
std::int32_t record_typmod(Datum record) { return record_header(record).typmod; }

}  // namespace hathi
