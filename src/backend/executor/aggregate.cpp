#include "aggregate.h"

#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/lookup.h"
#include "languages.h"

namespace hathi::executor {

using Kind = AggregateFunction::Kind;

AggregateSpec aggregate_spec(const nodes::Aggregate& a, Arena& arena) {
  AggregateSpec spec;
  spec.function = a.function;
  spec.result_type = a.type;
  spec.input_collation = a.input_collation;
  spec.transition_type = a.transition_type;
  for (const nodes::TargetEntry* t : a.args) {
    if (!t->junk) spec.args.push_back(arena, t->expr);
  }
  spec.filter = a.filter;
  spec.star = a.star;
  spec.variadic = a.variadic;
  spec.node = &a;
  return spec;
}

namespace {

Kind kind_of(Oid transition) {
  switch (raw(transition)) {
    case 1219: return Kind::count_star;
    case 2804: return Kind::count_any;
    case 1840: case 1841: return Kind::sum_integer;
    case 768: case 770: case 1236: return Kind::larger_integer;
    case 769: case 771: case 1237: return Kind::smaller_integer;
    case 3970: case 3971: return Kind::ordered_set;
    default: return Kind::call;
  }
}

Oid resolve_transition_type(Oid declared, const List<nodes::Expr*>& args) {
  switch (raw(declared)) {
    case 2277: case 2283: case 2776: case 3500:   // anyarray, anyelement, anynonarray, anyenum
      return args.empty() ? declared : nodes::type_of(args[0]);
    default: return declared;
  }
}

NullableDatum initial_value(std::optional<std::string_view> text, Oid type, Arena& arena) {
  if (!text) return {};
  const catalog::TypeInfo& info = catalog::type_info(type);
  Datum cstring = Datum::of(static_cast<const void*>(arena.copy(*text).data()));
  Oid parameter = is_valid(info.element) && info.layout.length == -1 ? info.element : type;
  return {call_function(info.input, arena, {cstring, Datum::of(parameter), Datum::of(std::int32_t{-1})}), false};
}

const nodes::SortClause* find_target(const nodes::Aggregate& a, const nodes::SortClause* clause, AttrNumber& column) {
  AttrNumber n = 0;
  for (const nodes::TargetEntry* t : a.args) {
    ++n;
    if (t->sort_group_ref == clause->ref) {
      column = n;
      return clause;
    }
  }
  throw SqlError(sqlstate::internal_error, "ORDER BY column of an aggregate is missing");
}

void prepare_ordered(AggregateFunction& f, const nodes::Aggregate& a, NodeState& owner) {
  Arena& arena = owner.statement->arena;
  const List<nodes::SortClause*>& clauses = a.distinct.empty() ? a.order_by : a.distinct;
  f.ordered = true;
  f.descriptor = describe_targets(a.args, arena);
  List<AttrNumber> columns;
  List<Oid> operators, equal, collations;
  List<bool> nulls_first;
  for (const nodes::SortClause* c : clauses) {
    AttrNumber column = 0;
    find_target(a, c, column);
    columns.push_back(arena, column);
    operators.push_back(arena, c->order_operator);
    equal.push_back(arena, c->equal_operator);
    collations.push_back(arena, nodes::collation_of(a.args[static_cast<std::size_t>(column - 1)]->expr));
    nulls_first.push_back(arena, c->nulls_first);
  }
  f.sort_columns = prepare_sort(columns, operators, collations, nulls_first, arena);
  if (!a.distinct.empty()) {
    f.distinct = prepare_keys(columns, equal, collations, column_layouts(columns, *f.descriptor, arena), false, arena);
  }
  make_row(f.sort_row, f.descriptor->count(), f.descriptor, arena);
  auto* programs = arena.make_array<Program*>(a.args.size());
  for (std::size_t i = 0; i < a.args.size(); ++i) programs[i] = compile_expression(a.args[i]->expr, owner.eval, arena);
  f.args = {programs, a.args.size()};
}

std::span<Program*> compile_all(const List<nodes::Expr*>& list, NodeState& owner) {
  Arena& arena = owner.statement->arena;
  auto* programs = arena.make_array<Program*>(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) programs[i] = compile_expression(list[i], owner.eval, arena);
  return {programs, list.size()};
}

void set_argument_types(FunctionCall* call, Oid first, const List<nodes::Expr*>& args, int count, Arena& arena) {
  auto* types = arena.make_array<Oid>(static_cast<std::size_t>(count));
  types[0] = first;
  for (std::size_t i = 0; i < args.size() && static_cast<int>(i) + 1 < count; ++i) types[i + 1] = nodes::type_of(args[i]);
  const_cast<FunctionSite*>(call->site)->argument_types = types;
}

void prepare_final(AggregateFunction& f, Oid final, bool extra, Oid state_type, const AggregateSpec& spec, NodeState& owner) {
  if (!is_valid(final)) return;
  Arena& arena = owner.statement->arena;
  int direct = static_cast<int>(f.direct_args.size());
  f.final_arguments = 1 + direct + (extra ? static_cast<int>(spec.args.size()) : 0);
  f.final = make_call(final, f.final_arguments, spec.input_collation, spec.result_type, nullptr, false, owner.eval, arena);
  List<nodes::Expr*> all;
  if (spec.node != nullptr) all.append(arena, spec.node->direct_args);
  all.append(arena, spec.args);
  set_argument_types(f.final, state_type, all, f.final_arguments, arena);
}

}  // namespace

void prepare_aggregate(AggregateFunction& f, const AggregateSpec& spec, NodeState& owner) {
  Arena& arena = owner.statement->arena;
  const catalog::AggregateInfo* info = catalog::find_aggregate(spec.function);
  if (info == nullptr) throw SqlError(sqlstate::internal_error, "cache lookup failed for aggregate {}", raw(spec.function));
  check_execute_privilege_on(spec.function);
  Oid transition = spec.moving ? info->moving_transition : info->transition;
  Oid declared = spec.moving ? info->moving_type : info->transition_type;
  Oid state_type = is_valid(spec.transition_type) && !spec.moving ? spec.transition_type : resolve_transition_type(declared, spec.args);
  f.function = spec.function;
  f.node = spec.node;
  f.result_type = spec.result_type;
  f.kind = kind_of(transition);
  f.argument_count = static_cast<int>(spec.args.size());
  if (spec.filter != nullptr) {
    List<nodes::Expr*> conditions;
    conditions.push_back(arena, const_cast<nodes::Expr*>(spec.filter));
    f.filter = compile_filter(conditions, owner.eval, arena);
  }
  if (spec.node != nullptr) f.direct_args = compile_all(spec.node->direct_args, owner);
  bool sorted = spec.node != nullptr && (f.kind == Kind::ordered_set || !spec.node->order_by.empty() || !spec.node->distinct.empty());
  if (sorted) {
    prepare_ordered(f, *spec.node, owner);
  } else {
    f.args = compile_all(spec.args, owner);
  }
  if (f.kind == Kind::ordered_set) return;
  f.layout = layout_of(state_type);
  f.initial = initial_value(spec.moving ? info->moving_initial : info->initial, state_type, arena);
  f.transition = make_call(transition, 1 + f.argument_count, spec.input_collation, state_type, nullptr, spec.variadic, owner.eval, arena);
  set_argument_types(f.transition, state_type, spec.args, 1 + f.argument_count, arena);
  prepare_final(f, spec.moving ? info->moving_final : info->final, spec.moving ? info->moving_final_extra : info->final_extra, state_type, spec, owner);
}

void start_transition(const AggregateFunction& f, Transition& t, Arena& group_arena) {
  t.capacity = 0;
  t.is_null = f.initial.is_null;
  t.value = f.initial.is_null ? Datum() : copy_datum(f.initial.value, f.layout, group_arena);
  t.waiting = f.kind != Kind::ordered_set && f.initial.is_null && f.transition->site->strict;
}

namespace {

// Keeps a by-reference value in the group's own memory, which is used again while it is big enough.
void keep_value(const AggregateFunction& f, Transition& t, Datum value, Arena& group_arena) {
  if (f.layout.by_value) {
    t.value = value;
    return;
  }
  if (value == t.value) return;
  std::size_t size = datum_size(value, f.layout);
  if (size > t.capacity) {
    std::size_t room = align8(t.capacity == 0 ? size : std::max<std::size_t>(size, 2 * t.capacity));
    auto* memory = group_arena.allocate(room, 8);
    std::memcpy(memory, value.as_pointer(), size);
    t.value = Datum::of(static_cast<const void*>(memory));
    t.capacity = static_cast<std::uint32_t>(room);
    return;
  }
  std::memmove(const_cast<std::byte*>(t.value.as_pointer()), value.as_pointer(), size);
}

}  // namespace

void store_transition(const AggregateFunction& f, Transition& t, Datum value, Arena& group_arena) {
  if (t.is_null) t.value = Datum();
  t.is_null = false;
  keep_value(f, t, value, group_arena);
}

void call_transition(AggregateFunction& f, Transition& t, Arena& group_arena) {
  FunctionCall& call = *f.transition;
  if (call.site->strict) {
    for (int i = 1; i <= f.argument_count; ++i) {
      if (call.args[i].is_null) return;
    }
    if (t.waiting) {
      t.waiting = false;
      t.is_null = false;
      keep_value(f, t, call.args[1].value, group_arena);
      return;
    }
    if (t.is_null) return;
  }
  call.args[0] = {t.value, t.is_null};
  call.aggregate_arena = &group_arena;
  call.result_is_null = false;
  Datum v = call.site->function(call);
  if (call.result_is_null) {
    t.is_null = true;
    t.value = Datum();
    t.capacity = 0;
    return;
  }
  if (t.is_null) t.value = Datum();
  t.is_null = false;
  keep_value(f, t, v, group_arena);
}

namespace {

void put_sorted(AggregateFunction& f, NodeState& owner) {
  for (std::size_t i = 0; i < f.args.size(); ++i) {
    NullableDatum v = evaluate(*f.args[i]);
    f.sort_row.values[i] = v.value;
    f.sort_row.nulls[i] = v.is_null;
  }
  f.sort_row.set_virtual();
  // Strict transition functions pass over rows with a NULL argument: they need not be sorted.
  bool strict = f.kind != Kind::ordered_set && f.transition->site->strict;
  int checked = strict ? f.argument_count : f.kind == Kind::ordered_set && f.node->aggregate_kind == 'o' ? 1 : 0;
  for (int i = 0; i < checked; ++i) {
    if (f.sort_row.nulls[i]) return;
  }
  if (f.sorter == nullptr) f.sorter = std::make_unique<Sorter>(*f.descriptor, f.sort_columns, owner.statement->work_memory());
  f.sorter->put(f.sort_row);
}

void take_integer(AggregateFunction& f, Transition& t) {
  NullableDatum v = evaluate(*f.args[0]);
  if (v.is_null) return;
  std::int64_t x = v.value.as_int64();
  if (t.is_null) {
    t.is_null = t.waiting = false;
    t.value = Datum::of(x);
    return;
  }
  std::int64_t old = t.value.as_int64();
  switch (f.kind) {
    case Kind::sum_integer: t.value = Datum::of(old + x); break;   // int8 sums of int2 and int4 wrap only beyond 2^31 rows
    case Kind::larger_integer: if (x > old) t.value = v.value; break;
    default: if (x < old) t.value = v.value; break;
  }
}

}  // namespace

void advance_transition(AggregateFunction& f, Transition& t, Arena& group_arena, NodeState& owner) {
  if (f.filter != nullptr && !passes(f.filter)) return;
  if (f.ordered) return put_sorted(f, owner);
  switch (f.kind) {
    case Kind::count_star:
      t.value = Datum::of(t.value.as_int64() + 1);
      return;
    case Kind::count_any:
      if (!evaluate(*f.args[0]).is_null) t.value = Datum::of(t.value.as_int64() + 1);
      return;
    case Kind::sum_integer: case Kind::larger_integer: case Kind::smaller_integer: return take_integer(f, t);
    default: break;
  }
  for (int i = 0; i < f.argument_count; ++i) f.transition->args[i + 1] = evaluate(*f.args[static_cast<std::size_t>(i)]);
  call_transition(f, t, group_arena);
}

void drain_sorted(AggregateFunction& f, Transition& t, Arena& group_arena, NodeState& owner) {
  if (!f.ordered || f.kind == Kind::ordered_set || f.sorter == nullptr) return;
  f.sorter->finish();
  Row row = f.sort_row;
  Arena last_arena(512), scratch(512);
  bool has_last = false;
  Row last;
  Arena rows(512);
  if (!f.distinct.columns.empty()) make_row(last, f.descriptor->count(), f.descriptor, rows);
  Arena* saved = owner.eval.function.arena;
  owner.eval.function.arena = &scratch;
  while (f.sorter->next(row)) {
    check_interrupts();
    scratch.reset();
    row.need(f.descriptor->count());
    if (!f.distinct.columns.empty()) {
      if (has_last && same_keys(f.distinct, last, row, scratch)) continue;
      last_arena.reset();
      copy_row(last, row, *f.descriptor, last_arena);
      has_last = true;
    }
    for (int i = 0; i < f.argument_count; ++i) f.transition->args[i + 1] = {row.values[i], row.nulls[i]};
    call_transition(f, t, group_arena);
  }
  owner.eval.function.arena = saved;
  f.sorter->clear();
}

NullableDatum finish_transition(AggregateFunction& f, const Transition& t, Arena& group_arena, NodeState& owner) {
  if (f.kind == Kind::ordered_set) return finish_ordered_set(f, owner);
  if (f.final == nullptr) return {t.value, t.is_null};
  FunctionCall& call = *f.final;
  call.args[0] = {t.value, t.is_null};
  int at = 1;
  for (Program* p : f.direct_args) call.args[at++] = evaluate(*p);
  for (; at < f.final_arguments; ++at) call.args[at] = {};
  call.aggregate_arena = &group_arena;
  return invoke(call);
}

void reset_sorter(AggregateFunction& f, StatementState& statement) {
  if (f.sorter != nullptr) f.sorter->clear();
}

}  // namespace hathi::executor
