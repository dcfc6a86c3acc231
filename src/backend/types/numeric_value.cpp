#include "numeric_value.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "errors.h"
#include "float_text.h"
#include "parse.h"

namespace hathi::types {

namespace {

constexpr unsigned kSpecial = 0xC000, kNan = 0xC000, kPlusInfinity = 0xD000, kMinusInfinity = 0xF000;

// What a payload's header says; digits are read with digit().
struct Stored {
  Numeric::Kind kind = Numeric::Kind::finite;
  bool negative = false;
  int scale = 0;
  int weight = 0;
  const char* digits = nullptr;
  int count = 0;

  explicit Stored(std::string_view payload) {
    std::uint16_t header = word(payload.data());
    if ((header & kSpecial) == kSpecial) {
      unsigned special = header & 0xF000;
      kind = special == kNan ? Numeric::Kind::nan : special == kPlusInfinity ? Numeric::Kind::plus_infinity : Numeric::Kind::minus_infinity;
      return;
    }
    std::size_t header_size = 2;
    if ((header & 0x8000) != 0) {
      negative = (header & 0x2000) != 0;
      scale = (header & 0x1F80) >> 7;
      weight = (header & 0x0040) != 0 ? static_cast<int>(header & 0x3F) - 64 : static_cast<int>(header & 0x3F);
    } else {
      negative = (header & 0x4000) != 0;
      scale = header & 0x3FFF;
      weight = static_cast<std::int16_t>(word(payload.data() + 2));
      header_size = 4;
    }
    digits = payload.data() + header_size;
    count = static_cast<int>((payload.size() - header_size) / 2);
  }
  static std::uint16_t word(const char* p) {
    std::uint16_t w;
    std::memcpy(&w, p, 2);
    return w;
  }
  int digit(int i) const { return static_cast<std::int16_t>(word(digits + 2 * i)); }
  int sign() const {
    if (kind == Numeric::Kind::nan) return 3;
    if (kind == Numeric::Kind::plus_infinity) return 2;
    if (kind == Numeric::Kind::minus_infinity) return -2;
    return count == 0 ? 0 : negative ? -1 : 1;
  }
};

int floor_div4(int n) { return n >= 0 ? n / 4 : -((3 - n) / 4); }

}  // namespace

void throw_numeric_overflow() { throw SqlError(sqlstate::numeric_value_out_of_range, "value overflows numeric format"); }

Numeric load_numeric(std::string_view payload) {
  Stored s(payload);
  Numeric v;
  v.kind = s.kind;
  if (s.kind != Numeric::Kind::finite || s.count == 0) {
    v.scale = s.scale;
    return v;
  }
  v.scale = s.scale;
  int after_point = (s.count - 1 - s.weight) * 4;  // decimal digits after the point that are stored; may be negative
  Integer value;
  if (s.count <= 9) {
    Int128 n = 0;
    if (s.count <= 4) {
      std::int64_t small = 0;
      for (int i = 0; i < s.count; ++i) small = small * 10000 + s.digit(i);
      n = small;
    } else {
      for (int i = 0; i < s.count; ++i) n = n * 10000 + s.digit(i);
    }
    value = Integer(n);
  } else {
    std::string text(static_cast<std::size_t>(s.count) * 4, '0');
    for (int i = 0; i < s.count; ++i) {
      int d = s.digit(i);
      for (int k = 3; k >= 0; --k, d /= 10) text[static_cast<std::size_t>(i * 4 + k)] = static_cast<char>('0' + d % 10);
    }
    value = Integer::from_digits(text);
  }
  if (s.scale >= after_point) value = value.times_power_of_ten(s.scale - after_point);
  else value = value.truncated_by(after_point - s.scale);
  v.value = s.negative ? -value : std::move(value);
  return v;
}

Numeric load_numeric(Datum stored, Arena& arena) { return load_numeric(varlena::text(stored, arena)); }

namespace {

Datum store_words(Arena& arena, bool negative, int scale, int weight, const std::int16_t* digits, int count) {
  if (count == 0) {
    weight = 0;
    negative = false;
  }
  if (weight > kNumericMaxWeight || weight < -kNumericMaxWeight || scale > kNumericMaxScale) throw_numeric_overflow();
  bool is_short = scale <= 63 && weight <= 63 && weight >= -64;
  std::size_t header_size = is_short ? 2 : 4;
  std::byte* base = varlena::allocate(arena, header_size + static_cast<std::size_t>(count) * 2);
  std::byte* p = base + 4;
  std::uint16_t header;
  if (is_short) {
    header = static_cast<std::uint16_t>(0x8000u | (negative ? 0x2000u : 0u) | static_cast<unsigned>(scale) << 7 | (weight < 0 ? 0x40u : 0u) |
                                        (static_cast<unsigned>(weight) & 0x3Fu));
    std::memcpy(p, &header, 2);
  } else {
    header = static_cast<std::uint16_t>((negative ? 0x4000u : 0u) | static_cast<unsigned>(scale));
    auto w = static_cast<std::int16_t>(weight);
    std::memcpy(p, &header, 2);
    std::memcpy(p + 2, &w, 2);
  }
  std::memcpy(p + header_size, digits, static_cast<std::size_t>(count) * 2);
  return Datum::of(static_cast<const void*>(base));
}

Datum store_special(Arena& arena, unsigned header) {
  std::byte* base = varlena::allocate(arena, 2);
  auto word = static_cast<std::uint16_t>(header);
  std::memcpy(base + 4, &word, 2);
  return Datum::of(static_cast<const void*>(base));
}

Datum store_digits(Arena& arena, bool negative, int scale, std::int16_t* digits, int count, int weight) {
  while (count > 0 && digits[count - 1] == 0) --count;
  while (count > 0 && digits[0] == 0) ++digits, --count, --weight;
  return store_words(arena, negative, scale, weight, digits, count);
}

}  // namespace

Datum store_numeric(const Numeric& v, Arena& arena) {
  switch (v.kind) {
    case Numeric::Kind::nan: return store_special(arena, kNan);
    case Numeric::Kind::plus_infinity: return store_special(arena, kPlusInfinity);
    case Numeric::Kind::minus_infinity: return store_special(arena, kMinusInfinity);
    case Numeric::Kind::finite: break;
  }
  if (v.scale > kNumericMaxScale) throw_numeric_overflow();
  int groups_after = (v.scale + 3) / 4;
  int padding = groups_after * 4 - v.scale;
  bool negative = v.value.sign() < 0;
  Int128 shifted;
  if (v.value.is_small() && !__builtin_mul_overflow(v.value.small(), Integer::power_of_ten(padding).small(), &shifted)) {
    UInt128 m = shifted < 0 ? UInt128{0} - static_cast<UInt128>(shifted) : static_cast<UInt128>(shifted);
    std::int16_t digits[12];
    int at = 12;
    constexpr std::uint64_t kChunk = 10000000000000000ull;  // four digits of base 10000
    while (m > ~std::uint64_t{0}) {
      auto low = static_cast<std::uint64_t>(m % kChunk);
      m /= kChunk;
      for (int i = 0; i < 4; ++i, low /= 10000) digits[--at] = static_cast<std::int16_t>(low % 10000);
    }
    for (auto rest = static_cast<std::uint64_t>(m); rest != 0; rest /= 10000) digits[--at] = static_cast<std::int16_t>(rest % 10000);
    return store_digits(arena, negative, v.scale, digits + at, 12 - at, 12 - at - 1 - groups_after);
  }
  std::string text = v.value.magnitude_digits();
  text.append(static_cast<std::size_t>(padding), '0');
  std::size_t lead = (4 - text.size() % 4) % 4;
  text.insert(0, lead, '0');
  std::vector<std::int16_t> digits(text.size() / 4);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    digits[i] = static_cast<std::int16_t>((text[4 * i] - '0') * 1000 + (text[4 * i + 1] - '0') * 100 + (text[4 * i + 2] - '0') * 10 + (text[4 * i + 3] - '0'));
  }
  return store_digits(arena, negative, v.scale, digits.data(), static_cast<int>(digits.size()), static_cast<int>(digits.size()) - 1 - groups_after);
}

