// pg_controldata: prints global/pg_control of a data directory, with PostgreSQL's labels. What this server has no use for is left out.

#include <getopt.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>

#include "hathi/error/sql_error.h"
#include "hathi/wal/log.h"
#include "hathi_version.h"
#include "src/backend/wal/control_file.h"
#include "src/backend/wal/log_state.h"

namespace {

using hathi::wal::ControlFile;
using hathi::wal::DatabaseState;

const char* state_name(std::uint32_t state) {
  switch (static_cast<DatabaseState>(state)) {
    case DatabaseState::starting_up: return "starting up";
    case DatabaseState::shut_down: return "shut down";
    case DatabaseState::shutting_down: return "shutting down";
    case DatabaseState::in_crash_recovery: return "in crash recovery";
    case DatabaseState::in_production: return "in production";
  }
  return "unrecognized status code";
}

std::string time_text(std::int64_t seconds) {
  std::time_t t = seconds;
  char text[64];
  std::strftime(text, sizeof text, "%c", std::localtime(&t));
  return text;
}

void line(const char* label, const std::string& value) { std::printf("%-38s%s\n", (std::string(label) + ":").c_str(), value.c_str()); }
void line(const char* label, std::uint64_t value) { line(label, std::to_string(value)); }
void position(const char* label, std::uint64_t lsn) { line(label, fmt::format("{:X}/{:X}", lsn >> 32, lsn & 0xFFFFFFFFu)); }

void print(const ControlFile& c) {
  line("pg_control version number", c.version);
  line("Catalog version number", static_cast<std::uint64_t>(hathi::wal::kCatalogVersion));
  line("Database system identifier", c.system_identifier);
  line("Database cluster state", state_name(c.state));
  line("pg_control last modified", time_text(c.time));
  position("Latest checkpoint location", c.checkpoint);
  position("Latest checkpoint's REDO location", c.redo);
  line("Latest checkpoint's REDO WAL file", hathi::wal::segment_name(hathi::Lsn{c.redo}));
  line("Latest checkpoint's TimeLineID", c.timeline);
  line("Latest checkpoint's NextXID", fmt::format("{}:{}", c.counters.next_xid >> 32, c.counters.next_xid & 0xFFFFFFFFu));
  line("Latest checkpoint's NextOID", c.counters.next_oid);
  line("Latest checkpoint's NextMultiXactId", c.counters.next_multixact);
  line("Latest checkpoint's NextMultiOffset", c.counters.next_member);
  line("Latest checkpoint's oldestXID", c.counters.oldest_xid);
  line("Time of latest checkpoint", time_text(c.checkpoint_time));
  line("Maximum data alignment", 8);
  line("Database block size", hathi::kPageSize);
  line("Blocks per segment of large relation", 131072);
  line("Bytes per WAL segment", hathi::wal::kWalSegmentSize);
  line("Maximum length of identifiers", 64);
  line("Maximum columns in an index", 32);
  line("Date/time type storage", "64-bit integers");
  line("Float8 argument passing", "by value");
  line("Data page checksum version", c.checksums);
}

constexpr const char* kHelp =
    "pg_controldata displays control information of a PostgreSQL database cluster.\n\n"
    "Usage:\n  pg_controldata [OPTION] [DATADIR]\n\n"
    "Options:\n"
    " [-D, --pgdata=]DATADIR  data directory\n"
    "  -V, --version          output version information, then exit\n"
    "  -?, --help             show this help, then exit\n\n"
    "If no data directory (DATADIR) is specified, the environment variable PGDATA\nis used.\n";

}  // namespace

int main(int argc, char** argv) {
  std::string directory;
  const option options[] = {{"pgdata", required_argument, nullptr, 'D'}, {"version", no_argument, nullptr, 'V'}, {"help", no_argument, nullptr, '?'}, {}};
  if (argc > 1 && (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-?") == 0)) return std::fputs(kHelp, stdout), 0;
  for (int c; (c = getopt_long(argc, argv, "D:V", options, nullptr)) != -1;) {
    if (c == 'D') directory = optarg;
    else if (c == 'V') return std::printf("pg_controldata (PostgreSQL) %s\n", HATHI_POSTGRESQL_VERSION), 0;
    else return std::fputs("pg_controldata: hint: Try \"pg_controldata --help\" for more information.\n", stderr), 1;
  }
  if (directory.empty() && optind < argc) directory = argv[optind++];
  if (optind < argc) return std::fprintf(stderr, "pg_controldata: error: too many command-line arguments (first is \"%s\")\n", argv[optind]), 1;
  if (directory.empty() && std::getenv("PGDATA") != nullptr) directory = std::getenv("PGDATA");
  if (directory.empty()) return std::fputs("pg_controldata: error: no data directory specified\n", stderr), 1;
  if (chdir(directory.c_str()) != 0)
    return std::fprintf(stderr, "pg_controldata: error: could not open file \"%s/global/pg_control\" for reading: %s\n", directory.c_str(),
                        std::strerror(errno)),
           1;
  try {
    print(hathi::wal::read_control());
  } catch (const hathi::SqlError& e) {
    std::fprintf(stderr, "pg_controldata: error: %s\n", e.report().message.c_str());
    return 1;
  }
  return 0;
}
