#pragma once
// Sets of row positions from index scans: exact offsets a page, or (when memory is short) whole pages.

#include <cstdint>
#include <span>
#include <vector>

#include "hathi/base/ids.h"

namespace hathi::executor {

class TidBitmap {
 public:
  explicit TidBitmap(std::size_t memory) : memory_(memory) {}

  void add(TupleId tid);
  void unite(const TidBitmap& other);
  void intersect(const TidBitmap& other);
  bool empty() const { return pages_.empty() && lossy_count_ == 0; }

  // Iteration by rising block: begin() sorts.
  struct PageResult {
    BlockNumber block;
    std::span<const OffsetNumber> offsets;   // empty: all rows of the page
    bool recheck = false;
  };
  void begin();
  bool next(PageResult& out);

 private:
  static constexpr int kWords = 5;           // 320 line pointers: more than fit on a page
  struct Page {
    std::uint32_t block;
    bool recheck = false;
    std::uint64_t bits[kWords] = {};
  };
  Page* find(std::uint32_t block) const;
  Page& find_or_add(std::uint32_t block);
  bool is_lossy(std::uint32_t block) const { return block / 64 < lossy_.size() && ((lossy_[block / 64] >> (block % 64)) & 1) != 0; }
  void set_lossy(std::uint32_t block);
  void rebuild(std::size_t slots);
  void shrink();

  std::size_t memory_;
  std::vector<Page> pages_;
  std::vector<std::uint32_t> slots_;         // open addressing: index into pages_ + 1
  std::vector<std::uint64_t> lossy_;         // a bit a block
  std::uint64_t lossy_count_ = 0;
  mutable std::uint32_t last_ = 0;           // the page found last
  std::vector<std::uint32_t> order_;
  std::size_t position_ = 0;
  std::uint32_t lossy_position_ = 0;
  std::vector<OffsetNumber> offsets_;
};

}  // namespace hathi::executor
