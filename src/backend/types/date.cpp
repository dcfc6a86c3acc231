// Type date; its comparison with timestamp and timestamptz.

#include "datetime_codec.h"
#include "tables.h"

namespace hathi::types {

namespace {

Date date_in(CString text) { return read_date(text.view()); }
CString date_out(FunctionCall& call, Date v) { return make_cstring(call, print_date(v)); }
Date date_recv(FunctionCall& call, Datum) {
  Date v{binary_reader(call).integer<std::int32_t>()};
  if (v.is_finite() && !is_valid_date(v.days)) throw_date_out_of_range();
  return v;
}
Datum date_send(FunctionCall& call, Date v) { return send_integer(call, v.days); }

bool date_finite(Date v) { return v.is_finite(); }
std::int32_t date_mi(Date a, Date b) {
  if (!a.is_finite() || !b.is_finite()) throw SqlError(sqlstate::datetime_value_out_of_range, "cannot subtract infinite dates");
  return a.days - b.days;
}
Date shifted(Date v, std::int64_t days) {
  if (!v.is_finite()) return v;
  std::int64_t r = v.days + days;
  if (!is_valid_date(r)) throw_date_out_of_range();
  return {static_cast<std::int32_t>(r)};
}
Date date_pli(Date v, std::int32_t days) { return shifted(v, days); }
Date date_mii(Date v, std::int32_t days) { return shifted(v, -static_cast<std::int64_t>(days)); }
Date integer_pl_date(std::int32_t days, Date v) { return shifted(v, days); }
Timestamp date_pl_interval(Date v, const Interval& i) { return add_interval(to_timestamp(v), i); }
Timestamp interval_pl_date(const Interval& i, Date v) { return add_interval(to_timestamp(v), i); }
Timestamp date_mi_interval(Date v, const Interval& i) { return add_interval(to_timestamp(v), negate(i)); }

Timestamp date_timestamp(Date v) { return to_timestamp(v); }
TimestampTz date_timestamptz(Date v) { return to_timestamptz(v); }
Date timestamp_date(Timestamp v) { return to_date(v); }
Date timestamptz_date(TimestampTz v) { return to_date(to_timestamp(v)); }
Timestamp datetime_timestamp(Date d, TimeOfDay t) {
  Timestamp v = to_timestamp(d);
  if (!v.is_finite()) return v;
  v.us += t.us;
  if (!is_valid_timestamp(v.us)) throw_timestamp_out_of_range();
  return v;
}
Timestamp timedate_pl(TimeOfDay t, Date d) { return datetime_timestamp(d, t); }
TimestampTz datetimetz_timestamptz(Date d, const TimeTz& t) {
  if (!d.is_finite()) return {to_timestamp(d).us};
  if (d.days >= kEndTimestamp / kDay) throw SqlError(sqlstate::datetime_value_out_of_range, "date out of range for timestamp");
  std::int64_t us = d.days * kDay + t.us + t.zone * kSecond;
  if (!is_valid_timestamp(us)) throw SqlError(sqlstate::datetime_value_out_of_range, "date out of range for timestamp");
  return {us};
}
TimestampTz timetzdate_pl(const TimeTz& t, Date d) { return datetimetz_timestamptz(d, t); }
TimestampTz local_date_and_time(Date d, TimeOfDay t) { return to_timestamptz(datetime_timestamp(d, t)); }

// --- comparison with time stamps: a date beyond their range is beyond them all --------------------------------------------------
int compare(Date a, Timestamp b) {
  if (a.is_finite() && a.days >= kEndTimestamp / kDay) return b.us == kInfinity ? -1 : 1;
  std::int64_t us = to_timestamp(a).us;
  return (us > b.us) - (us < b.us);
}
int compare_tz(Date a, TimestampTz b) {
  if (!a.is_finite()) return compare(a, Timestamp{b.us});
  if (a.days >= kEndTimestamp / kDay) return b.us == kInfinity ? -1 : 1;
  std::int64_t local = a.days * kDay;
  std::int64_t us = local - offset_at_local(session_time_zone(), local).seconds_east * kSecond;
  return (us > b.us) - (us < b.us);
}
using WithTimestamp = By<static_cast<int (*)(Date, Timestamp)>(compare)>;
using WithTimestampTz = By<static_cast<int (*)(Date, TimestampTz)>(compare_tz)>;

bool in_range_date_interval(Date value, Date base, const Interval& offset, bool sub, bool less) {
  if (interval_span(offset) < 0) throw_bad_frame();
  Timestamp v = to_timestamp(value);
  Timestamp b = to_timestamp(base);
  Timestamp bound = add_interval(b, sub ? negate(offset) : offset);
  return less ? v <= bound : v >= bound;
}

Date make_date(std::int32_t year, std::int32_t month, std::int32_t day) {
  bool bc = year < 0;
  std::int64_t y = bc ? static_cast<std::int64_t>(year) + 1 : year;
  if (year == 0 || month < 1 || month > 12 || day < 1 || day > days_in_month(y, month)) {
    throw SqlError(sqlstate::datetime_field_overflow, "date field value out of range: {}-{:02}-{:02}", y, month, day);
  }
  std::int64_t days = days_from_civil(y, month, day);
  if (!is_valid_date(days)) throw SqlError(sqlstate::datetime_value_out_of_range, "date out of range: {}-{:02}-{:02}", y, month, day);
  return {static_cast<std::int32_t>(days)};
}

constexpr BuiltinFunction kTable[] = {
    {Oid{1084}, fn<date_in>},
    {Oid{1085}, fn<date_out>},
    {Oid{2468}, fn<date_recv>},
    {Oid{2469}, fn<date_send>},
    {Oid{1086}, fn<equal<Date>>},
    {Oid{1091}, fn<not_equal<Date>>},
    {Oid{1087}, fn<less<Date>>},
    {Oid{1088}, fn<less_equal<Date>>},
    {Oid{1089}, fn<greater<Date>>},
    {Oid{1090}, fn<greater_equal<Date>>},
    {Oid{1092}, fn<order<Date>>},
    {Oid{1138}, fn<larger<Date>>},
    {Oid{1139}, fn<smaller<Date>>},
    {Oid{1373}, fn<date_finite>},
    {Oid{1140}, fn<date_mi>},
    {Oid{1141}, fn<date_pli>},
    {Oid{1142}, fn<date_mii>},
    {Oid{2550}, fn<integer_pl_date>},
    {Oid{2071}, fn<date_pl_interval>},
    {Oid{2546}, fn<interval_pl_date>},
    {Oid{2072}, fn<date_mi_interval>},
    {Oid{2024}, fn<date_timestamp>},
    {Oid{1174}, fn<date_timestamptz>},
    {Oid{2029}, fn<timestamp_date>},
    {Oid{1178}, fn<timestamptz_date>},
    {Oid{1272}, fn<datetime_timestamp>},
    {Oid{2025}, fn<datetime_timestamp>},
    {Oid{1296}, fn<timedate_pl>},
    {Oid{1297}, fn<datetimetz_timestamptz>},
    {Oid{1359}, fn<datetimetz_timestamptz>},
    {Oid{1298}, fn<timetzdate_pl>},
    {Oid{1176}, fn<local_date_and_time>},
    {Oid{2340}, fn<WithTimestamp::eq>},
    {Oid{2343}, fn<WithTimestamp::ne>},
    {Oid{2338}, fn<WithTimestamp::lt>},
    {Oid{2339}, fn<WithTimestamp::le>},
    {Oid{2341}, fn<WithTimestamp::gt>},
    {Oid{2342}, fn<WithTimestamp::ge>},
    {Oid{2344}, fn<WithTimestamp::cmp>},
    {Oid{2366}, fn<WithTimestamp::reversed_eq>},
    {Oid{2369}, fn<WithTimestamp::reversed_ne>},
    {Oid{2364}, fn<WithTimestamp::reversed_lt>},
    {Oid{2365}, fn<WithTimestamp::reversed_le>},
    {Oid{2367}, fn<WithTimestamp::reversed_gt>},
    {Oid{2368}, fn<WithTimestamp::reversed_ge>},
    {Oid{2370}, fn<WithTimestamp::reversed_cmp>},
    {Oid{2353}, fn<WithTimestampTz::eq>},
    {Oid{2356}, fn<WithTimestampTz::ne>},
    {Oid{2351}, fn<WithTimestampTz::lt>},
    {Oid{2352}, fn<WithTimestampTz::le>},
    {Oid{2354}, fn<WithTimestampTz::gt>},
    {Oid{2355}, fn<WithTimestampTz::ge>},
    {Oid{2357}, fn<WithTimestampTz::cmp>},
    {Oid{2379}, fn<WithTimestampTz::reversed_eq>},
    {Oid{2382}, fn<WithTimestampTz::reversed_ne>},
    {Oid{2377}, fn<WithTimestampTz::reversed_lt>},
    {Oid{2378}, fn<WithTimestampTz::reversed_le>},
    {Oid{2380}, fn<WithTimestampTz::reversed_gt>},
    {Oid{2381}, fn<WithTimestampTz::reversed_ge>},
    {Oid{2383}, fn<WithTimestampTz::reversed_cmp>},
    {Oid{4133}, fn<in_range_date_interval>},
    {Oid{3846}, fn<make_date>},
};

}  // namespace

std::span<const BuiltinFunction> date_functions() { return kTable; }

}  // namespace hathi::types
