#pragma once
// Reading and printing float4 and float8.

#include <string_view>

namespace hathi::types {

// PostgreSQL's float input: surrounding blanks, C notation, inf/infinity/nan in any case. 22P02, 22003.
double parse_float8(std::string_view text, std::string_view type_name = "double precision");
float parse_float4(std::string_view text);

inline constexpr std::size_t kFloatBuffer = 400;
// Text by the setting extra_float_digits into a buffer of kFloatBuffer bytes; returns the view on it (not NUL-terminated).
std::string_view print_float(double v, char* buffer);
std::string_view print_float(float v, char* buffer);
// Always the shortest digits that read back as the same value, whatever the setting.
std::string_view print_shortest(double v, char* buffer);

}  // namespace hathi::types
