// Clocks, construction from parts, OVERLAPS, pg_sleep.

#include "hathi/types/datetime.h"

#include <fmt/format.h>
#include <sys/time.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "hathi/shmem/interrupts.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/transaction/transaction.h"
#include "datetime_codec.h"
#include "tables.h"
#include "type_io.h"

namespace hathi::types {

std::int64_t clock_now() {
  timeval now;
  gettimeofday(&now, nullptr);
  return (now.tv_sec - kPostgresEpochDays * 86400) * kSecond + now.tv_usec;
}

std::string timestamptz_text(std::int64_t us) { return print_timestamptz({us}); }

std::string log_time_text(std::int64_t us, bool milliseconds, const std::string& zone_name) {
  const TimeZone* zone = zone_name.empty() ? nullptr : find_time_zone(zone_name);
  if (zone == nullptr) zone = &session_time_zone();
  ZoneOffset offset = offset_at(*zone, us);
  Fields f = fields_of(us + offset.seconds_east * kSecond);
  std::string text = fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", f.year, f.month, f.day, f.hour, f.minute, f.second);
  if (milliseconds) text += fmt::format(".{:03}", f.microsecond / 1000);
  return text + " " + std::string(offset.abbreviation);
}

namespace {

TimestampTz transaction_start() { return {transaction::transaction_timestamp()}; }
Timestamp local_start() { return to_timestamp(transaction_start()); }

}  // namespace

Datum current_date() { return Datum::of(to_date(local_start()).days); }
Datum current_time(std::int32_t precision, Arena& arena) {
  std::int64_t us = transaction_start().us;
  std::int32_t east = offset_at(session_time_zone(), us).seconds_east;
  std::int64_t local = us + east * kSecond;
  std::int64_t time = round_to_precision(local - floor_div(local, kDay) * kDay, precision);
  std::int32_t west = -east;
  auto* p = static_cast<std::byte*>(arena.allocate(16, 8));
  std::memcpy(p, &time, 8);
  std::memcpy(p + 8, &west, 4);
  return Datum::of(static_cast<const void*>(p));
}
Datum current_timestamp(std::int32_t precision) { return Datum::of(round_to_precision(transaction_start().us, precision)); }
Datum local_time(std::int32_t precision) {
  std::int64_t us = local_start().us;
  return Datum::of(round_to_precision(us - floor_div(us, kDay) * kDay, precision));
}
Datum local_timestamp(std::int32_t precision) { return Datum::of(round_to_precision(local_start().us, precision)); }

namespace {

TimestampTz now() { return transaction_start(); }
TimestampTz statement_timestamp() { return {transaction::statement_timestamp()}; }
TimestampTz clock_timestamp() { return {clock_now()}; }
std::string timeofday() {
  std::int64_t us = clock_now();
  ZoneOffset offset = offset_at(session_time_zone(), us);
  Fields f = fields_of(us + offset.seconds_east * kSecond);
  static constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  static constexpr std::string_view kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  return fmt::format("{} {} {:02} {:02}:{:02}:{:02}.{:06} {:04} {}", kDays[day_of_week(days_from_civil(f.year, f.month, f.day))], kMonths[f.month - 1], f.day,
                     f.hour, f.minute, f.second, f.microsecond, f.year, offset.abbreviation);
}

// Seconds since 1970.
TimestampTz float8_timestamptz(double seconds) {
  if (std::isnan(seconds)) throw SqlError(sqlstate::datetime_value_out_of_range, "timestamp cannot be NaN");
  if (std::isinf(seconds)) return {seconds < 0 ? kMinusInfinity : kInfinity};
  auto refuse = [&] [[noreturn]] {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%g", seconds);
    throw SqlError(sqlstate::datetime_value_out_of_range, "timestamp out of range: \"{}\"", buffer);
  };
  constexpr double kDaySeconds = 86400;
  constexpr std::int64_t kEndDay = kEndTimestamp / kDay + kPostgresEpochDays;
  if (seconds < kDaySeconds * static_cast<double>(kFirstDate + kPostgresEpochDays) || seconds >= kDaySeconds * static_cast<double>(kEndDay)) refuse();
  double us = std::rint((seconds - kDaySeconds * static_cast<double>(kPostgresEpochDays)) * 1e6);
  auto r = static_cast<std::int64_t>(us);
  if (!is_valid_timestamp(r)) refuse();
  return {r};
}

Timestamp timestamp_from_parts(std::int32_t year, std::int32_t month, std::int32_t day, std::int32_t hour, std::int32_t minute, double second) {
  Fields f;
  f.year = year < 0 ? static_cast<std::int64_t>(year) + 1 : year;
  bool bad_date = year == 0 || month < 1 || month > 12 || day < 1 || day > days_in_month(f.year, std::clamp(month, 1, 12));
  if (bad_date) throw SqlError(sqlstate::datetime_field_overflow, "date field value out of range: {}-{:02}-{:02}", f.year, month, day);
  if (f.year < -4713 || f.year > 5874898) throw SqlError(sqlstate::datetime_value_out_of_range, "date out of range: {}-{:02}-{:02}", f.year, month, day);
  f.month = month;
  f.day = day;
  double us = std::isnan(second) ? -1 : std::rint(second * 1e6);
  if (hour < 0 || minute < 0 || minute > 59 || us < 0 || us > 60e6 || hour > 24 || hour * kHour + minute * kMinute + static_cast<std::int64_t>(us) > kDay) {
    throw SqlError(sqlstate::datetime_field_overflow, "time field value out of range: {}", clock_text(hour, minute, second));
  }
  std::int64_t date = days_from_civil(f.year, month, day);
  std::int64_t time = hour * kHour + minute * kMinute + static_cast<std::int64_t>(us);
  std::int64_t result;
  if (__builtin_mul_overflow(date, kDay, &result) || __builtin_add_overflow(result, time, &result) || !is_valid_timestamp(result)) {
    throw SqlError(sqlstate::datetime_value_out_of_range, "timestamp out of range: {}-{:02}-{:02} {}", f.year, month, day, clock_text(hour, minute, second));
  }
  return {result};
}
TimestampTz make_timestamptz(std::int32_t year, std::int32_t month, std::int32_t day, std::int32_t hour, std::int32_t minute, double second) {
  return to_timestamptz(timestamp_from_parts(year, month, day, hour, minute, second));
}
TimestampTz make_timestamptz_at_timezone(std::int32_t year, std::int32_t month, std::int32_t day, std::int32_t hour, std::int32_t minute, double second,
                                         std::string_view name) {
  Timestamp v = timestamp_from_parts(year, month, day, hour, minute, second);
  NamedZone zone = find_named_zone(name, false, v.us, true);
  std::int64_t east = zone.zone != nullptr ? offset_at_local(*zone.zone, v.us).seconds_east : zone.seconds_east;
  std::int64_t us = v.us - east * kSecond;
  if (!is_valid_timestamp(us)) throw_timestamp_out_of_range();
  return {us};
}

// --- OVERLAPS -------------------------------------------------------------------------------------------------------------------
// Two periods, each by its ends in any order; a NULL end leaves a point of time, and NULL where it would matter.
template <class Compare> Datum overlaps(FunctionCall& call, Compare order) {
  NullableDatum s1 = call.args[0], e1 = call.args[1], s2 = call.args[2], e2 = call.args[3];
  auto arrange = [&](NullableDatum& s, NullableDatum& e) {
    if (s.is_null) {
      if (e.is_null) return false;
      std::swap(s, e);
    } else if (!e.is_null && order(s.value, e.value) > 0) {
      std::swap(s, e);
    }
    return true;
  };
  if (!arrange(s1, e1) || !arrange(s2, e2)) return call.null();
  int starts = order(s1.value, s2.value);
  if (starts == 0) {
    // Equal starts overlap, unless an end is unknown.
    return e1.is_null || e2.is_null ? call.null() : Datum::of(true);
  }
  const NullableDatum& earlier_end = starts > 0 ? e2 : e1;
  const NullableDatum& later_start = starts > 0 ? s1 : s2;
  const NullableDatum& later_end = starts > 0 ? e1 : e2;
  if (earlier_end.is_null) return call.null();
  if (order(later_start.value, earlier_end.value) < 0) return Datum::of(true);
  return later_end.is_null ? call.null() : Datum::of(false);
}
int order_of_words(Datum a, Datum b) { return (a.as_int64() > b.as_int64()) - (a.as_int64() < b.as_int64()); }
Datum overlaps_timestamp(FunctionCall& call) { return overlaps(call, order_of_words); }
Datum overlaps_timetz(FunctionCall& call) {
  return overlaps(call, [](Datum a, Datum b) {
    auto key = [](Datum d) {
      std::int64_t us;
      std::int32_t zone;
      std::memcpy(&us, d.as_pointer(), 8);
      std::memcpy(&zone, d.as_pointer() + 8, 4);
      return std::pair(us + zone * kSecond, zone);
    };
    auto x = key(a);
    auto y = key(b);
    return (x > y) - (x < y);
  });
}
// (start, length) forms: the lengths become ends.
template <class T, bool First, bool Second> Datum overlaps_with_lengths(FunctionCall& call) {
  auto end_of = [&](int start, int length) {
    if (call.arg_null(start) || call.arg_null(length)) return NullableDatum{};
    const auto& i = *call.arg(length).as_pointer<Interval>();
    if constexpr (std::is_same_v<T, TimeOfDay>) {
      std::int64_t us = (call.arg(start).as_int64() + i.us % kDay) % kDay;
      return NullableDatum{Datum::of(us < 0 ? us + kDay : us), false};
    } else {
      return NullableDatum{Datum::of(add_interval(T{call.arg(start).as_int64()}, i).us), false};
    }
  };
  NullableDatum args[4] = {call.args[0], First ? end_of(0, 1) : call.args[1], call.args[2], Second ? end_of(2, 3) : call.args[3]};
  return call_with(call, args, overlaps_timestamp);
}

// --- pg_sleep -------------------------------------------------------------------------------------------------------------------
void sleep_until(std::int64_t end) {
  static const shmem::WaitEvent event{"Timeout", "PgSleep"};
  shmem::WaitScope wait(event);
  for (;;) {
    check_interrupts();
    std::int64_t now = clock_now();
    if (end <= now) return;   // minus infinity too
    std::int64_t left = end - now;
    shmem::my_latch().wait(static_cast<int>(std::min<std::int64_t>(left / 1000 + 1, 600000)));
    shmem::my_latch().reset();
  }
}
void pg_sleep(double seconds) {
  if (!(seconds > 0)) return;
  sleep_until(clock_now() + static_cast<std::int64_t>(std::min(seconds, 1e11) * 1e6));
}
void pg_sleep_for(const Interval& i) { sleep_until(add_interval(TimestampTz{clock_now()}, i).us); }
void pg_sleep_until(TimestampTz end) { sleep_until(end.us); }

constexpr BuiltinFunction kTable[] = {
    {Oid{1299}, fn<now>},
    {Oid{2647}, fn<now>},
    {Oid{2648}, fn<statement_timestamp>},
    {Oid{2649}, fn<clock_timestamp>},
    {Oid{274}, fn<timeofday>},
    {Oid{1158}, fn<float8_timestamptz>},
    {Oid{3461}, fn<timestamp_from_parts>},
    {Oid{3462}, fn<make_timestamptz>},
    {Oid{3463}, fn<make_timestamptz_at_timezone>},
    {Oid{1304}, fn<overlaps_timestamp>},
    {Oid{2041}, fn<overlaps_timestamp>},
    {Oid{1308}, fn<overlaps_timestamp>},
    {Oid{1271}, fn<overlaps_timetz>},
    {Oid{1305}, fn<overlaps_with_lengths<TimestampTz, true, true>>},
    {Oid{1306}, fn<overlaps_with_lengths<TimestampTz, false, true>>},
    {Oid{1307}, fn<overlaps_with_lengths<TimestampTz, true, false>>},
    {Oid{1309}, fn<overlaps_with_lengths<TimeOfDay, true, true>>},
    {Oid{1310}, fn<overlaps_with_lengths<TimeOfDay, false, true>>},
    {Oid{1311}, fn<overlaps_with_lengths<TimeOfDay, true, false>>},
    {Oid{2042}, fn<overlaps_with_lengths<Timestamp, true, true>>},
    {Oid{2043}, fn<overlaps_with_lengths<Timestamp, false, true>>},
    {Oid{2044}, fn<overlaps_with_lengths<Timestamp, true, false>>},
    {Oid{2626}, fn<pg_sleep>},
    {Oid{3935}, fn<pg_sleep_for>},
    {Oid{3936}, fn<pg_sleep_until>},
};

}  // namespace

std::span<const BuiltinFunction> datetime_now_functions() { return kTable; }

}  // namespace hathi::types
