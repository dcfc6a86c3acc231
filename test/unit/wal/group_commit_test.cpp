#include <gtest/gtest.h>

#include <cstring>

#include "../test_cluster.h"
#include "hathi/wal/page_edit.h"

namespace hathi::wal {
namespace {

using test::Cluster;

struct Shared {
  std::atomic<int> syncs;
  std::atomic<int> ready;
};
Shared* shared = nullptr;

TEST(GroupCommit, ConcurrentFlushesShareSyncs) {
  Cluster::Extra extra{{"test", [] { return sizeof(Shared); }, [](void* p) { shared = static_cast<Shared*>(p); }}};
  Cluster cluster(256, extra);
  constexpr int kProcesses = 8, kFlushes = 50;
  ASSERT_EQ(cluster.create([] {
    config::values::fsync = true;
    storage::file_system().data_sync = [](int) {
      ++shared->syncs;
      ::usleep(500);
      return 0;
    };
    test::run_processes(kProcesses, [](int) {
        ++shared->ready;
        while (shared->ready < kProcesses) ::usleep(100);
        for (int i = 0; i < kFlushes; ++i) {
          std::vector<std::byte> data(static_cast<std::size_t>(i * 7), std::byte{3});
          Lsn end = insert(ResourceManager::generic, 2, data);
          flush(end);
          if (flushed_position() < end) return 1;
        }
        return 0;
    });
    EXPECT_LT(shared->syncs.load(), kProcesses * kFlushes * 2 / 3);
  }), 0);
  // All records are whole: recovery reads to the end.
  ASSERT_EQ(cluster.live([] {}), 0);
}

TEST(GroupCommit, ParallelInsertersOverflowTheRing) {
  Cluster cluster(64);   // the smallest ring: 64 kB
  ASSERT_EQ(cluster.create([] {
    perform_checkpoint({.immediate = true});
    test::run_processes(6, [](int) {
        for (int i = 0; i < 400; ++i) {
          std::vector<std::byte> data(static_cast<std::size_t>((i * 131) % 9000), std::byte{3});
          Lsn end = insert(ResourceManager::generic, 3, data);
          if (i % 50 == 0) flush(end);
        }
        return 0;
    });
    flush(insert_position());
  }), 0);
  ASSERT_EQ(cluster.live([] { EXPECT_GT(redo_position().value(), kWalSegmentSize + (5u << 20)); }), 0);
}

}  // namespace
}  // namespace hathi::wal
