#pragma once
// Settings that change how values are read and printed. config/ owns names, ranges and SHOW; the values stand here.

#include <cstdint>
#include <string>
#include <string_view>

namespace hathi::types {

enum class DateStyle : std::uint8_t { iso, postgres, sql, german };
enum class DateOrder : std::uint8_t { ymd, dmy, mdy };
enum class IntervalStyle : std::uint8_t { postgres, postgres_verbose, sql_standard, iso_8601 };
enum class ByteaOutput : std::uint8_t { escape, hex };

// Per process; written by the settings machinery only.
struct Settings {
  int extra_float_digits = 1;
  ByteaOutput bytea_output = ByteaOutput::hex;
  DateStyle date_style = DateStyle::iso;
  DateOrder date_order = DateOrder::mdy;
  IntervalStyle interval_style = IntervalStyle::postgres;
  bool array_nulls = true;
};
extern Settings settings;

}  // namespace hathi::types
