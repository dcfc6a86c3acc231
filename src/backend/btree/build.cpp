// Building an index bottom-up from sorted entries: every level fills its pages one after the other; a page that is full hands its
// pivot to the level above.
#include <algorithm>
#include <memory>

#include "deduplicate.h"
#include "hathi/config/settings.h"
#include "hathi/heap/free_space.h"
#include "hathi/shmem/interrupts.h"
#include "search.h"
#include "sort.h"

namespace hathi::btree {

using locking::LwMode;

namespace {

// Pages are closed as PostgreSQL closes its own, whose headers are 12 bytes shorter, so that indexes have as many pages.
constexpr std::size_t kReferenceRoom = 8148, kUsable = kPageSize - kPageHeaderSize - kSpecialSize;
constexpr int kInnerFillFactor = 70;
constexpr std::size_t kMaxBuildPosting = 808;

class PageWriter {
 public:
  explicit PageWriter(const BTreeIndex& index) : index_(index), ring_(buffer::make_ring(buffer::RingKind::bulk_write)) {}
  ~PageWriter() { if (ring_ != nullptr) buffer::free_ring(ring_); }
  // Blocks added and not used after all are free pages.
  void finish() {
    if (next_ < end_) heap::record_free_space(index_.file, BlockNumber{next_}, BlockNumber{end_}, kPageSize);
  }
  PageWriter(const PageWriter&) = delete;
  PageWriter& operator=(const PageWriter&) = delete;

  std::uint32_t new_block() {
    if (next_ == end_) {
      int count = static_cast<int>(std::clamp<std::uint32_t>(end_ / 128, 1, 16));
      buffer::PinnedBuffer first = buffer::extend(index_.file, Fork::main, count, ring_);
      next_ = first.block().value();
      end_ = next_ + static_cast<std::uint32_t>(count);
    }
    return next_++;
  }
  void write(std::uint32_t block, const std::byte* image) {
    buffer::PinnedBuffer pin = buffer::read(block_tag(index_, block), buffer::ReadMode::zero, ring_);
    pin.lock(LwMode::exclusive);
    wal::Change change(wal::ResourceManager::btree, static_cast<std::uint8_t>(BTreeOperation::build), index_.logged());
    change.page(pin).image(image);
    change.apply();
  }

 private:
  const BTreeIndex& index_;
  buffer::Ring* ring_;
  std::uint32_t next_ = 0, end_ = 0;
};

// The page of one level that is being filled. Line 1 is kept for the high key and closed up when the page stays rightmost.
class Level {
 public:
  Level(const BTreeIndex& index, PageWriter& writer, std::uint32_t level) : index_(index), writer_(writer), level_(level) {
    open(kNoBlock, writer.new_block());
  }

  std::uint32_t block() const { return block_; }
  bool is_empty() const { return used_ == 0; }
  // Would the entry overfill the page?
  bool is_full_for(std::size_t size) const {
    std::size_t need = align8(size) + sizeof(LinePointer);
    std::size_t fill = level_ == 0 ? static_cast<std::size_t>(index_.fill_factor) : kInnerFillFactor;
    std::size_t reserve = kPageSize * (100 - fill) / 100;
    bool soft = used_ + need + reserve > kReferenceRoom && count_ >= 2;
    // A high key of the largest size it can have must still fit.
    bool hard = used_ + need + align8(size) + 8 + sizeof(LinePointer) > kUsable;
    return soft || hard;
  }
  void add(std::span<const std::byte> entry) {
    std::size_t size = align8(entry.size());
    upper_ -= size;
    std::memcpy(image_ + upper_, entry.data(), entry.size());
    std::memset(image_ + upper_ + entry.size(), 0, size - entry.size());
    put_line(static_cast<std::uint16_t>(count_ + 2), upper_, entry.size());
    ++count_;
    used_ += size + sizeof(LinePointer);
    last_ = image_ + upper_;
  }
  const std::byte* last() const { return last_; }
  int count() const { return count_; }
  bool has_room_for_high_key(std::size_t size) const { return used_ + align8(size) + sizeof(LinePointer) <= kUsable; }
  // Takes the last entry off again; returns its size.
  std::size_t pop(std::byte* copy) {
    std::size_t size = entry_size(last_);
    std::memcpy(copy, last_, size);
    --count_;
    upper_ += align8(size);
    used_ -= align8(size) + sizeof(LinePointer);
    last_ = image_ + upper_;
    return size;
  }
  // Ends the page with this high key and opens the next one.
  void close(std::span<const std::byte> high_key) {
    std::size_t size = align8(high_key.size());
    upper_ -= size;
    std::memcpy(image_ + upper_, high_key.data(), high_key.size());
    put_line(1, upper_, high_key.size());
    std::uint32_t next = writer_.new_block();
    finish_page(next, static_cast<std::uint16_t>(count_ + 1), 0);
    open(block_, next);
  }
  // The last page of the level.
  void close_last(bool is_root) {
    std::memmove(image_ + line_position(1), image_ + line_position(2), static_cast<std::size_t>(count_) * sizeof(LinePointer));
    finish_page(kNoBlock, count_, is_root ? kRoot : 0);
  }

