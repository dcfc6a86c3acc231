#pragma once
// The registration table of each file in this folder.

#include <span>

#include "hathi/datum/function.h"

namespace hathi::types {

std::span<const BuiltinFunction> array_compare_functions();
std::span<const BuiltinFunction> array_functions();
std::span<const BuiltinFunction> array_io_functions();
std::span<const BuiltinFunction> bool_functions();
std::span<const BuiltinFunction> bytea_functions();
std::span<const BuiltinFunction> collecting_aggregate_functions();
std::span<const BuiltinFunction> date_functions();
std::span<const BuiltinFunction> datetime_extract_functions();
std::span<const BuiltinFunction> datetime_now_functions();
std::span<const BuiltinFunction> encoding_functions();
std::span<const BuiltinFunction> float_aggregate_functions();
std::span<const BuiltinFunction> float_functions();
std::span<const BuiltinFunction> float_math_functions();
std::span<const BuiltinFunction> format_datetime_functions();
std::span<const BuiltinFunction> format_number_functions();
std::span<const BuiltinFunction> format_parse_functions();
std::span<const BuiltinFunction> id_functions();
std::span<const BuiltinFunction> integer_comparison_functions();
std::span<const BuiltinFunction> integer_functions();
std::span<const BuiltinFunction> interval_functions();
std::span<const BuiltinFunction> like_functions();
std::span<const BuiltinFunction> lsn_arithmetic_functions();
std::span<const BuiltinFunction> network_functions();
std::span<const BuiltinFunction> numeric_aggregate_functions();
std::span<const BuiltinFunction> numeric_functions();
std::span<const BuiltinFunction> numeric_math_functions();
std::span<const BuiltinFunction> pseudo_type_functions();
std::span<const BuiltinFunction> quote_functions();
std::span<const BuiltinFunction> record_functions();
std::span<const BuiltinFunction> reg_type_functions();
std::span<const BuiltinFunction> regex_functions();
std::span<const BuiltinFunction> size_text_functions();
std::span<const BuiltinFunction> system_functions();
std::span<const BuiltinFunction> text_compare_functions();
std::span<const BuiltinFunction> text_functions();
std::span<const BuiltinFunction> text_io_functions();
std::span<const BuiltinFunction> time_functions();
std::span<const BuiltinFunction> timestamp_functions();

}  // namespace hathi::types
