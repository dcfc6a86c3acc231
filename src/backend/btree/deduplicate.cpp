#include "deduplicate.h"

namespace hathi::btree {

std::size_t key_size(const std::byte* e) { return is_posting(e) ? entry_header(e).block() : entry_size(e); }

std::size_t make_posting(const std::byte* base, std::span<const TupleId> rows, std::byte* buffer) {
  std::size_t start = key_size(base), size = align8(start + rows.size() * 6);
  std::memcpy(buffer, base, start);
  std::memset(buffer + size - 8, 0, 8);
  for (std::size_t i = 0; i < rows.size(); ++i) write_tid(buffer + start + i * 6, rows[i]);
  EntryHeader& h = entry_header(buffer);
  h.info = static_cast<std::uint16_t>((h.info & ~kSizeMask) | size | kAlternative);
  h.set_block(static_cast<std::uint32_t>(start));
  h.offset = static_cast<std::uint16_t>(rows.size() | kIsPosting);
  return size;
}

void remove_dead(const BTreeIndex& index, buffer::PinnedBuffer& pin) {
  PageView page = pin.page();
  std::uint16_t lines[kPageSize / sizeof(LinePointer)];
  std::size_t count = 0;
  for (std::uint16_t i = first_line(page); i <= page.line_count(); ++i) {
    if (is_dead(page, i)) lines[count++] = i;
  }
  if (count == 0) {
    special(page).flags &= static_cast<std::uint16_t>(~kHasDead);
    pin.mark_dirty_hint();
    return;
  }
  IndexChange change(index, BTreeOperation::delete_dead);
  wal::PageEdit& edit = change.page(pin);
  delete_edits(page, edit, {lines, count});
  auto flags = static_cast<std::uint16_t>(special(page).flags & ~kHasDead);
  edit.write_value(special_position(offsetof(Special, flags)), flags);
  change.apply();
}

bool may_deduplicate(const BTreeIndex& index, bool) {
  // Values that are equal but look different (numeric 1.0 and 1.00) must not share an entry; the catalog knows. INCLUDE columns differ
  // freely.
  return index.deduplicate && index.descriptor->count() == static_cast<int>(index.keys.size());
}

namespace {

// Same bytes in the key part: equal for every purpose.
bool same_key(const std::byte* a, const std::byte* b) {
  std::size_t size = key_size(a);
  if (size != key_size(b)) return false;
  constexpr std::uint16_t kShape = kHasNulls | kHasVarwidth;
  if ((entry_header(a).info & kShape) != (entry_header(b).info & kShape)) return false;
  return std::memcmp(a + sizeof(EntryHeader), b + sizeof(EntryHeader), size - sizeof(EntryHeader)) == 0;
}

// A run of equal keys on a page.
struct Run { std::uint16_t first, last; std::size_t rows; };

std::size_t posting_size(const std::byte* base, std::size_t rows) { return align8(key_size(base) + rows * 6); }

}  // namespace

void deduplicate_page(const BTreeIndex& index, buffer::PinnedBuffer& pin, std::size_t needed) {
  PageView page = pin.page();
  if (has_flag(page, kHasDead)) remove_dead(index, pin);
  std::vector<Run> runs;
  std::size_t saved = 0;
  std::uint16_t count = page.line_count();
  for (std::uint16_t i = first_line(page); i < count;) {
    const std::byte* base = entry_at(page, i);
    Run run{i, i, static_cast<std::size_t>(row_count(base))};
    std::size_t before = align8(entry_size(base)) + sizeof(LinePointer);
    for (std::uint16_t j = static_cast<std::uint16_t>(i + 1); j <= count; ++j) {
      const std::byte* e = entry_at(page, j);
      auto rows = static_cast<std::size_t>(row_count(e));
      if (!same_key(base, e) || posting_size(base, run.rows + rows) > kMaxPostingSize) break;
      run.rows += rows;
      run.last = j;
      before += align8(entry_size(e)) + sizeof(LinePointer);
    }
    std::size_t after = posting_size(base, run.rows) + sizeof(LinePointer);
    if (run.last > run.first && after < before) {
      runs.push_back(run);
      saved += before - after;
    }
    i = static_cast<std::uint16_t>(run.last + 1);
    // Enough for a while: leave the rest for the next time the page is full.
    if (saved >= needed && saved >= kPageSize / 4) break;
  }
  if (room(page) + saved < needed || runs.empty()) return;

  // Built aside: the page is written anew, lines that do not change as they are.
  alignas(8) std::byte buffer[kEntryBuffer];
  std::vector<TupleId> rows;
  std::vector<std::uint16_t> gone;
  IndexChange change(index, BTreeOperation::deduplicate);
  wal::PageEdit& edit = change.page(pin);
  LinePointer none;
  for (const Run& run : runs) {
    for (std::uint16_t i = static_cast<std::uint16_t>(run.first + 1); i <= run.last; ++i) gone.push_back(i);
    edit.write_value(line_position(run.first), none);
  }
  delete_edits(page, edit, gone);
  std::uint16_t removed = 0;
  for (const Run& run : runs) {
    rows.clear();
    for (std::uint16_t i = run.first; i <= run.last; ++i) {
      const std::byte* e = entry_at(page, i);
      for (int k = 0; k < row_count(e); ++k) rows.push_back(entry_tid(e, k));
    }
    std::size_t size = make_posting(entry_at(page, run.first), rows, buffer);
    edit.add_item(OffsetNumber{static_cast<std::uint16_t>(run.first - removed)}, {buffer, size});
    removed = static_cast<std::uint16_t>(removed + (run.last - run.first));
  }
  change.apply();
}

Placement find_placement(const BTreeIndex& index, const SearchKey& key, std::span<const std::byte> entry, TupleId row,
                         buffer::PinnedBuffer& pin) {
  PageView page = pin.page();
  Placement place{search_leaf(key, page), entry, 0, {}};
  if (place.line > page.line_count()) return place;
  const std::byte* e = entry_at(page, place.line);
  // A list whose rows surround the new one compares as equal.
  if (!is_posting(e) || compare_key(key, e) != 0) return place;
  if (is_dead(page, place.line)) {
    // All its rows are dead: it may go whole, and the entry stands alone.
    remove_dead(index, pin);
    return find_placement(index, key, entry, row, pin);
  }
  alignas(8) static std::byte changed_list[kEntryBuffer], split_off[kEntryBuffer];
  std::vector<TupleId> rows;
  rows.reserve(static_cast<std::size_t>(posting_count(e)) + 1);
  for (int i = 0; i < posting_count(e); ++i) rows.push_back(posting_tid(e, i));
  auto at = std::lower_bound(rows.begin(), rows.end(), row);
  if (at != rows.end() && *at == row) {
    throw SqlError(sqlstate::index_corrupted, "table tid from new index tuple ({},{}) cannot find insert offset in index \"{}\"",
                   row.block.value(), row.offset.value(), index.name);
  }
  rows.insert(at, row);
  TupleId last = rows.back();
  rows.pop_back();
  std::size_t size = make_posting(e, rows, changed_list);
  HATHI_ASSERT(size == entry_size(e));
  // The keys are equal byte for byte, or the list would not be shared; the new entry takes the list's key.
  std::size_t alone = key_size(e);
  std::memcpy(split_off, e, alone);
  EntryHeader& h = entry_header(split_off);
  h.info = static_cast<std::uint16_t>((h.info & (kHasNulls | kHasVarwidth)) | alone);
  h.set_block(last.block.value());
  h.offset = last.offset.value();
  place.replaced_line = place.line;
  place.replacement = {changed_list, size};
  place.line = static_cast<std::uint16_t>(place.line + 1);
  place.entry = {split_off, alone};
  return place;
}

}  // namespace hathi::btree
