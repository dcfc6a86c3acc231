// The guard around a pin: content locks, dirtying, release.

#include <utility>

#include "hathi/error/report.h"
#include "hathi/storage/file.h"
#include "hathi/wal/log.h"
#include "pool.h"

namespace hathi::buffer {

namespace {
constexpr shmem::WaitEvent kWaitPin{"BufferPin", "BufferPin"};

int own_pins(BufferIndex i) {
  int* count = pins.find(i);
  return count == nullptr ? 0 : *count;
}

// Raises the page's LSN; several processes may do so under a share lock.
void raise_lsn(std::byte* page, Lsn lsn) {
  std::atomic_ref<std::uint64_t> stored(*reinterpret_cast<std::uint64_t*>(page));
  std::uint64_t old = stored.load(std::memory_order_relaxed);
  while (old < lsn.value() && !stored.compare_exchange_weak(old, lsn.value(), std::memory_order_release)) {}
}
}  // namespace

PinnedBuffer::PinnedBuffer(PinnedBuffer&& other) noexcept
    : page_(other.page_), index_(std::exchange(other.index_, kNoBuffer)), locked_(std::exchange(other.locked_, false)),
      locked_exclusive_(std::exchange(other.locked_exclusive_, false)) {}

PinnedBuffer& PinnedBuffer::operator=(PinnedBuffer&& other) noexcept {
  if (this != &other) {
    release();
    page_ = other.page_;
    index_ = std::exchange(other.index_, kNoBuffer);
    locked_ = std::exchange(other.locked_, false);
    locked_exclusive_ = std::exchange(other.locked_exclusive_, false);
  }
  return *this;
}

const BlockTag& PinnedBuffer::tag() const {
  HATHI_ASSERT(index_ != kNoBuffer);
  return index_ >= 0 ? descriptors[index_].tag : local_tag(index_);
}

void PinnedBuffer::lock(locking::LwMode mode) {
  HATHI_ASSERT(index_ != kNoBuffer && !locked_);
  if (index_ >= 0) descriptors[index_].content.lock(mode);
  locked_ = true;
  locked_exclusive_ = mode == locking::LwMode::exclusive;
}

bool PinnedBuffer::try_lock(locking::LwMode mode) {
  HATHI_ASSERT(index_ != kNoBuffer && !locked_);
  if (index_ >= 0 && !descriptors[index_].content.try_lock(mode)) return false;
  locked_ = true;
  locked_exclusive_ = mode == locking::LwMode::exclusive;
  return true;
}

void PinnedBuffer::unlock() {
  HATHI_ASSERT(locked_);
  if (index_ >= 0) descriptors[index_].content.unlock();
  locked_ = locked_exclusive_ = false;
}

void PinnedBuffer::lock_for_cleanup() {
  for (;;) {
    lock(locking::LwMode::exclusive);
    if (index_ < 0) return;
    BufferDescriptor& d = descriptors[index_];
    HATHI_ASSERT(own_pins(index_) == 1);
    std::uint32_t s = d.state.load(std::memory_order_acquire);
    if ((s & kPinMask) == 1) {
      if ((s & kPinWaiter) != 0 && d.cleanup_waiter.load() == shmem::my_slot().number) d.state.fetch_and(~kPinWaiter);
      return;
    }
    bool registered = (s & kPinWaiter) == 0;
    shmem::Latch& latch = shmem::my_slot().latch;
    if (registered) {
      d.cleanup_waiter.store(shmem::my_slot().number);
      latch.reset();
      d.state.fetch_or(kPinWaiter, std::memory_order_acq_rel);
    }
    unlock();
    shmem::WaitScope wait(kWaitPin);
    // The one registered is woken by the last unpin but one; anyone else, and everyone for safety, looks again now and then.
    if ((d.state.load(std::memory_order_acquire) & kPinMask) > 1) latch.wait(registered ? 100 : 2);
    if (registered) d.state.fetch_and(~kPinWaiter);
  }
}

bool PinnedBuffer::try_lock_for_cleanup() {
  if (index_ >= 0 && own_pins(index_) != 1) return false;
  if (!try_lock(locking::LwMode::exclusive)) return false;
  if (index_ < 0 || (descriptors[index_].state.load(std::memory_order_acquire) & kPinMask) == 1) return true;
  unlock();
  return false;
}

void PinnedBuffer::mark_dirty(bool logged) {
  HATHI_ASSERT(index_ != kNoBuffer);
  if (index_ < 0) return local_mark_dirty(index_);
  HATHI_ASSERT(locked_exclusive_);
  std::uint32_t wanted = kDirty | kJustDirtied | (logged ? kLogged : 0u);
  std::uint32_t s = descriptors[index_].state.load(std::memory_order_relaxed);
  if ((s & wanted) == wanted) return;
  if ((s & kDirty) == 0) ++usage_counters.dirtied;
  descriptors[index_].state.fetch_or(wanted, std::memory_order_acq_rel);
}

void PinnedBuffer::mark_dirty_shared(Lsn lsn) {
  HATHI_ASSERT(index_ >= 0 && locked_);
  if (lsn != kInvalidLsn) raise_lsn(page_, lsn);
  descriptors[index_].state.fetch_or(kDirty | kJustDirtied | (lsn != kInvalidLsn ? kLogged : 0u), std::memory_order_acq_rel);
}

void PinnedBuffer::mark_dirty_hint() {
  HATHI_ASSERT(index_ != kNoBuffer && locked_);
  if (index_ < 0) return local_mark_dirty(index_);
  std::atomic<std::uint32_t>& state = descriptors[index_].state;
  std::uint32_t s = state.load(std::memory_order_relaxed);
  // Dirty and not being written: the image that a torn write would need is in the log already.
  if ((s & (kDirty | kJustDirtied)) == (kDirty | kJustDirtied)) return;
  if ((s & kDirty) == 0) ++usage_counters.dirtied;
  bool may_need_image = (s & kLogged) != 0 && wal::data_checksums() && !wal::in_recovery() && storage::has_page_checksum(descriptors[index_].tag.file);
  if (!may_need_image) {
    state.fetch_or(kDirty | kJustDirtied, std::memory_order_acq_rel);
    return;
  }
  // Image first, dirty second, and no checkpoint's start between them: it would neither write this page nor keep the image.
  wal::DelayCheckpoint delay;
  Lsn lsn = wal::log_hint_image(descriptors[index_].tag, page_);
  if (lsn != kInvalidLsn) raise_lsn(page_, lsn);
  state.fetch_or(kDirty | kJustDirtied, std::memory_order_acq_rel);
}

PinnedBuffer PinnedBuffer::share() const {
  HATHI_ASSERT(index_ != kNoBuffer);
  if (index_ >= 0) {
    int* count = pins.find(index_);
    HATHI_ASSERT(count != nullptr);
    ++*count;
  } else {
    local_pin_again(index_);
  }
  return BufferAccess::make(index_, page_);
}

void PinnedBuffer::release() {
  if (index_ == kNoBuffer) return;
  if (locked_) {
    // After an error the locks were released before the objects that took them go.
    if (index_ < 0 || descriptors[index_].content.held_by_me()) unlock();
    else locked_ = locked_exclusive_ = false;
  }
  if (index_ >= 0) unpin(index_);
  else local_unpin(index_);
  index_ = kNoBuffer;
}

void check_for_leaked_pins() {
  BufferIndex i = pins.any();
  if (i == kNoBuffer) return;
  while ((i = pins.any()) != kNoBuffer) {
    const BlockTag& tag = descriptors[i].tag;
    report_warning(sqlstate::internal_error, "buffer pin leak: block {} of relation {}", tag.block.value(), storage::relation_path(tag.file, tag.fork));
    pins.remove(i);
    raw_unpin(i);
  }
  HATHI_ASSERT(!"buffer pins leaked");
}

void release_all_at_abort() {
  BufferIndex i;
  while ((i = pins.any()) != kNoBuffer) {
    if (descriptors[i].content.held_by_me()) descriptors[i].content.unlock();
    pins.remove(i);
    raw_unpin(i);
  }
}

}  // namespace hathi::buffer
