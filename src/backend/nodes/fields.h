#pragma once
// How the operations of nodes/visit.h reach the fields of a node: one dispatch on the kind, and a base for visitors that
// descends into every struct that is not an expression. A new kind of expression is added to dispatch() and kExprKindNames.

#include <array>
#include <string_view>
#include <type_traits>

#include "hathi/base/stack.h"
#include "hathi/error/sql_error.h"
#include "hathi/nodes/query.h"

namespace hathi::nodes {

template <class F>
decltype(auto) dispatch(Expr* e, F&& f) {
  switch (e->kind) {
    case ExprKind::constant: return f(*as<Constant>(e));
    case ExprKind::variable: return f(*as<Variable>(e));
    case ExprKind::parameter: return f(*as<Parameter>(e));
    case ExprKind::aggregate: return f(*as<Aggregate>(e));
    case ExprKind::window_function: return f(*as<WindowFunction>(e));
    case ExprKind::grouping: return f(*as<Grouping>(e));
    case ExprKind::function: return f(*as<FunctionExpr>(e));
    case ExprKind::op:
    case ExprKind::distinct_op:
    case ExprKind::nullif_op: return f(*as<OpExpr>(e));
    case ExprKind::array_op: return f(*as<ArrayOp>(e));
    case ExprKind::boolean: return f(*as<BooleanExpr>(e));
    case ExprKind::sub_link: return f(*as<SubLink>(e));
    case ExprKind::sub_plan: return f(*as<SubPlan>(e));
    case ExprKind::field_select: return f(*as<FieldSelect>(e));
    case ExprKind::field_store: return f(*as<FieldStore>(e));
    case ExprKind::subscript: return f(*as<Subscript>(e));
    case ExprKind::relabel: return f(*as<Relabel>(e));
    case ExprKind::coerce_io: return f(*as<CoerceIo>(e));
    case ExprKind::array_coerce: return f(*as<ArrayCoerce>(e));
    case ExprKind::row_coerce: return f(*as<RowCoerce>(e));
    case ExprKind::collate: return f(*as<Collate>(e));
    case ExprKind::case_when: return f(*as<Case>(e));
    case ExprKind::case_test: return f(*as<CaseTest>(e));
    case ExprKind::array: return f(*as<ArrayExpr>(e));
    case ExprKind::row: return f(*as<RowExpr>(e));
    case ExprKind::row_compare: return f(*as<RowCompare>(e));
    case ExprKind::coalesce: return f(*as<Coalesce>(e));
    case ExprKind::min_max: return f(*as<MinMax>(e));
    case ExprKind::sql_value: return f(*as<SqlValue>(e));
    case ExprKind::null_test: return f(*as<NullTest>(e));
    case ExprKind::boolean_test: return f(*as<BooleanTest>(e));
    case ExprKind::coerce_domain: return f(*as<CoerceDomain>(e));
    case ExprKind::domain_value: return f(*as<DomainValue>(e));
    case ExprKind::set_default: return f(*as<SetToDefault>(e));
    case ExprKind::current_of: return f(*as<CurrentOf>(e));
    case ExprKind::next_value: return f(*as<NextValue>(e));
  }
  panic("an expression node has an unknown kind");
}

template <class F>
decltype(auto) dispatch(JoinNode* node, F&& f) {
  switch (node->kind) {
    case JoinNodeKind::reference: return f(*static_cast<RangeReference*>(node));
    case JoinNodeKind::join: return f(*static_cast<JoinExpr*>(node));
    case JoinNodeKind::from: return f(*static_cast<FromExpr*>(node));
  }
  panic("a join tree node has an unknown kind");
}

// The number of values of each enumeration that occurs in a field.
template <class E> inline constexpr int kEnumCount = 0;
template <> inline constexpr int kEnumCount<ExprKind> = static_cast<int>(ExprKind::next_value) + 1;
template <> inline constexpr int kEnumCount<JoinNodeKind> = 3;
template <> inline constexpr int kEnumCount<Parameter::Source> = 3;
template <> inline constexpr int kEnumCount<CallForm> = 4;
template <> inline constexpr int kEnumCount<BooleanExpr::Op> = 3;
template <> inline constexpr int kEnumCount<SubLink::Type> = 7;
template <> inline constexpr int kEnumCount<SqlValue::Op> = 11;
template <> inline constexpr int kEnumCount<BooleanTest::Op> = 6;
template <> inline constexpr int kEnumCount<CommandKind> = 6;
template <> inline constexpr int kEnumCount<JoinType> = 6;
template <> inline constexpr int kEnumCount<RteKind> = 7;
template <> inline constexpr int kEnumCount<SetOperation::Op> = 4;
template <> inline constexpr int kEnumCount<GroupingSet::Kind> = 5;

// Structs that have fields() and are neither expressions nor queries nor join nodes: parts.
template <class T> inline constexpr bool kIsList = false;
template <class T> inline constexpr bool kIsList<List<T>> = true;
template <class T>
inline constexpr bool kIsScalar = std::is_arithmetic_v<T> || (std::is_enum_v<T>) || std::is_same_v<T, Oid>;
template <class T>
inline constexpr bool kIsJoinNode = std::is_same_v<T, JoinNode> || std::is_base_of_v<JoinNode, T>;

inline constexpr std::array<std::string_view, kEnumCount<ExprKind>> kExprKindNames{
    "const", "var", "param", "agg", "window", "grouping", "func", "op", "distinct", "nullif", "arrayop", "bool", "sublink", "subplan", "field",
    "store", "subscript", "relabel", "io", "arraycoerce", "rowcoerce", "collate", "case", "casetest", "array", "row", "rowcompare", "coalesce",
    "minmax", "sqlvalue", "nulltest", "booltest", "domain", "domainvalue", "default", "currentof", "nextval"};

}  // namespace hathi::nodes
