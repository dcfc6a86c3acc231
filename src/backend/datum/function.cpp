#include "hathi/datum/function.h"

#include <array>
#include <unordered_map>

#include "hathi/error/sql_error.h"

namespace hathi {

namespace {

// Built-in functions have OIDs below kFirstNormalOid: a flat table, filled before the first fork and then shared by all.
constexpr std::size_t kTableSize = 16384;
std::array<const BuiltinFunction*, kTableSize> builtin_table;
std::unordered_map<std::uint32_t, const BuiltinFunction*>& other_functions() {
  static std::unordered_map<std::uint32_t, const BuiltinFunction*> map;
  return map;
}

constexpr Oid kCollationC{950};
constexpr Oid kCollationPosix{951};

CompareKind kind_of_comparison(Oid function, Oid collation) {
  switch (raw(function)) {
    case 350: return CompareKind::int2;
    case 351: return CompareKind::int4;
    case 842: return CompareKind::int8;
    case 2188: return CompareKind::int48;
    case 2189: return CompareKind::int84;
    case 2190: return CompareKind::int24;
    case 2191: return CompareKind::int42;
    case 2192: return CompareKind::int28;
    case 2193: return CompareKind::int82;
    case 356: return CompareKind::unsigned4;   // oid
    case 358: return CompareKind::character;
    case 1092: return CompareKind::int4;       // date
    case 1107: case 1314: case 2045: return CompareKind::int8;  // time, timestamptz, timestamp
    case 1693: return CompareKind::boolean;
    case 3251: case 5096: return CompareKind::unsigned8;  // pg_lsn, xid8
    case 359: return collation == kCollationC || collation == kCollationPosix ? CompareKind::name_bytes : CompareKind::call;
    case 360: return collation == kCollationC || collation == kCollationPosix ? CompareKind::text_bytes : CompareKind::call;
    case 1954: return CompareKind::text_bytes;  // bytea
    default: return CompareKind::call;
  }
}

int compare_bytes(std::string_view a, std::string_view b) {
  std::size_t common = a.size() < b.size() ? a.size() : b.size();
  int result = common == 0 ? 0 : std::memcmp(a.data(), b.data(), common);
  return result != 0 ? result : three_way(a.size(), b.size());
}

}  // namespace

void register_functions(std::span<const BuiltinFunction> table) {
  for (const BuiltinFunction& f : table) {
    if (raw(f.oid) < kTableSize) {
      builtin_table[raw(f.oid)] = &f;
    } else {
      other_functions()[raw(f.oid)] = &f;
    }
  }
}

const BuiltinFunction* find_builtin_function(Oid oid) {
  if (raw(oid) < kTableSize) return builtin_table[raw(oid)];
  auto found = other_functions().find(raw(oid));
  return found == other_functions().end() ? nullptr : found->second;
}

void throw_missing_function(Oid function) {
  constexpr std::uint32_t kFirstUserOid = 16384;
  if (raw(function) < kFirstUserOid)
    throw SqlError(sqlstate::feature_not_supported, "built-in function {} is not supported", raw(function));
  throw SqlError(sqlstate::internal_error, "cache lookup failed for function {}", raw(function));
}

Datum call_function(Oid function, Arena& arena, std::span<const Datum> args, Oid collation) {
  constexpr std::size_t kMaxArguments = 16;
  const BuiltinFunction* builtin = find_builtin_function(function);
  if (builtin == nullptr) throw_missing_function(function);
  HATHI_ASSERT(args.size() <= kMaxArguments);
  NullableDatum values[kMaxArguments];
  for (std::size_t i = 0; i < args.size(); ++i) values[i] = {args[i], false};
  FunctionSite site;
  site.function = builtin->function;
  site.oid = function;
  site.collation = collation;
  site.argument_count = static_cast<std::int16_t>(args.size());
  FunctionContext context;
  context.arena = &arena;
  FunctionCall call;
  call.site = &site;
  call.context = &context;
  call.args = values;
  call.state_arena = &arena;
  Datum result = site.function(call);
  if (call.result_is_null) throw SqlError(sqlstate::internal_error, "function {} returned NULL", raw(function));
  return result;
}

ComparisonFunction prepare_comparison(Oid function, Oid collation) {
  ComparisonFunction comparison;
  comparison.kind = kind_of_comparison(function, collation);
  const BuiltinFunction* builtin = find_builtin_function(function);
  if (builtin == nullptr && comparison.kind == CompareKind::call) {
    throw_missing_function(function);
  }
  comparison.function = builtin == nullptr ? nullptr : builtin->function;
  comparison.site.function = comparison.function;
  comparison.site.oid = function;
  comparison.site.collation = collation;
  comparison.site.argument_count = 2;
  comparison.site.strict = true;
  return comparison;
}

int compare_by_call(const ComparisonFunction& comparison, Datum a, Datum b, Arena& scratch) {
  switch (comparison.kind) {
    case CompareKind::name_bytes: return std::strncmp(a.as_pointer<char>(), b.as_pointer<char>(), kNameLength);
    case CompareKind::text_bytes: return compare_bytes(varlena::text(a, scratch), varlena::text(b, scratch));
    default: break;
  }
  NullableDatum args[2] = {{a, false}, {b, false}};
  FunctionContext context;
  context.arena = &scratch;
  FunctionCall call;
  call.site = &comparison.site;
  call.context = &context;
  call.args = args;
  call.state_arena = &scratch;
  Datum result = comparison.function(call);
  if (call.result_is_null) throw SqlError(sqlstate::internal_error, "function {} returned NULL", raw(comparison.site.oid));
  return result.as_int32();
}

}  // namespace hathi
