#include "src/backend/catalog/bootstrap_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "hathi/error/sql_error.h"
#include "hathi/memory/arena.h"

namespace hathi::catalog {

namespace {

[[noreturn]] void fail(const char* what, const std::string& path) {
  throw SqlError(sqlstate::io_error, "could not {} \"{}\": {}", what, path, std::strerror(errno));
}

void copy_file(const std::string& from, const std::string& to) {
  int in = open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (in < 0) fail("open file", from);
  ScopeExit close_in([in] { close(in); });
  int out = open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (out < 0) fail("create file", to);
  ScopeExit close_out([out] { close(out); });
  while (true) {
    ssize_t n = copy_file_range(in, nullptr, out, nullptr, 1 << 30, 0);
    if (n == 0) return;
    if (n < 0) break;
  }
  // The file system cannot: copy by hand, from the beginning.
  if (lseek(in, 0, SEEK_SET) < 0 || lseek(out, 0, SEEK_SET) < 0) fail("seek in file", from);
  std::string buffer(1 << 17, '\0');
  while (true) {
    ssize_t n = read(in, buffer.data(), buffer.size());
    if (n == 0) return;
    if (n < 0) fail("read file", from);
    if (write(out, buffer.data(), static_cast<std::size_t>(n)) != n) fail("write file", to);
  }
}

std::string directory_of(Oid database) { return "base/" + std::to_string(raw(database)); }

}  // namespace

void make_database_directory(Oid database) {
  std::string directory = directory_of(database);
  if (mkdir(directory.c_str(), 0700) < 0 && errno != EEXIST) fail("create directory", directory);
  std::string path = directory + "/PG_VERSION";
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) fail("create file", path);
  ssize_t n = write(fd, "15\n", 3);
  close(fd);
  if (n != 3) fail("write file", path);
}

void copy_database_directory(Oid from, Oid to) {
  std::string source = directory_of(from), target = directory_of(to);
  if (mkdir(target.c_str(), 0700) < 0) fail("create directory", target);
  DIR* directory = opendir(source.c_str());
  if (directory == nullptr) fail("open directory", source);
  ScopeExit close_directory([directory] { closedir(directory); });
  while (const dirent* entry = readdir(directory)) {
    if (entry->d_name[0] == '.') continue;
    copy_file(source + "/" + entry->d_name, target + "/" + entry->d_name);
  }
}

}  // namespace hathi::catalog
