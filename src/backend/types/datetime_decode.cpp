#include "datetime_decode.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "hathi/config/session_settings.h"
#include "hathi/transaction/transaction.h"
#include "errors.h"
#include "float_text.h"
#include "parse.h"

namespace hathi::types {

namespace {

namespace m = field_mask;
using enum DecodeError;  // NOLINT: error names read better bare

bool all_digits(std::string_view s) { return !s.empty() && std::all_of(s.begin(), s.end(), is_digit); }

// Digits at the start; false when they do not fit an int. `rest` is what follows.
bool read_int(std::string_view text, int& value, std::string_view& rest) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  auto [end, error] = std::from_chars(text.data(), text.data() + n, value);
  rest = text.substr(n);
  return error == std::errc();
}

// Decides what the tokens are. One object a text.
class Decoder {
 public:
  Decoder(const std::vector<Token>& tokens, bool time_only, Decoded& result)
      : tokens_(tokens), time_only_(time_only), r_(result), f_(result.fields) {}

  DecodeError run() {
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      found_ = 0;
      const Token& token = tokens_[at_];
      DecodeError error = none;
      switch (token.kind) {
        case TokenKind::date: error = date_token(token.text); break;
        case TokenKind::time: error = time_token(token.text); break;
        case TokenKind::zone:
          found_ = m::zone;
          error = decode_zone(token.text, r_.zone_east);
          break;
        case TokenKind::number: error = number_token(token.text); break;
        case TokenKind::word: case TokenKind::special: error = word_token(token); break;
      }
      if (error != none) return error;
      if ((found_ & known_) != 0) return bad_format;
      known_ |= found_;
    }
    r_.known = known_;
    return finish();
  }

 private:
  enum class Pending : std::uint8_t { none, time, julian, unit };

  // --- tokens ---------------------------------------------------------------------------------------------------------------
  DecodeError date_token(const std::string& text) {
    if (pending_ == Pending::julian) {  // J2451187-08: day number with a zone
      std::size_t dash = text.find('-');
      if (dash == std::string::npos) return bad_format;
      if (DecodeError e = julian_day(std::string_view(text).substr(0, dash)); e != none) return e;
      pending_ = Pending::none;
      found_ |= m::zone | m::time;
      return decode_zone(std::string_view(text).substr(dash), r_.zone_east);
    }
    if (time_only_) {
      bool leading_date = at_ == 0 && tokens_.size() >= 2 && (tokens_.back().kind == TokenKind::date || tokens_[1].kind == TokenKind::time);
      if (leading_date) return date_with_delimiters(text);
    } else if (pending_ == Pending::none && (known_ & (m::month | m::day)) != (m::month | m::day)) {
      return date_with_delimiters(text);
    }
    if (!is_digit(text[0]) && pending_ == Pending::none) return named_zone(text, true);
    // A time run together with its zone: hhmmss-zz.
    if (pending_ == Pending::unit) return bad_format;
    pending_ = Pending::none;
    if ((known_ & m::time) == m::time) return bad_format;
    std::size_t dash = text.find('-');
    if (dash == std::string::npos) return bad_format;
    if (DecodeError e = decode_zone(std::string_view(text).substr(dash), r_.zone_east); e != none) return e;
    if (DecodeError e = run_together(text.substr(0, dash), known_ | (time_only_ ? m::date : 0)); e != none) return e;
    found_ |= m::zone;
    return none;
  }

  DecodeError time_token(const std::string& text) {
    if (pending_ == Pending::unit || pending_ == Pending::julian) return bad_format;
    pending_ = Pending::none;
    ClockTime time;
    if (DecodeError e = decode_clock(text, time, false); e != none) return e;
    found_ = m::time;
    if (time.hour > 24 || (time.hour == 24 && (time.minute > 0 || time.second > 0 || time.microsecond > 0))) return field_overflow;
    set_clock(time);
    return none;
  }
  void set_clock(const ClockTime& time) {
    f_.hour = static_cast<int>(time.hour);
    f_.minute = time.minute;
    f_.second = time.second;
    f_.microsecond = time.microsecond;
  }

