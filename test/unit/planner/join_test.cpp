// Plans of joins over VALUES and functions: no tables are needed to see methods, orders and legality.

#include <gtest/gtest.h>

#include <functional>

#include "hathi/analyzer/analyze.h"
#include "hathi/catalog/lookup.h"
#include "hathi/config/planner_settings.h"
#include "hathi/parser/parser.h"
#include "hathi/planner/plan.h"
#include "hathi/types/register.h"

namespace hathi::planner {
namespace {

class JoinPlans : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (catalog::find_function(Oid{1841}) == nullptr) {
      types::register_all();
      catalog::load_builtin_objects();
    }
    catalog::set_identity(kPostgresDatabase, "postgres", kBootstrapSuperuser);
  }
  void TearDown() override {
    config::values::enable_hashjoin = config::values::enable_mergejoin = config::values::enable_nestloop = config::values::enable_hashagg = true;
    config::values::join_collapse_limit = config::values::from_collapse_limit = 8;
    config::values::geqo_threshold = 12;
  }

  PlannedStatement* plan_of(const std::string& sql) {
    analyzer::ParameterTypes none;
    List<parser::Statement> statements = parser::parse(sql, arena_);
    nodes::Query* query = analyzer::analyze_node(statements[0].node, sql, arena_, none);
    return plan(query, {}, 0, arena_);
  }
  static void walk(const Plan* p, const std::function<void(const Plan*)>& f) {
    if (p == nullptr) return;
    f(p);
    if (p->kind == PlanKind::subquery_scan) walk(static_cast<const SubqueryScan*>(p)->subplan, f);
    walk(p->left, f);
    walk(p->right, f);
  }
  static int count(const PlannedStatement* s, PlanKind kind) {
    int n = 0;
    walk(s->plan, [&](const Plan* p) { n += p->kind == kind; });
    return n;
  }
  static const Join* first_join(const PlannedStatement* s) {
    const Join* out = nullptr;
    walk(s->plan, [&](const Plan* p) {
      bool join = p->kind == PlanKind::nest_loop || p->kind == PlanKind::merge_join || p->kind == PlanKind::hash_join;
      if (join && out == nullptr) out = static_cast<const Join*>(p);
    });
    return out;
  }

  Arena arena_;
};

constexpr const char* kTwo = "select * from generate_series(1, 9) a join generate_series(1, 9) b on a = b";

TEST_F(JoinPlans, MethodsFollowSettings) {
  config::values::enable_mergejoin = config::values::enable_nestloop = false;
  EXPECT_EQ(count(plan_of(kTwo), PlanKind::hash_join), 1);
  config::values::enable_mergejoin = true;
  config::values::enable_hashjoin = false;
  PlannedStatement* merge = plan_of(kTwo);
  EXPECT_EQ(count(merge, PlanKind::merge_join), 1);
  EXPECT_EQ(count(merge, PlanKind::sort), 2);
}

TEST_F(JoinPlans, AMergeJoinsOrderIsNotSortedAgain) {
  config::values::enable_hashjoin = config::values::enable_nestloop = false;
  EXPECT_EQ(count(plan_of(std::string(kTwo) + " order by a"), PlanKind::sort), 2);
  EXPECT_EQ(count(plan_of(std::string(kTwo) + " order by b"), PlanKind::sort), 2);   // equal to a
  EXPECT_EQ(count(plan_of(std::string(kTwo) + " order by b desc"), PlanKind::sort), 2);
  EXPECT_EQ(count(plan_of("select a + 1 from generate_series(1, 9) a join generate_series(1, 9) b on a = b order by a + 1"), PlanKind::sort), 3);
}

TEST_F(JoinPlans, ConstantsNeedNoSort) {
  EXPECT_EQ(count(plan_of("select * from generate_series(1, 9) a where a = 3 order by a"), PlanKind::sort), 0);
  EXPECT_EQ(count(plan_of("select * from generate_series(1, 9) a order by a, a"), PlanKind::sort), 1);
}

