#pragma once
// Pages that may be damaged. Private to btree/.

#include "search.h"

namespace hathi::btree {

// The structure of pages as they come from disk: lines within the page, entries within their lines, pivots where they belong.
bool check_structure(const BlockTag& tag, const std::byte* page);
// Makes the buffer pool call it. Called once by register_toast_index().
void register_page_check();
// A (locked) page that a sibling link of level `level` led to must be on that level. steps counts the links followed: more than the index has
// pages means that they run in a circle. XX002.
void check_sibling(const BTreeIndex& index, const buffer::PinnedBuffer& pin, std::uint32_t level, std::uint32_t& steps);

}  // namespace hathi::btree
