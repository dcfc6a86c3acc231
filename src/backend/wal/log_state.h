#pragma once
// The log's shared state.
//
// A position (Lsn) is a byte offset in the stream of records; segment n holds bytes [n * 16 MiB, (n+1) * 16 MiB) and nothing else.
// The ring holds byte p at p % ring_size. Three positions chase each other: flushed <= written <= (finished insertions) <= reserved.
//   reserved  next free byte; inserters take space by one fetch_add, then copy in parallel
//   written   handed to the operating system; ring bytes below it may be overwritten
//   flushed   on stable storage
//
// Locking:
//   reserved                 atomic; raised only while holding an insert slot
//   redo                     atomic; changed only while holding all insert slots, so an inserter that holds one may rely on it
//   written, flushed         atomic; raised only under write_lock
//   unsynced_names           atomic; how many processes are giving names in pg_wal that are not on disk yet
//   slots[i].word            a futex mutex (0 free, 1 held, 2 held and somebody sleeps)
//   slots[i].position        while held: this inserter has copied all its bytes below it
//   incarnation, ring_size…  set before others start
//   checkpoint.*             see there
//
// Nobody waits for an inserter while holding write_lock: an inserter may need it to make room.

#include <atomic>
#include <cstdint>

#include "hathi/locking/lwlock.h"
#include "hathi/wal/log.h"

namespace hathi::wal {

inline constexpr int kInsertSlots = 8;

struct alignas(64) InsertSlot {
  std::atomic<std::uint32_t> word;
  std::atomic<std::uint64_t> position;
};

// Locking: requests, counters under `lock`; done_word is a futex that changes with each start and end of a checkpoint; the rest atomic.
struct CheckpointShared {
  locking::SpinLock lock;
  std::uint32_t requested;       // kRequest… flags
  std::uint32_t started, done, failed;
  std::atomic<std::uint32_t> done_word;
  std::atomic<std::uint32_t> running;            // somebody makes a checkpoint
  std::atomic<std::uint64_t> last_end;           // where the latest checkpoint's record ended
  std::atomic<std::int32_t> checkpointer_slot;   // + 1; 0 = none runs
  std::atomic<std::uint64_t> timed, requested_count, write_ms, sync_ms, buffers, background_buffers, background_maxwritten;
};
inline constexpr std::uint32_t kRequestAny = 1, kRequestImmediate = 2, kRequestByVolume = 4;

struct LogState {
  std::uint64_t ring_size;
  std::uint64_t system_identifier;
  std::uint32_t incarnation;          // mixed into every record's checksum; a new one for each life after a crash
  std::uint32_t timeline;
  std::atomic<bool> recovering;
  std::atomic<bool> checksums;
  std::atomic<bool> ready;            // records may be inserted
  alignas(64) std::atomic<std::uint64_t> reserved;
  alignas(64) std::atomic<std::uint64_t> redo;
  alignas(64) std::atomic<std::uint64_t> written;
  std::atomic<std::uint64_t> flushed;
  std::atomic<std::uint64_t> async_upto;        // highest position given to flush_soon()
  std::atomic<std::int32_t> wal_writer_slot;    // + 1; 0 = none runs
  std::atomic<bool> wal_writer_sleeps;
  std::atomic<std::uint32_t> unsynced_names;
  alignas(64) locking::LwLock write_lock;
  alignas(64) InsertSlot slots[kInsertSlots];
  alignas(64) CheckpointShared checkpoint;
};

extern LogState* state;
extern CounterHooks counter_hooks;
extern std::byte* ring;
// Per process slot: nesting of DelayCheckpoint in the low half, a generation in the high half.
extern std::atomic<std::uint64_t>* delays;
extern std::uint64_t own_records;   // see own_record_count()

// --- inside wal/ --------------------------------------------------------------------------------------------------------
// Waits until all bytes below `upto` have been copied into the ring; returns how far they have (>= upto).
std::uint64_t wait_for_insertions(std::uint64_t upto);
// Raises `written` to at least `upto` (insertions finished below it), write_lock held.
void write_locked(std::uint64_t upto, bool sync);
// Holds all insert slots while it lives.
class AllInsertSlots {
 public:
  AllInsertSlots();
  ~AllInsertSlots();
  AllInsertSlots(const AllInsertSlots&) = delete;
  AllInsertSlots& operator=(const AllInsertSlots&) = delete;
};
// Waits for those who were inside DelayCheckpoint when it was called.
void wait_for_delays();

// The checkpoint record: info 0 of ResourceManager::log. Data: this, then what CounterHooks::collect added.
struct CheckpointRecord {
  std::uint64_t redo;
  std::int64_t time;          // seconds since 1970
  std::uint32_t incarnation;
  std::uint32_t kind;         // 0 online, 1 shutdown, 2 end of recovery
  Counters counters;
};
inline constexpr std::uint8_t kCheckpointInfo = 0;
// Others of ResourceManager::log: a page's image because of hint bits; images to compare replayed pages with.
inline constexpr std::uint8_t kHintImageInfo = 1;
inline constexpr std::uint8_t kPageCheckInfo = 2;

// wal_consistency_checking (consistency.cpp): is the manager among those whose pages are logged once more after each change?
bool checks_consistency(ResourceManager manager);
struct BlockReference;
// Redo: the page must be as the image says, hints aside. PANIC when it is not.
void check_replayed_page(const BlockReference& block);

// Segment files (segments.cpp).
std::string segment_path(std::uint64_t segment);
// Opens (creating it if need be) a segment for writing; -1 with errno. Its name is on disk then.
int open_wal_segment(std::uint64_t segment, int extra_flags);
// Makes sure the segment's file exists before it is needed. Errors are ignored: the writer will meet them.
void preallocate_segment(std::uint64_t segment);
// Start-up: removes what processes that died while making a segment left behind.
void remove_unfinished_segments();
// After a checkpoint: removes, or gives new names to, the segments before that of `redo`; `end` is the current position.
void recycle_segments(std::uint64_t redo, std::uint64_t end);
std::uint64_t segments_per_checkpoint();

}  // namespace hathi::wal
