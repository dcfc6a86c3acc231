#pragma once
// Text to tokens, by PostgreSQL 15's lexical rules.

#include <exception>
#include <string_view>

#include "hathi/parser/parser.h"
#include "token.h"

namespace hathi::parser {

// Works on a private copy of the text in the arena: identifiers are folded and strings unescaped in place there, so a token's value is a
// view into it and costs no allocation. The text itself must stay until the last token is read; error messages quote it.
class Lexer {
 public:
  Lexer(std::string_view text, Arena& arena, const ParseOptions& options);

  // The next token with the grammar's one-token look-ahead applied (NOT, NULLS, WITH, UESCAPE). At the end: Tok::end for ever.
  // What is no token (42601 "unterminated …", "trailing junk …", 22021 for bytes that are not UTF-8) is Tok::lexical_error, for ever;
  // rethrow() throws its SqlError. So the parser may look ahead and still report its own error about what stands before it.
  void next(Token& token);
  [[noreturn]] void rethrow() const { std::rethrow_exception(error_); }
  std::string_view text() const { return text_; }

  // "message at or near "…"" for the bytes [start, end), or "message at end of input".
  [[noreturn]] void fail(std::string_view message, int start, int end) const;

 private:
  void scan(Token& token);
  void look_ahead(Token& token);
  void skip_blanks();
  void skip_comment();
  void scan_word(Token& token);
  void scan_number(Token& token);
  void scan_operator(Token& token);
  void scan_dollar(Token& token);
  void scan_quoted_identifier(Token& token, bool unicode);
  void scan_plain_string(Token& token, Tok kind);
  void scan_escape_string(Token& token, bool plain_quote);
  void scan_escape(char*& out);
  void scan_unicode_escape(char*& out);
  bool continues_string();
  void resolve_unicode(Token& token, char escape, int value_start);
  void finish_identifier(Token& token, char* begin, char* end);
  void single(Token& token, Tok kind, int length) {
    token.kind = kind;
    pos_ += length;
    token.end = pos_;
  }
  int size() const { return static_cast<int>(text_.size()); }

  std::string_view text_;
  char* copy_;  // NUL-terminated; bytes before pos_ may have been rewritten
  int pos_ = 0;
  Arena& arena_;
  ParseOptions options_;
  Token pushed_;
  bool have_pushed_ = false;
  char16_t high_surrogate_ = 0;
  std::exception_ptr error_;
};

// Appends a code point's UTF-8 bytes.
void put_utf8(char*& out, std::uint32_t code);
// Throws 22021 "invalid byte sequence for encoding "UTF8": 0x…" unless the bytes are UTF-8 without NUL.
void verify_utf8(std::string_view bytes);

}  // namespace hathi::parser
