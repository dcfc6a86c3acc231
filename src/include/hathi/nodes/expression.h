#pragma once
// Typed expressions: what the analyzer makes of the AST, what the catalogs store (defaults, checks, index keys), what plans
// carry. Immutable, arena-allocated, without virtual functions; code is named by OID.
// Every struct has fields(visitor): the one list from which copying, equality, walking, serialisation are made (nodes/visit.h).

#include <cstdint>
#include <string_view>

#include "hathi/base/ids.h"
#include "hathi/datum/datum.h"
#include "hathi/memory/arena.h"

namespace hathi::nodes {

enum class ExprKind : std::uint8_t {
  constant, variable, parameter, aggregate, window_function, grouping, function, op, distinct_op, nullif_op, array_op, boolean, sub_link, sub_plan,
  field_select, field_store, subscript, relabel, coerce_io, array_coerce, row_coerce, collate, case_when, case_test, array, row, row_compare,
  coalesce, min_max, sql_value, null_test, boolean_test, coerce_domain, domain_value, set_default, current_of, next_value
};

struct Expr {
  ExprKind kind;
  int location = -1;            // byte offset in the statement; not part of equality
};

struct Query;

struct Constant : Expr {
  static constexpr ExprKind kKind = ExprKind::constant;
  Oid type = kInvalidOid;
  std::int32_t typmod = -1;
  Oid collation = kInvalidOid;
  TypeLayout layout;
  Datum value;
  bool is_null = false;
  template <class V> void fields(V& v) { v(type, typmod, collation); v.constant(layout, value, is_null); }
};

// A column of range-table entry `rte` (1-based) of the query `levels_up` levels out. In plans: see planner/plan.h.
inline constexpr int kOuterVar = -1, kInnerVar = -2, kIndexVar = -3;
struct Variable : Expr {
  static constexpr ExprKind kKind = ExprKind::variable;
  int rte = 0;
  AttrNumber column = 0;        // 0 = whole row, negative = system column
  Oid type = kInvalidOid;
  std::int32_t typmod = -1;
  Oid collation = kInvalidOid;
  int levels_up = 0;
  int source_rte = 0;           // as it stood in the query: survives planning, for EXPLAIN and deparsing; not part of equality
  AttrNumber source_column = 0;
  template <class V> void fields(V& v) { v(rte, column, type, typmod, collation, levels_up); v.display(source_rte, source_column); }
};

struct Parameter : Expr {
  static constexpr ExprKind kKind = ExprKind::parameter;
  enum class Source : std::uint8_t { external /* $n */, exec /* the plan's own: init plans, nested-loop arguments */, sub_link };
  Source source = Source::external;
  // external and sub_link: 1-based; exec: 0-based slot. In UPDATE's targets, SET (a, b) = (SELECT …): sub_link with
  // number = SubLink::id << 16 | output column (from 1); the SubLink (type multi) is the expression of a junk target.
  int number = 0;
  Oid type = kInvalidOid;
  std::int32_t typmod = -1;
  Oid collation = kInvalidOid;
  template <class V> void fields(V& v) { v(source, number, type, typmod, collation); }
};

struct TargetEntry;

// How to sort or group by a target entry.
struct SortClause {
  int ref = 0;                        // TargetEntry::sort_group_ref
  Oid equal_operator = kInvalidOid;
  Oid order_operator = kInvalidOid;   // < or >; 0 = can only be hashed
  bool nulls_first = false;
  bool hashable = false;
  template <class V> void fields(V& v) { v(ref, equal_operator, order_operator, nulls_first, hashable); }
};

struct Aggregate : Expr {
  static constexpr ExprKind kKind = ExprKind::aggregate;
  Oid function = kInvalidOid, type = kInvalidOid, collation = kInvalidOid, input_collation = kInvalidOid;
  Oid transition_type = kInvalidOid;  // resolved when polymorphic
  List<Oid> argument_types;
  List<Expr*> direct_args;            // of ordered-set aggregates
  List<TargetEntry*> args;            // aggregated arguments; ORDER BY's extra expressions are marked junk
  List<SortClause*> order_by, distinct;
  Expr* filter = nullptr;
  bool star = false, variadic = false;
  char aggregate_kind = 'n';
  int levels_up = 0;
  int number = -1;                    // set by the planner: index of the aggregate state
  template <class V> void fields(V& v) {
    v(function, type, collation, input_collation, transition_type, argument_types, direct_args, args, order_by, distinct, filter, star, variadic,
      aggregate_kind, levels_up, number);
  }
};

struct WindowFunction : Expr {
  static constexpr ExprKind kKind = ExprKind::window_function;
  Oid function = kInvalidOid, type = kInvalidOid, collation = kInvalidOid, input_collation = kInvalidOid;
  List<Expr*> args;
  Expr* filter = nullptr;
  int window_ref = 0;                 // WindowClause::ref
  bool star = false, is_aggregate = false;
  template <class V> void fields(V& v) { v(function, type, collation, input_collation, args, filter, window_ref, star, is_aggregate); }
};

struct Grouping : Expr {
  static constexpr ExprKind kKind = ExprKind::grouping;
  List<Expr*> args;
  List<int> refs;
  int levels_up = 0;
  template <class V> void fields(V& v) { v(args, refs, levels_up); }
};

// How a call is to be printed.
enum class CallForm : std::uint8_t { call, explicit_cast, implicit_cast, sql_syntax };

struct FunctionExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::function;
  Oid function = kInvalidOid, type = kInvalidOid;
  std::int32_t typmod = -1;           // of a length coercion
  Oid collation = kInvalidOid, input_collation = kInvalidOid;
  bool returns_set = false, variadic = false;
  CallForm form = CallForm::call;
  List<Expr*> args;
  template <class V> void fields(V& v) { v(function, type, typmod, collation, input_collation, returns_set, variadic, form, args); }
};

