// The loop of a session: wait for a message, serve it, recover from errors.

#include "hathi/buffer/buffer_pool.h"
#include "hathi/config/settings.h"
#include "hathi/locking/lwlock.h"
#include "hathi/session/session.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/statistics/counters.h"
#include "hathi/transaction/transaction.h"
#include "idle.h"

namespace hathi::session {

namespace {

enum class Next : std::uint8_t { go_on, leave };

// Skipped ones too must be of the protocol.
bool is_known(char type) { return std::string_view("QPBDECHSXdcfF").find(type) != std::string_view::npos; }

// Messages of the extended protocol are skipped after an error until Sync.
Next dispatch(Session& session, const protocol::Message& message) {
  protocol::BodyReader body(message.body);
  // An error at Sync (a deferred constraint) or of a function call is followed by ReadyForQuery at once.
  session.extended_message = std::string_view("QXSF").find(message.type) == std::string_view::npos;
  if (session.skip_until_sync && message.type != 'S' && message.type != 'X' && is_known(message.type)) return Next::go_on;
  switch (message.type) {
    case 'Q': {
      std::string_view text = body.string();
      body.expect_end();
      require_valid_utf8(text);
      run_query(session, text);
      send_ready(session);
      return Next::go_on;
    }
    case 'P': handle_parse(session, body); return Next::go_on;
    case 'B': handle_bind(session, body); return Next::go_on;
    case 'D': handle_describe(session, body); return Next::go_on;
    case 'E': handle_execute(session, body); return Next::go_on;
    case 'C': handle_close(session, body); return Next::go_on;
    case 'H':
      body.expect_end();
      session.connection.flush();
      return Next::go_on;
    case 'S':
      session.skip_until_sync = false;
      body.expect_end();
      finish_command(session);
      send_ready(session);
      return Next::go_on;
    case 'X':
      session.connection.discard_output();   // what nobody asked to flush is lost
      return Next::leave;
    case 'd':
    case 'c':
    case 'f': return Next::go_on;   // COPY data that came after an error ended the COPY
    case 'F':
      handle_function_call(session, body);
      send_ready(session);
      return Next::go_on;
    default:
      throw SqlError(sqlstate::protocol_violation, "invalid frontend message type {}", static_cast<int>(static_cast<unsigned char>(message.type)))
          .fatal();
  }
}

// After an error. False when it ends the session.
bool recover(Session& session) {
  ErrorReport report = current_exception_report(session.statement_text);
  bool fatal = report.severity >= Severity::fatal;
  if (fatal) session.end = report.code == sqlstate::admin_shutdown ? Session::End::killed : Session::End::fatal;
  if (report.code == sqlstate::t_r_deadlock_detected) statistics::count(statistics::DatabaseEvent::deadlock);
  HoldInterrupts hold;
  locking::release_all_lwlocks();
  report_to(session, std::move(report));
  try {
    abort_command(session);
  } catch (const std::exception& e) {
    panic(fmt::format("could not abort a transaction: {}", e.what()));
  }
  if (session.lost_synchronization && !fatal) {
    fatal = true;
    session.end = Session::End::fatal;
    report_to(session, SqlError(sqlstate::protocol_violation, "terminating connection because protocol synchronization was lost").fatal().report());
  }
  if (fatal || session.connection.is_lost()) {
    session.connection.flush();
    return false;
  }
  if (session.extended_message) {
    session.skip_until_sync = true;
    session.connection.flush();
  } else {
    send_ready(session);
  }
  return true;
}

}  // namespace

int serve(Session& session) {
  send_ready(session);
  for (;;) {
    try {
      protocol::Message message;
      before_reading(session);
      bool got = session.connection.read_message(message, serve_idle_interrupts);
      after_reading(session);
      if (!got) {
        session.connection.discard_output();
        session.end = Session::End::abandoned;
        break;
      }
      if (dispatch(session, message) == Next::leave) return 0;
      if (session.connection.is_lost()) break;
    } catch (...) {
      if (!recover(session)) break;
    }
  }
  if (session.in_command || transaction::block_state() != transaction::BlockState::none) abort_session_transaction(session);
  return 0;
}

}  // namespace hathi::session
