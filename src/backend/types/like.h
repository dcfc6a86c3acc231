#pragma once
// Pattern matching with LIKE, and SIMILAR TO's translation to a regular expression.

#include <optional>
#include <string>
#include <string_view>

namespace hathi::types {

// Does the whole text match? % = any characters, _ = one character (one byte for bytea), backslash quotes the next.
// 22025 when the pattern ends in a backslash that the matching reaches.
bool like_match(std::string_view text, std::string_view pattern, bool bytes = false);

}  // namespace hathi::types
