#include "hathi/catalog/shared_store.h"

#include <algorithm>
#include <atomic>

#include "hathi/error/sql_error.h"
#include "hathi/locking/lwlock.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/transaction/transaction.h"

namespace hathi::catalog::shared_store {

namespace {

constexpr std::size_t kRegionSize = std::size_t{512} << 20;   // reserved; committed as it is used
constexpr std::uint32_t kFewestBuckets = 1024, kMostBuckets = 16384;
constexpr std::uint32_t kWays = 8;                            // a bucket is a cache line
constexpr std::uint32_t kMostHeldPerBucket = 2;               // before the directory grows: then overflowing buckets are rare
constexpr std::size_t kPayloadOffset = 64;
// Chunks of 512 bytes to 16 MiB, four sizes to a doubling, and a cache line more: heads of chunks in a row must not all fall into the same
// sets of the processor's caches, as they would at a distance of a power of two.
constexpr int kSizeClasses = 15 * 4 + 1;
constexpr std::size_t size_of_class(int c) { return ((std::size_t{4} + static_cast<std::size_t>(c % 4)) << (7 + c / 4)) + 64; }
int class_for(std::size_t bytes) {
  int c = 0;
  while (c < kSizeClasses && size_of_class(c) < bytes) ++c;
  return c;
}

// The head of a chunk. Key and version do not change while it is in the directory.
struct Chunk {
  Key key;
  std::uint64_t version;
  std::uint32_t size_class;
  std::uint64_t retired_in;      // epoch; under the lock
  Chunk* next;                   // in the retired or a free list; under the lock
};
static_assert(sizeof(Chunk) <= kPayloadOffset);

// A place of the directory: 16 bits of the key's hash above the chunk's address, so that other keys' chunks are not looked at. 0 = empty.
using Place = std::uint64_t;
constexpr int kAddressBits = 48;
Chunk* chunk_at(Place place) { return reinterpret_cast<Chunk*>(place & ((Place{1} << kAddressBits) - 1)); }

// One cache line a process: the epoch it reads in, 0 = it reads nothing.
struct alignas(64) Reader { std::atomic<std::uint64_t> epoch; };

struct Shared {
  locking::LwLock lock;
  std::atomic<std::uint64_t> epoch;
  // How many buckets are in use, a power of two: the directory grows with what it holds, so that a small one stays on few pages. Whoever
  // looks with an older number misses at worst.
  std::atomic<std::uint32_t> buckets;
  alignas(64) std::atomic<Place> directory[kMostBuckets * kWays];
  // Under the lock:
  std::uint32_t held;            // chunks in the directory
  Chunk* free_lists[kSizeClasses];
  Chunk* retired_oldest;
  Chunk* retired_newest;
  std::uint32_t clock_hand;
  std::size_t used;
};

constexpr shmem::WaitEvent kWait{"LWLock", "DescriptorCache"};

Shared* shared = nullptr;
Reader* readers = nullptr;         // [process slot]
std::byte* region = nullptr;
bool reading = false;              // this process has published an epoch

std::size_t align_up(std::size_t n) { return (n + 4095) & ~std::size_t{4095}; }
std::size_t readers_size() { return align_up(sizeof(Reader) * static_cast<std::size_t>(shmem::planned_slot_count())); }

std::uint64_t hash_of(const Key& key, std::uint64_t object) {
  std::uint64_t h = object * 0x9E3779B97F4A7C15u ^ (static_cast<std::uint64_t>(raw(key.database)) << 8 | static_cast<std::uint32_t>(key.kind));
  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9u;
  return h ^ h >> 32;
}

// Objects made one after another have neighbouring buckets, a page for 256 OIDs: partitions of one table stand together.
std::uint32_t bucket_of(const Key& key) {
  std::uint64_t h = hash_of(key, key.object >> 8) << 6 | (key.object >> 2 & 63);
  return static_cast<std::uint32_t>(h) & (shared->buckets.load(std::memory_order_relaxed) - 1);
}

Place place_of(const Key& key, const Chunk* chunk) {
  Place tag = (hash_of(key, key.object) >> 16 | 1) & 0xFFFF;
  return tag << kAddressBits | reinterpret_cast<Place>(chunk);
}

void enter() {
  if (reading) return;
  std::atomic<std::uint64_t>& mine = readers[shmem::my_slot().number].epoch;
  std::uint64_t epoch = shared->epoch.load(std::memory_order_relaxed);
  while (true) {
    mine.store(epoch, std::memory_order_seq_cst);
    std::uint64_t now = shared->epoch.load(std::memory_order_seq_cst);
    if (now == epoch) break;
    epoch = now;
  }
  reading = true;
}

// --- under the lock -------------------------------------------------------------------------------------------------------
void retire(std::atomic<Place>& place) {
  Chunk* chunk = chunk_at(place.exchange(0, std::memory_order_seq_cst));
  if (chunk == nullptr) return;
  --shared->held;
  chunk->retired_in = shared->epoch.fetch_add(1, std::memory_order_seq_cst);
  chunk->next = nullptr;
  (shared->retired_newest != nullptr ? shared->retired_newest->next : shared->retired_oldest) = chunk;
  shared->retired_newest = chunk;
}

// Frees what nobody can see any more.
void reclaim() {
  if (shared->retired_oldest == nullptr) return;
  std::uint64_t oldest = ~std::uint64_t{0};
  for (int i = 0; i < shmem::slot_count(); ++i) {
    std::uint64_t epoch = readers[i].epoch.load(std::memory_order_seq_cst);
    if (epoch != 0) oldest = std::min(oldest, epoch);
  }
  while (shared->retired_oldest != nullptr && shared->retired_oldest->retired_in < oldest) {
    Chunk* chunk = shared->retired_oldest;
    shared->retired_oldest = chunk->next;
    if (shared->retired_oldest == nullptr) shared->retired_newest = nullptr;
    chunk->next = shared->free_lists[chunk->size_class];
    shared->free_lists[chunk->size_class] = chunk;
  }
}

Chunk* take(int size_class) {
  Chunk*& list = shared->free_lists[size_class];
  if (list != nullptr) {
    Chunk* chunk = list;
    list = chunk->next;
    return chunk;
  }
  std::size_t bytes = size_of_class(size_class);
  if (shared->used + bytes > kRegionSize) return nullptr;
  auto* chunk = reinterpret_cast<Chunk*>(region + shared->used);
  shared->used += bytes;
  chunk->size_class = static_cast<std::uint32_t>(size_class);
  return chunk;
}

// Makes room when all memory is in use: a few objects leave the directory in turn.
void evict_some() {
  std::uint32_t places = shared->buckets.load(std::memory_order_relaxed) * kWays;
  for (int i = 0; i < 256; ++i) retire(shared->directory[shared->clock_hand++ % places]);
}

// Twice the buckets once it is a quarter full: what was in bucket b stays or goes to its new twin.
void grow_directory() {
  std::uint32_t old = shared->buckets.load(std::memory_order_relaxed);
  if (old >= kMostBuckets || shared->held < old * kMostHeldPerBucket) return;
  shared->buckets.store(old * 2, std::memory_order_release);
  for (std::uint32_t place = 0; place < old * kWays; ++place) {
    Place here = shared->directory[place].load(std::memory_order_relaxed);
    if (here == 0 || bucket_of(chunk_at(here)->key) == place / kWays) continue;
    shared->directory[place + old * kWays].store(here, std::memory_order_release);
    shared->directory[place].store(0, std::memory_order_release);
  }
}

}  // namespace

std::size_t size() { return align_up(sizeof(Shared)) + readers_size() + kRegionSize; }

void init(void* memory) {
  shared = static_cast<Shared*>(memory);
  if (shared == nullptr) return;
  readers = reinterpret_cast<Reader*>(static_cast<std::byte*>(memory) + align_up(sizeof(Shared)));
  region = reinterpret_cast<std::byte*>(readers) + readers_size();
  shared->lock.init(locking::LockRank::descriptor_cache, &kWait);
  shared->epoch.store(1);
  shared->buckets.store(kFewestBuckets);
}

const void* find(const Key& key, std::uint64_t version) {
  if (shared == nullptr || !shmem::has_slot()) return nullptr;
  enter();
  std::uint32_t bucket = bucket_of(key) * kWays;
  Place wanted = place_of(key, nullptr);
  for (std::uint32_t way = 0; way < kWays; ++way) {
    Place here = shared->directory[bucket + way].load(std::memory_order_acquire);
    if ((here ^ wanted) >> kAddressBits != 0) continue;
    const Chunk* chunk = chunk_at(here);
    if (chunk->key != key || chunk->version != version) continue;
    // (Between transactions only the log's writer asks, for a name to show: an idle session must not hold up the reuse of memory.)
    if (!transaction::is_running()) end_of_transaction();
    return reinterpret_cast<const std::byte*>(chunk) + kPayloadOffset;
  }
  return nullptr;
}

Building begin(std::size_t bytes) {
  if (shared == nullptr || !shmem::has_slot()) return {};
  int size_class = class_for(bytes + kPayloadOffset);
  if (size_class == kSizeClasses) return {};
  locking::LwLockGuard guard(shared->lock, locking::LwMode::exclusive);
  reclaim();
  Chunk* chunk = take(size_class);
  if (chunk == nullptr) {
    evict_some();
    reclaim();
    chunk = take(size_class);
  }
  if (chunk == nullptr) return {};
  return {chunk, reinterpret_cast<std::byte*>(chunk) + kPayloadOffset, size_of_class(size_class) - kPayloadOffset};
}

void publish(const Building& building, const Key& key, std::uint64_t version) {
  auto* chunk = static_cast<Chunk*>(building.chunk);
  chunk->key = key;
  chunk->version = version;
  locking::LwLockGuard guard(shared->lock, locking::LwMode::exclusive);
  grow_directory();
  std::uint32_t bucket = bucket_of(key) * kWays;
  // Its own older version's place, else an empty one, else the ways in turn.
  std::uint32_t way = shared->clock_hand++ % kWays;
  bool is_there = false;
  for (std::uint32_t i = 0; i < kWays && !is_there; ++i) {
    Place there = shared->directory[bucket + i].load(std::memory_order_relaxed);
    is_there = there != 0 && chunk_at(there)->key == key;
    if (there == 0 || is_there) way = i;
  }
  retire(shared->directory[bucket + way]);
  shared->directory[bucket + way].store(place_of(key, chunk), std::memory_order_release);
  ++shared->held;
}

void abandon(const Building& building) {
  auto* chunk = static_cast<Chunk*>(building.chunk);
  locking::LwLockGuard guard(shared->lock, locking::LwMode::exclusive);
  chunk->next = shared->free_lists[chunk->size_class];
  shared->free_lists[chunk->size_class] = chunk;
}

bool contains(const void* object) {
  return shared != nullptr && object >= region && object < region + kRegionSize;
}

void end_of_transaction() {
  if (!reading) return;
  reading = false;
  readers[shmem::my_slot().number].epoch.store(0, std::memory_order_release);
}

}  // namespace hathi::catalog::shared_store
