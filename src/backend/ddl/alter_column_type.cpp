// ALTER TABLE … ALTER COLUMN … TYPE: all such commands of a statement together, in the table and its partitions.

#include <algorithm>
#include <set>

#include "alter_table.h"
#include "column_dependents.h"
#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/nodes/visit.h"
#include "hathi/parser/parser.h"
#include "hathi/transaction/transaction.h"
#include "hathi/types/array.h"
#include "object_names.h"
#include "partitions.h"
#include "relation_store.h"
#include "row_types.h"
#include "row_values.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

namespace kind = catalog::relation_kind;
namespace a = catalog::pg_attribute;
using catalog::CatalogRow;
using locking::LockMode;
using parser::AlterTableCommand;

struct TypeChange {
  AttrNumber column = 0;
  const AlterTableCommand* command = nullptr;
  analyzer::ResolvedType type;
  Oid collation = kInvalidOid;
  nodes::Expr* value = nullptr;         // over the old row
  nodes::Expr* new_default = nullptr;
  bool keeps_bytes = false;
};

struct AlteredTable {
  Oid oid = kInvalidOid;
  char kind = '\0', persistence = 'p';
  std::vector<TypeChange> changes;
  TupleDescriptor* old_row = nullptr;
  heap::HeapTable old_heap;
  bool is_rewritten() const {
    return kind == kind::table && std::any_of(changes.begin(), changes.end(), [](const TypeChange& c) { return !c.keeps_bytes; });
  }
};

// A length or precision that only grows: the call gives back its argument.
bool only_widens(const nodes::FunctionExpr& call, std::int32_t from, std::int32_t to) {
  constexpr Oid kVarcharLength{669}, kNumericPrecision{1703};
  if (call.args.size() < 2 || from < 0) return false;
  if (call.function == kVarcharLength) return to < 0 || to >= from;
  // The lower half is the scale.
  constexpr std::int32_t kHeader = 4, kHalf = 0xffff;
  return call.function == kNumericPrecision && to >= from && ((to - kHeader) & kHalf) == ((from - kHeader) & kHalf);
}

// Can the new type read the old one's bytes as they are?
bool same_bytes(const Attribute& from, Oid type, std::int32_t typmod, const nodes::Expr* e) {
  bool widens = false;
  for (;;) {
    if (nodes::is<nodes::Relabel>(e)) {
      e = nodes::as<nodes::Relabel>(e)->arg;
    } else if (nodes::is<nodes::FunctionExpr>(e) && from.type == type && only_widens(*nodes::as<nodes::FunctionExpr>(e), from.typmod, typmod)) {
      e = nodes::as<nodes::FunctionExpr>(e)->args[0];
      widens = true;
    } else {
      break;
    }
  }
  return nodes::is<nodes::Variable>(e) && catalog::type_info(type).layout.length == from.layout.length &&
         (widens || typmod == from.typmod || typmod < 0 || from.type != type);
}

void check_may_change(const catalog::Relation& r, AttrNumber number, const AlterTableCommand& c, const AlterContext& context) {
  const Attribute& column = (*r.descriptor)[number - 1];
  if (!context.recursing && column.inherit_count > 0) {
    throw SqlError(sqlstate::invalid_table_definition, "cannot alter inherited column \"{}\"", column.name);
  }
  if (column.generated != '\0' && c.expr != nullptr) {
    throw SqlError(sqlstate::invalid_column_definition, "cannot specify USING when altering type of generated column")
        .detail(fmt::format("Column \"{}\" is a generated column.", column.name));
  }
  if (is_in_partition_key(r, number)) {
    throw SqlError(sqlstate::invalid_table_definition, "cannot alter column \"{}\" because it is part of the partition key of relation \"{}\"",
                   column.name, r.name);
  }
}