// An operator with its function. Kinds distinct_op (IS DISTINCT FROM, op is =) and nullif_op have the same shape.
struct OpExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::op;
  Oid op = kInvalidOid, function = kInvalidOid, type = kInvalidOid, collation = kInvalidOid, input_collation = kInvalidOid;
  bool returns_set = false;
  List<Expr*> args;                   // one (prefix) or two
  template <class V> void fields(V& v) { v(op, function, type, collation, input_collation, returns_set, args); }
};

// scalar op ANY/ALL (array)
struct ArrayOp : Expr {
  static constexpr ExprKind kKind = ExprKind::array_op;
  Oid op = kInvalidOid, function = kInvalidOid, input_collation = kInvalidOid;
  bool use_or = true;                 // ANY
  Expr* scalar = nullptr;
  Expr* array = nullptr;
  template <class V> void fields(V& v) { v(op, function, input_collation, use_or, scalar, array); }
};

struct BooleanExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::boolean;
  enum class Op : std::uint8_t { and_op, or_op, not_op };
  Op op = Op::and_op;
  List<Expr*> args;
  template <class V> void fields(V& v) { v(op, args); }
};

// A subquery in an expression, before planning.
struct SubLink : Expr {
  static constexpr ExprKind kKind = ExprKind::sub_link;
  enum class Type : std::uint8_t { exists, all, any, row_compare, scalar, multi, array };
  Type type = Type::scalar;
  Expr* test = nullptr;               // all/any/row_compare: left side compared with Parameter(sub_link, n) = n-th output column
  std::string_view op_name;           // for printing
  Query* query = nullptr;
  int id = 0;                         // multi-assignment: which
  Oid result_type = kInvalidOid;
  std::int32_t result_typmod = -1;
  Oid collation = kInvalidOid;
  template <class V> void fields(V& v) { v(type, test, op_name, query, id, result_type, result_typmod, collation); }
};

// A planned subquery: number of the plan in PlannedStatement::subplans.
struct SubPlan : Expr {
  static constexpr ExprKind kKind = ExprKind::sub_plan;
  SubLink::Type type = SubLink::Type::scalar;
  Expr* test = nullptr;               // uses Parameter(exec) for the subplan's columns
  List<int> test_params;              // exec slots that receive the subplan's output columns for test
  int plan = 0;                       // 1-based
  std::string_view name;              // "SubPlan 1"
  Oid result_type = kInvalidOid;
  std::int32_t result_typmod = -1;
  Oid collation = kInvalidOid;
  bool use_hash = false, unknown_equals_false = false, is_init_plan = false;
  List<int> set_params;               // init plans: exec slots set by running it
  List<int> param_slots;              // correlated: exec slots that take args before each run
  List<Expr*> args;
  double startup_cost = 0, per_call_cost = 0;
  template <class V> void fields(V& v) {
    v(type, test, test_params, plan, name, result_type, result_typmod, collation, use_hash, unknown_equals_false, is_init_plan, set_params,
      param_slots, args, startup_cost, per_call_cost);
  }
};

struct FieldSelect : Expr {
  static constexpr ExprKind kKind = ExprKind::field_select;
  Expr* arg = nullptr;
  AttrNumber field = 0;
  Oid type = kInvalidOid;
  std::int32_t typmod = -1;
  Oid collation = kInvalidOid;
  template <class V> void fields(V& v) { v(arg, field, type, typmod, collation); }
};

