// DISCARD.

#include "hathi/config/settings.h"
#include "hathi/ddl/session_objects.h"
#include "hathi/locking/lock_table.h"
#include "hathi/transaction/transaction.h"
#include "notify.h"
#include "portal.h"
#include "session_statements.h"

namespace hathi::session {

void run_discard(Session& session, const parser::DiscardStatement& statement, bool top_level, std::string& tag) {
  switch (statement.target) {
    case parser::DiscardKind::plans:
      tag = "DISCARD PLANS";
      return;   // plans are checked before each use anyway
    case parser::DiscardKind::sequences:
      ddl::forget_sequence_values();
      tag = "DISCARD SEQUENCES";
      return;
    case parser::DiscardKind::temp:
      ddl::drop_temporary_objects();
      tag = "DISCARD TEMP";
      return;
    case parser::DiscardKind::all: break;
  }
  if (session.multi_statement) throw SqlError(sqlstate::active_sql_transaction, "DISCARD ALL cannot run inside a transaction block");
  if (!top_level || transaction::block_state() == transaction::BlockState::in_block) transaction::require_no_block("DISCARD ALL");
  std::erase_if(session.portals, [](const auto& entry) { return entry.second->state() != PortalState::running; });
  config::reset("session_authorization", true);
  config::reset_all();
  session.statements.clear();
  transaction::session_owner().release_all();
  forget_all_channels();
  ddl::forget_sequence_values();
  ddl::drop_temporary_objects();
  tag = "DISCARD ALL";
}

}  // namespace hathi::session
