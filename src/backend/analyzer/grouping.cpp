// GROUP BY, grouping sets, and the rule that output must be grouped or aggregated.

#include <algorithm>

#include "state.h"

namespace hathi::analyzer {
namespace {

constexpr std::uint32_t kMaxCubeElements = 12;
constexpr std::size_t kMaxGroupingSets = 4096;

// What GROUP BY has produced so far.
struct GroupBuilder {
  ParseState& ps;
  List<TargetEntry*>& targets;
  const List<SortClause*>& order_by;
  Clause clause;
  bool sql99;
  List<SortClause*> flat;
};

bool is_implicit_row(const ast::Node* node) {
  const auto* row = ast::node_try<ast::RowExpr>(node);
  return row != nullptr && !row->explicit_row;
}

// The reference of one grouping expression; 0 when `seen` has it already.
int add_expression(GroupBuilder& g, const ast::Node* node, std::vector<int>& seen) {
  TargetEntry* target = find_group_target(g.ps, node, g.targets, g.clause, g.sql99);
  bool found = false;
  if (target->sort_group_ref > 0) {
    if (std::find(seen.begin(), seen.end(), target->sort_group_ref) != seen.end()) return 0;
    if (target_in_sort_list(target, kInvalidOid, g.flat)) return target->sort_group_ref;
    // Same sort order as ORDER BY's, so that one sort serves both.
    for (SortClause* clause : g.order_by) {
      if (clause->ref != target->sort_group_ref) continue;
      g.flat.push_back(g.ps.arena, g.ps.arena.make<SortClause>(*clause));
      found = true;
      break;
    }
  }
  if (!found) g.flat.push_back(g.ps.arena, group_clause_for(g.ps, target, g.targets, false, location_of(node)));
  return target->sort_group_ref;
}

GroupingSet* make_set(ParseState& ps, GroupingSet::Kind kind) {
  auto* set = ps.arena.make<GroupingSet>();
  set->kind = kind;
  return set;
}

GroupingSet* simple_set(GroupBuilder& g, const ast::Node* node) {
  GroupingSet* set = make_set(g.ps, GroupingSet::Kind::simple);
  std::vector<int> seen;
  auto add = [&](const ast::Node* n) {
    int ref = add_expression(g, n, seen);
    if (ref == 0) return;
    seen.push_back(ref);
    set->refs.push_back(g.ps.arena, ref);
  };
  if (is_implicit_row(node)) {
    for (const ast::Node* item : ast::node_cast<ast::RowExpr>(node)->args) add(item);
  } else {
    add(node);
  }
  return set;
}

GroupingSet* transform_set(GroupBuilder& g, const ast::GroupingSet* node, bool top) {
  check_stack_depth();
  switch (node->type) {
    case ast::GroupingSetKind::empty: return make_set(g.ps, GroupingSet::Kind::empty);
    case ast::GroupingSetKind::cube:
      if (node->content.size() > kMaxCubeElements)
        throw SqlError(sqlstate::too_many_columns, "CUBE is limited to {} elements", kMaxCubeElements).at(node->location);
      break;
    default: break;
  }
  GroupingSet::Kind kind = node->type == ast::GroupingSetKind::rollup ? GroupingSet::Kind::rollup
                           : node->type == ast::GroupingSetKind::cube ? GroupingSet::Kind::cube
                                                                      : GroupingSet::Kind::sets;
  GroupingSet* set = make_set(g.ps, kind);
  for (const ast::Node* item : node->content) {
    if (const auto* inner = ast::node_try<ast::GroupingSet>(item)) {
      GroupingSet* made = transform_set(g, inner, false);
      // GROUPING SETS inside GROUPING SETS is one list.
      if (made->kind == GroupingSet::Kind::sets && kind == GroupingSet::Kind::sets) set->content.append(g.ps.arena, made->content);
      else set->content.push_back(g.ps.arena, made);
    } else {
      set->content.push_back(g.ps.arena, simple_set(g, item));
    }
  }
  (void)top;
  return set;
}

// --- expansion of grouping sets into plain lists of references -----------------------------------------------------------------

using RefSets = std::vector<std::vector<int>>;

void check_count(std::size_t n) {
  if (n > kMaxGroupingSets)
    throw SqlError(sqlstate::statement_too_complex, "too many grouping sets present (maximum {})", kMaxGroupingSets);
}

RefSets expand_set(const GroupingSet* set) {
  RefSets result;
  auto append = [](std::vector<int> a, const List<int>& b) { a.insert(a.end(), b.begin(), b.end()); return a; };
  switch (set->kind) {
    case GroupingSet::Kind::empty: result.push_back({}); break;
    case GroupingSet::Kind::simple: result.push_back(append({}, set->refs)); break;
    case GroupingSet::Kind::rollup:
      for (std::uint32_t n = set->content.size() + 1; n-- > 0;) {
        std::vector<int> refs;
        for (std::uint32_t i = 0; i < n; ++i) refs = append(std::move(refs), set->content[i]->refs);
        result.push_back(std::move(refs));
      }
      break;
    case GroupingSet::Kind::cube:
      for (std::uint32_t mask = 1u << set->content.size(); mask-- > 0;) {
        std::vector<int> refs;
        for (std::uint32_t i = 0; i < set->content.size(); ++i)
          if ((mask & (1u << i)) != 0) refs = append(std::move(refs), set->content[i]->refs);
        result.push_back(std::move(refs));
      }
      break;
    case GroupingSet::Kind::sets:
      for (const GroupingSet* inner : set->content) {
        RefSets some = expand_set(inner);
        result.insert(result.end(), some.begin(), some.end());
        check_count(result.size());
      }
      break;
  }
  return result;
}

RefSets expand_all_sets(const List<GroupingSet*>& sets) {
  RefSets result{{}};
  for (const GroupingSet* set : sets) {
    RefSets next, some = expand_set(set);
    check_count(result.size() * some.size());
    for (const std::vector<int>& a : result) {
      for (const std::vector<int>& b : some) {
        std::vector<int> both = a;
        both.insert(both.end(), b.begin(), b.end());
        next.push_back(std::move(both));
      }
    }
    result = std::move(next);
  }
  for (std::vector<int>& refs : result) {
    std::sort(refs.begin(), refs.end());
    refs.erase(std::unique(refs.begin(), refs.end()), refs.end());
  }
  return result;
}

// --- ungrouped columns -----------------------------------------------------------------------------------------------------------

struct Checker {
  ParseState& ps;
  Query* query;
  List<TargetEntry*> grouped;         // targets that are grouped by
  List<Expr*> expressions;            // theirs, join columns resolved
  std::vector<int> common;            // references in every grouping set
  bool has_non_variables = false;
  bool direct_args = false;
  std::vector<int> functionally_grouped;
};

// A merged join column stands for an expression over the inputs; comparisons are made on that.
Expr* resolve_joins(Query* query, Expr* e, Arena& arena) {
  if (e == nullptr) return nullptr;
  bool merged = false;
  for (const RangeTableEntry* rte : query->range_table) merged = merged || rte->merged_columns > 0;
  if (!merged) return e;
  if (is<Variable>(e)) {
    const auto* v = as<Variable>(e);
    if (v->levels_up != 0 || v->column < 1) return e;
    const RangeTableEntry* rte = query->range_table[static_cast<std::size_t>(v->rte - 1)];
    if (rte->kind != RteKind::join) return e;
    return resolve_joins(query, copy(rte->join_columns[static_cast<std::size_t>(v->column - 1)], arena), arena);
  }
  return map_each_child(e, [&](Expr* child) { return resolve_joins(query, child, arena); }, arena);
}

// All columns of a table are determined when its primary key is grouped by.
bool is_functionally_grouped(Checker& c, int rte_number) {
  if (std::find(c.functionally_grouped.begin(), c.functionally_grouped.end(), rte_number) != c.functionally_grouped.end()) return true;
  NamespaceItem* item = item_of(c.ps, rte_number, 0);
  if (item == nullptr || item->rte->kind != RteKind::relation || item->relation == nullptr) return false;
  for (const catalog::IndexDescriptor* index : item->relation->indexes) {
    if (!index->primary || index->deferrable || !index->valid) continue;
    bool all = true;
    for (int k = 0; k < index->key_count && all; ++k) {
      bool found = false;
      for (std::uint32_t i = 0; i < c.grouped.size() && !found; ++i) {
        if (std::find(c.common.begin(), c.common.end(), c.grouped[i]->sort_group_ref) == c.common.end()) continue;
        const Expr* e = c.expressions[i];
        found = is<Variable>(e) && as<Variable>(e)->levels_up == 0 && as<Variable>(e)->rte == rte_number &&
                as<Variable>(e)->column == index->columns[static_cast<std::size_t>(k)];
      }
      all = found;
    }
    if (!all) return false;
    c.functionally_grouped.push_back(rte_number);
    return true;
  }
  return false;
}

void check_expression(Checker& c, Expr* e, int depth);

void check_query(Checker& c, Query* query, int depth) {
  check_stack_depth();
  struct Context { Checker* checker; int depth; } context{&c, depth};
  walk_query_expressions(query, [](Expr* e, void* p) {
    auto* x = static_cast<Context*>(p);
    check_expression(*x->checker, e, x->depth);
    return false;
  }, &context);
  for (RangeTableEntry* rte : query->range_table) if (rte->subquery != nullptr) check_query(c, rte->subquery, depth + 1);
  for (CommonTableExpr* cte : query->ctes) if (cte->query != nullptr) check_query(c, cte->query, depth + 1);
}

void check_variable(Checker& c, const Variable* v, int depth) {
  if (v->levels_up != depth) return;
  for (const Expr* e : c.expressions)
    if (is<Variable>(e) && as<Variable>(e)->levels_up == 0 && as<Variable>(e)->rte == v->rte && as<Variable>(e)->column == v->column) return;
  const RangeTableEntry* rte = c.query->range_table[static_cast<std::size_t>(v->rte - 1)];
  if (rte->kind == RteKind::join && v->column > 0) {   // in a subquery: not resolved beforehand
    Expr* resolved = resolve_joins(c.query, copy(rte->join_columns[static_cast<std::size_t>(v->column - 1)], c.ps.arena), c.ps.arena);
    increment_levels(resolved, depth);
    for (const Expr* e : c.expressions) {
      Expr* lifted = copy(e, c.ps.arena);
      increment_levels(lifted, depth);
      if (equal(lifted, resolved)) return;
    }
    check_expression(c, resolved, depth);
    return;
  }
  if (is_functionally_grouped(c, v->rte)) return;
  std::string_view column = v->column == 0  ? std::string_view("*")
                            : v->column < 0 ? system_column(v->column)->name
                                            : rte->column_names[static_cast<std::size_t>(v->column - 1)];
  if (depth == 0) {
    SqlError error(sqlstate::grouping_error, "column \"{}.{}\" must appear in the GROUP BY clause or be used in an aggregate function", rte->name, column);
    if (c.direct_args) error.detail("Direct arguments of an ordered-set aggregate must use only grouped columns.");
    throw error.at(v->location);
  }
  throw SqlError(sqlstate::grouping_error, "subquery uses ungrouped column \"{}.{}\" from outer query", rte->name, column).at(v->location);
}

void check_expression(Checker& c, Expr* e, int depth) {
  if (e == nullptr || is<Constant>(e) || is<Parameter>(e)) return;
  check_stack_depth();
  if (is<Aggregate>(e)) {
    auto* aggregate = as<Aggregate>(e);
    if (aggregate->levels_up == depth) {
      Restore<bool> direct(c.direct_args, true);
      for (Expr* arg : aggregate->direct_args) check_expression(c, arg, depth);
      return;
    }
    if (aggregate->levels_up > depth) return;
  }
  if (is<Grouping>(e) && as<Grouping>(e)->levels_up >= depth) return;
  if (c.has_non_variables && depth == 0) {
    for (const Expr* grouped : c.expressions) if (equal(e, grouped)) return;
  }
  if (is<Variable>(e)) { check_variable(c, as<Variable>(e), depth); return; }
  if (is<SubLink>(e) && as<SubLink>(e)->query != nullptr) check_query(c, as<SubLink>(e)->query, depth + 1);
  for_each_child(e, [&](Expr* child) { check_expression(c, child, depth); return false; });
}

// GROUPING(a, b): which grouping columns are meant.
void resolve_grouping_calls(Checker& c, Expr* root) {
  struct Context { Checker* c; } context{&c};
  walk_deep(root, 0, [](Expr* e, int depth, void* p) {
    Checker& checker = *static_cast<Context*>(p)->c;
    if (!is<Grouping>(e) || as<Grouping>(e)->levels_up != depth) return false;
    auto* grouping = as<Grouping>(e);
    grouping->refs = {};
    for (Expr* arg : grouping->args) {
      Expr* wanted = depth == 0 ? resolve_joins(checker.query, copy(arg, checker.ps.arena), checker.ps.arena) : copy(arg, checker.ps.arena);
      if (depth > 0) increment_levels(wanted, -depth);
      int ref = 0;
      for (std::uint32_t i = 0; i < checker.grouped.size() && ref == 0; ++i)
        if (equal(wanted, checker.expressions[i])) ref = checker.grouped[i]->sort_group_ref;
      if (ref == 0)
        throw SqlError(sqlstate::grouping_error, "arguments to GROUPING must be grouping expressions of the associated query level").at(location_of(arg));
      grouping->refs.push_back(checker.ps.arena, ref);
    }
    return false;
  }, &context);
}

}  // namespace

List<SortClause*> transform_partition_by(ParseState& ps, const List<ast::Expr*>& list, List<TargetEntry*>& targets, const List<SortClause*>& order_by) {
  GroupBuilder g{ps, targets, order_by, Clause::window_partition, true, {}};
  std::vector<int> seen;
  auto add = [&](const ast::Node* node) { if (int ref = add_expression(g, node, seen); ref > 0) seen.push_back(ref); };
  for (const ast::Node* node : list) {
    if (is_implicit_row(node)) for (const ast::Node* item : ast::node_cast<ast::RowExpr>(node)->args) add(item);
    else add(node);
  }
  return g.flat;
}

void transform_group_by(ParseState& ps, Query* query, const ast::SelectStatement* select) {
  GroupBuilder g{ps, query->targets, query->order_by, Clause::group_by, false, {}};
  bool has_sets = false;
  for (const ast::Node* node : select->group_by) has_sets = has_sets || ast::is<ast::GroupingSet>(node);
  std::vector<int> seen;
  auto add = [&](const ast::Node* node) {
    int ref = add_expression(g, node, seen);
    if (ref == 0) return;
    seen.push_back(ref);
    if (!has_sets) return;
    GroupingSet* set = make_set(ps, GroupingSet::Kind::simple);
    set->refs.push_back(ps.arena, ref);
    query->grouping_sets.push_back(ps.arena, set);
  };
  for (const ast::Node* node : select->group_by) {
    if (const auto* set = ast::node_try<ast::GroupingSet>(node)) {
      if (set->type == ast::GroupingSetKind::empty && select->group_by.size() > 1) continue;   // () beside other items adds nothing
      query->grouping_sets.push_back(ps.arena, transform_set(g, set, true));
    } else if (is_implicit_row(node)) {
      for (const ast::Node* item : ast::node_cast<ast::RowExpr>(node)->args) add(item);
    } else {
      add(node);
    }
  }
  query->group_by = g.flat;
  query->group_distinct = select->group_distinct;
}

void check_aggregates(ParseState& ps, Query* query) {
  Checker c{ps, query, {}, {}, {}};
  if (!query->grouping_sets.empty()) {
    RefSets sets = expand_all_sets(query->grouping_sets);
    c.common = sets[0];
    for (const std::vector<int>& set : sets) {
      std::vector<int> both;
      std::set_intersection(c.common.begin(), c.common.end(), set.begin(), set.end(), std::back_inserter(both));
      c.common = std::move(both);
    }
    if (sets.size() == 1 && !query->group_by.empty()) query->grouping_sets = {};
  } else {
    for (const SortClause* clause : query->group_by) c.common.push_back(clause->ref);
  }
  bool self_reference = false;
  for (const RangeTableEntry* rte : query->range_table) self_reference = self_reference || (rte->kind == RteKind::cte && rte->self_reference);
  if (query->has_aggregates && self_reference) {
    int location = -1;
    auto find = [&](const Expr* e) {
      int at = contain_aggregates_of_level(e, 0);
      if (at > 0 && location < 0) location = at - 1;
    };
    for (const TargetEntry* t : query->targets) find(t->expr);
    if (query->having != nullptr) find(query->having);
    throw SqlError(sqlstate::invalid_recursion, "aggregate functions are not allowed in a recursive query's recursive term").at(location);
  }
  for (const SortClause* clause : query->group_by) {
    TargetEntry* target = target_by_ref(clause->ref, query->targets);
    Expr* e = resolve_joins(query, target->expr, ps.arena);
    c.grouped.push_back(ps.arena, target);
    c.expressions.push_back(ps.arena, e);
    if (!is<Variable>(e)) c.has_non_variables = true;
  }
  for (TargetEntry* t : query->targets) {
    resolve_grouping_calls(c, t->expr);
    check_expression(c, resolve_joins(query, t->expr, ps.arena), 0);
  }
  if (query->having != nullptr) {
    resolve_grouping_calls(c, query->having);
    check_expression(c, resolve_joins(query, query->having, ps.arena), 0);
  }
}

}  // namespace hathi::analyzer
