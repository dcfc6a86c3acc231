// Comparison of oidvectors: by length, then element by element.

#include "hathi/types/array.h"
#include "tables.h"

namespace hathi::types {

namespace {

int compare_vectors(FunctionCall& call) {
  ArrayView a(call.arg(0), call.arena()), b(call.arg(1), call.arena());
  int n = a.count(), m = b.count();
  if (n != m) return n < m ? -1 : 1;
  for (int i = 0; i < n; ++i) {
    std::uint32_t x, y;
    std::memcpy(&x, a.data() + 4 * i, 4);
    std::memcpy(&y, b.data() + 4 * i, 4);
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

Datum btoidvectorcmp(FunctionCall& call) { return Datum::of(std::int32_t{compare_vectors(call)}); }
Datum oidvectoreq(FunctionCall& call) { return Datum::of(compare_vectors(call) == 0); }
Datum oidvectorne(FunctionCall& call) { return Datum::of(compare_vectors(call) != 0); }
Datum oidvectorlt(FunctionCall& call) { return Datum::of(compare_vectors(call) < 0); }
Datum oidvectorle(FunctionCall& call) { return Datum::of(compare_vectors(call) <= 0); }
Datum oidvectorge(FunctionCall& call) { return Datum::of(compare_vectors(call) >= 0); }
Datum oidvectorgt(FunctionCall& call) { return Datum::of(compare_vectors(call) > 0); }

constexpr BuiltinFunction kFunctions[] = {
    {Oid{404}, btoidvectorcmp}, {Oid{679}, oidvectoreq}, {Oid{619}, oidvectorne}, {Oid{677}, oidvectorlt},
    {Oid{678}, oidvectorle},    {Oid{680}, oidvectorge}, {Oid{681}, oidvectorgt},
};

}  // namespace

std::span<const BuiltinFunction> oid_vector_functions() { return kFunctions; }

}  // namespace hathi::types
