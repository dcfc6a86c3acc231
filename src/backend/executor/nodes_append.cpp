// Append: one input after the other. MergeAppend: sorted inputs in one order.

#include "row_merge.h"

namespace hathi::executor {

namespace {

struct AppendState : NodeState {
  std::span<NodeState*> inputs;
  std::size_t current = 0;
};

Row* run_append(NodeState& node) {
  auto& s = self<AppendState>(node);
  while (s.current < s.inputs.size()) {
    if (Row* row = fetch(*s.inputs[s.current])) return row;
    ++s.current;
  }
  return nullptr;
}

std::span<NodeState*> make_inputs(NodeState& node, const List<planner::Plan*>& plans) {
  auto* inputs = node.statement->arena.make_array<NodeState*>(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) inputs[i] = make_node(*node.statement, plans[i]);
  return {inputs, plans.size()};
}

void init_append(NodeState& node) { self<AppendState>(node).inputs = make_inputs(node, plan_of<planner::Append>(node).inputs); }

void rescan_append(NodeState& node) {
  auto& s = self<AppendState>(node);
  s.current = 0;
  for (NodeState* n : s.inputs) rescan(*n);
}

void close_append(NodeState& node) { self<AppendState>(node).current = 0; }

// --- MergeAppend ----------------------------------------------------------------------------------------------------------------

struct MergeAppendState : NodeState {
  std::span<NodeState*> inputs;
  RowMerge merge;
};

Row* run_merge_append(NodeState& node) {
  auto& s = self<MergeAppendState>(node);
  s.row_arena.reset();
  if (!s.merge.is_started()) s.merge.start(s.inputs, s.row_arena);
  return s.merge.next();
}

void init_merge_append(NodeState& node) {
  auto& s = self<MergeAppendState>(node);
  auto& plan = plan_of<planner::MergeAppend>(s);
  s.inputs = make_inputs(s, plan.inputs);
  s.merge.prepare(plan.columns, plan.operators, plan.collations, plan.nulls_first, s.statement->arena);
}

void rescan_merge_append(NodeState& node) {
  auto& s = self<MergeAppendState>(node);
  s.merge.stop();
  for (NodeState* n : s.inputs) rescan(*n);
}

void close_merge_append(NodeState& node) { self<MergeAppendState>(node).merge.stop(); }

}  // namespace

NodeState* make_append(StatementState& st, const planner::Plan* p) {
  return make_state<AppendState>(st, p, init_append, run_append, rescan_append, close_append);
}
NodeState* make_merge_append(StatementState& st, const planner::Plan* p) {
  return make_state<MergeAppendState>(st, p, init_merge_append, run_merge_append, rescan_merge_append, close_merge_append);
}

}  // namespace hathi::executor
