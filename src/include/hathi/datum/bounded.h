#pragma once
// Reading rows that may be damaged: what comes from disk is held to its size.

#include "hathi/datum/tuple.h"

namespace hathi {

// deform_from() of a row whose data has that many bytes: values that do not fit into it mean that it is damaged, XX001.
void deform_bounded(const TupleDescriptor& descriptor, const std::byte* data, std::size_t size, const std::byte* bitmap, int stored, int n, int& first,
                    std::uint32_t& offset, Datum* values, bool* nulls);
// XX001 for a row version that is not as it was written; names its place.
[[noreturn]] void throw_damaged_row(const HeapTuple& tuple);

}  // namespace hathi
