#pragma once
// The pool's shared structures.
//
// Descriptor state word (32 bits):
//   bits  0-17  pins of all processes (each process counts once, see PinTable)
//   bits 18-20  usage count for the clock sweep, 0-5
//   bits 22-…   flags below
//
// Locking:
//   tag        changes only while kTagValid is clear and the changer's is the only pin; so whoever holds a pin taken while kTagValid was
//              set may read it. Unpinned readers (lookup) read it racily and check again once they have the pin.
//   state      atomic. kTagValid is set and cleared under the tag's mapping partition lock (exclusive); clearing needs "my pin only, not dirty".
//   hash_next  changes under the partition lock of the chain it is in; lookups without a lock read it and tolerate being led astray
//              (a miss is repeated under the lock).
//   content    the page's bytes: share to read, exclusive to change, except hint bits and commit-log bits (share, atomic stores).
//              It is also held exclusively by whoever reads the page from disk, until kValid is set.
//   kIoWrite   set by the one process that writes the page out (it holds `content` shared or exclusive).

#include <atomic>
#include <cstdint>
#include <unordered_map>

#include "hathi/buffer/buffer_pool.h"
#include "hathi/error/sql_error.h"
#include "hathi/memory/poison.h"

namespace hathi::buffer {

inline constexpr std::uint32_t kPinMask = (1u << 18) - 1;
inline constexpr std::uint32_t kUsageOne = 1u << 18;
inline constexpr std::uint32_t kUsageMask = 7u << 18;
inline constexpr std::uint32_t kUsageMax = 5u << 18;
inline constexpr std::uint32_t kDirty = 1u << 22;
inline constexpr std::uint32_t kValid = 1u << 23;
inline constexpr std::uint32_t kTagValid = 1u << 24;
inline constexpr std::uint32_t kIoWrite = 1u << 25;
inline constexpr std::uint32_t kJustDirtied = 1u << 26;       // dirtied since the running write began
inline constexpr std::uint32_t kCheckpointNeeded = 1u << 27;  // dirty when the running checkpoint began
inline constexpr std::uint32_t kPinWaiter = 1u << 28;         // cleanup_waiter wants to be told when one pin is left
inline constexpr std::uint32_t kLogged = 1u << 29;            // some change of this page was logged

struct alignas(64) BufferDescriptor {
  BlockTag tag;
  std::atomic<std::uint32_t> state;
  std::atomic<std::int32_t> hash_next;        // index + 1, 0 = end
  std::atomic<std::int32_t> cleanup_waiter;   // slot number
  locking::LwLock content;
};
static_assert(sizeof(BlockTag) == 20);
static_assert(sizeof(BufferDescriptor) == 64);

inline constexpr std::uint32_t kPartitions = 128;
struct alignas(64) Partition { locking::LwLock lock; };

// Locking: `hand` is atomic; the rest does not change after init.
struct PoolShared {
  Partition partitions[kPartitions];
  alignas(64) std::atomic<std::uint64_t> hand;        // buffers the clock sweep has passed, ever
  alignas(64) std::atomic<std::uint64_t> allocations; // victims handed out, ever (the background writer's pace)
  std::int32_t buffer_count;
  std::uint32_t bucket_mask;
};

extern PoolShared* pool;
extern BufferDescriptor* descriptors;
extern std::atomic<std::int32_t>* buckets;   // index + 1, 0 = empty
extern std::byte* pages;
extern Usage usage_counters;

inline std::byte* page_of(BufferIndex i) { return pages + static_cast<std::size_t>(i) * kPageSize; }

// A page may be touched from its pin to its unpin.
inline void allow_page(BufferIndex i) { memory::unpoison(page_of(i), kPageSize); }
inline void forbid_page(BufferIndex i) { memory::poison(page_of(i), kPageSize); }

// Eight neighbouring blocks of eight files that were made one after another get 64 buckets in a row: whoever visits all partitions of a
// table, or all blocks of one, touches few pages of the bucket array (a TLB miss costs more than the look-up).
inline std::uint32_t hash_tag(const BlockTag& tag) {
  std::uint32_t block = tag.block.value(), relation = raw(tag.file.relation);
  std::uint64_t a = static_cast<std::uint64_t>(relation >> 3) << 32 | block >> 3;
  std::uint64_t b = (static_cast<std::uint64_t>(raw(tag.file.database)) << 3 | static_cast<std::uint64_t>(tag.fork)) ^
                    static_cast<std::uint64_t>(raw(tag.file.tablespace)) << 40;
  a = (a ^ b * 0xD6E8FEB86659FD93u) * 0x9E3779B97F4A7C15u;
  return static_cast<std::uint32_t>(a >> 32) << 6 | (relation & 7) << 3 | (block & 7);
}
inline locking::LwLock& partition_lock(std::uint32_t hash) { return pool->partitions[hash & (kPartitions - 1)].lock; }
inline std::atomic<std::int32_t>& bucket_of(std::uint32_t hash) { return buckets[hash & pool->bucket_mask]; }

// This process's pins. Most statements hold a few, so the first eight stand in an array that one look covers.
class PinTable {
 public:
  static constexpr int kInline = 8;
  int* find(BufferIndex index) {
    for (int i = 0; i < kInline; ++i)
      if (index_[i] == index) return &count_[i];
    return overflow_used_ ? find_overflow(index) : nullptr;
  }
  void add(BufferIndex index) {
    allow_page(index);
    for (int i = 0; i < kInline; ++i) {
      if (index_[i] == kNoBuffer) {
        index_[i] = index;
        count_[i] = 1;
        return;
      }
    }
    overflow_[index] = 1;
    overflow_used_ = true;
  }
  void remove(BufferIndex index) {
    for (int i = 0; i < kInline; ++i) {
      if (index_[i] == index) {
        index_[i] = kNoBuffer;
        return;
      }
    }
    overflow_.erase(index);
    overflow_used_ = !overflow_.empty();
  }
  // Any pinned buffer, or kNoBuffer.
  BufferIndex any() const {
    for (BufferIndex i : index_)
      if (i != kNoBuffer) return i;
    return overflow_.empty() ? kNoBuffer : overflow_.begin()->first;
  }

