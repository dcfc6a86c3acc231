// ALTER TABLE … ALTER COLUMN … TYPE.

#include <algorithm>

#include "alter_table.h"
#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/nodes/visit.h"
#include "hathi/parser/parser.h"
#include "hathi/transaction/transaction.h"
#include "relation_store.h"
#include "row_types.h"
#include "row_values.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
namespace a = catalog::pg_attribute;
using catalog::CatalogRow;
using parser::AlterTableCommand;

// Can the new type read the old one's bytes as they are?
bool same_bytes(const Attribute& from, Oid type, std::int32_t typmod, const nodes::Expr* e) {
  while (nodes::is<nodes::Relabel>(e)) e = nodes::as<nodes::Relabel>(e)->arg;
  bool plain = nodes::is<nodes::Variable>(e);
  return plain && catalog::type_info(type).layout.length == from.layout.length && (typmod == from.typmod || typmod < 0 || from.type != type);
}

void check_may_change(const catalog::Relation& r, const Attribute& column, AttrNumber number, const AlterContext& context) {
  if (!context.recursing && column.inherit_count > 0) {
    throw SqlError(sqlstate::invalid_table_definition, "cannot alter inherited column \"{}\"", column.name);
  }
  if (is_in_partition_key(r, number)) {
    throw SqlError(sqlstate::invalid_table_definition, "cannot alter column \"{}\" because it is part of the partition key of relation \"{}\"",
                   column.name, r.name);
  }
  if (!context.recurse && has_partitions(r)) {
    throw SqlError(sqlstate::invalid_table_definition, "type of inherited column \"{}\" must be changed in child tables too", column.name);
  }
}

}  // namespace

void change_type(Oid table, const AlterTableCommand& c, const AlterContext& context) {
  Arena arena;
  catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::none);
  AttrNumber number = column_number(*r, c.name);
  const Attribute& old = (*r->descriptor)[number - 1];
  check_may_change(*r, old, number, context);
  analyzer::ResolvedType type = analyzer::resolve_type(c.column->type, context.text, arena);
  Oid collation = analyzer::resolve_column_collation(c.column->collation, c.column->collation_location, type.type);
  check_column_type(c.name, type.type, collation, r->kind);
  nodes::Expr* e = nullptr;
  analyzer::ExpressionScope scope = analyzer::scope_of(*r);
  if (c.expr != nullptr) {
    e = analyzer::analyze_expression(c.expr, context.text, arena, &scope, analyzer::Clause::alter_column_transform);
  } else {
    auto* v = nodes::make<nodes::Variable>(arena);
    v->rte = 1;
    v->column = number;
    v->type = old.type;
    v->typmod = old.typmod;
    v->collation = old.collation;
    e = v;
  }
  nodes::Expr* coerced = analyzer::coerce_to_type(e, type.type, type.typmod, analyzer::CoercionContext::assignment, nodes::CallForm::implicit_cast, -1, arena);
  if (coerced == nullptr) {
    if (c.expr != nullptr) {
      throw SqlError(sqlstate::datatype_mismatch, "result of USING clause for column \"{}\" cannot be cast automatically to type {}", c.name,
                     catalog::format_type(type.type, type.typmod))
          .hint("You might need to add an explicit cast.");
    }
    throw SqlError(sqlstate::datatype_mismatch, "column \"{}\" cannot be cast automatically to type {}", c.name, catalog::format_type(type.type, type.typmod))
        .hint(fmt::format("You might need to specify \"USING {}::{}\".", parser::quote_identifier(c.name), catalog::format_type(type.type, type.typmod)));
  }
  analyzer::assign_collations(coerced);
  bool keeps_bytes = same_bytes(old, type.type, type.typmod, coerced);
  TupleDescriptor* old_row = copy_descriptor(*r->descriptor, arena);
  heap::HeapTable old_heap = r->heap;
  char persistence = r->persistence, k = r->kind;
  bool indexed = std::any_of(r->indexes.begin(), r->indexes.end(), [&](const catalog::IndexDescriptor* i) {
    return std::find(i->columns.begin(), i->columns.end(), number) != i->columns.end() || !i->expressions.empty();
  });
  if (indexed && old.type != type.type) throw_not_supported("ALTER COLUMN TYPE of an indexed column");
  const nodes::Expr* default_value = static_cast<std::size_t>(number) <= r->defaults.size() ? r->defaults[static_cast<std::size_t>(number - 1)] : nullptr;
  nodes::Expr* new_default = nullptr;
  if (default_value != nullptr) {
    new_default = analyzer::coerce_to_type(nodes::copy(default_value, arena), type.type, type.typmod, analyzer::CoercionContext::assignment,
                                           nodes::CallForm::implicit_cast, -1, arena);
    if (new_default == nullptr) {
      throw SqlError(sqlstate::datatype_mismatch, "default for column \"{}\" cannot be cast automatically to type {}", c.name, catalog::format_type(type.type));
    }
  }
  r.reset();
  update_attribute_row(table, number, [&](CatalogRow& row, Arena&) {
    const catalog::TypeInfo& info = catalog::type_info(type.type);
    row.set(a::atttypid, Datum::of(type.type));
    row.set(a::atttypmod, Datum::of(type.typmod));
    row.set(a::attcollation, Datum::of(collation));
    row.set(a::attlen, Datum::of(info.layout.length));
    row.set(a::attbyval, Datum::of(info.layout.by_value));
    row.set(a::attalign, Datum::of(info.layout.align));
    row.set(a::attstorage, Datum::of(info.storage));
    row.set(a::attndims, Datum::of(static_cast<std::int32_t>(c.column->type->array_bounds.size())));
    row.set(a::atthasmissing, Datum::of(false));
    row.set_null(a::attmissingval);
  });
  transaction::advance_command();
  if (new_default != nullptr) {
    remove_default(table, number, false);
    transaction::advance_command();
    store_default(table, number, new_default, '\0');
    transaction::advance_command();
  }
  if (!keeps_bytes && k == kind::table) rewrite_table(table, *old_row, old_heap, number, coerced, persistence);
  remove_statistics(table, number);
  create_toast_table_if_needed(table);
  r = catalog::open_relation(table, locking::LockMode::none);
  for (Oid child : partitions_to_alter(*r, locking::LockMode::access_exclusive)) change_type(child, c, context.below());
}

}  // namespace hathi::ddl
