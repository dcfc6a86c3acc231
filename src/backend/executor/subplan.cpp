#include "subplan.h"

#include "arrays.h"
#include "compiler.h"
#include "hathi/catalog/lookup.h"
#include "subplan_hash.h"

namespace hathi::executor {

using nodes::SubLink;
using nodes::SubPlan;

void Compiler::emit_sub_plan(const SubPlan& e, NullableDatum* result) {
  if (context_.statement == nullptr) throw SqlError(sqlstate::feature_not_supported, "cannot use subquery here");
  auto* s = arena_.make<SubPlanState>();
  s->statement = context_.statement;
  s->link = &e;
  s->context = &context_;
  if (e.type == SubLink::Type::scalar) s->layout = layout_of(e.result_type);
  auto* args = arena_.make_array<Program*>(e.args.size());
  for (std::size_t i = 0; i < e.args.size(); ++i) args[i] = compile_expression(e.args[i], context_, arena_, options_);
  s->args = {args, e.args.size()};
  if (e.use_hash) {
    s->hash = make_sub_plan_hash(*s, arena_, options_);
  } else {
    s->test = compile_expression(e.test, context_, arena_, options_);
  }
  add(StepOp::sub_plan, result).sub_plan = s;
}

namespace {

[[noreturn]] void throw_too_many_rows() {
  throw SqlError(sqlstate::cardinality_violation, "more than one row returned by a subquery used as an expression");
}

NullableDatum first_column(Row& row) {
  row.need(1);
  return {row.values[0], row.nulls[0]};
}

NullableDatum scalar_value(NodeState& root, TypeLayout layout, Arena& arena) {
  Row* row = fetch(root);
  if (row == nullptr) return {};
  NullableDatum v = first_column(*row);
  if (!v.is_null) v.value = copy_datum(v.value, layout, arena);
  if (fetch(root) != nullptr) throw_too_many_rows();
  return v;
}

NullableDatum array_value(const SubPlanState& s, NodeState& root, Arena& arena) {
  Oid element = nodes::type_of(root.plan->targets[0]->expr);
  ArrayBuilder builder(element, arena);
  while (Row* row = fetch(root)) {
    NullableDatum v = first_column(*row);
    if (!v.is_null) v.value = copy_datum(v.value, builder.layout(), arena);
    builder.add(v);
  }
  return {builder.finish(s.link->result_type), false};
}

void set_columns(StatementState& statement, const List<int>& slots, Row& row) {
  row.need(static_cast<int>(slots.size()));
  for (std::size_t i = 0; i < slots.size(); ++i) statement.set_param(slots[i], {row.values[i], row.nulls[i]});
}

// ANY: true as soon as one is; ALL: false as soon as one is; NULLs leave it open.
NullableDatum any_or_all(SubPlanState& s, NodeState& root, bool any) {
  bool saw_null = false;
  while (Row* row = fetch(root)) {
    set_columns(*s.statement, s.link->test_params, *row);
    NullableDatum v = evaluate(*s.test);
    if (v.is_null) {
      saw_null = true;
    } else if (v.value.as_bool() == any) {
      return {Datum::of(any), false};
    }
  }
  if (saw_null) return {};
  return {Datum::of(!any), false};
}

// Sets parameters from the only row, to NULL when there is none. Values are copied.
void set_from_only_row(StatementState& statement, const List<int>& slots, NodeState& root, Arena& arena) {
  Row* row = fetch(root);
  if (row == nullptr) {
    for (int slot : slots) statement.set_param(slot, {});
    return;
  }
  row->need(static_cast<int>(slots.size()));
  for (std::size_t i = 0; i < slots.size(); ++i) {
    NullableDatum v{row->values[i], row->nulls[i]};
    if (!v.is_null) v.value = copy_datum(v.value, layout_of(nodes::type_of(root.plan->targets[i]->expr)), arena);
    statement.set_param(slots[i], v);
  }
  if (fetch(root) != nullptr) throw_too_many_rows();
}

NullableDatum row_compare_value(SubPlanState& s, NodeState& root) {
  Row* row = fetch(root);
  if (row == nullptr) return {};
  set_columns(*s.statement, s.link->test_params, *row);
  NullableDatum v = evaluate(*s.test);
  if (fetch(root) != nullptr) throw_too_many_rows();
  return v;
}

}  // namespace

NullableDatum run_sub_plan(SubPlanState& s, EvalContext& context) {
  check_interrupts();
  const SubPlan& link = *s.link;
  for (std::size_t i = 0; i < s.args.size(); ++i) s.statement->set_param(link.param_slots[i], evaluate(*s.args[i]));
  if (s.hash != nullptr) return probe_sub_plan_hash(s, context);
  NodeState& root = *s.statement->subplan_root(link.plan);
  rescan(root);
  switch (link.type) {
    case SubLink::Type::exists: return {Datum::of(fetch(root) != nullptr), false};
    case SubLink::Type::any: return any_or_all(s, root, true);
    case SubLink::Type::all: return any_or_all(s, root, false);
    case SubLink::Type::row_compare: return row_compare_value(s, root);
    case SubLink::Type::scalar: return scalar_value(root, s.layout, *context.function.arena);
    case SubLink::Type::array: return array_value(s, root, *context.function.arena);
    case SubLink::Type::multi: set_from_only_row(*s.statement, link.set_params, root, *context.function.arena); return {};
  }
  return {};
}

SubPlanState* make_init_plan(StatementState& statement, const SubPlan& link) {
  auto* s = statement.arena.make<SubPlanState>();
  s->statement = &statement;
  s->link = &link;
  s->arena = new Arena(512);
  if (link.test != nullptr) {
    s->context = static_cast<EvalContext*>(statement.arena.allocate(sizeof(EvalContext), alignof(EvalContext)));
    new (s->context) EvalContext();
    s->context->statement = &statement;
    s->context->function.arena = s->arena;
    s->test = compile_expression(link.test, *s->context, statement.arena);
  }
  return s;
}

bool init_plan_is_stale(SubPlanState& s, std::uint64_t since) {
  const planner::Plan* plan = s.statement->statement.subplans[static_cast<std::size_t>(s.link->plan - 1)];
  return s.statement->changed_since(plan->parameters, since);
}

void run_init_plan(SubPlanState& s) {
  if (s.evaluated_at != 0 && !init_plan_is_stale(s, s.evaluated_at)) return;
  StatementState& statement = *s.statement;
  NodeState& root = *statement.subplan_root(s.link->plan);
  rescan(root);
  std::uint64_t at = ++statement.clock;
  s.arena->reset();
  const List<int>& slots = s.link->set_params;
  switch (s.link->type) {
    case SubLink::Type::exists: statement.set_param(slots[0], {Datum::of(fetch(root) != nullptr), false}); break;
    case SubLink::Type::array: statement.set_param(slots[0], array_value(s, root, *s.arena)); break;
    case SubLink::Type::row_compare: statement.set_param(slots[0], row_compare_value(s, root)); break;
    case SubLink::Type::any: statement.set_param(slots[0], any_or_all(s, root, true)); break;
    case SubLink::Type::all: statement.set_param(slots[0], any_or_all(s, root, false)); break;
    case SubLink::Type::scalar: case SubLink::Type::multi: set_from_only_row(statement, slots, root, *s.arena); break;
  }
  s.evaluated_at = at;
}

void destroy_sub_plan(SubPlanState* s) {
  if (s != nullptr) delete s->arena;
}

}  // namespace hathi::executor
