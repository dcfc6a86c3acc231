// Quoted things: strings, bit strings, quoted identifiers and their escapes.

#include <cstring>

#include "char_class.h"
#include "hathi/error/report.h"
#include "lexer.h"

namespace hathi::parser {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}
bool is_high_surrogate(std::uint32_t c) { return c >= 0xD800 && c <= 0xDBFF; }
bool is_low_surrogate(std::uint32_t c) { return c >= 0xDC00 && c <= 0xDFFF; }
std::uint32_t combine(std::uint32_t high, std::uint32_t low) { return ((high & 0x3FF) << 10) + 0x10000 + (low & 0x3FF); }
bool is_valid_code(std::uint32_t c) { return c > 0 && c <= 0x10FFFF; }

// Length of the UTF-8 character that begins at p within n bytes, 0 if it is not one.
int utf8_length(const unsigned char* p, std::size_t n) {
  const unsigned char c = p[0];
  if (c < 0x80) return c == 0 ? 0 : 1;
  int length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
  if (c < 0xC2 || c > 0xF4 || static_cast<std::size_t>(length) > n) return 0;
  for (int i = 1; i < length; ++i) {
    if ((p[i] & 0xC0) != 0x80) return 0;
  }
  if (c == 0xE0 && p[1] < 0xA0) return 0;
  if (c == 0xED && p[1] > 0x9F) return 0;
  if (c == 0xF0 && p[1] < 0x90) return 0;
  if (c == 0xF4 && p[1] > 0x8F) return 0;
  return length;
}

}  // namespace

void put_utf8(char*& out, std::uint32_t code) {
  if (code < 0x80) {
    *out++ = static_cast<char>(code);
  } else if (code < 0x800) {
    *out++ = static_cast<char>(0xC0 | (code >> 6));
    *out++ = static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    *out++ = static_cast<char>(0xE0 | (code >> 12));
    *out++ = static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    *out++ = static_cast<char>(0x80 | (code & 0x3F));
  } else {
    *out++ = static_cast<char>(0xF0 | (code >> 18));
    *out++ = static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    *out++ = static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    *out++ = static_cast<char>(0x80 | (code & 0x3F));
  }
}

void verify_utf8(std::string_view bytes) {
  const auto* p = reinterpret_cast<const unsigned char*>(bytes.data());
  for (std::size_t i = 0; i < bytes.size();) {
    const int length = utf8_length(p + i, bytes.size() - i);
    if (length == 0) {
      const unsigned char c = p[i];
      std::size_t shown = c < 0x80 ? 1 : c >= 0xF8 ? 1 : c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
      std::string list;
      for (std::size_t k = 0; k < shown && i + k < bytes.size(); ++k) list += fmt::format("{}0x{:02x}", k ? " " : "", p[i + k]);
      throw SqlError(sqlstate::character_not_in_repertoire, "invalid byte sequence for encoding \"UTF8\": {}", list);
    }
    i += static_cast<std::size_t>(length);
  }
}

// After a closing quote: blanks with a newline among them and another quote continue the string. Moves to behind that quote.
bool Lexer::continues_string() {
  int p = pos_;
  bool newline = false;
  for (;;) {
    const char c = copy_[p];
    if (c == '\n' || c == '\r') {
      newline = true;
      ++p;
    } else if (is_class(c, kSpace)) {
      ++p;
    } else if (c == '-' && copy_[p + 1] == '-') {
      int q = p;
      while (q < size() && copy_[q] != '\n' && copy_[q] != '\r') ++q;
      if (q >= size()) return false;
      p = q;
    } else {
      break;
    }
  }
  if (!newline || copy_[p] != '\'') return false;
  pos_ = p + 1;
  return true;
}

// '…', b'…', x'…', U&'…': only '' means anything, and in bit strings not even that.
void Lexer::scan_plain_string(Token& token, Tok kind) {
  const int start = pos_;
  const char prefix = copy_[pos_];
  if (kind == Tok::unicode_string && !options_.standard_conforming_strings) {
    throw SqlError(sqlstate::feature_not_supported, "unsafe use of string constant with Unicode escapes")
        .detail("String constants with Unicode escapes cannot be used when standard_conforming_strings is off.")
        .at(start);
  }
  pos_ += kind == Tok::string ? 1 : kind == Tok::bit_string ? 2 : 3;
  char* begin = copy_ + pos_;
  char* out = begin;
  for (;;) {
    char* p = copy_ + pos_;
    char* quote = static_cast<char*>(std::memchr(p, '\'', static_cast<std::size_t>(size() - pos_)));
    if (quote == nullptr) {
      const char* what = kind != Tok::bit_string            ? "unterminated quoted string"
                         : (prefix == 'b' || prefix == 'B') ? "unterminated bit string literal"
                                                            : "unterminated hexadecimal string literal";
      fail(what, start, size());
    }
    if (out != p) std::memmove(out, p, static_cast<std::size_t>(quote - p));
    out += quote - p;
    pos_ = static_cast<int>(quote - copy_) + 1;
    if (copy_[pos_] == '\'' && kind != Tok::bit_string) {
      *out++ = '\'';
      ++pos_;
      continue;
    }
    token.end = pos_;
    if (!continues_string()) break;
  }
  pos_ = token.end;
  token.kind = kind;
  if (kind == Tok::bit_string) {  // the prefix stands in front of the digits, over the opening quote
    *--begin = (prefix == 'b' || prefix == 'B') ? 'b' : 'x';
  }
  token.text = std::string_view(begin, static_cast<std::size_t>(out - begin));
}

