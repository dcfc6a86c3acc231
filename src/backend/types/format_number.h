#pragma once
// Number patterns of to_char() and to_number().

#include <string>
#include <string_view>
#include <vector>

namespace hathi::types {

struct NumberPattern {
  enum class Kind : std::uint8_t { nine, zero, point, comma, group, currency, minus, plus, sign, roman, ordinal, ignored, text };
  struct Item {
    Kind kind;
    bool lower = false;     // roman, ordinal in lower case; point and group by locale when false
    std::string text;
  };
  std::vector<Item> items;
  int pre = 0, post = 0;    // digits before and after the point
  int shift = 0;            // digits after V
  int first_zero = -1;      // digit position of the first 0 before the point, -1 = none
  int zero_end = 0;         // digit positions up to here are shown by 0s
  enum class SignPlace : std::uint8_t { none, before, after } sign_place = SignPlace::none;  // S
  int digits_before_sign = 0;
  bool fill = false, has_point = false, has_shift = false, brackets = false, has_minus = false, has_plus = false, is_roman = false, scientific = false;
};
// Errors 42601 as PostgreSQL words them. Kept for the next call with the same text.
const NumberPattern& number_pattern(std::string_view text);

// A number as decimal text: digits before the point, digits after it (exactly pattern.post or fewer), the sign.
struct NumberText {
  std::string whole, fraction;
  int post = 0;          // digits that were to come after the point: shown as # when the number does not fit
  bool negative = false;
};
std::string format_number(const NumberPattern& pattern, const NumberText& number);
// 485 -> CDLXXXV; 15 # when out of 1..3999.
std::string roman_numeral(int value);
// "st", "nd", "rd", "th" for a number's text.
std::string_view ordinal_suffix(std::string_view digits, bool upper);

}  // namespace hathi::types
