// SELECT … FOR UPDATE and friends: a lock is a note in the row version's xmax.
#include "page_check.h"
#include "page_choice.h"
#include "row_change.h"
#include "visibility_map.h"

namespace hathi::heap {

namespace {

struct LockRequest {
  const HeapTable& table;
  CommandId command;
  RowLockMode mode;
  WaitPolicy policy;
  Xid xid;
};

[[noreturn]] void throw_not_available(const HeapTable& table) {
  throw SqlError(sqlstate::lock_not_available, "could not obtain lock on row in relation \"{}\"", table.name);
}

bool is_live_line(PageView page, OffsetNumber n) {
  return n.value() >= 1 && n.value() <= page.line_count() && page.line(n).state() == LinePointer::State::normal;
}

// Notes the lock in the version. The page is exclusively locked.
void apply_lock(const LockRequest& r, buffer::PinnedBuffer& pin, buffer::PinnedBuffer& map_pin, TupleId tid) {
  if (!xid_fits(pin.page(), r.xid)) make_xid_fit(r.table, pin, r.xid);
  PageView page = pin.page();
  const HeapTupleHeader* h = row_header(page, tid.offset);
  NewXmax xmax = compute_new_xmax(page, h, r.xid, r.mode, false);
  HeaderTail tail = header_tail(h);
  std::uint16_t hot = tail.infomask2 & infomask::hot_updated;
  stamp_xmax(tail, page, xmax);
  if ((xmax.infomask & infomask::xmax_lock_only) != 0) {
    set_ctid(tail, tid);   // whatever newer version there was is gone
  } else {
    tail.infomask2 |= hot;
  }
  wal::Change change(wal::ResourceManager::heap, static_cast<std::uint8_t>(HeapOperation::lock), r.table.logged());
  change.xid(r.xid);
  change.page(pin).write_value(tail_position(page.line(tid.offset)), tail);
  // Every row is still visible to all, but this one is no longer frozen through and through.
  MapEdit map;
  if ((page.header().flags & kPageAllVisible) != 0) map.add(change, map_pin, tid.block, kVisible);
  change.apply();
}

// A key-share lock on a version that was updated without a change of keys must hold for its successors too, or a later change of
// their keys would not meet it. Returns ok, or why the row can no longer be locked so.
ChangeResult lock_successors(const LockRequest& r, TupleId tid, Xid expected_xmin) {
  for (;;) {
    check_interrupts();
    buffer::PinnedBuffer pin = read_page(r.table, tid.block), map_pin;
    RowQueue queue(r.table, tid, r.mode);
    pin.lock(locking::LwMode::exclusive);
    TupleId next;
    Xid next_xmin;
    for (;;) {
      pin_map_if_needed(r.table, pin, map_pin);
      PageView page = pin.page();
      if (!is_live_line(page, tid.offset)) return ChangeResult::ok;
      HeapTupleHeader* h = row_header(page, tid.offset);
      Xid xmin = row_xmin(page, h);
      if (!made_by(page, h, expected_xmin)) return ChangeResult::ok;   // the chain was cut and the place reused
      if (has_flag(h, infomask::xmin_invalid) || (!transaction::is_running(xmin) && !xid_committed(xmin))) return ChangeResult::ok;
      if (wait_for_holders(r.table, pin, tid, h, r.mode, WaitPolicy::block, queue, "locking updated version of", true) ==
          WaitOutcome::waited) {
        continue;
      }
      Xid updater = updating_xid(page, h);
      bool updated = updater != kInvalidXid && (transaction::is_running(updater) || xid_committed(updater));
      if (updated && has_flag2(h, infomask::keys_updated) && !transaction::is_running(updater)) {
        return h->ctid() == tid ? ChangeResult::deleted : ChangeResult::updated;
      }
      next = h->ctid();
      next_xmin = updater;
      if (!already_locked(page, h, r.mode)) apply_lock(r, pin, map_pin, tid);
      if (!updated || next == tid || next == kMovedToPartition) return ChangeResult::ok;
      break;
    }
    tid = next;
    expected_xmin = next_xmin;
  }
}

// The version was changed by someone without touching keys, and only a key-share lock is wanted: may it be taken all the same?
bool tolerates_change(const LockRequest& r, const HeapTupleHeader* h) {
  return r.mode == RowLockMode::key_share && !has_flag2(h, infomask::keys_updated);
}

// Locks the version at tid. On ok the page is pinned (not locked) and `row` describes the version.
ChangeResult lock_version(const LockRequest& r, TupleId tid, Xid expected_xmin, buffer::PinnedBuffer& pin, HeapTuple& row,
                          ChangeFailure& failure) {
  if (!pin || pin.tag() != main_tag(r.table, tid.block)) {
    pin.release();
    pin = read_page(r.table, tid.block);
  }
  buffer::PinnedBuffer map_pin;
  RowQueue queue(r.table, tid, r.mode);
  pin.lock(locking::LwMode::exclusive);
  ScopeExit unlock([&] { if (pin.is_locked()) pin.unlock(); });
  for (;;) {
    pin_map_if_needed(r.table, pin, map_pin);
    PageView page = pin.page();
    failure.next = tid;
    if (!is_live_line(page, tid.offset)) return ChangeResult::deleted;
    HeapTupleHeader* h = row_header(page, tid.offset);
    if (!made_by(page, h, expected_xmin)) return ChangeResult::deleted;
    Hints hints;
    ChangeResult result = test_for_change(page, h, tid, r.command, hints);
    if (hints.set) pin.mark_dirty_hint();
    bool locked = result == ChangeResult::being_modified && already_locked(page, h, r.mode);
    if (result == ChangeResult::being_modified && !locked && !has_conflicting_holder(page, h, r.mode)) result = ChangeResult::ok;
    if ((result == ChangeResult::updated || result == ChangeResult::deleted) && tolerates_change(r, h)) result = ChangeResult::ok;
    if (result == ChangeResult::being_modified && !locked) {
      WaitOutcome outcome = wait_for_holders(r.table, pin, tid, h, r.mode, r.policy, queue, "locking");
      if (outcome != WaitOutcome::would_block) continue;
      if (r.policy == WaitPolicy::error) throw_not_available(r.table);
      return ChangeResult::would_block;
    }
    if (result == ChangeResult::ok && tolerates_change(r, h)) {
      Xid updater = updating_xid(page, h);
      TupleId next = h->ctid();
      bool has_successor = updater != kInvalidXid && !transaction::is_current(updater) && next != tid && next != kMovedToPartition &&
                           (transaction::is_running(updater) || xid_committed(updater));
      if (has_successor) {
        pin.unlock();
        ChangeResult later = lock_successors(r, next, updater);
        pin.lock(locking::LwMode::exclusive);
        if (later != ChangeResult::ok) {
          describe_failure(pin.page(), h, later, failure);
          return later;
        }
        // Only this version is left; if it changed meanwhile the loop starts over.
        if (updating_xid(pin.page(), h) != updater || !is_live_line(pin.page(), tid.offset)) continue;
        pin_map_if_needed(r.table, pin, map_pin);
      }
    }
    if (result != ChangeResult::ok && !locked) {
      describe_failure(page, h, result, failure);
      return result;
    }
    if (!locked) apply_lock(r, pin, map_pin, tid);
    copy_out(pin.page(), pin.page().line(tid.offset), tid, r.table.oid, row);
    return ChangeResult::ok;
  }
}

}  // namespace

ChangeResult lock_row(const HeapTable& table, TupleId tid, CommandId command, RowLockMode mode, WaitPolicy policy, bool follow_updates,
                      buffer::PinnedBuffer& pin, HeapTuple& out, ChangeFailure& failure) {
  LockRequest request{table, command, mode, policy, transaction::current_xid()};
  failure = {};
  Xid expected_xmin{0};
  for (;;) {
    ChangeResult result = lock_version(request, tid, expected_xmin, pin, out, failure);
    if (result == ChangeResult::invisible && failure.traversed)
      return ChangeResult::self_modified;  // an earlier part of this command made it
    if (result != ChangeResult::updated || !follow_updates || failure.moved_partition) return result;
    expected_xmin = failure.xmax;
    tid = failure.next;
    failure.traversed = true;
    check_interrupts();
  }
}

}  // namespace hathi::heap
