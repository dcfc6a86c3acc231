// Leaves of the plan: tables by scan or index, subqueries, functions, VALUES, CTEs.

#include <algorithm>
#include <cmath>

#include "hathi/base/builtin_oids.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/planner_settings.h"
#include "paths.h"
#include "query_planner.h"

namespace hathi::planner {

namespace {

using nodes::ExprKind;
using nodes::RteKind;

struct SystemColumn { AttrNumber number; Oid type; };
constexpr SystemColumn kSystemColumns[] = {{-1, type_oid::tid}, {-2, type_oid::xid}, {-3, type_oid::cid},
                                           {-4, type_oid::xid}, {-5, type_oid::cid}, {-6, type_oid::oid}};

bool mentions(const RelationSet& s, int rte) { return s.has(rte); }

// A condition of the form column op value, as an index sees it.
struct Match {
  IndexCondition* condition = nullptr;
  Expr* expr = nullptr;
};

}  // namespace

nodes::Variable* QueryPlanner::make_variable(int rte, AttrNumber column) {
  auto* v = nodes::make<nodes::Variable>(s_.arena);
  v->rte = rte;
  v->column = column;
  const nodes::RangeTableEntry& entry = *q_->range_table[static_cast<std::size_t>(rte - 1)];
  if (column < 0) {
    for (const SystemColumn& c : kSystemColumns) if (c.number == column) v->type = c.type;
  } else if (entry.kind == RteKind::relation) {
    const catalog::Relation& r = *relations_[static_cast<std::size_t>(rte - 1)];
    if (column == 0) {
      v->type = r.row_type;
    } else {
      const Attribute& a = (*r.descriptor)[column - 1];
      v->type = a.type;
      v->typmod = a.typmod;
      v->collation = a.collation;
    }
  } else if (column == 0) {
    v->type = type_oid::record;
  } else {
    auto i = static_cast<std::size_t>(column - 1);
    if (i < entry.types.size()) {
      v->type = entry.types[i];
      v->typmod = i < entry.typmods.size() ? entry.typmods[i] : -1;
      v->collation = i < entry.collations.size() ? entry.collations[i] : kInvalidOid;
    } else if (entry.kind == RteKind::subquery) {
      int n = 0;
      for (const TargetEntry* t : entry.subquery->targets) {
        if (t->junk || ++n != column) continue;
        v->type = nodes::type_of(t->expr);
        v->typmod = nodes::typmod_of(t->expr);
        v->collation = nodes::collation_of(t->expr);
      }
    }
  }
  v->source_rte = offset_ + rte;
  v->source_column = column;
  return v;
}

// Bytes of the columns on average, by statistics where there are some.
int QueryPlanner::target_width(const List<TargetEntry*>& targets) const {
  int width = 0;
  for (const TargetEntry* t : targets) {
    const Expr* e = t->expr;
    const catalog::Relation* table = nullptr;
    if (e->kind == ExprKind::variable) {
      const auto* v = nodes::as<nodes::Variable>(e);
      if (v->levels_up == 0 && v->rte > 0 && v->column != 0 && static_cast<std::size_t>(v->rte) <= relations_.size())
        table = relations_[static_cast<std::size_t>(v->rte - 1)].get();
      if (table != nullptr) width += column_width(*table, v->column);
    }
    if (table == nullptr) width += type_width(nodes::type_of(e), nodes::typmod_of(e));
  }
  return width;
}

void QueryPlanner::set_scan_targets(Plan* plan, int rte) {
  std::vector<AttrNumber> columns = used_[static_cast<std::size_t>(rte)];
  std::sort(columns.begin(), columns.end());
  int number = 1;
  for (AttrNumber c : columns) plan->targets.push_back(s_.arena, make_target(s_.arena, make_variable(rte, c), number++));
  plan->width = width_of(plan->targets);
}

RelPlan QueryPlanner::plan_relation(int rte, std::vector<Qual>& quals) {
  RelPlan out;
  out.relations.add(rte);
  const nodes::RangeTableEntry& entry = *q_->range_table[static_cast<std::size_t>(rte - 1)];
  std::vector<Expr*> conditions;
  RelationSet self = RelationSet::of(rte);
  for (Qual& q : quals) {
    if (q.placed || q.relations.empty() || !self.contains(q.relations)) continue;
    q.placed = true;
    conditions.push_back(q.expr);
  }
  if (entry.kind == RteKind::relation) {
    base_conditions_[rte] = conditions;
    out.plan = plan_table(rte, conditions, false);
    return out;
  }
  switch (entry.kind) {
    case RteKind::subquery: out.plan = plan_subquery_rte(rte, out); break;
    case RteKind::function: out.plan = plan_function_rte(rte, out); break;
    case RteKind::values: out.plan = plan_values_rte(rte, out); break;
    case RteKind::cte: out.plan = plan_cte_rte(rte); break;
    default: {
      auto* result = make_plan<Result>(s_.arena, PlanKind::result);
      result->rows = 1;
      out.plan = result;
    }
  }
  for (Expr* e : conditions) {
    out.plan->filter.push_back(s_.arena, e);
    out.plan->rows = std::max(1.0, out.plan->rows * selectivity(e, nullptr));
  }
  return out;
}

// --- tables -----------------------------------------------------------------------------------------------------------------------
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
  auto renumber = [&](auto&& self, Expr* e) -> Expr* {
    if (e == nullptr) return nullptr;
    if (e->kind == ExprKind::variable) {
      auto* v = s_.arena.make<nodes::Variable>(*nodes::as<nodes::Variable>(e));
      v->rte = rte;
      return v;
    }
    return nodes::map_each_child(e, [&](Expr* c) { return self(self, c); }, s_.arena);
  };
  for (Expr* e : index.expressions) out.push_back(s_.arena, fold_stored(renumber(renumber, e)));
  return out;
}

