#pragma once
// The free-space map: how much room each block of a relation has, roughly. A hint in a fork of its own, never logged: whoever
// uses an answer looks at the page itself and corrects the map. Also keeps the free pages of indexes (as "wholly free").

#include <cstddef>
#include <cstdint>

#include "hathi/base/ids.h"

namespace hathi::heap {

// Notes that the block has about that many free bytes (kPageSize = wholly free).
void record_free_space(const RelationFile& file, BlockNumber block, std::size_t bytes);
// Notes [first, last) at once.
void record_free_space(const RelationFile& file, BlockNumber first, BlockNumber last, std::size_t bytes);
// A block with at least that much room, or kInvalidBlock; the search begins at `near` and wraps round. limit: blocks from there
// on do not exist (their entries are cleared when met).
BlockNumber find_free_space(const RelationFile& file, std::size_t bytes, BlockNumber near, BlockNumber limit);
// What the map says about a block (0 when it says nothing).
std::size_t recorded_free_space(const RelationFile& file, BlockNumber block);
// Forgets blocks from `blocks` on (the relation was truncated).
void truncate_free_space(const RelationFile& file, BlockNumber blocks);

}  // namespace hathi::heap
