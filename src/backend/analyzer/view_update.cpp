// Simple views can be changed: INSERT, UPDATE and DELETE on them become the same on their table.

#include "rewrite.h"

namespace hathi::analyzer {
namespace {

// The one table a simple view selects from; 0 when it is not such a view.
int base_entry(const Query* view) {
  if (view->from == nullptr || view->from->items.size() != 1 || view->from->items[0]->kind != JoinNodeKind::reference) return 0;
  return static_cast<const RangeReference*>(view->from->items[0])->rte;
}

// Why a column of the view cannot be assigned to; empty when it can.
std::string_view column_problem(const Query* view, const TargetEntry* target) {
  if (target->junk) return "Junk view columns are not updatable.";
  const Expr* e = target->expr;
  if (!is<Variable>(e) || as<Variable>(e)->levels_up != 0 || as<Variable>(e)->rte != base_entry(view))
    return "View columns that are not columns of their base relation are not updatable.";
  if (as<Variable>(e)->column < 0) return "View columns that refer to system columns are not updatable.";
  if (as<Variable>(e)->column == 0) return "View columns that return whole-row references are not updatable.";
  return {};
}

std::string_view query_problem(const Query* view) {
  if (!view->distinct.empty()) return "Views containing DISTINCT are not automatically updatable.";
  if (!view->group_by.empty() || !view->grouping_sets.empty()) return "Views containing GROUP BY are not automatically updatable.";
  if (view->having != nullptr) return "Views containing HAVING are not automatically updatable.";
  if (view->set_operations != nullptr) return "Views containing UNION, INTERSECT, or EXCEPT are not automatically updatable.";
  if (!view->ctes.empty()) return "Views containing WITH are not automatically updatable.";
  if (view->limit != nullptr || view->offset != nullptr) return "Views containing LIMIT or OFFSET are not automatically updatable.";
  if (view->has_aggregates) return "Views that return aggregate functions are not automatically updatable.";
  if (view->has_windows) return "Views that return window functions are not automatically updatable.";
  if (view->has_target_srfs) return "Views that return set-returning functions are not automatically updatable.";
  int base = base_entry(view);
  if (base == 0) return "Views that do not select from a single table or view are not automatically updatable.";
  const RangeTableEntry* rte = view->range_table[static_cast<std::size_t>(base - 1)];
  char kind = rte->relation_kind;
  if (rte->kind != RteKind::relation || (kind != 'r' && kind != 'f' && kind != 'v' && kind != 'p'))
    return "Views that do not select from a single table or view are not automatically updatable.";
  if (rte->sample != nullptr) return "Views containing TABLESAMPLE are not automatically updatable.";
  return {};
}

[[noreturn]] void throw_not_updatable(CommandKind command, std::string_view view, std::string_view detail) {
  std::string_view what = command == CommandKind::insert ? "insert into" : command == CommandKind::update ? "update" : "delete from";
  std::string_view doing = command == CommandKind::insert ? "inserting into" : command == CommandKind::update ? "updating" : "deleting from";
  std::string_view event = command == CommandKind::insert ? "INSERT" : command == CommandKind::update ? "UPDATE" : "DELETE";
  SqlError error(sqlstate::object_not_in_prerequisite_state, "cannot {} view \"{}\"", what, view);
  if (!detail.empty()) error.detail(std::string(detail));
  throw error.hint(fmt::format("To enable {} the view, provide an INSTEAD OF {} trigger or an unconditional ON {} DO INSTEAD rule.", doing, event, event));
}

void check_columns(const Query* view, const List<TargetEntry*>& changed, std::string_view view_name, CommandKind command) {
  for (const TargetEntry* t : changed) {
    if (t->junk) continue;
    const TargetEntry* column = nullptr;
    for (const TargetEntry* v : view->targets) if (v->number == t->number && !v->junk) column = v;
    if (column == nullptr) continue;
    std::string_view problem = column_problem(view, column);
    if (problem.empty()) continue;
    throw SqlError(sqlstate::feature_not_supported, "cannot {} column \"{}\" of view \"{}\"", command == CommandKind::insert ? "insert into" : "update",
                   column->name, view_name)
        .detail(std::string(problem));
  }
}

// Variables of one range-table entry become those of another.
void renumber_entry(Expr* e, int from, int to) {
  std::pair<int, int> numbers{from, to};
  walk_deep(e, 0, [](Expr* x, int level, void* p) {
    const auto& [old_number, new_number] = *static_cast<std::pair<int, int>*>(p);
    if (is<Variable>(x) && as<Variable>(x)->levels_up == level && as<Variable>(x)->rte == old_number)
      as<Variable>(x)->rte = as<Variable>(x)->source_rte = new_number;
    return false;
  }, &numbers);
}

// References to the view become references to its table's columns.
struct Substitution {
  Rewriter& r;
  const Query* view;
  int view_rte;          // in the outer query
  int base_rte;          // in the outer query
  const catalog::Relation& view_relation;

