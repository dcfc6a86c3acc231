#include "row.h"

#include "hathi/catalog/lookup.h"
#include "hathi/datum/bounded.h"
#include "hathi/error/sql_error.h"

namespace hathi::executor {

void Row::deform(int n) {
  HATHI_ASSERT(data != nullptr && n <= count);
  try {
    // A packed row was made here; a heap row comes from disk.
    bool is_heap = tuple.header != nullptr && data == reinterpret_cast<const std::byte*>(tuple.header) + tuple.header->hoff;
    deform_bounded(*descriptor, data, is_heap ? tuple.size - tuple.header->hoff : SIZE_MAX, bitmap, stored, n, valid, offset, values, nulls);
  } catch (const SqlError& e) {
    if (e.code() == sqlstate::data_corrupted && tuple.header != nullptr) throw_damaged_row(tuple);
    throw;
  }
}

void make_row(Row& row, int n, const TupleDescriptor* descriptor, Arena& arena) {
  row.count = n;
  row.valid = 0;
  row.descriptor = descriptor;
  row.values = arena.make_array<Datum>(static_cast<std::size_t>(n));
  row.nulls = arena.make_array<bool>(static_cast<std::size_t>(n));
}

void copy_row(Row& to, Row& from, const TupleDescriptor& layout, Arena& arena) {
  int n = layout.count();
  from.need(n);
  for (int i = 0; i < n; ++i) {
    to.nulls[i] = from.nulls[i];
    to.values[i] = from.nulls[i] ? Datum() : copy_datum(from.values[i], layout[i].layout, arena);
  }
  to.set_virtual();
}

namespace {
std::size_t packed_start(const TupleDescriptor& descriptor, const bool* nulls) {
  int n = descriptor.count();
  for (int i = 0; i < n; ++i) {
    if (nulls[i]) return sizeof(PackedRow) + align8((static_cast<std::size_t>(n) + 7) / 8);
  }
  return sizeof(PackedRow);
}
}  // namespace

std::size_t packed_size(const TupleDescriptor& descriptor, const Datum* values, const bool* nulls) {
  return align8(packed_start(descriptor, nulls) + compute_data_size(descriptor, values, nulls));
}

void pack_row_at(const TupleDescriptor& descriptor, const Datum* values, const bool* nulls, std::size_t size, std::byte* at) {
  auto* row = reinterpret_cast<PackedRow*>(at);
  row->size = static_cast<std::uint32_t>(size);
  row->attributes = static_cast<std::uint16_t>(descriptor.count());
  row->data_start = static_cast<std::uint16_t>(packed_start(descriptor, nulls));
  std::uint16_t mask = 0;
  fill_data(descriptor, values, nulls, at + row->data_start, const_cast<std::byte*>(row->bitmap()), mask);
}

PackedRow* pack_row(const TupleDescriptor& descriptor, const Datum* values, const bool* nulls, Arena& arena, std::size_t prefix) {
  std::size_t size = packed_size(descriptor, values, nulls);
  prefix = align8(prefix);
  auto* at = static_cast<std::byte*>(arena.allocate(prefix + size, 8)) + prefix;
  pack_row_at(descriptor, values, nulls, size, at);
  return reinterpret_cast<PackedRow*>(at);
}

TypeLayout layout_of(Oid type) { return catalog::type_info(type).layout; }

namespace {
void describe(Attribute& a, Oid type, std::int32_t typmod, Oid collation, std::string_view name) {
  const catalog::TypeInfo& info = catalog::type_info(type);
  a.name = name;
  a.type = type;
  a.typmod = typmod;
  a.collation = collation;
  a.layout = info.layout;
  a.storage = info.storage;
}
}  // namespace

TupleDescriptor* describe_targets(const List<nodes::TargetEntry*>& targets, Arena& arena, bool with_junk) {
  int n = 0;
  for (const nodes::TargetEntry* t : targets) n += with_junk || !t->junk ? 1 : 0;
  TupleDescriptor* descriptor = make_descriptor(arena, n);
  int i = 0;
  for (const nodes::TargetEntry* t : targets) {
    if (t->junk && !with_junk) continue;
    describe(descriptor->attributes[static_cast<std::size_t>(i++)], nodes::type_of(t->expr), nodes::typmod_of(t->expr), nodes::collation_of(t->expr), t->name);
  }
  descriptor->row_type = type_oid::record;
  finish_descriptor(*descriptor);
  return descriptor;
}

TupleDescriptor* describe_types(std::span<const Oid> types, std::span<const std::int32_t> typmods, std::span<const Oid> collations, Arena& arena) {
  TupleDescriptor* descriptor = make_descriptor(arena, static_cast<int>(types.size()));
  for (std::size_t i = 0; i < types.size(); ++i) {
    describe(descriptor->attributes[i], types[i], i < typmods.size() ? typmods[i] : -1, i < collations.size() ? collations[i] : kInvalidOid, "");
  }
  descriptor->row_type = type_oid::record;
  finish_descriptor(*descriptor);
  return descriptor;
}

}  // namespace hathi::executor
