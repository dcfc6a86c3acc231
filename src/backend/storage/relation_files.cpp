// Blocks of relation forks: reading, writing, growing, cutting, removing.

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "hathi/config/settings.h"
#include "hathi/storage/durability.h"
#include "hathi/error/report.h"
#include "descriptor_cache.h"
#include "pending_sync.h"
#include "size_cache.h"

namespace hathi::storage {

namespace {

void (*drop_buffers)(const RelationFile&) = nullptr;

SegmentKey segment_of(const BlockTag& tag) { return {tag.file, tag.fork, tag.block.value() / kSegmentBlocks}; }
std::int64_t offset_of(BlockNumber block) { return static_cast<std::int64_t>(block.value() % kSegmentBlocks) * static_cast<std::int64_t>(kPageSize); }

int require_segment(const SegmentKey& key, int create_flags = 0) {
  int fd = open_segment(key, create_flags);
  if (fd < 0) throw_file_error("open", segment_path(key), errno);
  return fd;
}

// A write past the end creates what is missing. Segments before the last are always of full size (with holes if need be).
int segment_for_write(const SegmentKey& key) {
  int fd = open_segment(key);
  if (fd < 0 && errno == ENOENT && (key.segment > 0 || key.file.tablespace == kInternalTablespace)) {
    constexpr std::int64_t kFull = static_cast<std::int64_t>(kSegmentBlocks) * static_cast<std::int64_t>(kPageSize);
    for (std::uint32_t s = 0; s < key.segment; ++s) {
      SegmentKey before{key.file, key.fork, s};
      int fd_before = open_segment(before, O_CREAT);
      if (fd_before < 0) throw_file_error("open", segment_path(before), errno);
      remember_directory(key.file);
      if (file_system().size(fd_before) < kFull && file_system().truncate(fd_before, kFull) < 0) throw_file_error("extend", segment_path(before), errno);
      remember_sync(before);
    }
    fd = open_segment(key, O_CREAT);
    if (fd >= 0) {
      remember_directory(key.file);
      fd = open_segment(key);   // the line above may have closed it
    }
  }
  if (fd < 0) throw_file_error("open", segment_path(key), errno);
  return fd;
}

[[noreturn]] void throw_block_error(const char* action, const SegmentKey& key, BlockNumber block, int error) {
  try {
    throw_file_error(action, segment_path(key), error);
  } catch (SqlError& e) {
    e.report().message = fmt::format("could not {} block {} in file \"{}\": {}", action, block.value(), segment_path(key), std::strerror(error));
    throw;
  }
}

// Blocks of one segment file; -1 when the file does not exist.
std::int64_t segment_blocks(const SegmentKey& key) {
  int fd = open_segment(key);
  if (fd < 0) {
    if (errno == ENOENT) return -1;
    throw_file_error("open", segment_path(key), errno);
  }
  std::int64_t size = file_system().size(fd);
  if (size < 0) throw_file_error("seek to end of", segment_path(key), errno);
  return size / static_cast<std::int64_t>(kPageSize);
}

void write_zeroes(int fd, const SegmentKey& key, std::int64_t offset, std::int64_t size) {
  alignas(4096) static const std::byte zeroes[16 * kPageSize] = {};
  std::int64_t done = 0;
  while (done < size) {
    auto chunk = static_cast<std::size_t>(std::min<std::int64_t>(size - done, sizeof zeroes));
    std::int64_t n = file_system().write(fd, zeroes, chunk, offset + done);
    if (n > 0) { done += n; continue; }
    int error = n < 0 ? errno : ENOSPC;
    // Leave no partial block behind.
    file_system().truncate(fd, offset);
    throw_file_error("extend", segment_path(key), error);
  }
}

// Small growth writes zeroes; larger growth asks the file system for room in one call.
void grow_segment(const SegmentKey& key, std::int64_t offset, std::int64_t size) {
  if (key.segment > 0 && offset == 0) {
    require_segment(key, O_CREAT);
    remember_directory(key.file);
  }
  int fd = require_segment(key, key.segment > 0 ? O_CREAT : 0);
  constexpr std::int64_t kAllocateFrom = 8 * static_cast<std::int64_t>(kPageSize);
  if (size > kAllocateFrom) {
    if (file_system().allocate(fd, offset, size) == 0) return;
    if (errno == ENOSPC || errno == EDQUOT) {
      int error = errno;
      file_system().truncate(fd, offset);
      throw_file_error("extend", segment_path(key), error);
    }
  }
  write_zeroes(fd, key, offset, size);
}

void remove_file(const SegmentKey& key, bool is_redo) {
  std::string path = segment_path(key);
  if (file_system().unlink(path.c_str()) < 0 && errno != ENOENT)
    report_warning(sqlstate::io_error, "could not remove file \"{}\": {}", path, std::strerror(errno));
  remember_directory(key.file);
}

// Other processes may hold the file open: cutting it to nothing gives the space back at once. False when there is no such file.
bool cut_to_nothing(const SegmentKey& key) {
  int fd = open_segment(key);
  if (fd < 0) return false;
  if (file_system().truncate(fd, 0) < 0)
    report_warning(sqlstate::io_error, "could not truncate file \"{}\": {}", segment_path(key), std::strerror(errno));
  return true;
}

void unlink_fork(const RelationFile& file, Fork fork, bool is_redo) {
  for (std::uint32_t segment = 0;; ++segment) {
    SegmentKey key{file, fork, segment};
    if (!cut_to_nothing(key)) break;
    close_segment(key);
    if (segment == 0 && fork == Fork::main && !is_redo && !is_temporary(file) && remember_delayed_unlink(file)) continue;
    remove_file(key, is_redo);
  }
}

}  // namespace

void set_drop_buffers_hook(void (*hook)(const RelationFile& file)) { drop_buffers = hook; }

void create_fork(const RelationFile& file, Fork fork, bool is_redo) {
  size_cache::forget(file, fork);
  SegmentKey key{file, fork, 0};
  int fd = open_segment(key, is_redo ? O_CREAT : O_CREAT | O_EXCL);
  if (fd < 0 && errno == ENOENT && is_redo && file.tablespace != kInternalTablespace) {
    std::string path = segment_path(key);
    std::string directory = path.substr(0, path.rfind('/'));
    if (file_system().mkdir(directory.c_str(), 0700) == 0 && config::values::fsync)
      file_system().sync_directory(directory.substr(0, directory.rfind('/')).c_str());
    fd = open_segment(key, O_CREAT);
  }
  if (fd < 0) throw_file_error("create", segment_path(key), errno);
  remember_sync(key);
  remember_directory(file);
}

bool fork_exists(const RelationFile& file, Fork fork) {
  std::uint32_t token;
  if (!is_temporary(file) && size_cache::find(file, fork, token)) return true;
  SegmentKey key{file, fork, 0};
  if (open_segment(key) >= 0) return true;
  if (errno != ENOENT) throw_file_error("open", segment_path(key), errno);
  return false;
}

bool read_block_or_zero(const BlockTag& tag, std::byte* page) {
  SegmentKey key = segment_of(tag);
  int fd = open_segment(key);
  if (fd < 0 && errno == ENOENT) {
    std::memset(page, 0, kPageSize);
    return false;
  }
  if (fd < 0) throw_file_error("open", segment_path(key), errno);
  std::size_t done = 0;
  while (done < kPageSize) {
    std::int64_t n = file_system().read(fd, page + done, kPageSize - done, offset_of(tag.block) + static_cast<std::int64_t>(done));
    if (n < 0) throw_block_error("read", key, tag.block, errno);
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  if (done == kPageSize) return true;
  if (done != 0) {
    throw SqlError(sqlstate::data_corrupted, "could not read block {} in file \"{}\": read only {} of {} bytes", tag.block.value(), segment_path(key),
                   done, kPageSize);
  }
  std::memset(page, 0, kPageSize);
  return false;
}

void read_block(const BlockTag& tag, std::byte* page) {
  if (read_block_or_zero(tag, page)) return;
  SegmentKey key = segment_of(tag);
  if (open_segment({tag.file, tag.fork, 0}) < 0) throw_file_error("open", segment_path({tag.file, tag.fork, 0}), errno);
  throw SqlError(sqlstate::data_corrupted, "could not read block {} in file \"{}\": read only 0 of {} bytes", tag.block.value(), segment_path(key), kPageSize);
}

void write_block(const BlockTag& tag, const std::byte* page) {
  SegmentKey key = segment_of(tag);
  int fd = segment_for_write(key);
  std::size_t done = 0;
  while (done < kPageSize) {
    std::int64_t n = file_system().write(fd, page + done, kPageSize - done, offset_of(tag.block) + static_cast<std::int64_t>(done));
    if (n <= 0) throw_block_error("write", key, tag.block, n < 0 ? errno : ENOSPC);
    done += static_cast<std::size_t>(n);
  }
  remember_sync(key);
  size_cache::grown(tag.file, tag.fork, tag.block + 1);
}

void extend_fork(const RelationFile& file, Fork fork, BlockNumber first, int count) {
  std::uint64_t end = static_cast<std::uint64_t>(first.value()) + static_cast<std::uint64_t>(count);
  if (end >= kInvalidBlock.value()) {
    throw SqlError(sqlstate::program_limit_exceeded, "cannot extend file \"{}\" beyond {} blocks", relation_path(file, fork), kInvalidBlock.value());
  }
  for (std::uint64_t block = first.value(); block < end;) {
    SegmentKey key{file, fork, static_cast<std::uint32_t>(block / kSegmentBlocks)};
    std::uint64_t here = std::min<std::uint64_t>(end, (static_cast<std::uint64_t>(key.segment) + 1) * kSegmentBlocks) - block;
    grow_segment(key, offset_of(BlockNumber{static_cast<std::uint32_t>(block)}), static_cast<std::int64_t>(here * kPageSize));
    remember_sync(key);
    block += here;
  }
  size_cache::grown(file, fork, BlockNumber{static_cast<std::uint32_t>(end)});
}

namespace {
BlockNumber count_blocks(const RelationFile& file, Fork fork) {
  for (std::uint32_t segment = 0;; ++segment) {
    std::int64_t blocks = segment_blocks({file, fork, segment});
    if (blocks < 0 && segment == 0) throw_file_error("open", segment_path({file, fork, 0}), ENOENT);
    if (blocks < static_cast<std::int64_t>(kSegmentBlocks))
      return BlockNumber{segment * kSegmentBlocks + static_cast<std::uint32_t>(std::max<std::int64_t>(blocks, 0))};
  }
}

}  // namespace

BlockNumber block_count(const RelationFile& file, Fork fork) {
  if (is_temporary(file)) return count_blocks(file, fork);
  std::uint32_t token;
  if (auto known = size_cache::find(file, fork, token)) return *known;
  BlockNumber blocks = count_blocks(file, fork);
  size_cache::enter(file, fork, blocks, token);
  return blocks;
}

void truncate_fork(const RelationFile& file, Fork fork, BlockNumber blocks) {
  std::uint32_t last = blocks.value() / kSegmentBlocks;
  std::uint32_t count = 0;
  while (segment_blocks({file, fork, count}) >= 0) ++count;
  // From the end, so that a crash leaves no gap. Later segments are kept empty: others may hold them open.
  for (std::uint32_t segment = count; segment-- > last;) {
    SegmentKey key{file, fork, segment};
    std::uint32_t keep = segment == last ? blocks.value() % kSegmentBlocks : 0;
    if (segment_blocks(key) <= static_cast<std::int64_t>(keep)) continue;
    if (file_system().truncate(require_segment(key), static_cast<std::int64_t>(keep) * static_cast<std::int64_t>(kPageSize)) < 0) {
      throw SqlError(sqlstate::io_error, "could not truncate file \"{}\" to {} blocks: {}", segment_path(key), blocks.value(), std::strerror(errno));
    }
    remember_sync(key);
  }
  size_cache::forget(file, fork);
}

void unlink_relation(const RelationFile& file, bool is_redo) {
  if (drop_buffers != nullptr) drop_buffers(file);
  if (!is_temporary(file)) forget_pending(file);
  for (int fork = kForkCount - 1; fork >= 0; --fork) {
    unlink_fork(file, static_cast<Fork>(fork), is_redo);
    size_cache::forget(file, static_cast<Fork>(fork));
  }
  close_relation(file);
  forget_temporary(file);
}

void sync_fork(const RelationFile& file, Fork fork) {
  for (std::uint32_t segment = 0;; ++segment) {
    SegmentKey key{file, fork, segment};
    int fd = open_segment(key);
    if (fd < 0) return;
    sync_descriptor(fd, segment_path(key));
  }
}

void write_back(const BlockTag& first, int blocks) {
  int fd = open_segment(segment_of(first));
  if (fd < 0) return;
  ::sync_file_range(fd, offset_of(first.block), static_cast<std::int64_t>(blocks) * static_cast<std::int64_t>(kPageSize), SYNC_FILE_RANGE_WRITE);
}

void prefetch(const BlockTag& tag) {
  int fd = open_segment(segment_of(tag));
  if (fd >= 0) ::posix_fadvise(fd, offset_of(tag.block), static_cast<off_t>(kPageSize), POSIX_FADV_WILLNEED);
}

}  // namespace hathi::storage