// The new value as it is written or, without USING, the old one.
nodes::Expr* source_value(const catalog::Relation& r, AttrNumber number, const AlterTableCommand& c, std::string_view text, Arena& arena) {
  if (c.expr != nullptr) {
    analyzer::ExpressionScope scope = analyzer::scope_of(r);
    return analyzer::analyze_expression(c.expr, text, arena, &scope, analyzer::Clause::alter_column_transform);
  }
  const Attribute& old = (*r.descriptor)[number - 1];
  auto* v = nodes::make<nodes::Variable>(arena);
  v->rte = 1;
  v->column = number;
  v->type = old.type;
  v->typmod = old.typmod;
  v->collation = old.collation;
  return v;
}

[[noreturn]] void cannot_cast(const AlterTableCommand& c, const analyzer::ResolvedType& type) {
  std::string name = catalog::format_type(type.type, type.typmod);
  if (c.expr != nullptr) {
    throw SqlError(sqlstate::datatype_mismatch, "result of USING clause for column \"{}\" cannot be cast automatically to type {}", c.name, name)
        .hint("You might need to add an explicit cast.");
  }
  throw SqlError(sqlstate::datatype_mismatch, "column \"{}\" cannot be cast automatically to type {}", c.name, name)
      .hint(fmt::format("You might need to specify \"USING {}::{}\".", parser::quote_identifier(c.name), name));
}

AttrNumber changeable_column(const catalog::Relation& r, std::string_view name) {
  if (AttrNumber number = find_column(r, name)) return number;
  if (is_system_column(name)) throw SqlError(sqlstate::feature_not_supported, "cannot alter system column \"{}\"", name);
  return column_number(r, name);
}

// (Its errors have no position.)
void resolve_new_type(const AlterTableCommand& c, std::string_view text, Arena& arena, TypeChange& out) {
  try {
    out.type = analyzer::resolve_type(c.column->type, text, arena);
    out.collation = analyzer::resolve_column_collation(c.column->collation, c.column->collation_location, out.type.type);
  } catch (SqlError& e) {
    e.at(-1);
    throw;
  }
}

TypeChange prepare_change(const catalog::Relation& r, const AlterTableCommand& c, const AlterContext& context, Arena& arena) {
  TypeChange out;
  out.command = &c;
  out.column = changeable_column(r, c.name);
  check_may_change(r, out.column, c, context);
  resolve_new_type(c, context.text, arena, out);
  check_column_type(c.name, out.type.type, out.collation, r.kind);
  nodes::Expr* e = source_value(r, out.column, c, context.text, arena);
  out.value = analyzer::coerce_to_type(e, out.type.type, out.type.typmod, analyzer::CoercionContext::assignment, nodes::CallForm::implicit_cast, -1, arena);
  if (out.value == nullptr) cannot_cast(c, out.type);
  analyzer::assign_collations(out.value);
  out.keeps_bytes = same_bytes((*r.descriptor)[out.column - 1], out.type.type, out.type.typmod, out.value);
  return out;
}

bool names_whole_row(const nodes::Expr* e) {
  std::vector<AttrNumber> used = used_columns(e);
  return std::find(used.begin(), used.end(), 0) != used.end();
}

// The table and the partitions below it, all as they are before anything changes.
void prepare(Oid table, std::span<const AlterTableCommand* const> commands, const AlterContext& context, Arena& arena, std::vector<AlteredTable>& out) {
  catalog::RelationRef r = catalog::open_relation(table, LockMode::none);
  AlteredTable t;
  t.oid = table;
  t.kind = r->kind;
  t.persistence = r->persistence;
  t.old_row = copy_descriptor(*r->descriptor, arena);
  t.old_heap = r->heap;
  bool whole_row = false;
  for (const AlterTableCommand* c : commands) {
    t.changes.push_back(prepare_change(*r, *c, context, arena));
    whole_row = whole_row || (c->expr != nullptr && names_whole_row(t.changes.back().value));
    if (!context.recurse && has_partitions(*r)) {
      throw SqlError(sqlstate::invalid_table_definition, "type of inherited column \"{}\" must be changed in child tables too", c->name);
    }
  }
  out.push_back(std::move(t));
  for (Oid child : partitions_to_alter(*r, LockMode::access_exclusive)) {
    if (whole_row) {
      throw SqlError(sqlstate::feature_not_supported, "cannot convert whole-row table reference")
          .detail("USING expression contains a whole-row table reference.");
    }
    prepare(child, commands, context.below(), arena, out);
  }
}