  DecodeError number_token(const std::string& text) {
    if (pending_ != Pending::none) return labelled_number(text);
    std::size_t point = text.find('.');
    if (time_only_) {
      if (point != std::string::npos) {
        if (at_ == 0 && tokens_.size() >= 2 && tokens_.back().kind == TokenKind::date) return date_with_delimiters(text);
        return point > 2 ? run_together(text, known_ | m::date) : bad_format;
      }
      return text.size() > 4 ? run_together(text, known_ | m::date) : single_number(text, false, known_ | m::date, found_);
    }
    if (point != std::string::npos && (known_ & m::date) == 0) return date_with_delimiters(text);
    if (point != std::string::npos && point > 2) return run_together(text, known_);
    if (text.size() >= 6 && ((known_ & m::date) == 0 || (known_ & m::time) == 0)) return run_together(text, known_);
    return single_number(text, text_month_, known_, found_);
  }

  // A number after a label: T040506, J2451187, y2001.
  DecodeError labelled_number(const std::string& text) {
    Pending label = pending_;
    pending_ = Pending::none;
    if (label == Pending::time) {
      if (DecodeError e = run_together(text, known_ | m::date); e != none) return e;
      return found_ == m::time ? none : bad_format;
    }
    if (label == Pending::julian) return julian_day(text);
    int value;
    std::string_view rest;
    if (!read_int(text, value, rest)) return field_overflow;
    if (!rest.empty() && unit_ != Unit::second) return bad_format;
    switch (unit_) {
      case Unit::year: f_.year = value; found_ = m::year; return none;
      case Unit::month:
        if ((known_ & m::month) != 0 && (known_ & m::hour) != 0) {
          f_.minute = value;
          found_ = m::minute;
        } else {
          f_.month = value;
          found_ = m::month;
        }
        return none;
      case Unit::day: f_.day = value; found_ = m::day; return none;
      case Unit::hour: f_.hour = value; found_ = m::hour; return none;
      case Unit::minute: f_.minute = value; found_ = m::minute; return none;
      case Unit::second: {
        f_.second = value;
        found_ = m::second;
        return rest.empty() ? none : fraction(rest);
      }
      default: return bad_format;
    }
  }
  DecodeError julian_day(std::string_view text) {
    int value;
    std::string_view rest;
    if (!read_int(text, value, rest)) return field_overflow;
    CivilDate date = civil_from_days(value - kJulianOfEpoch);
    set_date(date);
    found_ = m::date;
    if (rest.empty()) return none;
    double part;
    if (DecodeError e = decode_fraction(rest, part); e != none) return e;
    set_time(f_, std::llrint(part * static_cast<double>(kDay)));
    found_ |= m::time;
    return none;
  }
  void set_date(const CivilDate& date) {
    f_.year = date.year;
    f_.month = date.month;
    f_.day = date.day;
  }

  DecodeError word_token(const Token& token) {
    if (token.kind == TokenKind::word) {
      if (const ZoneAbbreviation* zone = find_zone_abbreviation(token.text)) {
        found_ = m::zone | (zone->is_dst ? m::daylight_zone : 0);
        r_.zone_east = zone->seconds_east;
        if (zone->zone != nullptr) {
          changing_zone_ = find_time_zone(zone->zone);
          changing_abbreviation_ = zone->name;
        }
        return none;
      }
    }
    Word word = find_date_word(token.text);
    switch (word.kind) {
      case WordKind::ignored: return none;
      case WordKind::special: return special_word(static_cast<Special>(word.value));
      case WordKind::month:
        if (time_only_) return bad_format;
        found_ = m::month;
        if ((known_ & m::month) != 0 && !text_month_ && (known_ & m::day) == 0 && f_.month >= 1 && f_.month <= 31) {
          f_.day = f_.month;  // the number before was the day
          found_ = m::day;
        }
        text_month_ = true;
        f_.month = word.value;
        return none;
      case WordKind::daylight:
        found_ = m::daylight_modifier | m::daylight_zone;
        r_.zone_east += 3600;
        modified_ = true;
        return none;
      case WordKind::meridiem:
        found_ = m::meridiem;
        meridiem_ = word.value;
        return none;
      case WordKind::era:
        found_ = m::era;
        before_christ_ = word.value == 1;
        return none;
      case WordKind::weekday:
        if (time_only_) return bad_format;
        found_ = m::day_of_week;
        return none;
      case WordKind::unit:
        unit_ = static_cast<Unit>(word.value);
        pending_ = Pending::unit;
        return none;
      case WordKind::julian: pending_ = Pending::julian; return none;
      case WordKind::iso_time: {
        if (!time_only_ && (known_ & m::date) != m::date) return bad_format;
        if (at_ + 1 >= tokens_.size()) return bad_format;
        TokenKind next = tokens_[at_ + 1].kind;
        if (next != TokenKind::number && next != TokenKind::time && next != TokenKind::date) return bad_format;
        pending_ = Pending::time;
        return none;
      }
      case WordKind::reserved: case WordKind::unknown: break;
    }
    return token.kind == TokenKind::word ? named_zone(token.text, false) : bad_format;
  }

