#include "errors.h"

namespace hathi::types {

void throw_division_by_zero() { throw SqlError(sqlstate::division_by_zero, "division by zero"); }

void throw_invalid_syntax(std::string_view type, std::string_view text) {
  throw SqlError(sqlstate::invalid_text_representation, "invalid input syntax for type {}: \"{}\"", type, text);
}

void throw_value_out_of_range(std::string_view type, std::string_view text) {
  throw SqlError(sqlstate::numeric_value_out_of_range, "value \"{}\" is out of range for type {}", text, type);
}

void throw_float_overflow() { throw SqlError(sqlstate::numeric_value_out_of_range, "value out of range: overflow"); }
void throw_float_underflow() { throw SqlError(sqlstate::numeric_value_out_of_range, "value out of range: underflow"); }

void throw_invalid_parameter(std::string_view message) { throw SqlError(sqlstate::invalid_parameter_value, "{}", message); }

}  // namespace hathi::types
