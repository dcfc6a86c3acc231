#include "hathi/types/timezone.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>

#include "hathi/config/session_settings.h"
#include "calendar.h"
#include "parse.h"

namespace hathi::types {

namespace {

constexpr const char* kZoneDirectory = "/usr/share/zoneinfo";
constexpr std::int64_t kDay = 86400;

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = to_lower_ascii(c);
  return result;
}

// One component of a name in a directory, without regard to case.
std::string find_component(const std::string& directory, const std::string& wanted) {
  struct stat info {};
  if (stat((directory + "/" + wanted).c_str(), &info) == 0) return wanted;
  std::string found;
  DIR* dir = opendir(directory.c_str());
  if (dir == nullptr) return found;
  while (dirent* entry = readdir(dir)) {
    if (!equals_ignoring_case(entry->d_name, wanted)) continue;
    found = entry->d_name;
    break;
  }
  closedir(dir);
  return found;
}

std::string read_file(const std::string& path) {
  std::string bytes;
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return bytes;
  FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return bytes;
  char buffer[8192];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) bytes.append(buffer, n);
  std::fclose(file);
  return bytes;
}

}  // namespace

// Fills a TimeZone from a TZif file or a POSIX string.
class ZoneLoader {
 public:
  explicit ZoneLoader(TimeZone& zone) : zone_(zone) {}
  void set_name(std::string name) { zone_.name_ = std::move(name); }

  // TZif: a version-1 block, then (version 2) a block with 64-bit times and a POSIX string between newlines.
  bool load_file(const std::string& bytes) {
    if (bytes.size() < 44 || bytes.compare(0, 4, "TZif") != 0 || bytes[4] < '2') return false;
    Header first = header(bytes, 0);
    std::size_t at = 44 + first.size(4);
    if (bytes.size() < at + 44) return false;
    Header h = header(bytes, at);
    at += 44;
    if (bytes.size() < at + h.size(8) || h.types == 0) return false;
    const char* p = bytes.data() + at;
    const char* types = p + h.times * 8;
    for (std::uint32_t i = 0; i < h.times; ++i) {
      zone_.transitions_.push_back({static_cast<std::int64_t>(big_endian(p + 8 * i, 8)), static_cast<unsigned char>(types[i])});
      if (zone_.transitions_.back().type >= h.types) return false;
    }
    const char* infos = types + h.times;
    for (std::uint32_t i = 0; i < h.types; ++i) {
      const char* info = infos + 6 * i;
      zone_.types_.push_back({static_cast<std::int32_t>(big_endian(info, 4)), info[4] != 0, static_cast<unsigned char>(info[5])});
    }
    zone_.abbreviations_.assign(infos + 6 * h.types, h.characters);
    zone_.abbreviations_ += '\0';
    std::size_t footer = at + h.size(8);
    if (footer < bytes.size() && bytes[footer] == '\n') {
      std::size_t end = bytes.find('\n', footer + 1);
      if (end != std::string::npos && end > footer + 1) load_posix(std::string_view(bytes).substr(footer + 1, end - footer - 1), true);
    }
    return true;
  }

  // std offset [dst [offset] [,start[/time],end[/time]]]; behind a file it only says what holds after the last transition.
  bool load_posix(std::string_view text, bool behind_file) {
    text_ = text;
    at_ = 0;
    std::string standard_name;
    std::string daylight_name;
    std::int32_t standard = 0;
    bool signed_offset = !behind_file && !text.empty() && (text[0] == '+' || text[0] == '-');
    if (!signed_offset && !name(standard_name)) return false;
    if (!offset(standard)) return false;
    std::uint16_t standard_type = add_type(-standard, false, standard_name);
    if (at_ == text_.size()) {
      if (behind_file && !zone_.transitions_.empty()) return true;  // the last transition's type goes on
      zone_.first_type_ = standard_type;
      if (!behind_file) zone_.transitions_.clear();
      return true;
    }
    std::int32_t daylight = standard - 3600;
    if (!name(daylight_name)) return false;
    if (at_ < text_.size() && text_[at_] != ',' && !offset(daylight)) return false;
    std::uint16_t daylight_type = add_type(-daylight, true, daylight_name);
    zone_.start_ = {'M', 3, 2, 0, 7200};
    zone_.end_ = {'M', 11, 1, 0, 7200};
    if (at_ < text_.size()) {
      if (!rule(zone_.start_) || !rule(zone_.end_) || at_ != text_.size()) return false;
    }
    zone_.has_rules_ = true;
    zone_.standard_ = standard_type;
    zone_.daylight_ = daylight_type;
    if (!behind_file) zone_.first_type_ = standard_type;
    return true;
  }

