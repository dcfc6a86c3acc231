#pragma once
// Walks over the syntax tree of queries.

#include "state.h"

namespace hathi::analyzer {

using SyntaxVisitor = void (*)(const ast::Node* part, void* context);
// Calls visit for each direct part of a query, FROM item or expression.
void walk_syntax(const ast::Node* node, SyntaxVisitor visit, void* context);
template <class F>
void for_each_part(const ast::Node* node, F&& f) {
  walk_syntax(node, [](const ast::Node* part, void* context) { (*static_cast<std::remove_reference_t<F>*>(context))(part); }, &f);
}

}  // namespace hathi::analyzer
