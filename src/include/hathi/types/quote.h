#pragma once
// Names and texts as SQL.

#include <string>
#include <string_view>

namespace hathi::types {

// The name, in double quotes when it needs them (upper case, special characters, reserved words).
std::string quote_identifier(std::string_view name);
// schema.name; an empty schema is left out.
std::string quote_qualified_identifier(std::string_view schema, std::string_view name);
// A string constant: 'text', or E'te\\xt' when it has backslashes.
std::string quote_literal_text(std::string_view text);

}  // namespace hathi::types
