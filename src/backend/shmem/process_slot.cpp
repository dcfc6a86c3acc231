#include "hathi/shmem/process_slot.h"

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "hathi/config/settings.h"
#include "hathi/error/sql_error.h"
#include "hathi/shmem/futex.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/shmem/segment.h"

namespace hathi::shmem {

namespace {

enum Share : int { kBackends, kAutovacuum, kAuxiliary, kShareCount };

// Start-up process, checkpointer, WAL writer, background writer, launcher, and some for later kinds.
constexpr int kAuxiliarySlots = 8;
// Half a minute, 2 ms each; a login is ended by authentication_timeout before that.
constexpr int kSlotTries = 15000;

// A free list: the first slot's number + 1 in the low half, a count that makes each change unique in the high half.
using FreeList = std::atomic<std::uint64_t>;

// Locking: all atomic. next[] belongs to whoever owns the slot, or to the free list.
struct Header {
  FreeList free[kShareCount];
  std::atomic<std::int32_t> sessions;  // admitted
  std::int32_t slots;
};

Header* header = nullptr;
ProcessSlot* slots = nullptr;
std::atomic<std::int32_t>* next_free = nullptr;

ProcessSlot* mine = nullptr;
Share my_share = kBackends;
bool admitted = false;
Latch private_latch;

int login_slots() { return std::clamp(config::values::max_connections / 4, 32, 64); }
int backend_slots() { return config::values::max_connections + login_slots(); }
int planned_slots() { return backend_slots() + config::values::autovacuum_max_workers + kAuxiliarySlots; }

Share share_of(ProcessKind kind) {
  if (kind == ProcessKind::backend) return kBackends;
  return kind == ProcessKind::autovacuum_worker ? kAutovacuum : kAuxiliary;
}

void push(FreeList& list, int number) {
  std::uint64_t old = list.load(std::memory_order_relaxed), wanted;
  do {
    next_free[number].store(static_cast<std::int32_t>(old & 0xFFFFFFFFu), std::memory_order_relaxed);
    wanted = ((old >> 32) + 1) << 32 | static_cast<std::uint64_t>(number + 1);
  } while (!list.compare_exchange_weak(old, wanted, std::memory_order_release, std::memory_order_relaxed));
}

int pop(FreeList& list) {
  std::uint64_t old = list.load(std::memory_order_acquire), wanted;
  do {
    auto first = static_cast<std::uint32_t>(old);
    if (first == 0) return -1;
    auto after = static_cast<std::uint32_t>(next_free[first - 1].load(std::memory_order_relaxed));
    wanted = ((old >> 32) + 1) << 32 | after;
  } while (!list.compare_exchange_weak(old, wanted, std::memory_order_acquire, std::memory_order_acquire));
  return static_cast<int>(static_cast<std::uint32_t>(old)) - 1;
}

std::size_t slots_offset() { return (sizeof(Header) + alignof(ProcessSlot) - 1) / alignof(ProcessSlot) * alignof(ProcessSlot); }

[[noreturn]] void throw_too_many() { throw SqlError(sqlstate::too_many_connections, "sorry, too many clients already").fatal(); }

}  // namespace

const char* process_kind_name(ProcessKind kind) {
  switch (kind) {
    case ProcessKind::none: return "";
    case ProcessKind::postmaster: return "postmaster";
    case ProcessKind::startup: return "startup";
    case ProcessKind::backend: return "client backend";
    case ProcessKind::checkpointer: return "checkpointer";
    case ProcessKind::wal_writer: return "walwriter";
    case ProcessKind::background_writer: return "background writer";
    case ProcessKind::autovacuum_launcher: return "autovacuum launcher";
    case ProcessKind::autovacuum_worker: return "autovacuum worker";
  }
  return "";
}

std::size_t process_slots_size() {
  auto count = static_cast<std::size_t>(planned_slots());
  return slots_offset() + 128 + count * (sizeof(ProcessSlot) + sizeof(std::atomic<std::int32_t>));
}

void process_slots_init(void* memory) {
  static_assert(Shareable<ProcessSlot> && Shareable<Header>);
  auto address = (reinterpret_cast<std::uintptr_t>(memory) + 127) / 128 * 128;
  header = new (reinterpret_cast<void*>(address)) Header{};
  slots = reinterpret_cast<ProcessSlot*>(address + slots_offset());
  header->slots = planned_slots();
  next_free = reinterpret_cast<std::atomic<std::int32_t>*>(slots + header->slots);
  for (int i = 0; i < header->slots; ++i) {
    auto* s = new (slots + i) ProcessSlot{};
    s->number = i;
    s->lwlock_next = s->array_position = -1;
    s->local_transaction_number = 0;
  }
  // Pushed backwards, so that the lowest numbers are taken first.
  int auxiliary = backend_slots() + config::values::autovacuum_max_workers;
  for (int i = header->slots - 1; i >= 0; --i)
    push(header->free[i >= auxiliary ? kAuxiliary : i >= backend_slots() ? kAutovacuum : kBackends], i);
  mine = nullptr;
  admitted = false;
}

int slot_count() { return header->slots; }
int planned_slot_count() { return planned_slots(); }
ProcessSlot& slot(int number) {
  HATHI_ASSERT(number >= 0 && number < header->slots);
  return slots[number];
}
ProcessSlot& my_slot() {
  HATHI_ASSERT(mine != nullptr);
  return *mine;
}
bool has_slot() { return mine != nullptr; }
Latch& my_latch() { return mine != nullptr ? mine->latch : private_latch; }

namespace {
// Makes the slot this process's.
void occupy(int number, ProcessKind kind, Share share) {
  ProcessSlot& s = slots[number];
  s.kind = kind;
  s.pid.store(getpid(), std::memory_order_relaxed);
  s.database.store(0, std::memory_order_relaxed);
  s.role.store(0, std::memory_order_relaxed);
  s.wait_event.store(nullptr, std::memory_order_relaxed);
  s.lwlock_wait.store(0, std::memory_order_relaxed);
  s.lwlock_next = -1;
  s.array_position = -1;
  s.virtual_xact.store(0, std::memory_order_relaxed);
  s.cancel_key = 0;
  s.admitted.store(0, std::memory_order_relaxed);
  s.extension_relation.store(0, std::memory_order_relaxed);
  s.latch.reset();
  s.in_use.store(1, std::memory_order_release);
  mine = &s;
  my_share = share;
}
}  // namespace

void acquire_slot(ProcessKind kind) {
  HATHI_ASSERT(mine == nullptr);
  Share share = share_of(kind);
  auto take = [&] {
    // A timer's end of the process between the two would lose the slot.
    HoldInterrupts hold;
    int number = pop(header->free[share]);
    if (number >= 0) occupy(number, kind, share);
    return number >= 0;
  };
  bool taken = take();
  // Logins hold a spare slot for a moment only: wait for one.
  for (int tries = 0; !taken && share == kBackends && tries < kSlotTries; ++tries) {
    check_interrupts();
    timespec pause{0, 2000000};
    nanosleep(&pause, nullptr);
    taken = take();
  }
  if (!taken) throw_too_many();
}

void admit_session(bool is_superuser) {
  HATHI_ASSERT(mine != nullptr && !admitted);
  int limit = config::values::max_connections;
  int open_to_all = limit - config::values::superuser_reserved_connections;
  int now = header->sessions.fetch_add(1, std::memory_order_relaxed) + 1;
  if (now <= (is_superuser ? limit : open_to_all)) {
    admitted = true;
    mine->admitted.store(1, std::memory_order_relaxed);
    return;
  }
  header->sessions.fetch_sub(1, std::memory_order_relaxed);
  if (now > limit) throw_too_many();
  throw SqlError(sqlstate::too_many_connections, "remaining connection slots are reserved for non-replication superuser connections")
      .fatal();
}

int session_count() { return header->sessions.load(std::memory_order_relaxed); }

void release_slot() {
  if (mine == nullptr) return;
  HoldInterrupts hold;
  ProcessSlot& s = *mine;
  HATHI_ASSERT(s.array_position == -1);
  mine = nullptr;
  if (admitted) header->sessions.fetch_sub(1, std::memory_order_relaxed);
  admitted = false;
  s.pid.store(0, std::memory_order_relaxed);
  s.kind = ProcessKind::none;
  s.cancel_key = 0;
  s.admitted.store(0, std::memory_order_relaxed);
  s.virtual_xact.store(0, std::memory_order_relaxed);
  s.wait_event.store(nullptr, std::memory_order_relaxed);
  s.in_use.store(0, std::memory_order_release);
  push(header->free[my_share], s.number);
}

void Latch::set() {
  std::uint32_t old = word_.fetch_or(1, std::memory_order_seq_cst);
  if (old == 2) futex_wake(word_, 1);
}
void Latch::reset() { word_.store(0, std::memory_order_seq_cst); }
bool Latch::is_set() const { return (word_.load(std::memory_order_seq_cst) & 1) != 0; }

bool Latch::wait(int timeout_ms) {
  if ((word_.fetch_or(2, std::memory_order_seq_cst) & 1) == 0) futex_wait(word_, 2, timeout_ms);
  return (word_.fetch_and(~2u, std::memory_order_seq_cst) & 1) != 0;
}

WaitScope::WaitScope(const WaitEvent& event) : previous_(nullptr) {
  if (mine == nullptr) return;
  previous_ = mine->wait_event.load(std::memory_order_relaxed);
  mine->wait_event.store(&event, std::memory_order_relaxed);
}
WaitScope::~WaitScope() {
  if (mine != nullptr) mine->wait_event.store(previous_, std::memory_order_relaxed);
}

}  // namespace hathi::shmem
