#pragma once
// Building arrays element by element.

#include <vector>

#include "hathi/catalog/lookup.h"
#include "hathi/types/array.h"

namespace hathi::executor {

// Values must live until finish(). Elements that are arrays themselves (of the result's own type) become a further dimension.
class ArrayBuilder {
 public:
  ArrayBuilder(Oid element, Arena& arena) : element_(element), layout_(catalog::type_info(element).layout), arena_(arena) {}
  TypeLayout layout() const { return layout_; }
  void add(NullableDatum v) {
    values_.push_back(arena_, v.value);
    nulls_.push_back(arena_, v.is_null);
  }
  std::uint32_t size() const { return values_.size(); }
  // result_type: the array type; when it equals the element type the elements are arrays to be stacked.
  Datum finish(Oid result_type);

 private:
  Datum stack();
  Oid element_;
  TypeLayout layout_;
  Arena& arena_;
  List<Datum> values_;
  List<bool> nulls_;
};

// Arrays of equal shape as one array with a dimension more. 2202E when the shapes differ, 54000 when there are too many dimensions.
Datum stack_arrays(const NullableDatum* arrays, std::size_t count, Oid element, TypeLayout layout, Arena& arena);

}  // namespace hathi::executor
