// Sizes as people write them: pg_size_pretty, pg_size_bytes.

#include <algorithm>

#include "adapter.h"
#include "errors.h"
#include "numeric_codec.h"
#include "parse.h"
#include "tables.h"

namespace hathi::types {

namespace {

struct SizeUnit {
  std::string_view name;
  std::int64_t limit;  // from this magnitude on the next unit is taken; from the second unit on a binary digit is kept for rounding
  bool round;
  int bits;
};
constexpr SizeUnit kUnits[] = {{"bytes", 10 * 1024, false, 0},    {"kB", 20 * 1024 - 1, true, 10}, {"MB", 20 * 1024 - 1, true, 20},
                               {"GB", 20 * 1024 - 1, true, 30}, {"TB", 20 * 1024 - 1, true, 40}, {"PB", 20 * 1024 - 1, true, 50}};

// How far to shift for the unit after this one.
int shift_after(std::size_t i) { return kUnits[i + 1].bits - kUnits[i].bits - 1 + (kUnits[i].round ? 1 : 0); }

std::string pretty_integer(std::int64_t size) {
  for (std::size_t i = 0;; ++i) {
    const SizeUnit& unit = kUnits[i];
    std::uint64_t magnitude = size < 0 ? 0 - static_cast<std::uint64_t>(size) : static_cast<std::uint64_t>(size);
    if (i + 1 == std::size(kUnits) || magnitude < static_cast<std::uint64_t>(unit.limit)) {
      if (unit.round) size = (size + (size < 0 ? 0 : 1)) / 2;
      return fmt::format("{} {}", size, unit.name);
    }
    size /= std::int64_t{1} << shift_after(i);
  }
}

Numeric divided(const Numeric& v, std::int64_t by) {
  if (!v.is_finite()) return v;
  Integer quotient, remainder;
  Integer::divide(truncate_numeric(v, 0).value, Integer(by), quotient, remainder);
  return {Numeric::Kind::finite, 0, quotient};
}

std::string pretty_numeric(const Numeric& given) {
  Numeric size = given;
  for (std::size_t i = 0;; ++i) {
    const SizeUnit& unit = kUnits[i];
    bool fits = size.is_finite() && size.value.magnitude() < Integer(unit.limit).times_power_of_ten(size.scale);
    if (i + 1 == std::size(kUnits) || fits) {
      if (unit.round) size = divided(size.is_finite() ? add_numeric(size, Numeric::of(size.sign() < 0 ? -1 : 1)) : size, 2);
      return fmt::format("{} {}", print_numeric(size), unit.name);
    }
    size = divided(size, std::int64_t{1} << shift_after(i));
  }
}

// The length of the number at the start: sign, digits, fraction, exponent; 0 when there is none.
std::size_t number_length(std::string_view text) {
  auto at = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
  std::size_t end = at(0) == '-' || at(0) == '+' ? 1 : 0, first = end;
  while (is_digit(at(end))) ++end;
  bool any = end > first;
  if (at(end) == '.') {
    std::size_t fraction = ++end;
    while (is_digit(at(end))) ++end;
    any = any || end > fraction;
  }
  if (!any) return 0;
  if (at(end) != 'e' && at(end) != 'E') return end;
  std::size_t exponent = end + 1;
  if (at(exponent) == '-' || at(exponent) == '+') ++exponent;
  if (!is_digit(at(exponent))) return end;
  while (is_digit(at(exponent))) ++exponent;
  return exponent;
}

std::int64_t size_bytes(std::string_view text) {
  std::string_view rest = trim_space(text);
  std::size_t length = number_length(rest);
  if (length == 0) throw SqlError(sqlstate::invalid_parameter_value, "invalid size: \"{}\"", text);
  Numeric size = parse_numeric(rest.substr(0, length));
  rest = trim_space(rest.substr(length));
  if (!rest.empty()) {
    const SizeUnit* unit = std::ranges::find_if(kUnits, [&](const SizeUnit& u) { return equals_ignoring_case(u.name, rest); });
    if (unit == std::end(kUnits)) {
      throw SqlError(sqlstate::invalid_parameter_value, "invalid size: \"{}\"", text)
          .detail(fmt::format("Invalid size unit: \"{}\".", rest))
          .hint("Valid units are \"bytes\", \"kB\", \"MB\", \"GB\", \"TB\", and \"PB\".");
    }
    size = multiply_numeric(size, Numeric::of(std::int64_t{1} << unit->bits));
  }
  std::int64_t bytes;
  if (!size.value.rounded_by(size.scale).to_int64(bytes)) throw_out_of_range<std::int64_t>();
  return bytes;
}

constexpr BuiltinFunction kTable[] = {
    {Oid{2288}, fn<pretty_integer>},
    {Oid{3166}, fn<pretty_numeric>},
    {Oid{3334}, fn<size_bytes>},
};

}  // namespace

std::span<const BuiltinFunction> size_text_functions() { return kTable; }

}  // namespace hathi::types
