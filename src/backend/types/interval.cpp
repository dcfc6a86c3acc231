// Type interval.

#include <algorithm>
#include <cmath>
#include <limits>

#include "hathi/types/hash.h"
#include "datetime_codec.h"
#include "tables.h"
#include "type_io.h"
#include "wrapping.h"

namespace hathi::types {

namespace {

Interval interval_in(FunctionCall& call, CString text) { return read_interval(text.view(), typmod_argument(call)); }
CString interval_out(FunctionCall& call, const Interval& v) { return make_cstring(call, print_interval(v)); }
Interval interval_recv(FunctionCall& call, Datum) {
  BinaryReader& reader = binary_reader(call);
  Interval v;
  v.us = reader.integer<std::int64_t>();
  v.days = reader.integer<std::int32_t>();
  v.months = reader.integer<std::int32_t>();
  apply_interval_typmod(v, typmod_argument(call));
  return v;
}
Datum interval_send(FunctionCall& call, const Interval& v) {
  NewText result(call, 16);
  put_big_endian(result.data, v.us);
  put_big_endian(result.data + 8, v.days);
  put_big_endian(result.data + 12, v.months);
  return result.datum();
}
Interval interval_scale(const Interval& v, std::int32_t typmod) {
  Interval r = v;
  apply_interval_typmod(r, typmod);
  return r;
}
bool interval_finite(const Interval&) { return true; }

int compare(const Interval& a, const Interval& b) {
  __int128 x = interval_span(a);
  __int128 y = interval_span(b);
  return (x > y) - (x < y);
}
using IntervalOrder = By<static_cast<int (*)(const Interval&, const Interval&)>(compare)>;
Interval interval_larger(const Interval& a, const Interval& b) { return compare(a, b) > 0 ? a : b; }
Interval interval_smaller(const Interval& a, const Interval& b) { return compare(a, b) < 0 ? a : b; }
std::int32_t interval_hash(const Interval& v) { return hash_int8(static_cast<std::int64_t>(interval_span(v))); }
std::int64_t interval_hash_extended(const Interval& v, std::int64_t seed) { return hash_int8_extended(static_cast<std::int64_t>(interval_span(v)), seed); }

Interval interval_um(const Interval& v) { return negate(v); }
Interval interval_pl(const Interval& a, const Interval& b) { return add(a, b); }
Interval interval_mi(const Interval& a, const Interval& b) { return subtract(a, b); }

double round_to_microsecond(double v) { return std::rint(v * 1e6) / 1e6; }

// Each field times (over) the factor; what is left of months goes to days (of 30 to a month) and of days to the time.
template <bool Divide> Interval scaled(const Interval& v, double factor) {
  auto apply = [&](double x) { return Divide ? x / factor : x * factor; };
  auto field = [&](std::int32_t x) {
    double r = apply(x);
    if (std::isnan(r) || r > std::numeric_limits<std::int32_t>::max() || r < std::numeric_limits<std::int32_t>::min()) throw_interval_out_of_range();
    return static_cast<std::int32_t>(r);
  };
  Interval r;
  r.months = field(v.months);
  r.days = field(v.days);
  double month_rest = round_to_microsecond((apply(v.months) - r.months) * 30);
  double seconds = round_to_microsecond((apply(v.days) - r.days + month_rest - static_cast<int>(month_rest)) * 86400);
  std::int64_t days = r.days;
  if (std::fabs(seconds) >= 86400) {
    days += static_cast<int>(seconds / 86400);
    seconds -= static_cast<int>(seconds / 86400) * 86400;
  }
  days += static_cast<std::int32_t>(month_rest);
  if (days > std::numeric_limits<std::int32_t>::max() || days < std::numeric_limits<std::int32_t>::min()) throw_interval_out_of_range();
  r.days = static_cast<std::int32_t>(days);
  double us = std::rint(apply(static_cast<double>(v.us)) + seconds * 1e6);
  if (std::isnan(us) || us >= 9223372036854775808.0 || us < -9223372036854775808.0) throw_interval_out_of_range();
  r.us = static_cast<std::int64_t>(us);
  return r;
}
Interval interval_mul(const Interval& v, double factor) { return scaled<false>(v, factor); }
Interval mul_d_interval(double factor, const Interval& v) { return scaled<false>(v, factor); }
Interval interval_div(const Interval& v, double divisor) {
  if (divisor == 0) throw_division_by_zero();
  return scaled<true>(v, divisor);
}

void carry(std::int32_t& field, std::int64_t amount) {
  std::int64_t sum = field + amount;
  if (sum > std::numeric_limits<std::int32_t>::max() || sum < std::numeric_limits<std::int32_t>::min()) throw_interval_out_of_range();
  field = static_cast<std::int32_t>(sum);
}
// Days and time get the same sign.
void align_days_and_time(Interval& v) {
  if (v.days > 0 && v.us < 0) {
    v.us += kDay;
    --v.days;
  } else if (v.days < 0 && v.us > 0) {
    v.us -= kDay;
    ++v.days;
  }
}
Interval interval_justify_hours(const Interval& value) {
  Interval v = value;
  carry(v.days, v.us / kDay);
  v.us %= kDay;
  align_days_and_time(v);
  return v;
}
Interval interval_justify_days(const Interval& value) {
  Interval v = value;
  carry(v.months, v.days / 30);
  v.days %= 30;
  if (v.months > 0 && v.days < 0) {
    v.days += 30;
    --v.months;
  } else if (v.months < 0 && v.days > 0) {
    v.days -= 30;
    ++v.months;
  }
  return v;
}
Interval interval_justify_interval(const Interval& value) {
  Interval v = value;
  // Days first when they and the time have one sign, so that the sum does not overflow.
  if ((v.days > 0 && v.us > 0) || (v.days < 0 && v.us < 0)) {
    carry(v.months, v.days / 30);
    v.days %= 30;
  }
  carry(v.days, v.us / kDay);
  v.us %= kDay;
  carry(v.months, v.days / 30);
  v.days %= 30;
  if (v.months > 0 && (v.days < 0 || (v.days == 0 && v.us < 0))) {
    v.days += 30;
    --v.months;
  } else if (v.months < 0 && (v.days > 0 || (v.days == 0 && v.us > 0))) {
    v.days -= 30;
    ++v.months;
  }
  align_days_and_time(v);
  return v;
}

bool in_range_interval_interval(const Interval& value, const Interval& base, const Interval& offset, bool sub, bool less) {
  if (interval_span(offset) < 0) throw_bad_frame();
  Interval bound = sub ? subtract(base, offset) : add(base, offset);
  int r = compare(value, bound);
  return less ? r <= 0 : r >= 0;
}

Interval make_interval(std::int32_t years, std::int32_t months, std::int32_t weeks, std::int32_t days, std::int32_t hours, std::int32_t minutes,
                       double seconds) {
  if (std::isinf(seconds) || std::isnan(seconds)) throw_interval_out_of_range();
  double us = std::rint(seconds * 1e6);
  if (std::fabs(us) > 9.2e18) throw_interval_out_of_range();
  // Sums wrap silently, as they do in PostgreSQL 15.
  auto wrapped = [](std::int64_t v) { return static_cast<std::int32_t>(v); };
  return {wrapping_add(hours * kHour + minutes * kMinute, static_cast<std::int64_t>(us)),
          wrapped(static_cast<std::int64_t>(weeks) * 7 + days), wrapped(static_cast<std::int64_t>(years) * 12 + months)};
}

// --- avg(interval): interval[2], sum and count (in the time field) -------------------------------------------------------------------
constexpr TypeLayout kLayout{16, false, 'd'};
struct SumAndCount {
  Interval sum, count;
};
SumAndCount sum_and_count(FunctionCall& call, int i) {
  ArrayView array(call.arg(i), call.arena());
  if (array.count() != 2 || array.has_nulls()) throw SqlError(sqlstate::internal_error, "expected 2-element interval array");
  ArrayElements e = array_elements(array, kLayout, call.arena());
  return {*e.values[0].as_pointer<Interval>(), *e.values[1].as_pointer<Interval>()};
}
Datum store(FunctionCall& call, const SumAndCount& s) {
  const Datum values[2] = {Datum::of(static_cast<const void*>(&s.sum)), Datum::of(static_cast<const void*>(&s.count))};
  return make_array(call.arena(), Oid{1186}, kLayout, values);
}
Datum interval_accum(FunctionCall& call) {
  SumAndCount s = sum_and_count(call, 0);
  s.sum = add(s.sum, *call.arg(1).as_pointer<Interval>());
  s.count.us = wrapping_add(s.count.us, std::int64_t{1});   // the state may be anybody's array
  return store(call, s);
}
Datum interval_accum_inv(FunctionCall& call) {
  SumAndCount s = sum_and_count(call, 0);
  s.sum = subtract(s.sum, *call.arg(1).as_pointer<Interval>());
  s.count.us = wrapping_subtract(s.count.us, std::int64_t{1});
  return store(call, s);
}
Datum interval_combine(FunctionCall& call) {
  SumAndCount a = sum_and_count(call, 0);
  SumAndCount b = sum_and_count(call, 1);
  return store(call, {add(a.sum, b.sum), {wrapping_add(a.count.us, b.count.us), 0, 0}});
}
Datum interval_avg(FunctionCall& call) {
  SumAndCount s = sum_and_count(call, 0);
  if (s.count.us == 0) return call.null();
  return adapter::Codec<Interval>::put(call, interval_div(s.sum, static_cast<double>(s.count.us)));
}

// --- interval fields (precision) -----------------------------------------------------------------------------------------------
constexpr int kFullPrecision = 0xFFFF;
Datum intervaltypmodin(FunctionCall& call) {
  namespace f = interval_field;
  std::span<const std::int32_t> modifiers = type_modifiers(call);
  if (modifiers.empty()) throw_invalid_parameter("invalid INTERVAL type modifier");
  std::int32_t range = modifiers[0];
  static constexpr int kRanges[] = {f::year, f::month, f::day, f::hour, f::minute, f::second, f::year | f::month, f::day | f::hour,
                                    f::day | f::hour | f::minute, f::day | f::hour | f::minute | f::second, f::hour | f::minute,
                                    f::hour | f::minute | f::second, f::minute | f::second, f::all};
  if (std::find(std::begin(kRanges), std::end(kRanges), range) == std::end(kRanges)) throw_invalid_parameter("invalid INTERVAL type modifier");
  if (modifiers.size() > 2) throw_invalid_parameter("invalid INTERVAL type modifier");
  if (modifiers.size() == 1) return Datum::of(range == f::all ? std::int32_t{-1} : std::int32_t{range << 16 | kFullPrecision});
  std::int32_t precision = modifiers[1];
  if (precision < 0) throw SqlError(sqlstate::invalid_parameter_value, "INTERVAL({}) precision must not be negative", precision);
  return Datum::of(std::int32_t{range << 16 | std::min(precision, 6)});
}
CString intervaltypmodout(FunctionCall& call, std::int32_t typmod) {
  namespace f = interval_field;
  if (typmod < 0) return {""};
  std::string_view fields;
  switch (typmod >> 16 & 0x7FFF) {
    case f::year: fields = " year"; break;
    case f::month: fields = " month"; break;
    case f::day: fields = " day"; break;
    case f::hour: fields = " hour"; break;
    case f::minute: fields = " minute"; break;
    case f::second: fields = " second"; break;
    case f::year | f::month: fields = " year to month"; break;
    case f::day | f::hour: fields = " day to hour"; break;
    case f::day | f::hour | f::minute: fields = " day to minute"; break;
    case f::day | f::hour | f::minute | f::second: fields = " day to second"; break;
    case f::hour | f::minute: fields = " hour to minute"; break;
    case f::hour | f::minute | f::second: fields = " hour to second"; break;
    case f::minute | f::second: fields = " minute to second"; break;
    default: break;
  }
  int precision = typmod & 0xFFFF;
  return make_cstring(call, precision == kFullPrecision ? std::string(fields) : fmt::format("{}({})", fields, precision));
}

constexpr BuiltinFunction kTable[] = {
    {Oid{1160}, fn<interval_in>},
    {Oid{1161}, fn<interval_out>},
    {Oid{2478}, fn<interval_recv>},
    {Oid{2479}, fn<interval_send>},
    {Oid{1200}, fn<interval_scale>},
    {Oid{1390}, fn<interval_finite>},
    {Oid{1162}, fn<IntervalOrder::eq>},
    {Oid{1163}, fn<IntervalOrder::ne>},
    {Oid{1164}, fn<IntervalOrder::lt>},
    {Oid{1165}, fn<IntervalOrder::le>},
    {Oid{1167}, fn<IntervalOrder::gt>},
    {Oid{1166}, fn<IntervalOrder::ge>},
    {Oid{1315}, fn<IntervalOrder::cmp>},
    {Oid{1198}, fn<interval_larger>},
    {Oid{1197}, fn<interval_smaller>},
    {Oid{1697}, fn<interval_hash>},
    {Oid{3418}, fn<interval_hash_extended>},
    {Oid{1168}, fn<interval_um>},
    {Oid{1169}, fn<interval_pl>},
    {Oid{1170}, fn<interval_mi>},
    {Oid{1618}, fn<interval_mul>},
    {Oid{1624}, fn<mul_d_interval>},
    {Oid{1326}, fn<interval_div>},
    {Oid{1175}, fn<interval_justify_hours>},
    {Oid{1295}, fn<interval_justify_days>},
    {Oid{2711}, fn<interval_justify_interval>},
    {Oid{4136}, fn<in_range_interval_interval>},
    {Oid{3464}, fn<make_interval>},
    {Oid{1843}, fn<interval_accum>},
    {Oid{3549}, fn<interval_accum_inv>},
    {Oid{3325}, fn<interval_combine>},
    {Oid{1844}, fn<interval_avg>},
    {Oid{2903}, fn<intervaltypmodin>},
    {Oid{2904}, fn<intervaltypmodout>},
};

}  // namespace

std::span<const BuiltinFunction> interval_functions() { return kTable; }

}  // namespace hathi::types
