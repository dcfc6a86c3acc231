// Rewriting a table whose rows change their form.

#include <algorithm>

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/executor/executor.h"
#include "hathi/transaction/transaction.h"
#include "alter_table.h"
#include "index_store.h"
#include "relation_store.h"
#include "statements.h"
#include "unfilled_indexes.h"

namespace hathi::ddl {

namespace {

// Columns of other tables whose type is the table's row type keep rows of the old form.
void check_row_type_unused(const catalog::Relation& r) {
  if (!is_valid(r.row_type)) return;
  const catalog::TypeInfo& row_type = catalog::type_info(r.row_type);
  for (Oid type : {r.row_type, row_type.array}) {
    if (!is_valid(type)) continue;
    for (const catalog::Dependency& d : catalog::dependents_of({catalog_oid::pg_type, type, 0})) {
      if (d.object.class_id != catalog_oid::pg_class || d.object.sub <= 0) continue;
      catalog::RelationRef user = catalog::open_relation(d.object.object, locking::LockMode::access_share);
      namespace kind = catalog::relation_kind;
      if (user->kind != kind::table && user->kind != kind::partitioned_table && user->kind != kind::materialized_view) continue;
      throw SqlError(sqlstate::feature_not_supported, "cannot alter table \"{}\" because column \"{}.{}\" uses its row type", r.name, user->name,
                     (*user->descriptor)[d.object.sub - 1].name);
    }
  }
}

[[noreturn]] void throw_null(const catalog::Relation& r, int column) {
  std::string_view name = (*r.descriptor)[column].name;
  throw SqlError(sqlstate::not_null_violation, "column \"{}\" of relation \"{}\" contains null values", name, r.name)
      .schema(r.schema_name)
      .table(r.name)
      .column(name);
}

}  // namespace

void rewrite_rows(Oid table, const TupleDescriptor& old_row, const heap::HeapTable& old_heap, std::span<const ColumnValue> columns, char persistence) {
  Arena arena;
  std::vector<std::pair<AttrNumber, std::unique_ptr<executor::RowExpression>>> expressions;
  for (const ColumnValue& c : columns) expressions.emplace_back(c.column, std::make_unique<executor::RowExpression>(c.value, old_row, arena));
  if (!columns.empty()) check_row_type_unused(*catalog::open_relation(table, locking::LockMode::none));
  // The old storage stays readable until the transaction ends.
  heap::HeapTable source = old_heap;
  source.descriptor = copy_descriptor(old_row, arena);
  replace_storage_unfilled(table, persistence);
  executor::TableWriter::Options options;
  options.skip_constraints = true;   // and no index entries
  executor::TableWriter writer(table, options);
  catalog::RelationRef now = catalog::open_relation(table, locking::LockMode::none);
  auto n = static_cast<std::size_t>(std::max(now->descriptor->count(), old_row.count()));
  std::vector<Datum> values(n + 1), changed(expressions.size());
  auto nulls = std::make_unique<bool[]>(n + 1), changed_nulls = std::make_unique<bool[]>(expressions.size() + 1);
  transaction::SnapshotRef snapshot = transaction::latest_snapshot();
  heap::Scan scan(source, *snapshot);
  HeapTuple row;
  Arena row_arena(4096);
  while (scan.next(row)) {
    std::fill_n(nulls.get(), n, true);
    deform_tuple(row, *source.descriptor, old_row.count(), values.data(), nulls.get());
    // All see the old row.
    for (std::size_t i = 0; i < expressions.size(); ++i) {
      NullableDatum v = expressions[i].second->evaluate(values.data(), nulls.get(), table, row.tid, row_arena);
      changed[i] = v.value;
      changed_nulls[i] = v.is_null;
    }
    for (std::size_t i = 0; i < expressions.size(); ++i) {
      auto at = static_cast<std::size_t>(expressions[i].first - 1);
      values[at] = changed[i];
      nulls[at] = changed_nulls[i];
    }
    for (int i = 0; i < now->descriptor->count(); ++i) {
      const Attribute& a = (*now->descriptor)[i];
      if (a.dropped) nulls[static_cast<std::size_t>(i)] = true;
      else if (a.not_null && nulls[static_cast<std::size_t>(i)]) throw_null(*now, i);
    }
    writer.write(values.data(), nulls.get());
    row_arena.reset();
  }
  writer.flush();
}

void fill_indexes(Oid table) {
  std::vector<Oid> indexes;
  for (const catalog::IndexDescriptor* i : catalog::open_relation(table, locking::LockMode::none)->indexes) indexes.push_back(i->oid);
  for (Oid index : indexes) fill_index(index);
}

void rewrite_table(Oid table, const TupleDescriptor& old_row, const heap::HeapTable& old_heap, std::span<const ColumnValue> columns, char persistence) {
  rewrite_rows(table, old_row, old_heap, columns, persistence);
  fill_indexes(table);
}

}  // namespace hathi::ddl
