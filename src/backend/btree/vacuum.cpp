// Removing entries of dead rows, and pages that became empty.
//
// The file is read in physical order. A page split meanwhile may have sent entries to a page that was passed already: such a page has
// changed since the vacuum began, and its right sibling stands before it, so the sibling is visited again.
#include <algorithm>
#include "deduplicate.h"
#include "hathi/heap/free_space.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/transaction/xid_status.h"
#include "hathi/wal/log.h"
#include "search.h"
#include "split.h"

namespace hathi::btree {

using locking::LwMode;

namespace {

struct VacuumRun {
  const BTreeIndex& index;
  const std::function<bool(TupleId)>& is_dead;
  VacuumResult result;
  std::uint64_t started_at;     // log position: pages changed since then may have been split
  Xid horizon;
  std::vector<std::uint32_t> empty_pages;
};

// Posting lists that lose some of their rows.
struct ShrunkList { std::uint16_t line; std::vector<std::byte> bytes; };

// What to delete and to replace on a page.
void survey(VacuumRun& run, PageView page, std::vector<std::uint16_t>& gone, std::vector<ShrunkList>& shrunk) {
  std::vector<TupleId> left;
  for (std::uint16_t i = first_line(page); i <= page.line_count(); ++i) {
    const std::byte* e = entry_at(page, i);
    int rows = row_count(e);
    if (is_dead(page, i)) {
      gone.push_back(i);
      run.result.removed += static_cast<std::uint64_t>(rows);
      continue;
    }
    left.clear();
    for (int k = 0; k < rows; ++k) {
      if (!run.is_dead(entry_tid(e, k))) left.push_back(entry_tid(e, k));
    }
    auto kept = static_cast<int>(left.size());
    run.result.entries += left.size();
    run.result.removed += static_cast<std::uint64_t>(rows - kept);
    if (kept == rows) continue;
    if (kept == 0) {
      gone.push_back(i);
      continue;
    }
    alignas(8) std::byte buffer[kEntryBuffer];
    std::size_t size;
    if (kept == 1) {
      size = key_size(e);
      std::memcpy(buffer, e, size);
      EntryHeader& h = entry_header(buffer);
      h.info = static_cast<std::uint16_t>((h.info & (kHasNulls | kHasVarwidth)) | size);
      h.set_block(left[0].block.value());
      h.offset = left[0].offset.value();
    } else {
      size = make_posting(e, left, buffer);
    }
    shrunk.push_back({i, {buffer, buffer + size}});
  }
}

void apply(VacuumRun& run, buffer::PinnedBuffer& pin, const std::vector<std::uint16_t>& gone, const std::vector<ShrunkList>& shrunk) {
  PageView page = pin.page();
  IndexChange change(run.index, BTreeOperation::vacuum);
  wal::PageEdit& edit = change.page(pin);
  LinePointer none;
  for (const ShrunkList& s : shrunk) edit.write_value(line_position(s.line), none);
  if (!gone.empty()) {
    delete_edits(page, edit, gone);
  } else {
    edit.compact();
  }
  for (const ShrunkList& s : shrunk) {
    auto before = static_cast<std::uint16_t>(std::lower_bound(gone.begin(), gone.end(), s.line) - gone.begin());
    edit.add_item(OffsetNumber{static_cast<std::uint16_t>(s.line - before)}, s.bytes);
  }
  auto flags = static_cast<std::uint16_t>(special(page).flags & ~kHasDead);
  if (flags != special(page).flags) edit.write_value(special_position(offsetof(Special, flags)), flags);
  change.apply();
}

// One page; returns the sibling to visit again, or kNoBlock.
std::uint32_t visit(VacuumRun& run, std::uint32_t block, std::uint32_t scan_position) {
  buffer::PinnedBuffer pin = read_page(run.index, block);
  pin.lock(LwMode::shared);
  PageView page = pin.page();
  if (is_recyclable(page, run.horizon)) {
    pin.release();
    heap::record_free_space(run.index.file, BlockNumber{block}, kPageSize);
    ++run.result.pages_free;
    return kNoBlock;
  }
  if (page.header().special != kPageSize - kSpecialSize) throw_corrupted(run.index, block, "corrupted page");
  if (has_flag(page, kDeleted) || !is_leaf(page)) return kNoBlock;
  // Even with nothing to remove here: scans that pin a page they have read rely on our waiting for them.
  pin.unlock();
  pin.lock_for_cleanup();
  if (has_flag(page, kDeleted)) return kNoBlock;
  bool may_be_split = !run.index.logged() || page.header().lsn.value() > run.started_at;
  std::uint32_t next = special(page).next;
  std::vector<std::uint16_t> gone;
  std::vector<ShrunkList> shrunk;
  survey(run, page, gone, shrunk);
  if (!gone.empty() || !shrunk.empty()) apply(run, pin, gone, shrunk);
  if (page.line_count() < first_line(page) && !is_rightmost(page)) run.empty_pages.push_back(block);
  return may_be_split && next != kNoBlock && next < scan_position ? next : kNoBlock;
}

// --- deleting an empty page ----------------------------------------------------------------------------------------------

bool is_empty_leaf(PageView page) {
  return !has_flag(page, kDeleted | kIncompleteSplit | kRoot) && is_leaf(page) && !is_rightmost(page) &&
         page.line_count() < first_line(page);
}

// The left sibling of `block`, exclusively locked; empty pin when there is none. False: give up for now.
bool lock_left_sibling(const BTreeIndex& index, std::uint32_t left, std::uint32_t block, buffer::PinnedBuffer& pin) {
  constexpr int kTries = 16;
  std::uint32_t at = left;
  for (int i = 0; i < kTries && at != kNoBlock; ++i) {
    pin = read_page(index, at);
    pin.lock(LwMode::exclusive);
    if (!has_flag(pin.page(), kDeleted) && special(pin.page()).next == block) return !has_flag(pin.page(), kIncompleteSplit);
    at = special(pin.page()).next;
    pin.release();
  }
  return false;
}

// The parent of a page, by its high key; exclusively locked, `line` that of the page's entry. False when not found.
bool lock_parent_of(const BTreeIndex& index, const std::byte* key_of_page, std::uint32_t child, buffer::PinnedBuffer& pin,
                    std::uint16_t& line) {
  SearchKey key;
  Datum values[kMaxColumns];
  bool nulls[kMaxColumns];
  int columns = std::min(entry_columns(key_of_page, index), static_cast<int>(index.keys.size()));
  read_columns(index, key_of_page, columns, values, nulls);
  make_insertion_key(index, values, nulls, key);
  key.count = columns;
  prepare_fast_path(key);
  if (TupleId tid = pivot_tid(key_of_page); tid.is_valid()) {
    key.has_tid = true;
    key.tid = tid;
  }
  pin = descend_to_level(index, key, 1, nullptr);
  if (!pin || special(pin.page()).level != 1) return false;
  pin.unlock();
  pin.lock(LwMode::exclusive);
  // The page's entry is there, or just to the right if the parent was split in between.
  for (;;) {
    PageView page = pin.page();
    if (!has_flag(page, kDeleted)) {
      for (std::uint16_t i = first_line(page); i <= page.line_count(); ++i) {
        if (child_block(entry_at(page, i)) == child) {
          line = i;
          return !has_flag(page, kIncompleteSplit);
        }
      }
    }
    std::uint32_t next = special(page).next;
    pin.release();
    if (next == kNoBlock) return false;
    pin = read_page(index, next);
    pin.lock(LwMode::exclusive);
  }
}

// Takes an empty leaf out of the tree: its neighbours are linked to each other, and its key space goes to the page on its right. Not
// when it is its parent's last child: then that page would belong to another parent.
bool delete_page(VacuumRun& run, std::uint32_t block) {
  const BTreeIndex& index = run.index;
  alignas(8) std::byte key[kEntryBuffer];
  std::uint32_t left_block;
  {
    buffer::PinnedBuffer pin = read_page(index, block);
    pin.lock(LwMode::shared);
    if (!is_empty_leaf(pin.page())) return false;
    left_block = special(pin.page()).previous;
    std::memcpy(key, high_key(pin.page()), entry_size(high_key(pin.page())));
  }
  buffer::PinnedBuffer left, page, right, parent;
  if (left_block != kNoBlock && !lock_left_sibling(index, left_block, block, left)) return false;
  page = read_page(index, block);
  page.lock(LwMode::exclusive);
  if (!is_empty_leaf(page.page()) || (special(page.page()).previous != kNoBlock) != static_cast<bool>(left)) return false;
  std::uint32_t right_block = special(page.page()).next;
  if (right_block == left_block) throw_corrupted(index, block, "a circle of sibling links");
  right = read_page(index, right_block);
  right.lock(LwMode::exclusive);
  if (has_flag(right.page(), kDeleted) || special(right.page()).previous != block) return false;
  std::uint16_t line = 0;
  if (!lock_parent_of(index, key, block, parent, line)) return false;
  PageView parent_page = parent.page();
  if (line == parent_page.line_count()) return false;
  auto after = static_cast<std::uint16_t>(line + 1);
  if (child_block(entry_at(parent_page, after)) != right_block) return false;

  IndexChange change(index, BTreeOperation::delete_page);
  std::uint32_t new_left = left ? left.block().value() : kNoBlock;
  if (left) change.page(left).write_value(special_position(offsetof(Special, next)), right_block);
  change.page(right).write_value(special_position(offsetof(Special, previous)), new_left);
  wal::PageEdit& parent_edit = change.page(parent);
  // The page's entry now leads to the right sibling, whose own entry goes.
  std::uint16_t halves[2] = {static_cast<std::uint16_t>(right_block), static_cast<std::uint16_t>(right_block >> 16)};
  parent_edit.write_value(parent_page.line(OffsetNumber{line}).offset(), halves);
  delete_edits(parent_page, parent_edit, {&after, 1});
  wal::PageEdit& edit = change.page(page);
  auto flags = static_cast<std::uint16_t>((special(page.page()).flags | kDeleted) & ~kHasDead);
  edit.write_value(special_position(offsetof(Special, flags)), flags);
  std::uint64_t safe = transaction::next_xid().value();
  edit.write_value(offsetof(PageHeader, xid_base), safe);
  change.apply();
  return true;
}

}  // namespace

VacuumResult vacuum(const BTreeIndex& index, const std::function<bool(TupleId)>& is_dead) {
  VacuumRun run{index, is_dead, {}, wal::insert_position().value(), transaction::oldest_visible_xid(index.file.database), {}};
  // Pages added meanwhile are split off pages not yet visited, or visited again.
  std::uint32_t end = buffer::block_count(index.file, Fork::main).value();
  for (std::uint32_t block = kMetaBlock.value() + 1; block < end; ++block) {
    check_interrupts();
    std::uint32_t again = visit(run, block, block);
    while (again != kNoBlock) {
      check_interrupts();
      again = visit(run, again, block);
    }
    if (block + 1 == end) end = buffer::block_count(index.file, Fork::main).value();
  }
  for (std::uint32_t block : run.empty_pages) {
    check_interrupts();
    if (delete_page(run, block)) ++run.result.pages_deleted;
    reset_comparison_arena();
  }
  run.result.pages = end;
  return run.result;
}

}  // namespace hathi::btree
