// CREATE TABLE, CREATE TABLE AS, views, sequences, indexes, schemas, statistics.

#include "hathi/error/report.h"
#include "parser_impl.h"

namespace hathi::parser {

// [[LOCAL | GLOBAL] TEMP[ORARY] | UNLOGGED]
bool Parser::persistence(Persistence& result) {
  const int location = loc();
  const bool global = at(Tok::kw_global);
  if (at_any(Tok::kw_local, Tok::kw_global)) {
    advance();
    if (!at_any(Tok::kw_temp, Tok::kw_temporary)) syntax_error();
  }
  if (at_any(Tok::kw_temp, Tok::kw_temporary)) {
    advance();
    result = Persistence::temporary;
    if (global) {
      ErrorReport r;
      r.severity = Severity::warning;
      r.code = sqlstate::warning;
      r.message = "GLOBAL is deprecated in temporary table creation";
      r.position = location + 1;
      report(std::move(r));
    }
    return true;
  }
  if (accept(Tok::kw_unlogged)) {
    result = Persistence::unlogged;
    return true;
  }
  return false;
}

OptionList Parser::table_with() {
  if (accept(Tok::kw_with)) return rel_options();
  if (accept(Tok::kw_without)) expect(Tok::kw_oids);
  return {};
}

OnCommit Parser::on_commit() {
  if (!accept(Tok::kw_on)) return OnCommit::none;
  expect(Tok::kw_commit);
  if (accept(Tok::kw_drop)) return OnCommit::drop;
  const bool keep = at(Tok::kw_preserve);
  if (!accept(Tok::kw_preserve)) expect(Tok::kw_delete);
  expect(Tok::kw_rows);
  return keep ? OnCommit::preserve_rows : OnCommit::delete_rows;
}

// [PARTITION BY …] [USING …] [WITH …] [ON COMMIT …] [TABLESPACE …]
void Parser::table_tail(CreateTableStatement* table) {
  if (at(Tok::kw_partition)) table->partition_by = partition_spec();
  table->access_method = optional_access_method();
  table->options = table_with();
  table->on_commit = on_commit();
  table->tablespace = optional_tablespace();
}

void Parser::create_as_tail(IntoClause* into) {
  into->access_method = optional_access_method();
  into->options = table_with();
  into->on_commit = on_commit();
  into->tablespace = optional_tablespace();
}

// Behind the name and its column list: … AS query | EXECUTE name [WITH [NO] DATA]
StatementNode* Parser::create_table_as(RangeVar* relation, const List<Name>& columns, int location, bool exists) {
  CreateTableAsStatement* c = make<CreateTableAsStatement>(location);
  c->into = make<IntoClause>(relation->location);
  c->into->relation = relation;
  c->into->columns = columns;
  c->if_not_exists = exists;
  create_as_tail(c->into);
  expect(Tok::kw_as);
  c->query = at(Tok::kw_execute) ? execute_statement() : select_statement();
  c->into->with_data = with_data();
  return c;
}

// CREATE [TEMP …] was consumed; TABLE is current.
StatementNode* Parser::create_table(Persistence kind, bool query_allowed) {
  const int location = loc();
  advance();
  const bool exists = if_not_exists();
  CreateTableStatement* table = make<CreateTableStatement>(location);
  table->if_not_exists = exists;
  table->relation = qualified_name();
  table->relation->persistence = kind;
  if (accept('(')) {
    if (query_allowed && at_flag(kMayBeColumn) && (next_is(',') || next_is(')'))) {
      List<Name> columns = name_list();
      expect(')');
      return create_table_as(table->relation, columns, location, exists);
    }
    table_elements(table, false);
    if (accept(Tok::kw_inherits)) {
      expect('(');
      table->inherits = qualified_name_list();
      expect(')');
    }
    table_tail(table);
    return table;
  }
  if (accept(Tok::kw_of)) {
    table->of_type = make<TypeName>();
    table->of_type->names = any_name();
    if (accept('(')) table_elements(table, true);
    table_tail(table);
    return table;
  }
  if (accept(Tok::kw_partition)) {
    expect(Tok::kw_of);
    table->partition_of = qualified_name();
    if (accept('(')) table_elements(table, true);
    table->bound = partition_bound();
    table_tail(table);
    return table;
  }
  if (!query_allowed) syntax_error();
  return create_table_as(table->relation, {}, location, exists);
}

// Elements up to and with the closing parenthesis; only plain tables may have none.
void Parser::table_elements(CreateTableStatement* table, bool typed) {
  if (!typed && accept(')')) return;
  do push(table->elements, typed ? typed_table_element() : table_element());
  while (accept(','));
  expect(')');
}

// CREATE FOREIGN was consumed; TABLE is current.
StatementNode* Parser::create_foreign_table() {
  CreateTableStatement* table = make<CreateTableStatement>();
  advance();
  table->if_not_exists = if_not_exists();
  table->relation = qualified_name();
  if (accept(Tok::kw_partition)) {
    expect(Tok::kw_of);
    table->partition_of = qualified_name();
    if (accept('(')) table_elements(table, true);
    table->bound = partition_bound();
  } else {
    expect('(');
    table_elements(table, false);
    if (accept(Tok::kw_inherits)) {
      expect('(');
      table->inherits = qualified_name_list();
      expect(')');
    }
  }
  expect(Tok::kw_server);
  table->server = col_id();
  table->server_options = optional_generic_options();
  return table;
}

StatementNode* Parser::create_materialized_view(Persistence kind, int location) {
  CreateTableAsStatement* c = make<CreateTableAsStatement>(location);
  c->materialized_view = true;
  advance();
  expect(Tok::kw_view);
  c->if_not_exists = if_not_exists();
  c->into = make<IntoClause>();
  c->into->relation = qualified_name();
  c->into->relation->persistence = kind;
  c->into->columns = optional_column_list();
  c->into->access_method = optional_access_method();
  c->into->options = optional_rel_options();
  c->into->tablespace = optional_tablespace();
  expect(Tok::kw_as);
  c->query = select_statement();
  c->into->with_data = with_data();
  return c;
}

// VIEW is current, RECURSIVE was consumed.
StatementNode* Parser::create_view(bool replace, Persistence kind, bool recursive, int location) {
  CreateViewStatement* v = make<CreateViewStatement>(location);
  v->replace = replace;
  expect(Tok::kw_view);
  v->view = qualified_name();
  v->view->persistence = kind;
  v->columns = recursive ? parenthesized_names() : optional_column_list();
  v->options = optional_rel_options();
  expect(Tok::kw_as);
  v->query = select_statement();
  const int check_location = loc();
  if (accept(Tok::kw_with)) {
    v->check = CheckOption::cascaded;
    if (accept(Tok::kw_local)) {
      v->check = CheckOption::local;
    } else {
      accept(Tok::kw_cascaded);
    }
    expect_all(Tok::kw_check, Tok::kw_option);
  }
  if (!recursive) return v;
  if (v->check != CheckOption::none) {
    throw SqlError(sqlstate::feature_not_supported, "WITH CHECK OPTION not supported on recursive views").at(check_location);
  }
  CommonTableExpr* cte = make<CommonTableExpr>(-1);
  cte->name = v->view->name;
  cte->columns = v->columns;
  cte->query = v->query;
  SelectStatement* outer = make<SelectStatement>(-1);
  outer->with = make<WithClause>(-1);
  outer->with->recursive = true;
  push(outer->with->ctes, cte);
  for (const Name& name : v->columns) {
    ColumnRef* column = make<ColumnRef>(-1);
    push(column->names, name);
    Target* t = make<Target>(-1);
    t->value = column;
    push(outer->targets, t);
  }
  RangeVar* source = make<RangeVar>(-1);
  source->name = v->view->name;
  push<FromItem*>(outer->from, source);
  v->query = outer;
  return v;
}

// ---- sequences ----

OptionList Parser::sequence_options(bool required) {
  OptionList list;
  while (Option* o = sequence_option()) push(list, o);
  if (required && list.empty()) syntax_error();
  return list;
}

Option* Parser::sequence_option() {
  const int location = loc();
  const Tok word = tok();
  const std::string_view name = current_.text;
  switch (word) {
    case Tok::kw_as: advance(); return make_option("as", simple_type_name(), location);
    case Tok::kw_cache:
    case Tok::kw_maxvalue:
    case Tok::kw_minvalue: advance(); return make_option(name, numeric_only(), location);
    case Tok::kw_cycle: advance(); return make_option("cycle", make_boolean(true, location), location);
    case Tok::kw_logged:
    case Tok::kw_unlogged: advance(); return make_option(name, nullptr, location);
    case Tok::kw_increment:
      advance();
      accept(Tok::kw_by);
      return make_option("increment", numeric_only(), location);
    case Tok::kw_no:
      advance();
      if (accept(Tok::kw_cycle)) return make_option("cycle", make_boolean(false, location), location);
      if (accept(Tok::kw_maxvalue)) return make_option("maxvalue", nullptr, location);
      expect(Tok::kw_minvalue);
      return make_option("minvalue", nullptr, location);
    case Tok::kw_owned:
    case Tok::kw_sequence: {
      advance();
      expect(word == Tok::kw_owned ? Tok::kw_by : Tok::kw_name);
      NameList* names = make<NameList>();
      names->names = any_name();
      return make_option(word == Tok::kw_owned ? "owned_by" : "sequence_name", names, location);
    }
    case Tok::kw_start:
      advance();
      optional_with();
      return make_option("start", numeric_only(), location);
    case Tok::kw_restart:
      advance();
      if (optional_with() || at_any(Tok::plus, Tok::minus, Tok::integer, Tok::number))
        return make_option("restart", numeric_only(), location);
      return make_option("restart", nullptr, location);
    default: return nullptr;
  }
}

StatementNode* Parser::create_sequence(Persistence kind, int location) {
  CreateSequenceStatement* s = make<CreateSequenceStatement>(location);
  advance();
  s->if_not_exists = if_not_exists();
  s->relation = qualified_name();
  s->relation->persistence = kind;
  s->options = sequence_options(false);
  return s;
}

// ---- indexes ----

// CREATE [UNIQUE] was consumed; INDEX is current.
StatementNode* Parser::create_index(bool unique, int location) {
  CreateIndexStatement* i = make<CreateIndexStatement>(location);
  i->unique = unique;
  advance();
  i->concurrently = accept(Tok::kw_concurrently);
  i->if_not_exists = if_not_exists();
  if (i->if_not_exists || !at(Tok::kw_on)) i->name = col_id();
  expect(Tok::kw_on);
  i->relation = relation_expr();
  i->access_method = optional_access_method();
  expect('(');
  i->elements = index_elements();
  expect(')');
  if (accept(Tok::kw_include)) {
    expect('(');
    i->including = index_elements();
    expect(')');
  }
  i->nulls_not_distinct = nulls_distinct_clause();
  i->options = optional_rel_options();
  i->tablespace = optional_tablespace();
  i->where = where_clause();
  return i;
}

// column | function(…) | (expression), [COLLATE c] [class [(options)]] [ASC | DESC] [NULLS FIRST | LAST]
IndexElement* Parser::index_element() {
  IndexElement* e = make<IndexElement>();
  if (accept('(')) {
    e->expr = expression();
    expect(')');
  } else if (at_flag(kMayBeColumn) && !next_is('(') && !next_is('.') && !next_is('[')) {
    e->name = take_text();
  } else {
    e->expr = function_without_window();
  }
  if (accept(Tok::kw_collate)) e->collation = any_name();
  if (at_flag(kMayBeColumn)) {
    e->operator_class = any_name();
    if (at('(')) e->operator_class_options = rel_options();
  }
  if (accept(Tok::kw_asc)) {
    e->direction = SortDirection::ascending;
  } else if (accept(Tok::kw_desc)) {
    e->direction = SortDirection::descending;
  }
  if (accept(Tok::nulls_la)) {
    e->nulls = at(Tok::kw_first) ? NullsOrder::first : NullsOrder::last;
    advance();
  }
  return e;
}

// ---- schemas, statistics ----

StatementNode* Parser::create_schema(int location) {
  CreateSchemaStatement* s = make<CreateSchemaStatement>(location);
  advance();
  s->if_not_exists = if_not_exists();
  if (!at(Tok::kw_authorization)) s->name = col_id();
  if (accept(Tok::kw_authorization)) s->owner = role_spec();
  const int elements = loc();
  while (at_any(Tok::kw_create, Tok::kw_grant)) push(s->elements, schema_element());
  if (s->if_not_exists && !s->elements.empty()) {
    throw SqlError(sqlstate::feature_not_supported, "CREATE SCHEMA IF NOT EXISTS cannot include schema elements").at(elements);
  }
  return s;
}

StatementNode* Parser::schema_element() {
  const int location = loc();
  if (at(Tok::kw_grant)) return grant_statement(true, false);
  advance();
  if (accept(Tok::kw_or)) {
    expect(Tok::kw_replace);
    if (at(Tok::kw_constraint) || at(Tok::kw_trigger)) return create_trigger(true, location);
    Persistence kind = Persistence::permanent;
    persistence(kind);
    const bool recursive = accept(Tok::kw_recursive);
    return create_view(true, kind, recursive, location);
  }
  Persistence kind = Persistence::permanent;
  if (!persistence(kind)) {
    if (accept(Tok::kw_unique)) {
      if (!at(Tok::kw_index)) syntax_error();
      return create_index(true, location);
    }
    if (at(Tok::kw_index)) return create_index(false, location);
    if (at(Tok::kw_trigger) || at(Tok::kw_constraint)) return create_trigger(false, location);
  }
  if (at(Tok::kw_table)) return create_table(kind, false);
  if (at(Tok::kw_sequence)) return create_sequence(kind, location);
  const bool recursive = accept(Tok::kw_recursive);
  if (!at(Tok::kw_view)) syntax_error();
  return create_view(false, kind, recursive, location);
}

StatementNode* Parser::create_statistics(int location) {
  CreateStatisticsStatement* s = make<CreateStatisticsStatement>(location);
  advance();
  s->if_not_exists = if_not_exists();
  s->name = any_name();
  s->kinds = optional_column_list();
  expect(Tok::kw_on);
  s->expressions = comma_list<IndexElement*>([&] {
    IndexElement* e = make<IndexElement>();
    if (accept('(')) {
      e->expr = expression();
      expect(')');
    } else if (at_flag(kMayBeColumn) && !next_is('(') && !next_is('.') && !next_is('[')) {
      e->name = take_text();
    } else {
      e->expr = function_without_window();
    }
    return e;
  });
  expect(Tok::kw_from);
  s->relations = from_list();
  return s;
}

}  // namespace hathi::parser
