#include "float_text.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "hathi/config/session_settings.h"
#include "errors.h"
#include "parse.h"

namespace hathi::types {

namespace {

template <class T>
bool parse_special(std::string_view s, T& value) {
  bool negative = false;
  if (!s.empty() && (s.front() == '+' || s.front() == '-')) {
    negative = s.front() == '-';
    s.remove_prefix(1);
    if (equals_ignoring_case(s, "nan")) return false;
  }
  if (equals_ignoring_case(s, "nan")) {
    value = std::numeric_limits<T>::quiet_NaN();
    return true;
  }
  if (!equals_ignoring_case(s, "infinity") && !equals_ignoring_case(s, "inf")) return false;
  value = negative ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
  return true;
}

template <class T>
T parse_float(std::string_view text, std::string_view type_name) {
  std::string_view s = trim_space(text);
  T value{};
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (error == std::errc() && end == s.data() + s.size() && std::isfinite(value)) return value;
  if (parse_special(s, value)) return value;
  // A sign of plus, hexadecimal notation, out of range: C's own reading decides.
  std::string copy(s);
  if (copy.empty() || is_alpha(copy.back()) == is_alpha(copy.front())) {
    std::size_t first = copy.find_first_of("0123456789");
    if (first == std::string::npos) throw_invalid_syntax(type_name, text);
  }
  errno = 0;
  char* stop = nullptr;
  if constexpr (sizeof(T) == 4) value = std::strtof(copy.c_str(), &stop);
  else value = std::strtod(copy.c_str(), &stop);
  if (stop != copy.c_str() + copy.size() || copy.find_first_of("0123456789") == std::string::npos) throw_invalid_syntax(type_name, text);
  if (errno == ERANGE && (value == 0 || std::isinf(value))) {
    throw SqlError(sqlstate::numeric_value_out_of_range, "\"{}\" is out of range for type {}", s, type_name);
  }
  return value;
}

// The decimal digits * 10^exponent lies exactly half way between v and a neighbour, so that reading it back depends on how ties are
// broken. v must be finite and positive.
template <class T>
bool is_half_way(T v, std::uint64_t digits, int exponent) {
  int binary_exponent;
  constexpr int kBits = std::numeric_limits<T>::digits;
  auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(v, &binary_exponent), kBits + 1));
  int shift = binary_exponent - (kBits + 1);  // v = mantissa * 2^shift with one spare bit
  constexpr int kLeast = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits - 1;
  if (shift < kLeast) {
    mantissa >>= kLeast - shift;
    shift = kLeast;
  }
  // Compare digits * 5^exponent * 2^exponent with (mantissa +- 1) * 2^shift.
  unsigned __int128 left = digits;
  unsigned __int128 scale = 1;
  for (int i = exponent < 0 ? -exponent : exponent; i > 0; --i) {
    scale *= 5;
    if (scale >> 90 != 0) return false;
  }
  if (exponent > 0) left *= scale;
  for (int side : {-1, 1}) {
    unsigned __int128 right = mantissa + static_cast<std::uint64_t>(static_cast<std::int64_t>(side));
    if (exponent < 0) {
      if (scale >> 70 != 0) return false;
      right *= scale;
    }
    unsigned __int128 l = left;
    int l_shift = exponent;
    int r_shift = shift;
    while (l != 0 && (l & 1) == 0) l >>= 1, ++l_shift;
    while (right != 0 && (right & 1) == 0) right >>= 1, ++r_shift;
    if (l == right && l_shift == r_shift) return true;
  }
  return false;
}

struct Decimal {
  char digits[20];
  int count = 0;
  int exponent = 0;  // of the first digit
  std::uint64_t value = 0;
};

Decimal split(const char* begin, const char* end) {
  Decimal d;
  const char* p = begin;
  for (; p != end && *p != 'e'; ++p) {
    if (*p == '.') continue;
    d.digits[d.count++] = *p;
    d.value = d.value * 10 + static_cast<std::uint64_t>(*p - '0');
  }
  ++p;
  if (*p == '+') ++p;
  std::from_chars(p, end, d.exponent);
  return d;
}

// The shortest digits strictly inside the rounding interval of v > 0.
template <class T>
Decimal shortest(T v) {
  char buffer[64];
  auto result = std::to_chars(buffer, buffer + sizeof buffer, v, std::chars_format::scientific);
  Decimal d = split(buffer, result.ptr);
  for (int precision = d.count; is_half_way(v, d.value, d.exponent - d.count + 1); ++precision) {
    result = std::to_chars(buffer, buffer + sizeof buffer, v, std::chars_format::scientific, precision - 1);
    T back{};
    std::from_chars(buffer, result.ptr, back);
    if (back == v) d = split(buffer, result.ptr);
  }
  return d;
}

template <class T>
std::string_view print_finite_shortest(T v, char* buffer) {
  constexpr int kDigits = std::numeric_limits<T>::digits10;  // 6 or 15
  char* p = buffer;
  if (std::signbit(v)) *p++ = '-';
  v = std::fabs(v);
  if (v == 0) {
    *p++ = '0';
    return {buffer, static_cast<std::size_t>(p - buffer)};
  }
  Decimal d = shortest(v);
  while (d.count > 1 && d.digits[d.count - 1] == '0') --d.count;
  if (d.exponent < -4 || d.exponent >= kDigits) {
    *p++ = d.digits[0];
    if (d.count > 1) {
      *p++ = '.';
      std::memcpy(p, d.digits + 1, static_cast<std::size_t>(d.count - 1));
      p += d.count - 1;
    }
    *p++ = 'e';
    *p++ = d.exponent < 0 ? '-' : '+';
    int e = std::abs(d.exponent);
    if (e < 10) *p++ = '0';
    p = std::to_chars(p, p + 8, e).ptr;
  } else if (d.exponent < 0) {
    *p++ = '0';
    *p++ = '.';
    for (int i = d.exponent + 1; i < 0; ++i) *p++ = '0';
    std::memcpy(p, d.digits, static_cast<std::size_t>(d.count));
    p += d.count;
  } else {
    for (int i = 0; i < d.count || i <= d.exponent; ++i) {
      if (i == d.exponent + 1) *p++ = '.';
      *p++ = i < d.count ? d.digits[i] : '0';
    }
  }
  return {buffer, static_cast<std::size_t>(p - buffer)};
}

template <class T>
std::string_view print_special(T v) {
  if (std::isnan(v)) return "NaN";
  return v > 0 ? "Infinity" : "-Infinity";
}

template <class T>
std::string_view print(T v, char* buffer) {
  if (!std::isfinite(v)) return print_special(v);
  if (config::values::extra_float_digits > 0) return print_finite_shortest(v, buffer);
  int digits = std::numeric_limits<T>::digits10 + config::values::extra_float_digits;
  int n = std::snprintf(buffer, kFloatBuffer, "%.*g", digits < 1 ? 1 : digits, static_cast<double>(v));
  return {buffer, static_cast<std::size_t>(n)};
}

}  // namespace

double parse_float8(std::string_view text, std::string_view type_name) { return parse_float<double>(text, type_name); }
float parse_float4(std::string_view text) { return parse_float<float>(text, "real"); }

std::string_view print_float(double v, char* buffer) { return print(v, buffer); }
std::string_view print_float(float v, char* buffer) { return print(v, buffer); }
std::string_view print_shortest(double v, char* buffer) {
  return std::isfinite(v) ? print_finite_shortest(v, buffer) : print_special(v);
}

}  // namespace hathi::types
