// Intervals as text: PostgreSQL's, SQL's and ISO 8601's forms.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "hathi/config/session_settings.h"
#include "datetime.h"
#include "datetime_decode.h"
#include "errors.h"
#include "parse.h"

namespace hathi::types {

namespace {

using enum DecodeError;

// Fields added up while they are read.
struct Sum {
  std::int64_t us = 0;
  std::int32_t days = 0;
  std::int32_t months = 0;
  std::int32_t years = 0;

  bool add_us(std::int64_t value, std::int64_t scale) {
    std::int64_t product;
    return !__builtin_mul_overflow(value, scale, &product) && !__builtin_add_overflow(us, product, &us);
  }
  static bool add_to(std::int32_t& field, std::int64_t value, std::int64_t scale) {
    std::int64_t product;
    std::int64_t sum;
    if (__builtin_mul_overflow(value, scale, &product) || __builtin_add_overflow(product, static_cast<std::int64_t>(field), &sum)) return false;
    if (sum < INT32_MIN || sum > INT32_MAX) return false;
    field = static_cast<std::int32_t>(sum);
    return true;
  }
  // Fractions go to the smaller fields.
  bool add_fraction_us(double fraction, double scale) {
    if (fraction == 0) return true;
    double v = fraction * scale;
    auto whole = static_cast<std::int64_t>(v);
    v -= static_cast<double>(whole);
    if (v > 0.5) ++whole;
    else if (v < -0.5) --whole;
    return !__builtin_add_overflow(us, whole, &us);
  }
  bool add_fraction_days(double fraction, double scale) {
    if (fraction == 0) return true;
    double v = fraction * scale;
    auto whole = static_cast<std::int64_t>(v);
    return add_to(days, whole, 1) && add_fraction_us(v - static_cast<double>(whole), static_cast<double>(kDay));
  }
  bool add_fraction_years(double fraction, double scale) {
    return fraction == 0 || add_to(months, static_cast<std::int64_t>(std::rint(fraction * scale * 12)), 1);
  }

  bool add(Unit unit, std::int64_t v, double fraction) {
    switch (unit) {
      case Unit::microsecond: return add_us(v, 1) && add_fraction_us(fraction, 1);
      case Unit::millisecond: return add_us(v, 1000) && add_fraction_us(fraction, 1000);
      case Unit::second: return add_us(v, kSecond) && add_fraction_us(fraction, 1e6);
      case Unit::minute: return add_us(v, kMinute) && add_fraction_us(fraction, 60e6);
      case Unit::hour: return add_us(v, kHour) && add_fraction_us(fraction, 3600e6);
      case Unit::day: return add_to(days, v, 1) && add_fraction_us(fraction, static_cast<double>(kDay));
      case Unit::week: return add_to(days, v, 7) && add_fraction_days(fraction, 7);
      case Unit::month: return add_to(months, v, 1) && add_fraction_days(fraction, 30);
      case Unit::year: return add_to(years, v, 1) && add_fraction_years(fraction, 1);
      case Unit::decade: return add_to(years, v, 10) && add_fraction_years(fraction, 10);
      case Unit::century: return add_to(years, v, 100) && add_fraction_years(fraction, 100);
      case Unit::millennium: return add_to(years, v, 1000) && add_fraction_years(fraction, 1000);
      default: return false;
    }
  }
  bool negate() {
    return !__builtin_sub_overflow(std::int64_t{0}, us, &us) && !__builtin_sub_overflow(0, days, &days) && !__builtin_sub_overflow(0, months, &months) &&
           !__builtin_sub_overflow(0, years, &years);
  }
  bool to_interval(Interval& v) const {
    std::int64_t m = static_cast<std::int64_t>(years) * 12 + months;
    if (m < INT32_MIN || m > INT32_MAX) return false;
    v = {us, days, static_cast<std::int32_t>(m)};
    return true;
  }
};

// The unit of a rightmost number without one, by the fields of the type modifier.
Unit unit_for_range(int range) {
  namespace f = interval_field;
  switch (range) {
    case f::year: return Unit::year;
    case f::month: case f::year | f::month: return Unit::month;
    case f::day: return Unit::day;
    case f::hour: case f::day | f::hour: return Unit::hour;
    case f::minute: case f::hour | f::minute: case f::day | f::hour | f::minute: return Unit::minute;
    default: return Unit::second;
  }
}

class IntervalDecoder {
 public:
  IntervalDecoder(std::vector<Token>& tokens, int range) : tokens_(tokens), range_(range) {}

