// SQL without a client: initdb's scripts.

#include "hathi/error/report.h"
#include "hathi/parser/parser.h"
#include "hathi/session/session.h"
#include "hathi/transaction/transaction.h"
#include "parse_options.h"
#include "portal.h"
#include "row_sender.h"

namespace hathi::session {

namespace {

void run_one(Session& session, std::string_view text, const parser::Statement& statement) {
  start_command(session);
  auto prepared = std::make_shared<CachedStatement>(text, statement);
  Portal portal("");
  portal.define(prepared, {}, 0);
  portal.start();
  NullReceiver nobody;
  std::string tag;
  portal.run(session, 0, nobody, tag);
  portal.release();
  finish_command(session);
}

}  // namespace

void run_script(std::string_view text) {
  Session session(-1);
  Session* outer = current_session();
  set_current_session(&session);
  ScopeExit restore([&] { set_current_session(outer); });
  Arena arena;
  for (const parser::Statement& statement : parser::parse(text, arena, parse_options())) {
    session.statement_text = text;
    session.multi_statement = false;
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
  }
}

}  // namespace hathi::session
