#include "split.h"

#include "hathi/shmem/interrupts.h"

namespace hathi::btree {

using locking::LwMode;

namespace {

// The right page is built line by line; the old page drops what moved and packs the rest: both are short in the log.
class SplitEdits {
 public:
  SplitEdits(const BTreeIndex& index, PageView page, const NewEntry& entry, SplitPoint point)
      : index_(index), page_(page), entry_(entry), point_(point), first_(first_line(page)), count_(page.line_count()) {}

  const std::byte* old_entry(std::uint16_t line) const {
    return line == entry_.replaced_line && line != 0 ? entry_.replacement.data() : entry_at(page_, line);
  }
  const std::byte* last_left() const {
    if (point_.new_on_left && entry_.line == point_.first_right) return entry_.bytes.data();
    return old_entry(static_cast<std::uint16_t>(point_.first_right - 1));
  }
  const std::byte* first_right() const {
    if (!point_.new_on_left && entry_.line == point_.first_right) return entry_.bytes.data();
    return old_entry(point_.first_right);
  }

  // The left page's high key = the right page's pivot in the parent.
  std::size_t make_high_key(std::byte* buffer) const {
    if (is_leaf(page_)) return make_pivot(index_, last_left(), first_right(), buffer);
    std::size_t size = entry_size(first_right());
    std::memcpy(buffer, first_right(), size);
    return size;
  }

  void build_right(wal::PageEdit& edit) const {
    std::uint16_t line = 1;
    auto add = [&](const std::byte* e) { edit.add_item(OffsetNumber{line++}, {e, entry_size(e)}); };
    if (!is_rightmost(page_)) add(high_key(page_));
    bool first = true;
    auto add_entry = [&](const std::byte* e) {
      if (first && !is_leaf(page_)) {
        alignas(8) std::byte minus_infinity[8];
        make_minus_infinity(minus_infinity, child_block(e));
        add(minus_infinity);
      } else {
        add(e);
      }
      first = false;
    };
    for (std::uint16_t i = point_.first_right; i <= count_; ++i) {
      if (!point_.new_on_left && i == entry_.line) add_entry(entry_.bytes.data());
      add_entry(old_entry(i));
    }
    if (!point_.new_on_left && entry_.line == count_ + 1) add_entry(entry_.bytes.data());
  }

  void cut_left(wal::PageEdit& edit, std::span<const std::byte> new_high_key, const Special& s) const {
    // Lines [first_, first_right) stay, behind a line 1 for the high key (which a rightmost page did not have).
    auto kept = static_cast<std::uint16_t>(point_.first_right - first_);
    if (first_ == 1 && kept > 0) edit.move(line_position(2), line_position(1), static_cast<std::uint16_t>(kept * sizeof(LinePointer)));
    LinePointer none;
    edit.write_value(line_position(1), none);
    bool replaces = entry_.replaced_line != 0 && entry_.replaced_line < point_.first_right;
    auto replaced = static_cast<std::uint16_t>(entry_.replaced_line - first_ + 2);
    if (replaces) edit.write_value(line_position(replaced), none);
    std::uint16_t lower = line_position(static_cast<std::uint16_t>(kept + 2));
    edit.write_value(offsetof(PageHeader, lower), lower);
    edit.compact();
    edit.add_item(OffsetNumber{1}, new_high_key);
    if (replaces) edit.add_item(OffsetNumber{replaced}, entry_.replacement);
    if (point_.new_on_left) {
      auto line = static_cast<std::uint16_t>(entry_.line - first_ + 2);
      std::uint16_t after = static_cast<std::uint16_t>(kept + 2 - line);   // lines behind the new one
      if (after > 0) {
        edit.move(line_position(static_cast<std::uint16_t>(line + 1)), line_position(line),
                  static_cast<std::uint16_t>(after * sizeof(LinePointer)));
        lower = static_cast<std::uint16_t>(lower + sizeof(LinePointer));
        edit.write_value(offsetof(PageHeader, lower), lower);
      }
      edit.add_item(OffsetNumber{line}, entry_.bytes);
    }
    edit.write_value(special_position(0), s);
  }

