// What goes with an object of each class when it is dropped.

#include <algorithm>

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/transaction/transaction.h"
#include "relation_store.h"

namespace hathi::ddl {

namespace {

using catalog::CatalogRow;
using catalog::CatalogTable;
using catalog::ObjectAddress;

void remove_row(Oid catalog_table, AttrNumber oid_column, Oid object, const std::function<void(CatalogRow&)>& before = nullptr) {
  Arena arena(1024);
  CatalogTable table(catalog_table, locking::LockMode::row_exclusive);
  auto row = table.find({{oid_column, Datum::of(object)}}, arena);
  if (!row) return;
  if (before) before(*row);
  table.remove(row->tid);
}

void drop_constraint(const ObjectAddress& o) {
  namespace c = catalog::pg_constraint;
  Oid table = kInvalidOid, referenced = kInvalidOid, domain = kInvalidOid;
  char type = 'c';
  remove_row(catalog_oid::pg_constraint, c::oid, o.object, [&](CatalogRow& row) {
    table = row.get(c::conrelid).as_oid();
    referenced = row.get(c::confrelid).as_oid();
    domain = row.get(c::contypid).as_oid();
    type = row.get(c::contype).as_char();
  });
  if (type == 'c' && is_valid(table)) {
    update_class_row(table, [](CatalogRow& row, Arena&) {
      namespace k = catalog::pg_class;
      row.set(k::relchecks, Datum::of(static_cast<std::int16_t>(std::max(0, row.get(k::relchecks).as_int16() - 1))));
    });
  }
  for (Oid r : {table, referenced}) if (is_valid(r)) catalog::note_change(catalog_oid::pg_class, r);
  if (is_valid(domain)) catalog::note_change(catalog_oid::pg_type, domain);
}

void drop_default(const ObjectAddress& o) {
  namespace d = catalog::pg_attrdef;
  Oid table = kInvalidOid;
  AttrNumber column = 0;
  remove_row(catalog_oid::pg_attrdef, d::oid, o.object, [&](CatalogRow& row) {
    table = row.get(d::adrelid).as_oid();
    column = row.get(d::adnum).as_int16();
  });
  if (!is_valid(table)) return;
  update_attribute_row(table, column, [](CatalogRow& row, Arena&) {
    row.set(catalog::pg_attribute::atthasdef, Datum::of(false));
    row.set(catalog::pg_attribute::attgenerated, Datum::of('\0'));
  });
}

void drop_type(const ObjectAddress& o) {
  const catalog::TypeInfo* type = catalog::find_type(o.object);
  if (type != nullptr && type->kind == 'e') {
    namespace e = catalog::pg_enum;
    Arena arena(2048);
    CatalogTable table(catalog_oid::pg_enum, locking::LockMode::row_exclusive);
    std::vector<TupleId> found;
    catalog::CatalogKey key{e::enumtypid, Datum::of(o.object)};
    table.scan({&key, 1}, arena, [&](CatalogRow& row) { found.push_back(row.tid); return true; });
    for (TupleId tid : found) table.remove(tid);
  }
  remove_row(catalog_oid::pg_type, catalog::pg_type::oid, o.object);
  catalog::note_change(catalog_oid::pg_type, o.object);
}

void drop_rule(const ObjectAddress& o) {
  namespace w = catalog::pg_rewrite;
  remove_row(catalog_oid::pg_rewrite, w::oid, o.object, [](CatalogRow& row) { catalog::note_change(catalog_oid::pg_class, row.get(w::ev_class).as_oid()); });
}

void drop_trigger(const ObjectAddress& o) {
  namespace t = catalog::pg_trigger;
  remove_row(catalog_oid::pg_trigger, t::oid, o.object, [](CatalogRow& row) { catalog::note_change(catalog_oid::pg_class, row.get(t::tgrelid).as_oid()); });
}

void drop_schema(const ObjectAddress& o) {
  remove_row(catalog_oid::pg_namespace, catalog::pg_namespace::oid, o.object);
  catalog::note_change(catalog_oid::pg_namespace, o.object);
}

void drop_default_privileges(const ObjectAddress& o) { remove_row(catalog_oid::pg_default_acl, catalog::pg_default_acl::oid, o.object); }

}  // namespace

void register_drops() {
  register_relation_drop();
  catalog::register_drop(catalog_oid::pg_constraint, drop_constraint);
  catalog::register_drop(catalog_oid::pg_attrdef, drop_default);
  catalog::register_drop(catalog_oid::pg_type, drop_type);
  catalog::register_drop(catalog_oid::pg_rewrite, drop_rule);
  catalog::register_drop(catalog_oid::pg_trigger, drop_trigger);
  catalog::register_drop(catalog_oid::pg_namespace, drop_schema);
  catalog::register_drop(catalog_oid::pg_default_acl, drop_default_privileges);
}

}  // namespace hathi::ddl
