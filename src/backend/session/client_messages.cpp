// Errors, notices, ready and completion messages.

#include <algorithm>
#include <new>

#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/session/activity.h"
#include "hathi/session/session.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/transaction/transaction.h"
#include "notify.h"

namespace hathi::session {

namespace {

void put_field(protocol::Connection& connection, char code, std::string_view text) {
  if (text.empty()) return;
  connection.put_byte(code);
  // A NUL inside would end the field early.
  std::size_t nul = text.find('\0');
  connection.put_string(nul == std::string_view::npos ? text : text.substr(0, nul));
}

std::string sanitized(std::string text) {
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

// Characters from the start of a UTF-8 text up to a byte offset, plus one.
int character_position(std::string_view text, int byte_offset) {
  int count = 1;
  for (int i = 0; i < byte_offset && i < static_cast<int>(text.size()); ++i) {
    if ((static_cast<unsigned char>(text[static_cast<std::size_t>(i)]) & 0xC0) != 0x80) ++count;
  }
  return count;
}

}  // namespace

void send_error(Session& session, const ErrorReport& report) {
  protocol::Connection& c = session.connection;
  c.abandon_message();
  c.begin(report.severity >= Severity::error ? 'E' : 'N');
  std::string_view severity = severity_name(report.severity);
  put_field(c, 'S', severity);
  put_field(c, 'V', severity);
  put_field(c, 'C', report.code.view());
  c.put_byte('M');
  c.put_string(report.message.empty() ? "missing error text" : sanitized(report.message));
  put_field(c, 'D', report.detail);
  put_field(c, 'H', report.hint);
  if (report.position > 0) put_field(c, 'P', std::to_string(report.position));
  if (report.internal_position > 0) put_field(c, 'p', std::to_string(report.internal_position));
  put_field(c, 'q', report.internal_query);
  put_field(c, 'W', report.context);
  put_field(c, 's', report.schema_name);
  put_field(c, 't', report.table_name);
  put_field(c, 'c', report.column_name);
  put_field(c, 'd', report.datatype_name);
  put_field(c, 'n', report.constraint_name);
  c.put_byte('\0');
  c.end();
}

void send_ready(Session& session) {
  protocol::Connection& c = session.connection;
  for (const auto& [name, value] : config::take_reported_changes()) {
    c.begin('S');
    c.put_string(name);
    c.put_string(value);
    c.end();
  }
  char status = transaction_status();
  session.command_tag = {};
  if (status == 'I') send_notifications(session);
  report_activity(status == 'I'   ? ActivityState::idle
                  : status == 'T' ? ActivityState::idle_in_transaction
                                  : ActivityState::idle_in_failed_transaction);
  c.begin('Z');
  c.put_byte(status);
  c.end();
  c.flush();
}

void send_command_complete(Session& session, std::string_view tag) {
  session.connection.begin('C');
  session.connection.put_string(tag);
  session.connection.end();
}

char transaction_status() {
  switch (transaction::block_state()) {
    case transaction::BlockState::in_block: return 'T';
    case transaction::BlockState::failed: return 'E';
    default: return 'I';
  }
}

ErrorReport current_exception_report(std::string_view statement_text) {
  try {
    throw;
  } catch (SqlError& e) {
    ErrorReport r = e.report();
    if (r.position == 0 && e.byte_offset() >= 0) r.position = character_position(statement_text, e.byte_offset());
    return r;
  } catch (const std::bad_alloc&) {
    ErrorReport r;
    r.code = sqlstate::out_of_memory;
    r.message = "out of memory";
    return r;
  } catch (const std::exception& e) {
    ErrorReport r;
    r.message = e.what();
    return r;
  }
}

void report_exception(Session& session) {
  report_to(session, current_exception_report(session.statement_text));
}

void report_to(Session& session, ErrorReport r) {
  // The sinks decide by level; errors always go to the client.
  log_report(session, r);
  if (!session.connection.is_lost()) send_error(session, r);
}

}  // namespace hathi::session
