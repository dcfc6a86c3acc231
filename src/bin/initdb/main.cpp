// initdb: makes the data directory and its files, then has the server program fill the catalogs (postgres --boot).

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "files.h"
#include "locales.h"
#include "options.h"

extern char** environ;

namespace hathi::initdb {

namespace {

const Options* cleanup_for = nullptr;

// The directory this program was started from, where postgres stands too.
std::string own_directory() {
  char path[4096];
  ssize_t n = readlink("/proc/self/exe", path, sizeof(path));
  std::string program(path, n > 0 ? static_cast<std::size_t>(n) : 0);
  return program.substr(0, program.rfind('/'));
}

// Runs postgres --boot; the password goes through its standard input.
bool run_boot(const Options& o) {
  std::string program = own_directory() + "/postgres";
  if (access(program.c_str(), X_OK) < 0) {
    fail("program \"postgres\" is needed by initdb but was not found in the same directory as \"" + own_directory() + "/initdb\"");
  }
  std::vector<std::string> args{program, "--boot", "-D", o.data_directory, "-F", "-c", "shared_buffers=64MB", "-c", "huge_pages=off",
                                "-c", "log_min_messages=fatal", "-c", "log_checkpoints=off"};
  auto option = [&](const std::string& name, const std::string& value) {
    args.push_back("-x");
    args.push_back(name + "=" + value);
  };
  option("superuser", o.user);
  option("encoding", o.encoding);
  option("locale_provider", o.locale_provider == 'i' ? "icu" : "libc");
  option("lc_collate", o.lc_collate);
  option("lc_ctype", o.lc_ctype);
  if (!o.icu_locale.empty()) option("icu_locale", o.icu_locale);
  option("data_checksums", o.checksums ? "on" : "off");
  if (!o.password.empty()) option("password", "stdin");
  if (o.debug) args.push_back("-d5");
  std::vector<char*> argv;
  for (std::string& a : args) argv.push_back(a.data());
  argv.push_back(nullptr);
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) < 0) fail(std::string("could not create pipe: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[0], STDIN_FILENO);
  pid_t pid = 0;
  int error = posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail("could not execute \"" + program + "\": " + std::strerror(error));
  close(pipe_ends[0]);
  std::string line = o.password + "\n";
  std::signal(SIGPIPE, SIG_IGN);
  [[maybe_unused]] ssize_t written = write(pipe_ends[1], line.data(), line.size());
  close(pipe_ends[1]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void at_exit() {
  if (cleanup_for != nullptr) remove_all(*cleanup_for);
}

void on_signal(int) {
  std::fputs("caught signal\n", stderr);
  std::exit(1);
}

void print_success(const Options& o) {
  if (o.no_sync) {
    std::puts("\nSync to disk skipped.\nThe data directory might become corrupt if the operating system crashes.");
  }
  std::fflush(stdout);
  if (o.warn_about_trust) {
    std::fputs(
        "\ninitdb: warning: enabling \"trust\" authentication for local connections\n"
        "initdb: hint: You can change this by editing pg_hba.conf or using the option -A, or --auth-local and --auth-host, the next time you run "
        "initdb.\n",
        stderr);
  }
  if (o.no_instructions) return;
  std::string pg_ctl = own_directory() + "/pg_ctl";
  if (o.program.find('/') == std::string::npos) pg_ctl = "pg_ctl";
  std::printf("\nSuccess. You can now start the database server using:\n\n    %s -D %s -l logfile start\n\n", pg_ctl.c_str(), o.data_directory.c_str());
}

int run(int argc, char** argv) {
  Options o = parse_options(argc, argv);
  if (o.sync_only) {
    if (access((o.data_directory + "/PG_VERSION").c_str(), F_OK) < 0) {
      fail("could not access directory \"" + o.data_directory + "\": " + std::strerror(errno));
    }
    sync_directory(o.data_directory);
    return 0;
  }
  std::printf("The files belonging to this database system will be owned by user \"%s\".\nThis user must also own the server process.\n\n",
              o.system_user.c_str());
  settle_locales(o);
  print_locales(o);
  std::printf("\nData page checksums are %s.\n", o.checksums ? "enabled" : "disabled");
  o.password = read_password(o);
  if (o.show) {
    std::printf("VERSION=15\nPGDATA=%s\nPOSTGRES_SUPERUSERNAME=%s\nENCODING=%s\n", o.data_directory.c_str(), o.user.c_str(), o.encoding.c_str());
    return 0;
  }
  std::atexit(at_exit);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(signal, on_signal);
  cleanup_for = &o;
  std::puts("");
  make_directories(o);
  std::printf("selecting dynamic shared memory implementation ... posix\n");
  std::printf("selecting default max_connections ... 100\nselecting default shared_buffers ... 128MB\n");
  std::printf("selecting default time zone ... %s\ncreating configuration files ... ", default_time_zone().c_str());
  write_configuration(o);
  std::printf("ok\nrunning bootstrap script ... ");
  std::fflush(stdout);
  if (!run_boot(o)) {
    std::fprintf(stderr, "initdb: error: could not fill the catalogs\n");
    std::exit(1);
  }
  std::puts("ok\nperforming post-bootstrap initialization ... ok");
  if (!o.no_sync) sync_directory(o.data_directory);
  cleanup_for = nullptr;
  print_success(o);
  return 0;
}

}  // namespace

}  // namespace hathi::initdb

int main(int argc, char** argv) { return hathi::initdb::run(argc, argv); }