  // From the right, since a unit stands behind its number.
  DecodeError run(Sum& sum) {
    // SQL's form has one sign for all fields.
    bool one_sign = config::values::interval_style == static_cast<int>(config::IntervalStyle::sql_standard) && !tokens_.empty() && tokens_[0].text[0] == '-' &&
                    std::none_of(tokens_.begin() + 1, tokens_.end(), [](const Token& t) { return t.text[0] == '-' || t.text[0] == '+'; });
    bool ago = false;
    for (std::size_t i = tokens_.size(); i-- > 0;) {
      const std::string& text = tokens_[i].text;
      DecodeError error = none;
      found_ = 0;
      switch (tokens_[i].kind) {
        case TokenKind::time: error = clock(text, one_sign, sum); break;
        case TokenKind::zone:
          if (text.find(':') != std::string::npos) error = clock(text, one_sign, sum);
          else error = number(text, one_sign, sum);
          break;
        case TokenKind::date: case TokenKind::number: error = number(text, one_sign, sum); break;
        case TokenKind::word: case TokenKind::special: {
          if (text == "ago") {
            ago = true;
            unit_ = Unit::none;
            continue;
          }
          Unit unit = find_unit(text);
          if (unit == Unit::none || unit >= Unit::timezone || unit == Unit::quarter) return bad_format;
          unit_ = unit;
          continue;
        }
      }
      if (error != none) return error;
      if ((found_ & known_) != 0) return bad_format;
      known_ |= found_;
    }
    if (known_ == 0) return bad_format;
    if (ago && !sum.negate()) return field_overflow;
    return none;
  }

 private:
  DecodeError clock(const std::string& text, bool one_sign, Sum& sum) {
    bool is_signed = text[0] == '-' || text[0] == '+';
    bool negative = text[0] == '-' || (one_sign && !is_signed);
    ClockTime time;
    bool minutes_first = range_ == (interval_field::minute | interval_field::second);
    if (DecodeError e = decode_clock(std::string_view(text).substr(is_signed ? 1 : 0), time, minutes_first); e != none) return e;
    int sign = negative ? -1 : 1;
    bool fits = sum.add_us(sign * time.hour, kHour) && sum.add_us(sign * time.minute, kMinute) && sum.add_us(sign * time.second, kSecond) &&
                sum.add_us(sign * time.microsecond, 1);
    if (!fits) return field_overflow;
    found_ = field_mask::time;
    unit_ = Unit::day;
    return none;
  }

  DecodeError number(const std::string& text, bool one_sign, Sum& sum) {
    if (unit_ == Unit::none) unit_ = unit_for_range(range_);
    std::size_t sign_size = text[0] == '-' || text[0] == '+' ? 1 : 0;
    bool negative = text[0] == '-';
    const char* begin = text.data() + sign_size;
    const char* end = text.data() + text.size();
    std::int64_t value = 0;
    auto [rest, error] = std::from_chars(begin, end, value);
    if (error == std::errc::result_out_of_range) return field_overflow;
    if (error != std::errc()) {
      if (*begin != '.') return bad_format;
      value = 0;
      rest = begin;
    }
    if (negative) value = -value;
    double fraction = 0;
    if (rest != end && *rest == '-') {  // years-months
      std::int64_t months = 0;
      auto [after, bad] = std::from_chars(rest + 1, end, months);
      if (bad == std::errc::result_out_of_range || months < 0 || months >= 12) return field_overflow;
      if (bad != std::errc() || after != end) return bad_format;
      unit_ = Unit::month;
      if (negative) months = -months;
      if (__builtin_mul_overflow(value, std::int64_t{12}, &value) || __builtin_add_overflow(value, months, &value)) return field_overflow;
    } else if (rest != end) {
      if (DecodeError e = decode_fraction({rest, static_cast<std::size_t>(end - rest)}, fraction); e != none) return e;
      if (negative) fraction = -fraction;
    }
    if (one_sign && sign_size == 0) {
      value = -value;
      fraction = -fraction;
    }
    Unit unit = unit_;
    if (!sum.add(unit, value, fraction)) return field_overflow;
    found_ = mask_of(unit, fraction);
    if (unit == Unit::hour) unit_ = Unit::day;  // "1 12:00"-like leading days
    return none;
  }
  static unsigned mask_of(Unit unit, double fraction) {
    switch (unit) {
      case Unit::microsecond: return 1u << 14;
      case Unit::millisecond: return 1u << 13;
      case Unit::second: return fraction == 0 ? field_mask::second : field_mask::second | 1u << 13 | 1u << 14;
      case Unit::minute: return field_mask::minute;
      case Unit::hour: return field_mask::hour;
      case Unit::day: return field_mask::day;
      case Unit::week: return 1u << 22;
      case Unit::month: return field_mask::month;
      case Unit::year: return field_mask::year;
      case Unit::decade: return 1u << 23;
      case Unit::century: return 1u << 24;
      default: return 1u << 25;
    }
  }

