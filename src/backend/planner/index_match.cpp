// Which conditions of a table an index can check.

#include <algorithm>
#include <cmath>

#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/planner_settings.h"
#include "hathi/transaction/snapshot.h"
#include "hathi/transaction/transaction.h"
#include "query_planner.h"

namespace hathi::planner {

using nodes::ExprKind;

namespace {

bool column_matches(const Expr* e, int rte, const catalog::IndexDescriptor& index, int position, const List<Expr*>& expressions) {
  while (e->kind == ExprKind::relabel) e = nodes::as<nodes::Relabel>(e)->arg;
  AttrNumber column = index.columns[static_cast<std::size_t>(position)];
  if (column != 0) {
    return e->kind == ExprKind::variable && nodes::as<nodes::Variable>(e)->rte == rte && nodes::as<nodes::Variable>(e)->column == column &&
           nodes::as<nodes::Variable>(e)->levels_up == 0;
  }
  int nth = 0;
  for (int i = 0; i < position; ++i) nth += index.columns[static_cast<std::size_t>(i)] == 0 ? 1 : 0;
  return nodes::equal(e, expressions[static_cast<std::size_t>(nth)]);
}

// The btree strategy of an operator in a family, 0 = not a member.
int strategy_in(Oid op, Oid family, Oid& left, Oid& right) {
  for (const catalog::FamilyMember& m : catalog::operator_families(op)) {
    if (m.family != family || m.method != kBTreeAccessMethod) continue;
    left = m.left;
    right = m.right;
    return m.strategy;
  }
  return 0;
}

}  // namespace

// Expressions of the index name the table as rte 1.
List<Expr*> QueryPlanner::index_expressions(const catalog::IndexDescriptor& index, int rte) {
  List<Expr*> out;
  for (Expr* e : index.expressions) out.push_back(s_.arena, stored_for(e, rte));
  return out;
}

IndexCondition* QueryPlanner::match_condition(Expr* e, int rte, const catalog::IndexDescriptor& index, int position, const List<Expr*>& expressions) {
  auto i = static_cast<std::size_t>(position);
  auto free_of_table = [&](Expr* x) { return !relations_of(x).has(rte) && !contains_volatile(x); };
  auto make = [&](int strategy, Oid op, Oid left, Oid right, Expr* argument) {
    auto* c = s_.arena.make<IndexCondition>();
    c->column = static_cast<AttrNumber>(position + 1);
    c->strategy = strategy;
    c->op = op;
    c->function = is_valid(op) ? catalog::operator_info(op).function : kInvalidOid;
    c->comparison = is_valid(op) ? catalog::family_function(index.operator_families[i], left, right, 1) : kInvalidOid;
    c->collation = index.collations[i];
    c->argument = argument;
    c->original = e;
    return c;
  };
  if (e->kind == ExprKind::op && nodes::as<nodes::OpExpr>(e)->args.size() == 2) {
    auto* op = nodes::as<nodes::OpExpr>(e);
    if (is_valid(op->input_collation) && is_valid(index.collations[i]) && op->input_collation != index.collations[i]) return nullptr;
    Oid left, right;
    if (column_matches(op->args[0], rte, index, position, expressions) && free_of_table(op->args[1])) {
      int strategy = strategy_in(op->op, index.operator_families[i], left, right);
      return strategy == 0 ? nullptr : make(strategy, op->op, left, right, op->args[1]);
    }
    Oid turned = catalog::operator_info(op->op).commutator;
    if (is_valid(turned) && column_matches(op->args[1], rte, index, position, expressions) && free_of_table(op->args[0])) {
      int strategy = strategy_in(turned, index.operator_families[i], left, right);
      if (strategy == 0) return nullptr;
      IndexCondition* c = make(strategy, turned, left, right, op->args[0]);
      auto* shown = s_.arena.make<nodes::OpExpr>(*op);
      shown->op = turned;
      shown->function = catalog::operator_info(turned).function;
      shown->args = {};
      shown->args.push_back(s_.arena, op->args[1]);
      shown->args.push_back(s_.arena, op->args[0]);
      c->original = shown;
      return c;
    }
    return nullptr;
  }
  if (e->kind == ExprKind::array_op && nodes::as<nodes::ArrayOp>(e)->use_or) {
    auto* a = nodes::as<nodes::ArrayOp>(e);
    Oid left, right;
    if (!column_matches(a->scalar, rte, index, position, expressions) || !free_of_table(a->array)) return nullptr;
    int strategy = strategy_in(a->op, index.operator_families[i], left, right);
    if (strategy != static_cast<int>(btree::Strategy::equal)) return nullptr;
    IndexCondition* c = make(strategy, a->op, left, right, a->array);
    c->is_array = true;
    return c;
  }
  if (e->kind == ExprKind::null_test && !nodes::as<nodes::NullTest>(e)->arg_is_row) {
    auto* n = nodes::as<nodes::NullTest>(e);
    if (!column_matches(n->arg, rte, index, position, expressions)) return nullptr;
    return make(n->is_null ? 0 : 6, kInvalidOid, kInvalidOid, kInvalidOid, nullptr);
  }
  // A boolean column by itself, or negated.
  constexpr Oid kBoolEqual{91};
  if (column_matches(e, rte, index, position, expressions) && nodes::type_of(e) == type_oid::bool_) {
    return make(3, kBoolEqual, type_oid::bool_, type_oid::bool_, make_bool(s_.arena, true));
  }
  if (e->kind == ExprKind::boolean && nodes::as<nodes::BooleanExpr>(e)->op == nodes::BooleanExpr::Op::not_op &&
      column_matches(nodes::as<nodes::BooleanExpr>(e)->args[0], rte, index, position, expressions)) {
    return make(3, kBoolEqual, type_oid::bool_, type_oid::bool_, make_bool(s_.arena, false));
  }
  return nullptr;
}

// An index that was built when rows had been updated in place does not lead to the versions that older snapshots see: it is for those only
// that are younger than its entry in pg_index. A statement that takes its own snapshot takes none that is older than one taken now.
bool may_scan(const catalog::IndexDescriptor& index) {
  if (index.access_method != kBTreeAccessMethod || !index.valid || !index.live) return false;
  if (!index.check_xmin) return true;
  bool is_old = transaction::isolation() >= transaction::Isolation::repeatable_read;
  transaction::SnapshotRef snapshot = is_old ? transaction::statement_snapshot() : transaction::latest_snapshot();
  return index.valid_from < snapshot->xmin;
}

IndexScan* QueryPlanner::try_index(int rte, const catalog::IndexDescriptor& index, const std::vector<Expr*>& conditions) {
  if (!may_scan(index) || !predicate_holds(index, rte, conditions)) return nullptr;
  List<Expr*> expressions = index_expressions(index, rte);
  std::vector<bool> used(conditions.size());
  auto* scan = make_plan<IndexScan>(s_.arena, PlanKind::index_scan);
  std::vector<Expr*> used_conditions;
  int equal_columns = 0;
  for (int position = 0; position < index.key_count; ++position) {
    bool any = false, equal = false;
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      if (used[i] || contains_sub_plan(conditions[i])) continue;
      IndexCondition* c = match_condition(conditions[i], rte, index, position, expressions);
      if (c == nullptr) continue;
      used[i] = true;
      any = true;
      equal = equal || c->strategy == 3 || c->strategy == 0;
      scan->conditions.push_back(s_.arena, c);
      scan->recheck.push_back(s_.arena, conditions[i]);
      used_conditions.push_back(conditions[i]);
    }
    if (equal) ++equal_columns;
    if (!any) break;
  }
  if (scan->conditions.empty()) return nullptr;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    if (!used[i]) scan->filter.push_back(s_.arena, conditions[i]);
  }
  scan->rte = rte;
  scan->index = index.oid;
  bool arrays = std::any_of(scan->conditions.begin(), scan->conditions.end(), [](const IndexCondition* c) { return c->is_array || c->strategy == 0; });
  scan->known_unique = index.unique && index.immediate && equal_columns == index.key_count && !arrays;
  const catalog::Relation& r = *relations_[static_cast<std::size_t>(rte - 1)];
  TableSize size = scanned_size(r);
  double selected = selectivity_of_all(used_conditions, &r);
  if (scan->known_unique) selected = size.rows > 0 ? 1 / size.rows : 1;
  cost_index_scan(*scan, r, index, selected, 1);
  scan->rows = scan->known_unique ? 1 : std::max(1.0, std::rint(size.rows * selectivity_of_all(conditions, &r)));
  return scan;
}
// A partial index serves when each part of its predicate is among the conditions.
bool QueryPlanner::predicate_holds(const catalog::IndexDescriptor& index, int rte, const std::vector<Expr*>& conditions) {
  for (Expr* part : index.predicate) {
    Expr* wanted = stored_for(part, rte);
    if (std::none_of(conditions.begin(), conditions.end(), [&](const Expr* c) { return nodes::equal(c, wanted); })) return false;
  }
  return true;
}

