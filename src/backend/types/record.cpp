// Text form and comparison of composite values.

#include <string>
#include <vector>

#include "hathi/base/stack.h"
#include "hathi/catalog/lookup.h"
#include "hathi/catalog/relation.h"
#include "hathi/datum/record_types.h"
#include "hathi/error/sql_error.h"
#include "tables.h"

namespace hathi::types {

namespace {

struct Fields {
  const TupleDescriptor* row = nullptr;
  Datum* values = nullptr;
  bool* nulls = nullptr;
};

const TupleDescriptor* describe(Oid type, std::int32_t typmod, Arena& arena) {
  if (type == type_oid::record) {
    const TupleDescriptor* d = find_record_type(typmod);
    if (d == nullptr) throw SqlError(sqlstate::wrong_object_type, "record type has not been registered");
    return d;
  }
  catalog::RelationRef relation = catalog::open_relation(catalog::type_info(catalog::base_type(type)).relation, locking::LockMode::access_share);
  return copy_descriptor(*relation->descriptor, arena);
}

Fields open_fields(Datum record, Arena& arena) {
  Fields f;
  Datum readable = Datum::of(static_cast<const void*>(varlena::aligned(record, arena)));
  f.row = describe(record_type(readable), record_typmod(readable), arena);
  HeapTuple tuple = open_record(readable, arena);
  auto n = static_cast<std::size_t>(f.row->count());
  f.values = arena.make_array<Datum>(n + 1);
  f.nulls = arena.make_array<bool>(n + 1);
  deform_tuple(tuple, *f.row, f.row->count(), f.values, f.nulls);
  return f;
}

void append_quoted(std::string& out, std::string_view text) {
  bool quote = text.empty() || text.find_first_of("\"\\(), \t\n\r\v\f") != std::string_view::npos;
  if (!quote) {
    out += text;
    return;
  }
  out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\') out += c;
    out += c;
  }
  out += '"';
}

Datum record_out(FunctionCall& call) {
  check_stack_depth();
  Arena& arena = call.arena();
  Fields f = open_fields(call.arg(0), arena);
  std::string out = "(";
  bool first = true;
  for (int i = 0; i < f.row->count(); ++i) {
    const Attribute& a = (*f.row)[i];
    if (a.dropped) continue;
    if (!first) out += ',';
    first = false;
    if (f.nulls[i]) continue;
    append_quoted(out, call_function(catalog::type_info(a.type).output, arena, {f.values[i]}).as_pointer<char>());
  }
  out += ')';
  return Datum::of(static_cast<const void*>(arena.copy(out).data()));
}

// Column by column; NULLs are equal to each other and above all.
int compare_records(FunctionCall& call, bool equality) {
  check_stack_depth();
  Arena& arena = call.arena();
  Fields a = open_fields(call.arg(0), arena), b = open_fields(call.arg(1), arena);
  int i = 0, j = 0, column = 0;
  for (;; ++i, ++j) {
    while (i < a.row->count() && (*a.row)[i].dropped) ++i;
    while (j < b.row->count() && (*b.row)[j].dropped) ++j;
    if (i >= a.row->count() || j >= b.row->count()) break;
    ++column;
    const Attribute& x = (*a.row)[i];
    const Attribute& y = (*b.row)[j];
    if (x.type != y.type) {
      throw SqlError(sqlstate::datatype_mismatch, "cannot compare dissimilar column types {} and {} at record column {}", catalog::format_type(x.type),
                     catalog::format_type(y.type), column);
    }
    if (a.nulls[i] || b.nulls[j]) {
      if (a.nulls[i] != b.nulls[j]) return a.nulls[i] ? 1 : -1;
      continue;
    }
    Oid function = catalog::type_info(x.type).compare_function;
    if (!is_valid(function)) {
      throw SqlError(sqlstate::undefined_function, "could not identify {} for type {}", equality ? "an equality operator" : "a comparison function",
                     catalog::format_type(x.type));
    }
    ComparisonFunction order = prepare_comparison(function, x.collation == y.collation ? x.collation : kInvalidOid);
    int c = compare(order, a.values[i], b.values[j], arena);
    if (c != 0) return c < 0 ? -1 : 1;
  }
  if (i < a.row->count() || j < b.row->count()) throw SqlError(sqlstate::datatype_mismatch, "cannot compare record types with different numbers of columns");
  return 0;
}

Datum record_eq(FunctionCall& call) { return Datum::of(compare_records(call, true) == 0); }
Datum record_ne(FunctionCall& call) { return Datum::of(compare_records(call, true) != 0); }
Datum record_lt(FunctionCall& call) { return Datum::of(compare_records(call, false) < 0); }
Datum record_gt(FunctionCall& call) { return Datum::of(compare_records(call, false) > 0); }
Datum record_le(FunctionCall& call) { return Datum::of(compare_records(call, false) <= 0); }
Datum record_ge(FunctionCall& call) { return Datum::of(compare_records(call, false) >= 0); }
Datum btrecordcmp(FunctionCall& call) { return Datum::of(std::int32_t{compare_records(call, false)}); }

constexpr BuiltinFunction kFunctions[] = {{Oid{2291}, record_out}, {Oid{2981}, record_eq}, {Oid{2982}, record_ne}, {Oid{2983}, record_lt},
                                          {Oid{2984}, record_gt},  {Oid{2985}, record_le}, {Oid{2986}, record_ge}, {Oid{2987}, btrecordcmp}};

}  // namespace

std::span<const BuiltinFunction> record_functions() { return kFunctions; }

}  // namespace hathi::types
