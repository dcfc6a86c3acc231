// Type names.

#include "parser_impl.h"

namespace hathi::parser {

namespace {
// Bit numbers of interval fields in an interval's typmod.
constexpr int kMonth = 1, kYear = 2, kDay = 3, kHour = 10, kMinute = 11, kSecond = 12;
constexpr int kFullRange = 0x7FFF;
}  // namespace

TypeName* Parser::system_type(std::string_view name, int location) {
  TypeName* type = make<TypeName>(location);
  type->names.reserve(arena_, 2);
  push(type->names, Name("pg_catalog"));
  push(type->names, name);
  return type;
}

void Parser::push_integer_typmod(TypeName* type, int value, int location) { push<Expr*>(type->typmods, make_integer(value, location)); }

List<Expr*> Parser::type_modifiers() {
  List<Expr*> list;
  if (!accept('(')) return list;
  list = expression_list();
  expect(')');
  return list;
}

TypeName* Parser::numeric_type() {
  const int location = loc();
  const Tok word = tok();
  advance();
  switch (word) {
    case Tok::kw_int:
    case Tok::kw_integer: return system_type("int4", location);
    case Tok::kw_smallint: return system_type("int2", location);
    case Tok::kw_bigint: return system_type("int8", location);
    case Tok::kw_real: return system_type("float4", location);
    case Tok::kw_boolean: return system_type("bool", location);
    case Tok::kw_double: expect(Tok::kw_precision); return system_type("float8", location);
    case Tok::kw_float: {
      if (!accept('(')) return system_type("float8", location);
      const int at_number = loc();
      const int bits = integer_constant();
      expect(')');
      if (bits < 1) throw SqlError(sqlstate::invalid_parameter_value, "precision for type float must be at least 1 bit").at(at_number);
      if (bits > 53) throw SqlError(sqlstate::invalid_parameter_value, "precision for type float must be less than 54 bits").at(at_number);
      return system_type(bits <= 24 ? "float4" : "float8", location);
    }
    default: break;
  }
  TypeName* type = system_type("numeric", location);
  type->typmods = type_modifiers();
  return type;
}

// bit is bit(1), bit varying has no limit.
TypeName* Parser::bit_type() {
  const int location = loc();
  advance();
  const bool varying = accept(Tok::kw_varying);
  TypeName* type = system_type(varying ? "varbit" : "bit", location);
  if (at('(')) {
    type->typmods = type_modifiers();
  } else if (!varying) {
    push_integer_typmod(type, 1, -1);
  }
  return type;
}

// character is character(1), varchar has no limit.
TypeName* Parser::character_type() {
  const int location = loc();
  bool varying = at(Tok::kw_varchar);
  if (accept(Tok::kw_national) && !at_any(Tok::kw_character, Tok::kw_char)) syntax_error();
  advance();
  if (!varying) varying = accept(Tok::kw_varying);
  TypeName* type = system_type(varying ? "varchar" : "bpchar", location);
  if (accept('(')) {
    const int l = loc();
    push_integer_typmod(type, integer_constant(), l);
    expect(')');
  } else if (!varying) {
    push_integer_typmod(type, 1, -1);
  }
  return type;
}

// [WITH TIME ZONE | WITHOUT TIME ZONE]
bool Parser::time_zone_suffix() {
  if (accept(Tok::with_la)) {
    expect_all(Tok::kw_time, Tok::kw_zone);
    return true;
  }
  if (accept(Tok::kw_without)) expect_all(Tok::kw_time, Tok::kw_zone);
  return false;
}

TypeName* Parser::datetime_type() {
  const int location = loc();
  const bool stamp = at(Tok::kw_timestamp);
  advance();
  List<Expr*> typmods;
  if (accept('(')) {
    const int l = loc();
    push<Expr*>(typmods, make_integer(integer_constant(), l));
    expect(')');
  }
  const bool zone = time_zone_suffix();
  TypeName* type = system_type(stamp ? (zone ? "timestamptz" : "timestamp") : (zone ? "timetz" : "time"), location);
  type->typmods = typmods;
  return type;
}

// [YEAR [TO MONTH] | DAY [TO HOUR …] | … SECOND [(p)]]
void Parser::interval_fields(TypeName* type) {
  const int location = loc();
  int mask = 0;
  auto second = [&] {
    advance();
    push_integer_typmod(type, mask | (1 << kSecond), location);
    if (accept('(')) {
      const int l = loc();
      push_integer_typmod(type, integer_constant(), l);
      expect(')');
    }
  };
  auto upto = [&](Tok word, int bits) {
    if (!at(word)) return false;
    advance();
    push_integer_typmod(type, mask | bits, location);
    return true;
  };
  constexpr int hour_minute = (1 << kHour) | (1 << kMinute);
  const Tok first = tok();
  switch (first) {
    case Tok::kw_second: return second();
    case Tok::kw_year: mask = 1 << kYear; break;
    case Tok::kw_month: mask = 1 << kMonth; break;
    case Tok::kw_day: mask = 1 << kDay; break;
    case Tok::kw_hour: mask = 1 << kHour; break;
    case Tok::kw_minute: mask = 1 << kMinute; break;
    default: return;
  }
  advance();
  if (first == Tok::kw_month || !accept(Tok::kw_to)) return push_integer_typmod(type, mask, location);
  if (first == Tok::kw_year) {
    if (!upto(Tok::kw_month, 1 << kMonth)) syntax_error();
    return;
  }
  if (first == Tok::kw_day && upto(Tok::kw_hour, 1 << kHour)) return;
  if (first == Tok::kw_day && upto(Tok::kw_minute, hour_minute)) return;
  if (first == Tok::kw_hour && upto(Tok::kw_minute, 1 << kMinute)) return;
  if (!at(Tok::kw_second)) syntax_error();
  if (first == Tok::kw_day) mask |= hour_minute;
  if (first == Tok::kw_hour) mask |= 1 << kMinute;
  second();
}

TypeName* Parser::interval_type() {
  TypeName* type = system_type("interval", loc());
  advance();
  if (accept('(')) {
    const int l = loc();
    const int precision = integer_constant();
    expect(')');
    push_integer_typmod(type, kFullRange, -1);
    push_integer_typmod(type, precision, l);
  } else {
    interval_fields(type);
  }
  return type;
}

TypeName* Parser::builtin_type() {
  switch (tok()) {
    case Tok::kw_int:
    case Tok::kw_integer:
    case Tok::kw_smallint:
    case Tok::kw_bigint:
    case Tok::kw_real:
    case Tok::kw_boolean:
    case Tok::kw_float:
    case Tok::kw_decimal:
    case Tok::kw_dec:
    case Tok::kw_numeric: return numeric_type();
    case Tok::kw_double: return next_is(Tok::kw_precision) ? numeric_type() : nullptr;
    case Tok::kw_bit: return bit_type();
    case Tok::kw_character:
    case Tok::kw_char:
    case Tok::kw_varchar:
    case Tok::kw_national:
    case Tok::kw_nchar: return character_type();
    case Tok::kw_time:
    case Tok::kw_timestamp: return datetime_type();
    case Tok::kw_interval: return interval_type();
    default: return nullptr;
  }
}

// In an expression these words begin a typed literal only if what follows fits; otherwise they are column names.
bool Parser::begins_builtin_type() {
  switch (tok()) {
    case Tok::kw_int:
    case Tok::kw_integer:
    case Tok::kw_smallint:
    case Tok::kw_bigint:
    case Tok::kw_real:
    case Tok::kw_boolean: return next_is(Tok::string);
    case Tok::kw_float:
    case Tok::kw_decimal:
    case Tok::kw_dec:
    case Tok::kw_numeric:
    case Tok::kw_varchar: return next_is(Tok::string) || next_is('(');
    case Tok::kw_double: return next_is(Tok::kw_precision);
    case Tok::kw_bit:
    case Tok::kw_character:
    case Tok::kw_char:
    case Tok::kw_nchar: return next_is(Tok::string) || next_is('(') || next_is(Tok::kw_varying);
    case Tok::kw_national: return next_is(Tok::kw_character) || next_is(Tok::kw_char);
    case Tok::kw_time:
    case Tok::kw_timestamp: return next_is(Tok::string) || next_is('(') || next_is(Tok::with_la) || next_is(Tok::kw_without);
    default: return false;
  }
}

TypeName* Parser::generic_type() {
  TypeName* type = make<TypeName>();
  push(type->names, function_id());
  append_attributes(type->names);
  type->typmods = type_modifiers();
  return type;
}

TypeName* Parser::simple_type_name() {
  TypeName* type = builtin_type();
  return type != nullptr ? type : generic_type();
}

void Parser::array_bounds(TypeName* type) {
  if (accept(Tok::kw_array)) {
    int size = -1;
    if (accept('[')) {
      size = integer_constant();
      expect(']');
    }
    push(type->array_bounds, size);
    return;
  }
  while (accept('[')) {
    push(type->array_bounds, at(']') ? -1 : integer_constant());
    expect(']');
  }
}

TypeName* Parser::type_name() {
  const int location = loc();
  const bool set_of = accept(Tok::kw_setof);
  TypeName* type = simple_type_name();
  type->location = set_of ? location : type->location;
  type->set_of = set_of;
  array_bounds(type);
  return type;
}

// A type, or name.column%TYPE.
TypeName* Parser::function_type() {
  const bool set_of = accept(Tok::kw_setof);
  TypeName* type = builtin_type();
  if (type == nullptr) {
    type = make<TypeName>();
    push(type->names, function_id());
    const bool qualified = at('.');
    append_attributes(type->names);
    if (qualified && accept('%')) {
      expect(Tok::kw_type);
      type->percent_type = true;
      type->set_of = set_of;
      return type;
    }
    type->typmods = type_modifiers();
  }
  type->set_of = set_of;
  array_bounds(type);
  return type;
}

}  // namespace hathi::parser
