// Do a table's NOT NULLs and CHECKs say that all its rows fulfil a condition? Then ATTACH PARTITION need not read it.
//
// Both sides are weak: a CHECK holds where it is true or null, and so must the condition. So "a > 5" gives "a > 1", but not "a IS NOT NULL".

#include <vector>

#include "hathi/catalog/lookup.h"
#include "hathi/nodes/visit.h"
#include "internal.h"

namespace hathi::partition {

namespace {

using nodes::BooleanExpr;
using nodes::Expr;
using Facts = std::vector<const Expr*>;

enum : int { kLess = 1, kLessEqual = 2, kEqual = 3, kGreaterEqual = 4, kGreater = 5 };
constexpr int kCompare = 1, kDeepest = 8;

const Expr* bare(const Expr* e) {
  while (nodes::is<nodes::Relabel>(e)) e = nodes::as<nodes::Relabel>(e)->arg;
  return e;
}

bool is_boolean(const Expr* e, BooleanExpr::Op op) { return nodes::is<BooleanExpr>(e) && nodes::as<BooleanExpr>(e)->op == op; }

void add_fact(const Expr* e, Facts& facts) {
  if (!is_boolean(e, BooleanExpr::Op::and_op)) {
    facts.push_back(e);
    return;
  }
  for (const Expr* arg : nodes::as<BooleanExpr>(e)->args) add_fact(arg, facts);
}

// x op constant
struct Comparison { const Expr* x = nullptr; const nodes::Constant* constant = nullptr; Oid op = kInvalidOid, collation = kInvalidOid; };

bool read_comparison(const Expr* e, Comparison& out) {
  if (!nodes::is<nodes::OpExpr>(e) || nodes::as<nodes::OpExpr>(e)->args.size() != 2) return false;
  const auto* op = nodes::as<nodes::OpExpr>(e);
  const Expr* right = bare(op->args[1]);
  if (!nodes::is<nodes::Constant>(right) || nodes::as<nodes::Constant>(right)->is_null) return false;
  out = {bare(op->args[0]), nodes::as<nodes::Constant>(right), op->op, op->input_collation};
  return true;
}

// The two operators in a common btree family: strategies and how their right sides compare.
bool common_family(const Comparison& fact, const Comparison& goal, int& fact_strategy, int& goal_strategy, Oid& compare_function) {
  for (const catalog::FamilyMember& f : catalog::operator_families(fact.op)) {
    if (f.method != kBTreeAccessMethod) continue;
    for (const catalog::FamilyMember& g : catalog::operator_families(goal.op)) {
      if (g.family != f.family || g.left != f.left) continue;
      compare_function = catalog::family_function(f.family, f.right, g.right, kCompare);
      fact_strategy = f.strategy;
      goal_strategy = g.strategy;
      if (is_valid(compare_function)) return true;
    }
  }
  return false;
}

bool comparison_implies(const Comparison& fact, const Comparison& goal) {
  if (!nodes::equal(fact.x, goal.x) || fact.collation != goal.collation) return false;
  int f = 0, g = 0;
  Oid function = kInvalidOid;
  if (!common_family(fact, goal, f, g, function)) return false;
  Arena arena(512);
  int r = call_function(function, arena, {fact.constant->value, goal.constant->value}, goal.collation).as_int32();
  switch (g) {
    case kGreaterEqual: return f >= kEqual && r >= 0;
    case kGreater: return (f == kGreater && r >= 0) || (f >= kEqual && r > 0);
    case kLessEqual: return f <= kEqual && r <= 0;
    case kLess: return (f == kLess && r <= 0) || (f <= kEqual && r < 0);
    case kEqual: return f == kEqual && r == 0;
    default: return false;
  }
}

// The elements of x = ANY (ARRAY[…]), each as a comparison; of x = c the one.
bool read_choices(const Expr* e, std::vector<Comparison>& out) {
  Comparison one;
  if (read_comparison(e, one)) {
    out.push_back(one);
    return true;
  }
  if (!nodes::is<nodes::ArrayOp>(e) || !nodes::as<nodes::ArrayOp>(e)->use_or) return false;
  const auto* any = nodes::as<nodes::ArrayOp>(e);
  const Expr* array = bare(any->array);
  if (!nodes::is<nodes::ArrayExpr>(array)) return false;
  for (const Expr* element : nodes::as<nodes::ArrayExpr>(array)->elements) {
    const Expr* c = bare(element);
    if (!nodes::is<nodes::Constant>(c) || nodes::as<nodes::Constant>(c)->is_null) return false;
    out.push_back({bare(any->scalar), nodes::as<nodes::Constant>(c), any->op, any->input_collation});
  }
  return true;
}

// Each choice of the fact gives one of the goal's.
bool choices_imply(const std::vector<Comparison>& fact, const std::vector<Comparison>& goal) {
  if (fact.empty()) return false;
  for (const Comparison& f : fact) {
    bool any = false;
    for (const Comparison& g : goal) any = any || comparison_implies(f, g);
    if (!any) return false;
  }
  return true;
}

class Prover {
 public:
  explicit Prover(const catalog::Relation& table) : table_(table) {}

  bool proves(const Expr* goal, const Facts& facts, int depth) {
    if (depth > kDeepest) return false;
    if (is_boolean(goal, BooleanExpr::Op::and_op)) {
      for (const Expr* arg : nodes::as<BooleanExpr>(goal)->args) if (!proves(arg, facts, depth + 1)) return false;
      return true;
    }
    for (const Expr* fact : facts) if (nodes::equal(fact, goal)) return true;
    if (is_not_null(goal)) return true;
    std::vector<Comparison> choices;
    if (read_choices(goal, choices)) {
      for (const Expr* fact : facts) {
        std::vector<Comparison> known;
        if (read_choices(fact, known) && choices_imply(known, choices)) return true;
      }
    }
    if (is_boolean(goal, BooleanExpr::Op::or_op)) {
      for (const Expr* arg : nodes::as<BooleanExpr>(goal)->args) if (proves(arg, facts, depth + 1)) return true;
    }
    return by_cases(goal, facts, depth);
  }

 private:
  bool is_not_null(const Expr* goal) const {
    if (!nodes::is<nodes::NullTest>(goal)) return false;
    const auto* test = nodes::as<nodes::NullTest>(goal);
    if (test->is_null || !nodes::is<nodes::Variable>(test->arg)) return false;
    AttrNumber column = nodes::as<nodes::Variable>(test->arg)->column;
    return column > 0 && (*table_.descriptor)[column - 1].not_null;
  }
  // One of the facts is an OR: the goal must follow from each of its arms.
  bool by_cases(const Expr* goal, const Facts& facts, int depth) {
    for (std::size_t i = 0; i < facts.size(); ++i) {
      if (!is_boolean(facts[i], BooleanExpr::Op::or_op)) continue;
      bool all = true;
      for (const Expr* arm : nodes::as<BooleanExpr>(facts[i])->args) {
        Facts with;
        for (std::size_t j = 0; j < facts.size(); ++j) if (j != i) with.push_back(facts[j]);
        add_fact(arm, with);
        all = all && proves(goal, with, depth + 1);
        if (!all) break;
      }
      if (all) return true;
    }
    return false;
  }

  const catalog::Relation& table_;
};

}  // namespace

bool is_implied(const nodes::Expr* condition, const catalog::Relation& table) {
  Facts facts;
  for (const catalog::CheckConstraint& check : table.checks) if (check.validated) add_fact(check.expr, facts);
  return Prover(table).proves(condition, facts, 0);
}

}  // namespace hathi::partition
