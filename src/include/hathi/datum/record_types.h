#pragma once
// Anonymous row types: ROW(…), functions that return record, whole rows of subqueries. A composite value of type record carries the
// number of its row type as typmod; numbers are given per process and stay valid until its end.

#include "hathi/datum/tuple.h"

namespace hathi {

// The number of a row type with these columns (names, types, typmods); the descriptor is copied when it is new.
std::int32_t register_record_type(const TupleDescriptor& descriptor);
// nullptr when there is none of that number.
const TupleDescriptor* find_record_type(std::int32_t number);

}  // namespace hathi
