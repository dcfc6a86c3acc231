// PARTITION BY.

#include <algorithm>

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/nodes/visit.h"
#include "hathi/partition/partition.h"
#include "object_names.h"
#include "partitions.h"
#include "row_values.h"

namespace hathi::ddl {

namespace {

using partition::Strategy;

struct KeyPart {
  AttrNumber column = 0;
  nodes::Expr* expression = nullptr;
  Oid operator_class = kInvalidOid, collation = kInvalidOid;
};

Strategy strategy_of(const parser::PartitionSpec& spec) {
  switch (spec.strategy) {
    case parser::PartitionStrategy::hash: return Strategy::hash;
    case parser::PartitionStrategy::list: return Strategy::list;
    case parser::PartitionStrategy::range: return Strategy::range;
    case parser::PartitionStrategy::unrecognized: break;
  }
  throw SqlError(sqlstate::invalid_parameter_value, "unrecognized partitioning strategy \"{}\"", spec.strategy_name);
}

[[noreturn]] void generated(std::string_view column, int location) {
  throw SqlError(sqlstate::invalid_object_definition, "cannot use generated column in partition key")
      .detail(fmt::format("Column \"{}\" is a generated column.", column))
      .at(location);
}

AttrNumber key_column(const catalog::Relation& r, const parser::PartitionElement& element) {
  for (int i = 0; i < r.descriptor->count(); ++i) {
    const Attribute& a = (*r.descriptor)[i];
    if (a.dropped || a.name != element.column) continue;
    if (a.generated != '\0') generated(a.name, element.location);
    return static_cast<AttrNumber>(i + 1);
  }
  if (is_system_column(element.column)) {
    throw SqlError(sqlstate::invalid_object_definition, "cannot use system column \"{}\" in partition key", element.column).at(element.location);
  }
  throw SqlError(sqlstate::undefined_column, "column \"{}\" named in partition key does not exist", element.column).at(element.location);
}

void check_expression(const catalog::Relation& r, const nodes::Expr* e, int location) {
  std::vector<AttrNumber> columns = used_columns(e);
  for (AttrNumber n : columns) {
    if (n < 0) throw SqlError(sqlstate::invalid_object_definition, "partition key expressions cannot contain system column references");
    if (n > 0 && (*r.descriptor)[n - 1].generated != '\0') generated((*r.descriptor)[n - 1].name, location);
  }
  if (analyzer::volatility_of(e) != 'i') {
    throw SqlError(sqlstate::invalid_object_definition, "functions in partition key expression must be marked IMMUTABLE");
  }
  if (columns.empty()) throw SqlError(sqlstate::invalid_object_definition, "cannot use constant expression as partition key");
}

Oid key_collation(const parser::PartitionElement& element, Oid type, Oid collation) {
  if (!element.collation.empty()) collation = analyzer::resolve_collation(element.collation, element.location);
  bool collatable = is_valid(catalog::type_info(type).collation);
  if (collatable && !is_valid(collation)) {
    throw SqlError(sqlstate::indeterminate_collation, "could not determine which collation to use for partition expression")
        .hint("Use the COLLATE clause to set the collation explicitly.");
  }
  if (!collatable && is_valid(collation)) {
    throw SqlError(sqlstate::datatype_mismatch, "collations are not supported by type {}", catalog::format_type(type));
  }
  return collation;
}

Oid key_class(const parser::PartitionElement& element, Oid type, Strategy strategy) {
  bool hash = strategy == Strategy::hash;
  Oid method = hash ? kHashAccessMethod : kBTreeAccessMethod;
  std::string_view name = hash ? "hash" : "btree";
  if (element.operator_class.empty() && !is_valid(catalog::default_operator_class(type, method))) {
    throw SqlError(sqlstate::undefined_object, "data type {} has no default operator class for access method \"{}\"", catalog::format_type(type), name)
        .hint(fmt::format("You must specify a {} operator class or define a default {} operator class for the data type.", name, name));
  }
  return analyzer::resolve_operator_class(element.operator_class, type, name, method);
}

KeyPart key_part(const catalog::Relation& r, const parser::PartitionElement& element, Strategy strategy, std::string_view text, Arena& arena) {
  KeyPart part;
  Oid type = kInvalidOid, collation = kInvalidOid;
  if (element.expr == nullptr) {
    part.column = key_column(r, element);
  } else {
    analyzer::ExpressionScope scope = analyzer::scope_of(r);
    nodes::Expr* e = nullptr;
    try {
      e = analyzer::analyze_expression(element.expr, text, arena, &scope, analyzer::Clause::partition_expression);
    } catch (SqlError& error) {
      error.at(-1);   // PostgreSQL gives no position here
      throw;
    }
    collation = nodes::collation_of(e);
    while (nodes::is<nodes::Collate>(e)) e = nodes::as<nodes::Collate>(e)->arg;   // (a COLLATE c) is a COLLATE c
    if (nodes::is<nodes::Variable>(e) && nodes::as<nodes::Variable>(e)->column > 0) {
      part.column = nodes::as<nodes::Variable>(e)->column;
      if ((*r.descriptor)[part.column - 1].generated != '\0') generated((*r.descriptor)[part.column - 1].name, element.location);
    } else {
      check_expression(r, e, element.location);
      part.expression = e;
    }
    type = nodes::type_of(e);
  }
  if (part.column != 0) {
    const Attribute& a = (*r.descriptor)[part.column - 1];
    type = a.type;
    if (element.expr == nullptr) collation = a.collation;
  }
  part.collation = key_collation(element, type, collation);
  part.operator_class = key_class(element, type, strategy);
  return part;
}

void insert_key_row(Oid table, Strategy strategy, const std::vector<KeyPart>& parts) {
  namespace p = catalog::pg_partitioned_table;
  Arena arena(1024);
  std::vector<AttrNumber> columns;
  std::vector<Oid> classes, collations;
  List<nodes::Expr*> expressions;
  for (const KeyPart& part : parts) {
    columns.push_back(part.column);
    classes.push_back(part.operator_class);
    collations.push_back(part.collation);
    if (part.expression != nullptr) expressions.push_back(arena, part.expression);
  }
  catalog::CatalogTable catalog(catalog_oid::pg_partitioned_table, locking::LockMode::row_exclusive);
  catalog::CatalogRow row = catalog.new_row();
  row.set(p::partrelid, Datum::of(table));
  row.set(p::partstrat, Datum::of(static_cast<char>(strategy)));
  row.set(p::partnatts, Datum::of(static_cast<std::int16_t>(parts.size())));
  row.set(p::partdefid, Datum::of(kInvalidOid));
  row.set(p::partattrs, int2_vector(arena, columns));
  row.set(p::partclass, oid_vector(arena, classes));
  row.set(p::partcollation, oid_vector(arena, collations));
  if (!expressions.empty()) row.set(p::partexprs, text_value(arena, nodes::to_text(expressions)));
  catalog.insert(row);
}

// Columns of the key cannot go alone: they belong to the table.
void record_key_dependencies(Oid table, const std::vector<KeyPart>& parts) {
  catalog::ObjectAddress self{catalog_oid::pg_class, table, 0};
  auto own = [&](AttrNumber column) {
    if (column > 0) catalog::record_dependency({catalog_oid::pg_class, table, column}, self, catalog::DependencyKind::internal);
  };
  for (const KeyPart& part : parts) {
    catalog::record_dependency(self, {catalog_oid::pg_opclass, part.operator_class, 0}, catalog::DependencyKind::normal);
    if (is_valid(part.collation) && part.collation != kDefaultCollation) {
      catalog::record_dependency(self, {catalog_oid::pg_collation, part.collation, 0}, catalog::DependencyKind::normal);
    }
    own(part.column);
    if (part.expression == nullptr) continue;
    for (AttrNumber column : used_columns(part.expression)) own(column);
    catalog::record_dependencies_on(self, part.expression, kInvalidOid, catalog::DependencyKind::normal);
  }
}

}  // namespace

void check_partition_spec(const parser::PartitionSpec& spec) {
  Strategy strategy = strategy_of(spec);
  if (strategy == Strategy::list && spec.elements.size() > 1) {
    throw SqlError(sqlstate::invalid_object_definition, "cannot use \"list\" partition strategy with more than one column");
  }
}

void store_partition_key(Oid table, const parser::PartitionSpec& spec, std::string_view text) {
  if (spec.elements.size() > partition::kMaxKeyColumns) {
    throw SqlError(sqlstate::too_many_columns, "cannot partition using more than {} columns", partition::kMaxKeyColumns);
  }
  Strategy strategy = strategy_of(spec);
  Arena arena(2048);
  std::vector<KeyPart> parts;
  catalog::RelationRef r = catalog::open_relation(table, locking::LockMode::none);
  for (const parser::PartitionElement* element : spec.elements) parts.push_back(key_part(*r, *element, strategy, text, arena));
  insert_key_row(table, strategy, parts);
  record_key_dependencies(table, parts);
  catalog::note_change(catalog_oid::pg_class, table);
}

}  // namespace hathi::ddl
