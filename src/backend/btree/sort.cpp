#include "sort.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "hathi/shmem/interrupts.h"

namespace hathi::btree {

namespace {
constexpr std::size_t kBlockSize = 1 << 20;
constexpr std::size_t kLeastRunBuffer = 16 * 1024;
}  // namespace

EntrySorter::EntrySorter(const BTreeIndex& index, std::size_t memory) : index_(index), memory_(memory), prefix_kind_(Prefix::none) {
  const ColumnLayout& c = index.descriptor->layouts[0];
  switch (index.keys[0].comparison.kind) {
    case CompareKind::int4:
      if (c.length == 4) prefix_kind_ = Prefix::int4;
      break;
    case CompareKind::int8:
      if (c.length == 8) prefix_kind_ = Prefix::int8;
      break;
    case CompareKind::text_bytes:
      if (c.kind == ColumnLayout::Kind::varlena) prefix_kind_ = Prefix::bytes;
      break;
    default: break;
  }
  prefix_decides_ = prefix_kind_ == Prefix::int4 && index.keys.size() == 1;
}

EntrySorter::~EntrySorter() {
  for (std::byte* b : blocks_) std::free(b);
}

// An unsigned number that orders like the first column; equal numbers decide nothing unless prefix_decides_.
std::uint64_t EntrySorter::prefix_of(const std::byte* entry) const {
  constexpr std::uint64_t kNullFirst = 0, kNullLast = ~std::uint64_t{0};
  if (prefix_kind_ == Prefix::none) return 0;
  bool is_null = false;
  Datum value = read_column(index_, entry, 0, is_null);
  if (is_null) return index_.keys[0].nulls_first ? kNullFirst : kNullLast;
  std::uint64_t prefix = 0;
  switch (prefix_kind_) {
    case Prefix::int4: prefix = static_cast<std::uint64_t>(static_cast<std::uint32_t>(value.as_int32()) ^ 0x80000000u) + 1; break;
    case Prefix::int8: prefix = static_cast<std::uint64_t>(value.as_int64()) ^ (std::uint64_t{1} << 63); break;
    case Prefix::bytes: {
      const std::byte* p = value.as_pointer();
      if (!varlena::is_readable(p)) return 1;   // compressed: no cheap look; compared in full with its neighbours
      std::string_view text = varlena::payload(p);
      std::memcpy(&prefix, text.data(), std::min<std::size_t>(8, text.size()));
      prefix = __builtin_bswap64(prefix);
      break;
    }
    case Prefix::none: break;
  }
  if (index_.keys[0].descending) prefix = ~prefix;
  return std::clamp<std::uint64_t>(prefix, 1, kNullLast - 1);
}

bool EntrySorter::is_before(const Item& a, const Item& b) const {
  if (a.prefix != b.prefix) return a.prefix < b.prefix;
  if (!prefix_decides_ || a.prefix == 0 || a.prefix == ~std::uint64_t{0}) {
    EntryOrder order = compare_entries(index_, a.entry, b.entry);
    if (order.order != 0) return order.order < 0;
  }
  return sorted_tid(a.entry) < sorted_tid(b.entry);
}

void EntrySorter::add(std::span<const std::byte> entry) {
  std::size_t size = align8(entry.size());
  std::size_t needed = size + sizeof(Item);
  if (memory_used_ + needed > memory_ && !items_.empty()) spill();
  if (blocks_.empty() || block_used_ + size > kBlockSize) {
    auto* block = static_cast<std::byte*>(std::malloc(kBlockSize));
    if (block == nullptr) throw SqlError(sqlstate::out_of_memory, "out of memory");
    blocks_.push_back(block);
    block_used_ = 0;
  }
  std::byte* copy = blocks_.back() + block_used_;
  std::memcpy(copy, entry.data(), entry.size());
  block_used_ += size;
  memory_used_ += needed;
  Item item{prefix_of(copy), copy};
  if (in_order_ && !items_.empty() && !is_before(items_.back(), item)) in_order_ = false;
  items_.push_back(item);
  if (items_.size() % 4096 == 0) {
    check_interrupts();
    reset_comparison_arena();
  }
}

void EntrySorter::sort_items() {
  if (!in_order_) std::sort(items_.begin(), items_.end(), [this](const Item& a, const Item& b) { return is_before(a, b); });
  reset_comparison_arena();
}

void EntrySorter::spill() {
  sort_items();
  if (file_ == nullptr) file_ = std::make_unique<storage::TempFile>();
  std::int64_t start = file_->size();
  for (const Item& item : items_) file_->append(item.entry, align8(entry_size(item.entry)));
  // Input that comes in order makes one long run.
  bool goes_on = !runs_.empty() && is_before({prefix_of(last_spilled_.data()), last_spilled_.data()}, items_.front());
  std::int64_t end = start;
  for (const Item& item : items_) end += static_cast<std::int64_t>(align8(entry_size(item.entry)));
  if (goes_on) {
    runs_.back().end = end;
  } else {
    runs_.push_back({start, end, {}, 0, 0, {}});
  }
  const std::byte* last = items_.back().entry;
  last_spilled_.assign(last, last + entry_size(last));
  items_.clear();
  in_order_ = true;
  for (std::size_t i = 1; i < blocks_.size(); ++i) std::free(blocks_[i]);
  blocks_.resize(1);
  block_used_ = memory_used_ = 0;
  check_interrupts();
}

void EntrySorter::finish() {
  if (file_ == nullptr) {
    sort_items();
    return;
  }
  if (!items_.empty()) spill();
  for (std::byte* b : blocks_) std::free(b);
  blocks_.clear();
  start_merge();
}

// Makes the run's next entry its head; false at its end.
bool EntrySorter::advance(Run& run) {
  auto ensure = [&](std::size_t bytes) {
    if (run.size - run.used >= bytes) return true;
    std::memmove(run.buffer.data(), run.buffer.data() + run.used, run.size - run.used);
    run.size -= run.used;
    run.used = 0;
    auto want = static_cast<std::size_t>(std::min<std::int64_t>(static_cast<std::int64_t>(run.buffer.size() - run.size), run.end - run.at));
    if (want > 0) {
      file_->seek(run.at);
      std::size_t got = file_->read(run.buffer.data() + run.size, want);
      run.at += static_cast<std::int64_t>(got);
      run.size += got;
    }
    return run.size >= bytes;
  };
  if (!ensure(sizeof(EntryHeader))) return false;
  std::size_t size = align8(entry_size(run.buffer.data() + run.used));
  if (!ensure(size)) throw SqlError(sqlstate::internal_error, "unexpected end of a sort run");
  const std::byte* entry = run.buffer.data() + run.used;
  run.head = {prefix_of(entry), entry};
  run.used += size;
  return true;
}

void EntrySorter::start_merge() {
  file_->rewind();
  std::size_t share = std::max(kLeastRunBuffer, std::min<std::size_t>(memory_ / (runs_.size() + 1), kBlockSize));
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    runs_[i].buffer.resize(share);
    if (advance(runs_[i])) heap_.push_back(i);
  }
  std::make_heap(heap_.begin(), heap_.end(), [this](std::size_t a, std::size_t b) { return is_before(runs_[b].head, runs_[a].head); });
}

const std::byte* EntrySorter::next() {
  if (file_ == nullptr) return position_ < items_.size() ? items_[position_++].entry : nullptr;
  if (heap_.empty()) return nullptr;
  auto later = [this](std::size_t a, std::size_t b) { return is_before(runs_[b].head, runs_[a].head); };
  if (heap_.size() > 1) std::pop_heap(heap_.begin(), heap_.end(), later);
  Run& run = runs_[heap_.back()];
  // The run's buffer moves on: the entry is copied out. The one before it stays valid as well.
  returned_turn_ ^= 1;
  std::vector<std::byte>& copy = returned_[returned_turn_];
  std::size_t size = align8(entry_size(run.head.entry));
  if (copy.size() < kEntryBuffer) copy.resize(kEntryBuffer);
  std::memcpy(copy.data(), run.head.entry, size);
  if (!advance(run)) {
    heap_.pop_back();
  } else if (heap_.size() > 1) {
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  return copy.data();
}

}  // namespace hathi::btree