 private:
  const BTreeIndex& index_;
  PageView page_;
  const NewEntry& entry_;
  SplitPoint point_;
  std::uint16_t first_, count_;
};

// Makes two pages of one. Returns the right page, still locked. pivot: for the parent, pointing at the right page.
buffer::PinnedBuffer divide(const BTreeIndex& index, buffer::PinnedBuffer& left, const NewEntry& entry, SparePage& spare,
                            buffer::PinnedBuffer* child, std::byte* pivot, std::size_t& pivot_size) {
  PageView page = left.page();
  SplitPoint point = choose_split(index, page, entry);
  if (!point.found) throw_corrupted(index, left.block().value(), "a page that cannot be split");
  buffer::PinnedBuffer right = spare.take(), sibling;
  Special old = special(page);
  if (old.next != kNoBlock) {
    // A damaged link to a page whose lock is held, or beyond the end, where the new page is now, must not be waited for.
    if (old.next == right.block().value() || (child != nullptr && old.next == child->block().value()))
      throw_corrupted(index, left.block().value(), "a wrong right link");
    sibling = read_page(index, old.next);
    sibling.lock(LwMode::exclusive);
    if (special(sibling.page()).previous != left.block().value()) throw_corrupted(index, old.next, "a wrong left link");
  }
  SplitEdits edits(index, page, entry, point);
  pivot_size = edits.make_high_key(pivot);
  set_child(pivot, right.block().value());

  auto right_flags = static_cast<std::uint16_t>(old.flags & kLeaf);
  Special right_special{left.block().value(), old.next, old.level, right_flags, 0};
  // A root stays one until there is another above it.
  auto left_flags = static_cast<std::uint16_t>((old.flags & (kLeaf | kRoot)) | kIncompleteSplit);
  Special left_special{old.previous, right.block().value(), old.level, left_flags, 0};

  IndexChange change(index, BTreeOperation::split);
  edits.build_right(change.new_page(right, right_special));
  edits.cut_left(change.page(left), {pivot, pivot_size}, left_special);
  if (sibling) {
    std::uint32_t block = right.block().value();
    change.page(sibling).write_value(special_position(offsetof(Special, previous)), block);
  }
  if (child != nullptr) {
    auto flags = static_cast<std::uint16_t>(special(child->page()).flags & ~kIncompleteSplit);
    change.page(*child).write_value(special_position(offsetof(Special, flags)), flags);
  }
  change.apply();
  return right;
}

// Puts a root above the two halves of the old one. left is locked; its split is complete afterwards.
void make_root(const BTreeIndex& index, buffer::PinnedBuffer& left, std::span<const std::byte> pivot, SparePage& spare) {
  buffer::PinnedBuffer root = spare.take(), meta = read_page(index, kMetaBlock.value());
  meta.lock(LwMode::exclusive);
  std::uint32_t level = special(left.page()).level + 1, block = root.block().value();
  alignas(8) std::byte minus_infinity[8];
  make_minus_infinity(minus_infinity, left.block().value());
  IndexChange change(index, BTreeOperation::new_root);
  wal::PageEdit& root_edit = change.new_page(root, {kNoBlock, kNoBlock, level, kRoot, 0});
  root_edit.add_item(OffsetNumber{1}, minus_infinity);
  root_edit.add_item(OffsetNumber{2}, pivot);
  auto flags = static_cast<std::uint16_t>(special(left.page()).flags & ~(kIncompleteSplit | kRoot));
  change.page(left).write_value(special_position(offsetof(Special, flags)), flags);
  Meta contents{kMagic, kVersion, block, level};
  change.page(meta).write_value(kMetaPosition, contents);
  change.apply();
  root_hint(index).set({block, root.index()});
}

// The line of the inner page that points at the child; 0 when none does.
std::uint16_t find_child(PageView page, std::uint32_t child, std::uint16_t start) {
  std::uint16_t first = first_line(page), count = page.line_count();
  start = std::clamp(start, first, static_cast<std::uint16_t>(count + 1));
  for (std::uint16_t i = start; i <= count; ++i) {
    if (child_block(entry_at(page, i)) == child) return i;
  }
  for (std::uint16_t i = start; i-- > first;) {
    if (child_block(entry_at(page, i)) == child) return i;
  }
  return 0;
}

// The parent of `child`, exclusively locked, with the child's line. The path tells where it was; pages may have split since.
// An incomplete split of the parent's level is not mended here: `unfinished` is set instead, and that page returned.
buffer::PinnedBuffer lock_parent(const BTreeIndex& index, std::uint32_t child, Path::Step step, std::uint16_t& line, bool& unfinished) {
  buffer::PinnedBuffer pin = read_page(index, step.block);
  pin.lock(LwMode::exclusive);
  for (std::uint16_t start = step.line;; start = 0) {
    PageView page = pin.page();
    unfinished = has_flag(page, kIncompleteSplit) && !has_flag(page, kDeleted);
    if (unfinished) return pin;
    if (!has_flag(page, kDeleted)) {
      line = find_child(page, child, start);
      if (line != 0) return pin;
    }
    std::uint32_t next = special(page).next;
    pin.release();
    if (next == kNoBlock) throw_corrupted(index, child, "a page without a parent");
    pin = read_page(index, next);
    pin.lock(LwMode::exclusive);
  }
}

// The path above a page when there is none, or it ended in what is no longer the root. False when there is no level above yet.
bool find_path(const BTreeIndex& index, const std::byte* high_key_of_child, std::uint32_t child_level, Path& path) {
  SearchKey key;
  Datum values[kMaxColumns];
  bool nulls[kMaxColumns];
  int columns = std::min(entry_columns(high_key_of_child, index), static_cast<int>(index.keys.size()));
  read_columns(index, high_key_of_child, columns, values, nulls);
  make_insertion_key(index, values, nulls, key);
  key.count = columns;
  prepare_fast_path(key);
  if (TupleId tid = pivot_tid(high_key_of_child); tid.is_valid()) {
    key.has_tid = true;
    key.tid = tid;
  }
  buffer::PinnedBuffer pin = descend_to_level(index, key, child_level + 1, &path);
  if (!pin || special(pin.page()).level != child_level + 1) return false;
  path.steps[path.depth++] = {pin.block().value(), first_line(pin.page())};
  return true;
}

void finish_root_split(const BTreeIndex& index) {
  buffer::PinnedBuffer root = lock_root(index);
  root.unlock();
  root.lock(LwMode::exclusive);
  Path none;
  finish_split(index, root, none);
}

// Inserts the pivot of a split page's right half in the parent. left: locked, its split incomplete; released afterwards.
// False when the parent must be split and there is no spare page: nothing was done, `left` is released.
bool insert_in_parent(const BTreeIndex& index, buffer::PinnedBuffer& left, std::span<const std::byte> pivot, SparePage& spare, Path& path) {
  if (has_flag(left.page(), kRoot)) {
    HATHI_ASSERT(spare);
    make_root(index, left, pivot, spare);
    left.release();
    return true;
  }
  std::uint32_t child = left.block().value(), child_level = special(left.page()).level;
  for (;;) {
    if (path.depth == 0) {
      // Descending takes share locks from the top while our lock is at the bottom: nobody above waits for us with a lock held.
      if (!find_path(index, high_key(left.page()), child_level, path)) {
        // Somebody is between splitting the root of this level and putting a new one above.
        left.release();
        finish_root_split(index);
        return false;
      }
    }
    Path::Step step = path.steps[--path.depth];
    std::uint16_t line = 0;
    bool unfinished = false;
    buffer::PinnedBuffer parent = lock_parent(index, child, step, line, unfinished);
    if (unfinished) {
      // The parent's own split comes first; it may need a page, which we cannot get now.
      left.release();
      Path above = path;
      finish_split(index, parent, above);
      ++path.depth;
      return false;
    }
    NewEntry entry{pivot, static_cast<std::uint16_t>(line + 1), 0, {}};
    if (room(parent.page()) >= align8(pivot.size())) {
      IndexChange change(index, BTreeOperation::insert_inner);
      insert_edits(parent.page(), change.page(parent), entry.line, pivot);
      auto flags = static_cast<std::uint16_t>(special(left.page()).flags & ~kIncompleteSplit);
      change.page(left).write_value(special_position(offsetof(Special, flags)), flags);
      change.apply();
      left.release();
      return true;
    }
    if (!spare) {
      left.release();
      ++path.depth;   // the parent is looked for again
      return false;
    }
    split_page(index, parent, entry, spare, path, &left);
    return true;
  }
}

// The pivot for the parent of a page whose split was not completed: its high key, pointing at the right sibling.
std::size_t pivot_of_split(PageView left, std::byte* buffer) {
  const std::byte* key = high_key(left);
  std::size_t size = entry_size(key);
  std::memcpy(buffer, key, size);
  set_child(buffer, special(left).next);
  return size;
}

bool needs_finishing(PageView page) { return has_flag(page, kIncompleteSplit) && !has_flag(page, kDeleted); }

}  // namespace

void split_page(const BTreeIndex& index, buffer::PinnedBuffer& left, const NewEntry& entry, SparePage& spare, Path& path,
                buffer::PinnedBuffer* child) {
  HATHI_ASSERT(spare);
  alignas(8) std::byte pivot[kEntryBuffer];
  std::size_t pivot_size = 0;
  bool was_root = has_flag(left.page(), kRoot);
  {
    buffer::PinnedBuffer right = divide(index, left, entry, spare, child, pivot, pivot_size);
  }
  if (child != nullptr) child->release();
  if (was_root) {
    // The new root needs a page of its own, which is got without locks.
    finish_split(index, left, path);
    return;
  }
  std::uint32_t block = left.block().value();
  if (insert_in_parent(index, left, {pivot, pivot_size}, spare, path)) return;
  left = read_page(index, block);
  left.lock(LwMode::exclusive);
  finish_split(index, left, path);
}

void finish_split(const BTreeIndex& index, buffer::PinnedBuffer& left, Path& path) {
  std::uint32_t block = left.block().value();
  SparePage spare;
  for (;;) {
    if (!needs_finishing(left.page())) {
      left.release();
      return;   // somebody else did it
    }
    if (!spare) {
      // It may be needed, and can only be had with no lock held.
      left.release();
      spare.allocate(index);
      left = read_page(index, block);
      left.lock(LwMode::exclusive);
      continue;
    }
    alignas(8) std::byte pivot[kEntryBuffer];
    std::size_t size = pivot_of_split(left.page(), pivot);
    if (insert_in_parent(index, left, {pivot, size}, spare, path)) return;
    path.depth = 0;   // where we were is no longer of use
    check_interrupts();
    left = read_page(index, block);
    left.lock(LwMode::exclusive);
  }
}

}  // namespace hathi::btree
