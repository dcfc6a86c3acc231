#pragma once
// The pieces of a date, time or interval as text, before anyone knows what they mean.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hathi::types {

enum class TokenKind : std::uint8_t {
  number,   // digits, perhaps with a fraction
  word,     // letters, in lower case
  date,     // digits or letters with - / . inside; also names of time zones
  time,     // digits with colons
  zone,     // a sign and digits: offset, signed number, year-month
  special   // a sign and letters: -infinity
};
struct Token {
  TokenKind kind;
  std::string text;
};

// What a word means.
enum class WordKind : std::uint8_t {
  unknown, month, weekday, meridiem, era, daylight, ignored, special, iso_time, julian, unit, reserved
};
enum class Special : std::uint8_t { none, infinity, minus_infinity, epoch, now, today, tomorrow, yesterday, all_balls };
enum class Unit : std::uint8_t {
  none, microsecond, millisecond, second, minute, hour, day, week, month, quarter, year, decade, century, millennium, timezone,
  timezone_hour, timezone_minute, dow, isodow, doy, isoyear, epoch, julian
};
struct Word {
  WordKind kind = WordKind::unknown;
  int value = 0;  // month 1-12, weekday 0-6, meridiem 1 = pm, era 1 = BC, or a Special or Unit
};
// Words of dates: names are matched by their first three letters or in full, as PostgreSQL's tables have them.
Word find_date_word(std::string_view lower);
// Units of intervals and of extract(), date_trunc().
Unit find_unit(std::string_view lower);

// false when there is a character that belongs nowhere or too many pieces.
bool tokenize(std::string_view text, std::vector<Token>& tokens);

}  // namespace hathi::types
