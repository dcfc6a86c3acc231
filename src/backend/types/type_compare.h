#pragma once
// Comparison and hashing of values of any type by its default operator classes.

#include "hathi/catalog/lookup.h"
#include "hathi/datum/function.h"

namespace hathi::types {

// Three-way order. 42883 "could not identify a comparison function for type x".
class TypeOrder {
 public:
  TypeOrder(Oid type, Oid collation);
  int operator()(Datum a, Datum b, Arena& arena) const { return compare(comparison_, a, b, arena); }

 private:
  ComparisonFunction comparison_;
};

// The type's "=". 42883 "could not identify an equality operator for type x".
class TypeEquality {
 public:
  TypeEquality(Oid type, Oid collation);
  bool operator()(Datum a, Datum b, Arena& arena) const;

 private:
  FunctionSite site_;
};

// 42883 "could not identify a hash function for type x" / "an extended hash function".
class TypeHash {
 public:
  TypeHash(Oid type, Oid collation, bool extended);
  std::uint32_t operator()(Datum v, Arena& arena) const;
  std::uint64_t operator()(Datum v, std::uint64_t seed, Arena& arena) const;

 private:
  FunctionSite site_;
};

}  // namespace hathi::types
