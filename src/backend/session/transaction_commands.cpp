// Where transactions begin and end around statements.

#include <chrono>

#include "hathi/buffer/buffer_pool.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/locking/lwlock.h"
#include "hathi/session/activity.h"
#include "hathi/session/session.h"
#include "portal.h"

#include "hathi/transaction/transaction.h"

namespace hathi::session {

namespace {

using parser::TransactionKind;
using transaction::BlockState;

std::int64_t now_microseconds() {
  constexpr std::int64_t kUnixToPostgres = 946684800LL * 1000000;
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count() - kUnixToPostgres;
}

// Words of a mode list into the running transaction.
void apply_modes(const parser::OptionList& modes) {
  for (const parser::Option* mode : modes) {
    std::string value = parser::option_text(*mode);
    config::set(mode->name, mode->name == "transaction_isolation" ? value : (value == "0" ? "off" : "on"), config::Source::session, true,
                catalog::is_superuser(catalog::session_role()));
  }
}

void begin(const parser::TransactionStatement& statement) {
  if (transaction::block_state() == BlockState::in_block) {
    report_warning(sqlstate::active_sql_transaction, "there is already a transaction in progress");
  } else {
    transaction::begin_block();
  }
  apply_modes(statement.modes);
}

// What COMMIT AND CHAIN and ROLLBACK AND CHAIN hand on.
struct Characteristics {
  transaction::Isolation isolation = transaction::isolation();
  bool read_only = transaction::is_read_only();
  bool deferrable = transaction::is_deferrable();
};

void chain(const Characteristics& c) {
  transaction::start();
  transaction::begin_block();
  transaction::set_isolation(c.isolation);
  transaction::set_read_only(c.read_only);
  transaction::set_deferrable(c.deferrable);
}

void commit(Session& session, const parser::TransactionStatement& statement, std::string& tag) {
  Characteristics kept;
  BlockState state = transaction::block_state();
  if (state == BlockState::implicit) {
    if (statement.chain) throw SqlError(sqlstate::no_active_sql_transaction, "COMMIT AND CHAIN can only be used in transaction blocks");
    report_warning(sqlstate::no_active_sql_transaction, "there is no transaction in progress");
  }
  if (state == BlockState::failed) {
    tag = "ROLLBACK";
    drop_portals_at_abort(session);
    transaction::abort();
  } else {
    drop_portals_at_commit(session);
    transaction::commit();
  }
  if (statement.chain) chain(kept);
}

void rollback(Session& session, const parser::TransactionStatement& statement) {
  Characteristics kept;
  if (transaction::block_state() == BlockState::implicit) {
    if (statement.chain) throw SqlError(sqlstate::no_active_sql_transaction, "ROLLBACK AND CHAIN can only be used in transaction blocks");
    report_warning(sqlstate::no_active_sql_transaction, "there is no transaction in progress");
  }
  drop_portals_at_abort(session);
  transaction::abort();
  if (statement.chain) chain(kept);
}

void require_block(std::string_view words) {
  if (transaction::block_state() == BlockState::implicit) {
    throw SqlError(sqlstate::no_active_sql_transaction, "{} can only be used in transaction blocks", words);
  }
}

}  // namespace

void start_command(Session& session) {
  bool begins = !session.in_command;
  // Before start(): a transaction's time is that of its first statement.
  if (begins) transaction::set_statement_timestamp(now_microseconds());
  if (transaction::block_state() == BlockState::none) transaction::start();
  if (begins) {
    session.in_command = true;
    report_activity(ActivityState::active, session.statement_text);
    arm_statement_timeout();
  }
}

void finish_command(Session& session) {
  if (!session.in_command) return;
  disarm_statement_timeout();
  session.in_command = false;
  switch (transaction::block_state()) {
    case BlockState::implicit:
      drop_portals_at_commit(session);
      transaction::commit();
      break;
    case BlockState::in_block: transaction::advance_command(); break;
    default: break;
  }
}

void end_statement(Session& session, const parser::Statement& statement) {
  if (session.is_last_statement || parser::is<parser::TransactionStatement>(statement.node)) finish_command(session);
  else if (transaction::block_state() != BlockState::none) transaction::advance_command();
}

void abort_command(Session& session) {
  disarm_statement_timeout();
  session.in_command = false;
  BlockState state = transaction::block_state();
  if (state == BlockState::in_block || state == BlockState::failed) {
    if (state == BlockState::in_block) transaction::mark_failed();
    fail_portals(session);
  } else {
    drop_portals_at_abort(session);
    if (state == BlockState::implicit) transaction::abort();
  }
}

void require_live_transaction(const parser::Node* statement) {
  if (transaction::block_state() != BlockState::failed) return;
  if (const auto* t = parser::node_try<parser::TransactionStatement>(statement)) {
    if (t->type == TransactionKind::commit || t->type == TransactionKind::rollback || t->type == TransactionKind::rollback_to ||
        t->type == TransactionKind::prepare) {
      return;
    }
  }
  throw SqlError(sqlstate::in_failed_sql_transaction, "current transaction is aborted, commands ignored until end of transaction block");
}

void run_transaction_statement(Session& session, const parser::TransactionStatement& statement, std::string& tag) {
  switch (statement.type) {
    case TransactionKind::begin:
    case TransactionKind::start: begin(statement); return;
    case TransactionKind::commit: commit(session, statement, tag); return;
    case TransactionKind::rollback: rollback(session, statement); return;
    case TransactionKind::savepoint:
      require_block("SAVEPOINT");
      transaction::define_savepoint(statement.savepoint);
      return;
    case TransactionKind::release:
      require_block("RELEASE SAVEPOINT");
      transaction::release_savepoint(statement.savepoint);
      for (auto& [name, portal] : session.portals) {
        if (portal->created_level() > transaction::nesting_level()) portal->move_to_level(transaction::nesting_level());
      }
      return;
    case TransactionKind::rollback_to:
      require_block("ROLLBACK TO SAVEPOINT");
      transaction::rollback_to_savepoint(statement.savepoint);
      drop_portals_above_level(session, transaction::nesting_level());
      return;
    case TransactionKind::prepare:
      if (transaction::block_state() == BlockState::implicit) {
        rollback(session, statement);
        tag = "ROLLBACK";
        return;
      }
      throw_not_supported("two-phase commit");
    case TransactionKind::commit_prepared:
    case TransactionKind::rollback_prepared: throw_not_supported("two-phase commit");
  }
}

}  // namespace hathi::session