  DecodeError special_word(Special special) {
    if (special == Special::all_balls) {
      found_ = m::time | m::zone;
      r_.zone_east = 0;
      set_time(f_, 0);
      return none;
    }
    if (special == Special::now) {
      TimestampTz now{transaction::transaction_timestamp()};
      ZoneOffset offset = offset_at(session_time_zone(), now.us);
      f_ = fields_of(now.us + offset.seconds_east * kSecond);
      r_.zone_east = offset.seconds_east;
      found_ = m::date | m::time | m::zone;
      return none;
    }
    if (time_only_) return bad_format;
    if (special == Special::today || special == Special::tomorrow || special == Special::yesterday) {
      Timestamp now = to_timestamp(TimestampTz{transaction::transaction_timestamp()});
      std::int64_t days = floor_div(now.us, kDay) + (special == Special::tomorrow ? 1 : special == Special::yesterday ? -1 : 0);
      set_date(civil_from_days(days));
      found_ = m::date;
      return none;
    }
    found_ = m::special;
    r_.special = special;
    return none;
  }

  // `spelled`: the text has punctuation, so that it can be nothing but a zone.
  DecodeError named_zone(const std::string& text, bool spelled) {
    named_zone_ = find_time_zone(text);
    if (named_zone_ == nullptr) {
      if (!spelled) return bad_format;
      throw SqlError(sqlstate::invalid_parameter_value, "time zone \"{}\" not recognized", text);
    }
    found_ = m::zone;
    return none;
  }

  // --- dates ----------------------------------------------------------------------------------------------------------------
  // 1999-Jan-08, 1/8/1999, 1999.008.
  DecodeError date_with_delimiters(const std::string& text) {
    std::vector<std::string_view> parts;
    std::string_view s = text;
    auto is_alnum = [](char c) { return is_alpha(c) || is_digit(c); };
    while (!s.empty()) {
      while (!s.empty() && !is_alnum(s.front())) s.remove_prefix(1);
      if (s.empty() || parts.size() >= 25) return bad_format;
      bool digits = is_digit(s.front());
      std::size_t n = 0;
      while (n < s.size() && (digits ? is_digit(s[n]) : is_alpha(s[n]))) ++n;
      parts.push_back(s.substr(0, n));
      s.remove_prefix(n < s.size() ? n + 1 : n);
    }
    unsigned known = known_;
    bool text_month = false;
    for (std::string_view& part : parts) {
      if (!is_alpha(part.front())) continue;
      Word word = find_date_word(part);
      if (word.kind == WordKind::ignored) continue;
      if (word.kind != WordKind::month || (known & m::month) != 0) return bad_format;
      f_.month = word.value;
      text_month = true;
      known |= m::month;
      found_ |= m::month;
      part = {};
    }
    for (std::string_view part : parts) {
      if (part.empty() || is_alpha(part.front())) continue;
      unsigned found = 0;
      if (DecodeError e = single_number(part, text_month, known, found); e != none) return e;
      if ((known & found) != 0) return bad_format;
      known |= found;
      found_ |= found;
    }
    return (known & ~(m::day_of_year | m::zone)) == m::date ? none : bad_format;
  }

