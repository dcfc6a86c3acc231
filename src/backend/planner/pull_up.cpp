#include "pull_up.h"

#include <algorithm>

#include "hathi/base/builtin_oids.h"
#include "hathi/base/stack.h"
#include "query_planner.h"

namespace hathi::planner {

namespace {

using nodes::ExprKind;
using nodes::JoinNode;
using nodes::JoinNodeKind;
using nodes::JoinType;
using nodes::RteKind;

template <class T>
T* make_join_node(Arena& arena) {
  T* node = arena.make<T>();
  node->kind = T::kKind;
  return node;
}

bool any_target(const Query& q, bool (*test)(Expr*)) {
  return std::any_of(q.targets.begin(), q.targets.end(), [&](const TargetEntry* t) { return test(t->expr); });
}

// --- WITH -----------------------------------------------------------------------------------------------------------------------------
bool has_volatile(Query* q) {
  if (nodes::walk_query_expressions(q, [](Expr* e, void*) { return contains_volatile(e); }, nullptr)) return true;
  return std::any_of(q->range_table.begin(), q->range_table.end(),
                     [](nodes::RangeTableEntry* r) { return r->subquery != nullptr && has_volatile(r->subquery); });
}

// A query used once, at this level, is a subquery.
void inline_ctes(Query* q) {
  for (nodes::CommonTableExpr* cte : q->ctes) {
    if (cte->recursive || cte->materialized == 1 || cte->query->command != nodes::CommandKind::select || cte->query->has_modifying_cte) continue;
    if (cte->reference_count != 1 || !cte->query->row_marks.empty() || has_volatile(cte->query)) continue;
    for (nodes::RangeTableEntry* r : q->range_table) {
      if (r->kind != RteKind::cte || r->cte_levels_up != 0 || r->self_reference || r->cte_name != cte->name) continue;
      r->kind = RteKind::subquery;
      r->subquery = cte->query;
      cte->reference_count = 0;
      break;
    }
  }
  // What moved into the range table is planned there.
  std::uint32_t kept = 0;
  for (nodes::CommonTableExpr* cte : q->ctes) {
    bool moved = std::any_of(q->range_table.begin(), q->range_table.end(), [&](const nodes::RangeTableEntry* r) { return r->subquery == cte->query; });
    if (!moved) q->ctes[kept++] = cte;
  }
  q->ctes.truncate(kept);
}

// --- sublinks -------------------------------------------------------------------------------------------------------------------------
void append_entries(Query* q, const Query& sub, bool hidden, Arena& arena) {
  for (nodes::RangeTableEntry* r : sub.range_table) {
    if (hidden) r->in_from = false;
    q->range_table.push_back(arena, r);
  }
}

void shift_references(JoinNode* node, int shift) {
  check_stack_depth();
  switch (node->kind) {
    case JoinNodeKind::reference: static_cast<nodes::RangeReference*>(node)->rte += shift; break;
    case JoinNodeKind::from:
      for (JoinNode* item : static_cast<nodes::FromExpr*>(node)->items) shift_references(item, shift);
      break;
    case JoinNodeKind::join: {
      auto* join = static_cast<nodes::JoinExpr*>(node);
      if (join->rte > 0) join->rte += shift;
      shift_references(join->left, shift);
      shift_references(join->right, shift);
      break;
    }
  }
}

Expr* bind_columns(Expr* e, int rte, Arena& arena) {
  if (e == nullptr) return nullptr;
  if (e->kind == ExprKind::parameter && nodes::as<nodes::Parameter>(e)->source == nodes::Parameter::Source::sub_link) {
    const auto* p = nodes::as<nodes::Parameter>(e);
    auto* v = nodes::make<nodes::Variable>(arena, e->location);
    v->rte = v->source_rte = rte;
    v->column = v->source_column = static_cast<AttrNumber>(p->number);
    v->type = p->type;
    v->typmod = p->typmod;
    v->collation = p->collation;
    return v;
  }
  return nodes::map_each_child(e, [&](Expr* c) { return bind_columns(c, rte, arena); }, arena);
}

// x IN (SELECT …), not correlated: a semi join with the subquery.
JoinNode* convert_any(Query* q, nodes::SubLink* link, Expr*& condition, Arena& arena) {
  if (link->test == nullptr || contains_volatile(link->test) || contains_sub_link(link->test) || !mentions_level(link->test, 0)) return nullptr;
  if (link->query->command != nodes::CommandKind::select || mentions_level(link->query, 1)) return nullptr;
  Query* sub = nodes::copy(link->query, arena);
  auto* entry = arena.make<nodes::RangeTableEntry>();
  entry->kind = RteKind::subquery;
  entry->name = "ANY_subquery";
  entry->subquery = sub;
  entry->in_from = false;
  for (const TargetEntry* t : sub->targets) {
    if (t->junk) continue;
    entry->column_names.push_back(arena, t->name);
    entry->types.push_back(arena, nodes::type_of(t->expr));
    entry->typmods.push_back(arena, nodes::typmod_of(t->expr));
    entry->collations.push_back(arena, nodes::collation_of(t->expr));
  }
  q->range_table.push_back(arena, entry);
  auto* reference = make_join_node<nodes::RangeReference>(arena);
  reference->rte = static_cast<int>(q->range_table.size());
  condition = bind_columns(link->test, reference->rte, arena);
  return reference;
}

// EXISTS whose only look outside is in its WHERE: its FROM becomes the right side of the join, WHERE the condition.
JoinNode* convert_exists(Query* q, nodes::SubLink* link, Expr*& condition, Arena& arena) {
  Query* sub = nodes::copy(link->query, arena);
  if (!sub->ctes.empty() || !simplify_exists(sub) || sub->from == nullptr || sub->from->items.empty() || sub->limit != nullptr) return nullptr;
  Expr* where = sub->from->where;
  if (where == nullptr || contains_volatile(where) || contains_sub_link(where) || !mentions_level(where, 1)) return nullptr;
  sub->from->where = nullptr;
  if (mentions_level(sub, 1)) return nullptr;
  int shift = static_cast<int>(q->range_table.size());
  merge_levels(sub, shift, arena);
  condition = merge_levels(where, shift, arena);
  shift_references(sub->from, shift);
  append_entries(q, *sub, true, arena);
  return sub->from;
}

void split_ands(Expr* e, std::vector<Expr*>& out) {
  if (e == nullptr) return;
  if (e->kind == ExprKind::boolean && nodes::as<nodes::BooleanExpr>(e)->op == nodes::BooleanExpr::Op::and_op) {
    for (Expr* a : nodes::as<nodes::BooleanExpr>(e)->args) split_ands(a, out);
    return;
  }
  out.push_back(e);
}

void convert_sub_links(Query* q, Arena& arena) {
  if (q->from == nullptr || q->from->where == nullptr || q->from->items.empty() || !contains_sub_link(q->from->where)) return;
  std::vector<Expr*> quals, kept;
  split_ands(q->from->where, quals);
  struct Found { JoinType type; JoinNode* right; Expr* condition; };
  std::vector<Found> found;
  for (Expr* e : quals) {
    bool negated = e->kind == ExprKind::boolean && nodes::as<nodes::BooleanExpr>(e)->op == nodes::BooleanExpr::Op::not_op;
    Expr* inside = negated ? nodes::as<nodes::BooleanExpr>(e)->args[0] : e;
    JoinNode* right = nullptr;
    Expr* condition = nullptr;
    if (inside->kind == ExprKind::sub_link) {
      auto* link = nodes::as<nodes::SubLink>(inside);
      if (link->type == nodes::SubLink::Type::exists) right = convert_exists(q, link, condition, arena);
      else if (link->type == nodes::SubLink::Type::any && !negated) right = convert_any(q, link, condition, arena);
    }
    if (right == nullptr) kept.push_back(e);
    else found.push_back({negated ? JoinType::anti : JoinType::semi, right, condition});
  }
  if (found.empty()) return;
  auto* inner = make_join_node<nodes::FromExpr>(arena);
  inner->items = q->from->items;
  inner->where = make_and(arena, kept);
  JoinNode* left = inner;
  for (const Found& f : found) {
    auto* join = make_join_node<nodes::JoinExpr>(arena);
    join->type = f.type;
    join->left = left;
    join->right = f.right;
    join->condition = f.condition;
    left = join;
  }
  auto* outer = make_join_node<nodes::FromExpr>(arena);
  outer->items.push_back(arena, left);
  q->from = outer;
}

// --- subqueries -----------------------------------------------------------------------------------------------------------------------
// FOR UPDATE/SHARE of its own, which says which rows are locked; marks from above go up with the tables.
bool has_own_row_marks(const Query& sub) {
  return std::any_of(sub.row_marks.begin(), sub.row_marks.end(), [](const nodes::RowMark* m) { return !m->pushed_down; });
}

bool is_simple(const Query& sub) {
  return sub.command == nodes::CommandKind::select && sub.set_operations == nullptr && !sub.has_aggregates && !sub.has_windows && !sub.has_target_srfs &&
         sub.group_by.empty() && sub.grouping_sets.empty() && sub.having == nullptr && sub.distinct.empty() && !sub.has_distinct_on && sub.order_by.empty() &&
         sub.limit == nullptr && sub.offset == nullptr && !has_own_row_marks(sub) && sub.ctes.empty() && !sub.has_modifying_cte && sub.from != nullptr &&
         !sub.from->items.empty();
}

bool only_variables(const Query& sub) {
  return std::all_of(sub.targets.begin(), sub.targets.end(), [](const TargetEntry* t) {
    return t->expr->kind == ExprKind::variable && nodes::as<nodes::Variable>(t->expr)->levels_up == 0;
  });
}

class SubqueryPuller {
 public:
  SubqueryPuller(Query* q, Arena& arena) : q_(q), arena_(arena) {}

