#include "roles.h"

#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"

namespace hathi::ddl {

Oid resolve_role(const parser::RoleSpec& spec, bool allow_public) {
  switch (spec.role_kind) {
    case parser::RoleKind::current_role:
    case parser::RoleKind::current_user: return catalog::current_role();
    case parser::RoleKind::session_user: return catalog::session_role();
    case parser::RoleKind::public_role:
      if (allow_public) return kInvalidOid;
      throw SqlError(sqlstate::undefined_object, "role \"public\" does not exist");
    case parser::RoleKind::name: break;
  }
  const catalog::RoleInfo* role = catalog::find_role_by_name(spec.name);
  if (role == nullptr) throw SqlError(sqlstate::undefined_object, "role \"{}\" does not exist", spec.name);
  return role->oid;
}

void require_may_become(Oid role) {
  if (catalog::is_superuser(catalog::current_role()) || catalog::can_set_role(catalog::current_role(), role)) return;
  const catalog::RoleInfo* info = catalog::find_role(role);
  throw SqlError(sqlstate::insufficient_privilege, "must be member of role \"{}\"", info == nullptr ? "" : info->name);
}

}  // namespace hathi::ddl
