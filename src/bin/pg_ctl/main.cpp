// pg_ctl's command line.

#include <fmt/format.h>
#include <getopt.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "control.h"
#include "hathi_version.h"

namespace hathi::pg_ctl {

namespace {

constexpr const char* kHelp = R"(pg_ctl starts, stops and watches a Hathi database server, with PostgreSQL's options.

Usage:
  pg_ctl init[db]   [-D DATADIR] [-s] [-o OPTIONS]
  pg_ctl start      [-D DATADIR] [-l FILENAME] [-W] [-t SECS] [-s] [-o OPTIONS] [-p PATH] [-c]
  pg_ctl stop       [-D DATADIR] [-m SHUTDOWN-MODE] [-W] [-t SECS] [-s]
  pg_ctl restart    [-D DATADIR] [-m SHUTDOWN-MODE] [-W] [-t SECS] [-s] [-o OPTIONS] [-c]
  pg_ctl reload     [-D DATADIR] [-s]
  pg_ctl status     [-D DATADIR]
  pg_ctl kill       SIGNALNAME PID

Options:
  -D, --pgdata=DATADIR   the data directory (else the environment variable PGDATA)
  -s, --silent           print errors only
  -t, --timeout=SECS     seconds to wait (default 60, or PGCTLTIMEOUT)
  -w, --wait             wait until the operation is complete (default)
  -W, --no-wait          do not wait
  -c, --core-files       let the server write core files
  -l, --log=FILENAME     append the server log to this file
  -o, --options=OPTIONS  options for postgres, or for initdb
  -p PATH-TO-POSTGRES    the server program
  -m, --mode=MODE        "smart" (after all clients left), "fast" (at once, the default) or "immediate" (recovery at the next start)
  -V, --version          print the version and exit
  -?, --help             print this help and exit

Signals for kill: ABRT HUP INT KILL QUIT TERM USR1 USR2
)";

[[noreturn]] void try_help() {
  std::fputs("Try \"pg_ctl --help\" for more information.\n", stderr);
  std::exit(1);
}

void set_mode(Options& o, const std::string& mode) {
  o.smart = false;
  if (mode == "s" || mode == "smart") {
    o.signal = SIGTERM;
    o.smart = true;
  } else if (mode == "f" || mode == "fast") {
    o.signal = SIGINT;
  } else if (mode == "i" || mode == "immediate") {
    o.signal = SIGQUIT;
  } else {
    complain(fmt::format("unrecognized shutdown mode \"{}\"", mode));
    try_help();
  }
}

int send_named_signal(int argc, char** argv) {
  if (optind + 2 > argc) {
    complain("missing arguments for kill mode");
    try_help();
  }
  struct Name {
    const char* name;
    int number;
  };
  static constexpr Name names[] = {{"HUP", SIGHUP},   {"INT", SIGINT},   {"QUIT", SIGQUIT}, {"ABRT", SIGABRT},
                                   {"KILL", SIGKILL}, {"TERM", SIGTERM}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2}};
  std::string wanted = argv[optind];
  pid_t pid = static_cast<pid_t>(std::atol(argv[optind + 1]));
  optind += 2;
  for (const Name& entry : names) {
    if (wanted != entry.name) continue;
    if (kill(pid, entry.number) == 0) return 0;
    complain(fmt::format("could not send signal {} (PID: {}): {}", entry.number, pid, std::strerror(errno)));
    return 1;
  }
  complain(fmt::format("unrecognized signal name \"{}\"", wanted));
  try_help();
}

// Options may stand before and after the action.
Options read_options(int argc, char** argv, int& exit_code) {
  Options o;
  if (const char* directory = std::getenv("PGDATA")) o.data_directory = directory;
  if (const char* seconds = std::getenv("PGCTLTIMEOUT")) o.seconds = std::max(0, std::atoi(seconds));
  static const option longs[] = {
      {"help", no_argument, nullptr, '?'},       {"version", no_argument, nullptr, 'V'},       {"log", required_argument, nullptr, 'l'},
      {"mode", required_argument, nullptr, 'm'}, {"pgdata", required_argument, nullptr, 'D'},  {"options", required_argument, nullptr, 'o'},
      {"silent", no_argument, nullptr, 's'},     {"timeout", required_argument, nullptr, 't'}, {"core-files", no_argument, nullptr, 'c'},
      {"wait", no_argument, nullptr, 'w'},       {"no-wait", no_argument, nullptr, 'W'},       {nullptr, 0, nullptr, 0}};
  exit_code = -1;
  for (int c; (c = getopt_long(argc, argv, "-cD:l:m:o:p:st:wW", longs, nullptr)) != -1;) {
    switch (c) {
      case 'c': o.core_files = true; break;
      case 'D': o.data_directory = optarg; break;
      case 'l': o.log_file = optarg; break;
      case 'm': set_mode(o, optarg); break;
      case 'o': o.server_options = o.server_options ? *o.server_options + " " + optarg : optarg; break;
      case 'p': o.server_path = optarg; break;
      case 's': o.silent = true; break;
      case 't': o.seconds = std::atoi(optarg); break;
      case 'w': o.wait = true; break;
      case 'W': o.wait = false; break;
      case 1:  // an argument that is no option
        if (!o.action.empty()) {
          complain(fmt::format("too many command-line arguments (first is \"{}\")", o.action));
          try_help();
        }
        o.action = optarg;
        if (o.action == "kill") {
          exit_code = send_named_signal(argc, argv);
          return o;
        }
        break;
      default: try_help();
    }
  }
  return o;
}

int refuse_log_rotation(const Options&) {
  complain("log rotation is not supported");
  return 1;
}

using Action = int (*)(const Options&);
// Ends the program when there is no such action.
Action find_action(const std::string& name) {
  static constexpr std::pair<std::string_view, Action> kActions[] = {
      {"init", init}, {"initdb", init}, {"start", start}, {"stop", stop}, {"restart", restart}, {"reload", reload}, {"status", status},
      {"promote", promote}, {"logrotate", refuse_log_rotation}};
  for (const auto& [known, action] : kActions) if (known == name) return action;
  complain(fmt::format("unrecognized operation mode \"{}\"", name));
  try_help();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    std::string first = argv[1];
    if (first == "--help" || first == "-?") {
      std::fputs(kHelp, stdout);
      return 0;
    }
    if (first == "-V" || first == "--version") {
      std::puts("pg_ctl (PostgreSQL) " HATHI_POSTGRESQL_VERSION " (Hathi " HATHI_VERSION ")");
      return 0;
    }
  }
  if (geteuid() == 0) {
    complain("cannot be run as root");
    std::fputs("Please log in (using, e.g., \"su\") as the (unprivileged) user that will\nown the server process.\n", stderr);
    return 1;
  }
  int exit_code = -1;
  Options options = read_options(argc, argv, exit_code);
  if (exit_code >= 0) return exit_code;
  if (options.action.empty()) {
    complain("no operation specified");
    try_help();
  }
  Action action = find_action(options.action);
  if (options.data_directory.empty() && options.action != "init" && options.action != "initdb") {
    complain("no database directory specified and environment variable PGDATA unset");
    try_help();
  }
  // The server changes its directory: what it is told must not depend on ours.
  if (!options.data_directory.empty()) {
    std::string path = std::filesystem::absolute(options.data_directory).lexically_normal();
    if (path.size() > 1 && path.back() == '/') path.pop_back();
    options.data_directory = path;
  }
  return action(options);
}

}  // namespace hathi::pg_ctl

int main(int argc, char** argv) { return hathi::pg_ctl::main(argc, argv); }
