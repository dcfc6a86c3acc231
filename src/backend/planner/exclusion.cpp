// Constraint exclusion: a relation whose constraints contradict the conditions on it has no rows to give.

#include "hathi/planner/exclusion.h"

#include <algorithm>

#include "hathi/analyzer/analyze.h"
#include "hathi/config/planner_settings.h"
#include "hathi/partition/partition.h"
#include "column_mover.h"
#include "paths.h"
#include "proof.h"

namespace hathi::planner {

namespace {

using nodes::ExprKind;

enum : int { kOff = 0, kOn = 1 };   // of constraint_exclusion

bool is_never_true(const Expr* e) {
  return e->kind == ExprKind::constant && (nodes::as<nodes::Constant>(e)->is_null || !nodes::as<nodes::Constant>(e)->value.as_bool());
}

bool has_null_test(Expr* e) {
  if (e == nullptr) return false;
  return e->kind == ExprKind::null_test || nodes::for_each_child(e, [](Expr* c) { return has_null_test(c); });
}

bool any_asks_for_null(std::span<Expr* const> conditions) { return std::any_of(conditions.begin(), conditions.end(), has_null_test); }

// ONLY a partitioned table: the rows are its partitions'.
bool is_tree_alone(const nodes::RangeTableEntry& entry) {
  return entry.kind == nodes::RteKind::relation && entry.relation_kind == catalog::relation_kind::partitioned_table && !entry.inherit;
}

// A single comparison, as most statements have, cannot contradict itself.
bool may_contradict(std::span<Expr* const> conditions) {
  return conditions.size() > 1 || (conditions.size() == 1 && conditions[0]->kind != ExprKind::op);
}

}  // namespace

// What the table's constraints say of each row. of_partition: its bounds too. Nothing that may change.
std::vector<Expr*> QueryPlanner::constraints_of(int rte, bool not_null, bool of_partition) {
  const catalog::Relation& table = *relations_[static_cast<std::size_t>(rte - 1)];
  std::vector<Expr*> out;
  auto add = [&](Expr* e) {
    Expr* stored = stored_for(e, rte);
    if (analyzer::volatility_of(stored) == 'i') out.push_back(stored);
  };
  for (const catalog::CheckConstraint& c : table.checks) if (c.validated) add(const_cast<Expr*>(c.expr));
  if (of_partition && table.is_partition) {
    if (const Expr* e = partition::partition_constraint(table, s_.arena)) add(const_cast<Expr*>(e));
  }
  for (int i = 0; not_null && i < table.descriptor->count(); ++i) {
    const Attribute& a = (*table.descriptor)[i];
    if (!a.not_null || a.dropped) continue;
    auto* test = nodes::make<nodes::NullTest>(s_.arena);
    test->arg = make_variable(rte, static_cast<AttrNumber>(i + 1));
    test->is_null = false;
    out.push_back(test);
  }
  return out;
}

// Are there surely no rows? is_member: a partition, or a partitioned table for all its partitions; a member of UNION ALL.
bool QueryPlanner::is_excluded(int rte, std::span<Expr* const> conditions, bool is_member) {
  if (is_tree_alone(*q_->range_table[static_cast<std::size_t>(rte - 1)])) return true;
  if (conditions.empty()) return false;
  if (conditions.size() == 1 && is_never_true(conditions[0])) return true;
  int mode = config::values::constraint_exclusion;
  if (mode == kOff || (mode != kOn && !is_member)) return false;
  if (may_contradict(conditions)) {
    std::vector<Expr*> stable;
    for (Expr* e : conditions) if (analyzer::volatility_of(e) == 'i') stable.push_back(e);
    if (refutes(stable, stable, true)) return true;
  }
  if (q_->range_table[static_cast<std::size_t>(rte - 1)]->kind != nodes::RteKind::relation) return false;
  std::vector<Expr*> constraints = constraints_of(rte, any_asks_for_null(conditions), !is_member);
  return refutes(conditions, constraints);
}

// A node that gives no row.
Plan* make_nothing(Arena& arena) {
  auto* result = make_plan<Result>(arena, PlanKind::result);
  result->constant_filter = make_bool(arena, false);
  return result;
}

bool is_nothing(const Plan* plan) {
  if (plan->kind != PlanKind::result || plan->left != nullptr) return false;
  const Expr* e = static_cast<const Result*>(plan)->constant_filter;
  return e != nullptr && is_never_true(e);
}

// The relation gives no rows: no other path is of use.
void JoinPlanner::make_dummy(JoinRelation& r) {
  r.is_dummy = true;
  r.rows = 0;
  r.width = 0;
  r.paths.clear();
  r.parameterized.clear();
  Path* p = make_path(PathKind::plan, &r);
  p->plan = make_nothing(s_.arena);
  p->needs = r.needs;
  r.paths.push_back(p);
}

// Its columns, should anybody ask.
void JoinPlanner::set_dummy_targets(const JoinRelation& r, Plan& plan) {
  int number = 1;
  for (std::size_t rte = 1; rte < base_relations_.size(); ++rte) {
    if (!r.visible.has(static_cast<int>(rte))) continue;
    std::vector<AttrNumber> columns = p_.used_[rte];
    std::sort(columns.begin(), columns.end());
    for (AttrNumber c : columns) plan.targets.push_back(s_.arena, make_target(s_.arena, p_.make_variable(static_cast<int>(rte), c), number++));
  }
}

// Does the join of two relations have no rows because a side has none?
bool JoinPlanner::is_dummy_join(const JoinRelation& left, const JoinRelation& right, nodes::JoinType type) {
  switch (type) {
    case nodes::JoinType::inner: case nodes::JoinType::semi: return left.is_dummy || right.is_dummy;
    case nodes::JoinType::left: case nodes::JoinType::anti: return left.is_dummy;
    case nodes::JoinType::right: return right.is_dummy;
    case nodes::JoinType::full: return left.is_dummy && right.is_dummy;
  }
  return false;
}

// --- partitions -------------------------------------------------------------------------------------------------------------------------
bool asks_for_null(const PartitionedScan& scan) { return any_asks_for_null({scan.conditions.begin(), scan.conditions.size()}); }

bool has_own_constraints(const catalog::Relation& table, const catalog::Relation& partition, bool count_not_null) {
  if (partition.checks.size() > table.checks.size()) return true;
  auto count = [](const catalog::Relation& r) {
    int n = 0;
    for (int i = 0; i < r.descriptor->count(); ++i) n += (*r.descriptor)[i].not_null ? 1 : 0;
    return n;
  };
  return count_not_null && count(partition) > count(table);
}

bool is_excluded_partition(const PartitionedScan& scan, const PlannedStatement& statement, const catalog::Relation& partition) {
  if (config::values::constraint_exclusion == kOff || scan.conditions.empty()) return false;
  Arena arena(2048);
  BoundParameters no_parameters;
  StatementContext s{arena, no_parameters};
  catalog::RelationRef table = catalog::open_relation(statement.range_table[static_cast<std::size_t>(scan.rte - 1)].relation, locking::LockMode::none);
  catalog::RelationRef leaf = catalog::open_relation(partition.oid, locking::LockMode::none);
  auto* query = arena.make<Query>();
  auto* entry = arena.make<nodes::RangeTableEntry>();
  entry->relation = leaf->oid;
  entry->relation_kind = leaf->kind;
  query->range_table.push_back(arena, entry);
  query->from = arena.make<nodes::FromExpr>();
  query->from->kind = nodes::JoinNodeKind::from;
  QueryPlanner planner(s, query, nullptr);
  planner.relations_[0] = leaf.share();
  ColumnMover mover(*table, *leaf, scan.rte, 1, arena);
  std::vector<Expr*> conditions;
  for (Expr* e : scan.conditions) conditions.push_back(mover.move(e));
  return planner.is_excluded(1, conditions, true);
}

}  // namespace hathi::planner
