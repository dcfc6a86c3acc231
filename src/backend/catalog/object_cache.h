#pragma once
// Per-process caches of objects that are not built in, by OID or by name. Entries are checked against version stamps when asked for;
// what was handed out stays valid until the transaction ends.

#include <functional>
#include <memory>
#include <new>
#include <unordered_map>
#include <vector>

#include "hathi/catalog/lookup.h"
#include "hathi/catalog/versions.h"
#include "hathi/error/sql_error.h"
#include "hathi/memory/arena.h"
#include "hathi/transaction/transaction.h"
#include "hathi/catalog/shared_store.h"

namespace hathi::catalog {

// One kind of object. Info is plain data whose views point into the entry's arena.
template <class Info>
class ObjectCache {
 public:
  // Fills info from the catalog; false = there is no such object. key: what find() was given.
  using Load = bool (*)(std::uint64_t key, Arena& arena, Info& info);
  // kind: objects are shared with other processes (shared_store.h). of_cluster: the catalog is the same in all databases.
  explicit ObjectCache(Load load, shared_store::Kind kind = shared_store::Kind::none, bool of_cluster = false)
      : load_(load), kind_(kind), of_cluster_(of_cluster) {}

  // nullptr when there is no such object.
  const Info* find(std::uint64_t key, std::uint32_t slot) {
    versions::Stamp stamp = versions::stamp(slot);
    auto found = entries_.find(key);
    if (found != entries_.end()) {
      if (found->second->stamp == stamp) return found->second->exists ? &found->second->info : nullptr;
      retired_.push_back(std::move(found->second));
      entries_.erase(found);
    }
    bool may_share = kind_ != shared_store::Kind::none && stamp.own == 0 && !versions::changed_by_me(slot);
    shared_store::Key shared_key{kind_, of_cluster_ ? kInvalidOid : current_database(), key};
    if (may_share) {
      if (const void* object = shared_store::find(shared_key, stamp.shared)) return static_cast<const Info*>(object);
    }
    if (!transaction::is_running()) return nullptr;  // nothing can be read now
    while (true) {
      auto entry = std::make_unique<Entry>();
      entry->exists = load_(key, entry->arena, entry->info);
      versions::Stamp after = versions::stamp(slot);
      if (after == stamp) {
        if (may_share && entry->exists) {
          if (const Info* object = share(*entry, shared_key, slot, stamp)) return object;
        }
        entry->stamp = stamp;
        const Entry* e = entry.get();
        auto& place = entries_[key];
        if (place) retired_.push_back(std::move(place));  // loading asked for itself
        place = std::move(entry);
        return e->exists ? &e->info : nullptr;
      }
      stamp = after;
    }
  }

  void end_of_transaction() {
    retired_.clear();
    if (entries_.size() > kLimit) entries_.clear();
  }

 private:
  static constexpr std::size_t kLimit = 4096;
  struct Entry {
    versions::Stamp stamp;
    bool exists = false;
    Info info{};
    Arena arena{512};
  };
  // Loads it once more into shared memory; nullptr when that does not work out.
  const Info* share(const Entry& entry, const shared_store::Key& key, std::uint32_t slot, const versions::Stamp& stamp) {
    shared_store::Building building = shared_store::begin(sizeof(Info) + entry.arena.footprint() + 64);
    if (building.payload == nullptr) return nullptr;
    auto* info = new (building.payload) Info{};
    Arena arena(static_cast<std::byte*>(building.payload) + sizeof(Info), building.bytes - sizeof(Info));
    try {
      if (load_(key.object, arena, *info) && versions::stamp(slot) == stamp) {
        shared_store::publish(building, key, stamp.shared);
        return static_cast<const Info*>(shared_store::find(key, stamp.shared));
      }
    } catch (const SqlError& e) {
      shared_store::abandon(building);
      if (e.code() != sqlstate::out_of_memory) throw;
      return nullptr;
    }
    shared_store::abandon(building);
    return nullptr;
  }

  Load load_;
  shared_store::Kind kind_;
  bool of_cluster_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Entry>> entries_;
  std::vector<std::unique_ptr<Entry>> retired_;
};

}  // namespace hathi::catalog
