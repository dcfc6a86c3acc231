#pragma once
// Text forms of binary data.

#include <string>
#include <string_view>

namespace hathi::types {

std::string to_hex_text(std::string_view bytes);
// Pairs of digits, blanks allowed between pairs. 22023.
std::string from_hex_text(std::string_view text);
// bytea's escape format: backslash doubled, bytes outside ASCII as \ooo.
std::string to_escape_text(std::string_view bytes);
// 22P02 invalid input syntax for type bytea.
std::string from_escape_text(std::string_view text);

}  // namespace hathi::types
