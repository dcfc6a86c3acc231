// INSERT, UPDATE, DELETE, MERGE.

#include "parser_impl.h"

namespace hathi::parser {

bool Parser::begins_preparable() const {
  return at_any(Tok::kw_select, Tok::kw_values, Tok::kw_table, Tok::left_paren, Tok::kw_with, Tok::with_la, Tok::kw_insert, Tok::kw_update,
                Tok::kw_delete, Tok::kw_merge);
}

// SELECT, INSERT, UPDATE, DELETE or MERGE, with or without WITH.
StatementNode* Parser::preparable_statement() {
  check_stack_depth();
  switch (tok()) {
    case Tok::kw_with:
    case Tok::with_la: return statement_with(true);
    case Tok::kw_insert: return insert_statement(nullptr);
    case Tok::kw_update: return update_statement(nullptr);
    case Tok::kw_delete: return delete_statement(nullptr);
    case Tok::kw_merge: return merge_statement(nullptr);
    default: return select_statement();
  }
}

StatementNode* Parser::statement_with(bool) {
  const int location = loc();
  WithClause* with = with_clause();
  switch (tok()) {
    case Tok::kw_insert: return insert_statement(with);
    case Tok::kw_update: return update_statement(with);
    case Tok::kw_delete: return delete_statement(with);
    case Tok::kw_merge: return merge_statement(with);
    default: return select_tail(set_operations(select_operand(), 1), with, location);
  }
}

// name [[AS] alias]; the alias may not be SET without AS.
RangeVar* Parser::relation_with_alias() {
  RangeVar* r = relation_expr();
  if (accept(Tok::kw_as)) {
    r->alias.name = col_id();
  } else if (at_flag(kMayBeColumn) && !at(Tok::kw_set)) {
    r->alias.name = take_text();
  }
  return r;
}

Target* Parser::insert_column() {
  Target* t = make<Target>();
  t->name = col_id();
  if (at('.') || at('[')) t->steps = indirection(false);
  return t;
}

// [OVERRIDING USER|SYSTEM VALUE]
Overriding Parser::overriding_clause() {
  if (!accept(Tok::kw_overriding)) return Overriding::none;
  const bool user = at(Tok::kw_user);
  if (!accept(Tok::kw_user)) expect(Tok::kw_system);
  expect(Tok::kw_value);
  return user ? Overriding::user_value : Overriding::system_value;
}

// Behind the table's name: [(columns)] [OVERRIDING …] query | DEFAULT VALUES
SelectStatement* Parser::insert_source(InsertStatement* insert) {
  if (accept(Tok::kw_default)) {
    expect(Tok::kw_values);
    return nullptr;
  }
  if (at('(')) {
    const Tok following = peek_kind();
    const bool query = following == Tok::kw_select || following == Tok::kw_with || following == Tok::with_la ||
                       following == Tok::kw_table || following == Tok::left_paren ||
                       (following == Tok::kw_values && peek_kind(2) == Tok::left_paren);
    if (!query) {
      advance();
      insert->columns = insert_column_list();
      expect(')');
    }
  }
  insert->overriding = overriding_clause();
  return select_statement();
}

InsertStatement* Parser::insert_statement(WithClause* with) {
  InsertStatement* insert = make<InsertStatement>();
  insert->with = with;
  advance();
  expect(Tok::kw_into);
  insert->relation = qualified_name();
  if (accept(Tok::kw_as)) insert->relation->alias.name = col_id();
  insert->source = insert_source(insert);
  if (at(Tok::kw_on)) insert->on_conflict = on_conflict();
  insert->returning = returning_clause();
  return insert;
}

OnConflictClause* Parser::on_conflict() {
  OnConflictClause* c = make<OnConflictClause>();
  advance();
  expect(Tok::kw_conflict);
  c->target_location = loc();
  if (accept('(')) {
    c->has_target = true;
    c->index_elements = index_elements();
    expect(')');
    c->index_where = where_clause();
  } else if (accept(Tok::kw_on)) {
    expect(Tok::kw_constraint);
    c->has_target = true;
    c->constraint = col_id();
  }
  expect(Tok::kw_do);
  if (accept(Tok::kw_nothing)) return c;
  expect_all(Tok::kw_update, Tok::kw_set);
  c->do_update = true;
  c->set = set_clause_list();
  c->where = where_clause();
  return c;
}

Target* Parser::set_target() { return insert_column(); }

SetClause* Parser::set_clause() {
  SetClause* s = make<SetClause>();
  if (accept('(')) {
    s->multiple = true;
    s->targets = comma_list<Target*>([&] { return set_target(); });
    expect(')');
  } else {
    s->targets.reserve(arena_, 1);
    push(s->targets, set_target());
  }
  expect('=');
  s->value = expression();
  return s;
}

Expr* Parser::where_or_current_of() {
  if (!accept(Tok::kw_where)) return nullptr;
  if (at(Tok::kw_current) && next_is(Tok::kw_of)) {
    CurrentOfExpr* c = make<CurrentOfExpr>();
    advance();
    advance();
    c->cursor = col_id();
    return c;
  }
  return expression();
}

UpdateStatement* Parser::update_statement(WithClause* with) {
  UpdateStatement* update = make<UpdateStatement>();
  update->with = with;
  advance();
  update->relation = relation_with_alias();
  expect(Tok::kw_set);
  update->set = set_clause_list();
  if (accept(Tok::kw_from)) update->from = from_list();
  update->where = where_or_current_of();
  update->returning = returning_clause();
  return update;
}

DeleteStatement* Parser::delete_statement(WithClause* with) {
  DeleteStatement* d = make<DeleteStatement>();
  d->with = with;
  advance();
  expect(Tok::kw_from);
  d->relation = relation_with_alias();
  if (accept(Tok::kw_using)) d->using_items = from_list();
  d->where = where_or_current_of();
  d->returning = returning_clause();
  return d;
}

MergeStatement* Parser::merge_statement(WithClause* with) {
  MergeStatement* merge = make<MergeStatement>();
  merge->with = with;
  advance();
  expect(Tok::kw_into);
  merge->relation = relation_with_alias();
  expect(Tok::kw_using);
  merge->source = table_ref();
  expect(Tok::kw_on);
  merge->condition = expression();
  if (!at(Tok::kw_when)) syntax_error();
  while (at(Tok::kw_when)) push(merge->whens, merge_when());
  return merge;
}

MergeWhen* Parser::merge_when() {
  MergeWhen* w = make<MergeWhen>();
  advance();
  w->matched = !accept(Tok::kw_not);
  expect(Tok::kw_matched);
  if (accept(Tok::kw_and)) w->condition = expression();
  expect(Tok::kw_then);
  if (accept(Tok::kw_do)) {
    expect(Tok::kw_nothing);
    return w;
  }
  if (w->matched) {
    if (accept(Tok::kw_delete)) {
      w->action = MergeAction::delete_;
      return w;
    }
    expect_all(Tok::kw_update, Tok::kw_set);
    w->action = MergeAction::update;
    w->set = set_clause_list();
    return w;
  }
  expect(Tok::kw_insert);
  w->action = MergeAction::insert;
  if (accept(Tok::kw_default)) {
    expect(Tok::kw_values);
    return w;
  }
  if (accept('(')) {
    w->columns = insert_column_list();
    expect(')');
  }
  w->overriding = overriding_clause();
  expect(Tok::kw_values);
  expect('(');
  w->values = expression_list();
  expect(')');
  return w;
}

}  // namespace hathi::parser
