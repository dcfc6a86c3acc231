#include "files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace hathi::initdb {

namespace {

constexpr const char* kDirectories[] = {"global", "pg_wal", "pg_wal/archive_status", "pg_commit_ts", "pg_dynshmem", "pg_notify", "pg_serial",
                                        "pg_snapshots", "pg_subtrans", "pg_twophase", "pg_multixact", "pg_multixact/members", "pg_multixact/offsets",
                                        "base", "base/1", "pg_replslot", "pg_tblspc", "pg_stat", "pg_stat_tmp", "pg_xact", "pg_logical",
                                        "pg_logical/snapshots", "pg_logical/mappings"};

bool made_data_directory = false, found_data_directory = false, made_wal_directory = false;

mode_t directory_mode(const Options& o) { return o.group_access ? 0750 : 0700; }

// 0 = not there, 1 = there and empty, 2 = not empty
int look_at(const std::string& directory) {
  DIR* d = opendir(directory.c_str());
  if (d == nullptr) {
    if (errno == ENOENT) return 0;
    fail("could not access directory \"" + directory + "\": " + std::strerror(errno));
  }
  int result = 1;
  while (const dirent* entry = readdir(d)) {
    std::string name = entry->d_name;
    if (name != "." && name != "..") result = 2;
  }
  closedir(d);
  return result;
}

void make_with_parents(const std::string& path, mode_t mode) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    std::string parent = path.substr(0, slash);
    if (mkdir(parent.c_str(), mode) < 0 && errno != EEXIST && access(parent.c_str(), F_OK) < 0) {
      fail("could not create directory \"" + parent + "\": " + std::strerror(errno));
    }
  }
  if (mkdir(path.c_str(), mode) < 0 && errno != EEXIST) fail("could not create directory \"" + path + "\": " + std::strerror(errno));
}

void make_data_directory(const Options& o) {
  switch (look_at(o.data_directory)) {
    case 0:
      std::printf("creating directory %s ... ", o.data_directory.c_str());
      std::fflush(stdout);
      make_with_parents(o.data_directory, directory_mode(o));
      made_data_directory = true;
      std::puts("ok");
      break;
    case 1:
      std::printf("fixing permissions on existing directory %s ... ", o.data_directory.c_str());
      std::fflush(stdout);
      if (chmod(o.data_directory.c_str(), directory_mode(o)) < 0) {
        fail("could not change permissions of directory \"" + o.data_directory + "\": " + std::strerror(errno));
      }
      found_data_directory = true;
      std::puts("ok");
      break;
    default:
      fail("directory \"" + o.data_directory + "\" exists but is not empty",
           "If you want to create a new database system, either remove or empty the directory \"" + o.data_directory +
               "\" or run initdb with an argument other than \"" + o.data_directory + "\".");
  }
}

void make_wal_directory(const Options& o) {
  std::string link = o.data_directory + "/pg_wal";
  if (o.wal_directory.empty()) return;
  if (o.wal_directory[0] != '/') fail("WAL directory location must be an absolute path");
  if (look_at(o.wal_directory) == 2) {
    fail("directory \"" + o.wal_directory + "\" exists but is not empty",
         "If you want to store the WAL there, either remove or empty the directory \"" + o.wal_directory + "\".");
  }
  bool is_new = look_at(o.wal_directory) == 0;
  std::printf(is_new ? "creating directory %s ... " : "fixing permissions on existing directory %s ... ", o.wal_directory.c_str());
  std::fflush(stdout);
  make_with_parents(o.wal_directory, directory_mode(o));
  std::puts("ok");
  made_wal_directory = true;
  if (symlink(o.wal_directory.c_str(), link.c_str()) < 0) fail("could not create symbolic link \"" + link + "\": " + std::strerror(errno));
}

void write_file(const Options& o, const std::string& name, const std::string& text) {
  std::string path = o.data_directory + "/" + name;
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, o.group_access ? 0640 : 0600);
  if (fd < 0) fail("could not open file \"" + path + "\" for writing: " + std::strerror(errno));
  bool ok = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ok = close(fd) == 0 && ok;
  if (!ok) fail("could not write file \"" + path + "\": " + std::strerror(errno));
}

std::string conf_quoted(const std::string& value) {
  std::string text = "'";
  for (char c : value) {
    if (c == '\'' || c == '\\') text += c;
    text += c;
  }
  return text + "'";
}

