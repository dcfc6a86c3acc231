// The last step: variables become references to what a node's inputs deliver; nodes get numbers; parameters are traced.

#include <algorithm>
#include <set>

#include "hathi/base/stack.h"
#include "hathi/catalog/lookup.h"
#include "query_planner.h"

namespace hathi::planner {

namespace {

using nodes::ExprKind;

// Over which rows an expression of a node is evaluated.
enum class Over : std::uint8_t { inputs, outer, inner, none };

void each(List<Expr*>& list, Over over, const std::function<void(Expr*&, Over)>& f) {
  for (Expr*& e : list) f(e, over);
}

void each_target(List<TargetEntry*>& list, Over over, const std::function<void(Expr*&, Over)>& f) {
  for (TargetEntry* t : list) f(t->expr, over);
}

// Every expression a node owns, its children's aside.
void visit_expressions(Plan* p, const std::function<void(Expr*&, Over)>& f) {
  each_target(p->targets, Over::inputs, f);
  each(p->filter, Over::inputs, f);
  switch (p->kind) {
    case PlanKind::result: f(static_cast<Result*>(p)->constant_filter, Over::none); break;
    case PlanKind::index_scan:
    case PlanKind::index_only_scan:
      for (IndexCondition* c : static_cast<IndexScan*>(p)->conditions) { f(c->argument, Over::inputs); f(c->original, Over::inputs); }
      each(static_cast<IndexScan*>(p)->recheck, Over::inputs, f);
      break;
    case PlanKind::bitmap_index_scan:
      for (IndexCondition* c : static_cast<BitmapIndexScan*>(p)->conditions) { f(c->argument, Over::inputs); f(c->original, Over::inputs); }
      break;
    case PlanKind::bitmap_heap_scan: each(static_cast<BitmapHeapScan*>(p)->recheck, Over::inputs, f); break;
    case PlanKind::tid_scan:
      each(static_cast<TidScan*>(p)->tids, Over::inputs, f);
      each(static_cast<TidScan*>(p)->range, Over::inputs, f);
      break;
    case PlanKind::function_scan:
      for (nodes::FunctionRte* r : static_cast<FunctionScan*>(p)->functions) f(r->call, Over::inputs);
      break;
    case PlanKind::values_scan:
      for (List<Expr*>& row : static_cast<ValuesScan*>(p)->rows_of_values) each(row, Over::inputs, f);
      break;
    case PlanKind::sample_scan:
      each(static_cast<SampleScan*>(p)->sample->args, Over::inputs, f);
      f(static_cast<SampleScan*>(p)->sample->repeatable, Over::inputs);
      break;
    case PlanKind::partitioned_scan:
      each(static_cast<PartitionedScan*>(p)->conditions, Over::inputs, f);
      break;
    case PlanKind::nest_loop:
      each(static_cast<Join*>(p)->conditions, Over::inputs, f);
      for (NestLoopParam* n : static_cast<NestLoop*>(p)->params) f(n->value, Over::outer);
      break;
    case PlanKind::merge_join:
      each(static_cast<Join*>(p)->conditions, Over::inputs, f);
      each(static_cast<MergeJoin*>(p)->originals, Over::inputs, f);
      for (MergeClause* c : static_cast<MergeJoin*>(p)->clauses) { f(c->outer, Over::outer); f(c->inner, Over::inner); }
      break;
    case PlanKind::hash_join: {
      auto* j = static_cast<HashJoin*>(p);
      each(j->conditions, Over::inputs, f);
      each(j->clauses, Over::inputs, f);
      each(j->outer_keys, Over::outer, f);
      each(j->inner_keys, Over::inner, f);
      break;
    }
    case PlanKind::hash: each(static_cast<Hash*>(p)->keys, Over::outer, f); break;
    case PlanKind::memoize: each(static_cast<Memoize*>(p)->keys, Over::none, f); break;
    case PlanKind::aggregate:
      for (nodes::Aggregate*& a : static_cast<Aggregate*>(p)->aggregates) {
        Expr* e = a;
        f(e, Over::inputs);
        a = nodes::as<nodes::Aggregate>(e);
      }
      break;
    case PlanKind::window_aggregate: {
      auto* w = static_cast<WindowAggregate*>(p);
      for (nodes::WindowFunction*& x : w->functions) {
        Expr* e = x;
        f(e, Over::inputs);
        x = nodes::as<nodes::WindowFunction>(e);
      }
      f(w->window->start_offset, Over::none);
      f(w->window->end_offset, Over::none);
      break;
    }
    case PlanKind::limit:
      f(static_cast<Limit*>(p)->count, Over::none);
      f(static_cast<Limit*>(p)->offset, Over::none);
      break;
    default: break;
  }
}

// The nodes below; a subquery's plan is a level of its own.
std::vector<Plan*> children(Plan* p) {
  std::vector<Plan*> out;
  if (p->left != nullptr) out.push_back(p->left);
  if (p->right != nullptr) out.push_back(p->right);
  if (p->kind == PlanKind::append) for (Plan* c : static_cast<Append*>(p)->inputs) out.push_back(c);
  if (p->kind == PlanKind::merge_append) for (Plan* c : static_cast<MergeAppend*>(p)->inputs) out.push_back(c);
  if (p->kind == PlanKind::bitmap_and) for (Plan* c : static_cast<BitmapAnd*>(p)->inputs) out.push_back(c);
  if (p->kind == PlanKind::bitmap_or) for (Plan* c : static_cast<BitmapOr*>(p)->inputs) out.push_back(c);
  return out;
}

bool is_scan(PlanKind k) {
  switch (k) {
    case PlanKind::seq_scan:
    case PlanKind::sample_scan:
    case PlanKind::index_scan:
    case PlanKind::index_only_scan:
    case PlanKind::bitmap_index_scan:
    case PlanKind::bitmap_heap_scan:
    case PlanKind::tid_scan:
    case PlanKind::subquery_scan:
    case PlanKind::function_scan:
    case PlanKind::values_scan:
    case PlanKind::cte_scan:
    case PlanKind::work_table_scan:
    case PlanKind::partitioned_scan: return true;
    default: return false;
  }
}

class ReferenceSetter {
 public:
  ReferenceSetter(int offset, StatementContext& s) : offset_(offset), s_(s) {}

