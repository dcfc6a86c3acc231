#include "control.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "hathi_version.h"

namespace hathi::pg_ctl {

namespace {

constexpr int kLooksPerSecond = 10;

std::string pid_path(const Options& o) { return o.data_directory + "/postmaster.pid"; }
std::string options_path(const Options& o) { return o.data_directory + "/postmaster.opts"; }

std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

void rest() { usleep(1000000 / kLooksPerSecond); }

// A dot at the beginning of each second that is waited.
void show_progress(const Options& o, int look) {
  if (look % kLooksPerSecond == 0) say(o, ".");
}

// Another program of this installation.
std::string sibling(const char* name) {
  std::error_code error;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  std::filesystem::path path = self.parent_path() / name;
  if (!error && access(path.c_str(), X_OK) == 0) return path;
  complain(fmt::format("program \"{}\" is needed by pg_ctl but was not found in the same directory as \"{}\"", name, self.string()));
  std::exit(1);
}

// Forks a shell that becomes the server, in a session of its own; returns its pid.
pid_t launch(const Options& o, const std::string& server, const std::string& arguments) {
  std::string command = fmt::format("exec \"{}\" {} < /dev/null", server, arguments);
  if (!o.log_file.empty()) command += fmt::format(" >> \"{}\"", o.log_file);
  command += " 2>&1";
  std::fflush(stdout);
  std::fflush(stderr);
  pid_t pid = fork();
  if (pid < 0) {
    complain(fmt::format("could not start server: {}", std::strerror(errno)));
    std::exit(1);
  }
  if (pid > 0) return pid;
  if (setsid() < 0) {
    complain(fmt::format("could not start server due to setsid() failure: {}", std::strerror(errno)));
    std::exit(1);
  }
  execl("/bin/sh", "/bin/sh", "-c", command.c_str(), static_cast<char*>(nullptr));
  complain(fmt::format("could not start server: {}", std::strerror(errno)));
  _exit(1);
}

enum class Start { ready, still_starting, failed };

Start wait_for_start(const Options& o, pid_t pid, std::time_t since) {
  for (int look = 0; look < o.seconds * kLooksPerSecond; ++look) {
    std::vector<std::string> lines = read_lines(pid_path(o));
    if (lines.size() >= 8) {
      bool ours = std::atol(lines[0].c_str()) == pid && std::atol(lines[2].c_str()) >= since - 2;
      if (ours && (lines[7] == "ready   " || lines[7] == "standby ")) return Start::ready;
    }
    int status = 0;
    if (waitpid(pid, &status, WNOHANG) == pid) return Start::failed;
    show_progress(o, look);
    rest();
  }
  return Start::still_starting;
}

// What the last server was started with, for restart: `/path/postgres "-D" "/data" "-p" "6432"`.
bool read_start_options(const Options& o, std::string& server, std::string& arguments) {
  std::vector<std::string> lines = read_lines(options_path(o));
  if (lines.size() != 1) {
    complain(lines.empty() ? fmt::format("could not read file \"{}\"", options_path(o))
                           : fmt::format("option file \"{}\" must have exactly one line", options_path(o)));
    return false;
  }
  std::size_t first = lines[0].find(" \"");
  server = lines[0].substr(0, first);
  arguments = first == std::string::npos ? "" : lines[0].substr(first + 1);
  return true;
}

void unlimit_core_files() {
  rlimit limit{};
  getrlimit(RLIMIT_CORE, &limit);
  if (limit.rlim_max == 0) {
    complain("cannot set core file size limit; disallowed by hard limit");
    return;
  }
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_CORE, &limit);
}

bool wait_for_stop(const Options& o) {
  for (int look = 0; look < o.seconds * kLooksPerSecond; ++look) {
    if (server_pid(o) == 0) return true;
    show_progress(o, look);
    rest();
  }
  return false;
}

int no_pid_file(const Options& o, bool starting) {
  complain(fmt::format("PID file \"{}\" does not exist", pid_path(o)));
  std::fputs("Is server running?\n", stderr);
  if (starting) std::fputs("trying to start server anyway\n", stderr);
  return 1;
}

bool send_signal(pid_t pid, int number, const char* what) {
  if (kill(pid, number) == 0) return true;
  complain(fmt::format("could not send {} signal (PID: {}): {}", what, pid, std::strerror(errno)));
  return false;
}

// Stops the running server and says so; false when that failed.
bool stop_and_wait(const Options& o) {
  say(o, "waiting for server to shut down...");
  if (!wait_for_stop(o)) {
    say(o, " failed\n");
    complain("server does not shut down");
    if (o.smart) {
      std::fputs(
          "HINT: The \"-m fast\" option immediately disconnects sessions rather than\nwaiting for session-initiated disconnection.\n",
          stderr);
    }
    return false;
  }
  say(o, " done\n");
  say(o, "server stopped\n");
  return true;
}

}  // namespace

void complain(const std::string& text) {
  std::fflush(stdout);
  std::fprintf(stderr, "pg_ctl: %s\n", text.c_str());
}

