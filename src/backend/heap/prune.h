#pragma once
// Pruning: dead versions leave their page, HOT chains are shortened to a redirect. Private to heap/.

#include "visibility.h"

namespace hathi::heap {

struct PruneResult {
  int removed = 0;           // row versions taken away
  int new_dead_lines = 0;    // line pointers left for index vacuum
};
// Prunes a page on which the caller has a cleanup lock (exclusive, nobody else has a pin). horizon: see vacuum_state().
PruneResult prune_page(const HeapTable& table, buffer::PinnedBuffer& pin, Xid horizon);

// For each line that is the root of a chain or alone: itself; for heap-only members their chain's root. [offset], kInvalidOffset
// for lines that belong to no chain. Content lock held, shared at least.
void find_roots(PageView page, OffsetNumber* roots);

}  // namespace hathi::heap
