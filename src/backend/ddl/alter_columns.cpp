// ALTER TABLE: adding and dropping columns, defaults, NOT NULL.

#include <algorithm>

#include "alter_table.h"
#include "hathi/analyzer/analyze.h"
#include "hathi/analyzer/column_default.h"
#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/executor/executor.h"
#include "hathi/transaction/transaction.h"
#include "object_names.h"
#include "partitions.h"
#include "row_types.h"
#include "row_values.h"
#include "statements.h"
#include "table_definition.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
namespace a = catalog::pg_attribute;
using catalog::CatalogRow;
using parser::AlterTableCommand;
using locking::LockMode;

void store_missing_value(Oid table, AttrNumber number, const Attribute& attribute, NullableDatum v) {
  if (v.is_null) return;
  update_attribute_row(table, number, [&](CatalogRow& row, Arena& arena) {
    row.set(a::atthasmissing, Datum::of(true));
    row.set(a::attmissingval, types::make_array(arena, attribute.type, attribute.layout, std::span<const Datum>(&v.value, 1)));
  });
}

// The column with its row in pg_attribute, visible afterwards; its number.
AttrNumber insert_new_column(Oid table, const NewColumn& column) {
  Arena arena(2048);
  AttrNumber number = 0;
  {
    catalog::RelationRef r = catalog::open_relation(table, LockMode::none);
    // Each partition has dropped columns of its own.
    check_column_count(static_cast<std::size_t>(r->descriptor->count()) + 1);
    number = static_cast<AttrNumber>(r->descriptor->count() + 1);
  }
  {
    catalog::CatalogTable attributes(catalog_oid::pg_attribute, LockMode::row_exclusive);
    insert_column(attributes, table, column, number, arena);
  }
  update_class_row(table, [&](CatalogRow& row, Arena&) { row.set(catalog::pg_class::relnatts, Datum::of(number)); });
  transaction::advance_command();
  return number;
}

// Rows that exist get the value: kept with the column when it is the same for all, else written.
void fill_new_column(Oid table, AttrNumber number, const NewColumn& column, const nodes::Expr* value, bool has_sequence) {
  catalog::RelationRef r = catalog::open_relation(table, LockMode::none);
  if (r->kind != kind::table) return;
  if (value == nullptr) {
    if (column.not_null) check_no_nulls(table, number);
    return;
  }
  Arena arena;
  bool is_domain = catalog::type_info(column.type).kind == 'd';
  if (column.generated == '\0' && !has_sequence && !is_domain && analyzer::volatility_of(value) != 'v') {
    store_missing_value(table, number, (*r->descriptor)[number - 1], executor::evaluate(value, {}, arena));
  } else {
    TupleDescriptor* old_row = copy_descriptor(*r->descriptor, arena);
    heap::HeapTable heap = r->heap;
    char persistence = r->persistence;
    r.reset();
    ColumnValue filled{number, value};
    rewrite_table(table, *old_row, heap, {&filled, 1}, persistence);
  }
  transaction::advance_command();
}

// Must a value of the domain be looked at even when it is NULL?
bool has_constraints(Oid domain) {
  Arena arena(512);
  catalog::CatalogTable constraints(catalog_oid::pg_constraint, LockMode::access_share);
  for (Oid type = domain; catalog::type_info(type).kind == 'd'; type = catalog::type_info(type).base) {
    if (catalog::type_info(type).not_null || constraints.find({{catalog::pg_constraint::contypid, Datum::of(type)}}, arena)) return true;
  }
  return false;
}

// What rows that exist get in a column without a default of its own: the domain's default, or NULL when the domain has a say in that.
const nodes::Expr* value_of_domain(const catalog::Relation& r, AttrNumber number, Arena& arena) {
  const Attribute& attribute = (*r.descriptor)[number - 1];
  if (catalog::type_info(attribute.type).kind != 'd') return nullptr;
  if (const nodes::Expr* value = analyzer::column_default(r, number, arena)) return value;
  if (!has_constraints(attribute.type)) return nullptr;
  auto* null = nodes::make<nodes::Constant>(arena);
  null->type = catalog::base_type(attribute.type, &null->typmod);
  null->layout = attribute.layout;
  null->is_null = true;
  auto* checked = nodes::make<nodes::CoerceDomain>(arena);
  checked->arg = null;
  checked->type = attribute.type;
  return checked;
}

// The column that was added to the parent, in a partition and those below it.
void add_inherited_column(Oid table, const catalog::Relation& parent, AttrNumber parent_number, const NewColumn& definition, bool has_sequence) {
  Arena arena(2048);
  NewColumn column = definition;
  column.is_local = false;
  column.inherit_count = 1;
  column.identity = '\0';
  AttrNumber number = insert_new_column(table, column);
  catalog::RelationRef r = catalog::open_relation(table, LockMode::none);
  auto at = static_cast<std::size_t>(parent_number - 1);
  const nodes::Expr* value = at < parent.defaults.size() ? parent.defaults[at] : nullptr;
  if (value != nullptr) {
    value = map_columns(value, partition::column_map(parent, *r, arena), arena);
    store_default(table, number, value, column.generated);
    transaction::advance_command();
  }
  if (value == nullptr && column.generated == '\0') value = value_of_domain(*r, number, arena);
  r.reset();
  fill_new_column(table, number, column, value, has_sequence);
  create_toast_table_if_needed(table);
  r = catalog::open_relation(table, LockMode::none);
  for (Oid child : partitions_to_alter(*r, LockMode::access_exclusive)) add_inherited_column(child, *r, number, definition, has_sequence);
}