  void set(Plan* p) {
    check_stack_depth();
    if (p->kind == PlanKind::partitioned_scan) complete_template(static_cast<PartitionedScan*>(p));
    if (is_scan(p->kind)) set_scan(static_cast<Scan*>(p));
    else if (p->kind == PlanKind::modify_table) set_modify(static_cast<ModifyTable*>(p));
    else if (p->left != nullptr) set_upper(p);
    if (p->kind == PlanKind::append) set_append(p);
    for (Plan* c : children(p)) set(c);
  }

 private:
  // The nodes above refer to its columns already. What stays is for EXPLAIN: the table's name, or what the first input says.
  void set_append(Plan* p) {
    p->targets = copy_targets(p->targets, s_.arena);
    for (TargetEntry* t : p->targets) {
      auto* v = t->expr->kind == ExprKind::variable ? nodes::as<nodes::Variable>(t->expr) : nullptr;
      if (v != nullptr && v->rte <= 0) continue;
      if (v != nullptr && v->source_rte != kFromInput) {
        auto* flat = s_.arena.make<nodes::Variable>(*v);
        flat->source_rte = flat->rte = v->rte + offset_;
        t->expr = flat;
        continue;
      }
      Expr* e = t->expr;
      t->expr = reference(*t, nodes::kOuterVar, e);
    }
  }

  // What was asked of the scan since it was made is asked of its template too.
  void complete_template(PartitionedScan* p) {
    Plan* path = p->left;
    path->targets = copy_targets(p->targets, s_.arena);
    path->width = p->width;
    for (std::size_t i = p->conditions.size(); i < p->filter.size(); ++i) {
      path->filter.push_back(s_.arena, p->filter[i]);
      p->conditions.push_back(s_.arena, p->filter[i]);
    }
  }

