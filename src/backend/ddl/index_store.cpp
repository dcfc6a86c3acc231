#include "index_store.h"

#include <algorithm>

#include "hathi/btree/btree.h"
#include "hathi/buffer/buffer_pool.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "hathi/executor/executor.h"
#include "hathi/nodes/visit.h"
#include "hathi/storage/file.h"
#include "hathi/transaction/transaction.h"
#include "partitions.h"
#include "relation_store.h"
#include "row_values.h"
#include "unfilled_indexes.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
using catalog::CatalogRow;
using catalog::CatalogTable;
using catalog::DependencyKind;
using catalog::ObjectAddress;

// The index's own columns: a key has its operator class's storage type, if that names one.
std::vector<NewColumn> index_columns(const NewIndex& index, const catalog::Relation& table) {
  std::vector<NewColumn> out;
  for (std::size_t i = 0; i < index.columns.size(); ++i) {
    const NewIndexColumn& from = index.columns[i];
    NewColumn c;
    c.name = from.name;
    if (from.column != 0) {
      const Attribute& a = (*table.descriptor)[from.column - 1];
      c.type = a.type;
      c.typmod = a.typmod;
      c.collation = a.collation;
      c.storage = a.storage;
      c.dimensions = a.dimensions;
      c.compression = a.compression;
    } else {
      c.type = nodes::type_of(from.expression);
      c.typmod = nodes::typmod_of(from.expression);
    }
    if (static_cast<int>(i) < index.key_count) {
      c.collation = from.collation;
      const catalog::OperatorClassInfo* info = catalog::find_operator_class(from.operator_class);
      if (info != nullptr && is_valid(info->key) && info->key != c.type) {
        c.type = info->key;
        c.typmod = -1;
        c.storage = '\0';
      }
    }
    out.push_back(c);
  }
  return out;
}

void insert_index_row(const NewIndex& n, Oid oid) {
  namespace x = catalog::pg_index;
  Arena arena(2048);
  std::vector<AttrNumber> keys, options;
  std::vector<Oid> collations, classes;
  List<nodes::Expr*> expressions;
  for (std::size_t i = 0; i < n.columns.size(); ++i) {
    keys.push_back(n.columns[i].column);
    if (n.columns[i].column == 0) expressions.push_back(arena, n.columns[i].expression);
    if (static_cast<int>(i) >= n.key_count) continue;
    options.push_back(n.columns[i].options);
    collations.push_back(n.columns[i].collation);
    classes.push_back(n.columns[i].operator_class);
  }
  CatalogTable table(catalog_oid::pg_index, locking::LockMode::row_exclusive);
  CatalogRow row = table.new_row();
  row.set(x::indexrelid, Datum::of(oid));
  row.set(x::indrelid, Datum::of(n.table));
  row.set(x::indnatts, Datum::of(static_cast<std::int16_t>(n.columns.size())));
  row.set(x::indnkeyatts, Datum::of(static_cast<std::int16_t>(n.key_count)));
  row.set(x::indisunique, Datum::of(n.unique));
  row.set(x::indnullsnotdistinct, Datum::of(n.nulls_not_distinct));
  row.set(x::indisprimary, Datum::of(n.primary));
  row.set(x::indisexclusion, Datum::of(false));
  row.set(x::indimmediate, Datum::of(n.immediate));
  row.set(x::indisclustered, Datum::of(false));
  row.set(x::indisvalid, Datum::of(n.is_valid && !n.concurrently));
  row.set(x::indcheckxmin, Datum::of(false));
  row.set(x::indisready, Datum::of(!n.concurrently));
  row.set(x::indislive, Datum::of(true));
  row.set(x::indisreplident, Datum::of(false));
  row.set(x::indkey, int2_vector(arena, keys));
  row.set(x::indcollation, oid_vector(arena, collations));
  row.set(x::indclass, oid_vector(arena, classes));
  row.set(x::indoption, int2_vector(arena, options));
  if (!expressions.empty()) row.set(x::indexprs, text_value(arena, nodes::to_text(expressions)));
  if (!n.predicate.empty()) row.set(x::indpred, text_value(arena, nodes::to_text(n.predicate)));
  table.insert(row);
}

