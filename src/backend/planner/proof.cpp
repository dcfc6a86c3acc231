// Proofs among conditions: ANDs, ORs and NOTs are taken apart; comparisons with constants are compared by the points of a line.
//
// "Refutes" is strong (the claim is false) or weak (it is not true: false or null). CHECK constraints that are null hold, so only a strong
// refutation says that no row can be there; among WHERE's own conditions a weak one is enough.

#include "proof.h"

#include <vector>

#include "hathi/base/stack.h"
#include "hathi/catalog/lookup.h"
#include "hathi/datum/function.h"
#include "hathi/nodes/visit.h"
#include "hathi/types/array.h"

namespace hathi::planner {

namespace {

using nodes::BooleanExpr;
using nodes::Expr;
using nodes::ExprKind;

// Longer lists are not looked into.
constexpr int kMostElements = 100;
// Strategies of btree operators, and one for "not equal".
constexpr int kLess = 1, kLessEqual = 2, kEqual = 3, kGreaterEqual = 4, kGreater = 5, kNotEqual = 6;

bool is_not(const Expr* e) { return e->kind == ExprKind::boolean && nodes::as<BooleanExpr>(e)->op == BooleanExpr::Op::not_op; }

// Does the operator hold where the value compares so with its right side?
bool holds(int strategy, int sign) {
  switch (strategy) {
    case kLess: return sign < 0;
    case kLessEqual: return sign <= 0;
    case kEqual: return sign == 0;
    case kGreaterEqual: return sign >= 0;
    case kGreater: return sign > 0;
    default: return sign != 0;
  }
}

struct Membership { Oid family, left, right; int strategy; };

// The btree families of an operator; "not equal" is in those of its negator.
std::vector<Membership> memberships(Oid op) {
  std::vector<Membership> out;
  for (const catalog::FamilyMember& m : catalog::operator_families(op)) {
    if (m.method == kBTreeAccessMethod) out.push_back({m.family, m.left, m.right, m.strategy});
  }
  if (!out.empty()) return out;
  const catalog::OperatorInfo* info = catalog::find_operator(op);
  if (info == nullptr || !is_valid(info->negator)) return out;
  for (const catalog::FamilyMember& m : catalog::operator_families(info->negator)) {
    if (m.method == kBTreeAccessMethod && m.strategy == kEqual) out.push_back({m.family, m.left, m.right, kNotEqual});
  }
  return out;
}

bool is_immutable_function(Oid f) {
  const catalog::FunctionInfo* info = catalog::find_function(f);
  return info != nullptr && info->volatility == 'i';
}

// left op right
struct Comparison {
  Expr* left;
  Expr* right;
  Oid op, collation;
};

bool read_comparison(const Expr* e, Comparison& out) {
  if (e->kind != ExprKind::op) return false;
  const auto* op = nodes::as<nodes::OpExpr>(e);
  if (op->args.size() != 2) return false;
  out = {op->args[0], op->args[1], op->op, op->input_collation};
  return true;
}

bool turn(Comparison& c) {
  Oid turned = catalog::operator_info(c.op).commutator;
  if (!is_valid(turned)) return false;
  std::swap(c.left, c.right);
  c.op = turned;
  return true;
}

// Both about the same left side, turned where needed.
bool bring_together(Comparison& a, Comparison& b) {
  if (nodes::equal(a.left, b.left)) return true;
  if (nodes::equal(a.left, b.right)) return turn(b);
  if (nodes::equal(a.right, b.left)) return turn(a);
  return nodes::equal(a.right, b.right) && turn(a) && turn(b);
}

const nodes::Constant* known_constant(const Expr* e) {
  if (e->kind != ExprKind::constant || nodes::as<nodes::Constant>(e)->is_null) return nullptr;
  return nodes::as<nodes::Constant>(e);
}

class Prover {
 public:
  bool implied(Expr* fact, Expr* goal, bool weak);
  bool refuted(Expr* fact, Expr* claim, bool weak);
  Expr* all_of(std::span<Expr* const> list);

