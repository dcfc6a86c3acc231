#include "database_access.h"

#include <signal.h>

#include <string>

#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/transaction/transaction.h"

namespace hathi::ddl {

namespace {

constexpr int kTries = 50, kPauseMilliseconds = 100;
constexpr Oid kSignalBackendRole{4200};
const shmem::WaitEvent kWaitForSessions{"Timeout", "DropDatabase"};

template <class Visit>
void for_other_sessions(Oid database, Visit visit) {
  for (int i = 0; i < shmem::slot_count(); ++i) {
    const shmem::ProcessSlot& slot = shmem::slot(i);
    if (&slot != &shmem::my_slot() && slot.in_use.load() != 0 && slot.database.load() == raw(database)) visit(slot);
  }
}

int count_other_sessions(Oid database) {
  int count = 0;
  for_other_sessions(database, [&](const shmem::ProcessSlot&) { ++count; });
  return count;
}

}  // namespace

Oid lock_database(std::string_view name, locking::LockMode mode) {
  for (;;) {
    auto info = catalog::find_database(name);
    if (!info) return kInvalidOid;
    auto tag = locking::LockTag::object_tag(kInvalidOid, catalog_oid::pg_database, info->oid, 0);
    locking::acquire(transaction::owner(), tag, mode);
    auto again = catalog::find_database(name);
    if (again && again->oid == info->oid) return info->oid;
    locking::release(transaction::owner(), tag, mode);
  }
}

Oid require_database(std::string_view name, locking::LockMode mode) {
  Oid database = lock_database(name, mode);
  if (!is_valid(database)) throw SqlError(sqlstate::undefined_database, "database \"{}\" does not exist", name);
  return database;
}

void require_database_owner(Oid database, std::string_view name) {
  if (!catalog::is_owner(catalog_oid::pg_database, database, catalog::current_role())) catalog::throw_not_owner("database", name);
}

void require_no_other_sessions(Oid database, std::string_view message) {
  int count = 0;
  for (int i = 0; i < kTries; ++i) {
    check_interrupts();
    count = count_other_sessions(database);
    if (count == 0) return;
    shmem::WaitScope wait(kWaitForSessions);
    shmem::my_latch().reset();
    shmem::my_latch().wait(kPauseMilliseconds);
  }
  throw SqlError(sqlstate::object_in_use, "{}", message)
      .detail(count == 1 ? "There is 1 other session using the database." : fmt::format("There are {} other sessions using the database.", count));
}

void terminate_other_sessions(Oid database) {
  Oid role = catalog::current_role();
  for_other_sessions(database, [&](const shmem::ProcessSlot& slot) {
    Oid owner{slot.role.load()};
    if (catalog::is_superuser(owner) && !catalog::is_superuser(role)) {
      throw SqlError(sqlstate::insufficient_privilege, "must be a superuser to terminate superuser process");
    }
    if (!catalog::is_member_of(role, owner) && !catalog::is_member_of(role, kSignalBackendRole)) {
      throw SqlError(sqlstate::insufficient_privilege, "must be a member of the role whose process is being terminated or member of pg_signal_backend");
    }
  });
  for_other_sessions(database, [](const shmem::ProcessSlot& slot) {
    if (int pid = slot.pid.load(); pid > 0) kill(pid, SIGTERM);
  });
}

}  // namespace hathi::ddl
