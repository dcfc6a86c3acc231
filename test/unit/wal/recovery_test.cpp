#include <fcntl.h>
#include <signal.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "../test_cluster.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/wal/page_edit.h"

namespace hathi::wal {
namespace {

using buffer::PinnedBuffer;
using test::Cluster;
using test::kTestRelation;

constexpr std::uint16_t kCounter = kPageSize - 64;   // in the special space: images leave out the hole

constexpr BlockTag tag(std::uint32_t block) { return {kTestRelation, Fork::main, BlockNumber{block}}; }

void make_relation() {
  std::filesystem::create_directories("base/5");
  storage::create_fork(kTestRelation, Fork::main, true);
}

// Adds a page that holds one 8-byte counter.
void add_page(bool logged = true) {
  PinnedBuffer b = buffer::extend(kTestRelation, Fork::main, 1);
  Change c(ResourceManager::generic, 0, logged);
  PageEdit& p = c.page(b);
  p.init(64);
  p.write_value(kCounter, std::uint64_t{1});
  c.apply();
}

Lsn bump(std::uint32_t block) {
  PinnedBuffer b = buffer::read(tag(block));
  b.lock(locking::LwMode::exclusive);
  std::uint64_t v;
  std::memcpy(&v, b.page().bytes() + kCounter, 8);
  Change c(ResourceManager::generic, 0, true);
  c.page(b).write_value(kCounter, v + 1);
  return c.apply();
}

std::uint64_t value(std::uint32_t block) {
  PinnedBuffer b = buffer::read(tag(block));
  b.lock(locking::LwMode::shared);
  std::uint64_t v;
  std::memcpy(&v, b.page().bytes() + kCounter, 8);
  return v;
}

TEST(Recovery, FlushedChangesSurviveTheLossOfMemory) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    make_relation();
    perform_checkpoint({.immediate = true});
    for (int i = 0; i < 5; ++i) add_page();
    Lsn end;
    for (int i = 0; i < 1000; ++i) end = bump(static_cast<std::uint32_t>(i % 5));
    flush(end);
    bump(0);   // not flushed: lost
  }), 0);
  for (int life = 0; life < 3; ++life) {
    ASSERT_EQ(cluster.live([] {
      for (std::uint32_t b = 0; b < 5; ++b) EXPECT_EQ(value(b), 201u);
      EXPECT_EQ(buffer::block_count(kTestRelation, Fork::main), BlockNumber{5});
    }), 0) << life;
  }
}

TEST(Recovery, RedoTwiceIsRedoOnce) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    make_relation();
    perform_checkpoint({.immediate = true});
    for (int i = 0; i < 3; ++i) add_page();
    Lsn end;
    for (int i = 0; i < 30; ++i) end = bump(static_cast<std::uint32_t>(i % 3));
    flush(end);
  }), 0);
  // A crash during recovery: the pages reach the disk, pg_control does not.
  std::filesystem::copy_file("global/pg_control", "control.saved");
  ASSERT_EQ(cluster.live([] {}), 0);
  std::filesystem::copy_file("control.saved", "global/pg_control", std::filesystem::copy_options::overwrite_existing);
  ASSERT_EQ(cluster.live([] {
    for (std::uint32_t b = 0; b < 3; ++b) EXPECT_EQ(value(b), 11u);
  }), 0);
}

TEST(Recovery, TornPagesAreRepairedByImages) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    make_relation();
    for (int i = 0; i < 2; ++i) add_page();
    perform_checkpoint({.immediate = true});
    flush(bump(0));
    flush(bump(1));
    buffer::flush_relation(kTestRelation);
  }), 0);
  // Half of block 1 is garbage.
  {
    std::fstream f("base/5/20000", std::ios::in | std::ios::out | std::ios::binary);
    f.seekp(static_cast<std::streamoff>(kPageSize + 4096));
    std::string junk(4096, 'x');
    f.write(junk.data(), 4096);
  }
  ASSERT_EQ(cluster.live([] {
    EXPECT_EQ(value(0), 2u);
    EXPECT_EQ(value(1), 2u);
  }), 0);
}

TEST(Recovery, ADamagedPageIsReported) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    make_relation();
    add_page();
    perform_checkpoint({.immediate = true, .shutdown = true});
  }), 0);
  {
    std::fstream f("base/5/20000", std::ios::in | std::ios::out | std::ios::binary);
    f.seekp(6000);
    f.put('x');
  }
  ASSERT_EQ(cluster.live([] {
    try {
      value(0);
      ADD_FAILURE();
    } catch (const SqlError& e) {
      EXPECT_EQ(e.code(), sqlstate::data_corrupted);
      EXPECT_EQ(e.report().message, "invalid page in block 0 of relation base/5/20000");
    }
  }), 0);
}

std::string last_segment() {
  return "pg_wal/000000010000000000000001";
}

