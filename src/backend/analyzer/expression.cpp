// Expressions: one case a kind of syntax node.

#include "hathi/error/report.h"
#include "state.h"

namespace hathi::analyzer {
namespace {

constexpr std::uint32_t kMaxRowColumns = 1664;

bool is_null_constant(const ast::Node* node) {
  const auto* constant = ast::node_try<ast::Constant>(node);
  return constant != nullptr && constant->type == ast::ConstantKind::null;
}

// Set-returning functions may not stand where evaluation is conditional.
void check_no_srf_inside(ParseState& ps, const Expr* before, std::string_view construct) {
  if (ps.last_srf == before) return;
  throw SqlError(sqlstate::feature_not_supported, "set-returning functions are not allowed in {}", construct)
      .hint("You might be able to move the set-returning function into a LATERAL FROM item.")
      .at(location_of(ps.last_srf));
}

Expr* make_null_test(ParseState& ps, Expr* arg, bool is_null, int location) {
  auto* test = make<NullTest>(ps.arena, location);
  test->arg = arg;
  test->is_null = is_null;
  test->arg_is_row = is_row_type(type_of(arg));
  return test;
}

Expr* transform_bool_expr(ParseState& ps, const ast::BoolExpr* node) {
  std::string_view word = node->op == ast::BoolOp::and_ ? "AND" : node->op == ast::BoolOp::or_ ? "OR" : "NOT";
  auto op = node->op == ast::BoolOp::and_ ? BooleanExpr::Op::and_op : node->op == ast::BoolOp::or_ ? BooleanExpr::Op::or_op : BooleanExpr::Op::not_op;
  List<Expr*> args;
  args.reserve(ps.arena, node->args.size());
  for (const ast::Node* arg : node->args) args.push_back(ps.arena, coerce_to_boolean(ps, transform_inner(ps, arg), word));
  return make_boolean(ps.arena, op, args, node->location);
}

List<Expr*> transform_row_args(ParseState& ps, const ast::Node* row) {
  return transform_list(ps, ast::node_cast<ast::RowExpr>(row)->args, ps.clause, false);
}

// (a, b) op (SELECT …) and (a, b) op (c, d); nullptr for anything else. Apart, so that long chains of operators take little stack.
[[gnu::noinline]] Expr* transform_row_comparison(ParseState& ps, const ast::OperatorExpr* node) {
  const auto* left_row = ast::node_try<ast::RowExpr>(node->left);
  const auto* sub_query = ast::node_try<ast::SubqueryExpr>(node->right);
  if (left_row != nullptr && sub_query != nullptr && sub_query->type == ast::SubqueryKind::scalar) {
    // (a, b) op (SELECT …): the subquery's row is compared column by column.
    ast::SubqueryExpr compare = *sub_query;
    compare.test = node->left;
    compare.op = node->op;
    compare.op_qualifier = node->qualifier;
    compare.location = node->location;
    return transform_sub_link(ps, &compare);
  }
  if (left_row != nullptr && ast::is<ast::RowExpr>(node->right)) {
    List<Expr*> left = transform_row_args(ps, node->left);
    return transform_row_operator(ps, node->op, node->qualifier, left, transform_row_args(ps, node->right), node->location);
  }
  return nullptr;
}

Expr* transform_operator(ParseState& ps, const ast::OperatorExpr* node) {
  if (node->left != nullptr && ast::is<ast::RowExpr>(node->left)) {
    if (Expr* rows = transform_row_comparison(ps, node)) return rows;
  }
  Expr* last_srf = ps.last_srf;
  Expr* left = node->left == nullptr ? nullptr : transform_inner(ps, node->left);
  Expr* right = transform_inner(ps, node->right);
  return make_op(ps, node->op, node->qualifier, left, right, last_srf, node->location);
}

Expr* make_distinct(ParseState& ps, Expr* left, Expr* right, int location) {
  Expr* last_srf = ps.last_srf;
  Expr* op = make_op(ps, "=", {}, left, right, last_srf, location);
  if (type_of(op) != type_oid::bool_)
    throw SqlError(sqlstate::datatype_mismatch, "IS DISTINCT FROM requires = operator to yield boolean").at(location);
  if (as<OpExpr>(op)->returns_set) throw SqlError(sqlstate::datatype_mismatch, "{} must not return a set", "IS DISTINCT FROM").at(location);
  op->kind = ExprKind::distinct_op;
  return op;
}

Expr* negate(ParseState& ps, Expr* e, int location) {
  List<Expr*> args;
  args.push_back(ps.arena, e);
  return make_boolean(ps.arena, BooleanExpr::Op::not_op, args, location);
}

Expr* transform_distinct_test(ParseState& ps, const ast::DistinctTest* node) {
  if (is_null_constant(node->right)) return make_null_test(ps, transform_inner(ps, node->left), node->negated, node->location);
  if (is_null_constant(node->left)) return make_null_test(ps, transform_inner(ps, node->right), node->negated, node->location);
  Expr* result = nullptr;
  if (ast::is<ast::RowExpr>(node->left) && ast::is<ast::RowExpr>(node->right)) {
    List<Expr*> left = transform_row_args(ps, node->left);
    List<Expr*> right = transform_row_args(ps, node->right);
    if (left.size() != right.size()) throw SqlError(sqlstate::syntax_error, "unequal number of entries in row expressions").at(node->location);
    for (std::uint32_t i = 0; i < left.size(); ++i) {
      Expr* pair = make_distinct(ps, left[i], right[i], node->location);
      if (result == nullptr) { result = pair; continue; }
      List<Expr*> args;
      args.push_back(ps.arena, result);
      args.push_back(ps.arena, pair);
      result = make_boolean(ps.arena, BooleanExpr::Op::or_op, args, node->location);
    }
    if (result == nullptr) result = make_bool(ps.arena, false);   // zero-length rows
  } else {
    Expr* left = transform_inner(ps, node->left);
    result = make_distinct(ps, left, transform_inner(ps, node->right), node->location);
  }
  return node->negated ? negate(ps, result, node->location) : result;
}

Expr* transform_nullif(ParseState& ps, const ast::NullIfExpr* node) {
  Expr* left = transform_inner(ps, node->left);
  Expr* right = transform_inner(ps, node->right);
  Expr* made = make_op(ps, "=", {}, left, right, ps.last_srf, node->location);
  auto* op = as<OpExpr>(made);
  if (op->type != type_oid::bool_) throw SqlError(sqlstate::datatype_mismatch, "NULLIF requires = operator to yield boolean").at(node->location);
  if (op->returns_set) throw SqlError(sqlstate::datatype_mismatch, "{} must not return a set", "NULLIF").at(node->location);
  op->type = type_of(op->args[0]);
  op->kind = ExprKind::nullif_op;
  return op;
}

Expr* transform_like(ParseState& ps, const ast::LikeExpr* node) {
  std::string_view op = node->type == ast::LikeKind::like    ? (node->negated ? "!~~" : "~~")
                        : node->type == ast::LikeKind::ilike ? (node->negated ? "!~~*" : "~~*")
                                                             : (node->negated ? "!~" : "~");
  Expr* last_srf = ps.last_srf;
  Expr* left = transform_inner(ps, node->left);
  Expr* pattern;
  if (node->type != ast::LikeKind::similar && node->escape == nullptr) {
    pattern = transform_inner(ps, node->pattern);
  } else {
    auto* call = ast::make_node<ast::FunctionCall>(ps.arena, node->location);
    call->name.push_back(ps.arena, "pg_catalog");
    call->name.push_back(ps.arena, node->type == ast::LikeKind::similar ? "similar_to_escape" : "like_escape");
    call->args.push_back(ps.arena, node->pattern);
    if (node->escape != nullptr) call->args.push_back(ps.arena, node->escape);
    pattern = transform_inner(ps, call);
  }
  return make_op(ps, op, {}, left, pattern, last_srf, node->location);
}

ast::Node* comparison(ParseState& ps, std::string_view op, ast::Expr* left, ast::Expr* right, int location) {
  auto* node = ast::make_node<ast::OperatorExpr>(ps.arena, location);
  node->op = op;
  node->left = left;
  node->right = right;
  return node;
}
ast::Node* combine(ParseState& ps, ast::BoolOp op, ast::Node* a, ast::Node* b, int location) {
  auto* node = ast::make_node<ast::BoolExpr>(ps.arena, location);
  node->op = op;
  node->args.push_back(ps.arena, a);
  node->args.push_back(ps.arena, b);
  return node;
}

Expr* transform_between(ParseState& ps, const ast::BetweenExpr* n) {
  int at = n->location;
  auto range = [&](ast::Expr* low, ast::Expr* high) {
    return n->negated ? combine(ps, ast::BoolOp::or_, comparison(ps, "<", n->arg, low, at), comparison(ps, ">", n->arg, high, at), at)
                      : combine(ps, ast::BoolOp::and_, comparison(ps, ">=", n->arg, low, at), comparison(ps, "<=", n->arg, high, at), at);
  };
  ast::Node* node = range(n->low, n->high);
  if (n->symmetric) node = combine(ps, n->negated ? ast::BoolOp::and_ : ast::BoolOp::or_, node, range(n->high, n->low), at);
  return transform_inner(ps, node);
}

// x IN (a, b, …): constants and parameters go into one array, expressions over columns are compared one by one.
Expr* transform_in_list(ParseState& ps, const ast::InListExpr* node) {
  Arena& arena = ps.arena;
  std::string_view op = node->negated ? "<>" : "=";
  Expr* left = transform_inner(ps, node->left);
  List<Expr*> with_columns, plain, all;
  for (const ast::Node* item : node->list) {
    Expr* e = transform_inner(ps, item);
    all.push_back(arena, e);
    (contains_variables_of_level(e, 0) ? with_columns : plain).push_back(arena, e);
  }
  Expr* result = nullptr;
  if (plain.size() > 1) {
    List<Expr*> candidates;
    candidates.push_back(arena, left);
    candidates.append(arena, plain);
    Oid type = select_common_type(candidates, "");
    if (is_valid(type) && !verify_common_type(type, candidates)) type = kInvalidOid;
    Oid array_type = is_valid(type) && type != type_oid::record ? array_type_of(type) : kInvalidOid;
    if (is_valid(array_type)) {
      auto* array = make<ArrayExpr>(arena);
      array->type = array_type;
      array->element_type = type;
      for (Expr* e : plain) array->elements.push_back(arena, coerce_to_common(ps, e, type, "IN"));
      result = make_array_op(ps, op, {}, !node->negated, left, array, node->location);
      all = with_columns;
    }
  }
  // Alternatives nest, as PostgreSQL prints them; those of a long list would nest too deeply and are put side by side.
  constexpr std::uint32_t kMostNested = 200;
  BooleanExpr* flat = nullptr;
  for (Expr* right : all) {
    Expr* test;
    if (is<RowExpr>(left) && is<RowExpr>(right))
      test = transform_row_operator(ps, op, {}, as<RowExpr>(copy(left, arena))->args, as<RowExpr>(right)->args, node->location);
    else test = make_op(ps, op, {}, copy(left, arena), right, ps.last_srf, node->location);
    test = coerce_to_boolean(ps, test, "IN");
    if (result == nullptr) { result = test; continue; }
    if (flat != nullptr) { flat->args.push_back(arena, test); continue; }
    List<Expr*> args;
    args.push_back(arena, result);
    args.push_back(arena, test);
    result = make_boolean(arena, node->negated ? BooleanExpr::Op::and_op : BooleanExpr::Op::or_op, args, node->location);
    if (all.size() > kMostNested) flat = as<BooleanExpr>(result);
  }
  return result;
}

Expr* transform_boolean_test(ParseState& ps, const ast::BooleanTest* node) {
  static constexpr std::string_view kWords[] = {"IS TRUE", "IS NOT TRUE", "IS FALSE", "IS NOT FALSE", "IS UNKNOWN", "IS NOT UNKNOWN"};
  auto* test = make<BooleanTest>(ps.arena, node->location);
  test->op = static_cast<BooleanTest::Op>(node->test);
  test->arg = coerce_to_boolean(ps, transform_inner(ps, node->arg), kWords[static_cast<int>(node->test)]);
  return test;
}

Expr* transform_row(ParseState& ps, const ast::RowExpr* node) {
  auto* row = make<RowExpr>(ps.arena, node->location);
  row->args = transform_list(ps, node->args, ps.clause, false);
  if (row->args.size() > kMaxRowColumns)
    throw SqlError(sqlstate::too_many_columns, "ROW expressions can have at most {} entries", kMaxRowColumns).at(node->location);
  row->type = type_oid::record;
  for (std::uint32_t i = 0; i < row->args.size(); ++i) row->names.push_back(ps.arena, ps.arena.copy("f" + std::to_string(i + 1)));
  row->form = node->explicit_row ? CallForm::call : CallForm::implicit_cast;
  return row;
}

Expr* transform_coalesce(ParseState& ps, const ast::CoalesceExpr* node) {
  Expr* last_srf = ps.last_srf;
  auto* result = make<Coalesce>(ps.arena, node->location);
  List<Expr*> args;
  for (const ast::Node* arg : node->args) args.push_back(ps.arena, transform_inner(ps, arg));
  result->type = select_common_type(args, "COALESCE");
  for (Expr* arg : args) result->args.push_back(ps.arena, coerce_to_common(ps, arg, result->type, "COALESCE"));
  check_no_srf_inside(ps, last_srf, "COALESCE");
  return result;
}

Expr* transform_min_max(ParseState& ps, const ast::MinMaxExpr* node) {
  std::string_view word = node->greatest ? "GREATEST" : "LEAST";
  auto* result = make<MinMax>(ps.arena, node->location);
  result->greatest = node->greatest;
  List<Expr*> args;
  for (const ast::Node* arg : node->args) args.push_back(ps.arena, transform_inner(ps, arg));
  result->type = select_common_type(args, word);
  for (Expr* arg : args) result->args.push_back(ps.arena, coerce_to_common(ps, arg, result->type, word));
  return result;
}

std::int32_t time_precision(int precision, std::string_view word, std::string_view suffix) {
  constexpr int kMaxPrecision = 6;
  if (precision <= kMaxPrecision) return precision;
  report_warning(sqlstate::invalid_parameter_value, "{}({}){} precision reduced to maximum allowed, {}", word, precision, suffix, kMaxPrecision);
  return kMaxPrecision;
}

Expr* transform_value_function(ParseState& ps, const ast::ValueFunction* node) {
  auto* value = make<SqlValue>(ps.arena, node->location);
  value->op = static_cast<SqlValue::Op>(node->function);
  switch (value->op) {
    case SqlValue::Op::current_date: value->type = type_oid::date; break;
    case SqlValue::Op::current_time: value->type = type_oid::timetz; value->typmod = time_precision(node->precision, "TIME", " WITH TIME ZONE"); break;
    case SqlValue::Op::current_timestamp:
      value->type = type_oid::timestamptz;
      value->typmod = time_precision(node->precision, "TIMESTAMP", " WITH TIME ZONE");
      break;
    case SqlValue::Op::local_time: value->type = type_oid::time; value->typmod = time_precision(node->precision, "TIME", ""); break;
    case SqlValue::Op::local_timestamp: value->type = type_oid::timestamp; value->typmod = time_precision(node->precision, "TIMESTAMP", ""); break;
    default:
      value->type = type_oid::name;
      value->collation = kCCollation;
      break;
  }
  return value;
}

Expr* transform_type_cast(ParseState& ps, const ast::TypeCast* node) {
  ResolvedType target = resolve_type_name(ps.root, node->type, false);
  Expr* e = nullptr;
  if (const auto* array = ast::node_try<ast::ArrayExpr>(node->arg)) {
    // The elements are converted on their own, so that ARRAY['1', '2']::int[] needs no common type.
    std::int32_t typmod = target.typmod;
    Oid base = base_and_typmod(target.type, &typmod);
    Oid element = element_type_of(base);
    if (is_valid(element)) e = transform_array(ps, array, base, element, typmod);
  }
  if (e == nullptr) e = transform_inner(ps, node->arg);
  Oid input = type_of(e);
  if (!is_valid(input)) return e;
  int location = node->location >= 0 ? node->location : node->type->location;
  Expr* result = coerce_to_target(ps.root, e, input, target.type, target.typmod, CoercionContext::explicit_, CallForm::explicit_cast, location);
  if (result == nullptr)
    throw SqlError(sqlstate::cannot_coerce, "cannot cast type {} to {}", catalog::format_type(input), catalog::format_type(target.type))
        .at(location >= 0 ? location : location_of(e));
  return result;
}

Expr* transform_collate(ParseState& ps, const ast::CollateClause* node) {
  auto* result = make<Collate>(ps.arena, node->location);
  result->arg = transform_inner(ps, node->arg);
  Oid type = type_of(result->arg);
  if (!is_valid(type_collation(type)) && type != type_oid::unknown)
    throw SqlError(sqlstate::datatype_mismatch, "collations are not supported by type {}", catalog::format_type(type)).at(node->location);
  result->collation = resolve_collation(node->collation, node->location);
  return result;
}

Expr* transform_current_of(ParseState& ps, const ast::CurrentOfExpr* node) {
  if (ps.target == nullptr) throw SqlError(sqlstate::syntax_error, "WHERE CURRENT OF is not allowed in this context").at(node->location);
  auto* current = make<CurrentOf>(ps.arena, node->location);
  current->rte = ps.target->index;
  current->cursor = ps.arena.copy(node->cursor);
  return current;
}

Expr* transform_array_comparison(ParseState& ps, const ast::ArrayComparison* node) {
  Expr* left = transform_inner(ps, node->left);
  Expr* right = transform_inner(ps, node->array);
  return make_array_op(ps, node->op, node->qualifier, !node->all, left, right, node->location);
}

}  // namespace

Expr* transform(ParseState& ps, const ast::Node* node, Clause clause) {
  Restore<Clause> in(ps.clause, clause);
  return transform_inner(ps, node);
}

Expr* transform_inner(ParseState& ps, const ast::Node* node) {
  if (node == nullptr) return nullptr;
  check_stack_depth();
  switch (node->kind) {
    case ast::NodeKind::constant: return transform_constant(ps, ast::node_cast<ast::Constant>(node));
    case ast::NodeKind::column_ref: return transform_column_ref(ps, ast::node_cast<ast::ColumnRef>(node));
    case ast::NodeKind::param_ref: return transform_parameter(ps, ast::node_cast<ast::ParamRef>(node));
    case ast::NodeKind::operator_expr: return transform_operator(ps, ast::node_cast<ast::OperatorExpr>(node));
    case ast::NodeKind::bool_expr: return transform_bool_expr(ps, ast::node_cast<ast::BoolExpr>(node));
    case ast::NodeKind::function_call: return transform_function_call(ps, ast::node_cast<ast::FunctionCall>(node));
    case ast::NodeKind::type_cast: return transform_type_cast(ps, ast::node_cast<ast::TypeCast>(node));
    case ast::NodeKind::indirection: return transform_indirection(ps, ast::node_cast<ast::Indirection>(node));
    case ast::NodeKind::collate_clause: return transform_collate(ps, ast::node_cast<ast::CollateClause>(node));
    case ast::NodeKind::array_comparison: return transform_array_comparison(ps, ast::node_cast<ast::ArrayComparison>(node));
    case ast::NodeKind::like_expr: return transform_like(ps, ast::node_cast<ast::LikeExpr>(node));
    case ast::NodeKind::in_list_expr: return transform_in_list(ps, ast::node_cast<ast::InListExpr>(node));
    case ast::NodeKind::between_expr: return transform_between(ps, ast::node_cast<ast::BetweenExpr>(node));
    case ast::NodeKind::null_test: {
      const auto* test = ast::node_cast<ast::NullTest>(node);
      return make_null_test(ps, transform_inner(ps, test->arg), !test->negated, test->location);
    }
    case ast::NodeKind::boolean_test: return transform_boolean_test(ps, ast::node_cast<ast::BooleanTest>(node));
    case ast::NodeKind::distinct_test: return transform_distinct_test(ps, ast::node_cast<ast::DistinctTest>(node));
    case ast::NodeKind::nullif_expr: return transform_nullif(ps, ast::node_cast<ast::NullIfExpr>(node));
    case ast::NodeKind::row_expr: return transform_row(ps, ast::node_cast<ast::RowExpr>(node));
    case ast::NodeKind::array_expr: return transform_array(ps, ast::node_cast<ast::ArrayExpr>(node), kInvalidOid, kInvalidOid, -1);
    case ast::NodeKind::case_expr: return transform_case(ps, ast::node_cast<ast::CaseExpr>(node));
    case ast::NodeKind::coalesce_expr: return transform_coalesce(ps, ast::node_cast<ast::CoalesceExpr>(node));
    case ast::NodeKind::min_max_expr: return transform_min_max(ps, ast::node_cast<ast::MinMaxExpr>(node));
    case ast::NodeKind::value_function: return transform_value_function(ps, ast::node_cast<ast::ValueFunction>(node));
    case ast::NodeKind::subquery_expr: return transform_sub_link(ps, ast::node_cast<ast::SubqueryExpr>(node));
    case ast::NodeKind::grouping_func: return transform_grouping(ps, ast::node_cast<ast::GroupingFunc>(node));
    case ast::NodeKind::current_of_expr: return transform_current_of(ps, ast::node_cast<ast::CurrentOfExpr>(node));
    case ast::NodeKind::default_expr: throw SqlError(sqlstate::syntax_error, "DEFAULT is not allowed in this context").at(node->location);
    case ast::NodeKind::xml_expr:
    case ast::NodeKind::xml_serialize:
      throw SqlError(sqlstate::feature_not_supported, "unsupported XML feature")
          .detail("This functionality requires the server to be built with libxml support.")
          .at(node->location);
    default: throw SqlError(sqlstate::internal_error, "unrecognized node type: {}", static_cast<int>(node->kind)).at(node->location);
  }
}

Expr* transform_where(ParseState& ps, const ast::Node* node, Clause clause, std::string_view name) {
  if (node == nullptr) return nullptr;
  return coerce_to_boolean(ps, transform(ps, node, clause), name);
}

Expr* transform_case(ParseState& ps, const ast::CaseExpr* node) {
  Arena& arena = ps.arena;
  Expr* last_srf = ps.last_srf;
  auto* result = make<Case>(arena, node->location);
  CaseTest* placeholder = nullptr;
  if (node->arg != nullptr) {
    Expr* arg = transform_inner(ps, node->arg);
    if (type_of(arg) == type_oid::unknown) arg = coerce_to_common(ps, arg, type_oid::text, "CASE");
    assign_collations(ps, arg);   // the placeholder must carry the argument's collation
    result->arg = arg;
    placeholder = make<CaseTest>(arena);
    placeholder->type = type_of(arg);
    placeholder->typmod = typmod_of(arg);
    placeholder->collation = collation_of(arg);
  }
  List<Expr*> results;
  results.push_back(arena, nullptr);   // ELSE decides first
  for (const ast::CaseWhen* when : node->whens) {
    auto* branch = arena.make<CaseBranch>();
    Expr* condition = transform_inner(ps, when->condition);
    if (placeholder != nullptr) condition = make_op(ps, "=", {}, copy(placeholder, arena), condition, ps.last_srf, when->location);
    branch->condition = coerce_to_boolean(ps, condition, "CASE/WHEN");
    branch->result = transform_inner(ps, when->result);
    result->branches.push_back(arena, branch);
    results.push_back(arena, branch->result);
  }
  ast::Constant null;
  null.location = -1;
  result->otherwise = node->default_result == nullptr ? transform_constant(ps, &null) : transform_inner(ps, node->default_result);
  results[0] = result->otherwise;
  result->type = select_common_type(results, "CASE");
  result->otherwise = coerce_to_common(ps, result->otherwise, result->type, "CASE/ELSE");
  for (CaseBranch* branch : result->branches) branch->result = coerce_to_common(ps, branch->result, result->type, "CASE/WHEN");
  check_no_srf_inside(ps, last_srf, "CASE");
  return result;
}

Expr* transform_array(ParseState& ps, const ast::ArrayExpr* node, Oid array_type, Oid element_type, std::int32_t typmod) {
  Arena& arena = ps.arena;
  auto* result = make<ArrayExpr>(arena, node->location);
  List<Expr*> elements;
  check_stack_depth();
  for (const ast::Node* item : node->elements) {
    if (const auto* inner = ast::node_try<ast::ArrayExpr>(item)) {
      elements.push_back(arena, transform_array(ps, inner, array_type, element_type, typmod));
      result->multi_dimensional = true;
    } else {
      elements.push_back(arena, transform_inner(ps, item));
      if (is_valid(element_type_of(type_of(elements.back())))) result->multi_dimensional = true;
    }
  }
  bool forced = is_valid(array_type);
  Oid target;
  if (forced) {
    target = result->multi_dimensional ? array_type : element_type;
  } else {
    if (elements.empty())
      throw SqlError(sqlstate::indeterminate_datatype, "cannot determine type of empty array")
          .hint("Explicitly cast to the desired type, for example ARRAY[]::integer[].")
          .at(node->location);
    target = select_common_type(elements, "ARRAY");
    if (result->multi_dimensional) {
      array_type = target;
      element_type = element_type_of(array_type);
      if (!is_valid(element_type))
        throw SqlError(sqlstate::undefined_object, "could not find element type for data type {}", catalog::format_type(array_type)).at(node->location);
    } else {
      element_type = target;
      array_type = array_type_of(element_type);
      if (!is_valid(array_type))
        throw SqlError(sqlstate::undefined_object, "could not find array type for data type {}", catalog::format_type(element_type)).at(node->location);
    }
  }
  for (Expr* e : elements) {
    Expr* done;
    if (forced) {
      done = coerce_to_target(ps.root, e, type_of(e), target, typmod, CoercionContext::explicit_, CallForm::explicit_cast, -1);
      if (done == nullptr)
        throw SqlError(sqlstate::cannot_coerce, "cannot cast type {} to {}", catalog::format_type(type_of(e)), catalog::format_type(target)).at(location_of(e));
    } else {
      done = coerce_to_common(ps, e, target, "ARRAY");
    }
    result->elements.push_back(arena, done);
  }
  result->type = array_type;
  result->element_type = element_type;
  return result;
}

}  // namespace hathi::analyzer
