// The door to utility statements: block and read-only rules, then the session's own statements here, all others in ddl/.

#include "hathi/ddl/utility.h"

#include "hathi/catalog/lookup.h"
#include "hathi/error/report.h"
#include "hathi/session/session.h"
#include "hathi/transaction/transaction.h"
#include "session_statements.h"

namespace hathi::session {

namespace {

using parser::NodeKind;

void check_rules(const Session& session, const parser::Node* node, bool top_level, std::string_view tag) {
  if (!is_session_statement(node) && transaction::is_read_only() && !ddl::is_read_only(node)) transaction::require_writable(tag);
  bool is_alone = top_level && !session.multi_statement && transaction::block_state() == transaction::BlockState::implicit;
  if (parser::is<parser::LockStatement>(node) && is_alone) {
    throw SqlError(sqlstate::no_active_sql_transaction, "LOCK TABLE can only be used in transaction blocks");
  }
  if (parser::is<parser::ConstraintsSetStatement>(node) && is_alone) {
    report_warning(sqlstate::no_active_sql_transaction, "SET CONSTRAINTS can only be used in transaction blocks");
  }
  std::string_view words;
  if (ddl::refuses_block(node, words)) {
    if (transaction::block_state() == transaction::BlockState::in_block || !top_level) transaction::require_no_block(words);
    if (session.multi_statement) throw SqlError(sqlstate::active_sql_transaction, "{} cannot run inside a transaction block", words);
  }
}

}  // namespace

bool ends_transaction_now(const parser::Node* node) {
  std::string_view words;
  return parser::is<parser::TransactionStatement>(node) || ddl::refuses_block(node, words);
}

void run_utility(Session& session, const parser::Statement& statement, std::string_view text, bool top_level,
                 const planner::BoundParameters& parameters, executor::RowReceiver& receiver, std::string& tag) {
  const parser::Node* node = statement.node;
  check_rules(session, node, top_level, tag);
  if (run_session_statement(session, statement, text, top_level, parameters, receiver, tag)) return;
  ddl::UtilityCall call;
  call.statement = &statement;
  call.text = text;
  call.parameters = &parameters;
  call.top_level = top_level;
  call.may_manage_transactions = top_level && !session.multi_statement && transaction::block_state() == transaction::BlockState::implicit;
  ddl::execute(call, tag);
}

}  // namespace hathi::session
