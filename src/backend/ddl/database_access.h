#pragma once
// Who is in a database, and how statements keep others out of it.

#include <string_view>

#include "hathi/base/ids.h"
#include "hathi/locking/lock_table.h"

namespace hathi::ddl {

// Finds the database, takes the lock on it until the transaction ends and looks again: the database that has the name under the lock.
// 0 when there is none. A session that connects holds row_exclusive while it checks its database, so share and stronger keep
// newcomers out.
Oid lock_database(std::string_view name, locking::LockMode mode);
// lock_database(), or 3D000 database "x" does not exist.
Oid require_database(std::string_view name, locking::LockMode mode);
// 42501 must be owner of database x.
void require_database_owner(Oid database, std::string_view name);

// Waits up to five seconds until no session but this one is in the database; then 55006 with the message and how many there are.
void require_no_other_sessions(Oid database, std::string_view message);
// DROP DATABASE … WITH (FORCE): ends the other sessions in it. 42501 unless the current role may end each of them.
void terminate_other_sessions(Oid database);

}  // namespace hathi::ddl
