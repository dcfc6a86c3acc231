// Conditions on a partition key, compiled.

#include "hathi/base/builtin_oids.h"
#include "hathi/base/stack.h"
#include "hathi/catalog/lookup.h"
#include "hathi/nodes/visit.h"
#include "hathi/partition/prune.h"
#include "hathi/partition/route.h"

namespace hathi::partition {

namespace {

using nodes::Expr;
using nodes::ExprKind;

constexpr std::int16_t kEqual = 3;

Oid function_of(const Expr* e) {
  switch (e->kind) {
    case ExprKind::function: return nodes::as<nodes::FunctionExpr>(e)->function;
    case ExprKind::op: case ExprKind::distinct_op: case ExprKind::nullif_op: return nodes::as<nodes::OpExpr>(e)->function;
    case ExprKind::array_op: return nodes::as<nodes::ArrayOp>(e)->function;
    default: return kInvalidOid;
  }
}

void raise(Known& known, Known to) { if (known < to) known = to; }

bool trace_known(const Expr* e, Known& known) {
  if (e == nullptr) return true;
  check_stack_depth();
  switch (e->kind) {
    case ExprKind::variable: case ExprKind::sub_link: case ExprKind::sub_plan: case ExprKind::next_value: case ExprKind::aggregate:
    case ExprKind::window_function: case ExprKind::grouping: case ExprKind::current_of: case ExprKind::set_default:
      return false;
    case ExprKind::parameter:
      switch (nodes::as<nodes::Parameter>(e)->source) {
        case nodes::Parameter::Source::external: raise(known, Known::bound); return true;
        case nodes::Parameter::Source::exec: raise(known, Known::running); return true;
        default: return false;
      }
    case ExprKind::sql_value: raise(known, Known::started); break;
    case ExprKind::coerce_io: case ExprKind::array_coerce: case ExprKind::coerce_domain: raise(known, Known::started); break;   // may be stable
    default:
      if (Oid f = function_of(e); is_valid(f)) {
        const catalog::FunctionInfo* info = catalog::find_function(f);
        if (info == nullptr || info->volatility == 'v') return false;
        if (info->volatility == 's') raise(known, Known::started);
      }
  }
  return !nodes::for_each_child(const_cast<Expr*>(e), [&](Expr* c) { return !trace_known(c, known); });
}

class Compiler {
 public:
  Compiler(const PartitionKey& key, int rte, Arena& arena) : key_(key), arena_(arena) {
    for (const KeyColumn& c : key.columns) key_exprs_.push_back(arena_, c.expr == nullptr ? nullptr : renumber(c.expr, rte));
    rte_ = rte;
  }

  const PruneGroup* group_of(std::span<Expr* const> conditions) {
    Building b;
    for (Expr* e : conditions) add(e, b);
    auto* out = arena_.make<PruneGroup>();
    finish(b, *out);
    return is_useless(*out) ? nullptr : out;
  }

  std::span<const PruneArgument> arguments() const { return {arguments_.begin(), arguments_.size()}; }

 private:
  struct Building {
    List<PruneClause> clauses;
    List<std::span<const PruneGroup>> alternatives;
    bool never = false;
  };

  static bool is_useless(const PruneGroup& g) { return g.clauses.empty() && g.alternatives.empty() && !g.never; }

  void finish(Building& b, PruneGroup& out) {
    out.clauses = {b.clauses.begin(), b.clauses.size()};
    out.alternatives = {b.alternatives.begin(), b.alternatives.size()};
    out.never = b.never;
  }

  const Expr* renumber(const Expr* e, int rte) {
    if (e == nullptr) return nullptr;
    if (e->kind == ExprKind::variable) {
      auto* v = arena_.make<nodes::Variable>(*nodes::as<nodes::Variable>(e));
      v->rte = rte;
      return v;
    }
    return nodes::map_each_child(e, [&](Expr* c) { return const_cast<Expr*>(renumber(c, rte)); }, arena_);
  }

  // Which key column the expression is, or -1.
  int key_of(const Expr* e) const {
    while (e != nullptr && e->kind == ExprKind::relabel) e = nodes::as<nodes::Relabel>(e)->arg;
    if (e == nullptr) return -1;
    for (std::size_t i = 0; i < key_.columns.size(); ++i) {
      if (key_exprs_[i] != nullptr) {
        if (nodes::equal(e, key_exprs_[i])) return static_cast<int>(i);
      } else if (e->kind == ExprKind::variable) {
        const auto* v = nodes::as<nodes::Variable>(e);
        if (v->rte == rte_ && v->column == key_.columns[i].column && v->levels_up == 0) return static_cast<int>(i);
      }
    }
    return -1;
  }

  const catalog::FamilyMember* member_of(Oid op, int key) const {
    for (const catalog::FamilyMember& m : catalog::operator_families(op)) {
      if (m.family == key_.columns[static_cast<std::size_t>(key)].operator_family) return &m;
    }
    return nullptr;
  }

