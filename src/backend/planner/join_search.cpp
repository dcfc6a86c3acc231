// The order of joins: every order that outer joins allow, by dynamic programming; for very many relations, the next cheapest pair each time.

#include <algorithm>

#include "hathi/base/stack.h"
#include "hathi/config/planner_settings.h"
#include "hathi/shmem/interrupts.h"
#include "paths.h"

namespace hathi::planner {

using nodes::JoinType;

JoinRelation* JoinPlanner::search(const std::vector<Item>& items) {
  check_stack_depth();
  std::vector<JoinRelation*> relations;
  for (const Item& i : items) relations.push_back(i.rte != 0 ? base(i.rte) : search(i.list));
  if (relations.size() == 1) return relations[0];
  bool many = config::values::geqo && relations.size() >= static_cast<std::size_t>(config::values::geqo_threshold);
  return many ? greedy_search(std::move(relations)) : dynamic_search(std::move(relations));
}

JoinRelation* JoinPlanner::dynamic_search(std::vector<JoinRelation*> items) {
  std::size_t n = items.size();
  std::vector<std::vector<JoinRelation*>> levels(n + 1);
  levels[1] = items;
  for (std::size_t level = 2; level <= n; ++level) {
    std::size_t first_new = joins_.size();
    auto join = [&](JoinRelation* a, JoinRelation* b) {
      if (!a->relations.overlaps(b->relations)) try_join(a, b);
    };
    // One more relation on what was joined before; without a condition only where nothing else leads on.
    for (std::size_t i = 0; i < levels[level - 1].size(); ++i) {
      JoinRelation* old = levels[level - 1][i];
      bool has_condition = !old->joins.empty() || std::any_of(items.begin(), items.end(), [&](JoinRelation* r) {
        return !r->relations.overlaps(old->relations) && (has_join_condition(*old, *r) || has_order_restriction(*old, *r));
      });
      for (std::size_t k = level == 2 ? i + 1 : 0; k < items.size(); ++k) {
        JoinRelation* next = items[k];
        if (next->relations.overlaps(old->relations)) continue;
        if (has_condition && !has_join_condition(*old, *next) && !has_order_restriction(*old, *next)) continue;
        join(old, next);
      }
    }
    // Two joined sets with a condition between them.
    for (std::size_t k = 2; k + 2 <= level && k <= level - k; ++k) {
      for (std::size_t i = 0; i < levels[k].size(); ++i) {
        JoinRelation* a = levels[k][i];
        for (std::size_t j = k == level - k ? i + 1 : 0; j < levels[level - k].size(); ++j) {
          JoinRelation* b = levels[level - k][j];
          if (a->relations.overlaps(b->relations)) continue;
          if (has_join_condition(*a, *b) || has_order_restriction(*a, *b)) join(a, b);
        }
      }
    }
    if (joins_.size() == first_new) {
      for (JoinRelation* old : levels[level - 1]) for (JoinRelation* next : items) join(old, next);
    }
    for (std::size_t i = first_new; i < joins_.size(); ++i) {
      if (joins_[i]->paths.empty()) continue;
      set_cheapest(*joins_[i]);
      levels[level].push_back(joins_[i]);
    }
  }
  if (levels[n].empty() && failed_full_join_) {
    throw SqlError(sqlstate::feature_not_supported, "FULL JOIN is only supported with merge-joinable or hash-joinable join conditions");
  }
  if (levels[n].empty()) throw SqlError(sqlstate::feature_not_supported, "could not find an order for the joins of this query");
  return levels[n][0];
}

// Joins the pair that makes the fewest rows, those with a condition first.
JoinRelation* JoinPlanner::greedy_search(std::vector<JoinRelation*> items) {
  while (items.size() > 1) {
    check_interrupts();
    JoinRelation* best = nullptr;
    std::size_t first = 0, second = 0;
    bool best_connected = false;
    for (int pass = 0; pass < 2 && best == nullptr; ++pass) {
      for (std::size_t i = 0; i < items.size(); ++i) {
        for (std::size_t j = i + 1; j < items.size(); ++j) {
          bool connected = has_join_condition(*items[i], *items[j]) || has_order_restriction(*items[i], *items[j]);
          if (!connected && pass == 0) continue;
          JoinRelation* r = try_join(items[i], items[j]);
          if (r == nullptr || r->paths.empty()) continue;
          set_cheapest(*r);
          if (best != nullptr && (best_connected && !connected)) continue;
          if (best != nullptr && r->cheapest->total >= best->cheapest->total) continue;
          best = r;
          best_connected = connected;
          first = i;
          second = j;
        }
      }
    }
    if (best == nullptr) throw SqlError(sqlstate::feature_not_supported, "could not find an order for the joins of this query");
    items[first] = best;
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(second));
  }
  return items[0];
}

