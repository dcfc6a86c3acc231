#pragma once
// The write-ahead log: insertion, flushing, checkpoints, recovery.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "hathi/base/ids.h"
#include "hathi/wal/page_edit.h"

namespace hathi::wal {

// Inserts a record without pages; returns its end. Call inside a critical section or where losing it is harmless.
Lsn insert(ResourceManager manager, std::uint8_t info, std::span<const std::byte> data, Xid xid = kInvalidXid);
// How many records of changes this process has inserted since it began (full images for hint bits do not count): a transaction during
// which it did not rise left nothing that a crash could take away or bring back.
std::uint64_t own_record_count();
// Returns when everything up to `upto` is on stable storage. Concurrent callers share one fsync. A failed fsync is a PANIC.
void flush(Lsn upto);
// Hands everything up to `upto` to the operating system: it survives kill -9, not a loss of power.
void write_out(Lsn upto);
// Asks the WAL writer to flush soon (synchronous_commit = off).
void flush_soon(Lsn upto);
// Everything that flush_soon() was asked for is flushed (commits may be shown to be permanent, see transaction/).
bool async_commits_are_flushed();
Lsn insert_position();
// What the operating system has been handed.
Lsn written_position();
Lsn flushed_position();
// Where the redo of the latest checkpoint begins: a page whose LSN is not beyond it is logged whole at its next change.
Lsn redo_position();
bool in_recovery();
// Do pages carry checksums (initdb -k)? A property of the data directory, from pg_control.
bool data_checksums();
// Names of segment files, as pg_walfile_name(): "000000010000000000000001".
std::string segment_name(Lsn position);
inline constexpr std::uint64_t kWalSegmentSize = 16u << 20;
// As PostgreSQL 15's, whose catalogs these are.
inline constexpr std::int32_t kCatalogVersion = 202209061;

// A critical section: an error inside becomes a PANIC, interrupts are held.
class CriticalSection {
 public:
  CriticalSection();
  ~CriticalSection();
  CriticalSection(const CriticalSection&) = delete;
  CriticalSection& operator=(const CriticalSection&) = delete;
 private:
  int uncaught_ = std::uncaught_exceptions();
};
bool in_critical_section();

// While in scope no checkpoint gets past choosing its redo point: round things that must be on one side of it together (a commit
// record and the commit log). Short; nests.
class DelayCheckpoint {
 public:
  DelayCheckpoint();
  ~DelayCheckpoint();
  DelayCheckpoint(const DelayCheckpoint&) = delete;
  DelayCheckpoint& operator=(const DelayCheckpoint&) = delete;
};
// For buffer/: logs a full image of a page whose hint bits changed, unless its LSN shows that it has been logged since the redo point
// (then kInvalidLsn). The page is share-locked by the caller, who holds DelayCheckpoint.
Lsn log_hint_image(const BlockTag& tag, const std::byte* page);

// A checkpoint. Flags as SQL's CHECKPOINT (immediate, wait), a shutdown's (shutdown: no writers left), the timer's (spread).
struct CheckpointRequest { bool immediate = false; bool wait = false; bool shutdown = false; bool end_of_recovery = false; };
// Any process: asks the checkpointer (and waits for it when wait is set; throws if it failed).
void request_checkpoint(const CheckpointRequest& request);
// The checkpointer, a stand-alone initdb, and the start-up process do it themselves.
void perform_checkpoint(const CheckpointRequest& request);

// Numbers that others own and each checkpoint carries (transaction/ registers the functions).
struct Counters {
  std::uint64_t next_xid = 3;
  std::uint64_t oldest_xid = 3;
  std::uint64_t next_member = 0;
  std::uint32_t next_oid = 16384;
  std::uint32_t next_multixact = 1;
};
struct CounterHooks {
  void (*collect)(Counters& counters, std::vector<std::byte>& extra, bool shutdown);   // after the redo point was chosen
  void (*restore)(const Counters& counters, std::span<const std::byte> extra);   // start-up, before redo
  int (*active_transactions)();   // for commit_siblings
};
void set_counter_hooks(const CounterHooks& hooks);
// Redo calls it with each record's xid, before the record's own redo.
void set_xid_seen_hook(void (*hook)(Xid xid));

// For pg_stat_bgwriter and pg_control_checkpoint().
struct CheckpointStatistics {
  std::uint64_t timed, requested, write_ms, sync_ms, buffers_checkpoint, buffers_background, maxwritten_background;
};
CheckpointStatistics checkpoint_statistics();
// Times in seconds since 1970.
struct ControlInfo {
  std::uint64_t system_identifier;
  Lsn checkpoint, redo;
  std::int64_t checkpoint_time, time;
  Counters counters;
  std::uint32_t timeline, version;
};
ControlInfo control_info();

// Redo of the main data of a manager's records; registered at process start by each owner (see register_redo).
struct RedoRecord { ResourceManager manager; std::uint8_t info; Xid xid; std::span<const std::byte> data; Lsn start; Lsn end; };
using RedoFunction = void (*)(const RedoRecord& record);
using DescribeFunction = std::string (*)(std::uint8_t info, std::span<const std::byte> data);
void register_redo(ResourceManager manager, RedoFunction redo, DescribeFunction describe);

// A relation or a fork's end is gone: what redo could not find there is no error (called by redo functions).
void redo_dropped(const RelationFile& file);
void redo_dropped_database(Oid database);
void redo_truncated(const RelationFile& file, Fork fork, BlockNumber from);

// Called after redo reached the end of the log, in registration order (empty unlogged relations, free orphans, …).
void register_end_of_recovery(void (*hook)());

std::size_t wal_shared_size();
void wal_shared_init(void* memory);
// The start-up process: reads pg_control, replays if the last shutdown was not clean, leaves the log ready for writing.
void startup_recover();
// initdb: creates pg_control, the first WAL segment and the directories of storage/, wal/ and transaction/ in the (empty) data
// directory, and makes the log ready for writing. Without fsync when the setting is off (-N).
void bootstrap_log(bool checksums = true);
// Main loops of the auxiliary processes. They return when interrupt_flags.terminate is set (SIGTERM); the checkpointer then makes the
// shutdown checkpoint first, so it is sent the signal when all others have ended. SIGHUP (reload_config) reloads the settings.
void wal_writer_main();
void checkpointer_main();
void background_writer_main();

}  // namespace hathi::wal
