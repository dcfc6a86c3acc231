#include "fixture.h"
#include "hathi/heap/free_space.h"

namespace hathi::btree {
namespace {

TEST_F(IndexTest, EmptyPagesAreDeletedAndUsedAgain) {
  make({{'i'}});
  for (std::uint32_t i = 0; i < 40000; ++i) put({Datum::of(static_cast<std::int32_t>(i))}, tid(i));
  std::uint32_t before = blocks();
  fake::commit();
  fake::begin();
  VacuumResult r = vacuum(index, [](TupleId t) { return number(t) < 30000; });
  EXPECT_EQ(r.removed, 30000u);
  EXPECT_GT(r.pages_deleted, 75u);
  EXPECT_EQ(check_tree(), 10000u);
  EXPECT_EQ(rows().front(), 30000u);
  // Not free while somebody may still be on the way to them.
  {
    fake::View view;
    fake::commit();
    fake::begin();
    r = vacuum(index, [](TupleId) { return false; });
    EXPECT_EQ(r.pages_free, 0u);
  }
  fake::commit();
  fake::begin();
  r = vacuum(index, [](TupleId) { return false; });
  EXPECT_GT(r.pages_free, 75u);
  for (std::uint32_t i = 40000; i < 65000; ++i) put({Datum::of(static_cast<std::int32_t>(i))}, tid(i));
  EXPECT_EQ(blocks(), before);
  EXPECT_EQ(check_tree(), 35000u);
}

TEST_F(IndexTest, QueueDoesNotGrow) {
  make({{'i'}});
  std::uint32_t head = 0, tail = 0, most = 0;
  for (int round = 0; round < 60; ++round) {
    for (int i = 0; i < 2000; ++i, ++head) put({Datum::of(static_cast<std::int32_t>(head))}, tid(head));
    if (head - tail > 4000) {
      std::uint32_t until = head - 2000;
      vacuum(index, [&](TupleId t) { return number(t) < until; });
      tail = until;
    }
    fake::commit();
    fake::begin();
    if (round == 20) most = blocks();
  }
  EXPECT_LE(blocks(), most + 10);
  EXPECT_EQ(check_tree(), head - tail);
}

TEST_F(IndexTest, LinesKilledByScansGoWithVacuum) {
  make({{'i'}});
  for (std::uint32_t i = 0; i < 100; ++i) put({Datum::of(static_cast<std::int32_t>(i))}, tid(i));
  {
    Scan scan(index, false);
    scan.start({});
    TupleId t;
    while (scan.next(t)) {
      if (number(t) < 10) scan.kill_current();
    }
  }
  vacuum(index, [](TupleId t) { return number(t) == 50; });
  EXPECT_EQ(check_tree(), 89u);
}

}  // namespace
}  // namespace hathi::btree