 private:
  void open(std::uint32_t previous, std::uint32_t block) {
    previous_ = previous;
    block_ = block;
    std::memset(image_, 0, kPageSize);
    upper_ = kPageSize - kSpecialSize;
    count_ = 0;
    used_ = 0;
    last_ = nullptr;
  }
  void put_line(std::uint16_t line, std::size_t offset, std::size_t size) {
    LinePointer lp = LinePointer::make(static_cast<std::uint16_t>(offset), LinePointer::State::normal, static_cast<std::uint16_t>(size));
    std::memcpy(image_ + line_position(line), &lp, sizeof(lp));
  }
  void finish_page(std::uint32_t next, std::uint16_t lines, std::uint16_t flags) {
    PageHeader& h = PageView(image_).header();
    h.lower = line_position(static_cast<std::uint16_t>(lines + 1));
    h.upper = static_cast<std::uint16_t>(upper_);
    h.special = kPageSize - kSpecialSize;
    h.version = kPageVersion;
    Special s{previous_, next, level_, static_cast<std::uint16_t>(flags | (level_ == 0 ? kLeaf : 0)), 0};
    std::memcpy(image_ + special_position(0), &s, sizeof(s));
    writer_.write(block_, image_);
  }

  const BTreeIndex& index_;
  PageWriter& writer_;
  std::uint32_t level_, previous_ = kNoBlock, block_ = kNoBlock;
  std::size_t upper_ = 0, used_ = 0;
  std::uint16_t count_ = 0;
  const std::byte* last_ = nullptr;
  alignas(8) std::byte image_[kPageSize];
};

class TreeBuilder {
 public:
  explicit TreeBuilder(const BTreeIndex& index) : index_(index), writer_(index) {}

  void add_leaf(std::span<const std::byte> entry) {
    Level& leaf = level(0);
    if (!leaf.is_empty() && leaf.is_full_for(entry.size())) {
      std::size_t size = make_pivot(index_, leaf.last(), entry.data(), pivot_), moved_size = 0;
      if (!leaf.has_room_for_high_key(size)) {
        // The new entry's key is too long for what is left: the page gives up its last entry, whose key fits its place.
        moved_size = leaf.pop(moved_);
        size = make_pivot(index_, leaf.last(), moved_, pivot_);
      }
      std::uint32_t full = leaf.block();
      leaf.close({pivot_, size});
      add_inner(1, full, leaf.block(), size);
      if (moved_size != 0) leaf.add({moved_, moved_size});
    }
    leaf.add(entry);
  }
  // Writes what is left; returns the root (kNoBlock: no entries) and its level.
  std::uint32_t finish(std::uint32_t& root_level) {
    if (levels_.empty()) return kNoBlock;
    for (std::size_t i = 0; i < levels_.size(); ++i) levels_[i]->close_last(i + 1 == levels_.size());
    root_level = static_cast<std::uint32_t>(levels_.size() - 1);
    writer_.finish();
    return levels_.back()->block();
  }

 private:
  Level& level(std::size_t n) {
    if (n == levels_.size()) levels_.push_back(std::make_unique<Level>(index_, writer_, static_cast<std::uint32_t>(n)));
    return *levels_[n];
  }
  // The page `left` is full and `right` follows it; pivot_ (size bytes) separates them.
  void add_inner(std::size_t n, std::uint32_t left, std::uint32_t right, std::size_t size) {
    bool is_new = n == levels_.size();
    Level& inner = level(n);
    alignas(8) std::byte minus_infinity[8];
    if (is_new) {
      make_minus_infinity(minus_infinity, left);
      inner.add(minus_infinity);
    }
    set_child(pivot_, right);
    if (!inner.is_full_for(size)) {
      inner.add({pivot_, size});
      return;
    }
    // The pivot becomes the full page's high key; its child opens the next page.
    std::uint32_t full = inner.block();
    if (inner.has_room_for_high_key(size)) {
      inner.close({pivot_, size});
      make_minus_infinity(minus_infinity, right);
      inner.add(minus_infinity);
      add_inner(n + 1, full, inner.block(), size);
      return;
    }
    // As for leaves: the page's last pivot takes that part, and this one follows on the next page.
    alignas(8) std::byte next_pivot[kEntryBuffer], moved[kEntryBuffer];
    std::memcpy(next_pivot, pivot_, size);
    std::size_t moved_size = inner.pop(moved);
    inner.close({moved, moved_size});
    make_minus_infinity(minus_infinity, child_block(moved));
    inner.add(minus_infinity);
    inner.add({next_pivot, size});
    std::memcpy(pivot_, moved, moved_size);
    add_inner(n + 1, full, inner.block(), moved_size);
  }

