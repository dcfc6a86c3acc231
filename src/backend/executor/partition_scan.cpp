// PartitionedScan: all partitions of a table behind one plan template. Partitions are pruned when the scan starts (and again when
// parameters change), each one's access path is made when it is first read.

#include "partition_scan.h"

#include <algorithm>
#include <map>

#include "comparison.h"
#include "partitions.h"
#include "table_scan.h"

namespace hathi::executor {

using planner::Plan;
using planner::PlanKind;

namespace {

struct PartitionChildState {
  catalog::RelationRef relation;
  const Plan* plan = nullptr;
  NodeState* node = nullptr;
  std::unique_ptr<NodeTimes> times;
  std::uint64_t run = 0;              // the statement's run in which it was locked and found current
};

struct PartitionedScanState : NodeState {
  const catalog::Relation* parent = nullptr;
  std::map<Oid, std::unique_ptr<PartitionChildState>> children;   // made so far; kept over rescans
  std::vector<Oid> leaves;            // that survive pruning, in order
  std::vector<PartitionChildState*> running;
  bool pruned_once = false, begun = false;
  int total = 0;
  std::size_t current = 0;
  PartitionChildState* last = nullptr;     // whose row was returned last
  // Ordered output.
  std::span<SortColumn> order;
  std::vector<Row*> heads;
  std::vector<std::uint32_t> heap;
  int highest = 0;
};

void prune(PartitionedScanState& s) {
  auto& plan = plan_of<planner::PartitionedScan>(s);
  s.leaves.clear();
  ValueOf value_of = [&s](const nodes::Expr* e, NullableDatum& value) {
    Program* program = compile_expression(e, s.eval, s.row_arena);
    value = evaluate(*program);
    return true;
  };
  List<nodes::Expr*> all;
  all.append(s.row_arena, plan.prune);
  all.append(s.row_arena, plan.prune_exec);
  prune_partitions(*s.parent, all, value_of, s.leaves, s.total);
}

PartitionChildState& child_of(PartitionedScanState& s, Oid leaf) {
  auto& plan = plan_of<planner::PartitionedScan>(s);
  std::unique_ptr<PartitionChildState>& child = s.children[leaf];
  if (child != nullptr && child->run == s.statement->run_number) return *child;
  if (!plan.keep_locks_subtree) catalog::lock_relation(leaf, locking::LockMode::access_share);
  if (child != nullptr && catalog::is_current_version(leaf, child->relation->version)) {
    child->run = s.statement->run_number;
    return *child;
  }
  child = std::make_unique<PartitionChildState>();
  child->run = s.statement->run_number;
  child->relation = catalog::open_relation(leaf, locking::LockMode::none);
  child->plan = planner::plan_partition(plan, s.statement->statement, leaf, s.statement->arena);
  if (s.statement->options.instrument) child->times = std::make_unique<NodeTimes>();
  child->node = make_partition_node(*s.statement, child->plan, child->relation.get(), child->times.get());
  return *child;
}

bool advance(PartitionedScanState& s, std::uint32_t i) {
  s.heads[i] = fetch(*s.running[i]->node);
  if (s.heads[i] == nullptr) return false;
  s.heads[i]->need(s.highest);
  return true;
}

bool comes_later(PartitionedScanState& s, std::uint32_t a, std::uint32_t b) {
  Row &x = *s.heads[a], &y = *s.heads[b];
  for (const SortColumn& c : s.order) {
    int i = c.column - 1;
    int r = compare_in_order(c, x.values[i], x.nulls[i], y.values[i], y.nulls[i], s.row_arena);
    if (r != 0) return r > 0;
  }
  return a > b;
}

Row* next_ordered(PartitionedScanState& s) {
  auto later = [&s](std::uint32_t a, std::uint32_t b) { return comes_later(s, a, b); };
  if (!s.begun) {
    s.running.clear();
    for (Oid leaf : s.leaves) s.running.push_back(&child_of(s, leaf));
    s.heads.assign(s.running.size(), nullptr);
    s.heap.clear();
    for (std::uint32_t i = 0; i < s.running.size(); ++i) {
      if (advance(s, i)) s.heap.push_back(i);
    }
    std::make_heap(s.heap.begin(), s.heap.end(), later);
    s.begun = true;
  } else if (!s.heap.empty()) {
    std::uint32_t i = s.heap.front();
    std::pop_heap(s.heap.begin(), s.heap.end(), later);
    if (advance(s, i)) std::push_heap(s.heap.begin(), s.heap.end(), later);
    else s.heap.pop_back();
  }
  if (s.heap.empty()) return nullptr;
  s.last = s.running[s.heap.front()];
  return s.heads[s.heap.front()];
}

Row* next_unordered(PartitionedScanState& s) {
  while (s.current < s.leaves.size()) {
    check_interrupts();
    PartitionChildState& child = child_of(s, s.leaves[s.current]);
    s.last = &child;
    if (Row* row = fetch(*child.node)) return row;
    ++s.current;
  }
  return nullptr;
}

Row* run_partitioned_scan(NodeState& node) {
  auto& s = self<PartitionedScanState>(node);
  s.row_arena.reset();
  if (!s.pruned_once) {
    prune(s);
    s.pruned_once = true;
    s.current = 0;
    s.begun = false;
  }
  return s.order.empty() ? next_unordered(s) : next_ordered(s);
}

void prepare_order(PartitionedScanState& s) {
  auto& plan = plan_of<planner::PartitionedScan>(s);
  if (!plan.ordered || plan.order.empty()) return;
  Arena& arena = s.statement->arena;
  List<AttrNumber> columns;
  List<Oid> operators, collations;
  List<bool> nulls_first;
  for (const nodes::SortClause* c : plan.order) {
    AttrNumber at = 0;
    for (const nodes::TargetEntry* t : plan.targets) {
      ++at;
      if (t->sort_group_ref != c->ref) continue;
      columns.push_back(arena, at);
      operators.push_back(arena, c->order_operator);
      collations.push_back(arena, nodes::collation_of(t->expr));
      nulls_first.push_back(arena, c->nulls_first);
      break;
    }
  }
  s.order = prepare_sort(columns, operators, collations, nulls_first, arena);
  for (const SortColumn& c : s.order) s.highest = std::max<int>(s.highest, c.column);
}

void init_partitioned_scan(NodeState& node) {
  auto& s = self<PartitionedScanState>(node);
  s.parent = &s.statement->relation(plan_of<planner::PartitionedScan>(s).rte);
  prepare_order(s);
}

void rescan_partitioned_scan(NodeState& node) {
  auto& s = self<PartitionedScanState>(node);
  if (!plan_of<planner::PartitionedScan>(s).prune_exec.empty()) s.pruned_once = false;
  s.current = 0;
  s.begun = false;
  for (auto& [oid, child] : s.children) rescan(*child->node);
}

void close_partitioned_scan(NodeState& node) {
  auto& s = self<PartitionedScanState>(node);
  s.pruned_once = s.begun = false;
  s.current = 0;
  s.last = nullptr;
}

}  // namespace

bool current_scan_row(NodeState& scan, TupleId& tid, Oid& table) {
  if (scan.plan->kind == PlanKind::partitioned_scan) {
    auto& s = self<PartitionedScanState>(scan);
    return s.last != nullptr && current_scan_row(*s.last->node, tid, table);
  }
  if (!scan.started) return false;
  auto& s = self<TableScanState>(scan);
  if (!s.row.tuple.tid.is_valid()) return false;
  tid = s.row.tuple.tid;
  table = s.relation->oid;
  return true;
}

void visit_partitions(NodeState& node, const std::function<void(const Plan*, const NodeTimes*)>& visit, int& pruned) {
  if (node.plan->kind != PlanKind::partitioned_scan) return;
  auto& s = self<PartitionedScanState>(node);
  if (s.statement->options.explain_only && !s.pruned_once) {
    if (!node.initialised) {
      node.init(node);
      node.initialised = true;
    }
    prune(s);
    s.pruned_once = true;
  }
  pruned = s.total - static_cast<int>(s.leaves.size());
  for (Oid leaf : s.leaves) {
    PartitionChildState& child = child_of(s, leaf);
    if (child.node != nullptr) end_loop(*child.node);
    visit(child.plan, child.times.get());
  }
}

void make_all_nodes(StatementState& state, const planner::PlannedStatement& statement) {
  std::function<void(const Plan*)> walk = [&](const Plan* plan) {
    if (plan == nullptr) return;
    if (plan->kind == PlanKind::partitioned_scan && state.nodes[static_cast<std::size_t>(plan->id)] == nullptr) make_node(state, plan);
    walk(plan->left);
    walk(plan->right);
    if (plan->kind == PlanKind::subquery_scan) walk(static_cast<const planner::SubqueryScan*>(plan)->subplan);
    if (plan->kind == PlanKind::append) for (const Plan* p : static_cast<const planner::Append*>(plan)->inputs) walk(p);
    if (plan->kind == PlanKind::merge_append) for (const Plan* p : static_cast<const planner::MergeAppend*>(plan)->inputs) walk(p);
  };
  walk(statement.plan);
  for (const Plan* p : statement.subplans) walk(p);
}

NodeState* make_partitioned_scan(StatementState& st, const planner::Plan* p) {
  return make_state<PartitionedScanState>(st, p, init_partitioned_scan, run_partitioned_scan, rescan_partitioned_scan, close_partitioned_scan);
}

}  // namespace hathi::executor
