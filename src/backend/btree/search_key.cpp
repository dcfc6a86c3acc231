#include "entry_bounds.h"
#include "search_key.h"

namespace hathi::btree {

namespace {

template <class T>
T load(const std::byte* p) {
  T v;
  std::memcpy(&v, p, sizeof(T));
  return v;
}

// Order of an index column's values a (of the entry) and b (of the key): as the index sorts them.
int compare_column(const KeyColumn& column, const ComparisonFunction& comparison, Datum a, bool a_null, Datum b, bool b_null) {
  if (a_null || b_null) {
    if (a_null && b_null) return 0;
    return a_null == column.nulls_first ? -1 : 1;
  }
  int order = compare(comparison, a, b, comparison_arena());
  return column.descending ? -order : order;
}

// deform_bounded() that names the index when the entry is damaged.
void read_more(const BTreeIndex& index, const std::byte* data, std::size_t size, const std::byte* bitmap, int n, int& at, std::uint32_t& offset,
               Datum* values, bool* nulls) {
  try {
    deform_bounded(*index.descriptor, data, size, bitmap, kMaxColumns, n, at, offset, values, nulls);
  } catch (const SqlError&) {
    throw SqlError(sqlstate::index_corrupted, "index \"{}\" contains a damaged entry", index.name).hint("Please REINDEX it.");
  }
}

// The rest of a comparison, columns from `first` on.
int compare_columns(const SearchKey& key, const std::byte* entry, int first) {
  const BTreeIndex& index = *key.index;
  int columns = is_pivot(entry) ? std::min(entry_columns(entry, index), key.count) : key.count;
  ColumnValues c;
  int at = 0;
  std::uint32_t offset = 0;
  const std::byte* data = entry_data(entry);
  std::size_t size = entry_data_size(entry);
  const std::byte* bitmap = entry_bitmap(entry);
  for (int i = first; i < columns; ++i) {
    read_more(index, data, size, bitmap, i + 1, at, offset, c.values, c.nulls);
    int order =
        compare_column(index.keys[static_cast<std::size_t>(i)], *key.comparisons[i], c.values[i], c.nulls[i], key.values[i], key.nulls[i]);
    if (order != 0) return -order;
  }
  if (columns < key.count) return 1;   // the pivot's missing columns are before everything
  if (!is_pivot(entry)) {
    if (!key.has_tid) return 0;
    if (key.tid < entry_tid(entry)) return -1;
    return last_tid(entry) < key.tid ? 1 : 0;
  }
  TupleId tid = pivot_tid(entry);
  if (!tid.is_valid()) {
    // All entries that begin with these columns are behind the pivot, so a search for them need not look to its left.
    return key.has_tid || entry_columns(entry, index) == key.count ? 1 : 0;
  }
  if (!key.has_tid || key.count < static_cast<int>(index.keys.size())) return 0;
  return key.tid == tid ? 0 : (key.tid < tid ? -1 : 1);
}

}  // namespace

Arena& comparison_arena() {
  static Arena arena(8192);
  return arena;
}
void reset_comparison_arena() {
  if (comparison_arena().footprint() != 0) comparison_arena().reset();
}

void prepare_fast_path(SearchKey& key) {
  key.fast = CompareKind::call;
  if (key.count == 0 || key.nulls[0]) return;
  const ColumnLayout& c = key.index->descriptor->layouts[0];
  CompareKind kind = key.comparisons[0]->kind;
  key.fast_descending = key.index->keys[0].descending;
  if (kind == CompareKind::int4 && c.length == 4) {
    key.fast = CompareKind::int4;
    key.fast_value = key.values[0].as_int32();
  } else if ((kind == CompareKind::int8 || kind == CompareKind::int84) && c.length == 8) {
    key.fast = CompareKind::int8;
    key.fast_value = kind == CompareKind::int8 ? key.values[0].as_int64() : key.values[0].as_int32();
  } else if (kind == CompareKind::int48 && c.length == 4) {
    key.fast = CompareKind::int4;
    key.fast_value = key.values[0].as_int64();
  }
}

void make_insertion_key(const BTreeIndex& index, const Datum* values, const bool* nulls, SearchKey& key) {
  key.index = &index;
  key.count = static_cast<int>(index.keys.size());
  key.next = key.has_tid = false;
  for (int i = 0; i < key.count; ++i) {
    key.values[i] = values[i];
    key.nulls[i] = nulls[i];
    key.comparisons[i] = &index.keys[static_cast<std::size_t>(i)].comparison;
  }
  prepare_fast_path(key);
}

namespace {

// Has the entry its first column right after the header? (No null bitmap; a pivot must have a first column.)
bool has_fast_column(const std::byte* entry) {
  const EntryHeader& h = entry_header(entry);
  return (h.info & kHasNulls) == 0 && ((h.info & kAlternative) == 0 || (h.offset & kIsPosting) != 0 || (h.offset & kCountMask) != 0);
}

std::int64_t fast_column(const SearchKey& key, const std::byte* entry) {
  return key.fast == CompareKind::int4 ? load<std::int32_t>(entry + 8) : load<std::int64_t>(entry + 8);
}

}  // namespace

int compare_key(const SearchKey& key, const std::byte* entry) {
  if (key.fast != CompareKind::call && has_fast_column(entry)) [[likely]] {
    std::int64_t value = fast_column(key, entry);
    if (value != key.fast_value) return (key.fast_value < value) != key.fast_descending ? -1 : 1;
    if (key.count == 1 && !key.has_tid && !is_pivot(entry)) return 0;
    return compare_columns(key, entry, 1);
  }
  return compare_columns(key, entry, 0);
}

namespace {

// The first column of an entry that has it in the usual place, turned round when the index descends.
bool fast_value_at(const SearchKey& key, PageView page, std::uint16_t line, std::int64_t& value) {
  const std::byte* entry = entry_at(page, line);
  if (!has_fast_column(entry)) return false;
  value = fast_column(key, entry);
  if (key.fast_descending) value = ~value;
  return true;
}

// Lines [low, high) of a page that are left to be searched.
struct Lines { std::uint16_t low, high; };

// Where in [low, high) an integer key stands if the values between both ends lie evenly.
std::uint16_t guess_line(const SearchKey& key, PageView page, Lines lines) {
  std::int64_t wanted = key.fast_descending ? ~key.fast_value : key.fast_value, least = 0, most = 0;
  auto last = static_cast<std::uint16_t>(lines.high - 1), middle = static_cast<std::uint16_t>(lines.low + (lines.high - lines.low) / 2);
  if (!fast_value_at(key, page, lines.low, least)) return middle;
  if (wanted <= least) return lines.low;
  if (!fast_value_at(key, page, last, most)) return middle;
  if (wanted >= most) return last;
  // (Differences of 64-bit numbers fit unsigned ones.)
  double part = static_cast<double>(static_cast<std::uint64_t>(wanted) - static_cast<std::uint64_t>(least)) /
                static_cast<double>(static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least));
  return static_cast<std::uint16_t>(lines.low + static_cast<int>(part * (last - lines.low)));
}

// The first line in [low, high) that is not before the key; high when there is none. An integer key is sought from a guess on, in steps
// that double: numbers in a row are mostly found at once, which brings few lines of the page into the processor's caches. Bad guesses
// cost about as much as halving does, once more.
std::uint16_t search_lines(const SearchKey& key, PageView page, Lines lines) {
  constexpr int kMany = 8;
  int least_order = key.next ? 0 : 1;   // go right while the key's order is at least this
  auto is_before = [&](int line) { return compare_key(key, entry_at(page, static_cast<std::uint16_t>(line))) >= least_order; };
  int low = lines.low, high = lines.high;
  if (key.fast != CompareKind::call && high - low > kMany) {
    int guess = guess_line(key, page, lines), step = 1;
    if (is_before(guess)) {
      for (low = guess + 1; low + step <= high && is_before(low + step - 1); step *= 2) low += step;
      high = std::min(high, low + step - 1);
    } else {
      for (high = guess; high - step >= low && !is_before(high - step); step *= 2) high -= step;
      low = std::max(low, high - step + 1);
    }
  }
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (is_before(middle)) low = middle + 1;
    else high = middle;
  }
  return static_cast<std::uint16_t>(low);
}

}  // namespace

