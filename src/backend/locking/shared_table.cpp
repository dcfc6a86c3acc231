#include "shared_table.h"

#include <bit>
#include <cstring>

#include "hathi/error/sql_error.h"
#include "hathi/shmem/segment.h"

namespace hathi::locking {

namespace {

const shmem::WaitEvent kPartitionWait{"LWLock", "LockManager"};
constexpr std::uint32_t kFirstBuckets = 32;
constexpr std::size_t kChunk = 4096;

Partition* partitions = nullptr;
WaitState* wait_states = nullptr;
Lock** first_buckets = nullptr;

[[noreturn]] void throw_out_of_memory() {
  throw SqlError(sqlstate::out_of_memory, "out of shared memory").hint("You might need to increase max_locks_per_transaction.");
}

// A node off the free list, which is refilled a chunk at a time from the growing region.
template <class T>
T* take_node(T*& free_list) {
  if (free_list == nullptr) {
    auto* chunk = static_cast<T*>(shmem::growing_region().allocate(kChunk, 64));
    if (chunk == nullptr) throw_out_of_memory();
    for (std::size_t i = kChunk / sizeof(T); i-- > 0;) {
      chunk[i].next = free_list;
      free_list = chunk + i;
    }
  }
  T* node = free_list;
  free_list = node->next;
  return node;
}

std::uint32_t bucket_of(const Partition& p, std::uint32_t hash) { return (hash >> kPartitionBits) & (p.bucket_count - 1); }

void grow(Partition& p) {
  std::uint32_t count = p.bucket_count * 2;
  auto** wider = static_cast<Lock**>(shmem::growing_region().allocate(count * sizeof(Lock*), 64));
  if (wider == nullptr) return;  // longer chains, nothing worse
  Lock** old = p.buckets;
  std::uint32_t old_count = p.bucket_count;
  p.buckets = wider;
  p.bucket_count = count;
  for (std::uint32_t i = 0; i < old_count; ++i) {
    for (Lock* lock = old[i]; lock != nullptr;) {
      Lock* next = lock->next;
      Lock*& bucket = wider[bucket_of(p, lock->hash)];
      lock->next = bucket;
      bucket = lock;
      lock = next;
    }
  }
}

}  // namespace

std::uint32_t hash_tag(const LockTag& tag) {
  std::uint64_t a, b;
  std::uint32_t c;
  std::memcpy(&a, &tag, 8);
  std::memcpy(&b, reinterpret_cast<const char*>(&tag) + 8, 8);
  std::memcpy(&c, reinterpret_cast<const char*>(&tag) + 16, 4);
  std::uint64_t h = (a ^ 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
  h = (h ^ (h >> 32) ^ b) * 0x94D049BB133111EBu;
  h = (h ^ (h >> 29) ^ c) * 0xD6E8FEB86659FD93u;
  return static_cast<std::uint32_t>(h >> 32);
}

Partition& partition_of(std::uint32_t hash) { return partitions[hash & (kPartitions - 1)]; }
Partition& partition(int number) { return partitions[number]; }
WaitState& wait_state(int slot) { return wait_states[slot]; }

std::size_t shared_table_size() {
  return 128 + kPartitions * (sizeof(Partition) + kFirstBuckets * sizeof(Lock*)) +
         static_cast<std::size_t>(shmem::planned_slot_count()) * sizeof(WaitState);
}

void shared_table_init(void* memory) {
  static_assert(shmem::Shareable<Partition> && shmem::Shareable<Lock> && shmem::Shareable<Holding> && shmem::Shareable<WaitState>);
  auto address = (reinterpret_cast<std::uintptr_t>(memory) + 127) / 128 * 128;
  partitions = reinterpret_cast<Partition*>(address);
  wait_states = reinterpret_cast<WaitState*>(partitions + kPartitions);
  int slots = shmem::planned_slot_count();
  first_buckets = reinterpret_cast<Lock**>(wait_states + slots);
  for (int i = 0; i < kPartitions; ++i) {
    auto* p = new (partitions + i) Partition{};
    p->lock.init(LockRank::lock_partition, &kPartitionWait);
    p->buckets = first_buckets + static_cast<std::size_t>(i) * kFirstBuckets;
    p->bucket_count = kFirstBuckets;
    std::memset(p->buckets, 0, kFirstBuckets * sizeof(Lock*));
  }
  for (int i = 0; i < slots; ++i) {
    auto* w = new (wait_states + i) WaitState{};
    w->next = w->previous = -1;
  }
}

Lock* find_lock(Partition& p, const LockTag& tag, std::uint32_t hash) {
  for (Lock* lock = p.buckets[bucket_of(p, hash)]; lock != nullptr; lock = lock->next) {
    if (lock->hash == hash && lock->tag == tag) return lock;
  }
  return nullptr;
}

Lock& find_or_add_lock(Partition& p, const LockTag& tag, std::uint32_t hash) {
  if (Lock* lock = find_lock(p, tag, hash)) return *lock;
  if (p.count >= p.bucket_count) grow(p);
  Lock* lock = take_node(p.free_locks);
  *lock = Lock{};
  lock->tag = tag;
  lock->hash = hash;
  lock->queue_head = lock->queue_tail = -1;
  Lock*& bucket = p.buckets[bucket_of(p, hash)];
  lock->next = bucket;
  bucket = lock;
  ++p.count;
  return *lock;
}

Holding* find_holding(const Lock& lock, int slot) {
  for (Holding* h = lock.holders; h != nullptr; h = h->next) {
    if (h->slot == slot) return h;
  }
  return nullptr;
}

Holding& add_holding(Partition& p, Lock& lock, int slot) {
  Holding* h = take_node(p.free_holdings);
  *h = {&lock, lock.holders, nullptr, slot, 0};
  if (lock.holders != nullptr) lock.holders->previous = h;
  lock.holders = h;
  return *h;
}

namespace {
void remove_holding(Partition& p, Holding& h) {
  if (h.previous != nullptr)
    h.previous->next = h.next;
  else
    h.lock->holders = h.next;
  if (h.next != nullptr) h.next->previous = h.previous;
  h.next = p.free_holdings;
  p.free_holdings = &h;
}
}  // namespace

void remove_if_unused(Partition& p, Lock& lock) {
  if (lock.granted_total > 0 || lock.waiting_total > 0 || lock.holders != nullptr) return;
  HATHI_ASSERT(lock.queue_head < 0);
  Lock** link = &p.buckets[bucket_of(p, lock.hash)];
  while (*link != &lock) link = &(*link)->next;
  *link = lock.next;
  lock.next = p.free_locks;
  p.free_locks = &lock;
  --p.count;
}

bool blocked_by_others(const Lock& lock, LockMode mode, ModeMask own, ModeMask ignored) {
  ModeMask blocking = conflict_mask(lock.tag.kind, mode) & lock.granted_mask & static_cast<ModeMask>(~ignored);
  while (blocking != 0) {
    int m = std::countr_zero(blocking);
    if (lock.granted[m] > ((own >> m) & 1)) return true;
    blocking &= static_cast<ModeMask>(blocking - 1);
  }
  return false;
}

void grant(Lock& lock, Holding& holding, LockMode mode) {
  HATHI_ASSERT((holding.modes & mask_of(mode)) == 0);
  ++lock.granted[static_cast<int>(mode)];
  ++lock.granted_total;
  lock.granted_mask |= mask_of(mode);
  holding.modes |= mask_of(mode);
}

void remove_if_empty(Partition& p, Holding& holding) {
  if (holding.modes == 0) remove_holding(p, holding);
}

void ungrant(Partition& p, Lock& lock, Holding& holding, LockMode mode) {
  HATHI_ASSERT((holding.modes & mask_of(mode)) != 0);
  --lock.granted_total;
  if (--lock.granted[static_cast<int>(mode)] == 0) lock.granted_mask &= static_cast<ModeMask>(~mask_of(mode));
  holding.modes &= static_cast<ModeMask>(~mask_of(mode));
  remove_if_empty(p, holding);
  if ((conflict_mask(lock.tag.kind, mode) & lock.wait_mask) != 0) wake_waiters(lock);
  remove_if_unused(p, lock);
}

void enqueue(Lock& lock, Holding& holding, LockMode mode, ModeMask ignored, int before) {
  int slot = holding.slot;
  WaitState& w = wait_states[slot];
  w.lock = &lock;
  w.holding = &holding;
  w.mode = mode;
  w.ignored = ignored;
  w.status.store(kWaiting, std::memory_order_relaxed);
  w.next = before;
  w.previous = before < 0 ? lock.queue_tail : wait_states[before].previous;
  if (w.previous < 0)
    lock.queue_head = slot;
  else
    wait_states[w.previous].next = slot;
  if (before < 0)
    lock.queue_tail = slot;
  else
    wait_states[before].previous = slot;
  ++lock.waiting[static_cast<int>(mode)];
  ++lock.waiting_total;
  lock.wait_mask |= mask_of(mode);
}

void dequeue(Lock& lock, int slot, WaitStatus status) {
  WaitState& w = wait_states[slot];
  HATHI_ASSERT(w.lock == &lock);
  if (w.previous < 0)
    lock.queue_head = w.next;
  else
    wait_states[w.previous].next = w.next;
  if (w.next < 0)
    lock.queue_tail = w.previous;
  else
    wait_states[w.next].previous = w.previous;
  w.next = w.previous = -1;
  w.lock = nullptr;
  --lock.waiting_total;
  if (--lock.waiting[static_cast<int>(w.mode)] == 0) lock.wait_mask &= static_cast<ModeMask>(~mask_of(w.mode));
  w.status.store(status, std::memory_order_release);
}

void wake_waiters(Lock& lock) {
  ModeMask ahead = 0;
  for (int at = lock.queue_head; at >= 0;) {
    WaitState& w = wait_states[at];
    int next = w.next;
    LockMode mode = w.mode;
    if ((conflict_mask(lock.tag.kind, mode) & ahead) == 0 && !blocked_by_others(lock, mode, w.holding->modes, w.ignored)) {
      grant(lock, *w.holding, mode);
      dequeue(lock, at, kGranted);
      shmem::slot(at).latch.set();
    } else {
      ahead |= mask_of(mode);
    }
    at = next;
  }
}

}  // namespace hathi::locking
