// The name of an output column that was given none.

#include "state.h"

namespace hathi::analyzer {
namespace {

// strength 0: no idea, 1: weak (a type, "case"), 2: good.
struct Figured { std::string_view name; int strength = 0; };

Figured figure(const ast::Node* node, Root* root);

Figured of_function(const ast::ValueFunction* node) {
  static constexpr std::string_view kNames[] = {"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "current_role",
                                                "current_user", "user", "session_user", "current_catalog", "current_schema"};
  return {kNames[static_cast<int>(node->function)], 2};
}

Figured of_sub_query(const ast::SubqueryExpr* node, Root* root) {
  if (node->type == ast::SubqueryKind::exists) return {"exists", 2};
  if (node->type == ast::SubqueryKind::array) return {"array", 2};
  if (node->type != ast::SubqueryKind::scalar || root == nullptr) return {};
  for (const auto& [syntax, query] : root->sub_queries) {
    if (syntax != node) continue;
    for (const TargetEntry* t : query->targets) if (!t->junk) return {t->name, 2};
  }
  return {};
}

Figured of_indirection(const ast::Indirection* node, Root* root) {
  for (std::uint32_t i = node->steps.size(); i > 0; --i)
    if (node->steps[i - 1].kind == ast::IndirectionKind::field) return {node->steps[i - 1].field, 2};
  return figure(node->arg, root);
}

Figured of_xml(const ast::XmlExpr* node) {
  static constexpr std::string_view kNames[] = {"xmlconcat", "xmlelement", "xmlforest", "xmlparse", "xmlpi", "xmlroot", ""};
  std::string_view name = kNames[static_cast<int>(node->op)];
  return {name, name.empty() ? 0 : 2};
}

Figured figure(const ast::Node* node, Root* root) {
  if (node == nullptr) return {};
  check_stack_depth();
  switch (node->kind) {
    case ast::NodeKind::column_ref: {
      const auto* ref = ast::node_cast<ast::ColumnRef>(node);
      return ref->names.empty() ? Figured{} : Figured{ref->names.back(), 2};
    }
    case ast::NodeKind::indirection: return of_indirection(ast::node_cast<ast::Indirection>(node), root);
    case ast::NodeKind::function_call: return {ast::node_cast<ast::FunctionCall>(node)->name.back(), 2};
    case ast::NodeKind::nullif_expr: return {"nullif", 2};
    case ast::NodeKind::type_cast: {
      const auto* cast = ast::node_cast<ast::TypeCast>(node);
      Figured arg = figure(cast->arg, root);
      return arg.strength > 1 ? arg : Figured{cast->type->names.back(), 1};
    }
    case ast::NodeKind::collate_clause: return figure(ast::node_cast<ast::CollateClause>(node)->arg, root);
    case ast::NodeKind::grouping_func: return {"grouping", 2};
    case ast::NodeKind::subquery_expr: return of_sub_query(ast::node_cast<ast::SubqueryExpr>(node), root);
    case ast::NodeKind::case_expr: {
      Figured otherwise = figure(ast::node_cast<ast::CaseExpr>(node)->default_result, root);
      return otherwise.strength > 1 ? otherwise : Figured{"case", 1};
    }
    case ast::NodeKind::array_expr: return {"array", 2};
    case ast::NodeKind::row_expr: return {"row", 2};
    case ast::NodeKind::coalesce_expr: return {"coalesce", 2};
    case ast::NodeKind::min_max_expr: return {ast::node_cast<ast::MinMaxExpr>(node)->greatest ? "greatest" : "least", 2};
    case ast::NodeKind::value_function: return of_function(ast::node_cast<ast::ValueFunction>(node));
    case ast::NodeKind::xml_expr: return of_xml(ast::node_cast<ast::XmlExpr>(node));
    case ast::NodeKind::xml_serialize: return {"xmlserialize", 2};
    default: return {};
  }
}

}  // namespace

std::string_view figure_name(const ast::Node* node, Root* root) {
  Figured found = figure(node, root);
  return found.strength == 0 ? std::string_view("?column?") : found.name;
}

}  // namespace hathi::analyzer
