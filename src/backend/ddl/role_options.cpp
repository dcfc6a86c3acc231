#include "role_options.h"

#include "hathi/catalog/columns.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/session_settings.h"
#include "hathi/datum/function.h"
#include "hathi/error/report.h"
#include "hathi/parser/parser.h"
#include "hathi/protocol/password.h"
#include "database_options.h"
#include "option_values.h"
#include "row_values.h"

namespace hathi::ddl {

namespace {

namespace r = catalog::pg_authid;

Datum timestamp_from_text(const std::string& text, Arena& arena) {
  constexpr Oid kTimestamptzIn{1150};
  FunctionSite site;
  site.function = find_builtin_function(kTimestamptzIn)->function;
  site.oid = kTimestamptzIn;
  site.argument_count = 3;
  FunctionContext context;
  context.arena = &arena;
  NullableDatum args[3] = {
      {Datum::of(static_cast<const void*>(arena.copy(text).data())), false}, {Datum::of(kInvalidOid), false}, {Datum::of(std::int32_t{-1}), false}};
  FunctionCall call;
  call.site = &site;
  call.context = &context;
  call.args = args;
  call.state_arena = &arena;
  return site.function(call);
}

void store_password(catalog::CatalogRow& row, const parser::Option& option, std::string_view role, Arena& arena) {
  row.set_null(r::rolpassword);
  if (option.value == nullptr) return;
  std::string text = parser::option_text(option);
  bool empty = text.empty();
  if (!empty && protocol::password_kind(text) != protocol::PasswordKind::plain) {
    empty = protocol::check_plain_password("", text, role);
    if (!empty) row.set(r::rolpassword, text_value(arena, text));
  } else if (!empty) {
    constexpr int kMd5 = 1;
    row.set(r::rolpassword, text_value(arena, config::values::password_encryption == kMd5 ? protocol::make_md5_password(text, role)
                                                                                          : protocol::make_scram_verifier(text)));
  }
  if (empty) report_notice(sqlstate::successful_completion, "empty string is not a valid password, clearing password");
}

}  // namespace

RoleOptions read_role_options(const parser::OptionList& options) {
  RoleOptions out;
  struct Place { std::string_view name; const parser::Option** option; };
  const Place places[] = {{"password", &out.password}, {"superuser", &out.superuser}, {"inherit", &out.inherit}, {"createrole", &out.create_role},
                          {"createdb", &out.create_db}, {"canlogin", &out.can_login}, {"isreplication", &out.replication}, {"bypassrls", &out.bypass_rls},
                          {"connectionlimit", &out.connection_limit}, {"validUntil", &out.valid_until}, {"rolemembers", &out.members},
                          {"adminmembers", &out.admins}, {"addroleto", &out.member_of}};
  for (const parser::Option* option : options) {
    if (option->name == "sysid") {
      report_notice(sqlstate::successful_completion, "SYSID can no longer be specified");
      continue;
    }
    for (const Place& p : places) {
      if (p.name == option->name) take_option(*p.option, *option);
    }
  }
  if (out.connection_limit != nullptr) connection_limit(*out.connection_limit);
  return out;
}

List<parser::RoleSpec*> role_list_of(const parser::Option* option, Arena& arena) {
  List<parser::RoleSpec*> out;
  if (option == nullptr) return out;
  for (parser::Node* node : parser::node_cast<parser::NodeList>(option->value)->items)
    out.push_back(arena, const_cast<parser::RoleSpec*>(parser::node_cast<parser::RoleSpec>(node)));
  return out;
}

void store_role_options(catalog::CatalogRow& row, const RoleOptions& o, std::string_view role, Arena& arena) {
  auto flag = [&](AttrNumber column, const parser::Option* option) {
    if (option != nullptr) row.set(column, Datum::of(option_boolean(*option)));
  };
  flag(r::rolsuper, o.superuser);
  flag(r::rolinherit, o.inherit);
  flag(r::rolcreaterole, o.create_role);
  flag(r::rolcreatedb, o.create_db);
  flag(r::rolcanlogin, o.can_login);
  flag(r::rolreplication, o.replication);
  flag(r::rolbypassrls, o.bypass_rls);
  if (o.connection_limit != nullptr) row.set(r::rolconnlimit, Datum::of(static_cast<std::int32_t>(connection_limit(*o.connection_limit))));
  if (o.valid_until != nullptr) row.set(r::rolvaliduntil, timestamp_from_text(parser::option_text(*o.valid_until), arena));
  if (o.password != nullptr) store_password(row, *o.password, role, arena);
}

void require_free_prefix(std::string_view name) {
  if (!name.starts_with("pg_")) return;
  throw SqlError(sqlstate::reserved_name, "role name \"{}\" is reserved", name).detail("Role names starting with \"pg_\" are reserved.");
}

bool may_create_roles() {
  const catalog::RoleInfo* me = catalog::find_role(catalog::current_role());
  return me->superuser || me->create_role;
}

}  // namespace hathi::ddl
