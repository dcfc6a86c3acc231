// PREPARE, EXECUTE, DEALLOCATE.

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/lookup.h"
#include "portal.h"
#include "session_statements.h"

namespace hathi::session {

namespace {

std::shared_ptr<CachedStatement> find(Session& session, std::string_view name) {
  auto it = session.statements.find(name);
  if (it == session.statements.end()) throw SqlError(sqlstate::undefined_pstatement, "prepared statement \"{}\" does not exist", name);
  return it->second;
}

// EXECUTE's arguments, coerced to the statement's parameter types.
std::vector<planner::ParameterValue> evaluate_arguments(const CachedStatement& prepared, const parser::ExecuteStatement& statement, std::string_view text,
                                                        const planner::BoundParameters& parameters, Arena& arena) {
  const auto& types = prepared.parameter_types();
  List<nodes::Expr*> args = analyzer::analyze_execute_arguments(statement.args, text, arena, types, statement.name);
  std::vector<planner::ParameterValue> values;
  for (std::size_t i = 0; i < types.size(); ++i) values.push_back({executor::evaluate(args[i], parameters, arena), types[i]});
  return values;
}

}  // namespace

void run_prepare(Session& session, const parser::PrepareStatement& statement, std::string_view text) {
  if (statement.name.empty()) throw SqlError(sqlstate::invalid_pstatement_definition, "invalid statement name: must not be empty");
  Arena arena(512);
  std::vector<Oid> types;
  for (const parser::TypeName* type : statement.types) types.push_back(analyzer::resolve_type(type, text, arena).type);
  auto prepared = std::make_shared<CachedStatement>(text, statement, std::move(types));
  if (session.statements.contains(statement.name)) {
    throw SqlError(sqlstate::duplicate_pstatement, "prepared statement \"{}\" already exists", statement.name);
  }
  prepared->set_name(statement.name);
  session.statements.emplace(std::string(statement.name), std::move(prepared));
}

void run_execute(Session& session, const parser::ExecuteStatement& statement, std::string_view text, const planner::BoundParameters& parameters,
                 executor::RowReceiver& receiver, std::string& tag) {
  std::shared_ptr<CachedStatement> prepared = find(session, statement.name);
  Arena arena(1024);
  std::vector<planner::ParameterValue> values = evaluate_arguments(*prepared, statement, text, parameters, arena);
  Portal portal("");
  portal.define(prepared, values, 0);
  portal.start();
  portal.run(session, 0, receiver, tag);
  portal.release();
}

PlannedExecute plan_execute(Session& session, const parser::ExecuteStatement& statement, std::string_view text, const planner::BoundParameters& parameters,
                            Arena& arena) {
  std::shared_ptr<CachedStatement> prepared = find(session, statement.name);
  PlannedExecute out;
  out.values = evaluate_arguments(*prepared, statement, text, parameters, arena);
  out.plan = prepared->plan_for({out.values, false});
  return out;
}

const TupleDescriptor* execute_row(Session& session, const parser::ExecuteStatement& statement, Arena& arena) {
  auto it = session.statements.find(statement.name);
  if (it == session.statements.end() || it->second->is_empty()) return nullptr;
  if (it->second->is_utility()) return utility_row(session, it->second->raw().node, arena);
  const TupleDescriptor* row = it->second->result_row();
  return row == nullptr ? nullptr : copy_descriptor(*row, arena);
}

void run_deallocate(Session& session, const parser::DeallocateStatement& statement, std::string& tag) {
  if (statement.name.empty()) {
    session.statements.clear();
    tag = "DEALLOCATE ALL";
    return;
  }
  find(session, statement.name);
  session.statements.erase(session.statements.find(statement.name));
}

}  // namespace hathi::session