// "…" and U&"…"
void Lexer::scan_quoted_identifier(Token& token, bool unicode) {
  const int start = pos_;
  pos_ += unicode ? 3 : 1;
  char* begin = copy_ + pos_;
  char* out = begin;
  for (;;) {
    char* p = copy_ + pos_;
    char* quote = static_cast<char*>(std::memchr(p, '"', static_cast<std::size_t>(size() - pos_)));
    if (quote == nullptr) fail("unterminated quoted identifier", start, size());
    if (out != p) std::memmove(out, p, static_cast<std::size_t>(quote - p));
    out += quote - p;
    pos_ = static_cast<int>(quote - copy_) + 1;
    if (copy_[pos_] != '"') break;
    *out++ = '"';
    ++pos_;
  }
  token.end = pos_;
  if (out == begin) fail("zero-length delimited identifier", start, pos_);
  if (unicode) {
    token.kind = Tok::unicode_identifier;
    token.text = std::string_view(begin, static_cast<std::size_t>(out - begin));
  } else {
    token.kind = Tok::identifier;
    finish_identifier(token, begin, out);
  }
}

namespace {

void warn_escape(int position, const char* message, const char* hint) {
  ErrorReport r;
  r.severity = Severity::warning;
  r.code = sqlstate::nonstandard_use_of_escape_character;
  r.message = message;
  r.hint = hint;
  r.position = position;
  report(std::move(r));
}

}  // namespace

// \uXXXX and \UXXXXXXXX, pos_ at the backslash.
void Lexer::scan_unicode_escape(char*& out) {
  const int start = pos_;
  const int digits = copy_[pos_ + 1] == 'u' ? 4 : 8;
  std::uint32_t code = 0;
  for (int i = 0; i < digits; ++i) {
    const int d = hex_digit(copy_[start + 2 + i]);
    if (d < 0) {
      throw SqlError(sqlstate::invalid_escape_sequence, "invalid Unicode escape")
          .hint("Unicode escapes must be \\uXXXX or \\UXXXXXXXX.")
          .at(start);
    }
    code = code * 16 + static_cast<std::uint32_t>(d);
  }
  pos_ = start + 2 + digits;
  if (high_surrogate_ != 0) {
    if (!is_low_surrogate(code)) fail("invalid Unicode surrogate pair", start, pos_);
    code = combine(high_surrogate_, code);
    high_surrogate_ = 0;
  } else if (is_low_surrogate(code)) {
    fail("invalid Unicode surrogate pair", start, pos_);
  } else if (is_high_surrogate(code)) {
    high_surrogate_ = static_cast<char16_t>(code);
    return;
  }
  if (!is_valid_code(code)) fail("invalid Unicode escape value", start, pos_);
  put_utf8(out, code);
}

// One escape, pos_ at the backslash.
void Lexer::scan_escape(char*& out) {
  const char c = copy_[pos_ + 1];
  if (c == 'u' || c == 'U') return scan_unicode_escape(out);
  if (c >= '0' && c <= '7') {
    int value = 0, n = 0;
    for (; n < 3 && copy_[pos_ + 1 + n] >= '0' && copy_[pos_ + 1 + n] <= '7'; ++n) value = value * 8 + (copy_[pos_ + 1 + n] - '0');
    *out++ = static_cast<char>(value);
    pos_ += 1 + n;
    return;
  }
  if (c == 'x' && hex_digit(copy_[pos_ + 2]) >= 0) {
    int value = 0, n = 0;
    for (; n < 2 && hex_digit(copy_[pos_ + 2 + n]) >= 0; ++n) value = value * 16 + hex_digit(copy_[pos_ + 2 + n]);
    *out++ = static_cast<char>(value);
    pos_ += 2 + n;
    return;
  }
  switch (c) {
    case 'b': *out++ = '\b'; break;
    case 'f': *out++ = '\f'; break;
    case 'n': *out++ = '\n'; break;
    case 'r': *out++ = '\r'; break;
    case 't': *out++ = '\t'; break;
    default: *out++ = c; break;
  }
  pos_ += 2;
}

