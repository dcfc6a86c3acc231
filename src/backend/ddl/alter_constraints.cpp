// ALTER TABLE: ADD and DROP CONSTRAINT.

#include "alter_table.h"
#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/error/report.h"
#include "hathi/transaction/transaction.h"
#include "row_values.h"
#include "table_definition.h"

namespace hathi::ddl {

namespace {

namespace k = catalog::pg_constraint;
using catalog::CatalogTable;
using locking::LockMode;

struct FoundConstraint {
  Oid oid = kInvalidOid;
  char type = 'c';
  int inherit_count = 0;
  bool is_local = true;
};

FoundConstraint find_constraint(const catalog::Relation& r, std::string_view name) {
  Arena arena(512);
  CatalogTable table(catalog_oid::pg_constraint, LockMode::access_share);
  auto row = table.find({{k::conrelid, Datum::of(r.oid)}, {k::contypid, Datum::of(kInvalidOid)}, {k::conname, name_value(arena, name)}}, arena);
  if (!row) return {};
  return {row->get(k::oid).as_oid(), row->get(k::contype).as_char(), row->get(k::coninhcount).as_int32(), row->get(k::conislocal).as_bool()};
}

// The check of the name in the table and in all partitions below.
void collect_check(Oid table, std::string_view name, std::vector<catalog::ObjectAddress>& out) {
  catalog::RelationRef r = catalog::open_relation(table, LockMode::none);
  for (Oid child : partitions_to_alter(*r, LockMode::access_exclusive)) collect_check(child, name, out);
  FoundConstraint found = find_constraint(*r, name);
  if (!is_valid(found.oid)) throw SqlError(sqlstate::undefined_object, "constraint \"{}\" of relation \"{}\" does not exist", name, r->name);
  out.push_back({catalog_oid::pg_constraint, found.oid, 0});
}

}  // namespace

void add_constraint(Oid table, const parser::AlterTableCommand& c, const AlterContext& context) {
  PendingConstraint p{c.constraint, {}, false};
  for (std::string_view name : c.constraint->columns) p.columns.push_back(name);
  try {
    create_constraints(table, {p}, context.text, true, context.recurse);
  } catch (SqlError& error) {
    // What PostgreSQL looks at long after the statement was read.
    if (c.constraint->type == parser::ConstraintKind::check || error.code() == sqlstate::undefined_column) error.at(-1);
    throw;
  }
}

void drop_constraint(Oid table, const parser::AlterTableCommand& c, const AlterContext& context) {
  catalog::RelationRef r = catalog::open_relation(table, LockMode::none);
  FoundConstraint found = find_constraint(*r, c.name);
  if (!is_valid(found.oid)) {
    if (!c.missing_ok) throw SqlError(sqlstate::undefined_object, "constraint \"{}\" of relation \"{}\" does not exist", c.name, r->name);
    report_notice(sqlstate::successful_completion, "constraint \"{}\" of relation \"{}\" does not exist, skipping", c.name, r->name);
    return;
  }
  if (found.inherit_count > 0) {
    throw SqlError(sqlstate::invalid_table_definition, "cannot drop inherited constraint \"{}\" of relation \"{}\"", c.name, r->name);
  }
  std::vector<catalog::ObjectAddress> constraints;
  if (found.type == 'c') {
    if (!context.recurse && has_partitions(*r)) {
      throw SqlError(sqlstate::invalid_table_definition, "cannot remove constraint from only the partitioned table when partitions exist")
          .hint("Do not specify the ONLY keyword.");
    }
    collect_check(table, c.name, constraints);
  } else {
    constraints.push_back({catalog_oid::pg_constraint, found.oid, 0});   // parts of others depend on it
  }
  r.reset();
  catalog::perform_deletion(constraints, c.behavior == parser::DropBehavior::cascade);
}

}  // namespace hathi::ddl
