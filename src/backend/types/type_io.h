#pragma once
// Input and output of values of any type, by type OID.

#include <span>
#include <string_view>

#include "hathi/catalog/lookup.h"
#include "hathi/datum/function.h"

namespace hathi::types {

// The text of a value; lives in the arena (or is the value itself).
std::string_view output_text(Datum value, Oid type, Arena& arena);
// A value from its text; errors are the input function's.
Datum input_text(std::string_view text, Oid type, std::int32_t typmod, Arena& arena);
// OID argument that input and receive functions take beside the text: the element type, or the type itself.
Oid io_parameter(const catalog::TypeInfo& type);
// A prepared output function for many values of one type.
class OutputFunction {
 public:
  explicit OutputFunction(Oid type);
  std::string_view operator()(Datum value, Arena& arena) const;

 private:
  FunctionPointer function_;
  FunctionSite site_;
  bool is_text_;
};
class InputFunction {
 public:
  explicit InputFunction(Oid type);
  // text is followed by a NUL.
  Datum operator()(std::string_view text, std::int32_t typmod, Arena& arena) const;

 private:
  FunctionSite site_;
  Oid parameter_;
};

// The same call of another function with other arguments. A function never writes to those it got: they may be constants that stay.
inline Datum call_with(FunctionCall& call, NullableDatum* args, FunctionPointer function) {
  FunctionCall other = call;
  other.args = args;
  Datum value = function(other);
  call.result_is_null = other.result_is_null;
  return value;
}

// Where an aggregate's state lives; XX000 when its function is called by itself.
Arena& aggregate_arena(const FunctionCall& call);
// The numbers of a type modifier, which are argument 0 as an array of texts. 2202E, 22004, 22P02.
std::span<const std::int32_t> type_modifiers(FunctionCall& call);

// Declared argument type of a call's argument i; the type of polymorphic and "any" arguments as the call site found it.
// XX000 when the site does not say.
Oid argument_type(const FunctionCall& call, int i);

}  // namespace hathi::types
