#pragma once
// Aggregate functions at run time, used by Aggregate and WindowAggregate: transition values of groups, final results.

#include <optional>

#include "node.h"
#include "sorter.h"

namespace hathi::executor {

// The state of one aggregate in one group.
struct Transition {
  Datum value;
  bool is_null;
  bool waiting;                // strict without initial value: the first input becomes the state
  std::uint32_t capacity;      // bytes of our own memory behind a by-reference value
};

struct AggregateFunction {
  enum class Kind : std::uint8_t { call, count_star, count_any, sum_integer, larger_integer, smaller_integer, ordered_set };
  Kind kind = Kind::call;
  bool ordered = false;                       // rows are sorted (ORDER BY, DISTINCT, ordered sets) before they are taken
  int argument_count = 0;                     // without ORDER BY's extra columns
  Oid function = kInvalidOid;
  FunctionCall* transition = nullptr;         // args[0] = state
  FunctionCall* final = nullptr;              // null: the state is the result
  int final_arguments = 0;
  NullableDatum initial;
  TypeLayout layout;                          // of the state
  Program* filter = nullptr;
  std::span<Program*> args;
  std::span<Program*> direct_args;
  // Ordered input.
  const TupleDescriptor* descriptor = nullptr;   // of all args
  std::span<SortColumn> sort_columns;
  KeyColumns distinct;
  std::unique_ptr<Sorter> sorter;
  Row sort_row;
  const nodes::Aggregate* node = nullptr;
  Oid result_type = kInvalidOid;
};

// What is to be aggregated; from nodes::Aggregate or nodes::WindowFunction.
struct AggregateSpec {
  Oid function = kInvalidOid, result_type = kInvalidOid, input_collation = kInvalidOid, transition_type = kInvalidOid;
  List<nodes::Expr*> args;                    // those handed to the transition function
  const nodes::Expr* filter = nullptr;
  bool star = false, variadic = false;
  const nodes::Aggregate* node = nullptr;     // ORDER BY, DISTINCT, direct arguments
  bool moving = false;                        // window frames: the moving-aggregate functions
};
AggregateSpec aggregate_spec(const nodes::Aggregate& a, Arena& arena);

// Programs read the context of `owner`. Memory: the statement's arena.
void prepare_aggregate(AggregateFunction& f, const AggregateSpec& spec, NodeState& owner);
void start_transition(const AggregateFunction& f, Transition& t, Arena& group_arena);
// Takes the row in the owner's context. By-reference states go to group_arena.
void advance_transition(AggregateFunction& f, Transition& t, Arena& group_arena, NodeState& owner);
// Ordered aggregates: feeds the sorted rows to the transition function. Before finish_transition.
void drain_sorted(AggregateFunction& f, Transition& t, Arena& group_arena, NodeState& owner);
// The aggregate's result; by-reference values live in the owner's current arena or the group's.
NullableDatum finish_transition(AggregateFunction& f, const Transition& t, Arena& group_arena, NodeState& owner);
// Calls the transition function with the arguments set already (strictness handled).
void call_transition(AggregateFunction& f, Transition& t, Arena& group_arena);
// A new state value, copied to the group's memory when it is by reference.
void store_transition(const AggregateFunction& f, Transition& t, Datum value, Arena& group_arena);
void reset_sorter(AggregateFunction& f, StatementState& statement);

// Ordered-set and hypothetical-set aggregates over the sorter's rows (ordered_set.cpp). 0A000 for unknown ones.
NullableDatum finish_ordered_set(AggregateFunction& f, NodeState& owner);

}  // namespace hathi::executor
