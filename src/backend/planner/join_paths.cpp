// Ways to join two relations: nested loops (with values handed in, with rows remembered), merges of sorted inputs, hash tables.

#include <algorithm>
#include <cmath>

#include "hathi/catalog/lookup.h"
#include "hathi/config/planner_settings.h"
#include "hathi/config/settings.h"
#include "join_case.h"

namespace hathi::planner {

namespace values = config::values;
using nodes::JoinType;

namespace {

constexpr double kDisabled = 1e10;

bool keeps_outer_order(JoinType t) { return t != JoinType::right && t != JoinType::full; }

}  // namespace

void JoinPlanner::add_join_paths(JoinRelation* relation, JoinRelation* outer, JoinRelation* inner, JoinType type,
                                 const SpecialJoin* special, const std::vector<Clause*>& clauses) {
  if (outer->cheapest == nullptr || inner->cheapest == nullptr || outer->needs.overlaps(inner->relations)) return;
  JoinCase c;
  c.relation = relation;
  c.outer = outer;
  c.inner = inner;
  c.type = type;
  c.special = special;
  c.lateral = inner->needs.overlaps(outer->relations);
  bool is_outer = type == JoinType::left || type == JoinType::right || type == JoinType::full || type == JoinType::anti;
  for (Clause* k : clauses) {
    bool filter = is_outer && (k->is_filter || !relation->relations.contains(k->relations));
    (filter ? c.filters : c.conditions).push_back(k);
    if (filter) continue;
    bool sides = k->can_join && ((outer->relations.contains(k->left) && inner->relations.contains(k->right)) ||
                                 (outer->relations.contains(k->right) && inner->relations.contains(k->left)));
    if (sides && is_valid(k->merge_family)) c.mergeable.push_back(k);
    else c.has_unmergeable = true;
    if (sides && k->can_hash) c.hashable.push_back(k);
  }
  c.inner_unique = inner_is_unique(*inner, outer->relations, type, c.conditions);
  bool stops = type == JoinType::semi || type == JoinType::anti || c.inner_unique;
  if (stops) c.factors = match_factors(c);
  if (!c.lateral) add_merge_joins(c);
  if (type != JoinType::right && type != JoinType::full) add_nest_loops(c);
  if (!c.lateral) add_hash_joins(c);
}

// Does each outer row meet at most one inner row?
bool JoinPlanner::inner_is_unique(const JoinRelation& inner, const RelationSet& outer, JoinType type, const std::vector<Clause*>& clauses) {
  if (type == JoinType::semi || type == JoinType::anti || inner.rte == 0) return false;
  std::vector<Expr*> compared;
  for (Clause* c : clauses) {
    if (!c->can_join || !is_valid(c->merge_family)) continue;
    if (inner.relations.contains(c->left) && outer.contains(c->right)) compared.push_back(c->op->args[0]);
    else if (inner.relations.contains(c->right) && outer.contains(c->left)) compared.push_back(c->op->args[1]);
  }
  if (!inner.is_table) {
    return std::any_of(compared.begin(), compared.end(), [&](const Expr* e) {
      return e->kind == nodes::ExprKind::variable && p_.is_unique_output(inner.rte, nodes::as<nodes::Variable>(e)->column);
    });
  }
  // What a constant fixes counts too.
  for (Clause* c : inner.restrictions) {
    if (c->op == nullptr || !is_valid(c->merge_family)) continue;
    if (c->left.empty()) compared.push_back(c->op->args[1]);
    else if (c->right.empty()) compared.push_back(c->op->args[0]);
  }
  return has_unique_index(inner, compared);
}

// Is there a unique index on some of these expressions of the relation?
bool JoinPlanner::has_unique_index(const JoinRelation& relation, const std::vector<Expr*>& compared) const {
  auto is_column = [&](const Expr* e, AttrNumber column) {
    while (e->kind == nodes::ExprKind::relabel) e = nodes::as<nodes::Relabel>(e)->arg;
    return e->kind == nodes::ExprKind::variable && nodes::as<nodes::Variable>(e)->rte == relation.rte && nodes::as<nodes::Variable>(e)->column == column;
  };
  const catalog::Relation& table = *p_.relations_[static_cast<std::size_t>(relation.rte - 1)];
  return std::any_of(table.indexes.begin(), table.indexes.end(), [&](const catalog::IndexDescriptor* i) {
    if (!i->unique || !i->immediate || !i->predicate.empty() || !i->valid) return false;
    for (int k = 0; k < i->key_count; ++k) {
      AttrNumber column = i->columns[static_cast<std::size_t>(k)];
      if (column == 0 || std::none_of(compared.begin(), compared.end(), [&](const Expr* e) { return is_column(e, column); })) return false;
    }
    return true;
  });
}

MatchFactors JoinPlanner::match_factors(JoinCase& c) {
  MatchFactors out;
  double plain = clauses_selectivity(c.conditions, JoinType::inner, c.outer, c.inner);
  // As PostgreSQL: of joins that are no semi joins the match is the plain selectivity.
  double semi = plain;
  if (c.type == JoinType::anti || c.type == JoinType::semi) {
    semi = clauses_selectivity(c.conditions, c.type, c.outer, c.inner);
  } else if (c.special != nullptr && c.special->type == JoinType::semi) {   // its right side made unique
    bool turned = c.outer->relations == c.special->right;
    semi = clauses_selectivity(c.conditions, JoinType::semi, turned ? c.inner : c.outer, turned ? c.outer : c.inner);
  }
  out.outer_match = semi;
  out.matches = semi > 0 ? std::max(1.0, plain * c.inner->rows / semi) : 1.0;
  return out;
}

// --- nested loops ---------------------------------------------------------------------------------------------------------------------
namespace {

struct Rescan { double startup, total; };

// What running the path again costs.
Rescan rescan_cost(const Path& p) {
  switch (p.kind) {
    case PathKind::materialize:
    case PathKind::sort: {
      double run = values::cpu_operator_cost * p.rows, bytes = row_bytes(p.rows, p.relation->width);
      if (bytes > values::work_mem * 1024.0) run += values::seq_page_cost * std::ceil(bytes / kPageSize);
      return {0, run};
    }
    case PathKind::hash_join: return {0, p.total - p.startup};
    case PathKind::memoize: return {p.memo_rescan_startup, p.memo_rescan_total};
    case PathKind::plan:
      if (p.plan->kind == PlanKind::function_scan || p.plan->kind == PlanKind::cte_scan || p.plan->kind == PlanKind::work_table_scan) {
        return {0, p.total - p.startup};
      }
      break;
    default: break;
  }
  return {p.startup, p.total};
}

}  // namespace

void JoinPlanner::add_nest_loops(JoinCase& c) {
  Path* kept = nullptr;
  if (values::enable_material && !c.lateral && c.inner->needs.empty()) {
    kept = make_path(PathKind::materialize, c.inner);
    kept->left = c.inner->cheapest;
    kept->rows = kept->left->rows;
    kept->keys = kept->left->keys;
    kept->startup = kept->left->startup;
    kept->total = kept->left->total + 2 * values::cpu_operator_cost * kept->rows;
    double bytes = row_bytes(kept->rows, c.inner->width);
    if (bytes > values::work_mem * 1024.0) kept->total += values::seq_page_cost * std::ceil(bytes / kPageSize);
    bool pointless = kept->left->kind == PathKind::plan &&
                     (kept->left->plan->kind == PlanKind::function_scan || kept->left->plan->kind == PlanKind::cte_scan ||
                      kept->left->plan->kind == PlanKind::work_table_scan);
    if (pointless) kept = nullptr;
  }
  for (const Path* outer : c.outer->paths) {
    try_nest_loop(c, outer, c.inner->cheapest);
    if (c.lateral) continue;
    for (const Path* inner : c.inner->parameterized) {
      // (The inner side of a semi join gives its values to nobody above.)
      if (!c.outer->visible.contains(inner->needs)) continue;
      try_nest_loop(c, outer, inner);
      if (Path* remembered = memoized(c, inner, outer)) try_nest_loop(c, outer, remembered);
    }
    if (kept != nullptr) try_nest_loop(c, outer, kept);
  }
}

void JoinPlanner::try_nest_loop(JoinCase& c, const Path* outer, const Path* inner) {
  const Path* source = inner->kind == PathKind::memoize ? inner->left : inner;
  std::vector<Clause*> left;
  std::size_t checked = 0;
  for (Clause* k : c.conditions) {
    bool done = std::any_of(source->bound.begin(), source->bound.end(),
                            [&](const Clause* b) { return b == k || (b->parent != nullptr && b->parent == k->parent); });
    if (done) ++checked;
    else left.push_back(k);
  }
  // What the inner path checks must be among this join's conditions or follow from the same classes.
  if (source->is_parameterized) {
    for (const Clause* b : source->bound) {
      bool of_join = b->parent != nullptr || std::find(c.conditions.begin(), c.conditions.end(), b) != c.conditions.end();
      if (!of_join) return;
    }
  }
  Path* p = make_path(PathKind::nest_loop, c.relation);
  p->left = outer;
  p->right = inner;
  p->type = c.type;
  p->conditions = left;
  p->filters = c.filters;
  p->inner_unique = c.inner_unique;
  p->needs = joined(outer->needs, inner->needs);
  p->needs.remove(c.outer->relations);
  p->needs.remove(c.inner->relations);
  p->rows = c.relation->rows;
  p->keys = useful(outer->keys, *c.relation);

  double outer_rows = std::max(1.0, outer->rows), inner_rows = std::max(1.0, inner->rows), inner_run = inner->total - inner->startup;
  Rescan again = rescan_cost(*inner);
  double again_run = again.total - again.startup;
  p->startup = outer->startup + inner->startup;
  double run = outer->total - outer->startup, rows;
  if (outer_rows > 1) run += (outer_rows - 1) * again.startup;
  bool stops = c.type == JoinType::semi || c.type == JoinType::anti || c.inner_unique;
  if (stops) {
    double matched = std::rint(outer_rows * c.factors.outer_match), unmatched = outer_rows - matched, part = 2.0 / (c.factors.matches + 1);
    rows = matched * inner_rows * part;
    bool indexed = inner->is_parameterized && inner->kind != PathKind::memoize && checked == c.conditions.size();
    if (indexed) {
      run += inner_run * part;
      if (matched > 1) run += (matched - 1) * again_run * part;
      run += unmatched * again_run / inner_rows;
    } else {
      rows += unmatched * inner_rows;
      run += inner_run;
      if (unmatched >= 1) unmatched -= 1;
      else matched -= 1;
      if (matched > 0) run += matched * again_run * part;
      if (unmatched > 0) run += unmatched * again_run;
    }
  } else {
    run += inner_run;
    if (outer_rows > 1) run += (outer_rows - 1) * again_run;
    rows = outer_rows * inner_rows;
  }
  run += (values::cpu_tuple_cost + clauses_cost(p->conditions) + clauses_cost(p->filters)) * rows;
  if (!values::enable_nestloop) p->startup += kDisabled;
  p->total = p->startup + run;
  add_path(*c.relation, p);
}

// The inner rows of each outer value are remembered.
Path* JoinPlanner::memoized(JoinCase& c, const Path* inner, const Path* outer) {
  if (!values::enable_memoize || outer->rows < 2 || !inner->is_parameterized || !inner->params.empty()) return nullptr;
  if (c.type == JoinType::semi || c.type == JoinType::anti) return nullptr;
  // A row that is found first must be right in all: no condition may be left to the join.
  if (c.inner_unique) {
    for (Clause* k : c.conditions) {
      bool done = std::any_of(inner->bound.begin(), inner->bound.end(),
                              [&](const Clause* b) { return b == k || (b->parent != nullptr && b->parent == k->parent); });
      if (!done) return nullptr;
    }
  }
  std::vector<Expr*> keys;
  std::vector<Oid> operators;
  for (Clause* b : inner->bound) {
    if (b->op == nullptr || !b->can_join) return nullptr;
    bool left_is_inner = c.inner->relations.contains(b->left);
    Expr* e = b->op->args[left_is_inner ? 1 : 0];
    if (e->kind != nodes::ExprKind::variable || contains_volatile(b->expr)) return nullptr;
    if (std::any_of(keys.begin(), keys.end(), [&](const Expr* k) { return nodes::equal(k, e); })) continue;
    const catalog::OperatorInfo& info = catalog::operator_info(b->op->op);
    Oid type = left_is_inner ? info.right : info.left, equal = catalog::family_operator(b->merge_family, type, type, 3);
    const catalog::OperatorInfo* found = is_valid(equal) ? catalog::find_operator(equal) : nullptr;
    if (found == nullptr || !found->can_hash) return nullptr;
    keys.push_back(e);
    operators.push_back(equal);
  }
  if (keys.empty()) return nullptr;
  Path* m = make_path(PathKind::memoize, c.inner);
  m->left = inner;
  m->rows = inner->rows;
  m->keys = inner->keys;
  m->needs = inner->needs;
  m->is_parameterized = true;
  m->inner_unique = c.inner_unique;
  m->memo_keys = keys;
  m->memo_operators = operators;
  m->startup = inner->startup + values::cpu_tuple_cost;
  m->total = inner->total + values::cpu_tuple_cost;
  double calls = outer->rows, rows = inner->rows, memory = values::work_mem * 1024.0 * values::hash_mem_multiplier;
  double entry = row_bytes(rows, c.inner->width) + 24 * rows + 128, fitting = std::max(1.0, std::floor(memory / entry));
  bool guessed = false;
  for (Expr* e : keys) {
    bool one;
    distinct_count(e, one);
    guessed = guessed || one;
  }
  double distinct = guessed ? calls : group_count(keys, calls);
  double evicted = 1 - std::min(fitting, distinct) / distinct;
  double hits = std::clamp((calls - distinct) / calls * (fitting / std::max(distinct, fitting)), 0.0, 1.0);
  m->memo_rescan_total = inner->total * (1 - hits) + values::cpu_operator_cost + values::cpu_tuple_cost * evicted * rows + values::cpu_tuple_cost / 10 * rows;
  m->memo_rescan_startup = inner->startup * (1 - hits) + values::cpu_tuple_cost;
  m->memo_rescan_total = std::max(m->memo_rescan_total, m->memo_rescan_startup);
  return m;
}

// --- hash joins -----------------------------------------------------------------------------------------------------------------------
void JoinPlanner::add_hash_joins(JoinCase& c) {
  if (c.hashable.empty() || (!values::enable_hashjoin && c.type != JoinType::full)) return;
  try_hash(c, c.outer->cheapest, c.inner->cheapest, c.hashable);
  if (c.outer->cheapest_startup != c.outer->cheapest) try_hash(c, c.outer->cheapest_startup, c.inner->cheapest, c.hashable);
}

void JoinPlanner::try_hash(JoinCase& c, const Path* outer, const Path* inner, const std::vector<Clause*>& clauses) {
  Path* p = make_path(PathKind::hash_join, c.relation);
  p->left = outer;
  p->right = inner;
  p->type = c.type;
  p->join_clauses = clauses;
  for (Clause* k : c.conditions) if (std::find(clauses.begin(), clauses.end(), k) == clauses.end()) p->conditions.push_back(k);
  p->filters = c.filters;
  p->inner_unique = c.inner_unique;
  p->needs = joined(outer->needs, inner->needs);
  p->rows = c.relation->rows;
  double outer_rows = std::max(1.0, outer->rows), inner_rows = std::max(1.0, inner->rows), n = static_cast<double>(clauses.size());
  p->startup = outer->startup + inner->total + (values::cpu_operator_cost * n + values::cpu_tuple_cost) * inner_rows;
  double run = outer->total - outer->startup + values::cpu_operator_cost * n * outer_rows;
  HashShape shape = hash_shape(inner_rows, c.inner->width);
  if (shape.batches > 1) {
    double outer_pages = std::ceil(row_bytes(outer_rows, c.outer->width) / kPageSize),
           inner_pages = std::ceil(row_bytes(inner_rows, c.inner->width) / kPageSize);
    p->startup += values::seq_page_cost * inner_pages;
    run += values::seq_page_cost * (inner_pages + 2 * outer_pages);
  }
  double bucket = 1, common = 1;
  for (Clause* k : clauses) {
    Expr* key = k->op->args[c.inner->relations.contains(k->right) ? 1 : 0];
    double one_common, one_bucket;
    bucket_statistics(key, shape.buckets * shape.batches, one_common, one_bucket);
    bucket = std::min(bucket, one_bucket);
    common = std::min(common, one_common);
  }
  if (row_bytes(clamp_rows(inner_rows * common), c.inner->width) > values::work_mem * 1024.0 * values::hash_mem_multiplier) p->startup += kDisabled;
  double hash_cost = clauses_cost(clauses), tuples;
  if (c.type == JoinType::semi || c.type == JoinType::anti || c.inner_unique) {
    double matched = std::rint(outer_rows * c.factors.outer_match), part = 2.0 / (c.factors.matches + 1);
    run += hash_cost * matched * clamp_rows(inner_rows * bucket * part) * 0.5;
    run += hash_cost * (outer_rows - matched) * clamp_rows(inner_rows / (shape.buckets * shape.batches)) * 0.05;
    tuples = c.type == JoinType::anti ? outer_rows - matched : matched;
  } else {
    run += hash_cost * outer_rows * clamp_rows(inner_rows * bucket) * 0.5;
    tuples = clamp_rows(outer_rows * inner_rows * clauses_selectivity(clauses, JoinType::inner, c.outer, c.inner));
  }
  run += (values::cpu_tuple_cost + clauses_cost(p->conditions) + clauses_cost(p->filters)) * tuples;
  if (!values::enable_hashjoin) p->startup += kDisabled;
  p->total = p->startup + run;
  add_path(*c.relation, p);
}

// --- merge joins ----------------------------------------------------------------------------------------------------------------------
namespace {

EquivalenceClass* side_class(const Clause& c, bool of_left) {
  EquivalenceClass* k = c.parent != nullptr ? c.parent : (of_left ? c.left_class : c.right_class);
  while (k != nullptr && k->merged_into != nullptr) k = k->merged_into;
  return k;
}

}  // namespace

void JoinPlanner::add_merge_joins(JoinCase& c) {
  if (c.mergeable.empty()) return;
  if (!values::enable_mergejoin && c.type != JoinType::full) return;
  if ((c.type == JoinType::right || c.type == JoinType::full) && c.has_unmergeable) return;
  auto outer_class = [&](const Clause* k) { return side_class(*k, c.outer->relations.contains(k->left)); };
  auto inner_class = [&](const Clause* k) { return side_class(*k, c.inner->relations.contains(k->left)); };
  std::vector<Clause*> clauses;
  for (Clause* k : c.mergeable) {
    EquivalenceClass *a = outer_class(k), *b = inner_class(k);
    if (a != nullptr && b != nullptr && !a->redundant_as_key() && !b->redundant_as_key()) clauses.push_back(k);
  }
  if (clauses.empty() || ((c.type == JoinType::right || c.type == JoinType::full) && clauses.size() != c.mergeable.size())) return;
  // Both sides sorted, each class once as the first key.
  PathKeys all;
  for (Clause* k : clauses) {
    const PathKey* key = intern(outer_class(k), outer_class(k)->family, false, false);
    if (std::find(all.begin(), all.end(), key) == all.end()) all.push_back(key);
  }
  auto for_keys = [&](const PathKeys& outer_keys, PathKeys& merge_keys, PathKeys& inner_keys) {
    std::vector<Clause*> out;
    for (const PathKey* key : outer_keys) {
      bool any = false;
      for (Clause* k : clauses) {
        if (outer_class(k) != key->of) continue;
        any = true;
        out.push_back(k);
        merge_keys.push_back(key);
        const PathKey* other = intern(inner_class(k), key->family, key->descending, key->nulls_first);
        if (std::find(inner_keys.begin(), inner_keys.end(), other) == inner_keys.end()) inner_keys.push_back(other);
      }
      if (!any) break;
    }
    return out;
  };
  // An order the level above wants goes first.
  for (const PathKeys& wanted : wanted_orders) {
    bool covers = wanted.size() <= all.size() && !wanted.empty() && std::all_of(wanted.begin(), wanted.end(), [&](const PathKey* w) {
      return std::any_of(all.begin(), all.end(), [&](const PathKey* k) { return k->of == w->of; });
    });
    if (!covers) continue;
    PathKeys rest = wanted;
    for (const PathKey* k : all) if (std::none_of(wanted.begin(), wanted.end(), [&](const PathKey* w) { return w->of == k->of; })) rest.push_back(k);
    all = rest;
    break;
  }
  for (std::size_t first = 0; first < all.size(); ++first) {
    PathKeys outer_keys{all[first]}, merge_keys, inner_keys;
    for (std::size_t i = 0; i < all.size(); ++i) if (i != first) outer_keys.push_back(all[i]);
    std::vector<Clause*> used = for_keys(outer_keys, merge_keys, inner_keys);
    try_merge(c, c.outer->cheapest, c.inner->cheapest, used, merge_keys, outer_keys, inner_keys);
  }
  // An outer order that is there already.
  for (const Path* outer : c.outer->paths) {
    PathKeys merge_keys, inner_keys;
    std::vector<Clause*> used = for_keys(outer->keys, merge_keys, inner_keys);
    if (used.empty()) continue;
    bool all_needed = c.type == JoinType::right || c.type == JoinType::full;
    if (all_needed && used.size() != clauses.size()) continue;
    try_merge(c, outer, c.inner->cheapest, used, merge_keys, {}, inner_keys);
    for (const Path* inner : c.inner->paths) {
      std::size_t n = common_prefix(inner->keys, inner_keys);
      if (n == 0) continue;
      std::vector<Clause*> fewer;
      PathKeys fewer_keys;
      for (std::size_t i = 0; i < used.size(); ++i) {
        const PathKey* key = intern(inner_class(used[i]), merge_keys[i]->family, merge_keys[i]->descending, merge_keys[i]->nulls_first);
        auto at = std::find(inner_keys.begin(), inner_keys.end(), key) - inner_keys.begin();
        if (static_cast<std::size_t>(at) >= n) break;
        fewer.push_back(used[i]);
        fewer_keys.push_back(merge_keys[i]);
      }
      if (fewer.empty() || (all_needed && fewer.size() != used.size())) continue;
      try_merge(c, outer, inner, fewer, fewer_keys, {}, {});
    }
  }
}

// sort_outer, sort_inner: orders to make first; empty = as they are.
void JoinPlanner::try_merge(JoinCase& c, const Path* outer, const Path* inner, const std::vector<Clause*>& clauses, const PathKeys& merge_keys,
                            PathKeys sort_outer, PathKeys sort_inner) {
  if (!sort_outer.empty() && begins_with(outer->keys, sort_outer)) sort_outer.clear();
  if (!sort_inner.empty() && begins_with(inner->keys, sort_inner)) sort_inner.clear();
  if (!sort_outer.empty()) outer = sorted(outer, sort_outer, 0);
  if (!sort_inner.empty()) inner = sorted(inner, sort_inner, 0);
  Path* p = make_path(PathKind::merge_join, c.relation);
  p->left = outer;
  p->right = inner;
  p->type = c.type;
  p->join_clauses = clauses;
  p->merge_keys = merge_keys;
  for (Clause* k : c.conditions) if (std::find(clauses.begin(), clauses.end(), k) == clauses.end()) p->conditions.push_back(k);
  p->filters = c.filters;
  p->inner_unique = c.inner_unique;
  p->needs = joined(outer->needs, inner->needs);
  p->rows = c.relation->rows;
  if (keeps_outer_order(c.type)) p->keys = useful(outer->keys, *c.relation);

  double outer_rows = std::max(1.0, outer->rows), inner_rows = std::max(1.0, inner->rows);
  Scanned part;
  if (c.type != JoinType::full) {
    part = merge_scanned(*clauses[0], c.outer->relations.contains(clauses[0]->left), merge_keys[0]->descending);
    if (c.type == JoinType::left || c.type == JoinType::anti) part.outer_start = 0, part.outer_end = 1;
    if (c.type == JoinType::right) part.inner_start = 0, part.inner_end = 1;
  }
  double outer_skip = std::rint(outer_rows * part.outer_start), inner_skip = std::rint(inner_rows * part.inner_start);
  double outer_read = clamp_rows(outer_rows * part.outer_end), inner_read = clamp_rows(inner_rows * part.inner_end);
  part.outer_start = outer_skip / outer_rows;
  part.inner_start = inner_skip / inner_rows;
  part.outer_end = outer_read / outer_rows;
  part.inner_end = inner_read / inner_rows;
  auto startup_of = [](const Path& x, double start) { return x.startup + (x.total - x.startup) * start; };
  p->startup = startup_of(*outer, part.outer_start) + startup_of(*inner, part.inner_start);
  double run = (outer->total - outer->startup) * (part.outer_end - part.outer_start);
  double inner_run = (inner->total - inner->startup) * (part.inner_end - part.inner_start);
  double matches = clamp_rows(outer_rows * inner_rows * clauses_selectivity(clauses, JoinType::inner, c.outer, c.inner));
  bool no_repeats = c.inner_unique || ((c.type == JoinType::semi || c.type == JoinType::anti) && p->conditions.empty());
  double repeated = no_repeats ? 0 : std::max(0.0, matches - inner_rows), ratio = 1 + repeated / inner_rows;
  run += std::min(inner_run * ratio, inner_run + values::cpu_operator_cost * inner_rows * ratio);
  double merge_cost = clauses_cost(clauses);
  p->startup += merge_cost * (outer_skip + inner_skip * ratio);
  run += merge_cost * ((outer_read - outer_skip) + (inner_read - inner_skip) * ratio);
  run += (values::cpu_tuple_cost + clauses_cost(p->conditions) + clauses_cost(p->filters)) * matches;
  if (!values::enable_mergejoin) p->startup += kDisabled;
  p->total = p->startup + run;
  add_path(*c.relation, p);
}

}  // namespace hathi::planner
