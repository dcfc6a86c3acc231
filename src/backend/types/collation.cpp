#include "hathi/types/collation.h"

#include <algorithm>
#include <clocale>
#include <cstring>
#include <unordered_map>
#include <vector>
#include <wctype.h>

#include <unicode/uchar.h>
#include <unicode/ucol.h>
#include <unicode/ustring.h>

#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "hathi/types/utf8.h"
#include "parse.h"

namespace hathi::types {

namespace {

constexpr Oid kPosixCollation{951};

// What a collation is in this process. Locales are opened once and kept.
struct Collation {
  bool c_order = true;
  bool c_case = true;
  bool deterministic = true;
  locale_t locale = nullptr;      // libc provider
  UCollator* collator = nullptr;  // ICU provider
  std::string icu_locale;
};

Collation default_collation;

bool is_c_name(std::string_view name) { return name == "C" || name == "POSIX" || name.empty(); }

locale_t open_locale(const std::string& collate, const std::string& ctype) {
  locale_t locale = newlocale(LC_CTYPE_MASK, ctype.c_str(), nullptr);
  locale_t both = locale == nullptr ? nullptr : newlocale(LC_COLLATE_MASK, collate.c_str(), locale);
  if (both == nullptr) {
    if (locale != nullptr) freelocale(locale);
    throw SqlError(sqlstate::invalid_parameter_value, "could not create locale \"{}\": No such file or directory",
                   locale == nullptr ? ctype : collate)
        .detail(fmt::format("The operating system could not find any locale data for the locale name \"{}\".", locale == nullptr ? ctype : collate));
  }
  return both;
}

Collation open_collation(const catalog::CollationInfo& info) {
  Collation c;
  c.deterministic = info.deterministic;
  if (info.provider == 'i') {
    UErrorCode status = U_ZERO_ERROR;
    c.icu_locale = info.icu_locale.empty() ? info.collate : info.icu_locale;
    c.collator = ucol_open(c.icu_locale.c_str(), &status);
    if (U_FAILURE(status)) {
      throw SqlError(sqlstate::internal_error, "could not open collator for locale \"{}\": {}", c.icu_locale, u_errorName(status));
    }
    c.c_order = c.c_case = false;
    return c;
  }
  c.c_order = is_c_name(info.collate);
  c.c_case = is_c_name(info.ctype);
  if (!c.c_order || !c.c_case) c.locale = open_locale(std::string(info.collate), std::string(info.ctype));
  return c;
}

const Collation& collation_for(Oid oid) {
  static const Collation c_collation;
  if (oid == kDefaultCollation) return default_collation;
  if (oid == kCCollation || oid == kPosixCollation || !is_valid(oid)) return c_collation;
  static std::unordered_map<std::uint32_t, Collation> opened;
  auto it = opened.find(raw(oid));
  if (it != opened.end()) return it->second;
  const catalog::CollationInfo* info = catalog::find_collation(oid);
  if (info == nullptr) throw SqlError(sqlstate::internal_error, "cache lookup failed for collation {}", raw(oid));
  return opened.emplace(raw(oid), open_collation(*info)).first->second;
}

int compare_bytes(std::string_view a, std::string_view b) {
  int order = std::memcmp(a.data(), b.data(), std::min(a.size(), b.size()));
  return order != 0 ? order : (a.size() > b.size()) - (a.size() < b.size());
}

std::vector<UChar> to_utf16(std::string_view text) {
  std::vector<UChar> units(text.size() + 1);
  UErrorCode status = U_ZERO_ERROR;
  int32_t n = 0;
  u_strFromUTF8(units.data(), static_cast<int32_t>(units.size()), &n, text.data(), static_cast<int32_t>(text.size()), &status);
  units.resize(static_cast<std::size_t>(n));
  return units;
}

std::string from_utf16(const UChar* units, std::size_t n) {
  std::string text(n * 3 + 1, '\0');
  UErrorCode status = U_ZERO_ERROR;
  int32_t length = 0;
  u_strToUTF8(text.data(), static_cast<int32_t>(text.size()), &length, units, static_cast<int32_t>(n), &status);
  text.resize(static_cast<std::size_t>(length));
  return text;
}

int compare_by_locale(std::string_view a, std::string_view b, locale_t locale) {
  // strcoll wants NUL-terminated texts; short ones are copied onto the stack.
  char buffer[1024];
  std::string long_a, long_b;
  const char* pa;
  const char* pb;
  if (a.size() + b.size() + 2 <= sizeof buffer) {
    std::memcpy(buffer, a.data(), a.size());
    buffer[a.size()] = '\0';
    std::memcpy(buffer + a.size() + 1, b.data(), b.size());
    buffer[a.size() + 1 + b.size()] = '\0';
    pa = buffer;
    pb = buffer + a.size() + 1;
  } else {
    long_a = a;
    long_b = b;
    pa = long_a.c_str();
    pb = long_b.c_str();
  }
  return strcoll_l(pa, pb, locale);
}

enum class Mapping { upper, lower, title };

std::string map_ascii(std::string_view text, Mapping mapping) {
  std::string result(text);
  bool in_word = false;
  for (char& c : result) {
    bool upper = mapping == Mapping::upper || (mapping == Mapping::title && !in_word);
    c = upper ? to_upper_ascii(c) : to_lower_ascii(c);
    in_word = is_alpha(c) || is_digit(c);
  }
  return result;
}

std::string map_by_locale(std::string_view text, Mapping mapping, locale_t locale) {
  std::string result;
  result.reserve(text.size());
  bool in_word = false;
  for (std::size_t i = 0; i < text.size(); i += utf8::width(text[i], text.size() - i)) {
    auto c = static_cast<wint_t>(utf8::decode(text.data() + i));
    bool upper = mapping == Mapping::upper || (mapping == Mapping::title && !in_word);
    wint_t mapped = upper ? towupper_l(c, locale) : towlower_l(c, locale);
    in_word = iswalnum_l(mapped, locale) != 0;
    utf8::append(result, mapped);
  }
  return result;
}

std::string map_by_icu(std::string_view text, Mapping mapping, const std::string& locale) {
  std::vector<UChar> from = to_utf16(text);
  std::vector<UChar> to(from.size() * 3 + 16);
  UErrorCode status = U_ZERO_ERROR;
  auto from_size = static_cast<int32_t>(from.size());
  auto to_size = static_cast<int32_t>(to.size());
  int32_t n = mapping == Mapping::upper   ? u_strToUpper(to.data(), to_size, from.data(), from_size, locale.c_str(), &status)
              : mapping == Mapping::lower ? u_strToLower(to.data(), to_size, from.data(), from_size, locale.c_str(), &status)
                                          : u_strToTitle(to.data(), to_size, from.data(), from_size, nullptr, locale.c_str(), &status);
  if (U_FAILURE(status)) throw SqlError(sqlstate::internal_error, "case conversion failed: {}", u_errorName(status));
  return from_utf16(to.data(), static_cast<std::size_t>(n));
}

std::string map_case(std::string_view text, Mapping mapping, Oid collation, std::string_view function) {
  if (!is_valid(collation)) require_collation(collation, function);
  const Collation& c = collation_for(collation);
  if (c.collator != nullptr) return map_by_icu(text, mapping, c.icu_locale);
  if (c.c_case) return map_ascii(text, mapping);
  return map_by_locale(text, mapping, c.locale);
}

}  // namespace

void set_default_locale(const std::string& collate, const std::string& ctype) {
  Collation c;
  c.c_order = is_c_name(collate);
  c.c_case = is_c_name(ctype);
  if (!c.c_order || !c.c_case) c.locale = open_locale(collate, ctype);
  if (default_collation.locale != nullptr) freelocale(default_collation.locale);
  default_collation = c;
}

bool collation_is_c(Oid collation) { return collation_for(collation).c_order; }
bool collation_is_deterministic(Oid collation) { return collation_for(collation).deterministic; }

void require_collation(Oid collation, std::string_view what) {
  if (is_valid(collation)) return;
  throw SqlError(sqlstate::indeterminate_collation, "could not determine which collation to use for {}", what)
      .hint("Use the COLLATE clause to set the collation explicitly.");
}

int compare_text(std::string_view a, std::string_view b, Oid collation) {
  require_collation(collation, "string comparison");
  const Collation& c = collation_for(collation);
  if (c.c_order) return compare_bytes(a, b);
  if (a == b) return 0;
  int order;
  if (c.collator != nullptr) {
    UErrorCode status = U_ZERO_ERROR;
    order = ucol_strcollUTF8(c.collator, a.data(), static_cast<int32_t>(a.size()), b.data(), static_cast<int32_t>(b.size()), &status);
  } else {
    order = compare_by_locale(a, b, c.locale);
  }
  return order == 0 && c.deterministic ? compare_bytes(a, b) : order;
}

std::string to_upper(std::string_view text, Oid collation) { return map_case(text, Mapping::upper, collation, "upper() function"); }
std::string to_lower(std::string_view text, Oid collation) { return map_case(text, Mapping::lower, collation, "lower() function"); }
std::string to_title(std::string_view text, Oid collation) { return map_case(text, Mapping::title, collation, "initcap() function"); }

}  // namespace hathi::types
