// Sums, averages, variances of integers and numeric.

#include <algorithm>

#include "hathi/types/array.h"
#include "errors.h"
#include "numeric_codec.h"
#include "tables.h"
#include "type_io.h"
#include "wrapping.h"

namespace hathi::types {

namespace {

// A running sum in an arena: 128 bits, with a stored numeric beside it once they have overflowed.
struct SumCell {
  Int128 small = 0;
  std::int32_t scale = 0;        // of small
  std::uint32_t capacity = 0;    // bytes at big
  std::byte* big = nullptr;      // null = zero

  void add(const Numeric& v, bool subtract, Arena& arena) {
    if (v.value.is_small()) {
      Int128 addend = v.value.small();
      Int128 sum = small;
      int up = v.scale - scale;
      bool fits = up <= 38 && -up <= 38;
      if (fits && up > 0) fits = !__builtin_mul_overflow(sum, Integer::power_of_ten(up).small(), &sum);
      if (fits && up < 0) fits = !__builtin_mul_overflow(addend, Integer::power_of_ten(-up).small(), &addend);
      if (fits) fits = subtract ? !__builtin_sub_overflow(sum, addend, &sum) : !__builtin_add_overflow(sum, addend, &sum);
      if (fits) {
        small = sum;
        scale = std::max(scale, v.scale);
        return;
      }
    }
    Arena scratch;
    Numeric total = subtract ? subtract_numeric(value(), v) : add_numeric(value(), v);
    Datum stored = store_numeric(total, scratch);
    std::uint32_t size = varlena::total_size(stored.as_pointer());
    if (size > capacity) {
      capacity = size * 2;
      big = static_cast<std::byte*>(arena.allocate(capacity, 8));
    }
    std::memcpy(big, stored.as_pointer(), size);
    small = 0;
    scale = total.scale;
  }
  Numeric value() const {
    Numeric v{Numeric::Kind::finite, scale, Integer(small)};
    return big == nullptr ? v : add_numeric(load_numeric(varlena::payload(big)), v);
  }
};

// The transition value of all the aggregates here; SQL type internal.
struct NumericState {
  std::int64_t count = 0;                                        // finite values
  std::int64_t nans = 0, plus_infinities = 0, minus_infinities = 0;
  std::int32_t max_scale = 0;
  std::int64_t max_scale_count = 0;                              // values that have it
  bool squares_wanted = false;
  SumCell sum, squares;

