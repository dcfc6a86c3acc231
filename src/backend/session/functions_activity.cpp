// Functions behind pg_stat_activity, and those that signal other processes.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>

#include "functions_session.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/locking/lock_table.h"
#include "hathi/session/activity.h"
#include "hathi/session/session.h"
#include "hathi/shmem/image.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/statistics/counters.h"
#include "hathi/transaction/process_array.h"
#include "hathi/transaction/transaction.h"
#include "notify.h"
#include "row_writer.h"

namespace hathi::session {

namespace {

using shmem::ProcessKind;
using shmem::ProcessSlot;

constexpr Oid kReadAllStatistics{3375}, kSignalBackend{4200};  // pg_read_all_stats, pg_signal_backend

// Processes that are shown: those in the middle of a login are not there yet.
bool is_shown(const ProcessSlot& slot) {
  return slot.in_use.load(std::memory_order_acquire) != 0 && (slot.kind != ProcessKind::backend || slot.admitted.load() != 0);
}

const ProcessSlot* find_slot(std::int32_t pid) {
  for (int i = 0; i < shmem::slot_count(); ++i) {
    const ProcessSlot& slot = shmem::slot(i);
    if (is_shown(slot) && slot.pid.load() == pid) return &slot;
  }
  return nullptr;
}

bool may_see(const ProcessSlot& slot) {
  Oid role = catalog::current_role();
  return catalog::is_superuser(role) || catalog::is_member_of(role, Oid{slot.role.load()}) ||
         catalog::is_member_of(role, kReadAllStatistics);
}

void write_nulls(RowWriter& row, int count) {
  for (int i = 0; i < count; ++i) row.null();
}

Datum inet_value(Arena& arena, const std::string& address) {
  constexpr Oid kInetIn{910};
  return call_function(kInetIn, arena, {Datum::of(static_cast<const void*>(arena.copy(address).data()))});
}

void write_address(RowWriter& row, const std::string& address) {
  if (address.empty()) row.null();
  else row.value(inet_value(row.arena(), address));
}

// What only the role itself and those who may read all statistics see.
void write_details(RowWriter& row, const ProcessSlot& slot, const Activity& activity, bool has_activity) {
  bool tracked = has_activity && activity.state != ActivityState::undefined;
  row.text_or_null(activity_state_name(activity.state));
  if (slot.kind == ProcessKind::backend)
    row.text(activity.query);
  else
    row.text("");
  const shmem::WaitEvent* event = slot.wait_event.load(std::memory_order_relaxed);
  // An idle backend waits for its client.
  static constexpr shmem::WaitEvent kClientRead{"Client", "ClientRead"};
  if (event == nullptr && tracked && activity.state != ActivityState::active) event = &kClientRead;
  if (event != nullptr)
    row.text(event->type).text(event->name);
  else
    row.null().null();
  row.time(activity.transaction_start).time(activity.query_start).time(activity.backend_start).time(activity.state_change);
  write_address(row, activity.client_address);
  row.null();  // client_hostname: names are not looked up
  if (slot.kind == ProcessKind::backend)
    row.value(Datum::of(std::int32_t{activity.client_port}));
  else
    row.null();
}

void write_activity(RowWriter& row, const ProcessSlot& slot) {
  Activity activity;
  bool has_activity = read_activity(slot.number, activity);
  row.oid_or_null(slot.database.load()).value(Datum::of(slot.pid.load())).oid_or_null(slot.role.load());
  row.text(has_activity ? activity.application_name : "");
  bool visible = may_see(slot);
  if (visible) {
    write_details(row, slot, activity, has_activity);
  } else {
    row.null().text("<insufficient privilege>");
    write_nulls(row, 9);
  }
  transaction::SlotTransaction t = transaction::slot_transaction(slot.number);
  if (is_normal(t.xid))
    row.value(Datum::of(static_cast<std::uint32_t>(t.xid.value())));
  else
    row.null();
  if (is_normal(t.xmin))
    row.value(Datum::of(static_cast<std::uint32_t>(t.xmin.value())));
  else
    row.null();
  if (visible)
    row.text(shmem::process_kind_name(slot.kind));
  else
    row.null();
  row.value(Datum::of(false));  // ssl …
  write_nulls(row, 6);
  row.value(Datum::of(false)).null().value(Datum::of(false));  // gss …
  row.null().null();                                           // leader_pid, query_id
  row.put();
}

Datum get_activity(FunctionCall& call) {
  RowWriter row(call);
  for (int i = 0; i < shmem::slot_count(); ++i) {
    const ProcessSlot& slot = shmem::slot(i);
    if (!is_shown(slot)) continue;
    if (!call.arg_null(0) && slot.pid.load() != call.arg(0).as_int32()) continue;
    write_activity(row, slot);
  }
  return Datum();
}

// --- one value of a backend, by its number ------------------------------------------------------------------------------------

Datum backend_idset(FunctionCall& call) {
  RowWriter row(call);
  for (int i = 0; i < shmem::slot_count(); ++i) {
    if (is_shown(shmem::slot(i))) row.value(Datum::of(std::int32_t{i + 1})).put();
  }
  return Datum();
}

const ProcessSlot* backend_by_number(FunctionCall& call) {
  int number = call.arg(0).as_int32() - 1;
  if (number < 0 || number >= shmem::slot_count()) return nullptr;
  const ProcessSlot& slot = shmem::slot(number);
  return is_shown(slot) ? &slot : nullptr;
}

Datum backend_pid_of(FunctionCall& call) {
  const ProcessSlot* slot = backend_by_number(call);
  return slot == nullptr ? call.null() : Datum::of(slot->pid.load());
}
Datum backend_database(FunctionCall& call) {
  const ProcessSlot* slot = backend_by_number(call);
  return slot == nullptr ? call.null() : Datum::of(Oid{slot->database.load()});
}
Datum backend_user(FunctionCall& call) {
  const ProcessSlot* slot = backend_by_number(call);
  return slot == nullptr ? call.null() : Datum::of(Oid{slot->role.load()});
}
Datum backend_query(FunctionCall& call) {
  const ProcessSlot* slot = backend_by_number(call);
  if (slot == nullptr) return varlena::make(call.arena(), "<backend information not available>");
  if (!may_see(*slot)) return varlena::make(call.arena(), "<insufficient privilege>");
  Activity activity;
  read_activity(slot->number, activity);
  return varlena::make(call.arena(), activity.query);
}

template <auto Member>
Datum backend_time(FunctionCall& call) {
  const ProcessSlot* slot = backend_by_number(call);
  Activity activity;
  if (slot == nullptr || !may_see(*slot) || !read_activity(slot->number, activity) || activity.*Member == 0) return call.null();
  return Datum::of(activity.*Member);
}
Datum backend_client_address(FunctionCall& call) {
  const ProcessSlot* slot = backend_by_number(call);
  Activity activity;
  if (slot == nullptr || !may_see(*slot) || !read_activity(slot->number, activity) || activity.client_address.empty()) return call.null();
  return inet_value(call.arena(), activity.client_address);
}
Datum backend_client_port(FunctionCall& call) {
  const ProcessSlot* slot = backend_by_number(call);
  Activity activity;
  if (slot == nullptr || !may_see(*slot) || !read_activity(slot->number, activity)) return call.null();
  return Datum::of(std::int32_t{activity.client_port});
}
template <auto Member>
Datum backend_wait_event(FunctionCall& call) {
  const ProcessSlot* slot = backend_by_number(call);
  if (slot == nullptr) return varlena::make(call.arena(), "<backend information not available>");
  if (!may_see(*slot)) return varlena::make(call.arena(), "<insufficient privilege>");
  const shmem::WaitEvent* event = slot->wait_event.load(std::memory_order_relaxed);
  return event == nullptr ? call.null() : varlena::make(call.arena(), event->*Member);
}

// --- this connection ------------------------------------------------------------------------------------------------------------

Datum own_address(FunctionCall& call, bool of_server, bool port) {
  const Session* session = current_session();
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (session == nullptr) return call.null();
  int socket = session->connection.socket();
  if ((of_server ? getsockname(socket, generic, &size) : getpeername(socket, generic, &size)) != 0) return call.null();
  char text[INET6_ADDRSTRLEN] = "";
  int number = 0;
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    number = ntohs(v4.sin_port);
  } else if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    number = ntohs(v6.sin6_port);
  } else {
    return call.null();
  }
  return port ? Datum::of(std::int32_t{number}) : inet_value(call.arena(), text);
}
Datum client_address(FunctionCall& call) { return own_address(call, false, false); }
Datum client_port(FunctionCall& call) { return own_address(call, false, true); }
Datum server_address(FunctionCall& call) { return own_address(call, true, false); }
Datum server_port(FunctionCall& call) { return own_address(call, true, true); }

