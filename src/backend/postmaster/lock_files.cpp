#include "lock_files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "hathi/error/report.h"
#include "hathi/postmaster/postmaster.h"

namespace hathi::postmaster {

namespace {

constexpr const char* kPidFile = "postmaster.pid";
constexpr int kOrphanPatienceMs = 5000;

int directory_descriptor = -1;
bool owns_pid_file = false;
std::vector<std::string> pid_lines;
std::vector<std::string> socket_files;  // sockets and their lock files

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The process named in a lock file's first line; 0 when there is none.
pid_t pid_in(const std::string& path) {
  long pid = std::strtol(first_line(path).c_str(), nullptr, 10);
  return pid < 0 ? static_cast<pid_t>(-pid) : static_cast<pid_t>(pid);
}

// A zombie holds nothing any more.
bool is_zombie(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(file, text);
  std::size_t after_name = text.rfind(')');
  return after_name != std::string::npos && text.compare(after_name, 3, ") Z") == 0;
}

bool is_alive(pid_t pid) { return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM) && !is_zombie(pid); }

// Was the lock file left by an earlier server of this data directory, which is locked by us now?
bool is_our_own_leftover(const std::string& path, const std::string& data_directory) {
  std::ifstream file(path);
  std::string pid, directory;
  return std::getline(file, pid) && std::getline(file, directory) && directory == data_directory;
}

void write_file(const std::string& path, const std::string& text, int flags) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
  if (fd < 0) throw SqlError(sqlstate::system_error, "could not create lock file \"{}\": {}", path, std::strerror(errno)).fatal();
  bool good = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(fd) == 0;
  int error = errno;
  ::close(fd);
  if (!good) throw SqlError(sqlstate::system_error, "could not write lock file \"{}\": {}", path, std::strerror(error)).fatal();
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

[[noreturn]] void throw_in_use(const std::string& data_directory) {
  pid_t pid = pid_in(data_directory + "/" + kPidFile);
  if (is_alive(pid)) {
    throw SqlError(sqlstate::lock_file_exists, "lock file \"{}\" already exists", kPidFile)
        .hint(fmt::format("Is another postmaster (PID {}) running in data directory \"{}\"?", pid, data_directory))
        .fatal();
  }
  throw SqlError(sqlstate::lock_file_exists, "data directory \"{}\" is still in use by processes of an earlier server", data_directory)
      .hint(fmt::format("Terminate any old server processes associated with data directory \"{}\".", data_directory))
      .fatal();
}

}  // namespace

void lock_data_directory(const std::string& data_directory) {
  directory_descriptor = ::open(data_directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory_descriptor < 0) {
    throw SqlError(sqlstate::system_error, "could not open directory \"{}\": {}", data_directory, std::strerror(errno)).fatal();
  }
  // Orphans of a killed postmaster end by themselves in a moment.
  for (int waited = 0; flock(directory_descriptor, LOCK_EX | LOCK_NB) != 0; waited += 20) {
    if (waited >= kOrphanPatienceMs || is_alive(pid_in(data_directory + "/" + kPidFile))) throw_in_use(data_directory);
    usleep(20000);
  }
}

int directory_lock() { return directory_descriptor; }

void create_pid_file(const std::string& data_directory, long start_time, int port, const std::string& socket_directory) {
  pid_lines = {std::to_string(getpid()), data_directory, std::to_string(start_time), std::to_string(port), socket_directory};
  write_file(kPidFile, joined(pid_lines), O_TRUNC);
  owns_pid_file = true;
}

void set_pid_line(PidLine line, const std::string& text) {
  auto index = static_cast<std::size_t>(line) - 1;
  if (pid_lines.size() <= index) pid_lines.resize(index + 1);
  pid_lines[index] = text;
  try {
    write_file(kPidFile, joined(pid_lines), 0);  // in place: each version is at least as long as the one before
  } catch (const SqlError& error) { log_message("{}", error.report().message); }
}

bool pid_file_is_ours() { return pid_in(kPidFile) == getpid(); }

void create_socket_lock(const std::string& socket_path, const std::string& data_directory, long start_time, int port,
                        const std::string& socket_directory) {
  std::string path = socket_path + ".lock";
  std::string text = joined({std::to_string(getpid()), data_directory, std::to_string(start_time), std::to_string(port), socket_directory});
  for (int tries = 0;; ++tries) {
    int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
      ::close(fd);
      write_file(path, text, O_TRUNC);
      break;
    }
    if (errno != EEXIST || tries > 10) {
      throw SqlError(sqlstate::system_error, "could not create lock file \"{}\": {}", path, std::strerror(errno)).fatal();
    }
    pid_t pid = pid_in(path);
    if (pid != getpid() && pid != getppid() && is_alive(pid) && !is_our_own_leftover(path, data_directory)) {
      throw SqlError(sqlstate::lock_file_exists, "lock file \"{}\" already exists", path)
          .hint(fmt::format("Is another postmaster (PID {}) using socket file \"{}\"?", pid, socket_path))
          .fatal();
    }
    ::unlink(path.c_str());
  }
  ::unlink(socket_path.c_str());
  socket_files.push_back(socket_path);
  socket_files.push_back(path);
}

void touch_socket_files() {
  for (const std::string& path : socket_files) ::utime(path.c_str(), nullptr);
}

void remove_lock_files() {
  for (const std::string& path : socket_files) ::unlink(path.c_str());
  socket_files.clear();
  if (owns_pid_file) ::unlink(kPidFile);
  owns_pid_file = false;
}

}  // namespace hathi::postmaster
