// ALTER … RENAME of relations, their columns and constraints.

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/transaction/transaction.h"
#include "alter_database.h"
#include "alter_table.h"
#include "create_role.h"
#include "object_names.h"
#include "partition_indexes.h"
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

// The column, in indexes over it, in partitions.
void rename_in(Oid table, std::string_view from, std::string_view to, bool recursing, bool recurse) {
  catalog::RelationRef r = catalog::open_relation(table, LockMode::none);
  AttrNumber number = 0;
  bool taken = false;
  for (int i = 0; i < r->descriptor->count(); ++i) {
    const Attribute& a = (*r->descriptor)[i];
    if (a.dropped) continue;
    if (a.name == from) number = static_cast<AttrNumber>(i + 1);
    taken = taken || a.name == to;
  }
  if (!recurse && has_partitions(*r)) throw SqlError(sqlstate::invalid_table_definition, "inherited column \"{}\" must be renamed in child tables too", from);
  if (number == 0) {
    if (is_system_column(from)) throw SqlError(sqlstate::feature_not_supported, "cannot rename system column \"{}\"", from);
    throw SqlError(sqlstate::undefined_column, "column \"{}\" does not exist", from);
  }
  if (!recursing && (*r->descriptor)[number - 1].inherit_count > 0) {
    throw SqlError(sqlstate::invalid_table_definition, "cannot rename inherited column \"{}\"", from);
  }
  if (is_system_column(to)) throw SqlError(sqlstate::duplicate_column, "column name \"{}\" conflicts with a system column name", to);
  if (taken) throw SqlError(sqlstate::duplicate_column, "column \"{}\" of relation \"{}\" already exists", to, r->name);
  rename_attribute(r->oid, number, to);
  for (const catalog::IndexDescriptor* index : r->indexes) {
    for (std::size_t i = 0; i < index->columns.size(); ++i) {
      if (index->columns[i] == number) rename_attribute(index->oid, static_cast<AttrNumber>(i + 1), to);
    }
  }
  for (Oid child : partitions_of(*r, LockMode::access_exclusive)) rename_in(child, from, to, true, true);
}

void rename_column(const parser::RenameStatement& s) {
  catalog::RelationRef r = open_owned(s, LockMode::access_exclusive);
  if (!r) return;
  if (r->kind != kind::table && r->kind != kind::partitioned_table) throw_not_supported("RENAME COLUMN of a relation that is not an ordinary table");
  rename_in(r->oid, s.subname, s.new_name, false, s.relation->inherit);
}

struct NamedConstraint { Oid oid = kInvalidOid, index = kInvalidOid; int inherit_count = 0; bool is_check = false, taken = false; };

NamedConstraint find_named(Oid table, std::string_view name, std::string_view new_name) {
  namespace c = catalog::pg_constraint;
  NamedConstraint found;
  Arena arena(4096);
  CatalogTable constraints(catalog_oid::pg_constraint, LockMode::access_share);
  const catalog::CatalogKey keys[] = {{c::conrelid, Datum::of(table)}};
  constraints.scan(keys, arena, [&](catalog::CatalogRow& row) {
    std::string_view its_name = name_text(row.get(c::conname));
    char type = row.get(c::contype).as_char();
    found.taken = found.taken || its_name == new_name;
    if (its_name != name) return true;
    found.oid = row.get(c::oid).as_oid();
    found.inherit_count = row.get(c::coninhcount).as_int32();
    found.is_check = type == 'c';
    if (type == 'p' || type == 'u' || type == 'x') found.index = row.get(c::conindid).as_oid();
    return true;
  });
  return found;
}

void rename_constraint_in(Oid table, std::string_view from, std::string_view to, bool recursing, bool recurse) {
  catalog::RelationRef r = catalog::open_relation(table, LockMode::none);
  NamedConstraint found = find_named(table, from, to);
  if (!is_valid(found.oid)) throw SqlError(sqlstate::undefined_object, "constraint \"{}\" for table \"{}\" does not exist", from, r->name);
  if (found.is_check) {
    if (!recurse && has_partitions(*r)) {
      throw SqlError(sqlstate::invalid_table_definition, "inherited constraint \"{}\" must be renamed in child tables too", from);
    }
    if (!recursing && found.inherit_count > 0) throw SqlError(sqlstate::invalid_table_definition, "cannot rename inherited constraint \"{}\"", from);
  }
  if (is_valid(found.index)) {
    catalog::RelationRef i = catalog::open_relation(found.index, LockMode::share_update_exclusive);
    store_relation_name(*i, to);
    return;
  }
  if (found.taken) throw SqlError(sqlstate::duplicate_object, "constraint \"{}\" for relation \"{}\" already exists", to, r->name);
  store_constraint_name(found.oid, to);
  catalog::note_change(catalog_oid::pg_class, table);
  if (!found.is_check) return;
  for (Oid child : partitions_of(*r, LockMode::access_exclusive)) rename_constraint_in(child, from, to, true, true);
}

void rename_constraint(const parser::RenameStatement& s) {
  catalog::RelationRef r = open_owned(s, LockMode::access_exclusive);
  if (r) rename_constraint_in(r->oid, s.subname, s.new_name, false, s.relation->inherit);
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
    case ObjectType::role: rename_role(s.object->name.back(), s.new_name); break;
    case ObjectType::database: rename_database(s.object->name.back(), s.new_name); break;
    default: throw_not_supported("ALTER … RENAME of this kind of object");
  }
  transaction::advance_command();
}

}  // namespace hathi::ddl
