// Words, numbers, operators and blanks.

#include "lexer.h"

#include <charconv>
#include <cstring>

#include "char_class.h"
#include "hathi/error/report.h"

namespace hathi::parser {

Lexer::Lexer(std::string_view text, Arena& arena, const ParseOptions& options)
    : text_(text), copy_(const_cast<char*>(arena.copy(text).data())), arena_(arena), options_(options) {}

void Lexer::fail(std::string_view message, int start, int end) const {
  if (start >= size()) throw SqlError(sqlstate::syntax_error, "{} at end of input", message).at(size());
  throw SqlError(sqlstate::syntax_error, "{} at or near \"{}\"", message, text_.substr(start, end - start)).at(start);
}

void Lexer::next(Token& token) {
  if (error_ != nullptr) {
    token.kind = Tok::lexical_error;
    return;
  }
  try {
    if (have_pushed_) {
      token = pushed_;
      have_pushed_ = false;
    } else {
      scan(token);
    }
    switch (token.kind) {
      case Tok::kw_not:
      case Tok::kw_nulls:
      case Tok::kw_with:
      case Tok::unicode_identifier:
      case Tok::unicode_string: look_ahead(token); break;
      default: break;
    }
  } catch (const SqlError&) {
    error_ = std::current_exception();
    token.kind = Tok::lexical_error;
  }
}

void Lexer::skip_comment() {
  const int start = pos_;
  int depth = 1;
  pos_ += 2;
  while (depth > 0) {
    if (pos_ >= size()) fail("unterminated /* comment", start, size());
    if (copy_[pos_] == '*' && copy_[pos_ + 1] == '/') {
      --depth;
      pos_ += 2;
    } else if (copy_[pos_] == '/' && copy_[pos_ + 1] == '*') {
      ++depth;
      pos_ += 2;
    } else {
      ++pos_;
    }
  }
}

void Lexer::skip_blanks() {
  for (;;) {
    const char c = copy_[pos_];
    if (is_class(c, kSpace)) {
      ++pos_;
    } else if (c == '-' && copy_[pos_ + 1] == '-') {
      while (pos_ < size() && copy_[pos_] != '\n' && copy_[pos_] != '\r') ++pos_;
    } else if (c == '/' && copy_[pos_ + 1] == '*') {
      skip_comment();
    } else {
      return;
    }
  }
}

void Lexer::finish_identifier(Token& token, char* begin, char* end) {
  std::string_view name(begin, end - begin);
  if (name.size() > 63) {
    std::string_view cut = truncate_identifier(name);
    report_notice(sqlstate::name_too_long, "identifier \"{}\" will be truncated to \"{}\"", name, cut);
    name = cut;
  }
  token.text = name;
}

void Lexer::scan_word(Token& token) {
  char* p = copy_ + pos_;
  char* begin = p;
  while (is_class(*p, kIdentPart)) {
    if (is_class(*p, kUpper)) *p = static_cast<char>(*p + ('a' - 'A'));
    ++p;
  }
  pos_ = static_cast<int>(p - copy_);
  token.end = pos_;
  token.kind = find_keyword(begin, static_cast<std::size_t>(p - begin));
  if (token.kind == Tok::identifier) {
    finish_identifier(token, begin, p);
  } else {
    token.text = keyword_text(token.kind);
  }
}

// integer, decimal with one point, exponent. "1..2" is 1, .., 2; a letter right behind a number is an error.
void Lexer::scan_number(Token& token) {
  const int start = pos_;
  int p = pos_;
  auto digits = [&] {
    while (is_class(copy_[p], kDigit)) ++p;
  };
  digits();
  bool is_integer = true;
  if (copy_[p] == '.' && !(p > start && copy_[p + 1] == '.')) {
    is_integer = false;
    ++p;
    digits();
  }
  bool junk = false;
  if (copy_[p] == 'e' || copy_[p] == 'E') {
    int q = p + 1;
    if (copy_[q] == '+' || copy_[q] == '-') ++q;
    if (is_class(copy_[q], kDigit)) {
      is_integer = false;
      p = q;
      digits();
    } else if (q > p + 1) {
      fail("trailing junk after numeric literal", start, q);
    }
  }
  const int number_end = p;
  if (is_class(copy_[p], kIdentStart)) {
    while (is_class(copy_[p], kIdentPart)) ++p;
    junk = true;
  }
  if (junk) fail("trailing junk after numeric literal", start, p);
  pos_ = number_end;
  token.end = pos_;
  token.text = std::string_view(copy_ + start, number_end - start);
  token.kind = Tok::number;
  if (is_integer) {
    auto [ptr, error] = std::from_chars(copy_ + start, copy_ + number_end, token.integer);
    if (error == std::errc()) token.kind = Tok::integer;
  }
}

// $1, $tag$…$tag$
void Lexer::scan_dollar(Token& token) {
  const int start = pos_;
  int p = pos_ + 1;
  if (is_class(copy_[p], kDigit)) {
    std::uint64_t number = 0;
    bool overflow = false;
    for (; is_class(copy_[p], kDigit); ++p) {
      if (number > (INT64_MAX - 9) / 10) overflow = true;
      if (!overflow) number = number * 10 + static_cast<std::uint64_t>(copy_[p] - '0');
    }
    if (is_class(copy_[p], kIdentStart)) {
      while (is_class(copy_[p], kIdentPart)) ++p;
      fail("trailing junk after parameter", start, p);
    }
    token.kind = Tok::parameter;
    token.integer = overflow ? -1 : static_cast<std::int32_t>(number);
    token.text = std::string_view(copy_ + start, p - start);
    pos_ = token.end = p;
    return;
  }
  if (is_class(copy_[p], kIdentStart)) {
    while (is_class(copy_[p], kIdentPart) && copy_[p] != '$') ++p;
  }
  if (copy_[p] != '$') {
    single(token, Tok::invalid, 1);
    return;
  }
  const std::string_view delimiter = text_.substr(start, p + 1 - start);
  const std::size_t close = text_.find(delimiter, p + 1);
  if (close == std::string_view::npos) fail("unterminated dollar-quoted string", start, size());
  token.kind = Tok::string;
  token.text = std::string_view(copy_ + p + 1, close - (p + 1));
  pos_ = token.end = static_cast<int>(close + delimiter.size());
}

// The longest run of operator characters, cut before a comment; + and - may end an operator of several characters only if
// it holds one of ~ ! @ # ^ & | ` ? %.
void Lexer::scan_operator(Token& token) {
  const char* p = copy_ + pos_;
  int n = 0;
  bool special = false;
  while (is_class(p[n], kOperatorChar)) {
    if (n > 0 && ((p[n] == '-' && p[n + 1] == '-') || (p[n] == '/' && p[n + 1] == '*'))) break;
    ++n;
  }
  if (n > 1 && (p[n - 1] == '+' || p[n - 1] == '-')) {
    for (int i = 0; i < n - 1 && !special; ++i) special = std::strchr("~!@#^&|`?%", p[i]) != nullptr;
    if (!special) {
      while (n > 1 && (p[n - 1] == '+' || p[n - 1] == '-')) --n;
    }
  }
  token.text = std::string_view(p, n);
  if (n == 1 && is_class(p[0], kSelf)) return single(token, token_of(p[0]), 1);
  if (n == 2) {
    const std::string_view s = token.text;
    if (s == "=>") return single(token, Tok::equals_greater, 2);
    if (s == ">=") return single(token, Tok::greater_equals, 2);
    if (s == "<=") return single(token, Tok::less_equals, 2);
    if (s == "<>" || s == "!=") {
      token.text = "<>";
      return single(token, Tok::not_equals, 2);
    }
  }
  if (n >= 64) fail("operator too long", pos_, pos_ + n);
  single(token, Tok::op, n);
}

void Lexer::scan(Token& token) {
  skip_blanks();
  token.start = pos_;
  const char c = copy_[pos_];
  const char following = c == '\0' ? '\0' : copy_[pos_ + 1];
  if (is_class(c, kIdentStart)) {
    if (following == '\'') {
      switch (c) {
        case 'b':
        case 'B':
        case 'x':
        case 'X': return scan_plain_string(token, Tok::bit_string);
        case 'e':
        case 'E': return scan_escape_string(token, false);
        case 'n':
        case 'N': token.text = keyword_text(Tok::kw_nchar); return single(token, Tok::kw_nchar, 1);
        default: break;
      }
    } else if (following == '&' && (c == 'u' || c == 'U')) {
      if (copy_[pos_ + 2] == '\'') return scan_plain_string(token, Tok::unicode_string);
      if (copy_[pos_ + 2] == '"') return scan_quoted_identifier(token, true);
    }
    return scan_word(token);
  }
  if (is_class(c, kDigit) || (c == '.' && is_class(following, kDigit))) return scan_number(token);
  switch (c) {
    case '\'':
      if (options_.standard_conforming_strings) return scan_plain_string(token, Tok::string);
      return scan_escape_string(token, true);
    case '"': return scan_quoted_identifier(token, false);
    case '$': return scan_dollar(token);
    case ':':
      if (following == ':') return single(token, Tok::type_cast, 2);
      if (following == '=') return single(token, Tok::colon_equals, 2);
      return single(token, token_of(c), 1);
    case '.':
      if (following == '.') return single(token, Tok::dot_dot, 2);
      return single(token, token_of(c), 1);
    case ',':
    case '(':
    case ')':
    case '[':
    case ']':
    case ';': return single(token, token_of(c), 1);
    case '\0':
      if (pos_ >= size()) {
        token.kind = Tok::end;
        token.end = pos_;
        return;
      }
      return single(token, Tok::invalid, 1);
    default: break;
  }
  if (is_class(c, kOperatorChar)) return scan_operator(token);
  single(token, Tok::invalid, 1);
}

void Lexer::look_ahead(Token& token) {
  scan(pushed_);
  have_pushed_ = true;
  const Tok following = pushed_.kind;
  switch (token.kind) {
    case Tok::kw_not:
      if (following == Tok::kw_between || following == Tok::kw_in || following == Tok::kw_like || following == Tok::kw_ilike ||
          following == Tok::kw_similar)
        token.kind = Tok::not_la;
      return;
    case Tok::kw_nulls:
      if (following == Tok::kw_first || following == Tok::kw_last) token.kind = Tok::nulls_la;
      return;
    case Tok::kw_with:
      if (following == Tok::kw_time || following == Tok::kw_ordinality) token.kind = Tok::with_la;
      return;
    default: break;
  }
  char escape = '\\';
  const Tok kind = token.kind;
  const int value_start = token.start + 3;
  if (following == Tok::kw_uescape) {
    Token literal;
    scan(literal);
    if (literal.kind != Tok::string) fail("UESCAPE must be followed by a simple string literal", literal.start, literal.end);
    const char e = literal.text.size() == 1 ? literal.text[0] : '+';
    if ((e >= '0' && e <= '9') || (e >= 'a' && e <= 'f') || (e >= 'A' && e <= 'F') || e == '+' || e == '\'' || e == '"' ||
        is_class(e, kSpace)) {
      fail("invalid Unicode escape character", literal.start, literal.end);
    }
    escape = e;
    token.end = literal.end;
    have_pushed_ = false;
  }
  resolve_unicode(token, escape, value_start);
  if (kind == Tok::unicode_identifier) {
    token.kind = Tok::identifier;
    char* begin = const_cast<char*>(token.text.data());
    finish_identifier(token, begin, begin + token.text.size());
  } else {
    token.kind = Tok::string;
  }
}

}  // namespace hathi::parser
