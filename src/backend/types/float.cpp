// Types float4 and float8: input and output, arithmetic, comparison, casts, hashing. Mathematical functions: float_math.cpp.

#include <cmath>
#include <limits>

#include "hathi/types/binary.h"
#include "hathi/types/hash.h"
#include "adapter.h"
#include "errors.h"
#include "float_compare.h"
#include "float_text.h"
#include "parse.h"
#include "tables.h"

namespace hathi::types {

namespace {

template <class T> T input(CString text) {
  if constexpr (sizeof(T) == 4) return parse_float4(text.view());
  else return parse_float8(text.view());
}
template <class T> CString output(FunctionCall& call, T v) {
  char buffer[kFloatBuffer];
  return make_cstring(call, print_float(v, buffer));
}
template <class T> T receive(Datum reader) {
  auto* r = const_cast<BinaryReader*>(reader.as_pointer<BinaryReader>());
  if constexpr (sizeof(T) == 4) return r->float4();
  else return r->float8();
}
template <class T> Datum send(FunctionCall& call, T v) {
  NewText result(call, sizeof(T));
  if constexpr (sizeof(T) == 4) put_big_endian(result.data, std::bit_cast<std::uint32_t>(v));
  else put_big_endian(result.data, std::bit_cast<std::uint64_t>(v));
  return result.datum();
}

template <class A, class B> using Wider = std::conditional_t<(sizeof(A) > sizeof(B)), A, B>;

template <class A, class B, class R = Wider<A, B>> R add(A a, B b) {
  R r = static_cast<R>(a) + static_cast<R>(b);
  if (std::isinf(r) && !std::isinf(a) && !std::isinf(b)) throw_float_overflow();
  return r;
}
template <class A, class B, class R = Wider<A, B>> R subtract(A a, B b) {
  R r = static_cast<R>(a) - static_cast<R>(b);
  if (std::isinf(r) && !std::isinf(a) && !std::isinf(b)) throw_float_overflow();
  return r;
}
template <class A, class B, class R = Wider<A, B>> R multiply(A a, B b) {
  R r = static_cast<R>(a) * static_cast<R>(b);
  if (std::isinf(r) && !std::isinf(a) && !std::isinf(b)) throw_float_overflow();
  if (r == 0 && a != 0 && b != 0) throw_float_underflow();
  return r;
}
template <class A, class B, class R = Wider<A, B>> R divide(A a, B b) {
  if (b == 0 && !std::isnan(a)) throw_division_by_zero();
  R r = static_cast<R>(a) / static_cast<R>(b);
  if (std::isinf(r) && !std::isinf(a)) throw_float_overflow();
  if (r == 0 && a != 0 && !std::isinf(b)) throw_float_underflow();
  return r;
}
template <class T> T negate(T v) { return -v; }
template <class T> T plus(T v) { return v; }
template <class T> T absolute(T v) { return std::fabs(v); }
template <class A, class B> std::int32_t order(A a, B b) { return compare_floats(a, b); }
template <class A, class B> bool equal(A a, B b) { return order(a, b) == 0; }
template <class A, class B> bool not_equal(A a, B b) { return order(a, b) != 0; }
template <class A, class B> bool less(A a, B b) { return order(a, b) < 0; }
template <class A, class B> bool greater(A a, B b) { return order(a, b) > 0; }
template <class A, class B> bool less_equal(A a, B b) { return order(a, b) <= 0; }
template <class A, class B> bool greater_equal(A a, B b) { return order(a, b) >= 0; }
template <class T> T larger(T a, T b) { return order(a, b) > 0 ? a : b; }
template <class T> T smaller(T a, T b) { return order(a, b) < 0 ? a : b; }

// A float4 hashes as the float8 of the same value; both zeros and all NaNs are one value each.
std::string_view hash_image(double& v) {
  if (std::isnan(v)) v = std::numeric_limits<double>::quiet_NaN();
  return {reinterpret_cast<const char*>(&v), sizeof v};
}
std::int32_t hashfloat8(double v) { return v == 0 ? 0 : static_cast<std::int32_t>(hash_bytes(hash_image(v))); }
std::int64_t hashfloat8extended(double v, std::int64_t seed) {
  if (v == 0) return seed;
  return static_cast<std::int64_t>(hash_bytes_extended(hash_image(v), static_cast<std::uint64_t>(seed)));
}
std::int32_t hashfloat4(float v) { return hashfloat8(v); }
std::int64_t hashfloat4extended(float v, std::int64_t seed) { return hashfloat8extended(v, seed); }

// To an integer, rounding half to even. The upper limit is compared as 2^n, which a float holds exactly.
template <class To, class From> To to_integer(From v) {
  v = std::rint(v);
  constexpr auto kLimit = -static_cast<From>(std::numeric_limits<To>::min());
  if (std::isnan(v) || !(v >= -kLimit && v < kLimit)) throw_out_of_range<To>();
  return static_cast<To>(v);
}
template <class To, class From> To widen(From v) { return static_cast<To>(v); }
float dtof(double v) {
  auto r = static_cast<float>(v);
  if (std::isinf(r) && !std::isinf(v)) throw_float_overflow();
  if (r == 0 && v != 0) throw_float_underflow();
  return r;
}

bool in_range_float8_float8(double value, double base, double offset, bool sub, bool less) {
  if (std::isnan(offset) || offset < 0) {
    throw SqlError(sqlstate::invalid_preceding_or_following_size, "invalid preceding or following size in window function");
  }
  if (std::isnan(value)) return std::isnan(base) || !less;
  if (std::isnan(base)) return less;
  // An infinite offset from the infinity it would have to leave covers everything.
  if (std::isinf(offset) && std::isinf(base) && (sub ? base > 0 : base < 0)) return true;
  double bound = sub ? base - offset : base + offset;
  return less ? value <= bound : value >= bound;
}
bool in_range_float4_float8(float value, float base, double offset, bool sub, bool less) {
  return in_range_float8_float8(value, base, offset, sub, less);
}

constexpr BuiltinFunction kTable[] = {
    {Oid{204}, fn<add<float, float>>},
    {Oid{205}, fn<subtract<float, float>>},
    {Oid{202}, fn<multiply<float, float>>},
    {Oid{203}, fn<divide<float, float>>},
    {Oid{287}, fn<equal<float, float>>},
    {Oid{288}, fn<not_equal<float, float>>},
    {Oid{289}, fn<less<float, float>>},
    {Oid{291}, fn<greater<float, float>>},
    {Oid{290}, fn<less_equal<float, float>>},
    {Oid{292}, fn<greater_equal<float, float>>},
    {Oid{354}, fn<order<float, float>>},
    {Oid{281}, fn<add<float, double>>},
    {Oid{282}, fn<subtract<float, double>>},
    {Oid{279}, fn<multiply<float, double>>},
    {Oid{280}, fn<divide<float, double>>},
    {Oid{299}, fn<equal<float, double>>},
    {Oid{300}, fn<not_equal<float, double>>},
    {Oid{301}, fn<less<float, double>>},
    {Oid{303}, fn<greater<float, double>>},
    {Oid{302}, fn<less_equal<float, double>>},
    {Oid{304}, fn<greater_equal<float, double>>},
    {Oid{2194}, fn<order<float, double>>},
    {Oid{206}, fn<negate<float>>},
    {Oid{1913}, fn<plus<float>>},
    {Oid{207}, fn<absolute<float>>},
    {Oid{1394}, fn<absolute<float>>},
    {Oid{209}, fn<larger<float>>},
    {Oid{211}, fn<smaller<float>>},
    {Oid{200}, fn<input<float>>},
    {Oid{201}, fn<output<float>>},
    {Oid{2424}, fn<receive<float>>},
    {Oid{2425}, fn<send<float>>},
    {Oid{285}, fn<add<double, float>>},
    {Oid{286}, fn<subtract<double, float>>},
    {Oid{283}, fn<multiply<double, float>>},
    {Oid{284}, fn<divide<double, float>>},
    {Oid{305}, fn<equal<double, float>>},
    {Oid{306}, fn<not_equal<double, float>>},
    {Oid{307}, fn<less<double, float>>},
    {Oid{309}, fn<greater<double, float>>},
    {Oid{308}, fn<less_equal<double, float>>},
    {Oid{310}, fn<greater_equal<double, float>>},
    {Oid{2195}, fn<order<double, float>>},
    {Oid{218}, fn<add<double, double>>},
    {Oid{219}, fn<subtract<double, double>>},
    {Oid{216}, fn<multiply<double, double>>},
    {Oid{217}, fn<divide<double, double>>},
    {Oid{293}, fn<equal<double, double>>},
    {Oid{294}, fn<not_equal<double, double>>},
    {Oid{295}, fn<less<double, double>>},
    {Oid{297}, fn<greater<double, double>>},
    {Oid{296}, fn<less_equal<double, double>>},
    {Oid{298}, fn<greater_equal<double, double>>},
    {Oid{355}, fn<order<double, double>>},
    {Oid{220}, fn<negate<double>>},
    {Oid{1914}, fn<plus<double>>},
    {Oid{221}, fn<absolute<double>>},
    {Oid{1395}, fn<absolute<double>>},
    {Oid{223}, fn<larger<double>>},
    {Oid{224}, fn<smaller<double>>},
    {Oid{214}, fn<input<double>>},
    {Oid{215}, fn<output<double>>},
    {Oid{2426}, fn<receive<double>>},
    {Oid{2427}, fn<send<double>>},
    {Oid{451}, fn<hashfloat4>},
    {Oid{443}, fn<hashfloat4extended>},
    {Oid{452}, fn<hashfloat8>},
    {Oid{444}, fn<hashfloat8extended>},
    {Oid{238}, fn<to_integer<std::int16_t, float>>},
    {Oid{319}, fn<to_integer<std::int32_t, float>>},
    {Oid{653}, fn<to_integer<std::int64_t, float>>},
    {Oid{237}, fn<to_integer<std::int16_t, double>>},
    {Oid{317}, fn<to_integer<std::int32_t, double>>},
    {Oid{483}, fn<to_integer<std::int64_t, double>>},
    {Oid{236}, fn<widen<float, std::int16_t>>},
    {Oid{318}, fn<widen<float, std::int32_t>>},
    {Oid{652}, fn<widen<float, std::int64_t>>},
    {Oid{235}, fn<widen<double, std::int16_t>>},
    {Oid{316}, fn<widen<double, std::int32_t>>},
    {Oid{482}, fn<widen<double, std::int64_t>>},
    {Oid{311}, fn<widen<double, float>>},
    {Oid{312}, fn<dtof>},
    {Oid{4139}, fn<in_range_float8_float8>},
    {Oid{4140}, fn<in_range_float4_float8>},
};

}  // namespace

std::span<const BuiltinFunction> float_functions() { return kTable; }

}  // namespace hathi::types
