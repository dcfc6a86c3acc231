#include "hathi/transaction/process_array.h"

#include <bit>
#include <new>

#include "hathi/error/sql_error.h"
#include "hathi/shmem/futex.h"
#include "hathi/transaction/snapshot.h"
#include "hathi/transaction/transaction.h"
#include "shared.h"

namespace hathi::transaction {

TransactionShared* shared = nullptr;
std::atomic<std::uint64_t>* occupied = nullptr;
std::atomic<std::uint64_t>* xids = nullptr;
std::atomic<std::uint32_t>* subcounts = nullptr;
std::atomic<std::int32_t>* owners = nullptr;
ProcessEntry* entries = nullptr;
std::atomic<std::uint64_t>* xmins = nullptr;

namespace {

constexpr shmem::WaitEvent kWaitArray{"LWLock", "ProcArray"};
constexpr shmem::WaitEvent kWaitXid{"LWLock", "XidGen"};
constexpr shmem::WaitEvent kWaitOid{"LWLock", "OidGen"};
constexpr shmem::WaitEvent kWaitGroup{"IPC", "ProcArrayGroupUpdate"};

struct Layout {
  std::size_t words, positions, occupied, xids, subcounts, owners, entries, xmins, total;
};

Layout lay_out() {
  Layout l;
  auto slots = static_cast<std::size_t>(shmem::planned_slot_count());
  l.words = (slots + 63) / 64;
  l.positions = l.words * 64;
  auto place = [at = sizeof(TransactionShared)](std::size_t size) mutable {
    std::size_t here = (at + 63) / 64 * 64;
    at = here + size;
    return here;
  };
  l.occupied = place(l.words * sizeof(std::uint64_t));
  l.xids = place(l.positions * sizeof(std::uint64_t));
  l.subcounts = place(l.positions * sizeof(std::uint32_t));
  l.owners = place(l.positions * sizeof(std::int32_t));
  l.entries = place(slots * sizeof(ProcessEntry));
  l.xmins = place(slots * sizeof(std::uint64_t));
  l.total = place(0);
  return l;
}

// Calls f(position) for each position in use. O(words + positions in use).
template <class F>
void for_each_position(F f) {
  for (std::uint32_t w = 0; w < shared->words; ++w) {
    for (std::uint64_t bits = occupied[w].load(std::memory_order_acquire); bits != 0; bits &= bits - 1) f(static_cast<int>(w * 64) + std::countr_zero(bits));
  }
}

int claim_position() {
  for (std::uint32_t w = 0; w < shared->words; ++w) {
    std::uint64_t bits = occupied[w].load(std::memory_order_acquire);
    if (bits != ~std::uint64_t{0}) return static_cast<int>(w * 64) + std::countr_one(bits);
  }
  panic("no free position in the process array");
}

// array_lock held exclusively, completions odd.
void take_out(ProcessEntry& e, std::uint64_t latest) {
  int p = e.position - 1;
  xids[p].store(0, std::memory_order_release);
  subcounts[p].store(0, std::memory_order_release);
  occupied[p / 64].fetch_and(~(std::uint64_t{1} << (p % 64)), std::memory_order_acq_rel);
  e.position = 0;
  if (shared->latest_completed.load(std::memory_order_relaxed) < latest) shared->latest_completed.store(latest, std::memory_order_release);
}

// Takes all queued processes out in one go and wakes them.
void lead_group(std::int32_t first) {
  shared->completions.fetch_add(1, std::memory_order_seq_cst);
  for (std::int32_t s = first; s != 0; s = entries[s - 1].group_next.load(std::memory_order_relaxed)) take_out(entries[s - 1], entries[s - 1].group_latest);
  shared->completions.fetch_add(1, std::memory_order_seq_cst);
  shared->array_lock.unlock();
  while (first != 0) {
    ProcessEntry& e = entries[first - 1];
    first = e.group_next.load(std::memory_order_relaxed);
    e.group_wait.store(0, std::memory_order_release);
    shmem::futex_wake(e.group_wait, 1);
  }
}

}  // namespace

std::size_t shared_size() { return lay_out().total; }

void shared_init(void* memory) {
  Layout l = lay_out();
  shared = new (memory) TransactionShared;
  auto base = static_cast<std::byte*>(memory);
  shared->words = static_cast<std::uint32_t>(l.words);
  occupied = reinterpret_cast<std::atomic<std::uint64_t>*>(base + l.occupied);
  xids = reinterpret_cast<std::atomic<std::uint64_t>*>(base + l.xids);
  subcounts = reinterpret_cast<std::atomic<std::uint32_t>*>(base + l.subcounts);
  owners = reinterpret_cast<std::atomic<std::int32_t>*>(base + l.owners);
  entries = reinterpret_cast<ProcessEntry*>(base + l.entries);
  xmins = reinterpret_cast<std::atomic<std::uint64_t>*>(base + l.xmins);
  shared->array_lock.init(locking::LockRank::process_array, &kWaitArray);
  shared->xid_lock.init(locking::LockRank::xid_generation, &kWaitXid);
  shared->oid_lock.init(locking::LockRank::xid_generation, &kWaitOid);
  shared->next_xid.store(kFirstNormalXid.value());
  shared->oldest_xid.store(kFirstNormalXid.value());
  shared->latest_completed.store(kFirstNormalXid.value() - 1);
  shared->next_multixact = 1;
  shared->next_oid = raw(kFirstNormalOid);
}

ProcessEntry& my_entry() { return entries[shmem::my_slot().number]; }

Xid assign_top_xid() {
  ProcessEntry& e = my_entry();
  HATHI_ASSERT(e.position == 0);
  locking::LwLockGuard guard(shared->xid_lock, locking::LwMode::exclusive);
  std::uint64_t xid = shared->next_xid.load(std::memory_order_relaxed);
  int p = claim_position();
  owners[p].store(shmem::my_slot().number, std::memory_order_relaxed);
  subcounts[p].store(0, std::memory_order_relaxed);
  xids[p].store(xid, std::memory_order_release);
  occupied[p / 64].fetch_or(std::uint64_t{1} << (p % 64), std::memory_order_acq_rel);
  e.position = p + 1;
  // Published before anyone can get a later xid: whoever sees that one completed sees this one running.
  shared->next_xid.store(xid + 1, std::memory_order_release);
  return Xid{xid};
}

Xid assign_sub_xid() {
  ProcessEntry& e = my_entry();
  HATHI_ASSERT(e.position != 0);
  locking::LwLockGuard guard(shared->xid_lock, locking::LwMode::exclusive);
  std::uint64_t xid = shared->next_xid.load(std::memory_order_relaxed);
  subcounts[e.position - 1].fetch_add(1, std::memory_order_acq_rel);
  shared->next_xid.store(xid + 1, std::memory_order_release);
  return Xid{xid};
}

void end_running(Xid latest) {
  ProcessEntry& e = my_entry();
  if (shared->array_lock.try_lock(locking::LwMode::exclusive)) {
    shared->completions.fetch_add(1, std::memory_order_seq_cst);
    take_out(e, latest.value());
    shared->completions.fetch_add(1, std::memory_order_seq_cst);
    shared->array_lock.unlock();
    return;
  }
  // Contended: queue up; the first in the queue takes the lock once for all.
  e.group_latest = latest.value();
  e.group_wait.store(1, std::memory_order_relaxed);
  std::int32_t me = shmem::my_slot().number + 1;
  std::int32_t first = shared->group_first.load(std::memory_order_relaxed);
  do { e.group_next.store(first, std::memory_order_relaxed); } while (!shared->group_first.compare_exchange_weak(first, me, std::memory_order_acq_rel));
  if (first != 0) {
    shmem::WaitScope wait(kWaitGroup);
    while (e.group_wait.load(std::memory_order_acquire) != 0) shmem::futex_wait(e.group_wait, 1, 1000);
    return;
  }
  shared->array_lock.lock(locking::LwMode::exclusive);
  lead_group(shared->group_first.exchange(0, std::memory_order_acq_rel));
}

namespace {

// One attempt; false when a transaction ended meanwhile.
bool try_collect(std::vector<Xid>& running, RunningState& out) {
  out.completions = shared->completions.load(std::memory_order_seq_cst);
  if ((out.completions & 1) != 0) return false;
  std::uint64_t xmax = shared->latest_completed.load(std::memory_order_acquire) + 1;
  std::uint64_t xmin = xmax;
  int mine = my_entry().position - 1;
  bool subtransactions = false;
  running.clear();
  for_each_position([&](int p) {
    std::uint64_t xid = xids[p].load(std::memory_order_acquire);
    if (xid == 0 || xid >= xmax) return;
    xmin = std::min(xmin, xid);
    subtransactions = subtransactions || subcounts[p].load(std::memory_order_acquire) != 0;
    if (p != mine) running.push_back(Xid{xid});
  });
  out.xmin = Xid{xmin};
  out.xmax = Xid{xmax};
  out.has_subtransactions = subtransactions;
  return publish_xmin(out.xmin, out.completions);
}

}  // namespace

RunningState collect_running(std::vector<Xid>& running) {
  RunningState result;
  for (int tries = 0; tries < 8; ++tries) {
    if (try_collect(running, result)) return result;
    __builtin_ia32_pause();
  }
  locking::LwLockGuard guard(shared->array_lock, locking::LwMode::shared);
  bool stable = try_collect(running, result);
  HATHI_ASSERT(stable);
  static_cast<void>(stable);
  return result;
}

bool publish_xmin(Xid xmin, std::uint64_t completions) {
  std::atomic<std::uint64_t>& mine = xmins[shmem::my_slot().number];
  std::uint64_t old = mine.load(std::memory_order_relaxed);
  if (old == 0 || old > xmin.value()) mine.store(xmin.value(), std::memory_order_seq_cst);
  return shared->completions.load(std::memory_order_seq_cst) == completions;
}

void replace_xmin(Xid xmin) { xmins[shmem::my_slot().number].store(xmin.value(), std::memory_order_release); }

namespace {
Xid compute_horizon(Oid database) {
  // In this order: see the README for why a snapshot being taken can't be missed.
  std::uint64_t horizon = shared->latest_completed.load(std::memory_order_seq_cst) + 1;
  for_each_position([&](int p) {
    std::uint64_t xid = xids[p].load(std::memory_order_seq_cst);
    if (xid != 0) horizon = std::min(horizon, xid);
  });
  for (int i = 0, slots = shmem::slot_count(); i < slots; ++i) {
    std::uint64_t xmin = xmins[i].load(std::memory_order_seq_cst);
    if (xmin == 0 || xmin >= horizon || entries[i].in_vacuum.load(std::memory_order_relaxed) != 0) continue;
    Oid theirs{shmem::slot(i).database.load(std::memory_order_relaxed)};
    if (database == kInvalidOid || theirs == database || theirs == kInvalidOid) horizon = xmin;
  }
  return Xid{horizon};
}
}  // namespace

Xid oldest_visible_xid(Oid database) {
  // A snapshot may go over to a slot that has been looked at already while its lender ends.
  for (;;) {
    std::uint64_t imports = shared->imports.load(std::memory_order_seq_cst);
    Xid horizon = compute_horizon(database);
    if (shared->imports.load(std::memory_order_seq_cst) == imports) return horizon;
  }
}

std::uint64_t snapshots_taken();   // snapshot.cpp

Xid prune_horizon(Oid database) {
  struct Cached { std::uint64_t snapshot = ~std::uint64_t{0}, completions = ~std::uint64_t{0}; Oid database{0}; Xid value; };
  static Cached cached[2];   // this database's and the shared one
  Cached& c = cached[database == kInvalidOid];
  std::uint64_t completions = completion_count();
  if (c.database == database && (c.snapshot == snapshots_taken() || c.completions == completions)) return c.value;
  c = {snapshots_taken(), completions, database, oldest_visible_xid(database)};
  return c.value;
}

Xid oldest_running_xid() {
  std::uint64_t oldest = shared->next_xid.load(std::memory_order_seq_cst);
  for_each_position([&](int p) {
    std::uint64_t xid = xids[p].load(std::memory_order_acquire);
    if (xid != 0) oldest = std::min(oldest, xid);
  });
  return Xid{oldest};
}

int active_xid_count() {
  int n = 0;
  for (std::uint32_t w = 0; w < shared->words; ++w) n += std::popcount(occupied[w].load(std::memory_order_relaxed));
  return n;
}

void set_vacuum_flag(bool in_vacuum) { my_entry().in_vacuum.store(in_vacuum ? 1 : 0, std::memory_order_seq_cst); }

SlotTransaction slot_transaction(int slot) {
  SlotTransaction result;
  result.xmin = Xid{xmins[slot].load()};
  for_each_position([&](int p) {
    if (owners[p].load(std::memory_order_relaxed) == slot) result.xid = Xid{xids[p].load()};
  });
  return result;
}

std::uint64_t completion_count() { return shared->completions.load(std::memory_order_acquire); }
Xid next_xid() { return Xid{shared->next_xid.load(std::memory_order_acquire)}; }

namespace {

bool stands_in_array(Xid xid, bool& subtransactions) {
  bool found = false;
  for_each_position([&](int p) {
    found = found || xids[p].load(std::memory_order_acquire) == xid.value();
    subtransactions = subtransactions || subcounts[p].load(std::memory_order_acquire) != 0;
  });
  return found;
}

}  // namespace

bool is_running(Xid xid) {
  static Xid known_ended;
  if (!is_normal(xid) || xid == known_ended || xid >= next_xid()) return false;
  if (is_current(xid)) return true;
  bool subtransactions = false;
  if (stands_in_array(xid, subtransactions)) return true;
  if (subtransactions) {
    Xid top = top_level_of(xid);
    bool ignored = false;
    // An aborted subtransaction is over although its parent goes on.
    if (top != xid && stands_in_array(top, ignored)) return get_status(xid) != XidStatus::aborted;
  }
  known_ended = xid;
  return false;
}

}  // namespace hathi::transaction
