#include "group_table.h"

namespace hathi::executor {

bool GroupTable::matches(const KeyColumns& probe, Entry* e, Row& row, Arena& scratch) const {
  const Datum* stored = values(e);
  const bool* stored_nulls = nulls(e);
  for (std::size_t k = 0; k < probe.columns.size(); ++k) {
    const KeyColumn& c = probe.columns[k];
    int i = c.column - 1;
    if (row.nulls[i] != stored_nulls[k]) return false;
    if (!row.nulls[i] && !are_equal(c.equal, row.values[i], stored[k], scratch)) return false;
  }
  return true;
}

GroupTable::Entry* GroupTable::find(const KeyColumns& probe, Row& row, std::uint32_t hash, Arena& scratch) const {
  if (bucket_count_ == 0) return nullptr;
  row.need(probe.highest);
  for (Entry* e = buckets_[hash & (bucket_count_ - 1)]; e != nullptr; e = e->chain) {
    if (e->hash == hash && matches(probe, e, row, scratch)) return e;
  }
  return nullptr;
}

GroupTable::Entry* GroupTable::add(Row& row, std::uint32_t hash) {
  if (count_ >= bucket_count_) grow();
  row.need(keys_->highest);
  std::size_t n = keys_->columns.size();
  std::size_t size = sizeof(Entry) + payload_ + n * (sizeof(Datum) + sizeof(bool));
  auto* e = static_cast<Entry*>(arena_.allocate(size, 8));
  std::memset(static_cast<void*>(e), 0, size);
  e->hash = hash;
  Datum* v = values(e);
  bool* null = nulls(e);
  for (std::size_t k = 0; k < n; ++k) {
    const KeyColumn& c = keys_->columns[k];
    int i = c.column - 1;
    null[k] = row.nulls[i];
    v[k] = row.nulls[i] ? Datum() : copy_datum(row.values[i], c.layout, arena_);
  }
  Entry*& bucket = buckets_[hash & (bucket_count_ - 1)];
  e->chain = bucket;
  bucket = e;
  (last_ == nullptr ? first_ : last_->next) = e;
  last_ = e;
  ++count_;
  return e;
}

void GroupTable::grow() {
  std::size_t n = bucket_count_ == 0 ? 64 : bucket_count_ * 2;
  auto** fresh = new Entry*[n]();
  for (Entry* e = first_; e != nullptr; e = e->next) {
    Entry*& bucket = fresh[e->hash & (n - 1)];
    e->chain = bucket;
    bucket = e;
  }
  delete[] buckets_;
  buckets_ = fresh;
  bucket_count_ = n;
  bucket_memory_ = n * sizeof(Entry*);
}

void GroupTable::clear() {
  arena_.reset();
  delete[] buckets_;
  buckets_ = nullptr;
  bucket_count_ = bucket_memory_ = count_ = 0;
  first_ = last_ = nullptr;
}

}  // namespace hathi::executor
