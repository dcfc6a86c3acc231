// Functions on arrays: parts, shape, building, text, rows.

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "hathi/base/builtin_oids.h"
#include "hathi/types/array.h"
#include "hathi/types/whole_array.h"
#include "hathi/types/utf8.h"
#include "adapter.h"
#include "errors.h"
#include "parse.h"
#include "tables.h"
#include "type_compare.h"
#include "type_io.h"
#include "wrapping.h"

namespace hathi::types {

namespace {

constexpr TypeLayout kText{-1, false, 'i'};

TypeLayout layout_of(Oid type) { return catalog::type_info(type).layout; }
// The element type of an array type as declared at the call site.
Oid element_of_argument(FunctionCall& call, int i) {
  const catalog::TypeInfo& info = catalog::type_info(catalog::base_type(argument_type(call, i)));
  if (!is_valid(info.element))
    throw SqlError(sqlstate::datatype_mismatch, "argument declared anyarray is not an array but type {}", catalog::format_type(info.oid));
  return info.element;
}
ArrayView array_argument(FunctionCall& call, int i) { return whole_array(call.arg(i), call.arena()); }

// --- shape --------------------------------------------------------------------------------------------------------------------
template <int (ArrayView::*Get)(int) const> Datum dimension_fact(FunctionCall& call) {
  ArrayView a = array_argument(call, 0);
  int d = call.arg(1).as_int32();
  if (d < 1 || d > a.dimensions()) return call.null();
  return Datum::of(std::int32_t{(a.*Get)(d - 1)});
}
Datum array_ndims(FunctionCall& call) {
  int n = array_argument(call, 0).dimensions();
  return n == 0 ? call.null() : Datum::of(std::int32_t{n});
}
Datum array_dims(FunctionCall& call) {
  ArrayView a = array_argument(call, 0);
  if (a.dimensions() == 0) return call.null();
  std::string text;
  for (int i = 0; i < a.dimensions(); ++i) text += fmt::format("[{}:{}]", a.lower(i), a.upper(i));
  return varlena::make(call.arena(), text);
}
Datum array_cardinality(FunctionCall& call) { return Datum::of(std::int32_t{array_argument(call, 0).count()}); }

// --- joining ------------------------------------------------------------------------------------------------------------------
// `array` NULL counts as an empty array.
Datum add_element(FunctionCall& call, int array_index, int value_index, bool append) {
  Arena& arena = call.arena();
  Oid element = element_of_argument(call, array_index);
  NullableDatum value = call.args[value_index];
  if (call.arg_null(array_index)) return make_array(arena, element, layout_of(element), {&value.value, 1}, &value.is_null);
  ArrayView a = array_argument(call, array_index);
  if (a.dimensions() > 1) throw SqlError(sqlstate::data_exception, "argument must be empty or one-dimensional array");
  int lower = a.dimensions() == 0 ? 1 : a.lower(0);
  if (a.dimensions() == 1 && (append ? a.upper(0) == 2147483647 : lower == std::numeric_limits<int>::min())) throw_out_of_range<std::int32_t>();
  ArrayElements old = array_elements(a, layout_of(element), arena);
  auto n = static_cast<std::size_t>(old.count) + 1;
  auto* values = arena.make_array<Datum>(n);
  auto* nulls = arena.make_array<bool>(n);
  std::copy_n(old.values, old.count, values + (append ? 0 : 1));
  std::copy_n(old.nulls, old.count, nulls + (append ? 0 : 1));
  values[append ? n - 1 : 0] = value.value;
  nulls[append ? n - 1 : 0] = value.is_null;
  int length = static_cast<int>(n);
  return make_array(arena, element, layout_of(element), values, nulls, 1, &length, &lower);
}
Datum array_append(FunctionCall& call) { return add_element(call, 0, 1, true); }
Datum array_prepend(FunctionCall& call) { return add_element(call, 1, 0, false); }

Datum array_cat(FunctionCall& call) {
  if (call.arg_null(0)) return call.arg_null(1) ? call.null() : call.arg(1);
  if (call.arg_null(1)) return call.arg(0);
  Arena& arena = call.arena();
  ArrayView a = array_argument(call, 0);
  ArrayView b = array_argument(call, 1);
  if (a.element_type() != b.element_type()) {
    throw SqlError(sqlstate::datatype_mismatch, "cannot concatenate incompatible arrays")
        .detail(fmt::format("Arrays with element types {} and {} are not compatible for concatenation.", catalog::format_type(a.element_type()),
                            catalog::format_type(b.element_type())));
  }
  if (a.dimensions() == 0) return call.arg(1);
  if (b.dimensions() == 0) return call.arg(0);
  auto incompatible = [](std::string_view detail) {
    return SqlError(sqlstate::array_subscript_error, "cannot concatenate incompatible arrays").detail(std::string(detail));
  };
  int na = a.dimensions();
  int nb = b.dimensions();
  if (std::abs(na - nb) > 1) {
    throw incompatible(fmt::format("Arrays of {} and {} dimensions are not compatible for concatenation.", na, nb));
  }
  int n = std::max(na, nb);
  int lengths[kMaxDimensions];
  int lowers[kMaxDimensions];
  if (na == nb) {
    for (int i = 0; i < n; ++i) {
      lengths[i] = a.length(i);
      lowers[i] = a.lower(i);
      if (i > 0 && (a.length(i) != b.length(i) || a.lower(i) != b.lower(i))) {
        throw incompatible("Arrays with differing element dimensions are not compatible for concatenation.");
      }
    }
    lengths[0] += b.length(0);
  } else {
    // The one with fewer dimensions becomes an element of the other's outermost one.
    ArrayView outer = na > nb ? a : b;
    ArrayView inner = na > nb ? b : a;
    for (int i = 0; i < n; ++i) {
      lengths[i] = outer.length(i);
      lowers[i] = outer.lower(i);
      if (i > 0 && (outer.length(i) != inner.length(i - 1) || outer.lower(i) != inner.lower(i - 1))) {
        throw incompatible("Arrays with differing dimensions are not compatible for concatenation.");
      }
    }
    ++lengths[0];
  }
  TypeLayout layout = layout_of(a.element_type());
  ArrayElements x = array_elements(a, layout, arena);
  ArrayElements y = array_elements(b, layout, arena);
  auto count = static_cast<std::size_t>(x.count) + static_cast<std::size_t>(y.count);
  auto* values = arena.make_array<Datum>(count);
  auto* nulls = arena.make_array<bool>(count);
  std::copy_n(x.values, x.count, values);
  std::copy_n(x.nulls, x.count, nulls);
  std::copy_n(y.values, y.count, values + x.count);
  std::copy_n(y.nulls, y.count, nulls + x.count);
  return make_array(arena, a.element_type(), layout, values, nulls, n, lengths, lowers);
}

// --- searching and changing ------------------------------------------------------------------------------------------------------
void require_one_dimension(ArrayView a, std::string_view what) {
  if (a.dimensions() > 1) throw SqlError(sqlstate::feature_not_supported, "{}", what);
}
Datum array_position(FunctionCall& call) {
  if (call.arg_null(0)) return call.null();
  ArrayView a = array_argument(call, 0);
  require_one_dimension(a, "searching for elements in multidimensional arrays is not supported");
  int start = a.dimensions() == 0 ? 1 : a.lower(0);
  int first = start;
  if (call.site->argument_count > 2) {
    if (call.arg_null(2)) throw SqlError(sqlstate::null_value_not_allowed, "initial position must not be null");
    first = call.arg(2).as_int32();
  }
  if (a.dimensions() == 0) return call.null();
  bool wanted_null = call.arg_null(1);
  if (wanted_null && !a.has_nulls()) return call.null();
  TypeEquality equal(a.element_type(), call.collation());
  ArrayCursor cursor(a, layout_of(a.element_type()));
  NullableDatum v;
  for (int i = start; cursor.next(v); ++i) {
    if (i < first || v.is_null != wanted_null) continue;
    if (wanted_null || equal(v.value, call.arg(1), call.arena())) return Datum::of(std::int32_t{i});
  }
  return call.null();
}
Datum array_positions(FunctionCall& call) {
  if (call.arg_null(0)) return call.null();
  ArrayView a = array_argument(call, 0);
  require_one_dimension(a, "searching for elements in multidimensional arrays is not supported");
  List<Datum> positions;
  bool wanted_null = call.arg_null(1);
  if (a.dimensions() == 1) {
    TypeEquality equal(a.element_type(), call.collation());
    ArrayCursor cursor(a, layout_of(a.element_type()));
    NullableDatum v;
    for (int i = a.lower(0); cursor.next(v); ++i) {
      if (v.is_null != wanted_null) continue;
      if (wanted_null || equal(v.value, call.arg(1), call.arena())) positions.push_back(call.arena(), Datum::of(std::int32_t{i}));
    }
  }
  return make_array(call.arena(), type_oid::int4, {4, true, 'i'}, {positions.begin(), positions.size()});
}

Datum array_remove(FunctionCall& call) {
  if (call.arg_null(0)) return call.null();
  ArrayView a = array_argument(call, 0);
  require_one_dimension(a, "removing elements from multidimensional arrays is not supported");
  if (a.dimensions() == 0) return call.arg(0);
  bool wanted_null = call.arg_null(1);
  TypeLayout layout = layout_of(a.element_type());
  TypeEquality equal(a.element_type(), call.collation());
  ArrayElements e = array_elements(a, layout, call.arena());
  int kept = 0;
  for (int i = 0; i < e.count; ++i) {
    bool hit = e.nulls[i] ? wanted_null : !wanted_null && equal(e.values[i], call.arg(1), call.arena());
    if (hit) continue;
    e.values[kept] = e.values[i];
    e.nulls[kept++] = e.nulls[i];
  }
  if (kept == e.count) return call.arg(0);
  int lower = a.lower(0);
  return make_array(call.arena(), a.element_type(), layout, e.values, e.nulls, kept == 0 ? 0 : 1, &kept, &lower);
}
Datum array_replace(FunctionCall& call) {
  if (call.arg_null(0)) return call.null();
  ArrayView a = array_argument(call, 0);
  if (a.dimensions() == 0) return call.arg(0);
  bool wanted_null = call.arg_null(1);
  TypeLayout layout = layout_of(a.element_type());
  TypeEquality equal(a.element_type(), call.collation());
  ArrayElements e = array_elements(a, layout, call.arena());
  for (int i = 0; i < e.count; ++i) {
    bool hit = e.nulls[i] ? wanted_null : !wanted_null && equal(e.values[i], call.arg(1), call.arena());
    if (!hit) continue;
    e.values[i] = call.arg(2);
    e.nulls[i] = call.arg_null(2);
  }
  int lengths[kMaxDimensions];
  int lowers[kMaxDimensions];
  for (int i = 0; i < a.dimensions(); ++i) {
    lengths[i] = a.length(i);
    lowers[i] = a.lower(i);
  }
  return make_array(call.arena(), a.element_type(), layout, e.values, e.nulls, a.dimensions(), lengths, lowers);
}

Datum trim_array(FunctionCall& call) {
  ArrayView a = array_argument(call, 0);
  int n = call.arg(1).as_int32();
  int length = a.dimensions() == 0 ? 0 : a.length(0);
  if (n < 0 || n > length) {
    throw SqlError(sqlstate::array_element_error, "number of elements to trim must be between 0 and {}", length);
  }
  if (a.dimensions() == 0) return call.arg(0);
  ArraySlice slice{0, wrapping_subtract(a.lower(0) + (length - n), 1), false, true};
  return array_get_slice(a, layout_of(a.element_type()), {&slice, 1}, call.arena());
}

// --- array_fill -------------------------------------------------------------------------------------------------------------------
// The int4s of a one-dimensional array without NULLs.
std::vector<int> integers_of(FunctionCall& call, int i, std::string_view subject) {
  ArrayView a = array_argument(call, i);
  if (a.dimensions() > 1) {
    throw SqlError(sqlstate::array_subscript_error, "wrong number of array subscripts").detail(fmt::format("{} array must be one dimensional.", subject));
  }
  if (a.has_nulls()) throw SqlError(sqlstate::null_value_not_allowed, "dimension values cannot be null");
  ArrayElements e = array_elements(a, {4, true, 'i'}, call.arena());
  std::vector<int> values;
  for (int k = 0; k < e.count; ++k) values.push_back(e.values[k].as_int32());
  return values;
}
Datum array_fill(FunctionCall& call) {
  bool with_bounds = call.site->argument_count > 2;
  if (call.arg_null(1) || (with_bounds && call.arg_null(2))) {
    throw SqlError(sqlstate::null_value_not_allowed, "dimension array or low bound array cannot be null");
  }
  std::vector<int> lengths = integers_of(call, 1, "Dimension");
  Oid element = argument_type(call, 0);
  if (lengths.size() > kMaxDimensions) {
    throw SqlError(sqlstate::program_limit_exceeded, "number of array dimensions ({}) exceeds the maximum allowed ({})", lengths.size(), kMaxDimensions);
  }
  std::vector<int> lowers(lengths.size(), 1);
  if (with_bounds) {
    lowers = integers_of(call, 2, "Dimension");
    if (lowers.size() != lengths.size()) {
      throw SqlError(sqlstate::array_subscript_error, "wrong number of array subscripts").detail("Low bound array has different size than dimensions array.");
    }
  }
  std::int64_t count = lengths.empty() ? 0 : 1;
  for (int n : lengths) {
    count *= n;
    if (n < 0 || count > kMaxArrayElements) {
      throw SqlError(sqlstate::program_limit_exceeded, "array size exceeds the maximum allowed ({})", kMaxArrayElements);
    }
  }
  if (count == 0) return make_empty_array(call.arena(), element);
  auto n = static_cast<std::size_t>(count);
  auto* values = call.arena().make_array<Datum>(n);
  auto* nulls = call.arena().make_array<bool>(n);
  std::fill_n(values, n, call.arg(0));
  std::fill_n(nulls, n, call.arg_null(0));
  return make_array(call.arena(), element, layout_of(element), values, nulls, static_cast<int>(lengths.size()), lengths.data(), lowers.data());
}

// --- text -----------------------------------------------------------------------------------------------------------------------
std::string joined(FunctionCall& call, std::string_view separator, const std::string_view* null_text) {
  ArrayView a = array_argument(call, 0);
  std::string result;
  if (a.count() == 0) return result;
  OutputFunction output(a.element_type());
  ArrayCursor cursor(a, layout_of(a.element_type()));
  NullableDatum v;
  bool first = true;
  while (cursor.next(v)) {
    if (v.is_null && null_text == nullptr) continue;
    if (!first) result += separator;
    first = false;
    result += v.is_null ? *null_text : output(v.value, call.arena());
  }
  return result;
}
Datum array_to_text(FunctionCall& call) { return varlena::make(call.arena(), joined(call, call.text(1), nullptr)); }
Datum array_to_text_null(FunctionCall& call) {
  if (call.arg_null(0) || call.arg_null(1)) return call.null();
  if (call.arg_null(2)) return array_to_text(call);
  std::string_view null_text = call.text(2);
  return varlena::make(call.arena(), joined(call, call.text(1), &null_text));
}

// The fields of a text: split at the separator; NULL separator = single characters, empty separator = one field.
template <class Take> void split_text(FunctionCall& call, Arena& arena, Take take) {
  std::string_view text = call.text(0);
  bool has_null_text = call.site->argument_count > 2 && !call.arg_null(2);
  std::string_view null_text = has_null_text ? call.text(2) : std::string_view();
  auto put = [&](std::string_view field) {
    if (has_null_text && field == null_text) take(Datum(), true);
    else take(varlena::make(arena, field), false);
  };
  if (text.empty()) return;
  if (call.arg_null(1)) {
    for (std::size_t i = 0; i < text.size();) {
      std::size_t w = utf8::width(text[i], text.size() - i);
      put(text.substr(i, w));
      i += w;
    }
    return;
  }
  std::string_view separator = call.text(1);
  if (separator.empty()) {
    put(text);
    return;
  }
  for (std::size_t start = 0;;) {
    std::size_t at = text.find(separator, start);
    put(text.substr(start, at == std::string_view::npos ? at : at - start));
    if (at == std::string_view::npos) return;
    start = at + separator.size();
  }
}
Datum text_to_array(FunctionCall& call) {
  if (call.arg_null(0)) return call.null();
  List<Datum> values;
  List<bool> nulls;
  split_text(call, call.arena(), [&](Datum v, bool is_null) {
    values.push_back(call.arena(), v);
    nulls.push_back(call.arena(), is_null);
  });
  return make_array(call.arena(), type_oid::text, kText, {values.begin(), values.size()}, nulls.begin());
}

// Rows kept for the calls to come.
struct Rows {
  List<NullableDatum> values;
  std::uint32_t next = 0;
};
Datum next_row(FunctionCall& call, Rows* rows) {
  if (rows->next < rows->values.size()) {
    NullableDatum v = rows->values[rows->next++];
    return v.is_null ? call.null() : v.value;
  }
  *call.state = nullptr;
  call.done = true;
  return call.null();
}
Datum text_to_table(FunctionCall& call) {
  auto* rows = static_cast<Rows*>(*call.state);
  if (rows == nullptr) {
    rows = call.state_arena->make<Rows>();
    *call.state = rows;
    if (!call.arg_null(0)) {
      split_text(call, *call.state_arena, [&](Datum v, bool is_null) { rows->values.push_back(*call.state_arena, {v, is_null}); });
    }
  }
  return next_row(call, rows);
}

// --- rows -----------------------------------------------------------------------------------------------------------------------
struct Unnesting {
  ArrayCursor cursor;
};
Datum array_unnest(FunctionCall& call) {
  auto* state = static_cast<Unnesting*>(*call.state);
  if (state == nullptr) {
    ArrayView given = array_argument(call, 0);
    // The argument may be gone at the next call.
    auto* copy = static_cast<std::byte*>(call.state_arena->allocate(given.total_size(), 8));
    std::memcpy(copy, given.base(), given.total_size());
    ArrayView array(copy);
    state = call.state_arena->make<Unnesting>(ArrayCursor(array, layout_of(array.element_type())));
    *call.state = state;
  }
  NullableDatum v;
  if (!state->cursor.next(v)) {
    *call.state = nullptr;
    call.done = true;
    return call.null();
  }
  return v.is_null ? call.null() : v.value;
}

struct Subscripts {
  std::int64_t next;   // may step over the end of int
  int last, step;
};
Datum generate_subscripts(FunctionCall& call) {
  auto* s = static_cast<Subscripts*>(*call.state);
  if (s == nullptr) {
    ArrayView a = array_argument(call, 0);
    int d = call.arg(1).as_int32();
    bool reverse = call.site->argument_count > 2 && call.arg(2).as_bool();
    s = call.state_arena->make<Subscripts>(std::int64_t{1}, 0, 1);
    if (d >= 1 && d <= a.dimensions()) {
      *s = reverse ? Subscripts{a.upper(d - 1), a.lower(d - 1), -1} : Subscripts{a.lower(d - 1), a.upper(d - 1), 1};
    }
    *call.state = s;
  }
  if (s->step > 0 ? s->next > s->last : s->next < s->last) {
    *call.state = nullptr;
    call.done = true;
    return call.null();
  }
  auto value = static_cast<std::int32_t>(s->next);
  s->next += s->step;
  return Datum::of(value);
}

// The number of thresholds (sorted) that are <= the operand.
Datum width_bucket_array(FunctionCall& call) {
  ArrayView a = array_argument(call, 1);
  if (a.dimensions() > 1) throw SqlError(sqlstate::array_subscript_error, "thresholds must be one-dimensional array");
  if (a.has_nulls()) throw SqlError(sqlstate::null_value_not_allowed, "thresholds array must not contain NULLs");
  Oid element = a.element_type();
  ArrayElements e = array_elements(a, layout_of(element), call.arena());
  TypeOrder order(element, call.collation());
  auto* end = std::upper_bound(e.values, e.values + e.count, call.arg(0), [&](Datum v, Datum threshold) { return order(v, threshold, call.arena()) < 0; });
  return Datum::of(static_cast<std::int32_t>(end - e.values));
}

constexpr BuiltinFunction kTable[] = {
    {Oid{2176}, fn<dimension_fact<&ArrayView::length>>},
    {Oid{2091}, fn<dimension_fact<&ArrayView::lower>>},
    {Oid{2092}, fn<dimension_fact<&ArrayView::upper>>},
    {Oid{748}, fn<array_ndims>},
    {Oid{747}, fn<array_dims>},
    {Oid{3179}, fn<array_cardinality>},
    {Oid{378}, fn<array_append>},
    {Oid{379}, fn<array_prepend>},
    {Oid{383}, fn<array_cat>},
    {Oid{3277}, fn<array_position>},
    {Oid{3278}, fn<array_position>},
    {Oid{3279}, fn<array_positions>},
    {Oid{3167}, fn<array_remove>},
    {Oid{3168}, fn<array_replace>},
    {Oid{6172}, fn<trim_array>},
    {Oid{1193}, fn<array_fill>},
    {Oid{1286}, fn<array_fill>},
    {Oid{395}, fn<array_to_text>},
    {Oid{384}, fn<array_to_text_null>},
    {Oid{394}, fn<text_to_array>},
    {Oid{376}, fn<text_to_array>},
    {Oid{6160}, fn<text_to_table>, FunctionKind::set_per_call},
    {Oid{6161}, fn<text_to_table>, FunctionKind::set_per_call},
    {Oid{2331}, fn<array_unnest>, FunctionKind::set_per_call},
    {Oid{1191}, fn<generate_subscripts>, FunctionKind::set_per_call},
    {Oid{1192}, fn<generate_subscripts>, FunctionKind::set_per_call},
    {Oid{3218}, fn<width_bucket_array>},
};

}  // namespace

std::span<const BuiltinFunction> array_functions() { return kTable; }

}  // namespace hathi::types
