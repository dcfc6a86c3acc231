#include "type_io.h"

#include <algorithm>

#include "hathi/base/builtin_oids.h"
#include "hathi/base/stack.h"
#include "hathi/error/sql_error.h"
#include "hathi/types/array.h"
#include "parse.h"

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

Arena& aggregate_arena(const FunctionCall& call) {
  if (call.aggregate_arena == nullptr) throw SqlError(sqlstate::internal_error, "aggregate function called in non-aggregate context");
  return *call.aggregate_arena;
}

std::span<const std::int32_t> type_modifiers(FunctionCall& call) {
  ArrayView array(call.arg(0), call.arena());
  if (array.element_type() != type_oid::cstring) throw SqlError(sqlstate::array_subscript_error, "typmod array must be type cstring[]");
  if (array.dimensions() != 1) throw SqlError(sqlstate::array_subscript_error, "typmod array must be one-dimensional");
  ArrayElements elements = array_elements(array, {-2, false, 'c'}, call.arena());
  if (std::find(elements.nulls, elements.nulls + elements.count, true) != elements.nulls + elements.count) {
    throw SqlError(sqlstate::null_value_not_allowed, "typmod array must not contain nulls");
  }
  auto* numbers = call.arena().make_array<std::int32_t>(static_cast<std::size_t>(elements.count));
  for (int i = 0; i < elements.count; ++i) numbers[i] = parse_integer<std::int32_t>(elements.values[i].as_pointer<char>());
  return {numbers, static_cast<std::size_t>(elements.count)};
}

Oid argument_type(const FunctionCall& call, int i) {
  if (call.site->argument_types == nullptr) throw SqlError(sqlstate::internal_error, "could not determine input data type");
  return call.site->argument_types[i];
}

}  // namespace hathi::types
