#include "page_check.h"
#include "page_choice.h"
#include "row_change.h"
#include "toast.h"
#include "visibility_map.h"
#include "hathi/statistics/counters.h"

namespace hathi::heap {

namespace {

void apply_removal(const HeapTable& table, buffer::PinnedBuffer& pin, buffer::PinnedBuffer& map_pin, TupleId tid, CommandId command,
                   bool moved_partition) {
  Xid xid = transaction::current_xid();
  PageView page = pin.page();
  const HeapTupleHeader* h = row_header(page, tid.offset);
  NewXmax xmax = compute_new_xmax(page, h, xid, RowLockMode::update, true);
  HeaderTail tail = header_tail(h);
  stamp_cmax(tail, page, h, command);
  stamp_xmax(tail, page, xmax);
  set_ctid(tail, moved_partition ? kMovedToPartition : tid);
  transaction::current_command(true);
  bool visible = (page.header().flags & kPageAllVisible) != 0;
  std::uint32_t hint = prune_hint_with(page, xid);
  std::uint16_t flags = flags_without_visible(page);

  wal::Change change(wal::ResourceManager::heap, static_cast<std::uint8_t>(HeapOperation::remove), table.logged());
  change.xid(xid);
  wal::PageEdit& edit = change.page(pin);
  edit.write_value(tail_position(page.line(tid.offset)), tail);
  if (hint != page.header().prune_hint) edit.write_value(offsetof(PageHeader, prune_hint), hint);
  MapEdit map;
  if (visible) {
    edit.write_value(offsetof(PageHeader, flags), flags);
    map.add(change, map_pin, tid.block, 0);
  }
  change.apply();
}

}  // namespace

ChangeResult remove(const HeapTable& table, TupleId tid, CommandId command, bool wait, ChangeFailure& failure, bool moved_partition) {
  Xid xid = transaction::current_xid();
  buffer::PinnedBuffer pin = read_page(table, tid.block), map_pin;
  RowQueue queue(table, tid, RowLockMode::update);
  pin.lock(locking::LwMode::exclusive);
  Hints hints;
  ChangeResult result;
  for (;;) {
    pin_map_if_needed(table, pin, map_pin);
    PageView page = pin.page();
    if (tid.offset.value() > page.line_count() || page.line(tid.offset).state() != LinePointer::State::normal) {
      result = ChangeResult::deleted;
      failure = {};
      failure.next = tid;
      break;
    }
    HeapTupleHeader* h = row_header(page, tid.offset);
    result = test_for_change(page, h, tid, command, hints);
    if (result == ChangeResult::being_modified && wait) {
      WaitOutcome outcome = wait_for_holders(table, pin, tid, h, RowLockMode::update, WaitPolicy::block, queue, "deleting");
      if (outcome == WaitOutcome::waited) continue;
      result = ChangeResult::ok;
    }
    if (result == ChangeResult::invisible) {
      throw SqlError(sqlstate::object_not_in_prerequisite_state, "attempted to delete invisible tuple");
    }
    if (result == ChangeResult::ok) {
      if (!xid_fits(page, xid)) make_xid_fit(table, pin, xid);
      apply_removal(table, pin, map_pin, tid, command, moved_partition);
    } else {
      describe_failure(page, h, result, failure);
      if (hints.set) pin.mark_dirty_hint();
    }
    break;
  }
  pin.unlock();
  if (result == ChangeResult::ok) statistics::count_removed(table.oid, table.file.database);
  if (result == ChangeResult::ok && table.toast_table != kInvalidOid) {
    HeapTuple row;
    copy_out(pin.page(), pin.page().line(tid.offset), tid, table.oid, row);
    if (has_flag(row.header, infomask::has_external)) delete_toasted(table, row, nullptr);
  }
  return result;
}

}  // namespace hathi::heap
