// Compiling expressions: variables, calls, boolean logic, conditionals.

#include <unordered_map>

#include "compiler.h"
#include "comparison.h"
#include "hathi/base/stack.h"
#include "hathi/catalog/lookup.h"
#include "hathi/nodes/visit.h"
#include "languages.h"
#include "statement_state.h"

namespace hathi::executor {

using namespace nodes;

Step& Compiler::add(StepOp op, NullableDatum* result) {
  Step step;
  step.op = op;
  step.result = result;
  steps_.push_back(arena_, step);
  return steps_.back();
}

void Compiler::add_slow(SlowStep run, void* data, NullableDatum* result) {
  Step& step = add(StepOp::slow, result);
  step.slow.run = run;
  step.slow.data = data;
}

void Compiler::note_columns(const Expr* e) {
  if (e == nullptr) return;
  check_stack_depth();
  switch (e->kind) {
    case ExprKind::variable: {
      auto& v = *as<Variable>(e);
      int column = v.column > 0 ? v.column : 0;
      if (v.column == 0) column = 0;   // whole-row steps read everything themselves
      int& columns = v.rte == options_.sources.outer_rte ? outer_columns_ : v.rte == options_.sources.inner_rte ? inner_columns_ : scan_columns_;
      columns = std::max(columns, column);
      return;
    }
    case ExprKind::aggregate: case ExprKind::window_function: case ExprKind::grouping: case ExprKind::sub_plan: return;
    default: break;
  }
  for_each_child(const_cast<Expr*>(e), [&](Expr* child) { note_columns(child); return false; });
}

void Compiler::begin() {
  if (outer_columns_ > 0) add(StepOp::fetch_outer, nullptr).column = static_cast<AttrNumber>(outer_columns_);
  if (inner_columns_ > 0) add(StepOp::fetch_inner, nullptr).column = static_cast<AttrNumber>(inner_columns_);
  if (scan_columns_ > 0) add(StepOp::fetch_scan, nullptr).column = static_cast<AttrNumber>(scan_columns_);
}

namespace {

NullableDatum run_constant(Program& p) { return p.result; }
// The shapes [fetch, var, done].
NullableDatum run_scan_variable(Program& p) {
  Row* row = p.context->scan;
  int column = p.steps[1].column;
  row->need(column + 1);
  return {row->values[column], row->nulls[column]};
}
NullableDatum run_outer_variable(Program& p) {
  Row* row = p.context->outer;
  int column = p.steps[1].column;
  row->need(column + 1);
  return {row->values[column], row->nulls[column]};
}
NullableDatum run_inner_variable(Program& p) {
  Row* row = p.context->inner;
  int column = p.steps[1].column;
  row->need(column + 1);
  return {row->values[column], row->nulls[column]};
}
}  // namespace

Program* Compiler::finish(NullableDatum* result, Row* target) {
  add(StepOp::done, result);
  auto* program = arena_.make<Program>();
  program->context = &context_;
  program->target = target;
  program->steps = steps_.begin();
  program->run = interpret;
  if (target != nullptr) return program;
  if (steps_.size() == 2 && steps_[0].op == StepOp::constant) {
    program->result = steps_[0].value;
    program->run = run_constant;
  } else if (steps_.size() == 3 && steps_[1].op == StepOp::var_scan) {
    program->run = run_scan_variable;
  } else if (steps_.size() == 3 && steps_[1].op == StepOp::var_outer) {
    program->run = run_outer_variable;
  } else if (steps_.size() == 3 && steps_[1].op == StepOp::var_inner) {
    program->run = run_inner_variable;
  }
  return program;
}

void Compiler::emit_argument(const Expr* e, NullableDatum* slot) {
  if (is<Constant>(e)) {
    auto& c = *as<Constant>(e);
    *slot = {c.value, c.is_null};
    return;
  }
  emit(e, slot);
}

NullableDatum* Compiler::emit_arguments(const List<Expr*>& list) {
  auto* slots = arena_.make_array<NullableDatum>(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) emit_argument(list[i], slots + i);
  return slots;
}

void Compiler::emit(const Expr* e, NullableDatum* result) {
  check_stack_depth();
  switch (e->kind) {
    case ExprKind::constant: {
      auto& c = *as<Constant>(e);
      add(StepOp::constant, result).value = {c.value, c.is_null};
      return;
    }
    case ExprKind::variable: return emit_variable(*as<Variable>(e), result);
    case ExprKind::parameter: return emit_parameter(*as<Parameter>(e), result);
    case ExprKind::aggregate: add(StepOp::aggregate, result).target = as<Aggregate>(e)->number; return;
    case ExprKind::window_function: return emit_window(*as<WindowFunction>(e), result);
    case ExprKind::grouping: return emit_grouping(*as<Grouping>(e), result);
    case ExprKind::function: {
      auto& f = *as<FunctionExpr>(e);
      if (f.returns_set) {
        throw SqlError(sqlstate::feature_not_supported, "set-valued function called in context that cannot accept a set").at(f.location);
      }
      return emit_function(f.function, f.args, f.input_collation, f.type, f.variadic, result);
    }
    case ExprKind::op: {
      auto& o = *as<OpExpr>(e);
      if (o.returns_set) {
        throw SqlError(sqlstate::feature_not_supported, "set-valued function called in context that cannot accept a set").at(o.location);
      }
      return emit_function(o.function, o.args, o.input_collation, o.type, false, result);
    }
    case ExprKind::distinct_op: return emit_distinct(*static_cast<const OpExpr*>(e), result);
    case ExprKind::nullif_op: return emit_null_if(*static_cast<const OpExpr*>(e), result);
    case ExprKind::array_op: return emit_array_op(*as<ArrayOp>(e), result);
    case ExprKind::boolean: return emit_boolean(*as<BooleanExpr>(e), result);
    case ExprKind::sub_plan: return emit_sub_plan(*as<SubPlan>(e), result);
    case ExprKind::field_select: return emit_field_select(*as<FieldSelect>(e), result);
    case ExprKind::field_store: return emit_field_store(*as<FieldStore>(e), result);
    case ExprKind::subscript: return emit_subscript(*as<Subscript>(e), result);
    case ExprKind::relabel: return emit(as<Relabel>(e)->arg, result);
    case ExprKind::collate: return emit(as<Collate>(e)->arg, result);
    case ExprKind::coerce_io: return emit_coerce_io(*as<CoerceIo>(e), result);
    case ExprKind::array_coerce: return emit_array_coerce(*as<ArrayCoerce>(e), result);
    case ExprKind::row_coerce: return emit_row_coerce(*as<RowCoerce>(e), result);
    case ExprKind::case_when: return emit_case(*as<Case>(e), result);
    case ExprKind::case_test: {
      if (case_slot_ == nullptr) throw SqlError(sqlstate::internal_error, "CaseTest outside of CASE");
      add(StepOp::copy, result).source = case_slot_;
      return;
    }
    case ExprKind::domain_value: {
      if (domain_slot_ == nullptr) throw SqlError(sqlstate::internal_error, "domain value outside of a domain");
      add(StepOp::copy, result).source = domain_slot_;
      return;
    }
    case ExprKind::array: return emit_array(*as<ArrayExpr>(e), result);
    case ExprKind::row: return emit_row(*as<RowExpr>(e), result);
    case ExprKind::row_compare: return emit_row_compare(*as<RowCompare>(e), result);
    case ExprKind::coalesce: return emit_coalesce(*as<Coalesce>(e), result);
    case ExprKind::min_max: return emit_min_max(*as<MinMax>(e), result);
    case ExprKind::sql_value: return emit_sql_value(*as<SqlValue>(e), result);
    case ExprKind::null_test: return emit_null_test(*as<NullTest>(e), result);
    case ExprKind::boolean_test: return emit_boolean_test(*as<BooleanTest>(e), result);
    case ExprKind::coerce_domain: return emit_domain(*as<CoerceDomain>(e), result);
    case ExprKind::next_value: return emit_next_value(*as<NextValue>(e), result);
    case ExprKind::current_of:
      throw SqlError(sqlstate::feature_not_supported, "WHERE CURRENT OF is not supported for this table type");
    case ExprKind::set_default: case ExprKind::sub_link: break;
  }
  throw SqlError(sqlstate::internal_error, "unexpected expression kind {} in a plan", static_cast<int>(e->kind));
}

void Compiler::emit_variable(const Variable& v, NullableDatum* result) {
  StepOp op = v.rte == options_.sources.outer_rte ? StepOp::var_outer : v.rte == options_.sources.inner_rte ? StepOp::var_inner : StepOp::var_scan;
  if (v.column == 0) return emit_whole_row(v, result);
  if (v.column < 0) {
    Step& step = add(StepOp::system_column, result);
    step.column = v.column;
    step.target = op == StepOp::var_outer ? 0 : op == StepOp::var_inner ? 1 : 2;
    return;
  }
  add(op, result).column = static_cast<AttrNumber>(v.column - 1);
}

void Compiler::emit_parameter(const Parameter& p, NullableDatum* result) {
  switch (p.source) {
    case Parameter::Source::external: add(StepOp::external_parameter, result).target = p.number; return;
    case Parameter::Source::exec: add(StepOp::exec_parameter, result).target = p.number; return;
    case Parameter::Source::sub_link: break;
  }
  throw SqlError(sqlstate::internal_error, "unexpected sub-link parameter in a plan");
}

namespace {

// Built-in functions that need no call. Both arguments are integers of one width, or text.
StepOp inline_step(Oid function) {
  switch (raw(function)) {
    case 65: case 184: return StepOp::int4_eq;   // oid too: equal low halves
    case 144: case 185: return StepOp::int4_ne;
    case 66: return StepOp::int4_lt;
    case 149: return StepOp::int4_le;
    case 147: return StepOp::int4_gt;
    case 150: return StepOp::int4_ge;
    // int2, int4, int8 among each other, date, timestamp, timestamptz: integers are kept sign-extended.
    case 467: case 474: case 852: case 1856: case 1850: case 63: case 158: case 159: case 1086: case 1152: case 2052: return StepOp::int8_eq;
    case 468: case 475: case 853: case 1857: case 1851: case 145: case 164: case 165: case 1091: case 1153: case 2053: return StepOp::int8_ne;
    case 469: case 476: case 854: case 1858: case 1852: case 64: case 160: case 161: case 1087: case 1154: case 2054: return StepOp::int8_lt;
    case 470: case 477: case 855: case 1859: case 1853: case 146: case 162: case 163: case 1089: case 1157: case 2057: return StepOp::int8_gt;
    case 471: case 478: case 856: case 1860: case 1854: case 148: case 166: case 167: case 1088: case 1155: case 2055: return StepOp::int8_le;
    case 472: case 479: case 857: case 1861: case 1855: case 151: case 168: case 169: case 1090: case 1156: case 2056: return StepOp::int8_ge;
    case 177: return StepOp::int4_add;
    case 181: return StepOp::int4_sub;
    case 141: return StepOp::int4_mul;
    case 463: case 1274: case 1278: return StepOp::int8_add;
    case 464: case 1275: case 1279: return StepOp::int8_sub;
    case 465: case 1276: case 1280: return StepOp::int8_mul;
    case 67: return StepOp::text_eq;
    case 157: return StepOp::text_ne;
    default: return StepOp::done;
  }
}

}  // namespace

bool Compiler::emit_inline(Oid function, const List<Expr*>& args, Oid collation, NullableDatum* result) {
  StepOp op = inline_step(function);
  if (op == StepOp::done || args.size() != 2) return false;
  if ((op == StepOp::text_eq || op == StepOp::text_ne) && !is_deterministic(collation)) return false;
  NullableDatum* slots = emit_arguments(args);
  add(op, result).binary.args = slots;
  return true;
}

void Compiler::emit_function(Oid function, const List<Expr*>& args, Oid collation, Oid type, bool variadic, NullableDatum* result) {
  if (emit_inline(function, args, collation, result)) return;
  FunctionCall* call = make_call(function, static_cast<int>(args.size()), collation, type, &args, variadic, context_, arena_);
  for (std::size_t i = 0; i < args.size(); ++i) emit_argument(args[i], call->args + i);
  emit_call(call, result);
}

void Compiler::emit_call(FunctionCall* call, NullableDatum* result) {
  StepOp op = StepOp::call;
  if (call->site->strict) {
    op = call->site->argument_count == 1   ? StepOp::call_strict_1
         : call->site->argument_count == 2 ? StepOp::call_strict_2
         : call->site->argument_count == 0 ? StepOp::call
                                           : StepOp::call_strict;
  }
  Step& step = add(op, result);
  step.function.call = call;
  step.function.args = call->args;
}

void Compiler::emit_distinct(const OpExpr& e, NullableDatum* result) {
  FunctionCall* call = make_call(e.function, 2, e.input_collation, e.type, &e.args, false, context_, arena_);
  for (std::size_t i = 0; i < 2; ++i) emit_argument(e.args[i], call->args + i);
  Step& step = add(StepOp::distinct, result);
  step.function.call = call;
  step.function.args = call->args;
}

void Compiler::emit_null_if(const OpExpr& e, NullableDatum* result) {
  FunctionCall* call = make_call(e.function, 2, e.input_collation, type_oid::bool_, &e.args, false, context_, arena_);
  for (std::size_t i = 0; i < 2; ++i) emit_argument(e.args[i], call->args + i);
  Step& step = add(StepOp::null_if, result);
  step.function.call = call;
  step.function.args = call->args;
}

void Compiler::emit_boolean(const BooleanExpr& e, NullableDatum* result) {
  if (e.op == BooleanExpr::Op::not_op) {
    emit(e.args[0], result);
    add(StepOp::not_step, result);
    return;
  }
  auto* scratch = arena_.make<BooleanScratch>();
  List<int> jumps;
  for (std::size_t i = 0; i < e.args.size(); ++i) {
    emit(e.args[i], result);
    Step& step = add(e.op == BooleanExpr::Op::and_op ? StepOp::and_step : StepOp::or_step, result);
    step.boolean.scratch = scratch;
    step.boolean.first = i == 0;
    step.boolean.last = i + 1 == e.args.size();
    jumps.push_back(arena_, here() - 1);
  }
  for (int j : jumps) patch(j);
}

void Compiler::emit_case(const Case& e, NullableDatum* result) {
  NullableDatum* saved = case_slot_;
  if (e.arg != nullptr) {
    NullableDatum* slot = new_slot();
    emit_argument(e.arg, slot);
    case_slot_ = slot;
  }
  NullableDatum* test = new_slot();
  List<int> ends;
  for (const CaseBranch* branch : e.branches) {
    emit(branch->condition, test);
    int skip = add_jump(StepOp::jump_if_not_true, test);
    emit(branch->result, result);
    ends.push_back(arena_, add_jump(StepOp::jump, nullptr));
    patch(skip);
  }
  if (e.otherwise != nullptr) {
    emit(e.otherwise, result);
  } else {
    add(StepOp::constant, result).value = NullableDatum{};
  }
  for (int j : ends) patch(j);
  case_slot_ = saved;
}

void Compiler::emit_coalesce(const Coalesce& e, NullableDatum* result) {
  List<int> ends;
  for (std::size_t i = 0; i < e.args.size(); ++i) {
    emit(e.args[i], result);
    if (i + 1 < e.args.size()) ends.push_back(arena_, add_jump(StepOp::jump_if_not_null, result));
  }
  for (int j : ends) patch(j);
}

void Compiler::emit_null_test(const NullTest& e, NullableDatum* result) {
  emit(e.arg, result);
  StepOp op = e.is_null ? StepOp::is_null : StepOp::is_not_null;
  if (e.arg_is_row) op = e.is_null ? StepOp::row_is_null : StepOp::row_is_not_null;
  add(op, result);
}

void Compiler::emit_boolean_test(const BooleanTest& e, NullableDatum* result) {
  emit(e.arg, result);
  StepOp op = StepOp::is_null;
  switch (e.op) {
    case BooleanTest::Op::is_true: op = StepOp::is_true; break;
    case BooleanTest::Op::is_not_true: op = StepOp::is_not_true; break;
    case BooleanTest::Op::is_false: op = StepOp::is_false; break;
    case BooleanTest::Op::is_not_false: op = StepOp::is_not_false; break;
    case BooleanTest::Op::is_unknown: op = StepOp::is_null; break;
    case BooleanTest::Op::is_not_unknown: op = StepOp::is_not_null; break;
  }
  add(op, result);
}

void Compiler::emit_window(const WindowFunction& e, NullableDatum* result) {
  if (options_.windows != nullptr) {
    for (std::size_t i = 0; i < options_.windows->size(); ++i) {
      const WindowFunction* candidate = (*options_.windows)[i];
      if (candidate == &e || equal(candidate, &e)) {
        add(StepOp::window, result).target = static_cast<int>(i);
        return;
      }
    }
  }
  throw SqlError(sqlstate::internal_error, "window function is not computed by the plan below");
}

void Compiler::emit_grouping(const Grouping& e, NullableDatum* result) {
  auto* data = arena_.make<GroupingData>();
  auto* columns = arena_.make_array<int>(e.refs.size());
  for (std::size_t i = 0; i < e.refs.size(); ++i) {
    columns[i] = -1;
    for (std::size_t k = 0; k < options_.grouping_refs.size(); ++k) {
      if (options_.grouping_refs[k] == e.refs[i]) columns[i] = static_cast<int>(k);
    }
  }
  data->columns = {columns, e.refs.size()};
  add(StepOp::grouping, result).data = data;
}

namespace {
struct MinMaxData {
  NullableDatum* args;
  int count;
  bool greatest;
  ComparisonFunction comparison;
};
void run_min_max(const Step& step, EvalContext& context) {
  auto& data = *static_cast<MinMaxData*>(step.slow.data);
  NullableDatum best;
  for (int i = 0; i < data.count; ++i) {
    const NullableDatum& v = data.args[i];
    if (v.is_null) continue;
    if (best.is_null) {
      best = v;
      continue;
    }
    int c = compare(data.comparison, v.value, best.value, *context.function.arena);
    if (data.greatest ? c > 0 : c < 0) best = v;
  }
  *step.result = best;
}
}  // namespace

void Compiler::emit_min_max(const MinMax& e, NullableDatum* result) {
  auto* data = static_cast<MinMaxData*>(arena_.allocate(sizeof(MinMaxData), alignof(MinMaxData)));
  new (data) MinMaxData();
  data->args = emit_arguments(e.args);
  data->count = static_cast<int>(e.args.size());
  data->greatest = e.greatest;
  data->comparison = default_comparison(e.type, e.input_collation);
  add_slow(run_min_max, data, result);
}

void Compiler::emit_row_compare(const RowCompare& e, NullableDatum* result) {
  List<int> ends;
  for (std::size_t i = 0; i < e.left.size(); ++i) {
    Oid function = comparison_for_operator(e.operators[i], e.families[i]);
    FunctionCall* call = make_call(function, 2, e.collations[i], type_oid::int4, nullptr, false, context_, arena_);
    emit_argument(e.left[i], call->args);
    emit_argument(e.right[i], call->args + 1);
    Step& step = add(StepOp::row_compare_step, result);   // NULL: ends; not 0: ends
    step.row_compare.call = call;
    step.row_compare.args = call->args;
    ends.push_back(arena_, here() - 1);
  }
  for (int j : ends) patch(j);
  add(StepOp::row_compare_final, result).target = e.strategy;
}

void Compiler::emit_filter(const List<Expr*>& conditions, NullableDatum* result) {
  List<int> ends;
  for (const Expr* e : conditions) {
    emit(e, result);
    ends.push_back(arena_, add_jump(StepOp::filter, result));
  }
  for (int j : ends) patch(j);
}

void Compiler::emit_target(const Expr* e, int target) {
  while (is<Relabel>(e)) e = as<Relabel>(e)->arg;
  if (is<Variable>(e) && as<Variable>(e)->column > 0) {
    auto& v = *as<Variable>(e);
    StepOp op = v.rte == options_.sources.outer_rte ? StepOp::assign_outer : v.rte == options_.sources.inner_rte ? StepOp::assign_inner : StepOp::assign_scan;
    Step& step = add(op, nullptr);
    step.column = static_cast<AttrNumber>(v.column - 1);
    step.target = target;
    return;
  }
  NullableDatum* slot = new_slot();
  emit_argument(e, slot);
  add(StepOp::assign, slot).target = target;
}

Program* compile_expression(const Expr* e, EvalContext& context, Arena& arena, const CompileOptions& options) {
  if (e == nullptr) return nullptr;
  Compiler compiler(context, arena, options);
  compiler.note_columns(e);
  compiler.begin();
  NullableDatum* result = compiler.new_slot();
  compiler.emit(e, result);
  return compiler.finish(result);
}

Program* compile_filter(const List<Expr*>& conditions, EvalContext& context, Arena& arena, const CompileOptions& options) {
  if (conditions.empty()) return nullptr;
  Compiler compiler(context, arena, options);
  for (const Expr* e : conditions) compiler.note_columns(e);
  compiler.begin();
  NullableDatum* result = compiler.new_slot();
  compiler.emit_filter(conditions, result);
  return compiler.finish(result);
}

Program* compile_projection(const List<TargetEntry*>& targets, Row& row, EvalContext& context, Arena& arena, const CompileOptions& options) {
  Compiler compiler(context, arena, options);
  for (const TargetEntry* t : targets) compiler.note_columns(t->expr);
  compiler.begin();
  // Subplans of SET (a, b) = (SELECT …) set the slots that other targets read, so they run first.
  auto sets_slots = [](const Expr* e) { return is<SubPlan>(e) && as<SubPlan>(e)->type == SubLink::Type::multi; };
  for (bool first : {true, false}) {
    int i = 0;
    for (const TargetEntry* t : targets) {
      if (sets_slots(t->expr) == first) compiler.emit_target(t->expr, i);
      ++i;
    }
  }
  return compiler.finish(nullptr, &row);
}

Program* compile_list(const List<Expr*>& list, Row& row, EvalContext& context, Arena& arena, const CompileOptions& options) {
  Compiler compiler(context, arena, options);
  for (const Expr* e : list) compiler.note_columns(e);
  compiler.begin();
  int i = 0;
  for (const Expr* e : list) compiler.emit_target(e, i++);
  return compiler.finish(nullptr, &row);
}

// --- call sites -------------------------------------------------------------------------------------------------------------

namespace {
std::unordered_map<std::uint32_t, LanguageResolver>& languages() {
  static std::unordered_map<std::uint32_t, LanguageResolver> map;
  return map;
}
}  // namespace

void register_language(Oid language, LanguageResolver resolver) { languages()[raw(language)] = resolver; }

FunctionPointer resolve_function(const catalog::FunctionInfo& info, FunctionSite& site, Arena& arena) {
  if (const BuiltinFunction* builtin = find_builtin_function(info.oid)) return builtin->function;
  auto found = languages().find(raw(info.language));
  if (found != languages().end()) return found->second(info, site, arena);
  // Only a call is refused: clients join catalogs that are empty here and describe their rows with such functions.
  return [](FunctionCall& call) -> Datum { throw_not_supported(fmt::format("function {}", catalog::function_info(call.site->oid).name)); };
}

void check_execute_privilege(const catalog::FunctionInfo& info) {
  // Restricted built-in functions are all volatile; the rest may be run by everyone.
  if (info.oid < kFirstNormalOid && info.volatility != 'v') return;
  Oid role = catalog::current_role();
  if ((catalog::object_privileges(catalog_oid::pg_proc, info.oid, role, kAclExecute) & kAclExecute) == 0) {
    catalog::throw_permission_denied("function", info.name);
  }
}

FunctionCall* make_call(Oid function, int argument_count, Oid input_collation, Oid result_type, const List<Expr*>* args, bool variadic,
                        EvalContext& context, Arena& arena) {
  const catalog::FunctionInfo& info = catalog::function_info(function);
  check_execute_privilege(info);
  auto* site = arena.make<FunctionSite>();
  site->oid = function;
  site->collation = input_collation;
  site->result_type = result_type;
  site->argument_count = static_cast<std::int16_t>(argument_count);
  site->strict = info.strict;
  site->returns_set = info.returns_set;
  site->variadic_array = variadic;
  if (args != nullptr && !args->empty()) {
    auto* types = arena.make_array<Oid>(args->size());
    for (std::size_t i = 0; i < args->size(); ++i) types[i] = type_of((*args)[i]);
    site->argument_types = types;
  }
  site->function = resolve_function(info, *site, arena);
  auto* call = arena.make<FunctionCall>();
  call->site = site;
  call->context = &context.function;
  call->args = arena.make_array<NullableDatum>(static_cast<std::size_t>(std::max(argument_count, 1)));
  call->state = arena.make<void*>();
  call->state_arena = &arena;
  if (StatementState* statement = context.statement) {
    call->state_arena = &statement->function_arena;
    statement->function_states.push_back(call->state);
  }
  return call;
}

}  // namespace hathi::executor
