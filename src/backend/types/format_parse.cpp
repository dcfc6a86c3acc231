// to_date(), to_timestamp(text, text): reading by a template.

#include <algorithm>
#include <charconv>

#include "hathi/types/utf8.h"
#include "datetime_codec.h"
#include "datetime_decode.h"
#include "format_datetime.h"
#include "tables.h"
#include "wrapping.h"

namespace hathi::types {

namespace {

using F = TemplateField;

constexpr std::string_view kMonths[] = {"january", "february", "march",     "april",   "may",      "june",
                                        "july",    "august",   "september", "october", "november", "december"};
constexpr std::string_view kDays[] = {"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"};
constexpr std::string_view kRoman[] = {"xii", "xi", "x", "ix", "viii", "vii", "vi", "v", "iv", "iii", "ii", "i"};
constexpr std::string_view kMeridiem[] = {"am", "pm"}, kMeridiemDots[] = {"a.m.", "p.m."}, kEras[] = {"ad", "bc"}, kErasDots[] = {"a.d.", "b.c."};

[[noreturn]] void bad(std::string message, std::string detail = {}, std::string hint = {}) {
  SqlError error(sqlstate::invalid_datetime_format, "{}", message);
  if (!detail.empty()) error.detail(std::move(detail));
  if (!hint.empty()) error.hint(std::move(hint));
  throw error;
}

bool is_separator(char c) { return c > ' ' && c < 0x7F && !is_alpha(c) && !is_digit(c); }

// What the fields said. 0 = not given, except where noted.
struct Parts {
  TemplateMode mode = TemplateMode::none;
  int hour = 0, pm = 0, minute = 0, second = 0, seconds_of_day = 0, weekday = 0, day = 0, day_of_year = 0, month = 0, millisecond = 0, year = 0;
  int bc = 0, week = 0, week_of_month = 0, century = 0, julian = 0, microsecond = 0, year_digits = 0;
  bool twelve_hours = false;
  int zone_sign = 0, zone_hour = 0, zone_minute = 0;
};

class TemplateReader {
 public:
  TemplateReader(const DateTemplate& items, std::string_view text) : items_(items), s_(text) {}

  Parts run() {
    for (std::size_t i = 0; i < items_.size() && at_ < s_.size(); ++i) {
      const TemplateItem& item = items_[i];
      next_ = i + 1 < items_.size() ? &items_[i + 1] : nullptr;
      bool is_field = item.kind == TemplateItem::Kind::field;
      if (!fixed_ && !(is_field && item.field == F::fixed) && (is_field || i == 0)) {
        while (at_ < s_.size() && is_space(s_[at_])) {
          ++at_;
          ++extra_;
        }
      }
      if (item.kind == TemplateItem::Kind::space || item.kind == TemplateItem::Kind::separator) {
        separator();
        continue;
      }
      if (!is_field) {
        if (!fixed_ && extra_ > 0) --extra_;
        else skip_character();
        continue;
      }
      set_mode(item.mode);
      field(item);
      // Blanks and separators before the next field are its own business.
      if (!fixed_) {
        extra_ = 0;
        while (at_ < s_.size() && is_space(s_[at_])) {
          ++at_;
          ++extra_;
        }
      }
    }
    return p_;
  }

 private:
  // NUL at the end.
  char peek() const { return at_ < s_.size() ? s_[at_] : '\0'; }
  void skip_character() {
    if (at_ < s_.size()) at_ += utf8::width(s_[at_], s_.size() - at_);
  }
  void separator() {
    if (fixed_) {
      skip_character();
      return;
    }
    --extra_;
    if (is_space(peek()) || is_separator(peek())) {
      ++at_;
      ++extra_;
    }
  }
  void set_mode(TemplateMode mode) {
    if (mode == TemplateMode::none) return;
    if (p_.mode == TemplateMode::none) {
      p_.mode = mode;
    } else if (p_.mode != mode) {
      bad("invalid combination of date conventions", {}, "Do not mix Gregorian and ISO week date conventions in a formatting template.");
    }
  }
  void set(int& field, int value, const TemplateItem& item) {
    if (field != 0 && field != value) {
      bad(fmt::format("conflicting values for \"{}\" field in formatting string", item.keyword),
          "This value contradicts a previous setting for the same field type.");
    }
    field = value;
  }

