#pragma once
// How a statement locks the partitions it is about to read or write: step 3 of a statement on a partitioned table, before its snapshot.

#include <span>

#include "hathi/catalog/relation.h"

namespace hathi::partition {

struct LockedPartitions {
  // One lock on the subtree covers them (and whatever else is below the table, except partitions that are being detached).
  bool by_subtree = false;
};

// Locks the partitions of `table` (leaves and levels between, as the statement needs them) for the transaction. The table's own lock is
// held in that mode or a stronger one. From `subtree_lock_threshold` of them on, or when more may be wanted during the run (may_grow: pruning
// depends on values that only execution brings, and `partitions` are all that may be meant), one subtree lock is taken; if somebody holds or
// wants a strong lock on some partition, they are locked one by one after all, so that a statement waits only for what it needs.
// detach_pending: those of them whose Member says so; they are never covered.
// mode: AccessShare, RowShare or RowExclusive. O(1) or O(partitions). Errors: those of waiting for a lock.
LockedPartitions lock_partitions(const catalog::Relation& table, std::span<const Oid> partitions, std::span<const Oid> detach_pending,
                                 locking::LockMode mode, bool may_grow = false);

}  // namespace hathi::partition
