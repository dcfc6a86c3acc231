// FOR UPDATE, FOR SHARE and their weaker forms.

#include "state.h"

namespace hathi::analyzer {
namespace {

void add_row_mark(ParseState& ps, Query* query, int rte, const ast::LockingClause* clause, bool pushed_down) {
  query->has_row_marks = query->has_row_marks || !pushed_down;
  auto strength = static_cast<std::uint8_t>(clause->strength);
  auto wait = static_cast<std::uint8_t>(clause->wait);
  for (RowMark* mark : query->row_marks) {
    if (mark->rte != rte) continue;
    // Several clauses for one table: the strongest lock, the least waiting.
    mark->strength = std::max(mark->strength, strength);
    mark->wait_policy = std::max(mark->wait_policy, wait);
    mark->pushed_down = mark->pushed_down && pushed_down;
    return;
  }
  auto* mark = ps.arena.make<RowMark>();
  mark->rte = rte;
  mark->strength = strength;
  mark->wait_policy = wait;
  mark->pushed_down = pushed_down;
  query->row_marks.push_back(ps.arena, mark);
}

void lock_entry(ParseState& ps, Query* query, int number, const ast::LockingClause* clause, bool pushed_down) {
  RangeTableEntry* rte = query->range_table[static_cast<std::size_t>(number - 1)];
  if (rte->kind == RteKind::relation) {
    add_row_mark(ps, query, number, clause, pushed_down);
    rte->required |= kAclUpdate;
  } else if (rte->kind == RteKind::subquery) {
    add_row_mark(ps, query, number, clause, pushed_down);
    ast::LockingClause all = *clause;
    all.relations = {};
    transform_locking(ps, rte->subquery, &all, true);
  }
}

std::string_view refused_kind(RteKind kind) {
  switch (kind) {
    case RteKind::join: return "a join";
    case RteKind::function: return "a function";
    case RteKind::values: return "VALUES";
    case RteKind::cte: return "a WITH query";
    default: return {};
  }
}

}  // namespace

std::string_view locking_name(ast::LockStrength strength) {
  switch (strength) {
    case ast::LockStrength::key_share: return "FOR KEY SHARE";
    case ast::LockStrength::share: return "FOR SHARE";
    case ast::LockStrength::no_key_update: return "FOR NO KEY UPDATE";
    case ast::LockStrength::update: return "FOR UPDATE";
  }
  return "FOR UPDATE";
}

void check_select_locking(const Query* query, ast::LockStrength strength) {
  std::string_view what;
  if (query->set_operations != nullptr) what = "UNION/INTERSECT/EXCEPT";
  else if (!query->distinct.empty()) what = "DISTINCT clause";
  else if (!query->group_by.empty() || !query->grouping_sets.empty()) what = "GROUP BY clause";
  else if (query->having != nullptr) what = "HAVING clause";
  else if (query->has_aggregates) what = "aggregate functions";
  else if (query->has_windows) what = "window functions";
  else if (query->has_target_srfs) what = "set-returning functions in the target list";
  else return;
  throw SqlError(sqlstate::feature_not_supported, "{} is not allowed with {}", locking_name(strength), what);
}

void transform_locking(ParseState& ps, Query* query, const ast::LockingClause* clause, bool pushed_down) {
  check_select_locking(query, clause->strength);
  if (clause->relations.empty()) {
    for (std::uint32_t i = 0; i < query->range_table.size(); ++i)
      if (query->range_table[i]->in_from) lock_entry(ps, query, static_cast<int>(i + 1), clause, pushed_down);
    return;
  }
  for (const ast::RangeVar* name : clause->relations) {
    if (!name->catalog.empty() || !name->schema.empty())
      throw SqlError(sqlstate::syntax_error, "{} must specify unqualified relation names", locking_name(clause->strength)).at(name->location);
    bool found = false;
    for (std::uint32_t i = 0; i < query->range_table.size() && !found; ++i) {
      const RangeTableEntry* rte = query->range_table[i];
      if (!rte->in_from || rte->name != name->name) continue;
      if (rte->kind == RteKind::join && !rte->has_alias) continue;
      found = true;
      std::string_view refused = refused_kind(rte->kind);
      if (!refused.empty())
        throw SqlError(sqlstate::feature_not_supported, "{} cannot be applied to {}", locking_name(clause->strength), refused).at(name->location);
      lock_entry(ps, query, static_cast<int>(i + 1), clause, pushed_down);
    }
    if (!found)
      throw SqlError(sqlstate::undefined_table, "relation \"{}\" in {} clause not found in FROM clause", name->name, locking_name(clause->strength))
          .at(name->location);
  }
}

}  // namespace hathi::analyzer
