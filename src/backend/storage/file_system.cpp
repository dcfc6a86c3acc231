#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "hathi/error/report.h"
#include "hathi/storage/durability.h"
#include "hathi/storage/file.h"

namespace hathi::storage {

namespace {

template <class Call>
auto retry(Call call) {
  decltype(call()) result;
  do { result = call(); } while (result < 0 && errno == EINTR);
  return result;
}

int posix_allocate(int fd, std::int64_t offset, std::int64_t size) {
  int error;
  do { error = ::posix_fallocate(fd, offset, size); } while (error == EINTR);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int sync_one_directory(const char* path) {
  int fd = retry([&] { return ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (fd < 0) return -1;
  int result = retry([&] { return ::fsync(fd); });
  // Some file systems cannot sync directories; they then order such changes themselves.
  if (result < 0 && (errno == EBADF || errno == EINVAL)) result = 0;
  int saved = errno;
  ::close(fd);
  errno = saved;
  return result;
}

int sync_file_system(const char* path) {
  int fd = retry([&] { return ::open(path, O_RDONLY | O_CLOEXEC); });
  if (fd < 0) return -1;
  int result = ::syncfs(fd);
  int saved = errno;
  ::close(fd);
  errno = saved;
  return result;
}

// All reading and writing names its offset, so the file's position is free.
std::int64_t file_size(int fd) { return ::lseek(fd, 0, SEEK_END); }

constexpr FileSystem kPosix{
    [](const char* path, int flags, int mode) { return retry([&] { return ::open(path, flags | O_CLOEXEC, mode); }); },
    [](int fd) { return ::close(fd); },
    [](int fd, void* buffer, std::size_t size, std::int64_t offset) -> std::int64_t { return retry([&] { return ::pread(fd, buffer, size, offset); }); },
    [](int fd, const void* buffer, std::size_t size, std::int64_t offset) -> std::int64_t { return retry([&] { return ::pwrite(fd, buffer, size, offset); }); },
    [](int fd) { return retry([&] { return ::fsync(fd); }); },
    [](int fd) { return retry([&] { return ::fdatasync(fd); }); },
    [](int fd, std::int64_t size) { return retry([&] { return ::ftruncate(fd, size); }); },
    posix_allocate,
    [](const char* path) { return ::unlink(path); },
    [](const char* from, const char* to) { return ::rename(from, to); },
    [](const char* path, int mode) { return ::mkdir(path, static_cast<mode_t>(mode)); },
    [](const char* path) { return ::rmdir(path); },
    sync_one_directory,
    file_size,
};

FileSystem current = kPosix;

constexpr NameOperations kPosixNames{[](const char* from, const char* to) { return ::link(from, to); }, sync_file_system};
NameOperations current_names = kPosixNames;

std::string& directory() {
  static std::string path = ".";
  return path;
}

SqlState state_of(int error) {
  switch (error) {
    case EPERM: case EACCES: case EROFS: return sqlstate::insufficient_privilege;
    case ENOENT: return sqlstate::undefined_file;
    case EEXIST: return sqlstate::duplicate_file;
    case ENOTDIR: case EISDIR: case ENOTEMPTY: return sqlstate::wrong_object_type;
    case ENOSPC: case EDQUOT: return sqlstate::disk_full;
    case ENOMEM: return sqlstate::out_of_memory;
    case ENFILE: case EMFILE: return sqlstate::insufficient_resources;
    case EIO: return sqlstate::io_error;
    default: return sqlstate::internal_error;
  }
}

}  // namespace

FileSystem& file_system() { return current; }
void set_file_system(const FileSystem& replacement) { current = replacement; }
NameOperations& name_operations() { return current_names; }
void set_name_operations(const NameOperations& replacement) { current_names = replacement; }

const std::string& data_directory() { return directory(); }
void set_data_directory(std::string path) { directory() = std::move(path); }

void wait_for_space(const char* what, const std::string& path, int attempt) {
  if (attempt == 0) {
    ErrorReport r;
    r.severity = Severity::log;
    r.code = sqlstate::disk_full;
    r.message = fmt::format("could not {} file \"{}\": {}", what, path, std::strerror(ENOSPC));
    r.detail = "The server waits until there is room and then goes on.";
    r.hint = "Check free disk space.";
    report(std::move(r));
  }
  ::usleep(std::min(10000u << std::min(attempt, 7), 1000000u));
}

void throw_file_error(const char* action, const std::string& path, int error) {
  SqlError e(state_of(error), "could not {} file \"{}\": {}", action, path, std::strerror(error));
  if (error == ENOSPC || error == EDQUOT) e.hint("Check free disk space.");
  throw e;
}

}  // namespace hathi::storage