  Expr* column(const Variable* v, int depth) const {
    if (v->column == 0) {   // the view's whole row
      auto* row = make<RowExpr>(r.arena, v->location);
      row->type = v->type;
      row->form = CallForm::implicit_cast;
      for (const TargetEntry* t : view->targets) {
        if (t->junk) continue;
        row->args.push_back(r.arena, lifted(t->expr, depth));
        row->names.push_back(r.arena, t->name);
      }
      return row;
    }
    if (v->column < 0) {
      auto* same = static_cast<Variable*>(copy(v, r.arena));
      same->rte = same->source_rte = base_rte;
      return same;
    }
    for (const TargetEntry* t : view->targets) if (!t->junk && t->number == v->column) return lifted(t->expr, depth);
    throw SqlError(sqlstate::internal_error, "view column {} not found", v->column);
  }
  Expr* apply(Expr* e, int depth) const {
    if (e == nullptr) return nullptr;
    check_stack_depth();
    if (is<Variable>(e)) return as<Variable>(e)->rte == view_rte && as<Variable>(e)->levels_up == depth ? column(as<Variable>(e), depth) : e;
    if (is<CurrentOf>(e) && depth == 0 && as<CurrentOf>(e)->rte == view_rte)
      throw SqlError(sqlstate::feature_not_supported, "WHERE CURRENT OF on a view is not implemented");
    if (is<SubLink>(e) && as<SubLink>(e)->query != nullptr) apply(as<SubLink>(e)->query, depth + 1);
    return map_each_child(e, [&](Expr* child) { return apply(child, depth); }, r.arena);
  }
  void apply(Query* query, int depth) const {
    struct Context { const Substitution* s; int depth; } context{this, depth};
    map_query_expressions(query, [](Expr* e, void* p) {
      auto* c = static_cast<Context*>(p);
      return c->s->apply(e, c->depth);
    }, &context);
    for (RangeTableEntry* rte : query->range_table) if (rte->subquery != nullptr) apply(rte->subquery, depth + 1);
    for (CommonTableExpr* cte : query->ctes) if (cte->query != nullptr) apply(cte->query, depth + 1);
  }

