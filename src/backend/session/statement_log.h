#pragma once
// log_statement, log_duration, log_min_duration_statement and samples, log_connections, log_disconnections.

#include <span>
#include <string_view>

#include "hathi/memory/arena.h"
#include "hathi/parser/ast_statement.h"
#include "hathi/planner/plan.h"
#include "hathi/session/session.h"

namespace hathi::session {

// Before a simple query runs: logs its text when log_statement names a statement like one of its.
void log_query(Session& session, std::string_view text, const List<parser::Statement>& statements);
// Before a portal runs. name: of the prepared statement; parameters are the DETAIL.
void log_execute(Session& session, std::string_view statement, std::string_view portal, bool continues, const parser::StatementNode* node,
                 std::string_view text, std::span<const planner::ParameterValue> parameters);
// After a message was served, with the words before its text: "statement", "parse x", "bind x", "execute x".
void log_duration(Session& session, std::string_view words, std::string_view text, std::span<const planner::ParameterValue> parameters = {});
// Is anything to be measured? A few tests of settings.
bool logs_durations();

// "postgres" at the start of a session, after its login, and at its end.
void log_connection_received(Session& session);
void log_connection_authorized(Session& session, std::string_view application_name);
void log_disconnection(Session& session);

// Facts about this process's connection for log_line_prefix: "[local]" or the address, and the port, "" without one.
struct ConnectionNames { std::string user, database, host, port; };
ConnectionNames& connection_names();
// When this process began to serve its client, in microseconds since 1970.
std::int64_t session_began();
void note_session_began();

}  // namespace hathi::session
