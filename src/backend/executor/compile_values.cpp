// Compiling arrays, subscripts, coercions, domains and SQL's special values.

#include "arrays.h"
#include "comparison.h"
#include "compiler.h"
#include "domains.h"
#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/lookup.h"
#include "hathi/types/whole_array.h"

namespace hathi::executor {

using namespace nodes;
using types::ArrayView;

namespace {

struct ArrayData {
  NullableDatum* elements;
  std::size_t count;
  Oid element;
  TypeLayout layout;
  bool nested;
  Datum* values;
  bool* nulls;
};

void run_array(const Step& step, EvalContext& c) {
  auto& data = *static_cast<ArrayData*>(step.slow.data);
  Arena& arena = *c.function.arena;
  if (data.nested) {
    *step.result = {stack_arrays(data.elements, data.count, data.element, data.layout, arena), false};
    return;
  }
  for (std::size_t i = 0; i < data.count; ++i) {
    data.values[i] = data.elements[i].value;
    data.nulls[i] = data.elements[i].is_null;
  }
  Datum v = data.count == 0 ? types::make_empty_array(arena, data.element)
                            : types::make_array(arena, data.element, data.layout, std::span<const Datum>(data.values, data.count), data.nulls);
  *step.result = {v, false};
}

// --- scalar op ANY/ALL (array) ----------------------------------------------------------------------------------------------

// A set of the elements of an array that does not change, by open addressing.
struct ElementSet {
  std::uint32_t mask = 0;
  std::uint32_t* hashes = nullptr;    // 0 = free
  Datum* values = nullptr;
  bool has_null = false;
};

struct ArrayOpData {
  FunctionCall* call;
  NullableDatum* scalar;
  NullableDatum* array;
  bool use_or;
  TypeLayout layout;
  // Hashed: = ANY or <> ALL over a long constant array.
  bool hashed = false;
  bool negate = false;
  EqualFunction equal;
  HashFunction scalar_hash, element_hash;
  Arena* arena = nullptr;
  ElementSet* set = nullptr;
};

void run_array_op(const Step& step, EvalContext& c) {
  auto& data = *static_cast<ArrayOpData*>(step.slow.data);
  if (data.array->is_null) {
    *step.result = {};
    return;
  }
  ArrayView array = types::whole_array(data.array->value, *c.function.arena);
  if (array.count() == 0) {
    *step.result = {Datum::of(!data.use_or), false};
    return;
  }
  FunctionCall& call = *data.call;
  if (data.scalar->is_null && call.site->strict) {
    *step.result = {};
    return;
  }
  types::ArrayCursor cursor(array, data.layout);
  NullableDatum element;
  bool saw_null = false;
  while (cursor.next(element)) {
    call.args[0] = *data.scalar;
    call.args[1] = element;
    NullableDatum r = invoke(call);
    if (r.is_null) {
      saw_null = true;
    } else if (r.value.as_bool() == data.use_or) {
      *step.result = {Datum::of(data.use_or), false};
      return;
    }
  }
  *step.result = saw_null ? NullableDatum{} : NullableDatum{Datum::of(!data.use_or), false};
}

// The same bits: certainly equal. One of such elements is enough, and many of them in a row would make every probe long.
bool same_image(const TypeLayout& layout, Datum a, Datum b) {
  if (layout.by_value) return a.bits() == b.bits();
  return layout.length == -1 && varlena::is_readable(a.as_pointer()) && varlena::is_readable(b.as_pointer()) &&
         varlena::payload(a.as_pointer()) == varlena::payload(b.as_pointer());
}

void fill_set(ArrayOpData& data) {
  Arena& arena = *data.arena;
  ArrayView array = types::whole_array(data.array->value, arena);
  std::uint32_t size = 16;
  while (size < static_cast<std::uint32_t>(array.count()) * 2) size *= 2;
  auto* set = arena.make<ElementSet>();
  set->mask = size - 1;
  set->hashes = arena.make_array<std::uint32_t>(size);
  set->values = arena.make_array<Datum>(size);
  types::ArrayCursor cursor(array, data.layout);
  NullableDatum e;
  while (cursor.next(e)) {
    if (e.is_null) {
      set->has_null = true;
      continue;
    }
    std::uint32_t h = hash_value(data.element_hash, e.value, arena) | 1u;
    std::uint32_t at = (h >> 1) & set->mask;
    while (set->hashes[at] != 0 && !(set->hashes[at] == h && same_image(data.layout, set->values[at], e.value))) at = (at + 1) & set->mask;
    set->hashes[at] = h;
    set->values[at] = e.value;
  }
  data.set = set;
}

void run_hashed_array_op(const Step& step, EvalContext& c) {
  auto& data = *static_cast<ArrayOpData*>(step.slow.data);
  if (data.array->is_null || data.scalar->is_null) {
    *step.result = {};
    return;
  }
  if (data.set == nullptr) fill_set(data);
  const ElementSet& set = *data.set;
  Arena& scratch = *c.function.arena;
  std::uint32_t h = hash_value(data.scalar_hash, data.scalar->value, scratch) | 1u;
  for (std::uint32_t at = (h >> 1) & set.mask; set.hashes[at] != 0; at = (at + 1) & set.mask) {
    if (set.hashes[at] == h && are_equal(data.equal, data.scalar->value, set.values[at], scratch)) {
      *step.result = {Datum::of(!data.negate), false};
      return;
    }
  }
  *step.result = set.has_null ? NullableDatum{} : NullableDatum{Datum::of(data.negate), false};
}

// Can the search of a constant array be hashed? Then fills in the functions.
bool prepare_hashed(const ArrayOp& e, ArrayOpData& data, Arena& arena) {
  constexpr int kWorthHashing = 9;
  if (!is<Constant>(e.array) || as<Constant>(e.array)->is_null) return false;
  Arena scratch;
  ArrayView array = types::whole_array(as<Constant>(e.array)->value, scratch);
  if (array.count() < kWorthHashing) return false;
  Oid equality = e.op;
  if (!e.use_or) {
    equality = catalog::operator_info(e.op).negator;
    data.negate = true;
    if (!is_valid(equality)) return false;
  }
  Oid left, right;
  if (!hash_functions_of(equality, left, right)) return false;
  Oid function = catalog::operator_info(equality).function;
  if (!catalog::function_info(function).strict) return false;
  data.equal = prepare_equal(function, e.input_collation);
  data.scalar_hash = prepare_hash(left, e.input_collation);
  data.element_hash = prepare_hash(right, e.input_collation);
  data.arena = &arena;
  data.hashed = true;
  return true;
}

// --- coercions ----------------------------------------------------------------------------------------------------------------

struct CoerceIoData {
  FunctionCall* output;
  FunctionCall* input;
};

void run_coerce_io(const Step& step, EvalContext&) {
  auto& data = *static_cast<CoerceIoData*>(step.slow.data);
  FunctionCall& in = *data.input;
  if (step.result->is_null) {
    if (in.site->strict) return;
    in.args[0] = {};
  } else {
    data.output->args[0] = *step.result;
    in.args[0] = invoke(*data.output);
  }
  *step.result = invoke(in);
}

struct ArrayCoerceData {
  Program* element;
  NullableDatum* slot;
  TypeLayout from, to;
  Oid to_element;
};

void run_array_coerce(const Step& step, EvalContext& c) {
  auto& data = *static_cast<ArrayCoerceData*>(step.slow.data);
  if (step.result->is_null) return;
  Arena& arena = *c.function.arena;
  ArrayView array = types::whole_array(step.result->value, arena);
  int n = array.count();
  if (n == 0) {
    *step.result = {types::make_empty_array(arena, data.to_element), false};
    return;
  }
  auto* values = arena.make_array<Datum>(static_cast<std::size_t>(n));
  auto* nulls = arena.make_array<bool>(static_cast<std::size_t>(n));
  types::ArrayCursor cursor(array, data.from);
  for (int i = 0; i < n; ++i) {
    cursor.next(*data.slot);
    NullableDatum r = evaluate(*data.element);
    values[i] = r.value;
    nulls[i] = r.is_null;
  }
  int lengths[types::kMaxDimensions], lowers[types::kMaxDimensions];
  for (int d = 0; d < array.dimensions(); ++d) {
    lengths[d] = array.length(d);
    lowers[d] = array.lower(d);
  }
  *step.result = {types::make_array(arena, data.to_element, data.to, values, nulls, array.dimensions(), lengths, lowers), false};
}

// --- subscripts -----------------------------------------------------------------------------------------------------------------

struct SubscriptData {
  NullableDatum* container;
  NullableDatum* upper;
  NullableDatum* lower;
  bool* has_upper;
  bool* has_lower;
  int count;
  bool slice;
  bool assign;
  NullableDatum* assigned;
  NullableDatum* old_element;      // for nested assignments
  Oid element;
  TypeLayout layout;
  int fixed_length;                // name, point and the like: bytes of the whole; 0 = an array
};

// Subscripts of an element; false when one is NULL.
bool element_subscripts(const SubscriptData& d, int* out) {
  for (int i = 0; i < d.count; ++i) {
    if (d.upper[i].is_null) return false;
    out[i] = d.upper[i].value.as_int32();
  }
  return true;
}

bool slice_bounds(const SubscriptData& d, types::ArraySlice* out) {
  for (int i = 0; i < d.count; ++i) {
    out[i].has_upper = d.has_upper[i];
    out[i].has_lower = d.has_lower[i];
    if (d.has_upper[i]) {
      if (d.upper[i].is_null) return false;
      out[i].upper = d.upper[i].value.as_int32();
    }
    if (d.has_lower[i]) {
      if (d.lower[i].is_null) return false;
      out[i].lower = d.lower[i].value.as_int32();
    }
  }
  return true;
}

void run_subscript(const Step& step, EvalContext& c) {
  auto& d = *static_cast<SubscriptData*>(step.slow.data);
  Arena& arena = *c.function.arena;
  NullableDatum& result = *step.result;
  if (d.container->is_null) {
    result = {};
    return;
  }
  ArrayView array = types::whole_array(d.container->value, arena);
  if (d.slice) {
    types::ArraySlice bounds[types::kMaxDimensions];
    if (!slice_bounds(d, bounds)) {
      result = {};
      return;
    }
    result = {types::array_get_slice(array, d.layout, {bounds, static_cast<std::size_t>(d.count)}, arena), false};
    return;
  }
  int subscripts[types::kMaxDimensions];
  result = element_subscripts(d, subscripts) ? types::array_get_element(array, d.layout, {subscripts, static_cast<std::size_t>(d.count)}) : NullableDatum{};
}

// name, point and the like: a row of elements without a header, counted from 0.
void run_fixed_subscript(const Step& step, EvalContext&) {
  auto& d = *static_cast<SubscriptData*>(step.slow.data);
  NullableDatum& result = *step.result;
  result = {};
  int subscripts[types::kMaxDimensions];
  if (d.container->is_null || !element_subscripts(d, subscripts) || d.count != 1) return;
  int size = d.layout.length;
  if (subscripts[0] < 0 || subscripts[0] >= d.fixed_length / size) return;
  const auto* at = d.container->value.as_pointer<char>() + subscripts[0] * size;
  std::uint64_t bits = 0;
  if (d.layout.by_value) std::memcpy(&bits, at, static_cast<std::size_t>(size));
  result = {d.layout.by_value ? Datum(bits) : Datum::of(static_cast<const void*>(at)), false};
}

void run_old_element(const Step& step, EvalContext& c) {
  auto& d = *static_cast<SubscriptData*>(step.slow.data);
  *d.old_element = {};
  if (d.container->is_null || d.slice) return;
  int subscripts[types::kMaxDimensions];
  if (!element_subscripts(d, subscripts)) return;
  ArrayView array = types::whole_array(d.container->value, *c.function.arena);
  *d.old_element = types::array_get_element(array, d.layout, {subscripts, static_cast<std::size_t>(d.count)});
}

[[noreturn]] void throw_null_subscript() {
  throw SqlError(sqlstate::null_value_not_allowed, "array subscript in assignment must not be null");
}

void run_assign_subscript(const Step& step, EvalContext& c) {
  auto& d = *static_cast<SubscriptData*>(step.slow.data);
  Arena& arena = *c.function.arena;
  Datum old = d.container->is_null ? types::make_empty_array(arena, d.element) : d.container->value;
  ArrayView array = types::whole_array(old, arena);
  auto n = static_cast<std::size_t>(d.count);
  if (d.slice) {
    types::ArraySlice bounds[types::kMaxDimensions];
    if (!slice_bounds(d, bounds)) throw_null_subscript();
    if (d.assigned->is_null) {   // a NULL slice changes nothing
      *step.result = {old, false};
      return;
    }
    *step.result = {types::array_set_slice(array, d.layout, {bounds, n}, types::whole_array(d.assigned->value, arena), arena), false};
    return;
  }
  int subscripts[types::kMaxDimensions];
  if (!element_subscripts(d, subscripts)) throw_null_subscript();
  *step.result = {types::array_set_element(array, d.layout, {subscripts, n}, *d.assigned, arena), false};
}

// --- SQL values -----------------------------------------------------------------------------------------------------------------

struct SqlValueData { SqlValue::Op op; std::int32_t typmod; };

Datum with_typmod(Oid function, Datum v, std::int32_t typmod, Arena& arena) {
  return typmod < 0 ? v : call_function(function, arena, {v, Datum::of(typmod)});
}

void run_sql_value(const Step& step, EvalContext& c) {
  auto& data = *static_cast<SqlValueData*>(step.slow.data);
  Arena& arena = *c.function.arena;
  auto now = [&] { return call_function(Oid{1299}, arena, {}); };
  auto role = [&](Oid r) {
    const catalog::RoleInfo* info = catalog::find_role(r);
    return make_name(arena, info == nullptr ? fmt::format("unknown (OID={})", raw(r)) : std::string(info->name));
  };
  Datum v;
  switch (data.op) {
    case SqlValue::Op::current_date: v = call_function(Oid{1178}, arena, {now()}); break;
    case SqlValue::Op::current_time: v = with_typmod(Oid{1969}, call_function(Oid{1388}, arena, {now()}), data.typmod, arena); break;
    case SqlValue::Op::current_timestamp: v = with_typmod(Oid{1967}, now(), data.typmod, arena); break;
    case SqlValue::Op::local_time: v = with_typmod(Oid{1968}, call_function(Oid{2019}, arena, {now()}), data.typmod, arena); break;
    case SqlValue::Op::local_timestamp: v = with_typmod(Oid{1961}, call_function(Oid{2027}, arena, {now()}), data.typmod, arena); break;
    case SqlValue::Op::current_role: case SqlValue::Op::current_user: case SqlValue::Op::user: v = role(catalog::current_role()); break;
    case SqlValue::Op::session_user: v = role(catalog::session_role()); break;
    case SqlValue::Op::current_catalog: v = make_name(arena, catalog::current_database_name()); break;
    case SqlValue::Op::current_schema: {
      FunctionSite site;
      const BuiltinFunction* f = find_builtin_function(Oid{1402});
      if (f == nullptr) throw_not_supported("CURRENT_SCHEMA");
      site.function = f->function;
      site.oid = f->oid;
      NullableDatum no_args[1];
      FunctionCall call;
      call.site = &site;
      call.context = &c.function;
      call.args = no_args;
      call.state_arena = &arena;
      *step.result = invoke(call);
      return;
    }
  }
  *step.result = {v, false};
}

void run_next_value(const Step& step, EvalContext& c) {
  auto sequence = Oid{static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(step.slow.data))};
  *step.result = {call_function(Oid{1574}, *c.function.arena, {Datum::of(sequence)}), false};
}

template <class T>
T* make_data(Arena& arena) {
  return new (arena.allocate(sizeof(T), alignof(T))) T();
}

}  // namespace