 private:
  // A view column's expression as seen from `depth` queries further in, its table renumbered.
  Expr* lifted(Expr* e, int depth) const {
    Expr* made = copy(e, r.arena);
    renumber_entry(made, base_entry(view), base_rte);
    increment_levels(made, depth);
    return made;
  }
};

AttrNumber base_column(const Query* view, AttrNumber view_column) {
  for (const TargetEntry* t : view->targets)
    if (!t->junk && t->number == view_column && is<Variable>(t->expr)) return as<Variable>(t->expr)->column;
  return 0;
}

void add_columns(List<AttrNumber>& to, const List<AttrNumber>& from, const Query* view, Arena& arena) {
  for (AttrNumber n : from) {
    AttrNumber column = n > 0 ? base_column(view, n) : n;
    bool known = false;
    for (AttrNumber old : to) known = known || old == column;
    if (!known && (column != 0 || n == 0)) to.push_back(arena, column);
  }
}

void renumber(const Query* view, List<TargetEntry*>& targets) {
  for (TargetEntry* t : targets) if (!t->junk) t->number = base_column(view, t->number);
}

void add_where(Query* query, Expr* condition, Arena& arena) {
  if (condition == nullptr) return;
  if (query->from->where == nullptr) {
    query->from->where = condition;
    return;
  }
  List<Expr*> both;
  both.push_back(arena, query->from->where);
  both.push_back(arena, condition);
  query->from->where = make_boolean(arena, BooleanExpr::Op::and_op, both, -1);
}

void add_check_option(Query* query, const catalog::Relation& view, Expr* condition, Arena& arena) {
  bool checked = view.check_option_local || view.check_option_cascaded;
  bool cascaded = view.check_option_cascaded;
  // An outer view's CASCADED reaches the views below it.
  for (const WithCheck* check : query->with_checks) if (check->cascaded) checked = cascaded = true;
  if (!checked || (condition == nullptr && !cascaded)) return;
  auto* made = arena.make<WithCheck>();
  made->cascaded = cascaded;
  made->relation = arena.copy(view.name);
  made->condition = condition;
  // The innermost view is checked first.
  List<WithCheck*> all;
  all.push_back(arena, made);
  all.append(arena, query->with_checks);
  query->with_checks = all;
}

void move_conflict_to_base(Rewriter& r, Query* query, const Query* view, const catalog::Relation& view_relation, const catalog::Relation& base) {
  OnConflict* conflict = query->on_conflict;
  if (conflict->excluded_rte == 0) return;
  // excluded has the columns of the table now.
  RangeTableEntry* old = query->range_table[static_cast<std::size_t>(conflict->excluded_rte - 1)];
  auto* made = r.arena.make<RangeTableEntry>(*old);
  made->relation = base.oid;
  made->column_names = {};
  for (const Attribute& column : base.descriptor->attributes)
    made->column_names.push_back(r.arena, column.dropped ? std::string_view() : r.arena.copy(column.name));
  query->range_table.push_back(r.arena, made);
  int number = static_cast<int>(query->range_table.size());
  Substitution excluded{r, view, conflict->excluded_rte, number, view_relation};
  conflict->excluded_rte = 0;
  for (TargetEntry* t : conflict->set) t->expr = excluded.apply(t->expr, 0);
  conflict->where = excluded.apply(conflict->where, 0);
  conflict->excluded_rte = number;
}

}  // namespace

std::string why_not_updatable(const Query* view, bool check_columns_too) {
  std::string_view problem = query_problem(view);
  if (!problem.empty() || !check_columns_too) return std::string(problem);
  for (const TargetEntry* t : view->targets) if (column_problem(view, t).empty()) return {};
  return "Views that have no updatable columns are not automatically updatable.";
}

bool rewrite_target_view(Rewriter& r, Query* query) {
  Arena& arena = r.arena;
  int view_number = query->result_rte;
  RangeTableEntry* view_rte = query->range_table[static_cast<std::size_t>(view_number - 1)];
  const catalog::Relation& view = r.open(view_rte->relation);
  Query* body = view_query_of(r, view, view_rte->check_as, locking::LockMode::none);
  std::string_view problem = query_problem(body);
  if (!problem.empty()) throw_not_updatable(query->command, view.name, problem);
  if (query->command != CommandKind::remove) {
    if (!why_not_updatable(body, true).empty() && query_problem(body).empty() && !query->targets.empty()) {
      bool any = false;
      for (const TargetEntry* t : body->targets) any = any || column_problem(body, t).empty();
      if (!any) throw_not_updatable(query->command, view.name, "Views that have no updatable columns are not automatically updatable.");
    }
    check_columns(body, query->targets, view.name, query->command);
    if (query->on_conflict != nullptr) check_columns(body, query->on_conflict->set, view.name, CommandKind::update);
  }
  RangeTableEntry* inner = body->range_table[static_cast<std::size_t>(base_entry(body) - 1)];
  const catalog::Relation& base = *[&] {
    r.relations.push_back(catalog::open_relation(inner->relation, locking::LockMode::row_exclusive));
    return r.relations.back().get();
  }();
  auto* made = arena.make<RangeTableEntry>(*inner);
  made->lock_mode = static_cast<std::uint8_t>(locking::LockMode::row_exclusive);
  made->in_from = view_rte->in_from;
  // The view's owner needs the same rights on the table; what the view itself reads stays as it was.
  made->required = inner->required | view_rte->required;
  if (query->command == CommandKind::insert) made->inherit = false;
  made->selected = {};
  made->selected.append(arena, inner->selected);
  add_columns(made->selected, view_rte->selected, body, arena);
  made->inserted = made->updated = {};
  add_columns(made->inserted, view_rte->inserted, body, arena);
  add_columns(made->updated, view_rte->updated, body, arena);
  query->range_table.push_back(arena, made);
  int base_number = static_cast<int>(query->range_table.size());

  Substitution substitution{r, body, view_number, base_number, view};
  Expr* condition = nullptr;
  if (body->from->where != nullptr) {
    // The view's WHERE, over the table's new number.
    condition = copy(body->from->where, arena);
    renumber_entry(condition, base_entry(body), base_number);
  }
  if (query->on_conflict != nullptr) move_conflict_to_base(r, query, body, view, base);
  substitution.apply(query, 0);
  if (query->command != CommandKind::remove) renumber(body, query->targets);
  if (query->on_conflict != nullptr) renumber(body, query->on_conflict->set);
  // The place of the view in FROM is the table's.
  for (JoinNode* item : query->from->items)
    if (item->kind == JoinNodeKind::reference && static_cast<RangeReference*>(item)->rte == view_number) static_cast<RangeReference*>(item)->rte = base_number;
  query->result_rte = base_number;
  // The view's own entry remains for its privileges only.
  view_rte->in_from = false;
  view_rte->inherit = false;
  if (body->has_sub_links && condition != nullptr) query->has_sub_links = true;
  if (query->command != CommandKind::insert) add_where(query, condition, arena);
  if (query->command != CommandKind::remove) {
    bool checks = view.check_option_local || view.check_option_cascaded;
    for (const WithCheck* check : query->with_checks) checks = checks || check->cascaded;
    if (checks) add_check_option(query, view, condition == nullptr ? nullptr : copy(condition, arena), arena);
  }
  return true;
}

}  // namespace hathi::analyzer
