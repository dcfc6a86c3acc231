#include "hash_batches.h"

#include "hathi/error/sql_error.h"
#include "hathi/shmem/interrupts.h"

namespace hathi::executor {

namespace {
constexpr std::uint32_t kMostBatches = 4096;
constexpr std::size_t kFirstBuckets = 1024;
}  // namespace

// Rows with their hash values, written once and read once.
struct HashBatches::Spill {
  storage::TempFile file;
  std::uint32_t batches = 0;      // how many there were when the first row was written
  std::vector<std::byte> current;
  bool reading = false;

  void put(const PackedRow* row, std::uint32_t hash) {
    std::uint64_t head = hash;
    file.append(&head, sizeof(head));
    file.append(row, row->size);
  }
  const PackedRow* next(std::uint32_t& hash) {
    if (!reading) {
      file.rewind();
      reading = true;
    }
    struct { std::uint64_t hash; PackedRow row; } head;
    std::size_t n = file.read(&head, sizeof(head));
    if (n == 0) return nullptr;
    if (n < sizeof(head)) throw SqlError(sqlstate::internal_error, "unexpected end of a temporary file");
    if (current.size() < head.row.size) current.resize(head.row.size * 2);
    std::memcpy(current.data(), &head.row, sizeof(PackedRow));
    std::size_t rest = head.row.size - sizeof(PackedRow);
    if (file.read(current.data() + sizeof(PackedRow), rest) != rest) throw SqlError(sqlstate::internal_error, "unexpected end of a temporary file");
    hash = static_cast<std::uint32_t>(head.hash);
    return reinterpret_cast<const PackedRow*>(current.data());
  }
};

HashBatches::HashBatches(const TupleDescriptor& inner, const TupleDescriptor& outer, std::size_t memory) : inner_(&inner), outer_(&outer), memory_(memory) {}
HashBatches::~HashBatches() = default;

HashBatches::Spill& HashBatches::spill(std::vector<std::unique_ptr<Spill>>& files, std::uint32_t batch) {
  if (files.size() <= batch) files.resize(batches_);
  if (files[batch] == nullptr) {
    files[batch] = std::make_unique<Spill>();
    files[batch]->batches = batches_;
  }
  return *files[batch];
}

void HashBatches::insert(const PackedRow* row, std::uint32_t hash) {
  auto* e = static_cast<Entry*>(arena_.allocate(sizeof(Entry) + row->size, 8));
  e->hash = hash;
  e->matched = 0;
  std::memcpy(static_cast<void*>(e->row()), row, row->size);
  if (entries_ >= buckets_.size()) rebuild_buckets();
  Entry*& bucket = buckets_[hash & (buckets_.size() - 1)];
  e->next = bucket;
  bucket = e;
  ++entries_;
  peak_ = std::max(peak_, used());
  if (may_split_ && used() > memory_) split();
}

void HashBatches::rebuild_buckets() {
  std::size_t n = buckets_.empty() ? kFirstBuckets : buckets_.size() * 2;
  std::vector<Entry*> fresh(n, nullptr);
  for (Entry* e : buckets_) {
    while (e != nullptr) {
      Entry* next = e->next;
      Entry*& bucket = fresh[e->hash & (n - 1)];
      e->next = bucket;
      bucket = e;
      e = next;
    }
  }
  buckets_.swap(fresh);
}

void HashBatches::add_inner(Row& row, std::uint32_t hash) {
  ++inner_rows_;
  row.need(inner_->count());
  std::size_t size = packed_size(*inner_, row.values, row.nulls);
  if (packing_.size() < size) packing_.resize(size * 2);
  pack_row_at(*inner_, row.values, row.nulls, size, packing_.data());
  const auto* packed = reinterpret_cast<const PackedRow*>(packing_.data());
  std::uint32_t batch = batch_of(hash);
  if (batch != current_) {
    spill(inner_files_, batch).put(packed, hash);
  } else {
    insert(packed, hash);
  }
}

// Doubles the number of batches and throws the rows that now belong to later ones out of the table.
void HashBatches::split() {
  if (batches_ >= kMostBatches) {
    may_split_ = false;
    return;
  }
  check_interrupts();
  batches_ *= 2;
  inner_files_.resize(batches_);
  outer_files_.resize(batches_);
  std::size_t before = entries_;
  std::vector<Entry*> old;
  old.swap(buckets_);
  Arena old_arena;
  old_arena.swap(arena_);
  Arena fresh(16384);
  arena_.swap(fresh);
  buckets_.assign(old.size(), nullptr);
  entries_ = 0;
  for (Entry* e : old) {
    for (; e != nullptr; e = e->next) {
      std::uint32_t batch = batch_of(e->hash);
      if (batch != current_) {
        spill(inner_files_, batch).put(e->row(), e->hash);
        continue;
      }
      auto* copy = static_cast<Entry*>(arena_.allocate(sizeof(Entry) + e->row()->size, 8));
      std::memcpy(static_cast<void*>(copy), e, sizeof(Entry) + e->row()->size);
      Entry*& bucket = buckets_[copy->hash & (buckets_.size() - 1)];
      copy->next = bucket;
      bucket = copy;
      ++entries_;
    }
  }
  // All the rows have one hash value (or nearly): more batches would not help.
  if (entries_ == before || entries_ == 0) may_split_ = false;
}

void HashBatches::finish_inner() {
  if (buckets_.empty()) buckets_.assign(kFirstBuckets, nullptr);
}

HashBatches::Entry* HashBatches::next_entry(EntryCursor& cursor) const {
  if (cursor.entry != nullptr) cursor.entry = cursor.entry->next;
  while (cursor.entry == nullptr) {
    if (cursor.bucket >= buckets_.size()) return nullptr;
    cursor.entry = buckets_[cursor.bucket++];
  }
  return cursor.entry;
}

void HashBatches::start_over(bool forget_matches) {
  HATHI_ASSERT(batches_ == 1);
  current_ = 0;
  if (!forget_matches) return;
  for (Entry* e : buckets_) {
    for (; e != nullptr; e = e->next) e->matched = 0;
  }
}

void HashBatches::add_outer(Row& row, std::uint32_t hash) {
  row.need(outer_->count());
  std::size_t size = packed_size(*outer_, row.values, row.nulls);
  if (packing_.size() < size) packing_.resize(size * 2);
  pack_row_at(*outer_, row.values, row.nulls, size, packing_.data());
  spill(outer_files_, batch_of(hash)).put(reinterpret_cast<const PackedRow*>(packing_.data()), hash);
}

bool HashBatches::next_outer(Row& row, std::uint32_t& hash) {
  if (current_ >= outer_files_.size() || outer_files_[current_] == nullptr) return false;
  const PackedRow* packed = outer_files_[current_]->next(hash);
  if (packed == nullptr) return false;
  row.set_packed(packed);
  return true;
}

bool HashBatches::next_batch(bool fill_outer, bool fill_inner) {
  for (;;) {
    if (current_ < inner_files_.size()) inner_files_[current_].reset();
    if (current_ < outer_files_.size()) outer_files_[current_].reset();
    ++current_;
    if (current_ >= batches_) return false;
    Spill* inner = current_ < inner_files_.size() ? inner_files_[current_].get() : nullptr;
    Spill* outer = current_ < outer_files_.size() ? outer_files_[current_].get() : nullptr;
    if (inner == nullptr && outer == nullptr) continue;
    // A file written when there were fewer batches may have rows of later batches: it must be read even if this batch yields nothing.
    bool stale = (inner != nullptr && inner->batches != batches_) || (outer != nullptr && outer->batches != batches_);
    if (!stale && outer == nullptr && !fill_inner) continue;
    if (!stale && inner == nullptr && !fill_outer) continue;
    arena_.reset();
    buckets_.assign(buckets_.size(), nullptr);
    entries_ = 0;
    may_split_ = true;
    if (inner != nullptr) {
      std::uint32_t hash;
      while (const PackedRow* row = inner->next(hash)) {
        check_interrupts();
        std::uint32_t batch = batch_of(hash);
        if (batch == current_) {
          insert(row, hash);
        } else {
          spill(inner_files_, batch).put(row, hash);
        }
      }
    }
    return true;
  }
}

}  // namespace hathi::executor
