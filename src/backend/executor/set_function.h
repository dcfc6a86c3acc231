#pragma once
// Running a set-returning (or plain) function as a source of rows.

#include <memory>

#include "node.h"
#include "row_store.h"

namespace hathi::executor {

// One call site. Arguments are evaluated at start(); rows are then pulled one by one. Functions that write all their rows at once
// fill a store first.
class SetFunction {
 public:
  // call: a FunctionExpr, an OpExpr, or any expression (one row). row: the columns to be produced (one for scalar results).
  SetFunction(const nodes::Expr* call, const TupleDescriptor* row, bool composite, NodeState& node);

  void start();
  // The next row as one value: a scalar, or a composite datum. False at the end.
  bool next_value(NullableDatum& out);
  // The next row's columns.
  bool next_row(Row& out);
  bool is_set() const { return set_; }
  bool materializes() const { return kind_ == FunctionKind::set_materialize; }
  bool is_volatile() const { return volatile_; }
  void close();

 private:
  void fill_store();
  void expand(NullableDatum record, Row& out);

  NodeState& node_;
  const TupleDescriptor* row_;
  bool composite_;
  bool set_ = false;
  bool volatile_ = false;
  FunctionKind kind_ = FunctionKind::scalar;
  Program* plain_ = nullptr;            // not a function call
  FunctionCall* call_ = nullptr;
  std::span<Program*> args_;
  Arena argument_arena_{512}, state_arena_{512};
  bool running_ = false;
  std::unique_ptr<RowStore> store_;
  RowStore::Reader reader_;
  std::uint64_t position_ = 0;
  Row stored_;
};

// The columns a function in FROM or in a select list gives; composite is set when its values are row types.
const TupleDescriptor* function_row(const nodes::Expr* call, const nodes::FunctionRte* rte, bool& composite, Arena& arena);

}  // namespace hathi::executor
