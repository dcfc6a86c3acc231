// Views that are read become subqueries.

#include "hathi/config/restricted_kinds.h"
#include "rewrite.h"

namespace hathi::analyzer {
namespace {

// Calls f for every query inside an expression's subqueries.
template <class F>
void for_each_sub_query(Query* query, F&& f) {
  struct Context { std::remove_reference_t<F>* f; } context{&f};
  struct Walk {
    static bool step(Expr* e, void* p) {
      if (is<SubLink>(e) && as<SubLink>(e)->query != nullptr) (*static_cast<Context*>(p)->f)(as<SubLink>(e)->query);
      return walk_children(e, step, p);
    }
  };
  walk_query_expressions(query, Walk::step, &context);
}

void set_check_as(Query* query, Oid role) {
  check_stack_depth();
  for (RangeTableEntry* rte : query->range_table) {
    if (rte->subquery != nullptr) set_check_as(rte->subquery, role);
    else if (rte->kind == RteKind::relation) rte->check_as = role;
  }
  for (CommonTableExpr* cte : query->ctes) if (cte->query != nullptr) set_check_as(cte->query, role);
  if (query->has_sub_links) for_each_sub_query(query, [&](Query* q) { set_check_as(q, role); });
}

void refresh_column_names(RangeTableEntry* rte, const catalog::Relation& relation, Arena& arena) {
  const TupleDescriptor& row = *relation.descriptor;
  List<std::string_view> names;
  std::uint32_t alias = 0;
  for (int i = 0; i < row.count(); ++i) {
    const Attribute& column = row[i];
    if (column.dropped) {
      names.push_back(arena, {});
      continue;
    }
    names.push_back(arena, alias < rte->alias_columns.size() ? rte->alias_columns[alias] : arena.copy(column.name));
    ++alias;
  }
  rte->column_names = names;
  rte->relation_kind = relation.kind;
  if (!rte->has_alias) rte->name = arena.copy(relation.name);
}

void lock_relations(Query* query, Arena& arena, locking::LockMode at_least, std::vector<catalog::RelationRef>& keep) {
  check_stack_depth();
  for (std::uint32_t i = 0; i < query->range_table.size(); ++i) {
    RangeTableEntry* rte = query->range_table[i];
    if (rte->kind == RteKind::relation) {
      auto mode = static_cast<locking::LockMode>(rte->lock_mode);
      if (mode == locking::LockMode::access_share && rte->in_from) mode = std::max(mode, at_least);
      keep.push_back(catalog::open_relation(rte->relation, mode));
      rte->lock_mode = static_cast<std::uint8_t>(mode);
      refresh_column_names(rte, *keep.back(), arena);
    } else if (rte->subquery != nullptr) {
      lock_relations(rte->subquery, arena, at_least, keep);
    }
  }
  for (CommonTableExpr* cte : query->ctes) if (cte->query != nullptr) lock_relations(cte->query, arena, locking::LockMode::none, keep);
  if (query->has_sub_links) for_each_sub_query(query, [&](Query* q) { lock_relations(q, arena, locking::LockMode::none, keep); });
}

void expand_view(Rewriter& r, Query* query, int number) {
  RangeTableEntry* rte = query->range_table[static_cast<std::size_t>(number - 1)];
  const catalog::Relation& view = r.open(rte->relation);
  for (Oid active : r.active_views)
    if (active == view.oid)
      throw SqlError(sqlstate::invalid_object_definition, "infinite recursion detected in rules for relation \"{}\"", view.name);
  const RowMark* mark = nullptr;
  for (const RowMark* m : query->row_marks) if (m->rte == number) mark = m;
  Query* body = view_query_of(r, view, rte->check_as, mark != nullptr ? locking::LockMode::row_share : locking::LockMode::none);
  if (mark != nullptr) mark_rows_of_query(r, body, mark->strength, mark->wait_policy);
  r.active_views.push_back(view.oid);
  rewrite_query(r, body);
  r.active_views.pop_back();
  rte->kind = RteKind::subquery;
  rte->subquery = body;
  rte->security_barrier = view.security_barrier;
  rte->inherit = false;
  rte->types = {};
  rte->typmods = {};
  rte->collations = {};
  for (const Attribute& column : view.descriptor->attributes) {
    rte->types.push_back(r.arena, column.type);
    rte->typmods.push_back(r.arena, column.typmod);
    rte->collations.push_back(r.arena, column.collation);
  }
}

}  // namespace

void mark_rows_of_query(Rewriter& r, Query* query, std::uint8_t strength, std::uint8_t wait_policy) {
  if (query->set_operations != nullptr) return;   // of a view; as in PostgreSQL its rows are not locked
  check_select_locking(query, static_cast<ast::LockStrength>(strength));
  for (std::uint32_t i = 0; i < query->range_table.size(); ++i) {
    RangeTableEntry* rte = query->range_table[i];
    if (!rte->in_from || (rte->kind != RteKind::relation && rte->kind != RteKind::subquery)) continue;
    if (rte->kind == RteKind::relation) rte->required |= kAclUpdate;
    RowMark* mark = nullptr;
    for (RowMark* m : query->row_marks) if (m->rte == static_cast<int>(i + 1)) mark = m;
    if (mark == nullptr) {
      mark = r.arena.make<RowMark>();
      mark->rte = static_cast<int>(i + 1);
      mark->pushed_down = true;
      query->row_marks.push_back(r.arena, mark);
    }
    mark->strength = std::max(mark->strength, strength);
    mark->wait_policy = std::max(mark->wait_policy, wait_policy);
    if (rte->kind == RteKind::subquery) mark_rows_of_query(r, rte->subquery, strength, wait_policy);
  }
}

Query* view_query_of(Rewriter& r, const catalog::Relation& view, Oid check_as, locking::LockMode for_marks) {
  if ((config::values::restricted_relation_kinds & config::kRestrictViews) != 0 && raw(view.oid) >= raw(kFirstNormalOid)) {
    throw SqlError(sqlstate::object_not_in_prerequisite_state, "access to non-system view \"{}\" is restricted", view.name);
  }
  if (view.view_query == nullptr) throw SqlError(sqlstate::internal_error, "view \"{}\" has no query", view.name);
  Query* body = copy(view.view_query, r.arena);
  lock_relations(body, r.arena, for_marks, r.relations);
  set_check_as(body, view.security_invoker ? check_as : view.owner);
  return body;
}

void expand_views(Rewriter& r, Query* query) {
  for (std::uint32_t i = 0; i < query->range_table.size(); ++i) {
    RangeTableEntry* rte = query->range_table[i];
    if (rte->subquery != nullptr) rewrite_query(r, rte->subquery);
    else if (rte->kind == RteKind::relation && rte->relation_kind == catalog::relation_kind::view && rte->in_from)
      expand_view(r, query, static_cast<int>(i + 1));
  }
  if (query->has_sub_links) for_each_sub_query(query, [&](Query* q) { rewrite_query(r, q); });
}

void lock_query_relations(Query* query, Arena& arena) {
  std::vector<catalog::RelationRef> keep;
  lock_relations(query, arena, locking::LockMode::none, keep);
}

}  // namespace hathi::analyzer
