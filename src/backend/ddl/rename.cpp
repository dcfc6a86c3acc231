// ALTER … RENAME of relations, their columns and constraints.

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/transaction/transaction.h"
#include "alter_database.h"
#include "object_names.h"
#include "relation_store.h"
#include "row_types.h"
#include "row_values.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
using catalog::CatalogTable;
using locking::LockMode;
using parser::ObjectType;

// Empty after the NOTICE of IF EXISTS.
catalog::RelationRef open_owned(const parser::RenameStatement& s, LockMode mode) {
  catalog::RelationRef r = analyzer::open_by_name(s.relation, mode, s.missing_ok);
  if (!r) {
    report_notice(sqlstate::successful_completion, "relation \"{}\" does not exist, skipping", s.relation->name);
    return r;
  }
  if (!catalog::is_owner(catalog_oid::pg_class, r->oid, catalog::current_role())) catalog::throw_not_owner(relation_words(r->kind).noun, r->name);
  if (r->schema == kPgCatalogNamespace) throw SqlError(sqlstate::insufficient_privilege, "permission denied: \"{}\" is a system catalog", r->name);
  return r;
}

void require_create(Oid schema) {
  if ((catalog::object_privileges(catalog_oid::pg_namespace, schema, catalog::current_role(), nodes::kAclCreate) & nodes::kAclCreate) == 0) {
    catalog::throw_permission_denied("schema", catalog::schema_name(schema));
  }
}

void store_constraint_name(Oid constraint, std::string_view name) {
  Arena arena(2048);
  CatalogTable table(catalog_oid::pg_constraint, LockMode::row_exclusive);
  auto row = table.find({{catalog::pg_constraint::oid, Datum::of(constraint)}}, arena);
  row->set(catalog::pg_constraint::conname, name_value(arena, name));
  table.update(*row);
}

// The constraint that an index enforces has the index's name.
Oid constraint_of_index(Oid index, Oid table) {
  Arena arena(4096);
  Oid found = kInvalidOid;
  namespace c = catalog::pg_constraint;
  CatalogTable constraints(catalog_oid::pg_constraint, LockMode::access_share);
  const catalog::CatalogKey keys[] = {{c::conrelid, Datum::of(table)}};
  constraints.scan(keys, arena, [&](catalog::CatalogRow& row) {
    char type = row.get(c::contype).as_char();
    if (row.get(c::conindid).as_oid() == index && (type == 'p' || type == 'u' || type == 'x')) found = row.get(c::oid).as_oid();
    return !is_valid(found);
  });
  return found;
}

void store_relation_name(const catalog::Relation& r, std::string_view name) {
  if (is_valid(catalog::find_relation(name, r.schema))) throw SqlError(sqlstate::duplicate_table, "relation \"{}\" already exists", name);
  std::string new_name(name);
  if (is_valid(r.row_type)) rename_row_type(r.row_type, new_name, r.schema);
  update_class_row(r.oid, [&](catalog::CatalogRow& row, Arena& arena) { row.set(catalog::pg_class::relname, name_value(arena, new_name)); });
  if (r.index != nullptr) {
    if (Oid constraint = constraint_of_index(r.oid, r.index->table); is_valid(constraint)) store_constraint_name(constraint, new_name);
  }
}

void rename_relation(const parser::RenameStatement& s) {
  catalog::RelationRef r = open_owned(s, s.type_of_object == ObjectType::index ? LockMode::share_update_exclusive : LockMode::access_exclusive);
  if (!r) return;
  // ALTER TABLE … RENAME takes every kind of relation.
  if (s.type_of_object != ObjectType::table) require_kind(*r, s.type_of_object);
  require_create(r->schema);
  store_relation_name(*r, s.new_name);
}

// Columns of the indexes over it are called like the column.
void rename_attribute(Oid relation, AttrNumber number, std::string_view name) {
  update_attribute_row(relation, number, [&](catalog::CatalogRow& row, Arena& arena) { row.set(catalog::pg_attribute::attname, name_value(arena, name)); });
}