std::uint16_t search_leaf(const SearchKey& key, PageView page) {
  return search_lines(key, page, {first_line(page), static_cast<std::uint16_t>(page.line_count() + 1)});
}

std::uint16_t search_inner(const SearchKey& key, PageView page) {
  // The first entry is before everything: the answer is never before it.
  std::uint16_t first = first_line(page);
  Lines lines{static_cast<std::uint16_t>(first + 1), static_cast<std::uint16_t>(page.line_count() + 1)};
  return static_cast<std::uint16_t>(search_lines(key, page, lines) - 1);
}

bool is_beyond(const SearchKey& key, PageView page) {
  if (is_rightmost(page)) return false;
  return compare_key(key, high_key(page)) >= (key.next ? 0 : 1);
}

void read_columns(const BTreeIndex& index, const std::byte* entry, int n, Datum* values, bool* nulls) {
  int first = 0;
  std::uint32_t offset = 0;
  read_more(index, entry_data(entry), entry_data_size(entry), entry_bitmap(entry), n, first, offset, values, nulls);
}

Datum read_column(const BTreeIndex& index, const std::byte* entry, int column, bool& is_null) {
  const ColumnLayout& c = index.descriptor->layouts[column];
  if (entry_bitmap(entry) == nullptr && c.cached_offset >= 0 && c.kind != ColumnLayout::Kind::varlena &&
      c.kind != ColumnLayout::Kind::cstring && static_cast<std::size_t>(c.cached_offset + c.length) <= entry_data_size(entry)) {
    is_null = false;
    const std::byte* p = entry_data(entry) + c.cached_offset;
    switch (c.kind) {
      case ColumnLayout::Kind::int1: return Datum::of(load<char>(p));
      case ColumnLayout::Kind::int2: return Datum::of(load<std::int16_t>(p));
      case ColumnLayout::Kind::int4: return Datum::of(load<std::int32_t>(p));
      case ColumnLayout::Kind::int8: return Datum::of(load<std::int64_t>(p));
      default: return Datum::of(p);
    }
  }
  ColumnValues all;
  read_columns(index, entry, column + 1, all.values, all.nulls);
  is_null = all.nulls[column];
  return all.values[column];
}

EntryOrder compare_entries(const BTreeIndex& index, const std::byte* a, const std::byte* b) {
  auto key_columns = static_cast<int>(index.keys.size());
  int columns = std::min({key_columns, entry_columns(a, index), entry_columns(b, index)});
  ColumnValues x, y;
  read_columns(index, a, columns, x.values, x.nulls);
  read_columns(index, b, columns, y.values, y.nulls);
  for (int i = 0; i < columns; ++i) {
    const KeyColumn& column = index.keys[static_cast<std::size_t>(i)];
    int order = compare_column(column, column.comparison, x.values[i], x.nulls[i], y.values[i], y.nulls[i]);
    if (order != 0) return {i, order};
  }
  return {columns, 0};
}

}  // namespace hathi::btree
