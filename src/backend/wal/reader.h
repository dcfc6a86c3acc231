#pragma once
// Reads records in order from the segment files.

#include <cstdint>
#include <vector>

#include "record.h"

namespace hathi::wal {

class LogReader {
 public:
  LogReader(std::uint64_t position, std::uint32_t incarnation) : position_(position), incarnation_(incarnation) {}
  ~LogReader();
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;
  // The record at position(), which moves behind it; false at the end of the log (the first place where no whole record stands). Throws when a
  // file cannot be read: that is no end. `out` stays valid until the next call.
  bool next(DecodedRecord& out);
  std::uint64_t position() const { return position_; }

 private:
  // Bytes from `position` on that are at hand, up to n; fewer at the end of the files.
  std::span<const std::byte> window(std::uint64_t position, std::size_t n);
  std::size_t read_files(std::uint64_t position, std::byte* to, std::size_t n);

  std::uint64_t position_;
  std::uint32_t incarnation_;
  std::vector<std::byte> buffer_;
  std::uint64_t buffer_start_ = 0;
  int fd_ = -1;
  std::uint64_t fd_segment_ = 0;
};

}  // namespace hathi::wal
