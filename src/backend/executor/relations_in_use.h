#pragma once
// Which relations an open run holds: DDL of the same session asks before it changes them.

#include "statement_state.h"

namespace hathi::executor {

// Would PostgreSQL's executor keep the relation open in this run? Tables that are read; of a partitioned table the partitions that are left
// when the statement starts, and the table itself when pruning goes on after planning; indexes that are scanned. O(what survives pruning).
bool holds_relation(StatementState& statement, Oid relation);

}  // namespace hathi::executor