bool JoinPlanner::has_join_condition(const JoinRelation& a, const JoinRelation& b) const {
  const JoinRelation& fewer = a.joins.size() <= b.joins.size() ? a : b;
  const RelationSet& other = &fewer == &a ? b.relations : a.relations;
  if (std::any_of(fewer.joins.begin(), fewer.joins.end(), [&](const Clause* c) { return c->relations.overlaps(other); })) return true;
  return connected_by_class(a, b);
}

// Must these two be joined although no condition says so?
bool JoinPlanner::has_order_restriction(const JoinRelation& a, const JoinRelation& b) const {
  if (a.needs.overlaps(b.relations) || b.needs.overlaps(a.relations)) return true;
  for (const SpecialJoin& j : special_joins_) {
    if (a.relations.contains(j.min_left) && b.relations.contains(j.min_right)) return true;
    if (b.relations.contains(j.min_left) && a.relations.contains(j.min_right)) return true;
    if (j.min_right.overlaps(a.relations) && j.min_right.overlaps(b.relations)) return true;
    if (j.min_left.overlaps(a.relations) && j.min_left.overlaps(b.relations)) return true;
  }
  return false;
}

bool JoinPlanner::is_legal(JoinRelation& a, JoinRelation& b, const RelationSet& both, Legality& out) {
  bool must_be_left = false;
  for (const SpecialJoin& j : special_joins_) {
    if (!j.min_right.overlaps(both) || j.min_right.contains(both)) continue;
    if (a.relations.contains(j.min_left) && a.relations.contains(j.min_right)) continue;
    if (b.relations.contains(j.min_left) && b.relations.contains(j.min_right)) continue;
    if (j.type == JoinType::semi) {   // made unique and joined earlier
      if (a.relations.contains(j.right) && !(a.relations == j.right)) continue;
      if (b.relations.contains(j.right) && !(b.relations == j.right)) continue;
    }
    Legality found{&j, false, false};
    if (a.relations.contains(j.min_left) && b.relations.contains(j.min_right)) {
    } else if (b.relations.contains(j.min_left) && a.relations.contains(j.min_right)) {
      found.reversed = true;
    } else if (j.type == JoinType::semi && j.can_unique && b.relations == j.right && a.relations.contains(j.min_left) && unique_path(b, j) != nullptr) {
      found.unique = true;
    } else if (j.type == JoinType::semi && j.can_unique && a.relations == j.right && b.relations.contains(j.min_left) && unique_path(a, j) != nullptr) {
      found.reversed = found.unique = true;
    } else {
      if (a.relations.overlaps(j.min_right) && b.relations.overlaps(j.min_right)) continue;
      if (j.type != JoinType::left || both.overlaps(j.min_left)) return false;
      must_be_left = true;
      continue;
    }
    if (out.join != nullptr) return false;
    out = found;
  }
  if (must_be_left && (out.join == nullptr || out.join->type != JoinType::left || !out.join->left_strict)) return false;
  // What a lateral item reads comes from the outer side, all at once.
  bool a_reads = a.needs.overlaps(b.relations), b_reads = b.needs.overlaps(a.relations);
  if (a_reads && b_reads) return false;
  if (a_reads && !b.relations.contains(a.needs)) return false;
  if (b_reads && !a.relations.contains(b.needs)) return false;
  return true;
}

std::vector<Clause*> JoinPlanner::clauses_between(const JoinRelation& a, const JoinRelation& b, const RelationSet& both) {
  std::vector<Clause*> out;
  for (Clause* c : a.joins) if (both.contains(c->relations) && !a.relations.contains(c->relations)) out.push_back(c);
  // Conditions of no column of a, but of b and what a brings in.
  for (Clause* c : b.joins) {
    if (both.contains(c->relations) && !b.relations.contains(c->relations) && std::find(out.begin(), out.end(), c) == out.end()) out.push_back(c);
  }
  derived_joins(a, b, out);
  return out;
}

JoinRelation* JoinPlanner::relation_for(const RelationSet& both, JoinRelation* a, JoinRelation* b, const SpecialJoin* special,
                                        const std::vector<Clause*>& clauses) {
  for (JoinRelation* r : joins_) if (r->relations == both) return r;
  JoinRelation* r = &relation_store_.emplace_back();
  r->relations = both;
  r->visible = joined(a->visible, b->visible);
  r->needs = joined(a->needs, b->needs);
  r->needs.remove(both);
  JoinType type = special != nullptr ? special->type : JoinType::inner;
  bool hides = type == JoinType::anti || (type == JoinType::semi && a->relations.contains(special->min_left));
  if (hides) r->visible.remove(special->right);
  r->rows = joined_rows(*a, *b, type, clauses, both);
  r->width = a->width + (hides ? 0 : b->width);
  for (const auto* list : {&a->joins, &b->joins}) {
    for (Clause* c : *list) if (!both.contains(c->relations) && std::find(r->joins.begin(), r->joins.end(), c) == r->joins.end()) r->joins.push_back(c);
  }
  joins_.push_back(r);
  return r;
}