  // Comparison and hash functions for the operator's right type. False: the family has none.
  bool resolve(PruneClause& c, const catalog::FamilyMember& m) {
    const KeyColumn& k = key_.columns[static_cast<std::size_t>(c.key)];
    if (key_.strategy == Strategy::hash) {
      if (m.strategy != 1) return false;
      Oid f = m.left == m.right ? k.support : catalog::family_function(k.operator_family, m.right, m.right, 2);
      if (!is_valid(f)) return false;
      c.hash = resolve_hash(f, k.collation);
      c.strategy = kEqual;
      return true;
    }
    Oid f = m.left == m.right ? k.support : catalog::family_function(k.operator_family, m.left, m.right, 1);
    if (!is_valid(f)) return false;
    c.comparison = prepare_comparison(f, k.collation);
    c.strategy = static_cast<std::int16_t>(m.strategy);
    return true;
  }

  bool set_argument(PruneClause& c, const Expr* e) {
    Known known = Known::planned;
    if (!known_from(e, known)) return false;
    if (e->kind == ExprKind::constant) {
      const auto* k = nodes::as<nodes::Constant>(e);
      c.constant = {k->value, k->is_null};
      return true;
    }
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (!nodes::equal(arguments_[i].expr, e)) continue;
      c.argument = static_cast<int>(i);
      return true;
    }
    c.argument = static_cast<int>(arguments_.size());
    arguments_.push_back(arena_, {e, known});
    return true;
  }

  bool collation_fits(int key, Oid collation) const {
    Oid wanted = key_.columns[static_cast<std::size_t>(key)].collation;
    return !is_valid(wanted) || wanted == collation;
  }

  void add_op(const nodes::OpExpr* op, Building& b) {
    if (op->args.size() != 2) return;
    Oid oid = op->op;
    int key = key_of(op->args[0]);
    const Expr* argument = op->args[1];
    if (key < 0) {
      key = key_of(op->args[1]);
      argument = op->args[0];
      oid = catalog::operator_info(oid).commutator;
    }
    if (key < 0 || !is_valid(oid) || !collation_fits(key, op->input_collation)) return;
    PruneClause c;
    c.key = static_cast<std::int16_t>(key);
    const catalog::FamilyMember* m = member_of(oid, key);
    if (m == nullptr) {   // <>: of use for lists only
      Oid equal = catalog::operator_info(oid).negator;
      m = key_.strategy == Strategy::list && is_valid(equal) ? member_of(equal, key) : nullptr;
      if (m == nullptr || m->strategy != kEqual) return;
      c.kind = PruneClause::Kind::not_equal;
    }
    if (!resolve(c, *m) || !set_argument(c, argument)) return;
    b.clauses.push_back(arena_, c);
  }

  void add_array_op(const nodes::ArrayOp* a, Building& b) {
    int key = key_of(a->scalar);
    if (key < 0 || !collation_fits(key, a->input_collation)) return;
    PruneClause c;
    c.key = static_cast<std::int16_t>(key);
    const catalog::FamilyMember* m = member_of(a->op, key);
    if (a->use_or) {
      if (m == nullptr) return;
      c.kind = PruneClause::Kind::any_of;
    } else {
      Oid equal = m == nullptr ? catalog::operator_info(a->op).negator : kInvalidOid;
      m = key_.strategy == Strategy::list && is_valid(equal) ? member_of(equal, key) : nullptr;
      if (m == nullptr || m->strategy != kEqual) return;
      c.kind = PruneClause::Kind::none_of;
    }
    if (!resolve(c, *m)) return;
    Oid array = catalog::base_type(nodes::type_of(a->array));
    Oid element = catalog::type_info(array).element;
    if (!is_valid(element)) return;
    c.element = catalog::type_info(element).layout;
    if (a->array->kind == ExprKind::array) {
      add_array_items(nodes::as<nodes::ArrayExpr>(a->array), c, b);
      return;
    }
    if (set_argument(c, a->array)) b.clauses.push_back(arena_, c);
  }

  // IN ($1, $2): each item is a value of its own.
  void add_array_items(const nodes::ArrayExpr* items, PruneClause c, Building& b) {
    if (items->multi_dimensional) return;
    bool any = c.kind == PruneClause::Kind::any_of;
    auto* groups = arena_.make_array<PruneGroup>(items->elements.size());
    std::size_t n = 0;
    for (const Expr* e : items->elements) {
      PruneClause one = c;
      one.kind = any ? PruneClause::Kind::compare : PruneClause::Kind::not_equal;
      if (!set_argument(one, e)) {
        if (any) return;
        continue;
      }
      if (!any) {
        b.clauses.push_back(arena_, one);
        continue;
      }
      auto* clause = static_cast<PruneClause*>(arena_.allocate(sizeof(PruneClause), alignof(PruneClause)));
      groups[n++].clauses = {new (clause) PruneClause(one), 1};
    }
    if (any) b.alternatives.push_back(arena_, {groups, n});
  }

