// Opening relations: lock, look at the version, build when it is new.

#include "src/backend/catalog/relation_cache.h"

#include <malloc.h>

#include <unordered_map>

#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "hathi/transaction/transaction.h"
#include "src/backend/catalog/definitions.h"

namespace hathi::catalog {

namespace {

// Entries beyond this many are let go once they were not used in kKeepTransactions transactions; beyond the hard limit at once.
constexpr std::size_t kSoftLimit = 512, kHardLimit = 32768;
constexpr std::uint64_t kKeepTransactions = 64;
constexpr int kEvictedBeforeTrim = 1000;

struct Cache {
  std::unordered_map<std::uint32_t, CachedRelation*> by_oid;
  CachedRelation* newest = nullptr;
  CachedRelation* oldest = nullptr;
  std::uint64_t transaction = 1;
  int evicted = 0;
};
Cache& cache() {
  static Cache* instance = new Cache;  // lives as long as the process
  return *instance;
}

void unlink(CachedRelation& r) {
  Cache& c = cache();
  (r.newer != nullptr ? r.newer->older : c.newest) = r.older;
  (r.older != nullptr ? r.older->newer : c.oldest) = r.newer;
  r.newer = r.older = nullptr;
}

void link_newest(CachedRelation& r) {
  Cache& c = cache();
  r.older = c.newest;
  r.newer = nullptr;
  (c.newest != nullptr ? c.newest->newer : c.oldest) = &r;
  c.newest = &r;
}

void retire(CachedRelation& r) {
  unlink(r);
  cache().by_oid.erase(raw(r.oid));
  r.retired = true;
  if (r.references == 0) delete &r;
}

void touch(CachedRelation& r) {
  Cache& c = cache();
  if (r.last_transaction == c.transaction) return;
  r.last_transaction = c.transaction;
  if (c.newest == &r) return;
  unlink(r);
  link_newest(r);
}

std::uint32_t slot(Oid oid) { return versions::slot_of(catalog_oid::pg_class, oid); }

CachedRelation* find_or_load(Oid oid) {
  if (raw(oid) < raw(kFirstNormalOid)) {
    if (CachedRelation* r = catalog_descriptor(oid)) return r;
  }
  Cache& c = cache();
  versions::Stamp stamp = versions::stamp(slot(oid));
  if (auto found = c.by_oid.find(raw(oid)); found != c.by_oid.end()) {
    CachedRelation* r = found->second;
    if (r->stamp == stamp) {
      touch(*r);
      return r;
    }
    retire(*r);
  }
  while (true) {
    CachedRelation* r = load_relation(oid);
    versions::Stamp after = versions::stamp(slot(oid));
    if (after == stamp) {
      if (r == nullptr) return nullptr;
      // Loading may have opened the same relation (an index's table): the newer one wins.
      if (auto found = c.by_oid.find(raw(oid)); found != c.by_oid.end()) retire(*found->second);
      r->stamp = stamp;
      r->version = version_number(stamp);
      r->last_transaction = c.transaction;
      c.by_oid[raw(oid)] = r;
      link_newest(*r);
      return r;
    }
    delete r;
    stamp = after;
  }
}

locking::LockTag tag_of(Oid oid) {
  bool shared = raw(oid) < raw(kFirstNormalOid) && is_shared_catalog(oid);
  return locking::LockTag::relation_tag(shared ? kInvalidOid : current_database(), oid);
}

}  // namespace

struct RelationCacheAccess {
  static RelationRef ref(CachedRelation* r) {
    RelationRef result;
    if (r != nullptr && !r->permanent) ++r->references;
    result.relation_ = r;
    return result;
  }
};

std::uint64_t version_number(const versions::Stamp& stamp) { return stamp.shared + stamp.own * 0x9E3779B97F4A7C15u; }

RelationRef& RelationRef::operator=(RelationRef&& other) noexcept {
  if (this != &other) {
    reset();
    relation_ = other.relation_;
    other.relation_ = nullptr;
  }
  return *this;
}

RelationRef RelationRef::share() const {
  // Descriptors are only ever made as CachedRelation, and never const.
  return RelationCacheAccess::ref(const_cast<CachedRelation*>(static_cast<const CachedRelation*>(relation_)));
}

void RelationRef::reset() {
  if (relation_ == nullptr) return;
  auto* r = const_cast<CachedRelation*>(static_cast<const CachedRelation*>(relation_));
  relation_ = nullptr;
  if (r->permanent) return;
  HATHI_ASSERT(r->references > 0);
  if (--r->references == 0 && r->retired) delete r;
}

RelationRef cached_relation(Oid oid) { return RelationCacheAccess::ref(find_or_load(oid)); }

RelationRef try_open_relation(Oid oid, locking::LockMode mode) {
  bool locked = false;
  if (mode != locking::LockMode::none) locked = locking::acquire(transaction::owner(), tag_of(oid), mode) != locking::LockResult::not_available;
  CachedRelation* r = find_or_load(oid);
  if (r == nullptr && locked) locking::release(transaction::owner(), tag_of(oid), mode);
  return RelationCacheAccess::ref(r);
}

RelationRef open_relation(Oid oid, locking::LockMode mode) {
  RelationRef r = try_open_relation(oid, mode);
  if (!r) throw SqlError(sqlstate::undefined_table, "could not open relation with OID {}", raw(oid));
  return r;
}

bool is_current_version(Oid oid, std::uint64_t version) { return version_number(versions::stamp(slot(oid))) == version; }

void note_change(Oid class_id, Oid object) { versions::note(versions::slot_of(class_id, object)); }

void lock_relation(Oid oid, locking::LockMode mode) { locking::acquire(transaction::owner(), tag_of(oid), mode); }

Oid find_and_lock_relation(std::string_view name, Oid schema, locking::LockMode mode) {
  Oid oid = find_relation(name, schema);
  while (is_valid(oid)) {
    locking::acquire(transaction::owner(), tag_of(oid), mode);
    Oid again = find_relation(name, schema);
    if (again == oid) return oid;
    locking::release(transaction::owner(), tag_of(oid), mode);
    oid = again;
  }
  return oid;
}

void trim_relation_cache() {
  Cache& c = cache();
  ++c.transaction;
  CachedRelation* candidate = c.oldest;
  while (c.by_oid.size() > kSoftLimit && candidate != nullptr) {
    CachedRelation* next = candidate->newer;
    bool is_old = candidate->last_transaction + kKeepTransactions < c.transaction;
    if (!is_old && c.by_oid.size() <= kHardLimit) break;
    if (candidate->references == 0) {
      retire(*candidate);
      ++c.evicted;
    }
    candidate = next;
  }
  if (c.evicted >= kEvictedBeforeTrim) {
    c.evicted = 0;
    malloc_trim(0);
  }
}

std::size_t relation_cache_size() { return cache().by_oid.size(); }

}  // namespace hathi::catalog
