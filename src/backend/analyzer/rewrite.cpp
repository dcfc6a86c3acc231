// The order of rewriting: WITH queries, the target, then everything that is read.

#include "rewrite.h"

namespace hathi::analyzer {
namespace {

void check_target_kind(const catalog::Relation& target) {
  using namespace catalog::relation_kind;   // NOLINT
  std::string_view what;
  switch (target.kind) {
    case sequence: what = "sequence"; break;
    case toast: what = "TOAST relation"; break;
    case materialized_view: what = "materialized view"; break;
    case foreign_table: throw_not_supported("foreign tables");
    case table: case partitioned_table: return;
    default: what = "relation"; break;
  }
  throw SqlError(sqlstate::wrong_object_type, "cannot change {} \"{}\"", what, target.name);
}

void check_row_marks(Rewriter& r, const Query* query) {
  using namespace catalog::relation_kind;   // NOLINT
  for (const RowMark* mark : query->row_marks) {
    const RangeTableEntry* rte = query->range_table[static_cast<std::size_t>(mark->rte - 1)];
    if (rte->kind != RteKind::relation) continue;
    std::string_view what = rte->relation_kind == sequence            ? "sequence"
                            : rte->relation_kind == toast             ? "TOAST relation"
                            : rte->relation_kind == materialized_view ? "materialized view"
                                                                      : "";
    if (!what.empty()) throw SqlError(sqlstate::wrong_object_type, "cannot lock rows in {} \"{}\"", what, r.open(rte->relation).name);
  }
}

bool needs_rewrite(const Query* query) {
  if (query->command != CommandKind::select || query->has_sub_links || !query->ctes.empty() || !query->row_marks.empty()) return true;
  for (const RangeTableEntry* rte : query->range_table)
    if (rte->kind != RteKind::relation || rte->relation_kind == catalog::relation_kind::view) return true;
  return false;
}

void rewrite_target(Rewriter& r, Query* query) {
  while (true) {
    RangeTableEntry* rte = query->range_table[static_cast<std::size_t>(query->result_rte - 1)];
    const catalog::Relation& target = r.open(rte->relation);
    bool is_view = target.kind == catalog::relation_kind::view;
    if (!is_view) check_target_kind(target);
    complete_targets(r, query, target, is_view);
    if (!is_view) return;
    rewrite_target_view(r, query);
  }
}

}  // namespace

void rewrite_query(Rewriter& r, Query* query) {
  check_stack_depth();
  for (CommonTableExpr* cte : query->ctes) if (cte->query != nullptr) rewrite_query(r, cte->query);
  if (query->command == CommandKind::insert || query->command == CommandKind::update || query->command == CommandKind::remove) rewrite_target(r, query);
  check_row_marks(r, query);
  expand_views(r, query);
}

void rewrite(Query* query, Arena& arena) {
  if (query->command == CommandKind::utility || !needs_rewrite(query)) return;
  Rewriter r{arena, {}, {}};
  rewrite_query(r, query);
}

}  // namespace hathi::analyzer
