// Types time and timetz.

#include <cmath>

#include "hathi/transaction/transaction.h"
#include "hathi/types/hash.h"
#include "datetime_codec.h"
#include "tables.h"
#include "wrapping.h"

namespace hathi::types {

namespace {

std::int64_t wrap(std::int64_t us) {
  us %= kDay;
  return us < 0 ? us + kDay : us;
}

// --- time ---------------------------------------------------------------------------------------------------------------------
TimeOfDay rounded(TimeOfDay v, std::int32_t typmod) { return {round_to_precision(v.us, typmod)}; }
TimeOfDay time_in(FunctionCall& call, CString text) { return rounded(read_time(text.view()), typmod_argument(call)); }
CString time_out(FunctionCall& call, TimeOfDay v) { return make_cstring(call, print_time(v.us)); }
TimeOfDay time_recv(FunctionCall& call, Datum) {
  TimeOfDay v{binary_reader(call).integer<std::int64_t>()};
  if (v.us < 0 || v.us > kDay) throw SqlError(sqlstate::datetime_value_out_of_range, "time out of range");
  return rounded(v, typmod_argument(call));
}
Datum time_send(FunctionCall& call, TimeOfDay v) { return send_integer(call, v.us); }
TimeOfDay time_scale(TimeOfDay v, std::int32_t typmod) { return rounded(v, typmod); }
std::int32_t time_hash(TimeOfDay v) { return hash_int8(v.us); }
std::int64_t time_hash_extended(TimeOfDay v, std::int64_t seed) { return hash_int8_extended(v.us, seed); }

TimeOfDay timestamp_time(FunctionCall& call, Timestamp v) { return {v.us - floor_div(v.us, kDay) * kDay}; }
Datum time_of_timestamp(FunctionCall& call) {
  Timestamp v{call.arg(0).as_int64()};
  return v.is_finite() ? Datum::of(timestamp_time(call, v).us) : call.null();
}
Datum time_of_timestamptz(FunctionCall& call) {
  TimestampTz v{call.arg(0).as_int64()};
  return v.is_finite() ? Datum::of(timestamp_time(call, to_timestamp(v)).us) : call.null();
}
TimeOfDay interval_time(const Interval& v) { return {wrap(v.us)}; }
Interval time_interval(TimeOfDay v) { return {v.us, 0, 0}; }
Interval time_mi_time(TimeOfDay a, TimeOfDay b) { return {a.us - b.us, 0, 0}; }
TimeOfDay time_pl_interval(TimeOfDay v, const Interval& i) { return {wrap(v.us + i.us % kDay)}; }
TimeOfDay interval_pl_time(const Interval& i, TimeOfDay v) { return time_pl_interval(v, i); }
TimeOfDay time_mi_interval(TimeOfDay v, const Interval& i) { return {wrap(v.us - i.us % kDay)}; }

bool in_range_time_interval(TimeOfDay value, TimeOfDay base, const Interval& offset, bool sub, bool less) {
  if (offset.us < 0) throw_bad_frame();
  std::int64_t bound;
  if (__builtin_add_overflow(base.us, sub ? -offset.us : offset.us, &bound)) return less;
  return less ? value.us <= bound : value.us >= bound;
}

TimeOfDay make_time(std::int32_t hour, std::int32_t minute, double second) {
  double whole_us = std::isfinite(second) ? std::rint(second * 1e6) : -1;
  bool bad = hour < 0 || minute < 0 || minute > 59 || whole_us < 0 || whole_us > 60e6 || hour > 24 ||
             hour * kHour + minute * kMinute + static_cast<std::int64_t>(whole_us) > kDay;
  if (bad) throw SqlError(sqlstate::datetime_field_overflow, "time field value out of range: {}", clock_text(hour, minute, second));
  return {hour * kHour + minute * kMinute + static_cast<std::int64_t>(whole_us)};
}

// --- timetz -------------------------------------------------------------------------------------------------------------------
TimeTz rounded(const TimeTz& v, std::int32_t typmod) { return {round_to_precision(v.us, typmod), v.zone}; }
TimeTz timetz_in(FunctionCall& call, CString text) { return rounded(read_timetz(text.view()), typmod_argument(call)); }
CString timetz_out(FunctionCall& call, const TimeTz& v) { return make_cstring(call, print_timetz(v)); }
TimeTz timetz_recv(FunctionCall& call, Datum) {
  TimeTz v{binary_reader(call).integer<std::int64_t>(), 0};
  if (v.us < 0 || v.us > kDay) throw SqlError(sqlstate::datetime_value_out_of_range, "time out of range");
  v.zone = binary_reader(call).integer<std::int32_t>();
  if (v.zone <= -16 * 3600 || v.zone >= 16 * 3600) {
    throw SqlError(sqlstate::invalid_time_zone_displacement_value, "time zone displacement out of range");
  }
  return rounded(v, typmod_argument(call));
}
Datum timetz_send(FunctionCall& call, const TimeTz& v) {
  NewText result(call, 12);
  put_big_endian(result.data, v.us);
  put_big_endian(result.data + 8, v.zone);
  return result.datum();
}
TimeTz timetz_scale(const TimeTz& v, std::int32_t typmod) { return rounded(v, typmod); }

// By the instant, then by the zone.
int compare(const TimeTz& a, const TimeTz& b) {
  std::int64_t x = a.us + a.zone * kSecond;
  std::int64_t y = b.us + b.zone * kSecond;
  if (x != y) return x < y ? -1 : 1;
  return (a.zone > b.zone) - (a.zone < b.zone);
}
using TimeTzOrder = By<static_cast<int (*)(const TimeTz&, const TimeTz&)>(compare)>;
TimeTz timetz_larger(const TimeTz& a, const TimeTz& b) { return compare(a, b) > 0 ? a : b; }
TimeTz timetz_smaller(const TimeTz& a, const TimeTz& b) { return compare(a, b) < 0 ? a : b; }
std::int32_t timetz_hash(const TimeTz& v) {
  return hash_int8(v.us) ^ static_cast<std::int32_t>(hash_uint32(static_cast<std::uint32_t>(v.zone)));
}
std::int64_t timetz_hash_extended(const TimeTz& v, std::int64_t seed) {
  return hash_int8_extended(v.us, seed) ^
         static_cast<std::int64_t>(hash_uint32_extended(static_cast<std::uint32_t>(v.zone), static_cast<std::uint64_t>(seed)));
}

TimeTz timetz_pl_interval(const TimeTz& v, const Interval& i) { return {wrap(v.us + i.us % kDay), v.zone}; }
TimeTz interval_pl_timetz(const Interval& i, const TimeTz& v) { return timetz_pl_interval(v, i); }
TimeTz timetz_mi_interval(const TimeTz& v, const Interval& i) { return {wrap(v.us - i.us % kDay), v.zone}; }
TimeOfDay timetz_time(const TimeTz& v) { return {v.us}; }

// A displacement that no clock has may come from an interval: the difference wraps as PostgreSQL's does.
TimeTz in_zone(const TimeTz& v, std::int32_t west) { return {wrap(v.us + wrapping_subtract(v.zone, west) * kSecond), west}; }

bool in_range_timetz_interval(const TimeTz& value, const TimeTz& base, const Interval& offset, bool sub, bool less) {
  if (offset.us < 0) throw_bad_frame();
  TimeTz bound = base;
  if (__builtin_add_overflow(base.us, sub ? -offset.us : offset.us, &bound.us)) return less;
  int r = compare(value, bound);
  return less ? r <= 0 : r >= 0;
}

std::int32_t west_now(const TimeZone& zone, FunctionCall&) { return -offset_at(zone, transaction::transaction_timestamp()).seconds_east; }

TimeTz time_timetz(FunctionCall& call, TimeOfDay v) {
  // The session's offset today at that time.
  Timestamp today = to_timestamp(TimestampTz{transaction::transaction_timestamp()});
  std::int64_t local = floor_div(today.us, kDay) * kDay + v.us;
  return {v.us, -offset_at_local(session_time_zone(), local).seconds_east};
}
Datum timestamptz_timetz(FunctionCall& call) {
  TimestampTz v{call.arg(0).as_int64()};
  if (!v.is_finite()) return call.null();
  std::int32_t east = offset_at(session_time_zone(), v.us).seconds_east;
  return adapter::Codec<TimeTz>::put(call, {wrap(v.us + east * kSecond), -east});
}
TimeTz timetz_zone(FunctionCall& call, std::string_view zone, const TimeTz& v) {
  NamedZone z = find_named_zone(zone, false, transaction::transaction_timestamp(), false);
  return in_zone(v, z.zone == nullptr ? -z.seconds_east : west_now(*z.zone, call));
}
TimeTz timetz_izone(const Interval& zone, const TimeTz& v) {
  if (zone.months != 0 || zone.days != 0) {
    throw SqlError(sqlstate::invalid_parameter_value, "interval time zone \"{}\" must not include months or days", print_interval(zone));
  }
  return in_zone(v, static_cast<std::int32_t>(-(zone.us / kSecond)));
}

// --- type modifiers -----------------------------------------------------------------------------------------------------------
Datum timetypmodin(FunctionCall& call) { return Datum::of(precision_modifier(call, "TIME", "")); }
Datum timetztypmodin(FunctionCall& call) { return Datum::of(precision_modifier(call, "TIME", " WITH TIME ZONE")); }
CString timetypmodout(FunctionCall& call, std::int32_t typmod) { return make_cstring(call, precision_modifier_text(typmod, " without time zone")); }
CString timetztypmodout(FunctionCall& call, std::int32_t typmod) { return make_cstring(call, precision_modifier_text(typmod, " with time zone")); }

constexpr BuiltinFunction kTable[] = {
    {Oid{1143}, fn<time_in>},
    {Oid{1144}, fn<time_out>},
    {Oid{2470}, fn<time_recv>},
    {Oid{2471}, fn<time_send>},
    {Oid{1968}, fn<time_scale>},
    {Oid{1145}, fn<equal<TimeOfDay>>},
    {Oid{1106}, fn<not_equal<TimeOfDay>>},
    {Oid{1102}, fn<less<TimeOfDay>>},
    {Oid{1103}, fn<less_equal<TimeOfDay>>},
    {Oid{1104}, fn<greater<TimeOfDay>>},
    {Oid{1105}, fn<greater_equal<TimeOfDay>>},
    {Oid{1107}, fn<order<TimeOfDay>>},
    {Oid{1377}, fn<larger<TimeOfDay>>},
    {Oid{1378}, fn<smaller<TimeOfDay>>},
    {Oid{1688}, fn<time_hash>},
    {Oid{3409}, fn<time_hash_extended>},
    {Oid{1316}, fn<time_of_timestamp>},
    {Oid{2019}, fn<time_of_timestamptz>},
    {Oid{1419}, fn<interval_time>},
    {Oid{1370}, fn<time_interval>},
    {Oid{1690}, fn<time_mi_time>},
    {Oid{1747}, fn<time_pl_interval>},
    {Oid{1848}, fn<interval_pl_time>},
    {Oid{1748}, fn<time_mi_interval>},
    {Oid{4137}, fn<in_range_time_interval>},
    {Oid{3847}, fn<make_time>},
    {Oid{1350}, fn<timetz_in>},
    {Oid{1351}, fn<timetz_out>},
    {Oid{2472}, fn<timetz_recv>},
    {Oid{2473}, fn<timetz_send>},
    {Oid{1969}, fn<timetz_scale>},
    {Oid{1352}, fn<TimeTzOrder::eq>},
    {Oid{1353}, fn<TimeTzOrder::ne>},
    {Oid{1354}, fn<TimeTzOrder::lt>},
    {Oid{1355}, fn<TimeTzOrder::le>},
    {Oid{1357}, fn<TimeTzOrder::gt>},
    {Oid{1356}, fn<TimeTzOrder::ge>},
    {Oid{1358}, fn<TimeTzOrder::cmp>},
    {Oid{1379}, fn<timetz_larger>},
    {Oid{1380}, fn<timetz_smaller>},
    {Oid{1696}, fn<timetz_hash>},
    {Oid{3410}, fn<timetz_hash_extended>},
    {Oid{1749}, fn<timetz_pl_interval>},
    {Oid{2547}, fn<interval_pl_timetz>},
    {Oid{1750}, fn<timetz_mi_interval>},
    {Oid{2046}, fn<timetz_time>},
    {Oid{2047}, fn<time_timetz>},
    {Oid{1388}, fn<timestamptz_timetz>},
    {Oid{2037}, fn<timetz_zone>},
    {Oid{2038}, fn<timetz_izone>},
    {Oid{4138}, fn<in_range_timetz_interval>},
    {Oid{2909}, fn<timetypmodin>},
    {Oid{2910}, fn<timetypmodout>},
    {Oid{2911}, fn<timetztypmodin>},
    {Oid{2912}, fn<timetztypmodout>},
};

}  // namespace

std::span<const BuiltinFunction> time_functions() { return kTable; }

}  // namespace hathi::types
