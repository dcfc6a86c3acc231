// From a Query to a PlannedStatement.

#include "hathi/planner/plan.h"

#include "query_planner.h"

namespace hathi::planner {

namespace {

template <class T>
std::span<T> keep(Arena& arena, const std::vector<T>& from) {
  T* p = static_cast<T*>(arena.allocate(sizeof(T) * (from.size() + 1), alignof(T)));
  std::uninitialized_copy(from.begin(), from.end(), p);
  return {p, from.size()};
}

}  // namespace

PlannedStatement* plan(Query* query, const BoundParameters& parameters, int cursor_options, Arena& arena) {
  StatementContext s{arena, parameters};
  s.cursor_options = cursor_options;
  auto* out = new (arena.allocate(sizeof(PlannedStatement), alignof(PlannedStatement))) PlannedStatement();
  out->command = query->command;
  out->has_returning = !query->returning.empty();
  out->can_set_tag = query->can_set_tag;
  QueryPlanner top(s, query, nullptr);
  out->plan = top.plan();
  // Names of the output columns are the query's.
  out->has_modifying_cte = s.has_modifying_cte;
  out->is_transient = s.reads_partitions;
  out->range_table = keep(arena, s.ranges);
  remove_trivial_scans(out->plan, arena);
  for (Plan*& p : s.subplans) remove_trivial_scans(p, arena);
  std::vector<Plan*> subplans = s.subplans;
  out->subplans = {keep(arena, subplans).data(), subplans.size()};
  out->subplan_links = {keep(arena, s.subplan_links).data(), s.subplan_links.size()};
  out->exec_param_count = static_cast<int>(s.exec_types.size());
  out->exec_param_types = {keep(arena, s.exec_types).data(), s.exec_types.size()};
  out->result_rtes = {keep(arena, s.result_rtes).data(), s.result_rtes.size()};
  finish_plan(*out, s);
  return out;
}

}  // namespace hathi::planner
