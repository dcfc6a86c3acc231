// Dirty pages on their way to disk: eviction, checkpoints, the background writer.

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "hathi/config/settings.h"
#include "hathi/memory/arena.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/statistics/shared.h"
#include "hathi/storage/file.h"
#include "hathi/wal/log.h"
#include "pool.h"

namespace hathi::buffer {

namespace {

constexpr shmem::WaitEvent kWaitWrite{"IO", "DataFileWrite"};

// Becomes the one who writes buffer i; false when it turned out clean.
bool begin_write(BufferDescriptor& d) {
  std::uint32_t s = d.state.load(std::memory_order_acquire);
  for (;;) {
    if ((s & kIoWrite) != 0) {
      ::usleep(50);
      s = d.state.load(std::memory_order_acquire);
      continue;
    }
    if ((s & kDirty) == 0) return false;
    if (d.state.compare_exchange_weak(s, (s | kIoWrite) & ~kJustDirtied, std::memory_order_acq_rel)) return true;
  }
}

void end_write(BufferDescriptor& d, bool written) {
  std::uint32_t s = d.state.load(std::memory_order_relaxed);
  for (;;) {
    std::uint32_t next = s & ~kIoWrite;
    // Whoever dirtied it while it was being written expects another write; a checkpoint that began meanwhile, too.
    if (written && (s & kJustDirtied) == 0) next &= ~(kDirty | kCheckpointNeeded);
    if (d.state.compare_exchange_weak(s, next, std::memory_order_acq_rel)) return;
  }
}

}  // namespace

void write_out(BufferIndex i) {
  BufferDescriptor& d = descriptors[i];
  if (!begin_write(d)) return;
  bool written = false;
  ScopeExit finish([&] { end_write(d, written); });
  // Hint bits, and those of the commit log, may change under the share lock, so the checksum is made over a copy.
  alignas(4096) static std::byte copy[kPageSize];
  std::memcpy(copy, page_of(i), kPageSize);
  PageHeader& h = PageView(copy).header();
  // A page's position is raised before such bits are set: read after them, it covers all that the copy has.
  std::atomic_thread_fence(std::memory_order_acquire);
  std::uint64_t position = std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(page_of(i))).load(std::memory_order_relaxed);
  if (position != kInvalidLsn.value()) wal::flush(Lsn{position});
  h.checksum = wal::data_checksums() && storage::has_page_checksum(d.tag.file) ? page_checksum(d.tag, copy) : 0;
  shmem::WaitScope wait(kWaitWrite);
  storage::write_block(d.tag, copy);
  ++usage_counters.written;
  if (shmem::has_slot() && shmem::my_slot().kind == shmem::ProcessKind::backend) statistics::count_server(statistics::ServerEvent::pages_written_by_backend);
  written = true;
}

namespace {

struct ToWrite {
  BlockTag tag;
  BufferIndex index;
};

// Writes buffer i if it still holds `tag` and `wanted` flags are set.
bool write_if(BufferIndex i, const BlockTag& tag, std::uint32_t wanted) {
  BufferDescriptor& d = descriptors[i];
  raw_pin(i);
  ScopeExit unpin_it([&] { raw_unpin(i); });
  std::uint32_t s = d.state.load(std::memory_order_acquire);
  if ((s & (wanted | kTagValid)) != (wanted | kTagValid) || !(d.tag == tag)) return false;
  locking::LwLockGuard guard(d.content, locking::LwMode::shared);
  s = d.state.load(std::memory_order_acquire);
  if ((s & wanted) != wanted) return false;
  write_out(i);
  return true;
}

template <class Select>
std::vector<ToWrite> collect(Select select) {
  std::vector<ToWrite> list;
  for (BufferIndex i = 0; i < pool->buffer_count; ++i) {
    BufferDescriptor& d = descriptors[i];
    std::uint32_t s = d.state.load(std::memory_order_acquire);
    if ((s & (kDirty | kTagValid)) != (kDirty | kTagValid)) continue;
    // Pinned, the tag can't change while it is looked at.
    raw_pin(i);
    s = d.state.load(std::memory_order_acquire);
    if ((s & (kDirty | kTagValid)) == (kDirty | kTagValid) && select(d, s)) list.push_back({d.tag, i});
    raw_unpin(i);
  }
  std::sort(list.begin(), list.end(), [](const ToWrite& a, const ToWrite& b) { return a.tag < b.tag; });
  return list;
}

// Tells the kernel to start writing runs of neighbouring blocks, so that the sync at the end is short.
class WriteBack {
 public:
  void add(const BlockTag& tag) {
    if (count_ > 0 && count_ < kRun && tag.file == first_.file && tag.fork == first_.fork &&
        tag.block.value() - first_.block.value() == static_cast<std::uint32_t>(count_) && tag.block.value() % storage::kSegmentBlocks != 0) {
      ++count_;
      return;
    }
    flush();
    first_ = tag;
    count_ = 1;
  }
  void flush() {
    if (count_ > 0) storage::write_back(first_, count_);
    count_ = 0;
  }
 private:
  static constexpr int kRun = 32;
  BlockTag first_;
  int count_ = 0;
};

int write_all(const std::vector<ToWrite>& list, std::uint32_t wanted, void (*progress_delay)(double)) {
  WriteBack write_back;
  int written = 0;
  for (std::size_t n = 0; n < list.size(); ++n) {
    if (write_if(list[n].index, list[n].tag, wanted)) {
      ++written;
      if (progress_delay != nullptr) write_back.add(list[n].tag);
    }
    if (progress_delay != nullptr) progress_delay(static_cast<double>(n + 1) / static_cast<double>(list.size()));
  }
  write_back.flush();
  return written;
}

}  // namespace

