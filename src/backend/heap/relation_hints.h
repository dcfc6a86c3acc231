#pragma once
// What this process remembers of relations it worked on lately, to spare look-ups: only hints, checked at use. Private to heap/.

#include "hathi/buffer/buffer_pool.h"

namespace hathi::heap {

struct RelationHints {
  RelationFile file;
  BlockNumber target = kInvalidBlock;              // where the last row found room
  buffer::BufferIndex target_buffer = buffer::kNoBuffer;
  BlockNumber batch_end{0};                        // blocks (target, batch_end) were added by this process and are likely empty
  std::uint32_t search_from = 0;                   // where the next free-space search begins
  Xid checked_by{0};                               // the transaction that saw that `target` exists
  std::uint32_t fork_blocks[kForkCount] = {};      // blocks that the map forks had at least
};

// The relation's entry; another relation's may be displaced.
RelationHints& relation_hints(const RelationFile& file);
// Does the fork reach beyond `block`? A "yes" is remembered.
bool fork_has_block(const RelationFile& file, Fork fork, BlockNumber block);
// Makes it so: creates the fork, adds blocks (zeroed).
void extend_fork_to(const RelationFile& file, Fork fork, BlockNumber block);

}  // namespace hathi::heap
