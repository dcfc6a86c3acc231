#pragma once
// What a running statement shares among its plan nodes: parameters, snapshot, opened relations, subplans, shared CTE stores.

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "hathi/catalog/relation.h"
#include "hathi/executor/executor.h"
#include "program.h"

namespace hathi::executor {

struct NodeState;
class ScanPartitions;
struct SubPlanState;
struct CteState;
struct WorkTable;
class ConstraintEvents;

// A parameter of the plan's own. `changed` is the value of the statement's clock when it was last set: caches compare it with the
// time they were filled.
struct ExecParam {
  NullableDatum value;
  std::uint64_t changed = 0;
  SubPlanState* init_plan = nullptr;     // computes it on first use; of an outer statement in EvalPlanQual runs that inherit it
};

// EvalPlanQual: scans of these range-table entries return the one row given (or none) instead of scanning.
struct ReplacementRow {
  bool active = false;         // the entry is replaced
  bool present = false;        // there is a row
  bool done = false;           // it was returned already
  Row row;                     // heap row in place / copied, or virtual
};

struct StatementState {
  StatementState(const planner::PlannedStatement& s, const ExecutionOptions& o);
  ~StatementState();
  StatementState(const StatementState&) = delete;
  StatementState& operator=(const StatementState&) = delete;

  const planner::PlannedStatement& statement;
  ExecutionOptions options;
  Arena arena{4096};                     // states and programs: as long as this object
  Arena run_arena{1024};                 // values that live for one run
  Arena function_arena{512};             // what functions keep from call to call at their call sites
  std::vector<void**> function_states;   // their pointers to it
  std::span<const planner::ParameterValue> external;
  transaction::SnapshotRef snapshot_ref;
  const transaction::Snapshot* snapshot = nullptr;
  CommandId command{0};                  // of this statement's changes
  std::span<ExecParam> params;
  std::uint64_t clock = 1;
  std::uint64_t everything_changed = 0;  // clock when external parameters or the snapshot changed
  std::span<catalog::RelationRef> relations;        // [rte - 1], opened on first use
  std::span<NodeState*> nodes;           // by plan id; the first state made for it
  NodeState* all_nodes = nullptr;        // every state, newest first
  std::span<NodeState*> subplan_roots;   // [number - 1]
  std::span<CteState*> ctes;             // [number - 1]
  std::span<WorkTable*> work_tables;     // by exec parameter
  std::span<NodeTimes> times;            // by plan id when instrumented
  std::map<const planner::Plan*, NodeTimes> partition_times;   // of plans made at run time
  std::span<ScanPartitions*> partitioned;   // by PartitionedScan::number
  std::uint64_t processed = 0;
  std::unique_ptr<ConstraintEvents> constraint_events;   // made by the first change that needs a check
  // EvalPlanQual runs: the replaced entries ([rte - 1]); null in ordinary runs.
  ReplacementRow* replacements = nullptr;
  StatementState* parent = nullptr;      // of an EvalPlanQual run
  bool finished = false;
  std::uint64_t run_number = 0;          // counts starts

  const catalog::Relation& relation(int rte);
  const NullableDatum& param(int slot) {
    ExecParam& p = params[static_cast<std::size_t>(slot)];
    if (p.init_plan != nullptr) refresh_init_plan(p);
    return p.value;
  }
  void set_param(int slot, NullableDatum value) {
    ExecParam& p = params[static_cast<std::size_t>(slot)];
    p.value = value;
    p.changed = ++clock;
  }
  // Did any of the parameters change after `since`? Init plans that would give a new value count.
  bool changed_since(const List<int>& parameters, std::uint64_t since);
  void refresh_init_plan(ExecParam& p);
  // EvalPlanQual runs: takes the parent's value. An init plan's is computed only when it is read: it may be the very one that is running, or
  // one that the statement never needs.
  void inherit_param(int slot);
  NodeState* subplan_root(int number);
  ScanPartitions& scan_partitions(const planner::PartitionedScan& plan);
  SubPlanState* init_plan(int number);
  std::size_t work_memory() const;       // bytes
  std::size_t hash_memory() const;       // bytes
  // Something outside nodes that holds memory: release is called at the end of each run, destroy with this object.
  void keep(void* object, void (*release)(void*), void (*destroy)(void*)) { kept_.push_back({object, release, destroy}); }
  // Ends a run: nodes and kept objects give back what they hold; everything starts afresh at the next.
  void close_all();
  // Runs data-modifying subplans to their ends (those that nobody read completely).
  void complete_modifying_ctes();
  // Immediate constraint checks that waited for the statement's end; deferred ones pass on to the transaction.
  void finish_constraints();
  bool is_epq() const { return replacements != nullptr; }

 private:
  bool param_changed(int slot, std::uint64_t since);
  struct Kept { void* object; void (*release)(void*); void (*destroy)(void*); };
  std::span<SubPlanState*> init_plans_;  // [number - 1]
  std::vector<Kept> kept_;
};

}  // namespace hathi::executor
