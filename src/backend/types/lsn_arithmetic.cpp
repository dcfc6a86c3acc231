// pg_lsn with numeric: distances in bytes, positions moved by some.

#include "errors.h"
#include "hathi/error/sql_error.h"
#include "numeric_codec.h"
#include "tables.h"

namespace hathi::types {

namespace {

Integer integer_of(std::uint64_t position) { return Integer(static_cast<Int128>(position)); }

// The nearest whole number.
std::uint64_t to_position(const Numeric& v) {
  if (v.is_nan()) throw SqlError(sqlstate::feature_not_supported, "cannot convert NaN to pg_lsn");
  if (v.is_infinite()) throw SqlError(sqlstate::feature_not_supported, "cannot convert infinity to pg_lsn");
  Integer whole = v.value.rounded_by(v.scale);
  if (whole.sign() < 0 || !(whole < integer_of(UINT64_MAX) || whole == integer_of(UINT64_MAX)))
    throw SqlError(sqlstate::invalid_parameter_value, "pg_lsn out of range");
  return static_cast<std::uint64_t>(whole.small());
}

Numeric distance(std::uint64_t a, std::uint64_t b) { return {Numeric::Kind::finite, 0, integer_of(a) - integer_of(b)}; }

std::uint64_t add(std::uint64_t position, const Numeric& bytes) {
  if (bytes.is_nan()) throw SqlError(sqlstate::feature_not_supported, "cannot add NaN to pg_lsn");
  return to_position(add_numeric({Numeric::Kind::finite, 0, integer_of(position)}, bytes));
}
std::uint64_t add_to(const Numeric& bytes, std::uint64_t position) { return add(position, bytes); }

std::uint64_t subtract(std::uint64_t position, const Numeric& bytes) {
  if (bytes.is_nan()) throw SqlError(sqlstate::feature_not_supported, "cannot subtract NaN from pg_lsn");
  return to_position(subtract_numeric({Numeric::Kind::finite, 0, integer_of(position)}, bytes));
}

constexpr BuiltinFunction kFunctions[] = {
    {Oid{3165}, fn<distance>}, {Oid{3237}, fn<distance>}, {Oid{5022}, fn<add>},
    {Oid{5023}, fn<add_to>},   {Oid{5024}, fn<subtract>}, {Oid{6103}, fn<to_position>},
};

}  // namespace

std::span<const BuiltinFunction> lsn_arithmetic_functions() { return kFunctions; }

}  // namespace hathi::types
