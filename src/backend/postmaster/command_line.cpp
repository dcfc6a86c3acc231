#include "command_line.h"

#include <getopt.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "hathi/config/settings.h"
#include "hathi/error/sql_error.h"

namespace hathi::postmaster {

const char* const kHelpText = R"(postgres is the Hathi database server; its options are PostgreSQL's.

Usage:
  postgres [OPTION]...

Options:
  -B NBUFFERS        number of shared buffers
  -c NAME=VALUE      set run-time parameter
  -C NAME            print value of run-time parameter, then exit
  -d 1-5             debugging level
  -D DATADIR         database directory
  -e                 use European date input format (DMY)
  -F                 turn fsync off
  -h HOSTNAME        host name or IP address to listen on
  -i                 enable TCP/IP connections
  -k DIRECTORY       Unix-domain socket location
  -N MAX-CONNECT     maximum number of allowed connections
  -O                 allow system table structure changes
  -p PORT            port number to listen on
  -s                 show statistics after each query
  -S WORK-MEM        set amount of memory for sorts (in kB)
  -V, --version      output version information, then exit
  --NAME=VALUE       set run-time parameter
  --describe-config  describe configuration parameters, then exit
  -?, --help         show this help, then exit
)";

namespace {

[[noreturn]] void try_help() {
  std::fputs("Try \"postgres --help\" for more information.\n", stderr);
  std::exit(1);
}

// "name=value" of -c and --; a name without a value is an error that quotes it as given.
std::pair<std::string, std::string> split_assignment(const std::string& text, const char* prefix) {
  std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw SqlError(sqlstate::syntax_error, "{}{} requires a value", prefix, text).fatal();
  std::string name = text.substr(0, equals);
  std::replace(name.begin(), name.end(), '-', '_');
  return {name, text.substr(equals + 1)};
}

}  // namespace

CommandLine parse_command_line(int argc, char** argv, bool boot) {
  CommandLine line;
  if (const char* directory = std::getenv("PGDATA")) {
    line.data_directory = directory;
    line.has_data_directory = true;
  }
  auto setting = [&](const char* name, const char* value) { line.settings.emplace_back(name, value); };
  optind = 1;
  for (int c; (c = getopt(argc, argv, "B:c:C:d:D:eFh:ik:lN:Op:sS:x:-:")) != -1;) {
    switch (c) {
      case 'B': setting("shared_buffers", optarg); break;
      case 'c': line.settings.push_back(split_assignment(optarg, "-c ")); break;
      case '-': line.settings.push_back(split_assignment(optarg, "--")); break;
      case 'C': line.print_setting = optarg; break;
      case 'd': line.debug_level = std::atoi(optarg); break;
      case 'D':
        line.data_directory = optarg;
        line.has_data_directory = true;
        break;
      case 'e': setting("datestyle", "euro"); break;
      case 'F': setting("fsync", "false"); break;
      case 'h': setting("listen_addresses", optarg); break;
      case 'i': setting("listen_addresses", "*"); break;
      case 'k': setting("unix_socket_directories", optarg); break;
      case 'l': setting("ssl", "true"); break;
      case 'N': setting("max_connections", optarg); break;
      case 'O': setting("allow_system_table_mods", "true"); break;
      case 'p': setting("port", optarg); break;
      case 's': setting("log_statement_stats", "true"); break;
      case 'S': setting("work_mem", optarg); break;
      case 'x':
        if (boot) {
          line.boot.push_back(split_assignment(optarg, "-x "));
          break;
        }
        [[fallthrough]];
      default: try_help();
    }
  }
  if (optind < argc) {
    std::fprintf(stderr, "postgres: invalid argument: \"%s\"\n", argv[optind]);
    try_help();
  }
  return line;
}

void apply_settings(const CommandLine& line) {
  if (line.debug_level > 0) {
    std::string level = "debug" + std::to_string(std::min(line.debug_level, 5));
    config::set("log_min_messages", level, config::Source::argv, false, true);
  }
  for (const auto& [name, value] : line.settings) config::set(name, value, config::Source::argv, false, true);
}

}  // namespace hathi::postmaster
