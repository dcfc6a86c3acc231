// SELECT and VALUES, and what all statements share.

#include "state.h"

namespace hathi::analyzer {
namespace {

void transform_locking_clauses(ParseState& ps, Query* query, const List<ast::LockingClause*>& clauses) {
  for (const ast::LockingClause* clause : clauses) transform_locking(ps, query, clause, false);
}

}  // namespace

void finish_query(ParseState& ps, Query* query, Expr* where) {
  query->range_table = ps.range_table;
  auto* from = ps.arena.make<FromExpr>();
  from->kind = JoinNodeKind::from;
  from->items = ps.join_list;
  from->where = where;
  query->from = from;
  query->has_sub_links = ps.has_sub_links;
  query->has_windows = ps.has_windows;
  query->has_target_srfs = ps.has_target_srfs;
  query->has_aggregates = ps.has_aggregates;
  query->has_modifying_cte = query->has_modifying_cte || ps.has_modifying_cte;
}

Query* transform_select(ParseState& ps, const ast::SelectStatement* select) {
  if (select->into != nullptr)
    throw SqlError(sqlstate::syntax_error, "SELECT ... INTO is not allowed here")
        .at(select->into->relation != nullptr ? select->into->relation->location : select->into->location);
  auto* query = ps.arena.make<Query>();
  query->command = CommandKind::select;
  if (select->with != nullptr) transform_with(ps, query, select->with);
  for (const ast::LockingClause* clause : select->locking) ps.locking.push_back(ps.arena, clause);
  for (const ast::WindowDef* window : select->windows) ps.windows.push_back(ps.arena, window);
  transform_from(ps, select->from);
  query->targets = transform_targets(ps, select->targets, Clause::select_target);
  mark_target_origins(ps, query->targets);
  Expr* where = transform_where(ps, select->where, Clause::where, "WHERE");
  query->having = transform_where(ps, select->having, Clause::having, "HAVING");
  if (!select->order_by.empty()) query->order_by = transform_order_by(ps, select->order_by, query->targets, Clause::order_by, false);
  if (!select->group_by.empty()) transform_group_by(ps, query, select);
  if (select->distinct) {
    if (select->distinct_on.empty()) {
      query->distinct = transform_distinct(ps, query->targets, query->order_by, false);
    } else {
      query->distinct = transform_distinct_on(ps, select->distinct_on, query->targets, query->order_by);
      query->has_distinct_on = true;
    }
  }
  query->offset = transform_limit(ps, select->offset, Clause::offset, "OFFSET", select->with_ties);
  query->limit = transform_limit(ps, select->limit, Clause::limit, "LIMIT", select->with_ties);
  query->limit_with_ties = select->with_ties;
  if (!ps.windows.empty()) transform_windows(ps, query, ps.windows);
  if (ps.resolve_unknowns) resolve_unknown_targets(ps, query->targets);
  finish_query(ps, query, where);
  if (!select->locking.empty()) transform_locking_clauses(ps, query, select->locking);
  assign_query_collations(ps, query);
  if (query->has_aggregates || !query->group_by.empty() || !query->grouping_sets.empty() || query->having != nullptr) check_aggregates(ps, query);
  return query;
}

Query* transform_values(ParseState& ps, const ast::SelectStatement* select) {
  auto* query = ps.arena.make<Query>();
  query->command = CommandKind::select;
  if (select->with != nullptr) transform_with(ps, query, select->with);
  Arena& arena = ps.arena;
  List<List<Expr*>> rows;
  std::uint32_t width = 0;
  bool first = true;
  for (const List<ast::Expr*>& row : select->values) {
    List<Expr*> values = transform_list(ps, row, Clause::values, false);
    if (first) width = values.size();
    else if (values.size() != width)
      throw SqlError(sqlstate::syntax_error, "VALUES lists must all be the same length").at(location_of(values));
    first = false;
    rows.push_back(arena, values);
  }
  List<Oid> types, collations;
  List<std::int32_t> typmods;
  for (std::uint32_t c = 0; c < width; ++c) {
    List<Expr*> column;
    column.reserve(arena, rows.size());
    for (const List<Expr*>& row : rows) column.push_back(arena, row[c]);
    Oid type = select_common_type(column, "VALUES");
    for (std::uint32_t r = 0; r < rows.size(); ++r) column[r] = rows[r][c] = coerce_to_common(ps, rows[r][c], type, "VALUES");
    types.push_back(arena, type);
    typmods.push_back(arena, select_common_typmod(column, type));
    collations.push_back(arena, common_collation(ps, column, true));
  }
  bool lateral = false;
  for (const List<Expr*>& row : rows)
    for (const Expr* e : row) lateral = lateral || (!ps.range_table.empty() && contains_variables_of_level(e, 0));
  NamespaceItem* item = add_values_entry(ps, rows, types, typmods, collations, {}, lateral, true);
  add_to_namespace(ps, item, true, true, true);
  List<Expr*> values;
  List<std::string_view> names;
  expand_item(ps, item, 0, -1, true, values, &names);
  for (std::uint32_t i = 0; i < values.size(); ++i)
    query->targets.push_back(arena, make_target(arena, values[i], static_cast<AttrNumber>(ps.next_target++), names[i], false));
  if (!select->order_by.empty()) query->order_by = transform_order_by(ps, select->order_by, query->targets, Clause::order_by, false);
  query->offset = transform_limit(ps, select->offset, Clause::offset, "OFFSET", select->with_ties);
  query->limit = transform_limit(ps, select->limit, Clause::limit, "LIMIT", select->with_ties);
  query->limit_with_ties = select->with_ties;
  if (!select->locking.empty())
    throw SqlError(sqlstate::feature_not_supported, "{} cannot be applied to VALUES", locking_name(select->locking[0]->strength));
  finish_query(ps, query, nullptr);
  assign_query_collations(ps, query);
  return query;
}

Query* transform_sub_statement(ParseState& parent, const ast::Node* node, CommonTableExpr* parent_cte, bool locked_from_parent, bool resolve_unknowns) {
  check_stack_depth();
  ParseState ps(parent.root, &parent);
  ps.parent_cte = parent_cte;
  ps.locked_from_parent = locked_from_parent;
  ps.resolve_unknowns = resolve_unknowns;
  return transform_statement(ps, node);
}

Query* transform_statement(ParseState& ps, const ast::Node* node) {
  switch (node->kind) {
    case ast::NodeKind::select_statement: {
      const auto* select = ast::node_cast<ast::SelectStatement>(node);
      if (select->operation != ast::SetOperation::none) return transform_set_operation(ps, select);
      return select->values.empty() ? transform_select(ps, select) : transform_values(ps, select);
    }
    case ast::NodeKind::insert_statement: return transform_insert(ps, ast::node_cast<ast::InsertStatement>(node));
    case ast::NodeKind::update_statement: return transform_update(ps, ast::node_cast<ast::UpdateStatement>(node));
    case ast::NodeKind::delete_statement: return transform_delete(ps, ast::node_cast<ast::DeleteStatement>(node));
    case ast::NodeKind::merge_statement: throw_not_supported("MERGE");
    default: {
      auto* query = ps.arena.make<Query>();
      query->command = CommandKind::utility;
      query->utility = node;
      return query;
    }
  }
}

}  // namespace hathi::analyzer
