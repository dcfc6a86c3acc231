#include "disk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "hathi/storage/durability.h"
#include "hathi/storage/file.h"

namespace hathi::crash {

namespace {

// Contents that a loss of power may bring back, by piece. An empty string: the piece was behind the end.
using Pieces = std::map<std::int64_t, std::string>;

struct Inode {
  int fd = -1;                    // kept open, so that the inode lives and can be put back
  std::int64_t synced_size = -1;  // -1: as it is
  Pieces unsynced;
  Pieces lost;                    // a sync of these failed: they never reach the disk
};

struct NameChange {
  enum class Kind : std::uint8_t { create, unlink, rename, make_directory, remove_directory } kind;
  std::string directory, name, other, trash;
};

struct Disk {
  storage::FileSystem real{};
  FaultPlan plan;
  void (*end_of_life)() = nullptr;
  std::uint64_t calls[kFaultCount] = {};
  bool happened = false;
  std::map<ino_t, Inode> inodes;
  std::vector<NameChange> names;
  std::uint64_t trash = 0;
  std::mt19937 random;
} disk;

std::string parent(const std::string& path) {
  std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}
std::string new_trash() { return "../trash/" + std::to_string(::getpid()) + "." + std::to_string(++disk.trash); }
bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

// --- faults -----------------------------------------------------------------------------------------------------------------------

bool counts(Fault fault) {
  std::uint64_t n = ++disk.calls[static_cast<int>(fault)];
  if (disk.plan.fault != fault || n < disk.plan.at || n >= disk.plan.at + disk.plan.count) return false;
  disk.happened = true;
  return true;
}

// One call of the interface. 0, or the errno with which it fails; does not return from a crash. at_crash: what is done of the call then.
template <class AtCrash>
int meet_fault(bool needs_room, bool is_sync, AtCrash at_crash) {
  if (counts(Fault::power_loss)) {
    at_crash();
    lose_power();
    disk.end_of_life();
  }
  if (counts(Fault::process_crash)) {
    at_crash();
    disk.end_of_life();
  }
  if (counts(Fault::io_error)) return EIO;
  if (needs_room && counts(Fault::disk_full)) return ENOSPC;
  if (is_sync && counts(Fault::failed_sync)) return EIO;
  return 0;
}
int meet_fault(bool needs_room = false, bool is_sync = false) {
  return meet_fault(needs_room, is_sync, [] {});
}

// --- contents ---------------------------------------------------------------------------------------------------------------------

Inode& inode_of(int fd) {
  struct stat st {};
  ::fstat(fd, &st);
  Inode& i = disk.inodes[st.st_ino];
  if (i.fd < 0) {
    // What fd can only read is written when it is put back.
    int writable = ::open(("/proc/self/fd/" + std::to_string(fd)).c_str(), O_RDWR);
    i.fd = ::fcntl(writable, F_DUPFD_CLOEXEC, 500);
    ::close(writable);
  }
  return i;
}

std::int64_t size_of(int fd) {
  struct stat st {};
  ::fstat(fd, &st);
  return st.st_size;
}

// Before the bytes [offset, offset + size) change.
void remember(int fd, std::int64_t offset, std::int64_t size) {
  Inode& i = inode_of(fd);
  std::int64_t end = size_of(fd);
  if (i.synced_size < 0) i.synced_size = end;
  auto piece = static_cast<std::int64_t>(disk.plan.piece);
  for (std::int64_t p = offset / piece; p * piece < offset + size; ++p) {
    if (i.unsynced.contains(p)) continue;
    if (auto lost = i.lost.extract(p)) {   // written again: the next sync may save it
      i.unsynced.insert(std::move(lost));
      continue;
    }
    std::string old;
    if (p * piece < end) {
      old.resize(disk.plan.piece);
      old.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::pread(fd, old.data(), old.size(), p * piece))));
    }
    i.unsynced.emplace(p, std::move(old));
  }
}

void synced(Inode& i) {
  i.unsynced.clear();
  i.synced_size = -1;
}

void sync_failed(Inode& i) {
  for (auto& [p, old] : i.unsynced) i.lost.emplace(p, std::move(old));
  i.unsynced.clear();
}

