// Check and assign hooks of settings that need no more than their text.

#include <locale.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <clocale>
#include <cstdlib>

#include "hathi/base/stack.h"
#include "hathi/error/report.h"
#include "store.h"
#include "table.h"

namespace hathi::config {

namespace values {
DateStyle date_style = DateStyle::iso;
DateOrder date_order = DateOrder::mdy;
int client_encoding = kUtf8;
std::string role, session_authorization;
bool is_superuser = false;
std::uint64_t search_path_generation = 1;
std::uint64_t time_zone_generation = 1;
}  // namespace values

namespace {

// Elements of a comma-separated list; double-quoted ones keep their case. False when the list is malformed.
bool split_list(std::string_view text, std::vector<std::string>& elements) {
  std::size_t i = 0;
  auto skip_blanks = [&] {
    while (i < text.size() && std::isspace(static_cast<unsigned char>(text[i]))) ++i;
  };
  skip_blanks();
  if (i == text.size()) return true;
  for (;;) {
    std::string element;
    if (i < text.size() && text[i] == '"') {
      for (++i;; ++i) {
        if (i >= text.size()) return false;
        if (text[i] != '"') {
          element += text[i];
          continue;
        }
        if (i + 1 < text.size() && text[i + 1] == '"') {
          element += text[++i];
          continue;
        }
        ++i;
        break;
      }
    } else {
      while (i < text.size() && text[i] != ',' && !std::isspace(static_cast<unsigned char>(text[i]))) element += text[i++];
      if (element.empty()) return false;
      element = lower(element);
    }
    elements.push_back(std::move(element));
    skip_blanks();
    if (i == text.size()) return true;
    if (text[i] != ',') return false;
    ++i;
    skip_blanks();
  }
}

CheckResult rejected(std::string detail) {
  CheckResult result;
  result.ok = false;
  result.detail = std::move(detail);
  return result;
}

struct DateStyleParts {
  DateStyle style;
  DateOrder order;
};

const char* style_name(DateStyle style) {
  static const char* const names[] = {"ISO", "Postgres", "SQL", "German"};
  return names[static_cast<int>(style)];
}
const char* order_name(DateOrder order) {
  static const char* const names[] = {"MDY", "DMY", "YMD"};
  return names[static_cast<int>(order)];
}

// Reads one word of DateStyle; false when it is none.
bool read_date_word(const std::string& word, std::optional<DateStyle>& style, std::optional<DateOrder>& order, bool& conflict) {
  auto set_style = [&](DateStyle s) {
    conflict |= style.has_value() && *style != s;
    style = s;
  };
  auto set_order = [&](DateOrder o) {
    conflict |= order.has_value() && *order != o;
    order = o;
  };
  if (word == "iso")
    set_style(DateStyle::iso);
  else if (word == "sql")
    set_style(DateStyle::sql);
  else if (word.starts_with("postgres"))
    set_style(DateStyle::postgres);
  else if (word == "german") {
    set_style(DateStyle::german);
  } else if (word == "ymd")
    set_order(DateOrder::ymd);
  else if (word == "dmy" || word.starts_with("euro"))
    set_order(DateOrder::dmy);
  else if (word == "mdy" || word == "us" || word.starts_with("noneuro"))
    set_order(DateOrder::mdy);
  else
    return false;
  return true;
}

CheckResult parse_date_style(const std::string& text, DateStyleParts& parts) {
  std::vector<std::string> words;
  if (!split_list(text, words)) return rejected("List syntax is invalid.");
  std::optional<DateStyle> style;
  std::optional<DateOrder> order;
  bool conflict = false;
  for (const std::string& word : words) {
    if (read_date_word(word, style, order, conflict)) continue;
    if (word != "default") return rejected(fmt::format("Unrecognized key word: \"{}\".", word));
    DateStyleParts boot{DateStyle::iso, DateOrder::mdy};
    if (Setting* setting = find_setting("DateStyle")) parse_date_style(setting->reset.text == "default" ? "" : setting->reset.text, boot);
    if (!style) style = boot.style;
    if (!order) order = boot.order;
  }
  if (style == DateStyle::german && !order) order = DateOrder::dmy;
  if (conflict) return rejected("Conflicting \"datestyle\" specifications.");
  if (style) parts.style = *style;
  if (order) parts.order = *order;
  return {};
}

}  // namespace

std::optional<std::vector<std::string>> split_name_list(std::string_view text) {
  std::vector<std::string> elements;
  if (!split_list(text, elements)) return std::nullopt;
  return elements;
}

CheckResult check_date_style(std::string& value) {
  DateStyleParts parts{values::date_style, values::date_order};
  CheckResult result = parse_date_style(value, parts);
  if (result.ok) value = fmt::format("{}, {}", style_name(parts.style), order_name(parts.order));
  return result;
}

void assign_date_style() {
  DateStyleParts parts{values::date_style, values::date_order};
  parse_date_style(values::date_style_text, parts);
  values::date_style = parts.style;
  values::date_order = parts.order;
}

namespace {

// PostgreSQL's names of encodings, those that clients may ask for, without the characters that do not count.
constexpr std::array<const char*, 41> kEncodings{
    "SQL_ASCII",  "EUC_JP",     "EUC_CN",  "EUC_KR",  "EUC_TW",  "EUC_JIS_2004", "UTF8",    "MULE_INTERNAL", "LATIN1",
    "LATIN2",     "LATIN3",     "LATIN4",  "LATIN5",  "LATIN6",  "LATIN7",       "LATIN8",  "LATIN9",        "LATIN10",
    "WIN1256",    "WIN1258",    "WIN866",  "WIN874",  "KOI8R",   "WIN1251",      "WIN1252", "ISO_8859_5",    "ISO_8859_6",
    "ISO_8859_7", "ISO_8859_8", "WIN1250", "WIN1253", "WIN1254", "WIN1255",      "WIN1257", "KOI8U",         "SJIS",
    "BIG5",       "GBK",        "UHC",     "GB18030", "JOHAB"};

std::string encoding_key(std::string_view name) {
  std::string key;
  for (char c : lower(name)) {
    if (std::isalnum(static_cast<unsigned char>(c))) key += c;
  }
  return key;
}

}  // namespace

CheckResult check_client_encoding(std::string& value) {
  std::string key = encoding_key(value);
  if (key == "unicode" || key == "utf8") {
    value = "UTF8";
    return {};
  }
  if (key == "sqlascii") {
    value = "SQL_ASCII";
    return {};
  }
  CheckResult result;
  result.ok = false;
  for (const char* name : kEncodings) {
    if (encoding_key(name) != key) continue;
    result.code = sqlstate::feature_not_supported;
    result.detail = fmt::format("Conversion between {} and UTF8 is not supported.", name);
  }
  return result;
}

void assign_client_encoding() { values::client_encoding = values::client_encoding_name == "SQL_ASCII" ? kSqlAscii : kUtf8; }

CheckResult check_name_list(std::string& value) {
  std::vector<std::string> elements;
  if (!split_list(value, elements)) return rejected("List syntax is invalid.");
  return {};
}

void assign_search_path() { ++values::search_path_generation; }

CheckResult check_printable_name(std::string& value) {
  constexpr std::size_t kLongestName = 63;
  if (value.size() > kLongestName) {
    std::string cut = value.substr(0, kLongestName);
    report_notice(sqlstate::name_too_long, "identifier \"{}\" will be truncated to \"{}\"", value, cut);
    value = std::move(cut);
  }
  for (char& c : value) {
    if (c < ' ' || c > '~') c = '?';
  }
  return {};
}

namespace {
// What the system's limit allows, less a reserve for code that does not look at the depth.
long platform_stack_kilobytes() {
  constexpr long kReserve = 512;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return 1L << 30;
  return static_cast<long>(std::min<rlim_t>(limit.rlim_cur / 1024, 1UL << 30)) - kReserve;
}
}  // namespace

CheckResult check_max_stack_depth(std::string& value) {
  long limit = platform_stack_kilobytes();
  if (std::atol(value.c_str()) <= limit) return {};
  CheckResult result = rejected(fmt::format("\"max_stack_depth\" must not exceed {}kB.", limit));
  result.hint = "Increase the platform's stack depth limit via \"ulimit -s\" or local equivalent.";
  return result;
}

void assign_max_stack_depth() { set_max_stack_depth(values::max_stack_depth); }

CheckResult check_locale(std::string& value) {
  if (value.empty()) return {};
  locale_t locale = newlocale(LC_ALL_MASK, value.c_str(), nullptr);
  if (locale == nullptr) return {.ok = false};
  freelocale(locale);
  return {};
}

CheckResult check_table_access_method(std::string& value) {
  if (value.empty()) return rejected("default_table_access_method cannot be empty.");
  for (const char* index_method : {"btree", "hash", "gist", "gin", "spgist", "brin"}) {
    if (value == index_method) {
      throw SqlError(sqlstate::object_not_in_prerequisite_state, "access method \"{}\" is not of type TABLE", value);
    }
  }
  if (value != "heap") return rejected(fmt::format("Table access method \"{}\" does not exist.", value));
  return {};
}

CheckResult check_text_search_config(std::string& value) {
  static const char* const names[] = {"arabic",     "armenian", "basque",    "catalan",    "danish",    "dutch",      "english", "finnish",
                                      "french",     "german",   "greek",     "hindi",      "hungarian", "indonesian", "irish",   "italian",
                                      "lithuanian", "nepali",   "norwegian", "portuguese", "romanian",  "russian",    "serbian", "simple",
                                      "spanish",    "swedish",  "tamil",     "turkish",    "yiddish"};
  std::string name = lower(value);
  if (name.starts_with("pg_catalog.")) name.erase(0, 11);
  for (const char* known : names) {
    if (name != known) continue;
    value = "pg_catalog." + name;
    return {};
  }
  return {.ok = false};
}

CheckResult check_wal_level(std::string& value) {
  if (value == "logical")
    throw SqlError(sqlstate::feature_not_supported, "setting parameter \"wal_level\" to \"logical\" is not supported");
  return {};
}

CheckResult check_with_oids(std::string& value) {
  if (value == "on") throw SqlError(sqlstate::feature_not_supported, "tables declared WITH OIDS are not supported");
  return {};
}

void assign_report_levels() {
  set_report_levels(static_cast<Severity>(values::client_min_messages), static_cast<Severity>(values::log_min_messages));
}

void load_environment() {
  long kilobytes = std::min(platform_stack_kilobytes(), 2048L);
  if (kilobytes > 100) set("max_stack_depth", std::to_string(kilobytes), Source::computed, false, true);
  if (const char* port = std::getenv("PGPORT")) set("port", port, Source::environment, false, true);
  if (const char* style = std::getenv("PGDATESTYLE")) set("datestyle", style, Source::environment, false, true);
}

}  // namespace hathi::config
