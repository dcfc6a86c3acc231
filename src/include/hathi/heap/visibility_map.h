#pragma once
// The visibility map: two bits a heap block - all row versions visible to everybody; all of them frozen. A fork of its own,
// changes are logged together with the heap page's. A set bit may be trusted; a clear one says nothing.

#include <cstdint>

#include "hathi/base/ids.h"
#include "hathi/buffer/buffer_pool.h"

namespace hathi::heap {

inline constexpr std::uint8_t kVisible = 1, kFrozen = 2;

// The bits of a block, read without a lock: the caller's snapshot and the pin on the index page that named the row make the
// answer safe (see README). pin is kept for the next call.
std::uint8_t visibility_bits(const RelationFile& file, BlockNumber block, buffer::PinnedBuffer& pin);
// Blocks marked visible and frozen (relallvisible).
struct VisibilityCounts { std::uint32_t visible = 0, frozen = 0; };
VisibilityCounts count_visible(const RelationFile& file, BlockNumber limit);

}  // namespace hathi::heap
