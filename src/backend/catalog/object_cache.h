#pragma once
// Per-process caches of objects that are not built in, by OID or by name. Entries are checked against version stamps when asked for;
// what was handed out stays valid until the transaction ends.

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "hathi/catalog/versions.h"
#include "hathi/memory/arena.h"

namespace hathi::catalog {

// One kind of object. Info is plain data whose views point into the entry's arena.
template <class Info>
class ObjectCache {
 public:
  // Fills info from the catalog; false = there is no such object. key: what find() was given.
  using Load = bool (*)(std::uint64_t key, Arena& arena, Info& info);
  explicit ObjectCache(Load load) : load_(load) {}

  // nullptr when there is no such object.
  const Info* find(std::uint64_t key, std::uint32_t slot) {
    versions::Stamp stamp = versions::stamp(slot);
    auto found = entries_.find(key);
    if (found != entries_.end()) {
      if (found->second->stamp == stamp) return found->second->exists ? &found->second->info : nullptr;
      retired_.push_back(std::move(found->second));
      entries_.erase(found);
    }
    while (true) {
      auto entry = std::make_unique<Entry>();
      entry->exists = load_(key, entry->arena, entry->info);
      versions::Stamp after = versions::stamp(slot);
      if (after == stamp) {
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
  Load load_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Entry>> entries_;
  std::vector<std::unique_ptr<Entry>> retired_;
};

}  // namespace hathi::catalog
