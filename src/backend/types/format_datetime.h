#pragma once
// Date and time templates of to_char(), to_date(), to_timestamp().

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hathi::types {

enum class TemplateField : std::uint8_t {
  ad_dots, ad, am_dots, am, century, day_name, day_of_year, day_of_month, day_of_week, weekday, fraction, fixed, hour_24, hour_12, iso_day_of_year,
  iso_day, iso_week, iso_year, iso_year_3, iso_year_2, iso_year_1, julian, minute, month_number, month_name, month_abbreviation, millisecond, offset,
  quarter, roman_month, seconds_of_day, second, zone_hour, zone_minute, zone, microsecond, week, week_of_month, year_comma, year, year_3, year_2, year_1
};
enum class TemplateCase : std::uint8_t { upper, title, lower };
enum class TemplateMode : std::uint8_t { none, gregorian, iso_week };

struct TemplateItem {
  enum class Kind : std::uint8_t { field, separator, space, text } kind;
  TemplateField field{};
  TemplateCase letters{};
  TemplateMode mode{};
  bool fill = false;          // FM
  bool translated = false;    // TM: names are not padded
  bool ordinal_upper = false, ordinal_lower = false;
  bool takes_digits = false;  // its text is a number
  int parameter = 0;          // FFn
  std::string_view keyword;   // as written, for messages; points to static text
  std::string text;           // one character, unless a field
};
using DateTemplate = std::vector<TemplateItem>;
// Kept for the next call with the same text.
const DateTemplate& date_template(std::string_view text);

}  // namespace hathi::types
