// From a row version to those that came after it, for WHERE CURRENT OF.

#include "hathi/heap/latest_version.h"

#include "page_check.h"
#include "visibility.h"

namespace hathi::heap {

namespace {

struct Link {
  bool visible = false;
  TupleId next;      // not valid at the end of the chain
  Xid made_by{0};    // who made the next one
};

// The page is locked.
Link read_link(PageView page, TupleId tid, Xid expected_xmin, const transaction::Snapshot& snapshot, Hints& hints) {
  Link link;
  if (tid.offset.value() < 1 || tid.offset.value() > page.line_count()) return link;
  if (page.line(tid.offset).state() != LinePointer::State::normal) return link;
  HeapTupleHeader* h = row_header(page, tid.offset);
  if (!made_by(page, h, expected_xmin)) return link;   // the place was reused
  link.visible = visible(page, h, snapshot, hints);
  if (has_flag(h, infomask::xmax_invalid)) return link;
  TupleId next = h->ctid();
  link.made_by = updating_xid(page, h);
  if (link.made_by != kInvalidXid && next != tid && next != kMovedToPartition) link.next = next;
  return link;
}

}  // namespace

TupleId latest_version(const HeapTable& table, TupleId tid, const transaction::Snapshot& snapshot, buffer::PinnedBuffer& pin) {
  TupleId latest = tid;
  Xid expected_xmin = kInvalidXid;
  BlockNumber blocks = buffer::block_count(table.file, Fork::main);
  while (tid.is_valid() && tid.block < blocks) {
    check_interrupts();
    pin.release();
    pin = read_page(table, tid.block);
    pin.lock(locking::LwMode::shared);
    Link link;
    Hints hints;
    try {
      link = read_link(pin.page(), tid, expected_xmin, snapshot, hints);
    } catch (...) {
      pin.release();
      throw;
    }
    if (hints.set) pin.mark_dirty_hint();
    pin.unlock();
    if (link.visible) latest = tid;
    tid = link.next;
    expected_xmin = link.made_by;
  }
  return latest;
}

}  // namespace hathi::heap
