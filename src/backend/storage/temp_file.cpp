#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "hathi/config/server_settings.h"
#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/storage/file.h"

namespace hathi::storage {

namespace {

constexpr std::size_t kBufferSize = 8192;
constexpr const char* kTempDirectory = "base/pgsql_tmp";

std::int64_t total_in_use = 0;
TempFile::Totals totals_so_far{};
std::uint64_t next_number = 0;
TempFile::Blocks block_counts{};

}  // namespace

// The buffer holds either bytes not yet written (dirty > 0, they belong at `written`) or bytes read from `buffer_start`.
struct TempFile::State {
  int fd = -1;
  std::string path;
  std::int64_t written = 0;       // bytes in the file
  std::size_t dirty = 0;          // bytes in the buffer waiting to be written
  std::int64_t buffer_start = 0;  // of what was read
  std::size_t buffered = 0;       // bytes read
  std::int64_t position = 0;      // next byte to read
  std::byte buffer[kBufferSize];

  void flush() {
    std::size_t done = 0;
    while (done < dirty) {
      std::int64_t n = file_system().write(fd, buffer + done, dirty - done, written + static_cast<std::int64_t>(done));
      if (n <= 0) {
        int error = n < 0 ? errno : ENOSPC;
        dirty = 0;
        SqlError e(error == ENOSPC ? sqlstate::disk_full : sqlstate::io_error, "could not write to file \"{}\": {}", path, std::strerror(error));
        throw e;
      }
      done += static_cast<std::size_t>(n);
    }
    block_counts.written += (dirty + kPageSize - 1) / kPageSize;
    written += static_cast<std::int64_t>(dirty);
    dirty = 0;
    buffered = 0;
  }
};

TempFile::TempFile() : state_(new State) {
  for (;;) {
    state_->path = fmt::format("{}/pgsql_tmp{}.{}", kTempDirectory, ::getpid(), next_number++);
    state_->fd = file_system().open(state_->path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
    if (state_->fd >= 0) break;
    int error = errno;
    if (error == EEXIST) continue;
    if (error == ENOENT && file_system().mkdir(kTempDirectory, 0700) == 0) continue;
    std::string path = state_->path;
    delete std::exchange(state_, nullptr);
    throw_file_error("create temporary", path, error);
  }
  ++totals_so_far.files;
}

TempFile::~TempFile() {
  if (state_ == nullptr) return;
  std::int64_t bytes = state_->written + static_cast<std::int64_t>(state_->dirty);
  total_in_use -= bytes;
  totals_so_far.bytes += static_cast<std::uint64_t>(bytes);
  file_system().close(state_->fd);
  file_system().unlink(state_->path.c_str());
  if (config::values::log_temp_files >= 0 && bytes / 1024 >= config::values::log_temp_files)
    log_message("temporary file: path \"{}\", size {}", state_->path, bytes);
  delete state_;
}

TempFile::TempFile(TempFile&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}

TempFile& TempFile::operator=(TempFile&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

void TempFile::append(const void* bytes, std::size_t size) {
  State& s = *state_;
  if (config::values::temp_file_limit >= 0 &&
      total_in_use + static_cast<std::int64_t>(size) > static_cast<std::int64_t>(config::values::temp_file_limit) * 1024) {
    throw SqlError(sqlstate::configuration_limit_exceeded, "temporary file size exceeds temp_file_limit ({}kB)", config::values::temp_file_limit);
  }
  total_in_use += static_cast<std::int64_t>(size);
  s.buffered = 0;
  auto from = static_cast<const std::byte*>(bytes);
  while (size > 0) {
    std::size_t n = std::min(size, kBufferSize - s.dirty);
    std::memcpy(s.buffer + s.dirty, from, n);
    s.dirty += n;
    from += n;
    size -= n;
    if (s.dirty == kBufferSize) s.flush();
  }
}

void TempFile::rewind() { seek(0); }

void TempFile::seek(std::int64_t offset) {
  if (state_->dirty > 0) state_->flush();
  state_->position = offset;
}

std::size_t TempFile::read(void* bytes, std::size_t size) {
  State& s = *state_;
  if (s.dirty > 0) s.flush();
  auto to = static_cast<std::byte*>(bytes);
  std::size_t done = 0;
  while (done < size) {
    if (s.position < s.buffer_start || s.position >= s.buffer_start + static_cast<std::int64_t>(s.buffered)) {
      std::int64_t n = file_system().read(s.fd, s.buffer, kBufferSize, s.position);
      if (n < 0) throw SqlError(sqlstate::io_error, "could not read from temporary file: {}", std::strerror(errno));
      s.buffer_start = s.position;
      s.buffered = static_cast<std::size_t>(n);
      block_counts.read += (s.buffered + kPageSize - 1) / kPageSize;
      if (n == 0) break;
    }
    std::size_t at = static_cast<std::size_t>(s.position - s.buffer_start);
    std::size_t n = std::min(size - done, s.buffered - at);
    std::memcpy(to + done, s.buffer + at, n);
    done += n;
    s.position += static_cast<std::int64_t>(n);
  }
  return done;
}

std::int64_t TempFile::tell() const { return state_->position; }
std::int64_t TempFile::size() const { return state_->written + static_cast<std::int64_t>(state_->dirty); }
std::int64_t TempFile::bytes_in_use() { return total_in_use; }
TempFile::Totals TempFile::totals() { return totals_so_far; }
const TempFile::Blocks& TempFile::blocks() { return block_counts; }

}  // namespace hathi::storage