void Compiler::emit_array(const ArrayExpr& e, NullableDatum* result) {
  auto* data = make_data<ArrayData>(arena_);
  data->elements = emit_arguments(e.elements);
  data->count = e.elements.size();
  data->element = e.element_type;
  data->layout = layout_of(e.element_type);
  data->nested = e.multi_dimensional;
  data->values = arena_.make_array<Datum>(data->count);
  data->nulls = arena_.make_array<bool>(data->count);
  add_slow(run_array, data, result);
}

void Compiler::emit_array_op(const ArrayOp& e, NullableDatum* result) {
  auto* data = make_data<ArrayOpData>(arena_);
  data->call = make_call(e.function, 2, e.input_collation, type_oid::bool_, nullptr, false, context_, arena_);
  auto* types = arena_.make_array<Oid>(2);
  types[0] = type_of(e.scalar);
  types[1] = catalog::type_info(catalog::base_type(type_of(e.array))).element;
  const_cast<FunctionSite*>(data->call->site)->argument_types = types;
  data->scalar = new_slot();
  data->array = new_slot();
  emit_argument(e.scalar, data->scalar);
  emit_argument(e.array, data->array);
  data->use_or = e.use_or;
  data->layout = layout_of(types[1]);
  prepare_hashed(e, *data, arena_);
  add_slow(data->hashed ? run_hashed_array_op : run_array_op, data, result);
}

