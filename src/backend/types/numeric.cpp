// Type numeric: input and output, arithmetic, comparison, casts. Functions: numeric_math.cpp, aggregates: numeric_aggregates.cpp.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "hathi/types/array.h"
#include "hathi/types/binary.h"
#include "hathi/types/hash.h"
#include "errors.h"
#include "float_text.h"
#include "numeric_codec.h"
#include "parse.h"
#include "tables.h"
#include "type_io.h"

namespace hathi::types {

namespace {

Datum numeric_in(FunctionCall& call) {
  Numeric v = parse_numeric(call.arg(0).as_pointer<char>());
  if (call.site->argument_count > 2) apply_numeric_typmod(v, call.arg(2).as_int32());
  return store_numeric(v, call.arena());
}
CString numeric_out(FunctionCall& call, const Numeric& v) { return make_cstring(call, print_numeric(v)); }

// Binary: digit count, weight, sign word, display scale, digits; all 16 bits.
constexpr std::uint16_t kSigns[] = {0x0000, 0x4000, 0xC000, 0xD000, 0xF000};
Datum numeric_send(FunctionCall& call) {
  std::string_view payload = call.text(0);
  Numeric v = load_numeric(payload);
  if (!v.is_finite()) {
    NewText result(call, 8);
    std::memset(result.data, 0, 8);
    put_big_endian(result.data + 4, v.is_nan() ? kSigns[2] : v.sign() > 0 ? kSigns[3] : kSigns[4]);
    put_big_endian(result.data + 6, static_cast<std::uint16_t>(v.is_nan() ? 0 : 0x20));
    return result.datum();
  }
  std::uint16_t header;
  std::memcpy(&header, payload.data(), 2);
  std::size_t header_size = (header & 0x8000) != 0 ? 2 : 4;
  std::size_t count = (payload.size() - header_size) / 2;
  NewText result(call, 8 + 2 * count);
  put_big_endian(result.data, static_cast<std::uint16_t>(count));
  put_big_endian(result.data + 2, static_cast<std::uint16_t>(leading_digit(v).weight));
  put_big_endian(result.data + 4, kSigns[v.value.sign() < 0 ? 1 : 0]);
  put_big_endian(result.data + 6, static_cast<std::uint16_t>(v.scale));
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t digit;
    std::memcpy(&digit, payload.data() + header_size + 2 * i, 2);
    put_big_endian(result.data + 8 + 2 * i, digit);
  }
  return result.datum();
}
[[noreturn]] void throw_bad_external(std::string_view what) {
  throw SqlError(sqlstate::invalid_binary_representation, "invalid {} in external \"numeric\" value", what);
}
Datum numeric_recv(FunctionCall& call) {
  auto& reader = *const_cast<BinaryReader*>(call.arg(0).as_pointer<BinaryReader>());
  auto count = reader.integer<std::uint16_t>();
  auto weight = reader.integer<std::int16_t>();
  auto sign = reader.integer<std::uint16_t>();
  auto scale = reader.integer<std::uint16_t>();
  if (std::find(std::begin(kSigns), std::end(kSigns), sign) == std::end(kSigns)) throw_bad_external("sign");
  if (scale > kNumericMaxScale) throw_bad_external("scale");
  Numeric v;
  std::string digits;
  for (int i = 0; i < count; ++i) {
    auto digit = reader.integer<std::int16_t>();
    if (digit < 0 || digit >= 10000) throw_bad_external("digit");
    digits += fmt::format("{:04}", digit);
  }
  if (sign == kSigns[2]) {
    v = Numeric::nan();
  } else if (sign == kSigns[3] || sign == kSigns[4]) {
    v = Numeric::infinity(sign == kSigns[4]);
  } else {
    v.scale = scale;
    if (!digits.empty()) {
      int after_point = (count - 1 - weight) * 4;
      Integer value = Integer::from_digits(digits);
      value = scale >= after_point ? value.times_power_of_ten(scale - after_point) : value.truncated_by(after_point - scale);
      v.value = sign == kSigns[1] ? -value : std::move(value);
    }
  }
  if (call.site->argument_count > 2) apply_numeric_typmod(v, call.arg(2).as_int32());
  return store_numeric(v, call.arena());
}

Datum numeric(FunctionCall& call) {
  std::int32_t typmod = call.arg(1).as_int32();
  if (typmod < 4) return call.arg(0);
  Numeric v = load_numeric(call.arg(0), call.arena());
  apply_numeric_typmod(v, typmod);
  return store_numeric(v, call.arena());
}
Datum numerictypmodin(FunctionCall& call) {
  std::span<const std::int32_t> modifiers = type_modifiers(call);
  int parts[2] = {0, 0};
  if (modifiers.size() != 1 && modifiers.size() != 2) throw_invalid_parameter("invalid NUMERIC type modifier");
  std::copy(modifiers.begin(), modifiers.end(), parts);
  if (parts[0] < 1 || parts[0] > 1000) throw SqlError(sqlstate::invalid_parameter_value, "NUMERIC precision {} must be between 1 and {}", parts[0], 1000);
  if (parts[1] < -1000 || parts[1] > 1000) {
    throw SqlError(sqlstate::invalid_parameter_value, "NUMERIC scale {} must be between {} and {}", parts[1], -1000, 1000);
  }
  return Datum::of(std::int32_t{(parts[0] << 16 | (parts[1] & 0x7FF)) + 4});
}
CString numerictypmodout(FunctionCall& call, std::int32_t typmod) {
  if (typmod < 4) return {""};
  return make_cstring(call, fmt::format("({},{})", (typmod - 4) >> 16 & 0xFFFF, (((typmod - 4) & 0x7FF) ^ 1024) - 1024));
}

// --- comparison ---------------------------------------------------------------------------------------------------------------
std::int32_t numeric_cmp(std::string_view a, std::string_view b) { return compare_stored_numeric(a, b); }
bool numeric_eq(std::string_view a, std::string_view b) { return compare_stored_numeric(a, b) == 0; }
bool numeric_ne(std::string_view a, std::string_view b) { return compare_stored_numeric(a, b) != 0; }
bool numeric_lt(std::string_view a, std::string_view b) { return compare_stored_numeric(a, b) < 0; }
bool numeric_le(std::string_view a, std::string_view b) { return compare_stored_numeric(a, b) <= 0; }
bool numeric_gt(std::string_view a, std::string_view b) { return compare_stored_numeric(a, b) > 0; }
bool numeric_ge(std::string_view a, std::string_view b) { return compare_stored_numeric(a, b) >= 0; }
Datum numeric_larger(FunctionCall& call) { return compare_stored_numeric(call.text(0), call.text(1)) > 0 ? call.arg(0) : call.arg(1); }
Datum numeric_smaller(FunctionCall& call) { return compare_stored_numeric(call.text(0), call.text(1)) < 0 ? call.arg(0) : call.arg(1); }

// The digits and the weight decide, not the display scale.
std::string_view hashed_digits(std::string_view payload) {
  std::uint16_t header;
  std::memcpy(&header, payload.data(), 2);
  return payload.substr((header & 0x8000) != 0 ? 2 : 4);
}
std::int32_t hash_numeric(std::string_view payload) {
  Numeric v = load_numeric(payload);
  if (!v.is_finite()) return 0;
  if (v.value.is_zero()) return -1;
  return static_cast<std::int32_t>(hash_bytes(hashed_digits(payload)) ^ static_cast<std::uint32_t>(leading_digit(v).weight));
}
std::int64_t hash_numeric_extended(std::string_view payload, std::int64_t seed) {
  Numeric v = load_numeric(payload);
  if (!v.is_finite()) return seed;
  if (v.value.is_zero()) return seed - 1;
  return static_cast<std::int64_t>(hash_bytes_extended(hashed_digits(payload), static_cast<std::uint64_t>(seed)) ^
                                   static_cast<std::uint64_t>(static_cast<std::int64_t>(leading_digit(v).weight)));
}

// --- arithmetic ---------------------------------------------------------------------------------------------------------------
Numeric numeric_div(const Numeric& a, const Numeric& b) {
  if (a.is_nan() || b.is_nan()) return Numeric::nan();
  if (a.is_infinite()) {
    if (b.is_infinite()) return Numeric::nan();
    if (b.sign() == 0) throw_division_by_zero();
    return Numeric::infinity(a.sign() != b.sign());
  }
  if (b.is_infinite()) return Numeric::of(0);
  if (b.sign() == 0) throw_division_by_zero();
  return divide_numeric(a, b, division_scale(a, b));
}
// Both coefficients at the larger scale.
void align(const Numeric& a, const Numeric& b, Integer& x, Integer& y) {
  x = a.value.times_power_of_ten(std::max(a.scale, b.scale) - a.scale);
  y = b.value.times_power_of_ten(std::max(a.scale, b.scale) - b.scale);
}
Numeric numeric_div_trunc(const Numeric& a, const Numeric& b) {
  if (!a.is_finite() || !b.is_finite() || b.sign() == 0) return numeric_div(a, b);
  Integer x, y, q, r;
  align(a, b, x, y);
  Integer::divide(x, y, q, r);
  return {Numeric::Kind::finite, 0, q};
}
Numeric numeric_mod(const Numeric& a, const Numeric& b) {
  if (a.is_nan() || b.is_nan()) return Numeric::nan();
  if (a.is_infinite()) {
    if (b.is_finite() && b.sign() == 0) throw_division_by_zero();
    return Numeric::nan();
  }
  if (b.is_infinite()) return a;
  if (b.sign() == 0) throw_division_by_zero();
  Integer x, y, q, r;
  align(a, b, x, y);
  Integer::divide(x, y, q, r);
  return {Numeric::Kind::finite, std::max(a.scale, b.scale), r};
}
Numeric numeric_inc(const Numeric& v) { return add_numeric(v, Numeric::of(1)); }
Numeric numeric_uminus(const Numeric& v) {
  if (v.is_infinite()) return Numeric::infinity(v.sign() > 0);
  return {v.kind, v.scale, -v.value};
}
Datum numeric_uplus(Datum v) { return v; }
Numeric numeric_abs(const Numeric& v) { return v.is_nan() || v.sign() >= 0 ? v : numeric_uminus(v); }
Numeric numeric_sign(const Numeric& v) { return v.is_nan() ? v : Numeric::of(v.sign()); }

Numeric numeric_round(const Numeric& v, std::int32_t scale) {
  return round_numeric(v, std::clamp(scale, -4 * (kNumericMaxWeight + 2), kNumericMaxScale));
}
Numeric numeric_trunc(const Numeric& v, std::int32_t scale) {
  return truncate_numeric(v, std::clamp(scale, -4 * (kNumericMaxWeight + 2), kNumericMaxScale));
}
Numeric round_to_integer(const Numeric& v) { return round_numeric(v, 0); }
Numeric trunc_to_integer(const Numeric& v) { return truncate_numeric(v, 0); }
Numeric numeric_floor(const Numeric& v) {
  if (!v.is_finite()) return v;
  Numeric r = truncate_numeric(v, 0);
  return v.sign() < 0 && compare_numeric(r, v) != 0 ? subtract_numeric(r, Numeric::of(1)) : r;
}
Numeric numeric_ceil(const Numeric& v) {
  if (!v.is_finite()) return v;
  Numeric r = truncate_numeric(v, 0);
  return v.sign() > 0 && compare_numeric(r, v) != 0 ? add_numeric(r, Numeric::of(1)) : r;
}
std::optional<std::int32_t> numeric_scale(const Numeric& v) { return v.is_finite() ? std::optional(v.scale) : std::nullopt; }
int smallest_scale(const Numeric& v) {
  if (v.value.is_zero()) return 0;
  std::string digits = v.value.magnitude_digits();
  std::size_t last = digits.find_last_not_of('0');
  return std::max(0, v.scale - static_cast<int>(digits.size() - 1 - last));
}
std::optional<std::int32_t> numeric_min_scale(const Numeric& v) { return v.is_finite() ? std::optional(smallest_scale(v)) : std::nullopt; }
Numeric numeric_trim_scale(const Numeric& v) { return v.is_finite() ? truncate_numeric(v, smallest_scale(v)) : v; }

Numeric numeric_gcd(const Numeric& a, const Numeric& b) {
  if (!a.is_finite() || !b.is_finite()) return Numeric::nan();
  Integer x, y;
  align(a, b, x, y);
  return {Numeric::Kind::finite, std::max(a.scale, b.scale), Integer::greatest_common_divisor(x, y)};
}
Numeric numeric_lcm(const Numeric& a, const Numeric& b) {
  if (!a.is_finite() || !b.is_finite()) return Numeric::nan();
  int scale = std::max(a.scale, b.scale);
  if (a.sign() == 0 || b.sign() == 0) return {Numeric::Kind::finite, scale, {}};
  Integer x, y, q, r;
  align(a, b, x, y);
  Integer::divide(x, Integer::greatest_common_divisor(x, y), q, r);
  return {Numeric::Kind::finite, scale, (q * y).magnitude()};
}

// --- casts --------------------------------------------------------------------------------------------------------------------
template <class T> Numeric from_integer(T v) { return Numeric::of(v); }
template <class T> T to_integer(const Numeric& v) {
  if (v.is_nan()) throw SqlError(sqlstate::feature_not_supported, "cannot convert NaN to {}", kTypeName<T>);
  if (v.is_infinite()) throw SqlError(sqlstate::feature_not_supported, "cannot convert infinity to {}", kTypeName<T>);
  std::int64_t n;
  if (!v.value.rounded_by(v.scale).to_int64(n) || n < std::numeric_limits<T>::min() || n > std::numeric_limits<T>::max()) throw_out_of_range<T>();
  return static_cast<T>(n);
}
double numeric_float8(const Numeric& v) { return numeric_to_double(v); }
float numeric_float4(const Numeric& v) { return parse_float4(print_numeric(v)); }
Numeric float8_numeric(double v) { return numeric_from_double(v, 15); }
Numeric float4_numeric(float v) { return numeric_from_double(v, 6); }

Numeric from_lsn(std::uint64_t v) { return {Numeric::Kind::finite, 0, Integer(static_cast<Int128>(v))}; }
std::uint64_t to_lsn(const Numeric& v) {
  Integer n = v.value.rounded_by(v.scale);
  if (n.sign() < 0 || !n.is_small() || n.small() > static_cast<Int128>(~std::uint64_t{0})) {
    throw SqlError(sqlstate::invalid_parameter_value, "pg_lsn out of range");
  }
  return static_cast<std::uint64_t>(n.small());
}
std::uint64_t numeric_pg_lsn(const Numeric& v) {
  if (v.is_nan()) throw SqlError(sqlstate::feature_not_supported, "cannot convert NaN to {}", "pg_lsn");
  if (v.is_infinite()) throw SqlError(sqlstate::feature_not_supported, "cannot convert infinity to {}", "pg_lsn");
  return to_lsn(v);
}
Numeric pg_lsn_mi(std::uint64_t a, std::uint64_t b) { return subtract_numeric(from_lsn(a), from_lsn(b)); }
std::uint64_t pg_lsn_pli(std::uint64_t a, const Numeric& b) {
  if (b.is_nan()) throw SqlError(sqlstate::feature_not_supported, "cannot add NaN to pg_lsn");
  return b.is_infinite() ? numeric_pg_lsn(b) : to_lsn(add_numeric(from_lsn(a), b));
}
std::uint64_t numeric_pl_pg_lsn(const Numeric& a, std::uint64_t b) { return pg_lsn_pli(b, a); }
std::uint64_t pg_lsn_mii(std::uint64_t a, const Numeric& b) {
  if (b.is_nan()) throw SqlError(sqlstate::feature_not_supported, "cannot subtract NaN from pg_lsn");
  return b.is_infinite() ? numeric_pg_lsn(numeric_uminus(b)) : to_lsn(subtract_numeric(from_lsn(a), b));
}

// --- window frames, series, buckets --------------------------------------------------------------------------------------------
bool in_range_numeric_numeric(const Numeric& value, const Numeric& base, const Numeric& offset, bool sub, bool less) {
  if (offset.is_nan() || offset.sign() < 0) {
    throw SqlError(sqlstate::invalid_preceding_or_following_size, "invalid preceding or following size in window function");
  }
  if (value.is_nan()) return base.is_nan() || !less;
  if (base.is_nan()) return less;
  if (offset.is_infinite() && base.is_infinite() && (sub ? base.sign() > 0 : base.sign() < 0)) return true;
  Numeric bound = sub ? subtract_numeric(base, offset) : add_numeric(base, offset);
  int order = compare_numeric(value, bound);
  return less ? order <= 0 : order >= 0;
}

std::int32_t width_bucket_numeric(const Numeric& operand, const Numeric& low, const Numeric& high, std::int32_t count) {
  auto refuse = [] [[noreturn]] (std::string_view message) { throw SqlError(sqlstate::invalid_argument_for_width_bucket_function, "{}", message); };
  if (count <= 0) refuse("count must be greater than zero");
  if (operand.is_nan() || low.is_nan() || high.is_nan()) refuse("operand, lower bound, and upper bound cannot be NaN");
  if (low.is_infinite() || high.is_infinite()) refuse("lower and upper bounds must be finite");
  int direction = compare_numeric(low, high);
  if (direction == 0) refuse("lower bound cannot equal upper bound");
  if (compare_numeric(operand, low) * direction > 0) return 0;
  if (compare_numeric(operand, high) * direction <= 0) {
    if (count == std::numeric_limits<std::int32_t>::max()) throw_out_of_range<std::int32_t>();
    return count + 1;
  }
  Numeric distance = numeric_abs(subtract_numeric(operand, low));
  Numeric width = numeric_abs(subtract_numeric(high, low));
  Numeric scaled = multiply_numeric(distance, Numeric::of(count));
  return to_integer<std::int32_t>(truncate_numeric(divide_numeric(scaled, width, division_scale(scaled, width)), 0)) + 1;
}

struct NumericSeries {
  Datum next, stop, step;
};
Datum generate_series_numeric(FunctionCall& call) {
  auto* s = static_cast<NumericSeries*>(*call.state);
  Arena& kept = *call.state_arena;
  constexpr TypeLayout kLayout{-1, false, 'i'};
  if (s == nullptr) {
    constexpr std::string_view kNames[] = {"start", "stop", "step size"};
    int n = call.site->argument_count;
    for (int i = 0; i < n; ++i) {
      Numeric v = load_numeric(call.arg(i), call.arena());
      if (v.is_nan()) throw SqlError(sqlstate::invalid_parameter_value, "{}{} cannot be NaN", kNames[i], i < 2 ? " value" : "");
      if (v.is_infinite()) throw SqlError(sqlstate::invalid_parameter_value, "{}{} cannot be infinity", kNames[i], i < 2 ? " value" : "");
      if (i == 2 && v.sign() == 0) throw_invalid_parameter("step size cannot equal zero");
    }
    s = kept.make<NumericSeries>();
    s->next = copy_datum(call.arg(0), kLayout, kept);
    s->stop = copy_datum(call.arg(1), kLayout, kept);
    s->step = n > 2 ? copy_datum(call.arg(2), kLayout, kept) : store_numeric(Numeric::of(1), kept);
    *call.state = s;
  }
  Numeric current = load_numeric(s->next, call.arena());
  Numeric step = load_numeric(s->step, call.arena());
  if (compare_numeric(current, load_numeric(s->stop, call.arena())) * step.sign() > 0) {
    *call.state = nullptr;
    call.done = true;
    return call.null();
  }
  Datum result = store_numeric(current, call.arena());
  s->next = store_numeric(add_numeric(current, step), kept);
  return result;
}

constexpr BuiltinFunction kTable[] = {
    {Oid{1701}, fn<numeric_in>},
    {Oid{1702}, fn<numeric_out>},
    {Oid{2460}, fn<numeric_recv>},
    {Oid{2461}, fn<numeric_send>},
    {Oid{1703}, fn<numeric>},
    {Oid{2917}, fn<numerictypmodin>},
    {Oid{2918}, fn<numerictypmodout>},
    {Oid{1769}, fn<numeric_cmp>},
    {Oid{1718}, fn<numeric_eq>},
    {Oid{1719}, fn<numeric_ne>},
    {Oid{1722}, fn<numeric_lt>},
    {Oid{1723}, fn<numeric_le>},
    {Oid{1720}, fn<numeric_gt>},
    {Oid{1721}, fn<numeric_ge>},
    {Oid{1767}, fn<numeric_larger>},
    {Oid{1766}, fn<numeric_smaller>},
    {Oid{432}, fn<hash_numeric>},
    {Oid{780}, fn<hash_numeric_extended>},
    {Oid{1724}, fn<add_numeric>},
    {Oid{1725}, fn<subtract_numeric>},
    {Oid{1726}, fn<multiply_numeric>},
    {Oid{1727}, fn<numeric_div>},
    {Oid{1973}, fn<numeric_div_trunc>},
    {Oid{1980}, fn<numeric_div_trunc>},
    {Oid{1728}, fn<numeric_mod>},
    {Oid{1729}, fn<numeric_mod>},
    {Oid{1764}, fn<numeric_inc>},
    {Oid{1771}, fn<numeric_uminus>},
    {Oid{1915}, fn<numeric_uplus>},
    {Oid{1704}, fn<numeric_abs>},
    {Oid{1705}, fn<numeric_abs>},
    {Oid{1706}, fn<numeric_sign>},
    {Oid{1707}, fn<numeric_round>},
    {Oid{1709}, fn<numeric_trunc>},
    {Oid{1708}, fn<round_to_integer>},
    {Oid{1710}, fn<trunc_to_integer>},
    {Oid{1712}, fn<numeric_floor>},
    {Oid{1711}, fn<numeric_ceil>},
    {Oid{2167}, fn<numeric_ceil>},
    {Oid{3281}, fn<numeric_scale>},
    {Oid{5042}, fn<numeric_min_scale>},
    {Oid{5043}, fn<numeric_trim_scale>},
    {Oid{5048}, fn<numeric_gcd>},
    {Oid{5049}, fn<numeric_lcm>},
    {Oid{1782}, fn<from_integer<std::int16_t>>},
    {Oid{1740}, fn<from_integer<std::int32_t>>},
    {Oid{1781}, fn<from_integer<std::int64_t>>},
    {Oid{1783}, fn<to_integer<std::int16_t>>},
    {Oid{1744}, fn<to_integer<std::int32_t>>},
    {Oid{1779}, fn<to_integer<std::int64_t>>},
    {Oid{1745}, fn<numeric_float4>},
    {Oid{1746}, fn<numeric_float8>},
    {Oid{1742}, fn<float4_numeric>},
    {Oid{1743}, fn<float8_numeric>},
    {Oid{6103}, fn<numeric_pg_lsn>},
    {Oid{3237}, fn<pg_lsn_mi>},
    {Oid{5022}, fn<pg_lsn_pli>},
    {Oid{5023}, fn<numeric_pl_pg_lsn>},
    {Oid{5024}, fn<pg_lsn_mii>},
    {Oid{4141}, fn<in_range_numeric_numeric>},
    {Oid{2170}, fn<width_bucket_numeric>},
    {Oid{3260}, fn<generate_series_numeric>, FunctionKind::set_per_call},
    {Oid{3259}, fn<generate_series_numeric>, FunctionKind::set_per_call},
};

}  // namespace

std::span<const BuiltinFunction> numeric_functions() { return kTable; }

}  // namespace hathi::types
