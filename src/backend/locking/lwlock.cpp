#include "hathi/locking/lwlock.h"

#include <ctime>

#include "hathi/error/report.h"
#include "hathi/shmem/futex.h"
#include "hathi/shmem/interrupts.h"

namespace hathi::locking {

namespace {

constexpr std::uint32_t kExclusive = 1u << 31;
constexpr std::uint32_t kHasWaiters = 1u << 30;
constexpr std::uint32_t kQueueLocked = 1u << 29;
constexpr std::uint32_t kWakeUpPending = 1u << 28;  // somebody who will try again was woken and has not run yet
constexpr std::uint32_t kSharers = kWakeUpPending - 1;
constexpr std::uint32_t kHeld = kExclusive | kSharers;
constexpr int kSpins = 60;
constexpr int kMostHeld = 256;

// How a process waits in a queue (ProcessSlot::lwlock_mode).
enum Wait : std::uint8_t { kWaitShared, kWaitExclusive, kWaitUntilFree };

struct Held {
  LwLock* lock;
  LwMode mode;
};
Held held[kMostHeld];
int held_count = 0;

void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void short_sleep() {
  timespec pause{0, 50000};
  nanosleep(&pause, nullptr);
}

}  // namespace

// What the queue code needs of a lock's inside.
struct LwLockAccess {
  static std::atomic<std::uint32_t>& state(LwLock& lock) { return lock.state_; }
  static LockRank rank(const LwLock& lock) { return lock.rank_; }

  static bool try_take(LwLock& lock, LwMode mode) {
    std::uint32_t old = lock.state_.load(std::memory_order_relaxed);
    for (;;) {
      if (mode == LwMode::exclusive ? (old & kHeld) != 0 : (old & kExclusive) != 0) return false;
      std::uint32_t wanted = mode == LwMode::exclusive ? old | kExclusive : old + 1;
      if (lock.state_.compare_exchange_weak(old, wanted, std::memory_order_acquire, std::memory_order_relaxed)) return true;
    }
  }

  static void lock_queue(LwLock& lock) {
    for (int spins = 0;; ++spins) {
      std::uint32_t old = lock.state_.fetch_or(kQueueLocked, std::memory_order_acquire);
      if ((old & kQueueLocked) == 0) return;
      while ((lock.state_.load(std::memory_order_relaxed) & kQueueLocked) != 0) {
        pause_cpu();
        if (++spins % 1000 == 0) short_sleep();
      }
    }
  }
  static void unlock_queue(LwLock& lock) { lock.state_.fetch_and(~kQueueLocked, std::memory_order_release); }

  static void enqueue(LwLock& lock, Wait wait) {
    shmem::ProcessSlot& me = shmem::my_slot();
    lock_queue(lock);
    me.lwlock_mode = wait;
    me.lwlock_next = -1;
    me.lwlock_wait.store(1, std::memory_order_relaxed);
    if ((lock.state_.load(std::memory_order_relaxed) & kHasWaiters) == 0) lock.queue_head_ = -1;
    if (lock.queue_head_ < 0)
      lock.queue_head_ = me.number;
    else
      shmem::slot(lock.queue_tail_).lwlock_next = me.number;
    lock.queue_tail_ = me.number;
    lock.state_.fetch_or(kHasWaiters, std::memory_order_seq_cst);
    unlock_queue(lock);
  }

  static void unlink(LwLock& lock, int previous, int number) {
    int next = shmem::slot(number).lwlock_next;
    if (previous < 0)
      lock.queue_head_ = next;
    else
      shmem::slot(previous).lwlock_next = next;
    if (lock.queue_tail_ == number) lock.queue_tail_ = previous;
    if (lock.queue_head_ < 0) lock.state_.fetch_and(~kHasWaiters, std::memory_order_relaxed);
  }