 private:
  struct Header {
    std::uint32_t utc_flags, standard_flags, leaps, times, types, characters;
    std::size_t size(std::size_t time_size) const {
      return times * time_size + times + types * 6ul + characters + leaps * (time_size + 4) + standard_flags + utc_flags;
    }
  };
  static std::uint64_t big_endian(const char* p, int n) {
    std::uint64_t v = 0;
    for (int i = 0; i < n; ++i) v = v << 8 | static_cast<unsigned char>(p[i]);
    if (n == 4) return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(v)));
    return v;
  }
  static Header header(const std::string& bytes, std::size_t at) {
    auto word = [&](std::size_t i) { return static_cast<std::uint32_t>(big_endian(bytes.data() + at + 20 + 4 * i, 4)); };
    return {word(0), word(1), word(2), word(3), word(4), word(5)};
  }
  std::uint16_t add_type(std::int32_t seconds_east, bool is_dst, const std::string& abbreviation) {
    auto text = static_cast<std::uint16_t>(zone_.abbreviations_.size());
    zone_.abbreviations_ += abbreviation;
    zone_.abbreviations_ += '\0';
    zone_.types_.push_back({seconds_east, is_dst, text});
    return static_cast<std::uint16_t>(zone_.types_.size() - 1);
  }
  bool name(std::string& result) {
    if (at_ < text_.size() && text_[at_] == '<') {
      std::size_t end = text_.find('>', at_);
      if (end == std::string_view::npos) return false;
      result = text_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
      return !result.empty();
    }
    while (at_ < text_.size() && is_alpha(text_[at_])) result += to_upper_ascii(text_[at_++]);
    return result.size() >= 3;
  }
  bool number(int& v, int most) {
    if (at_ >= text_.size() || !is_digit(text_[at_])) return false;
    v = 0;
    while (at_ < text_.size() && is_digit(text_[at_]) && v <= most) v = v * 10 + (text_[at_++] - '0');
    return v <= most;
  }
  // [+-]hh[:mm[:ss]] in seconds.
  bool offset(std::int32_t& seconds) {
    bool negative = false;
    if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) negative = text_[at_++] == '-';
    int part;
    if (!number(part, 167)) return false;
    seconds = part * 3600;
    for (int unit = 60; unit >= 1 && at_ < text_.size() && text_[at_] == ':'; unit /= 60) {
      ++at_;
      if (!number(part, 59)) return false;
      seconds += part * unit;
    }
    if (negative) seconds = -seconds;
    return true;
  }
  bool rule(TimeZone::Rule& r) {
    if (at_ >= text_.size() || text_[at_++] != ',') return false;
    r = {};
    if (at_ < text_.size() && text_[at_] == 'M') {
      ++at_;
      if (!number(r.month, 12) || r.month < 1 || at_ >= text_.size() || text_[at_++] != '.' || !number(r.week, 5) || r.week < 1 ||
          at_ >= text_.size() || text_[at_++] != '.' || !number(r.day, 6)) {
        return false;
      }
    } else if (at_ < text_.size() && text_[at_] == 'J') {
      ++at_;
      r.kind = 'J';
      if (!number(r.day, 365) || r.day < 1) return false;
    } else {
      r.kind = 'D';
      if (!number(r.day, 365)) return false;
    }
    r.seconds = 7200;
    if (at_ < text_.size() && text_[at_] == '/') {
      ++at_;
      return offset(r.seconds);
    }
    return true;
  }

  TimeZone& zone_;
  std::string_view text_;
  std::size_t at_ = 0;
};