  // One number of a date: which part it is follows from what is known and from DateStyle.
  DecodeError single_number(std::string_view text, bool text_month, unsigned known, unsigned& found) {
    int value;
    std::string_view rest;
    if (!read_int(text, value, rest)) return text.empty() || !is_digit(text[0]) ? bad_format : field_overflow;
    if (!rest.empty()) {
      if (rest[0] != '.') return bad_format;
      if (text.size() - rest.size() > 2) return run_together(std::string(text), known | m::date);
      if (DecodeError e = fraction(rest); e != none) return e;
    }
    config::DateOrder order = config::values::date_order;
    std::size_t length = text.size();
    if (length == 3 && (known & m::date) == m::year && value >= 1 && value <= 366) {
      found = m::day_of_year | m::month | m::day;
      day_of_year_ = value;
      return none;
    }
    auto as_year = [&] { found = m::year; f_.year = value; };
    auto as_month = [&] { found = m::month; f_.month = value; };
    auto as_day = [&] { found = m::day; f_.day = value; };
    switch (known & m::date) {
      case 0:
        if (length >= 3 || order == config::DateOrder::ymd) as_year();
        else if (order == config::DateOrder::dmy) as_day();
        else as_month();
        break;
      case m::year: as_month(); break;
      case m::month:
        if (!text_month) as_day();
        else if (length >= 3 || order == config::DateOrder::ymd) as_year();
        else as_day();
        break;
      case m::year | m::month:
        if (text_month && length >= 3 && two_digit_year_) {
          f_.day = static_cast<int>(f_.year);  // what was taken for the year was the day
          f_.year = value;
          found = m::day;
          two_digit_year_ = false;
        } else {
          as_day();
        }
        break;
      case m::day: as_month(); break;
      case m::month | m::day: as_year(); break;
      case m::date: {
        unsigned outer = std::exchange(found_, 0);
        DecodeError e = run_together(std::string(text), known);
        unsigned inner = std::exchange(found_, outer);
        found = inner;
        return e;
      }
      default: return bad_format;
    }
    if (found == m::year) two_digit_year_ = length <= 2;
    return none;
  }

  // yyyymmdd, yymmdd, hhmmss[.fff], hhmm.
  DecodeError run_together(std::string text, unsigned known) {
    std::size_t point = text.find('.');
    if (point != std::string::npos) {
      if (DecodeError e = fraction(std::string_view(text).substr(point)); e != none) return e;
      text.resize(point);
    } else if ((known & m::date) != m::date && text.size() >= 6) {
      if (!all_digits(text)) return bad_format;
      std::string_view s = text;
      std::string_view rest;
      read_int(s.substr(s.size() - 2), f_.day, rest);
      read_int(s.substr(s.size() - 4, 2), f_.month, rest);
      int year;
      if (!read_int(s.substr(0, s.size() - 4), year, rest)) return field_overflow;
      f_.year = year;
      if (s.size() - 4 == 2) two_digit_year_ = true;
      found_ = m::date;
      return none;
    }
    if ((known & m::time) != m::time && all_digits(text) && (text.size() == 6 || text.size() == 4)) {
      std::string_view s = text;
      std::string_view rest;
      read_int(s.substr(0, 2), f_.hour, rest);
      read_int(s.substr(2, 2), f_.minute, rest);
      f_.second = 0;
      if (text.size() == 6) read_int(s.substr(4, 2), f_.second, rest);
      found_ = m::time;
      return none;
    }
    return bad_format;
  }

  DecodeError fraction(std::string_view text) {
    double part;
    if (DecodeError e = decode_fraction(text, part); e != none) return e;
    f_.microsecond = static_cast<int>(std::rint(part * 1e6));
    return none;
  }

  // --- the whole --------------------------------------------------------------------------------------------------------------
  DecodeError validate_date() {
    if ((known_ & m::year) != 0) {
      if (before_christ_) {
        if (f_.year <= 0) return field_overflow;
        f_.year = -(f_.year - 1);
      } else if (two_digit_year_) {
        if (f_.year < 0) return field_overflow;
        if (f_.year < 70) f_.year += 2000;
        else if (f_.year < 100) f_.year += 1900;
      } else if (f_.year <= 0) {
        return field_overflow;
      }
    }
    if ((known_ & m::day_of_year) != 0) set_date(civil_from_days(days_from_civil(f_.year, 1, 1) + day_of_year_ - 1));
    if ((known_ & m::month) != 0 && (f_.month < 1 || f_.month > 12)) return date_field_overflow;
    if ((known_ & m::day) != 0 && (f_.day < 1 || f_.day > 31)) return date_field_overflow;
    if ((known_ & m::date) == m::date && f_.day > days_in_month(f_.year, f_.month)) return field_overflow;
    return none;
  }

