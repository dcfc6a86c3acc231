#include "options.h"

#include <getopt.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "hathi_version.h"

namespace hathi::initdb {

namespace {

constexpr const char* kHelp =
    "initdb initializes a PostgreSQL database cluster.\n\n"
    "Usage:\n"
    "  initdb [OPTION]... [DATADIR]\n\n"
    "Options:\n"
    "  -A, --auth=METHOD         default authentication method for local connections\n"
    "      --auth-host=METHOD    default authentication method for local TCP/IP connections\n"
    "      --auth-local=METHOD   default authentication method for local-socket connections\n"
    " [-D, --pgdata=]DATADIR     location for this database cluster\n"
    "  -E, --encoding=ENCODING   set default encoding for new databases\n"
    "  -g, --allow-group-access  allow group read/execute on data directory\n"
    "      --icu-locale=LOCALE   set ICU locale ID for new databases\n"
    "  -k, --data-checksums      use data page checksums (the default)\n"
    "      --no-data-checksums   do not use data page checksums\n"
    "      --locale=LOCALE       set default locale for new databases\n"
    "      --lc-collate=, --lc-ctype=, --lc-messages=LOCALE\n"
    "      --lc-monetary=, --lc-numeric=, --lc-time=LOCALE\n"
    "                            set default locale in the respective category for\n"
    "                            new databases (default taken from environment)\n"
    "      --no-locale           equivalent to --locale=C\n"
    "      --locale-provider={libc|icu}\n"
    "                            set default locale provider for new databases\n"
    "      --pwfile=FILE         read password for the new superuser from file\n"
    "  -T, --text-search-config=CFG\n"
    "                            default text search configuration\n"
    "  -U, --username=NAME       database superuser name\n"
    "  -W, --pwprompt            prompt for a password for the new superuser\n"
    "  -X, --waldir=WALDIR       location for the write-ahead log directory\n\n"
    "Less commonly used options:\n"
    "  -d, --debug               generate lots of debugging output\n"
    "  -n, --no-clean            do not clean up after errors\n"
    "  -N, --no-sync             do not wait for changes to be written safely to disk\n"
    "      --no-instructions     do not print instructions for next steps\n"
    "  -s, --show                show internal settings\n"
    "  -S, --sync-only           only sync database files to disk, then exit\n\n"
    "Other options:\n"
    "  -V, --version             output version information, then exit\n"
    "  -?, --help                show this help, then exit\n\n"
    "If the data directory is not specified, the environment variable PGDATA\n"
    "is used.\n";

enum LongOption : int {
  kAuthLocal = 256, kAuthHost, kIcuLocale, kNoChecksums, kLocale, kCollate, kCtype, kMessages, kMonetary, kNumeric, kTime, kNoLocale, kProvider,
  kPasswordFile, kWalSegmentSize, kNoInstructions, kDiscardCaches
};

constexpr option kLongOptions[] = {
    {"pgdata", required_argument, nullptr, 'D'}, {"encoding", required_argument, nullptr, 'E'}, {"locale", required_argument, nullptr, kLocale},
    {"lc-collate", required_argument, nullptr, kCollate}, {"lc-ctype", required_argument, nullptr, kCtype},
    {"lc-monetary", required_argument, nullptr, kMonetary}, {"lc-numeric", required_argument, nullptr, kNumeric},
    {"lc-time", required_argument, nullptr, kTime}, {"lc-messages", required_argument, nullptr, kMessages},
    {"no-locale", no_argument, nullptr, kNoLocale}, {"text-search-config", required_argument, nullptr, 'T'}, {"auth", required_argument, nullptr, 'A'},
    {"auth-local", required_argument, nullptr, kAuthLocal}, {"auth-host", required_argument, nullptr, kAuthHost},
    {"pwprompt", no_argument, nullptr, 'W'}, {"pwfile", required_argument, nullptr, kPasswordFile}, {"username", required_argument, nullptr, 'U'},
    {"help", no_argument, nullptr, '?'}, {"version", no_argument, nullptr, 'V'}, {"debug", no_argument, nullptr, 'd'}, {"show", no_argument, nullptr, 's'},
    {"noclean", no_argument, nullptr, 'n'}, {"no-clean", no_argument, nullptr, 'n'}, {"nosync", no_argument, nullptr, 'N'},
    {"no-sync", no_argument, nullptr, 'N'}, {"no-instructions", no_argument, nullptr, kNoInstructions}, {"sync-only", no_argument, nullptr, 'S'},
    {"waldir", required_argument, nullptr, 'X'}, {"wal-segsize", required_argument, nullptr, kWalSegmentSize},
    {"data-checksums", no_argument, nullptr, 'k'}, {"no-data-checksums", no_argument, nullptr, kNoChecksums},
    {"allow-group-access", no_argument, nullptr, 'g'}, {"discard-caches", no_argument, nullptr, kDiscardCaches},
    {"locale-provider", required_argument, nullptr, kProvider}, {"icu-locale", required_argument, nullptr, kIcuLocale}, {nullptr, 0, nullptr, 0}};

[[noreturn]] void try_help() {
  std::fputs("initdb: hint: Try \"initdb --help\" for more information.\n", stderr);
  std::exit(1);
}

bool is_one_of(const std::string& method, std::initializer_list<const char*> methods) {
  for (const char* m : methods) {
    if (method == m) return true;
  }
  return false;
}

void check_auth(const std::string& method, bool local) {
  bool valid = local ? is_one_of(method, {"trust", "reject", "scram-sha-256", "md5", "password", "peer", "radius"})
                     : is_one_of(method, {"trust", "reject", "scram-sha-256", "md5", "password", "ident", "radius"});
  if (!valid) fail("invalid authentication method \"" + method + "\" for \"" + (local ? "local" : "host") + "\" connections");
}

void settle_auth(Options& options) {
  for (std::string* method : {&options.auth_local, &options.auth_host}) {
    if (!method->empty()) continue;
    options.warn_about_trust = true;
    *method = "trust";
  }
  // ident makes sense over TCP only, peer on local sockets only: each means the other there.
  if (options.auth_local == "ident") options.auth_local = "peer";
  if (options.auth_host == "peer") options.auth_host = "ident";
  check_auth(options.auth_local, true);
  check_auth(options.auth_host, false);
  auto needs_password = [](const std::string& m) { return m == "md5" || m == "password" || m == "scram-sha-256"; };
  if (options.prompt_password && !options.password_file.empty()) fail("password prompt and password file cannot be specified together");
  if ((needs_password(options.auth_local) || needs_password(options.auth_host)) && !options.prompt_password && options.password_file.empty()) {
    fail("must specify a password for the superuser to enable password authentication");
  }
}

std::string own_user_name() {
  const passwd* entry = getpwuid(geteuid());
  if (entry == nullptr) fail("could not look up effective user ID " + std::to_string(geteuid()) + ": user does not exist");
  return entry->pw_name;
}

void settle_user(Options& options) {
  options.system_user = own_user_name();
  if (options.user.empty()) options.user = options.system_user;
  if (options.user.starts_with("pg_")) {
    fail("superuser name \"" + options.user + "\" is disallowed; role names cannot begin with \"pg_\"");
  }
}

void settle_provider(Options& options) {
  if (!options.icu_locale.empty() && options.locale_provider != 'i') {
    fail("--icu-locale cannot be specified unless locale provider \"icu\" is chosen");
  }
}

void refuse_segment_size(const char* size) {
  if (std::strcmp(size, "16") != 0) fail("--wal-segsize=" + std::string(size) + " is not supported", "WAL segments are always 16 MB.");
}

void apply(Options& options, int c) {
  switch (c) {
    case 'A': options.auth_local = options.auth_host = optarg; break;
    case kAuthLocal: options.auth_local = optarg; break;
    case kAuthHost: options.auth_host = optarg; break;
    case 'D': options.data_directory = optarg; break;
    case 'E': options.encoding = optarg; break;
    case 'W': options.prompt_password = true; break;
    case 'U': options.user = optarg; break;
    case 'd': options.debug = true; std::puts("Running in debug mode."); break;
    case 'n': options.no_clean = true; std::puts("Running in no-clean mode.  Mistakes will not be cleaned up."); break;
    case 'N': options.no_sync = true; break;
    case 'S': options.sync_only = true; break;
    case 'k': options.checksums = true; break;
    case kNoChecksums: options.checksums = false; break;
    case 'L': break;  // there are no input files
    case kLocale: options.locale = optarg; break;
    case kCollate: options.lc_collate = optarg; break;
    case kCtype: options.lc_ctype = optarg; break;
    case kMonetary: options.lc_monetary = optarg; break;
    case kNumeric: options.lc_numeric = optarg; break;
    case kTime: options.lc_time = optarg; break;
    case kMessages: options.lc_messages = optarg; break;
    case kNoLocale: options.locale = "C"; break;
    case 'T': options.text_search_config = optarg; break;
    case kPasswordFile: options.password_file = optarg; break;
    case 's': options.show = true; break;
    case 'X': options.wal_directory = optarg; break;
    case kNoInstructions: options.no_instructions = true; break;
    case 'g': options.group_access = true; break;
    case kDiscardCaches: break;
    case kIcuLocale: options.icu_locale = optarg; break;
    case kProvider:
      if (std::strcmp(optarg, "icu") == 0) options.locale_provider = 'i';
      else if (std::strcmp(optarg, "libc") == 0) options.locale_provider = 'c';
      else fail("unrecognized locale provider: " + std::string(optarg));
      break;
    case kWalSegmentSize: refuse_segment_size(optarg); break;
    default: try_help();
  }
}

}  // namespace

void fail(const std::string& message, const std::string& hint, const std::string& detail) {
  std::fflush(stdout);
  std::fprintf(stderr, "initdb: error: %s\n", message.c_str());
  if (!detail.empty()) std::fprintf(stderr, "initdb: detail: %s\n", detail.c_str());
  if (!hint.empty()) std::fprintf(stderr, "initdb: hint: %s\n", hint.c_str());
  std::exit(1);
}

Options parse_options(int argc, char** argv) {
  if (argc > 1) {
    if (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-?") == 0) {
      std::fputs(kHelp, stdout);
      std::exit(0);
    }
    if (std::strcmp(argv[1], "--version") == 0 || std::strcmp(argv[1], "-V") == 0) {
      std::puts("initdb (PostgreSQL) " HATHI_POSTGRESQL_VERSION " (Hathi " HATHI_VERSION ")");
      std::exit(0);
    }
  }
  Options options;
  options.program = argv[0];
  for (int c; (c = getopt_long(argc, argv, "A:dD:E:gkL:nNsST:U:WX:", kLongOptions, nullptr)) != -1;) apply(options, c);
  if (optind < argc && options.data_directory.empty()) options.data_directory = argv[optind++];
  if (optind < argc) {
    std::fprintf(stderr, "initdb: error: too many command-line arguments (first is \"%s\")\n", argv[optind]);
    try_help();
  }
  if (options.data_directory.empty()) {
    const char* directory = std::getenv("PGDATA");
    if (directory == nullptr || *directory == '\0') {
      fail("no data directory specified",
           "You must identify the directory where the data for this database system will reside.  Do this with either the invocation option -D or the "
           "environment variable PGDATA.");
    }
    options.data_directory = directory;
  }
  if (options.sync_only) return options;
  settle_provider(options);
  settle_auth(options);
  if (geteuid() == 0) {
    fail("cannot be run as root", "Please log in (using, e.g., \"su\") as the (unprivileged) user that will own the server process.");
  }
  settle_user(options);
  return options;
}

}  // namespace hathi::initdb
