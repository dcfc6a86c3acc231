// DROP ROLE.

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/transaction/transaction.h"
#include "membership.h"
#include "role_options.h"
#include "statements.h"
#include "stored_settings.h"

namespace hathi::ddl {

namespace {

void require_may_drop(const catalog::RoleInfo& role) {
  if (role.oid == catalog::current_role()) throw SqlError(sqlstate::object_in_use, "current user cannot be dropped");
  if (role.oid == catalog::session_role()) throw SqlError(sqlstate::object_in_use, "session user cannot be dropped");
  if (role.superuser && !catalog::is_superuser(catalog::current_role())) {
    throw SqlError(sqlstate::insufficient_privilege, "must be superuser to drop superusers");
  }
}

void drop_one(const catalog::RoleInfo& role) {
  Oid oid = role.oid;
  std::string name(role.name);
  // Waits for those that have recorded a dependency on the role but not committed, and keeps others away (catalog::keep_role).
  locking::acquire(transaction::owner(), locking::LockTag::object_tag(kInvalidOid, catalog_oid::pg_authid, oid, 0), locking::LockMode::access_exclusive);
  if (catalog::is_pinned(catalog_oid::pg_authid, oid)) {
    throw SqlError(sqlstate::dependent_objects_still_exist, "cannot drop role {} because it is required by the database system", name);
  }
  std::string dependents = catalog::shared_dependents_text(catalog_oid::pg_authid, oid);
  if (!dependents.empty()) {
    throw SqlError(sqlstate::dependent_objects_still_exist, "role \"{}\" cannot be dropped because some objects depend on it", name).detail(dependents);
  }
  Arena arena(1024);
  {
    catalog::CatalogTable table(catalog_oid::pg_authid, locking::LockMode::row_exclusive);
    auto row = table.find({{catalog::pg_authid::oid, Datum::of(oid)}}, arena);
    if (!row) throw SqlError(sqlstate::undefined_object, "role \"{}\" does not exist", name);
    table.remove(row->tid);
  }
  remove_memberships_of(oid);
  catalog::set_comment({catalog_oid::pg_authid, oid, 0}, {});
  remove_settings_of(kInvalidOid, oid);
  transaction::advance_command();
}

}  // namespace

void drop_role(const parser::DropRoleStatement& s) {
  if (!may_create_roles()) throw SqlError(sqlstate::insufficient_privilege, "permission denied to drop role");
  for (const parser::RoleSpec* spec : s.roles) {
    if (spec->role_kind != parser::RoleKind::name) throw SqlError(sqlstate::invalid_parameter_value, "cannot use special role specifier in DROP ROLE");
    const catalog::RoleInfo* role = catalog::find_role_by_name(spec->name);
    if (role == nullptr) {
      if (!s.missing_ok) throw SqlError(sqlstate::undefined_object, "role \"{}\" does not exist", spec->name);
      report_notice(sqlstate::successful_completion, "role \"{}\" does not exist, skipping", spec->name);
      continue;
    }
    require_may_drop(*role);
    drop_one(*role);
  }
}

}  // namespace hathi::ddl
