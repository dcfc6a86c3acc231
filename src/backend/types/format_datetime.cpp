// to_char() of time stamps and intervals.

#include "format_datetime.h"

#include <fmt/format.h>

#include "datetime_codec.h"
#include "format_number.h"
#include "tables.h"

namespace hathi::types {

namespace {

using F = TemplateField;

constexpr std::string_view kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                        "July",    "August",   "September", "October", "November", "December"};
constexpr std::string_view kDays[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
constexpr std::string_view kRoman[] = {"I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"};

// What is to be shown: a local time, or the parts of an interval.
struct Shown {
  std::int64_t year = 0, month = 0, day = 0, hour = 0;
  int minute = 0, second = 0, microsecond = 0;
  int weekday = 0;
  std::int64_t day_of_year = 0;
  std::int64_t days = 0;  // since 2000-01-01
  bool is_interval = false;
  bool has_zone = false;
  ZoneOffset zone;
  // Years without a year 0.
  std::int64_t counted_year() const { return is_interval || year > 0 ? year : 1 - year; }
};

std::string in_case(std::string_view text, TemplateCase letters) {
  std::string result(text);
  for (char& c : result) {
    if (letters == TemplateCase::upper) c = to_upper_ascii(c);
    if (letters == TemplateCase::lower) c = to_lower_ascii(c);
  }
  return result;
}
std::string padded(std::string text, std::size_t width, bool fill) {
  if (!fill && text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

class TimeWriter {
 public:
  explicit TimeWriter(const Shown& v) : v_(v) {}

  std::string run(const DateTemplate& items) {
    for (const TemplateItem& item : items) {
      if (item.kind == TemplateItem::Kind::field) field(item);
      else out_ += item.text;
    }
    return std::move(out_);
  }

 private:
  // A number with leading zeros (one more place for a minus), unless FM.
  void number(const TemplateItem& item, std::int64_t v, int width) {
    std::string text = item.fill ? std::to_string(v) : fmt::format("{:0{}}", v, v >= 0 ? width : width + 1);
    ordinal(item, text);
  }
  // The same where a minus takes one of the places.
  void fixed_number(const TemplateItem& item, std::int64_t v, int width) {
    ordinal(item, item.fill ? std::to_string(v) : fmt::format("{:0{}}", v, width));
  }
  void ordinal(const TemplateItem& item, const std::string& text) {
    out_ += text;
    if (item.ordinal_upper) out_ += ordinal_suffix(text, true);
    else if (item.ordinal_lower) out_ += ordinal_suffix(text, false);
  }
  void refuse_interval() const {
    if (!v_.is_interval) return;
    throw SqlError(sqlstate::invalid_datetime_format, "invalid format specification for an interval value")
        .hint("Intervals are not tied to specific calendar dates.");
  }
  std::int64_t iso_year() const {
    std::int64_t thursday = v_.days - (day_of_week(v_.days) + 6) % 7 + 3;
    std::int64_t year = civil_from_days(thursday).year;
    return v_.is_interval || year > 0 ? year : 1 - year;
  }
  int iso_week_number() const {
    std::int64_t thursday = v_.days - (day_of_week(v_.days) + 6) % 7 + 3;
    return static_cast<int>((thursday - days_from_civil(civil_from_days(thursday).year, 1, 1)) / 7) + 1;
  }
  int iso_day_of_year() const {
    int weekday = day_of_week(v_.days) == 0 ? 7 : day_of_week(v_.days);
    return (iso_week_number() - 1) * 7 + weekday;
  }

  void field(const TemplateItem& item) {
    switch (item.field) {
      case F::ad_dots: case F::ad: {
        refuse_interval();
        bool dots = item.field == F::ad_dots;
        out_ += in_case(v_.year <= 0 ? (dots ? "B.C." : "BC") : (dots ? "A.D." : "AD"), item.letters);
        break;
      }
      case F::am_dots: case F::am: {
        bool dots = item.field == F::am_dots;
        out_ += in_case(v_.hour % 24 >= 12 ? (dots ? "P.M." : "PM") : (dots ? "A.M." : "AM"), item.letters);
        break;
      }
      case F::hour_12: number(item, v_.hour % 12 == 0 ? 12 : v_.hour % 12, 2); break;
      case F::hour_24: number(item, v_.hour, 2); break;
      case F::minute: number(item, v_.minute, 2); break;
      case F::second: number(item, v_.second, 2); break;
      case F::fraction: {
        int v = v_.microsecond;
        for (int i = item.parameter; i < 6; ++i) v /= 10;
        ordinal(item, fmt::format("{:0{}}", v, item.parameter));
        break;
      }
      case F::millisecond: ordinal(item, fmt::format("{:03}", v_.microsecond / 1000)); break;
      case F::microsecond: ordinal(item, fmt::format("{:06}", v_.microsecond)); break;
      case F::seconds_of_day: ordinal(item, std::to_string(v_.hour * 3600 + v_.minute * 60 + v_.second)); break;
      case F::zone: case F::offset: case F::zone_hour: case F::zone_minute: zone(item); break;
      case F::month_name: case F::month_abbreviation: case F::day_name: case F::weekday: name(item); break;
      default: date_field(item);
    }
  }

  void zone(const TemplateItem& item) {
    refuse_interval();
    if (item.field == F::zone) {
      if (v_.has_zone) out_ += in_case(v_.zone.abbreviation, item.letters);
      return;
    }
    int s = v_.zone.seconds_east;
    int magnitude = s < 0 ? -s : s;
    switch (item.field) {
      case F::offset:
        out_ += fmt::format("{}{:0{}}", s < 0 ? '-' : '+', magnitude / 3600, item.fill ? 0 : 2);
        if (magnitude % 3600 != 0) out_ += fmt::format(":{:02}", magnitude % 3600 / 60);
        break;
      case F::zone_hour: out_ += fmt::format("{}{:02}", s < 0 ? '-' : '+', magnitude / 3600); break;
      default: out_ += fmt::format("{:02}", magnitude % 3600 / 60); break;
    }
  }

  void name(const TemplateItem& item) {
    refuse_interval();
    constexpr std::size_t kNameWidth = 9;
    switch (item.field) {
      case F::month_name:
        if (v_.month != 0) out_ += padded(in_case(kMonths[v_.month - 1], item.letters), kNameWidth, item.fill || item.translated);
        break;
      case F::month_abbreviation:
        if (v_.month != 0) out_ += in_case(kMonths[v_.month - 1].substr(0, 3), item.letters);
        break;
      case F::day_name: out_ += padded(in_case(kDays[v_.weekday], item.letters), kNameWidth, item.fill || item.translated); break;
      default: out_ += in_case(kDays[v_.weekday].substr(0, 3), item.letters); break;
    }
  }

  void date_field(const TemplateItem& item) {
    switch (item.field) {
      case F::century: {
        std::int64_t c = v_.is_interval ? v_.year / 100 : v_.year > 0 ? (v_.year - 1) / 100 + 1 : v_.year / 100 - 1;
        if (c <= 99 && c >= -99) number(item, c, 2);
        else ordinal(item, std::to_string(c));
        break;
      }
      case F::month_number: number(item, v_.month, 2); break;
      case F::day_of_year: fixed_number(item, v_.day_of_year, 3); break;
      case F::iso_day_of_year: fixed_number(item, iso_day_of_year(), 3); break;
      case F::day_of_month: fixed_number(item, v_.day, 2); break;
      case F::day_of_week:
        refuse_interval();
        ordinal(item, std::to_string(v_.weekday + 1));
        break;
      case F::iso_day:
        refuse_interval();
        ordinal(item, std::to_string(v_.weekday == 0 ? 7 : v_.weekday));
        break;
      case F::week: fixed_number(item, (v_.day_of_year - 1) / 7 + 1, 2); break;
      case F::iso_week: fixed_number(item, iso_week_number(), 2); break;
      case F::week_of_month: ordinal(item, std::to_string((v_.day - 1) / 7 + 1)); break;
      case F::quarter:
        if (v_.month != 0) ordinal(item, std::to_string((v_.month - 1) / 3 + 1));
        break;
      case F::julian: ordinal(item, std::to_string(v_.days + kJulianOfEpoch)); break;
      case F::roman_month: roman_month(item); break;
      case F::year_comma: {
        std::int64_t thousands = v_.counted_year() / 1000;
        ordinal(item, fmt::format("{},{:03}", thousands, v_.counted_year() - thousands * 1000));
        break;
      }
      case F::year: number(item, v_.counted_year(), 4); break;
      case F::year_3: number(item, v_.counted_year() % 1000, 3); break;
      case F::year_2: number(item, v_.counted_year() % 100, 2); break;
      case F::year_1: number(item, v_.counted_year() % 10, 1); break;
      case F::iso_year: fixed_number(item, iso_year(), 4 + (v_.counted_year() < 0 ? 1 : 0)); break;
      case F::iso_year_3: fixed_number(item, iso_year() % 1000, 3 + (v_.counted_year() < 0 ? 1 : 0)); break;
      case F::iso_year_2: fixed_number(item, iso_year() % 100, 2 + (v_.counted_year() < 0 ? 1 : 0)); break;
      case F::iso_year_1: fixed_number(item, iso_year() % 10, 1 + (v_.counted_year() < 0 ? 1 : 0)); break;
      default: break;  // FX says nothing here
    }
  }
  void roman_month(const TemplateItem& item) {
    if (v_.month == 0 && v_.year == 0) return;
    // Months of an interval go round; negative ones count from the end of the year.
    std::int64_t index = v_.month == 0 ? (v_.year >= 0 ? 11 : 0) : v_.month < 0 ? 12 + v_.month : v_.month - 1;
    out_ += padded(in_case(kRoman[index], item.letters), 4, item.fill);
  }

  const Shown& v_;
  std::string out_;
};

std::optional<std::string> format(const Shown& v, std::string_view pattern) {
  if (pattern.empty()) return std::nullopt;
  return TimeWriter(v).run(date_template(pattern));
}

Shown shown_time(std::int64_t local) {
  Fields f = fields_of(local);
  Shown v;
  v.year = f.year;
  v.month = f.month;
  v.day = f.day;
  v.hour = f.hour;
  v.minute = f.minute;
  v.second = f.second;
  v.microsecond = f.microsecond;
  v.days = floor_div(local, kDay);
  v.weekday = day_of_week(v.days);
  v.day_of_year = v.days - days_from_civil(f.year, 1, 1) + 1;
  return v;
}

Datum timestamp_to_char(FunctionCall& call) {
  Timestamp t{call.arg(0).as_int64()};
  std::string_view pattern = call.text(1);
  if (pattern.empty() || !t.is_finite()) return call.null();
  return varlena::make(call.arena(), *format(shown_time(t.us), pattern));
}
Datum timestamptz_to_char(FunctionCall& call) {
  TimestampTz t{call.arg(0).as_int64()};
  std::string_view pattern = call.text(1);
  if (pattern.empty() || !t.is_finite()) return call.null();
  ZoneOffset zone = offset_at(session_time_zone(), t.us);
  Shown v = shown_time(t.us + zone.seconds_east * kSecond);
  v.has_zone = true;
  v.zone = zone;
  return varlena::make(call.arena(), *format(v, pattern));
}
Datum interval_to_char(FunctionCall& call) {
  const auto& i = *call.arg(0).as_pointer<Interval>();
  std::string_view pattern = call.text(1);
  if (pattern.empty()) return call.null();
  Shown v;
  v.is_interval = true;
  v.year = i.months / 12;
  v.month = i.months % 12;
  v.day = i.days;
  v.hour = i.us / kHour;
  v.minute = static_cast<int>(i.us % kHour / kMinute);
  v.second = static_cast<int>(i.us % kMinute / kSecond);
  v.microsecond = static_cast<int>(i.us % kSecond);
  v.day_of_year = (v.year * 12 + v.month) * 30 + v.day;
  int month = static_cast<int>(v.month);
  v.days = month >= 1 ? days_from_civil(v.year, month, 1) + v.day - 1 : days_from_civil(v.year - 1, 12 + month, 1) + v.day - 1;
  return varlena::make(call.arena(), *format(v, pattern));
}

constexpr BuiltinFunction kTable[] = {
    {Oid{2049}, fn<timestamp_to_char>},
    {Oid{1770}, fn<timestamptz_to_char>},
    {Oid{1768}, fn<interval_to_char>},
};

}  // namespace

std::span<const BuiltinFunction> format_datetime_functions() { return kTable; }

}  // namespace hathi::types
