// Prepared statements, cursors, EXPLAIN, DO, CALL, NOTIFY and their like.

#include "parser_impl.h"

namespace hathi::parser {

StatementNode* Parser::prepare_statement() {
  const int location = loc();
  advance();
  if (at(Tok::kw_transaction) && next_is(Tok::string)) {
    TransactionStatement* t = make<TransactionStatement>(location);
    advance();
    t->type = TransactionKind::prepare;
    t->gid = string_constant();
    return t;
  }
  PrepareStatement* p = make<PrepareStatement>(location);
  p->name = col_id();
  if (accept('(')) {
    p->types = type_list();
    expect(')');
  }
  expect(Tok::kw_as);
  if (!begins_preparable()) syntax_error();
  p->query = preparable_statement();
  return p;
}

StatementNode* Parser::execute_statement() {
  ExecuteStatement* e = make<ExecuteStatement>();
  advance();
  e->name = col_id();
  if (accept('(')) {
    e->args = expression_list();
    expect(')');
  }
  return e;
}

StatementNode* Parser::deallocate_statement() {
  DeallocateStatement* d = make<DeallocateStatement>();
  advance();
  if (at(Tok::kw_prepare) && (next_is(Tok::kw_all) || has_flag(peek_kind(), kMayBeColumn))) advance();
  if (!accept(Tok::kw_all)) d->name = col_id();
  return d;
}

StatementNode* Parser::declare_statement() {
  DeclareCursorStatement* d = make<DeclareCursorStatement>();
  advance();
  d->name = col_id();
  for (;;) {
    if (accept(Tok::kw_no)) {
      expect(Tok::kw_scroll);
      d->options |= kCursorNoScroll;
    } else if (accept(Tok::kw_scroll)) {
      d->options |= kCursorScroll;
    } else if (accept(Tok::kw_binary)) {
      d->options |= kCursorBinary;
    } else if (accept(Tok::kw_asensitive)) {
      d->options |= kCursorAsensitive;
    } else if (accept(Tok::kw_insensitive)) {
      d->options |= kCursorInsensitive;
    } else {
      break;
    }
  }
  expect(Tok::kw_cursor);
  if (accept(Tok::kw_with)) {
    expect(Tok::kw_hold);
    d->options |= kCursorHold;
  } else if (accept(Tok::kw_without)) {
    expect(Tok::kw_hold);
  }
  expect(Tok::kw_for);
  d->query = select_statement();
  return d;
}

// The words of FETCH are also cursor names: they are words only if something that can follow them does.
StatementNode* Parser::fetch_statement(bool move) {
  FetchStatement* f = make<FetchStatement>();
  f->move = move;
  advance();
  const Tok following = peek_kind();
  const bool name_follows = following == Tok::kw_from || following == Tok::kw_in || has_flag(following, kMayBeColumn);
  const bool number_follows = following == Tok::integer || following == Tok::plus || following == Tok::minus;
  switch (tok()) {
    case Tok::kw_next:
      if (name_follows) advance();
      break;
    case Tok::kw_prior:
      if (!name_follows) break;
      advance();
      f->direction = FetchDirection::backward;
      break;
    case Tok::kw_first:
    case Tok::kw_last:
      if (!name_follows) break;
      f->direction = FetchDirection::absolute;
      f->count = at(Tok::kw_first) ? 1 : -1;
      advance();
      break;
    case Tok::kw_absolute:
    case Tok::kw_relative:
      if (!number_follows) break;
      f->direction = at(Tok::kw_absolute) ? FetchDirection::absolute : FetchDirection::relative;
      advance();
      f->count = signed_integer();
      break;
    case Tok::kw_forward:
    case Tok::kw_backward:
      if (!name_follows && !number_follows && following != Tok::kw_all) break;
      f->direction = at(Tok::kw_forward) ? FetchDirection::forward : FetchDirection::backward;
      advance();
      if (accept(Tok::kw_all)) {
        f->count = kFetchAll;
      } else if (number_follows) {
        f->count = signed_integer();
      }
      break;
    case Tok::kw_all:
      advance();
      f->count = kFetchAll;
      break;
    case Tok::integer:
    case Tok::plus:
    case Tok::minus: f->count = signed_integer(); break;
    default: break;
  }
  if (!accept(Tok::kw_from)) accept(Tok::kw_in);
  f->cursor = col_id();
  return f;
}

StatementNode* Parser::close_statement() {
  CloseStatement* c = make<CloseStatement>();
  advance();
  if (!accept(Tok::kw_all)) c->name = col_id();
  return c;
}

StatementNode* Parser::explain_statement() {
  ExplainStatement* e = make<ExplainStatement>();
  advance();
  if (at('(')) {
    const Tok following = peek_kind();
    const bool query = following == Tok::kw_select || following == Tok::kw_with || following == Tok::with_la ||
                       following == Tok::kw_table || following == Tok::left_paren ||
                       (following == Tok::kw_values && peek_kind(2) == Tok::left_paren);
    if (!query) e->options = utility_options();
  } else {
    if (at_any(Tok::kw_analyze, Tok::kw_analyse)) {
      push(e->options, make_option("analyze", nullptr, loc()));
      advance();
    }
    if (at(Tok::kw_verbose)) {
      push(e->options, make_option("verbose", nullptr, loc()));
      advance();
    }
  }
  e->query = explainable_statement();
  return e;
}

StatementNode* Parser::explainable_statement() {
  const int location = loc();
  switch (tok()) {
    case Tok::kw_declare: return declare_statement();
    case Tok::kw_execute: return execute_statement();
    case Tok::kw_refresh: return refresh_statement();
    case Tok::kw_create: break;
    default:
      if (!begins_preparable()) syntax_error();
      return preparable_statement();
  }
  advance();
  Persistence kind = Persistence::permanent;
  const bool given = persistence(kind);
  if ((!given || kind == Persistence::unlogged) && at(Tok::kw_materialized)) return create_materialized_view(kind, location);
  expect(Tok::kw_table);
  const bool exists = if_not_exists();
  RangeVar* relation = qualified_name();
  relation->persistence = kind;
  List<Name> columns = optional_column_list();
  return create_table_as(relation, columns, location, exists);
}

StatementNode* Parser::notify_statement() {
  NotifyStatement* n = make<NotifyStatement>();
  advance();
  n->channel = col_id();
  if (accept(',')) n->payload = string_constant();
  return n;
}

StatementNode* Parser::discard_statement() {
  DiscardStatement* d = make<DiscardStatement>();
  advance();
  switch (tok()) {
    case Tok::kw_all: d->target = DiscardKind::all; break;
    case Tok::kw_plans: d->target = DiscardKind::plans; break;
    case Tok::kw_sequences: d->target = DiscardKind::sequences; break;
    case Tok::kw_temp:
    case Tok::kw_temporary: d->target = DiscardKind::temp; break;
    default: syntax_error();
  }
  advance();
  return d;
}

// DO 'code' and LANGUAGE name in any order and number.
StatementNode* Parser::do_statement() {
  DoStatement* d = make<DoStatement>();
  advance();
  do {
    const int location = loc();
    if (accept(Tok::kw_language)) {
      const int l = loc();
      push(d->options, make_option("language", make_string(non_reserved_word_or_string(), l), location));
    } else {
      push(d->options, make_option("as", make_string(string_constant(), location), location));
    }
  } while (at(Tok::string) || at(Tok::kw_language));
  return d;
}

StatementNode* Parser::call_statement() {
  CallStatement* c = make<CallStatement>();
  advance();
  const int location = loc();
  c->call = function_application(function_name(), location);
  return c;
}

}  // namespace hathi::parser