void put_back(const Inode& i, std::int64_t p, const std::string& old) {
  std::string bytes = old;
  bytes.resize(disk.plan.piece, '\0');
  std::int64_t at = p * static_cast<std::int64_t>(disk.plan.piece);
  std::int64_t end = size_of(i.fd);
  if (at >= end) return;
  auto n = static_cast<std::size_t>(std::min<std::int64_t>(end - at, static_cast<std::int64_t>(bytes.size())));
  if (::pwrite(i.fd, bytes.data(), n, at) != static_cast<ssize_t>(n)) std::abort();
}

// mode 0: nothing unsynced survives; 1: each piece by chance; 2: all of it.
void forget_contents(Inode& i, unsigned mode) {
  bool cut = false;
  std::int64_t now = size_of(i.fd);
  if (i.synced_size >= 0 && i.synced_size != now && (mode == 0 || (mode == 1 && disk.random() % 2 == 0))) {
    if (::ftruncate(i.fd, i.synced_size) < 0) std::abort();
    cut = now < i.synced_size;   // a truncation undone: what was behind comes back
  }
  auto piece = static_cast<std::int64_t>(disk.plan.piece);
  for (auto& [p, old] : i.unsynced)
    if (mode == 0 || (cut && (p + 1) * piece > now) || (mode == 1 && disk.random() % 2 == 0)) put_back(i, p, old);
  for (auto& [p, old] : i.lost) put_back(i, p, old);
}

// --- names ------------------------------------------------------------------------------------------------------------------------

void undo(const NameChange& c) {
  switch (c.kind) {
    case NameChange::Kind::create: ::unlink(c.name.c_str()); break;
    case NameChange::Kind::unlink:
      if (!exists(c.name)) ::rename(c.trash.c_str(), c.name.c_str());
      break;
    case NameChange::Kind::rename:
      ::rename(c.name.c_str(), c.other.c_str());
      if (!c.trash.empty()) ::rename(c.trash.c_str(), c.name.c_str());
      break;
    case NameChange::Kind::make_directory: std::filesystem::remove_all(c.name); break;
    case NameChange::Kind::remove_directory: ::mkdir(c.name.c_str(), 0700); break;
  }
}

// Changes of one directory reach the disk in order; how far is chance.
void forget_names(unsigned mode) {
  std::map<std::string, std::size_t> total, kept;
  for (const NameChange& c : disk.names) ++total[c.directory];
  for (auto& [directory, n] : total) kept[directory] = mode == 0 ? 0 : mode == 2 ? n : disk.random() % (n + 1);
  for (std::size_t n = disk.names.size(); n-- > 0;) {
    const NameChange& c = disk.names[n];
    if (--total[c.directory] >= kept[c.directory]) undo(c);
  }
}

// --- the calls --------------------------------------------------------------------------------------------------------------------

int fail(int error) {
  errno = error;
  return -1;
}

int open_file(const char* path, int flags, int mode) {
  bool is_new = (flags & O_CREAT) != 0 && !exists(path);
  if (int error = meet_fault(is_new)) return fail(error);
  int fd = disk.real.open(path, flags & ~O_TRUNC, mode);
  if (fd < 0) return fd;
  if (is_new) disk.names.push_back({NameChange::Kind::create, parent(path), path, "", ""});
  if ((flags & O_TRUNC) != 0 && size_of(fd) > 0) {
    remember(fd, 0, size_of(fd));
    if (::ftruncate(fd, 0) < 0) std::abort();
  }
  return fd;
}

std::int64_t write_file(int fd, const void* bytes, std::size_t size, std::int64_t offset) {
  remember(fd, offset, static_cast<std::int64_t>(size));
  // A crash in the middle: some of it has reached the page cache.
  if (int error = meet_fault(true, false, [&] { disk.real.write(fd, bytes, size / disk.plan.piece * disk.plan.piece / 2, offset); })) return fail(error);
  if (size > 1 && counts(Fault::short_write)) size /= 2;
  return disk.real.write(fd, bytes, size, offset);
}

int sync_file(int fd) {
  if (int error = meet_fault(false, true)) {
    sync_failed(inode_of(fd));
    return fail(error);
  }
  synced(inode_of(fd));
  return 0;
}

