// FOREIGN KEY … REFERENCES.

#include "foreign_keys.h"

#include <algorithm>

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/lookup.h"
#include "hathi/executor/executor.h"
#include "object_names.h"
#include "table_definition.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;

char action_letter(parser::ForeignKeyAction a) {
  switch (a) {
    case parser::ForeignKeyAction::no_action: return 'a';
    case parser::ForeignKeyAction::restrict: return 'r';
    case parser::ForeignKeyAction::cascade: return 'c';
    case parser::ForeignKeyAction::set_null: return 'n';
    case parser::ForeignKeyAction::set_default: return 'd';
  }
  return 'a';
}

std::vector<AttrNumber> reference_columns(const catalog::Relation& r, const List<parser::Name>& names) {
  std::vector<AttrNumber> out;
  for (std::string_view name : names) {
    AttrNumber n = find_column(r, name);
    if (n == 0) throw SqlError(sqlstate::undefined_column, "column \"{}\" referenced in foreign key constraint does not exist", name);
    out.push_back(n);
  }
  return out;
}

// The unique index that a foreign key leans on, with its columns in the key's order.
const catalog::IndexDescriptor* referenced_index(const catalog::Relation& r, std::vector<AttrNumber>& columns) {
  if (columns.empty()) {
    for (const catalog::IndexDescriptor* i : r.indexes) {
      if (!i->primary || !i->valid) continue;
      if (!i->immediate) {
        throw SqlError(sqlstate::object_not_in_prerequisite_state, "cannot use a deferrable primary key for referenced table \"{}\"", r.name);
      }
      columns.assign(i->columns.begin(), i->columns.begin() + i->key_count);
      return i;
    }
    throw SqlError(sqlstate::undefined_object, "there is no primary key for referenced table \"{}\"", r.name);
  }
  bool found_deferrable = false;
  for (const catalog::IndexDescriptor* i : r.indexes) {
    if (!i->unique || !i->valid || !i->predicate.empty() || !i->expressions.empty() || i->key_count != static_cast<int>(columns.size())) continue;
    std::vector<AttrNumber> a(i->columns.begin(), i->columns.begin() + i->key_count), b = columns;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    if (a != b) continue;
    if (i->immediate) return i;
    found_deferrable = true;
  }
  if (found_deferrable) {
    throw SqlError(sqlstate::object_not_in_prerequisite_state, "cannot use a deferrable unique constraint for referenced table \"{}\"", r.name);
  }
  throw SqlError(sqlstate::invalid_foreign_key, "there is no unique constraint matching given keys for referenced table \"{}\"", r.name);
}

// The equality operators of one pair of columns: pk = fk, pk = pk, fk = fk.
void resolve_operators(NewConstraint& n, const catalog::Relation& fk, const catalog::Relation& pk, const catalog::IndexDescriptor& index, std::size_t i) {
  const Attribute& fk_column = (*fk.descriptor)[n.columns[i] - 1];
  const Attribute& pk_column = (*pk.descriptor)[n.referenced_columns[i] - 1];
  std::size_t position = 0;
  while (index.columns[position] != n.referenced_columns[i]) ++position;
  constexpr int kEqual = 3;
  Oid family = index.operator_families[position], input = index.operator_input_types[position];
  Oid pk_type = input, fk_type = catalog::base_type(fk_column.type);
  Oid pp = catalog::family_operator(family, pk_type, pk_type, kEqual);
  Oid pf = catalog::family_operator(family, pk_type, fk_type, kEqual), ff = kInvalidOid;
  if (is_valid(pf)) ff = catalog::family_operator(family, fk_type, fk_type, kEqual);
  // Otherwise the referencing value is coerced to the key's type.
  if ((!is_valid(pf) || !is_valid(ff)) && analyzer::can_coerce(fk_column.type, pk_type, analyzer::CoercionContext::implicit)) pf = ff = pp;
  if (!is_valid(pf) || !is_valid(ff)) {
    throw SqlError(sqlstate::datatype_mismatch, "foreign key constraint \"{}\" cannot be implemented", n.name)
        .detail(fmt::format("Key columns \"{}\" and \"{}\" are of incompatible types: {} and {}.", fk_column.name, pk_column.name,
                            catalog::format_type(fk_column.type, -1), catalog::format_type(pk_column.type, -1)));
  }
  n.equal_pk_fk.push_back(pf);
  n.equal_pk_pk.push_back(pp);
  n.equal_fk_fk.push_back(ff);
}

