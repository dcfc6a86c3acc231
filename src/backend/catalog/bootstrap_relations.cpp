// The catalogs describe themselves: pg_class, pg_attribute, pg_index, pg_constraint.

#include <algorithm>

#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/nodes/query.h"
#include "src/backend/catalog/array_value.h"
#include "src/backend/catalog/bootstrap_rows.h"
#include "src/backend/catalog/data.h"
#include "src/backend/catalog/definitions.h"
#include "src/backend/catalog/relation_cache.h"

namespace hathi::catalog {

namespace {

std::vector<AclItem> catalog_acl(const CatalogDefinition& catalog) {
  std::vector<AclItem> items{{kBootstrapSuperuser, kBootstrapSuperuser, all_privileges('r')}};
  if (catalog.public_read) items.push_back({kInvalidOid, kBootstrapSuperuser, nodes::kAclSelect});
  return items;
}

void add_class_row(Loaders& loaders, const Relation& r, const CatalogDefinition* catalog) {
  using namespace pg_class;
  CatalogLoader& out = loaders.of(catalog_oid::pg_class);
  CatalogRow& row = out.row();
  auto flag = [&](AttrNumber column, bool value) { row.set(column, Datum::of(value)); };
  auto set_oid = [&](AttrNumber column, Oid value) { row.set(column, Datum::of(value)); };
  bool is_index = r.kind == relation_kind::index;
  set_oid(pg_class::oid, r.oid);
  row.set(relname, out.name(r.name));
  set_oid(relnamespace, r.schema);
  set_oid(reltype, r.row_type);
  set_oid(reloftype, kInvalidOid);
  set_oid(relowner, r.owner);
  set_oid(relam, r.access_method);
  set_oid(relfilenode, r.oid);
  set_oid(reltablespace, r.tablespace);
  row.set(relpages, Datum::of(std::int32_t{0}));
  row.set(reltuples, Datum::of(is_index ? 0.0f : -1.0f));
  row.set(relallvisible, Datum::of(std::int32_t{0}));
  set_oid(reltoastrelid, r.heap.toast_table);
  flag(relhasindex, !r.indexes.empty());
  flag(relisshared, r.is_shared);
  row.set(relpersistence, Datum::of('p'));
  row.set(relkind, Datum::of(r.kind));
  row.set(relnatts, Datum::of(static_cast<std::int16_t>(r.descriptor->count())));
  row.set(relchecks, Datum::of(std::int16_t{0}));
  for (AttrNumber column : {relhasrules, relhastriggers, relhassubclass, relrowsecurity, relforcerowsecurity, relispartition}) flag(column, false);
  flag(relispopulated, true);
  row.set(relreplident, Datum::of('n'));
  set_oid(relrewrite, kInvalidOid);
  row.set(relfrozenxid, Datum::of(static_cast<std::uint32_t>(is_index ? 0 : kFirstNormalXid.value())));
  row.set(relminmxid, Datum::of(static_cast<std::uint32_t>(is_index ? 0 : 1)));
  if (catalog != nullptr) {
    std::vector<AclItem> items = catalog_acl(*catalog);
    row.set(relacl, out.acl(items));
    add_initial_privileges(loaders, catalog_oid::pg_class, r.oid, 0, items);
  }
  out.add(row);
}

void add_attribute_row(Loaders& loaders, Oid relation, AttrNumber number, const Attribute& a, int statistics_target) {
  using namespace pg_attribute;
  CatalogLoader& out = loaders.of(catalog_oid::pg_attribute);
  CatalogRow& row = out.row();
  row.set(attrelid, Datum::of(relation));
  row.set(attname, out.name(a.name));
  row.set(atttypid, Datum::of(a.type));
  row.set(attstattarget, Datum::of(static_cast<std::int32_t>(statistics_target)));
  row.set(attlen, Datum::of(a.layout.length));
  row.set(attnum, Datum::of(number));
  row.set(attndims, Datum::of(static_cast<std::int32_t>(a.dimensions)));
  row.set(attcacheoff, Datum::of(std::int32_t{-1}));
  row.set(atttypmod, Datum::of(std::int32_t{-1}));
  row.set(attbyval, Datum::of(a.layout.by_value));
  row.set(attalign, Datum::of(a.layout.align));
  row.set(attstorage, Datum::of(a.storage));
  row.set(attcompression, Datum::of('\0'));
  row.set(attnotnull, Datum::of(a.not_null));
  row.set(atthasdef, Datum::of(false));
  row.set(atthasmissing, Datum::of(false));
  row.set(attidentity, Datum::of('\0'));
  row.set(attgenerated, Datum::of('\0'));
  row.set(attisdropped, Datum::of(false));
  row.set(attislocal, Datum::of(true));
  row.set(attinhcount, Datum::of(std::int32_t{0}));
  row.set(attcollation, Datum::of(a.collation));
  out.add(row);
}

void add_attribute_rows(Loaders& loaders, const Relation& r) {
  if (r.kind != relation_kind::index) {
    struct SystemColumn { AttrNumber number; const char* name; Oid type; };
    constexpr SystemColumn kColumns[] = {{-1, "ctid", type_oid::tid}, {-2, "xmin", type_oid::xid}, {-3, "cmin", type_oid::cid},
                                         {-4, "xmax", type_oid::xid}, {-5, "cmax", type_oid::cid}, {-6, "tableoid", type_oid::oid}};
    for (const SystemColumn& column : kColumns) {
      Attribute a;
      a.name = column.name;
      a.type = column.type;
      a.layout = type_info(column.type).layout;
      a.not_null = true;
      add_attribute_row(loaders, r.oid, column.number, a, 0);
    }
  }
  for (int i = 0; i < r.descriptor->count(); ++i) add_attribute_row(loaders, r.oid, static_cast<AttrNumber>(i + 1), (*r.descriptor)[i], -1);
}

void add_index_row(Loaders& loaders, const IndexDescriptor& index) {
  using namespace pg_index;
  CatalogLoader& out = loaders.of(catalog_oid::pg_index);
  CatalogRow& row = out.row();
  auto flag = [&](AttrNumber column, bool value) { row.set(column, Datum::of(value)); };
  row.set(indexrelid, Datum::of(index.oid));
  row.set(indrelid, Datum::of(index.table));
  row.set(indnatts, Datum::of(static_cast<std::int16_t>(index.columns.size())));
  row.set(indnkeyatts, Datum::of(static_cast<std::int16_t>(index.key_count)));
  flag(indisunique, index.unique);
  flag(indnullsnotdistinct, false);
  flag(indisprimary, index.primary);
  flag(indisexclusion, false);
  flag(indimmediate, true);
  flag(indisclustered, false);
  flag(indisvalid, true);
  flag(indcheckxmin, false);
  flag(indisready, true);
  flag(indislive, true);
  flag(indisreplident, false);
  row.set(indkey, make_int2vector(index.columns, out.arena()));
  row.set(indcollation, make_oidvector(index.collations, out.arena()));
  row.set(indclass, make_oidvector(index.operator_classes, out.arena()));
  row.set(indoption, make_int2vector(index.options, out.arena()));
  out.add(row);
}

void add_constraint_row(Loaders& loaders, const CatalogIndex& index) {
  if (index.constraint_type == '\0') return;
  using namespace pg_constraint;
  CatalogLoader& out = loaders.of(catalog_oid::pg_constraint);
  CatalogRow& row = out.row();
  row.set(pg_constraint::oid, Datum::of(index.constraint));
  row.set(conname, out.name(index.name));
  row.set(connamespace, Datum::of(kPgCatalogNamespace));
  row.set(contype, Datum::of(index.constraint_type));
  for (AttrNumber column : {condeferrable, condeferred}) row.set(column, Datum::of(false));
  row.set(convalidated, Datum::of(true));
  row.set(conrelid, Datum::of(index.table));
  row.set(conindid, Datum::of(index.oid));
  for (AttrNumber column : {contypid, conparentid, confrelid}) row.set(column, Datum::of(kInvalidOid));
  for (AttrNumber column : {confupdtype, confdeltype, confmatchtype}) row.set(column, Datum::of(' '));
  row.set(conislocal, Datum::of(true));
  row.set(coninhcount, Datum::of(std::int32_t{0}));
  row.set(connoinherit, Datum::of(true));
  row.set(conkey, make_int2_array(index.columns, out.arena()));
  out.add(row);
}

void add_relation(Loaders& loaders, const Relation& r, const CatalogDefinition* catalog) {
  add_class_row(loaders, r, catalog);
  add_attribute_rows(loaders, r);
  for (const IndexDescriptor* index : r.indexes) {
    RelationRef relation = cached_relation(index->oid);
    add_class_row(loaders, *relation, nullptr);
    add_attribute_rows(loaders, *relation);
    add_index_row(loaders, *index);
  }
}

}  // namespace

void add_relation_rows(Loaders& loaders) {
  for (const CatalogDefinition& catalog : catalog_definitions()) {
    add_relation(loaders, *cached_relation(catalog.oid), &catalog);
    if (is_valid(catalog.toast)) add_relation(loaders, *cached_relation(catalog.toast), nullptr);
    for (const CatalogIndex& index : catalog.indexes) add_constraint_row(loaders, index);
  }
}

}  // namespace hathi::catalog
