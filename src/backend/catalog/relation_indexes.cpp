// Index descriptors from pg_index.

#include <algorithm>
#include <charconv>

#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/visit.h"
#include "src/backend/catalog/array_value.h"
#include "src/backend/catalog/relation_cache.h"
#include "src/backend/catalog/relation_parts.h"

namespace hathi::catalog {

namespace {

// A vector column of pg_index; one element a key column.
std::span<const Oid> oids(const CatalogRow& row, AttrNumber column, Arena& arena) { return oid_array_values(row.get(column), arena); }

void fill_flags(IndexDescriptor& index, const CatalogRow& row) {
  using namespace pg_index;
  index.unique = row.get(indisunique).as_bool();
  index.nulls_not_distinct = row.get(indnullsnotdistinct).as_bool();
  index.primary = row.get(indisprimary).as_bool();
  index.exclusion = row.get(indisexclusion).as_bool();
  index.immediate = row.get(indimmediate).as_bool();
  index.clustered = row.get(indisclustered).as_bool();
  index.valid = row.get(indisvalid).as_bool();
  index.check_xmin = row.get(indcheckxmin).as_bool();
  index.ready = row.get(indisready).as_bool();
  index.live = row.get(indislive).as_bool();
  index.replica_identity = row.get(indisreplident).as_bool();
  if (index.check_xmin) index.valid_from = row.xmin;
}

// The row type of index entries: key columns as their classes store them, then the included columns.
TupleDescriptor* entry_descriptor(const IndexDescriptor& index, const Relation& table, Arena& arena) {
  TupleDescriptor* d = make_descriptor(arena, static_cast<int>(index.columns.size()));
  std::size_t next_expression = 0;
  for (std::size_t i = 0; i < index.columns.size(); ++i) {
    Attribute& a = d->attributes[i];
    if (index.columns[i] > 0) {
      const Attribute& column = (*table.descriptor)[index.columns[i] - 1];
      a.name = arena.copy(column.name);
      a.type = column.type;
      a.typmod = column.typmod;
      a.collation = column.collation;
      a.storage = column.storage;
      a.compression = column.compression;
      a.layout = column.layout;
    } else if (index.columns[i] == 0) {
      const nodes::Expr* e = index.expressions[next_expression++];
      a.name = next_expression == 1 ? "expr" : arena.copy(fmt::format("expr{}", next_expression - 1));
      a.type = nodes::type_of(e);
      a.typmod = nodes::typmod_of(e);
      const TypeInfo& info = type_info(a.type);
      a.layout = info.layout;
      a.storage = info.storage;
    } else {
      throw SqlError(sqlstate::internal_error, "index on a system column");
    }
    if (i >= static_cast<std::size_t>(index.key_count)) continue;
    a.collation = index.collations[i];
    const OperatorClassInfo* c = find_operator_class(index.operator_classes[i]);
    // (Names stay names: index-only scans hand them out as they are.)
    if (c == nullptr || !is_valid(c->key) || c->key == type_oid::cstring) continue;
    const TypeInfo& key = type_info(c->key == type_oid::anyelement && a.type != kInvalidOid ? a.type : c->key);
    a.type = key.oid;
    a.layout = key.layout;
    a.storage = key.storage;
  }
  finish_descriptor(*d);
  return d;
}

Oid inheritance_parent(Oid child) {
  Arena scratch(512);
  auto row = CatalogTable(catalog_oid::pg_inherits, locking::LockMode::access_share).find({{pg_inherits::inhrelid, Datum::of(child)}}, scratch);
  return row ? row->get(pg_inherits::inhparent).as_oid() : kInvalidOid;
}

void read_index_options(IndexDescriptor& index, const CatalogRow& class_row, Arena& arena) {
  if (class_row.is_null(pg_class::reloptions)) return;
  for (std::string_view option : text_array_values(class_row.get(pg_class::reloptions), arena)) {
    if (option.starts_with("fillfactor=")) {
      std::string_view value = option.substr(11);
      std::from_chars(value.data(), value.data() + value.size(), index.btree.fill_factor);
    } else if (option.starts_with("deduplicate_items=")) {
      std::string_view value = option.substr(18);
      index.btree.deduplicate = value == "on" || value == "true" || value == "1" || value == "yes";
    }
  }
}

}  // namespace

IndexDescriptor* load_index(const CatalogRow& row, const CatalogRow& class_row, const Relation& table, Arena& arena) {
  using namespace pg_index;
  auto* index = arena.make<IndexDescriptor>();
  index->oid = row.get(indexrelid).as_oid();
  index->table = row.get(indrelid).as_oid();
  if (class_row.get(pg_class::relispartition).as_bool()) index->parent = inheritance_parent(index->oid);
  index->name = arena.copy(name_text(class_row.get(pg_class::relname)));
  index->access_method = class_row.get(pg_class::relam).as_oid();
  index->key_count = row.get(indnkeyatts).as_int16();
  index->columns = int2_array_values(row.get(indkey), arena);
  index->operator_classes = oids(row, indclass, arena);
  index->collations = oids(row, indcollation, arena);
  index->options = int2_array_values(row.get(indoption), arena);
  fill_flags(*index, row);
  if (!row.is_null(indexprs)) index->expressions = nodes::list_from_text(varlena::text(row.get(indexprs), arena), arena);
  if (!row.is_null(indpred)) index->predicate = nodes::list_from_text(varlena::text(row.get(indpred), arena), arena);
  index->row_count = class_row.get(pg_class::reltuples).as_float4();
  index->page_count = static_cast<std::uint32_t>(class_row.get(pg_class::relpages).as_int32());

  btree::BTreeIndex& tree = index->btree;
  tree.oid = index->oid;
  Oid tablespace = class_row.get(pg_class::reltablespace).as_oid();
  tree.file = {is_valid(tablespace) ? tablespace : current_database_tablespace(), current_database(), class_row.get(pg_class::relfilenode).as_oid()};
  tree.persistence = static_cast<storage::Persistence>(class_row.get(pg_class::relpersistence).as_char());
  tree.descriptor = entry_descriptor(*index, table, arena);
  tree.unique = index->unique;
  tree.nulls_not_distinct = index->nulls_not_distinct;
  tree.name = index->name;
  tree.root_hint = arena.make<btree::RootHint>();
  read_index_options(*index, class_row, arena);
  finish_index(*index, arena);
  return index;
}

void load_indexes(Relation& table, Arena& arena) {
  Arena scratch(4096);
  std::vector<IndexDescriptor*> indexes;
  CatalogTable index_table(catalog_oid::pg_index, locking::LockMode::access_share), class_table(catalog_oid::pg_class, locking::LockMode::access_share);
  index_table.scan(std::vector<CatalogKey>{{pg_index::indrelid, Datum::of(table.oid)}}, scratch, [&](CatalogRow& row) {
    if (!row.get(pg_index::indislive).as_bool()) return true;
    auto class_row = class_table.find({{pg_class::oid, row.get(pg_index::indexrelid)}}, scratch);
    if (class_row) indexes.push_back(load_index(row, *class_row, table, arena));
    return true;
  });
  std::sort(indexes.begin(), indexes.end(), [](const IndexDescriptor* a, const IndexDescriptor* b) {
    return a->primary != b->primary ? a->primary : raw(a->oid) < raw(b->oid);
  });
  auto** copy = arena.make_array<const IndexDescriptor*>(indexes.size());
  std::copy(indexes.begin(), indexes.end(), copy);
  table.indexes = {copy, indexes.size()};
}

}  // namespace hathi::catalog
