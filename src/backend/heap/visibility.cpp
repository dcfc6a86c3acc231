#include "visibility.h"

#include "hathi/transaction/combo.h"

namespace hathi::heap {

using transaction::Snapshot;

namespace {

// The last xid found committed: rows next to each other mostly have the same inserter.
Xid last_committed{0};

void hint(HeapTupleHeader* h, std::uint16_t bits, Hints& hints) {
  h->infomask |= bits;
  hints.set = true;
}

// A commit may be noted on the page only when a crash cannot take it back.
void hint_committed(HeapTupleHeader* h, std::uint16_t bits, Xid xid, Hints& hints) {
  if (transaction::commit_is_durable(xid)) hint(h, bits, hints);
}

// The deleter's xid when the version has one that counts; kInvalidXid for lockers.
Xid deleter(PageView page, const HeapTupleHeader* h) {
  if (has_flag(h, infomask::xmax_invalid | infomask::xmax_lock_only)) return kInvalidXid;
  if (has_flag(h, infomask::xmax_multi)) return transaction::multixact_updater(MultiXactId{h->xmax});
  return full_xid(page, h->xmax);
}

bool is_multi(const HeapTupleHeader* h) { return has_flag(h, infomask::xmax_multi); }

bool deleted_mvcc(PageView page, HeapTupleHeader* h, const Snapshot& s, Hints& hints) {
  Xid xmax = deleter(page, h);
  if (xmax == kInvalidXid) return false;
  if (!is_multi(h) && has_flag(h, infomask::xmax_committed)) return !running_for(xmax, s);
  if (xmax >= s.xmin && transaction::is_current(xmax)) return row_cmax(h) < s.command;
  if (running_for(xmax, s)) return false;
  if (!xid_committed(xmax)) {
    if (!is_multi(h)) hint(h, infomask::xmax_invalid, hints);
    return false;
  }
  if (!is_multi(h)) hint_committed(h, infomask::xmax_committed, xmax, hints);
  return true;
}

// Is the inserter done and committed, as of now? in_progress: set when somebody else's transaction still runs.
// own: set for the current transaction's.
bool inserted_now(PageView page, HeapTupleHeader* h, Hints& hints, Xid& in_progress, bool& own) {
  if (has_flag(h, infomask::xmin_committed)) return true;
  if (has_flag(h, infomask::xmin_invalid)) return false;
  Xid xmin = row_xmin(page, h);
  if (transaction::is_current(xmin)) {
    own = true;
    return true;
  }
  if (transaction::is_running(xmin)) {
    in_progress = xmin;
    return false;
  }
  if (xid_committed(xmin)) {
    hint_committed(h, infomask::xmin_committed, xmin, hints);
    return true;
  }
  hint(h, infomask::xmin_invalid, hints);
  return false;
}

enum class DeleterState : std::uint8_t { none, own, running, committed };
DeleterState deleted_now(PageView page, HeapTupleHeader* h, Hints& hints, Xid& xmax) {
  xmax = deleter(page, h);
  if (xmax == kInvalidXid) return DeleterState::none;
  if (!is_multi(h) && has_flag(h, infomask::xmax_committed)) return DeleterState::committed;
  if (transaction::is_current(xmax)) return DeleterState::own;
  if (transaction::is_running(xmax)) return DeleterState::running;
  if (xid_committed(xmax)) {
    if (!is_multi(h)) hint_committed(h, infomask::xmax_committed, xmax, hints);
    return DeleterState::committed;
  }
  if (!is_multi(h)) hint(h, infomask::xmax_invalid, hints);
  return DeleterState::none;
}

bool visible_self(PageView page, HeapTupleHeader* h, Hints& hints) {
  Xid running{0}, xmax;
  bool own = false;
  if (!inserted_now(page, h, hints, running, own)) return false;
  DeleterState d = deleted_now(page, h, hints, xmax);
  return d == DeleterState::none || d == DeleterState::running;
}

bool visible_dirty(PageView page, HeapTupleHeader* h, const Snapshot& s, Hints& hints) {
  Xid running{0}, xmax;
  bool own = false;
  s.dirty_xmin = s.dirty_xmax = kInvalidXid;
  if (!inserted_now(page, h, hints, running, own)) {
    if (running == kInvalidXid) return false;
    s.dirty_xmin = running;
    return true;
  }
  DeleterState d = deleted_now(page, h, hints, xmax);
  if (d == DeleterState::running) s.dirty_xmax = xmax;
  return d == DeleterState::none || d == DeleterState::running;
}

// TOAST chunks live and die with the row that points at them; only leftovers of aborted inserts are hidden.
bool visible_toast(PageView page, HeapTupleHeader* h) {
  if (has_flag(h, infomask::xmin_committed)) return true;
  return !has_flag(h, infomask::xmin_invalid) && row_xmin(page, h) != kInvalidXid;
}

// Forgets lockers that have finished.
void clear_finished_lockers(PageView page, HeapTupleHeader* h, Hints& hints) {
  bool running = is_multi(h) ? transaction::multixact_is_running(MultiXactId{h->xmax}) : transaction::is_running(full_xid(page, h->xmax));
  if (!running) hint(h, infomask::xmax_invalid, hints);
}

}  // namespace

bool xid_committed(Xid xid) {
  if (xid == last_committed) return true;
  if (!transaction::did_commit(xid)) return false;
  last_committed = xid;
  return true;
}

CommandId row_cmin(const HeapTupleHeader* h) {
  CommandId command{h->command};
  return has_flag(h, infomask::combo_command) ? transaction::real_cmin(command) : command;
}
CommandId row_cmax(const HeapTupleHeader* h) {
  CommandId command{h->command};
  return has_flag(h, infomask::combo_command) ? transaction::real_cmax(command) : command;
}

Xid updating_xid(PageView page, const HeapTupleHeader* h) { return deleter(page, h); }

Xid table_horizon(const HeapTable& table) { return transaction::oldest_visible_xid(table.file.database); }

bool visible_mvcc(PageView page, HeapTupleHeader* h, const Snapshot& s, Hints& hints) {
  if (!has_flag(h, infomask::xmin_committed)) {
    if (has_flag(h, infomask::xmin_invalid)) return false;
    Xid xmin = row_xmin(page, h);
    // Below the snapshot's xmin everything has finished, the own transaction's older subtransactions too.
    if (xmin >= s.xmin && transaction::is_current(xmin)) {
      if (row_cmin(h) >= s.command) return false;
    } else {
      if (running_for(xmin, s)) return false;
      if (!xid_committed(xmin)) {
        hint(h, infomask::xmin_invalid, hints);
        return false;
      }
      hint_committed(h, infomask::xmin_committed, xmin, hints);
    }
  } else if (!is_frozen(h) && running_for(row_xmin(page, h), s)) {
    return false;
  }
  return has_flag(h, infomask::xmax_invalid) || !deleted_mvcc(page, h, s, hints);
}

bool visible(PageView page, HeapTupleHeader* h, const Snapshot& s, Hints& hints) {
  switch (s.kind) {
    case Snapshot::Kind::mvcc: return visible_mvcc(page, h, s, hints);
    case Snapshot::Kind::self: return visible_self(page, h, hints);
    case Snapshot::Kind::any: return true;
    case Snapshot::Kind::dirty: return visible_dirty(page, h, s, hints);
    case Snapshot::Kind::toast: return visible_toast(page, h);
    case Snapshot::Kind::non_vacuumable: return vacuum_state(page, h, s.xmin, hints) != VersionState::dead;
  }
  return false;
}

VersionState vacuum_state(PageView page, HeapTupleHeader* h, Xid horizon, Hints& hints) {
  Xid running{0}, xmax;
  bool own = false;
  if (!inserted_now(page, h, hints, running, own)) return running != kInvalidXid ? VersionState::insert_in_progress : VersionState::dead;
  if (!has_flag(h, infomask::xmax_invalid) && has_flag(h, infomask::xmax_lock_only)) {
    clear_finished_lockers(page, h, hints);
    return own ? VersionState::insert_in_progress : VersionState::live;
  }
  switch (deleted_now(page, h, hints, xmax)) {
    case DeleterState::none: return own ? VersionState::insert_in_progress : VersionState::live;
    case DeleterState::own: case DeleterState::running: return VersionState::delete_in_progress;
    case DeleterState::committed: break;
  }
  return xmax < horizon ? VersionState::dead : VersionState::recently_dead;
}

bool surely_dead(PageView page, const HeapTupleHeader* h, Xid horizon) {
  if (!has_flag(h, infomask::xmin_committed)) return has_flag(h, infomask::xmin_invalid);
  if (has_flag(h, infomask::xmax_invalid | infomask::xmax_lock_only | infomask::xmax_multi)) return false;
  return has_flag(h, infomask::xmax_committed) && full_xid(page, h->xmax) < horizon;
}

namespace {

ChangeResult updated_or_deleted(const HeapTupleHeader* h, TupleId tid) {
  return h->ctid() == tid || !h->ctid().is_valid() ? ChangeResult::deleted : ChangeResult::updated;
}

// Several transactions, or one, hold xmax; the inserter is fine.
ChangeResult test_xmax(PageView page, HeapTupleHeader* h, TupleId tid, CommandId command, Hints& hints) {
  if (has_flag(h, infomask::xmax_invalid)) return ChangeResult::ok;
  bool lock_only = has_flag(h, infomask::xmax_lock_only);
  if (is_multi(h)) {
    MultiXactId multi{h->xmax};
    if (lock_only) {
      if (transaction::multixact_is_running(multi)) return ChangeResult::being_modified;
      hint(h, infomask::xmax_invalid, hints);
      return ChangeResult::ok;
    }
    Xid updater = transaction::multixact_updater(multi);
    if (updater == kInvalidXid) return transaction::multixact_is_running(multi) ? ChangeResult::being_modified : ChangeResult::ok;
    if (transaction::is_current(updater)) return row_cmax(h) >= command ? ChangeResult::self_modified : ChangeResult::invisible;
    if (transaction::is_running(updater)) return ChangeResult::being_modified;
    if (xid_committed(updater)) return updated_or_deleted(h, tid);
    if (transaction::multixact_is_running(multi)) return ChangeResult::being_modified;
    hint(h, infomask::xmax_invalid, hints);
    return ChangeResult::ok;
  }
  if (has_flag(h, infomask::xmax_committed)) return lock_only ? ChangeResult::ok : updated_or_deleted(h, tid);
  Xid xmax = full_xid(page, h->xmax);
  if (transaction::is_current(xmax)) {
    if (lock_only) return ChangeResult::being_modified;
    return row_cmax(h) >= command ? ChangeResult::self_modified : ChangeResult::invisible;
  }
  if (transaction::is_running(xmax)) return ChangeResult::being_modified;
  if (lock_only || !xid_committed(xmax)) {
    hint(h, infomask::xmax_invalid, hints);
    return ChangeResult::ok;
  }
  hint_committed(h, infomask::xmax_committed, xmax, hints);
  return updated_or_deleted(h, tid);
}

}  // namespace

ChangeResult test_for_change(PageView page, HeapTupleHeader* h, TupleId tid, CommandId command, Hints& hints) {
  Xid running{0};
  bool own = false;
  if (!inserted_now(page, h, hints, running, own)) return ChangeResult::invisible;
  if (own && row_cmin(h) >= command) return ChangeResult::invisible;
  return test_xmax(page, h, tid, command, hints);
}

}  // namespace hathi::heap
