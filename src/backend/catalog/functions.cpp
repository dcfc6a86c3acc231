#include "src/backend/catalog/functions.h"

#include "hathi/catalog/lookup.h"
#include "hathi/catalog/quote.h"
#include "hathi/catalog/startup.h"
#include "hathi/error/sql_error.h"

namespace hathi::catalog {

void register_catalog_functions() {
  for (std::span<const BuiltinFunction> table :
       {acl_functions(), description_functions(), encoding_functions(), identity_functions(), privilege_functions(), size_functions(),
        updatable_functions()}) {
    register_functions(table);
  }
}

Oid require_role(std::string_view name, bool allow_public) {
  if (allow_public && name == "public") return kInvalidOid;
  const RoleInfo* role = find_role_by_name(name);
  if (role == nullptr) throw SqlError(sqlstate::undefined_object, "role \"{}\" does not exist", name);
  return role->oid;
}

Oid require_relation(std::string_view text) {
  std::vector<std::string> names = parse_qualified_name(text);
  if (names.size() > 3) {
    throw SqlError(sqlstate::syntax_error, "improper relation name (too many dotted names): {}", text);
  }
  if (names.size() == 3) {
    if (names[0] != current_database_name()) {
      throw SqlError(sqlstate::feature_not_supported, "cross-database references are not implemented: \"{}.{}.{}\"", names[0], names[1], names[2]);
    }
    names.erase(names.begin());
  }
  Oid schema = kInvalidOid;
  if (names.size() == 2) {
    schema = find_schema(names[0]);
    if (!is_valid(schema)) throw SqlError(sqlstate::undefined_table, "relation \"{}.{}\" does not exist", names[0], names[1]);
  }
  Oid relation = find_relation(names.back(), schema);
  if (is_valid(relation)) return relation;
  if (names.size() == 2) throw SqlError(sqlstate::undefined_table, "relation \"{}.{}\" does not exist", names[0], names[1]);
  throw SqlError(sqlstate::undefined_table, "relation \"{}\" does not exist", names[0]);
}

}  // namespace hathi::catalog
