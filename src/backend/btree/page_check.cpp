// Is a page that comes from disk a B-tree page as this server writes them?

#include "page_check.h"

#include "hathi/buffer/page_check.h"

namespace hathi::btree {

namespace {

bool entry_is_sound(const std::byte* e, std::size_t length) {
  std::size_t size = entry_size(e);
  bool has_nulls = (entry_header(e).info & kHasNulls) != 0;
  if (size > length || size < (has_nulls ? 16u : 8u)) return false;
  std::size_t data = has_nulls ? 16 : 8;
  if (is_posting(e)) {
    int n = posting_count(e);
    return n > 0 && entry_header(e).block() >= data && entry_header(e).block() + static_cast<std::size_t>(n) * 6 <= size;
  }
  if (!is_pivot(e)) return true;
  return (entry_header(e).offset & kCountMask) <= kMaxColumns && ((entry_header(e).offset & kPivotHasRow) == 0 || size >= data + 8);
}

bool lines_are_sound(PageView page) {
  const PageHeader& header = page.header();
  std::size_t used = 0;
  std::uint16_t count = page.line_count();
  for (std::uint16_t i = 1; i <= count; ++i) {
    LinePointer lp = page.line(OffsetNumber{i});
    if (lp.state() != LinePointer::State::normal && lp.state() != LinePointer::State::dead) return false;
    if (lp.offset() % 8 != 0 || lp.offset() < header.upper || lp.length() < sizeof(EntryHeader) || lp.offset() + align8(lp.length()) > header.special)
      return false;
    if (!entry_is_sound(page.bytes() + lp.offset(), lp.length())) return false;
    used += align8(lp.length());
  }
  return used <= static_cast<std::size_t>(header.special - header.upper);
}

// The high key, and on inner pages every line, is a pivot; lines of a leaf are not.
bool kinds_are_sound(PageView page) {
  std::uint16_t first = first_line(page), count = page.line_count();
  bool leaf = is_leaf(page);
  if (first == 2 && (count < 1 || !is_pivot(high_key(page)))) return false;
  if (!leaf && count < first) return false;
  for (std::uint16_t i = first; i <= count; ++i)
    if (is_pivot(entry_at(page, i)) == leaf) return false;
  return true;
}

}  // namespace

bool check_structure(const BlockTag& tag, const std::byte* bytes) {
  PageView page(const_cast<std::byte*>(bytes));
  const Special& s = special(page);
  bool is_meta = (s.flags & kMeta) != 0;
  if (is_meta != (tag.block == kMetaBlock)) return false;
  if (is_meta || (s.flags & kDeleted) != 0) return true;   // read by their special space and the metapage's fields only
  if ((page.header().lower - kPageHeaderSize) % sizeof(LinePointer) != 0) return false;
  if (s.level >= static_cast<std::uint32_t>(kMaxLevels) || is_leaf(page) != (s.level == 0)) return false;
  if (s.next == tag.block.value() || s.previous == tag.block.value()) return false;
  return lines_are_sound(page) && kinds_are_sound(page);
}

void register_page_check() { buffer::register_page_check(kSpecialSize, check_structure); }

}  // namespace hathi::btree
