// Buffers of temporary relations: private to the process, no locks, no WAL.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unordered_map>
#include <vector>

#include "hathi/config/settings.h"
#include "hathi/error/sql_error.h"
#include "hathi/memory/arena.h"
#include "hathi/storage/file.h"
#include "pool.h"

namespace hathi::buffer {

namespace {

struct LocalBuffer {
  BlockTag tag;
  std::byte* page = nullptr;
  int pins = 0;
  std::uint8_t usage = 0;
  bool used = false;
  bool dirty = false;
};

struct TagHash {
  std::size_t operator()(const BlockTag& tag) const noexcept { return hash_tag(tag); }
};

struct LocalPool {
  std::vector<LocalBuffer> buffers;
  std::unordered_map<BlockTag, int, TagHash> index;
  std::size_t hand = 0;
};
LocalPool& local() {
  static LocalPool instance;
  return instance;
}

LocalBuffer& buffer_of(BufferIndex i) { return local().buffers[static_cast<std::size_t>(-2 - i)]; }
BufferIndex index_of(int n) { return -2 - n; }

void write(LocalBuffer& b) {
  memory::unpoison(b.page, kPageSize);
  ScopeExit forbid([&] { if (b.pins == 0) memory::poison(b.page, kPageSize); });
  storage::write_block(b.tag, b.page);
  b.dirty = false;
  ++usage_counters.local_written;
}

void forget(LocalBuffer& b) {
  local().index.erase(b.tag);
  b.used = b.dirty = false;
  b.usage = 0;
}

int take_local() {
  LocalPool& p = local();
  auto limit = static_cast<std::size_t>(std::max(100, config::values::temp_buffers));
  if (p.buffers.size() < limit) {
    // Pages come one by one as they are needed: most sessions use few.
    auto page = static_cast<std::byte*>(std::aligned_alloc(64, kPageSize));
    if (page == nullptr) throw SqlError(sqlstate::out_of_memory, "out of memory");
    p.buffers.push_back({});
    p.buffers.back().page = page;
    return static_cast<int>(p.buffers.size() - 1);
  }
  for (std::size_t tries = 0; tries < limit * 7; ++tries) {
    p.hand = (p.hand + 1) % p.buffers.size();
    LocalBuffer& b = p.buffers[p.hand];
    if (b.pins > 0) continue;
    if (b.used && b.usage > 0) {
      --b.usage;
      continue;
    }
    if (b.used) {
      if (b.dirty) write(b);
      forget(b);
    }
    return static_cast<int>(p.hand);
  }
  throw SqlError(sqlstate::insufficient_resources, "no empty local buffer available");
}

PinnedBuffer pin(int n) {
  LocalBuffer& b = local().buffers[static_cast<std::size_t>(n)];
  ++b.pins;
  memory::unpoison(b.page, kPageSize);
  if (b.usage < 5) ++b.usage;
  return BufferAccess::make(index_of(n), b.page);
}

void adopt(int n, const BlockTag& tag) {
  LocalBuffer& b = local().buffers[static_cast<std::size_t>(n)];
  b.tag = tag;
  b.used = true;
  b.dirty = false;
  b.usage = 0;
  local().index[tag] = n;
}

}  // namespace

PinnedBuffer local_read(const BlockTag& tag, ReadMode mode) {
  LocalPool& p = local();
  if (auto found = p.index.find(tag); found != p.index.end()) {
    ++usage_counters.local_hit;
    return pin(found->second);
  }
  int n = take_local();
  std::byte* page = p.buffers[static_cast<std::size_t>(n)].page;
  memory::unpoison(page, kPageSize);
  if (mode == ReadMode::zero) std::memset(page, 0, kPageSize);
  else if (mode == ReadMode::zero_past_end) storage::read_block_or_zero(tag, page);
  else storage::read_block(tag, page);
  ++usage_counters.local_read;
  adopt(n, tag);
  return pin(n);
}

PinnedBuffer local_extend(const RelationFile& file, Fork fork, int count) {
  BlockNumber first = storage::block_count(file, fork);
  int n = take_local();
  storage::extend_fork(file, fork, first, count);
  LocalPool& p = local();
  BlockTag tag{file, fork, first};
  // A block dropped from the end and added again may still stand here.
  if (auto stale = p.index.find(tag); stale != p.index.end()) forget(p.buffers[static_cast<std::size_t>(stale->second)]);
  memory::unpoison(p.buffers[static_cast<std::size_t>(n)].page, kPageSize);
  std::memset(p.buffers[static_cast<std::size_t>(n)].page, 0, kPageSize);
  adopt(n, tag);
  PinnedBuffer result = pin(n);
  result.lock(locking::LwMode::exclusive);
  return result;
}

void local_unpin(BufferIndex i) {
  LocalBuffer& b = buffer_of(i);
  if (b.pins > 0) --b.pins;
  if (b.pins == 0) memory::poison(b.page, kPageSize);
}

void local_pin_again(BufferIndex i) { ++buffer_of(i).pins; }

void local_mark_dirty(BufferIndex i) {
  LocalBuffer& b = buffer_of(i);
  if (!b.dirty) ++usage_counters.local_dirtied;
  b.dirty = true;
}

const BlockTag& local_tag(BufferIndex i) { return buffer_of(i).tag; }

bool local_has(BufferIndex i, const BlockTag& tag) {
  auto n = static_cast<std::size_t>(-2 - i);
  return n < local().buffers.size() && local().buffers[n].used && local().buffers[n].tag == tag;
}

void local_drop(const RelationFile& file, Fork fork, BlockNumber from, bool all_forks) {
  for (LocalBuffer& b : local().buffers)
    if (b.used && b.tag.file == file && (all_forks || (b.tag.fork == fork && b.tag.block >= from))) forget(b);
}

void local_flush(const RelationFile& file) {
  for (LocalBuffer& b : local().buffers)
    if (b.used && b.dirty && b.tag.file == file) write(b);
}

void drop_local_buffers(const RelationFile& file) { local_drop(file, Fork::main, BlockNumber{0}, true); }

}  // namespace hathi::buffer
