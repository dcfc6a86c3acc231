#include "numeric_integer.h"

#include <array>
#include <charconv>
#include <memory>
#include <vector>

namespace hathi::types {

namespace {

// An mpz that is freed at the end of the scope.
struct Mpz {
  mpz_t z;
  Mpz() { mpz_init(z); }
  explicit Mpz(const Integer& v) {
    mpz_init(z);
    v.to_mpz(z);
  }
  ~Mpz() { mpz_clear(z); }
  Mpz(const Mpz&) = delete;
  Mpz& operator=(const Mpz&) = delete;
};

UInt128 magnitude_of(Int128 v) { return v < 0 ? UInt128{0} - static_cast<UInt128>(v) : static_cast<UInt128>(v); }

constexpr int kSmallPowers = 38;  // 10^38 < 2^127
constexpr std::array<Int128, kSmallPowers + 1> make_small_powers() {
  std::array<Int128, kSmallPowers + 1> powers{};
  Int128 p = 1;
  for (int i = 0; i <= kSmallPowers; ++i) {
    powers[static_cast<std::size_t>(i)] = p;
    if (i < kSmallPowers) p *= 10;
  }
  return powers;
}
constexpr auto kPowers = make_small_powers();

}  // namespace

void Integer::assign(const Integer& other) {
  big_ = other.big_;
  if (big_) mpz_init_set(mpz_, other.mpz_);
  else small_ = other.small_;
}

void Integer::steal(Integer& other) noexcept {
  big_ = other.big_;
  if (big_) {
    mpz_[0] = other.mpz_[0];
    other.big_ = false;
    other.small_ = 0;
  } else {
    small_ = other.small_;
  }
}

void Integer::to_mpz(mpz_t z) const {
  if (big_) {
    mpz_set(z, mpz_);
    return;
  }
  UInt128 m = magnitude_of(small_);
  std::uint64_t words[2] = {static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(m >> 64)};
  mpz_import(z, 2, -1, 8, 0, 0, words);
  if (small_ < 0) mpz_neg(z, z);
}

Integer Integer::from_mpz(const mpz_t z) {
  Integer result;
  if (mpz_sizeinbase(z, 2) <= 126) {
    std::uint64_t words[2] = {};
    mpz_export(words, nullptr, -1, 8, 0, 0, z);
    Int128 m = static_cast<Int128>(words[0]) | static_cast<Int128>(words[1]) << 64;
    result.small_ = mpz_sgn(z) < 0 ? -m : m;
    return result;
  }
  result.big_ = true;
  mpz_init_set(result.mpz_, z);
  return result;
}

Integer Integer::from_digits(std::string_view digits) {
  if (digits.size() <= 18) {
    std::int64_t v = 0;
    for (char c : digits) v = v * 10 + (c - '0');
    return Integer(v);
  }
  if (digits.size() <= 37) {
    Int128 v = 0;
    for (char c : digits) v = v * 10 + (c - '0');
    return Integer(v);
  }
  Mpz z;
  mpz_set_str(z.z, std::string(digits).c_str(), 10);
  return from_mpz(z.z);
}

std::string Integer::magnitude_digits() const {
  if (!big_) {
    UInt128 m = magnitude_of(small_);
    char buffer[48];
    char* p = buffer + sizeof buffer;
    constexpr std::uint64_t kChunk = 10000000000000000000ull;  // 10^19
    while (m > ~std::uint64_t{0}) {
      auto low = static_cast<std::uint64_t>(m % kChunk);
      m /= kChunk;
      for (int i = 0; i < 19; ++i, low /= 10) *--p = static_cast<char>('0' + low % 10);
    }
    auto rest = static_cast<std::uint64_t>(m);
    do *--p = static_cast<char>('0' + rest % 10);
    while ((rest /= 10) != 0);
    return {p, static_cast<std::size_t>(buffer + sizeof buffer - p)};
  }
  std::string text(mpz_sizeinbase(mpz_, 10) + 2, '\0');
  mpz_get_str(text.data(), 10, mpz_);
  text.resize(text.find('\0'));
  return text[0] == '-' ? text.substr(1) : text;
}

int Integer::digit_count() const {
  if (!big_) {
    UInt128 m = magnitude_of(small_);
    int n = 0;
    while (n <= kSmallPowers && m >= static_cast<UInt128>(kPowers[static_cast<std::size_t>(n)])) ++n;
    return n;
  }
  auto n = static_cast<int>(mpz_sizeinbase(mpz_, 10));  // may be one too many
  Mpz power(power_of_ten(n - 1));
  return mpz_cmpabs(mpz_, power.z) < 0 ? n - 1 : n;
}

Integer Integer::operator-() const {
  if (!big_ && small_ != static_cast<Int128>(UInt128{1} << 127)) return Integer(-small_);
  Mpz z(*this);
  mpz_neg(z.z, z.z);
  return from_mpz(z.z);
}

Integer Integer::add_big(const Integer& other) const {
  Mpz a(*this);
  Mpz b(other);
  mpz_add(a.z, a.z, b.z);
  return from_mpz(a.z);
}

Integer Integer::subtract_big(const Integer& other) const {
  Mpz a(*this);
  Mpz b(other);
  mpz_sub(a.z, a.z, b.z);
  return from_mpz(a.z);
}

Integer Integer::operator*(const Integer& other) const {
  Int128 r;
  if (!big_ && !other.big_ && !__builtin_mul_overflow(small_, other.small_, &r)) return Integer(r);
  Mpz a(*this);
  Mpz b(other);
  mpz_mul(a.z, a.z, b.z);
  return from_mpz(a.z);
}

void Integer::divide(const Integer& a, const Integer& b, Integer& quotient, Integer& remainder) {
  if (!a.big_ && !b.big_) {
    Int128 q;
    Int128 r;
    constexpr Int128 kWord = static_cast<Int128>(INT64_MAX);
    if (a.small_ <= kWord && a.small_ >= -kWord && b.small_ <= kWord && b.small_ >= -kWord) {
      q = static_cast<std::int64_t>(a.small_) / static_cast<std::int64_t>(b.small_);
      r = static_cast<std::int64_t>(a.small_) % static_cast<std::int64_t>(b.small_);
    } else {
      q = a.small_ / b.small_;
      r = a.small_ % b.small_;
    }
    quotient = Integer(q);
    remainder = Integer(r);
    return;
  }
  Mpz x(a);
  Mpz y(b);
  Mpz q;
  Mpz r;
  mpz_tdiv_qr(q.z, r.z, x.z, y.z);
  quotient = from_mpz(q.z);
  remainder = from_mpz(r.z);
}

std::strong_ordering Integer::operator<=>(const Integer& other) const {
  if (!big_ && !other.big_) return small_ <=> other.small_;
  Mpz a(*this);
  Mpz b(other);
  return mpz_cmp(a.z, b.z) <=> 0;
}

const Integer& Integer::power_of_ten(int n) {
  static std::array<Integer, kSmallPowers + 1> small = [] {
    std::array<Integer, kSmallPowers + 1> table;
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = Integer(kPowers[i]);
    return table;
  }();
  if (n <= kSmallPowers) return small[static_cast<std::size_t>(n)];
  // The last few large ones are kept: scales repeat.
  static std::array<std::pair<int, Integer>, 8> kept;
  static std::size_t next = 0;
  for (auto& [exponent, value] : kept) {
    if (exponent == n) return value;
  }
  Mpz z;
  mpz_ui_pow_ui(z.z, 10, static_cast<unsigned long>(n));
  auto& slot = kept[next++ % kept.size()];
  slot = {n, from_mpz(z.z)};
  return slot.second;
}

Integer Integer::truncated_by(int n) const {
  if (n <= 0) return *this;
  Integer q, r;
  divide(*this, power_of_ten(n), q, r);
  return q;
}

Integer Integer::divide_rounded(const Integer& a, const Integer& b) {
  Integer q, r;
  divide(a, b, q, r);
  if (r.is_zero()) return q;
  Integer twice = r.magnitude() + r.magnitude();
  if ((twice <=> b.magnitude()) < 0) return q;
  return q + Integer(std::int64_t{(a.sign() < 0) != (b.sign() < 0) ? -1 : 1});
}

Integer Integer::rounded_by(int n) const { return n <= 0 ? *this : divide_rounded(*this, power_of_ten(n)); }

Integer Integer::greatest_common_divisor(const Integer& a, const Integer& b) {
  Mpz x(a);
  Mpz y(b);
  mpz_gcd(x.z, x.z, y.z);
  return from_mpz(x.z);
}

Integer Integer::power(const Integer& base, unsigned long exponent) {
  Mpz z(base);
  mpz_pow_ui(z.z, z.z, exponent);
  return from_mpz(z.z);
}

Integer Integer::square_root() const {
  Mpz z(*this);
  mpz_sqrt(z.z, z.z);
  return from_mpz(z.z);
}

bool Integer::to_int64(std::int64_t& v) const {
  if (big_ || small_ > INT64_MAX || small_ < INT64_MIN) return false;
  v = static_cast<std::int64_t>(small_);
  return true;
}

}  // namespace hathi::types
