// Token access, errors, and the entry points.

#include "parser_impl.h"

namespace hathi::parser {

void Parser::advance_buffered() {
  current_ = ahead_[0];
  --ahead_count_;
  for (int i = 0; i < ahead_count_; ++i) ahead_[i] = ahead_[i + 1];
}

const Token& Parser::peek(int n) {
  HATHI_ASSERT(n >= 1 && n <= kMaxAhead);
  while (ahead_count_ < n) {
    Token& token = ahead_[ahead_count_];
    lexer_.next(token);
    ++ahead_count_;
  }
  return ahead_[n - 1];
}

void Parser::syntax_error() const { fail_near("syntax error"); }

void Parser::fail_near(std::string_view message) const {
  if (at(Tok::lexical_error)) lexer_.rethrow();
  lexer_.fail(message, current_.start, current_.end);
}

void Parser::fail_near(std::string_view message, const Token& token) const { lexer_.fail(message, token.start, token.end); }

void Parser::nested_too_deeply() const {
  throw SqlError(sqlstate::statement_too_complex, "stack depth limit exceeded").hint("The statement is nested too deeply.");
}

List<Statement> Parser::parse_statements() {
  List<Statement> list;
  int start = 0;
  for (;;) {
    StatementNode* node = statement();
    const int end = loc();
    if (node != nullptr) push(list, Statement{node, start, end - start});
    if (at(Tok::end)) return list;
    if (!at(';')) syntax_error();
    start = end + 1;
    advance();
  }
}

TypeName* Parser::parse_whole_type() {
  TypeName* type = type_name();
  if (!at(Tok::end)) syntax_error();
  return type;
}

Expr* Parser::parse_whole_expression() {
  Expr* e = expression();
  if (!at(Tok::end)) syntax_error();
  return e;
}

List<Statement> parse(std::string_view text, Arena& arena, const ParseOptions& options) {
  return Parser(text, arena, options).parse_statements();
}

TypeName* parse_type_name(std::string_view text, Arena& arena) {
  if (text.find_first_not_of(" \t\n\r\f") == std::string_view::npos)
    throw SqlError(sqlstate::syntax_error, "invalid type name \"{}\"", text);
  TypeName* type;
  try {
    type = Parser(text, arena, ParseOptions()).parse_whole_type();
  } catch (SqlError& error) {
    error.context(fmt::format("invalid type name \"{}\"", text));
    throw;
  }
  if (type->set_of) throw SqlError(sqlstate::syntax_error, "invalid type name \"{}\"", text);
  return type;
}

Expr* parse_expression(std::string_view text, Arena& arena) { return Parser(text, arena, ParseOptions()).parse_whole_expression(); }

}  // namespace hathi::parser
