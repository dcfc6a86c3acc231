#include "format_number.h"

#include <algorithm>
#include <cmath>

#include "adapter.h"
#include "errors.h"
#include "numeric_codec.h"
#include "parse.h"
#include "tables.h"

namespace hathi::types {

namespace {

using Kind = NumberPattern::Kind;

[[noreturn]] void bad_pattern(std::string_view message) { throw SqlError(sqlstate::syntax_error, "{}", message); }

class PatternReader {
 public:
  explicit PatternReader(std::string_view text) : text_(text) {}

  NumberPattern read() {
    while (at_ < text_.size()) {
      if (keyword()) continue;
      literal();
    }
    return std::move(p_);
  }

 private:
  bool take(std::string_view word) {
    std::string_view rest = text_.substr(at_);
    if (!rest.starts_with(word)) {
      // Keywords stand in one case.
      std::string lower(word);
      for (char& c : lower) c = to_lower_ascii(c);
      if (!rest.starts_with(lower)) return false;
      lower_ = lower != word;
    } else {
      lower_ = false;
    }
    at_ += word.size();
    return true;
  }
  void add(Kind kind) {
    if (p_.scientific) bad_pattern("\"EEEE\" must be the last pattern used");
    p_.items.push_back({kind, lower_, {}});
  }

  bool keyword() {
    if (take("EEEE")) {
      if (p_.scientific) bad_pattern("cannot use \"EEEE\" twice");
      if (p_.fill || p_.sign_place != NumberPattern::SignPlace::none || p_.brackets || p_.has_minus || p_.has_plus || p_.is_roman || p_.has_shift) {
        throw SqlError(sqlstate::syntax_error, "\"EEEE\" is incompatible with other formats")
            .detail("\"EEEE\" may only be used together with digit and decimal point patterns.");
      }
      p_.scientific = true;
      return true;
    }
    if (take("FM")) {
      add(Kind::ignored);
      p_.fill = true;
      return true;
    }
    if (take("MI")) return minus_sign();
    if (take("PL")) return plus_sign();
    if (take("PR")) return bracket_sign();
    if (take("RN")) {
      add(Kind::roman);
      p_.is_roman = true;
      return true;
    }
    if (take("SG")) return any_sign();
    if (take("SP")) {
      add(Kind::ignored);
      return true;
    }
    if (take("TH")) {
      add(Kind::ordinal);
      return true;
    }
    if (take("S")) return anchored_sign();
    if (take("9")) return nine();
    if (take("0")) return zero();
    if (take(",")) {
      add(Kind::comma);
      return true;
    }
    if (take("G")) {
      add(Kind::group);
      return true;
    }
    if (take("L")) {
      add(Kind::currency);
      return true;
    }
    if (take("D") || take(".")) return point();
    if (take("V")) {
      if (p_.has_point) bad_pattern("cannot use \"V\" and decimal point together");
      add(Kind::ignored);
      p_.has_shift = true;
      return true;
    }
    if (take("B") || take("C")) {
      add(Kind::ignored);
      return true;
    }
    return false;
  }

