// Which statement begins here.

#include "parser_impl.h"

namespace hathi::parser {

// A statement, or null if there is none before the semicolon or the end.
StatementNode* Parser::statement() {
  switch (tok()) {
    case Tok::end:
    case Tok::semicolon: return nullptr;
    case Tok::kw_select:
    case Tok::kw_values:
    case Tok::kw_table:
    case Tok::left_paren:
    case Tok::kw_with:
    case Tok::with_la:
    case Tok::kw_insert:
    case Tok::kw_update:
    case Tok::kw_delete:
    case Tok::kw_merge: return preparable_statement();
    case Tok::kw_begin:
    case Tok::kw_start:
    case Tok::kw_commit:
    case Tok::kw_end:
    case Tok::kw_rollback:
    case Tok::kw_abort:
    case Tok::kw_savepoint:
    case Tok::kw_release: return transaction_statement();
    case Tok::kw_set: return set_statement();
    case Tok::kw_reset: return reset_rest();
    case Tok::kw_show: return show_statement();
    case Tok::kw_prepare: return prepare_statement();
    case Tok::kw_execute: return execute_statement();
    case Tok::kw_deallocate: return deallocate_statement();
    case Tok::kw_declare: return declare_statement();
    case Tok::kw_fetch: return fetch_statement(false);
    case Tok::kw_move: return fetch_statement(true);
    case Tok::kw_close: return close_statement();
    case Tok::kw_explain: return explain_statement();
    case Tok::kw_copy: return copy_statement();
    case Tok::kw_create: return create_statement();
    case Tok::kw_alter: return alter_statement();
    case Tok::kw_drop: return drop_statement();
    case Tok::kw_truncate: return truncate_statement();
    case Tok::kw_vacuum: return vacuum_statement();
    case Tok::kw_analyze:
    case Tok::kw_analyse: return analyze_statement();
    case Tok::kw_cluster: return cluster_statement();
    case Tok::kw_reindex: return reindex_statement();
    case Tok::kw_lock: return lock_statement();
    case Tok::kw_grant: return grant_statement(true);
    case Tok::kw_revoke: return grant_statement(false);
    case Tok::kw_comment: return comment_statement();
    case Tok::kw_security: return security_label_statement();
    case Tok::kw_refresh: return refresh_statement();
    case Tok::kw_notify: return notify_statement();
    case Tok::kw_discard: return discard_statement();
    case Tok::kw_do: return do_statement();
    case Tok::kw_call: return call_statement();
    case Tok::kw_reassign: return reassign_statement();
    case Tok::kw_import: return import_foreign_schema();
    case Tok::kw_checkpoint: {
      CheckpointStatement* s = make<CheckpointStatement>();
      advance();
      return s;
    }
    case Tok::kw_listen: {
      ListenStatement* s = make<ListenStatement>();
      advance();
      s->channel = col_id();
      return s;
    }
    case Tok::kw_unlisten: {
      UnlistenStatement* s = make<UnlistenStatement>();
      advance();
      if (!accept('*')) s->channel = col_id();
      return s;
    }
    case Tok::kw_load: {
      LoadStatement* s = make<LoadStatement>();
      advance();
      s->filename = string_constant();
      return s;
    }
    default: syntax_error();
  }
}

// ---- CREATE ----

StatementNode* Parser::create_or_replace(int location) {
  advance();
  expect(Tok::kw_replace);
  switch (tok()) {
    case Tok::kw_function:
    case Tok::kw_procedure: return create_function(true, location);
    case Tok::kw_aggregate: return create_aggregate(true, location);
    case Tok::kw_transform: return create_transform(true, location);
    case Tok::kw_trigger:
    case Tok::kw_constraint: return create_trigger(true, location);
    case Tok::kw_rule: return create_rule(true, location);
    case Tok::kw_trusted:
    case Tok::kw_procedural:
    case Tok::kw_language: {
      const bool trusted = accept(Tok::kw_trusted);
      accept(Tok::kw_procedural);
      return create_language(true, trusted, location);
    }
    default: break;
  }
  Persistence kind = Persistence::permanent;
  persistence(kind);
  const bool recursive = accept(Tok::kw_recursive);
  return create_view(true, kind, recursive, location);
}

StatementNode* Parser::create_foreign(int location) {
  advance();
  if (at(Tok::kw_table)) return create_foreign_table();
  expect_all(Tok::kw_data, Tok::kw_wrapper);
  return create_wrapper(false, location);
}

StatementNode* Parser::create_statement() {
  const int location = loc();
  advance();
  Persistence kind = Persistence::permanent;
  if (persistence(kind)) {
    switch (tok()) {
      case Tok::kw_table: return create_table(kind);
      case Tok::kw_sequence: return create_sequence(kind, location);
      case Tok::kw_view: return create_view(false, kind, false, location);
      case Tok::kw_recursive: advance(); return create_view(false, kind, true, location);
      case Tok::kw_materialized:
        if (kind == Persistence::unlogged) return create_materialized_view(kind, location);
        [[fallthrough]];
      default: syntax_error();
    }
  }
  switch (tok()) {
    case Tok::kw_or: return create_or_replace(location);
    case Tok::kw_table: return create_table(kind);
    case Tok::kw_unique:
      advance();
      if (!at(Tok::kw_index)) syntax_error();
      return create_index(true, location);
    case Tok::kw_index: return create_index(false, location);
    case Tok::kw_sequence: return create_sequence(kind, location);
    case Tok::kw_view: return create_view(false, kind, false, location);
    case Tok::kw_recursive: advance(); return create_view(false, kind, true, location);
    case Tok::kw_materialized: return create_materialized_view(kind, location);
    case Tok::kw_schema: return create_schema(location);
    case Tok::kw_statistics: return create_statistics(location);
    case Tok::kw_function:
    case Tok::kw_procedure: return create_function(false, location);
    case Tok::kw_aggregate: return create_aggregate(false, location);
    case Tok::kw_operator: return create_operator(location);
    case Tok::kw_type: return create_type(location);
    case Tok::kw_domain: return create_domain(location);
    case Tok::kw_cast: return create_cast(location);
    case Tok::kw_transform: return create_transform(false, location);
    case Tok::kw_trigger:
    case Tok::kw_constraint: return create_trigger(false, location);
    case Tok::kw_event: return create_event_trigger(location);
    case Tok::kw_rule: return create_rule(false, location);
    case Tok::kw_policy: return create_policy(location);
    case Tok::kw_collation: return create_collation(location);
    case Tok::kw_conversion: return create_conversion(false, location);
    case Tok::kw_default: advance(); return create_conversion(true, location);
    case Tok::kw_text: return create_text_search(location);
    case Tok::kw_foreign: return create_foreign(location);
    case Tok::kw_trusted:
    case Tok::kw_procedural:
    case Tok::kw_language: {
      const bool trusted = accept(Tok::kw_trusted);
      accept(Tok::kw_procedural);
      return create_language(false, trusted, location);
    }
    case Tok::kw_assertion: {
      advance();
      any_name();
      expect(Tok::kw_check);
      expect('(');
      expression();
      expect(')');
      constraint_attributes();
      throw SqlError(sqlstate::feature_not_supported, "CREATE ASSERTION is not yet implemented");
    }
    default: break;
  }
  const Tok word = tok();
  switch (word) {
    case Tok::kw_extension: advance(); return create_extension(location);
    case Tok::kw_publication: advance(); return create_publication(location);
    case Tok::kw_subscription: advance(); return create_subscription(location);
    case Tok::kw_server: advance(); return create_server(false, location);
    case Tok::kw_access:
      advance();
      expect(Tok::kw_method);
      return create_access_method(location);
    case Tok::kw_database: advance(); return create_database(location);
    case Tok::kw_tablespace: advance(); return create_tablespace(location);
    case Tok::kw_role: advance(); return create_role(RoleStatementKind::role, location);
    case Tok::kw_group: advance(); return create_role(RoleStatementKind::group, location);
    case Tok::kw_user:
      advance();
      if (at(Tok::kw_mapping) && (next_is(Tok::kw_for) || (next_is(Tok::kw_if)))) {
        advance();
        return create_user_mapping(false, location);
      }
      return create_role(RoleStatementKind::user, location);
    default: syntax_error();
  }
}

// ---- ALTER ----

StatementNode* Parser::alter_schema_or_language(ObjectType type, int location) {
  ObjectRef* o = make_object(type, location);
  push_name(o, col_id());
  return alter_object_with_commands(o, 3);
}

// RULE or TRIGGER was consumed.
StatementNode* Parser::alter_rule_or_trigger(ObjectType type, int location) {
  const Name name = col_id();
  expect(Tok::kw_on);
  RangeVar* relation = qualified_name();
  if (type == ObjectType::trigger && at_any(Tok::kw_no, Tok::kw_depends)) {
    AlterDependsStatement* d = make<AlterDependsStatement>(location);
    d->type_of_object = type;
    d->relation = relation;
    d->object = make_object(type, location);
    d->object->subname = name;
    d->remove = accept(Tok::kw_no);
    expect_all(Tok::kw_depends, Tok::kw_on, Tok::kw_extension);
    d->extension = col_id();
    return d;
  }
  RenameStatement* r = rename_to(type, nullptr, location);
  r->relation = relation;
  r->subname = name;
  return r;
}

StatementNode* Parser::alter_event_trigger(int location) {
  advance();
  expect(Tok::kw_trigger);
  const Name name = col_id();
  if (!at_any(Tok::kw_enable, Tok::kw_disable)) {
    ObjectRef* o = make_object(ObjectType::event_trigger, location);
    push_name(o, name);
    return alter_object_with_commands(o, 3);
  }
  AlterEventTriggerStatement* a = make<AlterEventTriggerStatement>(location);
  a->name = name;
  a->state = 'D';
  if (accept(Tok::kw_enable)) {
    a->state = accept(Tok::kw_replica) ? 'R' : accept(Tok::kw_always) ? 'A' : 'O';
  } else {
    advance();
  }
  return a;
}

StatementNode* Parser::alter_statistics(int location) {
  const bool missing_ok = if_exists();
  ObjectRef* o = make_object(ObjectType::statistics, location);
  o->name = any_name();
  if (missing_ok || (at(Tok::kw_set) && !next_is(Tok::kw_schema))) {
    AlterStatisticsStatement* a = make<AlterStatisticsStatement>(location);
    a->name = o->name;
    a->missing_ok = missing_ok;
    expect_all(Tok::kw_set, Tok::kw_statistics);
    a->target = signed_integer();
    return a;
  }
  return alter_object_with_commands(o, 7);
}

StatementNode* Parser::alter_large_object(int location) {
  advance();
  expect(Tok::kw_object);
  ObjectRef* o = make_object(ObjectType::large_object, location);
  o->number = numeric_constant()->text;
  return alter_object_with_commands(o, 2);
}

namespace {
// The words behind ALTER that name an object with one word of lookahead consumed below.
bool begins_alterable(Tok t) {
  switch (t) {
    case Tok::kw_table:
    case Tok::kw_index:
    case Tok::kw_sequence:
    case Tok::kw_view:
    case Tok::kw_materialized:
    case Tok::kw_foreign:
    case Tok::kw_aggregate:
    case Tok::kw_operator:
    case Tok::kw_type:
    case Tok::kw_domain:
    case Tok::kw_collation:
    case Tok::kw_conversion:
    case Tok::kw_statistics:
    case Tok::kw_policy:
    case Tok::kw_rule:
    case Tok::kw_trigger:
    case Tok::kw_extension:
    case Tok::kw_publication:
    case Tok::kw_subscription:
    case Tok::kw_server:
    case Tok::kw_schema:
    case Tok::kw_procedural:
    case Tok::kw_language:
    case Tok::kw_database:
    case Tok::kw_tablespace:
    case Tok::kw_role:
    case Tok::kw_group:
    case Tok::kw_user:
    case Tok::kw_system:
    case Tok::kw_default: return true;
    default: return false;
  }
}
}  // namespace

StatementNode* Parser::alter_statement() {
  const int location = loc();
  advance();
  const Tok word = tok();
  ObjectType routine;
  if (routine_object_type(routine)) return alter_function(routine, location);
  auto named = [&](ObjectType type, unsigned commands) {
    ObjectRef* o = make_object(type, location);
    o->name = any_name();
    return alter_object_with_commands(o, commands);
  };
  if (word == Tok::kw_text) return alter_text_search(location);
  if (word == Tok::kw_event) return alter_event_trigger(location);
  if (word == Tok::kw_large) return alter_large_object(location);
  if (!begins_alterable(word)) syntax_error();
  advance();
  switch (word) {
    case Tok::kw_table: return alter_table_like(ObjectType::table, location);
    case Tok::kw_index: return alter_table_like(ObjectType::index, location);
    case Tok::kw_sequence: return alter_table_like(ObjectType::sequence, location);
    case Tok::kw_view: return alter_table_like(ObjectType::view, location);
    case Tok::kw_materialized: expect(Tok::kw_view); return alter_table_like(ObjectType::materialized_view, location);
    case Tok::kw_foreign:
      if (accept(Tok::kw_table)) return alter_table_like(ObjectType::foreign_table, location);
      expect_all(Tok::kw_data, Tok::kw_wrapper);
      return create_wrapper(true, location);
    case Tok::kw_aggregate: {
      ObjectRef* o = aggregate_with_args();
      o->location = location;
      return alter_object_with_commands(o, 7);
    }
    case Tok::kw_operator: return alter_operator(location);
    case Tok::kw_type: return alter_type(location);
    case Tok::kw_domain: return alter_domain(location);
    case Tok::kw_collation: {
      ObjectRef* o = make_object(ObjectType::collation, location);
      o->name = any_name();
      if (!at(Tok::kw_refresh)) return alter_object_with_commands(o, 7);
      AlterObjectStatement* a = make<AlterObjectStatement>(location);
      a->object = o;
      const int l = loc();
      advance();
      expect(Tok::kw_version);
      push(a->options, make_option("refresh_version", nullptr, l));
      return a;
    }
    case Tok::kw_conversion: return named(ObjectType::conversion, 7);
    case Tok::kw_statistics: return alter_statistics(location);
    case Tok::kw_policy: return alter_policy(location);
    case Tok::kw_rule: return alter_rule_or_trigger(ObjectType::rule, location);
    case Tok::kw_trigger: return alter_rule_or_trigger(ObjectType::trigger, location);
    case Tok::kw_extension: return alter_extension(location);
    case Tok::kw_publication: return alter_publication(location);
    case Tok::kw_subscription: return alter_subscription(location);
    case Tok::kw_server: return create_server(true, location);
    case Tok::kw_schema: return alter_schema_or_language(ObjectType::schema, location);
    case Tok::kw_procedural: expect(Tok::kw_language); return alter_schema_or_language(ObjectType::language, location);
    case Tok::kw_language: return alter_schema_or_language(ObjectType::language, location);
    case Tok::kw_database: return alter_database(location);
    case Tok::kw_tablespace: return alter_tablespace(location);
    case Tok::kw_role: return alter_role(location);
    case Tok::kw_group: return alter_group(location);
    case Tok::kw_user:
      if (at(Tok::kw_mapping) && next_is(Tok::kw_for)) {
        advance();
        return create_user_mapping(true, location);
      }
      return alter_role(location);
    case Tok::kw_system: return alter_system();
    case Tok::kw_default: expect(Tok::kw_privileges); return alter_default_privileges(location);
    default: syntax_error();  // not reached
  }
}

}  // namespace hathi::parser
