// Locks that consist of several tags, on the real table with real processes. The rules themselves: subtree_model_test.cpp.

#include "hathi/locking/subtrees.h"

#include <array>

#include "lock_fixture.h"

namespace hathi::locking {
namespace {

class SubtreeLocksTest : public LockFixture {
 protected:
  static LockTag subtree(std::uint32_t table) { return LockTag::subtree_tag(Oid{5}, Oid{table}); }
  static bool waits(pid_t pid) {
    for (const LockStatus& row : lock_status()) if (row.pid == pid && !row.granted) return true;
    return false;
  }
};

// The weak side costs no shared table until somebody wants the subtree strongly.
TEST_F(SubtreeLocksTest, WeakSubtreesUseTheFastPath) {
  pid_t reader = backend([] {
    ResourceOwner owner(nullptr);
    if (weak_subtrees_held() != 0) return 1;
    acquire(owner, subtree(1), LockMode::row_exclusive);
    acquire(owner, subtree(1), LockMode::row_exclusive);
    acquire(owner, subtree(2), LockMode::share);
    if (weak_subtrees_held() != 1) return 2;
    for (const LockStatus& row : lock_status()) if (row.tag.kind != LockTagKind::subtree || row.fast_path != (row.mode == LockMode::row_exclusive)) return 3;
    scratch->step = 1;
    await(scratch->step, 2);
    for (const LockStatus& row : lock_status()) if (row.fast_path) return 4;
    owner.release_all();
    return weak_subtrees_held() == 0 ? 0 : 5;
  });
  await(scratch->step, 1);
  EXPECT_EQ(run([] {
              ResourceOwner owner(nullptr);
              LockResult strong = acquire(owner, subtree(1), LockMode::share, true), other = acquire(owner, subtree(2), LockMode::access_exclusive, true);
              owner.release_all();
              scratch->step = 2;
              return strong == LockResult::not_available && other == LockResult::granted ? 0 : 1;
            }),
            0);
  EXPECT_EQ(test::wait_child(reader), 0);
  expect_empty();
}

// Who holds a subtree weakly stands on a relation below it where a holder of that mode would: before a waiter who will wait for him.
TEST_F(SubtreeLocksTest, StandsBeforeThoseWhoWaitForTheSubtree) {
  pid_t sharer = backend([] {
    ResourceOwner owner(nullptr);
    acquire(owner, table(1), LockMode::share);
    scratch->step = 1;
    await(scratch->step, 4);
    owner.release_all();
    return 0;
  });
  await(scratch->step, 1);
  pid_t dropper = backend([] {
    ResourceOwner owner(nullptr);
    scratch->step = 2;
    acquire(owner, table(1), LockMode::access_exclusive);
    scratch->counters[0] = 1;
    acquire(owner, subtree(9), LockMode::access_exclusive);
    bool after = scratch->counters[1] == 1;
    owner.release_all();
    return after ? 0 : 1;
  });
  await(scratch->step, 2);
  pid_t writer = backend([&] {
    ResourceOwner owner(nullptr);
    acquire(owner, subtree(9), LockMode::access_share);
    while (!waits(dropper)) usleep(200);
    if (acquire(owner, table(1), LockMode::row_exclusive, true) != LockResult::not_available) return 1;
    scratch->step = 3;
    acquire_as_if_held(owner, table(1), LockMode::row_exclusive, false, LockMode::access_share);
    int status = scratch->counters[0] == 0 ? 0 : 2;
    scratch->counters[1] = 1;
    owner.release_all();
    return status;
  });
  await(scratch->step, 3);
  EXPECT_EQ(run([&] {
              while (!waits(writer)) usleep(200);
              return blocking_pids(writer) == std::vector<std::int32_t>{sharer} ? 0 : 1;
            }),
            0);
  scratch->step = 4;
  EXPECT_EQ(test::wait_child(sharer), 0);
  EXPECT_EQ(test::wait_child(writer), 0);
  EXPECT_EQ(test::wait_child(dropper), 0);
  expect_empty();
}

// A strong holder of the relation who still waits for the subtree is not waited for, nor is who waits for him.
TEST_F(SubtreeLocksTest, PassesHoldersWhoWaitForTheSubtree) {
  pid_t reader = backend([] {
    ResourceOwner owner(nullptr);
    acquire(owner, subtree(9), LockMode::access_share);
    scratch->step = 1;
    await(scratch->step, 3);
    auto take = [&](LockMode mode) { return acquire_as_if_held(owner, table(1), mode, true, LockMode::access_share); };
    if (acquire(owner, table(1), LockMode::row_exclusive, true) != LockResult::not_available) return 1;
    if (take(LockMode::row_exclusive) != LockResult::granted) return 2;
    // Stronger still: it ends up before the other on the subtree's tag too.
    if (take(LockMode::access_exclusive) != LockResult::granted) return 3;
    if (acquire(owner, subtree(9), LockMode::access_exclusive, true) != LockResult::granted) return 4;
    scratch->counters[0] = 1;
    owner.release_all();
    return 0;
  });
  await(scratch->step, 1);
  auto strong = [](int step, LockMode mode) {
    return [step, mode] {
      ResourceOwner owner(nullptr);
      scratch->step = step;
      acquire(owner, table(1), mode);
      acquire(owner, subtree(9), mode);
      bool after = scratch->counters[0] == 1;
      owner.release_all();
      return after ? 0 : 1;
    };
  };
  pid_t dropper = backend(strong(2, LockMode::access_exclusive));
  await(scratch->step, 2);
  EXPECT_EQ(run([&] { while (!waits(dropper)) usleep(200); return 0; }), 0);
  pid_t indexer = backend(strong(2, LockMode::share));
  EXPECT_EQ(run([&] { while (!waits(indexer)) usleep(200); return 0; }), 0);
  scratch->step = 3;
  for (pid_t child : {reader, dropper, indexer}) EXPECT_EQ(test::wait_child(child), 0);
  expect_empty();
}

TEST_F(SubtreeLocksTest, WaitsForHoldersOfAnyOfTheTags) {
  pid_t reader = backend([] {
    begin_virtual_transaction(7);
    ResourceOwner owner(nullptr);
    acquire(owner, subtree(9), LockMode::row_exclusive);
    scratch->step = 1;
    await(scratch->step, 2);
    usleep(30000);
    scratch->counters[0] = 1;
    owner.release_all();
    end_virtual_transaction();
    return 0;
  });
  await(scratch->step, 1);
  EXPECT_EQ(run([] {
              std::array tags{table(1), subtree(9)};
              scratch->step = 2;
              wait_for_lockers(tags, LockMode::share_update_exclusive);   // no conflict: no wait
              if (scratch->counters[0] != 0) return 1;
              wait_for_lockers(tags, LockMode::share);
              return scratch->counters[0] == 1 ? 0 : 2;
            }),
            0);
  EXPECT_EQ(test::wait_child(reader), 0);
  expect_empty();
}

TEST_F(SubtreeLocksTest, DeadlocksAreFoundAcrossSubtrees) {
  pid_t reader = backend([] {
    ResourceOwner owner(nullptr);
    acquire(owner, subtree(9), LockMode::access_share);
    scratch->step = 1;
    await(scratch->step, 2);
    std::string detail, code = code_of([&] { acquire(owner, table(2), LockMode::access_share); }, &detail);
    owner.release_all();
    if (code == "40P01") scratch->counters[0]++;
    return code.empty() || (code == "40P01" && detail.find("partitions of relation 9 of database 5") != std::string::npos) ? 0 : 1;
  });
  await(scratch->step, 1);
  pid_t dropper = backend([] {
    ResourceOwner owner(nullptr);
    acquire(owner, table(2), LockMode::access_exclusive);
    scratch->step = 2;
    std::string code = code_of([&] { acquire(owner, subtree(9), LockMode::access_exclusive); });
    owner.release_all();
    if (code == "40P01") scratch->counters[0]++;
    return 0;
  });
  EXPECT_EQ(test::wait_child(reader), 0);
  EXPECT_EQ(test::wait_child(dropper), 0);
  EXPECT_EQ(scratch->counters[0], 1);
  expect_empty();
}

}  // namespace
}  // namespace hathi::locking
