#pragma once
// Cumulative statistics in shared memory: flushed to by all, read by the views, kept over a clean restart.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "hathi/base/ids.h"
#include "hathi/statistics/counters.h"

namespace hathi::statistics {

std::size_t shared_size();
void shared_init(void* memory);

// Whose counts this process adds to: set when the session has its database; 0 in helpers.
void set_database(Oid database);
// Adds what is pending to shared memory, if the last flush is a second ago or more; force: in any case. now: microseconds since
// 2000-01-01, 0 = look at the clock. False when it was too early. Takes the lock of the table of counters.
bool flush(bool force, std::int64_t now = 0);

// What stands in shared memory for one relation. Times are microseconds since 2000-01-01, 0 = never.
struct Relation {
  RelationCounts counts;
  std::int64_t live = 0, dead = 0;
  std::uint64_t changed_since_analyze = 0, inserted_since_vacuum = 0;
  std::uint64_t vacuums = 0, analyzes = 0;
  std::int64_t last_vacuum = 0, last_analyze = 0;
  std::uint64_t pages_fetched = 0, pages_hit = 0;   // of entries by file number
};
struct Database {
  std::uint64_t events[static_cast<int>(DatabaseEvent::count)] = {};
  RelationCounts rows;
  std::uint64_t pages_fetched = 0, pages_hit = 0;
  std::int64_t reset_time = 0;
};
std::optional<Relation> read_relation(Oid relation, Oid database);
// Page counts of a file.
std::optional<Relation> read_file(Oid file, Oid database);
std::optional<Database> read_database(Oid database);

// VACUUM and ANALYZE say what they found. dead < 0: unknown.
void report_vacuum(Oid relation, Oid file_database, std::int64_t live, std::int64_t dead);
void report_analyze(Oid relation, Oid file_database, std::int64_t live, std::int64_t dead, bool resets_changes);
// The relation or database is gone (its drop committed).
void forget_relation(Oid relation, Oid file_database);
void forget_file(Oid file, Oid file_database);
void forget_database(Oid database);

// Of the whole server.
enum class ServerEvent : std::uint8_t {
  checkpoint_timed, checkpoint_requested, checkpoint_write_ms, checkpoint_sync_ms, pages_written_by_checkpoint, pages_written_by_cleaner,
  cleaner_stopped, pages_written_by_backend, fsyncs_by_backend, pages_allocated,
  wal_records, wal_full_pages, wal_bytes, wal_buffers_full, wal_writes, wal_syncs, count
};
// At once; for events that are rare or that helper processes see.
void count_server(ServerEvent event, std::uint64_t amount = 1);
// With the next flush: for what happens in every transaction.
inline std::uint64_t pending_server_events[static_cast<int>(ServerEvent::count)];
inline void count_server_later(ServerEvent event, std::uint64_t amount = 1) { pending_server_events[static_cast<int>(event)] += amount; }
std::uint64_t read_server(ServerEvent event);
enum class ResetTarget : std::uint8_t { checkpoints, wal, archiver, recovery_prefetch, count };
std::int64_t reset_time(ResetTarget target);
void reset_server(ResetTarget target);
void reset_database(Oid database);
void reset_relation(Oid relation, Oid database);

// Reads what an orderly end wrote, and removes it; writes it. Problems are logged, nothing is thrown.
void load(const std::string& path);
void save(const std::string& path);

}  // namespace hathi::statistics
