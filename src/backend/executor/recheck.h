#pragma once
// EvalPlanQual: a row that we wait for was changed meanwhile. Under READ COMMITTED the plan is evaluated again for its newest version
// and the other tables' rows of the same joined row; what comes out replaces the row.

#include <memory>

#include "node.h"

namespace hathi::executor {

class Recheck {
 public:
  // plan: the input of the ModifyTable or LockRows node. marks: the rows of other tables. target_rte: ModifyTable's table, 0 for LockRows.
  Recheck(StatementState& statement, const planner::Plan* plan, const List<planner::RowMarkPlan*>& marks, int target_rte);
  ~Recheck();

  // Starts over: no row is given.
  void begin();
  // The new version of the entry's row (copied).
  void set_row(int rte, const HeapTuple& tuple, const TupleDescriptor& descriptor);
  // A row whose columns stand in `values` already (partitions with other columns).
  void set_values(int rte, Row& row, const TupleDescriptor& descriptor);
  // A partition's row, moved into the columns of the entry's table.
  void set_partition_row(int rte, const HeapTuple& tuple, const catalog::Relation& partition);
  // The rows of the marks without a version set, as the input row names them (position or whole row).
  void set_marked_rows(Row& input);
  // Runs the plan: the row, or nullptr when the conditions no longer hold.
  Row* run();

 private:
  ReplacementRow& slot(int rte) { return replacements_[static_cast<std::size_t>(rte - 1)]; }
  void prepare();

  StatementState& parent_;
  const planner::Plan* plan_;
  const List<planner::RowMarkPlan*>& marks_;
  int target_rte_;
  std::unique_ptr<StatementState> state_;
  std::span<ReplacementRow> replacements_;
  std::vector<bool> given_;
  Arena rows_{2048};           // the rows given
  NodeState* root_ = nullptr;
};

}  // namespace hathi::executor