  // Leaves the queue; false when somebody took this process off it already (its wake-up is on the way).
  static bool dequeue_self(LwLock& lock) {
    int me = shmem::my_slot().number;
    bool found = false;
    lock_queue(lock);
    if ((lock.state_.load(std::memory_order_relaxed) & kHasWaiters) != 0) {
      for (int previous = -1, at = lock.queue_head_; at >= 0; previous = at, at = shmem::slot(at).lwlock_next) {
        if (at != me) continue;
        unlink(lock, previous, at);
        found = true;
        break;
      }
    }
    unlock_queue(lock);
    return found;
  }

  // Sleeps until woken; the waker has taken this process off the queue.
  static void sleep(LwLock& lock) {
    shmem::WaitScope scope(*lock.wait_);
    std::atomic<std::uint32_t>& word = shmem::my_slot().lwlock_wait;
    while (word.load(std::memory_order_acquire) != 0) shmem::futex_wait(word, 1, -1);
  }

  // The lock became free: takes waiters off the queue - the first, and if that shares all sharers, and those who only wait - and wakes
  // them.
  static void wake_waiters(LwLock& lock) {
    int woken_head = -1, woken_tail = -1;
    bool woke_retrier = false;
    lock_queue(lock);
    if ((lock.state_.load(std::memory_order_relaxed) & kHasWaiters) != 0) {
      int previous = -1;
      for (int at = lock.queue_head_; at >= 0;) {
        shmem::ProcessSlot& waiter = shmem::slot(at);
        int next = waiter.lwlock_next;
        if (woke_retrier && waiter.lwlock_mode == kWaitExclusive) {
          previous = at;
          at = next;
          continue;
        }
        unlink(lock, previous, at);
        waiter.lwlock_next = -1;
        if (woken_head < 0)
          woken_head = at;
        else
          shmem::slot(woken_tail).lwlock_next = at;
        woken_tail = at;
        bool exclusive = waiter.lwlock_mode == kWaitExclusive;
        if (waiter.lwlock_mode != kWaitUntilFree) woke_retrier = true;
        if (exclusive) break;
        at = next;
      }
    }
    if (woke_retrier) lock.state_.fetch_or(kWakeUpPending, std::memory_order_relaxed);
    unlock_queue(lock);
    while (woken_head >= 0) {
      shmem::ProcessSlot& waiter = shmem::slot(woken_head);
      woken_head = waiter.lwlock_next;
      waiter.lwlock_next = -1;
      // From here on the waiter may go on; only its futex word is touched, which stays valid for ever.
      waiter.lwlock_wait.store(0, std::memory_order_release);
      shmem::futex_wake(waiter.lwlock_wait, 1);
    }
  }

  // Queued and then found the lock free after all: takes itself off, or eats the wake-up that is on its way.
  static void leave_queue(LwLock& lock) {
    if (dequeue_self(lock)) return;
    sleep(lock);
    lock.state_.fetch_and(~kWakeUpPending, std::memory_order_relaxed);
  }

