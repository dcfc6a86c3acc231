#pragma once
// A real segment with slots, lock table and extension slots, and children that act as backends.

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <functional>
#include <string>

#include "../forked.h"
#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/locking/lock_table.h"
#include "hathi/locking/lwlock.h"
#include "hathi/shmem/interrupts.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/shmem/segment.h"

namespace hathi::locking {

// What the tests share besides the tables.
struct Scratch {
  std::atomic<int> step;
  std::atomic<int> counters[64];
  LwLock lwlock;
  LwLock other;
  SpinLock spin;
  volatile long plain;
};
inline Scratch* scratch = nullptr;

inline std::size_t scratch_size() { return sizeof(Scratch); }
inline void scratch_init(void* memory) {
  static const shmem::WaitEvent event{"LWLock", "Test"};
  scratch = new (memory) Scratch{};
  scratch->lwlock.init(LockRank::process_array, &event);
  scratch->other.init(LockRank::commit_log, &event);
}

inline constexpr shmem::Subsystem kTestSubsystems[] = {{"slots", shmem::process_slots_size, shmem::process_slots_init},
                                                       {"locks", lock_table_size, lock_table_init},
                                                       {"extension", extension_slots_size, extension_slots_init},
                                                       {"scratch", scratch_size, scratch_init}};

inline void await(std::atomic<int>& value, int wanted) {
  while (value.load() < wanted) usleep(200);
}

class LockFixture : public testing::Test {
 protected:
  void SetUp() override {
    config::define_builtin_settings();
    config::values::max_connections = 100;
    config::values::deadlock_timeout = 100;
    config::values::lock_timeout = 0;
    shmem::create(kTestSubsystems, "off");
  }
  void TearDown() override { shmem::detach(); }

  // A child with a slot. It must give back all locks itself, or end as a process does at exit.
  pid_t backend(const std::function<int()>& body) {
    return test::fork_child([&] {
      install_child_signal_handlers();
      shmem::acquire_slot(shmem::ProcessKind::backend);
      int status = 98;
      try {
        status = body();
      } catch (const SqlError& error) { std::cerr << "backend: " << error.what() << " " << error.report().detail << std::endl; }
      release_all_lwlocks();
      release_all_at_exit();
      shmem::release_slot();
      return status;
    });
  }
  int run(const std::function<int()>& body) { return test::wait_child(backend(body)); }
  // Nobody holds or waits for anything any more.
  void expect_empty() {
    EXPECT_EQ(run([] { return static_cast<int>(lock_status().size()); }), 0);
  }
};

// The SQLSTATE of what f throws, "" when it does not.
template <class F>
std::string code_of(F f, std::string* detail = nullptr) {
  try {
    f();
  } catch (const SqlError& error) {
    if (detail != nullptr) *detail = error.report().detail;
    return std::string(error.code().view());
  }
  return "";
}

inline LockTag table(std::uint32_t oid, std::uint32_t database = 5) { return LockTag::relation_tag(Oid{database}, Oid{oid}); }

}  // namespace hathi::locking
