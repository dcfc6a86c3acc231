#pragma once
// numeric as argument and result type of plain functions (see adapter.h).

#include "adapter.h"
#include "numeric_value.h"

namespace hathi::types::adapter {

template <> struct Codec<Numeric> {
  static Numeric get(FunctionCall& call, int i) { return load_numeric(call.args[i].value, call.arena()); }
  static Datum put(FunctionCall& call, const Numeric& v) { return store_numeric(v, call.arena()); }
};

}  // namespace hathi::types::adapter
