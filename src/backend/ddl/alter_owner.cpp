// ALTER … OWNER TO of everything that is no relation.

#include "alter_database.h"
#include "hathi/error/sql_error.h"
#include "roles.h"
#include "statements.h"

namespace hathi::ddl {

void alter_owner(const parser::AlterOwnerStatement& s, std::string_view) {
  Oid owner = resolve_role(*s.new_owner);
  switch (s.object->type_of_object) {
    case parser::ObjectType::database: return change_database_owner(s.object->name.back(), owner);
    default: throw_not_supported("ALTER … OWNER of this kind of object");
  }
}

}  // namespace hathi::ddl
