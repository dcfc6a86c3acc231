#include <algorithm>
#include <exception>
#include <memory>

#include "page_check.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/statistics/counters.h"
#include "scan_keys.h"
#include "search.h"

namespace hathi::btree {

using locking::LwMode;

namespace {

// One row found on a page.
struct Item {
  TupleId tid;
  std::uint16_t line;        // of its entry on the page
  std::uint16_t copy;        // where the entry's copy begins
};

// The matching rows of one leaf page, copied while it was share-locked.
struct LeafCopy {
  std::uint32_t block = kNoBlock, next = kNoBlock, previous = kNoBlock;
  std::uint64_t stamp = 0;
  int first = 0, last = -1;            // items [first, last]; a backward scan fills from the end
  int current = 0;
  bool more_right = false, more_left = false;
  std::size_t copied = 0;
  Item items[kMaxRowsOfPage];
  alignas(8) std::byte copies[kPageSize];

  bool is_valid() const { return block != kNoBlock; }
  void take(const LeafCopy& from) {
    std::memcpy(static_cast<void*>(this), &from, offsetof(LeafCopy, items));
    if (last >= first)
      std::memcpy(static_cast<void*>(items + first), from.items + first, sizeof(Item) * static_cast<std::size_t>(last - first + 1));
    std::memcpy(copies, from.copies, copied);
  }
};

}  // namespace

struct Scan::State {
  const BTreeIndex* index = nullptr;
  bool want_values = false, keep_pin = false;
  ScanConditions conditions;
  bool empty = false, started = false, ended = false, end_was_backward = false;
  std::uint32_t steps = 0;               // sibling links followed since the last descent
  buffer::PinnedBuffer pin;
  std::vector<int> killed;               // indexes into leaf.items
  // mark(): on the current page only its index is remembered; the page is copied when the scan leaves it.
  int marked = -1;
  std::unique_ptr<LeafCopy> marked_leaf;
  bool marked_elsewhere = false;
  std::vector<std::size_t> marked_arrays;
  bool values_read = false;
  Datum values[kMaxColumns];
  bool nulls[kMaxColumns];
  State* next_free = nullptr;
  // Last: its beginning is what a short scan touches of it, beside the members above.
  LeafCopy leaf;
};

struct ScanAccess {
  static inline Scan::State* free_list = nullptr;
  static inline int free_count = 0;
  static constexpr int kMaxFree = 8;

  static Scan::State* take() {
    if (free_list == nullptr) return new Scan::State;
    Scan::State* s = free_list;
    free_list = s->next_free;
    --free_count;
    return s;
  }
  static void give_back(Scan::State* s) {
    if (free_count >= kMaxFree) {
      delete s;
      return;
    }
    s->next_free = free_list;
    free_list = s;
    ++free_count;
  }

