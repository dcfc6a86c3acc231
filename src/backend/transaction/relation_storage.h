#pragma once
// Storage that comes and goes with the running transaction: relation files and database directories.

#include <span>
#include <vector>

#include "hathi/base/ids.h"
#include "hathi/wal/log.h"

namespace hathi::transaction {

struct StorageDrops {
  std::vector<RelationFile> relations;             // permanent and unlogged ones
  std::vector<RelationFile> databases;             // relation 0
  bool empty() const { return relations.empty() && databases.empty(); }
};
// Does the commit remove files that others can know?
bool drops_something();
// What goes if the transaction commits now; for its record.
StorageDrops drops_at_commit();
// After the commit or abort is recorded: removes files, forgets the list. Never throws.
void finish_storage(bool commit);
// The commit of a subtransaction hands its part on, its abort removes what it made. Never throws.
void finish_storage_of_level(int nesting, bool commit);
// A directory made by the running transaction.
void note_created_database(Oid tablespace, Oid database);
void note_dropped_database(Oid tablespace, Oid database);
// Enters a creation into shared memory before its record is written.
void track_creation(const RelationFile& file, Xid xid);

// Recovery: creations seen so far whose transaction has not ended.
void redo_storage(const wal::RedoRecord& record);
void redo_creation(const RelationFile& file, Xid xid);
void redo_ended(Xid top, std::span<const Xid> children);
// Also carries what the checkpoint will remove at its end (storage::delayed_unlinks_ready); restoring removes it.
void collect_creations(std::vector<std::byte>& to);
void restore_creations(std::span<const std::byte> from);
void remove_orphans();

// database_files.cpp
void copy_database_directory(Oid source_tablespace, Oid source_database, Oid tablespace, Oid database, Xid xid);
void remove_database_directory(Oid tablespace, Oid database);   // never throws
void redo_database(const wal::RedoRecord& record);

}  // namespace hathi::transaction
