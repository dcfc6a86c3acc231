// The operands of operators: constants, columns, parentheses, CASE, ARRAY, ROW.

#include "parser_impl.h"

namespace hathi::parser {

Expr* Parser::primary() {
  switch (tok()) {
    case Tok::identifier: return primary_name();
    case Tok::integer:
    case Tok::number:
    case Tok::string:
    case Tok::bit_string: return constant_token();
    case Tok::parameter: {
      ParamRef* p = make<ParamRef>();
      p->number = current_.integer;
      advance();
      return with_indirection(p);
    }
    case token_of('('): {
      bool plain_row;
      return parenthesized_primary(plain_row);
    }
    default: return primary_keyword();
  }
}

Expr* Parser::constant_token() {
  Constant* c = make<Constant>();
  switch (tok()) {
    case Tok::integer:
      c->type = ConstantKind::integer;
      c->integer = current_.integer;
      advance();
      return c;
    case Tok::number: c->type = ConstantKind::number; break;
    case Tok::string: c->type = ConstantKind::string; break;
    default: c->type = ConstantKind::bit_string; break;
  }
  c->text = current_.text;
  advance();
  return c;
}

Expr* Parser::with_indirection(Expr* arg) {
  if (!at('.') && !at('[')) return arg;
  Indirection* i = make<Indirection>(arg->location);
  i->arg = arg;
  i->steps = indirection(false);
  return i;
}

Expr* Parser::typed_literal(TypeName* type, int location) {
  if (!at(Tok::string)) syntax_error();
  TypeCast* cast = make<TypeCast>(location);
  const int l = loc();
  cast->arg = make_string(take_text(), l);
  cast->type = type;
  return cast;
}

// INTERVAL 'text' [fields] and INTERVAL (p) 'text'
Expr* Parser::interval_literal(int location) {
  TypeName* type = system_type("interval", location);
  advance();
  if (accept('(')) {
    const int l = loc();
    const int precision = integer_constant();
    expect(')');
    push_integer_typmod(type, 0x7FFF, -1);
    push_integer_typmod(type, precision, l);
    return typed_literal(type, location);
  }
  Expr* literal = typed_literal(type, location);
  interval_fields(type);
  return literal;
}

bool Parser::value_function_kind(ValueFunctionKind& kind, bool& with_precision) {
  with_precision = false;
  switch (tok()) {
    case Tok::kw_current_date: kind = ValueFunctionKind::current_date; return true;
    case Tok::kw_current_time:
      kind = ValueFunctionKind::current_time;
      with_precision = true;
      return true;
    case Tok::kw_current_timestamp:
      kind = ValueFunctionKind::current_timestamp;
      with_precision = true;
      return true;
    case Tok::kw_localtime:
      kind = ValueFunctionKind::localtime;
      with_precision = true;
      return true;
    case Tok::kw_localtimestamp:
      kind = ValueFunctionKind::localtimestamp;
      with_precision = true;
      return true;
    case Tok::kw_current_role: kind = ValueFunctionKind::current_role; return true;
    case Tok::kw_current_user: kind = ValueFunctionKind::current_user; return true;
    case Tok::kw_user: kind = ValueFunctionKind::user; return true;
    case Tok::kw_session_user: kind = ValueFunctionKind::session_user; return true;
    case Tok::kw_current_catalog: kind = ValueFunctionKind::current_catalog; return true;
    case Tok::kw_current_schema: kind = ValueFunctionKind::current_schema; return !next_is('(') && !next_is(Tok::string);
    default: return false;
  }
}

Expr* Parser::value_function(ValueFunctionKind kind, bool with_precision) {
  ValueFunction* f = make<ValueFunction>();
  f->function = kind;
  advance();
  if (with_precision && accept('(')) {
    f->precision = integer_constant();
    expect(')');
  }
  return f;
}

Expr* Parser::primary_keyword() {
  const int location = loc();
  switch (tok()) {
    case Tok::kw_true:
    case Tok::kw_false: {
      Expr* c = make_boolean(at(Tok::kw_true), location);
      advance();
      return c;
    }
    case Tok::kw_null: advance(); return make_null(location);
    case Tok::kw_case: return case_expression();
    case Tok::kw_array: return array_constructor();
    case Tok::kw_exists:
      if (!next_is('(')) break;
      advance();
      return subquery(select_in_parens(), SubqueryKind::exists, location);
    case Tok::kw_row:
      if (row_constructor_follows()) return row_constructor();
      break;
    case Tok::kw_grouping: {
      if (!next_is('(')) break;
      advance();
      advance();
      GroupingFunc* g = make<GroupingFunc>(location);
      g->args = expression_list();
      expect(')');
      return g;
    }
    case Tok::kw_interval:
      if (next_is(Tok::string) || next_is('(')) return interval_literal(location);
      break;
    default: break;
  }
  ValueFunctionKind kind;
  bool with_precision;
  if (value_function_kind(kind, with_precision)) return value_function(kind, with_precision);
  if (Expr* special = special_function()) return special;
  if (begins_builtin_type()) {
    TypeName* type = builtin_type();
    if (type->typmods.size() == 1 && type->typmods[0]->location == -1) type->typmods.clear();  // bit '101' is not cut to bit(1)
    return typed_literal(type, location);
  }
  return primary_name();
}

// A column, a function call or a literal of a named type.
Expr* Parser::primary_name() {
  const int location = loc();
  const bool function_word = at_flag(kMayBeFunction);
  const bool column_word = at_flag(kMayBeColumn);
  if (!function_word && !column_word) syntax_error();
  const Name first = take_text();
  switch (tok()) {
    case token_of('('): {
      if (!function_word) syntax_error();
      QualifiedName name;
      name.reserve(arena_, 1);
      push(name, first);
      return function_expression(name, location);
    }
    case Tok::string:
      if (function_word) {
        TypeName* type = make<TypeName>(location);
        push(type->names, first);
        return typed_literal(type, location);
      }
      break;
    default: break;
  }
  if (!column_word) syntax_error();
  return column_reference(first, location);
}

// The first name is consumed; names, subscripts and a star may follow, and then a function's arguments or a type's literal.
Expr* Parser::column_reference(Name first, int location) {
  ColumnRef* column = make<ColumnRef>(location);
  const bool more = at('.') || at('[');
  column->names.reserve(arena_, more ? 2 : 1);
  push(column->names, first);
  if (!more) return column;
  while (at('.')) {
    advance();
    if (accept('*')) {
      column->star = true;
      break;
    }
    push(column->names, col_label());
  }
  if (column->star) {
    if (at('.') || at('[')) {
      indirection_step();
      while (at('.') || at('[')) indirection_step();
      if (at('(') || at(Tok::string)) syntax_error();
      fail_near("improper use of \"*\"");
    }
    return column;
  }
  if (at('(')) return function_expression(column->names, location);
  if (at(Tok::string)) {
    TypeName* type = make<TypeName>(location);
    type->names = column->names;
    return typed_literal(type, location);
  }
  return with_indirection(column);
}

SelectStatement* Parser::select_or_expression_in_parens(Expr*& first, int& parens_location) {
  enter();
  parens_location = loc();
  expect('(');
  if (begins_select()) {
    SelectStatement* query = select_without_parens();
    expect(')');
    leave();
    return query;
  }
  if (!at('(')) {
    const bool outer = in_substring_;
    in_substring_ = false;
    first = expression();
    in_substring_ = outer;
    leave();
    return nullptr;
  }
  // An inner parenthesis: a query in parentheses may be the whole of this one, the beginning of a longer query, or an operand.
  Expr* inner = nullptr;
  int inner_location = 0;
  bool plain_row = false;
  Expr* operand;
  if (SelectStatement* query = select_or_expression_in_parens(inner, inner_location)) {
    if (at(')') || continues_select()) {
      if (!at(')')) query = select_tail(set_operations(query, 1), nullptr, -1);
      expect(')');
      leave();
      return query;
    }
    operand = with_indirection(subquery(query, SubqueryKind::scalar, inner_location));
  } else {
    operand = finish_parens(inner, inner_location, plain_row);
    if (plain_row && at(Tok::kw_overlaps)) operand = overlaps(node_cast<RowExpr>(operand));
  }
  first = continue_expression(operand, precedence::lowest, ExprMode::a, false);
  leave();
  return nullptr;
}

// The first expression inside a parenthesis is read: the rest of it, and what may follow it.
Expr* Parser::finish_parens(Expr* first, int location, bool& plain_row) {
  plain_row = false;
  if (accept(')')) return with_indirection(first);
  RowExpr* row = make<RowExpr>(location);
  push(row->args, first);
  if (!at(',')) syntax_error();
  while (accept(',')) push(row->args, expression());
  expect(')');
  plain_row = true;
  return row;
}

Expr* Parser::parenthesized_primary(bool& plain_row) {
  Expr* first = nullptr;
  int location = 0;
  plain_row = false;
  if (SelectStatement* query = select_or_expression_in_parens(first, location)) {
    return with_indirection(subquery(query, SubqueryKind::scalar, location));
  }
  return finish_parens(first, location, plain_row);
}

Expr* Parser::subquery(SelectStatement* query, SubqueryKind kind, int location) {
  SubqueryExpr* s = make<SubqueryExpr>(location);
  s->type = kind;
  s->query = query;
  return s;
}

Expr* Parser::case_expression() {
  CaseExpr* c = make<CaseExpr>();
  advance();
  if (!at(Tok::kw_when)) c->arg = expression();
  if (!at(Tok::kw_when)) syntax_error();
  while (at(Tok::kw_when)) {
    CaseWhen* w = make<CaseWhen>();
    advance();
    w->condition = expression();
    expect(Tok::kw_then);
    w->result = expression();
    push(c->whens, w);
  }
  if (accept(Tok::kw_else)) c->default_result = expression();
  expect(Tok::kw_end);
  return c;
}

Expr* Parser::array_constructor() {
  const int location = loc();
  advance();
  if (at('(')) return subquery(select_in_parens(), SubqueryKind::array, location);
  if (!at('[')) syntax_error();
  return array_elements(location);
}

ArrayExpr* Parser::array_elements(int location) {
  check_stack_depth();
  ArrayExpr* a = make<ArrayExpr>(location);
  expect('[');
  if (accept(']')) return a;
  if (at('[')) {
    do {
      if (!at('[')) syntax_error();
      push<Expr*>(a->elements, array_elements(loc()));
    } while (accept(','));
  } else {
    a->elements = expression_list();
  }
  expect(']');
  return a;
}

Expr* Parser::row_constructor() {
  RowExpr* r = make<RowExpr>();
  r->explicit_row = true;
  advance();
  expect('(');
  if (accept(')')) return r;
  r->args = expression_list();
  expect(')');
  return r;
}

}  // namespace hathi::parser