void rename_column(const parser::RenameStatement& s) {
  catalog::RelationRef r = open_owned(s, LockMode::access_exclusive);
  if (!r) return;
  if (r->kind != kind::table) throw_not_supported("RENAME COLUMN of a relation that is not an ordinary table");
  AttrNumber number = 0;
  bool taken = false;
  for (int i = 0; i < r->descriptor->count(); ++i) {
    const Attribute& a = (*r->descriptor)[i];
    if (a.dropped) continue;
    if (a.name == s.subname) number = static_cast<AttrNumber>(i + 1);
    taken = taken || a.name == s.new_name;
  }
  if (number == 0) {
    if (is_system_column(s.subname)) {
      throw SqlError(sqlstate::feature_not_supported, "cannot rename system column \"{}\"", s.subname);
    }
    throw SqlError(sqlstate::undefined_column, "column \"{}\" does not exist", s.subname);
  }
  if (is_system_column(s.new_name)) {
    throw SqlError(sqlstate::duplicate_column, "column name \"{}\" conflicts with a system column name", s.new_name);
  }
  if (taken) throw SqlError(sqlstate::duplicate_column, "column \"{}\" of relation \"{}\" already exists", s.new_name, r->name);
  rename_attribute(r->oid, number, s.new_name);
  for (const catalog::IndexDescriptor* index : r->indexes) {
    for (std::size_t i = 0; i < index->columns.size(); ++i) {
      if (index->columns[i] == number) rename_attribute(index->oid, static_cast<AttrNumber>(i + 1), s.new_name);
    }
  }
}

void rename_constraint(const parser::RenameStatement& s) {
  catalog::RelationRef r = open_owned(s, LockMode::access_exclusive);
  if (!r) return;
  namespace c = catalog::pg_constraint;
  Oid found = kInvalidOid, index = kInvalidOid;
  bool taken = false;
  {
    Arena arena(4096);
    CatalogTable constraints(catalog_oid::pg_constraint, LockMode::access_share);
    const catalog::CatalogKey keys[] = {{c::conrelid, Datum::of(r->oid)}};
    constraints.scan(keys, arena, [&](catalog::CatalogRow& row) {
      std::string_view name = name_text(row.get(c::conname));
      char type = row.get(c::contype).as_char();
      if (name == s.subname) {
        found = row.get(c::oid).as_oid();
        if (type == 'p' || type == 'u' || type == 'x') index = row.get(c::conindid).as_oid();
      }
      taken = taken || name == s.new_name;
      return true;
    });
  }
  if (!is_valid(found)) throw SqlError(sqlstate::undefined_object, "constraint \"{}\" for table \"{}\" does not exist", s.subname, r->name);
  if (is_valid(index)) {
    catalog::RelationRef i = catalog::open_relation(index, LockMode::share_update_exclusive);
    store_relation_name(*i, s.new_name);
    return;
  }
  if (taken) throw SqlError(sqlstate::duplicate_object, "constraint \"{}\" for relation \"{}\" already exists", s.new_name, r->name);
  store_constraint_name(found, s.new_name);
  catalog::note_change(catalog_oid::pg_class, r->oid);
}

}  // namespace

void rename_object(const parser::RenameStatement& s, std::string_view) {
  switch (s.type_of_object) {
    case ObjectType::table:
    case ObjectType::view:
    case ObjectType::materialized_view:
    case ObjectType::index:
    case ObjectType::sequence: rename_relation(s); break;
    case ObjectType::column: rename_column(s); break;
    case ObjectType::constraint_on_table: rename_constraint(s); break;
    case ObjectType::database: rename_database(s.object->name.back(), s.new_name); break;
    default: throw_not_supported("ALTER … RENAME of this kind of object");
  }
  transaction::advance_command();
}

}  // namespace hathi::ddl