void check_reference_privileges(const catalog::Relation& r, const std::vector<AttrNumber>& columns) {
  Oid role = catalog::current_role();
  if (catalog::relation_privileges(r.oid, role, nodes::kAclReferences) & nodes::kAclReferences) return;
  for (AttrNumber c : columns) {
    if ((catalog::column_privileges(r.oid, c, role, nodes::kAclReferences) & nodes::kAclReferences) == 0) catalog::throw_permission_denied("table", r.name);
  }
}

void check_persistence(const catalog::Relation& fk, const catalog::Relation& pk) {
  auto refuse = [](std::string_view who, std::string_view whom) {
    throw SqlError(sqlstate::invalid_table_definition, "constraints on {} tables may reference only {} tables", who, whom);
  };
  if (fk.persistence == 'p' && pk.persistence != 'p') refuse("permanent", "permanent");
  if (fk.persistence == 'u' && pk.persistence == 't') refuse("unlogged", "permanent or unlogged");
  if (fk.persistence == 't' && pk.persistence != 't') refuse("temporary", "temporary");
}

void check_partitioned(const parser::Constraint& c, const catalog::Relation& fk, const catalog::Relation& pk, bool recurse) {
  if (!recurse) {
    throw SqlError(sqlstate::wrong_object_type, "cannot use ONLY for foreign key on partitioned table \"{}\" referencing relation \"{}\"", fk.name, pk.name);
  }
  if (c.not_valid) {
    throw SqlError(sqlstate::wrong_object_type, "cannot add NOT VALID foreign key on partitioned table \"{}\" referencing relation \"{}\"", fk.name, pk.name)
        .detail("This feature is not yet supported on partitioned tables.");
  }
}

}  // namespace

Oid create_foreign_key(Oid table, const PendingConstraint& pending, bool validate, bool recurse) {
  const parser::Constraint& c = *pending.syntax;
  if (c.match == parser::ForeignKeyMatch::partial) throw SqlError(sqlstate::feature_not_supported, "MATCH PARTIAL not yet implemented").at(c.location);
  catalog::RelationRef pk = analyzer::open_by_name(c.referenced, locking::LockMode::share_row_exclusive);
  catalog::RelationRef fk = catalog::open_relation(table, locking::LockMode::none);
  if (pk->kind != kind::table && pk->kind != kind::partitioned_table) {
    throw SqlError(sqlstate::wrong_object_type, "referenced relation \"{}\" is not a table", pk->name);
  }
  if (fk->kind == kind::partitioned_table) check_partitioned(c, *fk, *pk, recurse);
  check_persistence(*fk, *pk);
  NewConstraint n;
  List<parser::Name> own;
  Arena arena(512);
  for (std::string_view name : pending.columns) own.push_back(arena, name);
  n.columns = reference_columns(*fk, own);
  n.referenced_columns = reference_columns(*pk, c.referenced_columns);
  const catalog::IndexDescriptor* index = referenced_index(*pk, n.referenced_columns);
  check_reference_privileges(*pk, n.referenced_columns);
  if (n.columns.size() != n.referenced_columns.size()) {
    throw SqlError(sqlstate::invalid_foreign_key, "number of referencing and referenced columns for foreign key disagree");
  }
  n.name = !c.name.empty() ? std::string(c.name) : choose_constraint_name(fk->name, joined_names(pending.columns), "fkey", fk->schema, {});
  if (!c.name.empty() && constraint_name_is_used(table, kInvalidOid, c.name)) {
    throw SqlError(sqlstate::duplicate_object, "constraint \"{}\" for relation \"{}\" already exists", c.name, fk->name);
  }
  for (std::size_t i = 0; i < n.columns.size(); ++i) resolve_operators(n, *fk, *pk, *index, i);
  n.set_null_columns = reference_columns(*fk, c.on_delete_columns);
  n.schema = fk->schema;
  n.table = table;
  n.referenced = pk->oid;
  n.index = index->oid;
  n.type = 'f';
  n.on_update = action_letter(c.on_update);
  n.on_delete = action_letter(c.on_delete);
  n.match = c.match == parser::ForeignKeyMatch::full ? 'f' : 's';
  n.deferrable = c.deferrable;
  n.initially_deferred = c.initially_deferred;
  n.validated = !c.not_valid;
  n.no_inherit = fk->kind != kind::partitioned_table;
  Oid oid = insert_foreign_key(n, KeySide::both);
  watch_referenced_partitions(oid, n);
  add_to_referencing_partitions(oid, n, validate);
  if (validate && !c.not_valid && fk->kind == kind::table) executor::validate_foreign_key(oid);
  return oid;
}

}  // namespace hathi::ddl
