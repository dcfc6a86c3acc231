#pragma once
// The door to relations' heavyweight locks, for everybody who does not just open a relation (relation.h): owners of the caller's choice,
// attempts that do not wait, whole subtrees of partitions. DDL must come through here or through open_relation(), never through
// locking::acquire() with a relation's tag: a strong lock on a partition (or its index) consists of several tags.
//
// What callers must keep to, so that no conflict is missed (locking/README.md has the proof):
// - ATTACH PARTITION locks the new partition and everything below it AccessExclusive, as PostgreSQL does; DETACH its parent and the
//   partition AccessExclusive.
// - Attaching, detaching and marking a partition as pending note a change of the partition's own descriptor (pg_class, its oid).
// - Before a partition or its index is strongly locked, nothing need be done: the ancestors are read under the partition's own lock.

#include <vector>

#include "hathi/locking/lock_table.h"

namespace hathi::catalog {

struct Relation;

// Locks the relation for the owner, with the tags its ancestors need or, when this session holds a subtree that contains it, there.
// dont_wait: not_available and nothing is held.
locking::LockResult acquire_relation_lock(locking::ResourceOwner& owner, Oid relation, locking::LockMode mode, bool dont_wait = false);
// Gives back what one acquire_relation_lock with the same mode took, before the transaction ends. Strong modes, session locks and modes that
// were not covered by a subtree; a covered one stays until the transaction's end.
void release_relation_lock(locking::ResourceOwner& owner, Oid relation, locking::LockMode mode);

// One weak lock that covers the partitions of the table at all levels and their indexes. The session holds the table's own lock in that mode
// or a stronger one. Partitions that are being detached are not covered: lock_relation() locks each on its own tag.
// Afterwards lock_relation() and open_relation() of what is below cost no further lock.
void lock_subtree(Oid table, locking::LockMode mode);
// The same if it is free at once. When it is not, some partition is strongly locked or about to be: lock those that are needed one by one,
// so that only their users wait.
bool try_lock_subtree(Oid table, locking::LockMode mode);
// Does a subtree lock of this session cover the relation in this mode or a stronger one? O(depth); free when it holds none.
bool is_covered_by_subtree(Oid relation, locking::LockMode mode);

// Is it a partition between the two phases of DETACH PARTITION CONCURRENTLY?
bool is_detach_pending(const Relation& partition);

// The subtree tags that a strong lock on the relation includes: those of its ancestors, an index's table's ancestors. Empty for others.
std::vector<locking::LockTag> subtree_tags(Oid relation);
// The relation's own tag.
locking::LockTag relation_tag(Oid relation);
// Waits for the transactions that hold a conflicting lock on the relation, or one of a subtree that contains it.
void wait_for_relation_lockers(Oid relation, locking::LockMode mode);
// Locks the partition on its own tag only: for the end of DETACH PARTITION CONCURRENTLY, which has waited for all who held the parent in
// any mode (wait_for_relation_lockers(parent, AccessExclusive)), so that nobody's subtree lock covers the partition any more.
void lock_detached_partition(Oid partition, locking::LockMode mode);

}  // namespace hathi::catalog
