#pragma once
// Prepared comparisons of columns: for sorts and merges (three-way), for grouping and hashing (equality and hash value). Common
// types are compared in line, the others by calling their functions.

#include <cstdint>
#include <string_view>

#include "hathi/datum/function.h"
#include "hathi/error/sql_error.h"
#include "hathi/planner/plan.h"
#include "row.h"

namespace hathi::executor {

// Has the collation only equality of bytes? (Not collatable: yes.)
bool is_deterministic(Oid collation);
// The order function of the type's default btree class. 42883 when there is none.
ComparisonFunction default_comparison(Oid type, Oid collation);
// Support function 1 of the btree family that has the operator; family 0: any. XX000 when there is none.
Oid comparison_for_operator(Oid op, Oid family = kInvalidOid);
// Is the ordering operator a "greater than" (descending)?
bool is_descending(Oid order_operator);

struct EqualFunction {
  enum class Kind : std::uint8_t { call, bits, low_half, bytes };
  Kind kind = Kind::call;
  FunctionSite site;
};
EqualFunction prepare_equal(Oid function, Oid collation);
bool equal_by_call(const EqualFunction& f, Datum a, Datum b, Arena& scratch);
bool equal_bytes(Datum a, Datum b, Arena& scratch);
// Both not null.
inline bool are_equal(const EqualFunction& f, Datum a, Datum b, Arena& scratch) {
  switch (f.kind) {
    case EqualFunction::Kind::bits: return a.bits() == b.bits();
    case EqualFunction::Kind::low_half: return a.as_uint32() == b.as_uint32();
    case EqualFunction::Kind::bytes: return equal_bytes(a, b, scratch);
    case EqualFunction::Kind::call: break;
  }
  return equal_by_call(f, a, b, scratch);
}

struct HashFunction {
  enum class Kind : std::uint8_t { call, integer, unsigned_half, bytes, name };
  Kind kind = Kind::call;
  FunctionSite site;
};
HashFunction prepare_hash(Oid function, Oid collation);
std::uint32_t hash_by_call(const HashFunction& f, Datum v, Arena& scratch);
std::uint32_t hash_of_bytes(std::string_view bytes);
inline std::uint32_t mix64(std::uint64_t v) {
  v ^= v >> 32;
  v *= 0x9E3779B97F4A7C15ull;
  v ^= v >> 29;
  v *= 0xBF58476D1CE4E5B9ull;
  return static_cast<std::uint32_t>(v >> 32);
}
// Not null.
inline std::uint32_t hash_value(const HashFunction& f, Datum v, Arena& scratch) {
  switch (f.kind) {
    case HashFunction::Kind::integer: return mix64(v.as_uint64());
    case HashFunction::Kind::unsigned_half: return mix64(v.as_uint32());
    case HashFunction::Kind::bytes: return hash_of_bytes(varlena::text(v, scratch));
    case HashFunction::Kind::name: return hash_of_bytes(name_text(v));
    case HashFunction::Kind::call: break;
  }
  return hash_by_call(f, v, scratch);
}
inline std::uint32_t combine_hashes(std::uint32_t a, std::uint32_t b) { return ((a << 1) | (a >> 31)) ^ (b * 0x9E3779B1u); }

// The hash functions of the operator's hash family for its left and right input; false when it cannot be hashed.
bool hash_functions_of(Oid equal_operator, Oid& left, Oid& right);

// Columns of a row compared for sorting.
struct SortColumn {
  AttrNumber column = 0;       // from 1
  ComparisonFunction comparison;
  bool descending = false, nulls_first = false;
};
std::span<SortColumn> prepare_sort(std::span<const AttrNumber> columns, std::span<const Oid> operators, std::span<const Oid> collations,
                                   std::span<const bool> nulls_first, Arena& arena);
// <0, 0, >0 in the order of the column, NULLs placed as it wants.
inline int compare_in_order(const SortColumn& c, Datum a, bool a_null, Datum b, bool b_null, Arena& scratch) {
  if (a_null || b_null) {
    if (a_null && b_null) return 0;
    return a_null == c.nulls_first ? -1 : 1;
  }
  int r = compare(c.comparison, a, b, scratch);
  return c.descending ? -r : r;
}

// Columns of a row compared for equality (NULLs equal each other), and hashed.
struct KeyColumn {
  AttrNumber column = 0;
  EqualFunction equal;
  HashFunction hash;           // prepared only when asked for
  TypeLayout layout;
};
struct KeyColumns {
  std::span<KeyColumn> columns;
  int highest = 0;             // highest column number
};
// operators: equality operators. types: of the columns, for their layouts. with_hash: hash functions too (XX000 when not hashable).
KeyColumns prepare_keys(std::span<const AttrNumber> columns, std::span<const Oid> operators, std::span<const Oid> collations,
                        std::span<const TypeLayout> layouts, bool with_hash, Arena& arena);
bool same_keys(const KeyColumns& keys, Row& a, Row& b, Arena& scratch);
std::uint32_t hash_keys(const KeyColumns& keys, Row& row, Arena& scratch);

}  // namespace hathi::executor
