// Roots, powers, logarithms of numeric. The scales of the results are PostgreSQL's; the digits are correctly rounded.

#include <mpfr.h>

#include <algorithm>
#include <cmath>

#include "errors.h"
#include "numeric_codec.h"
#include "tables.h"

namespace hathi::types {

namespace {

constexpr double kLog10OfE = 0.434294481903252;
constexpr double kLn10 = 2.302585092994046;

// A floating-point number of `digits` decimal digits.
class Real {
 public:
  explicit Real(int digits) { mpfr_init2(v_, static_cast<mpfr_prec_t>(digits * 3.33) + 64); }
  Real(const Numeric& from, int digits) : Real(digits) {
    mpz_t z;
    mpz_init(z);
    from.value.to_mpz(z);
    mpfr_set_z(v_, z, MPFR_RNDN);
    Integer::power_of_ten(from.scale).to_mpz(z);
    mpfr_div_z(v_, v_, z, MPFR_RNDN);
    mpz_clear(z);
  }
  ~Real() { mpfr_clear(v_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;

  mpfr_ptr get() { return v_; }
  Numeric to_numeric(int scale) {
    mpz_t z;
    mpz_init(z);
    Integer::power_of_ten(scale).to_mpz(z);
    mpfr_mul_z(v_, v_, z, MPFR_RNDN);
    mpfr_round(v_, v_);
    mpfr_get_z(z, v_, MPFR_RNDN);
    Numeric r{Numeric::Kind::finite, scale, Integer::from_mpz(z)};
    mpz_clear(z);
    return r;
  }

 private:
  mpfr_t v_;
};

int clamp_scale(int scale) { return std::clamp(scale, 0, kNumericMaxDisplayScale); }

Numeric numeric_sqrt(const Numeric& v) {
  if (v.is_nan() || v.kind == Numeric::Kind::plus_infinity) return v;
  if (v.sign() < 0) throw SqlError(sqlstate::invalid_argument_for_power_function, "cannot take square root of a negative number");
  int weight = leading_digit(v).weight * 4 / 2 + 1;
  return square_root_numeric(v, clamp_scale(std::max(kNumericMinSignificant - weight, v.scale)));
}

// How many digits of an argument decide a result is a matter of the result, not of how long the argument is: a relative error of the argument
// is an absolute one of its logarithm.
int logarithm_digits(int scale) { return scale + 40; }

Numeric numeric_exp(const Numeric& v) {
  if (v.is_nan()) return v;
  if (v.is_infinite()) return v.sign() > 0 ? v : Numeric::of(0);
  double approximate = mpfr_get_d(Real(v, 20).get(), MPFR_RNDN);
  double decimal_weight = std::clamp(approximate * kLog10OfE, -static_cast<double>(kNumericMaxResultScale), static_cast<double>(kNumericMaxResultScale));
  int scale = clamp_scale(std::max(kNumericMinSignificant - static_cast<int>(decimal_weight), v.scale));
  if (std::fabs(approximate) >= kNumericMaxResultScale * 3) {
    if (approximate > 0) throw_numeric_overflow();
    return {Numeric::Kind::finite, scale, {}};
  }
  int digits = std::max(0, static_cast<int>(approximate * kLog10OfE)) + scale + v.scale + 30;
  Real x(v, digits);
  mpfr_exp(x.get(), x.get(), MPFR_RNDN);
  return x.to_numeric(scale);
}

// Decimal exponent of ln(v), v > 0: 0 when it is unknown because v is 1.
int logarithm_weight(const Numeric& v) {
  static const Numeric below = parse_numeric("0.9");
  static const Numeric above = parse_numeric("1.1");
  if (compare_numeric(v, below) >= 0 && compare_numeric(v, above) <= 0) {
    LeadingDigit d = leading_digit(subtract_numeric(v, Numeric::of(1)));
    return d.digit == 0 ? 0 : d.weight * 4 + static_cast<int>(std::log10(d.digit));
  }
  LeadingDigit d = leading_digit(v);
  Numeric two_digits = truncate_numeric(v, std::max(0, 4 - 4 * d.weight));  // keep the next base-10000 digit as well
  double digits = mpfr_get_d(Real(two_digits, 20).get(), MPFR_RNDN);
  double logarithm;
  if (std::isfinite(digits) && digits > 0) {
    logarithm = std::log(digits);
  } else {
    logarithm = std::log(static_cast<double>(d.digit)) + d.weight * 4 * kLn10;
  }
  return static_cast<int>(std::log10(std::fabs(logarithm)));
}

void require_positive(const Numeric& v) {
  if (v.sign() < 0) throw SqlError(sqlstate::invalid_argument_for_log, "cannot take logarithm of a negative number");
  if (v.sign() == 0) throw SqlError(sqlstate::invalid_argument_for_log, "cannot take logarithm of zero");
}

Numeric numeric_ln(const Numeric& v) {
  if (v.is_nan()) return v;
  require_positive(v);
  if (v.is_infinite()) return v;
  int scale = clamp_scale(std::max(kNumericMinSignificant - logarithm_weight(v), v.scale));
  Real x(v, logarithm_digits(scale));
  mpfr_log(x.get(), x.get(), MPFR_RNDN);
  return x.to_numeric(scale);
}

Numeric numeric_log(const Numeric& base, const Numeric& v) {
  if (base.is_nan() || v.is_nan()) return Numeric::nan();
  if ((base.is_infinite() || v.is_infinite()) && base.sign() >= 0) require_positive(v.sign() < 0 ? v : base);
  require_positive(base);
  require_positive(v);
  if (base.is_infinite()) return v.is_infinite() ? Numeric::nan() : Numeric::of(0);
  if (v.is_infinite()) return v;
  int weight = logarithm_weight(v) - logarithm_weight(base);
  int scale = clamp_scale(std::max({kNumericMinSignificant - weight, base.scale, v.scale}));
  // A divisor of 10^-n takes 2 n digits from the quotient.
  int digits = logarithm_digits(scale + 2 * std::max(0, -logarithm_weight(base)));
  Real x(v, digits);
  Real y(base, digits);
  mpfr_log(x.get(), x.get(), MPFR_RNDN);
  mpfr_log(y.get(), y.get(), MPFR_RNDN);
  if (mpfr_zero_p(y.get())) throw_division_by_zero();
  mpfr_div(x.get(), x.get(), y.get(), MPFR_RNDN);
  return x.to_numeric(scale);
}
Numeric common_logarithm(const Numeric& v) { return numeric_log(Numeric::of(10), v); }

double approximate_log10(const Numeric& magnitude) {
  Real x(magnitude, 20);
  mpfr_log10(x.get(), x.get(), MPFR_RNDN);
  return mpfr_get_d(x.get(), MPFR_RNDN);
}

Numeric integer_power(const Numeric& base, std::int32_t exponent) {
  int scale = clamp_scale(std::max(kNumericMinSignificant, base.scale));
  Numeric zero{Numeric::Kind::finite, scale, {}};
  if (exponent == 0) return {Numeric::Kind::finite, scale, Integer::power_of_ten(scale)};
  if (base.sign() == 0) return zero;
  double weight = exponent * approximate_log10({Numeric::Kind::finite, base.scale, base.value.magnitude()});
  if (weight > (kNumericMaxWeight + 2) * 4) throw_numeric_overflow();
  if (weight + 1 < -scale) return zero;
  unsigned long n = exponent < 0 ? 0ul - static_cast<unsigned long>(exponent) : static_cast<unsigned long>(exponent);
  if (static_cast<double>(n) * base.value.digit_count() < 200000 && static_cast<double>(n) * base.scale < 200000) {
    Integer power = Integer::power(base.value, n);
    int power_scale = base.scale * static_cast<int>(n);
    if (exponent > 0) return round_numeric({Numeric::Kind::finite, power_scale, power}, scale);
    Integer numerator = Integer::power_of_ten(scale + power_scale);
    return {Numeric::Kind::finite, scale, Integer::divide_rounded(numerator, power)};
  }
  Real x(base, std::max(0, static_cast<int>(weight)) + scale + 50);   // the exponent has ten digits
  mpfr_pow_si(x.get(), x.get(), exponent, MPFR_RNDN);
  return x.to_numeric(scale);
}

Numeric general_power(const Numeric& base, const Numeric& exponent) {
  if (base.sign() == 0) return {Numeric::Kind::finite, kNumericMinSignificant, {}};
  // The estimate that decides the scale has eight significant digits, as PostgreSQL's.
  int local_scale = std::max(0, 8 - logarithm_weight(base));
  Real logarithm(base, logarithm_digits(local_scale));
  mpfr_log(logarithm.get(), logarithm.get(), MPFR_RNDN);
  Numeric estimate = round_numeric(multiply_numeric(logarithm.to_numeric(local_scale), exponent), local_scale);
  double weight = mpfr_get_d(Real(estimate, 20).get(), MPFR_RNDN);
  if (std::fabs(weight) > kNumericMaxResultScale * 3.01) {
    if (weight > 0) throw_numeric_overflow();
    return {Numeric::Kind::finite, kNumericMaxDisplayScale, {}};
  }
  weight *= kLog10OfE;
  int scale = clamp_scale(std::max({kNumericMinSignificant - static_cast<int>(weight), base.scale, exponent.scale}));
  int digits = std::max(0, static_cast<int>(weight)) + scale + std::max(0, exponent.value.digit_count() - exponent.scale) + 40;
  Real x(base, digits);
  Real y(exponent, digits);
  mpfr_pow(x.get(), x.get(), y.get(), MPFR_RNDN);
  return x.to_numeric(scale);
}

bool is_whole(const Numeric& v) { return compare_numeric(v, truncate_numeric(v, 0)) == 0; }

Numeric power_with_infinity(const Numeric& base, const Numeric& exponent) {
  if (base.is_finite() && compare_numeric(base, Numeric::of(1)) == 0) return Numeric::of(1);
  if (exponent.is_finite() && exponent.sign() == 0) return Numeric::of(1);
  if (exponent.is_infinite()) {
    // Only the magnitude of the base counts.
    Numeric magnitude = base.is_infinite() ? Numeric::infinity(false) : Numeric{Numeric::Kind::finite, base.scale, base.value.magnitude()};
    int order = compare_numeric(magnitude, Numeric::of(1));
    if (order == 0) return Numeric::of(1);
    return (order > 0) == (exponent.sign() > 0) ? Numeric::infinity(false) : Numeric::of(0);
  }
  if (exponent.sign() < 0) return Numeric::of(0);
  bool odd = is_whole(exponent) && truncate_numeric(exponent, 0).value.is_odd();
  return Numeric::infinity(base.sign() < 0 && odd);
}

Numeric numeric_power(const Numeric& base, const Numeric& exponent) {
  if (base.is_nan() || exponent.is_nan()) {
    if (base.is_finite() && compare_numeric(base, Numeric::of(1)) == 0) return Numeric::of(1);
    if (exponent.is_finite() && exponent.sign() == 0) return Numeric::of(1);
    return Numeric::nan();
  }
  if (base.sign() == 0 && exponent.sign() < 0) {
    throw SqlError(sqlstate::invalid_argument_for_power_function, "zero raised to a negative power is undefined");
  }
  if (base.sign() < 0 && exponent.is_finite() && !is_whole(exponent)) {
    throw SqlError(sqlstate::invalid_argument_for_power_function, "a negative number raised to a non-integer power yields a complex result");
  }
  if (!base.is_finite() || !exponent.is_finite()) return power_with_infinity(base, exponent);
  std::int64_t n;
  if (is_whole(exponent) && truncate_numeric(exponent, 0).value.to_int64(n) && n >= INT32_MIN && n <= INT32_MAX) {
    return integer_power(base, static_cast<std::int32_t>(n));
  }
  if (base.sign() < 0) {  // a whole exponent beyond 32 bits
    Numeric r = general_power({Numeric::Kind::finite, base.scale, base.value.magnitude()}, exponent);
    if (truncate_numeric(exponent, 0).value.is_odd()) r.value = -r.value;
    return r;
  }
  return general_power(base, exponent);
}

Numeric numeric_fac(std::int64_t n) {
  if (n < 0) throw SqlError(sqlstate::numeric_value_out_of_range, "factorial of a negative number is undefined");
  if (n > 32177) throw_numeric_overflow();
  mpz_t z;
  mpz_init(z);
  mpz_fac_ui(z, static_cast<unsigned long>(n));
  Numeric r{Numeric::Kind::finite, 0, Integer::from_mpz(z)};
  mpz_clear(z);
  return r;
}

constexpr BuiltinFunction kTable[] = {
    {Oid{1730}, fn<numeric_sqrt>},
    {Oid{1731}, fn<numeric_sqrt>},
    {Oid{1732}, fn<numeric_exp>},
    {Oid{1733}, fn<numeric_exp>},
    {Oid{1734}, fn<numeric_ln>},
    {Oid{1735}, fn<numeric_ln>},
    {Oid{1736}, fn<numeric_log>},
    {Oid{1737}, fn<numeric_log>},
    {Oid{1741}, fn<common_logarithm>},
    {Oid{1481}, fn<common_logarithm>},
    {Oid{1738}, fn<numeric_power>},
    {Oid{1739}, fn<numeric_power>},
    {Oid{2169}, fn<numeric_power>},
    {Oid{1376}, fn<numeric_fac>},
};

}  // namespace

std::span<const BuiltinFunction> numeric_math_functions() { return kTable; }

}  // namespace hathi::types
