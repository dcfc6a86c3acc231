// From the chosen path to plan nodes.

#include <algorithm>

#include "hathi/base/stack.h"
#include "hathi/catalog/lookup.h"
#include "paths.h"

namespace hathi::planner {

using nodes::ExprKind;
using nodes::JoinType;

namespace {

Oid hash_function_of(Oid op, bool left_side) {
  for (const catalog::FamilyMember& m : catalog::operator_families(op)) {
    if (m.method != kHashAccessMethod) continue;
    Oid type = left_side ? m.left : m.right;
    return catalog::family_function(m.family, type, type, 1);
  }
  return kInvalidOid;
}

}  // namespace

RelPlan JoinPlanner::build(const Path* path) {
  RelPlan out;
  out.plan = build_node(path);
  out.relations = path->relation->relations;
  out.needs = path->needs;
  return out;
}

Plan* JoinPlanner::build_node(const Path* path) {
  check_stack_depth();
  Plan* out = nullptr;
  switch (path->kind) {
    case PathKind::plan:
      out = path->plan;
      if (path->relation->is_dummy && out->targets.empty()) {
        set_dummy_targets(*path->relation, *out);
        return out;
      }
      if (path->relation->is_table && out->targets.empty()) {
        p_.set_scan_targets(out, path->relation->rte);
        out->width = path->relation->width;
      }
      return out;
    case PathKind::sort:
    case PathKind::incremental_sort: out = build_sort(path); break;
    case PathKind::materialize:
    case PathKind::memoize: {
      if (path->kind == PathKind::materialize) out = make_plan<Materialize>(s_.arena, PlanKind::materialize);
      else out = make_plan<Memoize>(s_.arena, PlanKind::memoize);
      out->left = build_node(path->left);
      out->targets = copy_targets(out->left->targets, s_.arena);
      out->width = out->left->width;
      break;
    }
    case PathKind::unique: out = build_unique(path); break;
    case PathKind::nest_loop: out = build_nest_loop(path); break;
    case PathKind::merge_join: out = build_merge_join(path); break;
    case PathKind::hash_join: out = build_hash_join(path); break;
  }
  out->startup_cost = path->startup;
  out->total_cost = path->total;
  out->rows = path->rows;
  return out;
}

void JoinPlanner::fill_join(Join* join, const Path* path) {
  join->type = path->type;
  join->inner_unique = path->inner_unique;
  for (Clause* c : path->conditions) join->conditions.push_back(s_.arena, c->expr);
  for (Clause* c : path->filters) join->filter.push_back(s_.arena, c->expr);
  bool one_sided = path->type == JoinType::semi || path->type == JoinType::anti;
  p_.make_join_targets(join, join->left, one_sided ? nullptr : (join->right->kind == PlanKind::hash ? join->right->left : join->right));
  join->width = path->relation->width;
}

// --- values from outside --------------------------------------------------------------------------------------------------------------
// Expressions over relations outside `own` become parameters, as large as they are: the relation they come from may have been made unique by the
// whole expression and give nothing else.
Expr* JoinPlanner::bind_outer(Expr* e, const RelationSet& own, List<NestLoopParam*>& params) {
  if (e == nullptr) return nullptr;
  bool is_outer = false;
  if (e->kind == ExprKind::variable) {
    const auto* v = nodes::as<nodes::Variable>(e);
    is_outer = v->levels_up == 0 && v->rte > 0 && !own.has(v->rte);
    if (!is_outer) return e;
  } else if (e->kind == ExprKind::op || e->kind == ExprKind::function || e->kind == ExprKind::relabel) {
    RelationSet used = p_.relations_of(e);
    is_outer = !used.empty() && !own.overlaps(used) && !contains_sub_plan(e) && !contains_volatile(e);
  }
  if (!is_outer) return nodes::map_each_child(e, [&](Expr* c) { return bind_outer(c, own, params); }, s_.arena);
  int slot = -1;
  for (NestLoopParam* p : params) if (nodes::equal(p->value, e)) slot = p->slot;
  if (slot < 0) {
    slot = s_.new_exec_param(nodes::type_of(e));
    auto* p = s_.arena.make<NestLoopParam>();
    p->slot = slot;
    p->value = e;
    params.push_back(s_.arena, p);
  }
  auto* p = nodes::make<nodes::Parameter>(s_.arena, e->location);
  p->source = nodes::Parameter::Source::exec;
  p->number = slot;
  p->type = nodes::type_of(e);
  p->typmod = nodes::typmod_of(e);
  p->collation = nodes::collation_of(e);
  return p;
}

void JoinPlanner::bind_plan(Plan* plan, const RelationSet& own, List<NestLoopParam*>& params) {
  auto bind = [&](Expr*& e) { e = bind_outer(e, own, params); };
  for (Expr*& e : plan->filter) bind(e);
  auto bind_conditions = [&](List<IndexCondition*>& list) {
    for (IndexCondition* c : list) {
      bind(c->argument);
      bind(c->original);
    }
  };
  switch (plan->kind) {
    case PlanKind::bitmap_heap_scan:
      for (Expr*& e : static_cast<BitmapHeapScan*>(plan)->recheck) bind(e);
      bind_plan(plan->left, own, params);
      return;
    case PlanKind::bitmap_and: for (Plan* p : static_cast<BitmapAnd*>(plan)->inputs) bind_plan(p, own, params); return;
    case PlanKind::bitmap_or: for (Plan* p : static_cast<BitmapOr*>(plan)->inputs) bind_plan(p, own, params); return;
    case PlanKind::bitmap_index_scan: bind_conditions(static_cast<BitmapIndexScan*>(plan)->conditions); return;
    case PlanKind::index_scan:
    case PlanKind::index_only_scan: break;
    default: return;
  }
  auto* scan = static_cast<IndexScan*>(plan);
  bind_conditions(scan->conditions);
  for (Expr*& e : scan->recheck) bind(e);
}

Plan* JoinPlanner::build_nest_loop(const Path* path) {
  auto* nest = make_plan<NestLoop>(s_.arena, PlanKind::nest_loop);
  nest->left = build_node(path->left);
  nest->right = build_node(path->right);
  const Path* source = path->right->kind == PathKind::memoize ? path->right->left : path->right;
  if (source->is_parameterized) {
    for (NestLoopParam* p : source->params) nest->params.push_back(s_.arena, p);
    if (source->params.empty()) bind_plan(source->plan, source->relation->relations, nest->params);
    if (path->right->kind == PathKind::memoize) {
      auto* m = static_cast<Memoize*>(nest->right);
      m->singlerow = path->right->inner_unique;
      for (std::size_t i = 0; i < path->right->memo_keys.size(); ++i) {
        m->keys.push_back(s_.arena, bind_outer(path->right->memo_keys[i], source->relation->relations, nest->params));
        m->hash_operators.push_back(s_.arena, path->right->memo_operators[i]);
        m->collations.push_back(s_.arena, nodes::collation_of(path->right->memo_keys[i]));
      }
    }
  }
  RelPlan inner;
  inner.relations = path->right->relation->relations;
  p_.bind_lateral(inner, *nest, path->left->relation->relations);
  fill_join(nest, path);
  return nest;
}

// The condition with the outer side on the left.
nodes::OpExpr* JoinPlanner::turned_to(const Clause& c, const RelationSet& outer) {
  if (outer.contains(c.left)) return c.op;
  const catalog::OperatorInfo& info = catalog::operator_info(c.op->op);
  auto* out = s_.arena.make<nodes::OpExpr>(*c.op);
  out->op = info.commutator;
  out->function = catalog::operator_info(info.commutator).function;
  out->args = {};   // not the other's array
  out->args.push_back(s_.arena, c.op->args[1]);
  out->args.push_back(s_.arena, c.op->args[0]);
  return out;
}

Plan* JoinPlanner::build_hash_join(const Path* path) {
  auto* join = make_plan<HashJoin>(s_.arena, PlanKind::hash_join);
  join->left = build_node(path->left);
  auto* hash = make_plan<Hash>(s_.arena, PlanKind::hash);
  hash->left = build_node(path->right);
  hash->targets = copy_targets(hash->left->targets, s_.arena);
  hash->rows = path->right->rows;
  hash->width = hash->left->width;
  hash->startup_cost = hash->total_cost = path->right->total;
  join->right = hash;
  for (const Clause* c : path->join_clauses) {
    nodes::OpExpr* op = turned_to(*c, path->left->relation->relations);
    join->clauses.push_back(s_.arena, op);
    join->outer_keys.push_back(s_.arena, op->args[0]);
    join->inner_keys.push_back(s_.arena, op->args[1]);
    join->equal_functions.push_back(s_.arena, op->function);
    join->outer_hash.push_back(s_.arena, hash_function_of(op->op, true));
    join->inner_hash.push_back(s_.arena, hash_function_of(op->op, false));
    join->collations.push_back(s_.arena, op->input_collation);
    hash->keys.push_back(s_.arena, op->args[1]);
  }
  fill_join(join, path);
  return join;
}

Plan* JoinPlanner::build_merge_join(const Path* path) {
  auto* join = make_plan<MergeJoin>(s_.arena, PlanKind::merge_join);
  join->left = build_node(path->left);
  join->right = build_node(path->right);
  for (std::size_t i = 0; i < path->join_clauses.size(); ++i) {
    nodes::OpExpr* op = turned_to(*path->join_clauses[i], path->left->relation->relations);
    const PathKey* key = path->merge_keys[i];
    auto* m = s_.arena.make<MergeClause>();
    m->outer = op->args[0];
    m->inner = op->args[1];
    const catalog::OperatorInfo& info = catalog::operator_info(op->op);
    m->comparison = catalog::family_function(key->family, info.left, info.right, 1);
    m->collation = op->input_collation;
    m->descending = key->descending;
    m->nulls_first = key->nulls_first;
    join->clauses.push_back(s_.arena, m);
    join->originals.push_back(s_.arena, op);
  }
  bool stops = path->type == JoinType::semi || path->type == JoinType::anti;
  join->skip_mark_restore = path->inner_unique || (stops && path->conditions.empty());
  fill_join(join, path);
  return join;
}

// --- sorts ----------------------------------------------------------------------------------------------------------------------------
// The member of the class that is an output column, else one that can be computed from them.
const EquivalenceMember* JoinPlanner::member_in(const EquivalenceClass& c, const List<TargetEntry*>& targets, const RelationSet& relations) const {
  for (const EquivalenceMember& m : c.members) {
    if (m.constant) continue;
    if (std::any_of(targets.begin(), targets.end(), [&](const TargetEntry* t) { return nodes::equal(t->expr, m.expr); })) return &m;
  }
  for (const EquivalenceMember& m : c.members) if (!m.constant && relations.contains(m.relations)) return &m;
  return nullptr;
}

// The position of an expression among a node's columns; the node computes it when it is not there.
int JoinPlanner::position_in(Plan*& plan, Expr* e) {
  for (const TargetEntry* t : plan->targets) if (nodes::equal(t->expr, e)) return t->number;
  List<TargetEntry*> targets = copy_targets(plan->targets, s_.arena);
  targets.push_back(s_.arena, make_target(s_.arena, e, static_cast<int>(targets.size()) + 1));
  plan = p_.project(plan, targets);
  return static_cast<int>(targets.size());
}

Plan* JoinPlanner::build_sort(const Path* path) {
  Sort* sort;
  if (path->kind == PathKind::sort) {
    sort = make_plan<Sort>(s_.arena, PlanKind::sort);
  } else {
    auto* incremental = make_plan<IncrementalSort>(s_.arena, PlanKind::incremental_sort);
    incremental->presorted = path->presorted;
    sort = incremental;
  }
  Plan* input = build_node(path->left);
  for (const PathKey* key : path->keys) {
    const EquivalenceMember* m = member_in(*key->of, input->targets, path->relation->visible);
    if (m == nullptr) throw SqlError(sqlstate::internal_error, "could not find pathkey item to sort");
    int position = position_in(input, m->expr);
    sort->keys.columns.push_back(s_.arena, static_cast<AttrNumber>(position));
    sort->keys.operators.push_back(s_.arena, catalog::family_operator(key->family, m->type, m->type, key->descending ? 5 : 1));
    sort->keys.collations.push_back(s_.arena, key->of->collation);
    sort->keys.nulls_first.push_back(s_.arena, key->nulls_first);
  }
  sort->left = input;
  sort->targets = copy_targets(input->targets, s_.arena);
  sort->width = input->width;
  return sort;
}

Plan* JoinPlanner::build_unique(const Path* path) {
  auto* agg = make_plan<Aggregate>(s_.arena, PlanKind::aggregate);
  agg->strategy = Aggregate::Strategy::hashed;
  Plan* input = build_node(path->left);
  for (std::size_t i = 0; i < path->memo_keys.size(); ++i) {
    Expr* e = path->memo_keys[i];
    agg->columns.push_back(s_.arena, static_cast<AttrNumber>(position_in(input, e)));
    agg->equal_operators.push_back(s_.arena, path->memo_operators[i]);
    agg->collations.push_back(s_.arena, nodes::collation_of(e));
    agg->targets.push_back(s_.arena, make_target(s_.arena, e, static_cast<int>(i) + 1));
  }
  agg->left = input;
  agg->group_count = path->rows;
  agg->width = width_of(agg->targets);
  return agg;
}

}  // namespace hathi::planner
