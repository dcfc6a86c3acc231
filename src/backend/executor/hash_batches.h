#pragma once
// The hash table of a hash join, and the files its batches spill to.
//
// Batch of a row = some bits of its hash, bucket = other bits. When the rows of the current batch outgrow the memory, the number of
// batches is doubled: each row stays in its batch or moves to a later one, so batches done already are not touched.

#include <memory>
#include <vector>

#include "hathi/storage/file.h"
#include "row.h"

namespace hathi::executor {

class HashBatches {
 public:
  struct Entry {
    Entry* next;             // same bucket
    std::uint32_t hash;
    std::uint32_t matched;   // some outer row matched it (right, full joins)
    PackedRow* row() const { return reinterpret_cast<PackedRow*>(const_cast<Entry*>(this) + 1); }
  };
  struct EntryCursor { std::size_t bucket = 0; Entry* entry = nullptr; };

  HashBatches(const TupleDescriptor& inner, const TupleDescriptor& outer, std::size_t memory);
  ~HashBatches();
  HashBatches(const HashBatches&) = delete;
  HashBatches& operator=(const HashBatches&) = delete;

  void add_inner(Row& row, std::uint32_t hash);
  // Makes the table of batch 0 ready to be searched.
  void finish_inner();
  Entry* bucket(std::uint32_t hash) const { return buckets_.empty() ? nullptr : buckets_[hash & (buckets_.size() - 1)]; }
  // All entries of the current batch, in turn.
  Entry* next_entry(EntryCursor& cursor) const;
  // The only batch is searched from the start by another outer input.
  void start_over(bool forget_matches);

  std::uint32_t batch_of(std::uint32_t hash) const { return batches_ == 1 ? 0 : ((hash * 0x9E3779B1u) >> 12) & (batches_ - 1); }
  std::uint32_t current_batch() const { return current_; }
  std::uint32_t batch_count() const { return batches_; }
  // For a later batch: into its file.
  void add_outer(Row& row, std::uint32_t hash);
  // The next outer row of the current batch (not batch 0).
  bool next_outer(Row& row, std::uint32_t& hash);
  // Loads the next batch that can yield rows; false when there is none.
  bool next_batch(bool fill_outer, bool fill_inner);

  std::uint64_t inner_rows() const { return inner_rows_; }
  std::size_t bucket_count() const { return buckets_.size(); }
  std::size_t peak_memory() const { return peak_; }

 private:
  struct Spill;
  void insert(const PackedRow* row, std::uint32_t hash);
  void rebuild_buckets();
  void split();
  std::size_t used() const { return arena_.footprint() + buckets_.size() * sizeof(Entry*); }
  Spill& spill(std::vector<std::unique_ptr<Spill>>& files, std::uint32_t batch);

  const TupleDescriptor* inner_;
  const TupleDescriptor* outer_;
  std::size_t memory_;
  Arena arena_{16384};
  std::vector<Entry*> buckets_;
  std::size_t entries_ = 0;
  std::uint64_t inner_rows_ = 0;
  std::uint32_t batches_ = 1, current_ = 0;
  bool may_split_ = true;
  std::size_t peak_ = 0;
  std::vector<std::unique_ptr<Spill>> inner_files_, outer_files_;
  std::vector<std::byte> packing_;
};

}  // namespace hathi::executor
