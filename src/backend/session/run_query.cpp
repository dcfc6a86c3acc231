// A statement's whole path for a simple Query message: parse, then for each statement analyze, plan, execute, send.
// The extended protocol (extended_query.cpp) walks the same steps, split over Parse, Bind and Execute.

#include "hathi/parser/parser.h"
#include "hathi/session/session.h"
#include "hathi/transaction/transaction.h"
#include "parse_options.h"
#include "portal.h"
#include "row_sender.h"
#include "statement_log.h"

namespace hathi::session {

namespace {

// One statement of the text. Its transaction has started.
void run_statement(Session& session, std::string_view text, const parser::Statement& statement) {
  session.command_tag = parser::command_tag(statement.node);
  auto prepared = std::make_shared<CachedStatement>(text, statement);   // analyze
  auto portal = std::make_shared<Portal>("");
  session.portals.insert_or_assign("", portal);
  portal->define(prepared, {}, 0);
  portal->start();                                                      // plan, snapshot
  RowSender sender(session.connection, {});
  if (portal->row() != nullptr) sender.describe_first(portal->targets());
  std::string tag;
  portal->run(session, 0, sender, tag);                                 // execute, send
  drop_portal(session, "");
  end_statement(session, statement);
  send_command_complete(session, tag);
}

}  // namespace

void run_query(Session& session, std::string_view text) {
  session.statement_text = text;
  session.command_tag = {};
  start_command(session);
  session.statements.erase("");
  Arena arena;
  List<parser::Statement> statements = parser::parse(text, arena, parse_options());
  if (statements.empty()) {
    finish_command(session);
    session.connection.begin('I');
    session.connection.end();
    return;
  }
  log_query(session, text, statements);
  session.multi_statement = statements.size() > 1;
  for (const parser::Statement& statement : statements) {
    start_command(session);
    require_live_transaction(statement.node);
    session.is_last_statement = &statement == statements.end() - 1;
    run_statement(session, text, statement);
  }
  finish_command(session);
  log_duration(session, "statement", text);
}

}  // namespace hathi::session
