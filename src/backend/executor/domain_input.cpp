// Input of domains: the base type's value, which must pass the domain's constraints.

#include "hathi/catalog/lookup.h"
#include "hathi/executor/executor.h"
#include "hathi/nodes/expression.h"
#include "hathi/types/binary.h"

namespace hathi::executor {

namespace {

Datum checked(FunctionCall& call, Oid domain, Oid base, std::int32_t typmod, NullableDatum value) {
  nodes::Constant constant;
  constant.kind = nodes::Constant::kKind;
  constant.type = base;
  constant.typmod = typmod;
  constant.layout = catalog::type_info(base).layout;
  constant.value = value.value;
  constant.is_null = value.is_null;
  nodes::CoerceDomain coerce;
  coerce.kind = nodes::CoerceDomain::kKind;
  coerce.arg = &constant;
  coerce.type = domain;
  NullableDatum result = evaluate(&coerce, {}, call.arena());
  if (result.is_null) return call.null();
  return result.value;
}

Datum element_of(const catalog::TypeInfo& type) { return Datum::of(is_valid(type.element) ? type.element : type.oid); }

Datum domain_in(FunctionCall& call) {
  Oid domain = call.arg(1).as_oid();
  std::int32_t typmod = -1;
  Oid base = catalog::base_type(domain, &typmod);
  if (call.arg_null(0)) return checked(call, domain, base, typmod, {Datum(), true});
  const catalog::TypeInfo& info = catalog::type_info(base);
  Datum value = call_function(info.input, call.arena(), {call.arg(0), element_of(info), Datum::of(typmod)});
  return checked(call, domain, base, typmod, {value, false});
}

Datum domain_receive(FunctionCall& call) {
  Oid domain = call.arg(1).as_oid();
  std::int32_t typmod = -1;
  Oid base = catalog::base_type(domain, &typmod);
  if (call.arg_null(0)) return checked(call, domain, base, typmod, {Datum(), true});
  const catalog::TypeInfo& info = catalog::type_info(base);
  if (!is_valid(info.receive)) throw SqlError(sqlstate::undefined_function, "no binary input function available for type {}", catalog::format_type(base));
  Datum value = call_function(info.receive, call.arena(), {call.arg(0), element_of(info), Datum::of(typmod)});
  return checked(call, domain, base, typmod, {value, false});
}

constexpr BuiltinFunction kFunctions[] = {{Oid{2597}, domain_in}, {Oid{2598}, domain_receive}};

}  // namespace

void register_domain_input() { register_functions(kFunctions); }

}  // namespace hathi::executor