  // Is what follows the number surely no digit, so that the number may have any length?
  bool ends_by_itself(const TemplateItem& item) const {
    if (item.ordinal_upper || item.ordinal_lower) return true;
    if (next_ == nullptr) return true;
    if (next_->kind == TemplateItem::Kind::field) return !next_->takes_digits;
    return !(next_->text.size() == 1 && is_digit(next_->text[0]));
  }

  // Returns the number of characters taken.
  int integer(int& value, int length, const TemplateItem& item) {
    while (at_ < s_.size() && is_space(s_[at_])) ++at_;
    std::size_t start = at_;
    std::string_view window = s_.substr(start, static_cast<std::size_t>(length));
    bool free = item.fill || ends_by_itself(item);
    std::string_view source = free ? s_.substr(start) : window;
    if (!free && window.size() < static_cast<std::size_t>(length)) {
      bad(fmt::format("source string too short for \"{}\" formatting field", item.keyword),
          fmt::format("Field requires {} characters, but only {} remain.", length, window.size()),
          "If your source string is not fixed-width, try using the \"FM\" modifier.");
    }
    std::size_t digits = 0;
    bool sign = !source.empty() && (source[0] == '-' || source[0] == '+');
    while (digits + (sign ? 1 : 0) < source.size() && is_digit(source[digits + (sign ? 1 : 0)])) ++digits;
    std::size_t used = digits == 0 ? 0 : digits + (sign ? 1 : 0);
    if (!free && used > 0 && used < static_cast<std::size_t>(length)) {
      bad(fmt::format("invalid value \"{}\" for \"{}\"", window, item.keyword),
          fmt::format("Field requires {} characters, but only {} could be parsed.", length, used),
          "If your source string is not fixed-width, try using the \"FM\" modifier.");
    }
    if (used == 0) bad(fmt::format("invalid value \"{}\" for \"{}\"", window, item.keyword), "Value must be an integer.");
    std::int64_t v = 0;
    std::string_view number = source.substr(sign && source[0] == '+' ? 1 : 0, used - (sign && source[0] == '+' ? 1 : 0));
    auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), v);
    if (error != std::errc() || v != static_cast<std::int32_t>(v)) {
      throw SqlError(sqlstate::datetime_value_out_of_range, "value for \"{}\" in source string is out of range", item.keyword)
          .detail(fmt::format("Value must be in the range {} to {}.", INT32_MIN, INT32_MAX));
    }
    at_ += used;
    set(value, static_cast<int>(v), item);
    if (item.ordinal_upper || item.ordinal_lower) at_ = std::min(s_.size(), at_ + 2);
    return static_cast<int>(used);
  }

  template <std::size_t N> int one_of(const std::string_view (&names)[N], std::size_t prefix, const TemplateItem& item) {
    for (std::size_t i = 0; i < N; ++i) {
      std::string_view name = names[i].substr(0, prefix);
      if (equals_ignoring_case(s_.substr(at_, name.size()), name)) {
        at_ += name.size();
        return static_cast<int>(i);
      }
    }
    std::size_t end = at_;
    while (end < s_.size() && !is_space(s_[end])) ++end;
    bad(fmt::format("invalid value \"{}\" for \"{}\"", s_.substr(at_, end - at_), item.keyword),
        "The given value did not match any of the allowed values for this field.");
  }
  static constexpr std::size_t kWhole = std::string_view::npos;

