// Checkpoints: the redo point, the pages, the syncs, the record, pg_control, old files. Requests and waiting.

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <optional>

#include "control_file.h"
#include "hathi/buffer/buffer_pool.h"
#include "hathi/config/server_settings.h"
#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/shmem/futex.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/memory/arena.h"
#include "hathi/statistics/shared.h"
#include "hathi/storage/file.h"
#include "log_state.h"
#include "record.h"

namespace hathi::wal {

CounterHooks counter_hooks{};

void set_counter_hooks(const CounterHooks& hooks) { counter_hooks = hooks; }

namespace {

using Clock = std::chrono::steady_clock;

// Of the checkpoint that this process is making.
struct Progress {
  Clock::time_point start;
  std::uint64_t redo = 0;
};
Progress progress;

double seconds_since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

// Would writing further now be ahead of the schedule (time and log volume against checkpoint_completion_target)?
bool ahead_of_schedule(double fraction) {
  double target = fraction * config::values::checkpoint_completion_target;
  double by_volume = static_cast<double>(state->reserved.load(std::memory_order_relaxed) - progress.redo) /
                     (static_cast<double>(segments_per_checkpoint()) * static_cast<double>(kWalSegmentSize));
  if (target < by_volume) return false;
  return target >= seconds_since(progress.start) / config::values::checkpoint_timeout;
}

bool somebody_is_in_a_hurry() {
  locking::SpinGuard guard(state->checkpoint.lock);
  return (state->checkpoint.requested & kRequestImmediate) != 0;
}

void delay_writes(double fraction) {
  if (fraction >= 1.0 || interrupt_flags.terminate || somebody_is_in_a_hurry() || !ahead_of_schedule(fraction)) return;
  shmem::Latch& latch = shmem::my_latch();
  latch.reset();
  latch.wait(100);
}

std::uint64_t choose_redo_point() {
  AllInsertSlots all;
  std::uint64_t redo = state->reserved.load();
  state->redo.store(redo, std::memory_order_seq_cst);
  return redo;
}

struct Inserted { Lsn start, end; };

Inserted insert_checkpoint_record(std::uint64_t redo, std::uint32_t kind, const Counters& counters, const std::vector<std::byte>& extra) {
  CheckpointRecord c{};
  c.redo = redo;
  c.time = std::time(nullptr);
  c.incarnation = state->incarnation;
  c.kind = kind;
  c.counters = counters;
  RecordBuilder builder;
  builder.begin();
  builder.data(std::as_bytes(std::span<const CheckpointRecord, 1>(&c, 1)));
  builder.data(extra);
  Inserted result;
  result.end = insert_record(builder.finish(ResourceManager::log, kCheckpointInfo, kInvalidXid), nullptr, &result.start);
  return result;
}

void update_control(const CheckpointRequest& request, std::uint64_t redo, const Inserted& record, const Counters& counters) {
  ControlFile control = read_control();
  control.checkpoint = record.start.value();
  control.checkpoint_end = record.end.value();
  control.redo = redo;
  control.checkpoint_time = std::time(nullptr);
  control.incarnation = state->incarnation;
  control.counters = counters;
  if (request.shutdown) control.state = static_cast<std::uint32_t>(DatabaseState::shut_down);
  write_control(control);
}

void announce_shutdown() {
  ControlFile control = read_control();
  control.state = static_cast<std::uint32_t>(DatabaseState::shutting_down);
  write_control(control);
}

bool asked_by_volume = false;

const char* purpose(const CheckpointRequest& r) {
  if (r.shutdown) return " shutdown immediate";
  if (r.end_of_recovery) return " end-of-recovery immediate wait";
  if (r.immediate) return r.wait ? " immediate force wait" : " immediate force";
  return asked_by_volume ? " wal" : " time";
}

// Counters are those of the redo point or a little later: what moves them on afterwards is logged after it. They are taken before anything
// is synced, so that a file that vanishes from the list of creations meanwhile has its removal synced by the next checkpoint at the latest.
Inserted checkpoint_once(const CheckpointRequest& request, std::uint64_t redo, Counters& counters) {
  Clock::time_point start = Clock::now();
  wait_for_delays();
  std::vector<std::byte> extra;
  if (counter_hooks.collect != nullptr) counter_hooks.collect(counters, extra, request.shutdown);
  if (request.shutdown) buffer::flush_everything();
  else {
    auto pages = static_cast<std::uint64_t>(buffer::flush_for_checkpoint(request.immediate || request.end_of_recovery, delay_writes));
    state->checkpoint.buffers.fetch_add(pages);
    statistics::count_server(statistics::ServerEvent::pages_written_by_checkpoint, pages);
  }
  Clock::time_point written = Clock::now();
  storage::sync_pending();
  auto ms = [](Clock::duration d) { return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(d).count()); };
  state->checkpoint.write_ms.fetch_add(ms(written - start));
  statistics::count_server(statistics::ServerEvent::checkpoint_write_ms, static_cast<std::uint64_t>(ms(written - start)));
  statistics::count_server(statistics::ServerEvent::checkpoint_sync_ms, static_cast<std::uint64_t>(ms(Clock::now() - written)));
  state->checkpoint.sync_ms.fetch_add(ms(Clock::now() - written));
  Inserted record = insert_checkpoint_record(redo, request.shutdown ? 1 : request.end_of_recovery ? 2 : 0, counters, extra);
  flush(record.end);
  return record;
}

}  // namespace

