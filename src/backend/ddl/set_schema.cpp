// ALTER … SET SCHEMA of relations, types and domains.

#include <vector>

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/relation.h"
#include "hathi/error/report.h"
#include "hathi/nodes/query.h"
#include "hathi/transaction/transaction.h"
#include "inheritance.h"
#include "object_names.h"
#include "relation_store.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
using catalog::CatalogRow;
using catalog::CatalogTable;
using catalog::ObjectAddress;
using locking::LockMode;
using parser::ObjectType;

Oid target_schema(std::string_view name) {
  Oid schema = catalog::find_schema(name);
  if (!is_valid(schema)) throw SqlError(sqlstate::undefined_schema, "schema \"{}\" does not exist", name);
  if ((catalog::object_privileges(catalog_oid::pg_namespace, schema, catalog::current_role(), nodes::kAclCreate) & nodes::kAclCreate) == 0) {
    catalog::throw_permission_denied("schema", name);
  }
  return schema;
}

void check_schemas(Oid from, Oid to) {
  if (catalog::is_any_temporary_schema(from) || catalog::is_any_temporary_schema(to)) {
    throw SqlError(sqlstate::feature_not_supported, "cannot move objects into or out of temporary schemas");
  }
  if (from == kPgToastNamespace || to == kPgToastNamespace) throw SqlError(sqlstate::feature_not_supported, "cannot move objects into or out of TOAST schema");
}

void move_constraints(AttrNumber owner_column, Oid owner, Oid to) {
  namespace c = catalog::pg_constraint;
  Arena arena(4096);
  CatalogTable table(catalog_oid::pg_constraint, LockMode::row_exclusive);
  std::vector<CatalogRow> rows;
  const catalog::CatalogKey keys[] = {{owner_column, Datum::of(owner)}};
  table.scan(keys, arena, [&](CatalogRow& row) {
    rows.push_back(row);
    return true;
  });
  for (CatalogRow& row : rows) {
    row.set(c::connamespace, Datum::of(to));
    table.update(row);
  }
}

// With its array type, which has its name behind an underscore.
void move_type(Oid type, Oid from, Oid to, bool has_dependency) {
  namespace t = catalog::pg_type;
  const catalog::TypeInfo& info = catalog::type_info(type);
  if (catalog::find_type_by_name(info.name, to) != nullptr) {
    throw SqlError(sqlstate::duplicate_object, "type \"{}\" already exists in schema \"{}\"", info.name, catalog::schema_name(to));
  }
  Oid array = info.array;
  {
    Arena arena(2048);
    CatalogTable table(catalog_oid::pg_type, LockMode::row_exclusive);
    auto row = table.find({{t::oid, Datum::of(type)}}, arena);
    row->set(t::typnamespace, Datum::of(to));
    table.update(*row);
  }
  if (has_dependency) catalog::change_dependency({catalog_oid::pg_type, type, 0}, {catalog_oid::pg_namespace, from, 0}, {catalog_oid::pg_namespace, to, 0});
  transaction::advance_command();
  if (is_valid(array)) move_type(array, from, to, false);
}

void move_relation(Oid oid, Oid to) {
  catalog::RelationRef r = catalog::open_relation(oid, LockMode::access_exclusive);
  Oid from = r->schema;
  if (is_valid(catalog::find_relation(r->name, to))) {
    throw SqlError(sqlstate::duplicate_table, "relation \"{}\" already exists in schema \"{}\"", r->name, catalog::schema_name(to));
  }
  bool is_index = r->kind == kind::index || r->kind == kind::partitioned_index;
  Oid row_type = r->row_type;
  std::vector<Oid> with;
  for (const catalog::IndexDescriptor* index : r->indexes) with.push_back(index->oid);
  if (!is_index && r->kind != kind::sequence) {
    for (Oid sequence : owned_sequences(oid)) with.push_back(sequence);
  }
  r.reset();
  update_class_row(oid, [&](CatalogRow& row, Arena&) { row.set(catalog::pg_class::relnamespace, Datum::of(to)); });
  if (!is_index) catalog::change_dependency({catalog_oid::pg_class, oid, 0}, {catalog_oid::pg_namespace, from, 0}, {catalog_oid::pg_namespace, to, 0});
  transaction::advance_command();
  if (is_valid(row_type)) move_type(row_type, from, to, false);
  move_constraints(catalog::pg_constraint::conrelid, oid, to);
  transaction::advance_command();
  for (Oid other : with) move_relation(other, to);
}