// --- carrying it out ------------------------------------------------------------------------------------------------------------------
// The default, cast to the new type.
void convert_default(const catalog::Relation& r, TypeChange& change, Arena& arena) {
  auto at = static_cast<std::size_t>(change.column - 1);
  const nodes::Expr* old = at < r.defaults.size() ? r.defaults[at] : nullptr;
  if (old == nullptr) return;
  nodes::Expr* e = nodes::copy(old, arena);
  // Casts that nobody wrote were for the old type.
  auto is_implicit = [](const auto* cast) { return cast->form == nodes::CallForm::implicit_cast; };
  for (;;) {
    if (nodes::is<nodes::FunctionExpr>(e) && is_implicit(nodes::as<nodes::FunctionExpr>(e))) e = nodes::as<nodes::FunctionExpr>(e)->args[0];
    else if (nodes::is<nodes::Relabel>(e) && is_implicit(nodes::as<nodes::Relabel>(e))) e = nodes::as<nodes::Relabel>(e)->arg;
    else break;
  }
  change.new_default = analyzer::coerce_to_type(e, change.type.type, change.type.typmod, analyzer::CoercionContext::assignment,
                                                nodes::CallForm::implicit_cast, -1, arena);
  if (change.new_default != nullptr) return;
  std::string_view what = (*r.descriptor)[change.column - 1].generated != '\0' ? "generation expression" : "default";
  throw SqlError(sqlstate::datatype_mismatch, "{} for column \"{}\" cannot be cast automatically to type {}", what, change.command->name,
                 catalog::format_type(change.type.type));
}

void change_identity_sequence(const catalog::Relation& r, const TypeChange& change, const AlterContext& context) {
  if ((*r.descriptor)[change.column - 1].identity == '\0') return;
  Oid type = change.type.type;
  if (type != type_oid::int2 && type != type_oid::int4 && type != type_oid::int8) {
    throw SqlError(sqlstate::invalid_parameter_value, "identity column type must be smallint, integer, or bigint");
  }
  for (const catalog::Dependency& d : catalog::dependents_of({catalog_oid::pg_class, r.oid, change.column})) {
    if (d.kind != catalog::DependencyKind::internal || d.object.class_id != catalog_oid::pg_class) continue;
    Arena arena(512);
    parser::Option as;
    as.name = "as";
    as.value = change.command->column->type;
    parser::OptionList options;
    options.push_back(arena, &as);
    change_sequence(d.object.object, options, false, context.text);
  }
}

