// A backend's life: from the fork to the end of its session.

#include "hathi/session/backend_main.h"

#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>

#include "hathi/base/stack.h"
#include "hathi/config/server_settings.h"
#include "hathi/config/settings.h"
#include "hathi/ddl/session_objects.h"
#include "hathi/error/report.h"
#include "hathi/locking/lock_table.h"
#include "hathi/protocol/farewell.h"
#include "hathi/session/activity.h"
#include "hathi/session/session.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/shmem/process_title.h"
#include "hathi/statistics/shared.h"
#include "hathi/transaction/transaction.h"
#include "idle.h"
#include "notify.h"
#include "statement_log.h"
#include "start_up.h"

namespace hathi::session {

namespace {

Session* this_session = nullptr;

int peer_port(int socket);

// Who and where from, for the log's lines.
void note_connection(const Session& session, const StartupRequest& request) {
  protocol::ConnectionFacts facts = connection_facts(session, request);
  ConnectionNames& names = connection_names();
  names.user = request.user;
  names.database = request.database;
  names.host = facts.is_local ? "[local]" : facts.host;
  names.port = facts.is_local ? "" : std::to_string(peer_port(session.connection.socket()));
}

// Runs the parts of start-up, telling the client of a failure. False: the connection is over.
bool start_session(Session& session, StartupRequest& request) {
  try {
    arm_timer(Timer::login, config::values::authentication_timeout * 1000);
    if (!read_startup_request(session, request)) return false;
    note_connection(session, request);
    log_connection_received(session);
    enter_slot(session);
    authenticate(session, request);
    log_connection_authorized(session, request.setting("application_name"));
    open_database(session, request);
    disarm_timer(Timer::login);
    send_session_parameters(session);
    return true;
  } catch (...) {
    ErrorReport report = current_exception_report("");
    if (report.severity < Severity::fatal) report.severity = Severity::fatal;
    report_to(session, std::move(report));
    session.connection.flush();
    return false;
  }
}

int peer_port(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return -1;
  if (address.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
  return ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
}

void count_end(const Session& session) {
  using statistics::DatabaseEvent;
  if (session.end == Session::End::abandoned) statistics::count(DatabaseEvent::session_abandoned);
  if (session.end == Session::End::fatal) statistics::count(DatabaseEvent::session_fatal);
  if (session.end == Session::End::killed) statistics::count(DatabaseEvent::session_killed);
}

// What a session leaves behind is cleaned up whatever happened before.
void end_session(Session& session) {
  HoldInterrupts hold;
  if (!shmem::has_slot()) return;
  session.portals.clear();
  session.statements.clear();
  if (transaction::block_state() != transaction::BlockState::none) abort_session_transaction(session);
  forget_all_channels();
  ddl::drop_temporary_objects_at_exit();
  transaction::session_owner().release_all();
  count_end(session);
  statistics::flush(true);
  end_activity();
  leave_slot();
}

}  // namespace

Session* current_session() { return this_session; }
void set_current_session(Session* session) { this_session = session; }
Session::~Session() = default;

void enter_slot(Session&) { shmem::acquire_slot(shmem::ProcessKind::backend); }

void leave_slot() {
  locking::release_all_at_exit();
  shmem::release_slot();
}

void check_connection_limits(const catalog::DatabaseInfo& database, const catalog::RoleInfo& role, bool superuser) {
  shmem::admit_session(superuser);
  if (superuser) return;
  int in_database = 0, of_role = 0;
  for (int i = 0; i < shmem::slot_count(); ++i) {
    const shmem::ProcessSlot& slot = shmem::slot(i);
    if (slot.in_use.load() == 0 || slot.kind != shmem::ProcessKind::backend || slot.admitted.load() == 0) continue;
    in_database += slot.database.load() == raw(database.oid);
    of_role += slot.role.load() == raw(role.oid);
  }
  if (database.connection_limit >= 0 && in_database > database.connection_limit) {
    throw SqlError(sqlstate::too_many_connections, "too many connections for database \"{}\"", database.name).fatal();
  }
  if (role.connection_limit >= 0 && of_role > role.connection_limit) {
    throw SqlError(sqlstate::too_many_connections, "too many connections for role \"{}\"", role.name).fatal();
  }
}

std::string user_name_of(unsigned int user_id) {
  const passwd* entry = getpwuid(user_id);
  return entry == nullptr ? std::string() : entry->pw_name;
}

void backend_main(int socket) {
  set_stack_base();
  note_session_began();
  install_child_signal_handlers();
  install_report_sinks();
  auto session = std::make_unique<Session>(socket);
  set_current_session(session.get());
  StartupRequest request;
  if (start_session(*session, request)) {
    protocol::ConnectionFacts facts = connection_facts(*session, request);
    begin_activity(facts.is_local ? -1 : peer_port(session->connection.socket()), facts.host);
    protocol::prepare_farewell(session->connection.socket());
    statistics::set_database(catalog::current_database());
    statistics::count(statistics::DatabaseEvent::session);
    report_activity(ActivityState::idle);
    shmem::set_process_title(fmt::format("{} {} {}", request.user, request.database, facts.is_local ? "[local]" : facts.host));
    serve(*session);
    log_disconnection(*session);
  }
  end_session(*session);
  session->connection.flush();
}

}  // namespace hathi::session
