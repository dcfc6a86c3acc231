#include "object_names.h"

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/executor/executor.h"
#include "hathi/transaction/transaction.h"
#include "statements.h"

namespace hathi::ddl {

namespace kind = catalog::relation_kind;
using catalog::ObjectAddress;
using parser::ObjectType;

namespace {

void lock_object(const ObjectAddress& o) {
  locking::acquire(transaction::owner(), locking::LockTag::object_tag(catalog::current_database(), o.class_id, o.object, 0),
                   locking::LockMode::access_exclusive);
}

std::optional<ObjectAddress> find_schema_object(const parser::ObjectRef& object, bool missing_ok) {
  std::string_view name = object.name.back();
  Oid oid = catalog::find_schema(name);
  if (!is_valid(oid)) {
    if (!missing_ok) throw SqlError(sqlstate::undefined_schema, "schema \"{}\" does not exist", name);
    report_notice(sqlstate::successful_completion, "schema \"{}\" does not exist, skipping", name);
    return std::nullopt;
  }
  return ObjectAddress{catalog_oid::pg_namespace, oid, 0};
}

std::optional<ObjectAddress> find_type_object(const parser::ObjectRef& object, std::string_view text, bool missing_ok, bool domain) {
  Arena arena(512);
  Oid oid = analyzer::find_type(object.type, text, arena).type;
  if (!is_valid(oid)) {
    std::string name = analyzer::type_name_text(object.type);
    if (!missing_ok) throw SqlError(sqlstate::undefined_object, "type \"{}\" does not exist", name);
    report_notice(sqlstate::successful_completion, "type \"{}\" does not exist, skipping", name);
    return std::nullopt;
  }
  if (domain && catalog::type_info(oid).kind != 'd')
    throw SqlError(sqlstate::wrong_object_type, "\"{}\" is not a domain", analyzer::type_name_text(object.type));
  return ObjectAddress{catalog_oid::pg_type, oid, 0};
}

// The input types that a statement names; OUT and TABLE ones do not count.
std::vector<Oid> argument_types(const parser::ObjectRef& object, std::string_view text) {
  std::vector<Oid> types;
  Arena arena(1024);
  for (const parser::FunctionParameter* p : object.parameters) {
    if (p->mode == parser::ParameterMode::out || p->mode == parser::ParameterMode::table) continue;
    types.push_back(analyzer::resolve_type(p->type, text, arena).type);
  }
  return types;
}

std::string signature_text(const parser::ObjectRef& object, const std::vector<Oid>& types) {
  std::string out;
  for (const auto& part : object.name) out.append(out.empty() ? "" : ".").append(part);
  out += '(';
  for (std::size_t i = 0; i < types.size(); ++i) out += (i == 0 ? "" : ", ") + catalog::format_type(types[i]);
  return out + ')';
}

std::optional<ObjectAddress> find_function_object(ObjectType type, const parser::ObjectRef& object, std::string_view text, bool missing_ok) {
  std::string_view noun = type == ObjectType::procedure   ? "procedure"
                          : type == ObjectType::routine   ? "routine"
                          : type == ObjectType::aggregate ? "aggregate"
                                                          : "function";
  std::size_t parts = object.name.size();
  Oid schema = kInvalidOid;
  if (parts > 1) {
    schema = catalog::find_schema(object.name[parts - 2]);
    if (!is_valid(schema) && !missing_ok) throw SqlError(sqlstate::undefined_schema, "schema \"{}\" does not exist", object.name[parts - 2]);
  }
  std::vector<const catalog::FunctionInfo*> candidates, found;
  if (parts == 1 || is_valid(schema)) catalog::find_functions(object.name.back(), schema, candidates);
  std::vector<Oid> types;
  if (object.has_args) types = argument_types(object, text);
  for (const catalog::FunctionInfo* f : candidates) {
    bool same = !object.has_args || (f->arguments.size() == types.size() && std::equal(types.begin(), types.end(), f->arguments.begin()));
    if (same) found.push_back(f);
  }
  if (!object.has_args && found.size() > 1) {
    throw SqlError(sqlstate::ambiguous_function, "{} name \"{}\" is not unique", noun, object.name.back())
        .hint(fmt::format("Specify the argument list to select the {} unambiguously.", noun));
  }
  if (!found.empty()) return ObjectAddress{catalog_oid::pg_proc, found.front()->oid, 0};
  std::string message = object.has_args ? fmt::format("{} {} does not exist", noun, signature_text(object, types))
                                        : fmt::format("could not find a {} named \"{}\"", noun, object.name.back());
  if (!missing_ok) throw SqlError(sqlstate::undefined_function, "{}", message);
  report_notice(sqlstate::successful_completion, "{}, skipping", message);
  return std::nullopt;
}

}  // namespace

std::optional<ObjectAddress> find_object(ObjectType type, const parser::ObjectRef& object, std::string_view text, bool missing_ok) {
  std::optional<ObjectAddress> found;
  switch (type) {
    case ObjectType::schema: found = find_schema_object(object, missing_ok); break;
    case ObjectType::type: found = find_type_object(object, text, missing_ok, false); break;
    case ObjectType::function:
    case ObjectType::procedure:
    case ObjectType::routine: found = find_function_object(type, object, text, missing_ok); break;
    case ObjectType::domain: found = find_type_object(object, text, missing_ok, true); break;
    default: throw_not_supported("this statement for this kind of object");
  }
  if (found) lock_object(*found);
  return found;
}

void require_owner(ObjectType, const ObjectAddress& object) {
  if (catalog::is_owner(object.class_id, object.object, catalog::current_role())) return;
  if (object.class_id == catalog_oid::pg_namespace) catalog::throw_not_owner("schema", catalog::schema_name(object.object));
  if (object.class_id == catalog_oid::pg_proc) catalog::throw_not_owner("function", catalog::function_info(object.object).name);
  catalog::throw_not_owner("type", catalog::format_type(object.object));
}

namespace {
bool (*has_open_cursor)(Oid relation) = nullptr;
}

void set_open_cursor_check(bool (*check)(Oid relation)) { has_open_cursor = check; }

void require_not_in_use(const catalog::Relation& relation, std::string_view statement) {
  if (has_open_cursor != nullptr && has_open_cursor(relation.oid)) {
    throw SqlError(sqlstate::object_in_use, "cannot {} \"{}\" because it is being used by active queries in this session", statement, relation.name);
  }
  if (relation.index == nullptr && executor::has_pending_checks(relation.oid)) {
    throw SqlError(sqlstate::object_in_use, "cannot {} \"{}\" because it has pending trigger events", statement, relation.name);
  }
}

RelationWords relation_words(char k) {
  switch (k) {
    case kind::table:
    case kind::partitioned_table: return {"table", "a table", "tables", "Use DROP TABLE to remove a table."};
    case kind::view: return {"view", "a view", "views", "Use DROP VIEW to remove a view."};
    case kind::materialized_view:
      return {"materialized view", "a materialized view", "materialized views", "Use DROP MATERIALIZED VIEW to remove a materialized view."};
    case kind::index:
    case kind::partitioned_index: return {"index", "an index", "indexes", "Use DROP INDEX to remove an index."};
    case kind::sequence: return {"sequence", "a sequence", "sequences", "Use DROP SEQUENCE to remove a sequence."};
    case kind::foreign_table: return {"foreign table", "a foreign table", "foreign tables", "Use DROP FOREIGN TABLE to remove a foreign table."};
    case kind::composite: return {"type", "a type", "composite types", "Use DROP TYPE to remove a type."};
    default: return {"relation", "a relation", "this kind of relation", ""};
  }
}

char relation_kind_of(ObjectType type) {
  switch (type) {
    case ObjectType::table: return kind::table;
    case ObjectType::view: return kind::view;
    case ObjectType::materialized_view: return kind::materialized_view;
    case ObjectType::index: return kind::index;
    case ObjectType::sequence: return kind::sequence;
    case ObjectType::foreign_table: return kind::foreign_table;
    default: return '\0';
  }
}

bool is_of_kind(char wanted, char actual) {
  if (actual == kind::partitioned_table) return wanted == kind::table;
  if (actual == kind::partitioned_index) return wanted == kind::index;
  return wanted == actual;
}

void require_kind(const catalog::Relation& relation, ObjectType type) {
  char wanted = relation_kind_of(type);
  if (!is_of_kind(wanted, relation.kind)) throw SqlError(sqlstate::wrong_object_type, "\"{}\" is not {}", relation.name, relation_words(wanted).article);
}

AttrNumber find_column(const catalog::Relation& relation, std::string_view name) {
  const TupleDescriptor& row = *relation.descriptor;
  for (int i = 0; i < row.count(); ++i) {
    if (!row[i].dropped && row[i].name == name) return static_cast<AttrNumber>(i + 1);
  }
  return 0;
}

bool is_system_column(std::string_view name) {
  return name == "ctid" || name == "xmin" || name == "xmax" || name == "cmin" || name == "cmax" || name == "tableoid";
}

parser::RangeVar range_var_of(const parser::QualifiedName& names) {
  parser::RangeVar out;
  std::size_t n = names.size();
  out.name = names[n - 1];
  if (n > 1) out.schema = names[n - 2];
  if (n > 2) out.catalog = names[n - 3];
  return out;
}

}  // namespace hathi::ddl
