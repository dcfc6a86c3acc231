#pragma once
// The storage behind builtin.h.

#include <utility>

#include "src/backend/catalog/builtin.h"

namespace hathi::catalog::builtin {

// Row numbers by OID for objects with small OIDs: one array access.
class RowByOid {
 public:
  void set(Oid oid, std::uint32_t row) {
    if (raw(oid) >= rows_.size()) rows_.resize(raw(oid) + 1);
    rows_[raw(oid)] = static_cast<std::uint16_t>(row + 1);
  }
  // -1 = none
  int find(Oid oid) const { return raw(oid) < rows_.size() ? static_cast<int>(rows_[raw(oid)]) - 1 : -1; }

 private:
  std::vector<std::uint16_t> rows_;
};

struct Tables {
  bool loaded = false;
  Arena arena{65536};
  std::vector<TypeInfo> types;
  std::vector<TypeExtra> type_extras;
  std::vector<FunctionInfo> functions;
  std::vector<FunctionExtra> function_extras;
  std::vector<OperatorInfo> operators;
  std::vector<CastInfo> casts;
  std::vector<AggregateInfo> aggregates;
  std::vector<std::int32_t> aggregate_spaces;
  std::vector<OperatorClassInfo> operator_classes;
  std::vector<OperatorFamily> operator_families;
  std::vector<FamilyOperator> family_operators;
  std::vector<FamilyFunction> family_functions;
  std::vector<FamilyMember> members;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> member_ranges;  // first, count in members; parallel to operators
  std::vector<CollationInfo> collations;                               // by rising OID
  std::vector<AccessMethod> access_methods;
  std::vector<Language> languages;
  std::vector<Range> ranges;
  std::vector<Role> roles;
  std::vector<Membership> memberships;
  RowByOid type_rows, function_rows, operator_rows;
  HashIndex type_names, function_names, operator_names, operator_signatures, cast_pairs, aggregate_functions, family_rows, class_rows, class_names,
      family_operator_keys, family_function_keys, collation_names;
};
Tables& tables();

void load_types(Tables& t);
void derive_type_operators(Tables& t);

}  // namespace hathi::catalog::builtin
