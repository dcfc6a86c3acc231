// Bitmap scans: one index, several whose bitmaps are intersected, and ORs whose arms each have an index.

#include <algorithm>
#include <cmath>

#include "hathi/catalog/lookup.h"
#include "hathi/config/planner_settings.h"
#include "hathi/config/settings.h"
#include "table_paths.h"

namespace hathi::planner {

namespace values = config::values;
using nodes::ExprKind;

TablePaths::Bitmap TablePaths::bitmap_of(const IndexScan& scan, const catalog::IndexDescriptor& index) {
  Bitmap out;
  auto* b = make_plan<BitmapIndexScan>(s_.arena, PlanKind::bitmap_index_scan);
  b->rte = r_.rte;
  b->index = index.oid;
  for (const IndexCondition* c : scan.conditions) b->conditions.push_back(s_.arena, s_.arena.make<IndexCondition>(*c));
  IndexCost cost = index_cost(scan, index, loops_);
  b->rows = clamp_rows(cost.selected * r_.tuples);
  b->total_cost = cost.total;
  out.plan = b;
  out.selected = cost.selected;
  out.cost = cost.total + 0.1 * values::cpu_operator_cost * rows_;
  out.covers.assign(scan.recheck.begin(), scan.recheck.end());
  // A partial index's rows meet its predicate as long as the bitmap is exact.
  for (Expr* e : index.predicate) {
    Expr* wanted = p_.stored_for(e, r_.rte);
    for (Expr* c : conditions_) if (nodes::equal(c, wanted) && std::find(out.covers.begin(), out.covers.end(), c) == out.covers.end()) out.covers.push_back(c);
  }
  out.uses = out.covers;
  std::vector<Expr*> shown;
  for (const IndexCondition* c : scan.conditions) shown.push_back(c->original);
  for (std::size_t i = scan.recheck.size(); i < out.covers.size(); ++i) shown.push_back(out.covers[i]);
  out.recheck = make_and(s_.arena, shown);
  return out;
}

void TablePaths::note_bitmap(const IndexScan& scan, const catalog::IndexDescriptor& index) { bitmaps_.push_back(bitmap_of(scan, index)); }

namespace {

double entries_in_memory() { return std::max(16.0, config::values::work_mem * 1024.0 / 48.0); }

}  // namespace

double TablePaths::heap_cost(const Bitmap& b, double& startup) {
  double pages = std::max(1.0, r_.pages), fetched = clamp_rows(b.selected * r_.tuples);
  double touched = 2 * pages * fetched / (2 * pages + fetched);
  double memory = entries_in_memory(), heap_pages = std::min(touched, r_.pages);
  if (loops_ > 1) touched = pages_fetched(fetched * loops_, r_.pages, shapes_.empty() ? 0 : shapes_.front().pages, j_.total_pages()) / loops_;
  touched = touched >= pages ? pages : std::ceil(touched);
  if (memory < heap_pages) {
    double lossy = std::max(0.0, heap_pages - memory / 2), exact = heap_pages - lossy;
    if (lossy > 0) fetched = clamp_rows(b.selected * (exact / heap_pages) * r_.tuples + (lossy / heap_pages) * r_.tuples);
  }
  double each = touched >= 2 ? values::random_page_cost - (values::random_page_cost - values::seq_page_cost) * std::sqrt(touched / pages)
                             : values::random_page_cost;
  double per_row = values::cpu_tuple_cost;
  startup = b.cost;
  for (Expr* e : checked_) {
    ExpressionCost c = expression_cost(e);
    per_row += c.per_row;
    startup += c.startup;
  }
  return startup + touched * each + per_row * fetched;
}

TablePaths::Bitmap TablePaths::intersection(const std::vector<const Bitmap*>& parts) {
  if (parts.size() == 1) return *parts[0];
  Bitmap out;
  auto* all = make_plan<BitmapAnd>(s_.arena, PlanKind::bitmap_and);
  std::vector<Expr*> rechecks;
  for (const Bitmap* b : parts) {
    all->inputs.push_back(s_.arena, b->plan);
    out.selected *= b->selected;
    out.cost += b->cost + (b == parts[0] ? 0 : 100 * values::cpu_operator_cost);
    rechecks.push_back(b->recheck);
    out.covers.insert(out.covers.end(), b->covers.begin(), b->covers.end());
    out.uses.insert(out.uses.end(), b->uses.begin(), b->uses.end());
  }
  all->rows = clamp_rows(out.selected * r_.tuples);
  all->startup_cost = all->total_cost = out.cost;
  out.plan = all;
  out.recheck = make_and(s_.arena, rechecks);
  return out;
}

// The cheapest intersection: from each bitmap on, the next ones join in while they make it cheaper.
TablePaths::Bitmap TablePaths::all_of(std::vector<Bitmap> list) {
  std::stable_sort(list.begin(), list.end(), [](const Bitmap& a, const Bitmap& b) { return a.cost != b.cost ? a.cost < b.cost : a.selected < b.selected; });
  std::vector<Bitmap> distinct;   // of those with the same conditions, the cheapest
  for (Bitmap& b : list) {
    bool known = std::any_of(distinct.begin(), distinct.end(), [&](const Bitmap& d) {
      return d.uses.size() == b.uses.size() &&
             std::all_of(b.uses.begin(), b.uses.end(), [&](Expr* e) { return std::find(d.uses.begin(), d.uses.end(), e) != d.uses.end(); });
    });
    if (!known) distinct.push_back(std::move(b));
  }
  Bitmap best;
  double best_cost = 0, startup;
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    std::vector<const Bitmap*> parts{&distinct[i]};
    std::vector<Expr*> used = distinct[i].uses;
    double cost = heap_cost(distinct[i], startup);
    for (std::size_t j = i + 1; j < distinct.size(); ++j) {
      bool repeats = std::any_of(distinct[j].uses.begin(), distinct[j].uses.end(),
                                 [&](Expr* e) { return std::find(used.begin(), used.end(), e) != used.end(); });
      if (repeats) continue;
      parts.push_back(&distinct[j]);
      double with = heap_cost(intersection(parts), startup);
      if (with < cost) {
        cost = with;
        used.insert(used.end(), distinct[j].uses.begin(), distinct[j].uses.end());
      } else {
        parts.pop_back();
      }
    }
    if (best.plan == nullptr || cost < best_cost) {
      best = intersection(parts);
      best_cost = cost;
    }
  }
  return best;
}

