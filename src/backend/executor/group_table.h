#pragma once
// A hash table of groups: key columns, each with a payload of fixed size. Used by hashed aggregation, DISTINCT, set operations,
// recursive UNION, hashed subqueries.

#include "comparison.h"

namespace hathi::executor {

class GroupTable {
 public:
  struct Entry {
    Entry* chain;            // same bucket
    Entry* next;             // in order of insertion
    std::uint32_t hash;
  };

  // payload: bytes of each group's payload, zeroed when the group is made. The keys must outlive the table.
  GroupTable(const KeyColumns& keys, std::size_t payload) : keys_(&keys), payload_(align8(payload)) {}

  // The group of the row's key columns, nullptr when there is none. hash = hash_keys(keys, row). probe: keys of a row of other
  // types than the stored ones (equality functions take the probing value first).
  Entry* find(Row& row, std::uint32_t hash, Arena& scratch) const { return find(*keys_, row, hash, scratch); }
  Entry* find(const KeyColumns& probe, Row& row, std::uint32_t hash, Arena& scratch) const;
  // Adds the group; the key is copied.
  Entry* add(Row& row, std::uint32_t hash);
  Entry* find_or_add(Row& row, std::uint32_t hash, Arena& scratch, bool& is_new) {
    Entry* e = find(row, hash, scratch);
    is_new = e == nullptr;
    return is_new ? add(row, hash) : e;
  }
  template <class T>
  static T* payload(Entry* e) { return reinterpret_cast<T*>(e + 1); }
  Datum* values(Entry* e) const { return reinterpret_cast<Datum*>(reinterpret_cast<std::byte*>(e + 1) + payload_); }
  bool* nulls(Entry* e) const { return reinterpret_cast<bool*>(values(e) + keys_->columns.size()); }
  Entry* first() const { return first_; }
  std::size_t size() const { return count_; }
  std::size_t memory() const { return arena_.footprint() + bucket_memory_; }
  // Memory that lives as long as the groups.
  Arena& arena() { return arena_; }
  void clear();
  ~GroupTable() { delete[] buckets_; }
  GroupTable(const GroupTable&) = delete;
  GroupTable& operator=(const GroupTable&) = delete;

 private:
  void grow();
  bool matches(const KeyColumns& probe, Entry* e, Row& row, Arena& scratch) const;   // NULLs equal each other

  const KeyColumns* keys_;
  std::size_t payload_;
  Arena arena_{4096};
  Entry** buckets_ = nullptr;
  std::size_t bucket_count_ = 0;
  std::size_t bucket_memory_ = 0;
  std::size_t count_ = 0;
  Entry* first_ = nullptr;
  Entry* last_ = nullptr;
};

}  // namespace hathi::executor
