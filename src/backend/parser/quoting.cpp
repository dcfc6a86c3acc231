// Names and literals from and to SQL text.

#include "char_class.h"
#include "hathi/parser/parser.h"
#include "token.h"

namespace hathi::parser {

std::string_view truncate_identifier(std::string_view name) {
  constexpr std::size_t kLimit = 63;
  if (name.size() <= kLimit) return name;
  std::size_t n = kLimit;
  while (n > 0 && (static_cast<unsigned char>(name[n]) & 0xC0) == 0x80) --n;
  return name.substr(0, n);
}

std::string quote_identifier(std::string_view name) {
  bool safe = !name.empty() && ((name[0] >= 'a' && name[0] <= 'z') || name[0] == '_');
  for (char c : name) safe = safe && ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_');
  if (safe) {
    const Tok t = find_keyword(name.data(), name.size());
    safe = t == Tok::identifier || (has_flag(t, kMayBeColumn) && has_flag(t, kMayBeFunction));
  }
  if (safe) return std::string(name);
  std::string text = "\"";
  for (char c : name) {
    if (c == '"') text += '"';
    text += c;
  }
  return text += '"';
}

std::string quote_qualified(std::string_view qualifier, std::string_view name) {
  return qualifier.empty() ? quote_identifier(name) : quote_identifier(qualifier) + "." + quote_identifier(name);
}

std::string quote_literal(std::string_view value) {
  std::string text = value.find('\\') == std::string_view::npos ? "'" : "E'";
  for (char c : value) {
    if (c == '\'' || c == '\\') text += c;
    text += c;
  }
  return text += '\'';
}

QualifiedName parse_qualified_name(std::string_view text, Arena& arena) {
  auto fail = []() -> QualifiedName { throw SqlError(sqlstate::invalid_name, "invalid name syntax"); };
  QualifiedName names;
  std::size_t i = 0;
  auto skip = [&] {
    while (i < text.size() && is_class(text[i], kSpace)) ++i;
  };
  skip();
  if (i == text.size()) return fail();
  for (;;) {
    std::string name;
    if (text[i] == '"') {
      ++i;
      for (;;) {
        if (i == text.size()) return fail();
        if (text[i] == '"') {
          if (i + 1 == text.size() || text[i + 1] != '"') break;
          ++i;
        }
        name += text[i++];
      }
      ++i;
    } else {
      while (i < text.size() && text[i] != '.' && !is_class(text[i], kSpace)) {
        const char c = text[i++];
        name += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      }
    }
    if (name.empty()) return fail();
    names.push_back(arena, arena.copy(truncate_identifier(name)));
    skip();
    if (i == text.size()) return names;
    if (text[i] != '.') return fail();
    ++i;
    skip();
    if (i == text.size()) return fail();
  }
}

}  // namespace hathi::parser
