#include "prune.h"

#include "hathi/transaction/process_array.h"

namespace hathi::heap {

namespace {

using State = LinePointer::State;

constexpr std::uint8_t kNotComputed = 0xFF;

// The state of a page's versions and what becomes of its line pointers.
struct Pruner {
  PageView page;
  Xid horizon;
  Hints hints;
  PruneResult result;
  Xid oldest_left{0};                          // the next xid whose end makes pruning useful again
  bool changed = false;
  std::uint16_t count;
  std::uint8_t states[kMaxRowsPerPage + 1];
  bool in_chain[kMaxRowsPerPage + 1];
  LinePointer lines[kMaxRowsPerPage + 1];      // as they shall be

  Pruner(PageView p, Xid h) : page(p), horizon(h), count(p.line_count()) {
    std::memset(states, kNotComputed, sizeof(states));
    std::memset(in_chain, 0, sizeof(in_chain));
    for (std::uint16_t i = 1; i <= count; ++i) lines[i] = page.line(OffsetNumber{i});
  }

  HeapTupleHeader* row(std::uint16_t i) const { return row_header(page, OffsetNumber{i}); }

  VersionState state(std::uint16_t i) {
    if (states[i] == kNotComputed) states[i] = static_cast<std::uint8_t>(vacuum_state(page, row(i), horizon, hints));
    return static_cast<VersionState>(states[i]);
  }

  // A version that stays now may go once xid is finished and old.
  void note_left(Xid xid) {
    if (is_normal(xid) && (oldest_left == kInvalidXid || xid < oldest_left)) oldest_left = xid;
  }
  void note_state(std::uint16_t i) {
    switch (state(i)) {
      case VersionState::recently_dead: case VersionState::delete_in_progress: note_left(updating_xid(page, row(i))); break;
      case VersionState::insert_in_progress: note_left(row_xmin(page, row(i))); break;
      case VersionState::live: case VersionState::dead: break;
    }
  }

  void set_unused(std::uint16_t i) {
    lines[i] = LinePointer{};
    changed = true;
  }
  void set_dead(std::uint16_t i) {
    lines[i] = LinePointer::make(0, State::dead, 0);
    ++result.new_dead_lines;
    changed = true;
  }
  void set_redirect(std::uint16_t i, std::uint16_t target) {
    LinePointer lp = LinePointer::make(target, State::redirect, 0);
    if (lines[i].bits == lp.bits) return;
    lines[i] = lp;
    changed = true;
  }

