#pragma once
// Cumulative statistics: what this process counts, privately, until flush() adds it to shared memory. Counting must cost the shortest
// statements next to nothing: a test of one cached pointer and an addition, no atomic, no lock.

#include <cstdint>

#include "hathi/base/ids.h"

namespace hathi::statistics {

// Events at a table or an index since the last flush. Rows written count at once; what they do to the numbers of live and dead rows is
// known when the transaction ends.
struct RelationCounts {
  std::uint64_t scans = 0, rows_returned = 0, rows_fetched = 0;
  std::uint64_t inserted = 0, updated = 0, removed = 0, hot_updated = 0;
};

struct PendingRelation {
  Oid relation = kInvalidOid, database = kInvalidOid;   // database 0: shared by all
  RelationCounts counts;
  // Of the running transaction.
  std::uint64_t open_inserted = 0, open_updated = 0, open_removed = 0;
  bool is_open = false;
  bool truncated = false;              // in the running transaction
  // Settled since the last flush.
  std::int64_t live = 0, dead = 0;
  std::uint64_t changed = 0, inserted_since_vacuum = 0;
  bool empties = false;                // a committed TRUNCATE came first
};

// Page accesses of one relation's files; numbered as the files are.
struct PendingFile {
  Oid file = kInvalidOid, database = kInvalidOid;
  std::uint64_t fetched = 0, hit = 0;
};

namespace detail {
inline constexpr std::size_t kCached = 256;
extern PendingRelation* cached_relations[kCached];   // by the OID's low bits; never null
extern PendingFile cached_files[kCached];
PendingRelation& find_relation(Oid relation, Oid database);
void change_file(PendingFile& entry, Oid file, Oid database);
}  // namespace detail

// This process's counts of the relation. file_database: as in the RelationFile of its storage.
inline PendingRelation& relation(Oid relation, Oid file_database) {
  PendingRelation& entry = *detail::cached_relations[raw(relation) % detail::kCached];
  if (entry.relation == relation && entry.database == file_database) [[likely]] return entry;
  return detail::find_relation(relation, file_database);
}

// A page of the file was asked for, and was there or had to be read.
inline void count_page(const RelationFile& file, bool hit) {
  PendingFile& entry = detail::cached_files[raw(file.relation) % detail::kCached];
  if (entry.file != file.relation || entry.database != file.database) [[unlikely]] detail::change_file(entry, file.relation, file.database);
  ++entry.fetched;
  entry.hit += hit ? 1 : 0;
}

// Rows written by the running transaction.
void count_inserted(Oid relation, Oid file_database, std::uint64_t rows);
void count_updated(Oid relation, Oid file_database, bool hot);
void count_removed(Oid relation, Oid file_database);
void count_truncated(Oid relation, Oid file_database);
// The running transaction drops the relation: what is known of it goes when it commits.
void count_dropped(Oid relation, Oid file_database, Oid file);

// Events of the database this process is connected to.
enum class DatabaseEvent : std::uint8_t {
  commit, rollback, deadlock, temp_file, temp_byte, session, session_abandoned, session_fatal, session_killed, session_microsecond, active_microsecond,
  idle_in_transaction_microsecond, count
};
void count(DatabaseEvent event, std::uint64_t amount = 1);

// At the end of a transaction: its rows become live or dead ones. O(relations it wrote to).
void at_end_of_transaction(bool commit);

}  // namespace hathi::statistics