  bool nine() {
    if (p_.brackets) bad_pattern("\"9\" must be ahead of \"PR\"");
    add(Kind::nine);
    if (p_.has_shift) ++p_.shift;
    else ++(p_.has_point ? p_.post : p_.pre);
    return true;
  }
  bool zero() {
    if (p_.brackets) bad_pattern("\"0\" must be ahead of \"PR\"");
    add(Kind::zero);
    if (p_.first_zero < 0 && !p_.has_point) p_.first_zero = p_.pre;
    ++(p_.has_point ? p_.post : p_.pre);
    p_.zero_end = p_.pre + p_.post;
    return true;
  }
  bool point() {
    if (p_.has_point) bad_pattern("multiple decimal points");
    if (p_.has_shift) bad_pattern("cannot use \"V\" and decimal point together");
    add(Kind::point);
    p_.has_point = true;
    return true;
  }
  bool anchored_sign() {
    if (p_.sign_place != NumberPattern::SignPlace::none) bad_pattern("cannot use \"S\" twice");
    if (p_.has_plus || p_.has_minus || p_.brackets) bad_pattern("cannot use \"S\" and \"PL\"/\"MI\"/\"SG\"/\"PR\" together");
    add(Kind::ignored);
    p_.sign_place = p_.has_point ? NumberPattern::SignPlace::after : NumberPattern::SignPlace::before;
    p_.digits_before_sign = p_.pre;
    return true;
  }
  bool minus_sign() {
    if (p_.sign_place != NumberPattern::SignPlace::none) bad_pattern("cannot use \"S\" and \"MI\" together");
    add(Kind::minus);
    p_.has_minus = true;
    return true;
  }
  bool plus_sign() {
    if (p_.sign_place != NumberPattern::SignPlace::none) bad_pattern("cannot use \"S\" and \"PL\" together");
    add(Kind::plus);
    p_.has_plus = true;
    return true;
  }
  bool any_sign() {
    if (p_.sign_place != NumberPattern::SignPlace::none) bad_pattern("cannot use \"S\" and \"SG\" together");
    add(Kind::sign);
    p_.has_minus = p_.has_plus = true;
    return true;
  }
  bool bracket_sign() {
    if (p_.sign_place != NumberPattern::SignPlace::none || p_.has_plus || p_.has_minus)
      bad_pattern("cannot use \"PR\" and \"S\"/\"PL\"/\"MI\"/\"SG\" together");
    add(Kind::ignored);
    p_.brackets = true;
    return true;
  }