  void field(const TemplateItem& item) {
    switch (item.field) {
      case F::fixed: fixed_ = true; break;
      case F::am: case F::am_dots:
        set(p_.pm, item.field == F::am ? one_of(kMeridiem, kWhole, item) : one_of(kMeridiemDots, kWhole, item), item);
        p_.twelve_hours = true;
        break;
      case F::hour_12:
        integer(p_.hour, 2, item);
        p_.twelve_hours = true;
        break;
      case F::hour_24: integer(p_.hour, 2, item); break;
      case F::minute: integer(p_.minute, 2, item); break;
      case F::second: integer(p_.second, 2, item); break;
      case F::millisecond: {  // 25 is 0.25
        int n = integer(p_.millisecond, 3, item);
        p_.millisecond *= n == 1 ? 100 : n == 2 ? 10 : 1;
        break;
      }
      case F::microsecond: case F::fraction: {
        int n = integer(p_.microsecond, item.field == F::fraction ? item.parameter : 6, item);
        for (; n < 6; ++n) p_.microsecond *= 10;
        break;
      }
      case F::seconds_of_day: integer(p_.seconds_of_day, static_cast<int>(item.keyword.size()), item); break;
      case F::zone: case F::offset:
        throw SqlError(sqlstate::feature_not_supported, "formatting field \"{}\" is only supported in to_char", item.keyword);
      case F::zone_hour:
        if (peek() == '+' || peek() == '-' || peek() == ' ') p_.zone_sign = s_[at_++] == '-' ? -1 : 1;
        else p_.zone_sign = extra_ > 0 && at_ > 0 && s_[at_ - 1] == '-' ? -1 : 1;
        integer(p_.zone_hour, 2, item);
        break;
      case F::zone_minute:
        if (p_.zone_sign == 0) p_.zone_sign = 1;
        integer(p_.zone_minute, 2, item);
        break;
      case F::ad: set(p_.bc, one_of(kEras, kWhole, item), item); break;
      case F::ad_dots: set(p_.bc, one_of(kErasDots, kWhole, item), item); break;
      default: date_field(item);
    }
  }

  void date_field(const TemplateItem& item) {
    switch (item.field) {
      case F::month_name: set(p_.month, one_of(kMonths, kWhole, item) + 1, item); break;
      case F::month_abbreviation: set(p_.month, one_of(kMonths, 3, item) + 1, item); break;
      case F::month_number: integer(p_.month, 2, item); break;
      case F::roman_month: set(p_.month, 12 - one_of(kRoman, kWhole, item), item); break;
      case F::day_name: set(p_.weekday, one_of(kDays, kWhole, item) + 1, item); break;
      case F::weekday: set(p_.weekday, one_of(kDays, 3, item) + 1, item); break;
      case F::day_of_year: integer(p_.day_of_year, 3, item); break;
      case F::iso_day_of_year: integer(p_.day_of_year, 3, item); break;
      case F::day_of_month: integer(p_.day, 2, item); break;
      case F::day_of_week: integer(p_.weekday, 1, item); break;
      case F::iso_day:
        integer(p_.weekday, 1, item);
        p_.weekday = p_.weekday == 7 ? 1 : wrapping_add(p_.weekday, 1);
        if (p_.weekday > 7) p_.weekday = 1;
        break;
      case F::week: case F::iso_week: integer(p_.week, 2, item); break;
      case F::week_of_month: integer(p_.week_of_month, 1, item); break;
      case F::quarter: {  // says nothing about the date
        int ignored = 0;
        integer(ignored, 1, item);
        break;
      }
      case F::century: integer(p_.century, 2, item); break;
      case F::julian: integer(p_.julian, 1, item); break;
      case F::year_comma: year_with_comma(item); break;
      case F::year: case F::iso_year: year(item, 4); break;
      case F::year_3: case F::iso_year_3: year(item, 3); break;
      case F::year_2: case F::iso_year_2: year(item, 2); break;
      default: year(item, 1); break;
    }
  }
  void year(const TemplateItem& item, int digits) {
    int value = 0;
    int n = integer(value, digits, item);
    if (digits < 4 && n < 4) {  // near 2020
      if (value < 70) value += 2000;
      else if (value < 100) value += 1900;
      else if (value < 520) value += 2000;
      else if (value < 1000) value += 1000;
    }
    set(p_.year, value, item);
    p_.year_digits = digits;
  }
  void year_with_comma(const TemplateItem& item) {
    std::size_t comma = s_.find(',', at_);
    int thousands = 0;
    int rest = 0;
    std::size_t i = comma == std::string_view::npos ? s_.size() : comma + 1;
    bool good = comma != std::string_view::npos && std::from_chars(s_.data() + at_, s_.data() + comma, thousands).ptr == s_.data() + comma && comma > at_;
    auto end = std::from_chars(s_.data() + i, s_.data() + std::min(s_.size(), i + 3), rest).ptr;
    if (!good || end == s_.data() + i) bad("invalid input string for \"Y,YYY\"");
    at_ = static_cast<std::size_t>(end - s_.data());
    set(p_.year, wrapping_add(wrapping_multiply(thousands, 1000), rest), item);
    p_.year_digits = 4;
    if (item.ordinal_upper || item.ordinal_lower) at_ = std::min(s_.size(), at_ + 2);
  }

