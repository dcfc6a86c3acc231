#pragma once

#include <cmath>
#include <cstdint>

namespace hathi::types {

// The total order of SQL's floats: NaN equals itself and is above everything else.
inline std::int32_t compare_floats(double a, double b) {
  if (std::isnan(a)) return std::isnan(b) ? 0 : 1;
  if (std::isnan(b)) return -1;
  return (a > b) - (a < b);
}

}  // namespace hathi::types
