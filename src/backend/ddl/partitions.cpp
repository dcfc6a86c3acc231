// CREATE TABLE … PARTITION OF: what a partition takes from its parent, and how it is entered in the catalogs.

#include "partitions.h"

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/executor/executor.h"
#include "hathi/nodes/visit.h"
#include "hathi/transaction/transaction.h"
#include "foreign_keys.h"
#include "inheritance.h"
#include "partition_indexes.h"
#include "relation_store.h"
#include "row_scan.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;

NewColumn inherited_column(const Attribute& a) {
  NewColumn c;
  c.name = a.name;
  c.type = a.type;
  c.typmod = a.typmod;
  c.collation = a.collation;
  c.dimensions = a.dimensions;
  c.not_null = a.not_null;
  c.generated = a.generated;
  c.compression = a.compression;
  c.storage = a.storage;
  c.is_local = false;
  c.inherit_count = 1;
  return c;
}

// Calls visit(leaf) for the table or for all leaves below it, locked access_exclusive.
void for_each_leaf(Oid table, const std::function<void(const catalog::Relation&)>& visit) {
  catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::access_exclusive);
  if (r->kind != kind::partitioned_table) {
    visit(*r);
    return;
  }
  std::vector<Oid> members;
  for (const partition::Member& m : partition::full_descriptor_of(*r).members) members.push_back(m.oid);
  for (Oid member : members) for_each_leaf(member, visit);
}

// 23514 when a row of the leaf fulfils the condition.
void require_no_row(const catalog::Relation& leaf, const nodes::Expr* condition, std::string_view default_name) {
  Arena arena(4096), row_arena(4096);
  executor::RowExpression test(condition, *leaf.descriptor, arena);
  for_each_row(leaf, [&](const Datum* values, const bool* nulls, const HeapTuple& row) {
    NullableDatum belongs = test.evaluate(values, nulls, leaf.oid, row.tid, row_arena);
    row_arena.reset();
    if (belongs.is_null || !belongs.value.as_bool()) return;
    throw SqlError(sqlstate::check_violation, "updated partition constraint for default partition \"{}\" would be violated by some row", default_name)
        .schema(leaf.schema_name).table(leaf.name);
  });
}

}  // namespace

nodes::Expr* map_columns(const nodes::Expr* e, std::span<const AttrNumber> map, Arena& arena) {
  if (e == nullptr) return nullptr;
  if (nodes::is<nodes::Variable>(e)) {
    auto* v = static_cast<nodes::Variable*>(nodes::copy(e, arena));
    if (v->levels_up != 0 || v->rte != 1 || v->column < 0) return v;
    if (v->column == 0) throw SqlError(sqlstate::feature_not_supported, "cannot convert whole-row table reference");
    if (!map.empty()) v->column = v->source_column = map[static_cast<std::size_t>(v->column - 1)];
    return v;
  }
  return nodes::map_each_child(e, [&](nodes::Expr* child) { return map_columns(child, map, arena); }, arena);
}

void inherit_columns_of_parent(const catalog::Relation& parent, const parser::CreateTableStatement&, std::string_view, Arena& arena,
                               TableDefinition& definition) {
  const TupleDescriptor& row = *parent.descriptor;
  auto* map = arena.make_array<AttrNumber>(static_cast<std::size_t>(row.count()));
  for (int i = 0; i < row.count(); ++i) {
    if (row[i].dropped) continue;
    NewColumn column = inherited_column(row[i]);
    column.name = arena.copy(column.name);
    definition.columns.push_back(column);
    definition.defaults.push_back(nullptr);
    map[i] = static_cast<AttrNumber>(definition.columns.size());
  }
  std::span<const AttrNumber> numbers(map, static_cast<std::size_t>(row.count()));
  for (std::size_t i = 0; i < parent.defaults.size(); ++i) {
    if (parent.defaults[i] == nullptr || row[static_cast<int>(i)].dropped) continue;
    definition.inherited_defaults.emplace_back(map[i], map_columns(parent.defaults[i], numbers, arena));
  }
  for (const catalog::CheckConstraint& check : parent.checks) {
    if (!check.no_inherit) definition.inherited_checks.push_back({std::string(check.name), map_columns(check.expr, numbers, arena)});
  }
}

