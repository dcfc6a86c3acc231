#pragma once
// The write-ahead log: insertion, flushing, checkpoints, recovery.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "hathi/base/ids.h"
#include "hathi/wal/page_edit.h"

namespace hathi::wal {

// Inserts a record without pages; returns its end. Call inside a critical section or where losing it is harmless.
Lsn insert(ResourceManager manager, std::uint8_t info, std::span<const std::byte> data, Xid xid = kInvalidXid);
// Returns when everything up to `upto` is on stable storage. Concurrent callers share one fsync. A failed fsync is a PANIC.
void flush(Lsn upto);
// Asks the WAL writer to flush soon (synchronous_commit = off).
void flush_soon(Lsn upto);
Lsn insert_position();
Lsn flushed_position();
// Is full WAL needed for relations created in this transaction (wal_level >= replica)? minimal allows sync-instead-of-log.
bool in_recovery();

// A critical section: an error inside becomes a PANIC, interrupts are held.
class CriticalSection {
 public:
  CriticalSection();
  ~CriticalSection();
};

// A checkpoint. Flags as SQL's CHECKPOINT (immediate, wait), a shutdown's (shutdown: no writers left), the timer's (spread).
struct CheckpointRequest { bool immediate = false; bool wait = false; bool shutdown = false; bool end_of_recovery = false; };
// Any process: asks the checkpointer (and waits for it when wait is set; throws if it failed).
void request_checkpoint(const CheckpointRequest& request);
// The checkpointer, a stand-alone initdb, and the start-up process do it themselves.
void perform_checkpoint(const CheckpointRequest& request);

// Redo of the main data of a manager's records; registered at process start by each owner (see register_redo).
struct RedoRecord { ResourceManager manager; std::uint8_t info; Xid xid; std::span<const std::byte> data; Lsn start; Lsn end; };
using RedoFunction = void (*)(const RedoRecord& record);
using DescribeFunction = std::string (*)(std::uint8_t info, std::span<const std::byte> data);
void register_redo(ResourceManager manager, RedoFunction redo, DescribeFunction describe);

// Called after redo reached the end of the log, in registration order (empty unlogged relations, free orphans, …).
void register_end_of_recovery(void (*hook)());

std::size_t wal_shared_size();
void wal_shared_init(void* memory);
// The start-up process: reads pg_control, replays if the last shutdown was not clean, leaves the log ready for writing.
void startup_recover();
// initdb: creates pg_control, the first WAL segment and the control structures in an empty data directory.
void bootstrap_log();
// Main loops of the auxiliary processes (return at shutdown).
void wal_writer_main();
void checkpointer_main();
void background_writer_main();

}  // namespace hathi::wal