// --- text -----------------------------------------------------------------------------------------------------------------
namespace {

bool parse_special(std::string_view s, Numeric& v) {
  if (equals_ignoring_case(s, "nan")) {
    v = Numeric::nan();
    return true;
  }
  bool negative = false;
  if (!s.empty() && (s[0] == '-' || s[0] == '+')) {
    negative = s[0] == '-';
    s.remove_prefix(1);
  }
  if (!equals_ignoring_case(s, "infinity") && !equals_ignoring_case(s, "inf")) return false;
  v = Numeric::infinity(negative);
  return true;
}

}  // namespace

Numeric parse_numeric(std::string_view text) {
  std::string_view s = trim_space(text);
  Numeric v;
  if (!s.empty() && is_alpha(s.back()) && parse_special(s, v)) return v;
  std::size_t i = 0;
  bool negative = false;
  if (i < s.size() && (s[i] == '-' || s[i] == '+')) negative = s[i++] == '-';
  std::size_t first = i;
  while (i < s.size() && is_digit(s[i])) ++i;
  std::string_view whole = s.substr(first, i - first);
  std::string_view fraction;
  if (i < s.size() && s[i] == '.') {
    std::size_t start = ++i;
    while (i < s.size() && is_digit(s[i])) ++i;
    fraction = s.substr(start, i - start);
  }
  if (whole.empty() && fraction.empty()) throw_invalid_syntax("numeric", text);
  std::int64_t exponent = 0;
  if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
    ++i;
    bool minus = false;
    if (i < s.size() && (s[i] == '-' || s[i] == '+')) minus = s[i++] == '-';
    if (i >= s.size() || !is_digit(s[i])) throw_invalid_syntax("numeric", text);
    for (; i < s.size() && is_digit(s[i]); ++i) exponent = std::min<std::int64_t>(exponent * 10 + (s[i] - '0'), 1073741824);
    if (minus) exponent = -exponent;
  }
  if (i != s.size()) throw_invalid_syntax("numeric", text);
  if (exponent >= 1073741823 || exponent <= -1073741823) throw_numeric_overflow();
  std::int64_t scale = static_cast<std::int64_t>(fraction.size()) - exponent;
  if (scale > kNumericMaxScale) throw_numeric_overflow();
  while (!whole.empty() && whole[0] == '0') whole.remove_prefix(1);
  if (whole.size() + fraction.size() <= 18) {
    std::int64_t n = 0;
    for (char c : whole) n = n * 10 + (c - '0');
    for (char c : fraction) n = n * 10 + (c - '0');
    v.value = Integer(negative ? -n : n);
  } else {
    Integer n = Integer::from_digits(std::string(whole).append(fraction));
    v.value = negative ? -n : std::move(n);
  }
  if (scale < 0) {
    if (!v.value.is_zero()) {
      if (-scale > (kNumericMaxWeight + 2) * 4) throw_numeric_overflow();
      v.value = v.value.times_power_of_ten(static_cast<int>(-scale));
    }
    scale = 0;
  }
  v.scale = static_cast<int>(scale);
  if (leading_digit(v).weight > kNumericMaxWeight) throw_numeric_overflow();
  return v;
}

