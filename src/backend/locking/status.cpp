// Looking at locks from outside: pg_locks, pg_blocking_pids, waiting for those who hold a lock, virtual transactions.

#include <algorithm>
#include <bit>

#include "fast_path.h"
#include "hathi/error/report.h"
#include "hathi/locking/subtrees.h"
#include "hathi/shmem/interrupts.h"
#include "local_table.h"

namespace hathi::locking {

namespace {

bool in_use(int slot) { return shmem::slot(slot).in_use.load(std::memory_order_acquire) != 0; }

LockStatus status_of(const LockTag& tag, LockMode mode, int slot, bool granted, bool fast) {
  const shmem::ProcessSlot& s = shmem::slot(slot);
  return {
      tag, mode, granted, fast, slot, s.pid.load(std::memory_order_relaxed), virtual_number(s.virtual_xact.load(std::memory_order_relaxed)),
      0};
}

void list_private_locks(int slot, std::vector<LockStatus>& rows) {
  std::vector<std::pair<LockTag, ModeMask>> entries;
  list_fast_entries(slot, entries);
  for (const auto& [tag, modes] : entries) {
    for (ModeMask left = modes; left != 0; left &= static_cast<ModeMask>(left - 1)) {
      rows.push_back(status_of(tag, static_cast<LockMode>(std::countr_zero(left)), slot, true, true));
    }
  }
  const shmem::ProcessSlot& s = shmem::slot(slot);
  std::uint64_t word = s.virtual_xact.load(std::memory_order_relaxed);
  // With the top bit set the shared table has it.
  if (word != 0 && (word & kVirtualWaitedFor) == 0) {
    rows.push_back(status_of(LockTag::virtual_transaction_tag(slot, word), LockMode::exclusive, slot, true, true));
  }
  if (std::uint32_t relation = s.extension_relation.load(std::memory_order_relaxed); relation != 0) {
    LockTag tag{.database = s.database.load(std::memory_order_relaxed), .relation = relation, .kind = LockTagKind::extend};
    rows.push_back(status_of(tag, LockMode::exclusive, slot, true, false));
  }
}

void list_lock(const Lock& lock, std::vector<LockStatus>& rows) {
  for (const Holding* h = lock.holders; h != nullptr; h = h->next) {
    for (ModeMask left = h->modes; left != 0; left &= static_cast<ModeMask>(left - 1)) {
      rows.push_back(status_of(lock.tag, static_cast<LockMode>(std::countr_zero(left)), h->slot, true, false));
    }
  }
  for (int at = lock.queue_head; at >= 0; at = wait_state(at).next) {
    LockStatus row = status_of(lock.tag, wait_state(at).mode, at, false, false);
    row.wait_start_us = wait_state(at).since_us;
    rows.push_back(row);
  }
}

// Who keeps `slot` waiting: holders of conflicting modes, and conflicting waiters in front of it.
void list_blockers(int slot, std::vector<std::int32_t>& pids) {
  const WaitState& w = wait_state(slot);
  const Lock& lock = *w.lock;
  ModeMask conflicting = conflict_mask(lock.tag.kind, w.mode);
  for (const Holding* h = lock.holders; h != nullptr; h = h->next) {
    if (h->slot != slot && (h->modes & conflicting & ~w.ignored) != 0) pids.push_back(shmem::slot(h->slot).pid.load());
  }
  for (int at = lock.queue_head; at >= 0 && at != slot; at = wait_state(at).next) {
    if ((mask_of(wait_state(at).mode) & conflicting) != 0) pids.push_back(shmem::slot(at).pid.load());
  }
}

struct VirtualId {
  int slot;
  std::uint64_t number;
};

// The slots of others that hold a mode which conflicts. An entry that moves from a fast path to the table meanwhile is seen: the table
// comes last.
void find_conflicting(const LockTag& tag, LockMode mode, std::vector<int>& slots) {
  std::uint32_t hash = hash_tag(tag);
  ModeMask conflicting = conflict_mask(tag.kind, mode);
  int me = shmem::my_slot().number;
  if (is_fast_kind(tag)) {
    for (int slot = 0; slot < shmem::slot_count(); ++slot) {
      if (slot != me && in_use(slot) && (fast_modes(slot, tag, hash) & conflicting) != 0) slots.push_back(slot);
    }
  }
  Partition& p = partition_of(hash);
  LwLockGuard guard(p.lock, LwMode::shared);
  const Lock* lock = find_lock(p, tag, hash);
  if (lock == nullptr) return;
  for (const Holding* h = lock->holders; h != nullptr; h = h->next) {
    if (h->slot != me && (h->modes & conflicting) != 0) slots.push_back(h->slot);
  }
}

std::vector<VirtualId> conflicting_transactions(std::span<const LockTag> tags, LockMode mode) {
  std::vector<int> slots;
  for (const LockTag& tag : tags) find_conflicting(tag, mode, slots);
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  std::vector<VirtualId> result;
  for (int slot : slots) {
    std::uint64_t number = virtual_number(shmem::slot(slot).virtual_xact.load(std::memory_order_seq_cst));
    if (number != 0) result.push_back({slot, number});
  }
  return result;
}

// Makes sure that the shared table shows the lock that a running transaction has on its virtual id. False when it is over.
bool materialise(int slot, std::uint64_t number, const LockTag& tag, std::uint32_t hash) {
  Partition& p = partition_of(hash);
  LwLockGuard guard(p.lock, LwMode::exclusive);
  std::atomic<std::uint64_t>& word = shmem::slot(slot).virtual_xact;
  std::uint64_t now = word.load(std::memory_order_seq_cst);
  if (virtual_number(now) != number) return false;
  if ((now & kVirtualWaitedFor) != 0) return true;
  Lock& lock = find_or_add_lock(p, tag, hash);
  Holding& holding = add_holding(p, lock, slot);
  if (word.compare_exchange_strong(now, number | kVirtualWaitedFor, std::memory_order_seq_cst)) {
    grant(lock, holding, LockMode::exclusive);
    return true;
  }
  remove_if_empty(p, holding);
  remove_if_unused(p, lock);
  return false;
}

}  // namespace

std::vector<LockStatus> lock_status() {
  std::vector<LockStatus> rows;
  for (int slot = 0; slot < shmem::slot_count(); ++slot) {
    if (in_use(slot)) list_private_locks(slot, rows);
  }
  // One partition at a time: a lock is in one place, so no row is torn; pg_locks promises no more than that.
  for (int i = 0; i < kPartitions; ++i) {
    Partition& p = partition(i);
    LwLockGuard guard(p.lock, LwMode::shared);
    for (std::uint32_t b = 0; b < p.bucket_count; ++b) {
      for (const Lock* lock = p.buckets[b]; lock != nullptr; lock = lock->next) list_lock(*lock, rows);
    }
  }
  return rows;
}

std::vector<std::int32_t> blocking_pids(std::int32_t pid) {
  std::vector<std::int32_t> pids;
  for (int slot = 0; slot < shmem::slot_count(); ++slot) {
    if (!in_use(slot) || shmem::slot(slot).pid.load(std::memory_order_relaxed) != pid) continue;
    for (int i = 0; i < kPartitions; ++i) partition(i).lock.lock(LwMode::shared);
    if (wait_state(slot).lock != nullptr) list_blockers(slot, pids);
    for (int i = kPartitions; i-- > 0;) partition(i).lock.unlock();
  }
  return pids;
}

bool has_waiters(std::span<const LockTag> tags, LockMode mode) {
  return std::any_of(tags.begin(), tags.end(), [mode](const LockTag& tag) {
    std::uint32_t hash = hash_tag(tag);
    Partition& p = partition_of(hash);
    LwLockGuard guard(p.lock, LwMode::shared);
    const Lock* lock = find_lock(p, tag, hash);
    return lock != nullptr && (lock->wait_mask & conflict_mask(tag.kind, mode)) != 0;
  });
}

void wait_for_lockers(std::span<const LockTag> tags, LockMode mode) {
  for (const VirtualId& id : conflicting_transactions(tags, mode)) wait_for_virtual_transaction(id.slot, id.number);
}

void wait_for_lockers(const LockTag& tag, LockMode mode) { wait_for_lockers(std::span(&tag, 1), mode); }
bool has_waiters(const LockTag& tag, LockMode mode) { return has_waiters(std::span(&tag, 1), mode); }

void begin_virtual_transaction(std::uint64_t number) {
  HATHI_ASSERT(number != 0 && (number & kVirtualWaitedFor) == 0);
  shmem::my_slot().virtual_xact.store(number, std::memory_order_release);
}

void end_virtual_transaction() {
  shmem::ProcessSlot& me = shmem::my_slot();
  std::uint64_t word = me.virtual_xact.exchange(0, std::memory_order_seq_cst);
  if ((word & kVirtualWaitedFor) == 0) return;
  LockTag tag = LockTag::virtual_transaction_tag(me.number, virtual_number(word));
  std::uint32_t hash = hash_tag(tag);
  Partition& p = partition_of(hash);
  LwLockGuard guard(p.lock, LwMode::exclusive);
  Lock* lock = find_lock(p, tag, hash);
  Holding* holding = lock == nullptr ? nullptr : find_holding(*lock, me.number);
  if (holding == nullptr) panic("lock table corrupted: a virtual transaction's lock is not in it");
  ungrant(p, *lock, *holding, LockMode::exclusive);
}

bool wait_for_virtual_transaction(int slot, std::uint64_t number, bool dont_wait) {
  LockTag tag = LockTag::virtual_transaction_tag(slot, number);
  if (dont_wait) return virtual_number(shmem::slot(slot).virtual_xact.load(std::memory_order_seq_cst)) != number;
  if (!materialise(slot, number, tag, hash_tag(tag))) return true;
  ResourceOwner owner(nullptr);
  acquire(owner, tag, LockMode::share);
  owner.release_all();
  return true;
}

}  // namespace hathi::locking
