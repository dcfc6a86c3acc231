#pragma once
// Errors that several types share.

#include <cstdint>
#include <string_view>

#include "hathi/error/sql_error.h"

namespace hathi::types {

template <class T> inline constexpr std::string_view kTypeName = "";
template <> inline constexpr std::string_view kTypeName<std::int16_t> = "smallint";
template <> inline constexpr std::string_view kTypeName<std::int32_t> = "integer";
template <> inline constexpr std::string_view kTypeName<std::int64_t> = "bigint";
template <> inline constexpr std::string_view kTypeName<float> = "real";
template <> inline constexpr std::string_view kTypeName<double> = "double precision";

// 22003 "integer out of range".
template <class T>
[[noreturn, gnu::cold, gnu::noinline]] void throw_out_of_range() {
  throw SqlError(sqlstate::numeric_value_out_of_range, "{} out of range", kTypeName<T>);
}
[[noreturn]] void throw_division_by_zero();
// 22P02 "invalid input syntax for type <type>: "<text>"".
[[noreturn]] void throw_invalid_syntax(std::string_view type, std::string_view text);
// 22003 "value "<text>" is out of range for type <type>".
[[noreturn]] void throw_value_out_of_range(std::string_view type, std::string_view text);
[[noreturn]] void throw_float_overflow();
[[noreturn]] void throw_float_underflow();
// 22023 with this message.
[[noreturn]] void throw_invalid_parameter(std::string_view message);

}  // namespace hathi::types
