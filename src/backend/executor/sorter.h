#pragma once
// Sorting rows: quicksort in memory, a heap of the first n for LIMIT, runs on disk merged when memory is not enough.

#include <memory>
#include <vector>

#include "comparison.h"
#include "hathi/storage/file.h"

namespace hathi::executor {

class Sorter {
 public:
  // memory: bytes. bound: only the first so many rows are wanted, 0 = all. Descriptor and columns must outlive the sorter.
  Sorter(const TupleDescriptor& descriptor, std::span<const SortColumn> columns, std::size_t memory, std::uint64_t bound = 0);
  ~Sorter();
  Sorter(const Sorter&) = delete;
  Sorter& operator=(const Sorter&) = delete;

  void put(Row& row);
  void finish();
  // The next row in order; its memory is the sorter's until the next call.
  bool next(Row& out);
  // Back to the first row; after an external merge it is merged again.
  void rewind();
  void clear();
  void set_bound(std::uint64_t bound) { bound_ = bound; }
  std::uint64_t size() const { return count_; }
  // "quicksort", "top-N heapsort", "external merge"; kilobytes of memory or disk.
  const char* method() const;
  bool on_disk() const { return !runs_.empty(); }
  std::size_t kilobytes() const;

 private:
  // The first key beside the row; further keys stand before the packed row.
  struct Entry {
    Datum key;
    PackedRow* row;
    bool null;
  };
  struct Run;
  Datum* further_values(const PackedRow* row) const;
  bool* further_nulls(const PackedRow* row) const;
  int compare_further(const Entry& a, const Entry& b) const;
  int compare_entries(const Entry& a, const Entry& b) const;
  Entry make_entry(Row& row, Arena& arena);
  void load_keys(Entry& entry);
  void put_bounded(Row& row);
  void compact();
  void sort_entries();
  void write_run();
  void merge_some_runs();
  void start_merge();
  bool advance(Run& run);

  const TupleDescriptor* descriptor_;
  std::span<const SortColumn> columns_;
  std::size_t memory_;
  std::uint64_t bound_;
  int highest_ = 0;                    // key column
  std::size_t prefix_;                 // bytes before a packed row for further keys
  Arena arena_{16384};
  mutable Arena scratch_{1024};
  std::vector<Entry> entries_;
  bool heap_mode_ = false;
  bool used_heap_ = false;
  std::size_t live_bytes_ = 0;
  std::uint64_t count_ = 0;
  std::size_t position_ = 0;
  std::vector<std::unique_ptr<Run>> runs_;
  std::vector<Run*> merge_heap_;
  Run* pending_ = nullptr;             // whose row was handed out last
  std::size_t disk_bytes_ = 0;
  std::size_t peak_ = 0;
  Row key_row_;
  std::vector<Datum> key_values_;
  std::unique_ptr<bool[]> key_nulls_;
};

}  // namespace hathi::executor
