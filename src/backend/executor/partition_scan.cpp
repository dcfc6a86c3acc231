#include "partition_scan.h"

#include <algorithm>
#include <unordered_set>

#include "hathi/planner/exclusion.h"
#include "table_scan.h"

namespace hathi::executor {

using partition::Known;
using planner::Plan;
using planner::PlanKind;

namespace {

// Children kept between runs.
constexpr std::size_t kKeptChildren = 16;
constexpr std::size_t kKeptExclusions = 1024;

// Has the index an entry for every row the snapshot may see, and may it be used at all?
bool is_usable(const catalog::IndexDescriptor& index, const transaction::Snapshot* snapshot) {
  if (!index.valid || !index.ready || !index.live) return false;
  return !index.check_xmin || (snapshot != nullptr && index.valid_from < snapshot->xmin);
}

bool indexes_fit(const Plan* plan, const catalog::Relation& leaf, const transaction::Snapshot* snapshot) {
  if (plan == nullptr) return true;
  switch (plan->kind) {
    case PlanKind::index_scan: case PlanKind::index_only_scan: {
      const catalog::IndexDescriptor* index = attached_index(leaf, static_cast<const planner::IndexScan*>(plan)->index);
      return index != nullptr && is_usable(*index, snapshot);
    }
    case PlanKind::bitmap_index_scan: {
      const catalog::IndexDescriptor* index = attached_index(leaf, static_cast<const planner::BitmapIndexScan*>(plan)->index);
      return index != nullptr && is_usable(*index, snapshot);
    }
    case PlanKind::bitmap_and:
      return std::all_of(static_cast<const planner::BitmapAnd*>(plan)->inputs.begin(), static_cast<const planner::BitmapAnd*>(plan)->inputs.end(),
                         [&](const Plan* p) { return indexes_fit(p, leaf, snapshot); });
    case PlanKind::bitmap_or:
      return std::all_of(static_cast<const planner::BitmapOr*>(plan)->inputs.begin(), static_cast<const planner::BitmapOr*>(plan)->inputs.end(),
                         [&](const Plan* p) { return indexes_fit(p, leaf, snapshot); });
    default: return indexes_fit(plan->left, leaf, snapshot);
  }
}

// What is made while this lives belongs to the child and can be destroyed alone.
class ChildStates {
 public:
  ChildStates(StatementState& statement, PartitionChild& child) : statement_(statement), child_(child) {
    statement.arena.swap(child.memory);
    std::swap(statement.all_nodes, child.states);
    known_ = statement.function_states.size();
  }
  ~ChildStates() {
    statement_.arena.swap(child_.memory);
    std::swap(statement_.all_nodes, child_.states);
    child_.function_states.assign(statement_.function_states.begin() + static_cast<std::ptrdiff_t>(known_), statement_.function_states.end());
  }
  ChildStates(const ChildStates&) = delete;
  ChildStates& operator=(const ChildStates&) = delete;

