// ALTER TABLE and its relatives for other relations.

#include "parser_impl.h"

namespace hathi::parser {

// ALTER and the object's words were consumed: [IF EXISTS] name commands, or ALL IN TABLESPACE.
StatementNode* Parser::alter_table_like(ObjectType type, int location) {
  if (at(Tok::kw_all) && (type == ObjectType::table || type == ObjectType::index || type == ObjectType::materialized_view))
    return alter_all_in_tablespace(type, location);
  const bool missing_ok = if_exists();
  const bool table = type == ObjectType::table || type == ObjectType::foreign_table;
  RangeVar* relation = table ? relation_expr() : qualified_name();
  const bool columns = table || type == ObjectType::view || type == ObjectType::materialized_view;
  if (accept(Tok::kw_rename)) {
    RenameStatement* r = make<RenameStatement>(location);
    r->type_of_object = r->type_of_relation = type;
    r->relation = relation;
    r->missing_ok = missing_ok;
    if (!at(Tok::kw_to)) {
      if (!columns) syntax_error();
      if (type == ObjectType::table && accept(Tok::kw_constraint)) {
        r->type_of_object = ObjectType::constraint_on_table;
      } else {
        accept(Tok::kw_column);
        r->type_of_object = ObjectType::column;
      }
      r->subname = col_id();
    }
    expect(Tok::kw_to);
    r->new_name = col_id();
    return r;
  }
  if (at(Tok::kw_set) && next_is(Tok::kw_schema) && type != ObjectType::index) {
    advance();
    advance();
    AlterSchemaStatement* s = make<AlterSchemaStatement>(location);
    s->type_of_object = type;
    s->relation = relation;
    s->missing_ok = missing_ok;
    s->new_schema = col_id();
    return s;
  }
  if (!missing_ok && (type == ObjectType::index || type == ObjectType::materialized_view) &&
      (at(Tok::kw_depends) || (at(Tok::kw_no) && next_is(Tok::kw_depends)))) {
    AlterDependsStatement* d = make<AlterDependsStatement>(location);
    d->type_of_object = type;
    d->relation = relation;
    d->remove = accept(Tok::kw_no);
    expect_all(Tok::kw_depends, Tok::kw_on, Tok::kw_extension);
    d->extension = col_id();
    return d;
  }
  if (type == ObjectType::sequence) {
    OptionList options = sequence_options(false);
    if (!options.empty()) {
      AlterSequenceStatement* s = make<AlterSequenceStatement>(location);
      s->relation = relation;
      s->missing_ok = missing_ok;
      s->options = options;
      return s;
    }
  }
  AlterTableStatement* a = make<AlterTableStatement>(location);
  a->type_of_object = type;
  a->relation = relation;
  a->missing_ok = missing_ok;
  AlterTableCommand* first = make<AlterTableCommand>();
  if ((type == ObjectType::table || (type == ObjectType::index && !missing_ok)) && partition_command(first, type == ObjectType::index)) {
    push(a->commands, first);
    return a;
  }
  a->commands = comma_list<AlterTableCommand*>([&] { return alter_table_command(type); });
  return a;
}

// ALL IN TABLESPACE name [OWNED BY roles] SET TABLESPACE name [NOWAIT]
StatementNode* Parser::alter_all_in_tablespace(ObjectType type, int location) {
  AlterTableStatement* a = make<AlterTableStatement>(location);
  a->type_of_object = type;
  advance();
  expect_all(Tok::kw_in, Tok::kw_tablespace);
  a->all_in_tablespace = col_id();
  if (accept(Tok::kw_owned)) {
    expect(Tok::kw_by);
    a->owned_by = role_list();
  }
  expect_all(Tok::kw_set, Tok::kw_tablespace);
  a->new_tablespace = col_id();
  a->nowait = accept(Tok::kw_nowait);
  return a;
}

// ATTACH PARTITION, DETACH PARTITION
bool Parser::partition_command(AlterTableCommand* c, bool index) {
  if (accept(Tok::kw_attach)) {
    expect(Tok::kw_partition);
    c->action = AlterTableAction::attach_partition;
    c->relation = qualified_name();
    if (!index) c->bound = partition_bound();
    return true;
  }
  if (index || !accept(Tok::kw_detach)) return false;
  expect(Tok::kw_partition);
  c->action = AlterTableAction::detach_partition;
  c->relation = qualified_name();
  if (accept(Tok::kw_finalize)) {
    c->action = AlterTableAction::detach_finalize;
  } else {
    c->concurrently = accept(Tok::kw_concurrently);
  }
  return true;
}

AlterTableCommand* Parser::alter_table_command(ObjectType) {
  AlterTableCommand* c = make<AlterTableCommand>();
  switch (tok()) {
    case Tok::kw_add: return alter_add(c);
    case Tok::kw_alter: return alter_alter(c);
    case Tok::kw_drop: return alter_drop(c);
    case Tok::kw_set: return alter_set(c);
    case Tok::kw_enable: advance(); return alter_enable_disable(c, true);
    case Tok::kw_disable: advance(); return alter_enable_disable(c, false);
    case Tok::kw_options:
      c->action = AlterTableAction::fdw_options;
      c->options = alter_generic_options();
      return c;
    case Tok::kw_validate:
      advance();
      expect(Tok::kw_constraint);
      c->action = AlterTableAction::validate_constraint;
      c->name = col_id();
      return c;
    case Tok::kw_cluster:
      advance();
      expect(Tok::kw_on);
      c->action = AlterTableAction::cluster_on;
      c->name = col_id();
      return c;
    case Tok::kw_inherit:
      advance();
      c->action = AlterTableAction::add_inherit;
      c->relation = qualified_name();
      return c;
    case Tok::kw_no:
      advance();
      if (accept(Tok::kw_force)) {
        expect_all(Tok::kw_row, Tok::kw_level, Tok::kw_security);
        c->action = AlterTableAction::no_force_row_security;
        return c;
      }
      expect(Tok::kw_inherit);
      c->action = AlterTableAction::drop_inherit;
      c->relation = qualified_name();
      return c;
    case Tok::kw_force:
      advance();
      expect_all(Tok::kw_row, Tok::kw_level, Tok::kw_security);
      c->action = AlterTableAction::force_row_security;
      return c;
    case Tok::kw_of:
      advance();
      c->action = AlterTableAction::add_of;
      c->type = make<TypeName>();
      c->type->names = any_name();
      return c;
    case Tok::kw_not:
      advance();
      expect(Tok::kw_of);
      c->action = AlterTableAction::drop_of;
      return c;
    case Tok::kw_owner:
      advance();
      expect(Tok::kw_to);
      c->action = AlterTableAction::change_owner;
      c->role = role_spec();
      return c;
    case Tok::kw_reset:
      advance();
      c->action = AlterTableAction::reset_options;
      c->options = rel_options();
      return c;
    case Tok::kw_replica: replica_identity(c); return c;
    default: syntax_error();
  }
}

AlterTableCommand* Parser::alter_add(AlterTableCommand* c) {
  advance();
  if (!at(Tok::kw_column) && (at(Tok::kw_exclude) ? next_is(Tok::kw_using) || next_is('(') : begins_table_constraint())) {
    c->action = AlterTableAction::add_constraint;
    c->constraint = table_constraint();
    return c;
  }
  accept(Tok::kw_column);
  c->action = AlterTableAction::add_column;
  c->missing_ok = if_not_exists();
  c->column = column_definition();
  c->name = c->column->name;
  return c;
}

AlterTableCommand* Parser::alter_drop(AlterTableCommand* c) {
  advance();
  if (accept(Tok::kw_constraint)) {
    c->action = AlterTableAction::drop_constraint;
  } else {
    accept(Tok::kw_column);
    c->action = AlterTableAction::drop_column;
  }
  c->missing_ok = if_exists();
  c->name = col_id();
  c->behavior = drop_behavior();
  return c;
}

AlterTableCommand* Parser::alter_alter(AlterTableCommand* c) {
  advance();
  if (accept(Tok::kw_constraint)) {
    c->action = AlterTableAction::alter_constraint;
    c->name = col_id();
    c->constraint = make<Constraint>();
    c->constraint->type = ConstraintKind::foreign_key;
    c->constraint->name = c->name;
    apply_attributes(c->constraint, constraint_attributes(), "FOREIGN KEY", true, false, false);
    return c;
  }
  accept(Tok::kw_column);
  if (at(Tok::integer)) {
    const int l = loc();
    c->number = integer_constant();
    expect_all(Tok::kw_set, Tok::kw_statistics);
    c->action = AlterTableAction::set_statistics;
    Constant* target = make_integer(0, loc());
    target->integer = signed_integer();
    c->expr = target;
    if (c->number <= 0 || c->number > INT16_MAX) {
      throw SqlError(sqlstate::invalid_parameter_value, "column number must be in range from 1 to {}", INT16_MAX).at(l);
    }
    return c;
  }
  c->name = col_id();
  switch (tok()) {
    case Tok::kw_set: alter_column_set(c); return c;
    case Tok::kw_restart: alter_identity(c); return c;
    case Tok::kw_reset:
      advance();
      c->action = AlterTableAction::reset_column_options;
      c->options = rel_options();
      return c;
    case Tok::kw_options:
      c->action = AlterTableAction::column_fdw_options;
      c->options = alter_generic_options();
      return c;
    case Tok::kw_add: {
      advance();
      Constraint* i = make<Constraint>();
      i->type = ConstraintKind::identity;
      expect(Tok::kw_generated);
      i->generated_always = accept(Tok::kw_always);
      if (!i->generated_always) expect_all(Tok::kw_by, Tok::kw_default);
      expect_all(Tok::kw_as, Tok::kw_identity);
      if (accept('(')) {
        i->sequence_options = sequence_options(true);
        expect(')');
      }
      c->action = AlterTableAction::add_identity;
      c->constraint = i;
      return c;
    }
    case Tok::kw_drop:
      advance();
      switch (tok()) {
        case Tok::kw_default: c->action = AlterTableAction::column_default; break;
        case Tok::kw_not:
          advance();
          if (!at(Tok::kw_null)) syntax_error();
          c->action = AlterTableAction::drop_not_null;
          break;
        case Tok::kw_expression: c->action = AlterTableAction::drop_expression; break;
        case Tok::kw_identity: c->action = AlterTableAction::drop_identity; break;
        default: syntax_error();
      }
      advance();
      if ((c->action == AlterTableAction::drop_expression || c->action == AlterTableAction::drop_identity) && accept(Tok::kw_if)) {
        expect(Tok::kw_exists);
        c->missing_ok = true;
      }
      return c;
    case Tok::kw_type: break;
    default: syntax_error();
  }
  advance();
  c->action = AlterTableAction::column_type;
  c->column = make<ColumnDef>();
  c->column->type = type_name();
  if (at(Tok::kw_collate)) collation_of_column(c->column->collation, c->column->collation_location);
  if (accept(Tok::kw_using)) c->expr = expression();
  return c;
}

// ALTER COLUMN name SET …
void Parser::alter_column_set(AlterTableCommand* c) {
  switch (peek_kind()) {
    case Tok::kw_default:
      advance();
      advance();
      c->action = AlterTableAction::column_default;
      c->expr = expression();
      return;
    case Tok::kw_not:
      advance();
      advance();
      expect(Tok::kw_null);
      c->action = AlterTableAction::set_not_null;
      return;
    case Tok::kw_statistics: {
      advance();
      advance();
      c->action = AlterTableAction::set_statistics;
      const int l = loc();
      c->expr = make_integer(signed_integer(), l);
      return;
    }
    case Tok::left_paren:
      advance();
      c->action = AlterTableAction::set_column_options;
      c->options = rel_options();
      return;
    case Tok::kw_storage:
      advance();
      advance();
      c->action = AlterTableAction::set_storage;
      c->text = col_id();
      return;
    case Tok::kw_compression:
      advance();
      advance();
      c->action = AlterTableAction::set_compression;
      c->text = at(Tok::kw_default) ? take_text() : col_id();
      return;
    case Tok::kw_data:
      advance();
      advance();
      expect(Tok::kw_type);
      c->action = AlterTableAction::column_type;
      c->column = make<ColumnDef>();
      c->column->type = type_name();
      if (at(Tok::kw_collate)) collation_of_column(c->column->collation, c->column->collation_location);
      if (accept(Tok::kw_using)) c->expr = expression();
      return;
    default: alter_identity(c);
  }
}

// {RESTART [[WITH] n] | SET GENERATED … | SET sequence option} …
void Parser::alter_identity(AlterTableCommand* c) {
  c->action = AlterTableAction::set_identity;
  while (at(Tok::kw_restart) || at(Tok::kw_set)) {
    if (at(Tok::kw_restart)) {
      push(c->options, sequence_option());
      continue;
    }
    const int location = loc();
    advance();
    const int option_location = loc();
    if (accept(Tok::kw_generated)) {
      const bool always = accept(Tok::kw_always);
      if (!always) expect_all(Tok::kw_by, Tok::kw_default);
      push(c->options, make_option("generated", make_string(always ? "a" : "d", option_location), location));
      continue;
    }
    Option* o = sequence_option();
    if (o == nullptr) syntax_error();
    if (o->name == "as" || o->name == "restart" || o->name == "owned_by") {
      throw SqlError(sqlstate::syntax_error, "sequence option \"{}\" not supported here", o->name).at(option_location);
    }
    push(c->options, o);
  }
}

AlterTableCommand* Parser::alter_set(AlterTableCommand* c) {
  advance();
  switch (tok()) {
    case Tok::kw_without:
      advance();
      c->action = at(Tok::kw_oids) ? AlterTableAction::set_without_oids : AlterTableAction::set_without_cluster;
      if (!accept(Tok::kw_oids)) expect(Tok::kw_cluster);
      return c;
    case Tok::kw_logged: c->action = AlterTableAction::set_logged; break;
    case Tok::kw_unlogged: c->action = AlterTableAction::set_unlogged; break;
    case Tok::kw_access:
      advance();
      expect(Tok::kw_method);
      c->action = AlterTableAction::set_access_method;
      c->name = col_id();
      return c;
    case Tok::kw_tablespace:
      advance();
      c->action = AlterTableAction::set_tablespace;
      c->name = col_id();
      return c;
    default:
      c->action = AlterTableAction::set_options;
      c->options = rel_options();
      return c;
  }
  advance();
  return c;
}

// ENABLE or DISABLE was consumed.
AlterTableCommand* Parser::alter_enable_disable(AlterTableCommand* c, bool enable) {
  using A = AlterTableAction;
  if (accept(Tok::kw_row)) {
    expect_all(Tok::kw_level, Tok::kw_security);
    c->action = enable ? A::enable_row_security : A::disable_row_security;
    return c;
  }
  A trigger = enable ? A::enable_trigger : A::disable_trigger;
  A rule = enable ? A::enable_rule : A::disable_rule;
  bool special = false;
  if (enable && accept(Tok::kw_always)) {
    trigger = A::enable_always_trigger;
    rule = A::enable_always_rule;
    special = true;
  } else if (enable && accept(Tok::kw_replica)) {
    trigger = A::enable_replica_trigger;
    rule = A::enable_replica_rule;
    special = true;
  }
  if (accept(Tok::kw_rule)) {
    c->action = rule;
    c->name = col_id();
    return c;
  }
  expect(Tok::kw_trigger);
  c->action = trigger;
  if (!special && accept(Tok::kw_all)) {
    c->action = enable ? A::enable_trigger_all : A::disable_trigger_all;
  } else if (!special && accept(Tok::kw_user)) {
    c->action = enable ? A::enable_trigger_user : A::disable_trigger_user;
  } else {
    c->name = col_id();
  }
  return c;
}

void Parser::replica_identity(AlterTableCommand* c) {
  advance();
  expect(Tok::kw_identity);
  c->action = AlterTableAction::replica_identity;
  switch (tok()) {
    case Tok::kw_nothing: c->text = "nothing"; break;
    case Tok::kw_full: c->text = "full"; break;
    case Tok::kw_default: c->text = "default"; break;
    default:
      expect_all(Tok::kw_using, Tok::kw_index);
      c->text = "index";
      c->name = col_id();
      return;
  }
  advance();
}

}  // namespace hathi::parser
