#pragma once
// initdb's server side: the databases template1, template0 and postgres from nothing.

#include <string>
#include <string_view>

#include "hathi/base/ids.h"

namespace hathi::catalog {

struct BootstrapOptions {
  std::string superuser = "postgres";
  std::string password;              // as pg_authid.rolpassword stores it (a SCRAM verifier), "" = none
  int encoding = 6;                  // UTF8
  char locale_provider = 'c';        // c libc, i ICU
  std::string collate = "C", ctype = "C", icu_locale;
};

// Runs one script of SQL statements in the current transaction's place (session/ supplies it): each statement in a transaction of
// its own or all in one, as it likes. Errors are thrown.
using RunSql = void (*)(std::string_view script);

// Fills the data directory (the working directory, with global/, base/ and the log made by wal::bootstrap_log()). The process is alone,
// has a slot, all functions are registered and initialize() was called; no transaction is running. run_sql may be null: then the system
// views and information_schema are missing. Ends with a shutdown checkpoint and everything on disk (synced if the setting fsync is on).
void bootstrap_cluster(const BootstrapOptions& options, RunSql run_sql);

// The scripts that run_sql is given, for tests: what is made after the catalogs themselves.
std::string_view system_views_script();
std::string_view information_schema_script();

}  // namespace hathi::catalog
