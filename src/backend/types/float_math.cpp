// Mathematical functions of float8: rounding, powers, logarithms, trigonometry in radians and degrees, random numbers.

#include <cerrno>
#include <cmath>
#include <limits>
#include <numbers>

#include <openssl/rand.h>

#include "adapter.h"
#include "errors.h"
#include "float_compare.h"
#include "random.h"
#include "tables.h"

namespace hathi::types {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double dround(double v) { return std::rint(v); }
double dceil(double v) { return std::ceil(v); }
double dfloor(double v) { return std::floor(v); }
double dtrunc(double v) { return std::trunc(v); }
double dsign(double v) { return v > 0 ? 1 : v < 0 ? -1 : 0; }

double dsqrt(double v) {
  if (v < 0) throw SqlError(sqlstate::invalid_argument_for_power_function, "cannot take square root of a negative number");
  return std::sqrt(v);
}
double dcbrt(double v) { return std::cbrt(v); }

double dpow(double base, double exponent) {
  if (std::isnan(base)) return exponent == 0 ? 1.0 : kNan;
  if (std::isnan(exponent)) return base == 1 ? 1.0 : kNan;
  if (base == 0 && exponent < 0) {
    throw SqlError(sqlstate::invalid_argument_for_power_function, "zero raised to a negative power is undefined");
  }
  if (base < 0 && std::floor(exponent) != exponent) {
    throw SqlError(sqlstate::invalid_argument_for_power_function, "a negative number raised to a non-integer power yields a complex result");
  }
  double r = std::pow(base, exponent);
  if (std::isinf(base) || std::isinf(exponent)) return r;
  if (std::isinf(r)) throw_float_overflow();
  if (r == 0 && base != 0) throw_float_underflow();
  return r;
}

double dexp(double v) {
  if (std::isnan(v)) return v;
  if (std::isinf(v)) return v > 0 ? v : 0;
  double r = std::exp(v);
  if (std::isinf(r)) throw_float_overflow();
  if (r == 0) throw_float_underflow();
  return r;
}

void require_loggable(double v) {
  if (v == 0) throw SqlError(sqlstate::invalid_argument_for_log, "cannot take logarithm of zero");
  if (v < 0) throw SqlError(sqlstate::invalid_argument_for_log, "cannot take logarithm of a negative number");
}
double dlog1(double v) {
  require_loggable(v);
  return std::log(v);
}
double dlog10(double v) {
  require_loggable(v);
  return std::log10(v);
}

[[noreturn]] void throw_input_out_of_range() { throw SqlError(sqlstate::numeric_value_out_of_range, "input is out of range"); }

double dacos(double v) {
  if (v < -1 || v > 1) throw_input_out_of_range();
  return std::acos(v);
}
double dasin(double v) {
  if (v < -1 || v > 1) throw_input_out_of_range();
  return std::asin(v);
}
double datan(double v) { return std::atan(v); }
double datan2(double y, double x) { return std::atan2(y, x); }
void require_finite_angle(double v) {
  if (std::isinf(v)) throw_input_out_of_range();
}
double dcos(double v) {
  require_finite_angle(v);
  return std::cos(v);
}
double dsin(double v) {
  require_finite_angle(v);
  return std::sin(v);
}
double dtan(double v) {
  require_finite_angle(v);
  return std::tan(v);
}
double dcot(double v) {
  require_finite_angle(v);
  return 1.0 / std::tan(v);
}
double dsinh(double v) { return std::sinh(v); }
double dcosh(double v) { return std::cosh(v); }
double dtanh(double v) { return std::tanh(v); }
double dasinh(double v) { return std::asinh(v); }
double dacosh(double v) {
  if (v < 1) throw_input_out_of_range();
  return std::acosh(v);
}
double datanh(double v) {
  if (v < -1 || v > 1) throw_input_out_of_range();
  return std::atanh(v);
}

double checked(double r) {
  if (std::isinf(r)) throw_float_overflow();
  return r;
}
constexpr double kRadiansPerDegree = 0.0174532925199432957692;
double degrees(double v) { return std::isinf(v) ? v : checked(v / kRadiansPerDegree); }
double radians(double v) { return v * kRadiansPerDegree; }
double dpi() { return std::numbers::pi; }

// --- degrees: exact where the true answer is (multiples of 30 and 45 degrees) ---------------------------------------------------
// Scaled so that the reference angle gives the reference value without rounding.
double sine_of_first_octant(double degrees_0_30) {
  static const double at_30 = std::sin(30 * kRadiansPerDegree);
  return std::sin(degrees_0_30 * kRadiansPerDegree) / at_30 / 2.0;
}
double cosine_up_to_60(double degrees_0_60) {
  static const double one_minus_at_60 = 1.0 - std::cos(60 * kRadiansPerDegree);
  return 1.0 - (1.0 - std::cos(degrees_0_60 * kRadiansPerDegree)) / one_minus_at_60 / 2.0;
}
double sine_of_quadrant(double d) { return d <= 30 ? sine_of_first_octant(d) : cosine_up_to_60(90 - d); }
double cosine_of_quadrant(double d) { return d <= 60 ? cosine_up_to_60(d) : sine_of_first_octant(90 - d); }

double dsind(double v) {
  if (std::isnan(v)) return v;
  require_finite_angle(v);
  v = std::fmod(v, 360);
  double sign = v < 0 ? -1 : 1;
  if (v < 0) v = -v;
  if (v > 180) v = 360 - v, sign = -sign;
  if (v > 90) v = 180 - v;
  return sign * sine_of_quadrant(v);
}
double dcosd(double v) {
  if (std::isnan(v)) return v;
  require_finite_angle(v);
  double sign = 1;
  v = std::fabs(std::fmod(v, 360));
  if (v > 180) v = 360 - v;
  if (v > 90) v = 180 - v, sign = -1;
  return sign * cosine_of_quadrant(v);
}
double dtand(double v) {
  if (std::isnan(v)) return v;
  require_finite_angle(v);
  static const double at_45 = sine_of_quadrant(45) / cosine_of_quadrant(45);
  v = std::fmod(v, 360);
  double sign = v < 0 ? -1 : 1;
  v = std::fabs(v);
  if (v > 180) v = 360 - v, sign = -sign;
  if (v > 90) v = 180 - v, sign = -sign;
  double r = sign * (sine_of_quadrant(v) / cosine_of_quadrant(v) / at_45);
  return r == 0 ? 0 : r;
}
double dcotd(double v) {
  if (std::isnan(v)) return v;
  require_finite_angle(v);
  static const double at_45 = cosine_of_quadrant(45) / sine_of_quadrant(45);
  v = std::fmod(v, 360);
  double sign = v < 0 ? -1 : 1;
  v = std::fabs(v);
  if (v > 180) v = 360 - v, sign = -sign;
  if (v > 90) v = 180 - v, sign = -sign;
  double r = sign * (cosine_of_quadrant(v) / sine_of_quadrant(v) / at_45);
  return r == 0 ? 0 : r;
}

double arc_sine_of_half(double v) { return std::asin(v) / std::asin(0.5) * 30.0; }   // 0 <= v <= 0.5
double arc_cosine_of_half(double v) { return std::acos(v) / std::acos(0.5) * 60.0; }  // 0.5 <= v <= 1
double arc_sine_of_unit(double v) { return v <= 0.5 ? arc_sine_of_half(v) : 90.0 - arc_cosine_of_half(v); }
double arc_cosine_of_unit(double v) { return v <= 0.5 ? 90.0 - arc_sine_of_half(v) : arc_cosine_of_half(v); }

double dasind(double v) {
  if (std::isnan(v)) return v;
  if (v < -1 || v > 1) throw_input_out_of_range();
  return v >= 0 ? arc_sine_of_unit(v) : -arc_sine_of_unit(-v);
}
double dacosd(double v) {
  if (std::isnan(v)) return v;
  if (v < -1 || v > 1) throw_input_out_of_range();
  return v >= 0 ? arc_cosine_of_unit(v) : 90.0 + arc_sine_of_unit(-v);
}
double datand(double v) {
  static const double at_1 = std::atan(1.0);
  return std::atan(v) / at_1 * 45.0;
}
double datan2d(double y, double x) {
  static const double at_1 = std::atan(1.0);
  return std::atan2(y, x) / at_1 * 45.0;
}

std::int32_t width_bucket_float8(double operand, double low, double high, std::int32_t count) {
  if (count <= 0) throw SqlError(sqlstate::invalid_argument_for_width_bucket_function, "count must be greater than zero");
  if (std::isnan(operand) || std::isnan(low) || std::isnan(high)) {
    throw SqlError(sqlstate::invalid_argument_for_width_bucket_function, "operand, lower bound, and upper bound cannot be NaN");
  }
  if (std::isinf(low) || std::isinf(high)) {
    throw SqlError(sqlstate::invalid_argument_for_width_bucket_function, "lower and upper bounds must be finite");
  }
  if (low == high) {
    throw SqlError(sqlstate::invalid_argument_for_width_bucket_function, "lower bound cannot equal upper bound");
  }
  bool ascending = low < high;
  if (ascending ? operand < low : operand > low) return 0;
  if (ascending ? operand >= high : operand <= high) {
    if (count == std::numeric_limits<std::int32_t>::max()) throw_out_of_range<std::int32_t>();
    return count + 1;
  }
  // Halved when the width itself would overflow.
  double width = ascending ? high - low : low - high;
  double distance = ascending ? operand - low : low - operand;
  double r = std::isinf(width) ? count * ((ascending ? operand / 2 - low / 2 : low / 2 - operand / 2) /
                                          (ascending ? high / 2 - low / 2 : low / 2 - high / 2))
                               : count * (distance / width);
  auto bucket = static_cast<std::int32_t>(r);
  return (bucket >= count ? count - 1 : bucket) + 1;
}

double drandom() { return session_random().next_double(); }
void setseed(double seed) {
  if (seed < -1 || seed > 1 || std::isnan(seed)) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%g", seed);
    throw SqlError(sqlstate::invalid_parameter_value, "setseed parameter {} is out of allowed range [-1,1]", buffer);
  }
  session_random().seed(seed);
}

