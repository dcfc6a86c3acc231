// Types as written: names to OIDs, modifiers through the type's own function.

#include <charconv>

#include "hathi/datum/function.h"
#include "hathi/error/report.h"
#include "state.h"

namespace hathi::analyzer {
namespace {

// An array value of type cstring[] with one dimension.
Datum cstring_array(const std::vector<std::string>& items, Arena& arena) {
  std::size_t size = 4 + 4 + 4 + 4 + 4 + 4;
  for (const std::string& s : items) size += s.size() + 1;
  std::byte* p = varlena::allocate(arena, size - 4);
  std::int32_t head[5] = {1, 0, static_cast<std::int32_t>(raw(type_oid::cstring)), static_cast<std::int32_t>(items.size()), 1};
  std::memcpy(p + 4, head, sizeof head);
  std::byte* at = p + 24;
  for (const std::string& s : items) {
    std::memcpy(at, s.c_str(), s.size() + 1);
    at += s.size() + 1;
  }
  return Datum::of(p);
}

// A time's or interval's precision beyond what there is: said here, where the place in the statement is known.
void warn_of_precision(Root& root, const ast::TypeName* name, Oid type, const std::vector<std::string>& words) {
  constexpr int kMost = 6;
  std::string_view word, suffix;
  std::size_t at = 0;
  if (type == type_oid::time) word = "TIME";
  else if (type == type_oid::timetz) { word = "TIME"; suffix = " WITH TIME ZONE"; }
  else if (type == type_oid::timestamp) word = "TIMESTAMP";
  else if (type == type_oid::timestamptz) { word = "TIMESTAMP"; suffix = " WITH TIME ZONE"; }
  else if (type == type_oid::interval) { word = "INTERVAL"; at = 1; }
  int precision = 0;
  if (word.empty() || words.size() != at + 1) return;
  const std::string& digits = words[at];
  if (std::from_chars(digits.data(), digits.data() + digits.size(), precision).ec != std::errc() || precision <= kMost) return;
  ErrorReport r;
  r.severity = Severity::warning;
  r.code = sqlstate::invalid_parameter_value;
  r.message = fmt::format("{}({}){} precision reduced to maximum allowed, {}", word, precision, suffix, kMost);
  for (std::size_t i = 0; i < root.text.size() && static_cast<int>(i) <= name->location; ++i) r.position += (root.text[i] & 0xC0) != 0x80;
  report(std::move(r));
}

// Values of the type can be read at all: pg_type has types that the server cannot handle yet.
void require_support(const TypeInfo& info) {
  if (info.kind != 'p' && is_valid(info.input) && find_builtin_function(info.input) == nullptr)
    throw_not_supported(fmt::format("type {}", catalog::format_type(info.oid)));
  if (is_valid(info.element)) require_support(catalog::type_info(info.element));
}

std::int32_t typmod_of_name(Root& root, const ast::TypeName* name, const TypeInfo& info) {
  if (name->typmods.empty()) return -1;
  if (!is_valid(info.typmod_in))
    throw SqlError(sqlstate::syntax_error, "type modifier is not allowed for type \"{}\"", type_name_text(name)).at(name->location);
  std::vector<std::string> words;
  for (const ast::Node* node : name->typmods) {
    if (const auto* constant = ast::node_try<ast::Constant>(node)) {
      if (constant->type == ast::ConstantKind::integer) { words.push_back(std::to_string(constant->integer)); continue; }
      if (constant->type == ast::ConstantKind::number || constant->type == ast::ConstantKind::string) { words.emplace_back(constant->text); continue; }
    } else if (const auto* column = ast::node_try<ast::ColumnRef>(node)) {
      if (column->names.size() == 1 && !column->star) { words.emplace_back(column->names[0]); continue; }
    }
    throw SqlError(sqlstate::syntax_error, "type modifiers must be simple constants or identifiers").at(name->location);
  }
  warn_of_precision(root, name, info.oid, words);
  try {
    return call_function(info.typmod_in, root.arena, {cstring_array(words, root.arena)}).as_int32();
  } catch (SqlError& error) {
    rethrow_at(error, name->location);
  }
}

// names%TYPE: the type of a column.
ResolvedType column_type(Root& root, const ast::TypeName* name, bool missing_ok) {
  ast::RangeVar relation;
  relation.location = name->location;
  const ast::QualifiedName& n = name->names;
  switch (n.size()) {
    case 1:
      throw SqlError(sqlstate::syntax_error, "improper %TYPE reference (too few dotted names): {}", name_text(n)).at(name->location);
    case 2: relation.name = n[0]; break;
    case 3: relation.schema = n[0]; relation.name = n[1]; break;
    case 4: relation.catalog = n[0]; relation.schema = n[1]; relation.name = n[2]; break;
    default: throw SqlError(sqlstate::syntax_error, "improper %TYPE reference (too many dotted names): {}", name_text(n)).at(name->location);
  }
  catalog::RelationRef opened = open_by_name(&relation, locking::LockMode::access_share, missing_ok);
  if (!opened) return {};
  for (const Attribute& column : opened->descriptor->attributes) {
    if (column.dropped || column.name != n.back()) continue;
    report_notice(sqlstate::successful_completion, "type reference {} converted to {}", type_name_text(name), catalog::format_type(column.type));
    root.relations.push_back(std::move(opened));
    return {column.type, column.typmod};
  }
  if (missing_ok) return {};
  throw SqlError(sqlstate::undefined_column, "column \"{}\" of relation \"{}\" does not exist", n.back(), relation.name).at(name->location);
}

const TypeInfo* lookup(const ast::TypeName* name, bool missing_ok) {
  if (name->names.size() == 1) return catalog::find_type_in_path(name->names[0]);
  std::string_view schema, type;
  try {
    split_name(name->names, schema, type);
    if (schema == "pg_catalog") return catalog::find_type_by_name(type, kPgCatalogNamespace);
    Oid where = lookup_schema(schema, missing_ok);
    return is_valid(where) ? catalog::find_type_by_name(type, where) : nullptr;
  } catch (SqlError& error) {
    rethrow_at(error, name->location);
  }
}

}  // namespace

std::string type_name_text(const ast::TypeName* name) {
  std::string text = name_text(name->names);
  if (name->percent_type) text += "%TYPE";
  if (!name->array_bounds.empty()) text += "[]";
  return text;
}

ResolvedType resolve_type_name(Root& root, const ast::TypeName* name, bool missing_ok, bool allow_shell) {
  ResolvedType result;
  const TypeInfo* info = nullptr;
  if (name->percent_type) {
    result = column_type(root, name, missing_ok);
    if (is_valid(result.type)) info = catalog::find_type(result.type);
  } else {
    info = lookup(name, missing_ok);
  }
  if (info != nullptr && !name->array_bounds.empty()) info = is_valid(info->array) ? catalog::find_type(info->array) : nullptr;
  if (info == nullptr) {
    if (missing_ok) return {};
    throw SqlError(sqlstate::undefined_object, "type \"{}\" does not exist", type_name_text(name)).at(name->location);
  }
  if (!info->is_defined && !allow_shell) {
    if (missing_ok) return {};
    throw SqlError(sqlstate::undefined_object, "type \"{}\" is only a shell", type_name_text(name)).at(name->location);
  }
  try {
    require_support(*info);
  } catch (SqlError& error) {
    rethrow_at(error, name->location);
  }
  if (!name->percent_type) result.typmod = typmod_of_name(root, name, *info);
  result.type = info->oid;
  return result;
}

ResolvedType resolve_type(const ast::TypeName* name, std::string_view text, Arena& arena, bool allow_shell) {
  Root root{arena, text};
  return resolve_type_name(root, name, false, allow_shell);
}
ResolvedType find_type(const ast::TypeName* name, std::string_view text, Arena& arena) {
  Root root{arena, text};
  return resolve_type_name(root, name, true);
}

std::string name_text(const ast::QualifiedName& name) {
  std::string text;
  for (std::string_view part : name) {
    if (!text.empty()) text += '.';
    text += part;
  }
  return text;
}

void split_name(const ast::QualifiedName& name, std::string_view& schema, std::string_view& object) {
  schema = {};
  switch (name.size()) {
    case 1: object = name[0]; return;
    case 2: schema = name[0]; object = name[1]; return;
    case 3:
      if (name[0] != catalog::current_database_name())
        throw SqlError(sqlstate::feature_not_supported, "cross-database references are not implemented: {}", name_text(name));
      schema = name[1];
      object = name[2];
      return;
    default: throw SqlError(sqlstate::syntax_error, "improper qualified name (too many dotted names): {}", name_text(name));
  }
}

Oid lookup_schema(std::string_view name, bool missing_ok) {
  Oid schema = catalog::find_schema(name);
  if (!is_valid(schema)) {
    if (missing_ok) return kInvalidOid;
    throw SqlError(sqlstate::undefined_schema, "schema \"{}\" does not exist", name);
  }
  if (schema != kPgCatalogNamespace &&
      catalog::object_privileges(catalog_oid::pg_namespace, schema, catalog::current_role(), kAclUsage) == 0)
    catalog::throw_permission_denied("schema", name);
  return schema;
}

Oid resolve_collation(const ast::QualifiedName& name, int location) {
  std::string_view schema, object;
  try {
    split_name(name, schema, object);
    if (!schema.empty()) {
      if (const catalog::CollationInfo* info = catalog::find_collation_by_name(object, lookup_schema(schema))) return info->oid;
    } else if (const catalog::CollationInfo* info = catalog::find_collation_by_name(object, kInvalidOid)) {
      return info->oid;
    }
  } catch (SqlError& error) {
    rethrow_at(error, location);
  }
  throw SqlError(sqlstate::undefined_object, "collation \"{}\" for encoding \"UTF8\" does not exist", name_text(name)).at(location);
}

Oid resolve_column_collation(const ast::QualifiedName& collation, int location, Oid type) {
  Oid own = type_collation(type);
  Oid result = collation.empty() ? own : resolve_collation(collation, location);
  if (is_valid(result) && !is_valid(own))
    throw SqlError(sqlstate::datatype_mismatch, "collations are not supported by type {}", catalog::format_type(type)).at(location);
  return result;
}

}  // namespace hathi::analyzer
