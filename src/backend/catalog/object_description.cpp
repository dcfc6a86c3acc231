// Objects in words, as messages and pg_describe_object() have them.

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/quote.h"
#include "hathi/error/sql_error.h"
#include "src/backend/catalog/builtin.h"
#include "src/backend/catalog/definitions.h"
#include "hathi/catalog/object_classes.h"

namespace hathi::catalog {

namespace {

constexpr locking::LockMode kRead = locking::LockMode::access_share;

std::optional<CatalogRow> row_of(Oid catalog, Oid oid, Arena& arena) { return CatalogTable(catalog, kRead).find({{1, Datum::of(oid)}}, arena); }

std::string name_of(const CatalogRow& row, AttrNumber column) { return std::string(name_text(row.get(column))); }

const char* relation_noun(char kind) {
  switch (kind) {
    case 'r': case 'p': return "table";
    case 'i': case 'I': return "index";
    case 'S': return "sequence";
    case 't': return "toast table";
    case 'v': return "view";
    case 'm': return "materialized view";
    case 'c': return "composite type";
    case 'f': return "foreign table";
    default: return "relation";
  }
}

// schema.name, without the schema when the plain name finds the object.
std::string qualified(bool visible, Oid schema, std::string_view name) { return quote_qualified(visible ? std::string() : schema_name(schema), name); }

std::string relation_text(Oid oid, Arena& arena) {
  auto row = row_of(catalog_oid::pg_class, oid, arena);
  if (!row) return {};
  return std::string(relation_noun(row->get(pg_class::relkind).as_char())) + " " +
         qualified(relation_is_visible(oid), row->get(pg_class::relnamespace).as_oid(), name_text(row->get(pg_class::relname)));
}

std::string column_name(Oid relation, int number, Arena& arena) {
  auto row = CatalogTable(catalog_oid::pg_attribute, kRead)
                 .find({{pg_attribute::attrelid, Datum::of(relation)}, {pg_attribute::attnum, Datum::of(static_cast<AttrNumber>(number))}}, arena);
  return row ? name_of(*row, pg_attribute::attname) : std::string();
}

std::string class_text(const ObjectAddress& o, Arena& arena) {
  std::string relation = relation_text(o.object, arena);
  if (o.sub == 0 || relation.empty()) return relation;
  std::string column = column_name(o.object, o.sub, arena);
  return column.empty() ? std::string() : "column " + column + " of " + relation;
}

// "trigger t on table x": parts of relations with a name of their own.
std::string part_text(const char* noun, const ObjectAddress& o, AttrNumber name, AttrNumber relation, Arena& arena) {
  auto row = row_of(o.class_id, o.object, arena);
  if (!row) return {};
  return std::string(noun) + " " + name_of(*row, name) + " on " + relation_text(row->get(relation).as_oid(), arena);
}

std::string constraint_text(const ObjectAddress& o, Arena& arena) {
  auto row = row_of(o.class_id, o.object, arena);
  if (!row) return {};
  std::string text = "constraint " + name_of(*row, pg_constraint::conname);
  Oid relation = row->get(pg_constraint::conrelid).as_oid();
  return is_valid(relation) ? text + " on " + relation_text(relation, arena) : text;
}

std::string default_text(const ObjectAddress& o, Arena& arena) {
  auto row = row_of(o.class_id, o.object, arena);
  if (!row) return {};
  ObjectAddress column{catalog_oid::pg_class, row->get(pg_attrdef::adrelid).as_oid(), row->get(pg_attrdef::adnum).as_int16()};
  return "default value for " + class_text(column, arena);
}

std::string cast_text(const ObjectAddress& o, Arena& arena) {
  auto row = row_of(o.class_id, o.object, arena);
  if (!row) return {};
  return "cast from " + format_type(row->get(pg_cast::castsource).as_oid()) + " to " + format_type(row->get(pg_cast::casttarget).as_oid());
}

std::string method_name(Oid method, Arena& arena) {
  auto row = row_of(catalog_oid::pg_am, method, arena);
  return row ? name_of(*row, pg_am::amname) : std::string();
}

std::string operator_class_text(const ObjectAddress& o, Arena& arena) {
  auto row = row_of(o.class_id, o.object, arena);
  if (!row) return {};
  return "operator class " +
         qualified(operator_class_is_visible(o.object), row->get(pg_opclass::opcnamespace).as_oid(), name_text(row->get(pg_opclass::opcname))) +
         " for access method " + method_name(row->get(pg_opclass::opcmethod).as_oid(), arena);
}

std::string operator_family_text(Oid oid, Arena& arena) {
  auto row = row_of(catalog_oid::pg_opfamily, oid, arena);
  if (!row) return {};
  Oid schema = row->get(pg_opfamily::opfnamespace).as_oid();
  bool visible = false;
  for (Oid s : search_path()) visible = visible || s == schema;
  return "operator family " + qualified(visible, schema, name_text(row->get(pg_opfamily::opfname))) + " for access method " +
         method_name(row->get(pg_opfamily::opfmethod).as_oid(), arena);
}

std::string family_member_text(const ObjectAddress& o, Arena& arena) {
  auto row = row_of(o.class_id, o.object, arena);
  if (!row) return {};
  bool is_operator = o.class_id == catalog_oid::pg_amop;
  using namespace pg_amop;
  int number = is_operator ? row->get(amopstrategy).as_int16() : row->get(pg_amproc::amprocnum).as_int16();
  Oid left = row->get(is_operator ? amoplefttype : pg_amproc::amproclefttype).as_oid();
  Oid right = row->get(is_operator ? amoprighttype : pg_amproc::amprocrighttype).as_oid();
  Oid family = row->get(is_operator ? amopfamily : pg_amproc::amprocfamily).as_oid();
  std::string target = is_operator ? operator_signature(row->get(amopopr).as_oid()) : function_signature(row->get(pg_amproc::amproc).as_oid());
  return fmt::format("{} {} ({}, {}) of {}: {}", is_operator ? "operator" : "function", number, format_type(left), format_type(right),
                     operator_family_text(family, arena), target);
}

std::string user_mapping_text(const ObjectAddress& o, Arena& arena) {
  auto row = row_of(o.class_id, o.object, arena);
  if (!row) return {};
  const RoleInfo* role = find_role(row->get(pg_user_mapping::umuser).as_oid());
  auto server = row_of(catalog_oid::pg_foreign_server, row->get(pg_user_mapping::umserver).as_oid(), arena);
  return fmt::format("user mapping for {} on server {}", role == nullptr ? std::string_view("public") : role->name,
                     server ? name_of(*server, pg_foreign_server::srvname) : std::string());
}

std::string default_acl_text(const ObjectAddress& o, Arena& arena) {
  auto row = row_of(o.class_id, o.object, arena);
  if (!row) return {};
  const RoleInfo* role = find_role(row->get(pg_default_acl::defaclrole).as_oid());
  const char* kind = "";
  switch (row->get(pg_default_acl::defaclobjtype).as_char()) {
    case 'r': kind = "relations"; break;
    case 'S': kind = "sequences"; break;
    case 'f': kind = "functions"; break;
    case 'T': kind = "types"; break;
    case 'n': kind = "schemas"; break;
    default: break;
  }
  std::string text = fmt::format("default privileges on new {} belonging to role {}", kind, role == nullptr ? std::string_view() : role->name);
  Oid schema = row->get(pg_default_acl::defaclnamespace).as_oid();
  return is_valid(schema) ? text + " in schema " + schema_name(schema) : text;
}

// Kinds that are a noun and a name, qualified where they live in schemas.
std::string simple_text(const ObjectAddress& o, Arena& arena) {
  const ObjectClass* c = object_class(o.class_id);
  if (c == nullptr || c->name == 0) return {};
  auto row = row_of(o.class_id, o.object, arena);
  if (!row) return {};
  std::string_view name = name_text(row->get(c->name));
  if (c->schema == 0) return std::string(c->noun) + " " + std::string(name);
  Oid schema = row->get(c->schema).as_oid();
  bool visible = false;
  if (o.class_id == catalog_oid::pg_collation) {
    visible = collation_is_visible(o.object);
  } else {
    for (Oid s : search_path()) visible = visible || s == schema;
  }
  return std::string(c->noun) + " " + qualified(visible, schema, name);
}

}  // namespace

std::string function_signature(Oid oid) {
  const FunctionInfo* f = find_function(oid);
  if (f == nullptr) return std::to_string(raw(oid));
  std::string text = qualified(function_is_visible(oid), f->schema, f->name) + "(";
  for (std::size_t i = 0; i < f->arguments.size(); ++i) text += (i == 0 ? "" : ",") + format_type(f->arguments[i]);
  return text + ")";
}

std::string operator_signature(Oid oid) {
  const OperatorInfo* o = find_operator(oid);
  if (o == nullptr) return std::to_string(raw(oid));
  std::string text = operator_is_visible(oid) ? std::string() : quote_identifier(schema_name(o->schema)) + ".";
  text += std::string(o->name) + "(";
  text += (is_valid(o->left) ? format_type(o->left) : "NONE") + ",";
  return text + (is_valid(o->right) ? format_type(o->right) : "NONE") + ")";
}

std::string describe_object(const ObjectAddress& o) {
  Arena arena(2048);
  switch (raw(o.class_id)) {
    case raw(catalog_oid::pg_class): return class_text(o, arena);
    case raw(catalog_oid::pg_proc): return find_function(o.object) == nullptr ? std::string() : "function " + function_signature(o.object);
    case raw(catalog_oid::pg_operator): return find_operator(o.object) == nullptr ? std::string() : "operator " + operator_signature(o.object);
    case raw(catalog_oid::pg_type): return find_type(o.object) == nullptr ? std::string() : "type " + format_type(o.object);
    case raw(catalog_oid::pg_constraint): return constraint_text(o, arena);
    case raw(catalog_oid::pg_attrdef): return default_text(o, arena);
    case raw(catalog_oid::pg_cast): return cast_text(o, arena);
    case raw(catalog_oid::pg_opclass): return operator_class_text(o, arena);
    case raw(catalog_oid::pg_opfamily): return operator_family_text(o.object, arena);
    case raw(catalog_oid::pg_amop): case raw(catalog_oid::pg_amproc): return family_member_text(o, arena);
    case raw(catalog_oid::pg_rewrite): return part_text("rule", o, pg_rewrite::rulename, pg_rewrite::ev_class, arena);
    case raw(catalog_oid::pg_trigger): return part_text("trigger", o, pg_trigger::tgname, pg_trigger::tgrelid, arena);
    case raw(catalog_oid::pg_policy): return part_text("policy", o, pg_policy::polname, pg_policy::polrelid, arena);
    case raw(catalog_oid::pg_namespace): {
      std::string name = schema_name(o.object);
      return name.empty() ? name : "schema " + name;
    }
    case raw(catalog_oid::pg_largeobject): return fmt::format("large object {}", raw(o.object));
    case raw(catalog_oid::pg_user_mapping): return user_mapping_text(o, arena);
    case raw(catalog_oid::pg_default_acl): return default_acl_text(o, arena);
    default: return simple_text(o, arena);
  }
}

}  // namespace hathi::catalog
