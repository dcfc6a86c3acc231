#pragma once
// Days and civil dates of the proleptic Gregorian calendar. Years are astronomical: 0 = 1 BC.

#include <cstdint>

namespace hathi::types {

struct CivilDate {
  std::int64_t year;
  int month;  // 1..12
  int day;    // 1..31
};

inline constexpr std::int64_t kPostgresEpochDays = 10957;  // 2000-01-01 in days since 1970-01-01
inline constexpr std::int64_t kJulianOfEpoch = 2451545;    // Julian day number of 2000-01-01

// Days since 2000-01-01. Months outside 1..12 are not taken.
constexpr std::int64_t days_from_civil(std::int64_t year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  std::int64_t year_of_era = year - era * 400;
  std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  std::int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468 - kPostgresEpochDays;
}

constexpr CivilDate civil_from_days(std::int64_t days) {
  std::int64_t z = days + kPostgresEpochDays + 719468;
  std::int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  std::int64_t day_of_era = z - era * 146097;
  std::int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  std::int64_t month = (5 * day_of_year + 2) / 153;
  int day = static_cast<int>(day_of_year - (153 * month + 2) / 5 + 1);
  int civil_month = static_cast<int>(month < 10 ? month + 3 : month - 9);
  return {year_of_era + era * 400 + (civil_month <= 2 ? 1 : 0), civil_month, day};
}

constexpr bool is_leap(std::int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }
constexpr int days_in_month(std::int64_t year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : kDays[month - 1];
}
// 0 = Sunday.
constexpr int day_of_week(std::int64_t days) { return static_cast<int>(((days + 6) % 7 + 7) % 7); }
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

static_assert(days_from_civil(2000, 1, 1) == 0 && day_of_week(0) == 6 && days_from_civil(-4713, 11, 24) == -kJulianOfEpoch);

}  // namespace hathi::types
