#pragma once
// Composite values and system columns.

#include "program.h"

namespace hathi::executor {

// ctid, xmin, cmin, xmax, cmax, tableoid (-1 … -6) of the heap row; NULL when the row is none (outer joins).
NullableDatum system_column(const Row& row, AttrNumber column, Arena& arena);
// wanted true: are all fields NULL; false: is none NULL?
bool all_fields_null(Datum record, bool wanted, Arena& arena);
// The columns of a composite value, looked up by type and number. Cached by the caller while type and number stay the same.
// 42809 when it is not a row type; XX000 when the record's type is not registered.
const TupleDescriptor* describe_row_type(Oid type, std::int32_t typmod, Arena& arena);

// A cached description of the row type of the values that pass one step.
struct RowTypeCache {
  Oid type = kInvalidOid;
  std::int32_t typmod = -1;
  const TupleDescriptor* descriptor = nullptr;
  Arena* arena = nullptr;
  const TupleDescriptor& of(Datum record);
};

// tid <-> Datum (type tid, by reference: block 4 bytes, offset 2 bytes).
Datum make_tid(TupleId tid, Arena& arena);
TupleId read_tid(Datum value);

}  // namespace hathi::executor
