// The join tree taken apart: the relations, which conditions can be checked where, and what outer joins demand of the order.

#include <algorithm>

#include "hathi/base/stack.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/planner_settings.h"
#include "paths.h"

namespace hathi::planner {

using nodes::ExprKind;
using nodes::JoinNodeKind;
using nodes::JoinType;

JoinPlanner::JoinPlanner(QueryPlanner& planner, StatementContext& statement) : p_(planner), s_(statement) {
  base_relations_.resize(planner.q_->range_table.size() + 1);
}

JoinRelation* JoinPlanner::base(int rte) {
  JoinRelation*& r = base_relations_[static_cast<std::size_t>(rte)];
  if (r == nullptr) {
    r = &relation_store_.emplace_back();
    r->rte = rte;
    r->relations.add(rte);
    r->visible.add(rte);
    const nodes::RangeTableEntry& entry = *p_.q_->range_table[static_cast<std::size_t>(rte - 1)];
    if (entry.kind == nodes::RteKind::relation) {
      const catalog::Relation& table = *p_.relations_[static_cast<std::size_t>(rte - 1)];
      r->is_table = table.kind != catalog::relation_kind::partitioned_table && entry.sample == nullptr;
      TableSize size = table_size(table);
      if (entry.sample != nullptr) size = sampled_size(*entry.sample, size);
      r->tuples = size.rows;
      r->pages = size.pages;
      total_pages_ += size.pages;
    }
  }
  return r;
}

void JoinPlanner::read_conditions(nodes::FromExpr* from) {
  RelationSet inner_joined;
  items_ = sort_out(from, false, all_, inner_joined);
  join_outer_constants();
  finish_classes();
}

JoinRelation* JoinPlanner::find_paths() {
  for (JoinRelation* r : base_relations_) if (r != nullptr) size_base(r);
  for (JoinRelation* r : base_relations_) if (r != nullptr) plan_base(r);
  return items_.empty() ? nullptr : search(items_);
}

// --- the tree -------------------------------------------------------------------------------------------------------------------------
std::vector<JoinPlanner::Item> JoinPlanner::sort_out(nodes::JoinNode* node, bool below_outer, RelationSet& scope, RelationSet& inner_joined) {
  check_stack_depth();
  switch (node->kind) {
    case JoinNodeKind::reference: {
      int rte = static_cast<nodes::RangeReference*>(node)->rte;
      base(rte);
      scope.add(rte);
      Item item;
      item.rte = rte;
      return {item};
    }
    case JoinNodeKind::from: return sort_out_from(static_cast<nodes::FromExpr*>(node), below_outer, scope, inner_joined);
    case JoinNodeKind::join: break;
  }
  return sort_out_join(static_cast<nodes::JoinExpr*>(node), below_outer, scope, inner_joined);
}

std::vector<JoinPlanner::Item> JoinPlanner::sort_out_from(nodes::FromExpr* from, bool below_outer, RelationSet& scope, RelationSet& inner_joined) {
  std::vector<Item> out;
  std::size_t remaining = from->items.size();
  for (nodes::JoinNode* child : from->items) {
    RelationSet below;
    std::vector<Item> items = sort_out(child, below_outer, below, inner_joined);
    scope.add(below);
    --remaining;
    // Small lists are merged into one problem.
    bool merge = items.size() <= 1 || out.size() + items.size() + remaining <= static_cast<std::size_t>(config::values::from_collapse_limit);
    if (merge) {
      for (Item& i : items) out.push_back(std::move(i));
    } else {
      Item item;
      item.list = std::move(items);
      out.push_back(std::move(item));
    }
  }
  if (from->items.size() > 1) inner_joined = scope;
  for (const Qual& q : p_.split(from->where)) distribute(q, below_outer, scope, nullptr, {}, {});
  return out;
}

std::vector<JoinPlanner::Item> JoinPlanner::sort_out_join(nodes::JoinExpr* join, bool below_outer, RelationSet& scope, RelationSet& inner_joined) {
  if (join->type == JoinType::right) {
    std::swap(join->left, join->right);
    join->type = JoinType::left;
  }
  bool left_below = below_outer || join->type == JoinType::full;
  bool right_below = below_outer || join->type == JoinType::full || join->type == JoinType::left || join->type == JoinType::anti;
  RelationSet left, right, left_inner, right_inner, nonnullable;
  std::vector<Item> left_items = sort_out(join->left, left_below, left, left_inner), right_items = sort_out(join->right, right_below, right, right_inner);
  scope = joined(left, right);
  inner_joined = join->type == JoinType::inner ? scope : joined(left_inner, right_inner);
  if (join->type == JoinType::left || join->type == JoinType::anti) nonnullable = left;
  if (join->type == JoinType::full) nonnullable = scope;
  std::vector<Qual> quals = p_.split(join->condition);
  SpecialJoin* special = nullptr;
  RelationSet join_scope;
  if (join->type != JoinType::inner) {
    special = make_special_join(join->type, left, right, inner_joined, quals);
    if (join->type != JoinType::semi) join_scope = joined(special->min_left, special->min_right);
  }
  for (const Qual& q : quals) distribute(q, below_outer, scope, special, join_scope, nonnullable);
  if (special != nullptr) special_joins_.push_back(*special);

  std::vector<Item> out;
  auto as_one = [&](std::vector<Item>& items) {
    if (items.size() == 1) {
      out.push_back(std::move(items[0]));
      return;
    }
    Item item;
    item.list = std::move(items);
    out.push_back(std::move(item));
  };
  bool merge = join->type != JoinType::full && left_items.size() + right_items.size() <= static_cast<std::size_t>(config::values::join_collapse_limit);
  if (merge) {
    out = std::move(left_items);
    for (Item& i : right_items) out.push_back(std::move(i));
    return out;
  }
  as_one(left_items);
  as_one(right_items);
  if (join->type != JoinType::full) return out;
  Item pair;   // nothing moves across a full join
  pair.list = std::move(out);
  return {pair};
}

// --- outer joins ----------------------------------------------------------------------------------------------------------------------
SpecialJoin* JoinPlanner::make_special_join(JoinType type, const RelationSet& left, const RelationSet& right, const RelationSet& inner_joined,
                                            const std::vector<Qual>& quals) {
  auto* out = &special_scratch_;
  *out = SpecialJoin{};
  out->type = type;
  out->left = left;
  out->right = right;
  if (type == JoinType::full) {
    out->min_left = left;
    out->min_right = right;
    return out;
  }
  if (type == JoinType::semi) note_unique(*out, quals);
  RelationSet mentioned;
  auto strict_for = [&](const RelationSet& relations) {
    return std::any_of(quals.begin(), quals.end(), [&](const Qual& q) { return is_strict_for(q.expr, relations); });
  };
  for (const Qual& q : quals) mentioned.add(q.relations);
  out->left_strict = strict_for(left);
  out->min_left = mentioned.common(left);
  out->min_right = joined(mentioned, inner_joined).common(right);
  bool one_sided = type == JoinType::semi || type == JoinType::anti;
  for (const SpecialJoin& lower : special_joins_) {
    RelationSet whole = joined(lower.left, lower.right);
    if (lower.type == JoinType::full) {
      if (left.overlaps(whole)) out->min_left.add(whole);
      if (right.overlaps(whole)) out->min_right.add(whole);
      continue;
    }
    if (left.overlaps(lower.right) && mentioned.overlaps(lower.right) && (one_sided || !strict_for(lower.min_right))) out->min_left.add(whole);
    if (right.overlaps(lower.right)) {
      bool keeps = mentioned.overlaps(lower.right) || !mentioned.overlaps(lower.min_left) || one_sided || lower.type == JoinType::semi ||
                   lower.type == JoinType::anti || !lower.left_strict || lower.delays_upper;
      if (keeps) out->min_right.add(whole);
    }
  }
  if (out->min_left.empty()) out->min_left = left;
  if (out->min_right.empty()) out->min_right = right;
  return out;
}

// Can the right side of a semi join be made unique and joined plainly?
void JoinPlanner::note_unique(SpecialJoin& join, const std::vector<Qual>& quals) {
  for (const Qual& q : quals) {
    if (contains_volatile(q.expr)) return;
    if (!q.relations.overlaps(join.right) || join.right.contains(q.relations)) continue;
    if (q.expr->kind != ExprKind::op || nodes::as<nodes::OpExpr>(q.expr)->args.size() != 2) return;
    auto* op = nodes::as<nodes::OpExpr>(q.expr);
    RelationSet a = p_.relations_of(op->args[0]), b = p_.relations_of(op->args[1]);
    Oid oid = op->op;
    Expr* side = op->args[1];
    if (join.right.contains(a) && !a.empty() && !b.overlaps(join.right)) {
      side = op->args[0];
      oid = catalog::operator_info(oid).commutator;
    } else if (b.empty() || !join.right.contains(b) || a.overlaps(join.right)) {
      return;
    }
    const catalog::OperatorInfo* info = is_valid(oid) ? catalog::find_operator(oid) : nullptr;
    if (info == nullptr || !info->can_hash || !info->can_merge) return;
    Oid type = nodes::type_of(side), equal = kInvalidOid;
    for (const catalog::FamilyMember& m : catalog::operator_families(oid)) {
      if (m.method == kBTreeAccessMethod && m.strategy == 3) equal = catalog::family_operator(m.family, m.right, m.right, 3);
    }
    if (!is_valid(equal) || !is_valid(type)) return;
    join.unique_expressions.push_back(side);
    join.unique_operators.push_back(equal);
  }
  join.can_unique = !join.unique_expressions.empty();
}

// A condition on what an outer join below may have made NULL waits for that join.
bool JoinPlanner::delay_for_outer_joins(RelationSet& relations) {
  bool delayed = false, changed = true;
  while (changed) {
    changed = false;
    for (SpecialJoin& j : special_joins_) {
      if (j.type == JoinType::semi) continue;
      bool nulled = relations.overlaps(j.min_right) || (j.type == JoinType::full && relations.overlaps(j.min_left));
      if (!nulled) continue;
      delayed = true;
      RelationSet both = joined(j.min_left, j.min_right);
      if (relations.contains(both)) continue;
      relations.add(both);
      changed = true;
    }
  }
  if (delayed) {
    for (SpecialJoin& j : special_joins_) if (j.type != JoinType::full && relations.overlaps(j.min_left)) j.delays_upper = true;
  }
  return delayed;
}

// --- conditions -----------------------------------------------------------------------------------------------------------------------
Clause* JoinPlanner::make_clause(Expr* e, const RelationSet& relations) {
  Clause* c = &clause_store_.emplace_back();
  c->expr = e;
  c->relations = relations;
  c->mentioned = p_.relations_of(e);
  if (e->kind != ExprKind::op || nodes::as<nodes::OpExpr>(e)->args.size() != 2) return c;
  auto* op = nodes::as<nodes::OpExpr>(e);
  c->op = op;
  c->left = p_.relations_of(op->args[0]);
  c->right = p_.relations_of(op->args[1]);
  const catalog::OperatorInfo* info = catalog::find_operator(op->op);
  if (info == nullptr || (!info->can_merge && !info->can_hash) || contains_volatile(e)) return c;
  c->can_join = !c->left.empty() && !c->right.empty() && !c->left.overlaps(c->right) && !contains_sub_plan(e);
  c->can_hash = info->can_hash;
  if (info->can_merge) {
    for (const catalog::FamilyMember& m : catalog::operator_families(op->op)) {
      if (m.method == kBTreeAccessMethod && m.strategy == 3) { c->merge_family = m.family; break; }
    }
  }
  return c;
}

void JoinPlanner::attach(Clause* c) {
  if (c->relations.empty()) {
    constant_conditions.push_back(p_.fold(c->expr));
    return;
  }
  if (c->relations.count() == 1) {
    base(c->relations.first())->restrictions.push_back(c);
    return;
  }
  for (JoinRelation* r : base_relations_) if (r != nullptr && c->relations.has(r->rte)) r->joins.push_back(c);
}

void JoinPlanner::distribute(const Qual& q, bool below_outer, const RelationSet& scope, const SpecialJoin* join, const RelationSet& join_scope,
                             const RelationSet& nonnullable) {
  RelationSet relations = q.relations;
  if (relations.empty()) {
    bool is_volatile = contains_volatile(q.expr);
    if (!join_scope.empty()) {
      relations = join_scope;
    } else if (!is_volatile && !below_outer) {
      constant_conditions.push_back(q.expr);
      return;
    } else {
      relations = scope;
    }
    if (relations.empty()) {
      constant_conditions.push_back(q.expr);
      return;
    }
  }
  bool of_outer = !q.relations.empty() ? q.relations.overlaps(nonnullable) : !join_scope.empty();
  if (of_outer) {
    bool delayed = delay_for_outer_joins(relations);
    Clause* c = make_clause(q.expr, join_scope);
    c->relations.add(q.relations);
    c->is_filter = false;
    c->delayed = delayed;
    c->nonnullable = nonnullable;
    set_classes(*c);
    attach(c);
    if (!delayed && join != nullptr && join->type == JoinType::left && c->can_join && is_valid(c->merge_family)) outer_equalities_.push_back(c);
    return;
  }
  bool degenerate = !join_scope.empty();   // ON that names the nullable side only
  bool delayed = delay_for_outer_joins(relations);
  // A semi join's condition must not be checked before its own sides are there.
  Clause* c = make_clause(q.expr, relations);
  c->delayed = delayed;
  if (!delayed && !degenerate && is_valid(c->merge_family) && add_equivalence(c, below_outer)) return;
  set_classes(*c);
  attach(c);
}

}  // namespace hathi::planner
