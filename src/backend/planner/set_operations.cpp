// UNION, INTERSECT, EXCEPT.

#include <algorithm>

#include "hathi/analyzer/analyze.h"
#include "hathi/base/builtin_oids.h"
#include "hathi/base/stack.h"
#include "hathi/catalog/lookup.h"
#include "query_planner.h"

namespace hathi::planner {

// Output columns of a set operation: variables of rte 0, position = column.
List<TargetEntry*> QueryPlanner::set_operation_targets(const nodes::SetOperation& node, const Plan* input) {
  List<TargetEntry*> out;
  for (std::size_t i = 0; i < node.types.size(); ++i) {
    auto* v = nodes::make<nodes::Variable>(s_.arena);
    v->rte = nodes::kOuterVar;
    v->column = static_cast<AttrNumber>(i + 1);
    v->type = node.types[i];
    v->typmod = node.typmods[i];
    v->collation = node.collations[i];
    TargetEntry* t = make_target(s_.arena, v, static_cast<int>(i) + 1);
    if (input != nullptr && i < input->targets.size()) t->name = input->targets[i]->name;
    out.push_back(s_.arena, t);
  }
  return out;
}

Plan* QueryPlanner::plan_set_leaf(nodes::SetOperation* node, bool of_union_all) {
  if (node->op != nodes::SetOperation::Op::leaf) return plan_set_node(node);
  nodes::RangeTableEntry& entry = *q_->range_table[static_cast<std::size_t>(node->rte - 1)];
  Query* query = nodes::copy(entry.subquery, s_.arena);
  bool is_member = of_union_all && is_union_member(*query);
  QueryPlanner child(s_, query, this);
  child.is_union_member_ = is_member;
  auto* scan = make_plan<SubqueryScan>(s_.arena, PlanKind::subquery_scan);
  scan->rte = node->rte;
  scan->subplan = child.plan();
  scan->rows = scan->subplan->rows;
  scan->startup_cost = scan->subplan->startup_cost;
  scan->total_cost = scan->subplan->total_cost + scan->rows * 0.01;
  for (const OuterParam& p : child.params_from_parent_) params_from_parent_.push_back(p);
  int number = 1;
  for (const TargetEntry* t : scan->subplan->targets) {
    if (t->junk) continue;
    auto* v = nodes::make<nodes::Variable>(s_.arena);
    v->rte = node->rte;
    v->column = t->number;
    v->type = nodes::type_of(t->expr);
    v->typmod = nodes::typmod_of(t->expr);
    v->collation = nodes::collation_of(t->expr);
    v->source_rte = offset_ + node->rte;
    v->source_column = t->number;
    scan->targets.push_back(s_.arena, make_target(s_.arena, v, number++, t->name));
  }
  scan->width = width_of(scan->targets);
  return scan;
}

// The columns of one input converted to the types all inputs share.
Plan* QueryPlanner::convert_columns(Plan* input, const nodes::SetOperation& node) {
  bool same = true;
  std::size_t n = 0;
  for (const TargetEntry* t : input->targets)
    if (!t->junk && n < node.types.size()) same = nodes::type_of(t->expr) == node.types[n++] && same;
  if (same) return input;
  if (input->kind != PlanKind::subquery_scan) {
    auto* result = make_plan<Result>(s_.arena, PlanKind::result);
    result->left = input;
    for (const TargetEntry* t : input->targets) result->targets.push_back(s_.arena, make_target(s_.arena, outer_column(*t), t->number, t->name));
    result->rows = input->rows;
    result->startup_cost = input->startup_cost;
    result->total_cost = input->total_cost + input->rows * 0.01;
    input = result;
  }
  n = 0;
  for (TargetEntry* t : input->targets) {
    if (t->junk || n >= node.types.size()) continue;
    if (nodes::type_of(t->expr) != node.types[n]) {
      t->expr = analyzer::coerce_to_type(t->expr, node.types[n], node.typmods[n], analyzer::CoercionContext::implicit, nodes::CallForm::implicit_cast, -1,
                                         s_.arena);
      analyzer::assign_collations(t->expr);
    }
    ++n;
  }
  input->width = width_of(input->targets);
  return input;
}

namespace {

void collect_union(nodes::SetOperation* node, const nodes::SetOperation& top, std::vector<nodes::SetOperation*>& out) {
  // Nested UNIONs of the same kind are one list: UNION ALL inside UNION too.
  if (node->op == nodes::SetOperation::Op::union_op && (node->all == top.all || (!top.all && node->all))) {
    collect_union(node->left, top, out);
    collect_union(node->right, top, out);
    return;
  }
  out.push_back(node);
}

}  // namespace

namespace {

// Members of a UNION ALL that give no rows are not read; one stays.
void leave_out_empty(std::vector<Plan*>& inputs) {
  Plan* first = inputs[0];
  std::erase_if(inputs, [](const Plan* p) { return p->kind == PlanKind::subquery_scan && is_nothing(static_cast<const SubqueryScan*>(p)->subplan); });
  if (inputs.empty()) inputs.push_back(first);
}

}  // namespace

Plan* QueryPlanner::plan_set_node(nodes::SetOperation* node) {
  check_stack_depth();
  using Op = nodes::SetOperation::Op;
  if (node->op == Op::leaf) return plan_set_leaf(node);
  auto* append = make_plan<Append>(s_.arena, PlanKind::append);
  std::vector<Plan*> inputs;
  if (node->op == Op::union_op) {
    std::vector<nodes::SetOperation*> members;
    collect_union(node, *node, members);
    for (nodes::SetOperation* m : members) inputs.push_back(convert_columns(plan_set_leaf(m, node->all), *node));
  } else {
    inputs = {convert_columns(plan_set_leaf(node->left), *node), convert_columns(plan_set_leaf(node->right), *node)};
    // Which side a row is from: a further column.
    for (std::size_t side = 0; side < 2; ++side) {
      auto* flag = nodes::make<nodes::Constant>(s_.arena);
      flag->type = type_oid::int4;
      flag->layout = {4, true, 'i'};
      flag->value = Datum::of(static_cast<std::int32_t>(side));
      Plan* input = inputs[side];
      if (input->kind != PlanKind::subquery_scan) {
        auto* result = make_plan<Result>(s_.arena, PlanKind::result);
        result->left = input;
        for (const TargetEntry* t : input->targets) result->targets.push_back(s_.arena, make_target(s_.arena, outer_column(*t), t->number, t->name));
        result->rows = input->rows;
        result->total_cost = input->total_cost;
        inputs[side] = input = result;
      }
      input->targets.push_back(s_.arena, make_target(s_.arena, flag, static_cast<int>(input->targets.size()) + 1, "flag"));
    }
  }
  if (node->op == Op::union_op && node->all) leave_out_empty(inputs);
  if (inputs.size() == 1) return inputs[0];
  for (Plan* p : inputs) {
    append->inputs.push_back(s_.arena, p);
    append->rows += p->rows;
    append->total_cost += p->total_cost;
  }
  append->targets = set_operation_targets(*node, inputs[0]);
  append->width = width_of(append->targets);
  if (node->op == Op::union_op) return node->all ? append : make_distinct(append, *node);

  auto* flag = nodes::make<nodes::Variable>(s_.arena);
  flag->rte = nodes::kOuterVar;
  flag->column = static_cast<AttrNumber>(append->targets.size() + 1);
  flag->type = type_oid::int4;
  append->targets.push_back(s_.arena, make_target(s_.arena, flag, flag->column, "flag", true));
  auto* op = make_plan<SetOp>(s_.arena, PlanKind::set_op);
  op->left = append;
  bool intersect = node->op == Op::intersect_op;
  op->command = intersect ? (node->all ? SetOp::Command::intersect_all : SetOp::Command::intersect)
                          : (node->all ? SetOp::Command::except_all : SetOp::Command::except);
  op->hashed = true;
  op->flag_column = flag->column;
  for (std::size_t i = 0; i < node->group.size(); ++i) {
    op->columns.push_back(s_.arena, static_cast<AttrNumber>(i + 1));
    op->equal_operators.push_back(s_.arena, node->group[i]->equal_operator);
    op->collations.push_back(s_.arena, node->collations[i]);
    op->hashed = op->hashed && node->group[i]->hashable;
  }
  if (!op->hashed) op->left = sort_all_columns(append, *node);
  // The flag stays inside.
  op->targets = set_operation_targets(*node, append);
  op->group_count = op->rows = std::max(1.0, inputs[0]->rows);
  op->total_cost = append->total_cost + append->rows * 0.01;
  op->startup_cost = op->total_cost;
  op->width = width_of(op->targets);
  return op;
}

nodes::Variable* QueryPlanner::outer_column(const TargetEntry& t) {
  auto* v = nodes::make<nodes::Variable>(s_.arena);
  v->rte = nodes::kOuterVar;
  v->column = t.number;
  v->type = nodes::type_of(t.expr);
  v->typmod = nodes::typmod_of(t.expr);
  v->collation = nodes::collation_of(t.expr);
  return v;
}

Plan* QueryPlanner::sort_all_columns(Plan* input, const nodes::SetOperation& node) {
  auto* sort = make_plan<Sort>(s_.arena, PlanKind::sort);
  sort->left = input;
  for (const TargetEntry* t : input->targets) sort->targets.push_back(s_.arena, make_target(s_.arena, outer_column(*t), t->number, t->name, t->junk));
  for (std::size_t i = 0; i < node.group.size(); ++i) {
    sort->keys.columns.push_back(s_.arena, static_cast<AttrNumber>(i + 1));
    sort->keys.operators.push_back(s_.arena, node.group[i]->order_operator);
    sort->keys.collations.push_back(s_.arena, node.collations[i]);
    sort->keys.nulls_first.push_back(s_.arena, node.group[i]->nulls_first);
  }
  cost_sort(*sort, *input);
  sort->width = input->width;
  return sort;
}

// UNION without ALL.
Plan* QueryPlanner::make_distinct(Plan* input, const nodes::SetOperation& node) {
  bool hashable = std::all_of(node.group.begin(), node.group.end(), [](const nodes::SortClause* c) { return c->hashable; });
  auto fill = [&](auto* p) {
    for (std::size_t i = 0; i < node.group.size(); ++i) {
      p->columns.push_back(s_.arena, static_cast<AttrNumber>(i + 1));
      p->equal_operators.push_back(s_.arena, node.group[i]->equal_operator);
      p->collations.push_back(s_.arena, node.collations[i]);
    }
    p->targets = set_operation_targets(node, input);
    p->rows = std::max(1.0, input->rows * 0.5);
    p->total_cost = input->total_cost + input->rows * 0.01;
    p->startup_cost = p->total_cost;
    p->width = width_of(p->targets);
  };
  if (hashable) {
    auto* agg = make_plan<Aggregate>(s_.arena, PlanKind::aggregate);
    agg->strategy = Aggregate::Strategy::hashed;
    agg->left = input;
    fill(agg);
    agg->group_count = agg->rows;
    return agg;
  }
  auto* unique = make_plan<Unique>(s_.arena, PlanKind::unique);
  unique->left = sort_all_columns(input, node);
  fill(unique);
  return unique;
}

Plan* QueryPlanner::plan_set_operations() {
  for (TargetEntry* t : q_->targets) t->expr = prepare(t->expr);
  q_->limit = prepare(q_->limit);
  q_->offset = prepare(q_->offset);
  Plan* p = plan_set_node(q_->set_operations);
  // The query's own targets give names and the references of ORDER BY; they stand for the columns one to one.
  for (std::size_t i = 0; i < q_->targets.size() && i < p->targets.size(); ++i) {
    p->targets[i]->name = q_->targets[i]->name;
    p->targets[i]->sort_group_ref = q_->targets[i]->sort_group_ref;
  }
  return p;
}

}  // namespace hathi::planner
