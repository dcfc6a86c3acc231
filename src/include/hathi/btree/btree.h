#pragma once
// B-tree indexes: Lehman-Yao links, multi-column keys, INCLUDE columns, duplicates ordered by row position.

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

#include "hathi/base/ids.h"
#include "hathi/buffer/buffer_pool.h"
#include "hathi/datum/function.h"
#include "hathi/datum/tuple.h"
#include "hathi/heap/heap.h"
#include "hathi/storage/file.h"
#include "hathi/transaction/snapshot.h"

namespace hathi::btree {

struct KeyColumn {
  ComparisonFunction comparison;   // the operator class's order function (support function 1), with the column's collation
  bool descending = false;
  bool nulls_first = false;
};

// Where an index's root was found last. It may be out of date: whoever uses it looks at the page. It belongs to one version of a
// descriptor, so that in a shared one the first process that reads the index's metapage does it for all.
class RootHint {
 public:
  struct Place { std::uint32_t block; buffer::BufferIndex buffer; };
  // Block 0 (the metapage's): not known.
  Place get() const {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    return {static_cast<std::uint32_t>(word), static_cast<buffer::BufferIndex>(static_cast<std::uint32_t>(word >> 32))};
  }
  void set(Place p) {
    std::uint64_t word = static_cast<std::uint64_t>(static_cast<std::uint32_t>(p.buffer)) << 32 | p.block;
    if (word_.load(std::memory_order_relaxed) != word) word_.store(word, std::memory_order_relaxed);
  }
 private:
  std::atomic<std::uint64_t> word_{std::uint64_t{0xFFFFFFFF} << 32};   // no buffer, no block
};

// What the index code needs to know. Filled from catalog::Relation.
struct BTreeIndex {
  Oid oid = kInvalidOid;
  RelationFile file;
  storage::Persistence persistence = storage::Persistence::permanent;
  const TupleDescriptor* descriptor = nullptr;   // key columns, then INCLUDE columns
  std::span<const KeyColumn> keys;
  bool unique = false;
  bool nulls_not_distinct = false;
  bool deduplicate = true;
  int fill_factor = 90;
  std::string_view name;
  std::string_view table_name;                   // for messages
  RootHint* root_hint = nullptr;                 // null: what this process remembers of its own
  bool logged() const { return persistence == storage::Persistence::permanent; }
};

// Writes the empty index (metapage) into new storage. fork: init for unlogged relations.
void create_empty(const BTreeIndex& index, Fork fork = Fork::main);

// Bottom-up build: add rows in any order, finish() sorts (spilling at maintenance_work_mem) and writes. Unique violations call
// on_duplicate with the key values (which throws).
class Builder {
 public:
  Builder(const BTreeIndex& index, std::function<void(const Datum* values, const bool* nulls)> on_duplicate);
  ~Builder();
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;
  void add(const Datum* values, const bool* nulls, TupleId row, bool live);
  void finish();
  std::uint64_t row_count() const;
 private:
  struct State;
  State* state_;
};

enum class UniqueCheck : std::uint8_t { none, immediate, deferred /* insert, report a possible conflict */, existing /* only re-check */ };

// What a unique check asks of the heap: which version of the row chain at tid is alive? xid to wait for when it is in progress.
struct UniqueProbe { bool conflict = false; Xid wait_for{0}; TupleId conflicting; bool all_dead = false; };
using HeapProbe = std::function<UniqueProbe(TupleId tid)>;
// The usual probe: asks the table for a version that is there or in progress.
UniqueProbe probe_heap(const heap::HeapTable& table, TupleId tid);

// Inserts an entry. probe is used for unique indexes (waits for other inserters between descents). Result: false when (deferred)
// a conflict may exist; immediate conflicts call on_conflict(conflicting tid), which throws 23505 with the key.
bool insert(const BTreeIndex& index, const Datum* values, const bool* nulls, TupleId row, UniqueCheck check, const HeapProbe& probe,
            const std::function<void(TupleId)>& on_conflict);

// --- scanning -----------------------------------------------------------------------------------------------------------
enum class Strategy : std::uint8_t { none = 0, less = 1, less_equal = 2, equal = 3, greater_equal = 4, greater = 5 };
// A condition on a key column. cross-type: `comparison` compares (index value, argument).
struct ScanKey {
  AttrNumber column = 0;            // 1-based position in the index
  Strategy strategy = Strategy::equal;
  Datum argument;
  bool is_null_test = false;        // IS NULL (null_wanted) or IS NOT NULL
  bool null_wanted = false;
  ComparisonFunction comparison;
  std::span<const Datum> any_of;    // column = ANY (…): not empty, no nulls; sorted and deduplicated by the scan
  // How two elements of any_of compare; needed only when `comparison` compares different types by a function call.
  const ComparisonFunction* element_comparison = nullptr;
};

// A scan in index order. It reads a leaf page at a time, copies what it needs, and holds no content lock between calls. keep_pin: the
// leaf page stays pinned, which keeps vacuum from giving its row positions to other rows: needed with snapshots that are not MVCC.
// Index-only scans (want_values) keep it always, since they trust the visibility map. The index must outlive the scan.
class Scan {
 public:
  Scan(const BTreeIndex& index, bool want_values, bool keep_pin = false);
  ~Scan();
  Scan(const Scan&) = delete;
  Scan& operator=(const Scan&) = delete;
  // (Re)starts. An argument known to be NULL for a strict condition gives no rows (say so with empty = true).
  void start(std::span<const ScanKey> keys, bool empty = false);
  // The next entry; false at the end. values()/nulls(): key and INCLUDE columns of the current entry when asked for.
  bool next(TupleId& out, bool backward = false);
  const Datum* values() const;
  const bool* nulls() const;
  // The entry just returned leads to nothing alive: may be marked dead.
  void kill_current();
  // Ends the scan early: dead entries are marked, the pin is dropped. The destructor does so too, unless an error is on its way.
  void finish();
  void mark();
  void restore();
 private:
  friend struct ScanAccess;
  struct State;
  State* state_;
};

// Removes entries whose rows are dead; empties pages are recycled.
struct VacuumResult { std::uint64_t entries = 0, removed = 0, pages = 0, pages_deleted = 0, pages_free = 0; };
VacuumResult vacuum(const BTreeIndex& index, const std::function<bool(TupleId)>& is_dead);

// Estimates for the planner.
struct Shape { BlockNumber pages{0}; int height = 0; };
Shape shape(const BTreeIndex& index);

}  // namespace hathi::btree