 private:
  int* find_overflow(BufferIndex index) {
    auto it = overflow_.find(index);
    return it == overflow_.end() ? nullptr : &it->second;
  }
  BufferIndex index_[kInline] = {kNoBuffer, kNoBuffer, kNoBuffer, kNoBuffer, kNoBuffer, kNoBuffer, kNoBuffer, kNoBuffer};
  int count_[kInline] = {};
  bool overflow_used_ = false;
  std::unordered_map<BufferIndex, int> overflow_;
};
extern PinTable pins;

// Takes a pin if the buffer holds some page (kTagValid); counts it in `pins`. heat: raise the usage count (a ring's pages stay at 1).
bool try_pin(BufferIndex i, bool heat);
// A pin whatever the buffer holds (the sweep, checkpoints): not counted in `pins`.
void raw_pin(BufferIndex i);
void raw_unpin(BufferIndex i);
void unpin(BufferIndex i);
// Exact lookup; caller holds the partition lock. kNoBuffer when it is not there.
BufferIndex lookup_locked(const BlockTag& tag, std::uint32_t hash);
void insert_locked(BufferIndex i, std::uint32_t hash);
void remove_locked(BufferIndex i, std::uint32_t hash);

// A free buffer: pinned once (not in `pins`), its state otherwise 0, in no chain. Throws 53000 when all are pinned.
BufferIndex take_victim(Ring* ring);
// Puts a victim back unused.
void return_victim(BufferIndex i);
// Publishes victim `i` under `tag` with its content lock held exclusively by us; or, when someone else was faster, gives the victim back
// and returns theirs, pinned (in `pins`) and not locked.
struct Published { BufferIndex index; bool ours; };
Published publish(BufferIndex victim, const BlockTag& tag, std::uint32_t hash);

// Writes the page out if it is dirty. The caller has it pinned and holds its content lock (any mode).
void write_out(BufferIndex i);

struct BufferAccess {
  static PinnedBuffer make(BufferIndex i, std::byte* page, bool locked_exclusive = false) {
    PinnedBuffer b;
    b.index_ = i;
    b.page_ = page;
    b.locked_ = b.locked_exclusive_ = locked_exclusive;
    return b;
  }
};

struct Ring {
  RingKind kind;
  int size;
  int current;
  BufferIndex buffers[1];  // `size` of them
};
// The ring's next buffer when it can be reused, pinned raw; kNoBuffer = take another and call ring_remember().
BufferIndex ring_candidate(Ring* ring);
void ring_remember(Ring* ring, BufferIndex i);

// Temporary relations (local.cpp).
inline bool is_local(BufferIndex i) { return i <= -2; }
PinnedBuffer local_read(const BlockTag& tag, ReadMode mode);
PinnedBuffer local_extend(const RelationFile& file, Fork fork, int count);
void local_unpin(BufferIndex i);
void local_pin_again(BufferIndex i);
void local_mark_dirty(BufferIndex i);
const BlockTag& local_tag(BufferIndex i);
bool local_has(BufferIndex i, const BlockTag& tag);
void local_drop(const RelationFile& file, Fork fork, BlockNumber from, bool all_forks);
void local_flush(const RelationFile& file);
// Verifies the page just read for `tag`; handles zero_on_error. Throws XX001.
void verify_page(const BlockTag& tag, std::byte* page, ReadMode mode);

}  // namespace hathi::buffer
