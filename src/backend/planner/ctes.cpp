// WITH: each query planned once, its rows shared by all references.

#include "hathi/catalog/lookup.h"
#include "query_planner.h"

namespace hathi::planner {

CteInfo* QueryPlanner::find_cte(std::string_view name, int levels_up) {
  QueryPlanner* level = this;
  for (int i = 0; i < levels_up && level != nullptr; ++i) level = level->parent_;
  if (level == nullptr) return nullptr;
  auto it = level->ctes_.find(name);
  return it == level->ctes_.end() ? nullptr : &it->second;
}

void QueryPlanner::plan_ctes() {
  for (const nodes::CommonTableExpr* cte : q_->ctes) {
    CteInfo& info = ctes_[cte->name];
    info.cte = cte;
    if (cte->reference_count == 0 && cte->query->command == nodes::CommandKind::select) continue;
    info.param = s_.new_exec_param(kInvalidOid);
    if (cte->recursive) {
      plan_recursive_cte(*cte, info);
    } else {
      double saved = s_.tuple_fraction;
      s_.tuple_fraction = 0;
      QueryPlanner child(s_, nodes::copy(cte->query, s_.arena), this);
      Plan* plan = child.plan();
      s_.tuple_fraction = saved;
      info.rows = plan->rows;
      s_.subplans.push_back(plan);
    }
    info.plan = static_cast<int>(s_.subplans.size());
    auto* link = nodes::make<nodes::SubPlan>(s_.arena);
    link->type = nodes::SubLink::Type::multi;   // a CTE: run through CteScan, not as an expression
    link->plan = info.plan;
    link->name = s_.arena.copy(fmt::format("CTE {}", cte->name));
    link->is_init_plan = true;
    link->set_params.push_back(s_.arena, info.param);
    s_.subplan_links.push_back(link);
    init_plans_.push_back(info.plan);
  }
}

// The non-recursive term, then the recursive one over the rows of the last round.
void QueryPlanner::plan_recursive_cte(const nodes::CommonTableExpr& cte, CteInfo& info) {
  Query* query = nodes::copy(cte.query, s_.arena);
  info.work_param = s_.new_exec_param(kInvalidOid);
  QueryPlanner level(s_, query, this);
  for (int rte = 1; rte <= static_cast<int>(query->range_table.size()); ++rte) level.fill_range_entry(rte);
  level.prepare_query();
  nodes::SetOperation* top = query->set_operations;
  if (top == nullptr || top->op != nodes::SetOperation::Op::union_op) throw SqlError(sqlstate::internal_error, "recursive query is not a UNION");
  level.plan_ctes();
  Plan* left = level.plan_set_leaf(top->left);
  info.rows = left->rows * 10;
  Plan* right = level.plan_set_leaf(top->right);
  auto* plan = make_plan<RecursiveUnion>(s_.arena, PlanKind::recursive_union);
  plan->left = left;
  plan->right = right;
  plan->work_param = info.work_param;
  plan->distinct = !top->all;
  plan->targets = level.set_operation_targets(*top, left);
  for (std::size_t i = 0; i < top->group.size(); ++i) {
    plan->columns.push_back(s_.arena, static_cast<AttrNumber>(i + 1));
    plan->equal_operators.push_back(s_.arena, top->group[i]->equal_operator);
    plan->collations.push_back(s_.arena, top->collations[i]);
  }
  plan->rows = info.rows;
  plan->total_cost = left->total_cost + 10 * right->total_cost;
  for (int n : level.init_plans_) plan->init_plans.push_back(s_.arena, n);
  set_references(plan, level.offset_, s_, query);
  s_.subplans.push_back(plan);
}

Plan* QueryPlanner::plan_cte_rte(int rte) {
  const nodes::RangeTableEntry& entry = *q_->range_table[static_cast<std::size_t>(rte - 1)];
  CteInfo* info = find_cte(entry.cte_name, entry.cte_levels_up);
  if (info == nullptr) throw SqlError(sqlstate::internal_error, "could not find CTE \"{}\"", entry.cte_name);
  Plan* out = nullptr;
  if (entry.self_reference) {
    auto* scan = make_plan<WorkTableScan>(s_.arena, PlanKind::work_table_scan);
    scan->rte = rte;
    scan->work_param = info->work_param;
    out = scan;
  } else {
    auto* scan = make_plan<CteScan>(s_.arena, PlanKind::cte_scan);
    scan->rte = rte;
    scan->plan = info->plan;
    scan->cte_param = info->param;
    out = scan;
  }
  out->rows = std::max(1.0, info->rows);
  out->total_cost = out->rows * 0.02;
  set_scan_targets(out, rte);
  return out;
}

}  // namespace hathi::planner
