// CHECK constraints, also those that partitions take from their parents.

#include <algorithm>

#include "alter_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/executor/executor.h"
#include "hathi/nodes/visit.h"
#include "hathi/transaction/transaction.h"
#include "partitions.h"
#include "row_values.h"
#include "table_definition.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;

Oid insert_check(const NewConstraint& n) {
  Oid oid = insert_constraint(n);
  update_class_row(n.table, [](catalog::CatalogRow& row, Arena&) {
    row.set(catalog::pg_class::relchecks, Datum::of(static_cast<std::int16_t>(row.get(catalog::pg_class::relchecks).as_int16() + 1)));
  });
  transaction::advance_command();
  return oid;
}

void report_merge(std::string_view name) {
  report_notice(sqlstate::successful_completion, "merging constraint \"{}\" with inherited definition", name);
}

[[noreturn]] void name_is_taken(const catalog::Relation& r, std::string_view name) {
  throw SqlError(sqlstate::duplicate_object, "constraint \"{}\" for relation \"{}\" already exists", name, r.name);
}

const catalog::CheckConstraint* find_check(const catalog::Relation& r, std::string_view name) {
  for (const catalog::CheckConstraint& check : r.checks) if (check.name == name) return &check;
  return nullptr;
}

NewConstraint inherited_check(const catalog::Relation& r, std::string_view name, const nodes::Expr* e, bool validated) {
  NewConstraint n;
  n.name = name;
  n.schema = r.schema;
  n.table = r.oid;
  n.type = 'c';
  n.is_local = false;
  n.inherit_count = 1;
  n.validated = validated;
  n.columns = used_columns(e);
  n.check = e;
  return n;
}

// The parent's new check in its partitions. validate: their rows are looked at.
void add_to_partitions(Oid table, std::string_view name, const nodes::Expr* e, bool validated, bool validate) {
  catalog::RelationRef parent = catalog::open_relation(table, locking::LockMode::none);
  for (Oid child : partitions_to_alter(*parent, locking::LockMode::access_exclusive)) {
    Arena arena(2048);
    catalog::RelationRef r = catalog::open_relation(child, locking::LockMode::none);
    const nodes::Expr* own = map_columns(e, partition::column_map(*parent, *r, arena), arena);
    if (const catalog::CheckConstraint* other = find_check(*r, name)) {
      if (!nodes::equal(other->expr, own)) name_is_taken(*r, name);
      report_merge(name);
      set_check_inherited(other->oid, true);
      catalog::note_change(catalog_oid::pg_class, child);
      transaction::advance_command();
    } else {
      if (constraint_name_is_used(child, kInvalidOid, name)) name_is_taken(*r, name);
      if (validate && r->kind == kind::table) executor::validate_check(child, own, name);
      insert_check(inherited_check(*r, name, own, validated));
    }
    add_to_partitions(child, name, own, validated, validate);
  }
}

}  // namespace

void set_check_inherited(Oid constraint, bool inherited) {
  namespace k = catalog::pg_constraint;
  Arena arena(2048);
  catalog::CatalogTable table(catalog_oid::pg_constraint, locking::LockMode::row_exclusive);
  auto row = table.find({{k::oid, Datum::of(constraint)}}, arena);
  if (!row) throw SqlError(sqlstate::internal_error, "cache lookup failed for constraint {}", raw(constraint));
  row->set(k::coninhcount, Datum::of(std::int32_t{inherited ? 1 : 0}));
  row->set(k::conislocal, Datum::of(!inherited));
  table.update(*row);
}

void create_inherited_checks(Oid table, const std::vector<InheritedCheck>& checks) {
  for (const InheritedCheck& check : checks) {
    catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::none);
    insert_check(inherited_check(*r, check.name, check.expr, true));
  }
}

void add_check(Oid table, const nodes::Expr* e) {
  catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::none);
  NewConstraint n;
  n.schema = r->schema;
  n.table = table;
  n.columns = used_columns(e);
  n.name = choose_constraint_name(r->name, n.columns.size() == 1 ? (*r->descriptor)[n.columns[0] - 1].name : std::string_view(), "check", r->schema, {});
  n.check = e;
  insert_check(n);
  add_to_partitions(table, n.name, e, true, false);
}

Oid create_check(Oid table, const PendingConstraint& pending, std::string_view text, bool validate, bool recurse, std::vector<std::string>& taken) {
  const parser::Constraint& c = *pending.syntax;
  catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::none);
  Arena arena(2048);
  analyzer::ExpressionScope scope = analyzer::scope_of(*r);
  nodes::Expr* e = analyzer::analyze_condition(c.expr, text, arena, &scope, analyzer::Clause::check_constraint, "CHECK");
  NewConstraint n;
  n.columns = used_columns(e);
  if (!c.name.empty()) {
    n.name = c.name;
    if (constraint_name_is_used(table, kInvalidOid, c.name)) {
      const catalog::CheckConstraint* other = r->is_partition ? find_check(*r, c.name) : nullptr;
      if (other == nullptr || !nodes::equal(other->expr, e)) name_is_taken(*r, c.name);
      report_merge(c.name);
      return kInvalidOid;
    }
    if (std::find(taken.begin(), taken.end(), n.name) != taken.end()) {
      throw SqlError(sqlstate::duplicate_object, "check constraint \"{}\" already exists", c.name);
    }
  } else {
    std::string_view column = n.columns.size() == 1 ? (*r->descriptor)[n.columns[0] - 1].name : std::string_view();
    n.name = choose_constraint_name(r->name, column, "check", r->schema, taken);
  }
  if (c.no_inherit && r->kind == kind::partitioned_table) {
    throw SqlError(sqlstate::invalid_table_definition, "cannot add NO INHERIT constraint to partitioned table \"{}\"", r->name);
  }
  if (!recurse && has_partitions(*r)) throw SqlError(sqlstate::invalid_table_definition, "constraint must be added to child tables too");
  taken.push_back(n.name);
  n.schema = r->schema;
  n.table = table;
  n.type = 'c';
  n.no_inherit = c.no_inherit;
  n.validated = !c.not_valid;
  n.check = e;
  if (validate && !c.not_valid && r->kind != kind::partitioned_table) executor::validate_check(table, e, n.name);
  Oid oid = insert_check(n);
  add_to_partitions(table, n.name, e, n.validated, validate && !c.not_valid);
  return oid;
}

}  // namespace hathi::ddl
