#pragma once
// Sorting the entries of an index being built: in memory, in runs on disk beyond maintenance_work_mem. Private to btree/.

#include <memory>
#include <vector>

#include "hathi/storage/file.h"
#include "search_key.h"

namespace hathi::btree {

// Entries while they are sorted are leaf entries; this bit in their row's offset marks a row that is not alive (not checked for
// uniqueness).
inline constexpr std::uint16_t kNotAlive = 0x8000;
inline TupleId sorted_tid(const std::byte* entry) {
  TupleId tid = read_tid(entry);
  return {tid.block, OffsetNumber{static_cast<std::uint16_t>(tid.offset.value() & ~kNotAlive)}};
}

class EntrySorter {
 public:
  EntrySorter(const BTreeIndex& index, std::size_t memory);
  ~EntrySorter();
  EntrySorter(const EntrySorter&) = delete;
  EntrySorter& operator=(const EntrySorter&) = delete;
  void add(std::span<const std::byte> entry);
  // Ends adding.
  void finish();
  // The next entry in index order, rows with equal keys by position; nullptr at the end. Valid until the call after the next.
  const std::byte* next();

 private:
  struct Item { std::uint64_t prefix; const std::byte* entry; };
  // A sorted stretch of the spill file, read through a buffer.
  struct Run {
    std::int64_t at, end;
    std::vector<std::byte> buffer;
    std::size_t used = 0, size = 0;
    Item head{};
  };

  std::uint64_t prefix_of(const std::byte* entry) const;
  bool is_before(const Item& a, const Item& b) const;
  void sort_items();
  void spill();
  bool advance(Run& run);
  void start_merge();

  const BTreeIndex& index_;
  std::size_t memory_;
  enum class Prefix : std::uint8_t { none, int4, int8, bytes } prefix_kind_;
  bool prefix_decides_ = false;      // equal prefixes mean equal keys
  std::vector<std::byte*> blocks_;   // entry memory, kBlockSize each
  std::size_t block_used_ = 0, memory_used_ = 0;
  std::vector<Item> items_;
  bool in_order_ = true;             // items_ so far came in order
  std::size_t position_ = 0;
  std::unique_ptr<storage::TempFile> file_;
  std::vector<Run> runs_;
  std::vector<std::byte> last_spilled_;
  std::vector<std::size_t> heap_;    // runs by their heads
  std::vector<std::byte> returned_[2];
  int returned_turn_ = 0;
};

}  // namespace hathi::btree
