// Commit and abort records: writing and redo.
//
// Data: flags (byte), time (8 bytes, microseconds since 2000), then as flagged:
//   kHasChildren   count, then each xid as the distance from the one before (the first from the top-level xid)
//   kHasDrops      count, then tablespace, database, relation each
//   kHasDatabases  count, then tablespace, database each
// All varints. An abort record has no data: what its transaction made is found otherwise (relation_storage.h).

#include "hathi/config/settings.h"
#include "hathi/error/sql_error.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/storage/file.h"
#include "hathi/wal/encoding.h"
#include "hathi/wal/log.h"
#include "relation_storage.h"
#include "shared.h"
#include "state.h"

namespace hathi::transaction {

namespace {

constexpr std::uint8_t kHasChildren = 1;
constexpr std::uint8_t kHasDrops = 2;
constexpr std::uint8_t kHasDatabases = 4;

std::vector<std::byte>& record_buffer() {
  static std::vector<std::byte> buffer;
  buffer.clear();
  return buffer;
}

void put_children(std::vector<std::byte>& record, Xid top, std::span<const Xid> children) {
  wal::put_varint(record, children.size());
  Xid previous = top;
  for (Xid child : children) {
    wal::put_varint(record, child - previous);
    previous = child;
  }
}

Lsn insert_commit(Xid top, std::span<const Xid> children, const StorageDrops& drops) {
  std::vector<std::byte>& record = record_buffer();
  std::uint8_t flags = (children.empty() ? 0 : kHasChildren) | (drops.relations.empty() ? 0 : kHasDrops) | (drops.databases.empty() ? 0 : kHasDatabases);
  record.push_back(static_cast<std::byte>(flags));
  wal::put_value(record, now_microseconds());
  if (!children.empty()) put_children(record, top, children);
  if (!drops.relations.empty()) {
    wal::put_varint(record, drops.relations.size());
    for (const RelationFile& f : drops.relations) {
      wal::put_varint(record, raw(f.tablespace));
      wal::put_varint(record, raw(f.database));
      wal::put_varint(record, raw(f.relation));
    }
  }
  if (!drops.databases.empty()) {
    wal::put_varint(record, drops.databases.size());
    for (const RelationFile& f : drops.databases) {
      wal::put_varint(record, raw(f.tablespace));
      wal::put_varint(record, raw(f.database));
    }
  }
  return wal::insert(wal::ResourceManager::transaction, static_cast<std::uint8_t>(TransactionInfo::commit), record, top);
}

}  // namespace

void record_commit() {
  State& s = state();
  Xid top = s.live.front();
  std::span<const Xid> children = std::span<const Xid>(s.live).subspan(1);
  StorageDrops drops = drops_at_commit();
  // Unlogged and temporary tables only: nothing of it outlives a crash, so the record need not be on disk for the commit to stand.
  bool lasts = wal::own_record_count() != s.records_before;
  get_status(top);   // brings the commit log's page in before errors become panics
  // The record and the commit log are on one side of any checkpoint together.
  wal::DelayCheckpoint delay;
  wal::CriticalSection critical;
  Lsn end = insert_commit(top, children, drops);
  // Files can't come back: their removal waits for the record whatever the setting says.
  if ((lasts && config::values::synchronous_commit != 0) || !drops.empty()) wal::flush(end);
  else if (lasts) wal::flush_soon(end);
  set_status(top, children, XidStatus::committed, end);
}

void record_abort() {
  State& s = state();
  wal::insert(wal::ResourceManager::transaction, static_cast<std::uint8_t>(TransactionInfo::abort), {}, s.live.front());
  set_status(s.live.front(), std::span<const Xid>(s.live).subspan(1), XidStatus::aborted, kInvalidLsn);
}

namespace {

void redo_commit(const wal::RedoRecord& record) {
  wal::ByteReader in(record.data);
  std::uint8_t flags = in.byte();
  in.value<std::int64_t>();
  std::vector<Xid> children;
  Xid previous = record.xid;
  if ((flags & kHasChildren) != 0) {
    for (std::uint64_t n = in.varint(); n > 0 && in.ok(); --n) {
      previous += in.varint();
      children.push_back(previous);
    }
  }
  advance_next_xid(previous);
  set_status(record.xid, children, XidStatus::committed, record.end);
  redo_ended(record.xid, children);
  if ((flags & kHasDrops) != 0) {
    for (std::uint64_t n = in.varint(); n > 0 && in.ok(); --n) {
      RelationFile f;
      f.tablespace = Oid{static_cast<std::uint32_t>(in.varint())};
      f.database = Oid{static_cast<std::uint32_t>(in.varint())};
      f.relation = Oid{static_cast<std::uint32_t>(in.varint())};
      if (!in.ok()) break;
      storage::unlink_relation(f, true);
      wal::redo_dropped(f);
    }
  }
  if ((flags & kHasDatabases) != 0) {
    for (std::uint64_t n = in.varint(); n > 0 && in.ok(); --n) {
      Oid tablespace{static_cast<std::uint32_t>(in.varint())};
      Oid database{static_cast<std::uint32_t>(in.varint())};
      if (!in.ok()) break;
      remove_database_directory(tablespace, database);
      wal::redo_dropped_database(database);
    }
  }
  if (!in.ok()) throw SqlError(sqlstate::data_corrupted, "invalid commit record");
}

}  // namespace

void redo_transaction(const wal::RedoRecord& record) {
  switch (static_cast<TransactionInfo>(record.info)) {
    case TransactionInfo::commit: return redo_commit(record);
    case TransactionInfo::abort: return set_status(record.xid, {}, XidStatus::aborted, kInvalidLsn);
    case TransactionInfo::oids: return redo_oids(record.data);
  }
}

}  // namespace hathi::transaction
