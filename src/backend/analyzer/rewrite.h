#pragma once
// Rewriting: what happens to a query between analysis and planning.

#include "state.h"

namespace hathi::analyzer {

struct Rewriter {
  Arena& arena;
  std::vector<Oid> active_views;                 // being expanded: one inside itself is an error
  std::vector<catalog::RelationRef> relations;   // keeps descriptors in use

  const catalog::Relation& open(Oid relation) {
    relations.push_back(catalog::open_relation(relation, locking::LockMode::none));
    return *relations.back();
  }
};

void rewrite_query(Rewriter& r, Query* query);
// Replaces view entries by subqueries (views.cpp).
void expand_views(Rewriter& r, Query* query);
// A fresh copy of a view's query, its relations locked, checked as the view's owner (or check_as for security invoker views).
Query* view_query_of(Rewriter& r, const catalog::Relation& view, Oid check_as, locking::LockMode for_marks);
// INSERT, UPDATE, DELETE on a view become ones on its table (view_update.cpp). True when the target changed.
bool rewrite_target_view(Rewriter& r, Query* query);
// Defaults, identity and generated columns of INSERT and UPDATE (target_defaults.cpp).
void complete_targets(Rewriter& r, Query* query, const catalog::Relation& target, bool view_follows);
// The default of a column, coerced to its type; null when it has none.
Expr* column_default(Rewriter& r, const catalog::Relation& relation, AttrNumber column);
void mark_rows_of_query(Rewriter& r, Query* query, std::uint8_t strength, std::uint8_t wait_policy);

}  // namespace hathi::analyzer
