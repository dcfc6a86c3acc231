#pragma once
// Signed integers of any size for numeric: 128 bits in place, larger ones by GMP.

#include <gmp.h>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace hathi::types {

using Int128 = __int128;
using UInt128 = unsigned __int128;

class Integer {
 public:
  Integer() = default;
  Integer(std::int64_t v) : small_(v) {}
  explicit Integer(Int128 v) : small_(v) {}
  Integer(const Integer& other) { assign(other); }
  Integer(Integer&& other) noexcept { steal(other); }
  Integer& operator=(const Integer& other) {
    if (this != &other) {
      release();
      assign(other);
    }
    return *this;
  }
  Integer& operator=(Integer&& other) noexcept {
    if (this != &other) {
      release();
      steal(other);
    }
    return *this;
  }
  ~Integer() { release(); }

  // Decimal digits only, not empty.
  static Integer from_digits(std::string_view digits);
  std::string magnitude_digits() const;

  bool is_small() const { return !big_; }
  Int128 small() const { return small_; }
  bool is_zero() const { return !big_ && small_ == 0; }
  int sign() const { return big_ ? mpz_sgn(mpz_) : (small_ > 0) - (small_ < 0); }
  bool is_odd() const { return big_ ? mpz_odd_p(mpz_) != 0 : (small_ & 1) != 0; }
  // Number of decimal digits; 0 for zero.
  int digit_count() const;

  Integer operator-() const;
  Integer magnitude() const { return sign() < 0 ? -*this : *this; }
  Integer operator+(const Integer& other) const {
    Int128 r;
    if (!big_ && !other.big_ && !__builtin_add_overflow(small_, other.small_, &r)) return Integer(r);
    return add_big(other);
  }
  Integer operator-(const Integer& other) const {
    Int128 r;
    if (!big_ && !other.big_ && !__builtin_sub_overflow(small_, other.small_, &r)) return Integer(r);
    return subtract_big(other);
  }
  Integer operator*(const Integer& other) const;
  // Quotient toward zero and remainder with the dividend's sign. The divisor is not zero.
  static void divide(const Integer& a, const Integer& b, Integer& quotient, Integer& remainder);
  std::strong_ordering operator<=>(const Integer& other) const;
  bool operator==(const Integer& other) const { return (*this <=> other) == 0; }

  // 10^n.
  static const Integer& power_of_ten(int n);
  Integer times_power_of_ten(int n) const { return n == 0 ? *this : *this * power_of_ten(n); }
  // Divided by 10^n: toward zero, or to the nearest with halves away from zero.
  Integer truncated_by(int n) const;
  Integer rounded_by(int n) const;
  static Integer divide_rounded(const Integer& a, const Integer& b);
  static Integer greatest_common_divisor(const Integer& a, const Integer& b);
  static Integer power(const Integer& base, unsigned long exponent);
  Integer square_root() const;  // floor

  // true when it fits.
  bool to_int64(std::int64_t& v) const;
  void to_mpz(mpz_t z) const;               // z is initialised
  static Integer from_mpz(const mpz_t z);

 private:
  void assign(const Integer& other);
  void steal(Integer& other) noexcept;
  void release() {
    if (big_) mpz_clear(mpz_);
    big_ = false;
  }
  Integer add_big(const Integer& other) const;
  Integer subtract_big(const Integer& other) const;

  bool big_ = false;
  union {
    Int128 small_ = 0;
    mpz_t mpz_;
  };
};

}  // namespace hathi::types