// --- signals ------------------------------------------------------------------------------------------------------------------

bool signal_backend(std::int32_t pid, int number, bool terminate) {
  const ProcessSlot* slot = find_slot(pid);
  if (slot == nullptr) {
    report_warning(sqlstate::warning, "PID {} is not a PostgreSQL backend process", pid);
    return false;
  }
  Oid me = catalog::current_role(), other{slot->role.load()};
  if (!catalog::is_superuser(me)) {
    if (!is_valid(other) || catalog::is_superuser(other)) {
      throw SqlError(sqlstate::insufficient_privilege, "{}",
                     terminate ? "must be a superuser to terminate superuser process" : "must be a superuser to cancel superuser query");
    }
    if (!catalog::is_member_of(me, other) && !catalog::is_member_of(me, kSignalBackend)) {
      throw SqlError(sqlstate::insufficient_privilege, "must be a member of the role whose {} or member of pg_signal_backend",
                     terminate ? "process is being terminated" : "query is being canceled");
    }
  }
  if (kill(pid, number) == 0) return true;
  report_warning(sqlstate::warning, "could not send signal to process {}: {}", pid, std::strerror(errno));
  return false;
}

Datum cancel_backend(FunctionCall& call) { return Datum::of(signal_backend(call.arg(0).as_int32(), SIGINT, false)); }