  // Scans: flat range-table numbers; an index-only scan reads the index's columns.
  void set_scan(Scan* p) {
    std::span<const AttrNumber> index_columns;
    catalog::RelationRef index;
    if (p->kind == PlanKind::index_only_scan) {
      index = catalog::open_relation(static_cast<IndexScan*>(p)->index, locking::LockMode::none);
      index_columns = index->index->columns;
    }
    int own = p->rte;
    bool index_only = p->kind == PlanKind::index_only_scan;
    std::set<Expr**> keep;   // EXPLAIN shows conditions over the table
    if (index_only) {
      for (IndexCondition* c : static_cast<IndexScan*>(p)->conditions) keep.insert(&c->original);
    }
    visit_expressions(p, [&](Expr*& e, Over) {
      if (e == nullptr) return;
      bool table_columns = keep.contains(&e);
      e = map_variables(e, [&](nodes::Variable* v) -> Expr* {
        auto* out = s_.arena.make<nodes::Variable>(*v);
        out->source_rte = v->rte + offset_;
        out->source_column = v->column;
        out->rte = v->rte + offset_;
        if (index_only && !table_columns && v->rte == own && v->column > 0) {
          for (std::size_t i = 0; i < index_columns.size(); ++i) {
            if (index_columns[i] != v->column) continue;
            out->rte = nodes::kIndexVar;
            out->column = static_cast<AttrNumber>(i + 1);
            break;
          }
        }
        return out;
      });
    });
    p->rte += offset_;
  }

  void set_upper(Plan* p) {
    const List<TargetEntry*>& left = p->left->targets;
    static const List<TargetEntry*> none;
    const List<TargetEntry*>& right = p->right != nullptr ? (p->right->kind == PlanKind::hash ? p->right->targets : p->right->targets) : none;
    visit_expressions(p, [&](Expr*& e, Over over) {
      if (e == nullptr) return;
      if (over == Over::outer) e = refer(e, &left, nullptr);
      else if (over == Over::inner) e = refer(e, nullptr, &right);
      else e = refer(e, &left, p->right != nullptr ? &right : nullptr);
    });
  }

  // RETURNING reads the target's row by its range-table number, other tables from the input.
  void set_modify(ModifyTable* p) {
    int target = p->rte;
    int excluded = p->on_conflict != nullptr ? p->on_conflict->excluded_rte : 0;
    auto fix = [&](Expr* e) -> Expr* {
      return map_variables(e, [&](nodes::Variable* v) -> Expr* {
        auto* out = s_.arena.make<nodes::Variable>(*v);
        out->source_rte = v->rte + offset_;
        out->source_column = v->column;
        if (v->rte == target || v->rte == excluded) {
          out->rte = v->rte + offset_;
          return out;
        }
        return refer(v, &p->left->targets, nullptr);
      });
    };
    for (TargetEntry* t : p->returning) t->expr = fix(t->expr);
    for (nodes::WithCheck* w : p->with_checks) w->condition = fix(w->condition);
    if (p->on_conflict != nullptr) {
      for (TargetEntry* t : p->on_conflict->set) t->expr = fix(t->expr);
      if (p->on_conflict->where != nullptr) p->on_conflict->where = fix(p->on_conflict->where);
      if (p->on_conflict->excluded_rte != 0) p->on_conflict->excluded_rte += offset_;
    }
    p->targets = p->returning;
    p->rte += offset_;
  }

  template <class F>
  Expr* map_variables(Expr* e, F&& change) {
    if (e == nullptr) return nullptr;
    if (e->kind == ExprKind::variable && nodes::as<nodes::Variable>(e)->rte > 0) return change(nodes::as<nodes::Variable>(e));
    if (e->kind == ExprKind::current_of) {
      auto* c = s_.arena.make<nodes::CurrentOf>(*nodes::as<nodes::CurrentOf>(e));
      c->rte += offset_;
      return c;
    }
    return nodes::map_each_child(e, [&](Expr* c) { return map_variables(c, change); }, s_.arena);
  }

  Expr* reference(const TargetEntry& t, int side, const Expr* e) {
    auto* v = nodes::make<nodes::Variable>(s_.arena, e->location);
    v->rte = side;
    v->column = t.number;
    v->type = nodes::type_of(e);
    v->typmod = nodes::typmod_of(e);
    v->collation = nodes::collation_of(e);
    if (e->kind == ExprKind::variable) {
      const auto* from = nodes::as<nodes::Variable>(e);
      v->source_rte = from->rte > 0 ? from->rte + offset_ : from->source_rte;
      v->source_column = from->rte > 0 ? from->column : from->source_column;
    }
    return v;
  }

