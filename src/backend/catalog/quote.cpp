#include "hathi/catalog/quote.h"

#include <algorithm>

#include "hathi/config/session_settings.h"
#include "hathi/error/sql_error.h"

namespace hathi::catalog {

namespace {

// Every key word of PostgreSQL 15 that cannot be used freely as a name, sorted.
constexpr std::string_view kReserved[] = {
    "all", "analyse", "analyze", "and", "any", "array", "as", "asc", "asymmetric", "authorization", "between", "bigint", "binary", "bit", "boolean",
    "both", "case", "cast", "char", "character", "check", "coalesce", "collate", "collation", "column", "concurrently", "constraint", "create", "cross",
    "current_catalog", "current_date", "current_role", "current_schema", "current_time", "current_timestamp", "current_user", "dec", "decimal",
    "default", "deferrable", "desc", "distinct", "do", "else", "end", "except", "exists", "extract", "false", "fetch", "float", "for", "foreign",
    "freeze", "from", "full", "grant", "greatest", "group", "grouping", "having", "ilike", "in", "initially", "inner", "inout", "int", "integer",
    "intersect", "interval", "into", "is", "isnull", "join", "lateral", "leading", "least", "left", "like", "limit", "localtime", "localtimestamp",
    "national", "natural", "nchar", "none", "normalize", "not", "notnull", "null", "nullif", "numeric", "offset", "on", "only", "or", "order", "out",
    "outer", "overlaps", "overlay", "placing", "position", "precision", "primary", "real", "references", "returning", "right", "row", "select",
    "session_user", "setof", "similar", "smallint", "some", "substring", "symmetric", "table", "tablesample", "then", "time", "timestamp", "to",
    "trailing", "treat", "trim", "true", "union", "unique", "user", "using", "values", "varchar", "variadic", "verbose", "when", "where", "window",
    "with"};
constexpr std::string_view kXmlWords[] = {"xmlattributes", "xmlconcat", "xmlelement", "xmlexists", "xmlforest", "xmlnamespaces",
                                                     "xmlparse", "xmlpi", "xmlroot", "xmlserialize", "xmltable"};
static_assert(std::ranges::is_sorted(kReserved) && std::ranges::is_sorted(kXmlWords));

bool is_plain_name(std::string_view name) {
  if (name.empty()) return false;
  auto lower = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  if (!lower(name[0])) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) { return lower(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

std::string quote_identifier(std::string_view name) {
  if (!config::values::quote_all_identifiers && is_plain_name(name) && !std::ranges::binary_search(kReserved, name) &&
      !std::ranges::binary_search(kXmlWords, name)) {
    return std::string(name);
  }
  std::string quoted = "\"";
  for (char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string quote_qualified(std::string_view schema, std::string_view name) {
  return schema.empty() ? quote_identifier(name) : quote_identifier(schema) + "." + quote_identifier(name);
}

std::string quote_literal(std::string_view text) {
  std::string quoted;
  if (text.find('\\') != std::string_view::npos) quoted += " E";
  quoted += '\'';
  for (char c : text) {
    if (c == '\'' || c == '\\') quoted += c;
    quoted += c;
  }
  return quoted + '\'';
}

namespace {

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// One or more identifiers between separators; nullopt when malformed or (without allow_empty) nothing is there.
std::optional<std::vector<std::string>> split_names(std::string_view text, char separator, bool allow_empty) {
  std::vector<std::string> names;
  std::size_t i = 0;
  auto skip_blanks = [&] { while (i < text.size() && is_blank(text[i])) ++i; };
  skip_blanks();
  if (i == text.size()) return allow_empty ? std::make_optional(names) : std::nullopt;
  while (true) {
    std::string name;
    if (text[i] == '"') {
      for (++i;; ++i) {
        if (i >= text.size()) return std::nullopt;
        if (text[i] == '"') {
          if (i + 1 >= text.size() || text[i + 1] != '"') break;
          ++i;
        }
        name += text[i];
      }
      ++i;
    } else {
      while (i < text.size() && text[i] != separator && !is_blank(text[i])) {
        char c = text[i++];
        name += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      }
      if (name.empty()) return std::nullopt;
    }
    names.push_back(std::string(truncate_name(name)));
    skip_blanks();
    if (i == text.size()) return names;
    if (text[i] != separator) return std::nullopt;
    ++i;
    skip_blanks();
    if (i == text.size()) return std::nullopt;
  }
}

}  // namespace

std::optional<std::vector<std::string>> split_identifiers(std::string_view text) { return split_names(text, ',', true); }

std::vector<std::string> parse_qualified_name(std::string_view text) {
  auto names = split_names(text, '.', false);
  if (!names) throw SqlError(sqlstate::invalid_name, "invalid name syntax");
  return *names;
}

std::string_view truncate_name(std::string_view name) {
  if (name.size() < 64) return name;
  std::size_t end = 63;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return name.substr(0, end);
}

}  // namespace hathi::catalog
