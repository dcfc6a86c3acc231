#pragma once
// Signed sums that wrap at the ends of their type where PostgreSQL's do: plain ones would be undefined there.

namespace hathi::types {

template <class T> constexpr T wrapping_add(T a, T b) {
  T r{};
  static_cast<void>(__builtin_add_overflow(a, b, &r));
  return r;
}
template <class T> constexpr T wrapping_subtract(T a, T b) {
  T r{};
  static_cast<void>(__builtin_sub_overflow(a, b, &r));
  return r;
}
template <class T> constexpr T wrapping_multiply(T a, T b) {
  T r{};
  static_cast<void>(__builtin_mul_overflow(a, b, &r));
  return r;
}

}  // namespace hathi::types
