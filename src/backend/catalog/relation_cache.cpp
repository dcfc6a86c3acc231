// Descriptors: look at the version, build when it is new. Locks: relation_locks.cpp.

#include "src/backend/catalog/relation_cache.h"

#include <malloc.h>

#include <algorithm>
#include <memory>
#include <new>
#include <unordered_map>

#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "hathi/transaction/transaction.h"
#include "src/backend/catalog/definitions.h"
#include "hathi/catalog/shared_store.h"

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
  bool trim_due = false;
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

// Descriptors that no other may see (temporary) stay private, and so do those whose comparison functions are not in every process.
bool may_share(const Relation& r) {
  if (r.persistence == 't') return false;
  auto is_builtin = [](const IndexDescriptor* index) {
    return std::all_of(index->btree.keys.begin(), index->btree.keys.end(),
                       [](const btree::KeyColumn& key) { return raw(key.comparison.site.oid) < raw(kFirstNormalOid); });
  };
  return std::all_of(r.indexes.begin(), r.indexes.end(), is_builtin) && (r.index == nullptr || is_builtin(r.index));
}

void finish(CachedRelation& r, const versions::Stamp& stamp) {
  r.stamp = stamp;
  r.version = version_number(stamp);
}

// Builds it once more in shared memory; nullptr when that does not work out.
CachedRelation* share(const CachedRelation& loaded, const shared_store::Key& key, const versions::Stamp& stamp) {
  shared_store::Building building = shared_store::begin(sizeof(CachedRelation) + loaded.memory.footprint());
  if (building.payload == nullptr) return nullptr;
  auto* r = new (building.payload) CachedRelation(0);  // never destroyed
  Arena arena(static_cast<std::byte*>(building.payload) + sizeof(CachedRelation), building.bytes - sizeof(CachedRelation));
  try {
    if (load_relation(loaded.oid, *r, arena) && versions::stamp(slot(loaded.oid)) == stamp) {
      finish(*r, stamp);
      r->permanent = true;
      shared_store::publish(building, key, stamp.shared);
      // Through find(): it pins.
      return const_cast<CachedRelation*>(static_cast<const CachedRelation*>(shared_store::find(key, stamp.shared)));
    }
  } catch (const SqlError& e) {
    shared_store::abandon(building);
    if (e.code() != sqlstate::out_of_memory) throw;
    return nullptr;
  }
  shared_store::abandon(building);
  return nullptr;
}

CachedRelation* load_and_remember(Oid oid, versions::Stamp stamp, const shared_store::Key& key, bool share_it) {
  Cache& c = cache();
  while (true) {
    auto r = std::make_unique<CachedRelation>(std::size_t{2048});
    bool exists = load_relation(oid, *r, r->memory);
    versions::Stamp after = versions::stamp(slot(oid));
    if (after != stamp) {
      stamp = after;
      continue;
    }
    if (!exists) return nullptr;
    if (share_it && may_share(*r)) {
      if (CachedRelation* shared = share(*r, key, stamp)) return shared;
    }
    r->arena = &r->memory;
    finish(*r, stamp);
    // Loading may have opened the same relation (an index's table): the newer one wins.
    if (auto found = c.by_oid.find(raw(oid)); found != c.by_oid.end()) retire(*found->second);
    r->last_transaction = c.transaction;
    c.by_oid[raw(oid)] = r.get();
    link_newest(*r);
    return r.release();
  }
}

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
  shared_store::Key key{shared_store::Kind::relation, current_database(), raw(oid)};
  bool share_it = stamp.own == 0 && !versions::changed_by_me(slot(oid));
  if (share_it) {
    if (const void* shared = shared_store::find(key, stamp.shared)) return const_cast<CachedRelation*>(static_cast<const CachedRelation*>(shared));
  }
  return load_and_remember(oid, stamp, key, share_it);
}

}  // namespace

struct RelationCacheAccess {
  static RelationRef ref(CachedRelation* r) {
    RelationRef result;
    if (r != nullptr && !shared_store::contains(r) && !r->permanent) ++r->references;
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
  // (What is shared may have gone with the transaction: do not look at it.)
  if (shared_store::contains(r) || r->permanent) return;
  HATHI_ASSERT(r->references > 0);
  if (--r->references == 0 && r->retired) delete r;
}

RelationRef cached_relation(Oid oid) { return RelationCacheAccess::ref(find_or_load(oid)); }

bool is_current_version(Oid oid, std::uint64_t version) { return version_number(versions::stamp(slot(oid))) == version; }

void note_change(Oid class_id, Oid object) { versions::note(versions::slot_of(class_id, object)); }

void trim_relation_cache() {
  Cache& c = cache();
  ++c.transaction;
  // Versions that only this transaction saw are nobody's from here on.
  for (CachedRelation *r = c.newest, *next = nullptr; r != nullptr && r->last_transaction + 1 == c.transaction; r = next) {
    next = r->older;
    if (r->stamp.own == 0 || r->references != 0) continue;
    retire(*r);
    ++c.evicted;
  }
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
  // At the next end: by then all who let go of something have done so.
  if (c.trim_due) malloc_trim(0);
  c.trim_due = c.evicted >= kEvictedBeforeTrim;
  if (c.trim_due) c.evicted = 0;
}

std::size_t relation_cache_size() { return cache().by_oid.size(); }

}  // namespace hathi::catalog