// Adds the ways to join two relations; nullptr when they must not be joined.
JoinRelation* JoinPlanner::try_join(JoinRelation* a, JoinRelation* b) {
  check_interrupts();
  RelationSet both = joined(a->relations, b->relations);
  Legality legality;
  if (!is_legal(*a, *b, both, legality)) return nullptr;
  if (legality.reversed) std::swap(a, b);
  const SpecialJoin* special = legality.join;
  std::vector<Clause*> clauses = clauses_between(*a, *b, both);
  JoinRelation* r = relation_for(both, a, b, special, clauses);
  if (r->is_dummy) return r;
  if (is_dummy_join(*a, *b, special != nullptr ? special->type : JoinType::inner)) {
    make_dummy(*r);
    return r;
  }
  switch (special != nullptr ? special->type : JoinType::inner) {
    case JoinType::inner:
    case JoinType::right:
      add_join_paths(r, a, b, JoinType::inner, special, clauses);
      add_join_paths(r, b, a, JoinType::inner, special, clauses);
      add_partitionwise_join(*r, *a, *b, JoinType::inner, clauses);
      break;
    case JoinType::left:
      add_join_paths(r, a, b, JoinType::left, special, clauses);
      add_join_paths(r, b, a, JoinType::right, special, clauses);
      add_partitionwise_join(*r, *a, *b, JoinType::left, clauses);
      break;
    case JoinType::full:
      add_join_paths(r, a, b, JoinType::full, special, clauses);
      add_join_paths(r, b, a, JoinType::full, special, clauses);
      add_partitionwise_join(*r, *a, *b, JoinType::full, clauses);
      failed_full_join_ = failed_full_join_ || r->paths.empty();
      break;
    case JoinType::anti:
      add_join_paths(r, a, b, JoinType::anti, special, clauses);
      add_partitionwise_join(*r, *a, *b, JoinType::anti, clauses);
      break;
    case JoinType::semi: {
      if (a->relations.contains(special->min_left) && b->relations.contains(special->min_right)) {
        add_join_paths(r, a, b, JoinType::semi, special, clauses);
        add_partitionwise_join(*r, *a, *b, JoinType::semi, clauses);
      }
      if (!special->can_unique || !(b->relations == special->right)) break;
      Path* unique = unique_path(*b, *special);
      if (unique == nullptr) break;
      // The same relation without duplicates.
      JoinRelation* once = unique->relation;
      once->only = &special->unique_expressions;
      clauses = clauses_between(*a, *once, both);
      add_join_paths(r, a, once, JoinType::inner, special, clauses);
      add_join_paths(r, once, a, JoinType::inner, special, clauses);
      break;
    }
  }
  return r;
}

// The right side of a semi join, each combination of what is compared once.
Path* JoinPlanner::unique_path(JoinRelation& b, const SpecialJoin& join) {
  if (b.unique != nullptr && b.unique_for == &join) return b.unique;
  if (b.cheapest == nullptr || !b.needs.empty()) return nullptr;
  JoinRelation* once = &relation_store_.emplace_back();
  if (b.is_table && has_unique_index(b, join.unique_expressions)) {   // nothing to do
    *once = b;
    once->unique = nullptr;
    once->parameterized.clear();
    Path* p = make_path(PathKind::plan, once);
    *p = *b.cheapest;
    p->relation = once;
    once->paths = {p};
    once->cheapest = once->cheapest_startup = p;
    b.unique = p;
    b.unique_for = &join;
    return p;
  }
  if (!config::values::enable_hashagg) return nullptr;
  once->relations = b.relations;
  once->visible = b.visible;
  once->width = b.width;
  once->joins = b.joins;
  once->rows = group_count(join.unique_expressions, b.rows);
  Path* p = make_path(PathKind::unique, once);
  p->left = b.cheapest;
  p->rows = once->rows;
  double columns = static_cast<double>(join.unique_expressions.size());
  p->startup = b.cheapest->total + config::values::cpu_operator_cost * columns * b.rows;
  p->total = p->startup + config::values::cpu_tuple_cost * p->rows;
  p->memo_keys = join.unique_expressions;
  p->memo_operators = join.unique_operators;
  once->paths.push_back(p);
  once->cheapest = once->cheapest_startup = p;
  b.unique = p;
  b.unique_for = &join;
  return p;
}

}  // namespace hathi::planner
