#include "hathi/statistics/shared.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "hathi/locking/lwlock.h"
#include "hathi/shmem/segment.h"
#include "pending.h"
#include "store.h"

namespace hathi::statistics {

SharedStore* shared_store = nullptr;

namespace {

constexpr std::int64_t kFlushInterval = 1000000;   // microseconds

const shmem::WaitEvent kWait{"LWLock", "Statistics"};

Oid my_database = kInvalidOid;
std::int64_t last_flush = 0;

void add(Entry& entry, int value, std::uint64_t amount) {
  if (amount != 0) entry.values[value] += amount;
}

void add_counts(Entry& entry, int first, const RelationCounts& c) {
  add(entry, first, c.scans);
  add(entry, first + 1, c.rows_returned);
  add(entry, first + 2, c.rows_fetched);
  add(entry, first + 3, c.inserted);
  add(entry, first + 4, c.updated);
  add(entry, first + 5, c.removed);
  add(entry, first + 6, c.hot_updated);
}

RelationCounts counts_of(const Entry& entry, int first) {
  const std::uint64_t* v = entry.values + first;
  return {v[0], v[1], v[2], v[3], v[4], v[5], v[6]};
}

bool is_empty(const PendingRelation& r) {
  const RelationCounts& c = r.counts;
  return (c.scans | c.rows_returned | c.rows_fetched | c.inserted | c.updated | c.removed | c.hot_updated | r.changed | r.inserted_since_vacuum) == 0 &&
         r.live == 0 && r.dead == 0 && !r.empties;
}

void flush_relation(PendingRelation& r, Entry* database) {
  if (is_empty(r)) return;
  if (Entry* e = find_or_make({EntryKind::relation, raw(r.relation), raw(r.database)})) {
    add_counts(*e, value::counts, r.counts);
    if (r.empties) e->values[value::live] = e->values[value::dead] = 0;
    e->values[value::live] += static_cast<std::uint64_t>(r.live);
    e->values[value::dead] += static_cast<std::uint64_t>(r.dead);
    add(*e, value::changed, r.changed);
    add(*e, value::inserted_since_vacuum, r.inserted_since_vacuum);
  }
  if (database != nullptr) add_counts(*database, value::database_counts, r.counts);
  r.counts = {};
  r.live = r.dead = 0;
  r.changed = r.inserted_since_vacuum = 0;
  r.empties = false;
}

void flush_file(const PendingFile& f, Entry* database) {
  if (Entry* e = find_or_make({EntryKind::file, raw(f.file), raw(f.database)})) {
    e->values[value::pages_fetched] += f.fetched;
    e->values[value::pages_hit] += f.hit;
  }
  if (database == nullptr) return;
  database->values[value::database_pages_fetched] += f.fetched;
  database->values[value::database_pages_hit] += f.hit;
}

void flush_server_events() {
  for (int i = 0; i < static_cast<int>(ServerEvent::count); ++i) {
    if (pending_server_events[i] == 0) continue;
    shared_store->server[i].fetch_add(pending_server_events[i], std::memory_order_relaxed);
    pending_server_events[i] = 0;
  }
}

}  // namespace

std::int64_t now_microseconds() {
  constexpr std::int64_t kUnixToPostgres = 946684800;
  timespec t{};
  clock_gettime(CLOCK_REALTIME, &t);
  return (t.tv_sec - kUnixToPostgres) * 1000000 + t.tv_nsec / 1000;
}

std::size_t shared_size() { return sizeof(SharedStore); }

void shared_init(void* memory) {
  static_assert(shmem::Shareable<SharedStore> && shmem::Shareable<Entry>);
  shared_store = static_cast<SharedStore*>(memory);
  shared_store->lock.init(locking::LockRank::leaf, &kWait);
  std::int64_t now = now_microseconds();
  for (std::int64_t& t : shared_store->reset_times) t = now;
}

Entry* find(const EntryKey& key) {
  for (Entry* e = shared_store->buckets[bucket_of(key)]; e != nullptr; e = e->next) {
    if (e->key == key) return e;
  }
  return nullptr;
}

Entry* find_or_make(const EntryKey& key) {
  if (Entry* e = find(key)) return e;
  Entry* e = shared_store->free_list;
  if (e != nullptr) shared_store->free_list = e->next;
  else e = static_cast<Entry*>(shmem::growing_region().allocate(sizeof(Entry), alignof(Entry)));
  if (e == nullptr) return nullptr;   // no room: not counted
  std::memset(static_cast<void*>(e), 0, sizeof(Entry));
  e->key = key;
  Entry*& head = shared_store->buckets[bucket_of(key)];
  e->next = head;
  head = e;
  return e;
}

void forget(const EntryKey& key) {
  if (shared_store == nullptr) return;
  locking::LwLockGuard guard(shared_store->lock, locking::LwMode::exclusive);
  for (Entry** link = &shared_store->buckets[bucket_of(key)]; *link != nullptr; link = &(*link)->next) {
    if ((*link)->key != key) continue;
    Entry* gone = *link;
    *link = gone->next;
    gone->next = shared_store->free_list;
    shared_store->free_list = gone;
    return;
  }
}

void set_database(Oid database) {
  my_database = database;
  last_flush = now_microseconds();   // short sessions flush once, at their end
}

bool flush(bool force, std::int64_t now) {
  if (shared_store == nullptr || !shmem::has_slot()) return true;
  if (now == 0) now = now_microseconds();
  if (!force && now - last_flush < kFlushInterval) return false;
  last_flush = now;
  flush_server_events();
  std::uint64_t events[static_cast<int>(DatabaseEvent::count)];
  locking::LwLockGuard guard(shared_store->lock, locking::LwMode::exclusive);
  Entry* database = is_valid(my_database) ? find_or_make({EntryKind::database, raw(my_database), 0}) : nullptr;
  take_pending([database](PendingRelation& r) { flush_relation(r, database); }, [database](const PendingFile& f) { flush_file(f, database); }, events);
  if (database == nullptr) return true;
  for (int i = 0; i < static_cast<int>(DatabaseEvent::count); ++i) database->values[i] += events[i];
  return true;
}

std::optional<Relation> read_relation(Oid relation, Oid database) {
  locking::LwLockGuard guard(shared_store->lock, locking::LwMode::shared);
  const Entry* e = find({EntryKind::relation, raw(relation), raw(database)});
  if (e == nullptr) return std::nullopt;
  Relation r;
  r.counts = counts_of(*e, value::counts);
  r.live = std::max<std::int64_t>(0, static_cast<std::int64_t>(e->values[value::live]));
  r.dead = std::max<std::int64_t>(0, static_cast<std::int64_t>(e->values[value::dead]));
  r.changed_since_analyze = e->values[value::changed];
  r.inserted_since_vacuum = e->values[value::inserted_since_vacuum];
  r.vacuums = e->values[value::vacuums];
  r.analyzes = e->values[value::analyzes];
  r.last_vacuum = static_cast<std::int64_t>(e->values[value::last_vacuum]);
  r.last_analyze = static_cast<std::int64_t>(e->values[value::last_analyze]);
  return r;
}

std::optional<Relation> read_file(Oid file, Oid database) {
  locking::LwLockGuard guard(shared_store->lock, locking::LwMode::shared);
  const Entry* e = find({EntryKind::file, raw(file), raw(database)});
  if (e == nullptr) return std::nullopt;
  Relation r;
  r.pages_fetched = e->values[value::pages_fetched];
  r.pages_hit = e->values[value::pages_hit];
  return r;
}

std::optional<Database> read_database(Oid database) {
  locking::LwLockGuard guard(shared_store->lock, locking::LwMode::shared);
  const Entry* e = find({EntryKind::database, raw(database), 0});
  if (e == nullptr) return std::nullopt;
  Database d;
  std::copy_n(e->values, static_cast<int>(DatabaseEvent::count), d.events);
  d.rows = counts_of(*e, value::database_counts);
  d.pages_fetched = e->values[value::database_pages_fetched];
  d.pages_hit = e->values[value::database_pages_hit];
  d.reset_time = static_cast<std::int64_t>(e->values[value::database_reset]);
  return d;
}

void report_vacuum(Oid relation_oid, Oid database, std::int64_t live, std::int64_t dead) {
  locking::LwLockGuard guard(shared_store->lock, locking::LwMode::exclusive);
  Entry* e = find_or_make({EntryKind::relation, raw(relation_oid), raw(database)});
  if (e == nullptr) return;
  e->values[value::live] = static_cast<std::uint64_t>(live);
  if (dead >= 0) e->values[value::dead] = static_cast<std::uint64_t>(dead);
  e->values[value::inserted_since_vacuum] = 0;
  ++e->values[value::vacuums];
  e->values[value::last_vacuum] = static_cast<std::uint64_t>(now_microseconds());
}

void report_analyze(Oid relation_oid, Oid database, std::int64_t live, std::int64_t dead, bool resets_changes) {
  locking::LwLockGuard guard(shared_store->lock, locking::LwMode::exclusive);
  Entry* e = find_or_make({EntryKind::relation, raw(relation_oid), raw(database)});
  if (e == nullptr) return;
  e->values[value::live] = static_cast<std::uint64_t>(live);
  if (dead >= 0) e->values[value::dead] = static_cast<std::uint64_t>(dead);
  if (resets_changes) e->values[value::changed] = 0;
  ++e->values[value::analyzes];
  e->values[value::last_analyze] = static_cast<std::uint64_t>(now_microseconds());
}

void forget_relation(Oid relation_oid, Oid database) { forget({EntryKind::relation, raw(relation_oid), raw(database)}); }
void forget_file(Oid file, Oid database) { forget({EntryKind::file, raw(file), raw(database)}); }

void forget_database(Oid database) {
  forget({EntryKind::database, raw(database), 0});
  if (shared_store == nullptr) return;
  locking::LwLockGuard guard(shared_store->lock, locking::LwMode::exclusive);
  for (Entry*& head : shared_store->buckets) {
    for (Entry** link = &head; *link != nullptr;) {
      Entry* e = *link;
      if (e->key.database != raw(database) || e->key.kind == EntryKind::database) {
        link = &e->next;
        continue;
      }
      *link = e->next;
      e->next = shared_store->free_list;
      shared_store->free_list = e;
    }
  }
}

void count_server(ServerEvent event, std::uint64_t amount) {
  if (shared_store != nullptr) shared_store->server[static_cast<int>(event)].fetch_add(amount, std::memory_order_relaxed);
}

std::uint64_t read_server(ServerEvent event) { return shared_store->server[static_cast<int>(event)].load(std::memory_order_relaxed); }

std::int64_t reset_time(ResetTarget target) { return shared_store->reset_times[static_cast<int>(target)]; }

void reset_server(ResetTarget target) {
  int first = 0, end = 0;
  if (target == ResetTarget::checkpoints) end = static_cast<int>(ServerEvent::wal_records);
  if (target == ResetTarget::wal) {
    first = static_cast<int>(ServerEvent::wal_records);
    end = static_cast<int>(ServerEvent::count);
  }
  for (int i = first; i < end; ++i) shared_store->server[i].store(0, std::memory_order_relaxed);
  shared_store->reset_times[static_cast<int>(target)] = now_microseconds();
}

void reset_database(Oid database) {
  locking::LwLockGuard guard(shared_store->lock, locking::LwMode::exclusive);
  auto now = static_cast<std::uint64_t>(now_microseconds());
  for (Entry* head : shared_store->buckets) {
    for (Entry* e = head; e != nullptr; e = e->next) {
      bool of_database = e->key.kind == EntryKind::database ? e->key.object == raw(database) : e->key.database == raw(database);
      if (of_database) std::fill(std::begin(e->values), std::end(e->values), 0);
    }
  }
  if (Entry* e = find_or_make({EntryKind::database, raw(database), 0})) e->values[value::database_reset] = now;
}

void reset_relation(Oid relation_oid, Oid database) {
  locking::LwLockGuard guard(shared_store->lock, locking::LwMode::exclusive);
  if (Entry* e = find({EntryKind::relation, raw(relation_oid), raw(database)})) std::fill(std::begin(e->values), std::end(e->values), 0);
}

}  // namespace hathi::statistics
