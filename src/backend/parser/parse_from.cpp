// FROM: tables, functions, subqueries and joins.

#include "parser_impl.h"

namespace hathi::parser {

FromItem* Parser::table_ref() {
  check_stack_depth();
  return continue_joins(table_primary());
}

JoinType Parser::join_type() {
  JoinType type = JoinType::inner;
  switch (tok()) {
    case Tok::kw_left: type = JoinType::left; break;
    case Tok::kw_right: type = JoinType::right; break;
    case Tok::kw_full: type = JoinType::full; break;
    case Tok::kw_inner:
      advance();
      expect(Tok::kw_join);
      return type;
    default: expect(Tok::kw_join); return type;
  }
  advance();
  accept(Tok::kw_outer);
  expect(Tok::kw_join);
  return type;
}

// A qualified join's right side may itself be a chain of joins that ends at this join's ON or USING; CROSS and NATURAL joins take one item.
FromItem* Parser::continue_joins(FromItem* left) {
  while (at_join()) {
    JoinExpr* join = make<JoinExpr>();
    join->left = left;
    if (accept(Tok::kw_cross)) {
      expect(Tok::kw_join);
      join->cross = true;
      join->right = table_primary();
    } else if (accept(Tok::kw_natural)) {
      join->natural = true;
      join->type = join_type();
      join->right = table_primary();
    } else {
      join->type = join_type();
      join->right = table_ref();
      join_qualification(join);
    }
    left = join;
  }
  return left;
}

void Parser::join_qualification(JoinExpr* join) {
  if (accept(Tok::kw_using)) {
    join->using_columns = parenthesized_names();
    if (accept(Tok::kw_as)) join->using_alias.name = col_id();
    return;
  }
  expect(Tok::kw_on);
  join->condition = expression();
}

FromItem* Parser::table_primary() {
  switch (tok()) {
    case Tok::left_paren: return parenthesized_table();
    case Tok::kw_lateral: return lateral_item();
    case Tok::kw_only: return relation_tail(relation_expr());
    case Tok::kw_rows:
      if (next_is(Tok::kw_from)) return rows_from(false);
      break;
    case Tok::kw_xmltable:
      if (next_is('(')) return xml_table(false);
      break;
    default: break;
  }
  return relation_or_function();
}

Alias Parser::alias_clause() {
  Alias alias;
  accept(Tok::kw_as);
  alias.name = col_id();
  alias.columns = optional_column_list();
  return alias;
}

Alias Parser::optional_alias() { return at(Tok::kw_as) || at_flag(kMayBeColumn) ? alias_clause() : Alias(); }

// ( … ) is a query, or a join; a single table may not stand in parentheses. Returns the query, or null and the join.
SelectStatement* Parser::select_or_join_in_parens(FromItem*& join) {
  enter();
  expect('(');
  if (begins_select()) {
    SelectStatement* query = select_without_parens();
    expect(')');
    leave();
    return query;
  }
  FromItem* item = nullptr;
  bool complete = false;
  if (at('(')) {
    const int location = loc();
    FromItem* inner = nullptr;
    if (SelectStatement* query = select_or_join_in_parens(inner)) {
      if (at(')') || continues_select()) {
        if (!at(')')) query = select_tail(set_operations(query, 1), nullptr, -1);
        expect(')');
        leave();
        return query;
      }
      if (!at(Tok::kw_as) && !at_flag(kMayBeColumn) && !at_join()) syntax_error();
      item = range_subquery(query, false, location);
    } else {
      complete = at(')');
      if (!complete) node_cast<JoinExpr>(inner)->alias = optional_alias();
      item = inner;
    }
  } else {
    item = table_primary();
  }
  if (!complete) {
    if (!at_join()) syntax_error();
    item = continue_joins(item);
  }
  expect(')');
  join = item;
  leave();
  return nullptr;
}

FromItem* Parser::parenthesized_table() {
  const int location = loc();
  FromItem* join = nullptr;
  if (SelectStatement* query = select_or_join_in_parens(join)) return range_subquery(query, false, location);
  Alias alias = optional_alias();
  if (alias) node_cast<JoinExpr>(join)->alias = alias;
  return join;
}

FromItem* Parser::range_subquery(SelectStatement* query, bool lateral, int location) {
  RangeSubquery* r = make<RangeSubquery>(location);
  r->lateral = lateral;
  r->query = query;
  r->alias = optional_alias();
  if (!r->alias) {
    need_token();
    if (!query->values.empty()) {
      throw SqlError(sqlstate::syntax_error, "VALUES in FROM must have an alias")
          .hint("For example, FROM (VALUES ...) [AS] foo.")
          .at(location);
    }
    throw SqlError(sqlstate::syntax_error, "subquery in FROM must have an alias")
        .hint("For example, FROM (SELECT ...) [AS] foo.")
        .at(location);
  }
  return r;
}

FromItem* Parser::lateral_item() {
  const int location = loc();
  advance();
  if (at('(')) {
    const int parens = loc();
    SelectStatement* query = select_in_parens();
    return range_subquery(query, true, parens);
  }
  if (at(Tok::kw_rows) && next_is(Tok::kw_from)) return rows_from(true);
  if (at(Tok::kw_xmltable) && next_is('(')) return xml_table(true);
  return function_table(function_without_window(), true, location);
}

FromItem* Parser::relation_or_function() {
  const int location = loc();
  ValueFunctionKind kind;
  bool with_precision;
  if (value_function_kind(kind, with_precision)) return function_table(value_function(kind, with_precision), false, location);
  if (Expr* special = special_function()) return function_table(special, false, location);
  const bool function_word = at_flag(kMayBeFunction);
  if (!function_word && !at_flag(kMayBeColumn)) syntax_error();
  const bool column_word = at_flag(kMayBeColumn);
  const Name first = take_text();
  if (!column_word || (at('(') && function_word)) {
    if (!at('(')) syntax_error();
    QualifiedName name;
    push(name, first);
    return function_table(function_application(name, location), false, location);
  }
  RangeVar* relation;
  if (!at('.') && !at('[')) {
    relation = make<RangeVar>(location);
    relation->name = first;
    if (at('(')) syntax_error();
  } else {
    QualifiedName names;
    push(names, first);
    for (const IndirectionStep& s : indirection(true)) push(names, s.field);
    if (at('(')) return function_table(function_application(names, location), false, location);
    relation = range_var_of(names, location);
  }
  accept('*');
  return relation_tail(relation);
}

FromItem* Parser::relation_tail(RangeVar* relation) {
  relation->alias = optional_alias();
  return at(Tok::kw_tablesample) ? table_sample(relation) : relation;
}

FromItem* Parser::table_sample(FromItem* relation) {
  TableSample* s = make<TableSample>();
  advance();
  s->relation = relation;
  s->location = loc();
  s->method = function_name();
  expect('(');
  s->args = expression_list();
  expect(')');
  if (accept(Tok::kw_repeatable)) {
    expect('(');
    s->repeatable = expression();
    expect(')');
  }
  return s;
}

FromItem* Parser::function_table(Expr* call, bool lateral, int location) {
  RangeFunction* r = make<RangeFunction>(location);
  r->lateral = lateral;
  push(r->functions, RangeFunctionItem{call, {}});
  if (accept(Tok::with_la)) {
    expect(Tok::kw_ordinality);
    r->ordinality = true;
  }
  function_alias(r);
  return r;
}

// [AS] name [(columns)], [AS] name (column definitions), AS (column definitions)
void Parser::function_alias(RangeFunction* r) {
  if (!at(Tok::kw_as) && !at_flag(kMayBeColumn)) return;
  const bool as = accept(Tok::kw_as);
  if (as && accept('(')) {
    r->columns = table_function_columns();
    expect(')');
    return;
  }
  r->alias.name = col_id();
  if (!accept('(')) return;
  if (!at_flag(kMayBeColumn)) syntax_error();
  const Tok following = peek_kind();
  if (following == Tok::comma || following == Tok::right_paren) {
    r->alias.columns = name_list();
  } else {
    r->columns = table_function_columns();
  }
  expect(')');
}

ColumnDef* Parser::table_function_column() {
  ColumnDef* c = make<ColumnDef>();
  c->name = col_id();
  c->type = type_name();
  if (at(Tok::kw_collate)) collation_of_column(c->collation, c->collation_location);
  return c;
}

FromItem* Parser::rows_from(bool lateral) {
  RangeFunction* r = make<RangeFunction>();
  r->lateral = lateral;
  r->rows_from = true;
  advance();
  advance();
  expect('(');
  do {
    RangeFunctionItem item;
    item.call = function_without_window();
    if (accept(Tok::kw_as)) {
      expect('(');
      item.columns = table_function_columns();
      expect(')');
    }
    push(r->functions, item);
  } while (accept(','));
  expect(')');
  if (accept(Tok::with_la)) {
    expect(Tok::kw_ordinality);
    r->ordinality = true;
  }
  function_alias(r);
  return r;
}

// ---- XMLTABLE ----

FromItem* Parser::xml_table(bool lateral) {
  RangeXmlTable* x = make<RangeXmlTable>();
  x->lateral = lateral;
  advance();
  expect('(');
  if (at(Tok::kw_xmlnamespaces) && next_is('(')) {
    advance();
    advance();
    x->namespaces = comma_list<Target*>([&] {
      Target* t = make<Target>();
      if (accept(Tok::kw_default)) {
        t->value = b_expression();
      } else {
        t->value = b_expression();
        expect(Tok::kw_as);
        t->name = col_label();
      }
      return t;
    });
    expect(')');
    expect(',');
  }
  x->row = primary();
  x->document = xml_passing_argument();
  expect(Tok::kw_columns);
  x->columns = comma_list<XmlTableColumn>([&] { return xml_table_column(); });
  expect(')');
  x->alias = optional_alias();
  return x;
}

XmlTableColumn Parser::xml_table_column() {
  XmlTableColumn c;
  c.location = loc();
  c.name = col_id();
  if (accept(Tok::kw_for)) {
    expect(Tok::kw_ordinality);
    c.for_ordinality = true;
    return c;
  }
  c.type = type_name();
  xml_column_options(c);
  return c;
}

// What is wrong with the options is reported when all of them are read.
void Parser::xml_column_options(XmlTableColumn& c) {
  std::optional<SqlError> error;
  auto check = [&](bool wrong, const std::string& message, int location) {
    if (!wrong || error) return;
    error = SqlError(sqlstate::syntax_error, "{}", message);
    error->at(location);
  };
  bool nullability_seen = false;
  for (;;) {
    const int location = loc();
    switch (tok()) {
      case Tok::kw_default: {
        advance();
        Expr* e = b_expression();
        check(c.default_value != nullptr, "only one DEFAULT value is allowed", location);
        c.default_value = e;
        break;
      }
      case Tok::identifier: {
        const Name option = take_text();
        Expr* e = b_expression();
        check(option != "path", fmt::format("unrecognized column option \"{}\"", option), location);
        check(c.path != nullptr, "only one PATH value per column is allowed", location);
        c.path = e;
        break;
      }
      case Tok::kw_not:
      case Tok::kw_null: {
        const bool not_null = accept(Tok::kw_not);
        expect(Tok::kw_null);
        check(nullability_seen, fmt::format("conflicting or redundant NULL / NOT NULL declarations for column \"{}\"", c.name), location);
        nullability_seen = true;
        c.not_null = not_null;
        break;
      }
      default:
        if (error) throw *error;
        return;
    }
  }
}

}  // namespace hathi::parser