 private:
  enum class Kind : std::uint8_t { atom, all, any };
  struct Parts { Kind kind = Kind::atom; std::vector<Expr*> items; };
  Parts parts_of(Expr* e);
  bool array_parts(const nodes::ArrayOp* a, Parts& out);
  Expr* negated(Expr* e);
  Expr* connected(const List<Expr*>& args, BooleanExpr::Op op);
  bool atom_implied(Expr* fact, Expr* goal, bool weak);
  bool atom_refuted(Expr* fact, Expr* claim, bool weak);
  enum class Question : std::uint8_t { implied, refuted };
  bool compare(const Expr* fact, const Expr* other, Question question);
  bool strict_in(const Expr* e, const Expr* part);

  Arena arena_{1024};
};

Expr* Prover::all_of(std::span<Expr* const> list) {
  if (list.size() == 1) return list[0];
  auto* out = nodes::make<BooleanExpr>(arena_);
  out->op = BooleanExpr::Op::and_op;
  for (Expr* e : list) out->args.push_back(arena_, e);
  return out;
}

Expr* Prover::connected(const List<Expr*>& args, BooleanExpr::Op op) {
  auto* out = nodes::make<BooleanExpr>(arena_);
  out->op = op;
  for (Expr* e : args) {
    Expr* n = negated(e);
    if (n == nullptr) {   // stays a NOT
      auto* inner = nodes::make<BooleanExpr>(arena_);
      inner->op = BooleanExpr::Op::not_op;
      inner->args.push_back(arena_, e);
      n = inner;
    }
    out->args.push_back(arena_, n);
  }
  return out;
}

// What NOT e is without the NOT; nullptr: it has no other form.
Expr* Prover::negated(Expr* e) {
  check_stack_depth();
  if (e->kind == ExprKind::boolean) {
    auto* b = nodes::as<BooleanExpr>(e);
    if (b->op == BooleanExpr::Op::not_op) return b->args[0];
    return connected(b->args, b->op == BooleanExpr::Op::and_op ? BooleanExpr::Op::or_op : BooleanExpr::Op::and_op);
  }
  if (e->kind == ExprKind::op) {
    Oid other = catalog::operator_info(nodes::as<nodes::OpExpr>(e)->op).negator;
    if (!is_valid(other)) return nullptr;
    auto* out = arena_.make<nodes::OpExpr>(*nodes::as<nodes::OpExpr>(e));
    out->op = other;
    out->function = catalog::operator_info(other).function;
    return out;
  }
  if (e->kind == ExprKind::array_op) {
    Oid other = catalog::operator_info(nodes::as<nodes::ArrayOp>(e)->op).negator;
    if (!is_valid(other)) return nullptr;
    auto* out = arena_.make<nodes::ArrayOp>(*nodes::as<nodes::ArrayOp>(e));
    out->op = other;
    out->function = catalog::operator_info(other).function;
    out->use_or = !out->use_or;
    return out;
  }
  if (e->kind == ExprKind::null_test && !nodes::as<nodes::NullTest>(e)->arg_is_row) {
    auto* out = arena_.make<nodes::NullTest>(*nodes::as<nodes::NullTest>(e));
    out->is_null = !out->is_null;
    return out;
  }
  return nullptr;
}

// x op ANY (array): one comparison an element.
bool Prover::array_parts(const nodes::ArrayOp* a, Parts& out) {
  List<Expr*> elements;
  if (a->array->kind == ExprKind::array) {
    for (Expr* e : nodes::as<nodes::ArrayExpr>(a->array)->elements) elements.push_back(arena_, e);
  } else if (const nodes::Constant* c = known_constant(a->array)) {
    types::ArrayView view(c->value, arena_);
    TypeLayout layout = catalog::type_info(view.element_type()).layout;
    types::ArrayElements values = types::array_elements(view, layout, arena_);
    if (values.count > kMostElements) return false;
    for (int i = 0; i < values.count; ++i) {
      auto* e = nodes::make<nodes::Constant>(arena_);
      e->type = view.element_type();
      e->collation = c->collation;
      e->layout = layout;
      e->is_null = values.nulls[i];
      e->value = values.values[i];
      elements.push_back(arena_, e);
    }
  }
  if (elements.empty() || elements.size() > kMostElements) return false;
  for (Expr* e : elements) {
    auto* op = nodes::make<nodes::OpExpr>(arena_);
    op->op = a->op;
    op->function = a->function;
    op->type = catalog::operator_info(a->op).result;
    op->input_collation = a->input_collation;
    op->args.push_back(arena_, a->scalar);
    op->args.push_back(arena_, e);
    out.items.push_back(op);
  }
  out.kind = a->use_or ? Kind::any : Kind::all;
  return true;
}

Prover::Parts Prover::parts_of(Expr* e) {
  Parts out;
  if (is_not(e)) {
    if (Expr* plain = negated(nodes::as<BooleanExpr>(e)->args[0])) return parts_of(plain);
  } else if (e->kind == ExprKind::boolean) {
    auto* b = nodes::as<BooleanExpr>(e);
    out.kind = b->op == BooleanExpr::Op::and_op ? Kind::all : Kind::any;
    out.items.assign(b->args.begin(), b->args.end());
    return out;
  } else if (e->kind == ExprKind::array_op && array_parts(nodes::as<nodes::ArrayOp>(e), out)) {
    return out;
  }
  out.kind = Kind::atom;
  out.items = {e};
  return out;
}

bool Prover::implied(Expr* fact, Expr* goal, bool weak) {
  check_stack_depth();
  Parts f = parts_of(fact), g = parts_of(goal);
  if (g.kind == Kind::all) {
    for (Expr* e : g.items) if (!implied(fact, e, weak)) return false;
    return true;
  }
  if (f.kind == Kind::any) {
    for (Expr* e : f.items) if (!implied(e, goal, weak)) return false;
    return true;
  }
  if (g.kind == Kind::any) {
    for (Expr* e : g.items) if (implied(fact, e, weak)) return true;
  }
  if (f.kind == Kind::all) {
    for (Expr* e : f.items) if (implied(e, goal, weak)) return true;
    return false;
  }
  return g.kind == Kind::atom && atom_implied(f.items[0], g.items[0], weak);
}

bool Prover::refuted(Expr* fact, Expr* claim, bool weak) {
  check_stack_depth();
  Parts f = parts_of(fact), c = parts_of(claim);
  if (c.kind == Kind::any) {
    for (Expr* e : c.items) if (!refuted(fact, e, weak)) return false;
    return true;
  }
  if (f.kind == Kind::any) {
    for (Expr* e : f.items) if (!refuted(e, claim, weak)) return false;
    return true;
  }
  if (c.kind == Kind::all) {
    for (Expr* e : c.items) if (refuted(fact, e, weak)) return true;
  }
  if (f.kind == Kind::all) {
    for (Expr* e : f.items) if (refuted(e, claim, weak)) return true;
  }
  if (c.kind == Kind::atom && is_not(c.items[0]) && implied(fact, nodes::as<BooleanExpr>(c.items[0])->args[0], weak)) return true;
  // The fact says that x is false: the claim is false when it cannot be true (nor null) without x.
  if (f.kind == Kind::atom && is_not(f.items[0]) && implied(claim, nodes::as<BooleanExpr>(f.items[0])->args[0], !weak)) return true;
  return f.kind == Kind::atom && c.kind == Kind::atom && atom_refuted(f.items[0], c.items[0], weak);
}

// Is e null (so not true) whenever `part` is null?
bool Prover::strict_in(const Expr* e, const Expr* part) {
  check_stack_depth();
  if (nodes::equal(e, part)) return true;
  auto any_child = [&] { return nodes::for_each_child(const_cast<Expr*>(e), [&](Expr* c) { return c != nullptr && strict_in(c, part); }); };
  auto strict = [](Oid f) {
    const catalog::FunctionInfo* info = catalog::find_function(f);
    return info != nullptr && info->strict;
  };
  switch (e->kind) {
    case ExprKind::op: return strict(nodes::as<nodes::OpExpr>(e)->function) && any_child();
    case ExprKind::function: return strict(nodes::as<nodes::FunctionExpr>(e)->function) && any_child();
    case ExprKind::relabel: case ExprKind::coerce_io: return any_child();
    case ExprKind::boolean: return is_not(e) && any_child();
    case ExprKind::array_op: {   // (an empty array makes it true or false, whatever the value)
      const auto* a = nodes::as<nodes::ArrayOp>(e);
      return a->use_or && strict(a->function) && strict_in(a->scalar, part);
    }
    default: return false;
  }
}

const nodes::NullTest* plain_null_test(const Expr* e) {
  const auto* n = e->kind == ExprKind::null_test ? nodes::as<nodes::NullTest>(e) : nullptr;
  return n != nullptr && !n->arg_is_row ? n : nullptr;
}

bool Prover::atom_implied(Expr* fact, Expr* goal, bool weak) {
  if (nodes::equal(fact, goal)) return true;
  const nodes::NullTest* test = plain_null_test(goal);
  if (test != nullptr) return !weak && !test->is_null && strict_in(fact, test->arg);
  return compare(fact, goal, Question::implied);
}

bool Prover::atom_refuted(Expr* fact, Expr* claim, bool weak) {
  const nodes::NullTest *known = plain_null_test(fact), *test = plain_null_test(claim);
  if (test != nullptr) {
    if (known != nullptr) return known->is_null != test->is_null && nodes::equal(known->arg, test->arg);
    return test->is_null && strict_in(fact, test->arg);
  }
  if (known != nullptr) return weak && known->is_null && strict_in(claim, known->arg);
  return compare(fact, claim, Question::refuted);
}

// Two comparisons of the same value. The right sides divide the line of all values: each part of it is asked.
bool Prover::compare(const Expr* fact, const Expr* other, Question question) {
  Comparison a, b;
  if (!read_comparison(fact, a) || !read_comparison(other, b) || a.collation != b.collation || !bring_together(a, b)) return false;
  const nodes::Constant *x = known_constant(a.right), *y = known_constant(b.right);
  bool same = nodes::equal(a.right, b.right);
  if (!same && (x == nullptr || y == nullptr)) return false;
  std::vector<Membership> facts = memberships(a.op), others = memberships(b.op);
  for (const Membership& f : facts) {
    for (const Membership& o : others) {
      if (f.family != o.family || f.left != o.left || (same && f.right != o.right)) continue;
      int order = 0;   // of the fact's right side and the other's
      if (!same) {
        Oid function = catalog::family_function(f.family, f.right, o.right, 1);
        if (!is_valid(function) || !is_immutable_function(function)) continue;
        order = call_function(function, arena_, {x->value, y->value}, a.collation).as_int32();
      }
      struct Point { int to_fact, to_other; };
      const Point equal[] = {{-1, -1}, {0, 0}, {1, 1}}, below[] = {{-1, -1}, {0, -1}, {1, -1}, {1, 0}, {1, 1}},
                  above[] = {{-1, -1}, {-1, 0}, {-1, 1}, {0, 1}, {1, 1}};
      std::span<const Point> points = order == 0 ? std::span<const Point>(equal) : order < 0 ? std::span<const Point>(below) : std::span<const Point>(above);
      bool proven = true;
      for (Point p : points) {
        if (holds(f.strategy, p.to_fact) && holds(o.strategy, p.to_other) != (question == Question::implied)) proven = false;
      }
      return proven;
    }
  }
  return false;
}

}  // namespace

bool implies(std::span<Expr* const> facts, Expr* goal, bool weak) {
  if (facts.empty()) return false;
  Prover prover;
  return prover.implied(prover.all_of(facts), goal, weak);
}

bool refutes(std::span<Expr* const> facts, std::span<Expr* const> claims, bool weak) {
  if (facts.empty() || claims.empty()) return false;
  Prover prover;
  return prover.refuted(prover.all_of(facts), prover.all_of(claims), weak);
}

}  // namespace hathi::planner
