#include "table_definition.h"

#include <algorithm>

#include "hathi/catalog/lookup.h"
#include "hathi/parser/parser.h"

namespace hathi::ddl {

namespace {

using parser::ConstraintKind;

// serial, bigserial, smallserial and their numbered spellings are words of this statement, not types.
Oid serial_type(const parser::TypeName& type) {
  if (type.names.size() != 1 || type.set_of || type.percent_type) return kInvalidOid;
  std::string_view name = type.names[0];
  if (name == "smallserial" || name == "serial2") return type_oid::int2;
  if (name == "serial" || name == "serial4") return type_oid::int4;
  if (name == "bigserial" || name == "serial8") return type_oid::int8;
  return kInvalidOid;
}

// What the constraints of a column have said so far.
struct Seen {
  bool null_given = false, not_null = false, has_default = false, has_identity = false, has_generated = false;
};

[[noreturn]] void conflict(std::string text, int location) { throw SqlError(sqlstate::syntax_error, "{}", text).at(location); }

std::string of_column(std::string_view column, std::string_view table) { return fmt::format("for column \"{}\" of table \"{}\"", column, table); }

// at: the column in the definition.
void apply(const parser::Constraint& c, std::size_t at, Seen& seen, TableDefinition& definition, std::string_view table) {
  NewColumn& column = definition.columns[at];
  switch (c.type) {
    case ConstraintKind::null:
      if (seen.not_null) conflict("conflicting NULL/NOT NULL declarations " + of_column(column.name, table), c.location);
      seen.null_given = true;
      return;
    case ConstraintKind::not_null:
      if (seen.null_given) conflict("conflicting NULL/NOT NULL declarations " + of_column(column.name, table), c.location);
      seen.not_null = column.not_null = true;
      return;
    case ConstraintKind::default_value:
      if (seen.has_default) conflict("multiple default values specified " + of_column(column.name, table), c.location);
      seen.has_default = true;
      definition.defaults[at] = &c;
      return;
    case ConstraintKind::identity: {
      if (seen.has_identity) conflict("multiple identity specifications " + of_column(column.name, table), c.location);
      Oid type = column.type;
      if (type != type_oid::int2 && type != type_oid::int4 && type != type_oid::int8) {
        throw SqlError(sqlstate::invalid_parameter_value, "identity column type must be smallint, integer, or bigint");
      }
      seen.has_identity = true;
      column.identity = c.generated_always ? 'a' : 'd';
      column.not_null = seen.not_null = true;
      definition.sequences.push_back({at, column.identity, &c.sequence_options, c.location});
      return;
    }
    case ConstraintKind::generated:
      if (seen.has_generated) conflict("multiple generation clauses specified " + of_column(column.name, table), c.location);
      seen.has_generated = true;
      column.generated = 's';
      definition.defaults[at] = &c;
      return;
    case ConstraintKind::check: definition.constraints.push_back({&c, {column.name}, true}); return;
    case ConstraintKind::primary_key:
    case ConstraintKind::unique:
      if (c.type == ConstraintKind::primary_key) {
        if (seen.null_given) conflict("conflicting NULL/NOT NULL declarations " + of_column(column.name, table), c.location);
        column.not_null = true;
      }
      definition.constraints.push_back({&c, {column.name}, true});
      return;
    case ConstraintKind::foreign_key: definition.constraints.push_back({&c, {column.name}, true}); return;
    case ConstraintKind::exclusion: throw_not_supported("EXCLUDE constraints", c.location);
  }
}

void check_combinations(const Seen& seen, const NewColumn& column, std::string_view table, int location) {
  if (seen.has_default && seen.has_identity) conflict("both default and identity specified " + of_column(column.name, table), location);
  if (seen.has_default && seen.has_generated) conflict("both default and generation expression specified " + of_column(column.name, table), location);
  if (seen.has_identity && seen.has_generated) conflict("both identity and generation expression specified " + of_column(column.name, table), location);
}

}  // namespace

void add_column_definition(TableDefinition& definition, const parser::ColumnDef& def, std::string_view table, std::string_view text, Arena& arena) {
  NewColumn column;
  column.name = def.name;
  Oid serial = def.type != nullptr ? serial_type(*def.type) : kInvalidOid;
  if (is_valid(serial)) {
    if (!def.type->array_bounds.empty()) throw SqlError(sqlstate::feature_not_supported, "array of serial is not implemented").at(def.type->location);
    column.type = serial;
    column.not_null = true;
  } else if (def.type != nullptr) {
    if (def.type->set_of) throw SqlError(sqlstate::invalid_table_definition, "column \"{}\" cannot be declared SETOF", def.name);
    analyzer::ResolvedType type = analyzer::resolve_type(def.type, text, arena);
    column.type = type.type;
    column.typmod = type.typmod;
    column.dimensions = static_cast<int>(def.type->array_bounds.size());
    Oid role = catalog::current_role();
    if ((catalog::object_privileges(catalog_oid::pg_type, column.type, role, nodes::kAclUsage) & nodes::kAclUsage) == 0) {
      catalog::throw_permission_denied("type", catalog::format_type(column.type));
    }
  }
  column.collation = analyzer::resolve_column_collation(def.collation, def.collation_location, column.type);
  if (!def.compression.empty() && def.compression != "default") {
    if (def.compression != "pglz" && def.compression != "lz4") {
      throw SqlError(sqlstate::invalid_parameter_value, "invalid compression method \"{}\"", def.compression);
    }
    if (catalog::type_info(column.type).storage == 'p') {
      throw SqlError(sqlstate::feature_not_supported, "column data type {} does not support compression", catalog::format_type(column.type));
    }
    column.compression = def.compression[0];
  }
  definition.columns.push_back(column);
  definition.defaults.push_back(nullptr);
  if (is_valid(serial)) definition.sequences.push_back({definition.columns.size() - 1, '\0', nullptr, def.location});
  Seen seen;
  seen.has_default = is_valid(serial);
  seen.not_null = is_valid(serial);
  for (const parser::Constraint* c : def.constraints) {
    apply(*c, definition.columns.size() - 1, seen, definition, table);
    check_combinations(seen, definition.columns.back(), table, c->location);
  }
}

void add_column_options(TableDefinition& definition, const parser::ColumnDef& def, std::string_view table) {
  std::size_t at = 0;
  while (at < definition.columns.size() && definition.columns[at].name != def.name) ++at;
  if (at == definition.columns.size()) throw SqlError(sqlstate::undefined_column, "column \"{}\" does not exist", def.name);
  if (std::find(definition.with_options.begin(), definition.with_options.end(), at) != definition.with_options.end()) {
    throw SqlError(sqlstate::duplicate_column, "column \"{}\" specified more than once", def.name);
  }
  definition.with_options.push_back(at);
  NewColumn& column = definition.columns[at];
  Seen seen;
  for (const parser::Constraint* c : def.constraints) {
    if (c->type == ConstraintKind::identity) throw SqlError(sqlstate::feature_not_supported, "identity columns are not supported on partitions");
    if (c->type == ConstraintKind::generated) throw SqlError(sqlstate::feature_not_supported, "generated columns are not supported on partitions");
    apply(*c, at, seen, definition, table);
    check_combinations(seen, column, table, c->location);
  }
  if (!seen.has_default) return;
  std::erase_if(definition.inherited_defaults, [&](const auto& d) { return static_cast<std::size_t>(d.first - 1) == at; });
}

}  // namespace hathi::ddl