int truncate_file(int fd, std::int64_t size) {
  if (int error = meet_fault(size > size_of(fd))) return fail(error);
  std::int64_t end = size_of(fd);
  if (size < end) remember(fd, size, end - size);
  else remember(fd, 0, 0);
  return disk.real.truncate(fd, size);
}

int allocate_file(int fd, std::int64_t offset, std::int64_t size) {
  if (int error = meet_fault(true)) return fail(error);
  remember(fd, 0, 0);
  return disk.real.allocate(fd, offset, size);
}

int unlink_file(const char* path) {
  if (int error = meet_fault()) return fail(error);
  if (!exists(path)) return fail(ENOENT);
  std::string trash = new_trash();
  if (::rename(path, trash.c_str()) < 0) return -1;
  disk.names.push_back({NameChange::Kind::unlink, parent(path), path, "", trash});
  return 0;
}

int rename_file(const char* from, const char* to) {
  if (int error = meet_fault()) return fail(error);
  std::string trash;
  if (exists(to)) {
    trash = new_trash();
    if (::link(to, trash.c_str()) < 0) std::abort();
  }
  if (disk.real.rename(from, to) < 0) return -1;
  disk.names.push_back({NameChange::Kind::rename, parent(to), to, from, trash});
  return 0;
}

int link_file(const char* from, const char* to) {
  if (int error = meet_fault(true)) return fail(error);
  if (::link(from, to) < 0) return -1;
  disk.names.push_back({NameChange::Kind::create, parent(to), to, "", ""});
  return 0;
}

int make_directory(const char* path, int mode) {
  if (int error = meet_fault(true)) return fail(error);
  if (disk.real.mkdir(path, mode) < 0) return -1;
  disk.names.push_back({NameChange::Kind::make_directory, parent(path), path, "", ""});
  return 0;
}

int remove_directory(const char* path) {
  if (int error = meet_fault()) return fail(error);
  if (disk.real.rmdir(path) < 0) return -1;
  disk.names.push_back({NameChange::Kind::remove_directory, parent(path), path, "", ""});
  return 0;
}

int sync_directory(const char* path) {
  if (int error = meet_fault(false, true)) return fail(error);
  if (!exists(path)) return fail(ENOENT);
  std::erase_if(disk.names, [&](const NameChange& c) { return c.directory == path; });
  return 0;
}

int sync_everything(const char*) {
  if (int error = meet_fault(false, true)) return fail(error);
  for (auto& [number, inode] : disk.inodes) synced(inode);
  disk.names.clear();
  return 0;
}

}  // namespace

const char* fault_name(Fault fault) {
  static const char* const names[kFaultCount] = {"none", "power-loss", "process-crash", "io-error", "disk-full", "short-write", "failed-sync"};
  return names[static_cast<int>(fault)];
}

void install_disk(const FaultPlan& plan, void (*end_of_life)()) {
  disk.real = storage::file_system();
  disk.plan = plan;
  disk.end_of_life = end_of_life;
  disk.random.seed(plan.seed);
  storage::FileSystem fs = disk.real;
  fs.open = open_file;
  fs.read = [](int fd, void* buffer, std::size_t size, std::int64_t offset) -> std::int64_t {
    if (int error = meet_fault()) return fail(error);
    return disk.real.read(fd, buffer, size, offset);
  };
  fs.write = write_file;
  fs.sync = fs.data_sync = sync_file;
  fs.truncate = truncate_file;
  fs.allocate = allocate_file;
  fs.unlink = unlink_file;
  fs.rename = rename_file;
  fs.mkdir = make_directory;
  fs.rmdir = remove_directory;
  fs.sync_directory = sync_directory;
  storage::set_file_system(fs);
  storage::set_name_operations({link_file, sync_everything});
}

std::uint64_t calls_of(Fault fault) { return disk.calls[static_cast<int>(fault)]; }
bool fault_happened() { return disk.happened; }

void lose_power() {
  unsigned mode = disk.random() % 4;   // one in four: nothing unsynced survives; one in four: all names, all contents; else by chance
  unsigned contents = mode == 0 ? 0 : mode == 3 ? 2 : 1;
  for (auto& [number, inode] : disk.inodes) forget_contents(inode, contents);
  forget_names(mode == 0 ? 0 : mode == 3 ? 2 : 1);
}

}  // namespace hathi::crash
