// Text of numbers with units: "4MB", "1500us", "0x10".

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "store.h"

namespace hathi::config {

namespace {

// One unit of text, as a multiple of a family's smallest unit (byte or microsecond).
struct UnitScale {
  const char* name;
  double scale;
};

constexpr std::array<UnitScale, 5> kMemoryUnits{
    {{"TB", 1099511627776.0}, {"GB", 1073741824.0}, {"MB", 1048576.0}, {"kB", 1024.0}, {"B", 1.0}}};
constexpr std::array<UnitScale, 6> kTimeUnits{{{"d", 86400e6}, {"h", 3600e6}, {"min", 60e6}, {"s", 1e6}, {"ms", 1e3}, {"us", 1.0}}};

bool is_memory(Unit unit) { return unit == Unit::bytes || unit == Unit::kilobytes || unit == Unit::blocks || unit == Unit::megabytes; }

double base_scale(Unit unit) {
  switch (unit) {
    case Unit::none:
    case Unit::bytes: return 1;
    case Unit::kilobytes: return 1024;
    case Unit::blocks: return 8192;
    case Unit::megabytes: return 1048576;
    case Unit::milliseconds: return 1e3;
    case Unit::seconds: return 1e6;
    case Unit::minutes: return 60e6;
  }
  return 1;
}

std::span<const UnitScale> family(Unit unit) {
  if (is_memory(unit)) return kMemoryUnits;
  return kTimeUnits;
}

// value, given in `name`, in the base unit. A fraction is rounded to the next smaller unit first, so that 30.1GB is a whole number of MB.
bool convert(double value, std::string_view name, Unit base, double& result) {
  auto units = family(base);
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (name != units[i].name) continue;
    if (value != std::rint(value) && i + 1 < units.size()) {
      double ratio = units[i].scale / units[i + 1].scale;
      value = std::rint(value * ratio) / ratio;
    }
    result = value * units[i].scale / base_scale(base);
    return true;
  }
  return false;
}

const char* unit_hint(Unit unit) {
  return is_memory(unit) ? R"(Valid units for this parameter are "B", "kB", "MB", "GB", and "TB".)"
                         : R"(Valid units for this parameter are "us", "ms", "s", "min", "h", and "d".)";
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// What follows the number: blanks, an optional unit, blanks. False with a hint when it is something else.
bool apply_unit(const char* rest, Unit unit, double& value, std::string& hint) {
  while (is_space(*rest)) ++rest;
  if (*rest == '\0') return true;
  if (unit == Unit::none) return false;
  const char* end = rest;
  while (*end != '\0' && !is_space(*end)) ++end;
  std::string_view name(rest, static_cast<std::size_t>(end - rest));
  while (is_space(*end)) ++end;
  if (*end != '\0' || !convert(value, name, unit, value)) {
    hint = unit_hint(unit);
    return false;
  }
  return true;
}

}  // namespace

const char* unit_name(Unit unit) {
  switch (unit) {
    case Unit::none: return "";
    case Unit::bytes: return "B";
    case Unit::kilobytes: return "kB";
    case Unit::blocks: return "8kB";
    case Unit::megabytes: return "MB";
    case Unit::milliseconds: return "ms";
    case Unit::seconds: return "s";
    case Unit::minutes: return "min";
  }
  return "";
}

bool parse_boolean(std::string_view text, bool& result) {
  std::string value = lower(text);
  auto begins = [&](std::string_view word, std::size_t least) {
    return value.size() >= least && value.size() <= word.size() && word.substr(0, value.size()) == value;
  };
  if (begins("true", 1) || begins("yes", 1) || value == "on" || value == "1") return result = true, true;
  if (begins("false", 1) || begins("no", 1) || begins("off", 2) || value == "0") return result = false, true;
  return false;
}

bool parse_integer(std::string_view text, Unit unit, int& result, std::string& hint) {
  std::string copy(text);
  if (copy.size() != std::strlen(copy.c_str())) return false;
  char* end = nullptr;
  errno = 0;
  double value = static_cast<double>(std::strtol(copy.c_str(), &end, 0));
  if (*end == '.' || *end == 'e' || *end == 'E' || errno == ERANGE) {
    errno = 0;
    value = std::strtod(copy.c_str(), &end);
  }
  if (end == copy.c_str() || errno == ERANGE || std::isnan(value)) return false;
  if (!apply_unit(end, unit, value, hint)) return false;
  value = std::rint(value);
  if (value > std::numeric_limits<int>::max() || value < std::numeric_limits<int>::min()) {
    hint = "Value exceeds integer range.";
    return false;
  }
  result = static_cast<int>(value);
  return true;
}

bool parse_real(std::string_view text, Unit unit, double& result, std::string& hint) {
  std::string copy(text);
  if (copy.size() != std::strlen(copy.c_str())) return false;
  char* end = nullptr;
  errno = 0;
  double value = std::strtod(copy.c_str(), &end);
  if (end == copy.c_str() || errno == ERANGE || std::isnan(value)) return false;
  if (!apply_unit(end, unit, value, hint)) return false;
  result = value;
  return true;
}

std::string number_with_unit(double value, Unit unit, bool integral) {
  auto plain = [&](double v) { return integral ? fmt::format("{}", static_cast<std::int64_t>(v)) : fmt::format("{:g}", v); };
  if (unit == Unit::none || value <= 0) return plain(value);
  double smallest = value * base_scale(unit);
  for (const UnitScale& candidate : family(unit)) {
    // Integers are not shown in a unit finer than their own.
    if (integral && candidate.scale > 1 && candidate.scale < base_scale(unit) && unit != Unit::blocks) continue;
    double in_unit = smallest / candidate.scale;
    double whole = std::rint(in_unit);
    if (whole >= 1 && std::fabs(whole / in_unit - 1) <= (integral ? 0 : 1e-8)) return plain(integral ? whole : in_unit) + candidate.name;
  }
  return plain(value) + unit_name(unit);
}

}  // namespace hathi::config
