// Functions over arrays of any type.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "hathi/catalog/lookup.h"
#include "hathi/error/sql_error.h"
#include "hathi/types/array.h"
#include "tables.h"

namespace hathi::types {

namespace {

TypeLayout layout_of(Oid type) { return catalog::type_info(type).layout; }

std::string element_text(Datum value, Oid output, Arena& arena) { return call_function(output, arena, {value}).as_pointer<char>(); }

Datum array_to_string(FunctionCall& call) {
  if (call.args[0].is_null || call.args[1].is_null) return call.null();
  Arena& arena = call.arena();
  ArrayView a(call.arg(0), arena);
  std::string_view separator = call.text(1);
  bool has_null_text = call.site->argument_count > 2 && !call.args[2].is_null;
  std::string_view null_text = has_null_text ? call.text(2) : std::string_view();
  Oid output = catalog::type_info(a.element_type()).output;
  ArrayCursor cursor(a, layout_of(a.element_type()));
  std::string out;
  bool first = true;
  for (NullableDatum v; cursor.next(v);) {
    if (v.is_null && !has_null_text) continue;
    if (!first) out += separator;
    first = false;
    out += v.is_null ? std::string(null_text) : element_text(v.value, output, arena);
  }
  return varlena::make(arena, out);
}

// NULL separator: one character an element; empty separator: the whole text is one.
Datum string_to_array(FunctionCall& call) {
  if (call.args[0].is_null) return call.null();
  Arena& arena = call.arena();
  std::string_view text = call.text(0);
  bool has_null_text = call.site->argument_count > 2 && !call.args[2].is_null;
  std::string_view null_text = has_null_text ? call.text(2) : std::string_view();
  std::vector<std::string_view> parts;
  if (call.args[1].is_null) {
    for (std::size_t i = 0; i < text.size();) {
      std::size_t n = 1;
      while (i + n < text.size() && (static_cast<unsigned char>(text[i + n]) & 0xC0) == 0x80) ++n;
      parts.push_back(text.substr(i, n));
      i += n;
    }
  } else if (!text.empty()) {
    std::string_view separator = call.text(1);
    if (separator.empty()) {
      parts.push_back(text);
    } else {
      for (std::size_t at = 0;;) {
        std::size_t next = text.find(separator, at);
        parts.push_back(text.substr(at, next == std::string_view::npos ? next : next - at));
        if (next == std::string_view::npos) break;
        at = next + separator.size();
      }
    }
  }
  if (parts.empty()) return make_empty_array(arena, type_oid::text);
  std::vector<Datum> values;
  auto nulls = std::make_unique<bool[]>(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    nulls[i] = has_null_text && parts[i] == null_text;
    values.push_back(varlena::make(arena, parts[i]));
  }
  return make_array(arena, type_oid::text, layout_of(type_oid::text), values, nulls.get());
}

bool dimension_of(FunctionCall& call, ArrayView& a, int& dimension) {
  a = ArrayView(call.arg(0), call.arena());
  dimension = call.arg(1).as_int32() - 1;
  return dimension >= 0 && dimension < a.dimensions();
}
Datum array_length(FunctionCall& call) { ArrayView a; int d; return dimension_of(call, a, d) ? Datum::of(std::int32_t{a.length(d)}) : call.null(); }
Datum array_lower(FunctionCall& call) { ArrayView a; int d; return dimension_of(call, a, d) ? Datum::of(std::int32_t{a.lower(d)}) : call.null(); }
Datum array_upper(FunctionCall& call) { ArrayView a; int d; return dimension_of(call, a, d) ? Datum::of(std::int32_t{a.upper(d)}) : call.null(); }
Datum cardinality(FunctionCall& call) { return Datum::of(std::int32_t{ArrayView(call.arg(0), call.arena()).count()}); }
Datum array_ndims(FunctionCall& call) {
  int n = ArrayView(call.arg(0), call.arena()).dimensions();
  return n == 0 ? call.null() : Datum::of(std::int32_t{n});
}
Datum array_dims(FunctionCall& call) {
  ArrayView a(call.arg(0), call.arena());
  if (a.dimensions() == 0) return call.null();
  std::string out;
  for (int i = 0; i < a.dimensions(); ++i) out += fmt::format("[{}:{}]", a.lower(i), a.upper(i));
  return varlena::make(call.arena(), out);
}

// --- searching and changing ------------------------------------------------------------------------------------------------------
ComparisonFunction comparison_for(Oid element, Oid collation, std::string_view what) {
  Oid function = catalog::type_info(element).compare_function;
  if (!is_valid(function)) {
    throw SqlError(sqlstate::undefined_function, "could not identify {} for type {}", what, catalog::format_type(element));
  }
  return prepare_comparison(function, collation);
}

Datum position_from(FunctionCall& call, int start) {
  Arena& arena = call.arena();
  ArrayView a(call.arg(0), arena);
  if (a.dimensions() > 1) {
    throw SqlError(sqlstate::feature_not_supported, "searching for elements in multidimensional arrays is not supported");
  }
  if (a.dimensions() == 0) return call.null();
  ComparisonFunction equal = comparison_for(a.element_type(), call.collation(), "an equality operator");
  ArrayCursor cursor(a, layout_of(a.element_type()));
  int at = a.lower(0);
  for (NullableDatum v; cursor.next(v); ++at) {
    if (at < start) continue;
    bool same = v.is_null ? call.args[1].is_null : (!call.args[1].is_null && compare(equal, v.value, call.arg(1), arena) == 0);
    if (same) return Datum::of(std::int32_t{at});
  }
  return call.null();
}
Datum array_position(FunctionCall& call) { return call.args[0].is_null ? call.null() : position_from(call, INT32_MIN); }
Datum array_position_start(FunctionCall& call) {
  if (call.args[2].is_null) throw SqlError(sqlstate::null_value_not_allowed, "initial position must not be null");
  return call.args[0].is_null ? call.null() : position_from(call, call.arg(2).as_int32());
}

Datum array_positions(FunctionCall& call) {
  if (call.args[0].is_null) return call.null();
  Arena& arena = call.arena();
  ArrayView a(call.arg(0), arena);
  if (a.dimensions() > 1) throw SqlError(sqlstate::feature_not_supported, "searching for elements in multidimensional arrays is not supported");
  std::vector<Datum> found;
  if (a.dimensions() == 1) {
    ComparisonFunction equal = comparison_for(a.element_type(), call.collation(), "an equality operator");
    ArrayCursor cursor(a, layout_of(a.element_type()));
    int at = a.lower(0);
    for (NullableDatum v; cursor.next(v); ++at) {
      bool same = v.is_null ? call.args[1].is_null : (!call.args[1].is_null && compare(equal, v.value, call.arg(1), arena) == 0);
      if (same) found.push_back(Datum::of(std::int32_t{at}));
    }
  }
  if (found.empty()) return make_empty_array(arena, type_oid::int4);
  return make_array(arena, type_oid::int4, layout_of(type_oid::int4), found);
}

// The element type of a call's array, from the value or from the declared type.
Oid element_type_of(const FunctionCall& call, int i) {
  if (!call.args[i].is_null) {
    Arena scratch(256);
    return ArrayView(call.args[i].value, scratch).element_type();
  }
  return catalog::type_info(call.site->result_type).element;
}

struct Elements {
  std::vector<Datum> values;
  std::vector<char> nulls;
  int lower = 1;
};

Elements one_dimension(FunctionCall& call, int i) {
  Elements out;
  if (call.args[i].is_null) return out;
  ArrayView a(call.arg(i), call.arena());
  if (a.dimensions() > 1) throw SqlError(sqlstate::data_exception, "argument must be empty or one-dimensional array");
  if (a.dimensions() == 1) out.lower = a.lower(0);
  ArrayCursor cursor(a, layout_of(a.element_type()));
  for (NullableDatum v; cursor.next(v);) {
    out.values.push_back(v.value);
    out.nulls.push_back(v.is_null);
  }
  return out;
}

Datum build(FunctionCall& call, Oid element, const Elements& e) {
  if (e.values.empty()) return make_empty_array(call.arena(), element);
  auto nulls = std::make_unique<bool[]>(e.nulls.size());
  for (std::size_t i = 0; i < e.nulls.size(); ++i) nulls[i] = e.nulls[i] != 0;
  int length = static_cast<int>(e.values.size());
  return make_array(call.arena(), element, layout_of(element), e.values.data(), nulls.get(), 1, &length, &e.lower);
}

Datum array_append(FunctionCall& call) {
  Oid element = element_type_of(call, 0);
  Elements e = one_dimension(call, 0);
  e.values.push_back(call.arg(1));
  e.nulls.push_back(call.args[1].is_null);
  return build(call, element, e);
}

Datum array_prepend(FunctionCall& call) {
  Oid element = element_type_of(call, 1);
  Elements e = one_dimension(call, 1);
  e.values.insert(e.values.begin(), call.arg(0));
  e.nulls.insert(e.nulls.begin(), call.args[0].is_null);
  return build(call, element, e);
}

Datum array_remove(FunctionCall& call) {
  if (call.args[0].is_null) return call.null();
  Oid element = element_type_of(call, 0);
  ComparisonFunction equal = comparison_for(element, call.collation(), "an equality operator");
  Elements e = one_dimension(call, 0), kept;
  kept.lower = e.lower;
  for (std::size_t i = 0; i < e.values.size(); ++i) {
    bool same = e.nulls[i] != 0 ? call.args[1].is_null : (!call.args[1].is_null && compare(equal, e.values[i], call.arg(1), call.arena()) == 0);
    if (same) continue;
    kept.values.push_back(e.values[i]);
    kept.nulls.push_back(e.nulls[i]);
  }
  return build(call, element, kept);
}

Datum array_cat(FunctionCall& call) {
  if (call.args[0].is_null && call.args[1].is_null) return call.null();
  if (call.args[0].is_null) return call.arg(1);
  if (call.args[1].is_null) return call.arg(0);
  Arena& arena = call.arena();
  ArrayView a(call.arg(0), arena), b(call.arg(1), arena);
  if (a.dimensions() == 0) return call.arg(1);
  if (b.dimensions() == 0) return call.arg(0);
  Oid element = a.element_type();
  int n = std::max(a.dimensions(), b.dimensions());
  if (std::abs(a.dimensions() - b.dimensions()) > 1) throw SqlError(sqlstate::array_subscript_error, "cannot concatenate incompatible arrays");
  int lengths[kMaxDimensions], lowers[kMaxDimensions];
  ArrayView bigger = a.dimensions() >= b.dimensions() ? a : b;
  for (int i = 0; i < n; ++i) {
    lengths[i] = bigger.length(i);
    lowers[i] = bigger.lower(i);
  }
  auto rows = [&](ArrayView v) { return v.dimensions() == n ? v.length(0) : 1; };
  for (int i = 1; i < n; ++i) {
    for (ArrayView v : {a, b}) {
      int own = v.dimensions() == n ? v.length(i) : v.length(i - 1);
      if (own != lengths[i]) throw SqlError(sqlstate::array_subscript_error, "cannot concatenate incompatible arrays");
    }
  }
  lengths[0] = rows(a) + rows(b);
  Elements e;
  for (ArrayView v : {a, b}) {
    ArrayCursor cursor(v, layout_of(element));
    for (NullableDatum d; cursor.next(d);) {
      e.values.push_back(d.value);
      e.nulls.push_back(d.is_null);
    }
  }
  auto nulls = std::make_unique<bool[]>(e.nulls.size() + 1);
  for (std::size_t i = 0; i < e.nulls.size(); ++i) nulls[i] = e.nulls[i] != 0;
  return make_array(arena, element, layout_of(element), e.values.data(), nulls.get(), n, lengths, lowers);
}

// --- comparison ---------------------------------------------------------------------------------------------------------------------
int compare_arrays(FunctionCall& call) {
  Arena& arena = call.arena();
  ArrayView a(call.arg(0), arena), b(call.arg(1), arena);
  if (a.element_type() != b.element_type()) throw SqlError(sqlstate::datatype_mismatch, "cannot compare arrays of different element types");
  ComparisonFunction order = comparison_for(a.element_type(), call.collation(), "a comparison function");
  TypeLayout layout = layout_of(a.element_type());
  ArrayCursor x(a, layout), y(b, layout);
  NullableDatum v, w;
  for (;;) {
    bool more_x = x.next(v), more_y = y.next(w);
    if (!more_x || !more_y) {
      if (more_x != more_y) return more_x ? 1 : -1;
      break;
    }
    if (v.is_null || w.is_null) {
      if (v.is_null != w.is_null) return v.is_null ? 1 : -1;   // NULL is above all
      continue;
    }
    int c = compare(order, v.value, w.value, arena);
    if (c != 0) return c < 0 ? -1 : 1;
  }
  if (a.dimensions() != b.dimensions()) return a.dimensions() < b.dimensions() ? -1 : 1;
  for (int i = 0; i < a.dimensions(); ++i) if (a.length(i) != b.length(i)) return a.length(i) < b.length(i) ? -1 : 1;
  for (int i = 0; i < a.dimensions(); ++i) if (a.lower(i) != b.lower(i)) return a.lower(i) < b.lower(i) ? -1 : 1;
  return 0;
}
Datum btarraycmp(FunctionCall& call) { return Datum::of(std::int32_t{compare_arrays(call)}); }
Datum array_eq(FunctionCall& call) { return Datum::of(compare_arrays(call) == 0); }
Datum array_ne(FunctionCall& call) { return Datum::of(compare_arrays(call) != 0); }
Datum array_lt(FunctionCall& call) { return Datum::of(compare_arrays(call) < 0); }
Datum array_le(FunctionCall& call) { return Datum::of(compare_arrays(call) <= 0); }
Datum array_gt(FunctionCall& call) { return Datum::of(compare_arrays(call) > 0); }
Datum array_ge(FunctionCall& call) { return Datum::of(compare_arrays(call) >= 0); }

// Is every element of `part` in `whole`?  any: is one?
bool contains(FunctionCall& call, int whole, int part, bool any) {
  Arena& arena = call.arena();
  ArrayView a(call.arg(whole), arena), b(call.arg(part), arena);
  if (a.element_type() != b.element_type()) throw SqlError(sqlstate::datatype_mismatch, "cannot compare arrays of different element types");
  ComparisonFunction equal = comparison_for(a.element_type(), call.collation(), "an equality operator");
  TypeLayout layout = layout_of(a.element_type());
  ArrayElements have = array_elements(a, layout, arena);
  ArrayCursor cursor(b, layout);
  for (NullableDatum v; cursor.next(v);) {
    bool found = false;
    for (int i = 0; i < have.count && !found && !v.is_null; ++i) found = !have.nulls[i] && compare(equal, have.values[i], v.value, arena) == 0;
    if (any && found) return true;
    if (!any && !found) return false;
  }
  return !any;
}
Datum arraycontains(FunctionCall& call) { return Datum::of(contains(call, 0, 1, false)); }
Datum arraycontained(FunctionCall& call) { return Datum::of(contains(call, 1, 0, false)); }
Datum arrayoverlap(FunctionCall& call) { return Datum::of(contains(call, 0, 1, true)); }

// --- unnest, generate_subscripts: a value a call --------------------------------------------------------------------------------------
struct Unnest {
  ArrayCursor cursor;
};

Datum unnest(FunctionCall& call) {
  auto* state = static_cast<Unnest*>(*call.state);
  if (state == nullptr) {
    const std::byte* own = copy_datum(Datum::of(static_cast<const void*>(varlena::aligned(call.arg(0), call.arena()))), {-1, false, 'i'}, *call.state_arena).as_pointer();
    ArrayView a(own);
    state = call.state_arena->make<Unnest>(Unnest{ArrayCursor(a, layout_of(a.element_type()))});
    *call.state = state;
  }
  NullableDatum v;
  if (!state->cursor.next(v)) {
    call.done = true;
    return call.null();
  }
  return v.is_null ? call.null() : v.value;
}

struct Subscripts {
  int current, last, step;
};

Datum generate_subscripts(FunctionCall& call) {
  auto* state = static_cast<Subscripts*>(*call.state);
  if (state == nullptr) {
    ArrayView a;
    int d;
    bool reverse = call.site->argument_count > 2 && call.arg(2).as_bool();
    state = call.state_arena->make<Subscripts>();
    *state = dimension_of(call, a, d) ? (reverse ? Subscripts{a.upper(d), a.lower(d), -1} : Subscripts{a.lower(d), a.upper(d), 1}) : Subscripts{1, 0, 1};
    *call.state = state;
  }
  if (state->step > 0 ? state->current > state->last : state->current < state->last) {
    call.done = true;
    return call.null();
  }
  int value = state->current;
  state->current += state->step;
  return Datum::of(std::int32_t{value});
}

constexpr BuiltinFunction kFunctions[] = {
    {Oid{384}, array_to_string}, {Oid{395}, array_to_string}, {Oid{376}, string_to_array}, {Oid{394}, string_to_array}, {Oid{2176}, array_length},
    {Oid{2091}, array_lower}, {Oid{2092}, array_upper}, {Oid{3179}, cardinality}, {Oid{748}, array_ndims}, {Oid{747}, array_dims},
    {Oid{3277}, array_position}, {Oid{3278}, array_position_start}, {Oid{3279}, array_positions}, {Oid{378}, array_append}, {Oid{379}, array_prepend},
    {Oid{3167}, array_remove}, {Oid{383}, array_cat}, {Oid{382}, btarraycmp}, {Oid{744}, array_eq}, {Oid{390}, array_ne}, {Oid{391}, array_lt},
    {Oid{393}, array_le}, {Oid{392}, array_gt}, {Oid{396}, array_ge}, {Oid{2748}, arraycontains}, {Oid{2749}, arraycontained}, {Oid{2747}, arrayoverlap},
    {Oid{2331}, unnest, FunctionKind::set_per_call}, {Oid{1191}, generate_subscripts, FunctionKind::set_per_call},
    {Oid{1192}, generate_subscripts, FunctionKind::set_per_call},
};

}  // namespace

std::span<const BuiltinFunction> array_functions() { return kFunctions; }

}  // namespace hathi::types