ZoneOffset TimeZone::describe(std::uint16_t type) const {
  const Type& t = types_[type];
  return {t.seconds_east, t.is_dst, std::string_view(abbreviations_.c_str() + t.abbreviation)};
}

// The instant at which a rule applies in a year, when offset_before holds until then.
std::int64_t TimeZone::rule_instant(const Rule& rule, std::int64_t year, std::int32_t offset_before) const {
  std::int64_t days;
  if (rule.kind == 'M') {
    std::int64_t first = days_from_civil(year, rule.month, 1);
    int to_weekday = (rule.day - day_of_week(first) + 7) % 7;
    days = first + to_weekday + 7 * (rule.week - 1);
    if (days >= first + days_in_month(year, rule.month)) days -= 7;
  } else if (rule.kind == 'J') {
    days = days_from_civil(year, 1, 1) + rule.day - 1 + (is_leap(year) && rule.day >= 60 ? 1 : 0);
  } else {
    days = days_from_civil(year, 1, 1) + rule.day;
  }
  return (days + kPostgresEpochDays) * kDay + rule.seconds - offset_before;
}

std::uint16_t TimeZone::type_at(std::int64_t utc) const {
  bool in_table = !transitions_.empty() && utc < transitions_.back().utc;
  if (has_rules_ && !in_table) {
    std::int32_t standard = types_[standard_].seconds_east;
    std::int64_t year = civil_from_days(floor_div(utc + standard, kDay) - kPostgresEpochDays).year;
    std::int64_t start = rule_instant(start_, year, standard);
    std::int64_t end = rule_instant(end_, year, types_[daylight_].seconds_east);
    bool daylight = start < end ? utc >= start && utc < end : utc < end || utc >= start;
    return daylight ? daylight_ : standard_;
  }
  auto after = std::upper_bound(transitions_.begin(), transitions_.end(), utc, [](std::int64_t v, const Transition& t) { return v < t.utc; });
  return after == transitions_.begin() ? first_type_ : std::prev(after)->type;
}

bool TimeZone::next_transition(std::int64_t utc, Transition& next) const {
  auto after = std::upper_bound(transitions_.begin(), transitions_.end(), utc, [](std::int64_t v, const Transition& t) { return v < t.utc; });
  if (after != transitions_.end()) {
    next = *after;
    return true;
  }
  if (!has_rules_) return false;
  std::int32_t standard = types_[standard_].seconds_east;
  std::int64_t year = civil_from_days(floor_div(utc + standard, kDay) - kPostgresEpochDays).year;
  bool found = false;
  for (std::int64_t y = year; y <= year + 1; ++y) {
    Transition candidates[2] = {{rule_instant(start_, y, standard), daylight_}, {rule_instant(end_, y, types_[daylight_].seconds_east), standard_}};
    for (const Transition& c : candidates) {
      if (c.utc > utc && (!found || c.utc < next.utc)) {
        next = c;
        found = true;
      }
    }
  }
  return found;
}

ZoneOffset TimeZone::at(std::int64_t utc) const { return describe(type_at(utc)); }

ZoneOffset TimeZone::at_local(std::int64_t local) const {
  // The last transition that may matter lies within a day; compare both readings with it.
  std::int64_t day_before = local - kDay;
  std::uint16_t before = type_at(day_before);
  Transition next;
  if (!next_transition(day_before, next)) return describe(before);
  std::int64_t as_before = local - types_[before].seconds_east;
  std::int64_t as_after = local - types_[next.type].seconds_east;
  if (as_before < next.utc && as_after < next.utc) return describe(before);
  if (as_before >= next.utc && as_after >= next.utc) return describe(next.type);
  return describe(as_before > as_after ? before : next.type);
}

