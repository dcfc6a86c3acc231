// Aggregates and window functions.

#include <algorithm>
#include <map>

#include "plan_builder.h"

namespace hathi::test {
namespace {

using Lines = std::vector<std::string>;
using AggregatePlan = planner::Aggregate;
using AggregateExpr = nodes::Aggregate;

class Aggregates : public testing::Test, public PlanBuilder {
 protected:
  void TearDown() override {
    config::values::work_mem = 4096;
    config::values::hash_mem_multiplier = 2.0;
  }
  AggregateExpr* aggregate(Oid function, std::initializer_list<Expr*> args) {
    auto* a = make<AggregateExpr>(arena);
    a->function = function;
    a->type = catalog::function_info(function).result;
    a->transition_type = catalog::find_aggregate(function)->transition_type;
    a->star = args.size() == 0;
    for (Expr* e : args) {
      auto* t = arena.make<TargetEntry>();
      t->expr = e;
      t->number = static_cast<AttrNumber>(a->args.size() + 1);
      a->args.push_back(arena, t);
    }
    return a;
  }
  Expr* in(int column) { return variable(kOuterVar, column, type_oid::int4); }
  AggregatePlan* group(Plan* input, AggregatePlan::Strategy strategy, std::vector<int> columns, std::vector<AggregateExpr*> aggregates) {
    auto* p = plan<AggregatePlan>(PlanKind::aggregate);
    p->left = input;
    p->strategy = strategy;
    for (int c : columns) {
      p->columns.push_back(arena, static_cast<AttrNumber>(c));
      p->equal_operators.push_back(arena, operator_oid("=", type_oid::int4));
      p->collations.push_back(arena, kInvalidOid);
      target(p, in(c));
    }
    int n = 0;
    for (AggregateExpr* a : aggregates) {
      a->number = n++;
      p->aggregates.push_back(arena, a);
      target(p, a);
    }
    return p;
  }
  static Lines sorted(Lines lines) {
    std::sort(lines.begin(), lines.end());
    return lines;
  }
};

const Oid kCountStar{2803}, kCount{2147}, kSumInt4{2108}, kMaxInt4{2116}, kMinInt4{2132}, kAvgInt4{2101}, kMaxText{2129};

TEST_F(Aggregates, Plain) {
  auto all = [&](const std::vector<Cells>& rows) {
    return run(group(values(rows, 1), AggregatePlan::Strategy::plain, {},
                     {aggregate(kCountStar, {}), aggregate(kCount, {in(1)}), aggregate(kSumInt4, {in(1)}), aggregate(kMaxInt4, {in(1)}),
                      aggregate(kMinInt4, {in(1)})}));
  };
  EXPECT_EQ(all({{3}, {{}}, {-1}}), (Lines{"3,2,2,3,-1"}));
  EXPECT_EQ(all({}), (Lines{"0,0,-,-,-"}));
  EXPECT_EQ(all({{{}}}), (Lines{"1,0,-,-,-"}));
}

TEST_F(Aggregates, SortedAndHashedGroups) {
  std::vector<Cells> rows = {{1, 10}, {1, 20}, {2, 5}, {{}, 1}, {{}, 2}};
  for (auto strategy : {AggregatePlan::Strategy::sorted, AggregatePlan::Strategy::hashed}) {
    Lines got = run(group(values(rows, 2), strategy, {1}, {aggregate(kCountStar, {}), aggregate(kSumInt4, {in(2)})}));
    EXPECT_EQ(got, (Lines{"1,2,30", "2,1,5", "-,2,3"}));
    EXPECT_EQ(run(group(values({}, 2), strategy, {1}, {aggregate(kCountStar, {})})), Lines{});
  }
}

TEST_F(Aggregates, HavingFilterDistinctOrder) {
  std::vector<Cells> rows = {{1, 7}, {1, 7}, {1, 9}, {2, 5}};
  AggregateExpr* filtered = aggregate(kSumInt4, {in(2)});
  filtered->filter = op(">", in(2), int4(7));
  AggregateExpr* distinct = aggregate(kSumInt4, {in(2)});
  auto* clause = arena.make<SortClause>();
  clause->ref = 1;
  clause->equal_operator = operator_oid("=", type_oid::int4);
  clause->order_operator = operator_oid("<", type_oid::int4);
  distinct->args[0]->sort_group_ref = 1;
  distinct->distinct.push_back(arena, clause);
  AggregatePlan* p = group(values(rows, 2), AggregatePlan::Strategy::sorted, {1}, {filtered, distinct});
  EXPECT_EQ(run(p), (Lines{"1,9,16", "2,-,5"}));
  AggregateExpr* count = aggregate(kCountStar, {});
  p = group(values(rows, 2), AggregatePlan::Strategy::sorted, {1}, {count});
  p->filter.push_back(arena, op(">", count, int8(1)));
  EXPECT_EQ(run(p), (Lines{"1,3"}));
}

TEST_F(Aggregates, ByReferenceState) {
  auto* v = plan<ValuesScan>(PlanKind::values_scan);
  v->rte = 1;
  for (const char* s : {"b", "a longer text than the others", "zz", "c"}) {
    List<Expr*> row;
    row.push_back(arena, text(s));
    v->rows_of_values.push_back(arena, row);
  }
  target(v, variable(1, 1, type_oid::text));
  AggregateExpr* longest = aggregate(kMaxText, {variable(kOuterVar, 1, type_oid::text)});
  longest->input_collation = Oid{950};
  EXPECT_EQ(run(group(v, AggregatePlan::Strategy::plain, {}, {longest})), (Lines{"zz"}));
}

TEST_F(Aggregates, HashSpills) {
  auto input = [&](int n) {
    auto* f = plan<FunctionScan>(PlanKind::function_scan);
    f->rte = 7;
    auto* rte = arena.make<FunctionRte>();
    rte->call = call(Oid{1067}, {int4(1), int4(n)}, true);
    f->functions.push_back(arena, rte);
    target(f, op("%", variable(7, 1, type_oid::int4), int4(n / 2)));
    return f;
  };
  Lines expected = sorted(run(group(input(20000), AggregatePlan::Strategy::hashed, {1}, {aggregate(kCountStar, {})})));
  config::values::work_mem = 64;
  config::values::hash_mem_multiplier = 1.0;
  Lines spilled = sorted(run(group(input(20000), AggregatePlan::Strategy::hashed, {1}, {aggregate(kCountStar, {})})));
  EXPECT_EQ(expected.size(), 10000u);
  EXPECT_EQ(spilled, expected);
}

TEST_F(Aggregates, GroupingSets) {
  std::vector<Cells> rows = {{1, 1, 10}, {1, 2, 20}, {2, 1, 40}};
  auto sets = [&](AggregatePlan* p) {
    for (auto set : {std::vector<int>{0, 1}, std::vector<int>{0}, std::vector<int>{}}) {
      List<int> list;
      for (int i : set) list.push_back(arena, i);
      p->grouping_sets.push_back(arena, list);
    }
    auto* g = make<Grouping>(arena);
    p->left->targets[0]->sort_group_ref = 5;
    p->left->targets[1]->sort_group_ref = 6;
    g->refs.push_back(arena, 5);
    g->refs.push_back(arena, 6);
    target(p, g);
    return p;
  };
  Lines expected = {"-,-,70,3", "1,-,30,1", "1,1,10,0", "1,2,20,0", "2,-,40,1", "2,1,40,0"};
  EXPECT_EQ(sorted(run(sets(group(values(rows, 3), AggregatePlan::Strategy::hashed, {1, 2}, {aggregate(kSumInt4, {in(3)})})))), expected);
  // An ordered aggregate makes the sets sorted ones.
  AggregateExpr* ordered = aggregate(kSumInt4, {in(3)});
  auto* clause = arena.make<SortClause>();
  clause->ref = 1;
  clause->equal_operator = operator_oid("=", type_oid::int4);
  clause->order_operator = operator_oid("<", type_oid::int4);
  ordered->args[0]->sort_group_ref = 1;
  ordered->order_by.push_back(arena, clause);
  EXPECT_EQ(sorted(run(sets(group(values(rows, 3), AggregatePlan::Strategy::hashed, {1, 2}, {ordered})))), expected);
  EXPECT_EQ(run(sets(group(values({}, 3), AggregatePlan::Strategy::hashed, {1, 2}, {aggregate(kSumInt4, {in(3)})}))), (Lines{"-,-,-,3"}));
}

// --- windows ----------------------------------------------------------------------------------------------------------------------

class Windows : public Aggregates {
 protected:
  // Frames over rows (partition, order, value), sorted already.
  Lines window(const std::vector<Cells>& rows, Oid function, std::initializer_list<Expr*> args, int options, Expr* start = nullptr, Expr* end = nullptr,
               bool ordered = true, bool is_aggregate = true) {
    auto* p = plan<WindowAggregate>(PlanKind::window_aggregate);
    p->left = values(rows, 3);
    auto* clause = arena.make<WindowClause>();
    clause->frame_options = options;
    clause->start_offset = start;
    clause->end_offset = end;
    clause->start_in_range = clause->end_in_range = Oid{4128};
    p->window = clause;
    p->partition_columns.push_back(arena, 1);
    p->partition_operators.push_back(arena, operator_oid("=", type_oid::int4));
    if (ordered) {
      p->order_columns.push_back(arena, 2);
      p->order_operators.push_back(arena, operator_oid("=", type_oid::int4));
    }
    auto* w = make<WindowFunction>(arena);
    w->function = function;
    w->type = catalog::function_info(function).result;
    if (w->type == Oid{2283} || w->type == Oid{5077}) w->type = type_oid::int4;
    w->is_aggregate = is_aggregate;
    w->star = args.size() == 0 && is_aggregate;
    for (Expr* e : args) w->args.push_back(arena, e);
    p->functions.push_back(arena, w);
    target(p, w);
    return run(p);
  }
};

constexpr int kDefaultFrame = kFrameRange | kFrameStartUnboundedPreceding | kFrameEndCurrentRow;
const std::vector<Cells> kRows = {{1, 1, 10}, {1, 2, 20}, {1, 2, 30}, {1, 4, 40}, {2, 1, 5}, {2, 3, 7}};

TEST_F(Windows, Numbering) {
  EXPECT_EQ(window(kRows, Oid{3100}, {}, kDefaultFrame, nullptr, nullptr, true, false), (Lines{"1", "2", "3", "4", "1", "2"}));
  EXPECT_EQ(window(kRows, Oid{3101}, {}, kDefaultFrame, nullptr, nullptr, true, false), (Lines{"1", "2", "2", "4", "1", "2"}));
  EXPECT_EQ(window(kRows, Oid{3102}, {}, kDefaultFrame, nullptr, nullptr, true, false), (Lines{"1", "2", "2", "3", "1", "2"}));
  EXPECT_EQ(window(kRows, Oid{3104}, {}, kDefaultFrame, nullptr, nullptr, true, false), (Lines{"0.25", "0.75", "0.75", "1", "0.5", "1"}));
  EXPECT_EQ(window(kRows, Oid{3105}, {int4(3)}, kDefaultFrame, nullptr, nullptr, true, false), (Lines{"1", "1", "2", "3", "1", "2"}));
  EXPECT_EQ(window(kRows, Oid{3106}, {in(3)}, kDefaultFrame, nullptr, nullptr, true, false), (Lines{"-", "10", "20", "30", "-", "5"}));
  EXPECT_EQ(window(kRows, Oid{3110}, {in(3), int4(2)}, kDefaultFrame, nullptr, nullptr, true, false), (Lines{"30", "40", "-", "-", "-", "-"}));
  EXPECT_EQ(window(kRows, Oid{3113}, {in(3)}, kDefaultFrame, nullptr, nullptr, true, false), (Lines{"10", "30", "30", "40", "5", "7"}));
}

// The frame by definition, for every mode, against a slow sum.
TEST_F(Windows, FramesAgreeWithTheReference) {
  struct Bound { int kind; std::int64_t offset; };   // -2 unbounded preceding, -1 preceding, 0 current, 1 following, 2 unbounded following
  const Bound bounds[] = {{-2, 0}, {-1, 2}, {-1, 1}, {0, 0}, {1, 1}, {1, 2}, {2, 0}};
  const int excludes[] = {0, kFrameExcludeCurrentRow, kFrameExcludeGroup, kFrameExcludeTies};
  std::vector<Cells> rows = {{1, 1, 1}, {1, 1, 2}, {1, 3, 4}, {1, 4, 8}, {1, 4, 16}, {1, 4, 32}, {1, 9, 64}, {1, 10, 128}};
  auto n = static_cast<std::int64_t>(rows.size());
  std::vector<std::int64_t> group(rows.size(), 0);
  for (std::size_t i = 1; i < rows.size(); ++i) group[i] = group[i - 1] + (rows[i][1] != rows[i - 1][1] ? 1 : 0);
  for (int mode : {kFrameRows, kFrameRange, kFrameGroups}) {
    // Where row j stands relative to row i in the frame's units.
    auto distance = [&](std::int64_t i, std::int64_t j) {
      auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      return mode == kFrameRows ? j - i : mode == kFrameGroups ? group[b] - group[a] : *rows[b][1] - *rows[a][1];
    };
    for (const Bound& start : bounds) {
      for (const Bound& end : bounds) {
        if (start.kind == 2 || end.kind == -2 || start.kind > end.kind) continue;
        for (int exclude : excludes) {
          int options = mode | exclude;
          options |= start.kind == -2   ? kFrameStartUnboundedPreceding
                     : start.kind == -1 ? kFrameStartOffsetPreceding
                     : start.kind == 0  ? kFrameStartCurrentRow
                                        : kFrameStartOffsetFollowing;
          options |= end.kind == 2    ? kFrameEndUnboundedFollowing
                     : end.kind == -1 ? kFrameEndOffsetPreceding
                     : end.kind == 0  ? kFrameEndCurrentRow
                                      : kFrameEndOffsetFollowing;
          Lines expected;
          for (std::int64_t i = 0; i < n; ++i) {
            std::int64_t sum = 0;
            bool any = false;
            for (std::int64_t j = 0; j < n; ++j) {
              std::int64_t d = distance(i, j);
              if (start.kind != -2 && d < (start.kind < 0 ? -start.offset : start.offset)) continue;
              if (end.kind != 2 && d > (end.kind < 0 ? -end.offset : end.offset)) continue;
              bool peer = group[static_cast<std::size_t>(i)] == group[static_cast<std::size_t>(j)];
              if (exclude == kFrameExcludeCurrentRow && i == j) continue;
              if (exclude == kFrameExcludeGroup && peer) continue;
              if (exclude == kFrameExcludeTies && peer && i != j) continue;
              sum += *rows[static_cast<std::size_t>(j)][2];
              any = true;
            }
            expected.push_back(any ? std::to_string(sum) : "-");
          }
          auto offset = [&](const Bound& b) { return b.kind == -1 || b.kind == 1 ? (mode == kFrameRange ? int4(b.offset) : int8(b.offset)) : nullptr; };
          SCOPED_TRACE(::testing::Message() << "options " << options << " offsets " << start.offset << " " << end.offset);
          EXPECT_EQ(window(rows, kSumInt4, {in(3)}, options, offset(start), offset(end)), expected);
        }
      }
    }
  }
}

TEST_F(Windows, PartitionsLargerThanMemory) {
  // The current row must survive that the partition is spilled while its frame is read.
  std::vector<Cells> rows;
  for (int i = 0; i < 6000; ++i) rows.push_back({1, i / 3, i % 7});
  auto run_all = [&] {
    Lines all = window(rows, kSumInt4, {in(3)}, kFrameRows | kFrameStartOffsetPreceding | kFrameEndUnboundedFollowing, int8(2));
    Lines last = window(rows, Oid{3113}, {in(2)}, kFrameRows | kFrameStartCurrentRow | kFrameEndUnboundedFollowing, nullptr, nullptr, true, false);
    all.insert(all.end(), last.begin(), last.end());
    return all;
  };
  config::values::work_mem = 64;
  Lines spilled = run_all();
  config::values::work_mem = 4096;
  EXPECT_EQ(spilled, run_all());
  EXPECT_EQ(spilled.size(), 12000u);
}

TEST_F(Windows, WholePartitionWithoutOrder) {
  EXPECT_EQ(window(kRows, kSumInt4, {in(3)}, kDefaultFrame, nullptr, nullptr, false), (Lines{"100", "100", "100", "100", "12", "12"}));
  EXPECT_EQ(window(kRows, kCountStar, {}, kDefaultFrame), (Lines{"1", "3", "3", "4", "1", "2"}));
}

}  // namespace
}  // namespace hathi::test
