#pragma once
// The structure of heap pages as they come from disk, and reading pages that may be none. Private to heap/.

#include "heap_page.h"

namespace hathi::heap {

// Line pointers within the page, row headers within their rows, HOT chains on their page, no row over another.
bool check_page(const BlockTag& tag, const std::byte* page);
// Makes the buffer pool call it. Called once by register_detoast().
void register_page_check();

[[noreturn]] void throw_no_heap_page(const buffer::PinnedBuffer& pin);
// A sequence's page keeps a mark of its own behind its one row.
inline constexpr std::size_t kSequenceSpecial = 8;
// The pool has checked the page by the rules of its kind; here it must be a heap page. No lock needed: the field never changes.
inline void require_heap_page(const buffer::PinnedBuffer& pin) {
  std::uint16_t special = pin.page().header().special;
  if (special != kPageSize && special != 0 && special != kPageSize - kSequenceSpecial) [[unlikely]] throw_no_heap_page(pin);
}
// Pins a block of the table.
inline buffer::PinnedBuffer read_page(const HeapTable& table, BlockNumber block, buffer::Ring* ring = nullptr) {
  buffer::PinnedBuffer pin = buffer::read(main_tag(table, block), buffer::ReadMode::normal, ring);
  require_heap_page(pin);
  return pin;
}

}  // namespace hathi::heap
