// ALTER TABLE … ALTER COLUMN: statistics, storage, compression, options, identity, generation. Rows stay as they are.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/parser/ast_expression.h"
#include "hathi/parser/parser.h"
#include "hathi/transaction/transaction.h"
#include "hathi/types/array.h"
#include "alter_steps.h"
#include "object_names.h"
#include "relation_store.h"
#include "row_values.h"
#include "statements.h"
#include "table_definition.h"

namespace hathi::ddl {

namespace {

namespace a = catalog::pg_attribute;
namespace kind = catalog::relation_kind;
using catalog::CatalogRow;
using locking::LockMode;
using parser::AlterTableAction;
using parser::AlterTableCommand;

constexpr int kHighestTarget = 10000;

[[noreturn]] void no_such_column(std::string_view name, const catalog::Relation& r) {
  throw SqlError(sqlstate::undefined_column, "column \"{}\" of relation \"{}\" does not exist", name, r.name);
}

// The column of that name; system columns are refused.
AttrNumber ordinary_column(const catalog::Relation& r, std::string_view name) {
  if (AttrNumber column = find_column(r, name)) return column;
  if (r.kind != kind::view && is_system_column(name)) throw SqlError(sqlstate::feature_not_supported, "cannot alter system column \"{}\"", name);
  no_such_column(name, r);
}

const Attribute& attribute(const catalog::Relation& r, AttrNumber column) { return (*r.descriptor)[column - 1]; }

AttrNumber statistics_column(const catalog::Relation& r, const AlterTableCommand& c) {
  bool is_index = r.kind == kind::index || r.kind == kind::partitioned_index;
  if (c.name.empty() && !is_index) throw SqlError(sqlstate::feature_not_supported, "cannot refer to non-index column by number");
  AttrNumber number = c.name.empty() ? static_cast<AttrNumber>(c.number) : ordinary_column(r, c.name);
  if (number > r.descriptor->count()) {
    throw SqlError(sqlstate::undefined_column, "column number {} of relation \"{}\" does not exist", number, r.name);
  }
  if (is_index && r.index != nullptr) {
    if (number > r.index->key_count) {
      throw SqlError(sqlstate::feature_not_supported, "cannot alter statistics on included column \"{}\" of index \"{}\"", attribute(r, number).name, r.name);
    }
    if (r.index->columns[static_cast<std::size_t>(number - 1)] != 0) {
      throw SqlError(sqlstate::feature_not_supported, "cannot alter statistics on non-expression column \"{}\" of index \"{}\"",
                     attribute(r, number).name, r.name)
          .hint("Alter statistics on table column instead.");
    }
  }
  return number;
}

void set_statistics(const catalog::Relation& r, const AlterTableCommand& c) {
  std::int32_t target = parser::node_cast<parser::Constant>(c.expr)->integer;
  if (target < -1) throw SqlError(sqlstate::invalid_parameter_value, "statistics target {} is too low", target);
  if (target > kHighestTarget) {
    target = kHighestTarget;
    report_warning(sqlstate::invalid_parameter_value, "lowering statistics target to {}", target);
  }
  update_attribute_row(r.oid, statistics_column(r, c), [&](CatalogRow& row, Arena&) { row.set(a::attstattarget, Datum::of(target)); });
}

char storage_letter(std::string_view name) {
  std::string lower(name);
  for (char& ch : lower) ch = ch >= 'A' && ch <= 'Z' ? static_cast<char>(ch + 32) : ch;
  if (lower == "plain") return 'p';
  if (lower == "external") return 'e';
  if (lower == "extended") return 'x';
  if (lower == "main") return 'm';
  throw SqlError(sqlstate::invalid_parameter_value, "invalid storage type \"{}\"", name);
}

// The same for the columns of indexes that hold the column itself.
void store_in_indexes(const catalog::Relation& r, AttrNumber column, AttrNumber field, Datum value) {
  for (const catalog::IndexDescriptor* index : r.indexes) {
    for (std::size_t i = 0; i < index->columns.size(); ++i) {
      if (index->columns[i] != column) continue;
      update_attribute_row(index->oid, static_cast<AttrNumber>(i + 1), [&](CatalogRow& row, Arena&) { row.set(field, value); });
    }
  }
}

void set_storage(const catalog::Relation& r, const AlterTableCommand& c) {
  char storage = storage_letter(c.text);
  AttrNumber number = ordinary_column(r, c.name);
  const catalog::TypeInfo& type = catalog::type_info(attribute(r, number).type);
  if (storage != 'p' && (type.layout.length != -1 || type.storage == 'p')) {
    throw SqlError(sqlstate::feature_not_supported, "column data type {} can only have storage PLAIN", catalog::format_type(type.oid));
  }
  update_attribute_row(r.oid, number, [&](CatalogRow& row, Arena&) { row.set(a::attstorage, Datum::of(storage)); });
  store_in_indexes(r, number, a::attstorage, Datum::of(storage));
}

void set_compression(const catalog::Relation& r, const AlterTableCommand& c) {
  AttrNumber number = ordinary_column(r, c.name);
  char method = '\0';
  if (c.text == "pglz") method = 'p';
  else if (c.text == "lz4") method = 'l';
  const catalog::TypeInfo& type = catalog::type_info(attribute(r, number).type);
  if (c.text != "default" && type.storage == 'p') {
    throw SqlError(sqlstate::feature_not_supported, "column data type {} does not support compression", catalog::format_type(type.oid));
  }
  if (c.text != "default" && method == '\0') throw SqlError(sqlstate::invalid_parameter_value, "invalid compression method \"{}\"", c.text);
  update_attribute_row(r.oid, number, [&](CatalogRow& row, Arena&) { row.set(a::attcompression, Datum::of(method)); });
  store_in_indexes(r, number, a::attcompression, Datum::of(method));
}

// n_distinct and n_distinct_inherited, checked: "name=value".
std::string column_option(const parser::Option& o) {
  if (o.name != "n_distinct" && o.name != "n_distinct_inherited") throw SqlError(sqlstate::invalid_parameter_value, "unrecognized parameter \"{}\"", o.name);
  std::string value = o.value == nullptr ? "true" : parser::option_text(o);
  double number = 0;
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size()) {
    throw SqlError(sqlstate::invalid_parameter_value, "invalid value for floating point option \"{}\": {}", o.name, value);
  }
  if (number < -1 || std::isnan(number)) {
    throw SqlError(sqlstate::invalid_parameter_value, "value {} out of bounds for option \"{}\"", value, o.name)
        .detail(fmt::format("Valid values are between \"{:.6f}\" and \"{:.6f}\".", -1.0, std::numeric_limits<double>::max()));
  }
  return fmt::format("{}={}", o.name, value);
}

void change_column_options(const catalog::Relation& r, const AlterTableCommand& c, bool reset) {
  AttrNumber number = ordinary_column(r, c.name);
  update_attribute_row(r.oid, number, [&](CatalogRow& row, Arena& arena) {
    std::vector<std::string> items;
    if (!row.is_null(a::attoptions)) {
      types::ArrayElements old = types::array_elements(types::ArrayView(row.get(a::attoptions), arena), {-1, false, 'i'}, arena);
      for (int i = 0; i < old.count; ++i) items.emplace_back(varlena::text(old.values[i], arena));
    }
    for (const parser::Option* o : c.options) {
      std::erase_if(items, [&](const std::string& item) { return std::string_view(item).substr(0, item.find('=')) == o->name; });
      if (!reset) items.push_back(column_option(*o));
    }
    std::vector<std::string_view> views(items.begin(), items.end());
    if (items.empty()) row.set_null(a::attoptions);
    else row.set(a::attoptions, text_array(arena, views));
  });
}

// The sequence behind an identity column; 0 = none.
Oid identity_sequence(Oid table, AttrNumber column) {
  for (const catalog::Dependency& d : catalog::dependents_of({catalog_oid::pg_class, table, column})) {
    if (d.kind == catalog::DependencyKind::internal && d.object.class_id == catalog_oid::pg_class) return d.object.object;
  }
  return kInvalidOid;
}

[[noreturn]] void wrong_state(const catalog::Relation& r, std::string_view column, std::string_view words) {
  throw SqlError(sqlstate::object_not_in_prerequisite_state, "column \"{}\" of relation \"{}\" {}", column, r.name, words);
}

void add_identity(const catalog::Relation& r, const AlterTableCommand& c) {
  AttrNumber number = ordinary_column(r, c.name);
  const Attribute& column = attribute(r, number);
  if (column.type != type_oid::int2 && column.type != type_oid::int4 && column.type != type_oid::int8) {
    throw SqlError(sqlstate::invalid_parameter_value, "identity column type must be smallint, integer, or bigint");
  }
  if (!column.not_null) wrong_state(r, c.name, "must be declared NOT NULL before identity can be added");
  if (column.identity != '\0') wrong_state(r, c.name, "is already an identity column");
  if (static_cast<std::size_t>(number) <= r.defaults.size() && r.defaults[static_cast<std::size_t>(number - 1)] != nullptr) {
    wrong_state(r, c.name, "already has a default value");
  }
  char identity = c.constraint->generated_always ? 'a' : 'd';
  PendingSequence pending{0, identity, &c.constraint->sequence_options, c.location};
  Oid sequence = create_owned_sequence(r.name, r.schema, r.persistence, r.owner, c.name, column.type, pending);
  own_sequence(sequence, r.oid, number, true);
  update_attribute_row(r.oid, number, [&](CatalogRow& row, Arena&) { row.set(a::attidentity, Datum::of(identity)); });
}

void set_identity(const catalog::Relation& r, const AlterTableCommand& c, std::string_view text) {
  AttrNumber number = ordinary_column(r, c.name);
  const parser::Option* generated = nullptr;
  parser::OptionList sequence_options;
  Arena arena(512);
  for (parser::Option* o : c.options) {
    if (o->name == "generated" && generated != nullptr) throw SqlError(sqlstate::syntax_error, "conflicting or redundant options");
    if (o->name == "generated") generated = o;
    else sequence_options.push_back(arena, o);
  }
  if (attribute(r, number).identity == '\0') wrong_state(r, c.name, "is not an identity column");
  if (generated != nullptr) {
    char identity = parser::option_text(*generated)[0];
    update_attribute_row(r.oid, number, [&](CatalogRow& row, Arena&) { row.set(a::attidentity, Datum::of(identity)); });
  }
  if (!sequence_options.empty()) change_sequence(identity_sequence(r.oid, number), sequence_options, true, text);
}

void drop_identity(const catalog::Relation& r, const AlterTableCommand& c) {
  AttrNumber number = ordinary_column(r, c.name);
  if (attribute(r, number).identity == '\0') {
    if (!c.missing_ok) wrong_state(r, c.name, "is not an identity column");
    report_notice(sqlstate::successful_completion, "column \"{}\" of relation \"{}\" is not an identity column, skipping", c.name, r.name);
    return;
  }
  Oid sequence = identity_sequence(r.oid, number);
  update_attribute_row(r.oid, number, [&](CatalogRow& row, Arena&) { row.set(a::attidentity, Datum::of('\0')); });
  if (!is_valid(sequence)) return;
  remove_owner_dependency(sequence);
  transaction::advance_command();
  catalog::ObjectAddress address{catalog_oid::pg_class, sequence, 0};
  catalog::perform_deletion({&address, 1}, false, true);
}

// Values stay as they are; from now on it is an ordinary column.
void drop_expression(const catalog::Relation& r, const AlterTableCommand& c) {
  AttrNumber number = ordinary_column(r, c.name);
  if (attribute(r, number).generated == '\0') {
    if (!c.missing_ok) wrong_state(r, c.name, "is not a stored generated column");
    report_notice(sqlstate::successful_completion, "column \"{}\" of relation \"{}\" is not a stored generated column, skipping", c.name, r.name);
    return;
  }
  {
    namespace d = catalog::pg_attrdef;
    Arena arena(1024);
    catalog::CatalogTable defaults(catalog_oid::pg_attrdef, LockMode::access_share);
    auto row = defaults.find({{d::adrelid, Datum::of(r.oid)}, {d::adnum, Datum::of(number)}}, arena);
    // The expression is a part of the column until this is forgotten.
    if (row) catalog::remove_dependencies_of({catalog_oid::pg_attrdef, row->get(d::oid).as_oid(), 0});
  }
  transaction::advance_command();
  remove_default(r.oid, number, false);
  transaction::advance_command();
  update_attribute_row(r.oid, number, [&](CatalogRow& row, Arena&) {
    row.set(a::attgenerated, Datum::of('\0'));
    row.set(a::atthasdef, Datum::of(false));
  });
}

}  // namespace

bool run_column_step(Oid relation, const AlterTableCommand& c, std::string_view text) {
  catalog::RelationRef r = catalog::open_relation(relation, LockMode::none);
  switch (c.action) {
    case AlterTableAction::set_statistics: set_statistics(*r, c); return true;
    case AlterTableAction::set_storage: set_storage(*r, c); return true;
    case AlterTableAction::set_compression: set_compression(*r, c); return true;
    case AlterTableAction::set_column_options: change_column_options(*r, c, false); return true;
    case AlterTableAction::reset_column_options: change_column_options(*r, c, true); return true;
    case AlterTableAction::add_identity: add_identity(*r, c); return true;
    case AlterTableAction::set_identity: set_identity(*r, c, text); return true;
    case AlterTableAction::drop_identity: drop_identity(*r, c); return true;
    case AlterTableAction::drop_expression: drop_expression(*r, c); return true;
    default: return false;
  }
}

}  // namespace hathi::ddl
