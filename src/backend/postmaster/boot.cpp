#include "boot.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "hathi/catalog/bootstrap.h"
#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/locking/lock_table.h"
#include "hathi/postmaster/postmaster.h"
#include "hathi/protocol/password.h"
#include "hathi/session/session.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/storage/file.h"
#include "hathi/wal/log.h"
#include "server_init.h"

namespace hathi::postmaster {

namespace {

struct BootOptions {
  catalog::BootstrapOptions cluster;
  bool checksums = true;
};

// The superuser's password comes by standard input, so that no list of processes shows it.
std::string read_password() {
  std::string password;
  char buffer[1024];
  for (ssize_t n; (n = read(STDIN_FILENO, buffer, sizeof buffer)) > 0;) password.append(buffer, static_cast<std::size_t>(n));
  while (!password.empty() && (password.back() == '\n' || password.back() == '\r')) password.pop_back();
  return password;
}

BootOptions read_options(const std::vector<std::pair<std::string, std::string>>& options) {
  BootOptions result;
  catalog::BootstrapOptions& cluster = result.cluster;
  for (const auto& [name, value] : options) {
    if (name == "superuser")
      cluster.superuser = value;
    else if (name == "password")
      cluster.password = protocol::make_scram_verifier(read_password());
    else if (name == "encoding")
      cluster.encoding = value == "SQL_ASCII" ? 0 : 6;
    else if (name == "locale_provider")
      cluster.locale_provider = value == "icu" || value == "i" ? 'i' : 'c';
    else if (name == "lc_collate")
      cluster.collate = value;
    else if (name == "lc_ctype")
      cluster.ctype = value;
    else if (name == "icu_locale")
      cluster.icu_locale = value;
    else if (name == "data_checksums")
      result.checksums = value == "on" || value == "true" || value == "1";
    else
      throw SqlError(sqlstate::syntax_error, "unrecognized option \"{}\" of --boot", name).fatal();
  }
  return result;
}

}  // namespace

int run_boot(const std::string& data_directory, const std::vector<std::pair<std::string, std::string>>& options) {
  BootOptions boot = read_options(options);
  if (chdir(data_directory.c_str()) != 0) {
    throw SqlError(sqlstate::system_error, "could not change directory to \"{}\": {}", data_directory, std::strerror(errno)).fatal();
  }
  lock_data_directory(data_directory);
  storage::set_data_directory(data_directory);
  install_child_signal_handlers();
  shmem::create(server_parts().subsystems, "off");
  shmem::acquire_slot(shmem::ProcessKind::startup);
  wal::bootstrap_log(boot.checksums);
  catalog::bootstrap_cluster(boot.cluster, session::run_script);
  locking::release_all_at_exit();
  shmem::release_slot();
  return 0;
}

}  // namespace hathi::postmaster
