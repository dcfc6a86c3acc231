// Taking, waiting for and giving back heavyweight locks.

#include <algorithm>
#include <ctime>

#include "fast_path.h"
#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/locking/subtrees.h"
#include "hathi/shmem/interrupts.h"
#include "local_table.h"

namespace hathi::locking {

namespace {

ActivityHook activity_hook = nullptr;

std::int64_t monotonic_us() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * std::int64_t{1000000} + t.tv_nsec / 1000;
}
std::int64_t now_us() {
  constexpr std::int64_t kSecondsTo2000 = 946684800;
  timespec t{};
  clock_gettime(CLOCK_REALTIME, &t);
  return (t.tv_sec - kSecondsTo2000) * 1000000 + t.tv_nsec / 1000;
}

// Does this process hold the tag in another mode, so that it may have a Holding already?
bool holds_other_mode(const LockTag& tag, std::uint32_t hash, LockMode mode) {
  for (int m = 1; m < kModes; ++m) {
    if (m != static_cast<int>(mode) && find_local(tag, hash, static_cast<LockMode>(m)) != nullptr) return true;
  }
  return false;
}

// --- deadlock reports -------------------------------------------------------------------------------------------------

[[noreturn]] void throw_deadlock(const std::vector<DeadlockLink>& cycle) {
  std::string detail, activities;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const DeadlockLink& link = cycle[i];
    const DeadlockLink& next = cycle[(i + 1) % cycle.size()];
    detail += fmt::format("{}Process {} waits for {} on {}; blocked by process {}.", i == 0 ? "" : "\n", link.pid,
                          lock_mode_name(link.mode), describe(link.tag), next.pid);
    if (activity_hook != nullptr) activities += fmt::format("\nProcess {}: {}", link.pid, activity_hook(link.slot));
  }
  SqlError error(sqlstate::t_r_deadlock_detected, "deadlock detected");
  error.detail(detail).hint("See server log for query details.");
  error.report().detail_log = detail + activities;
  throw error;
}

// --- waiting ----------------------------------------------------------------------------------------------------------

// Where a process that holds some mode of the lock already has to stand: before the first waiter that waits for what it holds, or for a
// holder who waits for this process elsewhere (ignored modes).
// -1 = at the end. ahead: the modes of those who stay in front. mutual: that waiter holds what this process wants, a deadlock at once.
struct Place {
  int before = -1;
  ModeMask ahead = 0;
  int mutual = -1;
};
// mine: with what it holds in effect.
Place find_place(const Lock& lock, ModeMask mine, ModeMask ignored, LockMode mode) {
  Place place;
  if (mine == 0) {
    place.ahead = lock.wait_mask;
    return place;
  }
  ModeMask wanted_conflicts = conflict_mask(lock.tag.kind, mode);
  // (What this process itself holds of the ignored modes makes no difference: such a waiter waits for it anyway.)
  ModeMask incomplete = lock.granted_mask & ignored;
  for (int at = lock.queue_head; at >= 0; at = wait_state(at).next) {
    const WaitState& w = wait_state(at);
    if ((conflict_mask(lock.tag.kind, w.mode) & (mine | incomplete)) != 0) {
      if ((wanted_conflicts & w.holding->modes & ~ignored) != 0) place.mutual = at;
      place.before = at;
      return place;
    }
    place.ahead |= mask_of(w.mode);
  }
  return place;
}

// The pids that hold a conflicting mode, and those who wait, for log_lock_waits.
std::string waiters_and_holders(const LockTag& tag, std::uint32_t hash, LockMode mode) {
  Partition& p = partition_of(hash);
  LwLockGuard guard(p.lock, LwMode::shared);
  std::string holders, queue;
  int holder_count = 0;
  if (const Lock* lock = find_lock(p, tag, hash)) {
    for (const Holding* h = lock->holders; h != nullptr; h = h->next) {
      if (h->modes == 0) continue;
      holders += fmt::format("{}{}", holders.empty() ? "" : ", ", shmem::slot(h->slot).pid.load());
      ++holder_count;
    }
    for (int at = lock->queue_head; at >= 0; at = wait_state(at).next) {
      queue += fmt::format("{}{}", queue.empty() ? "" : ", ", shmem::slot(at).pid.load());
    }
  }
  return fmt::format("{} holding the lock: {}. Wait queue: {}.", holder_count == 1 ? "Process" : "Processes", holders, queue);
}

struct Waiter {
  const LockTag& tag;
  std::uint32_t hash;
  LockMode mode;
  std::int64_t start = monotonic_us();
  bool logged = false;

  bool is_waiting() const { return wait_state(shmem::my_slot().number).status.load(std::memory_order_acquire) == kWaiting; }

