#pragma once
// The directories of databases: copied from a template by CREATE DATABASE, removed by DROP DATABASE. Both follow the running
// transaction: a copy whose transaction does not commit is removed (at abort, or at recovery after a crash).

#include "hathi/base/ids.h"

namespace hathi::transaction {

// Copies all files of the source database; contents go through the WAL. The caller keeps everybody out of the source database
// (no other session in it) and holds the transaction's locks on both names. Throws SqlError (53100 when the disk is full).
void create_database_files(Oid source_tablespace, Oid source_database, Oid tablespace, Oid database);
// The directory, its buffers and remembered syncs go when the running transaction commits (nobody may be connected to it).
void drop_database_files_at_commit(Oid tablespace, Oid database);

}  // namespace hathi::transaction
