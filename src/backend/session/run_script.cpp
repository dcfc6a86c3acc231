// SQL without a client: initdb's scripts, and tests that have no server.

#include "hathi/error/report.h"
#include "hathi/parser/parser.h"
#include "hathi/session/run_script.h"
#include "hathi/session/session.h"
#include "hathi/transaction/transaction.h"
#include "parse_options.h"
#include "portal.h"
#include "row_sender.h"

namespace hathi::session {

namespace {

void run_one(Session& session, std::string_view text, const parser::Statement& statement, executor::RowReceiver* receiver = nullptr) {
  start_command(session);
  auto prepared = std::make_shared<CachedStatement>(text, statement);
  Portal portal("");
  portal.define(prepared, {}, 0);
  portal.start();
  NullReceiver nobody;
  std::string tag;
  portal.run(session, 0, receiver != nullptr ? *receiver : nobody, tag);
  portal.release();
  end_statement(session, statement);
}

// Calls run(session, statement) for each statement of the text, in a session of its own.
template <class Run>
void for_each_statement(std::string_view text, Run run) {
  Session session(-1);
  Session* outer = current_session();
  set_current_session(&session);
  ScopeExit restore([&] { set_current_session(outer); });
  Arena arena;
  for (const parser::Statement& statement : parser::parse(text, arena, parse_options())) {
    session.statement_text = text;
    session.multi_statement = false;
    run(session, statement);
  }
}

}  // namespace

void run_script(std::string_view text) {
  for_each_statement(text, [&](Session& session, const parser::Statement& statement) {
    try {
      run_one(session, text, statement);
    } catch (SqlError& e) {
      ErrorReport r = current_exception_report(text);
      abort_command(session);
      // A view over a function that does not exist (yet) is left out, not the whole cluster.
      bool missing = r.code == sqlstate::undefined_function || r.code == sqlstate::feature_not_supported || r.code == sqlstate::undefined_table ||
                     r.code == sqlstate::undefined_column || r.code == sqlstate::undefined_schema || r.code == sqlstate::undefined_object;
      if (!missing) throw;
      auto start = static_cast<std::size_t>(statement.start);
      std::string_view shown = text.substr(start, 60);
      log_message("left out: {} … ({})", shown.substr(0, shown.find('\n')), r.message);
    }
  });
}

void run_statements(std::string_view text, executor::RowReceiver* receiver) {
  for_each_statement(text, [&](Session& session, const parser::Statement& statement) {
    try {
      run_one(session, text, statement, receiver);
    } catch (...) {
      abort_command(session);
      if (transaction::is_running()) transaction::abort();   // an open block ends here
      throw;
    }
  });
}

}  // namespace hathi::session
