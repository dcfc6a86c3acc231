// Default arguments of functions as expressions.

#include <string>

#include "hathi/catalog/lookup.h"
#include "hathi/nodes/visit.h"
#include "src/backend/catalog/builtin.h"
#include "src/backend/catalog/data.h"

namespace hathi::catalog {

namespace {

nodes::Expr* text_constant(std::string_view value, Arena& arena) {
  auto* c = nodes::make<nodes::Constant>(arena);
  c->type = type_oid::text;
  c->collation = kDefaultCollation;
  c->layout = {-1, false, 'i'};
  c->value = varlena::make(arena, value);
  return c;
}

nodes::Expr* number_constant(Oid type, std::string_view value, Arena& arena) {
  auto* c = nodes::make<nodes::Constant>(arena);
  c->type = type;
  c->layout = type_info(type).layout;
  c->is_null = value == "NULL";
  if (c->is_null) return c;
  switch (raw(type)) {
    case raw(type_oid::bool_): c->value = Datum::of(value == "true"); break;
    case raw(type_oid::int8): c->value = Datum::of(static_cast<std::int64_t>(std::stoll(std::string(value)))); break;
    case raw(type_oid::float8): c->value = Datum::of(std::stod(std::string(value))); break;
    default: c->value = Datum::of(static_cast<std::int32_t>(std::stol(std::string(value)))); break;
  }
  return c;
}

nodes::Expr* builtin_default(std::string_view spec, Arena& arena) {
  std::size_t blank = spec.find(' ');
  Oid type{data::parse_number(spec.substr(0, blank))};
  std::string_view value = spec.substr(blank + 1);
  switch (raw(type)) {
    case raw(type_oid::text): return text_constant(value, arena);
    case raw(type_oid::bool_): case raw(type_oid::int4): case raw(type_oid::int8): case raw(type_oid::float8): return number_constant(type, value, arena);
    default: break;
  }
  auto* coerce = nodes::make<nodes::CoerceIo>(arena);
  coerce->arg = text_constant(value, arena);
  coerce->type = type;
  coerce->collation = type_info(type).collation;
  coerce->form = nodes::CallForm::explicit_cast;
  return coerce;
}

}  // namespace

List<nodes::Expr*> default_arguments(const FunctionInfo& function, Arena& arena) {
  if (!function.default_nodes.empty()) return nodes::list_from_text(function.default_nodes, arena);
  List<nodes::Expr*> list;
  for (std::string_view spec : data::split(builtin::function_defaults(function), '|')) list.push_back(arena, builtin_default(spec, arena));
  return list;
}

}  // namespace hathi::catalog
