#include "like.h"

#include "hathi/shmem/interrupts.h"
#include "hathi/types/collation.h"
#include "hathi/types/utf8.h"
#include "adapter.h"
#include "errors.h"
#include "tables.h"

namespace hathi::types {

namespace {

[[noreturn]] void throw_dangling_escape() {
  throw SqlError(sqlstate::invalid_escape_sequence, "LIKE pattern must not end with escape character");
}

std::size_t step(std::string_view text, std::size_t at, bool bytes) { return bytes ? 1 : utf8::width(text[at], text.size() - at); }

}  // namespace

// Greedy with one point to go back to: after a % only the latest one need be retried.
bool like_match(std::string_view text, std::string_view pattern, bool bytes) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t t = 0;
  std::size_t p = 0;
  std::size_t retry_text = kNone;
  std::size_t retry_pattern = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '%') {
      while (p < pattern.size() && pattern[p] == '%') ++p;
      if (p == pattern.size()) return true;
      retry_pattern = p;
      retry_text = t;
      continue;
    }
    if (p < pattern.size() && pattern[p] == '_') {
      t += step(text, t, bytes);
      ++p;
      continue;
    }
    if (p < pattern.size()) {
      std::size_t literal = p;
      if (pattern[p] == '\\' && ++literal == pattern.size()) throw_dangling_escape();
      if (pattern[literal] == text[t]) {
        ++t;
        p = literal + 1;
        continue;
      }
    }
    if (retry_text == kNone) return false;
    retry_text += step(text, retry_text, bytes);
    t = retry_text;
    p = retry_pattern;
    if ((t & 0xFFF) == 0) check_interrupts();
  }
  while (p < pattern.size() && pattern[p] == '%') ++p;
  return p == pattern.size();
}

