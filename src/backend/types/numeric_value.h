#pragma once
// numeric in memory (an integer coefficient and a scale) and as it is stored.
//
// Stored payload, little-endian 16-bit words, as PostgreSQL's:
//   special  1100…: NaN 0xC000, Infinity 0xD000, -Infinity 0xF000; nothing follows
//   short    10sd dddd dDww wwww: s sign, d… display scale 0..63, D sign of the weight, w weight; base-10000 digits follow
//   long     0s followed by 14 bits of display scale, then a word of weight; base-10000 digits follow
// The value is the sum of digit[i] * 10000^(weight - i). Leading and trailing zero digits are not stored.

#include <string>
#include <string_view>

#include "hathi/datum/datum.h"
#include "numeric_integer.h"

namespace hathi::types {

inline constexpr int kNumericMaxScale = 16383;          // of a stored value
inline constexpr int kNumericMaxDisplayScale = 1000;
inline constexpr int kNumericMaxResultScale = 2000;
inline constexpr int kNumericMinSignificant = 16;       // digits that division and functions give at least
inline constexpr int kNumericMaxWeight = 32767;

struct Numeric {
  enum class Kind : std::uint8_t { finite, nan, plus_infinity, minus_infinity };
  Kind kind = Kind::finite;
  int scale = 0;        // digits after the point, shown even when zero
  Integer value;        // the number times 10^scale

  static Numeric nan() { return {Kind::nan, 0, {}}; }
  static Numeric infinity(bool negative) { return {negative ? Kind::minus_infinity : Kind::plus_infinity, 0, {}}; }
  static Numeric of(std::int64_t v) { return {Kind::finite, 0, Integer(v)}; }
  bool is_nan() const { return kind == Kind::nan; }
  bool is_finite() const { return kind == Kind::finite; }
  bool is_infinite() const { return kind == Kind::plus_infinity || kind == Kind::minus_infinity; }
  // -1, 0, 1; NaN has none.
  int sign() const { return kind == Kind::finite ? value.sign() : kind == Kind::minus_infinity ? -1 : 1; }
};

Numeric load_numeric(Datum stored, Arena& arena);
Numeric load_numeric(std::string_view payload);
// 22003 "value overflows numeric format" when weight or scale are out of range.
Datum store_numeric(const Numeric& v, Arena& arena);

// Text as numeric_in reads and numeric_out writes it. Errors: 22P02, 22003.
Numeric parse_numeric(std::string_view text);
std::string print_numeric(const Numeric& v);
// The value with another scale: rounded half away from zero, or cut.
Numeric round_numeric(const Numeric& v, int scale);
Numeric truncate_numeric(const Numeric& v, int scale);
// Fits it to numeric(precision, scale); typmod < 4 = any. 22003 "numeric field overflow".
void apply_numeric_typmod(Numeric& v, std::int32_t typmod);

// Total order: NaN is above Infinity and equal to itself.
int compare_numeric(const Numeric& a, const Numeric& b);
int compare_stored_numeric(std::string_view a, std::string_view b);

Numeric add_numeric(const Numeric& a, const Numeric& b);
Numeric subtract_numeric(const Numeric& a, const Numeric& b);
Numeric multiply_numeric(const Numeric& a, const Numeric& b);
// The scale by which a / b has 16 significant digits at least.
int division_scale(const Numeric& a, const Numeric& b);
Numeric divide_numeric(const Numeric& a, const Numeric& b, int scale);
Numeric square_root_numeric(const Numeric& v, int scale);

// Position of the first non-zero base-10000 digit, and that digit; {0, 0} for zero.
struct LeadingDigit {
  int weight = 0;
  int digit = 0;
};
LeadingDigit leading_digit(const Numeric& v);

double numeric_to_double(const Numeric& v);       // 22003 when out of range
// Fifteen significant digits, as PostgreSQL's cast from float8; 6 for float4.
Numeric numeric_from_double(double v, int digits);
[[noreturn]] void throw_numeric_overflow();

}  // namespace hathi::types
