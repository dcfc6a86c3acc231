#include "plan_builder.h"

#include "hathi/error/sql_error.h"

namespace hathi::test {
namespace {

using Op = BooleanExpr::Op;

class Expressions : public testing::Test, public PlanBuilder {
 protected:
  std::string error_of(Expr* e) {
    try {
      evaluate(e);
    } catch (const SqlError& error) {
      return std::string(error.code().view()) + " " + error.report().message;
    }
    return "no error";
  }
  Expr* case_of(std::initializer_list<std::pair<Expr*, Expr*>> branches, Expr* otherwise) {
    auto* e = make<Case>(arena);
    e->type = type_of(otherwise);
    for (auto& [condition, result] : branches) {
      auto* b = arena.make<CaseBranch>();
      b->condition = condition;
      b->result = result;
      e->branches.push_back(arena, b);
    }
    e->otherwise = otherwise;
    return e;
  }
};

TEST_F(Expressions, IntegersInline) {
  EXPECT_EQ(evaluate(op("+", int4(2), int4(3))), "5");
  EXPECT_EQ(evaluate(op("-", int4(2), int4(3))), "-1");
  EXPECT_EQ(evaluate(op("*", int8(4000000000), int4(3))), "12000000000");
  EXPECT_EQ(evaluate(op("+", int4(2), int4({}))), "-");
  EXPECT_EQ(evaluate(op("<", int4(-5), int8(4))), "t");
  EXPECT_EQ(evaluate(op(">=", int8(-5), int4(4))), "f");
  EXPECT_EQ(evaluate(op("=", int4(7), int4(7))), "t");
  EXPECT_EQ(evaluate(op("<>", int4({}), int4(7))), "-");
  EXPECT_EQ(error_of(op("+", int4(2147483647), int4(1))), "22003 integer out of range");
  EXPECT_EQ(error_of(op("*", int8(9223372036854775807), int8(2))), "22003 bigint out of range");
  EXPECT_EQ(error_of(op("/", int4(1), int4(0))), "22012 division by zero");
}

TEST_F(Expressions, ThreeValuedLogic) {
  auto all = {std::optional<bool>(true), std::optional<bool>(false), std::optional<bool>()};
  auto text = [](std::optional<bool> v) { return !v ? "-" : *v ? "t" : "f"; };
  for (auto a : all) {
    for (auto b : all) {
      std::optional<bool> both, either;
      if ((a && !*a) || (b && !*b)) both = false;
      else if (a && b) both = true;
      if ((a && *a) || (b && *b)) either = true;
      else if (a && b) either = false;
      EXPECT_EQ(evaluate(logic(Op::and_op, {boolean(a), boolean(b)})), text(both));
      EXPECT_EQ(evaluate(logic(Op::or_op, {boolean(a), boolean(b)})), text(either));
    }
    EXPECT_EQ(evaluate(logic(Op::not_op, {boolean(a)})), text(a ? std::optional<bool>(!*a) : std::nullopt));
  }
}

TEST_F(Expressions, ShortCircuits) {
  Expr* bad = op("=", op("/", int4(1), int4(0)), int4(1));
  EXPECT_EQ(evaluate(logic(Op::and_op, {boolean(false), bad})), "f");
  EXPECT_EQ(evaluate(logic(Op::or_op, {boolean(true), bad})), "t");
  EXPECT_EQ(error_of(logic(Op::or_op, {boolean(false), bad})), "22012 division by zero");
  EXPECT_EQ(evaluate(case_of({{boolean(true), int4(1)}, {bad, int4(2)}}, int4(3))), "1");
  auto* c = make<Coalesce>(arena);
  c->type = type_oid::int4;
  c->args.push_back(arena, int4({}));
  c->args.push_back(arena, int4(4));
  c->args.push_back(arena, op("/", int4(1), int4(0)));
  EXPECT_EQ(evaluate(c), "4");
}

TEST_F(Expressions, Case) {
  EXPECT_EQ(evaluate(case_of({{boolean({}), int4(1)}, {boolean(true), int4(2)}}, int4(3))), "2");
  EXPECT_EQ(evaluate(case_of({{boolean({}), int4(1)}, {boolean(false), int4(2)}}, int4(3))), "3");
  auto* e = static_cast<Case*>(case_of({}, int4(9)));
  e->arg = int4(5);
  auto* test = make<CaseTest>(arena);
  test->type = type_oid::int4;
  for (int i = 4; i <= 6; ++i) {
    auto* b = arena.make<CaseBranch>();
    b->condition = op("=", test, int4(i));
    b->result = int4(i * 10);
    e->branches.push_back(arena, b);
  }
  EXPECT_EQ(evaluate(e), "50");
}

TEST_F(Expressions, DistinctAndNullIf) {
  auto distinct = [&](Cell a, Cell b) {
    auto* e = static_cast<OpExpr*>(op("=", int4(a), int4(b)));
    e->kind = ExprKind::distinct_op;
    return evaluate(e);
  };
  EXPECT_EQ(distinct(1, 1), "f");
  EXPECT_EQ(distinct(1, 2), "t");
  EXPECT_EQ(distinct({}, 2), "t");
  EXPECT_EQ(distinct({}, {}), "f");
  auto null_if = [&](Cell a, Cell b) {
    auto* e = static_cast<OpExpr*>(op("=", int4(a), int4(b)));
    e->kind = ExprKind::nullif_op;
    e->type = type_oid::int4;
    return evaluate(e);
  };
  EXPECT_EQ(null_if(1, 1), "-");
  EXPECT_EQ(null_if(1, 2), "1");
  EXPECT_EQ(null_if({}, 2), "-");
  EXPECT_EQ(null_if(1, {}), "1");
}

TEST_F(Expressions, NullAndBooleanTests) {
  auto* n = make<NullTest>(arena);
  n->arg = int4({});
  EXPECT_EQ(evaluate(n), "t");
  n->is_null = false;
  EXPECT_EQ(evaluate(n), "f");
  auto* b = make<BooleanTest>(arena);
  b->arg = boolean({});
  const char* expected = "ftfttf";
  using Test = BooleanTest::Op;
  for (Test t : {Test::is_true, Test::is_not_true, Test::is_false, Test::is_not_false, Test::is_unknown, Test::is_not_unknown}) {
    b->op = t;
    EXPECT_EQ(evaluate(b)[0], expected[static_cast<int>(t)]) << static_cast<int>(t);
  }
}

TEST_F(Expressions, ArrayOps) {
  auto any = [&](Cell scalar, const char* array, bool use_or, const char* name) {
    auto* o = static_cast<OpExpr*>(op(name, int4(1), int4(1)));
    auto* e = make<ArrayOp>(arena);
    e->op = o->op;
    e->function = o->function;
    e->use_or = use_or;
    e->scalar = int4(scalar);
    e->array = value(type_oid::int4_array, array);
    return evaluate(e);
  };
  EXPECT_EQ(any(2, "{1,2,3}", true, "="), "t");
  EXPECT_EQ(any(5, "{1,2,3}", true, "="), "f");
  EXPECT_EQ(any(5, "{1,NULL,3}", true, "="), "-");
  EXPECT_EQ(any(3, "{1,NULL,3}", true, "="), "t");
  EXPECT_EQ(any({}, "{1}", true, "="), "-");
  EXPECT_EQ(any(5, "{}", true, "="), "f");
  EXPECT_EQ(any(5, "{}", false, "<>"), "t");
  // Long lists are hashed.
  const char* list = "{1,2,3,4,5,6,7,8,9,10,11,12,13}";
  EXPECT_EQ(any(12, list, true, "="), "t");
  EXPECT_EQ(any(14, list, true, "="), "f");
  EXPECT_EQ(any({}, list, true, "="), "-");
  EXPECT_EQ(any(12, list, false, "<>"), "f");
  EXPECT_EQ(any(14, list, false, "<>"), "t");
  const char* with_null = "{1,2,3,4,5,6,7,8,9,10,NULL,12,13}";
  EXPECT_EQ(any(12, with_null, true, "="), "t");
  EXPECT_EQ(any(14, with_null, true, "="), "-");
  EXPECT_EQ(any(14, with_null, false, "<>"), "-");
}

TEST_F(Expressions, ArraysAndSubscripts) {
  auto* a = make<ArrayExpr>(arena);
  a->type = type_oid::int4_array;
  a->element_type = type_oid::int4;
  for (Cell c : {Cell(1), Cell(), Cell(3)}) a->elements.push_back(arena, int4(c));
  EXPECT_EQ(evaluate(a), "{1,NULL,3}");
  auto* s = make<Subscript>(arena);
  s->container_type = type_oid::int4_array;
  s->element_type = s->type = type_oid::int4;
  s->container = a;
  s->upper.push_back(arena, int4(3));
  EXPECT_EQ(evaluate(s), "3");
  s->upper[0] = int4(4);
  EXPECT_EQ(evaluate(s), "-");
  s->assigned = int4(40);
  s->type = type_oid::int4_array;
  EXPECT_EQ(evaluate(s), "{1,NULL,3,40}");
  auto* nested = make<ArrayExpr>(arena);
  nested->type = type_oid::int4_array;
  nested->element_type = type_oid::int4;
  nested->multi_dimensional = true;
  nested->elements.push_back(arena, a);
  nested->elements.push_back(arena, a);
  EXPECT_EQ(evaluate(nested), "{{1,NULL,3},{1,NULL,3}}");
}

TEST_F(Expressions, CoercionThroughText) {
  auto* e = make<CoerceIo>(arena);
  e->arg = text(" 42 ");
  e->type = type_oid::int4;
  EXPECT_EQ(evaluate(e), "42");
  e->arg = text("x");
  EXPECT_EQ(error_of(e), "22P02 invalid input syntax for type integer: \"x\"");
  auto* c = make<ArrayCoerce>(arena);
  c->arg = value(type_oid::int4_array, "{{1,2},{3,NULL}}");
  c->type = type_oid::text_array;
  auto* test = make<CaseTest>(arena);
  test->type = type_oid::int4;
  auto* element = make<CoerceIo>(arena);
  element->arg = test;
  element->type = type_oid::text;
  c->element = element;
  EXPECT_EQ(evaluate(c), "{{1,2},{3,NULL}}");
}

TEST_F(Expressions, RowsAndComparison) {
  auto* r = make<RowExpr>(arena);
  r->type = type_oid::record;
  r->args.push_back(arena, int4(1));
  r->args.push_back(arena, text("b"));
  auto* f = make<FieldSelect>(arena);
  f->arg = r;
  f->field = 2;
  f->type = type_oid::text;
  EXPECT_EQ(evaluate(f), "b");
  auto compare = [&](Cell a, Cell b, Cell c, Cell d, int strategy) {
    auto* e = make<RowCompare>(arena);
    e->strategy = strategy;
    e->left.push_back(arena, int4(a));
    e->left.push_back(arena, int4(b));
    e->right.push_back(arena, int4(c));
    e->right.push_back(arena, int4(d));
    for (int i = 0; i < 2; ++i) {
      e->operators.push_back(arena, operator_oid("<", type_oid::int4));
      e->families.push_back(arena, Oid{1976});
      e->collations.push_back(arena, kInvalidOid);
    }
    return evaluate(e);
  };
  EXPECT_EQ(compare(1, 2, 1, 3, 1), "t");
  EXPECT_EQ(compare(1, 3, 1, 3, 1), "f");
  EXPECT_EQ(compare(1, 3, 1, 3, 2), "t");
  EXPECT_EQ(compare(2, {}, 1, 3, 5), "t");
  EXPECT_EQ(compare(1, {}, 1, 3, 5), "-");
  auto* n = make<NullTest>(arena);
  n->arg = r;
  n->arg_is_row = true;
  n->is_null = false;
  EXPECT_EQ(evaluate(n), "t");
  r->args[0] = int4({});
  EXPECT_EQ(evaluate(n), "f");
  n->is_null = true;
  EXPECT_EQ(evaluate(n), "f");
}

TEST_F(Expressions, GreatestLeast) {
  auto* e = make<MinMax>(arena);
  e->type = type_oid::int4;
  for (Cell c : {Cell(3), Cell(), Cell(9), Cell(-2)}) e->args.push_back(arena, int4(c));
  EXPECT_EQ(evaluate(e), "-2");
  e->greatest = true;
  EXPECT_EQ(evaluate(e), "9");
}

TEST_F(Expressions, TextEquality) {
  EXPECT_EQ(evaluate(op("=", text("abc"), text("abc"))), "t");
  EXPECT_EQ(evaluate(op("<>", text("abc"), text("abd"))), "t");
}

TEST_F(Expressions, FoldsAndEvaluatesAlone) {
  Arena result;
  nodes::Expr* folded = executor::evaluate_to_constant(op("+", int4(20), int4(22)), result);
  ASSERT_TRUE(is<Constant>(folded));
  EXPECT_EQ(as<Constant>(folded)->value.as_int32(), 42);
  ParameterValue values[1] = {{{Datum::of(std::int32_t{7}), false}, type_oid::int4}};
  auto* p = make<Parameter>(arena);
  p->number = 1;
  p->type = type_oid::int4;
  BoundParameters bound{values, false};
  EXPECT_EQ(executor::evaluate(op("*", p, int4(6)), bound, result).value.as_int32(), 42);
  EXPECT_THROW(executor::evaluate(p, {}, result), SqlError);
}

}  // namespace
}  // namespace hathi::test