  static const TargetEntry* find(const List<TargetEntry*>* targets, const Expr* e) {
    if (targets == nullptr) return nullptr;
    for (const TargetEntry* t : *targets) {
      if (t->expr == e) return t;
    }
    for (const TargetEntry* t : *targets) {
      if (t->expr->kind != e->kind) continue;
      if (e->kind == ExprKind::variable) {
        const auto* a = nodes::as<nodes::Variable>(t->expr);
        const auto* b = nodes::as<nodes::Variable>(e);
        if (a->rte == b->rte && a->column == b->column && a->levels_up == b->levels_up) return t;
      } else if (nodes::equal(t->expr, e)) {
        return t;
      }
    }
    return nullptr;
  }

  // Replaces what the inputs deliver, biggest expressions first.
  Expr* refer(Expr* e, const List<TargetEntry*>* left, const List<TargetEntry*>* right) {
    if (e == nullptr) return nullptr;
    check_stack_depth();
    if (e->kind == ExprKind::constant || e->kind == ExprKind::parameter) return e;
    if (e->kind == ExprKind::variable && nodes::as<nodes::Variable>(e)->rte <= 0) return e;   // already a reference
    if (const TargetEntry* t = find(left, e)) return reference(*t, nodes::kOuterVar, e);
    if (const TargetEntry* t = find(right, e)) return reference(*t, nodes::kInnerVar, e);
    if (e->kind == ExprKind::variable) throw SqlError(sqlstate::internal_error, "variable not found in subplan target list");
    return nodes::map_each_child(e, [&](Expr* c) { return refer(c, left, right); }, s_.arena);
  }

  int offset_;
  StatementContext& s_;
};

// --- parameters ---------------------------------------------------------------------------------------------------------------------
class ParameterTracer {
 public:
  ParameterTracer(PlannedStatement& statement, Arena& arena) : statement_(statement), arena_(arena) {}

  // The exec parameters a subtree takes from outside.
  std::set<int> trace(Plan* p) {
    check_stack_depth();
    p->id = next_id_++;
    if (p->kind == PlanKind::partitioned_scan) {
      static_cast<PartitionedScan*>(p)->number = static_cast<int>(partitioned_scans_.size());
      partitioned_scans_.push_back(static_cast<PartitionedScan*>(p));
    }
    std::set<int> used;
    visit_expressions(p, [&](Expr*& e, Over) { add(e, used); });
    if (p->kind == PlanKind::modify_table) {
      auto* m = static_cast<ModifyTable*>(p);
      for (TargetEntry* t : m->returning) add(t->expr, used);
      for (nodes::WithCheck* w : m->with_checks) add(w->condition, used);
      if (m->on_conflict != nullptr) {
        for (TargetEntry* t : m->on_conflict->set) add(t->expr, used);
        add(m->on_conflict->where, used);
      }
    }
    if (p->kind == PlanKind::subquery_scan) merge(used, trace(static_cast<SubqueryScan*>(p)->subplan));
    if (p->kind == PlanKind::work_table_scan) used.insert(static_cast<WorkTableScan*>(p)->work_param);
    if (p->kind == PlanKind::cte_scan) merge(used, of_subplan(static_cast<CteScan*>(p)->plan));
    for (Plan* c : children(p)) {
      std::set<int> below = trace(c);
      if (p->kind == PlanKind::nest_loop && c == p->right) {
        for (NestLoopParam* n : static_cast<NestLoop*>(p)->params) below.erase(n->slot);
      }
      if (p->kind == PlanKind::recursive_union) below.erase(static_cast<RecursiveUnion*>(p)->work_param);
      merge(used, below);
    }
    for (int n : p->init_plans) {
      merge(used, of_subplan(n));
      for (int slot : statement_.subplan_links[static_cast<std::size_t>(n - 1)]->set_params) used.erase(slot);
    }
    p->parameters.clear();
    for (int slot : used) p->parameters.push_back(arena_, slot);
    return used;
  }

  const std::set<int>& of_subplan(int number) {
    auto it = subplans_.find(number);
    if (it != subplans_.end()) return it->second;
    subplans_[number] = {};
    std::set<int> used = trace(statement_.subplans[static_cast<std::size_t>(number - 1)]);
    return subplans_[number] = used;
  }

  int count() const { return next_id_; }
  const std::vector<const PartitionedScan*>& partitioned_scans() const { return partitioned_scans_; }