struct FieldStore : Expr {
  static constexpr ExprKind kKind = ExprKind::field_store;
  Expr* arg = nullptr;
  List<Expr*> new_values;
  List<AttrNumber> fields_set;
  Oid type = kInvalidOid;
  template <class V> void fields(V& v) { v(arg, new_values, fields_set, type); }
};

struct Subscript : Expr {
  static constexpr ExprKind kKind = ExprKind::subscript;
  Oid container_type = kInvalidOid, element_type = kInvalidOid, type = kInvalidOid;
  std::int32_t typmod = -1;
  Oid collation = kInvalidOid;
  bool is_slice = false;
  List<Expr*> upper, lower;           // lower only for slices; entries may be null (omitted bound)
  Expr* container = nullptr;
  Expr* assigned = nullptr;           // the new value when this is an assignment
  template <class V> void fields(V& v) { v(container_type, element_type, type, typmod, collation, is_slice, upper, lower, container, assigned); }
};

// Another type with the same bits.
struct Relabel : Expr {
  static constexpr ExprKind kKind = ExprKind::relabel;
  Expr* arg = nullptr;
  Oid type = kInvalidOid;
  std::int32_t typmod = -1;
  Oid collation = kInvalidOid;
  CallForm form = CallForm::implicit_cast;
  template <class V> void fields(V& v) { v(arg, type, typmod, collation, form); }
};

// Through the output text of one type into the input of another.
struct CoerceIo : Expr {
  static constexpr ExprKind kKind = ExprKind::coerce_io;
  Expr* arg = nullptr;
  Oid type = kInvalidOid, collation = kInvalidOid;
  CallForm form = CallForm::implicit_cast;
  template <class V> void fields(V& v) { v(arg, type, collation, form); }
};

struct ArrayCoerce : Expr {
  static constexpr ExprKind kKind = ExprKind::array_coerce;
  Expr* arg = nullptr;
  Expr* element = nullptr;            // applied to each element, which it sees as CaseTest
  Oid type = kInvalidOid;
  std::int32_t typmod = -1;
  Oid collation = kInvalidOid;
  CallForm form = CallForm::implicit_cast;
  template <class V> void fields(V& v) { v(arg, element, type, typmod, collation, form); }
};

struct RowCoerce : Expr {
  static constexpr ExprKind kKind = ExprKind::row_coerce;
  Expr* arg = nullptr;
  Oid type = kInvalidOid;
  CallForm form = CallForm::implicit_cast;
  template <class V> void fields(V& v) { v(arg, type, form); }
};

// COLLATE as written; the planner drops it (the collation is already in the nodes around it).
struct Collate : Expr {
  static constexpr ExprKind kKind = ExprKind::collate;
  Expr* arg = nullptr;
  Oid collation = kInvalidOid;
  template <class V> void fields(V& v) { v(arg, collation); }
};

struct CaseBranch {
  Expr* condition = nullptr;
  Expr* result = nullptr;
  template <class V> void fields(V& v) { v(condition, result); }
};
struct Case : Expr {
  static constexpr ExprKind kKind = ExprKind::case_when;
  Oid type = kInvalidOid, collation = kInvalidOid;
  Expr* arg = nullptr;                // conditions then compare with CaseTest
  List<CaseBranch*> branches;
  Expr* otherwise = nullptr;
  template <class V> void fields(V& v) { v(type, collation, arg, branches, otherwise); }
};
// The value of CASE's argument, of an array's element.
struct CaseTest : Expr {
  static constexpr ExprKind kKind = ExprKind::case_test;
  Oid type = kInvalidOid;
  std::int32_t typmod = -1;
  Oid collation = kInvalidOid;
  template <class V> void fields(V& v) { v(type, typmod, collation); }
};

struct ArrayExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::array;
  Oid type = kInvalidOid, element_type = kInvalidOid, collation = kInvalidOid;
  bool multi_dimensional = false;
  List<Expr*> elements;
  template <class V> void fields(V& v) { v(type, element_type, collation, multi_dimensional, elements); }
};

struct RowExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::row;
  Oid type = kInvalidOid;
  List<Expr*> args;
  List<std::string_view> names;
  CallForm form = CallForm::call;
  template <class V> void fields(V& v) { v(type, args, names, form); }
};

// (a, b) < (c, d); = and <> become AND/OR of operators.
struct RowCompare : Expr {
  static constexpr ExprKind kKind = ExprKind::row_compare;
  int strategy = 0;                   // btree: 1 <, 2 <=, 4 >=, 5 >
  List<Oid> operators, families, collations;
  List<Expr*> left, right;
  template <class V> void fields(V& v) { v(strategy, operators, families, collations, left, right); }
};

