// Roles, databases, tablespaces, privileges.

#include "parser_impl.h"

namespace hathi::parser {

namespace {
struct RoleWord {
  std::string_view word;
  std::string_view option;
  bool value;
};
constexpr RoleWord kRoleWords[] = {
    {"superuser", "superuser", true},      {"nosuperuser", "superuser", false},    {"createrole", "createrole", true},
    {"nocreaterole", "createrole", false}, {"replication", "isreplication", true}, {"noreplication", "isreplication", false},
    {"createdb", "createdb", true},        {"nocreatedb", "createdb", false},      {"login", "canlogin", true},
    {"nologin", "canlogin", false},        {"bypassrls", "bypassrls", true},       {"nobypassrls", "bypassrls", false},
    {"noinherit", "inherit", false},
};
}  // namespace

// Options that are plain words; the current token is an identifier.
bool Parser::role_word_option(Option* o) {
  for (const RoleWord& w : kRoleWords) {
    if (w.word == current_.text) {
      o->name = w.option;
      o->value = make_boolean(w.value, o->location);
      advance();
      return true;
    }
  }
  throw SqlError(sqlstate::syntax_error, "unrecognized role option \"{}\"", current_.text).at(loc());
}

Option* Parser::role_option(bool create) {
  Option* o = make<Option>();
  auto members = [&](const char* name) {
    NodeList* list = make<NodeList>();
    for (RoleSpec* r : role_list()) push<Node*>(list->items, r);
    o->name = name;
    o->value = list;
    return o;
  };
  switch (tok()) {
    case Tok::identifier: role_word_option(o); return o;
    case Tok::kw_password: {
      advance();
      const int l = loc();
      o->name = "password";
      if (!accept(Tok::kw_null)) o->value = make_string(string_constant(), l);
      return o;
    }
    case Tok::kw_encrypted:
    case Tok::kw_unencrypted: {
      const bool encrypted = at(Tok::kw_encrypted);
      advance();
      expect(Tok::kw_password);
      const int l = loc();
      o->name = "password";
      o->value = make_string(string_constant(), l);
      if (!encrypted) {
        throw SqlError(sqlstate::feature_not_supported, "UNENCRYPTED PASSWORD is no longer supported")
            .hint("Remove UNENCRYPTED to store the password in encrypted form instead.")
            .at(o->location);
      }
      return o;
    }
    case Tok::kw_inherit:
      advance();
      o->name = "inherit";
      o->value = make_boolean(true, o->location);
      return o;
    case Tok::kw_connection: {
      advance();
      expect(Tok::kw_limit);
      const int l = loc();
      o->name = "connectionlimit";
      o->value = make_integer(signed_integer(), l);
      return o;
    }
    case Tok::kw_valid: {
      advance();
      expect(Tok::kw_until);
      const int l = loc();
      o->name = "validUntil";
      o->value = make_string(string_constant(), l);
      return o;
    }
    case Tok::kw_user: advance(); return members("rolemembers");
    default: break;
  }
  if (!create) return nullptr;
  switch (tok()) {
    case Tok::kw_sysid: {
      advance();
      const int l = loc();
      o->name = "sysid";
      o->value = make_integer(integer_constant(), l);
      return o;
    }
    case Tok::kw_admin: advance(); return members("adminmembers");
    case Tok::kw_role: advance(); return members("rolemembers");
    case Tok::kw_in:
      advance();
      if (!accept(Tok::kw_role)) expect(Tok::kw_group);
      return members("addroleto");
    default: return nullptr;
  }
}

StatementNode* Parser::create_role(RoleStatementKind kind, int location) {
  CreateRoleStatement* r = make<CreateRoleStatement>(location);
  r->type = kind;
  r->name = role_id();
  optional_with();
  while (Option* o = role_option(true)) push(r->options, o);
  return r;
}

// [IN DATABASE name] SET … | RESET …, the role consumed.
StatementNode* Parser::setting_of_role(RoleSpec* role, bool all, int location) {
  SettingOfStatement* s = make<SettingOfStatement>(location);
  s->role = role;
  s->all_roles = all;
  if (accept(Tok::kw_in)) {
    expect(Tok::kw_database);
    s->database = col_id();
  }
  if (at(Tok::kw_reset)) {
    s->setting = reset_rest();
  } else {
    expect(Tok::kw_set);
    s->setting = set_rest();
  }
  return s;
}

// ALTER ROLE or ALTER USER was consumed.
StatementNode* Parser::alter_role(int location) {
  if (accept(Tok::kw_all)) return setting_of_role(nullptr, true, location);
  RoleSpec* role = role_spec();
  if (at(Tok::kw_rename)) {
    check_role_id(role);
    ObjectRef* o = make_object(ObjectType::role, location);
    push_name(o, role->name);
    advance();
    expect(Tok::kw_to);
    RenameStatement* r = make<RenameStatement>(location);
    r->type_of_object = ObjectType::role;
    r->object = o;
    r->new_name = role_id();
    return r;
  }
  if (at_any(Tok::kw_in, Tok::kw_set, Tok::kw_reset)) return setting_of_role(role, false, location);
  AlterRoleStatement* a = make<AlterRoleStatement>(location);
  a->role = role;
  optional_with();
  while (Option* o = role_option(false)) push(a->options, o);
  return a;
}

StatementNode* Parser::alter_group(int location) {
  RoleSpec* role = role_spec();
  if (at(Tok::kw_rename)) {
    check_role_id(role);
    ObjectRef* o = make_object(ObjectType::role, location);
    push_name(o, role->name);
    return rename_to(ObjectType::role, o, location);
  }
  AlterRoleStatement* a = make<AlterRoleStatement>(location);
  a->role = role;
  a->group_action = at(Tok::kw_add) ? 1 : -1;
  if (!accept(Tok::kw_add)) expect(Tok::kw_drop);
  const int l = loc();
  expect(Tok::kw_user);
  NodeList* list = make<NodeList>(l);
  for (RoleSpec* r : role_list()) push<Node*>(list->items, r);
  push(a->options, make_option("rolemembers", list, l));
  return a;
}

StatementNode* Parser::drop_role(int location) {
  DropRoleStatement* d = make<DropRoleStatement>(location);
  d->missing_ok = if_exists();
  d->roles = role_list();
  return d;
}

// ---- databases, tablespaces ----

// name [=] value
Option* Parser::database_option() {
  Option* o = make<Option>();
  switch (tok()) {
    case Tok::kw_connection:
      advance();
      expect(Tok::kw_limit);
      o->name = "connection_limit";
      break;
    case Tok::identifier:
    case Tok::kw_encoding:
    case Tok::kw_location:
    case Tok::kw_owner:
    case Tok::kw_tablespace:
    case Tok::kw_template: o->name = take_text(); break;
    default: return nullptr;
  }
  accept('=');
  if (accept(Tok::kw_default)) return o;
  o->value = boolean_or_string_or_number();
  if (o->value == nullptr) syntax_error();
  return o;
}

StatementNode* Parser::create_database(int location) {
  CreateDatabaseStatement* d = make<CreateDatabaseStatement>(location);
  d->name = col_id();
  optional_with();
  while (Option* o = database_option()) push(d->options, o);
  return d;
}

// ALTER DATABASE was consumed.
StatementNode* Parser::alter_database(int location) {
  const Name name = col_id();
  if (at(Tok::kw_rename) || at(Tok::kw_owner)) {
    const bool owner_option = at(Tok::kw_owner) && !next_is(Tok::kw_to);
    if (!owner_option) {
      ObjectRef* o = make_object(ObjectType::database, location);
      push_name(o, name);
      return alter_object_with_commands(o, 3);
    }
  }
  if (at(Tok::kw_reset) ||
      (at(Tok::kw_set) && !(next_is(Tok::kw_tablespace) && has_flag(peek_kind(2), kMayBeColumn) && peek_kind(2) != Tok::kw_to))) {
    SettingOfStatement* s = make<SettingOfStatement>(location);
    s->of_database = true;
    s->database = name;
    if (at(Tok::kw_reset)) {
      s->setting = reset_rest();
    } else {
      advance();
      s->setting = set_rest();
    }
    return s;
  }
  AlterDatabaseStatement* a = make<AlterDatabaseStatement>(location);
  a->name = name;
  if (at(Tok::kw_set)) {
    advance();
    const int l = loc();
    advance();
    const int value = loc();
    push(a->options, make_option("tablespace", make_string(col_id(), value), l));
    return a;
  }
  if (accept(Tok::kw_refresh)) {
    expect_all(Tok::kw_collation, Tok::kw_version);
    a->refresh_collation_version = true;
    return a;
  }
  accept(Tok::kw_with);
  while (Option* o = database_option()) push(a->options, o);
  return a;
}

StatementNode* Parser::drop_database(int location) {
  DropDatabaseStatement* d = make<DropDatabaseStatement>(location);
  d->missing_ok = if_exists();
  d->name = col_id();
  const bool with = optional_with();
  if (with || at('(')) {
    expect('(');
    d->options = comma_list<Option*>([&] {
      const int l = loc();
      expect(Tok::kw_force);
      return make_option("force", nullptr, l);
    });
    expect(')');
  }
  return d;
}

StatementNode* Parser::create_tablespace(int location) {
  CreateTablespaceStatement* t = make<CreateTablespaceStatement>(location);
  t->name = col_id();
  if (accept(Tok::kw_owner)) t->owner = role_spec();
  expect(Tok::kw_location);
  t->location_path = string_constant();
  t->options = optional_rel_options();
  return t;
}

StatementNode* Parser::alter_tablespace(int location) {
  const Name name = col_id();
  if (at_any(Tok::kw_set, Tok::kw_reset)) {
    AlterTablespaceStatement* a = make<AlterTablespaceStatement>(location);
    a->name = name;
    a->reset = at(Tok::kw_reset);
    advance();
    a->options = rel_options();
    return a;
  }
  ObjectRef* o = make_object(ObjectType::tablespace, location);
  push_name(o, name);
  return alter_object_with_commands(o, 3);
}

// ---- privileges ----

Privilege Parser::privilege() {
  Privilege p;
  p.location = loc();
  if (at(Tok::kw_alter) && next_is(Tok::kw_system)) {
    advance();
    advance();
    p.name = "alter system";
    return p;
  }
  if (at_any(Tok::kw_select, Tok::kw_references, Tok::kw_create)) {
    p.name = take_text();
  } else {
    p.name = col_id();
  }
  p.columns = optional_column_list();
  return p;
}

// ALL [PRIVILEGES] [(columns)] | privilege, …
List<Privilege> Parser::privileges(bool& all) {
  all = false;
  if (!at(Tok::kw_all)) return comma_list<Privilege>([&] { return privilege(); });
  all = true;
  List<Privilege> list;
  Privilege p;
  p.location = loc();
  advance();
  accept(Tok::kw_privileges);
  if (at('(')) {
    p.columns = parenthesized_names();
    push(list, p);
  }
  return list;
}

// The objects behind ON. Words that name a kind of object may also be a table's name when no name follows them.
void Parser::grant_target(GrantStatement* g) {
  auto objects_by_name = [&](ObjectType type, bool qualified) {
    g->type_of_object = type;
    do {
      ObjectRef* o = make_object(type, loc());
      if (qualified) {
        o->name = any_name();
      } else {
        push_name(o, type == ObjectType::parameter ? setting_name() : col_id());
      }
      if (type == ObjectType::type || type == ObjectType::domain) {
        o->type = make<TypeName>(o->location);
        o->type->names = o->name;
      }
      push<Node*>(g->objects, o);
    } while (accept(','));
  };
  auto relations = [&](ObjectType type) {
    g->type_of_object = type;
    do push<Node*>(g->objects, qualified_name());
    while (accept(','));
  };
  if (accept(Tok::kw_table)) return relations(ObjectType::table);
  if (accept(Tok::kw_foreign)) {
    if (accept(Tok::kw_server)) return objects_by_name(ObjectType::foreign_server, false);
    expect_all(Tok::kw_data, Tok::kw_wrapper);
    return objects_by_name(ObjectType::foreign_data_wrapper, false);
  }
  if (accept(Tok::kw_all)) {
    switch (tok()) {
      case Tok::kw_tables: g->type_of_object = ObjectType::table; break;
      case Tok::kw_sequences: g->type_of_object = ObjectType::sequence; break;
      case Tok::kw_functions: g->type_of_object = ObjectType::function; break;
      case Tok::kw_procedures: g->type_of_object = ObjectType::procedure; break;
      case Tok::kw_routines: g->type_of_object = ObjectType::routine; break;
      default: syntax_error();
    }
    const ObjectType type = g->type_of_object;
    advance();
    expect_all(Tok::kw_in, Tok::kw_schema);
    objects_by_name(ObjectType::schema, false);
    g->type_of_object = type;
    g->target = GrantTarget::all_in_schema;
    return;
  }
  const Tok following = peek_kind();
  const bool name_follows = has_flag(following, kMayBeColumn);
  ObjectType routine;
  switch (tok()) {
    case Tok::kw_sequence:
      if (name_follows) {
        advance();
        return relations(ObjectType::sequence);
      }
      break;
    case Tok::kw_database:
      if (name_follows) {
        advance();
        return objects_by_name(ObjectType::database, false);
      }
      break;
    case Tok::kw_domain:
      if (name_follows) {
        advance();
        return objects_by_name(ObjectType::domain, true);
      }
      break;
    case Tok::kw_language:
      if (name_follows) {
        advance();
        return objects_by_name(ObjectType::language, false);
      }
      break;
    case Tok::kw_parameter:
      if (name_follows) {
        advance();
        return objects_by_name(ObjectType::parameter, false);
      }
      break;
    case Tok::kw_schema:
      if (name_follows) {
        advance();
        return objects_by_name(ObjectType::schema, false);
      }
      break;
    case Tok::kw_tablespace:
      if (name_follows) {
        advance();
        return objects_by_name(ObjectType::tablespace, false);
      }
      break;
    case Tok::kw_type:
      if (name_follows) {
        advance();
        return objects_by_name(ObjectType::type, true);
      }
      break;
    case Tok::kw_large:
      if (following != Tok::kw_object) break;
      advance();
      advance();
      g->type_of_object = ObjectType::large_object;
      do {
        ObjectRef* o = make_object(ObjectType::large_object, loc());
        o->number = numeric_constant()->text;
        push<Node*>(g->objects, o);
      } while (accept(','));
      return;
    case Tok::kw_function:
    case Tok::kw_procedure:
    case Tok::kw_routine:
      if (!name_follows && !has_flag(following, kMayBeFunction)) break;
      routine_object_type(routine);
      g->type_of_object = routine;
      do push<Node*>(g->objects, routine_with_args(routine));
      while (accept(','));
      return;
    default: break;
  }
  relations(ObjectType::table);
}

void Parser::grantees(GrantStatement* g) {
  g->grantees = comma_list<RoleSpec*>([&] {
    if (at(Tok::kw_group)) advance();
    return role_spec();
  });
}

StatementNode* Parser::finish_grant_role(const List<Privilege>& roles, bool grant, bool admin_for, int location) {
  GrantRoleStatement* g = make<GrantRoleStatement>(location);
  g->is_grant = grant;
  g->granted_roles = roles;
  g->admin_option = admin_for;
  expect(grant ? Tok::kw_to : Tok::kw_from);
  g->grantees = role_list();
  if (grant && accept(Tok::kw_with)) {
    expect_all(Tok::kw_admin, Tok::kw_option);
    g->admin_option = true;
  }
  if (accept(Tok::kw_granted)) {
    expect(Tok::kw_by);
    g->grantor = role_spec();
  }
  if (!grant) g->behavior = drop_behavior();
  return g;
}

StatementNode* Parser::grant_statement(bool grant, bool roles_allowed) {
  const int location = loc();
  advance();
  GrantStatement* g = make<GrantStatement>(location);
  g->is_grant = grant;
  bool admin_for = false;
  if (!grant && accept(Tok::kw_grant)) {
    expect_all(Tok::kw_option, Tok::kw_for);
    g->grant_option = true;
  } else if (!grant && at(Tok::kw_admin) && next_is(Tok::kw_option)) {
    advance();
    advance();
    expect(Tok::kw_for);
    admin_for = true;
  }
  bool all = false;
  if (admin_for && at(Tok::kw_all)) syntax_error();
  g->privileges = privileges(all);
  if (admin_for || (!all && !g->grant_option && !at(Tok::kw_on))) {
    if (!admin_for && (!roles_allowed || !at(grant ? Tok::kw_to : Tok::kw_from))) syntax_error();
    return finish_grant_role(g->privileges, grant, admin_for, location);
  }
  expect(Tok::kw_on);
  grant_target(g);
  expect(grant ? Tok::kw_to : Tok::kw_from);
  grantees(g);
  if (grant && accept(Tok::kw_with)) {
    expect_all(Tok::kw_grant, Tok::kw_option);
    g->grant_option = true;
  }
  if (accept(Tok::kw_granted)) {
    expect(Tok::kw_by);
    g->grantor = role_spec();
  }
  if (!grant) g->behavior = drop_behavior();
  return g;
}

// ALTER DEFAULT PRIVILEGES was consumed.
StatementNode* Parser::alter_default_privileges(int location) {
  AlterDefaultPrivilegesStatement* a = make<AlterDefaultPrivilegesStatement>(location);
  bool schemas = false, roles = false;
  while (at_any(Tok::kw_in, Tok::kw_for)) {
    const int option = loc();
    if (accept(Tok::kw_in)) {
      expect(Tok::kw_schema);
      if (schemas) throw SqlError(sqlstate::syntax_error, "conflicting or redundant options").at(option);
      schemas = true;
      a->schemas = name_list();
    } else {
      advance();
      if (!accept(Tok::kw_role)) expect(Tok::kw_user);
      if (roles) throw SqlError(sqlstate::syntax_error, "conflicting or redundant options").at(option);
      roles = true;
      a->roles = role_list();
    }
  }
  GrantStatement* g = make<GrantStatement>();
  a->action = g;
  g->target = GrantTarget::defaults;
  g->is_grant = at(Tok::kw_grant);
  if (!accept(Tok::kw_grant)) expect(Tok::kw_revoke);
  if (!g->is_grant && accept(Tok::kw_grant)) {
    expect_all(Tok::kw_option, Tok::kw_for);
    g->grant_option = true;
  }
  bool all;
  g->privileges = privileges(all);
  expect(Tok::kw_on);
  switch (tok()) {
    case Tok::kw_tables: g->type_of_object = ObjectType::table; break;
    case Tok::kw_functions:
    case Tok::kw_routines: g->type_of_object = ObjectType::function; break;
    case Tok::kw_sequences: g->type_of_object = ObjectType::sequence; break;
    case Tok::kw_types: g->type_of_object = ObjectType::type; break;
    case Tok::kw_schemas: g->type_of_object = ObjectType::schema; break;
    default: syntax_error();
  }
  advance();
  expect(g->is_grant ? Tok::kw_to : Tok::kw_from);
  grantees(g);
  if (g->is_grant && accept(Tok::kw_with)) {
    expect_all(Tok::kw_grant, Tok::kw_option);
    g->grant_option = true;
  }
  if (!g->is_grant) g->behavior = drop_behavior();
  return a;
}

StatementNode* Parser::reassign_statement() {
  ReassignOwnedStatement* r = make<ReassignOwnedStatement>();
  advance();
  expect_all(Tok::kw_owned, Tok::kw_by);
  r->roles = role_list();
  expect(Tok::kw_to);
  r->new_role = role_spec();
  return r;
}

}  // namespace hathi::parser
