#pragma once
// Who descends from whom (pg_inherits), and which sequences belong to a table.

#include <string_view>
#include <vector>

#include "hathi/base/ids.h"
#include "hathi/locking/lock_table.h"

namespace hathi::ddl {

std::vector<Oid> children_of(Oid parent, locking::LockMode mode);
// All descendants, parents before children, each locked in the mode (none: not locked).
std::vector<Oid> all_descendants(Oid parent, locking::LockMode mode);
std::vector<Oid> parents_of(Oid child);
// Sequences of serial and identity columns.
std::vector<Oid> owned_sequences(Oid table);
// Locks a relation by itself; 55P03 with nowait.
void lock_one(Oid oid, locking::LockMode mode, bool nowait, std::string_view name);

}  // namespace hathi::ddl
