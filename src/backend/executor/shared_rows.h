#pragma once
// Stores that several nodes of a statement read: CTEs and the work tables of recursive queries.

#include <memory>

#include "node.h"
#include "row_store.h"

namespace hathi::executor {

// The rows of one CTE, read from its plan as its scans need them.
struct CteState {
  StatementState* owner = nullptr;
  NodeState* root = nullptr;
  const TupleDescriptor* descriptor = nullptr;
  std::unique_ptr<RowStore> store;
  bool done = false;
  std::uint64_t filled_at = 0;
  std::uint64_t generation = 0;       // grows when the store is thrown away: readers begin anew
  void prepare(StatementState& statement);
  void restart_if_stale(StatementState& statement);
  void close();
};
CteState* shared_cte(StatementState& statement, int number);

struct WorkTable {
  const TupleDescriptor* descriptor = nullptr;
  std::unique_ptr<RowStore> work, next;
  std::uint64_t generation = 0;
};

}  // namespace hathi::executor
