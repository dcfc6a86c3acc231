// A page stores xids as 32-bit distances from its base. When one would not fit, the base moves: versions of long ago are frozen,
// the distances of the others are written anew. Readers that hold only a pin see kXidBaseMoving meanwhile.
#include <vector>

#include "page_choice.h"
#include "visibility.h"

namespace hathi::heap {

namespace {

struct RowChange { std::uint16_t position; Xid xmin, xmax; bool keep_xmax; std::uint16_t infomask; };

// Decides what becomes of a version's xids; widens [low, high] by those that must stay.
RowChange plan_row(PageView page, OffsetNumber n, Xid horizon, Xid& low, Xid& high) {
  HeapTupleHeader* h = row_header(page, n);
  RowChange c{page.line(n).offset(), row_xmin(page, h), row_xmax(page, h), has_flag(h, infomask::xmax_multi), h->infomask};
  auto keep = [&](Xid xid) {
    if (low == kInvalidXid || xid < low) low = xid;
    high = std::max(high, xid);
  };
  if (is_frozen(h)) {
    c.xmin = kFrozenXid;
  } else if (is_normal(c.xmin)) {
    if (c.xmin < horizon && xid_committed(c.xmin)) {
      c.xmin = kFrozenXid;
      c.infomask |= infomask::xmin_frozen;
    } else if (transaction::is_running(c.xmin) || xid_committed(c.xmin)) {
      keep(c.xmin);
    } else {
      c.xmin = kInvalidXid;
      c.infomask |= infomask::xmin_invalid;
    }
  }
  if (!c.keep_xmax && is_normal(c.xmax)) {
    bool gone = has_flag(h, infomask::xmax_invalid) ||
                (!transaction::is_running(c.xmax) && (has_flag(h, infomask::xmax_lock_only) || !xid_committed(c.xmax)));
    if (gone) {
      c.xmax = kInvalidXid;
      c.infomask |= infomask::xmax_invalid;
    } else if (c.xmax < horizon && !has_flag(h, infomask::xmax_lock_only) && xid_committed(c.xmax)) {
      // Deleted for everybody, only not pruned yet. Its successor, made by the same transaction, is frozen likewise.
      c.xmax = kFrozenXid;
      c.infomask |= infomask::xmax_committed;
    } else {
      keep(c.xmax);
    }
  }
  return c;
}

}  // namespace

void make_xid_fit(const HeapTable& table, buffer::PinnedBuffer& pin, Xid xid) {
  PageView page = pin.page();
  if (xid_fits(page, xid)) return;
  Xid low = xid, high = xid, horizon = table_horizon(table);
  std::vector<RowChange> rows;
  for (std::uint16_t i = 1; i <= page.line_count(); ++i) {
    if (page.line(OffsetNumber{i}).state() == LinePointer::State::normal)
      rows.push_back(plan_row(page, OffsetNumber{i}, horizon, low, high));
  }
  std::uint64_t base = std::min(initial_xid_base(high), low.value() - 3);
  if (high.value() - base > 0xFFFFFFFFu) {
    throw SqlError(sqlstate::object_not_in_prerequisite_state, "transaction {} is too far from the oldest one on block {} of table \"{}\"",
                   xid.value(), pin.block().value(), table.name)
        .hint("Close open transactions, then run VACUUM on the table.");
  }
  wal::Change change(wal::ResourceManager::heap, static_cast<std::uint8_t>(HeapOperation::rebase), table.logged());
  wal::PageEdit& edit = change.page(pin);
  std::uint64_t moving = kXidBaseMoving;
  edit.write_value(offsetof(PageHeader, xid_base), moving);
  for (const RowChange& c : rows) {
    std::uint32_t xmin = xid_offset(base, c.xmin), xmax = xid_offset(base, c.xmax);
    edit.write_value(c.position, xmin);
    if (!c.keep_xmax) edit.write_value(static_cast<std::uint16_t>(c.position + 4), xmax);
    edit.write_value(static_cast<std::uint16_t>(c.position + offsetof(HeapTupleHeader, infomask)), c.infomask);
  }
  // The hint is only that: "something may be prunable since ever".
  std::uint32_t prune = page.header().prune_hint == 0 ? 0 : 3;
  edit.write_value(offsetof(PageHeader, prune_hint), prune);
  edit.write_value(offsetof(PageHeader, xid_base), base);
  change.apply();
}

}  // namespace hathi::heap
