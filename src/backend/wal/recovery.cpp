// Start-up: from pg_control's redo pointer to the end of the log.

#include <unistd.h>

#include <chrono>
#include <cstring>
#include <ctime>
#include <random>
#include <set>
#include <vector>

#include "control_file.h"
#include "edits.h"
#include "hathi/buffer/buffer_pool.h"
#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/storage/directory.h"
#include "hathi/storage/file.h"
#include "hathi/wal/recovery_hooks.h"
#include "log_state.h"
#include "reader.h"

namespace hathi::wal {

namespace {

struct Manager {
  RedoFunction redo = nullptr;
  DescribeFunction describe = nullptr;
};
Manager managers[16];
std::vector<void (*)()>& end_hooks() {
  static std::vector<void (*)()> hooks;
  return hooks;
}

std::vector<void (*)()>& after_hooks() {
  static std::vector<void (*)()> hooks;
  return hooks;
}

// Pages that records refer to but that do not exist: fine if the relation is dropped or cut later in the log.
std::set<BlockTag>& missing_pages() {
  static std::set<BlockTag> set;
  return set;
}

std::string time_text(std::int64_t seconds) {
  std::time_t t = seconds;
  std::tm tm{};
  localtime_r(&t, &tm);
  char text[64];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %Z", &tm);
  return text;
}

std::string lsn_text(std::uint64_t lsn) { return fmt::format("{:X}/{:X}", lsn >> 32, lsn & 0xFFFFFFFFu); }

void redo_block(const BlockReference& b, Lsn end) {
  bool whole = (b.flags & (kBlockImage | kBlockInit)) != 0;
  if (whole && !storage::fork_exists(b.tag.file, b.tag.fork)) storage::create_fork(b.tag.file, b.tag.fork, true);
  buffer::PinnedBuffer buffer = buffer::read(b.tag, whole ? buffer::ReadMode::zero : buffer::ReadMode::zero_past_end);
  buffer.lock(locking::LwMode::exclusive);
  PageView page = buffer.page();
  if (!whole && page.is_new()) {
    missing_pages().insert(b.tag);
    return;
  }
  // An image or a fresh format does not depend on what was there; in memory a newer state may stand all the same.
  if (page.header().lsn >= end) return;
  buffer.mark_dirty(true);
  bool ok = true;
  if ((b.flags & kBlockImage) != 0) ok = restore_image(b, page.bytes());
  else if (whole) std::memset(page.bytes(), 0, kPageSize);
  ok = ok && apply_edits(page.bytes(), b.edits);
  if (!ok)
    throw SqlError(sqlstate::data_corrupted, "page edits do not fit block {} of relation {}", b.tag.block.value(),
                   storage::relation_path(b.tag.file, b.tag.fork));
  page.header().lsn = end;
  page.header().checksum = 0;
}

void (*xid_seen)(Xid) = nullptr;

void redo_record(const DecodedRecord& r) {
  if (r.xid != kInvalidXid && xid_seen != nullptr) xid_seen(r.xid);
  if (r.manager == ResourceManager::log && r.info == kPageCheckInfo) {
    for (const BlockReference& b : r.blocks) check_replayed_page(b);
    return;
  }
  for (const BlockReference& b : r.blocks) redo_block(b, r.end);
  const Manager& m = managers[static_cast<int>(r.manager) & 15];
  if (m.redo != nullptr) m.redo({r.manager, r.info, r.xid, r.data, r.start, r.end});
}

std::uint64_t redo_all(const ControlFile& control) {
  LogReader reader(control.redo, control.incarnation);
  log_message("redo starts at {}", lsn_text(control.redo));
  auto started = std::chrono::steady_clock::now();
  DecodedRecord record;
  std::uint64_t count = 0, last = control.redo;
  while (reader.next(record)) {
    if (interrupt_flags.terminate) throw SqlError(sqlstate::admin_shutdown, "terminating startup process due to administrator command").fatal();
    try {
      redo_record(record);
    } catch (const SqlError& e) {
      panic(fmt::format("redo of the record at {} (manager {}, info {}) failed: {}", lsn_text(record.start.value()), static_cast<int>(record.manager),
                        record.info, e.report().message));
    }
    last = record.start.value();
    ++count;
  }
  if (!missing_pages().empty()) {
    const BlockTag& tag = *missing_pages().begin();
    panic(fmt::format("WAL contains references to invalid pages: page {} of relation {}", tag.block.value(), storage::relation_path(tag.file, tag.fork)));
  }
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  log_message("redo done at {}: {} records, elapsed: {:.2f} s", lsn_text(last), count, seconds);
  return reader.position();
}

void set_positions(std::uint64_t end) {
  state->reserved.store(end);
  state->written.store(end);
  state->flushed.store(end);
  state->async_upto.store(end);
}

// The checkpoint record that pg_control names. Its numbers and extra data go to their owners.
void load_checkpoint(const ControlFile& control) {
  LogReader reader(control.checkpoint, control.incarnation);
  DecodedRecord record;
  CheckpointRecord c{};
  bool found = reader.next(record) && record.manager == ResourceManager::log && record.info == kCheckpointInfo && record.data.size() >= sizeof c;
  if (found) std::memcpy(&c, record.data.data(), sizeof c);
  if (!found || c.redo != control.redo) panic("could not locate a valid checkpoint record");
  if (counter_hooks.restore != nullptr) counter_hooks.restore(c.counters, record.data.subspan(sizeof c));
}

void log_last_life(const ControlFile& control) {
  switch (static_cast<DatabaseState>(control.state)) {
    case DatabaseState::shut_down: log_message("database system was shut down at {}", time_text(control.time)); break;
    case DatabaseState::shutting_down: log_message("database system shutdown was interrupted; last known up at {}", time_text(control.time)); break;
    case DatabaseState::in_crash_recovery:
      log_message("database system was interrupted while in recovery at {}", time_text(control.time));
      break;
    default: log_message("database system was interrupted; last known up at {}", time_text(control.time)); break;
  }
}

void recover_after_crash(ControlFile control) {
  log_message("database system was not properly shut down; automatic recovery in progress");
  storage::sync_data_directory();
  control.state = static_cast<std::uint32_t>(DatabaseState::in_crash_recovery);
  write_control(control);
  std::uint64_t end = redo_all(control);
  set_positions(end);
  // Records that an earlier life left beyond the end must never pass for ours.
  state->incarnation = std::random_device{}();
  state->redo.store(end);
  state->ready.store(true);
  buffer::flush_everything();
  storage::close_all();
  storage::reset_unlogged_relations();
  for (auto hook : end_hooks()) hook();
  perform_checkpoint({.immediate = true, .end_of_recovery = true});
  for (auto hook : after_hooks()) hook();
}

}  // namespace

void register_redo(ResourceManager manager, RedoFunction redo, DescribeFunction describe) { managers[static_cast<int>(manager)] = {redo, describe}; }
void register_after_recovery(void (*hook)()) { after_hooks().push_back(hook); }
void register_end_of_recovery(void (*hook)()) { end_hooks().push_back(hook); }

void set_xid_seen_hook(void (*hook)(Xid xid)) { xid_seen = hook; }

void redo_dropped(const RelationFile& file) {
  std::erase_if(missing_pages(), [&](const BlockTag& t) { return t.file == file; });
}
void redo_dropped_database(Oid database) {
  std::erase_if(missing_pages(), [&](const BlockTag& t) { return t.file.database == database; });
}
void redo_truncated(const RelationFile& file, Fork fork, BlockNumber from) {
  std::erase_if(missing_pages(), [&](const BlockTag& t) { return t.file == file && t.fork == fork && t.block >= from; });
}

void startup_recover() {
  ControlFile control = read_control();
  state->system_identifier = control.system_identifier;
  state->timeline = control.timeline;
  state->checksums.store(control.checksums != 0);
  config::values::data_checksums = control.checksums != 0;
  state->incarnation = control.incarnation;
  state->recovering.store(true);
  log_last_life(control);
  load_checkpoint(control);
  storage::remove_temporary_files();
  for (const std::string& name : storage::list_directory("pg_snapshots")) storage::file_system().unlink(("pg_snapshots/" + name).c_str());
  remove_unfinished_segments();
  if (static_cast<DatabaseState>(control.state) == DatabaseState::shut_down) {
    set_positions(control.checkpoint_end);
    state->redo.store(control.redo);
    state->checkpoint.last_end.store(control.checkpoint_end);
    state->ready.store(true);
  } else {
    recover_after_crash(control);
    control = read_control();
  }
  control.state = static_cast<std::uint32_t>(DatabaseState::in_production);
  write_control(control);
  state->recovering.store(false);
}

}  // namespace hathi::wal
