// What this process has counted and not flushed yet.

#include "pending.h"

#include <algorithm>
#include <memory>
#include <memory_resource>
#include <unordered_map>

#include "hathi/statistics/counters.h"
#include "hathi/statistics/shared.h"

namespace hathi::statistics {

namespace detail {

namespace {
// Every cache line points here at first: a relation that nobody has.
PendingRelation nobody;
}  // namespace

PendingRelation* cached_relations[kCached];
PendingFile cached_files[kCached];

namespace {
struct FillCache {
  FillCache() { std::fill(std::begin(cached_relations), std::end(cached_relations), &nobody); }
} fill_cache;
}  // namespace

}  // namespace detail

namespace {

// More than this many relations counted by one process: those that have nothing pending are forgotten, so that a flush looks at few and a
// session that once touched very many gets its memory back.
constexpr std::size_t kKept = 512;

std::uint64_t key(Oid object, Oid database) { return (std::uint64_t{raw(database)} << 32) | raw(object); }

// A map in memory of its own, which goes back to the system in large pieces: nodes between other objects would hold on to it.
template <class T>
class OwnMap {
 public:
  using Map = std::pmr::unordered_map<std::uint64_t, T>;
  Map* operator->() { return &parts_->map; }
  Map& operator*() { return parts_->map; }
  void clear() {
    if (parts_->map.size() > kKept) parts_ = std::make_unique<Parts>();
    else parts_->map.clear();
  }
 private:
  struct Parts {
    std::pmr::unsynchronized_pool_resource memory;
    Map map{&memory};
  };
  std::unique_ptr<Parts> parts_ = std::make_unique<Parts>();
};

struct Store {
  OwnMap<PendingRelation> relations;
  OwnMap<PendingFile> files;
  std::vector<PendingRelation*> open;      // written to by the running transaction
  struct Dropped { Oid relation, database, file; };
  std::vector<Dropped> dropped;            // by the running transaction
  std::uint64_t database_events[static_cast<int>(DatabaseEvent::count)] = {};
};

Store& store() {
  static Store instance;
  return instance;
}

PendingRelation& open_relation(Oid relation_oid, Oid database) {
  PendingRelation& r = relation(relation_oid, database);
  if (!r.is_open) {
    r.is_open = true;
    store().open.push_back(&r);
  }
  return r;
}

void spill(PendingFile& entry) {
  if (entry.fetched == 0) return;
  PendingFile& kept = (*store().files)[key(entry.file, entry.database)];
  kept.file = entry.file;
  kept.database = entry.database;
  kept.fetched += entry.fetched;
  kept.hit += entry.hit;
  entry.fetched = entry.hit = 0;
}

void forget_idle_relations() {
  Store& s = store();
  if (s.relations->size() <= kKept || !s.open.empty()) return;
  std::fill(std::begin(detail::cached_relations), std::end(detail::cached_relations), &detail::nobody);
  s.relations.clear();
}

void forget_dropped() {
  for (const Store::Dropped& d : store().dropped) {
    PendingRelation& r = relation(d.relation, d.database);
    r = PendingRelation{};
    r.relation = d.relation;
    r.database = d.database;
    forget_relation(d.relation, d.database);
    if (is_valid(d.file)) forget_file(d.file, d.database);
  }
}

}  // namespace

namespace detail {

PendingRelation& find_relation(Oid relation, Oid database) {
  PendingRelation& r = (*store().relations)[key(relation, database)];
  r.relation = relation;
  r.database = database;
  cached_relations[raw(relation) % kCached] = &r;
  return r;
}

void change_file(PendingFile& entry, Oid file, Oid database) {
  spill(entry);
  entry.file = file;
  entry.database = database;
}

}  // namespace detail

void count_inserted(Oid relation_oid, Oid database, std::uint64_t rows) {
  PendingRelation& r = open_relation(relation_oid, database);
  r.counts.inserted += rows;
  r.open_inserted += rows;
}

void count_updated(Oid relation_oid, Oid database, bool hot) {
  PendingRelation& r = open_relation(relation_oid, database);
  ++r.counts.updated;
  r.counts.hot_updated += hot ? 1 : 0;
  ++r.open_updated;
}

void count_removed(Oid relation_oid, Oid database) {
  PendingRelation& r = open_relation(relation_oid, database);
  ++r.counts.removed;
  ++r.open_removed;
}

void count_truncated(Oid relation_oid, Oid database) {
  PendingRelation& r = open_relation(relation_oid, database);
  r.truncated = true;
  r.open_inserted = r.open_updated = r.open_removed = 0;
}

void count_dropped(Oid relation_oid, Oid database, Oid file) { store().dropped.push_back({relation_oid, database, file}); }

void count(DatabaseEvent event, std::uint64_t amount) {
  store().database_events[static_cast<int>(event)] += amount;
}

void at_end_of_transaction(bool commit) {
  Store& s = store();
  for (PendingRelation* r : s.open) {
    if (commit && r->truncated) {
      r->live = r->dead = 0;
      r->empties = true;
    }
    if (commit) {
      r->live += static_cast<std::int64_t>(r->open_inserted) - static_cast<std::int64_t>(r->open_removed);
      r->dead += static_cast<std::int64_t>(r->open_updated + r->open_removed);
      r->changed += r->open_inserted + r->open_updated + r->open_removed;
      r->inserted_since_vacuum += r->open_inserted;
    } else {
      r->dead += static_cast<std::int64_t>(r->open_inserted + r->open_updated);
    }
    r->open_inserted = r->open_updated = r->open_removed = 0;
    r->is_open = r->truncated = false;
  }
  s.open.clear();
  if (s.dropped.empty()) return;
  if (commit) forget_dropped();
  s.dropped.clear();
}

// --- for shared.cpp ---------------------------------------------------------------------------------------------------------------
void take_pending(const std::function<void(PendingRelation&)>& relation_taker, const std::function<void(const PendingFile&)>& file_taker,
                  std::uint64_t (&events)[static_cast<int>(DatabaseEvent::count)]) {
  Store& s = store();
  for (auto& [k, r] : *s.relations) relation_taker(r);
  forget_idle_relations();
  for (PendingFile& f : detail::cached_files) spill(f);
  for (auto& [k, f] : *s.files) file_taker(f);
  s.files.clear();
  std::copy(std::begin(s.database_events), std::end(s.database_events), events);
  std::fill(std::begin(s.database_events), std::end(s.database_events), 0);
}

}  // namespace hathi::statistics
