// Throwing pages away: relations and databases that go, forks that are cut.

#include <unistd.h>

#include "hathi/error/sql_error.h"
#include "hathi/storage/file.h"
#include "hathi/wal/log.h"
#include "pool.h"

namespace hathi::buffer {

namespace {

// Removes buffer i from the pool, dirty or not, if it still matches. Waits for short-lived pins (writers, the sweep).
template <class Match>
void invalidate(BufferIndex i, Match match) {
  BufferDescriptor& d = descriptors[i];
  for (int tries = 0;; ++tries) {
    BlockTag tag = d.tag;
    if ((d.state.load(std::memory_order_acquire) & kTagValid) == 0 || !match(tag)) return;
    std::uint32_t hash = hash_tag(tag);
    {
      locking::LwLockGuard guard(partition_lock(hash), locking::LwMode::exclusive);
      std::uint32_t s = d.state.load(std::memory_order_acquire);
      if ((s & kTagValid) == 0 || !(d.tag == tag)) continue;  // it became another page meanwhile: look again
      if ((s & kPinMask) == 0 && (s & kIoWrite) == 0 && d.state.compare_exchange_strong(s, 0, std::memory_order_acq_rel)) {
        remove_locked(i, hash);
        return;
      }
    }
    if (tries > 100000)
      throw SqlError(sqlstate::internal_error, "block {} of relation {} is still pinned", tag.block.value(),
                     storage::relation_path(tag.file, tag.fork));
    ::usleep(100);
  }
}

template <class Match>
void invalidate_all(Match match) {
  for (BufferIndex i = 0; i < pool->buffer_count; ++i) {
    // A racy look first: only buffers that may match are worth the lock.
    if (match(descriptors[i].tag) && (descriptors[i].state.load(std::memory_order_acquire) & kTagValid) != 0) invalidate(i, match);
  }
}

// Finds single blocks by hash when that beats walking the whole pool. False when the walk is better.
bool invalidate_few(const RelationFile& file, const std::uint32_t (&from)[kForkCount], const std::uint32_t (&to)[kForkCount]) {
  std::uint64_t total = 0;
  for (int f = 0; f < kForkCount; ++f) total += to[f] > from[f] ? to[f] - from[f] : 0;
  if (total > static_cast<std::uint64_t>(pool->buffer_count) / 32) return false;
  for (int f = 0; f < kForkCount; ++f) {
    for (std::uint32_t b = from[f]; b < to[f]; ++b) {
      BlockTag tag{file, static_cast<Fork>(f), BlockNumber{b}};
      std::uint32_t hash = hash_tag(tag);
      BufferIndex i;
      {
        locking::LwLockGuard guard(partition_lock(hash), locking::LwMode::shared);
        i = lookup_locked(tag, hash);
      }
      if (i != kNoBuffer) invalidate(i, [&](const BlockTag& t) { return t == tag; });
    }
  }
  return true;
}

// The file's length bounds which blocks can be in the pool; -1 when it can't be told. Redo makes blocks past the end.
std::int64_t blocks_or_unknown(const RelationFile& file, Fork fork) {
  if (wal::in_recovery()) return -1;
  try {
    if (!storage::fork_exists(file, fork)) return 0;
    return storage::block_count(file, fork).value();
  } catch (const SqlError&) {
    return -1;
  }
}

}  // namespace

void drop_relation(const RelationFile& file) {
  if (storage::is_temporary(file)) return local_drop(file, Fork::main, BlockNumber{0}, true);
  if (pool == nullptr) return;
  std::uint32_t from[kForkCount] = {};
  std::uint32_t to[kForkCount] = {};
  bool known = true;
  for (int f = 0; f < kForkCount; ++f) {
    std::int64_t n = blocks_or_unknown(file, static_cast<Fork>(f));
    // A block that failed to be added may stand in the pool just past the end.
    known = known && n >= 0;
    to[f] = static_cast<std::uint32_t>(n < 0 ? 0 : n + (n > 0 ? 1 : 0));
  }
  if (known && invalidate_few(file, from, to)) return;
  invalidate_all([&](const BlockTag& t) { return t.file == file; });
}

void drop_blocks(const RelationFile& file, Fork fork, BlockNumber from_block) {
  if (storage::is_temporary(file)) return local_drop(file, fork, from_block, false);
  std::uint32_t from[kForkCount] = {};
  std::uint32_t to[kForkCount] = {};
  std::int64_t n = blocks_or_unknown(file, fork);
  from[static_cast<int>(fork)] = from_block.value();
  to[static_cast<int>(fork)] = static_cast<std::uint32_t>(n < 0 ? 0 : n + 1);
  if (n >= 0 && invalidate_few(file, from, to)) return;
  invalidate_all([&](const BlockTag& t) { return t.file == file && t.fork == fork && t.block >= from_block; });
}

void drop_database(Oid database) {
  if (pool == nullptr) return;
  invalidate_all([&](const BlockTag& t) { return t.file.database == database && t.file.tablespace != storage::kInternalTablespace; });
}

}  // namespace hathi::buffer