TEST_F(JoinPlans, FullJoinsNeedAnEquality) {
  EXPECT_EQ(first_join(plan_of("select * from generate_series(1, 9) a full join generate_series(1, 9) b on a = b"))->type, nodes::JoinType::full);
  config::values::enable_hashjoin = false;
  EXPECT_EQ(count(plan_of("select * from generate_series(1, 9) a full join generate_series(1, 9) b on a = b"), PlanKind::merge_join), 1);
  EXPECT_THROW(plan_of("select * from generate_series(1, 9) a full join generate_series(1, 9) b on a < b"), SqlError);
}

TEST_F(JoinPlans, EqualitiesPassOnConstants) {
  PlannedStatement* s = plan_of("select * from generate_series(1, 9) a, generate_series(1, 9) b where a = b and b = 4");
  int filtered = 0;
  walk(s->plan, [&](const Plan* p) { filtered += p->kind == PlanKind::function_scan && p->filter.size() == 1; });
  EXPECT_EQ(filtered, 2);
}

TEST_F(JoinPlans, EqualitiesJoinWhatWasNotWritten) {
  // a = b and a = c: b and c can be joined first; each way no join is without a condition.
  PlannedStatement* s = plan_of("select * from (values (1), (2)) a(x), generate_series(1, 9) b, (values (1), (3)) c(x) where a.x = b and c.x = b");
  walk(s->plan, [&](const Plan* p) {
    if (p->kind == PlanKind::nest_loop) { EXPECT_FALSE(static_cast<const Join*>(p)->conditions.empty()); }
  });
}

TEST_F(JoinPlans, CollapseLimitKeepsTheWrittenOrder) {
  const char* sql = "select * from generate_series(1, 9) a cross join generate_series(1, 9) b join (values (1)) c(x) on c.x = a";
  auto bottom = [&](const PlannedStatement* s) {
    bool values_below_two = false;
    walk(s->plan, [&](const Plan* p) {
      bool is_join = p->kind == PlanKind::nest_loop || p->kind == PlanKind::hash_join || p->kind == PlanKind::merge_join;
      if (!is_join || p == first_join(s)) return;
      walk(p, [&](const Plan* q) { values_below_two = values_below_two || q->kind == PlanKind::values_scan || q->kind == PlanKind::result; });
    });
    return values_below_two;
  };
  EXPECT_TRUE(bottom(plan_of(sql)));    // the small relation is joined first
  config::values::join_collapse_limit = 1;
  EXPECT_FALSE(bottom(plan_of(sql)));
}

TEST_F(JoinPlans, ManyRelationsAreJoinedGreedily) {
  std::string sql = "select count(*) from generate_series(1, 2) t0";
  for (int i = 1; i < 20; ++i) sql += ", generate_series(1, 2) t" + std::to_string(i);
  sql += " where true";
  for (int i = 1; i < 20; ++i) sql += " and t" + std::to_string(i) + " = t" + std::to_string(i - 1);
  config::values::from_collapse_limit = 30;
  PlannedStatement* s = plan_of(sql);
  EXPECT_EQ(count(s, PlanKind::function_scan), 20);
}

TEST_F(JoinPlans, OuterJoinsKeepTheirPlace) {
  PlannedStatement* s = plan_of("select * from generate_series(1, 9) a left join (generate_series(1, 9) b join generate_series(1, 9) c on b = c) on a = b");
  int outer = 0;
  walk(s->plan, [&](const Plan* p) {
    bool join = p->kind == PlanKind::nest_loop || p->kind == PlanKind::merge_join || p->kind == PlanKind::hash_join;
    outer += join && static_cast<const Join*>(p)->type != nodes::JoinType::inner;
  });
  EXPECT_EQ(outer, 1);
  EXPECT_NE(first_join(s)->type, nodes::JoinType::inner);
}

TEST_F(JoinPlans, HavingWithoutAggregatesIsCheckedBelow) {
  PlannedStatement* s = plan_of("select a, count(*) from generate_series(1, 9) a group by a having a > 3 and count(*) > 0");
  walk(s->plan, [&](const Plan* p) {
    if (p->kind == PlanKind::aggregate) { EXPECT_EQ(p->filter.size(), 1u); }
    if (p->kind == PlanKind::function_scan) { EXPECT_EQ(p->filter.size(), 1u); }
  });
}

}  // namespace
}  // namespace hathi::planner
