#pragma once
// The built-in objects in memory: flat arrays and hash indexes, filled from the data files before the first fork and never changed
// afterwards, so all processes share the pages. Every built-in of PostgreSQL 15 is here whether its function is implemented or
// not, so that names resolve as there; a call of one that is missing answers 0A000.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hathi/catalog/lookup.h"

namespace hathi::catalog::builtin {

struct OperatorFamily { Oid oid, method; std::string_view name; };
struct FamilyOperator { Oid oid, family, left, right; int strategy; char purpose; Oid op, method, sort_family; };
struct FamilyFunction { Oid oid, family, left, right; int number; Oid function; };
struct AccessMethod { Oid oid; std::string_view name; Oid handler; char type; };
struct Language { Oid oid; std::string_view name; bool trusted; Oid validator; };
struct Range { Oid range, subtype, multirange, collation, subtype_class, canonical, subtype_diff; };
struct Role { Oid oid; std::string_view name; };
struct Membership { Oid role, member; };

// What pg_type and pg_proc hold beyond TypeInfo and FunctionInfo; parallel to types() and functions().
struct TypeExtra { Oid analyze; };
struct FunctionExtra { std::string_view defaults; bool public_execute; std::string_view granted_roles; };

// A hash index over rows 0 … n-1 of an array; equal keys are allowed.
class HashIndex {
 public:
  void reserve(std::size_t n);
  void add(std::uint64_t hash, std::uint32_t row);
  // Calls f(row) for every row whose key may have this hash, in the order added, until it returns true.
  template <class F>
  bool each(std::uint64_t hash, F&& f) const {
    if (slots_.empty()) return false;
    auto tag = static_cast<std::uint32_t>(hash >> 32);
    for (std::size_t i = hash & mask_; slots_[i].row_plus_1 != 0; i = (i + 1) & mask_) {
      if (slots_[i].tag == tag && f(slots_[i].row_plus_1 - 1)) return true;
    }
    return false;
  }

 private:
  struct Slot { std::uint32_t tag = 0, row_plus_1 = 0; };
  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
};
std::uint64_t hash_text(std::string_view text);
std::uint64_t hash_oids(Oid a, Oid b = kInvalidOid, Oid c = kInvalidOid, std::uint32_t d = 0);

// Fills everything; the first call does it. Functions must be registered before (it asks which exist).
void load();
bool is_loaded();

std::span<const TypeInfo> types();
std::span<const TypeExtra> type_extras();
std::span<const FunctionInfo> functions();
std::span<const FunctionExtra> function_extras();
std::span<const OperatorInfo> operators();
std::span<const CastInfo> casts();
std::span<const AggregateInfo> aggregates();
std::span<const std::int32_t> aggregate_spaces();     // aggtransspace, aggmtransspace: two an aggregate
std::span<const OperatorClassInfo> operator_classes();
std::span<const OperatorFamily> operator_families();
std::span<const FamilyOperator> family_operators();
std::span<const FamilyFunction> family_functions();
std::span<const CollationInfo> collations();
std::span<const AccessMethod> access_methods();
std::span<const Language> languages();
std::span<const Range> ranges();
std::span<const Role> roles();
std::span<const Membership> memberships();

// All nullptr / 0 / nothing when there is none. Names are those of pg_catalog.
const TypeInfo* type(Oid oid);
const TypeInfo* type(std::string_view name);
const FunctionInfo* function(Oid oid);
void functions_named(std::string_view name, std::vector<const FunctionInfo*>& out);
const OperatorInfo* op(Oid oid);
const OperatorInfo* op(std::string_view name, Oid left, Oid right);
void operators_named(std::string_view name, char kind, std::vector<const OperatorInfo*>& out);
const CastInfo* cast(Oid source, Oid target);
const AggregateInfo* aggregate(Oid function);
const OperatorClassInfo* operator_class(Oid oid);
const OperatorClassInfo* operator_class(std::string_view name, Oid method);
const OperatorFamily* operator_family(Oid oid);
Oid family_operator(Oid family, Oid left, Oid right, int strategy);
Oid family_function(Oid family, Oid left, Oid right, int number);
std::span<const FamilyMember> families_of(Oid op);
const CollationInfo* collation(Oid oid);
const CollationInfo* collation(std::string_view name);
const Range* range(Oid range_type);
// The raw text of a function's argument defaults: "type value|type value".
std::string_view function_defaults(const FunctionInfo& function);

}  // namespace hathi::catalog::builtin