  // nullable: an outer join above makes the node's columns NULL.
  JoinNode* pull(JoinNode* node, bool nullable) {
    check_stack_depth();
    switch (node->kind) {
      case JoinNodeKind::reference: return pull_entry(static_cast<nodes::RangeReference*>(node), nullable);
      case JoinNodeKind::from: {
        auto* from = static_cast<nodes::FromExpr*>(node);
        for (JoinNode*& item : from->items) item = pull(item, nullable);
        return from;
      }
      case JoinNodeKind::join: {
        auto* join = static_cast<nodes::JoinExpr*>(node);
        bool left = nullable || join->type == JoinType::right || join->type == JoinType::full;
        bool right = nullable || join->type == JoinType::left || join->type == JoinType::full;
        join->left = pull(join->left, left);
        join->right = pull(join->right, right);
        return join;
      }
    }
    return node;
  }

 private:
  JoinNode* pull_entry(nodes::RangeReference* reference, bool nullable) {
    int rte = reference->rte;
    nodes::RangeTableEntry* entry = q_->range_table[static_cast<std::size_t>(rte - 1)];
    if (entry->kind != RteKind::subquery || entry->subquery == nullptr || entry->lateral || entry->security_barrier) return reference;
    Query* sub = entry->subquery;
    pull_up_subqueries(sub, arena_);
    if (!is_simple(*sub) || any_target(*sub, contains_volatile) || any_target(*sub, contains_sub_link) || any_target(*sub, contains_srf)) return reference;
    bool plain = only_variables(*sub);
    if ((nullable || !q_->grouping_sets.empty()) && !plain) return reference;
    if (!sub->row_marks.empty() && !is_marked(rte)) return reference;
    if (has_whole_row(q_, rte)) return reference;
    int shift = static_cast<int>(q_->range_table.size());
    entry->subquery = nullptr;
    merge_levels(sub, shift, arena_);
    shift_references(sub->from, shift);
    append_entries(q_, *sub, !entry->in_from, arena_);
    if (is_marked(rte)) replace_row_mark(rte, *sub, shift);
    std::vector<Expr*> columns;
    for (const TargetEntry* t : sub->targets) if (!t->junk) columns.push_back(t->expr);
    substitute_columns(q_, rte, columns, arena_);
    q_->has_sub_links = q_->has_sub_links || sub->has_sub_links;
    return sub->from;
  }