  std::vector<Token>& tokens_;
  int range_;
  Unit unit_ = Unit::none;
  unsigned known_ = 0;
  unsigned found_ = 0;
};

// P[n]Y[n]M[n]W[n]DT[n]H[n]M[n]S, P[yyyy]-[mm]-[dd]T[hh]:[mm]:[ss], P[yyyymmdd]T[hhmmss].
class IsoIntervalDecoder {
 public:
  explicit IsoIntervalDecoder(std::string_view text) : s_(text) {}

  DecodeError run(Sum& sum) {
    if (s_.size() < 2 || s_[0] != 'P') return bad_format;
    at_ = 1;
    bool date_part = true;
    bool any_field = false;
    while (at_ < s_.size()) {
      if (s_[at_] == 'T') {
        date_part = false;
        any_field = false;
        ++at_;
        continue;
      }
      std::size_t start = at_;
      std::int64_t value;
      double fraction;
      if (DecodeError e = number(value, fraction); e != none) return e;
      char unit = at_ < s_.size() ? s_[at_++] : '\0';
      if (date_part) {
        switch (unit) {
          case 'Y': if (!sum.add(Unit::year, value, fraction)) return field_overflow; break;
          case 'M': if (!sum.add(Unit::month, value, fraction)) return field_overflow; break;
          case 'W': if (!sum.add(Unit::week, value, fraction)) return field_overflow; break;
          case 'D': if (!sum.add(Unit::day, value, fraction)) return field_overflow; break;
          case 'T': case '\0': {
            // yyyymmdd run together: eight digits; otherwise only a year.
            std::size_t digits = (unit == '\0' ? at_ : at_ - 1) - start;
            if (digits == 8 && !any_field && fraction == 0) {
              if (!sum.add(Unit::year, value / 10000, 0) || !sum.add(Unit::month, value / 100 % 100, 0) || !sum.add(Unit::day, value % 100, 0))
                return field_overflow;
              if (unit == '\0') return none;
              date_part = false;
              any_field = false;
              continue;
            }
            [[fallthrough]];
          }
          case '-': {
            if (any_field) return bad_format;
            if (!sum.add(Unit::year, value, fraction)) return field_overflow;
            if (unit == '\0') return none;
            if (unit == 'T') {
              date_part = false;
              any_field = false;
              continue;
            }
            if (DecodeError e = alternative_date(sum, date_part); e != none) return e;
            if (at_ >= s_.size()) return none;
            any_field = false;
            continue;
          }
          default: return bad_format;
        }
      } else {
        switch (unit) {
          case 'H': if (!sum.add(Unit::hour, value, fraction)) return field_overflow; break;
          case 'M': if (!sum.add(Unit::minute, value, fraction)) return field_overflow; break;
          case 'S': if (!sum.add(Unit::second, value, fraction)) return field_overflow; break;
          case '\0':
            if (at_ - start == 6 && !any_field && fraction == 0) {  // hhmmss
              if (!sum.add(Unit::hour, value / 10000, 0) || !sum.add(Unit::minute, value / 100 % 100, 0) || !sum.add(Unit::second, value % 100, 0))
                return field_overflow;
              return none;
            }
            [[fallthrough]];
          case ':': {
            if (any_field) return bad_format;
            if (!sum.add(Unit::hour, value, fraction)) return field_overflow;
            if (unit == '\0') return none;
            for (Unit next : {Unit::minute, Unit::second}) {
              if (DecodeError e = number(value, fraction); e != none) return e;
              if (!sum.add(next, value, fraction)) return field_overflow;
              if (at_ >= s_.size()) return none;
              if (s_[at_++] != ':') return bad_format;
            }
            return bad_format;
          }
          default: return bad_format;
        }
      }
      any_field = true;
    }
    return none;
  }

