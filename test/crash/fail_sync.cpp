// Preloaded into a server: the next sync of a file whose path contains what the file $FAIL_SYNC holds fails with EIO, once.

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

bool is_meant(int fd) {
  const char* order = std::getenv("FAIL_SYNC");
  char wanted[256], path[4096];
  int in = order == nullptr ? -1 : ::open(order, O_RDONLY | O_CLOEXEC);
  if (in < 0) return false;
  ssize_t wanted_size = ::read(in, wanted, sizeof wanted);
  ::close(in);
  ssize_t path_size = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path, sizeof path);
  if (wanted_size <= 0 || path_size <= 0) return false;
  std::string_view where(path, static_cast<std::size_t>(path_size));
  return where.find(std::string_view(wanted, static_cast<std::size_t>(wanted_size))) != std::string_view::npos && ::unlink(order) == 0;
}

int sync_or_fail(int fd, const char* name) {
  if (is_meant(fd)) {
    errno = EIO;
    return -1;
  }
  return reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, name))(fd);
}

}  // namespace

extern "C" int fsync(int fd) { return sync_or_fail(fd, "fsync"); }
extern "C" int fdatasync(int fd) { return sync_or_fail(fd, "fdatasync"); }
