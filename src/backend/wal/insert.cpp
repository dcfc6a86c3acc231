// Putting records into the ring.

#include <sched.h>

#include <algorithm>
#include <cstring>

#include "hathi/config/settings.h"
#include "hathi/error/sql_error.h"
#include "hathi/shmem/futex.h"
#include "hathi/shmem/interrupts.h"
#include "log_state.h"
#include "record.h"

namespace hathi::wal {

LogState* state = nullptr;
std::byte* ring = nullptr;
std::atomic<std::uint64_t>* delays = nullptr;
std::uint64_t own_records = 0;

namespace {

constexpr shmem::WaitEvent kWaitWrite{"LWLock", "WALWrite"};
constexpr shmem::WaitEvent kWaitInsert{"LWLock", "WALInsert"};
int critical_depth = 0;

// wal_buffers = -1: a 32nd of the buffer pool, at least 64 kB, at most one segment.
std::uint64_t ring_bytes() {
  std::uint64_t blocks = config::values::wal_buffers < 0
                             ? std::clamp<std::uint64_t>(static_cast<std::uint64_t>(config::values::shared_buffers) / 32, 8, kWalSegmentSize / kPageSize)
                             : std::max<std::uint64_t>(4, static_cast<std::uint64_t>(config::values::wal_buffers));
  return blocks * kPageSize;
}

std::size_t ring_offset() {
  std::size_t n = sizeof(LogState) + static_cast<std::size_t>(shmem::planned_slot_count()) * sizeof(std::uint64_t);
  return (n + kPageSize - 1) / kPageSize * kPageSize;
}

bool try_take(InsertSlot& s) {
  std::uint32_t free = 0;
  return s.word.compare_exchange_strong(free, 1, std::memory_order_acquire);
}

void take(InsertSlot& s) {
  for (int spins = 0; spins < 64; ++spins) {
    if (try_take(s)) return;
    __builtin_ia32_pause();
  }
  shmem::WaitScope wait(kWaitInsert);
  while (s.word.exchange(2, std::memory_order_acquire) != 0) shmem::futex_wait(s.word, 2, 100);
}

void give_back(InsertSlot& s) {
  s.position.store(0, std::memory_order_release);
  if (s.word.exchange(0, std::memory_order_release) == 2) shmem::futex_wake(s.word, INT_MAX);
}

// Lets those who wait for this slot's progress look again. The word stays held.
void announce(InsertSlot& s) {
  std::uint32_t held = 2;
  if (s.word.compare_exchange_strong(held, 1, std::memory_order_acq_rel)) shmem::futex_wake(s.word, INT_MAX);
}

int preferred_slot() { return shmem::has_slot() ? shmem::my_slot().number % kInsertSlots : 0; }
int last_slot = -1;

InsertSlot& take_some_slot() {
  if (last_slot < 0) last_slot = preferred_slot();
  if (!try_take(state->slots[last_slot])) {
    // Spread out under contention, and stay where there was room.
    last_slot = (last_slot + 1) % kInsertSlots;
    take(state->slots[last_slot]);
  }
  return state->slots[last_slot];
}

// Everything below written + ring_size may be overwritten.
void make_room(InsertSlot& slot, std::uint64_t position, std::uint64_t end) {
  slot.position.store(position, std::memory_order_release);
  announce(slot);
  std::uint64_t needed = end - state->ring_size;
  // A batch, so that the next inserters need not wait at once; never beyond what this process has copied itself.
  std::uint64_t wanted = std::min(position, needed + state->ring_size / 4);
  wait_for_insertions(wanted);
  locking::LwLockGuard guard(state->write_lock, locking::LwMode::exclusive);
  if (state->written.load(std::memory_order_acquire) < needed) write_locked(wanted, false);
}

void copy_to_ring(InsertSlot& slot, std::uint64_t position, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    std::uint64_t limit = state->written.load(std::memory_order_acquire) + state->ring_size;
    if (position >= limit) {
      make_room(slot, position, position + std::min<std::uint64_t>(bytes.size(), state->ring_size / 2));
      continue;
    }
    std::uint64_t at = position % state->ring_size;
    std::uint64_t n = std::min({static_cast<std::uint64_t>(bytes.size()), limit - position, state->ring_size - at});
    std::memcpy(ring + at, bytes.data(), n);
    position += n;
    bytes = bytes.subspan(n);
  }
}

}  // namespace

std::size_t wal_shared_size() { return ring_offset() + ring_bytes() + kPageSize; }

void wal_shared_init(void* memory) {
  state = new (memory) LogState;
  state->ring_size = ring_bytes();
  state->write_lock.init(locking::LockRank::wal_write, &kWaitWrite);
  auto base = static_cast<std::byte*>(memory);
  delays = reinterpret_cast<std::atomic<std::uint64_t>*>(base + sizeof(LogState));
  ring = base + ring_offset();
}

