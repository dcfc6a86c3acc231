// Expressions outside of plans.

#include "hathi/catalog/lookup.h"
#include "hathi/executor/executor.h"
#include "program.h"

namespace hathi::executor {

NullableDatum evaluate(const nodes::Expr* e, const planner::BoundParameters& parameters, Arena& arena) {
  if (nodes::is<nodes::Constant>(e)) {
    auto& c = *nodes::as<nodes::Constant>(e);
    return {c.value, c.is_null};
  }
  Arena programs(1024);
  Arena values(1024);
  EvalContext context;
  context.function.arena = &values;
  context.external = parameters.values.data();
  context.external_count = static_cast<int>(parameters.values.size());
  Program* program = compile_expression(e, context, programs);
  NullableDatum v = evaluate(*program);
  if (!v.is_null) v.value = copy_datum(v.value, layout_of(nodes::type_of(e)), arena);
  return v;
}

nodes::Expr* evaluate_to_constant(const nodes::Expr* e, Arena& arena) {
  NullableDatum v = evaluate(e, {}, arena);
  auto* c = nodes::make<nodes::Constant>(arena, e->location);
  c->type = nodes::type_of(e);
  c->typmod = nodes::typmod_of(e);
  c->collation = nodes::collation_of(e);
  c->layout = layout_of(c->type);
  c->is_null = v.is_null;
  if (v.is_null) return c;
  c->value = v.value;
  if (c->layout.length == -1) {   // constants hold no TOAST pointers
    const std::byte* p = varlena::readable(v.value, arena);
    c->value = Datum::of(static_cast<const void*>(p));
  }
  return c;
}

struct State {
  EvalContext context;
  Program* program = nullptr;
  Row row;
};

RowExpression::RowExpression(const nodes::Expr* e, const TupleDescriptor& row, Arena& arena) {
  state_ = new (arena.allocate(sizeof(State), alignof(State))) State();
  state_->row.count = row.count();
  state_->row.descriptor = &row;
  CompileOptions options;
  options.scan_descriptor = &row;
  state_->program = compile_expression(e, state_->context, arena, options);
}

NullableDatum RowExpression::evaluate(const Datum* values, const bool* nulls, Oid table, TupleId tid, Arena& result_arena) {
  State& s = *state_;
  s.row.values = const_cast<Datum*>(values);
  s.row.nulls = const_cast<bool*>(nulls);
  s.row.set_virtual();
  s.row.tuple.table = table;
  s.row.tuple.tid = tid;
  s.context.scan = &s.row;
  s.context.function.arena = &result_arena;
  return executor::evaluate(*s.program);
}

}  // namespace hathi::executor
