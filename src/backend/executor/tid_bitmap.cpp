#include "tid_bitmap.h"

#include <algorithm>
#include <bit>

namespace hathi::executor {

namespace {
std::size_t slot_hash(std::uint32_t block) { return static_cast<std::size_t>(block * 0x9E3779B1u) >> 4; }
}  // namespace

TidBitmap::Page* TidBitmap::find(std::uint32_t block) const {
  if (last_ < pages_.size() && pages_[last_].block == block) return const_cast<Page*>(&pages_[last_]);
  if (slots_.empty()) return nullptr;
  std::size_t mask = slots_.size() - 1;
  for (std::size_t at = slot_hash(block) & mask; slots_[at] != 0; at = (at + 1) & mask) {
    if (pages_[slots_[at] - 1].block == block) {
      last_ = slots_[at] - 1;
      return const_cast<Page*>(&pages_[last_]);
    }
  }
  return nullptr;
}

TidBitmap::Page& TidBitmap::find_or_add(std::uint32_t block) {
  if (Page* p = find(block)) return *p;
  if (pages_.size() * 2 >= slots_.size()) rebuild(std::max<std::size_t>(64, slots_.size() * 2));
  pages_.push_back(Page{block, false, {}});
  std::size_t mask = slots_.size() - 1;
  std::size_t at = slot_hash(block) & mask;
  while (slots_[at] != 0) at = (at + 1) & mask;
  slots_[at] = static_cast<std::uint32_t>(pages_.size());
  last_ = static_cast<std::uint32_t>(pages_.size() - 1);
  return pages_.back();
}

void TidBitmap::rebuild(std::size_t slots) {
  slots_.assign(slots, 0);
  std::size_t mask = slots - 1;
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    std::size_t at = slot_hash(pages_[i].block) & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = static_cast<std::uint32_t>(i + 1);
  }
}

void TidBitmap::set_lossy(std::uint32_t block) {
  if (block / 64 >= lossy_.size()) lossy_.resize(std::max<std::size_t>(block / 64 + 1, lossy_.size() * 2), 0);
  std::uint64_t bit = std::uint64_t{1} << (block % 64);
  if ((lossy_[block / 64] & bit) == 0) ++lossy_count_;
  lossy_[block / 64] |= bit;
}

// Half of the pages (the fullest lose least, but any will do) are remembered as whole pages only.
void TidBitmap::shrink() {
  std::size_t keep = pages_.size() / 2;
  for (std::size_t i = keep; i < pages_.size(); ++i) set_lossy(pages_[i].block);
  pages_.resize(keep);
  last_ = 0;
  rebuild(slots_.size());
}

void TidBitmap::add(TupleId tid) {
  std::uint32_t block = tid.block.value();
  if (lossy_count_ != 0 && is_lossy(block)) return;
  Page& page = find_or_add(block);
  unsigned bit = tid.offset.value();
  page.bits[(bit / 64) % kWords] |= std::uint64_t{1} << (bit % 64);
  if (pages_.size() * sizeof(Page) + slots_.size() * 4 > memory_ && pages_.size() > 64) shrink();
}

void TidBitmap::unite(const TidBitmap& other) {
  for (const Page& p : other.pages_) {
    if (is_lossy(p.block)) continue;
    Page& mine = find_or_add(p.block);
    for (int i = 0; i < kWords; ++i) mine.bits[i] |= p.bits[i];
    mine.recheck = mine.recheck || p.recheck;
    if (pages_.size() * sizeof(Page) + slots_.size() * 4 > memory_ && pages_.size() > 64) shrink();
  }
  for (std::size_t w = 0; w < other.lossy_.size(); ++w) {
    for (std::uint64_t bits = other.lossy_[w]; bits != 0; bits &= bits - 1)
      set_lossy(static_cast<std::uint32_t>(w * 64 + static_cast<unsigned>(std::countr_zero(bits))));
  }
  if (lossy_count_ == 0) return;
  // A page is exact or lossy, not both.
  std::erase_if(pages_, [this](const Page& p) { return is_lossy(p.block); });
  last_ = 0;
  rebuild(std::max<std::size_t>(64, slots_.size()));
}

void TidBitmap::intersect(const TidBitmap& other) {
  std::vector<Page> result;
  for (Page& p : pages_) {
    if (other.is_lossy(p.block)) {
      p.recheck = true;
      result.push_back(p);
      continue;
    }
    const Page* o = other.find(p.block);
    if (o == nullptr) continue;
    std::uint64_t any = 0;
    for (int i = 0; i < kWords; ++i) any |= p.bits[i] &= o->bits[i];
    p.recheck = p.recheck || o->recheck;
    if (any != 0) result.push_back(p);
  }
  std::vector<std::uint64_t> lossy;
  lossy.swap(lossy_);
  lossy_count_ = 0;
  for (std::size_t w = 0; w < lossy.size(); ++w) {
    for (std::uint64_t bits = lossy[w]; bits != 0; bits &= bits - 1) {
      auto block = static_cast<std::uint32_t>(w * 64 + static_cast<unsigned>(std::countr_zero(bits)));
      if (other.is_lossy(block)) {
        set_lossy(block);
      } else if (const Page* o = other.find(block)) {
        result.push_back(*o);
        result.back().recheck = true;
      }
    }
  }
  pages_ = std::move(result);
  last_ = 0;
  rebuild(std::max<std::size_t>(64, std::bit_ceil(pages_.size() * 2 + 1)));
}

void TidBitmap::begin() {
  order_.resize(pages_.size());
  for (std::uint32_t i = 0; i < order_.size(); ++i) order_[i] = i;
  std::sort(order_.begin(), order_.end(), [this](std::uint32_t a, std::uint32_t b) { return pages_[a].block < pages_[b].block; });
  position_ = 0;
  lossy_position_ = 0;
}

bool TidBitmap::next(PageResult& out) {
  auto blocks = static_cast<std::uint32_t>(lossy_.size() * 64);
  while (lossy_position_ < blocks && !is_lossy(lossy_position_)) {
    // Whole words without a bit are skipped at once.
    if (lossy_position_ % 64 == 0 && lossy_[lossy_position_ / 64] == 0) lossy_position_ += 64;
    else ++lossy_position_;
  }
  bool has_lossy = lossy_position_ < blocks;
  if (position_ < order_.size() && (!has_lossy || pages_[order_[position_]].block < lossy_position_)) {
    const Page& p = pages_[order_[position_++]];
    offsets_.clear();
    for (unsigned w = 0; w < kWords; ++w) {
      for (std::uint64_t bits = p.bits[w]; bits != 0; bits &= bits - 1) {
        offsets_.push_back(OffsetNumber{static_cast<std::uint16_t>(w * 64 + static_cast<unsigned>(std::countr_zero(bits)))});
      }
    }
    out = {BlockNumber{p.block}, offsets_, p.recheck};
    return true;
  }
  if (!has_lossy) return false;
  out = {BlockNumber{lossy_position_++}, {}, true};
  return true;
}

}  // namespace hathi::executor
