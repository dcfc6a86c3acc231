// Schemas by name, and the search path.

#include <algorithm>

#include "hathi/catalog/lookup.h"
#include "hathi/catalog/quote.h"
#include "hathi/catalog/user_objects.h"
#include "hathi/catalog/versions.h"
#include "hathi/config/session_settings.h"
#include "src/backend/catalog/builtin.h"
#include "src/backend/catalog/definitions.h"
#include "src/backend/catalog/search_path.h"

namespace hathi::catalog {

namespace {

struct Path {
  std::vector<Oid> effective;      // implicit schemas included
  std::vector<Oid> named;          // as search_path has them
  Oid creation = kInvalidOid;      // the first one named; 0 = none
  bool temporary_first = false;    // pg_temp was named first: create there
  // What it was made from.
  std::uint64_t generation = 0;
  Oid role = kInvalidOid, temporary = kInvalidOid;
  versions::Stamp schemas, roles, members;
  bool valid = false;
};
Path path;
Oid my_temporary_schema{0}, my_temporary_toast_schema{0};

// May the role use the schema? Without storage everything may.
bool may_use(Oid schema) {
  return user_objects().may_use_schema == nullptr || user_objects().may_use_schema(schema, current_role());
}

void add_once(std::vector<Oid>& schemas, Oid schema) {
  if (std::find(schemas.begin(), schemas.end(), schema) == schemas.end()) schemas.push_back(schema);
}

Path make_path() {
  Path p;
  std::vector<Oid> named;
  bool first = true;
  if (auto names = split_identifiers(config::values::search_path)) {
    for (const std::string& name : *names) {
      Oid schema = kInvalidOid;
      if (name == "$user") {
        if (const RoleInfo* role = find_role(current_role())) schema = find_schema(role->name);
      } else if (name == "pg_temp") {
        if (is_valid(my_temporary_schema)) {
          add_once(named, my_temporary_schema);
        } else if (first) {
          p.temporary_first = true;
        }
        if (first) p.temporary_first = true;
        first = false;
        continue;
      } else {
        schema = find_schema(name);
      }
      if (is_valid(schema) && may_use(schema)) {
        add_once(named, schema);
        first = false;
      }
    }
  }
  p.creation = named.empty() ? kInvalidOid : named.front();
  auto has = [&](Oid schema) { return std::find(named.begin(), named.end(), schema) != named.end(); };
  if (is_valid(my_temporary_schema) && !has(my_temporary_schema)) p.effective.push_back(my_temporary_schema);
  if (!has(kPgCatalogNamespace)) p.effective.push_back(kPgCatalogNamespace);
  p.effective.insert(p.effective.end(), named.begin(), named.end());
  p.named = std::move(named);
  return p;
}

const Path& current_path() {
  using namespace versions;
  static const std::uint32_t schema_slot = slot_of(catalog_oid::pg_namespace, kInvalidOid), role_slot = slot_of(catalog_oid::pg_authid, kInvalidOid),
                             member_slot = slot_of(catalog_oid::pg_auth_members, kInvalidOid);
  Stamp schemas = stamp(schema_slot), roles = stamp(role_slot), members = stamp(member_slot);
  if (path.valid && path.generation == config::values::search_path_generation && path.role == current_role() &&
      path.temporary == my_temporary_schema && path.schemas == schemas && path.roles == roles && path.members == members) {
    return path;
  }
  Path fresh = make_path();
  fresh.generation = config::values::search_path_generation;
  fresh.role = current_role();
  fresh.temporary = my_temporary_schema;
  fresh.schemas = schemas;
  fresh.roles = roles;
  fresh.members = members;
  fresh.valid = true;
  path = std::move(fresh);
  return path;
}

}  // namespace

void set_temporary_schemas(Oid schema, Oid toast_schema) {
  my_temporary_schema = schema;
  my_temporary_toast_schema = toast_schema;
}

Oid temporary_schema_if_any() { return my_temporary_schema; }
Oid temporary_toast_schema_if_any() { return my_temporary_toast_schema; }

bool is_temporary_schema(Oid schema) { return is_valid(schema) && (schema == my_temporary_schema || schema == my_temporary_toast_schema); }

bool is_any_temporary_schema(Oid schema) {
  if (is_temporary_schema(schema)) return true;
  std::string name = schema_name(schema);
  return name.starts_with("pg_temp_") || name.starts_with("pg_toast_temp_");
}

const std::vector<Oid>& explicit_search_path() { return current_path().named; }
const std::vector<Oid>& search_path() { return current_path().effective; }

Oid creation_schema_if_any() { return current_path().creation; }
bool temporary_schema_is_first() { return current_path().temporary_first; }

Oid find_schema(std::string_view name) {
  if (name == "pg_catalog") return kPgCatalogNamespace;
  if (name == "pg_toast") return kPgToastNamespace;
  if (name == "pg_temp") return my_temporary_schema;
  if (user_objects().named == nullptr) return name == "public" ? kPublicNamespace : kInvalidOid;
  std::span<const NamedObject> found = user_objects().named(catalog_oid::pg_namespace, name);
  return found.empty() ? kInvalidOid : found.front().oid;
}

std::string schema_name(Oid schema) {
  if (schema == kPgCatalogNamespace) return "pg_catalog";
  if (schema == kPgToastNamespace) return "pg_toast";
  if (user_objects().schema_name != nullptr) return std::string(user_objects().schema_name(schema));
  return schema == kPublicNamespace ? "public" : "";
}

Oid find_relation(std::string_view name, Oid schema) {
  auto in_schema = [&](Oid place) -> Oid {
    if (place == kPgCatalogNamespace) {
      if (Oid oid = catalog_relation(name); is_valid(oid)) return oid;
    }
    if (user_objects().named == nullptr) return kInvalidOid;
    for (const NamedObject& object : user_objects().named(catalog_oid::pg_class, name)) {
      if (object.schema == place) return object.oid;
    }
    return kInvalidOid;
  };
  if (is_valid(schema)) return in_schema(schema);
  for (Oid place : search_path()) {
    if (Oid oid = in_schema(place); is_valid(oid)) return oid;
  }
  return kInvalidOid;
}

bool relation_is_visible(Oid relation) {
  std::string_view name = catalog_relation_name(relation);
  if (name.empty()) {
    if (user_objects().relation_name == nullptr) return false;
    name = user_objects().relation_name(relation);
    if (name.empty()) return false;
  }
  return find_relation(name, kInvalidOid) == relation;
}

bool operator_class_is_visible(Oid oid) {
  const OperatorClassInfo* c = find_operator_class(oid);
  if (c == nullptr) return false;
  const OperatorClassInfo* found = find_operator_class(c->name, c->method, kInvalidOid);
  return found != nullptr && found->oid == oid;
}

bool collation_is_visible(Oid oid) {
  const CollationInfo* c = find_collation(oid);
  if (c == nullptr) return false;
  const CollationInfo* found = find_collation_by_name(c->name, kInvalidOid);
  return found != nullptr && found->oid == oid;
}

}  // namespace hathi::catalog
