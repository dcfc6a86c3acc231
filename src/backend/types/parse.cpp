#include "parse.h"

namespace hathi::types {

namespace {

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (is_alpha(c)) return to_lower_ascii(c) - 'a' + 10;
  return 99;
}

}  // namespace

UnsignedScan scan_unsigned(std::string_view text, int base) {
  UnsignedScan scan;
  std::size_t i = 0;
  while (i < text.size() && is_space(text[i])) ++i;
  bool negative = false;
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) negative = text[i++] == '-';
  if (base == 0) {
    base = 10;
    if (i < text.size() && text[i] == '0') {
      base = 8;
      if (i + 2 < text.size() && to_lower_ascii(text[i + 1]) == 'x' && digit_value(text[i + 2]) < 16) {
        base = 16;
        i += 2;
      }
    }
  }
  std::size_t first = i;
  for (; i < text.size() && digit_value(text[i]) < base; ++i) {
    scan.overflow = scan.overflow || __builtin_mul_overflow(scan.value, static_cast<std::uint64_t>(base), &scan.value) ||
                    __builtin_add_overflow(scan.value, static_cast<std::uint64_t>(digit_value(text[i])), &scan.value);
  }
  if (i == first) return {};
  scan.used = i;
  if (scan.overflow) scan.value = ~std::uint64_t{0};
  else if (negative) scan.value = ~scan.value + 1;
  return scan;
}

}  // namespace hathi::types