void record_index_dependencies(const NewIndex& n, Oid oid, Oid constraint) {
  ObjectAddress self{catalog_oid::pg_class, oid, 0};
  bool any_column = false;
  if (is_valid(constraint)) {
    catalog::record_dependency(self, {catalog_oid::pg_constraint, constraint, 0}, DependencyKind::internal);
    any_column = true;
  } else {
    for (const NewIndexColumn& c : n.columns) {
      if (c.column == 0) continue;
      catalog::record_dependency(self, {catalog_oid::pg_class, n.table, c.column}, DependencyKind::automatic);
      any_column = true;
    }
  }
  if (!any_column) catalog::record_dependency(self, {catalog_oid::pg_class, n.table, 0}, DependencyKind::automatic);
  if (is_valid(n.parent_index)) {
    catalog::record_dependency(self, {catalog_oid::pg_class, n.parent_index, 0}, DependencyKind::partition_primary);
    catalog::record_dependency(self, {catalog_oid::pg_class, n.table, 0}, DependencyKind::partition_secondary);
  }
  for (const NewIndexColumn& c : n.columns) {
    if (is_valid(c.collation) && c.collation != kDefaultCollation) {
      catalog::record_dependency(self, {catalog_oid::pg_collation, c.collation, 0}, DependencyKind::normal);
    }
    if (is_valid(c.operator_class)) catalog::record_dependency(self, {catalog_oid::pg_opclass, c.operator_class, 0}, DependencyKind::normal);
    if (c.expression != nullptr) catalog::record_dependencies_on(self, c.expression, n.table, DependencyKind::normal, DependencyKind::automatic);
  }
  for (const nodes::Expr* e : n.predicate) catalog::record_dependencies_on(self, e, n.table, DependencyKind::normal, DependencyKind::automatic);
}

Oid create_index_constraint(const NewIndex& n, Oid oid, const catalog::Relation& table) {
  NewConstraint c;
  c.name = n.name;
  c.schema = table.schema;
  c.table = n.table;
  c.index = oid;
  c.parent = n.parent_constraint;
  c.type = n.constraint;
  c.deferrable = n.deferrable;
  c.initially_deferred = n.initially_deferred;
  c.no_inherit = !is_valid(n.parent_constraint);
  c.is_local = !is_valid(n.parent_constraint);
  c.inherit_count = is_valid(n.parent_constraint) ? 1 : 0;
  for (int i = 0; i < n.key_count; ++i) c.columns.push_back(n.columns[static_cast<std::size_t>(i)].column);
  Oid constraint = insert_constraint(c);
  if (is_valid(n.parent_constraint)) {
    ObjectAddress self{catalog_oid::pg_constraint, constraint, 0};
    catalog::record_dependency(self, {catalog_oid::pg_constraint, n.parent_constraint, 0}, DependencyKind::partition_primary);
    catalog::record_dependency(self, {catalog_oid::pg_class, n.table, 0}, DependencyKind::partition_secondary);
  }
  return constraint;
}

void store_has_index(Oid table) {
  {
    Arena arena(2048);
    auto row = catalog::CatalogTable(catalog_oid::pg_class, locking::LockMode::access_share).find({{catalog::pg_class::oid, Datum::of(table)}}, arena);
    if (row && row->get(catalog::pg_class::relhasindex).as_bool()) return;
  }
  update_class_row(table, [](CatalogRow& row, Arena&) { row.set(catalog::pg_class::relhasindex, Datum::of(true)); });
}

// Snapshots that are older than this transaction must not use the index: versions they see have other keys than their chain's entry.
void mark_for_younger_snapshots(Oid index) {
  namespace x = catalog::pg_index;
  Arena arena(1024);
  CatalogTable table(catalog_oid::pg_index, locking::LockMode::row_exclusive);
  auto row = table.find({{x::indexrelid, Datum::of(index)}}, arena);
  if (!row) throw SqlError(sqlstate::internal_error, "cache lookup failed for index {}", raw(index));
  row->set(x::indcheckxmin, Datum::of(true));
  table.update(*row);
}

}  // namespace

void make_index_empty(Oid index) {
  catalog::RelationRef r = catalog::open_relation(index, locking::LockMode::none);
  btree::create_empty(r->index->btree);
  if (r->persistence == 'u') btree::create_empty(r->index->btree, Fork::init);
}