 private:
  // After "yyyy-": mm[-dd], then T or the end.
  DecodeError alternative_date(Sum& sum, bool& date_part) {
    std::int64_t value;
    double fraction;
    for (Unit unit : {Unit::month, Unit::day}) {
      if (DecodeError e = number(value, fraction); e != none) return e;
      if (!sum.add(unit, value, fraction)) return field_overflow;
      if (at_ >= s_.size()) return none;
      char c = s_[at_++];
      if (c == 'T') {
        date_part = false;
        return none;
      }
      if (c != '-' || unit == Unit::day) return bad_format;
    }
    return none;
  }
  DecodeError number(std::int64_t& value, double& fraction) {
    std::size_t start = at_;
    bool negative = at_ < s_.size() && s_[at_] == '-';
    if (at_ < s_.size() && (s_[at_] == '-' || s_[at_] == '+')) ++at_;
    std::size_t first = at_;
    while (at_ < s_.size() && is_digit(s_[at_])) ++at_;
    value = 0;
    auto [end, error] = std::from_chars(s_.data() + first, s_.data() + at_, value);
    if (error == std::errc::result_out_of_range) return field_overflow;
    bool digits = at_ > first;
    fraction = 0;
    if (at_ < s_.size() && s_[at_] == '.') {
      std::size_t point = at_++;
      while (at_ < s_.size() && is_digit(s_[at_])) ++at_;
      digits = digits || at_ > point + 1;
      if (digits) decode_fraction(s_.substr(point, at_ - point), fraction);
    }
    if (!digits) {
      at_ = start;
      return bad_format;
    }
    if (negative) {
      value = -value;
      fraction = -fraction;
    }
    return none;
  }

