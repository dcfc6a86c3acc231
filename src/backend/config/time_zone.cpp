// TimeZone's text: a name of the system's time zone database in any case, a number of hours, an interval, or a POSIX string.

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "store.h"
#include "table.h"

namespace hathi::config {

namespace {

constexpr const char* kZoneDirectory = "/usr/share/zoneinfo";

// Finds one component of a name in a directory without regard to case.
std::string find_component(const std::string& directory, const std::string& wanted) {
  struct stat info {};
  if (stat((directory + "/" + wanted).c_str(), &info) == 0) return wanted;
  DIR* dir = opendir(directory.c_str());
  if (dir == nullptr) return {};
  std::string found;
  while (dirent* entry = readdir(dir)) {
    if (lower(entry->d_name) != lower(wanted)) continue;
    found = entry->d_name;
    break;
  }
  closedir(dir);
  return found;
}

bool is_zone_file(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  char magic[4] = {};
  FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return false;
  bool good = std::fread(magic, 1, 4, file) == 4 && std::memcmp(magic, "TZif", 4) == 0;
  std::fclose(file);
  return good;
}

// The database's own spelling of the name, empty when there is none.
std::string zone_file_name(const std::string& name) {
  if (name.empty() || name.front() == '/' || name.size() > 255) return {};
  std::string path = kZoneDirectory, canonical;
  std::size_t start = 0;
  while (start <= name.size()) {
    std::size_t slash = std::min(name.find('/', start), name.size());
    std::string component = name.substr(start, slash - start);
    if (component.empty() || component.front() == '.') return {};
    component = find_component(path, component);
    if (component.empty()) return {};
    path += "/" + component;
    canonical += (canonical.empty() ? "" : "/") + component;
    start = slash + 1;
  }
  return is_zone_file(path) ? canonical : std::string();
}

// "<+03>-03" for three hours east of Greenwich, as POSIX writes it.
std::string fixed_offset_name(long seconds_east) {
  long magnitude = std::labs(seconds_east);
  std::string digits = fmt::format("{:02}", magnitude / 3600);
  if (magnitude % 3600 != 0) digits += fmt::format(":{:02}", magnitude / 60 % 60);
  if (magnitude % 60 != 0) digits += fmt::format(":{:02}", magnitude % 60);
  return fmt::format("<{}{}>{}{}", seconds_east < 0 ? '-' : '+', digits, seconds_east < 0 ? '+' : '-', digits);
}

struct PosixReader {
  const char* at;
  std::string upper;  // the text read, upper case outside of <>

  bool name() {
    const char* start = at;
    if (*at == '<') {
      while (*at != '\0' && *at != '>') upper += *at++;
      if (*at != '>') return false;
      upper += *at++;
      return at - start > 2;
    }
    while (std::isalpha(static_cast<unsigned char>(*at))) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(*at++)));
    return at - start >= 3 || (at == start && false);
  }
  // [+-]hh[:mm[:ss]], at most 24*7-1 hours.
  bool offset() {
    if (*at == '+' || *at == '-') upper += *at++;
    for (int part = 0; part < 3; ++part) {
      if (part > 0) {
        if (*at != ':') return true;
        upper += *at++;
      }
      int number = 0, digits = 0;
      while (std::isdigit(static_cast<unsigned char>(*at)) && digits < 4) {
        number = number * 10 + (*at - '0');
        upper += *at++;
        ++digits;
      }
      if (digits == 0 || number > (part == 0 ? 167 : 59)) return false;
    }
    return true;
  }
};

// std offset [dst [offset] [,rule]]; canonical gets the text in upper case.
bool read_posix(const std::string& text, std::string& canonical) {
  PosixReader reader{text.c_str(), {}};
  if (!reader.name() || !reader.offset()) return false;
  if (*reader.at != '\0') {
    if (!reader.name()) return false;
    if (*reader.at != '\0' && *reader.at != ',' && !reader.offset()) return false;
    if (*reader.at == ',') {
      if (std::strspn(reader.at, ",JM.0123456789/:+-") != std::strlen(reader.at)) return false;
      reader.upper += reader.at;
    } else if (*reader.at != '\0') {
      return false;
    }
  }
  canonical = reader.upper;
  return true;
}

// "+05:30" and the like are kept as they are: POSIX reads them with an empty name and the opposite sign.
bool is_signed_offset(const std::string& text) {
  if (text.size() < 2 || (text[0] != '+' && text[0] != '-') || text.find(':') == std::string::npos) return false;
  PosixReader reader{text.c_str(), {}};
  return reader.offset() && *reader.at == '\0';
}

// interval '3 hours', interval '-03:30': seconds east.
CheckResult read_interval(const std::string& value, long& seconds) {
  CheckResult bad{.ok = false};
  std::size_t open = value.find('\''), close = value.rfind('\'');
  if (open == std::string::npos || close <= open) return bad;
  std::string body = lower(value.substr(open + 1, close - open - 1));
  if (body.find("mon") != std::string::npos || body.find("year") != std::string::npos) {
    bad.detail = "Cannot specify months in time zone interval.";
    return bad;
  }
  if (body.find("day") != std::string::npos) {
    bad.detail = "Cannot specify days in time zone interval.";
    return bad;
  }
  const char* at = body.c_str();
  char* end = nullptr;
  double hours = std::strtod(at, &end);
  if (end == at) return bad;
  if (*end == ':') {
    char* after = nullptr;
    double minutes = std::strtod(end + 1, &after);
    hours += (body.find('-') != std::string::npos ? -minutes : minutes) / 60;
    end = after;
  }
  while (*end == ' ') ++end;
  std::string unit = end;
  if (unit.starts_with("min"))
    hours /= 60;
  else if (unit.starts_with("sec"))
    hours /= 3600;
  else if (!unit.empty() && !unit.starts_with("h"))
    return bad;
  seconds = std::lround(hours * 3600);
  return {};
}

}  // namespace

CheckResult check_time_zone(std::string& value) {
  if (lower(value).starts_with("interval")) {
    long seconds = 0;
    CheckResult result = read_interval(value, seconds);
    if (result.ok) value = fixed_offset_name(seconds);
    return result;
  }
  char* end = nullptr;
  double hours = std::strtod(value.c_str(), &end);
  if (end != value.c_str() && *end == '\0' && std::isfinite(hours)) {
    if (std::fabs(hours) > 167) return {.ok = false};
    value = fixed_offset_name(std::lround(hours * 3600));
    return {};
  }
  std::string name = zone_file_name(value);
  if (name.empty() && lower(value) == "gmt") name = "GMT";
  if (name.empty() && is_signed_offset(value)) name = value;
  if (name.empty() && !read_posix(value, name)) return {.ok = false};
  value = name;
  return {};
}

void assign_time_zone() { ++values::time_zone_generation; }

CheckResult check_time_zone_abbreviations(std::string& value) {
  static const char* const sets[] = {"Default", "Australia", "India"};
  for (const char* set : sets) {
    if (value == set) return {};
  }
  return {.ok = false};
}

}  // namespace hathi::config
