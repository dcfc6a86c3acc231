// EXPLAIN: plans, for ANALYZE also runs, and sends the text.

#include <algorithm>
#include <chrono>

#include "hathi/analyzer/analyze.h"
#include "hathi/nodes/visit.h"
#include "hathi/planner/explain.h"
#include "hathi/transaction/transaction.h"
#include "parse_options.h"
#include "plan_cache.h"
#include "row_sender.h"
#include "session_statements.h"

namespace hathi::session {

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

bool boolean_option(const parser::Option& option) {
  std::string text = parser::option_text(option);
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (text.empty() || text == "true" || text == "on" || text == "1") return true;
  if (text == "false" || text == "off" || text == "0") return false;
  throw SqlError(sqlstate::syntax_error, "{} requires a Boolean value", option.name);
}

planner::ExplainFormat format_option(const parser::Option& option) {
  std::string text = parser::option_text(option);
  if (text == "text") return planner::ExplainFormat::text;
  if (text == "json") return planner::ExplainFormat::json;
  if (text == "xml") return planner::ExplainFormat::xml;
  if (text == "yaml") return planner::ExplainFormat::yaml;
  throw SqlError(sqlstate::invalid_parameter_value, "unrecognized value for EXPLAIN option \"{}\": \"{}\"", option.name, text).at(option.location);
}

planner::ExplainOptions read_options(const parser::ExplainStatement& statement) {
  planner::ExplainOptions o;
  bool timing_set = false, summary_set = false;
  for (const parser::Option* option : statement.options) {
    if (option->name == "analyze") o.analyze = boolean_option(*option);
    else if (option->name == "verbose") o.verbose = boolean_option(*option);
    else if (option->name == "costs") o.costs = boolean_option(*option);
    else if (option->name == "buffers") o.buffers = boolean_option(*option);
    else if (option->name == "wal") o.wal = boolean_option(*option);
    else if (option->name == "settings") o.settings = boolean_option(*option);
    else if (option->name == "timing") { timing_set = true; o.timing = boolean_option(*option); }
    else if (option->name == "summary") { summary_set = true; o.summary = boolean_option(*option); }
    else if (option->name == "format") o.format = format_option(*option);
    else throw SqlError(sqlstate::syntax_error, "unrecognized EXPLAIN option \"{}\"", option->name).at(option->location);
  }
  if (o.wal && !o.analyze) throw SqlError(sqlstate::invalid_parameter_value, "EXPLAIN option WAL requires ANALYZE");
  if (!timing_set) o.timing = o.analyze;
  if (o.timing && !o.analyze) throw SqlError(sqlstate::invalid_parameter_value, "EXPLAIN option TIMING requires ANALYZE");
  if (!summary_set) o.summary = o.analyze;
  return o;
}

// A plan, run for ANALYZE, as lines.
std::vector<std::string> explain_plan(const planner::PlannedStatement& plan, const planner::BoundParameters& parameters, planner::ExplainOptions& options,
                                      double planning_ms) {
  options.planning_ms = planning_ms;
  executor::ExecutionOptions run_options;
  run_options.instrument = options.analyze;
  run_options.instrument_timing = options.timing;
  run_options.explain_only = !options.analyze;
  executor::Execution execution(plan, parameters, run_options);
  auto start = Clock::now();
  execution.lock_partitions();
  execution.start(transaction::statement_snapshot());
  if (options.analyze) {
    NullReceiver nobody;
    execution.run(nobody, executor::Direction::forward, 0);
    execution.finish();
  }
  options.execution_ms = milliseconds_since(start);
  return planner::explain(plan, &execution, options);
}

void send_lines(const std::vector<std::string>& lines, const planner::ExplainOptions& options, executor::RowReceiver& receiver) {
  Arena arena(1024);
  bool is_null = false;
  auto send = [&](std::string_view text) {
    Datum d = varlena::make(arena, text);
    receiver.receive(&d, &is_null);
  };
  if (options.format == planner::ExplainFormat::text) {
    for (const std::string& line : lines) send(line);
    return;
  }
  std::string all;
  for (const std::string& line : lines) all += (all.empty() ? "" : "\n") + line;
  send(all);
}

}  // namespace

const TupleDescriptor* explain_row(const parser::ExplainStatement& statement, Arena& arena) {
  Oid type = type_oid::text;
  for (const parser::Option* option : statement.options) {
    if (option->name != "format") continue;
    std::string text = parser::option_text(*option);
    if (text == "json") type = type_oid::json;
    if (text == "xml") type = type_oid::xml;
  }
  return text_row({"QUERY PLAN"}, arena, type);
}

void run_explain(Session& session, const parser::Statement& whole, const parser::ExplainStatement& statement, std::string_view text,
                 const planner::BoundParameters& parameters, executor::RowReceiver& receiver) {
  planner::ExplainOptions options = read_options(statement);
  if (const auto* execute = parser::node_try<parser::ExecuteStatement>(statement.query)) {
    Arena arena(1024);
    auto [plan, values] = plan_execute(session, *execute, text, parameters, arena);
    planner::BoundParameters bound{values, false};
    send_lines(explain_plan(*plan->plan, bound, options, 0), options, receiver);
    return;
  }
  Arena arena;
  analyzer::ParameterTypes types;
  for (const planner::ParameterValue& v : parameters.values) types.types.push_back(v.type);
  const parser::StatementNode* target = statement.query;
  if (const auto* as = parser::node_try<parser::CreateTableAsStatement>(target)) target = as->query;
  if (const auto* declare = parser::node_try<parser::DeclareCursorStatement>(target)) target = declare->query;
  nodes::Query* query = analyzer::analyze_node(target, text, arena, types);
  if (query->command == nodes::CommandKind::utility) {
    send_lines({"Utility statements have no plan structure"}, options, receiver);
    return;
  }
  auto start = Clock::now();
  planner::BoundParameters bound = parameters;
  bound.plan_as_constants = true;
  const planner::PlannedStatement* plan = planner::plan(query, bound, 0, arena);
  send_lines(explain_plan(*plan, parameters, options, milliseconds_since(start)), options, receiver);
  (void)whole;
}

}  // namespace hathi::session
