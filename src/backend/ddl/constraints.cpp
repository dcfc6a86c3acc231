// Making constraints of a table: keys with their indexes, checks, foreign keys.

#include <algorithm>

#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/executor/executor.h"
#include "hathi/nodes/visit.h"
#include "hathi/transaction/transaction.h"
#include "alter_table.h"
#include "partitions.h"
#include "row_values.h"
#include "statements.h"
#include "table_definition.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
using parser::ConstraintKind;

AttrNumber find_column(const catalog::Relation& r, std::string_view name) {
  const TupleDescriptor& row = *r.descriptor;
  for (int i = 0; i < row.count(); ++i) {
    if (!row[i].dropped && row[i].name == name) return static_cast<AttrNumber>(i + 1);
  }
  return 0;
}

// The columns of a key, each once. Errors: 42703 column "x" named in key does not exist, 42701 appears twice.
std::vector<AttrNumber> key_columns(const catalog::Relation& r, std::span<const std::string_view> names, bool primary, int location) {
  std::vector<AttrNumber> out;
  for (std::string_view name : names) {
    AttrNumber n = find_column(r, name);
    if (n == 0) throw SqlError(sqlstate::undefined_column, "column \"{}\" named in key does not exist", name).at(location);
    if (std::find(out.begin(), out.end(), n) != out.end()) {
      throw SqlError(sqlstate::duplicate_column, "column \"{}\" appears twice in {} constraint", name, primary ? "primary key" : "unique").at(location);
    }
    out.push_back(n);
  }
  return out;
}

// Names of the key columns as index names show them: joined by "_".
std::string joined(std::span<const std::string_view> names) {
  std::string out;
  for (std::string_view n : names) {
    if (!out.empty()) out += '_';
    out += n;
    if (out.size() >= kNameLength) break;
  }
  return out;
}

NewIndexColumn index_column(const catalog::Relation& r, AttrNumber number, bool is_key) {
  const Attribute& a = (*r.descriptor)[number - 1];
  NewIndexColumn c;
  c.column = number;
  c.name = std::string(a.name);
  if (!is_key) return c;
  c.collation = a.collation;
  c.operator_class = analyzer::resolve_operator_class({}, a.type, "btree", kBTreeAccessMethod);
  return c;
}

std::string key_name(const catalog::Relation& r, const PendingConstraint& pending) {
  const parser::Constraint& c = *pending.syntax;
  if (!c.name.empty()) {
    if (constraint_name_is_used(r.oid, kInvalidOid, c.name)) {
      throw SqlError(sqlstate::duplicate_object, "constraint \"{}\" for relation \"{}\" already exists", c.name, r.name);
    }
    return std::string(c.name);
  }
  bool primary = c.type == ConstraintKind::primary_key;
  return choose_relation_name(r.name, primary ? std::string() : joined(pending.columns), primary ? "pkey" : "key", r.schema);
}

// Also in partitions; rows are looked at.
void set_columns_not_null(Oid table, const std::vector<std::string>& columns, bool recurse) {
  bool changed = false;
  std::vector<Oid> members;
  {
    catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::access_exclusive);
    for (const std::string& name : columns) {
      AttrNumber n = find_column(*r, name);
      if (n == 0 || (*r->descriptor)[n - 1].not_null) continue;
      if (r->kind == kind::table) check_no_nulls(table, n);
      set_not_null(table, n);
      changed = true;
    }
    if (recurse) members = partitions_of(*r, locking::LockMode::access_exclusive);
  }
  if (changed) transaction::advance_command();
  for (Oid member : members) set_columns_not_null(member, columns, true);
}

}  // namespace

