// Types int2, int4, int8: input and output, arithmetic, casts among them, bit operations, generate_series.

#include <charconv>
#include <limits>
#include <numeric>

#include "hathi/types/binary.h"
#include "adapter.h"
#include "errors.h"
#include "parse.h"
#include "tables.h"

namespace hathi::types {

namespace {

template <class T> T input(CString text) { return parse_integer<T>(text.view()); }
template <class T> CString output(FunctionCall& call, T v) {
  char* p = static_cast<char*>(call.arena().allocate(24, 1));
  *std::to_chars(p, p + 23, v).ptr = '\0';
  return {p};
}
template <class T> T receive(Datum reader) {
  return static_cast<T>(const_cast<BinaryReader*>(reader.as_pointer<BinaryReader>())->integer<std::make_unsigned_t<T>>());
}
template <class T> Datum send(FunctionCall& call, T v) {
  NewText result(call, sizeof(T));
  put_big_endian(result.data, static_cast<std::make_unsigned_t<T>>(v));
  return result.datum();
}

// Arithmetic on a pair gives the wider of the two types.
template <class A, class B> using Wider = std::conditional_t<(sizeof(A) > sizeof(B)), A, B>;
template <class A, class B, class R = Wider<A, B>> R add(A a, B b) {
  R r;
  if (__builtin_add_overflow(a, b, &r)) throw_out_of_range<R>();
  return r;
}
template <class A, class B, class R = Wider<A, B>> R subtract(A a, B b) {
  R r;
  if (__builtin_sub_overflow(a, b, &r)) throw_out_of_range<R>();
  return r;
}
template <class A, class B, class R = Wider<A, B>> R multiply(A a, B b) {
  R r;
  if (__builtin_mul_overflow(a, b, &r)) throw_out_of_range<R>();
  return r;
}
template <class T> T negate(T v) {
  if (v == std::numeric_limits<T>::min()) throw_out_of_range<T>();
  return static_cast<T>(-v);
}
template <class A, class B, class R = Wider<A, B>> R divide(A a, B b) {
  if (b == 0) throw_division_by_zero();
  if (b == -1) return negate(static_cast<R>(a));
  return static_cast<R>(static_cast<R>(a) / static_cast<R>(b));
}
template <class T> T modulo(T a, T b) {
  if (b == 0) throw_division_by_zero();
  return b == -1 ? T{0} : static_cast<T>(a % b);
}
template <class T> T plus(T v) { return v; }
template <class T> T absolute(T v) { return v < 0 ? negate(v) : v; }
template <class T> T bit_and(T a, T b) { return a & b; }
template <class T> T bit_or(T a, T b) { return a | b; }
template <class T> T bit_xor(T a, T b) { return a ^ b; }
template <class T> T bit_not(T v) { return static_cast<T>(~v); }
// Shift counts are taken modulo the width (32 for int2), as the machine does.
template <class T> constexpr int kShiftMask = sizeof(T) == 8 ? 63 : 31;
template <class T> T shift_left(T v, std::int32_t n) {
  return static_cast<T>(static_cast<std::uint64_t>(v) << (n & kShiftMask<T>));
}
template <class T> T shift_right(T v, std::int32_t n) {
  return static_cast<T>(static_cast<std::int64_t>(v) >> (n & kShiftMask<T>));
}
template <class T> T larger(T a, T b) { return a > b ? a : b; }
template <class T> T smaller(T a, T b) { return a < b ? a : b; }

template <class T> T greatest_common_divisor(T a, T b) {
  using U = std::make_unsigned_t<T>;
  auto magnitude = [](T v) { return v < 0 ? static_cast<U>(U{0} - static_cast<U>(v)) : static_cast<U>(v); };
  U r = std::gcd(magnitude(a), magnitude(b));
  if (r > static_cast<U>(std::numeric_limits<T>::max())) throw_out_of_range<T>();
  return static_cast<T>(r);
}
template <class T> T least_common_multiple(T a, T b) {
  if (a == 0 || b == 0) return 0;
  T r;
  if (__builtin_mul_overflow(static_cast<T>(a / greatest_common_divisor(a, b)), b, &r)) throw_out_of_range<T>();
  return absolute(r);
}

template <class To, class From> To convert(From v) {
  if constexpr (sizeof(To) >= sizeof(From)) {
    return v;
  } else {
    To r = static_cast<To>(v);
    if (r != v) throw_out_of_range<To>();
    return r;
  }
}
Oid i8tooid(std::int64_t v) {
  if (v < 0 || v > 0xFFFFFFFFll) throw SqlError(sqlstate::numeric_value_out_of_range, "OID out of range");
  return Oid{static_cast<std::uint32_t>(v)};
}
std::int64_t oidtoi8(Oid v) { return raw(v); }
bool int4_bool(std::int32_t v) { return v != 0; }
std::int32_t bool_int4(bool v) { return v ? 1 : 0; }
std::int32_t int4inc(std::int32_t v) { return add(v, 1); }

template <class T> std::string_view in_base(T v, int base, char (&buffer)[68]) {
  return {buffer, std::to_chars(buffer, buffer + 68, static_cast<std::make_unsigned_t<T>>(v), base).ptr};
}
template <class T> Datum to_hex(FunctionCall& call, T v) {
  char buffer[68];
  return varlena::make(call.arena(), in_base(v, 16, buffer));
}

// count(*) and count(x): the transition value is a plain int8.
std::int64_t int8inc(std::int64_t v) { return add(v, std::int64_t{1}); }
std::int64_t int8inc_any(FunctionCall& call, std::int64_t v) { return int8inc(v); }
std::int64_t int8dec(std::int64_t v) { return subtract(v, std::int64_t{1}); }
std::int64_t int8inc_float8_float8(std::int64_t v) { return int8inc(v); }

// generate_series: the state is the next value, and whether there is one.
template <class T> struct Series {
  T next, stop, step;
  bool more;
};
template <class T> Datum generate_series(FunctionCall& call) {
  auto* s = static_cast<Series<T>*>(*call.state);
  if (s == nullptr) {
    Datum step = call.site->argument_count > 2 ? call.arg(2) : Datum::of(T{1});
    s = call.state_arena->make<Series<T>>(static_cast<T>(call.arg(0).bits()), static_cast<T>(call.arg(1).bits()),
                                          static_cast<T>(step.bits()), true);
    if (s->step == 0) throw_invalid_parameter("step size cannot equal zero");
    *call.state = s;
  }
  if (!s->more || (s->step > 0 ? s->next > s->stop : s->next < s->stop)) {
    *call.state = nullptr;
    call.done = true;
    return call.null();
  }
  T value = s->next;
  s->more = !__builtin_add_overflow(s->next, s->step, &s->next);
  return Datum::of(value);
}

constexpr BuiltinFunction kTable[] = {
    {Oid{176}, fn<add<std::int16_t, std::int16_t>>},
    {Oid{180}, fn<subtract<std::int16_t, std::int16_t>>},
    {Oid{152}, fn<multiply<std::int16_t, std::int16_t>>},
    {Oid{153}, fn<divide<std::int16_t, std::int16_t>>},
    {Oid{178}, fn<add<std::int16_t, std::int32_t>>},
    {Oid{182}, fn<subtract<std::int16_t, std::int32_t>>},
    {Oid{170}, fn<multiply<std::int16_t, std::int32_t>>},
    {Oid{172}, fn<divide<std::int16_t, std::int32_t>>},
    {Oid{841}, fn<add<std::int16_t, std::int64_t>>},
    {Oid{942}, fn<subtract<std::int16_t, std::int64_t>>},
    {Oid{943}, fn<multiply<std::int16_t, std::int64_t>>},
    {Oid{948}, fn<divide<std::int16_t, std::int64_t>>},
    {Oid{213}, fn<negate<std::int16_t>>},
    {Oid{1911}, fn<plus<std::int16_t>>},
    {Oid{1253}, fn<absolute<std::int16_t>>},
    {Oid{1398}, fn<absolute<std::int16_t>>},
    {Oid{155}, fn<modulo<std::int16_t>>},
    {Oid{940}, fn<modulo<std::int16_t>>},
    {Oid{1892}, fn<bit_and<std::int16_t>>},
    {Oid{1893}, fn<bit_or<std::int16_t>>},
    {Oid{1894}, fn<bit_xor<std::int16_t>>},
    {Oid{1895}, fn<bit_not<std::int16_t>>},
    {Oid{1896}, fn<shift_left<std::int16_t>>},
    {Oid{1897}, fn<shift_right<std::int16_t>>},
    {Oid{770}, fn<larger<std::int16_t>>},
    {Oid{771}, fn<smaller<std::int16_t>>},
    {Oid{38}, fn<input<std::int16_t>>},
    {Oid{39}, fn<output<std::int16_t>>},
    {Oid{2404}, fn<receive<std::int16_t>>},
    {Oid{2405}, fn<send<std::int16_t>>},
    {Oid{179}, fn<add<std::int32_t, std::int16_t>>},
    {Oid{183}, fn<subtract<std::int32_t, std::int16_t>>},
    {Oid{171}, fn<multiply<std::int32_t, std::int16_t>>},
    {Oid{173}, fn<divide<std::int32_t, std::int16_t>>},
    {Oid{177}, fn<add<std::int32_t, std::int32_t>>},
    {Oid{181}, fn<subtract<std::int32_t, std::int32_t>>},
    {Oid{141}, fn<multiply<std::int32_t, std::int32_t>>},
    {Oid{154}, fn<divide<std::int32_t, std::int32_t>>},
    {Oid{1278}, fn<add<std::int32_t, std::int64_t>>},
    {Oid{1279}, fn<subtract<std::int32_t, std::int64_t>>},
    {Oid{1280}, fn<multiply<std::int32_t, std::int64_t>>},
    {Oid{1281}, fn<divide<std::int32_t, std::int64_t>>},
    {Oid{212}, fn<negate<std::int32_t>>},
    {Oid{1912}, fn<plus<std::int32_t>>},
    {Oid{1251}, fn<absolute<std::int32_t>>},
    {Oid{1397}, fn<absolute<std::int32_t>>},
    {Oid{156}, fn<modulo<std::int32_t>>},
    {Oid{941}, fn<modulo<std::int32_t>>},
    {Oid{1898}, fn<bit_and<std::int32_t>>},
    {Oid{1899}, fn<bit_or<std::int32_t>>},
    {Oid{1900}, fn<bit_xor<std::int32_t>>},
    {Oid{1901}, fn<bit_not<std::int32_t>>},
    {Oid{1902}, fn<shift_left<std::int32_t>>},
    {Oid{1903}, fn<shift_right<std::int32_t>>},
    {Oid{768}, fn<larger<std::int32_t>>},
    {Oid{769}, fn<smaller<std::int32_t>>},
    {Oid{42}, fn<input<std::int32_t>>},
    {Oid{43}, fn<output<std::int32_t>>},
    {Oid{2406}, fn<receive<std::int32_t>>},
    {Oid{2407}, fn<send<std::int32_t>>},
    {Oid{837}, fn<add<std::int64_t, std::int16_t>>},
    {Oid{838}, fn<subtract<std::int64_t, std::int16_t>>},
    {Oid{839}, fn<multiply<std::int64_t, std::int16_t>>},
    {Oid{840}, fn<divide<std::int64_t, std::int16_t>>},
    {Oid{1274}, fn<add<std::int64_t, std::int32_t>>},
    {Oid{1275}, fn<subtract<std::int64_t, std::int32_t>>},
    {Oid{1276}, fn<multiply<std::int64_t, std::int32_t>>},
    {Oid{1277}, fn<divide<std::int64_t, std::int32_t>>},
    {Oid{463}, fn<add<std::int64_t, std::int64_t>>},
    {Oid{464}, fn<subtract<std::int64_t, std::int64_t>>},
    {Oid{465}, fn<multiply<std::int64_t, std::int64_t>>},
    {Oid{466}, fn<divide<std::int64_t, std::int64_t>>},
    {Oid{462}, fn<negate<std::int64_t>>},
    {Oid{1910}, fn<plus<std::int64_t>>},
    {Oid{1230}, fn<absolute<std::int64_t>>},
    {Oid{1396}, fn<absolute<std::int64_t>>},
    {Oid{945}, fn<modulo<std::int64_t>>},
    {Oid{947}, fn<modulo<std::int64_t>>},
    {Oid{1904}, fn<bit_and<std::int64_t>>},
    {Oid{1905}, fn<bit_or<std::int64_t>>},
    {Oid{1906}, fn<bit_xor<std::int64_t>>},
    {Oid{1907}, fn<bit_not<std::int64_t>>},
    {Oid{1908}, fn<shift_left<std::int64_t>>},
    {Oid{1909}, fn<shift_right<std::int64_t>>},
    {Oid{1236}, fn<larger<std::int64_t>>},
    {Oid{1237}, fn<smaller<std::int64_t>>},
    {Oid{460}, fn<input<std::int64_t>>},
    {Oid{461}, fn<output<std::int64_t>>},
    {Oid{2408}, fn<receive<std::int64_t>>},
    {Oid{2409}, fn<send<std::int64_t>>},
    {Oid{5044}, fn<greatest_common_divisor<std::int32_t>>},
    {Oid{5045}, fn<greatest_common_divisor<std::int64_t>>},
    {Oid{5046}, fn<least_common_multiple<std::int32_t>>},
    {Oid{5047}, fn<least_common_multiple<std::int64_t>>},
    {Oid{313}, fn<convert<std::int32_t, std::int16_t>>},
    {Oid{314}, fn<convert<std::int16_t, std::int32_t>>},
    {Oid{754}, fn<convert<std::int64_t, std::int16_t>>},
    {Oid{481}, fn<convert<std::int64_t, std::int32_t>>},
    {Oid{714}, fn<convert<std::int16_t, std::int64_t>>},
    {Oid{480}, fn<convert<std::int32_t, std::int64_t>>},
    {Oid{1287}, fn<i8tooid>},
    {Oid{1288}, fn<oidtoi8>},
    {Oid{2557}, fn<int4_bool>},
    {Oid{2558}, fn<bool_int4>},
    {Oid{766}, fn<int4inc>},
    {Oid{2089}, fn<to_hex<std::int32_t>>},
    {Oid{2090}, fn<to_hex<std::int64_t>>},
    {Oid{1219}, fn<int8inc>},
    {Oid{2804}, fn<int8inc_any>},
    {Oid{3546}, fn<int8dec>},
    {Oid{3547}, fn<int8dec>},
    {Oid{2805}, fn<int8inc_float8_float8>},
    {Oid{1066}, fn<generate_series<std::int32_t>>, FunctionKind::set_per_call},
    {Oid{1067}, fn<generate_series<std::int32_t>>, FunctionKind::set_per_call},
    {Oid{1068}, fn<generate_series<std::int64_t>>, FunctionKind::set_per_call},
    {Oid{1069}, fn<generate_series<std::int64_t>>, FunctionKind::set_per_call},
};

}  // namespace

std::span<const BuiltinFunction> integer_functions() { return kTable; }

}  // namespace hathi::types
