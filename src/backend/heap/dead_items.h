#pragma once
// The line pointers a vacuum found dead, in block order, bounded in memory. Private to heap/.

#include <algorithm>
#include <span>
#include <vector>

#include "hathi/base/ids.h"

namespace hathi::heap {

class DeadItems {
 public:
  explicit DeadItems(std::size_t max_bytes) : max_bytes_(max_bytes) {}
  // Blocks come in rising order; offsets too.
  void add(BlockNumber block, std::span<const OffsetNumber> offsets) {
    if (offsets.empty()) return;
    blocks_.push_back({block, static_cast<std::uint32_t>(offsets_.size())});
    offsets_.insert(offsets_.end(), offsets.begin(), offsets.end());
  }
  // Is there room for another page's items?
  bool is_full(std::size_t items_of_page) const { return bytes() + items_of_page * sizeof(OffsetNumber) + sizeof(Entry) > max_bytes_; }
  bool contains(TupleId tid) const {
    if (recent_ >= blocks_.size() || blocks_[recent_].block != tid.block) {
      auto found = std::lower_bound(blocks_.begin(), blocks_.end(), tid.block, [](const Entry& e, BlockNumber b) { return e.block < b; });
      if (found == blocks_.end() || found->block != tid.block) return false;
      recent_ = static_cast<std::size_t>(found - blocks_.begin());
    }
    std::span<const OffsetNumber> offsets = offsets_of(recent_);
    return std::binary_search(offsets.begin(), offsets.end(), tid.offset);
  }
  std::size_t block_count() const { return blocks_.size(); }
  std::size_t count() const { return offsets_.size(); }
  BlockNumber block(std::size_t i) const { return blocks_[i].block; }
  std::span<const OffsetNumber> offsets_of(std::size_t i) const {
    std::size_t first = blocks_[i].first, last = i + 1 < blocks_.size() ? blocks_[i + 1].first : offsets_.size();
    return {offsets_.data() + first, last - first};
  }
  std::size_t bytes() const { return blocks_.size() * sizeof(Entry) + offsets_.size() * sizeof(OffsetNumber); }
  void clear() {
    blocks_.clear();
    offsets_.clear();
    recent_ = 0;
  }

 private:
  struct Entry { BlockNumber block; std::uint32_t first; };
  std::size_t max_bytes_;
  std::vector<Entry> blocks_;
  std::vector<OffsetNumber> offsets_;
  mutable std::size_t recent_ = 0;   // index entries of one block often come together
};

}  // namespace hathi::heap
