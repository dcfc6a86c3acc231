// TABLESAMPLE: how much of the table is read, and the scan that reads it.

#include <algorithm>
#include <cmath>

#include "hathi/config/planner_settings.h"
#include "paths.h"

namespace hathi::planner {

namespace values = config::values;

namespace {

// A percentage that is not known yet, or is no percentage.
constexpr double kUnknownFraction = 0.1;

bool is_by_block(const nodes::TableSample& sample) { return sample.method == "system"; }

double fraction_of(const nodes::TableSample& sample) {
  const Expr* e = sample.args[0];
  if (e->kind != nodes::ExprKind::constant || nodes::as<nodes::Constant>(e)->is_null) return kUnknownFraction;
  double percent = nodes::as<nodes::Constant>(e)->value.as_float4();
  return percent >= 0 && percent <= 100 ? percent / 100 : kUnknownFraction;   // (NaN is neither)
}

}  // namespace

// SYSTEM visits some of the pages, BERNOULLI all; both give a part of the rows.
TableSize sampled_size(const nodes::TableSample& sample, TableSize size) {
  double fraction = fraction_of(sample);
  return {clamp_rows(size.rows * fraction), is_by_block(sample) ? clamp_rows(size.pages * fraction) : size.pages};
}

// The arguments may name items of the same FROM to the left.
void QueryPlanner::bind_sample(int rte, RelPlan& out) {
  nodes::RangeTableEntry& entry = *q_->range_table[static_cast<std::size_t>(rte - 1)];
  auto* bound = s_.arena.make<nodes::TableSample>(*entry.sample);
  bound->args = {};
  for (Expr* e : entry.sample->args) bound->args.push_back(s_.arena, bind_outer_items(e, rte, out));
  bound->repeatable = bind_outer_items(entry.sample->repeatable, rte, out);
  entry.sample = bound;
}

Plan* QueryPlanner::plan_sample_scan(int rte, const std::vector<Expr*>& conditions) {
  const catalog::Relation& table = *relations_[static_cast<std::size_t>(rte - 1)];
  const nodes::TableSample& sample = *q_->range_table[static_cast<std::size_t>(rte - 1)]->sample;
  auto* scan = make_plan<SampleScan>(s_.arena, PlanKind::sample_scan);
  scan->rte = rte;
  scan->sample = s_.arena.make<nodes::TableSample>(sample);
  scan->sample->args = {};   // (the plan's own list)
  for (Expr* e : sample.args) scan->sample->args.push_back(s_.arena, e);
  TableSize size = sampled_size(sample, scanned_size(table));
  double per_row = values::cpu_tuple_cost;
  for (Expr* e : conditions) {
    scan->filter.push_back(s_.arena, e);
    ExpressionCost c = expression_cost(e);
    scan->startup_cost += c.startup;
    per_row += c.per_row;
  }
  scan->rows = clamp_rows(size.rows * selectivity_of_all(conditions, &table, rte));
  double per_page = is_by_block(sample) ? values::random_page_cost : values::seq_page_cost;
  scan->total_cost = scan->startup_cost + per_page * size.pages + per_row * size.rows;
  return scan;
}

}  // namespace hathi::planner
