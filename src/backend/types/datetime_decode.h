#pragma once
// Understanding tokens as a date, a time or both, by PostgreSQL's rules.

#include <optional>
#include <string_view>
#include <vector>

#include "datetime.h"
#include "datetime_tokens.h"

namespace hathi::types {

enum class DecodeError : std::uint8_t { none, bad_format, field_overflow, date_field_overflow, interval_overflow, zone_overflow };
// Throws the error for the whole text.
[[noreturn]] void throw_decode_error(DecodeError error, std::string_view text, std::string_view type);

// Which fields are known.
namespace field_mask {
inline constexpr unsigned month = 1 << 1, year = 1 << 2, day = 1 << 3, julian = 1 << 4, zone = 1 << 5, daylight_zone = 1 << 6, daylight_modifier = 1 << 7,
                          ignored = 1 << 8, meridiem = 1 << 9, hour = 1 << 10, minute = 1 << 11, second = 1 << 12, day_of_year = 1 << 15,
                          day_of_week = 1 << 16, era = 1 << 18, special = 1 << 19;
inline constexpr unsigned date = year | month | day, time = hour | minute | second;
}  // namespace field_mask

struct Decoded {
  Special special = Special::none;     // infinity, minus_infinity, epoch: nothing else counts
  Fields fields;
  unsigned known = 0;                  // field_mask
  std::int32_t zone_east = 0;          // when known has zone; already resolved for named zones
};

// A date with or without a time. time_only: a time with or without a date and zone.
DecodeError decode_date_time(const std::vector<Token>& tokens, bool time_only, Decoded& result);

// Helpers shared with intervals.
DecodeError decode_fraction(std::string_view digits_with_point, double& fraction);
// hh:mm[:ss[.fff]] or mm:ss.fff; hours of any size.
struct ClockTime {
  std::int64_t hour = 0;
  int minute = 0, second = 0, microsecond = 0;
};
DecodeError decode_clock(std::string_view text, ClockTime& time, bool minutes_first);
// ±hh[mm][:mm[:ss]] in seconds east.
DecodeError decode_zone(std::string_view text, std::int32_t& east);

}  // namespace hathi::types
