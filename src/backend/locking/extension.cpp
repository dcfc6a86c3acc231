// Relation-extension slots: one word each, no deadlock detection, because a holder takes nothing that could wait for another holder.

#include <algorithm>

#include "hathi/config/settings.h"
#include "hathi/error/sql_error.h"
#include "hathi/locking/lock_table.h"
#include "hathi/shmem/futex.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/shmem/process_slot.h"

namespace hathi::locking {

namespace {

// Locking: atomic. held: 0 free, 1 held, 2 held and somebody may sleep.
struct alignas(64) Slot {
  std::atomic<std::uint32_t> held;
  std::atomic<std::int32_t> waiters;
};

Slot* slots = nullptr;
std::uint32_t slot_count = 0;
const shmem::WaitEvent kExtendWait{"Lock", "extend"};
constexpr int kSpins = 100;

std::uint32_t slot_of(const RelationFile& relation) {
  std::uint64_t h = (std::uint64_t{raw(relation.relation)} << 32 | raw(relation.database)) * 0x9E3779B97F4A7C15u + raw(relation.tablespace);
  return static_cast<std::uint32_t>((h ^ (h >> 31)) * 0xBF58476D1CE4E5B9u >> 32) % slot_count;
}

bool try_take(Slot& slot, std::uint32_t as) {
  std::uint32_t free = 0;
  return slot.held.compare_exchange_strong(free, as, std::memory_order_acquire, std::memory_order_relaxed);
}

void wait_for(Slot& slot) {
  shmem::WaitScope scope(kExtendWait);
  slot.waiters.fetch_add(1, std::memory_order_relaxed);
  try {
    // Whoever slept takes the slot as "somebody may sleep": it does not know whether it was the last.
    while (!try_take(slot, 2)) {
      check_interrupts();
      std::uint32_t held = 1;
      slot.held.compare_exchange_strong(held, 2, std::memory_order_relaxed);
      if (held != 0) shmem::futex_wait(slot.held, 2, 1000);
    }
  } catch (...) {
    slot.waiters.fetch_sub(1, std::memory_order_relaxed);
    throw;
  }
  slot.waiters.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace

std::size_t extension_slots_size() { return 64 + static_cast<std::size_t>(config::values::relation_extension_lock_slots) * sizeof(Slot); }

void extension_slots_init(void* memory) {
  slots = reinterpret_cast<Slot*>((reinterpret_cast<std::uintptr_t>(memory) + 63) / 64 * 64);
  slot_count = static_cast<std::uint32_t>(config::values::relation_extension_lock_slots);
  // Zero, as the kernel gave it, is free.
}

ExtensionLock::ExtensionLock(const RelationFile& relation) : slot_(slot_of(relation)) {
  shmem::ProcessSlot& me = shmem::my_slot();
  HATHI_ASSERT(me.extension_relation.load(std::memory_order_relaxed) == 0);
  Slot& slot = slots[slot_];
  bool taken = try_take(slot, 1);
  for (int i = 0; !taken && i < kSpins && slot.held.load(std::memory_order_relaxed) != 2; ++i) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
    taken = try_take(slot, 1);
  }
  if (!taken) wait_for(slot);
  me.extension_relation.store(raw(relation.relation), std::memory_order_relaxed);
}

ExtensionLock::~ExtensionLock() {
  Slot& slot = slots[slot_];
  shmem::my_slot().extension_relation.store(0, std::memory_order_relaxed);
  if (slot.held.exchange(0, std::memory_order_release) == 2) shmem::futex_wake(slot.held, 1);
}

int ExtensionLock::waiters() const { return slots[slot_].waiters.load(std::memory_order_relaxed); }

}  // namespace hathi::locking