void Compiler::emit_array_coerce(const ArrayCoerce& e, NullableDatum* result) {
  emit(e.arg, result);
  auto* data = make_data<ArrayCoerceData>(arena_);
  Oid from = catalog::type_info(catalog::base_type(type_of(e.arg))).element;
  data->to_element = catalog::type_info(catalog::base_type(e.type)).element;
  data->from = layout_of(from);
  data->to = layout_of(data->to_element);
  data->slot = new_slot();
  Compiler inner(context_, arena_, options_);
  inner.set_case_slot(data->slot);
  inner.domain_slot_ = domain_slot_;
  NullableDatum* value = inner.new_slot();
  inner.emit(e.element, value);
  data->element = inner.finish(value);
  add_slow(run_array_coerce, data, result);
}

void Compiler::emit_subscript(const Subscript& e, NullableDatum* result) {
  auto* data = make_data<SubscriptData>(arena_);
  std::size_t n = e.upper.size();
  if (n > static_cast<std::size_t>(types::kMaxDimensions)) {
    throw SqlError(sqlstate::program_limit_exceeded, "number of array dimensions ({}) exceeds the maximum allowed ({})", n, types::kMaxDimensions);
  }
  data->count = static_cast<int>(n);
  data->slice = e.is_slice;
  data->element = e.element_type;
  data->layout = layout_of(e.element_type);
  data->fixed_length = std::max<int>(0, catalog::type_info(catalog::base_type(e.container_type)).layout.length);
  if (data->fixed_length > 0 && e.is_slice) throw SqlError(sqlstate::feature_not_supported, "slices of fixed-length arrays not implemented");
  if (data->fixed_length > 0 && e.assigned != nullptr) throw_not_supported("assignment to subscripts of fixed-length types", e.location);
  data->upper = arena_.make_array<NullableDatum>(n);
  data->lower = arena_.make_array<NullableDatum>(n);
  data->has_upper = arena_.make_array<bool>(n);
  data->has_lower = arena_.make_array<bool>(n);
  data->container = new_slot();
  emit_argument(e.container, data->container);
  for (std::size_t i = 0; i < n; ++i) {
    if (e.upper[i] != nullptr) {
      data->has_upper[i] = true;
      emit_argument(e.upper[i], data->upper + i);
    }
    if (i < e.lower.size() && e.lower[i] != nullptr) {
      data->has_lower[i] = true;
      emit_argument(e.lower[i], data->lower + i);
    }
  }
  if (e.assigned == nullptr) {
    add_slow(data->fixed_length > 0 ? run_fixed_subscript : run_subscript, data, result);
    return;
  }
  data->assigned = new_slot();
  data->old_element = new_slot();
  add_slow(run_old_element, data, nullptr);
  NullableDatum* saved = case_slot_;
  case_slot_ = data->old_element;
  emit_argument(e.assigned, data->assigned);
  case_slot_ = saved;
  add_slow(run_assign_subscript, data, result);
}

