// DROP, COMMENT, SECURITY LABEL and the ALTER commands that all objects share: RENAME, OWNER, SET SCHEMA, DEPENDS.

#include "parser_impl.h"

namespace hathi::parser {

ObjectRef* Parser::make_object(ObjectType type, int location) {
  ObjectRef* o = make<ObjectRef>(location);
  o->type_of_object = type;
  return o;
}

Constant* Parser::numeric_constant() {
  Constant* c = numeric_only();
  if (c->type == ConstantKind::integer) c->text = arena_.copy(std::to_string(c->integer));
  return c;
}

// Objects with a qualified name. Consumes the words.
bool Parser::any_name_object_type(ObjectType& type) {
  switch (tok()) {
    case Tok::kw_table: type = ObjectType::table; break;
    case Tok::kw_sequence: type = ObjectType::sequence; break;
    case Tok::kw_view: type = ObjectType::view; break;
    case Tok::kw_index: type = ObjectType::index; break;
    case Tok::kw_collation: type = ObjectType::collation; break;
    case Tok::kw_conversion: type = ObjectType::conversion; break;
    case Tok::kw_statistics: type = ObjectType::statistics; break;
    case Tok::kw_materialized:
      advance();
      expect(Tok::kw_view);
      type = ObjectType::materialized_view;
      return true;
    case Tok::kw_foreign:
      if (next_is(Tok::kw_data)) return false;
      advance();
      expect(Tok::kw_table);
      type = ObjectType::foreign_table;
      return true;
    case Tok::kw_text:
      advance();
      expect(Tok::kw_search);
      switch (tok()) {
        case Tok::kw_parser: type = ObjectType::text_search_parser; break;
        case Tok::kw_dictionary: type = ObjectType::text_search_dictionary; break;
        case Tok::kw_template: type = ObjectType::text_search_template; break;
        case Tok::kw_configuration: type = ObjectType::text_search_configuration; break;
        default: syntax_error();
      }
      break;
    default: return false;
  }
  advance();
  return true;
}

// Objects with a plain name, other than databases, roles, subscriptions and tablespaces. Consumes the words.
bool Parser::plain_name_object_type(ObjectType& type) {
  switch (tok()) {
    case Tok::kw_access:
      advance();
      expect(Tok::kw_method);
      type = ObjectType::access_method;
      return true;
    case Tok::kw_event:
      advance();
      expect(Tok::kw_trigger);
      type = ObjectType::event_trigger;
      return true;
    case Tok::kw_foreign:
      advance();
      expect_all(Tok::kw_data, Tok::kw_wrapper);
      type = ObjectType::foreign_data_wrapper;
      return true;
    case Tok::kw_procedural:
      advance();
      expect(Tok::kw_language);
      type = ObjectType::language;
      return true;
    case Tok::kw_extension: type = ObjectType::extension; break;
    case Tok::kw_language: type = ObjectType::language; break;
    case Tok::kw_publication: type = ObjectType::publication; break;
    case Tok::kw_schema: type = ObjectType::schema; break;
    case Tok::kw_server: type = ObjectType::foreign_server; break;
    default: return false;
  }
  advance();
  return true;
}

bool Parser::routine_object_type(ObjectType& type) {
  switch (tok()) {
    case Tok::kw_function: type = ObjectType::function; break;
    case Tok::kw_procedure: type = ObjectType::procedure; break;
    case Tok::kw_routine: type = ObjectType::routine; break;
    default: return false;
  }
  advance();
  return true;
}

// name [(parameters)]
ObjectRef* Parser::routine_with_args(ObjectType type) {
  ObjectRef* o = make_object(type, loc());
  const bool function_word = at_flag(kMayBeFunction);
  if (!function_word && !at_flag(kMayBeColumn)) syntax_error();
  const bool column_word = at_flag(kMayBeColumn);
  push_name(o, take_text());
  bool qualified = false;
  if (column_word && (at('.') || at('['))) {
    qualified = true;
    for (const IndirectionStep& s : indirection(true)) push_name(o, s.field);
  }
  if (at('(')) {
    if (!function_word && !qualified) syntax_error();
    o->has_args = true;
    o->parameters = function_parameters(false);
  }
  return o;
}

ObjectRef* Parser::aggregate_with_args() {
  ObjectRef* o = make_object(ObjectType::aggregate, loc());
  o->name = function_name();
  aggregate_signature(o);
  return o;
}

ObjectRef* Parser::type_object(ObjectType type) {
  ObjectRef* o = make_object(type, loc());
  o->type = type_name();
  o->name = o->type->names;
  return o;
}

// ---- DROP ----

StatementNode* Parser::drop_statement() {
  const int location = loc();
  advance();
  switch (tok()) {
    case Tok::kw_function: return drop_routines(ObjectType::function, location);
    case Tok::kw_procedure: return drop_routines(ObjectType::procedure, location);
    case Tok::kw_routine: return drop_routines(ObjectType::routine, location);
    case Tok::kw_aggregate: return drop_routines(ObjectType::aggregate, location);
    case Tok::kw_operator: return drop_operator(location);
    case Tok::kw_policy: return drop_on_relation(ObjectType::policy, location);
    case Tok::kw_rule: return drop_on_relation(ObjectType::rule, location);
    case Tok::kw_trigger: return drop_on_relation(ObjectType::trigger, location);
    case Tok::kw_owned: return drop_owned(location);
    case Tok::kw_role:
    case Tok::kw_group: advance(); return drop_role(location);
    case Tok::kw_user:
      advance();
      return at(Tok::kw_mapping) && (next_is(Tok::kw_for) || next_is(Tok::kw_if)) ? drop_user_mapping(location) : drop_role(location);
    case Tok::kw_database: advance(); return drop_database(location);
    case Tok::kw_tablespace: {
      advance();
      DropTablespaceStatement* d = make<DropTablespaceStatement>(location);
      d->missing_ok = if_exists();
      d->name = col_id();
      return d;
    }
    case Tok::kw_subscription: {
      advance();
      DropSubscriptionStatement* d = make<DropSubscriptionStatement>(location);
      d->missing_ok = if_exists();
      d->name = col_id();
      d->behavior = drop_behavior();
      return d;
    }
    case Tok::kw_cast:
    case Tok::kw_transform: {
      const bool cast = at(Tok::kw_cast);
      advance();
      DropStatement* d = make<DropStatement>(location);
      d->type_of_object = cast ? ObjectType::cast : ObjectType::transform;
      d->missing_ok = if_exists(false);
      ObjectRef* o = make_object(d->type_of_object, loc());
      if (cast) {
        expect('(');
        o->type = type_name();
        expect(Tok::kw_as);
        o->target_type = type_name();
        expect(')');
      } else {
        expect(Tok::kw_for);
        o->type = type_name();
        expect(Tok::kw_language);
        o->access_method = col_id();
      }
      push(d->objects, o);
      d->behavior = drop_behavior();
      return d;
    }
    case Tok::kw_type: advance(); return drop_objects(ObjectType::type, location);
    case Tok::kw_domain: advance(); return drop_objects(ObjectType::domain, location);
    case Tok::kw_foreign: return drop_foreign(location);
    default: break;
  }
  ObjectType type;
  if (!any_name_object_type(type) && !plain_name_object_type(type)) syntax_error();
  return drop_objects(type, location);
}

StatementNode* Parser::drop_foreign(int location) {
  advance();
  if (accept(Tok::kw_table)) return drop_objects(ObjectType::foreign_table, location);
  expect_all(Tok::kw_data, Tok::kw_wrapper);
  return drop_objects(ObjectType::foreign_data_wrapper, location);
}

namespace {
bool has_plain_name(ObjectType type) {
  switch (type) {
    case ObjectType::access_method:
    case ObjectType::event_trigger:
    case ObjectType::extension:
    case ObjectType::foreign_data_wrapper:
    case ObjectType::language:
    case ObjectType::publication:
    case ObjectType::schema:
    case ObjectType::foreign_server: return true;
    default: return false;
  }
}
}  // namespace

// [CONCURRENTLY] [IF EXISTS] names [CASCADE]; the kind was consumed.
StatementNode* Parser::drop_objects(ObjectType type, int location) {
  DropStatement* d = make<DropStatement>(location);
  d->type_of_object = type;
  if (type == ObjectType::index) d->concurrently = accept(Tok::kw_concurrently);
  d->missing_ok = if_exists();
  d->objects = comma_list<ObjectRef*>([&] {
    if (type == ObjectType::type || type == ObjectType::domain) return type_object(type);
    ObjectRef* o = make_object(type, loc());
    if (has_plain_name(type)) {
      push_name(o, col_id());
    } else {
      o->name = any_name();
    }
    return o;
  });
  d->behavior = drop_behavior();
  return d;
}

StatementNode* Parser::drop_routines(ObjectType type, int location) {
  DropStatement* d = make<DropStatement>(location);
  d->type_of_object = type;
  advance();
  d->missing_ok = if_exists();
  d->objects = comma_list<ObjectRef*>([&] { return type == ObjectType::aggregate ? aggregate_with_args() : routine_with_args(type); });
  d->behavior = drop_behavior();
  return d;
}

StatementNode* Parser::drop_on_relation(ObjectType type, int location) {
  DropStatement* d = make<DropStatement>(location);
  d->type_of_object = type;
  advance();
  d->missing_ok = if_exists();
  ObjectRef* o = make_object(type, loc());
  o->subname = col_id();
  expect(Tok::kw_on);
  o->name = any_name();
  push(d->objects, o);
  d->behavior = drop_behavior();
  return d;
}

StatementNode* Parser::drop_operator(int location) {
  DropStatement* d = make<DropStatement>(location);
  advance();
  if (at_any(Tok::kw_class, Tok::kw_family) && !next_is('.')) {
    d->type_of_object = at(Tok::kw_class) ? ObjectType::operator_class : ObjectType::operator_family;
    advance();
    d->missing_ok = if_exists();
    ObjectRef* o = make_object(d->type_of_object, loc());
    o->name = any_name();
    expect(Tok::kw_using);
    o->access_method = col_id();
    push(d->objects, o);
  } else {
    d->type_of_object = ObjectType::operator_;
    d->missing_ok = if_exists(next_is('.'));
    d->objects = comma_list<ObjectRef*>([&] { return operator_with_args(); });
  }
  d->behavior = drop_behavior();
  return d;
}

StatementNode* Parser::drop_owned(int location) {
  DropOwnedStatement* d = make<DropOwnedStatement>(location);
  advance();
  expect(Tok::kw_by);
  d->roles = role_list();
  d->behavior = drop_behavior();
  return d;
}

// MAPPING is current.
StatementNode* Parser::drop_user_mapping(int location) {
  DropStatement* d = make<DropStatement>(location);
  d->type_of_object = ObjectType::user_mapping;
  advance();
  d->missing_ok = if_exists(false);
  expect(Tok::kw_for);
  ObjectRef* o = make_object(ObjectType::user_mapping, loc());
  o->role = user_mapping_role();
  expect(Tok::kw_server);
  push_name(o, col_id());
  push(d->objects, o);
  return d;
}

// ---- COMMENT, SECURITY LABEL, members of extensions ----

// The object named in ALTER EXTENSION … ADD/DROP.
ObjectRef* Parser::member_object() {
  const int location = loc();
  ObjectType type;
  switch (tok()) {
    case Tok::kw_aggregate: advance(); return aggregate_with_args();
    case Tok::kw_cast: {
      advance();
      ObjectRef* o = make_object(ObjectType::cast, location);
      expect('(');
      o->type = type_name();
      expect(Tok::kw_as);
      o->target_type = type_name();
      expect(')');
      return o;
    }
    case Tok::kw_transform: {
      advance();
      ObjectRef* o = make_object(ObjectType::transform, location);
      expect(Tok::kw_for);
      o->type = type_name();
      expect(Tok::kw_language);
      o->access_method = col_id();
      return o;
    }
    case Tok::kw_domain: advance(); return type_object(ObjectType::domain);
    case Tok::kw_type: advance(); return type_object(ObjectType::type);
    case Tok::kw_operator: {
      advance();
      if (!at_any(Tok::kw_class, Tok::kw_family) || next_is('.')) return operator_with_args();
      ObjectRef* o = make_object(at(Tok::kw_class) ? ObjectType::operator_class : ObjectType::operator_family, location);
      advance();
      o->name = any_name();
      expect(Tok::kw_using);
      o->access_method = col_id();
      return o;
    }
    case Tok::kw_database: type = ObjectType::database; break;
    case Tok::kw_role: type = ObjectType::role; break;
    case Tok::kw_subscription: type = ObjectType::subscription; break;
    case Tok::kw_tablespace: type = ObjectType::tablespace; break;
    default: {
      if (routine_object_type(type)) return routine_with_args(type);
      ObjectRef* o = make_object(ObjectType::table, location);
      if (any_name_object_type(o->type_of_object)) {
        o->name = any_name();
      } else if (plain_name_object_type(o->type_of_object)) {
        push_name(o, col_id());
      } else {
        syntax_error();
      }
      return o;
    }
  }
  advance();
  ObjectRef* o = make_object(type, location);
  push_name(o, col_id());
  return o;
}

// The object of COMMENT ON and SECURITY LABEL ON: a member's kinds, and those that only have comments.
ObjectRef* Parser::described_object(bool comment) {
  const int location = loc();
  switch (tok()) {
    case Tok::kw_column: {
      advance();
      ObjectRef* o = make_object(ObjectType::column, location);
      o->name = any_name();
      return o;
    }
    case Tok::kw_large: {
      advance();
      expect(Tok::kw_object);
      ObjectRef* o = make_object(ObjectType::large_object, location);
      o->number = numeric_constant()->text;
      return o;
    }
    case Tok::kw_policy:
    case Tok::kw_rule:
    case Tok::kw_trigger: {
      if (!comment) syntax_error();
      ObjectRef* o = make_object(at(Tok::kw_policy) ? ObjectType::policy
                                 : at(Tok::kw_rule) ? ObjectType::rule
                                                    : ObjectType::trigger,
                                 location);
      advance();
      o->subname = col_id();
      expect(Tok::kw_on);
      o->name = any_name();
      return o;
    }
    case Tok::kw_constraint: {
      if (!comment) syntax_error();
      advance();
      ObjectRef* o = make_object(ObjectType::constraint_on_table, location);
      o->subname = col_id();
      expect(Tok::kw_on);
      if (at(Tok::kw_domain) && has_flag(peek_kind(), kMayBeColumn)) {
        advance();
        o->type_of_object = ObjectType::constraint_on_domain;
        o->type = make<TypeName>();
        o->name = any_name();
        o->type->names = o->name;
      } else {
        o->name = any_name();
      }
      return o;
    }
    case Tok::kw_cast:
    case Tok::kw_transform:
    case Tok::kw_operator:
      if (!comment) syntax_error();
      break;
    default: break;
  }
  return member_object();
}

StatementNode* Parser::comment_statement() {
  CommentStatement* c = make<CommentStatement>();
  advance();
  expect(Tok::kw_on);
  c->object = described_object(true);
  expect(Tok::kw_is);
  c->is_null = accept(Tok::kw_null);
  if (!c->is_null) c->text = string_constant();
  return c;
}

StatementNode* Parser::security_label_statement() {
  SecurityLabelStatement* s = make<SecurityLabelStatement>();
  advance();
  expect(Tok::kw_label);
  if (accept(Tok::kw_for)) s->provider = non_reserved_word_or_string();
  expect(Tok::kw_on);
  s->object = described_object(false);
  expect(Tok::kw_is);
  s->is_null = accept(Tok::kw_null);
  if (!s->is_null) s->label = string_constant();
  return s;
}

// ---- ALTER commands all objects share ----

RenameStatement* Parser::rename_to(ObjectType type, ObjectRef* object, int location) {
  expect_all(Tok::kw_rename, Tok::kw_to);
  RenameStatement* r = make<RenameStatement>(location);
  r->type_of_object = r->type_of_relation = type;
  r->object = object;
  r->new_name = type == ObjectType::role ? role_id() : col_id();
  return r;
}

// commands: 1 RENAME TO, 2 OWNER TO, 4 SET SCHEMA, 8 [NO] DEPENDS ON EXTENSION.
StatementNode* Parser::alter_object_with_commands(ObjectRef* object, unsigned commands) {
  const int location = object->location;
  if ((commands & 1) != 0 && at(Tok::kw_rename)) return rename_to(object->type_of_object, object, location);
  if ((commands & 2) != 0 && accept(Tok::kw_owner)) {
    expect(Tok::kw_to);
    AlterOwnerStatement* a = make<AlterOwnerStatement>(location);
    a->object = object;
    a->new_owner = role_spec();
    return a;
  }
  if ((commands & 4) != 0 && accept(Tok::kw_set)) {
    expect(Tok::kw_schema);
    AlterSchemaStatement* a = make<AlterSchemaStatement>(location);
    a->type_of_object = object->type_of_object;
    a->object = object;
    a->new_schema = col_id();
    return a;
  }
  if ((commands & 8) != 0 && at_any(Tok::kw_no, Tok::kw_depends)) {
    AlterDependsStatement* a = make<AlterDependsStatement>(location);
    a->type_of_object = object->type_of_object;
    a->object = object;
    a->remove = accept(Tok::kw_no);
    expect_all(Tok::kw_depends, Tok::kw_on, Tok::kw_extension);
    a->extension = col_id();
    return a;
  }
  syntax_error();
}

}  // namespace hathi::parser
