#pragma once
// How SQL functions are called. Implementations live in types/ and elsewhere, named by pg_proc OID; every process resolves the
// OID in its own table, so plans may be shared.

#include <cstdint>
#include <span>

#include "hathi/base/ids.h"
#include "hathi/datum/datum.h"
#include "hathi/datum/tuple.h"

namespace hathi {

struct FunctionCall;
using FunctionPointer = Datum (*)(FunctionCall& call);

// Receives the rows of a materialising set-returning function.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void put(const Datum* values, const bool* nulls) = 0;
};

// What the running statement offers to functions. Owned by the executor; a subset may be absent outside statements.
struct FunctionContext {
  Arena* arena = nullptr;            // results live here until the next row
  const char* statement = nullptr;
};

// The static side of a call: one per call site, prepared once.
struct FunctionSite {
  FunctionPointer function = nullptr;
  Oid oid = kInvalidOid;
  Oid collation = kInvalidOid;
  Oid result_type = kInvalidOid;
  std::int16_t argument_count = 0;
  bool strict = false;               // NULL argument: not called, NULL result (checked by the caller, i.e. invoke())
  bool returns_set = false;
  bool variadic_array = false;       // called with VARIADIC array
  const Oid* argument_types = nullptr;      // actual types, for polymorphic functions; may be null for simple calls
  const std::int32_t* constant_typmods = nullptr;
  void* user_data = nullptr;         // e.g. an SQL function's body
};

// One call. Arguments are in args[0 .. argument_count).
struct FunctionCall {
  const FunctionSite* site = nullptr;
  FunctionContext* context = nullptr;
  NullableDatum* args = nullptr;
  bool result_is_null = false;
  void** state = nullptr;            // per-site state of this execution, allocated in state_arena on first use; may be null
  Arena* state_arena = nullptr;      // lives as long as the statement
  // Aggregates: the memory in which a by-reference transition value must live; null outside aggregates.
  Arena* aggregate_arena = nullptr;
  // Set-returning functions (one row a call): the function sets done when there is no further row.
  bool done = false;
  // Set-returning functions that write all rows: rows go to sink, the row type is result_row.
  RowSink* sink = nullptr;
  const TupleDescriptor* result_row = nullptr;

  Datum arg(int i) const { return args[i].value; }
  bool arg_null(int i) const { return args[i].is_null; }
  Arena& arena() const { return *context->arena; }
  Oid collation() const { return site->collation; }
  Datum null() { result_is_null = true; return Datum(); }
  std::string_view text(int i) const { return varlena::text(args[i].value, *context->arena); }
};

// Calls with NULL handling: strict functions with a NULL argument give NULL.
inline NullableDatum invoke(FunctionCall& call) {
  if (call.site->strict) {
    for (int i = 0; i < call.site->argument_count; ++i) {
      if (call.args[i].is_null) return {};
    }
  }
  call.result_is_null = false;
  Datum value = call.site->function(call);
  return {value, call.result_is_null};
}

// --- registration -----------------------------------------------------------------------------------------------------
enum class FunctionKind : std::uint8_t { scalar, set_per_call, set_materialize };
// One built-in function. Its signature, strictness and volatility are in the catalog data (catalog/data/pg_proc.dat).
struct BuiltinFunction {
  Oid oid;
  FunctionPointer function;
  FunctionKind kind = FunctionKind::scalar;
};
// Adds a table; called once per table before the first fork by types/register_all(), catalog/, session/ ….
void register_functions(std::span<const BuiltinFunction> table);
// nullptr when there is no such built-in.
const BuiltinFunction* find_builtin_function(Oid oid);
// 0A000 for an OID that PostgreSQL's catalogs name and no table here has; XX000 for any other.
[[noreturn]] void throw_missing_function(Oid function);

// Direct calls by OID for code that has fixed arguments (index comparisons, type output, …). Results are allocated in arena.
// NULL results throw internal_error.
Datum call_function(Oid function, Arena& arena, std::span<const Datum> args, Oid collation = kInvalidOid);
inline Datum call_function(Oid function, Arena& arena, std::initializer_list<Datum> args, Oid collation = kInvalidOid) {
  return call_function(function, arena, std::span<const Datum>(args.begin(), args.size()), collation);
}

// How a comparison is done: by calling the function, or for well-known ones in line on the bits.
enum class CompareKind : std::uint8_t {
  call, int2, int4, int8, int24, int42, int28, int82, int48, int84, unsigned4, unsigned8, boolean, character, name_bytes, text_bytes
};

// A prepared three-way comparison of one column (an operator class's support function 1): the hot path of indexes, sorts and
// merge joins.
struct ComparisonFunction {
  FunctionPointer function = nullptr;
  FunctionSite site;
  CompareKind kind = CompareKind::call;
};
// Resolves the function here and recognises the built-in ones that need no call. Throws internal_error for an unknown OID.
ComparisonFunction prepare_comparison(Oid function, Oid collation);
// The same when the call is dear: functions, names, texts. Both not null.
int compare_by_call(const ComparisonFunction& comparison, Datum a, Datum b, Arena& scratch);
template <class T>
constexpr int three_way(T a, T b) { return a < b ? -1 : (a > b ? 1 : 0); }
// <0, 0, >0. Both not null. scratch: detoasted values go there.
inline int compare(const ComparisonFunction& comparison, Datum a, Datum b, Arena& scratch) {
  switch (comparison.kind) {
    case CompareKind::int2: return three_way(a.as_int16(), b.as_int16());
    case CompareKind::int4: return three_way(a.as_int32(), b.as_int32());
    case CompareKind::int8: return three_way(a.as_int64(), b.as_int64());
    case CompareKind::int24: return three_way<std::int32_t>(a.as_int16(), b.as_int32());
    case CompareKind::int42: return three_way<std::int32_t>(a.as_int32(), b.as_int16());
    case CompareKind::int28: return three_way<std::int64_t>(a.as_int16(), b.as_int64());
    case CompareKind::int82: return three_way<std::int64_t>(a.as_int64(), b.as_int16());
    case CompareKind::int48: return three_way<std::int64_t>(a.as_int32(), b.as_int64());
    case CompareKind::int84: return three_way<std::int64_t>(a.as_int64(), b.as_int32());
    case CompareKind::unsigned4: return three_way(a.as_uint32(), b.as_uint32());
    case CompareKind::unsigned8: return three_way(a.as_uint64(), b.as_uint64());
    case CompareKind::boolean: return three_way<int>(a.as_bool() ? 1 : 0, b.as_bool() ? 1 : 0);
    case CompareKind::character: return three_way(static_cast<unsigned char>(a.as_char()), static_cast<unsigned char>(b.as_char()));
    case CompareKind::call: case CompareKind::name_bytes: case CompareKind::text_bytes: break;
  }
  return compare_by_call(comparison, a, b, scratch);
}

}  // namespace hathi
