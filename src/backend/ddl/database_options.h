#pragma once
// What CREATE DATABASE is told, and the locale and encoding that result from it and from the template.

#include <optional>
#include <string>
#include <string_view>

#include "hathi/catalog/lookup.h"
#include "hathi/parser/ast_ddl.h"

namespace hathi::ddl {

// nullptr: not given (or DEFAULT where that means the same).
struct DatabaseOptions {
  const parser::Option *tablespace = nullptr, *owner = nullptr, *source = nullptr, *encoding = nullptr, *locale = nullptr, *collate = nullptr, *ctype = nullptr,
                       *icu_locale = nullptr, *provider = nullptr, *is_template = nullptr, *allow_connections = nullptr, *connection_limit = nullptr,
                       *collation_version = nullptr, *strategy = nullptr, *oid = nullptr;
};
// Sorts the options out. 42601 for unknown ones and repetitions, WARNING for LOCATION.
DatabaseOptions read_database_options(const parser::OptionList& options, std::string_view text);

// A value that is not DEFAULT.
std::optional<std::string> given(const parser::Option* option);
// -1 = no limit; 22023 invalid connection limit.
int connection_limit(const parser::Option& option);
// The encoding by name or number; 42704 when there is none.
int encoding_option(const parser::Option& option);

struct DatabaseLocale {
  int encoding;
  std::string collate, ctype, icu_locale, collation_version;
  char provider;
};
// The locale of a copy of `source`. 42809 for unknown locales, 22023 when encoding, locale and template do not go together.
DatabaseLocale locale_of_copy(const DatabaseOptions& options, const catalog::DatabaseInfo& source);
// The version that the operating system gives the locale's order now; empty: it has none (C).
std::string actual_collation_version(char provider, const std::string& collate);

}  // namespace hathi::ddl
