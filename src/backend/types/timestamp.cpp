// Types timestamp and timestamptz: input and output, comparison, arithmetic, zones, truncation.

#include <algorithm>
#include <cmath>

#include "hathi/transaction/transaction.h"
#include "hathi/types/hash.h"
#include "datetime_codec.h"
#include "datetime_tokens.h"
#include "tables.h"
#include "type_io.h"

namespace hathi::types {

std::int32_t precision_modifier(FunctionCall& call, std::string_view type, std::string_view suffix) {
  std::span<const std::int32_t> modifiers = type_modifiers(call);
  if (modifiers.size() != 1) throw_invalid_parameter("invalid type modifier");
  std::int32_t n = modifiers[0];
  if (n < 0) throw SqlError(sqlstate::invalid_parameter_value, "{}({}){} precision must not be negative", type, n, suffix);
  return std::min(n, 6);   // the analyzer has warned
}
std::string precision_modifier_text(std::int32_t typmod, std::string_view suffix) {
  return typmod >= 0 ? fmt::format("({}){}", typmod, suffix) : std::string(suffix);
}

std::string clock_text(std::int32_t hour, std::int32_t minute, double second) {
  if (!std::isfinite(second)) return fmt::format("{}:{:02}:{}", hour, minute, std::isnan(second) ? "NaN" : second > 0 ? "Infinity" : "-Infinity");
  char text[64];
  std::snprintf(text, sizeof text, "%d:%02d:%02g", hour, minute, second);
  return text;
}

std::int32_t hash_int8(std::int64_t v) {
  auto low = static_cast<std::uint32_t>(v);
  auto high = static_cast<std::uint32_t>(static_cast<std::uint64_t>(v) >> 32);
  return static_cast<std::int32_t>(hash_uint32(low ^ (v >= 0 ? high : ~high)));
}
std::int64_t hash_int8_extended(std::int64_t v, std::int64_t seed) {
  auto low = static_cast<std::uint32_t>(v);
  auto high = static_cast<std::uint32_t>(static_cast<std::uint64_t>(v) >> 32);
  return static_cast<std::int64_t>(hash_uint32_extended(low ^ (v >= 0 ? high : ~high), static_cast<std::uint64_t>(seed)));
}

namespace {

template <class T> T rounded(T v, std::int32_t typmod) {
  if (v.is_finite() && typmod != -1 && (typmod < 0 || typmod > 6)) {
    throw SqlError(sqlstate::invalid_parameter_value, "timestamp({}) precision must be between {} and {}", typmod, 0, 6);
  }
  if (v.is_finite()) v.us = round_to_precision(v.us, typmod);
  return v;
}
Timestamp timestamp_in(FunctionCall& call, CString text) { return rounded(read_timestamp(text.view()), typmod_argument(call)); }
CString timestamp_out(FunctionCall& call, Timestamp v) { return make_cstring(call, print_timestamp(v)); }
TimestampTz timestamptz_in(FunctionCall& call, CString text) { return rounded(read_timestamptz(text.view()), typmod_argument(call)); }
CString timestamptz_out(FunctionCall& call, TimestampTz v) { return make_cstring(call, print_timestamptz(v)); }
template <class T> T receive(FunctionCall& call, Datum) {
  T v{binary_reader(call).integer<std::int64_t>()};
  if (v.is_finite() && !is_valid_timestamp(v.us)) throw_timestamp_out_of_range();
  return rounded(v, typmod_argument(call));
}
template <class T> Datum send(FunctionCall& call, T v) { return send_integer(call, v.us); }
template <class T> T scale(T v, std::int32_t typmod) { return rounded(v, typmod); }
bool timestamp_finite(Timestamp v) { return v.is_finite(); }
std::int32_t timestamp_hash(Timestamp v) { return hash_int8(v.us); }
std::int64_t timestamp_hash_extended(Timestamp v, std::int64_t seed) { return hash_int8_extended(v.us, seed); }

int compare(Timestamp a, TimestampTz b) {
  std::int64_t us = a.us;
  if (a.is_finite()) us -= offset_at_local(session_time_zone(), a.us).seconds_east * kSecond;
  return (us > b.us) - (us < b.us);
}
using WithTimestampTz = By<static_cast<int (*)(Timestamp, TimestampTz)>(compare)>;

Timestamp timestamptz_timestamp(TimestampTz v) { return to_timestamp(v); }
TimestampTz timestamp_timestamptz(Timestamp v) { return to_timestamptz(v); }

// --- arithmetic ---------------------------------------------------------------------------------------------------------------
Interval timestamp_mi(Timestamp a, Timestamp b) {
  if (!a.is_finite() || !b.is_finite()) throw SqlError(sqlstate::datetime_value_out_of_range, "cannot subtract infinite timestamps");
  Interval r;
  r.us = static_cast<std::int64_t>(static_cast<std::uint64_t>(a.us) - static_cast<std::uint64_t>(b.us));
  r.days = static_cast<std::int32_t>(r.us / kDay);
  r.us %= kDay;
  return r;
}
template <class T> T plus_interval(T v, const Interval& i) { return add_interval(v, i); }
template <class T> T interval_plus(const Interval& i, T v) { return add_interval(v, i); }
template <class T> T minus_interval(T v, const Interval& i) { return add_interval(v, negate(i)); }

// The difference in years, months, days and time, as a person would count it.
Interval age_between(std::int64_t a, std::int64_t b) {
  Fields x = fields_of(a);
  Fields y = fields_of(b);
  bool flipped = a < b;
  int sign = flipped ? -1 : 1;
  std::int64_t years = (x.year - y.year) * sign;
  int months = (x.month - y.month) * sign;
  int days = (x.day - y.day) * sign;
  std::int64_t time = (time_of(x) - time_of(y)) * sign;
  if (time < 0) {
    time += kDay;
    --days;
  }
  while (days < 0) {
    days += flipped ? days_in_month(x.year, x.month) : days_in_month(y.year, y.month);
    --months;
  }
  while (months < 0) {
    months += 12;
    --years;
  }
  return {time * sign, days * sign, static_cast<std::int32_t>((years * 12 + months) * sign)};
}
// Only -infinity is refused: infinity counts as the last instant that fits.
void refuse_minus_infinity(std::int64_t a, std::int64_t b) {
  if (a == kMinusInfinity || b == kMinusInfinity) throw_timestamp_out_of_range();
}
Interval timestamp_age(Timestamp a, Timestamp b) {
  refuse_minus_infinity(a.us, b.us);
  return age_between(a.us, b.us);
}
Interval timestamptz_age(TimestampTz a, TimestampTz b) {
  refuse_minus_infinity(a.us, b.us);
  return age_between(to_timestamp(a).us, to_timestamp(b).us);
}
std::int64_t today() { return floor_div(to_timestamp(TimestampTz{transaction::transaction_timestamp()}).us, kDay) * kDay; }
Interval age_today(Timestamp v) { return timestamp_age({today()}, v); }
Interval age_today_tz(TimestampTz v) { return timestamptz_age(to_timestamptz(Timestamp{today()}), v); }

// --- zones --------------------------------------------------------------------------------------------------------------------
std::int64_t interval_zone_east(const Interval& zone) {
  if (zone.months != 0 || zone.days != 0) {
    throw SqlError(sqlstate::invalid_parameter_value, "interval time zone \"{}\" must not include months or days", print_interval(zone));
  }
  return static_cast<std::int32_t>(zone.us / kSecond);   // wraps as PostgreSQL's does
}
std::int64_t checked(std::int64_t us) {
  if (!is_valid_timestamp(us)) throw_timestamp_out_of_range();
  return us;
}
TimestampTz timestamp_zone(std::string_view name, Timestamp v) {
  if (!v.is_finite()) return {v.us};
  NamedZone zone = find_named_zone(name, false, v.us, true);
  return zone.zone != nullptr ? to_timestamptz(v, *zone.zone) : TimestampTz{checked(v.us - zone.seconds_east * kSecond)};
}
TimestampTz timestamp_izone(const Interval& zone, Timestamp v) {
  return v.is_finite() ? TimestampTz{checked(v.us - interval_zone_east(zone) * kSecond)} : TimestampTz{v.us};
}
Timestamp timestamptz_zone(std::string_view name, TimestampTz v) {
  if (!v.is_finite()) return {v.us};
  NamedZone zone = find_named_zone(name, false, v.us, false);
  return zone.zone != nullptr ? to_timestamp(v, *zone.zone) : Timestamp{checked(v.us + zone.seconds_east * kSecond)};
}
Timestamp timestamptz_izone(const Interval& zone, TimestampTz v) {
  return v.is_finite() ? Timestamp{checked(v.us + interval_zone_east(zone) * kSecond)} : Timestamp{v.us};
}

// --- date_bin -----------------------------------------------------------------------------------------------------------------
template <class T> T bin(const Interval& stride, T v, T origin) {
  if (!v.is_finite()) return v;
  if (!origin.is_finite()) throw SqlError(sqlstate::datetime_value_out_of_range, "origin out of range");
  if (stride.months != 0) {
    throw SqlError(sqlstate::feature_not_supported, "timestamps cannot be binned into intervals containing months or years");
  }
  std::int64_t us;
  if (__builtin_mul_overflow(static_cast<std::int64_t>(stride.days), kDay, &us) || __builtin_add_overflow(us, stride.us, &us)) throw_interval_out_of_range();
  if (us <= 0) throw SqlError(sqlstate::datetime_value_out_of_range, "stride must be greater than zero");
  std::int64_t difference;
  if (__builtin_sub_overflow(v.us, origin.us, &difference)) throw_interval_out_of_range();
  std::int64_t rest = difference % us;
  std::int64_t r = v.us - rest;
  if (rest < 0 && (__builtin_sub_overflow(r, us, &r) || !is_valid_timestamp(r))) throw_timestamp_out_of_range();
  return {r};
}

// --- window frames, series ------------------------------------------------------------------------------------------------------
template <class T> bool in_range(T value, T base, const Interval& offset, bool sub, bool less) {
  if (interval_span(offset) < 0) throw_bad_frame();
  if (!base.is_finite()) return less ? value <= base : value >= base;
  T bound = add_interval(base, sub ? negate(offset) : offset);
  return less ? value <= bound : value >= bound;
}

template <class T> struct TimeSeries {
  T next, stop;
  Interval step;
  int direction;
};
template <class T> Datum generate_series(FunctionCall& call) {
  auto* s = static_cast<TimeSeries<T>*>(*call.state);
  if (s == nullptr) {
    const auto& step = *call.arg(2).as_pointer<Interval>();
    __int128 span = interval_span(step);
    if (span == 0) throw_invalid_parameter("step size cannot equal zero");
    s = call.state_arena->make<TimeSeries<T>>(T{call.arg(0).as_int64()}, T{call.arg(1).as_int64()}, step, span > 0 ? 1 : -1);
    *call.state = s;
  }
  if (s->direction > 0 ? s->next > s->stop : s->next < s->stop) {
    *call.state = nullptr;
    call.done = true;
    return call.null();
  }
  T value = s->next;
  s->next = add_interval(value, s->step);
  return Datum::of(value.us);
}

Datum timestamptypmodin(FunctionCall& call) { return Datum::of(precision_modifier(call, "TIMESTAMP", "")); }
Datum timestamptztypmodin(FunctionCall& call) { return Datum::of(precision_modifier(call, "TIMESTAMP", " WITH TIME ZONE")); }
CString timestamptypmodout(FunctionCall& call, std::int32_t typmod) { return make_cstring(call, precision_modifier_text(typmod, " without time zone")); }
CString timestamptztypmodout(FunctionCall& call, std::int32_t typmod) { return make_cstring(call, precision_modifier_text(typmod, " with time zone")); }

constexpr BuiltinFunction kTable[] = {
    {Oid{1312}, fn<timestamp_in>},
    {Oid{1313}, fn<timestamp_out>},
    {Oid{2474}, fn<receive<Timestamp>>},
    {Oid{2475}, fn<send<Timestamp>>},
    {Oid{1150}, fn<timestamptz_in>},
    {Oid{1151}, fn<timestamptz_out>},
    {Oid{2476}, fn<receive<TimestampTz>>},
    {Oid{2477}, fn<send<TimestampTz>>},
    {Oid{1961}, fn<scale<Timestamp>>},
    {Oid{1967}, fn<scale<TimestampTz>>},
    {Oid{1389}, fn<timestamp_finite>},
    {Oid{2048}, fn<timestamp_finite>},
    {Oid{1152}, fn<equal<Timestamp>>},
    {Oid{2052}, fn<equal<Timestamp>>},
    {Oid{1153}, fn<not_equal<Timestamp>>},
    {Oid{2053}, fn<not_equal<Timestamp>>},
    {Oid{1154}, fn<less<Timestamp>>},
    {Oid{2054}, fn<less<Timestamp>>},
    {Oid{1155}, fn<less_equal<Timestamp>>},
    {Oid{2055}, fn<less_equal<Timestamp>>},
    {Oid{1157}, fn<greater<Timestamp>>},
    {Oid{2057}, fn<greater<Timestamp>>},
    {Oid{1156}, fn<greater_equal<Timestamp>>},
    {Oid{2056}, fn<greater_equal<Timestamp>>},
    {Oid{1314}, fn<order<Timestamp>>},
    {Oid{2045}, fn<order<Timestamp>>},
    {Oid{1196}, fn<larger<Timestamp>>},
    {Oid{2036}, fn<larger<Timestamp>>},
    {Oid{1195}, fn<smaller<Timestamp>>},
    {Oid{2035}, fn<smaller<Timestamp>>},
    {Oid{2039}, fn<timestamp_hash>},
    {Oid{3411}, fn<timestamp_hash_extended>},
    {Oid{2522}, fn<WithTimestampTz::eq>},
    {Oid{2525}, fn<WithTimestampTz::ne>},
    {Oid{2520}, fn<WithTimestampTz::lt>},
    {Oid{2521}, fn<WithTimestampTz::le>},
    {Oid{2523}, fn<WithTimestampTz::gt>},
    {Oid{2524}, fn<WithTimestampTz::ge>},
    {Oid{2526}, fn<WithTimestampTz::cmp>},
    {Oid{2529}, fn<WithTimestampTz::reversed_eq>},
    {Oid{2532}, fn<WithTimestampTz::reversed_ne>},
    {Oid{2527}, fn<WithTimestampTz::reversed_lt>},
    {Oid{2528}, fn<WithTimestampTz::reversed_le>},
    {Oid{2530}, fn<WithTimestampTz::reversed_gt>},
    {Oid{2531}, fn<WithTimestampTz::reversed_ge>},
    {Oid{2533}, fn<WithTimestampTz::reversed_cmp>},
    {Oid{2027}, fn<timestamptz_timestamp>},
    {Oid{2028}, fn<timestamp_timestamptz>},
    {Oid{1188}, fn<timestamp_mi>},
    {Oid{2031}, fn<timestamp_mi>},
    {Oid{2032}, fn<plus_interval<Timestamp>>},
    {Oid{1189}, fn<plus_interval<TimestampTz>>},
    {Oid{2548}, fn<interval_plus<Timestamp>>},
    {Oid{2549}, fn<interval_plus<TimestampTz>>},
    {Oid{2033}, fn<minus_interval<Timestamp>>},
    {Oid{1190}, fn<minus_interval<TimestampTz>>},
    {Oid{2058}, fn<timestamp_age>},
    {Oid{1199}, fn<timestamptz_age>},
    {Oid{2059}, fn<age_today>},
    {Oid{1386}, fn<age_today_tz>},
    {Oid{2069}, fn<timestamp_zone>},
    {Oid{2070}, fn<timestamp_izone>},
    {Oid{1159}, fn<timestamptz_zone>},
    {Oid{1026}, fn<timestamptz_izone>},
    {Oid{6177}, fn<bin<Timestamp>>},
    {Oid{6178}, fn<bin<TimestampTz>>},
    {Oid{4134}, fn<in_range<Timestamp>>},
    {Oid{4135}, fn<in_range<TimestampTz>>},
    {Oid{938}, fn<generate_series<Timestamp>>, FunctionKind::set_per_call},
    {Oid{939}, fn<generate_series<TimestampTz>>, FunctionKind::set_per_call},
    {Oid{2905}, fn<timestamptypmodin>},
    {Oid{2906}, fn<timestamptypmodout>},
    {Oid{2907}, fn<timestamptztypmodin>},
    {Oid{2908}, fn<timestamptztypmodout>},
};

}  // namespace

std::span<const BuiltinFunction> timestamp_functions() { return kTable; }

}  // namespace hathi::types
