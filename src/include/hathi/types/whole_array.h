#pragma once
// Arrays that come from rows: a damaged page may hold anything.

#include "hathi/types/array.h"

namespace hathi::types {

// The array, detoasted. XX001 when its dimensions, its null bitmap or the beginning of its elements do not lie inside the value; ArrayCursor and
// array_get_element see to the elements.
ArrayView whole_array(Datum value, Arena& arena);

}  // namespace hathi::types
