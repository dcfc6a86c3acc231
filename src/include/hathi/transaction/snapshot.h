#pragma once
// Snapshots and who is visible under them.

#include <cstdint>
#include <span>

#include "hathi/base/ids.h"

namespace hathi::transaction {

// What a statement sees: all that had committed when it was taken, and its own transaction's earlier commands.
// Immutable once taken. `running` is sorted: the xids (top level) that ran at the time, all in [xmin, xmax).
struct Snapshot {
  enum class Kind : std::uint8_t { mvcc, self, any, dirty, toast, non_vacuumable };
  Kind kind = Kind::mvcc;
  Xid xmin{0};                 // all below are finished
  Xid xmax{0};                 // none from here on is visible
  const Xid* running = nullptr;
  std::uint32_t running_count = 0;
  bool may_have_subtransactions = false;  // some xid in range may be a subtransaction: map it to its top level first
  CommandId command{0};        // own row versions made by earlier commands are visible
  std::uint64_t completion_count = 0;     // the process array's counter when it was taken
  // Kind::dirty: set by the visibility test to the in-progress inserter / deleter it met.
  mutable Xid dirty_xmin{0};
  mutable Xid dirty_xmax{0};
};

// Is xid still running for this snapshot (or later than it)? O(log running).
bool in_snapshot(Xid xid, const Snapshot& snapshot);

// A snapshot that stays valid while this object lives; keeps this process's published xmin back. Move-only, cheap.
class SnapshotRef {
 public:
  SnapshotRef() = default;
  ~SnapshotRef();
  SnapshotRef(SnapshotRef&& other) noexcept;
  SnapshotRef& operator=(SnapshotRef&& other) noexcept;
  const Snapshot& operator*() const { return *snapshot_; }
  const Snapshot* operator->() const { return snapshot_; }
  const Snapshot* get() const { return snapshot_; }
  explicit operator bool() const { return snapshot_ != nullptr; }
  SnapshotRef share() const;
 private:
  friend struct SnapshotAccess;
  const Snapshot* snapshot_ = nullptr;
};

// READ COMMITTED: a new one each call (reused when nothing completed since). REPEATABLE READ: the transaction's.
SnapshotRef statement_snapshot();
// Newest state, for catalog reads; own changes up to the current command included.
SnapshotRef catalog_snapshot();
// The newest committed state whatever the isolation level (foreign-key checks, re-checks).
SnapshotRef latest_snapshot();
// A copy of s whose command counter is the current one (a portal's snapshot does not move; a later command's does).
SnapshotRef with_current_command(const SnapshotRef& s);
const Snapshot& self_snapshot();    // own and committed, evaluated now
const Snapshot& any_snapshot();     // every version
const Snapshot& toast_snapshot();
// A fresh dirty snapshot object: sees in-progress versions and reports them.
Snapshot dirty_snapshot();

// The oldest xid that some snapshot may still need (row versions deleted before it are dead to all). shared: of all databases.
// O(processes with a snapshot).
Xid oldest_visible_xid(Oid database);

// Waits until no transaction of this database holds a snapshot whose xmin is below `limit` (CREATE/DROP INDEX CONCURRENTLY).
void wait_for_older_snapshots(Xid limit);

// Export for pg_current_snapshot and friends: text "xmin:xmax:xip,…" is made by types/.

}  // namespace hathi::transaction