void store_relation_size(Oid relation, double rows) {
  catalog::RelationRef r = catalog::open_relation(relation, locking::LockMode::none);
  auto pages = buffer::block_count(r->file, Fork::main);
  // In place: sizes belong to no transaction, and indexes may be built at once.
  Arena arena(2048);
  catalog::CatalogTable table(catalog_oid::pg_class, locking::LockMode::row_exclusive);
  if (auto found = table.find({{catalog::pg_class::oid, Datum::of(relation)}}, arena)) {
    CatalogRow& row = *found;
    // An empty table that was never measured stays so: the planner expects it to fill.
    bool unmeasured = rows == 0 && row.get(catalog::pg_class::reltuples).as_float4() < 0;
    if (!unmeasured) row.set(catalog::pg_class::reltuples, Datum::of(static_cast<float>(rows)));
    row.set(catalog::pg_class::relpages, Datum::of(static_cast<std::int32_t>(pages.value())));
    table.update_in_place(row);
  }
}

Oid create_index(const NewIndex& n) {
  if (n.access_method != kBTreeAccessMethod) throw_not_supported("this index access method");
  catalog::RelationRef table = catalog::open_relation(n.table, locking::LockMode::none);
  NewRelation r;
  r.name = n.name;
  r.schema = table->schema;
  r.kind = n.is_partitioned ? kind::partitioned_index : kind::index;
  r.persistence = table->persistence;
  r.owner = table->owner;
  r.tablespace = n.tablespace;
  r.access_method = n.access_method;
  r.is_shared = table->is_shared;
  r.columns = index_columns(n, *table);
  r.options = n.options;
  r.has_row_type = false;
  r.is_index_partition = is_valid(n.parent_index);
  Oid oid = create_relation_rows(r);
  insert_index_row(n, oid);
  Oid constraint = n.constraint != '\0' ? create_index_constraint(n, oid, *table) : kInvalidOid;
  record_index_dependencies(n, oid, constraint);
  if (is_valid(n.parent_index)) {
    insert_inheritance_row(oid, n.parent_index, 1);
    catalog::RelationRef parent = catalog::open_relation(n.parent_index, locking::LockMode::none);
    if (!parent->has_subclass) {
      update_class_row(n.parent_index, [](CatalogRow& row, Arena&) { row.set(catalog::pg_class::relhassubclass, Datum::of(true)); });
    }
  }
  store_has_index(n.table);
  catalog::note_change(catalog_oid::pg_class, n.table);
  transaction::advance_command();
  if (n.is_partitioned) return oid;
  if (n.concurrently) make_index_empty(oid);
  else if (!n.skip_build) fill_index(oid);
  return oid;
}

void fill_index(Oid index) {
  Oid table = kInvalidOid;
  {
    catalog::RelationRef r = catalog::open_relation(index, locking::LockMode::none);
    table = r->index->table;
    if (r->persistence == 'u') btree::create_empty(r->index->btree, Fork::init);
  }
  std::uint64_t table_rows = 0, index_rows = 0;
  bool broken_chains = false;
  executor::build_index(table, index, nullptr, table_rows, index_rows, &broken_chains);
  if (broken_chains) mark_for_younger_snapshots(index);
  store_relation_size(table, static_cast<double>(table_rows));
  store_relation_size(index, static_cast<double>(index_rows));
  transaction::advance_command();
}

