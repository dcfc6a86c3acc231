#include "hathi/partition/subtree_locks.h"

#include "hathi/catalog/relation_locks.h"
#include "hathi/config/server_settings.h"

namespace hathi::partition {

LockedPartitions lock_partitions(const catalog::Relation& table, std::span<const Oid> partitions, std::span<const Oid> detach_pending,
                                 locking::LockMode mode, bool may_grow) {
  bool many = partitions.size() >= static_cast<std::size_t>(config::values::subtree_lock_threshold);
  if ((many || may_grow) && catalog::try_lock_subtree(table.oid, mode)) {
    for (Oid partition : detach_pending) catalog::lock_relation(partition, mode);
    return {.by_subtree = true};
  }
  for (Oid partition : partitions) catalog::lock_relation(partition, mode);
  return {};
}

}  // namespace hathi::partition
