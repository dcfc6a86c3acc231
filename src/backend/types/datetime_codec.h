#pragma once
// What the files of the date and time types share for their function tables.

#include "hathi/types/array.h"
#include "hathi/types/binary.h"
#include "datetime.h"
#include "errors.h"
#include "parse.h"

namespace hathi::types {

inline BinaryReader& binary_reader(FunctionCall& call) { return *const_cast<BinaryReader*>(call.arg(0).as_pointer<BinaryReader>()); }
template <class T> Datum send_integer(FunctionCall& call, T v) {
  NewText result(call, sizeof(T));
  put_big_endian(result.data, static_cast<std::make_unsigned_t<T>>(v));
  return result.datum();
}
// The third argument of input and receive functions; -1 when it is not given.
inline std::int32_t typmod_argument(FunctionCall& call) { return call.site->argument_count > 2 ? call.arg(2).as_int32() : -1; }

// time(n), timestamp(n): 0 … 6, larger ones reduced with a warning.
std::int32_t precision_modifier(FunctionCall& call, std::string_view type, std::string_view suffix);
std::string precision_modifier_text(std::int32_t typmod, std::string_view suffix);

template <class T> bool equal(T a, T b) { return a == b; }
template <class T> bool not_equal(T a, T b) { return a != b; }
template <class T> bool less(T a, T b) { return a < b; }
template <class T> bool less_equal(T a, T b) { return a <= b; }
template <class T> bool greater(T a, T b) { return a > b; }
template <class T> bool greater_equal(T a, T b) { return a >= b; }
template <class T> std::int32_t order(T a, T b) { return (a > b) - (a < b); }
template <class T> T larger(T a, T b) { return a > b ? a : b; }
template <class T> T smaller(T a, T b) { return a < b ? a : b; }

// "12:34:56.5" as messages show it.
std::string clock_text(std::int32_t hour, std::int32_t minute, double second);

// Comparison of a pair of types by a three-way function.
template <auto Compare> struct By;
template <class A, class B, int (*Compare)(A, B)> struct By<Compare> {
  static bool eq(A a, B b) { return Compare(a, b) == 0; }
  static bool ne(A a, B b) { return Compare(a, b) != 0; }
  static bool lt(A a, B b) { return Compare(a, b) < 0; }
  static bool le(A a, B b) { return Compare(a, b) <= 0; }
  static bool gt(A a, B b) { return Compare(a, b) > 0; }
  static bool ge(A a, B b) { return Compare(a, b) >= 0; }
  static std::int32_t cmp(A a, B b) { return Compare(a, b); }
  static bool reversed_eq(B b, A a) { return Compare(a, b) == 0; }
  static bool reversed_ne(B b, A a) { return Compare(a, b) != 0; }
  static bool reversed_lt(B b, A a) { return Compare(a, b) > 0; }
  static bool reversed_le(B b, A a) { return Compare(a, b) >= 0; }
  static bool reversed_gt(B b, A a) { return Compare(a, b) < 0; }
  static bool reversed_ge(B b, A a) { return Compare(a, b) <= 0; }
  static std::int32_t reversed_cmp(B b, A a) { return -Compare(a, b); }
};

// As hashint8 does.
std::int32_t hash_int8(std::int64_t v);
std::int64_t hash_int8_extended(std::int64_t v, std::int64_t seed);

[[noreturn]] inline void throw_bad_frame() {
  throw SqlError(sqlstate::invalid_preceding_or_following_size, "invalid preceding or following size in window function");
}

}  // namespace hathi::types