  bool is_marked(int rte) const {
    return std::any_of(q_->row_marks.begin(), q_->row_marks.end(), [&](const nodes::RowMark* m) { return m->rte == rte; });
  }

  // Rows of the subquery's tables are locked instead of its own.
  void replace_row_mark(int rte, const Query& sub, int shift) {
    List<nodes::RowMark*> marks;
    for (nodes::RowMark* m : q_->row_marks) if (m->rte != rte) marks.push_back(arena_, m);
    for (const nodes::RowMark* m : sub.row_marks) {
      auto* moved = arena_.make<nodes::RowMark>(*m);
      moved->rte += shift;
      marks.push_back(arena_, moved);
    }
    q_->row_marks = marks;
  }

  Query* q_;
  Arena& arena_;
};

}  // namespace

bool simplify_exists(Query* q) {
  if (q->set_operations != nullptr || q->has_modifying_cte || q->command != nodes::CommandKind::select) return false;
  if (q->has_aggregates || !q->grouping_sets.empty() || q->has_windows || q->has_target_srfs || q->having != nullptr || q->offset != nullptr ||
      !q->row_marks.empty()) {
    return false;
  }
  if (q->limit != nullptr) {
    const auto* c = q->limit->kind == ExprKind::constant ? nodes::as<nodes::Constant>(q->limit) : nullptr;
    if (c == nullptr || c->is_null || c->value.as_int64() <= 0) return false;
  }
  q->limit = nullptr;
  q->targets.clear();
  q->group_by.clear();
  q->distinct.clear();
  q->order_by.clear();
  q->has_distinct_on = false;
  return true;
}

void pull_up_subqueries(Query* q, Arena& arena) {
  check_stack_depth();
  if (q->command == nodes::CommandKind::utility) return;
  inline_ctes(q);
  if (q->set_operations != nullptr || q->from == nullptr) return;
  convert_sub_links(q, arena);
  SubqueryPuller puller(q, arena);
  // Entries are appended while the tree is walked; what is pulled up was walked as a query of its own.
  auto* from = static_cast<nodes::FromExpr*>(puller.pull(q->from, false));
  q->from = from;
}

}  // namespace hathi::planner
