#include "type_io.h"

#include "hathi/base/builtin_oids.h"
#include "hathi/base/stack.h"
#include "hathi/error/sql_error.h"

namespace hathi::types {

namespace {

bool prints_as_payload(Oid type) { return type == type_oid::text || type == type_oid::varchar || type == type_oid::bpchar; }

FunctionPointer resolve(Oid function, Oid type, std::string_view what) {
  if (!is_valid(function)) {
    throw SqlError(sqlstate::undefined_function, "no {} function available for type {}", what, catalog::format_type(type));
  }
  const BuiltinFunction* builtin = find_builtin_function(function);
  if (builtin == nullptr) throw_not_supported(fmt::format("type {}", catalog::format_type(type)));
  return builtin->function;
}

Datum call_site(const FunctionSite& site, NullableDatum* args, Arena& arena) {
  FunctionContext context;
  context.arena = &arena;
  FunctionCall call;
  call.site = &site;
  call.context = &context;
  call.args = args;
  return site.function(call);
}

}  // namespace

Oid io_parameter(const catalog::TypeInfo& type) { return is_valid(type.element) ? type.element : type.oid; }

OutputFunction::OutputFunction(Oid type) : function_(nullptr), is_text_(prints_as_payload(type)) {
  if (is_text_) return;
  const catalog::TypeInfo& info = catalog::type_info(type);
  function_ = resolve(info.output, type, "output");
  site_.function = function_;
  site_.oid = info.output;
  site_.argument_count = 1;
  site_.strict = true;
}

std::string_view OutputFunction::operator()(Datum value, Arena& arena) const {
  if (is_text_) return varlena::text(value, arena);
  NullableDatum arg{value, false};
  return call_site(site_, &arg, arena).as_pointer<char>();
}

InputFunction::InputFunction(Oid type) {
  const catalog::TypeInfo& info = catalog::type_info(type);
  site_.function = resolve(info.input, type, "input");
  site_.oid = info.input;
  site_.argument_count = 3;
  site_.strict = true;
  parameter_ = io_parameter(info);
}

Datum InputFunction::operator()(std::string_view text, std::int32_t typmod, Arena& arena) const {
  NullableDatum args[3] = {{Datum::of(static_cast<const void*>(text.data())), false}, {Datum::of(parameter_), false}, {Datum::of(typmod), false}};
  return call_site(site_, args, arena);
}

std::string_view output_text(Datum value, Oid type, Arena& arena) { return OutputFunction(type)(value, arena); }

Datum input_text(std::string_view text, Oid type, std::int32_t typmod, Arena& arena) {
  return InputFunction(type)(arena.copy(text), typmod, arena);
}

Oid argument_type(const FunctionCall& call, int i) {
  if (call.site->argument_types == nullptr) throw SqlError(sqlstate::internal_error, "could not determine input data type");
  return call.site->argument_types[i];
}

}  // namespace hathi::types