  using State = Scan::State;
  static void leave_page(State& s);
  static void mark_killed(State& s);
  static bool read_leaf(State& s, std::uint16_t line, bool backward, bool first);
  static void add_rows(State& s, const std::byte* e, std::uint16_t line, bool backward);
  static bool first(State& s, bool backward);
  static bool step(State& s, bool backward);
  static bool lock_next(State& s);
  static bool lock_previous(State& s);
  static bool begin_at_edge(State& s, bool backward);
  static bool start_primitive(State& s, bool backward);
  static bool next_entry(State& s, TupleId& out, bool backward);
};

// Notes dead entries on the page the scan is leaving, if the page is still as it was read.
void ScanAccess::mark_killed(State& s) {
  buffer::PinnedBuffer again;
  if (!s.pin) again = read_page(*s.index, s.leaf.block);
  buffer::PinnedBuffer& pin = s.pin ? s.pin : again;
  pin.lock(LwMode::shared);
  PageView page = pin.page();
  // Unpinned, a row position may have been given to another row meanwhile; then the page has changed.
  bool same = s.pin || (page_stamp(*s.index, page) == s.leaf.stamp && !has_flag(page, kDeleted));
  bool changed = false;
  if (same) {
    std::sort(s.killed.begin(), s.killed.end());
    for (std::size_t i = 0; i < s.killed.size();) {
      const Item& item = s.leaf.items[s.killed[i]];
      std::size_t end = i;
      while (end < s.killed.size() && s.leaf.items[s.killed[end]].line == item.line) ++end;
      // A pinned page may have had entries inserted: then the line is another's.
      if (item.line <= page.line_count()) {
        const std::byte* e = entry_at(page, item.line);
        bool whole = row_count(e) == static_cast<int>(end - i) && entry_tid(e) == s.leaf.items[s.killed[i]].tid;
        whole = whole || (row_count(e) == static_cast<int>(end - i) && entry_tid(e) == s.leaf.items[s.killed[end - 1]].tid);
        if (whole && !is_pivot(e) && !is_dead(page, item.line)) {
          LinePointer& lp = page.line(OffsetNumber{item.line});
          lp = LinePointer::make(lp.offset(), LinePointer::State::dead, lp.length());
          changed = true;
        }
      }
      i = end;
    }
  }
  if (changed) {
    special(page).flags |= kHasDead;
    pin.mark_dirty_hint();
  }
  pin.unlock();
}

void ScanAccess::leave_page(State& s) {
  if (s.leaf.is_valid()) {
    if (!s.killed.empty()) mark_killed(s);
    if (s.marked >= 0 && !s.marked_elsewhere) {
      if (s.marked_leaf == nullptr) s.marked_leaf = std::make_unique<LeafCopy>();
      s.marked_leaf->take(s.leaf);
      s.marked_leaf->current = s.marked;
      s.marked_elsewhere = true;
    }
  }
  s.killed.clear();
  s.pin.release();
  s.leaf.block = kNoBlock;
}

void ScanAccess::add_rows(State& s, const std::byte* e, std::uint16_t line, bool backward) {
  std::uint16_t copy = 0;
  if (s.want_values) {
    // A posting list's key once for all its rows, without the list.
    std::size_t size = is_posting(e) ? entry_header(e).block() : entry_size(e);
    copy = static_cast<std::uint16_t>(s.leaf.copied);
    std::memcpy(s.leaf.copies + copy, e, size);
    s.leaf.copied += align8(size);
  }
  int n = row_count(e);
  for (int i = 0; i < n; ++i) {
    if (backward) s.leaf.items[--s.leaf.first] = {entry_tid(e, n - 1 - i), line, copy};
    else s.leaf.items[++s.leaf.last] = {entry_tid(e, i), line, copy};
  }
}

// Reads the share-locked page in s.pin from `line` on; unlocks it (and unpins unless the pin is to be kept). True when something
// matched. more_right / more_left say whether going on makes sense.
bool ScanAccess::read_leaf(State& s, std::uint16_t line, bool backward, bool first) {
  PageView page = s.pin.page();
  LeafCopy& leaf = s.leaf;
  leaf.block = s.pin.block().value();
  leaf.next = special(page).next;
  leaf.previous = special(page).previous;
  leaf.stamp = page_stamp(*s.index, page);
  leaf.copied = 0;
  if (first) leaf.more_left = leaf.more_right = true;
  bool stopped = false;
  if (!backward) {
    leaf.first = 0;
    leaf.last = -1;
    std::uint16_t count = page.line_count();
    for (line = std::max(line, first_line(page)); line <= count; ++line) {
      if (is_dead(page, line)) continue;
      const std::byte* e = entry_at(page, line);
      Verdict v = check_entry(*s.index, s.conditions, e, false);
      if (v == Verdict::matches) add_rows(s, e, line, false);
      if (v == Verdict::stop) {
        stopped = true;
        break;
      }
    }
    if (stopped || is_rightmost(page)) leaf.more_right = false;
    leaf.current = leaf.first;
  } else {
    leaf.first = kMaxRowsOfPage;
    leaf.last = kMaxRowsOfPage - 1;
    std::uint16_t lowest = first_line(page);
    for (line = std::min(line, page.line_count()); line >= lowest && line > 0; --line) {
      if (is_dead(page, line)) continue;
      const std::byte* e = entry_at(page, line);
      Verdict v = check_entry(*s.index, s.conditions, e, true);
      if (v == Verdict::matches) add_rows(s, e, line, true);
      if (v == Verdict::stop) {
        stopped = true;
        break;
      }
    }
    if (stopped || is_leftmost(page)) leaf.more_left = false;
    leaf.current = leaf.last;
  }
  s.pin.unlock();
  if (!s.keep_pin) s.pin.release();
  return leaf.first <= leaf.last;
}

// Locks the page to the right of the current one, past deleted ones.
bool ScanAccess::lock_next(State& s) {
  std::uint32_t block = s.leaf.next;
  leave_page(s);
  while (block != kNoBlock) {
    s.pin = read_page(*s.index, block);
    s.pin.lock(LwMode::shared);
    check_sibling(*s.index, s.pin, 0, s.steps);
    if (!has_flag(s.pin.page(), kDeleted)) return true;
    block = special(s.pin.page()).next;
    s.pin.release();
  }
  return false;
}

// Locks the page to the left. The left link read with the current page may be out of date: the left page may have been split (then the
// wanted page is further right) or deleted, and so may the current one.
bool ScanAccess::lock_previous(State& s) {
  std::uint32_t origin = s.leaf.block, left = s.leaf.previous;
  leave_page(s);
  constexpr int kTries = 4;
  for (;;) {
    if (left == kNoBlock) return false;
    check_interrupts();
    std::uint32_t block = left;
    for (int i = 0; i < kTries && block != kNoBlock; ++i) {
      s.pin = read_page(*s.index, block);
      s.pin.lock(LwMode::shared);
      check_sibling(*s.index, s.pin, 0, s.steps);
      if (!has_flag(s.pin.page(), kDeleted) && special(s.pin.page()).next == origin) return true;
      block = special(s.pin.page()).next;
      s.pin.release();
    }
    // Not there: see what has become of the page we come from.
    s.pin = read_page(*s.index, origin);
    s.pin.lock(LwMode::shared);
    check_sibling(*s.index, s.pin, 0, s.steps);
    while (has_flag(s.pin.page(), kDeleted)) {
      origin = special(s.pin.page()).next;
      s.pin.release();
      if (origin == kNoBlock) throw_corrupted(*s.index, left, "a deleted page without a right sibling");
      s.pin = read_page(*s.index, origin);
      s.pin.lock(LwMode::shared);
      check_sibling(*s.index, s.pin, 0, s.steps);
    }
    left = special(s.pin.page()).previous;
    s.pin.release();
  }
}

bool ScanAccess::begin_at_edge(State& s, bool backward) {
  s.pin = edge_leaf(*s.index, backward);
  if (!s.pin) return false;
  std::uint16_t line = backward ? s.pin.page().line_count() : first_line(s.pin.page());
  return read_leaf(s, line, backward, true) || step(s, backward);
}

// Reads the first page with a matching row for the current array elements.
bool ScanAccess::start_primitive(State& s, bool backward) {
  leave_page(s);
  s.steps = 0;
  SearchKey key;
  if (!make_start_key(*s.index, s.conditions, backward, key)) return begin_at_edge(s, backward);
  s.pin = descend(*s.index, key, LwMode::shared, nullptr);
  if (!s.pin) return false;
  std::uint16_t line = search_leaf(key, s.pin.page());
  if (backward) --line;   // 0 or the high key's line: nothing here, the page to the left follows
  return read_leaf(s, line, backward, true) || step(s, backward);
}

// Further pages of the current primitive scan.
bool ScanAccess::step(State& s, bool backward) {
  for (;;) {
    if (backward ? !s.leaf.more_left : !s.leaf.more_right) return false;
    check_interrupts();
    if (backward ? !lock_previous(s) : !lock_next(s)) return false;
    if (backward) s.leaf.more_right = true; else s.leaf.more_left = true;
    std::uint16_t line = backward ? s.pin.page().line_count() : first_line(s.pin.page());
    if (read_leaf(s, line, backward, false)) return true;
  }
}

bool ScanAccess::first(State& s, bool backward) {
  s.started = true;
  reset_arrays(s.conditions, backward);
  do {
    if (start_primitive(s, backward)) return true;
  } while (advance_arrays(s.conditions, backward));
  return false;
}

Scan::Scan(const BTreeIndex& index, bool want_values, bool keep_pin) : state_(ScanAccess::take()) {
  State& s = *state_;
  s.index = &index;
  s.want_values = want_values;
  s.keep_pin = keep_pin || want_values;
  s.empty = s.started = s.ended = false;
  s.marked = -1;
  s.marked_elsewhere = false;
  s.leaf.block = kNoBlock;
  s.killed.clear();
}

Scan::~Scan() {
  // When an error is on its way, leaving hints behind is not worth another one.
  if (!state_->killed.empty() && std::uncaught_exceptions() == 0) {
    try {
      ScanAccess::leave_page(*state_);
    } catch (const SqlError&) {
      // Reading the page again failed: the hints are lost, nothing else.
    }
  }
  state_->killed.clear();
  state_->pin.release();
  state_->leaf.block = kNoBlock;
  state_->marked_leaf.reset();
  ScanAccess::give_back(state_);
}

void Scan::start(std::span<const ScanKey> keys, bool empty) {
  State& s = *state_;
  ScanAccess::leave_page(s);
  prepare_conditions(*s.index, keys, s.conditions);
  ++statistics::relation(s.index->oid, s.index->file.database).counts.scans;
  s.empty = empty;
  s.started = s.ended = false;
  s.marked = -1;
  s.marked_elsewhere = false;
}

void Scan::finish() { ScanAccess::leave_page(*state_); }

bool Scan::next(TupleId& out, bool backward) {
  try {
    return ScanAccess::next_entry(*state_, out, backward);
  } catch (...) {
    // The pin outlives the error, its lock must not: the transaction's abort lets go of all locks.
    state_->killed.clear();
    state_->pin.release();
    state_->leaf.block = kNoBlock;
    throw;
  }
}

bool ScanAccess::next_entry(State& s, TupleId& out, bool backward) {
  s.values_read = false;
  if (s.empty) return false;
  bool found;
  if (s.started && s.leaf.is_valid() && !s.ended) {
    LeafCopy& leaf = s.leaf;
    leaf.current += backward ? -1 : 1;
    found = leaf.current >= leaf.first && leaf.current <= leaf.last;
    if (!found) {
      found = ScanAccess::step(s, backward);
      while (!found && advance_arrays(s.conditions, backward)) found = ScanAccess::start_primitive(s, backward);
    }
  } else if (s.ended && s.end_was_backward == backward) {
    return false;
  } else {
    // From the beginning, or back from the end that was reached in the other direction.
    found = ScanAccess::first(s, backward);
  }
  reset_comparison_arena();
  s.ended = !found;
  s.end_was_backward = backward;
  if (!found) {
    ScanAccess::leave_page(s);
    return false;
  }
  out = s.leaf.items[s.leaf.current].tid;
  ++statistics::relation(s.index->oid, s.index->file.database).counts.rows_returned;
  return true;
}

const Datum* Scan::values() const {
  State& s = *state_;
  if (!s.values_read) {
    read_columns(*s.index, s.leaf.copies + s.leaf.items[s.leaf.current].copy, s.index->descriptor->count(), s.values, s.nulls);
    s.values_read = true;
  }
  return s.values;
}

const bool* Scan::nulls() const {
  values();
  return state_->nulls;
}

void Scan::kill_current() {
  State& s = *state_;
  if (!s.leaf.is_valid()) return;
  s.killed.push_back(s.leaf.current);
}

void Scan::mark() {
  State& s = *state_;
  s.marked = s.leaf.is_valid() && !s.ended ? s.leaf.current : -1;
  s.marked_elsewhere = false;
  s.marked_arrays.clear();
  for (std::size_t i : s.conditions.arrays) s.marked_arrays.push_back(s.conditions.conditions[i].current);
}

void Scan::restore() {
  State& s = *state_;
  s.values_read = false;
  for (std::size_t i = 0; i < s.marked_arrays.size(); ++i) s.conditions.conditions[s.conditions.arrays[i]].current = s.marked_arrays[i];
  s.ended = false;
  if (s.marked < 0) {
    // Nothing was current: before the first row.
    ScanAccess::leave_page(s);
    s.started = false;
    return;
  }
  if (!s.marked_elsewhere) {
    s.leaf.current = s.marked;
    return;
  }
  int marked = s.marked;
  s.marked = -1;   // leave_page() shall not overwrite the mark with the page being left
  ScanAccess::leave_page(s);
  s.leaf.take(*s.marked_leaf);
  s.leaf.current = s.marked = marked;
  s.marked_elsewhere = false;
  if (s.keep_pin) s.pin = read_page(*s.index, s.leaf.block);
}

}  // namespace hathi::btree
