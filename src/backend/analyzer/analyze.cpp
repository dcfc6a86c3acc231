// The entry points: a statement, a statement inside another one.

#include "state.h"

namespace hathi::analyzer {
namespace {

Query* utility_query(Arena& arena, const ast::Node* node) {
  auto* query = arena.make<Query>();
  query->command = CommandKind::utility;
  query->utility = node;
  return query;
}

// Statements that have a Query; SELECT INTO is CREATE TABLE AS.
bool is_query_statement(const ast::Node* node) {
  switch (node->kind) {
    case ast::NodeKind::select_statement:
    case ast::NodeKind::insert_statement:
    case ast::NodeKind::update_statement:
    case ast::NodeKind::delete_statement:
    case ast::NodeKind::merge_statement: return true;
    default: return false;
  }
}

// SELECT … INTO t: CREATE TABLE t AS SELECT …. INTO stands in the leftmost SELECT.
const ast::Node* select_into(const ast::Node* node, Arena& arena) {
  const auto* select = ast::node_try<ast::SelectStatement>(node);
  if (select == nullptr) return nullptr;
  const ast::SelectStatement* leaf = select;
  while (leaf->operation != ast::SetOperation::none) leaf = leaf->left;
  if (leaf->into == nullptr) return nullptr;
  auto* create = ast::make_node<ast::CreateTableAsStatement>(arena, node->location);
  create->into = leaf->into;
  // The same tree without INTO: copied along the left edge.
  auto* top = arena.make<ast::SelectStatement>(*select);
  ast::SelectStatement* at = top;
  while (at->operation != ast::SetOperation::none) {
    at->left = arena.make<ast::SelectStatement>(*at->left);
    at = at->left;
  }
  at->into = nullptr;
  create->query = top;
  return create;
}

}  // namespace

nodes::Query* analyze_node(const ast::StatementNode* node, std::string_view text, Arena& arena, ParameterTypes& parameters, bool do_rewrite) {
  if (!is_query_statement(node)) return utility_query(arena, node);
  if (const ast::Node* create = select_into(node, arena)) return utility_query(arena, create);
  Root root{arena, text, &parameters};
  Query* query;
  {
    ParseState ps(root, nullptr);
    query = transform_statement(ps, node);
  }
  check_parameters(root);
  if (do_rewrite) rewrite(query, arena);
  return query;
}

nodes::Query* analyze(const ast::Statement& statement, std::string_view text, Arena& arena, ParameterTypes& parameters) {
  Query* query = analyze_node(statement.node, text, arena, parameters, true);
  query->statement_location = statement.start;
  query->statement_length = statement.length;
  return query;
}

std::vector<OutputColumn> output_columns(const Query* query) {
  std::vector<OutputColumn> columns;
  const List<TargetEntry*>& targets = query->command == CommandKind::select ? query->targets : query->returning;
  for (const TargetEntry* t : targets)
    if (!t->junk) columns.push_back({t->name, type_of(t->expr), typmod_of(t->expr), collation_of(t->expr)});
  return columns;
}

}  // namespace hathi::analyzer