Expr* QueryPlanner::stored_for(Expr* e, int rte) {
  auto renumber = [&](auto&& self, Expr* x) -> Expr* {
    if (x == nullptr) return nullptr;
    if (x->kind == ExprKind::variable) {
      auto* v = s_.arena.make<nodes::Variable>(*nodes::as<nodes::Variable>(x));
      v->rte = rte;
      return v;
    }
    return nodes::map_each_child(x, [&](Expr* c) { return self(self, c); }, s_.arena);
  };
  return fold_stored(renumber(renumber, e));
}

Expr* QueryPlanner::fold_stored(Expr* e) {
  if (e == nullptr || e->kind == ExprKind::constant || e->kind == ExprKind::variable) return e;
  return fold(nodes::map_each_child(e, [this](Expr* c) { return c == nullptr ? nullptr : fold_stored(c); }, s_.arena));
}

// An index that has every column wanted answers alone.
void QueryPlanner::make_index_only(IndexScan* scan, int rte, const catalog::IndexDescriptor& index) {
  if (!config::values::enable_indexonlyscan) return;
  for (AttrNumber c : used_[static_cast<std::size_t>(rte)]) {
    if (std::find(index.columns.begin(), index.columns.end(), c) == index.columns.end() || c == 0) return;
  }
  if (!q_->row_marks.empty() || q_->result_rte == rte) return;
  scan->kind = PlanKind::index_only_scan;
}

}  // namespace hathi::planner
