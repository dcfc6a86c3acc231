// The direct parts of a syntax node, for searches before names are resolved.

#include "syntax_walk.h"

namespace hathi::analyzer {
namespace {

struct Parts {
  SyntaxVisitor visit;
  void* context;

  void one(const ast::Node* node) const { if (node != nullptr) visit(node, context); }
  template <class T>
  void all(const List<T*>& list) const { for (const ast::Node* node : list) one(node); }
  void steps(const List<ast::IndirectionStep>& list) const {
    for (const ast::IndirectionStep& step : list) { one(step.lower); one(step.upper); }
  }
};

template <class T>
const T* node_of(const ast::Node* n) { return ast::node_cast<T>(n); }

// Statements and what FROM consists of.
void walk_query_parts(const ast::Node* n, const Parts& p) {
  switch (n->kind) {
    case ast::NodeKind::select_statement: {
      const auto* s = node_of<ast::SelectStatement>(n);
      p.one(s->with); p.one(s->left); p.one(s->right); p.all(s->distinct_on); p.all(s->targets); p.all(s->from); p.one(s->where); p.all(s->group_by);
      p.one(s->having); p.all(s->windows);
      for (const List<ast::Expr*>& row : s->values) p.all(row);
      p.all(s->order_by); p.one(s->limit); p.one(s->offset);
      break;
    }
    case ast::NodeKind::insert_statement: {
      const auto* s = node_of<ast::InsertStatement>(n);
      p.one(s->with); p.one(s->source); p.all(s->returning);
      if (s->on_conflict != nullptr) {
        for (const ast::SetClause* set : s->on_conflict->set) p.one(set->value);
        p.one(s->on_conflict->where);
      }
      break;
    }
    case ast::NodeKind::update_statement: {
      const auto* s = node_of<ast::UpdateStatement>(n);
      p.one(s->with);
      for (const ast::SetClause* set : s->set) p.one(set->value);
      p.all(s->from); p.one(s->where); p.all(s->returning);
      break;
    }
    case ast::NodeKind::delete_statement: {
      const auto* s = node_of<ast::DeleteStatement>(n);
      p.one(s->with); p.all(s->using_items); p.one(s->where); p.all(s->returning);
      break;
    }
    case ast::NodeKind::with_clause: p.all(node_of<ast::WithClause>(n)->ctes); break;
    case ast::NodeKind::common_table_expr: p.one(node_of<ast::CommonTableExpr>(n)->query); break;
    case ast::NodeKind::range_subquery: p.one(node_of<ast::RangeSubquery>(n)->query); break;
    case ast::NodeKind::range_function:
      for (const ast::RangeFunctionItem& item : node_of<ast::RangeFunction>(n)->functions) p.one(item.call);
      break;
    case ast::NodeKind::table_sample: {
      const auto* s = node_of<ast::TableSample>(n);
      p.one(s->relation); p.all(s->args); p.one(s->repeatable);
      break;
    }
    case ast::NodeKind::join_expr: {
      const auto* s = node_of<ast::JoinExpr>(n);
      p.one(s->left); p.one(s->right); p.one(s->condition);
      break;
    }
    default: break;
  }
}

void walk_call_parts(const ast::FunctionCall* call, const Parts& p) {
  p.all(call->args); p.all(call->order_by); p.one(call->filter); p.one(call->over);
}

void walk_window_parts(const ast::WindowDef* w, const Parts& p) {
  p.all(w->partition_by); p.all(w->order_by); p.one(w->start_offset); p.one(w->end_offset);
}

void walk_operator_parts(const ast::Node* n, const Parts& p) {
  switch (n->kind) {
    case ast::NodeKind::operator_expr: p.one(node_of<ast::OperatorExpr>(n)->left); p.one(node_of<ast::OperatorExpr>(n)->right); break;
    case ast::NodeKind::array_comparison: p.one(node_of<ast::ArrayComparison>(n)->left); p.one(node_of<ast::ArrayComparison>(n)->array); break;
    case ast::NodeKind::bool_expr: p.all(node_of<ast::BoolExpr>(n)->args); break;
    case ast::NodeKind::like_expr: {
      const auto* s = node_of<ast::LikeExpr>(n);
      p.one(s->left); p.one(s->pattern); p.one(s->escape);
      break;
    }
    case ast::NodeKind::in_list_expr: p.one(node_of<ast::InListExpr>(n)->left); p.all(node_of<ast::InListExpr>(n)->list); break;
    case ast::NodeKind::between_expr: {
      const auto* s = node_of<ast::BetweenExpr>(n);
      p.one(s->arg); p.one(s->low); p.one(s->high);
      break;
    }
    case ast::NodeKind::distinct_test: p.one(node_of<ast::DistinctTest>(n)->left); p.one(node_of<ast::DistinctTest>(n)->right); break;
    case ast::NodeKind::nullif_expr: p.one(node_of<ast::NullIfExpr>(n)->left); p.one(node_of<ast::NullIfExpr>(n)->right); break;
    case ast::NodeKind::null_test: p.one(node_of<ast::NullTest>(n)->arg); break;
    case ast::NodeKind::boolean_test: p.one(node_of<ast::BooleanTest>(n)->arg); break;
    default: walk_query_parts(n, p);
  }
}

}  // namespace

void walk_syntax(const ast::Node* n, SyntaxVisitor visit, void* context) {
  Parts p{visit, context};
  switch (n->kind) {
    case ast::NodeKind::indirection: p.one(node_of<ast::Indirection>(n)->arg); p.steps(node_of<ast::Indirection>(n)->steps); break;
    case ast::NodeKind::type_cast: p.one(node_of<ast::TypeCast>(n)->arg); break;
    case ast::NodeKind::collate_clause: p.one(node_of<ast::CollateClause>(n)->arg); break;
    case ast::NodeKind::row_expr: p.all(node_of<ast::RowExpr>(n)->args); break;
    case ast::NodeKind::array_expr: p.all(node_of<ast::ArrayExpr>(n)->elements); break;
    case ast::NodeKind::case_expr: {
      const auto* s = node_of<ast::CaseExpr>(n);
      p.one(s->arg); p.all(s->whens); p.one(s->default_result);
      break;
    }
    case ast::NodeKind::case_when: p.one(node_of<ast::CaseWhen>(n)->condition); p.one(node_of<ast::CaseWhen>(n)->result); break;
    case ast::NodeKind::coalesce_expr: p.all(node_of<ast::CoalesceExpr>(n)->args); break;
    case ast::NodeKind::min_max_expr: p.all(node_of<ast::MinMaxExpr>(n)->args); break;
    case ast::NodeKind::function_call: walk_call_parts(node_of<ast::FunctionCall>(n), p); break;
    case ast::NodeKind::named_arg: p.one(node_of<ast::NamedArg>(n)->value); break;
    case ast::NodeKind::window_def: walk_window_parts(node_of<ast::WindowDef>(n), p); break;
    case ast::NodeKind::sort_by: p.one(node_of<ast::SortBy>(n)->expr); break;
    case ast::NodeKind::subquery_expr: p.one(node_of<ast::SubqueryExpr>(n)->test); p.one(node_of<ast::SubqueryExpr>(n)->query); break;
    case ast::NodeKind::grouping_func: p.all(node_of<ast::GroupingFunc>(n)->args); break;
    case ast::NodeKind::grouping_set: p.all(node_of<ast::GroupingSet>(n)->content); break;
    case ast::NodeKind::target: p.one(node_of<ast::Target>(n)->value); p.steps(node_of<ast::Target>(n)->steps); break;
    case ast::NodeKind::xml_expr: p.all(node_of<ast::XmlExpr>(n)->args); p.all(node_of<ast::XmlExpr>(n)->named_args); break;
    default: walk_operator_parts(n, p);
  }
}

}  // namespace hathi::analyzer
