#pragma once
// Small scanners for input functions.

#include <cstdint>
#include <limits>
#include <string_view>

#include "errors.h"

namespace hathi::types {

// The blanks of C's isspace, whatever the locale.
constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr char to_lower_ascii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
constexpr char to_upper_ascii(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

constexpr std::string_view trim_space(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

constexpr bool equals_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (to_lower_ascii(a[i]) != to_lower_ascii(b[i])) return false;
  }
  return true;
}

// A decimal integer with optional sign and surrounding blanks. Errors name the SQL type: 22P02, 22003.
template <class T>
T parse_integer(std::string_view text, std::string_view type = kTypeName<T>) {
  std::string_view s = trim_space(text);
  bool negative = false;
  if (!s.empty() && (s.front() == '-' || s.front() == '+')) {
    negative = s.front() == '-';
    s.remove_prefix(1);
  }
  if (s.empty()) throw_invalid_syntax(type, text);
  T value = 0;  // accumulated as a negative number, which has the larger range
  bool overflow = false;
  for (char c : s) {
    if (!is_digit(c)) throw_invalid_syntax(type, text);
    overflow = overflow || __builtin_mul_overflow(value, T{10}, &value) || __builtin_sub_overflow(value, static_cast<T>(c - '0'), &value);
  }
  if (overflow || (!negative && value == std::numeric_limits<T>::min())) throw_value_out_of_range(type, text);
  return negative ? value : static_cast<T>(-value);
}

// PostgreSQL's reading of unsigned identifiers (oid, xid): C's strtoul, base 10 or by prefix; a minus sign wraps.
struct UnsignedScan {
  std::uint64_t value = 0;
  std::size_t used = 0;   // characters consumed, 0 = no number there
  bool overflow = false;  // of 64 bits
};
UnsignedScan scan_unsigned(std::string_view text, int base);

}  // namespace hathi::types
