#pragma once
// Constraints of domain types.

#include <string_view>
#include <vector>

#include "hathi/nodes/expression.h"

namespace hathi::executor {

struct DomainConstraint {
  Oid domain = kInvalidOid;            // which declares it
  std::string_view name;               // empty: NOT NULL
  const nodes::Expr* check = nullptr;  // over DomainValue
};
// Of the domain and those it is made from, innermost first; NOT NULL of each before its checks, checks by name. In the arena.
std::vector<DomainConstraint> domain_constraints(Oid domain, Arena& arena);

// 23502 and 23514 with the data type and the constraint.
[[noreturn]] void throw_domain_not_null(Oid domain, std::string_view name);
[[noreturn]] void throw_domain_check(Oid domain, std::string_view name, std::string_view constraint);

}  // namespace hathi::executor
