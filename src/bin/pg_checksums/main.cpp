// pg_checksums: checks, sets or takes away the page checksums of a cluster that is shut down.

#include <fcntl.h>
#include <getopt.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "hathi/buffer/page_check.h"
#include "hathi/buffer/page.h"
#include "hathi/config/settings.h"
#include "hathi/error/sql_error.h"
#include "hathi/storage/directory.h"
#include "hathi/storage/file.h"
#include "hathi_version.h"
#include "src/backend/wal/control_file.h"

namespace {

using namespace hathi;

enum class Mode { check, enable, disable };

struct Run {
  Mode mode = Mode::check;
  bool verbose = false, sync = true;
  std::string only;
  long long files = 0, blocks = 0, bad = 0, files_written = 0, blocks_written = 0;
};

[[noreturn]] void fail(const std::string& text) {
  std::fprintf(stderr, "pg_checksums: error: %s\n", text.c_str());
  std::exit(1);
}

// False: the page is not as its checksum says. written: it was given one.
bool treat_page(Run& run, const BlockTag& tag, std::byte* page, const std::string& path, bool& written) {
  if (page_is_zero(page)) return true;
  PageHeader& header = PageView(page).header();
  std::uint32_t stored = header.checksum, computed = page_checksum(tag, page);
  if (run.mode == Mode::enable) {
    written = stored != computed;
    header.checksum = computed;
    return true;
  }
  if (stored == computed) return true;
  std::fprintf(stderr, "pg_checksums: error: checksum verification failed in file \"%s\", block %u: calculated checksum %X but block contains %X\n",
               path.c_str(), tag.block.value() % storage::kSegmentBlocks, computed, stored);
  return false;
}

void treat_file(Run& run, const storage::DatabaseDirectory& d, const std::string& name, const storage::RelationName& parsed) {
  std::string path = d.path + "/" + name;
  int fd = ::open(path.c_str(), run.mode == Mode::enable ? O_RDWR : O_RDONLY);
  if (fd < 0) fail(fmt::format("could not open file \"{}\": {}", path, std::strerror(errno)));
  ++run.files;
  BlockTag tag{{d.tablespace, d.database, parsed.relation}, parsed.fork, BlockNumber{parsed.segment * storage::kSegmentBlocks}};
  alignas(8) std::byte page[kPageSize];
  bool any_written = false;
  for (off_t at = 0;; at += static_cast<off_t>(kPageSize), ++tag.block) {
    ssize_t n = ::pread(fd, page, kPageSize, at);
    if (n == 0) break;
    if (n != static_cast<ssize_t>(kPageSize)) fail(fmt::format("could not read block {} in file \"{}\": read {} of {}", tag.block.value(), path, n, kPageSize));
    ++run.blocks;
    bool written = false;
    if (!treat_page(run, tag, page, path, written)) ++run.bad;
    if (!written) continue;
    if (::pwrite(fd, page, kPageSize, at) != static_cast<ssize_t>(kPageSize))
      fail(fmt::format("could not write block {} in file \"{}\": {}", tag.block.value(), path, std::strerror(errno)));
    ++run.blocks_written;
    any_written = true;
  }
  if (any_written && run.sync && ::fsync(fd) != 0) fail(fmt::format("could not fsync file \"{}\": {}", path, std::strerror(errno)));
  run.files_written += any_written ? 1 : 0;
  ::close(fd);
  if (run.verbose) std::fprintf(stderr, "pg_checksums: checksums %s in file \"%s\"\n", run.mode == Mode::enable ? "enabled" : "verified", path.c_str());
}

void treat_all(Run& run) {
  for (const storage::DatabaseDirectory& d : storage::database_directories()) {
    for (const std::string& name : storage::list_directory(d.path)) {
      auto parsed = storage::parse_relation_name(name);
      if (!parsed || parsed->temp_owner >= 0) continue;
      if (!run.only.empty() && run.only != std::to_string(raw(parsed->relation))) continue;
      treat_file(run, d, name, *parsed);
    }
  }
}

int work(Run& run) {
  wal::ControlFile control = wal::read_control();
  int lock = ::open(".", O_RDONLY | O_DIRECTORY);
  if (flock(lock, LOCK_EX | LOCK_NB) != 0 || static_cast<wal::DatabaseState>(control.state) != wal::DatabaseState::shut_down) fail("cluster must be shut down");
  if (control.checksums == 0 && run.mode == Mode::check) fail("data checksums are not enabled in cluster");
  if (control.checksums == 0 && run.mode == Mode::disable) fail("data checksums are already disabled in cluster");
  if (control.checksums != 0 && run.mode == Mode::enable) fail("data checksums are already enabled in cluster");
  config::values::fsync = run.sync;
  if (run.mode != Mode::disable) {
    treat_all(run);
    std::printf("Checksum operation completed\nFiles scanned:   %lld\nBlocks scanned:  %lld\n", run.files, run.blocks);
    if (run.mode == Mode::check) {
      std::printf("Bad checksums:  %lld\nData checksum version: %u\n", run.bad, control.checksums);
      return run.bad == 0 ? 0 : 1;
    }
    std::printf("Files written:  %lld\nBlocks written: %lld\n", run.files_written, run.blocks_written);
  }
  // Pages keep a checksum that nobody looks at any more.
  if (run.sync) std::printf("pg_checksums: syncing data directory\n");
  control.checksums = run.mode == Mode::enable ? 1 : 0;
  std::printf("pg_checksums: updating control file\n");
  wal::write_control(control);
  std::printf("Data checksum version: %u\nChecksums %s in cluster\n", control.checksums, run.mode == Mode::enable ? "enabled" : "disabled");
  return 0;
}

constexpr const char* kHelp =
    "pg_checksums enables, disables, or verifies data checksums in a PostgreSQL database cluster.\n\n"
    "Usage:\n  pg_checksums [OPTION]... [DATADIR]\n\n"
    "Options:\n"
    " [-D, --pgdata=]DATADIR    data directory\n"
    "  -c, --check              check data checksums (default)\n"
    "  -d, --disable            disable data checksums\n"
    "  -e, --enable             enable data checksums\n"
    "  -f, --filenode=FILENODE  check only relation with specified filenode\n"
    "  -N, --no-sync            do not wait for changes to be written safely to disk\n"
    "  -v, --verbose            output verbose messages\n"
    "  -V, --version            output version information, then exit\n"
    "  -?, --help               show this help, then exit\n\n"
    "If no data directory (DATADIR) is specified, the environment variable PGDATA\nis used.\n";

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-?") == 0)) return std::fputs(kHelp, stdout), 0;
  Run run;
  std::string directory;
  const option options[] = {{"pgdata", required_argument, nullptr, 'D'}, {"check", no_argument, nullptr, 'c'},    {"disable", no_argument, nullptr, 'd'},
                            {"enable", no_argument, nullptr, 'e'},       {"filenode", required_argument, nullptr, 'f'}, {"no-sync", no_argument, nullptr, 'N'},
                            {"verbose", no_argument, nullptr, 'v'},      {"version", no_argument, nullptr, 'V'},  {"progress", no_argument, nullptr, 'P'}, {}};
  for (int c; (c = getopt_long(argc, argv, "D:cdef:NPvV", options, nullptr)) != -1;) {
    switch (c) {
      case 'D': directory = optarg; break;
      case 'c': run.mode = Mode::check; break;
      case 'd': run.mode = Mode::disable; break;
      case 'e': run.mode = Mode::enable; break;
      case 'f': run.only = optarg; break;
      case 'N': run.sync = false; break;
      case 'P': break;
      case 'v': run.verbose = true; break;
      case 'V': return std::printf("pg_checksums (PostgreSQL) %s\n", HATHI_POSTGRESQL_VERSION), 0;
      default: return std::fputs("pg_checksums: hint: Try \"pg_checksums --help\" for more information.\n", stderr), 1;
    }
  }
  if (directory.empty() && optind < argc) directory = argv[optind++];
  if (optind < argc) fail(fmt::format("too many command-line arguments (first is \"{}\")", argv[optind]));
  if (directory.empty() && std::getenv("PGDATA") != nullptr) directory = std::getenv("PGDATA");
  if (directory.empty()) fail("no data directory specified");
  if (!run.only.empty() && run.mode != Mode::check) fail("option -f/--filenode can only be used with --check");
  if (chdir(directory.c_str()) != 0) fail(fmt::format("could not open directory \"{}\": {}", directory, std::strerror(errno)));
  try {
    return work(run);
  } catch (const SqlError& e) { fail(e.report().message); }
}
