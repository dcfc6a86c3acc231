#pragma once
// Expressions as flat programs: an array of steps that write NULL-able values to fixed places. Compiled once per plan node, run for
// every row without recursion, virtual calls or allocation (functions allocate their results in the context's arena).

#include <cstdint>

#include "hathi/base/builtin_oids.h"
#include "hathi/datum/function.h"
#include "hathi/error/sql_error.h"
#include "hathi/planner/plan.h"
#include "row.h"

namespace hathi::executor {

struct StatementState;
struct SubPlanState;
struct Program;

// What a node offers to its programs. One a node; programs are bound to it when compiled.
struct EvalContext {
  Row* outer = nullptr;
  Row* inner = nullptr;
  Row* scan = nullptr;
  FunctionContext function;                    // function.arena: where results of this row live
  StatementState* statement = nullptr;         // null outside statements: no parameters, no subqueries
  const planner::ParameterValue* external = nullptr;   // without a statement
  int external_count = 0;
  const NullableDatum* aggregates = nullptr;   // finished aggregates, by number
  const NullableDatum* windows = nullptr;      // window function results, by position
  const bool* grouped = nullptr;               // grouping sets: which of Aggregate::columns the row being put out has; null = all
};

// Kinds of step. X(name).
#define HATHI_STEPS(X)                                                                                                                    \
  X(done) X(fetch_outer) X(fetch_inner) X(fetch_scan) X(var_outer) X(var_inner) X(var_scan) X(system_column) X(whole_row)                 \
  X(assign_outer) X(assign_inner) X(assign_scan) X(assign) X(constant) X(copy) X(external_parameter) X(exec_parameter)                    \
  X(call) X(call_strict_1) X(call_strict_2) X(call_strict)                                                                                \
  X(int4_eq) X(int4_ne) X(int4_lt) X(int4_le) X(int4_gt) X(int4_ge) X(int8_eq) X(int8_ne) X(int8_lt) X(int8_le) X(int8_gt) X(int8_ge)     \
  X(int4_add) X(int4_sub) X(int4_mul) X(int8_add) X(int8_sub) X(int8_mul) X(text_eq) X(text_ne)                                           \
  X(jump) X(jump_if_null) X(jump_if_not_null) X(jump_if_not_true) X(and_step) X(or_step) X(not_step) X(filter)                            \
  X(is_null) X(is_not_null) X(row_is_null) X(row_is_not_null) X(is_true) X(is_not_true) X(is_false) X(is_not_false)                       \
  X(distinct) X(null_if) X(row_compare_step) X(row_compare_final) X(min_max)                                                              \
  X(aggregate) X(window) X(grouping) X(sub_plan) X(slow)

enum class StepOp : std::uint16_t {
#define X(name) name,
  HATHI_STEPS(X)
#undef X
};

struct Step;
// A step that is done out of line: writes *step.result.
using SlowStep = void (*)(const Step& step, EvalContext& context);

// What and_step / or_step share while their arguments are evaluated.
struct BooleanScratch { bool any_null; };

// GROUPING(…): for each argument its index into Aggregate::columns, -1 when it is not a grouping column.
struct GroupingData { std::span<const int> columns; };

struct Step {
  StepOp op = StepOp::done;
  AttrNumber column = 0;           // 0-based source position; fetch_*: how many; assign*: source
  int target = 0;                  // jump target; assign*: target position; grouping, aggregate, window: number; parameters: number
  NullableDatum* result = nullptr;
  union {
    struct { FunctionCall* call; NullableDatum* args; } function;
    struct { NullableDatum* args; } binary;
    struct { BooleanScratch* scratch; bool first; bool last; } boolean;
    struct { SlowStep run; void* data; } slow;
    struct { FunctionCall* call; NullableDatum* args; int strategy; } row_compare;
    SubPlanState* sub_plan;
    NullableDatum value;
    const NullableDatum* source;
    void* data;
  };
  Step() : data(nullptr) {}
};

struct Program {
  NullableDatum (*run)(Program&) = nullptr;
  const Step* steps = nullptr;
  EvalContext* context = nullptr;
  NullableDatum result;            // where the last step leaves the value
  Row* target = nullptr;           // of projections
};

// The value of the expression for the rows in the context.
inline NullableDatum evaluate(Program& program) { return program.run(program); }
// A filter: does the row pass? (FALSE and NULL do not.) A null program lets everything pass.
inline bool passes(Program* program) {
  if (program == nullptr) return true;
  NullableDatum result = program->run(*program);
  return !result.is_null && result.value.as_bool();
}
// A projection: fills program.target, which becomes a virtual row.
inline Row* project(Program& program) {
  program.run(program);
  program.target->set_virtual();
  return program.target;
}

NullableDatum interpret(Program& program);

// Where the Variables of an expression are found. Any other rte is the context's scan row.
struct VariableSources {
  int outer_rte = nodes::kOuterVar;
  int inner_rte = nodes::kInnerVar;
};

struct CompileOptions {
  VariableSources sources;
  // The list whose members the window steps refer to by position.
  const List<nodes::WindowFunction*>* windows = nullptr;
  // Aggregate: the sort-group reference of each grouping column, by which GROUPING names them.
  std::span<const int> grouping_refs;
  // Descriptor of scan rows, for whole-row variables; may be null.
  const TupleDescriptor* scan_descriptor = nullptr;
};

// All memory of the program is taken from `arena`; it and the context must outlive the program. nullptr for an empty list.
Program* compile_expression(const nodes::Expr* e, EvalContext& context, Arena& arena, const CompileOptions& options = {});
Program* compile_filter(const List<nodes::Expr*>& conditions, EvalContext& context, Arena& arena, const CompileOptions& options = {});
// Writes target i to row.values[i]; junk targets too. The row's arrays must be there.
Program* compile_projection(const List<nodes::TargetEntry*>& targets, Row& row, EvalContext& context, Arena& arena, const CompileOptions& options = {});
Program* compile_list(const List<nodes::Expr*>& list, Row& row, EvalContext& context, Arena& arena, const CompileOptions& options = {});

// A call site for a function with its memory: arguments, state. Throws 42501 when the role may not execute it, 0A000 for a
// language that is not there.
FunctionCall* make_call(Oid function, int argument_count, Oid input_collation, Oid result_type, const List<nodes::Expr*>* args, bool variadic,
                        EvalContext& context, Arena& arena);

}  // namespace hathi::executor