Oid create_key(Oid table, const PendingConstraint& pending, std::string_view text, bool recurse) {
  const parser::Constraint& c = *pending.syntax;
  bool primary = c.type == ConstraintKind::primary_key;
  if (!c.index.empty()) return adopt_index_as_constraint(table, c);
  catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::none);
  if (primary) {
    for (const catalog::IndexDescriptor* i : r->indexes) {
      if (i->primary) throw SqlError(sqlstate::invalid_table_definition, "multiple primary keys for table \"{}\" are not allowed", r->name);
    }
  }
  std::vector<AttrNumber> columns = key_columns(*r, pending.columns, primary, c.location);
  if (primary) {
    std::vector<std::string> names;
    for (AttrNumber n : columns) names.emplace_back((*r->descriptor)[n - 1].name);
    if (!recurse) {
      for (const std::string& name : names) require_not_null_in_partitions(*r, name);
    }
    set_columns_not_null(table, names, recurse);
    r = catalog::open_relation(table, locking::LockMode::none);
  }
  Arena arena(1024);
  NewIndex n;
  n.table = table;
  n.name = key_name(*r, pending);
  n.unique = true;
  n.primary = primary;
  n.nulls_not_distinct = c.nulls_not_distinct;
  n.deferrable = c.deferrable;
  n.initially_deferred = c.initially_deferred;
  n.immediate = !c.deferrable;
  n.constraint = primary ? 'p' : 'u';
  for (AttrNumber column : columns) n.columns.push_back(index_column(*r, column, true));
  n.key_count = static_cast<int>(columns.size());
  std::vector<std::string_view> included(c.including.begin(), c.including.end());
  for (AttrNumber column : key_columns(*r, included, primary, c.location)) n.columns.push_back(index_column(*r, column, false));
  std::vector<std::string_view> toast;
  n.options = relation_options(c.options, kind::index, toast, arena);
  n.tablespace = resolve_tablespace(c.tablespace, r->persistence);
  if (r->kind == kind::partitioned_table) return create_partitioned_index(std::move(n), *r, text, recurse);
  return create_index(n);
}

void create_constraints(Oid table, const std::vector<PendingConstraint>& constraints, std::string_view text, bool validate, bool recurse) {
  std::vector<std::string> taken;
  for (const PendingConstraint& p : constraints) {
    if (p.syntax->type == ConstraintKind::check) create_check(table, p, text, validate, recurse, taken);
  }
  // The primary key comes first, then the others in their order.
  for (bool primary : {true, false}) {
    for (const PendingConstraint& p : constraints) {
      bool is_key = p.syntax->type == ConstraintKind::primary_key || p.syntax->type == ConstraintKind::unique;
      if (is_key && (p.syntax->type == ConstraintKind::primary_key) == primary) create_key(table, p, text, recurse);
    }
  }
  for (const PendingConstraint& p : constraints) {
    if (p.syntax->type == ConstraintKind::foreign_key) create_foreign_key(table, p, text, validate);
  }
}

