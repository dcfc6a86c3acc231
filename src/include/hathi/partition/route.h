#pragma once
// Where rows belong: the functions of a key resolved once, for callers that route many rows.

#include "hathi/partition/partition.h"

namespace hathi::partition {

// The functions of a partition key as this process has them.
struct KeyFunctions {
  struct Column {
    enum class HashKind : std::uint8_t { call, int2, int4, int8 };
    ComparisonFunction comparison;      // list, range
    FunctionSite hash;                  // hash
    HashKind hash_kind = HashKind::call;
  };
  std::span<const Column> columns;
};
KeyFunctions resolve_key(const PartitionKey& key, Arena& arena);

// As member_for_key(); scratch: what comparisons need, given back by the caller.
int find_member(const PartitionDescriptor& descriptor, const KeyFunctions& functions, const Datum* values, const bool* nulls, Arena& scratch);

// The hash of a whole key: a hash-partitioned row belongs to the partition of the remainder.
std::uint64_t hash_of_key(const KeyFunctions& functions, const Datum* values, const bool* nulls, Arena& scratch);
// One column's part of it. `hash`: an extended hash function; the parts are combined from 0, NULLs are passed over.
std::uint64_t hash_of_column(const FunctionSite& hash, Datum value, Arena& scratch);
FunctionSite resolve_hash(Oid function, Oid collation);

// The list value's position, or -1.
int find_list_value(const PartitionDescriptor& descriptor, const ComparisonFunction& comparison, Datum value, Arena& scratch);
// <0, 0, >0: the first n columns of range boundary `boundary` against the values. comparisons: (key type, value's type).
int compare_boundary(const PartitionDescriptor& descriptor, int boundary, std::span<const ComparisonFunction* const> comparisons, const Datum* values,
                     Arena& scratch);

}  // namespace hathi::partition
