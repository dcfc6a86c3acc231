// ALTER TABLE: what concerns the table as a whole and moves no rows.

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/executor/executor.h"
#include "hathi/parser/parser.h"
#include "alter_steps.h"
#include "relation_store.h"
#include "statements.h"
#include "table_definition.h"

namespace hathi::ddl {

namespace {

namespace i = catalog::pg_index;
using catalog::CatalogRow;
using parser::AlterTableAction;
using parser::AlterTableCommand;

const catalog::IndexDescriptor& index_of_table(const catalog::Relation& r, std::string_view name) {
  Oid oid = catalog::find_relation(name, r.schema);
  if (!is_valid(oid)) throw SqlError(sqlstate::undefined_object, "index \"{}\" for table \"{}\" does not exist", name, r.name);
  for (const catalog::IndexDescriptor* index : r.indexes) {
    if (index->oid == oid) return *index;
  }
  throw SqlError(sqlstate::wrong_object_type, "\"{}\" is not an index for table \"{}\"", name, r.name);
}

// Sets one flag for the chosen index and clears it for the table's others.
void mark_index(const catalog::Relation& r, AttrNumber field, Oid chosen) {
  Arena arena(1024);
  catalog::CatalogTable table(catalog_oid::pg_index, locking::LockMode::row_exclusive);
  for (const catalog::IndexDescriptor* index : r.indexes) {
    auto row = table.find({{i::indexrelid, Datum::of(index->oid)}}, arena);
    bool wanted = index->oid == chosen;
    if (!row || row->get(field).as_bool() == wanted) continue;
    row->set(field, Datum::of(wanted));
    table.update(*row);
  }
  catalog::note_change(catalog_oid::pg_class, r.oid);
}

void cluster_on(const catalog::Relation& r, std::string_view name) {
  const catalog::IndexDescriptor& index = index_of_table(r, name);
  if (!index.predicate.empty()) throw SqlError(sqlstate::feature_not_supported, "cannot cluster on partial index \"{}\"", name);
  if (!index.valid) throw SqlError(sqlstate::object_not_in_prerequisite_state, "cannot cluster on invalid index \"{}\"", name);
  mark_index(r, i::indisclustered, index.oid);
}

// 42809, 0A000 unless the index tells rows apart.
void check_replica_identity(const catalog::Relation& r, const catalog::IndexDescriptor& index) {
  if (!index.unique) throw SqlError(sqlstate::wrong_object_type, "cannot use non-unique index \"{}\" as replica identity", index.name);
  if (!index.immediate) throw SqlError(sqlstate::feature_not_supported, "cannot use non-immediate index \"{}\" as replica identity", index.name);
  if (!index.expressions.empty()) throw SqlError(sqlstate::feature_not_supported, "cannot use expression index \"{}\" as replica identity", index.name);
  if (!index.predicate.empty()) throw SqlError(sqlstate::feature_not_supported, "cannot use partial index \"{}\" as replica identity", index.name);
  for (int k = 0; k < index.key_count; ++k) {
    const Attribute& column = (*r.descriptor)[index.columns[static_cast<std::size_t>(k)] - 1];
    if (column.not_null) continue;
    throw SqlError(sqlstate::wrong_object_type, "index \"{}\" cannot be used as replica identity because column \"{}\" is nullable", index.name, column.name);
  }
}

void set_replica_identity(const catalog::Relation& r, const AlterTableCommand& c) {
  Oid index = kInvalidOid;
  char letter = c.text == "full" ? 'f' : c.text == "nothing" ? 'n' : c.text == "default" ? 'd' : 'i';
  if (letter == 'i') {
    const catalog::IndexDescriptor& chosen = index_of_table(r, c.name);
    check_replica_identity(r, chosen);
    index = chosen.oid;
  }
  update_class_row(r.oid, [&](CatalogRow& row, Arena&) { row.set(catalog::pg_class::relreplident, Datum::of(letter)); });
  mark_index(r, i::indisreplident, index);
}

void validate_constraint(const catalog::Relation& r, std::string_view name) {
  namespace n = catalog::pg_constraint;
  Oid oid = kInvalidOid;
  bool done = false;
  for (const catalog::CheckConstraint& check : r.checks) {
    if (check.name != name) continue;
    oid = check.oid;
    done = check.validated;
    if (!done) executor::validate_check(r.oid, check.expr, check.name);
  }
  for (const catalog::ForeignKey& key : r.foreign_keys) {
    if (key.name != name || is_valid(oid)) continue;
    oid = key.oid;
    done = key.validated;
    if (!done) executor::validate_foreign_key(oid);
  }
  if (!is_valid(oid)) {
    for (const catalog::IndexDescriptor* index : r.indexes) {
      if (is_valid(index->constraint) && index->name == name) {
        throw SqlError(sqlstate::wrong_object_type, "constraint \"{}\" of relation \"{}\" is not a foreign key or check constraint", name, r.name);
      }
    }
    throw SqlError(sqlstate::undefined_object, "constraint \"{}\" of relation \"{}\" does not exist", name, r.name);
  }
  if (done) return;
  Arena arena(2048);
  catalog::CatalogTable table(catalog_oid::pg_constraint, locking::LockMode::row_exclusive);
  auto row = table.find({{n::oid, Datum::of(oid)}}, arena);
  row->set(n::convalidated, Datum::of(true));
  table.update(*row);
}

// Foreign keys only: when they are checked.
void alter_constraint(const catalog::Relation& r, const parser::Constraint& c) {
  namespace n = catalog::pg_constraint;
  bool found = false;
  for (const catalog::ForeignKey& key : r.foreign_keys) {
    if (key.name != c.name) continue;
    found = true;
    if (key.deferrable == c.deferrable && key.initially_deferred == c.initially_deferred) return;
    Arena arena(2048);
    catalog::CatalogTable table(catalog_oid::pg_constraint, locking::LockMode::row_exclusive);
    auto row = table.find({{n::oid, Datum::of(key.oid)}}, arena);
    row->set(n::condeferrable, Datum::of(c.deferrable));
    row->set(n::condeferred, Datum::of(c.initially_deferred));
    table.update(*row);
    namespace t = catalog::pg_trigger;
    constexpr Oid kNoActionDelete{1654}, kNoActionUpdate{1655}, kCheckInsert{1644}, kCheckUpdate{1645};
    catalog::CatalogTable triggers(catalog_oid::pg_trigger, locking::LockMode::row_exclusive);
    std::vector<catalog::CatalogRow> rows;
    const catalog::CatalogKey keys[] = {{t::tgconstraint, Datum::of(key.oid)}};
    triggers.scan(keys, arena, [&](CatalogRow& trigger) {
      Oid function = trigger.get(t::tgfoid).as_oid();
      // The actions of CASCADE and SET … are never deferred.
      if (function == kNoActionDelete || function == kNoActionUpdate || function == kCheckInsert || function == kCheckUpdate) rows.push_back(trigger);
      return true;
    });
    for (CatalogRow& trigger : rows) {
      trigger.set(t::tgdeferrable, Datum::of(c.deferrable));
      trigger.set(t::tginitdeferred, Datum::of(c.initially_deferred));
      triggers.update(trigger);
    }
    catalog::note_change(catalog_oid::pg_class, key.referenced);
  }
  if (found) return;
  for (const catalog::CheckConstraint& check : r.checks) found = found || check.name == c.name;
  for (const catalog::IndexDescriptor* index : r.indexes) found = found || (is_valid(index->constraint) && index->name == c.name);
  if (found) throw SqlError(sqlstate::wrong_object_type, "constraint \"{}\" of relation \"{}\" is not a foreign key constraint", c.name, r.name);
  throw SqlError(sqlstate::undefined_object, "constraint \"{}\" of relation \"{}\" does not exist", c.name, r.name);
}

// The ALL and USER forms where nothing would change.
void switch_triggers(const catalog::Relation& r, const AlterTableCommand& c) {
  switch (c.action) {
    case AlterTableAction::disable_trigger_all:
      if (!r.foreign_keys.empty() || !r.referenced_by.empty()) throw_not_supported("DISABLE TRIGGER ALL of a table with foreign keys");
      return;
    case AlterTableAction::enable_trigger_all:
    case AlterTableAction::enable_trigger_user:
    case AlterTableAction::disable_trigger_user: return;
    default: throw SqlError(sqlstate::undefined_object, "trigger \"{}\" for table \"{}\" does not exist", c.name, r.name);
  }
}

}  // namespace

bool run_table_step(Oid relation, const AlterTableCommand& c) {
  catalog::RelationRef r = catalog::open_relation(relation, locking::LockMode::none);
  switch (c.action) {
    case AlterTableAction::cluster_on: cluster_on(*r, c.name); return true;
    case AlterTableAction::set_without_cluster: mark_index(*r, i::indisclustered, kInvalidOid); return true;
    case AlterTableAction::replica_identity: set_replica_identity(*r, c); return true;
    case AlterTableAction::set_without_oids: return true;
    case AlterTableAction::validate_constraint: validate_constraint(*r, c.name); return true;
    case AlterTableAction::alter_constraint: alter_constraint(*r, *c.constraint); return true;
    case AlterTableAction::set_tablespace:
      if (is_valid(resolve_tablespace(c.name, r->persistence))) throw_not_supported("SET TABLESPACE");
      return true;
    case AlterTableAction::set_access_method:
      if (c.name == "heap") return true;
      if (c.name == "btree") throw SqlError(sqlstate::object_not_in_prerequisite_state, "access method \"{}\" is not of type TABLE", c.name);
      throw SqlError(sqlstate::undefined_object, "access method \"{}\" does not exist", c.name);
    case AlterTableAction::enable_trigger:
    case AlterTableAction::enable_always_trigger:
    case AlterTableAction::enable_replica_trigger:
    case AlterTableAction::disable_trigger:
    case AlterTableAction::enable_trigger_all:
    case AlterTableAction::disable_trigger_all:
    case AlterTableAction::enable_trigger_user:
    case AlterTableAction::disable_trigger_user: switch_triggers(*r, c); return true;
    case AlterTableAction::enable_rule:
    case AlterTableAction::enable_always_rule:
    case AlterTableAction::enable_replica_rule:
    case AlterTableAction::disable_rule:
      throw SqlError(sqlstate::undefined_object, "rule \"{}\" for relation \"{}\" does not exist", c.name, r->name);
    case AlterTableAction::disable_row_security:
    case AlterTableAction::no_force_row_security: return true;
    default: return false;
  }
}

}  // namespace hathi::ddl
