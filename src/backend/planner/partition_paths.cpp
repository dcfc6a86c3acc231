// Partitioned tables: one template for all partitions, and the plans of partitions that do not fit it.

#include <algorithm>
#include <cmath>

#include "hathi/catalog/lookup.h"
#include "hathi/config/planner_settings.h"
#include "hathi/partition/prune.h"
#include "column_mover.h"
#include "query_planner.h"

namespace hathi::planner {

namespace {

using nodes::ExprKind;

struct Estimate { double partitions = 1; bool by_key = false; };

// How many partitions will be read: what constants leave; one when values to come fix the key.
// Do conditions that need no value later exclude partitions? When none does there is no need to ask for each.
bool prunes_now(const partition::PruneGroup& group) {
  if (group.never) return true;
  for (const partition::PruneClause& c : group.clauses) if (c.argument < 0) return true;
  for (std::span<const partition::PruneGroup> either : group.alternatives) {
    if (std::any_of(either.begin(), either.end(), prunes_now)) return true;
  }
  return false;
}

Estimate estimate_partitions(const catalog::Relation& r, const std::vector<Expr*>& conditions, int rte, Arena& arena) {
  Estimate out;
  double leaves = std::max(1, partition::subtree_size(r).leaves);
  out.partitions = leaves;
  if (!config::values::enable_partition_pruning || conditions.empty()) return out;
  const partition::PartitionDescriptor& d = partition::descriptor_of(r);
  partition::PruneSteps steps = partition::compile_prune(*d.key, conditions, rte, arena);
  if (steps.root == nullptr) return out;
  Arena scratch(512);
  std::size_t key_count = d.key->columns.size(), equal = 0;
  for (const partition::PruneClause& c : steps.root->clauses) {
    if (c.argument >= 0 && c.kind == partition::PruneClause::Kind::compare && c.strategy == 3) ++equal;
  }
  out.by_key = equal > 0 && (equal >= key_count || d.key->strategy == partition::Strategy::range);
  if (prunes_now(*steps.root)) {
    std::vector<int> members;
    auto unknown = [](int, NullableDatum&) { return false; };
    partition::prune(d, steps, unknown, scratch, members);
    double part = static_cast<double>(members.size()) / std::max<double>(1, static_cast<double>(d.members.size()));
    out.partitions = std::max(1.0, std::rint(leaves * part));
  }
  if (out.by_key) out.partitions = 1;
  else if (!steps.arguments.empty()) out.partitions = std::max(1.0, std::rint(out.partitions / 3));
  return out;
}

}  // namespace

Plan* QueryPlanner::plan_partitioned(int rte, const std::vector<Expr*>& conditions, bool need_index) {
  Plan* path = plan_table_path(rte, conditions, need_index);
  if (path == nullptr && need_index) {   // looked up by the partition key alone
    const catalog::Relation& r = *relations_[static_cast<std::size_t>(rte - 1)];
    if (!estimate_partitions(r, conditions, rte, s_.arena).by_key) return nullptr;
    path = plan_table_path(rte, conditions, false);
  }
  return wrap_template(rte, conditions, path);
}

Plan* QueryPlanner::wrap_template(int rte, const std::vector<Expr*>& conditions, Plan* path) {
  const catalog::Relation& r = *relations_[static_cast<std::size_t>(rte - 1)];
  auto* scan = make_plan<PartitionedScan>(s_.arena, PlanKind::partitioned_scan);
  scan->rte = rte;
  scan->left = path;
  scan->prunes = config::values::enable_partition_pruning;
  for (Expr* e : conditions) {
    scan->conditions.push_back(s_.arena, e);
    scan->filter.push_back(s_.arena, e);
  }
  double partitions = estimate_partitions(r, conditions, rte, s_.arena).partitions;
  bool unique = (path->kind == PlanKind::index_scan || path->kind == PlanKind::index_only_scan) && static_cast<IndexScan*>(path)->known_unique;
  const nodes::TableSample* sample = q_->range_table[static_cast<std::size_t>(rte - 1)]->sample;
  TableSize size = sample != nullptr ? sampled_size(*sample, table_size(r)) : table_size(r);
  scan->rows = unique ? 1 : std::max(1.0, std::rint(size.rows * selectivity_of_all(conditions, &r)));
  scan->startup_cost = path->startup_cost;
  scan->total_cost = path->total_cost * partitions;
  if (partitions > 1) scan->total_cost += 0.5 * config::values::cpu_tuple_cost * scan->rows;   // handed on
  scan->for_modify = q_->result_rte == rte;
  auto lock = static_cast<locking::LockMode>(q_->range_table[static_cast<std::size_t>(rte - 1)]->lock_mode);
  if (lock != locking::LockMode::none) scan->lock = lock;
  return scan;
}

// --- order ------------------------------------------------------------------------------------------------------------------------
// May partitions be read one after the other for this order? (The bounds of the moment decide again when they are known.)
bool QueryPlanner::bounds_give_order(int rte, const List<TargetEntry*>& targets, bool& descending) {
  const partition::PartitionKey& key = *partition::descriptor_of(*relations_[static_cast<std::size_t>(rte - 1)]).key;
  if (key.strategy == partition::Strategy::hash) return false;
  std::size_t n = q_->order_by.size();
  if (n > key.columns.size() && key.strategy == partition::Strategy::list && key.columns.size() != 1) return false;
  for (std::size_t i = 0; i < std::min(n, key.columns.size()); ++i) {
    const nodes::SortClause* c = q_->order_by[i];
    const partition::KeyColumn& k = key.columns[i];
    const Expr* e = find_target(targets, c->ref)->expr;
    if (k.column == 0 || e->kind != ExprKind::variable || nodes::as<nodes::Variable>(e)->rte != rte ||
        nodes::as<nodes::Variable>(e)->column != k.column)
      return false;
    if (is_valid(k.collation) && nodes::collation_of(e) != k.collation) return false;
    int strategy = 0;
    for (const catalog::FamilyMember& m : catalog::operator_families(c->order_operator)) {
      if (m.family == k.operator_family && m.method == kBTreeAccessMethod) strategy = m.strategy;
    }
    if (strategy != 1 && strategy != 5) return false;
    if (i > 0 && descending != (strategy == 5)) return false;
    descending = strategy == 5;
  }
  return true;
}

// The rows in order by a partitioned index: partition after partition, or merged.
Plan* QueryPlanner::order_partitions(PartitionedScan* input) {
  if (!config::values::enable_indexscan || input->left->kind == PlanKind::sample_scan) return nullptr;
  int rte = input->rte;
  const catalog::Relation& r = *relations_[static_cast<std::size_t>(rte - 1)];
  const std::vector<Expr*>& conditions = base_conditions_[rte];
  double limit = limit_rows();
  for (const catalog::IndexDescriptor* index : r.indexes) {
    if (!may_scan(*index) || !index->predicate.empty()) continue;
    int direction = index_direction(*index, rte, input->targets);
    if (direction == 0) continue;
    IndexScan* made = try_index(rte, *index, conditions);
    if (made == nullptr) {
      made = make_plan<IndexScan>(s_.arena, PlanKind::index_scan);
      made->rte = rte;
      made->index = index->oid;
      cost_index_scan(*made, r, *index, 1.0, 1);
      for (Expr* e : conditions) {
        made->filter.push_back(s_.arena, e);
        made->rows = std::max(1.0, made->rows * selectivity(e, &r));
      }
    }
    made->backward = direction < 0;
    bool descending = false;
    bool concatenated = bounds_give_order(rte, input->targets, descending);
    double partitions = estimate_partitions(r, conditions, rte, s_.arena).partitions;
    double rows = made->rows * partitions;
    double fraction = limit > 0 && rows > 0 ? std::min(1.0, limit / rows) : 1.0;
    double begin = made->startup_cost * (concatenated ? 1 : partitions);
    double by_index = begin + (made->total_cost - made->startup_cost) * partitions * fraction;
    if (!concatenated) by_index += rows * fraction * std::log2(partitions + 1) * 2 * config::values::cpu_operator_cost;
    Sort sorted{};
    cost_sort(sorted, *input);
    if (by_index >= sorted.total_cost && config::values::enable_sort) continue;
    make_index_only(made, rte, *index);
    auto* scan = static_cast<PartitionedScan*>(wrap_template(rte, conditions, made));
    scan->targets = input->targets;
    scan->width = input->width;
    scan->ordered = true;
    scan->concatenated = concatenated;
    scan->descending = descending;
    for (std::size_t i = input->conditions.size(); i < input->filter.size(); ++i) scan->filter.push_back(s_.arena, input->filter[i]);
    Sort* keys = static_cast<Sort*>(make_sort(scan, q_->order_by, input->targets));
    scan->order = keys->keys;
    scan->startup_cost = begin;
    return scan;
  }
  return nullptr;
}

// --- one partition ------------------------------------------------------------------------------------------------------------------
Plan* plan_partition(const PartitionedScan& scan, const PlannedStatement& statement, Oid partition_oid, Arena& arena) {
  BoundParameters no_parameters;
  StatementContext s{arena, no_parameters};
  int rte = scan.rte;
  s.ranges.resize(static_cast<std::size_t>(rte - 1));   // so that the partition has the table's number
  catalog::RelationRef table = catalog::open_relation(statement.range_table[static_cast<std::size_t>(rte - 1)].relation, locking::LockMode::none);
  catalog::RelationRef leaf = catalog::open_relation(partition_oid, locking::LockMode::none);
  auto* query = arena.make<Query>();
  auto* entry = arena.make<nodes::RangeTableEntry>(*statement.range_table[static_cast<std::size_t>(rte - 1)].source);
  entry->relation = partition_oid;
  entry->relation_kind = leaf->kind;
  query->range_table.push_back(arena, entry);
  query->command = nodes::CommandKind::select;
  query->from = arena.make<nodes::FromExpr>();
  query->from->kind = nodes::JoinNodeKind::from;
  QueryPlanner planner(s, query, nullptr);
  planner.relations_[0] = leaf.share();
  ColumnMover mover(*table, *leaf, rte, 1, arena);
  std::vector<Expr*> conditions;
  for (Expr* e : scan.conditions) conditions.push_back(mover.move(e));
  List<TargetEntry*> targets = copy_targets(scan.targets, arena);
  for (TargetEntry* t : targets) {
    t->expr = mover.move(t->expr);
    planner.note_used(t->expr);
  }
  for (Expr* e : conditions) planner.note_used(e);
  Plan* path = planner.plan_partition_path(scan, conditions, targets);
  path->width = scan.width;
  set_references(path, rte - 1, s, query);
  int id = 0;
  number_plan(path, id);
  return path;
}

// The cheapest path; when the template has an order, one with that order.
Plan* QueryPlanner::plan_partition_path(const PartitionedScan& scan, const std::vector<Expr*>& conditions, const List<TargetEntry*>& targets) {
  if (scan.for_modify) q_->result_rte = 1;
  if (!scan.ordered) {
    Plan* path = plan_table_path(1, conditions, false);
    path->targets = targets;
    return path;
  }
  for (std::size_t i = 0; i < scan.order.columns.size(); ++i) {
    auto* c = s_.arena.make<nodes::SortClause>();
    TargetEntry* t = targets[static_cast<std::size_t>(scan.order.columns[i] - 1)];
    if (t->sort_group_ref == 0) t->sort_group_ref = 1000000 + static_cast<int>(i);
    c->ref = t->sort_group_ref;
    c->order_operator = scan.order.operators[i];
    c->nulls_first = scan.order.nulls_first[i];
    q_->order_by.push_back(s_.arena, c);
  }
  Plan* path = plan_table_path(1, conditions, false);
  path->targets = targets;
  base_conditions_[1] = conditions;
  if (Plan* ordered = order_by_index(path)) return ordered;
  return make_sort(path, q_->order_by, targets);
}

}  // namespace hathi::planner
