#include "owners.h"

#include "hathi/catalog/acl.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/object_classes.h"
#include "hathi/catalog/relation.h"
#include "hathi/error/report.h"
#include "hathi/nodes/query.h"
#include "hathi/transaction/transaction.h"
#include "inheritance.h"
#include "object_names.h"
#include "roles.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
using catalog::ObjectAddress;
using locking::LockMode;

void change_acl_owner(catalog::CatalogRow& row, AttrNumber column, Oid old_owner, Oid new_owner, Arena& arena) {
  if (column == 0 || row.is_null(column)) return;
  std::vector<catalog::AclItem> items = catalog::read_acl(row.get(column), arena);
  catalog::acl_change_owner(items, old_owner, new_owner);
  row.set(column, catalog::make_acl(items, arena));
}

void change_column_acls(Oid relation, Oid old_owner, Oid new_owner) {
  namespace a = catalog::pg_attribute;
  Arena arena(4096);
  catalog::CatalogTable table(catalog_oid::pg_attribute, LockMode::row_exclusive);
  std::vector<catalog::CatalogRow> rows;
  const catalog::CatalogKey keys[] = {{a::attrelid, Datum::of(relation)}};
  table.scan(keys, arena, [&](catalog::CatalogRow& row) {
    if (!row.is_null(a::attacl)) rows.push_back(row);
    return true;
  });
  for (catalog::CatalogRow& row : rows) {
    change_acl_owner(row, a::attacl, old_owner, new_owner, arena);
    table.update(row);
  }
}

void require_create_in(Oid schema, Oid role) {
  if ((catalog::object_privileges(catalog_oid::pg_namespace, schema, role, nodes::kAclCreate) & nodes::kAclCreate) == 0) {
    catalog::throw_permission_denied("schema", catalog::schema_name(schema));
  }
}

bool belongs_to_column(Oid sequence, Oid& table) {
  for (const catalog::Dependency& d : catalog::dependencies_of({catalog_oid::pg_class, sequence, 0})) {
    bool owns = d.kind == catalog::DependencyKind::automatic || d.kind == catalog::DependencyKind::internal;
    if (d.object.class_id != catalog_oid::pg_class || !owns) continue;
    table = d.object.object;
    return true;
  }
  return false;
}

// Kinds whose owner does not change by itself. False: nothing to do (said in a warning).
bool check_kind(const catalog::Relation& r) {
  switch (r.kind) {
    case kind::index:
    case kind::partitioned_index:
      report_warning(sqlstate::wrong_object_type, "cannot change owner of index \"{}\"", r.name);
      return false;
    case kind::sequence: {
      Oid table = kInvalidOid;
      if (!belongs_to_column(r.oid, table)) return true;
      catalog::RelationRef owner = catalog::open_relation(table, LockMode::access_share);
      throw SqlError(sqlstate::feature_not_supported, "cannot change owner of sequence \"{}\"", r.name)
          .detail(fmt::format("Sequence \"{}\" is linked to table \"{}\".", r.name, owner->name));
    }
    default: return true;
  }
}

std::optional<catalog::CatalogRow> find_row(const catalog::CatalogTable& table, Oid object, Arena& arena) {
  return table.find({{1, Datum::of(object)}}, arena);
}

void give_type_to(Oid type, Oid new_owner) {
  store_owner({catalog_oid::pg_type, type, 0}, new_owner);
  // An array type has no entry of its own in pg_shdepend; it follows its element.
  const catalog::TypeInfo* info = catalog::find_type(type);
  if (info != nullptr && is_valid(info->array)) store_owner({catalog_oid::pg_type, info->array, 0}, new_owner);
}

}  // namespace