  std::string_view s_;
  std::size_t at_ = 0;
};

}  // namespace

Interval read_interval(std::string_view text, std::int32_t typmod) {
  int range = typmod >= 0 ? typmod >> 16 & 0x7FFF : interval_field::all;
  std::vector<Token> tokens;
  Sum sum;
  DecodeError error = tokenize(text, tokens) ? IntervalDecoder(tokens, range).run(sum) : bad_format;
  if (error == bad_format) {
    sum = {};
    error = IsoIntervalDecoder(text).run(sum);
  }
  if (error == field_overflow || error == date_field_overflow) error = interval_overflow;
  if (error != none) throw_decode_error(error, text, "interval");
  Interval v;
  if (!sum.to_interval(v)) throw_interval_out_of_range();
  apply_interval_typmod(v, typmod);
  return v;
}

// --- printing -----------------------------------------------------------------------------------------------------------------
namespace {

struct Parts {
  std::int64_t years, months, days, hours;
  int minutes, seconds, microseconds;
};
Parts parts_of(const Interval& v) {
  std::int64_t t = v.us;
  Parts p{};
  p.years = v.months / 12;
  p.months = v.months % 12;
  p.days = v.days;
  p.hours = t / kHour;
  p.minutes = static_cast<int>(t % kHour / kMinute);
  p.seconds = static_cast<int>(t % kMinute / kSecond);
  p.microseconds = static_cast<int>(t % kSecond);
  return p;
}

// Seconds with a fraction as short as may be; `padded`: two digits before the point. Signs are dropped.
std::string seconds_text(int seconds, int microseconds, bool padded) {
  std::string to = padded ? fmt::format("{:02}", std::abs(seconds)) : std::to_string(std::abs(seconds));
  if (microseconds == 0) return to;
  std::string digits = fmt::format("{:06}", std::abs(microseconds));
  digits.resize(digits.find_last_not_of('0') + 1);
  return to + "." + digits;
}

std::string print_postgres(const Parts& p) {
  std::string to;
  bool is_zero = true;
  bool after_negative = false;
  auto part = [&](std::int64_t v, std::string_view unit) {
    if (v == 0) return;
    if (!is_zero) to += ' ';
    if (after_negative && v > 0) to += '+';
    fmt::format_to(std::back_inserter(to), "{} {}{}", v, unit, v != 1 ? "s" : "");
    after_negative = v < 0;
    is_zero = false;
  };
  part(p.years, "year");
  part(p.months, "mon");
  part(p.days, "day");
  if (is_zero || p.hours != 0 || p.minutes != 0 || p.seconds != 0 || p.microseconds != 0) {
    bool minus = p.hours < 0 || p.minutes < 0 || p.seconds < 0 || p.microseconds < 0;
    fmt::format_to(std::back_inserter(to), "{}{}{:02}:{:02}:", is_zero ? "" : " ", minus ? "-" : after_negative ? "+" : "", std::abs(p.hours),
                   std::abs(p.minutes));
    to += seconds_text(p.seconds, p.microseconds, true);
  }
  return to;
}

std::string print_verbose(const Parts& p) {
  std::string to = "@";
  bool is_zero = true;
  bool before = false;
  auto part = [&](std::int64_t v, std::string_view unit) {
    if (v == 0) return;
    if (is_zero) {
      before = v < 0;
      v = std::abs(v);
    } else if (before) {
      v = -v;
    }
    fmt::format_to(std::back_inserter(to), " {} {}{}", v, unit, v == 1 ? "" : "s");
    is_zero = false;
  };
  part(p.years, "year");
  part(p.months, "mon");
  part(p.days, "day");
  part(p.hours, "hour");
  part(p.minutes, "min");
  if (p.seconds != 0 || p.microseconds != 0) {
    to += ' ';
    bool negative = p.seconds < 0 || (p.seconds == 0 && p.microseconds < 0);
    if (negative) {
      if (is_zero) before = true;
      else if (!before) to += '-';
    } else if (before) {
      to += '-';
    }
    to += seconds_text(p.seconds, p.microseconds, false);
    to += std::abs(p.seconds) != 1 || p.microseconds != 0 ? " secs" : " sec";
    is_zero = false;
  }
  if (is_zero) to += " 0";
  if (before) to += " ago";
  return to;
}

std::string print_iso(const Parts& p) {
  std::string to = "P";
  auto part = [&](std::int64_t v, char unit) {
    if (v != 0) fmt::format_to(std::back_inserter(to), "{}{}", v, unit);
  };
  part(p.years, 'Y');
  part(p.months, 'M');
  part(p.days, 'D');
  if (p.hours != 0 || p.minutes != 0 || p.seconds != 0 || p.microseconds != 0) to += 'T';
  part(p.hours, 'H');
  part(p.minutes, 'M');
  if (p.seconds != 0 || p.microseconds != 0) {
    if (p.seconds < 0 || p.microseconds < 0) to += '-';
    to += seconds_text(p.seconds, p.microseconds, false);
    to += 'S';
  }
  return to == "P" ? "PT0S" : to;
}

std::string print_sql(Parts p) {
  bool negative = p.years < 0 || p.months < 0 || p.days < 0 || p.hours < 0 || p.minutes < 0 || p.seconds < 0 || p.microseconds < 0;
  bool positive = p.years > 0 || p.months > 0 || p.days > 0 || p.hours > 0 || p.minutes > 0 || p.seconds > 0 || p.microseconds > 0;
  bool year_month = p.years != 0 || p.months != 0;
  bool day_time = p.days != 0 || p.hours != 0 || p.minutes != 0 || p.seconds != 0 || p.microseconds != 0;
  if (!negative && !positive) return "0";
  std::string seconds = seconds_text(p.seconds, p.microseconds, true);
  if ((negative && positive) || (year_month && day_time)) {  // signs everywhere
    bool time_negative = p.hours < 0 || p.minutes < 0 || p.seconds < 0 || p.microseconds < 0;
    return fmt::format("{}{}-{} {}{} {}{}:{:02}:{}", p.years < 0 || p.months < 0 ? '-' : '+', std::abs(p.years), std::abs(p.months), p.days < 0 ? '-' : '+',
                       std::abs(p.days), time_negative ? '-' : '+', std::abs(p.hours), std::abs(p.minutes), seconds);
  }
  std::string sign = negative ? "-" : "";
  if (year_month) return fmt::format("{}{}-{}", sign, std::abs(p.years), std::abs(p.months));
  if (p.days != 0) return fmt::format("{}{} {}:{:02}:{}", sign, std::abs(p.days), std::abs(p.hours), std::abs(p.minutes), seconds);
  return fmt::format("{}{}:{:02}:{}", sign, std::abs(p.hours), std::abs(p.minutes), seconds);
}

}  // namespace

std::string print_interval(const Interval& v) {
  Parts p = parts_of(v);
  switch (static_cast<config::IntervalStyle>(config::values::interval_style)) {
    case config::IntervalStyle::postgres_verbose: return print_verbose(p);
    case config::IntervalStyle::sql_standard: return print_sql(p);
    case config::IntervalStyle::iso_8601: return print_iso(p);
    case config::IntervalStyle::postgres: break;
  }
  return print_postgres(p);
}

}  // namespace hathi::types
