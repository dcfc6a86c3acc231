#include "hathi/types/hash.h"

#include <bit>
#include <cstring>

namespace hathi::types {

namespace {

// The state of lookup3: three words, stirred together.
struct Lookup3 {
  std::uint32_t a, b, c;

  explicit Lookup3(std::uint32_t length) : a(0x9e3779b9u + length + 3923095u), b(a), c(a) {}

  void step(std::uint32_t& x, std::uint32_t& y, std::uint32_t& z, int shift) {
    x -= z;
    x ^= std::rotl(z, shift);
    z += y;
  }
  void mix() {
    step(a, b, c, 4);
    step(b, c, a, 6);
    step(c, a, b, 8);
    step(a, b, c, 16);
    step(b, c, a, 19);
    step(c, a, b, 4);
  }
  static void fold(std::uint32_t& x, std::uint32_t y, int shift) {
    x ^= y;
    x -= std::rotl(y, shift);
  }
  void finish() {
    fold(c, b, 14);
    fold(a, c, 11);
    fold(b, a, 25);
    fold(c, b, 16);
    fold(a, c, 4);
    fold(b, a, 14);
    fold(c, b, 24);
  }
  void seed(std::uint64_t value) {
    if (value == 0) return;
    a += static_cast<std::uint32_t>(value >> 32);
    b += static_cast<std::uint32_t>(value);
    mix();
  }
  void feed(std::string_view bytes) {
    const char* p = bytes.data();
    std::size_t left = bytes.size();
    std::uint32_t word[3];
    for (; left >= 12; left -= 12, p += 12) {
      std::memcpy(word, p, 12);
      a += word[0];
      b += word[1];
      c += word[2];
      mix();
    }
    // The last 0..11 bytes; c's lowest byte stays free, as the length is already in the start value.
    unsigned char tail[13] = {};
    std::memcpy(tail, p, left < 8 ? left : 8);
    if (left > 8) std::memcpy(tail + 9, p + 8, left - 8);
    std::memcpy(word, tail, 12);
    a += word[0];
    b += word[1];
    c += word[2];
    finish();
  }
  std::uint64_t wide() const { return (static_cast<std::uint64_t>(b) << 32) | c; }
};

}  // namespace

std::uint32_t hash_bytes(std::string_view bytes) {
  Lookup3 state(static_cast<std::uint32_t>(bytes.size()));
  state.feed(bytes);
  return state.c;
}

std::uint64_t hash_bytes_extended(std::string_view bytes, std::uint64_t seed) {
  Lookup3 state(static_cast<std::uint32_t>(bytes.size()));
  state.seed(seed);
  state.feed(bytes);
  return state.wide();
}

std::uint32_t hash_uint32(std::uint32_t value) {
  Lookup3 state(4);
  state.a += value;
  state.finish();
  return state.c;
}

std::uint64_t hash_uint32_extended(std::uint32_t value, std::uint64_t seed) {
  Lookup3 state(4);
  state.seed(seed);
  state.a += value;
  state.finish();
  return state.wide();
}

std::uint32_t hash_combine(std::uint32_t a, std::uint32_t b) { return a ^ (b + 0x9e3779b9u + (a << 6) + (a >> 2)); }

std::uint64_t hash_combine64(std::uint64_t a, std::uint64_t b) {
  return a ^ (b + 0x49a0f4dd15e5a8e3ull + (a << 54) + (a >> 7));
}

}  // namespace hathi::types