// An OR whose every arm has an index.
bool TablePaths::or_bitmap(Expr* condition, Bitmap& out) {
  if (condition->kind != ExprKind::boolean || nodes::as<nodes::BooleanExpr>(condition)->op != nodes::BooleanExpr::Op::or_op) return false;
  auto* any = make_plan<BitmapOr>(s_.arena, PlanKind::bitmap_or);
  auto* recheck = nodes::make<nodes::BooleanExpr>(s_.arena);
  recheck->op = nodes::BooleanExpr::Op::or_op;
  bool whole = true;
  out.selected = 0;
  for (Expr* arm : nodes::as<nodes::BooleanExpr>(condition)->args) {
    std::vector<Expr*> parts;
    for (const Qual& q : p_.split(arm)) parts.push_back(q.expr);
    std::vector<Bitmap> found;
    for (Expr* e : parts) {
      Bitmap nested;
      if (or_bitmap(e, nested)) found.push_back(nested);
    }
    for (const catalog::IndexDescriptor* index : table_.indexes) {
      if (!index->predicate.empty()) continue;
      IndexScan* scan = p_.try_index(r_.rte, *index, parts);
      if (scan != nullptr) found.push_back(bitmap_of(*scan, *index));
    }
    if (found.empty()) return false;
    Bitmap best = all_of(std::move(found));
    any->inputs.push_back(s_.arena, best.plan);
    recheck->args.push_back(s_.arena, best.recheck);
    whole = whole && std::all_of(parts.begin(), parts.end(),
                                 [&](Expr* e) { return std::find(best.covers.begin(), best.covers.end(), e) != best.covers.end(); });
    out.cost += best.cost + (any->inputs.size() == 1 || best.plan->kind == PlanKind::bitmap_index_scan ? 0 : 100 * values::cpu_operator_cost);
    out.selected += best.selected;
  }
  out.selected = std::min(1.0, out.selected);
  any->rows = clamp_rows(out.selected * r_.tuples);
  any->startup_cost = any->total_cost = out.cost;
  out.plan = any;
  out.recheck = recheck;
  out.uses = {condition};
  if (whole) out.covers = {condition};
  return true;
}

BitmapHeapScan* TablePaths::heap_scan(const Bitmap& b) {
  auto* heap = make_plan<BitmapHeapScan>(s_.arena, PlanKind::bitmap_heap_scan);
  heap->rte = r_.rte;
  heap->left = b.plan;
  for (const Qual& q : p_.split(b.recheck)) heap->recheck.push_back(s_.arena, q.expr);
  for (Expr* e : checked_) {
    if (std::find(b.covers.begin(), b.covers.end(), e) == b.covers.end()) heap->filter.push_back(s_.arena, e);
  }
  double startup;
  heap->total_cost = heap_cost(b, startup);
  heap->startup_cost = startup;
  heap->rows = rows_;
  return heap;
}

// Repeated with values of other relations.
void TablePaths::add_bitmap_lookup(const std::vector<std::pair<IndexScan*, const catalog::IndexDescriptor*>>& scans, const std::vector<Expr*>& all,
                                   double loops, double rows, const RelationSet& outer, const std::vector<Clause*>& bound) {
  if (!values::enable_bitmapscan || scans.empty()) return;
  checked_ = all;
  loops_ = loops;
  rows_ = rows;
  std::vector<Bitmap> list;
  for (const auto& [scan, index] : scans) list.push_back(bitmap_of(*scan, *index));
  Path* p = path_of(heap_scan(all_of(std::move(list))));
  p->needs = outer;
  p->is_parameterized = true;
  p->bound = bound;
  j_.add_path(r_, p);
}

void TablePaths::add_bitmaps() {
  if (!values::enable_bitmapscan) return;
  for (Expr* e : conditions_) {
    Bitmap any;
    if (or_bitmap(e, any)) bitmaps_.push_back(any);
  }
  if (bitmaps_.empty()) return;
  j_.add_path(r_, path_of(heap_scan(all_of(bitmaps_))));
}

}  // namespace hathi::planner
