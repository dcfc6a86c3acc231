#pragma once
// Names and literals as SQL text.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hathi::catalog {

// The name, in double quotes when it would not read back as itself (key words, capitals, setting quote_all_identifiers).
std::string quote_identifier(std::string_view name);
// schema.name, or name alone when schema is empty.
std::string quote_qualified(std::string_view schema, std::string_view name);
// 'text', in E'' form when it has backslashes.
std::string quote_literal(std::string_view text);
// A comma-separated list of identifiers (search_path and the like): unquoted ones folded to lower case. nullopt: malformed.
std::optional<std::vector<std::string>> split_identifiers(std::string_view text);
// A dotted name as functions take it ('schema."Name"'): at least one part. Error 42602 "invalid name syntax".
std::vector<std::string> parse_qualified_name(std::string_view text);
// At most 63 bytes, cut at a character.
std::string_view truncate_name(std::string_view name);

}  // namespace hathi::catalog