// The column may be added to what the relation has. Dropped columns count, as they do in its rows.
void check_new_column(const catalog::Relation& r, const NewColumn& column) {
  check_not_system_column(column.name);
  check_column_count(static_cast<std::size_t>(r.descriptor->count()) + 1);
  check_column_type(column.name, column.type, column.collation, r.kind);
}

void check_may_add(const catalog::Relation& r, const AlterContext& context) {
  if (r.is_partition) throw SqlError(sqlstate::wrong_object_type, "cannot add column to a partition");
  if (!context.recurse && has_partitions(r)) throw SqlError(sqlstate::invalid_table_definition, "column must be added to child tables too");
}

}  // namespace

AttrNumber column_number(const catalog::Relation& r, std::string_view name) {
  if (AttrNumber column = find_column(r, name)) return column;
  throw SqlError(sqlstate::undefined_column, "column \"{}\" of relation \"{}\" does not exist", name, r.name);
}

bool has_column(const catalog::Relation& r, std::string_view name) { return find_column(r, name) != 0; }

void add_column(Oid table, const AlterTableCommand& c, const AlterContext& context) {
  Arena arena;
  catalog::RelationRef r = catalog::open_relation(table, LockMode::none);
  check_may_add(*r, context);
  if (has_column(*r, c.column->name)) {
    if (!c.missing_ok) throw SqlError(sqlstate::duplicate_column, "column \"{}\" of relation \"{}\" already exists", c.column->name, r->name);
    report_notice(sqlstate::duplicate_column, "column \"{}\" of relation \"{}\" already exists, skipping", c.column->name, r->name);
    return;
  }
  TableDefinition d;
  add_column_definition(d, *c.column, r->name, context.text, arena);
  NewColumn& column = d.columns[0];
  check_new_column(*r, column);
  std::vector<Oid> sequences;
  for (const PendingSequence& p : d.sequences) {
    sequences.push_back(create_owned_sequence(r->name, r->schema, r->persistence, r->owner, column.name, column.type, p));
  }
  AttrNumber number = insert_new_column(table, column);
  r = catalog::open_relation(table, LockMode::none);
  const nodes::Expr* value = nullptr;
  if (d.defaults[0] != nullptr) {
    analyzer::ExpressionScope scope = analyzer::scope_of(*r);
    value = without_position([&] {
      return analyzer::analyze_default(d.defaults[0]->expr, context.text, arena, &scope, column.name, column.type, column.typmod, column.generated);
    });
    if (value != nullptr) store_default(table, number, value, column.generated);
  }
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    nodes::Expr* next = nextval_expression(sequences[i], column.type, arena);
    if (d.sequences[i].identity == '\0') store_default(table, number, next, '\0');
    own_sequence(sequences[i], table, number, d.sequences[i].identity != '\0');
    value = next;
  }
  transaction::advance_command();
  if (value == nullptr && column.generated == '\0') {
    r = catalog::open_relation(table, LockMode::none);
    value = value_of_domain(*r, number, arena);
  }
  r.reset();
  fill_new_column(table, number, column, value, !sequences.empty());
  create_toast_table_if_needed(table);
  r = catalog::open_relation(table, LockMode::none);
  for (Oid child : partitions_to_alter(*r, LockMode::access_exclusive)) add_inherited_column(child, *r, number, column, !sequences.empty());
  without_position([&] { create_constraints(table, d.constraints, context.text, true); });
}

namespace {

// The column and its like in all partitions below.
void collect_column(Oid table, std::string_view name, std::vector<catalog::ObjectAddress>& out) {
  catalog::RelationRef r = catalog::open_relation(table, LockMode::none);
  AttrNumber number = column_number(*r, name);
  if (is_in_partition_key(*r, number)) {
    throw SqlError(sqlstate::invalid_table_definition, "cannot drop column \"{}\" because it is part of the partition key of relation \"{}\"", name, r->name);
  }
  for (Oid child : partitions_to_alter(*r, LockMode::access_exclusive)) collect_column(child, name, out);
  out.push_back({catalog_oid::pg_class, table, number});
}

}  // namespace