  void add_boolean(int key, bool value, Building& b) {
    const KeyColumn& k = key_.columns[static_cast<std::size_t>(key)];
    if (k.type != type_oid::bool_) return;
    PruneClause c;
    c.key = static_cast<std::int16_t>(key);
    c.constant = {Datum::of(value), false};
    if (key_.strategy == Strategy::hash) c.hash = resolve_hash(k.support, k.collation);
    else c.comparison = prepare_comparison(k.support, k.collation);
    b.clauses.push_back(arena_, c);
  }

  void add_null_test(int key, bool is_null, Building& b) {
    PruneClause c;
    c.key = static_cast<std::int16_t>(key);
    c.kind = is_null ? PruneClause::Kind::is_null : PruneClause::Kind::is_not_null;
    b.clauses.push_back(arena_, c);
  }

  // value, or NULL too.
  void add_boolean_or_null(int key, bool value, Building& b) {
    Building with_value, with_null;
    add_boolean(key, value, with_value);
    if (with_value.clauses.empty()) return;
    add_null_test(key, true, with_null);
    auto* groups = arena_.make_array<PruneGroup>(2);
    finish(with_value, groups[0]);
    finish(with_null, groups[1]);
    b.alternatives.push_back(arena_, {groups, 2});
  }

  void add_boolean_test(const nodes::BooleanTest* t, Building& b) {
    int key = key_of(t->arg);
    if (key < 0) return;
    switch (t->op) {
      case nodes::BooleanTest::Op::is_true: add_boolean(key, true, b); break;
      case nodes::BooleanTest::Op::is_false: add_boolean(key, false, b); break;
      case nodes::BooleanTest::Op::is_not_true: add_boolean_or_null(key, false, b); break;
      case nodes::BooleanTest::Op::is_not_false: add_boolean_or_null(key, true, b); break;
      case nodes::BooleanTest::Op::is_unknown: add_null_test(key, true, b); break;
      case nodes::BooleanTest::Op::is_not_unknown: add_null_test(key, false, b); break;
    }
  }

  void add_or(const nodes::BooleanExpr* e, Building& b) {
    auto* groups = arena_.make_array<PruneGroup>(e->args.size());
    std::size_t n = 0;
    for (Expr* arm : e->args) {
      Building one;
      add(arm, one);
      finish(one, groups[n]);
      if (is_useless(groups[n])) return;   // this arm may be true anywhere
      ++n;
    }
    b.alternatives.push_back(arena_, {groups, n});
  }

  void add(Expr* e, Building& b) {
    check_stack_depth();
    switch (e->kind) {
      case ExprKind::constant: {
        const auto* c = nodes::as<nodes::Constant>(e);
        if (c->is_null || !c->value.as_bool()) b.never = true;
        break;
      }
      case ExprKind::op: add_op(nodes::as<nodes::OpExpr>(e), b); break;
      case ExprKind::array_op: add_array_op(nodes::as<nodes::ArrayOp>(e), b); break;
      case ExprKind::boolean: {
        const auto* x = nodes::as<nodes::BooleanExpr>(e);
        if (x->op == nodes::BooleanExpr::Op::and_op) for (Expr* arm : x->args) add(arm, b);
        else if (x->op == nodes::BooleanExpr::Op::or_op) add_or(x, b);
        else if (int key = key_of(x->args[0]); key >= 0) add_boolean(key, false, b);
        break;
      }
      case ExprKind::null_test: {
        const auto* t = nodes::as<nodes::NullTest>(e);
        int key = t->arg_is_row ? -1 : key_of(t->arg);
        if (key >= 0) add_null_test(key, t->is_null, b);
        break;
      }
      case ExprKind::boolean_test: add_boolean_test(nodes::as<nodes::BooleanTest>(e), b); break;
      default:
        if (int key = key_of(e); key >= 0) add_boolean(key, true, b);
    }
  }

  const PartitionKey& key_;
  Arena& arena_;
  int rte_ = 0;
  List<const Expr*> key_exprs_;
  List<PruneArgument> arguments_;
};

}  // namespace

bool known_from(const nodes::Expr* e, Known& known) {
  known = Known::planned;
  return trace_known(e, known);
}

PruneSteps compile_prune(const PartitionKey& key, std::span<nodes::Expr* const> conditions, int rte, Arena& arena) {
  Compiler compiler(key, rte, arena);
  PruneSteps out;
  out.strategy = key.strategy;
  out.columns = static_cast<int>(key.columns.size());
  out.root = compiler.group_of(conditions);
  out.arguments = compiler.arguments();
  return out;
}

}  // namespace hathi::partition
