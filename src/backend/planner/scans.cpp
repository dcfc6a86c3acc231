// Leaves of the plan that are no tables: subqueries, functions, VALUES; what all leaves have in common.

#include <algorithm>

#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/lookup.h"
#include "paths.h"

namespace hathi::planner {

using nodes::ExprKind;
using nodes::RteKind;

namespace {

struct SystemColumn { AttrNumber number; Oid type; };
constexpr SystemColumn kSystemColumns[] = {{-1, type_oid::tid}, {-2, type_oid::xid}, {-3, type_oid::cid},
                                           {-4, type_oid::xid}, {-5, type_oid::cid}, {-6, type_oid::oid}};

}  // namespace

nodes::Variable* QueryPlanner::make_variable(int rte, AttrNumber column) {
  auto* v = nodes::make<nodes::Variable>(s_.arena);
  v->rte = rte;
  v->column = column;
  const nodes::RangeTableEntry& entry = *q_->range_table[static_cast<std::size_t>(rte - 1)];
  if (column < 0) {
    for (const SystemColumn& c : kSystemColumns) if (c.number == column) v->type = c.type;
  } else if (entry.kind == RteKind::relation) {
    const catalog::Relation& r = *relations_[static_cast<std::size_t>(rte - 1)];
    if (column == 0) {
      v->type = r.row_type;
    } else {
      const Attribute& a = (*r.descriptor)[column - 1];
      v->type = a.type;
      v->typmod = a.typmod;
      v->collation = a.collation;
    }
  } else if (column == 0) {
    v->type = type_oid::record;
  } else {
    auto i = static_cast<std::size_t>(column - 1);
    if (i < entry.types.size()) {
      v->type = entry.types[i];
      v->typmod = i < entry.typmods.size() ? entry.typmods[i] : -1;
      v->collation = i < entry.collations.size() ? entry.collations[i] : kInvalidOid;
    } else if (entry.kind == RteKind::subquery) {
      int n = 0;
      for (const TargetEntry* t : entry.subquery->targets) {
        if (t->junk || ++n != column) continue;
        v->type = nodes::type_of(t->expr);
        v->typmod = nodes::typmod_of(t->expr);
        v->collation = nodes::collation_of(t->expr);
      }
    }
  }
  v->source_rte = offset_ + rte;
  v->source_column = column;
  return v;
}

// Bytes of the columns on average, by statistics where there are some.
int QueryPlanner::target_width(const List<TargetEntry*>& targets) const {
  int width = 0;
  for (const TargetEntry* t : targets) {
    const Expr* e = t->expr;
    const catalog::Relation* table = nullptr;
    if (e->kind == ExprKind::variable) {
      const auto* v = nodes::as<nodes::Variable>(e);
      if (v->levels_up == 0 && v->rte > 0 && v->column != 0 && static_cast<std::size_t>(v->rte) <= relations_.size())
        table = relations_[static_cast<std::size_t>(v->rte - 1)].get();
      if (table != nullptr) width += column_width(*table, v->column);
    }
    if (table == nullptr) width += type_width(nodes::type_of(e), nodes::typmod_of(e));
  }
  return width;
}

void QueryPlanner::set_scan_targets(Plan* plan, int rte) {
  std::vector<AttrNumber> columns = used_[static_cast<std::size_t>(rte)];
  std::sort(columns.begin(), columns.end());
  int number = 1;
  for (AttrNumber c : columns) plan->targets.push_back(s_.arena, make_target(s_.arena, make_variable(rte, c), number++));
  plan->width = width_of(plan->targets);
}

RelPlan QueryPlanner::plan_relation(int rte, std::vector<Qual>& quals) {
  RelPlan out;
  out.relations.add(rte);
  const nodes::RangeTableEntry& entry = *q_->range_table[static_cast<std::size_t>(rte - 1)];
  std::vector<Expr*> conditions;
  RelationSet self = RelationSet::of(rte);
  for (Qual& q : quals) {
    if (q.placed || q.relations.empty() || !self.contains(q.relations)) continue;
    q.placed = true;
    conditions.push_back(q.expr);
  }
  if (entry.kind == RteKind::relation) {
    base_conditions_[rte] = conditions;
    if (entry.sample != nullptr) bind_sample(rte, out);
    out.plan = plan_table(rte, conditions, false);
    return out;
  }
  switch (entry.kind) {
    case RteKind::subquery: out.plan = plan_subquery_rte(rte, conditions, out); break;
    case RteKind::function: out.plan = plan_function_rte(rte, out); break;
    case RteKind::values: out.plan = plan_values_rte(rte, out); break;
    case RteKind::cte: out.plan = plan_cte_rte(rte); break;
    default: {
      auto* result = make_plan<Result>(s_.arena, PlanKind::result);
      result->rows = 1;
      out.plan = result;
    }
  }
  for (Expr* e : conditions) {
    out.plan->filter.push_back(s_.arena, e);
    out.plan->rows = std::max(1.0, out.plan->rows * selectivity(e, nullptr));
  }
  return out;
}
Plan* QueryPlanner::plan_subquery_rte(int rte, std::vector<Expr*>& conditions, RelPlan& out) {
  nodes::RangeTableEntry& entry = *q_->range_table[static_cast<std::size_t>(rte - 1)];
  double saved = s_.tuple_fraction;
  s_.tuple_fraction = 0;
  Query* query = nodes::copy(entry.subquery, s_.arena);
  push_into_subquery(query, rte, conditions);
  QueryPlanner child(s_, query, this);
  auto* scan = make_plan<SubqueryScan>(s_.arena, PlanKind::subquery_scan);
  scan->rte = rte;
  scan->subplan = child.plan();
  s_.tuple_fraction = saved;
  for (const OuterParam& p : child.params_from_parent_) note_lateral(rte, p.slot, p.other, out);
  scan->rows = scan->subplan->rows;
  scan->startup_cost = scan->subplan->startup_cost;
  scan->total_cost = scan->subplan->total_cost + scan->rows * 0.01;
  set_scan_targets(scan, rte);
  return scan;
}

// The item reads a value of another item of the same FROM.
void QueryPlanner::note_lateral(int rte, int slot, Expr* value, RelPlan& out) {
  Expr* ready = prepare_node(nodes::copy(value, s_.arena));
  lateral_params_.push_back({rte, slot, ready});
  note_used(ready);
  out.needs.add(relations_of(ready));
}

// Variables of other items in the expressions of a lateral item become parameters.
Expr* QueryPlanner::bind_outer_items(Expr* e, int rte, RelPlan& out) {
  if (e == nullptr) return nullptr;
  if (e->kind == ExprKind::variable && nodes::as<nodes::Variable>(e)->levels_up == 0) {
    auto* v = nodes::as<nodes::Variable>(e);
    int slot = -1;
    for (const LateralParam& p : lateral_params_) if (p.rte == rte && nodes::equal(p.value, v)) slot = p.slot;
    if (slot < 0) {
      slot = s_.new_exec_param(v->type);
      note_lateral(rte, slot, v, out);
    }
    auto* p = nodes::make<nodes::Parameter>(s_.arena, v->location);
    p->source = nodes::Parameter::Source::exec;
    p->number = slot;
    p->type = v->type;
    p->typmod = v->typmod;
    p->collation = v->collation;
    return p;
  }
  return nodes::map_each_child(e, [&](Expr* c) { return bind_outer_items(c, rte, out); }, s_.arena);
}

Plan* QueryPlanner::plan_function_rte(int rte, RelPlan& out) {
  nodes::RangeTableEntry& entry = *q_->range_table[static_cast<std::size_t>(rte - 1)];
  auto* scan = make_plan<FunctionScan>(s_.arena, PlanKind::function_scan);
  scan->rte = rte;
  scan->ordinality = entry.ordinality;
  double rows = 1;
  for (nodes::FunctionRte* f : entry.functions) {
    auto* copy = s_.arena.make<nodes::FunctionRte>(*f);
    copy->call = bind_outer_items(f->call, rte, out);
    scan->functions.push_back(s_.arena, copy);
    if (f->call != nullptr && f->call->kind == ExprKind::function) {
      const auto* call = nodes::as<nodes::FunctionExpr>(f->call);
      const catalog::FunctionInfo* info = catalog::find_function(call->function);
      if (call->returns_set && info != nullptr) rows = std::max(rows, info->rows);
    }
  }
  scan->rows = rows;
  scan->total_cost = rows * 0.01;
  set_scan_targets(scan, rte);
  return scan;
}

Plan* QueryPlanner::plan_values_rte(int rte, RelPlan& out) {
  nodes::RangeTableEntry& entry = *q_->range_table[static_cast<std::size_t>(rte - 1)];
  auto* scan = make_plan<ValuesScan>(s_.arena, PlanKind::values_scan);
  scan->rte = rte;
  for (const List<Expr*>& row : entry.values) {
    List<Expr*> bound;
    for (Expr* e : row) bound.push_back(s_.arena, entry.lateral ? bind_outer_items(e, rte, out) : e);
    scan->rows_of_values.push_back(s_.arena, bound);
  }
  scan->rows = entry.values.size();
  scan->total_cost = scan->rows * 0.0125;
  set_scan_targets(scan, rte);
  return scan;
}

}  // namespace hathi::planner