struct Coalesce : Expr {
  static constexpr ExprKind kKind = ExprKind::coalesce;
  Oid type = kInvalidOid, collation = kInvalidOid;
  List<Expr*> args;
  template <class V> void fields(V& v) { v(type, collation, args); }
};

struct MinMax : Expr {
  static constexpr ExprKind kKind = ExprKind::min_max;
  bool greatest = false;
  Oid type = kInvalidOid, collation = kInvalidOid, input_collation = kInvalidOid;
  List<Expr*> args;
  template <class V> void fields(V& v) { v(greatest, type, collation, input_collation, args); }
};

// CURRENT_DATE and friends.
struct SqlValue : Expr {
  static constexpr ExprKind kKind = ExprKind::sql_value;
  enum class Op : std::uint8_t {
    current_date, current_time, current_timestamp, local_time, local_timestamp, current_role, current_user, user, session_user, current_catalog,
    current_schema
  };
  Op op = Op::current_date;
  Oid type = kInvalidOid;
  std::int32_t typmod = -1;
  Oid collation = kInvalidOid;
  template <class V> void fields(V& v) { v(op, type, typmod, collation); }
};

struct NullTest : Expr {
  static constexpr ExprKind kKind = ExprKind::null_test;
  Expr* arg = nullptr;
  bool is_null = true;                // IS NULL, else IS NOT NULL
  bool arg_is_row = false;
  template <class V> void fields(V& v) { v(arg, is_null, arg_is_row); }
};

struct BooleanTest : Expr {
  static constexpr ExprKind kKind = ExprKind::boolean_test;
  enum class Op : std::uint8_t { is_true, is_not_true, is_false, is_not_false, is_unknown, is_not_unknown };
  Op op = Op::is_true;
  Expr* arg = nullptr;
  template <class V> void fields(V& v) { v(op, arg); }
};

struct CoerceDomain : Expr {
  static constexpr ExprKind kKind = ExprKind::coerce_domain;
  Expr* arg = nullptr;
  Oid type = kInvalidOid;
  std::int32_t typmod = -1;
  Oid collation = kInvalidOid;
  CallForm form = CallForm::implicit_cast;
  template <class V> void fields(V& v) { v(arg, type, typmod, collation, form); }
};

struct DomainValue : Expr {
  static constexpr ExprKind kKind = ExprKind::domain_value;
  Oid type = kInvalidOid;
  std::int32_t typmod = -1;
  Oid collation = kInvalidOid;
  template <class V> void fields(V& v) { v(type, typmod, collation); }
};

struct SetToDefault : Expr {
  static constexpr ExprKind kKind = ExprKind::set_default;
  Oid type = kInvalidOid;
  std::int32_t typmod = -1;
  Oid collation = kInvalidOid;
  template <class V> void fields(V& v) { v(type, typmod, collation); }
};

struct CurrentOf : Expr {
  static constexpr ExprKind kKind = ExprKind::current_of;
  int rte = 0;
  std::string_view cursor;
  int param = 0;
  template <class V> void fields(V& v) { v(rte, cursor, param); }
};

// nextval of an identity column's sequence.
struct NextValue : Expr {
  static constexpr ExprKind kKind = ExprKind::next_value;
  Oid sequence = kInvalidOid, type = kInvalidOid;
  template <class V> void fields(V& v) { v(sequence, type); }
};

// An output column.
struct TargetEntry {
  Expr* expr = nullptr;
  AttrNumber number = 0;              // position, from 1; INSERT/UPDATE before planning: the target column
  std::string_view name;
  int sort_group_ref = 0;             // nonzero: ORDER BY / GROUP BY / DISTINCT refer to it
  Oid origin_table = kInvalidOid;     // when it is a plain column
  AttrNumber origin_column = 0;
  bool junk = false;                  // not sent to the client
  template <class V> void fields(V& v) { v(expr, number); v.display(name); v(sort_group_ref); v.display(origin_table, origin_column); v(junk); }
};

// The result type, typmod, collation of any expression (nodes/expression.cpp).
Oid type_of(const Expr* e);
std::int32_t typmod_of(const Expr* e);
Oid collation_of(const Expr* e);

template <class T>
T* as(Expr* e) { return static_cast<T*>(e); }
template <class T>
const T* as(const Expr* e) { return static_cast<const T*>(e); }
template <class T>
bool is(const Expr* e) { return e != nullptr && e->kind == T::kKind; }
// A new node with its kind set.
template <class T>
T* make(Arena& arena, int location = -1) {
  T* node = new (arena.allocate(sizeof(T), alignof(T))) T();
  node->kind = T::kKind;
  node->location = location;
  return node;
}

}  // namespace hathi::nodes
