#pragma once
// The running transaction of this process: begin, commit, abort, savepoints, xids, command counter, hooks.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hathi/base/ids.h"
#include "hathi/locking/lock_table.h"

namespace hathi::transaction {

enum class Isolation : std::uint8_t { read_uncommitted, read_committed, repeatable_read, serializable };
const char* isolation_name(Isolation isolation);  // "read committed"

// The state of the transaction block, as ReadyForQuery reports it and as the utility commands see it.
enum class BlockState : std::uint8_t {
  none,              // outside
  implicit,          // a single statement, or an implicit block of a multi-statement query / pipeline
  in_block,          // after BEGIN
  failed             // in a block after an error: only ROLLBACK, COMMIT, ROLLBACK TO work
};

// --- life of a transaction, called by session/ only -------------------------------------------------------------------
void start();                     // none -> implicit: virtual xid, owner, time stamps
void commit();                    // durable on return (synchronous_commit); runs hooks
void abort();                     // any state -> none; never throws
void begin_block();               // BEGIN: implicit -> in_block
void mark_failed();               // an error in a block: the current (sub)transaction is undone, its locks go; never throws
BlockState block_state();

// --- savepoints ---------------------------------------------------------------------------------------------------
void define_savepoint(std::string_view name);
void release_savepoint(std::string_view name);      // 3B001 invalid_savepoint_specification when missing
void rollback_to_savepoint(std::string_view name);
// Unnamed subtransactions for PL and for internal use.
void start_subtransaction();
void commit_subtransaction();
void abort_subtransaction();
int nesting_level();                                 // 1 = top level

// --- facts --------------------------------------------------------------------------------------------------------
bool is_running();
Xid current_xid();                // assigns one (and its ancestors') on first use; takes the lock on it
Xid current_xid_if_any();         // kInvalidXid when read-only so far
Xid top_xid_if_any();
bool is_current(Xid xid);         // this transaction's or one of its live subtransactions'. O(log n)
CommandId current_command(bool used);   // used: a row version will carry it
void advance_command();           // makes this command's changes visible to the next (CommandCounterIncrement)
Isolation isolation();
void set_isolation(Isolation isolation);             // 25001 after the first snapshot
bool is_read_only();
void set_read_only(bool read_only);
bool is_deferrable();
void set_deferrable(bool deferrable);
// Microseconds since 2000-01-01: now(), statement_timestamp().
std::int64_t transaction_timestamp();
std::int64_t statement_timestamp();
void set_statement_timestamp(std::int64_t microseconds);
// Throws 25006 "cannot execute X in a read-only transaction".
void require_writable(std::string_view command);
// Throws 25001 "X cannot run inside a transaction block" (after BEGIN or in a subtransaction; session/ judges implicit blocks).
void require_no_block(std::string_view command);
// Throws 25P01 "X can only be used in transaction blocks".
void require_block(std::string_view command);

// Where heavyweight locks of the current (sub)transaction go, and the session's own.
locking::ResourceOwner& owner();
locking::ResourceOwner& session_owner();

// --- hooks --------------------------------------------------------------------------------------------------------
enum class Event : std::uint8_t { pre_commit, commit, abort };
using EventHook = void (*)(Event event);
using SubEventHook = void (*)(Event event, int nesting_level);  // commit / abort of a subtransaction
// Once a process start; called in registration order. pre_commit may throw (deferred constraints), the others must not.
void register_hook(EventHook hook);
void register_subtransaction_hook(SubEventHook hook);
// Notes that this transaction changed what a version slot stands for (see catalog/versions.h). A commit calls mark() with all slots
// noted before its xid leaves the process array, and publish() right after, before its locks are released; neither throws. An abort
// forgets the slots. Repeats are allowed.
void note_changed_descriptor(std::uint32_t version_slot);
using DescriptorHook = void (*)(std::span<const std::uint32_t> version_slots);
void set_descriptor_hooks(DescriptorHook mark, DescriptorHook publish);   // once, before the first fork

}  // namespace hathi::transaction
