// Main loops of the checkpointer, the WAL writer and the background writer.

#include <algorithm>
#include <chrono>

#include "hathi/buffer/buffer_pool.h"
#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/shmem/futex.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/shmem/segment.h"
#include "hathi/statistics/shared.h"
#include "hathi/storage/file.h"
#include "log_state.h"

namespace hathi::wal {

bool log_moved_since_checkpoint();
void note_checkpoint_cause(bool by_volume);

namespace {

using Clock = std::chrono::steady_clock;
// How long the background writer makes huge pages at a stretch, and what it rests between.
constexpr int kCollapseMilliseconds = 20, kCollapsePause = 20;
constexpr shmem::WaitEvent kCheckpointerIdle{"Activity", "CheckpointerMain"};
constexpr shmem::WaitEvent kWalWriterIdle{"Activity", "WalWriterMain"};
constexpr shmem::WaitEvent kBackgroundWriterIdle{"Activity", "BgWriterMain"};

void serve_reload() {
  if (!interrupt_flags.reload_config) return;
  interrupt_flags.reload_config = 0;
  config::load_files(storage::data_directory(), false, true);
}

void sleep_ms(const shmem::WaitEvent& event, int milliseconds) {
  shmem::WaitScope wait(event);
  shmem::Latch& latch = shmem::my_latch();
  if (!interrupt_flags.terminate) latch.wait(milliseconds);
  latch.reset();
}

std::uint32_t take_requests() {
  CheckpointShared& c = state->checkpoint;
  locking::SpinGuard guard(c.lock);
  return c.requested;
}

// One checkpoint on behalf of all that asked before it started.
void run_checkpoint(bool by_timer) {
  CheckpointShared& c = state->checkpoint;
  std::uint32_t requested;
  {
    locking::SpinGuard guard(c.lock);
    requested = c.requested;
    c.requested = 0;
    ++c.started;
  }
  c.done_word.fetch_add(1);
  shmem::futex_wake(c.done_word, INT_MAX);
  bool failed = false;
  try {
    (by_timer ? c.timed : c.requested_count).fetch_add(1);
    statistics::count_server(by_timer ? statistics::ServerEvent::checkpoint_timed : statistics::ServerEvent::checkpoint_requested);
    CheckpointRequest request;
    request.immediate = (requested & kRequestImmediate) != 0;
    request.wait = request.immediate;
    note_checkpoint_cause((requested & kRequestByVolume) != 0);
    perform_checkpoint(request);
  } catch (const std::exception& e) {
    failed = true;
    report_warning(sqlstate::internal_error, "checkpoint failed: {}", e.what());
    locking::release_all_lwlocks();
    buffer::release_all_at_abort();
  }
  {
    locking::SpinGuard guard(c.lock);
    if (failed) ++c.failed;
    c.done = c.started;
  }
  c.done_word.fetch_add(1);
  shmem::futex_wake(c.done_word, INT_MAX);
}

// The next segment is made here rather than by a session that waits for it: once half of this one is in use, or at its beginning when the
// log grows by segments.
void prepare_segment_after(std::uint64_t position) {
  static std::uint64_t seen = position / kWalSegmentSize, prepared = 0;
  std::uint64_t segment = position / kWalSegmentSize;
  bool grows_fast = segment != seen;
  seen = segment;
  if (prepared == segment + 1 || (!grows_fast && position % kWalSegmentSize < kWalSegmentSize / 2)) return;
  preallocate_segment(segment + 1);
  prepared = segment + 1;
}

}  // namespace

void checkpointer_main() {
  state->checkpoint.checkpointer_slot.store(shmem::my_slot().number + 1);
  Clock::time_point last = Clock::now();
  while (!interrupt_flags.terminate) {
    serve_reload();
    std::uint32_t requested = take_requests();
    double elapsed = std::chrono::duration<double>(Clock::now() - last).count();
    bool timer = requested == 0 && elapsed >= config::values::checkpoint_timeout;
    if (requested != 0 || (timer && log_moved_since_checkpoint())) {
      if ((requested & kRequestByVolume) != 0 && elapsed < config::values::checkpoint_warning) {
        ErrorReport r;
        r.severity = Severity::log;
        r.message = fmt::format("checkpoints are occurring too frequently ({} second{} apart)", static_cast<int>(elapsed),
                                static_cast<int>(elapsed) == 1 ? "" : "s");
        r.hint = "Consider increasing the configuration parameter \"max_wal_size\".";
        report(std::move(r));
      }
      last = Clock::now();
      run_checkpoint(timer);
      continue;
    }
    if (timer) last = Clock::now();
    double rest = config::values::checkpoint_timeout - std::chrono::duration<double>(Clock::now() - last).count();
    sleep_ms(kCheckpointerIdle, std::clamp(static_cast<int>(rest * 1000), 10, 60000));
  }
  state->checkpoint.checkpointer_slot.store(0);
  perform_checkpoint({.immediate = true, .wait = true, .shutdown = true});
}

void wal_writer_main() {
  state->wal_writer_slot.store(shmem::my_slot().number + 1);
  Clock::time_point last_flush = Clock::now();
  int idle_rounds = 0;
  while (!interrupt_flags.terminate) {
    serve_reload();
    std::uint64_t reserved = state->reserved.load();
    std::uint64_t flushed = state->flushed.load();
    prepare_segment_after(reserved);
    bool asked = state->async_upto.load() > flushed;
    bool due = reserved > flushed && Clock::now() - last_flush >= std::chrono::milliseconds(config::values::wal_writer_delay);
    std::uint64_t backlog = reserved - std::min(reserved, std::max(flushed, state->written.load()));
    if (asked || due || backlog >= static_cast<std::uint64_t>(config::values::wal_writer_flush_after) * kPageSize) {
      flush(Lsn{reserved});
      last_flush = Clock::now();
      idle_rounds = 0;
    } else {
      ++idle_rounds;
    }
    // After some idle rounds sleep longer; flush_soon() wakes.
    bool doze = idle_rounds > 50;
    state->wal_writer_sleeps.store(true);
    sleep_ms(kWalWriterIdle, doze ? config::values::wal_writer_delay * 25 : config::values::wal_writer_delay);
    state->wal_writer_sleeps.store(false);
    // Give a burst of asynchronous commits time to gather.
    if (state->async_upto.load() > state->flushed.load() && !doze && !interrupt_flags.terminate)
      sleep_ms(kWalWriterIdle, std::max(1, config::values::wal_writer_delay / 4));
  }
  state->wal_writer_slot.store(0);
  if (state->reserved.load() > state->flushed.load()) flush(Lsn{state->reserved.load()});
}

void background_writer_main() {
  int idle_rounds = 0;
  while (!interrupt_flags.terminate) {
    serve_reload();
    int written = 0;
    try {
      written = buffer::background_clean(config::values::bgwriter_lru_maxpages);
    } catch (const std::exception& e) {
      report_warning(sqlstate::io_error, "{}", e.what());
      locking::release_all_lwlocks();
      buffer::release_all_at_abort();
    }
    state->checkpoint.background_buffers.fetch_add(static_cast<std::uint64_t>(written));
    if (written > 0) statistics::count_server(statistics::ServerEvent::pages_written_by_cleaner, static_cast<std::uint64_t>(written));
    if (written >= config::values::bgwriter_lru_maxpages && written > 0) statistics::count_server(statistics::ServerEvent::cleaner_stopped);
    if (written >= config::values::bgwriter_lru_maxpages && written > 0) state->checkpoint.background_maxwritten.fetch_add(1);
    int collapsed = shmem::collapse_pieces_in_use(kCollapseMilliseconds);
    idle_rounds = written > 0 || collapsed > 0 ? 0 : idle_rounds + 1;
    int delay = idle_rounds > 10 ? config::values::bgwriter_delay * 5 : config::values::bgwriter_delay;
    sleep_ms(kBackgroundWriterIdle, collapsed > 0 ? std::min(delay, kCollapsePause) : delay);
  }
}

}  // namespace hathi::wal
