// ALTER … OWNER TO of everything that is no relation.

#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "alter_database.h"
#include "object_names.h"
#include "owners.h"
#include "roles.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

// Types that have no owner of their own.
void check_type(Oid oid) {
  const catalog::TypeInfo& type = catalog::type_info(oid);
  if (type.kind == 'c' && is_valid(type.relation) &&
      catalog::open_relation(type.relation, locking::LockMode::access_share)->kind != catalog::relation_kind::composite) {
    throw SqlError(sqlstate::wrong_object_type, "{} is a table's row type", catalog::format_type(oid)).hint("Use ALTER TABLE instead.");
  }
  if (type.is_true_array() && type.kind == 'b') {
    throw SqlError(sqlstate::wrong_object_type, "cannot alter array type {}", catalog::format_type(oid))
        .hint(fmt::format("You can alter type {}, which will alter the array type as well.", catalog::format_type(type.element)));
  }
}

}  // namespace

void alter_owner(const parser::AlterOwnerStatement& s, std::string_view text) {
  Oid owner = resolve_role(*s.new_owner);
  parser::ObjectType type = s.object->type_of_object;
  if (type == parser::ObjectType::database) return change_database_owner(s.object->name.back(), owner);
  catalog::ObjectAddress object = *find_object(type, *s.object, text, false);
  if (object.class_id == catalog_oid::pg_type) check_type(object.object);
  change_object_owner(object, owner);
}

}  // namespace hathi::ddl
