#pragma once
// pg_ctl: starts, stops and asks about a server through its data directory. Messages and exit codes are PostgreSQL's.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace hathi::pg_ctl {

struct Options {
  std::string action;
  std::string data_directory;
  std::string log_file;
  std::optional<std::string> server_options;  // -o
  std::string server_path;                    // -p
  int signal = 2;                             // of stop: SIGINT (fast)
  bool smart = false;
  bool wait = true;
  bool silent = false;
  bool core_files = false;
  int seconds = 60;
};

// "pg_ctl: <text>" on standard error.
void complain(const std::string& text);
// On standard output unless silent; no newline is added.
void say(const Options& options, const std::string& text);

// Lines of postmaster.pid, none when there is no file. Ends the program when it can't be read.
std::vector<std::string> read_pid_file(const Options& options);
// The server's pid, 0 when there is no pid file.
pid_t server_pid(const Options& options);
bool is_alive(pid_t pid);

int start(const Options& options);
int stop(const Options& options);
int restart(const Options& options);
int reload(const Options& options);
int status(const Options& options);
int promote(const Options& options);
int init(const Options& options);

}  // namespace hathi::pg_ctl
