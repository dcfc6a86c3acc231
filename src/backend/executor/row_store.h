#pragma once
// Rows kept in order: materialised inputs, CTEs, work tables, window partitions, function results, held cursors. The first rows, up
// to a limit, are in memory, the others in a temporary file. Rows are addressed by number, so any reader can go anywhere.

#include <memory>
#include <vector>

#include "hathi/storage/file.h"
#include "row.h"

namespace hathi::executor {

class RowStore {
 public:
  // limit: bytes of memory. The descriptor must outlive the store.
  RowStore(const TupleDescriptor& descriptor, std::size_t limit) : descriptor_(&descriptor), limit_(limit) {}
  RowStore(const RowStore&) = delete;
  RowStore& operator=(const RowStore&) = delete;

  void put(const Datum* values, const bool* nulls);
  void put(Row& row) {
    row.need(descriptor_->count());
    put(row.values, row.nulls);
  }
  std::uint64_t size() const { return count_; }
  bool spilled() const { return file_ != nullptr; }
  std::size_t memory() const { return arena_.footprint() + rows_.capacity() * sizeof(PackedRow*); }
  std::size_t file_size() const { return file_ == nullptr ? 0 : static_cast<std::size_t>(file_end_); }
  void clear();
  // In-memory stores: forgets rows, keeps memory for the next fill.
  void restart();

  // A reading position with its own buffer for spilled rows. Rows handed out stay valid until the reader's next read, or (in memory)
  // until the store is cleared.
  class Reader {
   public:
    // Points `out` at row `number`; false when there is none.
    bool read(RowStore& store, std::uint64_t number, Row& out);
    void reset() { buffer_start_ = -1; buffer_.clear(); }
   private:
    friend class RowStore;
    const PackedRow* at(RowStore& store, std::int64_t offset);
    std::uint64_t next_number_ = 0;    // whose offset next_offset_ is
    std::int64_t next_offset_ = 0;
    std::int64_t buffer_start_ = -1;   // file offset of buffer_[0]
    std::vector<std::byte> buffer_;
    std::size_t filled_ = 0;
  };

 private:
  static constexpr std::uint64_t kOffsetStep = 32;   // every so many rows the file offset is remembered

  const TupleDescriptor* descriptor_;
  std::size_t limit_;
  Arena arena_{8192};
  std::vector<PackedRow*> rows_;
  std::uint64_t count_ = 0;
  std::unique_ptr<storage::TempFile> file_;
  std::vector<std::int64_t> offsets_;
  std::int64_t file_end_ = 0;
  bool unflushed_ = false;
  std::vector<std::byte> packing_;
};

}  // namespace hathi::executor
