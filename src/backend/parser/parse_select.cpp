// SELECT, VALUES, TABLE, set operations, WITH.

#include "parser_impl.h"

namespace hathi::parser {

bool Parser::begins_select() {
  switch (tok()) {
    case Tok::kw_select:
    case Tok::kw_with:
    case Tok::with_la:
    case Tok::kw_table: return true;
    case Tok::kw_values: return next_is('(');
    default: return false;
  }
}

bool Parser::continues_select() const {
  return at_any(Tok::kw_union, Tok::kw_intersect, Tok::kw_except, Tok::kw_order, Tok::kw_limit, Tok::kw_offset, Tok::kw_fetch, Tok::kw_for);
}

SelectStatement* Parser::select_statement() { return select_without_parens(); }

SelectStatement* Parser::select_without_parens() {
  check_stack_depth();
  const int location = loc();
  WithClause* with = optional_with_clause();
  return select_tail(set_operations(select_operand(), 1), with, location);
}

SelectStatement* Parser::select_in_parens() {
  check_stack_depth();
  expect('(');
  SelectStatement* query;
  if (at('(')) {
    query = select_in_parens();
    if (!at(')')) query = select_tail(set_operations(query, 1), nullptr, -1);
  } else {
    if (!begins_select()) {
      if (accept(Tok::kw_values)) syntax_error();
      syntax_error();
    }
    query = select_without_parens();
  }
  expect(')');
  return query;
}

// SELECT …, VALUES …, TABLE …, or a query in parentheses.
SelectStatement* Parser::select_operand() {
  switch (tok()) {
    case Tok::left_paren: return select_in_parens();
    case Tok::kw_select: return simple_select();
    case Tok::kw_values: return values_clause();
    case Tok::kw_table: {
      SelectStatement* query = make<SelectStatement>();
      advance();
      ColumnRef* star = make<ColumnRef>(-1);
      star->star = true;
      Target* t = make<Target>(-1);
      t->value = star;
      push(query->targets, t);
      push<FromItem*>(query->from, relation_expr());
      return query;
    }
    default: syntax_error();
  }
}

SelectStatement* Parser::set_operations(SelectStatement* left, int min_precedence) {
  for (;;) {
    const int prec = at(Tok::kw_intersect) ? 2 : at_any(Tok::kw_union, Tok::kw_except) ? 1 : 0;
    if (prec == 0 || prec < min_precedence) return left;
    SelectStatement* query = make<SelectStatement>();
    query->operation = at(Tok::kw_union) ? SetOperation::union_ : prec == 2 ? SetOperation::intersect : SetOperation::except;
    advance();
    query->all = accept(Tok::kw_all);
    if (!query->all) accept(Tok::kw_distinct);
    query->left = left;
    query->right = set_operations(select_operand(), prec + 1);
    left = query;
  }
}

// [ORDER BY …] [FOR …] [LIMIT …], locking before or behind the limits; then everything is put into the query, which may
// bring its own if it stood in parentheses.
SelectStatement* Parser::select_tail(SelectStatement* query, WithClause* with, int with_location) {
  List<SortBy*> order;
  int order_location = -1;
  if (at(Tok::kw_order)) {
    advance();
    expect(Tok::kw_by);
    order_location = loc();
    order = sort_list();
  }
  Limits limits;
  List<LockingClause*> locking;
  bool for_read_only = false;
  if (at(Tok::kw_for)) {
    locking = locking_clauses(for_read_only);
    if (at_limit()) limits = limit_clauses();
  } else if (at_limit()) {
    limits = limit_clauses();
    if (at(Tok::kw_for)) locking = locking_clauses(for_read_only);
  }
  auto fail = [](const char* message, int location) { throw SqlError(sqlstate::syntax_error, "{}", message).at(location); };
  if (!order.empty()) {
    if (!query->order_by.empty()) fail("multiple ORDER BY clauses not allowed", order_location);
    query->order_by = order;
  }
  query->locking.append(arena_, locking);
  if (limits.offset != nullptr) {
    if (query->offset != nullptr) fail("multiple OFFSET clauses not allowed", limits.offset_location);
    query->offset = limits.offset;
  }
  if (limits.limit != nullptr) {
    if (query->limit != nullptr) fail("multiple LIMIT clauses not allowed", limits.limit_location);
    query->limit = limits.limit;
  }
  if (limits.with_ties) {
    if (query->order_by.empty()) fail("WITH TIES cannot be specified without ORDER BY clause", -1);
    for (LockingClause* l : query->locking) {
      if (l->wait == LockWait::skip_locked) fail("SKIP LOCKED and WITH TIES options cannot be used together", -1);
    }
    query->with_ties = true;
  }
  if (with != nullptr) {
    if (query->with != nullptr) fail("multiple WITH clauses not allowed", with_location);
    query->with = with;
  }
  return query;
}

SelectStatement* Parser::values_clause() {
  SelectStatement* query = make<SelectStatement>();
  advance();
  do {
    expect('(');
    push(query->values, expression_list());
    expect(')');
  } while (accept(','));
  return query;
}

bool Parser::target_list_is_empty() const { return (ends_target_label(tok()) && !at(',')) || at_any(Tok::kw_create, Tok::kw_grant); }

SelectStatement* Parser::simple_select() {
  SelectStatement* query = make<SelectStatement>();
  advance();
  if (at(Tok::kw_distinct)) {
    distinct_clause(query);
    query->targets = target_list();
  } else {
    accept(Tok::kw_all);
    if (!target_list_is_empty()) query->targets = target_list();
  }
  if (at(Tok::kw_into)) query->into = into_clause();
  if (accept(Tok::kw_from)) query->from = from_list();
  query->where = where_clause();
  if (at(Tok::kw_group)) group_clause(query);
  if (accept(Tok::kw_having)) query->having = expression();
  if (at(Tok::kw_window)) window_clause(query);
  return query;
}

void Parser::distinct_clause(SelectStatement* query) {
  query->distinct = true;
  advance();
  if (!accept(Tok::kw_on)) return;
  expect('(');
  query->distinct_on = expression_list();
  expect(')');
}

Target* Parser::target() {
  Target* t = make<Target>();
  if (at('*')) {
    ColumnRef* star = make<ColumnRef>();
    star->star = true;
    t->value = star;
    advance();
    return t;
  }
  t->value = expression(precedence::lowest, ExprMode::a, true);
  if (accept(Tok::kw_as)) {
    t->name = col_label();
  } else if (at_flag(kMayBeBareLabel)) {
    t->name = take_text();
  }
  return t;
}

// The name of the table that INTO makes: [[LOCAL|GLOBAL] TEMP[ORARY] | UNLOGGED] [TABLE] name.
RangeVar* Parser::temporary_name() {
  auto begins_name = [&](int n) { return peek_kind(n) == Tok::kw_table || has_flag(peek_kind(n), kMayBeColumn); };
  Persistence kind = Persistence::permanent;
  if (at_any(Tok::kw_local, Tok::kw_global) && (next_is(Tok::kw_temp) || next_is(Tok::kw_temporary))) {
    persistence(kind);
  } else if (at_any(Tok::kw_temp, Tok::kw_temporary, Tok::kw_unlogged) && begins_name(1)) {
    persistence(kind);
  }
  accept(Tok::kw_table);
  RangeVar* r = qualified_name();
  r->persistence = kind;
  return r;
}

IntoClause* Parser::into_clause() {
  IntoClause* into = make<IntoClause>();
  advance();
  into->relation = temporary_name();
  return into;
}

void Parser::group_clause(SelectStatement* query) {
  advance();
  expect(Tok::kw_by);
  query->group_distinct = accept(Tok::kw_distinct);
  if (!query->group_distinct) accept(Tok::kw_all);
  query->group_by = comma_list<Expr*>([&] { return group_item(); });
}

Expr* Parser::group_item() {
  check_stack_depth();
  GroupingSet* set = nullptr;
  const int location = loc();
  if (at('(') && next_is(')')) {
    advance();
    advance();
    return make<GroupingSet>(location);
  }
  if (at_any(Tok::kw_rollup, Tok::kw_cube) && next_is('(')) {
    set = make<GroupingSet>(location);
    set->type = at(Tok::kw_rollup) ? GroupingSetKind::rollup : GroupingSetKind::cube;
    advance();
    advance();
    set->content = expression_list();
    expect(')');
    return set;
  }
  if (at(Tok::kw_grouping) && next_is(Tok::kw_sets)) {
    set = make<GroupingSet>(location);
    set->type = GroupingSetKind::sets;
    advance();
    advance();
    expect('(');
    set->content = comma_list<Expr*>([&] { return group_item(); });
    expect(')');
    return set;
  }
  return expression();
}

void Parser::window_clause(SelectStatement* query) {
  advance();
  query->windows = comma_list<WindowDef*>([&] {
    const Name name = col_id();
    expect(Tok::kw_as);
    if (!at('(')) syntax_error();
    WindowDef* w = window_specification();
    w->name = name;
    return w;
  });
}

SortBy* Parser::sort_by() {
  SortBy* s = make<SortBy>();
  s->expr = expression();
  if (accept(Tok::kw_using)) {
    s->direction = SortDirection::using_operator;
    s->location = loc();   // the operator's
    operator_name(s->op, s->op_qualifier);
  } else if (accept(Tok::kw_asc)) {
    s->direction = SortDirection::ascending;
  } else if (accept(Tok::kw_desc)) {
    s->direction = SortDirection::descending;
  }
  if (accept(Tok::nulls_la)) {
    s->nulls = at(Tok::kw_first) ? NullsOrder::first : NullsOrder::last;
    advance();
  }
  return s;
}

// LIMIT and OFFSET in either order, each at most once.
Parser::Limits Parser::limit_clauses() {
  Limits limits;
  limits.any = true;
  if (at(Tok::kw_offset)) {
    offset_clause(limits);
    if (at_any(Tok::kw_limit, Tok::kw_fetch)) limit_clause(limits);
  } else {
    limit_clause(limits);
    if (at(Tok::kw_offset)) offset_clause(limits);
  }
  return limits;
}

// FETCH FIRST's and OFFSET … ROWS's operand: an operand without operators, or a signed number.
Expr* Parser::fetch_value() {
  if (at_any(Tok::plus, Tok::minus)) {
    const int location = loc();
    const bool minus = at('-');
    advance();
    if (!at_any(Tok::integer, Tok::number)) syntax_error();
    Expr* number = constant_token();
    if (minus) return negate(number, location);
    OperatorExpr* e = make<OperatorExpr>(location);
    e->op = "+";
    e->right = number;
    return e;
  }
  return primary();
}

void Parser::limit_clause(Limits& limits) {
  const int clause = loc();
  if (accept(Tok::kw_limit)) {
    limits.limit_location = loc();
    if (at(Tok::kw_all)) {
      limits.limit = make_null(loc());
      advance();
    } else {
      limits.limit = expression();
    }
    if (accept(',')) {
      expression();
      throw SqlError(sqlstate::syntax_error, "LIMIT #,# syntax is not supported").hint("Use separate LIMIT and OFFSET clauses.").at(clause);
    }
    return;
  }
  expect(Tok::kw_fetch);
  if (!accept(Tok::kw_first)) expect(Tok::kw_next);
  limits.limit_location = loc();
  auto at_row_word = [&] { return at_any(Tok::kw_row, Tok::kw_rows); };
  if (at_row_word() && (next_is(Tok::kw_only) || next_is(Tok::kw_with))) {
    limits.limit = make_integer(1, -1);
    limits.limit_location = -1;
  } else {
    limits.limit = fetch_value();
    if (!at_row_word()) syntax_error();
  }
  advance();
  if (accept(Tok::kw_only)) return;
  expect_all(Tok::kw_with, Tok::kw_ties);
  limits.with_ties = true;
}

void Parser::offset_clause(Limits& limits) {
  advance();
  limits.offset_location = loc();
  if (at_any(Tok::plus, Tok::minus) && (next_is(Tok::integer) || next_is(Tok::number)) &&
      (peek_kind(2) == Tok::kw_row || peek_kind(2) == Tok::kw_rows)) {
    limits.offset = fetch_value();
    advance();
    return;
  }
  if (at_any(Tok::plus, Tok::minus, Tok::op, Tok::kw_not, Tok::not_la, Tok::kw_default, Tok::kw_unique) ||
      (at(Tok::kw_operator) && next_is('('))) {
    limits.offset = expression();
    return;
  }
  Expr* operand = prefix(ExprMode::a);
  if (at_any(Tok::kw_row, Tok::kw_rows)) {
    advance();
    limits.offset = operand;
    return;
  }
  limits.offset = continue_expression(operand, precedence::lowest, ExprMode::a, false);
}

List<LockingClause*> Parser::locking_clauses(bool& for_read_only) {
  List<LockingClause*> list;
  if (next_is(Tok::kw_read)) {
    advance();
    advance();
    expect(Tok::kw_only);
    for_read_only = true;
    return list;
  }
  while (at(Tok::kw_for)) push(list, locking_clause());
  return list;
}

LockingClause* Parser::locking_clause() {
  LockingClause* l = make<LockingClause>();
  advance();
  switch (tok()) {
    case Tok::kw_update: l->strength = LockStrength::update; break;
    case Tok::kw_share: l->strength = LockStrength::share; break;
    case Tok::kw_no:
      advance();
      expect(Tok::kw_key);
      if (!at(Tok::kw_update)) syntax_error();
      l->strength = LockStrength::no_key_update;
      break;
    case Tok::kw_key:
      advance();
      if (!at(Tok::kw_share)) syntax_error();
      l->strength = LockStrength::key_share;
      break;
    default: syntax_error();
  }
  advance();
  if (accept(Tok::kw_of)) l->relations = qualified_name_list();
  if (accept(Tok::kw_nowait)) {
    l->wait = LockWait::nowait;
  } else if (accept(Tok::kw_skip)) {
    expect(Tok::kw_locked);
    l->wait = LockWait::skip_locked;
  }
  return l;
}

// ---- WITH ----

WithClause* Parser::with_clause() {
  check_stack_depth();
  WithClause* with = make<WithClause>();
  const bool plain = at(Tok::kw_with);
  advance();
  if (plain && at(Tok::kw_recursive) && has_flag(peek_kind(), kMayBeColumn)) {
    with->recursive = true;
    advance();
  }
  with->ctes = comma_list<CommonTableExpr*>([&] { return common_table_expr(); });
  return with;
}

CommonTableExpr* Parser::common_table_expr() {
  CommonTableExpr* cte = make<CommonTableExpr>();
  cte->name = col_id();
  cte->columns = optional_column_list();
  expect(Tok::kw_as);
  if (accept(Tok::kw_materialized)) {
    cte->materialize = Materialize::always;
  } else if (accept(Tok::kw_not)) {
    expect(Tok::kw_materialized);
    cte->materialize = Materialize::never;
  }
  expect('(');
  if (!begins_preparable()) syntax_error();
  cte->query = preparable_statement();
  expect(')');
  if (at(Tok::kw_search)) cte_search(cte);
  if (at(Tok::kw_cycle)) cte_cycle(cte);
  return cte;
}

void Parser::cte_search(CommonTableExpr* cte) {
  cte->search = arena_.make<CteSearch>();
  cte->search->location = loc();
  advance();
  cte->search->breadth_first = at(Tok::kw_breadth);
  if (!accept(Tok::kw_breadth)) expect(Tok::kw_depth);
  expect_all(Tok::kw_first, Tok::kw_by);
  cte->search->columns = name_list();
  expect(Tok::kw_set);
  cte->search->sequence_column = col_id();
}

// A constant, as CYCLE … TO value DEFAULT value takes it.
Node* Parser::cycle_value() {
  if (!at_any(Tok::integer, Tok::number, Tok::string, Tok::bit_string, Tok::kw_true, Tok::kw_false, Tok::kw_null) &&
      !at_flag(kMayBeFunction) && !at_flag(kMayBeColumn))
    syntax_error();
  Expr* e = primary();
  if (is<Constant>(e)) return e;
  if (auto* cast = node_try<TypeCast>(e); cast != nullptr && is<Constant>(cast->arg)) return e;
  syntax_error();
}

void Parser::cte_cycle(CommonTableExpr* cte) {
  CteCycle* cycle = arena_.make<CteCycle>();
  cte->cycle = cycle;
  cycle->location = loc();
  advance();
  cycle->columns = name_list();
  expect(Tok::kw_set);
  cycle->mark_column = col_id();
  if (accept(Tok::kw_to)) {
    cycle->mark_value = cycle_value();
    expect(Tok::kw_default);
    cycle->mark_default = cycle_value();
  } else {
    cycle->mark_value = make_boolean(true, -1);
    cycle->mark_default = make_boolean(false, -1);
  }
  expect(Tok::kw_using);
  cycle->path_column = col_id();
}

}  // namespace hathi::parser