void flush_relation(const RelationFile& file) {
  if (storage::is_temporary(file)) return local_flush(file);
  write_all(collect([&](BufferDescriptor& d, std::uint32_t) { return d.tag.file == file; }), kDirty, nullptr);
}

void flush_database(Oid database) {
  write_all(collect([&](BufferDescriptor& d, std::uint32_t) { return d.tag.file.database == database; }), kDirty, nullptr);
}

void flush_everything() {
  write_all(collect([](BufferDescriptor&, std::uint32_t) { return true; }), kDirty, nullptr);
}

int flush_for_checkpoint(bool immediate, void (*progress_delay)(double fraction)) {
  auto list = collect([](BufferDescriptor& d, std::uint32_t s) {
    if ((s & kLogged) == 0) return false;
    d.state.fetch_or(kCheckpointNeeded, std::memory_order_acq_rel);
    return true;
  });
  return write_all(list, kCheckpointNeeded, immediate ? nullptr : progress_delay);
}

int background_clean(int max_pages) {
  // Stay ahead of the hand by what was allocated lately, smoothed; look only at buffers that the sweep would take next.
  static std::uint64_t last_allocations = 0;
  static double smoothed = 0;
  static std::uint64_t cleaned_to = 0;
  std::uint64_t allocations = pool->allocations.load(std::memory_order_relaxed);
  double recent = static_cast<double>(allocations - last_allocations);
  last_allocations = allocations;
  smoothed = recent > smoothed ? recent : smoothed + (recent - smoothed) / 16;
  auto wanted = static_cast<std::uint64_t>(smoothed * config::values::bgwriter_lru_multiplier);
  std::uint64_t hand = pool->hand.load(std::memory_order_relaxed);
  auto n = static_cast<std::uint64_t>(pool->buffer_count);
  if (cleaned_to < hand) cleaned_to = hand;
  std::uint64_t reusable = 0;
  int written = 0;
  for (; cleaned_to < hand + n && reusable < wanted && written < max_pages; ++cleaned_to) {
    auto i = static_cast<BufferIndex>(cleaned_to % n);
    BufferDescriptor& d = descriptors[i];
    std::uint32_t s = d.state.load(std::memory_order_relaxed);
    if ((s & kPinMask) != 0 || (s & kUsageMask) != 0) continue;
    ++reusable;
    if ((s & (kDirty | kTagValid | kIoWrite)) != (kDirty | kTagValid)) continue;
    raw_pin(i);
    ScopeExit unpin_it([&] { raw_unpin(i); });
    s = d.state.load(std::memory_order_acquire);
    if ((s & (kDirty | kTagValid)) != (kDirty | kTagValid) || !d.content.try_lock(locking::LwMode::shared)) continue;
    ScopeExit unlock([&] { d.content.unlock(); });
    write_out(i);
    ++written;
  }
  return written;
}

}  // namespace hathi::buffer
