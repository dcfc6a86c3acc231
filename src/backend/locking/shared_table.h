#pragma once
// The shared side of the lock table: locks, who holds them, who waits.
//
// Theorem: two processes never hold conflicting modes of one tag. A weak relation lock may be in its holder's fast path only (see
// fast_path.h); whoever takes a conflicting mode first makes that impossible and moves those entries here.

#include "hathi/locking/lock_table.h"
#include "hathi/locking/lwlock.h"
#include "hathi/shmem/process_slot.h"

namespace hathi::locking {

inline constexpr int kModes = 9;
using ModeMask = std::uint16_t;
constexpr ModeMask mask_of(LockMode mode) { return static_cast<ModeMask>(1u << static_cast<int>(mode)); }
// The modes that conflict with `mode` on tags of this kind.
ModeMask conflict_mask(LockTagKind kind, LockMode mode);
const shmem::WaitEvent& wait_event_of(LockTagKind kind);

struct Lock;

// One process's hold on one lock: its modes. Locking: the partition's lock.
struct Holding {
  Lock* lock;
  Holding* next;
  Holding* previous;
  std::int32_t slot;
  ModeMask modes;
};

// A lock that somebody holds or waits for. Locking: the partition's lock for all of it.
struct Lock {
  LockTag tag;
  std::uint32_t hash;
  Lock* next;  // in its bucket, or in the free list
  Holding* holders;
  std::int32_t queue_head, queue_tail;  // waiting slots in order, -1 = none
  ModeMask granted_mask, wait_mask;
  std::int32_t granted[kModes], waiting[kModes];
  std::int32_t granted_total, waiting_total;
};

// What a process waits for. Locking: the partition's lock of what it waits for; `status` is atomic and read by the waiter without it.
struct alignas(64) WaitState {
  Lock* lock;        // nullptr = does not wait
  Holding* holding;  // made before it waits, so that whoever wakes it need not allocate
  LockMode mode;
  ModeMask ignored;                   // modes of others that it does not wait for: those that wait for it (as_if_held)
  std::int32_t next, previous;        // in the queue
  std::atomic<std::uint32_t> status;  // WaitStatus
  std::int64_t since_us;
};
enum WaitStatus : std::uint32_t { kGranted = 0, kWaiting = 1, kFailed = 2 };

inline constexpr int kPartitionBits = 5;
inline constexpr int kPartitions = 1 << kPartitionBits;

// Locking: everything by `lock`. The bucket array doubles when locks outnumber buckets; the old array is given up (all old ones
// together are smaller than the new one).
struct alignas(128) Partition {
  LwLock lock;
  Lock** buckets;
  std::uint32_t bucket_count;
  std::uint32_t count;
  Lock* free_locks;
  Holding* free_holdings;
};

std::uint32_t hash_tag(const LockTag& tag);
Partition& partition_of(std::uint32_t hash);
Partition& partition(int number);
WaitState& wait_state(int slot);
std::size_t shared_table_size();
void shared_table_init(void* memory);

// All of these with the partition's lock held exclusively (find_lock, blocked_by_others: shared is enough).
Lock* find_lock(Partition& p, const LockTag& tag, std::uint32_t hash);
// Throws 53200 when the reservation is exhausted.
Lock& find_or_add_lock(Partition& p, const LockTag& tag, std::uint32_t hash);
Holding* find_holding(const Lock& lock, int slot);
Holding& add_holding(Partition& p, Lock& lock, int slot);
// Do others hold modes that conflict with this one, the ignored ones aside?
bool blocked_by_others(const Lock& lock, LockMode mode, ModeMask own, ModeMask ignored);
void grant(Lock& lock, Holding& holding, LockMode mode);
// Takes the mode away again, wakes who can go on, removes what is empty.
void ungrant(Partition& p, Lock& lock, Holding& holding, LockMode mode);
void remove_if_unused(Partition& p, Lock& lock);
// Grants to waiters from the head of the queue as far as nobody overtakes a conflicting one.
void wake_waiters(Lock& lock);
// Puts the slot into the queue before `before` (-1 = at the end) / takes it out.
void enqueue(Lock& lock, Holding& holding, LockMode mode, ModeMask ignored, int before);
void remove_if_empty(Partition& p, Holding& holding);
void dequeue(Lock& lock, int slot, WaitStatus status);

// Deadlock detection (deadlock.cpp). Takes all partition locks. True when `slot` is in a deadlock that no reordering of queues resolves:
// it has then been taken out of its queue, status kFailed.
enum class DeadlockAnswer : std::uint8_t { none, granted, rearranged, deadlock };
struct DeadlockLink {
  std::int32_t pid;
  int slot;
  LockTag tag;
  LockMode mode;
};
DeadlockAnswer check_for_deadlock(int slot, std::vector<DeadlockLink>& cycle);

}  // namespace hathi::locking
