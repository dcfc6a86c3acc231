#pragma once
// The statements that concern the session itself, one function each.

#include <string>
#include <string_view>

#include "hathi/session/session.h"
#include "plan_cache.h"

namespace hathi::session {

bool is_session_statement(const parser::Node* node);
// False when the statement is not the session's.
bool run_session_statement(Session& session, const parser::Statement& statement, std::string_view text, bool top_level,
                           const planner::BoundParameters& parameters, executor::RowReceiver& receiver, std::string& tag);

// variables.cpp
void run_set(const parser::VariableSetStatement& statement, std::string& tag);
// alter_system.cpp
void run_alter_system(const parser::AlterSystemStatement& statement);
void run_show(const parser::VariableShowStatement& statement, executor::RowReceiver& receiver);
const TupleDescriptor* show_row(const parser::VariableShowStatement& statement, Arena& arena);

// prepared_statements.cpp
void run_prepare(Session& session, const parser::PrepareStatement& statement, std::string_view text);
void run_execute(Session& session, const parser::ExecuteStatement& statement, std::string_view text, const planner::BoundParameters& parameters,
                 executor::RowReceiver& receiver, std::string& tag);
const TupleDescriptor* execute_row(Session& session, const parser::ExecuteStatement& statement, Arena& arena);
// EXPLAIN EXECUTE: the plan with the arguments' values.
struct PlannedExecute {
  std::shared_ptr<PlanMemory> plan;
  std::vector<planner::ParameterValue> values;
};
PlannedExecute plan_execute(Session& session, const parser::ExecuteStatement& statement, std::string_view text, const planner::BoundParameters& parameters,
                            Arena& arena);
void run_deallocate(Session& session, const parser::DeallocateStatement& statement, std::string& tag);

// cursors.cpp
void run_declare(Session& session, const parser::Statement& whole, const parser::DeclareCursorStatement& statement, std::string_view text, bool top_level,
                 const planner::BoundParameters& parameters);
void run_fetch(Session& session, const parser::FetchStatement& statement, executor::RowReceiver& receiver, std::string& tag);
const TupleDescriptor* fetch_row(Session& session, const parser::FetchStatement& statement, Arena& arena);
void run_close(Session& session, const parser::CloseStatement& statement, std::string& tag);

// explain_statement.cpp
void run_explain(Session& session, const parser::Statement& whole, const parser::ExplainStatement& statement, std::string_view text,
                 const planner::BoundParameters& parameters, executor::RowReceiver& receiver);
const TupleDescriptor* explain_row(const parser::ExplainStatement& statement, Arena& arena);

// discard.cpp
void run_discard(Session& session, const parser::DiscardStatement& statement, bool top_level, std::string& tag);

// A descriptor of text columns.
const TupleDescriptor* text_row(std::initializer_list<std::string_view> names, Arena& arena, Oid type);

}  // namespace hathi::session