std::string print_numeric(const Numeric& v) {
  switch (v.kind) {
    case Numeric::Kind::nan: return "NaN";
    case Numeric::Kind::plus_infinity: return "Infinity";
    case Numeric::Kind::minus_infinity: return "-Infinity";
    case Numeric::Kind::finite: break;
  }
  std::string digits = v.value.magnitude_digits();
  auto scale = static_cast<std::size_t>(v.scale);
  if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
  if (scale > 0) digits.insert(digits.size() - scale, 1, '.');
  if (v.value.sign() < 0) digits.insert(0, 1, '-');
  return digits;
}

Numeric round_numeric(const Numeric& v, int scale) {
  if (!v.is_finite()) return v;
  Numeric r{Numeric::Kind::finite, std::max(scale, 0), {}};
  if (scale >= v.scale) {
    r.value = v.value.times_power_of_ten(scale - v.scale);
    return r;
  }
  r.value = v.value.rounded_by(v.scale - scale);
  if (scale < 0) r.value = r.value.times_power_of_ten(-scale);
  return r;
}

Numeric truncate_numeric(const Numeric& v, int scale) {
  if (!v.is_finite()) return v;
  Numeric r{Numeric::Kind::finite, std::max(scale, 0), {}};
  if (scale >= v.scale) {
    r.value = v.value.times_power_of_ten(scale - v.scale);
    return r;
  }
  r.value = v.value.truncated_by(v.scale - scale);
  if (scale < 0) r.value = r.value.times_power_of_ten(-scale);
  return r;
}

