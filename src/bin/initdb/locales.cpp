#include "locales.h"

#include <langinfo.h>

#include <clocale>
#include <cstdio>
#include <cstring>
#include <string>

namespace hathi::initdb {

namespace {

// The canonical name of a locale, "" = the environment's; ends the program when there is none.
std::string canonical(int category, const std::string& name) {
  std::string saved = std::setlocale(category, nullptr);
  const char* set = std::setlocale(category, name.c_str());
  std::string result = set == nullptr ? "" : set;
  std::setlocale(category, saved.c_str());
  if (set == nullptr) {
    if (name.empty()) fail("invalid locale settings; check LANG and LC_* environment variables");
    fail("invalid locale name \"" + name + "\"");
  }
  return result;
}

std::string clean(const std::string& name) {
  std::string letters;
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') letters += static_cast<char>(c + 32);
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) letters += c;
  }
  return letters;
}

bool is_c(const std::string& locale) { return locale == "C" || locale == "POSIX"; }

// What character set the locale works in.
std::string codeset_of(const std::string& locale) {
  std::string saved = std::setlocale(LC_CTYPE, nullptr);
  std::string codeset;
  if (std::setlocale(LC_CTYPE, locale.c_str()) != nullptr) codeset = nl_langinfo(CODESET);
  std::setlocale(LC_CTYPE, saved.c_str());
  return codeset;
}

bool is_utf8(const std::string& name) { return clean(name) == "utf8" || clean(name) == "unicode"; }

// The server works in UTF-8; the C locale goes with it as with any encoding.
void settle_encoding(Options& options) {
  if (!options.encoding.empty() && !is_utf8(options.encoding)) {
    fail("encoding \"" + options.encoding + "\" is not supported", "The only server encoding is UTF8.");
  }
  for (const std::string* locale : {&options.lc_ctype, &options.lc_collate}) {
    if (is_c(*locale) || is_utf8(codeset_of(*locale))) continue;
    fail("encoding mismatch", "Rerun initdb and choose a locale that uses UTF-8, or --no-locale.",
         "The encoding of the server (UTF8) and the encoding that the selected locale uses (" + codeset_of(*locale) +
             ") do not match. This would lead to misbehavior in various character string processing functions.");
  }
  options.encoding = "UTF8";
}

}  // namespace

void settle_locales(Options& options) {
  struct Category { int number; std::string Options::*name; };
  const Category categories[] = {{LC_CTYPE, &Options::lc_ctype}, {LC_COLLATE, &Options::lc_collate}, {LC_NUMERIC, &Options::lc_numeric},
                                  {LC_TIME, &Options::lc_time}, {LC_MONETARY, &Options::lc_monetary}, {LC_MESSAGES, &Options::lc_messages}};
  for (const Category& category : categories) {
    std::string& name = options.*category.name;
    if (name.empty()) name = options.locale;
    name = canonical(category.number, name);
  }
  if (options.locale_provider == 'i' && options.icu_locale.empty()) fail("ICU locale must be specified");
  options.encoding_was_given = !options.encoding.empty();
  settle_encoding(options);
  options.warn_about_text_search = !options.text_search_config.empty() && options.text_search_config != "english";
  if (options.text_search_config.empty()) options.text_search_config = "english";
}

void print_locales(const Options& o) {
  bool all_equal = o.lc_ctype == o.lc_collate && o.lc_ctype == o.lc_time && o.lc_ctype == o.lc_numeric && o.lc_ctype == o.lc_monetary &&
                   o.lc_ctype == o.lc_messages;
  if (all_equal && o.locale_provider == 'c') {
    std::printf("The database cluster will be initialized with locale \"%s\".\n", o.lc_ctype.c_str());
  } else {
    std::puts("The database cluster will be initialized with this locale configuration:");
    std::printf("  provider:    %s\n", o.locale_provider == 'i' ? "icu" : "libc");
    if (o.locale_provider == 'i') std::printf("  ICU locale:  %s\n", o.icu_locale.c_str());
    std::printf("  LC_COLLATE:  %s\n  LC_CTYPE:    %s\n  LC_MESSAGES: %s\n  LC_MONETARY: %s\n  LC_NUMERIC:  %s\n  LC_TIME:     %s\n",
                o.lc_collate.c_str(), o.lc_ctype.c_str(), o.lc_messages.c_str(), o.lc_monetary.c_str(), o.lc_numeric.c_str(), o.lc_time.c_str());
  }
  if (!o.encoding_was_given) std::printf("The default database encoding has accordingly been set to \"%s\".\n", o.encoding.c_str());
  if (o.warn_about_text_search) {
    std::fflush(stdout);
    std::fprintf(stderr, "initdb: warning: specified text search configuration \"%s\" might not match locale \"%s\"\n", o.text_search_config.c_str(),
                 o.lc_ctype.c_str());
  }
  std::printf("The default text search configuration will be set to \"%s\".\n", o.text_search_config.c_str());
}

}  // namespace hathi::initdb
