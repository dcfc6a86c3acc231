#pragma once
// postgres --boot: initdb's server side.

#include <string>
#include <utility>
#include <vector>

namespace hathi::postmaster {

// Makes the cluster in the (existing, otherwise empty but for its configuration files) data directory: log, catalogs, databases. The
// settings are in force. options: superuser, password (read from standard input), encoding, locale_provider, lc_collate, lc_ctype,
// icu_locale, data_checksums. Returns the exit code.
int run_boot(const std::string& data_directory, const std::vector<std::pair<std::string, std::string>>& options);

}  // namespace hathi::postmaster
