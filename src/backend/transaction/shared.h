#pragma once
// Shared memory of transaction/.
//
// Locking:
//   completions, latest_completed   written under array_lock (exclusive). completions is odd while xids are being taken out; a reader that
//                                   sees the same even number before and after has a consistent view, without the lock.
//   occupied, xids, subcounts, owners  a position is claimed under xid_lock by the process that gets an xid, and freed under array_lock.
//                                   The owner's slot number and the xid are stored before the bit is set.
//   next_xid                        atomic, raised under xid_lock. Every xid below it has been published.
//   xmins, ProcessEntry::in_vacuum  written by the owner only
//   ProcessEntry::group_*           by the owner before it queues itself, by the leader afterwards
//   next_multixact, next_member     multixact_lock (spin)
//   next_oid, oids_logged           oid_lock
//   created                         created_lock (spin)

#include <atomic>
#include <cstdint>

#include "hathi/locking/lwlock.h"
#include "hathi/transaction/process_array.h"
#include "hathi/transaction/xid_status.h"
#include "hathi/wal/log.h"

namespace hathi::transaction {

struct alignas(64) ProcessEntry {
  std::atomic<std::uint32_t> in_vacuum;
  std::int32_t position;                 // + 1 in the dense arrays, 0 = none; owner only
  // Waiting to be taken out of the array by another process.
  std::atomic<std::int32_t> group_next;  // slot + 1
  std::atomic<std::uint32_t> group_wait; // 1 while waiting
  std::uint64_t group_latest;
};

// Storage made by a transaction that has not ended; carried by checkpoints so that recovery can remove orphans.
struct CreatedFile {
  RelationFile file;                     // relation 0: a database's directory
  std::uint32_t padding;
  Xid xid;
};
inline constexpr std::uint32_t kCreatedCapacity = 8192;

struct TransactionShared {
  alignas(64) std::atomic<std::uint64_t> completions;
  std::atomic<std::uint64_t> latest_completed;
  std::atomic<std::uint64_t> imports;      // snapshots taken over from another process; grows after the xmin was published
  alignas(64) locking::LwLock array_lock;
  std::atomic<std::int32_t> group_first;   // slot + 1
  alignas(64) locking::LwLock xid_lock;
  std::atomic<std::uint64_t> next_xid;
  std::atomic<std::uint64_t> oldest_xid;
  alignas(64) locking::SpinLock multixact_lock;
  std::uint32_t next_multixact;
  std::uint64_t next_member;
  alignas(64) locking::LwLock oid_lock;
  std::uint32_t next_oid;
  std::uint32_t oids_logged;
  alignas(64) locking::SpinLock created_lock;
  std::uint32_t created_count;
  std::uint32_t words;                     // of the bitmap
  CreatedFile created[kCreatedCapacity];
};

extern TransactionShared* shared;
extern std::atomic<std::uint64_t>* occupied;     // bitmap over positions
extern std::atomic<std::uint64_t>* xids;         // by position
extern std::atomic<std::uint32_t>* subcounts;    // by position: xids of subtransactions assigned so far
extern std::atomic<std::int32_t>* owners;        // by position: slot number
extern ProcessEntry* entries;                    // by slot number
extern std::atomic<std::uint64_t>* xmins;      // [slot]: the oldest xid that its snapshots need, 0 = none. Dense: horizons read all of them

ProcessEntry& my_entry();

// --- process_array.cpp ---------------------------------------------------------------------------------------------------------
Xid assign_top_xid();
Xid assign_sub_xid();
// Takes this process out of the array. latest: the highest of its xids.
void end_running(Xid latest);
// The state that a snapshot captures, consistent; publishes the resulting xmin for this process first.
struct RunningState { std::uint64_t completions; Xid xmin, xmax; bool has_subtransactions; };
RunningState collect_running(std::vector<Xid>& running);
// Publishes xmin if it is older than what is published; true when no transaction has ended since `completions` was read.
bool publish_xmin(Xid xmin, std::uint64_t completions);
void replace_xmin(Xid xmin);

// --- commit_log.cpp ------------------------------------------------------------------------------------------------------------
enum class XidStatus : std::uint8_t { in_progress = 0, committed = 1, aborted = 2 };
// lsn: the record that says so, 0 = none.
void set_status(Xid top, std::span<const Xid> children, XidStatus status, Lsn lsn);
XidStatus get_status(Xid xid);
void set_top_level(Xid sub, Xid top);
// After recovery: nothing stands in the log for xids not yet given out.
void trim_commit_log();
void reset_subtransactions();

// --- counters.cpp, commit.cpp, … -------------------------------------------------------------------------------------------------
void advance_next_xid(Xid beyond);   // recovery: next_xid is at least beyond + 1
void redo_multixact(const wal::RedoRecord& record);
void redo_transaction(const wal::RedoRecord& record);
void redo_oids(std::span<const std::byte> data);
// Records of ResourceManager::transaction.
enum class TransactionInfo : std::uint8_t { commit = 0, abort = 1, oids = 2 };

}  // namespace hathi::transaction
