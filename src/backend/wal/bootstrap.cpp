// initdb: a log and a pg_control from nothing.

#include <cerrno>
#include <cstring>
#include <ctime>
#include <random>

#include "control_file.h"
#include "hathi/config/settings.h"
#include "hathi/error/sql_error.h"
#include "hathi/storage/file.h"
#include "log_state.h"

namespace hathi::wal {

namespace {

constexpr const char* kDirectories[] = {"global", "base", "base/pgsql_tmp", "pg_wal", "pg_xact", "pg_subtrans", "pg_multixact", "pg_multixact/offsets",
                                        "pg_multixact/members", "pg_tblspc"};

void make_directories() {
  for (const char* path : kDirectories) {
    if (storage::file_system().mkdir(path, 0700) < 0 && errno != EEXIST)
      throw SqlError(sqlstate::io_error, "could not create directory \"{}\": {}", path, std::strerror(errno));
  }
}

}  // namespace

void bootstrap_log(bool checksums) {
  make_directories();
  std::random_device random;
  std::uint64_t start = kWalSegmentSize;   // position 0 means "none"
  state->system_identifier = static_cast<std::uint64_t>(std::time(nullptr)) << 32 | random();
  state->timeline = 1;
  state->incarnation = random();
  state->checksums.store(checksums);
  config::values::data_checksums = checksums;
  state->reserved.store(start);
  state->written.store(start);
  state->flushed.store(start);
  state->async_upto.store(start);
  state->redo.store(start);
  preallocate_segment(start / kWalSegmentSize);
  state->ready.store(true);
  ControlFile control{};
  control.system_identifier = state->system_identifier;
  control.state = static_cast<std::uint32_t>(DatabaseState::starting_up);
  control.timeline = 1;
  control.checkpoint = control.redo = start;
  control.incarnation = state->incarnation;
  control.checksums = checksums ? 1 : 0;
  write_control(control);
}

}  // namespace hathi::wal
