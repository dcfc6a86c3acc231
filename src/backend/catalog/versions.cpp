#include "hathi/catalog/versions.h"

#include <sched.h>
#include <time.h>

#include <atomic>
#include <functional>

#include "hathi/base/builtin_oids.h"
#include "hathi/error/sql_error.h"
#include "src/backend/catalog/versions_state.h"

namespace hathi::catalog::versions {

namespace {

// Locking: every word is atomic. A version word: bits 0-15 = how many committing transactions have it marked, above = version.
constexpr std::uint32_t kObjectSlots = 8192, kNameSlots = 2048;
constexpr std::uint64_t kMarkMask = 0xFFFF, kOneVersion = 0x10000;
// `oids` and `fingerprint` are written without a lock: the fingerprint covers the oids too, so a mixture of two writers' words is never
// believed.
struct NameSlot {
  std::atomic<std::uint64_t> version;
  std::atomic<std::uint64_t> oids;          // of the name last remembered here: object << 32 | schema, 0 = there is none
  std::atomic<std::uint64_t> fingerprint;   // of (database, class, name, version, oids)
  std::uint64_t unused;
};
struct Shared {
  std::atomic<std::uint64_t> objects[kObjectSlots];
  NameSlot names[kNameSlots];
};
static_assert(std::is_standard_layout_v<Shared>);

Shared* shared = nullptr;

std::atomic<std::uint64_t>& word(std::uint32_t slot) {
  return slot < kObjectSlots ? shared->objects[slot] : shared->names[slot - kObjectSlots].version;
}

std::uint64_t mix(std::uint64_t h) {
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93u;
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93u;
  return h ^ (h >> 32);
}

std::uint64_t fingerprint(Oid database, Oid class_id, std::string_view name, std::uint64_t version, std::uint64_t oids) {
  std::uint64_t h = std::hash<std::string_view>()(name);
  h = mix(h ^ (static_cast<std::uint64_t>(raw(database)) << 32 | raw(class_id)));
  h = mix(h ^ mix(version));
  h = mix(h ^ mix(oids + 1));
  return h == 0 ? 1 : h;
}

// Waits for committers between mark and publish: a handful of instructions, unless one of them lost its processor.
std::uint64_t wait_unmarked(const std::atomic<std::uint64_t>& w) {
  for (int round = 0;; ++round) {
    std::uint64_t value = w.load(std::memory_order_acquire);
    if ((value & kMarkMask) == 0) return value;
    if (round < 20) {
      sched_yield();
    } else {
      timespec pause{0, 20'000};
      nanosleep(&pause, nullptr);
    }
  }
}

}  // namespace

OwnChanges own_changes;

std::size_t size() { return sizeof(Shared); }
void init(void* memory) { shared = static_cast<Shared*>(memory); }

std::uint32_t slot_of(Oid class_id, Oid object) {
  // Objects made together get neighbouring slots, so a session touches few pages. OIDs come from one counter: classes need not be told apart.
  // pg_inherits stands for the children of a table, which change without the table's own descriptor.
  std::uint32_t shift = class_id == catalog_oid::pg_inherits ? kObjectSlots / 2 : 0;
  return (raw(is_valid(object) ? object : class_id) + shift) & (kObjectSlots - 1);
}

std::uint32_t slot_of_name(Oid class_id, std::string_view name) {
  std::uint64_t h = mix(std::hash<std::string_view>()(name) ^ raw(class_id));
  return kObjectSlots + static_cast<std::uint32_t>(h & (kNameSlots - 1));
}

Stamp stamp(std::uint32_t slot) {
  if (shared == nullptr) return {};
  std::uint64_t value = word(slot).load(std::memory_order_acquire);
  if ((value & kMarkMask) != 0) [[unlikely]] value = wait_unmarked(word(slot));
  return {value, own_changes.empty() ? 0 : own_changes.visible(slot)};
}

std::uint64_t next_version(std::uint64_t current) { return current + kOneVersion; }

bool changed_by_me(std::uint32_t slot) { return !own_changes.empty() && own_changes.contains(slot); }

void mark_changing(std::span<const std::uint32_t> slots) {
  if (shared == nullptr) return;
  for (std::uint32_t slot : slots) word(slot).fetch_add(1, std::memory_order_seq_cst);
}

void publish(std::span<const std::uint32_t> slots) {
  if (shared == nullptr) return;
  for (std::uint32_t slot : slots) word(slot).fetch_add(kOneVersion - 1, std::memory_order_seq_cst);
}

bool recall_name(std::uint32_t name_slot, Oid database, Oid class_id, std::string_view name, const Stamp& s, NamedOids& out) {
  if (shared == nullptr || s.own != 0 || changed_by_me(name_slot)) return false;
  const NameSlot& slot = shared->names[name_slot - kObjectSlots];
  std::uint64_t oids = slot.oids.load(std::memory_order_relaxed);
  if (slot.fingerprint.load(std::memory_order_relaxed) != fingerprint(database, class_id, name, s.shared, oids)) return false;
  out = {Oid{static_cast<std::uint32_t>(oids >> 32)}, Oid{static_cast<std::uint32_t>(oids)}};
  return true;
}

void remember_name(std::uint32_t name_slot, Oid database, Oid class_id, std::string_view name, const Stamp& s, const NamedOids& found) {
  if (shared == nullptr || s.own != 0 || changed_by_me(name_slot)) return;
  NameSlot& slot = shared->names[name_slot - kObjectSlots];
  std::uint64_t oids = static_cast<std::uint64_t>(raw(found.object)) << 32 | raw(found.schema);
  slot.oids.store(oids, std::memory_order_relaxed);
  slot.fingerprint.store(fingerprint(database, class_id, name, s.shared, oids), std::memory_order_relaxed);
}

// --- own changes ----------------------------------------------------------------------------------------------------------
std::uint64_t OwnChanges::visible(std::uint32_t slot) {
  auto found = changes_.find(slot);
  if (found == changes_.end()) return 0;
  Change& change = found->second;
  if (change.pending != 0 && current_command() > change.command) {
    change.visible = change.pending;
    change.pending = 0;
  }
  return change.visible;
}

void OwnChanges::add(std::uint32_t slot) {
  visible(slot);  // what an earlier command did is visible now
  Change& change = changes_[slot];
  change.pending = ++sequence_;
  change.command = current_command();
}

void OwnChanges::renew_all() {
  for (auto& [slot, change] : changes_) change = {++sequence_, 0, CommandId{0}};
}

}  // namespace hathi::catalog::versions
