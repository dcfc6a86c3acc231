#include "page_check.h"
#include "search.h"

#include <array>

#include "split.h"

#include "hathi/heap/free_space.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/transaction/xid_status.h"

namespace hathi::btree {

using locking::LwMode;

IndexHints& index_hints(const RelationFile& file) {
  constexpr std::size_t kEntries = 128;
  static std::array<IndexHints, kEntries> entries;
  std::uint32_t h = raw(file.relation) * 0x9E3779B1u ^ raw(file.database);
  IndexHints& hints = entries[(h >> 16) % kEntries];
  if (hints.file != file) {
    hints.root.set({kNoBlock, buffer::kNoBuffer});
    hints.last_leaf = kNoBlock;
    hints.last_leaf_buffer = buffer::kNoBuffer;
    hints.file = file;
  }
  return hints;
}

RootHint& root_hint(const BTreeIndex& index) { return index.root_hint != nullptr ? *index.root_hint : index_hints(index.file).root; }

namespace {

// The page must have been formatted, and not be the metapage.
void check_page(const BTreeIndex& index, const buffer::PinnedBuffer& pin) {
  PageView page = pin.page();
  if (page.is_new()) throw_corrupted(index, pin.block().value(), "unexpected zero page");
  if (has_flag(page, kMeta)) throw_corrupted(index, pin.block().value(), "a link to its metapage");
}

}  // namespace

buffer::PinnedBuffer read_page(const BTreeIndex& index, std::uint32_t block) {
  buffer::PinnedBuffer pin = buffer::read(block_tag(index, block));
  // The pool has checked the page by the rules of its kind, which must be ours (or none yet). The field never changes.
  std::uint16_t special_start = pin.page().header().special;
  if (special_start != kPageSize - kSpecialSize && special_start != 0) [[unlikely]] throw_corrupted(index, block, "corrupted page");
  return pin;
}

void check_sibling(const BTreeIndex& index, const buffer::PinnedBuffer& pin, std::uint32_t level, std::uint32_t& steps) {
  check_page(index, pin);
  std::uint32_t block = pin.block().value();
  if (special(pin.page()).level != level && !has_flag(pin.page(), kDeleted)) throw_corrupted(index, block, "a page of the wrong level");
  constexpr std::uint32_t kFewSteps = 1000;
  if (++steps > kFewSteps && steps > buffer::block_count(index.file, Fork::main).value()) throw_corrupted(index, block, "a circle of sibling links");
}

namespace {

const Meta& meta_of(PageView page) { return *reinterpret_cast<const Meta*>(page.bytes() + kMetaPosition); }

}  // namespace

Meta read_meta(const BTreeIndex& index) {
  buffer::PinnedBuffer pin = read_page(index, kMetaBlock.value());
  pin.lock(LwMode::shared);
  PageView page = pin.page();
  if (page.is_new() || page.header().special != kPageSize - kSpecialSize || !has_flag(page, kMeta) || meta_of(page).magic != kMagic) {
    throw SqlError(sqlstate::index_corrupted, "index \"{}\" is not a btree", index.name);
  }
  if (meta_of(page).version != kVersion) {
    throw SqlError(sqlstate::index_corrupted,
                   "version mismatch in index \"{}\": file version {}, current version {}, minimal supported version {}", index.name,
                   meta_of(page).version, kVersion, kVersion);
  }
  return meta_of(page);
}

buffer::PinnedBuffer lock_root(const BTreeIndex& index) {
  RootHint& hint = root_hint(index);
  RootHint::Place root = hint.get();
  for (int tries = 0;; ++tries) {
    if (root.block == kNoBlock || tries > 0) {
      root = {read_meta(index).root, buffer::kNoBuffer};
      if (root.block == kNoBlock) return {};
    }
    buffer::PinnedBuffer pin = buffer::read_recent(block_tag(index, root.block), root.buffer);
    pin.lock(LwMode::shared);
    check_page(index, pin);
    // The flag moves with the root, so that what is remembered can be trusted when it is there.
    if ((special(pin.page()).flags & (kRoot | kDeleted)) == kRoot) {
      hint.set({root.block, pin.index()});
      return pin;
    }
    if (tries > 10) throw_corrupted(index, root.block, "no valid root page");
    check_interrupts();
  }
}

void move_right(const BTreeIndex& index, const SearchKey& key, LwMode mode, buffer::PinnedBuffer& pin, const Path* path) {
  std::uint32_t steps = 0;
  for (;;) {
    PageView page = pin.page();
    bool deleted = has_flag(page, kDeleted);
    if (!deleted && !is_beyond(key, page)) return;
    if (path != nullptr && !deleted && has_flag(page, kIncompleteSplit)) {
      // Beyond is a page that its parent does not know yet.
      std::uint32_t block = pin.block().value();
      if (mode == LwMode::shared) {
        pin.unlock();
        pin.lock(LwMode::exclusive);
      }
      Path above = *path;
      finish_split(index, pin, above);
      pin = read_page(index, block);
      pin.lock(mode);
      continue;
    }
    std::uint32_t next = special(page).next, level = special(page).level;
    if (next == kNoBlock) throw_corrupted(index, pin.block().value(), "a deleted page without a right sibling");
    pin.release();
    pin = read_page(index, next);
    pin.lock(mode);
    check_sibling(index, pin, level, steps);
  }
}

namespace {

// One level down: the child's lock is taken after the parent's was dropped; a split in between is met by moving right.
void step_down(const BTreeIndex& index, const SearchKey& key, LwMode mode, buffer::PinnedBuffer& pin, Path* path) {
  PageView page = pin.page();
  std::uint16_t line = search_inner(key, page);
  std::uint32_t child = child_block(entry_at(page, line)), block = pin.block().value();
  if (path != nullptr) {
    if (path->depth >= kMaxLevels) throw_corrupted(index, block, "too many levels");
    path->steps[path->depth++] = {block, line};
  }
  pin.release();
  pin = read_page(index, child);
  pin.lock(mode);
  check_page(index, pin);
}

}  // namespace

buffer::PinnedBuffer descend(const BTreeIndex& index, const SearchKey& key, LwMode mode, Path* path) {
  buffer::PinnedBuffer pin = lock_root(index);
  if (!pin) return pin;
  if (path != nullptr) path->depth = 0;
  if (is_leaf(pin.page()) && mode == LwMode::exclusive) {
    pin.unlock();
    pin.lock(mode);
  }
  for (;;) {
    std::uint32_t level = special(pin.page()).level;
    move_right(index, key, level == 0 ? mode : LwMode::shared, pin, mode == LwMode::exclusive ? path : nullptr);
    if (level == 0) return pin;
    step_down(index, key, level == 1 ? mode : LwMode::shared, pin, path);
    if (special(pin.page()).level != level - 1) throw_corrupted(index, pin.block().value(), "a page of the wrong level");
  }
}

buffer::PinnedBuffer descend_to_level(const BTreeIndex& index, const SearchKey& key, std::uint32_t level, Path* path) {
  buffer::PinnedBuffer pin = lock_root(index);
  if (!pin) return pin;
  if (path != nullptr) path->depth = 0;
  for (;;) {
    move_right(index, key, LwMode::shared, pin, nullptr);
    std::uint32_t here = special(pin.page()).level;
    if (here <= level) return pin;
    step_down(index, key, LwMode::shared, pin, path);
    if (special(pin.page()).level != here - 1) throw_corrupted(index, pin.block().value(), "a page of the wrong level");
  }
}

buffer::PinnedBuffer edge_leaf(const BTreeIndex& index, bool last) {
  buffer::PinnedBuffer pin = lock_root(index);
  if (!pin) return pin;
  std::uint32_t steps = 0;
  for (;;) {
    PageView page = pin.page();
    std::uint32_t level = special(page).level;
    // Deleted under our feet, or split after its parent was read.
    if (has_flag(page, kDeleted) || (last && !is_rightmost(page))) {
      std::uint32_t next = special(page).next;
      if (next == kNoBlock) throw_corrupted(index, pin.block().value(), "a deleted page without a right sibling");
      pin.release();
      pin = read_page(index, next);
    } else if (is_leaf(page)) {
      return pin;
    } else {
      std::uint32_t child = child_block(entry_at(page, last ? page.line_count() : first_line(page)));
      --level;
      pin.release();
      pin = read_page(index, child);
    }
    pin.lock(LwMode::shared);
    check_sibling(index, pin, level, steps);
  }
}

bool is_recyclable(PageView page, Xid horizon) {
  if (page.is_new()) return true;
  return page.header().special == kPageSize - kSpecialSize && has_flag(page, kDeleted) && Xid{page.header().xid_base} < horizon;
}

namespace {

// Makes the (exclusively locked) page look like one deleted just now.
void stamp_reserved(buffer::PinnedBuffer& pin) {
  PageView page = pin.page();
  if (page.is_new()) {
    page.init(kSpecialSize);
    special(page) = {kNoBlock, kNoBlock, 0, kDeleted, 0};
  }
  page.header().xid_base = transaction::next_xid().value();
  pin.mark_dirty_hint();
}

// Pages that this process reserved and did not need: when many insert at the same place, most find after getting a page that another
// has split already. Kept for this process's next split of the index; whoever takes such a page in between stamps it anew.
struct Reserved { RelationFile file; std::uint32_t block = kNoBlock; std::uint64_t stamp = 0; };
constexpr std::size_t kReserved = 16;
std::array<Reserved, kReserved> reserved;
std::size_t next_reserved = 0;

buffer::PinnedBuffer take_reserved(const BTreeIndex& index) {
  for (Reserved& r : reserved) {
    if (r.block == kNoBlock || r.file != index.file) continue;
    buffer::PinnedBuffer pin = buffer::read(block_tag(index, r.block));
    std::uint64_t stamp = r.stamp;
    r.block = kNoBlock;
    if (!pin.try_lock(LwMode::exclusive)) continue;
    PageView page = pin.page();
    if (page.is_new() || page.header().special != kPageSize - kSpecialSize || !has_flag(page, kDeleted) || page.header().xid_base != stamp)
      continue;
    return pin;
  }
  return {};
}

// A free page of the map that nobody can be on the way to, exclusively locked.
buffer::PinnedBuffer take_recycled(const BTreeIndex& index) {
  BlockNumber limit = buffer::block_count(index.file, Fork::main);
  Xid horizon{0};
  for (;;) {
    BlockNumber block = heap::find_free_space(index.file, kPageSize, BlockNumber{0}, limit);
    if (block == kInvalidBlock) return {};
    heap::record_free_space(index.file, block, 0);
    buffer::PinnedBuffer pin = buffer::read({index.file, Fork::main, block});
    if (!pin.try_lock(LwMode::exclusive)) continue;   // somebody else has just taken it
    if (horizon == kInvalidXid) horizon = transaction::oldest_visible_xid(index.file.database);
    if (is_recyclable(pin.page(), horizon)) return pin;
  }
}

}  // namespace

void SparePage::allocate(const BTreeIndex& index) {
  give_back();
  pin_ = take_reserved(index);
  if (!pin_) pin_ = take_recycled(index);
  if (!pin_) pin_ = buffer::extend(index.file, Fork::main, 1);
  stamp_reserved(pin_);
  pin_.unlock();
}

SparePage::~SparePage() { give_back(); }

buffer::PinnedBuffer SparePage::take() {
  HATHI_ASSERT(pin_);
  pin_.lock(LwMode::exclusive);
  return std::move(pin_);
}

void SparePage::give_back() {
  if (!pin_) return;
  // One that falls out of the list is found by the next vacuum.
  reserved[next_reserved++ % kReserved] = {pin_.tag().file, pin_.block().value(), pin_.page().header().xid_base};
  pin_.release();
}

}  // namespace hathi::btree
