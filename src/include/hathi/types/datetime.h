#pragma once
// Dates and times for other folders. Representations: date = days since 2000-01-01 (int32), timestamp(tz) = microseconds since
// 2000-01-01 00:00 (int64).

#include <cstdint>
#include <string>

#include "hathi/datum/datum.h"

namespace hathi::types {

// CURRENT_DATE and its relatives: the transaction's start in the session's time zone. precision -1 = all six digits.
Datum current_date();
Datum current_time(std::int32_t precision, Arena& arena);   // timetz
Datum current_timestamp(std::int32_t precision);            // timestamptz
Datum local_time(std::int32_t precision);
Datum local_timestamp(std::int32_t precision);

// The wall clock now, in microseconds since 2000-01-01 UTC.
std::int64_t clock_now();
// "2024-07-04 12:00:00.123+02": by DateStyle and TimeZone; and the same with milliseconds and a zone name, for logs.
std::string timestamptz_text(std::int64_t us);
// "2024-07-04 12:00:00.123 CEST": always three digits and the zone's abbreviation, as %m of log_line_prefix; zone empty = the session's.
std::string log_time_text(std::int64_t us, bool milliseconds, const std::string& zone);

}  // namespace hathi::types
