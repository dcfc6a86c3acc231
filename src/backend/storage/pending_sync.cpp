#include "pending_sync.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <vector>

#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/locking/lwlock.h"
#include "hathi/storage/durability.h"
#include "hathi/storage/directory.h"
#include "size_cache.h"

namespace hathi::storage {

namespace {

constexpr std::uint32_t kSyncCapacity = 131072;    // power of two; at most three quarters are used
constexpr std::uint32_t kUnlinkCapacity = 16384;

struct SyncEntry {
  std::uint32_t tablespace, database, relation, segment_fork;  // segment << 2 | fork, plus 1 so that 0 = empty
};

// Locking: all under `lock` (a spin lock: a few dozen instructions), except capacity constants.
struct PendingShared {
  locking::SpinLock lock;
  std::uint32_t used;
  std::uint32_t unlinks;         // number of waiting unlinks
  std::uint32_t unlinks_ready;   // of them, those that were there when the running checkpoint began
  SyncEntry entries[kSyncCapacity];
  RelationFile unlink[kUnlinkCapacity];
};
PendingShared* shared = nullptr;

// segment_fork of an entry that stands for the directory of a relation's files.
constexpr std::uint32_t kDirectory = UINT32_MAX;

// All relations of a directory share one entry.
SyncEntry directory_entry(const RelationFile& file) {
  std::uint32_t relation = file.tablespace == kInternalTablespace ? raw(file.relation) : 1;
  return {raw(file.tablespace), raw(file.database), relation, kDirectory};
}

std::string directory_path(const RelationFile& file) {
  std::string path = relation_path(file, Fork::main);
  return path.substr(0, path.rfind('/'));
}

SyncEntry entry_of(const SegmentKey& key) {
  return {raw(key.file.tablespace), raw(key.file.database), raw(key.file.relation), (key.segment << 2 | static_cast<std::uint32_t>(key.fork)) + 1};
}
SegmentKey key_of(const SyncEntry& e) {
  std::uint32_t sf = e.segment_fork - 1;
  return {{Oid{e.tablespace}, Oid{e.database}, Oid{e.relation}}, static_cast<Fork>(sf & 3), sf >> 2};
}
bool same(const SyncEntry& a, const SyncEntry& b) {
  return a.relation == b.relation && a.segment_fork == b.segment_fork && a.database == b.database && a.tablespace == b.tablespace;
}
std::uint32_t slot_of(const SyncEntry& e) {
  std::uint64_t h = (static_cast<std::uint64_t>(e.relation) << 32 | e.segment_fork) ^ static_cast<std::uint64_t>(e.database) << 17;
  h *= 0x9E3779B97F4A7C15u;
  return static_cast<std::uint32_t>(h >> 40) & (kSyncCapacity - 1);
}

// False when there is no room.
bool insert_locked(const SyncEntry& e) {
  for (std::uint32_t i = slot_of(e);; i = (i + 1) & (kSyncCapacity - 1)) {
    SyncEntry& slot = shared->entries[i];
    if (slot.segment_fork == 0) {
      if (shared->used >= kSyncCapacity / 4 * 3) return false;
      slot = e;
      ++shared->used;
      return true;
    }
    if (same(slot, e)) return true;
  }
}
bool insert_entry(const SyncEntry& e) {
  locking::SpinGuard guard(shared->lock);
  return insert_locked(e);
}

std::uint32_t entry_count() {
  locking::SpinGuard guard(shared->lock);
  return shared->used;
}

// Takes all entries out. `taken` has room for them: nothing is allocated under the lock.
void take_locked(std::vector<SyncEntry>& taken) {
  if (shared->used == 0) return;
  for (SyncEntry& e : shared->entries) {
    if (e.segment_fork == 0) continue;
    taken.push_back(e);
    e.segment_fork = 0;
  }
  shared->used = 0;
}
std::vector<SyncEntry> take_entries() {
  std::vector<SyncEntry> taken;
  for (;;) {
    taken.reserve(entry_count() + 16);
    locking::SpinGuard guard(shared->lock);
    if (shared->used > taken.capacity()) continue;
    take_locked(taken);
    return taken;
  }
}

// Of the file or directory that the entry names; one that is gone needs no sync.
void sync_entry(const SyncEntry& e) {
  if (!config::values::fsync) return;
  if (e.segment_fork == kDirectory) {
    std::string path = directory_path({Oid{e.tablespace}, Oid{e.database}, Oid{e.relation}});
    if (file_system().sync_directory(path.c_str()) < 0 && errno != ENOENT) panic(fmt::format("could not fsync file \"{}\": {}", path, std::strerror(errno)));
    return;
  }
  SegmentKey key = key_of(e);
  int fd = open_segment(key);
  if (fd >= 0) return sync_descriptor(fd, segment_path(key));
  if (errno != ENOENT) panic(fmt::format("could not open file \"{}\": {}", segment_path(key), std::strerror(errno)));
}

void remember_entry(const SyncEntry& e) {
  if (shared == nullptr || !insert_entry(e)) sync_entry(e);
}

// Entries can't be deleted singly from an open-addressing table: rebuild without those that match. Rare (drops only). In one go: a checkpoint
// that began while the others were out of the table would end without having synced them.
template <class Match>
void forget_matching(Match match) {
  std::vector<SyncEntry> all;
  all.reserve(kSyncCapacity);
  locking::SpinGuard guard(shared->lock);
  take_locked(all);
  for (const SyncEntry& e : all)
    if (!match(e)) insert_locked(e);
}

}  // namespace

std::size_t pending_sync_size() { return size_cache::size() + sizeof(PendingShared); }
void pending_sync_init(void* memory) {
  size_cache::init(memory);
  shared = reinterpret_cast<PendingShared*>(static_cast<std::byte*>(memory) + size_cache::size());
}

void sync_descriptor(int fd, const std::string& path) {
  if (!config::values::fsync) return;
  if (file_system().sync(fd) < 0) panic(fmt::format("could not fsync file \"{}\": {}", path, std::strerror(errno)));
}

void remember_sync(const SegmentKey& key) {
  if (!is_temporary(key.file)) remember_entry(entry_of(key));
}
void remember_directory(const RelationFile& file) {
  if (!is_temporary(file)) remember_entry(directory_entry(file));
}

void remember_written(const RelationFile& file, Fork fork, std::uint32_t segment) { remember_sync({file, fork, segment}); }
void sync_now(int fd, const std::string& path) { sync_descriptor(fd, path); }

void sync_pending() {
  if (shared == nullptr) return;
  for (const SyncEntry& e : take_entries()) sync_entry(e);
}

void forget_pending(const RelationFile& file) {
  // A stale entry only costs an open() that fails at the checkpoint, so single relations are not searched for.
  static_cast<void>(file);
}

void forget_pending_database(Oid database) {
  if (shared == nullptr) return;
  size_cache::forget_all();
  forget_matching([&](const SyncEntry& e) { return e.database == raw(database); });
  locking::SpinGuard guard(shared->lock);
  for (std::uint32_t i = 0; i < shared->unlinks; ++i)
    if (shared->unlink[i].database == database) shared->unlink[i].relation = kInvalidOid;
}

bool remember_delayed_unlink(const RelationFile& file) {
  if (shared == nullptr) return false;
  locking::SpinGuard guard(shared->lock);
  if (shared->unlinks == kUnlinkCapacity) return false;
  shared->unlink[shared->unlinks++] = file;
  return true;
}

bool unlink_is_pending(const RelationFile& file) {
  if (shared == nullptr) return false;
  locking::SpinGuard guard(shared->lock);
  return std::find(shared->unlink, shared->unlink + shared->unlinks, file) != shared->unlink + shared->unlinks;
}

void delayed_unlinks_begin() {
  if (shared == nullptr) return;
  locking::SpinGuard guard(shared->lock);
  shared->unlinks_ready = shared->unlinks;
}

std::vector<RelationFile> delayed_unlinks_ready() {
  std::vector<RelationFile> files;
  if (shared == nullptr) return files;
  files.reserve(kUnlinkCapacity);
  locking::SpinGuard guard(shared->lock);
  files.assign(shared->unlink, shared->unlink + shared->unlinks_ready);
  return files;
}

void remove_leftover(const RelationFile& file) {
  // Not empty: its number has been given out again since.
  SegmentKey key{file, Fork::main, 0};
  int fd = file.relation == kInvalidOid ? -1 : open_segment(key);
  if (fd < 0 || file_system().size(fd) != 0) return;
  close_segment(key);
  if (file_system().unlink(segment_path(key).c_str()) == 0) remember_directory(file);
}

void delayed_unlinks_finish() {
  if (shared == nullptr) return;
  std::vector<RelationFile> files;
  files.reserve(kUnlinkCapacity);
  {
    locking::SpinGuard guard(shared->lock);
    files.assign(shared->unlink, shared->unlink + shared->unlinks_ready);
    std::memmove(shared->unlink, shared->unlink + shared->unlinks_ready, (shared->unlinks - shared->unlinks_ready) * sizeof(RelationFile));
    shared->unlinks -= shared->unlinks_ready;
    shared->unlinks_ready = 0;
  }
  std::set<std::string> directories;
  for (const RelationFile& file : files) {
    if (file.relation == kInvalidOid) continue;
    directories.insert(directory_path(file));
    SegmentKey key{file, Fork::main, 0};
    close_segment(key);
    std::string path = segment_path(key);
    if (file_system().unlink(path.c_str()) < 0 && errno != ENOENT)
      report_warning(sqlstate::io_error, "could not remove file \"{}\": {}", path, std::strerror(errno));
  }
  if (!config::values::fsync) return;
  for (const std::string& path : directories) {
    if (file_system().sync_directory(path.c_str()) < 0 && errno != ENOENT) panic(fmt::format("could not fsync file \"{}\": {}", path, std::strerror(errno)));
  }
}

}  // namespace hathi::storage