std::string postgresql_conf(const Options& o) {
  std::string zone = default_time_zone();
  std::string text =
      "# Settings of this server: name = value, one a line; a # begins a comment. Lines with a # in front show defaults.\n"
      "# Changes take effect at reload (pg_ctl reload, SELECT pg_reload_conf()), those marked \"restart\" at the next start.\n"
      "# SHOW name tells the current value, pg_settings all of them. ALTER SYSTEM writes postgresql.auto.conf, which wins over this file.\n"
      "\n# --- connections ---\n"
      "#listen_addresses = 'localhost'\t\t# comma-separated; '*' = all; restart\n"
      "#port = 5432\t\t\t\t# restart\n"
      "max_connections = 100\t\t\t# restart\n"
      "#superuser_reserved_connections = 3\t# restart\n"
      "#unix_socket_directories = '/tmp'\t# comma-separated; restart\n"
      "#unix_socket_permissions = 0777\t\t# restart\n"
      "#authentication_timeout = 1min\n";
  text += "#password_encryption = scram-sha-256\n";
  text += o.auth_local == "md5" || o.auth_host == "md5" ? "password_encryption = md5\n" : "";
  text +=
      "\n# --- memory ---\n"
      "shared_buffers = 128MB\t\t\t# restart\n"
      "#huge_pages = try\t\t\t# on, off, try; restart\n"
      "#temp_buffers = 8MB\n"
      "#work_mem = 4MB\n"
      "#maintenance_work_mem = 64MB\n"
      "dynamic_shared_memory_type = posix\n"
      "#relation_extension_lock_slots = 1024\t# restart\n"
      "#subtree_lock_threshold = 64\t\t# partitions from which one lock is taken on all\n"
      "\n# --- write-ahead log ---\n"
      "#fsync = on\t\t\t\t# off: a power failure loses the data directory\n"
      "#synchronous_commit = on\n"
      "#full_page_writes = on\n"
      "#wal_buffers = -1\t\t\t# -1 = by shared_buffers; restart\n"
      "#checkpoint_timeout = 5min\n"
      "max_wal_size = 1GB\n"
      "min_wal_size = 80MB\n"
      "\n# --- log ---\n"
      "#log_min_messages = warning\n"
      "#log_min_duration_statement = -1\t# milliseconds; 0 = all, -1 = none\n"
      "#log_line_prefix = '%m [%p] '\n"
      "#log_lock_waits = off\n"
      "#log_statement = 'none'\t\t\t# none, ddl, mod, all\n";
  text += "log_timezone = " + conf_quoted(zone) + "\n";
  text +=
      "\n# --- sessions ---\n"
      "#search_path = '\"$user\", public'\n"
      "#statement_timeout = 0\n"
      "#lock_timeout = 0\n"
      "#idle_in_transaction_session_timeout = 0\n"
      "datestyle = 'iso, mdy'\n";
  text += "timezone = " + conf_quoted(zone) + "\n";
  text += "lc_messages = " + conf_quoted(o.lc_messages) + "\n";
  text += "lc_monetary = " + conf_quoted(o.lc_monetary) + "\n";
  text += "lc_numeric = " + conf_quoted(o.lc_numeric) + "\n";
  text += "lc_time = " + conf_quoted(o.lc_time) + "\n";
  text += "default_text_search_config = " + conf_quoted("pg_catalog." + o.text_search_config) + "\n";
  text += "\n# --- more files ---\n#include_dir = 'conf.d'\n#include_if_exists = '...'\n";
  return text;
}

std::string pg_hba_conf(const Options& o) {
  std::string text =
      "# Who may connect from where, and how they prove who they are. The first line that fits decides.\n"
      "#   local  DATABASE USER          METHOD [OPTIONS]     Unix sockets\n"
      "#   host   DATABASE USER ADDRESS  METHOD [OPTIONS]     TCP/IP (hostssl, hostnossl: with, without TLS)\n"
      "# Changes take effect at reload.\n";
  if (o.warn_about_trust) {
    text += "# \"trust\" lets every local user be any database user: choose another method where users do not trust each other.\n";
  }
  auto line = [&](const char* type, const char* database, const char* address, const std::string& method) {
    char buffer[200];
    std::snprintf(buffer, sizeof(buffer), "%-7s %-15s %-15s %-23s %s\n", type, database, "all", address, method.c_str());
    text += buffer;
  };
  text += "\n# TYPE  DATABASE        USER            ADDRESS                 METHOD\n\n";
  for (const char* database : {"all", "replication"}) {
    line("local", database, "", o.auth_local);
    line("host", database, "127.0.0.1/32", o.auth_host);
    line("host", database, "::1/128", o.auth_host);
  }
  return text;
}

}  // namespace