void store_owner(const ObjectAddress& object, Oid new_owner) {
  const catalog::ObjectClass* c = catalog::object_class(object.class_id);
  Arena arena(2048);
  Oid old_owner = kInvalidOid;
  bool recorded = true;
  {
    catalog::CatalogTable table(object.class_id, LockMode::row_exclusive);
    auto row = find_row(table, object.object, arena);
    if (!row) throw SqlError(sqlstate::internal_error, "cache lookup failed for object {} of class {}", raw(object.object), raw(object.class_id));
    old_owner = row->get(c->owner).as_oid();
    if (old_owner == new_owner) return;
    row->set(c->owner, Datum::of(new_owner));
    change_acl_owner(*row, c->acl, old_owner, new_owner, arena);
    table.update(*row);
    if (object.class_id == catalog_oid::pg_class) {
      char k = row->get(catalog::pg_class::relkind).as_char();
      recorded = k != kind::index && k != kind::partitioned_index && k != kind::toast;
    }
    if (object.class_id == catalog_oid::pg_type) {
      // Row types and array types are recorded with what they belong to.
      bool is_array = row->get(catalog::pg_type::typsubscript).as_oid() == Oid{6179};
      bool is_row = row->get(catalog::pg_type::typtype).as_char() == 'c';
      recorded = !is_array && !is_row;
    }
  }
  if (recorded) catalog::change_owner_dependency(object, new_owner);
}

void give_relation_to(Oid relation, Oid new_owner) {
  catalog::RelationRef r = catalog::open_relation(relation, LockMode::access_exclusive);
  if (r->owner == new_owner) return;
  store_owner({catalog_oid::pg_class, relation, 0}, new_owner);
  change_column_acls(relation, r->owner, new_owner);
  if (is_valid(r->row_type)) give_type_to(r->row_type, new_owner);
  for (const catalog::IndexDescriptor* index : r->indexes) store_owner({catalog_oid::pg_class, index->oid, 0}, new_owner);
  if (is_valid(r->heap.toast_table)) give_relation_to(r->heap.toast_table, new_owner);
  transaction::advance_command();
  bool has_sequences = r->kind == kind::table || r->kind == kind::partitioned_table || r->kind == kind::foreign_table;
  if (has_sequences) for (Oid sequence : owned_sequences(relation)) give_relation_to(sequence, new_owner);
}

void change_relation_owner(Oid relation, Oid new_owner) {
  catalog::RelationRef r = catalog::open_relation(relation, LockMode::none);
  if (r->owner == new_owner || !check_kind(*r)) return;
  Oid role = catalog::current_role();
  if (!catalog::is_superuser(role)) {
    if (!catalog::is_owner(catalog_oid::pg_class, relation, role)) catalog::throw_not_owner(relation_words(r->kind).noun, r->name);
    require_may_become(new_owner);
    require_create_in(r->schema, new_owner);
  }
  r.reset();
  give_relation_to(relation, new_owner);
}

void give_object_to(const ObjectAddress& object, Oid new_owner) {
  if (object.class_id == catalog_oid::pg_class) return give_relation_to(object.object, new_owner);
  if (object.class_id == catalog_oid::pg_type) {
    const catalog::TypeInfo& type = catalog::type_info(object.object);
    if (type.kind == 'c' && is_valid(type.relation)) return give_relation_to(type.relation, new_owner);
    return give_type_to(object.object, new_owner);
  }
  store_owner(object, new_owner);
}

void change_object_owner(const ObjectAddress& object, Oid new_owner) {
  Oid old_owner = catalog::object_owner(object.class_id, object.object);
  if (old_owner == new_owner) return;
  Oid role = catalog::current_role();
  bool is_schema = object.class_id == catalog_oid::pg_namespace;
  if (!catalog::is_superuser(role)) {
    require_owner(parser::ObjectType::type, object);
    require_may_become(new_owner);
    if (is_schema) {
      // Otherwise one could get rid of a schema that one could not make.
      if ((catalog::object_privileges(catalog_oid::pg_database, catalog::current_database(), role, nodes::kAclCreate) & nodes::kAclCreate) == 0) {
        catalog::throw_permission_denied("database", catalog::current_database_name());
      }
    } else if (object.class_id == catalog_oid::pg_type) {
      require_create_in(catalog::type_info(object.object).schema, new_owner);
    } else if (object.class_id == catalog_oid::pg_proc) {
      require_create_in(catalog::function_info(object.object).schema, new_owner);
    }
  }
  give_object_to(object, new_owner);
}

}  // namespace hathi::ddl
