// Conditions on the columns of a subquery that its own rows can be asked: they move into it, so that indexes and partitions count.

#include <algorithm>

#include "query_planner.h"

namespace hathi::planner {

namespace {

using nodes::ExprKind;
using nodes::SetOperation;

// The column of that number, from 1.
const TargetEntry* output_column(const Query& sub, AttrNumber column) {
  int n = 0;
  for (const TargetEntry* t : sub.targets) if (!t->junk && ++n == column) return t;
  return nullptr;
}

bool names_target(const List<nodes::SortClause*>& clauses, const TargetEntry& t) {
  return std::any_of(clauses.begin(), clauses.end(), [&](const nodes::SortClause* c) { return t.sort_group_ref != 0 && c->ref == t.sort_group_ref; });
}

// Fewer rows inside must not change what the rest of the subquery makes of the others.
bool accepts_conditions(const Query& sub) {
  return sub.command == nodes::CommandKind::select && sub.limit == nullptr && sub.offset == nullptr;
}

bool column_can_move(const Query& sub, AttrNumber column, Oid type) {
  const TargetEntry* t = output_column(sub, column);
  if (t == nullptr || nodes::type_of(t->expr) != type || contains_volatile(t->expr) || contains_srf(t->expr)) return false;
  if (sub.has_distinct_on && !names_target(sub.distinct, *t)) return false;
  for (const nodes::WindowClause* w : sub.windows) if (!names_target(w->partition_by, *t)) return false;
  return true;
}

// All members of UNION and INTERSECT must take the condition; what EXCEPT takes away must stay whole.
template <class Member>
bool all_members(const Query& sub, const SetOperation* node, Member&& member) {
  if (node->op == SetOperation::Op::leaf) return member(*sub.range_table[static_cast<std::size_t>(node->rte - 1)]->subquery);
  if (node->op == SetOperation::Op::except_op) return false;
  return all_members(sub, node->left, member) && all_members(sub, node->right, member);
}

bool can_move(const Query& sub, AttrNumber column, Oid type) {
  if (!accepts_conditions(sub)) return false;
  if (sub.set_operations == nullptr) return column_can_move(sub, column, type);
  return all_members(sub, sub.set_operations, [&](const Query& member) { return can_move(member, column, type); });
}

// May the whole condition move? At least one column must be named.
bool condition_can_move(Expr* e, const Query& sub, int rte) {
  if (contains_volatile(e) || contains_sub_plan(e)) return false;
  bool any = false;
  auto fits = [&](auto&& self, Expr* x) -> bool {
    if (x == nullptr) return true;
    if (x->kind != ExprKind::variable) return !nodes::for_each_child(x, [&](Expr* c) { return !self(self, c); });
    const auto* v = nodes::as<nodes::Variable>(x);
    any = true;
    return v->rte == rte && v->levels_up == 0 && v->column > 0 && can_move(sub, v->column, v->type);
  };
  return fits(fits, e) && any;
}

Expr* replace_columns(Expr* e, const Query& sub, int rte, Arena& arena) {
  if (e == nullptr) return nullptr;
  if (e->kind == ExprKind::variable && nodes::as<nodes::Variable>(e)->rte == rte)
    return nodes::copy(output_column(sub, nodes::as<nodes::Variable>(e)->column)->expr, arena);
  return nodes::map_each_child(e, [&](Expr* c) { return replace_columns(c, sub, rte, arena); }, arena);
}

void add_condition(Query& sub, Expr* condition, int rte, Arena& arena) {
  if (sub.set_operations != nullptr) {
    all_members(sub, sub.set_operations, [&](Query& member) { add_condition(member, condition, rte, arena); return true; });
    return;
  }
  Expr* own = replace_columns(condition, sub, rte, arena);
  bool grouped = sub.has_aggregates || !sub.group_by.empty() || !sub.grouping_sets.empty() || sub.having != nullptr;
  if (grouped) {
    sub.having = sub.having == nullptr ? own : make_and(arena, {sub.having, own});
    return;
  }
  // Its FROM stays as it was inside: is_union_member() looks at that.
  if (sub.from->items.size() != 1 || sub.from->where != nullptr || sub.from->items[0]->kind != nodes::JoinNodeKind::from) {
    auto* outer = arena.make<nodes::FromExpr>();
    outer->kind = nodes::JoinNodeKind::from;
    if (!sub.from->items.empty() || sub.from->where != nullptr) outer->items.push_back(arena, sub.from);
    sub.from = outer;
  }
  sub.from->where = sub.from->where == nullptr ? own : make_and(arena, {sub.from->where, own});
}

}  // namespace

// Moves what can move from `conditions` into the subquery of that entry.
void QueryPlanner::push_into_subquery(Query* sub, int rte, std::vector<Expr*>& conditions) {
  if (q_->range_table[static_cast<std::size_t>(rte - 1)]->security_barrier) return;
  std::erase_if(conditions, [&](Expr* e) {
    if (!condition_can_move(e, *sub, rte)) return false;
    add_condition(*sub, e, rte, s_.arena);
    return true;
  });
}

// Is the member of a UNION ALL one table with no conditions but those that were moved into it?
bool QueryPlanner::is_union_member(const Query& member) {
  if (member.set_operations != nullptr || member.from == nullptr || member.from->items.size() != 1) return false;
  bool plain = !member.has_aggregates && member.group_by.empty() && member.grouping_sets.empty() && member.having == nullptr && member.distinct.empty() &&
               member.windows.empty();
  const nodes::JoinNode* inner = member.from->items[0];
  if (!plain || inner->kind != nodes::JoinNodeKind::from) return false;
  const auto* from = static_cast<const nodes::FromExpr*>(inner);
  return from->where == nullptr && from->items.size() == 1 && from->items[0]->kind == nodes::JoinNodeKind::reference;
}

}  // namespace hathi::planner
