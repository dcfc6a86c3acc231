// Descriptors of the catalogs themselves, made from their definitions before the first fork: nothing needs to be read to read them.

#include <algorithm>
#include <string>
#include <unordered_map>

#include "hathi/catalog/lookup.h"
#include "hathi/datum/function.h"
#include "hathi/nodes/visit.h"
#include "hathi/error/sql_error.h"
#include "hathi/storage/file.h"
#include "src/backend/catalog/definitions.h"
#include "src/backend/catalog/relation_cache.h"

namespace hathi::catalog {

namespace {

using Map = std::unordered_map<std::uint32_t, CachedRelation*>;
Map& descriptors() {
  static Map* map = new Map;  // lives as long as the process
  return *map;
}
// The memory of all of them, beside the small arenas that each would otherwise have.
Arena& memory() {
  static Arena* arena = new Arena(65536);
  return *arena;
}

// What processes write to when they bind descriptors to their database stands together, so that this copies few pages.
Arena& bound_memory() {
  static Arena* arena = new Arena(65536);
  return *arena;
}

CachedRelation* make_relation(Oid oid, std::string_view name, char kind, const CatalogDefinition& catalog) {
  Arena& place = kind == relation_kind::table ? bound_memory() : memory();
  auto* r = new (place.allocate(sizeof(CachedRelation), alignof(CachedRelation))) CachedRelation(64);  // never destroyed
  r->permanent = true;
  r->oid = oid;
  r->name = name;
  r->schema = kind == relation_kind::toast || (kind == relation_kind::index && name.starts_with("pg_toast")) ? kPgToastNamespace : kPgCatalogNamespace;
  r->schema_name = r->schema == kPgToastNamespace ? "pg_toast" : "pg_catalog";
  r->kind = kind;
  r->owner = kBootstrapSuperuser;
  r->is_shared = catalog.shared;
  r->tablespace = catalog.shared ? storage::kGlobalTablespace : kInvalidOid;
  r->access_method = kind == relation_kind::index ? kBTreeAccessMethod : kHeapAccessMethod;
  r->replica_identity = 'n';
  r->file = {catalog.shared ? storage::kGlobalTablespace : storage::kDefaultTablespace, kInvalidOid, oid};
  r->arena = &memory();
  descriptors()[raw(oid)] = r;
  return r;
}

void fill_attribute(Attribute& a, std::string_view name, Oid type, Oid collation) {
  const TypeInfo& info = type_info(type);
  a.name = name;
  a.type = type;
  a.layout = info.layout;
  a.storage = info.storage;
  a.collation = collation;
}

void fill_heap(CachedRelation& r) {
  r.heap.oid = r.oid;
  r.heap.file = r.file;
  r.heap.descriptor = r.descriptor;
  r.heap.is_catalog = true;
  r.heap.name = r.name;
  fill_indexed_columns(r, memory());
}

TupleDescriptor* catalog_columns(const CatalogDefinition& catalog) {
  TupleDescriptor* d = make_descriptor(memory(), static_cast<int>(catalog.columns.size()));
  d->row_type = catalog.row_type;
  for (std::size_t i = 0; i < catalog.columns.size(); ++i) {
    const CatalogColumn& column = catalog.columns[i];
    Attribute& a = d->attributes[i];
    fill_attribute(a, column.name, column.type, column.collation);
    a.storage = column.storage;
    a.not_null = column.not_null;
    a.dimensions = static_cast<std::int16_t>(column.dimensions);
  }
  finish_descriptor(*d);
  return d;
}

IndexDescriptor* make_index(const CachedRelation& table, const CatalogIndex& definition, const CatalogDefinition& catalog) {
  auto* index = bound_memory().make<IndexDescriptor>();
  index->oid = definition.oid;
  index->table = table.oid;
  index->name = definition.name;
  index->access_method = kBTreeAccessMethod;
  index->unique = definition.unique;
  index->primary = definition.primary;
  index->key_count = static_cast<int>(definition.columns.size());
  index->columns = definition.columns;
  index->operator_classes = definition.classes;
  index->collations = definition.collations;
  index->options = {memory().make_array<std::int16_t>(definition.columns.size()), definition.columns.size()};
  index->constraint = definition.constraint;
  CachedRelation* relation = make_relation(definition.oid, definition.name, relation_kind::index, catalog);
  TupleDescriptor* d = make_descriptor(memory(), index->key_count);
  for (int i = 0; i < index->key_count; ++i) {
    const Attribute& column = (*table.descriptor)[definition.columns[static_cast<std::size_t>(i)] - 1];
    fill_attribute(d->attributes[static_cast<std::size_t>(i)], column.name, column.type, definition.collations[static_cast<std::size_t>(i)]);
  }
  finish_descriptor(*d);
  relation->descriptor = d;
  relation->index = index;
  index->btree.oid = index->oid;
  index->btree.file = relation->file;
  index->btree.descriptor = d;
  index->btree.unique = index->unique;
  index->btree.name = index->name;
  finish_index(*index, memory());
  return index;
}

void make_indexes(CachedRelation& table, std::span<const CatalogIndex> definitions, const CatalogDefinition& catalog) {
  auto** indexes = memory().make_array<const IndexDescriptor*>(definitions.size());
  for (std::size_t i = 0; i < definitions.size(); ++i) indexes[i] = make_index(table, definitions[i], catalog);
  std::stable_sort(indexes, indexes + definitions.size(), [](const auto* a, const auto* b) { return a->primary && !b->primary; });
  table.indexes = {indexes, definitions.size()};
}

void make_toast(const CatalogDefinition& catalog) {
  CachedRelation* toast = make_relation(catalog.toast, catalog_relation_name(catalog.toast), relation_kind::toast, catalog);
  TupleDescriptor* d = make_descriptor(memory(), 3);
  fill_attribute(d->attributes[0], "chunk_id", type_oid::oid, kInvalidOid);
  fill_attribute(d->attributes[1], "chunk_seq", type_oid::int4, kInvalidOid);
  fill_attribute(d->attributes[2], "chunk_data", type_oid::bytea, kInvalidOid);
  for (Attribute& a : d->attributes) a.storage = 'p';
  finish_descriptor(*d);
  toast->descriptor = d;
  static constexpr AttrNumber kColumns[] = {1, 2};
  static constexpr Oid kClasses[] = {Oid{1981}, Oid{1978}}, kCollations[] = {kInvalidOid, kInvalidOid};
  CatalogIndex index{catalog.toast_index, catalog_relation_name(catalog.toast_index), catalog.toast, true, true, kColumns, kClasses, kCollations,
                     kInvalidOid, '\0'};
  make_indexes(*toast, {&index, 1}, catalog);
  fill_heap(*toast);
}

void bind_file(RelationFile& file) {
  file.database = current_database();
  file.tablespace = current_database_tablespace();
}

// Files of a database's own catalogs are in its directory: each process fills that in where it looks.
void bind(CachedRelation& r) {
  if (r.is_shared || (r.file.database == current_database() && r.file.tablespace == current_database_tablespace())) return;
  bind_file(r.file);
  r.heap.file = r.file;
  auto bind_index = [](const IndexDescriptor* index) { bind_file(const_cast<IndexDescriptor*>(index)->btree.file); };
  if (r.index != nullptr) bind_index(r.index);
  for (const IndexDescriptor* index : r.indexes) bind_index(index);
}

}  // namespace

namespace {

void build_catalog(const CatalogDefinition& catalog) {
  CachedRelation* r = make_relation(catalog.oid, catalog.name, relation_kind::table, catalog);
  r->row_type = catalog.row_type;
  r->descriptor = catalog_columns(catalog);
  make_indexes(*r, catalog.indexes, catalog);
  r->heap.toast_table = catalog.toast;
  fill_heap(*r);
  if (is_valid(catalog.toast)) make_toast(catalog);
}

// The catalogs that nearly every session reads come first.
constexpr Oid kHot[] = {catalog_oid::pg_class, catalog_oid::pg_attribute, catalog_oid::pg_index, catalog_oid::pg_constraint,
                        catalog_oid::pg_namespace, catalog_oid::pg_statistic, catalog_oid::pg_type, catalog_oid::pg_proc, catalog_oid::pg_attrdef,
                        catalog_oid::pg_rewrite, catalog_oid::pg_trigger};

}  // namespace

void build_catalog_descriptors() {
  if (!descriptors().empty()) return;
  for (Oid oid : kHot) build_catalog(*catalog_definition(oid));
  for (const CatalogDefinition& catalog : catalog_definitions()) {
    if (!descriptors().contains(raw(catalog.oid))) build_catalog(catalog);
  }
}

CachedRelation* catalog_descriptor(Oid oid) {
  auto found = descriptors().find(raw(oid));
  if (found == descriptors().end()) return nullptr;
  bind(*found->second);
  std::uint64_t version = version_number(versions::stamp(versions::slot_of(catalog_oid::pg_class, oid)));
  if (found->second->version != version) found->second->version = version;
  return found->second;
}

void finish_index(IndexDescriptor& index, Arena& arena) {
  auto n = static_cast<std::size_t>(index.key_count);
  auto* families = arena.make_array<Oid>(n);
  auto* inputs = arena.make_array<Oid>(n);
  auto* keys = static_cast<btree::KeyColumn*>(arena.allocate(n * sizeof(btree::KeyColumn), alignof(btree::KeyColumn)));
  bool usable = index.access_method == kBTreeAccessMethod;
  for (std::size_t i = 0; i < n; ++i) {
    new (&keys[i]) btree::KeyColumn();
    const OperatorClassInfo* c = find_operator_class(index.operator_classes[i]);
    if (c == nullptr) {
      throw SqlError(sqlstate::internal_error, "cache lookup failed for opclass {}", raw(index.operator_classes[i]));
    }
    families[i] = c->family;
    inputs[i] = c->input;
    if (!usable) continue;
    keys[i].comparison = prepare_comparison(family_function(c->family, c->input, c->input, 1), index.collations[i]);
    keys[i].descending = (index.options[i] & 1) != 0;
    keys[i].nulls_first = (index.options[i] & 2) != 0;
  }
  index.operator_families = {families, n};
  index.operator_input_types = {inputs, n};
  if (usable) index.btree.keys = {keys, n};
}

namespace {

void add_columns(std::vector<AttrNumber>& to, const IndexDescriptor& index, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    AttrNumber column = index.columns[i];
    if (column != 0 && std::find(to.begin(), to.end(), column) == to.end()) to.push_back(column);
  }
}

bool collect_variables(nodes::Expr* e, void* context);

void add_expression_columns(std::vector<AttrNumber>& to, const List<nodes::Expr*>& expressions) {
  for (nodes::Expr* e : expressions) collect_variables(e, &to);
}

bool collect_variables(nodes::Expr* e, void* context) {
  if (e == nullptr) return false;
  auto& to = *static_cast<std::vector<AttrNumber>*>(context);
  if (nodes::is<nodes::Variable>(e)) {
    AttrNumber column = nodes::as<nodes::Variable>(e)->column;
    if (std::find(to.begin(), to.end(), column) == to.end()) to.push_back(column);
    return false;
  }
  return nodes::walk_children(e, collect_variables, context);
}

std::span<const AttrNumber> sorted_copy(std::vector<AttrNumber>& columns, Arena& arena) {
  std::sort(columns.begin(), columns.end());
  auto* copy = arena.make_array<AttrNumber>(columns.size());
  std::copy(columns.begin(), columns.end(), copy);
  return {copy, columns.size()};
}

}  // namespace

void fill_indexed_columns(Relation& relation, Arena& arena) {
  std::vector<AttrNumber> keys, all;
  for (const IndexDescriptor* index : relation.indexes) {
    add_columns(all, *index, index->columns.size());
    add_expression_columns(all, index->expressions);
    add_expression_columns(all, index->predicate);
    if (index->unique && index->expressions.empty() && index->predicate.empty()) {
      add_columns(keys, *index, static_cast<std::size_t>(index->key_count));
    }
  }
  relation.heap.key_columns = sorted_copy(keys, arena);
  relation.heap.indexed_columns = sorted_copy(all, arena);
}

}  // namespace hathi::catalog
