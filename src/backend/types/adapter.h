#pragma once
// Turns plain C++ functions into FunctionPointers: fn<int4pl> is a function that reads its arguments from a FunctionCall,
// calls int4pl(std::int32_t, std::int32_t) and packs the result. Everything is resolved at compile time.
//
// Argument types: bool, char, integers, Oid, float, double, std::string_view (text, bytea: payload, detoasted), CString, Name,
// Datum (as it is), const T& (fixed-size by-reference value), FunctionCall& (first parameter; takes no SQL argument).
// Result types: the same, std::string and std::string_view (a new varlena), std::optional<T> (nullopt = NULL), void.

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "hathi/datum/function.h"
#include "hathi/error/sql_error.h"

namespace hathi::types {

// A NUL-terminated string: SQL's cstring. A result must live in the call's arena.
struct CString {
  const char* data = nullptr;
  std::string_view view() const { return data; }
};

// A value of type name; the view excludes the padding.
struct Name {
  std::string_view text;
};

// A NUL-terminated copy in the result arena.
inline CString make_cstring(FunctionCall& call, std::string_view text) { return {call.arena().copy(text).data()}; }

// A varlena under construction in the result arena: fill `data`, then convert. `size` may shrink with truncate().
class NewText {
 public:
  NewText(Arena& arena, std::size_t size) : start_(varlena::allocate(arena, size)), data(reinterpret_cast<char*>(start_) + 4) {}
  NewText(FunctionCall& call, std::size_t size) : NewText(call.arena(), size) {}
  Datum datum() const { return Datum::of(static_cast<const void*>(start_)); }
  Datum truncate(std::size_t size) {
    std::uint32_t word = static_cast<std::uint32_t>(size + 4) << 2;
    std::memcpy(start_, &word, 4);
    return datum();
  }

 private:
  std::byte* start_;

 public:
  char* data;
};

namespace adapter {

template <class T>
struct Codec {  // by-reference values of fixed size
  static const T& get(FunctionCall& call, int i) { return *call.args[i].value.as_pointer<T>(); }
  static Datum put(FunctionCall& call, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    T* copy = static_cast<T*>(call.arena().allocate(sizeof(T), alignof(T) < 8 ? 8 : alignof(T)));
    std::memcpy(static_cast<void*>(copy), &value, sizeof(T));
    return Datum::of(static_cast<const void*>(copy));
  }
};
template <class T, T (Datum::*Get)() const>
struct WordCodec {
  static T get(FunctionCall& call, int i) { return (call.args[i].value.*Get)(); }
  static Datum put(FunctionCall&, T value) { return Datum::of(value); }
};
template <> struct Codec<bool> : WordCodec<bool, &Datum::as_bool> {};
template <> struct Codec<char> : WordCodec<char, &Datum::as_char> {};
template <> struct Codec<std::int16_t> : WordCodec<std::int16_t, &Datum::as_int16> {};
template <> struct Codec<std::int32_t> : WordCodec<std::int32_t, &Datum::as_int32> {};
template <> struct Codec<std::int64_t> : WordCodec<std::int64_t, &Datum::as_int64> {};
template <> struct Codec<std::uint32_t> : WordCodec<std::uint32_t, &Datum::as_uint32> {};
template <> struct Codec<std::uint64_t> : WordCodec<std::uint64_t, &Datum::as_uint64> {};
template <> struct Codec<Oid> : WordCodec<Oid, &Datum::as_oid> {};
template <> struct Codec<float> : WordCodec<float, &Datum::as_float4> {};
template <> struct Codec<double> : WordCodec<double, &Datum::as_float8> {};
template <> struct Codec<Datum> {
  static Datum get(FunctionCall& call, int i) { return call.args[i].value; }
  static Datum put(FunctionCall&, Datum value) { return value; }
};
template <> struct Codec<std::string_view> {
  static std::string_view get(FunctionCall& call, int i) { return call.text(i); }
  static Datum put(FunctionCall& call, std::string_view value) { return varlena::make(call.arena(), value); }
};
template <> struct Codec<std::string> {
  static Datum put(FunctionCall& call, const std::string& value) { return varlena::make(call.arena(), value); }
};
template <> struct Codec<CString> {
  static CString get(FunctionCall& call, int i) { return {call.args[i].value.as_pointer<char>()}; }
  static Datum put(FunctionCall&, CString value) { return Datum::of(static_cast<const void*>(value.data)); }
};
template <> struct Codec<Name> {
  static Name get(FunctionCall& call, int i) { return {name_text(call.args[i].value)}; }
  static Datum put(FunctionCall& call, Name value) { return make_name(call.arena(), value.text); }
};
template <class T> struct Codec<std::optional<T>> {
  static Datum put(FunctionCall& call, const std::optional<T>& value) {
    return value ? Codec<T>::put(call, *value) : call.null();
  }
};

template <auto F, class R, bool TakesCall, class... Args>
Datum invoke(FunctionCall& call) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) -> Datum {
    if constexpr (std::is_void_v<R>) {
      if constexpr (TakesCall) F(call, Codec<std::remove_cvref_t<Args>>::get(call, static_cast<int>(I))...);
      else F(Codec<std::remove_cvref_t<Args>>::get(call, static_cast<int>(I))...);
      return Datum();
    } else if constexpr (TakesCall) {
      return Codec<std::remove_cvref_t<R>>::put(call, F(call, Codec<std::remove_cvref_t<Args>>::get(call, static_cast<int>(I))...));
    } else {
      return Codec<std::remove_cvref_t<R>>::put(call, F(Codec<std::remove_cvref_t<Args>>::get(call, static_cast<int>(I))...));
    }
  }(std::index_sequence_for<Args...>{});
}

template <auto F, class Signature> struct Bind;
template <auto F, class R, class... Args>
struct Bind<F, R (*)(Args...)> {
  static constexpr FunctionPointer pointer = &invoke<F, R, false, Args...>;
};
template <auto F, class R, class... Args>
struct Bind<F, R (*)(FunctionCall&, Args...)> {
  static constexpr FunctionPointer pointer = &invoke<F, R, true, Args...>;
};
template <auto F>
struct Bind<F, Datum (*)(FunctionCall&)> {
  static constexpr FunctionPointer pointer = F;
};

}  // namespace adapter

template <auto F>
inline constexpr FunctionPointer fn = adapter::Bind<F, decltype(F)>::pointer;

}  // namespace hathi::types
