#pragma once
// initdb's options.

#include <string>

namespace hathi::initdb {

struct Options {
  std::string program;               // argv[0]
  std::string data_directory;
  std::string user, system_user;     // the superuser's name; who runs this
  std::string auth_local, auth_host; // as written to pg_hba.conf
  bool warn_about_trust = false;
  std::string encoding;              // as asked for, "" = by locale
  std::string locale, lc_collate, lc_ctype, lc_messages, lc_monetary, lc_numeric, lc_time;
  char locale_provider = 'c';
  std::string icu_locale;
  std::string text_search_config;
  std::string password_file, wal_directory;
  bool prompt_password = false, checksums = true, group_access = false, no_clean = false, no_sync = false, sync_only = false, no_instructions = false,
       show = false, debug = false, encoding_was_given = false, warn_about_text_search = false;
  std::string password;
};

// Reads the command line; ends the program with PostgreSQL's words on errors, --help and --version.
Options parse_options(int argc, char** argv);

// "initdb: error: …" with optional detail and hint lines, then exit(1).
[[noreturn]] void fail(const std::string& message, const std::string& hint = "", const std::string& detail = "");

}  // namespace hathi::initdb