std::uint64_t wait_for_insertions(std::uint64_t upto) {
  std::uint64_t finished = state->reserved.load(std::memory_order_seq_cst);
  HATHI_ASSERT(upto <= finished);
  for (InsertSlot& s : state->slots) {
    for (int spins = 0;; ++spins) {
      std::uint64_t position = s.position.load(std::memory_order_seq_cst);
      if (position == 0) break;
      if (position >= upto) {
        finished = std::min(finished, position);
        break;
      }
      if (spins < 100) {
        __builtin_ia32_pause();
        continue;
      }
      shmem::WaitScope wait(kWaitInsert);
      std::uint32_t held = 1;
      if (!s.word.compare_exchange_strong(held, 2) && held == 0) continue;
      if (s.position.load(std::memory_order_seq_cst) != position) continue;
      shmem::futex_wait(s.word, 2, 1);
    }
  }
  return finished;
}

Lsn insert_record(std::span<std::byte> record, const std::uint64_t* decided_redo, Lsn* start_out) {
  if (!state->ready.load(std::memory_order_relaxed)) panic("cannot make new WAL entries during recovery");
  std::uint64_t hash = hash_record(record.subspan(kChecksumSize));
  InsertSlot& slot = take_some_slot();
  if (decided_redo != nullptr && state->redo.load(std::memory_order_relaxed) != *decided_redo) {
    give_back(slot);
    return kInvalidLsn;
  }
  // Whoever reads `reserved` and then this slot sees either no claim on what it read, or a position below the claim.
  slot.position.store(state->reserved.load(std::memory_order_seq_cst), std::memory_order_seq_cst);
  std::uint64_t start = state->reserved.fetch_add(record.size(), std::memory_order_seq_cst);
  slot.position.store(start, std::memory_order_seq_cst);
  std::uint32_t checksum = finish_checksum(hash, start, state->incarnation);
  std::memcpy(record.data(), &checksum, sizeof checksum);
  copy_to_ring(slot, start, record);
  give_back(slot);
  if (start_out != nullptr) *start_out = Lsn{start};
  return Lsn{start + record.size()};
}

Lsn insert(ResourceManager manager, std::uint8_t info, std::span<const std::byte> data, Xid xid) {
  static RecordBuilder builder;
  builder.begin();
  builder.data(data);
  Lsn end = insert_record(builder.finish(manager, info, xid), nullptr);
  builder.trim();
  ++own_records;
  return end;
}

std::uint64_t own_record_count() { return own_records; }

AllInsertSlots::AllInsertSlots() {
  for (InsertSlot& s : state->slots) take(s);
}
AllInsertSlots::~AllInsertSlots() {
  for (InsertSlot& s : state->slots) give_back(s);
}

Lsn insert_position() { return Lsn{state->reserved.load(std::memory_order_acquire)}; }
Lsn written_position() { return Lsn{state->written.load(std::memory_order_acquire)}; }
Lsn flushed_position() { return Lsn{state->flushed.load(std::memory_order_acquire)}; }
Lsn redo_position() { return Lsn{state->redo.load(std::memory_order_acquire)}; }
bool in_recovery() { return state != nullptr && state->recovering.load(std::memory_order_relaxed); }
bool data_checksums() { return state != nullptr && state->checksums.load(std::memory_order_relaxed); }

CriticalSection::CriticalSection() {
  ++critical_depth;
  HoldInterrupts::begin();
}
CriticalSection::~CriticalSection() {
  if (std::uncaught_exceptions() > uncaught_) panic("an error was raised inside a critical section");
  --critical_depth;
  HoldInterrupts::end();
}
bool in_critical_section() { return critical_depth > 0; }

// The low half counts nesting, the high half how often it ended: a checkpoint waits until either says that what it saw is over.
DelayCheckpoint::DelayCheckpoint() {
  if (shmem::has_slot()) delays[shmem::my_slot().number].fetch_add(1, std::memory_order_seq_cst);
}
DelayCheckpoint::~DelayCheckpoint() {
  if (!shmem::has_slot()) return;
  std::atomic<std::uint64_t>& mine = delays[shmem::my_slot().number];
  std::uint64_t v = mine.load(std::memory_order_relaxed) - 1;
  if ((v & 0xFFFFFFFFu) == 0) v += std::uint64_t{1} << 32;
  mine.store(v, std::memory_order_seq_cst);
}

void wait_for_delays() {
  for (int i = 0; i < shmem::slot_count(); ++i) {
    std::uint64_t seen = delays[i].load(std::memory_order_seq_cst);
    if ((seen & 0xFFFFFFFFu) == 0 || (shmem::has_slot() && i == shmem::my_slot().number)) continue;
    while (delays[i].load(std::memory_order_seq_cst) >> 32 == seen >> 32) {
      if (shmem::slot(i).in_use.load() == 0) break;
      ::usleep(200);
    }
  }
}

}  // namespace hathi::wal
