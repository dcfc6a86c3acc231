#pragma once
// Which rows LockRows locked for the row it gave last.

#include "node.h"

namespace hathi::executor {

struct LockedRow {
  Oid table = kInvalidOid;   // kInvalidOid: none, as the mark's side of an outer join had no row
  TupleId tid;
};

// The row of that table (or partition) that the LockRows node locked; nullptr when its last row had none.
const LockedRow* find_locked_row(const NodeState& node, Oid table);

}  // namespace hathi::executor
