#pragma once
// A data directory and a segment for tests of the storage layers. Each life of the "server" is a forked child that ends without
// cleaning up, like kill -9; between lives shared memory is zeroed.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "forked.h"
#include "hathi/buffer/buffer_pool.h"
#include "hathi/config/server_settings.h"
#include "hathi/config/settings.h"
#include "hathi/error/report.h"
#include "hathi/locking/lock_table.h"
#include "hathi/shmem/process_slot.h"
#include "hathi/shmem/segment.h"
#include "hathi/storage/file.h"
#include "hathi/transaction/process_array.h"
#include "hathi/wal/log.h"

namespace hathi::test {

class Cluster {
 public:
  using Extra = std::vector<shmem::Subsystem>;
  explicit Cluster(int buffers = 256, const Extra& extra = {}) {
    char name[] = "/tmp/hathi_unit_XXXXXX";
    directory_ = ::mkdtemp(name);
    old_ = std::filesystem::current_path();
    std::filesystem::current_path(directory_);
    config::values::shared_buffers = buffers;
    config::values::max_connections = 20;
    config::values::fsync = false;
    config::values::log_checkpoints = false;
    set_report_levels(Severity::panic, Severity::error);
    subsystems_ = {
        {"process slots", shmem::process_slots_size, shmem::process_slots_init},
        {"lock table", locking::lock_table_size, locking::lock_table_init},
        {"extension slots", locking::extension_slots_size, locking::extension_slots_init},
        {"pending syncs", storage::pending_sync_size, storage::pending_sync_init},
        {"log", wal::wal_shared_size, wal::wal_shared_init},
        {"buffers", buffer::pool_size, buffer::pool_init},
        {"transactions", transaction::shared_size, transaction::shared_init},
    };
    subsystems_.insert(subsystems_.end(), extra.begin(), extra.end());
    static bool registered = false;
    if (!registered) transaction::register_functions();
    registered = true;
    shmem::create(subsystems_, "off");
  }
  ~Cluster() {
    shmem::detach();
    std::filesystem::current_path(old_);
    std::filesystem::remove_all(directory_);
  }
  const std::string& directory() const { return directory_; }

  // The first life: an empty data directory.
  template <class F>
  int create(F f) {
    return in_child([&] {
      shmem::acquire_slot(shmem::ProcessKind::startup);
      wal::bootstrap_log();
      wal::perform_checkpoint({.immediate = true});
      f();
      return ::testing::Test::HasFailure() ? 1 : 0;
    });
  }
  // The next life: shared memory is lost, recovery runs, then f. The child's exit status (0 = fine).
  template <class F>
  int live(F f) {
    shmem::reinitialize();
    return in_child([&] {
      shmem::acquire_slot(shmem::ProcessKind::startup);
      wal::startup_recover();
      f();
      return ::testing::Test::HasFailure() ? 1 : 0;
    });
  }

 private:
  std::string directory_;
  std::filesystem::path old_;
  std::vector<shmem::Subsystem> subsystems_;
};

// Starts n processes with slots of their own. The caller has no slot until join_processes().
template <class F>
std::vector<pid_t> start_processes(int n, F f) {
  shmem::release_slot();
  std::vector<pid_t> pids;
  for (int i = 0; i < n; ++i) {
    pids.push_back(fork_child([&] {
      shmem::acquire_slot(shmem::ProcessKind::backend);
      int status = f(i);
      locking::release_all_at_exit();
      shmem::release_slot();
      return status;
    }));
  }
  return pids;
}
inline void join_processes(const std::vector<pid_t>& pids) {
  for (pid_t pid : pids) EXPECT_EQ(wait_child(pid), 0);
  shmem::acquire_slot(shmem::ProcessKind::startup);
}
template <class F>
void run_processes(int n, F f) {
  join_processes(start_processes(n, f));
}

inline constexpr RelationFile kTestRelation{storage::kDefaultTablespace, Oid{5}, Oid{20000}};

}  // namespace hathi::test
