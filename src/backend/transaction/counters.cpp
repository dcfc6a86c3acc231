// Numbers that never go back: xids, OIDs, multixacts. How checkpoints carry them and redo moves them on.

#include <algorithm>

#include "hathi/error/sql_error.h"
#include "hathi/transaction/oid_counter.h"
#include "hathi/wal/encoding.h"
#include "relation_storage.h"
#include "shared.h"

namespace hathi::transaction {

namespace {

constexpr std::uint32_t kOidBatch = 8192;

void collect(wal::Counters& c, std::vector<std::byte>& extra, bool shutdown) {
  c.next_xid = shared->next_xid.load(std::memory_order_acquire);
  c.oldest_xid = shared->oldest_xid.load();
  {
    locking::SpinGuard guard(shared->multixact_lock);
    c.next_multixact = shared->next_multixact;
    c.next_member = shared->next_member;
  }
  {
    locking::LwLockGuard guard(shared->oid_lock, locking::LwMode::shared);
    // What was logged ahead may have been given out by the time of a crash; after a clean shutdown it was not.
    c.next_oid = shared->next_oid + (shutdown ? 0 : shared->oids_logged);
  }
  collect_creations(extra);
}

void set_completed() { shared->latest_completed.store(shared->next_xid.load() - 1); }

void restore(const wal::Counters& c, std::span<const std::byte> extra) {
  shared->next_xid.store(c.next_xid);
  shared->oldest_xid.store(c.oldest_xid);
  shared->next_multixact = c.next_multixact;
  shared->next_member = c.next_member;
  shared->next_oid = c.next_oid;
  shared->oids_logged = 0;
  set_completed();
  restore_creations(extra);
  reset_subtransactions();
}

void end_of_recovery() {
  set_completed();
  trim_commit_log();
  remove_orphans();
}

}  // namespace

void advance_next_xid(Xid beyond) {
  if (beyond.value() >= shared->next_xid.load()) shared->next_xid.store(beyond.value() + 1);
}

Oid next_oid() {
  locking::LwLockGuard guard(shared->oid_lock, locking::LwMode::exclusive);
  if (shared->next_oid < raw(kFirstNormalOid)) {
    shared->next_oid = raw(kFirstNormalOid);
    shared->oids_logged = 0;
  }
  if (shared->oids_logged == 0) {
    std::vector<std::byte> record;
    wal::put_varint(record, static_cast<std::uint32_t>(shared->next_oid + kOidBatch));
    wal::insert(wal::ResourceManager::transaction, static_cast<std::uint8_t>(TransactionInfo::oids), record);
    shared->oids_logged = kOidBatch;
  }
  --shared->oids_logged;
  return Oid{shared->next_oid++};
}

void advance_oid_counter(Oid to) {
  locking::LwLockGuard guard(shared->oid_lock, locking::LwMode::exclusive);
  if (raw(to) <= shared->next_oid) return;
  shared->next_oid = raw(to);
  shared->oids_logged = 0;
}

void redo_oids(std::span<const std::byte> data) {
  wal::ByteReader in(data);
  shared->next_oid = static_cast<std::uint32_t>(in.varint());
  shared->oids_logged = 0;
}

void register_functions() {
  wal::set_counter_hooks({collect, restore, active_xid_count});
  wal::register_redo(wal::ResourceManager::transaction, redo_transaction, nullptr);
  wal::register_redo(wal::ResourceManager::storage, redo_storage, nullptr);
  wal::register_redo(wal::ResourceManager::database, redo_database, nullptr);
  wal::register_redo(wal::ResourceManager::multixact, redo_multixact, nullptr);
  wal::set_xid_seen_hook(advance_next_xid);
  wal::register_end_of_recovery(end_of_recovery);
}

}  // namespace hathi::transaction