bool wait_for_end(std::int32_t pid, std::int64_t milliseconds) {
  for (std::int64_t waited = 0; waited < milliseconds; waited += 10) {
    if (kill(pid, 0) != 0 && errno == ESRCH) return true;
    shmem::my_latch().wait(10);
    shmem::my_latch().reset();
    check_interrupts();
  }
  return kill(pid, 0) != 0 && errno == ESRCH;
}

Datum terminate_backend(FunctionCall& call) {
  std::int32_t pid = call.arg(0).as_int32();
  std::int64_t timeout = call.arg(1).as_int64();
  if (timeout < 0) throw SqlError(sqlstate::numeric_value_out_of_range, "\"timeout\" must not be negative");
  bool sent = signal_backend(pid, SIGTERM, true);
  if (!sent || timeout == 0) return Datum::of(sent);
  if (wait_for_end(pid, timeout)) return Datum::of(true);
  report_warning(sqlstate::warning, "backend with PID {} did not terminate within {} milliseconds", pid, timeout);
  return Datum::of(false);
}

Datum reload_configuration(FunctionCall&) {
  if (kill(getppid(), SIGHUP) == 0) return Datum::of(true);
  report_warning(sqlstate::warning, "failed to send signal to postmaster: {}", std::strerror(errno));
  return Datum::of(false);
}

Datum rotate_log_file(FunctionCall&) {
  report_warning(sqlstate::warning, "rotation not possible because log collection not active");
  return Datum::of(false);
}

Datum server_start_time(FunctionCall&) { return Datum::of(shmem::server_start_time()); }
Datum configuration_load_time(FunctionCall&) { return Datum::of(config::load_time()); }
// Statistics are read afresh each time.
Datum clear_snapshot(FunctionCall& call) { return call.null(); }

void count_transaction(transaction::Event event) {
  if (event == transaction::Event::pre_commit) return;
  bool commit = event == transaction::Event::commit;
  statistics::count(commit ? statistics::DatabaseEvent::commit : statistics::DatabaseEvent::rollback);
  statistics::at_end_of_transaction(commit);
}

constexpr BuiltinFunction kFunctions[] = {
    {Oid{2022}, get_activity, FunctionKind::set_materialize},
    {Oid{1936}, backend_idset, FunctionKind::set_materialize},
    {Oid{1937}, backend_pid_of},
    {Oid{1938}, backend_database},
    {Oid{1939}, backend_user},
    {Oid{1940}, backend_query},
    {Oid{2196}, client_address},
    {Oid{2197}, client_port},
    {Oid{2198}, server_address},
    {Oid{2199}, server_port},
    {Oid{1391}, backend_time<&Activity::backend_start>},
    {Oid{1392}, backend_client_address},
    {Oid{1393}, backend_client_port},
    {Oid{2094}, backend_time<&Activity::query_start>},
    {Oid{2857}, backend_time<&Activity::transaction_start>},
    {Oid{2788}, backend_wait_event<&shmem::WaitEvent::type>},
    {Oid{2853}, backend_wait_event<&shmem::WaitEvent::name>},
    {Oid{2171}, cancel_backend},
    {Oid{2096}, terminate_backend},
    {Oid{2621}, reload_configuration},
    {Oid{2622}, rotate_log_file},
    {Oid{2560}, server_start_time},
    {Oid{2034}, configuration_load_time},
    {Oid{2230}, clear_snapshot},
};

}  // namespace

std::span<const BuiltinFunction> activity_functions() { return kFunctions; }

void register_session_functions() {
  register_functions(settings_functions());
  register_functions(lock_functions());
  register_functions(log_functions());
  register_functions(activity_functions());
  register_functions(notify_functions());
  register_functions(statement_functions());
  register_functions(statistics_functions());
  transaction::register_hook(count_transaction);
  register_notify_hooks();
  install_cursor_hooks();
}

}  // namespace hathi::session