// --- foreign keys ---------------------------------------------------------------------------------------------------------------
namespace {

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
      if (!i->primary) continue;
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

// The rows by which a table's descriptor finds the keys that point to it, named and typed as PostgreSQL's constraint triggers; the
// checks themselves are the executor's.
void insert_trigger(Oid table, Oid other, Oid constraint, const NewConstraint& n, char side, Oid function, std::int16_t type) {
  namespace t = catalog::pg_trigger;
  Arena arena(512);
  Oid oid = catalog::new_oid(catalog_oid::pg_trigger);
  {
    catalog::CatalogTable triggers(catalog_oid::pg_trigger, locking::LockMode::row_exclusive);
    catalog::CatalogRow row = triggers.new_row();
    row.set(t::oid, Datum::of(oid));
    row.set(t::tgrelid, Datum::of(table));
    row.set(t::tgparentid, Datum::of(kInvalidOid));
    row.set(t::tgname, make_name(arena, fmt::format("RI_ConstraintTrigger_{}_{}", side, raw(oid))));
    row.set(t::tgfoid, Datum::of(function));
    row.set(t::tgtype, Datum::of(type));
    row.set(t::tgenabled, Datum::of('O'));
    row.set(t::tgisinternal, Datum::of(true));
    row.set(t::tgconstrrelid, Datum::of(other));
    row.set(t::tgconstrindid, Datum::of(n.index));
    row.set(t::tgconstraint, Datum::of(constraint));
    row.set(t::tgdeferrable, Datum::of(n.deferrable));
    row.set(t::tginitdeferred, Datum::of(n.initially_deferred));
    row.set(t::tgnargs, Datum::of(std::int16_t{0}));
    row.set(t::tgattr, int2_vector(arena, {}));
    row.set(t::tgargs, varlena::make(arena, ""));
    triggers.insert(row);
  }
  catalog::record_dependency({catalog_oid::pg_trigger, oid, 0}, {catalog_oid::pg_constraint, constraint, 0}, catalog::DependencyKind::internal);
}

void insert_triggers(Oid constraint, const NewConstraint& n) {
  constexpr std::int16_t kAfterInsert = 5, kAfterDelete = 9, kAfterUpdate = 17;
  // RI_FKey_cascade_del is 1646; each action has a pair, delete then update.
  auto function = [](char action, bool update) {
    std::uint32_t base = action == 'c' ? 1646 : action == 'r' ? 1648 : action == 'n' ? 1650 : action == 'd' ? 1652 : 1654;
    return Oid{base + (update ? 1u : 0u)};
  };
  insert_trigger(n.referenced, n.table, constraint, n, 'a', function(n.on_delete, false), kAfterDelete);
  insert_trigger(n.referenced, n.table, constraint, n, 'a', function(n.on_update, true), kAfterUpdate);
  insert_trigger(n.table, n.referenced, constraint, n, 'c', Oid{1644}, kAfterInsert);
  insert_trigger(n.table, n.referenced, constraint, n, 'c', Oid{1645}, kAfterUpdate);
}

void check_persistence(const catalog::Relation& fk, const catalog::Relation& pk) {
  auto refuse = [](std::string_view who, std::string_view whom) {
    throw SqlError(sqlstate::invalid_table_definition, "constraints on {} tables may reference only {} tables", who, whom);
  };
  if (fk.persistence == 'p' && pk.persistence != 'p') refuse("permanent", "permanent");
  if (fk.persistence == 'u' && pk.persistence == 't') refuse("unlogged", "permanent or unlogged");
  if (fk.persistence == 't' && pk.persistence != 't') refuse("temporary", "temporary");
}

}  // namespace

Oid create_foreign_key(Oid table, const PendingConstraint& pending, std::string_view, bool validate) {
  const parser::Constraint& c = *pending.syntax;
  if (c.match == parser::ForeignKeyMatch::partial) throw SqlError(sqlstate::feature_not_supported, "MATCH PARTIAL not yet implemented").at(c.location);
  catalog::RelationRef pk = analyzer::open_by_name(c.referenced, locking::LockMode::share_row_exclusive);
  catalog::RelationRef fk = catalog::open_relation(table, locking::LockMode::none);
  if (pk->kind != kind::table && pk->kind != kind::partitioned_table) {
    throw SqlError(sqlstate::wrong_object_type, "referenced relation \"{}\" is not a table", pk->name);
  }
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
  n.name = !c.name.empty() ? std::string(c.name) : choose_constraint_name(fk->name, joined(pending.columns), "fkey", fk->schema, {});
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
  n.no_inherit = true;
  Oid oid = insert_constraint(n);
  insert_triggers(oid, n);
  auto has_triggers = [](catalog::CatalogRow& row, Arena&) { row.set(catalog::pg_class::relhastriggers, Datum::of(true)); };
  update_class_row(table, has_triggers);
  if (pk->oid != table) update_class_row(pk->oid, has_triggers);
  transaction::advance_command();
  if (validate && !c.not_valid) executor::validate_foreign_key(oid);
  return oid;
}

std::vector<AttrNumber> used_columns(const nodes::Expr* e) {
  std::vector<AttrNumber> out;
  struct Collect {
    std::vector<AttrNumber>& out;
    bool operator()(nodes::Expr* node) {
      if (node == nullptr) return false;
      if (const auto* v = nodes::is<nodes::Variable>(node) ? nodes::as<nodes::Variable>(node) : nullptr) {
        if (v->levels_up == 0 && std::find(out.begin(), out.end(), v->column) == out.end()) out.push_back(v->column);
      }
      return nodes::for_each_child(node, *this);
    }
  } collect{out};
  collect(const_cast<nodes::Expr*>(e));
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace hathi::ddl
