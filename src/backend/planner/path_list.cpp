// The paths of a relation that are worth keeping: cheaper, or in a useful order, or quicker to the first row.

#include <algorithm>

#include "hathi/config/planner_settings.h"
#include "paths.h"

namespace hathi::planner {

namespace {

constexpr double kFuzz = 1.01, kExact = 1.0000000001;

enum class Compared : std::uint8_t { equal, first, second, different };

Compared compare_costs(const Path& a, const Path& b, double fuzz, bool startup_matters) {
  if (a.total > b.total * fuzz) return startup_matters && b.startup > a.startup * fuzz ? Compared::different : Compared::second;
  if (b.total > a.total * fuzz) return startup_matters && a.startup > b.startup * fuzz ? Compared::different : Compared::first;
  if (a.startup > b.startup * fuzz) return Compared::second;
  if (b.startup > a.startup * fuzz) return Compared::first;
  return Compared::equal;
}

Compared compare_keys(const PathKeys& a, const PathKeys& b) {
  std::size_t n = JoinPlanner::common_prefix(a, b);
  if (n == a.size() && n == b.size()) return Compared::equal;
  if (n == b.size()) return Compared::first;
  return n == a.size() ? Compared::second : Compared::different;
}

// Which of two paths makes the other needless?
Compared dominates(const Path& a, const Path& b, bool startup_matters) {
  Compared costs = compare_costs(a, b, kFuzz, startup_matters);
  if (costs == Compared::different) return Compared::different;
  Compared keys = compare_keys(a.keys, b.keys);
  if (keys == Compared::different) return Compared::different;
  bool a_fits = b.needs.contains(a.needs) && a.rows <= b.rows, b_fits = a.needs.contains(b.needs) && b.rows <= a.rows;
  if (costs != Compared::second && keys != Compared::second && a_fits) {
    if (costs == Compared::first || keys == Compared::first || !b_fits) return Compared::first;
    // Alike in all: by the exact cost, the older one otherwise.
    return compare_costs(b, a, kExact, false) == Compared::first ? Compared::second : Compared::first;
  }
  return costs != Compared::first && keys != Compared::first && b_fits ? Compared::second : Compared::different;
}

}  // namespace

Path* JoinPlanner::make_path(PathKind kind, JoinRelation* relation) {
  Path* p = &path_store_.emplace_back();
  p->kind = kind;
  p->relation = relation;
  return p;
}

void JoinPlanner::add_path(JoinRelation& relation, Path* path) {
  std::vector<Path*>& list = path->is_parameterized ? relation.parameterized : relation.paths;
  for (std::size_t i = 0; i < list.size();) {
    Compared r = dominates(*list[i], *path, tuple_fraction > 0);
    if (r == Compared::first) return;
    if (r == Compared::second) list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
    else ++i;
  }
  list.push_back(path);
}

void JoinPlanner::set_cheapest(JoinRelation& relation) {
  relation.cheapest = relation.cheapest_startup = nullptr;
  for (Path* p : relation.paths) {
    if (relation.cheapest == nullptr || p->total < relation.cheapest->total) relation.cheapest = p;
    if (relation.cheapest_startup == nullptr || p->startup < relation.cheapest_startup->startup) relation.cheapest_startup = p;
  }
}

double JoinPlanner::clause_cost(Clause& c) {
  if (c.cost < 0) c.cost = expression_cost(c.expr).per_row;
  return c.cost;
}

double JoinPlanner::clauses_cost(const std::vector<Clause*>& clauses) {
  double out = 0;
  for (Clause* c : clauses) out += clause_cost(*c);
  return out;
}

Path* JoinPlanner::sorted(const Path* path, const PathKeys& keys, double limit) {
  Path* out = make_path(PathKind::sort, path->relation);
  double startup, run;
  sort_cost(path->rows, path->relation->width, limit, startup, run);
  out->startup = path->total + startup;
  out->total = out->startup + run;
  if (!config::values::enable_sort) {
    out->startup += 1e10;
    out->total += 1e10;
  }
  out->rows = path->rows;
  out->keys = keys;
  out->needs = path->needs;
  out->left = path;
  return out;
}

}  // namespace hathi::planner
