// New blocks at a fork's end.

#include <algorithm>
#include <cstring>
#include <vector>

#include "hathi/locking/lock_table.h"
#include "hathi/memory/arena.h"
#include "hathi/storage/file.h"
#include "pool.h"

namespace hathi::buffer {

namespace {

constexpr shmem::WaitEvent kWaitExtend{"IO", "DataFileExtend"};
constexpr int kMaxBuffered = 64;
constexpr int kMaxExtraPerWaiter = 16;

// Victims not yet used go back when an error ends the extension.
struct Victims {
  BufferIndex index[kMaxBuffered];
  int count = 0;
  int used = 0;
  ~Victims() {
    for (int i = used; i < count; ++i) return_victim(index[i]);
  }
};

// Puts the zeroed page of a block that was just added into the pool; pinned and exclusively locked. kNoBuffer: the file's new length was
// seen by somebody who has begun to use the block already.
BufferIndex install(BufferIndex victim, const BlockTag& tag) {
  std::memset(page_of(victim), 0, kPageSize);
  Published p = publish(victim, tag, hash_tag(tag));
  BufferDescriptor& d = descriptors[p.index];
  if (!p.ours) {
    // Left over from a read past the end or an extension that failed half-way.
    d.content.lock(locking::LwMode::exclusive);
    if ((d.state.load(std::memory_order_acquire) & kValid) == 0) {
      std::memset(page_of(p.index), 0, kPageSize);
    } else if (!PageView(page_of(p.index)).is_new()) {
      d.content.unlock();
      unpin(p.index);
      return kNoBuffer;
    }
  }
  d.state.fetch_or(kValid, std::memory_order_release);
  return p.index;
}

}  // namespace

namespace {

// One try; empty when others took all the blocks that were buffered. *added: blocks from the returned one on.
PinnedBuffer try_extend(const RelationFile& file, Fork fork, int count, Ring* ring, int* added) {
  Victims victims;
  int buffered = std::min(count, std::min(kMaxBuffered, std::max(1, pool->buffer_count / 16)));
  while (victims.count < buffered) {
    victims.index[victims.count] = take_victim(ring);
    if (ring != nullptr) ring_remember(ring, victims.index[victims.count]);
    ++victims.count;
  }
  locking::ExtensionLock slot(file);
  shmem::WaitScope wait(kWaitExtend);
  int total = count;
  if (added != nullptr && slot.waiters() > 0) total += std::min(slot.waiters() * kMaxExtraPerWaiter, 512);
  BlockNumber first = storage::block_count(file, fork);
  storage::extend_fork(file, fork, first, total);
  BufferIndex result = kNoBuffer;
  for (int k = 0; k < buffered; ++k) {
    BufferIndex victim = victims.index[victims.used++];
    BufferIndex i = install(victim, {file, fork, first + static_cast<std::uint32_t>(k)});
    if (i == kNoBuffer) continue;
    if (result == kNoBuffer) {
      result = i;
      if (added != nullptr) *added = total - k;
    } else {
      descriptors[i].content.unlock();
      unpin(i);
    }
  }
  return result == kNoBuffer ? PinnedBuffer() : BufferAccess::make(result, page_of(result), true);
}

}  // namespace

PinnedBuffer extend(const RelationFile& file, Fork fork, int count, Ring* ring, int* added) {
  HATHI_ASSERT(count > 0);
  if (added != nullptr) *added = count;
  if (storage::is_temporary(file)) return local_extend(file, fork, count);
  for (;;) {
    PinnedBuffer pin = try_extend(file, fork, count, ring, added);
    if (pin) return pin;
  }
}

}  // namespace hathi::buffer
