// Dates, times and time stamps as text.

#include <fmt/format.h>

#include "hathi/config/session_settings.h"
#include "datetime.h"
#include "datetime_decode.h"
#include "errors.h"

namespace hathi::types {

namespace {

constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::string_view kWeekdays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

// Tokens understood; errors thrown for `type`.
Decoded decode(std::string_view text, bool time_only, std::string_view type) {
  std::vector<Token> tokens;
  Decoded decoded;
  DecodeError error = tokenize(text, tokens) ? decode_date_time(tokens, time_only, decoded) : DecodeError::bad_format;
  if (error == DecodeError::none && tokens.empty()) error = DecodeError::bad_format;
  if (error != DecodeError::none) throw_decode_error(error, text, type);
  return decoded;
}

[[noreturn]] void throw_out_of_range(std::string_view what, std::string_view text) {
  throw SqlError(sqlstate::datetime_value_out_of_range, "{} out of range: \"{}\"", what, text);
}

}  // namespace

Date read_date(std::string_view text) {
  Decoded d = decode(text, false, "date");
  switch (d.special) {
    case Special::infinity: return kDateInfinity;
    case Special::minus_infinity: return kDateMinusInfinity;
    case Special::epoch: return {static_cast<std::int32_t>(-kPostgresEpochDays)};
    default: break;
  }
  std::int64_t days = days_from_civil(d.fields.year, d.fields.month, d.fields.day);
  if (!is_valid_date(days)) throw_out_of_range("date", text);
  return {static_cast<std::int32_t>(days)};
}

namespace {

// Microseconds since 2000 of the decoded text: local, or UTC when it is to count the zone.
std::int64_t read_instant(std::string_view text, std::string_view type, bool with_zone) {
  Decoded d = decode(text, false, type);
  switch (d.special) {
    case Special::infinity: return kInfinity;
    case Special::minus_infinity: return kMinusInfinity;
    case Special::epoch: return -kPostgresEpochDays * kDay;
    default: break;
  }
  std::int64_t us;
  if (!timestamp_of(d.fields, us)) throw_out_of_range("timestamp", text);
  if (with_zone) us -= d.zone_east * kSecond;
  if (!is_valid_timestamp(us)) throw_out_of_range("timestamp", text);
  return us;
}

}  // namespace

Timestamp read_timestamp(std::string_view text) { return {read_instant(text, "timestamp", false)}; }
TimestampTz read_timestamptz(std::string_view text) { return {read_instant(text, "timestamp with time zone", true)}; }
TimeOfDay read_time(std::string_view text) { return {time_of(decode(text, true, "time").fields)}; }
TimeTz read_timetz(std::string_view text) {
  Decoded d = decode(text, true, "time with time zone");
  return {time_of(d.fields), -d.zone_east};
}

// --- printing ---------------------------------------------------------------------------------------------------------------
namespace {

// Two digits fast; anything else by the library.
void two(std::string& to, int v) {
  to += static_cast<char>('0' + v / 10);
  to += static_cast<char>('0' + v % 10);
}

void append_seconds(std::string& to, int second, int microsecond) {
  two(to, second);
  if (microsecond == 0) return;
  char digits[7];
  for (int i = 5; i >= 0; --i, microsecond /= 10) digits[i] = static_cast<char>('0' + microsecond % 10);
  int n = 6;
  while (n > 0 && digits[n - 1] == '0') --n;
  to += '.';
  to.append(digits, static_cast<std::size_t>(n));
}

void append_clock(std::string& to, const Fields& f) {
  two(to, f.hour);
  to += ':';
  two(to, f.minute);
  to += ':';
  append_seconds(to, f.second, f.microsecond);
}

void append_year(std::string& to, std::int64_t year) {
  std::int64_t shown = year > 0 ? year : 1 - year;
  if (shown < 10000) {
    two(to, static_cast<int>(shown / 100));
    two(to, static_cast<int>(shown % 100));
  } else {
    to += std::to_string(shown);
  }
}

// +hh[:mm[:ss]]; any hours, since an interval may be a zone.
void append_offset(std::string& to, std::int64_t east) {
  to += east < 0 ? '-' : '+';
  std::int64_t magnitude = east < 0 ? -east : east;
  int s = static_cast<int>(magnitude % 3600);
  if (magnitude < 100 * 3600) two(to, static_cast<int>(magnitude / 3600));
  else to += std::to_string(magnitude / 3600);
  if (s % 3600 == 0) return;
  to += ':';
  two(to, s / 60 % 60);
  if (s % 60 == 0) return;
  to += ':';
  two(to, s % 60);
}

bool day_first() { return config::values::date_order == config::DateOrder::dmy; }

void append_date(std::string& to, const Fields& f) {
  auto pair = [&](char separator) {
    two(to, day_first() ? f.day : f.month);
    to += separator;
    two(to, day_first() ? f.month : f.day);
    to += separator;
    append_year(to, f.year);
  };
  switch (config::values::date_style) {
    case config::DateStyle::iso:
      append_year(to, f.year);
      to += '-';
      two(to, f.month);
      to += '-';
      two(to, f.day);
      break;
    case config::DateStyle::sql: pair('/'); break;
    case config::DateStyle::postgres: pair('-'); break;
    case config::DateStyle::german:
      two(to, f.day);
      to += '.';
      two(to, f.month);
      to += '.';
      append_year(to, f.year);
      break;
  }
}

std::string print_instant(const Fields& f, const ZoneOffset* zone) {
  std::string to;
  to.reserve(40);
  auto style = config::values::date_style;
  if (style == config::DateStyle::postgres) {
    to += kWeekdays[day_of_week(days_from_civil(f.year, f.month, f.day))];
    to += ' ';
    if (day_first()) {
      two(to, f.day);
      to += ' ';
      to += kMonths[f.month - 1];
    } else {
      to += kMonths[f.month - 1];
      to += ' ';
      two(to, f.day);
    }
    to += ' ';
    append_clock(to, f);
    to += ' ';
    append_year(to, f.year);
  } else {
    append_date(to, f);
    to += ' ';
    append_clock(to, f);
  }
  if (zone != nullptr) {
    if (style == config::DateStyle::iso) {
      append_offset(to, zone->seconds_east);
    } else if (!zone->abbreviation.empty()) {
      to += ' ';
      to += zone->abbreviation.substr(0, 10);
    } else {
      if (style == config::DateStyle::postgres) to += ' ';
      append_offset(to, zone->seconds_east);
    }
  }
  if (f.year <= 0) to += " BC";
  return to;
}

}  // namespace

std::string print_date(Date v) {
  if (v == kDateInfinity) return "infinity";
  if (v == kDateMinusInfinity) return "-infinity";
  CivilDate c = civil_from_days(v.days);
  Fields f;
  f.year = c.year;
  f.month = c.month;
  f.day = c.day;
  std::string to;
  append_date(to, f);
  if (f.year <= 0) to += " BC";
  return to;
}

std::string print_time(std::int64_t us) {
  Fields f;
  set_time(f, us);
  std::string to;
  append_clock(to, f);
  return to;
}

std::string print_timetz(const TimeTz& v) {
  std::string to = print_time(v.us);
  append_offset(to, -static_cast<std::int64_t>(v.zone));
  return to;
}

std::string print_timestamp(Timestamp v) {
  if (!v.is_finite()) return v.us < 0 ? "-infinity" : "infinity";
  return print_instant(fields_of(v.us), nullptr);
}

std::string print_timestamptz(TimestampTz v) {
  if (!v.is_finite()) return v.us < 0 ? "-infinity" : "infinity";
  ZoneOffset zone = offset_at(session_time_zone(), v.us);
  return print_instant(fields_of(v.us + zone.seconds_east * kSecond), &zone);
}

}  // namespace hathi::types