bool TimeZone::abbreviation_at(std::string_view abbreviation, std::int64_t utc, ZoneOffset& offset) const {
  auto after = std::upper_bound(transitions_.begin(), transitions_.end(), utc, [](std::int64_t v, const Transition& t) { return v < t.utc; });
  auto uses = [&](std::uint16_t type) {
    offset = describe(type);
    return equals_ignoring_case(offset.abbreviation, abbreviation);
  };
  if (has_rules_ && (uses(standard_) || uses(daylight_))) {
    if (transitions_.empty() || utc >= transitions_.back().utc) return true;
  }
  for (auto t = after; t != transitions_.begin();) {
    if (uses((--t)->type)) return true;
  }
  if (uses(first_type_)) return true;
  for (auto t = after; t != transitions_.end(); ++t) {
    if (uses(t->type)) return true;
  }
  return false;
}

const TimeZone* find_time_zone(std::string_view name) {
  static std::map<std::string, std::unique_ptr<TimeZone>> loaded;
  std::string key = lower_case(name);
  auto it = loaded.find(key);
  if (it != loaded.end()) return it->second.get();
  if (name.empty() || name.size() > 255 || name.front() == '/' || name.find('\0') != std::string_view::npos) return nullptr;
  auto zone = std::make_unique<TimeZone>();
  std::string path = kZoneDirectory;
  std::string canonical;
  for (std::size_t start = 0; start <= name.size();) {
    std::size_t slash = std::min(name.find('/', start), name.size());
    std::string component(name.substr(start, slash - start));
    component = component.empty() || component.front() == '.' ? std::string() : find_component(path, component);
    if (component.empty()) {
      path.clear();
      break;
    }
    path += "/" + component;
    canonical += (canonical.empty() ? "" : "/") + component;
    start = slash + 1;
  }
  bool found = !path.empty() && ZoneLoader(*zone).load_file(read_file(path));
  if (found) {
    ZoneLoader(*zone).set_name(canonical);
  } else {
    zone = std::make_unique<TimeZone>();
    found = ZoneLoader(*zone).load_posix(key == "gmt" || key == "utc" ? std::string_view("UTC0") : name, false);
    ZoneLoader(*zone).set_name(std::string(name));
  }
  if (!found) return nullptr;
  return loaded.emplace(key, std::move(zone)).first->second.get();
}

const TimeZone& session_time_zone() {
  static const TimeZone* current = nullptr;
  static std::uint64_t generation = 0;
  if (current == nullptr || generation != config::values::time_zone_generation) {
    current = find_time_zone(config::values::time_zone);
    if (current == nullptr) current = find_time_zone("GMT");
    generation = config::values::time_zone_generation;
  }
  return *current;
}

