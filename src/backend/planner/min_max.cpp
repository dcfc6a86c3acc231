// min(x) and max(x) of one table, with partitions or without: the first or last entry of an index on x, when that is cheaper than reading all rows.

#include <algorithm>

#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/planner_settings.h"
#include "paths.h"
#include "pull_up.h"

namespace hathi::planner {

using nodes::ExprKind;

namespace {

struct Extreme { nodes::Aggregate* aggregate = nullptr; Oid order = kInvalidOid; };

// The one table of a FROM without joins, and its conditions; 0 when it is not like that.
int only_relation(nodes::FromExpr* from, std::vector<Expr*>& conditions) {
  while (from != nullptr) {
    if (from->where != nullptr) conditions.push_back(from->where);
    if (from->items.size() != 1) return 0;
    nodes::JoinNode* item = from->items[0];
    if (item->kind == nodes::JoinNodeKind::reference) return static_cast<nodes::RangeReference*>(item)->rte;
    if (item->kind != nodes::JoinNodeKind::from) return 0;
    from = static_cast<nodes::FromExpr*>(item);
  }
  return 0;
}

// Every aggregate must be the least or greatest value of a column.
bool collect(Expr* e, int rte, std::vector<Extreme>& out) {
  if (e == nullptr) return true;
  if (e->kind == ExprKind::sub_link) return false;
  if (e->kind == ExprKind::aggregate) {
    auto* a = nodes::as<nodes::Aggregate>(e);
    const catalog::AggregateInfo* info = catalog::find_aggregate(a->function);
    bool plain = info != nullptr && is_valid(info->sort_operator) && a->args.size() == 1 && a->order_by.empty() && a->filter == nullptr && a->levels_up == 0;
    if (!plain) return false;
    const Expr* arg = a->args[0]->expr;
    if (arg->kind != ExprKind::variable || nodes::as<nodes::Variable>(arg)->rte != rte || nodes::as<nodes::Variable>(arg)->column <= 0) return false;
    if (std::none_of(out.begin(), out.end(), [&](const Extreme& x) { return nodes::equal(x.aggregate, a); })) out.push_back({a, info->sort_operator});
    return true;
  }
  if (e->kind == ExprKind::variable && nodes::as<nodes::Variable>(e)->levels_up == 0) return false;
  return !nodes::for_each_child(e, [&](Expr* c) { return !collect(c, rte, out); });
}

bool is_descending(Oid order) {
  for (const catalog::FamilyMember& m : catalog::operator_families(order)) if (m.method == kBTreeAccessMethod) return m.strategy == 5;
  return false;
}

// Partitions are merged, or read one after the other.
bool gives_first_row_soon(const Plan& p) {
  if (p.kind == PlanKind::partitioned_scan) return static_cast<const PartitionedScan&>(p).ordered;
  return p.kind == PlanKind::index_scan || p.kind == PlanKind::index_only_scan || p.kind == PlanKind::result;
}

}  // namespace

// The query for one extreme: SELECT x FROM … WHERE x IS NOT NULL AND … ORDER BY x LIMIT 1.
Query* QueryPlanner::extreme_query(const nodes::Aggregate* a, Oid order, int rte, bool nulls_first) {
  Query* sub = nodes::copy(q_, s_.arena);
  raise_levels(sub, 1, s_.arena);
  Expr* x = nodes::copy(a->args[0]->expr, s_.arena);
  auto* present = nodes::make<nodes::NullTest>(s_.arena);
  present->arg = x;
  present->is_null = false;
  std::vector<Expr*> conditions{present};
  only_relation(sub->from, conditions);
  auto* reference = s_.arena.make<nodes::RangeReference>();
  reference->kind = nodes::JoinNodeKind::reference;
  reference->rte = 1;
  auto* from = s_.arena.make<nodes::FromExpr>();
  from->kind = nodes::JoinNodeKind::from;
  from->items.push_back(s_.arena, reference);
  from->where = make_and(s_.arena, conditions);
  // The table is the only entry left.
  List<nodes::RangeTableEntry*> entries;
  entries.push_back(s_.arena, sub->range_table[static_cast<std::size_t>(rte - 1)]);
  sub->range_table = entries;
  auto renumber = [&](auto&& self, Expr* e) -> Expr* {
    if (e == nullptr) return nullptr;
    if (e->kind == ExprKind::variable && nodes::as<nodes::Variable>(e)->levels_up == 0) {
      auto* v = s_.arena.make<nodes::Variable>(*nodes::as<nodes::Variable>(e));
      v->rte = 1;
      return v;
    }
    return nodes::map_each_child(e, [&](Expr* c) { return self(self, c); }, s_.arena);
  };
  from->where = renumber(renumber, from->where);
  sub->from = from;
  sub->has_aggregates = false;
  sub->order_by.clear();
  sub->targets.clear();
  TargetEntry* t = make_target(s_.arena, renumber(renumber, x), 1, "min_max");
  t->sort_group_ref = 1;
  sub->targets.push_back(s_.arena, t);
  auto* sort = s_.arena.make<nodes::SortClause>();
  sort->ref = 1;
  sort->order_operator = order;
  sort->nulls_first = nulls_first;
  for (const catalog::FamilyMember& m : catalog::operator_families(order)) {
    if (m.method == kBTreeAccessMethod) sort->equal_operator = catalog::family_operator(m.family, m.left, m.right, 3);
  }
  sub->order_by.push_back(s_.arena, sort);
  auto* one = nodes::make<nodes::Constant>(s_.arena);
  one->type = type_oid::int8;
  one->layout = catalog::type_info(type_oid::int8).layout;
  one->value = Datum::of(std::int64_t{1});
  sub->limit = one;
  sub->offset = nullptr;
  return sub;
}

// Nullptr: the query is not of that kind, or reading the rows is cheaper.
Plan* QueryPlanner::plan_min_max() {
  bool candidate = !plain_aggregates_ && q_->has_aggregates && q_->command == nodes::CommandKind::select && q_->group_by.empty() && q_->grouping_sets.empty() &&
                   q_->having == nullptr && !q_->has_windows && !q_->has_target_srfs && q_->distinct.empty() && q_->row_marks.empty() && q_->ctes.empty() &&
                   q_->set_operations == nullptr && config::values::enable_indexscan;
  if (!candidate) return nullptr;
  std::vector<Expr*> conditions;
  int rte = only_relation(q_->from, conditions);
  if (rte == 0) return nullptr;
  const nodes::RangeTableEntry& entry = *q_->range_table[static_cast<std::size_t>(rte - 1)];
  if (entry.kind != nodes::RteKind::relation || entry.sample != nullptr) return nullptr;
  for (Expr* e : conditions) if (contains_sub_link(e) || contains_volatile(e)) return nullptr;
  std::vector<Extreme> extremes;
  for (const TargetEntry* t : q_->targets) if (!collect(t->expr, rte, extremes)) return nullptr;
  catalog::RelationRef table = catalog::open_relation(entry.relation, locking::LockMode::none);
  if (table->kind == catalog::relation_kind::partitioned_table && !entry.inherit) return nullptr;
  std::vector<bool> nulls_first;
  for (const Extreme& x : extremes) {
    AttrNumber column = nodes::as<nodes::Variable>(x.aggregate->args[0]->expr)->column;
    bool found = false, first = false;
    for (const catalog::IndexDescriptor* i : table->indexes) {
      if (i->access_method != kBTreeAccessMethod) continue;
      for (int k = 0; k < i->key_count && !found; ++k) {
        auto n = static_cast<std::size_t>(k);
        if (i->columns[n] != column) continue;
        found = true;
        bool same = is_descending(x.order) == ((i->options[n] & 1) != 0), index_first = (i->options[n] & 2) != 0;
        first = same ? index_first : !index_first;
      }
    }
    if (!found) return nullptr;
    nulls_first.push_back(first);
  }

  // Both ways are planned; the one not taken leaves nothing behind.
  s_.ranges.resize(static_cast<std::size_t>(offset_));
  std::size_t ranges = s_.ranges.size(), subplans = s_.subplans.size(), links = s_.subplan_links.size(), params = s_.exec_types.size(),
              results = s_.result_rtes.size();
  auto forget = [&] {
    s_.ranges.resize(ranges);
    s_.subplans.resize(subplans);
    s_.subplan_links.resize(links);
    s_.exec_types.resize(params);
    s_.result_rtes.resize(results);
  };
  double plain_cost;
  {
    QueryPlanner plain(s_, nodes::copy(q_, s_.arena), parent_);
    plain.plain_aggregates_ = true;
    plain_cost = plain.plan()->total_cost;
  }
  forget();
  Query* by_index = nodes::copy(q_, s_.arena);
  by_index->has_aggregates = false;
  by_index->from = s_.arena.make<nodes::FromExpr>();
  by_index->from->kind = nodes::JoinNodeKind::from;
  by_index->range_table.clear();
  List<nodes::SubLink*> queries;
  for (std::size_t i = 0; i < extremes.size(); ++i) {
    auto* link = nodes::make<nodes::SubLink>(s_.arena);
    link->type = nodes::SubLink::Type::scalar;
    link->query = extreme_query(extremes[i].aggregate, extremes[i].order, rte, nulls_first[i]);
    link->result_type = extremes[i].aggregate->type;
    link->collation = extremes[i].aggregate->collation;
    queries.push_back(s_.arena, link);
  }
  // One subquery for equal aggregates: the first is planned, its value used by all.
  QueryPlanner child(s_, by_index, parent_);
  std::vector<Expr*> planned;
  for (nodes::SubLink* link : queries) planned.push_back(child.plan_sub_link(link));
  auto replace = [&](auto&& self, Expr* e) -> Expr* {
    if (e == nullptr) return nullptr;
    if (e->kind == ExprKind::aggregate) {
      for (std::size_t i = 0; i < extremes.size(); ++i) if (nodes::equal(extremes[i].aggregate, e)) return planned[i];
    }
    return nodes::map_each_child(e, [&](Expr* c) { return self(self, c); }, s_.arena);
  };
  for (TargetEntry* t : by_index->targets) t->expr = replace(replace, t->expr);
  double cost = 0;
  bool ordered = true;
  for (std::size_t i = subplans; i < s_.subplans.size(); ++i) {
    const Plan* p = s_.subplans[i];
    cost += p->total_cost;
    ordered = ordered && p->kind == PlanKind::limit && p->left != nullptr && gives_first_row_soon(*p->left);
  }
  if (!ordered || cost >= plain_cost || !child.params_from_parent_.empty()) {
    forget();
    s_.ranges.resize(ranges + q_->range_table.size());
    return nullptr;
  }
  Plan* out = child.plan();
  out->startup_cost += cost;
  out->total_cost += cost;
  return out;
}

}  // namespace hathi::planner
