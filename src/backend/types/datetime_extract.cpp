// extract(), date_part(), date_trunc().

#include <cmath>

#include "datetime_codec.h"
#include "datetime_tokens.h"
#include "numeric_codec.h"
#include "tables.h"
#include "type_io.h"

namespace hathi::types {

namespace {

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = to_lower_ascii(c);
  return result;
}
[[noreturn]] void throw_not_recognized(std::string_view unit, std::string_view type) {
  throw SqlError(sqlstate::invalid_parameter_value, "unit \"{}\" not recognized for type {}", lower_case(unit), type);
}
[[noreturn]] void throw_unsupported(std::string_view unit, std::string_view type) {
  throw SqlError(sqlstate::feature_not_supported, "unit \"{}\" not supported for type {}", lower_case(unit), type);
}

Unit unit_of(std::string_view text, std::string_view type) {
  std::string lower = lower_case(text);
  Unit unit = find_unit(lower);
  if (unit != Unit::none) return unit;
  Word word = find_date_word(lower);
  if (word.kind == WordKind::unit) return static_cast<Unit>(word.value);
  if (word.kind == WordKind::julian) return Unit::julian;
  if (word.kind == WordKind::special && static_cast<Special>(word.value) == Special::epoch) return Unit::epoch;
  throw_not_recognized(text, type);
}

std::int64_t century(std::int64_t year) { return year > 0 ? (year + 99) / 100 : -((99 - (year - 1)) / 100); }
std::int64_t millennium(std::int64_t year) { return year > 0 ? (year + 999) / 1000 : -((999 - (year - 1)) / 1000); }
std::int64_t decade(std::int64_t year) { return year >= 0 ? year / 10 : -((8 - (year - 1)) / 10); }

// The Thursday of the week decides to which year it belongs.
struct IsoWeek {
  std::int64_t year;
  int week;
};
IsoWeek iso_week(std::int64_t days) {
  std::int64_t thursday = days - (day_of_week(days) + 6) % 7 + 3;
  std::int64_t year = civil_from_days(thursday).year;
  return {year, static_cast<int>((thursday - days_from_civil(year, 1, 1)) / 7) + 1};
}

Numeric whole(std::int64_t v) { return Numeric::of(v); }
Numeric decimal(std::int64_t v, int scale) { return {Numeric::Kind::finite, scale, Integer(v)}; }
// Years are shown without a year 0.
std::int64_t shown_year(std::int64_t year) { return year > 0 ? year : year - 1; }

// Fields of a date; false when the unit is not one of a date.
bool extract_date_field(Unit unit, const Fields& f, std::int64_t days, Numeric& v) {
  switch (unit) {
    case Unit::day: v = whole(f.day); return true;
    case Unit::month: v = whole(f.month); return true;
    case Unit::quarter: v = whole((f.month - 1) / 3 + 1); return true;
    case Unit::week: v = whole(iso_week(days).week); return true;
    case Unit::year: v = whole(shown_year(f.year)); return true;
    case Unit::decade: v = whole(decade(f.year)); return true;
    case Unit::century: v = whole(century(f.year)); return true;
    case Unit::millennium: v = whole(millennium(f.year)); return true;
    case Unit::isoyear: v = whole(shown_year(iso_week(days).year)); return true;
    case Unit::dow: v = whole(day_of_week(days)); return true;
    case Unit::isodow: v = whole(day_of_week(days) == 0 ? 7 : day_of_week(days)); return true;
    case Unit::doy: v = whole(days - days_from_civil(f.year, 1, 1) + 1); return true;
    default: return false;
  }
}
bool extract_time_field(Unit unit, std::int64_t us_of_day, Numeric& v) {
  std::int64_t second_us = us_of_day % kMinute;
  switch (unit) {
    case Unit::microsecond: v = whole(second_us); return true;
    case Unit::millisecond: v = decimal(second_us, 3); return true;
    case Unit::second: v = decimal(second_us, 6); return true;
    case Unit::minute: v = whole(us_of_day % kHour / kMinute); return true;
    case Unit::hour: v = whole(us_of_day / kHour); return true;
    default: return false;
  }
}
bool extract_zone_field(Unit unit, std::int32_t east, Numeric& v) {
  switch (unit) {
    case Unit::timezone: v = whole(east); return true;
    case Unit::timezone_hour: v = whole(east / 3600); return true;
    case Unit::timezone_minute: v = whole(east / 60 % 60); return true;
    default: return false;
  }
}

bool grows_without_end(Unit unit) {
  return unit == Unit::year || unit == Unit::decade || unit == Unit::century || unit == Unit::millennium || unit == Unit::isoyear || unit == Unit::epoch ||
         unit == Unit::julian;
}
bool is_field(Unit unit) { return unit <= Unit::millennium || unit == Unit::dow || unit == Unit::isodow || unit == Unit::doy; }

// What an infinite value gives: NULL (false) for fields that go round, an infinity for those that grow.
bool extract_infinite(Unit unit, bool negative, std::string_view text, std::string_view type, bool zones, Numeric& v) {
  if (grows_without_end(unit)) {
    v = Numeric::infinity(negative);
    return true;
  }
  bool zone_unit = unit == Unit::timezone || unit == Unit::timezone_hour || unit == Unit::timezone_minute;
  if (!is_field(unit) && !(zones && zone_unit)) throw_unsupported(text, type);
  return false;
}

// date_part gives what extract gives, as a float; Julian dates are computed as such.
template <bool Float> Datum answer(FunctionCall& call, const Numeric& v) {
  if constexpr (Float) {
    if (v.is_infinite()) return Datum::of(v.sign() * HUGE_VAL);
    return Datum::of(numeric_to_double(v));
  } else {
    return store_numeric(v, call.arena());
  }
}
template <bool Float> Datum julian_date(FunctionCall& call, std::int64_t days, std::int64_t us) {
  std::int64_t number = days + kJulianOfEpoch;
  if constexpr (Float) return Datum::of(static_cast<double>(number) + static_cast<double>(us) / 1e6 / 86400.0);
  Numeric part = decimal(us, 0);
  Numeric day = whole(kDay);
  return store_numeric(add_numeric(whole(number), divide_numeric(part, day, division_scale(part, day))), call.arena());
}

// --- timestamp, timestamptz ---------------------------------------------------------------------------------------------------
template <bool Float, bool Zoned> Datum extract_instant(FunctionCall& call) {
  constexpr std::string_view kType = Zoned ? "timestamp with time zone" : "timestamp without time zone";
  std::string_view text = call.text(0);
  Timestamp v{call.arg(1).as_int64()};
  Unit unit = unit_of(text, kType);
  Numeric result;
  if (!v.is_finite()) {
    return extract_infinite(unit, v.us < 0, text, kType, true, result) ? answer<Float>(call, result) : call.null();
  }
  if (unit == Unit::epoch) {
    Integer since_1970 = Integer(v.us) + Integer(kPostgresEpochDays * kDay);
    return answer<Float>(call, {Numeric::Kind::finite, 6, since_1970});
  }
  std::int32_t east = Zoned ? offset_at(session_time_zone(), v.us).seconds_east : 0;
  std::int64_t local = v.us + east * kSecond;
  std::int64_t days = floor_div(local, kDay);
  std::int64_t us = local - days * kDay;
  if (unit == Unit::julian) return julian_date<Float>(call, days, us);
  Fields f = fields_of(local);
  if (extract_time_field(unit, us, result) || extract_date_field(unit, f, days, result) || (Zoned && extract_zone_field(unit, east, result))) {
    return answer<Float>(call, result);
  }
  throw_unsupported(text, kType);
}

// --- date -----------------------------------------------------------------------------------------------------------------------
Datum extract_date(FunctionCall& call) {
  std::string_view text = call.text(0);
  Date v{call.arg(1).as_int32()};
  Unit unit = unit_of(text, "date");
  Numeric result;
  bool of_time = (unit >= Unit::microsecond && unit <= Unit::hour) || (unit >= Unit::timezone && unit <= Unit::timezone_minute);
  if (of_time) throw_unsupported(text, "date");
  if (!v.is_finite()) return extract_infinite(unit, v.days < 0, text, "date", false, result) ? answer<false>(call, result) : call.null();
  Fields f = fields_of(0);
  CivilDate c = civil_from_days(v.days);
  f.year = c.year;
  f.month = c.month;
  f.day = c.day;
  if (unit == Unit::julian) return answer<false>(call, whole(v.days + kJulianOfEpoch));
  if (unit == Unit::epoch) return answer<false>(call, whole((v.days + kPostgresEpochDays) * 86400));
  if (!extract_date_field(unit, f, v.days, result)) throw_unsupported(text, "date");
  return answer<false>(call, result);
}
// date_part(text, date) is that of the time stamp at its midnight.
Datum date_part_of_date(FunctionCall& call) {
  NullableDatum args[2] = {call.args[0], {Datum::of(to_timestamp(Date{call.arg(1).as_int32()}).us), false}};
  return call_with(call, args, extract_instant<true, false>);
}

// --- time, timetz, interval -------------------------------------------------------------------------------------------------------
template <bool Float> Datum extract_time(FunctionCall& call) {
  constexpr std::string_view kType = "time without time zone";
  std::string_view text = call.text(0);
  std::int64_t us = call.arg(1).as_int64();
  Unit unit = unit_of(text, kType);
  Numeric result;
  if (unit == Unit::epoch) result = decimal(us, 6);
  else if (!extract_time_field(unit, us, result)) throw_unsupported(text, kType);
  return answer<Float>(call, result);
}
template <bool Float> Datum extract_timetz(FunctionCall& call) {
  constexpr std::string_view kType = "time with time zone";
  std::string_view text = call.text(0);
  TimeTz v = adapter::Codec<TimeTz>::get(call, 1);
  Unit unit = unit_of(text, kType);
  Numeric result;
  if (Float && unit == Unit::epoch) return Datum::of(static_cast<double>(v.us) / 1e6 + v.zone);
  if (unit == Unit::epoch) result = decimal(v.us + v.zone * kSecond, 6);
  else if (!extract_time_field(unit, v.us, result) && !extract_zone_field(unit, -v.zone, result)) throw_unsupported(text, kType);
  return answer<Float>(call, result);
}

template <bool Float> Datum extract_interval(FunctionCall& call) {
  std::string_view text = call.text(0);
  const auto& v = *call.arg(1).as_pointer<Interval>();
  Unit unit = unit_of(text, "interval");
  std::int64_t years = v.months / 12;
  std::int64_t months = v.months % 12;
  std::int64_t second_us = v.us % kMinute;
  Numeric result;
  switch (unit) {
    case Unit::microsecond: result = whole(second_us); break;
    case Unit::millisecond: result = decimal(second_us, 3); break;
    case Unit::second: result = decimal(second_us, 6); break;
    case Unit::minute: result = whole(v.us % kHour / kMinute); break;
    case Unit::hour: result = whole(v.us / kHour); break;
    case Unit::day: result = whole(v.days); break;
    case Unit::month: result = whole(months); break;
    case Unit::quarter: result = whole(months / 3 + 1); break;
    case Unit::year: result = whole(years); break;
    case Unit::decade: result = whole(years / 10); break;
    case Unit::century: result = whole(years / 100); break;
    case Unit::millennium: result = whole(years / 1000); break;
    case Unit::epoch: {
      // A year has 365.25 days, a month 30.
      if (Float) {
        double seconds = static_cast<double>(v.us) / 1e6;
        seconds += 365.25 * 86400 * static_cast<double>(years);
        seconds += 30.0 * 86400 * static_cast<double>(months);
        return Datum::of(seconds + 86400.0 * v.days);
      }
      Integer quarter_days = Integer(years * 1461 + months * 120 + static_cast<std::int64_t>(v.days) * 4);
      result = {Numeric::Kind::finite, 6, quarter_days * Integer(kDay / 4) + Integer(v.us)};
      break;
    }
    default: throw_unsupported(text, "interval");
  }
  return answer<Float>(call, result);
}

// --- date_trunc -----------------------------------------------------------------------------------------------------------------
// Only true units will do here, not days of the week and the like.
Unit truncation_unit(std::string_view text, std::string_view type) {
  Unit unit = find_unit(lower_case(text));
  if (unit == Unit::none) throw_not_recognized(text, type);
  return unit;
}

// Cuts local fields to the unit; `coarse`: a day or more, so that the zone's offset must be found anew.
std::int64_t truncated(std::int64_t local, Unit unit, std::string_view text, std::string_view type, bool& coarse) {
  std::int64_t days = floor_div(local, kDay);
  Fields f = fields_of(local);
  coarse = true;
  auto first_of = [&](std::int64_t year, int month) {
    if (year < -4713) throw_timestamp_out_of_range();
    return days_from_civil(year, month, 1) * kDay;
  };
  switch (unit) {
    case Unit::millennium: return first_of(f.year > 0 ? (f.year + 999) / 1000 * 1000 - 999 : -((999 - (f.year - 1)) / 1000) * 1000 + 1, 1);
    case Unit::century: return first_of(f.year > 0 ? (f.year + 99) / 100 * 100 - 99 : -((99 - (f.year - 1)) / 100) * 100 + 1, 1);
    case Unit::decade: return first_of(f.year > 0 ? f.year / 10 * 10 : -((8 - (f.year - 1)) / 10) * 10, 1);
    case Unit::year: return first_of(f.year, 1);
    case Unit::quarter: return first_of(f.year, (f.month - 1) / 3 * 3 + 1);
    case Unit::month: return first_of(f.year, f.month);
    case Unit::week: return (days - (day_of_week(days) + 6) % 7) * kDay;
    case Unit::day: return days * kDay;
    default: break;
  }
  coarse = false;
  auto cut = [&](std::int64_t size) { return floor_div(local, size) * size; };
  switch (unit) {
    case Unit::hour: return cut(kHour);
    case Unit::minute: return cut(kMinute);
    case Unit::second: return cut(kSecond);
    case Unit::millisecond: return cut(kMillisecond);
    case Unit::microsecond: return local;
    default: throw_unsupported(text, type);
  }
}

std::int64_t valid(std::int64_t us) {
  if (!is_valid_timestamp(us)) throw_timestamp_out_of_range();
  return us;
}

Timestamp timestamp_trunc(std::string_view text, Timestamp v) {
  constexpr std::string_view kType = "timestamp without time zone";
  if (!v.is_finite()) return v;
  Unit unit = truncation_unit(text, kType);
  bool coarse;
  return {valid(truncated(v.us, unit, text, kType, coarse))};
}

// The offset that holds: a zone's, or a fixed one.
std::int64_t trunc_in_zone(std::string_view text, std::int64_t us, const NamedZone& zone) {
  constexpr std::string_view kType = "timestamp with time zone";
  Unit unit = truncation_unit(text, kType);
  std::int64_t east = zone.zone != nullptr ? offset_at(*zone.zone, us).seconds_east : zone.seconds_east;
  bool coarse;
  std::int64_t local = truncated(us + east * kSecond, unit, text, kType, coarse);
  if (coarse && zone.zone != nullptr) east = offset_at_local(*zone.zone, local).seconds_east;
  return valid(local - east * kSecond);
}
TimestampTz timestamptz_trunc(std::string_view text, TimestampTz v) {
  if (!v.is_finite()) return v;
  return {trunc_in_zone(text, v.us, {&session_time_zone(), 0})};
}
TimestampTz timestamptz_trunc_zone(std::string_view text, TimestampTz v, std::string_view zone) {
  if (!v.is_finite()) return v;
  return {trunc_in_zone(text, v.us, find_named_zone(zone, true, v.us, false))};
}

Interval interval_trunc(std::string_view text, const Interval& value) {
  Unit unit = truncation_unit(text, "interval");
  Interval v = value;
  auto months = [&](std::int32_t size) {
    v.months = v.months / size * size;
    v.days = 0;
    v.us = 0;
  };
  auto time = [&](std::int64_t size) { v.us = v.us / size * size; };
  switch (unit) {
    case Unit::millennium: months(12000); break;
    case Unit::century: months(1200); break;
    case Unit::decade: months(120); break;
    case Unit::year: months(12); break;
    case Unit::quarter: months(3); break;
    case Unit::month: months(1); break;
    case Unit::day: v.us = 0; break;
    case Unit::hour: time(kHour); break;
    case Unit::minute: time(kMinute); break;
    case Unit::second: time(kSecond); break;
    case Unit::millisecond: time(kMillisecond); break;
    case Unit::microsecond: break;
    case Unit::week:
      throw SqlError(sqlstate::feature_not_supported, "unit \"{}\" not supported for type {}", lower_case(text), "interval")
          .detail("Months usually have fractional weeks.");
    default: throw_unsupported(text, "interval");
  }
  return v;
}

constexpr BuiltinFunction kTable[] = {
    {Oid{6202}, fn<extract_instant<false, false>>},
    {Oid{6203}, fn<extract_instant<false, true>>},
    {Oid{2021}, fn<extract_instant<true, false>>},
    {Oid{1171}, fn<extract_instant<true, true>>},
    {Oid{6199}, fn<extract_date>},
    {Oid{1384}, fn<date_part_of_date>},
    {Oid{6200}, fn<extract_time<false>>},
    {Oid{1385}, fn<extract_time<true>>},
    {Oid{6201}, fn<extract_timetz<false>>},
    {Oid{1273}, fn<extract_timetz<true>>},
    {Oid{6204}, fn<extract_interval<false>>},
    {Oid{1172}, fn<extract_interval<true>>},
    {Oid{2020}, fn<timestamp_trunc>},
    {Oid{1217}, fn<timestamptz_trunc>},
    {Oid{1284}, fn<timestamptz_trunc_zone>},
    {Oid{1218}, fn<interval_trunc>},
};

}  // namespace

std::span<const BuiltinFunction> datetime_extract_functions() { return kTable; }

}  // namespace hathi::types
