#include "type_compare.h"

#include "hathi/error/sql_error.h"

namespace hathi::types {

namespace {

[[noreturn]] void throw_no_function(std::string_view what, Oid type) {
  throw SqlError(sqlstate::undefined_function, "could not identify {} for type {}", what, catalog::format_type(type));
}

void prepare(FunctionSite& site, Oid function, Oid collation, std::int16_t arguments) {
  const BuiltinFunction* builtin = find_builtin_function(function);
  if (builtin == nullptr) throw SqlError(sqlstate::internal_error, "cache lookup failed for function {}", raw(function));
  site.function = builtin->function;
  site.oid = function;
  site.collation = collation;
  site.argument_count = arguments;
  site.strict = true;
}

Datum call(const FunctionSite& site, NullableDatum* args, Arena& arena) {
  FunctionContext context;
  context.arena = &arena;
  FunctionCall c;
  c.site = &site;
  c.context = &context;
  c.args = args;
  return site.function(c);
}

}  // namespace

TypeOrder::TypeOrder(Oid type, Oid collation) {
  Oid function = catalog::type_info(type).compare_function;
  if (!is_valid(function)) throw_no_function("a comparison function", type);
  comparison_ = prepare_comparison(function, collation);
}

TypeEquality::TypeEquality(Oid type, Oid collation) {
  Oid op = catalog::type_info(type).equal_operator;
  if (!is_valid(op)) throw_no_function("an equality operator", type);
  prepare(site_, catalog::operator_info(op).function, collation, 2);
}
bool TypeEquality::operator()(Datum a, Datum b, Arena& arena) const {
  NullableDatum args[2] = {{a, false}, {b, false}};
  return call(site_, args, arena).as_bool();
}

TypeHash::TypeHash(Oid type, Oid collation, bool extended) {
  const catalog::TypeInfo& info = catalog::type_info(type);
  Oid function = extended ? info.extended_hash_function : info.hash_function;
  if (!is_valid(function)) throw_no_function(extended ? "an extended hash function" : "a hash function", type);
  prepare(site_, function, collation, extended ? 2 : 1);
}
std::uint32_t TypeHash::operator()(Datum v, Arena& arena) const {
  NullableDatum arg{v, false};
  return call(site_, &arg, arena).as_uint32();
}
std::uint64_t TypeHash::operator()(Datum v, std::uint64_t seed, Arena& arena) const {
  NullableDatum args[2] = {{v, false}, {Datum::of(seed), false}};
  return call(site_, args, arena).as_uint64();
}

}  // namespace hathi::types
