// NestLoop: for each outer row the inner plan runs again, with parameters from the outer row.

#include "node.h"

namespace hathi::executor {

using nodes::JoinType;

namespace {

struct NestLoopState : NodeState {
  Program* condition = nullptr;
  std::span<Program*> values;          // of the parameters
  Row null_row;
  JoinType type = JoinType::inner;
  bool one_match = false;              // at most one inner row for an outer one is wanted
  bool need_outer = true, matched = false, done = false;
};

Row* run_nest_loop(NodeState& node) {
  auto& s = self<NestLoopState>(node);
  auto& params = plan_of<planner::NestLoop>(s).params;
  if (s.done) return nullptr;
  for (;;) {
    check_interrupts();
    s.row_arena.reset();
    if (s.need_outer) {
      s.eval.outer = fetch(*s.left);
      if (s.eval.outer == nullptr) {
        s.done = true;
        return nullptr;
      }
      for (std::size_t i = 0; i < s.values.size(); ++i) s.statement->set_param(params[i]->slot, evaluate(*s.values[i]));
      rescan(*s.right);
      s.need_outer = s.matched = false;
    }
    s.eval.inner = fetch(*s.right);
    if (s.eval.inner == nullptr) {
      s.need_outer = true;
      if (s.matched || (s.type != JoinType::left && s.type != JoinType::anti)) continue;
      s.eval.inner = &s.null_row;
      if (passes_filter(s)) return output_row(s, s.eval.outer);
      continue;
    }
    if (!passes(s.condition)) {
      if (s.times != nullptr) ++s.times->join_filtered;
      continue;
    }
    s.matched = true;
    if (s.type == JoinType::anti) {
      s.need_outer = true;
      continue;
    }
    if (s.one_match) s.need_outer = true;
    if (passes_filter(s)) return output_row(s, s.eval.outer);
  }
}

void init_nest_loop(NodeState& node) {
  auto& s = self<NestLoopState>(node);
  auto& plan = plan_of<planner::NestLoop>(s);
  Arena& arena = s.statement->arena;
  s.left = make_child(s, plan.left);
  s.right = make_child(s, plan.right);
  s.type = plan.type;
  s.one_match = plan.type == JoinType::semi || plan.inner_unique;
  auto* values = arena.make_array<Program*>(plan.params.size());
  for (std::size_t i = 0; i < plan.params.size(); ++i) values[i] = compile_expression(plan.params[i]->value, s.eval, arena);
  s.values = {values, plan.params.size()};
  s.condition = compile_filter(plan.conditions, s.eval, arena);
  make_row(s.null_row, static_cast<int>(plan.right->targets.size()), nullptr, arena);
  s.null_row.set_all_null();
  prepare_filter(s);
  prepare_projection(s, nodes::kOuterVar);
}

void close_nest_loop(NodeState& node) {
  auto& s = self<NestLoopState>(node);
  s.need_outer = true;
  s.matched = s.done = false;
}

void rescan_nest_loop(NodeState& node) {
  close_nest_loop(node);
  rescan(*node.left);
}

}  // namespace

NodeState* make_nest_loop(StatementState& st, const planner::Plan* p) {
  return make_state<NestLoopState>(st, p, init_nest_loop, run_nest_loop, rescan_nest_loop, close_nest_loop);
}

}  // namespace hathi::executor
