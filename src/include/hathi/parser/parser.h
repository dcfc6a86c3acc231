#pragma once
// Text to raw syntax tree, in PostgreSQL 15's grammar and with its syntax errors. No catalog is read and no setting is consulted
// except through ParseOptions.

#include <span>
#include <string>
#include <string_view>

#include "hathi/parser/ast.h"

namespace hathi::parser {

enum class BackslashQuote : std::uint8_t { off, on, safe_encoding };

// What settings of the session mean to the lexer. session/ fills it from the settings; the defaults are PostgreSQL's (UTF-8 client).
struct ParseOptions {
  bool standard_conforming_strings = true;
  bool escape_string_warning = true;
  BackslashQuote backslash_quote = BackslashQuote::safe_encoding;
};

// The statements of a query string in order; empty ones are left out. The tree refers to bytes of the arena only, never of text.
// Errors: 42601 syntax_error and what the grammar itself rejects (0A000, 22021, 22023, 42P17 …), all with a position; 54001 when nested too
// deeply. Notices: 42622 for identifiers longer than 63 bytes, 22P06 for non-standard escapes.
List<Statement> parse(std::string_view text, Arena& arena, const ParseOptions& options = {});

// "numeric(10,2)", "public.t[]": a type as regtype's input and to_regtype read it. Errors as parse(), or 42601 'invalid type name "…"'.
TypeName* parse_type_name(std::string_view text, Arena& arena);
// One expression and nothing after it.
Expr* parse_expression(std::string_view text, Arena& arena);
// "a.b.c", with quoted parts: as regclass's input and nextval() read it, folded and truncated. Error: 42602 "invalid name syntax".
QualifiedName parse_qualified_name(std::string_view text, Arena& arena);

// The identifier as SQL text: quoted if it is a reserved word or has unusual characters.
std::string quote_identifier(std::string_view name);
// a.b, each part quoted if needed.
std::string quote_qualified(std::string_view qualifier, std::string_view name);
// The value as a string literal: '…', or E'…' when it has backslashes (quote_literal()'s form).
std::string quote_literal(std::string_view value);

// A NOTICE-free truncation of an identifier to 63 bytes at a character boundary.
std::string_view truncate_identifier(std::string_view name);

// The command tag of a statement before it runs ("SELECT", "CREATE TABLE", …), as errors and event triggers name it.
std::string_view command_tag(const StatementNode* node);
// What log_statement goes by: 1 = ddl, 2 = mod (INSERT, COPY FROM …), 3 = all others (only 'all').
int log_level_of(const StatementNode* node);

// A keyword of the grammar. category: U unreserved, C unreserved (cannot be function or type name), T reserved (can be function or type
// name), R reserved.
struct Keyword {
  std::string_view word;
  char category;
  bool bare_label;
};
std::span<const Keyword> keywords();

// An option's value as text: words, strings and numbers; "" when there is none. Throws 42601 'option "x" requires …' never: callers check.
std::string option_text(const Option& option);

}  // namespace hathi::parser
