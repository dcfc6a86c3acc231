// Making expressions ready to plan: constants folded, outer variables turned into parameters, subqueries planned.

#include <algorithm>

#include "hathi/base/builtin_oids.h"
#include "hathi/base/stack.h"
#include "hathi/catalog/lookup.h"
#include "hathi/executor/executor.h"
#include "pull_up.h"
#include "query_planner.h"

namespace hathi::planner {

namespace {

using nodes::ExprKind;

bool is_constant(const Expr* e) { return e != nullptr && e->kind == ExprKind::constant; }

bool is_true(const Expr* e) { return is_constant(e) && !nodes::as<nodes::Constant>(e)->is_null && nodes::as<nodes::Constant>(e)->value.as_bool(); }
bool is_false_or_null(const Expr* e) {
  return is_constant(e) && (nodes::as<nodes::Constant>(e)->is_null || !nodes::as<nodes::Constant>(e)->value.as_bool());
}
bool is_false(const Expr* e) { return is_constant(e) && !nodes::as<nodes::Constant>(e)->is_null && !nodes::as<nodes::Constant>(e)->value.as_bool(); }

bool all_children_constant(Expr* e) {
  return !nodes::for_each_child(e, [](Expr* c) { return c != nullptr && !is_constant(c); });
}

// The function of a call that may be evaluated now when its arguments are constants; 0 for other nodes.
Oid foldable_function(const Expr* e) {
  switch (e->kind) {
    case ExprKind::function: return nodes::as<nodes::FunctionExpr>(e)->returns_set ? kInvalidOid : nodes::as<nodes::FunctionExpr>(e)->function;
    case ExprKind::op: return nodes::as<nodes::OpExpr>(e)->returns_set ? kInvalidOid : nodes::as<nodes::OpExpr>(e)->function;
    case ExprKind::distinct_op:
    case ExprKind::nullif_op: return nodes::as<nodes::OpExpr>(e)->function;
    case ExprKind::array_op: return nodes::as<nodes::ArrayOp>(e)->function;
    default: return kInvalidOid;
  }
}

bool folds_without_function(const Expr* e) {
  switch (e->kind) {
    case ExprKind::null_test:
    case ExprKind::boolean_test:
    case ExprKind::relabel:
    case ExprKind::array:
    case ExprKind::coalesce:
    case ExprKind::subscript: return true;
    default: return false;
  }
}

// Through text and back is immutable when both I/O functions are.
bool io_is_immutable(const nodes::CoerceIo* c) {
  const catalog::TypeInfo& from = catalog::type_info(nodes::type_of(c->arg));
  const catalog::TypeInfo& to = catalog::type_info(c->type);
  const catalog::FunctionInfo* out = catalog::find_function(from.output);
  const catalog::FunctionInfo* in = catalog::find_function(to.input);
  return out != nullptr && in != nullptr && out->volatility == 'i' && in->volatility == 'i';
}

}  // namespace

Expr* QueryPlanner::fold(Expr* e) {
  switch (e->kind) {
    case ExprKind::parameter: {
      auto* p = nodes::as<nodes::Parameter>(e);
      bool known = p->source == nodes::Parameter::Source::external && s_.parameters.plan_as_constants &&
                   static_cast<std::size_t>(p->number) <= s_.parameters.values.size();
      if (!known) return e;
      const ParameterValue& v = s_.parameters.values[static_cast<std::size_t>(p->number - 1)];
      if (v.type != p->type) return e;
      auto* c = nodes::make<nodes::Constant>(s_.arena, e->location);
      c->type = p->type;
      c->typmod = p->typmod;
      c->collation = p->collation;
      c->layout = catalog::type_info(p->type).layout;
      c->is_null = v.value.is_null;
      if (!c->is_null) c->value = copy_datum(v.value.value, c->layout, s_.arena);
      return c;
    }
    case ExprKind::boolean: {
      auto* b = nodes::as<nodes::BooleanExpr>(e);
      if (b->op == nodes::BooleanExpr::Op::not_op) {
        if (is_constant(b->args[0])) return executor::evaluate_to_constant(e, s_.arena);
        return e;
      }
      bool is_and = b->op == nodes::BooleanExpr::Op::and_op;
      List<Expr*> kept;
      bool saw_null = false;
      for (Expr* a : b->args) {
        if (is_constant(a) && nodes::as<nodes::Constant>(a)->is_null) { saw_null = true; continue; }
        if (is_and ? is_true(a) : is_false(a)) continue;
        if (is_and ? is_false(a) : is_true(a)) return make_bool(s_.arena, !is_and);
        bool same = a->kind == ExprKind::boolean && nodes::as<nodes::BooleanExpr>(a)->op == b->op;
        if (same) kept.append(s_.arena, nodes::as<nodes::BooleanExpr>(a)->args);
        else kept.push_back(s_.arena, a);
      }
      if (saw_null) kept.push_back(s_.arena, make_null(s_.arena, type_oid::bool_, -1, kInvalidOid));
      if (kept.empty()) return make_bool(s_.arena, is_and);
      if (kept.size() == 1) return kept[0];
      b->args = kept;
      return b;
    }
    case ExprKind::case_when: {
      auto* c = nodes::as<nodes::Case>(e);
      if (c->arg != nullptr) return e;
      List<nodes::CaseBranch*> kept;
      for (nodes::CaseBranch* branch : c->branches) {
        if (is_false_or_null(branch->condition)) continue;
        if (is_true(branch->condition)) {
          if (kept.empty()) return branch->result;
          c->otherwise = branch->result;
          c->branches = kept;
          return c;
        }
        kept.push_back(s_.arena, branch);
      }
      if (kept.empty()) return c->otherwise != nullptr ? c->otherwise : make_null(s_.arena, c->type, -1, c->collation);
      c->branches = kept;
      return c;
    }
    case ExprKind::collate: return nodes::as<nodes::Collate>(e)->arg;
    case ExprKind::coerce_io:
      if (is_constant(nodes::as<nodes::CoerceIo>(e)->arg) && io_is_immutable(nodes::as<nodes::CoerceIo>(e))) return executor::evaluate_to_constant(e, s_.arena);
      return e;
    default: break;
  }
  if (folds_without_function(e)) return all_children_constant(e) ? executor::evaluate_to_constant(e, s_.arena) : e;
  Oid function = foldable_function(e);
  if (!is_valid(function)) return e;
  const catalog::FunctionInfo* info = catalog::find_function(function);
  if (info == nullptr) return e;
  if (info->strict && e->kind != ExprKind::distinct_op && e->kind != ExprKind::nullif_op && e->kind != ExprKind::array_op) {
    bool any_null = nodes::for_each_child(e, [](Expr* c) { return is_constant(c) && nodes::as<nodes::Constant>(c)->is_null; });
    if (any_null) return make_null(s_.arena, nodes::type_of(e), nodes::typmod_of(e), nodes::collation_of(e));
  }
  if (info->volatility != 'i' || !all_children_constant(e)) return e;
  if (info->result == type_oid::record) return e;
  return executor::evaluate_to_constant(e, s_.arena);
}

// Parameters pass from an ancestor through every level below it: the ancestor's subplan call sets the slot.
int QueryPlanner::slot_for_ancestor(QueryPlanner&, QueryPlanner& child, Expr* e, Oid type) {
  for (const OuterParam& p : child.params_from_parent_) {
    Expr* known = p.variable != nullptr ? static_cast<Expr*>(p.variable) : p.other;
    if (nodes::equal(known, e)) return p.slot;
  }
  int slot = s_.new_exec_param(type);
  child.params_from_parent_.push_back({slot, e->kind == ExprKind::variable ? nodes::as<nodes::Variable>(e) : nullptr, e});
  return slot;
}

// A variable (or aggregate) of an outer query becomes an exec parameter; levels_up says of which.
Expr* QueryPlanner::outer_parameter(nodes::Variable* variable) {
  QueryPlanner* child = this;
  for (int up = 1; up < variable->levels_up; ++up) child = child->parent_;
  QueryPlanner& ancestor = *child->parent_;
  auto* local = s_.arena.make<nodes::Variable>(*variable);
  local->levels_up = 0;
  auto* p = nodes::make<nodes::Parameter>(s_.arena, variable->location);
  p->source = nodes::Parameter::Source::exec;
  p->type = variable->type;
  p->typmod = variable->typmod;
  p->collation = variable->collation;
  // A join's column stands for an expression of the ancestor's tables.
  p->number = slot_for_ancestor(ancestor, *child, ancestor.expand_join_variable(local), variable->type);
  return p;
}

// A column of a join range-table entry is an expression over the joined tables.
Expr* QueryPlanner::expand_join_variable(nodes::Variable* v) {
  if (v->rte <= 0 || static_cast<std::size_t>(v->rte) > q_->range_table.size()) return v;
  const nodes::RangeTableEntry* entry = q_->range_table[static_cast<std::size_t>(v->rte - 1)];
  if (entry->kind != nodes::RteKind::join) return v;
  if (v->column <= 0) {
    if (v->column == 0) return whole_join_row(v, *entry);
    return v;
  }
  Expr* e = nodes::copy(join_columns_[static_cast<std::size_t>(v->rte - 1)][static_cast<std::size_t>(v->column - 1)], s_.arena);
  return expand_join_variables(e);
}

Expr* QueryPlanner::expand_join_variables(Expr* e) {
  if (e == nullptr) return nullptr;
  if (e->kind == ExprKind::variable) {
    auto* v = nodes::as<nodes::Variable>(e);
    return v->levels_up == 0 ? expand_join_variable(v) : e;
  }
  return nodes::map_each_child(e, [this](Expr* c) { return expand_join_variables(c); }, s_.arena);
}

Expr* QueryPlanner::whole_join_row(nodes::Variable* v, const nodes::RangeTableEntry& entry) {
  auto* row = nodes::make<nodes::RowExpr>(s_.arena, v->location);
  row->type = v->type;
  const List<Expr*>& columns = join_columns_[static_cast<std::size_t>(v->rte - 1)];
  for (std::size_t i = 0; i < columns.size(); ++i) {
    row->args.push_back(s_.arena, expand_join_variables(nodes::copy(columns[i], s_.arena)));
    row->names.push_back(s_.arena, entry.column_names[i]);
  }
  return row;
}

Expr* QueryPlanner::prepare(Expr* e) { return e == nullptr ? nullptr : prepare_node(e); }

Expr* QueryPlanner::prepare_node(Expr* e) {
  if (e == nullptr) return nullptr;
  check_stack_depth();
  switch (e->kind) {
    case ExprKind::constant: return e;
    case ExprKind::variable: {
      auto* v = nodes::as<nodes::Variable>(e);
      if (v->levels_up > 0) return outer_parameter(v);
      Expr* expanded = expand_join_variable(v);
      return expanded == v ? v : prepare_node(expanded);
    }
    case ExprKind::aggregate:
      if (nodes::as<nodes::Aggregate>(e)->levels_up > 0) return outer_aggregate(nodes::as<nodes::Aggregate>(e));
      break;
    case ExprKind::sub_link: return plan_sub_link(nodes::as<nodes::SubLink>(e));
    case ExprKind::parameter: {
      auto* p = nodes::as<nodes::Parameter>(e);
      if (p->source != nodes::Parameter::Source::sub_link) break;
      auto* value = s_.arena.make<nodes::Parameter>(*p);
      value->source = nodes::Parameter::Source::exec;
      value->number = multi_assign_slot(p->number >> 16, p->number & 0xFFFF, p->type);
      return value;
    }
    default: break;
  }
  return fold(nodes::map_each_child(e, [this](Expr* c) { return prepare_node(c); }, s_.arena));
}

// An aggregate that belongs to an outer query: that query computes it, this one gets its value.
Expr* QueryPlanner::outer_aggregate(nodes::Aggregate* a) {
  QueryPlanner* child = this;
  for (int up = 1; up < a->levels_up; ++up) child = child->parent_;
  auto* local = nodes::as<nodes::Aggregate>(nodes::copy(static_cast<Expr*>(a), s_.arena));
  int up = local->levels_up;
  local->levels_up = 0;
  lower_levels(local, up);
  Expr* ready = child->parent_->prepare_node(local);
  auto* p = nodes::make<nodes::Parameter>(s_.arena, a->location);
  p->source = nodes::Parameter::Source::exec;
  p->type = a->type;
  p->collation = a->collation;
  p->number = slot_for_ancestor(*child->parent_, *child, ready, a->type);
  return p;
}

// Moves the variables inside an expression `by` levels outwards.
void QueryPlanner::lower_levels(Expr* e, int by) {
  nodes::for_each_child(e, [&](Expr* c) {
    if (c == nullptr) return false;
    if (c->kind == ExprKind::variable) nodes::as<nodes::Variable>(c)->levels_up -= by;
    else if (c->kind == ExprKind::aggregate) nodes::as<nodes::Aggregate>(c)->levels_up -= by;
    lower_levels(c, by);
    return false;
  });
}

namespace {

// ANY can be hashed when its comparisons are plain hashable equalities with the subquery's columns on the right.
bool is_hashable_test(const Expr* test) {
  if (test == nullptr) return false;
  if (test->kind == ExprKind::boolean) {
    const auto* b = nodes::as<nodes::BooleanExpr>(test);
    return b->op == nodes::BooleanExpr::Op::and_op && std::all_of(b->args.begin(), b->args.end(), [](const Expr* a) { return is_hashable_test(a); });
  }
  if (test->kind != ExprKind::op) return false;
  const auto* op = nodes::as<nodes::OpExpr>(test);
  const catalog::OperatorInfo* info = catalog::find_operator(op->op);
  return info != nullptr && info->can_hash && op->args.size() == 2;
}

// The Parameter(sub_link, n) of a test become exec parameters.
Expr* bind_test(Expr* e, const List<int>& slots, Arena& arena) {
  if (e == nullptr) return nullptr;
  if (e->kind == ExprKind::parameter && nodes::as<nodes::Parameter>(e)->source == nodes::Parameter::Source::sub_link) {
    auto* p = arena.make<nodes::Parameter>(*nodes::as<nodes::Parameter>(e));
    p->source = nodes::Parameter::Source::exec;
    p->number = slots[static_cast<std::size_t>(p->number - 1)];
    return p;
  }
  return nodes::map_each_child(e, [&](Expr* c) { return bind_test(c, slots, arena); }, arena);
}

}  // namespace

// UPDATE … SET (a, b) = (SELECT …): the slot of one output column, shared by the subplan that sets it and the column that takes it.
int QueryPlanner::multi_assign_slot(int link, int column, Oid type) {
  auto [it, is_new] = multi_assign_slots_.try_emplace((link << 16) | column, 0);
  if (is_new) it->second = s_.new_exec_param(type);
  return it->second;
}

Expr* QueryPlanner::plan_sub_link(nodes::SubLink* link) {
  using Type = nodes::SubLink::Type;
  Query* sub = nodes::copy(link->query, s_.arena);
  if (link->type == Type::exists) simplify_exists(sub);
  double saved_fraction = s_.tuple_fraction;
  s_.tuple_fraction = link->type == Type::exists ? 1 : 0;
  QueryPlanner child(s_, sub, this);
  Plan* plan = child.plan();
  s_.tuple_fraction = saved_fraction;

  auto* p = nodes::make<nodes::SubPlan>(s_.arena, link->location);
  p->type = link->type;
  p->result_type = link->type == Type::exists || link->type == Type::any || link->type == Type::all || link->type == Type::row_compare
                       ? type_oid::bool_
                       : link->result_type;
  p->result_typmod = link->result_typmod;
  p->collation = link->collation;
  s_.subplans.push_back(plan);
  p->plan = static_cast<int>(s_.subplans.size());
  for (const OuterParam& param : child.params_from_parent_) {
    p->param_slots.push_back(s_.arena, param.slot);
    p->args.push_back(s_.arena, prepare_node(nodes::copy(param.other, s_.arena)));
  }
  p->startup_cost = plan->startup_cost;
  p->per_call_cost = plan->total_cost;
  bool correlated = !p->param_slots.empty();
  if (link->test != nullptr) {
    for (const TargetEntry* t : plan->targets) {
      if (!t->junk) p->test_params.push_back(s_.arena, s_.new_exec_param(nodes::type_of(t->expr)));
    }
    p->test = prepare_node(bind_test(link->test, p->test_params, s_.arena));
  }
  if (link->type == Type::multi) {
    int column = 0;
    for (const TargetEntry* t : plan->targets) {
      if (!t->junk) p->set_params.push_back(s_.arena, multi_assign_slot(link->id, ++column, nodes::type_of(t->expr)));
    }
  }
  s_.subplan_links.push_back(p);
  // Uncorrelated subqueries that give one value run once.
  bool single = link->type == Type::exists || link->type == Type::scalar || link->type == Type::array;
  if (!correlated && single) {
    p->is_init_plan = true;
    int slot = s_.new_exec_param(p->result_type);
    p->set_params.push_back(s_.arena, slot);
    p->name = s_.arena.copy(fmt::format("InitPlan {} (returns ${})", p->plan, slot));
    init_plans_.push_back(p->plan);
    auto* value = nodes::make<nodes::Parameter>(s_.arena, link->location);
    value->source = nodes::Parameter::Source::exec;
    value->number = slot;
    value->type = p->result_type;
    value->typmod = p->result_typmod;
    value->collation = p->collation;
    return value;
  }
  p->name = s_.arena.copy(fmt::format("SubPlan {}", p->plan));
  p->use_hash = link->type == Type::any && !correlated && is_hashable_test(p->test);
  return p;
}

void QueryPlanner::note_used(Expr* e) {
  if (e == nullptr) return;
  if (e->kind == ExprKind::variable) {
    auto* v = nodes::as<nodes::Variable>(e);
    if (v->levels_up != 0 || v->rte <= 0) return;
    auto& columns = used_[static_cast<std::size_t>(v->rte)];
    if (std::find(columns.begin(), columns.end(), v->column) == columns.end()) columns.push_back(v->column);
    return;
  }
  nodes::for_each_child(e, [this](Expr* c) { note_used(c); return false; });
}

namespace {

RelationSet variables_in(const Expr* e) {
  RelationSet out;
  auto collect = [&](auto&& self, Expr* x) -> void {
    if (x == nullptr) return;
    if (x->kind == ExprKind::variable) {
      auto* v = nodes::as<nodes::Variable>(x);
      if (v->levels_up == 0 && v->rte > 0) out.add(v->rte);
      return;
    }
    if (x->kind == ExprKind::current_of) out.add(nodes::as<nodes::CurrentOf>(x)->rte);
    nodes::for_each_child(x, [&](Expr* c) { self(self, c); return false; });
  };
  collect(collect, const_cast<Expr*>(e));
  return out;
}

}  // namespace

RelationSet QueryPlanner::relations_of(const Expr* e) const { return variables_in(e); }

std::vector<Qual> QueryPlanner::split(Expr* condition) const {
  std::vector<Qual> out;
  auto add = [&](auto&& self, Expr* e) -> void {
    if (e == nullptr || is_true(e)) return;
    if (e->kind == ExprKind::boolean && nodes::as<nodes::BooleanExpr>(e)->op == nodes::BooleanExpr::Op::and_op) {
      for (Expr* a : nodes::as<nodes::BooleanExpr>(e)->args) self(self, a);
      return;
    }
    out.push_back({e, variables_in(e)});
  };
  add(add, condition);
  return out;
}

}  // namespace hathi::planner
