#include "size_cache.h"

#include <atomic>
#include <cstring>

namespace hathi::storage::size_cache {

namespace {

struct Entry {
  std::uint32_t tablespace, database, relation, fork;  // fork + 1, 0 = empty
  std::uint32_t blocks;
};
constexpr int kWays = 3;
struct alignas(64) Bucket {
  std::atomic<std::uint32_t> version;
  Entry entries[kWays];
};
static_assert(sizeof(Bucket) == 64);
constexpr std::uint32_t kBuckets = 4096;
Bucket* buckets = nullptr;

Bucket& bucket_of(const RelationFile& file, Fork fork) {
  std::uint64_t h =
      (static_cast<std::uint64_t>(raw(file.relation)) << 2 | static_cast<std::uint64_t>(fork)) ^ static_cast<std::uint64_t>(raw(file.database)) << 34;
  return buckets[(h * 0x9E3779B97F4A7C15u) >> 52];
}

bool matches(const Entry& e, const RelationFile& file, Fork fork) {
  return e.relation == raw(file.relation) && e.fork == static_cast<std::uint32_t>(fork) + 1 && e.database == raw(file.database) &&
         e.tablespace == raw(file.tablespace);
}

std::uint32_t lock(Bucket& b) {
  for (;;) {
    std::uint32_t v = b.version.load(std::memory_order_relaxed);
    if ((v & 1) == 0 && b.version.compare_exchange_weak(v, v + 1, std::memory_order_acquire)) return v;
    __builtin_ia32_pause();
  }
}
void unlock(Bucket& b) { b.version.fetch_add(1, std::memory_order_release); }

}  // namespace

std::size_t size() { return sizeof(Bucket) * kBuckets; }
void init(void* memory) { buckets = static_cast<Bucket*>(memory); }

std::optional<BlockNumber> find(const RelationFile& file, Fork fork, std::uint32_t& token) {
  token = 1;
  if (buckets == nullptr) return std::nullopt;
  Bucket& b = bucket_of(file, fork);
  token = b.version.load(std::memory_order_acquire);
  if ((token & 1) != 0) return std::nullopt;
  for (const Entry& slot : b.entries) {
    if (!matches(slot, file, fork)) continue;
    std::uint32_t blocks = std::atomic_ref<const std::uint32_t>(slot.blocks).load(std::memory_order_acquire);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (b.version.load(std::memory_order_relaxed) == token) return BlockNumber{blocks};
    return std::nullopt;
  }
  return std::nullopt;
}

void enter(const RelationFile& file, Fork fork, BlockNumber blocks, std::uint32_t token) {
  if (buckets == nullptr || (token & 1) != 0) return;
  Bucket& b = bucket_of(file, fork);
  if (!b.version.compare_exchange_strong(token, token + 1, std::memory_order_acquire)) return;
  Entry* place = nullptr;
  for (Entry& e : b.entries)
    if (e.fork == 0 || matches(e, file, fork)) place = place == nullptr || matches(e, file, fork) ? &e : place;
  if (place == nullptr) place = &b.entries[(token >> 1) % kWays];
  *place = {raw(file.tablespace), raw(file.database), raw(file.relation), static_cast<std::uint32_t>(fork) + 1, blocks.value()};
  unlock(b);
}

void grown(const RelationFile& file, Fork fork, BlockNumber blocks) {
  if (buckets == nullptr) return;
  Bucket& b = bucket_of(file, fork);
  lock(b);
  for (Entry& e : b.entries)
    if (matches(e, file, fork) && e.blocks < blocks.value()) e.blocks = blocks.value();
  unlock(b);
}

void forget(const RelationFile& file, Fork fork) {
  if (buckets == nullptr) return;
  Bucket& b = bucket_of(file, fork);
  lock(b);
  for (Entry& e : b.entries)
    if (matches(e, file, fork)) e = {};
  unlock(b);
}

void forget_all() {
  if (buckets == nullptr) return;
  for (std::uint32_t i = 0; i < kBuckets; ++i) {
    lock(buckets[i]);
    for (Entry& e : buckets[i].entries) e = {};
    unlock(buckets[i]);
  }
}

}  // namespace hathi::storage::size_cache
