// string_agg() and array_agg(): states that grow in the aggregate's arena.

#include <algorithm>

#include "hathi/types/array.h"
#include "hathi/types/whole_array.h"
#include "adapter.h"
#include "errors.h"
#include "tables.h"
#include "type_io.h"

namespace hathi::types {

namespace {

// --- string_agg ---------------------------------------------------------------------------------------------------------------
struct TextState {
  char* data = nullptr;
  std::size_t size = 0;
  std::size_t capacity = 0;

  void append(std::string_view text, Arena& arena) {
    if (size + text.size() > capacity) {
      std::size_t wanted = std::max<std::size_t>({64, capacity * 2, size + text.size()});
      if (wanted > 0x3FFFFFFF) wanted = size + text.size();
      if (wanted > 0x3FFFFFFF) {
        throw SqlError(sqlstate::program_limit_exceeded, "out of memory")
            .detail(fmt::format("Cannot enlarge string buffer containing {} bytes by {} more bytes.", size, text.size()));
      }
      auto* larger = static_cast<char*>(arena.allocate(wanted, 1));
      if (size != 0) std::memcpy(larger, data, size);
      data = larger;
      capacity = wanted;
    }
    if (!text.empty()) std::memcpy(data + size, text.data(), text.size());
    size += text.size();
  }
};
Datum string_agg_transfn(FunctionCall& call) {
  if (call.arg_null(1)) return call.arg_null(0) ? call.null() : call.arg(0);
  Arena& arena = aggregate_arena(call);
  TextState* state;
  if (call.arg_null(0)) {
    state = arena.make<TextState>();
  } else {
    state = const_cast<TextState*>(call.arg(0).as_pointer<TextState>());
    if (!call.arg_null(2)) state->append(call.text(2), arena);
  }
  state->append(call.text(1), arena);
  return Datum::of(static_cast<const void*>(state));
}
Datum string_agg_finalfn(FunctionCall& call) {
  if (call.arg_null(0)) return call.null();
  const auto* state = call.arg(0).as_pointer<TextState>();
  return varlena::make(call.arena(), {state->data, state->size});
}

// --- array_agg of elements --------------------------------------------------------------------------------------------------------
struct ArrayState {
  Oid element_type;
  TypeLayout layout;
  List<Datum> values;
  List<bool> nulls;
  // array_agg of arrays: the dimensions of each.
  int dimensions = 0;
  int lengths[kMaxDimensions] = {};
  int lowers[kMaxDimensions] = {};
  int arrays = 0;
};
Datum array_agg_transfn(FunctionCall& call) {
  Arena& arena = aggregate_arena(call);
  ArrayState* state;
  if (call.arg_null(0)) {
    state = arena.make<ArrayState>();
    state->element_type = argument_type(call, 1);
    state->layout = catalog::type_info(state->element_type).layout;
  } else {
    state = const_cast<ArrayState*>(call.arg(0).as_pointer<ArrayState>());
  }
  bool is_null = call.arg_null(1);
  Datum value;
  if (!is_null) {
    value = call.arg(1);
    if (state->layout.length == -1) value = Datum::of(static_cast<const void*>(varlena::readable(value, call.arena())));
    value = copy_datum(value, state->layout, arena);
  }
  state->values.push_back(arena, value);
  state->nulls.push_back(arena, is_null);
  return Datum::of(static_cast<const void*>(state));
}
Datum array_agg_finalfn(FunctionCall& call) {
  if (call.arg_null(0)) return call.null();
  const auto* state = call.arg(0).as_pointer<ArrayState>();
  return make_array(call.arena(), state->element_type, state->layout, {state->values.begin(), state->values.size()}, state->nulls.begin());
}

// --- array_agg of arrays: one more dimension ---------------------------------------------------------------------------------------
Datum array_agg_array_transfn(FunctionCall& call) {
  Arena& arena = aggregate_arena(call);
  if (call.arg_null(1)) throw SqlError(sqlstate::null_value_not_allowed, "cannot accumulate null arrays");
  ArrayView array = whole_array(call.arg(1), call.arena());
  int n = array.dimensions();
  ArrayState* state;
  if (call.arg_null(0)) {
    if (n == 0) throw SqlError(sqlstate::array_subscript_error, "cannot accumulate empty arrays");
    if (n + 1 > kMaxDimensions) {
      throw SqlError(sqlstate::program_limit_exceeded, "number of array dimensions ({}) exceeds the maximum allowed ({})", n + 1, kMaxDimensions);
    }
    state = arena.make<ArrayState>();
    state->element_type = array.element_type();
    state->layout = catalog::type_info(state->element_type).layout;
    state->dimensions = n + 1;
    state->lowers[0] = 1;
    for (int i = 0; i < n; ++i) {
      state->lengths[i + 1] = array.length(i);
      state->lowers[i + 1] = array.lower(i);
    }
  } else {
    state = const_cast<ArrayState*>(call.arg(0).as_pointer<ArrayState>());
    bool same = state->dimensions == n + 1;
    for (int i = 0; same && i < n; ++i) same = state->lengths[i + 1] == array.length(i) && state->lowers[i + 1] == array.lower(i);
    if (!same) throw SqlError(sqlstate::array_subscript_error, "cannot accumulate arrays of different dimensionality");
  }
  ArrayCursor cursor(array, state->layout);
  NullableDatum element;
  while (cursor.next(element)) {
    state->values.push_back(arena, element.is_null ? Datum() : copy_datum(element.value, state->layout, arena));
    state->nulls.push_back(arena, element.is_null);
  }
  ++state->lengths[0];
  return Datum::of(static_cast<const void*>(state));
}
Datum array_agg_array_finalfn(FunctionCall& call) {
  if (call.arg_null(0)) return call.null();
  const auto* state = call.arg(0).as_pointer<ArrayState>();
  return make_array(call.arena(), state->element_type, state->layout, state->values.begin(), state->nulls.begin(), state->dimensions,
                    state->lengths, state->lowers);
}

constexpr BuiltinFunction kTable[] = {
    {Oid{3535}, fn<string_agg_transfn>},
    {Oid{3536}, fn<string_agg_finalfn>},
    {Oid{3543}, fn<string_agg_transfn>},
    {Oid{3544}, fn<string_agg_finalfn>},
    {Oid{2333}, fn<array_agg_transfn>},
    {Oid{2334}, fn<array_agg_finalfn>},
    {Oid{4051}, fn<array_agg_array_transfn>},
    {Oid{4052}, fn<array_agg_array_finalfn>},
};

}  // namespace

std::span<const BuiltinFunction> collecting_aggregate_functions() { return kTable; }

}  // namespace hathi::types
