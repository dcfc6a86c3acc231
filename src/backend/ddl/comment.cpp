// COMMENT ON.

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "database_access.h"
#include "object_names.h"
#include "relation_store.h"
#include "row_values.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
using catalog::ObjectAddress;
using parser::ObjectType;

// Comments change nothing that a reader sees: the relation stays usable meanwhile.
catalog::RelationRef open_owned(const parser::RangeVar& name, ObjectType type) {
  catalog::RelationRef r = analyzer::open_by_name(&name, locking::LockMode::share_update_exclusive);
  if (type != ObjectType::column) require_kind(*r, type);
  if (!catalog::is_owner(catalog_oid::pg_class, r->oid, catalog::current_role())) catalog::throw_not_owner(relation_words(r->kind).noun, r->name);
  return r;
}

ObjectAddress column_address(const parser::QualifiedName& name) {
  if (name.size() < 2) throw SqlError(sqlstate::syntax_error, "column name must be qualified");
  std::size_t n = name.size();
  parser::RangeVar table;
  table.name = name[n - 2];
  if (n > 2) table.schema = name[n - 3];
  if (n > 3) table.catalog = name[n - 4];
  catalog::RelationRef r = open_owned(table, ObjectType::column);
  if (r->kind != kind::table && r->kind != kind::view && r->kind != kind::materialized_view && r->kind != kind::composite &&
      r->kind != kind::foreign_table && r->kind != kind::partitioned_table) {
    throw SqlError(sqlstate::wrong_object_type, "cannot set comment on relation \"{}\"", r->name)
        .detail(fmt::format("This operation is not supported for {}.", relation_words(r->kind).plural));
  }
  std::string_view column = name.back();
  if (AttrNumber number = find_column(*r, column)) return {catalog_oid::pg_class, r->oid, number};
  // The relation as it was written.
  std::string written(name[0]);
  for (std::size_t i = 1; i + 1 < n; ++i) written.append(".").append(name[static_cast<std::uint32_t>(i)]);
  throw SqlError(sqlstate::undefined_column, "column \"{}\" of relation \"{}\" does not exist", column, written);
}

ObjectAddress table_constraint(const parser::QualifiedName& table, std::string_view name) {
  catalog::RelationRef r = open_owned(range_var_of(table), ObjectType::column);
  namespace c = catalog::pg_constraint;
  Arena arena(1024);
  catalog::CatalogTable constraints(catalog_oid::pg_constraint, locking::LockMode::access_share);
  auto row = constraints.find({{c::conrelid, Datum::of(r->oid)}, {c::contypid, Datum::of(kInvalidOid)}, {c::conname, name_value(arena, name)}}, arena);
  if (!row) throw SqlError(sqlstate::undefined_object, "constraint \"{}\" for table \"{}\" does not exist", name, r->name);
  return {catalog_oid::pg_constraint, row->get(c::oid).as_oid(), 0};
}

// A comment on a database that is not there is no error: dumps carry such comments.
std::optional<ObjectAddress> find_commented_database(std::string_view name) {
  Oid database = lock_database(name, locking::LockMode::share_update_exclusive);
  if (!is_valid(database)) {
    report_warning(sqlstate::undefined_database, "database \"{}\" does not exist", name);
    return std::nullopt;
  }
  require_database_owner(database, name);
  return ObjectAddress{catalog_oid::pg_database, database, 0};
}

ObjectAddress find_commented_role(std::string_view name) {
  const catalog::RoleInfo* role = catalog::find_role_by_name(name);
  if (role == nullptr) throw SqlError(sqlstate::undefined_object, "role \"{}\" does not exist", name);
  const catalog::RoleInfo* me = catalog::find_role(catalog::current_role());
  if (role->superuser && !me->superuser) throw SqlError(sqlstate::insufficient_privilege, "must be superuser");
  if (!me->superuser && !me->create_role) throw SqlError(sqlstate::insufficient_privilege, "must have CREATEROLE privilege");
  return {catalog_oid::pg_authid, role->oid, 0};
}

}  // namespace

void comment_on(const parser::CommentStatement& s, std::string_view text) {
  ObjectAddress address;
  switch (s.object->type_of_object) {
    case ObjectType::table:
    case ObjectType::view:
    case ObjectType::materialized_view:
    case ObjectType::index:
    case ObjectType::sequence:
    case ObjectType::foreign_table:
      address = {catalog_oid::pg_class, open_owned(range_var_of(s.object->name), s.object->type_of_object)->oid, 0};
      break;
    case ObjectType::database: {
      auto found = find_commented_database(s.object->name.back());
      if (!found) return;
      address = *found;
      break;
    }
    case ObjectType::role: address = find_commented_role(s.object->name.back()); break;
    case ObjectType::constraint_on_table: address = table_constraint(s.object->name, s.object->subname); break;
    case ObjectType::column: address = column_address(s.object->name); break;
    default:
      address = *find_object(s.object->type_of_object, *s.object, text, false);
      require_owner(s.object->type_of_object, address);
  }
  catalog::set_comment(address, s.is_null ? std::string_view() : s.text);
}

}  // namespace hathi::ddl
