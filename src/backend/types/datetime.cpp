// Conversions among dates, times and intervals, and their arithmetic.

#include "datetime.h"

#include <algorithm>

#include "errors.h"
#include "parse.h"
#include "wrapping.h"

namespace hathi::types {

void set_time(Fields& f, std::int64_t us) {
  f.hour = static_cast<int>(us / kHour);
  f.minute = static_cast<int>(us % kHour / kMinute);
  f.second = static_cast<int>(us % kMinute / kSecond);
  f.microsecond = static_cast<int>(us % kSecond);
}

Fields fields_of(std::int64_t us) {
  std::int64_t days = floor_div(us, kDay);
  CivilDate date = civil_from_days(days);
  Fields f;
  f.year = date.year;
  f.month = date.month;
  f.day = date.day;
  set_time(f, us - days * kDay);
  return f;
}

bool timestamp_of(const Fields& f, std::int64_t& us) {
  if (f.year < -4713 || f.year > 5874898) return false;
  std::int64_t days = days_from_civil(f.year, f.month, f.day);
  return !__builtin_mul_overflow(days, kDay, &us) && !__builtin_add_overflow(us, time_of(f), &us) && is_valid_timestamp(us);
}

void throw_timestamp_out_of_range() { throw SqlError(sqlstate::datetime_value_out_of_range, "timestamp out of range"); }
void throw_date_out_of_range() { throw SqlError(sqlstate::datetime_value_out_of_range, "date out of range"); }
void throw_interval_out_of_range() { throw SqlError(sqlstate::datetime_value_out_of_range, "interval out of range"); }

std::int64_t round_to_precision(std::int64_t us, std::int32_t typmod) {
  if (typmod < 0 || typmod >= 6) return us;
  static constexpr std::int64_t kScales[] = {1000000, 100000, 10000, 1000, 100, 10};
  std::int64_t scale = kScales[typmod];
  // Halves away from zero; at the ends of the range the sum wraps, as PostgreSQL's does.
  if (us >= 0) return wrapping_add(us, scale / 2) / scale * scale;
  return -(wrapping_add(wrapping_subtract(std::int64_t{0}, us), scale / 2) / scale * scale);
}

void apply_interval_typmod(Interval& v, std::int32_t typmod) {
  if (typmod < 0) return;
  namespace f = interval_field;
  int range = typmod >> 16 & 0x7FFF;
  int precision = typmod & 0xFFFF;
  constexpr int kFullPrecision = 0xFFFF;
  switch (range) {
    case f::all: break;
    case f::year:
      v.months = v.months / 12 * 12;
      v.days = 0;
      v.us = 0;
      break;
    case f::month: case f::year | f::month:
      v.days = 0;
      v.us = 0;
      break;
    case f::day: v.us = 0; break;
    case f::hour: case f::day | f::hour: v.us = v.us / kHour * kHour; break;
    case f::minute: case f::hour | f::minute: case f::day | f::hour | f::minute: v.us = v.us / kMinute * kMinute; break;
    default: break;  // down to seconds
  }
  if (precision != kFullPrecision && precision < 6) v.us = round_to_precision(v.us, precision);
}

NamedZone find_named_zone(std::string_view name, bool as_zone, std::int64_t us, bool local) {
  if (const ZoneAbbreviation* a = find_zone_abbreviation(name)) {
    const TimeZone* zone = a->zone == nullptr ? nullptr : find_time_zone(a->zone);
    if (zone == nullptr) return {nullptr, a->seconds_east};
    if (as_zone) return {zone, 0};
    ZoneOffset at = local ? offset_at_local(*zone, us) : offset_at(*zone, us);
    std::int64_t utc = floor_div(us, kSecond) + kPostgresEpochDays * 86400 - (local ? at.seconds_east : 0);
    ZoneOffset meant;
    return {nullptr, zone->abbreviation_at(a->name, utc, meant) ? meant.seconds_east : at.seconds_east};
  }
  if (const TimeZone* zone = find_time_zone(name)) return {zone, 0};
  throw SqlError(sqlstate::invalid_parameter_value, "time zone \"{}\" not recognized", name);
}

TimestampTz to_timestamptz(Timestamp v, const TimeZone& zone) {
  if (!v.is_finite()) return {v.us};
  std::int64_t us = v.us - offset_at_local(zone, v.us).seconds_east * kSecond;
  if (!is_valid_timestamp(us)) throw_timestamp_out_of_range();
  return {us};
}
TimestampTz to_timestamptz(Timestamp v) { return to_timestamptz(v, session_time_zone()); }
Timestamp to_timestamp(TimestampTz v, const TimeZone& zone) {
  if (!v.is_finite()) return {v.us};
  std::int64_t us = v.us + offset_at(zone, v.us).seconds_east * kSecond;
  if (!is_valid_timestamp(us)) throw_timestamp_out_of_range();
  return {us};
}
Timestamp to_timestamp(TimestampTz v) { return to_timestamp(v, session_time_zone()); }

Timestamp to_timestamp(Date v) {
  if (v == kDateMinusInfinity) return {kMinusInfinity};
  if (v == kDateInfinity) return {kInfinity};
  if (v.days >= kEndTimestamp / kDay) throw SqlError(sqlstate::datetime_value_out_of_range, "date out of range for timestamp");
  return {v.days * kDay};
}
TimestampTz to_timestamptz(Date v) {
  if (!v.is_finite()) return {to_timestamp(v).us};
  Timestamp local = to_timestamp(v);
  std::int64_t us = local.us - offset_at_local(session_time_zone(), local.us).seconds_east * kSecond;
  if (!is_valid_timestamp(us)) throw SqlError(sqlstate::datetime_value_out_of_range, "date out of range for timestamp");
  return {us};
}
Date to_date(Timestamp v) {
  if (!v.is_finite()) return v.us < 0 ? kDateMinusInfinity : kDateInfinity;
  return {static_cast<std::int32_t>(floor_div(v.us, kDay))};
}

namespace {

// Months, then days, on a local time; days beyond a month's end become its last.
std::int64_t add_months_and_days(std::int64_t us, const Interval& i) {
  if (i.months != 0) {
    Fields f = fields_of(us);
    std::int64_t month = f.month - 1 + static_cast<std::int64_t>(i.months);
    f.year += floor_div(month, 12);
    f.month = static_cast<int>(month - floor_div(month, 12) * 12) + 1;
    if (f.year < -4713 || f.year > 5874898) throw_timestamp_out_of_range();
    f.day = std::min(f.day, days_in_month(f.year, f.month));
    if (!timestamp_of(f, us)) throw_timestamp_out_of_range();
  }
  if (i.days != 0) {
    std::int64_t shift;
    if (__builtin_mul_overflow(i.days, kDay, &shift) || __builtin_add_overflow(us, shift, &us) || !is_valid_timestamp(us)) throw_timestamp_out_of_range();
  }
  return us;
}

}  // namespace

Timestamp add_interval(Timestamp v, const Interval& i) {
  if (!v.is_finite()) return v;
  std::int64_t us = add_months_and_days(v.us, i);
  if (__builtin_add_overflow(us, i.us, &us) || !is_valid_timestamp(us)) throw_timestamp_out_of_range();
  return {us};
}

TimestampTz add_interval(TimestampTz v, const Interval& i) {
  if (!v.is_finite()) return v;
  std::int64_t us = v.us;
  if (i.months != 0 || i.days != 0) {
    const TimeZone& zone = session_time_zone();
    // Months first and days second, each as seen on the wall clock.
    if (i.months != 0) {
      std::int64_t local = add_months_and_days(us + offset_at(zone, us).seconds_east * kSecond, {0, 0, i.months});
      us = local - offset_at_local(zone, local).seconds_east * kSecond;
    }
    if (i.days != 0) {
      std::int64_t local = add_months_and_days(us + offset_at(zone, us).seconds_east * kSecond, {0, i.days, 0});
      us = local - offset_at_local(zone, local).seconds_east * kSecond;
    }
    if (!is_valid_timestamp(us)) throw_timestamp_out_of_range();
  }
  if (__builtin_add_overflow(us, i.us, &us) || !is_valid_timestamp(us)) throw_timestamp_out_of_range();
  return {us};
}

Interval negate(const Interval& v) {
  Interval r;
  if (__builtin_sub_overflow(std::int64_t{0}, v.us, &r.us) || __builtin_sub_overflow(0, v.days, &r.days) || __builtin_sub_overflow(0, v.months, &r.months)) {
    throw_interval_out_of_range();
  }
  return r;
}
Interval add(const Interval& a, const Interval& b) {
  Interval r;
  if (__builtin_add_overflow(a.us, b.us, &r.us) || __builtin_add_overflow(a.days, b.days, &r.days) || __builtin_add_overflow(a.months, b.months, &r.months)) {
    throw_interval_out_of_range();
  }
  return r;
}
Interval subtract(const Interval& a, const Interval& b) {
  Interval r;
  if (__builtin_sub_overflow(a.us, b.us, &r.us) || __builtin_sub_overflow(a.days, b.days, &r.days) || __builtin_sub_overflow(a.months, b.months, &r.months)) {
    throw_interval_out_of_range();
  }
  return r;
}
__int128 interval_span(const Interval& v) {
  return static_cast<__int128>(v.us) + (static_cast<__int128>(v.months) * 30 + v.days) * kDay;
}

}  // namespace hathi::types
