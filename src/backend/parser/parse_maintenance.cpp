// COPY, VACUUM, ANALYZE, CLUSTER, REINDEX, LOCK, TRUNCATE, REFRESH.

#include "parser_impl.h"

namespace hathi::parser {

// name FROM|TO [PROGRAM] 'file'|STDIN|STDOUT, the part behind the direction.
void Parser::copy_file(CopyStatement* copy) {
  copy->is_program = accept(Tok::kw_program);
  if (at_any(Tok::kw_stdin, Tok::kw_stdout)) {
    advance();
  } else {
    copy->filename = string_constant();
  }
}

StatementNode* Parser::copy_statement() {
  CopyStatement* copy = make<CopyStatement>();
  advance();
  if (accept('(')) {
    if (!begins_preparable()) syntax_error();
    copy->query = preparable_statement();
    expect(')');
    const int location = loc();
    expect(Tok::kw_to);
    copy_file(copy);
    if (copy->is_program && copy->filename.data() == nullptr) {
      throw SqlError(sqlstate::syntax_error, "STDIN/STDOUT not allowed with PROGRAM").at(location);
    }
    copy_options(copy);
    return copy;
  }
  const int start = loc();
  if (accept(Tok::kw_binary)) push(copy->options, make_option("format", make_string("binary", start), start));
  copy->relation = qualified_name();
  copy->columns = optional_column_list();
  copy_direction(copy);
  return copy;
}

// COPY table's part from the direction on.
void Parser::copy_direction(CopyStatement* copy) {
  copy->is_from = accept(Tok::kw_from);
  if (!copy->is_from) expect(Tok::kw_to);
  copy_file(copy);
  int behind_file = -1;
  if (at(Tok::kw_using) || at(Tok::kw_delimiters)) {
    const int location = behind_file = loc();
    accept(Tok::kw_using);
    expect(Tok::kw_delimiters);
    const int l = loc();
    push(copy->options, make_option("delimiter", make_string(string_constant(), l), location));
  }
  copy_options(copy);
  const int where_location = loc();
  copy->where = where_clause();
  if (copy->is_program && copy->filename.data() == nullptr) {
    throw SqlError(sqlstate::syntax_error, "STDIN/STDOUT not allowed with PROGRAM").at(behind_file);
  }
  if (!copy->is_from && copy->where != nullptr)
    throw SqlError(sqlstate::syntax_error, "WHERE clause not allowed with COPY TO").at(where_location);
}

// [WITH] (name value, …) | [WITH] old options
void Parser::copy_options(CopyStatement* copy) {
  optional_with();
  if (accept('(')) {
    do push(copy->options, new_copy_option());
    while (accept(','));
    expect(')');
    return;
  }
  while (Option* o = old_copy_option()) push(copy->options, o);
}

Option* Parser::new_copy_option() {
  Option* o = make<Option>();
  o->name = col_label();
  if (at('*')) {
    NameList* star = make<NameList>();
    push(star->names, Name("*"));
    o->value = star;
    advance();
  } else if (accept('(')) {
    NodeList* list = make<NodeList>();
    do {
      const int l = loc();
      if (!(at_any(Tok::kw_true, Tok::kw_false, Tok::kw_on, Tok::string) || at_flag(kMayBeWord))) syntax_error();
      push<Node*>(list->items, make_string(take_text(), l));
    } while (accept(','));
    expect(')');
    o->value = list;
  } else {
    o->value = boolean_or_string_or_number();
  }
  return o;
}

Option* Parser::old_copy_option() {
  const int location = loc();
  auto text_option = [&](const char* name, bool as) {
    advance();
    if (as) accept(Tok::kw_as);
    const int l = loc();
    return make_option(name, make_string(string_constant(), l), location);
  };
  auto flag = [&](const char* name, Node* value) {
    advance();
    return make_option(name, value, location);
  };
  switch (tok()) {
    case Tok::kw_binary: return flag("format", make_string("binary", location));
    case Tok::kw_csv: return flag("format", make_string("csv", location));
    case Tok::kw_freeze: return flag("freeze", make_boolean(true, location));
    case Tok::kw_header: return flag("header", make_boolean(true, location));
    case Tok::kw_delimiter: return text_option("delimiter", true);
    case Tok::kw_null: return text_option("null", true);
    case Tok::kw_quote: return text_option("quote", true);
    case Tok::kw_escape: return text_option("escape", true);
    case Tok::kw_encoding: return text_option("encoding", false);
    case Tok::kw_force: break;
    default: return nullptr;
  }
  advance();
  const char* name = "force_quote";
  if (accept(Tok::kw_not)) {
    expect(Tok::kw_null);
    name = "force_not_null";
  } else if (accept(Tok::kw_null)) {
    name = "force_null";
  } else {
    expect(Tok::kw_quote);
    if (at('*')) {
      NameList* star = make<NameList>();
      push(star->names, Name("*"));
      advance();
      return make_option(name, star, location);
    }
  }
  NodeList* list = make<NodeList>();
  do {
    const int l = loc();
    push<Node*>(list->items, make_string(col_id(), l));
  } while (accept(','));
  return make_option(name, list, location);
}

List<VacuumTarget*> Parser::vacuum_targets() {
  if (at(Tok::end) || at(';')) return {};
  return comma_list<VacuumTarget*>([&] {
    VacuumTarget* t = make<VacuumTarget>();
    t->relation = qualified_name();
    t->columns = optional_column_list();
    return t;
  });
}

StatementNode* Parser::vacuum_statement() {
  VacuumStatement* v = make<VacuumStatement>();
  advance();
  if (at('(')) {
    v->options = utility_options();
  } else {
    auto word = [&](Tok a, Tok b, const char* name) {
      if (!at_any(a, b)) return;
      push(v->options, make_option(name, nullptr, loc()));
      advance();
    };
    word(Tok::kw_full, Tok::kw_full, "full");
    word(Tok::kw_freeze, Tok::kw_freeze, "freeze");
    word(Tok::kw_verbose, Tok::kw_verbose, "verbose");
    word(Tok::kw_analyze, Tok::kw_analyse, "analyze");
  }
  v->targets = vacuum_targets();
  return v;
}

StatementNode* Parser::analyze_statement() {
  VacuumStatement* v = make<VacuumStatement>();
  v->is_vacuum = false;
  advance();
  if (at('(')) {
    v->options = utility_options();
  } else if (at(Tok::kw_verbose)) {
    push(v->options, make_option("verbose", nullptr, loc()));
    advance();
  }
  v->targets = vacuum_targets();
  return v;
}

// CLUSTER [VERBOSE] [table [USING index]] | CLUSTER (options) table [USING index] | CLUSTER [VERBOSE] index ON table
StatementNode* Parser::cluster_statement() {
  ClusterStatement* c = make<ClusterStatement>();
  advance();
  bool options = false;
  if (at('(')) {
    c->options = utility_options();
    options = true;
  } else if (at(Tok::kw_verbose)) {
    push(c->options, make_option("verbose", nullptr, loc()));
    advance();
  }
  if (!options && (at(Tok::end) || at(';'))) return c;
  c->relation = qualified_name();
  if (accept(Tok::kw_using)) {
    c->index = col_id();
  } else if (!options && c->relation->schema.empty() && accept(Tok::kw_on)) {
    c->index = c->relation->name;
    c->relation = qualified_name();
  }
  return c;
}

StatementNode* Parser::reindex_statement() {
  ReindexStatement* r = make<ReindexStatement>();
  advance();
  if (at('(')) r->options = utility_options();
  switch (tok()) {
    case Tok::kw_index: r->type = ReindexKind::index; break;
    case Tok::kw_table: r->type = ReindexKind::table; break;
    case Tok::kw_schema: r->type = ReindexKind::schema; break;
    case Tok::kw_system: r->type = ReindexKind::system; break;
    case Tok::kw_database: r->type = ReindexKind::database; break;
    default: syntax_error();
  }
  advance();
  if (at(Tok::kw_concurrently)) {
    push(r->options, make_option("concurrently", nullptr, loc()));
    advance();
  }
  if (r->type == ReindexKind::index || r->type == ReindexKind::table) {
    r->relation = qualified_name();
  } else {
    r->name = col_id();
  }
  return r;
}

StatementNode* Parser::lock_statement() {
  LockStatement* l = make<LockStatement>();
  advance();
  accept(Tok::kw_table);
  l->relations = comma_list<RangeVar*>([&] { return relation_expr(); });
  if (accept(Tok::kw_in)) {
    switch (tok()) {
      case Tok::kw_access: {
        advance();
        const bool share = at(Tok::kw_share);
        if (!accept(Tok::kw_share)) expect(Tok::kw_exclusive);
        l->mode = share ? 1 : 8;
        break;
      }
      case Tok::kw_row: {
        advance();
        const bool share = at(Tok::kw_share);
        if (!accept(Tok::kw_share)) expect(Tok::kw_exclusive);
        l->mode = share ? 2 : 3;
        break;
      }
      case Tok::kw_share:
        advance();
        l->mode = 5;
        if (accept(Tok::kw_update)) {
          expect(Tok::kw_exclusive);
          l->mode = 4;
        } else if (accept(Tok::kw_row)) {
          expect(Tok::kw_exclusive);
          l->mode = 6;
        }
        break;
      default:
        expect(Tok::kw_exclusive);
        l->mode = 7;
        break;
    }
    expect(Tok::kw_mode);
  }
  l->nowait = accept(Tok::kw_nowait);
  return l;
}

StatementNode* Parser::truncate_statement() {
  TruncateStatement* t = make<TruncateStatement>();
  advance();
  accept(Tok::kw_table);
  t->relations = comma_list<RangeVar*>([&] { return relation_expr(); });
  if (accept(Tok::kw_restart)) {
    expect(Tok::kw_identity);
    t->restart_identity = true;
  } else if (accept(Tok::kw_continue)) {
    expect(Tok::kw_identity);
  }
  t->behavior = drop_behavior();
  return t;
}

// [WITH [NO] DATA]
bool Parser::with_data() {
  if (!accept(Tok::kw_with)) return true;
  const bool no = accept(Tok::kw_no);
  expect(Tok::kw_data);
  return !no;
}

StatementNode* Parser::refresh_statement() {
  RefreshStatement* r = make<RefreshStatement>();
  advance();
  expect_all(Tok::kw_materialized, Tok::kw_view);
  r->concurrently = accept(Tok::kw_concurrently);
  r->relation = qualified_name();
  r->with_data = with_data();
  return r;
}

}  // namespace hathi::parser
