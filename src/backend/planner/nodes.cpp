#include <algorithm>

#include "hathi/base/builtin_oids.h"
#include "hathi/base/stack.h"
#include "hathi/catalog/lookup.h"
#include "paths.h"
#include "query_planner.h"

namespace hathi::planner {

TargetEntry* make_target(Arena& arena, Expr* e, int number, std::string_view name, bool junk) {
  auto* t = arena.make<TargetEntry>();
  t->expr = e;
  t->number = static_cast<AttrNumber>(number);
  t->name = name;
  t->junk = junk;
  return t;
}

nodes::Constant* make_bool(Arena& arena, bool value) {
  auto* c = nodes::make<nodes::Constant>(arena);
  c->type = type_oid::bool_;
  c->layout = {1, true, 'c'};
  c->value = Datum::of(value);
  return c;
}

nodes::Constant* make_null(Arena& arena, Oid type, std::int32_t typmod, Oid collation) {
  auto* c = nodes::make<nodes::Constant>(arena);
  c->type = type;
  c->typmod = typmod;
  c->collation = collation;
  c->layout = catalog::type_info(type).layout;
  c->is_null = true;
  return c;
}

Expr* make_and(Arena& arena, const std::vector<Expr*>& quals) {
  if (quals.empty()) return nullptr;
  if (quals.size() == 1) return quals[0];
  auto* b = nodes::make<nodes::BooleanExpr>(arena);
  b->op = nodes::BooleanExpr::Op::and_op;
  for (Expr* q : quals) b->args.push_back(arena, q);
  return b;
}

const TargetEntry* find_target(const List<TargetEntry*>& targets, int ref) {
  for (const TargetEntry* t : targets) {
    if (t->sort_group_ref == ref) return t;
  }
  throw SqlError(sqlstate::internal_error, "ORDER/GROUP BY expression not found in targetlist");
}

int width_of(const List<TargetEntry*>& targets) {
  int width = 0;
  for (const TargetEntry* t : targets) width += type_width(nodes::type_of(t->expr), nodes::typmod_of(t->expr));
  return width;
}

List<TargetEntry*> copy_targets(const List<TargetEntry*>& from, Arena& arena) {
  List<TargetEntry*> out;
  out.reserve(arena, from.size());
  for (const TargetEntry* t : from) {
    auto* c = arena.make<TargetEntry>(*t);
    out.push_back(arena, c);
  }
  return out;
}

namespace {

template <class F>
bool any_node(Expr* e, F&& test) {
  if (e == nullptr) return false;
  check_stack_depth();
  if (test(e)) return true;
  return nodes::for_each_child(e, [&](Expr* c) { return any_node(c, test); });
}

Oid function_of(const Expr* e) {
  switch (e->kind) {
    case nodes::ExprKind::function: return nodes::as<nodes::FunctionExpr>(e)->function;
    case nodes::ExprKind::op:
    case nodes::ExprKind::distinct_op:
    case nodes::ExprKind::nullif_op: return nodes::as<nodes::OpExpr>(e)->function;
    case nodes::ExprKind::array_op: return nodes::as<nodes::ArrayOp>(e)->function;
    default: return kInvalidOid;
  }
}

}  // namespace

bool contains_srf(Expr* e) {
  return any_node(e, [](Expr* n) {
    if (n->kind == nodes::ExprKind::function) return nodes::as<nodes::FunctionExpr>(n)->returns_set;
    return n->kind == nodes::ExprKind::op && nodes::as<nodes::OpExpr>(n)->returns_set;
  });
}

bool contains_volatile(Expr* e) {
  return any_node(e, [](Expr* n) {
    if (n->kind == nodes::ExprKind::next_value) return true;
    Oid f = function_of(n);
    if (!is_valid(f)) return false;
    const catalog::FunctionInfo* info = catalog::find_function(f);
    return info != nullptr && info->volatility == 'v';
  });
}

bool contains_sub_plan(Expr* e) {
  return any_node(e, [](Expr* n) { return n->kind == nodes::ExprKind::sub_plan || n->kind == nodes::ExprKind::sub_link; });
}

// Is the condition surely not true when all columns of these relations are NULL?
bool is_strict_for(Expr* e, const RelationSet& relations) {
  if (e == nullptr) return false;
  auto mentions = [&](Expr* x) {
    return any_node(x, [&](Expr* n) {
      return n->kind == nodes::ExprKind::variable && nodes::as<nodes::Variable>(n)->levels_up == 0 && relations.has(nodes::as<nodes::Variable>(n)->rte);
    });
  };
  // A chain of strict calls down to a variable of the relations.
  auto strict_path = [&](auto&& self, Expr* x) -> bool {
    if (x == nullptr) return false;
    switch (x->kind) {
      case nodes::ExprKind::variable: return mentions(x);
      case nodes::ExprKind::relabel: return self(self, nodes::as<nodes::Relabel>(x)->arg);
      case nodes::ExprKind::coerce_io: return self(self, nodes::as<nodes::CoerceIo>(x)->arg);
      case nodes::ExprKind::op:
      case nodes::ExprKind::function: {
        const catalog::FunctionInfo* info = catalog::find_function(function_of(x));
        if (info == nullptr || !info->strict) return false;
        return nodes::for_each_child(x, [&](Expr* c) { return self(self, c); });
      }
      case nodes::ExprKind::array_op: return self(self, nodes::as<nodes::ArrayOp>(x)->scalar);
      default: return false;
    }
  };
  if (e->kind == nodes::ExprKind::boolean) {
    auto* b = nodes::as<nodes::BooleanExpr>(e);
    if (b->op == nodes::BooleanExpr::Op::and_op) return std::any_of(b->args.begin(), b->args.end(), [&](Expr* a) { return is_strict_for(a, relations); });
    if (b->op == nodes::BooleanExpr::Op::or_op) return std::all_of(b->args.begin(), b->args.end(), [&](Expr* a) { return is_strict_for(a, relations); });
    return strict_path(strict_path, b->args[0]);
  }
  if (e->kind == nodes::ExprKind::null_test) {
    auto* n = nodes::as<nodes::NullTest>(e);
    return !n->is_null && !n->arg_is_row && strict_path(strict_path, n->arg);
  }
  return strict_path(strict_path, e);
}

}  // namespace hathi::planner