void Compiler::emit_coerce_io(const CoerceIo& e, NullableDatum* result) {
  emit(e.arg, result);
  auto* data = make_data<CoerceIoData>(arena_);
  Oid from = type_of(e.arg);
  const catalog::TypeInfo& to = catalog::type_info(e.type);
  List<Expr*> args;
  args.push_back(arena_, e.arg);
  data->output = make_call(catalog::type_info(from).output, 1, kInvalidOid, type_oid::cstring, &args, false, context_, arena_);
  data->input = make_call(to.input, 3, kInvalidOid, e.type, nullptr, false, context_, arena_);
  auto* site = const_cast<FunctionSite*>(data->input->site);
  site->argument_count = static_cast<std::int16_t>(catalog::function_info(to.input).arguments.size());
  Oid parameter = is_valid(to.element) && to.layout.length == -1 ? to.element : e.type;
  data->input->args[1] = {Datum::of(parameter), false};
  data->input->args[2] = {Datum::of(std::int32_t{-1}), false};
  add_slow(run_coerce_io, data, result);
}

namespace {

struct DomainCheckData {
  Oid domain;
  std::string_view name, constraint;   // empty constraint: NOT NULL
  NullableDatum* check;
};

void run_domain_check(const Step& step, EvalContext&) {
  auto& d = *static_cast<DomainCheckData*>(step.slow.data);
  if (d.constraint.empty()) {
    if (step.result->is_null) throw_domain_not_null(d.domain, d.name);
    return;
  }
  if (!d.check->is_null && !d.check->value.as_bool()) throw_domain_check(d.domain, d.name, d.constraint);
}

}  // namespace

void Compiler::emit_domain(const CoerceDomain& e, NullableDatum* result) {
  emit(e.arg, result);
  NullableDatum* saved = domain_slot_;
  for (const DomainConstraint& constraint : domain_constraints(e.type, arena_)) {
    auto* data = make_data<DomainCheckData>(arena_);
    data->domain = e.type;
    data->name = arena_.copy(catalog::format_type(e.type));
    data->constraint = constraint.name;
    if (constraint.check != nullptr) {
      data->check = new_slot();
      domain_slot_ = result;
      emit(constraint.check, data->check);
    }
    add_slow(run_domain_check, data, result);
  }
  domain_slot_ = saved;
}

void Compiler::emit_sql_value(const SqlValue& e, NullableDatum* result) {
  auto* data = make_data<SqlValueData>(arena_);
  data->op = e.op;
  data->typmod = e.typmod;
  add_slow(run_sql_value, data, result);
}

void Compiler::emit_next_value(const NextValue& e, NullableDatum* result) {
  add_slow(run_next_value, reinterpret_cast<void*>(static_cast<std::uintptr_t>(raw(e.sequence))), result);
}

}  // namespace hathi::executor