  void log(const char* what, bool with_queue) {
    if (!config::values::log_lock_waits) return;
    logged = true;
    ErrorReport r;
    r.severity = Severity::log;
    r.code = sqlstate::successful_completion;
    r.message = fmt::format("process {} {} {} on {} after {:.3f} ms", shmem::my_slot().pid.load(), what, lock_mode_name(mode),
                            describe(tag), static_cast<double>(monotonic_us() - start) / 1000);
    if (with_queue) r.detail_log = r.detail = waiters_and_holders(tag, hash, mode);
    report(std::move(r));
  }

  void look_for_deadlock() {
    std::vector<DeadlockLink> cycle;
    switch (check_for_deadlock(shmem::my_slot().number, cycle)) {
      case DeadlockAnswer::deadlock: log("detected deadlock while waiting for", true); throw_deadlock(cycle);
      case DeadlockAnswer::rearranged: log("avoided deadlock for", true); break;
      case DeadlockAnswer::none: log("still waiting for", true); break;
      case DeadlockAnswer::granted: break;
    }
  }

  // Sleeps until the lock is granted. Throws on deadlock, time-out, cancel; the caller cleans up.
  void sleep() {
    shmem::WaitScope scope(wait_event_of(tag.kind));
    shmem::Latch& latch = shmem::my_slot().latch;
    std::int64_t deadlock_at = start + config::values::deadlock_timeout * std::int64_t{1000};
    std::int64_t give_up_at = config::values::lock_timeout > 0 ? start + config::values::lock_timeout * std::int64_t{1000} : -1;
    while (is_waiting()) {
      std::int64_t next = deadlock_at < 0 ? give_up_at : give_up_at < 0 ? deadlock_at : std::min(deadlock_at, give_up_at);
      std::int64_t left = next < 0 ? -1 : (next - monotonic_us() + 999) / 1000;  // ms
      if (next < 0 || left > 0) latch.wait(static_cast<int>(std::min<std::int64_t>(left, 1 << 30)));
      latch.reset();
      if (!is_waiting()) break;
      check_interrupts();
      std::int64_t now = monotonic_us();
      if (give_up_at >= 0 && now >= give_up_at) throw SqlError(sqlstate::lock_not_available, "canceling statement due to lock timeout");
      if (deadlock_at >= 0 && now >= deadlock_at) {
        deadlock_at = -1;
        look_for_deadlock();
      }
    }
    if (logged) log("acquired", false);
  }
};

// An error ends the wait: leaves the queue, or gives back what was granted in the meantime.
void abandon_wait(Partition& p, LocalLock& local) {
  LwLockGuard guard(p.lock, LwMode::exclusive);
  int me = shmem::my_slot().number;
  WaitState& w = wait_state(me);
  Lock& lock = *local.lock;
  if (w.lock != nullptr) {
    dequeue(lock, me, kFailed);
    remove_if_empty(p, *local.holding);
    wake_waiters(lock);
    remove_if_unused(p, lock);
  } else if (w.status.load(std::memory_order_relaxed) == kGranted) {
    ungrant(p, lock, *local.holding, local.mode);
  } else {  // the deadlock detector took this process out of the queue, and left the rest to it
    remove_if_empty(p, *local.holding);
    wake_waiters(lock);
    remove_if_unused(p, lock);
  }
}

// --- the shared table -------------------------------------------------------------------------------------------------

// Takes the lock in the shared table. False: dont_wait and somebody is in the way.
bool acquire_shared(LocalLock& local, bool dont_wait, LockMode as_if_held) {
  const LockTag& tag = local.tag;
  LockMode mode = local.mode;
  int me = shmem::my_slot().number;
  bool may_have_holding = holds_other_mode(tag, local.hash, mode);
  Partition& p = partition_of(local.hash);
  LwLockGuard guard(p.lock, LwMode::exclusive);
  Lock& lock = find_or_add_lock(p, tag, local.hash);
  Holding* holding = may_have_holding ? find_holding(lock, me) : nullptr;
  if (holding == nullptr) {
    try {
      holding = &add_holding(p, lock, me);
    } catch (...) {
      remove_if_unused(p, lock);
      throw;
    }
  }
  local.lock = &lock;
  local.holding = holding;
  bool in_effect = as_if_held != LockMode::none;
  ModeMask ignored = in_effect ? conflict_mask(tag.kind, as_if_held) : ModeMask{0};
  Place place = find_place(lock, in_effect ? holding->modes | mask_of(as_if_held) : holding->modes, ignored, mode);
  bool must_wait = (conflict_mask(tag.kind, mode) & place.ahead) != 0 || blocked_by_others(lock, mode, holding->modes, ignored);
  if (!must_wait) {
    grant(lock, *holding, mode);
    return true;
  }
  if (dont_wait) {
    remove_if_empty(p, *holding);
    remove_if_unused(p, lock);
    return false;
  }
  if (place.mutual >= 0) {
    std::vector<DeadlockLink> cycle{{shmem::my_slot().pid, me, tag, mode},
                                    {shmem::slot(place.mutual).pid, place.mutual, tag, wait_state(place.mutual).mode}};
    remove_if_empty(p, *holding);
    remove_if_unused(p, lock);
    guard.release();
    throw_deadlock(cycle);
  }
  enqueue(lock, *holding, mode, ignored, place.before);
  WaitState& w = wait_state(me);
  w.since_us = now_us();
  guard.release();
  try {
    Waiter{tag, local.hash, mode}.sleep();
  } catch (...) {
    abandon_wait(p, local);
    throw;
  }
  return true;
}

}  // namespace

