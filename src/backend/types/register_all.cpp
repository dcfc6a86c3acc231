#include <array>

#include "hathi/types/register.h"
#include "tables.h"

namespace hathi::types {

std::span<const std::span<const BuiltinFunction>> function_tables() {
  static const std::array tables = {
      array_compare_functions(),
      array_functions(),
      array_io_functions(),
      bool_functions(),
      bytea_functions(),
      collecting_aggregate_functions(),
      date_functions(),
      datetime_extract_functions(),
      datetime_now_functions(),
      encoding_functions(),
      float_aggregate_functions(),
      float_functions(),
      float_math_functions(),
      format_datetime_functions(),
      format_number_functions(),
      format_parse_functions(),
      id_functions(),
      integer_comparison_functions(),
      integer_functions(),
      interval_functions(),
      like_functions(),
      lsn_arithmetic_functions(),
      network_functions(),
      numeric_aggregate_functions(),
      numeric_functions(),
      numeric_math_functions(),
      pseudo_type_functions(),
      quote_functions(),
      record_functions(),
      reg_type_functions(),
      regex_functions(),
      size_text_functions(),
      system_functions(),
      text_compare_functions(),
      text_functions(),
      text_io_functions(),
      time_functions(),
      timestamp_functions(),
  };
  return tables;
}

void register_all() {
  for (std::span<const BuiltinFunction> table : function_tables()) register_functions(table);
}

}  // namespace hathi::types
