#include <array>

#include "hathi/types/register.h"
#include "hathi/types/settings.h"
#include "tables.h"

namespace hathi::types {

Settings settings;

std::span<const std::span<const BuiltinFunction>> function_tables() {
  static const std::array tables = {
      bool_functions(), integer_functions(), integer_comparison_functions(), float_functions(), float_math_functions(),
  };
  return tables;
}

void register_all() {
  for (std::span<const BuiltinFunction> table : function_tables()) register_functions(table);
}

}  // namespace hathi::types