void check_default_partition(const catalog::Relation& parent, const partition::Bound& bound) {
  const partition::PartitionDescriptor& d = partition::full_descriptor_of(parent);
  if (d.default_member < 0 || bound.is_default) return;
  Oid default_oid = d.members[static_cast<std::size_t>(d.default_member)].oid;
  catalog::RelationRef default_partition = catalog::open_relation(default_oid, locking::LockMode::access_exclusive);
  for_each_leaf(default_oid, [&](const catalog::Relation& leaf) {
    Arena arena(4096);
    require_no_row(leaf, partition::partition_constraint_for(parent, bound, leaf, arena), default_partition->name);
  });
  // Its implicit constraint is another one now.
  catalog::note_change(catalog_oid::pg_class, default_oid);
}

void store_default_partition(Oid parent, Oid partition) {
  namespace p = catalog::pg_partitioned_table;
  Arena arena(1024);
  catalog::CatalogTable table(catalog_oid::pg_partitioned_table, locking::LockMode::row_exclusive);
  auto row = table.find({{p::partrelid, Datum::of(parent)}}, arena);
  if (!row) throw SqlError(sqlstate::internal_error, "cache lookup failed for partition key of relation {}", raw(parent));
  row->set(p::partdefid, Datum::of(partition));
  table.update(*row);
}

void insert_partition(const catalog::Relation& child, const catalog::Relation& parent, const partition::Bound& bound) {
  insert_inheritance(child.oid, parent.oid, 1, true);
  if (bound.is_default) store_default_partition(parent.oid, child.oid);
  partition::note_attached(parent, {child.oid, child.kind != kind::partitioned_table, false}, bound);
  if (parent.has_subclass) return;
  update_class_row(parent.oid, [](catalog::CatalogRow& row, Arena&) { row.set(catalog::pg_class::relhassubclass, Datum::of(true)); });
}

Oid default_partition_of(Oid parent) {
  namespace p = catalog::pg_partitioned_table;
  Arena arena(1024);
  catalog::CatalogTable table(catalog_oid::pg_partitioned_table, locking::LockMode::access_share);
  auto row = table.find({{p::partrelid, Datum::of(parent)}}, arena);
  return row ? row->get(p::partdefid).as_oid() : kInvalidOid;
}

void remove_partition(Oid child, Oid parent) {
  namespace i = catalog::pg_inherits;
  {
    Arena arena(1024);
    catalog::CatalogTable table(catalog_oid::pg_inherits, locking::LockMode::row_exclusive);
    auto row = table.find({{i::inhrelid, Datum::of(child)}, {i::inhparent, Datum::of(parent)}}, arena);
    if (row) table.remove(row->tid);
  }
  partition::note_detached(parent, child);
  Oid default_oid = default_partition_of(parent);
  if (default_oid == child) store_default_partition(parent, kInvalidOid);
  else if (is_valid(default_oid)) catalog::note_change(catalog_oid::pg_class, default_oid);
}

void attach_new_partition(Oid table, const catalog::Relation& parent, const partition::Bound& bound) {
  catalog::RelationRef child = catalog::open_relation(table, locking::LockMode::none);
  insert_partition(*child, parent, bound);
  transaction::advance_command();
}

void copy_parent_indexes_and_keys(Oid table, const catalog::Relation& parent, bool has_rows) {
  ensure_partition_indexes(parent, table);
  if (!parent.foreign_keys.empty() || !parent.referenced_by.empty()) clone_foreign_keys(parent, table, has_rows);
}

}  // namespace hathi::ddl
