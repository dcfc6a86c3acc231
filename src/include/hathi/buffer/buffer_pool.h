#pragma once
// The buffer pool: 8 KiB pages of relation files, shared by all. One door: a pinned buffer is a move-only guard.

#include <cstdint>

#include "hathi/base/ids.h"
#include "hathi/buffer/page.h"
#include "hathi/locking/lwlock.h"

namespace hathi::buffer {

using BufferIndex = std::int32_t;
inline constexpr BufferIndex kNoBuffer = -1;

// How read() treats the block.
enum class ReadMode : std::uint8_t {
  normal,         // must exist; checksum verified: XX001 with file and block when it fails
  zero_on_error,  // a bad page is answered as zeroes with a warning (recovery, zero_damaged_pages)
  zero,           // contents don't matter: the caller initialises it under an exclusive lock
  zero_past_end   // a block past the end reads as zeroes and comes into being when written (files that grow so: the commit log)
};

// Bulk readers and writers reuse a small ring of buffers instead of washing out the pool.
enum class RingKind : std::uint8_t { none, bulk_read, bulk_write, vacuum };
struct Ring;
Ring* make_ring(RingKind kind);   // nullptr for none
void free_ring(Ring* ring);

// A pin on a buffer, and optionally its content lock. While pinned the page stays in its buffer. To read row data after
// dropping the content lock the pin suffices (rows are not moved while others hold pins: pruning needs a cleanup lock).
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  ~PinnedBuffer() { release(); }
  PinnedBuffer(PinnedBuffer&& other) noexcept;
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept;
  explicit operator bool() const { return index_ != kNoBuffer; }

  PageView page() const { return PageView(page_); }
  const BlockTag& tag() const;
  BlockNumber block() const { return tag().block; }
  BufferIndex index() const { return index_; }

  // Content lock. Order of several: same relation by rising block number unless the access method's README says otherwise.
  void lock(locking::LwMode mode);
  bool try_lock(locking::LwMode mode);
  void unlock();
  bool is_locked() const { return locked_; }
  bool is_locked_exclusive() const { return locked_exclusive_; }
  // Exclusive lock while nobody else has a pin (vacuum, pruning). conditional: false instead of waiting.
  void lock_for_cleanup();
  bool try_lock_for_cleanup();

  // The page was changed without WAL (hint bits, unlogged relation): may be called with a share lock for hints. With checksums
  // on, a hint change after a checkpoint first logs a full-page image.
  void mark_dirty_hint();
  // The page was changed; exclusive lock held; called by wal::Change and by code for unlogged relations. logged: the change is in the
  // WAL or about to be: checkpoints must write the page (pages that were never logged are left to eviction and clean shutdown).
  void mark_dirty(bool logged = false);
  // Bits of the page were changed atomically under a share lock; `lsn` (0 = none) must be flushed before the page is written.
  void mark_dirty_shared(Lsn lsn);

  // Another pin on the same page.
  PinnedBuffer share() const;
  // Drops content lock and pin.
  void release();

 private:
  friend struct BufferAccess;
  std::byte* page_ = nullptr;
  BufferIndex index_ = kNoBuffer;   // from -2 down: buffers of temporary relations, private to this process
  bool locked_ = false;
  bool locked_exclusive_ = false;
};

// Pins block `tag`, reading it if need be. Throws SqlError: data_corrupted (XX001), io_error (58030), too many pins (53000).
PinnedBuffer read(const BlockTag& tag, ReadMode mode = ReadMode::normal, Ring* ring = nullptr);
// Pins the block when buffer `hint` (from an earlier pin of the same block) still holds it; else as read(). A scan's cheap re-pin.
PinnedBuffer read_recent(const BlockTag& tag, BufferIndex hint, Ring* ring = nullptr);
// The pin when buffer `hint` still holds the block, else an empty guard (files that are read otherwise than by read()'s default).
PinnedBuffer try_recent(const BlockTag& tag, BufferIndex hint);
// Adds `count` new zeroed blocks at the end of the fork and returns the first, pinned and exclusively locked; the others are
// in the pool unpinned. Takes the relation's extension slot. added: when given, more blocks than `count` may be added because others
// wait for the slot; *added says how many there are, so that the caller can offer them (free-space map). Throws 53100 disk_full.
PinnedBuffer extend(const RelationFile& file, Fork fork, int count, Ring* ring = nullptr, int* added = nullptr);
// Number of blocks in the fork (cached per process; exact while the caller holds a lock that excludes truncation).
BlockNumber block_count(const RelationFile& file, Fork fork);
// Does the fork have a file?
bool fork_exists(const RelationFile& file, Fork fork);

// Throws away all buffers of the relation (file about to be dropped) or those of a fork from `from` on (truncation), dirty or not.
void drop_relation(const RelationFile& file);
void drop_blocks(const RelationFile& file, Fork fork, BlockNumber from);
void drop_database(Oid database);
// Writes all dirty pages of the relation / the database / everything out (not fsync).
void flush_relation(const RelationFile& file);
void flush_database(Oid database);
// Writes every dirty page, those of unlogged relations too (a clean shutdown).
void flush_everything();
// The checkpoint's write phase: all buffers dirty at its start; how many it wrote. progress_delay(fraction done) may sleep.
int flush_for_checkpoint(bool immediate, void (*progress_delay)(double fraction));
// The background writer's round: cleans buffers ahead of the clock hand; returns how many it wrote.
int background_clean(int max_pages);

std::size_t pool_size();
void pool_init(void* memory);
int pool_buffer_count();

// Counters of this process since its start, for EXPLAIN (BUFFERS) and pg_stat_*.
struct Usage { std::uint64_t hit, read, dirtied, written, local_hit, local_read, local_dirtied, local_written, temp_read, temp_written; };
const Usage& usage();

// Pages of temporary relations go without being written.
void drop_local_buffers(const RelationFile& file);

// At the end of a transaction: asserts that this process holds no pins; in release builds drops leaked ones with a warning.
void check_for_leaked_pins();
// After an error: drops every pin and content lock this process still has.
void release_all_at_abort();

}  // namespace hathi::buffer
