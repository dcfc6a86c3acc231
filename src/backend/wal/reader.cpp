#include "reader.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "hathi/storage/file.h"
#include "log_state.h"

namespace hathi::wal {

namespace {
constexpr std::size_t kReadAhead = 512 * 1024;
}

LogReader::~LogReader() {
  if (fd_ >= 0) storage::file_system().close(fd_);
}

std::size_t LogReader::read_files(std::uint64_t position, std::byte* to, std::size_t n) {
  std::size_t done = 0;
  while (done < n) {
    std::uint64_t at = position + done;
    std::uint64_t segment = at / kWalSegmentSize;
    if (fd_ < 0 || fd_segment_ != segment) {
      if (fd_ >= 0) storage::file_system().close(fd_);
      fd_ = storage::file_system().open(segment_path(segment).c_str(), O_RDONLY, 0);
      fd_segment_ = segment;
      if (fd_ < 0 && errno != ENOENT) storage::throw_file_error("open", segment_path(segment), errno);
      if (fd_ < 0) break;
    }
    std::size_t part = std::min<std::uint64_t>(n - done, (segment + 1) * kWalSegmentSize - at);
    std::int64_t got = storage::file_system().read(fd_, to + done, part, static_cast<std::int64_t>(at % kWalSegmentSize));
    // Not the end of the log: what stands there may have been acknowledged.
    if (got < 0) storage::throw_file_error("read", segment_path(segment), errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::span<const std::byte> LogReader::window(std::uint64_t position, std::size_t n) {
  bool covered = position >= buffer_start_ && position + n <= buffer_start_ + buffer_.size();
  if (!covered) {
    buffer_.resize(std::max(n, kReadAhead));
    buffer_start_ = position;
    buffer_.resize(read_files(position, buffer_.data(), buffer_.size()));
  }
  std::size_t at = static_cast<std::size_t>(position - buffer_start_);
  if (at >= buffer_.size()) return {};
  return std::span<const std::byte>(buffer_).subspan(at, std::min(n, buffer_.size() - at));
}

bool LogReader::next(DecodedRecord& out) {
  std::uint64_t length = record_length(window(position_, kLengthPrefix));
  if (length == 0) return false;
  auto bytes = window(position_, length);
  if (bytes.size() != length) return false;
  std::uint32_t stored;
  std::memcpy(&stored, bytes.data(), sizeof stored);
  if (stored != finish_checksum(hash_record(bytes.subspan(kChecksumSize)), position_, incarnation_)) return false;
  if (!decode_record(bytes, Lsn{position_}, out)) return false;
  position_ += length;
  return true;
}

}  // namespace hathi::wal
