// Finding pages: lookup, pin, read.

#include "pool.h"

#include <bit>
#include <cstring>
#include <new>
#include <utility>

#include "hathi/buffer/page_check.h"
#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/memory/arena.h"
#include "hathi/statistics/counters.h"
#include "hathi/storage/file.h"
#include "hathi/wal/log.h"

namespace hathi::buffer {

PoolShared* pool = nullptr;
BufferDescriptor* descriptors = nullptr;
std::atomic<std::int32_t>* buckets = nullptr;
std::byte* pages = nullptr;
Usage usage_counters{};
PinTable pins;

namespace {

constexpr shmem::WaitEvent kWaitContent{"LWLock", "BufferContent"};
constexpr shmem::WaitEvent kWaitMapping{"LWLock", "BufferMapping"};
constexpr shmem::WaitEvent kWaitRead{"IO", "DataFileRead"};

std::size_t bucket_count(int buffers) { return std::bit_ceil(static_cast<std::size_t>(buffers) + kPartitions); }
std::size_t align(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }
// Pages start on a boundary of their own, so that each lies in one 4 KiB-aligned pair.
std::size_t pages_offset(int buffers) {
  return align(sizeof(PoolShared) + static_cast<std::size_t>(buffers) * sizeof(BufferDescriptor) + bucket_count(buffers) * sizeof(std::int32_t), kPageSize);
}

}  // namespace

std::size_t pool_size() {
  int n = config::values::shared_buffers;
  return pages_offset(n) + static_cast<std::size_t>(n) * kPageSize + kPageSize;
}

void pool_init(void* memory) {
  int n = config::values::shared_buffers;
  pool = new (memory) PoolShared;
  pool->buffer_count = n;
  pool->bucket_mask = static_cast<std::uint32_t>(bucket_count(n) - 1);
  for (Partition& p : pool->partitions) p.lock.init(locking::LockRank::buffer_mapping, &kWaitMapping);
  auto base = static_cast<std::byte*>(memory);
  descriptors = reinterpret_cast<BufferDescriptor*>(base + sizeof(PoolShared));
  buckets = reinterpret_cast<std::atomic<std::int32_t>*>(descriptors + n);
  pages = base + pages_offset(n);
  pages += (kPageSize - reinterpret_cast<std::uintptr_t>(pages) % kPageSize) % kPageSize;
  storage::set_drop_buffers_hook(drop_relation);
  for (int i = 0; i < n; ++i) descriptors[i].content.init(locking::LockRank::buffer_content, &kWaitContent);
  memory::poison(pages, static_cast<std::size_t>(n) * kPageSize);
}

int pool_buffer_count() { return pool == nullptr ? 0 : pool->buffer_count; }
const Usage& usage() {
  usage_counters.temp_read = storage::TempFile::blocks().read;
  usage_counters.temp_written = storage::TempFile::blocks().written;
  return usage_counters;
}

bool try_pin(BufferIndex i, bool heat) {
  BufferDescriptor& d = descriptors[i];
  std::uint32_t s = d.state.load(std::memory_order_relaxed);
  for (;;) {
    if ((s & kTagValid) == 0) return false;
    std::uint32_t next = s + 1;
    std::uint32_t usage = s & kUsageMask;
    if (heat ? usage < kUsageMax : usage == 0) next += kUsageOne;
    if (d.state.compare_exchange_weak(s, next, std::memory_order_acquire, std::memory_order_relaxed)) {
      pins.add(i);
      return true;
    }
  }
}

void raw_pin(BufferIndex i) {
  descriptors[i].state.fetch_add(1, std::memory_order_acquire);
  allow_page(i);
}

void raw_unpin(BufferIndex i) {
  if constexpr (memory::kPoisons) {
    if (pins.find(i) == nullptr) forbid_page(i);
  }
  std::uint32_t before = descriptors[i].state.fetch_sub(1, std::memory_order_release);
  HATHI_ASSERT((before & kPinMask) > 0);
  if ((before & kPinWaiter) != 0 && (before & kPinMask) == 2) shmem::slot(descriptors[i].cleanup_waiter.load()).latch.set();
}

void unpin(BufferIndex i) {
  int* count = pins.find(i);
  if (count == nullptr) return;  // dropped by release_all_at_abort() already
  if (--*count > 0) return;
  pins.remove(i);
  raw_unpin(i);
}

BufferIndex lookup_locked(const BlockTag& tag, std::uint32_t hash) {
  for (std::int32_t link = bucket_of(hash).load(std::memory_order_relaxed); link != 0; link = descriptors[link - 1].hash_next.load(std::memory_order_relaxed))
    if (descriptors[link - 1].tag == tag) return link - 1;
  return kNoBuffer;
}

void insert_locked(BufferIndex i, std::uint32_t hash) {
  std::atomic<std::int32_t>& head = bucket_of(hash);
  descriptors[i].hash_next.store(head.load(std::memory_order_relaxed), std::memory_order_relaxed);
  head.store(i + 1, std::memory_order_release);
}

void remove_locked(BufferIndex i, std::uint32_t hash) {
  std::atomic<std::int32_t>* link = &bucket_of(hash);
  while (link->load(std::memory_order_relaxed) != i + 1) {
    HATHI_ASSERT(link->load(std::memory_order_relaxed) != 0);
    link = &descriptors[link->load(std::memory_order_relaxed) - 1].hash_next;
  }
  link->store(descriptors[i].hash_next.load(std::memory_order_relaxed), std::memory_order_release);
  descriptors[i].hash_next.store(0, std::memory_order_relaxed);
}

namespace {

// Pins buffer i when it holds `tag`; a pin this process has already is counted up without touching shared memory.
bool pin_if_holds(BufferIndex i, const BlockTag& tag, bool heat) {
  BufferDescriptor& d = descriptors[i];
  if (int* count = pins.find(i)) {
    if (!(d.tag == tag)) return false;
    ++*count;
    return true;
  }
  if (!(d.tag == tag) || !try_pin(i, heat)) return false;
  if (d.tag == tag) return true;
  unpin(i);
  return false;
}

// Lookup without a lock. kNoBuffer may be wrong; a hit is not.
BufferIndex find_and_pin(const BlockTag& tag, std::uint32_t hash, bool heat) {
  std::int32_t link = bucket_of(hash).load(std::memory_order_acquire);
  for (int steps = 0; link != 0 && steps < 32; ++steps) {
    BufferIndex i = link - 1;
    if (descriptors[i].tag == tag) return pin_if_holds(i, tag, heat) ? i : kNoBuffer;
    link = descriptors[i].hash_next.load(std::memory_order_acquire);
  }
  return kNoBuffer;
}

BufferIndex find_and_pin_exactly(const BlockTag& tag, std::uint32_t hash, bool heat) {
  locking::LwLockGuard guard(partition_lock(hash), locking::LwMode::shared);
  BufferIndex i = lookup_locked(tag, hash);
  return i != kNoBuffer && pin_if_holds(i, tag, heat) ? i : kNoBuffer;
}

// Fills the page from disk. Content lock held exclusively; sets kValid.
void fill(BufferIndex i, const BlockTag& tag, ReadMode mode) {
  std::byte* page = page_of(i);
  bool logged = false;
  if (mode == ReadMode::zero) {
    std::memset(page, 0, kPageSize);
  } else {
    shmem::WaitScope wait(kWaitRead);
    if (mode == ReadMode::zero_past_end) storage::read_block_or_zero(tag, page);
    else storage::read_block(tag, page);
    verify_page(tag, page, mode);
    logged = PageView(page).header().lsn != kInvalidLsn;
    ++usage_counters.read;
    statistics::count_page(tag.file, false);
  }
  descriptors[i].state.fetch_or(kValid | (logged ? kLogged : 0u), std::memory_order_release);
}

// The buffer is in the table but its page has not been read (yet): wait for the reader, or read it in his stead if he failed.
void wait_until_valid(BufferIndex i, const BlockTag& tag, ReadMode mode) {
  BufferDescriptor& d = descriptors[i];
  try {
    while ((d.state.load(std::memory_order_acquire) & kValid) == 0) {
      locking::LwLockGuard guard(d.content, locking::LwMode::exclusive);
      if ((d.state.load(std::memory_order_acquire) & kValid) == 0) fill(i, tag, mode);
    }
  } catch (...) {
    unpin(i);
    throw;
  }
}

PinnedBuffer read_miss(const BlockTag& tag, std::uint32_t hash, ReadMode mode, Ring* ring) {
  BufferIndex i = find_and_pin_exactly(tag, hash, ring == nullptr);
  if (i == kNoBuffer) {
    Published p = publish(take_victim(ring), tag, hash);
    i = p.index;
    if (p.ours) {
      if (ring != nullptr) ring_remember(ring, i);
      locking::LwLock& content = descriptors[i].content;
      ScopeExit cleanup([&] { content.unlock(); unpin(i); });
      fill(i, tag, mode);
      cleanup.dismiss();
      content.unlock();
      return BufferAccess::make(i, page_of(i));
    }
  }
  wait_until_valid(i, tag, mode);
  ++usage_counters.hit;
  statistics::count_page(tag.file, true);
  return BufferAccess::make(i, page_of(i));
}

}  // namespace

Published publish(BufferIndex victim, const BlockTag& tag, std::uint32_t hash) {
  BufferDescriptor& d = descriptors[victim];
  d.content.lock(locking::LwMode::exclusive);
  locking::LwLockGuard guard(partition_lock(hash), locking::LwMode::exclusive);
  BufferIndex other = lookup_locked(tag, hash);
  if (other != kNoBuffer) {
    bool pinned = pin_if_holds(other, tag, true);
    HATHI_ASSERT(pinned);
    guard.release();
    d.content.unlock();
    return_victim(victim);
    static_cast<void>(pinned);
    return {other, false};
  }
  d.tag = tag;
  insert_locked(victim, hash);
  pins.add(victim);
  d.state.fetch_add(kTagValid | kUsageOne, std::memory_order_release);
  return {victim, true};
}

namespace {

struct RegisteredCheck {
  std::uint16_t special_size;
  PageCheck check;
};
RegisteredCheck checks[4];
int check_count = 0;

bool structure_is_sound(const BlockTag& tag, const std::byte* page) {
  if ((tag.fork != Fork::main && tag.fork != Fork::init) || tag.file.tablespace == storage::kInternalTablespace) return true;
  std::size_t special = kPageSize - PageView(const_cast<std::byte*>(page)).header().special;
  for (int i = 0; i < check_count; ++i)
    if (checks[i].special_size == special) return checks[i].check(tag, page);
  return true;
}

}  // namespace

void register_page_check(std::uint16_t special_size, PageCheck check) {
  for (int i = 0; i < check_count; ++i)
    if (checks[i].special_size == special_size) return;
  HATHI_ASSERT(check_count < static_cast<int>(std::size(checks)));
  checks[check_count++] = {special_size, check};
}

void verify_page(const BlockTag& tag, std::byte* page, ReadMode mode) {
  if (!storage::has_page_checksum(tag.file)) return;   // no ordinary page
  PageHeader& h = PageView(page).header();
  std::uint32_t stored = std::exchange(h.checksum, 0u);
  if (h.upper == 0 && page_is_zero(page) && stored == 0) return;   // the file has grown, the page was never written
  bool checked = wal::data_checksums();
  std::uint32_t computed = checked ? page_checksum(tag, page) : stored;
  bool sane = page_header_is_sane(page);
  if (computed == stored && sane && structure_is_sound(tag, page)) return;
  std::string path = storage::relation_path(tag.file, tag.fork);
  if (computed != stored && config::values::ignore_checksum_failure && sane && structure_is_sound(tag, page)) {
    report_warning(sqlstate::data_corrupted, "page verification failed, calculated checksum {} but expected {}", computed, stored);
    return;
  }
  if (mode == ReadMode::zero_on_error || config::values::zero_damaged_pages) {
    report_warning(sqlstate::data_corrupted, "invalid page in block {} of relation {}; zeroing out page", tag.block.value(), path);
    std::memset(page, 0, kPageSize);
    return;
  }
  if (computed != stored) report_warning(sqlstate::data_corrupted, "page verification failed, calculated checksum {} but expected {}", computed, stored);
  throw SqlError(sqlstate::data_corrupted, "invalid page in block {} of relation {}", tag.block.value(), path);
}

PinnedBuffer read(const BlockTag& tag, ReadMode mode, Ring* ring) {
  if (storage::is_temporary(tag.file)) [[unlikely]] return local_read(tag, mode);
  std::uint32_t hash = hash_tag(tag);
  BufferIndex i = find_and_pin(tag, hash, ring == nullptr);
  if (i == kNoBuffer) return read_miss(tag, hash, mode, ring);
  if ((descriptors[i].state.load(std::memory_order_acquire) & kValid) == 0) [[unlikely]] wait_until_valid(i, tag, mode);
  ++usage_counters.hit;
  statistics::count_page(tag.file, true);
  return BufferAccess::make(i, page_of(i));
}

PinnedBuffer read_recent(const BlockTag& tag, BufferIndex hint, Ring* ring) {
  if (hint >= 0) {
    // A local buffer's block never stands in the shared pool, so no test for temporary relations is needed.
    if (pin_if_holds(hint, tag, false)) {
      if ((descriptors[hint].state.load(std::memory_order_acquire) & kValid) == 0) [[unlikely]] wait_until_valid(hint, tag, ReadMode::normal);
      ++usage_counters.hit;
      statistics::count_page(tag.file, true);
      return BufferAccess::make(hint, page_of(hint));
    }
  } else if (is_local(hint) && local_has(hint, tag)) {
    return local_read(tag, ReadMode::normal);
  }
  return read(tag, ReadMode::normal, ring);
}

PinnedBuffer try_recent(const BlockTag& tag, BufferIndex hint) {
  if (hint < 0 || !pin_if_holds(hint, tag, false)) return {};
  if ((descriptors[hint].state.load(std::memory_order_acquire) & kValid) == 0) [[unlikely]] {
    unpin(hint);
    return {};
  }
  ++usage_counters.hit;
  statistics::count_page(tag.file, true);
  return BufferAccess::make(hint, page_of(hint));
}

BlockNumber block_count(const RelationFile& file, Fork fork) { return storage::block_count(file, fork); }
bool fork_exists(const RelationFile& file, Fork fork) { return storage::fork_exists(file, fork); }

}  // namespace hathi::buffer