namespace {

// By offset; those with a zone mean what the zone meant by them at the time.
constexpr ZoneAbbreviation kAbbreviations[] = {
    {"ACDT", 37800, true}, {"ACSST", 37800, true}, {"ACST", 34200, false}, {"ACT", -18000, false}, {"ACWST", 31500, false},
    {"AEDT", 39600, true}, {"AESST", 39600, true}, {"AEST", 36000, false}, {"AFT", 16200, false}, {"AKST", -32400, false},
    {"ALMST", 25200, true}, {"ALMT", 21600, false}, {"AMST", 14400, false, "Asia/Yerevan"}, {"AMT", -14400, false},
    {"ANAST", 43200, false, "Asia/Anadyr"}, {"ANAT", 43200, false, "Asia/Anadyr"},
    {"ARST", -10800, false, "America/Argentina/Buenos_Aires"}, {"ART", -10800, false, "America/Argentina/Buenos_Aires"},
    {"AST", -14400, false}, {"AWST", 28800, false}, {"AZOST", 0, true}, {"AZOT", -3600, false}, {"AZST", 14400, false, "Asia/Baku"},
    {"AZT", 14400, false, "Asia/Baku"}, {"BDST", 7200, true}, {"BDT", 21600, false}, {"BNT", 28800, false}, {"BORT", 28800, false},
    {"BOT", -14400, false}, {"BRST", -7200, true}, {"BRT", -10800, false}, {"BST", 3600, true}, {"BTT", 21600, false},
    {"CADT", 37800, true}, {"CCT", 28800, false}, {"CDT", -18000, true}, {"CEST", 7200, true}, {"CET", 3600, false},
    {"CETDST", 7200, true}, {"CHADT", 49500, true}, {"CHAST", 45900, false}, {"CHUT", 36000, false},
    {"CKT", -36000, false, "Pacific/Rarotonga"}, {"CLST", -10800, true}, {"COT", -18000, false}, {"CST", -21600, false},
    {"CXT", 25200, false}, {"DAVT", 25200, false, "Antarctica/Davis"}, {"EASST", -18000, true, "Pacific/Easter"},
    {"EAST", -18000, true, "Pacific/Easter"}, {"EAT", 10800, false}, {"EDT", -14400, true}, {"EEST", 10800, true}, {"EET", 7200, false},
    {"EETDST", 10800, true}, {"EGST", 0, true}, {"EGT", -3600, false}, {"EST", -18000, false}, {"FJST", 46800, true},
    {"FJT", 43200, false}, {"FKST", -10800, false, "Atlantic/Stanley"}, {"FKT", -10800, false, "Atlantic/Stanley"}, {"FNST", -3600, true},
    {"FNT", -7200, false}, {"GALT", -21600, false}, {"GAMT", -32400, false}, {"GEST", 14400, false, "Asia/Tbilisi"},
    {"GET", 14400, false, "Asia/Tbilisi"}, {"GILT", 43200, false}, {"GMT", 0, false}, {"GYT", -14400, false, "America/Guyana"},
    {"HKT", 28800, false}, {"HST", -36000, false}, {"ICT", 25200, false}, {"IDT", 10800, true}, {"IOT", 21600, false, "Indian/Chagos"},
    {"IRKST", 28800, false, "Asia/Irkutsk"}, {"IRKT", 28800, false, "Asia/Irkutsk"}, {"IST", 7200, false}, {"JAYT", 32400, false},
    {"JST", 32400, false}, {"KDT", 36000, true}, {"KGST", 21600, true}, {"KOST", 39600, false, "Pacific/Kosrae"},
    {"KRAST", 25200, false, "Asia/Krasnoyarsk"}, {"KRAT", 25200, false, "Asia/Krasnoyarsk"}, {"KST", 32400, false},
    {"LHST", 37800, false}, {"LIGT", 36000, false}, {"LINT", 50400, false, "Pacific/Kiritimati"}, {"LKT", 19800, false, "Asia/Colombo"},
    {"MAGST", 39600, false, "Asia/Magadan"}, {"MAGT", 39600, false, "Asia/Magadan"}, {"MART", -34200, false},
    {"MAWT", 18000, false, "Antarctica/Mawson"}, {"MDT", -21600, true}, {"MEST", 7200, true}, {"MET", 3600, false},
    {"METDST", 7200, true}, {"MEZ", 3600, false}, {"MHT", 43200, false}, {"MMT", 23400, false}, {"MPT", 36000, false},
    {"MSD", 14400, true}, {"MSK", 10800, false, "Europe/Moscow"}, {"MST", -25200, false}, {"MUST", 18000, true}, {"MVT", 18000, false},
    {"MYT", 28800, false}, {"NDT", -9000, true}, {"NFT", -12600, false}, {"NOVST", 25200, false, "Asia/Novosibirsk"},
    {"NOVT", 25200, false, "Asia/Novosibirsk"}, {"NPT", 20700, false}, {"NST", -12600, false}, {"NUT", -39600, false, "Pacific/Niue"},
    {"NZDT", 46800, true}, {"NZT", 43200, false}, {"OMSST", 21600, false, "Asia/Omsk"}, {"OMST", 21600, false, "Asia/Omsk"},
    {"PDT", -25200, true}, {"PETST", 43200, false, "Asia/Kamchatka"}, {"PETT", 43200, false, "Asia/Kamchatka"}, {"PGT", 36000, false},
    {"PHT", 28800, false}, {"PKST", 21600, true}, {"PKT", 18000, false}, {"PMDT", -7200, true}, {"PMST", -10800, false},
    {"PONT", 39600, false}, {"PST", -28800, false}, {"PYST", -10800, true}, {"PYT", -10800, false, "America/Asuncion"},
    {"RET", 14400, false}, {"SADT", 37800, true}, {"SAST", 7200, false}, {"SCT", 14400, false}, {"SGT", 28800, false, "Asia/Singapore"},
    {"TAHT", -36000, false}, {"TFT", 18000, false}, {"TJT", 18000, false}, {"TMT", 18000, false, "Asia/Ashgabat"}, {"TOT", 46800, false},
    {"TRUT", 36000, false}, {"TVT", 43200, false}, {"UCT", 0, false}, {"ULAT", 28800, false, "Asia/Ulaanbaatar"}, {"UT", 0, false},
    {"UTC", 0, false}, {"UYST", -7200, true}, {"UYT", -10800, false}, {"UZT", 18000, false}, {"VET", -14400, false, "America/Caracas"},
    {"VLAST", 36000, false, "Asia/Vladivostok"}, {"VLAT", 36000, false, "Asia/Vladivostok"}, {"VUT", 39600, false}, {"WADT", 28800, true},
    {"WAKT", 43200, false}, {"WAST", 25200, false}, {"WAT", 3600, false}, {"WET", 0, false}, {"WETDST", 3600, true},
    {"WFT", 43200, false}, {"WGST", -7200, true}, {"WGT", -10800, false}, {"XJT", 21600, false}, {"YAKST", 32400, false, "Asia/Yakutsk"},
    {"YAKT", 32400, false, "Asia/Yakutsk"}, {"YAPT", 36000, false}, {"YEKST", 21600, true}, {"Z", 0, false}, {"ZULU", 0, false},
};

void collect_names(const std::string& directory, const std::string& prefix, std::vector<std::string>& names) {
  DIR* dir = opendir(directory.c_str());
  if (dir == nullptr) return;
  while (dirent* entry = readdir(dir)) {
    std::string file = entry->d_name;
    if (file.front() == '.' || (prefix.empty() && (file == "posix" || file == "right"))) continue;
    std::string path = directory + "/" + file;
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) continue;
    if (S_ISDIR(info.st_mode)) {
      collect_names(path, prefix + file + "/", names);
      continue;
    }
    char magic[4] = {};
    FILE* f = std::fopen(path.c_str(), "rb");
    if (f == nullptr) continue;
    if (std::fread(magic, 1, 4, f) == 4 && std::memcmp(magic, "TZif", 4) == 0) names.push_back(prefix + file);
    std::fclose(f);
  }
  closedir(dir);
}

}  // namespace

const ZoneAbbreviation* find_zone_abbreviation(std::string_view name) {
  for (const ZoneAbbreviation& a : kAbbreviations) {
    if (equals_ignoring_case(a.name, name)) return &a;
  }
  return nullptr;
}
const ZoneAbbreviation* zone_abbreviations(std::size_t& count) {
  count = std::size(kAbbreviations);
  return kAbbreviations;
}
std::vector<std::string> time_zone_names() {
  std::vector<std::string> names;
  collect_names(kZoneDirectory, "", names);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace hathi::types
