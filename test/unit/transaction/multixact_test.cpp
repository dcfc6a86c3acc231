#include <gtest/gtest.h>

#include "../test_cluster.h"
#include "hathi/transaction/transaction.h"
#include "hathi/transaction/xid_status.h"

namespace hathi::transaction {
namespace {

using test::Cluster;

TEST(Multixact, MembersComeBackAfterACrash) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    wal::perform_checkpoint({.immediate = true});
    // Enough to fill several pages of members.
    for (std::uint64_t n = 1; n <= 1500; ++n) {
      MultiXactMember members[] = {
          {Xid{n + 100}, RowLockStatus::for_key_share}, {Xid{n + 200}, RowLockStatus::no_key_update}, {Xid{n + 300}, RowLockStatus::for_share}};
      EXPECT_EQ(create_multixact(std::span(members).first(n % 2 ? 3 : 2)), MultiXactId{static_cast<std::uint32_t>(n)});
    }
    wal::flush(wal::insert_position());
  }), 0);
  ASSERT_EQ(cluster.live([] {
    for (std::uint32_t n = 1; n <= 1500; ++n) {
      auto members = multixact_members(MultiXactId{n});
      ASSERT_EQ(members.size(), n % 2 ? 3u : 2u) << n;
      EXPECT_EQ(members[0].xid, Xid{n + 100u});
      EXPECT_EQ(members[1].status, RowLockStatus::no_key_update);
      EXPECT_EQ(multixact_updater(MultiXactId{n}), Xid{n + 200u});
    }
    EXPECT_THROW(multixact_members(MultiXactId{1501}), SqlError);
    MultiXactMember members[] = {{Xid{5}, RowLockStatus::for_share}, {Xid{4}, RowLockStatus::for_share}};
    MultiXactId id = create_multixact(members);
    EXPECT_EQ(id, MultiXactId{1501});
    EXPECT_EQ(create_multixact(members), id);   // the same set again
    EXPECT_EQ(multixact_updater(id), kInvalidXid);
    EXPECT_FALSE(multixact_is_running(id));
  }), 0);
}

TEST(Multixact, RunsAsLongAsAMember) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    start();
    Xid xid = current_xid();
    MultiXactMember members[] = {{Xid{1}, RowLockStatus::for_share}, {xid, RowLockStatus::for_update}};
    MultiXactId id = create_multixact(members);
    EXPECT_TRUE(multixact_is_running(id));
    commit();
    EXPECT_FALSE(multixact_is_running(id));
  }), 0);
}

TEST(Multixact, ManyMakers) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    test::run_processes(5, [](int n) {
      for (std::uint64_t i = 0; i < 400; ++i) {
        MultiXactMember members[] = {{Xid{1000 * static_cast<std::uint64_t>(n + 1) + i}, RowLockStatus::for_share}, {Xid{7}, RowLockStatus::for_share}};
        MultiXactId id = create_multixact(members);
        auto back = multixact_members(id);
        if (back.size() != 2 || back[1].xid != members[0].xid) return 1;
      }
      return 0;
    });
    std::vector<std::uint64_t> seen;
    for (std::uint32_t id = 1; id <= 2000; ++id) seen.push_back(multixact_members(MultiXactId{id})[1].xid.value());
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
  }), 0);
}

}  // namespace
}  // namespace hathi::transaction