void make_directories(const Options& o) {
  umask(o.group_access ? 0027 : 0077);
  make_data_directory(o);
  make_wal_directory(o);
  std::printf("creating subdirectories ... ");
  std::fflush(stdout);
  for (const char* name : kDirectories) {
    std::string path = o.data_directory + "/" + name;
    if (mkdir(path.c_str(), directory_mode(o)) < 0 && !(errno == EEXIST && std::strcmp(name, "pg_wal") == 0)) {
      fail("could not create directory \"" + path + "\": " + std::strerror(errno));
    }
  }
  std::puts("ok");
}

void write_configuration(const Options& o) {
  write_file(o, "PG_VERSION", "15\n");
  write_file(o, "base/1/PG_VERSION", "15\n");
  write_file(o, "postgresql.conf", postgresql_conf(o));
  write_file(o, "postgresql.auto.conf", "# Written by ALTER SYSTEM: changes made here by hand get lost.\n");
  write_file(o, "pg_hba.conf", pg_hba_conf(o));
  write_file(o, "pg_ident.conf",
             "# Which operating-system users may be which database users (methods ident and peer with map=NAME).\n"
             "# Changes take effect at reload.\n\n# MAPNAME       SYSTEM-USERNAME         PG-USERNAME\n");
}

void remove_all(const Options& o) {
  std::error_code ignored;
  auto empty = [&](const std::string& directory) {
    for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) std::filesystem::remove_all(entry.path(), ignored);
  };
  if (o.no_clean) {
    if (made_data_directory || found_data_directory) {
      std::fprintf(stderr, "initdb: data directory \"%s\" not removed at user's request\n", o.data_directory.c_str());
    }
    return;
  }
  if (made_wal_directory) empty(o.wal_directory);
  if (made_data_directory) {
    std::fprintf(stderr, "initdb: removing data directory \"%s\"\n", o.data_directory.c_str());
    std::filesystem::remove_all(o.data_directory, ignored);
  } else if (found_data_directory) {
    std::fprintf(stderr, "initdb: removing contents of data directory \"%s\"\n", o.data_directory.c_str());
    empty(o.data_directory);
  }
}

void sync_directory(const std::string& directory) {
  std::printf("syncing data to disk ... ");
  std::fflush(stdout);
  for (const std::string& path : {directory, directory + "/pg_wal"}) {
    int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) fail("could not open directory \"" + path + "\": " + std::strerror(errno));
    if (syncfs(fd) < 0) fail("could not fsync file \"" + path + "\": " + std::strerror(errno));
    close(fd);
  }
  std::puts("ok");
}

namespace {

std::string prompt(const char* text) {
  termios old{};
  bool terminal = tcgetattr(STDIN_FILENO, &old) == 0;
  if (terminal) {
    termios silent = old;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
  }
  std::fputs(text, stderr);
  std::string line;
  std::getline(std::cin, line);
  if (terminal) {
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &old);
    std::fputc('\n', stderr);
  }
  return line;
}

}  // namespace

std::string read_password(const Options& o) {
  if (o.prompt_password) {
    std::string password = prompt("Enter new superuser password: ");
    if (prompt("Enter it again: ") != password) {
      std::fputs("Passwords didn't match.\n", stderr);
      std::exit(1);
    }
    return password;
  }
  if (o.password_file.empty()) return {};
  std::ifstream file(o.password_file);
  if (!file) fail("could not open file \"" + o.password_file + "\" for reading: " + std::strerror(errno));
  std::string password;
  if (!std::getline(file, password)) fail("password file \"" + o.password_file + "\" is empty");
  while (!password.empty() && (password.back() == '\r' || password.back() == '\n')) password.pop_back();
  return password;
}

std::string default_time_zone() {
  if (const char* zone = std::getenv("TZ"); zone != nullptr && *zone != '\0' && access((std::string("/usr/share/zoneinfo/") + zone).c_str(), R_OK) == 0) {
    return zone;
  }
  char target[1024];
  ssize_t n = readlink("/etc/localtime", target, sizeof(target) - 1);
  if (n > 0) {
    std::string path(target, static_cast<std::size_t>(n));
    if (std::size_t at = path.find("zoneinfo/"); at != std::string::npos) return path.substr(at + 9);
  }
  return "Etc/UTC";
}

}  // namespace hathi::initdb