  const DateTemplate& items_;
  std::string_view s_;
  std::size_t at_ = 0;
  int extra_ = 0;
  bool fixed_ = false;
  const TemplateItem* next_ = nullptr;
  Parts p_;
};

struct Result {
  Fields fields;
  bool has_zone = false;
  std::int32_t zone_east = 0;
};

// The Monday of ISO week 1.
std::int64_t iso_year_start(std::int64_t year) {
  std::int64_t fourth = days_from_civil(year, 1, 4);
  return fourth - (day_of_week(fourth) + 6) % 7;
}

void set_civil(Fields& f, std::int64_t days) {
  CivilDate c = civil_from_days(days);
  f.year = c.year;
  f.month = c.month;
  f.day = c.day;
}

// Sums of absurd fields wrap, as PostgreSQL's do.
int century_years(int century) { return wrapping_multiply(century, 100); }

void resolve_year(const Parts& p, Fields& f, bool& known) {
  int century = p.bc != 0 ? wrapping_subtract(0, p.century) : p.century;
  if (p.year != 0) {
    if (p.century != 0 && p.year_digits <= 2) {
      f.year = p.year % 100;
      if (f.year != 0) {
        if (century >= 0) f.year += century_years(century - 1);
        else f.year = century_years(century + 1) - f.year + 1;
      } else {
        f.year = century_years(century) + (century >= 0 ? 0LL : 1LL);
      }
    } else {
      f.year = p.bc != 0 ? wrapping_subtract(0, p.year) : p.year;
      if (f.year < 0) ++f.year;
    }
    known = true;
  } else if (p.century != 0) {
    f.year = century_years(century >= 0 ? century - 1 : century) + 1LL;
    known = true;
  }
}

int first_day_of_week(int week) { return wrapping_add(wrapping_multiply(wrapping_subtract(week, 1), 7), 1); }

