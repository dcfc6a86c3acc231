#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <cstring>
#include <random>

#include "../test_cluster.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/transaction/transaction.h"
#include "hathi/transaction/xid_status.h"
#include "hathi/wal/page_edit.h"

// A whole server's worth of processes - checkpointer, WAL writer, background writer, writers - is killed at a random moment, again and again.
namespace hathi::transaction {
namespace {

using test::Cluster;
using test::kTestRelation;

constexpr int kWriters = 4, kPages = 60, kAcks = 4096;
constexpr std::uint16_t kCell = kPageSize - 64;

// Survives the lives: mapped apart from the server's memory.
struct Diary {
  std::atomic<int> acked;
  std::atomic<std::uint64_t> xid[kAcks];
  std::atomic<int> failures;
  std::atomic<int> ready;
};
Diary* diary = nullptr;

constexpr BlockTag tag(std::uint32_t block) { return {kTestRelation, Fork::main, BlockNumber{block}}; }
std::int64_t cell(const buffer::PinnedBuffer& b) {
  std::int64_t v;
  std::memcpy(&v, b.page().bytes() + kCell, 8);
  return v;
}

// Moves one unit between two pages in one record, and commits.
void transfer(std::uint32_t from, std::uint32_t to) {
  if (from == to) return;
  start();
  Xid xid = current_xid();
  {
    buffer::PinnedBuffer a = buffer::read(tag(std::min(from, to))), b = buffer::read(tag(std::max(from, to)));
    a.lock(locking::LwMode::exclusive);
    b.lock(locking::LwMode::exclusive);
    wal::Change c(wal::ResourceManager::generic, 0, true);
    c.xid(xid);
    c.page(a).write_value(kCell, cell(a) - 1);
    c.page(b).write_value(kCell, cell(b) + 1);
    c.apply();
  }
  commit();
  int n = diary->acked.load();
  if (n < kAcks && diary->acked.compare_exchange_strong(n, n + 1)) diary->xid[n] = xid.value();
}

std::int64_t total() {
  std::int64_t sum = 0;
  for (std::uint32_t i = 0; i < kPages; ++i) sum += cell(buffer::read(tag(i)));
  return sum;
}

// Its children follow the server into death, also those that are only starting when it dies.
pid_t server_pid = 0;
void become(shmem::ProcessKind kind) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != server_pid) ::_exit(0);
  shmem::acquire_slot(kind);
}

void serve(unsigned seed) {
  server_pid = ::getpid();
  auto spawn = [](auto f) { return test::fork_child([&] { f(); return 0; }); };
  spawn([] { become(shmem::ProcessKind::checkpointer); wal::checkpointer_main(); });
  spawn([] { become(shmem::ProcessKind::wal_writer); wal::wal_writer_main(); });
  spawn([] { become(shmem::ProcessKind::background_writer); wal::background_writer_main(); });
  for (int w = 0; w < kWriters; ++w) {
    spawn([&] {
      become(shmem::ProcessKind::backend);
      std::mt19937 random(seed * 100 + static_cast<unsigned>(w));
      ++diary->ready;
      try {
        for (;;) {
          transfer(random() % kPages, random() % kPages);
          if (random() % 400 == 0) wal::request_checkpoint({.immediate = true, .wait = random() % 2 == 0});
        }
      } catch (const std::exception& e) {
        std::cerr << "writer: " << e.what() << "\n";
        ++diary->failures;
      }
    });
  }
}

TEST(Crash, NothingAcknowledgedIsLost) {
  diary = static_cast<Diary*>(::mmap(nullptr, sizeof(Diary), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  Cluster cluster(24);   // fewer buffers than pages: constant eviction
  config::values::fsync = false;
  ASSERT_EQ(cluster.create([] {
    std::filesystem::create_directories("base/5");
    storage::create_fork(kTestRelation, Fork::main, true);
    for (std::uint32_t i = 0; i < kPages; ++i) {
      buffer::PinnedBuffer b = buffer::extend(kTestRelation, Fork::main, 1);
      wal::Change c(wal::ResourceManager::generic, 0, true);
      c.page(b).init(64);
      c.apply();
    }
    wal::flush(wal::insert_position());
  }), 0);
  std::mt19937 random(7);
  int checked = 0;
  for (int life = 0; life < 12; ++life) {
    unsigned seed = static_cast<unsigned>(life);
    int acked_before = diary->acked;
    diary->ready = 0;
    shmem::reinitialize();
    // In a child, so that the parent can kill it while its own children follow.
    pid_t server = test::fork_child([&] {
      shmem::acquire_slot(shmem::ProcessKind::startup);
      wal::startup_recover();
      EXPECT_EQ(total(), 0);
      for (int i = 0; i < acked_before; ++i) {
        std::uint64_t xid = diary->xid[i];
        // 0: the writer was killed before it had noted the commit.
        EXPECT_TRUE(xid == 0 || did_commit(Xid{xid})) << "xid " << xid << ", " << i << " of " << acked_before << ", life " << seed;
      }
      if (::testing::Test::HasFailure()) return 1;
      shmem::release_slot();
      serve(seed);
      ::usleep(10000000);
      return 0;
    });
    for (int i = 0; i < 2000 && diary->ready < kWriters; ++i) ::usleep(1000);
    ASSERT_EQ(diary->ready, kWriters);
    ::usleep(20000 + random() % 100000);
    ::kill(server, SIGKILL);
    EXPECT_EQ(test::wait_child(server), 1000 + SIGKILL);
    ::usleep(20000);   // its children die with it
    checked = diary->acked;
  }
  EXPECT_GT(checked, 200);
  EXPECT_EQ(diary->failures, 0);
}

}  // namespace
}  // namespace hathi::transaction
