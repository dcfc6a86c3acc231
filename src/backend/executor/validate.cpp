// Building indexes, and checking existing rows against new constraints.

#include <algorithm>

#include "constraint_events.h"
#include "hathi/analyzer/deparse.h"
#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/executor/executor.h"
#include "hathi/shmem/interrupts.h"
#include "key_scan.h"
#include "partitions.h"
#include "target_table.h"

namespace hathi::executor {

namespace {

[[noreturn]] void throw_duplicated(const catalog::Relation& table, const catalog::IndexDescriptor& index, const Datum* values, const bool* nulls) {
  Arena arena(512);
  std::string names, texts;
  for (int i = 0; i < index.key_count; ++i) {
    if (i != 0) { names += ", "; texts += ", "; }
    names += analyzer::index_definition(index.oid, i + 1, false);
    texts += nulls[i] ? "null" : value_text(values[i], (*index.btree.descriptor)[i].type, arena);
  }
  throw SqlError(sqlstate::unique_violation, "could not create unique index \"{}\"", index.name)
      .detail(fmt::format("Key ({})=({}) is duplicated.", names, texts))
      .schema(table.schema_name)
      .table(table.name)
      .constraint(index.name);
}

}  // namespace

void build_index(Oid table_oid, Oid index_oid, const transaction::Snapshot* snapshot, std::uint64_t& table_rows, std::uint64_t& index_rows,
                 bool* broken_chains) {
  Arena arena(4096);
  catalog::RelationRef table_ref = catalog::open_relation(table_oid, locking::LockMode::none);
  catalog::RelationRef index_ref = catalog::open_relation(index_oid, locking::LockMode::none);
  const catalog::IndexDescriptor& index = *index_ref->index;
  table_rows = index_rows = 0;
  TargetTable target(std::move(table_ref), nullptr, arena);
  TargetIndex t = target.prepare_index(index);
  Row row;
  target.make_new_row(row);
  btree::Builder builder(index.btree, [&](const Datum* values, const bool* nulls) { throw_duplicated(target.relation(), index, values, nulls); });
  heap::scan_for_index_build(
      target.heap(), snapshot,
      [&](const HeapTuple& tuple, TupleId root, bool live) {
        check_interrupts();
        HeapTuple copy = tuple;
        copy.table = table_oid;
        row.set_heap(copy);
        if (live) ++table_rows;
        if (target.index_values(t, row)) {
          builder.add(t.values, t.nulls, root, live);
          if (live) ++index_rows;
        }
        target.end_row();
      },
      broken_chains);
  builder.finish();
}

void validate_index(Oid table_oid, Oid index_oid, const transaction::Snapshot& snapshot) {
  Arena arena(4096);
  catalog::RelationRef table_ref = catalog::open_relation(table_oid, locking::LockMode::none);
  catalog::RelationRef index_ref = catalog::open_relation(index_oid, locking::LockMode::none);
  const catalog::IndexDescriptor& index = *index_ref->index;
  std::vector<TupleId> present;
  btree::Scan entries(index.btree, false);
  entries.start({});
  TupleId tid;
  while (entries.next(tid)) {
    check_interrupts();
    present.push_back(tid);
  }
  std::sort(present.begin(), present.end());
  TargetTable target(std::move(table_ref), nullptr, arena);
  TargetIndex t = target.prepare_index(index);
  Row row;
  target.make_new_row(row);
  heap::scan_for_index_build(target.heap(), &snapshot, [&](const HeapTuple& tuple, TupleId root, bool live) {
    check_interrupts();
    if (!live || std::binary_search(present.begin(), present.end(), root)) return;
    HeapTuple copy = tuple;
    copy.table = table_oid;
    row.set_heap(copy);
    target.insert_one(t, row, root);
    target.end_row();
  });
}

void validate_check(Oid table_oid, const nodes::Expr* check, std::string_view constraint_name) {
  Arena arena(4096), values(1024);
  catalog::RelationRef table = catalog::open_relation(table_oid, locking::LockMode::none);
  RowExpression expression(check, *table->descriptor, arena);
  Row row;
  make_row(row, table->descriptor->count(), table->descriptor, arena);
  transaction::SnapshotRef snapshot = transaction::latest_snapshot();
  heap::Scan scan(table->heap, *snapshot);
  HeapTuple tuple;
  while (scan.next(tuple)) {
    check_interrupts();
    values.reset();
    row.set_heap(tuple);
    row.need_all();
    NullableDatum v = expression.evaluate(row.values, row.nulls, table_oid, tuple.tid, values);
    if (v.is_null || v.value.as_bool()) continue;
    if (!constraint_name.empty()) {
      throw SqlError(sqlstate::check_violation, "check constraint \"{}\" of relation \"{}\" is violated by some row", constraint_name, table->name)
          .schema(table->schema_name)
          .table(table->name)
          .constraint(constraint_name);
    }
    if (nodes::is<nodes::NullTest>(check) && nodes::is<nodes::Variable>(nodes::as<nodes::NullTest>(check)->arg)) {
      std::string_view column = (*table->descriptor)[nodes::as<nodes::Variable>(nodes::as<nodes::NullTest>(check)->arg)->column - 1].name;
      throw SqlError(sqlstate::not_null_violation, "column \"{}\" of relation \"{}\" contains null values", column, table->name)
          .schema(table->schema_name)
          .table(table->name)
          .column(column);
    }
    throw SqlError(sqlstate::check_violation, "partition constraint of relation \"{}\" is violated by some row", table->name)
        .schema(table->schema_name)
        .table(table->name);
  }
}

namespace {

const catalog::ForeignKey& find_foreign_key(const catalog::Relation& table, Oid constraint) {
  for (const catalog::ForeignKey& k : table.foreign_keys) {
    if (k.oid == constraint) return k;
  }
  throw SqlError(sqlstate::internal_error, "foreign key {} of table \"{}\" is missing", raw(constraint), table.name);
}

void validate_rows(const catalog::Relation& table, const catalog::ForeignKey& fk) {
  transaction::SnapshotRef snapshot = transaction::latest_snapshot();
  ForeignKeyLookup lookup(fk, table);
  heap::Scan scan(table.heap, *snapshot);
  HeapTuple tuple;
  while (scan.next(tuple)) {
    check_interrupts();
    tuple.table = table.oid;
    lookup.require(tuple, *snapshot);
  }
}

}  // namespace

void validate_foreign_key(Oid constraint) {
  Arena arena(1024);
  catalog::CatalogTable constraints(catalog_oid::pg_constraint, locking::LockMode::access_share);
  std::optional<catalog::CatalogRow> row = constraints.find({{catalog::pg_constraint::oid, Datum::of(constraint)}}, arena);
  if (!row) throw SqlError(sqlstate::internal_error, "cache lookup failed for constraint {}", raw(constraint));
  catalog::RelationRef table = catalog::open_relation(row->get(catalog::pg_constraint::conrelid).as_oid(), locking::LockMode::none);
  const catalog::ForeignKey& fk = find_foreign_key(*table, constraint);
  if (table->kind != catalog::relation_kind::partitioned_table) return validate_rows(*table, fk);
  for (Oid leaf : leaf_partitions(*table, locking::LockMode::row_share)) {
    catalog::RelationRef partition = catalog::open_relation(leaf, locking::LockMode::row_share);
    // The partition's own copy of the constraint has its own column numbers.
    const catalog::ForeignKey* own = nullptr;
    for (const catalog::ForeignKey& k : partition->foreign_keys) {
      if (k.name == fk.name && k.referenced == fk.referenced) own = &k;
    }
    if (own != nullptr) validate_rows(*partition, *own);
  }
}

}  // namespace hathi::executor
