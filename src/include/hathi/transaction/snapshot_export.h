#pragma once
// Snapshots that one transaction lends to others (pg_export_snapshot, SET TRANSACTION SNAPSHOT): a file in pg_snapshots that lives as
// long as the lending transaction.

#include <string>
#include <string_view>

namespace hathi::transaction {

// Lends the running statement's snapshot until this transaction ends; its name. 25001 in a subtransaction.
std::string export_snapshot();
// The running transaction reads under the snapshot of that name. 25001 once it has read anything, 0A000 below REPEATABLE READ or for
// another database's, 22023 when there is no such name, 55000 when the lender is gone.
void import_snapshot(std::string_view name);

}  // namespace hathi::transaction
