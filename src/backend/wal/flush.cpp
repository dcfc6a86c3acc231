// From the ring to the files: writing, syncing, group commit.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/storage/durability.h"
#include "hathi/storage/file.h"
#include "log_state.h"

namespace hathi::wal {

namespace {

constexpr shmem::WaitEvent kWaitIoWrite{"IO", "WALWrite"};
constexpr shmem::WaitEvent kWaitIoSync{"IO", "WALSync"};

enum SyncMethod { kFsync = 0, kFdatasync = 1, kOpenSync = 2, kOpenDatasync = 3 };

// This process's descriptor of the segment it wrote last.
int open_fd = -1;
std::uint64_t open_segment = 0;
int open_method = -1;

int method_flags() {
  if (!config::values::fsync) return 0;
  if (config::values::wal_sync_method == kOpenSync) return O_SYNC;
  return config::values::wal_sync_method == kOpenDatasync ? O_DSYNC : 0;
}

void use_segment(std::uint64_t segment) {
  if (open_fd >= 0 && open_segment == segment && open_method == config::values::wal_sync_method) return;
  if (open_fd >= 0) storage::file_system().close(open_fd);
  for (int attempt = 0; (open_fd = open_wal_segment(segment, method_flags())) < 0 && storage::is_disk_full(errno); ++attempt)
    storage::wait_for_space("create", segment_path(segment), attempt);
  if (open_fd < 0) panic(fmt::format("could not open file \"{}\": {}", segment_path(segment), std::strerror(errno)));
  open_segment = segment;
  open_method = config::values::wal_sync_method;
}

void sync_open_segment() {
  if (!config::values::fsync || method_flags() != 0) return;
  shmem::WaitScope wait(kWaitIoSync);
  storage::FileSystem& fs = storage::file_system();
  int result = config::values::wal_sync_method == kFsync ? fs.sync(open_fd) : fs.data_sync(open_fd);
  if (result < 0) panic(fmt::format("could not fsync file \"{}\": {}", segment_path(open_segment), std::strerror(errno)));
}

void write_piece(std::uint64_t position, std::uint64_t size) {
  shmem::WaitScope wait(kWaitIoWrite);
  int full = 0;
  while (size > 0) {
    std::int64_t n = storage::file_system().write(open_fd, ring + position % state->ring_size, size, static_cast<std::int64_t>(position % kWalSegmentSize));
    // A full disk is no reason to fall over: nothing is acknowledged before it is written, so all wait for room.
    if (n == 0 || (n < 0 && storage::is_disk_full(errno))) {
      storage::wait_for_space("write to", segment_path(open_segment), full++);
      continue;
    }
    if (n < 0) {
      panic(fmt::format("could not write to log file {} at offset {}, length {}: {}", segment_name(Lsn{position}), position % kWalSegmentSize, size,
                        std::strerror(errno)));
    }
    position += static_cast<std::uint64_t>(n);
    size -= static_cast<std::uint64_t>(n);
  }
}

void wake_wal_writer() {
  if (!state->wal_writer_sleeps.load(std::memory_order_acquire)) return;
  std::int32_t slot = state->wal_writer_slot.load();
  if (slot != 0 && state->wal_writer_sleeps.exchange(false)) shmem::slot(slot - 1).latch.set();
}

// A segment is full: it is synced for good before the next begins.
void finish_segment(std::uint64_t end) {
  sync_open_segment();
  state->flushed.store(end, std::memory_order_release);
  wake_wal_writer();   // to make the next but one ahead of time
  std::uint64_t segment = end / kWalSegmentSize;
  if (segment - state->redo.load(std::memory_order_relaxed) / kWalSegmentSize < segments_per_checkpoint()) return;
  std::int32_t slot = state->checkpoint.checkpointer_slot.load();
  if (slot == 0) return;
  {
    locking::SpinGuard guard(state->checkpoint.lock);
    state->checkpoint.requested |= kRequestAny | kRequestByVolume;
  }
  shmem::slot(slot - 1).latch.set();
}

}  // namespace

void write_locked(std::uint64_t upto, bool sync) {
  std::uint64_t position = state->written.load(std::memory_order_relaxed);
  while (position < upto) {
    use_segment(position / kWalSegmentSize);
    std::uint64_t segment_end = (open_segment + 1) * kWalSegmentSize;
    std::uint64_t n = std::min({upto - position, segment_end - position, state->ring_size - position % state->ring_size});
    write_piece(position, n);
    position += n;
    if (position == segment_end) finish_segment(position);
    state->written.store(position, std::memory_order_release);
  }
  if (!sync || state->flushed.load(std::memory_order_relaxed) >= position) return;
  // At a segment's end there is nothing of the next one yet.
  if (position % kWalSegmentSize != 0) use_segment(position / kWalSegmentSize);
  sync_open_segment();
  state->flushed.store(position, std::memory_order_release);
}

void flush(Lsn upto) {
  if (state == nullptr || state->flushed.load(std::memory_order_acquire) >= upto.value()) return;
  if (!state->ready.load(std::memory_order_relaxed)) return;  // redo: what it replays is on disk
  if (upto.value() > state->reserved.load(std::memory_order_acquire)) {
    // A page of a log that was lost (fsync = off and a crash, a copied file): there is nothing to flush for it.
    report_warning(sqlstate::data_corrupted, "xlog flush request {:X}/{:X} is not satisfied --- flushed only to {:X}/{:X}", upto.value() >> 32,
                   upto.value() & 0xFFFFFFFFu, state->flushed.load() >> 32, state->flushed.load() & 0xFFFFFFFFu);
    return;
  }
  CriticalSection critical;
  for (;;) {
    if (state->flushed.load(std::memory_order_acquire) >= upto.value()) return;
    std::uint64_t finished = wait_for_insertions(upto.value());
    // Whoever has the lock flushes for all: the others wait and look again.
    if (!state->write_lock.lock_or_wait()) continue;
    if (state->flushed.load(std::memory_order_acquire) < upto.value()) {
      if (config::values::commit_delay > 0 && config::values::fsync && counter_hooks.active_transactions != nullptr &&
          counter_hooks.active_transactions() > config::values::commit_siblings)
        ::usleep(static_cast<useconds_t>(config::values::commit_delay));
      finished = wait_for_insertions(finished);   // no wait: only takes in what was finished meanwhile
      write_locked(finished, true);
    }
    state->write_lock.unlock();
    return;
  }
}

void write_out(Lsn upto) {
  if (state == nullptr || state->written.load(std::memory_order_acquire) >= upto.value() || !state->ready.load(std::memory_order_relaxed)) return;
  CriticalSection critical;
  wait_for_insertions(upto.value());
  locking::LwLockGuard guard(state->write_lock, locking::LwMode::exclusive);
  if (state->written.load(std::memory_order_acquire) < upto.value()) write_locked(upto.value(), false);
}

void flush_soon(Lsn upto) {
  std::uint64_t old = state->async_upto.load(std::memory_order_relaxed);
  while (old < upto.value() && !state->async_upto.compare_exchange_weak(old, upto.value(), std::memory_order_release)) {}
  wake_wal_writer();
}

bool async_commits_are_flushed() { return state->flushed.load(std::memory_order_acquire) >= state->async_upto.load(std::memory_order_acquire); }

}  // namespace hathi::wal
