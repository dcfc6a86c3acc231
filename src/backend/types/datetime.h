#pragma once
// Dates and times inside this folder: representations, limits, reading and printing.
//   date         days since 2000-01-01, int32; the extremes are the infinities
//   time         microseconds since midnight, 0 … 24:00:00
//   timetz       time and zone (seconds WEST of Greenwich, as stored)
//   timestamp    microseconds since 2000-01-01 00:00, int64; timestamptz: of UTC; the extremes are the infinities
//   interval     microseconds, days, months

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "hathi/types/timezone.h"
#include "adapter.h"
#include "calendar.h"

namespace hathi::types {

inline constexpr std::int64_t kMicrosecond = 1, kMillisecond = 1000, kSecond = 1000000, kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = 24 * kHour;

// Distinct types, so that overloads and tables cannot mix them up.
struct Date {
  std::int32_t days = 0;
  auto operator<=>(const Date&) const = default;
  bool is_finite() const { return days != std::numeric_limits<std::int32_t>::min() && days != std::numeric_limits<std::int32_t>::max(); }
};
struct TimeOfDay {
  std::int64_t us = 0;
  auto operator<=>(const TimeOfDay&) const = default;
};
struct TimeTz {
  std::int64_t us;
  std::int32_t zone;  // seconds west
};
struct Timestamp {
  std::int64_t us = 0;
  auto operator<=>(const Timestamp&) const = default;
  bool is_finite() const { return us != std::numeric_limits<std::int64_t>::min() && us != std::numeric_limits<std::int64_t>::max(); }
};
struct TimestampTz {
  std::int64_t us = 0;
  auto operator<=>(const TimestampTz&) const = default;
  bool is_finite() const { return us != std::numeric_limits<std::int64_t>::min() && us != std::numeric_limits<std::int64_t>::max(); }
};
struct Interval {
  std::int64_t us = 0;
  std::int32_t days = 0;
  std::int32_t months = 0;
};

inline constexpr Date kDateMinusInfinity{std::numeric_limits<std::int32_t>::min()}, kDateInfinity{std::numeric_limits<std::int32_t>::max()};
inline constexpr std::int64_t kMinusInfinity = std::numeric_limits<std::int64_t>::min(), kInfinity = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kFirstDate = -kJulianOfEpoch;             // 4714-11-24 BC
inline constexpr std::int64_t kEndDate = 2147483494 - kJulianOfEpoch;   // 5874898-06-03, excluded
inline constexpr std::int64_t kFirstTimestamp = -211813488000000000;    // 4714-11-24 00:00 BC
inline constexpr std::int64_t kEndTimestamp = 9223371331200000000;      // 294277-01-01 00:00, excluded
constexpr bool is_valid_timestamp(std::int64_t us) { return us >= kFirstTimestamp && us < kEndTimestamp; }
constexpr bool is_valid_date(std::int64_t days) { return days >= kFirstDate && days < kEndDate; }

// Broken-down local time. Years are astronomical.
struct Fields {
  std::int64_t year = 0;
  int month = 0, day = 0;
  int hour = 0, minute = 0, second = 0, microsecond = 0;
};
constexpr std::int64_t time_of(const Fields& f) { return f.hour * kHour + f.minute * kMinute + f.second * kSecond + f.microsecond; }
void set_time(Fields& f, std::int64_t us);
// Date and time of a finite timestamp.
Fields fields_of(std::int64_t us);
// false when out of range.
bool timestamp_of(const Fields& f, std::int64_t& us);

// The zone's offset (seconds east) at a finite timestamptz / for a local time.
inline ZoneOffset offset_at(const TimeZone& zone, std::int64_t us) { return zone.at(floor_div(us, kSecond) + kPostgresEpochDays * 86400); }
inline ZoneOffset offset_at_local(const TimeZone& zone, std::int64_t local_us) {
  return zone.at_local(floor_div(local_us, kSecond) + kPostgresEpochDays * 86400);
}

[[noreturn]] void throw_timestamp_out_of_range();  // 22008 "timestamp out of range"
[[noreturn]] void throw_date_out_of_range();
[[noreturn]] void throw_interval_out_of_range();

// --- text ----------------------------------------------------------------------------------------------------------------
// Readers throw 22007 invalid input syntax, 22008 out of range, 22009 time zone displacement, 22023 time zone not recognized.
Date read_date(std::string_view text);
Timestamp read_timestamp(std::string_view text);
TimestampTz read_timestamptz(std::string_view text);
TimeOfDay read_time(std::string_view text);
TimeTz read_timetz(std::string_view text);
Interval read_interval(std::string_view text, std::int32_t typmod);

// Printers follow DateStyle, IntervalStyle, TimeZone.
std::string print_date(Date v);
std::string print_time(std::int64_t us);
std::string print_timetz(const TimeTz& v);
std::string print_timestamp(Timestamp v);
std::string print_timestamptz(TimestampTz v);
std::string print_interval(const Interval& v);

// --- precision ------------------------------------------------------------------------------------------------------------
// Rounds to typmod digits after the second (-1 = all six).
std::int64_t round_to_precision(std::int64_t us, std::int32_t typmod);
void apply_interval_typmod(Interval& v, std::int32_t typmod);
// Interval fields as typmods name them: bit numbers.
namespace interval_field {
inline constexpr int month = 1 << 1, year = 1 << 2, day = 1 << 3, hour = 1 << 10, minute = 1 << 11, second = 1 << 12, all = 0x7FFF;
}

// --- zones ----------------------------------------------------------------------------------------------------------------
// A zone named in SQL: abbreviation, zone name or POSIX string. 22023 `time zone "x" not recognized`.
struct NamedZone {
  const TimeZone* zone = nullptr;  // null: a fixed offset
  std::int32_t seconds_east = 0;
};
// An abbreviation whose meaning has changed counts as its zone when `as_zone`; otherwise it means what it did at `us`, a UTC time
// (or a local one, when `local`).
NamedZone find_named_zone(std::string_view name, bool as_zone, std::int64_t us, bool local);

// --- conversions ------------------------------------------------------------------------------------------------------------
TimestampTz to_timestamptz(Timestamp v);                  // as local time of the session
TimestampTz to_timestamptz(Timestamp v, const TimeZone& zone);
Timestamp to_timestamp(TimestampTz v);
Timestamp to_timestamp(TimestampTz v, const TimeZone& zone);
Timestamp to_timestamp(Date v);                           // 22008 when beyond the timestamps
TimestampTz to_timestamptz(Date v);
Date to_date(Timestamp v);
Timestamp add_interval(Timestamp v, const Interval& i);
TimestampTz add_interval(TimestampTz v, const Interval& i);
Interval negate(const Interval& v);
Interval add(const Interval& a, const Interval& b);
Interval subtract(const Interval& a, const Interval& b);
// Microseconds with a month of 30 days: the order of intervals.
__int128 interval_span(const Interval& v);

namespace adapter {
template <> struct Codec<Date> {
  static Date get(FunctionCall& call, int i) { return {call.arg(i).as_int32()}; }
  static Datum put(FunctionCall&, Date v) { return Datum::of(v.days); }
};
template <class T> struct MicrosecondCodec {
  static T get(FunctionCall& call, int i) { return {call.arg(i).as_int64()}; }
  static Datum put(FunctionCall&, T v) { return Datum::of(v.us); }
};
template <> struct Codec<TimeOfDay> : MicrosecondCodec<TimeOfDay> {};
template <> struct Codec<Timestamp> : MicrosecondCodec<Timestamp> {};
template <> struct Codec<TimestampTz> : MicrosecondCodec<TimestampTz> {};
// Twelve bytes, without the struct's padding.
template <> struct Codec<TimeTz> {
  static TimeTz get(FunctionCall& call, int i) {
    TimeTz v;
    std::memcpy(&v.us, call.arg(i).as_pointer(), 8);
    std::memcpy(&v.zone, call.arg(i).as_pointer() + 8, 4);
    return v;
  }
  static Datum put(FunctionCall& call, const TimeTz& v) {
    auto* p = static_cast<std::byte*>(call.arena().allocate(16, 8));
    std::memcpy(p, &v.us, 8);
    std::memcpy(p + 8, &v.zone, 4);
    return Datum::of(static_cast<const void*>(p));
  }
};
}  // namespace adapter

}  // namespace hathi::types
