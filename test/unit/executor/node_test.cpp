// Sorting, stores, set operations, limits, recursion, subqueries, kept runs.

#include <algorithm>
#include <random>

#include "hathi/error/sql_error.h"
#include "plan_builder.h"

namespace hathi::test {
namespace {

using Lines = std::vector<std::string>;

class Nodes : public testing::Test, public PlanBuilder {
 protected:
  void TearDown() override { config::values::work_mem = 4096; }

  Sort* sort(Plan* input, std::vector<std::pair<int, bool>> keys, bool nulls_first = false) {
    auto* s = plan<Sort>(PlanKind::sort);
    s->left = input;
    same_targets(s);
    for (auto [column, descending] : keys) {
      s->keys.columns.push_back(arena, static_cast<AttrNumber>(column));
      s->keys.operators.push_back(arena, operator_oid(descending ? ">" : "<", type_oid::int4));
      s->keys.collations.push_back(arena, kInvalidOid);
      s->keys.nulls_first.push_back(arena, nulls_first);
    }
    return s;
  }
  Limit* limit(Plan* input, Expr* count, Expr* offset = nullptr) {
    auto* l = plan<Limit>(PlanKind::limit);
    l->left = input;
    l->count = count;
    l->offset = offset;
    same_targets(l);
    return l;
  }
  Expr* count_star() { return nullptr; }
  // generate_series(1, n) with columns i and i * factor % modulus.
  Plan* series(int n, int factor, int modulus) {
    auto* f = plan<FunctionScan>(PlanKind::function_scan);
    f->rte = 77;
    auto* rte = arena.make<FunctionRte>();
    rte->call = call(Oid{1067}, {int4(1), int4(n)}, true);
    rte->column_count = 1;
    f->functions.push_back(arena, rte);
    target(f, op("%", op("*", variable(77, 1, type_oid::int4), int4(factor)), int4(modulus)));
    target(f, variable(77, 1, type_oid::int4));
    return f;
  }
};

TEST_F(Nodes, ResultAndFilter) {
  auto* r = plan<Result>(PlanKind::result);
  r->constant_filter = boolean(false);
  target(r, int4(1));
  EXPECT_EQ(run(r), Lines{});
  auto* v = values({{1}, {2}, {{}}, {4}}, 1);
  v->filter.push_back(arena, op(">", variable(v->rte, 1, type_oid::int4), int4(1)));
  EXPECT_EQ(run(v), (Lines{"2", "4"}));
}

TEST_F(Nodes, SortsByTwoKeysWithNulls) {
  std::vector<Cells> rows = {{2, 1}, {1, 5}, {{}, 3}, {1, 4}, {2, {}}};
  EXPECT_EQ(run(sort(values(rows, 2), {{1, false}, {2, true}})), (Lines{"1,5", "1,4", "2,1", "2,-", "-,3"}));
  PlanBuilder other;
  EXPECT_EQ(run(sort(values(rows, 2), {{1, true}, {2, false}}, true)), (Lines{"-,3", "2,-", "2,1", "1,4", "1,5"}));
}

TEST_F(Nodes, ExternalSortEqualsMemorySort) {
  Plan* big = sort(series(20000, 7919, 10007), {{1, false}, {2, false}});
  Lines in_memory = run(big);
  config::values::work_mem = 64;
  Lines spilled = run(big);
  EXPECT_EQ(in_memory.size(), 20000u);
  EXPECT_EQ(spilled, in_memory);
  EXPECT_TRUE(std::is_sorted(in_memory.begin(), in_memory.end(), [](const std::string& a, const std::string& b) { return std::stoi(a) < std::stoi(b); }));
}

TEST_F(Nodes, TopNEqualsFullSort) {
  Lines all = run(sort(series(5000, 7919, 4999), {{1, true}, {2, false}}));
  for (int n : {1, 3, 100, 2400, 5000}) {
    Lines top = run(limit(sort(series(5000, 7919, 4999), {{1, true}, {2, false}}), int8(n)));
    ASSERT_EQ(top.size(), static_cast<std::size_t>(n));
    EXPECT_TRUE(std::equal(top.begin(), top.end(), all.begin())) << n;
  }
}

TEST_F(Nodes, Limits) {
  auto rows = [&] { return values({{1}, {2}, {3}, {4}}, 1); };
  EXPECT_EQ(run(limit(rows(), int8(2))), (Lines{"1", "2"}));
  EXPECT_EQ(run(limit(rows(), int8(2), int8(1))), (Lines{"2", "3"}));
  EXPECT_EQ(run(limit(rows(), int8({}), int8(3))), (Lines{"4"}));
  EXPECT_EQ(run(limit(rows(), int8(0))), Lines{});
  EXPECT_EQ(run(limit(rows(), int8(9), int8(9))), Lines{});
  EXPECT_THROW(run(limit(rows(), int8(-1))), SqlError);
  auto* l = limit(values({{1}, {2}, {2}, {2}, {3}}, 1), int8(2));
  l->with_ties = true;
  l->tie_columns.push_back(arena, 1);
  l->tie_operators.push_back(arena, operator_oid("=", type_oid::int4));
  l->tie_collations.push_back(arena, kInvalidOid);
  EXPECT_EQ(run(l), (Lines{"1", "2", "2", "2"}));
}

TEST_F(Nodes, UniqueAndAppend) {
  auto* a = plan<Append>(PlanKind::append);
  a->inputs.push_back(arena, values({{1}, {1}}, 1));
  a->inputs.push_back(arena, values({{1}, {2}, {{}}, {{}}}, 1));
  target(a, variable(kOuterVar, 1, type_oid::int4));
  auto* u = plan<Unique>(PlanKind::unique);
  u->left = a;
  u->columns.push_back(arena, 1);
  u->equal_operators.push_back(arena, operator_oid("=", type_oid::int4));
  same_targets(u);
  EXPECT_EQ(run(u), (Lines{"1", "2", "-"}));
}

TEST_F(Nodes, MergeAppendKeepsOrder) {
  auto* m = plan<MergeAppend>(PlanKind::merge_append);
  m->inputs.push_back(arena, values({{1}, {4}, {7}}, 1));
  m->inputs.push_back(arena, values({}, 1));
  m->inputs.push_back(arena, values({{2}, {4}, {9}, {{}}}, 1));
  m->columns.push_back(arena, 1);
  m->operators.push_back(arena, operator_oid("<", type_oid::int4));
  target(m, variable(kOuterVar, 1, type_oid::int4));
  EXPECT_EQ(run(m), (Lines{"1", "2", "4", "4", "7", "9", "-"}));
}

TEST_F(Nodes, SetOperations) {
  using Command = SetOp::Command;
  // Flag 0: left has 1 1 1 2 2 3; flag 1: right has 1 1 2 4.
  std::vector<Cells> rows = {{1, 0}, {1, 0}, {1, 0}, {1, 1}, {1, 1}, {2, 0}, {2, 0}, {2, 1}, {3, 0}, {4, 1}};
  auto run_set = [&](Command command, bool hashed) {
    auto* s = plan<SetOp>(PlanKind::set_op);
    s->left = values(rows, 2);
    s->command = command;
    s->hashed = hashed;
    s->flag_column = 2;
    s->columns.push_back(arena, 1);
    s->equal_operators.push_back(arena, operator_oid("=", type_oid::int4));
    target(s, variable(kOuterVar, 1, type_oid::int4));
    return run(s);
  };
  for (bool hashed : {false, true}) {
    EXPECT_EQ(run_set(Command::intersect, hashed), (Lines{"1", "2"}));
    EXPECT_EQ(run_set(Command::intersect_all, hashed), (Lines{"1", "1", "2"}));
    EXPECT_EQ(run_set(Command::except, hashed), (Lines{"3"}));
    EXPECT_EQ(run_set(Command::except_all, hashed), (Lines{"1", "2", "3"}));
  }
}

TEST_F(Nodes, RecursiveUnion) {
  // t(n) as (values 1 union all select n + 1 from t where n < 5)
  exec_params({type_oid::int4});
  auto* r = plan<RecursiveUnion>(PlanKind::recursive_union);
  r->left = values({{1}}, 1);
  auto* w = plan<WorkTableScan>(PlanKind::work_table_scan);
  w->rte = 50;
  w->work_param = 0;
  w->filter.push_back(arena, op("<", variable(50, 1, type_oid::int4), int4(5)));
  target(w, op("+", variable(50, 1, type_oid::int4), int4(1)));
  w->parameters.push_back(arena, 0);
  r->right = w;
  r->work_param = 0;
  target(r, variable(kOuterVar, 1, type_oid::int4));
  EXPECT_EQ(run(r), (Lines{"1", "2", "3", "4", "5"}));
  r->distinct = true;
  r->columns.push_back(arena, 1);
  r->equal_operators.push_back(arena, operator_oid("=", type_oid::int4));
  w->targets[0]->expr = op("+", op("%", variable(50, 1, type_oid::int4), int4(3)), int4(1));   // 1 2 3 1 …
  EXPECT_EQ(run(r), (Lines{"1", "2", "3"}));
}

TEST_F(Nodes, SubPlans) {
  // (select max over nothing) scalar, exists, any with NULLs, hashed any.
  exec_params({type_oid::int4, type_oid::int4});
  auto sub = [&](SubLink::Type type, const std::vector<Cells>& rows) {
    auto* s = make<SubPlan>(arena);
    s->type = type;
    s->result_type = type_oid::int4;
    subplans.push_back(values(rows, 1));
    links.push_back(s);
    s->plan = static_cast<int>(subplans.size());
    return s;
  };
  EXPECT_EQ(evaluate(sub(SubLink::Type::scalar, {{5}})), "5");
  EXPECT_EQ(evaluate(sub(SubLink::Type::scalar, {})), "-");
  EXPECT_THROW(evaluate(sub(SubLink::Type::scalar, {{5}, {6}})), SqlError);
  EXPECT_EQ(evaluate(sub(SubLink::Type::exists, {{{}}})), "t");
  EXPECT_EQ(evaluate(sub(SubLink::Type::exists, {})), "f");
  auto any = [&](Cell left, const std::vector<Cells>& rows, bool hash) {
    SubPlan* s = sub(SubLink::Type::any, rows);
    s->test_params.push_back(arena, 0);
    s->test = op("=", int4(left), exec_param(0, type_oid::int4));
    s->use_hash = hash;
    return evaluate(s);
  };
  for (bool hash : {false, true}) {
    EXPECT_EQ(any(2, {{1}, {2}}, hash), "t");
    EXPECT_EQ(any(3, {{1}, {2}}, hash), "f");
    EXPECT_EQ(any(3, {{1}, {{}}}, hash), "-");
    EXPECT_EQ(any(1, {{1}, {{}}}, hash), "t");
    EXPECT_EQ(any({}, {{1}}, hash), "-");
    EXPECT_EQ(any({}, {}, hash), "f");
  }
}

TEST_F(Nodes, InitPlanRunsOnce) {
  exec_params({type_oid::int4});
  auto* link = make<SubPlan>(arena);
  link->is_init_plan = true;
  link->type = SubLink::Type::scalar;
  link->result_type = type_oid::int4;
  link->set_params.push_back(arena, 0);
  subplans.push_back(values({{100}}, 1));
  links.push_back(link);
  link->plan = 1;
  auto* v = values({{1}, {2}}, 1);
  v->init_plans.push_back(arena, 1);
  v->targets[0]->expr = op("+", variable(v->rte, 1, type_oid::int4), exec_param(0, type_oid::int4));
  EXPECT_EQ(run(v), (Lines{"101", "102"}));
}

TEST_F(Nodes, ProjectSetFillsWithNulls) {
  auto* p = plan<ProjectSet>(PlanKind::project_set);
  auto* r = plan<Result>(PlanKind::result);
  p->left = r;
  target(p, call(Oid{1067}, {int4(1), int4(3)}, true));
  target(p, call(Oid{1067}, {int4(1), int4(2)}, true));
  target(p, int4(9));
  EXPECT_EQ(run(p), (Lines{"1,1,9", "2,2,9", "3,-,9"}));
}

TEST_F(Nodes, JunkColumnsAreNotSent) {
  auto* v = values({{1, 2, 3}}, 3);
  v->targets[1]->junk = true;
  EXPECT_EQ(run(v), (Lines{"1,3"}));
}

TEST_F(Nodes, RunsAgainWithOtherParameters) {
  auto* p = make<Parameter>(arena);
  p->number = 1;
  p->type = type_oid::int4;
  auto* v = values({{1}, {2}, {3}}, 1);
  v->filter.push_back(arena, op(">=", variable(v->rte, 1, type_oid::int4), p));
  Sort* s = sort(v, {{1, true}});
  ParameterValue two[1] = {{{Datum::of(std::int32_t{2}), false}, type_oid::int4}};
  ParameterValue three[1] = {{{Datum::of(std::int32_t{3}), false}, type_oid::int4}};
  executor::Execution execution(statement(s), {two, false});
  EXPECT_EQ(run(execution), (Lines{"3", "2"}));
  EXPECT_EQ(execution.processed(), 2u);
  execution.reset({three, false});
  EXPECT_EQ(run(execution), (Lines{"3"}));
  execution.reset({two, false});
  EXPECT_EQ(run(execution), (Lines{"3", "2"}));
}

TEST_F(Nodes, FetchesBackward) {
  executor::ExecutionOptions options;
  options.rewindable = true;
  executor::Execution e(statement(values({{1}, {2}, {3}}, 1)), {}, options);
  e.lock_partitions();
  e.start({});
  auto fetch = [&](executor::Direction d, std::uint64_t n) {
    RowCollector c(e.row());
    e.run(c, d, n);
    return c.rows;
  };
  using D = executor::Direction;
  EXPECT_EQ(fetch(D::forward, 2), (Lines{"1", "2"}));
  EXPECT_EQ(fetch(D::backward, 1), (Lines{"1"}));
  EXPECT_EQ(fetch(D::forward, 0), (Lines{"2", "3"}));
  EXPECT_TRUE(e.at_end());
  EXPECT_EQ(fetch(D::backward, 0), (Lines{"3", "2", "1"}));
  EXPECT_EQ(fetch(D::backward, 1), Lines{});
  EXPECT_EQ(fetch(D::forward, 1), (Lines{"1"}));
}

TEST_F(Nodes, CountsRowsForExplain) {
  auto* v = values({{1}, {2}, {3}}, 1);
  v->filter.push_back(arena, op(">", variable(v->rte, 1, type_oid::int4), int4(1)));
  executor::ExecutionOptions options;
  options.instrument = true;
  executor::Execution e(statement(v), {}, options);
  run(e);
  const executor::NodeTimes* t = e.times(*v);
  ASSERT_NE(t, nullptr);
  EXPECT_EQ(t->loops, 1u);
  EXPECT_EQ(t->rows, 2u);
  EXPECT_EQ(t->filtered, 1u);
}

}  // namespace
}  // namespace hathi::test
