// Values of constant expressions, where a definition needs one at once.

#include "hathi/datum/function.h"
#include "state.h"

namespace hathi::analyzer {
namespace {

Constant* apply(Oid function, Oid type, Oid collation, const List<Expr*>& args, Arena& arena) {
  const FunctionInfo& info = catalog::function_info(function);
  std::vector<NullableDatum> values;
  std::vector<Oid> types;
  for (const Expr* arg : args) {
    Constant* c = evaluate_constant(arg, arena);
    if (c == nullptr) return nullptr;
    values.push_back({c->value, c->is_null});
    types.push_back(c->type);
  }
  const BuiltinFunction* builtin = find_builtin_function(function);
  if (builtin == nullptr || builtin->kind != FunctionKind::scalar) return nullptr;
  FunctionSite site;
  site.function = builtin->function;
  site.oid = function;
  site.collation = collation;
  site.result_type = type;
  site.argument_count = static_cast<std::int16_t>(values.size());
  site.strict = info.strict;
  site.argument_types = types.data();
  FunctionContext context;
  context.arena = &arena;
  FunctionCall call;
  call.site = &site;
  call.context = &context;
  call.args = values.data();
  NullableDatum result = invoke(call);
  return as<Constant>(make_constant(arena, type, -1, type_collation(type), type_info(type).layout, result.value, result.is_null));
}

Constant* through_text(const CoerceIo* node, Arena& arena) {
  Constant* c = evaluate_constant(node->arg, arena);
  if (c == nullptr) return nullptr;
  const TypeInfo& to = type_info(node->type);
  if (c->is_null) return as<Constant>(make_null(arena, node->type, -1, node->collation));
  Datum text = call_function(type_info(c->type).output, arena, {c->value});
  Oid element = is_valid(to.element) ? to.element : to.oid;
  Datum value = call_function(to.input, arena, {text, Datum::of(element), Datum::of(std::int32_t{-1})});
  return as<Constant>(make_constant(arena, node->type, -1, node->collation, to.layout, value, false));
}

}  // namespace

Constant* evaluate_constant(const Expr* e, Arena& arena) {
  check_stack_depth();
  switch (e->kind) {
    case ExprKind::constant: return const_cast<Constant*>(as<Constant>(e));
    case ExprKind::collate: return evaluate_constant(as<Collate>(e)->arg, arena);
    case ExprKind::relabel: {
      Constant* c = evaluate_constant(as<Relabel>(e)->arg, arena);
      if (c == nullptr) return nullptr;
      return as<Constant>(make_constant(arena, as<Relabel>(e)->type, as<Relabel>(e)->typmod, as<Relabel>(e)->collation, c->layout, c->value, c->is_null));
    }
    case ExprKind::function: {
      const auto* f = as<FunctionExpr>(e);
      Constant* c = apply(f->function, f->type, f->input_collation, f->args, arena);
      if (c != nullptr) c->typmod = f->typmod;
      return c;
    }
    case ExprKind::op: return apply(as<OpExpr>(e)->function, as<OpExpr>(e)->type, as<OpExpr>(e)->input_collation, as<OpExpr>(e)->args, arena);
    case ExprKind::coerce_io: return through_text(as<CoerceIo>(e), arena);
    default: return nullptr;
  }
}

}  // namespace hathi::analyzer
