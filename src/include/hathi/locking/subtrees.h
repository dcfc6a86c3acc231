#pragma once
// Heavyweight locks where one relation's lock consists of several tags (subtree_rules.h says which).

#include <span>

#include "hathi/locking/lock_table.h"

namespace hathi::locking {

// As acquire() for a session that holds the relation in the mode `as_if_held` in effect, by the tag of a subtree: it stands in the queue as a
// holder of that mode does, and does not wait for holders of modes that conflict with it, who have yet to get the subtree's tag.
LockResult acquire_as_if_held(ResourceOwner& owner, const LockTag& tag, LockMode mode, bool dont_wait, LockMode as_if_held);

// How many weak locks on subtree tags this session holds, so that asking costs those nothing who hold none.
extern int weak_subtree_count;
inline int weak_subtrees_held() { return weak_subtree_count; }

// As wait_for_lockers and has_waiters, over all the tags. Whoever comes after the look at the tags is not waited for.
void wait_for_lockers(std::span<const LockTag> tags, LockMode mode);
bool has_waiters(std::span<const LockTag> tags, LockMode mode);

}  // namespace hathi::locking
