// What may stand in which clause, and how messages name the clause.

#include "state.h"

namespace hathi::analyzer {
namespace {

struct ClauseWords {
  std::string_view name;       // the clause itself
  std::string_view plural;     // "… are not allowed in <plural>"; empty: the name
  std::string_view singular;   // "cannot use … in <singular>"; empty: allowed there
};

ClauseWords words(Clause clause) {
  switch (clause) {
    case Clause::none: return {"invalid expression context", "", ""};
    case Clause::other: return {"extension", "", ""};
    case Clause::join_on: return {"JOIN/ON", "JOIN conditions", ""};
    case Clause::join_using: return {"JOIN/USING", "JOIN conditions", ""};
    case Clause::from_subselect: return {"sub-SELECT in FROM", "FROM clause of their own query level", ""};
    case Clause::from_function: return {"function in FROM", "functions in FROM", ""};
    case Clause::where: return {"WHERE", "", ""};
    case Clause::having: return {"HAVING", "", ""};
    case Clause::filter: return {"FILTER", "", ""};
    case Clause::window_partition: return {"window PARTITION BY", "window definitions", ""};
    case Clause::window_order: return {"window ORDER BY", "window definitions", ""};
    case Clause::window_frame_range: return {"window RANGE", "window definitions", ""};
    case Clause::window_frame_rows: return {"window ROWS", "window definitions", ""};
    case Clause::window_frame_groups: return {"window GROUPS", "window definitions", ""};
    case Clause::select_target: return {"SELECT", "", ""};
    case Clause::insert_target: return {"INSERT", "", ""};
    case Clause::update_source:
    case Clause::update_target: return {"UPDATE", "", ""};
    case Clause::merge_when: return {"MERGE WHEN", "MERGE WHEN conditions", ""};
    case Clause::group_by: return {"GROUP BY", "", ""};
    case Clause::order_by: return {"ORDER BY", "", ""};
    case Clause::distinct_on: return {"DISTINCT ON", "", ""};
    case Clause::limit: return {"LIMIT", "", ""};
    case Clause::offset: return {"OFFSET", "", ""};
    case Clause::returning: return {"RETURNING", "", ""};
    case Clause::values:
    case Clause::values_single: return {"VALUES", "", ""};
    case Clause::check_constraint:
    case Clause::domain_check: return {"CHECK", "check constraints", "check constraint"};
    case Clause::column_default:
    case Clause::function_default: return {"DEFAULT", "DEFAULT expressions", "DEFAULT expression"};
    case Clause::index_expression: return {"index expression", "index expressions", "index expression"};
    case Clause::index_predicate: return {"index predicate", "index predicates", "index predicate"};
    case Clause::statistics_expression: return {"statistics expression", "statistics expressions", "statistics expression"};
    case Clause::alter_column_transform: return {"USING", "transform expressions", "transform expression"};
    case Clause::execute_parameter: return {"EXECUTE", "EXECUTE parameters", "EXECUTE parameter"};
    case Clause::trigger_when: return {"WHEN", "trigger WHEN conditions", "trigger WHEN condition"};
    case Clause::policy: return {"POLICY", "policy expressions", ""};
    case Clause::partition_bound: return {"partition bound", "partition bound", "partition bound"};
    case Clause::partition_expression: return {"PARTITION BY", "partition key expressions", "partition key expression"};
    case Clause::call_argument: return {"CALL", "CALL arguments", "CALL argument"};
    case Clause::copy_where: return {"WHERE", "COPY FROM WHERE conditions", "COPY FROM WHERE condition"};
    case Clause::generated_column: return {"GENERATED AS", "column generation expressions", "column generation expression"};
    case Clause::cycle_mark: return {"CYCLE", "", ""};
  }
  return {"", "", ""};
}

std::string_view plural(Clause clause) {
  ClauseWords w = words(clause);
  return w.plural.empty() ? w.name : w.plural;
}

bool is_window_frame(Clause clause) {
  return clause == Clause::window_frame_range || clause == Clause::window_frame_rows || clause == Clause::window_frame_groups;
}

}  // namespace

std::string_view clause_name(Clause clause) { return words(clause).name; }

void check_aggregate_allowed(Clause clause, bool grouping, int location) {
  switch (clause) {
    case Clause::none: case Clause::other: case Clause::having: case Clause::window_partition: case Clause::window_order: case Clause::select_target:
    case Clause::order_by: case Clause::distinct_on: return;
    default: break;
  }
  // Window frames are named one by one here, but together for window functions.
  std::string_view place = is_window_frame(clause) ? clause_name(clause) : plural(clause);
  throw SqlError(sqlstate::grouping_error, "{} are not allowed in {}", grouping ? "grouping operations" : "aggregate functions", place).at(location);
}

void check_window_allowed(Clause clause, int location) {
  switch (clause) {
    case Clause::none: case Clause::other: case Clause::select_target: case Clause::order_by: case Clause::distinct_on: return;
    default: throw SqlError(sqlstate::windowing_error, "window functions are not allowed in {}", plural(clause)).at(location);
  }
}

void check_srf_allowed(ParseState& ps, Expr* last_srf, int location) {
  switch (ps.clause) {
    case Clause::none: case Clause::other: case Clause::window_partition: case Clause::window_order: return;
    case Clause::from_function:
      // The function itself may return a set, its arguments may not.
      if (ps.last_srf != last_srf)
        throw SqlError(sqlstate::feature_not_supported, "set-returning functions must appear at top level of FROM").at(location_of(ps.last_srf));
      return;
    case Clause::select_target: case Clause::insert_target: ps.has_target_srfs = true; return;
    case Clause::order_by: case Clause::group_by: case Clause::distinct_on: case Clause::values_single: ps.has_target_srfs = true; return;
    default:
      throw SqlError(sqlstate::feature_not_supported, "set-returning functions are not allowed in {}", plural(ps.clause)).at(location);
  }
}

void check_sub_link_allowed(Clause clause, int location) {
  std::string_view place = words(clause).singular;
  if (!place.empty()) throw SqlError(sqlstate::feature_not_supported, "cannot use subquery in {}", place).at(location);
}

void check_column_reference_allowed(Clause clause, int location) {
  if (clause == Clause::column_default || clause == Clause::partition_bound)
    throw SqlError(sqlstate::feature_not_supported, "cannot use column reference in {}",
                   clause == Clause::partition_bound ? std::string_view("partition bound expression") : words(clause).singular)
        .at(location);
}

}  // namespace hathi::analyzer
