// Result type, type modifier and collation of an expression.

#include "hathi/nodes/expression.h"

#include "fields.h"
#include "hathi/base/builtin_oids.h"

namespace hathi::nodes {
namespace {

struct TypeOf {
  template <class T>
  Oid operator()(T& node) const {
    if constexpr (requires { { node.type } -> std::convertible_to<Oid>; }) return node.type;
    else return type_oid::bool_;   // tests, boolean operators, comparisons
  }
  Oid operator()(Grouping&) const { return type_oid::int4; }
  Oid operator()(Collate& node) const { return type_of(node.arg); }
  Oid operator()(SubLink& node) const { return by_sub_link(node.type, node.result_type); }
  Oid operator()(SubPlan& node) const { return by_sub_link(node.type, node.result_type); }
  static Oid by_sub_link(SubLink::Type type, Oid result) {
    switch (type) {
      case SubLink::Type::scalar: case SubLink::Type::array: return result;
      case SubLink::Type::multi: return type_oid::record;
      default: return type_oid::bool_;
    }
  }
};

// The modifier that all alternatives of the given type share, else -1.
struct CommonTypmod {
  Oid type;
  bool first = true;
  std::int32_t typmod = -1;
  void add(const Expr* e) {
    if (e == nullptr) return;
    std::int32_t own = type_of(e) == type ? typmod_of(e) : -1;
    if (first) typmod = own;
    else if (typmod != own) typmod = -1;
    first = false;
  }
};

struct TypmodOf {
  template <class T>
  std::int32_t operator()(T& node) const {
    if constexpr (requires { node.typmod; }) return node.typmod;
    else return -1;
  }
  std::int32_t operator()(OpExpr& node) const { return node.kind == ExprKind::nullif_op ? typmod_of(node.args[0]) : -1; }
  std::int32_t operator()(Collate& node) const { return typmod_of(node.arg); }
  std::int32_t operator()(SubLink& node) const {
    return node.type == SubLink::Type::scalar || node.type == SubLink::Type::array ? node.result_typmod : -1;
  }
  std::int32_t operator()(SubPlan& node) const {
    return node.type == SubLink::Type::scalar || node.type == SubLink::Type::array ? node.result_typmod : -1;
  }
  std::int32_t operator()(Case& node) const {
    CommonTypmod common{node.type};
    if (node.otherwise == nullptr) return -1;
    common.add(node.otherwise);
    for (CaseBranch* branch : node.branches) common.add(branch->result);
    return common.typmod;
  }
  std::int32_t operator()(Coalesce& node) const { return of_list(node.args, node.type); }
  std::int32_t operator()(MinMax& node) const { return of_list(node.args, node.type); }
  std::int32_t operator()(ArrayExpr& node) const { return of_list(node.elements, node.multi_dimensional ? node.type : node.element_type); }
  static std::int32_t of_list(const List<Expr*>& list, Oid type) {
    CommonTypmod common{type};
    for (const Expr* e : list) common.add(e);
    return common.typmod;
  }
};

struct CollationOf {
  template <class T>
  Oid operator()(T& node) const {
    if constexpr (requires { node.collation; }) return node.collation;
    else return kInvalidOid;
  }
  Oid operator()(SubLink& node) const { return by_sub_link(node.type, node.collation); }
  Oid operator()(SubPlan& node) const { return by_sub_link(node.type, node.collation); }
  static Oid by_sub_link(SubLink::Type type, Oid collation) {
    return type == SubLink::Type::scalar || type == SubLink::Type::array ? collation : kInvalidOid;
  }
};

}  // namespace

Oid type_of(const Expr* e) { return e == nullptr ? kInvalidOid : dispatch(const_cast<Expr*>(e), TypeOf()); }
std::int32_t typmod_of(const Expr* e) { return e == nullptr ? -1 : dispatch(const_cast<Expr*>(e), TypmodOf()); }
Oid collation_of(const Expr* e) { return e == nullptr ? kInvalidOid : dispatch(const_cast<Expr*>(e), CollationOf()); }

}  // namespace hathi::nodes
