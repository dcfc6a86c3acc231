#pragma once
// The row type of composite values.

#include "hathi/catalog/relation.h"
#include "hathi/datum/tuple.h"

namespace hathi::types {

// The descriptor of a row type while this object lives. XX000 for an unregistered anonymous type.
class RowType {
 public:
  RowType(Oid type, std::int32_t typmod);
  // Of a composite value.
  static RowType of(Datum record) { return RowType(record_type(record), record_typmod(record)); }
  const TupleDescriptor& operator*() const { return *descriptor_; }
  const TupleDescriptor* operator->() const { return descriptor_; }

 private:
  catalog::RelationRef relation_;
  const TupleDescriptor* descriptor_ = nullptr;
};

// A composite value's attributes. values and nulls live in the arena.
struct RowFields {
  Datum* values;
  bool* nulls;
};
RowFields row_fields(Datum record, const TupleDescriptor& descriptor, Arena& arena);

}  // namespace hathi::types
