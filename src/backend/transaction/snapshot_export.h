#pragma once
// What snapshot.cpp and snapshot_export.cpp share.

#include <vector>

#include "hathi/transaction/snapshot.h"

namespace hathi::transaction {

// Makes the parts the running transaction's snapshot and publishes its xmin.
void adopt_transaction_snapshot(Xid xmin, Xid xmax, std::vector<Xid> running, bool may_have_subtransactions);
// The transaction ends: files go, the snapshots are let go.
void forget_exported_snapshots();

}  // namespace hathi::transaction
