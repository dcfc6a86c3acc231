#pragma once
// Values of the options that statements take (name [=] value).

#include <string>
#include <string_view>

#include "hathi/parser/ast_statement.h"

namespace hathi::ddl {

// true, false, on, off, 1, 0; without a value true. 42601 "x requires a Boolean value".
bool option_boolean(const parser::Option& option);
// 42601 "x requires an integer value".
int option_integer(const parser::Option& option);
// 42601 "conflicting or redundant options" at the option.
[[noreturn]] void throw_conflicting(const parser::Option& option);
// Stores the option unless its place is taken (throw_conflicting).
void take_option(const parser::Option*& place, const parser::Option& option);
// The character (from 1) of a byte offset into the text, as notices carry it.
int character_position(std::string_view text, int byte_offset);

}  // namespace hathi::ddl
