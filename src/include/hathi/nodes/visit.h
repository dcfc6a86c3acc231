#pragma once
// What is made from the field lists of nodes: copies, equality, walks, text for the catalogs.

#include <string>
#include <string_view>
#include <type_traits>

#include "hathi/nodes/query.h"

namespace hathi::nodes {

// Deep copies (values too) into the arena.
Expr* copy(const Expr* e, Arena& arena);
Query* copy(const Query* q, Arena& arena);
TargetEntry* copy(const TargetEntry* t, Arena& arena);

// Structural equality; locations and display-only fields do not count.
bool equal(const Expr* a, const Expr* b);
bool equal(const Query* a, const Query* b);

// Calls visit(child) for each direct subexpression (subqueries are not entered; SubLink::test is). visit returns true to stop;
// walk_children returns whether it was stopped.
using ExprVisitor = bool (*)(Expr* child, void* context);
bool walk_children(Expr* e, ExprVisitor visit, void* context);
template <class F>
bool for_each_child(Expr* e, F&& f) {
  return walk_children(e, [](Expr* c, void* context) { return static_cast<bool>((*static_cast<std::remove_reference_t<F>*>(context))(c)); }, &f);
}
// Every expression directly in the query (targets, where, on, having, …, functions and values of its range table); subqueries of
// the range table and CTEs are not entered.
bool walk_query_expressions(Query* q, ExprVisitor visit, void* context);

// A copy in which each direct child was replaced by change(child): call recursively for a full rewrite.
using ExprMutator = Expr* (*)(Expr* child, void* context);
Expr* map_children(const Expr* e, ExprMutator change, void* context, Arena& arena);
template <class F>
Expr* map_each_child(const Expr* e, F&& f, Arena& arena) {
  return map_children(e, [](Expr* c, void* context) -> Expr* { return (*static_cast<std::remove_reference_t<F>*>(context))(c); }, &f, arena);
}
// Replaces each expression directly in the query, in place.
void map_query_expressions(Query* q, ExprMutator change, void* context);

// Text form for pg_node_tree columns; lossless except utility statements. *_from_text throw XX000 on damaged text.
std::string to_text(const Expr* e);
std::string to_text(const Query* q);
std::string to_text(const List<Expr*>& list);
Expr* expr_from_text(std::string_view text, Arena& arena);
Query* query_from_text(std::string_view text, Arena& arena);
List<Expr*> list_from_text(std::string_view text, Arena& arena);

}  // namespace hathi::nodes
