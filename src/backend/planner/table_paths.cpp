// Ways to read one relation: in order, by an index (its order counts), by bitmaps, by values that other relations bring.

#include <algorithm>
#include <cmath>

#include "hathi/btree/btree.h"
#include "hathi/buffer/buffer_pool.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/planner_settings.h"
#include "hathi/config/settings.h"
#include "paths.h"
#include "statistics.h"
#include "table_paths.h"

namespace hathi::planner {

namespace values = config::values;
using nodes::ExprKind;
using nodes::RteKind;

TablePaths::TablePaths(JoinPlanner& joins, JoinRelation& relation)
    : j_(joins), p_(joins.p_), s_(joins.s_), r_(relation), table_(*joins.p_.relations_[static_cast<std::size_t>(relation.rte - 1)]) {
  for (Clause* c : r_.restrictions) conditions_.push_back(c->expr);
  checked_ = conditions_;
  rows_ = r_.rows;
}

// Costs as PostgreSQL's btree estimates them. loops: how often the scan is repeated with other values.
TablePaths::IndexCost TablePaths::index_cost(const IndexScan& scan, const catalog::IndexDescriptor& index, double loops) {
  const IndexShape& shape = shape_of(index);
  std::vector<Expr*> used(scan.recheck.begin(), scan.recheck.end()), boundary;
  double arrays = 1;
  int position = 1;
  bool equal_here = false, gap = false, plain = true, null_test = false;
  for (std::size_t i = 0; i < scan.conditions.size() && !gap; ++i) {
    const IndexCondition& c = *scan.conditions[i];
    if (c.column != position) {
      if (!equal_here) break;
      position = c.column;
      equal_here = false;
    }
    if (c.is_array) {
      plain = false;
      double n = 10;
      if (c.argument->kind == ExprKind::array) n = nodes::as<nodes::ArrayExpr>(c.argument)->elements.size();
      if (c.argument->kind == ExprKind::constant) n = constant_array_length(c.argument);
      if (n > 1) arrays *= n;
    }
    if (c.strategy == 0) null_test = true;
    if (c.strategy == 3 || c.strategy == 0) equal_here = true;
    boundary.push_back(scan.recheck[i]);
  }
  double tuples = std::max(1.0, index.predicate.empty() ? r_.tuples : std::max(1.0, index.row_count));
  double entries;
  IndexCost out;
  std::vector<Expr*> with_predicate = used;
  for (Expr* e : index.predicate) with_predicate.push_back(p_.stored_for(e, r_.rte));
  if (index.unique && equal_here && position == index.key_count && plain && !null_test) {
    entries = 1;
  } else {
    for (Expr* e : index.predicate) boundary.push_back(p_.stored_for(e, r_.rte));
    entries = std::rint(selectivity_of_all(boundary, &table_, r_.rte) * r_.tuples / arrays);
  }
  out.selected = selectivity_of_all(with_predicate, &table_, r_.rte);
  entries = std::clamp(entries, 1.0, tuples);
  double pages = shape.pages > 1 && tuples > 1 ? std::ceil(entries * shape.pages / tuples) : 1, scans = arrays * loops;
  if (scans > 1) out.total = pages_fetched(pages * scans, shape.pages, shape.pages, j_.total_pages()) * values::random_page_cost / loops;
  else out.total = pages * values::random_page_cost;
  double arguments = 0;
  for (const IndexCondition* c : scan.conditions) if (c->argument != nullptr) arguments += expression_cost(c->argument).per_row;
  out.startup += arguments;
  out.total += arguments;
  out.total += entries * arrays * (values::cpu_index_tuple_cost + values::cpu_operator_cost * scan.conditions.size());
  double descent = 0;
  if (tuples > 1) descent += halvings(tuples) * values::cpu_operator_cost;
  descent += std::max(1, shape.height) * 50.0 * values::cpu_operator_cost;
  out.startup += descent;
  out.total += arrays * descent;
  out.pages = shape.pages;
  return out;
}

double TablePaths::constant_array_length(const Expr* e) {
  const auto* c = nodes::as<nodes::Constant>(e);
  if (c->is_null) return 0;
  types::ArrayView view(c->value, s_.arena);
  return types::array_elements(view, catalog::type_info(view.element_type()).layout, s_.arena).count;
}

const TablePaths::IndexShape& TablePaths::shape_of(const catalog::IndexDescriptor& index) {
  for (const IndexShape& s : shapes_) if (s.index == index.oid) return s;
  btree::Shape found = btree::shape(index.btree);
  shapes_.push_back({index.oid, static_cast<double>(found.pages.value()), found.height});
  return shapes_.back();
}

double TablePaths::correlation_of(const catalog::IndexDescriptor& index) {
  const ColumnStatistics* s = index.columns.empty() || index.columns[0] == 0 ? nullptr : column_statistics(table_, index.columns[0]);
  if (s == nullptr) return 0;
  double c = (index.options[0] & 1) != 0 ? -s->correlation : s->correlation;
  return index.key_count > 1 ? c * 0.75 : c;
}

// Fills in what the index scan costs, the table's pages included.
void TablePaths::cost_index(IndexScan& scan, const catalog::IndexDescriptor& index, double loops, double rows) {
  IndexCost cost = index_cost(scan, index, loops);
  double fetched = clamp_rows(cost.selected * r_.tuples), startup = cost.startup, run = cost.total - cost.startup, worst, best;
  double visible = r_.pages > 0 ? std::clamp(table_.all_visible_pages / r_.pages, 0.0, 1.0) : 0;
  if (table_.page_count == 0) visible = 0;
  auto hidden = [&](double pages) { return scan.kind == PlanKind::index_only_scan ? std::ceil(pages * (1 - visible)) : pages; };
  if (loops > 1) {
    worst = hidden(pages_fetched(fetched * loops, r_.pages, cost.pages, j_.total_pages())) * values::random_page_cost / loops;
    best = hidden(pages_fetched(std::ceil(cost.selected * r_.pages) * loops, r_.pages, cost.pages, j_.total_pages())) * values::random_page_cost / loops;
  } else {
    worst = hidden(pages_fetched(fetched, r_.pages, cost.pages, j_.total_pages())) * values::random_page_cost;
    double pages = hidden(std::ceil(cost.selected * r_.pages));
    best = pages > 0 ? values::random_page_cost + (pages - 1) * values::seq_page_cost : 0;
  }
  double correlation = correlation_of(index);
  run += worst + correlation * correlation * (best - worst);
  ExpressionCost filter;
  for (Expr* e : scan.filter) {
    ExpressionCost one = expression_cost(e);
    filter.startup += one.startup;
    filter.per_row += one.per_row;
  }
  run += (values::cpu_tuple_cost + filter.per_row) * fetched;
  startup += filter.startup;
  if (!values::enable_indexscan) startup += 1e10;
  scan.startup_cost = startup;
  scan.total_cost = startup + run;
  scan.rows = rows;
}

Path* TablePaths::path_of(Plan* plan) {
  Path* p = j_.make_path(PathKind::plan, &r_);
  p->plan = plan;
  p->startup = plan->startup_cost;
  p->total = plan->total_cost;
  p->rows = plan->rows;
  p->needs = r_.needs;
  return p;
}

void TablePaths::add_sequential() {
  auto* seq = make_plan<SeqScan>(s_.arena, PlanKind::seq_scan);
  seq->rte = r_.rte;
  double per_row = values::cpu_tuple_cost;
  for (Expr* e : conditions_) {
    seq->filter.push_back(s_.arena, e);
    ExpressionCost c = expression_cost(e);
    seq->startup_cost += c.startup;
    per_row += c.per_row;
  }
  seq->rows = r_.rows;
  if (!values::enable_seqscan) seq->startup_cost += 1e10;
  seq->total_cost = seq->startup_cost + values::seq_page_cost * r_.pages + per_row * r_.tuples;
  j_.add_path(r_, path_of(seq));
}

// The order of an index's entries; empty when nobody could use it.
PathKeys TablePaths::order_of(const catalog::IndexDescriptor& index, bool backward) {
  PathKeys out;
  if (j_.wanted_orders.empty() && r_.joins.empty() && j_.class_store_.empty()) return out;
  List<Expr*> expressions = p_.index_expressions(index, r_.rte);
  std::uint32_t nth = 0;
  for (int i = 0; i < index.key_count; ++i) {
    auto n = static_cast<std::size_t>(i);
    Expr* e = index.columns[n] != 0 ? p_.make_variable(r_.rte, index.columns[n]) : expressions[nth++];
    bool descending = ((index.options[n] & 1) != 0) != backward, nulls_first = ((index.options[n] & 2) != 0) != backward;
    const PathKey* k = j_.key_in_family(e, index.operator_families[n], index.collations[n], index.operator_input_types[n], descending, nulls_first);
    if (k != nullptr && std::none_of(out.begin(), out.end(), [&](const PathKey* x) { return x->of == k->of; })) out.push_back(k);
  }
  return j_.useful(out, r_);
}

IndexScan* TablePaths::whole_index(const catalog::IndexDescriptor& index) {
  if (!may_scan(index) || !p_.predicate_holds(index, r_.rte, conditions_)) return nullptr;
  auto* scan = make_plan<IndexScan>(s_.arena, PlanKind::index_scan);
  scan->rte = r_.rte;
  scan->index = index.oid;
  for (Expr* e : conditions_) scan->filter.push_back(s_.arena, e);
  return scan;
}

void TablePaths::add_by_index() {
  for (const catalog::IndexDescriptor* index : table_.indexes) {
    IndexScan* scan = p_.try_index(r_.rte, *index, conditions_);
    bool selects = scan != nullptr;
    if (scan == nullptr) scan = whole_index(*index);
    if (scan == nullptr) continue;
    bool arrays = std::any_of(scan->conditions.begin(), scan->conditions.end(), [](const IndexCondition* c) { return c->is_array; });
    p_.make_index_only(scan, r_.rte, *index);
    bool partial = !index->predicate.empty(), alone = scan->kind == PlanKind::index_only_scan;
    PathKeys forward = arrays ? PathKeys{} : order_of(*index, false), backward = arrays ? PathKeys{} : order_of(*index, true);
    if (selects || partial || alone || !forward.empty()) {
      cost_index(*scan, *index, 1, r_.rows);
      Path* p = path_of(scan);
      p->keys = forward;
      j_.add_path(r_, p);
      if (selects && !scan->known_unique && values::enable_bitmapscan) note_bitmap(*scan, *index);
    }
    if (backward.empty()) continue;
    auto* reverse = s_.arena.make<IndexScan>(*scan);
    reverse->backward = true;
    cost_index(*reverse, *index, 1, r_.rows);
    Path* p = path_of(reverse);
    p->keys = backward;
    j_.add_path(r_, p);
  }
}

// --- other relations' values ----------------------------------------------------------------------------------------------------------
std::vector<Clause*> TablePaths::movable() {
  std::vector<Clause*> out;
  auto fits = [&](const Clause& c) {
    return c.mentioned.has(r_.rte) && !c.nonnullable.has(r_.rte) && !c.delayed && !contains_volatile(c.expr) && !contains_sub_plan(c.expr);
  };
  for (Clause* c : r_.joins) if (fits(*c)) out.push_back(c);
  for (std::size_t n = 0; n < j_.class_store_.size(); ++n) {
    EquivalenceClass& c = j_.class_store_[n];
    if (c.merged_into != nullptr || c.sources.empty() || c.has_constant || c.broken || !c.relations.has(r_.rte)) continue;
    for (const EquivalenceMember& own : c.members) {
      if (!(own.relations == r_.relations)) continue;
      for (const EquivalenceMember& other : c.members) {
        if (other.relations.has(r_.rte)) continue;
        if (Clause* made = j_.derive(c, own, other)) out.push_back(made);
      }
    }
  }
  return out;
}

// Sets of outer relations worth a path: those of one condition an index can use, and of several together.
std::vector<RelationSet> TablePaths::outer_sets(const std::vector<Clause*>& clauses) {
  constexpr std::size_t kMost = 12;
  std::vector<RelationSet> out;
  for (const catalog::IndexDescriptor* index : table_.indexes) {
    if (index->access_method != kBTreeAccessMethod) continue;
    List<Expr*> expressions = p_.index_expressions(*index, r_.rte);
    for (Clause* c : clauses) {
      bool matches = false;
      for (int i = 0; i < index->key_count && !matches; ++i) matches = p_.match_condition(c->expr, r_.rte, *index, i, expressions) != nullptr;
      if (!matches) continue;
      RelationSet own = c->mentioned;
      own.remove(r_.relations);
      std::size_t before = out.size();
      auto add = [&](const RelationSet& s) {
        if (out.size() < kMost && std::find(out.begin(), out.end(), s) == out.end()) out.push_back(s);
      };
      add(own);
      for (std::size_t i = 0; i < before; ++i) add(joined(out[i], own));
    }
  }
  return out;
}

void TablePaths::add_parameterized() {
  if (table_.indexes.empty() || (r_.joins.empty() && j_.class_store_.empty())) return;
  std::vector<Clause*> clauses = movable();
  if (clauses.empty()) return;
  for (const RelationSet& outer : outer_sets(clauses)) {
    std::vector<Expr*> all = conditions_;
    std::vector<Clause*> bound;
    RelationSet both = joined(outer, r_.relations);
    for (Clause* c : clauses) {
      if (!both.contains(c->mentioned)) continue;
      bool repeats = c->parent != nullptr && std::any_of(bound.begin(), bound.end(), [&](const Clause* b) { return b->parent == c->parent; });
      if (repeats) continue;
      bound.push_back(c);
      all.push_back(c->expr);
    }
    double loops = 0;
    for (JoinRelation* b : j_.base_relations_) if (b != nullptr && outer.has(b->rte)) loops = loops == 0 ? b->rows : std::min(loops, b->rows);
    double rows = std::min(r_.rows, clamp_rows(r_.tuples * selectivity_of_all(all, &table_, r_.rte)));
    std::vector<std::pair<IndexScan*, const catalog::IndexDescriptor*>> for_bitmap;
    for (const catalog::IndexDescriptor* index : table_.indexes) {
      IndexScan* scan = p_.try_index(r_.rte, *index, all);
      if (scan == nullptr) continue;
      bool uses = std::any_of(scan->recheck.begin(), scan->recheck.end(), [&](Expr* e) {
        return std::any_of(bound.begin(), bound.end(), [&](Clause* c) { return c->expr == e; });
      });
      if (!uses) continue;
      p_.make_index_only(scan, r_.rte, *index);
      cost_index(*scan, *index, std::max(1.0, loops), rows);
      Path* p = path_of(scan);
      p->needs = outer;
      p->is_parameterized = true;
      p->bound = bound;
      j_.add_path(r_, p);
      if (!scan->known_unique) for_bitmap.emplace_back(scan, index);
    }
    add_bitmap_lookup(for_bitmap, all, std::max(1.0, loops), rows, outer, bound);
  }
}

void TablePaths::add_all() {
  if (Plan* by_tid = p_.plan_tid_scan(r_.rte, conditions_)) {
    by_tid->rows = std::min(r_.rows, by_tid->rows);
    j_.add_path(r_, path_of(by_tid));
    return;
  }
  add_sequential();
  if (table_.indexes.empty()) return;
  add_by_index();
  add_bitmaps();
  add_parameterized();
}

// --- relations of all kinds -----------------------------------------------------------------------------------------------------------
bool QueryPlanner::is_unique_output(int rte, AttrNumber column) const {
  const nodes::RangeTableEntry& entry = *q_->range_table[static_cast<std::size_t>(rte - 1)];
  if (entry.kind != RteKind::subquery || entry.subquery == nullptr || entry.subquery->set_operations != nullptr) return false;
  const Query& sub = *entry.subquery;
  if (sub.has_target_srfs) return false;
  auto only = [&](const List<nodes::SortClause*>& list) {
    if (list.size() != 1) return false;
    int n = 0;
    for (const TargetEntry* t : sub.targets) if (!t->junk && ++n == column) return t->sort_group_ref == list[0]->ref;
    return false;
  };
  if (!sub.distinct.empty()) return !sub.has_distinct_on && only(sub.distinct);
  return sub.grouping_sets.empty() && only(sub.group_by);
}

// Sizes first: paths that take values from another relation are costed by how many rows that has.
void JoinPlanner::size_base(JoinRelation* r) {
  const auto i = static_cast<std::size_t>(r->rte);
  std::vector<Expr*> conditions;
  for (Clause* c : r->restrictions) conditions.push_back(c->expr);
  p_.base_conditions_[r->rte] = conditions;
  if (!r->is_table) return;
  const catalog::Relation& table = *p_.relations_[i - 1];
  r->rows = clamp_rows(r->tuples * selectivity_of_all(conditions, &table, r->rte));
  r->width = 0;
  for (AttrNumber c : p_.used_[i]) r->width += column_width(table, c);
}

void JoinPlanner::plan_base(JoinRelation* r) {
  const nodes::RangeTableEntry& entry = *p_.q_->range_table[static_cast<std::size_t>(r->rte - 1)];
  bool is_tree = entry.kind == RteKind::relation && entry.relation_kind == catalog::relation_kind::partitioned_table;
  if (p_.is_excluded(r->rte, p_.base_conditions_[r->rte], is_tree || p_.is_union_member_)) {
    make_dummy(*r);
  } else if (r->is_table) {
    TablePaths(*this, *r).add_all();
  } else {
    std::vector<Qual> quals;
    for (Clause* c : r->restrictions) quals.push_back({c->expr, r->relations});
    RelPlan planned = p_.plan_relation(r->rte, quals);
    r->needs = planned.needs;
    r->rows = clamp_rows(planned.plan->rows);
    r->tuples = std::max(r->tuples, r->rows);
    r->width = planned.plan->width;
    Path* p = make_path(PathKind::plan, r);
    p->plan = planned.plan;
    p->startup = planned.plan->startup_cost;
    p->total = planned.plan->total_cost;
    p->rows = r->rows;
    p->needs = r->needs;
    add_path(*r, p);
    if (planned.plan->kind == PlanKind::partitioned_scan && planned.plan->left->kind != PlanKind::sample_scan) add_partition_lookups(r);
  }
  if (is_tree) note_pieces(*r);
  set_cheapest(*r);
}

// A partitioned table looked up by values of other relations.
void JoinPlanner::add_partition_lookups(JoinRelation* r) {
  TablePaths table(*this, *r);
  std::vector<Clause*> clauses = table.movable();
  // The partition key alone may serve too: every condition's relations are tried.
  std::vector<RelationSet> sets = table.outer_sets(clauses);
  for (Clause* c : clauses) {
    RelationSet own = c->mentioned;
    own.remove(r->relations);
    if (std::find(sets.begin(), sets.end(), own) == sets.end()) sets.push_back(own);
  }
  for (const RelationSet& outer : sets) {
    std::vector<Expr*> all = p_.base_conditions_[r->rte];
    Path* p = make_path(PathKind::plan, r);
    RelationSet both = joined(outer, r->relations);
    for (Clause* c : clauses) {
      if (!both.contains(c->mentioned)) continue;
      bool repeats = c->parent != nullptr && std::any_of(p->bound.begin(), p->bound.end(), [&](const Clause* b) { return b->parent == c->parent; });
      if (repeats) continue;
      p->bound.push_back(c);
      all.push_back(bind_outer(c->expr, r->relations, p->params));
    }
    p->plan = p_.plan_table(r->rte, all, true);
    if (p->plan == nullptr) continue;
    p->startup = p->plan->startup_cost;
    p->total = p->plan->total_cost;
    p->rows = clamp_rows(p->plan->rows);
    p->needs = outer;
    p->is_parameterized = true;
    add_path(*r, p);
  }
}

}  // namespace hathi::planner
