#include "page_check.h"
#include "page_choice.h"
#include "row_change.h"
#include "toast.h"
#include "visibility_map.h"
#include "hathi/statistics/counters.h"

namespace hathi::heap {

namespace {

bool columns_changed(const TupleDescriptor& descriptor, std::span<const AttrNumber> columns, const HeapTuple& a, const HeapTuple& b) {
  for (AttrNumber column : columns) {
    if (column == 0) return true;   // the whole row
    if (column < 0) continue;       // system columns are not indexed
    bool a_null = false, b_null = false;
    Datum x = get_attribute(a, descriptor, column, a_null), y = get_attribute(b, descriptor, column, b_null);
    if (a_null != b_null) return true;
    if (!a_null && !datum_image_equal(x, y, descriptor[column - 1].layout)) return true;
  }
  return false;
}

struct Update {
  const HeapTable& table;
  TupleId tid;
  const HeapTuple& row;          // to be stored
  CommandId command;
  RowLockMode mode;
  bool index_changed;
  Xid xid;
  buffer::PinnedBuffer pin, map_pin;
  ChosenPage other;              // where the new version goes when the page is full; locked when have_other
  bool have_other = false;
};

alignas(8) std::byte new_row[kMaxRowSize + 8];

void prepare_version(const Update& u, PageView old_page, std::uint64_t base, TupleId tid, bool hot) {
  std::memcpy(new_row, u.row.header, u.row.size);
  auto* h = reinterpret_cast<HeapTupleHeader*>(new_row);
  NewXmax lockers = remaining_lockers(old_page, row_header(old_page, u.tid.offset));
  constexpr std::uint16_t kKept = infomask::has_null | infomask::has_varwidth | infomask::has_external;
  h->xmin = xid_offset(base, u.xid);
  h->xmax = raw_xmax(base, lockers);
  h->command = u.command.value();
  h->set_ctid(tid);
  h->infomask = static_cast<std::uint16_t>((h->infomask & kKept) | infomask::updated | lockers.infomask);
  h->infomask2 = static_cast<std::uint16_t>((h->infomask2 & 0x7FF) | lockers.infomask2 | (hot ? infomask::heap_only : 0));
}

// Clears the map's bits of the pages that were all-visible.
void clear_map(Update& u, wal::Change& change, bool old_visible, bool new_visible, MapEdit& first, MapEdit& second) {
  if (old_visible && new_visible) {
    BlockNumber other_block = u.other.pin.block();
    if (u.map_pin.tag() == u.other.map_pin.tag()) {
      first.add(change, u.map_pin, u.tid.block, 0);
      first.add(change, u.map_pin, other_block, 0);
    } else if (u.map_pin.block() < u.other.map_pin.block()) {
      first.add(change, u.map_pin, u.tid.block, 0);
      second.add(change, u.other.map_pin, other_block, 0);
    } else {
      first.add(change, u.other.map_pin, other_block, 0);
      second.add(change, u.map_pin, u.tid.block, 0);
    }
    return;
  }
  if (old_visible) first.add(change, u.map_pin, u.tid.block, 0);
  if (new_visible) first.add(change, u.other.map_pin, u.other.pin.block(), 0);
}

bool is_visible_page(PageView page) { return !page.is_new() && (page.header().flags & kPageAllVisible) != 0; }

// The page is (or both are) locked and has room; the version may be updated.
TupleId apply_update(Update& u) {
  PageView old_page = u.pin.page();
  const HeapTupleHeader* old = row_header(old_page, u.tid.offset);
  LinePointer old_line = old_page.line(u.tid.offset);
  bool hot = !u.have_other && !u.index_changed;
  transaction::current_command(true);
  HeaderTail tail = header_tail(old);
  stamp_cmax(tail, old_page, old, u.command);
  stamp_xmax(tail, old_page, compute_new_xmax(old_page, old, u.xid, u.mode, true));
  if (hot) tail.infomask2 |= infomask::hot_updated;
  std::uint32_t hint = prune_hint_with(old_page, u.xid);

  wal::Change change(wal::ResourceManager::heap, static_cast<std::uint8_t>(hot ? HeapOperation::hot_update : HeapOperation::update),
                     u.table.logged());
  change.xid(u.xid);
  MapEdit first_map, second_map;
  wal::PageEdit& old_edit = change.page(u.pin);
  buffer::PinnedBuffer& new_pin = u.have_other ? u.other.pin : u.pin;
  wal::PageEdit& new_edit = u.have_other ? change.page(new_pin) : old_edit;
  PageView new_page = new_pin.page();
  bool old_visible = is_visible_page(old_page), new_visible = u.have_other && is_visible_page(new_page);

  RowPlacer placer(new_page, new_edit, initial_xid_base(u.xid));
  TupleId tid{new_pin.block(), placer.next_line()};
  prepare_version(u, old_page, placer.base(), tid, hot);
  // The log repeats of the new version only what differs from the old one beside it.
  placer.add({new_row, u.row.size}, u.have_other ? kInvalidOffset : u.tid.offset, u.row.header->hoff);
  // One page: its flags are written once, here; two: the old page's below.
  placer.finish(0, kPageAllVisible);
  set_ctid(tail, tid);
  old_edit.write_value(tail_position(old_line), tail);
  if (hint != old_page.header().prune_hint) old_edit.write_value(offsetof(PageHeader, prune_hint), hint);
  if (u.have_other) {
    // The row found no room here: the next reader prunes the page if that helps.
    std::uint16_t flags = flags_without_visible(old_page, kPageFull);
    if (flags != old_page.header().flags) old_edit.write_value(offsetof(PageHeader, flags), flags);
  }
  clear_map(u, change, old_visible, new_visible, first_map, second_map);
  change.apply();
  return tid;
}

void unlock_other(Update& u) {
  if (!u.have_other) return;
  u.other.pin.release();
  u.have_other = false;
}

// Tests, waits and applies. pin is exclusively locked before and after.
ChangeResult try_update(Update& u, bool wait, ChangeFailure& failure, TupleId& new_tid) {
  RowQueue queue(u.table, u.tid, u.mode);
  std::size_t size = align8(u.row.size);
  for (;;) {
    if (!u.have_other) pin_map_if_needed(u.table, u.pin, u.map_pin);
    PageView page = u.pin.page();
    if (page.line(u.tid.offset).state() != LinePointer::State::normal) {
      failure = {};
      failure.next = u.tid;
      return ChangeResult::deleted;
    }
    HeapTupleHeader* h = row_header(page, u.tid.offset);
    Hints hints;
    ChangeResult result = test_for_change(page, h, u.tid, u.command, hints);
    if (result == ChangeResult::being_modified && wait) {
      if (has_conflicting_holder(page, h, u.mode)) {
        unlock_other(u);
        wait_for_holders(u.table, u.pin, u.tid, h, u.mode, WaitPolicy::block, queue, "updating");
        continue;
      }
      result = ChangeResult::ok;
    }
    if (result == ChangeResult::invisible) {
      throw SqlError(sqlstate::object_not_in_prerequisite_state, "attempted to update invisible tuple");
    }
    if (result != ChangeResult::ok) {
      describe_failure(page, h, result, failure);
      if (hints.set) u.pin.mark_dirty_hint();
      return result;
    }
    if (!u.have_other && room_for_row(page) < size) {
      u.pin.unlock();
      choose_page(u.table, size, u.xid, {}, &u.pin, &u.map_pin, u.other);
      u.have_other = true;
      continue;  // the row may have changed while its page was unlocked
    }
    if (!xid_fits(page, u.xid)) make_xid_fit(u.table, u.pin, u.xid);
    new_tid = apply_update(u);
    return ChangeResult::ok;
  }
}

}  // namespace

ChangeResult update(const HeapTable& table, TupleId tid, const HeapTuple& row, CommandId command, bool wait, ChangeFailure& failure,
                    UpdateOutcome& outcome) {
  Xid xid = transaction::current_xid();
  buffer::PinnedBuffer pin = read_page(table, tid.block);
  PageView page = pin.page();
  pin.lock(locking::LwMode::shared);
  if (tid.offset.value() > page.line_count() || page.line(tid.offset).state() != LinePointer::State::normal) {
    failure = {};
    failure.next = tid;
    return ChangeResult::deleted;
  }
  HeapTuple old;
  copy_out(page, page.line(tid.offset), tid, table.oid, old);
  pin.unlock();
  // A version's columns never change, and the pin keeps it in its place.
  bool key_changed = columns_changed(*table.descriptor, table.key_columns, old, row);
  bool index_changed = columns_changed(*table.descriptor, table.indexed_columns, old, row);
  outcome.lock_mode = key_changed ? RowLockMode::update : RowLockMode::no_key_update;

  HeapTuple stored = row;
  bool old_external = has_flag(old.header, infomask::has_external);
  std::optional<ToastScratch> scratch;
  if (needs_toasting(row) || old_external) [[unlikely]] {
    scratch.emplace();
    stored = toast_row(table, row, &old, scratch->arena());
  }
  check_row_size(stored.size);
  bool new_external = has_flag(stored.header, infomask::has_external);

  Update u{table, tid, stored, command, outcome.lock_mode, index_changed, xid, std::move(pin), {}, {}, false};
  u.pin.lock(locking::LwMode::exclusive);
  ChangeResult result = try_update(u, wait, failure, outcome.tid);
  outcome.needs_index_entries = u.have_other || index_changed;
  u.pin.unlock();
  unlock_other(u);
  if (result == ChangeResult::ok) {
    statistics::count_updated(table.oid, table.file.database, !outcome.needs_index_entries);
    if (old_external) delete_toasted(table, old, &stored);
  } else if (new_external) {
    kill_new_chunks(table, stored, &old);
  }
  return result;
}

void update_in_place(const HeapTable& table, TupleId tid, const HeapTuple& row) {
  buffer::PinnedBuffer pin = read_page(table, tid.block);
  pin.lock(locking::LwMode::exclusive);
  PageView page = pin.page();
  if (tid.offset.value() > page.line_count() || page.line(tid.offset).state() != LinePointer::State::normal) {
    throw SqlError(sqlstate::internal_error, "invalid line pointer");
  }
  LinePointer lp = page.line(tid.offset);
  const HeapTupleHeader* h = row_header(page, tid.offset);
  if (lp.length() != row.size || h->hoff != row.header->hoff) throw SqlError(sqlstate::internal_error, "wrong tuple length");
  wal::Change change(wal::ResourceManager::heap, static_cast<std::uint8_t>(HeapOperation::in_place), table.logged());
  change.xid(transaction::current_xid_if_any());
  wal::PageEdit& edit = change.page(pin);
  const auto* data = reinterpret_cast<const std::byte*>(row.header);
  edit.write(static_cast<std::uint16_t>(lp.offset() + row.header->hoff), {data + row.header->hoff, row.size - row.header->hoff});
  change.apply();
}

}  // namespace hathi::heap
