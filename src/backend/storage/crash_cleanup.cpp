// What start-up does to files: temporary ones go, unlogged relations are emptied, an earlier life's writes are synced.

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/storage/durability.h"
#include "hathi/storage/directory.h"
#include "pending_sync.h"
#include "size_cache.h"

namespace hathi::storage {

std::vector<std::string> list_directory(const std::string& path) {
  std::vector<std::string> names;
  DIR* dir = ::opendir(path.c_str());
  if (dir == nullptr) {
    if (errno == ENOENT) return names;
    throw SqlError(sqlstate::io_error, "could not open directory \"{}\": {}", path, std::strerror(errno));
  }
  while (dirent* entry = ::readdir(dir)) {
    std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  ::closedir(dir);
  return names;
}

namespace {
bool take_number(std::string_view& text, std::uint32_t& out) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end == text.data()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}
bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}
}  // namespace

std::optional<RelationName> parse_relation_name(std::string_view name) {
  RelationName r;
  std::uint32_t n = 0;
  if (take(name, "t")) {
    if (!take_number(name, n) || !take(name, "_")) return std::nullopt;
    r.temp_owner = static_cast<int>(n);
  }
  if (!take_number(name, n)) return std::nullopt;
  r.relation = Oid{n};
  if (take(name, "_fsm")) r.fork = Fork::free_space;
  else if (take(name, "_vm")) r.fork = Fork::visibility;
  else if (take(name, "_init")) r.fork = Fork::init;
  if (take(name, ".") && !take_number(name, r.segment)) return std::nullopt;
  if (!name.empty()) return std::nullopt;
  return r;
}

std::string database_directory(Oid tablespace, Oid database) {
  if (tablespace == kGlobalTablespace) return "global";
  if (tablespace == kDefaultTablespace) return fmt::format("base/{}", raw(database));
  return fmt::format("pg_tblspc/{}/{}", raw(tablespace), raw(database));
}

std::vector<DatabaseDirectory> database_directories() {
  std::vector<DatabaseDirectory> all{{kGlobalTablespace, kInvalidOid, "global"}};
  auto add = [&](Oid tablespace, const std::string& parent) {
    for (const std::string& name : list_directory(parent)) {
      std::string_view rest = name;
      std::uint32_t database = 0;
      if (take_number(rest, database) && rest.empty()) all.push_back({tablespace, Oid{database}, parent + "/" + name});
    }
  };
  add(kDefaultTablespace, "base");
  for (const std::string& name : list_directory("pg_tblspc")) {
    std::string_view rest = name;
    std::uint32_t tablespace = 0;
    if (take_number(rest, tablespace) && rest.empty()) add(Oid{tablespace}, "pg_tblspc/" + name);
  }
  return all;
}

void remove_tree(const std::string& path) {
  for (const std::string& name : list_directory(path)) {
    std::string child = path + "/" + name;
    struct stat st;
    bool exists = ::lstat(child.c_str(), &st) == 0;
    // Other processes may hold the file open: cutting it to nothing gives the space back at once.
    if (exists && S_ISREG(st.st_mode) && st.st_size > 0 && ::truncate(child.c_str(), 0) < 0)
      report_warning(sqlstate::io_error, "could not truncate file \"{}\": {}", child, std::strerror(errno));
    if (exists && S_ISDIR(st.st_mode)) remove_tree(child);
    else if (file_system().unlink(child.c_str()) < 0 && errno != ENOENT)
      report_warning(sqlstate::io_error, "could not remove file \"{}\": {}", child, std::strerror(errno));
  }
  if (file_system().rmdir(path.c_str()) < 0 && errno != ENOENT)
    report_warning(sqlstate::io_error, "could not remove directory \"{}\": {}", path, std::strerror(errno));
}

void remove_temporary_files() {
  for (const DatabaseDirectory& d : database_directories()) {
    for (const std::string& name : list_directory(d.path)) {
      if (name.empty() || name[0] != 't') continue;
      auto parsed = parse_relation_name(name);
      if (parsed && parsed->temp_owner >= 0) file_system().unlink((d.path + "/" + name).c_str());
    }
  }
  for (const std::string& name : list_directory("base/pgsql_tmp"))
    if (name.starts_with("pgsql_tmp")) file_system().unlink(("base/pgsql_tmp/" + name).c_str());
}