Result assemble(Parts p, std::string_view text) {
  Result r;
  Fields& f = r.fields;
  f.month = 1;
  f.day = 1;
  bool month_known = false, day_known = false, year_known = false;
  int seconds_left = p.seconds_of_day;
  if (seconds_left != 0) {
    f.hour = seconds_left / 3600;
    f.minute = seconds_left % 3600 / 60;
    f.second = seconds_left % 60;
  }
  if (p.second != 0) f.second = p.second;
  if (p.minute != 0) f.minute = p.minute;
  if (p.hour != 0) f.hour = p.hour;
  if (p.twelve_hours) {
    if (f.hour < 1 || f.hour > 12) {
      bad(fmt::format("hour \"{}\" is invalid for the 12-hour clock", f.hour), {}, "Use the 24-hour clock, or give an hour between 1 and 12.");
    }
    if (p.pm != 0 && f.hour < 12) f.hour += 12;
    else if (p.pm == 0 && f.hour == 12) f.hour = 0;
  }
  resolve_year(p, f, year_known);
  if (p.julian != 0) {
    set_civil(f, p.julian - kJulianOfEpoch);
    month_known = day_known = year_known = true;
  }
  if (p.week != 0) {
    if (p.mode == TemplateMode::iso_week) {
      int weekday = p.weekday == 0 ? 1 : p.weekday <= 1 ? 7 : p.weekday - 1;
      set_civil(f, iso_year_start(f.year) + (p.week - 1LL) * 7 + weekday - 1);
      month_known = day_known = year_known = true;
    } else {
      p.day_of_year = first_day_of_week(p.week);
    }
  }
  if (p.week_of_month != 0) p.day = first_day_of_week(p.week_of_month);
  if (p.day != 0) {
    f.day = p.day;
    day_known = true;
  }
  if (p.month != 0) {
    f.month = p.month;
    month_known = true;
  }
  if (p.day_of_year != 0 && (f.month <= 1 || f.day <= 1)) {
    if (f.year == 0 && p.bc == 0) bad("cannot calculate day of year without year information");
    if (p.mode == TemplateMode::iso_week) {
      set_civil(f, iso_year_start(f.year) + p.day_of_year - 1);
      month_known = day_known = year_known = true;
    } else {
      int rest = p.day_of_year;
      int month = 1;
      while (month < 12 && rest > days_in_month(f.year, month)) rest -= days_in_month(f.year, month++);
      if (f.month <= 1) f.month = month;
      if (f.day <= 1) f.day = rest;
      month_known = day_known = true;
    }
  }
  std::int64_t fraction = static_cast<std::int64_t>(p.millisecond) * 1000 + p.microsecond;
  bool overflow = (month_known && (f.month < 1 || f.month > 12)) || (day_known && (f.day < 1 || f.day > 31)) || f.hour < 0 || f.hour > 23 || f.minute < 0 ||
                  f.minute > 59 || f.second < 0 || f.second > 59 || fraction < 0 || fraction >= 1000000;
  if (!overflow) overflow = f.day > days_in_month(f.year, f.month);
  if (overflow) throw_decode_error(DecodeError::field_overflow, text, "timestamp");
  f.microsecond = static_cast<int>(fraction);
  if (p.zone_sign != 0) {
    if (p.zone_hour < 0 || p.zone_hour > 15 || p.zone_minute < 0 || p.zone_minute > 59) throw_decode_error(DecodeError::zone_overflow, text, "timestamp");
    r.has_zone = true;
    r.zone_east = p.zone_sign * (p.zone_hour * 3600 + p.zone_minute * 60);
  }
  return r;
}

Result read(std::string_view text, std::string_view pattern) { return assemble(TemplateReader(date_template(pattern), text).run(), text); }

TimestampTz to_timestamp_by_template(std::string_view text, std::string_view pattern) {
  Result r = read(text, pattern);
  std::int64_t us;
  if (!timestamp_of(r.fields, us)) throw_timestamp_out_of_range();
  std::int32_t east = r.has_zone ? r.zone_east : offset_at_local(session_time_zone(), us).seconds_east;
  us -= east * kSecond;
  if (!is_valid_timestamp(us)) throw_timestamp_out_of_range();
  return {us};
}
Date to_date_by_template(std::string_view text, std::string_view pattern) {
  Result r = read(text, pattern);
  std::int64_t days = r.fields.year < -4714 || r.fields.year > 5874898 ? kEndDate : days_from_civil(r.fields.year, r.fields.month, r.fields.day);
  if (!is_valid_date(days)) throw SqlError(sqlstate::datetime_value_out_of_range, "date out of range: \"{}\"", text);
  return {static_cast<std::int32_t>(days)};
}

constexpr BuiltinFunction kTable[] = {
    {Oid{1778}, fn<to_timestamp_by_template>},
    {Oid{1780}, fn<to_date_by_template>},
};

}  // namespace

std::span<const BuiltinFunction> format_parse_functions() { return kTable; }

}  // namespace hathi::types
