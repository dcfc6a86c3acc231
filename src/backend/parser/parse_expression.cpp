// Operators, by precedence climbing. Chains of left-associative operators are built in a loop, so their length is not bounded by the stack.

#include "parser_impl.h"

namespace hathi::parser {

namespace {

struct OperatorTable {
  std::uint8_t strength[kTokenCount] = {};
  bool in_b[kTokenCount] = {};
  constexpr void set(Tok t, int p, bool b) {
    strength[index_of(t)] = static_cast<std::uint8_t>(p);
    in_b[index_of(t)] = b;
  }
  constexpr OperatorTable() {
    set(Tok::kw_or, precedence::or_, false);
    set(Tok::kw_and, precedence::and_, false);
    set(Tok::kw_is, precedence::is, true);
    set(Tok::kw_isnull, precedence::is, false);
    set(Tok::kw_notnull, precedence::is, false);
    for (Tok t : {token_of('<'), token_of('>'), token_of('='), Tok::less_equals, Tok::greater_equals, Tok::not_equals})
      set(t, precedence::comparison, true);
    for (Tok t : {Tok::kw_between, Tok::kw_in, Tok::kw_like, Tok::kw_ilike, Tok::kw_similar, Tok::not_la})
      set(t, precedence::between, false);
    set(Tok::op, precedence::op, true);
    set(Tok::kw_operator, precedence::op, true);
    set(token_of('+'), precedence::additive, true);
    set(token_of('-'), precedence::additive, true);
    for (char c : {'*', '/', '%'}) set(token_of(c), precedence::multiplicative, true);
    set(token_of('^'), precedence::power, true);
    set(Tok::kw_at, precedence::at, false);
    set(Tok::kw_collate, precedence::collate, false);
    set(Tok::type_cast, precedence::type_cast, true);
  }
};
constexpr OperatorTable kOperators;

}  // namespace

std::string_view operator_text(const Token& token) {
  switch (token.kind) {
    case token_of('+'):
    case token_of('-'):
    case token_of('*'):
    case token_of('/'):
    case token_of('%'):
    case token_of('^'):
    case token_of('<'):
    case token_of('>'):
    case token_of('='):
    case Tok::op:
    case Tok::less_equals:
    case Tok::greater_equals:
    case Tok::not_equals: return token.text;
    default: return {};
  }
}

// Could a column label without AS end here, with t behind it?
bool Parser::ends_target_label(Tok t) const {
  switch (t) {
    case token_of(','):
    case token_of(')'):
    case token_of(';'):
    case Tok::end:
    case Tok::kw_from:
    case Tok::kw_into:
    case Tok::kw_where:
    case Tok::kw_group:
    case Tok::kw_having:
    case Tok::kw_window:
    case Tok::kw_union:
    case Tok::kw_intersect:
    case Tok::kw_except:
    case Tok::kw_order:
    case Tok::kw_limit:
    case Tok::kw_offset:
    case Tok::kw_fetch:
    case Tok::kw_for:
    case Tok::kw_on:
    case Tok::kw_returning:
    case Tok::kw_with: return true;
    default: return false;
  }
}

// The current word both continues an expression and may label a column: it is the label if the list goes on or ends behind it.
bool Parser::is_label_here() {
  return index_of(tok()) >= index_of(Tok::first_keyword) && at_flag(kMayBeBareLabel) && ends_target_label(peek_kind());
}

Expr* Parser::expression(int min_precedence, ExprMode mode, bool label_may_follow) {
  enter();
  Expr* e = continue_expression(prefix(mode), min_precedence, mode, label_may_follow);
  leave();
  return e;
}

Expr* Parser::continue_expression(Expr* left, int min_precedence, ExprMode mode, bool label_may_follow) {
  int nonassoc = -1;
  for (;;) {
    const int index = index_of(tok());
    const int prec = kOperators.strength[index];
    if (at(Tok::lexical_error)) syntax_error();
    if (prec == 0 || prec < min_precedence) return left;
    if (mode == ExprMode::b && !kOperators.in_b[index]) return left;
    if (in_substring_ && min_precedence == precedence::lowest && at(Tok::kw_similar) && !next_is(Tok::kw_to)) return left;
    if (prec == nonassoc) syntax_error();
    if (label_may_follow && is_label_here()) return left;
    nonassoc = -1;
    left = binary(left, prec, mode, nonassoc);
  }
}

// A name for OPERATOR(schema.op) or a plain operator token; the current token begins one.
void Parser::operator_name(Name& op, QualifiedName& qualifier) {
  if (accept(Tok::kw_operator)) {
    expect('(');
    any_operator(op, qualifier);
    expect(')');
    return;
  }
  op = operator_text(current_);
  if (op.empty()) syntax_error();
  advance();
}

void Parser::any_operator(Name& op, QualifiedName& qualifier) {
  while (at_flag(kMayBeColumn)) {
    push(qualifier, take_text());
    expect('.');
  }
  op = operator_text(current_);
  if (op.empty()) syntax_error();
  advance();
}

void Parser::reject_unique_predicate() {
  const int location = loc();
  advance();
  nulls_distinct_clause();
  select_in_parens();
  throw SqlError(sqlstate::feature_not_supported, "UNIQUE predicate is not yet implemented").at(location);
}

Expr* Parser::prefix(ExprMode mode) {
  const int location = loc();
  switch (tok()) {
    case token_of('+'): {
      advance();
      OperatorExpr* e = make<OperatorExpr>(location);
      e->op = "+";
      e->right = expression(precedence::unary_minus, mode, false);
      return e;
    }
    case token_of('-'): advance(); return negate(expression(precedence::unary_minus, mode, false), location);
    case Tok::kw_operator:
      if (!next_is('(')) return primary();
      [[fallthrough]];
    case Tok::op: {
      OperatorExpr* e = make<OperatorExpr>(location);
      operator_name(e->op, e->qualifier);
      e->right = expression(precedence::op + 1, mode, false);
      return e;
    }
    case Tok::kw_not:
    case Tok::not_la: {
      if (mode == ExprMode::b) syntax_error();
      advance();
      BoolExpr* e = make<BoolExpr>(location);
      e->op = BoolOp::not_;
      push(e->args, expression(precedence::not_, mode, false));
      return e;
    }
    case Tok::kw_default:
      if (mode == ExprMode::b) syntax_error();
      advance();
      return make<DefaultExpr>(location);
    case Tok::kw_unique:
      if (mode == ExprMode::b) syntax_error();
      reject_unique_predicate();
    case token_of('('): {
      bool plain_row = false;
      Expr* e = parenthesized_primary(plain_row);
      return plain_row && mode == ExprMode::a && at(Tok::kw_overlaps) ? overlaps(node_cast<RowExpr>(e)) : e;
    }
    case Tok::kw_row: {
      if (!row_constructor_follows()) return primary();
      Expr* e = row_constructor();
      return mode == ExprMode::a && at(Tok::kw_overlaps) ? overlaps(node_cast<RowExpr>(e)) : e;
    }
    default: return primary();
  }
}

// -constant is a constant.
Expr* Parser::negate(Expr* arg, int location) {
  if (auto* c = node_try<Constant>(arg)) {
    if (c->type == ConstantKind::integer) {
      c->integer = -c->integer;
      c->location = location;
      return c;
    }
    if (c->type == ConstantKind::number) {
      c->text = c->text.front() == '-' ? c->text.substr(1) : arena_.copy(std::string("-").append(c->text));
      c->location = location;
      return c;
    }
  }
  OperatorExpr* e = make<OperatorExpr>(location);
  e->op = "-";
  e->right = arg;
  return e;
}

Expr* Parser::binary(Expr* left, int prec, ExprMode mode, int& nonassoc) {
  const int location = loc();
  const Tok word = tok();
  switch (word) {
    case Tok::type_cast: {
      advance();
      TypeCast* cast = make<TypeCast>(location);
      cast->arg = left;
      cast->type = type_name();
      return cast;
    }
    case Tok::kw_collate: {
      advance();
      CollateClause* c = make<CollateClause>(location);
      c->arg = left;
      c->collation = any_name();
      return c;
    }
    case Tok::kw_at: {
      advance();
      expect_all(Tok::kw_time, Tok::kw_zone);
      FunctionCall* call = system_call("timezone", location);
      push(call->args, expression(precedence::at + 1, mode, false));
      push(call->args, left);
      return call;
    }
    case Tok::kw_and: return binary_bool(left, BoolOp::and_, prec, mode);
    case Tok::kw_or: return binary_bool(left, BoolOp::or_, prec, mode);
    case Tok::kw_is: return binary_is(left, mode, nonassoc);
    case Tok::kw_isnull:
    case Tok::kw_notnull: {
      advance();
      NullTest* test = make<NullTest>(location);
      test->arg = left;
      test->negated = word == Tok::kw_notnull;
      return test;
    }
    case Tok::not_la:
    case Tok::kw_like:
    case Tok::kw_ilike:
    case Tok::kw_similar:
    case Tok::kw_between:
    case Tok::kw_in: {
      const bool negated = accept(Tok::not_la);
      if (at(Tok::kw_in)) return binary_in(left, negated, location);
      nonassoc = precedence::between;
      return at(Tok::kw_between) ? binary_between(left, negated, location) : binary_like(left, negated, location, nonassoc);
    }
    default: break;
  }
  Name op;
  QualifiedName qualifier;
  operator_name(op, qualifier);
  if (mode == ExprMode::a && at_any(Tok::kw_any, Tok::kw_some, Tok::kw_all)) return quantified(left, op, qualifier, location);
  OperatorExpr* e = make<OperatorExpr>(location);
  e->op = op;
  e->qualifier = qualifier;
  e->left = left;
  e->right = expression(prec + 1, mode, false);
  if (prec == precedence::comparison) nonassoc = prec;
  return e;
}

Expr* Parser::binary_bool(Expr* left, BoolOp op, int prec, ExprMode mode) {
  const int location = loc();
  advance();
  Expr* right = expression(prec + 1, mode, false);
  if (auto* b = node_try<BoolExpr>(left); b != nullptr && b->op == op) {
    push(b->args, right);
    return b;
  }
  BoolExpr* b = make<BoolExpr>(location);
  b->op = op;
  push(b->args, left);
  push(b->args, right);
  return b;
}

// IS [NOT] NULL, TRUE, FALSE, UNKNOWN, DISTINCT FROM, DOCUMENT, [form] NORMALIZED. In b mode only DISTINCT FROM and DOCUMENT.
Expr* Parser::binary_is(Expr* left, ExprMode mode, int& nonassoc) {
  const int location = loc();
  advance();
  const bool negated = accept(Tok::kw_not);
  if (accept(Tok::kw_distinct)) {
    expect(Tok::kw_from);
    DistinctTest* test = make<DistinctTest>(location);
    test->left = left;
    test->negated = negated;
    test->right = expression(precedence::is + 1, mode, false);
    nonassoc = precedence::is;
    return test;
  }
  if (accept(Tok::kw_document)) {
    XmlExpr* x = make<XmlExpr>(location);
    x->op = XmlOp::is_document;
    x->negated = negated;
    push(x->args, left);
    return x;
  }
  if (mode == ExprMode::b) syntax_error();
  BooleanTestKind kind;
  switch (tok()) {
    case Tok::kw_null: {
      advance();
      NullTest* test = make<NullTest>(location);
      test->arg = left;
      test->negated = negated;
      return test;
    }
    case Tok::kw_true: kind = negated ? BooleanTestKind::is_not_true : BooleanTestKind::is_true; break;
    case Tok::kw_false: kind = negated ? BooleanTestKind::is_not_false : BooleanTestKind::is_false; break;
    case Tok::kw_unknown: kind = negated ? BooleanTestKind::is_not_unknown : BooleanTestKind::is_unknown; break;
    default: return normalized_test(left, negated, location);
  }
  advance();
  BooleanTest* test = make<BooleanTest>(location);
  test->arg = left;
  test->test = kind;
  return test;
}

Expr* Parser::normalized_test(Expr* left, bool negated, int location) {
  FunctionCall* call = system_call("is_normalized", location);
  push(call->args, left);
  if (at_any(Tok::kw_nfc, Tok::kw_nfd, Tok::kw_nfkc, Tok::kw_nfkd)) {
    const int l = loc();
    std::string upper(take_text());
    for (char& c : upper) c = static_cast<char>(c - 'a' + 'A');
    push<Expr*>(call->args, make_string(arena_.copy(upper), l));
  }
  expect(Tok::kw_normalized);
  if (!negated) return call;
  BoolExpr* b = make<BoolExpr>(location);
  b->op = BoolOp::not_;
  push<Expr*>(b->args, call);
  return b;
}

// [NOT was consumed] LIKE, ILIKE, SIMILAR TO
Expr* Parser::binary_like(Expr* left, bool negated, int location, int& nonassoc) {
  LikeExpr* e = make<LikeExpr>(location);
  e->left = left;
  e->negated = negated;
  const Tok word = tok();
  advance();
  if (word == Tok::kw_similar) {
    expect(Tok::kw_to);
    e->type = LikeKind::similar;
  } else {
    e->type = word == Tok::kw_ilike ? LikeKind::ilike : LikeKind::like;
    if (at_any(Tok::kw_any, Tok::kw_some, Tok::kw_all)) {
      nonassoc = -1;
      const Name op = word == Tok::kw_ilike ? (negated ? "!~~*" : "~~*") : (negated ? "!~~" : "~~");
      return quantified(left, op, {}, location);
    }
  }
  e->pattern = expression(precedence::escape, ExprMode::a, false);
  if (accept(Tok::kw_escape)) e->escape = expression(precedence::escape, ExprMode::a, false);
  return e;
}

Expr* Parser::binary_between(Expr* left, bool negated, int location) {
  advance();
  BetweenExpr* e = make<BetweenExpr>(location);
  e->arg = left;
  e->negated = negated;
  e->symmetric = accept(Tok::kw_symmetric);
  if (!e->symmetric) accept(Tok::kw_asymmetric);
  e->low = b_expression();
  expect(Tok::kw_and);
  e->high = expression(precedence::between + 1, ExprMode::a, false);
  return e;
}

Expr* Parser::binary_in(Expr* left, bool negated, int location) {
  advance();
  if (!at('(')) syntax_error();
  Expr* first = nullptr;
  int parens = 0;
  if (SelectStatement* query = select_or_expression_in_parens(first, parens)) {
    SubqueryExpr* s = make<SubqueryExpr>(location);
    s->type = SubqueryKind::any;
    s->test = left;
    s->op = "=";
    s->in_syntax = true;
    s->query = query;
    if (!negated) return s;
    BoolExpr* b = make<BoolExpr>(location);
    b->op = BoolOp::not_;
    push<Expr*>(b->args, s);
    return b;
  }
  InListExpr* e = make<InListExpr>(location);
  e->left = left;
  e->negated = negated;
  push(e->list, first);
  while (accept(',')) push(e->list, expression());
  expect(')');
  return e;
}

// op was consumed; ANY, SOME or ALL follows.
Expr* Parser::quantified(Expr* left, Name op, const QualifiedName& qualifier, int location) {
  const bool all = at(Tok::kw_all);
  advance();
  if (!at('(')) syntax_error();
  Expr* array = nullptr;
  int parens = 0;
  if (SelectStatement* query = select_or_expression_in_parens(array, parens)) {
    SubqueryExpr* s = make<SubqueryExpr>(location);
    s->type = all ? SubqueryKind::all : SubqueryKind::any;
    s->test = left;
    s->op = op;
    s->op_qualifier = qualifier;
    s->query = query;
    return s;
  }
  expect(')');
  ArrayComparison* e = make<ArrayComparison>(location);
  e->op = op;
  e->qualifier = qualifier;
  e->left = left;
  e->array = array;
  e->all = all;
  return e;
}

// (a, b) OVERLAPS (c, d), the first row consumed.
Expr* Parser::overlaps(RowExpr* left) {
  const int location = loc();
  if (is_label_here()) return left;
  advance();
  const int right_location = loc();
  List<Expr*> right;
  if (at(Tok::kw_row)) {
    right = node_cast<RowExpr>(row_constructor())->args;
  } else {
    expect('(');
    right = expression_list();
    if (right.size() < 2) syntax_error();
    expect(')');
  }
  if (left->args.size() != 2)
    throw SqlError(sqlstate::syntax_error, "wrong number of parameters on left side of OVERLAPS expression").at(left->location);
  if (right.size() != 2)
    throw SqlError(sqlstate::syntax_error, "wrong number of parameters on right side of OVERLAPS expression").at(right_location);
  FunctionCall* call = system_call("overlaps", location);
  call->args.append(arena_, left->args);
  call->args.append(arena_, right);
  return call;
}

}  // namespace hathi::parser