namespace {

void copy_file(const std::string& from, const std::string& to) {
  int in = file_system().open(from.c_str(), O_RDONLY, 0);
  if (in < 0) throw_file_error("open", from, errno);
  int out = file_system().open(to.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (out < 0) {
    int error = errno;
    file_system().close(in);
    throw_file_error("create", to, error);
  }
  std::vector<std::byte> buffer(1 << 17);
  std::int64_t offset = 0;
  int error = 0;
  for (;;) {
    std::int64_t n = file_system().read(in, buffer.data(), buffer.size(), offset);
    if (n < 0) error = errno;
    if (n <= 0) break;
    for (std::int64_t done = 0; done < n && error == 0;) {
      std::int64_t written = file_system().write(out, buffer.data() + done, static_cast<std::size_t>(n - done), offset + done);
      if (written <= 0) error = written < 0 ? errno : ENOSPC;
      else done += written;
    }
    if (error != 0) break;
    offset += n;
  }
  if (error == 0) sync_descriptor(out, to);
  file_system().close(in);
  file_system().close(out);
  if (error != 0) throw_file_error("write", to, error);
}

void reset_unlogged_in(const DatabaseDirectory& d) {
  std::vector<std::string> names = list_directory(d.path);
  std::vector<Oid> unlogged;
  for (const std::string& name : names) {
    auto parsed = parse_relation_name(name);
    if (parsed && parsed->fork == Fork::init && parsed->temp_owner < 0) unlogged.push_back(parsed->relation);
  }
  if (unlogged.empty()) return;
  for (const std::string& name : names) {
    auto parsed = parse_relation_name(name);
    if (!parsed || parsed->fork == Fork::init || parsed->temp_owner >= 0) continue;
    bool reset = false;
    for (Oid relation : unlogged) reset = reset || relation == parsed->relation;
    if (!reset) continue;
    close_segment({{d.tablespace, d.database, parsed->relation}, parsed->fork, parsed->segment});
    file_system().unlink((d.path + "/" + name).c_str());
  }
  remember_directory({d.tablespace, d.database, unlogged.front()});
  for (const std::string& name : names) {
    auto parsed = parse_relation_name(name);
    if (!parsed || parsed->fork != Fork::init || parsed->temp_owner >= 0) continue;
    std::string main = fmt::format("{}/{}", d.path, raw(parsed->relation));
    if (parsed->segment != 0) main += fmt::format(".{}", parsed->segment);
    copy_file(d.path + "/" + name, main);
  }
}

}  // namespace

void reset_unlogged_relations() {
  size_cache::forget_all();
  for (const DatabaseDirectory& d : database_directories()) reset_unlogged_in(d);
}

namespace {

constexpr int kSyncFileSystem = 1;   // recovery_init_sync_method

// A file that is not ours to open (a key that only root reads, say) was not written by us either.
void sync_file(const std::string& path) {
  int fd = file_system().open(path.c_str(), O_RDONLY, 0);
  if (fd < 0) {
    if (errno == ENOENT || errno == EACCES) return;
    panic(fmt::format("could not open file \"{}\": {}", path, std::strerror(errno)));
  }
  sync_descriptor(fd, path);
  file_system().close(fd);
}

// Every file below and every directory; of symbolic links only the roots are followed.
void sync_tree(const std::string& path) {
  for (const std::string& name : list_directory(path)) {
    std::string child = path == "." ? name : path + "/" + name;
    struct stat st;
    if (::lstat(child.c_str(), &st) < 0) continue;
    if (S_ISDIR(st.st_mode)) sync_tree(child);
    else if (S_ISREG(st.st_mode)) sync_file(child);
  }
  if (file_system().sync_directory(path.c_str()) < 0 && errno != ENOENT) panic(fmt::format("could not fsync file \"{}\": {}", path, std::strerror(errno)));
}

void sync_whole_file_system(const std::string& path) {
  if (name_operations().sync_all(path.c_str()) < 0 && errno != ENOENT)
    panic(fmt::format("could not synchronize file system for file \"{}\": {}", path, std::strerror(errno)));
}

}  // namespace

void sync_data_directory() {
  if (!config::values::fsync) return;
  auto sync = config::values::recovery_init_sync_method == kSyncFileSystem ? sync_whole_file_system : sync_tree;
  sync(".");
  // Where symbolic links may lead elsewhere.
  sync("pg_wal");
  for (const std::string& name : list_directory("pg_tblspc")) sync("pg_tblspc/" + name);
}

}  // namespace hathi::storage