  DecodeError check_clock() {
    if (meridiem_ >= 0 && f_.hour > 12) return field_overflow;
    if (meridiem_ == 0 && f_.hour == 12) f_.hour = 0;
    else if (meridiem_ == 1 && f_.hour != 12) f_.hour += 12;
    bool bad = f_.hour < 0 || f_.hour > 24 || f_.minute < 0 || f_.minute > 59 || f_.second < 0 || f_.second > 60 || f_.microsecond < 0 ||
               f_.microsecond > 1000000 || time_of(f_) > kDay;
    return bad ? field_overflow : none;
  }

  DecodeError finish() {
    if (r_.special != Special::none) return none;
    // "now" and Julian days have checked dates already and may lie before year 1.
    bool from_special = f_.year <= 0 && (known_ & m::era) == 0 && specials_set_date();
    if (!from_special) {
      if (DecodeError e = validate_date(); e != none) return e;
    }
    if (DecodeError e = check_clock(); e != none) return e;
    if (time_only_) return finish_time();
    if ((known_ & m::date) != m::date) return bad_format;
    if (named_zone_ != nullptr) r_.zone_east = offset_of_named_zone();
    else if (changing_zone_ != nullptr) resolve_abbreviation();
    if ((known_ & m::zone) == 0) {
      if ((known_ & m::daylight_modifier) != 0) return bad_format;
      r_.zone_east = local_offset(session_time_zone());
    }
    return none;
  }
  bool specials_set_date() const {
    return std::any_of(tokens_.begin(), tokens_.end(),
                       [](const Token& t) { return t.kind == TokenKind::word && find_date_word(t.text).kind == WordKind::julian; });
  }
  std::int32_t local_offset(const TimeZone& zone) const {
    std::int64_t local = (days_from_civil(f_.year, f_.month, f_.day) + kPostgresEpochDays) * 86400 + time_of(f_) / kSecond;
    return zone.at_local(local).seconds_east;
  }
  // An abbreviation whose offset depends on the date.
  void resolve_abbreviation() {
    std::int32_t zone_offset = local_offset(*changing_zone_);
    std::int64_t local = (days_from_civil(f_.year, f_.month, f_.day) + kPostgresEpochDays) * 86400 + time_of(f_) / kSecond;
    ZoneOffset offset;
    bool known = changing_zone_->abbreviation_at(changing_abbreviation_, local - zone_offset, offset);
    r_.zone_east = (known ? offset.seconds_east : zone_offset) + (modified_ ? 3600 : 0);
  }
  std::int32_t offset_of_named_zone() const { return local_offset(*named_zone_) + (modified_ ? 3600 : 0); }

  DecodeError finish_time() {
    if ((known_ & m::time) != m::time) return bad_format;
    bool has_date = (known_ & m::date) == m::date;
    if (named_zone_ != nullptr) {
      if (!has_date) {
        // Without a date a zone can be used only when its offset never changes.
        ZoneOffset early = named_zone_->at(0);
        ZoneOffset late = named_zone_->at(4102444800 + 15552000);
        ZoneOffset now = named_zone_->at(4102444800);
        if (early.seconds_east != late.seconds_east || early.seconds_east != now.seconds_east) return bad_format;
        r_.zone_east = now.seconds_east;
      } else {
        r_.zone_east = offset_of_named_zone();
      }
    }
    if (changing_zone_ != nullptr && has_date) resolve_abbreviation();
    if ((known_ & m::zone) == 0) {
      if ((known_ & m::daylight_modifier) != 0) return bad_format;
      if (!has_date) {
        Timestamp now = to_timestamp(TimestampTz{transaction::transaction_timestamp()});
        set_date(civil_from_days(floor_div(now.us, kDay)));
      }
      r_.zone_east = local_offset(session_time_zone());
    }
    return none;
  }

  const std::vector<Token>& tokens_;
  bool time_only_;
  Decoded& r_;
  Fields& f_;
  std::size_t at_ = 0;
  unsigned known_ = 0;
  unsigned found_ = 0;      // by the current token
  Pending pending_ = Pending::none;
  Unit unit_ = Unit::none;
  bool text_month_ = false;
  bool two_digit_year_ = false;
  bool before_christ_ = false;
  bool modified_ = false;   // "DST" after a zone
  int meridiem_ = -1;
  int day_of_year_ = 0;
  const TimeZone* named_zone_ = nullptr;
  const TimeZone* changing_zone_ = nullptr;
  std::string_view changing_abbreviation_;
};

}  // namespace

