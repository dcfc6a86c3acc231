#pragma once
// Sorted inputs merged into one order: the input with the next row is on top of a heap.

#include <vector>

#include "comparison.h"
#include "node.h"

namespace hathi::executor {

class RowMerge {
 public:
  // The order of the inputs and of what comes out: positions among their columns.
  void prepare(std::span<const AttrNumber> columns, std::span<const Oid> operators, std::span<const Oid> collations, std::span<const bool> nulls_first,
               Arena& arena);
  // Reads the first row of each input; they stay the caller's. scratch: for comparing, reset by the caller between calls of next().
  void start(std::span<NodeState* const> inputs, Arena& scratch);
  bool is_started() const { return started_; }
  // The next row, nullptr at the end. Valid until the next call.
  Row* next();
  // The input of the row returned last.
  NodeState* source() const { return source_; }
  // Forgets the inputs: next() needs a new start().
  void stop();

 private:
  bool advance(std::uint32_t input);
  bool comes_later(std::uint32_t a, std::uint32_t b);

  std::span<SortColumn> order_;
  int highest_ = 0;
  std::vector<NodeState*> inputs_;
  std::vector<Row*> heads_;              // the row each input stands on
  std::vector<std::uint32_t> heap_;      // inputs that have one
  Arena* scratch_ = nullptr;
  NodeState* source_ = nullptr;
  bool started_ = false;
};

}  // namespace hathi::executor
