#pragma once
// Time zones from the system's TZif files (/usr/share/zoneinfo) and from POSIX strings, with PostgreSQL's choice among
// ambiguous local times.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hathi::types {

// What holds at an instant.
struct ZoneOffset {
  std::int32_t seconds_east = 0;
  bool is_dst = false;
  std::string_view abbreviation;  // lives as long as the zone
};

class TimeZone {
 public:
  const std::string& name() const { return name_; }
  // utc and local: seconds since 1970-01-01 00:00.
  ZoneOffset at(std::int64_t utc) const;
  // The offset of a local time. In a gap the one before it holds, where the clock is set back the later one.
  ZoneOffset at_local(std::int64_t local) const;
  // What the zone means by an abbreviation at an instant: its latest use until then, else its first later one. false when it
  // never used it.
  bool abbreviation_at(std::string_view abbreviation, std::int64_t utc, ZoneOffset& offset) const;

 private:
  friend class ZoneLoader;
  struct Type {
    std::int32_t seconds_east;
    bool is_dst;
    std::uint16_t abbreviation;  // offset in abbreviations_
  };
  struct Transition {
    std::int64_t utc;
    std::uint16_t type;
  };
  // When daylight saving begins or ends in a year.
  struct Rule {
    char kind = 'M';  // M month, week, weekday; J day 1-365 without 29 February; D day 0-365
    int month = 0, week = 0, day = 0;
    std::int32_t seconds = 7200;  // local time of day
  };
  ZoneOffset describe(std::uint16_t type) const;
  std::uint16_t type_at(std::int64_t utc) const;
  // The first transition after utc; false when there is none.
  bool next_transition(std::int64_t utc, Transition& next) const;
  std::int64_t rule_instant(const Rule& rule, std::int64_t year, std::int32_t offset_before) const;

  std::string name_;
  std::vector<Type> types_;
  std::vector<Transition> transitions_;
  std::string abbreviations_;
  std::uint16_t first_type_ = 0;
  // Beyond the last transition.
  bool has_rules_ = false;
  std::uint16_t standard_ = 0, daylight_ = 0;
  Rule start_, end_;
};

// By name, in any case, or a POSIX string ("EST5EDT", "<+03>-03"). nullptr when there is none. Zones are kept once loaded.
const TimeZone* find_time_zone(std::string_view name);
// The zone of the setting TimeZone.
const TimeZone& session_time_zone();

// Abbreviations that date input knows ("EST", "CEST", "Z" is not among them). false when unknown.
struct ZoneAbbreviation {
  std::string_view name;
  std::int32_t seconds_east;
  bool is_dst;
  const char* zone = nullptr;  // its meaning has changed: this zone says what it was when
};
const ZoneAbbreviation* find_zone_abbreviation(std::string_view name);
// All of them, for pg_timezone_abbrevs.
const ZoneAbbreviation* zone_abbreviations(std::size_t& count);
// Names of all zone files, for pg_timezone_names.
std::vector<std::string> time_zone_names();

}  // namespace hathi::types