IndexCondition* QueryPlanner::match_condition(Expr* e, int rte, const catalog::IndexDescriptor& index, int position, const List<Expr*>& expressions) {
  auto i = static_cast<std::size_t>(position);
  auto free_of_table = [&](Expr* x) { return !mentions(relations_of(x), rte) && !contains_volatile(x); };
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

IndexScan* QueryPlanner::try_index(int rte, const catalog::IndexDescriptor& index, const std::vector<Expr*>& conditions) {
  if (index.access_method != kBTreeAccessMethod || !index.valid || !index.live) return nullptr;
  if (!predicate_holds(index, rte, conditions)) return nullptr;
  List<Expr*> expressions = index_expressions(index, rte);
  std::vector<bool> used(conditions.size());
  auto* scan = make_plan<IndexScan>(s_.arena, PlanKind::index_scan);
  std::vector<Expr*> used_conditions;
  int equal_columns = 0;
  for (int position = 0; position < index.key_count; ++position) {
    bool any = false, equal = false;
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      if (used[i] || contains_sub_plan_over(conditions[i], rte)) continue;
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

// The same by way of a bitmap: rows in the table's order, each page once.
BitmapHeapScan* QueryPlanner::bitmap_scan(const IndexScan& scan, int rte, const catalog::IndexDescriptor& index, const std::vector<Expr*>& conditions) {
  const catalog::Relation& r = *relations_[static_cast<std::size_t>(rte - 1)];
  auto* bitmap = make_plan<BitmapIndexScan>(s_.arena, PlanKind::bitmap_index_scan);
  bitmap->rte = rte;
  bitmap->index = index.oid;
  for (const IndexCondition* c : scan.conditions) bitmap->conditions.push_back(s_.arena, s_.arena.make<IndexCondition>(*c));
  auto* heap = make_plan<BitmapHeapScan>(s_.arena, PlanKind::bitmap_heap_scan);
  heap->rte = rte;
  heap->left = bitmap;
  for (Expr* e : scan.recheck) heap->recheck.push_back(s_.arena, e);
  for (Expr* e : scan.filter) heap->filter.push_back(s_.arena, e);
  std::vector<Expr*> used(scan.recheck.begin(), scan.recheck.end());
  cost_bitmap_scan(*heap, *bitmap, r, index, selectivity_of_all(used, &r));
  heap->rows = scan.rows;
  (void)conditions;
  return heap;
}

bool QueryPlanner::contains_sub_plan_over(Expr* e, int) { return contains_sub_plan(e); }

// A partial index serves when each part of its predicate is among the conditions.
bool QueryPlanner::predicate_holds(const catalog::IndexDescriptor& index, int rte, const std::vector<Expr*>& conditions) {
  for (Expr* part : index.predicate) {
    auto renumber = [&](auto&& self, Expr* e) -> Expr* {
      if (e == nullptr) return nullptr;
      if (e->kind == ExprKind::variable) {
        auto* v = s_.arena.make<nodes::Variable>(*nodes::as<nodes::Variable>(e));
        v->rte = rte;
        return v;
      }
      return nodes::map_each_child(e, [&](Expr* c) { return self(self, c); }, s_.arena);
    };
    Expr* wanted = fold_stored(renumber(renumber, part));
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

Plan* QueryPlanner::plan_table(int rte, const std::vector<Expr*>& conditions, bool need_index) {
  const catalog::Relation& r = *relations_[static_cast<std::size_t>(rte - 1)];
  const nodes::RangeTableEntry& entry = *q_->range_table[static_cast<std::size_t>(rte - 1)];
  bool is_tree = r.kind == catalog::relation_kind::partitioned_table && entry.inherit;
  Plan* best = is_tree ? plan_partitioned(rte, conditions, need_index) : plan_table_path(rte, conditions, need_index);
  if (best != nullptr) set_scan_targets(best, rte);
  return best;
}

// The cheapest way to read one table; for a partitioned one, to read a partition of average size.
Plan* QueryPlanner::plan_table_path(int rte, const std::vector<Expr*>& conditions, bool need_index) {
  const catalog::Relation& r = *relations_[static_cast<std::size_t>(rte - 1)];
  Plan* best = nullptr;
  if (Plan* by_tid = plan_tid_scan(rte, conditions)) {
    best = by_tid;
  } else if (config::values::enable_indexscan) {
    for (const catalog::IndexDescriptor* index : r.indexes) {
      IndexScan* scan = try_index(rte, *index, conditions);
      if (scan == nullptr) continue;
      if (best == nullptr || scan->total_cost < best->total_cost) {
        make_index_only(scan, rte, *index);
        best = scan;
      }
      if (scan->known_unique || scan->kind == PlanKind::index_only_scan || !config::values::enable_bitmapscan) continue;
      BitmapHeapScan* bitmap = bitmap_scan(*scan, rte, *index, conditions);
      if (bitmap->total_cost < best->total_cost) best = bitmap;
    }
  }
  if (need_index && (best == nullptr || best->kind == PlanKind::tid_scan)) return nullptr;
  auto* seq = make_plan<SeqScan>(s_.arena, PlanKind::seq_scan);
  seq->rte = rte;
  cost_seq_scan(*seq, scanned_size(r), static_cast<double>(conditions.size()));
  if (!config::values::enable_seqscan) seq->total_cost += 1e10;
  if (best == nullptr || (!need_index && seq->total_cost < best->total_cost && best->kind != PlanKind::tid_scan)) {
    for (Expr* e : conditions) seq->filter.push_back(s_.arena, e);
    seq->rows = std::max(1.0, std::rint(seq->rows * selectivity_of_all(conditions, &r)));
    best = seq;
  }
  return best;
}

Plan* QueryPlanner::plan_tid_scan(int rte, const std::vector<Expr*>& conditions) {
  constexpr Oid kTidEqual{387};
  auto* scan = make_plan<TidScan>(s_.arena, PlanKind::tid_scan);
  scan->rte = rte;
  auto is_ctid = [&](const Expr* e) {
    return e->kind == ExprKind::variable && nodes::as<nodes::Variable>(e)->rte == rte && nodes::as<nodes::Variable>(e)->column == -1;
  };
  for (Expr* e : conditions) {
    bool usable = false;
    if (scan->tids.empty() && e->kind == ExprKind::current_of) usable = true;
    if (scan->tids.empty() && e->kind == ExprKind::op && nodes::as<nodes::OpExpr>(e)->op == kTidEqual) {
      auto* op = nodes::as<nodes::OpExpr>(e);
      usable = (is_ctid(op->args[0]) && !relations_of(op->args[1]).has(rte)) || (is_ctid(op->args[1]) && !relations_of(op->args[0]).has(rte));
    }
    if (scan->tids.empty() && e->kind == ExprKind::array_op) {
      auto* a = nodes::as<nodes::ArrayOp>(e);
      usable = a->op == kTidEqual && a->use_or && is_ctid(a->scalar) && !relations_of(a->array).has(rte);
    }
    (usable ? scan->tids : scan->filter).push_back(s_.arena, e);
  }
  if (scan->tids.empty()) return nullptr;
  scan->rows = 1;
  scan->total_cost = 4;
  return scan;
}

// --- others -------------------------------------------------------------------------------------------------------------------------
Plan* QueryPlanner::plan_subquery_rte(int rte, RelPlan& out) {
  nodes::RangeTableEntry& entry = *q_->range_table[static_cast<std::size_t>(rte - 1)];
  double saved = s_.tuple_fraction;
  s_.tuple_fraction = 0;
  QueryPlanner child(s_, nodes::copy(entry.subquery, s_.arena), this);
  auto* scan = make_plan<SubqueryScan>(s_.arena, PlanKind::subquery_scan);
  scan->rte = rte;
  scan->subplan = child.plan();
  s_.tuple_fraction = saved;
  for (const OuterParam& p : child.params_from_parent_) note_lateral(rte, p.slot, p.other, out);
  scan->rows = scan->subplan->rows;
  scan->startup_cost = scan->subplan->startup_cost;
  scan->total_cost = scan->subplan->total_cost + scan->rows * 0.01;
  set_scan_targets(scan, rte);
  return scan;
}

// The item reads a value of another item of the same FROM.
void QueryPlanner::note_lateral(int rte, int slot, Expr* value, RelPlan& out) {
  Expr* ready = prepare_node(nodes::copy(value, s_.arena));
  lateral_params_.push_back({rte, slot, ready});
  note_used(ready);
  out.needs.add(relations_of(ready));
}

// Variables of other items in the expressions of a lateral item become parameters.
Expr* QueryPlanner::bind_outer_items(Expr* e, int rte, RelPlan& out) {
  if (e == nullptr) return nullptr;
  if (e->kind == ExprKind::variable && nodes::as<nodes::Variable>(e)->levels_up == 0) {
    auto* v = nodes::as<nodes::Variable>(e);
    int slot = -1;
    for (const LateralParam& p : lateral_params_) if (p.rte == rte && nodes::equal(p.value, v)) slot = p.slot;
    if (slot < 0) {
      slot = s_.new_exec_param(v->type);
      note_lateral(rte, slot, v, out);
    }
    auto* p = nodes::make<nodes::Parameter>(s_.arena, v->location);
    p->source = nodes::Parameter::Source::exec;
    p->number = slot;
    p->type = v->type;
    p->typmod = v->typmod;
    p->collation = v->collation;
    return p;
  }
  return nodes::map_each_child(e, [&](Expr* c) { return bind_outer_items(c, rte, out); }, s_.arena);
}

Plan* QueryPlanner::plan_function_rte(int rte, RelPlan& out) {
  nodes::RangeTableEntry& entry = *q_->range_table[static_cast<std::size_t>(rte - 1)];
  auto* scan = make_plan<FunctionScan>(s_.arena, PlanKind::function_scan);
  scan->rte = rte;
  scan->ordinality = entry.ordinality;
  double rows = 1;
  for (nodes::FunctionRte* f : entry.functions) {
    auto* copy = s_.arena.make<nodes::FunctionRte>(*f);
    copy->call = bind_outer_items(f->call, rte, out);
    scan->functions.push_back(s_.arena, copy);
    if (f->call != nullptr && f->call->kind == ExprKind::function) {
      const auto* call = nodes::as<nodes::FunctionExpr>(f->call);
      const catalog::FunctionInfo* info = catalog::find_function(call->function);
      if (call->returns_set && info != nullptr) rows = std::max(rows, info->rows);
    }
  }
  scan->rows = rows;
  scan->total_cost = rows * 0.01;
  set_scan_targets(scan, rte);
  return scan;
}

Plan* QueryPlanner::plan_values_rte(int rte, RelPlan& out) {
  nodes::RangeTableEntry& entry = *q_->range_table[static_cast<std::size_t>(rte - 1)];
  auto* scan = make_plan<ValuesScan>(s_.arena, PlanKind::values_scan);
  scan->rte = rte;
  for (const List<Expr*>& row : entry.values) {
    List<Expr*> bound;
    for (Expr* e : row) bound.push_back(s_.arena, entry.lateral ? bind_outer_items(e, rte, out) : e);
    scan->rows_of_values.push_back(s_.arena, bound);
  }
  scan->rows = entry.values.size();
  scan->total_cost = scan->rows * 0.0125;
  set_scan_targets(scan, rte);
  return scan;
}

}  // namespace hathi::planner
