// Running programs.

#include "hathi/catalog/lookup.h"
#include "program.h"
#include "row_values.h"
#include "statement_state.h"
#include "subplan.h"

namespace hathi::executor {

namespace {

[[noreturn, gnu::cold]] void throw_out_of_range(bool wide) {
  throw SqlError(sqlstate::numeric_value_out_of_range, "{} out of range", wide ? "bigint" : "integer");
}

template <class T>
T checked(bool overflow, T value) {
  if (overflow) [[unlikely]] throw_out_of_range(sizeof(T) == 8);
  return value;
}

bool text_equal(const NullableDatum* args, Arena& arena) {
  return varlena::text(args[0].value, arena) == varlena::text(args[1].value, arena);
}

NullableDatum call(FunctionCall& c) {
  c.result_is_null = false;
  Datum value = c.site->function(c);
  return {value, c.result_is_null};
}

bool any_null(const NullableDatum* args, int n) {
  for (int i = 0; i < n; ++i) {
    if (args[i].is_null) return true;
  }
  return false;
}

NullableDatum external_parameter(const EvalContext& c, int number) {
  const planner::ParameterValue* values = c.external;
  int count = c.external_count;
  if (c.statement != nullptr) {
    values = c.statement->external.data();
    count = static_cast<int>(c.statement->external.size());
  }
  if (number < 1 || number > count) throw SqlError(sqlstate::undefined_object, "no value found for parameter {}", number);
  return values[number - 1].value;
}

// GROUPING(...): a bit for each argument, set when the current grouping set does not have it.
NullableDatum grouping_bits(const GroupingData& g, const EvalContext& c) {
  std::int32_t bits = 0;
  for (int column : g.columns) bits = (bits << 1) | (c.grouped == nullptr || (column >= 0 && c.grouped[column]) ? 0 : 1);
  return {Datum::of(bits), false};
}

NullableDatum distinct(FunctionCall& c) {
  bool a = c.args[0].is_null, b = c.args[1].is_null;
  if (a || b) return {Datum::of(a != b), false};
  NullableDatum equal = call(c);
  return {Datum::of(!equal.value.as_bool()), equal.is_null};
}

bool three_way_fits(int strategy, std::int32_t comparison) {
  switch (strategy) {
    case 1: return comparison < 0;
    case 2: return comparison <= 0;
    case 4: return comparison >= 0;
    default: return comparison > 0;
  }
}

}  // namespace

#define BINARY(name, expression)                                                        \
  step_##name : {                                                                       \
    const NullableDatum* a = s->binary.args;                                            \
    s->result->is_null = a[0].is_null || a[1].is_null;                                  \
    if (!s->result->is_null) s->result->value = Datum::of(expression);                  \
    NEXT;                                                                               \
  }
#define INT4(op) a[0].value.as_int32() op a[1].value.as_int32()
#define INT8(op) a[0].value.as_int64() op a[1].value.as_int64()
#define ARITHMETIC(name, type, get, builtin)                                            \
  step_##name : {                                                                       \
    const NullableDatum* a = s->binary.args;                                            \
    s->result->is_null = a[0].is_null || a[1].is_null;                                  \
    if (!s->result->is_null) {                                                          \
      type r;                                                                           \
      bool overflow = builtin(a[0].value.get(), a[1].value.get(), &r);                  \
      s->result->value = Datum::of(checked(overflow, r));                               \
    }                                                                                   \
    NEXT;                                                                               \
  }
#define NEXT                                        \
  do {                                              \
    ++s;                                            \
    goto* labels[static_cast<std::size_t>(s->op)];  \
  } while (false)
#define JUMP                                        \
  do {                                              \
    s = steps + s->target;                          \
    goto* labels[static_cast<std::size_t>(s->op)];  \
  } while (false)

