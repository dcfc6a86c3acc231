#pragma once
// One client's session: what lives between its statements. A process has one; code is handed what it needs of it.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hathi/executor/executor.h"
#include "hathi/memory/arena.h"
#include "hathi/parser/ast.h"
#include "hathi/parser/ast_statement.h"
#include "hathi/planner/plan.h"
#include "hathi/error/sql_error.h"
#include "hathi/protocol/connection.h"
#include "hathi/transaction/snapshot.h"

namespace hathi::session {

class CachedStatement;
class Portal;

struct Session {
  explicit Session(int socket) : connection(socket) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  protocol::Connection connection;
  // Prepared statements by name, "" = the unnamed one; portals likewise.
  std::map<std::string, std::shared_ptr<CachedStatement>, std::less<>> statements;
  std::map<std::string, std::shared_ptr<Portal>, std::less<>> portals;

  bool in_command = false;          // start_command() was called and finish_command() not yet
  bool multi_statement = false;     // the running query string has several statements
  bool is_last_statement = true;    // … and this is its last
  bool lost_synchronization = false;  // the client spoke out of turn during COPY: the session ends
  bool skip_until_sync = false;     // an error struck in the extended protocol
  bool extended_message = false;    // the running message belongs to the extended protocol
  std::int32_t cancel_key = 0;
  // Why it ends, for pg_stat_database.
  enum class End : std::uint8_t { normal, abandoned, fatal, killed };
  End end = End::normal;
  std::string_view command_tag;     // of the statement that runs, for the log
  std::string statement_text;       // the running query string, for the log, errors and pg_stat_activity
  // Prepared statements and portals are shared with the catalog views pg_prepared_statements and pg_cursors.
};

// The session of this process; nullptr in auxiliary processes.
Session* current_session();
void set_current_session(Session* session);

// --- the loop and its parts ------------------------------------------------------------------------------------------------
// Serves the connected client until it leaves; returns the process's exit code.
int serve(Session& session);
// A simple Query message: every statement of the text, each through the whole path (run_query.cpp).
void run_query(Session& session, std::string_view text);
// Every statement of the text in a transaction of its own, rows thrown away, without a client (initdb). Errors are thrown.
void run_script(std::string_view text);
// Parse, Bind, Describe, Execute, Close (extended_query.cpp); bodies as received.
void handle_parse(Session& session, protocol::BodyReader body);
void handle_bind(Session& session, protocol::BodyReader body);
void handle_describe(Session& session, protocol::BodyReader body);
void handle_execute(Session& session, protocol::BodyReader body);
void handle_close(Session& session, protocol::BodyReader body);
// FunctionCall, as a command of its own (function_call.cpp).
void handle_function_call(Session& session, protocol::BodyReader body);

// 22021 unless the text is valid UTF-8 without NUL.
void require_valid_utf8(std::string_view text);

// --- transactions around statements (transaction_commands.cpp) ---------------------------------------------------------------
// Starts a transaction when none runs, and the statement's clock.
void start_command(Session& session);
// Ends the statement: commits when outside a block. Called at the end of a simple query's statements and at Sync.
void finish_command(Session& session);
// After one statement of a query string: commits if it was the last, or if it ended the transaction itself; else makes its changes
// visible to the next.
void end_statement(Session& session, const parser::Statement& statement);
// After an error: aborts, or marks the block failed; drops portals that cannot go on.
void abort_command(Session& session);
// BEGIN, COMMIT, ROLLBACK, SAVEPOINT …; tag may become ROLLBACK.
void run_transaction_statement(Session& session, const parser::TransactionStatement& statement, std::string& tag);
// 25P02 unless the statement may run in a failed block.
void require_live_transaction(const parser::Node* statement);
// statement_timeout around a command (signals.cpp).
void arm_statement_timeout();
void disarm_statement_timeout();
// 'I', 'T', 'E' of ReadyForQuery.
char transaction_status();

// --- utility statements (utility.cpp, session_statements.cpp) ----------------------------------------------------------------
// Runs any utility statement: the session's own (SET, SHOW, PREPARE, EXECUTE, DECLARE, FETCH, COPY, EXPLAIN, DISCARD, transactions, …) here, all
// others through ddl::execute. Rows it returns go to receiver. Checks read-only and block rules first.
void run_utility(Session& session, const parser::Statement& statement, std::string_view text, bool top_level,
                 const planner::BoundParameters& parameters, executor::RowReceiver& receiver, std::string& tag);
// Does the statement end its transaction at once, even in a pipeline (transaction control, VACUUM, CREATE DATABASE …)?
bool ends_transaction_now(const parser::Node* node);
// The columns of a utility statement that returns rows (SHOW, EXPLAIN, FETCH, EXECUTE); nullptr when it returns none.
const TupleDescriptor* utility_row(Session& session, const parser::Node* statement, Arena& arena);
// COPY FROM STDIN and TO STDOUT, and from and to files; returns the number of rows.
std::uint64_t run_copy(Session& session, const parser::CopyStatement& statement, const parser::Statement& whole, std::string_view text,
                       const planner::BoundParameters& parameters);

// --- messages to the client (client_messages.cpp) ------------------------------------------------------------------------------
void send_error(Session& session, const ErrorReport& report);       // Error- or NoticeResponse
void send_ready(Session& session);                                   // reported settings that changed, then ReadyForQuery
void send_command_complete(Session& session, std::string_view tag);
// Turns what a catch block holds into a report (bad_alloc and others too), logs and sends it.
void report_exception(Session& session);
// Likewise for a report already made.
void report_to(Session& session, ErrorReport report);
// Inside a catch block: what happened, with the position counted in characters of the statement.
ErrorReport current_exception_report(std::string_view statement_text);
// Writes the report to the server log (log_line_prefix, the statement when log_min_error_statement says so).
void log_report(const Session& session, const ErrorReport& report);
// Sinks for report(): notices to this session's client, lines to the log.
void install_report_sinks();

}  // namespace hathi::session
