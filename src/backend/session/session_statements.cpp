#include "session_statements.h"

#include "hathi/base/builtin_oids.h"
#include "hathi/executor/executor.h"
#include "notify.h"

namespace hathi::session {

using parser::NodeKind;

bool is_session_statement(const parser::Node* node) {
  switch (node->kind) {
    case NodeKind::transaction_statement:
    case NodeKind::variable_set_statement:
    case NodeKind::variable_show_statement:
    case NodeKind::prepare_statement:
    case NodeKind::execute_statement:
    case NodeKind::deallocate_statement:
    case NodeKind::declare_cursor_statement:
    case NodeKind::fetch_statement:
    case NodeKind::close_statement:
    case NodeKind::explain_statement:
    case NodeKind::discard_statement:
    case NodeKind::copy_statement:
    case NodeKind::listen_statement:
    case NodeKind::unlisten_statement:
    case NodeKind::notify_statement: return true;
    default: return false;
  }
}

bool run_session_statement(Session& session, const parser::Statement& statement, std::string_view text, bool top_level,
                           const planner::BoundParameters& parameters, executor::RowReceiver& receiver, std::string& tag) {
  const parser::Node* node = statement.node;
  switch (node->kind) {
    case NodeKind::transaction_statement:
      run_transaction_statement(session, *parser::node_cast<parser::TransactionStatement>(node), tag);
      return true;
    case NodeKind::variable_set_statement: run_set(*parser::node_cast<parser::VariableSetStatement>(node), tag); return true;
    case NodeKind::variable_show_statement: run_show(*parser::node_cast<parser::VariableShowStatement>(node), receiver); return true;
    case NodeKind::prepare_statement: run_prepare(session, *parser::node_cast<parser::PrepareStatement>(node), text); return true;
    case NodeKind::execute_statement:
      run_execute(session, *parser::node_cast<parser::ExecuteStatement>(node), text, parameters, receiver, tag);
      return true;
    case NodeKind::deallocate_statement: run_deallocate(session, *parser::node_cast<parser::DeallocateStatement>(node), tag); return true;
    case NodeKind::declare_cursor_statement:
      run_declare(session, statement, *parser::node_cast<parser::DeclareCursorStatement>(node), text, top_level, parameters);
      return true;
    case NodeKind::fetch_statement: run_fetch(session, *parser::node_cast<parser::FetchStatement>(node), receiver, tag); return true;
    case NodeKind::close_statement: run_close(session, *parser::node_cast<parser::CloseStatement>(node), tag); return true;
    case NodeKind::explain_statement:
      run_explain(session, statement, *parser::node_cast<parser::ExplainStatement>(node), text, parameters, receiver);
      return true;
    case NodeKind::discard_statement: run_discard(session, *parser::node_cast<parser::DiscardStatement>(node), top_level, tag); return true;
    case NodeKind::copy_statement:
      tag = fmt::format("COPY {}", run_copy(session, *parser::node_cast<parser::CopyStatement>(node), statement, text, parameters));
      return true;
    case NodeKind::alter_system_statement:
      run_alter_system(*parser::node_cast<parser::AlterSystemStatement>(node));
      return true;
    case NodeKind::listen_statement: run_listen(parser::node_cast<parser::ListenStatement>(node)->channel); return true;
    case NodeKind::unlisten_statement: run_unlisten(parser::node_cast<parser::UnlistenStatement>(node)->channel); return true;
    case NodeKind::notify_statement: {
      const auto* notify = parser::node_cast<parser::NotifyStatement>(node);
      run_notify(notify->channel, notify->payload);
      return true;
    }
    default: return false;
  }
}

const TupleDescriptor* utility_row(Session& session, const parser::Node* node, Arena& arena) {
  switch (node->kind) {
    case NodeKind::variable_show_statement: return show_row(*parser::node_cast<parser::VariableShowStatement>(node), arena);
    case NodeKind::explain_statement: return explain_row(*parser::node_cast<parser::ExplainStatement>(node), arena);
    case NodeKind::execute_statement: return execute_row(session, *parser::node_cast<parser::ExecuteStatement>(node), arena);
    case NodeKind::fetch_statement: return fetch_row(session, *parser::node_cast<parser::FetchStatement>(node), arena);
    default: return nullptr;
  }
}

const TupleDescriptor* text_row(std::initializer_list<std::string_view> names, Arena& arena, Oid type) {
  TupleDescriptor* row = make_descriptor(arena, static_cast<int>(names.size()));
  std::size_t i = 0;
  for (std::string_view name : names) {
    Attribute& a = row->attributes[i++];
    a.name = arena.copy(name);
    a.type = type;
    a.layout = {-1, false, 'i'};
    a.collation = kDefaultCollation;
    a.storage = 'x';
  }
  row->row_type = type_oid::record;
  finish_descriptor(*row);
  return row;
}

}  // namespace hathi::session