  const BTreeIndex& index_;
  PageWriter writer_;
  std::vector<std::unique_ptr<Level>> levels_;
  alignas(8) std::byte pivot_[kEntryBuffer], moved_[kEntryBuffer];
};

// Joins equal keys into posting lists on their way to the leaves.
class Merger {
 public:
  Merger(const BTreeIndex& index, TreeBuilder& tree) : tree_(tree), merges_(may_deduplicate(index, false)) {}
  void add(std::span<const std::byte> entry) {
    if (!merges_) {
      tree_.add_leaf(entry);
      return;
    }
    bool same = !rows_.empty() && entry.size() == base_size_ && same_key(entry);
    if (same && align8(base_size_ + (rows_.size() + 1) * 6) <= kMaxBuildPosting) {
      rows_.push_back(read_tid(entry.data()));
      return;
    }
    flush();
    std::memcpy(base_, entry.data(), entry.size());
    base_size_ = entry.size();
    rows_.assign(1, read_tid(entry.data()));
  }
  void flush() {
    if (rows_.size() == 1) {
      tree_.add_leaf({base_, base_size_});
    } else if (!rows_.empty()) {
      std::size_t size = make_posting(base_, rows_, posting_);
      tree_.add_leaf({posting_, size});
    }
    rows_.clear();
  }

 private:
  bool same_key(std::span<const std::byte> entry) const {
    return std::memcmp(entry.data() + 6, base_ + 6, base_size_ - 6) == 0;   // info and key
  }
  TreeBuilder& tree_;
  bool merges_;
  std::size_t base_size_ = 0;
  std::vector<TupleId> rows_;
  alignas(8) std::byte base_[kEntryBuffer], posting_[kEntryBuffer];
};

}  // namespace

struct Builder::State {
  const BTreeIndex& index;
  std::function<void(const Datum*, const bool*)> on_duplicate;
  EntrySorter sorter;
  std::uint64_t rows = 0;
  alignas(8) std::byte entry[kEntryBuffer];
};

Builder::Builder(const BTreeIndex& index, std::function<void(const Datum* values, const bool* nulls)> on_duplicate)
    : state_(new State{index, std::move(on_duplicate), {index, static_cast<std::size_t>(config::values::maintenance_work_mem) * 1024}}) {}
Builder::~Builder() { delete state_; }
std::uint64_t Builder::row_count() const { return state_->rows; }

void Builder::add(const Datum* values, const bool* nulls, TupleId row, bool live) {
  State& s = *state_;
  std::size_t size = form_entry(s.index, values, nulls, row, s.entry);
  if (!live) entry_header(s.entry).offset |= kNotAlive;
  s.sorter.add({s.entry, size});
  ++s.rows;
}

namespace {

bool is_alive(const std::byte* e) { return (entry_header(e).offset & kNotAlive) == 0; }

bool has_null(const BTreeIndex& index, const std::byte* e) {
  bool is_null = false;
  for (int i = 0; i < static_cast<int>(index.keys.size()) && !is_null; ++i) read_column(index, e, i, is_null);
  return is_null;
}

void write_meta(const BTreeIndex& index, std::uint32_t root, std::uint32_t level) {
  buffer::PinnedBuffer pin = read_page(index, kMetaBlock.value());
  pin.lock(LwMode::exclusive);
  wal::Change change(wal::ResourceManager::btree, static_cast<std::uint8_t>(BTreeOperation::build), index.logged());
  Meta meta{kMagic, kVersion, root, level};
  change.page(pin).write_value(kMetaPosition, meta);
  change.apply();
}

}  // namespace

void Builder::finish() {
  State& s = *state_;
  const BTreeIndex& index = s.index;
  if (buffer::block_count(index.file, Fork::main) == BlockNumber{0}) create_empty(index);
  s.sorter.finish();
  TreeBuilder tree(index);
  auto merger = std::make_unique<Merger>(index, tree);
  // The last live entry, to find neighbours with the same key.
  std::vector<std::byte> previous;
  alignas(8) std::byte copy[kEntryBuffer];
  for (std::uint64_t n = 0; const std::byte* e = s.sorter.next(); ++n) {
    if (n % 1024 == 0) check_interrupts();
    std::size_t size = entry_size(e);
    if (index.unique && is_alive(e)) {
      bool same =
          !previous.empty() && compare_entries(index, previous.data(), e).order == 0 && (index.nulls_not_distinct || !has_null(index, e));
      if (same) {
        Datum values[kMaxColumns];
        bool nulls[kMaxColumns];
        read_columns(index, e, index.descriptor->count(), values, nulls);
        s.on_duplicate(values, nulls);
      }
      previous.assign(e, e + size);
    }
    std::memcpy(copy, e, size);
    entry_header(copy).offset &= static_cast<std::uint16_t>(~kNotAlive);
    merger->add({copy, size});
    if (n % 4096 == 0) reset_comparison_arena();
  }
  merger->flush();
  reset_comparison_arena();
  std::uint32_t level = 0, root = tree.finish(level);
  if (root != kNoBlock) write_meta(index, root, level);
}

}  // namespace hathi::btree