void require_no_owner(const catalog::Relation& sequence) {
  for (const catalog::Dependency& d : catalog::dependencies_of({catalog_oid::pg_class, sequence.oid, 0})) {
    bool owns = d.kind == catalog::DependencyKind::automatic || d.kind == catalog::DependencyKind::internal;
    if (d.object.class_id != catalog_oid::pg_class || !owns) continue;
    catalog::RelationRef table = catalog::open_relation(d.object.object, LockMode::access_share);
    throw SqlError(sqlstate::feature_not_supported, "cannot move an owned sequence into another schema")
        .detail(fmt::format("Sequence \"{}\" is linked to table \"{}\".", sequence.name, table->name));
  }
}

void alter_relation_schema(const parser::AlterSchemaStatement& s) {
  catalog::RelationRef r = analyzer::open_by_name(s.relation, LockMode::access_exclusive, s.missing_ok);
  if (!r) {
    report_notice(sqlstate::successful_completion, "relation \"{}\" does not exist, skipping", s.relation->name);
    return;
  }
  if (!catalog::is_owner(catalog_oid::pg_class, r->oid, catalog::current_role())) catalog::throw_not_owner(relation_words(r->kind).noun, r->name);
  if (r->schema == kPgCatalogNamespace) throw SqlError(sqlstate::insufficient_privilege, "permission denied: \"{}\" is a system catalog", r->name);
  if (s.type_of_object != ObjectType::table) require_kind(*r, s.type_of_object);
  if (r->kind == kind::index || r->kind == kind::partitioned_index) {
    throw SqlError(sqlstate::wrong_object_type, "cannot change schema of index \"{}\"", r->name).hint("Change the schema of the table instead.");
  }
  if (r->kind == kind::composite) throw SqlError(sqlstate::wrong_object_type, "\"{}\" is a composite type", r->name).hint("Use ALTER TYPE instead.");
  if (r->kind == kind::sequence) require_no_owner(*r);
  Oid to = target_schema(s.new_schema);
  check_schemas(r->schema, to);
  if (r->schema == to) return;
  Oid oid = r->oid;
  r.reset();
  move_relation(oid, to);
}

void alter_type_schema(const parser::AlterSchemaStatement& s, std::string_view text) {
  ObjectAddress object = *find_object(s.type_of_object, *s.object, text, false);
  require_owner(s.type_of_object, object);
  const catalog::TypeInfo& type = catalog::type_info(object.object);
  if (type.kind == 'c' && is_valid(type.relation) && catalog::open_relation(type.relation, LockMode::access_share)->kind != kind::composite) {
    throw SqlError(sqlstate::wrong_object_type, "{} is a table's row type", catalog::format_type(object.object)).hint("Use ALTER TABLE instead.");
  }
  if (type.kind == 'c' && is_valid(type.relation)) throw_not_supported("SET SCHEMA of composite types");
  if (type.is_true_array()) {
    throw SqlError(sqlstate::wrong_object_type, "cannot alter array type {}", catalog::format_type(object.object))
        .hint(fmt::format("You can alter type {}, which will alter the array type as well.", catalog::format_type(type.element)));
  }
  Oid to = target_schema(s.new_schema);
  check_schemas(type.schema, to);
  if (type.schema == to) return;
  bool is_domain = type.kind == 'd';
  move_type(object.object, type.schema, to, true);
  if (is_domain) move_constraints(catalog::pg_constraint::contypid, object.object, to);
}

}  // namespace

void alter_object_schema(const parser::AlterSchemaStatement& s, std::string_view text) {
  if (s.relation != nullptr) return alter_relation_schema(s);
  if (s.type_of_object == ObjectType::type || s.type_of_object == ObjectType::domain) return alter_type_schema(s, text);
  throw_not_supported("SET SCHEMA of this kind of object");
}

}  // namespace hathi::ddl