  void prune_chain(std::uint16_t root);
  void drop_stray_versions();
};

void Pruner::prune_chain(std::uint16_t root) {
  std::uint16_t chain[kMaxRowsPerPage + 1];
  int length = 0, dead_prefix = 0;             // chain[0 .. dead_prefix) is needed by nobody
  std::uint16_t at = root;
  Xid previous_xmax{0};
  if (lines[root].state() == State::redirect) {
    chain[length++] = root;
    at = lines[root].offset();
  }
  bool is_redirect = length == 1;
  while (at >= 1 && at <= count && page.line(OffsetNumber{at}).state() == State::normal && !in_chain[at] && length <= kMaxRowsPerPage) {
    HeapTupleHeader* h = row(at);
    if (length > 0) {
      if (!has_flag2(h, infomask::heap_only)) break;
      if (!made_by(page, h, previous_xmax)) break;
    }
    in_chain[at] = true;
    chain[length++] = at;
    VersionState s = state(at);
    note_state(at);
    if (s == VersionState::dead) dead_prefix = length;
    // A later version can only be dead when this one is dead or about to be.
    if (s != VersionState::dead && s != VersionState::recently_dead) break;
    if (!has_flag2(h, infomask::hot_updated) || has_flag(h, infomask::xmax_invalid)) break;
    previous_xmax = updating_xid(page, h);
    if (h->ctid().offset.value() == at) break;
    at = h->ctid().offset.value();
  }
  if (length == (is_redirect ? 1 : 0)) {
    if (is_redirect) set_dead(root);           // leads nowhere
    return;
  }
  if (dead_prefix == 0) return;
  result.removed += dead_prefix - (is_redirect ? 1 : 0);
  for (int i = 1; i < dead_prefix; ++i) set_unused(chain[i]);
  if (dead_prefix == length) {
    set_dead(root);
  } else {
    set_redirect(root, chain[dead_prefix]);
  }
}

// Heap-only versions that no chain leads to: leavings of aborted updates.
void Pruner::drop_stray_versions() {
  for (std::uint16_t i = 1; i <= count; ++i) {
    if (lines[i].state() != State::normal || in_chain[i]) continue;
    if (state(i) == VersionState::dead && !has_flag2(row(i), infomask::hot_updated)) {
      set_unused(i);
      ++result.removed;
    } else {
      note_state(i);
    }
  }
}

// Logs the changed line pointers (in runs) and packs the page.
void apply(const HeapTable& table, buffer::PinnedBuffer& pin, Pruner& p) {
  wal::Change change(wal::ResourceManager::heap, static_cast<std::uint8_t>(HeapOperation::prune), table.logged());
  wal::PageEdit& edit = change.page(pin);
  bool free_lines = false;
  for (std::uint16_t i = 1; i <= p.count;) {
    if (p.lines[i].bits == p.page.line(OffsetNumber{i}).bits) {
      free_lines = free_lines || p.lines[i].state() == State::unused;
      ++i;
      continue;
    }
    std::uint16_t first = i;
    for (; i <= p.count && p.lines[i].bits != p.page.line(OffsetNumber{i}).bits; ++i)
      free_lines = free_lines || p.lines[i].state() == State::unused;
    edit.write(line_position(OffsetNumber{first}), std::as_bytes(std::span<const LinePointer>(p.lines + first, i - first)));
  }
  const PageHeader& header = p.page.header();
  auto flags = static_cast<std::uint16_t>((header.flags & ~(kPageFull | kPageHasFreeLines)) | (free_lines ? kPageHasFreeLines : 0));
  if (flags != header.flags) edit.write_value(offsetof(PageHeader, flags), flags);
  std::uint32_t hint = p.oldest_left == kInvalidXid ? 0 : xid_offset(header.xid_base, p.oldest_left);
  if (hint != header.prune_hint) edit.write_value(offsetof(PageHeader, prune_hint), hint);
  edit.compact();
  change.apply();
}

}  // namespace

PruneResult prune_page(const HeapTable& table, buffer::PinnedBuffer& pin, Xid horizon) {
  Pruner p(pin.page(), horizon);
  for (std::uint16_t i = 1; i <= p.count; ++i) {
    State s = p.lines[i].state();
    bool is_root = s == State::redirect || (s == State::normal && !has_flag2(p.row(i), infomask::heap_only));
    if (is_root) p.prune_chain(i);
  }
  p.drop_stray_versions();
  if (p.changed) {
    apply(table, pin, p);
    return p.result;
  }
  // Nothing to do: remember that, so that the next reader does not look again in vain.
  PageHeader& header = p.page.header();
  std::uint32_t hint = p.oldest_left == kInvalidXid ? 0 : xid_offset(header.xid_base, p.oldest_left);
  if (header.prune_hint != hint || (header.flags & kPageFull) != 0) {
    header.prune_hint = hint;
    header.flags &= static_cast<std::uint16_t>(~kPageFull);
    p.hints.set = true;
  }
  if (p.hints.set) pin.mark_dirty_hint();
  return p.result;
}

void prune_if_useful(const HeapTable& table, buffer::PinnedBuffer& pin) {
  PageView page = pin.page();
  const PageHeader& header = page.header();
  // All read without a lock: a wrong guess costs a look or a missed chance.
  std::uint32_t hint = header.prune_hint;
  if (hint == 0) [[likely]] return;
  std::size_t reserve = std::max(kPageSize / 10, kPageSize * static_cast<std::size_t>(100 - table.fill_factor) / 100);
  if ((header.flags & kPageFull) == 0 && page.hole() >= reserve) return;
  // Computed once a snapshot: cheap to ask for, and as good as it gets for the running statement.
  Xid horizon = transaction::prune_horizon(table.file.database);
  if (full_xid(page, hint) >= horizon) return;
  if (!pin.try_lock_for_cleanup()) return;
  if (page.header().prune_hint != 0) prune_page(table, pin, horizon);
  pin.unlock();
}

void find_roots(PageView page, OffsetNumber* roots) {
  std::uint16_t count = page.line_count();
  std::fill(roots, roots + count + 1, kInvalidOffset);
  for (std::uint16_t i = 1; i <= count; ++i) {
    LinePointer lp = page.line(OffsetNumber{i});
    std::uint16_t at;
    Xid previous_xmax{0};
    if (lp.state() == State::normal) {
      HeapTupleHeader* h = row_header(page, OffsetNumber{i});
      if (has_flag2(h, infomask::heap_only)) continue;
      roots[i] = OffsetNumber{i};
      // An update that failed leads nowhere: its version's place may belong to another chain by now.
      if (!has_flag2(h, infomask::hot_updated) || has_flag(h, infomask::xmax_invalid)) continue;
      at = h->ctid().offset.value();
      previous_xmax = updating_xid(page, h);
    } else if (lp.state() == State::redirect) {
      at = lp.offset();
    } else {
      continue;
    }
    while (at >= 1 && at <= count && page.line(OffsetNumber{at}).state() == State::normal && roots[at] == kInvalidOffset) {
      HeapTupleHeader* h = row_header(page, OffsetNumber{at});
      if (!made_by(page, h, previous_xmax)) break;
      roots[at] = OffsetNumber{i};
      if (!has_flag2(h, infomask::hot_updated) || has_flag(h, infomask::xmax_invalid)) break;
      previous_xmax = updating_xid(page, h);
      at = h->ctid().offset.value();
    }
  }
}

}  // namespace hathi::heap