// For the log: the next checkpoint of this process is on behalf of the log's volume.
void note_checkpoint_cause(bool by_volume) { asked_by_volume = by_volume; }

void perform_checkpoint(const CheckpointRequest& request) {
  // Sessions make their own while no checkpointer runs; two at once would mix their marks up.
  while (state->checkpoint.running.exchange(1) != 0) ::usleep(10000);
  ScopeExit finish([] { state->checkpoint.running.store(0); });
  progress.start = Clock::now();
  std::uint64_t buffers_before = state->checkpoint.buffers.load();
  if (config::values::log_checkpoints) log_message("checkpoint starting:{}", purpose(request));
  if (request.shutdown) announce_shutdown();
  Counters counters;
  std::uint64_t redo = 0;
  Inserted record;
  do {
    storage::delayed_unlinks_begin();
    redo = choose_redo_point();
    progress.redo = redo;
    record = checkpoint_once(request, redo, counters);
    // The shutdown checkpoint's record is the last one and the next start's first: nothing may stand between it and its redo point.
  } while (request.shutdown && record.start.value() != redo);
  update_control(request, redo, record, counters);
  state->checkpoint.last_end.store(record.end.value());
  storage::delayed_unlinks_finish();
  recycle_segments(redo, record.end.value());
  if (!request.shutdown) preallocate_segment(record.end.value() / kWalSegmentSize + (record.end.value() % kWalSegmentSize >= kWalSegmentSize / 4 * 3 ? 1 : 0));
  if (config::values::log_checkpoints) {
    log_message("checkpoint complete: wrote {} buffers; total={:.3f} s; distance={} kB", state->checkpoint.buffers.load() - buffers_before,
                seconds_since(progress.start), (record.end.value() - redo) / 1024);
  }
}

// For the checkpointer's timer: is there anything since the last one?
bool log_moved_since_checkpoint() { return state->reserved.load() != state->checkpoint.last_end.load(); }

void request_checkpoint(const CheckpointRequest& request) {
  std::int32_t checkpointer = state->checkpoint.checkpointer_slot.load();
  if (checkpointer == 0 || (shmem::has_slot() && checkpointer == shmem::my_slot().number + 1)) {
    perform_checkpoint(request);
    return;
  }
  CheckpointShared& c = state->checkpoint;
  std::uint32_t started, failed;
  {
    locking::SpinGuard guard(c.lock);
    started = c.started;
    failed = c.failed;
    c.requested |= kRequestAny | (request.immediate ? kRequestImmediate : 0u);
  }
  shmem::slot(checkpointer - 1).latch.set();
  if (!request.wait) return;
  static constexpr shmem::WaitEvent kWaitStart{"IPC", "CheckpointStart"};
  static constexpr shmem::WaitEvent kWaitDone{"IPC", "CheckpointDone"};
  // The next one to start covers us; wait until it, or a later one, is done.
  std::optional<std::uint32_t> mine;
  for (;;) {
    std::uint32_t word = c.done_word.load(std::memory_order_acquire);
    std::uint32_t done, failed_now;
    {
      locking::SpinGuard guard(c.lock);
      if (!mine && c.started != started) mine = c.started;
      done = c.done;
      failed_now = c.failed;
    }
    if (mine && static_cast<std::int32_t>(done - *mine) >= 0) {
      if (failed_now != failed)
        throw SqlError(sqlstate::internal_error, "checkpoint request failed").hint("Consult recent messages in the server log for details.");
      return;
    }
    check_interrupts();
    shmem::WaitScope wait(mine ? kWaitDone : kWaitStart);
    shmem::futex_wait(c.done_word, word, 100);
  }
}

CheckpointStatistics checkpoint_statistics() {
  CheckpointShared& c = state->checkpoint;
  return {c.timed.load(),
          c.requested_count.load(),
          c.write_ms.load(),
          c.sync_ms.load(),
          c.buffers.load(),
          c.background_buffers.load(),
          c.background_maxwritten.load()};
}

ControlInfo control_info() {
  ControlFile control = read_control();
  return {control.system_identifier, Lsn{control.checkpoint}, Lsn{control.redo}, control.checkpoint_time, control.time, control.counters,
          control.timeline, control.version};
}

}  // namespace hathi::wal
