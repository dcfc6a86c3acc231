// The shape of trees: precedence, flattening, desugaring, byte ranges; and the bounds on nesting and length.

#include <gtest/gtest.h>

#include "hathi/base/stack.h"
#include "hathi/error/report.h"
#include "hathi/parser/ast_ddl.h"
#include "hathi/parser/parser.h"
#include "test/unit/parser/ast_dump.h"

namespace hathi::parser {
namespace {

std::string tree(std::string_view text) {
  Arena arena;
  return dump(parse_expression(text, arena));
}
std::string statement(std::string_view text) {
  Arena arena;
  List<Statement> list = parse(text, arena);
  return list.size() == 1 ? dump(list[0].node) : fmt::format("{} statements", list.size());
}
// Expressions in brackets, as the tree groups them.
std::string grouped(const Expr* e) {
  if (const auto* c = node_try<ColumnRef>(e)) return std::string(c->names[0]);
  if (const auto* o = node_try<OperatorExpr>(e))
    return "(" + (o->left ? grouped(o->left) + " " : "") + std::string(o->op) + " " + grouped(o->right) + ")";
  if (const auto* b = node_try<BoolExpr>(e)) {
    std::string s = "(";
    const char* word = b->op == BoolOp::and_ ? "and" : b->op == BoolOp::or_ ? "or" : "not";
    for (std::uint32_t i = 0; i < b->args.size(); ++i)
      s += (i > 0 || b->op == BoolOp::not_ ? std::string(i > 0 ? " " : "") + word + " " : "") + grouped(b->args[i]);
    return s + ")";
  }
  if (const auto* n = node_try<NullTest>(e)) return "(" + grouped(n->arg) + (n->negated ? " notnull)" : " isnull)");
  if (const auto* l = node_try<LikeExpr>(e)) return "(" + grouped(l->left) + " like " + grouped(l->pattern) + ")";
  if (const auto* b = node_try<BetweenExpr>(e))
    return "(" + grouped(b->arg) + " between " + grouped(b->low) + " and " + grouped(b->high) + ")";
  if (const auto* t = node_try<TypeCast>(e)) return "(" + grouped(t->arg) + "::" + std::string(t->type->names.back()) + ")";
  if (const auto* c = node_try<CollateClause>(e)) return "(" + grouped(c->arg) + " collate)";
  return "?";
}
std::string grouped(std::string_view text) {
  Arena arena;
  return grouped(parse_expression(text, arena));
}

TEST(Structure, OperatorsBindAsInPostgres) {
  EXPECT_EQ(grouped("a + b * c"), "(a + (b * c))");
  EXPECT_EQ(grouped("a - b - c"), "((a - b) - c)");
  EXPECT_EQ(grouped("a ^ b ^ c"), "((a ^ b) ^ c)");
  EXPECT_EQ(grouped("- a ^ b"), "((- a) ^ b)");
  EXPECT_EQ(grouped("- a::int"), "(- (a::int4))");
  EXPECT_EQ(grouped("a || b + c"), "(a || (b + c))");
  EXPECT_EQ(grouped("@ a + b"), "(@ (a + b))");
  EXPECT_EQ(grouped("a = b || c"), "(a = (b || c))");
  EXPECT_EQ(grouped("not a = b and c"), "((not (a = b)) and c)");
  EXPECT_EQ(grouped("a or b and c or d"), "(a or (b and c) or d)");
  EXPECT_EQ(grouped("a = b is null"), "((a = b) isnull)");
  EXPECT_EQ(grouped("a is null = b"), "((a isnull) = b)");
  EXPECT_EQ(grouped("a + not b = c"), "(a + (not (b = c)))");
  EXPECT_EQ(grouped("a between b and c and d"), "((a between b and c) and d)");
  EXPECT_EQ(grouped("a like b || c = d"), "((a like (b || c)) = d)");
  EXPECT_EQ(grouped("a = b like c"), "(a = (b like c))");
  EXPECT_EQ(grouped("a || b collate x"), "(a || (b collate))");
  EXPECT_EQ(grouped("a < b + c and d"), "((a < (b + c)) and d)");
}

TEST(Structure, BooleanListsAreFlat) {
  EXPECT_EQ(grouped("a and b and c and d"), "(a and b and c and d)");
  EXPECT_EQ(grouped("(a and b) and c"), "(a and b and c)");
  EXPECT_EQ(grouped("a and (b and c)"), "(a and (b and c))");
}

TEST(Structure, SpecialFormsAreCallsOfFunctions) {
  EXPECT_EQ(
      tree("extract(year from x)"),
      "(function_call name=['pg_catalog' 'extract'] args=[(constant type=string text='year') (column_ref names=['x'])] sql_syntax=true)");
  EXPECT_EQ(tree("position(a in b)"),
            "(function_call name=['pg_catalog' 'position'] args=[(column_ref names=['b']) (column_ref names=['a'])] sql_syntax=true)");
  EXPECT_EQ(tree("trim(leading a from b)"),
            "(function_call name=['pg_catalog' 'ltrim'] args=[(column_ref names=['b']) (column_ref names=['a'])] sql_syntax=true)");
  EXPECT_EQ(tree("x at time zone y"),
            "(function_call name=['pg_catalog' 'timezone'] args=[(column_ref names=['y']) (column_ref names=['x'])] sql_syntax=true)");
  EXPECT_EQ(tree("substring(a, 1)"),
            "(function_call name=['substring'] args=[(column_ref names=['a']) (constant type=integer integer=1)])");
}

TEST(Structure, ConstantsAndTypes) {
  EXPECT_EQ(tree("-5"), "(constant type=integer integer=-5)");
  EXPECT_EQ(tree("2147483648"), "(constant type=number text='2147483648')");
  EXPECT_EQ(tree("-9223372036854775808"), "(constant type=number text='-9223372036854775808')");
  EXPECT_EQ(tree("B'101'"), "(constant type=bit_string text='b101')");
  EXPECT_EQ(tree("x'1F'"), "(constant type=bit_string text='x1F')");
  EXPECT_EQ(tree("a::char"),
            "(type_cast arg=(column_ref names=['a']) type=(type_name names=['pg_catalog' 'bpchar'] typmods=[(constant type=integer "
            "integer=1)]))");
  EXPECT_EQ(tree("char 'abc'"), "(type_cast arg=(constant type=string text='abc') type=(type_name names=['pg_catalog' 'bpchar']))");
  EXPECT_EQ(tree("interval '1' day to second(3)"),
            "(type_cast arg=(constant type=string text='1') type=(type_name names=['pg_catalog' 'interval'] typmods=[(constant "
            "type=integer integer=7176) (constant type=integer "
            "integer=3)]))");
  EXPECT_EQ(tree("a::float(24)"), "(type_cast arg=(column_ref names=['a']) type=(type_name names=['pg_catalog' 'float4']))");
  EXPECT_EQ(tree("a::my.t[3][]"), "(type_cast arg=(column_ref names=['a']) type=(type_name names=['my' 't'] array_bounds=[3 -1]))");
}

TEST(Structure, ParenthesesAroundQueriesAndExpressions) {
  EXPECT_EQ(tree("((select 1))").substr(0, 35), "(subquery_expr query=(select_statem");
  EXPECT_EQ(tree("((a))"), "(column_ref names=['a'])");
  EXPECT_EQ(tree("((select 1) + 1)").substr(0, 20), "(operator_expr op='+");
  EXPECT_EQ(tree("a in ((select 1))").substr(0, 24), "(subquery_expr type=any ");
  EXPECT_EQ(tree("a in ((select 1), 2)").substr(0, 14), "(in_list_expr ");
  EXPECT_EQ(statement("((select 1) union (select 2)) order by 1").substr(0, 36), "(select_statement operation=union_ l");
}

TEST(Structure, SetOperationsGroupByPrecedence) {
  Arena arena;
  const auto* s = node_cast<SelectStatement>(parse("select 1 union select 2 intersect select 3 except select 4", arena)[0].node);
  EXPECT_EQ(s->operation, SetOperation::except);
  EXPECT_EQ(s->left->operation, SetOperation::union_);
  EXPECT_EQ(s->left->right->operation, SetOperation::intersect);
}

TEST(Structure, JoinsGroupByTheirConditions) {
  Arena arena;
  const auto* s = node_cast<SelectStatement>(parse("select 1 from a join b join c on d on e", arena)[0].node);
  const auto* join = node_cast<JoinExpr>(s->from[0]);
  EXPECT_TRUE(is<RangeVar>(join->left));
  EXPECT_TRUE(is<JoinExpr>(join->right));
  s = node_cast<SelectStatement>(parse("select 1 from a join b on d join c on e", arena)[0].node);
  join = node_cast<JoinExpr>(s->from[0]);
  EXPECT_TRUE(is<JoinExpr>(join->left));
}

TEST(Structure, StatementsKnowTheirBytes) {
  Arena arena;
  const std::string text = "select 1;; update t set a = 2 ;select 3";
  List<Statement> list = parse(text, arena);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(text.substr(list[0].start, list[0].length), "select 1");
  EXPECT_EQ(text.substr(list[1].start, list[1].length), " update t set a = 2 ");
  EXPECT_EQ(text.substr(list[2].start, list[2].length), "select 3");
  EXPECT_TRUE(parse(" ; -- nothing", arena).empty());
}

TEST(Structure, LocationsAreOffsetsIntoTheText) {
  Arena arena;
  const auto* s = node_cast<SelectStatement>(parse("select a + b from t where f(x) = 'y'", arena)[0].node);
  EXPECT_EQ(s->targets[0]->value->location, 9);
  EXPECT_EQ(node_cast<OperatorExpr>(s->targets[0]->value)->left->location, 7);
  EXPECT_EQ(s->from[0]->location, 18);
  EXPECT_EQ(node_cast<OperatorExpr>(s->where)->left->location, 26);
}

TEST(Structure, TheTreeDoesNotReferToTheText) {
  Arena arena;
  std::string text = "select 'it''s', \"Quoted\", FOLDED from $$dollar$$";
  text = "select 'it''s', \"Quoted\", FOLDED, $$dollar$$";
  List<Statement> list = parse(text, arena);
  const std::string before = dump(list[0].node);
  text.assign(text.size(), '#');
  EXPECT_EQ(dump(list[0].node), before);
  EXPECT_NE(before.find("it's"), std::string::npos);
  EXPECT_NE(before.find("'folded'"), std::string::npos);
}

TEST(Structure, ConstraintAttributesBelongToTheConstraintBeforeThem) {
  Arena arena;
  const auto* t =
      node_cast<CreateTableStatement>(parse("create table t (a int references b deferrable initially deferred unique)", arena)[0].node);
  const auto* column = node_cast<ColumnDef>(t->elements[0]);
  ASSERT_EQ(column->constraints.size(), 2u);
  EXPECT_TRUE(column->constraints[0]->deferrable);
  EXPECT_TRUE(column->constraints[0]->initially_deferred);
  EXPECT_FALSE(column->constraints[1]->deferrable);
  EXPECT_THROW(parse("create table t (a int not null deferrable)", arena), SqlError);
}

TEST(Bounds, DeepNestingIsAnError) {
  for (const char* open : {"(", "-(", "not (", "array[", "case when ", "f(", "(select ", "exists (select ", "a in ("}) {
    std::string text = "select ";
    for (int i = 0; i < 10000; ++i) text += open;
    Arena arena;
    try {
      parse(text + "1", arena);
      FAIL() << open;
    } catch (const SqlError& e) { EXPECT_EQ(e.code().view(), "54001") << open; }
  }
  std::string joins = "select 1 from ";
  for (int i = 0; i < 20000; ++i) joins += "(a join ";
  Arena arena;
  EXPECT_THROW(parse(joins, arena), SqlError);
}

TEST(Bounds, ThousandLevelsAreFine) {
  Arena arena;
  EXPECT_EQ(parse("select " + std::string(1000, '(') + "1" + std::string(1000, ')'), arena).size(), 1u);
}

TEST(Bounds, LongChainsAreBuiltInALoop) {
  Arena arena;
  std::string sum = "select 1", both = "select a", either = "select a = 1", unions = "select 1", list = "select 1 where a in (1",
              values = "insert into t values (1)";
  for (int i = 0; i < 100000; ++i) {
    sum += "+1";
    both += " and a";
    either += " or a = 1";
    unions += " union all select 1";
    list += ",1";
    values += ",(1)";
  }
  for (const std::string& text : {sum, both, either, unions, list + ")", values}) EXPECT_EQ(parse(text, arena).size(), 1u);
}

}  // namespace
}  // namespace hathi::parser
