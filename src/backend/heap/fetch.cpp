#include "page_check.h"
#include "hathi/transaction/process_array.h"
#include "prune.h"
#include "visibility_map.h"

namespace hathi::heap {

namespace {

bool pin_block(const HeapTable& table, BlockNumber block, buffer::PinnedBuffer& pin) {
  BlockTag tag = main_tag(table, block);
  if (pin && pin.tag() == tag) return false;
  pin.release();
  pin = read_page(table, block);
  return true;
}

struct ChainSearch {
  PageView page;
  TupleId root;
  const transaction::Snapshot& snapshot;
  const HeapTable& table;
  bool* all_dead;
  Hints hints;
};

// Follows the HOT chain from the root to the version the snapshot sees; its line, or kInvalidOffset.
OffsetNumber search_chain(ChainSearch& s) {
  PageView page = s.page;
  std::uint16_t count = page.line_count(), at = s.root.offset.value();
  bool is_start = true;
  Xid previous_xmax{0};
  if (s.all_dead != nullptr) *s.all_dead = true;
  for (int steps = 0; at >= 1 && at <= count && steps <= kMaxRowsPerPage; ++steps) {
    LinePointer lp = page.line(OffsetNumber{at});
    if (lp.state() == LinePointer::State::redirect && is_start) {
      at = lp.offset();
      is_start = false;
      continue;
    }
    if (lp.state() != LinePointer::State::normal) break;
    HeapTupleHeader* h = row_header(page, OffsetNumber{at});
    if (is_start && has_flag2(h, infomask::heap_only)) break;    // the place was reused
    if (!is_start && !has_flag2(h, infomask::heap_only)) break;
    if (!made_by(page, h, previous_xmax)) break;
    if (visible(page, h, s.snapshot, s.hints)) {
      if (s.all_dead != nullptr) *s.all_dead = false;
      return OffsetNumber{at};
    }
    if (s.all_dead != nullptr && *s.all_dead && !surely_dead(page, h, transaction::prune_horizon(s.table.file.database)))
      *s.all_dead = false;
    if (!has_flag2(h, infomask::hot_updated) || has_flag(h, infomask::xmax_invalid)) break;
    previous_xmax = updating_xid(page, h);
    at = h->ctid().offset.value();
    is_start = false;
  }
  return kInvalidOffset;
}

}  // namespace

bool fetch_by_index(const HeapTable& table, TupleId tid, const transaction::Snapshot& snapshot, buffer::PinnedBuffer& pin,
                    HeapTuple& out, bool* all_dead) {
  if (pin_block(table, tid.block, pin)) prune_if_useful(table, pin);
  pin.lock(locking::LwMode::shared);
  ChainSearch search{pin.page(), tid, snapshot, table, all_dead, {}};
  OffsetNumber found = kInvalidOffset;
  try {
    found = search_chain(search);
  } catch (...) {
    pin.release();   // the pin outlives the error, its lock must not: the transaction's abort lets go of all locks
    throw;
  }
  if (found != kInvalidOffset) copy_out(pin.page(), pin.page().line(found), {tid.block, found}, table.oid, out);
  if (search.hints.set) pin.mark_dirty_hint();
  pin.unlock();
  return found != kInvalidOffset;
}

bool fetch_version(const HeapTable& table, TupleId tid, const transaction::Snapshot& snapshot, buffer::PinnedBuffer& pin, HeapTuple& out) {
  if (tid.block >= buffer::block_count(table.file, Fork::main)) return false;
  pin_block(table, tid.block, pin);
  pin.lock(locking::LwMode::shared);
  PageView page = pin.page();
  bool found = tid.offset.value() >= 1 && tid.offset.value() <= page.line_count() &&
               page.line(tid.offset).state() == LinePointer::State::normal;
  if (found) {
    Hints hints;
    try {
      found = visible(page, row_header(page, tid.offset), snapshot, hints);
    } catch (...) {
      pin.release();
      throw;
    }
    if (found) copy_out(page, page.line(tid.offset), tid, table.oid, out);
    if (hints.set) pin.mark_dirty_hint();
  }
  pin.unlock();
  return found;
}

bool is_all_visible(const HeapTable& table, BlockNumber block, buffer::PinnedBuffer& vm_pin) {
  return (visibility_bits(table.file, block, vm_pin) & kVisible) != 0;
}

}  // namespace hathi::heap
