// Equivalence classes: what WHERE makes equal. Conditions between any two members follow from them, and orders by equal expressions are one
// order.

#include <algorithm>

#include "hathi/catalog/lookup.h"
#include "hathi/config/planner_settings.h"
#include "paths.h"

namespace hathi::planner {

using nodes::ExprKind;

namespace {

const Expr* bare(const Expr* e) {
  while (e->kind == ExprKind::relabel) e = nodes::as<nodes::Relabel>(e)->arg;
  return e;
}

bool same_expression(const Expr* a, const Expr* b) {
  if (a == b) return true;
  const Expr *x = bare(a), *y = bare(b);
  return x->kind == y->kind && nodes::equal(x, y);
}

}  // namespace

bool JoinPlanner::matches(const EquivalenceClass& c, Expr* e, Oid family, Oid collation) const {
  if (c.merged_into != nullptr || c.is_volatile || c.family != family || c.collation != collation) return false;
  return std::any_of(c.members.begin(), c.members.end(), [&](const EquivalenceMember& m) { return same_expression(m.expr, e); });
}

EquivalenceClass* JoinPlanner::class_of(Expr* e, Oid type, Oid family, Oid collation, bool create) {
  bool is_volatile = contains_volatile(e);
  if (!is_volatile) {
    for (std::size_t i = 0; i < class_store_.size(); ++i) if (matches(class_store_[i], e, family, collation)) return &class_store_[i];
  }
  if (!create) return nullptr;
  EquivalenceClass& c = class_store_.emplace_back();
  c.family = family;
  c.collation = collation;
  c.is_volatile = is_volatile;
  RelationSet relations = p_.relations_of(e);
  bool constant = relations.empty() && !is_volatile && !contains_sub_plan(e) && e->kind != ExprKind::aggregate && e->kind != ExprKind::window_function &&
                  (e->kind == ExprKind::constant || e->kind == ExprKind::parameter);
  c.members.push_back({e, relations, type, constant});
  c.has_constant = constant;
  c.relations = relations;
  return &c;
}

// Takes an equality into a class; false: it stays a plain condition.
bool JoinPlanner::add_equivalence(Clause* clause, bool below_outer) {
  nodes::OpExpr* op = clause->op;
  if (contains_sub_plan(op) || same_expression(op->args[0], op->args[1])) return false;
  const catalog::OperatorInfo& info = catalog::operator_info(op->op);
  Oid family = clause->merge_family, collation = op->input_collation;
  auto find = [&](Expr* e, const RelationSet& relations) -> EquivalenceClass* {
    for (std::size_t i = 0; i < class_store_.size(); ++i) {
      EquivalenceClass& c = class_store_[i];
      if (!matches(c, e, family, collation)) continue;
      if (relations.empty() && (below_outer || c.below_outer_join)) continue;   // a constant binds only where nothing is NULL-extended
      return &c;
    }
    return nullptr;
  };
  EquivalenceClass* a = find(op->args[0], clause->left);
  EquivalenceClass* b = find(op->args[1], clause->right);
  auto add_member = [&](EquivalenceClass& c, Expr* e, const RelationSet& relations, Oid type) {
    c.members.push_back({e, relations, type, relations.empty()});
    c.has_constant = c.has_constant || relations.empty();
    c.relations.add(relations);
  };
  EquivalenceClass* into;
  if (a != nullptr && b != nullptr) {
    into = a;
    if (a != b) {
      a->members.insert(a->members.end(), b->members.begin(), b->members.end());
      a->sources.insert(a->sources.end(), b->sources.begin(), b->sources.end());
      a->relations.add(b->relations);
      a->has_constant = a->has_constant || b->has_constant;
      a->below_outer_join = a->below_outer_join || b->below_outer_join;
      b->merged_into = a;
    }
  } else if (a != nullptr) {
    into = a;
    add_member(*a, op->args[1], clause->right, info.right);
  } else if (b != nullptr) {
    into = b;
    add_member(*b, op->args[0], clause->left, info.left);
  } else {
    into = &class_store_.emplace_back();
    into->family = family;
    into->collation = collation;
    add_member(*into, op->args[0], clause->left, info.left);
    add_member(*into, op->args[1], clause->right, info.right);
  }
  into->below_outer_join = into->below_outer_join || below_outer;
  into->sources.push_back(clause);
  clause->parent = into;
  return true;
}

// ON of a left join says outer = inner, and outer is a constant: inner is it too, before the join.
void JoinPlanner::join_outer_constants() {
  for (Clause* c : outer_equalities_) {
    bool left_is_outer = c->nonnullable.contains(c->left);
    if (!left_is_outer && !c->nonnullable.contains(c->right)) continue;
    Expr* outer = c->op->args[left_is_outer ? 0 : 1];
    Expr* inner = c->op->args[left_is_outer ? 1 : 0];
    const RelationSet& inner_relations = left_is_outer ? c->right : c->left;
    if (inner_relations.count() != 1 || inner_relations.overlaps(c->nonnullable)) continue;
    const catalog::OperatorInfo& info = catalog::operator_info(c->op->op);
    EquivalenceClass* k = nullptr;
    for (std::size_t i = 0; i < class_store_.size(); ++i) {
      EquivalenceClass& x = class_store_[i];
      if (x.has_constant && !x.below_outer_join && matches(x, outer, c->merge_family, c->op->input_collation)) k = &x;
    }
    if (k == nullptr) continue;
    for (const EquivalenceMember& m : k->members) {
      if (!m.constant) continue;
      Oid oid = catalog::family_operator(k->family, left_is_outer ? info.right : info.left, m.type, 3);
      if (!is_valid(oid)) break;
      auto* op = s_.arena.make<nodes::OpExpr>(*c->op);
      op->op = oid;
      op->function = catalog::operator_info(oid).function;
      op->args = {};   // not the other's array
      op->args.push_back(s_.arena, inner);
      op->args.push_back(s_.arena, m.expr);
      attach(make_clause(op, inner_relations));
      c->delayed = true;   // as a scan's condition it would count twice
      break;
    }
  }
}

// The condition left = right: one that was written, or a new one.
Clause* JoinPlanner::derive(EquivalenceClass& c, const EquivalenceMember& left, const EquivalenceMember& right) {
  for (const auto* list : {&c.sources, &c.derived}) {
    for (Clause* known : *list) {
      if (same_expression(known->op->args[0], left.expr) && same_expression(known->op->args[1], right.expr)) return known;
      if (same_expression(known->op->args[0], right.expr) && same_expression(known->op->args[1], left.expr)) return known;
    }
  }
  Oid oid = catalog::family_operator(c.family, left.type, right.type, 3);
  if (!is_valid(oid)) return nullptr;
  auto* op = nodes::make<nodes::OpExpr>(s_.arena);
  op->op = oid;
  op->function = catalog::operator_info(oid).function;
  op->type = catalog::operator_info(oid).result;
  op->input_collation = c.collation;
  op->args.push_back(s_.arena, left.expr);
  op->args.push_back(s_.arena, right.expr);
  Clause* out = make_clause(op, joined(left.relations, right.relations));
  out->merge_family = c.family;
  out->parent = &c;
  c.derived.push_back(out);
  return out;
}

// All equalities are known: those within one relation are handed to it.
void JoinPlanner::finish_classes() {
  for (std::size_t n = 0; n < class_store_.size(); ++n) {
    EquivalenceClass& c = class_store_[n];
    if (c.merged_into != nullptr || c.sources.empty()) continue;
    for (Clause* source : c.sources) source->parent = &c;
    for (const EquivalenceMember& a : c.members) {
      for (const EquivalenceMember& b : c.members) c.broken = c.broken || !is_valid(catalog::family_operator(c.family, a.type, b.type, 3));
    }
    if (c.broken) {
      for (Clause* source : c.sources) {
        source->parent = nullptr;
        attach(source);
      }
      continue;
    }
    if (c.has_constant) {
      if (c.sources.size() == 1) {
        attach(c.sources[0]);
        continue;
      }
      const EquivalenceMember* constant = nullptr;
      for (const EquivalenceMember& m : c.members) if (m.constant && (constant == nullptr || m.expr->kind == ExprKind::constant)) constant = &m;
      for (const EquivalenceMember& m : c.members) if (&m != constant) if (Clause* made = derive(c, m, *constant)) attach(made);
      continue;
    }
    std::vector<std::pair<int, const EquivalenceMember*>> last;
    for (const EquivalenceMember& m : c.members) {
      if (m.relations.count() != 1) continue;
      int rte = m.relations.first();
      auto it = std::find_if(last.begin(), last.end(), [&](const auto& l) { return l.first == rte; });
      if (it == last.end()) {
        last.emplace_back(rte, &m);
      } else {
        attach(derive(c, *it->second, m));
        it->second = &m;
      }
    }
  }
  classes_ready_ = true;
}

// The conditions that follow from the classes when two relations meet: one a class is enough.
void JoinPlanner::derived_joins(const JoinRelation& outer, const JoinRelation& inner, std::vector<Clause*>& out) {
  RelationSet both = joined(outer.visible, inner.visible);
  for (std::size_t n = 0; n < class_store_.size(); ++n) {
    EquivalenceClass& c = class_store_[n];
    if (c.merged_into != nullptr || c.sources.empty() || c.has_constant || c.broken || c.members.size() < 2) continue;
    if (!c.relations.overlaps(outer.relations) || !c.relations.overlaps(inner.relations)) continue;
    std::vector<const EquivalenceMember*> left, right, across;
    auto comes_from = [](const JoinRelation& r, const EquivalenceMember& m) {
      if (!r.visible.contains(m.relations)) return false;
      return r.only == nullptr || std::any_of(r.only->begin(), r.only->end(), [&](const Expr* e) { return same_expression(e, m.expr); });
    };
    for (const EquivalenceMember& m : c.members) {
      if (comes_from(outer, m)) left.push_back(&m);
      else if (comes_from(inner, m)) right.push_back(&m);
      else if (both.contains(m.relations) && !outer.visible.contains(m.relations) && !inner.visible.contains(m.relations)) across.push_back(&m);
    }
    if (!left.empty() && !right.empty()) {
      const EquivalenceMember *best_left = nullptr, *best_right = nullptr;
      int best = -1;
      for (const EquivalenceMember* a : left) {
        for (const EquivalenceMember* b : right) {
          int score = (bare(a->expr)->kind == ExprKind::variable ? 1 : 0) + (bare(b->expr)->kind == ExprKind::variable ? 1 : 0);
          if (score <= best) continue;
          best = score;
          best_left = a;
          best_right = b;
        }
      }
      if (Clause* made = derive(c, *best_left, *best_right)) out.push_back(made);
    }
    const EquivalenceMember* first = !left.empty() ? left[0] : (!right.empty() ? right[0] : nullptr);
    for (const EquivalenceMember* m : across) {
      if (first == nullptr) {
        first = m;
        continue;
      }
      if (Clause* made = derive(c, *first, *m)) out.push_back(made);
    }
  }
}

void JoinPlanner::set_classes(Clause& c) {
  if (!c.can_join || !is_valid(c.merge_family) || c.left_class != nullptr) return;
  const catalog::OperatorInfo& info = catalog::operator_info(c.op->op);
  c.left_class = class_of(c.op->args[0], info.left, c.merge_family, c.op->input_collation, true);
  c.right_class = class_of(c.op->args[1], info.right, c.merge_family, c.op->input_collation, true);
}

bool JoinPlanner::connected_by_class(const JoinRelation& a, const JoinRelation& b) const {
  for (std::size_t i = 0; i < class_store_.size(); ++i) {
    const EquivalenceClass& c = class_store_[i];
    if (c.merged_into != nullptr || c.sources.empty() || c.members.size() < 2) continue;
    if (c.relations.overlaps(a.relations) && c.relations.overlaps(b.relations)) return true;
  }
  return false;
}

// --- orders ---------------------------------------------------------------------------------------------------------------------------
const PathKey* JoinPlanner::intern(EquivalenceClass* c, Oid family, bool descending, bool nulls_first) {
  for (std::size_t i = 0; i < key_store_.size(); ++i) {
    const PathKey& k = key_store_[i];
    if (k.of == c && k.family == family && k.descending == descending && k.nulls_first == nulls_first) return &k;
  }
  return &key_store_.emplace_back(PathKey{c, family, descending, nulls_first});
}

const PathKey* JoinPlanner::key_in_family(Expr* e, Oid family, Oid collation, Oid type, bool descending, bool nulls_first) {
  EquivalenceClass* c = root(class_of(e, type, family, collation, true));
  return c->redundant_as_key() ? nullptr : intern(c, family, descending, nulls_first);
}

const PathKey* JoinPlanner::key_for(Expr* e, Oid order_operator, bool nulls_first) {
  for (const catalog::FamilyMember& m : catalog::operator_families(order_operator)) {
    if (m.method != kBTreeAccessMethod || (m.strategy != 1 && m.strategy != 5)) continue;
    return key_in_family(e, m.family, nodes::collation_of(e), m.left, m.strategy == 5, nulls_first);
  }
  EquivalenceClass* own = &class_store_.emplace_back();   // an operator of no family: equal to nothing
  own->is_volatile = true;
  own->members.push_back({e, p_.relations_of(e), nodes::type_of(e), false});
  return intern(own, kInvalidOid, false, nulls_first);
}

PathKeys JoinPlanner::keys_of(const List<nodes::SortClause*>& clauses, const List<TargetEntry*>& targets) {
  PathKeys out;
  for (const nodes::SortClause* c : clauses) {
    if (!is_valid(c->order_operator)) return {};
    const PathKey* k = key_for(find_target(targets, c->ref)->expr, c->order_operator, c->nulls_first);
    bool known = k == nullptr || std::any_of(out.begin(), out.end(), [&](const PathKey* x) { return x->of == k->of; });
    if (!known) out.push_back(k);
  }
  return out;
}

bool JoinPlanner::begins_with(const PathKeys& keys, const PathKeys& wanted) { return common_prefix(keys, wanted) == wanted.size(); }

std::size_t JoinPlanner::common_prefix(const PathKeys& keys, const PathKeys& wanted) {
  std::size_t n = 0;
  while (n < keys.size() && n < wanted.size() && keys[n] == wanted[n]) ++n;
  return n;
}

// The part of an order that a merge join or the level above could use.
PathKeys JoinPlanner::useful(const PathKeys& keys, const JoinRelation& relation) {
  std::size_t keep = 0;
  for (const PathKeys& wanted : wanted_orders) keep = std::max(keep, common_prefix(keys, wanted));
  for (std::size_t i = keep; i < keys.size(); ++i) {
    const EquivalenceClass* c = keys[i]->of;
    bool merges = c->members.size() > 1 && !relation.relations.contains(c->relations);
    for (const Clause* j : relation.joins) {
      if (merges || relation.relations.contains(j->relations)) continue;
      merges = (j->left_class != nullptr && root(j->left_class) == c) || (j->right_class != nullptr && root(j->right_class) == c);
    }
    if (!merges) break;
    keep = i + 1;
  }
  return {keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(keep)};
}

}  // namespace hathi::planner