  void literal() {
    std::string value;
    if (text_[at_] == '"') {
      ++at_;
      while (at_ < text_.size() && text_[at_] != '"') {
        if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
        value += text_[at_++];
      }
      if (at_ < text_.size()) ++at_;
    } else {
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == '"') ++at_;
      value = text_[at_++];
    }
    if (!p_.scientific) p_.items.push_back({Kind::text, false, std::move(value)});
    else bad_pattern("\"EEEE\" must be the last pattern used");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool lower_ = false;
  NumberPattern p_;
};

}  // namespace

const NumberPattern& number_pattern(std::string_view text) {
  static std::string kept_text;
  static NumberPattern kept;
  static bool valid = false;
  if (!valid || kept_text != text) {
    valid = false;
    kept = PatternReader(text).read();
    kept_text = text;
    valid = true;
  }
  return kept;
}

std::string roman_numeral(int value) {
  if (value < 1 || value > 3999) return std::string(15, '#');
  struct Step {
    int value;
    std::string_view text;
  };
  constexpr Step kSteps[] = {{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"},
                             {40, "XL"},  {10, "X"},   {9, "IX"},  {5, "V"},    {4, "IV"},  {1, "I"}};
  std::string result;
  for (const Step& s : kSteps) {
    for (; value >= s.value; value -= s.value) result += s.text;
  }
  return result;
}

std::string_view ordinal_suffix(std::string_view digits, bool upper) {
  char last = digits.empty() ? '0' : digits.back();
  bool teen = digits.size() > 1 && digits[digits.size() - 2] == '1';
  if (!teen) {
    if (last == '1') return upper ? "ST" : "st";
    if (last == '2') return upper ? "ND" : "nd";
    if (last == '3') return upper ? "RD" : "rd";
  }
  return upper ? "TH" : "th";
}

// --- writing ----------------------------------------------------------------------------------------------------------------------
namespace {

// Lays the digits under the pattern.
class NumberWriter {
 public:
  NumberWriter(const NumberPattern& p, const NumberText& n, int pre) : p_(p), whole_(n.whole), fraction_(n.fraction), negative_(n.negative), pre_(pre) {
    if (static_cast<int>(whole_.size()) > pre_) {  // does not fit
      whole_.assign(static_cast<std::size_t>(pre_), '#');
      fraction_.assign(static_cast<std::size_t>(n.post), '#');
      point_ = true;
    }
    point_ = point_ || !fraction_.empty();
    lead_ = pre_ - static_cast<int>(whole_.size());
    bracket_ = p.brackets && (negative_ || !p.fill);
    after_ = p.sign_place == NumberPattern::SignPlace::after ||
             (p.sign_place == NumberPattern::SignPlace::before && p.digits_before_sign == p.pre);
    if (p.has_plus || p.has_minus) sign_done_ = p.has_minus;
    else sign_done_ = !negative_ && p.fill && p.sign_place == NumberPattern::SignPlace::none && !bracket_;
    blank_zero_ = p.first_zero < 0 && whole_ == "0" && !fraction_.empty();
    shown_fraction_ = fraction_.size();
    if (p.fill && p.has_point) {
      while (shown_fraction_ > 0 && fraction_[shown_fraction_ - 1] == '0') --shown_fraction_;
      int forced = p.zero_end - pre_;
      if (forced > 0) shown_fraction_ = std::max(shown_fraction_, std::min(fraction_.size(), static_cast<std::size_t>(forced)));
      trimmed_ = true;
    }
    for (const NumberPattern::Item& item : p.items) digits_left_ += item.kind == Kind::nine || item.kind == Kind::zero || item.kind == Kind::point ? 1 : 0;
  }

  std::string run() {
    for (const NumberPattern::Item& item : p_.items) {
      switch (item.kind) {
        case Kind::nine: case Kind::zero: digit(item.kind == Kind::zero); break;
        case Kind::point: point(); break;
        case Kind::comma: case Kind::group:
          if (inside_) out_ += ',';
          else if (!p_.fill) out_ += ' ';
          break;
        case Kind::currency: out_ += ' '; break;
        case Kind::minus:
          if (negative_) out_ += '-';
          else if (!p_.fill) out_ += ' ';
          break;
        case Kind::plus:
          if (!negative_) out_ += '+';
          else if (!p_.fill) out_ += ' ';
          break;
        case Kind::sign: out_ += negative_ ? '-' : '+'; break;
        case Kind::ordinal:
          if (negative_ || p_.has_point || (!whole_.empty() && whole_[0] == '#')) break;
          if (!whole_.empty() && !is_digit(whole_.back())) throw SqlError(sqlstate::invalid_text_representation, "\"{}\" is not a number", whole_);
          out_ += ordinal_suffix(whole_, !item.lower);
          break;
        case Kind::text: out_ += item.text; break;
        case Kind::roman: case Kind::ignored: break;
      }
    }
    return std::move(out_);
  }

 private:
  // What stands for the sign just before the first significant character.
  void sign() {
    if (sign_done_) return;
    if (p_.sign_place != NumberPattern::SignPlace::none) {
      if (after_) return;
      out_ += negative_ ? '-' : '+';
    } else if (bracket_) {
      out_ += negative_ ? '<' : ' ';
    } else if (negative_) {
      out_ += '-';
    } else if (!p_.fill) {
      out_ += ' ';
    }
    sign_done_ = true;
  }
  // After the last position: a closing bracket or a trailing sign.
  void close() {
    if (--digits_left_ > 0) return;
    if (bracket_) out_ += negative_ ? '>' : ' ';
    else if (after_) out_ += negative_ ? '-' : '+';
  }

  void digit(bool is_zero_pattern) {
    int at = position_++;
    if (at < pre_) {
      if (at < lead_) {
        if (p_.first_zero >= 0 && p_.first_zero <= at) {
          sign();
          out_ += '0';
          inside_ = true;
        } else if (!p_.fill) {
          out_ += ' ';
        }
      } else if (blank_zero_) {
        bool nothing_follows = trimmed_ && shown_fraction_ == 0;
        if (nothing_follows) {
          sign();
          out_ += '0';
        } else if (!p_.fill) {
          out_ += ' ';
        }
      } else {
        sign();
        out_ += whole_[static_cast<std::size_t>(at - lead_)];
        inside_ = true;
      }
    } else {
      sign();
      auto i = static_cast<std::size_t>(at - pre_);
      if (i < fraction_.size() && (i < shown_fraction_ || is_zero_pattern)) {
        out_ += fraction_[i];
        inside_ = true;
      }
    }
    close();
  }
  void point() {
    sign();
    if (point_) out_ += '.';
    close();
  }

  const NumberPattern& p_;
  std::string whole_, fraction_;
  bool negative_;
  int pre_;
  int lead_ = 0;
  bool bracket_ = false, after_ = false, sign_done_ = false, blank_zero_ = false, trimmed_ = false, inside_ = false, point_ = false;
  std::size_t shown_fraction_ = 0;
  int position_ = 0;
  int digits_left_ = 0;
  std::string out_;
};

std::string format_roman(const NumberPattern& p, int value) {
  std::string numeral = roman_numeral(value);
  std::string out;
  for (const NumberPattern::Item& item : p.items) {
    if (item.kind == Kind::text) out += item.text;
    if (item.kind != Kind::roman) continue;
    std::string shown = numeral;
    if (item.lower) {
      for (char& c : shown) c = to_lower_ascii(c);
    }
    if (!p.fill) shown.insert(0, 15 - std::min<std::size_t>(15, shown.size()), ' ');
    out += shown;
  }
  return out;
}

// A space or minus, digits, e, sign and two digits at least.
std::string scientific_overflow(const NumberPattern& p) {
  std::string out = " " + std::string(static_cast<std::size_t>(p.pre + p.post + 5), '#');
  if (p.pre + 1 < static_cast<int>(out.size())) out[static_cast<std::size_t>(p.pre) + 1] = '.';
  return out;
}
std::string scientific(const NumberPattern& p, const Numeric& v) {
  if (!v.is_finite()) return scientific_overflow(p);
  int exponent = v.value.is_zero() ? 0 : v.value.digit_count() - 1 - v.scale;
  Numeric shifted{Numeric::Kind::finite, v.scale + exponent, v.value};  // v / 10^exponent
  if (shifted.scale < 0) {
    shifted.value = shifted.value.times_power_of_ten(-shifted.scale);
    shifted.scale = 0;
  }
  std::string digits = print_numeric(round_numeric(shifted, p.post));
  return fmt::format("{}{}e{}{:02}", v.value.sign() < 0 ? "" : " ", digits, exponent < 0 ? '-' : '+', std::abs(exponent));
}

NumberText text_of(const Numeric& v, int post) {
  NumberText t;
  t.post = post;
  if (!v.is_finite()) {
    t.whole = v.is_nan() ? "NaN" : "Infinity";
    t.negative = !v.is_nan() && v.sign() < 0;
    return t;
  }
  std::string digits = print_numeric(round_numeric(v, post));
  t.negative = digits[0] == '-';
  if (t.negative) digits.erase(0, 1);
  std::size_t point = digits.find('.');
  t.whole = digits.substr(0, point);
  if (point != std::string::npos) t.fraction = digits.substr(point + 1);
  return t;
}

std::string format_numeric(const NumberPattern& p, const Numeric& v) {
  if (p.is_roman) {
    if (v.is_nan()) throw SqlError(sqlstate::feature_not_supported, "cannot convert NaN to {}", "integer");
    if (v.is_infinite()) throw SqlError(sqlstate::feature_not_supported, "cannot convert infinity to {}", "integer");
    std::int64_t n;
    if (!v.value.rounded_by(v.scale).to_int64(n) || n != static_cast<std::int32_t>(n)) throw_out_of_range<std::int32_t>();
    return format_roman(p, static_cast<int>(n));
  }
  if (p.scientific) return scientific(p, v);
  Numeric shifted = v;
  if (p.has_shift && v.is_finite()) shifted.value = v.value.times_power_of_ten(p.shift);
  return NumberWriter(p, text_of(shifted, p.post), p.pre + p.shift).run();
}

std::string numeric_to_char(const Numeric& v, std::string_view pattern) { return pattern.empty() ? "" : format_numeric(number_pattern(pattern), v); }
std::string int4_to_char(std::int32_t v, std::string_view pattern) {
  if (pattern.empty()) return "";
  const NumberPattern& p = number_pattern(pattern);
  if (!p.scientific) return format_numeric(p, Numeric::of(v));
  // By way of a float, as PostgreSQL does: halves go to the even digit.
  std::string text = fmt::format("{:+.{}e}", static_cast<double>(v), p.post);
  if (text[0] == '+') text[0] = ' ';
  return text;
}
std::string int8_to_char(std::int64_t v, std::string_view pattern) { return pattern.empty() ? "" : format_numeric(number_pattern(pattern), Numeric::of(v)); }

// Floats show no more digits than they have: 15, or 6 for float4.
std::string float_to_char(double v, std::string_view pattern, int most_digits) {
  if (pattern.empty()) return "";
  const NumberPattern& p = number_pattern(pattern);
  if (p.is_roman) return format_roman(p, std::isfinite(v) && v < 4000 && v > 0 ? static_cast<int>(std::rint(v)) : 0);
  char buffer[512];
  if (p.scientific) {
    if (!std::isfinite(v)) return scientific_overflow(p);
    std::snprintf(buffer, sizeof buffer, "%+.*e", p.post, v);
    if (buffer[0] == '+') buffer[0] = ' ';
    return buffer;
  }
  if (p.has_shift) v *= std::pow(10, p.shift);
  NumberText t;
  t.negative = std::signbit(v) && !std::isnan(v) && v != 0;
  std::string_view shown = std::isnan(v) ? "NaN" : "Infinity";
  if (std::isfinite(v)) shown = {buffer, static_cast<std::size_t>(std::snprintf(buffer, sizeof buffer, "%.0f", std::fabs(v)))};
  auto whole_digits = static_cast<int>(shown.size());
  t.post = whole_digits >= most_digits ? 0 : std::min(p.post, most_digits - whole_digits);
  if (std::isfinite(v)) shown = {buffer, static_cast<std::size_t>(std::snprintf(buffer, sizeof buffer, "%.*f", t.post, std::fabs(v)))};
  std::size_t point = shown.find('.');
  t.whole = shown.substr(0, point);
  if (point != std::string_view::npos) t.fraction = shown.substr(point + 1);
  return NumberWriter(p, t, p.pre + p.shift).run();
}
std::string float8_to_char(double v, std::string_view pattern) { return float_to_char(v, pattern, 15); }
std::string float4_to_char(float v, std::string_view pattern) { return float_to_char(v, pattern, 6); }

// --- reading ----------------------------------------------------------------------------------------------------------------------
class NumberReader {
 public:
  NumberReader(const NumberPattern& p, std::string_view input) : p_(p), s_(input) {}

  Numeric run() {
    if (p_.scientific) throw SqlError(sqlstate::feature_not_supported, "\"EEEE\" not supported for input");
    if (p_.is_roman) throw SqlError(sqlstate::feature_not_supported, "\"RN\" not supported for input");
    for (const NumberPattern::Item& item : p_.items) {
      if (at_ >= s_.size()) break;
      switch (item.kind) {
        case Kind::nine: case Kind::zero: case Kind::point: number_part(item.kind == Kind::point); break;
        case Kind::comma: case Kind::group:
          if (!p_.fill || !digits_.empty()) {
            if (s_[at_] == ',') ++at_;
          }
          break;
        case Kind::currency: skip_unless_number(1); break;
        case Kind::minus: take_sign('-', '\0'); break;
        case Kind::plus: take_sign('+', '\0'); break;
        case Kind::sign: take_sign('-', '+'); break;
        case Kind::ordinal: at_ = std::min(s_.size(), at_ + 2); break;
        case Kind::text: skip_unless_number(item.text.size()); break;
        case Kind::roman: case Kind::ignored: break;
      }
    }
    if (sign_ == '\0' && at_ < s_.size() && (p_.sign_place != NumberPattern::SignPlace::none || p_.has_minus) && (s_[at_] == '-' || s_[at_] == '+'))
      sign_ = s_[at_];
    std::string text = (sign_ == '-' ? "-" : " ") + digits_;
    Numeric v = parse_numeric(text);
    if (p_.has_shift) {
      Numeric power{Numeric::Kind::finite, 0, Integer::power_of_ten(p_.shift)};
      return divide_numeric(v, power, std::max(kNumericMinSignificant, v.scale));
    }
    return v.scale > p_.post ? round_numeric(v, p_.post) : v;
  }

 private:
  bool is_number_character(char c) const { return is_digit(c) || c == '.' || c == ',' || c == '+' || c == '-'; }
  void skip_unless_number(std::size_t n) {
    for (; n > 0 && at_ < s_.size() && !is_number_character(s_[at_]); --n) ++at_;
  }
  void take_sign(char a, char b) {
    if (s_[at_] != a && (b == '\0' || s_[at_] != b)) return;
    sign_ = s_[at_++];
  }
  void number_part(bool at_point) {
    if (s_[at_] == ' ') ++at_;
    if (at_ >= s_.size()) return;
    if (!any_ && sign_ == '\0') {
      char c = s_[at_];
      if (c == '-' || c == '+') {
        sign_ = c;
        ++at_;
      } else if (p_.brackets && c == '<') {
        sign_ = '-';
        ++at_;
      }
    }
    if (at_ >= s_.size()) return;
    char c = s_[at_];
    if (is_digit(c)) {
      if (point_seen_ && read_post_ >= p_.post) return;
      if (!point_seen_ && read_pre_ >= p_.pre + p_.shift) return;
      digits_ += c;
      ++(point_seen_ ? read_post_ : read_pre_);
      any_ = true;
      ++at_;
    } else if (c == '.' && p_.has_point && !point_seen_) {
      digits_ += '.';
      point_seen_ = true;
      any_ = true;
      ++at_;
    } else if (c == '.' && !at_point && !p_.has_point) {
      ++at_;
    }
    if (sign_ == '\0' && any_ && at_ < s_.size() && (p_.sign_place != NumberPattern::SignPlace::none)) {
      if (s_[at_] == '-' || s_[at_] == '+') {
        sign_ = s_[at_];
        ++at_;
      }
    }
  }

  const NumberPattern& p_;
  std::string_view s_;
  std::size_t at_ = 0;
  std::string digits_;
  char sign_ = '\0';
  bool any_ = false, point_seen_ = false;
  int read_pre_ = 0, read_post_ = 0;
};
Datum numeric_to_number(FunctionCall& call) {
  std::string_view pattern = call.text(1);
  if (pattern.empty()) return call.null();
  std::string_view input = call.text(0);
  return store_numeric(NumberReader(number_pattern(pattern), input).run(), call.arena());
}

constexpr BuiltinFunction kTable[] = {
    {Oid{1772}, fn<numeric_to_char>},
    {Oid{1773}, fn<int4_to_char>},
    {Oid{1774}, fn<int8_to_char>},
    {Oid{1775}, fn<float4_to_char>},
    {Oid{1776}, fn<float8_to_char>},
    {Oid{1777}, fn<numeric_to_number>},
};

}  // namespace

std::string format_number(const NumberPattern& pattern, const NumberText& number) { return NumberWriter(pattern, number, pattern.pre + pattern.shift).run(); }

std::span<const BuiltinFunction> format_number_functions() { return kTable; }

}  // namespace hathi::types