NullableDatum interpret(Program& program) {
  static const void* const labels[] = {
#define X(name) &&step_##name,
      HATHI_STEPS(X)
#undef X
  };
  EvalContext& c = *program.context;
  const Step* const steps = program.steps;
  const Step* s = steps;
  goto* labels[static_cast<std::size_t>(s->op)];

step_done:
  return s->result == nullptr ? NullableDatum{} : *s->result;

step_fetch_outer:
  c.outer->need(s->column);
  NEXT;
step_fetch_inner:
  c.inner->need(s->column);
  NEXT;
step_fetch_scan:
  c.scan->need(s->column);
  NEXT;
step_var_outer:
  *s->result = {c.outer->values[s->column], c.outer->nulls[s->column]};
  NEXT;
step_var_inner:
  *s->result = {c.inner->values[s->column], c.inner->nulls[s->column]};
  NEXT;
step_var_scan:
  *s->result = {c.scan->values[s->column], c.scan->nulls[s->column]};
  NEXT;
step_system_column:
  *s->result = system_column(*(s->target == 0 ? c.outer : s->target == 1 ? c.inner : c.scan), s->column, *c.function.arena);
  NEXT;
step_whole_row:
  s->slow.run(*s, c);
  NEXT;
step_assign_outer:
  program.target->values[s->target] = c.outer->values[s->column];
  program.target->nulls[s->target] = c.outer->nulls[s->column];
  NEXT;
step_assign_inner:
  program.target->values[s->target] = c.inner->values[s->column];
  program.target->nulls[s->target] = c.inner->nulls[s->column];
  NEXT;
step_assign_scan:
  program.target->values[s->target] = c.scan->values[s->column];
  program.target->nulls[s->target] = c.scan->nulls[s->column];
  NEXT;
step_assign:
  program.target->values[s->target] = s->result->value;
  program.target->nulls[s->target] = s->result->is_null;
  NEXT;
step_constant:
  *s->result = s->value;
  NEXT;
step_copy:
  *s->result = *s->source;
  NEXT;
step_external_parameter:
  *s->result = external_parameter(c, s->target);
  NEXT;
step_exec_parameter:
  *s->result = c.statement->param(s->target);
  NEXT;

step_call:
  *s->result = call(*s->function.call);
  NEXT;
step_call_strict_1:
  if (s->function.args[0].is_null) {
    s->result->is_null = true;
  } else {
    *s->result = call(*s->function.call);
  }
  NEXT;
step_call_strict_2:
  if (s->function.args[0].is_null || s->function.args[1].is_null) {
    s->result->is_null = true;
  } else {
    *s->result = call(*s->function.call);
  }
  NEXT;
step_call_strict:
  if (any_null(s->function.args, s->function.call->site->argument_count)) {
    s->result->is_null = true;
  } else {
    *s->result = call(*s->function.call);
  }
  NEXT;

  BINARY(int4_eq, INT4(==))
  BINARY(int4_ne, INT4(!=))
  BINARY(int4_lt, INT4(<))
  BINARY(int4_le, INT4(<=))
  BINARY(int4_gt, INT4(>))
  BINARY(int4_ge, INT4(>=))
  BINARY(int8_eq, INT8(==))
  BINARY(int8_ne, INT8(!=))
  BINARY(int8_lt, INT8(<))
  BINARY(int8_le, INT8(<=))
  BINARY(int8_gt, INT8(>))
  BINARY(int8_ge, INT8(>=))
  ARITHMETIC(int4_add, std::int32_t, as_int32, __builtin_add_overflow)
  ARITHMETIC(int4_sub, std::int32_t, as_int32, __builtin_sub_overflow)
  ARITHMETIC(int4_mul, std::int32_t, as_int32, __builtin_mul_overflow)
  ARITHMETIC(int8_add, std::int64_t, as_int64, __builtin_add_overflow)
  ARITHMETIC(int8_sub, std::int64_t, as_int64, __builtin_sub_overflow)
  ARITHMETIC(int8_mul, std::int64_t, as_int64, __builtin_mul_overflow)
  BINARY(text_eq, text_equal(a, *c.function.arena))
  BINARY(text_ne, !text_equal(a, *c.function.arena))

step_jump:
  JUMP;
step_jump_if_null:
  if (s->result->is_null) JUMP;
  NEXT;
step_jump_if_not_null:
  if (!s->result->is_null) JUMP;
  NEXT;
step_jump_if_not_true:
  if (s->result->is_null || !s->result->value.as_bool()) JUMP;
  NEXT;
step_and_step : {
  if (s->boolean.first) s->boolean.scratch->any_null = false;
  if (s->result->is_null) {
    s->boolean.scratch->any_null = true;
  } else if (!s->result->value.as_bool()) {
    JUMP;
  }
  if (s->boolean.last && s->boolean.scratch->any_null) *s->result = NullableDatum{};
  NEXT;
}
step_or_step : {
  if (s->boolean.first) s->boolean.scratch->any_null = false;
  if (s->result->is_null) {
    s->boolean.scratch->any_null = true;
  } else if (s->result->value.as_bool()) {
    JUMP;
  }
  if (s->boolean.last && s->boolean.scratch->any_null) *s->result = NullableDatum{};
  NEXT;
}
step_not_step:
  if (!s->result->is_null) s->result->value = Datum::of(!s->result->value.as_bool());
  NEXT;
step_filter:
  if (s->result->is_null || !s->result->value.as_bool()) {
    *s->result = {Datum::of(false), false};
    JUMP;
  }
  NEXT;

step_is_null:
  *s->result = {Datum::of(s->result->is_null), false};
  NEXT;
step_is_not_null:
  *s->result = {Datum::of(!s->result->is_null), false};
  NEXT;
step_row_is_null:
  *s->result = {Datum::of(s->result->is_null || all_fields_null(s->result->value, true, *c.function.arena)), false};
  NEXT;
step_row_is_not_null:
  *s->result = {Datum::of(!s->result->is_null && all_fields_null(s->result->value, false, *c.function.arena)), false};
  NEXT;
step_is_true:
  *s->result = {Datum::of(!s->result->is_null && s->result->value.as_bool()), false};
  NEXT;
step_is_not_true:
  *s->result = {Datum::of(s->result->is_null || !s->result->value.as_bool()), false};
  NEXT;
step_is_false:
  *s->result = {Datum::of(!s->result->is_null && !s->result->value.as_bool()), false};
  NEXT;
step_is_not_false:
  *s->result = {Datum::of(s->result->is_null || s->result->value.as_bool()), false};
  NEXT;
step_distinct:
  *s->result = distinct(*s->function.call);
  NEXT;
step_null_if : {
  NullableDatum* args = s->function.args;
  if (!args[0].is_null && !args[1].is_null) {
    NullableDatum equal = call(*s->function.call);
    if (!equal.is_null && equal.value.as_bool()) {
      *s->result = NullableDatum{};
      NEXT;
    }
  }
  *s->result = args[0];
  NEXT;
}
step_row_compare_step : {
  NullableDatum* args = s->row_compare.args;
  if (args[0].is_null || args[1].is_null) {
    *s->result = NullableDatum{};
    JUMP;
  }
  *s->result = call(*s->row_compare.call);
  if (s->result->is_null || s->result->value.as_int32() != 0) JUMP;
  NEXT;
}
step_row_compare_final:
  if (!s->result->is_null) s->result->value = Datum::of(three_way_fits(s->target, s->result->value.as_int32()));
  NEXT;
step_min_max:
  s->slow.run(*s, c);
  NEXT;
step_aggregate:
  *s->result = c.aggregates[s->target];
  NEXT;
step_window:
  *s->result = c.windows[s->target];
  NEXT;
step_grouping:
  *s->result = grouping_bits(*static_cast<const GroupingData*>(s->data), c);
  NEXT;
step_sub_plan:
  *s->result = run_sub_plan(*s->sub_plan, c);
  NEXT;
step_slow:
  s->slow.run(*s, c);
  NEXT;
}

#undef BINARY
#undef INT4
#undef INT8
#undef ARITHMETIC
#undef NEXT
#undef JUMP

}  // namespace hathi::executor
