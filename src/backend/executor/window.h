#pragma once
// WindowAggregate's run state: one partition at a time stands in a store; frames are row-number ranges in it.

#include "aggregate.h"
#include "row_store.h"

namespace hathi::executor {

// [start, end) of row numbers.
struct FrameRange { std::uint64_t start = 0, end = 0; };

struct WindowState : NodeState {
  struct Function {
    const nodes::WindowFunction* node = nullptr;
    bool is_aggregate = false;
    std::span<Program*> args;
    TypeLayout layout;                       // of the result
    // aggregates
    AggregateFunction aggregate;
    FunctionCall* inverse = nullptr;         // moving mode
    Transition transition{};
    std::unique_ptr<Arena> arena;            // of the transition value
    std::uint64_t base = 0, up_to = 0;       // rows aggregated so far: [base, up_to)
    std::uint64_t taken = 0;                 // moving mode: rows that really went in
    bool running = false;
    RowStore::Reader reader;
  };

  int options = 0;
  std::vector<Function> functions;
  NullableDatum* results = nullptr;
  const TupleDescriptor* input = nullptr;
  KeyColumns partition_keys, order_keys;
  Program* start_offset_program = nullptr;
  Program* end_offset_program = nullptr;
  FunctionCall* start_in_range = nullptr;
  FunctionCall* end_in_range = nullptr;
  TypeLayout start_layout, end_layout;
  bool ascending = true, nulls_first = false;
  AttrNumber range_column = 0;

  // The partition.
  std::optional<RowStore> rows;
  bool partition_complete = false, input_done = false, has_next = false, started_input = false;
  Row next_row;                              // the first row of the next partition
  Row first_row;                             // of this one, for comparing partition columns
  Arena next_arena{1024}, first_arena{1024}, offset_arena{256}, compare_arena{256};
  NullableDatum start_offset, end_offset;
  bool offsets_known = false;

  // The current row.
  std::uint64_t position = 0;
  bool in_partition = false;
  Row current, other, compared;
  RowStore::Reader current_reader, other_reader, compare_reader;
  std::vector<std::uint64_t> groups;         // where peer groups begin, as far as known
  std::uint64_t group_of_current = 0;        // index into groups
  FrameRange frame;                          // before exclusion
  std::uint64_t range_head = 0, range_tail = 0;   // RANGE with offsets: they only move forward

  // Row number n is in the store, reading more input if need be; false beyond the partition's end.
  bool have_row(std::uint64_t n);
  std::uint64_t row_count();                 // reads the whole partition
  Row& row_at(std::uint64_t n);              // `other`; valid until the next call
  bool are_peers(std::uint64_t a, std::uint64_t b);
  // The end of the peer group with index g (exclusive).
  std::uint64_t group_end(std::uint64_t g);
};

// Computes state.frame for the current row.
void compute_frame(WindowState& s);
// The parts of the frame that remain after EXCLUDE: up to three ranges, in order. Returns how many.
int frame_parts(WindowState& s, FrameRange* parts);
// The result of function f for the current row.
NullableDatum window_value(WindowState& s, WindowState::Function& f);

}  // namespace hathi::executor
