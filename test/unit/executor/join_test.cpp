// Joins of random rows against a slow reference: all types, duplicates, NULLs, spilling.

#include <algorithm>
#include <random>

#include "plan_builder.h"

namespace hathi::test {
namespace {

struct Table {
  std::vector<Cells> rows;   // key, payload
};

Table random_table(std::mt19937& random, int rows, int keys, int null_percent) {
  Table t;
  for (int i = 0; i < rows; ++i) {
    bool null = static_cast<int>(random() % 100) < null_percent;
    t.rows.push_back({null ? Cell() : Cell(static_cast<std::int64_t>(random() % static_cast<unsigned>(keys))), Cell(i)});
  }
  return t;
}

std::string text(const Cell& c) { return c ? std::to_string(*c) : "-"; }
std::string joined(const Cells* a, const Cells* b) {
  auto side = [](const Cells* r) { return r == nullptr ? std::string("-,-") : text((*r)[0]) + "," + text((*r)[1]); };
  return side(a) + "," + side(b);
}

// conditions besides the key: the payloads' sum is even.
bool extra(const Cells& a, const Cells& b) { return (*a[1] + *b[1]) % 2 == 0; }

std::vector<std::string> reference(const Table& left, const Table& right, JoinType type, bool with_extra) {
  std::vector<std::string> out;
  std::vector<bool> matched(right.rows.size(), false);
  for (const Cells& a : left.rows) {
    bool any = false;
    for (std::size_t i = 0; i < right.rows.size(); ++i) {
      const Cells& b = right.rows[i];
      if (!a[0] || !b[0] || *a[0] != *b[0] || (with_extra && !extra(a, b))) continue;
      matched[i] = true;
      if (type == JoinType::semi || type == JoinType::anti) {
        if (!any && type == JoinType::semi) out.push_back(text(a[0]) + "," + text(a[1]));
        any = true;
        continue;
      }
      any = true;
      out.push_back(joined(&a, &b));
    }
    if (any) continue;
    if (type == JoinType::left || type == JoinType::full) out.push_back(joined(&a, nullptr));
    if (type == JoinType::anti) out.push_back(text(a[0]) + "," + text(a[1]));
  }
  if (type == JoinType::right || type == JoinType::full) {
    for (std::size_t i = 0; i < right.rows.size(); ++i) {
      if (!matched[i]) out.push_back(joined(nullptr, &right.rows[i]));
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

class Joins : public testing::Test {
 protected:
  void TearDown() override {
    config::values::work_mem = 4096;
    config::values::hash_mem_multiplier = 2.0;
  }

  static void join_targets(PlanBuilder& b, Join* j) {
    b.target(j, b.variable(kOuterVar, 1, type_oid::int4));
    b.target(j, b.variable(kOuterVar, 2, type_oid::int4));
    if (j->type == JoinType::semi || j->type == JoinType::anti) return;
    b.target(j, b.variable(kInnerVar, 1, type_oid::int4));
    b.target(j, b.variable(kInnerVar, 2, type_oid::int4));
  }
  static Expr* extra_condition(PlanBuilder& b) {
    Expr* sum = b.op("+", b.variable(kOuterVar, 2, type_oid::int4), b.variable(kInnerVar, 2, type_oid::int4));
    return b.op("=", b.op("%", sum, b.int4(2)), b.int4(0));
  }
  static std::vector<std::string> sorted(std::vector<std::string> rows) {
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  static std::vector<std::string> hash_join(const Table& left, const Table& right, JoinType type, bool with_extra) {
    PlanBuilder b;
    auto* j = b.plan<HashJoin>(PlanKind::hash_join);
    j->type = type;
    j->left = b.values(left.rows, 2);
    auto* h = b.plan<Hash>(PlanKind::hash);
    h->left = b.values(right.rows, 2);
    b.same_targets(h);
    j->right = h;
    Expr* outer = b.variable(kOuterVar, 1, type_oid::int4);
    Expr* inner = b.variable(kInnerVar, 1, type_oid::int4);
    j->clauses.push_back(b.arena, b.op("=", outer, inner));
    j->outer_keys.push_back(b.arena, outer);
    j->inner_keys.push_back(b.arena, inner);
    j->outer_hash.push_back(b.arena, Oid{450});
    j->inner_hash.push_back(b.arena, Oid{450});
    j->equal_functions.push_back(b.arena, Oid{65});
    j->collations.push_back(b.arena, kInvalidOid);
    if (with_extra) j->conditions.push_back(b.arena, extra_condition(b));
    join_targets(b, j);
    return sorted(b.run(j));
  }

  static std::vector<std::string> nest_loop(const Table& left, const Table& right, JoinType type, bool with_extra) {
    PlanBuilder b;
    auto* j = b.plan<NestLoop>(PlanKind::nest_loop);
    j->type = type;
    j->left = b.values(left.rows, 2);
    auto* m = b.plan<Materialize>(PlanKind::materialize);
    m->left = b.values(right.rows, 2);
    b.same_targets(m);
    j->right = m;
    j->conditions.push_back(b.arena, b.op("=", b.variable(kOuterVar, 1, type_oid::int4), b.variable(kInnerVar, 1, type_oid::int4)));
    if (with_extra) j->conditions.push_back(b.arena, extra_condition(b));
    join_targets(b, j);
    return sorted(b.run(j));
  }

  static Plan* sorted_values(PlanBuilder& b, const Table& t, bool descending, bool nulls_first) {
    auto* s = b.plan<Sort>(PlanKind::sort);
    s->left = b.values(t.rows, 2);
    b.same_targets(s);
    s->keys.columns.push_back(b.arena, 1);
    s->keys.operators.push_back(b.arena, b.operator_oid(descending ? ">" : "<", type_oid::int4));
    s->keys.collations.push_back(b.arena, kInvalidOid);
    s->keys.nulls_first.push_back(b.arena, nulls_first);
    return s;
  }

  static std::vector<std::string> merge_join(const Table& left, const Table& right, JoinType type, bool with_extra, bool descending, bool nulls_first) {
    PlanBuilder b;
    auto* j = b.plan<MergeJoin>(PlanKind::merge_join);
    j->type = type;
    j->left = sorted_values(b, left, descending, nulls_first);
    j->right = sorted_values(b, right, descending, nulls_first);
    auto* c = b.arena.make<MergeClause>();
    c->outer = b.variable(kOuterVar, 1, type_oid::int4);
    c->inner = b.variable(kInnerVar, 1, type_oid::int4);
    c->comparison = Oid{351};
    c->descending = descending;
    c->nulls_first = nulls_first;
    j->clauses.push_back(b.arena, c);
    if (with_extra) j->conditions.push_back(b.arena, extra_condition(b));
    join_targets(b, j);
    return sorted(b.run(j));
  }
};

const JoinType kAll[] = {JoinType::inner, JoinType::left, JoinType::right, JoinType::full, JoinType::semi, JoinType::anti};

TEST_F(Joins, AgreeWithTheReference) {
  std::mt19937 random(20240501);
  for (int round = 0; round < 25; ++round) {
    Table left = random_table(random, static_cast<int>(random() % 40), 1 + static_cast<int>(random() % 12), round % 3 * 15);
    Table right = random_table(random, static_cast<int>(random() % 40), 1 + static_cast<int>(random() % 12), round % 3 * 15);
    for (JoinType type : kAll) {
      for (bool with_extra : {false, true}) {
        SCOPED_TRACE(::testing::Message() << "round " << round << " type " << static_cast<int>(type) << " extra " << with_extra);
        std::vector<std::string> expected = reference(left, right, type, with_extra);
        EXPECT_EQ(hash_join(left, right, type, with_extra), expected);
        EXPECT_EQ(merge_join(left, right, type, with_extra, false, false), expected);
        EXPECT_EQ(merge_join(left, right, type, with_extra, true, true), expected);
        if (type != JoinType::right && type != JoinType::full) { EXPECT_EQ(nest_loop(left, right, type, with_extra), expected); }
      }
    }
  }
}

TEST_F(Joins, SpillWithLittleMemory) {
  std::mt19937 random(7);
  Table left = random_table(random, 3000, 900, 5);
  Table right = random_table(random, 4000, 900, 5);
  config::values::work_mem = 64;
  config::values::hash_mem_multiplier = 1.0;
  for (JoinType type : kAll) {
    SCOPED_TRACE(static_cast<int>(type));
    std::vector<std::string> expected = reference(left, right, type, false);
    EXPECT_EQ(hash_join(left, right, type, false), expected);
    EXPECT_EQ(merge_join(left, right, type, false, false, true), expected);
  }
}

TEST_F(Joins, OneKeyMoreThanMemory) {
  // All inner rows have one hash value: more batches do not help, and must not go on for ever.
  Table left, right;
  for (int i = 0; i < 3; ++i) left.rows.push_back({Cell(1), Cell(i)});
  for (int i = 0; i < 5000; ++i) right.rows.push_back({Cell(1), Cell(i)});
  config::values::work_mem = 64;
  config::values::hash_mem_multiplier = 1.0;
  EXPECT_EQ(hash_join(left, right, JoinType::inner, false).size(), 15000u);
  EXPECT_EQ(merge_join(left, right, JoinType::full, false, false, false).size(), 15000u);
}

TEST_F(Joins, ParametersDriveTheInnerSide) {
  // For each outer row the inner VALUES depends on a parameter.
  PlanBuilder b;
  b.exec_params({type_oid::int4});
  auto* j = b.plan<NestLoop>(PlanKind::nest_loop);
  j->left = b.values({{1, 0}, {2, 0}, {3, 0}}, 2);
  auto* v = b.plan<ValuesScan>(PlanKind::values_scan);
  v->rte = 9;
  List<Expr*> row;
  row.push_back(b.arena, b.op("*", b.exec_param(0, type_oid::int4), b.int4(10)));
  v->rows_of_values.push_back(b.arena, row);
  b.target(v, b.variable(9, 1, type_oid::int4));
  v->parameters.push_back(b.arena, 0);
  auto* m = b.plan<Materialize>(PlanKind::materialize);   // must forget its rows when the parameter changes
  m->left = v;
  b.same_targets(m);
  m->parameters = v->parameters;
  j->right = m;
  auto* p = b.arena.make<NestLoopParam>();
  p->slot = 0;
  p->value = b.variable(kOuterVar, 1, type_oid::int4);
  j->params.push_back(b.arena, p);
  b.target(j, b.variable(kOuterVar, 1, type_oid::int4));
  b.target(j, b.variable(kInnerVar, 1, type_oid::int4));
  EXPECT_EQ(b.run(j), (std::vector<std::string>{"1,10", "2,20", "3,30"}));
}

}  // namespace
}  // namespace hathi::test
