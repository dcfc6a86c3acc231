#include "database_options.h"

#include <gnu/libc-version.h>
#include <langinfo.h>
#include <locale.h>

#include "hathi/error/report.h"
#include "hathi/parser/parser.h"
#include "option_values.h"

namespace hathi::ddl {

namespace {

constexpr int kUtf8 = 6;

bool is_c(std::string_view locale) { return locale == "C" || locale == "POSIX"; }

void warn_location(const parser::Option& option, std::string_view text) {
  ErrorReport r;
  r.severity = Severity::warning;
  r.code = sqlstate::feature_not_supported;
  r.message = "LOCATION is not supported anymore";
  r.hint = "Consider using tablespaces instead.";
  r.position = character_position(text, option.location);
  report(std::move(r));
}

// Throws 42809 when the system does not know the locale; its character set.
std::string codeset_of(const std::string& name) {
  locale_t locale = name.empty() ? nullptr : newlocale(LC_ALL_MASK, name.c_str(), nullptr);
  if (locale == nullptr) throw SqlError(sqlstate::wrong_object_type, "invalid locale name: \"{}\"", name);
  std::string codeset = nl_langinfo_l(CODESET, locale);
  freelocale(locale);
  return codeset;
}

void check_encoding_of_locale(int encoding, const std::string& locale, std::string_view setting) {
  std::string codeset = codeset_of(locale);
  if (is_c(locale)) return;
  int needed = catalog::encoding_by_name(codeset);
  if (needed == encoding) return;
  throw SqlError(sqlstate::invalid_parameter_value, "encoding \"{}\" does not match locale \"{}\"", catalog::encoding_name(encoding), locale)
      .detail(fmt::format("The chosen {} setting requires encoding \"{}\".", setting, needed < 0 ? std::string_view(codeset) : catalog::encoding_name(needed)));
}

char provider_of(const parser::Option& option) {
  std::string name = parser::option_text(option);
  if (name == "libc" || name == "icu") return name[0] == 'i' ? 'i' : 'c';
  throw SqlError(sqlstate::invalid_object_definition, "unrecognized locale provider: {}", name);
}

// Only template0 may be copied into another encoding or order: others may hold data that depends on them.
void require_compatible(const DatabaseLocale& to, const catalog::DatabaseInfo& source) {
  if (source.name == "template0") return;
  auto fail = [](std::string what, std::string_view noun) {
    throw SqlError(sqlstate::invalid_parameter_value, "{}", what)
        .hint(fmt::format("Use the same {} as in the template database, or use template0 as template.", noun));
  };
  auto differs = [&](std::string_view noun, std::string_view mine, std::string_view theirs) {
    fail(fmt::format("new {0} ({1}) is incompatible with the {0} of the template database ({2})", noun, mine, theirs), noun);
  };
  if (to.encoding != source.encoding) differs("encoding", catalog::encoding_name(to.encoding), catalog::encoding_name(source.encoding));
  if (to.collate != source.collate) differs("collation", to.collate, source.collate);
  if (to.ctype != source.ctype) differs("LC_CTYPE", to.ctype, source.ctype);
  auto provider_name = [](char p) { return p == 'i' ? "icu" : "libc"; };
  if (to.provider != source.locale_provider) {
    fail(fmt::format("new locale provider ({}) does not match locale provider of the template database ({})", provider_name(to.provider),
                     provider_name(source.locale_provider)), "locale provider");
  }
  if (to.provider == 'i' && to.icu_locale != source.icu_locale) differs("ICU locale", to.icu_locale, source.icu_locale);
}

}  // namespace

DatabaseOptions read_database_options(const parser::OptionList& options, std::string_view text) {
  DatabaseOptions out;
  struct Place { std::string_view name; const parser::Option** option; };
  const Place places[] = {{"tablespace", &out.tablespace}, {"owner", &out.owner}, {"template", &out.source}, {"encoding", &out.encoding},
                          {"locale", &out.locale}, {"lc_collate", &out.collate}, {"lc_ctype", &out.ctype}, {"icu_locale", &out.icu_locale},
                          {"locale_provider", &out.provider}, {"is_template", &out.is_template}, {"allow_connections", &out.allow_connections},
                          {"connection_limit", &out.connection_limit}, {"collation_version", &out.collation_version}, {"strategy", &out.strategy},
                          {"oid", &out.oid}};
  for (const parser::Option* option : options) {
    if (option->name == "location") {
      warn_location(*option, text);
      continue;
    }
    const Place* place = nullptr;
    for (const Place& p : places) place = p.name == option->name ? &p : place;
    if (place == nullptr) throw SqlError(sqlstate::syntax_error, "option \"{}\" not recognized", option->name).at(option->location);
    take_option(*place->option, *option);
  }
  return out;
}

std::optional<std::string> given(const parser::Option* option) {
  if (option == nullptr || option->value == nullptr) return std::nullopt;
  return parser::option_text(*option);
}

int connection_limit(const parser::Option& option) {
  int limit = option_integer(option);
  if (limit < -1) throw SqlError(sqlstate::invalid_parameter_value, "invalid connection limit: {}", limit);
  return limit;
}

int encoding_option(const parser::Option& option) {
  std::string name = parser::option_text(option);
  if (const auto* c = parser::node_try<parser::Constant>(option.value); c != nullptr && c->type == parser::ConstantKind::integer) {
    if (!catalog::encoding_name(c->integer).empty()) return c->integer;
    throw SqlError(sqlstate::undefined_object, "{} is not a valid encoding code", c->integer).at(option.location);
  }
  int encoding = catalog::encoding_by_name(name);
  if (encoding < 0) throw SqlError(sqlstate::undefined_object, "{} is not a valid encoding name", name).at(option.location);
  return encoding;
}

std::string actual_collation_version(char provider, const std::string& collate) {
  if (provider != 'c' || is_c(collate) || collate.starts_with("C.") || collate.starts_with("c.")) return {};
  return gnu_get_libc_version();
}

DatabaseLocale locale_of_copy(const DatabaseOptions& options, const catalog::DatabaseInfo& source) {
  DatabaseLocale to{source.encoding, source.collate, source.ctype, source.icu_locale, {}, source.locale_provider};
  if (auto name = given(options.locale)) to.collate = to.ctype = *name;
  if (auto name = given(options.collate)) to.collate = *name;
  if (auto name = given(options.ctype)) to.ctype = *name;
  if (given(options.encoding)) to.encoding = encoding_option(*options.encoding);
  if (given(options.provider)) to.provider = provider_of(*options.provider);
  if (to.provider != 'i') to.icu_locale.clear();
  if (auto name = given(options.icu_locale)) {
    if (to.provider != 'i') throw SqlError(sqlstate::invalid_object_definition, "ICU locale cannot be specified unless locale provider is ICU");
    to.icu_locale = *name;
  }
  codeset_of(to.collate);
  codeset_of(to.ctype);
  if (to.provider == 'i' && to.icu_locale.empty()) throw SqlError(sqlstate::invalid_parameter_value, "ICU locale must be specified");
  check_encoding_of_locale(to.encoding, to.ctype, "LC_CTYPE");
  check_encoding_of_locale(to.encoding, to.collate, "LC_COLLATE");
  require_compatible(to, source);
  if (to.encoding != kUtf8) throw_not_supported(fmt::format("database encoding \"{}\"", catalog::encoding_name(to.encoding)));
  if (to.provider == 'i') throw_not_supported("locale provider icu for databases");
  if (auto version = given(options.collation_version)) to.collation_version = *version;
  else to.collation_version = actual_collation_version(to.provider, to.collate);
  return to;
}

}  // namespace hathi::ddl
