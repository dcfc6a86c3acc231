// Making constraints of a table: keys with their indexes, checks, foreign keys.

#include <algorithm>

#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/executor/executor.h"
#include "hathi/nodes/visit.h"
#include "hathi/transaction/transaction.h"
#include "alter_table.h"
#include "object_names.h"
#include "partitions.h"
#include "row_values.h"
#include "statements.h"
#include "table_definition.h"
#include "unfilled_indexes.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
using parser::ConstraintKind;

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
  return choose_relation_name(r.name, primary ? std::string() : joined_names(pending.columns), primary ? "pkey" : "key", r.schema);
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
    if (recurse) members = partitions_to_alter(*r, locking::LockMode::access_exclusive);
  }
  if (changed) transaction::advance_command();
  for (Oid member : members) set_columns_not_null(member, columns, true);
}

Oid make_key(Oid table, const PendingConstraint& pending, std::string_view text, bool recurse, bool skip_build) {
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
  n.skip_build = skip_build;
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

}  // namespace

Oid create_key(Oid table, const PendingConstraint& pending, std::string_view text, bool recurse) { return make_key(table, pending, text, recurse, false); }

Oid create_unfilled_key(Oid table, const PendingConstraint& pending, std::string_view text) { return make_key(table, pending, text, true, true); }

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
    if (p.syntax->type == ConstraintKind::foreign_key) create_foreign_key(table, p, validate, recurse);
  }
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
