#include "fast_path.h"

#include <algorithm>
#include <bit>

#include "hathi/config/settings.h"
#include "hathi/error/sql_error.h"

namespace hathi::locking {

namespace {

constexpr int kGroup = 16;  // entries searched for one relation: two cache lines
constexpr int kStrongCounts = 2048;

// An entry: relation OID, whether the tag is of the shared catalogs or a subtree, and one bit a weak mode. 0 = free.
constexpr std::uint64_t kModeBits = 7;
constexpr std::uint64_t kSubtree = 8, kSharedCatalog = 16;

// Locking: entries as fast_path.h says; `database` (of the entries that are not of shared catalogs) is written by the owner while it has no
// entries.
struct alignas(64) Header {
  std::atomic<std::uint32_t> database;
};
using Entry = std::atomic<std::uint64_t>;

std::atomic<std::uint32_t>* strong_counts = nullptr;
std::byte* arrays = nullptr;
int entries_per_slot = 0;
std::size_t stride = 0;

int planned_entries() {
  return std::clamp(static_cast<int>(std::bit_ceil(static_cast<unsigned>(config::values::max_locks_per_transaction))), 256, 1024);
}
std::size_t stride_for(int entries) { return sizeof(Header) + static_cast<std::size_t>(entries) * sizeof(Entry); }

Header& header_of(int slot) { return *reinterpret_cast<Header*>(arrays + static_cast<std::size_t>(slot) * stride); }
Entry* entries_of(int slot) { return reinterpret_cast<Entry*>(arrays + static_cast<std::size_t>(slot) * stride + sizeof(Header)); }
Entry* group_of(int slot, std::uint32_t hash) {
  return entries_of(slot) + (hash >> 8) % static_cast<unsigned>(entries_per_slot / kGroup) * kGroup;
}
std::atomic<std::uint32_t>& strong_count(std::uint32_t hash) { return strong_counts[hash % kStrongCounts]; }

std::uint64_t key_of(const LockTag& tag) {
  std::uint64_t key = std::uint64_t{tag.relation} << 32;
  if (tag.kind == LockTagKind::subtree) key |= kSubtree;
  if (tag.database == 0) key |= kSharedCatalog;
  return key;
}
std::uint64_t bit_of(LockMode mode) { return std::uint64_t{1} << (static_cast<int>(mode) - 1); }
ModeMask modes_in(std::uint64_t word) { return static_cast<ModeMask>((word & kModeBits) << 1); }

bool is_empty(int slot) {
  Entry* all = entries_of(slot);
  for (int i = 0; i < entries_per_slot; ++i) {
    if (all[i].load(std::memory_order_relaxed) != 0) return false;
  }
  return true;
}

bool clear_bit(Entry& entry, std::uint64_t key, std::uint64_t bit) {
  std::uint64_t word = entry.load(std::memory_order_relaxed);
  for (;;) {
    if ((word & ~kModeBits) != key || (word & bit) == 0) return false;
    std::uint64_t wanted = (word & kModeBits) == bit ? 0 : word & ~bit;
    if (entry.compare_exchange_weak(word, wanted, std::memory_order_seq_cst)) break;
  }
  return true;
}

}  // namespace

std::size_t fast_path_size() {
  return 128 + kStrongCounts * sizeof(std::uint32_t) +
         static_cast<std::size_t>(shmem::planned_slot_count()) * stride_for(planned_entries());
}

void fast_path_init(void* memory) {
  auto address = (reinterpret_cast<std::uintptr_t>(memory) + 63) / 64 * 64;
  strong_counts = reinterpret_cast<std::atomic<std::uint32_t>*>(address);
  for (int i = 0; i < kStrongCounts; ++i) new (strong_counts + i) std::atomic<std::uint32_t>(0);
  arrays = reinterpret_cast<std::byte*>(strong_counts + kStrongCounts);
  entries_per_slot = planned_entries();
  stride = stride_for(entries_per_slot);
  // The arrays are zero already, as the kernel gave them: none of their pages is touched before its owner does.
}

int fast_acquire(const LockTag& tag, std::uint32_t hash, LockMode mode) {
  if (strong_count(hash).load(std::memory_order_relaxed) != 0) return kNoEntry;
  int slot = shmem::my_slot().number;
  Header& header = header_of(slot);
  if (tag.database != 0 && header.database.load(std::memory_order_relaxed) != tag.database) {
    // A session's first lock; or a relation of another database, which must not share the array with entries of this one.
    if (!is_empty(slot)) return kNoEntry;
    header.database.store(tag.database, std::memory_order_seq_cst);
  }
  std::uint64_t key = key_of(tag), bit = bit_of(mode);
  Entry* group = group_of(slot, hash);
  int chosen = kNoEntry;
  for (int i = 0; i < kGroup; ++i) {
    std::uint64_t word = group[i].load(std::memory_order_relaxed);
    if (word == 0) {
      if (chosen == kNoEntry) chosen = i;
    } else if ((word & ~kModeBits) == key) {
      if (group[i].compare_exchange_strong(word, word | bit, std::memory_order_seq_cst)) {
        chosen = i;
        break;
      }
      return kNoEntry;  // just moved: the shared table is in charge
    }
  }
  if (chosen == kNoEntry) return kNoEntry;
  Entry& entry = group[chosen];
  if (entry.load(std::memory_order_relaxed) == 0) entry.exchange(key | bit, std::memory_order_seq_cst);
  int number = static_cast<int>(&entry - entries_of(slot));
  if (strong_count(hash).load(std::memory_order_seq_cst) == 0) return number;
  // A strong locker came. If it moved the entry already, the lock is ours in the shared table; release will find it there.
  if (clear_bit(entry, key, bit)) return kNoEntry;
  return number;
}

bool fast_release(int entry, const LockTag& tag, LockMode mode) {
  return clear_bit(entries_of(shmem::my_slot().number)[entry], key_of(tag), bit_of(mode));
}

void raise_strong(std::uint32_t hash) { strong_count(hash).fetch_add(1, std::memory_order_seq_cst); }
void lower_strong(std::uint32_t hash) { strong_count(hash).fetch_sub(1, std::memory_order_seq_cst); }

void move_fast_entries(const LockTag& tag, std::uint32_t hash) {
  std::uint64_t key = key_of(tag);
  int slots = shmem::slot_count();
  for (int slot = 0; slot < slots; ++slot) {
    if (shmem::slot(slot).in_use.load(std::memory_order_seq_cst) == 0) continue;
    if (tag.database != 0 && header_of(slot).database.load(std::memory_order_seq_cst) != tag.database) continue;
    Entry* group = group_of(slot, hash);
    for (int i = 0; i < kGroup; ++i) {
      std::uint64_t word = group[i].load(std::memory_order_seq_cst);
      if (word == 0 || (word & ~kModeBits) != key) continue;
      Partition& p = partition_of(hash);
      LwLockGuard guard(p.lock, LwMode::exclusive);
      // Everything that may fail comes before the entry is cleared.
      Lock& lock = find_or_add_lock(p, tag, hash);
      Holding* holding = find_holding(lock, slot);
      if (holding == nullptr) holding = &add_holding(p, lock, slot);
      word = group[i].load(std::memory_order_relaxed);
      while ((word & ~kModeBits) == key && word != 0) {
        if (group[i].compare_exchange_weak(word, 0, std::memory_order_seq_cst)) break;
      }
      if (word != 0 && (word & ~kModeBits) == key) {
        for (ModeMask modes = modes_in(word); modes != 0; modes &= static_cast<ModeMask>(modes - 1)) {
          grant(lock, *holding, static_cast<LockMode>(std::countr_zero(modes)));
        }
      }
      remove_if_empty(p, *holding);
      remove_if_unused(p, lock);
    }
  }
}

ModeMask fast_modes(int slot, const LockTag& tag, std::uint32_t hash) {
  if (tag.database != 0 && header_of(slot).database.load(std::memory_order_seq_cst) != tag.database) return 0;
  std::uint64_t key = key_of(tag);
  Entry* group = group_of(slot, hash);
  for (int i = 0; i < kGroup; ++i) {
    std::uint64_t word = group[i].load(std::memory_order_seq_cst);
    if (word != 0 && (word & ~kModeBits) == key) return modes_in(word);
  }
  return 0;
}

void list_fast_entries(int slot, std::vector<std::pair<LockTag, ModeMask>>& entries) {
  std::uint32_t database = header_of(slot).database.load(std::memory_order_relaxed);
  Entry* all = entries_of(slot);
  for (int i = 0; i < entries_per_slot; ++i) {
    std::uint64_t word = all[i].load(std::memory_order_relaxed);
    if (word == 0) continue;
    LockTag tag;
    tag.database = (word & kSharedCatalog) != 0 ? 0 : database;
    tag.relation = static_cast<std::uint32_t>(word >> 32);
    tag.kind = (word & kSubtree) != 0 ? LockTagKind::subtree : LockTagKind::relation;
    entries.emplace_back(tag, modes_in(word));
  }
}

}  // namespace hathi::locking
