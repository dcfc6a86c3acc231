// Relations, functions, operator classes by name, as DDL statements name them.

#include "state.h"

namespace hathi::analyzer {
namespace {

void check_database(const ast::RangeVar* name) {
  if (name->catalog.empty() || name->catalog == catalog::current_database_name()) return;
  std::string text = name->schema.empty() ? fmt::format("{}.{}", name->catalog, name->name) : fmt::format("{}.{}.{}", name->catalog, name->schema, name->name);
  throw SqlError(sqlstate::feature_not_supported, "cross-database references are not implemented: \"{}\"", text);
}

[[noreturn]] void throw_no_relation(const ast::RangeVar* name) {
  if (name->schema.empty()) throw SqlError(sqlstate::undefined_table, "relation \"{}\" does not exist", name->name);
  throw SqlError(sqlstate::undefined_table, "relation \"{}.{}\" does not exist", name->schema, name->name);
}

// The schema to look in: 0 = search path; nothing when there is none such.
bool schema_of(const ast::RangeVar* name, bool missing_ok, Oid& schema) {
  check_database(name);
  schema = kInvalidOid;
  if (name->schema.empty()) {
    if (name->persistence != ast::Persistence::temporary) return true;
    schema = catalog::temporary_schema_if_any();
    return is_valid(schema);
  }
  if (name->schema == "pg_temp") {
    schema = catalog::temporary_schema_if_any();
    return is_valid(schema);
  }
  schema = lookup_schema(name->schema, missing_ok);
  return is_valid(schema);
}

}  // namespace

Oid find_by_name(const ast::RangeVar* name, bool missing_ok) {
  Oid schema;
  Oid relation = schema_of(name, missing_ok, schema) ? catalog::find_relation(name->name, schema) : kInvalidOid;
  if (!is_valid(relation) && !missing_ok) throw_no_relation(name);
  return relation;
}

catalog::RelationRef open_by_name(const ast::RangeVar* name, locking::LockMode mode, bool missing_ok) {
  Oid schema;
  Oid relation = schema_of(name, missing_ok, schema) ? catalog::find_and_lock_relation(name->name, schema, mode) : kInvalidOid;
  if (is_valid(relation)) return catalog::open_relation(relation, locking::LockMode::none);
  if (!missing_ok) throw_no_relation(name);
  return {};
}

Oid resolve_operator_class(const ast::QualifiedName& name, Oid type, std::string_view method_name, Oid method) {
  if (name.empty()) {
    Oid found = catalog::default_operator_class(type, method);
    if (is_valid(found)) return found;
    throw SqlError(sqlstate::undefined_object, "data type {} has no default operator class for access method \"{}\"", catalog::format_type(type), method_name)
        .hint("You must specify an operator class for the index or define a default operator class for the data type.");
  }
  std::string_view schema_name, object;
  split_name(name, schema_name, object);
  Oid schema = schema_name.empty() ? kInvalidOid : lookup_schema(schema_name);
  const catalog::OperatorClassInfo* info = catalog::find_operator_class(object, method, schema);
  if (info == nullptr)
    throw SqlError(sqlstate::undefined_object, "operator class \"{}\" does not exist for access method \"{}\"", name_text(name), method_name);
  if (is_valid(type) && !is_binary_coercible(type, info->input))
    throw SqlError(sqlstate::datatype_mismatch, "operator class \"{}\" does not accept data type {}", name_text(name), catalog::format_type(type));
  return info->oid;
}

namespace {

std::string_view kind_word(char kind) { return kind == 'p' ? "procedure" : kind == 'a' ? "aggregate" : "function"; }

bool kind_fits(char wanted, const FunctionInfo& f) {
  switch (wanted) {
    case 'a': return f.kind == 'a';
    case 'p': return f.kind == 'p';
    case 'f': return f.kind != 'p';
    default: return true;
  }
}

const FunctionInfo* only_function_of_name(const ast::QualifiedName& name, const std::vector<const FunctionInfo*>& found, char kind, bool missing_ok) {
  const FunctionInfo* only = nullptr;
  for (const FunctionInfo* f : found) {
    if (!kind_fits(kind == 'f' ? 'f' : kind, *f)) continue;
    if (only != nullptr) {
      std::string_view word = kind == 'r' ? "routine" : kind_word(kind);
      throw SqlError(sqlstate::ambiguous_function, "{} name \"{}\" is not unique", word, name_text(name))
          .hint(fmt::format("Specify the argument list to select the {} unambiguously.", word));
    }
    only = f;
  }
  if (only == nullptr && !missing_ok) {
    std::string_view word = kind == 'a' ? "an aggregate" : kind == 'p' ? "a procedure" : kind == 'r' ? "a routine" : "a function";
    throw SqlError(sqlstate::undefined_function, "could not find {} named \"{}\"", kind == 'r' ? "a function" : word, name_text(name));
  }
  return only;
}

void check_kind_of(const FunctionInfo& f, char kind, const std::string& signature, const ast::ObjectRef* object) {
  switch (kind) {
    case 'f':
      if (f.kind == 'p') throw SqlError(sqlstate::wrong_object_type, "{} is not a function", signature);
      break;
    case 'p':
      if (f.kind != 'p') throw SqlError(sqlstate::wrong_object_type, "{} is not a procedure", signature);
      break;
    case 'a':
      if (f.kind != 'a')
        throw SqlError(sqlstate::wrong_object_type, "function {} is not an aggregate", object->star ? name_text(object->name) + "(*)" : signature);
      break;
    default: break;
  }
}

}  // namespace

Oid find_function_by_signature(const ast::ObjectRef* object, char kind, std::string_view text, Arena& arena, bool missing_ok) {
  Root root{arena, text};
  std::string_view schema_name, name;
  split_name(object->name, schema_name, name);
  Oid schema = schema_name.empty() ? kInvalidOid : lookup_schema(schema_name, missing_ok);
  std::vector<const FunctionInfo*> found;
  if (schema_name.empty() || is_valid(schema)) catalog::find_functions(name, schema, found);
  if (!object->has_args) {
    const FunctionInfo* only = only_function_of_name(object->name, found, kind, missing_ok);
    return only == nullptr ? kInvalidOid : only->oid;
  }
  std::vector<Oid> types, all_types;
  for (const ast::FunctionParameter* parameter : object->parameters) {
    ResolvedType type = resolve_type_name(root, parameter->type, missing_ok);
    if (!is_valid(type.type)) return kInvalidOid;
    all_types.push_back(type.type);
    if (parameter->mode != ast::ParameterMode::out && parameter->mode != ast::ParameterMode::table) types.push_back(type.type);
  }
  const FunctionInfo* match = nullptr;
  for (const FunctionInfo* f : found) {
    std::span<const Oid> wanted = f->arguments;
    bool same = std::equal(wanted.begin(), wanted.end(), types.begin(), types.end());
    // A procedure may also be named by all its parameters, OUT ones included.
    if (!same && f->kind == 'p' && !f->all_arguments.empty())
      same = std::equal(f->all_arguments.begin(), f->all_arguments.end(), all_types.begin(), all_types.end());
    if (same && (match == nullptr || !kind_fits(kind, *match))) match = f;
  }
  std::string signature = function_signature(object->name, types, {});
  if (match == nullptr) {
    if (missing_ok) return kInvalidOid;
    if (kind == 'a' && object->star) throw SqlError(sqlstate::undefined_function, "aggregate {}(*) does not exist", name_text(object->name));
    throw SqlError(sqlstate::undefined_function, "{} {} does not exist", kind_word(kind), signature);
  }
  check_kind_of(*match, kind, signature, object);
  return match->oid;
}

}  // namespace hathi::analyzer
