// What DROP finds, reports and in which order: the dependency graph and the answers were taken from a stock PostgreSQL 15 after
//   create table t1(a int primary key, b int check (b > 0), c serial);
//   create view v1 as select a from t1; create view v2 as select a from v1;
//   create table t2(a int references t1, b int default 5);
//   create function f1(t1) returns int language sql as 'select 1';
//   create type ct as (x int, y t1); create table t3(a ct);
//   create table pt(a int) partition by range (a); create table pt1 partition of pt for values from (1) to (10); create index on pt(a);
#include "src/backend/catalog/deletion_plan.h"

#include <gtest/gtest.h>

#include "hathi/error/report.h"
#include "hathi/error/sql_error.h"

namespace hathi::catalog {
namespace {

struct Edge { std::uint32_t class_id, object; int sub; std::uint32_t other_class, other; int other_sub; char kind; };
const Edge kEdges[] = {
    {1259, 16578, 0, 2615, 2200, 0, 'n'},
    {1259, 16578, 0, 1259, 16579, 3, 'a'},
    {1259, 16579, 0, 2615, 2200, 0, 'n'},
    {1247, 16580, 0, 1247, 16581, 0, 'i'},
    {1247, 16581, 0, 1259, 16579, 0, 'i'},
    {2604, 16582, 0, 1259, 16578, 0, 'n'},
    {2604, 16582, 0, 1259, 16579, 3, 'a'},
    {2606, 16583, 0, 1259, 16579, 2, 'a'},
    {2606, 16583, 0, 1259, 16579, 2, 'n'},
    {1259, 16584, 0, 2606, 16585, 0, 'i'},
    {2606, 16585, 0, 1259, 16579, 1, 'a'},
    {1259, 16586, 0, 2615, 2200, 0, 'n'},
    {1247, 16587, 0, 1247, 16588, 0, 'i'},
    {1247, 16588, 0, 1259, 16586, 0, 'i'},
    {2618, 16589, 0, 1259, 16579, 1, 'n'},
    {2618, 16589, 0, 1259, 16586, 0, 'i'},
    {2618, 16589, 0, 1259, 16586, 0, 'n'},
    {1259, 16590, 0, 2615, 2200, 0, 'n'},
    {1247, 16591, 0, 1247, 16592, 0, 'i'},
    {1247, 16592, 0, 1259, 16590, 0, 'i'},
    {2618, 16593, 0, 1259, 16586, 1, 'n'},
    {2618, 16593, 0, 1259, 16590, 0, 'n'},
    {2618, 16593, 0, 1259, 16590, 0, 'i'},
    {1259, 16594, 0, 2615, 2200, 0, 'n'},
    {1247, 16595, 0, 1247, 16596, 0, 'i'},
    {1247, 16596, 0, 1259, 16594, 0, 'i'},
    {2604, 16597, 0, 1259, 16594, 2, 'a'},
    {2606, 16598, 0, 1259, 16579, 1, 'n'},
    {2606, 16598, 0, 1259, 16584, 0, 'n'},
    {2606, 16598, 0, 1259, 16594, 1, 'a'},
    {2620, 16599, 0, 2606, 16598, 0, 'i'},
    {2620, 16600, 0, 2606, 16598, 0, 'i'},
    {2620, 16601, 0, 2606, 16598, 0, 'i'},
    {2620, 16602, 0, 2606, 16598, 0, 'i'},
    {1255, 16603, 0, 2615, 2200, 0, 'n'},
    {1255, 16603, 0, 1247, 16581, 0, 'n'},
    {1259, 16604, 2, 1247, 16581, 0, 'n'},
    {1259, 16604, 0, 1247, 16606, 0, 'i'},
    {1247, 16605, 0, 1247, 16606, 0, 'i'},
    {1247, 16606, 0, 2615, 2200, 0, 'n'},
    {1259, 16607, 0, 2615, 2200, 0, 'n'},
    {1259, 16607, 1, 1247, 16606, 0, 'n'},
    {1247, 16608, 0, 1247, 16609, 0, 'i'},
    {1247, 16609, 0, 1259, 16607, 0, 'i'},
    {1259, 16610, 0, 1259, 16607, 0, 'i'},
    {1259, 16611, 0, 1259, 16610, 1, 'a'},
    {1259, 16611, 0, 1259, 16610, 2, 'a'},
    {1259, 16612, 0, 2615, 2200, 0, 'n'},
    {1259, 16612, 1, 1259, 16612, 0, 'i'},
    {1247, 16613, 0, 1247, 16614, 0, 'i'},
    {1247, 16614, 0, 1259, 16612, 0, 'i'},
    {1259, 16615, 0, 2615, 2200, 0, 'n'},
    {1259, 16615, 0, 1259, 16612, 0, 'a'},
    {1247, 16616, 0, 1247, 16617, 0, 'i'},
    {1247, 16617, 0, 1259, 16615, 0, 'i'},
    {1259, 16618, 0, 1259, 16612, 1, 'a'},
    {1259, 16619, 0, 1259, 16615, 1, 'a'},
    {1259, 16619, 0, 1259, 16615, 0, 'S'},
    {1259, 16619, 0, 1259, 16618, 0, 'P'},
};
struct Named { std::uint32_t class_id, object; int sub; const char* text; };
const Named kNames[] = {
    {2615, 2200, 0, "schema public"},
    {1259, 16578, 0, "sequence t1_c_seq"},
    {1259, 16579, 0, "table t1"},
    {1259, 16579, 1, "column a of table t1"},
    {1259, 16579, 2, "column b of table t1"},
    {1259, 16579, 3, "column c of table t1"},
    {1247, 16580, 0, "type t1[]"},
    {1247, 16581, 0, "type t1"},
    {2604, 16582, 0, "default value for column c of table t1"},
    {2606, 16583, 0, "constraint t1_b_check on table t1"},
    {1259, 16584, 0, "index t1_pkey"},
    {2606, 16585, 0, "constraint t1_pkey on table t1"},
    {1259, 16586, 0, "view v1"},
    {1259, 16586, 1, "column a of view v1"},
    {1247, 16587, 0, "type v1[]"},
    {1247, 16588, 0, "type v1"},
    {2618, 16589, 0, "rule _RETURN on view v1"},
    {1259, 16590, 0, "view v2"},
    {1247, 16591, 0, "type v2[]"},
    {1247, 16592, 0, "type v2"},
    {2618, 16593, 0, "rule _RETURN on view v2"},
    {1259, 16594, 0, "table t2"},
    {1259, 16594, 1, "column a of table t2"},
    {1259, 16594, 2, "column b of table t2"},
    {1247, 16595, 0, "type t2[]"},
    {1247, 16596, 0, "type t2"},
    {2604, 16597, 0, "default value for column b of table t2"},
    {2606, 16598, 0, "constraint t2_a_fkey on table t2"},
    {2620, 16599, 0, "trigger RI_ConstraintTrigger_a_16599 on table t1"},
    {2620, 16600, 0, "trigger RI_ConstraintTrigger_a_16600 on table t1"},
    {2620, 16601, 0, "trigger RI_ConstraintTrigger_c_16601 on table t2"},
    {2620, 16602, 0, "trigger RI_ConstraintTrigger_c_16602 on table t2"},
    {1255, 16603, 0, "function f1(t1)"},
    {1259, 16604, 0, "composite type ct"},
    {1259, 16604, 2, "column y of composite type ct"},
    {1247, 16605, 0, "type ct[]"},
    {1247, 16606, 0, "type ct"},
    {1259, 16607, 0, "table t3"},
    {1259, 16607, 1, "column a of table t3"},
    {1247, 16608, 0, "type t3[]"},
    {1247, 16609, 0, "type t3"},
    {1259, 16610, 0, "toast table pg_toast.pg_toast_16607"},
    {1259, 16610, 1, "column chunk_id of toast table pg_toast.pg_toast_16607"},
    {1259, 16610, 2, "column chunk_seq of toast table pg_toast.pg_toast_16607"},
    {1259, 16611, 0, "index pg_toast.pg_toast_16607_index"},
    {1259, 16612, 0, "table pt"},
    {1259, 16612, 1, "column a of table pt"},
    {1247, 16613, 0, "type pt[]"},
    {1247, 16614, 0, "type pt"},
    {1259, 16615, 0, "table pt1"},
    {1259, 16615, 1, "column a of table pt1"},
    {1247, 16616, 0, "type pt1[]"},
    {1247, 16617, 0, "type pt1"},
    {1259, 16618, 0, "index pt_a_idx"},
    {1259, 16619, 0, "index pt1_a_idx"},
};

ObjectAddress find(std::string_view text) {
  for (const Named& n : kNames) {
    if (n.text == text) return {Oid{n.class_id}, Oid{n.object}, n.sub};
  }
  ADD_FAILURE() << text;
  return {};
}

DependencySource source() {
  DependencySource s;
  auto matches = [](const ObjectAddress& o, std::uint32_t class_id, std::uint32_t object, int sub) {
    return raw(o.class_id) == class_id && raw(o.object) == object && (o.sub == 0 || o.sub == sub);
  };
  s.references = [=](const ObjectAddress& o) {
    std::vector<DependencyEdge> edges;
    for (const Edge& e : kEdges) {
      if (matches(o, e.class_id, e.object, e.sub)) edges.push_back({{Oid{e.other_class}, Oid{e.other}, e.other_sub}, e.kind});
    }
    return edges;
  };
  s.dependents = [=](const ObjectAddress& o) {
    std::vector<DependencyEdge> edges;
    for (const Edge& e : kEdges) {
      if (matches(o, e.other_class, e.other, e.other_sub)) edges.push_back({{Oid{e.class_id}, Oid{e.object}, e.sub}, e.kind});
    }
    return edges;
  };
  s.describe = [](const ObjectAddress& o) -> std::string {
    for (const Named& n : kNames) {
      if (Oid{n.class_id} == o.class_id && Oid{n.object} == o.object && n.sub == o.sub) return n.text;
    }
    return "?";
  };
  s.lock = [](const ObjectAddress&) { return true; };
  return s;
}

ErrorReport drop(std::vector<std::string_view> texts) {
  std::vector<ObjectAddress> objects;
  for (std::string_view t : texts) objects.push_back(find(t));
  try {
    report_deletion(plan_deletion(objects, source()), objects, false, false, source());
  } catch (const SqlError& e) {
    return e.report();
  }
  return {};
}

ErrorReport last_notice;

TEST(DeletionPlan, RestrictNamesWhatDepends) {
  ErrorReport r = drop({"table t1"});
  EXPECT_EQ(r.code.view(), "2BP01");
  EXPECT_EQ(r.message, "cannot drop table t1 because other objects depend on it");
  EXPECT_EQ(r.detail,
            "function f1(t1) depends on type t1\n"
            "column y of composite type ct depends on type t1\n"
            "view v1 depends on table t1\n"
            "view v2 depends on view v1\n"
            "constraint t2_a_fkey on table t2 depends on table t1");
  EXPECT_EQ(r.hint, "Use DROP ... CASCADE to drop the dependent objects too.");
}

TEST(DeletionPlan, SeveralObjects) {
  ErrorReport r = drop({"table t1", "table t2"});
  EXPECT_EQ(r.message, "cannot drop desired object(s) because other objects depend on them");
  EXPECT_EQ(r.detail,
            "function f1(t1) depends on type t1\n"
            "column y of composite type ct depends on type t1\n"
            "view v1 depends on table t1\n"
            "view v2 depends on view v1");
}

TEST(DeletionPlan, PartsPointToTheirOwner) {
  EXPECT_EQ(drop({"index t1_pkey"}).message, "cannot drop index t1_pkey because constraint t1_pkey on table t1 requires it");
  EXPECT_EQ(drop({"index t1_pkey"}).hint, "You can drop constraint t1_pkey on table t1 instead.");
  EXPECT_EQ(drop({"type t1"}).message, "cannot drop type t1 because table t1 requires it");
  EXPECT_EQ(drop({"type t1[]"}).message, "cannot drop type t1[] because type t1 requires it");
  EXPECT_EQ(drop({"index pt1_a_idx"}).message, "cannot drop index pt1_a_idx because index pt_a_idx requires it");
  EXPECT_EQ(drop({"index pt_a_idx"}).message, "");
}

TEST(DeletionPlan, ColumnsAndConstraints) {
  EXPECT_EQ(drop({"column a of table t1"}).detail,
            "view v1 depends on column a of table t1\n"
            "view v2 depends on view v1\n"
            "constraint t2_a_fkey on table t2 depends on column a of table t1");
  EXPECT_EQ(drop({"constraint t1_pkey on table t1"}).detail, "constraint t2_a_fkey on table t2 depends on index t1_pkey");
  EXPECT_EQ(drop({"sequence t1_c_seq"}).detail, "default value for column c of table t1 depends on sequence t1_c_seq");
  EXPECT_EQ(drop({"type ct"}).detail, "column a of table t3 depends on type ct");
  EXPECT_EQ(drop({"view v2"}).message, "");
}

TEST(DeletionPlan, CascadeSaysWhatGoesToo) {
  std::vector<ObjectAddress> objects{find("table t1")};
  std::vector<Deletion> plan = plan_deletion(objects, source());
  set_client_sink([](const ErrorReport& r) { last_notice = r; });
  set_report_levels(Severity::notice, Severity::warning);
  report_deletion(plan, objects, true, false, source());
  EXPECT_EQ(last_notice.message, "drop cascades to 5 other objects");
  EXPECT_EQ(last_notice.detail,
            "drop cascades to function f1(t1)\n"
            "drop cascades to column y of composite type ct\n"
            "drop cascades to view v1\n"
            "drop cascades to view v2\n"
            "drop cascades to constraint t2_a_fkey on table t2");
  objects = {find("view v1")};
  report_deletion(plan_deletion(objects, source()), objects, true, false, source());
  EXPECT_EQ(last_notice.message, "drop cascades to view v2");
  set_client_sink(nullptr);
  // Whatever depends goes first.
  EXPECT_EQ(plan.back().object, find("table t1"));
  auto position = [&](std::string_view text) {
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (plan[i].object == find(text)) return i;
    }
    return plan.size();
  };
  EXPECT_LT(position("view v2"), position("view v1"));
  EXPECT_LT(position("constraint t2_a_fkey on table t2"), position("index t1_pkey"));
  EXPECT_LT(position("type t1[]"), position("type t1"));
}

}  // namespace
}  // namespace hathi::catalog
