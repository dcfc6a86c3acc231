// Type bool.

#include "hathi/types/binary.h"
#include "hathi/types/hash.h"
#include "adapter.h"
#include "errors.h"
#include "parse.h"
#include "tables.h"
#include "type_io.h"

namespace hathi::types {

namespace {

bool is_prefix_of(std::string_view text, std::string_view word, std::size_t shortest) {
  return text.size() >= shortest && text.size() <= word.size() && equals_ignoring_case(text, word.substr(0, text.size()));
}

bool boolin(CString input) {
  std::string_view s = trim_space(input.view());
  if (s == "1" || is_prefix_of(s, "true", 1) || is_prefix_of(s, "yes", 1) || is_prefix_of(s, "on", 2)) return true;
  if (s == "0" || is_prefix_of(s, "false", 1) || is_prefix_of(s, "no", 1) || is_prefix_of(s, "off", 2)) return false;
  throw_invalid_syntax("boolean", input.view());
}
CString boolout(bool v) { return {v ? "t" : "f"}; }
bool boolrecv(Datum reader) { return const_cast<BinaryReader*>(reader.as_pointer<BinaryReader>())->integer<std::uint8_t>() != 0; }
std::string_view boolsend(bool v) { return {v ? "\1" : "\0", 1}; }
std::string_view booltext(bool v) { return v ? "true" : "false"; }

bool booleq(bool a, bool b) { return a == b; }
bool boolne(bool a, bool b) { return a != b; }
bool boollt(bool a, bool b) { return a < b; }
bool boolgt(bool a, bool b) { return a > b; }
bool boolle(bool a, bool b) { return a <= b; }
bool boolge(bool a, bool b) { return a >= b; }
std::int32_t btboolcmp(bool a, bool b) { return static_cast<int>(a) - static_cast<int>(b); }
bool booland_statefunc(bool a, bool b) { return a && b; }
bool boolor_statefunc(bool a, bool b) { return a || b; }

// The moving-aggregate state of bool_and and bool_or.
struct BoolCounts {
  std::int64_t total = 0;
  std::int64_t trues = 0;
};
BoolCounts* counts(FunctionCall& call) {
  return call.arg_null(0) ? aggregate_arena(call).make<BoolCounts>() : const_cast<BoolCounts*>(call.arg(0).as_pointer<BoolCounts>());
}
Datum bool_accum(FunctionCall& call) {
  BoolCounts* state = counts(call);
  if (!call.arg_null(1)) {
    ++state->total;
    state->trues += call.arg(1).as_bool() ? 1 : 0;
  }
  return Datum::of(static_cast<const void*>(state));
}
Datum bool_accum_inv(FunctionCall& call) {
  BoolCounts* state = counts(call);
  if (!call.arg_null(1)) {
    --state->total;
    state->trues -= call.arg(1).as_bool() ? 1 : 0;
  }
  return Datum::of(static_cast<const void*>(state));
}
Datum bool_alltrue(FunctionCall& call) {
  if (call.arg_null(0)) return call.null();
  const auto* state = call.arg(0).as_pointer<BoolCounts>();
  return state->total == 0 ? call.null() : Datum::of(state->trues == state->total);
}
Datum bool_anytrue(FunctionCall& call) {
  if (call.arg_null(0)) return call.null();
  const auto* state = call.arg(0).as_pointer<BoolCounts>();
  return state->total == 0 ? call.null() : Datum::of(state->trues > 0);
}

constexpr BuiltinFunction kTable[] = {
    {Oid{1242}, fn<boolin>},
    {Oid{1243}, fn<boolout>},
    {Oid{2436}, fn<boolrecv>},
    {Oid{2437}, fn<boolsend>},
    {Oid{2971}, fn<booltext>},
    {Oid{60}, fn<booleq>},
    {Oid{84}, fn<boolne>},
    {Oid{56}, fn<boollt>},
    {Oid{57}, fn<boolgt>},
    {Oid{1691}, fn<boolle>},
    {Oid{1692}, fn<boolge>},
    {Oid{1693}, fn<btboolcmp>},
    {Oid{2515}, fn<booland_statefunc>},
    {Oid{2516}, fn<boolor_statefunc>},
    {Oid{3496}, fn<bool_accum>},
    {Oid{3497}, fn<bool_accum_inv>},
    {Oid{3498}, fn<bool_alltrue>},
    {Oid{3499}, fn<bool_anytrue>},
};

}  // namespace

std::span<const BuiltinFunction> bool_functions() { return kTable; }

}  // namespace hathi::types
