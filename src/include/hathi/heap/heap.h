#pragma once
// The heap: row versions under MVCC, HOT updates, row locks.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "hathi/base/ids.h"
#include "hathi/buffer/buffer_pool.h"
#include "hathi/datum/tuple.h"
#include "hathi/storage/file.h"
#include "hathi/transaction/snapshot.h"
#include "hathi/transaction/xid_status.h"

namespace hathi::heap {

// What the heap needs to know of a table. Filled from catalog::Relation; plain data, valid while the relation is locked.
struct HeapTable {
  Oid oid = kInvalidOid;
  RelationFile file;
  storage::Persistence persistence = storage::Persistence::permanent;
  const TupleDescriptor* descriptor = nullptr;
  Oid toast_table = kInvalidOid;       // 0 = none
  int fill_factor = 100;
  bool is_catalog = false;             // its dead rows are judged by all databases' snapshots when shared
  std::span<const AttrNumber> key_columns;          // of unique, non-partial, non-expression indexes (FOR NO KEY UPDATE)
  std::span<const AttrNumber> indexed_columns;      // all that any index (or predicate, expression) uses: HOT needs them unchanged
  std::string_view name;
  bool logged() const { return persistence == storage::Persistence::permanent; }
};

// --- reading ------------------------------------------------------------------------------------------------------------
// Does a scan bring pages into a small ring of buffers, so that it does not wash out the pool? when_large: of tables of more than a quarter
// of the pool. always: of few pages that nobody else will want.
enum class ScanRing : std::uint8_t { never, when_large, always };

// A sequential scan. Rows are handed out in place: `HeapTuple` stays valid until the next call (the scan keeps the pin).
class Scan {
 public:
  Scan(const HeapTable& table, const transaction::Snapshot& snapshot, ScanRing ring = ScanRing::when_large);
  ~Scan();
  Scan(const Scan&) = delete;
  Scan& operator=(const Scan&) = delete;
  // False at the end. backward: for cursors.
  bool next(HeapTuple& out, bool backward = false);
  void rescan();
  // Reads only these blocks (bitmap scans): sets the current page and serves its rows; offsets empty = all rows (lossy).
  bool open_block(BlockNumber block, std::span<const OffsetNumber> offsets);
  bool next_in_block(HeapTuple& out);
  // The pin on the current row's page.
  const buffer::PinnedBuffer& pin() const;
 private:
  friend struct ScanStates;
  struct State;
  State* state_;
};

// The version of the row chain at `tid` (the root of a HOT chain as indexes give it) that the snapshot sees.
// pin: reused when it already holds the page. all_dead: set when every version is dead to all (the index entry may be killed).
bool fetch_by_index(const HeapTable& table, TupleId tid, const transaction::Snapshot& snapshot, buffer::PinnedBuffer& pin,
                    HeapTuple& out, bool* all_dead = nullptr);
// The version exactly at tid, if visible.
bool fetch_version(const HeapTable& table, TupleId tid, const transaction::Snapshot& snapshot, buffer::PinnedBuffer& pin, HeapTuple& out);
// Is the page marked all-visible (index-only scans)? vm_pin is kept for the next call.
bool is_all_visible(const HeapTable& table, BlockNumber block, buffer::PinnedBuffer& vm_pin);

// --- writing ------------------------------------------------------------------------------------------------------------
struct InsertOptions { bool skip_free_space_map = false; bool frozen = false; buffer::Ring* ring = nullptr; };
// Inserts with the current xid and command; toasts what is too big. Returns where it stands.
TupleId insert(const HeapTable& table, const HeapTuple& tuple, const InsertOptions& options = {});
// Several at once (COPY): fills pages, one record a page. tids[i] is set for each.
void insert_many(const HeapTable& table, std::span<const HeapTuple> tuples, std::span<TupleId> tids, const InsertOptions& options = {});

enum class ChangeResult : std::uint8_t {
  ok, invisible, self_modified, updated, deleted, being_modified, would_block
};
// Why a change did not happen: the newer version to follow (updated), who did it.
// moved_partition: an UPDATE moved the row to another partition (no next version here).
struct ChangeFailure { TupleId next; Xid xmax{0}; CommandId cmax{0}; bool traversed = false; bool moved_partition = false; };

enum class RowLockMode : std::uint8_t { key_share, share, no_key_update, update };
enum class WaitPolicy : std::uint8_t { block, skip, error };

// All wait for concurrent changers (wait: false = being_modified). moved_partition: the row goes on in another partition.
ChangeResult remove(const HeapTable& table, TupleId tid, CommandId command, bool wait, ChangeFailure& failure,
                    bool moved_partition = false);
struct UpdateOutcome { TupleId tid; bool needs_index_entries = true; RowLockMode lock_mode = RowLockMode::update; };
ChangeResult update(const HeapTable& table, TupleId tid, const HeapTuple& row, CommandId command, bool wait, ChangeFailure& failure,
                    UpdateOutcome& outcome);
// Locks the row; follow_updates: also versions that others made meanwhile. out is the locked version.
ChangeResult lock_row(const HeapTable& table, TupleId tid, CommandId command, RowLockMode mode, WaitPolicy policy, bool follow_updates,
                      buffer::PinnedBuffer& pin, HeapTuple& out, ChangeFailure& failure);
// Speculative insertion (ON CONFLICT): kills the row just inserted.
void abort_speculative(const HeapTable& table, TupleId tid);
// Overwrites a row in place without a new version (catalog counters such as reltuples); same size.
void update_in_place(const HeapTable& table, TupleId tid, const HeapTuple& row);

// --- maintenance --------------------------------------------------------------------------------------------------------
// Prunes a page when a reader finds it worth while and nobody else has it pinned.
void prune_if_useful(const HeapTable& table, buffer::PinnedBuffer& pin);
struct IndexCleaner {  // one index of a table being vacuumed; implemented by catalog-aware callers over btree::
  virtual ~IndexCleaner() = default;
  virtual void remove_entries(const std::function<bool(TupleId)>& is_dead) = 0;
  virtual void finish() = 0;
};
// old_rows, old_pages: pg_class.reltuples (-1 = unknown) and relpages, for the estimate when pages are skipped.
// freeze_min_age: versions made by xids that many before the oldest needed are frozen (freeze: all that can be).
struct VacuumOptions {
  bool freeze = false; bool truncate = true; bool disable_page_skipping = false; bool index_cleanup = true;
  bool force_index_cleanup = false;   // INDEX_CLEANUP ON: even when there is next to nothing to clean
  std::uint64_t freeze_min_age = 50000000;
  double old_rows = -1; std::uint32_t old_pages = 0;
};
struct VacuumStatistics {
  std::uint64_t pages = 0, pages_scanned = 0, pages_removed = 0, pages_all_visible = 0;
  std::uint64_t rows_live = 0, rows_removed = 0, rows_dead_kept = 0, line_pointers_removed = 0;
  Xid oldest_kept{0};   // new relfrozenxid; kInvalidXid when skipped pages leave it unknown
  double rows_estimated = 0;
};
// The caller is in a transaction of its own and holds ShareUpdateExclusive on the table. Errors: those of I/O, 57014.
VacuumStatistics vacuum(const HeapTable& table, std::span<IndexCleaner* const> indexes, const VacuumOptions& options);

// Every version an index being built must cover, with the root tid of its HOT chain. live: visible or in progress; snapshot for
// concurrent builds.
// broken_chains: set when a chain's older versions, still seen by someone, have other keys than the entry (pg_index.indcheckxmin).
void scan_for_index_build(const HeapTable& table, const transaction::Snapshot* snapshot,
                          const std::function<void(const HeapTuple& row, TupleId root, bool live)>& callback,
                          bool* broken_chains = nullptr);

}  // namespace hathi::heap
