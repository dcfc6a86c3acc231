// Averages, variances, regression over float4 and float8. Transition values are float8 arrays: {N, Sx, Sxx} and
// {N, Sx, Sxx, Sy, Syy, Sxy}, where Sxx is the sum of squares of differences from the mean, kept by the method of Youngs and Cramer.

#include <cmath>
#include <limits>

#include "hathi/types/array.h"
#include "adapter.h"
#include "errors.h"
#include "tables.h"

namespace hathi::types {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The elements of a float8[Size], in place when the value belongs to an aggregate, else in a copy.
template <int Size> double* elements(FunctionCall& call, int i, Datum& array) {
  const std::byte* p = varlena::aligned(call.arg(i), call.arena());
  ArrayView view(p);
  if (view.dimensions() != 1 || view.length(0) != Size || view.has_nulls() || view.total_size() != 24 + Size * sizeof(double)) {
    throw SqlError(sqlstate::internal_error, "expected {}-element float8 array", Size);
  }
  if (call.aggregate_arena == nullptr || p != call.arg(i).as_pointer()) {
    auto* copy = static_cast<std::byte*>(call.arena().allocate(view.total_size(), 8));
    std::memcpy(copy, p, view.total_size());
    p = copy;
  }
  array = Datum::of(static_cast<const void*>(p));
  return reinterpret_cast<double*>(const_cast<std::byte*>(p) + 24);
}

void accumulate(double* s, double v) {
  double old_sum = s[1];
  double n = s[0] + 1;
  double sum = s[1] + v;
  double squares = s[2];
  if (n > 1) {
    double difference = v * n - sum;
    squares += difference * difference / (n * (n - 1));
    if (std::isinf(sum) || std::isinf(squares)) {
      if (!std::isinf(old_sum) && !std::isinf(v)) throw_float_overflow();
      squares = kNan;
    }
  } else if (std::isnan(v) || std::isinf(v)) {
    squares = kNan;
  }
  s[0] = n;
  s[1] = sum;
  s[2] = squares;
}
Datum float8_accum(FunctionCall& call) {
  Datum array;
  accumulate(elements<3>(call, 0, array), call.arg(1).as_float8());
  return array;
}
Datum float4_accum(FunctionCall& call) {
  Datum array;
  accumulate(elements<3>(call, 0, array), call.arg(1).as_float4());
  return array;
}

// Two partial states joined.
void combine(double* a, const double* b) {
  if (b[0] == 0) return;
  if (a[0] == 0) {
    std::memcpy(a, b, 3 * sizeof(double));
    return;
  }
  double difference = a[1] / a[0] - b[1] / b[0];
  double squares = a[2] + b[2] + a[0] * b[0] * difference * difference / (a[0] + b[0]);
  if (std::isinf(squares) && !std::isinf(a[2]) && !std::isinf(b[2])) throw_float_overflow();
  a[0] += b[0];
  a[1] += b[1];
  a[2] = squares;
}
Datum float8_combine(FunctionCall& call) {
  Datum array;
  Datum other;
  double* a = elements<3>(call, 0, array);
  combine(a, elements<3>(call, 1, other));
  return array;
}

Datum float8_avg(FunctionCall& call) {
  Datum array;
  const double* s = elements<3>(call, 0, array);
  return s[0] == 0 ? call.null() : Datum::of(s[1] / s[0]);
}
template <bool Sample, bool Root> Datum variance(FunctionCall& call) {
  Datum array;
  const double* s = elements<3>(call, 0, array);
  if (Sample ? s[0] <= 1 : s[0] == 0) return call.null();
  double v = s[2] / (Sample ? s[0] - 1 : s[0]);
  return Datum::of(Root ? std::sqrt(v) : v);
}

// Y is the first argument, X the second.
Datum float8_regr_accum(FunctionCall& call) {
  Datum array;
  double* s = elements<6>(call, 0, array);
  double y = call.arg(1).as_float8();
  double x = call.arg(2).as_float8();
  double n = s[0] + 1;
  double sx = s[1] + x;
  double sy = s[3] + y;
  double sxx = s[2], syy = s[4], sxy = s[5];
  if (n > 1) {
    double dx = x * n - sx;
    double dy = y * n - sy;
    double scale = 1.0 / (n * (n - 1));
    sxx += dx * dx * scale;
    syy += dy * dy * scale;
    sxy += dx * dy * scale;
    if (std::isinf(sx) || std::isinf(sxx) || std::isinf(sy) || std::isinf(syy) || std::isinf(sxy)) {
      bool x_was_infinite = std::isinf(s[1]) || std::isinf(x);
      bool y_was_infinite = std::isinf(s[3]) || std::isinf(y);
      if (((std::isinf(sx) || std::isinf(sxx)) && !x_was_infinite) || ((std::isinf(sy) || std::isinf(syy)) && !y_was_infinite) ||
          (std::isinf(sxy) && !x_was_infinite && !y_was_infinite)) {
        throw_float_overflow();
      }
      if (std::isinf(sxx)) sxx = kNan;
      if (std::isinf(syy)) syy = kNan;
      if (std::isinf(sxy)) sxy = kNan;
    }
  } else {
    if (std::isnan(x) || std::isinf(x)) sxx = sxy = kNan;
    if (std::isnan(y) || std::isinf(y)) syy = sxy = kNan;
  }
  const double next[6] = {n, sx, sxx, sy, syy, sxy};
  std::memcpy(s, next, sizeof next);
  return array;
}

struct Regression {
  double n, sx, sxx, sy, syy, sxy;
};
Regression regression(FunctionCall& call) {
  Datum array;
  const double* s = elements<6>(call, 0, array);
  return {s[0], s[1], s[2], s[3], s[4], s[5]};
}
Datum float8_regr_sxx(FunctionCall& call) {
  Regression r = regression(call);
  return r.n < 1 ? call.null() : Datum::of(r.sxx);
}
Datum float8_regr_syy(FunctionCall& call) {
  Regression r = regression(call);
  return r.n < 1 ? call.null() : Datum::of(r.syy);
}
Datum float8_regr_sxy(FunctionCall& call) {
  Regression r = regression(call);
  return r.n < 1 ? call.null() : Datum::of(r.sxy);
}
Datum float8_regr_avgx(FunctionCall& call) {
  Regression r = regression(call);
  return r.n < 1 ? call.null() : Datum::of(r.sx / r.n);
}
Datum float8_regr_avgy(FunctionCall& call) {
  Regression r = regression(call);
  return r.n < 1 ? call.null() : Datum::of(r.sy / r.n);
}
Datum float8_covar_pop(FunctionCall& call) {
  Regression r = regression(call);
  return r.n < 1 ? call.null() : Datum::of(r.sxy / r.n);
}
Datum float8_covar_samp(FunctionCall& call) {
  Regression r = regression(call);
  return r.n < 2 ? call.null() : Datum::of(r.sxy / (r.n - 1));
}
Datum float8_corr(FunctionCall& call) {
  Regression r = regression(call);
  if (r.n < 1 || r.sxx == 0 || r.syy == 0) return call.null();
  return Datum::of(r.sxy / std::sqrt(r.sxx * r.syy));
}
Datum float8_regr_r2(FunctionCall& call) {
  Regression r = regression(call);
  if (r.n < 1 || r.sxx == 0) return call.null();
  if (r.syy == 0) return Datum::of(1.0);
  return Datum::of(r.sxy * r.sxy / (r.sxx * r.syy));
}
Datum float8_regr_slope(FunctionCall& call) {
  Regression r = regression(call);
  return r.n < 1 || r.sxx == 0 ? call.null() : Datum::of(r.sxy / r.sxx);
}
Datum float8_regr_intercept(FunctionCall& call) {
  Regression r = regression(call);
  return r.n < 1 || r.sxx == 0 ? call.null() : Datum::of((r.sy - r.sx * r.sxy / r.sxx) / r.n);
}

constexpr BuiltinFunction kTable[] = {
    {Oid{222}, fn<float8_accum>},
    {Oid{208}, fn<float4_accum>},
    {Oid{276}, fn<float8_combine>},
    {Oid{1830}, fn<float8_avg>},
    {Oid{1831}, fn<variance<true, false>>},
    {Oid{2512}, fn<variance<false, false>>},
    {Oid{1832}, fn<variance<true, true>>},
    {Oid{2513}, fn<variance<false, true>>},
    {Oid{2806}, fn<float8_regr_accum>},
    {Oid{2807}, fn<float8_regr_sxx>},
    {Oid{2808}, fn<float8_regr_syy>},
    {Oid{2809}, fn<float8_regr_sxy>},
    {Oid{2810}, fn<float8_regr_avgx>},
    {Oid{2811}, fn<float8_regr_avgy>},
    {Oid{2812}, fn<float8_regr_r2>},
    {Oid{2813}, fn<float8_regr_slope>},
    {Oid{2814}, fn<float8_regr_intercept>},
    {Oid{2815}, fn<float8_covar_pop>},
    {Oid{2816}, fn<float8_covar_samp>},
    {Oid{2817}, fn<float8_corr>},
};

}  // namespace

std::span<const BuiltinFunction> float_aggregate_functions() { return kTable; }

}  // namespace hathi::types
