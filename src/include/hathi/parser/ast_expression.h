#pragma once
// Expressions of the raw syntax tree.

#include "hathi/parser/ast.h"

namespace hathi::parser {

struct SelectStatement;

// a, t.a, s.t.a, t.*, *. With star, names are what stands before it (empty for the bare one).
struct ColumnRef : NodeOf<NodeKind::column_ref> {
  QualifiedName names;
  bool star = false;
};

// What follows a value: .field, .*, [i], [lower:upper]. Missing bounds are null.
enum class IndirectionKind : std::uint8_t { field, star, subscript, slice };
struct IndirectionStep {
  IndirectionKind kind = IndirectionKind::field;
  Name field;
  Expr* lower = nullptr;
  Expr* upper = nullptr;  // of a subscript: the index
};
// (expr).field[1]. A column reference's leading names are in the ColumnRef itself; steps start at its first subscript.
struct Indirection : NodeOf<NodeKind::indirection> {
  Expr* arg = nullptr;
  List<IndirectionStep> steps;
};

// $n
struct ParamRef : NodeOf<NodeKind::param_ref> {
  int number = 0;
};

enum class ConstantKind : std::uint8_t {
  null,
  integer,     // fits int32: integer
  number,      // anything else numeric: text, without sign
  string,      // text, escapes already resolved
  bit_string,  // text: "b" or "x", then the digits as written
  boolean,     // integer 0 or 1
};
struct Constant : NodeOf<NodeKind::constant> {
  ConstantKind type = ConstantKind::null;
  std::int32_t integer = 0;
  std::string_view text;
};

// CAST(x AS t), x::t, and the literal t 'text' (then arg is a string Constant). location is of "CAST", "::" or the type name.
struct TypeCast : NodeOf<NodeKind::type_cast> {
  Expr* arg = nullptr;
  TypeName* type = nullptr;
};

struct CollateClause : NodeOf<NodeKind::collate_clause> {
  Expr* arg = nullptr;  // null where only the name is wanted (column definitions)
  QualifiedName collation;
};

// left op right, op right (left null). "!=" arrives as "<>". qualifier is not empty for OPERATOR(schema.op). location is the operator's.
struct OperatorExpr : NodeOf<NodeKind::operator_expr> {
  Name op;
  QualifiedName qualifier;
  Expr* left = nullptr;
  Expr* right = nullptr;
};

// left op ANY (array), left op ALL (array); the subquery form is SubqueryExpr. LIKE ANY and friends carry the operators ~~, !~~, ~~*, !~~*.
struct ArrayComparison : NodeOf<NodeKind::array_comparison> {
  Name op;
  QualifiedName qualifier;
  Expr* left = nullptr;
  Expr* array = nullptr;
  bool all = false;
};

// AND and OR lists are flat: a AND b AND c is one node with three arguments. NOT has one.
enum class BoolOp : std::uint8_t { and_, or_, not_ };
struct BoolExpr : NodeOf<NodeKind::bool_expr> {
  BoolOp op = BoolOp::and_;
  List<Expr*> args;
};

// left [NOT] LIKE/ILIKE/SIMILAR TO pattern [ESCAPE e]. Means the operators ~~ !~~ / ~~* !~~* / ~ !~; with escape the pattern is wrapped in
// pg_catalog.like_escape(pattern, escape); SIMILAR TO always in pg_catalog.similar_to_escape(pattern [, escape]).
enum class LikeKind : std::uint8_t { like, ilike, similar };
struct LikeExpr : NodeOf<NodeKind::like_expr> {
  LikeKind type = LikeKind::like;
  bool negated = false;
  Expr* left = nullptr;
  Expr* pattern = nullptr;
  Expr* escape = nullptr;
};

// left [NOT] IN (a, b, …)
struct InListExpr : NodeOf<NodeKind::in_list_expr> {
  bool negated = false;
  Expr* left = nullptr;
  List<Expr*> list;
};

struct BetweenExpr : NodeOf<NodeKind::between_expr> {
  bool negated = false;
  bool symmetric = false;
  Expr* arg = nullptr;
  Expr* low = nullptr;
  Expr* high = nullptr;
};

// x IS [NOT] NULL, ISNULL, NOTNULL
struct NullTest : NodeOf<NodeKind::null_test> {
  Expr* arg = nullptr;
  bool negated = false;
};

enum class BooleanTestKind : std::uint8_t { is_true, is_not_true, is_false, is_not_false, is_unknown, is_not_unknown };
struct BooleanTest : NodeOf<NodeKind::boolean_test> {
  Expr* arg = nullptr;
  BooleanTestKind test = BooleanTestKind::is_true;
};

// left IS [NOT] DISTINCT FROM right; negated for NOT. Operator "=".
struct DistinctTest : NodeOf<NodeKind::distinct_test> {
  Expr* left = nullptr;
  Expr* right = nullptr;
  bool negated = false;
};

struct NullIfExpr : NodeOf<NodeKind::nullif_expr> {
  Expr* left = nullptr;
  Expr* right = nullptr;
};

// ROW(a, b) or (a, b)
struct RowExpr : NodeOf<NodeKind::row_expr> {
  List<Expr*> args;
  bool explicit_row = false;
};

// ARRAY[…]; inner brackets without the word are ArrayExpr too.
struct ArrayExpr : NodeOf<NodeKind::array_expr> {
  List<Expr*> elements;
};

struct CaseWhen : NodeOf<NodeKind::case_when> {
  Expr* condition = nullptr;  // or the value compared with CaseExpr::arg
  Expr* result = nullptr;
};
struct CaseExpr : NodeOf<NodeKind::case_expr> {
  Expr* arg = nullptr;
  List<CaseWhen*> whens;
  Expr* default_result = nullptr;
};

struct CoalesceExpr : NodeOf<NodeKind::coalesce_expr> {
  List<Expr*> args;
};
struct MinMaxExpr : NodeOf<NodeKind::min_max_expr> {
  bool greatest = false;
  List<Expr*> args;
};

enum class SortDirection : std::uint8_t { unspecified, ascending, descending, using_operator };
enum class NullsOrder : std::uint8_t { unspecified, first, last };
// location: the operator's with USING.
struct SortBy : NodeOf<NodeKind::sort_by> {
  Expr* expr = nullptr;
  SortDirection direction = SortDirection::unspecified;
  NullsOrder nulls = NullsOrder::unspecified;
  Name op;  // ORDER BY x USING op
  QualifiedName op_qualifier;
};

// A window specification. Frame bounds and modes follow the SQL text; no frame clause leaves has_frame false (RANGE UNBOUNDED PRECEDING ..
// CURRENT ROW).
enum class FrameMode : std::uint8_t { range, rows, groups };
enum class FrameBound : std::uint8_t { unbounded_preceding, offset_preceding, current_row, offset_following, unbounded_following };
enum class FrameExclusion : std::uint8_t { no_others, current_row, group, ties };
struct WindowDef : NodeOf<NodeKind::window_def> {
  Name name;               // WINDOW name AS (…), or OVER name
  Name reference;          // OVER (name …): the window copied from
  bool over_name = false;  // OVER name, without parentheses: the whole definition is the named one's
  List<Expr*> partition_by;
  List<SortBy*> order_by;
  bool has_frame = false;
  bool between = false;  // BETWEEN … AND … was written; otherwise frame_end is current_row by default
  FrameMode mode = FrameMode::range;
  FrameBound start = FrameBound::unbounded_preceding;
  FrameBound end = FrameBound::current_row;
  Expr* start_offset = nullptr;
  Expr* end_offset = nullptr;
  FrameExclusion exclusion = FrameExclusion::no_others;
};

// name := value, name => value
struct NamedArg : NodeOf<NodeKind::named_arg> {
  Name name;
  Expr* value = nullptr;
};

// A function call. The SQL special forms arrive as calls of the functions that implement them, with sql_syntax set and the name qualified:
//   EXTRACT(f FROM x) = pg_catalog.extract('f', x)           OVERLAY(a PLACING b FROM c FOR d) = overlay(a, b, c, d)
//   POSITION(a IN b) = position(b, a)                        SUBSTRING(a FROM b FOR c) = substring(a, b, c); FOR alone: substring(a, 1,
//   b::int4) SUBSTRING(a SIMILAR b ESCAPE c) = substring(a, b, c)     TRIM(LEADING|TRAILING|BOTH a FROM b) = ltrim|rtrim|btrim(b, a) x AT
//   TIME ZONE z = timezone(z, x)                        COLLATION FOR (x) = pg_collation_for(x) NORMALIZE(x, form) = normalize(x, 'form')
//   x IS [NOT] [form] NORMALIZED = [NOT] is_normalized(x, 'form') TREAT(x AS t) = a call of the function t(x)              (a, b) OVERLAPS
//   (c, d) = overlaps(a, b, c, d) SYSTEM_USER and the like are not in 15. XMLEXISTS(a PASSING b) = xmlexists(a, b).
struct FunctionCall : NodeOf<NodeKind::function_call> {
  QualifiedName name;
  List<Expr*> args;
  List<SortBy*> order_by;  // inside the parentheses, or of WITHIN GROUP
  Expr* filter = nullptr;
  WindowDef* over = nullptr;
  bool star = false;  // f(*)
  bool distinct = false;
  bool variadic = false;  // the last argument was marked VARIADIC
  bool within_group = false;
  bool sql_syntax = false;
};

// Values that look like columns or functions without parentheses. precision is -1 when not given.
enum class ValueFunctionKind : std::uint8_t {
  current_date,
  current_time,
  current_timestamp,
  localtime,
  localtimestamp,
  current_role,
  current_user,
  user,
  session_user,
  current_catalog,
  current_schema,
};
struct ValueFunction : NodeOf<NodeKind::value_function> {
  ValueFunctionKind function = ValueFunctionKind::current_date;
  int precision = -1;
};

// XMLCONCAT, XMLELEMENT, XMLFOREST, XMLPARSE, XMLPI, XMLROOT, IS DOCUMENT.
enum class XmlOp : std::uint8_t { concat, element, forest, parse, pi, root, is_document };
struct Target;
struct XmlExpr : NodeOf<NodeKind::xml_expr> {
  XmlOp op = XmlOp::concat;
  Name name;                 // of the element or instruction
  List<Target*> named_args;  // attributes, forest members: value AS name
  List<Expr*> args;  // parse: (text, preserve_whitespace as boolean constant); root: (xml, version or NULL, standalone as integer constant
                     // 0 yes, 1 no, 2 no value, 3 omitted)
  bool document = false;  // XMLPARSE(DOCUMENT …)
  bool negated = false;   // IS NOT DOCUMENT
};
struct XmlSerialize : NodeOf<NodeKind::xml_serialize> {
  bool document = false;
  Expr* arg = nullptr;
  TypeName* type = nullptr;
};

// EXISTS (q), (q), ARRAY(q), test op ANY (q), test op ALL (q). test IN (q) is any with op "="; NOT IN is NOT around it.
enum class SubqueryKind : std::uint8_t { exists, scalar, array, any, all };
struct SubqueryExpr : NodeOf<NodeKind::subquery_expr> {
  SubqueryKind type = SubqueryKind::scalar;
  Expr* test = nullptr;
  Name op;  // of any and all
  QualifiedName op_qualifier;
  bool in_syntax = false;  // written as IN
  SelectStatement* query = nullptr;
};

// GROUPING(a, b)
struct GroupingFunc : NodeOf<NodeKind::grouping_func> {
  List<Expr*> args;
};
// Members of GROUP BY that are not expressions.
enum class GroupingSetKind : std::uint8_t { empty, rollup, cube, sets };
struct GroupingSet : NodeOf<NodeKind::grouping_set> {
  GroupingSetKind type = GroupingSetKind::empty;
  List<Expr*> content;
};

// DEFAULT in VALUES and SET
struct DefaultExpr : NodeOf<NodeKind::default_expr> {};
// WHERE CURRENT OF cursor
struct CurrentOfExpr : NodeOf<NodeKind::current_of_expr> {
  Name cursor;
};

// value [AS name] in select lists and RETURNING; in INSERT's column list name plus steps, value null.
struct Target : NodeOf<NodeKind::target> {
  Name name;                    // empty: none given
  List<IndirectionStep> steps;  // INSERT and SET targets only: .field and [subscript]
  Expr* value = nullptr;
};

// A key of CREATE INDEX, PARTITION BY's twin, ON CONFLICT's inference, EXCLUDE.
struct IndexElement : NodeOf<NodeKind::index_element> {
  Name name;             // a column, or
  Expr* expr = nullptr;  // an expression
  QualifiedName collation;
  QualifiedName operator_class;
  OptionList operator_class_options;
  SortDirection direction = SortDirection::unspecified;
  NullsOrder nulls = NullsOrder::unspecified;
};

}  // namespace hathi::parser
