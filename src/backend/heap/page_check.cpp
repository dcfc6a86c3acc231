// Is a page that comes from disk a heap page as this server writes them? Whatever this lets pass the rest of heap/ may follow without looking.

#include "page_check.h"

#include "hathi/buffer/page_check.h"
#include "hathi/storage/file.h"

namespace hathi::heap {

namespace {

bool header_is_sound(const HeapTupleHeader* h, std::size_t length) {
  std::size_t bitmap = has_flag(h, infomask::has_null) ? (static_cast<std::size_t>(h->attribute_count()) + 7) / 8 : 0;
  return h->hoff % 8 == 0 && h->hoff >= align8(kHeapTupleHeaderSize + bitmap) && h->hoff <= length;
}

bool line_is_sound(const BlockTag& tag, PageView page, std::uint16_t count, LinePointer lp) {
  switch (lp.state()) {
    case LinePointer::State::unused: return true;
    case LinePointer::State::dead: return lp.length() == 0;
    case LinePointer::State::redirect: return lp.offset() >= 1 && lp.offset() <= count && lp.length() == 0;
    case LinePointer::State::normal: break;
  }
  const PageHeader& header = page.header();
  if (lp.offset() % 8 != 0 || lp.offset() < header.upper || lp.length() < kTupleHeaderPadded || lp.offset() + align8(lp.length()) > header.special)
    return false;
  const auto* h = reinterpret_cast<const HeapTupleHeader*>(page.bytes() + lp.offset());
  if (!header_is_sound(h, lp.length())) return false;
  // A HOT chain stays on its page. Its end may have been cut off with the last lines, so the offset is looked at by those who follow it.
  return !has_flag2(h, infomask::hot_updated) || (h->ctid().block == tag.block && h->ctid().offset.value() >= 1);
}

}  // namespace

bool check_page(const BlockTag& tag, const std::byte* bytes) {
  PageView page(const_cast<std::byte*>(bytes));
  const PageHeader& header = page.header();
  if ((header.lower - kPageHeaderSize) % sizeof(LinePointer) != 0) return false;
  std::uint16_t count = page.line_count();
  if (count > kMaxRowsPerPage) return false;
  std::size_t used = 0;
  for (std::uint16_t i = 1; i <= count; ++i) {
    LinePointer lp = page.line(OffsetNumber{i});
    if (!line_is_sound(tag, page, count, lp)) return false;
    if (lp.state() == LinePointer::State::normal) used += align8(lp.length());
  }
  // Row versions that lie over each other would not fit when the page is packed.
  return used <= static_cast<std::size_t>(header.special - header.upper);
}

void throw_no_heap_page(const buffer::PinnedBuffer& pin) {
  throw SqlError(sqlstate::data_corrupted, "invalid page in block {} of relation {}", pin.block().value(),
                 storage::relation_path(pin.tag().file, pin.tag().fork));
}

void register_page_check() {
  buffer::register_page_check(0, check_page);
  buffer::register_page_check(kSequenceSpecial, check_page);
}

}  // namespace hathi::heap