void say(const Options& options, const std::string& text) {
  if (options.silent) return;
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

std::vector<std::string> read_pid_file(const Options& o) {
  struct stat info {};
  if (stat(o.data_directory.c_str(), &info) != 0) {
    complain(errno == ENOENT ? fmt::format("directory \"{}\" does not exist", o.data_directory)
                             : fmt::format("could not access directory \"{}\": {}", o.data_directory, std::strerror(errno)));
    std::exit(o.action == "status" ? 4 : 1);
  }
  if (stat((o.data_directory + "/PG_VERSION").c_str(), &info) != 0 && errno == ENOENT) {
    complain(fmt::format("directory \"{}\" is not a database cluster directory", o.data_directory));
    std::exit(o.action == "status" ? 4 : 1);
  }
  std::ifstream file(pid_path(o));
  if (!file) {
    if (errno == ENOENT) return {};
    complain(fmt::format("could not open PID file \"{}\": {}", pid_path(o), std::strerror(errno)));
    std::exit(1);
  }
  return read_lines(pid_path(o));
}

pid_t server_pid(const Options& o) {
  std::vector<std::string> lines = read_pid_file(o);
  if (lines.empty()) {
    // The file may be just being written.
    if (access(pid_path(o).c_str(), F_OK) != 0) return 0;
    complain(fmt::format("the PID file \"{}\" is empty", pid_path(o)));
    std::exit(1);
  }
  long pid = std::strtol(lines[0].c_str(), nullptr, 10);
  if (pid == 0) {
    complain(fmt::format("invalid data in PID file \"{}\"", pid_path(o)));
    std::exit(1);
  }
  return static_cast<pid_t>(pid);
}

bool is_alive(pid_t pid) {
  // pg_ctl's own processes are none of the server's: a stale file may name them.
  if (pid == getpid() || pid == getppid()) return false;
  return kill(pid, 0) == 0 || errno == EPERM;
}

int start(const Options& o) {
  pid_t old = o.action == "restart" ? 0 : server_pid(o);
  if (old != 0) complain("another server might be running; trying to start server anyway");
  std::string server = o.server_path, arguments = fmt::format("-D \"{}\" {}", o.data_directory, o.server_options.value_or(""));
  std::string old_server;
  // They name the directory too.
  if (o.action == "restart" && !o.server_options && !read_start_options(o, old_server, arguments)) return 1;
  if (server.empty()) server = sibling("postgres");
  if (o.core_files) unlimit_core_files();
  std::time_t since = std::time(nullptr);
  umask(077);
  pid_t pid = launch(o, server, arguments);
  if (!o.wait) {
    say(o, "server starting\n");
    return 0;
  }
  say(o, "waiting for server to start...");
  switch (wait_for_start(o, pid, since)) {
    case Start::ready:
      say(o, " done\n");
      say(o, "server started\n");
      return 0;
    case Start::still_starting:
      say(o, " stopped waiting\n");
      complain("server did not start in time");
      return 1;
    case Start::failed:
      say(o, " stopped waiting\n");
      complain("could not start server");
      std::fputs("Examine the log output.\n", stderr);
      return 1;
  }
  return 1;
}

int stop(const Options& o) {
  pid_t pid = server_pid(o);
  if (pid == 0) return no_pid_file(o, false);
  if (pid < 0) {
    complain(fmt::format("cannot stop server; single-user server is running (PID: {})", -pid));
    return 1;
  }
  if (!send_signal(pid, o.signal, "stop")) return 1;
  if (!o.wait) {
    say(o, "server shutting down\n");
    return 0;
  }
  return stop_and_wait(o) ? 0 : 1;
}

int restart(const Options& o) {
  pid_t pid = server_pid(o);
  if (pid == 0) {
    no_pid_file(o, true);
    return start(o);
  }
  if (pid < 0) {
    complain(fmt::format("cannot restart server; single-user server is running (PID: {})", -pid));
    std::fputs("Please terminate the single-user server and try again.\n", stderr);
    return 1;
  }
  if (is_alive(pid)) {
    if (!send_signal(pid, o.signal, "stop")) return 1;
    if (!stop_and_wait(o)) return 1;
  } else {
    complain(fmt::format("old server process (PID: {}) seems to be gone", pid));
    std::fputs("starting server anyway\n", stderr);
  }
  return start(o);
}

int reload(const Options& o) {
  pid_t pid = server_pid(o);
  if (pid == 0) return no_pid_file(o, false);
  if (!send_signal(pid, SIGHUP, "reload")) return 1;
  say(o, "server signaled\n");
  return 0;
}

int promote(const Options& o) {
  if (server_pid(o) == 0) return no_pid_file(o, false);
  complain("cannot promote server; server is not in standby mode");
  return 1;
}

int status(const Options& o) {
  pid_t pid = server_pid(o);
  if (pid > 0 && is_alive(pid)) {
    std::printf("pg_ctl: server is running (PID: %d)\n", pid);
    for (const std::string& line : read_lines(options_path(o))) std::printf("%s\n", line.c_str());
    return 0;
  }
  std::printf("pg_ctl: no server running\n");
  return 3;
}

int init(const Options& o) {
  std::string program = sibling("initdb");
  std::string command = fmt::format("\"{}\" {}{}", program, o.data_directory.empty() ? "" : fmt::format("-D \"{}\" ", o.data_directory),
                                    o.server_options.value_or(""));
  if (o.silent) command += " > /dev/null";
  std::fflush(stdout);
  if (std::system(command.c_str()) != 0) {
    complain("database system initialization failed");
    return 1;
  }
  return 0;
}

}  // namespace hathi::pg_ctl
