// CREATE ROLE, ALTER ROLE and ALTER GROUP, ALTER ROLE … RENAME.

#include "create_role.h"

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/protocol/password.h"
#include "hathi/transaction/transaction.h"
#include "membership.h"
#include "option_values.h"
#include "role_options.h"
#include "roles.h"
#include "row_values.h"
#include "statements.h"

namespace hathi::ddl {

namespace {

namespace r = catalog::pg_authid;
using catalog::CatalogTable;
using locking::LockMode;

[[noreturn]] void denied(std::string_view message) { throw SqlError(sqlstate::insufficient_privilege, "{}", message); }
bool am_superuser() { return catalog::is_superuser(catalog::current_role()); }
bool is_on(const parser::Option* option) { return option != nullptr && option_boolean(*option); }

void require_may_create(const RoleOptions& o) {
  if (is_on(o.superuser)) {
    if (!am_superuser()) denied("must be superuser to create superusers");
  } else if (is_on(o.replication)) {
    if (!am_superuser()) denied("must be superuser to create replication users");
  } else if (is_on(o.bypass_rls)) {
    if (!am_superuser()) denied("must be superuser to create bypassrls users");
  } else if (!may_create_roles()) {
    denied("permission denied to create role");
  }
}

// One's own password is all that anybody may change.
void require_may_alter(const RoleOptions& o, const catalog::RoleInfo& role) {
  if (o.superuser != nullptr || role.superuser) {
    if (!am_superuser()) denied("must be superuser to alter superuser roles or change superuser attribute");
  } else if (o.replication != nullptr || role.replication) {
    if (!am_superuser()) denied("must be superuser to alter replication roles or change replication attribute");
  } else if (o.bypass_rls != nullptr) {
    if (!am_superuser()) denied("must be superuser to change bypassrls attribute");
  } else if (!may_create_roles()) {
    bool other = o.inherit != nullptr || o.create_role != nullptr || o.create_db != nullptr || o.can_login != nullptr || o.connection_limit != nullptr ||
                 o.members != nullptr || o.valid_until != nullptr;
    if (other || o.password == nullptr || role.oid != catalog::current_role()) denied("permission denied");
  }
}

catalog::CatalogRow plain_role(const CatalogTable& table, Oid oid, std::string_view name, bool can_login, Arena& arena) {
  catalog::CatalogRow row = table.new_row();
  row.set(r::oid, Datum::of(oid));
  row.set(r::rolname, name_value(arena, name));
  for (AttrNumber flag : {r::rolsuper, r::rolcreaterole, r::rolcreatedb, r::rolreplication, r::rolbypassrls}) row.set(flag, Datum::of(false));
  row.set(r::rolinherit, Datum::of(true));
  row.set(r::rolcanlogin, Datum::of(can_login));
  row.set(r::rolconnlimit, Datum::of(std::int32_t{-1}));
  return row;
}

}  // namespace

void create_role(const parser::CreateRoleStatement& s) {
  Arena arena(4096);
  RoleOptions o = read_role_options(s.options);
  require_may_create(o);
  require_free_prefix(s.name);
  if (catalog::find_role_by_name(s.name) != nullptr) throw SqlError(sqlstate::duplicate_object, "role \"{}\" already exists", s.name);
  Oid oid = catalog::new_oid(catalog_oid::pg_authid);
  {
    CatalogTable table(catalog_oid::pg_authid, LockMode::row_exclusive);
    catalog::CatalogRow row = plain_role(table, oid, s.name, s.type == parser::RoleStatementKind::user, arena);
    store_role_options(row, o, s.name, arena);
    table.insert(row);
  }
  transaction::advance_command();
  parser::RoleSpec self;
  self.name = s.name;
  List<parser::RoleSpec*> only_self;
  only_self.push_back(arena, &self);
  Oid me = catalog::current_role();
  for (const parser::RoleSpec* group : role_list_of(o.member_of, arena)) add_members(resolve_role(*group), only_self, me, false);
  add_members(oid, role_list_of(o.admins, arena), me, true);
  add_members(oid, role_list_of(o.members, arena), me, false);
}

void alter_role(const parser::AlterRoleStatement& s) {
  Arena arena(4096);
  RoleOptions o = read_role_options(s.options);
  Oid oid = resolve_role(*s.role);
  const catalog::RoleInfo& role = *catalog::find_role(oid);
  require_may_alter(o, role);
  {
    CatalogTable table(catalog_oid::pg_authid, LockMode::row_exclusive);
    auto row = table.find({{r::oid, Datum::of(oid)}}, arena);
    if (!row) throw SqlError(sqlstate::internal_error, "cache lookup failed for role {}", raw(oid));
    store_role_options(*row, o, role.name, arena);
    table.update(*row);
  }
  transaction::advance_command();
  if (o.members == nullptr) return;
  if (s.group_action < 0) remove_members(oid, role_list_of(o.members, arena), false);
  else add_members(oid, role_list_of(o.members, arena), catalog::current_role(), false);
}

void rename_role(std::string_view old_name, std::string_view new_name) {
  const catalog::RoleInfo* role = catalog::find_role_by_name(old_name);
  if (role == nullptr) throw SqlError(sqlstate::undefined_object, "role \"{}\" does not exist", old_name);
  if (role->oid == catalog::session_role()) throw SqlError(sqlstate::feature_not_supported, "session user cannot be renamed");
  if (role->oid == catalog::current_role()) throw SqlError(sqlstate::feature_not_supported, "current user cannot be renamed");
  require_free_prefix(old_name);
  require_free_prefix(new_name);
  if (catalog::find_role_by_name(new_name) != nullptr) throw SqlError(sqlstate::duplicate_object, "role \"{}\" already exists", new_name);
  if (role->superuser) {
    if (!am_superuser()) denied("must be superuser to rename superusers");
  } else if (!may_create_roles()) {
    denied("permission denied to rename role");
  }
  Arena arena(2048);
  CatalogTable table(catalog_oid::pg_authid, LockMode::row_exclusive);
  auto row = table.find({{r::oid, Datum::of(role->oid)}}, arena);
  row->set(r::rolname, name_value(arena, new_name));
  if (!row->is_null(r::rolpassword) && protocol::password_kind(varlena::text(row->get(r::rolpassword), arena)) == protocol::PasswordKind::md5) {
    // Its salt is the name.
    row->set_null(r::rolpassword);
    report_notice(sqlstate::successful_completion, "MD5 password cleared because of role rename");
  }
  table.update(*row);
}

}  // namespace hathi::ddl
