// GRANT and REVOKE of roles.

#include "membership.h"

#include <algorithm>
#include <string>
#include <vector>

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/transaction/transaction.h"
#include "role_options.h"
#include "roles.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

namespace m = catalog::pg_auth_members;
using catalog::CatalogTable;
using locking::LockMode;

constexpr Oid kDatabaseOwner{6171};

std::string name_of(Oid role) {
  const catalog::RoleInfo* info = catalog::find_role(role);
  if (info == nullptr) throw SqlError(sqlstate::undefined_object, "role with OID {} does not exist", raw(role));
  return std::string(info->name);
}

void require_may_manage(Oid role) {
  Oid me = catalog::current_role();
  if (catalog::is_superuser(role)) {
    if (!catalog::is_superuser(me)) throw SqlError(sqlstate::insufficient_privilege, "must be superuser to alter superusers");
    return;
  }
  if (!may_create_roles() && !catalog::is_admin_of(me, role)) {
    throw SqlError(sqlstate::insufficient_privilege, "must have admin option on role \"{}\"", name_of(role));
  }
}

// Does `member` belong to `role`, itself or through others, whatever its rights?
bool belongs_to(Oid member, Oid role) {
  std::vector<Oid> all{member};
  Arena arena(4096);
  CatalogTable table(catalog_oid::pg_auth_members, LockMode::access_share);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == role) return true;
    const catalog::CatalogKey keys[] = {{m::member, Datum::of(all[i])}};
    table.scan(keys, arena, [&](catalog::CatalogRow& row) {
      Oid granted = row.get(m::roleid).as_oid();
      if (std::find(all.begin(), all.end(), granted) == all.end()) all.push_back(granted);
      return true;
    });
  }
  return false;
}

void add_member(Oid role, Oid member, Oid grantor, bool admin_option) {
  if (member == kDatabaseOwner) throw SqlError(sqlstate::internal_error, "role \"{}\" cannot be a member of any role", name_of(member));
  if (belongs_to(role, member)) {
    throw SqlError(sqlstate::invalid_grant_operation, "role \"{}\" is a member of role \"{}\"", name_of(role), name_of(member));
  }
  Arena arena(1024);
  CatalogTable table(catalog_oid::pg_auth_members, LockMode::row_exclusive);
  auto row = table.find({{m::roleid, Datum::of(role)}, {m::member, Datum::of(member)}}, arena);
  if (row && (!admin_option || row->get(m::admin_option).as_bool())) {
    report_notice(sqlstate::successful_completion, "role \"{}\" is already a member of role \"{}\"", name_of(member), name_of(role));
    return;
  }
  catalog::CatalogRow fresh = row ? *row : table.new_row();
  fresh.set(m::roleid, Datum::of(role));
  fresh.set(m::member, Datum::of(member));
  fresh.set(m::grantor, Datum::of(grantor));
  fresh.set(m::admin_option, Datum::of(admin_option));
  if (row) table.update(fresh);
  else table.insert(fresh);
  transaction::advance_command();
}

}  // namespace

void add_members(Oid role, const List<parser::RoleSpec*>& members, Oid grantor, bool admin_option) {
  if (members.empty()) return;
  require_may_manage(role);
  if (role == kDatabaseOwner) throw SqlError(sqlstate::internal_error, "role \"{}\" cannot have explicit members", name_of(role));
  if (grantor != catalog::current_role() && !catalog::is_superuser(catalog::current_role())) {
    throw SqlError(sqlstate::insufficient_privilege, "must be superuser to set grantor");
  }
  for (const parser::RoleSpec* member : members) add_member(role, resolve_role(*member), grantor, admin_option);
}

void remove_members(Oid role, const List<parser::RoleSpec*>& members, bool admin_option_only) {
  if (members.empty()) return;
  require_may_manage(role);
  Arena arena(1024);
  CatalogTable table(catalog_oid::pg_auth_members, LockMode::row_exclusive);
  for (const parser::RoleSpec* spec : members) {
    Oid member = resolve_role(*spec);
    auto row = table.find({{m::roleid, Datum::of(role)}, {m::member, Datum::of(member)}}, arena);
    if (!row) {
      report_warning(sqlstate::warning, "role \"{}\" is not a member of role \"{}\"", name_of(member), name_of(role));
      continue;
    }
    if (admin_option_only) {
      row->set(m::admin_option, Datum::of(false));
      table.update(*row);
    } else {
      table.remove(row->tid);
    }
    transaction::advance_command();
  }
}

void remove_memberships_of(Oid role) {
  Arena arena(4096);
  CatalogTable table(catalog_oid::pg_auth_members, LockMode::row_exclusive);
  std::vector<TupleId> gone;
  for (AttrNumber column : {m::roleid, m::member}) {
    const catalog::CatalogKey keys[] = {{column, Datum::of(role)}};
    table.scan(keys, arena, [&](catalog::CatalogRow& row) {
      gone.push_back(row.tid);
      return true;
    });
  }
  for (TupleId tid : gone) table.remove(tid);
}

void grant_role(const parser::GrantRoleStatement& s) {
  Oid grantor = s.grantor == nullptr ? catalog::current_role() : resolve_role(*s.grantor);
  for (const parser::RoleSpec* member : s.grantees) resolve_role(*member);
  for (const parser::Privilege& granted : s.granted_roles) {
    if (granted.name.empty() || !granted.columns.empty()) {
      throw SqlError(sqlstate::invalid_grant_operation, "column names cannot be included in GRANT/REVOKE ROLE");
    }
    const catalog::RoleInfo* role = catalog::find_role_by_name(granted.name);
    if (role == nullptr) throw SqlError(sqlstate::undefined_object, "role \"{}\" does not exist", granted.name);
    Oid oid = role->oid;
    if (s.is_grant) add_members(oid, s.grantees, grantor, s.admin_option);
    else remove_members(oid, s.grantees, s.admin_option);
  }
}

}  // namespace hathi::ddl
