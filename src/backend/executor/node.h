#pragma once
// Run states of plan nodes. A node is asked for rows through a function pointer; the first call prepares it.
//
// Life: make_node() (cheap: nothing is compiled or opened) -> first fetch(): init (once: programs, children's states), then run
// -> rescan() any number of times -> close(): gives back pins, files, stored rows; keeps programs and children, so the next
// fetch() starts afresh -> destroy with the statement.

#include "hathi/shmem/interrupts.h"
#include "statement_state.h"

namespace hathi::executor {

struct NodeState {
  // Set by the node's kind.
  Row* (*run)(NodeState&) = nullptr;         // the next row or nullptr; valid until the next call
  void (*init)(NodeState&) = nullptr;
  void (*rescan)(NodeState&) = nullptr;      // from the beginning, with the current parameters; children too
  void (*close)(NodeState&) = nullptr;       // this node only
  void (*destroy)(NodeState&) = nullptr;
  // Scans that may read one partition after the other: `partition` is another table of the same layout.
  void (*rebind)(NodeState&) = nullptr;
  void (*visit_inputs)(NodeState&, void (*visit)(NodeState&)) = nullptr;   // children besides left and right

  Row* (*next)(NodeState&) = nullptr;        // run, or a wrapper round it
  const planner::Plan* plan = nullptr;
  StatementState* statement = nullptr;
  NodeState* left = nullptr;
  NodeState* right = nullptr;
  NodeState* next_made = nullptr;
  NodeTimes* times = nullptr;
  const catalog::Relation* partition = nullptr;   // scans below a PartitionedScan: the table to read
  bool initialised = false;
  bool started = false;
  bool timing_open = false;                  // instrumented: a loop is going on
  bool got_first = false;
  double loop_start_ms = 0, loop_first_ms = 0, loop_total_ms = 0;
  std::uint64_t loop_rows = 0;
  Arena row_arena{1024};                     // the current output row's values
  EvalContext eval;
  Program* filter = nullptr;
  Program* projection = nullptr;             // null: the input row is the output row
  Row output;
};

inline Row* fetch(NodeState& node) { return node.next(node); }
void rescan(NodeState& node);
// A state for the plan node (children are made when it is first asked for a row).
NodeState* make_node(StatementState& statement, const planner::Plan* plan);
// A node of a plan that reads one partition. It is not found by plan id.
NodeState* make_partition_node(StatementState& statement, const planner::Plan* plan, const catalog::Relation* partition);
// Closes the scan and what is below; its next fetch starts afresh.
void close_scan(NodeState& node);
// Closes it and binds it to another table.
void rebind_scan(NodeState& node, const catalog::Relation* partition);
// As make_node, nullptr for nullptr.
NodeState* make_child(NodeState& parent, const planner::Plan* plan);
// After close(): the next fetch starts afresh.
void restart_after_close(NodeState& node);
// Ends a loop for EXPLAIN ANALYZE; called by rescan and at the end.
void end_loop(NodeState& node);

// Typed state in the statement's arena, linked into all_nodes.
template <class T>
T* new_state(StatementState& statement, const planner::Plan* plan) {
  T* state = new (statement.arena.allocate(sizeof(T), alignof(T))) T();
  state->destroy = [](NodeState& n) { static_cast<T&>(n).~T(); };
  return state;
}
template <class T>
NodeState* make_state(StatementState& statement, const planner::Plan* plan, void (*init)(NodeState&), Row* (*run)(NodeState&),
                      void (*rescan)(NodeState&), void (*close)(NodeState&)) {
  T* s = new_state<T>(statement, plan);
  s->init = init;
  s->run = run;
  s->rescan = rescan;
  s->close = close;
  return s;
}
using NodeMaker = NodeState* (*)(StatementState& statement, const planner::Plan* plan);

template <class T>
T& self(NodeState& node) { return static_cast<T&>(node); }
template <class T>
const T& plan_of(const NodeState& node) { return *static_cast<const T*>(node.plan); }

// Compiles filter and targets over the node's context. identity: a row whose leading columns are exactly the targets needs no
// projection (variable of `rte` in order).
void prepare_filter(NodeState& node, const CompileOptions& options = {});
void prepare_projection(NodeState& node, int identity_rte, const CompileOptions& options = {}, const TupleDescriptor* input = nullptr);

// The output row for the rows in the node's context.
inline Row* output_row(NodeState& node, Row* input) { return node.projection == nullptr ? input : project(*node.projection); }
inline bool passes_filter(NodeState& node) {
  if (passes(node.filter)) return true;
  if (node.times != nullptr) ++node.times->filtered;
  return false;
}

std::span<TypeLayout> column_layouts(std::span<const AttrNumber> columns, const TupleDescriptor& d, Arena& arena);
// Tells a sort below that only the first rows will be read (0 = all). Called before its first row.
void pass_bound(NodeState& node, std::uint64_t bound);

// Descriptor of a child's output columns, for packing.
const TupleDescriptor* output_descriptor(NodeState& node);

// Makers, one a kind.
NodeState* make_result(StatementState&, const planner::Plan*);
NodeState* make_project_set(StatementState&, const planner::Plan*);
NodeState* make_modify_table(StatementState&, const planner::Plan*);
NodeState* make_append(StatementState&, const planner::Plan*);
NodeState* make_merge_append(StatementState&, const planner::Plan*);
NodeState* make_partitioned_scan(StatementState&, const planner::Plan*);
NodeState* make_recursive_union(StatementState&, const planner::Plan*);
NodeState* make_seq_scan(StatementState&, const planner::Plan*);
NodeState* make_sample_scan(StatementState&, const planner::Plan*);
NodeState* make_index_scan(StatementState&, const planner::Plan*);
NodeState* make_index_only_scan(StatementState&, const planner::Plan*);
NodeState* make_bitmap_index_scan(StatementState&, const planner::Plan*);
NodeState* make_bitmap_and_or(StatementState&, const planner::Plan*);
NodeState* make_bitmap_heap_scan(StatementState&, const planner::Plan*);
NodeState* make_tid_scan(StatementState&, const planner::Plan*);
NodeState* make_subquery_scan(StatementState&, const planner::Plan*);
NodeState* make_function_scan(StatementState&, const planner::Plan*);
NodeState* make_values_scan(StatementState&, const planner::Plan*);
NodeState* make_cte_scan(StatementState&, const planner::Plan*);
NodeState* make_work_table_scan(StatementState&, const planner::Plan*);
NodeState* make_nest_loop(StatementState&, const planner::Plan*);
NodeState* make_merge_join(StatementState&, const planner::Plan*);
NodeState* make_hash_join(StatementState&, const planner::Plan*);
NodeState* make_hash(StatementState&, const planner::Plan*);
NodeState* make_materialize(StatementState&, const planner::Plan*);
NodeState* make_memoize(StatementState&, const planner::Plan*);
NodeState* make_sort(StatementState&, const planner::Plan*);
NodeState* make_incremental_sort(StatementState&, const planner::Plan*);
NodeState* make_group(StatementState&, const planner::Plan*);
NodeState* make_aggregate(StatementState&, const planner::Plan*);
NodeState* make_window_aggregate(StatementState&, const planner::Plan*);
NodeState* make_unique(StatementState&, const planner::Plan*);
NodeState* make_set_op(StatementState&, const planner::Plan*);
NodeState* make_lock_rows(StatementState&, const planner::Plan*);
NodeState* make_limit(StatementState&, const planner::Plan*);

}  // namespace hathi::executor
