// Making entries: leaf entries from values, pivots from entries.
#include "entry_bounds.h"
#include "search_key.h"

namespace hathi::btree {

namespace {

constexpr std::uint32_t kCompressFrom = 510;   // longer values are worth compressing in an index

[[noreturn]] void throw_too_long(const BTreeIndex& index, std::size_t size, TupleId row) {
  if (size > kSizeMask)
    throw SqlError(sqlstate::program_limit_exceeded, "index row requires {} bytes, maximum size is {}", size, kSizeMask + 0);
  SqlError error(sqlstate::program_limit_exceeded, "index row size {} exceeds btree version {} maximum {} for index \"{}\"", size, kVersion,
                 kMaxEntrySize, index.name);
  if (!index.table_name.empty()) {
    error.detail(
        fmt::format("Index row references tuple ({},{}) in relation \"{}\".", row.block.value(), row.offset.value(), index.table_name));
  }
  error.hint("Values larger than 1/3 of a buffer page cannot be indexed.\n"
             "Consider a function index of an MD5 hash of the value, or use full text indexing.");
  throw error;
}

// Values as an index stores them; `prepared` receives them when some differ from `values`.
const Datum* prepare_values(const BTreeIndex& index, const Datum* values, const bool* nulls, Datum* prepared) {
  const TupleDescriptor& d = *index.descriptor;
  bool changed = false;
  for (int i = 0; i < d.count(); ++i) {
    prepared[i] = values[i];
    if (nulls[i] || d.layouts[i].kind != ColumnLayout::Kind::varlena) continue;
    const std::byte* p = values[i].as_pointer();
    if (varlena::is_external(p)) {
      p = varlena::readable(p, comparison_arena());
      changed = true;
    }
    char storage = d[i].storage;
    if (varlena::is_plain(p) && varlena::total_size(p) > kCompressFrom && (storage == 'x' || storage == 'm')) {
      if (const std::byte* c = varlena::compress(p, comparison_arena())) {
        p = c;
        changed = true;
      }
    }
    prepared[i] = Datum::of(p);
  }
  return changed ? prepared : values;
}

std::size_t write_header(std::byte* buffer, TupleId tid, std::size_t size, bool has_null, std::uint16_t mask) {
  EntryHeader& h = entry_header(buffer);
  h.set_block(tid.block.value());
  h.offset = tid.offset.value();
  h.info = static_cast<std::uint16_t>(size | (has_null ? kHasNulls : 0) | ((mask & infomask::has_varwidth) != 0 ? kHasVarwidth : 0));
  return size;
}

// Copies the first `columns` columns of an entry behind a new header.
std::size_t copy_prefix(const BTreeIndex& index, const std::byte* entry, int columns, std::size_t extra, std::byte* buffer) {
  Datum values[kMaxColumns];
  bool nulls[kMaxColumns];
  read_columns(index, entry, columns, values, nulls);
  int first = 0;
  std::uint32_t data_size = 0;
  deform_bounded(*index.descriptor, entry_data(entry), entry_data_size(entry), entry_bitmap(entry), kMaxColumns, columns, first, data_size, values, nulls);
  bool has_null = false;
  for (int i = 0; i < columns; ++i) has_null = has_null || nulls[i];
  std::size_t start = has_null ? 16 : 8, size = align8(start + data_size);
  std::memset(buffer, 0, size + extra);
  // The bytes of a prefix do not depend on what follows them.
  std::memcpy(buffer + start, entry_data(entry), data_size);
  if (has_null) {
    for (int i = 0; i < columns; ++i) {
      if (!nulls[i]) buffer[8 + i / 8] |= static_cast<std::byte>(1u << (i % 8));
    }
  }
  size += extra;
  EntryHeader& h = entry_header(buffer);
  h.info = static_cast<std::uint16_t>(size | kAlternative | (has_null ? kHasNulls : 0) | (entry_header(entry).info & kHasVarwidth));
  h.offset = static_cast<std::uint16_t>(columns);
  return size;
}

}  // namespace

std::size_t form_entry(const BTreeIndex& index, const Datum* values, const bool* nulls, TupleId row, std::byte* buffer) {
  const TupleDescriptor& d = *index.descriptor;
  Datum prepared[kMaxColumns];
  values = prepare_values(index, values, nulls, prepared);
  bool has_null = false;
  for (int i = 0; i < d.count(); ++i) has_null = has_null || nulls[i];
  std::size_t start = has_null ? 16 : 8, size = align8(start + compute_data_size(d, values, nulls));
  if (size > kMaxEntrySize) throw_too_long(index, size, row);
  std::memset(buffer, 0, start);
  std::memset(buffer + size - 8, 0, size > start ? 8 : 0);
  std::uint16_t mask = 0;
  fill_data(d, values, nulls, buffer + start, has_null ? buffer + 8 : nullptr, mask);
  return write_header(buffer, row, size, has_null, mask);
}

std::size_t make_pivot(const BTreeIndex& index, const std::byte* left, const std::byte* right, std::byte* buffer) {
  int equal = compare_entries(index, left, right).equal_columns;
  auto keys = static_cast<int>(index.keys.size());
  if (equal < keys) return copy_prefix(index, right, equal + 1, 0, buffer);
  // Equal in all columns: the row position decides, and the left one's is high enough.
  std::size_t size = copy_prefix(index, right, keys, 8, buffer);
  entry_header(buffer).offset |= kPivotHasRow;
  write_tid(buffer + size - 8, last_tid(left));
  return size;
}

void set_child(std::byte* pivot, std::uint32_t block) { entry_header(pivot).set_block(block); }

void make_minus_infinity(std::byte* buffer, std::uint32_t child) {
  std::memset(buffer, 0, 8);
  EntryHeader& h = entry_header(buffer);
  h.set_block(child);
  h.info = static_cast<std::uint16_t>(8 | kAlternative);
}

}  // namespace hathi::btree