namespace {

template <bool Not> bool text_like(std::string_view text, std::string_view pattern) { return like_match(text, pattern) != Not; }
template <bool Not> bool name_like(Name text, std::string_view pattern) { return like_match(text.text, pattern) != Not; }
template <bool Not> bool bytea_like(std::string_view text, std::string_view pattern) { return like_match(text, pattern, true) != Not; }

bool ignoring_case(FunctionCall& call, std::string_view text, std::string_view pattern) {
  require_collation(call.collation(), "ILIKE");
  return like_match(to_lower(text, call.collation()), to_lower(pattern, call.collation()));
}
template <bool Not> bool text_ilike(FunctionCall& call, std::string_view text, std::string_view pattern) {
  return ignoring_case(call, text, pattern) != Not;
}
template <bool Not> bool name_ilike(FunctionCall& call, Name text, std::string_view pattern) {
  return ignoring_case(call, text.text, pattern) != Not;
}

// The pattern with its own escape character turned into backslash; an empty escape means that nothing quotes.
std::string escape_pattern(std::string_view pattern, std::string_view escape, bool bytes) {
  std::size_t width = escape.empty() ? 0 : step(escape, 0, bytes);
  if (width != escape.size()) {
    throw SqlError(sqlstate::invalid_escape_sequence, "invalid escape string").hint("Escape string must be empty or one character.");
  }
  std::string result;
  bool after_escape = false;
  for (std::size_t i = 0; i < pattern.size();) {
    if (width != 0 && !after_escape && escape != "\\" && pattern.substr(i, width) == escape) {
      result += '\\';
      i += width;
      after_escape = true;
      continue;
    }
    if (pattern[i] == '\\' && escape != "\\" && !after_escape) result += '\\';
    after_escape = false;
    result += pattern[i++];
  }
  return escape == "\\" ? std::string(pattern) : result;
}
std::string like_escape(std::string_view pattern, std::string_view escape) { return escape_pattern(pattern, escape, false); }
std::string like_escape_bytea(std::string_view pattern, std::string_view escape) { return escape_pattern(pattern, escape, true); }

// SIMILAR TO's pattern as an advanced regular expression. `e"` (e the escape) separates the part that substring() returns.
std::string similar_to_regex(std::string_view pattern, std::string_view escape) {
  std::size_t width = escape.empty() ? 0 : step(escape, 0, false);
  if (width != escape.size()) {
    throw SqlError(sqlstate::invalid_escape_sequence, "invalid escape string").hint("Escape string must be empty or one character.");
  }
  std::string result = "^(?:";
  int quotes = 0;
  int bracket = 0;  // 0 outside, 1 just after "[" or "[^", 2 inside
  for (std::size_t i = 0; i < pattern.size();) {
    char c = pattern[i];
    if (width != 0 && pattern.substr(i, width) == escape) {
      i += width;
      if (i >= pattern.size()) {
        result += "\\";  // kept: the regular expression is refused as ending in a backslash
        break;
      }
      std::size_t w = utf8::width(pattern[i], pattern.size() - i);
      if (pattern[i] == '"' && bracket == 0) {
        result += quotes == 0 ? "){1,1}?(" : "){1,1}(?:";
        if (++quotes > 2) {
          throw SqlError(sqlstate::invalid_use_of_escape_character, "SQL regular expression may not contain more than two escape-double-quote separators");
        }
      } else {
        result += '\\';
        result += pattern.substr(i, w);
        if (bracket != 0) bracket = 2;
      }
      i += w;
      continue;
    }
    ++i;
    if (bracket != 0) {
      if (c == '\\') result += '\\';
      result += c;
      if (c == ']' && bracket == 2) bracket = 0;
      else if (c != '^' || bracket == 2) bracket = 2;
      continue;
    }
    switch (c) {
      case '[':
        result += c;
        bracket = 1;
        break;
      case '%': result += ".*"; break;
      case '_': result += '.'; break;
      case '(': result += "(?:"; break;
      case '\\': case '.': case '^': case '$':
        result += '\\';
        result += c;
        break;
      default: result += c;
    }
  }
  return result + ")$";
}
std::string similar_to_escape_1(std::string_view pattern) { return similar_to_regex(pattern, "\\"); }
std::string similar_to_escape_2(std::string_view pattern, std::string_view escape) { return similar_to_regex(pattern, escape); }
Datum similar_escape(FunctionCall& call) {
  if (call.arg_null(0)) return call.null();
  return varlena::make(call.arena(), similar_to_regex(call.text(0), call.arg_null(1) ? "\\" : call.text(1)));
}

constexpr BuiltinFunction kTable[] = {
    {Oid{850}, fn<text_like<false>>},
    {Oid{1569}, fn<text_like<false>>},
    {Oid{1631}, fn<text_like<false>>},
    {Oid{851}, fn<text_like<true>>},
    {Oid{1570}, fn<text_like<true>>},
    {Oid{1632}, fn<text_like<true>>},
    {Oid{858}, fn<name_like<false>>},
    {Oid{1571}, fn<name_like<false>>},
    {Oid{859}, fn<name_like<true>>},
    {Oid{1572}, fn<name_like<true>>},
    {Oid{2005}, fn<bytea_like<false>>},
    {Oid{2007}, fn<bytea_like<false>>},
    {Oid{2006}, fn<bytea_like<true>>},
    {Oid{2008}, fn<bytea_like<true>>},
    {Oid{1633}, fn<text_ilike<false>>},
    {Oid{1660}, fn<text_ilike<false>>},
    {Oid{1634}, fn<text_ilike<true>>},
    {Oid{1661}, fn<text_ilike<true>>},
    {Oid{1635}, fn<name_ilike<false>>},
    {Oid{1636}, fn<name_ilike<true>>},
    {Oid{1637}, fn<like_escape>},
    {Oid{2009}, fn<like_escape_bytea>},
    {Oid{1987}, fn<similar_to_escape_1>},
    {Oid{1986}, fn<similar_to_escape_2>},
    {Oid{1623}, fn<similar_escape>},
};

}  // namespace

std::span<const BuiltinFunction> like_functions() { return kTable; }

}  // namespace hathi::types
