#pragma once
// Heavyweight locks: PostgreSQL's eight modes on relations, pages, rows, transactions, objects and advisory keys, with
// queues, deadlock detection and time-outs, held until the owner releases them.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hathi/base/ids.h"

namespace hathi::locking {

// PostgreSQL's numbers (pg_locks shows the names "AccessShareLock" …).
enum class LockMode : std::uint8_t {
  none = 0, access_share = 1, row_share = 2, row_exclusive = 3, share_update_exclusive = 4, share = 5, share_row_exclusive = 6,
  exclusive = 7, access_exclusive = 8
};
const char* lock_mode_name(LockMode mode);  // "AccessShareLock"
bool conflicts(LockMode a, LockMode b);   // PostgreSQL's table; see the kind-aware one below

enum class LockTagKind : std::uint8_t {
  relation, extend, database_frozen_ids, page, tuple, transaction, virtual_transaction, speculative_token, object, user, advisory, subtree
};

// What is locked. Fields not used by a kind are 0.
struct LockTag {
  std::uint32_t database = 0;
  std::uint32_t relation = 0;     // or class of an object; advisory: high half of the key
  std::uint32_t block = 0;        // or object id; transaction: low half of the xid; advisory: low half
  std::uint32_t extra = 0;        // transaction: high half
  std::uint16_t offset = 0;       // or sub-object; advisory: 1 = one 64-bit key, 2 = two 32-bit keys
  LockTagKind kind = LockTagKind::relation;
  std::uint8_t padding = 0;
  bool operator==(const LockTag&) const = default;

  static LockTag relation_tag(Oid database, Oid relation);
  static LockTag subtree_tag(Oid database, Oid parent);
  static LockTag tuple_tag(Oid database, Oid relation, TupleId tid);
  static LockTag transaction_tag(Xid xid);
  static LockTag virtual_transaction_tag(int slot, std::uint64_t local_number);
  static LockTag object_tag(Oid database, Oid class_id, Oid object_id, int sub_id);
  static LockTag advisory_tag(Oid database, std::uint64_t key);
  static LockTag advisory_tag(Oid database, std::uint32_t key1, std::uint32_t key2);
};
static_assert(sizeof(LockTag) == 20);
// With the rule of subtree tags: strong modes (share_update_exclusive and up) never conflict with each other there.
bool conflicts(LockTagKind kind, LockMode a, LockMode b);
const char* lock_kind_name(LockTagKind kind);     // pg_locks.locktype: "relation", "transactionid", …
std::string describe(const LockTag& tag);         // as in messages: "relation 16384 of database 5"

enum class LockResult : std::uint8_t { granted, already_held, not_available };

class ResourceOwner;

// Takes the lock for `owner` (each owner remembers all it holds in an intrusive list; counts nest).
// dont_wait: not_available instead of waiting. Errors: 40P01 deadlock_detected, 55P03 lock_not_available (lock_timeout), 57014 (cancel).
LockResult acquire(ResourceOwner& owner, const LockTag& tag, LockMode mode, bool dont_wait = false);
// Gives back one acquisition of the owner's; false (with a warning by the caller) when it does not hold it.
bool release(ResourceOwner& owner, const LockTag& tag, LockMode mode);
// Does this session hold the lock, under any owner, in exactly this mode / in this mode or a stronger one?
bool holds(const LockTag& tag, LockMode mode);
bool holds_at_least(const LockTag& tag, LockMode mode);
// Waits until all who hold a lock on the tag that conflicts with mode (and their transactions) are gone; takes nothing.
void wait_for_lockers(const LockTag& tag, LockMode mode);
// Is anyone waiting for the lock (vacuum's truncation gives way)?
bool has_waiters(const LockTag& tag, LockMode mode);
// Waits for a transaction's end (its own lock on its xid). dont_wait: false if still running. context appears in the error's CONTEXT.
bool wait_for_transaction(ResourceOwner& owner, Xid xid, bool dont_wait = false);

// A transaction's lock on its own virtual id lives in ProcessSlot::virtual_xact (its top bit: somebody waits for the end). transaction/
// calls these at its start and, when all else is released, its end. number: my_slot().local_transaction_number, not 0.
void begin_virtual_transaction(std::uint64_t number);
void end_virtual_transaction();
// The number without the top bit.
inline constexpr std::uint64_t kVirtualWaitedFor = std::uint64_t{1} << 63;
constexpr std::uint64_t virtual_number(std::uint64_t word) { return word & ~kVirtualWaitedFor; }
// Waits until that virtual transaction is over. dont_wait: false if it still runs.
bool wait_for_virtual_transaction(int slot, std::uint64_t number, bool dont_wait = false);

// The text of what a process does, for the server log's account of a deadlock; session/ registers it.
using ActivityHook = std::string (*)(int slot);
void set_activity_hook(ActivityHook hook);

// A row of pg_locks. wait_start_us: microseconds since 2000-01-01, 0 when it does not wait. Fields of the tag that pg_locks shows as null are 0.
struct LockStatus {
  LockTag tag; LockMode mode; bool granted; bool fast_path; int slot; std::int32_t pid; std::uint64_t virtual_xact; std::int64_t wait_start_us;
};
std::vector<LockStatus> lock_status();
std::vector<std::int32_t> blocking_pids(std::int32_t pid);

// Holds what outlives a scope: heavyweight locks. One for the session (session-level advisory locks), one for a transaction,
// children for subtransactions and portals. Release is O(held).
class ResourceOwner {
 public:
  explicit ResourceOwner(ResourceOwner* parent);
  ~ResourceOwner();  // asserts that it holds nothing
  ResourceOwner(const ResourceOwner&) = delete;
  ResourceOwner& operator=(const ResourceOwner&) = delete;
  // Releases every lock held here.
  void release_all();
  // Hands all locks to the parent (subtransaction commit, portal drop). O(held here).
  void move_to_parent();
  // How many different locks are held here. O(held).
  int held_count() const;
  bool holds_nothing() const { return head_ == nullptr; }
  ResourceOwner* parent() const { return parent_; }
 private:
  friend struct OwnerAccess;
  ResourceOwner* parent_;
  struct HeldLock* head_ = nullptr;  // defined in locking/
};

// Shared memory and process life.
std::size_t lock_table_size();
void lock_table_init(void* memory);
// At process exit: releases everything this process holds, fast path included.
void release_all_at_exit();

// Relation-extension slots (DESIGN: not in the lock table). While one is held no heavyweight lock may be taken (asserted).
std::size_t extension_slots_size();
void extension_slots_init(void* memory);
class ExtensionLock {
 public:
  explicit ExtensionLock(const RelationFile& relation);
  ~ExtensionLock();
  // How many wait for the slot now: extend by more blocks when there are some.
  int waiters() const;
  ExtensionLock(const ExtensionLock&) = delete;
  ExtensionLock& operator=(const ExtensionLock&) = delete;
 private:
  std::uint32_t slot_;
};

}  // namespace hathi::locking
