#include "node.h"

#include <chrono>

#include "hathi/base/stack.h"
#include "hathi/buffer/buffer_pool.h"
#include "replacement.h"

namespace hathi::executor {

using planner::Plan;
using planner::PlanKind;

namespace {

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void add_usage(NodeTimes& times, const buffer::Usage& before, const buffer::Usage& after) {
  times.buffers_hit += after.hit - before.hit;
  times.buffers_read += after.read - before.read;
  times.buffers_dirtied += after.dirtied - before.dirtied;
  times.buffers_written += after.written - before.written;
  times.temp_read += after.temp_read - before.temp_read;
  times.temp_written += after.temp_written - before.temp_written;
}

Row* run_timed(NodeState& node) {
  bool timing = node.statement->options.instrument_timing;
  double start = timing ? now_ms() : 0;
  buffer::Usage before = buffer::usage();
  Row* row = node.run(node);
  add_usage(*node.times, before, buffer::usage());
  double end = timing ? now_ms() : 0;
  if (!node.timing_open) {
    node.timing_open = true;
    node.got_first = false;
    node.loop_total_ms = node.loop_first_ms = 0;
    node.loop_rows = 0;
  }
  node.loop_total_ms += end - start;
  if (!node.got_first) {
    node.loop_first_ms = node.loop_total_ms;
    node.got_first = true;
  }
  if (row != nullptr) ++node.loop_rows;
  return row;
}

// The first call after make or close.
Row* run_first(NodeState& node) {
  check_stack_depth();
  if (!node.initialised) {
    node.init(node);
    node.initialised = true;
  }
  node.started = true;
  node.next = node.times != nullptr ? run_timed : node.run;
  return node.next(node);
}

NodeMaker maker_of(PlanKind kind) {
  switch (kind) {
    case PlanKind::result: return make_result;
    case PlanKind::project_set: return make_project_set;
    case PlanKind::modify_table: return make_modify_table;
    case PlanKind::append: return make_append;
    case PlanKind::merge_append: return make_merge_append;
    case PlanKind::partitioned_scan: return make_partitioned_scan;
    case PlanKind::recursive_union: return make_recursive_union;
    case PlanKind::bitmap_and: case PlanKind::bitmap_or: return make_bitmap_and_or;
    case PlanKind::seq_scan: return make_seq_scan;
    case PlanKind::sample_scan: return make_sample_scan;
    case PlanKind::index_scan: return make_index_scan;
    case PlanKind::index_only_scan: return make_index_only_scan;
    case PlanKind::bitmap_index_scan: return make_bitmap_index_scan;
    case PlanKind::bitmap_heap_scan: return make_bitmap_heap_scan;
    case PlanKind::tid_scan: return make_tid_scan;
    case PlanKind::subquery_scan: return make_subquery_scan;
    case PlanKind::function_scan: return make_function_scan;
    case PlanKind::values_scan: return make_values_scan;
    case PlanKind::cte_scan: return make_cte_scan;
    case PlanKind::work_table_scan: return make_work_table_scan;
    case PlanKind::nest_loop: return make_nest_loop;
    case PlanKind::merge_join: return make_merge_join;
    case PlanKind::hash_join: return make_hash_join;
    case PlanKind::hash: return make_hash;
    case PlanKind::materialize: return make_materialize;
    case PlanKind::memoize: return make_memoize;
    case PlanKind::sort: return make_sort;
    case PlanKind::incremental_sort: return make_incremental_sort;
    case PlanKind::group: return make_group;
    case PlanKind::aggregate: return make_aggregate;
    case PlanKind::window_aggregate: return make_window_aggregate;
    case PlanKind::unique: return make_unique;
    case PlanKind::set_op: return make_set_op;
    case PlanKind::lock_rows: return make_lock_rows;
    case PlanKind::limit: return make_limit;
  }
  throw SqlError(sqlstate::internal_error, "unrecognized plan node {}", static_cast<int>(kind));
}

}  // namespace

namespace {
NodeState* make_unnumbered(StatementState& statement, const Plan* plan) {
  NodeState* node = statement.is_epq() && is_replaced_scan(statement, plan) ? make_replaced_scan(statement, plan) : maker_of(plan->kind)(statement, plan);
  node->plan = plan;
  node->statement = &statement;
  node->eval.statement = &statement;
  node->eval.function.arena = &node->row_arena;
  node->next = run_first;
  node->next_made = statement.all_nodes;
  statement.all_nodes = node;
  // Init plans of the node are computed when a parameter of theirs is first read.
  for (int number : plan->init_plans) statement.init_plan(number);
  return node;
}
}  // namespace

NodeState* make_node(StatementState& statement, const Plan* plan) {
  NodeState* node = make_unnumbered(statement, plan);
  auto id = static_cast<std::size_t>(plan->id);
  if (id < statement.nodes.size() && statement.nodes[id] == nullptr) statement.nodes[id] = node;
  if (id < statement.times.size()) node->times = &statement.times[id];
  return node;
}

NodeState* make_partition_node(StatementState& statement, const Plan* plan, const catalog::Relation* partition) {
  NodeState* node = make_unnumbered(statement, plan);
  node->partition = partition;
  if (statement.options.instrument) node->times = &statement.partition_times[plan];
  return node;
}

void close_scan(NodeState& node) {
  if (node.started) {
    end_loop(node);
    node.close(node);
    node.row_arena.reset();
    restart_after_close(node);
  }
  if (node.left != nullptr) close_scan(*node.left);
  if (node.right != nullptr) close_scan(*node.right);
  if (node.visit_inputs != nullptr) node.visit_inputs(node, close_scan);
}

namespace {
void rebind_below(NodeState& node, const catalog::Relation* partition) {
  node.partition = partition;
  if (node.initialised) node.rebind(node);
  if (node.left != nullptr) rebind_below(*node.left, partition);
  if (node.visit_inputs == nullptr) return;
  // (The partition is handed on through the parent: function pointers carry nothing.)
  static const catalog::Relation* current;
  current = partition;
  node.visit_inputs(node, [](NodeState& input) { rebind_below(input, current); });
}
}  // namespace

void rebind_scan(NodeState& node, const catalog::Relation* partition) {
  close_scan(node);
  rebind_below(node, partition);
}

NodeState* make_child(NodeState& parent, const Plan* plan) {
  if (plan == nullptr) return nullptr;
  if (parent.partition != nullptr) return make_partition_node(*parent.statement, plan, parent.partition);
  return make_node(*parent.statement, plan);
}

void rescan(NodeState& node) {
  if (!node.started) return;   // nothing was read yet
  end_loop(node);
  node.rescan(node);
}

void end_loop(NodeState& node) {
  if (node.times == nullptr || !node.timing_open) return;
  ++node.times->loops;
  node.times->rows += node.loop_rows;
  node.times->startup_ms += node.loop_first_ms;
  node.times->total_ms += node.loop_total_ms;
  node.timing_open = false;
}

void restart_after_close(NodeState& node) {
  node.next = run_first;
  node.started = false;
}

void prepare_filter(NodeState& node, const CompileOptions& options) {
  node.filter = compile_filter(node.plan->filter, node.eval, node.statement->arena, options);
}

namespace {
bool is_identity(const Plan& plan, int rte, const TupleDescriptor* input) {
  int i = 0;
  for (const nodes::TargetEntry* t : plan.targets) {
    ++i;
    if (!nodes::is<nodes::Variable>(t->expr)) return false;
    auto& v = *nodes::as<nodes::Variable>(t->expr);
    if (v.rte != rte || v.column != i) return false;
    if (input != nullptr && i > input->count()) return false;
  }
  return true;
}
}  // namespace

void prepare_projection(NodeState& node, int identity_rte, const CompileOptions& options, const TupleDescriptor* input) {
  if (identity_rte != 0 && is_identity(*node.plan, identity_rte, input)) return;
  make_row(node.output, static_cast<int>(node.plan->targets.size()), nullptr, node.statement->arena);
  node.projection = compile_projection(node.plan->targets, node.output, node.eval, node.statement->arena, options);
}

const TupleDescriptor* output_descriptor(NodeState& node) { return describe_targets(node.plan->targets, node.statement->arena); }

}  // namespace hathi::executor