 private:
  static void merge(std::set<int>& into, const std::set<int>& from) { into.insert(from.begin(), from.end()); }

  void add(Expr* e, std::set<int>& used) {
    if (e == nullptr) return;
    if (e->kind == ExprKind::parameter) {
      auto* p = nodes::as<nodes::Parameter>(e);
      if (p->source == nodes::Parameter::Source::exec) used.insert(p->number);
      return;
    }
    if (e->kind == ExprKind::sub_plan) {
      auto* s = nodes::as<nodes::SubPlan>(e);
      std::set<int> below = of_subplan(s->plan);
      for (int slot : s->param_slots) below.erase(slot);
      merge(used, below);
      std::set<int> test;
      add(s->test, test);
      for (int slot : s->test_params) test.erase(slot);
      merge(used, test);
      for (Expr* a : s->args) add(a, used);
      return;
    }
    nodes::for_each_child(e, [&](Expr* c) { add(c, used); return false; });
  }

  PlannedStatement& statement_;
  Arena& arena_;
  int next_id_ = 0;
  std::vector<const PartitionedScan*> partitioned_scans_;
  std::map<int, std::set<int>> subplans_;
};

// A subquery scan that hands on what it gets is not needed, nor an Append of one.
bool is_trivial(const Plan* p) {
  if (p->kind == PlanKind::append) return static_cast<const Append*>(p)->inputs.size() == 1;
  if (p->kind != PlanKind::subquery_scan || !p->filter.empty()) return false;
  const auto* s = static_cast<const SubqueryScan*>(p);
  if (s->targets.size() != s->subplan->targets.size() || s->subplan->targets.empty()) return false;
  for (std::size_t i = 0; i < s->targets.size(); ++i) {
    const Expr* e = s->targets[i]->expr;
    if (e->kind != ExprKind::variable) return false;
    const auto* v = nodes::as<nodes::Variable>(e);
    if (v->rte != s->rte || v->column != static_cast<AttrNumber>(i + 1) || s->subplan->targets[i]->junk) return false;
  }
  return true;
}

}  // namespace

void remove_trivial_scans(Plan*& p, Arena& arena) {
  check_stack_depth();
  while (is_trivial(p)) {
    Plan* below = p->kind == PlanKind::append ? static_cast<Append*>(p)->inputs[0] : static_cast<SubqueryScan*>(p)->subplan;
    for (std::size_t i = 0; i < p->targets.size(); ++i) {
      TargetEntry* to = below->targets[i];
      to->name = p->targets[i]->name;
      to->sort_group_ref = p->targets[i]->sort_group_ref;
      to->junk = p->targets[i]->junk;
    }
    for (int n : p->init_plans) below->init_plans.push_back(arena, n);
    p = below;
  }
  if (p->kind == PlanKind::subquery_scan) remove_trivial_scans(static_cast<SubqueryScan*>(p)->subplan, arena);
  if (p->left != nullptr) remove_trivial_scans(p->left, arena);
  if (p->right != nullptr) remove_trivial_scans(p->right, arena);
  if (p->kind == PlanKind::append) for (Plan*& c : static_cast<Append*>(p)->inputs) remove_trivial_scans(c, arena);
  if (p->kind == PlanKind::merge_append) for (Plan*& c : static_cast<MergeAppend*>(p)->inputs) remove_trivial_scans(c, arena);
}

void set_references(Plan* plan, int offset, StatementContext& s, const Query*) { ReferenceSetter(offset, s).set(plan); }

void number_plan(Plan* plan, int& next_id) {
  plan->id = next_id++;
  for (Plan* c : children(plan)) number_plan(c, next_id);
}

void finish_plan(PlannedStatement& statement, StatementContext& s) {
  ParameterTracer tracer(statement, s.arena);
  tracer.trace(statement.plan);
  for (int n = 1; n <= static_cast<int>(statement.subplans.size()); ++n) tracer.of_subplan(n);
  statement.plan_count = tracer.count();
  std::size_t n = tracer.partitioned_scans().size();
  auto** scans = s.arena.make_array<const PartitionedScan*>(n);
  std::copy(tracer.partitioned_scans().begin(), tracer.partitioned_scans().end(), scans);
  statement.partitioned_scans = {scans, n};
}

}  // namespace hathi::planner