  static void lock_slow(LwLock& lock, LwMode mode) {
    for (int i = 0; i < kSpins; ++i) {
      pause_cpu();
      if (try_take(lock, mode)) return;
    }
    if (!shmem::has_slot()) {  // start-up and tools: nobody to compete with for long
      while (!try_take(lock, mode)) short_sleep();
      return;
    }
    for (;;) {
      enqueue(lock, mode == LwMode::exclusive ? kWaitExclusive : kWaitShared);
      // The holder may have gone before it could see us.
      if (try_take(lock, mode)) {
        leave_queue(lock);
        return;
      }
      sleep(lock);
      lock.state_.fetch_and(~kWakeUpPending, std::memory_order_relaxed);
      if (try_take(lock, mode)) return;
    }
  }
};

namespace {

void remember(LwLock* lock, LwMode mode) {
  if (held_count == kMostHeld) panic("too many LWLocks taken");
  held[held_count++] = {lock, mode};
}

#ifdef HATHI_ASSERTIONS
// Equal ranks together: buffer contents (their README orders them), lock partitions (by number).
void check_rank(const LwLock& lock) {
  LockRank rank = LwLockAccess::rank(lock);
  bool equal_allowed = rank == LockRank::buffer_content || rank == LockRank::lock_partition || rank == LockRank::wal_insert;
  for (int i = 0; i < held_count; ++i) {
    HATHI_ASSERT(held[i].lock != &lock || rank == LockRank::buffer_content);   // see LwLock::lock
    LockRank other = LwLockAccess::rank(*held[i].lock);
    HATHI_ASSERT(other < rank || (equal_allowed && other == rank));
  }
}
#else
void check_rank(const LwLock&) {}
#endif

}  // namespace

void LwLock::init(LockRank rank, const shmem::WaitEvent* wait) {
  state_.store(0, std::memory_order_relaxed);
  queue_head_ = queue_tail_ = -1;
  rank_ = rank;
  wait_ = wait;
}

void LwLock::lock(LwMode mode) {
  check_rank(*this);
  HoldInterrupts::begin();
  if (!LwLockAccess::try_take(*this, mode)) {
    // Links between damaged pages may lead back to a page that is locked: an error, for nobody would ever wake us.
    if (rank_ == LockRank::buffer_content && held_by_me()) {
      HoldInterrupts::end();
      throw SqlError(sqlstate::data_corrupted, "a page was reached again while it was locked").hint("Links between pages are damaged.");
    }
    LwLockAccess::lock_slow(*this, mode);
  }
  remember(this, mode);
}

bool LwLock::try_lock(LwMode mode) {
  HoldInterrupts::begin();
  if (!LwLockAccess::try_take(*this, mode)) {
    HoldInterrupts::end();
    return false;
  }
  remember(this, mode);
  return true;
}

bool LwLock::lock_or_wait() {
  check_rank(*this);
  HoldInterrupts::begin();
  if (LwLockAccess::try_take(*this, LwMode::exclusive)) {
    remember(this, LwMode::exclusive);
    return true;
  }
  if (!shmem::has_slot()) {
    short_sleep();
    HoldInterrupts::end();
    return false;
  }
  LwLockAccess::enqueue(*this, kWaitUntilFree);
  if (LwLockAccess::try_take(*this, LwMode::exclusive)) {
    if (!LwLockAccess::dequeue_self(*this)) LwLockAccess::sleep(*this);
    remember(this, LwMode::exclusive);
    return true;
  }
  LwLockAccess::sleep(*this);
  HoldInterrupts::end();
  return false;
}

void LwLock::unlock() {
  int i = held_count - 1;
  while (i >= 0 && held[i].lock != this) --i;
  HATHI_ASSERT(i >= 0);
  if (i < 0) panic("an LWLock is released that is not held");
  LwMode mode = held[i].mode;
  --held_count;
  for (; i < held_count; ++i) held[i] = held[i + 1];
  std::uint32_t now = mode == LwMode::exclusive ? state_.fetch_and(~kExclusive, std::memory_order_seq_cst) & ~kExclusive
                                                : state_.fetch_sub(1, std::memory_order_seq_cst) - 1;
  if ((now & (kHasWaiters | kWakeUpPending | kHeld)) == kHasWaiters) LwLockAccess::wake_waiters(*this);
  HoldInterrupts::end();
}

bool LwLock::held_by_me() const {
  for (int i = held_count - 1; i >= 0; --i) {
    if (held[i].lock == this) return true;
  }
  return false;
}
bool LwLock::held_exclusive_by_me() const {
  for (int i = held_count - 1; i >= 0; --i) {
    if (held[i].lock == this) return held[i].mode == LwMode::exclusive;
  }
  return false;
}
void LwLock::assert_held() const { HATHI_ASSERT(held_by_me()); }

int release_all_lwlocks() {
  int count = held_count;
  while (held_count > 0) held[held_count - 1].lock->unlock();
  return count;
}

void SpinLock::lock() {
  int delays = 0;
  for (int spins = 0; word_.exchange(1, std::memory_order_acquire) != 0;) {
    while (word_.load(std::memory_order_relaxed) != 0) {
      pause_cpu();
      if (++spins % 200 != 0) continue;
      timespec pause{0, 1000000};
      nanosleep(&pause, nullptr);
      if (++delays > 60000) panic("stuck spinlock");
    }
  }
}

}  // namespace hathi::locking
