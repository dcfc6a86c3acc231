// Extensions, publications, subscriptions, foreign data, languages, access methods.

#include "parser_impl.h"

namespace hathi::parser {

StatementNode* Parser::create_extension(int location) {
  CreateExtensionStatement* e = make<CreateExtensionStatement>(location);
  e->if_not_exists = if_not_exists();
  e->name = col_id();
  optional_with();
  for (;;) {
    const int l = loc();
    if (accept(Tok::kw_schema)) {
      const int value = loc();
      push(e->options, make_option("schema", make_string(col_id(), value), l));
    } else if (accept(Tok::kw_version)) {
      const int value = loc();
      push(e->options, make_option("new_version", make_string(non_reserved_word_or_string(), value), l));
    } else if (accept(Tok::kw_from)) {
      non_reserved_word_or_string();
      throw SqlError(sqlstate::feature_not_supported, "CREATE EXTENSION ... FROM is no longer supported").at(l);
    } else if (accept(Tok::kw_cascade)) {
      push(e->options, make_option("cascade", make_boolean(true, l), l));
    } else {
      return e;
    }
  }
}

// ALTER EXTENSION was consumed.
StatementNode* Parser::alter_extension(int location) {
  AlterExtensionStatement* e = make<AlterExtensionStatement>(location);
  e->name = col_id();
  if (accept(Tok::kw_update)) {
    while (at(Tok::kw_to)) {
      const int l = loc();
      advance();
      const int value = loc();
      push(e->options, make_option("new_version", make_string(non_reserved_word_or_string(), value), l));
    }
    return e;
  }
  if (at(Tok::kw_set)) {
    ObjectRef* o = make_object(ObjectType::extension, location);
    push_name(o, e->name);
    return alter_object_with_commands(o, 4);
  }
  e->member_action = at(Tok::kw_add) ? 1 : -1;
  if (!accept(Tok::kw_add)) expect(Tok::kw_drop);
  e->object = member_object();
  return e;
}

// ---- publications, subscriptions ----

// The list is complete before what is wrong with it is reported: error holds it for the caller to throw.
// A list in which TABLE and TABLES IN SCHEMA carry over to the names behind them.
List<PublicationObject*> Parser::publication_objects(std::optional<SqlError>& error) {
  List<PublicationObject*> list;
  bool first = true, tables = true;
  auto note = [&](const char* message, int location, const char* detail) {
    if (error) return;
    error = SqlError(sqlstate::syntax_error, "{}", message);
    if (detail != nullptr) error->detail(detail);
    error->at(location);
  };
  do {
    PublicationObject* o = make<PublicationObject>();
    bool continuation = false;
    bool plain_name = false;
    if (accept(Tok::kw_table)) {
      tables = true;
      o->relation = relation_expr();
    } else if (at(Tok::kw_tables) && next_is(Tok::kw_in)) {
      advance();
      advance();
      expect(Tok::kw_schema);
      tables = false;
      o->location = loc();
      o->type = accept(Tok::kw_current_schema) ? PublicationObjectKind::tables_in_current_schema : PublicationObjectKind::tables_in_schema;
      if (o->type == PublicationObjectKind::tables_in_schema) o->schema = col_id();
      push(list, o);
      first = false;
      continue;
    } else {
      continuation = true;
      if (accept(Tok::kw_current_schema)) {
        o->type = PublicationObjectKind::tables_in_current_schema;
      } else {
        const bool only = at(Tok::kw_only);
        o->relation = only ? relation_expr() : qualified_name();
        const bool star = !only && accept('*');
        plain_name = !only && !star && o->relation->schema.empty();
        if (only || star) o->location = 0;
      }
    }
    if (o->type == PublicationObjectKind::table) {
      o->columns = optional_column_list();
      if (accept(Tok::kw_where)) {
        expect('(');
        o->where = expression();
        expect(')');
      }
    }
    if (continuation && first) {
      note("invalid publication object list", o->location,
           "One of TABLE or TABLES IN SCHEMA must be specified before a standalone table or schema name.");
    } else if (continuation && tables) {
      if (o->type != PublicationObjectKind::table) note("invalid table name", o->location, nullptr);
    } else if (continuation && o->type == PublicationObjectKind::table) {
      if (o->where != nullptr) note("WHERE clause not allowed for schema", o->location, nullptr);
      if (!o->columns.empty()) note("column specification not allowed for schema", o->location, nullptr);
      if (!plain_name) note("invalid schema name", o->location, nullptr);
      o->type = PublicationObjectKind::tables_in_schema;
      o->schema = o->relation->name;
      o->relation = nullptr;
    }
    first = false;
    push(list, o);
  } while (accept(','));
  return list;
}

StatementNode* Parser::create_publication(int location) {
  CreatePublicationStatement* p = make<CreatePublicationStatement>(location);
  p->name = col_id();
  std::optional<SqlError> error;
  if (accept(Tok::kw_for)) {
    if (accept(Tok::kw_all)) {
      expect(Tok::kw_tables);
      p->for_all_tables = true;
    } else {
      p->objects = publication_objects(error);
    }
  }
  p->options = optional_with_definition();
  need_token();
  if (error) throw *error;
  return p;
}

StatementNode* Parser::alter_publication(int location) {
  const Name name = col_id();
  if (at_any(Tok::kw_rename, Tok::kw_owner)) {
    ObjectRef* o = make_object(ObjectType::publication, location);
    push_name(o, name);
    return alter_object_with_commands(o, 3);
  }
  AlterPublicationStatement* a = make<AlterPublicationStatement>(location);
  a->name = name;
  if (at(Tok::kw_set) && next_is('(')) {
    advance();
    a->options = definition();
    return a;
  }
  switch (tok()) {
    case Tok::kw_add: a->action = PublicationAction::add; break;
    case Tok::kw_set: a->action = PublicationAction::set; break;
    case Tok::kw_drop: a->action = PublicationAction::drop; break;
    default: syntax_error();
  }
  advance();
  std::optional<SqlError> error;
  a->objects = publication_objects(error);
  need_token();
  if (error) throw *error;
  return a;
}

StatementNode* Parser::create_subscription(int location) {
  CreateSubscriptionStatement* s = make<CreateSubscriptionStatement>(location);
  s->name = col_id();
  expect(Tok::kw_connection);
  s->connection = string_constant();
  expect(Tok::kw_publication);
  s->publications = name_list();
  s->options = optional_with_definition();
  return s;
}

StatementNode* Parser::alter_subscription(int location) {
  const Name name = col_id();
  if (at_any(Tok::kw_rename, Tok::kw_owner)) {
    ObjectRef* o = make_object(ObjectType::subscription, location);
    push_name(o, name);
    return alter_object_with_commands(o, 3);
  }
  AlterSubscriptionStatement* a = make<AlterSubscriptionStatement>(location);
  a->name = name;
  const int l = loc();
  auto publications = [&](SubscriptionAction action) {
    a->action = action;
    expect(Tok::kw_publication);
    a->publications = name_list();
    a->options = optional_with_definition();
  };
  switch (tok()) {
    case Tok::kw_connection:
      advance();
      a->action = SubscriptionAction::connection;
      a->connection = string_constant();
      return a;
    case Tok::kw_refresh:
      advance();
      expect(Tok::kw_publication);
      a->action = SubscriptionAction::refresh;
      a->options = optional_with_definition();
      return a;
    case Tok::kw_add:
      advance();
      publications(SubscriptionAction::add_publication);
      return a;
    case Tok::kw_drop:
      advance();
      publications(SubscriptionAction::drop_publication);
      return a;
    case Tok::kw_enable:
    case Tok::kw_disable:
      a->action = SubscriptionAction::enabled;
      push(a->options, make_option("enabled", make_boolean(at(Tok::kw_enable), l), l));
      advance();
      return a;
    case Tok::kw_skip:
      advance();
      a->action = SubscriptionAction::skip;
      a->options = definition();
      return a;
    default: break;
  }
  expect(Tok::kw_set);
  if (at('(')) {
    a->options = definition();
  } else {
    publications(SubscriptionAction::set_publication);
  }
  return a;
}

// ---- foreign data ----

// {HANDLER f | NO HANDLER | VALIDATOR f | NO VALIDATOR}
OptionList Parser::wrapper_functions() {
  OptionList list;
  while (at_any(Tok::kw_handler, Tok::kw_validator, Tok::kw_no)) {
    const int l = loc();
    const bool no = accept(Tok::kw_no);
    const char* name = at(Tok::kw_handler) ? "handler" : "validator";
    if (!accept(Tok::kw_handler)) expect(Tok::kw_validator);
    NameList* function = nullptr;
    if (!no) {
      function = make<NameList>();
      function->names = any_name();
    }
    push(list, make_option(name, function, l));
  }
  return list;
}

// … DATA WRAPPER was consumed.
StatementNode* Parser::create_wrapper(bool alter, int location) {
  CreateForeignObjectStatement* w = make<CreateForeignObjectStatement>(location);
  w->type_of_object = ObjectType::foreign_data_wrapper;
  w->alter = alter;
  w->name = col_id();
  if (alter && at_any(Tok::kw_rename, Tok::kw_owner)) {
    ObjectRef* o = make_object(ObjectType::foreign_data_wrapper, location);
    push_name(o, w->name);
    return alter_object_with_commands(o, 3);
  }
  w->functions = wrapper_functions();
  if (alter && w->functions.empty() && !at(Tok::kw_options)) syntax_error();
  w->options = alter && at(Tok::kw_options) ? alter_generic_options() : optional_generic_options();
  return w;
}

StatementNode* Parser::create_server(bool alter, int location) {
  CreateForeignObjectStatement* s = make<CreateForeignObjectStatement>(location);
  s->alter = alter;
  s->if_not_exists = !alter && if_not_exists();
  s->name = col_id();
  if (alter && at_any(Tok::kw_rename, Tok::kw_owner)) {
    ObjectRef* o = make_object(ObjectType::foreign_server, location);
    push_name(o, s->name);
    return alter_object_with_commands(o, 3);
  }
  if (!alter && accept(Tok::kw_type)) s->server_type = string_constant();
  if (accept(Tok::kw_version)) {
    s->has_version = true;
    if (!accept(Tok::kw_null)) s->version = string_constant();
  }
  if (alter) {
    if (!s->has_version || at(Tok::kw_options)) s->options = alter_generic_options();
    return s;
  }
  expect_all(Tok::kw_foreign, Tok::kw_data, Tok::kw_wrapper);
  s->wrapper = col_id();
  s->options = optional_generic_options();
  return s;
}

RoleSpec* Parser::user_mapping_role() {
  if (!at(Tok::kw_user)) return role_spec();
  RoleSpec* role = make<RoleSpec>();
  role->role_kind = RoleKind::current_user;
  advance();
  return role;
}

// … USER MAPPING was consumed.
StatementNode* Parser::create_user_mapping(bool alter, int location) {
  CreateForeignObjectStatement* m = make<CreateForeignObjectStatement>(location);
  m->type_of_object = ObjectType::user_mapping;
  m->alter = alter;
  m->if_not_exists = !alter && if_not_exists(false);
  expect(Tok::kw_for);
  m->role = user_mapping_role();
  expect(Tok::kw_server);
  m->name = col_id();
  m->options = alter ? alter_generic_options() : optional_generic_options();
  return m;
}

StatementNode* Parser::import_foreign_schema() {
  ImportForeignSchemaStatement* i = make<ImportForeignSchemaStatement>();
  advance();
  expect_all(Tok::kw_foreign, Tok::kw_schema);
  i->remote_schema = col_id();
  if (accept(Tok::kw_limit)) {
    expect(Tok::kw_to);
    i->list = ImportList::limit_to;
  } else if (accept(Tok::kw_except)) {
    i->list = ImportList::except;
  }
  if (i->list != ImportList::all) {
    expect('(');
    i->tables = comma_list<RangeVar*>([&] { return relation_expr(); });
    expect(')');
  }
  expect_all(Tok::kw_from, Tok::kw_server);
  i->server = col_id();
  expect(Tok::kw_into);
  i->local_schema = col_id();
  i->options = optional_generic_options();
  return i;
}

// ---- languages, access methods ----

// LANGUAGE is current.
StatementNode* Parser::create_language(bool replace, bool trusted, int location) {
  CreateLanguageStatement* l = make<CreateLanguageStatement>(location);
  l->replace = replace;
  l->trusted = trusted;
  expect(Tok::kw_language);
  l->name = col_id();
  if (!accept(Tok::kw_handler)) return l;
  l->handler = any_name();
  if (accept(Tok::kw_inline)) l->inline_handler = any_name();
  if (accept(Tok::kw_validator)) {
    l->validator = any_name();
  } else if (accept(Tok::kw_no)) {
    expect(Tok::kw_validator);
  }
  return l;
}

StatementNode* Parser::create_access_method(int location) {
  CreateAccessMethodStatement* m = make<CreateAccessMethodStatement>(location);
  m->name = col_id();
  expect(Tok::kw_type);
  m->is_table = at(Tok::kw_table);
  if (!accept(Tok::kw_table)) expect(Tok::kw_index);
  expect(Tok::kw_handler);
  m->handler = any_name();
  return m;
}

}  // namespace hathi::parser
