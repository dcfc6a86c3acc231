#pragma once
// What vacuum must know of a table besides its HeapTable to lock it strongly, when it cuts empty pages off.

#include <vector>

#include "hathi/locking/lock_table.h"

namespace hathi::heap {

// The tags that an AccessExclusive lock on the table consists of besides its own (catalog::subtree_tags). The table is locked in a mode that
// keeps it where it is in its tree of partitions. Registered once, before the first fork.
using ExtraLockTagsHook = std::vector<locking::LockTag> (*)(Oid table);
void set_extra_lock_tags(ExtraLockTagsHook hook);

}  // namespace hathi::heap
