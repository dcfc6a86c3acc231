#include "format_datetime.h"

#include <algorithm>

#include "hathi/types/utf8.h"
#include "parse.h"

namespace hathi::types {

namespace {

using F = TemplateField;
using C = TemplateCase;
using M = TemplateMode;

struct Keyword {
  std::string_view text;
  F field;
  C letters;
  M mode;
  bool digits;
  int parameter = 0;
};
// Longer ones first among those with a common beginning.
constexpr Keyword kKeywords[] = {
    {"A.D.", F::ad_dots, C::upper, M::none, false},
    {"a.d.", F::ad_dots, C::lower, M::none, false},
    {"B.C.", F::ad_dots, C::upper, M::none, false},
    {"b.c.", F::ad_dots, C::lower, M::none, false},
    {"AD", F::ad, C::upper, M::none, false},
    {"ad", F::ad, C::lower, M::none, false},
    {"BC", F::ad, C::upper, M::none, false},
    {"bc", F::ad, C::lower, M::none, false},
    {"A.M.", F::am_dots, C::upper, M::none, false},
    {"a.m.", F::am_dots, C::lower, M::none, false},
    {"P.M.", F::am_dots, C::upper, M::none, false},
    {"p.m.", F::am_dots, C::lower, M::none, false},
    {"AM", F::am, C::upper, M::none, false},
    {"am", F::am, C::lower, M::none, false},
    {"PM", F::am, C::upper, M::none, false},
    {"pm", F::am, C::lower, M::none, false},
    {"CC", F::century, C::upper, M::none, true},
    {"cc", F::century, C::upper, M::none, true},
    {"DAY", F::day_name, C::upper, M::none, false},
    {"Day", F::day_name, C::title, M::none, false},
    {"day", F::day_name, C::lower, M::none, false},
    {"DDD", F::day_of_year, C::upper, M::gregorian, true},
    {"ddd", F::day_of_year, C::upper, M::gregorian, true},
    {"DD", F::day_of_month, C::upper, M::gregorian, true},
    {"dd", F::day_of_month, C::upper, M::gregorian, true},
    {"DY", F::weekday, C::upper, M::none, false},
    {"Dy", F::weekday, C::title, M::none, false},
    {"dy", F::weekday, C::lower, M::none, false},
    {"D", F::day_of_week, C::upper, M::gregorian, true},
    {"d", F::day_of_week, C::upper, M::gregorian, true},
    {"FF1", F::fraction, C::upper, M::none, true, 1},
    {"FF2", F::fraction, C::upper, M::none, true, 2},
    {"FF3", F::fraction, C::upper, M::none, true, 3},
    {"FF4", F::fraction, C::upper, M::none, true, 4},
    {"FF5", F::fraction, C::upper, M::none, true, 5},
    {"FF6", F::fraction, C::upper, M::none, true, 6},
    {"ff1", F::fraction, C::upper, M::none, true, 1},
    {"ff2", F::fraction, C::upper, M::none, true, 2},
    {"ff3", F::fraction, C::upper, M::none, true, 3},
    {"ff4", F::fraction, C::upper, M::none, true, 4},
    {"ff5", F::fraction, C::upper, M::none, true, 5},
    {"ff6", F::fraction, C::upper, M::none, true, 6},
    {"FX", F::fixed, C::upper, M::none, false},
    {"fx", F::fixed, C::upper, M::none, false},
    {"HH24", F::hour_24, C::upper, M::none, true},
    {"hh24", F::hour_24, C::upper, M::none, true},
    {"HH12", F::hour_12, C::upper, M::none, true},
    {"hh12", F::hour_12, C::upper, M::none, true},
    {"HH", F::hour_12, C::upper, M::none, true},
    {"hh", F::hour_12, C::upper, M::none, true},
    {"IDDD", F::iso_day_of_year, C::upper, M::iso_week, true},
    {"iddd", F::iso_day_of_year, C::upper, M::iso_week, true},
    {"ID", F::iso_day, C::upper, M::iso_week, true},
    {"id", F::iso_day, C::upper, M::iso_week, true},
    {"IW", F::iso_week, C::upper, M::iso_week, true},
    {"iw", F::iso_week, C::upper, M::iso_week, true},
    {"IYYY", F::iso_year, C::upper, M::iso_week, true},
    {"iyyy", F::iso_year, C::upper, M::iso_week, true},
    {"IYY", F::iso_year_3, C::upper, M::iso_week, true},
    {"iyy", F::iso_year_3, C::upper, M::iso_week, true},
    {"IY", F::iso_year_2, C::upper, M::iso_week, true},
    {"iy", F::iso_year_2, C::upper, M::iso_week, true},
    {"I", F::iso_year_1, C::upper, M::iso_week, true},
    {"i", F::iso_year_1, C::upper, M::iso_week, true},
    {"J", F::julian, C::upper, M::none, true},
    {"j", F::julian, C::upper, M::none, true},
    {"MI", F::minute, C::upper, M::none, true},
    {"mi", F::minute, C::upper, M::none, true},
    {"MM", F::month_number, C::upper, M::gregorian, true},
    {"mm", F::month_number, C::upper, M::gregorian, true},
    {"MONTH", F::month_name, C::upper, M::gregorian, false},
    {"Month", F::month_name, C::title, M::gregorian, false},
    {"month", F::month_name, C::lower, M::gregorian, false},
    {"MON", F::month_abbreviation, C::upper, M::gregorian, false},
    {"Mon", F::month_abbreviation, C::title, M::gregorian, false},
    {"mon", F::month_abbreviation, C::lower, M::gregorian, false},
    {"MS", F::millisecond, C::upper, M::none, true},
    {"ms", F::millisecond, C::upper, M::none, true},
    {"OF", F::offset, C::upper, M::none, false},
    {"of", F::offset, C::upper, M::none, false},
    {"Q", F::quarter, C::upper, M::none, true},
    {"q", F::quarter, C::upper, M::none, true},
    {"RM", F::roman_month, C::upper, M::gregorian, false},
    {"rm", F::roman_month, C::lower, M::gregorian, false},
    {"SSSSS", F::seconds_of_day, C::upper, M::none, true},
    {"sssss", F::seconds_of_day, C::upper, M::none, true},
    {"SSSS", F::seconds_of_day, C::upper, M::none, true},
    {"ssss", F::seconds_of_day, C::upper, M::none, true},
    {"SS", F::second, C::upper, M::none, true},
    {"ss", F::second, C::upper, M::none, true},
    {"TZH", F::zone_hour, C::upper, M::none, false},
    {"tzh", F::zone_hour, C::upper, M::none, false},
    {"TZM", F::zone_minute, C::upper, M::none, true},
    {"tzm", F::zone_minute, C::upper, M::none, true},
    {"TZ", F::zone, C::upper, M::none, false},
    {"tz", F::zone, C::lower, M::none, false},
    {"US", F::microsecond, C::upper, M::none, true},
    {"us", F::microsecond, C::upper, M::none, true},
    {"WW", F::week, C::upper, M::gregorian, true},
    {"ww", F::week, C::upper, M::gregorian, true},
    {"W", F::week_of_month, C::upper, M::gregorian, true},
    {"w", F::week_of_month, C::upper, M::gregorian, true},
    {"Y,YYY", F::year_comma, C::upper, M::gregorian, true},
    {"y,yyy", F::year_comma, C::upper, M::gregorian, true},
    {"YYYY", F::year, C::upper, M::gregorian, true},
    {"yyyy", F::year, C::upper, M::gregorian, true},
    {"YYY", F::year_3, C::upper, M::gregorian, true},
    {"yyy", F::year_3, C::upper, M::gregorian, true},
    {"YY", F::year_2, C::upper, M::gregorian, true},
    {"yy", F::year_2, C::upper, M::gregorian, true},
    {"Y", F::year_1, C::upper, M::gregorian, true},
    {"y", F::year_1, C::upper, M::gregorian, true},
};

DateTemplate read_template(std::string_view text) {
  DateTemplate items;
  std::size_t at = 0;
  auto looking_at = [&](std::string_view s) { return text.substr(at).starts_with(s); };
  auto add_character = [&](bool quoted) {
    std::size_t w = utf8::width(text[at], text.size() - at);
    TemplateItem item{TemplateItem::Kind::text};
    item.text = text.substr(at, w);
    char c = text[at];
    if (!quoted && is_space(c)) item.kind = TemplateItem::Kind::space;
    else if (!quoted && c > ' ' && c < 0x7F && !is_alpha(c) && !is_digit(c)) item.kind = TemplateItem::Kind::separator;
    items.push_back(std::move(item));
    at += w;
  };
  while (at < text.size()) {
    bool fill = false;
    bool translated = false;
    while (looking_at("FM") || looking_at("fm") || looking_at("TM") || looking_at("tm")) {
      (to_lower_ascii(text[at]) == 'f' ? fill : translated) = true;
      at += 2;
    }
    if (at >= text.size()) break;
    const Keyword* found = nullptr;
    for (const Keyword& k : kKeywords) {
      if (looking_at(k.text)) {
        found = &k;
        break;
      }
    }
    if (found != nullptr) {
      at += found->text.size();
      TemplateItem item{TemplateItem::Kind::field, found->field, found->letters, found->mode, fill, translated};
      item.takes_digits = found->digits;
      item.parameter = found->parameter;
      item.keyword = found->text;
      for (bool more = true; more;) {
        more = looking_at("TH") || looking_at("th") || looking_at("SP");
        if (!more) break;
        if (text[at] == 'T') item.ordinal_upper = true;
        if (text[at] == 't') item.ordinal_lower = true;
        at += 2;
      }
      items.push_back(std::move(item));
      continue;
    }
    if (text[at] == '"') {
      ++at;
      while (at < text.size() && text[at] != '"') {
        if (text[at] == '\\' && at + 1 < text.size()) ++at;
        add_character(true);
      }
      if (at < text.size()) ++at;
      continue;
    }
    if (text[at] == '\\' && at + 1 < text.size() && text[at + 1] == '"') ++at;
    add_character(false);
  }
  return items;
}

}  // namespace

const DateTemplate& date_template(std::string_view text) {
  static std::string kept_text;
  static DateTemplate kept;
  static bool valid = false;
  if (!valid || kept_text != text) {
    valid = false;
    kept = read_template(text);
    kept_text = text;
    valid = true;
  }
  return kept;
}

}  // namespace hathi::types
