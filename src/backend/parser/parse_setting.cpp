// Transactions, SET, RESET, SHOW.

#include "parser_impl.h"

namespace hathi::parser {

// [WORK | TRANSACTION]
void Parser::optional_transaction_word() {
  if (!accept(Tok::kw_work)) accept(Tok::kw_transaction);
}

// [AND [NO] CHAIN]
bool Parser::transaction_chain() {
  if (!accept(Tok::kw_and)) return false;
  const bool no = accept(Tok::kw_no);
  expect(Tok::kw_chain);
  return !no;
}

std::string_view Parser::isolation_level() {
  if (accept(Tok::kw_read)) {
    if (accept(Tok::kw_uncommitted)) return "read uncommitted";
    expect(Tok::kw_committed);
    return "read committed";
  }
  if (accept(Tok::kw_repeatable)) {
    expect(Tok::kw_read);
    return "repeatable read";
  }
  expect(Tok::kw_serializable);
  return "serializable";
}

Option* Parser::transaction_mode() {
  const int location = loc();
  if (accept(Tok::kw_isolation)) {
    expect(Tok::kw_level);
    const int l = loc();
    return make_option("transaction_isolation", make_string(isolation_level(), l), location);
  }
  if (accept(Tok::kw_read)) {
    const bool only = at(Tok::kw_only);
    if (!accept(Tok::kw_only)) expect(Tok::kw_write);
    return make_option("transaction_read_only", make_integer(only ? 1 : 0, location), location);
  }
  const bool deferrable = !accept(Tok::kw_not);
  expect(Tok::kw_deferrable);
  return make_option("transaction_deferrable", make_integer(deferrable ? 1 : 0, location), location);
}

// Modes separated by commas or nothing.
OptionList Parser::transaction_modes(bool required) {
  OptionList list;
  if (required || at_transaction_mode()) {
    push(list, transaction_mode());
    while (at(',') || at_transaction_mode()) {
      accept(',');
      push(list, transaction_mode());
    }
  }
  return list;
}

StatementNode* Parser::begin_statement() {
  TransactionStatement* t = make<TransactionStatement>();
  if (accept(Tok::kw_start)) {
    t->type = TransactionKind::start;
    expect(Tok::kw_transaction);
  } else {
    advance();
    optional_transaction_word();
  }
  t->modes = transaction_modes(false);
  return t;
}

StatementNode* Parser::rollback_statement() {
  TransactionStatement* t = make<TransactionStatement>();
  t->type = TransactionKind::rollback;
  advance();
  if (accept(Tok::kw_prepared)) {
    t->type = TransactionKind::rollback_prepared;
    t->gid = string_constant();
    return t;
  }
  optional_transaction_word();
  if (accept(Tok::kw_to)) {
    t->type = TransactionKind::rollback_to;
    if (at(Tok::kw_savepoint) && has_flag(peek_kind(), kMayBeColumn)) advance();
    t->savepoint = col_id();
    return t;
  }
  t->chain = transaction_chain();
  return t;
}

StatementNode* Parser::transaction_statement() {
  TransactionStatement* t = make<TransactionStatement>();
  const Tok word = tok();
  switch (word) {
    case Tok::kw_begin:
    case Tok::kw_start: return begin_statement();
    case Tok::kw_rollback: return rollback_statement();
    case Tok::kw_savepoint:
      advance();
      t->type = TransactionKind::savepoint;
      t->savepoint = col_id();
      return t;
    case Tok::kw_release:
      advance();
      t->type = TransactionKind::release;
      if (at(Tok::kw_savepoint) && has_flag(peek_kind(), kMayBeColumn)) advance();
      t->savepoint = col_id();
      return t;
    default: break;
  }
  advance();
  if (word == Tok::kw_commit && accept(Tok::kw_prepared)) {
    t->type = TransactionKind::commit_prepared;
    t->gid = string_constant();
    return t;
  }
  t->type = word == Tok::kw_abort ? TransactionKind::rollback : TransactionKind::commit;
  optional_transaction_word();
  t->chain = transaction_chain();
  return t;
}

// ---- SET ----

VariableSetStatement* Parser::make_set(Name name, int location) {
  VariableSetStatement* s = make<VariableSetStatement>(location);
  s->name = name;
  return s;
}

Expr* Parser::setting_value() {
  Node* value = boolean_or_string_or_number();
  if (value == nullptr) syntax_error();
  return value;
}

// TO/= DEFAULT | value, …: behind the name and the sign.
void Parser::set_values(VariableSetStatement* set) {
  if (accept(Tok::kw_default)) {
    set->type = VariableSetKind::default_value;
    return;
  }
  set->args = comma_list<Expr*>([&] { return setting_value(); });
}

void Parser::set_time_zone(VariableSetStatement* set) {
  const int location = loc();
  switch (tok()) {
    case Tok::kw_default:
    case Tok::kw_local:
      advance();
      set->type = VariableSetKind::default_value;
      return;
    case Tok::string:
    case Tok::identifier: push<Expr*>(set->args, make_string(take_text(), location)); return;
    case Tok::kw_interval: {
      if (!next_is('(') && !next_is(Tok::string)) {
        advance();
        syntax_error();
      }
      auto* literal = node_cast<TypeCast>(interval_literal(location));
      const List<Expr*>& typmods = literal->type->typmods;
      if (typmods.size() >= 1 && typmods[0]->location >= 0) {
        const int mask = node_cast<Constant>(typmods[0])->integer;
        if ((mask & ~((1 << 10) | (1 << 11))) != 0) {
          throw SqlError(sqlstate::syntax_error, "time zone interval must be HOUR or HOUR TO MINUTE").at(typmods[0]->location);
        }
      }
      push<Expr*>(set->args, literal);
      return;
    }
    default: push<Expr*>(set->args, numeric_only()); return;
  }
}

VariableSetStatement* Parser::set_rest_more() {
  const int location = loc();
  VariableSetStatement* s = make_set({}, location);
  const Tok following = peek_kind();
  const bool plain_name = following == Tok::kw_to || following == Tok::equal || following == Tok::dot || following == Tok::kw_from;
  if (!plain_name) {
    switch (tok()) {
      case Tok::kw_time:
        advance();
        expect(Tok::kw_zone);
        s->name = "timezone";
        set_time_zone(s);
        return s;
      case Tok::kw_catalog: {
        advance();
        const int l = loc();
        string_constant();
        throw SqlError(sqlstate::feature_not_supported, "current database cannot be changed").at(l);
      }
      case Tok::kw_schema: {
        advance();
        const int l = loc();
        s->name = "search_path";
        push<Expr*>(s->args, make_string(string_constant(), l));
        return s;
      }
      case Tok::kw_names:
        advance();
        s->name = "client_encoding";
        if (at(Tok::string)) {
          const int l = loc();
          push<Expr*>(s->args, make_string(take_text(), l));
        } else {
          accept(Tok::kw_default);
          s->type = VariableSetKind::default_value;
        }
        return s;
      case Tok::kw_role: {
        advance();
        const int l = loc();
        s->name = "role";
        push<Expr*>(s->args, make_string(non_reserved_word_or_string(), l));
        return s;
      }
      case Tok::kw_session: {
        advance();
        expect(Tok::kw_authorization);
        s->name = "session_authorization";
        const int l = loc();
        if (accept(Tok::kw_default)) {
          s->type = VariableSetKind::default_value;
        } else {
          push<Expr*>(s->args, make_string(non_reserved_word_or_string(), l));
        }
        return s;
      }
      case Tok::kw_xml: {
        advance();
        expect(Tok::kw_option);
        const int l = loc();
        s->name = "xmloption";
        push<Expr*>(s->args, make_string(document_or_content() ? "DOCUMENT" : "CONTENT", l));
        return s;
      }
      case Tok::kw_transaction: {
        advance();
        expect(Tok::kw_snapshot);
        s->type = VariableSetKind::snapshot;
        const int l = loc();
        push<Expr*>(s->args, make_string(string_constant(), l));
        return s;
      }
      default: break;
    }
  }
  s->name = setting_name();
  if (accept(Tok::kw_from)) {
    expect(Tok::kw_current);
    s->type = VariableSetKind::current;
    return s;
  }
  if (!accept(Tok::kw_to)) expect('=');
  set_values(s);
  return s;
}

VariableSetStatement* Parser::set_rest() {
  const int location = loc();
  const Tok following = peek_kind();
  if (at(Tok::kw_transaction) &&
      (following == Tok::kw_isolation || following == Tok::kw_read || following == Tok::kw_deferrable || following == Tok::kw_not)) {
    VariableSetStatement* s = make_set({}, location);
    advance();
    s->type = VariableSetKind::transaction;
    s->modes = transaction_modes(true);
    return s;
  }
  if (at(Tok::kw_session) && following == Tok::kw_characteristics) {
    VariableSetStatement* s = make_set({}, location);
    advance();
    advance();
    expect_all(Tok::kw_as, Tok::kw_transaction);
    s->type = VariableSetKind::session_transaction;
    s->modes = transaction_modes(true);
    return s;
  }
  return set_rest_more();
}

StatementNode* Parser::set_statement() {
  const int location = loc();
  advance();
  const Tok following = peek_kind();
  const bool plain_name = following == Tok::kw_to || following == Tok::equal || following == Tok::dot || following == Tok::kw_from;
  if (!plain_name) {
    if (at(Tok::kw_constraints)) return set_constraints();
    const bool session =
        at(Tok::kw_session) && following != Tok::kw_authorization && !(following == Tok::kw_characteristics && peek_kind(2) == Tok::kw_as);
    if (session || at(Tok::kw_local)) {
      const bool local = at(Tok::kw_local);
      advance();
      VariableSetStatement* s = set_rest();
      s->is_local = local;
      s->location = location;
      return s;
    }
  }
  VariableSetStatement* s = set_rest();
  s->location = location;
  return s;
}

StatementNode* Parser::set_constraints() {
  ConstraintsSetStatement* s = make<ConstraintsSetStatement>();
  advance();
  if (!accept(Tok::kw_all)) s->constraints = qualified_name_list();
  s->deferred = at(Tok::kw_deferred);
  if (!accept(Tok::kw_deferred)) expect(Tok::kw_immediate);
  return s;
}

// RESET name | ALL | TIME ZONE | TRANSACTION ISOLATION LEVEL | SESSION AUTHORIZATION
VariableSetStatement* Parser::reset_rest() {
  VariableSetStatement* s = make<VariableSetStatement>();
  s->type = VariableSetKind::reset;
  advance();
  if (accept(Tok::kw_all)) {
    s->type = VariableSetKind::reset_all;
  } else if (at(Tok::kw_time) && next_is(Tok::kw_zone)) {
    advance();
    advance();
    s->name = "timezone";
  } else if (at(Tok::kw_transaction) && next_is(Tok::kw_isolation)) {
    advance();
    advance();
    expect(Tok::kw_level);
    s->name = "transaction_isolation";
  } else if (at(Tok::kw_session) && next_is(Tok::kw_authorization)) {
    advance();
    advance();
    s->name = "session_authorization";
  } else {
    s->name = setting_name();
  }
  return s;
}

VariableSetStatement* Parser::function_set_or_reset() {
  if (at(Tok::kw_reset)) return reset_rest();
  expect(Tok::kw_set);
  return set_rest_more();
}

StatementNode* Parser::show_statement() {
  VariableShowStatement* s = make<VariableShowStatement>();
  advance();
  if (accept(Tok::kw_all)) {
    s->name = "all";
  } else if (at(Tok::kw_time) && next_is(Tok::kw_zone)) {
    advance();
    advance();
    s->name = "timezone";
  } else if (at(Tok::kw_transaction) && next_is(Tok::kw_isolation)) {
    advance();
    advance();
    expect(Tok::kw_level);
    s->name = "transaction_isolation";
  } else if (at(Tok::kw_session) && next_is(Tok::kw_authorization)) {
    advance();
    advance();
    s->name = "session_authorization";
  } else {
    s->name = setting_name();
  }
  return s;
}

// ALTER SYSTEM SET name … | RESET name | ALL, ALTER SYSTEM consumed.
StatementNode* Parser::alter_system() {
  AlterSystemStatement* a = make<AlterSystemStatement>();
  VariableSetStatement* s = make<VariableSetStatement>();
  a->setting = s;
  if (accept(Tok::kw_reset)) {
    s->type = VariableSetKind::reset;
    if (accept(Tok::kw_all)) {
      s->type = VariableSetKind::reset_all;
    } else {
      s->name = setting_name();
    }
    return a;
  }
  expect(Tok::kw_set);
  s->name = setting_name();
  if (!accept(Tok::kw_to)) expect('=');
  set_values(s);
  return a;
}

}  // namespace hathi::parser
