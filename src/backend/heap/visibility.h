#pragma once
// Who sees a row version. Private to heap/.
//
// All tests need the page's content lock, shared at least: they may set hint bits (facts about finished transactions), which
// only ever add to infomask. The caller marks the page dirty once when `hints.set`.

#include "heap_page.h"
#include "hathi/transaction/snapshot.h"
#include "hathi/transaction/transaction.h"
#include "hathi/transaction/xid_status.h"

namespace hathi::heap {

struct Hints { bool set = false; };

// Did the transaction commit? Remembers the last answer "yes".
bool xid_committed(Xid xid);
// Finished before the snapshot was taken, or not? xid is not the own transaction's.
inline bool running_for(Xid xid, const transaction::Snapshot& s) {
  if (xid < s.xmin) return false;
  if (xid >= s.xmax) return true;
  return transaction::in_snapshot(xid, s);
}

bool visible_mvcc(PageView page, HeapTupleHeader* h, const transaction::Snapshot& s, Hints& hints);
// Any kind of snapshot.
bool visible(PageView page, HeapTupleHeader* h, const transaction::Snapshot& s, Hints& hints);

enum class VersionState : std::uint8_t { dead, live, recently_dead, insert_in_progress, delete_in_progress };
// horizon: versions deleted before it are needed by nobody.
VersionState vacuum_state(PageView page, HeapTupleHeader* h, Xid horizon, Hints& hints);
// vacuum_state(…) == dead by hint bits alone.
bool surely_dead(PageView page, const HeapTupleHeader* h, Xid horizon);

// May the current transaction's command change the version? `ok` or why not; being_modified: somebody who may still be running
// holds xmax (the own transaction's row lock included).
ChangeResult test_for_change(PageView page, HeapTupleHeader* h, TupleId tid, CommandId command, Hints& hints);

// The transaction that updated or deleted the version (the updater among several), or kInvalidXid.
Xid updating_xid(PageView page, const HeapTupleHeader* h);
// Is this version the successor that `xmax` made? (A version frozen by a moved base no longer knows its xid.)
inline bool made_by(PageView page, const HeapTupleHeader* h, Xid xmax) {
  return xmax == kInvalidXid || row_xmin(page, h) == xmax || h->xmin == kFrozenXid.value();
}
CommandId row_cmin(const HeapTupleHeader* h);
CommandId row_cmax(const HeapTupleHeader* h);

// Row versions of this table deleted before the answer are needed by nobody. Newly computed.
Xid table_horizon(const HeapTable& table);

}  // namespace hathi::heap