Oid insert_constraint(const NewConstraint& n) {
  namespace c = catalog::pg_constraint;
  Arena arena(2048);
  Oid oid = catalog::new_oid(catalog_oid::pg_constraint);
  {
    CatalogTable table(catalog_oid::pg_constraint, locking::LockMode::row_exclusive);
    CatalogRow row = table.new_row();
    row.set(c::oid, Datum::of(oid));
    row.set(c::conname, name_value(arena, n.name));
    row.set(c::connamespace, Datum::of(n.schema));
    row.set(c::contype, Datum::of(n.type));
    row.set(c::condeferrable, Datum::of(n.deferrable));
    row.set(c::condeferred, Datum::of(n.initially_deferred));
    row.set(c::convalidated, Datum::of(n.validated));
    row.set(c::conrelid, Datum::of(n.table));
    row.set(c::contypid, Datum::of(n.domain));
    row.set(c::conindid, Datum::of(n.index));
    row.set(c::conparentid, Datum::of(n.parent));
    row.set(c::confrelid, Datum::of(n.referenced));
    row.set(c::confupdtype, Datum::of(n.on_update));
    row.set(c::confdeltype, Datum::of(n.on_delete));
    row.set(c::confmatchtype, Datum::of(n.match));
    row.set(c::conislocal, Datum::of(n.is_local));
    row.set(c::coninhcount, Datum::of(std::int32_t{n.inherit_count}));
    row.set(c::connoinherit, Datum::of(n.no_inherit));
    if (!n.columns.empty()) row.set(c::conkey, int2_array(arena, n.columns));
    if (n.type == 'f') {
      row.set(c::confkey, int2_array(arena, n.referenced_columns));
      row.set(c::conpfeqop, oid_array(arena, n.equal_pk_fk));
      row.set(c::conppeqop, oid_array(arena, n.equal_pk_pk));
      row.set(c::conffeqop, oid_array(arena, n.equal_fk_fk));
      if (!n.set_null_columns.empty()) row.set(c::confdelsetcols, int2_array(arena, n.set_null_columns));
    }
    if (n.check != nullptr) row.set(c::conbin, text_value(arena, nodes::to_text(n.check)));
    table.insert(row);
  }
  ObjectAddress self{catalog_oid::pg_constraint, oid, 0};
  if (is_valid(n.table)) {
    if (n.columns.empty()) catalog::record_dependency(self, {catalog_oid::pg_class, n.table, 0}, DependencyKind::automatic);
    for (AttrNumber column : n.columns) catalog::record_dependency(self, {catalog_oid::pg_class, n.table, column}, DependencyKind::automatic);
  }
  if (is_valid(n.domain)) catalog::record_dependency(self, {catalog_oid::pg_type, n.domain, 0}, DependencyKind::automatic);
  for (AttrNumber column : n.referenced_columns) {
    catalog::record_dependency(self, {catalog_oid::pg_class, n.referenced, column}, DependencyKind::normal);
  }
  if (n.type == 'f' && is_valid(n.index)) catalog::record_dependency(self, {catalog_oid::pg_class, n.index, 0}, DependencyKind::normal);
  for (const auto* operators : {&n.equal_pk_fk, &n.equal_pk_pk, &n.equal_fk_fk}) {
    for (Oid op : *operators) catalog::record_dependency(self, {catalog_oid::pg_operator, op, 0}, DependencyKind::normal);
  }
  if (n.check != nullptr && is_valid(n.table)) catalog::record_dependencies_on(self, n.check, n.table, DependencyKind::normal);
  if (is_valid(n.table)) catalog::note_change(catalog_oid::pg_class, n.table);
  if (is_valid(n.referenced)) catalog::note_change(catalog_oid::pg_class, n.referenced);
  return oid;
}

bool constraint_name_is_used(Oid table, Oid domain, std::string_view name) {
  namespace c = catalog::pg_constraint;
  Arena arena(1024);
  CatalogTable constraints(catalog_oid::pg_constraint, locking::LockMode::access_share);
  return constraints.find({{c::conrelid, Datum::of(table)}, {c::contypid, Datum::of(domain)}, {c::conname, name_value(arena, name)}}, arena).has_value();
}

std::string choose_constraint_name(std::string_view name1, std::string_view name2, std::string_view label, Oid schema, const std::vector<std::string>& taken) {
  namespace c = catalog::pg_constraint;
  Arena arena(1024);
  CatalogTable constraints(catalog_oid::pg_constraint, locking::LockMode::access_share);
  std::string numbered(label);
  for (int pass = 1;; ++pass) {
    std::string name = make_object_name(name1, name2, numbered);
    bool used = std::find(taken.begin(), taken.end(), name) != taken.end() ||
                constraints.find({{c::conname, name_value(arena, name)}, {c::connamespace, Datum::of(schema)}}, arena).has_value();
    if (!used) return name;
    numbered = fmt::format("{}{}", label, pass);
  }
}

}  // namespace hathi::ddl
