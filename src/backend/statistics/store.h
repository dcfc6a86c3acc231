#pragma once
// The counters in shared memory.

#include <atomic>
#include <cstdint>

#include "hathi/locking/lwlock.h"
#include "hathi/statistics/shared.h"

namespace hathi::statistics {

enum class EntryKind : std::uint32_t { none, relation, file, database };

struct EntryKey {
  EntryKind kind;
  std::uint32_t object, database;
  bool operator==(const EntryKey&) const = default;
};

// Positions in Entry::values, by kind.
namespace value {
enum Relation : int {   // relations and files
  counts = 0, live = 7, dead, changed, inserted_since_vacuum, vacuums, analyzes, last_vacuum, last_analyze, pages_fetched, pages_hit
};
enum Database : int {
  events = 0, database_counts = static_cast<int>(DatabaseEvent::count), database_pages_fetched = database_counts + 7, database_pages_hit, database_reset,
  value_count
};
}  // namespace value

// Locking: SharedStore::lock.
struct Entry {
  Entry* next;
  EntryKey key;
  std::uint64_t values[value::value_count];
};

inline constexpr std::size_t kBuckets = 4096;

// Locking: `lock` covers buckets, entries and the free list; server counters are atomics; reset times are single words.
struct SharedStore {
  locking::LwLock lock;
  Entry* free_list;
  Entry* buckets[kBuckets];
  std::atomic<std::uint64_t> server[static_cast<int>(ServerEvent::count)];
  std::int64_t reset_times[static_cast<int>(ResetTarget::count)];
};

extern SharedStore* shared_store;

inline std::size_t bucket_of(const EntryKey& key) {
  std::uint64_t h = (std::uint64_t{key.object} * 0x9E3779B97F4A7C15u) ^ (std::uint64_t{key.database} << 7) ^ static_cast<std::uint64_t>(key.kind);
  return static_cast<std::size_t>((h ^ (h >> 29)) % kBuckets);
}

// With the lock held; find_or_make exclusively, nullptr when there is no room.
Entry* find(const EntryKey& key);
Entry* find_or_make(const EntryKey& key);
std::int64_t now_microseconds();

}  // namespace hathi::statistics
