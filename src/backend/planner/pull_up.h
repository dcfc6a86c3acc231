#pragma once
// Rewrites of a query level before it is planned: what need not be a subquery becomes part of the query around it.

#include "context.h"

namespace hathi::planner {

// In place: WITH queries used once become subqueries; IN and EXISTS at the top of WHERE semi joins, NOT EXISTS anti joins; plain
// subqueries and views parts of the join tree. Sublinks, CTEs and subqueries that stay are left to their own level.
void pull_up_subqueries(Query* q, Arena& arena);

// EXISTS does not care for what is selected, how it is ordered, or for more than one row. False: it stays as it is.
bool simplify_exists(Query* q);

// --- levels (pull_up_levels.cpp) ---------------------------------------------------------------------------------------------------
// All below look through subqueries at any depth; levels count from the query or expression given.
// A query's contents move into the query around it: its entries get numbers `shift` higher, what is outside comes one level nearer.
void merge_levels(Query* q, int shift, Arena& arena);
Expr* merge_levels(Expr* e, int shift, Arena& arena);
// The expression or query is put `by` levels deeper.
Expr* raise_levels(const Expr* e, int by, Arena& arena);
void raise_levels(Query* q, int by, Arena& arena);
// Columns of one entry are replaced by expressions over the same query.
void substitute_columns(Query* q, int rte, const std::vector<Expr*>& columns, Arena& arena);
// Does the query (level 1 from inside) or the expression (level 0) mention something of that level?
bool mentions_level(Query* q, int level);
bool mentions_level(Expr* e, int level);
bool has_whole_row(Query* q, int rte);
bool contains_sub_link(Expr* e);

}  // namespace hathi::planner
