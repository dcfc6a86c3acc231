#include "arrays.h"

#include "hathi/error/sql_error.h"
#include "hathi/types/whole_array.h"

namespace hathi::executor {

Datum ArrayBuilder::finish(Oid result_type) {
  if (result_type == element_) return stack();
  if (values_.empty()) return types::make_empty_array(arena_, element_);
  return types::make_array(arena_, element_, layout_, std::span<const Datum>(values_.begin(), values_.size()), nulls_.begin());
}

Datum ArrayBuilder::stack() {
  List<NullableDatum> arrays;
  for (std::size_t i = 0; i < values_.size(); ++i) arrays.push_back(arena_, {values_[i], nulls_[i]});
  Oid element = catalog::type_info(element_).element;
  return stack_arrays(arrays.begin(), arrays.size(), element, catalog::type_info(element).layout, arena_);
}

namespace {
[[noreturn]] void throw_different_dimensions() {
  throw SqlError(sqlstate::array_subscript_error, "multidimensional arrays must have array expressions with matching dimensions");
}
}  // namespace

Datum stack_arrays(const NullableDatum* arrays, std::size_t count, Oid element, TypeLayout layout, Arena& arena) {
  List<Datum> values;
  List<bool> nulls;
  int dimensions = 0;
  int lengths[types::kMaxDimensions + 1], lowers[types::kMaxDimensions + 1];
  int outer = 0;
  bool any_empty = false;
  for (std::size_t i = 0; i < count; ++i) {
    if (arrays[i].is_null) {
      any_empty = true;
      continue;
    }
    types::ArrayView view = types::whole_array(arrays[i].value, arena);
    if (view.dimensions() == 0) {
      any_empty = true;
      continue;
    }
    if (dimensions == 0) {
      dimensions = view.dimensions() + 1;
      if (dimensions > types::kMaxDimensions) {
        throw SqlError(sqlstate::program_limit_exceeded, "number of array dimensions ({}) exceeds the maximum allowed ({})", dimensions, types::kMaxDimensions);
      }
      for (int d = 1; d < dimensions; ++d) {
        lengths[d] = view.length(d - 1);
        lowers[d] = view.lower(d - 1);
      }
    } else {
      if (view.dimensions() + 1 != dimensions) throw_different_dimensions();
      for (int d = 1; d < dimensions; ++d) {
        if (lengths[d] != view.length(d - 1) || lowers[d] != view.lower(d - 1)) throw_different_dimensions();
      }
    }
    ++outer;
    types::ArrayElements elements = types::array_elements(view, layout, arena);
    for (int k = 0; k < elements.count; ++k) {
      values.push_back(arena, elements.values[k]);
      nulls.push_back(arena, elements.nulls[k]);
    }
  }
  if (dimensions == 0) return types::make_empty_array(arena, element);
  if (any_empty) throw_different_dimensions();
  lengths[0] = outer;
  lowers[0] = 1;
  return types::make_array(arena, element, layout, values.begin(), nulls.begin(), dimensions, lengths, lowers);
}

}  // namespace hathi::executor
