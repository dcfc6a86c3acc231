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

void write_control(ControlFile control) {
  control.magic = kControlMagic;
  control.version = kControlVersion;
  control.time = std::time(nullptr);
  control.crc = crc_of(control);
  std::byte block[kPageSize] = {};
  std::memcpy(block, &control, sizeof control);
  storage::FileSystem& fs = storage::file_system();
  int fd = fs.open(kNewPath, O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (fd < 0) panic(fmt::format("could not create file \"{}\": {}", kNewPath, std::strerror(errno)));
  if (fs.write(fd, block, sizeof block, 0) != static_cast<std::int64_t>(sizeof block))
    panic(fmt::format("could not write to file \"{}\": {}", kNewPath, std::strerror(errno)));
  if (config::values::fsync && fs.sync(fd) < 0) panic(fmt::format("could not fsync file \"{}\": {}", kNewPath, std::strerror(errno)));
  fs.close(fd);
  if (fs.rename(kNewPath, kPath) < 0) panic(fmt::format("could not rename file \"{}\" to \"{}\": {}", kNewPath, kPath, std::strerror(errno)));
  if (config::values::fsync && fs.sync_directory("global") < 0) panic(fmt::format("could not fsync file \"global\": {}", std::strerror(errno)));
}

}  // namespace hathi::wal
