#include "control_file.h"

#include <fcntl.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "hathi/config/settings.h"
#include "hathi/error/sql_error.h"
#include "hathi/storage/durability.h"
#include "hathi/storage/file.h"

namespace hathi::wal {

namespace {
constexpr const char* kPath = "global/pg_control";
constexpr const char* kNewPath = "global/pg_control.new";
std::uint32_t crc_of(const ControlFile& control) { return XXH32(&control, offsetof(ControlFile, crc), kControlMagic); }
}  // namespace

ControlFile read_control() {
  storage::FileSystem& fs = storage::file_system();
  int fd = fs.open(kPath, O_RDONLY, 0);
  if (fd < 0) storage::throw_file_error("open", kPath, errno);
  ControlFile control{};
  std::int64_t n = fs.read(fd, &control, sizeof control, 0);
  fs.close(fd);
  if (n != static_cast<std::int64_t>(sizeof control))
    throw SqlError(sqlstate::data_corrupted, "could not read file \"{}\": read {} of {}", kPath, n, sizeof control).fatal();
  if (control.magic != kControlMagic || control.version != kControlVersion)
    throw SqlError(sqlstate::object_not_in_prerequisite_state, "database files are incompatible with server").fatal();
  if (control.crc != crc_of(control)) throw SqlError(sqlstate::data_corrupted, "incorrect checksum in control file").fatal();
  return control;
}

namespace {

[[noreturn]] void fail(const char* action, const char* path) { panic(fmt::format("could not {} file \"{}\": {}", action, path, std::strerror(errno))); }

// False when the disk is full.
bool write_new_file(const std::byte* block) {
  storage::FileSystem& fs = storage::file_system();
  int fd = fs.open(kNewPath, O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (fd < 0) {
    if (storage::is_disk_full(errno)) return false;
    fail("create", kNewPath);
  }
  for (std::size_t done = 0; done < kPageSize;) {
    std::int64_t n = fs.write(fd, block + done, kPageSize - done, static_cast<std::int64_t>(done));
    if (n > 0) {
      done += static_cast<std::size_t>(n);
      continue;
    }
    if (n < 0 && !storage::is_disk_full(errno)) fail("write to", kNewPath);
    fs.close(fd);
    return false;
  }
  if (config::values::fsync && fs.sync(fd) < 0) fail("fsync", kNewPath);
  fs.close(fd);
  return true;
}

}  // namespace

void write_control(ControlFile control) {
  control.magic = kControlMagic;
  control.version = kControlVersion;
  control.time = std::time(nullptr);
  control.crc = crc_of(control);
  std::byte block[kPageSize] = {};
  std::memcpy(block, &control, sizeof control);
  storage::FileSystem& fs = storage::file_system();
  for (int attempt = 0; !write_new_file(block); ++attempt) storage::wait_for_space("write to", kNewPath, attempt);
  for (int attempt = 0; fs.rename(kNewPath, kPath) < 0; ++attempt) {
    if (!storage::is_disk_full(errno)) fail("rename", kNewPath);
    storage::wait_for_space("rename", kNewPath, attempt);
  }
  if (config::values::fsync && fs.sync_directory("global") < 0) fail("fsync", "global");
}

}  // namespace hathi::wal
