#include "hathi/shmem/segment.h"

#include <gtest/gtest.h>
#include <sys/shm.h>

#include <atomic>

#include "../forked.h"
#include "hathi/config/settings.h"
#include "hathi/error/sql_error.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/shmem/process_slot.h"

namespace hathi::shmem {
namespace {

using test::fork_child;
using test::in_child;
using test::wait_child;

std::atomic<int>* counter = nullptr;
std::byte* large = nullptr;

std::size_t counter_size() { return sizeof(std::atomic<int>); }
void counter_init(void* memory) { counter = new (memory) std::atomic<int>(0); }
std::size_t large_size() { return std::size_t{64} << 20; }
void large_init(void* memory) { large = static_cast<std::byte*>(memory); }

constexpr Subsystem kSubsystems[] = {
    {"counter", counter_size, counter_init}, {"large", large_size, large_init}, {"slots", process_slots_size, process_slots_init}};

class SegmentTest : public testing::TestWithParam<MemoryKind> {
 protected:
  void SetUp() override {
    config::define_builtin_settings();
    config::values::max_connections = 20;
    create(kSubsystems, "try", GetParam());
  }
  void TearDown() override {
    release_slot();
    detach();
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, SegmentTest, testing::Values(MemoryKind::anonymous, MemoryKind::system_v));

TEST_P(SegmentTest, LaysOutAlignedAndShared) {
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large) % (2u << 20), 0u);
  EXPECT_EQ(total_size() % (2u << 20), 0u);
  EXPECT_EQ(total_size(), required_size(kSubsystems));
  EXPECT_EQ(in_child([] { return ++*counter, 0; }), 0);
  EXPECT_EQ(*counter, 1);
}

TEST_P(SegmentTest, ReinitialisesOnFreshMemory) {
  *counter = 5;
  large[12345] = std::byte{1};
  growing_region().allocate(1000, 64);
  auto* before = large;
  reinitialize();
  EXPECT_EQ(*counter, 0);
  EXPECT_EQ(large, before);
  EXPECT_EQ(large[12345], std::byte{0});
  EXPECT_EQ(growing_region().used(), 0u);
}

TEST_P(SegmentTest, GrowsInsideTheReservation) {
  std::vector<pid_t> children;
  for (int c = 0; c < 4; ++c) {
    children.push_back(fork_child([] {
      for (int i = 0; i < 1000; ++i) {
        auto* p = static_cast<unsigned char*>(growing_region().allocate(100, 64));
        if (p == nullptr || reinterpret_cast<std::uintptr_t>(p) % 64 != 0 || p[0] != 0 || p[99] != 0) return 1;
        std::memset(p, 0xFF, 100);
      }
      return 0;
    }));
  }
  for (pid_t child : children) EXPECT_EQ(wait_child(child), 0);
  EXPECT_GE(growing_region().used(), 400000u);
  EXPECT_EQ(growing_region().allocate(growing_region().capacity(), 64), nullptr);
}

TEST_P(SegmentTest, PiecesArePutTogetherUnderTheirUsers) {
  constexpr std::size_t kBytes = 6u << 20;
  auto* words = static_cast<std::atomic<std::uint32_t>*>(growing_region().allocate(kBytes, 64));
  constexpr std::size_t kWords = kBytes / sizeof(*words);
  for (std::size_t i = 0; i < kWords; i += 3) words[i] = static_cast<std::uint32_t>(i);
  std::atomic<int>& stop = *counter;
  pid_t child = fork_child([&] {
    // Counts up every third word, over and over, while the kernel exchanges the pages.
    std::uint32_t rounds = 0;
    while (stop == 0) {
      for (std::size_t i = 0; i < kWords; i += 3) if (words[i].fetch_add(1) != i + rounds) return 1;
      ++rounds;
    }
    words[1] = rounds;
    return 0;
  });
  int collapsed = 0;
  for (int i = 0; i < 20; ++i) {
    collapsed += collapse_pieces_in_use(100);
    usleep(5000);
  }
  stop = 1;
  EXPECT_EQ(wait_child(child), 0);
  for (std::size_t i = 0; i < kWords; i += 3) ASSERT_EQ(words[i].load(), i + words[1].load());
  if (collapsed == 0) GTEST_SKIP() << "the kernel does not put pages together";
  // What is put together stays so.
  EXPECT_EQ(collapse_pieces_in_use(100), 0);
}

TEST_P(SegmentTest, SlotsAreDistinctAndComeBack) {
  pid_t child = fork_child([] {
    acquire_slot(ProcessKind::backend);
    *counter = my_slot().number + 1;
    while (*counter != 0) usleep(1000);
    bool good = my_slot().pid == getpid();
    release_slot();
    return good ? 0 : 1;
  });
  while (*counter == 0) usleep(1000);
  acquire_slot(ProcessKind::backend);
  int first = my_slot().number;
  EXPECT_NE(first, *counter - 1);
  *counter = 0;
  EXPECT_EQ(wait_child(child), 0);
  my_slot().local_transaction_number = 7;
  release_slot();
  acquire_slot(ProcessKind::backend);
  EXPECT_EQ(my_slot().number, first);
  EXPECT_EQ(my_slot().local_transaction_number, 7u);
  release_slot();
  acquire_slot(ProcessKind::checkpointer);
  EXPECT_GE(my_slot().number, 20);
}

TEST_P(SegmentTest, ManyProcessesTakeAndReturnSlots) {
  std::vector<pid_t> children;
  for (int c = 0; c < 8; ++c) {
    children.push_back(fork_child([] {
      for (int i = 0; i < 3000; ++i) {
        acquire_slot(ProcessKind::backend);
        if (my_slot().pid != getpid()) return 1;
        release_slot();
      }
      return 0;
    }));
  }
  for (pid_t child : children) EXPECT_EQ(wait_child(child), 0);
  for (int i = 0; i < slot_count(); ++i) EXPECT_EQ(slot(i).in_use, 0u);
}

TEST_P(SegmentTest, SessionsAreCounted) {
  std::atomic<int>& stop = *counter;
  std::vector<pid_t> children;
  for (int c = 0; c < 17; ++c) {  // 20 less the 3 reserved ones
    children.push_back(fork_child([&] {
      acquire_slot(ProcessKind::backend);
      admit_session(false);
      while (stop == 0) usleep(1000);
      release_slot();
      return 0;
    }));
  }
  while (session_count() < 17) usleep(1000);
  acquire_slot(ProcessKind::backend);
  try {
    admit_session(false);
    ADD_FAILURE();
  } catch (const SqlError& error) {
    EXPECT_EQ(error.report().message, "remaining connection slots are reserved for non-replication superuser connections");
    EXPECT_EQ(error.report().severity, Severity::fatal);
  }
  admit_session(true);
  EXPECT_EQ(session_count(), 18);
  stop = 1;
  for (pid_t child : children) EXPECT_EQ(wait_child(child), 0);
  release_slot();
  EXPECT_EQ(session_count(), 0);
}

TEST_P(SegmentTest, LatchWakesAcrossProcesses) {
  acquire_slot(ProcessKind::backend);
  int number = my_slot().number;
  pid_t child = fork_child([&] {
    for (int i = 0; i < 2000; ++i) {
      int seen = counter->load();
      slot(number).latch.set();
      while (counter->load() == seen) {}
    }
    return 0;
  });
  for (int i = 0; i < 2000; ++i) {
    while (!my_slot().latch.wait(10000)) {}
    my_slot().latch.reset();
    ++*counter;
  }
  EXPECT_EQ(wait_child(child), 0);
  my_slot().latch.reset();
  EXPECT_FALSE(my_slot().latch.wait(5));
}

}  // namespace
}  // namespace hathi::shmem
