// How types are named in messages and by format_type().

#include "hathi/catalog/lookup.h"
#include "hathi/catalog/quote.h"
#include "hathi/catalog/user_objects.h"
#include "hathi/datum/function.h"
#include "hathi/error/sql_error.h"

namespace hathi::catalog {

namespace {

std::string interval_modifier(std::int32_t typmod) {
  constexpr int kMonth = 1 << 1, kYear = 1 << 2, kDay = 1 << 3, kHour = 1 << 10, kMinute = 1 << 11, kSecond = 1 << 12;
  struct Range { int bits; const char* text; };
  constexpr Range kRanges[] = {
      {kYear, " year"}, {kMonth, " month"}, {kDay, " day"}, {kHour, " hour"}, {kMinute, " minute"}, {kSecond, " second"},
      {kYear | kMonth, " year to month"}, {kDay | kHour, " day to hour"}, {kDay | kHour | kMinute, " day to minute"},
      {kDay | kHour | kMinute | kSecond, " day to second"}, {kHour | kMinute, " hour to minute"},
      {kHour | kMinute | kSecond, " hour to second"}, {kMinute | kSecond, " minute to second"}, {0x7FFF, ""}};
  int fields = (typmod >> 16) & 0x7FFF, precision = typmod & 0xFFFF;
  for (const Range& r : kRanges) {
    if (r.bits == fields) return precision == 0xFFFF ? std::string(r.text) : fmt::format("{}({})", r.text, precision);
  }
  throw SqlError(sqlstate::internal_error, "invalid INTERVAL typmod: 0x{:x}", typmod);
}

// The part after a type's name for a modifier >= 0.
std::string modifier_text(const TypeInfo& type, std::int32_t typmod) {
  switch (raw(type.oid)) {
    case raw(type_oid::varchar): case raw(type_oid::bpchar): return typmod > 4 ? fmt::format("({})", typmod - 4) : std::string();
    case raw(type_oid::bit): case raw(type_oid::varbit): return fmt::format("({})", typmod);
    case raw(type_oid::numeric):
      return fmt::format("({},{})", ((typmod - 4) >> 16) & 0xFFFF, (((typmod - 4) & 0x7FF) ^ 1024) - 1024);
    case raw(type_oid::time): case raw(type_oid::timestamp): return fmt::format("({}) without time zone", typmod);
    case raw(type_oid::timetz): case raw(type_oid::timestamptz): return fmt::format("({}) with time zone", typmod);
    case raw(type_oid::interval): return interval_modifier(typmod);
    default: break;
  }
  if (!is_valid(type.typmod_out)) return fmt::format("({})", typmod);
  Arena arena(256);
  return call_function(type.typmod_out, arena, {Datum::of(typmod)}).as_pointer<char>();
}

// The name that SQL gives to a type of its own, or nullptr. given: a modifier was passed, be it -1.
const char* sql_name(Oid type, bool has_modifier, bool given) {
  switch (raw(type)) {
    case raw(type_oid::bit): return has_modifier || !given ? "bit" : nullptr;
    case raw(type_oid::bpchar): return has_modifier || !given ? "character" : nullptr;
    case raw(type_oid::bool_): return "boolean";
    case raw(type_oid::float4): return "real";
    case raw(type_oid::float8): return "double precision";
    case raw(type_oid::int2): return "smallint";
    case raw(type_oid::int4): return "integer";
    case raw(type_oid::int8): return "bigint";
    case raw(type_oid::numeric): return "numeric";
    case raw(type_oid::interval): return "interval";
    case raw(type_oid::time): return has_modifier ? "time" : "time without time zone";
    case raw(type_oid::timetz): return has_modifier ? "time" : "time with time zone";
    case raw(type_oid::timestamp): return has_modifier ? "timestamp" : "timestamp without time zone";
    case raw(type_oid::timestamptz): return has_modifier ? "timestamp" : "timestamp with time zone";
    case raw(type_oid::varbit): return "bit varying";
    case raw(type_oid::varchar): return "character varying";
    default: return nullptr;
  }
}

std::string format(Oid oid, std::int32_t typmod, bool qualify) {
  if (!is_valid(oid)) return "-";
  const TypeInfo* type = find_type(oid);
  if (type == nullptr) return "???";
  bool is_array = false;
  if (type->is_true_array() && type->storage != 'p') {
    const TypeInfo* element = find_type(type->element);
    if (element == nullptr) return "???[]";
    type = element;
    is_array = true;
  }
  bool has_modifier = typmod >= 0;
  std::string text;
  if (const char* name = sql_name(type->oid, has_modifier, typmod >= -1)) {
    text = name;
  } else {
    bool hidden = qualify || !type_is_visible(type->oid);
    text = quote_qualified(hidden ? schema_name(type->schema) : std::string(), type->name);
  }
  if (has_modifier) text += modifier_text(*type, typmod);
  if (is_array) text += "[]";
  return text;
}

}  // namespace

std::string format_type(Oid type, std::int32_t typmod) { return format(type, typmod, false); }
std::string format_type_qualified(Oid type) { return format(type, -2, true); }

}  // namespace hathi::catalog