void apply_numeric_typmod(Numeric& v, std::int32_t typmod) {
  if (typmod < 4 || v.is_nan()) return;
  int precision = (typmod - 4) >> 16 & 0xFFFF;
  int scale = (((typmod - 4) & 0x7FF) ^ 1024) - 1024;
  if (v.is_infinite()) {
    throw SqlError(sqlstate::numeric_value_out_of_range, "numeric field overflow")
        .detail(fmt::format("A field with precision {}, scale {} cannot hold an infinite value.", precision, scale));
  }
  v = round_numeric(v, scale);
  int allowed = precision - scale;
  int whole_digits = v.value.digit_count() - v.scale;
  if (!v.value.is_zero() && whole_digits > allowed) {
    throw SqlError(sqlstate::numeric_value_out_of_range, "numeric field overflow")
        .detail(fmt::format("A field with precision {}, scale {} must round to an absolute value less than {}.", precision, scale,
                            allowed == 0 ? std::string("1") : fmt::format("10^{}", allowed)));
  }
}

// --- comparison -------------------------------------------------------------------------------------------------------------
namespace {
int order_of_kind(const Numeric& v) {
  switch (v.kind) {
    case Numeric::Kind::minus_infinity: return -1;
    case Numeric::Kind::finite: return 0;
    case Numeric::Kind::plus_infinity: return 1;
    case Numeric::Kind::nan: break;
  }
  return 2;
}
}  // namespace

int compare_numeric(const Numeric& a, const Numeric& b) {
  int ka = order_of_kind(a);
  int kb = order_of_kind(b);
  if (ka != 0 || kb != 0) return (ka > kb) - (ka < kb);
  std::strong_ordering order = a.scale == b.scale  ? a.value <=> b.value
                               : a.scale < b.scale ? a.value.times_power_of_ten(b.scale - a.scale) <=> b.value
                                                   : a.value <=> b.value.times_power_of_ten(a.scale - b.scale);
  return order < 0 ? -1 : order > 0;
}

int compare_stored_numeric(std::string_view left, std::string_view right) {
  Stored a(left);
  Stored b(right);
  int sa = a.sign();
  int sb = b.sign();
  if (sa != sb) return sa < sb ? -1 : 1;
  if (sa == 0 || a.kind != Numeric::Kind::finite) return 0;
  int magnitude = (a.weight > b.weight) - (a.weight < b.weight);
  for (int i = 0; magnitude == 0 && i < std::max(a.count, b.count); ++i) {
    int da = i < a.count ? a.digit(i) : 0;
    int db = i < b.count ? b.digit(i) : 0;
    magnitude = (da > db) - (da < db);
  }
  return sa * magnitude;
}

// --- arithmetic -------------------------------------------------------------------------------------------------------------
Numeric add_numeric(const Numeric& a, const Numeric& b) {
  if (!a.is_finite() || !b.is_finite()) {
    if (a.is_nan() || b.is_nan()) return Numeric::nan();
    if (a.is_infinite() && b.is_infinite() && a.kind != b.kind) return Numeric::nan();
    return a.is_infinite() ? a : b;
  }
  if (a.scale == b.scale) return {Numeric::Kind::finite, a.scale, a.value + b.value};
  if (a.scale < b.scale) return {Numeric::Kind::finite, b.scale, a.value.times_power_of_ten(b.scale - a.scale) + b.value};
  return {Numeric::Kind::finite, a.scale, a.value + b.value.times_power_of_ten(a.scale - b.scale)};
}

