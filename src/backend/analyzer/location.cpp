// Where errors about a node point to: its leftmost part.

#include "state.h"

namespace hathi::analyzer {
namespace {

int leftmost(int a, int b) {
  if (a < 0) return b;
  if (b < 0) return a;
  return a < b ? a : b;
}

template <class N>
int leftmost_of(const List<N*>& list) {
  for (const N* n : list) {
    int at = location_of(n);
    if (at >= 0) return at;
  }
  return -1;
}

}  // namespace

int location_of(const ast::Node* node) {
  if (node == nullptr) return -1;
  int own = node->location;
  auto with = [&](const ast::Node* child) { return leftmost(own, location_of(child)); };
  switch (node->kind) {
    case ast::NodeKind::operator_expr: return with(ast::node_cast<ast::OperatorExpr>(node)->left);
    case ast::NodeKind::array_comparison: return with(ast::node_cast<ast::ArrayComparison>(node)->left);
    case ast::NodeKind::like_expr: return with(ast::node_cast<ast::LikeExpr>(node)->left);
    case ast::NodeKind::in_list_expr: return with(ast::node_cast<ast::InListExpr>(node)->left);
    case ast::NodeKind::between_expr: return with(ast::node_cast<ast::BetweenExpr>(node)->arg);
    case ast::NodeKind::distinct_test: return with(ast::node_cast<ast::DistinctTest>(node)->left);
    case ast::NodeKind::nullif_expr: return own;
    case ast::NodeKind::null_test: return with(ast::node_cast<ast::NullTest>(node)->arg);
    case ast::NodeKind::boolean_test: return with(ast::node_cast<ast::BooleanTest>(node)->arg);
    case ast::NodeKind::bool_expr: return leftmost(own, leftmost_of(ast::node_cast<ast::BoolExpr>(node)->args));
    case ast::NodeKind::indirection: return location_of(ast::node_cast<ast::Indirection>(node)->arg);
    case ast::NodeKind::collate_clause: return location_of(ast::node_cast<ast::CollateClause>(node)->arg);
    case ast::NodeKind::function_call: return leftmost(own, leftmost_of(ast::node_cast<ast::FunctionCall>(node)->args));
    case ast::NodeKind::named_arg: return with(ast::node_cast<ast::NamedArg>(node)->value);
    case ast::NodeKind::subquery_expr: return with(ast::node_cast<ast::SubqueryExpr>(node)->test);
    case ast::NodeKind::type_cast: {
      const auto* cast = ast::node_cast<ast::TypeCast>(node);
      return leftmost(leftmost(location_of(cast->arg), cast->type == nullptr ? -1 : cast->type->location), own);
    }
    case ast::NodeKind::sort_by: return location_of(ast::node_cast<ast::SortBy>(node)->expr);
    case ast::NodeKind::xml_expr: return leftmost(own, leftmost_of(ast::node_cast<ast::XmlExpr>(node)->args));
    default: return own;
  }
}

int location_of(const Expr* e) {
  if (e == nullptr) return -1;
  int own = e->location;
  switch (e->kind) {
    case ExprKind::subscript: return location_of(as<Subscript>(e)->container);
    case ExprKind::function: return leftmost(own, leftmost_of(as<FunctionExpr>(e)->args));
    case ExprKind::op:
    case ExprKind::distinct_op:
    case ExprKind::nullif_op: return leftmost(own, leftmost_of(as<OpExpr>(e)->args));
    case ExprKind::array_op: return leftmost(own, location_of(as<ArrayOp>(e)->scalar));
    case ExprKind::boolean: return leftmost(own, leftmost_of(as<BooleanExpr>(e)->args));
    case ExprKind::sub_link: return leftmost(location_of(as<SubLink>(e)->test), own);
    case ExprKind::field_select: return location_of(as<FieldSelect>(e)->arg);
    case ExprKind::field_store: return location_of(as<FieldStore>(e)->arg);
    case ExprKind::relabel: return leftmost(own, location_of(as<Relabel>(e)->arg));
    case ExprKind::coerce_io: return leftmost(own, location_of(as<CoerceIo>(e)->arg));
    case ExprKind::array_coerce: return leftmost(own, location_of(as<ArrayCoerce>(e)->arg));
    case ExprKind::row_coerce: return leftmost(own, location_of(as<RowCoerce>(e)->arg));
    case ExprKind::collate: return location_of(as<Collate>(e)->arg);
    case ExprKind::row_compare: return leftmost_of(as<RowCompare>(e)->left);
    case ExprKind::null_test: return leftmost(own, location_of(as<NullTest>(e)->arg));
    case ExprKind::boolean_test: return leftmost(own, location_of(as<BooleanTest>(e)->arg));
    case ExprKind::coerce_domain: return leftmost(own, location_of(as<CoerceDomain>(e)->arg));
    default: return own;
  }
}

int location_of(const List<Expr*>& list) { return leftmost_of(list); }

void rethrow_at(SqlError& error, int location) {
  if (error.byte_offset() < 0 && error.code() != sqlstate::query_canceled) error.at(location);   // a cancel is no fault of the text
  throw;
}

}  // namespace hathi::analyzer