void set_activity_hook(ActivityHook hook) { activity_hook = hook; }

LockResult acquire(ResourceOwner& owner, const LockTag& tag, LockMode mode, bool dont_wait) {
  return acquire_as_if_held(owner, tag, mode, dont_wait, LockMode::none);
}

LockResult acquire_as_if_held(ResourceOwner& owner, const LockTag& tag, LockMode mode, bool dont_wait, LockMode as_if_held) {
  HATHI_ASSERT(shmem::my_slot().extension_relation.load(std::memory_order_relaxed) == 0);
  std::uint32_t hash = hash_tag(tag);
  if (LocalLock* local = find_local(tag, hash, mode)) {
    add_hold(owner, *local);
    return LockResult::already_held;
  }
  LocalLock& local = add_local(tag, hash, mode);
  if (is_fast(tag, mode)) {
    local.fast_entry = fast_acquire(tag, hash, mode);
    if (local.fast_entry != kNoEntry) {
      add_hold(owner, local);
      return LockResult::granted;
    }
  }
  bool granted = false;
  try {
    if (is_strong(tag, mode)) {
      raise_strong(hash);
      local.strong = true;
      move_fast_entries(tag, hash);
    }
    granted = acquire_shared(local, dont_wait, as_if_held);
  } catch (...) {
    if (local.strong) lower_strong(hash);
    remove_local(local);
    throw;
  }
  if (!granted) {
    if (local.strong) lower_strong(hash);
    remove_local(local);
    return LockResult::not_available;
  }
  add_hold(owner, local);
  return LockResult::granted;
}

void release_for_good(LocalLock& local) {
  if (local.fast_entry == kNoEntry || !fast_release(local.fast_entry, local.tag, local.mode)) {
    Partition& p = partition_of(local.hash);
    LwLockGuard guard(p.lock, LwMode::exclusive);
    if (local.lock == nullptr) {  // moved here from the fast path
      local.lock = find_lock(p, local.tag, local.hash);
      local.holding = local.lock == nullptr ? nullptr : find_holding(*local.lock, shmem::my_slot().number);
    }
    if (local.holding == nullptr || (local.holding->modes & mask_of(local.mode)) == 0)
      panic("lock table corrupted: a held lock is not in it");
    ungrant(p, *local.lock, *local.holding, local.mode);
  }
  if (local.strong) lower_strong(local.hash);
  remove_local(local);
}

bool release(ResourceOwner& owner, const LockTag& tag, LockMode mode) {
  LocalLock* local = find_local(tag, hash_tag(tag), mode);
  if (local == nullptr || !drop_hold(owner, *local)) return false;
  if (local->count == 0) release_for_good(*local);
  return true;
}

bool holds(const LockTag& tag, LockMode mode) { return find_local(tag, hash_tag(tag), mode) != nullptr; }

bool holds_at_least(const LockTag& tag, LockMode mode) {
  std::uint32_t hash = hash_tag(tag);
  for (int m = static_cast<int>(mode); m < kModes; ++m) {
    if (find_local(tag, hash, static_cast<LockMode>(m)) != nullptr) return true;
  }
  return false;
}

bool wait_for_transaction(ResourceOwner& owner, Xid xid, bool dont_wait) {
  LockTag tag = LockTag::transaction_tag(xid);
  if (acquire(owner, tag, LockMode::share, dont_wait) == LockResult::not_available) return false;
  release(owner, tag, LockMode::share);
  return true;
}

void release_all_at_exit() {
  while (LocalLock* local = any_local()) {
    for (HeldLock* h = &local->first; h != nullptr;) {
      HeldLock* next = h->sibling;
      if (h->owner != nullptr) unlink_hold(*h);
      h = next;
    }
    local->count = 0;
    release_for_good(*local);
  }
}

std::size_t lock_table_size() { return shared_table_size() + fast_path_size(); }
void lock_table_init(void* memory) {
  shared_table_init(memory);
  fast_path_init(static_cast<std::byte*>(memory) + shared_table_size());
}

}  // namespace hathi::locking
