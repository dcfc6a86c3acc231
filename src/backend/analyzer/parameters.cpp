// $n: given types, or types deduced from the first use.

#include "state.h"

namespace hathi::analyzer {
namespace {

// As many as PostgreSQL counts to; more than a Bind message can carry.
constexpr int kMaxParameters = 0x7FFFFFFF / 4;
// Memory is set aside for every number below the highest.
constexpr int kReasonableParameters = 1 << 20;

Parameter* make_parameter(Arena& arena, int number, Oid type, std::int32_t typmod, int location) {
  auto* parameter = make<Parameter>(arena, location);
  parameter->source = Parameter::Source::external;
  parameter->number = number;
  parameter->type = type;
  parameter->typmod = typmod;
  parameter->collation = type_collation(type);
  return parameter;
}

}  // namespace

Expr* transform_parameter(ParseState& ps, const ast::ParamRef* ref) {
  ParameterTypes* known = ps.root.parameters;
  int n = ref->number;
  if (known == nullptr || n < 1 || n > kMaxParameters || (!known->infer && n > static_cast<int>(known->types.size())))
    throw SqlError(sqlstate::undefined_parameter, "there is no parameter ${}", n).at(ref->location);
  if (n > kReasonableParameters) throw SqlError(sqlstate::program_limit_exceeded, "too many parameters: ${}", n).at(ref->location);
  if (n > static_cast<int>(known->types.size())) known->types.resize(static_cast<std::size_t>(n), kInvalidOid);
  Oid& type = known->types[static_cast<std::size_t>(n - 1)];
  if (!known->infer && !is_valid(type)) throw SqlError(sqlstate::undefined_parameter, "there is no parameter ${}", n).at(ref->location);
  if (!is_valid(type)) type = type_oid::unknown;
  Parameter* parameter = make_parameter(ps.arena, n, type, -1, ref->location);
  if (known->infer && type == type_oid::unknown) ps.root.unknown_parameters.push_back(parameter);
  return parameter;
}

Expr* coerce_parameter(Root& root, Parameter* parameter, Oid type, std::int32_t typmod, int location) {
  ParameterTypes* known = root.parameters;
  if (!known->infer || parameter->source != Parameter::Source::external || parameter->type != type_oid::unknown) return nullptr;
  int n = parameter->number;
  if (n < 1 || n > static_cast<int>(known->types.size())) return nullptr;
  Oid& place = known->types[static_cast<std::size_t>(n - 1)];
  if (place == type_oid::unknown) {
    place = type;
  } else if (place != type) {
    throw SqlError(sqlstate::ambiguous_parameter, "inconsistent types deduced for parameter ${}", n)
        .detail(catalog::format_type(place) + " versus " + catalog::format_type(type))
        .at(parameter->location);
  }
  parameter->type = type;
  // The modifier is not part of the parameter's type: values arrive without it and are coerced where needed.
  parameter->typmod = -1;
  parameter->collation = type_collation(type);
  if (location >= 0 && (parameter->location < 0 || location < parameter->location)) parameter->location = location;
  return parameter;
}

void check_parameters(Root& root) {
  ParameterTypes* known = root.parameters;
  if (known == nullptr || !known->infer) return;
  // A use that did not need a type may stand before the one that gave it: both must agree.
  for (const Parameter* p : root.unknown_parameters) {
    if (p->type != known->types[static_cast<std::size_t>(p->number - 1)])
      throw SqlError(sqlstate::ambiguous_parameter, "could not determine data type of parameter ${}", p->number).at(p->location);
  }
  for (std::size_t i = 0; i < known->types.size(); ++i) {
    if (!is_valid(known->types[i]) || known->types[i] == type_oid::unknown)
      throw SqlError(sqlstate::indeterminate_datatype, "could not determine data type of parameter ${}", i + 1);
  }
}

}  // namespace hathi::analyzer
