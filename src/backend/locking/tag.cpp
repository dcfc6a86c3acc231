// Lock tags and modes: names, the conflict table, how messages describe a lock.

#include <fmt/format.h>

#include <array>

#include "shared_table.h"

namespace hathi::locking {

namespace {

constexpr ModeMask mask(LockMode mode) { return static_cast<ModeMask>(1u << static_cast<int>(mode)); }

constexpr ModeMask kAccessShare = mask(LockMode::access_share), kRowShare = mask(LockMode::row_share),
                   kRowExclusive = mask(LockMode::row_exclusive), kShareUpdateExclusive = mask(LockMode::share_update_exclusive),
                   kShare = mask(LockMode::share), kShareRowExclusive = mask(LockMode::share_row_exclusive),
                   kExclusive = mask(LockMode::exclusive), kAccessExclusive = mask(LockMode::access_exclusive);

constexpr std::array<ModeMask, kModes> kConflicts{
    0,
    kAccessExclusive,
    kExclusive | kAccessExclusive,
    kShare | kShareRowExclusive | kExclusive | kAccessExclusive,
    kShareUpdateExclusive | kShare | kShareRowExclusive | kExclusive | kAccessExclusive,
    kRowExclusive | kShareUpdateExclusive | kShareRowExclusive | kExclusive | kAccessExclusive,
    kRowExclusive | kShareUpdateExclusive | kShare | kShareRowExclusive | kExclusive | kAccessExclusive,
    kRowShare | kRowExclusive | kShareUpdateExclusive | kShare | kShareRowExclusive | kExclusive | kAccessExclusive,
    kAccessShare | kRowShare | kRowExclusive | kShareUpdateExclusive | kShare | kShareRowExclusive | kExclusive | kAccessExclusive,
};

constexpr bool is_symmetric() {
  for (int a = 0; a < kModes; ++a) {
    for (int b = 0; b < kModes; ++b) {
      if (((kConflicts[a] >> b) & 1) != ((kConflicts[b] >> a) & 1)) return false;
    }
  }
  return true;
}
static_assert(is_symmetric());

constexpr ModeMask kWeak = kAccessShare | kRowShare | kRowExclusive;

}  // namespace

ModeMask conflict_mask(LockTagKind kind, LockMode mode) {
  ModeMask all = kConflicts[static_cast<int>(mode)];
  if (kind == LockTagKind::subtree && (mask(mode) & kWeak) == 0) return all & kWeak;
  return all;
}

bool conflicts(LockMode a, LockMode b) { return (kConflicts[static_cast<int>(a)] & mask(b)) != 0; }
bool conflicts(LockTagKind kind, LockMode a, LockMode b) { return (conflict_mask(kind, a) & mask(b)) != 0; }

const char* lock_mode_name(LockMode mode) {
  static const char* const names[] = {
      "INVALID",   "AccessShareLock",       "RowShareLock",  "RowExclusiveLock",   "ShareUpdateExclusiveLock",
      "ShareLock", "ShareRowExclusiveLock", "ExclusiveLock", "AccessExclusiveLock"};
  return names[static_cast<int>(mode)];
}

const char* lock_kind_name(LockTagKind kind) {
  static const char* const names[] = {"relation",   "extend",    "frozenid", "page",     "tuple",    "transactionid",
                                      "virtualxid", "spectoken", "object",   "userlock", "advisory", "subtree"};
  return names[static_cast<int>(kind)];
}

const shmem::WaitEvent& wait_event_of(LockTagKind kind) {
  static const shmem::WaitEvent events[] = {{"Lock", "relation"}, {"Lock", "extend"},        {"Lock", "frozenid"},   {"Lock", "page"},
                                            {"Lock", "tuple"},    {"Lock", "transactionid"}, {"Lock", "virtualxid"}, {"Lock", "spectoken"},
                                            {"Lock", "object"},   {"Lock", "userlock"},      {"Lock", "advisory"},   {"Lock", "subtree"}};
  return events[static_cast<int>(kind)];
}

std::string describe(const LockTag& t) {
  switch (t.kind) {
    case LockTagKind::relation: return fmt::format("relation {} of database {}", t.relation, t.database);
    case LockTagKind::extend: return fmt::format("extension of relation {} of database {}", t.relation, t.database);
    case LockTagKind::database_frozen_ids: return fmt::format("pg_database.datfrozenxid of database {}", t.database);
    case LockTagKind::page: return fmt::format("page {} of relation {} of database {}", t.block, t.relation, t.database);
    case LockTagKind::tuple: return fmt::format("tuple ({},{}) of relation {} of database {}", t.block, t.offset, t.relation, t.database);
    case LockTagKind::transaction: return fmt::format("transaction {}", t.block);
    case LockTagKind::virtual_transaction:
      return fmt::format("virtual transaction {}/{}", t.relation, static_cast<std::uint64_t>(t.extra) << 32 | t.block);
    case LockTagKind::speculative_token: return fmt::format("speculative token {} of transaction {}", t.extra, t.block);
    case LockTagKind::object: return fmt::format("object {} of class {} of database {}", t.block, t.relation, t.database);
    case LockTagKind::user: return fmt::format("user lock [{},{},{}]", t.database, t.relation, t.block);
    case LockTagKind::advisory: return fmt::format("advisory lock [{},{},{},{}]", t.database, t.relation, t.block, t.offset);
    case LockTagKind::subtree: return fmt::format("partitions of relation {} of database {}", t.relation, t.database);
  }
  return {};
}

LockTag LockTag::relation_tag(Oid database, Oid relation) {
  return {.database = raw(database), .relation = raw(relation), .kind = LockTagKind::relation};
}
LockTag LockTag::subtree_tag(Oid database, Oid parent) {
  return {.database = raw(database), .relation = raw(parent), .kind = LockTagKind::subtree};
}
LockTag LockTag::tuple_tag(Oid database, Oid relation, TupleId tid) {
  return {.database = raw(database),
          .relation = raw(relation),
          .block = tid.block.value(),
          .offset = tid.offset.value(),
          .kind = LockTagKind::tuple};
}
LockTag LockTag::transaction_tag(Xid xid) {
  return {.block = static_cast<std::uint32_t>(xid.value()),
          .extra = static_cast<std::uint32_t>(xid.value() >> 32),
          .kind = LockTagKind::transaction};
}
LockTag LockTag::virtual_transaction_tag(int slot, std::uint64_t number) {
  return {.relation = static_cast<std::uint32_t>(slot),
          .block = static_cast<std::uint32_t>(number),
          .extra = static_cast<std::uint32_t>(number >> 32),
          .kind = LockTagKind::virtual_transaction};
}
LockTag LockTag::object_tag(Oid database, Oid class_id, Oid object_id, int sub_id) {
  return {.database = raw(database),
          .relation = raw(class_id),
          .block = raw(object_id),
          .offset = static_cast<std::uint16_t>(sub_id),
          .kind = LockTagKind::object};
}
LockTag LockTag::advisory_tag(Oid database, std::uint64_t key) {
  return {.database = raw(database),
          .relation = static_cast<std::uint32_t>(key >> 32),
          .block = static_cast<std::uint32_t>(key),
          .offset = 1,
          .kind = LockTagKind::advisory};
}
LockTag LockTag::advisory_tag(Oid database, std::uint32_t key1, std::uint32_t key2) {
  return {.database = raw(database), .relation = key1, .block = key2, .offset = 2, .kind = LockTagKind::advisory};
}

}  // namespace hathi::locking
