#pragma once
// Rows of a partition and rows of its partitioned table have the same columns, perhaps at other positions.

#include "row.h"

namespace hathi::executor {

// For each column of `to` the 0-based column of `from` with the same name, -1 for dropped ones. Empty: the columns stand alike.
std::span<const std::int16_t> map_columns(const TupleDescriptor& from, const TupleDescriptor& to, Arena& arena);
// Moves values; `to` becomes a virtual row that shares by-reference values with `from`. system columns go along.
void map_row(std::span<const std::int16_t> map, Row& from, Row& to);

}  // namespace hathi::executor
