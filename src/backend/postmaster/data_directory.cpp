#include "data_directory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi_version.h"

namespace hathi::postmaster {

namespace {

std::string command_line;

std::string major_of(std::string_view version) { return std::string(version.substr(0, version.find('.'))); }

void check_version(const std::string& path) {
  std::string file_name = path + "/PG_VERSION";
  std::ifstream file(file_name);
  std::string version;
  if (!file) {
    if (errno == ENOENT) {
      throw SqlError(sqlstate::object_not_in_prerequisite_state, "\"{}\" is not a valid data directory", path)
          .detail(fmt::format("File \"{}\" is missing.", file_name))
          .fatal();
    }
    throw SqlError(sqlstate::system_error, "could not open file \"{}\": {}", file_name, std::strerror(errno)).fatal();
  }
  file >> version;
  std::string ours = major_of(HATHI_POSTGRESQL_VERSION);
  if (version == ours) return;
  throw SqlError(sqlstate::object_not_in_prerequisite_state, "database files are incompatible with server")
      .detail(fmt::format("The data directory was initialized by PostgreSQL version {}, which is not compatible with this version {}.",
                          version, HATHI_POSTGRESQL_VERSION))
      .fatal();
}

}  // namespace

std::string absolute_path(const std::string& path) {
  std::string result = std::filesystem::absolute(path).lexically_normal();
  while (result.size() > 1 && result.back() == '/') result.pop_back();
  return result;
}

void check_data_directory(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) throw SqlError(sqlstate::undefined_file, "data directory \"{}\" does not exist", path).fatal();
    throw SqlError(sqlstate::system_error, "could not read permissions of directory \"{}\": {}", path, std::strerror(errno)).fatal();
  }
  if (!S_ISDIR(info.st_mode)) {
    throw SqlError(sqlstate::object_not_in_prerequisite_state, "specified data directory \"{}\" is not a directory", path).fatal();
  }
  if (info.st_uid != geteuid()) {
    throw SqlError(sqlstate::object_not_in_prerequisite_state, "data directory \"{}\" has wrong ownership", path)
        .hint("The server must be started by the user that owns the data directory.")
        .fatal();
  }
  if ((info.st_mode & 0027) != 0) {
    throw SqlError(sqlstate::object_not_in_prerequisite_state, "data directory \"{}\" has invalid permissions", path)
        .detail("Permissions should be u=rwx (0700) or u=rwx,g=rx (0750).")
        .fatal();
  }
  bool group = (info.st_mode & 0050) != 0;
  umask(group ? 0027 : 0077);
  config::set("data_directory_mode", group ? "0750" : "0700", config::Source::computed, false, true);
  check_version(path);
}

void remember_command_line(int argc, char** argv) {
  std::error_code ignored;
  command_line = std::filesystem::read_symlink("/proc/self/exe", ignored);
  for (int i = 1; i < argc; ++i) command_line += fmt::format(" \"{}\"", argv[i]);
}

void write_options_file(const std::string& path) {
  std::ofstream file(path + "/postmaster.opts");
  file << command_line << "\n";
  if (!file.flush()) log_message("could not write file \"postmaster.opts\"");
}

}  // namespace hathi::postmaster