constexpr BuiltinFunction kTable[] = {
    {Oid{228}, fn<dround>},
    {Oid{1342}, fn<dround>},
    {Oid{2308}, fn<dceil>},
    {Oid{2320}, fn<dceil>},
    {Oid{2309}, fn<dfloor>},
    {Oid{229}, fn<dtrunc>},
    {Oid{1343}, fn<dtrunc>},
    {Oid{2310}, fn<dsign>},
    {Oid{230}, fn<dsqrt>},
    {Oid{1344}, fn<dsqrt>},
    {Oid{231}, fn<dcbrt>},
    {Oid{1345}, fn<dcbrt>},
    {Oid{232}, fn<dpow>},
    {Oid{1346}, fn<dpow>},
    {Oid{1368}, fn<dpow>},
    {Oid{233}, fn<dexp>},
    {Oid{1347}, fn<dexp>},
    {Oid{234}, fn<dlog1>},
    {Oid{1341}, fn<dlog1>},
    {Oid{1194}, fn<dlog10>},
    {Oid{1339}, fn<dlog10>},
    {Oid{1340}, fn<dlog10>},
    {Oid{1601}, fn<dacos>},
    {Oid{1600}, fn<dasin>},
    {Oid{1602}, fn<datan>},
    {Oid{1603}, fn<datan2>},
    {Oid{1605}, fn<dcos>},
    {Oid{1604}, fn<dsin>},
    {Oid{1606}, fn<dtan>},
    {Oid{1607}, fn<dcot>},
    {Oid{2462}, fn<dsinh>},
    {Oid{2463}, fn<dcosh>},
    {Oid{2464}, fn<dtanh>},
    {Oid{2465}, fn<dasinh>},
    {Oid{2466}, fn<dacosh>},
    {Oid{2467}, fn<datanh>},
    {Oid{1608}, fn<degrees>},
    {Oid{1609}, fn<radians>},
    {Oid{1610}, fn<dpi>},
    {Oid{2735}, fn<dsind>},
    {Oid{2736}, fn<dcosd>},
    {Oid{2737}, fn<dtand>},
    {Oid{2738}, fn<dcotd>},
    {Oid{2731}, fn<dasind>},
    {Oid{2732}, fn<dacosd>},
    {Oid{2733}, fn<datand>},
    {Oid{2734}, fn<datan2d>},
    {Oid{320}, fn<width_bucket_float8>},
    {Oid{1598}, fn<drandom>},
    {Oid{1599}, fn<setseed>},
};

}  // namespace

RandomState& session_random() {
  static RandomState state;
  if (!state.is_seeded()) {
    std::uint64_t seed = 0;
    RAND_bytes(reinterpret_cast<unsigned char*>(&seed), sizeof seed);
    state.seed_bits(seed);
  }
  return state;
}

std::span<const BuiltinFunction> float_math_functions() { return kTable; }

}  // namespace hathi::types
