// Constants and small nodes.

#include <charconv>

#include "hathi/datum/function.h"
#include "state.h"

namespace hathi::analyzer {

Expr* make_constant(Arena& arena, Oid type, std::int32_t typmod, Oid collation, TypeLayout layout, Datum value, bool is_null, int location) {
  auto* constant = make<Constant>(arena, location);
  constant->type = type;
  constant->typmod = typmod;
  constant->collation = collation;
  constant->layout = layout;
  constant->value = value;
  constant->is_null = is_null;
  return constant;
}

Expr* make_null(Arena& arena, Oid type, std::int32_t typmod, Oid collation) {
  return make_constant(arena, type, typmod, collation, type_info(type).layout, Datum(), true);
}
Expr* make_bool(Arena& arena, bool value, int location) {
  return make_constant(arena, type_oid::bool_, -1, kInvalidOid, {1, true, 'c'}, Datum::of(value), false, location);
}
Expr* make_boolean(Arena& arena, BooleanExpr::Op op, const List<Expr*>& args, int location) {
  auto* node = make<BooleanExpr>(arena, location);
  node->op = op;
  node->args = args;
  return node;
}

namespace {

// A number that is no int4 as written: int8 when it fits, else numeric.
Expr* number_constant(ParseState& ps, const ast::Constant* constant) {
  std::string_view text = constant->text;
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) {
    if (value >= INT32_MIN && value <= INT32_MAX)
      return make_constant(ps.arena, type_oid::int4, -1, kInvalidOid, {4, true, 'i'}, Datum::of(static_cast<std::int32_t>(value)), false, constant->location);
    return make_constant(ps.arena, type_oid::int8, -1, kInvalidOid, {8, true, 'd'}, Datum::of(value), false, constant->location);
  }
  const TypeInfo& numeric = type_info(type_oid::numeric);
  try {
    Datum number = call_function(numeric.input, ps.arena, {Datum::of(ps.arena.copy(text).data()), Datum::of(kInvalidOid), Datum::of(std::int32_t{-1})});
    return make_constant(ps.arena, type_oid::numeric, -1, kInvalidOid, numeric.layout, number, false, constant->location);
  } catch (SqlError& e) {
    rethrow_at(e, constant->location);
  }
}

}  // namespace

Expr* transform_constant(ParseState& ps, const ast::Constant* constant) {
  constexpr TypeLayout kUnknownLayout{-2, false, 'c'};
  switch (constant->type) {
    case ast::ConstantKind::integer:
      return make_constant(ps.arena, type_oid::int4, -1, kInvalidOid, {4, true, 'i'}, Datum::of(constant->integer), false, constant->location);
    case ast::ConstantKind::number: return number_constant(ps, constant);
    case ast::ConstantKind::boolean: return make_bool(ps.arena, constant->integer != 0, constant->location);
    case ast::ConstantKind::string: {
      std::string_view text = ps.arena.copy(constant->text);
      return make_constant(ps.arena, type_oid::unknown, -1, kInvalidOid, kUnknownLayout, Datum::of(text.data()), false, constant->location);
    }
    case ast::ConstantKind::bit_string: {
      const TypeInfo& bit = type_info(type_oid::bit);
      if (find_builtin_function(bit.input) == nullptr) throw_not_supported("type bit", constant->location);
      try {
        Datum value = call_function(bit.input, ps.arena,
                                    {Datum::of(ps.arena.copy(constant->text).data()), Datum::of(kInvalidOid), Datum::of(std::int32_t{-1})});
        return make_constant(ps.arena, type_oid::bit, -1, kInvalidOid, bit.layout, value, false, constant->location);
      } catch (SqlError& e) {
        rethrow_at(e, constant->location);
      }
    }
    case ast::ConstantKind::null: break;
  }
  return make_constant(ps.arena, type_oid::unknown, -1, kInvalidOid, kUnknownLayout, Datum(), true, constant->location);
}

}  // namespace hathi::analyzer
