#pragma once
// Splitting pages and telling their parents. Private to btree/.

#include "search.h"

namespace hathi::btree {

// An entry to be inserted in a page at a line.
struct NewEntry {
  std::span<const std::byte> bytes;
  std::uint16_t line;
  // Replaces the entry at this line as well (posting lists cut in two); 0 = none.
  std::uint16_t replaced_line = 0;
  std::span<const std::byte> replacement;
};

// Splits the page (exclusively locked) on the way of inserting `entry`, using up `spare`; then inserts the right half's pivot in the
// parent, splitting upwards as needed. child: an inner page's child whose incomplete split this insertion ends (locked), or null.
// All locks are dropped in the end.
void split_page(const BTreeIndex& index, buffer::PinnedBuffer& left, const NewEntry& entry, SparePage& spare, Path& path,
                buffer::PinnedBuffer* child);
// Ends a split that was left without its parent's entry. left: exclusively locked; unlocked and released afterwards.
void finish_split(const BTreeIndex& index, buffer::PinnedBuffer& left, Path& path);

// --- choosing where -----------------------------------------------------------------------------------------------------
struct SplitPoint {
  std::uint16_t first_right;     // the old line that becomes the right page's first (when the new entry is not)
  bool new_on_left;
  bool found = false;
};
SplitPoint choose_split(const BTreeIndex& index, PageView page, const NewEntry& entry);

}  // namespace hathi::btree
