// DECLARE, FETCH, MOVE, CLOSE.

#include "hathi/transaction/transaction.h"
#include "portal.h"
#include "row_sender.h"
#include "session_statements.h"

namespace hathi::session {

namespace {

int plan_options(int declared) {
  int options = 0;
  if (declared & parser::kCursorBinary) options |= planner::kCursorBinary;
  if (declared & parser::kCursorHold) options |= planner::kCursorHold;
  if (declared & parser::kCursorNoScroll) options |= planner::kCursorNoScroll;
  if (declared & parser::kCursorScroll) options |= planner::kCursorScroll;
  return options | planner::kCursorFastStart;
}

}  // namespace

void run_declare(Session& session, const parser::Statement& whole, const parser::DeclareCursorStatement& statement, std::string_view text, bool top_level,
                 const planner::BoundParameters& parameters) {
  if (statement.name.empty()) throw SqlError(sqlstate::invalid_cursor_name, "invalid cursor name: must not be empty");
  bool in_block = transaction::block_state() == transaction::BlockState::in_block || !top_level || session.multi_statement;
  if ((statement.options & parser::kCursorHold) == 0 && !in_block) {
    throw SqlError(sqlstate::no_active_sql_transaction, "DECLARE CURSOR can only be used in transaction blocks");
  }
  auto prepared = std::make_shared<CachedStatement>(text, whole, statement);
  const nodes::Query* query = prepared->query();
  if (query->has_modifying_cte) {
    throw SqlError(sqlstate::feature_not_supported, "DECLARE CURSOR must not contain data-modifying statements in WITH");
  }
  bool locks_rows = !query->row_marks.empty();
  if (locks_rows && (statement.options & parser::kCursorHold)) {
    throw SqlError(sqlstate::feature_not_supported, "DECLARE CURSOR WITH HOLD ... FOR UPDATE is not supported").detail("Holdable cursors must be READ ONLY.");
  }
  if (locks_rows && (statement.options & parser::kCursorScroll)) {
    throw SqlError(sqlstate::feature_not_supported, "DECLARE SCROLL CURSOR ... FOR UPDATE is not supported").detail("Scrollable cursors must be READ ONLY.");
  }
  prepared->cursor_options = plan_options(statement.options);
  Portal& portal = create_portal(session, statement.name);
  portal.mark_cursor();
  try {
    portal.define(std::move(prepared), parameters.values, plan_options(statement.options));
    portal.start();
  } catch (...) {
    session.portals.erase(std::string(statement.name));
    throw;
  }
}

void run_fetch(Session& session, const parser::FetchStatement& statement, executor::RowReceiver& receiver, std::string& tag) {
  Portal& portal = find_portal(session, statement.cursor, true);
  NullReceiver nobody;
  std::uint64_t count = portal.fetch(session, statement.direction, statement.count, statement.move ? nobody : receiver);
  tag = fmt::format("{} {}", statement.move ? "MOVE" : "FETCH", count);
}

const TupleDescriptor* fetch_row(Session& session, const parser::FetchStatement& statement, Arena& arena) {
  if (statement.move) return nullptr;
  auto it = session.portals.find(statement.cursor);
  if (it == session.portals.end() || it->second->row() == nullptr) return nullptr;
  return copy_descriptor(*it->second->row(), arena);
}

void run_close(Session& session, const parser::CloseStatement& statement, std::string& tag) {
  if (statement.name.empty()) {
    std::erase_if(session.portals, [](const auto& entry) { return entry.second->is_cursor(); });
    tag = "CLOSE CURSOR ALL";
    return;
  }
  find_portal(session, statement.name, true);
  drop_portal(session, statement.name);
  tag = "CLOSE CURSOR";
}

}  // namespace hathi::session