void throw_decode_error(DecodeError error, std::string_view text, std::string_view type) {
  switch (error) {
    case field_overflow: throw SqlError(sqlstate::datetime_field_overflow, "date/time field value out of range: \"{}\"", text);
    case date_field_overflow:
      throw SqlError(sqlstate::datetime_field_overflow, "date/time field value out of range: \"{}\"", text)
          .hint("Perhaps you need a different \"datestyle\" setting.");
    case interval_overflow: throw SqlError(sqlstate::interval_field_overflow, "interval field value out of range: \"{}\"", text);
    case zone_overflow:
      throw SqlError(sqlstate::invalid_time_zone_displacement_value, "time zone displacement out of range: \"{}\"", text);
    case none: case bad_format: break;
  }
  throw SqlError(sqlstate::invalid_datetime_format, "invalid input syntax for type {}: \"{}\"", type, text);
}

DecodeError decode_fraction(std::string_view text, double& fraction) {
  if (text.empty() || text[0] != '.') return bad_format;
  if (text.size() == 1) {
    fraction = 0;
    return none;
  }
  if (!all_digits(text.substr(1))) return bad_format;
  std::string with_zero = "0" + std::string(text);
  fraction = std::strtod(with_zero.c_str(), nullptr);
  return none;
}

DecodeError decode_clock(std::string_view text, ClockTime& time, bool minutes_first) {
  std::int64_t parts[3] = {0, 0, 0};
  int count = 0;
  std::string_view s = text;
  std::string_view tail;
  while (count < 3) {
    std::size_t n = 0;
    while (n < s.size() && is_digit(s[n])) ++n;
    auto [end, error] = std::from_chars(s.data(), s.data() + n, parts[count]);
    if (error == std::errc::result_out_of_range) return field_overflow;
    if (count == 0 && n == 0) return bad_format;
    ++count;
    s.remove_prefix(n);
    if (s.empty() || s[0] != ':' || count == 3) break;
    s.remove_prefix(1);
  }
  tail = s;
  double part = 0;
  if (!tail.empty()) {
    if (tail[0] != '.') return bad_format;
    if (DecodeError e = decode_fraction(tail, part); e != none) return e;
    if (count < 2) return bad_format;
  }
  if (parts[1] > 2147483647 || parts[2] > 2147483647) return field_overflow;
  if (count == 2 && (minutes_first || !tail.empty())) {  // mm:ss.fff
    parts[2] = parts[1];
    parts[1] = parts[0];
    parts[0] = 0;
  }
  if (parts[1] > 59 || parts[2] > 60) return field_overflow;
  time.hour = parts[0];
  time.minute = static_cast<int>(parts[1]);
  time.second = static_cast<int>(parts[2]);
  time.microsecond = static_cast<int>(std::rint(part * 1e6));
  return none;
}

DecodeError decode_zone(std::string_view text, std::int32_t& east) {
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return bad_format;
  int hours = 0;
  int minutes = 0;
  int seconds = 0;
  std::string_view rest;
  if (!read_int(text.substr(1), hours, rest)) return text.size() > 1 && is_digit(text[1]) ? zone_overflow : bad_format;
  std::size_t digits = text.size() - 1 - rest.size();
  if (!rest.empty() && rest[0] == ':') {
    std::string_view after = rest.substr(1);
    if (after.empty()) rest = {};
    else if (!read_int(after, minutes, rest)) return is_digit(after[0]) ? zone_overflow : bad_format;
    if (!rest.empty() && rest[0] == ':') {
      after = rest.substr(1);
      if (!read_int(after, seconds, rest)) return bad_format;
    }
  } else if (rest.empty() && digits > 2) {
    minutes = hours % 100;
    hours /= 100;
  }
  if (hours > 15 || minutes > 59 || seconds > 59) return zone_overflow;
  if (!rest.empty()) return bad_format;
  east = (hours * 60 + minutes) * 60 + seconds;
  if (text[0] == '-') east = -east;
  return none;
}

DecodeError decode_date_time(const std::vector<Token>& tokens, bool time_only, Decoded& result) {
  return Decoder(tokens, time_only, result).run();
}

}  // namespace hathi::types
