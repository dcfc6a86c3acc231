// Types, domains, collations, conversions, text search objects, triggers, rules, policies.

#include "parser_impl.h"

namespace hathi::parser {

StatementNode* Parser::create_type(int location) {
  advance();
  QualifiedName name = any_name();
  if (!accept(Tok::kw_as)) {
    DefineStatement* d = make<DefineStatement>(location);
    d->name = name;
    d->has_definition = at('(');
    if (d->has_definition) d->definition = definition();
    return d;
  }
  if (accept(Tok::kw_enum)) {
    CreateEnumStatement* e = make<CreateEnumStatement>(location);
    e->name = name;
    expect('(');
    if (!at(')')) e->labels = comma_list<std::string_view>([&] { return string_constant(); });
    expect(')');
    return e;
  }
  if (accept(Tok::kw_range)) {
    CreateRangeStatement* r = make<CreateRangeStatement>(location);
    r->name = name;
    r->options = definition();
    return r;
  }
  CreateCompositeTypeStatement* c = make<CreateCompositeTypeStatement>(location);
  expect('(');
  if (!at(')')) c->columns = table_function_columns();
  expect(')');
  c->type = range_var_of(name, location);
  return c;
}

StatementNode* Parser::create_domain(int location) {
  CreateDomainStatement* d = make<CreateDomainStatement>(location);
  advance();
  d->name = any_name();
  accept(Tok::kw_as);
  d->type = type_name();
  ColumnDef column;
  column_constraints(&column, true);
  d->collation = column.collation;
  d->collation_location = column.collation_location;
  d->constraints = column.constraints;
  return d;
}

StatementNode* Parser::alter_domain(int location) {
  ObjectRef* object = make_object(ObjectType::domain, location);
  object->name = any_name();
  object->type = make<TypeName>(location);
  object->type->names = object->name;
  if (at(Tok::kw_rename) && next_is(Tok::kw_constraint)) {
    advance();
    advance();
    RenameStatement* r = make<RenameStatement>(location);
    r->type_of_object = ObjectType::constraint_on_domain;
    r->type_of_relation = ObjectType::domain;
    r->object = object;
    r->subname = col_id();
    expect(Tok::kw_to);
    r->new_name = col_id();
    return r;
  }
  if (at(Tok::kw_rename) || at(Tok::kw_owner) || (at(Tok::kw_set) && next_is(Tok::kw_schema))) return alter_object_with_commands(object, 7);
  AlterDomainStatement* d = make<AlterDomainStatement>(location);
  d->name = object->name;
  switch (tok()) {
    case Tok::kw_set:
      advance();
      if (accept(Tok::kw_not)) {
        expect(Tok::kw_null);
        d->action = AlterDomainAction::set_not_null;
      } else {
        expect(Tok::kw_default);
        d->default_value = expression();
      }
      return d;
    case Tok::kw_drop:
      advance();
      if (accept(Tok::kw_not)) {
        expect(Tok::kw_null);
        d->action = AlterDomainAction::drop_not_null;
      } else if (accept(Tok::kw_constraint)) {
        d->action = AlterDomainAction::drop_constraint;
        d->missing_ok = if_exists();
        d->constraint_name = col_id();
        d->behavior = drop_behavior();
      } else {
        expect(Tok::kw_default);
        d->action = AlterDomainAction::drop_default;
      }
      return d;
    case Tok::kw_add:
      advance();
      d->action = AlterDomainAction::add_constraint;
      d->constraint = table_constraint();
      return d;
    default:
      expect(Tok::kw_validate);
      expect(Tok::kw_constraint);
      d->action = AlterDomainAction::validate_constraint;
      d->constraint_name = col_id();
      return d;
  }
}

// ALTER TYPE was consumed.
StatementNode* Parser::alter_type(int location) {
  ObjectRef* object = make_object(ObjectType::type, location);
  object->name = any_name();
  object->type = make<TypeName>(location);
  object->type->names = object->name;
  switch (tok()) {
    case Tok::kw_add:
      if (next_is(Tok::kw_value)) return alter_enum_add(object, location);
      return alter_attributes(object, location);
    case Tok::kw_drop:
    case Tok::kw_alter: return alter_attributes(object, location);
    case Tok::kw_rename:
      if (next_is(Tok::kw_value)) return alter_enum_rename(object, location);
      if (next_is(Tok::kw_attribute)) {
        advance();
        advance();
        RenameStatement* r = make<RenameStatement>(location);
        r->type_of_object = ObjectType::attribute;
        r->type_of_relation = ObjectType::type;
        r->relation = range_var_of(object->name, location);
        r->subname = col_id();
        expect(Tok::kw_to);
        r->new_name = col_id();
        r->behavior = drop_behavior();
        return r;
      }
      break;
    case Tok::kw_set:
      if (next_is('(')) {
        AlterObjectStatement* a = make<AlterObjectStatement>(location);
        a->object = object;
        advance();
        a->options = definition(true);
        return a;
      }
      break;
    default: break;
  }
  return alter_object_with_commands(object, 7);
}

StatementNode* Parser::alter_enum_add(ObjectRef* object, int location) {
  AlterEnumStatement* e = make<AlterEnumStatement>(location);
  e->name = object->name;
  advance();
  advance();
  e->if_not_exists = if_not_exists(false);
  e->new_value = string_constant();
  if (at_any(Tok::kw_before, Tok::kw_after)) {
    e->before = at(Tok::kw_before);
    e->has_neighbor = true;
    advance();
    e->neighbor = string_constant();
  }
  return e;
}

StatementNode* Parser::alter_enum_rename(ObjectRef* object, int location) {
  AlterEnumStatement* e = make<AlterEnumStatement>(location);
  e->name = object->name;
  e->rename = true;
  advance();
  advance();
  e->old_value = string_constant();
  expect(Tok::kw_to);
  e->new_value = string_constant();
  return e;
}

// {ADD | DROP | ALTER} ATTRIBUTE …, …
StatementNode* Parser::alter_attributes(ObjectRef* object, int location) {
  AlterTableStatement* a = make<AlterTableStatement>(location);
  a->type_of_object = ObjectType::type;
  a->commands = comma_list<AlterTableCommand*>([&] {
    AlterTableCommand* c = make<AlterTableCommand>();
    const Tok word = tok();
    if (!at_any(Tok::kw_add, Tok::kw_drop, Tok::kw_alter)) syntax_error();
    advance();
    expect(Tok::kw_attribute);
    if (word == Tok::kw_add) {
      c->action = AlterTableAction::add_attribute;
      c->column = table_function_column();
      c->name = c->column->name;
    } else if (word == Tok::kw_drop) {
      c->action = AlterTableAction::drop_attribute;
      c->missing_ok = if_exists();
      c->name = col_id();
    } else {
      c->action = AlterTableAction::attribute_type;
      c->name = col_id();
      if (accept(Tok::kw_set)) expect(Tok::kw_data);
      expect(Tok::kw_type);
      c->column = make<ColumnDef>();
      c->column->type = type_name();
      if (at(Tok::kw_collate)) collation_of_column(c->column->collation, c->column->collation_location);
    }
    c->behavior = drop_behavior();
    return c;
  });
  a->relation = range_var_of(object->name, location);
  return a;
}

// ---- collations, conversions, text search ----

StatementNode* Parser::create_collation(int location) {
  DefineStatement* d = make<DefineStatement>(location);
  d->type_of_object = ObjectType::collation;
  advance();
  d->if_not_exists = if_not_exists();
  d->name = any_name();
  if (accept(Tok::kw_from)) {
    d->from_collation = any_name();
  } else {
    d->definition = definition();
    d->has_definition = true;
  }
  return d;
}

StatementNode* Parser::create_conversion(bool is_default, int location) {
  CreateConversionStatement* c = make<CreateConversionStatement>(location);
  c->is_default = is_default;
  expect(Tok::kw_conversion);
  c->name = any_name();
  expect(Tok::kw_for);
  c->from_encoding = string_constant();
  expect(Tok::kw_to);
  c->to_encoding = string_constant();
  expect(Tok::kw_from);
  c->function = any_name();
  return c;
}

StatementNode* Parser::create_text_search(int location) {
  DefineStatement* d = make<DefineStatement>(location);
  advance();
  expect(Tok::kw_search);
  switch (tok()) {
    case Tok::kw_parser: d->type_of_object = ObjectType::text_search_parser; break;
    case Tok::kw_dictionary: d->type_of_object = ObjectType::text_search_dictionary; break;
    case Tok::kw_template: d->type_of_object = ObjectType::text_search_template; break;
    case Tok::kw_configuration: d->type_of_object = ObjectType::text_search_configuration; break;
    default: syntax_error();
  }
  advance();
  d->name = any_name();
  d->definition = definition();
  d->has_definition = true;
  return d;
}

StatementNode* Parser::alter_text_search(int location) {
  advance();
  expect(Tok::kw_search);
  ObjectType type;
  switch (tok()) {
    case Tok::kw_parser: type = ObjectType::text_search_parser; break;
    case Tok::kw_dictionary: type = ObjectType::text_search_dictionary; break;
    case Tok::kw_template: type = ObjectType::text_search_template; break;
    case Tok::kw_configuration: advance(); return alter_text_search_configuration(location);
    default: syntax_error();
  }
  advance();
  ObjectRef* o = make_object(type, location);
  o->name = any_name();
  if (type == ObjectType::text_search_dictionary && at('(')) {
    AlterTextSearchStatement* a = make<AlterTextSearchStatement>(location);
    a->name = o->name;
    a->options = definition();
    return a;
  }
  return alter_object_with_commands(o, type == ObjectType::text_search_dictionary ? 7 : 5);
}

StatementNode* Parser::alter_text_search_configuration(int location) {
  ObjectRef* o = make_object(ObjectType::text_search_configuration, location);
  o->name = any_name();
  if (!at_any(Tok::kw_add, Tok::kw_alter, Tok::kw_drop)) return alter_object_with_commands(o, 7);
  AlterTextSearchStatement* a = make<AlterTextSearchStatement>(location);
  a->name = o->name;
  const Tok word = tok();
  advance();
  expect(Tok::kw_mapping);
  auto with = [&] {
    if (!accept(Tok::with_la)) expect(Tok::kw_with);
  };
  auto push_dictionary = [&] {
    NameList* n = make<NameList>();
    n->names = any_name();
    push<Node*>(a->dictionaries, n);
  };
  if (word == Tok::kw_drop) {
    a->action = TextSearchAction::drop_mapping;
    a->missing_ok = if_exists(false);
    expect(Tok::kw_for);
    a->token_types = name_list();
    return a;
  }
  a->action = word == Tok::kw_add ? TextSearchAction::add_mapping : TextSearchAction::alter_mapping;
  const bool replace_all = word == Tok::kw_alter && at(Tok::kw_replace);
  if (!replace_all) {
    expect(Tok::kw_for);
    a->token_types = name_list();
  }
  if (word == Tok::kw_alter && accept(Tok::kw_replace)) {
    a->action = replace_all ? TextSearchAction::replace_dictionary : TextSearchAction::replace_dictionary_for_token;
    push_dictionary();
    with();
    push_dictionary();
    return a;
  }
  with();
  do push_dictionary();
  while (accept(','));
  return a;
}

// ---- triggers, rules, policies ----

void Parser::trigger_events(CreateTriggerStatement* t) {
  do {
    int event = 0;
    List<Name> columns;
    switch (tok()) {
      case Tok::kw_insert: event = kTriggerInsert; break;
      case Tok::kw_delete: event = kTriggerDelete; break;
      case Tok::kw_truncate: event = kTriggerTruncate; break;
      case Tok::kw_update: event = kTriggerUpdate; break;
      default: syntax_error();
    }
    Token near = current_;
    advance();
    if (event == kTriggerUpdate) {
      if (accept(Tok::kw_of)) columns = name_list();
      near = current_;
    }
    if ((t->events & event) != 0) {
      if (near.kind == Tok::lexical_error) syntax_error();
      fail_near("duplicate trigger events specified", near);
    }
    t->events |= event;
    t->update_columns.append(arena_, columns);
  } while (accept(Tok::kw_or));
}

// EXECUTE FUNCTION|PROCEDURE name (…)
void Parser::trigger_tail(CreateTriggerStatement* t) {
  if (accept(Tok::kw_when)) {
    expect('(');
    t->when = expression();
    expect(')');
  }
  expect(Tok::kw_execute);
  if (!accept(Tok::kw_function)) expect(Tok::kw_procedure);
  t->function = function_name();
  trigger_arguments(t);
}

void Parser::trigger_arguments(CreateTriggerStatement* t) {
  expect('(');
  if (accept(')')) return;
  accept(',');  // the list may begin with nothing
  do {
    if (!at_any(Tok::integer, Tok::number, Tok::string) && !at_flag(kMayBeLabel)) syntax_error();
    push(t->args, at(Tok::integer) ? arena_.copy(std::to_string(current_.integer)) : current_.text);
    advance();
  } while (accept(','));
  expect(')');
}

// [CONSTRAINT] TRIGGER is current.
StatementNode* Parser::create_trigger(bool replace, int location) {
  CreateTriggerStatement* t = make<CreateTriggerStatement>(location);
  t->replace = replace;
  t->is_constraint = accept(Tok::kw_constraint);
  expect(Tok::kw_trigger);
  t->name = col_id();
  t->timing = TriggerTiming::after;
  if (t->is_constraint) {
    expect(Tok::kw_after);
  } else if (accept(Tok::kw_before)) {
    t->timing = TriggerTiming::before;
  } else if (accept(Tok::kw_instead)) {
    expect(Tok::kw_of);
    t->timing = TriggerTiming::instead;
  } else {
    expect(Tok::kw_after);
  }
  trigger_events(t);
  expect(Tok::kw_on);
  t->relation = qualified_name();
  if (t->is_constraint) {
    if (accept(Tok::kw_from)) t->referenced = qualified_name();
    const Deferral deferral = constraint_attributes();
    expect_all(Tok::kw_for, Tok::kw_each, Tok::kw_row);
    t->for_each_row = true;
    trigger_tail(t);
    if (replace) throw SqlError(sqlstate::feature_not_supported, "CREATE OR REPLACE CONSTRAINT TRIGGER is not supported");
    Constraint attributes;
    apply_attributes(&attributes, deferral, "TRIGGER", true, false, false);
    t->deferrable = attributes.deferrable;
    t->initially_deferred = attributes.initially_deferred;
    return t;
  }
  if (accept(Tok::kw_referencing)) {
    do {
      TriggerTransition x;
      x.is_new = at(Tok::kw_new);
      if (!accept(Tok::kw_new)) expect(Tok::kw_old);
      x.is_table = at(Tok::kw_table);
      if (!accept(Tok::kw_table)) expect(Tok::kw_row);
      accept(Tok::kw_as);
      x.name = col_id();
      push(t->transitions, x);
    } while (at_any(Tok::kw_new, Tok::kw_old));
  }
  if (accept(Tok::kw_for)) {
    accept(Tok::kw_each);
    t->for_each_row = at(Tok::kw_row);
    if (!accept(Tok::kw_row)) expect(Tok::kw_statement);
  }
  trigger_tail(t);
  return t;
}

// EVENT is current.
StatementNode* Parser::create_event_trigger(int location) {
  CreateEventTriggerStatement* t = make<CreateEventTriggerStatement>(location);
  advance();
  expect(Tok::kw_trigger);
  t->name = col_id();
  expect(Tok::kw_on);
  t->event = col_label();
  if (accept(Tok::kw_when)) {
    do {
      Option* o = make<Option>();
      o->name = col_id();
      expect(Tok::kw_in);
      expect('(');
      NodeList* values = make<NodeList>();
      do {
        const int l = loc();
        push<Node*>(values->items, make_string(string_constant(), l));
      } while (accept(','));
      expect(')');
      o->value = values;
      push(t->when, o);
    } while (accept(Tok::kw_and));
  }
  expect(Tok::kw_execute);
  if (!accept(Tok::kw_function)) expect(Tok::kw_procedure);
  t->function = function_name();
  expect('(');
  expect(')');
  return t;
}

StatementNode* Parser::rule_action() {
  if (at(Tok::kw_notify)) return notify_statement();
  if (!begins_preparable() || at(Tok::kw_merge)) syntax_error();
  return preparable_statement();
}

StatementNode* Parser::create_rule(bool replace, int location) {
  CreateRuleStatement* r = make<CreateRuleStatement>(location);
  r->replace = replace;
  advance();
  r->name = col_id();
  expect_all(Tok::kw_as, Tok::kw_on);
  switch (tok()) {
    case Tok::kw_select: r->event = RuleEvent::select; break;
    case Tok::kw_update: r->event = RuleEvent::update; break;
    case Tok::kw_delete: r->event = RuleEvent::delete_; break;
    case Tok::kw_insert: r->event = RuleEvent::insert; break;
    default: syntax_error();
  }
  advance();
  expect(Tok::kw_to);
  r->relation = qualified_name();
  r->where = where_clause();
  expect(Tok::kw_do);
  r->instead = accept(Tok::kw_instead);
  if (!r->instead) accept(Tok::kw_also);
  if (accept(Tok::kw_nothing)) return r;
  if (!accept('(')) {
    push(r->actions, rule_action());
    return r;
  }
  for (;;) {
    if (!at(';') && !at(')')) push(r->actions, rule_action());
    if (accept(')')) return r;
    expect(';');
  }
}

StatementNode* Parser::create_policy(int location) {
  CreatePolicyStatement* p = make<CreatePolicyStatement>(location);
  advance();
  p->name = col_id();
  expect(Tok::kw_on);
  p->table = qualified_name();
  p->command = "all";
  if (accept(Tok::kw_as)) {
    if (!at(Tok::identifier)) syntax_error();
    const int l = loc();
    const Name kind = take_text();
    if (kind != "permissive" && kind != "restrictive") {
      throw SqlError(sqlstate::syntax_error, "unrecognized row security option \"{}\"", kind)
          .hint("Only PERMISSIVE or RESTRICTIVE policies are supported currently.")
          .at(l);
    }
    p->permissive = kind == "permissive";
  }
  if (accept(Tok::kw_for)) {
    if (!at_any(Tok::kw_all, Tok::kw_select, Tok::kw_insert, Tok::kw_update, Tok::kw_delete)) syntax_error();
    p->command = take_text();
  }
  if (accept(Tok::kw_to)) p->roles = role_list();
  if (accept(Tok::kw_using)) {
    expect('(');
    p->using_expr = expression();
    expect(')');
  }
  if (accept(Tok::kw_with)) {
    expect(Tok::kw_check);
    expect('(');
    p->check = expression();
    expect(')');
  }
  return p;
}

// ALTER POLICY was consumed.
StatementNode* Parser::alter_policy(int location) {
  const bool missing_ok = if_exists();
  const Name name = col_id();
  expect(Tok::kw_on);
  RangeVar* table = qualified_name();
  if (missing_ok || at(Tok::kw_rename)) {
    expect_all(Tok::kw_rename, Tok::kw_to);
    RenameStatement* r = make<RenameStatement>(location);
    r->type_of_object = ObjectType::policy;
    r->relation = table;
    r->subname = name;
    r->missing_ok = missing_ok;
    r->new_name = col_id();
    return r;
  }
  AlterPolicyStatement* p = make<AlterPolicyStatement>(location);
  p->name = name;
  p->table = table;
  if (accept(Tok::kw_to)) p->roles = role_list();
  if (accept(Tok::kw_using)) {
    expect('(');
    p->using_expr = expression();
    expect(')');
  }
  if (accept(Tok::kw_with)) {
    expect(Tok::kw_check);
    expect('(');
    p->check = expression();
    expect(')');
  }
  return p;
}

}  // namespace hathi::parser