void drop_column(Oid table, const AlterTableCommand& c, const AlterContext& context) {
  catalog::RelationRef r = catalog::open_relation(table, LockMode::none);
  if (c.missing_ok && !has_column(*r, c.name)) {
    report_notice(sqlstate::successful_completion, "column \"{}\" of relation \"{}\" does not exist, skipping", c.name, r->name);
    return;
  }
  const Attribute& attribute = (*r->descriptor)[column_number(*r, c.name) - 1];
  if (attribute.inherit_count > 0) throw SqlError(sqlstate::invalid_table_definition, "cannot drop inherited column \"{}\"", c.name);
  if (!context.recurse && has_partitions(*r)) {
    throw SqlError(sqlstate::invalid_table_definition, "cannot drop column from only the partitioned table when partitions exist")
        .hint("Do not specify the ONLY keyword.");
  }
  std::vector<catalog::ObjectAddress> columns;
  collect_column(table, c.name, columns);
  r.reset();
  catalog::perform_deletion(columns, c.behavior == parser::DropBehavior::cascade);
}

void change_default(Oid table, const AlterTableCommand& c, const AlterContext& context) {
  catalog::RelationRef r = catalog::open_relation(table, LockMode::none);
  AttrNumber number = column_number(*r, c.name);
  const Attribute& attribute = (*r->descriptor)[number - 1];
  if (attribute.identity != '\0') {
    throw SqlError(sqlstate::syntax_error, "column \"{}\" of relation \"{}\" is an identity column", c.name, r->name)
        .hint(c.expr != nullptr ? "" : "Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead.");
  }
  if (attribute.generated != '\0') {
    throw SqlError(sqlstate::syntax_error, "column \"{}\" of relation \"{}\" is a generated column", c.name, r->name)
        .hint(c.expr != nullptr ? "" : "Use ALTER TABLE ... ALTER COLUMN ... DROP EXPRESSION instead.");
  }
  remove_default(table, number, false);
  transaction::advance_command();
  if (c.expr != nullptr) {
    Arena arena(2048);
    nodes::Expr* e = without_position(
        [&] { return analyzer::analyze_default(c.expr, context.text, arena, nullptr, c.name, attribute.type, attribute.typmod, '\0'); });
    if (e != nullptr) store_default(table, number, e, '\0');
  }
  if (!context.recurse) return;
  for (Oid child : partitions_to_alter(*r, LockMode::access_exclusive)) change_default(child, c, context.below());
}

namespace {

void check_may_become_nullable(const catalog::Relation& r, const Attribute& attribute, AttrNumber number, const AlterContext& context) {
  if (attribute.identity != '\0') {
    throw SqlError(sqlstate::syntax_error, "column \"{}\" of relation \"{}\" is an identity column", attribute.name, r.name);
  }
  for (const catalog::IndexDescriptor* i : r.indexes) {
    if (i->primary && std::find(i->columns.begin(), i->columns.begin() + i->key_count, number) != i->columns.begin() + i->key_count) {
      throw SqlError(sqlstate::invalid_table_definition, "column \"{}\" is in a primary key", attribute.name);
    }
  }
  if (r.is_partition && is_valid(r.parent)) {
    catalog::RelationRef parent = catalog::open_relation(r.parent, LockMode::none);
    if ((*parent->descriptor)[column_number(*parent, attribute.name) - 1].not_null) {
      throw SqlError(sqlstate::invalid_table_definition, "column \"{}\" is marked NOT NULL in parent table", attribute.name);
    }
  }
  if (!context.recurse && has_partitions(r)) {
    throw SqlError(sqlstate::invalid_table_definition, "cannot remove constraint from only the partitioned table when partitions exist")
        .hint("Do not specify the ONLY keyword.");
  }
}

}  // namespace

void require_not_null_in_partitions(const catalog::Relation& r, std::string_view column) {
  for (Oid child : partitions_to_alter(r, LockMode::access_exclusive)) {
    catalog::RelationRef c = catalog::open_relation(child, LockMode::none);
    if ((*c->descriptor)[column_number(*c, column) - 1].not_null) continue;
    throw SqlError(sqlstate::invalid_table_definition, "constraint must be added to child tables too")
        .detail(fmt::format("Column \"{}\" of relation \"{}\" is not already NOT NULL.", column, c->name))
        .hint("Do not specify the ONLY keyword.");
  }
}

void change_not_null(Oid table, const AlterTableCommand& c, bool not_null, const AlterContext& context) {
  catalog::RelationRef r = catalog::open_relation(table, LockMode::none);
  AttrNumber number = column_number(*r, c.name);
  const Attribute& attribute = (*r->descriptor)[number - 1];
  if (attribute.not_null != not_null) {
    if (!not_null) check_may_become_nullable(*r, attribute, number, context);
    else if (r->kind == kind::table) check_no_nulls(table, number);
    if (not_null && !context.recurse) require_not_null_in_partitions(*r, c.name);
    update_attribute_row(table, number, [&](CatalogRow& row, Arena&) { row.set(a::attnotnull, Datum::of(not_null)); });
    transaction::advance_command();
  }
  if (!context.recurse) return;
  for (Oid child : partitions_to_alter(*r, LockMode::access_exclusive)) change_not_null(child, c, not_null, context.below());
}

}  // namespace hathi::ddl
