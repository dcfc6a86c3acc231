// Puts the tables together, and the settings that pg_settings does not show.

#include "store.h"
#include "table.h"

namespace hathi::config {

namespace {

// "15.18" -> "150018".
std::string version_number(std::string_view version) {
  std::size_t dot = version.find('.');
  int major = std::stoi(std::string(version.substr(0, dot)));
  int minor = dot == std::string_view::npos ? 0 : std::stoi(std::string(version.substr(dot + 1)));
  return std::to_string(major * 10000 + minor);
}
const std::string version_number_text = version_number(HATHI_POSTGRESQL_VERSION);

std::string show_seed() { return "unavailable"; }

}  // namespace

const char* const kVersionNumber = version_number_text.c_str();

void define_hidden_settings() {
  // Roles and the random seed are session/'s and types/' business: they install the hooks.
  static const Definition table[] = {
      text("role", "", "Current role.", Context::user, "none", &values::role) | kNoShowAll | kNotInSample | kNoResetAll,
      text("session_authorization", "", "User name of the session.", Context::user, "", &values::session_authorization) | kReport | kNoShowAll | kNotInSample |
          kNoResetAll,
      boolean("is_superuser", "", "Whether the current user is a superuser.", Context::internal, "off", &values::is_superuser) | kReport | kNoShowAll |
          kNotInSample,
      real("seed", "", "Seed of random().", Context::user, Unit::none, "0", -1, 1, nullptr) | kNoShowAll | kNotInSample | kNoResetAll |
          Hooks{nullptr, nullptr, show_seed},
      boolean("default_with_oids", "", "Row identifiers in new tables; always off.", Context::user, "off", nullptr) | kNoShowAll |
          kNotInSample | Hooks{check_with_oids},
      integer("ssl_renegotiation_limit", "", "Never in effect.", Context::user, Unit::none, "0", 0, 0, nullptr) | kNoShowAll |
          kNotInSample,
  };
  define(table);
}

void define_builtin_settings() {
  static bool done = false;
  if (done) return;
  done = true;
  Store::get().by_name.reserve(512);
  define_connection_settings();
  define_logging_settings();
  define_planner_settings();
  define_client_settings();
  define_storage_settings();
  define_other_settings();
  define_hidden_settings();
}

}  // namespace hathi::config