  std::int64_t all() const { return count + nans + plus_infinities + minus_infinities; }
};

NumericState* state_of(FunctionCall& call) { return const_cast<NumericState*>(call.arg(0).as_pointer<NumericState>()); }

NumericState* state_for_transition(FunctionCall& call, bool squares) {
  if (!call.arg_null(0)) return state_of(call);
  auto* state = aggregate_arena(call).make<NumericState>();
  state->squares_wanted = squares;
  return state;
}
Datum result_of(NumericState* state) { return Datum::of(static_cast<const void*>(state)); }

void take(NumericState& state, const Numeric& v, Arena& arena) {
  if (v.is_finite()) {
    if (v.scale > state.max_scale) {
      state.max_scale = v.scale;
      state.max_scale_count = 1;
    } else if (v.scale == state.max_scale) {
      ++state.max_scale_count;
    }
    ++state.count;
    state.sum.add(v, false, arena);
    if (state.squares_wanted) state.squares.add({Numeric::Kind::finite, v.scale * 2, v.value * v.value}, false, arena);
  } else if (v.is_nan()) {
    ++state.nans;
  } else {
    ++(v.sign() > 0 ? state.plus_infinities : state.minus_infinities);
  }
}

// false when the value cannot be taken back, since the scale of the rest is not known.
bool give_back(NumericState& state, const Numeric& v, Arena& arena) {
  if (!v.is_finite()) {
    --(v.is_nan() ? state.nans : v.sign() > 0 ? state.plus_infinities : state.minus_infinities);
    return true;
  }
  if (v.scale == state.max_scale) {
    if (state.max_scale_count > 1 || state.max_scale == 0) {
      --state.max_scale_count;
    } else if (state.count > 1) {
      return false;
    } else {
      state.max_scale = 0;
      state.max_scale_count = 0;
    }
  }
  if (--state.count == 0) {
    state.sum = {};
    state.squares = {};
    return true;
  }
  state.sum.add(v, true, arena);
  if (state.squares_wanted) state.squares.add({Numeric::Kind::finite, v.scale * 2, v.value * v.value}, true, arena);
  return true;
}

template <class T> Numeric argument(FunctionCall& call) {
  if constexpr (std::is_same_v<T, Numeric>) return load_numeric(call.arg(1), call.arena());
  else return Numeric::of(static_cast<T>(call.arg(1).bits()));
}

template <class T, bool Squares> Datum accumulate(FunctionCall& call) {
  NumericState* state = state_for_transition(call, Squares);
  if (!call.arg_null(1)) take(*state, argument<T>(call), *call.aggregate_arena);
  return result_of(state);
}
template <class T> Datum accumulate_inverse(FunctionCall& call) {
  if (call.arg_null(0)) throw SqlError(sqlstate::internal_error, "inverse transition function called with NULL state");
  NumericState* state = state_of(call);
  if (!call.arg_null(1) && !give_back(*state, argument<T>(call), *call.aggregate_arena)) return call.null();
  return result_of(state);
}

// The sum at the scale it is shown with.
Numeric shown_sum(const NumericState& state) {
  if (state.nans > 0 || (state.plus_infinities > 0 && state.minus_infinities > 0)) return Numeric::nan();
  if (state.plus_infinities > 0) return Numeric::infinity(false);
  if (state.minus_infinities > 0) return Numeric::infinity(true);
  return round_numeric(state.sum.value(), state.max_scale);
}
Datum sum_final(FunctionCall& call) {
  if (call.arg_null(0) || state_of(call)->all() == 0) return call.null();
  return store_numeric(shown_sum(*state_of(call)), call.arena());
}
Datum average_final(FunctionCall& call) {
  if (call.arg_null(0) || state_of(call)->all() == 0) return call.null();
  Numeric sum = shown_sum(*state_of(call));
  if (!sum.is_finite()) return store_numeric(sum, call.arena());
  Numeric count = Numeric::of(state_of(call)->count);
  return store_numeric(divide_numeric(sum, count, division_scale(sum, count)), call.arena());
}

template <bool Sample, bool Root> Datum variance_final(FunctionCall& call) {
  if (call.arg_null(0)) return call.null();
  const NumericState& state = *state_of(call);
  std::int64_t all = state.all();
  if (Sample ? all <= 1 : all == 0) return call.null();
  if (all != state.count) return store_numeric(Numeric::nan(), call.arena());
  Numeric count = Numeric::of(state.count);
  Numeric sum = round_numeric(state.sum.value(), state.max_scale);
  Numeric squares = round_numeric(state.squares.value(), state.max_scale * 2);
  Numeric difference = subtract_numeric(multiply_numeric(count, squares), multiply_numeric(sum, sum));
  if (difference.sign() <= 0) return store_numeric(Numeric::of(0), call.arena());
  Numeric divisor = multiply_numeric(count, Numeric::of(Sample ? state.count - 1 : state.count));
  int scale = division_scale(difference, divisor);
  Numeric variance = divide_numeric(difference, divisor, scale);
  return store_numeric(Root ? square_root_numeric(variance, scale) : variance, call.arena());
}

// --- sum(int2), sum(int4): the transition value is the int8 sum. The functions may be called by hand with any: sums wrap, as PostgreSQL's do ---------
template <class T> Datum integer_sum(FunctionCall& call) {
  if (call.arg_null(1)) return call.arg_null(0) ? call.null() : call.arg(0);
  std::int64_t v = static_cast<T>(call.arg(1).bits());
  return Datum::of(call.arg_null(0) ? v : wrapping_add(call.arg(0).as_int64(), v));
}
Datum int8_sum(FunctionCall& call) {
  if (call.arg_null(1)) return call.arg_null(0) ? call.null() : call.arg(0);
  Numeric v = Numeric::of(call.arg(1).as_int64());
  return store_numeric(call.arg_null(0) ? v : add_numeric(load_numeric(call.arg(0), call.arena()), v), call.arena());
}

// --- avg(int2), avg(int4): the transition value is int8[2], count and sum --------------------------------------------------------
struct CountAndSum {
  std::int64_t count, sum;
};
// The two elements, in place when the value belongs to an aggregate, else in a copy.
CountAndSum* count_and_sum(FunctionCall& call, int i, Datum& array) {
  const std::byte* p = varlena::aligned(call.arg(i), call.arena());
  ArrayView view(p);
  if (view.dimensions() != 1 || view.length(0) != 2 || view.has_nulls() || view.total_size() != 24 + sizeof(CountAndSum)) {
    throw SqlError(sqlstate::internal_error, "expected 2-element int8 array");
  }
  if (call.aggregate_arena == nullptr || p != call.arg(i).as_pointer()) {
    auto* copy = static_cast<std::byte*>(call.arena().allocate(view.total_size(), 8));
    std::memcpy(copy, p, view.total_size());
    p = copy;
  }
  array = Datum::of(static_cast<const void*>(p));
  return reinterpret_cast<CountAndSum*>(const_cast<std::byte*>(p) + 24);
}
template <class T, int Direction> Datum average_accumulate(FunctionCall& call) {
  Datum array;
  CountAndSum* state = count_and_sum(call, 0, array);
  state->count = wrapping_add(state->count, std::int64_t{Direction});
  state->sum = wrapping_add(state->sum, Direction * static_cast<std::int64_t>(static_cast<T>(call.arg(1).bits())));
  return array;
}
Datum int8_avg(FunctionCall& call) {
  Datum array;
  CountAndSum state = *count_and_sum(call, 0, array);
  if (state.count == 0) return call.null();
  Numeric sum = Numeric::of(state.sum);
  Numeric count = Numeric::of(state.count);
  return store_numeric(divide_numeric(sum, count, division_scale(sum, count)), call.arena());
}
Datum int2int4_sum(FunctionCall& call) {
  Datum array;
  CountAndSum state = *count_and_sum(call, 0, array);
  return state.count == 0 ? call.null() : Datum::of(state.sum);
}
Datum int4_avg_combine(FunctionCall& call) {
  Datum array;
  Datum other;
  CountAndSum* a = count_and_sum(call, 0, array);
  CountAndSum b = *count_and_sum(call, 1, other);
  a->count = wrapping_add(a->count, b.count);
  a->sum = wrapping_add(a->sum, b.sum);
  return array;
}

constexpr BuiltinFunction kTable[] = {
    {Oid{1834}, fn<accumulate<std::int16_t, true>>},
    {Oid{1835}, fn<accumulate<std::int32_t, true>>},
    {Oid{1836}, fn<accumulate<std::int64_t, true>>},
    {Oid{1833}, fn<accumulate<Numeric, true>>},
    {Oid{2746}, fn<accumulate<std::int64_t, false>>},
    {Oid{2858}, fn<accumulate<Numeric, false>>},
    {Oid{3567}, fn<accumulate_inverse<std::int16_t>>},
    {Oid{3568}, fn<accumulate_inverse<std::int32_t>>},
    {Oid{3569}, fn<accumulate_inverse<std::int64_t>>},
    {Oid{3387}, fn<accumulate_inverse<std::int64_t>>},
    {Oid{3548}, fn<accumulate_inverse<Numeric>>},
    {Oid{3178}, fn<sum_final>},
    {Oid{3388}, fn<sum_final>},
    {Oid{1837}, fn<average_final>},
    {Oid{3389}, fn<average_final>},
    {Oid{1838}, fn<variance_final<true, false>>},
    {Oid{2514}, fn<variance_final<false, false>>},
    {Oid{1839}, fn<variance_final<true, true>>},
    {Oid{2596}, fn<variance_final<false, true>>},
    {Oid{3391}, fn<variance_final<true, false>>},
    {Oid{3390}, fn<variance_final<false, false>>},
    {Oid{3393}, fn<variance_final<true, true>>},
    {Oid{3392}, fn<variance_final<false, true>>},
    {Oid{1840}, fn<integer_sum<std::int16_t>>},
    {Oid{1841}, fn<integer_sum<std::int32_t>>},
    {Oid{1842}, fn<int8_sum>},
    {Oid{1962}, fn<average_accumulate<std::int16_t, 1>>},
    {Oid{1963}, fn<average_accumulate<std::int32_t, 1>>},
    {Oid{3570}, fn<average_accumulate<std::int16_t, -1>>},
    {Oid{3571}, fn<average_accumulate<std::int32_t, -1>>},
    {Oid{1964}, fn<int8_avg>},
    {Oid{3572}, fn<int2int4_sum>},
    {Oid{3324}, fn<int4_avg_combine>},
};

}  // namespace

std::span<const BuiltinFunction> numeric_aggregate_functions() { return kTable; }

}  // namespace hathi::types
