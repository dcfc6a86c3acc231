// Function calls, their arguments, and window specifications.

#include "parser_impl.h"

namespace hathi::parser {

FunctionCall* Parser::system_call(std::string_view name, int location) {
  FunctionCall* call = make<FunctionCall>(location);
  push(call->name, Name("pg_catalog"));
  push(call->name, Name(name));
  call->sql_syntax = true;
  return call;
}

// value, name := value, name => value
Expr* Parser::function_argument() {
  if (at_flag(kMayBeFunction)) {
    const Tok following = peek_kind();
    if (following == Tok::colon_equals || following == Tok::equals_greater) {
      NamedArg* arg = make<NamedArg>();
      arg->name = take_text();
      advance();
      arg->value = expression();
      return arg;
    }
  }
  return expression();
}

// Behind the opening parenthesis, up to and with the closing one.
void Parser::function_arguments(FunctionCall* call) {
  if (accept(')')) return;
  if (accept('*')) {
    call->star = true;
    expect(')');
    return;
  }
  const bool outer = in_substring_;
  in_substring_ = false;
  const bool set_quantified = at_any(Tok::kw_all, Tok::kw_distinct);
  if (set_quantified) {
    call->distinct = at(Tok::kw_distinct);
    advance();
    call->args = function_argument_list();
  } else {
    do {
      if (accept(Tok::kw_variadic)) {
        call->variadic = true;
        push(call->args, function_argument());
        break;
      }
      push(call->args, function_argument());
    } while (accept(','));
  }
  if (at(Tok::kw_order)) {
    argument_order_location_ = loc();
    advance();
    expect(Tok::kw_by);
    call->order_by = sort_list();
  }
  in_substring_ = outer;
  expect(')');
}

FunctionCall* Parser::function_application(const QualifiedName& name, int location) {
  FunctionCall* call = make<FunctionCall>(location);
  call->name = name;
  expect('(');
  function_arguments(call);
  return call;
}

// name(modifiers) 'text'
Expr* Parser::literal_of_call(FunctionCall* call, int location) {
  for (Expr* arg : call->args) {
    if (is<NamedArg>(arg)) throw SqlError(sqlstate::syntax_error, "type modifier cannot have parameter name").at(arg->location);
  }
  TypeName* type = make<TypeName>(location);
  type->names = call->name;
  type->typmods = call->args;
  if (!call->order_by.empty()) throw SqlError(sqlstate::syntax_error, "type modifier cannot have ORDER BY").at(argument_order_location_);
  return typed_literal(type, location);
}

Expr* Parser::function_expression(const QualifiedName& name, int location) {
  const bool quantified = next_is(Tok::kw_all) || next_is(Tok::kw_distinct) || next_is(')');
  FunctionCall* call = function_application(name, location);
  if (at(Tok::string) && !quantified && !call->star && !call->variadic) return literal_of_call(call, location);
  within_group(call);
  return call;
}

// [WITHIN GROUP (ORDER BY …)] [FILTER …] [OVER …]
void Parser::within_group(FunctionCall* call) {
  if (!at(Tok::kw_within)) return filter_and_over(call);
  const int location = loc();
  advance();
  expect(Tok::kw_group);
  expect('(');
  expect_all(Tok::kw_order, Tok::kw_by);
  List<SortBy*> order = sort_list();
  expect(')');
  filter_and_over(call);
  auto fail = [&](const char* message) { throw SqlError(sqlstate::syntax_error, "{}", message).at(location); };
  need_token();
  if (!call->order_by.empty()) fail("cannot use multiple ORDER BY clauses with WITHIN GROUP");
  if (call->distinct) fail("cannot use DISTINCT with WITHIN GROUP");
  if (call->variadic) fail("cannot use VARIADIC with WITHIN GROUP");
  call->order_by = order;
  call->within_group = true;
}

void Parser::filter_and_over(FunctionCall* call) {
  if (accept(Tok::kw_filter)) {
    expect('(');
    expect(Tok::kw_where);
    call->filter = expression();
    expect(')');
  }
  if (!at(Tok::kw_over)) return;
  advance();
  if (at('(')) {
    call->over = window_specification();
    return;
  }
  call->over = make<WindowDef>();
  call->over->over_name = true;
  call->over->name = col_id();
}

// ( [name] [PARTITION BY …] [ORDER BY …] [frame] )
WindowDef* Parser::window_specification() {
  WindowDef* w = make<WindowDef>();
  expect('(');
  if (at_flag(kMayBeColumn) && !at_any(Tok::kw_partition, Tok::kw_range, Tok::kw_rows, Tok::kw_groups)) w->reference = take_text();
  if (accept(Tok::kw_partition)) {
    expect(Tok::kw_by);
    w->partition_by = expression_list();
  }
  if (accept(Tok::kw_order)) {
    expect(Tok::kw_by);
    w->order_by = sort_list();
  }
  if (at_any(Tok::kw_range, Tok::kw_rows, Tok::kw_groups)) frame_clause(w);
  expect(')');
  return w;
}

Parser::Bound Parser::frame_bound() {
  const int location = loc();
  if (at(Tok::kw_unbounded) && (next_is(Tok::kw_preceding) || next_is(Tok::kw_following))) {
    advance();
    const bool preceding = at(Tok::kw_preceding);
    advance();
    return {preceding ? FrameBound::unbounded_preceding : FrameBound::unbounded_following, nullptr, location};
  }
  if (at(Tok::kw_current) && next_is(Tok::kw_row)) {
    advance();
    advance();
    return {FrameBound::current_row, nullptr, location};
  }
  Expr* offset = expression();
  if (accept(Tok::kw_preceding)) return {FrameBound::offset_preceding, offset, location};
  expect(Tok::kw_following);
  return {FrameBound::offset_following, offset, location};
}

void Parser::check_frame(const Bound& start, const Bound& end) {
  auto fail = [](const char* message, int location) { throw SqlError(sqlstate::windowing_error, "{}", message).at(location); };
  if (start.kind == FrameBound::unbounded_following) fail("frame start cannot be UNBOUNDED FOLLOWING", start.location);
  if (end.kind == FrameBound::unbounded_preceding) fail("frame end cannot be UNBOUNDED PRECEDING", end.location);
  if (start.kind == FrameBound::current_row && end.kind == FrameBound::offset_preceding)
    fail("frame starting from current row cannot have preceding rows", end.location);
  if (start.kind == FrameBound::offset_following && (end.kind == FrameBound::offset_preceding || end.kind == FrameBound::current_row)) {
    fail("frame starting from following row cannot have preceding rows", end.location);
  }
}

namespace {
// ROWS BETWEEN …: BETWEEN is a column's name if no expression can begin behind it.
bool may_begin_expression(Tok t) {
  switch (t) {
    case Tok::left_paren:
    case Tok::plus:
    case Tok::minus:
    case Tok::op:
    case Tok::integer:
    case Tok::number:
    case Tok::string:
    case Tok::bit_string:
    case Tok::parameter:
    case Tok::kw_not:
    case Tok::not_la:
    case Tok::kw_case:
    case Tok::kw_cast:
    case Tok::kw_array:
    case Tok::kw_true:
    case Tok::kw_false:
    case Tok::kw_null:
    case Tok::kw_default:
    case Tok::kw_unique:
    case Tok::kw_current_catalog:
    case Tok::kw_current_date:
    case Tok::kw_current_role:
    case Tok::kw_current_time:
    case Tok::kw_current_timestamp:
    case Tok::kw_current_user:
    case Tok::kw_localtime:
    case Tok::kw_localtimestamp:
    case Tok::kw_session_user:
    case Tok::kw_user: return true;
    default: return has_flag(t, kMayBeWord);
  }
}
}  // namespace

void Parser::frame_clause(WindowDef* w) {
  w->has_frame = true;
  w->mode = at(Tok::kw_range) ? FrameMode::range : at(Tok::kw_rows) ? FrameMode::rows : FrameMode::groups;
  advance();
  Bound start, end{FrameBound::current_row, nullptr, -1};
  if (at(Tok::kw_between) && may_begin_expression(peek_kind())) {
    advance();
    w->between = true;
    start = frame_bound();
    expect(Tok::kw_and);
    end = frame_bound();
    check_frame(start, end);
  } else {
    start = frame_bound();
    if (start.kind == FrameBound::offset_following) {
      throw SqlError(sqlstate::windowing_error, "frame starting from following row cannot end with current row").at(start.location);
    }
    check_frame(start, end);
  }
  w->start = start.kind;
  w->start_offset = start.offset;
  w->end = end.kind;
  w->end_offset = end.offset;
  if (!accept(Tok::kw_exclude)) return;
  switch (tok()) {
    case Tok::kw_current:
      advance();
      expect(Tok::kw_row);
      w->exclusion = FrameExclusion::current_row;
      return;
    case Tok::kw_group: w->exclusion = FrameExclusion::group; break;
    case Tok::kw_ties: w->exclusion = FrameExclusion::ties; break;
    case Tok::kw_no:
      advance();
      expect(Tok::kw_others);
      return;
    default: syntax_error();
  }
  advance();
}

bool Parser::begins_function_without_window() {
  ValueFunctionKind kind;
  bool with_precision;
  return value_function_kind(kind, with_precision) || at_any(Tok::kw_cast, Tok::kw_collation) || next_is('(');
}

// A call as FROM and CREATE INDEX accept it: a special form or name(…), without FILTER and OVER.
Expr* Parser::function_without_window() {
  ValueFunctionKind kind;
  bool with_precision;
  if (value_function_kind(kind, with_precision)) return value_function(kind, with_precision);
  if (Expr* special = special_function()) return special;
  const int location = loc();
  return function_application(function_name(), location);
}

}  // namespace hathi::parser
