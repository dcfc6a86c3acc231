#pragma once
// Which transactions run now. Only processes with an xid stand in the dense arrays, so taking a snapshot costs O(running xids).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hathi/base/ids.h"

namespace hathi::transaction {

// All shared memory of transaction/: process array, counters, created files.
std::size_t shared_size();
void shared_init(void* memory);

// Registers redo functions and checkpoint counters. Once, before the first fork (and in initdb).
void register_functions();

// While set, this process's snapshots do not keep rows of others alive (VACUUM without an outer transaction). Reset at its end.
void set_vacuum_flag(bool in_vacuum);

// As oldest_visible_xid(), at most as old as the running statement's snapshot: recomputed once a snapshot. For pruning.
Xid prune_horizon(Oid database);
// The oldest xid that runs (next_xid() when none does).
Xid oldest_running_xid();
int active_xid_count();

// For pg_stat_activity and pg_locks: what a process slot's transaction has.
struct SlotTransaction { Xid xid; Xid xmin; };
SlotTransaction slot_transaction(int slot);

// Counts completed transactions; even when stable. Equal counts: no transaction ended between.
std::uint64_t completion_count();

}  // namespace hathi::transaction
