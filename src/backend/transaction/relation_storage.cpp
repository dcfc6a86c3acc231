#include "relation_storage.h"

#include <algorithm>
#include <cstring>

#include "hathi/buffer/buffer_pool.h"
#include "hathi/error/report.h"
#include "hathi/storage/file.h"
#include "hathi/transaction/database_files.h"
#include "hathi/transaction/transaction.h"
#include "hathi/storage/durability.h"
#include "hathi/wal/encoding.h"
#include "shared.h"

namespace hathi::transaction {

namespace {

// Records of ResourceManager::storage. Both: tablespace, database, relation (varints).
//   create    fork (byte)
//   truncate  fork (byte), blocks (varint)
enum class StorageInfo : std::uint8_t { create = 0, truncate = 1 };

struct Pending {
  RelationFile file;     // relation 0: a database's directory
  bool at_commit;        // goes at commit (drop) or at abort (creation)
  bool temporary;
  int nesting;
};
std::vector<Pending> pending;

// Recovery only.
std::vector<CreatedFile>& tracked() {
  static std::vector<CreatedFile> list;
  return list;
}

bool is_database(const RelationFile& file) { return file.relation == kInvalidOid; }

void untrack_creation(const RelationFile& file) {
  locking::SpinGuard guard(shared->created_lock);
  for (std::uint32_t i = 0; i < shared->created_count; ++i) {
    if (shared->created[i].file != file) continue;
    shared->created[i] = shared->created[--shared->created_count];
    return;
  }
}

void remove_now(const RelationFile& file) noexcept {
  try {
    if (is_database(file)) remove_database_directory(file.tablespace, file.database);
    else storage::unlink_relation(file, false);
  } catch (const std::exception& e) {
    report_warning(sqlstate::io_error, "could not remove storage of relation {}: {}", raw(file.relation), e.what());
  }
}

void put_file(std::vector<std::byte>& record, const RelationFile& file) {
  wal::put_varint(record, raw(file.tablespace));
  wal::put_varint(record, raw(file.database));
  wal::put_varint(record, raw(file.relation));
}

RelationFile read_file(wal::ByteReader& in) {
  RelationFile file;
  file.tablespace = Oid{static_cast<std::uint32_t>(in.varint())};
  file.database = Oid{static_cast<std::uint32_t>(in.varint())};
  file.relation = Oid{static_cast<std::uint32_t>(in.varint())};
  return file;
}

}  // namespace

void track_creation(const RelationFile& file, Xid xid) {
  locking::SpinGuard guard(shared->created_lock);
  // When the table is full a crash may leave the file behind; nothing worse.
  if (shared->created_count < kCreatedCapacity) shared->created[shared->created_count++] = {file, 0, xid};
}

void note_created_database(Oid tablespace, Oid database) {
  pending.push_back({{tablespace, database, kInvalidOid}, false, false, nesting_level()});
}
void note_dropped_database(Oid tablespace, Oid database) {
  current_xid();
  pending.push_back({{tablespace, database, kInvalidOid}, true, false, nesting_level()});
}

bool drops_something() {
  return std::any_of(pending.begin(), pending.end(), [](const Pending& p) { return p.at_commit && !p.temporary; });
}

StorageDrops drops_at_commit() {
  StorageDrops drops;
  for (const Pending& p : pending) {
    if (!p.at_commit || p.temporary) continue;
    (is_database(p.file) ? drops.databases : drops.relations).push_back(p.file);
  }
  return drops;
}

void finish_storage(bool commit) {
  if (pending.empty()) return;
  std::vector<Pending> list;
  list.swap(pending);
  for (const Pending& p : list) {
    if (p.at_commit == commit) remove_now(p.file);
    if (!p.at_commit && !p.temporary) untrack_creation(p.file);
  }
}

void finish_storage_of_level(int nesting, bool commit) {
  std::vector<Pending> gone;
  for (std::size_t i = 0; i < pending.size();) {
    Pending& p = pending[i];
    if (p.nesting < nesting) { ++i; continue; }
    if (commit) {
      p.nesting = nesting - 1;
      ++i;
      continue;
    }
    gone.push_back(p);
    pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (const Pending& p : gone) {
    if (p.at_commit) continue;
    remove_now(p.file);
    if (!p.temporary) untrack_creation(p.file);
  }
}

void collect_creations(std::vector<std::byte>& to) {
  std::vector<CreatedFile> copy(kCreatedCapacity);
  std::uint32_t n;
  {
    locking::SpinGuard guard(shared->created_lock);
    n = shared->created_count;
    std::copy_n(shared->created, n, copy.begin());
  }
  wal::put_varint(to, n);
  for (std::uint32_t i = 0; i < n; ++i) {
    put_file(to, copy[i].file);
    wal::put_varint(to, copy[i].xid.value());
  }
  std::vector<RelationFile> leftovers = storage::delayed_unlinks_ready();
  wal::put_varint(to, leftovers.size());
  for (const RelationFile& file : leftovers) put_file(to, file);
}

void restore_creations(std::span<const std::byte> from) {
  wal::ByteReader in(from);
  tracked().clear();
  for (std::uint64_t n = in.varint(); n > 0 && in.ok(); --n) {
    RelationFile file = read_file(in);
    Xid xid{in.varint()};
    if (in.ok()) tracked().push_back({file, 0, xid});
  }
  for (std::uint64_t n = in.varint(); n > 0 && in.ok(); --n) {
    RelationFile file = read_file(in);
    if (in.ok()) storage::remove_leftover(file);
  }
}

void redo_creation(const RelationFile& file, Xid xid) { tracked().push_back({file, 0, xid}); }

void redo_ended(Xid top, std::span<const Xid> children) {
  if (tracked().empty()) return;
  std::erase_if(tracked(), [&](const CreatedFile& f) { return f.xid == top || std::binary_search(children.begin(), children.end(), f.xid); });
}

void remove_orphans() {
  for (const CreatedFile& f : tracked()) {
    // A checkpoint may list a file whose transaction committed just before it: the commit log knows.
    if (did_commit(f.xid)) continue;
    if (is_database(f.file)) remove_database_directory(f.file.tablespace, f.file.database);
    else storage::unlink_relation(f.file, true);
  }
  tracked().clear();
}

void redo_storage(const wal::RedoRecord& record) {
  wal::ByteReader in(record.data);
  RelationFile file = read_file(in);
  auto fork = static_cast<Fork>(in.byte());
  if (static_cast<StorageInfo>(record.info) == StorageInfo::create) {
    if (!in.ok()) throw SqlError(sqlstate::data_corrupted, "invalid storage record");
    storage::create_fork(file, fork, true);
    redo_creation(file, record.xid);
    return;
  }
  BlockNumber blocks{static_cast<std::uint32_t>(in.varint())};
  if (!in.ok()) throw SqlError(sqlstate::data_corrupted, "invalid storage record");
  if (storage::fork_exists(file, fork)) {
    buffer::drop_blocks(file, fork, blocks);
    storage::truncate_fork(file, fork, blocks);
  }
  wal::redo_truncated(file, fork, blocks);
}

}  // namespace hathi::transaction

// Declared by storage/, which knows no transactions.
namespace hathi::storage {

using namespace transaction;

namespace {
// The log knows of the file before it exists, so that a crash leaves no orphan.
void create_logged_fork(const RelationFile& file, Fork fork, Xid xid) {
  std::vector<std::byte> record;
  put_file(record, file);
  record.push_back(static_cast<std::byte>(fork));
  wal::write_out(wal::insert(wal::ResourceManager::storage, static_cast<std::uint8_t>(StorageInfo::create), record, xid));
  create_fork(file, fork, false);
}
}  // namespace

void create_storage(const RelationFile& file, Persistence persistence) {
  bool temporary = persistence == Persistence::temporary;
  if (temporary) {
    register_temporary(file);
    pending.push_back({file, false, true, nesting_level()});
    create_fork(file, Fork::main, false);
    return;
  }
  Xid xid = current_xid();
  track_creation(file, xid);
  pending.push_back({file, false, false, nesting_level()});
  create_logged_fork(file, Fork::main, xid);
  if (persistence == Persistence::unlogged) {
    // What the relation becomes after a crash; an index or a sequence writes its first page there.
    create_logged_fork(file, Fork::init, xid);
    remember_written(file, Fork::init, 0);
  }
}

void drop_storage_at_commit(const RelationFile& file) {
  bool temporary = is_temporary(file);
  if (!temporary) current_xid();
  pending.push_back({file, true, temporary, nesting_level()});
}

bool created_in_this_transaction(const RelationFile& file) {
  return std::any_of(pending.begin(), pending.end(), [&](const Pending& p) { return !p.at_commit && p.file == file; });
}

void truncate_storage_now(const RelationFile& file, BlockNumber blocks) {
  if (is_temporary(file)) {
    buffer::drop_blocks(file, Fork::main, blocks);
    return truncate_fork(file, Fork::main, blocks);
  }
  std::vector<std::byte> record;
  put_file(record, file);
  record.push_back(static_cast<std::byte>(Fork::main));
  wal::put_varint(record, blocks.value());
  // No checkpoint between the record and the cut: recovery from such a one would not cut.
  wal::DelayCheckpoint delay;
  wal::CriticalSection critical;
  wal::flush(wal::insert(wal::ResourceManager::storage, static_cast<std::uint8_t>(StorageInfo::truncate), record));
  buffer::drop_blocks(file, Fork::main, blocks);
  truncate_fork(file, Fork::main, blocks);
}

}  // namespace hathi::storage