// E'…', and '…' while standard_conforming_strings is off.
void Lexer::scan_escape_string(Token& token, bool plain_quote) {
  const int start = pos_;
  pos_ += plain_quote ? 1 : 2;
  char* begin = copy_ + pos_;
  char* out = begin;
  bool warn = plain_quote && options_.escape_string_warning;
  bool verify = false;
  high_surrogate_ = 0;
  for (;;) {
    if (pos_ >= size()) {
      if (high_surrogate_ != 0) fail("invalid Unicode surrogate pair", size(), size());
      fail("unterminated quoted string", start, size());
    }
    const char c = copy_[pos_];
    if (high_surrogate_ != 0 && !(c == '\\' && (copy_[pos_ + 1] == 'u' || copy_[pos_ + 1] == 'U')))
      fail("invalid Unicode surrogate pair", pos_, pos_ + 1);
    if (c == '\'') {
      ++pos_;
      if (copy_[pos_] == '\'') {
        *out++ = '\'';
        ++pos_;
        continue;
      }
      token.end = pos_;
      if (!continues_string()) break;
      continue;
    }
    if (c != '\\') {
      *out++ = c;
      ++pos_;
      continue;
    }
    if (pos_ + 1 >= size()) fail("unterminated quoted string", start, size());
    const char escaped = copy_[pos_ + 1];
    if (escaped == '\'') {
      if (options_.backslash_quote == BackslashQuote::off) {
        throw SqlError(sqlstate::nonstandard_use_of_escape_character, "unsafe use of \\' in a string literal")
            .hint("Use '' to write quotes in strings. \\' is insecure in client-only encodings.")
            .at(start);
      }
      if (warn)
        warn_escape(start + 1, "nonstandard use of \\' in a string literal",
                    "Use '' to write quotes in strings, or use the escape string syntax (E'...').");
    } else if (warn && escaped == '\\') {
      warn_escape(start + 1, "nonstandard use of \\\\ in a string literal", "Use the escape string syntax for backslashes, e.g., E'\\\\'.");
    } else if (warn) {
      warn_escape(start + 1, "nonstandard use of escape in a string literal", "Use the escape string syntax for escapes, e.g., E'\\r\\n'.");
    }
    warn = false;
    verify = verify || escaped == 'x' || (escaped >= '0' && escaped <= '7');
    scan_escape(out);
  }
  pos_ = token.end;
  token.kind = Tok::string;
  token.text = std::string_view(begin, static_cast<std::size_t>(out - begin));
  if (verify) verify_utf8(token.text);
}

// The escapes of U&'…' and U&"…", in place. Positions count from the value's start after '' became '.
void Lexer::resolve_unicode(Token& token, char escape, int value_start) {
  const std::string_view in = token.text;
  char* begin = const_cast<char*>(in.data());
  char* out = begin;
  std::uint32_t high = 0;
  auto bad = [&](const char* message, std::size_t at) {
    return SqlError(sqlstate::syntax_error, "{}", message).at(value_start + static_cast<int>(at));
  };
  auto read = [&](std::size_t at, int digits, std::uint32_t& code) {
    code = 0;
    for (int i = 0; i < digits; ++i) {
      const int d = at + static_cast<std::size_t>(i) < in.size() ? hex_digit(in[at + static_cast<std::size_t>(i)]) : -1;
      if (d < 0) return false;
      code = code * 16 + static_cast<std::uint32_t>(d);
    }
    return true;
  };
  std::size_t i = 0;
  while (i < in.size()) {
    if (in[i] != escape) {
      if (high != 0) throw bad("invalid Unicode surrogate pair", i);
      *out++ = in[i++];
      continue;
    }
    if (i + 1 < in.size() && in[i + 1] == escape) {
      if (high != 0) throw bad("invalid Unicode surrogate pair", i);
      *out++ = escape;
      i += 2;
      continue;
    }
    std::uint32_t code = 0;
    std::size_t length;
    if (read(i + 1, 4, code)) {
      length = 5;
    } else if (i + 1 < in.size() && in[i + 1] == '+' && read(i + 2, 6, code)) {
      length = 8;
    } else {
      throw bad("invalid Unicode escape", i).hint("Unicode escapes must be \\XXXX or \\+XXXXXX.");
    }
    if (!is_valid_code(code)) throw bad("invalid Unicode escape value", i);
    if (high != 0) {
      if (!is_low_surrogate(code)) throw bad("invalid Unicode surrogate pair", i);
      code = combine(high, code);
      high = 0;
    } else if (is_low_surrogate(code)) {
      throw bad("invalid Unicode surrogate pair", i);
    }
    if (is_high_surrogate(code)) {
      high = code;
    } else {
      put_utf8(out, code);
    }
    i += length;
  }
  if (high != 0) throw bad("invalid Unicode surrogate pair", i);
  token.text = std::string_view(begin, static_cast<std::size_t>(out - begin));
}

}  // namespace hathi::parser
