#pragma once
// Light-weight locks: shared/exclusive, futex-based, for short protection of shared structures. Not re-entrant, no deadlock
// detection: ranks give the order (a process takes locks in rising rank only; asserted in debug builds). Interrupts are held
// while one is held. All are released when an error unwinds (the guards do it).

#include <atomic>
#include <cstdint>

#include "hathi/shmem/process_slot.h"

#if defined(__clang__)
#define HATHI_CAPABILITY(x) __attribute__((capability(x)))
#define HATHI_SCOPED_CAPABILITY __attribute__((scoped_lockable))
#define HATHI_GUARDED_BY(x) __attribute__((guarded_by(x)))
#define HATHI_REQUIRES(...) __attribute__((requires_capability(__VA_ARGS__)))
#define HATHI_REQUIRES_SHARED(...) __attribute__((requires_shared_capability(__VA_ARGS__)))
#define HATHI_ACQUIRE(...) __attribute__((acquire_capability(__VA_ARGS__)))
#define HATHI_ACQUIRE_SHARED(...) __attribute__((acquire_shared_capability(__VA_ARGS__)))
#define HATHI_RELEASE(...) __attribute__((release_generic_capability(__VA_ARGS__)))
#else
#define HATHI_CAPABILITY(x)
#define HATHI_SCOPED_CAPABILITY
#define HATHI_GUARDED_BY(x)
#define HATHI_REQUIRES(...)
#define HATHI_REQUIRES_SHARED(...)
#define HATHI_ACQUIRE(...)
#define HATHI_ACQUIRE_SHARED(...)
#define HATHI_RELEASE(...)
#endif

namespace hathi::locking {

// Ranks, taken in rising order. Locks of equal rank may be held together only where the owner says so (buffer contents).
enum class LockRank : std::uint8_t {
  none = 0, relation_extension = 10, buffer_content = 20, checkpoint = 25, control_file = 30, lock_partition = 40, descriptor_cache = 45,
  commit_log = 50, process_array = 60, xid_generation = 65, buffer_mapping = 70, buffer_io = 75, wal_write = 80, wal_insert = 85,
  free_list = 90, leaf = 100
};

enum class LwMode : std::uint8_t { shared, exclusive };

// Locking: state_ is atomic; the wait queue (slot numbers) is protected by a bit in state_.
class HATHI_CAPABILITY("lwlock") LwLock {
 public:
  // wait: shown in pg_stat_activity while queued; must be static.
  void init(LockRank rank, const shmem::WaitEvent* wait);
  void lock(LwMode mode);
  // False at once when it can't be had.
  bool try_lock(LwMode mode);
  void unlock();
  // Waits until the lock is free or was taken; true when taken (for group flushing: one does the work, others look again).
  bool lock_or_wait();
  // Does this process hold it (in that mode)? For assertions.
  bool held_by_me() const;
  bool held_exclusive_by_me() const;
  void assert_held() const;

 private:
  friend struct LwLockAccess;
  // bit 31 exclusive, bit 30 has waiters, bit 29 queue locked, bit 28 a woken waiter has yet to run, low bits = number of sharers
  std::atomic<std::uint32_t> state_;
  std::int32_t queue_head_, queue_tail_;
  LockRank rank_;
  const shmem::WaitEvent* wait_;
};

class HATHI_SCOPED_CAPABILITY LwLockGuard {
 public:
  LwLockGuard(LwLock& lock, LwMode mode) : lock_(&lock) { lock.lock(mode); }
  ~LwLockGuard() { release(); }
  void release() { if (lock_ != nullptr) { lock_->unlock(); lock_ = nullptr; } }
  LwLockGuard(const LwLockGuard&) = delete;
  LwLockGuard& operator=(const LwLockGuard&) = delete;
 private:
  LwLock* lock_;
};

// A few instructions' protection. Standard layout, zero = free. Panics after a minute of spinning.
class SpinLock {
 public:
  void lock();
  void unlock() { word_.store(0, std::memory_order_release); }
 private:
  std::atomic<std::uint32_t> word_{0};
};
class SpinGuard {
 public:
  explicit SpinGuard(SpinLock& lock) : lock_(lock) { lock.lock(); }
  ~SpinGuard() { lock_.unlock(); }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;
 private:
  SpinLock& lock_;
};

// For the error path's backstop: releases whatever this process still holds and says how many there were.
int release_all_lwlocks();

}  // namespace hathi::locking
