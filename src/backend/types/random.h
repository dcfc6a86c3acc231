#pragma once
// Pseudo-random numbers for random(): xoroshiro128** (Blackman and Vigna, public domain), seeded by SplitMix64, so that
// setseed() gives the series PostgreSQL 15 gives.

#include <bit>
#include <cmath>
#include <cstdint>

namespace hathi::types {

class RandomState {
 public:
  bool is_seeded() const { return (s0_ | s1_) != 0; }
  void seed_bits(std::uint64_t seed) {
    s0_ = split_mix(seed);
    s1_ = split_mix(seed);
    if (!is_seeded()) s0_ = 1;
  }
  // -1 <= seed <= 1.
  void seed(double seed) {
    seed_bits(static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<double>((std::uint64_t{1} << 52) - 1) * seed)));
  }
  std::uint64_t next() {
    std::uint64_t a = s0_;
    std::uint64_t b = s1_ ^ a;
    std::uint64_t result = std::rotl(a * 5, 7) * 9;
    s0_ = std::rotl(a, 24) ^ b ^ (b << 16);
    s1_ = std::rotl(b, 37);
    return result;
  }
  // In [0, 1) with 52 bits.
  double next_double() { return std::ldexp(static_cast<double>(next() >> 12), -52); }

 private:
  static std::uint64_t split_mix(std::uint64_t& state) {
    std::uint64_t z = state += 0x9E3779B97f4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  std::uint64_t s0_ = 0;
  std::uint64_t s1_ = 0;
};

// The session's generator, seeded from the system on first use.

RandomState& session_random();

}  // namespace hathi::types
