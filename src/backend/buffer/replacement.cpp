// Which buffer goes next: the clock sweep, and the rings of bulk readers and writers.

#include <algorithm>
#include <cstdlib>

#include "hathi/memory/arena.h"
#include "hathi/statistics/shared.h"
#include "hathi/wal/log.h"
#include "pool.h"

namespace hathi::buffer {

namespace {

// One step of the sweep: a buffer that nobody has pinned and whose usage count has run out, pinned raw; else kNoBuffer.
BufferIndex sweep_step(bool& pinned_by_others) {
  auto n = static_cast<std::uint64_t>(pool->buffer_count);
  auto i = static_cast<BufferIndex>(pool->hand.fetch_add(1, std::memory_order_relaxed) % n);
  BufferDescriptor& d = descriptors[i];
  std::uint32_t s = d.state.load(std::memory_order_relaxed);
  for (;;) {
    pinned_by_others = (s & kPinMask) != 0;
    if (pinned_by_others) return kNoBuffer;
    if ((s & kUsageMask) != 0) {
      if (d.state.compare_exchange_weak(s, s - kUsageOne, std::memory_order_relaxed)) return kNoBuffer;
      continue;
    }
    if (d.state.compare_exchange_weak(s, s + 1, std::memory_order_acquire, std::memory_order_relaxed)) break;
  }
  allow_page(i);
  return i;
}

// The buffer that the sweep would look at next, pinned raw, if it holds no page; else kNoBuffer, and the hand stays.
BufferIndex empty_buffer_at_hand() {
  std::uint64_t hand = pool->hand.load(std::memory_order_relaxed);
  auto i = static_cast<BufferIndex>(hand % static_cast<std::uint64_t>(pool->buffer_count));
  BufferDescriptor& d = descriptors[i];
  std::uint32_t s = d.state.load(std::memory_order_relaxed);
  if ((s & (kTagValid | kPinMask)) != 0) return kNoBuffer;
  if (!d.state.compare_exchange_strong(s, s + 1, std::memory_order_acquire, std::memory_order_relaxed)) return kNoBuffer;
  pool->hand.compare_exchange_strong(hand, hand + 1, std::memory_order_relaxed);
  return i;
}

// Cleans a raw-pinned buffer if dirty. False when it can't be had without waiting.
bool clean(BufferIndex i, Ring* ring) {
  BufferDescriptor& d = descriptors[i];
  std::uint32_t s = d.state.load(std::memory_order_relaxed);
  if ((s & kDirty) == 0) return true;
  if ((s & kIoWrite) != 0) return false;
  if (!d.content.try_lock(locking::LwMode::shared)) return false;
  ScopeExit unlock([&] { d.content.unlock(); });
  if (ring != nullptr && ring->kind == RingKind::bulk_read && PageView(page_of(i)).header().lsn > wal::flushed_position()) {
    return false;  // a reader should not wait for the log; the sweep finds another
  }
  write_out(i);
  return true;
}

// Takes the raw-pinned buffer out of the table. False when someone else pinned or dirtied it meanwhile.
bool detach(BufferIndex i) {
  BufferDescriptor& d = descriptors[i];
  std::uint32_t s = d.state.load(std::memory_order_relaxed);
  if ((s & kTagValid) == 0) return (s & kPinMask) == 1;
  std::uint32_t hash = hash_tag(d.tag);
  locking::LwLockGuard guard(partition_lock(hash), locking::LwMode::exclusive);
  s = d.state.load(std::memory_order_relaxed);
  for (;;) {
    if ((s & kPinMask) != 1 || (s & (kDirty | kIoWrite)) != 0) return false;
    if (d.state.compare_exchange_weak(s, 1, std::memory_order_acq_rel, std::memory_order_relaxed)) break;
  }
  remove_locked(i, hash);
  return true;
}

bool make_free(BufferIndex i, Ring* ring) {
  bool done = false;
  ScopeExit give_back([&] { if (!done) raw_unpin(i); });
  done = clean(i, ring) && detach(i);
  return done;
}

}  // namespace

BufferIndex take_victim(Ring* ring) {
  pool->allocations.fetch_add(1, std::memory_order_relaxed);
  statistics::count_server_later(statistics::ServerEvent::pages_allocated);
  if (ring != nullptr) {
    // While the sweep stands at buffers that hold nothing, a bulk writer drives nobody's page out by taking them, and need not write its own.
    BufferIndex empty = ring->kind == RingKind::bulk_write ? empty_buffer_at_hand() : kNoBuffer;
    if (empty != kNoBuffer && make_free(empty, ring)) return empty;
    BufferIndex i = ring_candidate(ring);
    if (i != kNoBuffer && make_free(i, ring)) return i;
  }
  // Every buffer may have to be passed until its usage count is used up.
  std::int64_t fruitless = 0;
  std::int64_t limit = static_cast<std::int64_t>(pool->buffer_count) * 8 + 64;
  for (;;) {
    bool pinned = false;
    BufferIndex i = sweep_step(pinned);
    if (i != kNoBuffer && make_free(i, ring)) return i;
    if (++fruitless > limit) throw SqlError(sqlstate::insufficient_resources, "no unpinned buffers available");
  }
}

void return_victim(BufferIndex i) { raw_unpin(i); }

Ring* make_ring(RingKind kind) {
  if (kind == RingKind::none) return nullptr;
  int wanted = kind == RingKind::bulk_write ? 2048 : 32;
  int size = std::clamp(wanted, 1, std::max(1, pool->buffer_count / 8));
  auto ring = static_cast<Ring*>(std::malloc(sizeof(Ring) + static_cast<std::size_t>(size - 1) * sizeof(BufferIndex)));
  if (ring == nullptr) throw SqlError(sqlstate::out_of_memory, "out of memory");
  ring->kind = kind;
  ring->size = size;
  ring->current = 0;
  std::fill_n(ring->buffers, size, kNoBuffer);
  return ring;
}

void free_ring(Ring* ring) { std::free(ring); }

BufferIndex ring_candidate(Ring* ring) {
  ring->current = (ring->current + 1) % ring->size;
  BufferIndex i = ring->buffers[ring->current];
  if (i == kNoBuffer) return kNoBuffer;
  // Only while it is as the ring left it: unpinned and used by nobody else since.
  std::uint32_t s = descriptors[i].state.load(std::memory_order_relaxed);
  while ((s & kPinMask) == 0 && (s & kUsageMask) <= kUsageOne) {
    if (!descriptors[i].state.compare_exchange_weak(s, s + 1, std::memory_order_acquire, std::memory_order_relaxed)) continue;
    allow_page(i);
    return i;
  }
  return kNoBuffer;
}

void ring_remember(Ring* ring, BufferIndex i) { ring->buffers[ring->current] = i; }

}  // namespace hathi::buffer