TEST(Recovery, ATornTailEndsTheLog) {
  Cluster cluster;
  static std::uint64_t cut;
  ASSERT_EQ(cluster.create([] {
    make_relation();
    perform_checkpoint({.immediate = true});
    add_page();
    flush(bump(0));
    Lsn before = insert_position();
    flush(bump(0));
    // The last record loses its final byte.
    std::ofstream("cut") << insert_position().value() - 1 - kWalSegmentSize << " " << before.value();
  }), 0);
  std::ifstream("cut") >> cut;
  {
    std::fstream f(last_segment(), std::ios::in | std::ios::out | std::ios::binary);
    f.seekp(static_cast<std::streamoff>(cut));
    f.put('\x77');
  }
  ASSERT_EQ(cluster.live([] {
    EXPECT_EQ(value(0), 2u);
    flush(bump(0));
    flush(bump(0));
  }), 0);
  // The new life's records follow the last good one; those of the old one are not taken for it.
  ASSERT_EQ(cluster.live([] { EXPECT_EQ(value(0), 4u); }), 0);
}

TEST(Recovery, ACleanShutdownNeedsNoRedo) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    make_relation();
    add_page(false);   // unlogged: kept by a clean shutdown only
    add_page();
    bump(1);
    perform_checkpoint({.immediate = true, .shutdown = true});
  }), 0);
  ASSERT_EQ(cluster.live([] {
    EXPECT_EQ(value(0), 1u);
    EXPECT_EQ(value(1), 2u);
    Lsn before = insert_position();
    EXPECT_EQ(before, flushed_position());
    flush(bump(1));
  }), 0);
  ASSERT_EQ(cluster.live([] { EXPECT_EQ(value(1), 3u); }), 0);
}

TEST(Recovery, RecordsLargerThanTheRingAndManySegments) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    make_relation();
    perform_checkpoint({.immediate = true});
    add_page();
    std::vector<std::byte> big(3 << 20, std::byte{1});
    for (int i = 0; i < 15; ++i) {
      insert(ResourceManager::generic, 1, big);
      bump(0);
    }
    flush(insert_position());
    EXPECT_TRUE(std::filesystem::exists("pg_wal/000000010000000000000003"));
  }), 0);
  ASSERT_EQ(cluster.live([] {
    EXPECT_EQ(value(0), 16u);
    // Old segments went (or were renamed for reuse) with the checkpoint at the end of recovery.
    EXPECT_FALSE(std::filesystem::exists("pg_wal/000000010000000000000001"));
  }), 0);
}

TEST(Recovery, VolumeCausesCheckpointsAndOldSegmentsAreReused) {
  Cluster cluster;
  config::values::max_wal_size = 64;
  config::values::min_wal_size = 32;
  ASSERT_EQ(cluster.create([] {
    auto pids = test::start_processes(1, [](int) {
      shmem::release_slot();
      shmem::acquire_slot(shmem::ProcessKind::checkpointer);
      install_child_signal_handlers();
      checkpointer_main();
      return 0;
    });
    shmem::acquire_slot(shmem::ProcessKind::startup);
    std::vector<std::byte> block(100000, std::byte{5});
    for (int i = 0; i < 3000; ++i) flush(insert(ResourceManager::generic, 0, block));
    request_checkpoint({.immediate = true, .wait = true});
    EXPECT_GT(checkpoint_statistics().requested, 2u);
    std::size_t files = 0;
    for (auto& entry : std::filesystem::directory_iterator("pg_wal")) files += entry.is_regular_file();
    EXPECT_LE(files, 9u);
    shmem::release_slot();
    // Told to end, it makes the shutdown checkpoint.
    ::kill(pids[0], SIGTERM);
    test::join_processes(pids);
  }), 0);
  config::values::max_wal_size = 1024;
  config::values::min_wal_size = 80;
  ASSERT_EQ(cluster.live([] { EXPECT_EQ(insert_position(), flushed_position()); }), 0);
}

TEST(Recovery, HintChangesAfterACheckpointLogAnImage) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    make_relation();
    add_page();
    perform_checkpoint({.immediate = true});
    Lsn before = insert_position();
    PinnedBuffer b = buffer::read(tag(0));
    b.lock(locking::LwMode::shared);
    b.page().bytes()[600] = std::byte{1};
    b.mark_dirty_hint();
    Lsn after = insert_position();
    EXPECT_GT(after, before);
    b.page().bytes()[601] = std::byte{1};
    b.mark_dirty_hint();
    EXPECT_EQ(insert_position(), after);
    b.release();
    buffer::flush_relation(kTestRelation);
  }), 0);
}

TEST(Recovery, VolumeOfARowUpdateIsSmall) {
  Cluster cluster;
  ASSERT_EQ(cluster.create([] {
    make_relation();
    PinnedBuffer b = buffer::extend(kTestRelation, Fork::main, 1);
    std::vector<std::byte> row(121, std::byte{' '});
    std::memset(row.data(), 0, 36);
    {
      Change c(ResourceManager::heap, 0, true);
      PageEdit& p = c.page(b);
      p.init(64);
      p.add_item(OffsetNumber{1}, row);
      c.apply();
    }
    Lsn before = insert_position();
    Change c(ResourceManager::heap, 1, true);
    c.xid(Xid{100000});
    PageEdit& p = c.page(b);
    row[32] = std::byte{5};
    p.add_item_like(OffsetNumber{2}, row, OffsetNumber{1}, 24);
    std::byte header[18] = {};
    header[0] = std::byte{7};
    p.write(static_cast<std::uint16_t>(b.page().line(OffsetNumber{1}).offset() + 4), header);
    Lsn end = c.apply();
    EXPECT_LT(end - before, 60u);
  }), 0);
}

}  // namespace
}  // namespace hathi::wal
