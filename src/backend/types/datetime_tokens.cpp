#include "datetime_tokens.h"

#include <algorithm>

#include "parse.h"

namespace hathi::types {

namespace {

struct DateWord {
  std::string_view text;
  WordKind kind;
  int value;
};
constexpr DateWord kDateWords[] = {
    {"jan", WordKind::month, 1}, {"january", WordKind::month, 1}, {"feb", WordKind::month, 2}, {"february", WordKind::month, 2},
    {"mar", WordKind::month, 3}, {"march", WordKind::month, 3}, {"apr", WordKind::month, 4}, {"april", WordKind::month, 4},
    {"may", WordKind::month, 5}, {"jun", WordKind::month, 6}, {"june", WordKind::month, 6}, {"jul", WordKind::month, 7},
    {"july", WordKind::month, 7}, {"aug", WordKind::month, 8}, {"august", WordKind::month, 8}, {"sep", WordKind::month, 9},
    {"sept", WordKind::month, 9}, {"september", WordKind::month, 9}, {"oct", WordKind::month, 10}, {"october", WordKind::month, 10},
    {"nov", WordKind::month, 11}, {"november", WordKind::month, 11}, {"dec", WordKind::month, 12}, {"december", WordKind::month, 12},
    {"sun", WordKind::weekday, 0}, {"sunday", WordKind::weekday, 0}, {"mon", WordKind::weekday, 1}, {"monday", WordKind::weekday, 1},
    {"tue", WordKind::weekday, 2}, {"tues", WordKind::weekday, 2}, {"tuesday", WordKind::weekday, 2}, {"wed", WordKind::weekday, 3},
    {"weds", WordKind::weekday, 3}, {"wednesday", WordKind::weekday, 3}, {"thu", WordKind::weekday, 4}, {"thur", WordKind::weekday, 4},
    {"thurs", WordKind::weekday, 4}, {"thursday", WordKind::weekday, 4}, {"fri", WordKind::weekday, 5}, {"friday", WordKind::weekday, 5},
    {"sat", WordKind::weekday, 6}, {"saturday", WordKind::weekday, 6}, {"am", WordKind::meridiem, 0}, {"pm", WordKind::meridiem, 1},
    {"ad", WordKind::era, 0}, {"bc", WordKind::era, 1}, {"dst", WordKind::daylight, 0}, {"at", WordKind::ignored, 0},
    {"on", WordKind::ignored, 0}, {"t", WordKind::iso_time, 0}, {"j", WordKind::julian, 0}, {"jd", WordKind::julian, 0},
    {"julian", WordKind::julian, 0},
    {"infinity", WordKind::special, static_cast<int>(Special::infinity)}, {"-infinity", WordKind::special, static_cast<int>(Special::minus_infinity)},
    {"epoch", WordKind::special, static_cast<int>(Special::epoch)}, {"now", WordKind::special, static_cast<int>(Special::now)},
    {"today", WordKind::special, static_cast<int>(Special::today)}, {"tomorrow", WordKind::special, static_cast<int>(Special::tomorrow)},
    {"yesterday", WordKind::special, static_cast<int>(Special::yesterday)}, {"allballs", WordKind::special, static_cast<int>(Special::all_balls)},
    {"d", WordKind::unit, static_cast<int>(Unit::day)}, {"h", WordKind::unit, static_cast<int>(Unit::hour)},
    {"m", WordKind::unit, static_cast<int>(Unit::month)}, {"mm", WordKind::unit, static_cast<int>(Unit::minute)},
    {"s", WordKind::unit, static_cast<int>(Unit::second)}, {"y", WordKind::unit, static_cast<int>(Unit::year)},
    {"dow", WordKind::unit, static_cast<int>(Unit::dow)}, {"doy", WordKind::unit, static_cast<int>(Unit::doy)},
    {"isodow", WordKind::unit, static_cast<int>(Unit::isodow)}, {"isoyear", WordKind::unit, static_cast<int>(Unit::isoyear)},
};

struct UnitWord {
  std::string_view text;
  Unit unit;
};
constexpr UnitWord kUnits[] = {
    {"us", Unit::microsecond}, {"usec", Unit::microsecond}, {"usecs", Unit::microsecond}, {"usecond", Unit::microsecond}, {"useconds", Unit::microsecond},
    {"microsecon", Unit::microsecond}, {"microsecond", Unit::microsecond}, {"microseconds", Unit::microsecond}, {"ms", Unit::millisecond},
    {"msec", Unit::millisecond}, {"msecs", Unit::millisecond}, {"msecond", Unit::millisecond}, {"mseconds", Unit::millisecond},
    {"millisecon", Unit::millisecond}, {"millisecond", Unit::millisecond}, {"milliseconds", Unit::millisecond}, {"s", Unit::second},
    {"sec", Unit::second}, {"secs", Unit::second}, {"second", Unit::second}, {"seconds", Unit::second}, {"m", Unit::minute},
    {"min", Unit::minute}, {"mins", Unit::minute}, {"minute", Unit::minute}, {"minutes", Unit::minute}, {"h", Unit::hour}, {"hr", Unit::hour},
    {"hrs", Unit::hour}, {"hour", Unit::hour}, {"hours", Unit::hour}, {"d", Unit::day}, {"day", Unit::day}, {"days", Unit::day},
    {"w", Unit::week}, {"week", Unit::week}, {"weeks", Unit::week}, {"mon", Unit::month}, {"mons", Unit::month}, {"month", Unit::month},
    {"months", Unit::month}, {"qtr", Unit::quarter}, {"quarter", Unit::quarter}, {"y", Unit::year}, {"yr", Unit::year}, {"yrs", Unit::year},
    {"year", Unit::year}, {"years", Unit::year}, {"dec", Unit::decade}, {"decs", Unit::decade}, {"decade", Unit::decade},
    {"decades", Unit::decade}, {"c", Unit::century}, {"cent", Unit::century}, {"century", Unit::century}, {"centuries", Unit::century},
    {"mil", Unit::millennium}, {"mils", Unit::millennium}, {"millennia", Unit::millennium}, {"millennium", Unit::millennium},
    {"timezone", Unit::timezone}, {"timezone_h", Unit::timezone_hour}, {"timezone_hour", Unit::timezone_hour}, {"timezone_m", Unit::timezone_minute},
    {"timezone_minute", Unit::timezone_minute},
};

}  // namespace

Word find_date_word(std::string_view lower) {
  for (const DateWord& w : kDateWords) {
    if (w.text == lower) return {w.kind, w.value};
  }
  return {};
}

Unit find_unit(std::string_view lower) {
  for (const UnitWord& u : kUnits) {
    if (u.text == lower) return u.unit;
  }
  // PostgreSQL compares ten letters only.
  if (lower.size() > 10) {
    for (const UnitWord& u : kUnits) {
      if (u.text.size() >= 10 && u.text.substr(0, 10) == lower.substr(0, 10)) return u.unit;
    }
  }
  return Unit::none;
}

bool tokenize(std::string_view text, std::vector<Token>& tokens) {
  constexpr std::size_t kMaxTokens = 25;
  constexpr std::size_t kMaxLength = 128;
  std::size_t i = 0;
  std::size_t used = 0;
  auto peek = [&] { return i < text.size() ? text[i] : '\0'; };
  auto is_alnum = [](char c) { return is_alpha(c) || is_digit(c); };
  while (i < text.size()) {
    char c = peek();
    if (is_space(c)) {
      ++i;
      continue;
    }
    if (tokens.size() >= kMaxTokens) return false;
    Token token{TokenKind::number, {}};
    auto take = [&] { token.text += to_lower_ascii(text[i++]); };
    auto take_digits = [&] { while (is_digit(peek())) take(); };
    if (is_digit(c)) {
      take_digits();
      char delimiter = peek();
      if (delimiter == ':') {
        token.kind = TokenKind::time;
        while (is_digit(peek()) || peek() == ':' || peek() == '.') take();
      } else if (delimiter == '-' || delimiter == '/' || delimiter == '.') {
        take();
        if (is_digit(peek())) {
          token.kind = delimiter == '.' ? TokenKind::number : TokenKind::date;
          take_digits();
          if (peek() == delimiter) {
            token.kind = TokenKind::date;
            take();
            while (is_digit(peek()) || peek() == delimiter) take();
          }
        } else {
          token.kind = TokenKind::date;
          while (is_alnum(peek()) || peek() == delimiter) take();
        }
      }
    } else if (c == '.') {
      take();
      take_digits();
    } else if (is_alpha(c)) {
      token.kind = TokenKind::word;
      while (is_alpha(peek())) take();
      char next = peek();
      bool joined = next == '-' || next == '/' || next == '.';
      if (next == '+' || is_digit(next)) joined = find_date_word(token.text).kind == WordKind::unknown;
      if (joined) {
        token.kind = TokenKind::date;
        do take();
        while (is_alnum(peek()) || peek() == '+' || peek() == '-' || peek() == '/' || peek() == '_' || peek() == '.' || peek() == ':');
      }
    } else if (c == '+' || c == '-') {
      take();
      while (is_space(peek())) ++i;
      if (is_digit(peek())) {
        token.kind = TokenKind::zone;
        while (is_digit(peek()) || peek() == ':' || peek() == '.' || peek() == '-') take();
      } else if (is_alpha(peek())) {
        token.kind = TokenKind::special;
        while (is_alpha(peek())) take();
      } else {
        return false;
      }
    } else if (c > ' ' && c < 0x7F) {  // other punctuation separates
      ++i;
      continue;
    } else {
      return false;
    }
    used += token.text.size() + 1;
    if (used > kMaxLength + 1) return false;
    tokens.push_back(std::move(token));
  }
  return true;
}

}  // namespace hathi::types
