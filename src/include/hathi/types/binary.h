#pragma once
// Binary input of values. A receive function's first argument (SQL type internal) is a BinaryReader*; it consumes what it needs
// and the caller checks that nothing is left. Send functions return bytea.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "hathi/error/sql_error.h"

namespace hathi::types {

struct BinaryReader {
  const char* cursor = nullptr;
  const char* end = nullptr;

  std::size_t left() const { return static_cast<std::size_t>(end - cursor); }
  // The next n bytes; 08P01 when there are fewer.
  std::string_view bytes(std::size_t n) {
    if (n > left()) throw SqlError(sqlstate::protocol_violation, "insufficient data left in message");
    std::string_view view(cursor, n);
    cursor += n;
    return view;
  }
  std::string_view rest() { return bytes(left()); }
  // Big-endian integers.
  template <class T>
  T integer() {
    std::string_view b = bytes(sizeof(T));
    std::uint64_t value = 0;
    for (unsigned char c : b) value = (value << 8) | c;
    return static_cast<T>(value);
  }
  double float8() { return std::bit_cast<double>(integer<std::uint64_t>()); }
  float float4() { return std::bit_cast<float>(integer<std::uint32_t>()); }
};

// Writes a big-endian integer at p.
template <class T>
void put_big_endian(char* p, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) p[i] = static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * (sizeof(T) - 1 - i)));
}

}  // namespace hathi::types
