// Indexes, constraints, views and partition keys as the statements that would make them.

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/quote.h"
#include "hathi/types/array.h"
#include "deparser.h"

namespace hathi::analyzer {
namespace {

std::string relation_text(const catalog::Relation& r, bool qualified) {
  bool qualify = qualified || !catalog::relation_is_visible(r.oid);
  return catalog::quote_qualified(qualify ? r.schema_name : std::string_view(), r.name);
}

// Prints without parentheses round it where an index or partition key stands.
bool looks_like_function(const Expr* e) {
  switch (e->kind) {
    case ExprKind::function: return as<FunctionExpr>(e)->form == CallForm::call || as<FunctionExpr>(e)->form == CallForm::sql_syntax;
    case ExprKind::coalesce: case ExprKind::min_max: case ExprKind::nullif_op: case ExprKind::sql_value: return true;
    default: return false;
  }
}

std::string key_expression(const Expr* e, const ExpressionScope& scope, bool pretty) {
  std::string text = deparse_expression(e, &scope, pretty);
  return looks_like_function(e) ? text : "(" + text + ")";
}

std::string operator_class_text(Oid opclass, Oid type) {
  const catalog::OperatorClassInfo* info = catalog::find_operator_class(opclass);
  if (info == nullptr || catalog::default_operator_class(type, info->method) == opclass) return {};
  return " " + catalog::quote_qualified(catalog::operator_class_is_visible(opclass) ? std::string() : catalog::schema_name(info->schema), info->name);
}

std::string collation_text(Oid collation, Oid of_column) {
  if (!is_valid(collation) || collation == of_column) return {};
  return " COLLATE " + Deparser::collation_name(collation);
}

std::string and_text(const List<Expr*>& conditions, const ExpressionScope& scope, bool pretty) {
  if (conditions.size() == 1) return deparse_expression(conditions[0], &scope, pretty);
  BooleanExpr all;
  all.kind = ExprKind::boolean;
  all.op = BooleanExpr::Op::and_op;
  all.args = conditions;
  return deparse_expression(&all, &scope, pretty);
}

std::string_view method_name(Oid method) { return method == kHashAccessMethod ? "hash" : "btree"; }

std::string options_text(std::span<const std::string_view> options) {
  std::string text;
  for (std::string_view option : options) {
    std::size_t equals = option.find('=');
    std::string_view name = option.substr(0, equals), value = equals == std::string_view::npos ? std::string_view() : option.substr(equals + 1);
    if (!text.empty()) text += ", ";
    text += catalog::quote_identifier(name) + "=";
    // Values that read back as they are need no quotes.
    text += catalog::quote_identifier(value) == value ? std::string(value) : catalog::quote_literal(value);
  }
  return text;
}

std::string index_columns(const catalog::IndexDescriptor& index, const catalog::Relation& table, int only, bool pretty) {
  ExpressionScope scope = scope_of(table);
  std::string text;
  std::uint32_t next_expression = 0;
  for (int i = 0; i < static_cast<int>(index.columns.size()); ++i) {
    AttrNumber column = index.columns[static_cast<std::size_t>(i)];
    if (only == 0 && i > 0) text += i == index.key_count ? ") INCLUDE (" : ", ";
    std::string key;
    Oid type, own_collation;
    if (column != 0) {
      const Attribute& a = (*table.descriptor)[column - 1];
      key = catalog::quote_identifier(a.name);
      type = a.type;
      own_collation = a.collation;
    } else {
      const Expr* e = index.expressions[next_expression++];
      key = key_expression(e, scope, pretty);
      type = type_of(e);
      own_collation = collation_of(e);
    }
    if (only != 0) {
      if (only == i + 1) return key;
      continue;
    }
    text += key;
    if (i >= index.key_count) continue;
    auto n = static_cast<std::size_t>(i);
    text += collation_text(index.collations[n], own_collation);
    text += operator_class_text(index.operator_classes[n], type);
    if (index.access_method != kBTreeAccessMethod) continue;
    bool descending = (index.options[n] & 1) != 0, nulls_first = (index.options[n] & 2) != 0;
    if (descending) text += nulls_first ? " DESC" : " DESC NULLS LAST";
    else if (nulls_first) text += " NULLS FIRST";
  }
  return text;
}

}  // namespace

std::string index_definition(Oid oid, int column, bool pretty) {
  catalog::RelationRef relation = catalog::try_open_relation(oid, locking::LockMode::none);
  if (!relation || relation->index == nullptr) return {};
  const catalog::IndexDescriptor& index = *relation->index;
  catalog::RelationRef table = catalog::try_open_relation(index.table, locking::LockMode::none);
  if (!table) return {};
  if (column != 0) return index_columns(index, *table, column, pretty);
  std::string text = std::string("CREATE ") + (index.unique ? "UNIQUE " : "") + "INDEX " + catalog::quote_identifier(relation->name) + " ON " +
                     (relation->kind == catalog::relation_kind::partitioned_index ? "ONLY " : "") + relation_text(*table, !pretty) + " USING " +
                     std::string(method_name(index.access_method)) + " (" + index_columns(index, *table, 0, pretty) + ")";
  if (index.nulls_not_distinct) text += " NULLS NOT DISTINCT";
  if (std::string options = options_text(relation->options); !options.empty()) text += " WITH (" + options + ")";
  if (!index.predicate.empty()) text += " WHERE " + and_text(index.predicate, scope_of(*table), pretty);
  return text;
}

std::string view_definition(Oid oid, const DeparseOptions& options) {
  catalog::RelationRef view = catalog::try_open_relation(oid, locking::LockMode::none);
  if (!view || view->view_query == nullptr) return {};
  Arena arena;
  Query* query = copy(view->view_query, arena);
  // The view's own column names win: they may have been changed since.
  int i = 0;
  for (TargetEntry* t : query->targets)
    if (!t->junk && i < view->descriptor->count()) t->name = (*view->descriptor)[i++].name;
  return deparse_query(query, options) + ";";
}

namespace {

namespace pgc = catalog::pg_constraint;

std::string column_list(Datum array, const catalog::Relation& table, Arena& arena) {
  std::string text;
  types::ArrayElements numbers = types::array_elements(types::ArrayView(array, arena), {2, true, 's'}, arena);
  for (int i = 0; i < numbers.count; ++i) {
    if (i > 0) text += ", ";
    text += catalog::quote_identifier((*table.descriptor)[numbers.values[i].as_int16() - 1].name);
  }
  return text;
}

std::string action_text(char action) {
  switch (action) {
    case 'r': return "RESTRICT";
    case 'c': return "CASCADE";
    case 'n': return "SET NULL";
    case 'd': return "SET DEFAULT";
    default: return {};
  }
}

std::string foreign_key_text(const catalog::CatalogRow& row, const catalog::Relation& table, bool full, Arena& arena) {
  catalog::RelationRef referenced = catalog::open_relation(row.get(pgc::confrelid).as_oid(), locking::LockMode::none);
  std::string text = "FOREIGN KEY (" + column_list(row.get(pgc::conkey), table, arena) + ") REFERENCES " + relation_text(*referenced, full) + "(" +
                     column_list(row.get(pgc::confkey), *referenced, arena) + ")";
  char match = row.get(pgc::confmatchtype).as_char();
  if (match == 'f') text += " MATCH FULL";
  if (match == 'p') text += " MATCH PARTIAL";
  if (std::string action = action_text(row.get(pgc::confupdtype).as_char()); !action.empty()) text += " ON UPDATE " + action;
  if (std::string action = action_text(row.get(pgc::confdeltype).as_char()); !action.empty()) {
    text += " ON DELETE " + action;
    if (!row.is_null(pgc::confdelsetcols)) text += " (" + column_list(row.get(pgc::confdelsetcols), table, arena) + ")";
  }
  return text;
}

std::string key_constraint_text(const catalog::CatalogRow& row, const catalog::Relation& table, bool full, Arena& arena) {
  std::string text = row.get(pgc::contype).as_char() == 'p' ? "PRIMARY KEY " : "UNIQUE ";
  catalog::RelationRef index = catalog::try_open_relation(row.get(pgc::conindid).as_oid(), locking::LockMode::none);
  if (index && index->index != nullptr && index->index->nulls_not_distinct) text += "NULLS NOT DISTINCT ";
  text += "(" + column_list(row.get(pgc::conkey), table, arena) + ")";
  if (index && index->index != nullptr && static_cast<int>(index->index->columns.size()) > index->index->key_count) {
    text += " INCLUDE (";
    for (std::size_t i = static_cast<std::size_t>(index->index->key_count); i < index->index->columns.size(); ++i) {
      if (i > static_cast<std::size_t>(index->index->key_count)) text += ", ";
      text += catalog::quote_identifier((*table.descriptor)[index->index->columns[i] - 1].name);
    }
    text += ")";
  }
  if (full && index) {
    if (std::string options = options_text(index->options); !options.empty()) text += " WITH (" + options + ")";
  }
  return text;
}

}  // namespace

std::string constraint_definition(Oid oid, bool pretty, bool full) {
  Arena arena;
  catalog::CatalogTable table(catalog_oid::pg_constraint, locking::LockMode::access_share);
  std::optional<catalog::CatalogRow> row = table.find({{pgc::oid, Datum::of(oid)}}, arena);
  if (!row) return {};
  Oid relation_oid = row->get(pgc::conrelid).as_oid();
  catalog::RelationRef relation;
  if (is_valid(relation_oid)) relation = catalog::open_relation(relation_oid, locking::LockMode::none);
  std::string text;
  if (full) {
    text = is_valid(relation_oid) ? "ALTER TABLE " + relation_text(*relation, true)
                                  : "ALTER DOMAIN " + catalog::format_type_qualified(row->get(pgc::contypid).as_oid());
    text += " ADD CONSTRAINT " + catalog::quote_identifier(name_text(row->get(pgc::conname))) + " ";
  }
  switch (row->get(pgc::contype).as_char()) {
    case 'f': text += foreign_key_text(*row, *relation, full, arena); break;
    case 'p':
    case 'u': text += key_constraint_text(*row, *relation, full, arena); break;
    case 'c': {
      const Expr* e = expr_from_text(varlena::text(row->get(pgc::conbin), arena), arena);
      ExpressionScope scope;
      if (relation) scope = scope_of(*relation);
      text += "CHECK (" + deparse_expression(e, &scope, pretty) + ")";
      if (row->get(pgc::connoinherit).as_bool()) text += " NO INHERIT";
      break;
    }
    case 't': text += "TRIGGER"; break;
    default: throw_not_supported("this kind of constraint");
  }
  if (row->get(pgc::condeferrable).as_bool()) text += " DEFERRABLE";
  if (row->get(pgc::condeferred).as_bool()) text += " INITIALLY DEFERRED";
  if (!row->get(pgc::convalidated).as_bool()) text += " NOT VALID";
  return text;
}

std::string partition_key_definition(Oid oid, bool pretty, bool columns_only) {
  namespace pgp = catalog::pg_partitioned_table;
  Arena arena;
  catalog::CatalogTable table(catalog_oid::pg_partitioned_table, locking::LockMode::access_share);
  std::optional<catalog::CatalogRow> row = table.find({{pgp::partrelid, Datum::of(oid)}}, arena);
  if (!row) return {};
  catalog::RelationRef relation = catalog::open_relation(oid, locking::LockMode::none);
  ExpressionScope scope = scope_of(*relation);
  types::ArrayElements columns = types::array_elements(types::ArrayView(row->get(pgp::partattrs), arena), {2, true, 's'}, arena);
  types::ArrayElements classes = types::array_elements(types::ArrayView(row->get(pgp::partclass), arena), {4, true, 'i'}, arena);
  types::ArrayElements collations = types::array_elements(types::ArrayView(row->get(pgp::partcollation), arena), {4, true, 'i'}, arena);
  List<Expr*> expressions;
  if (!row->is_null(pgp::partexprs)) expressions = list_from_text(varlena::text(row->get(pgp::partexprs), arena), arena);
  std::string text;
  if (!columns_only) {
    char strategy = row->get(pgp::partstrat).as_char();
    text = strategy == 'h' ? "HASH (" : strategy == 'l' ? "LIST (" : "RANGE (";
  }
  std::uint32_t next = 0;
  for (int i = 0; i < columns.count; ++i) {
    if (i > 0) text += ", ";
    AttrNumber n = columns.values[i].as_int16();
    Oid type, own_collation;
    if (n != 0) {
      const Attribute& a = (*relation->descriptor)[n - 1];
      text += catalog::quote_identifier(a.name);
      type = a.type;
      own_collation = a.collation;
    } else {
      const Expr* e = expressions[next++];
      text += key_expression(e, scope, pretty);
      type = type_of(e);
      own_collation = collation_of(e);
    }
    if (columns_only) continue;
    text += collation_text(collations.values[i].as_oid(), own_collation);
    text += operator_class_text(classes.values[i].as_oid(), type);
  }
  return columns_only ? text : text + ")";
}

}  // namespace hathi::analyzer
