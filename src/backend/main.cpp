// The server's program: `postgres`.

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "hathi/base/stack.h"
#include "hathi/config/server_settings.h"
#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/session/session.h"
#include "hathi/shmem/image.h"
#include "hathi/shmem/process_title.h"
#include "hathi/shmem/segment.h"
#include "hathi/storage/file.h"
#include "hathi_version.h"
#include "src/backend/postmaster/boot.h"
#include "src/backend/postmaster/command_line.h"
#include "src/backend/postmaster/data_directory.h"
#include "src/backend/postmaster/server_init.h"

namespace hathi {

namespace {

int refuse_root() {
  std::fputs(
      "\"root\" execution of the PostgreSQL server is not permitted.\n"
      "The server must be started under an unprivileged user ID to prevent\n"
      "possible system security compromise.  See the documentation for\n"
      "more information on how to properly start the server.\n",
      stderr);
  return 1;
}

int no_data_directory() {
  std::fputs(
      "postgres does not know where to find the server configuration file.\n"
      "You must specify the --config-file or -D invocation option or set the PGDATA environment variable.\n",
      stderr);
  return 2;
}

int describe_settings() {
  for (const config::Row& row : config::rows()) {
    std::string type = row.vartype == "bool" ? "BOOLEAN" : row.vartype;
    for (char& c : type) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    std::printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", row.name.c_str(), row.context.c_str(), row.category.c_str(), type.c_str(),
                row.boot_val.c_str(), row.min_val.c_str(), row.max_val.c_str(), row.short_desc.c_str());
  }
  return 0;
}

// postgresql.conf must be readable; the rest of the file settings follow from the data directory.
int find_files(const std::string& directory) {
  auto set = [](const char* name, const std::string& value) { config::set(name, value, config::Source::override_value, false, true); };
  std::string& file = config::values::config_file;
  if (file.empty()) set("config_file", directory + "/postgresql.conf");
  if (access(file.c_str(), R_OK) == 0) return 0;
  std::fprintf(stderr, "postgres: could not access the server configuration file \"%s\": %s\n", file.c_str(), std::strerror(errno));
  return 2;
}

void settle_files(const std::string& directory) {
  auto set = [](const char* name, const std::string& value) { config::set(name, value, config::Source::override_value, false, true); };
  set("data_directory", directory);
  if (config::values::hba_file.empty()) set("hba_file", directory + "/pg_hba.conf");
  if (config::values::ident_file.empty()) set("ident_file", directory + "/pg_ident.conf");
}

int run_boot(int argc, char** argv) {
  // The first argument said so; the rest are options.
  postmaster::CommandLine line = postmaster::parse_command_line(argc - 1, argv + 1, true);
  config::load_environment();
  postmaster::apply_settings(line);
  if (!line.has_data_directory) return no_data_directory();
  std::string directory = postmaster::absolute_path(line.data_directory);
  if (access((directory + "/postgresql.conf").c_str(), R_OK) == 0) config::load_files(directory, true);
  settle_files(directory);
  postmaster::initialise_server();
  return postmaster::run_boot(directory, line.boot);
}

// -C: the value as pg_settings shows it.
int print_setting(const std::string& name) {
  if (config::find(name) == nullptr)
    throw SqlError(sqlstate::undefined_object, "unrecognized configuration parameter \"{}\"", name).fatal();
  if (name == "shared_memory_size" || name == "shared_memory_size_in_huge_pages") {
    std::size_t size = shmem::required_size(postmaster::server_parts().subsystems);
    std::size_t unit = name == "shared_memory_size" ? 1u << 20 : 2u << 20;
    std::printf("%zu\n", (size + unit - 1) / unit);
    return 0;
  }
  for (const config::Row& row : config::rows()) {
    if (row.name == config::find(name)->name) std::printf("%s\n", row.setting.c_str());
  }
  return 0;
}

bool has_control_file(const std::string& directory) {
  std::string file = directory + "/global/pg_control";
  if (access(file.c_str(), R_OK) == 0) return true;
  std::fprintf(stderr, "postgres: could not find the database system\nExpected to find it in the directory \"%s\",\nbut could not open file \"%s\": %s\n",
               directory.c_str(), file.c_str(), std::strerror(errno));
  return false;
}

int run_server(int argc, char** argv, const postmaster::CommandLine& line) {
  shmem::begin_image();
  std::string directory = postmaster::absolute_path(line.data_directory);
  struct stat info {};
  if (stat(directory.c_str(), &info) != 0) {
    std::fprintf(stderr, "postgres: could not access directory \"%s\": %s\n", directory.c_str(), std::strerror(errno));
    if (errno == ENOENT) std::fputs("Run initdb or pg_basebackup to initialize a PostgreSQL data directory.\n", stderr);
    return 2;
  }
  if (int code = find_files(directory); code != 0) return code;
  config::load_files(directory, true);
  if (!config::values::data_directory.empty()) directory = postmaster::absolute_path(config::values::data_directory);
  settle_files(directory);
  if (!line.print_setting.empty()) return print_setting(line.print_setting);
  postmaster::check_data_directory(directory);
  if (!has_control_file(directory)) return 2;
  postmaster::remember_command_line(argc, argv);
  storage::set_data_directory(directory);
  postmaster::initialise_server();
  return postmaster::run(postmaster::server_parts(), directory);
}

int run_program(int argc, char** argv) {
  config::define_builtin_settings();
  std::string first = argc > 1 ? argv[1] : "";
  if (first == "--help" || first == "-?") {
    std::fputs(postmaster::kHelpText, stdout);
    return 0;
  }
  if (first == "--version" || first == "-V") {
    std::puts("postgres (PostgreSQL) " HATHI_POSTGRESQL_VERSION " (Hathi " HATHI_VERSION ")");
    return 0;
  }
  if (first == "--describe-config") return describe_settings();
  bool only_prints = argc > 1 && std::strncmp(argv[1], "-C", 2) == 0;
  if (geteuid() == 0 && !only_prints) return refuse_root();
  session::install_report_sinks();
  if (first == "--single" || first == "--check") {
    throw SqlError(sqlstate::feature_not_supported, "{} is not supported", first == "--single" ? "single-user mode (--single)" : first)
        .fatal();
  }
  if (first == "--boot") return run_boot(argc, argv);
  postmaster::CommandLine line = postmaster::parse_command_line(argc, argv, false);
  config::load_environment();
  postmaster::apply_settings(line);
  if (!line.has_data_directory && config::values::config_file.empty()) return no_data_directory();
  return run_server(argc, argv, line);
}

}  // namespace

int run_postgres(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const SqlError& error) {
    ErrorReport r = error.report();
    r.severity = Severity::fatal;
    report(std::move(r));
  } catch (const std::exception& error) { std::fprintf(stderr, "postgres: %s\n", error.what()); }
  return 1;
}

}  // namespace hathi

int main(int argc, char** argv) {
  hathi::set_stack_base();
  hathi::shmem::init_process_title(argc, argv);
  return hathi::run_postgres(argc, argv);
}