void store_column_type(Oid table, const TypeChange& change) {
  const catalog::TypeInfo& info = catalog::type_info(change.type.type);
  update_attribute_row(table, change.column, [&](CatalogRow& row, Arena& arena) {
    row.set(a::atttypid, Datum::of(change.type.type));
    row.set(a::atttypmod, Datum::of(change.type.typmod));
    row.set(a::attcollation, Datum::of(change.collation));
    row.set(a::attlen, Datum::of(info.layout.length));
    row.set(a::attbyval, Datum::of(info.layout.by_value));
    row.set(a::attalign, Datum::of(info.layout.align));
    row.set(a::attstorage, Datum::of(info.storage));
    row.set(a::attcompression, Datum::of('\0'));
    row.set(a::attndims, Datum::of(static_cast<std::int32_t>(change.command->column->type->array_bounds.size())));
    if (!row.get(a::atthasmissing).as_bool()) return;
    if (!change.keeps_bytes) {
      row.set(a::atthasmissing, Datum::of(false));
      row.set_null(a::attmissingval);
      return;
    }
    types::ArrayElements old = types::array_elements(types::ArrayView(row.get(a::attmissingval), arena), info.layout, arena);
    row.set(a::attmissingval, types::make_array(arena, change.type.type, info.layout, {old.values, 1}));
  });
  catalog::ObjectAddress self{catalog_oid::pg_class, table, change.column};
  catalog::remove_dependencies_of(self, catalog_oid::pg_type);
  catalog::remove_dependencies_of(self, catalog_oid::pg_collation);
  catalog::record_dependency(self, {catalog_oid::pg_type, change.type.type, 0}, catalog::DependencyKind::normal);
  if (is_valid(change.collation) && change.collation != kDefaultCollation) {
    catalog::record_dependency(self, {catalog_oid::pg_collation, change.collation, 0}, catalog::DependencyKind::normal);
  }
  remove_statistics(table, change.column);
}

// A generation expression is a part of its column until what it depends on is forgotten.
void free_default(Oid table, AttrNumber column) {
  namespace d = catalog::pg_attrdef;
  Arena arena(1024);
  catalog::CatalogTable defaults(catalog_oid::pg_attrdef, LockMode::access_share);
  auto row = defaults.find({{d::adrelid, Datum::of(table)}, {d::adnum, Datum::of(column)}}, arena);
  if (row) catalog::remove_dependencies_of({catalog_oid::pg_attrdef, row->get(d::oid).as_oid(), 0});
  transaction::advance_command();
}

void store_changes(const AlteredTable& t) {
  for (const TypeChange& change : t.changes) {
    store_column_type(t.oid, change);
    transaction::advance_command();
    if (change.new_default == nullptr) continue;
    char generated = (*t.old_row)[change.column - 1].generated;
    free_default(t.oid, change.column);
    remove_default(t.oid, change.column, false);
    transaction::advance_command();
    store_default(t.oid, change.column, change.new_default, generated);
    transaction::advance_command();
  }
}

void check_changed_once(const AlteredTable& t) {
  for (std::size_t i = 0; i < t.changes.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (t.changes[i].column != t.changes[k].column) continue;
      throw SqlError(sqlstate::feature_not_supported, "cannot alter type of column \"{}\" twice", t.changes[i].command->name);
    }
  }
}

}  // namespace

void change_types(Oid table, std::span<const AlterTableCommand* const> commands, const AlterContext& context) {
  Arena arena;
  std::vector<AlteredTable> tables;
  prepare(table, commands, context, arena, tables);
  ColumnDependents dependents;
  for (AlteredTable& t : tables) {
    catalog::RelationRef r = catalog::open_relation(t.oid, LockMode::none);
    for (TypeChange& change : t.changes) {
      change_identity_sequence(*r, change, context);
      convert_default(*r, change, arena);
      dependents.remember(*r, change.column);
    }
    check_changed_once(t);
  }
  dependents.drop();
  for (const AlteredTable& t : tables) store_changes(t);
  try {
    dependents.create();
  } catch (SqlError& e) {
    // Positions are those in the definitions, of which a client knows nothing: seldom within the statement.
    if (e.byte_offset() >= static_cast<int>(context.text.size())) e.at(-1);
    throw;
  }
  std::set<Oid> rewritten;
  for (const AlteredTable& t : tables) {
    if (t.is_rewritten()) {
      std::vector<ColumnValue> values;
      for (const TypeChange& change : t.changes) values.push_back({change.column, change.value});
      rewrite_rows(t.oid, *t.old_row, t.old_heap, values, t.persistence);
      rewritten.insert(t.oid);
    }
    create_toast_table_if_needed(t.oid);
    transaction::advance_command();   // what is checked below must see the rows
  }
  dependents.complete(rewritten);
}

}  // namespace hathi::ddl
