#pragma once
// What became of a transaction.

#include <cstdint>
#include <span>
#include <vector>

#include "hathi/base/ids.h"

namespace hathi::transaction {

bool did_commit(Xid xid);        // commit log; a subtransaction counts by its parents
bool did_abort(Xid xid);         // aborted, or gone with a crash (not running, not committed)
bool is_running(Xid xid);        // process array, subtransactions included
Xid top_level_of(Xid xid);       // itself when it is top level
Xid next_xid();                  // the first not yet assigned
// May a hint bit say on disk that xid has committed? Not before its commit record is flushed (synchronous_commit = off).
bool commit_is_durable(Xid xid);

// Locks on a row by several transactions, or by a locker together with an updater.
enum class RowLockStatus : std::uint8_t { for_key_share, for_share, for_no_key_update, for_update, no_key_update, update };
struct MultiXactMember { Xid xid; RowLockStatus status; };
MultiXactId create_multixact(std::span<const MultiXactMember> members);
std::vector<MultiXactMember> multixact_members(MultiXactId id);
bool multixact_is_running(MultiXactId id);
// The updater among the members, or kInvalidXid.
Xid multixact_updater(MultiXactId id);

}  // namespace hathi::transaction