Numeric subtract_numeric(const Numeric& a, const Numeric& b) {
  if (!b.is_finite()) return add_numeric(a, b.is_nan() ? b : Numeric::infinity(b.kind == Numeric::Kind::plus_infinity));
  return add_numeric(a, {Numeric::Kind::finite, b.scale, -b.value});
}

Numeric multiply_numeric(const Numeric& a, const Numeric& b) {
  if (!a.is_finite() || !b.is_finite()) {
    if (a.is_nan() || b.is_nan() || a.sign() == 0 || b.sign() == 0) return Numeric::nan();
    return Numeric::infinity(a.sign() != b.sign());
  }
  Numeric r{Numeric::Kind::finite, a.scale + b.scale, a.value * b.value};
  return r.scale > kNumericMaxScale ? round_numeric(r, kNumericMaxScale) : r;
}

LeadingDigit leading_digit(const Numeric& v) {
  int digits = v.value.digit_count();
  if (digits == 0) return {};
  int weight = floor_div4(digits - 1 - v.scale);
  int drop = 4 * weight + v.scale;
  Integer first = drop >= 0 ? v.value.magnitude().truncated_by(drop) : v.value.magnitude().times_power_of_ten(-drop);
  return {weight, static_cast<int>(first.small())};
}

int division_scale(const Numeric& a, const Numeric& b) {
  LeadingDigit x = leading_digit(a);
  LeadingDigit y = leading_digit(b);
  int weight = x.weight - y.weight;
  if (x.digit <= y.digit) --weight;
  return std::clamp(std::max({kNumericMinSignificant - weight * 4, a.scale, b.scale}), 0, kNumericMaxDisplayScale);
}

Numeric divide_numeric(const Numeric& a, const Numeric& b, int scale) {
  int shift = scale + b.scale - a.scale;  // of the numerator
  Integer numerator = shift > 0 ? a.value.times_power_of_ten(shift) : a.value;
  Integer denominator = shift < 0 ? b.value.times_power_of_ten(-shift) : b.value;
  return {Numeric::Kind::finite, scale, Integer::divide_rounded(numerator, denominator)};
}

Numeric square_root_numeric(const Numeric& v, int scale) {
  // floor(sqrt) with one digit more, then rounded: exact, since a digit of 5 there means the root is above the half.
  int shift = 2 * (scale + 1) - v.scale;
  Integer scaled = shift >= 0 ? v.value.times_power_of_ten(shift) : v.value.truncated_by(-shift);
  return {Numeric::Kind::finite, scale, scaled.square_root().rounded_by(1)};
}

double numeric_to_double(const Numeric& v) {
  switch (v.kind) {
    case Numeric::Kind::nan: return NAN;
    case Numeric::Kind::plus_infinity: return INFINITY;
    case Numeric::Kind::minus_infinity: return -INFINITY;
    case Numeric::Kind::finite: break;
  }
  std::int64_t n;
  if (v.scale <= 22 && v.value.to_int64(n) && n < (std::int64_t{1} << 53) && n > -(std::int64_t{1} << 53)) {
    // Both exact in a double, so the quotient is correctly rounded.
    static constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                         1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    return static_cast<double>(n) / kPowers[v.scale];
  }
  return parse_float8(print_numeric(v));
}

Numeric numeric_from_double(double v, int digits) {
  if (std::isnan(v)) return Numeric::nan();
  if (std::isinf(v)) return Numeric::infinity(v < 0);
  char buffer[64];
  int n = std::snprintf(buffer, sizeof buffer, "%.*g", digits, v);
  return parse_numeric({buffer, static_cast<std::size_t>(n)});
}

}  // namespace hathi::types
