#include "server_init.h"

#include "hathi/analyzer/deparse.h"
#include "hathi/btree/toast_index.h"
#include "hathi/buffer/buffer_pool.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/startup.h"
#include "hathi/config/server_settings.h"
#include "hathi/ddl/session_objects.h"
#include "hathi/error/report.h"
#include "hathi/executor/executor.h"
#include "hathi/heap/toast.h"
#include "hathi/locking/lock_table.h"
#include "hathi/partition/partition.h"
#include "hathi/protocol/hba.h"
#include "hathi/protocol/password.h"
#include "hathi/session/activity.h"
#include "hathi/session/backend_main.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/statistics/shared.h"
#include "hathi/storage/file.h"
#include "hathi/transaction/process_array.h"
#include "hathi/transaction/transaction.h"
#include "hathi/types/register.h"
#include "hathi/wal/log.h"

namespace hathi::postmaster {

namespace {

// In order of dependence: each may use those before it.
constexpr shmem::Subsystem kSubsystems[] = {
    {"process slots", shmem::process_slots_size, shmem::process_slots_init},
    {"lock table", locking::lock_table_size, locking::lock_table_init},
    {"relation extension slots", locking::extension_slots_size, locking::extension_slots_init},
    {"statistics", statistics::shared_size, statistics::shared_init},
    {"pending syncs", storage::pending_sync_size, storage::pending_sync_init},
    {"write-ahead log", wal::wal_shared_size, wal::wal_shared_init},
    {"buffer pool", buffer::pool_size, buffer::pool_init},
    {"transactions", transaction::shared_size, transaction::shared_init},
    {"catalog versions", catalog::shared_size, catalog::shared_init},
    {"activity", session::activity_size, session::activity_init},
    {"notifications", session::notify_queue_size, session::notify_queue_init},
};

void load_hba_rules() {
  if (protocol::load_hba(config::values::hba_file, protocol::hba_rules())) return;
  throw SqlError(sqlstate::config_file_error, "could not load {}", config::values::hba_file).fatal();
}

// In a backend that waits for its client: what a login reads.
void warm_up_backend() {
  try {
    shmem::acquire_slot(shmem::ProcessKind::backend);
    transaction::start();
    catalog::find_role_by_name("postgres");
    catalog::find_database("postgres");
    transaction::commit();
  } catch (const SqlError&) {
    if (transaction::is_running()) transaction::abort();
  }
  if (!shmem::has_slot()) return;
  locking::release_all_at_exit();
  shmem::release_slot();
}

constexpr const char* kStatisticsFile = "pg_stat/statistics";

void recover() {
  wal::startup_recover();
  statistics::load(kStatisticsFile);
}

// The last process to leave writes the statistics down.
void run_checkpointer() {
  wal::checkpointer_main();
  statistics::save(kStatisticsFile);
}

const ServerParts kParts{
    kSubsystems,           load_hba_rules, recover, run_checkpointer, wal::wal_writer_main, wal::background_writer_main,
    session::backend_main, warm_up_backend};

// Sets up OpenSSL once for all, and the secret from which unknown roles get their salts.
void warm_up_cryptography() {
  protocol::make_scram_verifier("warm-up");
  protocol::ScramExchange exchange(std::nullopt, "warm-up");
  exchange.first("n,,n=,r=warm-up");
}

}  // namespace

void initialise_server() {
  static bool done = false;
  if (done) return;
  done = true;
  types::register_all();
  analyzer::register_functions();
  catalog::register_catalog_functions();
  partition::register_functions();
  analyzer::register_functions();
  session::register_session_functions();
  transaction::register_functions();
  heap::register_detoast();
  btree::register_toast_index();
  catalog::initialize();
  partition::install();
  executor::install_constraint_hooks();
  ddl::register_session_hooks();
  session::install_setting_hooks();
  warm_up_cryptography();
}

const ServerParts& server_parts() { return kParts; }

}  // namespace hathi::postmaster
