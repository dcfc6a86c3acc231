// Settings whose values only the upper layers can check: who we are, the running transaction, tablespaces.

#include "setting_hooks.h"
#include "functions_session.h"

#include <map>

#include "hathi/catalog/catalog_table.h"
#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/session_settings.h"
#include "hathi/config/settings.h"
#include "hathi/datum/datum.h"
#include "hathi/error/sql_error.h"
#include "hathi/session/backend_main.h"
#include "hathi/transaction/transaction.h"

namespace hathi::session {

namespace {

using config::CheckResult;

// What a check hook found out about a role, for the assign hook, which runs at rollback too and must not read the catalog.
struct KnownRole {
  Oid oid;
  bool superuser;
};
std::map<std::string, KnownRole, std::less<>>& known_roles() {
  static std::map<std::string, KnownRole, std::less<>> roles;
  return roles;
}

const KnownRole* remember_role(const std::string& name) {
  const catalog::RoleInfo* role = catalog::find_role_by_name(name);
  if (role == nullptr) return nullptr;
  return &known_roles().insert_or_assign(name, KnownRole{role->oid, role->superuser}).first->second;
}

CheckResult no_such_role(const std::string& name) {
  CheckResult result;
  result.ok = false;
  result.message = fmt::format("role \"{}\" does not exist", name);
  return result;
}

CheckResult denied(std::string message) {
  CheckResult result;
  result.ok = false;
  result.code = sqlstate::insufficient_privilege;
  result.message = std::move(message);
  return result;
}

void publish_superuser(bool superuser) {
  config::set("is_superuser", superuser ? "on" : "off", config::Source::override_value, false, true);
}

CheckResult check_session_authorization(std::string& value) {
  // Outside a transaction: a value from a file or the start packet, looked at when the session opens.
  if (value.empty() || !transaction::is_running()) return {};
  const KnownRole* role = remember_role(value);
  if (role == nullptr) return no_such_role(value);
  if (role->oid != catalog::authenticated_role() && !catalog::is_superuser(catalog::authenticated_role())) {
    return denied("permission denied to set session authorization");
  }
  return {};
}

bool role_is_active = false;  // by SET ROLE

void assign_session_authorization() {
  auto role = known_roles().find(config::values::session_authorization);
  if (role == known_roles().end()) return;
  role_is_active = false;
  catalog::set_session_role(role->second.oid);
  publish_superuser(role->second.superuser);
}

CheckResult check_role(std::string& value) {
  if (value == "none" || !transaction::is_running()) return {};
  const KnownRole* role = remember_role(value);
  if (role == nullptr) return no_such_role(value);
  if (!catalog::can_set_role(catalog::session_role(), role->oid)) return denied(fmt::format("permission denied to set role \"{}\"", value));
  return {};
}

void assign_role() {
  auto role = known_roles().find(config::values::role);
  role_is_active = config::values::role != "none" && role != known_roles().end();
  if (role_is_active) {
    catalog::set_current_role(role->second.oid);
    publish_superuser(role->second.superuser);
    return;
  }
  catalog::set_current_role(catalog::session_role());
  for (const auto& [name, known] : known_roles()) {
    if (known.oid == catalog::session_role()) publish_superuser(known.superuser);
  }
}

// SET SESSION AUTHORIZATION takes SET ROLE back.
std::string show_role() { return role_is_active ? config::values::role : "none"; }

bool tablespace_exists(const std::string& name) {
  namespace t = catalog::pg_tablespace;
  Arena arena(512);
  catalog::CatalogTable table(catalog_oid::pg_tablespace, locking::LockMode::access_share);
  return table.find({{t::spcname, make_name(arena, name)}}, arena).has_value();
}

CheckResult check_default_tablespace(std::string& value) {
  if (value.empty() || !transaction::is_running() || tablespace_exists(value)) return {};
  CheckResult result;
  result.ok = false;
  result.detail = fmt::format("Tablespace \"{}\" does not exist.", value);
  return result;
}

CheckResult check_temp_tablespaces(std::string& value) {
  std::optional<std::vector<std::string>> names = config::split_name_list(value);
  CheckResult result;
  if (!names) {
    result.ok = false;
    result.detail = "List syntax is invalid.";
    return result;
  }
  if (!transaction::is_running()) return {};
  for (const std::string& name : *names) {
    if (!name.empty() && !tablespace_exists(name)) throw SqlError(sqlstate::undefined_object, "tablespace \"{}\" does not exist", name);
  }
  return {};
}

// Runs a setter of transaction/ for its checks; the settings machinery sets the variable itself, after it has remembered the old value.
template <class T, class F>
void only_check(T& variable, F set) {
  T old = variable;
  set();
  variable = old;
}

void refuse_serializable(const std::string& value) {
  if (value == "serializable") throw_not_supported("isolation level serializable");
}

CheckResult check_isolation(std::string& value) {
  refuse_serializable(value);
  if (!transaction::is_running()) return {};
  using transaction::Isolation;
  for (Isolation level : {Isolation::read_uncommitted, Isolation::read_committed, Isolation::repeatable_read}) {
    if (value == transaction::isolation_name(level))
      only_check(config::values::transaction_isolation, [&] { transaction::set_isolation(level); });
  }
  return {};
}
CheckResult check_default_isolation(std::string& value) {
  refuse_serializable(value);
  return {};
}
CheckResult check_read_only(std::string& value) {
  if (transaction::is_running()) only_check(config::values::transaction_read_only, [&] { transaction::set_read_only(value == "on"); });
  return {};
}
CheckResult check_deferrable(std::string& value) {
  if (transaction::is_running()) only_check(config::values::transaction_deferrable, [&] { transaction::set_deferrable(value == "on"); });
  return {};
}

}  // namespace

void publish_identity(std::string_view role_name) {
  remember_role(std::string(role_name));
  config::set("session_authorization", role_name, config::Source::override_value, false, true);
}

void install_setting_hooks() {
  config::install_hooks("session_authorization", check_session_authorization, assign_session_authorization, nullptr);
  config::install_hooks("role", check_role, assign_role, show_role);
  config::install_hooks("application_name", nullptr, note_application_name, nullptr);
  config::install_hooks("default_tablespace", check_default_tablespace, nullptr, nullptr);
  config::install_hooks("temp_tablespaces", check_temp_tablespaces, nullptr, nullptr);
  config::install_hooks("transaction_isolation", check_isolation, nullptr, nullptr);
  config::install_hooks("default_transaction_isolation", check_default_isolation, nullptr, nullptr);
  config::install_hooks("transaction_read_only", check_read_only, nullptr, nullptr);
  config::install_hooks("transaction_deferrable", check_deferrable, nullptr, nullptr);
}

}  // namespace hathi::session
