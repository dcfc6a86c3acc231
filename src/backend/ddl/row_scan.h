#pragma once
// Reading the rows of a table from a statement that defines something.

#include <memory>
#include <vector>

#include "hathi/catalog/relation.h"
#include "hathi/heap/heap.h"
#include "hathi/transaction/snapshot.h"

namespace hathi::ddl {

// Calls visit(values, nulls, row) for every row that a new snapshot sees, taken apart; the arrays are overwritten by the next row.
template <class Visit>
void for_each_row(const catalog::Relation& table, Visit&& visit) {
  transaction::SnapshotRef snapshot = transaction::latest_snapshot();
  heap::Scan scan(table.heap, *snapshot);
  auto n = static_cast<std::size_t>(table.descriptor->count());
  std::vector<Datum> values(n + 1);   // never empty
  auto nulls = std::make_unique<bool[]>(n + 1);
  HeapTuple row;
  while (scan.next(row)) {
    deform_tuple(row, *table.descriptor, table.descriptor->count(), values.data(), nulls.get());
    visit(values.data(), nulls.get(), row);
  }
}

}  // namespace hathi::ddl
