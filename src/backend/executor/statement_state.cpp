#include "statement_state.h"

#include "constraint_events.h"
#include "hathi/config/settings.h"
#include "node.h"
#include "scan_partitions.h"
#include "subplan.h"

namespace hathi::executor {

StatementState::StatementState(const planner::PlannedStatement& s, const ExecutionOptions& o) : statement(s), options(o) {
  auto nodes_count = static_cast<std::size_t>(s.plan_count);
  params = {arena.make_array<ExecParam>(static_cast<std::size_t>(s.exec_param_count)), static_cast<std::size_t>(s.exec_param_count)};
  nodes = {arena.make_array<NodeState*>(nodes_count), nodes_count};
  std::size_t subplans = s.subplans.size();
  subplan_roots = {arena.make_array<NodeState*>(subplans), subplans};
  ctes = {arena.make_array<CteState*>(subplans), subplans};
  init_plans_ = {arena.make_array<SubPlanState*>(subplans), subplans};
  work_tables = {arena.make_array<WorkTable*>(params.size()), params.size()};
  std::size_t entries = s.range_table.size();
  auto* refs = static_cast<catalog::RelationRef*>(
      arena.allocate(std::max<std::size_t>(entries, 1) * sizeof(catalog::RelationRef), alignof(catalog::RelationRef)));
  for (std::size_t i = 0; i < entries; ++i) new (refs + i) catalog::RelationRef();
  relations = {refs, entries};
  partitioned = {arena.make_array<ScanPartitions*>(s.partitioned_scans.size()), s.partitioned_scans.size()};
  if (o.instrument) {
    auto* t = static_cast<NodeTimes*>(arena.allocate(std::max<std::size_t>(nodes_count, 1) * sizeof(NodeTimes), alignof(NodeTimes)));
    for (std::size_t i = 0; i < nodes_count; ++i) new (t + i) NodeTimes();
    times = {t, nodes_count};
  }
}

StatementState::~StatementState() {
  for (NodeState* n = all_nodes; n != nullptr;) {
    NodeState* next = n->next_made;
    n->destroy(*n);
    n = next;
  }
  for (const Kept& k : kept_) k.destroy(k.object);
  for (SubPlanState* s : init_plans_) destroy_sub_plan(s);
  for (ScanPartitions* p : partitioned) delete p;
  for (catalog::RelationRef& r : relations) r.~RelationRef();
  for (NodeTimes& t : times) t.~NodeTimes();
}

void StatementState::close_all() {
  for (NodeState* n = all_nodes; n != nullptr; n = n->next_made) {
    if (!n->started) continue;
    end_loop(*n);
    n->close(*n);
    n->row_arena.reset();
    restart_after_close(*n);
  }
  for (const Kept& k : kept_) k.release(k.object);
  // Kept runs keep what functions remember (compiled patterns and the like) unless it adds up.
  constexpr std::size_t kFunctionMemory = 65536;
  if (function_arena.footprint() > kFunctionMemory) {
    for (void** state : function_states) *state = nullptr;
    function_arena.release();
  }
  for (ExecParam& p : params) p.value = {};
  run_arena.reset();
}

void StatementState::complete_modifying_ctes() {
  if (!statement.has_modifying_cte) return;
  for (std::size_t i = statement.subplans.size(); i-- > 0;) {
    if (statement.subplans[i]->kind != planner::PlanKind::modify_table) continue;
    NodeState& root = *subplan_root(static_cast<int>(i + 1));
    while (fetch(root) != nullptr) {}
  }
}

void StatementState::finish_constraints() {
  if (constraint_events == nullptr) return;
  // The checks themselves may change rows (cascades) and cause further checks.
  std::unique_ptr<ConstraintEvents> events = std::move(constraint_events);
  events->run_immediate();
}

const catalog::Relation& StatementState::relation(int rte) {
  auto i = static_cast<std::size_t>(rte - 1);
  HATHI_ASSERT(rte >= 1 && i < relations.size());
  if (!relations[i]) relations[i] = catalog::open_relation(statement.range_table[i].relation, locking::LockMode::none);
  return *relations[i];
}

bool StatementState::param_changed(int slot, std::uint64_t since) {
  const ExecParam& p = params[static_cast<std::size_t>(slot)];
  if (p.changed > since) return true;
  return p.init_plan != nullptr && p.init_plan->statement == this && init_plan_is_stale(*p.init_plan, since);
}

bool StatementState::changed_since(const List<int>& parameters, std::uint64_t since) {
  if (everything_changed > since) return true;
  for (int slot : parameters) {
    if (param_changed(slot, since)) return true;
  }
  return false;
}

void StatementState::refresh_init_plan(ExecParam& p) {
  if (p.init_plan->statement == this)
    run_init_plan(*p.init_plan);
  else
    p.value = parent->param(static_cast<int>(&p - params.data()));
}

void StatementState::inherit_param(int slot) {
  const ExecParam& from = parent->params[static_cast<std::size_t>(slot)];
  ExecParam& to = params[static_cast<std::size_t>(slot)];
  to.value = from.value;
  to.init_plan = from.init_plan;
}

ScanPartitions& StatementState::scan_partitions(const planner::PartitionedScan& plan) {
  ScanPartitions*& p = partitioned[static_cast<std::size_t>(plan.number)];
  if (p == nullptr) p = new ScanPartitions(*this, plan);
  return *p;
}


NodeState* StatementState::subplan_root(int number) {
  NodeState*& root = subplan_roots[static_cast<std::size_t>(number - 1)];
  if (root == nullptr) root = make_node(*this, statement.subplans[static_cast<std::size_t>(number - 1)]);
  return root;
}

SubPlanState* StatementState::init_plan(int number) {
  auto i = static_cast<std::size_t>(number - 1);
  if (init_plans_[i] != nullptr) return init_plans_[i];
  if (i >= statement.subplan_links.size()) return nullptr;
  const nodes::SubPlan* link = statement.subplan_links[i];
  if (link == nullptr || link->set_params.empty()) return nullptr;
  // A CTE's parameter has no value, so no type: its plan is read through CteScan nodes.
  auto slot = static_cast<std::size_t>(link->set_params[0]);
  if (slot < statement.exec_param_types.size() && !is_valid(statement.exec_param_types[slot])) return nullptr;
  init_plans_[i] = make_init_plan(*this, *link);
  for (int p : link->set_params) params[static_cast<std::size_t>(p)].init_plan = init_plans_[i];
  return init_plans_[i];
}

std::size_t StatementState::work_memory() const { return static_cast<std::size_t>(config::values::work_mem) * 1024; }

std::size_t StatementState::hash_memory() const {
  return static_cast<std::size_t>(static_cast<double>(config::values::work_mem) * 1024 * config::values::hash_mem_multiplier);
}

}  // namespace hathi::executor
