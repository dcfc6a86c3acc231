// Rewriting a table whose rows change their form.

#include <algorithm>

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/executor/executor.h"
#include "hathi/transaction/transaction.h"
#include "alter_table.h"
#include "relation_store.h"
#include "statements.h"

namespace hathi::ddl {

void rewrite_table(Oid table, const TupleDescriptor& old_row, const heap::HeapTable& old_heap, AttrNumber column, const nodes::Expr* expression,
                   char persistence) {
  Arena arena;
  auto value = expression == nullptr ? nullptr : std::make_unique<executor::RowExpression>(expression, old_row, arena);
  // The old storage stays readable until the transaction ends.
  heap::HeapTable source = old_heap;
  source.descriptor = copy_descriptor(old_row, arena);
  replace_storage(table, persistence);
  executor::TableWriter::Options options;
  options.check_foreign_keys = false;
  executor::TableWriter writer(table, options);
  catalog::RelationRef now = catalog::open_relation(table, locking::LockMode::none);
  auto n = static_cast<std::size_t>(std::max(now->descriptor->count(), old_row.count()));
  std::vector<Datum> values(n + 1);
  auto nulls = std::make_unique<bool[]>(n + 1);
  transaction::SnapshotRef snapshot = transaction::latest_snapshot();
  heap::Scan scan(source, *snapshot);
  HeapTuple row;
  Arena row_arena(4096);
  while (scan.next(row)) {
    std::fill_n(nulls.get(), n, true);
    deform_tuple(row, *source.descriptor, old_row.count(), values.data(), nulls.get());
    for (int i = 0; i < now->descriptor->count(); ++i) if ((*now->descriptor)[i].dropped) nulls[static_cast<std::size_t>(i)] = true;
    if (value != nullptr) {
      NullableDatum v = value->evaluate(values.data(), nulls.get(), table, row.tid, row_arena);
      values[static_cast<std::size_t>(column - 1)] = v.value;
      nulls[static_cast<std::size_t>(column - 1)] = v.is_null;
    }
    writer.write(values.data(), nulls.get());
    row_arena.reset();
  }
  writer.flush();
}

}  // namespace hathi::ddl