 private:
  StatementState& statement_;
  PartitionChild& child_;
  std::size_t known_ = 0;
};

void close_states(NodeState* states) {
  for (NodeState* n = states; n != nullptr; n = n->next_made) {
    if (!n->started) continue;
    end_loop(*n);
    n->close(*n);
    n->row_arena.reset();
    restart_after_close(*n);
  }
}

void destroy_child(StatementState& statement, PartitionChild& child) {
  for (NodeState* n = child.states; n != nullptr;) {
    NodeState* next = n->next_made;
    n->destroy(*n);
    n = next;
  }
  child.states = child.node = nullptr;
  if (child.function_states.empty()) return;
  std::erase_if(statement.function_states,
                [&](void** p) { return std::find(child.function_states.begin(), child.function_states.end(), p) != child.function_states.end(); });
}

// Everything below is prepared now, while its memory is the child's.
void prepare_below(NodeState& node) {
  if (!node.initialised) {
    node.init(node);
    node.initialised = true;
  }
  if (node.left != nullptr) prepare_below(*node.left);
  if (node.right != nullptr) prepare_below(*node.right);
  if (node.visit_inputs != nullptr) node.visit_inputs(node, [](NodeState& input) { prepare_below(input); });
}

// Do the partition's own constraints say that it has nothing for the scan?
bool is_excluded(PartitionedScanState& s, const catalog::Relation& leaf) {
  if (!s.has_conditions || !planner::has_own_constraints(s.partitions->parent(), leaf, s.asks_for_null)) return false;
  PartitionedScanState::Exclusion& known = s.exclusions.try_emplace(raw(leaf.oid)).first->second;
  if (known.version != leaf.version)
    known = {leaf.version, planner::is_excluded_partition(plan_of<planner::PartitionedScan>(s), s.statement->statement, leaf)};
  return known.excluded;
}

// False: there is nothing to be read in it.
bool open_partition(PartitionedScanState& s, Oid leaf) {
  s.partitions->assert_locked(leaf);
  catalog::RelationRef relation = catalog::open_relation(leaf, locking::LockMode::none);
  if (is_excluded(s, *relation)) return false;
  if (!s.statement->options.instrument && fits_template(s, *relation)) {   // (else each has its own counters)
    if (s.shared == nullptr) s.shared = make_partition_node(*s.statement, s.plan->left, relation.get());
    else rebind_scan(*s.shared, relation.get());
    s.bound = std::move(relation);
    s.active = s.shared;
    return true;
  }
  PartitionChild& child = child_of(s, leaf);
  s.active = child.node;
  return true;
}

void leave_partition(PartitionedScanState& s) {
  if (s.active == nullptr) return;
  if (s.active == s.shared) close_scan(*s.shared);
  else if (s.children.size() > kKeptChildren && !s.statement->options.instrument) drop_children(s, kKeptChildren);
  s.active = nullptr;
}

Row* next_in_turn(PartitionedScanState& s) {
  const std::vector<Oid>& leaves = s.partitions->leaves();
  bool reverse = plan_of<planner::PartitionedScan>(s).ordered && plan_of<planner::PartitionedScan>(s).descending;
  while (s.current < leaves.size()) {
    check_interrupts();
    if (s.active == nullptr && !open_partition(s, reverse ? leaves[leaves.size() - 1 - s.current] : leaves[s.current])) {
      ++s.current;
      continue;
    }
    s.last = s.active;
    if (Row* row = fetch(*s.active)) return row;
    leave_partition(s);
    ++s.current;
  }
  return nullptr;
}

// Every partition has a state of its own.
Row* next_merged(PartitionedScanState& s) {
  s.row_arena.reset();
  if (!s.merge.is_started()) {
    std::vector<NodeState*> inputs;
    for (Oid leaf : s.partitions->leaves()) {
      s.partitions->assert_locked(leaf);
      if (is_excluded(s, *catalog::open_relation(leaf, locking::LockMode::none))) continue;
      inputs.push_back(child_of(s, leaf).node);
    }
    s.merge.start(inputs, s.row_arena);
  }
  Row* row = s.merge.next();
  s.last = s.merge.source();
  return row;
}

void begin(PartitionedScanState& s) {
  ScanPartitions& p = *s.partitions;
  if (!p.is_locked()) p.lock();   // a re-check's run: what it reads is locked already
  if (p.prunes_later() || p.pruned_at() != Known::bound) p.prune(Known::running);
  auto& plan = plan_of<planner::PartitionedScan>(s);
  s.merging = plan.ordered && !(plan.concatenated && p.in_key_order()) && p.leaves().size() > 1;
  s.current = 0;
  s.begun = true;
  s.merge.stop();
}

Row* run_partitioned_scan(NodeState& node) {
  auto& s = self<PartitionedScanState>(node);
  if (!s.begun) begin(s);
  return s.merging ? next_merged(s) : next_in_turn(s);
}

void init_partitioned_scan(NodeState& node) {
  auto& s = self<PartitionedScanState>(node);
  s.partitions = &s.statement->scan_partitions(plan_of<planner::PartitionedScan>(s));
  auto& plan = plan_of<planner::PartitionedScan>(s);
  s.has_conditions = !plan.conditions.empty();
  s.asks_for_null = planner::asks_for_null(plan);
  const planner::SortKeys& order = plan.order;
  if (plan.ordered) s.merge.prepare(order.columns, order.operators, order.collations, order.nulls_first, s.statement->arena);
}

void rescan_partitioned_scan(NodeState& node) {
  auto& s = self<PartitionedScanState>(node);
  // The same partition again, with other parameters: its state stays as it is.
  bool same = !s.merging && s.active != nullptr && s.partitions->leaves().size() == 1 && s.current == 0;
  Oid before = same ? s.partitions->leaves()[0] : kInvalidOid;
  if (s.partitions->prunes_while_running()) s.partitions->prune(Known::running);
  same = same && s.partitions->leaves().size() == 1 && s.partitions->leaves()[0] == before;
  if (same) {
    rescan(*s.active);
  } else {
    leave_partition(s);
    for (auto& child : s.children) close_states(child->states);
  }
  s.current = 0;
  s.merge.stop();
}

void close_partitioned_scan(NodeState& node) {
  auto& s = self<PartitionedScanState>(node);
  s.begun = false;
  s.current = 0;
  s.last = s.active = nullptr;
  s.merge.stop();
  if (s.shared != nullptr) close_scan(*s.shared);
  for (auto& child : s.children) close_states(child->states);
  if (!s.statement->options.instrument) drop_children(s, kKeptChildren);
  s.bound.reset();
  if (s.exclusions.size() > kKeptExclusions) s.exclusions.clear();
  s.partitions->end_run();
}

void destroy_partitioned_scan(NodeState& node) {
  auto& s = self<PartitionedScanState>(node);
  for (auto& child : s.children) destroy_child(*s.statement, *child);
  s.~PartitionedScanState();
}

}  // namespace

bool fits_template(const PartitionedScanState& s, const catalog::Relation& leaf) {
  const catalog::Relation& parent = s.partitions->parent();
  if (leaf.indexes.size() != parent.indexes.size()) return false;   // others may serve better
  return leaf.columns_hash == parent.columns_hash && indexes_fit(s.plan->left, leaf, s.statement->snapshot);
}

PartitionChild& child_of(PartitionedScanState& s, Oid leaf) {
  for (auto& child : s.children) {
    if (child->relation->oid != leaf) continue;
    if (!catalog::is_current_version(leaf, child->relation->version)) {
      close_states(child->states);
      destroy_child(*s.statement, *child);
      s.children.erase(s.children.begin() + (&child - s.children.data()));
      break;
    }
    child->last_used = ++s.clock;
    return *child;
  }
  auto child = std::make_unique<PartitionChild>();
  child->relation = catalog::open_relation(leaf, locking::LockMode::none);
  child->last_used = ++s.clock;
  auto& plan = plan_of<planner::PartitionedScan>(s);
  try {
    ChildStates owned(*s.statement, *child);
    bool fits = !s.statement->options.instrument && fits_template(s, *child->relation);
    child->plan = fits ? plan.left : planner::plan_partition(plan, s.statement->statement, leaf, s.statement->arena);
    child->node = make_partition_node(*s.statement, child->plan, child->relation.get());
    prepare_below(*child->node);
  } catch (...) {
    destroy_child(*s.statement, *child);
    throw;
  }
  s.children.push_back(std::move(child));
  return *s.children.back();
}

void drop_children(PartitionedScanState& s, std::size_t keep) {
  while (s.children.size() > keep) {
    auto oldest = std::min_element(s.children.begin(), s.children.end(), [](const auto& a, const auto& b) { return a->last_used < b->last_used; });
    close_states((*oldest)->states);
    destroy_child(*s.statement, **oldest);
    s.children.erase(oldest);
  }
}

bool current_scan_row(NodeState& scan, TupleId& tid, Oid& table) {
  if (scan.plan->kind == PlanKind::partitioned_scan) {
    auto& s = self<PartitionedScanState>(scan);
    return s.last != nullptr && current_scan_row(*s.last, tid, table);
  }
  if (!scan.started || scan.plan->kind == PlanKind::sort) return false;
  auto& s = self<TableScanState>(scan);
  if (!s.row.tuple.tid.is_valid()) return false;
  tid = s.row.tuple.tid;
  table = s.relation->oid;
  return true;
}

PartitionsShown shown_partitions(StatementState& state, const planner::PartitionedScan& plan) {
  PartitionsShown out;
  ScanPartitions& partitions = state.scan_partitions(plan);
  const ScanPartitions::Remembered& remembered = partitions.remembered();
  bool with_not_null = planner::asks_for_null(plan);
  std::unordered_set<std::uint32_t> excluded;
  for (Oid leaf : remembered.planned) {
    catalog::RelationRef relation = catalog::open_relation(leaf, locking::LockMode::none);
    bool out_of_it = !plan.conditions.empty() && planner::has_own_constraints(partitions.parent(), *relation, with_not_null) &&
                     planner::is_excluded_partition(plan, state.statement, *relation);
    if (out_of_it) excluded.insert(raw(leaf));
    else out.planned.push_back(leaf);
  }
  out.merged = plan.ordered && !(plan.concatenated && remembered.in_key_order);
  NodeState* node = state.nodes[static_cast<std::size_t>(plan.id)];
  auto* scan = node != nullptr && node->initialised ? &self<PartitionedScanState>(*node) : nullptr;
  bool reverse = plan.ordered && plan.descending && !out.merged;
  for (std::size_t i = 0; i < remembered.leaves.size(); ++i) {
    Oid leaf = remembered.leaves[reverse ? remembered.leaves.size() - 1 - i : i];
    if (excluded.contains(raw(leaf))) continue;
    const Plan* path = nullptr;
    if (scan != nullptr) {
      for (auto& child : scan->children) if (child->relation->oid == leaf) path = child->plan;
    }
    if (path == nullptr) path = planner::plan_partition(plan, state.statement, leaf, state.arena);
    out.partitions.push_back({leaf, path});
  }
  return out;
}

NodeState* make_partitioned_scan(StatementState& st, const planner::Plan* p) {
  NodeState* node = make_state<PartitionedScanState>(st, p, init_partitioned_scan, run_partitioned_scan, rescan_partitioned_scan, close_partitioned_scan);
  node->destroy = destroy_partitioned_scan;
  return node;
}

}  // namespace hathi::executor
