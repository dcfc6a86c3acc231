#include "query_planner.h"

#include "paths.h"
#include "pull_up.h"

#include <functional>

#include "hathi/base/stack.h"
#include "hathi/catalog/lookup.h"

namespace hathi::planner {

QueryPlanner::QueryPlanner(StatementContext& statement, Query* query, QueryPlanner* parent) : s_(statement), q_(query), parent_(parent) {
  check_stack_depth();
  pull_up_subqueries(q_, s_.arena);
  offset_ = static_cast<int>(s_.ranges.size());
  s_.ranges.resize(s_.ranges.size() + q_->range_table.size());
  used_.resize(q_->range_table.size() + 1);
  relations_.resize(q_->range_table.size());
}

QueryPlanner::~QueryPlanner() = default;

// Everything an execution needs of a range-table entry.
void QueryPlanner::fill_range_entry(int rte) {
  nodes::RangeTableEntry* from = q_->range_table[static_cast<std::size_t>(rte - 1)];
  RangeEntry& to = s_.ranges[static_cast<std::size_t>(offset_ + rte - 1)];
  to.kind = from->kind;
  to.relation = from->relation;
  to.relation_kind = from->relation_kind;
  to.lock = static_cast<locking::LockMode>(from->lock_mode);
  to.name = from->name;
  to.has_alias = from->has_alias;
  to.source = from;
  if (from->kind == nodes::RteKind::relation) relations_[static_cast<std::size_t>(rte - 1)] = catalog::open_relation(from->relation, locking::LockMode::none);
}

Plan* QueryPlanner::plan() {
  if (Plan* by_index = plan_min_max()) return by_index;
  for (int rte = 1; rte <= static_cast<int>(q_->range_table.size()); ++rte) fill_range_entry(rte);
  prepare_query();
  plan_ctes();
  if (q_->set_operations != nullptr) {
    Plan* p = plan_set_operations();
    p = plan_order(p);
    p = plan_limit(p);
    for (int n : init_plans_) p->init_plans.push_back(s_.arena, n);
    set_references(p, offset_, s_, q_);
    return p;
  }
  prepare_modify_targets();
  prepare_expressions();
  push_having_down();
  RelPlan from = plan_from(q_->from);
  Plan* p = from.plan;
  p = plan_grouping(p);
  p = plan_windows(p);
  p = plan_distinct_and_order(p);
  p = plan_row_marks(p);
  p = plan_limit(p);
  if (q_->command != nodes::CommandKind::select) p = plan_modify(p);
  for (int n : init_plans_) p->init_plans.push_back(s_.arena, n);
  set_references(p, offset_, s_, q_);
  return p;
}

// The columns of joins are expanded where a variable names them; as expressions of the query they would count as used.
void QueryPlanner::prepare_query() {
  join_columns_.resize(q_->range_table.size());
  for (std::size_t i = 0; i < q_->range_table.size(); ++i) {
    join_columns_[i] = q_->range_table[i]->join_columns;
    q_->range_table[i]->join_columns.clear();
  }
  if (q_->has_modifying_cte) s_.has_modifying_cte = true;
}

namespace {

Expr* prepare_hook(Expr* e, void* context) { return (*static_cast<std::function<Expr*(Expr*)>*>(context))(e); }

}  // namespace

void QueryPlanner::prepare_expressions() {
  std::function<Expr*(Expr*)> change = [this](Expr* e) { return prepare(e); };
  nodes::map_query_expressions(q_, prepare_hook, &change);
  collect_used_columns();
}

void QueryPlanner::collect_used_columns() {
  nodes::walk_query_expressions(q_, [](Expr* e, void* self) { static_cast<QueryPlanner*>(self)->note_used(e); return false; }, this);
  // The items of FROM that a lateral subquery reads are planned before it is.
  for (const nodes::RangeTableEntry* entry : q_->range_table) {
    if (entry->kind == nodes::RteKind::subquery && entry->lateral && entry->subquery != nullptr) note_outer_uses(entry->subquery, 1);
  }
}

// Columns of this query that a query `depth` levels below names.
void QueryPlanner::note_outer_uses(nodes::Query* below, int depth) {
  check_stack_depth();
  struct Walk { QueryPlanner* planner; int depth; } walk{this, depth};
  nodes::walk_query_expressions(below, [](Expr* e, void* context) {
    auto* w = static_cast<Walk*>(context);
    w->planner->note_outer_uses(e, w->depth);
    return false;
  }, &walk);
  for (const nodes::RangeTableEntry* entry : below->range_table) if (entry->subquery != nullptr) note_outer_uses(entry->subquery, depth + 1);
  for (const nodes::CommonTableExpr* cte : below->ctes) note_outer_uses(cte->query, depth + 1);
}

void QueryPlanner::note_outer_uses(Expr* e, int depth) {
  if (e == nullptr) return;
  if (e->kind == nodes::ExprKind::variable) {
    auto* v = nodes::as<nodes::Variable>(e);
    if (v->levels_up != depth) return;
    auto* local = s_.arena.make<nodes::Variable>(*v);
    local->levels_up = 0;
    note_used(expand_join_variable(local));
    return;
  }
  if (e->kind == nodes::ExprKind::sub_link) note_outer_uses(nodes::as<nodes::SubLink>(e)->query, depth + 1);
  nodes::for_each_child(e, [this, depth](Expr* c) { note_outer_uses(c, depth); return false; });
}

}  // namespace hathi::planner
